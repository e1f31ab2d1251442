/* bus_queue.c: messages that wait until all they need is free (bus_queue.h). */
#include "bus_queue.h"

#include <stdlib.h>

static struct bus_message *message_at(const struct bus_queue *q, uint32_t id)
{
	return slots_at(&q->messages, id, sizeof(struct bus_message));
}

void bus_queue_init(struct bus_queue *q)
{
	*q = (struct bus_queue){.order = 0};
	slots_init(&q->messages, sizeof(struct bus_message), offsetof(struct bus_message, left),
	           "messages on busses");
}

void bus_queue_release(struct bus_queue *q)
{
	free(q->parts);
	slots_release(&q->messages);
}

int bus_queue_grow(struct bus_queue *q, uint32_t n, struct err *err)
{
	struct bus_part *parts;

	if (n <= q->n_parts)
		return 0;
	parts = vec_grow(q->parts, &q->parts_cap, sizeof *parts, n, "links and busses", err);
	if (!parts)
		return -1;
	q->parts = parts;
	while (q->n_parts < n)
		parts[q->n_parts++] = (struct bus_part){.first = BUS_NONE};
	return 0;
}

/* --- queues --- */

/* Skew heaps: Sleator and Tarjan, "Self-adjusting heaps", SIAM J. Comput. 15(1), 1986, top-down. */
static uint32_t heap_merge(const struct bus_queue *q, uint32_t a, uint32_t b)
{
	uint32_t root = BUS_NONE, *link = &root, other;

	while (a != BUS_NONE && b != BUS_NONE) {
		struct bus_message *m;

		if (message_at(q, b)->order < message_at(q, a)->order) {
			other = a;
			a = b;
			b = other;
		}
		*link = a;
		m = message_at(q, a);
		other = m->right;
		m->right = m->left;
		link = &m->left;
		a = other;
	}
	*link = a != BUS_NONE ? a : b;
	return root;
}

static void wait_for(struct bus_queue *q, uint32_t part, uint32_t id)
{
	message_at(q, id)->left = message_at(q, id)->right = BUS_NONE;
	q->parts[part].first = heap_merge(q, q->parts[part].first, id);
}

static uint32_t oldest_take(struct bus_queue *q, uint32_t part)
{
	uint32_t id = q->parts[part].first;

	q->parts[part].first = heap_merge(q, message_at(q, id)->left, message_at(q, id)->right);
	return id;
}

/* --- messages --- */

static int timer(struct net *n, double seconds, uint32_t id, struct activity_id *out,
                 struct err *err)
{
	return engine_timer(n->engine, seconds, NET_OWN | id, out, err);
}

/* What a part that is taken is called: in the order of dimemas_message. */
static const char *part_name(int i)
{
	static const char *const names[BUS_PARTS] = {"waits for a link out of the sender's node",
	                                             "waits for a link into the receiver's node",
	                                             "waits for a bus"};

	return names[i];
}

/* Starts it, or has it wait for the first part that is taken. */
static int message_try(struct bus_queue *q, struct net *n, uint32_t id, struct err *err)
{
	struct bus_message *m = message_at(q, id);
	struct activity_id a;
	int i;

	for (i = 0; i < BUS_PARTS; i++) {
		if (m->part[i] != BUS_NONE &&
		    q->parts[m->part[i]].busy == q->parts[m->part[i]].limit) {
			wait_for(q, m->part[i], id);
			part_tell(n, m->user, engine_now(n->engine), part_name(i));
			return 0;
		}
	}
	for (i = 0; i < BUS_PARTS; i++) {
		if (m->part[i] != BUS_NONE)
			q->parts[m->part[i]].busy++;
	}
	m->moves = 1;
	part_tell(n, m->user, engine_now(n->engine), "its bytes / bandwidth");
	return timer(n, m->seconds, id, &a, err);
}

/* The oldest of those that wait for one of these parts while it is free, or BUS_NONE. */
static uint32_t next_to_try(struct bus_queue *q, const uint32_t *part)
{
	uint32_t best = BUS_NONE;
	int i;

	for (i = 0; i < BUS_PARTS; i++) {
		const struct bus_part *p = part[i] == BUS_NONE ? NULL : &q->parts[part[i]];

		if (!p || p->first == BUS_NONE || p->busy == p->limit)
			continue;
		if (best == BUS_NONE ||
		    message_at(q, p->first)->order < message_at(q, q->parts[best].first)->order)
			best = part[i];
	}
	return best == BUS_NONE ? BUS_NONE : oldest_take(q, best);
}

static int message_end(struct bus_queue *q, struct net *n, uint32_t id, struct err *err)
{
	uint32_t part[BUS_PARTS], next;
	int i;

	for (i = 0; i < BUS_PARTS; i++) {
		part[i] = message_at(q, id)->part[i];
		if (part[i] != BUS_NONE)
			q->parts[part[i]].busy--;
	}
	slots_give(&q->messages, id);
	while ((next = next_to_try(q, part)) != BUS_NONE) {
		if (message_try(q, n, next, err) < 0)
			return -1;
	}
	return 0;
}

int bus_queue_send(struct bus_queue *q, struct net *n, const struct bus_message *m, double latency,
                   struct activity_id *out, struct err *err)
{
	uint32_t id = slots_take(&q->messages, err);

	if (id == BUS_NONE)
		return -1;
	*message_at(q, id) = *m;
	message_at(q, id)->moves = 0;
	part_tell(n, m->user, engine_now(n->engine), "latency");
	return timer(n, latency, id, out, err);
}

int bus_queue_event(struct bus_queue *q, struct net *n, uint32_t number, uint64_t *user,
                    struct err *err)
{
	struct bus_message *m = message_at(q, number);

	if (m->moves) {
		*user = m->user;
		return message_end(q, n, number, err) < 0 ? -1 : 1;
	}
	m->order = q->order++;
	return message_try(q, n, number, err);
}
