/* intact.c: with --checks: while a send, a receive or a collective is under way, the program may
 * change nothing in what it sends, and in what it receives nobody may but MPI (MPI 4.0, 3.7.2,
 * 6.12). A sum of the bytes is taken when it begins, and when it is complete, before any data are
 * put there. So what one receive puts into the buffer of another is seen too. What is not seen:
 * looks at a receive buffer, and changes that leave the bytes as they were. Buffers in folded
 * memory, which all ranks change, are not looked at, nor are receive buffers that are no memory as
 * a whole: MPI may not mind, as long as the message is shorter. */
#include "intact.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coll.h"
#include "objects/core.h"
#include "p2p.h"
#include "stack.h"

struct intact {
	uint64_t sum, site; /* where it began, */
	uint32_t stack;     /* and a number of stack.c */
};

/* --- sums --- */

struct sum {
	const char *buf;
	uint64_t value;
};

static uint64_t mixed(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
	return sum ^ sum >> 32;
}

static int run_add(void *self, int64_t disp, int64_t bytes)
{
	struct sum *s = self;
	const char *p = s->buf + disp;
	uint64_t word;

	for (; bytes >= (int64_t)sizeof word; bytes -= (int64_t)sizeof word, p += sizeof word) {
		memcpy(&word, p, sizeof word);
		s->value = mixed(s->value, word);
	}
	word = 0;
	memcpy(&word, p, (size_t)bytes);
	s->value = mixed(s->value, word);
	return 0;
}

/* Whether all pages are mapped; where the kernel does not say it, none. */
static int is_memory(uintptr_t from, uintptr_t to)
{
	enum { PAGES = 1024 };
	unsigned char there[PAGES];
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t n;

	for (from -= from % page; from < to; from += n) {
		n = to - from < PAGES * page ? to - from : PAGES * page;
		if (mincore((void *)from, n, there) < 0) // NOLINT(performance-no-int-to-ptr)
			return 0;
	}
	return 1;
}

/* 0: it is not looked at. */
static int buffer_add(struct sum *s, const void *buf, MPI_Count count, struct orr_type *type,
                      int receives)
{
	int64_t bytes = count * type->size, low, high; /* it was looked at: orr_type_bytes */

	if (bytes <= 0)
		return 1;
	if (!orr_type_reach(type, count, &low, &high) ||
	    (receives &&
	     !is_memory((uintptr_t)buf + (uintptr_t)low, (uintptr_t)buf + (uintptr_t)high)))
		return 0;
	s->buf = buf;
	return orr_walk(type, count, 0, bytes, run_add, s) == 0;
}

static int plan_add(struct sum *s, const struct coll_plan *p)
{
	uint32_t n = p->n_send + (p->keeps && !p->fills ? 0 : p->n_recv);
	int looked = 1;

	for (uint32_t i = 0; i < n && looked; i++)
		looked = !p->piece[i].type || buffer_add(s, p->piece[i].buf, p->piece[i].count,
		                                         p->piece[i].type, i >= p->n_send);
	return looked;
}

static int sum_of(const struct orr_request *r, uint64_t *sum)
{
	struct sum s = {0};
	int looked = 0;

	if (r->kind == REQUEST_COLL)
		looked = plan_add(&s, r->plan);
	else if (r->kind == REQUEST_SEND || r->kind == REQUEST_RECV)
		looked = r->buf && !r->buffered &&
		         buffer_add(&s, r->buf, r->count, r->type, r->kind == REQUEST_RECV);
	*sum = s.value;
	return looked;
}

int intact_sum(const void *buf, MPI_Count count, struct orr_type *type, uint64_t *sum)
{
	struct sum s = {0};
	int looked = buffer_add(&s, buf, count, type, 0);

	*sum = s.value;
	return looked;
}

/* --- begin and end --- */

int intact_watches(void)
{
	return link_state()->head->checks && !link_memory();
}

void intact_begin(struct orr_request *r)
{
	uint64_t sum;

	if (!intact_watches() || !sum_of(r, &sum))
		return;
	r->was = malloc(sizeof *r->was);
	if (r->was)
		*r->was = (struct intact){sum, orr_core_site(), stack_number()};
}

static enum wire_wrong_kind wrong_of(const struct orr_request *r)
{
	return r->kind == REQUEST_COLL   ? WIRE_WRONG_COLL
	       : r->kind == REQUEST_RECV ? WIRE_WRONG_RECV
	                                 : WIRE_WRONG_SEND;
}

void intact_end(struct orr_request *r)
{
	struct intact *was = r->was;
	uint64_t sum;

	if (!was)
		return;
	r->was = NULL;
	if (sum_of(r, &sum) && sum != was->sum)
		link_wrong(wrong_of(r), r->kind == REQUEST_COLL ? r->plan->w.kind : 0, was->site,
		           was->stack);
	free(was);
}
