/* bundle_int.h: what the files of a bundle share. */
#ifndef ORRERY_TRACE_BUNDLE_INT_H
#define ORRERY_TRACE_BUNDLE_INT_H

#include "bundle.h"

void class_release(struct bundle_class *c);
/* What of a call all members of a class have in common; text: its number in the bundle. The key of
 * a class is how many nodes are at its top, its nodes, then this of each of its calls. */
void call_key_put(struct str *key, const struct call *c, int64_t text);
/* The class with that key; made, and zero, if there was none. NULL with *err set. */
struct bundle_class *bundle_class_get(struct bundle *b, const struct str *key, int *made,
                                      struct err *err);

/* Values of a slot of a member on their way into a bundle. */
struct blurring {
	struct bundle *b;
	struct bundle_class *cls;
	uint32_t slot, call; /* call: of the class, or CALL_NONE: how often a loop runs */
	enum call_field field;
	const struct column *values;
	uint32_t rank;
	struct err *err;
};
/* Volumes and durations: 1 if they went to a histogram, 0 if they are kept, -1. */
int blur_cost(const struct blurring *x);
/* What bundle_settle may draw: noted beside. -1 with *err set. */
int blur_note(const struct blurring *x);

/* How many numbers so many bytes may stand for. A form of three bytes can say 2^64 of them, and a
 * list has as many as there are ranks: so a small bundle may have some lists of a large run, and
 * for the rest what is written out is in proportion to the bytes. */
static inline uint64_t pack_values_most(uint64_t bytes)
{
	return (UINT64_C(1) << 23) + 1024 * bytes;
}

#endif
