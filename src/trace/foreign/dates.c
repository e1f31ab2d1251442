/* dates.c: what no format of another tool has a checksum for, and can yet be noticed: dates of a
 * rank that go back, and one computation that is longer than all others are by far. A digit that
 * was changed in a date makes one of these, or both. They are said and not refused: clocks are set
 * while programs run, and a program may have one long computation. */
#include "foreign.h"

enum {
	BACK_LEAST = 1000,  /* ns; clocks of processors differ by less */
	OTHERS_LEAST = 100, /* computations: fewer say nothing of what is usual */
	FAR = 1000          /* times all others of all ranks together */
};

void foreign_date(struct foreign *f, uint32_t rank, double ns)
{
	struct foreign_dates *d = &f->dates;
	double last = d->last[rank];

	d->last[rank] = ns;
	if (f->pass == 1 || !(last - ns >= BACK_LEAST))
		return;
	if (d->back++ == 0) {
		d->rank = rank;
		d->from = last;
		d->to = ns;
	}
}

void foreign_dates_begin(struct foreign *f)
{
	double *last = f->dates.last;

	f->dates = (struct foreign_dates){.last = last};
	for (uint32_t i = 0; i < f->ranks; i++)
		last[i] = -HUGE_VAL;
}

void foreign_computed(struct foreign *f, uint32_t rank, double ns)
{
	struct foreign_dates *d = &f->dates;

	if (f->pass == 1)
		return;
	d->computed++;
	d->others += ns > d->longest ? d->longest : ns;
	if (ns > d->longest) {
		d->longest = ns;
		d->longest_rank = rank;
	}
}

int foreign_is_far(const struct foreign_dates *d)
{
	return d->computed > OTHERS_LEAST && d->longest > FAR * d->others;
}
