/* cpu.h: rates of computation from traces of real runs: by region of the program, by volume and
 * working set, by host. */
#ifndef ORRERY_CALIBRATE_CPU_H
#define ORRERY_CALIBRATE_CPU_H

#include "replay/replay.h"

/* What one run says of the computations of one region on one host whose volumes are within a factor
 * of two: sums. */
struct cpu_cell {
	int32_t region, host, bin; /* bin: exponent of two of the volume */
	uint32_t run;
	uint64_t n;
	double working_set, volume, seconds;
	double volume_2, seconds_2, both; /* squares and products of each computation's */
};
struct cpu_rates {
	struct rates names;    /* of regions and hosts */
	struct cpu_cell *cell; /* of the runs in order */
	uint32_t n, cap, runs;
	struct hash64 index; /* of the present run: region, host, bin -> cell */
	uint64_t unmatched;  /* computations of runs whose region the other run has not */
	double volume, seconds;
};
/* A region is what is computed between two call sites. Of traces without these it is what lies
 * between two MPI functions ("MPI_Send to MPI_Recv"): to look at, not to be replayed with. */
int cpu_region_is_site(const char *name);

/* Adds a run: its computations with both volume and duration. volumes: NULL, or another trace of
 * the same program and ranks, which says the volumes: computations are paired by region, in their
 * order (where their numbers differ: by their sums). hosts: names by rank, comma-separated, or
 * NULL. working_set: bytes, or 0. */
int cpu_add(struct cpu_rates *c, struct trace *t, struct trace *volumes, const char *hosts,
            double working_set, struct err *err);
void cpu_release(struct cpu_rates *c);
/* The rates, ready to be looked up and written; hosts individually if there are several. */
int cpu_fit(const struct cpu_rates *c, const char *counter, struct rates *out, struct err *err);
int cpu_text(const struct cpu_rates *c, struct str *out, struct err *err);
int cpu_json(const struct cpu_rates *c, struct str *out, struct err *err);

#endif
