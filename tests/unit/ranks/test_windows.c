/* test_windows.c: windows as MPI 4.0, chapter 12 defines them: what a window says of itself, in
 * whose units displacements are, what each operator makes of each kind of type, requests.
 * Memory that is shared, or comes and goes: test_window_memory.c. Random epochs: prop_win.c. */
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

/* --- what it says of itself: 12.2.6 --- */

static void *attribute_of(MPI_Win w, int key)
{
	void *value = NULL;
	int flag = 0;

	OK(orr_Win_get_attr(w, key, &value, &flag));
	assert_true(flag);
	return value;
}

static void has_attributes(MPI_Win w, const void *base, MPI_Aint size, int unit, int flavor)
{
	if (flavor != MPI_WIN_FLAVOR_DYNAMIC)
		assert_ptr_equal(attribute_of(w, MPI_WIN_BASE), base);
	else
		assert_ptr_equal(attribute_of(w, MPI_WIN_BASE), MPI_BOTTOM);
	assert_int_equal(*(MPI_Aint *)attribute_of(w, MPI_WIN_SIZE), size);
	assert_int_equal(*(int *)attribute_of(w, MPI_WIN_DISP_UNIT), unit);
	assert_int_equal(*(int *)attribute_of(w, MPI_WIN_CREATE_FLAVOR), flavor);
	assert_int_equal(*(int *)attribute_of(w, MPI_WIN_MODEL), MPI_WIN_UNIFIED);
	REFUSES(MPI_ERR_KEYVAL, orr_Win_set_attr(w, MPI_WIN_SIZE, NULL));
	REFUSES(MPI_ERR_KEYVAL, orr_Win_delete_attr(w, MPI_WIN_BASE));
}

static void group_is_that_of_world(MPI_Win w)
{
	MPI_Group a, b;
	int result;

	OK(orr_Win_get_group(w, &a));
	OK(orr_Comm_group(WORLD, &b));
	OK(orr_Group_compare(a, b, &result));
	assert_int_equal(result, MPI_IDENT);
	OK(orr_Group_free(&a));
	OK(orr_Group_free(&b));
}

static void flavours_body(int rank, void *arg)
{
	int own[8], *base = NULL, unit = 1 << rank;
	MPI_Aint size = 8 * rank; /* the first has nothing */
	MPI_Win w;

	(void)arg;
	OK(orr_Win_create(own, size, unit, MPI_INFO_NULL, WORLD, &w));
	has_attributes(w, own, size, unit, MPI_WIN_FLAVOR_CREATE);
	group_is_that_of_world(w);
	OK(orr_Win_free(&w));
	OK(orr_Win_allocate(size, unit, MPI_INFO_NULL, WORLD, &base, &w));
	has_attributes(w, base, size, unit, MPI_WIN_FLAVOR_ALLOCATE);
	assert_true(size == 0 || base != NULL);
	OK(orr_Win_free(&w));
	OK(orr_Win_allocate_shared(size, unit, MPI_INFO_NULL, WORLD, &base, &w));
	has_attributes(w, base, size, unit, MPI_WIN_FLAVOR_SHARED);
	OK(orr_Win_free(&w));
	OK(orr_Win_create_dynamic(MPI_INFO_NULL, WORLD, &w));
	has_attributes(w, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
	group_is_that_of_world(w);
	OK(orr_Win_free(&w));
	still_well();
}

static void flavours(void **state)
{
	(void)state;
	run_one_host(RANKS, flavours_body);
}

static char told[64];

static int deletes(MPI_Win w, int key, void *value, void *extra)
{
	size_t n = strlen(told);

	(void)w;
	(void)key;
	(void)extra;
	snprintf(told + n, sizeof told - n, "%d ", (int)(intptr_t)value);
	return MPI_SUCCESS;
}

/* 7.7.3 and 7.8: attributes of the program's go with the window, the last one first; names. */
static void caches_body(int rank, void *arg)
{
	int key[2], n = -1, *base;
	char name[MPI_MAX_OBJECT_NAME] = "x";
	MPI_Win w, none = MPI_WIN_NULL;

	(void)rank;
	(void)arg;
	OK(orr_Win_allocate(4, 1, MPI_INFO_NULL, SELF, &base, &w));
	OK(orr_Win_get_name(w, name, &n));
	assert_string_equal(name, "");
	OK(orr_Win_set_name(w, "halo"));
	OK(orr_Win_get_name(w, name, &n));
	assert_string_equal(name, "halo");
	assert_int_equal(n, 4);
	REFUSES(MPI_ERR_WIN, orr_Win_set_name(none, "halo"));
	for (int i = 0; i < 2; i++) {
		OK(orr_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deletes, &key[i], NULL));
		OK(orr_Win_set_attr(w, key[i], (void *)(intptr_t)(i + 1)));
	}
	assert_ptr_equal(attribute_of(w, key[0]), 1);
	told[0] = 0;
	OK(orr_Win_free(&w));
	assert_string_equal(told, "2 1 ");
	OK(orr_Win_free_keyval(&key[0]));
	OK(orr_Win_free_keyval(&key[1]));
}

static void caches(void **state)
{
	(void)state;
	run_on(1, caches_body);
}

static int has_hint(MPI_Win w, const char *key, const char *value)
{
	char got[64] = "";
	int flag, n = sizeof got;
	MPI_Info info;

	OK(orr_Win_get_info(w, &info));
	OK(orr_Info_get_string(info, key, &n, got, &flag));
	OK(orr_Info_free(&info));
	return flag && strcmp(got, value) == 0;
}

/* 12.2.1 and 12.2.7: the hints that the standard knows have their defaults, and are told with what
 * the program has set; others are ignored. */
static void hints_body(int rank, void *arg)
{
	MPI_Info info;
	int *base;
	MPI_Win w;

	(void)rank;
	(void)arg;
	OK(orr_Info_create(&info));
	OK(orr_Info_set(info, "no_locks", "true"));
	OK(orr_Info_set(info, "of_nobody", "true"));
	OK(orr_Win_allocate(4, 1, info, WORLD, &base, &w));
	assert_true(has_hint(w, "no_locks", "true"));
	assert_false(has_hint(w, "of_nobody", "true"));
	assert_true(has_hint(w, "accumulate_ops", "same_op_no_op"));
	assert_true(has_hint(w, "accumulate_ordering", "rar,raw,war,waw"));
	assert_true(has_hint(w, "same_size", "false"));
	assert_true(has_hint(w, "same_disp_unit", "false"));
	OK(orr_Info_set(info, "accumulate_ops", "same_op"));
	OK(orr_Win_set_info(w, info));
	assert_true(has_hint(w, "accumulate_ops", "same_op"));
	assert_false(has_hint(w, "of_nobody", "true"));
	OK(orr_Win_free(&w));
	OK(orr_Info_free(&info));
}

static void hints(void **state)
{
	(void)state;
	run_on(2, hints_body);
}

/* --- units and types of both sides: 12.3.1 --- */

/* A displacement is in the target's unit, whichever the origin has. */
static void units_body(int rank, void *arg)
{
	static const int unit[RANKS] = {1, 4, 12};
	int own[12], x = 100 + rank, right = (rank + 1) % RANKS, left = (rank + RANKS - 1) % RANKS;
	MPI_Win w;

	(void)arg;
	for (int i = 0; i < 12; i++)
		own[i] = -1;
	OK(orr_Win_create(own, sizeof own, unit[rank], MPI_INFO_NULL, WORLD, &w));
	OK(orr_Win_fence(0, w));
	OK(orr_Put(&x, 1, MPI_INT, right, 24 / unit[right], 1, MPI_INT, w));
	OK(orr_Win_fence(0, w));
	for (int i = 0; i < 12; i++)
		assert_int_equal(own[i], i == 6 ? 100 + left : -1);
	OK(orr_Get(&x, 1, MPI_INT, left, 24 / unit[left], 1, MPI_INT, w));
	OK(orr_Win_fence(MPI_MODE_NOSUCCEED, w));
	assert_int_equal(x, 100 + (left + RANKS - 1) % RANKS);
	/* the last int is in, the one behind it is not */
	OK(orr_Win_fence(0, w));
	OK(orr_Get(&x, 1, MPI_INT, 0, 44, 1, MPI_INT, w));
	REFUSES(MPI_ERR_RMA_RANGE, orr_Get(&x, 1, MPI_INT, 0, 45, 1, MPI_INT, w));
	REFUSES(MPI_ERR_RMA_RANGE, orr_Get(&x, 1, MPI_INT, 1, 12, 1, MPI_INT, w));
	REFUSES(MPI_ERR_RMA_RANGE, orr_Get(own, 2, MPI_INT, 2, 4, 2, MPI_INT, w));
	OK(orr_Get(own, 0, MPI_INT, 2, 400, 0, MPI_INT, w)); /* nothing is nowhere */
	OK(orr_Win_fence(MPI_MODE_NOSUCCEED, w));
	OK(orr_Win_free(&w));
}

static void units(void **state)
{
	(void)state;
	run_on(RANKS, units_body);
}

/* A row of the origin into a column of the target, and back in another order; types may lie below
 * the displacement. */
static void layouts_body(int rank, void *arg)
{
	static const MPI_Count back[] = {8, 4, 0}, one[] = {1, 1, 1}, below[] = {-1, 0, 1};
	int own[4][4], row[4] = {1, 2, 3, 4}, got[4] = {0};
	MPI_Datatype column, turned, around;
	MPI_Win w;

	(void)arg;
	memset(own, 0, sizeof own);
	OK(orr_Type_vector(4, 1, 4, MPI_INT, &column));
	OK(orr_Type_create_hindexed(3, one, back, MPI_INT, &turned));
	OK(orr_Type_create_indexed_block(3, 1, below, MPI_INT, &around));
	OK(orr_Type_commit(&column));
	OK(orr_Type_commit(&turned));
	OK(orr_Type_commit(&around));
	OK(orr_Win_create(own, sizeof own, 4, MPI_INFO_NULL, WORLD, &w));
	OK(orr_Win_fence(0, w));
	if (rank == 0)
		OK(orr_Put(row, 4, MPI_INT, 1, 2, 1, column, w));
	OK(orr_Win_fence(0, w));
	for (int i = 0; i < 4 && rank == 1; i++)
		for (int k = 0; k < 4; k++)
			assert_int_equal(own[i][k], k == 2 ? row[i] : 0);
	if (rank == 0)
		OK(orr_Get(got, 1, turned, 1, 6, 1, around, w)); /* 0 3 0 4 of rows 1, 2: 0 2 0 */
	OK(orr_Win_fence(0, w));
	if (rank == 0) {
		assert_int_equal(got[0], 0);
		assert_int_equal(got[1], 2);
		assert_int_equal(got[2], 0);
		REFUSES(MPI_ERR_RMA_RANGE, orr_Put(row, 3, MPI_INT, 1, 0, 1, around, w));
		REFUSES(MPI_ERR_RMA_RANGE, orr_Put(row, 4, MPI_INT, 1, 4, 1, column, w));
	}
	OK(orr_Win_fence(MPI_MODE_NOSUCCEED, w));
	OK(orr_Win_free(&w));
	OK(orr_Type_free(&column));
	OK(orr_Type_free(&turned));
	OK(orr_Type_free(&around));
}

static void layouts(void **state)
{
	(void)state;
	run_on(2, layouts_body);
}

/* --- operators: 12.3.4 --- */

struct operation {
	MPI_Op op;
	int want; /* of 12 there and 10 */
};

static void operators_body(int rank, void *arg)
{
	static const struct operation all[] = {{MPI_SUM, 22}, {MPI_PROD, 120}, {MPI_MAX, 12},
	                                       {MPI_MIN, 10}, {MPI_BAND, 8},   {MPI_BOR, 14},
	                                       {MPI_BXOR, 6}, {MPI_LAND, 1},   {MPI_LOR, 1},
	                                       {MPI_LXOR, 0}, {MPI_NO_OP, 12}, {MPI_REPLACE, 10}};
	enum { N = sizeof all / sizeof *all };
	int own[3 * N], x = 10, was[2];
	MPI_Win w;

	(void)arg;
	for (int i = 0; i < 3 * N; i++)
		own[i] = 12;
	OK(orr_Win_create(own, sizeof own, 4, MPI_INFO_NULL, WORLD, &w));
	OK(orr_Win_lock_all(0, w));
	OK(orr_Barrier(WORLD));
	for (int i = 0; i < N && rank == 0; i++) {
		MPI_Op op = all[i].op;

		OK(orr_Accumulate(&x, 1, MPI_INT, 1, 3 * i, 1, MPI_INT, op, w));
		OK(orr_Get_accumulate(&x, 1, MPI_INT, &was[0], 1, MPI_INT, 1, 3 * i + 1, 1, MPI_INT,
		                      op, w));
		OK(orr_Fetch_and_op(&x, &was[1], MPI_INT, 1, 3 * i + 2, op, w));
		OK(orr_Win_flush(1, w));
		assert_int_equal(was[0], 12);
		assert_int_equal(was[1], 12);
	}
	OK(orr_Barrier(WORLD));
	OK(orr_Win_sync(w));
	for (int i = 0; i < 3 * N && rank == 1; i++)
		assert_int_equal(own[i], all[i / 3].want);
	OK(orr_Win_unlock_all(w));
	OK(orr_Win_free(&w));
}

static void operators(void **state)
{
	(void)state;
	run_on(2, operators_body);
}

/* Pairs, whose size in the packed form is not what lies in memory; structs of one basic type. */
static void pairs_body(int rank, void *arg)
{
	struct pair {
		double x;
		int at;
	} own[3] = {{1, 1}, {5, 2}, {3, 3}}, x[3] = {{2, 10}, {5, 1}, {-1, 0}}, was[3];
	MPI_Datatype spread;
	int ints[6] = {1, 2, 3, 4, 5, 6}, more[3] = {10, 20, 30};
	MPI_Win w, v;

	(void)arg;
	OK(orr_Win_create(own, sizeof own, sizeof *own, MPI_INFO_NULL, WORLD, &w));
	OK(orr_Win_create(ints, sizeof ints, 4, MPI_INFO_NULL, WORLD, &v));
	OK(orr_Type_vector(3, 1, 2, MPI_INT, &spread));
	OK(orr_Type_commit(&spread));
	OK(orr_Win_fence(0, w));
	OK(orr_Win_fence(0, v));
	memset(was, 0, sizeof was);
	if (rank == 0) {
		OK(orr_Get_accumulate(x, 3, MPI_DOUBLE_INT, was, 3, MPI_DOUBLE_INT, 1, 0, 3,
		                      MPI_DOUBLE_INT, MPI_MAXLOC, w));
		OK(orr_Accumulate(more, 3, MPI_INT, 1, 0, 1, spread, MPI_SUM, v));
	}
	OK(orr_Win_fence(0, w));
	OK(orr_Win_fence(0, v));
	for (int i = 0; i < 3; i++) {
		static const struct pair first[] = {{1, 1}, {5, 2}, {3, 3}},
		                         then[] = {{2, 10}, {5, 1}, {3, 3}};

		if (rank == 0) {
			assert_true(was[i].x == first[i].x);
			assert_int_equal(was[i].at, first[i].at);
		} else {
			assert_true(own[i].x == then[i].x);
			assert_int_equal(own[i].at, then[i].at);
		}
	}
	for (int i = 0; i < 6 && rank == 1; i++)
		assert_int_equal(ints[i], i + 1 + (i % 2 ? 0 : more[i / 2]));
	OK(orr_Type_free(&spread));
	OK(orr_Win_free(&w));
	OK(orr_Win_free(&v));
}

static void pairs(void **state)
{
	(void)state;
	run_on(2, pairs_body);
}

/* Accumulate has predefined operators only, each on the types of its class (6.9.2); a swap compares
 * integers, logicals and bytes. */
static void classes_body(int rank, void *arg)
{
	char own[64] = "", x[32] = "", c[32] = "", was[32] = "";
	MPI_Op mine;
	MPI_Win w;

	(void)arg;
	OK(orr_Op_create((MPI_User_function *)(void *)(uintptr_t)4096, 1, &mine));
	OK(orr_Win_create(own, sizeof own, 1, MPI_INFO_NULL, WORLD, &w));
	OK(orr_Win_fence(0, w));
#define ACCUMULATE(type, op) orr_Accumulate(x, 1, type, 1 - rank, 0, 1, type, op, w)
	REFUSES(MPI_ERR_OP, ACCUMULATE(MPI_INT, mine));
	REFUSES(MPI_ERR_OP, ACCUMULATE(MPI_DOUBLE, MPI_BAND));
	REFUSES(MPI_ERR_OP, ACCUMULATE(MPI_C_DOUBLE_COMPLEX, MPI_MAX));
	REFUSES(MPI_ERR_OP, ACCUMULATE(MPI_2INT, MPI_SUM));
	OK(ACCUMULATE(MPI_BYTE, MPI_BAND));
	OK(ACCUMULATE(MPI_C_DOUBLE_COMPLEX, MPI_SUM));
	OK(ACCUMULATE(MPI_CHAR, MPI_REPLACE));
#undef ACCUMULATE
#define SWAP(type) orr_Compare_and_swap(x, c, was, type, 1 - rank, 0, w)
	REFUSES(MPI_ERR_TYPE, SWAP(MPI_DOUBLE));
	REFUSES(MPI_ERR_TYPE, SWAP(MPI_2INT));
	REFUSES(MPI_ERR_TYPE, SWAP(MPI_C_FLOAT_COMPLEX));
	OK(SWAP(MPI_INT64_T));
	OK(SWAP(MPI_BYTE));
	OK(SWAP(MPI_C_BOOL));
	OK(SWAP(MPI_UNSIGNED_SHORT));
	OK(SWAP(MPI_LOGICAL));
#undef SWAP
	OK(orr_Win_fence(MPI_MODE_NOSUCCEED, w));
	OK(orr_Win_free(&w));
	OK(orr_Op_free(&mine));
}

static void classes(void **state)
{
	(void)state;
	run_on(2, classes_body);
}

/* A swap of each size changes its own bytes, and only where they compare equal. */
static void swaps_body(int rank, void *arg)
{
	static const struct {
		MPI_Datatype type;
		int size;
	} all[] = {{MPI_INT8_T, 1}, {MPI_INT16_T, 2}, {MPI_INT32_T, 4}, {MPI_INT64_T, 8}};
	unsigned char own[16], zero[8] = {0}, ones[8], was[8];
	MPI_Win w;

	(void)arg;
	memset(ones, 0xff, sizeof ones);
	OK(orr_Win_create(own, sizeof own, 1, MPI_INFO_NULL, WORLD, &w));
	for (int i = 0; i < 4; i++) {
		memset(own, 0, sizeof own);
		OK(orr_Barrier(WORLD));
		OK(orr_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w));
		if (rank == 0) {
			OK(orr_Compare_and_swap(ones, zero, was, all[i].type, 1, 4, w));
			OK(orr_Win_flush(1, w));
			assert_memory_equal(was, zero, (size_t)all[i].size);
			OK(orr_Compare_and_swap(zero, zero, was, all[i].type, 1, 4, w));
			OK(orr_Win_flush(1, w));
			assert_memory_equal(was, ones, (size_t)all[i].size);
		}
		OK(orr_Win_unlock(1, w));
		OK(orr_Barrier(WORLD));
		for (int k = 0; k < 16 && rank == 1; k++)
			assert_int_equal(own[k], k >= 4 && k < 4 + all[i].size ? 0xff : 0);
	}
	OK(orr_Win_free(&w));
}

static void swaps(void **state)
{
	(void)state;
	run_on(2, swaps_body);
}

/* --- requests: 12.3.5 --- */

static void requests_body(int rank, void *arg)
{
	int own[4] = {10 * rank, 10 * rank, 10 * rank, 10 * rank}, x[3] = {7, 8, 9},
	    y[2] = {-1, -1};
	MPI_Request q[4];
	MPI_Status s[4];
	MPI_Win w;

	(void)arg;
	OK(orr_Win_create(own, sizeof own, 4, MPI_INFO_NULL, WORLD, &w));
	OK(orr_Win_lock_all(0, w));
	OK(orr_Barrier(WORLD));
	if (rank == 0) {
		OK(orr_Rput(&x[0], 1, MPI_INT, 1, 0, 1, MPI_INT, w, &q[0]));
		OK(orr_Rget(&y[0], 1, MPI_INT, 1, 1, 1, MPI_INT, w, &q[1]));
		OK(orr_Raccumulate(&x[1], 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, w, &q[2]));
		OK(orr_Rget_accumulate(&x[2], 1, MPI_INT, &y[1], 1, MPI_INT, 1, 3, 1, MPI_INT,
		                       MPI_SUM, w, &q[3]));
		OK(orr_Waitall(4, q, s));
		for (int i = 0; i < 4; i++) {
			int cancelled;

			assert_ptr_equal(q[i], MPI_REQUEST_NULL);
			OK(orr_Test_cancelled(&s[i], &cancelled));
			assert_false(cancelled);
		}
		assert_int_equal(y[0], 10);
		assert_int_equal(y[1], 10);
		OK(orr_Rput(x, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, w, &q[0]));
		OK(orr_Wait(&q[0], s)); /* of nobody: complete at once */
		OK(orr_Win_flush(1, w));
	}
	OK(orr_Barrier(WORLD));
	OK(orr_Win_sync(w));
	if (rank == 1) {
		assert_int_equal(own[0], 7);
		assert_int_equal(own[1], 10);
		assert_int_equal(own[2], 18);
		assert_int_equal(own[3], 19);
	}
	OK(orr_Win_unlock_all(w));
	OK(orr_Win_free(&w));
}

static void requests(void **state)
{
	(void)state;
	run_on(2, requests_body);
}

/* --- epochs --- */

/* 12.5.2: groups of nobody, of oneself; a test that ends the exposure says so once. */
static void exposed_body(int rank, void *arg)
{
	int own = -1, x = 5, flag = 0;
	MPI_Group self;
	MPI_Win w;

	(void)arg;
	OK(orr_Comm_group(SELF, &self));
	OK(orr_Win_create(&own, 4, 1, MPI_INFO_NULL, WORLD, &w));
	OK(orr_Win_post(MPI_GROUP_EMPTY, 0, w));
	OK(orr_Win_start(MPI_GROUP_EMPTY, 0, w));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, w));
	OK(orr_Win_complete(w));
	OK(orr_Win_wait(w));
	OK(orr_Win_post(self, 0, w));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_post(self, 0, w));
	OK(orr_Win_test(w, &flag));
	assert_false(flag); /* nobody has completed */
	OK(orr_Win_start(self, MPI_MODE_NOCHECK, w));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_start(self, 0, w));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Put(&x, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, w));
	OK(orr_Put(&x, 1, MPI_INT, rank, 0, 1, MPI_INT, w));
	OK(orr_Win_complete(w));
	while (!flag)
		OK(orr_Win_test(w, &flag));
	assert_int_equal(own, 5);
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_test(w, &flag));
	REFUSES(MPI_ERR_RMA_SYNC, orr_Win_wait(w));
	OK(orr_Group_free(&self));
	OK(orr_Win_free(&w));
}

static void exposed(void **state)
{
	(void)state;
	run_on(2, exposed_body);
}

/* 12.5.3: who has a lock for itself has it alone: what it reads stays until it unlocks. */
static void alone_body(int rank, void *arg)
{
	int own[2] = {0, 0}, a[2], x;
	MPI_Win w;

	(void)arg;
	OK(orr_Win_create(own, sizeof own, 4, MPI_INFO_NULL, WORLD, &w));
	OK(orr_Barrier(WORLD));
	for (int i = 0; i < 10; i++) {
		OK(orr_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w));
		OK(orr_Get(a, 2, MPI_INT, 0, 0, 2, MPI_INT, w));
		OK(orr_Win_flush(0, w));
		assert_int_equal(a[0], a[1]); /* nobody is between the two puts of another */
		x = a[0] + 1;
		OK(orr_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, w));
		OK(orr_Win_flush_local(0, w));
		OK(orr_Put(&x, 1, MPI_INT, 0, 1, 1, MPI_INT, w));
		OK(orr_Win_unlock(0, w));
	}
	OK(orr_Barrier(WORLD));
	if (rank == 0) {
		OK(orr_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, w));
		assert_int_equal(own[0], 10 * RANKS);
		OK(orr_Win_unlock(0, w));
	}
	OK(orr_Win_free(&w));
}

static void alone(void **state)
{
	(void)state;
	run_on(RANKS, alone_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flavours), cmocka_unit_test(caches),  cmocka_unit_test(hints),
	    cmocka_unit_test(units),    cmocka_unit_test(layouts), cmocka_unit_test(operators),
	    cmocka_unit_test(pairs),    cmocka_unit_test(classes), cmocka_unit_test(swaps),
	    cmocka_unit_test(requests), cmocka_unit_test(exposed), cmocka_unit_test(alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
