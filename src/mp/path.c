/* path.c: what a date depended on, in sums: of the critical path (Yang and Miller, 1988) the
 * seconds in which ranks computed, and slept.
 *
 * Going back from a date: a rank's own time, until it had waited; from the end of the wait on back
 * what it waited for, a message, to the date at which that was let go; then who let it go. Here it
 * is done going forward: each rank has the sums of its path up to now, and what is under way those
 * of whom let it go. A rank that goes on after a wait has those of what ended it. So nothing is
 * kept of a run but two figures for each rank, and for each message under way.
 *
 * Who lets something happen is the rank that runs; where none does, what ends: a message, a
 * collective that is decided as a whole, an access to a file (mp->path). So it is for messages that
 * a collective in the background sends when another has come, for a lock that is granted when one
 * is given back, for what follows on a connection. Who waits for several things goes on after the
 * last.
 *
 * Invariants
 *  1. While a rank executes, the date at which it began is taken from what it has computed. Nobody
 *     asks for that then.
 *  2. Dates depend on nothing here. */
#include "mp_int.h"

void path_executes(struct mp *mp, uint32_t rank)
{
	mp->ranks[rank].path.computed -= engine_now(mp->engine);
	mp->ranks[rank].executing = 1;
}

void path_executed(struct mp *mp, uint32_t rank)
{
	mp->ranks[rank].path.computed += engine_now(mp->engine);
	mp->ranks[rank].executing = 0;
}

void path_slept(struct mp *mp, uint32_t rank, double seconds)
{
	mp->ranks[rank].path.slept += seconds;
}

void path_ends(struct mp *mp, uint32_t rank)
{
	if (engine_now(mp->engine) > mp->stats.end)
		mp->last = mp->ranks[rank].path;
}

/* What happened last before ranks wait for what does not come: a rank ended, or began to wait, or
 * something ended that nobody waits for. */
static struct mp_path stuck_path(const struct mp *mp)
{
	struct mp_path path = mp->last;
	double latest = mp->stats.end;

	for (uint32_t i = 0; i < mp->n_ranks; i++) {
		const struct op *op = mp->ranks[i].op == NONE ? NULL : op_at(mp, mp->ranks[i].op);
		double since = !op ? 0 : op->wait_since > op->since ? op->wait_since : op->since;

		if (since > latest) {
			latest = since;
			path = mp->ranks[i].path;
			if (mp->ranks[i].executing) /* on a host that is off */
				path.computed += engine_now(mp->engine);
		}
	}
	return latest < engine_now(mp->engine) ? mp->path : path;
}

void mp_path(const struct mp *mp, struct mp_path *out)
{
	*out = mp->report.deadlocked ? stuck_path(mp) : mp->last;
}
