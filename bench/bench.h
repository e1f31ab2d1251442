/* bench.h: what benchmarks share: processor time, and giving up. */
#ifndef ORRERY_BENCH_BENCH_H
#define ORRERY_BENCH_BENCH_H

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

#endif
