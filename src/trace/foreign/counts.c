/* counts.c: computations of which a counter was read at both ends. A counter that goes back between
 * them was set anew, or the trace is damaged there: how much was counted is not known then, and is
 * taken to be as much a second as in the rank's other computations, which the first pass adds up;
 * in those of all ranks, where the rank has no other. The same holds of all computations of a rank
 * whose counter never moves, as it was not counted there. (What we wrote ourselves is as it says.)
 */
#include "foreign.h"

static void rate_add(struct foreign_rate *r, double ns, double counted)
{
	r->ns += ns;
	r->counted += counted;
}

static int is_known(const struct foreign_rate *r)
{
	return r->ns > 0 && r->counted > 0;
}

/* Ranks that count nothing say nothing of the others' rate. */
static void counted_add(struct foreign_counts *c, uint32_t rank, double ns, double counted)
{
	struct foreign_rate *r = &c->of[rank], added = {ns, counted};
	int known = is_known(r);

	rate_add(r, ns, counted);
	if (is_known(r)) {
		if (!known)
			added = *r;
		rate_add(&c->all, added.ns, added.counted);
	}
}

/* Its computations took time, and the counter counted nothing in any. */
static int is_still(const struct foreign *f, uint32_t rank)
{
	const struct foreign_rate *r = &f->counts.of[rank];

	return r->ns >= 1 && r->counted == 0 && !f->manifest;
}

int foreign_counted(struct foreign *f, uint32_t rank, double ns, int64_t counted, struct err *err)
{
	struct foreign_counts *c = &f->counts;
	const struct foreign_rate *r = is_known(&c->of[rank]) ? &c->of[rank] : &c->all;

	if (f->pass == 1 && counted >= 0)
		counted_add(c, rank, ns, (double)counted);
	if (counted >= 0 && (f->pass == 1 || !is_still(f, rank)))
		return foreign_compute(f, rank, ns, (double)counted, err);
	if (f->pass != 1 && counted < 0 && ns >= 1 && c->back++ == 0)
		c->rank = rank;
	return foreign_compute(f, rank, ns, is_known(r) ? ns * (r->counted / r->ns) : -1, err);
}

static const char *taken_for(const struct foreign *f, const char *known)
{
	return is_known(&f->counts.all) ? known : "no other was counted: volumes are nanoseconds";
}

static int back_note(struct foreign *f, struct err *err)
{
	const struct foreign_counts *c = &f->counts;

	return foreign_note(
	    f, err,
	    "computations in which the counter goes back: %llu, the first in rank %u: it was set, "
	    "or the trace is damaged there; %s",
	    (unsigned long long)c->back, c->rank,
	    taken_for(f, "they are taken to count as much a second as the rank's others"));
}

static int still_note(struct foreign *f, uint32_t ranks, uint32_t first, struct err *err)
{
	return foreign_note(
	    f, err, "ranks in which the counter never counts: %u, the first is rank %u: %s", ranks,
	    first, taken_for(f, "they are taken to count as much a second as the others"));
}

int foreign_counts_note(struct foreign *f, struct err *err)
{
	uint32_t still = 0, first = 0;

	for (uint32_t i = f->ranks; i-- > 0;)
		if (is_still(f, i)) {
			still++;
			first = i;
		}
	if ((f->counts.back > 0 || still > 0) && !is_known(&f->counts.all) && !f->manifest)
		f->counter = NULL;
	if (f->counts.back > 0 && back_note(f, err) < 0)
		return -1;
	return still > 0 ? still_note(f, still, first, err) : 0;
}
