/* portable.h: events as what the formats of other simulators have: computations, messages, waits
 * for messages, collectives on numbered communicators. Shared by their writers. What has no such
 * form (windows, files of MPI, intercommunicators, partitioned or cancelled requests) is an error
 * that names the event; so is a collective whose root or counts are not those of its communicator.
 *
 * Mappings: a test that found something, and what a waitany chose, are waits; persistent requests
 * are the messages that they start; probes and messages with MPI_PROC_NULL are left out; sendrecv
 * is a posted receive, a send and a wait; non-blocking collectives are blocking ones where they
 * begin (noted), unless the form has a way to say what they are. */
#ifndef ORRERY_TRACE_PORTABLE_H
#define ORRERY_TRACE_PORTABLE_H

#include "pending.h"
#include "trace/trace_int.h"

enum portable_kind {
	PORTABLE_COMPUTE,
	PORTABLE_SEND,
	PORTABLE_RECV,
	PORTABLE_WAIT_SEND,
	PORTABLE_WAIT_RECV,
	PORTABLE_COLLECTIVE,
	PORTABLE_WAIT_COLLECTIVE /* where the form keeps_nonblocking */
};
struct portable_op {
	enum portable_kind kind;
	double seconds;    /* computation: as measured, else a nanosecond for each of its volume;
	                      collective: of its operator, told after it as a computation */
	int32_t peer, tag; /* world rank; TRACE_ANY */
	int64_t bytes;
	uint32_t comm; /* its number, from 1 */
	int nonblocking, synchronous;
	int64_t req; /* of what is not blocking, and of its wait: a number that is used once */
	/* collectives */
	enum trace_op op;
	int is_root;
	int32_t root; /* rank of the communicator */
	int64_t sent, received;
	int32_t type; /* of its elements */
	int64_t type_size;
	const struct trace_event *ev;
};
typedef int portable_each(void *self, uint32_t rank, const struct portable_op *op, struct err *err);

struct portable_comm {
	uint64_t id;
	uint32_t n;
	int32_t *member;
	int rise;
};
struct portable_request {
	struct portable_op op;
	uint8_t persistent, active;
};
/* What a rank has started and not completed, in order: waits of SimGrid's traces name it by its
 * ends and tag, or by its age, or are for all of it. */
struct portable_open {
	struct pending pending;
	struct portable_op *op; /* of each of its slots */
	uint32_t cap;
	struct hash64 number; /* of a request in the trace -> request */
};
struct portable {
	const char *format;
	uint32_t ranks;
	int keeps_nonblocking;
	struct portable_comm *comm;
	uint32_t comms, cap_comms;
	struct hash64 comm_index;
	struct portable_request *request;
	uint32_t requests, cap_requests;
	struct portable_open *open;
	int64_t *used;        /* of each rank: numbers of requests given */
	uint64_t nonblocking; /* collectives that became blocking */
	uint64_t probes, tests, setups;
	uint64_t unmeasured;
	double rate; /* volumes are time, so much a second; 0: they are not */
};
int portable_init(struct portable *p, const char *format, uint32_t ranks, struct err *err);
void portable_release(struct portable *p);
/* What volumes are (NULL: unknown), before the events that it holds of. */
void portable_about(struct portable *p, const struct trace_manifest *m);
int portable_put(struct portable *p, uint32_t rank, const struct trace_event *ev,
                 portable_each *each, void *self, struct err *err);
/* The error that this event has no form. */
int portable_cannot(const struct portable *p, uint32_t rank, const struct trace_event *ev,
                    struct err *err);
void portable_notices(const struct portable *p, struct str *notices);
/* The rank in a communicator (by number) of a world rank, or -1. */
int32_t portable_rank_in(const struct portable *p, uint32_t comm, uint32_t rank);

#endif
