/* player.h: a trace replayed on a real MPI: every rank re-issues its calls with dummy payloads, and
 * computes by spinning or sleeping as long as the trace says. `orrery replay --on LAUNCHER` starts
 * it.
 *
 * Rules
 *  1. Calls come in the order of the trace; receives that were from any source take the source that
 *     the trace recorded, waits that chose wait for what they completed: so a trace that a real
 *     run wrote cannot deadlock here.
 *  2. Payloads are zeros from two buffers, which pending calls share.
 *  3. What is not re-issued (files, partitioned requests) is counted and told. */
#ifndef ORRERY_PLAYER_H
#define ORRERY_PLAYER_H

#include "trace/trace.h"

#include <mpi.h>

enum player_computation { PLAYER_SPIN, PLAYER_SLEEP, PLAYER_NONE };

/* Requests without a number that are outstanding, the oldest first. */
struct unnamed_list {
	struct unnamed *all;
	uint32_t n, cap;
	int64_t *spare; /* numbers to be given again: room for those of all */
	uint32_t n_spare, cap_spare;
	uint64_t made;
};

struct player {
	struct trace *trace;
	int rank, ranks;
	enum player_computation computation;
	double rate; /* volume units per second where the trace has no duration; 0: not known */
	struct hash64 requests, comms, wins, messages; /* the trace's number -> slot */
	MPI_Request *request;
	uint32_t n_requests, cap_requests;
	struct unnamed_list unnamed;
	MPI_Comm **later; /* by slot of the request: what MPI_Comm_idup makes; NULL */
	uint32_t n_later, cap_later;
	MPI_Comm *comm;
	uint32_t n_comms, cap_comms;
	MPI_Win *win;
	uint32_t n_wins, cap_wins;
	MPI_Message *message;
	uint32_t n_messages, cap_messages;
	char *buffer; /* zeros; grows, and what it was before lives on while calls may use it */
	size_t buffer_bytes;
	void **old;
	uint32_t n_old, cap_old;
	int *counts, *counts2, *places, *places2; /* of vector collectives */
	uint32_t cap_counts;
	MPI_Op noncommutative;
	uint64_t calls, left_out;
	const char *first_left_out;
};

/* Re-issues one event. -1 with *err: the trace asks for what cannot be done. */
int player_issue(struct player *p, const struct trace_event *ev, struct err *err);
int player_collective(struct player *p, const struct trace_event *ev, struct err *err);
int player_window(struct player *p, const struct trace_event *ev, struct err *err);
int player_comm(struct player *p, const struct trace_event *ev, struct err *err);
MPI_Comm player_comm_find(const struct player *p, uint64_t id, struct err *err);
/* Zeros, at least so many bytes; NULL with *err. Sends use the first half, receives the second. */
char *player_bytes(struct player *p, int64_t bytes, int receive, struct err *err);
/* The request with this number, or a new one. */
MPI_Request *player_request(struct player *p, int64_t number, struct err *err);
/* Of an event that begins a message without one; NULL with *err. */
MPI_Request *unnamed_request(struct player *p, const struct trace_event *ev, int receive,
                             struct err *err);
/* A wait or test for one of those, which by nothing else; one that found none is over. */
int unnamed_complete(struct player *p, const struct trace_event *ev, struct err *err);
/* All of them are complete. */
void unnamed_completed(struct player *p);
void unnamed_release(struct player *p);
void player_release(struct player *p);

#endif
