/* orrery/analysis.h: handlers of your own for what is in a trace, as a shared object.
 *
 *   cc -shared -fPIC -I<prefix>/include -o mine.so mine.c
 *   orrery info TRACE --handlers /path/mine.so:arguments
 *
 * A compressed trace is not unfolded: a handler gets each call of its structure once for each rank,
 * with how often it is made there, so what takes long is as long as the structure. (Of another
 * trace, and where a call's parameters are not the same each time: each event by itself.) The
 * object defines
 *
 *   const struct orrery_analysis orrery_analysis_entry = {ORRERY_ANALYSIS_ABI,
 *   sizeof(struct orrery_analysis), "mine", begin, call, loop, end};
 *
 * Units: seconds, bytes, what the trace's volumes count. C and C++. The version changes only when
 * an old shared object would no longer work; new fields come at the ends. See examples/analysis. */
#ifndef ORRERY_ANALYSIS_H
#define ORRERY_ANALYSIS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_ANALYSIS_ABI 1u

struct orrery_analysis_call {
	const char *action;   /* "isend", as in docs/trace-format.md */
	const char *function; /* "MPI_Isend"; "" for a computation and the like */
	uint32_t rank, depth; /* depth: loops around it */
	uint64_t times;
	double bytes;            /* sent each time */
	double volume, seconds;  /* of all times */
	int32_t peer, tag, root; /* world rank, or negative: any (-1), MPI_PROC_NULL (-2) */
	uint64_t communicator;   /* 0: the world, 1: MPI_COMM_SELF */
	int64_t count, type_size;
	const char *file; /* of the call site, or NULL */
	int64_t line;
	int exact; /* 0: some of it is drawn from histograms */
};

struct orrery_analysis {
	uint32_t abi;
	size_t size;
	const char *name;
	/* NULL: it cannot begin. say: appends text to what Orrery prints; valid until end returns.
	 */
	void *(*begin)(uint32_t ranks, const char *arguments,
	               void (*say)(void *to, const char *text), void *to);
	/* The others return 0, or something else to stop. loop may be NULL: enters 1 before what is
	 * in a loop that is gone through so many times in all, 0 after it. */
	int (*call)(void *self, const struct orrery_analysis_call *c);
	int (*loop)(void *self, uint32_t rank, uint64_t times, int enters);
	int (*end)(void *self); /* always called after begin; gives back what begin made */
};

#ifdef __cplusplus
}
#endif

#endif
