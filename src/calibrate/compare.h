/* compare.h: a simulated run beside a real one of the same program: where they differ, and how much of it is a few strange calls. */
#ifndef ORRERY_CALIBRATE_COMPARE_H
#define ORRERY_CALIBRATE_COMPARE_H

#include "observe/observe.h"
#include "trace/trace.h"

/* Seconds in calls of one function, summed over ranks. Calls are matched one by one: the k-th of a function of a rank in both. */
struct compare_function {
	const char *name;
	uint64_t calls, real_calls; /* simulated, real */
	double simulated, real;
};
struct compare_rank {
	double simulated, real; /* end, from the end of MPI_Init */
	double outliers;        /* seconds by which its outliers were longer */
};
/* The run is cut where all ranks are equally far in their list of calls: phase i of COMPARE_PHASES ends with the calls up to (i + 1) / COMPARE_PHASES. */
enum { COMPARE_PHASES = 10, COMPARE_OUTLIERS = 20 };
struct compare_outlier {
	uint32_t rank;
	const char *function;
	uint64_t call; /* from 0, among the rank's calls of this function */
	double date;   /* real, from the end of MPI_Init */
	double simulated, real;
};
struct compare {
	uint32_t ranks;
	struct compare_rank *rank;
	struct compare_function *function;
	uint32_t functions, functions_cap;
	double simulated_phase[COMPARE_PHASES], real_phase[COMPARE_PHASES]; /* mean over ranks of the date at its end */
	double simulated, real;                                             /* the latest ranks */
	/* Calls longer than `threshold` beyond their simulated time. timeouts: those near 200 ms, TCP's least retransmission time-out. */
	double threshold;
	uint64_t outliers, timeouts;
	double outlier_seconds; /* beyond their simulated times, summed */
	double explained;       /* the most by which outliers made one rank later */
	struct compare_outlier worst[COMPARE_OUTLIERS];
	uint32_t n_worst;
};

/* real: a trace with measured durations (orrery trace). threshold: 0: 50 ms, and at least ten times the simulated time. The caller releases *c. */
int compare_make(struct recording *run, struct trace *real, double threshold, struct compare *c, struct err *err);
void compare_release(struct compare *c);
void compare_text(const struct compare *c, struct str *out);
void compare_json(const struct compare *c, struct str *out);

#endif
