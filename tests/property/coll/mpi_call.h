/* mpi_call.h: one collective call as a program makes it, drawn at random; the arguments that each
 * rank gives for it (coll.h); and what MPI says that each rank has at its end, worked out on real
 * bytes, rank by rank, from the text of the standard (MPI 4.0, chapter 6; on intercommunicators
 * 6.2.2 and each operation's own paragraph). Shares nothing with src/coll/verify.
 *
 * Elements: rank r sends elements of e x[r] bytes and receives such of e y[r]; a block of k units
 * has k e u bytes, u being a multiple of all x and y, so that the two sides, and different ranks,
 * describe one block with different counts. Reductions and broadcasts have one type (u = 1).
 * Operators act on whole elements:
 *   OP_SUM     an element is one number of so many bytes, added with carry: a part of an element
 *              cannot be added alone
 *   OP_AFFINE  an element is maps x -> a x + b modulo 251, a byte each, composed: associative,
 *              not commutative */
#ifndef ORRERY_TESTS_COLL_MPI_CALL_H
#define ORRERY_TESTS_COLL_MPI_CALL_H

#include "coll/coll.h"
#include "property/prop.h"

#include <stdlib.h>
#include <string.h>

enum { CALL_RANKS = 20 };
enum call_op { OP_SUM, OP_AFFINE };

struct mpi_call {
	enum coll_kind kind;
	uint32_t p, split, root; /* on an intercommunicator, ranks below split are one group */
	int64_t e, u, k, x[CALL_RANKS], y[CALL_RANKS];
	int64_t pair[CALL_RANKS][CALL_RANKS], own[CALL_RANKS]; /* units, of vector forms */
	enum call_op op;
	uint8_t in_place, uses_displs, sizes_only, basic_type, placed, compat;
	uint8_t insignificant; /* what MPI does not look at is left 0 */
	int64_t segment;
	uint32_t fanout;
	struct coll_shape shape;
	struct coll_policy policy;
	/* What args_make keeps for the arguments. */
	int64_t counts[CALL_RANKS][CALL_RANKS], counts2[CALL_RANKS][CALL_RANKS],
	    displs[CALL_RANKS][CALL_RANKS], displs2[CALL_RANKS][CALL_RANKS];
	/* The data: of the send side, and expected at the end where `defined` says so. */
	uint8_t *data[CALL_RANKS], *want[CALL_RANKS];
	uint8_t defined[CALL_RANKS];
	/* Instead of all above, of neighbourhoods (prop_neighbor_bytes.c): each rank's arguments,
	 * and the bytes of its buffers. */
	const struct coll_args *given;
	int64_t outs[CALL_RANKS], ins[CALL_RANKS];
};

static inline int call_is_rooted(enum coll_kind k)
{
	return k == COLL_BCAST || k == COLL_REDUCE || k == COLL_GATHER || k == COLL_GATHERV ||
	       k == COLL_SCATTER || k == COLL_SCATTERV;
}
static inline int call_reduces(enum coll_kind k)
{
	return k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_REDUCE_SCATTER ||
	       k == COLL_REDUCE_SCATTER_BLOCK || k == COLL_SCAN || k == COLL_EXSCAN;
}
static inline int call_shares_out(enum coll_kind k)
{
	return k == COLL_REDUCE_SCATTER || k == COLL_REDUCE_SCATTER_BLOCK;
}
static inline int call_has_own(enum coll_kind k)
{
	return k == COLL_GATHERV || k == COLL_SCATTERV || k == COLL_ALLGATHERV ||
	       call_shares_out(k);
}
static inline int call_has_pairs(enum coll_kind k)
{
	return k == COLL_ALLTOALLV || k == COLL_ALLTOALLW;
}

/* --- who is concerned --- */

/* The ranks whose data reach r: all, or the other group. */
static inline uint32_t call_from(const struct mpi_call *c, uint32_t r)
{
	return c->split && r < c->split ? c->split : 0;
}
static inline uint32_t call_to(const struct mpi_call *c, uint32_t r)
{
	return c->split && r >= c->split ? c->split : c->p;
}
static inline int call_same_group(const struct mpi_call *c, uint32_t a, uint32_t b)
{
	return !c->split || (a < c->split) == (b < c->split);
}
/* Does r give its data to a rooted operation that collects? */
static inline int call_gives(const struct mpi_call *c, uint32_t r)
{
	return !c->split || !call_same_group(c, r, c->root);
}

/* --- bytes --- */

static inline int64_t call_unit(const struct mpi_call *c)
{
	return c->e * c->u;
}
/* What i gives for j: of reduce_scatter, the part of the vector that is j's. */
static inline int64_t call_block(const struct mpi_call *c, uint32_t i, uint32_t j)
{
	int64_t units = c->k;

	if (call_has_pairs(c->kind))
		units = c->pair[i][j];
	else if (c->kind == COLL_GATHERV || c->kind == COLL_ALLGATHERV)
		units = c->own[i];
	else if (c->kind == COLL_SCATTERV || call_shares_out(c->kind))
		units = c->own[j];
	return units * call_unit(c);
}
/* The vector that a reduce_scatter begins with: of r's group's shares (both groups' are as long).
 */
static inline int64_t call_vector(const struct mpi_call *c, uint32_t r)
{
	int64_t n = 0;

	for (uint32_t j = 0; j < c->p; j++)
		n += call_same_group(c, j, r) ? c->own[j] * call_unit(c) : 0;
	return n;
}
static inline int64_t call_out(const struct mpi_call *c, uint32_t r)
{
	int64_t n = 0;
	int to_each = c->kind == COLL_ALLTOALL || call_has_pairs(c->kind) ||
	              ((c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV) && r == c->root);

	if (c->given)
		return c->outs[r];
	if (c->kind == COLL_BARRIER || c->kind == COLL_BCAST)
		return 0;
	if ((c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV) && r != c->root)
		return 0;
	if (call_is_rooted(c->kind) && r != c->root && !call_gives(c, r))
		return 0;
	if (call_is_rooted(c->kind) && c->split && r == c->root && !to_each)
		return 0;
	if (call_shares_out(c->kind))
		return call_vector(c, r);
	for (uint32_t j = call_from(c, r); to_each && j < call_to(c, r); j++)
		n += call_block(c, r, j);
	return to_each ? n : call_block(c, r, r);
}
static inline int64_t call_in(const struct mpi_call *c, uint32_t r)
{
	int64_t n = 0;
	int collects = c->kind == COLL_GATHER || c->kind == COLL_GATHERV,
	    from_each = c->kind == COLL_ALLTOALL || call_has_pairs(c->kind) ||
	                c->kind == COLL_ALLGATHER || c->kind == COLL_ALLGATHERV || collects;

	if (c->given)
		return c->ins[r];
	if (c->kind == COLL_BARRIER)
		return 0;
	if ((collects || c->kind == COLL_REDUCE) && r != c->root)
		return 0;
	if (call_is_rooted(c->kind) && r != c->root && !call_gives(c, r))
		return 0;
	if ((c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV) && c->split && r == c->root)
		return 0;
	for (uint32_t i = call_from(c, r); from_each && i < call_to(c, r); i++)
		n += call_block(c, i, r);
	return from_each ? n : call_block(c, c->root, r);
}

/* --- operators, on n bytes: into = left op right; into may be either --- */

static inline void op_sum(uint8_t *into, const uint8_t *left, const uint8_t *right, int64_t n,
                          int64_t element)
{
	unsigned carry = 0;

	for (int64_t i = 0; i < n; i++) {
		carry = (i % element ? carry : 0) + left[i] + right[i];
		into[i] = (uint8_t)carry;
		carry >>= 8;
	}
}
/* (a, b) then (c, d): x -> c (a x + b) + d */
static inline void op_affine(uint8_t *into, const uint8_t *left, const uint8_t *right, int64_t n)
{
	for (int64_t i = 0; i + 1 < n; i += 2) {
		unsigned a = left[i], b = left[i + 1], c = right[i], d = right[i + 1];

		into[i] = (uint8_t)(a * c % 251);
		into[i + 1] = (uint8_t)((c * b + d) % 251);
	}
}
static inline void call_combine(const struct mpi_call *c, uint8_t *into, const uint8_t *left,
                                const uint8_t *right, int64_t n)
{
	if (c->op == OP_SUM)
		op_sum(into, left, right, n, c->e);
	else
		op_affine(into, left, right, n);
}

/* --- what MPI says --- */

/* Where the block for j begins in i's send buffer. */
static inline int64_t call_offset(const struct mpi_call *c, uint32_t i, uint32_t j)
{
	int64_t n = 0;

	for (uint32_t k = call_from(c, i); k < j; k++)
		n += call_block(c, i, k);
	return n;
}
/* `n` bytes at off of the vectors of ranks lo … hi-1, in rank order. */
static inline void want_reduction(struct mpi_call *c, uint32_t r, int64_t off, uint32_t lo,
                                  uint32_t hi)
{
	int64_t n = call_in(c, r);

	c->defined[r] = lo < hi;
	for (uint32_t i = lo; i < hi; i++)
		if (i == lo)
			memcpy(c->want[r], c->data[i] + off, (size_t)n);
		else
			call_combine(c, c->want[r], c->want[r], c->data[i] + off, n);
}
static inline int64_t share_offset(const struct mpi_call *c, uint32_t r)
{
	int64_t n = 0;

	for (uint32_t j = 0; j < r; j++)
		n += call_same_group(c, j, r) ? c->own[j] * call_unit(c) : 0;
	return n;
}
static inline void want_blocks(struct mpi_call *c, uint32_t r)
{
	int to_each = c->kind == COLL_ALLTOALL || call_has_pairs(c->kind);
	int64_t at = 0;

	for (uint32_t i = call_from(c, r); i < call_to(c, r); i++) {
		int64_t n = call_block(c, i, r), from = to_each ? call_offset(c, i, r) : 0;

		memcpy(c->want[r] + at, c->data[i] + from, (size_t)n);
		at += n;
	}
}
static inline void want_of(struct mpi_call *c, uint32_t r)
{
	uint32_t lo = call_from(c, r), hi = call_to(c, r);

	c->defined[r] = 1;
	if (call_in(c, r) == 0)
		return;
	if (call_shares_out(c->kind))
		want_reduction(c, r, share_offset(c, r), lo, hi);
	else if (call_reduces(c->kind))
		want_reduction(c, r, 0, lo,
		               c->kind == COLL_SCAN     ? r + 1
		               : c->kind == COLL_EXSCAN ? r
		                                        : hi);
	else if (c->kind == COLL_BCAST)
		memcpy(c->want[r], c->data[c->root], (size_t)call_in(c, r));
	else if (c->kind == COLL_SCATTER || c->kind == COLL_SCATTERV)
		memcpy(c->want[r], c->data[c->root] + call_offset(c, c->root, r),
		       (size_t)call_in(c, r));
	else
		want_blocks(c, r);
}

/* --- drawing --- */

static inline uint8_t *bytes_new(int64_t n)
{
	uint8_t *b = calloc(1, (size_t)n + 1);

	if (!b)
		abort();
	return b;
}
/* Any bytes; for OP_AFFINE residues, the factor not 0. */
static inline void data_fill(const struct mpi_call *c, uint8_t *b, int64_t n, struct rng *r)
{
	for (int64_t i = 0; i < n; i++)
		b[i] = c->op == OP_AFFINE ? (uint8_t)(1 + rng_below(r, 250)) : (uint8_t)rng_u64(r);
}
static inline void data_draw(struct mpi_call *c, struct rng *r)
{
	for (uint32_t i = 0; i < c->p; i++) {
		int64_t n = call_out(c, i);

		n = c->kind == COLL_BCAST && i == c->root ? call_block(c, i, i) : n;
		c->data[i] = bytes_new(n);
		c->want[i] = bytes_new(call_in(c, i));
		data_fill(c, c->data[i], n, r);
	}
	for (uint32_t i = 0; i < c->p; i++)
		want_of(c, i);
}
static inline int64_t units_draw(struct rng *r, int64_t most)
{
	return prop_once_in(r, 3) ? 0 : prop_from(r, 0, (uint32_t)most);
}
/* Both groups share out as much: the second gets what the first has, cut elsewhere. */
static inline void shares_level(struct mpi_call *c)
{
	int64_t first = 0, left;

	for (uint32_t i = 0; i < c->split; i++)
		first += c->own[i];
	left = first;
	for (uint32_t i = c->split; i < c->p; i++) {
		c->own[i] = i + 1 < c->p && c->own[i] < left ? c->own[i] : left;
		left -= i + 1 < c->p ? c->own[i] : 0;
		left = left < 0 ? 0 : left;
	}
}
static inline void units_of_all(struct mpi_call *c, struct rng *r, int64_t most)
{
	int64_t block = c->split ? 1 + units_draw(r, 3) : c->k;

	for (uint32_t i = 0; i < c->p; i++) {
		c->own[i] = units_draw(r, most);
		for (uint32_t j = 0; j < c->p; j++)
			c->pair[i][j] = units_draw(r, most);
		if (c->kind ==
		    COLL_REDUCE_SCATTER_BLOCK) /* k of one times its size = the other's */
			c->own[i] = !c->split ? block
			                      : block * (i < c->split ? c->p - c->split : c->split);
	}
	if (c->kind == COLL_REDUCE_SCATTER && c->split)
		shares_level(c);
	for (uint32_t i = 0; c->in_place && i < c->p; i++) /* one buffer: as much back as there */
		for (uint32_t j = 0; j < i; j++)
			c->pair[i][j] = c->pair[j][i];
}
static inline void shape_draw(struct mpi_call *c, struct rng *r)
{
	uint32_t host[CALL_RANKS], each = prop_from(r, 1, 4), how = prop_from(r, 0, 2);
	struct err err;

	for (uint32_t i = 0; i < c->p; i++)
		host[i] = how == 0   ? i / each
		          : how == 1 ? i % (1 + c->p / (each + 1))
		                     : (uint32_t)rng_below(r, 1 + c->p / each);
	if (coll_shape_init(&c->shape, host, c->p, &err) < 0)
		abort();
}
static inline int has_in_place(enum coll_kind k)
{
	return k != COLL_BARRIER && k != COLL_BCAST && k != COLL_SCATTER && k != COLL_SCATTERV;
}
static inline void types_draw(struct mpi_call *c, struct rng *r)
{
	static const int64_t bytes[] = {1, 2, 3, 4, 8, 16, 40};
	int one_type = call_reduces(c->kind) || c->kind == COLL_BCAST || c->kind == COLL_ALLTOALLW;
	int of_all = prop_once_in(r, 3); /* or each rank has its own */
	static const int64_t parts[] = {1, 2, 3, 6};

	c->e = c->kind == COLL_ALLTOALLW ? 1 : bytes[rng_below(r, c->kind == COLL_BCAST ? 7 : 5)];
	c->u = one_type || prop_once_in(r, 3) ? 1 : 6;
	for (uint32_t i = 0; i < c->p; i++) {
		c->x[i] = c->u == 1 ? 1 : of_all && i ? c->x[0] : parts[rng_below(r, 4)];
		c->y[i] = c->u == 1     ? 1
		          : c->in_place ? c->x[i]
		          : of_all && i ? c->y[0]
		                        : parts[rng_below(r, 4)];
	}
	c->op = call_reduces(c->kind) && prop_once_in(r, 3) ? OP_AFFINE : OP_SUM;
	if (c->op == OP_AFFINE)
		c->e = 2 * prop_from(r, 1, 4);
}
static inline void call_draw(struct mpi_call *c, enum coll_kind kind, int inter, struct rng *r)
{
	static const int64_t segments[] = {0, 0, 1, COLL_WHOLE, 7, 64, 500};
	uint32_t selectors = 0;

	while (coll_selectors[selectors])
		selectors++;
	memset(c, 0, sizeof *c);
	c->kind = kind;
	c->p = prop_from(r, inter ? 2 : 1, CALL_RANKS);
	c->split = inter ? prop_from(r, 1, c->p - 1) : 0;
	c->root = call_is_rooted(kind) ? prop_from(r, 0, c->p - 1) : 0;
	c->in_place = !inter && has_in_place(kind) && prop_once_in(r, 4);
	types_draw(c, r);
	c->k = units_draw(r, prop_once_in(r, 4) ? 300 : 30);
	c->basic_type = (uint8_t)rng_below(r, 2);
	c->segment = segments[rng_below(r, 7)];
	c->fanout = prop_once_in(r, 2) ? 0 : prop_from(r, 1, 6);
	c->policy = (struct coll_policy){.selector = coll_selectors[rng_below(r, selectors)]};
	c->placed = !inter && prop_once_in(r, 2);
	c->insignificant = !inter && prop_once_in(r, 2);
	if (c->placed)
		shape_draw(c, r);
	units_of_all(c, r, prop_once_in(r, 4) ? 40 : 6);
	data_draw(c, r);
}
static inline void call_release(struct mpi_call *c)
{
	for (uint32_t i = 0; i < c->p; i++) {
		free(c->data[i]);
		free(c->want[i]);
	}
	if (c->placed)
		coll_shape_release(&c->shape);
}

/* --- the arguments of rank r, as coll.h describes them --- */

static inline void sums(const int64_t *counts, int64_t *displs, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		displs[i] = i ? displs[i - 1] + counts[i - 1] : 0;
}
/* The counts of rank r's blocks, from place 0: of those it sends to, and of those it gets. */
static inline void counts_of(struct mpi_call *c, uint32_t r)
{
	uint32_t lo = call_from(c, r), hi = call_to(c, r);

	if (call_shares_out(c->kind) && c->split) { /* its own group's shares */
		lo = r < c->split ? 0 : c->split;
		hi = r < c->split ? c->split : c->p;
	}
	for (uint32_t i = lo; i < hi; i++) {
		c->counts[r][i - lo] = call_block(c, r, i) / (c->e * c->x[r]);
		c->counts2[r][i - lo] = call_block(c, call_shares_out(c->kind) ? r : i,
		                                   call_shares_out(c->kind) ? i : r) /
		                        (c->e * c->y[r]);
	}
	sums(c->counts[r], c->displs[r], hi - lo);
	sums(c->counts2[r], c->displs2[r], hi - lo);
}
static inline uint32_t args_root(const struct mpi_call *c, uint32_t r)
{
	return c->split && r != c->root && call_same_group(c, r, c->root) ? COLL_NO_ROOT : c->root;
}
static inline void args_vectors(struct mpi_call *c, uint32_t r, struct coll_args *a)
{
	int sends = call_has_pairs(c->kind) || (c->kind == COLL_SCATTERV && r == c->root),
	    gets = call_has_pairs(c->kind) || c->kind == COLL_ALLGATHERV ||
	           c->kind == COLL_REDUCE_SCATTER || (c->kind == COLL_GATHERV && r == c->root);

	counts_of(c, r);
	a->counts = sends ? c->counts[r] : NULL;
	a->counts2 = gets ? c->counts2[r] : NULL;
	a->displs = sends && c->uses_displs ? c->displs[r] : NULL;
	a->displs2 = gets && c->uses_displs ? c->displs2[r] : NULL;
}
static inline void args_of(struct mpi_call *c, uint32_t r, struct coll_args *a)
{
	int64_t block = (call_has_own(c->kind) ? c->own[r] : c->k) * call_unit(c);

	if (c->given) {
		*a = c->given[r];
		return;
	}
	*a = (struct coll_args){.kind = c->kind,
	                        .size = c->p,
	                        .split = c->split,
	                        .root = call_is_rooted(c->kind) ? args_root(c, r) : 0,
	                        .count = block / (c->e * c->x[r]),
	                        .count2 = block / (c->e * c->y[r]),
	                        .type_size = c->e * c->x[r],
	                        .type_size2 = c->e * c->y[r],
	                        .shape = c->placed ? &c->shape : NULL,
	                        .policy = &c->policy,
	                        .segment = c->segment,
	                        .fanout = c->fanout,
	                        .commutative = c->op == OP_SUM,
	                        .in_place = c->in_place,
	                        .sizes_only = c->sizes_only,
	                        .compat = c->compat,
	                        .basic_type = c->basic_type};
	if (c->insignificant && c->kind == COLL_GATHER && r != c->root) {
		a->count2 = 0; /* the root's alone, as libmpi and traces leave it */
		a->type_size2 = a->type_size;
	}
	if (c->insignificant && c->kind == COLL_SCATTER && r != c->root) {
		a->count = 0;
		a->type_size = a->type_size2;
	}
	if (c->kind == COLL_ALLGATHER || c->kind == COLL_ALLGATHERV)
		a->element = c->e * c->y[0];
	if (c->kind == COLL_BARRIER)
		a->count = a->count2 = a->type_size = a->type_size2 = 0;
	if (c->kind == COLL_REDUCE_SCATTER)
		a->count = a->count2 = 0;
	args_vectors(c, r, a);
}

#endif
