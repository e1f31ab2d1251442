/* two_trees.h: sums up and data down two trees at once, in segments (two_trees.c). The
 * trees are the author's. */
#ifndef ORRERY_COLL_TWO_TREES_H
#define ORRERY_COLL_TWO_TREES_H

#include "coll/coll_int.h"

enum { TWO_TREES_NOBODY = 0xffffffffu };
enum { TWO_TREES_CHILDREN = 3 };

/* A rank's neighbours in a tree. up NOBODY: the root. */
struct tree_links {
	uint32_t up, down[TWO_TREES_CHILDREN], n;
	uint32_t depth; /* of the root: 0; one more than the parent's */
};
typedef struct tree_links tree_links_fn(const struct coll_args *a, uint32_t rank, int tree);

struct two_trees {
	tree_links_fn *links;
	uint32_t height; /* no rank is deeper; the same at all ranks */
	int64_t segment; /* bytes */
	int up, down;    /* reduce: up; bcast: down; allreduce: both. Upwards there must be room for
	                    two_trees_tmp() */
};
int two_trees_round(const struct two_trees *t, const struct coll_args *a, uint32_t rank,
                    uint32_t round, struct coll_steps *out);
int64_t two_trees_tmp(const struct coll_args *a, uint32_t rank);

/* Place v of n in the first of two trees (an in-order binary tree below 0) and in the second, of
 * the same form: places mirrored (an even number) or shifted by one. keeps_root: 0 is the root of
 * both, and the others are turned. Neighbours are places; NCCL, src/graph/trees.cc. */
struct tree_links two_trees_links(uint32_t n, uint32_t v, int tree, int keeps_root);

#endif
