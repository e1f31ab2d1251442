/* noise_int.h: detours. */
#ifndef ORRERY_MP_NOISE_NOISE_INT_H
#define ORRERY_MP_NOISE_NOISE_INT_H

#include "noise.h"

/* detours.c: what the operating system takes from computations; part of noise.c. */
enum { DETOURS_MOST = 8 };
struct detour {
	double rate, median, sigma; /* per second; s; of the logarithm of lengths */
	double mean, variance;      /* of a length */
};
struct detours {
	struct detour random[DETOURS_MOST];
	double period[DETOURS_MOST], length[DETOURS_MOST];
	int n_random, n_periodic;
	double share; /* of the time, on average */
	double late_median, late_sigma,
	    late_mean; /* how late a sleep ends, log-normal; s; 0: in time */
};
int detours_read(struct mp *mp, struct detours *d, struct err *err);
/* How long a computation takes that begins now and takes `seconds` on average. phase: a date of a
 * tick of each periodic detour. */
double detours_lengthen(const struct detours *d, struct rng *stream, const double *phase,
                        double now, double seconds);
/* How late a sleep ends, s. */
double detours_late(const struct detours *d, struct rng *stream);

#endif
