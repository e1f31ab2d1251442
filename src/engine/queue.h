/* queue.h: the event queue: a 4-ary heap of (date, sequence number) over activity ids, in line because it is the heart of the clock.
 * It differs from base/heap.h in one promise: room is reserved when an activity is made, so that no move of an event can fail.
 * Invariants: (1) the root has the least (date, seq); (2) pos[id] is the place of id, or QUEUE_OUT; (3) cap >= ids reserved. */
#ifndef ORRERY_ENGINE_QUEUE_H
#define ORRERY_ENGINE_QUEUE_H

#include "base/base.h"

#include <stdint.h>
#include <stdlib.h>

enum { QUEUE_OUT = 0xffffffffu };

struct event {
	double date;
	uint64_t seq;
	uint32_t id;
};

struct queue {
	struct event *events;
	uint32_t *pos; /* by id */
	uint32_t n, cap, pos_cap;
	uint64_t seq; /* of the next event */
};

static inline void queue_release(struct queue *q)
{
	free(q->events);
	free(q->pos);
	*q = (struct queue){0};
}

/* Makes room for events of ids 0 … id. To be called once for each new id, in order. */
static inline int queue_reserve(struct queue *q, uint32_t id, struct err *err)
{
	if (id >= q->cap) {
		void *p = vec_grow(q->events, &q->cap, sizeof *q->events, (size_t)id + 1, "events", err);
		if (!p)
			return -1;
		q->events = p;
	}
	if (id >= q->pos_cap) {
		void *p = vec_grow(q->pos, &q->pos_cap, sizeof *q->pos, (size_t)id + 1, "events", err);
		if (!p)
			return -1;
		q->pos = p;
	}
	q->pos[id] = QUEUE_OUT;
	return 0;
}

static inline int event_before(const struct event *a, const struct event *b)
{
	return a->date < b->date || (a->date == b->date && a->seq < b->seq);
}

static inline void queue_put(struct queue *q, uint32_t place, const struct event *e)
{
	q->events[place] = *e;
	q->pos[e->id] = place;
}

static inline void queue_sift_up(struct queue *q, uint32_t place, struct event e)
{
	while (place > 0) {
		uint32_t parent = (place - 1) / 4;
		if (!event_before(&e, &q->events[parent]))
			break;
		queue_put(q, place, &q->events[parent]);
		place = parent;
	}
	queue_put(q, place, &e);
}

static inline void queue_sift_down(struct queue *q, uint32_t place, struct event e)
{
	for (;;) {
		uint32_t first = 4 * place + 1, end = first + 4 < q->n ? first + 4 : q->n, least = first;
		if (first >= q->n)
			break;
		for (uint32_t child = first + 1; child < end; child++)
			if (event_before(&q->events[child], &q->events[least]))
				least = child;
		if (!event_before(&q->events[least], &e))
			break;
		queue_put(q, place, &q->events[least]);
		place = least;
	}
	queue_put(q, place, &e);
}

static inline void queue_replace(struct queue *q, uint32_t place, struct event e)
{
	if (place > 0 && event_before(&e, &q->events[(place - 1) / 4]))
		queue_sift_up(q, place, e);
	else
		queue_sift_down(q, place, e);
}

/* Inserts id, or moves it if it is in; it comes after all that was set before at the same date. */
static inline void queue_set(struct queue *q, uint32_t id, double date)
{
	struct event e = {date, q->seq++, id};
	if (q->pos[id] == QUEUE_OUT)
		queue_sift_up(q, q->n++, e);
	else
		queue_replace(q, q->pos[id], e);
}

static inline void queue_remove(struct queue *q, uint32_t id)
{
	uint32_t place = q->pos[id];
	if (place == QUEUE_OUT)
		return;
	q->pos[id] = QUEUE_OUT;
	struct event last = q->events[--q->n];
	if (place < q->n)
		queue_replace(q, place, last);
}

#endif
