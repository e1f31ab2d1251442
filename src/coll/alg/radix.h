/* radix.h: a power of k out of any number of ranks (MPICH 4, recexchalgo.c), as fold.h
 * does it for k = 2. Of the first `grouped` ranks every k-th stays and the k-1 before it drop out;
 * a last group of fewer drops out in favour of the rank after them. Groups are ranges of ranks and
 * those who stay are numbered in order, so that combining by rising digits of numbers combines
 * ranges of ranks. */
#ifndef ORRERY_COLL_RADIX_H
#define ORRERY_COLL_RADIX_H

#include "coll/coll_int.h"

enum { RADIX_OUT = 0xffffffffu };
struct radix {
	uint32_t p, k, stay, out; /* stay = k^steps; out: who drop out */
	uint32_t steps, grouped;
};

static inline struct radix radix_of(uint32_t p, uint32_t k)
{
	struct radix r = {.p = p, .k = k < 2 ? 2 : k > p && p > 1 ? p : k, .stay = 1};
	while ((uint64_t)r.stay * r.k <= p) {
		r.stay *= r.k;
		r.steps++;
	}
	r.out = p - r.stay;
	r.grouped = (uint32_t)((uint64_t)r.out * r.k / (r.k - 1));
	return r;
}
/* Who has a rank's contribution: itself, or the one it drops out for. */
static inline uint32_t radix_keeper(const struct radix *r, uint32_t rank)
{
	if (rank >= r->grouped)
		return rank;
	uint32_t last = rank / r->k * r->k + r->k - 1;
	return last < r->grouped ? last : r->grouped;
}
static inline uint32_t radix_new(const struct radix *r, uint32_t rank)
{
	if (radix_keeper(r, rank) != rank)
		return RADIX_OUT;
	return rank < r->grouped ? rank / r->k : rank - r->out;
}
static inline uint32_t radix_old(const struct radix *r, uint32_t number)
{
	return number < r->grouped / r->k ? number * r->k + r->k - 1 : number + r->out;
}
/* How many ranks drop out for this one: those just before it. */
static inline uint32_t radix_kept(const struct radix *r, uint32_t rank)
{
	if (rank < r->grouped)
		return r->k - 1;
	return rank == r->grouped ? r->grouped % r->k : 0;
}
static inline uint32_t radix_power(const struct radix *r, uint32_t step)
{
	uint32_t d = 1;
	while (step--)
		d *= r->k;
	return d;
}
/* The other members of a number's group in a step, i = 0 … k-2, by rising digit. */
static inline uint32_t radix_partner(const struct radix *r, uint32_t number, uint32_t step,
                                     uint32_t i)
{
	uint32_t d = radix_power(r, step), mine = number / d % r->k, theirs = i < mine ? i : i + 1;
	return number - mine * d + theirs * d;
}

#endif
