/* args.c: what the arguments of a call say about its buffers. */
#include "coll_int.h"

void coll_args_count(struct coll_args *a)
{
	a->counted = a->counts2 != NULL;
	if (!a->counts2)
		return;
	a->least2 = a->most2 = a->counts2[0];
	for (uint32_t i = 1; i < a->size; i++) {
		a->least2 = a->counts2[i] < a->least2 ? a->counts2[i] : a->least2;
		a->most2 = a->counts2[i] > a->most2 ? a->counts2[i] : a->most2;
	}
}

static int are_known_equal(const struct coll_args *a)
{
	return a->counts2 && a->counted && a->least2 == a->most2;
}

/* Elements before block i. */
static int64_t sum_before(const struct coll_args *a, const int64_t *counts, const int64_t *displs,
                          uint32_t i)
{
	if (displs)
		return displs[i];
	int64_t sum = 0;
	if (counts == a->counts2 && are_known_equal(a))
		return i * counts[0];
	if (!a->sizes_only)
		for (uint32_t k = 0; k < i; k++)
			sum += counts[k];
	return sum;
}

static struct piece piece_block(const struct coll_args *a, enum coll_buf buf, const int64_t *counts,
                                const int64_t *displs, int64_t count, int64_t type_size, uint32_t i)
{
	if (counts)
		return piece_at(buf, sum_before(a, counts, displs, i) * type_size,
		                counts[i] * type_size);
	return piece_at(buf, (int64_t)i * count * type_size, count * type_size);
}

static int is_reduce_scatter(const struct coll_args *a)
{
	return a->kind == COLL_REDUCE_SCATTER || a->kind == COLL_REDUCE_SCATTER_BLOCK;
}

static int64_t sum_all(const int64_t *counts, int64_t count, uint32_t lo, uint32_t hi)
{
	if (!counts)
		return count * (hi - lo);
	int64_t sum = 0;
	for (uint32_t i = lo; i < hi; i++)
		sum += counts[i];
	return sum;
}

int64_t coll_block_elements(const struct coll_args *a, uint32_t lo, uint32_t hi)
{
	if (are_known_equal(a))
		return a->counts2[0] * (hi - lo);
	return sum_all(a->counts2, is_reduce_scatter(a) ? a->count : a->count2, lo, hi);
}

void coll_bcast_received(const struct coll_args *whole, struct coll_args *phase, int64_t bytes)
{
	int64_t element = whole->element ? whole->element : whole->type_size2;
	phase->kind = COLL_BCAST;
	phase->root = 0;
	phase->type_size = element && bytes % element == 0 ? element : 1;
	phase->count = bytes / phase->type_size;
}

int coll_counts_equal(const struct coll_args *a)
{
	if (!a->counts2 || a->counted)
		return !a->counts2 || a->least2 == a->most2;
	for (uint32_t i = 1; i < a->size; i++)
		if (a->counts2[i] != a->counts2[0])
			return 0;
	return 1;
}

int coll_counts_alike(const struct coll_args *a)
{
	return a->counts2 && a->counted ? (a->most2 - a->least2) * 64 <= a->most2
	                                : coll_counts_equal(a);
}

struct piece piece_send(const struct coll_args *a)
{
	return piece_at(BUF_SEND, 0, a->count * a->type_size);
}

struct piece piece_recv(const struct coll_args *a)
{
	if (a->kind == COLL_SCATTER || a->kind == COLL_SCATTERV)
		return piece_at(BUF_RECV, 0, a->count2 * a->type_size2);
	return piece_at(BUF_RECV, 0, a->count * a->type_size);
}

struct piece piece_send_block(const struct coll_args *a, uint32_t i)
{
	if (a->kind == COLL_NEIGHBOR_ALLGATHER || a->kind == COLL_NEIGHBOR_ALLGATHERV)
		return piece_send(a); /* everybody gets the same */
	if (is_reduce_scatter(a))
		return piece_block(a, BUF_SEND, a->counts2, a->displs2, a->count, a->type_size, i);
	return piece_block(a, BUF_SEND, a->counts, a->displs, a->count, a->type_size, i);
}

struct piece piece_recv_block(const struct coll_args *a, uint32_t i)
{
	return piece_block(a, BUF_RECV, a->counts2, a->displs2, a->count2, a->type_size2, i);
}

int64_t coll_send_bytes(const struct coll_args *a, uint32_t rank)
{
	switch (a->kind) {
	case COLL_BARRIER:
	case COLL_BCAST:
		return 0;
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return rank == a->root ? sum_all(a->counts, a->count, 0, a->size) * a->type_size
		                       : 0;
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return sum_all(a->counts, a->count, 0, a->size) * a->type_size;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return coll_block_elements(a, 0, a->size) * a->type_size;
	case COLL_NEIGHBOR_ALLTOALL:
	case COLL_NEIGHBOR_ALLTOALLV:
	case COLL_NEIGHBOR_ALLTOALLW:
		return sum_all(a->counts, a->count, 0, a->n_destinations) * a->type_size;
	default:
		return a->count * a->type_size;
	}
}

int64_t coll_recv_bytes(const struct coll_args *a, uint32_t rank)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return 0;
	case COLL_REDUCE:
		return rank == a->root ? a->count * a->type_size : 0;
	case COLL_GATHER:
	case COLL_GATHERV:
		if (rank != a->root)
			return 0;
		return sum_all(a->counts2, a->count2, 0, a->size) * a->type_size2;
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return sum_all(a->counts2, a->count2, 0, a->size) * a->type_size2;
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return a->count2 * a->type_size2;
	case COLL_NEIGHBOR_ALLGATHER:
	case COLL_NEIGHBOR_ALLGATHERV:
	case COLL_NEIGHBOR_ALLTOALL:
	case COLL_NEIGHBOR_ALLTOALLV:
	case COLL_NEIGHBOR_ALLTOALLW:
		return sum_all(a->counts2, a->count2, 0, a->n_sources) * a->type_size2;
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return coll_block_elements(a, rank, rank + 1) * a->type_size;
	default:
		return a->count * a->type_size;
	}
}

void coll_in_place(const struct coll_args *a, uint32_t rank, int64_t *off, int64_t *len)
{
	struct piece p = {BUF_RECV, 0, 0};
	switch (a->kind) {
	case COLL_BARRIER:
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		break;
	case COLL_REDUCE:
		p.len = rank == a->root ? a->count * a->type_size : 0;
		break;
	case COLL_GATHER:
	case COLL_GATHERV:
		if (rank == a->root)
			p = piece_recv_block(a, rank);
		break;
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
		p = piece_recv_block(a, rank);
		break;
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		p.len = coll_recv_bytes(a, rank);
		break;
	default:
		p.len = a->kind > COLL_EXSCAN
		            ? 0
		            : coll_send_bytes(a, rank); /* neighbourhoods have no such form */
	}
	*off = p.off;
	*len = p.len;
}
