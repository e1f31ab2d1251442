/* error.c: what is wrong with a rank: which, on which host, when, at which line. */
#include "live_int.h"

#include <stdarg.h>
#include <stdio.h>

const char *live_host(struct live *l, uint32_t rank)
{
	if (l->coros && l->o.host_name)
		return l->o.host_name(l->o.self, rank, l->host_text, sizeof l->host_text);
	return (const char *)wire_at(l->head, l->head->names) + (size_t)rank * WIRE_NAME;
}

int live_error(struct live *l, uint32_t rank, struct err *err, const char *fmt, ...)
{
	char text[1024], where[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	/* told where the search for the place does not end: a rank may have damaged our memory */
	err_set(err, ERR_PROGRAM, "rank %u on %s, at %.9g s: %s", rank, live_host(l, rank),
	        l->mp ? mp_now(l->mp) : 0.0, text);
	l->failed = 1;
	live_where(l, rank, where, sizeof where);
	return err_set(err, ERR_PROGRAM, "rank %u on %s, at %.9g s%s%s: %s", rank,
	               live_host(l, rank), l->mp ? mp_now(l->mp) : 0.0, *where ? ", " : "", where,
	               text);
}

const char *live_within(const struct live *l)
{
	return l->o.may_be_static ? "; if MPI is linked into it statically, no library can take "
	                            "its place: link it dynamically"
	                          : "";
}

int live_broken(struct live *l, uint32_t rank, struct err *err, const char *what)
{
	return live_error(l, rank, err,
	                  "an invalid operation came from its MPI library (%s): did the program "
	                  "write outside of its memory?",
	                  what);
}
