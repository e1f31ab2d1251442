/* stage_int.h: what composing and speaking share. */
#ifndef ORRERY_TRACE_STAGE_INT_H
#define ORRERY_TRACE_STAGE_INT_H

#include "stage.h"

enum { COMPOSING, SPEAKING };
enum { STAGE_NONE = 0xffffffffu };

/* On its way to a rank. */
struct stage_message {
	uint64_t comm;
	int64_t count, size, date;
	int32_t from, tag, type;
	uint32_t window;
};
/* Where the members of a communicator meet. */
struct meeting {
	uint32_t arrived, size, left; /* left: who have not gone on */
	uint32_t waits;               /* the first rank that waits here */
	int64_t date;
};
enum request_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_MEETING };
/* A request of the trace. */
struct stage_request {
	uint8_t kind, persistent, active;
	uint32_t id; /* of a send, a collective: our number (speaking) or the meeting (composing) */
	struct trace_event made; /* of a persistent one */
};
/* One reading of a rank. */
struct stage_part {
	int64_t date;
	struct trace_event ev; /* being read */
	uint8_t has, ended;
	struct hash64 number; /* of a request of the trace -> request */
	struct stage_request *request;
	uint32_t requests, cap, *spare, spares, cap_spare;
};
struct stage_pending {
	uint32_t id;
	int64_t date;
};
struct stage_rank {
	struct stage_part composed, spoken;
	/* composing */
	uint8_t blocked, arrived; /* arrived: at the meeting that its call is */
	uint32_t meeting, waits_next;
	struct stage_message *message; /* to it, not yet posted: those from `first` on */
	uint32_t messages, first, cap_message;
	int64_t *sync; /* dates on which it went on from meetings: from `synced` on */
	uint32_t syncs, synced, cap_sync;
	/* speaking */
	uint32_t window, begun;      /* the next one to be posted; MPI_Init is said */
	struct stage_message *later; /* on communicators that are not there yet */
	uint32_t laters, cap_later;
	struct hash64 known; /* communicators */
	struct stage_pending *pending;
	uint32_t pendings, cap_pending;
	uint64_t owed;                         /* receives that found no message */
	uint32_t *orphan, orphans, cap_orphan; /* sends whose waits are gone */
	uint32_t *id;                          /* numbers given back */
	uint32_t ids, cap_ids, next_id;
	uint8_t awaits_sync;
	struct trace_event *out; /* to be handed out: from `said` on */
	uint32_t outs, said, cap_out;
	int64_t *list; /* of a waitall that is handed out */
	uint32_t cap_list;
	uint32_t listed;
};
struct stage {
	uint32_t ranks, only;
	stage_raw *raw;
	void *self;
	struct stage_rank *rank;
	int64_t *limit; /* where each window ends */
	uint32_t windows, cap_windows;
	int64_t step;
	uint32_t *ready, readies; /* ranks that can go on in this window */
	uint8_t *is_ready;
	uint64_t composed, window_began; /* events: so far, before this window */
	uint32_t alive;                  /* ranks that have not ended */
	struct hash64 comm_size, comm_index, sequence, at;
	uint32_t comms;
	struct meeting *meeting;
	uint32_t meetings, cap_meeting, *spare, spares, cap_spare;
};

/* stage_part.c: requests of a reading. */
struct stage_request *part_request(struct stage_part *p, int64_t number);
struct stage_request *part_request_add(struct stage_part *p, int64_t number, struct err *err);
void part_request_end(struct stage_part *p, int64_t number);
void part_release(struct stage_part *p);
/* The next event into p->ev, unless one is there: 1, 0 at the end, -1. */
int part_read(struct stage *s, uint32_t rank, int reading, struct err *err);
int64_t part_duration(const struct trace_event *ev);
/* Calls each() for the requests that an event completes. */
int part_completed(const struct trace_event *ev,
                   int (*each)(void *self, int64_t number, struct err *err), void *self,
                   struct err *err);
/* Whether all members of a communicator take part: *comm says of which. */
int op_meets(const struct trace_event *ev, uint64_t *comm);

/* stage_compose.c: one more window: 1; 0: all is composed; -1. */
int stage_compose(struct stage *s, struct err *err);

#endif
