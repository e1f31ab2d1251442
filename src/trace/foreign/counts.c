/* counts.c: computations of which a counter was read at both ends. A counter that goes back between
 * them was set anew, or the trace is damaged there: how much was counted is not known then, and is
 * taken to be as much a second as in the rank's other computations, which the first pass adds up;
 * in those of all ranks, where the rank has no other. */
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

int foreign_counted(struct foreign *f, uint32_t rank, double ns, int64_t counted, struct err *err)
{
	struct foreign_counts *c = &f->counts;
	const struct foreign_rate *r = is_known(&c->of[rank]) ? &c->of[rank] : &c->all;

	if (counted >= 0) {
		if (f->pass == 1) {
			rate_add(&c->of[rank], ns, (double)counted);
			rate_add(&c->all, ns, (double)counted);
		}
		return foreign_compute(f, rank, ns, (double)counted, err);
	}
	if (f->pass != 1 && ns >= 1 && c->back++ == 0)
		c->rank = rank;
	return foreign_compute(f, rank, ns, is_known(r) ? ns * (r->counted / r->ns) : -1, err);
}

int foreign_counts_note(struct foreign *f, struct err *err)
{
	const struct foreign_counts *c = &f->counts;

	if (c->back == 0)
		return 0;
	return foreign_note(f, err,
	                    "computations in which the counter goes back: %llu, the first in rank "
	                    "%u: it was set, or the trace is damaged there; %s",
	                    (unsigned long long)c->back, c->rank,
	                    is_known(&c->all)
	                        ? "they are taken to count as much a second as the rank's others"
	                        : "no other was counted: a nanosecond is taken for one");
}
