/* heap.c: a 4-ary heap: half as deep as a binary one, and the four children share a cache line or
 * two. The moving item is held aside while others are shifted, and written once. */
#include "heap.h"

#include "vec.h"

#include <stdlib.h>

static inline int item_before(const struct heap_item *a, const struct heap_item *b)
{
	return a->date < b->date || (a->date == b->date && a->seq < b->seq);
}

static inline void heap_place(struct heap *h, uint32_t i, struct heap_item item)
{
	h->items[i] = item;
	h->pos[item.id] = i;
}

static void heap_up(struct heap *h, uint32_t i, struct heap_item item)
{
	while (i > 0) {
		uint32_t parent = (i - 1) / 4;

		if (!item_before(&item, &h->items[parent]))
			break;
		heap_place(h, i, h->items[parent]);
		i = parent;
	}
	heap_place(h, i, item);
}

static void heap_down(struct heap *h, uint32_t i, struct heap_item item)
{
	for (;;) {
		uint64_t child = 4 * (uint64_t)i + 1, end = child + 4 < h->n ? child + 4 : h->n,
		         least = child;

		if (child >= h->n)
			break;
		for (child++; child < end; child++)
			if (item_before(&h->items[child], &h->items[least]))
				least = child;
		if (!item_before(&h->items[least], &item))
			break;
		heap_place(h, i, h->items[least]);
		i = (uint32_t)least;
	}
	heap_place(h, i, item);
}

void heap_init(struct heap *h)
{
	*h = (struct heap){0};
}

void heap_release(struct heap *h)
{
	free(h->items);
	free(h->pos);
	heap_init(h);
}

/* Room for one more item, and for the place of id. */
static int heap_reserve(struct heap *h, uint32_t id, struct err *err)
{
	uint32_t i, before = h->pos_cap;
	void *p;

	if (h->n == h->cap) {
		p = vec_grow(h->items, &h->cap, sizeof *h->items, (size_t)h->n + 1, "events", err);
		if (!p)
			return -1;
		h->items = p;
	}
	if (id >= h->pos_cap) {
		p = vec_grow(h->pos, &h->pos_cap, sizeof *h->pos, (size_t)id + 1, "events", err);
		if (!p)
			return -1;
		h->pos = p;
		for (i = before; i < h->pos_cap; i++)
			h->pos[i] = HEAP_OUT;
	}
	return 0;
}

int heap_set(struct heap *h, uint32_t id, double date, uint64_t seq, struct err *err)
{
	struct heap_item item = {date, seq, id};
	uint32_t i;

	BUG_ON(!(date == date)); /* a NaN has no place in an order */
	if (heap_has(h, id)) {
		i = h->pos[id];
		if (item_before(&item, &h->items[i]))
			heap_up(h, i, item);
		else
			heap_down(h, i, item);
		return 0;
	}
	if (heap_reserve(h, id, err) < 0)
		return -1;
	heap_up(h, h->n++, item);
	return 0;
}

/* Takes out the item at place i. */
static void heap_take(struct heap *h, uint32_t i)
{
	struct heap_item last;

	h->pos[h->items[i].id] = HEAP_OUT;
	last = h->items[--h->n];
	if (i == h->n)
		return;
	if (i > 0 && item_before(&last, &h->items[(i - 1) / 4]))
		heap_up(h, i, last);
	else
		heap_down(h, i, last);
}

void heap_remove(struct heap *h, uint32_t id)
{
	if (heap_has(h, id))
		heap_take(h, h->pos[id]);
}

struct heap_item heap_pop(struct heap *h)
{
	struct heap_item top;

	BUG_ON(h->n == 0);
	top = h->items[0];
	heap_take(h, 0);
	return top;
}
