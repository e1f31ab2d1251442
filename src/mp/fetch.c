/* fetch.c: what is needed next is fetched into the cache while something else is at work.
 *
 * What ranks have is spread over many arrays: requests, operations, traces, sums. Where ranks are
 * many these are larger than any cache, a rank is at work for less than a microsecond, and each of
 * some ten places that it then looks at takes a tenth of that or more to come from memory. Who is
 * next is known, though: by the ready queue, and nearly always by the event queue. Where its places
 * are is told by other places: they are fetched in steps, of ranks that are so far from their turn,
 * of events that are on such a level of the queue, that what a step asks for has come before the
 * next.
 *
 * Nothing depends on it but time: 65,536 ranks without contention took some 40 % longer without it
 * when ranks were fetched for one and two turns ahead, which is too near. */
#include "mp_int.h"

enum { NEAR = 3 };

static void fetch_op(const struct mp *mp, uint32_t rank)
{
	if (rank < mp->n_ranks && mp->ranks[rank].op != NONE)
		fetch(op_at(mp, mp->ranks[rank].op), sizeof(struct op));
}

/* The i-th rank that is ready, or the last one. */
static uint32_t ready_at(const struct mp *mp, uint32_t i)
{
	return mp->ready.rank[ready_place(mp, i < mp->ready.n ? i : mp->ready.n - 1)];
}

/* In three steps: the rank's record; what it is in, and where it is in its program; what it waits
 * for. */
void fetch_ready(const struct mp *mp)
{
	const uint32_t soon = ready_at(mp, NEAR), then = ready_at(mp, 2 * NEAR);
	const struct rank *r = &mp->ranks[soon];

	fetch(&mp->ranks[ready_at(mp, 3 * NEAR)], sizeof *r);
	fetch_op(mp, then);
	if (r->op != NONE && op_at(mp, r->op)->set.first < mp->n_reqs)
		fetch(&mp->reqs[op_at(mp, r->op)->set.first], sizeof *mp->reqs);
	if (mp->program.soon)
		mp->program.soon(mp->program.self, soon, then);
	for (uint32_t i = 0; i < mp->observers.n; i++)
		if (mp->observers.at[i].soon)
			mp->observers.at[i].soon(mp->observers.at[i].self, soon, then);
}

/* A message that ends, in three steps: the request; who sends it, who takes it; what they are in,
 * once more when it is next. */
static void fetch_request(const struct mp *mp, uint32_t send)
{
	fetch(&mp->reqs[send], sizeof *mp->reqs);
}

static void fetch_ends(const struct mp *mp, uint32_t send)
{
	const struct req *q = &mp->reqs[send];

	fetch(&mp->ranks[q->rank], sizeof *mp->ranks);
	if (q->peer < mp->n_ranks)
		fetch(&mp->ranks[q->peer], sizeof *mp->ranks);
	if (q->mate < mp->n_reqs)
		fetch(&mp->reqs[q->mate], sizeof *q);
}

static void fetch_ops(const struct mp *mp, uint32_t send)
{
	fetch_op(mp, mp->reqs[send].rank);
	fetch_op(mp, mp->reqs[send].peer);
}

void fetch_events(const struct mp *mp)
{
	static void (*const step[ENGINE_LIKELY])(const struct mp *mp, uint32_t send) = {
	    fetch_ops, fetch_ops, fetch_ends, fetch_request};
	uint64_t user[ENGINE_LIKELY];
	int n = engine_likely(mp->engine, user);

	for (int i = 0; i < n; i++) {
		uint32_t slot = (uint32_t)user[i];
		if (user[i] >> 32 == EVENT_RANK && slot < mp->n_ranks)
			fetch(&mp->ranks[slot], sizeof *mp->ranks);
		if (user[i] >> 32 == EVENT_MESSAGE && slot < mp->n_reqs)
			step[i](mp, slot);
	}
}
