/* radix_blocks.c: recursive exchange with k-1 partners at a time of ever longer, or ever
 * shorter, ranges of blocks (MPICH 4): allgather and its vector form (iallgatherv_tsp_recexch.c),
 * reduce_scatter (ireduce_scatter_tsp_recexch.c), and the broadcasts that scatter along a k-nomial
 * tree and gather so or round a ring (ibcast_tsp_scatterv_allgatherv.c). Who drops out gives its
 * block before, and gets all (of a reduce_scatter: its own) after.
 *
 * A broadcast's blocks are p equal parts of the bytes, of virtual ranks: the last ones shorter, or
 * empty. MPICH numbers them otherwise where the root is not rank 0. "Halving": the farthest
 * partners come first, after blocks have gone to the rank whose digits are turned round. */
#include "radix.h"
#include "tree.h"

/* Blocks lo … hi-1, where they lie in the result. */
static struct piece blocks(const struct coll_args *a, uint32_t lo, uint32_t hi)
{
	if (a->kind != COLL_BCAST)
		return piece_at(BUF_RECV, piece_recv_block(a, lo).off,
		                coll_block_elements(a, lo, hi) * a->type_size2);
	int64_t n = a->count * a->type_size, each = (n + a->size - 1) / a->size;
	int64_t from = lo * each < n ? lo * each : n, end = hi * each < n ? hi * each : n;
	return piece_at(BUF_RECV, from, end - from);
}

/* A broadcast's ranks are virtual. */
static uint32_t named(const struct coll_args *a, uint32_t v)
{
	return a->kind == COLL_BCAST ? rank_real(a, v) : v;
}

/* The ranks whose keepers' numbers share all digits but the lowest `steps` with this one. */
struct range {
	uint32_t lo, hi;
};
static struct range group(const struct radix *r, uint32_t number, uint32_t steps)
{
	uint32_t d = radix_power(r, steps), first = number / d * d;
	return (struct range){first ? radix_old(r, first - 1) + 1 : 0,
	                      radix_old(r, first + d - 1) + 1};
}
static struct piece group_blocks(const struct coll_args *a, const struct radix *r, uint32_t number,
                                 uint32_t steps)
{
	struct range g = group(r, number, steps);
	return blocks(a, g.lo, g.hi);
}

static uint32_t turned(const struct radix *r, uint32_t number)
{
	uint32_t t = 0;
	for (uint32_t i = 0; i < r->steps; i++, number /= r->k)
		t = t * r->k + number % r->k;
	return t;
}

/* --- allgather. A step takes k rounds: one for each partner, one to wait. Step 0 and the last are
 * of those who drop out; halving has a step more --- */

static void drop_out(const struct coll_args *a, const struct radix *r, uint32_t v, uint32_t sub,
                     int first, struct coll_steps *out)
{
	uint32_t kept = radix_kept(r, v), guest = v - kept + sub;
	struct piece own = blocks(a, v, v + 1), all = blocks(a, 0, a->size);
	if (sub == 0 && first && a->kind != COLL_BCAST)
		step_copy(out, own, piece_send(a));
	if (radix_new(r, v) == RADIX_OUT) {
		if (sub == 0 && first)
			step_send(out, named(a, radix_keeper(r, v)), own);
		if (sub == 0 && !first)
			step_recv(out, named(a, radix_keeper(r, v)), all);
	} else if (sub < kept && first) {
		step_irecv(out, named(a, guest), blocks(a, guest, guest + 1), sub);
	} else if (sub < kept) {
		step_isend(out, named(a, guest), all, sub);
	} else if (sub == kept && kept) {
		step_waitall(out);
	}
}

/* What two ranks exchange in a step, with the numbers by which their blocks go. */
static void exchange(const struct coll_args *a, const struct radix *r, uint32_t peer,
                     struct piece mine, struct piece theirs, uint32_t sub, struct coll_steps *out)
{
	uint32_t who = named(a, radix_old(r, peer));
	step_isend(out, who, mine, 2 * sub);
	step_irecv(out, who, theirs, 2 * sub + 1);
}

static int gather_rounds(const struct coll_args *a, uint32_t v, uint32_t round, int halving,
                         struct coll_steps *out)
{
	struct radix r = radix_of(a->size, coll_fanout(a, 2));
	uint32_t at = round / r.k, sub = round % r.k, number = radix_new(&r, v),
	         last = r.steps + 1 + (uint32_t)halving;
	if (at > last)
		return COLL_END;
	if (at == 0 || at == last) {
		drop_out(a, &r, v, sub, at == 0, out);
	} else if (number == RADIX_OUT) {
		return 0;
	} else if (halving && at == 1) {
		uint32_t to = turned(&r, number);
		if (sub == 0 && to != number) {
			exchange(a, &r, to, group_blocks(a, &r, number, 0),
			         group_blocks(a, &r, to, 0), 0, out);
			step_waitall(out);
		}
	} else if (sub < r.k - 1) {
		uint32_t j = at - 1 - (uint32_t)halving,
		         peer = radix_partner(&r, number, halving ? r.steps - 1 - j : j, sub);
		uint32_t mine = halving ? turned(&r, number) : number,
		         theirs = halving ? turned(&r, peer) : peer;
		exchange(a, &r, peer, group_blocks(a, &r, mine, j), group_blocks(a, &r, theirs, j),
		         sub, out);
	} else {
		step_waitall(out);
	}
	return 0;
}

static int doubling_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	return gather_rounds(a, rank, round, 0, out);
}
static int halving_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	return gather_rounds(a, rank, round, 1, out);
}

const struct coll_alg coll_allgather_mpich_recexch = {
    .kind = COLL_ALLGATHER,
    .name = "mpich_recexch",
    .source = "MPICH 4, recexch_doubling, k = 2",
    .cost = "logk p L + (p-1) m/B (+ 2 L + p m/B if folded)",
    .round = doubling_round};
const struct coll_alg coll_allgather_mpich_recexch_halving = {
    .kind = COLL_ALLGATHER,
    .name = "mpich_recexch_halving",
    .source = "MPICH 4, recexch_halving, k = 2",
    .cost = "(logk p + 1) L + p m/B (+ 2 L + p m/B if folded)",
    .round = halving_round};
const struct coll_alg coll_allgatherv_mpich_recexch = {
    .kind = COLL_ALLGATHERV,
    .name = "mpich_recexch",
    .source = "MPICH 4, tsp_recexch_doubling, k = 2",
    .cost = "logk p L + n/B (+ 2 L + n/B if folded)",
    .round = doubling_round};
const struct coll_alg coll_allgatherv_mpich_recexch_halving = {
    .kind = COLL_ALLGATHERV,
    .name = "mpich_recexch_halving",
    .source = "MPICH 4, tsp_recexch_halving, k = 2",
    .cost = "(logk p + 1) L + n/B (+ 2 L + n/B if folded)",
    .round = halving_round};

/* --- broadcast: a scatter of the blocks, each rank's subtree's at once, then one of two
 * allgathers. A round for the parent, one for each child, one to wait --- */

static int scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t k = tree_k(a, coll_fanout(a, 2)), v = rank_virtual(a, rank);
	struct tree t = tree_knomial_1(a, rank, k);
	if (round > t.n + 1)
		return COLL_END;
	if (round == 0 && v)
		step_recv(out, t.parent, blocks(a, v, v + tree_knomial_1_span(a, v, k)));
	if (round > t.n) {
		if (t.n)
			step_waitall(out);
	} else if (round) {
		uint32_t child = rank_virtual(a, t.child[round - 1]);
		step_isend(out, t.child[round - 1],
		           blocks(a, child, child + tree_knomial_1_span(a, child, k)), round);
	}
	return 0;
}
static int bcast_doubling_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	return gather_rounds(a, rank_virtual(a, rank), round, 0, out);
}
static int bcast_ring_round(const struct coll_args *a, uint32_t rank, uint32_t i,
                            struct coll_steps *out)
{
	uint32_t v = rank_virtual(a, rank), p = a->size, mine = (v + p - i % p) % p,
	         left = (mine + p - 1) % p;
	if (i + 1 >= p)
		return COLL_END;
	step_sendrecv(out, rank, rank_add(a, rank, 1), blocks(a, mine, mine + 1),
	              rank_sub(a, rank, 1), blocks(a, left, left + 1));
	return 0;
}
static const struct coll_alg knomial_scatter = {
    .kind = COLL_BCAST, .name = "knomial_scatter", .round = scatter_round};
static const struct coll_alg recexch_blocks = {
    .kind = COLL_BCAST, .name = "recexch_blocks", .round = bcast_doubling_round};
static const struct coll_alg ring_blocks = {
    .kind = COLL_BCAST, .name = "ring_blocks", .round = bcast_ring_round};

const struct coll_alg coll_bcast_mpich_scatterv_recexch_allgatherv = {
    .kind = COLL_BCAST,
    .name = "mpich_scatterv_recexch_allgatherv",
    .source = "MPICH 4, tsp_scatterv_recexch_allgatherv, k = 2",
    .cost = "2 logk p L + 2 (p-1)/p n/B (+ 2 L + n/B if folded)",
    .phase = {{.alg = &knomial_scatter}, {.alg = &recexch_blocks}}};
const struct coll_alg coll_bcast_mpich_scatterv_ring_allgatherv = {
    .kind = COLL_BCAST,
    .name = "mpich_scatterv_ring_allgatherv",
    .source = "MPICH 4, tsp_scatterv_ring_allgatherv, k = 2",
    .cost = "(logk p + p-1) L + 2 (p-1)/p n/B",
    .phase = {{.alg = &knomial_scatter}, {.alg = &ring_blocks}}};

/* --- reduce_scatter: who drops out gives all it has; then the farthest partners first, one after
 * the other, get what their groups keep. The temporary buffer has the sums, then what comes.
 * Rounds: one for each that drops out here; k-1 for each step; one for each that dropped out, one
 * to wait --- */

static struct piece sums(const struct coll_args *a, enum coll_buf buf, int64_t at, struct range g)
{
	return piece_at(buf, at + piece_send_block(a, g.lo).off,
	                coll_block_elements(a, g.lo, g.hi) * a->type_size);
}

static void add_from(struct coll_steps *out, uint32_t from, struct piece sum, struct piece come)
{
	step_recv(out, from, come);
	step_reduce(out, sum, come);
}

static int reduce_scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	struct radix r = radix_of(a->size, coll_fanout(a, 2));
	uint32_t number = radix_new(&r, rank), kept = radix_kept(&r, rank), at;
	struct range everything = {0, a->size}, own = {rank, rank + 1};
	int64_t n = coll_block_elements(a, 0, a->size) * a->type_size;
	if (round > r.k + r.steps * (r.k - 1) + r.k || n == 0)
		return COLL_END;
	if (number == RADIX_OUT) {
		if (round == 0)
			step_send(out, radix_keeper(&r, rank), sums(a, BUF_SEND, 0, everything));
		if (round == 1)
			step_recv(out, radix_keeper(&r, rank),
			          piece_at(BUF_RECV, 0, sums(a, BUF_SEND, 0, own).len));
		return 0;
	}
	if (round < r.k) {
		if (round == 0)
			step_copy(out, sums(a, BUF_TMP, 0, everything),
			          sums(a, BUF_SEND, 0, everything));
		if (round < kept)
			add_from(out, rank - kept + round, sums(a, BUF_TMP, 0, everything),
			         sums(a, BUF_TMP, n, everything));
		return 0;
	}
	at = round - r.k;
	if (at < r.steps * (r.k - 1)) {
		uint32_t step = r.steps - 1 - at / (r.k - 1),
		         peer = radix_partner(&r, number, step, at % (r.k - 1));
		struct range mine = group(&r, number, step), theirs = group(&r, peer, step);
		step_sendrecv(out, rank, radix_old(&r, peer), sums(a, BUF_TMP, 0, theirs),
		              radix_old(&r, peer), sums(a, BUF_TMP, n, mine));
		step_reduce(out, sums(a, BUF_TMP, 0, mine), sums(a, BUF_TMP, n, mine));
		return 0;
	}
	at -= r.steps * (r.k - 1);
	if (at == 0)
		step_copy(out, piece_at(BUF_RECV, 0, sums(a, BUF_TMP, 0, own).len),
		          sums(a, BUF_TMP, 0, own));
	if (at < kept) {
		uint32_t guest = rank - kept + at;
		step_isend(out, guest, sums(a, BUF_TMP, 0, (struct range){guest, guest + 1}), at);
	} else if (at == kept && kept) {
		step_waitall(out);
	}
	return 0;
}

static int64_t two_buffers(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * coll_block_elements(a, 0, a->size) * a->type_size;
}

const struct coll_alg coll_reduce_scatter_mpich_recexch = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "mpich_recexch",
    .source = "MPICH 4, tsp_recexch, k = 2",
    .cost = "(k-1) logk p L + (p-1)/p n/B (+ 2 L + n/B if folded)",
    .round = reduce_scatter_round,
    .tmp_bytes = two_buffers,
    .needs_commutative = 1};

/* --- allgatherv by Bruck's algorithm to the base k: as allgather's k_bruck, with blocks as long as
 * they are. Place i of the temporary buffer is for the block of rank + i --- */

static int64_t around(const struct coll_args *a, uint32_t rank, uint32_t n)
{
	uint32_t to_end = a->size - rank;
	int64_t elements = n <= to_end ? coll_block_elements(a, rank, rank + n)
	                               : coll_block_elements(a, rank, a->size) +
	                                     coll_block_elements(a, 0, n - to_end);
	return elements * a->type_size2;
}

static int bruck_step(const struct coll_args *a, uint32_t rank, uint32_t k, uint64_t d,
                      uint32_t sub, struct coll_steps *out)
{
	uint64_t far = (sub + 1) * d;
	if (sub == k - 1) {
		step_waitall(out);
	} else if (far < a->size) {
		uint32_t n = (uint32_t)(a->size - far < d ? a->size - far : d),
		         from = rank_add(a, rank, (uint32_t)far);
		step_irecv(out, from,
		           piece_at(BUF_TMP, around(a, rank, (uint32_t)far), around(a, from, n)),
		           2 * sub);
		step_isend(out, rank_sub(a, rank, (uint32_t)far),
		           piece_at(BUF_TMP, 0, around(a, rank, n)), 2 * sub + 1);
	}
	return 0;
}

static int bruck_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	uint32_t k = coll_fanout(a, 2) < 2 ? 2 : coll_fanout(a, 2);
	uint64_t d = 1;
	k = k > a->size && a->size > 1 ? a->size : k;
	if (round == 0) {
		step_copy(out, piece_at(BUF_TMP, 0, around(a, rank, 1)), piece_send(a));
		return 0;
	}
	for (round--; round >= k && d < a->size; round -= k)
		d *= k;
	if (d < a->size)
		return bruck_step(a, rank, k, d, round, out);
	if (round > 0)
		return COLL_END;
	int64_t high = around(a, rank, a->size - rank), low = around(a, 0, rank);
	step_copy(out, piece_at(BUF_RECV, low, high), piece_at(BUF_TMP, 0, high));
	step_copy(out, piece_at(BUF_RECV, 0, low), piece_at(BUF_TMP, high, low));
	return 0;
}

static int64_t all_blocks(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return around(a, 0, a->size);
}

const struct coll_alg coll_allgatherv_k_bruck = {
    .kind = COLL_ALLGATHERV,
    .name = "k_bruck",
    .source = "MPICH 4, tsp_brucks, k = 2; Bruck et al. 1997",
    .cost = "ceil(logk p) L + n/B",
    .round = bruck_round,
    .tmp_bytes = all_blocks};
