/* fetch.c: what is needed next is fetched into the cache while something else is at work.
 *
 * What ranks have is spread over many arrays: requests, operations, traces, sums. Where ranks are
 * many these are larger than any cache, a rank is at work for less than a microsecond, and each of
 * some ten places that it then looks at takes a tenth of that to come from memory. Who is next is
 * known, though: by the ready queue, and nearly always by the event queue. Where its places are is
 * told by other places; those are fetched for the one behind the next.
 *
 * Nothing depends on it but time: 65,536 ranks without contention take some 40 % longer without. */
#include "mp_int.h"

enum { LINE = 64 };

static inline void fetch(const void *p, size_t n)
{
	for (size_t at = 0; at < n; at += LINE)
		__builtin_prefetch((const char *)p + at, 1);
}

/* The third in the queue, whose record says what it is in. */
static void fetch_third(const struct mp *mp, uint32_t rank)
{
	const struct rank *r = &mp->ranks[rank];

	if (r->next != NONE)
		fetch(&mp->ranks[r->next], sizeof *r);
	if (r->op != NONE)
		fetch(op_at(mp, r->op), sizeof(struct op));
}

void fetch_rank(const struct mp *mp, uint32_t next)
{
	const struct rank *r = &mp->ranks[next];
	uint32_t then = r->next;

	if (then != NONE)
		fetch_third(mp, then);
	if (r->op != NONE && op_at(mp, r->op)->set.first < mp->n_reqs)
		fetch(&mp->reqs[op_at(mp, r->op)->set.first], sizeof *mp->reqs);
	if (mp->program.soon)
		mp->program.soon(mp->program.self, next, then);
	for (uint32_t i = 0; i < mp->observers.n; i++)
		if (mp->observers.at[i].soon)
			mp->observers.at[i].soon(mp->observers.at[i].self, next, then);
}

/* A message that ends, in three steps: the request; who sends it, who takes it; what they are in.
 */
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

static void fetch_op(const struct mp *mp, uint32_t rank)
{
	if (rank < mp->n_ranks && mp->ranks[rank].op != NONE)
		fetch(op_at(mp, mp->ranks[rank].op), sizeof(struct op));
}

static void fetch_ops(const struct mp *mp, uint32_t send)
{
	fetch_op(mp, mp->reqs[send].rank);
	fetch_op(mp, mp->reqs[send].peer);
}

void fetch_events(const struct mp *mp)
{
	static void (*const step[])(const struct mp *mp, uint32_t send) = {fetch_ops, fetch_ends,
	                                                                   fetch_request};
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
