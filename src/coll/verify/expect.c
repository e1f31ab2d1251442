/* expect.c: the meaning of collectives. */
#include "expect.h"

/* Elements of block i, and before it. */
static int64_t block(const int64_t *counts, int64_t count, uint32_t i)
{
	return counts ? counts[i] : count;
}
static int64_t before(const int64_t *counts, int64_t count, uint32_t i)
{
	int64_t sum = 0;
	for (uint32_t k = 0; counts && k < i; k++)
		sum += counts[k];
	return counts ? sum : count * i;
}

int expect_is_reduction(enum coll_kind k)
{
	return k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_REDUCE_SCATTER ||
	       k == COLL_REDUCE_SCATTER_BLOCK || k == COLL_SCAN || k == COLL_EXSCAN;
}

static int is_scatter(enum coll_kind k)
{
	return k == COLL_SCATTER || k == COLL_SCATTERV;
}
static int is_gather(enum coll_kind k)
{
	return k == COLL_GATHER || k == COLL_GATHERV;
}
static int is_allgather(enum coll_kind k)
{
	return k == COLL_ALLGATHER || k == COLL_ALLGATHERV;
}
static int is_alltoall(enum coll_kind k)
{
	return k == COLL_ALLTOALL || k == COLL_ALLTOALLV || k == COLL_ALLTOALLW;
}
static int is_reduce_scatter(enum coll_kind k)
{
	return k == COLL_REDUCE_SCATTER || k == COLL_REDUCE_SCATTER_BLOCK;
}

static int is_neighborhood(enum coll_kind k)
{
	return k >= COLL_NEIGHBOR_ALLGATHER && k <= COLL_NEIGHBOR_ALLTOALLW;
}

int64_t expect_send_bytes(const struct coll_args *a, uint32_t rank)
{
	if (a->kind == COLL_BARRIER || a->kind == COLL_BCAST)
		return 0;
	if (is_scatter(a->kind))
		return rank == a->root ? before(a->counts, a->count, a->size) * a->type_size : 0;
	if (is_alltoall(a->kind))
		return before(a->counts, a->count, a->size) * a->type_size;
	if (is_reduce_scatter(a->kind))
		return before(a->counts2, a->count, a->size) * a->type_size;
	if (is_neighborhood(a->kind) && a->kind >= COLL_NEIGHBOR_ALLTOALL)
		return before(a->counts, a->count, a->n_destinations) * a->type_size;
	return a->count * a->type_size;
}

int64_t expect_recv_bytes(const struct coll_args *a, uint32_t rank)
{
	if (a->kind == COLL_BARRIER)
		return 0;
	if (is_neighborhood(a->kind))
		return before(a->counts2, a->count2, a->n_sources) * a->type_size2;
	if (is_gather(a->kind))
		return rank == a->root ? before(a->counts2, a->count2, a->size) * a->type_size2 : 0;
	if (is_allgather(a->kind) || is_alltoall(a->kind))
		return before(a->counts2, a->count2, a->size) * a->type_size2;
	if (is_scatter(a->kind))
		return a->count2 * a->type_size2;
	if (is_reduce_scatter(a->kind))
		return block(a->counts2, a->count, rank) * a->type_size;
	return a->kind == COLL_REDUCE && rank != a->root ? 0 : a->count * a->type_size;
}

/* Appends n bytes at off, from byte `index` of the ranks lo … hi-1. */
static int put(struct sets *s, struct runs *out, int64_t off, int64_t n, int64_t index, uint32_t lo,
               uint32_t hi, struct err *err)
{
	struct run run = {.off = off, .len = n, .index = index};
	return sets_range(s, lo, hi, &run.whose, err) < 0 ? -1 : runs_add(out, run, err);
}

int expect_contribution(struct sets *s, const struct coll_args *a, uint32_t rank, struct runs *out,
                        struct err *err)
{
	int64_t n = a->kind == COLL_BCAST && rank == a->root ? a->count * a->type_size
	                                                     : expect_send_bytes(a, rank);
	out->n = 0;
	return put(s, out, 0, n, 0, rank, rank + 1, err);
}

int64_t expect_in_place_offset(const struct coll_args *a, uint32_t rank)
{
	return is_gather(a->kind) || is_allgather(a->kind)
	           ? before(a->counts2, a->count2, rank) * a->type_size2
	           : 0;
}

static int result_reduction(struct sets *s, const struct coll_args *a, uint32_t rank,
                            struct runs *out, struct err *err)
{
	int64_t n = expect_recv_bytes(a, rank), index = 0;
	uint32_t hi = a->size;
	if (is_reduce_scatter(a->kind))
		index = before(a->counts2, a->count, rank) * a->type_size;
	if (a->kind == COLL_SCAN)
		hi = rank + 1;
	if (a->kind == COLL_EXSCAN)
		hi = rank;
	return hi ? put(s, out, 0, n, index, 0, hi, err) : 0;
}

/* Block i of the result is from rank i. */
static int result_blocks(struct sets *s, const struct coll_args *args, uint32_t rank,
                         struct runs *out, struct err *err)
{
	const struct coll_args *a = &args[rank];
	int64_t off = 0;
	for (uint32_t i = 0; i < a->size; i++) {
		int64_t n = block(a->counts2, a->count2, i) * a->type_size2;
		int64_t index = is_alltoall(a->kind) ? before(args[i].counts, args[i].count, rank) *
		                                           args[i].type_size
		                                     : 0;
		if (put(s, out, off, n, index, i, i + 1, err) < 0)
			return -1;
		off += n;
	}
	return 0;
}

/* Which block of its i-th source is for this rank: on a grid (one list for both directions) that of
 * the opposite direction; in a graph, the source standing there for the k-th time, the one of the
 * k-th time that the source has this rank as its destination. */
static uint32_t source_block(const struct coll_args *args, uint32_t rank, uint32_t i)
{
	const struct coll_args *a = &args[rank], *src = &args[a->sources[i]];
	uint32_t times = 0, k = 0;
	if (a->sources == a->destinations)
		return i ^ 1;
	for (uint32_t j = 0; j < i; j++)
		times += a->sources[j] == a->sources[i];
	for (;; k++)
		if (src->destinations[k] == (int32_t)rank && times-- == 0)
			return k;
}

static int result_neighbors(struct sets *s, const struct coll_args *args, uint32_t rank,
                            struct runs *out, struct err *err)
{
	const struct coll_args *a = &args[rank];
	int64_t off = 0;
	for (uint32_t i = 0; i < a->n_sources; i++) {
		int64_t n = block(a->counts2, a->count2, i) * a->type_size2, index = 0;
		uint32_t from = a->sources[i] < 0 ? 0 : (uint32_t)a->sources[i];
		if (a->sources[i] >= 0 && a->kind >= COLL_NEIGHBOR_ALLTOALL)
			index = before(args[from].counts, args[from].count,
			               source_block(args, rank, i)) *
			        args[from].type_size;
		if (a->sources[i] >= 0 && put(s, out, off, n, index, from, from + 1, err) < 0)
			return -1;
		off += n;
	}
	return 0;
}

int expect_result(struct sets *s, const struct coll_args *args, uint32_t rank, struct runs *out,
                  struct err *err)
{
	const struct coll_args *a = &args[rank], *root = &args[a->root];
	int64_t n = expect_recv_bytes(a, rank);
	out->n = 0;
	if (n == 0)
		return 0;
	if (expect_is_reduction(a->kind))
		return result_reduction(s, a, rank, out, err);
	if (is_neighborhood(a->kind))
		return result_neighbors(s, args, rank, out, err);
	if (a->kind == COLL_BCAST)
		return put(s, out, 0, n, 0, a->root, a->root + 1, err);
	if (is_scatter(a->kind))
		return put(s, out, 0, n, before(root->counts, root->count, rank) * root->type_size,
		           a->root, a->root + 1, err);
	return result_blocks(s, args, rank, out, err);
}
