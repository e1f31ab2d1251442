/* heap.h: an indexed 4-ary heap of (date, sequence number) over 32-bit ids: the deterministic event
 * queue. Dates are seconds. Invariants: (1) the item at the root has the least (date, seq); (2)
 * pos[id] is the place of id, or HEAP_OUT. */
#ifndef ORRERY_BASE_HEAP_H
#define ORRERY_BASE_HEAP_H

#include "err.h"

#include <stdint.h>

enum { HEAP_OUT = 0xffffffffu };

struct heap_item {
	double date;
	uint64_t seq;
	uint32_t id;
};

struct heap {
	struct heap_item *items;
	uint32_t *pos; /* by id */
	uint32_t n, cap, pos_cap;
};

void heap_init(struct heap *h);
void heap_release(struct heap *h);
/* Inserts id, or moves it if it is in. */
int heap_set(struct heap *h, uint32_t id, double date, uint64_t seq, struct err *err);
void heap_remove(struct heap *h, uint32_t id); /* nothing if it is out */
struct heap_item heap_pop(struct heap *h);     /* must not be empty */

static inline int heap_has(const struct heap *h, uint32_t id)
{
	return id < h->pos_cap && h->pos[id] != HEAP_OUT;
}

/* NULL when empty. */
static inline const struct heap_item *heap_top(const struct heap *h)
{
	return h->n > 0 ? h->items : 0;
}

#endif
