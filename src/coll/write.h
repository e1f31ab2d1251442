/* write.h: what the authors of collective algorithms write with: pieces of buffers, steps, ranks.
 * Part of the face, as mp has collective calls of its own (files, windows, communicators). */
#ifndef ORRERY_COLL_WRITE_H
#define ORRERY_COLL_WRITE_H

#include "coll.h"

/* len bytes at off of a buffer. */
struct piece {
	enum coll_buf buf;
	int64_t off, len;
};
static inline struct piece piece_at(enum coll_buf buf, int64_t off, int64_t len)
{
	return (struct piece){buf, off, len};
}

/* Each appends one step (sendrecv: three, or a copy when both ends are rank itself; copy and
 * reduce: none when empty). */
void step_send(struct coll_steps *out, uint32_t peer, struct piece p);
void step_recv(struct coll_steps *out, uint32_t peer, struct piece p);
void step_isend(struct coll_steps *out, uint32_t peer, struct piece p, uint32_t req);
void step_irecv(struct coll_steps *out, uint32_t peer, struct piece p, uint32_t req);
void step_wait(struct coll_steps *out, uint32_t req);
void step_waitall(struct coll_steps *out);
void step_sendrecv(struct coll_steps *out, uint32_t rank, uint32_t to, struct piece sent,
                   uint32_t from, struct piece received);
void step_copy(struct coll_steps *out, struct piece dst, struct piece src); /* of src.len bytes */
/* n pieces of src.len bytes. */
void step_copy_strided(struct coll_steps *out, struct piece dst, int64_t stride, struct piece src,
                       int64_t src_stride, uint32_t n);
void step_reduce(struct coll_steps *out, struct piece dst, struct piece src); /* dst = dst op src */
void step_reduce_left(struct coll_steps *out, struct piece dst,
                      struct piece src); /* dst = src op dst */
void step_fold(struct coll_steps *out, int first, struct piece dst,
               struct piece src); /* a copy for the first, then reduce */

/* What a rank sends or receives as a whole, and its block of, or for, rank i. */
struct piece piece_send(const struct coll_args *a);
struct piece piece_recv(const struct coll_args *a);
struct piece piece_send_block(const struct coll_args *a,
                              uint32_t i); /* scatter, alltoall, reduce_scatter and their forms */
struct piece piece_recv_block(const struct coll_args *a,
                              uint32_t i); /* gather, allgather, alltoall and their forms */
/* Elements of blocks lo … hi-1, of reduce_scatter's send buffer or allgather's receive buffer;
 * exact even when sizes_only. */
int64_t coll_block_elements(const struct coll_args *a, uint32_t lo, uint32_t hi);
int coll_counts_equal(const struct coll_args *a); /* reduce_scatter: all ranks get as much */
int coll_counts_alike(const struct coll_args *a); /* within 1/64, as far as that is known */

/* Ranks on a ring; d < p. */
static inline uint32_t rank_add(const struct coll_args *a, uint32_t rank, uint32_t d)
{
	return rank < a->size - d ? rank + d : rank - (a->size - d);
}
static inline uint32_t rank_sub(const struct coll_args *a, uint32_t rank, uint32_t d)
{
	return rank >= d ? rank - d : rank + (a->size - d);
}
/* Rank seen from the root, and back. */
static inline uint32_t rank_virtual(const struct coll_args *a, uint32_t rank)
{
	return rank_sub(a, rank, a->root);
}
static inline uint32_t rank_real(const struct coll_args *a, uint32_t virtual_rank)
{
	return rank_add(a, virtual_rank, a->root);
}
static inline int is_pow2(uint32_t x)
{
	return (x & (x - 1)) == 0;
}
static inline uint32_t log2_floor(uint32_t x)
{
	return 31 - (uint32_t)__builtin_clz(x);
}
static inline uint32_t log2_ceil(uint32_t x)
{
	return x > 1 ? 32 - (uint32_t)__builtin_clz(x - 1) : 0;
}

/* The lowest `bits` bits of x, in reverse. */
static inline uint32_t bits_mirrored(uint32_t x, uint32_t bits)
{
	uint32_t y = 0;
	for (uint32_t i = 0; i < bits; i++)
		y |= (x >> i & 1) << (bits - 1 - i);
	return y;
}

/* The parameters of an algorithm: what a tuning file gives, or its own. Segments of less than a
 * byte there are none. */
static inline int64_t coll_segment(const struct coll_args *a, int64_t own)
{
	return a->segment ? a->segment : own;
}
static inline uint32_t coll_fanout(const struct coll_args *a, uint32_t own)
{
	return a->fanout ? a->fanout : own;
}

/* coll_args.flat */
enum { FLAT_NOT, FLAT_LEADERS, FLAT_HOST }; /* one rank of each host; all ranks on one host */

/* Ranks per host if all have as many, else 0. */
static inline uint32_t coll_per_node(const struct coll_args *a)
{
	return a->flat == FLAT_HOST ? a->size : a->shape ? a->shape->per_node : 1;
}

#endif
