/* bcast_scatter.c: broadcasts of long messages: scatter along a binomial tree, then allgather
 * (MPICH; Barnett et al., "Interprocessor collective communication library", 1994). Pieces are
 * chunks of ceil(n/p) bytes (or whole units of a->segment bytes), numbered by virtual ranks; the
 * last may be short or empty. */
#include "coll/coll_int.h"
#include "rdb.h"

/* Chunks lo … hi-1. */
static struct piece chunks(const struct coll_args *a, uint64_t lo, uint64_t hi)
{
	int64_t n = a->count * a->type_size, unit = a->segment && a->segment < n ? a->segment : 1;
	int64_t chunk = ((n + unit - 1) / unit + a->size - 1) / a->size * unit;
	int64_t from = (int64_t)lo * chunk, to = (int64_t)hi * chunk;
	from = from < n ? from : n;
	to = to < n ? to : n;
	return piece_at(BUF_RECV, from, to - from);
}

/* Round 0 receives the chunks of the subtree of v, round i serves the i-th child. Empty parts are
 * not sent. */
static int scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t v = rank_virtual(a, rank);
	uint64_t bit = v ? v & -v : 1ull << log2_ceil(a->size),
	         mask = round < 64 ? bit >> round : 0;
	if (round == 0) {
		struct piece in = chunks(a, v, v + bit);
		if (v && in.len)
			step_recv(out, rank_real(a, v - (uint32_t)bit), in);
		return 0;
	}
	if (mask == 0)
		return COLL_END;
	struct piece sent = chunks(a, v + mask, v + 2 * mask);
	if (v + mask < a->size && sent.len)
		step_send(out, rank_real(a, v + (uint32_t)mask), sent);
	return 0;
}
static const struct coll_alg scatter_chunks = {
    .kind = COLL_BCAST, .name = "scatter_chunks", .round = scatter_round};

/* Step i passes on the chunk that came in step i-1. */
static int ring_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (round + 1 >= a->size)
		return COLL_END;
	uint32_t v = rank_virtual(a, rank), sent = rank_sub(a, v, round),
	         come = rank_sub(a, v, round + 1);
	step_sendrecv(out, rank, rank_add(a, rank, 1), chunks(a, sent, sent + 1ull),
	              rank_sub(a, rank, 1), chunks(a, come, come + 1ull));
	return 0;
}
/* Those at the end that are short or empty follow chunks that are not: who waits for the broadcast
 * waits for these. */
static uint32_t ring_alike(const struct coll_args *a, uint32_t round)
{
	return round == 1 && a->size > 2 ? a->size - 2 : 0;
}
static const struct coll_alg ring_chunks = {
    .kind = COLL_BCAST, .name = "ring_chunks", .round = ring_round, .alike = ring_alike};

const struct coll_alg coll_bcast_scatter_LR_allgather = {
    .kind = COLL_BCAST,
    .name = "scatter_LR_allgather",
    .source = "MPICH; Barnett et al. 1994",
    .cost = "(log2 p + p-1) L + 2 (p-1)/p n/B",
    .phase = {{.alg = &scatter_chunks}, {.alg = &ring_chunks}}};

static int rdb_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	uint32_t k = log2_ceil(a->size), v = rank_virtual(a, rank);
	if (round >= k * (k + 1) || a->count * a->type_size == 0)
		return COLL_END;
	uint32_t mask = 1u << (round / (k + 1));
	struct rdb_move m = rdb_move(a->size, v, mask, round % (k + 1));
	uint32_t peer = m.role == RDB_NOTHING ? 0 : rank_real(a, m.peer);
	struct piece mine = chunks(a, m.group, (uint64_t)m.group + mask),
	             theirs = chunks(a, m.other, (uint64_t)m.other + mask);
	if (m.role == RDB_EXCHANGE)
		step_sendrecv(out, rank, peer, mine, peer, theirs);
	else if (m.role == RDB_PASS_ON)
		step_send(out, peer, theirs);
	else if (m.role == RDB_GET)
		step_recv(out, peer, theirs);
	return 0;
}
static const struct coll_alg rdb_chunks = {
    .kind = COLL_BCAST, .name = "rdb_chunks", .round = rdb_round};

const struct coll_alg coll_bcast_scatter_rdb_allgather = {
    .kind = COLL_BCAST,
    .name = "scatter_rdb_allgather",
    .source = "MPICH; Thakur, Rabenseifner and Gropp 2005",
    .cost = "2 log2 p L + 2 (p-1)/p n/B",
    .phase = {{.alg = &scatter_chunks}, {.alg = &rdb_chunks}},
    .skips_empty = 1};

/* Open MPI's: parts are whole elements; fewer elements than ranks are sent to one rank after the
 * other. */
static int in_elements(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	(void)rank, (void)view;
	phase->segment = whole->type_size;
	return 1;
}
static const struct coll_alg *ompi_choose(const struct coll_args *a)
{
	return a->count < a->size ? &coll_bcast_flattree : &coll_bcast_scatter_rdb_allgather;
}
static const struct coll_alg *ompi_ring_choose(const struct coll_args *a)
{
	return a->count < a->size ? &coll_bcast_flattree : &coll_bcast_scatter_LR_allgather;
}
const struct coll_alg coll_bcast_ompi_scatter_allgather = {
    .kind = COLL_BCAST,
    .name = "ompi_scatter_allgather",
    .source = "Open MPI 4, scatter_allgather",
    .cost = "2 log2 p L + 2 (p-1)/p n/B",
    .phase = {{.choose = ompi_choose, .args = in_elements}}};
const struct coll_alg coll_bcast_ompi_scatter_allgather_ring = {
    .kind = COLL_BCAST,
    .name = "ompi_scatter_allgather_ring",
    .source = "Open MPI 4, scatter_allgather_ring",
    .cost = "(log2 p + p-1) L + 2 (p-1)/p n/B",
    .phase = {{.choose = ompi_ring_choose, .args = in_elements}}};
