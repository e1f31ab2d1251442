/* ripple.c: when a change may end before it is nothing.
 *
 * Where each of hundreds of ranks sends messages of different sizes to all others at a time, the
 * end of one changes the level of nearly every link, most of them by some millionths. Exact rates
 * cost a term for each pair of links that share a flow, n² for n ranks, at each of n² ends. Nearly
 * all of it is spent on changes that nobody would notice.
 *
 * So in such a crowd a resource is left as it is where its level would change by at most a given
 * share of it (engine_set_ripples): the flows that it limits keep the level that they have, and it
 * gives out that much more than it has, or less. Its load stays the exact sum of what its flows
 * get, so that nothing adds up: what was left undone is part of the next difference, and when that
 * is more than the share, the resource is solved.
 *
 * Exact first. Ripples end early only once exact solves of this kind have cost some seconds, and
 * only where few flows begin and end at a date. Where many end together, as equal messages on a
 * regular network do, rates that are only nearly equal would make a date of each, which costs more
 * than it spares (a reduction of 256 ranks: five times the time). When some 200 solves in a row are
 * small, all is exact again; before it begins, small ones are not counted. What decides are counts,
 * so that the same input gives the same result. */
#include "engine_int.h"

enum {
	MEAN_OF = 64,         /* solves, about */
	LARGE = 4096,         /* uses of contended resources by open flows, in a solve */
	FEW_CHANGES = 16,     /* flows that begin and resources that lose one, at a date */
	EXACT_FIRST = 1 << 24 /* uses in large solves: 2 s */
};

static void ripples_end_at(struct engine *e, double share)
{
	e->ripple_end = share;
	e->tied = 1 + larger(SAME_LEVEL, share);
}

void engine_set_ripples(struct engine *e, double share, int at_once)
{
	e->ripples.share = share;
	e->ripples.at_once = at_once;
	ripples_end_at(e, at_once ? share : 0);
}

void ripples_learn(struct engine *e, uint32_t changes)
{
	struct ripples *r = &e->ripples;
	uint64_t uses = e->repair_uses;

	e->stats.rippled += e->ripple_end > 0;
	if (r->share == 0 || r->at_once)
		return;
	r->uses += ((double)uses - r->uses) / MEAN_OF;
	r->changes += (changes - r->changes) / MEAN_OF;
	if (r->changes > FEW_CHANGES || r->uses < RIPPLE_SMALL) {
		ripples_end_at(e, 0);
		return;
	}
	if (r->uses >= LARGE && r->exact < EXACT_FIRST)
		r->exact += uses;
	if (r->uses >= LARGE && r->exact >= EXACT_FIRST)
		ripples_end_at(e, r->share);
}
