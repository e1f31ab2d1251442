/* prop_topo.c: random grids of up to four dimensions: ranks are row-major (MPI 4.0, 8.5), places
 * and ranks go there and back, a shift is a walk of so many steps from this process and its source
 * the same walk backwards, whatever the number of steps; dimensions that are asked for multiply to
 * the number of nodes, fall, and are as near to each other as any (8.5.2). */
#include "../prop.h"

#include "../../unit/libmpi/fake.h"

#include "base/rng.h"
#include "objects/topo.h"

#include <limits.h>

enum { WORLD = 48, MINE = 17, CASES = 600, DIMS = 4 };

struct grid {
	int n, dims[DIMS], periods[DIMS], at[DIMS];
	MPI_Comm comm;
};

/* A grid that this process is in. */
static void grid_draw(struct rng *r, struct grid *g)
{
	int left, rest = MINE;

	do {
		*g = (struct grid){.n = 1 + (int)rng_below(r, DIMS)};
		left = WORLD;
		for (int d = 0; d < g->n; d++) {
			g->dims[d] = 1 + (int)rng_below(r, (uint64_t)(left < 8 ? left : 8));
			g->periods[d] = (int)rng_below(r, 2);
			left /= g->dims[d];
		}
		left = 1;
		for (int d = 0; d < g->n; d++)
			left *= g->dims[d];
	} while (left <= MINE);
	for (int d = g->n - 1; d >= 0; d--) {
		g->at[d] = rest % g->dims[d];
		rest /= g->dims[d];
	}
	OK(orr_Cart_create(MPI_COMM_WORLD, g->n, g->dims, g->periods, 1, &g->comm));
}

static int rank_of(const struct grid *g, const int *at)
{
	int rank = 0;

	for (int d = 0; d < g->n; d++)
		rank = rank * g->dims[d] + at[d];
	return rank;
}

static void places(const struct grid *g)
{
	int dims[DIMS], periods[DIMS], at[DIMS], rank, size = orr_comm_of(g->comm)->size;

	OK(orr_Cart_get(g->comm, DIMS, dims, periods, at));
	assert_memory_equal(dims, g->dims, (size_t)g->n * sizeof *dims);
	assert_memory_equal(periods, g->periods, (size_t)g->n * sizeof *dims);
	assert_memory_equal(at, g->at, (size_t)g->n * sizeof *dims);
	for (int i = 0; i < size; i++) {
		OK(orr_Cart_coords(g->comm, i, DIMS, at));
		assert_int_equal(rank_of(g, at), i);
		OK(orr_Cart_rank(g->comm, at, &rank));
		assert_int_equal(rank, i);
		for (int d = 0; d < g->n; d++) { /* a whole turn further is the same, or nowhere */
			at[d] += g->dims[d];
			int code = orr_Cart_rank(g->comm, at, &rank);
			assert_int_equal(code, g->periods[d] ? MPI_SUCCESS : MPI_ERR_RANK);
			assert_int_equal(rank, i);
			at[d] -= g->dims[d];
		}
	}
	assert_int_equal(orr_Cart_coords(g->comm, size, DIMS, at), MPI_ERR_RANK);
	assert_int_equal(orr_Cart_coords(g->comm, -1, DIMS, at), MPI_ERR_RANK);
}

/* Who is so many steps away in a dimension. */
static int walked(const struct grid *g, int d, int64_t steps)
{
	int at[DIMS];
	int64_t to = g->at[d] + steps, n = g->dims[d];

	memcpy(at, g->at, sizeof at);
	if (!g->periods[d] && (to < 0 || to >= n))
		return MPI_PROC_NULL;
	at[d] = (int)((to % n + n) % n);
	return rank_of(g, at);
}

static void shifts(struct rng *r, const struct grid *g)
{
	const int steps[] = {0, 1, -1, (int)rng_below(r, 40) - 20, INT_MAX, INT_MIN, INT_MIN + 1};
	int from, to;

	for (int d = 0; d < g->n; d++)
		for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
			OK(orr_Cart_shift(g->comm, d, steps[i], &from, &to));
			assert_int_equal(to, walked(g, d, steps[i]));
			assert_int_equal(from, walked(g, d, -(int64_t)steps[i]));
		}
	assert_int_equal(orr_Cart_shift(g->comm, g->n, 1, &from, &to), MPI_ERR_ARG);
	assert_int_equal(orr_Cart_shift(g->comm, -1, 1, &from, &to), MPI_ERR_ARG);
}

/* Those who differ in the dimensions that remain, in row-major order of these. */
static void subs(struct rng *r, const struct grid *g)
{
	int remain[DIMS], at[DIMS], n = 0;
	struct orr_comm *c;
	MPI_Comm sub;

	for (int d = 0; d < g->n; d++)
		remain[d] = (int)rng_below(r, 2);
	OK(orr_Cart_sub(g->comm, remain, &sub));
	c = orr_comm_of(sub);
	for (int i = 0; i < orr_comm_of(g->comm)->size; i++) {
		int same = 1;

		OK(orr_Cart_coords(g->comm, i, DIMS, at));
		for (int d = 0; d < g->n; d++)
			same = same && (remain[d] || at[d] == g->at[d]);
		if (!same)
			continue;
		assert_true(n < c->size);
		assert_int_equal(c->local->member[n++], i);
	}
	assert_int_equal(n, c->size);
	orr_comm_drop(c);
}

static void grids(void **state)
{
	struct rng r;
	struct grid g;

	(void)state;
	rng_init(&r, prop_seed(1), "grids", 0);
	for (int i = 0; i < CASES; i++) {
		grid_draw(&r, &g);
		places(&g);
		shifts(&r, &g);
		subs(&r, &g);
		orr_comm_drop(orr_comm_of(g.comm));
	}
}

/* The least of the greatest factor, over all ways to write n as d factors. */
static int flattest(int n, int d)
{
	int best = n;

	if (d == 1)
		return n;
	for (int f = 1; f <= n; f++)
		if (n % f == 0) {
			int rest = flattest(n / f, d - 1), most = rest > f ? rest : f;

			best = most < best ? most : best;
		}
	return best;
}

static void dimensions(void **state)
{
	(void)state;
	for (int n = 1; n <= 120; n++)
		for (int d = 1; d <= 3; d++) {
			int dims[3] = {0}, product = 1;

			OK(orr_Dims_create(n, d, dims));
			for (int i = 0; i < d; i++) {
				product *= dims[i];
				assert_true(i == 0 || dims[i] <= dims[i - 1]);
			}
			assert_int_equal(product, n);
			if (dims[0] != flattest(n, d))
				fail_msg("%d nodes in %d dimensions: the greatest is %d, not %d", n,
				         d, dims[0], flattest(n, d));
		}
	/* what is given stays; what does not divide is an error */
	int dims[] = {0, 3, 0};
	OK(orr_Dims_create(24, 3, dims));
	assert_memory_equal(dims, ((int[]){4, 3, 2}), sizeof dims);
	dims[0] = dims[2] = 0;
	assert_int_equal(orr_Dims_create(25, 3, dims), MPI_ERR_DIMS);
	dims[0] = -1;
	assert_int_equal(orr_Dims_create(24, 3, dims), MPI_ERR_DIMS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(grids), cmocka_unit_test(dimensions)};

	world_start(WORLD, MINE);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
