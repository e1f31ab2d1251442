/* test_topology.c: the neighbours of members of grids and graphs, from MPI 4.0, 8.5 and 8.6. */
#include "sim.h"

#include "mp/comm/comm.h"

static const struct act nothing[] = {{0}};

static void make(struct sim *s, uint32_t ranks)
{
	static const struct act *programs[12];

	for (uint32_t i = 0; i < ranks; i++)
		programs[i] = nothing;
	sim_init(s, FLAT, NULL, programs, ranks);
}

static void assert_list(const int32_t *list, uint32_t n, const int32_t *expected,
                        uint32_t n_expected)
{
	assert_int_equal(n, n_expected);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(list[i], expected[i]);
}

#define ASSERT_LIST(list, n, ...) \
	assert_list(list, n, (const int32_t[]){__VA_ARGS__}, \
	            sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t))

/* 3 x 4, row-major: member = 4 x row + column; columns wrap, rows do not. */
static void grid(void **state)
{
	const int64_t dims[] = {3, 4}, periods[] = {0, 1};
	struct coll_args a = {0};
	struct sim s;

	(void)state;
	make(&s, 12);
	for (uint32_t rank = 0; rank < 12; rank++)
		assert_ok(mp_comm_cart(s.mp, rank, MP_COMM_WORLD, dims, periods, 2, &s.err), s.err);
	assert_ok(topology_neighbors(s.mp, comm_at(s.mp, 0), 5, &a, &s.err), s.err);
	ASSERT_LIST(a.sources, a.n_sources, 1, 9, 4, 6);
	ASSERT_LIST(a.destinations, a.n_destinations, 1, 9, 4, 6);
	assert_ok(topology_neighbors(s.mp, comm_at(s.mp, 0), 0, &a, &s.err), s.err);
	ASSERT_LIST(a.sources, a.n_sources, MP_PROC_NULL, 4, 3, 1);
	assert_ok(topology_neighbors(s.mp, comm_at(s.mp, 0), 11, &a, &s.err), s.err);
	ASSERT_LIST(a.sources, a.n_sources, 7, MP_PROC_NULL, 10, 8);
	assert_int_equal(
	    mp_comm_cart(s.mp, 3, MP_COMM_WORLD, (const int64_t[]){4, 3}, periods, 2, &s.err), -1);
	assert_non_null(strstr(s.err.text, "makes a grid that differs"));
	sim_release(&s);
}

/* A dimension of one, periodic: one's own neighbour on both sides. */
static void alone_in_a_dimension(void **state)
{
	const int64_t dims[] = {1, 2}, periods[] = {1, 0};
	struct coll_args a = {0};
	struct sim s;

	(void)state;
	make(&s, 2);
	assert_ok(mp_comm_cart(s.mp, 1, MP_COMM_WORLD, dims, periods, 2, &s.err), s.err);
	assert_ok(topology_neighbors(s.mp, comm_at(s.mp, 0), 1, &a, &s.err), s.err);
	ASSERT_LIST(a.sources, a.n_sources, 1, 1, 0, MP_PROC_NULL);
	sim_release(&s);
}

static void graph(void **state)
{
	const int64_t in[] = {2, MP_PROC_NULL}, out[] = {1, 2, 0};
	struct coll_args a = {0};
	struct sim s;

	(void)state;
	make(&s, 3);
	assert_ok(mp_comm_graph(s.mp, 1, MP_COMM_WORLD, in, 2, out, 3, &s.err), s.err);
	assert_ok(topology_neighbors(s.mp, comm_at(s.mp, 0), 1, &a, &s.err), s.err);
	ASSERT_LIST(a.sources, a.n_sources, 2, MP_PROC_NULL);
	ASSERT_LIST(a.destinations, a.n_destinations, 1, 2, 0);
	sim_release(&s);
}

static void none(void **state)
{
	struct coll_args a = {0};
	struct sim s;

	(void)state;
	make(&s, 2);
	assert_int_equal(topology_neighbors(s.mp, comm_at(s.mp, 0), 1, &a, &s.err), -1);
	assert_non_null(strstr(s.err.text, "without topology"));
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(grid),
	    cmocka_unit_test(alone_in_a_dimension),
	    cmocka_unit_test(graph),
	    cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
