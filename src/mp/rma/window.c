/* window.c: windows: made, found, let go. The calls on them: epoch.c, access.c.
 *
 * A window is the first of its communicator that this rank has not made yet: all members make them
 * in the same order. So those that a member has made are the first of the list, up to one that the
 * communicator knows by member; what is made or let go costs the same beside however many. */
#include "mp/coll/collective.h"
#include "mp/comm/comm.h"
#include "mp/setup/comm_setup.h"
#include "rma.h"
#include "rma_int.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t windows_left(const struct mp *mp, uint32_t *first)
{
	uint32_t i, k, n = 0;

	for (i = 0; i < mp->rma.windows.n; i++) {
		const struct window *w = window_at(mp, i);

		for (k = 0; w->side && k < w->n && w->side[k].left; k++)
			;
		if (w->side && k < w->n && n++ == 0)
			*first = i;
	}
	return n;
}

const char *window_where(const struct mp *mp, uint32_t win, char *buf, size_t n)
{
	const struct window *w = window_at(mp, win);
	char where[WHERE_MAX];

	snprintf(buf, n, "made by rank %u (its %s)", w->maker,
	         where_text(mp, w->maker, w->event, where, sizeof where));
	return buf;
}

void window_release(struct window *w)
{
	for (uint32_t k = 0; w->side && k < w->n; k++) {
		free(w->side[k].touched);
		free(w->side[k].group);
		free(w->side[k].notified);
	}
	free(w->side);
	w->side = NULL;
}

int window_get(struct mp *mp, uint32_t rank, struct mp_win win, uint32_t *member, struct err *err)
{
	struct window *w = win.v < mp->rma.windows.n ? window_at(mp, win.v) : NULL;
	int32_t place = w && w->side ? comm_place(comm_at(mp, w->comm), rank) : -1;

	if (place < 0 || !w->side[place].joined || w->side[place].left)
		return mp_error(mp, rank, err, "window %u was not made by this rank, or is freed",
		                win.v);
	*member = (uint32_t)place;
	return 0;
}

int window_target(struct mp *mp, uint32_t rank, const struct window *w, int32_t world,
                  uint32_t *out, struct err *err)
{
	int32_t place = world < 0 ? -1 : comm_place(comm_at(mp, w->comm), (uint32_t)world);

	if (place < 0)
		return mp_error(mp, rank, err, "rank %d is not in this window's communicator",
		                world);
	*out = (uint32_t)place;
	return 0;
}

static int window_over(const struct window *w)
{
	return w->left == w->n && w->live == 0;
}

void window_lessen(struct mp *mp, uint32_t id)
{
	struct window *w = window_at(mp, id);
	struct comm *c = comm_at(mp, w->comm);

	if (w->ended || !window_over(w))
		return;
	w->ended = 1;
	w->ended_next = c->windows_ended;
	c->windows_ended = id + 1;
}

static void window_append(struct mp *mp, struct comm *c, uint32_t id)
{
	struct window *w = window_at(mp, id);

	w->previous = c->windows_last;
	*(w->previous ? &window_at(mp, w->previous - 1)->next : &c->windows) = id + 1;
	c->windows_last = id + 1;
}

static void window_unlink(struct mp *mp, struct comm *c, uint32_t id)
{
	const struct window *w = window_at(mp, id);

	*(w->previous ? &window_at(mp, w->previous - 1)->next : &c->windows) = w->next;
	*(w->next ? &window_at(mp, w->next - 1)->previous : &c->windows_last) = w->previous;
	for (uint32_t k = 0; k < w->n; k++)
		if (c->windows_made[k] == id + 1)
			c->windows_made[k] = w->previous;
}

/* Those of a communicator that all have freed are no more: 1 if it has none left. One that has
 * messages under way again comes back with the last of them. */
static int windows_settle(struct mp *mp, uint32_t comm)
{
	struct comm *c = comm_at(mp, comm);
	uint32_t id;

	while (c->windows_ended != 0) {
		struct window *w = window_at(mp, id = c->windows_ended - 1);

		c->windows_ended = w->ended_next;
		w->ended = 0;
		if (!window_over(w))
			continue;
		window_unlink(mp, c, id);
		window_release(w);
		slots_give(&mp->rma.windows, id);
	}
	return c->windows == 0;
}

/* What a communicator knows by member, made with its first window. */
static int windows_prepare(struct comm *c, struct err *err)
{
	c->let_go = windows_settle;
	if (!c->windows_made && !(c->windows_made = calloc(c->n, sizeof *c->windows_made)))
		return err_nomem(err, "windows of a communicator", c->n * sizeof *c->windows_made);
	return 0;
}

static uint32_t window_new(struct mp *mp, uint32_t rank, uint32_t comm, struct err *err)
{
	struct comm *c = comm_at(mp, comm);
	uint32_t n = c->n, i, id;
	struct win_side *side = calloc(n, sizeof *side);

	if (!side) {
		err_nomem(err, "a window", n * sizeof *side);
		return NONE;
	}
	windows_settle(mp, comm); /* the slot of one that is no more, or a new one */
	id = slots_take(&mp->rma.windows, err);
	if (id == NONE) {
		free(side);
		return NONE;
	}
	for (i = 0; i < n; i++)
		side[i].first = side[i].queue = NONE;
	*window_at(mp, id) = (struct window){
	    .comm = comm, .n = n, .side = side, .maker = rank, .event = event_of(mp, rank)};
	window_append(mp, c, id);
	return id;
}

int mp_win_make(struct mp *mp, uint32_t rank, struct mp_comm comm, struct mp_win *out,
                struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {.alg = window_setup(mp), .call = CALL_WIN};
	struct comm *c = comm_get(mp, rank, comm, err);
	uint32_t place, made, at;

	if (!c)
		return MP_ERROR;
	if (c->split)
		return mp_error(mp, rank, err, "a window on an intercommunicator");
	if (windows_prepare(c, err) < 0)
		return MP_ERROR;
	place = (uint32_t)comm_place(c, rank);
	made = c->windows_made[place];
	at = made ? window_at(mp, made - 1)->next : c->windows;
	out->v = at ? at - 1 : window_new(mp, rank, comm.v, err);
	if (out->v == NONE)
		return MP_ERROR;
	window_at(mp, out->v)->side[place].joined = 1;
	c->windows_made[place] = out->v + 1;
	return coll_begin(mp, rank, comm, &args, 0, &form, err);
}

uint32_t window_side(const struct mp *mp, const struct op *op)
{
	return (uint32_t)comm_place(comm_at(mp, window_at(mp, op->cursor)->comm), op->rank);
}
