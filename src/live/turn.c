/* turn.c: ranks that keep their turn for long: while one computes without a call of MPI, no time
 * passes for the others. One that waits in a loop for what another one puts into memory that they
 * share waits for ever so, and that looks like a long computation: it is told, with what the others
 * are in, in words that are right for both; sooner where the rank has a window. Told again when a
 * turn has lasted twice as long as the longest that was told, so that a program that computes for
 * long says little, and one that hangs says so whatever it has computed before.
 *
 * Likewise of a thread that looks for messages while another one of its rank computes: what
 * that one computes passes for the rank, and the next look waits until the other ranks have come as
 * far. One that only waits for the first to leave MPI computes for as long as that takes here, and
 * so on: the run would never end.
 *
 * Of coroutines it is the handler of a signal that calls this, in whatever the rank was doing:
 * nothing is allocated then. */
#include "live_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void turn_window(struct live *l, uint32_t rank, const struct wire_op *op)
{
	struct lrank *r = &l->rank[rank];

	if (op->kind == WIRE_WIN_MAKE) {
		r->windows++;
		r->window_site = op->site;
		r->window_call = r->calls;
	} else if (r->windows > 0) {
		r->windows--;
	}
}

/* Where the last of its windows was made. */
static void made(struct live *l, uint32_t rank, char *buf, size_t n)
{
	const struct lrank *r = &l->rank[rank];
	struct call_site s;

	if (!l->coros && site_find(l, rank, r->window_site, &s)) {
		n -= (size_t)snprintf(buf, n, "at ");
		site_name(&s, buf + 3, n);
	} else {
		snprintf(buf, n, "by its call %u of MPI", r->window_call);
	}
}

enum { OTHERS = 4 };
#define WINDOW_SHARE (1 / 3.0) /* a rank with a window is told of sooner */

static void add(char *text, size_t n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t n, const char *fmt, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + used, n - used, fmt, ap);
	va_end(ap);
}

/* What it has not done, and since when. */
static void silence(struct live *l, uint32_t rank, double seconds, char *text, size_t n)
{
	const struct lrank *r = &l->rank[rank];
	char where[300] = "";

	if (!r->inside && r->calls == 0) {
		snprintf(text, n, "has not called MPI_Init for %.0f s", seconds);
		return;
	}
	if (!l->coros)
		live_site_where(l, rank, r->c->site, 0, where, sizeof where);
	snprintf(text, n, "has computed for %.0f s without a call of MPI", seconds);
	if (*where)
		add(text, n, " since the one at %s", where);
	else
		add(text, n, " since its call %u", r->calls);
}

/* Its call, and where that is. Nothing: it may go on itself. */
static int other(struct live *l, uint32_t rank, char *text, size_t n)
{
	const char *call = mp_call_now(l->mp, rank);
	char name[WIRE_CALL_NAME], where[200] = "";

	if (!call)
		return 0;
	live_call(l, rank, name, sizeof name);
	if (!l->coros)
		live_where(l, rank, where, sizeof where);
	add(text, n, "rank %u is in %s%s%s", rank, *name ? name : call, *where ? " at " : "",
	    where);
	return 1;
}

static void others(struct live *l, uint32_t rank, char *text, size_t n)
{
	uint32_t waits = 0, told = 0;

	for (uint32_t i = 0; i < l->ranks; i++)
		waits += i != rank && mp_call_now(l->mp, i) != NULL;
	for (uint32_t i = 0; i < l->ranks && told < OTHERS; i++) {
		if (i == rank || !mp_call_now(l->mp, i))
			continue;
		add(text, n, told > 0 ? ", " : ": ");
		told += (uint32_t)other(l, i, text, n);
	}
	if (waits > told)
		add(text, n, ", and %u more wait", waits - told);
}

void turn_look(struct live *l, uint32_t rank, double seconds)
{
	const struct lrank *r = &l->rank[rank];
	char text[2048], where[600];

	if (seconds < l->o.told_after * (r->windows > 0 ? WINDOW_SHARE : 1) ||
	    seconds < l->turn_next || !l->o.keeps || mp_alive(l->mp) < 2)
		return;
	l->turn_next = 2 * seconds;
	silence(l, rank, seconds, where, sizeof where);
	snprintf(text, sizeof text, "rank %u on %s %s, and no time passes for the others meanwhile",
	         rank, live_host(l, rank), where);
	others(l, rank, text, sizeof text);
	if (r->windows > 0) {
		made(l, rank, where, sizeof where);
		add(text, sizeof text, "; it has %u window%s, the last one made %s", r->windows,
		    r->windows == 1 ? "" : "s", where);
	}
	add(text, sizeof text,
	    ". If it only computes, it takes as long as that takes. If it waits in a loop for what "
	    "another rank writes to memory or a file that they share, it waits for ever: call %s "
	    "in the loop (docs/run.md, \"Several ranks at once\")",
	    r->windows > 0 ? "MPI_Win_sync" : "sched_yield");
	l->o.keeps(l->o.self, text);
}

enum { BESIDE_SECONDS = 1 };

void turn_beside(struct live *l, uint32_t rank)
{
	double seconds = l->rank[rank].c->beside;
	char text[1024];

	if (l->beside_told || !(seconds >= BESIDE_SECONDS) || !l->o.keeps)
		return;
	l->beside_told = 1;
	snprintf(
	    text, sizeof text,
	    "rank %u on %s: other threads have computed for %.0f s while one looked for "
	    "messages. Those that only wait for it, by spinning, take time by that which they "
	    "would not take, and the run may never come to its end: --threads caller counts the "
	    "thread that calls MPI alone, and the trace of a real run has its own times "
	    "(docs/run.md, \"Threads\")",
	    rank, live_host(l, rank), seconds);
	l->o.keeps(l->o.self, text);
}
