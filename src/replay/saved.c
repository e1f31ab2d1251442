/* saved.c: events of blocked operations that have something left to do, until that is done. */
#include "replay_int.h"

int event_save(struct replay *r, uint32_t rank, const struct trace_event *ev, enum after after,
               struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	uint32_t i = slots_take(&r->saved, err);

	if (i == ENTRY_NONE)
		return -1;
	*saved_at(r, i) = *ev;
	c->saved = i;
	c->after = (uint8_t)after;
	return 0;
}

struct trace_event event_take(struct replay *r, uint32_t rank)
{
	struct cursor *c = &r->cursor[rank];
	struct trace_event ev = *saved_at(r, c->saved);

	slots_give(&r->saved, c->saved);
	c->saved = ENTRY_NONE;
	c->after = AFTER_NOTHING;
	return ev;
}
