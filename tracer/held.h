/* held.h: events that may still change, and those behind them.
 *
 * Two things are known only later: what came to a receive from any source, and whether the program
 * looks at a request again which a test found complete (docs/tracing.md, "Overlap"). Such an event
 * waits here, and all behind it, until that is known; then it goes on as it is to be.
 *
 * It waits no longer than HELD_BYTES of events: then a receive stays a wildcard, and a test is
 * taken for the last look at its requests (`forget` is called for each). Knows no MPI. */
#ifndef ORRERY_TRACER_HELD_H
#define ORRERY_TRACER_HELD_H

#include "trace/compressed/call.h"

enum { HELD_BYTES = 1 << 20 };

struct held_item {
	uint64_t ordinal; /* of the event */
	int64_t req;
	int32_t peer, tag; /* a receive's, when they are known */
	uint8_t test;      /* else a receive */
	uint8_t open;      /* may still change */
	uint8_t changed;
};
struct held {
	int64_t *word; /* of each event: its call, what is open of it */
	uint32_t n, first, cap;
	uint64_t in, out; /* events put, taken */
	struct held_item *item;
	uint32_t items, first_item, cap_items;
	struct hash64 posted, tested; /* request -> item + 1, if that is open */
	int64_t *scratch;
	uint32_t cap_scratch;
	void (*forget)(int64_t req);
};
void held_init(struct held *h, void (*forget)(int64_t req));
void held_release(struct held *h);
static inline int held_any(const struct held *h)
{
	return h->in > h->out;
}
/* Whether an event has to wait though none does now. */
int held_wanted(const struct trace_event *ev);
int held_put(struct held *h, const struct calls *c, uint32_t call, const int64_t *value,
             const struct trace_event *ev, struct err *err);
/* A resolve event: what came to a receive. It is not kept. */
void held_resolve(struct held *h, const struct trace_event *ev);
/* Passes on what need not wait any more (all: whatever waits). */
int held_pass(struct held *h, struct calls *c, int all,
              int (*put)(void *self, uint32_t call, const int64_t *value, struct err *err),
              void *self, struct err *err);

#endif
