/* place.c: where a rank is in its trace, and errors that say so; how far the replay is. */
#include "replay_int.h"

const char *place_now(struct replay *r, uint32_t rank, char *buf, size_t n)
{
	return r->cursor[rank].ahead ? trace_place_of(r->trace, rank, r->cursor[rank].event, buf, n)
	                             : trace_place(r->trace, rank, buf, n);
}

const char *place_beside(struct replay *r, uint32_t rank, char *buf, size_t n)
{
	return r->cursor[rank].ahead ? place_now(r, rank, buf, n)
	                             : trace_place_beside(r->trace, rank, buf, n);
}

int replay_error(struct replay *r, uint32_t rank, struct err *err, const char *fmt, ...)
{
	char place[512];
	struct err inner = {0};
	va_list ap;

	va_start(ap, fmt);
	err_setv(&inner, ERR_INPUT, fmt, ap);
	va_end(ap);
	return err_set(err, ERR_INPUT, "%s: rank %u: %s", place_now(r, rank, place, sizeof place),
	               rank, inner.text);
}

void count_action(struct replay *r)
{
	r->actions++;
	if (r->options.progress)
		r->options.progress->done = r->actions;
}
