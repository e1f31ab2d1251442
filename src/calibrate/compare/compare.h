/* compare.h: a simulated run beside a real one of the same program: where they differ, and how much
 * of it is a few strange calls. Or two simulated runs beside each other. */
#ifndef ORRERY_CALIBRATE_COMPARE_H
#define ORRERY_CALIBRATE_COMPARE_H

#include "observe/observe.h"
#include "trace/trace.h"

/* Seconds in calls of one function, summed over ranks. Calls are matched one by one: the k-th of a
 * function of a rank in both. */
struct compare_function {
	const char *name;
	uint64_t calls, real_calls; /* simulated, real */
	double simulated, real;
	double outliers; /* s by which its outliers were longer than usual */
};
struct compare_rank {
	double simulated, real; /* end, from the end of MPI_Init */
	double outliers;
};
/* The run is cut where all ranks are equally far in their list of calls: phase i of COMPARE_PHASES
 * has the calls from i / COMPARE_PHASES on. */
enum { COMPARE_PHASES = 10, COMPARE_OUTLIERS = 20, COMPARE_CHANGES = 20 };
struct compare_phase {
	double simulated, real; /* s from its beginning to its end, mean over ranks */
	double outliers;        /* mean over ranks */
};
struct compare_outlier {
	uint32_t rank;
	const char *function;
	uint64_t call; /* from 0, among the rank's calls of this function */
	double date;   /* real, from the end of MPI_Init */
	double simulated, real;
	double beyond; /* s longer than simulated, and than is usual for such calls */
	uint32_t event;
};
/* Outliers that end together, at one date within the threshold, are one event: the others waited
 * for the longest. Events by how long that was: lengths that TCP's time-outs have, if the events
 * gather there, and all others. */
enum compare_length {
	LENGTH_TIMEOUT,       /* some 200 ms: the least retransmission time-out */
	LENGTH_TWO_TIMEOUTS,  /* two, one after the other, in one call */
	LENGTH_TIMEOUT_TWICE, /* 200 and, doubled, 400 ms: lost once more */
	LENGTH_SETUP,         /* 1 s: the first packet of a connection */
	LENGTH_OTHER,
	LENGTH_COMPUTATION, /* of any length: no packet was waited for */
	LENGTHS
};
struct compare_event_kind {
	uint64_t events, calls;
	double least, most; /* s */
	double seconds;     /* summed over events */
};
/* Of two simulated runs: a call that takes another time in the second. */
struct compare_change {
	uint32_t rank;
	const char *function;
	uint64_t call;        /* as of an outlier */
	double date;          /* in the first, from the end of MPI_Init */
	double first, second; /* s */
};
const char *compare_length_text(enum compare_length l);

struct compare {
	uint32_t ranks;
	struct compare_rank *rank;
	struct compare_function *function;
	uint32_t functions, functions_cap;
	struct compare_phase phase[COMPARE_PHASES];
	double simulated, real; /* the latest ranks */
	uint32_t last;          /* the rank that ends last in the real run */
	uint64_t matched;       /* calls that both runs have */
	uint64_t untimed;       /* real calls of which no duration is known: not compared */
	double threshold;       /* s */
	struct compare_outlier *outlier; /* by ascending `beyond`, backwards: the longest first */
	uint64_t outliers, events;
	double outlier_seconds; /* `beyond`, summed */
	double explained;       /* of `last`: what its own outliers made it later */
	struct compare_event_kind kind[LENGTHS];
	/* those that differ most, the most first; of how many that differ at all */
	struct compare_change change[COMPARE_CHANGES];
	uint64_t changes;
};

/* real: a trace with measured durations (orrery trace). threshold: s that a call takes longer than
 * simulated, and than is usual for calls of its function and simulated duration, to be strange; 0:
 * 50 ms. The caller releases *c. */
int compare_make(struct recording *run, struct trace *real, double threshold, struct compare *c,
                 struct err *err);
/* Two recordings: *c has the first as `real` and the second as `simulated`, no outliers, and the
 * calls that changed. */
int compare_runs(struct recording *first, struct recording *second, struct compare *c,
                 struct err *err);
void compare_release(struct compare *c);
void compare_text(const struct compare *c, struct str *out);
void compare_json(const struct compare *c, struct str *out);
/* Of two recordings, with what was run otherwise in the second: machine, settings, …. */
void compare_runs_text(const struct compare *c, const struct recording *first,
                       const struct recording *second, struct str *out);
void compare_runs_json(const struct compare *c, const struct recording *first,
                       const struct recording *second, struct str *out);

#endif
