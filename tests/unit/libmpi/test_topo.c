/* Topologies: MPI 4.0, chapter 8. This process is 5 of 12: (1, 1) of a grid of 3 x 4. */
#include "fake.h"

#include "objects/topo.h"

/* Any number but 0 is true, and true is 1 when it is asked for. */
static void test_logical(void **state)
{
	(void)state;
	MPI_Comm comm;
	int dims[2], periods[2], coords[2];
	OK(orr_Cart_create(MPI_COMM_WORLD, 2, (int[]){3, 4}, (int[]){-7, 0}, 1, &comm));
	OK(orr_Cart_get(comm, 2, dims, periods, coords));
	assert_int_equal(dims[0], 3);
	assert_int_equal(dims[1], 4);
	assert_int_equal(periods[0], 1);
	assert_int_equal(periods[1], 0);
	orr_comm_drop(orr_comm_of(comm));
}

static MPI_Comm grid(int periodic)
{
	MPI_Comm comm;
	OK(orr_Cart_create(MPI_COMM_WORLD, 2, (int[]){3, 4}, (int[]){periodic, 0}, 1, &comm));
	return comm;
}

static void end(MPI_Comm comm)
{
	orr_comm_drop(orr_comm_of(comm));
}

static void test_cart(void **state)
{
	(void)state;
	MPI_Comm comm = grid(1), sub;
	int n, dims[2], periods[2], coords[2], rank, from, to, kind;
	OK(orr_Cartdim_get(comm, &n));
	assert_int_equal(n, 2);
	OK(orr_Cart_get(comm, 2, dims, periods, coords));
	assert_int_equal(coords[0], 1);
	assert_int_equal(coords[1], 1);
	OK(orr_Cart_coords(comm, 11, 2, coords));
	assert_int_equal(coords[0], 2);
	assert_int_equal(coords[1], 3);
	OK(orr_Cart_rank(comm, (int[]){-1, 2}, &rank)); /* wraps */
	assert_int_equal(rank, 10);
	assert_int_equal(orr_Cart_rank(comm, (int[]){0, 4}, &rank), MPI_ERR_RANK);
	OK(orr_Cart_shift(comm, 0, 2, &from, &to));
	assert_int_equal(from, 9); /* (1 - 2, 1) = (2, 1) */
	assert_int_equal(to, 1);
	OK(orr_Cart_shift(comm, 1, -2, &from, &to));
	assert_int_equal(from, 7);
	assert_int_equal(to, MPI_PROC_NULL);
	OK(orr_Topo_test(comm, &kind));
	assert_int_equal(kind, MPI_CART);
	OK(orr_Cart_sub(comm, (int[]){0, 1}, &sub)); /* the row of this process */
	struct orr_comm *c = orr_comm_of(sub);
	assert_int_equal(c->size, 4);
	assert_int_equal(c->rank, 1);
	assert_int_equal(c->local->member[3], 7);
	end(sub);
	end(comm);
	assert_int_equal(orr_Cart_create(MPI_COMM_WORLD, 2, (int[]){4, 4}, (int[]){0, 0}, 0, &comm),
	                 MPI_ERR_DIMS);
	OK(orr_Cart_create(MPI_COMM_WORLD, 1, (int[]){5}, (int[]){0}, 0, &comm));
	assert_ptr_equal(comm, MPI_COMM_NULL); /* ranks 0 to 4 only */
	assert_int_equal(orr_Cartdim_get(MPI_COMM_WORLD, &n), MPI_ERR_TOPOLOGY);
}

/* The example of 8.5.2, and values of which there is no better. */
static void test_dims(void **state)
{
	(void)state;
	static const struct {
		int nodes, n, before[3], after[3], code;
	} cases[] = {
	    {6, 2, {0, 0}, {3, 2}, MPI_SUCCESS},        {7, 2, {0, 0}, {7, 1}, MPI_SUCCESS},
	    {6, 3, {0, 3, 0}, {2, 3, 1}, MPI_SUCCESS},  {7, 3, {0, 3, 0}, {0, 3, 0}, MPI_ERR_DIMS},
	    {60, 3, {0, 0, 0}, {5, 4, 3}, MPI_SUCCESS}, {72, 3, {0, 0, 0}, {6, 4, 3}, MPI_SUCCESS},
	    {1, 2, {0, 0}, {1, 1}, MPI_SUCCESS},        {6, 2, {2, 3}, {2, 3}, MPI_SUCCESS},
	    {6, 2, {-1, 0}, {-1, 0}, MPI_ERR_DIMS}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int dims[3];
		memcpy(dims, cases[i].before, sizeof dims);
		assert_int_equal(orr_Dims_create(cases[i].nodes, cases[i].n, dims), cases[i].code);
		for (int k = 0; k < cases[i].n; k++)
			assert_int_equal(dims[k], cases[i].after[k]);
	}
}

/* Example 8.3: four processes; of those neighbours 1 3 | 0 | 3 | 0 2. */
static void test_graph(void **state)
{
	(void)state;
	int index[] = {2, 3, 4, 6, 6, 7}, edges[] = {1, 3, 0, 3, 0, 2, 5}, n, m, at[2];
	MPI_Comm comm;
	OK(orr_Graph_create(MPI_COMM_WORLD, 6, index, edges, 0, &comm));
	OK(orr_Graphdims_get(comm, &n, &m));
	assert_int_equal(n, 6);
	assert_int_equal(m, 7);
	OK(orr_Graph_neighbors_count(comm, 3, &n));
	OK(orr_Graph_neighbors(comm, 3, 2, at));
	assert_int_equal(n, 2);
	assert_int_equal(at[1], 2);
	int n_in, n_out, *in, *out;
	OK(orr_comm_neighbours(orr_comm_of(comm), &n_in, &in, &n_out, &out));
	assert_int_equal(n_in, 1); /* this process is its own neighbour */
	assert_int_equal(in[0], 5);
	free(in);
	free(out);
	end(comm);
	edges[0] = 6;
	assert_int_equal(orr_Graph_create(MPI_COMM_WORLD, 6, index, edges, 0, &comm),
	                 MPI_ERR_TOPOLOGY);
}

/* MPI_UNWEIGHTED, which the compiler takes for an array of no elements. */
static int *unweighted(void)
{
	volatile uintptr_t value = (uintptr_t)MPI_UNWEIGHTED;
	return (int *)value;
}

static void test_dist_graph(void **state)
{
	(void)state;
	MPI_Comm comm;
	int n, m, weighted, sources[2], weights[2], targets[1];
	OK(orr_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, (int[]){3, 4}, (int[]){7, 8}, 1,
	                                  (int[]){9}, (int[]){6}, MPI_INFO_NULL, 0, &comm));
	OK(orr_Dist_graph_neighbors_count(comm, &n, &m, &weighted));
	assert_int_equal(n, 2);
	assert_int_equal(m, 1);
	assert_true(weighted);
	OK(orr_Dist_graph_neighbors(comm, 2, sources, weights, 1, targets, unweighted()));
	assert_int_equal(sources[1], 4);
	assert_int_equal(weights[0], 7);
	assert_int_equal(targets[0], 9);
	end(comm);
	/* Every one of the 12 gives the same two edges, 2 -> 5 and 5 -> 1: this process has each 12
	 * times. */
	OK(orr_Dist_graph_create(MPI_COMM_WORLD, 2, (int[]){2, 5}, (int[]){1, 1}, (int[]){5, 1},
	                         unweighted(), MPI_INFO_NULL, 0, &comm));
	OK(orr_Dist_graph_neighbors_count(comm, &n, &m, &weighted));
	assert_int_equal(n, 12);
	assert_int_equal(m, 12);
	assert_false(weighted);
	end(comm);
}

/* Both sides of each dimension, the one below first. */
static void test_neighbours(void **state)
{
	(void)state;
	MPI_Comm comm = grid(0);
	int n_in, n_out, *in, *out;
	static const int expected[] = {1, 9, 4, 6};
	OK(orr_comm_neighbours(orr_comm_of(comm), &n_in, &in, &n_out, &out));
	assert_int_equal(n_in, 4);
	assert_int_equal(n_out, 4);
	assert_memory_equal(in, expected, sizeof expected);
	assert_memory_equal(out, expected, sizeof expected);
	free(in);
	free(out);
	end(comm);
}

static void test_compare(void **state)
{
	(void)state;
	MPI_Comm comm = grid(0);
	int result;
	OK(orr_Comm_compare(MPI_COMM_WORLD, comm, &result));
	assert_int_equal(result, MPI_CONGRUENT);
	OK(orr_Comm_compare(comm, comm, &result));
	assert_int_equal(result, MPI_IDENT);
	OK(orr_Comm_compare(comm, MPI_COMM_SELF, &result));
	assert_int_equal(result, MPI_UNEQUAL);
	end(comm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cart),       cmocka_unit_test(test_logical),
	    cmocka_unit_test(test_dims),       cmocka_unit_test(test_graph),
	    cmocka_unit_test(test_dist_graph), cmocka_unit_test(test_neighbours),
	    cmocka_unit_test(test_compare),
	};
	world_start(12, 5);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
