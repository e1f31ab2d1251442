/* nest_int.h: what the files of a nest share. */
#ifndef ORRERY_TRACE_NEST_INT_H
#define ORRERY_TRACE_NEST_INT_H

#include "nest.h"

static inline uint64_t leaf_hash(uint32_t call)
{
	return hash_mix(call + UINT64_C(0x9e3779b97f4a7c15));
}

/* All of these: NODE_NONE or -1 with *err set; the nest can then only be released. */
struct column *node_columns(struct node *d);
uint32_t node_leaf(struct nest *n, uint32_t call, const int64_t *value, struct err *err);
int leaf_put(struct nest *n, uint32_t leaf, const int64_t *value, struct err *err);
/* A loop of these nodes, which become its own; it has not run yet. */
uint32_t node_loop(struct nest *n, const uint32_t *kid, uint32_t kids, struct err *err);
int node_same(const struct nest *n, uint32_t a, uint32_t b);
/* a goes on with what b has, which is freed. */
int node_absorb(struct nest *n, uint32_t a, uint32_t b, struct err *err);
/* Takes the last `times` of a out of it: a node of the same structure. */
uint32_t node_split(struct nest *n, uint32_t a, uint32_t times, struct err *err);

#endif
