/* test_others.c: tests of tracer/others.c, with a counter that counts what the test says. */
#include "test.h"

#include "tracer/others.h"

#include <pthread.h>
#include <time.h>

static int64_t counted[OTHERS + 1]; /* by the order in which they were opened */
static int opened, closed;

static void fake_open(struct counter_other *o, int tid)
{
	assert_true(tid > 0);
	o->fd = opened++;
}

static int64_t fake_read(struct counter_other *o, int tid)
{
	(void)tid;
	return counted[o->fd];
}

static void fake_close(struct counter_other *o)
{
	closed++;
	o->fd = -1;
}

static const struct counter counter_table = {
    .name = "table", .other_open = fake_open, .other_read = fake_read, .other_close = fake_close};

static int begin(void **state)
{
	static struct others others;

	others = (struct others){0};
	memset(counted, 0, sizeof counted);
	opened = closed = 0;
	*state = &others;
	return 0;
}

/* The most of the threads, not their sum, and only since the last time. */
static void test_busiest(void **state)
{
	struct others *o = *state;
	struct counter_use use = {.counter = &counter_table};

	others_start(o, &use);
	assert_false(others_any(o));
	assert_non_null(others_begin(o));
	assert_non_null(others_begin(o));
	assert_true(others_any(o));
	counted[0] = 30;
	counted[1] = 50;
	assert_int_equal(others_since(o, NULL), 50);
	assert_int_equal(others_since(o, NULL), 0);
	counted[0] += 7;
	counted[1] += 2;
	assert_int_equal(others_since(o, NULL), 7);
}

/* What a thread did before the trace began is not in it. */
static void test_begun_before(void **state)
{
	struct others *o = *state;
	struct counter_use use = {.counter = &counter_table};

	others_begin(o);
	assert_false(others_any(o));
	counted[0] = 1000;
	others_start(o, &use);
	counted[0] = 1010;
	assert_int_equal(others_since(o, NULL), 10);
}

/* It asks for the others, but its own time goes on being known. */
static void test_self(void **state)
{
	struct others *o = *state;
	struct counter_use use = {.counter = &counter_table};
	struct other *self;

	others_start(o, &use);
	self = others_begin(o);
	others_begin(o);
	counted[0] = 90;
	counted[1] = 20;
	assert_int_equal(others_since(o, self), 20);
	assert_int_equal(others_since(o, NULL), 0);
}

/* A thread that has ended is counted once more, and its place is another's then. */
static void test_ended(void **state)
{
	struct others *o = *state;
	struct counter_use use = {.counter = &counter_table};
	struct other *first;

	others_start(o, &use);
	first = others_begin(o);
	counted[0] = 40;
	others_end(first);
	assert_int_equal(others_since(o, NULL), 40);
	assert_int_equal(closed, 1);
	assert_int_equal(others_since(o, NULL), 0);
	assert_ptr_equal(others_begin(o), first);
	counted[1] = 5;
	assert_int_equal(others_since(o, NULL), 5);
	others_stop(o);
	assert_false(others_any(o));
}

/* What a thread does in MPI, where libraries wait by spinning, is none of its computation: neither
 * while it is there nor afterwards. */
static void test_in_mpi(void **state)
{
	struct others *o = *state;
	struct counter_use use = {.counter = &counter_table};
	struct other *waits;

	others_start(o, &use);
	waits = others_begin(o);
	others_begin(o);
	counted[0] = 20;
	others_enter(o, waits);
	counted[0] = 500;
	counted[1] = 7;
	assert_int_equal(others_busiest(o), 20);
	counted[0] = 600;
	counted[1] += 30;
	assert_int_equal(others_busiest(o), 30);
	others_leave(o, waits);
	assert_int_equal(others_busiest(o), 0);
	counted[0] += 10;
	counted[1] += 4;
	assert_int_equal(others_busiest(o), 10);
	/* what it computed before it came there counts when somebody asks after it has left */
	counted[0] += 5;
	others_enter(o, waits);
	counted[0] += 90;
	others_leave(o, waits);
	assert_int_equal(others_busiest(o), 5);
}

/* A thread that made none: since when its computation counts, and that it is in MPI. */
static void test_added(void **state)
{
	struct others *o = *state;
	struct counter_use use = {.counter = &counter_table};
	struct other *one, *two;

	assert_null(others_add(o, 17, -1, 0));
	others_start(o, &use);
	counted[0] = 100;
	one = others_add(o, 17, 60, 0);
	assert_int_equal(others_busiest(o), 40);
	counted[1] = 1000;
	two = others_add(o, 18, -1, 1);
	counted[1] = 1300;
	assert_int_equal(others_busiest(o), 0);
	others_leave(o, two);
	counted[1] += 8;
	counted[0] += 3;
	assert_int_equal(others_busiest(o), 8);
	assert_ptr_not_equal(one, two);
	others_enter(o, NULL);
	others_leave(o, NULL);
}

static void test_no_place(void **state)
{
	struct others *o = *state;

	for (int i = 0; i < OTHERS; i++)
		assert_non_null(others_begin(o));
	assert_null(others_begin(o));
	others_end(NULL);
}

/* Elapsed time is nobody's, and what is made up neither. */
static void test_counters_of_all(void **state)
{
	struct others *o = *state;
	struct counter_use wall = {.counter = &counter_wall}, fake = {.counter = &counter_fake};

	others_begin(o);
	others_start(o, &wall);
	assert_false(others_any(o));
	others_start(o, &fake);
	assert_false(others_any(o));
}

static void *compute(void *o)
{
	struct other *place = others_begin(o);
	struct timespec now = {0};

	while (now.tv_nsec < 20000000 && now.tv_sec == 0)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	others_end(place);
	return NULL;
}

/* Processor time of a real thread, after its end: it stopped at 20 ms, or one look later. */
static void test_cputime(void **state)
{
	struct others *o = *state;
	struct counter_use use = {.counter = &counter_cputime};
	int64_t did;
	pthread_t t;

	others_start(o, &use);
	assert_int_equal(pthread_create(&t, NULL, compute, o), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	did = others_since(o, NULL);
	assert_in_range(did, 20000000, 30000000);
	/* one that lives: this thread, whose clock is asked by its number */
	others_begin(o);
	did = others_since(o, NULL);
	assert_true(did > 0);
	others_stop(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(test_busiest, begin),
	    cmocka_unit_test_setup(test_begun_before, begin),
	    cmocka_unit_test_setup(test_self, begin),
	    cmocka_unit_test_setup(test_ended, begin),
	    cmocka_unit_test_setup(test_in_mpi, begin),
	    cmocka_unit_test_setup(test_added, begin),
	    cmocka_unit_test_setup(test_no_place, begin),
	    cmocka_unit_test_setup(test_counters_of_all, begin),
	    cmocka_unit_test_setup(test_cputime, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
