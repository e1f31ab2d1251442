/* Neighbourhood collectives on grids of up to three dimensions, periodic or not, sides of 1 and 2
 * among them, and on random graphs with neighbours that stand several times. What a block must
 * hold: MPI 4.0, 8.6, written in src/coll/verify/expect.c. */
#include "../prop.h"
#include "coll/coll_int.h"

#include <stdlib.h>
#include <string.h>

enum { P_MAX = 27, NEIGHBORS_MAX = 64 };

struct graph {
	uint32_t p;
	int32_t in[P_MAX][NEIGHBORS_MAX], out[P_MAX][NEIGHBORS_MAX];
	uint32_t n_in[P_MAX], n_out[P_MAX];
	int grid;
};

static int64_t block_of(uint32_t from, uint32_t to, uint32_t time)
{
	return (from * 7 + to * 3 + time * 5) % 11;
}

/* Block i that a rank sends: which time the destination stands in its list. */
static int64_t out_count(const struct graph *g, uint32_t r, uint32_t i)
{
	uint32_t time = 0;
	if (g->grid) /* the direction tells equal neighbours apart */
		return g->out[r][i] < 0 ? 3 : block_of(r, (uint32_t)g->out[r][i], i);
	for (uint32_t k = 0; k < i; k++)
		time += g->out[r][k] == g->out[r][i];
	return block_of(r, (uint32_t)g->out[r][i], time);
}
static int64_t in_count(const struct graph *g, uint32_t r, uint32_t i)
{
	uint32_t time = 0;
	if (g->grid)
		return g->in[r][i] < 0 ? 2 : block_of((uint32_t)g->in[r][i], r, i ^ 1);
	for (uint32_t k = 0; k < i; k++)
		time += g->in[r][k] == g->in[r][i];
	return block_of((uint32_t)g->in[r][i], r, time);
}

static void prove(const struct coll_alg *alg, const struct graph *g)
{
	static int64_t counts[P_MAX][NEIGHBORS_MAX], counts2[P_MAX][NEIGHBORS_MAX];
	struct coll_args args[P_MAX];
	struct err err;
	int v = alg->kind == COLL_NEIGHBOR_ALLTOALLV || alg->kind == COLL_NEIGHBOR_ALLTOALLW,
	    gv = alg->kind == COLL_NEIGHBOR_ALLGATHERV;
	for (uint32_t r = 0; r < g->p; r++) {
		args[r] = (struct coll_args){.kind = alg->kind,
		                             .size = g->p,
		                             .count = gv ? r + 1 : 5,
		                             .count2 = 5,
		                             .type_size = 4,
		                             .type_size2 = 4,
		                             .basic_type = 1,
		                             .sources = g->in[r],
		                             .n_sources = g->n_in[r],
		                             .n_destinations = g->n_out[r]};
		args[r].destinations = g->grid ? g->in[r] : g->out[r];
		for (uint32_t i = 0; v && i < g->n_out[r]; i++)
			counts[r][i] = out_count(g, r, i);
		for (uint32_t i = 0; (v || gv) && i < g->n_in[r]; i++)
			counts2[r][i] = v                 ? in_count(g, r, i)
			                : g->in[r][i] < 0 ? 1
			                                  : g->in[r][i] + 1;
		args[r].counts = v ? counts[r] : NULL;
		args[r].counts2 = v || gv ? counts2[r] : NULL;
	}
	if (coll_verify(alg, args, &err) < 0)
		fail_msg("%s", err.text);
}

static void prove_all(const struct graph *g)
{
	uint32_t n = 0;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if ((*alg)->kind > COLL_EXSCAN) {
			prove(*alg, g);
			n++;
		}
	assert_true(n >= 5);
}

static void grid_make(struct graph *g, const uint32_t *dims, uint32_t n, uint32_t periodic)
{
	*g = (struct graph){.p = dims[0] * (n > 1 ? dims[1] : 1) * (n > 2 ? dims[2] : 1),
	                    .grid = 1};
	for (uint32_t r = 0; r < g->p; r++) {
		uint32_t stride = g->p;
		for (uint32_t d = 0; d < n; d++) {
			stride /= dims[d];
			uint32_t x = r / stride % dims[d], base = r - x * stride;
			int wraps = periodic >> d & 1;
			g->in[r][2 * d] = x > 0   ? (int32_t)(base + (x - 1) * stride)
			                  : wraps ? (int32_t)(base + (dims[d] - 1) * stride)
			                          : -2;
			g->in[r][2 * d + 1] = x + 1 < dims[d] ? (int32_t)(base + (x + 1) * stride)
			                      : wraps         ? (int32_t)base
			                                      : -2;
		}
		g->n_in[r] = g->n_out[r] = 2 * n;
		memcpy(g->out[r], g->in[r], sizeof g->in[r]);
	}
}

static void grids(void **state)
{
	static struct graph g;
	(void)state;
	for (uint32_t x = 1; x <= 3; x++)
		for (uint32_t y = 1; y <= 3; y++)
			for (uint32_t z = 1; z <= 3; z++)
				for (uint32_t periodic = 0; periodic < 8; periodic++) {
					const uint32_t dims[] = {x, y, z};
					grid_make(&g, dims, 1 + (x + y + z + periodic) % 3,
					          periodic);
					prove_all(&g);
				}
}

/* Edges at random; a source list and a destination list are shuffled apart, and edges may be there
 * twice. */
static void graphs(void **state)
{
	static struct graph g;
	struct rng rng;
	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(60); seed++) {
		rng_init(&rng, seed, "graph", 0);
		g = (struct graph){.p = 1 + seed % P_MAX};
		for (uint32_t e = 0; e < 4 * g.p; e++) {
			uint32_t from = (uint32_t)(rng_u64(&rng) % g.p),
			         to = (uint32_t)(rng_u64(&rng) % g.p);
			if (from == to || g.n_out[from] == NEIGHBORS_MAX ||
			    g.n_in[to] == NEIGHBORS_MAX)
				continue;
			g.out[from][g.n_out[from]++] = (int32_t)to;
			g.in[to][g.n_in[to]++] = (int32_t)from;
		}
		for (uint32_t r = 0; r < g.p; r++)
			for (uint32_t i = g.n_in[r]; i > 1; i--) {
				uint32_t k = (uint32_t)(rng_u64(&rng) % i);
				int32_t x = g.in[r][k];
				g.in[r][k] = g.in[r][i - 1];
				g.in[r][i - 1] = x;
			}
		prove_all(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(grids), cmocka_unit_test(graphs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
