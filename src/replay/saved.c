/* saved.c: events of blocked operations that have something left to do, until that is done. */
#include "replay_int.h"

int event_save(struct replay *r, uint32_t rank, const struct trace_event *ev, enum after after,
               struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	uint32_t i = r->free_saved;

	if (i != ENTRY_NONE) {
		r->free_saved = (uint32_t)r->saved[i].place;
	} else {
		struct trace_event *p = vec_grow(r->saved, &r->cap_saved, sizeof *p,
		                                 (size_t)r->n_saved + 1, "events", err);

		if (!p)
			return -1;
		r->saved = p;
		i = r->n_saved++;
	}
	r->saved[i] = *ev;
	c->saved = i;
	c->after = (uint8_t)after;
	return 0;
}

struct trace_event event_take(struct replay *r, uint32_t rank)
{
	struct cursor *c = &r->cursor[rank];
	struct trace_event ev = r->saved[c->saved];

	r->saved[c->saved].place = r->free_saved;
	r->free_saved = c->saved;
	c->saved = ENTRY_NONE;
	c->after = AFTER_NOTHING;
	return ev;
}
