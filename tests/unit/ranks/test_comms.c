/* test_comms.c: communicators as MPI 4.0, chapter 7 and 11.2 to 11.3 define them: tags, names,
 * who is in one, what is kept of that it was made of, what becomes of requests when it is freed;
 * and sessions. Attributes: test_attributes.c. Which processes are in random ones: prop_comm.c. */
#include "ranks.h"

#include "refuses.h"

#include "core/link.h"

#include <limits.h>

/* A run on hosts as a host file places it. */
static void run_hosts(int n, const char *hosts, void (*body)(int rank, void *arg))
{
	struct ranks run = {.n = n, .body = body, .hosts = hosts};

	faults = 0;
	if (ranks_run(&run) < 0)
		fail_msg("%s", run.err.text);
	assert_int_equal(faults, 0);
}

static int rank_in(MPI_Comm c)
{
	int rank;

	OK(orr_Comm_rank(c, &rank));
	return rank;
}

static int size_of(MPI_Comm c)
{
	int size;

	OK(orr_Comm_size(c, &size));
	return size;
}

static int sum_in(MPI_Comm c, int x)
{
	int sum = -1;

	OK(orr_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, c));
	return sum;
}

static int compared(MPI_Comm a, MPI_Comm b)
{
	int result = -1, back = -1;

	OK(orr_Comm_compare(a, b, &result));
	OK(orr_Comm_compare(b, a, &back));
	assert_int_equal(result, back);
	return result;
}

/* --- tags: 3.2.3, 9.1.2 --- */

static int attribute_of(MPI_Comm c, int key)
{
	int *value = NULL, flag = 0;

	OK(orr_Comm_get_attr(c, key, &value, &flag));
	assert_true(flag);
	return *value;
}

/* MPI_TAG_UB is at least 32767 and the same everywhere; every tag from 0 to it is a tag, told from
 * all others. Where it is the largest int there is none that is too large. */
static void tags_body(int rank, void *arg)
{
	int ub = attribute_of(WORLD, MPI_TAG_UB), least, most, flag;
	int tag[] = {ub, 0, ub - 1, 0x7ffffff, 0x8000000, 1 << 30};
	enum { N = sizeof tag / sizeof *tag };
	MPI_Request q[N];
	MPI_Status s;
	int x[N], y[N];

	(void)arg;
	assert_true(ub >= 32767);
	OK(orr_Allreduce(&ub, &least, 1, MPI_INT, MPI_MIN, WORLD));
	OK(orr_Allreduce(&ub, &most, 1, MPI_INT, MPI_MAX, WORLD));
	assert_int_equal(least, most);
	assert_int_equal(attribute_of(SELF, MPI_TAG_UB), ub);
	for (int i = 0; i < N && rank == 0; i++) {
		x[i] = i;
		OK(orr_Isend(&x[i], 1, MPI_INT, 1, tag[i], WORLD, &q[i]));
	}
	if (rank == 0) {
		OK(orr_Waitall(N, q, MPI_STATUSES_IGNORE));
		if (ub < INT_MAX)
			REFUSES(MPI_ERR_TAG, orr_Send(x, 1, MPI_INT, 1, ub + 1, WORLD));
	} else {
		for (int i = N - 1; i >= 0; i--) { /* not in their order: by their tags */
			OK(orr_Probe(0, tag[i], WORLD, &s));
			assert_int_equal(s.MPI_TAG, tag[i]);
			OK(orr_Recv(&y[i], 1, MPI_INT, 0, tag[i], WORLD, &s));
			assert_int_equal(s.MPI_TAG, tag[i]);
			assert_int_equal(y[i], i);
		}
		OK(orr_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &flag, &s));
		assert_false(flag);
	}
	still_well();
}

static void tags(void **state)
{
	(void)state;
	run_on(2, tags_body);
}

/* --- names: 7.8 --- */

static void is_named(MPI_Comm c, const char *name)
{
	char text[MPI_MAX_OBJECT_NAME];
	int n = -1;

	memset(text, 'x', sizeof text);
	OK(orr_Comm_get_name(c, text, &n));
	assert_string_equal(text, name);
	assert_int_equal(n, strlen(name));
}

static void names_body(int rank, void *arg)
{
	char name[2 * MPI_MAX_OBJECT_NAME];
	MPI_Comm c, d;

	(void)rank;
	(void)arg;
	is_named(WORLD, "MPI_COMM_WORLD");
	is_named(SELF, "MPI_COMM_SELF");
	OK(orr_Comm_dup(WORLD, &c));
	is_named(c, "");
	OK(orr_Comm_set_name(c, "grid"));
	is_named(c, "grid");
	OK(orr_Comm_dup(c, &d));
	is_named(d, "");
	OK(orr_Comm_set_name(c, ""));
	is_named(c, "");
	OK(orr_Comm_set_name(WORLD, "everybody")); /* predefined ones may have another */
	is_named(WORLD, "everybody");
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = 0;
	OK(orr_Comm_set_name(c, name));
	name[MPI_MAX_OBJECT_NAME - 1] = 0; /* as long as it can be told */
	is_named(c, name);
	OK(orr_Comm_free(&c));
	OK(orr_Comm_free(&d));
}

static void names(void **state)
{
	(void)state;
	run_on(2, names_body);
}

/* --- who is in which --- */

static void compares_body(int rank, void *arg)
{
	MPI_Comm dup, turned, half, apart, bridge;
	int n = size_of(WORLD);

	(void)arg;
	OK(orr_Comm_dup(WORLD, &dup));
	OK(orr_Comm_split(WORLD, 0, -rank, &turned));
	OK(orr_Comm_split(WORLD, rank % 2, 0, &half));
	assert_int_equal(compared(WORLD, WORLD), MPI_IDENT);
	assert_int_equal(compared(WORLD, dup), MPI_CONGRUENT);
	assert_int_equal(compared(WORLD, turned), MPI_SIMILAR);
	assert_int_equal(compared(WORLD, half), MPI_UNEQUAL);
	assert_int_equal(compared(WORLD, SELF), MPI_UNEQUAL);
	assert_int_equal(rank_in(turned), n - 1 - rank);
	OK(orr_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 3, &bridge));
	OK(orr_Comm_dup(bridge, &apart));
	assert_int_equal(compared(bridge, apart), MPI_CONGRUENT);
	assert_int_equal(compared(bridge, half), MPI_UNEQUAL); /* one has two groups */
	REFUSES(MPI_ERR_COMM, orr_Comm_compare(WORLD, NO_COMM, &n));
	OK(orr_Comm_free(&dup));
	OK(orr_Comm_free(&turned));
	OK(orr_Comm_free(&half));
	OK(orr_Comm_free(&apart));
	OK(orr_Comm_free(&bridge));
}

static void compares(void **state)
{
	(void)state;
	run_on(4, compares_body);
}

/* 7.4.2: by key, and where keys are alike by rank; who has no colour gets none. */
static void splits_body(int rank, void *arg)
{
	static const int color[] = {5, 5, MPI_UNDEFINED, 0, 5, 0}, key[] = {9, -4, 0, 1, 9, 1},
	                 want[] = {1, 0, -1, 0, 2, 1};
	MPI_Comm c = WORLD;

	(void)arg;
	OK(orr_Comm_split(WORLD, color[rank], key[rank], &c));
	if (want[rank] < 0) {
		assert_ptr_equal(c, MPI_COMM_NULL);
		return;
	}
	assert_int_equal(rank_in(c), want[rank]);
	assert_int_equal(size_of(c), color[rank] ? 3 : 2);
	assert_int_equal(sum_in(c, rank), color[rank] ? 0 + 1 + 4 : 3 + 5);
	OK(orr_Comm_free(&c));
}

static void splits(void **state)
{
	(void)state;
	run_on(6, splits_body);
}

static MPI_Info info_with(const char *key, const char *value)
{
	MPI_Info info;

	OK(orr_Info_create(&info));
	OK(orr_Info_set(info, key, value));
	return info;
}

/* 7.4.2: those who share memory are those of a host; unguided splits are into parts that are
 * smaller than the whole, or nobody's. */
static void types_body(int rank, void *arg)
{
	int host[] = {0, 0, 0, 1, 1, 2}, n[] = {3, 2, 1}, flag, length = 64;
	MPI_Info info = info_with("mpi_hw_resource_type", "mpi_shared_memory"), told_of;
	MPI_Comm c, d;
	char value[64] = "";

	(void)arg;
	OK(orr_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &c));
	assert_int_equal(size_of(c), n[host[rank]]);
	assert_int_equal(sum_in(c, host[rank]), host[rank] * n[host[rank]]);
	if (host[rank] == 0)
		assert_int_equal(rank_in(c), 2 - rank); /* by key */
	OK(orr_Comm_split_type(c, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &d));
	assert_ptr_equal(d, MPI_COMM_NULL); /* nothing smaller is known */
	OK(orr_Comm_split_type(WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &d));
	assert_int_equal(compared(c, d), host[rank] == 2 ? MPI_CONGRUENT : MPI_SIMILAR);
	OK(orr_Comm_free(&d));
	OK(orr_Info_free(&info));
	info = info_with("mpi_hw_resource_type", "a disc");
	OK(orr_Comm_split_type(WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &d));
	assert_ptr_equal(d, MPI_COMM_NULL);
	OK(orr_Info_create(&told_of));
	OK(orr_Comm_split_type(WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, told_of, &d));
	assert_true(size_of(d) < size_of(WORLD));
	OK(orr_Info_get_string(told_of, "mpi_hw_resource_type", &length, value, &flag));
	assert_true(flag && value[0]); /* which it was is told */
	OK(orr_Comm_free(&d));
	OK(orr_Comm_split_type(WORLD, rank ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL,
	                       &d));
	if (rank == 0) {
		assert_ptr_equal(d, MPI_COMM_NULL);
	} else {
		assert_int_equal(size_of(d), n[host[rank]] - (host[rank] == 0));
		OK(orr_Comm_free(&d));
	}
	OK(orr_Info_free(&info));
	OK(orr_Info_free(&told_of));
	OK(orr_Comm_free(&c));
}

static void types(void **state)
{
	(void)state;
	run_hosts(6, "h0 slots=3\nh1 slots=2\nh2 slots=1\n", types_body);
}

static MPI_Group group_of(int n, const int *ranks)
{
	MPI_Group all, g;

	OK(orr_Comm_group(WORLD, &all));
	OK(orr_Group_incl(all, n, ranks, &g));
	OK(orr_Group_free(&all));
	return g;
}

/* 7.4.2: each process gives the group that it is in, and these have nobody in common. */
static void creates_body(int rank, void *arg)
{
	static const int low[] = {1, 0}, high[] = {3, 4, 2};
	MPI_Group g = rank < 2 ? group_of(2, low) : rank < 5 ? group_of(3, high) : MPI_GROUP_EMPTY;
	MPI_Comm c;

	(void)arg;
	OK(orr_Comm_create(WORLD, g, &c));
	if (rank == 5) {
		assert_ptr_equal(c, MPI_COMM_NULL);
		return;
	}
	assert_int_equal(sum_in(c, rank), rank < 2 ? 1 : 9);
	assert_int_equal(rank_in(c), rank < 2 ? 1 - rank : rank == 2 ? 2 : rank - 3);
	OK(orr_Group_free(&g));
	OK(orr_Comm_free(&c));
}

static void creates(void **state)
{
	(void)state;
	run_on(6, creates_body);
}

/* 7.4.2: only members call, with tags that keep apart what goes on at once; the same group and tag
 * again make another one. What a trace calls it is the same at all members, and another one each
 * time. */
static void group_made_body(int rank, void *arg)
{
	static const int two[] = {0, 2};
	uint64_t(*name)[3] = arg;
	MPI_Group g = group_of(2, two);
	MPI_Comm c[2];

	if (rank != 1)
		for (int i = 0; i < 2; i++) {
			OK(orr_Comm_create_group(WORLD, g, 7, &c[i]));
			name[i][rank] = link_state()->traced.made;
			assert_int_equal(sum_in(c[i], rank), 2);
		}
	if (rank != 1) {
		int x = rank, y = -1;

		/* one is not the other */
		OK(orr_Send(&x, 1, MPI_INT, 1 - rank / 2, 0, c[1]));
		x += 10;
		OK(orr_Send(&x, 1, MPI_INT, 1 - rank / 2, 0, c[0]));
		OK(orr_Recv(&y, 1, MPI_INT, 1 - rank / 2, 0, c[0], MPI_STATUS_IGNORE));
		assert_int_equal(y, 12 - rank);
		OK(orr_Recv(&y, 1, MPI_INT, 1 - rank / 2, 0, c[1], MPI_STATUS_IGNORE));
		assert_int_equal(y, 2 - rank);
		OK(orr_Comm_free(&c[0]));
		OK(orr_Comm_free(&c[1]));
	}
	REFUSES(MPI_ERR_TAG, orr_Comm_create_group(WORLD, g, -1, &c[0]));
	REFUSES(MPI_ERR_GROUP, orr_Comm_create_group(SELF, g, 0, &c[0]));
	OK(orr_Comm_create_group(WORLD, MPI_GROUP_EMPTY, 0, &c[0]));
	assert_ptr_equal(c[0], MPI_COMM_NULL);
	OK(orr_Group_free(&g));
}

static void group_made(void **state)
{
	uint64_t name[2][3] = {{0}};
	struct ranks run = {.n = 3, .body = group_made_body, .arg = name};

	(void)state;
	faults = 0;
	if (ranks_run(&run) < 0)
		fail_msg("%s", run.err.text);
	assert_int_equal(faults, 0);
	for (int i = 0; i < 2; i++)
		assert_true(name[i][0] == name[i][2]);
	assert_true(name[0][0] != name[1][0]);
}

/* --- what is kept of the one it was made of --- */

static int handled;

static void handles(MPI_Comm *c, int *code, ...)
{
	(void)c;
	handled += *code == MPI_ERR_RANK;
}

static void has_handler(MPI_Comm c, MPI_Errhandler want)
{
	MPI_Errhandler h;

	OK(orr_Comm_get_errhandler(c, &h));
	assert_ptr_equal(h, want);
	OK(orr_Errhandler_free(&h));
	assert_ptr_equal(h, MPI_ERRHANDLER_NULL);
}

/* 9.3: all that is made of a communicator has its error handler, until it gets another one. */
static void handlers_body(int rank, void *arg)
{
	const int dims[] = {2}, periods[] = {0};
	MPI_Comm parent, c[6];
	MPI_Errhandler h;
	MPI_Request q;
	MPI_Group g;

	(void)arg;
	OK(orr_Comm_dup(WORLD, &parent));
	has_handler(WORLD, MPI_ERRORS_ARE_FATAL);
	OK(orr_Comm_create_errhandler(handles, &h));
	OK(orr_Comm_set_errhandler(parent, h));
	OK(orr_Comm_group(parent, &g));
	OK(orr_Comm_dup(parent, &c[0]));
	OK(orr_Comm_split(parent, 0, 0, &c[1]));
	OK(orr_Comm_create(parent, g, &c[2]));
	OK(orr_Comm_create_group(parent, g, 0, &c[3]));
	OK(orr_Cart_create(parent, 1, dims, periods, 0, &c[4]));
	OK(orr_Comm_idup(parent, &c[5], &q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	for (int i = 0; i < 6; i++)
		has_handler(c[i], h);
	OK(orr_Comm_set_errhandler(c[0], MPI_ERRORS_RETURN));
	has_handler(parent, h); /* its own */
	has_handler(c[1], h);
	handled = 0;
	OK(orr_Comm_call_errhandler(c[1], MPI_ERR_RANK));
	assert_int_equal(handled, 1);
	OK(orr_Errhandler_free(&h));
	for (int i = 0; i < 6; i++)
		OK(orr_Comm_free(&c[i]));
	OK(orr_Comm_free(&parent));
	OK(orr_Group_free(&g));
	assert_int_equal(rank_in(WORLD), rank);
}

static void handlers(void **state)
{
	(void)state;
	run_on(2, handlers_body);
}

static int has_hint(MPI_Comm c, const char *key, const char *value)
{
	char got[32] = "";
	int flag, n = sizeof got;
	MPI_Info info;

	OK(orr_Comm_get_info(c, &info));
	OK(orr_Info_get_string(info, key, &n, got, &flag));
	OK(orr_Info_free(&info));
	return flag && strcmp(got, value) == 0;
}

/* 7.4.4: hints that are known are told again; MPI_Comm_dup copies them (7.4.2), what has an info of
 * its own does not. */
static void hints_body(int rank, void *arg)
{
	MPI_Info info = info_with("mpi_assert_no_any_tag", "true"),
	         other = info_with("mpi_assert_exact_length", "true");
	MPI_Comm c, d, e;
	MPI_Request q;

	(void)rank;
	(void)arg;
	OK(orr_Info_set(info, "my_own_key", "1"));
	OK(orr_Comm_dup(WORLD, &c));
	assert_false(has_hint(c, "mpi_assert_no_any_tag", "true"));
	OK(orr_Comm_set_info(c, info));
	assert_true(has_hint(c, "mpi_assert_no_any_tag", "true"));
	assert_false(has_hint(c, "my_own_key", "1")); /* which nobody knows */
	OK(orr_Comm_dup(c, &d));
	assert_true(has_hint(d, "mpi_assert_no_any_tag", "true"));
	OK(orr_Comm_free(&d));
	OK(orr_Comm_dup_with_info(c, other, &d));
	assert_false(has_hint(d, "mpi_assert_no_any_tag", "true"));
	assert_true(has_hint(d, "mpi_assert_exact_length", "true"));
	OK(orr_Comm_idup_with_info(c, other, &e, &q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	assert_false(has_hint(e, "mpi_assert_no_any_tag", "true"));
	assert_true(has_hint(e, "mpi_assert_exact_length", "true"));
	OK(orr_Info_free(&info));
	assert_true(has_hint(c, "mpi_assert_no_any_tag", "true"));
	OK(orr_Info_free(&other));
	OK(orr_Comm_free(&c));
	OK(orr_Comm_free(&d));
	OK(orr_Comm_free(&e));
}

static void hints(void **state)
{
	(void)state;
	run_on(2, hints_body);
}

/* --- life --- */

/* 7.4.3: freed while its messages are under way: they arrive; disconnected: they have. */
static void freed_body(int rank, void *arg)
{
	int x[2] = {41, 42}, y[2] = {0};
	MPI_Request q[2];
	MPI_Comm c, d;

	(void)arg;
	OK(orr_Comm_dup(WORLD, &c));
	OK(orr_Comm_dup(WORLD, &d));
	if (rank == 0)
		OK(orr_Irecv(&y[0], 1, MPI_INT, 1, 0, c, &q[0]));
	else
		OK(orr_Isend(&x[0], 1, MPI_INT, 0, 0, c, &q[0]));
	OK(orr_Comm_free(&c));
	OK(orr_Wait(&q[0], MPI_STATUS_IGNORE));
	assert_int_equal(y[0], rank ? 0 : 41);
	if (rank == 0)
		OK(orr_Irecv(&y[1], 1, MPI_INT, 1, 0, d, &q[1]));
	else
		OK(orr_Isend(&x[1], 1, MPI_INT, 0, 0, d, &q[1]));
	OK(orr_Wait(&q[1], MPI_STATUS_IGNORE));
	OK(orr_Comm_disconnect(&d));
	assert_ptr_equal(d, MPI_COMM_NULL);
	assert_int_equal(y[1], rank ? 0 : 42);
	REFUSES(MPI_ERR_COMM, orr_Comm_disconnect(&d));
	still_well();
}

static void freed(void **state)
{
	(void)state;
	run_on(2, freed_body);
}

/* A group is no part of its communicator: it goes on. */
static void groups_body(int rank, void *arg)
{
	int n = 0, mine = -1, all[3] = {0, 1, 2}, there[3];
	MPI_Group g, world;
	MPI_Comm c;

	(void)arg;
	OK(orr_Comm_split(WORLD, 0, -rank, &c));
	OK(orr_Comm_group(c, &g));
	OK(orr_Comm_free(&c));
	OK(orr_Comm_group(WORLD, &world));
	OK(orr_Group_size(g, &n));
	OK(orr_Group_rank(g, &mine));
	assert_int_equal(n, 3);
	assert_int_equal(mine, 2 - rank);
	OK(orr_Group_translate_ranks(g, 3, all, world, there));
	for (int i = 0; i < 3; i++)
		assert_int_equal(there[i], 2 - i);
	OK(orr_Comm_create(WORLD, g, &c));
	assert_int_equal(rank_in(c), 2 - rank);
	OK(orr_Comm_free(&c));
	OK(orr_Group_free(&g));
	OK(orr_Group_free(&world));
}

static void groups(void **state)
{
	(void)state;
	run_on(3, groups_body);
}

/* As many as a program likes, if it frees them; numbers are used again. */
static void many_body(int rank, void *arg)
{
	MPI_Comm c, kept_one[8];

	(void)arg;
	for (int i = 0; i < 8; i++)
		OK(orr_Comm_split(WORLD, rank % 2, i % 2 ? rank : -rank, &kept_one[i]));
	for (int i = 0; i < 300; i++) {
		OK(orr_Comm_dup(i % 2 ? WORLD : kept_one[i % 8], &c));
		OK(orr_Comm_free(&c));
	}
	for (int i = 0; i < 8; i++) {
		assert_int_equal(sum_in(kept_one[i], 1), 2);
		OK(orr_Comm_free(&kept_one[i]));
	}
}

static void many(void **state)
{
	(void)state;
	run_on(4, many_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tags),     cmocka_unit_test(names),      cmocka_unit_test(compares),
	    cmocka_unit_test(splits),   cmocka_unit_test(types),      cmocka_unit_test(creates),
	    cmocka_unit_test(handlers), cmocka_unit_test(group_made), cmocka_unit_test(hints),
	    cmocka_unit_test(freed),    cmocka_unit_test(groups),     cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
