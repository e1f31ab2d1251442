/* sum2.h: a running sum that does not drift. Terms are added and taken away millions of times; a
 * plain double would wander by an ulp of the largest partial sum each time, and what is left of a
 * capacity is a small difference of large sums. The error of each addition is kept beside the sum
 * (two-sum, Knuth TAOCP 4.2.2), so that the value is that of the exact sum of its terms,
 * rounded. */
#ifndef ORRERY_ENGINE_SUM2_H
#define ORRERY_ENGINE_SUM2_H

#include "pair.h"

struct sum2 {
	double hi, lo;
};

static inline void sum2_add(struct sum2 *s, double v)
{
	double t = s->hi + v;
	double b = t - s->hi;
	s->lo += (s->hi - (t - b)) + (v - b);
	s->hi = t;
}

static inline double sum2_value(const struct sum2 *s)
{
	return s->hi + s->lo;
}

/* Two such sums side by side, for one addition of two numbers in vector registers. */

struct sum2x2 {
	pair hi, lo;
};

static inline void sum2x2_add(struct sum2x2 *s, pair v)
{
	pair t = s->hi + v;
	pair b = t - s->hi;
	s->lo += (s->hi - (t - b)) + (v - b);
	s->hi = t;
}

static inline double sum2x2_value(const struct sum2x2 *s, int i)
{
	return s->hi[i] + s->lo[i];
}

#endif
