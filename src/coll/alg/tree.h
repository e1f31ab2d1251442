/* tree.h: the trees that collectives run on. Each is a function of (p, root, rank) to a parent
 * and children, in ranks of the communicator. */
#ifndef ORRERY_COLL_TREE_H
#define ORRERY_COLL_TREE_H

#include "coll/coll_int.h"

enum { TREE_CHILDREN_MAX = 128 };
struct tree {
	uint32_t parent; /* the root's: itself */
	uint32_t n;
	uint32_t child[TREE_CHILDREN_MAX];
};

typedef struct tree tree_fn(const struct coll_args *a, uint32_t rank);

/* Open MPI, coll_base_topo. The non-roots, from root+1 on, in `columns` chains of consecutive ranks
 * (at most 128); the first ones longer. */
struct tree tree_chains(const struct coll_args *a, uint32_t rank, uint32_t columns);
struct tree tree_chain(const struct coll_args *a, uint32_t rank); /* one column */
/* Open MPI, build_tree(k): levels hold 1, k, k^2 … virtual ranks; children of v on level l: v +
 * k^l, v + 2 k^l … */
struct tree tree_levels(const struct coll_args *a, uint32_t rank, uint32_t k);
struct tree tree_binary(const struct coll_args *a, uint32_t rank); /* k = 2 */
/* Rooted at p-1 whatever a->root; every subtree is a range of ranks, its root the highest. */
struct tree tree_in_order_binary(const struct coll_args *a, uint32_t rank);
/* Children v+1, v+2, v+4 …: every subtree is a range of virtual ranks, its root the lowest. */
struct tree tree_in_order_binomial(const struct coll_args *a, uint32_t rank);
/* Ranks in the subtree of virtual rank v, v … v + span - 1: up to the next with as low a bit. */
uint32_t tree_in_order_binomial_span(const struct coll_args *a, uint32_t v);
/* The other way round (build_bmtree): the parent of v lacks its highest bit; children v + 2^i for
 * bits above, the nearest first. */
struct tree tree_binomial(const struct coll_args *a, uint32_t rank);
/* k, or the largest below it of which no rank of a k-ary or k-nomial tree has over
 * TREE_CHILDREN_MAX children. */
uint32_t tree_k(const struct coll_args *a, uint32_t k);
/* k-nomial: the parent of v lacks its lowest digit that is not 0, to the base k. Children of the
 * highest digit first; within a digit the nearest first (Open MPI, build_kmtree), or the farthest
 * (MPICH, knomial_2). */
struct tree tree_knomial_ompi(const struct coll_args *a, uint32_t rank, uint32_t k);
struct tree tree_knomial_2(const struct coll_args *a, uint32_t rank, uint32_t k);
/* MPICH, knomial_1: every subtree is a range of virtual ranks, the largest subtree first; kary:
 * children kv + 1 … kv + k. */
struct tree tree_knomial_1(const struct coll_args *a, uint32_t rank, uint32_t k);
struct tree tree_kary(const struct coll_args *a, uint32_t rank, uint32_t k);
/* Ranks in the subtree of virtual rank v of knomial_1: v … v + span - 1. */
uint32_t tree_knomial_1_span(const struct coll_args *a, uint32_t v, uint32_t k);
/* A heap on ranks, whatever the root: children 2r+1, 2r+2. */
struct tree tree_heap(const struct coll_args *a, uint32_t rank);
/* A line 0, 1, … p-1, whatever the root. */
struct tree tree_line(const struct coll_args *a, uint32_t rank);

/* A buffer of `count` elements in segments of `each` (the last perhaps shorter, the first one by
 * `lacks`); n = 0 if count is 0. */
struct segments {
	int64_t each, lacks, n, count, type_size;
};
/* As Open MPI computes them: elements that fill `bytes`, one more if over half of it fits; 0 bytes,
 * or all fits: one segment. */
struct segments segments_ompi(const struct coll_args *a, int64_t bytes);
/* As MPICH: elements that fill `bytes`, what is left in the first segment; 0 bytes, or less than an
 * element: one segment. */
struct segments segments_mpich(const struct coll_args *a, int64_t bytes);
/* As STAR-MPI: whole elements in `bytes`, at least one; all of them if they have no bytes. The
 * remainder is a last segment of its own. */
struct segments segments_star(const struct coll_args *a, int64_t bytes);
/* Of these the whole ones; a single one of all there is if that is not more than one. */
struct segments segments_star_whole(const struct coll_args *a, int64_t bytes);
struct piece segment_piece(const struct segments *s, enum coll_buf buf, int64_t i);

#endif
