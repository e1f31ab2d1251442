/* again.h: events that came before: which call an event is, found by comparing it with one that was
 * the same but for its costs. Most events of a program are; the others take the long way
 * (src/trace/compressed/call.h). Knows no MPI. */
#ifndef ORRERY_TRACER_AGAIN_H
#define ORRERY_TRACER_AGAIN_H

#include "trace/compressed/call.h"

enum { AGAIN_SLOTS = 128 };

struct again_slot {
	struct trace_event ev; /* costs, and what its lists point to, mean nothing */
	uint32_t call;
	uint32_t number; /* in the log; 0: the slot is free */
};
struct again {
	struct again_slot slot[AGAIN_SLOTS];
	struct again_region { /* the computations of a region: one call each */
		int64_t region;
		uint32_t call, number;
	} region[AGAIN_SLOTS];
};

static inline struct again_region *again_region(struct again *a, int64_t region)
{
	return &a->region[(uint64_t)region % AGAIN_SLOTS];
}
/* The slot of an event that is the one that is in it, or NULL. */
const struct again_slot *again_find(const struct again *a, const struct calls *c,
                                    const struct trace_event *ev);
/* An event was found to be this call: kept, unless it has something that is not compared here. */
void again_keep(struct again *a, const struct calls *c, uint32_t call, uint32_t number,
                const struct trace_event *ev);
/* Calls have other numbers from here on. */
void again_forget(struct again *a);

#endif
