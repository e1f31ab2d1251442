/* test_attributes.c: attributes of communicators as MPI 4.0, 7.7 defines them: what is copied to a
 * new one and what is not, in which order callbacks are called; those of the environment. */
#include "ranks.h"

#include "refuses.h"

static int rank_in(MPI_Comm c)
{
	int rank;

	OK(orr_Comm_rank(c, &rank));
	return rank;
}

static int attribute_of(MPI_Comm c, int key)
{
	int *value = NULL, flag = 0;

	OK(orr_Comm_get_attr(c, key, &value, &flag));
	assert_true(flag);
	return *value;
}

static char told[256];

static void tell(const char *what, intptr_t value)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof told - n, "%s%d ", what, (int)value);
}

static int copies(MPI_Comm c, int key, void *extra, void *in, void *out, int *flag)
{
	(void)c;
	(void)key;
	tell("copy", (intptr_t)in);
	*(intptr_t *)out = (intptr_t)in + 100;
	*flag = (intptr_t)in != 3; /* this one is not for the copy */
	return (intptr_t)in == 4 ? MPI_ERR_OTHER : *(int *)extra;
}

static int deletes(MPI_Comm c, int key, void *value, void *extra)
{
	(void)c;
	(void)key;
	tell("delete", (intptr_t)value);
	return *(int *)extra;
}

static intptr_t value_of(MPI_Comm c, int key)
{
	void *value = (void *)-1;
	int flag = -1;

	OK(orr_Comm_get_attr(c, key, &value, &flag));
	return flag ? (intptr_t)value : -1;
}

/* 7.7.2: MPI_Comm_dup and MPI_Comm_idup copy with the callbacks, all others do not; what a callback
 * returns is what the call returns, and then there is no new communicator. */
static void copied_body(int rank, void *arg)
{
	int key[3], fine = MPI_SUCCESS;
	MPI_Comm dup, idup, split, made;
	MPI_Request q;
	MPI_Group g;

	(void)arg;
	for (int i = 0; i < 3; i++) {
		OK(orr_Comm_create_keyval(copies, deletes, &key[i], &fine));
		OK(orr_Comm_set_attr(WORLD, key[i], (void *)(intptr_t)(i + 1)));
	}
	told[0] = 0;
	OK(orr_Comm_dup(WORLD, &dup));
	assert_int_equal(value_of(dup, key[0]), 101);
	assert_int_equal(value_of(dup, key[1]), 102);
	assert_int_equal(value_of(dup, key[2]), -1);
	OK(orr_Comm_idup(WORLD, &idup, &q));
	OK(orr_Wait(&q, MPI_STATUS_IGNORE));
	assert_int_equal(value_of(idup, key[0]), 101);
	assert_int_equal(value_of(idup, key[2]), -1);
	OK(orr_Comm_split(WORLD, 0, 0, &split));
	OK(orr_Comm_group(WORLD, &g));
	OK(orr_Comm_create(WORLD, g, &made));
	assert_int_equal(value_of(split, key[0]), -1);
	assert_int_equal(value_of(made, key[0]), -1);
	assert_int_equal(value_of(made, MPI_TAG_UB) != -1, 1); /* these are everybody's */
	OK(orr_Comm_set_attr(WORLD, key[1], (void *)4));
	MPI_Comm none = dup;
	REFUSES(MPI_ERR_OTHER, orr_Comm_dup(WORLD, &none));
	assert_ptr_equal(none, MPI_COMM_NULL);
	for (int i = 0; i < 3; i++)
		OK(orr_Comm_delete_attr(WORLD, key[i]));
	OK(orr_Comm_free(&dup));
	OK(orr_Comm_free(&idup));
	OK(orr_Comm_free(&split));
	OK(orr_Comm_free(&made));
	OK(orr_Group_free(&g));
	for (int i = 0; i < 3; i++)
		OK(orr_Comm_free_keyval(&key[i]));
	assert_int_equal(rank, rank_in(WORLD));
	still_well();
}

static void copied(void **state)
{
	(void)state;
	run_on(2, copied_body);
}

/* A copy that returns an error has told so before anything is there; a deletion that does keeps the
 * communicator. */
static void kept_body(int rank, void *arg)
{
	int key, code = MPI_ERR_ACCESS;
	MPI_Comm c, same;

	(void)rank;
	(void)arg;
	OK(orr_Comm_dup(SELF, &c));
	OK(orr_Comm_create_keyval(MPI_COMM_DUP_FN, deletes, &key, &code));
	OK(orr_Comm_set_attr(c, key, (void *)7));
	told[0] = 0;
	same = c;
	REFUSES(MPI_ERR_ACCESS, orr_Comm_free(&c));
	assert_ptr_equal(c, same);
	assert_int_equal(value_of(c, key), 7);
	REFUSES(MPI_ERR_ACCESS, orr_Comm_delete_attr(c, key));
	REFUSES(MPI_ERR_ACCESS, orr_Comm_set_attr(c, key, (void *)8)); /* deletes first */
	assert_int_equal(value_of(c, key), 7);
	assert_string_equal(told, "delete7 delete7 delete7 ");
	code = MPI_SUCCESS;
	OK(orr_Comm_free(&c));
	OK(orr_Comm_free_keyval(&key));
	assert_int_equal(key, MPI_KEYVAL_INVALID);
}

static void kept(void **state)
{
	(void)state;
	run_on(1, kept_body);
}

/* 7.7.2: setting what is set is as if it were deleted and then set: it is the last one set. 11.2.4:
 * at MPI_Finalize those of MPI_COMM_SELF go in the reverse order, while MPI still works. */
static int ending(MPI_Comm c, int key, void *value, void *extra)
{
	int flag = -1, x = 5, y = 0;

	(void)key;
	(void)extra;
	assert_ptr_equal(c, MPI_COMM_SELF);
	OK(orr_Finalized(&flag));
	assert_false(flag);
	OK(orr_Sendrecv(&x, 1, MPI_INT, 0, 0, &y, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	assert_int_equal(y, 5);
	tell("", (intptr_t)value);
	return MPI_SUCCESS;
}

static void reversed_body(int rank, void *arg)
{
	int key[3], flag;

	(void)rank;
	(void)arg;
	OK(orr_Init(NULL, NULL));
	for (int i = 0; i < 3; i++) {
		OK(orr_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, ending, &key[i], NULL));
		OK(orr_Comm_set_attr(SELF, key[i], (void *)(intptr_t)(i + 1)));
	}
	told[0] = 0;
	OK(orr_Comm_set_attr(SELF, key[0], (void *)4));
	assert_string_equal(told, "1 ");
	OK(orr_Comm_free_keyval(&key[1])); /* an attribute has it still */
	told[0] = 0;
	OK(orr_Finalize());
	assert_string_equal(told, "4 3 2 ");
	OK(orr_Finalized(&flag));
	assert_true(flag);
	OK(orr_Initialized(&flag));
	assert_true(flag); /* 11.2.1: also after MPI_Finalize */
}

static void reversed(void **state)
{
	struct ranks run = {.n = 1, .body = reversed_body, .bare = 1};

	(void)state;
	if (ranks_run(&run) < 0)
		fail_msg("%s", run.err.text);
}

/* 7.7.1: what the environment says of itself (9.1.2). */
static void environment_body(int rank, void *arg)
{
	int host = attribute_of(WORLD, MPI_HOST), io = attribute_of(WORLD, MPI_IO);
	double t[2];

	(void)rank;
	(void)arg;
	assert_true(host == MPI_PROC_NULL || (host >= 0 && host < 3));
	assert_true(io == MPI_ANY_SOURCE || io == rank_in(WORLD)); /* all may do I/O */
	assert_true(attribute_of(WORLD, MPI_UNIVERSE_SIZE) >= 3);
	assert_int_equal(attribute_of(WORLD, MPI_APPNUM), 0);
	assert_int_equal(attribute_of(WORLD, MPI_LASTUSEDCODE), MPI_ERR_LASTCODE);
	/* a global clock is one: who has passed a barrier is behind those who came to it */
	assert_int_equal(attribute_of(WORLD, MPI_WTIME_IS_GLOBAL), 1);
	t[0] = orr_Wtime();
	OK(orr_Allreduce(t, &t[1], 1, MPI_DOUBLE, MPI_MAX, WORLD));
	assert_true(orr_Wtime() >= t[1]);
	REFUSES(MPI_ERR_KEYVAL, orr_Comm_delete_attr(WORLD, MPI_TAG_UB));
	REFUSES(MPI_ERR_KEYVAL, orr_Comm_set_attr(WORLD, MPI_KEYVAL_INVALID, NULL));
}

static void environment(void **state)
{
	(void)state;
	run_on(3, environment_body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(copied),
	    cmocka_unit_test(kept),
	    cmocka_unit_test(reversed),
	    cmocka_unit_test(environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
