/* The verifier finds what is wrong: one broken algorithm per kind of mistake, each with the words
 * it must be caught with; and it lets pass what only looks wrong. */
#include "coll/coll_int.h"
#include "property/coll/cases.h"
#include "test.h"

/* A correct broadcast to start from: the root sends to each in turn. */
static int bcast_flat(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (round >= (rank == a->root ? a->size : 1))
		return COLL_END;
	if (rank != a->root)
		step_recv(out, a->root, piece_recv(a));
	else if (round != rank)
		step_send(out, round, piece_recv(a));
	return 0;
}

/* Sends only whole groups of four bytes. */
static int bcast_drops_remainder(const struct coll_args *a, uint32_t rank, uint32_t round,
                                 struct coll_steps *out)
{
	struct coll_args shorter = *a;
	shorter.count = a->count * a->type_size / 4 * 4;
	shorter.type_size = 1;
	return bcast_flat(&shorter, rank, round, out);
}

static int bcast_wrong_root(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	struct coll_args wrong = *a;
	wrong.root = 0;
	return bcast_flat(&wrong, rank, round, out);
}

/* Leaves out the last rank. */
static int bcast_forgets(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	if (rank == a->root && round == a->size - 1)
		return COLL_END;
	return bcast_flat(a, rank, round, out);
}

static int bcast_outside(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	int r = bcast_flat(a, rank, round, out);
	for (uint32_t i = 0; i < out->n; i++)
		out->s[i].off++;
	return r;
}

static int bcast_sizes_differ(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	int r = bcast_flat(a, rank, round, out);
	if (out->n && rank == a->root)
		out->s[0].len--;
	return r;
}

static int bcast_leaves_request(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	int r = bcast_flat(a, rank, round, out);
	if (out->n && rank == a->root)
		out->s[0].kind = STEP_ISEND;
	return r;
}

static int bcast_waits_for_nothing(const struct coll_args *a, uint32_t rank, uint32_t round,
                                   struct coll_steps *out)
{
	int r = bcast_flat(a, rank, round, out);
	if (r == 0)
		step_wait(out, 5);
	return r;
}

static int bcast_same_number(const struct coll_args *a, uint32_t rank, uint32_t round,
                             struct coll_steps *out)
{
	int r = bcast_leaves_request(a, rank, round, out);
	if (r == 0 && round == a->size - 1)
		step_waitall(out);
	return r;
}

static int bcast_speaks_to_nobody(const struct coll_args *a, uint32_t rank, uint32_t round,
                                  struct coll_steps *out)
{
	int r = bcast_flat(a, rank, round, out);
	if (out->n && out->s[0].peer == 0)
		out->s[0].peer = a->size;
	return r;
}

static int bcast_for_ever(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	bcast_flat(a, rank, round, out);
	return 0;
}

/* Both ranks of a pair send first: works with buffering only. */
static int alltoall_all_send_first(const struct coll_args *a, uint32_t rank, uint32_t round,
                                   struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	uint32_t to = rank_add(a, rank, round), from = rank_sub(a, rank, round);
	if (round == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send_block(a, rank));
		return 0;
	}
	step_send(out, to, piece_send_block(a, to));
	step_recv(out, from, piece_recv_block(a, from));
	return 0;
}

/* The block for the next rank. */
static int alltoall_wrong_block(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	uint32_t to = rank_add(a, rank, round), from = rank_sub(a, rank, round);
	step_sendrecv(out, rank, to, piece_send_block(a, rank_add(a, to, 1)), from,
	              piece_recv_block(a, from));
	return 0;
}

enum reduce_mistake { TWICE, DISORDER, SHIFTED, UNWRITTEN, RACE_RECV, INTO_SEND };

/* The root receives from the others in rank order and combines on the right, its own contribution
 * first: right for root 0. */
static int reduce_flat(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out, enum reduce_mistake m)
{
	struct piece in = piece_at(BUF_TMP, 0, a->count * a->type_size);
	if (round >= (rank == a->root ? a->size : 1))
		return COLL_END;
	if (rank != a->root) {
		step_send(out, a->root, piece_send(a));
		return 0;
	}
	if (round == 0 && m != UNWRITTEN)
		step_copy(out, piece_recv(a), piece_send(a));
	uint32_t from = m == DISORDER ? a->size - round : round;
	if (round == 0)
		return 0;
	if (m == RACE_RECV) {
		step_irecv(out, from, in, 0);
		step_reduce(out, piece_recv(a), in);
		step_wait(out, 0);
		return 0;
	}
	step_recv(out, from, in);
	if (m == INTO_SEND)
		step_reduce(out, piece_send(a), in);
	if (m == SHIFTED)
		step_reduce(out, piece_at(BUF_RECV, a->type_size, in.len - a->type_size),
		            piece_at(BUF_TMP, 0, in.len - a->type_size));
	else
		step_reduce(out, piece_recv(a), in);
	if (m == TWICE)
		step_reduce(out, piece_recv(a), in);
	return 0;
}

#define REDUCE(m) \
	static int reduce_##m(const struct coll_args *a, uint32_t rank, uint32_t round, \
	                      struct coll_steps *out) \
	{ \
		return reduce_flat(a, rank, round, out, m); \
	}
REDUCE(TWICE)
REDUCE(DISORDER)
REDUCE(SHIFTED)
REDUCE(UNWRITTEN)
REDUCE(RACE_RECV)
REDUCE(INTO_SEND)

static int64_t one_buffer(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}

/* Overwrites what is being sent. */
static int allgather_race_send(const struct coll_args *a, uint32_t rank, uint32_t round,
                               struct coll_steps *out)
{
	if (round >= a->size)
		return COLL_END;
	struct piece tmp = piece_at(BUF_TMP, 0, piece_send(a).len);
	if (round == 0) {
		step_copy(out, piece_recv_block(a, rank), piece_send(a));
		step_copy(out, tmp, piece_send(a));
		return 0;
	}
	uint32_t from = rank_sub(a, rank, round);
	step_isend(out, rank_add(a, rank, round), tmp, 0);
	step_recv(out, from, piece_recv_block(a, from));
	step_copy(out, tmp, piece_recv_block(a, from));
	step_waitall(out);
	return 0;
}

/* Neighbours only. */
static int barrier_neighbours(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	struct piece empty = {BUF_TMP, 0, 0};
	step_sendrecv(out, rank, rank_add(a, rank, 1), empty, rank_sub(a, rank, 1), empty);
	return 0;
}

static void caught_with(coll_round_fn *round, struct coll_case c, const char *words)
{
	struct coll_alg alg = {
	    .kind = c.kind, .name = "broken", .round = round, .tmp_bytes = one_buffer};
	struct err err = {0};
	assert_fails(case_verify(&alg, &c, &err), err, ERR_PROGRAM, words);
}

static void passes(coll_round_fn *round, struct coll_case c)
{
	struct coll_alg alg = {
	    .kind = c.kind, .name = "right", .round = round, .tmp_bytes = one_buffer};
	struct err err = {0};
	assert_ok(case_verify(&alg, &c, &err), err);
}

static const struct coll_case bcast_case = {
    .kind = COLL_BCAST, .p = 4, .root = 1, .count = 7, .type_size = 1, .commutative = 1};

static void test_broadcasts(void **state)
{
	(void)state;
	struct coll_case even = bcast_case;
	even.count = 8;
	passes(bcast_flat, bcast_case);
	passes(bcast_drops_remainder, even);
	caught_with(bcast_drops_remainder, bcast_case, "byte 4 of the result is missing");
	caught_with(bcast_wrong_root, bcast_case, "reads what was never written");
	caught_with(bcast_forgets, bcast_case, "deadlock: waits to receive from rank 1");
	caught_with(bcast_outside, bcast_case, "outside a buffer");
	caught_with(bcast_sizes_differ, bcast_case, "receives 7 bytes from rank 1, which sends 6");
	caught_with(bcast_leaves_request,
	            (struct coll_case){.kind = COLL_BCAST, .p = 2, .count = 1, .type_size = 1},
	            "1 requests outstanding");
	caught_with(bcast_waits_for_nothing, bcast_case, "request 5, which is not outstanding");
	caught_with(bcast_same_number, bcast_case, "request number 0 twice");
	caught_with(bcast_speaks_to_nobody, bcast_case, "speaks to rank 4");
	caught_with(bcast_for_ever, bcast_case, "never ends");
}

static void test_exchanges(void **state)
{
	(void)state;
	struct coll_case c = {
	    .kind = COLL_ALLTOALL, .p = 3, .count = 2, .type_size = 4, .commutative = 1};
	caught_with(alltoall_all_send_first, c, "deadlock: waits to send to");
	caught_with(alltoall_wrong_block, c, "of the result is byte");
	c.kind = COLL_ALLGATHER;
	caught_with(allgather_race_send, c, "writes what a pending send reads");
	c.kind = COLL_BARRIER;
	caught_with(barrier_neighbours, c,
	            "leaves the barrier when only {0,2} are known to have come");
	c.p = 2;
	passes(barrier_neighbours, c);
}

static void test_reductions(void **state)
{
	(void)state;
	struct coll_case c = {
	    .kind = COLL_REDUCE, .p = 4, .count = 5, .type_size = 8, .commutative = 1};
	struct coll_case in_order = c, elsewhere = c;
	in_order.commutative = 0;
	elsewhere.commutative = 0;
	elsewhere.root = 2;
	caught_with(reduce_TWICE, c, "combined twice");
	passes(reduce_DISORDER, c);
	caught_with(reduce_DISORDER, in_order, "out of order");
	caught_with(reduce_SHIFTED, c, "combines different elements");
	caught_with(reduce_UNWRITTEN, c, "reads what was never written");
	caught_with(reduce_RACE_RECV, c, "touches what a pending receive writes");
	caught_with(reduce_INTO_SEND, c, "writes into what the user sends");
	caught_with(reduce_TWICE, elsewhere, "deadlock"); /* its loop skips rank 0, not the root */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_broadcasts),
	                                   cmocka_unit_test(test_exchanges),
	                                   cmocka_unit_test(test_reductions)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
