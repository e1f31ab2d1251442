/* prop_comms.c: communicators and topologies beside plain lists (MPI 4.0, 7 and 8): a rank's place
 * is where it stands in the list that its members gave, whatever that list's order; of an
 * intercommunicator each member sees its own group and the other; what members give differently, or
 * twice, is refused with both ranks named; ids are used again, and then mean the new one.
 * Neighbours of a grid are worked out from coordinates, row by row (8.5.4, 8.6). */
#include "unit/mp/sim.h"

#include "mp/comm/comm.h"
#include "property/prop.h"

enum { RANKS = 24, ALIVE = 12 };

static struct sim sim;
static struct err err;

static void begin(uint32_t ranks)
{
	static const struct act nothing[] = {{0}};
	static const struct act *lists[RANKS];

	for (uint32_t i = 0; i < RANKS; i++)
		lists[i] = nothing;
	sim_init(&sim, FLAT, NULL, lists, ranks);
}

struct kept {
	uint32_t n, split, member[RANKS];
	uint64_t key;
	struct mp_comm comm;
	int alive;
};

/* --- drawing --- */

/* In order, backwards, every k-th, or anyhow: what is kept as three numbers, and what is not. */
static void members_draw(struct kept *k, struct rng *r)
{
	uint32_t step = prop_from(r, 1, 3), how = prop_from(r, 0, 3), all[RANKS];

	for (uint32_t i = 0; i < RANKS; i++) {
		uint32_t at = (uint32_t)rng_below(r, i + 1);

		all[i] = all[at];
		all[at] = i;
	}
	k->n = prop_from(r, 1, RANKS / 3);
	for (uint32_t i = 0; i < k->n; i++)
		k->member[i] = how == 0   ? 1 + i * step
		               : how == 1 ? RANKS - 1 - i * step
		               : how == 2 ? i
		                          : all[i];
	k->split = k->n > 1 && prop_once_in(r, 3) ? prop_from(r, 1, k->n - 1) : 0;
}

static int make(const struct kept *k, uint32_t rank, struct mp_comm *out)
{
	return k->split
	           ? mp_intercomm_make(sim.mp, rank, k->key, k->member, k->n, k->split, out, &err)
	           : mp_comm_make(sim.mp, rank, k->key, k->member, k->n, out, &err);
}
/* Its members make it, in any order. */
static void make_all(struct kept *k, struct rng *r)
{
	uint32_t first = (uint32_t)rng_below(r, k->n);

	for (uint32_t i = 0; i < k->n; i++) {
		struct mp_comm c = {0};

		assert_ok(make(k, k->member[(first + i) % k->n], &c), err);
		if (i > 0)
			assert_int_equal(c.v, k->comm.v);
		k->comm = c;
	}
	k->alive = 1;
}

/* --- what is known of it --- */

static void check(const struct kept *k)
{
	assert_int_equal(mp_comm_size(sim.mp, k->comm), k->n);
	for (uint32_t rank = 0; rank < RANKS; rank++) {
		int32_t place = -1;

		for (uint32_t i = 0; i < k->n; i++)
			place = k->member[i] == rank ? (int32_t)i : place;
		assert_int_equal(mp_comm_rank(sim.mp, k->comm, rank), place);
		assert_int_equal(mp_comm_is_freed(sim.mp, k->comm, rank), place < 0);
		if (place >= 0) {
			struct mp_groups g = mp_comm_groups(sim.mp, k->comm, rank);
			uint32_t first = (uint32_t)place < k->split;

			assert_int_equal(g.local, !k->split ? k->n
			                          : first   ? k->split
			                                    : k->n - k->split);
			assert_int_equal(g.remote, !k->split ? 0 : k->n - g.local);
			assert_int_equal(comm_member(comm_at(sim.mp, k->comm.v), (uint32_t)place),
			                 rank);
		}
	}
}
static void free_all(struct kept *k)
{
	for (uint32_t i = 0; i < k->n; i++) {
		assert_int_equal(mp_comm_is_freed(sim.mp, k->comm, k->member[i]), 0);
		assert_ok(mp_comm_free(sim.mp, k->member[i], k->comm, &err), err);
		assert_int_equal(mp_comm_is_freed(sim.mp, k->comm, k->member[i]), 1);
		if (i + 1 < k->n) /* the others have it still */
			assert_fails(mp_comm_free(sim.mp, k->member[i], k->comm, &err), err,
			             ERR_PROGRAM, "twice");
	}
	assert_int_equal(mp_comm_rank(sim.mp, k->comm, k->member[0]), -1);
	assert_fails(mp_comm_free(sim.mp, k->member[0], k->comm, &err), err, ERR_PROGRAM,
	             "does not exist, or was freed");
	k->alive = 0;
}

static void places_are_those_of_the_list(void **state)
{
	struct prop_run run = prop_begin(60);
	static struct kept kept[ALIVE];

	(void)state;
	begin(RANKS);
	memset(kept, 0, sizeof kept);
	for (uint64_t i = 0; i < run.cases * 10; i++) {
		struct rng r;
		struct kept *k;

		rng_init(&r, run.seed, "comms", i);
		k = &kept[rng_below(&r, ALIVE)];
		if (k->alive) {
			free_all(k);
		} else {
			members_draw(k, &r);
			k->key = 1 + rng_below(&r, 5); /* used again, when all have joined */
			make_all(k, &r);
		}
		for (int j = 0; j < ALIVE; j++)
			if (kept[j].alive)
				check(&kept[j]);
	}
	sim_release(&sim);
}

/* --- what members say differently --- */

static void differing_members_are_refused(void **state)
{
	struct prop_run run = prop_begin(200);

	(void)state;
	begin(RANKS);
	for (uint64_t i = 0; i < run.cases; i++) {
		struct kept k = {.key = 1000 + i}, other;
		struct mp_comm c;
		struct rng r;
		uint32_t at, by;

		rng_init(&r, run.seed + i, "differ", 0);
		do
			members_draw(&k, &r);
		while (k.n < 3);
		k.split = 0;
		at = prop_from(&r, 0, k.n - 1);
		by = k.member[at == 1 ? 2 : 1];
		assert_ok(make(&k, k.member[0], &c), err);
		assert_fails(make(&k, k.member[0], &c), err, ERR_PROGRAM, "twice");
		other = k;
		switch (rng_below(&r, 4)) {
		case 0: /* another member */
			do
				other.member[at] = prop_from(&r, 0, RANKS - 1);
			while (other.member[at] == k.member[at]);
			assert_fails(make(&other, by, &c), err, ERR_PROGRAM, "as its member");
			break;
		case 1: /* another number of them */
			other.n--;
			assert_fails(make(&other, by, &c), err, ERR_PROGRAM, "made with");
			break;
		case 2: /* two groups */
			other.split = 1;
			assert_fails(make(&other, by, &c), err, ERR_PROGRAM, "first group");
			break;
		default: /* from outside */
			for (by = 0; mp_comm_rank(sim.mp, c, by) >= 0; by++)
				;
			assert_fails(make(&k, by, &c), err, ERR_PROGRAM, "not a member");
		}
	}
	sim_release(&sim);
}

static void lists_that_cannot_be(void **state)
{
	static const uint32_t twice[] = {3, 1, 4, 1}, outside[] = {0, RANKS}, one[] = {2, 2};
	struct mp_comm c;

	(void)state;
	begin(RANKS);
	assert_fails(mp_comm_make(sim.mp, 1, 1, twice, 4, &c, &err), err, ERR_PROGRAM,
	             "with rank 1 twice in it");
	assert_fails(mp_comm_make(sim.mp, 0, 2, outside, 2, &c, &err), err, ERR_PROGRAM,
	             "there are 24 ranks");
	assert_fails(mp_comm_make(sim.mp, 0, 3, one, 0, &c, &err), err, ERR_PROGRAM,
	             "without members");
	assert_fails(mp_intercomm_make(sim.mp, 2, 4, one, 1, 1, &c, &err), err, ERR_PROGRAM,
	             "one group is empty");
	assert_fails(mp_intercomm_make(sim.mp, 2, 5, one, 2, 1, &c, &err), err, ERR_PROGRAM,
	             "twice");
	assert_fails(mp_comm_free(sim.mp, 0, MP_COMM_WORLD, &err), err, ERR_PROGRAM,
	             "MPI_COMM_WORLD");
	/* a key that failed is as if it had not been */
	assert_ok(mp_comm_make(sim.mp, 2, 1, one, 1, &c, &err), err);
	assert_int_equal(mp_comm_rank(sim.mp, c, 2), 0);
	sim_release(&sim);
}

/* --- grids --- */

enum { DIMS = 4 };
struct grid {
	uint32_t n;
	int64_t dim[DIMS], periodic[DIMS];
};

static uint32_t grid_draw(struct grid *g, struct rng *r)
{
	uint32_t cells;

	do {
		cells = 1;
		g->n = prop_from(r, 0, DIMS);
		for (uint32_t d = 0; d < g->n; d++) {
			g->dim[d] = prop_from(r, 1, 5);
			g->periodic[d] = (int64_t)rng_below(r, 2);
			cells *= (uint32_t)g->dim[d];
		}
	} while (cells > RANKS);
	return cells;
}
/* The last coordinate changes fastest. */
static void coordinates(const struct grid *g, uint32_t rank, int64_t *x)
{
	for (uint32_t d = g->n; d-- > 0; rank /= (uint32_t)g->dim[d])
		x[d] = rank % (uint32_t)g->dim[d];
}
static int32_t rank_at(const struct grid *g, const int64_t *x)
{
	int32_t rank = 0;

	for (uint32_t d = 0; d < g->n; d++)
		rank = rank * (int32_t)g->dim[d] + (int32_t)x[d];
	return rank;
}
static int32_t neighbor(const struct grid *g, uint32_t rank, uint32_t d, int step)
{
	int64_t x[DIMS];

	coordinates(g, rank, x);
	x[d] += step;
	if ((x[d] < 0 || x[d] >= g->dim[d]) && !g->periodic[d])
		return MP_PROC_NULL;
	x[d] = (x[d] + g->dim[d]) % g->dim[d];
	return rank_at(g, x);
}

static void grids_have_the_neighbours_of_coordinates(void **state)
{
	struct prop_run run = prop_begin(150);

	(void)state;
	begin(RANKS);
	for (uint64_t i = 0; i < run.cases; i++) {
		struct grid g;
		struct kept k = {.key = 1};
		struct rng r;

		rng_init(&r, run.seed + i, "grid", 0);
		k.n = grid_draw(&g, &r);
		for (uint32_t m = 0; m < k.n; m++)
			k.member[m] = RANKS - 1 - m;
		make_all(&k, &r);
		for (uint32_t m = 0; m < k.n; m++) {
			struct coll_args a = {0};

			assert_ok(
			    mp_comm_cart(sim.mp, k.member[m], k.comm, g.dim, g.periodic, g.n, &err),
			    err);
			assert_ok(
			    topology_neighbors(sim.mp, comm_at(sim.mp, k.comm.v), m, &a, &err),
			    err);
			assert_int_equal(a.n_sources, 2 * g.n);
			assert_int_equal(a.n_destinations, 2 * g.n);
			for (uint32_t d = 0; d < g.n; d++) {
				assert_int_equal(a.sources[2 * d], neighbor(&g, m, d, -1));
				assert_int_equal(a.sources[2 * d + 1], neighbor(&g, m, d, 1));
			}
		}
		if (k.n > 1) { /* one cell too many for the last */
			int64_t wrong[DIMS] = {k.n + 1};

			assert_fails(mp_comm_cart(sim.mp, k.member[k.n - 1], k.comm, wrong,
			                          g.periodic, 1, &err),
			             err, ERR_PROGRAM, "do not make");
		}
		free_all(&k);
	}
	sim_release(&sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(places_are_those_of_the_list),
	    cmocka_unit_test(differing_members_are_refused),
	    cmocka_unit_test(lists_that_cannot_be),
	    cmocka_unit_test(grids_have_the_neighbours_of_coordinates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
