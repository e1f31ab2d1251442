/* touch.c: with --checks: the memory that one-sided operations read and write, for the simulator,
 * which finds those whose outcome is not defined (src/live/races.c); and whether their buffers stay
 * as they are until they are complete, as intact.c has it for messages. Not of operations with a
 * request, nor of memory in more than WIRE_RUNS pieces. */
#include "intact.h"
#include "link_int.h"
#include "objects/core.h"
#include "objects/remote.h"
#include "objects/type.h"

#include <stdlib.h>
#include <string.h>

int orr_core_watches(void)
{
	return intact_watches();
}

/* --- memory --- */

struct runs {
	uint64_t base;
	uint32_t n;
	struct wire_run run[WIRE_RUNS];
};

static int run_add(void *self, int64_t disp, int64_t bytes)
{
	struct runs *r = self;
	uint64_t from = r->base + (uint64_t)disp;

	if (r->n && r->run[r->n - 1].to == from) {
		r->run[r->n - 1].to += (uint64_t)bytes;
		return 0;
	}
	if (r->n == WIRE_RUNS)
		return 1;
	r->run[r->n++] = (struct wire_run){from, from + (uint64_t)bytes};
	return 0;
}

static void runs_make(struct runs *r, const struct orr_touch *t)
{
	r->n = 0;
	if (!t->type)
		return;
	r->base = t->address;
	if (orr_walk(t->type, t->count, 0, t->count * t->type->size, run_add, r) != 0)
		r->n = 0; /* it is not looked at */
}

_Static_assert(3 * sizeof(struct runs) < WIRE_RING / 4, "an operation has room for all");

static void runs_tell(uint32_t win, enum orr_rma_kind kind, int process, const struct orr_touch *t)
{
	uint32_t here = stack_number(), n[3];
	struct wire_op *op;
	struct wire_touch *w;
	struct wire_run *to;
	struct runs *r = malloc(3 * sizeof *r);

	if (!r)
		return;
	for (int i = 0; i < 3; i++)
		runs_make(&r[i], &t[i]);
	for (int i = 0; i < 3; i++)
		n[i] = r[i].n;
	op = link_room_beside(WIRE_TOUCH, sizeof *w + (n[0] + n[1] + n[2]) * sizeof *to);
	op->site = link_traced()->site;
	op->stack = here;
	w = (void *)(op + 1);
	*w = (struct wire_touch){.win = win,
	                         .target = process,
	                         .kind = (uint32_t)kind,
	                         .n_target = n[0],
	                         .n_read = n[1],
	                         .n_written = n[2]};
	to = (void *)(w + 1);
	for (int i = 0; i < 3; i++) {
		memcpy(to, r[i].run, n[i] * sizeof *to);
		to += n[i];
	}
	link_put(op);
	free(r);
}

/* --- buffers --- */

enum { MOST = 256 }; /* that are looked at again; older ones are forgotten */
struct touched {
	uint32_t win, stack;
	int32_t process;
	struct orr_touch own;
	uint64_t sum, site;
};
struct touches {
	uint32_t first, n;
	struct touched at[MOST];
};

static struct touched *touched_at(struct touches *t, uint32_t i)
{
	return &t->at[(t->first + i) % MOST];
}

static void forget(struct touches *t, uint32_t i)
{
	orr_type_drop(touched_at(t, i)->own.type);
	for (; i > 0; i--)
		*touched_at(t, i) = *touched_at(t, i - 1);
	t->first = (t->first + 1) % MOST;
	t->n--;
}

/* Does the memory of both overlap, their gaps included? */
static int do_overlap(const struct orr_touch *a, const struct orr_touch *b)
{
	int64_t from, to, low, high;

	return orr_type_reach(a->type, a->count, &from, &to) &&
	       orr_type_reach(b->type, b->count, &low, &high) &&
	       a->address + (uint64_t)from < b->address + (uint64_t)high &&
	       b->address + (uint64_t)low < a->address + (uint64_t)to;
}

/* What is written by another operation the simulator tells of. */
static void overwritten_forget(struct touches *t, const struct orr_touch *written)
{
	if (!written->type || written->count * written->type->size == 0)
		return;
	for (uint32_t i = t->n; i-- > 0;)
		if (do_overlap(&touched_at(t, i)->own, written))
			forget(t, i);
}

static void keep(uint32_t win, int process, const struct orr_touch *own)
{
	struct link *l = link_state();
	struct touches *t = l->touches;
	uint64_t sum;

	if (!own->type || own->count * own->type->size == 0 ||
	    // NOLINTNEXTLINE(performance-no-int-to-ptr)
	    !intact_sum((const void *)(uintptr_t)own->address, own->count, own->type, &sum))
		return;
	if (!t && !(t = l->touches = calloc(1, sizeof *t)))
		return;
	if (t->n == MOST)
		forget(t, 0);
	orr_type_keep(own->type);
	*touched_at(t, t->n++) = (struct touched){.win = win,
	                                          .process = process,
	                                          .own = *own,
	                                          .sum = sum,
	                                          .site = orr_core_site(),
	                                          .stack = stack_number()};
}

void orr_core_touches(uint32_t win, enum orr_rma_kind kind, int process, const struct orr_touch *t)
{
	link_enter();
	runs_tell(win, kind, process, t);
	if (link_state()->touches)
		overwritten_forget(link_state()->touches, &t[2]);
	keep(win, process, &t[1]);
	keep(win, process, &t[2]);
	link_leave();
}

void touches_end(uint32_t win, enum orr_win_sync what, int process)
{
	struct touches *t = link_state()->touches;
	int one = what == WIN_UNLOCK || what == WIN_FLUSH || what == WIN_FLUSH_LOCAL,
	    all = what == WIN_FENCE || what == WIN_COMPLETE || what == WIN_FREE;

	if (!t || !(one || all))
		return;
	for (uint32_t i = t->n; i-- > 0;) {
		const struct touched *p = touched_at(t, i);
		uint64_t sum;

		if (p->win != win || (one && process >= 0 && p->process != process))
			continue;
		// NOLINTNEXTLINE(performance-no-int-to-ptr)
		if (intact_sum((const void *)(uintptr_t)p->own.address, p->own.count, p->own.type,
		               &sum) &&
		    sum != p->sum)
			link_wrong(WIRE_WRONG_RMA, 0, p->site, p->stack);
		forget(t, i);
	}
}
