/* goal_sequence.h: a rank of a GOAL schedule on its way from a graph to a sequence (goal_graph.c),
 * and the order of all ranks (goal_order.c), for the two of them. */
#ifndef ORRERY_TRACE_GOAL_SEQUENCE_H
#define ORRERY_TRACE_GOAL_SEQUENCE_H

#include "goal_graph.h"

#include <stdlib.h>
#include <string.h>

/* Operations, lowest first: a heap of indices. */
struct goal_ready {
	uint32_t *item;
	uint32_t n;
};
void goal_ready_push(struct goal_ready *r, uint32_t v);
uint32_t goal_ready_pop(struct goal_ready *r);

struct goal_sequence {
	struct foreign *f;
	struct goal_graph *g;
	struct goal_order *order; /* or NULL: nothing is known of other ranks */
	struct goal_edge *out;    /* edges by where they come from, ends before starts */
	struct goal_edge *into;   /* and by where they go to */
	uint32_t *into_at;
	uint32_t *over; /* of each: so many of these edges, from the first on, hold it no more */
	struct goal_ready messages, calcs; /* that may start */
	struct goal_ready held; /* what waits for the end of a message that was issued, and more */
	struct goal_ready met;  /* messages that are over */
	int64_t *reqs;          /* those that are waited for in the end */
	uint32_t rank;
	uint32_t issued;
	uint32_t next;      /* operations that only messages under way hold back */
	uint32_t waits_for; /* while it is parked */
	uint8_t parked;
};
int goal_sequence_begin(struct goal_sequence *s, struct err *err);
/* Starts all that may start: 1 if that is all there is. */
int goal_sequence_issue(struct goal_sequence *s, struct err *err);
/* The message that the first operation of the file that is held back waits for. */
int goal_sequence_held(struct goal_sequence *s, uint32_t *from, struct err *err);
/* Could another message than this one let the rank go on? */
int goal_sequence_chooses(struct goal_sequence *s, uint32_t from);
int goal_sequence_wait(struct goal_sequence *s, uint32_t from, struct err *err);
int goal_sequence_end(struct goal_sequence *s, struct err *err);

struct goal_order;
void goal_order_free(struct goal_order *o);
/* A message was issued. */
int goal_order_message(struct goal_order *o, uint32_t rank, uint32_t node, struct err *err);

#endif
