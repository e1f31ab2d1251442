/* allgather_log.c: allgather and allgatherv in a logarithmic number of steps. */
#include "coll/coll_int.h"
#include "rdb.h"

/* --- Bruck (Bruck et al., IEEE TPDS 8(11), 1997, section 3): blocks rank, rank+1, … are collected
 * at the start of the temporary buffer; step d doubles them; in the end they are rotated --- */

/* Bytes of n blocks from `first` on, around the end. */
static int64_t turned_bytes(const struct coll_args *a, uint32_t first, uint32_t n)
{
	uint32_t to_end = a->size - first, head = n < to_end ? n : to_end;
	return (coll_block_elements(a, first, first + head) + coll_block_elements(a, 0, n - head)) *
	       a->type_size2;
}

static void turn_back(const struct coll_args *a, uint32_t rank, struct coll_steps *out)
{
	int64_t head = turned_bytes(a, rank, a->size - rank), low = turned_bytes(a, 0, rank);
	step_copy(out, piece_at(BUF_RECV, low, head), piece_at(BUF_TMP, 0, head));
	step_copy(out, piece_at(BUF_RECV, 0, low), piece_at(BUF_TMP, head, low));
}

static int bruck_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	uint32_t p = a->size, steps = log2_ceil(p);
	if (round > steps + 1)
		return COLL_END;
	if (round == 0) {
		step_copy(out, piece_at(BUF_TMP, 0, piece_send(a).len), piece_send(a));
	} else if (round <= steps) {
		uint32_t d = 1u << (round - 1), n = p - d < d ? p - d : d,
		         from = rank_add(a, rank, d);
		struct piece sent = piece_at(BUF_TMP, 0, turned_bytes(a, rank, n));
		step_sendrecv(
		    out, rank, rank_sub(a, rank, d), sent, from,
		    piece_at(BUF_TMP, turned_bytes(a, rank, d), turned_bytes(a, from, n)));
	} else {
		turn_back(a, rank, out);
	}
	return 0;
}

static int64_t all_blocks(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return coll_block_elements(a, 0, a->size) * a->type_size2;
}

const struct coll_alg coll_allgather_bruck = {.kind = COLL_ALLGATHER,
                                              .name = "bruck",
                                              .source = "Bruck et al. 1997",
                                              .cost = "ceil(log2 p) L + (p-1) m/B",
                                              .round = bruck_round,
                                              .tmp_bytes = all_blocks};
const struct coll_alg coll_allgatherv_ompi_bruck = {.kind = COLL_ALLGATHERV,
                                                    .name = "ompi_bruck",
                                                    .source = "Bruck et al. 1997; Open MPI",
                                                    .cost = "ceil(log2 p) L + n/B",
                                                    .round = bruck_round,
                                                    .tmp_bytes = all_blocks};

/* --- recursive doubling --- */

static struct piece group_piece(const struct coll_args *a, uint32_t first, uint32_t mask)
{
	uint32_t n = first >= a->size ? 0 : a->size - first < mask ? a->size - first : mask;
	if (n == 0)
		return piece_at(BUF_RECV, 0, 0);
	return piece_at(BUF_RECV, piece_recv_block(a, first).off,
	                coll_block_elements(a, first, first + n) * a->type_size2);
}

static int rdb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	uint32_t k = log2_ceil(a->size);
	if (round == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
		return 0;
	}
	if (--round >= k * (k + 1))
		return COLL_END;
	uint32_t mask = 1u << (round / (k + 1));
	struct rdb_move m = rdb_move(a->size, rank, mask, round % (k + 1));
	if (m.role == RDB_EXCHANGE)
		step_sendrecv(out, rank, m.peer, group_piece(a, m.group, mask), m.peer,
		              group_piece(a, m.other, mask));
	else if (m.role == RDB_PASS_ON)
		step_send(out, m.peer, group_piece(a, m.other, mask));
	else if (m.role == RDB_GET)
		step_recv(out, m.peer, group_piece(a, m.other, mask));
	return 0;
}

const struct coll_alg coll_allgather_rdb = {.kind = COLL_ALLGATHER,
                                            .name = "rdb",
                                            .source = "MPICH, recursive doubling",
                                            .cost = "log2 p L + (p-1) m/B",
                                            .round = rdb_round};
const struct coll_alg coll_allgatherv_mpich_rdb = {.kind = COLL_ALLGATHERV,
                                                   .name = "mpich_rdb",
                                                   .source = "MPICH, recursive doubling",
                                                   .cost = "log2 p L + n/B",
                                                   .round = rdb_round,
                                                   .skips_empty = 1};

/* --- recursive vector halving: a first exchange puts the own block where bits of ranks are
 * reversed; then distances p/2, p/4, … 1 exchange ranges that double --- */

static struct piece range(const struct coll_args *a, uint32_t first, uint32_t n)
{
	int64_t m = a->count2 * a->type_size2;
	return piece_at(BUF_RECV, first * m, n * m);
}

static int rhv_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	uint32_t steps = log2_floor(a->size), place = bits_mirrored(rank, steps);
	if (round > steps)
		return COLL_END;
	if (round == 0) {
		step_sendrecv(out, rank, place, piece_send(a), place, range(a, place, 1));
		return 0;
	}
	uint32_t n = 1u << (round - 1), peer = rank ^ a->size >> round, mine = place & -n;
	step_sendrecv(out, rank, peer, range(a, mine, n), peer, range(a, mine ^ n, n));
	return 0;
}

static const char *pow2_refuses(const struct coll_args *a)
{
	return is_pow2(a->size) ? NULL : "it is for a power of two of ranks";
}

const struct coll_alg coll_allgather_rhv = {.kind = COLL_ALLGATHER,
                                            .name = "rhv",
                                            .source = "STAR-MPI",
                                            .cost = "(log2 p + 1) L + p m/B",
                                            .round = rhv_round,
                                            .refuses = pow2_refuses};
