/* coro_end.c: who runs, what it has of its own, and how it ends: what all that a rank calls stands
 * on. */
#include "coro_int.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct coros *coros_now;

_Noreturn void coro_ends(enum coro_state how, int code, const char *reason)
{
	struct coros *c = coros_now;
	struct coro *r = coro_now();
	char text[CORO_REASON];

	if (*coro_tls_thread()) {
		snprintf(text, sizeof text, "exited with code %d", code);
		c->thread_dies(r, how == CORO_KILLED ? reason : text);
	}
	r->phase = (uint8_t)how;
	r->code = code;
	if (how == CORO_KILLED)
		snprintf(c->reason, sizeof c->reason, "%s", reason);
	for (;;)
		coro_switch(&r->sp, c->sp);
}

struct own *own_now(void)
{
	struct coro *r = coro_now();

	if (!r->own)
		r->own = calloc(1, sizeof *r->own);
	if (!r->own)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for its state");
	return r->own;
}
