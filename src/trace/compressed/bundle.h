/* bundle.h: the nests of many ranks as one. Ranks whose nests have the same structure (the same
 * loops of the same calls) are one class: what differs between them, parameters and costs, is
 * columns over its members. Adding a nest takes time in proportion to its structure. */
#ifndef ORRERY_TRACE_BUNDLE_H
#define ORRERY_TRACE_BUNDLE_H

#include "nest.h"
#include "trace/column/histogram.h"

struct bundle_class {
	/* Nodes in preorder: a call's number (of this class, by first appearance) times two, or
	 * the kids of a loop times two and one. */
	uint32_t *node;
	uint32_t nodes, top; /* top: how many of them are not in a loop */
	uint32_t calls, slots;
	struct call *call;       /* the first member's */
	struct column *param;    /* calls × CALL_FIELDS, over the members */
	uint32_t *histogram;     /* slots: number + 1 of the histogram that has its values */
	uint32_t **turns;        /* slots: of those with several: how many, then the numbers + 1 */
	uint32_t *maybe;         /* slots: the same, if the values may be drawn (bundle_settle) */
	struct column *cost;     /* slots, over the members: of those that have one value */
	struct column rank, own; /* the members; whether they have columns of their own */
};
/* Where in param the field of a call is: more than 32 bits say. */
static inline size_t class_param_at(uint32_t call, uint32_t field)
{
	return (size_t)call * CALL_FIELDS + field;
}
struct bundle_member {
	uint32_t rank;
	uint32_t cls;
	uint32_t bytes; /* of own */
	uint8_t *own;   /* its columns of more than one value; NULL: none */
};
struct bundle {
	struct interned lists, texts, keys;
	int precision;          /* per cent; 100: lossless */
	uint32_t ranks;         /* of the trace, if known: below 100, to tell peers by distance */
	struct interned places; /* of histograms: what their calls have in common */
	struct histogram *histogram;
	uint32_t cap_histograms;
	struct bundle_class *cls;
	uint32_t classes, cap_classes;
	struct bundle_member *member;
	uint32_t members, cap_members;
	uint64_t events, bytes; /* bytes: of the members' own columns */
};
void bundle_init(struct bundle *b, int precision);
void bundle_release(struct bundle *b);
/* Takes a nest that is closed. A rank may be in a bundle once. */
int bundle_add(struct bundle *b, uint32_t rank, const struct nest *n, struct err *err);
/* Under a precision level, when all ranks are in: what varies of messages and of loops around them
 * becomes histograms, if what the program waits for is messages and collectives only: then a reader
 * can draw them (stage.h). Returns whether it did, or -1. Before bundle_write; may be left out. */
int bundle_settle(struct bundle *b, struct err *err);
/* As bytes (docs/formats): the structure; the costs of which each member has one value. */
void bundle_write(const struct bundle *b, uint32_t ranks, struct str *structure, struct str *costs);

/* How the field of a call depends on the rank: as it is, its difference to the rank, that modulo
 * the number of ranks, exclusive or. */
enum relation { RELATION_NONE, RELATION_MINUS, RELATION_MODULO, RELATION_XOR, RELATIONS };
static inline int64_t relation_apply(enum relation r, int64_t rank, int64_t ranks, int64_t v)
{
	switch (r) {
	case RELATION_MINUS:
		return rank + v;
	case RELATION_MODULO:
		return (rank + v) % ranks;
	case RELATION_XOR:
		return rank ^ v;
	default:
		return v;
	}
}
static inline int64_t call_field_default(enum call_field f)
{
	return f >= CALL_REQ && f <= CALL_REGION ? -1 : 0;
}
static inline int call_field_is_list(enum call_field f)
{
	return f >= CALL_COUNTS && f <= CALL_DONE;
}

#endif
