/* prop_neighbor_bytes.c: neighbourhood collectives on real bytes, moved in any order (machine.h),
 * beside MPI 4.0, 8.6, written here from its text. In a graph, what goes from one rank to another
 * keeps its order: the i-th block that a rank has for a neighbour is the i-th that this one expects
 * of it, so edges are queues. On a grid a block sent down arrives as from above, and the other way
 * round, also where both neighbours are one rank, or the rank itself; beyond an edge there is
 * nobody, and that block of the receive buffer stays as it is. Counts and types differ from rank to
 * rank; blocks may be empty, ranks without neighbours. */
#include "machine.h"

#include "coll/coll_int.h"

enum { NEIGHBORS = 12, BYTES = 6 };

static struct mpi_call call;
static struct machine machine;
static struct coll_args args[CALL_RANKS];
static int32_t to[CALL_RANKS][NEIGHBORS], from[CALL_RANKS][NEIGHBORS];
static uint32_t n_to[CALL_RANKS], n_from[CALL_RANKS];
static int64_t counts[CALL_RANKS][NEIGHBORS], counts2[CALL_RANKS][NEIGHBORS];
/* Units of what goes out over each edge, and where from; of what comes in over each: whose block.
 */
static int64_t units[CALL_RANKS][NEIGHBORS];
static struct {
	int32_t rank; /* -1: nobody's */
	uint32_t block;
} comes[CALL_RANKS][NEIGHBORS];

/* --- who neighbours whom --- */

static void graph_draw(struct rng *r)
{
	uint32_t edges = prop_from(r, 0, 4 * call.p);
	static int32_t queue[CALL_RANKS][CALL_RANKS][NEIGHBORS];
	uint32_t head[CALL_RANKS][CALL_RANKS] = {{0}}, tail[CALL_RANKS][CALL_RANKS] = {{0}};

	memset(n_to, 0, sizeof n_to);
	memset(n_from, 0, sizeof n_from);
	for (uint32_t e = 0; e < edges; e++) {
		uint32_t a = (uint32_t)rng_below(r, call.p), b = (uint32_t)rng_below(r, call.p);

		if (n_to[a] == NEIGHBORS || n_from[b] == NEIGHBORS)
			continue;
		queue[a][b][tail[a][b]++] = (int32_t)n_to[a];
		to[a][n_to[a]++] = (int32_t)b;
		from[b][n_from[b]++] = (int32_t)a;
	}
	for (uint32_t b = 0; b < call.p; b++) {
		for (uint32_t i = n_from[b]; i > 1; i--) { /* in an order of its own */
			uint32_t k = (uint32_t)rng_below(r, i);
			int32_t x = from[b][k];

			from[b][k] = from[b][i - 1];
			from[b][i - 1] = x;
		}
		for (uint32_t i = 0; i < n_from[b]; i++) {
			uint32_t a = (uint32_t)from[b][i];

			comes[b][i].rank = from[b][i];
			comes[b][i].block = (uint32_t)queue[a][b][head[a][b]++];
		}
	}
}

/* One step along a dimension of a grid of `side`: the other's coordinate, or -1. */
static int32_t beside(int32_t x, int32_t step, int32_t side, int wraps)
{
	x += step;
	return x >= 0 && x < side ? x : wraps ? (x + side) % side : -1;
}
static void grid_draw(struct rng *r, int wraps_always)
{
	int32_t sides[2] = {(int32_t)prop_from(r, 1, 4), (int32_t)prop_from(r, 1, 4)};
	int wraps[2] = {wraps_always || prop_once_in(r, 2), wraps_always || prop_once_in(r, 2)};

	call.p = (uint32_t)(sides[0] * sides[1]);
	for (uint32_t rank = 0; rank < call.p; rank++) {
		int32_t at[2] = {(int32_t)rank / sides[1], (int32_t)rank % sides[1]};

		n_to[rank] = n_from[rank] = 4;
		for (uint32_t i = 0; i < 4; i++) { /* below, above; of dimension 0, then of 1 */
			uint32_t d = i / 2;
			int32_t x = beside(at[d], i % 2 ? 1 : -1, sides[d], wraps[d]),
			        other = d == 0 ? x * sides[1] + at[1] : at[0] * sides[1] + x;

			to[rank][i] = from[rank][i] = x < 0 ? -2 : other;
			comes[rank][i].rank = x < 0 ? -1 : other;
			comes[rank][i].block = i % 2 ? i - 1 : i + 1;
		}
	}
}

/* --- blocks --- */

static int is_to_each(enum coll_kind k)
{
	return k >= COLL_NEIGHBOR_ALLTOALL;
}
static int has_counts(enum coll_kind k)
{
	return k != COLL_NEIGHBOR_ALLGATHER && k != COLL_NEIGHBOR_ALLTOALL;
}
/* Each rank has one block for all, or one for each; of one size everywhere unless there are counts.
 * What is for nobody has no bytes here. */
static void units_of_edges(struct rng *r)
{
	int64_t all = units_draw(r, 9);

	for (uint32_t rank = 0; rank < call.p; rank++) {
		int64_t own = has_counts(call.kind) ? units_draw(r, 9) : all;

		for (uint32_t i = 0; i < NEIGHBORS; i++) {
			units[rank][i] = has_counts(call.kind) && is_to_each(call.kind)
			                     ? units_draw(r, 9)
			                     : own;
			if (has_counts(call.kind) && i < n_to[rank] && to[rank][i] < 0)
				units[rank][i] = is_to_each(call.kind) ? 0 : own;
		}
	}
}
static int64_t comes_units(uint32_t rank, uint32_t i)
{
	return comes[rank][i].rank < 0 ? has_counts(call.kind) ? 0 : units[rank][i]
	                               : units[comes[rank][i].rank][comes[rank][i].block];
}
static void buffers_make(uint32_t rank, struct rng *r)
{
	int64_t out = is_to_each(call.kind) ? 0 : units[rank][0] * BYTES, in = 0;

	for (uint32_t i = 0; is_to_each(call.kind) && i < n_to[rank]; i++)
		out += units[rank][i] * BYTES;
	for (uint32_t i = 0; i < n_from[rank]; i++)
		in += comes_units(rank, i) * BYTES;
	call.outs[rank] = out;
	call.ins[rank] = in;
	call.data[rank] = bytes_new(out);
	call.want[rank] = bytes_new(in);
	call.defined[rank] = 1;
	data_fill(&call, call.data[rank], out, r);
}
static void want_make(uint32_t rank)
{
	int64_t at = 0;

	for (uint32_t i = 0; i < n_from[rank]; i++) {
		int64_t n = comes_units(rank, i) * BYTES, off = 0;
		int32_t source = comes[rank][i].rank;

		for (uint32_t k = 0;
		     source >= 0 && is_to_each(call.kind) && k < comes[rank][i].block; k++)
			off += units[source][k] * BYTES;
		if (source >= 0)
			memcpy(call.want[rank] + at, call.data[source] + off, (size_t)n);
		at += n;
	}
}
static void args_make(uint32_t rank, struct rng *r, int is_grid)
{
	static const int64_t sizes[] = {1, 2, 3, 6};
	int in_bytes = call.kind == COLL_NEIGHBOR_ALLTOALLW;
	int64_t ts = in_bytes ? 1 : sizes[rng_below(r, 4)],
	        ts2 = in_bytes ? 1 : sizes[rng_below(r, 4)];
	int counted = has_counts(call.kind);

	for (uint32_t i = 0; i < n_to[rank]; i++)
		counts[rank][i] = units[rank][i] * BYTES / ts;
	for (uint32_t i = 0; i < n_from[rank]; i++)
		counts2[rank][i] = comes_units(rank, i) * BYTES / ts2;
	args[rank] = (struct coll_args){
	    .kind = call.kind,
	    .size = call.p,
	    .count = units[rank][0] * BYTES / ts,
	    .count2 = units[rank][0] * BYTES / ts2,
	    .type_size = ts,
	    .type_size2 = ts2,
	    .counts = counted && is_to_each(call.kind) ? counts[rank] : NULL,
	    .counts2 = counted ? counts2[rank] : NULL,
	    .sources = from[rank],
	    .destinations = is_grid ? from[rank] : to[rank],
	    .n_sources = n_from[rank],
	    .n_destinations = n_to[rank],
	};
}

static void check(const struct coll_alg *alg, int is_grid, uint64_t seed)
{
	struct rng r;

	rng_init(&r, seed, "neighbours", (uint64_t)(2 * alg->kind + is_grid));
	memset(&call, 0, sizeof call);
	call.kind = alg->kind;
	call.e = call.u = 1;
	call.p = prop_from(&r, 1, CALL_RANKS);
	if (is_grid) /* all blocks must come where bytes cannot be left out */
		grid_draw(&r, !has_counts(call.kind));
	else
		graph_draw(&r);
	units_of_edges(&r);
	for (uint32_t i = 0; i < call.p; i++)
		buffers_make(i, &r);
	for (uint32_t i = 0; i < call.p; i++) {
		want_make(i);
		args_make(i, &r, is_grid);
	}
	call.given = args;
	if (machine_run(&machine, &call, alg,
	                prop_once_in(&r, 2) ? prop_from(&r, 0, call.p - 1) : NOBODY, &r) < 0)
		fail_msg("%s on a %s of %u ranks, seed %llu: %s", coll_kind_name(alg->kind),
		         is_grid ? "grid" : "graph", call.p, (unsigned long long)seed,
		         machine.wrong);
	call_release(&call);
}

static void neighbours_get_what_mpi_says(void **state)
{
	struct prop_run run = prop_begin(150);
	unsigned algs = 0;

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		if ((*alg)->kind < COLL_NEIGHBOR_ALLGATHER)
			continue;
		for (uint64_t i = 0; i < run.cases; i++) {
			check(*alg, 0, run.seed + i);
			check(*alg, 1, run.seed + i);
		}
		algs++;
	}
	assert_int_equal(algs, 5);
}

/* Each edge is one message; nobody sends more. */
static void an_edge_is_a_message(void **state)
{
	struct prop_run run = prop_begin(40);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		const struct coll_alg *alg = coll_alg_find(COLL_NEIGHBOR_ALLTOALL, "linear_nb");

		check(alg, 0, run.seed + i);
		for (uint32_t rank = 0; rank < call.p; rank++) {
			struct coll_cursor c = {0};
			struct coll_steps out = {.n = 0};
			uint32_t sends = 0, receives = 0;

			while (out.n = 0, coll_next(alg, &args[rank], rank, &c, &out) != COLL_END)
				for (uint32_t k = 0; k < out.n; k++) {
					sends += out.s[k].kind == STEP_ISEND ||
					         out.s[k].kind == STEP_SEND;
					receives += out.s[k].kind == STEP_IRECV ||
					            out.s[k].kind == STEP_RECV;
				}
			assert_int_equal(sends, n_to[rank]);
			assert_int_equal(receives, n_from[rank]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_get_what_mpi_says),
	                                   cmocka_unit_test(an_edge_is_a_message)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
