/* test_comm_names.c: communicators of a simulated run get the names of a traced one: the world rank
 * of the first member, and how many that one has made before. */
#include "unit/trace/trace_test.h"

#include "trace/comm_names.h"

static uint64_t name(uint32_t first, uint32_t number)
{
	return (uint64_t)first << 32 | number;
}

/* What `rank` says when it has made a communicator of a and b; other: the first of the other group,
 * or -1. */
static void makes(struct comm_names *n, uint32_t rank, enum trace_op op, uint64_t comm, int32_t a,
                  int32_t b, int32_t other)
{
	int32_t members[] = {a, b}, remote[] = {other};
	struct trace_event ev;
	struct err err;

	trace_event_init(&ev, op);
	ev.comm = comm;
	ev.members = members;
	ev.n_members = a < 0 ? 0 : 2;
	ev.remote = remote;
	ev.n_remote = other >= 0;
	assert_ok(comm_names_event(n, rank, &ev, &err), err);
}

/* Rank 0 makes two, of which it is the first of one; the other is rank 1's first. A rank that got
 * MPI_COMM_NULL has made none; one that was said twice (by two chapters) counts once. */
static void counted(void **state)
{
	struct comm_names n;
	const uint64_t x = name(0, 0x5eed), y = name(1, 0xbeef), z = name(0, 0xcafe);

	(void)state;
	comm_names_init(&n);
	comm_names_begin(&n);
	makes(&n, 0, TRACE_COMM_DUP, x, 0, 1, -1);
	makes(&n, 0, TRACE_COMM_SPLIT, 0, -1, -1, -1);
	makes(&n, 0, TRACE_COMM_CREATE, y, 1, 0, -1);
	makes(&n, 0, TRACE_COMM_DUP, x, 0, 1, -1);
	makes(&n, 0, TRACE_COMM_DUP, z, 0, 1, -1);
	comm_names_begin(&n);
	makes(&n, 1, TRACE_COMM_DUP, x, 0, 1, -1);
	makes(&n, 1, TRACE_COMM_CREATE, y, 1, 0, -1);
	assert_true(comm_names_find(&n, x) == name(0, 2));
	assert_true(comm_names_find(&n, z) == name(0, 3));
	assert_true(comm_names_find(&n, y) == name(1, 2));
	comm_names_release(&n);
}

/* Of two groups, both leaders have made one, and its name is the lesser's: what the other makes
 * next is its second, as in the tracer, where each gives one away. */
static void between_groups(void **state)
{
	struct comm_names n;
	const uint64_t inter = name(0, 0x5eed), after = name(2, 0xbeef);
	struct trace_event ev;

	(void)state;
	comm_names_init(&n);
	comm_names_begin(&n);
	makes(&n, 2, TRACE_INTERCOMM_CREATE, inter, 2, 3, 0);
	makes(&n, 2, TRACE_COMM_DUP, after, 2, 3, -1);
	assert_true(comm_names_find(&n, inter) == inter); /* rank 0 has not been counted */
	comm_names_begin(&n);
	makes(&n, 0, TRACE_INTERCOMM_CREATE, inter, 0, 1, 2);
	assert_true(comm_names_find(&n, inter) == name(0, 2));
	assert_true(comm_names_find(&n, after) == name(2, 3));
	/* both of an event; the world and self are called as before */
	trace_event_init(&ev, TRACE_COMM_DUP);
	ev.comm = after;
	ev.parent = inter;
	comm_names_rename_event(&n, &ev);
	assert_true(ev.comm == name(2, 3) && ev.parent == name(0, 2));
	ev.comm = 0;
	ev.parent = 1;
	comm_names_rename_event(&n, &ev);
	assert_true(ev.comm == 0 && ev.parent == 1);
	comm_names_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(counted),
	                                   cmocka_unit_test(between_groups)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
