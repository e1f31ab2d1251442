/* radix.c: barrier and allreduce by recursive exchange with k-1 partners at a time (MPICH 4).
 * k = 2 is recursive doubling.
 *
 * A step takes rounds: one for each partner that posts, one that waits, one for each partner that
 * combines. Before the steps those who drop out give what they have, after them they get the
 * result; that is step 0 and the last. */
#include "radix.h"

/* Which step a round is in, and where in it; every step has 2k rounds, enough for k-1 partners. */
struct place {
	uint32_t step, sub;
};
static struct place place_of(const struct radix *r, uint32_t round)
{
	return (struct place){round / (2 * r->k), round % (2 * r->k)};
}

/* --- barriers --- */

static const struct piece empty = {BUF_TMP, 0, 0};

/* A step towards peers that are all told and heard. */
static void meet(struct coll_steps *out, uint32_t to, uint32_t from, uint32_t sub)
{
	step_isend(out, to, empty, 2 * sub);
	step_irecv(out, from, empty, 2 * sub + 1);
}

static int recexch_barrier_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                 struct coll_steps *out)
{
	struct radix r = radix_of(a->size, coll_fanout(a, 2));
	struct place at = place_of(&r, round);
	uint32_t number = radix_new(&r, rank), kept = radix_kept(&r, rank), last = r.steps + 1;
	if (at.step > last)
		return COLL_END;
	if (number == RADIX_OUT) {
		if (at.sub == 0 && at.step == 0)
			step_send(out, radix_keeper(&r, rank), empty);
		if (at.sub == 0 && at.step == last)
			step_recv(out, radix_keeper(&r, rank), empty);
	} else if (at.step == 0 || at.step == last) {
		if (at.sub < kept && at.step == 0)
			step_irecv(out, rank - kept + at.sub, empty, at.sub);
		else if (at.sub < kept)
			step_isend(out, rank - kept + at.sub, empty, at.sub);
		else if (at.sub == kept && kept)
			step_waitall(out);
	} else if (at.sub < r.k - 1) {
		uint32_t peer = radix_old(&r, radix_partner(&r, number, at.step - 1, at.sub));
		meet(out, peer, peer, at.sub);
	} else if (at.sub == r.k - 1) {
		step_waitall(out);
	}
	return 0;
}

const struct coll_alg coll_barrier_mpich_recexch = {.kind = COLL_BARRIER,
                                                    .name = "mpich_recexch",
                                                    .source = "MPICH 4, recursive exchange, k = 2",
                                                    .cost = "(logk p + 2 if p is no power of k) L",
                                                    .round = recexch_barrier_round};

/* Step i tells rank + j k^i, j = 1 … k-1, and hears from rank - j k^i. */
static int k_dissemination_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                 struct coll_steps *out)
{
	uint32_t k = coll_fanout(a, 2) < 2 ? 2 : coll_fanout(a, 2), sub;
	uint64_t d = 1;
	k = k > a->size ? a->size : k;
	if (a->size < 2)
		return COLL_END;
	for (uint32_t i = 0; i < round / k; i++)
		d *= k;
	sub = round % k;
	if (d >= a->size)
		return COLL_END;
	if (sub == k - 1)
		step_waitall(out);
	else if ((sub + 1) * d < a->size)
		meet(out, rank_add(a, rank, (uint32_t)((sub + 1) * d)),
		     rank_sub(a, rank, (uint32_t)((sub + 1) * d)), sub);
	return 0;
}

const struct coll_alg coll_barrier_mpich_k_dissemination = {
    .kind = COLL_BARRIER,
    .name = "mpich_k_dissemination",
    .source = "MPICH 4, dissemination with k-1 partners, k = 2",
    .cost = "ceil(logk p) L",
    .round = k_dissemination_round};

/* --- allreduce: the sum is in the receive buffer, what comes from the i-th partner in the i-th
 * part of the temporary one --- */

static struct piece come(const struct coll_args *a, uint32_t i, struct piece like)
{
	return piece_at(BUF_TMP, i * a->count * a->type_size + like.off, like.len);
}

/* Who drop out, before (first) and after. Ranks that drop out are lower than who keeps for them. */
static void drop_out(const struct coll_args *a, const struct radix *r, uint32_t rank, uint32_t sub,
                     int first, struct coll_steps *out)
{
	uint32_t kept = radix_kept(r, rank);
	struct piece all = piece_recv(a);
	if (radix_new(r, rank) == RADIX_OUT) {
		if (sub == 0 && first)
			step_send(out, radix_keeper(r, rank), piece_send(a));
		if (sub == 0 && !first)
			step_recv(out, radix_keeper(r, rank), all);
		return;
	}
	if (sub == 0 && first)
		step_copy(out, all, piece_send(a));
	if (sub < kept && first)
		step_irecv(out, rank - kept + sub, come(a, sub, all), sub);
	else if (sub < kept)
		step_isend(out, rank - kept + sub, all, sub);
	else if (sub == kept && kept)
		step_waitall(out);
	else if (first && sub > kept && sub <= 2 * kept)
		step_reduce_left(out, all, come(a, 2 * kept - sub, all));
}

/* Combines what came from the partners of a step, nearest lower digits first, then the higher
 * ones. */
static void combine(const struct coll_args *a, const struct radix *r, uint32_t number,
                    uint32_t step, uint32_t i, struct piece sum, struct coll_steps *out)
{
	uint32_t lower = number / radix_power(r, step) % r->k;
	if (i < lower)
		step_reduce_left(out, sum, come(a, lower - 1 - i, sum));
	else
		step_reduce(out, sum, come(a, i, sum));
}

static int recexch_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct radix r = radix_of(a->size, coll_fanout(a, 2));
	struct place at = place_of(&r, round);
	uint32_t number = radix_new(&r, rank), last = r.steps + 1;
	if (at.step > last)
		return COLL_END;
	if (at.step == 0 || at.step == last) {
		drop_out(a, &r, rank, at.sub, at.step == 0, out);
	} else if (number != RADIX_OUT && at.sub < r.k - 1) {
		uint32_t peer = radix_old(&r, radix_partner(&r, number, at.step - 1, at.sub));
		step_irecv(out, peer, come(a, at.sub, piece_recv(a)), 2 * at.sub);
		step_isend(out, peer, piece_recv(a), 2 * at.sub + 1);
	} else if (number != RADIX_OUT && at.sub == r.k - 1) {
		step_waitall(out);
	} else if (number != RADIX_OUT && at.sub < 2 * r.k - 1) {
		combine(a, &r, number, at.step - 1, at.sub - r.k, piece_recv(a), out);
	}
	return 0;
}

static int64_t partners_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return (radix_of(a->size, coll_fanout(a, 2)).k - 1) * a->count * a->type_size;
}

const struct coll_alg coll_allreduce_mpich_recexch = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_recexch",
    .source = "MPICH 4, recursive exchange, k = 2",
    .cost = "logk p (L + (k-1) n/B) (+ 2 (L + n/B) if folded)",
    .round = recexch_round,
    .tmp_bytes = partners_tmp};

/* The same, but the ranks from k^steps on drop out, each for the rank that its number leaves, for a
 * commutative operator. */
static int multiplying_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                             struct coll_steps *out)
{
	struct radix r = radix_of(a->size, coll_fanout(a, 2));
	struct place at = place_of(&r, round);
	uint32_t last = r.steps + 1, guests = rank < r.stay ? (a->size - 1 - rank) / r.stay : 0;
	struct piece all = piece_recv(a);
	if (at.step > last)
		return COLL_END;
	if (rank >= r.stay) {
		if (at.sub == 0 && at.step == 0)
			step_send(out, rank % r.stay, piece_send(a));
		if (at.sub == 0 && at.step == last)
			step_recv(out, rank % r.stay, all);
	} else if (at.step == 0 || at.step == last) {
		if (at.sub == 0 && at.step == 0)
			step_copy(out, all, piece_send(a));
		if (at.sub < guests && at.step == 0)
			step_irecv(out, rank + (at.sub + 1) * r.stay, come(a, at.sub, all), at.sub);
		else if (at.sub < guests)
			step_isend(out, rank + (at.sub + 1) * r.stay, all, at.sub);
		else if (at.sub == guests && guests)
			step_waitall(out);
		else if (at.step == 0 && at.sub > guests && at.sub <= 2 * guests)
			step_reduce(out, all, come(a, at.sub - guests - 1, all));
	} else if (at.sub < r.k - 1) {
		uint32_t peer = radix_partner(&r, rank, at.step - 1, at.sub);
		step_isend(out, peer, all, 2 * at.sub);
		step_irecv(out, peer, come(a, at.sub, all), 2 * at.sub + 1);
	} else if (at.sub == r.k - 1) {
		step_waitall(out);
	} else if (at.sub < 2 * r.k - 1) {
		combine(a, &r, rank, at.step - 1, at.sub - r.k, all, out);
	}
	return 0;
}

static const char *multiplying_refuses(const struct coll_args *a)
{
	struct radix r = radix_of(a->size, coll_fanout(a, 2));
	return r.out && !a->commutative
	           ? "it needs a commutative operator where the ranks are no power of k"
	           : NULL;
}

const struct coll_alg coll_allreduce_mpich_recursive_multiplying = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_recursive_multiplying",
    .source = "MPICH 4, recursive multiplying, k = 2",
    .cost = "logk p (L + (k-1) n/B) (+ 2 (L + n/B) if folded)",
    .round = multiplying_round,
    .tmp_bytes = partners_tmp,
    .refuses = multiplying_refuses,
    .instead = &coll_allreduce_rdb};

/* --- reduce-scatter and allgather by recursive splitting into k parts: bandwidth as
 * Rabenseifner's, latency of logk p --- */

struct range {
	int64_t first, n;
};
/* What a number keeps after some steps, of units that are as equal as elements allow. */
static struct range kept_units(const struct coll_args *a, const struct radix *r, uint32_t number,
                               uint32_t steps)
{
	uint32_t first = 0, len = r->stay;
	for (uint32_t i = 0; i < steps; i++) {
		len /= r->k;
		first += number / radix_power(r, i) % r->k * len;
	}
	int64_t each = a->count / r->stay, more = a->count % r->stay, end = (int64_t)first + len;
	int64_t lo = first * each + (first < more ? first : more),
	        hi = end * each + (end < more ? end : more);
	return (struct range){lo, hi - lo};
}
static struct piece kept_piece(const struct coll_args *a, const struct radix *r, uint32_t number,
                               uint32_t steps)
{
	struct range u = kept_units(a, r, number, steps);
	return piece_at(BUF_RECV, u.first * a->type_size, u.n * a->type_size);
}

static void split_step(const struct coll_args *a, const struct radix *r, uint32_t rank,
                       uint32_t step, uint32_t sub, int back, struct coll_steps *out)
{
	uint32_t number = radix_new(r, rank);
	struct piece mine = kept_piece(a, r, number, step + 1);
	if (sub < r->k - 1) {
		uint32_t other = radix_partner(r, number, step, sub), peer = radix_old(r, other);
		struct piece theirs = kept_piece(a, r, other, step + 1);
		step_irecv(out, peer, back ? theirs : come(a, sub, mine), 2 * sub);
		step_isend(out, peer, back ? mine : theirs, 2 * sub + 1);
	} else if (sub == r->k - 1) {
		step_waitall(out);
	} else if (!back && sub < 2 * r->k - 1) {
		combine(a, r, number, step, sub - r->k, mine, out);
	}
}

static int split_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	struct radix r = radix_of(a->size, coll_fanout(a, 2));
	struct place at = place_of(&r, round);
	uint32_t last = 2 * r.steps + 1;
	if (at.step > last)
		return COLL_END;
	if (at.step == 0 || at.step == last)
		drop_out(a, &r, rank, at.sub, at.step == 0, out);
	else if (radix_new(&r, rank) == RADIX_OUT)
		return 0;
	else if (at.step <= r.steps)
		split_step(a, &r, rank, at.step - 1, at.sub, 0, out);
	else
		split_step(a, &r, rank, 2 * r.steps - at.step, at.sub, 1, out);
	return 0;
}

const struct coll_alg coll_allreduce_mpich_k_reduce_scatter_allgather = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_k_reduce_scatter_allgather",
    .source = "MPICH 4, reduce-scatter and allgather by recursive exchange, k = 2; Rabenseifner "
              "for any radix",
    .cost = "2 logk p L + 2 (p-1)/p n/B (+ 2 (L + n/B) if folded)",
    .round = split_round,
    .tmp_bytes = partners_tmp};
