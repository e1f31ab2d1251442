/* again.c: see again.h. One slot per hash value: the latest event that has it. */
#include "again.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* An event between two of its members, as words. */
#define WORDS_SAME(a, b, from, to) \
	words_same(&(a)->from, &(b)->from, \
	           (offsetof(struct trace_event, to) - offsetof(struct trace_event, from)) / 8)
#define IS_WORDS(from, to) \
	((offsetof(struct trace_event, to) - offsetof(struct trace_event, from)) % 8 == 0)
static_assert(IS_WORDS(op, counts) && IS_WORDS(comm, members) && IS_WORDS(req, reqs),
              "what is compared as words");

static inline int words_same(const void *a, const void *b, size_t n)
{
	const char *p = a, *q = b;
	uint64_t differ = 0;

#pragma GCC unroll 16
	for (size_t i = 0; i < n; i++) {
		uint64_t x, y;

		memcpy(&x, p + 8 * i, sizeof x);
		memcpy(&y, q + 8 * i, sizeof y);
		differ |= x ^ y;
	}
	return differ == 0;
}

static uint32_t slot_of(const struct trace_event *ev)
{
	uint64_t h = ev->op ^ (uint64_t)(uint32_t)ev->peer << 8 ^
	             (uint64_t)(uint32_t)ev->tag << 24 ^ (uint64_t)ev->count << 40;

	h ^= (uint64_t)ev->req << 17 ^ ev->comm ^
	     (ev->n_reqs > 0 ? (uint64_t)ev->reqs[0] << 29 : 0);
	return (uint32_t)(h * UINT64_C(0x9e3779b97f4a7c15) >> 57);
}
static_assert(AGAIN_SLOTS == 1 << 7, "slot_of gives seven bits");

const struct again_slot *again_find(const struct again *a, const struct calls *c,
                                    const struct trace_event *ev)
{
	const struct again_slot *s = &a->slot[slot_of(ev)];

	if (s->number == 0 || ev->text || ev->n_remote != 0 ||
	    !WORDS_SAME(&s->ev, ev, op, counts) || !WORDS_SAME(&s->ev, ev, comm, members) ||
	    !WORDS_SAME(&s->ev, ev, req, reqs) || s->ev.line != ev->line)
		return NULL;
	if ((ev->n_counts | ev->n_counts2 | ev->n_reqs | ev->n_done) != 0 &&
	    !call_lists_same(c, &c->call[s->call], ev))
		return NULL;
	return s;
}

void again_keep(struct again *a, const struct calls *c, uint32_t call, uint32_t number,
                const struct trace_event *ev)
{
	struct again_slot *s = &a->slot[slot_of(ev)];

	if (c->call[call].open || ev->text || ev->n_members != 0 || ev->n_remote != 0)
		return;
	memcpy(&s->ev, ev, sizeof *ev); /* with its padding, which is compared */
	s->call = call;
	s->number = number;
}

void again_forget(struct again *a)
{
	memset(a, 0, sizeof *a);
}
