/* queue.c: what the event queue does rarely. */
#include "queue.h"

#include <stdlib.h>

void queue_init(struct queue *q)
{
	*q = (struct queue){.end = QUEUE_ROOT};
}

void queue_release(struct queue *q)
{
	free(q->events);
	free(q->pos);
	queue_init(q);
}

/* Places for n events, and for no event up to the next multiple of four. */
static uint32_t places_of(uint32_t n)
{
	return (QUEUE_ROOT + n + 3) & ~UINT32_C(3);
}

static int queue_widen(struct queue *q, uint32_t used, uint32_t cap, struct err *err)
{
	size_t bytes = (size_t)cap * sizeof(event);
	event *events = aligned_alloc(64, bytes);

	if (!events)
		return err_nomem(err, "events", bytes);
	if (q->events)
		memcpy(events, q->events, (size_t)used * sizeof(event));
	free(q->events);
	q->events = events;
	q->cap = cap;
	return 0;
}

int queue_reserve(struct queue *q, uint32_t id, struct err *err)
{
	if (id > QUEUE_MAX_ID)
		return err_set(err, ERR_LIMIT, "more than %u activities at once", QUEUE_MAX_ID);
	uint32_t used = id > 0 ? places_of(id) : 0, need = places_of(id + 1);

	if (need > q->cap && queue_widen(q, used, need < 64 ? 64 : need + need / 2 / 4 * 4, err))
		return -1;
	for (; used < need; used++) /* not before: memory that is not written takes no place */
		q->events[used] = EVENT_NONE;
	void *p = vec_grow(q->pos, &q->pos_cap, sizeof *q->pos, (size_t)id + 1, "events", err);
	if (!p)
		return -1;
	q->pos = p;
	q->pos[id] = QUEUE_OUT;
	return 0;
}

static int event_compare(const void *a, const void *b)
{
	event x = *(const event *)a, y = *(const event *)b;
	return (x > y) - (x < y);
}

/* A sorted array is a heap: the order of events stays, their numbers become small. */
void queue_renumber(struct queue *q)
{
	queue_empty(q); /* fills the hole */
	uint32_t n = q->end - QUEUE_ROOT;

	qsort(q->events + QUEUE_ROOT, n, sizeof(event), event_compare);
	for (q->seq = 0; q->seq < n; q->seq++) {
		event e = q->events[QUEUE_ROOT + q->seq];
		queue_put(q, QUEUE_ROOT + (uint32_t)q->seq,
		          event_make(event_date(e), q->seq, event_id(e)));
	}
}
