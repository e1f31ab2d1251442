/* cpu_runs.h: several real runs, a trace each, together. */
#ifndef ORRERY_CALIBRATE_CPU_RUNS_H
#define ORRERY_CALIBRATE_CPU_RUNS_H

#include "cpu.h"

struct cpu_run {
	const char *path, *volumes; /* volumes: another trace of it (cpu_add), or NULL */
	double working_set;         /* bytes of a process; 0: not told */
};
/* All zero at first. */
struct cpu_runs {
	struct cpu_rates rates;
	char *counter;  /* what counted the volumes; NULL: nobody says */
	double nominal; /* of volumes that were made of time: the rate of a computation that has a
	                   processor to itself; 0: they were counted */
};
/* Runs whose volumes were counted differently are refused. */
int cpu_runs_add(struct cpu_runs *all, const struct cpu_run *run, struct err *err);
void cpu_runs_release(struct cpu_runs *all);
/* What `orrery replay --rates FILE` reads. */
int cpu_runs_write(const struct cpu_runs *all, struct str *out, struct err *err);
/* What the user should know of these runs, a line each. */
void cpu_runs_notices(const struct cpu_runs *all, struct str *out);

#endif
