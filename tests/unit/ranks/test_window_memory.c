/* test_window_memory.c: memory of windows that ranks share (MPI 4.0, 12.2.3), and that comes and
 * goes (12.2.5). */
#include "ranks.h"

#include "refuses.h"

enum { RANKS = 3 };

static void run_one_host(int n, void (*body)(int rank, void *arg))
{
	struct ranks run = {.n = n, .body = body, .hosts = "h0 slots=64\n"};

	faults = 0;
	if (ranks_run(&run) < 0)
		fail_msg("%s", run.err.text);
	assert_int_equal(faults, 0);
}

/* --- shared memory: 12.2.3 --- */

static void shared_body(int rank, void *arg)
{
	MPI_Aint size, unit, bytes = rank == 0 ? 0 : 4 * rank;
	int *own, *its, *first, *apart;
	MPI_Info info;
	MPI_Win w;

	(void)arg;
	OK(orr_Win_allocate_shared(bytes, 4, MPI_INFO_NULL, WORLD, &own, &w));
	assert_int_equal(own != NULL, rank > 0); /* as those who ask are told */
	OK(orr_Win_shared_query(w, MPI_PROC_NULL, &size, &unit, &first));
	assert_int_equal(size, 4); /* the first that has some */
	OK(orr_Win_fence(0, w));
	for (int i = 0; i < rank; i++)
		own[i] = 10 * rank + i;
	OK(orr_Win_fence(0, w));
	/* one behind the other, in the order of ranks */
	for (int r = 1, at = 0; r < RANKS + 1; at += r++) {
		OK(orr_Win_shared_query(w, r, &size, &unit, &its));
		assert_int_equal(size, 4 * r);
		assert_int_equal(unit, 4);
		assert_ptr_equal(its, first + at);
		for (int i = 0; i < r; i++)
			assert_int_equal(its[i], 10 * r + i);
	}
	OK(orr_Win_shared_query(w, 0, &size, &unit, &its));
	assert_int_equal(size, 0);
	assert_null(its);
	REFUSES(MPI_ERR_RANK, orr_Win_shared_query(w, RANKS + 1, &size, &unit, &its));
	REFUSES(MPI_ERR_RANK, orr_Win_shared_query(w, -5, &size, &unit, &its));
	OK(orr_Win_fence(0, w));
	OK(orr_Win_free(&w));
	OK(orr_Info_create(&info));
	OK(orr_Info_set(info, "alloc_shared_noncontig", "true"));
	OK(orr_Win_allocate_shared(4, 4, info, WORLD, &apart, &w));
	*apart = rank;
	OK(orr_Win_fence(0, w));
	for (int r = 0; r < RANKS + 1; r++) {
		OK(orr_Win_shared_query(w, r, &size, &unit, &its));
		assert_int_equal(*its, r);
	}
	OK(orr_Win_fence(0, w));
	OK(orr_Win_free(&w));
	OK(orr_Info_free(&info));
}

static void shared(void **state)
{
	(void)state;
	run_one_host(RANKS + 1, shared_body);
}

/* MPI 4.1, 12.2.3: other windows may be asked, too; of memory that is not shared the size is 0. */
static void not_shared_body(int rank, void *arg)
{
	MPI_Aint size, unit;
	int mine[3], *allocated, *its;
	MPI_Win w[2], pieces;

	(void)arg;
	OK(orr_Win_create(mine, sizeof mine, 4, MPI_INFO_NULL, WORLD, &w[0]));
	OK(orr_Win_allocate(8, 2, MPI_INFO_NULL, WORLD, &allocated, &w[1]));
	for (int i = 0; i < 2; i++) {
		OK(orr_Win_shared_query(w[i], rank, &size, &unit, &its));
		assert_int_equal(size, i == 0 ? 12 : 8);
		assert_int_equal(unit, i == 0 ? 4 : 2);
		assert_ptr_equal(its, i == 0 ? mine : allocated);
		OK(orr_Win_shared_query(w[i], MPI_PROC_NULL, &size, &unit, &its));
		assert_ptr_equal(its, i == 0 ? mine : allocated);
		OK(orr_Win_shared_query(w[i], (rank + 1) % RANKS, &size, &unit, &its));
		assert_int_equal(size, 0);
		assert_null(its);
		OK(orr_Win_free(&w[i]));
	}
	OK(orr_Win_create_dynamic(MPI_INFO_NULL, WORLD, &pieces));
	REFUSES(MPI_ERR_RMA_FLAVOR, orr_Win_shared_query(pieces, rank, &size, &unit, &its));
	OK(orr_Win_free(&pieces));
}

static void not_shared(void **state)
{
	(void)state;
	run_one_host(RANKS, not_shared_body);
}

/* --- dynamic: 12.2.5 --- */

/* Displacements are addresses at the target; pieces come and go. */
static void dynamic_body(int rank, void *arg)
{
	int piece[2][4] = {{0}}, x = 70 + rank, y = -1, other = 1 - rank;
	MPI_Aint here[2], there[2];
	MPI_Win w;

	(void)arg;
	OK(orr_Win_create_dynamic(MPI_INFO_NULL, WORLD, &w));
	for (int i = 0; i < 2; i++) {
		OK(orr_Win_attach(w, piece[i], sizeof piece[i]));
		OK(orr_Get_address(&piece[i][i + 1], &here[i]));
	}
	OK(orr_Sendrecv(here, 2, MPI_AINT, other, 0, there, 2, MPI_AINT, other, 0, WORLD,
	                MPI_STATUS_IGNORE));
	OK(orr_Win_fence(0, w));
	OK(orr_Put(&x, 1, MPI_INT, other, there[0], 1, MPI_INT, w));
	OK(orr_Accumulate(&x, 1, MPI_INT, other, orr_Aint_add(there[1], 4), 1, MPI_INT, MPI_SUM,
	                  w));
	OK(orr_Win_fence(0, w));
	assert_int_equal(piece[0][1], 70 + other);
	assert_int_equal(piece[1][3], 70 + other);
	assert_int_equal(piece[1][2], 0);
	OK(orr_Win_detach(w, piece[0]));
	OK(orr_Win_fence(0, w));
	OK(orr_Get(&y, 1, MPI_INT, other, orr_Aint_add(there[1], 4), 1, MPI_INT, w));
	OK(orr_Win_fence(MPI_MODE_NOSUCCEED, w));
	assert_int_equal(y, 70 + rank); /* the other piece is still there */
	assert_int_equal(orr_Aint_diff(here[1], here[0]),
	                 (char *)&piece[1][2] - (char *)&piece[0][1]);
	OK(orr_Win_attach(w, piece[0], 4)); /* again, smaller */
	REFUSES(MPI_ERR_BASE, orr_Win_detach(w, &piece[0][1]));
	OK(orr_Win_detach(w, piece[0]));
	OK(orr_Win_free(&w)); /* what is attached goes with it */
}

static void dynamic(void **state)
{
	(void)state;
	run_on(2, dynamic_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(shared),
	    cmocka_unit_test(not_shared),
	    cmocka_unit_test(dynamic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
