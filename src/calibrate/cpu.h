/* cpu.h: rates of computation from traces of real runs: by region of the program, by host, by size of problem. */
#ifndef ORRERY_CALIBRATE_CPU_H
#define ORRERY_CALIBRATE_CPU_H

#include "trace/trace.h"

/* What one trace (run) says of one region: volume per second. */
struct cpu_sample {
	uint32_t trace;
	uint64_t n;             /* computations */
	double volume, seconds; /* sums */
};
/* A region is what is computed between two places: call sites where the trace has them ("solve.c:120 to solve.c:140"), else the MPI functions on
 * both sides. A sample per trace. */
struct cpu_region {
	char *name;
	struct cpu_sample *sample;
	uint32_t n, cap;
};
struct cpu_host {
	char *name;
	double volume, seconds;
};
struct cpu_rates {
	struct cpu_region *region;
	uint32_t regions, regions_cap;
	struct cpu_host *host;
	uint32_t hosts, hosts_cap;
	uint32_t traces;
	double volume, seconds;
};
/* Adds a trace: its computations with both volume and duration. `hosts`: names by rank, comma-separated, or NULL. */
int cpu_add(struct cpu_rates *c, struct trace *t, const char *hosts, struct err *err);
void cpu_release(struct cpu_rates *c);
/* Rate of a region for computations of `volume` each: between the two traces whose mean volumes are around it, linearly in the logarithm of the
 * volume (a cache overflows somewhere between); beyond the ends, that of the end. */
double cpu_rate_at(const struct cpu_region *r, double volume);
void cpu_text(const struct cpu_rates *c, struct str *out);
void cpu_json(const struct cpu_rates *c, struct str *out);

#endif
