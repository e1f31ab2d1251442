/* turn.c: ranks that keep their turn for long: while one computes without a call of MPI, no time
 * passes for the others. One that waits in a loop for what another's access puts into its window's
 * memory waits for ever so, and that looks like a long computation: who has a window is told of,
 * once in a run.
 *
 * Likewise of a thread that looks for messages while another one of its rank computes: what
 * that one computes passes for the rank, and the next look waits until the other ranks have come as
 * far. One that only waits for the first to leave MPI computes for as long as that takes here, and
 * so on: the run would never end.
 *
 * Of coroutines it is the handler of a signal that calls this, in whatever the rank was doing:
 * nothing is allocated then. */
#include "live_int.h"

#include <stdio.h>

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

void turn_look(struct live *l, uint32_t rank, double seconds)
{
	struct lrank *r = &l->rank[rank];
	char text[1024], where[300];

	if (l->turn_told || r->windows == 0 || !l->o.keeps || mp_alive(l->mp) < 2)
		return;
	l->turn_told = 1;
	made(l, rank, where, sizeof where);
	snprintf(text, sizeof text,
	         "rank %u on %s has computed for %.0f s without a call of MPI, and no time passes "
	         "for the others meanwhile; it has %u window%s, the last one made %s. If it waits "
	         "in a loop for what another rank puts there, it waits for ever: call MPI_Win_sync "
	         "in the loop (docs/run.md, \"Several ranks at once\")",
	         rank, live_host(l, rank), seconds, r->windows, r->windows == 1 ? "" : "s", where);
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
