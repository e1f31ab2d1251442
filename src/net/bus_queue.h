/* bus_queue.h: messages that wait until all they need is free: links, busses. For Dimemas's model,
 * where a message takes several at once.
 *
 * Rule: the oldest message whose parts are all free starts; who waits for one part holds no other.
 *
 *   begun --latency over, a part is taken--> waits --that part is released--> tried again
 *   tried again --all free--> moves --its body is over--> done
 *
 * Invariants
 *  1. A waiting message is in the queue of one part, which has no unit free. So nobody waits who
 *     could start.
 *  2. A queue gives its oldest first (by the order in which latencies ended). */
#ifndef ORRERY_NET_BUS_QUEUE_H
#define ORRERY_NET_BUS_QUEUE_H

#include "base/slots.h"
#include "net_int.h"

enum { BUS_PARTS = 3 };
enum { BUS_NONE = 0xffffffffu };

/* Equal links or busses. */
struct bus_part {
	uint32_t limit, busy;
	uint32_t first; /* of its queue: a skew heap of messages by `order`; BUS_NONE if empty */
};

struct bus_message {
	uint64_t user, order;
	double seconds;           /* of its body */
	uint32_t part[BUS_PARTS]; /* what it needs; BUS_NONE: nothing there */
	uint32_t left, right;     /* in a queue */
	int moves;
};

struct bus_queue {
	struct bus_part *parts;
	uint32_t n_parts, parts_cap;
	struct slots messages; /* struct bus_message */
	uint64_t order;
};

void bus_queue_init(struct bus_queue *q);
void bus_queue_release(struct bus_queue *q);
/* Makes the parts up to n; who asked sets their limits. */
int bus_queue_grow(struct bus_queue *q, uint32_t n, struct err *err);
/* A message that after its latency waits for its parts and then moves for `seconds`. Its events
 * come back to bus_queue_event. */
int bus_queue_send(struct bus_queue *q, struct net *n, const struct bus_message *m, double latency,
                   struct activity_id *out, struct err *err);
int bus_queue_event(struct bus_queue *q, struct net *n, uint32_t number, uint64_t *user,
                    struct err *err); /* as net_model.event */

#endif
