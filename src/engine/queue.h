/* queue.h: the event queue: a 4-ary heap of (date, sequence number) over activity ids, in line
 * because it is the heart of the clock.
 *
 * It differs from base/heap.h in two ways. Room is reserved when an activity is made, so that no
 * move of an event can fail. And an event is one 128-bit integer: the bits of the date (not
 * negative, so they order as the dates do), then 36 bits of sequence number, then 28 bits of id;
 * the four children of a place are one cache line, and the least of them is found without branches,
 * which would be mispredicted half of the time.
 *
 * Invariants
 *  1. The root (place QUEUE_ROOT) has the least (date, sequence number).
 *  2. pos[id] is the place of id, or QUEUE_OUT.
 *  3. end <= cap, and the places from end to the next multiple of 4 hold EVENT_NONE, so that every
 *     place has four children or none.
 *  4. If `hole` is set the root was taken out: it holds 0, which is before all events, so that the
 *     rest of the heap may change meanwhile. A new event mostly follows, and goes there.
 *  5. Sequence numbers are renumbered before they overflow (once in 6.9e10 events). */
#ifndef ORRERY_ENGINE_QUEUE_H
#define ORRERY_ENGINE_QUEUE_H

#include "base/base.h"

#include <stdint.h>
#include <string.h>

enum { QUEUE_ROOT = 3, EVENT_ID_BITS = 28 };
#define QUEUE_OUT 0xffffffffu
#define QUEUE_MAX_ID ((UINT32_C(1) << EVENT_ID_BITS) - 1)
#define QUEUE_MAX_SEQ ((UINT64_C(1) << (64 - EVENT_ID_BITS)) - 1)

typedef unsigned __int128 event;
#define EVENT_NONE (~(event)0 >> 1) /* behind all: the highest bit is a date's sign */

struct queue {
	event *events; /* aligned to a cache line; children of place p: 4 (p - 2) … 4 (p - 2) + 3 */
	uint32_t *pos; /* by id */
	uint32_t end, cap, pos_cap;
	uint64_t seq; /* of the next event */
	int hole;
};

void queue_init(struct queue *q);
void queue_release(struct queue *q);
/* Makes room for events of ids 0 … id. To be called once for each new id, in order. */
int queue_reserve(struct queue *q, uint32_t id, struct err *err);
void queue_renumber(struct queue *q);

static inline event event_make(double date, uint64_t seq, uint32_t id)
{
	uint64_t bits;
	memcpy(&bits, &date, sizeof bits);
	return (event)bits << 64 | seq << EVENT_ID_BITS | id;
}

static inline double event_date(event e)
{
	uint64_t bits = (uint64_t)(e >> 64);
	double date;
	memcpy(&date, &bits, sizeof date);
	return date;
}

static inline uint32_t event_id(event e)
{
	return (uint32_t)e & QUEUE_MAX_ID;
}

static inline void queue_put(struct queue *q, uint32_t place, event e)
{
	q->events[place] = e;
	q->pos[event_id(e)] = place;
}

static inline void queue_sift_up(struct queue *q, uint32_t place, event e)
{
	while (place > QUEUE_ROOT && e < q->events[place / 4 + 2]) {
		queue_put(q, place, q->events[place / 4 + 2]);
		place = place / 4 + 2;
	}
	queue_put(q, place, e);
}

/* Is it the earlier one? By the sign of the difference: of a comparison compilers make a branch. */
static inline uint32_t event_before(event a, event b)
{
	return (uint32_t)((a - b) >> 127);
}

/* The least child of a place that has children. */
static inline uint32_t queue_least_child(const struct queue *q, uint32_t place)
{
	uint32_t first = 4 * (place - 2);
	const event *c = q->events + first;
	uint32_t a = event_before(c[1], c[0]), b = 2 + event_before(c[3], c[2]);
	return first + (a ^ ((a ^ b) & -event_before(c[b], c[a])));
}

static inline void queue_sift_down(struct queue *q, uint32_t place, event e)
{
	while (4 * (place - 2) < q->end) {
		uint32_t child = queue_least_child(q, place);
		if (e < q->events[child])
			break;
		queue_put(q, place, q->events[child]);
		place = child;
	}
	queue_put(q, place, e);
}

/* As queue_set, with a sequence number that was taken before. */
static inline void queue_set_as(struct queue *q, uint32_t id, double date, uint64_t seq)
{
	event e = event_make(date, seq, id);
	uint32_t place = q->pos[id];
	if (place == QUEUE_OUT && q->hole) {
		q->hole = 0;
		queue_sift_down(q, QUEUE_ROOT, e);
	} else if (place == QUEUE_OUT)
		queue_sift_up(q, q->end++, e);
	else if (e < q->events[place])
		queue_sift_up(q, place, e);
	else
		queue_sift_down(q, place, e);
}

static inline uint64_t queue_number(struct queue *q)
{
	if (q->seq > QUEUE_MAX_SEQ)
		queue_renumber(q);
	return q->seq++;
}

/* So many at once, one after the other: the first. */
static inline uint64_t queue_numbers(struct queue *q, uint32_t n)
{
	uint64_t first;

	if (q->seq + n > QUEUE_MAX_SEQ)
		queue_renumber(q);
	first = q->seq;
	q->seq += n;
	return first;
}

/* Inserts id, or moves it if it is in; it comes after all that was set before at the same date. */
static inline void queue_set(struct queue *q, uint32_t id, double date)
{
	queue_set_as(q, id, date, queue_number(q));
}

/* The last event goes where the hole has sunk to: it came from the bottom and mostly belongs
 * there. */
static inline void queue_vacate(struct queue *q, uint32_t place)
{
	event last = q->events[--q->end];
	q->events[q->end] = EVENT_NONE;
	if (place == q->end)
		return;
	while (4 * (place - 2) < q->end) {
		uint32_t child = queue_least_child(q, place);
		queue_put(q, place, q->events[child]);
		place = child;
	}
	queue_sift_up(q, place, last);
}

static inline int queue_empty(struct queue *q)
{
	if (q->hole) {
		q->hole = 0;
		queue_vacate(q, QUEUE_ROOT);
	}
	return q->end == QUEUE_ROOT;
}

/* After queue_empty said no. */
static inline event queue_top(const struct queue *q)
{
	return q->events[QUEUE_ROOT];
}

/* The event of id, which is in, becomes that of another one, which is not. */
static inline void queue_pass(struct queue *q, uint32_t id, uint32_t to)
{
	uint32_t place = q->pos[id];
	event e = q->events[place];

	queue_put(q, place, e - id + to);
	q->pos[id] = QUEUE_OUT;
}

/* Takes out the event at the root. After queue_empty said no. */
static inline void queue_pop(struct queue *q)
{
	q->pos[event_id(q->events[QUEUE_ROOT])] = QUEUE_OUT;
	q->events[QUEUE_ROOT] = 0;
	q->hole = 1;
}

static inline int queue_has(const struct queue *q, uint32_t id)
{
	return q->pos[id] != QUEUE_OUT;
}

static inline void queue_remove(struct queue *q, uint32_t id)
{
	uint32_t place = q->pos[id];
	if (place == QUEUE_OUT)
		return;
	q->pos[id] = QUEUE_OUT;
	queue_vacate(q, place);
}

#endif
