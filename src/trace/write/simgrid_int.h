/* simgrid_int.h: the writer of SimGrid's plain form: write_simgrid.c keeps the files and the
 * notices, simgrid_put.c maps events, simgrid_comm.c knows what SimGrid's one world makes of
 * communicators. */
#ifndef ORRERY_TRACE_SIMGRID_INT_H
#define ORRERY_TRACE_SIMGRID_INT_H

#include "pending.h"
#include "trace/text/text_put.h"
#include "writer_int.h"

/* What a mapping loses: counted, and told at the end. */
enum simgrid_loss {
	LOSS_MODE,
	LOSS_SENDRECV,
	LOSS_SIZE,
	LOSS_NULL,
	LOSS_PROBE,
	LOSS_COMPLETION,
	LOSS_TEST,
	LOSS_OPERATOR,
	LOSS_TAG,
	LOSS_ANY_TAG,
	LOSS_RESOLVE,
	LOSS_SITE,
	LOSSES
};

enum simgrid_comm {
	COMM_WORLD_LIKE,
	COMM_SINGLE,
	COMM_SUB
}; /* all ranks in the world's order; one rank; anything else */
struct simgrid_comms {
	struct hash64 index; /* communicator -> its place in kinds */
	uint8_t *kinds;      /* enum simgrid_comm */
	uint32_t n, cap;
	struct hash64 tags; /* place << 32 | tag -> number of the tag that stands for them */
	uint32_t n_tags;
};
void simgrid_comms_release(struct simgrid_comms *c);
/* Notes a communicator that an event makes. */
int simgrid_comm_note(struct simgrid_comms *c, const struct trace_event *ev, uint32_t ranks,
                      struct err *err);
enum simgrid_comm simgrid_comm_kind(const struct simgrid_comms *c, uint64_t comm);
/* The tag that a message gets in the one world; -1 with *err set. */
int simgrid_tag(struct simgrid_comms *c, uint64_t comm, int32_t tag, int32_t *out, struct err *err);
enum { SIMGRID_TAGS = 1 << 30 /* first of the tags that stand for those of sub-communicators */ };

struct simgrid {
	struct outs outs;
	struct output list;
	struct pending *pending; /* of each rank */
	struct simgrid_comms comms;
	uint64_t losses[LOSSES];
	uint32_t ranks;
};
/* Appends the lines that say the same as ev. */
int simgrid_put(struct simgrid *sg, uint32_t rank, const struct trace_event *ev, struct err *err);

/* What events are put together from. */
int simgrid_cannot(uint32_t rank, const struct trace_event *ev, const char *why, struct err *err);
/* A count of a type that SimGrid has: its own, or the widest basic type that fits the bytes. */
struct simgrid_unit {
	int32_t type;
	int64_t times; /* units per element */
};
struct simgrid_unit simgrid_unit(int32_t type, int64_t size);
int64_t simgrid_units(int64_t count, struct simgrid_unit u);
void simgrid_begin(struct text *t, uint32_t rank, const char *action);
void simgrid_number(struct text *t, int64_t v);
void simgrid_end(struct text *t);

/* simgrid_message.c, simgrid_coll.c */
int simgrid_message(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev,
                    struct err *err);
int simgrid_sendrecv(struct simgrid *sg, struct text *t, uint32_t rank,
                     const struct trace_event *ev, struct err *err);
int simgrid_persistent(struct simgrid *sg, uint32_t rank, const struct trace_event *ev,
                       struct err *err);
int simgrid_start(struct simgrid *sg, struct text *t, uint32_t rank, const struct trace_event *ev,
                  struct err *err);
int simgrid_completion(struct simgrid *sg, struct text *t, uint32_t rank,
                       const struct trace_event *ev, struct err *err);
int simgrid_collective(struct simgrid *sg, struct text *t, uint32_t rank,
                       const struct trace_event *ev, struct err *err);

#endif
