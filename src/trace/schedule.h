/* schedule.h: a GOAL schedule as it is: operations of each rank, and what each waits for, in
 * memory. What simulates it as a graph (src/schedule) needs no order among a rank's operations;
 * trace_open makes a sequence of the same file, for whoever wants events. */
#ifndef ORRERY_TRACE_SCHEDULE_H
#define ORRERY_TRACE_SCHEDULE_H

#include "base/base.h"

#include <assert.h>

enum schedule_kind { SCHEDULE_SEND = 1, SCHEDULE_RECV, SCHEDULE_CALC };
enum { SCHEDULE_NONE = 0xffffffffu };

/* 40 bytes. `date` is whose who simulates it, and `next` or `path` once it waits for nothing. What
 * waits for it is the edges from `out` to the next operation's, those for its start first. */
struct schedule_op {
	int64_t size;  /* bytes; of a computation ns */
	uint64_t date; /* 0 */
	uint32_t out;
	union {
		uint32_t waits; /* for so many operations */
		uint32_t next;
		uint32_t path;
	};
	uint32_t rank;
	int32_t peer, tag;      /* of a receive TRACE_ANY (-1): any */
	uint8_t kind, cpu, nic; /* cpu, nic: the rank's processor and interface */
};
static_assert(sizeof(struct schedule_op) == 40, "there may be a billion");
static inline uint32_t schedule_outs(const struct schedule_op *op)
{
	return op[1].out - op->out;
}

/* An edge: the rank's operation that waits, and whether for the start or for the end. */
static inline uint32_t schedule_edge(uint32_t to, int start)
{
	return to << 1 | (uint32_t)start;
}

struct trace_schedule {
	struct schedule_op *op; /* of rank 0 in the order of the file, of rank 1, …; one more */
	uint32_t n_ops, ops_cap;
	uint32_t *edge;
	uint32_t n_edges, edges_cap;
	uint32_t *first; /* of each rank its first operation; then n_ops */
	uint32_t ranks;
	uint32_t cpus, nics; /* of a rank: the highest number, plus one */
	uint8_t any;         /* a receive takes messages of any source or tag */
	double computing;    /* ns of all computations */
	struct str notices;  /* what the user should know, lines */
};

/* Reads a GOAL file, text or binary. 1: *out is the schedule, to be released; 0: it is no GOAL
 * file, or one that trace_open is to read, and to say what is wrong with it; -1: memory. */
int trace_schedule_read(const char *path, struct trace_schedule *out, struct err *err);
void trace_schedule_release(struct trace_schedule *s);

#endif
