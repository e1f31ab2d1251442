/* cpu_int.h: sums of computations, for the fit of rates and the report of them. */
#ifndef ORRERY_CALIBRATE_CPU_INT_H
#define ORRERY_CALIBRATE_CPU_INT_H

#include "cpu.h"

/* A rate from cells, and what it does from run to run. */
struct tally {
	double apart, expected; /* s^2: of computations from what they should take; that */
	double volume, seconds, least, most, mean, square;
	uint64_t n;
	uint32_t runs;
	/* of the run that is being added up */
	uint32_t run;
	double run_volume, run_seconds;
};
void tally_add(struct tally *t, const struct cpu_cell *c); /* cells of a run follow each other */
void tally_run(struct tally *t);                           /* the last run is over */
double tally_deviation(const struct tally *t);             /* between runs, relative */

static inline int compare(double a, double b)
{
	return (a > b) - (a < b);
}
/* By region, working set, volume, run: all hosts together; for qsort, of struct cpu_cell. */
int cpu_by_row(const void *a, const void *b);

#endif
