/* summary.h: what a trace comes to, without unfolding it: by operation, by computation, by
 * communicator, by size of message, by rank, of files, and who sends how much to whom. */
#ifndef ORRERY_TRACE_SUMMARY_H
#define ORRERY_TRACE_SUMMARY_H

#include "trace.h"

enum { TRACE_SIZES = 64 };
struct trace_summary {
	uint32_t ranks;
	struct trace_of_op {
		uint64_t events;
		double bytes, volume, seconds; /* bytes: sent; volume: without sleep's */
	} op[TRACE_OPS][2], all;               /* [1]: the non-blocking form */
	struct trace_regions regions;
	struct trace_of_region { /* what is computed between two calls */
		uint64_t times;
		double volume, seconds;
		uint32_t id; /* in regions */
	} * region;          /* of each of them, the dearest first */
	uint32_t cap_regions;
	struct trace_of_comm {
		uint64_t comm, calls;
		double bytes;
	} * comm; /* by number, those with calls */
	uint32_t comms, cap_comms;
	struct hash64 comm_index;
	uint64_t size[TRACE_SIZES]; /* messages of [2^k, 2^(k+1)) bytes; [0] also those of none */
	uint64_t messages;
	struct trace_of_rank {
		uint64_t calls;
		double computation, communication; /* seconds, as measured */
		double volume, bytes;
	} * rank;
	struct trace_io {
		uint64_t calls;
		double read, written, seconds;
	} mpi_io, system_io;
	struct trace_cell {
		uint32_t from, to;
		uint64_t messages;
		double bytes;
	} * cell; /* of point-to-point messages and puts, by from and to */
	uint32_t cells, cap_cells;
	struct hash64 cell_index;
};
/* Reads all of a trace that was just opened. */
int trace_summary_read(struct trace_summary *s, struct trace *t, struct err *err);
void trace_summary_release(struct trace_summary *s);

/* How something is spread over the ranks; of equal ones the lowest rank. */
enum trace_measure {
	TRACE_COMPUTATION_SECONDS,
	TRACE_COMPUTATION_VOLUME,
	TRACE_CALLS_SECONDS,
	TRACE_BYTES_SENT,
	TRACE_MEASURES
};
struct trace_spread {
	double mean, least, most;
	uint32_t least_rank, most_rank;
};
struct trace_spread trace_summary_spread(const struct trace_summary *s, enum trace_measure of);

#endif
