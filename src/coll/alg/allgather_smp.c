/* allgather_smp.c: STAR-MPI's and MVAPICH2's allgathers for hosts of several ranks. */
#include "blocks.h"
#include "nodes.h"

static int64_t block_bytes(const struct coll_args *a)
{
	return a->count2 * a->type_size2;
}
/* All blocks of host n. */
static struct piece host_blocks(const struct coll_args *a, uint32_t n)
{
	int64_t bytes = blocks_c(a) * block_bytes(a);
	return piece_at(BUF_RECV, n * bytes, bytes);
}

/* Rotating exchange of own blocks inside the host; rounds 0 … c-1. */
static void exchange_inside(const struct coll_args *a, uint32_t rank, uint32_t i,
                            struct coll_steps *out)
{
	uint32_t c = blocks_c(a), base = rank - rank % c, to = base + (rank % c + i) % c,
	         from = base + (rank % c + c - i) % c;
	if (i == 0)
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	else
		step_sendrecv(out, rank, to, piece_send(a), from, piece_recv_block(a, from));
}

/* --- SMP_NTS: a ring of leaders, and from each a line through its host. A leader posts all its
 * receives first --- */

/* The host whose blocks come in step i of a ring of n. */
static uint32_t host_before(uint32_t host, uint32_t n, uint32_t i)
{
	return (host + n - (i + 1) % n) % n;
}

static void leader_line(const struct coll_args *a, uint32_t rank, uint32_t i,
                        struct coll_steps *out)
{
	uint32_t c = blocks_c(a), n = a->size / c, host = rank / c, steps = n - 1;
	BUG_ON(n == 0); /* c divides p */
	uint32_t next = (host + 1) % n * c, before = (host + n - 1) % n * c;
	if (i < steps) {
		step_irecv(out, before, host_blocks(a, host_before(host, n, i)), i);
		if (i == steps - 1)
			step_isend(out, next, host_blocks(a, host), steps);
		return;
	}
	i -= steps;
	step_wait(out, i);
	if (i + 1 < steps)
		step_isend(out, next, host_blocks(a, host_before(host, n, i)), steps + 1 + i);
	if (c > 1)
		step_send(out, rank + 1, host_blocks(a, host_before(host, n, i)));
	if (i == steps - 1)
		step_waitall(out);
}

static void member_line(const struct coll_args *a, uint32_t rank, uint32_t i,
                        struct coll_steps *out)
{
	uint32_t c = blocks_c(a), n = a->size / c;
	struct piece blocks = host_blocks(a, host_before(rank / c, n, i));
	if (i >= n - 1)
		return;
	step_recv(out, rank - 1, blocks);
	if (rank % c != c - 1)
		step_send(out, rank + 1, blocks);
}

static int NTS_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	uint32_t c = blocks_c(a), steps = a->size / c - 1;
	if (round >= c + 2 * steps)
		return COLL_END;
	if (round < c)
		exchange_inside(a, rank, round, out);
	else if (rank % c == 0)
		leader_line(a, rank, round - c, out);
	else
		member_line(a, rank, round - c, out);
	return 0;
}
static const struct coll_alg NTS_hosts = {
    .kind = COLL_ALLGATHER, .name = "NTS_hosts", .round = NTS_round};

static const struct coll_alg *NTS_choose(const struct coll_args *a)
{
	return a->size <= blocks_c(a) ? &coll_allgather_linear_nb : &NTS_hosts;
}

const struct coll_alg coll_allgather_SMP_NTS = {
    .kind = COLL_ALLGATHER,
    .name = "SMP_NTS",
    .source = "STAR-MPI",
    .cost = "(c-1) (L + m/B) + (p/c + c - 2) (L + c m/B)",
    .phase = {{.choose = NTS_choose}}};

/* --- smp_simple: leaders exchange with all leaders, then give everything to each of their ranks
 * --- */

static void leaders_exchange(const struct coll_args *a, uint32_t rank, uint32_t i,
                             struct coll_steps *out)
{
	uint32_t c = blocks_c(a), n = a->size / c, host = rank / c, others = n - 1,
	         d = i % others + 1;
	uint32_t from = (host + n - d) % n, to = (host + d) % n;
	if (i < others)
		step_irecv(out, from * c, host_blocks(a, from), i);
	else
		step_isend(out, to * c, host_blocks(a, host), i);
	if (i == 2 * others - 1)
		step_waitall(out);
}

static void hand_out(const struct coll_args *a, uint32_t rank, uint32_t i, struct coll_steps *out)
{
	uint32_t c = blocks_c(a);
	struct piece all = piece_at(BUF_RECV, 0, a->size * block_bytes(a));
	if (rank % c == 0 && i > 0)
		step_send(out, rank + i, all);
	else if (rank % c && i == 0)
		step_recv(out, rank - rank % c, all);
}

static int simple_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	uint32_t c = blocks_c(a), others = a->size / c - 1;
	if (round >= 2 * c + 2 * others)
		return COLL_END;
	if (round < c)
		exchange_inside(a, rank, round, out);
	else if (round >= c + 2 * others)
		hand_out(a, rank, round - c - 2 * others, out);
	else if (rank % c == 0)
		leaders_exchange(a, rank, round - c, out);
	return 0;
}

const struct coll_alg coll_allgather_smp_simple = {
    .kind = COLL_ALLGATHER,
    .name = "smp_simple",
    .source = "STAR-MPI",
    .cost = "(c-1) (L + m/B) + L + (p-c) m/B + (c-1) (L + p m/B)",
    .round = simple_round};

/* --- loosely_lr: rings of equal places on all hosts; what has come goes to the others of the host
 * while the next comes. Each of p/c turns takes c + 1 rounds; a turn's requests have numbers from 2
 * (c + 1) turn on, the first two for the ring --- */

static void ring_step(const struct coll_args *a, uint32_t rank, uint32_t turn, uint32_t number,
                      struct coll_steps *out)
{
	uint32_t c = blocks_c(a), n = a->size / c, host = rank / c, core = rank % c;
	uint32_t come = host_before(host, n, turn) * c + core,
	         sent = (host + n - turn) % n * c + core;
	step_irecv(out, rank_sub(a, rank, c), piece_recv_block(a, come), number);
	step_isend(out, rank_add(a, rank, c), piece_recv_block(a, sent), number + 1);
}

static void share_step(const struct coll_args *a, uint32_t rank, uint32_t turn, uint32_t j,
                       uint32_t number, struct coll_steps *out)
{
	uint32_t c = blocks_c(a), n = a->size / c, host = rank / c,
	         of_turn = (host + n - turn) % n * c;
	step_irecv(out, host * c + j, piece_recv_block(a, of_turn + j), number);
	step_isend(out, host * c + j, piece_recv_block(a, of_turn + rank % c), number + 1);
}

static int loosely_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t c = blocks_c(a), n = a->size / c, turn = round / (c + 1), j = round % (c + 1),
	         first = 2 * (c + 1) * turn;
	if (turn >= n)
		return COLL_END;
	if (round == 0)
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
	if (j < c && j != rank % c)
		share_step(a, rank, turn, j, first + 2 * (j + 1), out);
	else if (j < c && turn < n - 1)
		ring_step(a, rank, turn, first, out);
	else if (j == c && turn < n - 1)
		step_wait(out, first);
	else if (j == c)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_allgather_loosely_lr = {
    .kind = COLL_ALLGATHER,
    .name = "loosely_lr",
    .source = "STAR-MPI",
    .cost = "(p/c - 1) (L + m/B) + L + (c-1) p/c m/B",
    .round = loosely_round};

/* --- MVAPICH2: gather inside to the leader, allgather among leaders, broadcast inside --- */

static int gather_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	phase->kind = COLL_GATHER;
	phase->root = 0;
	view->off[BUF_RECV] = nodes_leader(whole, nodes_of(whole, rank)) * block_bytes(whole);
	return nodes_inside(whole, rank, phase, view) && block_bytes(whole) > 0;
}
static int leaders_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	uint32_t c = coll_per_node(whole);
	phase->kind = COLL_ALLGATHER;
	phase->count = phase->count2 = c * whole->count2;
	phase->type_size = whole->type_size2;
	view->buf[BUF_SEND] = BUF_RECV;
	view->off[BUF_SEND] = nodes_of(whole, rank) * c * block_bytes(whole);
	return nodes_leaders(whole, rank, phase, view) && phase->size > 1 && block_bytes(whole) > 0;
}
static int bcast_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	coll_bcast_received(whole, phase, whole->size * block_bytes(whole));
	return nodes_inside(whole, rank, phase, view) && phase->size > 1 && block_bytes(whole) > 0;
}
static const char *smp_refuses(const struct coll_args *a)
{
	if (!coll_per_node(a))
		return "hosts have different numbers of ranks";
	return !a->shape || a->shape->blocked ? NULL : "the ranks of a host are not consecutive";
}

const struct coll_alg coll_allgather_mvapich2_smp = {
    .kind = COLL_ALLGATHER,
    .name = "mvapich2_smp",
    .source = "MVAPICH2 1.9",
    .cost = "the selected gather's, MPICH's allgather's, the selected bcast's",
    .phase = {{.selected = 1, .args = gather_args},
              {.choose = coll_allgather_mpich, .args = leaders_args},
              {.selected = 1, .args = bcast_args}},
    .refuses = smp_refuses};
