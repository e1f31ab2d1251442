/* pending.h: the requests of one rank while its trace is written in SimGrid's form, which knows
 * requests by (source, destination, tag) and by age only. Slots in an array, looked up by number,
 * and linked in the order they were posted. */
#ifndef ORRERY_TRACE_PENDING_H
#define ORRERY_TRACE_PENDING_H

#include "base/hash.h"
#include "trace/trace.h"

struct pending_request {
	int64_t id; /* -1: has no number */
	int32_t src, dst, tag;
	uint32_t older, newer; /* those that are outstanding; PENDING_NONE at the ends */
	uint8_t outstanding, receive, persistent, used;
	/* persistent: what a start posts */
	struct trace_event start;
};
enum { PENDING_NONE = 0xffffffffu };
struct pending {
	struct pending_request *slots;
	struct hash64 by_id;
	uint32_t n, cap, free, oldest, newest, outstanding;
};

void pending_init(struct pending *p);
void pending_release(struct pending *p);
/* A request that is not outstanding yet; a number that is used again takes the slot over. Its slot,
 * or PENDING_NONE with *err set. */
uint32_t pending_make(struct pending *p, int64_t id, struct err *err);
void pending_post(struct pending *p, uint32_t slot, int32_t src, int32_t dst, int32_t tag,
                  int receive);
/* It is complete: gone, unless it is persistent. */
void pending_complete(struct pending *p, uint32_t slot);
uint32_t pending_find(const struct pending *p, int64_t id); /* PENDING_NONE if there is none */
uint32_t pending_find_key(const struct pending *p, int32_t src, int32_t dst,
                          int32_t tag); /* the oldest outstanding */
/* The latest one outstanding, of receives only if so asked. */
uint32_t pending_latest(const struct pending *p, int receives);

/* The request that a wait or a test names: by number, by key, or as older formats do. */
uint32_t pending_named(const struct pending *p, const struct trace_event *ev);

#endif
