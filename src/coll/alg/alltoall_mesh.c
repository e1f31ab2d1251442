/* alltoall_mesh.c: alltoall on meshes (STAR-MPI), and by recursive doubling: whole send
 * buffers travel first, then what is for one group.
 *
 * Temporary buffer: A, the send buffers of a row or plane, one after the other; B, blocks packed
 * for one partner. */
#include "mesh.h"
#include "rdb.h"

static int64_t block_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}
static int64_t row_bytes(const struct coll_args *a)
{
	return block_bytes(a) * a->size;
}

/* n blocks for rank `to`, one of each send buffer in A, to `dst` one after the other. */
static void collect_blocks(const struct coll_args *a, uint32_t to, uint32_t n, struct piece dst,
                           struct coll_steps *out)
{
	int64_t m = block_bytes(a);
	step_copy_strided(out, dst, m, piece_at(BUF_TMP, to * m, m), row_bytes(a), n);
}

/* In a group of `width` consecutive ranks, the place in A of the send buffers of n of them from
 * rank on. */
static struct piece in_a(const struct coll_args *a, uint32_t rank, uint32_t width, uint32_t n)
{
	return piece_at(BUF_TMP, rank % width * row_bytes(a), n * row_bytes(a));
}

/* Step i of 2n on a line: send buffers of `n_each` ranks, of a group of `width`. */
static void gather_step(const struct coll_args *a, uint32_t rank, struct mesh_line line,
                        uint32_t width, uint32_t n_each, uint32_t i, struct coll_steps *out)
{
	uint32_t peer = line.first + i % line.n * line.stride;
	if (peer != rank && i < line.n)
		step_irecv(out, peer, in_a(a, peer / n_each * n_each, width, n_each), i);
	else if (peer != rank)
		step_send(out, peer, in_a(a, rank / n_each * n_each, width, n_each));
	if (i == 2 * line.n - 1)
		step_waitall(out);
}

/* Step i of the last exchange: each partner gets the blocks of this rank's group of `width` for
 * it. */
static void hand_over(const struct coll_args *a, uint32_t rank, uint32_t peer, uint32_t width,
                      int receives, uint32_t i, int last, struct coll_steps *out)
{
	int64_t m = block_bytes(a);
	struct piece packed = piece_at(BUF_TMP, width * row_bytes(a), width * m);
	if (peer == rank && receives) {
		collect_blocks(a, rank, width, piece_at(BUF_RECV, rank / width * width * m, m),
		               out);
	} else if (receives) {
		step_irecv(out, peer, piece_at(BUF_RECV, peer / width * width * m, width * m), i);
	} else if (peer != rank) {
		collect_blocks(a, peer, width, piece_at(BUF_TMP, packed.off, m), out);
		step_send(out, peer, packed);
	}
	if (last)
		step_waitall(out);
}

static int two_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	struct mesh m = mesh_2d(a->size);
	struct mesh_line column = mesh_column(&m, rank);
	uint32_t rows = 2 * m.y, i = round - 1 - rows;
	if (round == 0)
		step_copy(out, in_a(a, rank, m.y, 1), piece_at(BUF_SEND, 0, row_bytes(a)));
	else if (round <= rows)
		gather_step(a, rank, mesh_row(&m, rank), m.y, 1, round - 1, out);
	else if (i < 2 * m.x)
		hand_over(a, rank, column.first + i % m.x * column.stride, m.y, i < m.x, i,
		          i == 2 * m.x - 1, out);
	else
		return COLL_END;
	return 0;
}
static int64_t two_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	uint32_t y = mesh_2d(a->size).y;
	return y * row_bytes(a) + y * block_bytes(a);
}
static const char *two_refuses(const struct coll_args *a)
{
	return mesh_2d(a->size).x ? NULL : "the number of ranks is not a product of two";
}

const struct coll_alg coll_alltoall_2dmesh = {.kind = COLL_ALLTOALL,
                                              .name = "2dmesh",
                                              .source = "STAR-MPI",
                                              .cost = "(x+y-2) L + ((y-1) p + (x-1) y) m/B",
                                              .round = two_round,
                                              .tmp_bytes = two_tmp,
                                              .refuses = two_refuses};

static int three_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	struct mesh m = mesh_3d(a->size);
	uint32_t plane = m.x * m.y, rows = 2 * m.y, columns = 2 * m.x,
	         i = round - 1 - rows - columns;
	if (round == 0)
		step_copy(out, in_a(a, rank, plane, 1), piece_at(BUF_SEND, 0, row_bytes(a)));
	else if (round <= rows)
		gather_step(a, rank, mesh_row(&m, rank), plane, 1, round - 1, out);
	else if (round <= rows + columns)
		gather_step(a, rank, mesh_column(&m, rank), plane, m.y, round - 1 - rows, out);
	else if (i < 2 * m.z)
		hand_over(a, rank, rank_add(a, rank, i % m.z * plane), plane, i < m.z, i,
		          i == 2 * m.z - 1, out);
	else
		return COLL_END;
	return 0;
}
static int64_t three_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	struct mesh m = mesh_3d(a->size);
	return m.x * m.y * (row_bytes(a) + block_bytes(a));
}
static const char *three_refuses(const struct coll_args *a)
{
	return mesh_3d(a->size).x ? NULL
	                          : "the number of ranks is not a square times another number";
}

const struct coll_alg coll_alltoall_3dmesh = {.kind = COLL_ALLTOALL,
                                              .name = "3dmesh",
                                              .source = "STAR-MPI",
                                              .cost = "(2x+z-3) L + ((x*x-1) p + (z-1) x*x) m/B",
                                              .round = three_round,
                                              .tmp_bytes = three_tmp,
                                              .refuses = three_refuses};

/* Recursive doubling of whole send buffers, as allgather's. */
static struct piece group_buffers(const struct coll_args *a, uint32_t first, uint32_t mask)
{
	uint32_t n = first >= a->size ? 0 : a->size - first < mask ? a->size - first : mask;
	return piece_at(BUF_TMP, first * row_bytes(a), n * row_bytes(a));
}

static int rdb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	uint32_t k = log2_ceil(a->size), last = k * (k + 1) + 1;
	int64_t m = block_bytes(a);
	if (round > last)
		return COLL_END;
	if (round == 0) {
		step_copy(out, group_buffers(a, rank, 1), piece_at(BUF_SEND, 0, row_bytes(a)));
		return 0;
	}
	if (round == last) {
		collect_blocks(a, rank, a->size, piece_at(BUF_RECV, 0, m), out);
		return 0;
	}
	uint32_t mask = 1u << ((round - 1) / (k + 1));
	struct rdb_move v = rdb_move(a->size, rank, mask, (round - 1) % (k + 1));
	if (v.role == RDB_EXCHANGE)
		step_sendrecv(out, rank, v.peer, group_buffers(a, v.group, mask), v.peer,
		              group_buffers(a, v.other, mask));
	else if (v.role == RDB_PASS_ON)
		step_send(out, v.peer, group_buffers(a, v.other, mask));
	else if (v.role == RDB_GET)
		step_recv(out, v.peer, group_buffers(a, v.other, mask));
	return 0;
}
static int64_t rdb_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->size * row_bytes(a);
}

const struct coll_alg coll_alltoall_rdb = {.kind = COLL_ALLTOALL,
                                           .name = "rdb",
                                           .source = "STAR-MPI",
                                           .cost = "log2 p L + p (p-1) m/B",
                                           .round = rdb_round,
                                           .tmp_bytes = rdb_tmp};
