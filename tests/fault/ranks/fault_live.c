/* fault_live.c: a live run for which memory runs out, at each allocation in turn: of the simulator,
 * which ends the run with an error that says so and leaves nothing behind; and of the library in a
 * rank, whose calls return an error or end the program with a message, but go on with nothing that
 * is not there. (The rooms below are tried on their own.) */
#include "fault/fault.h"

#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/program.h"

struct task {
	const char *path;
	void (*body)(int rank, void *arg);
	int n;
};

/* What --checks finds: buffers that change, one-sided operations on the same bytes, no fence. */
static void mistakes(int rank, void *arg)
{
	int x[4] = {rank}, y[4] = {0}, *base, other = 1 - rank;
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Win w;

	(void)arg;
	if (orr_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	orr_Irecv(y, 4, MPI_INT, other, 1, MPI_COMM_WORLD, &r[0]);
	orr_Isend(x, 4, MPI_INT, other, 1, MPI_COMM_WORLD, &r[1]);
	x[1] = y[2] = 7;
	orr_Waitall(2, r, MPI_STATUSES_IGNORE);
	orr_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &w);
	orr_Win_fence(0, w);
	orr_Put(x, 2, MPI_INT, 0, 0, 2, MPI_INT, w);
	orr_Get(x + 1, 2, MPI_INT, 0, 1, 2, MPI_INT, w);
	x[0]++;
	orr_Win_free(&w);
	orr_Finalize();
}

static int simulate(void *arg, struct err *err)
{
	const struct task *t = arg;
	struct ranks run = {.n = t->n,
	                    .body = t->body,
	                    .bare = 1,
	                    .checks = t->body == mistakes,
	                    .arg = (void *)(uintptr_t)t->path};
	int r = ranks_run(&run);

	*err = run.err;
	return r;
}

static void some_messages(int rank, void *arg)
{
	(void)arg;
	if (orr_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	program_messages(rank, 2);
	program_collectives(rank, 2);
	orr_Finalize();
}

static void others(int rank, void *arg)
{
	if (orr_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	program_parts(rank, 2);
	program_windows(rank, 2);
	program_files(rank, arg);
	orr_Finalize();
}

/* Communicators of the world's members and of some, neighbours, and a collective on each. */
static void groups(int rank, void *arg)
{
	(void)arg;
	if (orr_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	program_communicators(rank, PROGRAM_RANKS);
	orr_Finalize();
}

/* What is local to a rank: types of all kinds, and what is packed by them; infos, groups, keys. */
static void types(void)
{
	const MPI_Count two[] = {1, 2}, at[] = {0, 16}, size[] = {4, 4}, part[] = {2, 2},
	                from[] = {1, 1};
	const MPI_Datatype of[] = {MPI_INT, MPI_DOUBLE};
	const int block[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, arg[] = {2, 1},
	          grid[] = {2, 2};
	MPI_Datatype t[9], mixed;
	MPI_Count position = 0, size_of = 0;
	MPI_Aint addresses[16];
	int ints[16];
	MPI_Datatype inner[4];
	char memory[4096] = {0}, packed[4096];

	for (int i = 0; i < 9; i++)
		t[i] = MPI_DATATYPE_NULL;
	orr_Type_contiguous(3, MPI_INT, &t[0]);
	orr_Type_vector(2, 2, 3, MPI_INT, &t[1]);
	orr_Type_indexed(2, two, at, MPI_INT, &t[2]);
	orr_Type_create_struct(2, two, at, of, &t[3]);
	orr_Type_create_resized(t[3], 0, 64, &t[4]);
	orr_Type_create_subarray(2, size, part, from, MPI_ORDER_C, MPI_INT, &t[5]);
	orr_Type_create_darray(4, 1, 2, size, block, arg, grid, MPI_ORDER_C, MPI_INT, &t[6]);
	orr_Type_dup(t[2], &t[7]);
	orr_Type_create_hindexed_block(2, 1, at, MPI_SHORT, &t[8]);
	for (int i = 0; i < 9; i++) {
		orr_Type_commit(&t[i]);
		orr_Type_set_name(t[i], "of a name");
		position = 0;
		orr_Pack(memory, 2, t[i], packed, sizeof packed, &position, MPI_COMM_WORLD);
		orr_Pack_external_size("external32", 2, t[i], &size_of);
		if (t[i] != MPI_DATATYPE_NULL)
			orr_Type_get_contents(t[i], 16, 16, 4, ints, addresses, inner);
	}
	mixed = t[3];
	orr_Sendrecv(memory, 1, mixed, 0, 1, memory + 2048, 1, t[4], 0, 1, MPI_COMM_SELF,
	             MPI_STATUS_IGNORE);
	for (int i = 0; i < 9; i++)
		orr_Type_free(&t[i]);
}

static int copied(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)comm, (void)key, (void)extra;
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static void handled(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
}

static void keys(int rank)
{
	int key = MPI_KEYVAL_INVALID, code = 0, ranks[] = {0};
	MPI_Comm c = MPI_COMM_NULL;
	MPI_Errhandler h = MPI_ERRHANDLER_NULL;
	MPI_Group g = MPI_GROUP_NULL, part = MPI_GROUP_NULL;
	MPI_Info i = MPI_INFO_NULL, copy = MPI_INFO_NULL;

	orr_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	orr_Comm_set_attr(MPI_COMM_SELF, key, &rank);
	orr_Comm_create_errhandler((MPI_Comm_errhandler_function *)handled, &h);
	orr_Comm_set_errhandler(MPI_COMM_SELF, h);
	orr_Comm_dup(MPI_COMM_SELF, &c);
	orr_Comm_set_name(c, "a copy");
	orr_Info_create(&i);
	for (int k = 0; k < 12; k++) {
		char text[8];

		snprintf(text, sizeof text, "k%d", k);
		orr_Info_set(i, text, "value");
	}
	orr_Info_dup(i, &copy);
	orr_Comm_set_info(MPI_COMM_SELF, i);
	orr_Comm_group(MPI_COMM_WORLD, &g);
	orr_Group_incl(g, 1, ranks, &part);
	orr_Add_error_class(&code);
	orr_Add_error_string(code, "of our own");
	orr_Comm_free(&c);
	orr_Errhandler_free(&h);
	orr_Comm_delete_attr(MPI_COMM_SELF, key);
	orr_Comm_free_keyval(&key);
	orr_Group_free(&g);
	orr_Group_free(&part);
	orr_Info_free(&i);
	orr_Info_free(&copy);
}

static void objects(int rank, void *arg)
{
	(void)arg;
	if (orr_Init(NULL, NULL) != MPI_SUCCESS)
		return;
	types();
	keys(rank);
	orr_Finalize();
}

static void sweep(void (*body)(int rank, void *arg))
{
	struct task t = {.body = body, .n = body == groups ? PROGRAM_RANKS : 2};
	struct tmp tmp;

	tmp_init(&tmp);
	t.path = tmp_path(&tmp, "file");
	ranks_fails.hold = fault_hold;
	ranks_fails.side = RANKS_SIMULATOR;
	assert_true(fault_sweep(FAULT_ALLOC, simulate, &t) > 20);
	ranks_fails.hold = NULL;
	tmp_release(&tmp);
}

static void simulator_messages(void **state)
{
	(void)state;
	sweep(some_messages);
}

static void simulator_groups(void **state)
{
	(void)state;
	sweep(groups);
}

static void simulator_mistakes(void **state)
{
	(void)state;
	sweep(mistakes);
}

static void simulator_others(void **state)
{
	(void)state;
	sweep(others);
}

/* In a rank: until no allocation is left that could fail. */
static void library(void (*body)(int rank, void *arg))
{
	struct task t = {.body = body, .n = body == groups ? PROGRAM_RANKS : 2};
	struct tmp tmp;
	int n = 0, hit;

	tmp_init(&tmp);
	t.path = tmp_path(&tmp, "file");
	ranks_fails.hold = fault_hold;
	ranks_fails.side = RANKS_LIBRARY;
	do {
		struct err err = {0};
		int r;

		n += n < 40 ? 1 : 11; /* of the many, some */
		fault_start(FAULT_ALLOC, n);
		r = simulate(&t, &err);
		hit = fault_stop();
		if (r < 0 && !err.text[0])
			fail_msg("allocation %d of the library: an error without a word", n);
	} while (hit);
	ranks_fails.hold = NULL;
	assert_true(n > 40);
	tmp_release(&tmp);
}

static void library_messages(void **state)
{
	(void)state;
	library(some_messages);
}

static void library_groups(void **state)
{
	(void)state;
	library(groups);
}

static void library_objects(void **state)
{
	(void)state;
	library(objects);
}

static void library_mistakes(void **state)
{
	(void)state;
	library(mistakes);
}

static void library_others(void **state)
{
	(void)state;
	library(others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(simulator_messages), cmocka_unit_test(simulator_groups),
	    cmocka_unit_test(simulator_others),   cmocka_unit_test(simulator_mistakes),
	    cmocka_unit_test(library_messages),   cmocka_unit_test(library_groups),
	    cmocka_unit_test(library_objects),    cmocka_unit_test(library_others),
	    cmocka_unit_test(library_mistakes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
