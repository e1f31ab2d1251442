/* test_looks.c: tests between pieces of computation (tracer/record_wait.c): a program that computes
 * while its messages move, and looks whether they have come. The clock stands still but for what
 * the test says that was computed. A look after 10 us of computation is written, also one that
 * finds nothing; a loop that does nothing but test is a wait, and no computation; what comes after
 * a test has found all is written as if the requests were still there. */
#include "property/prop.h"
#include "traced.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int frozen;
static int64_t now;

/* The tracer's clock too, as both are in this program. */
int clock_gettime(clockid_t id, struct timespec *t)
{
	if (!frozen)
		return (int)syscall(SYS_clock_gettime, id, t);
	*t = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
	return 0;
}

static void begin(struct traced *t)
{
	struct timespec real;

	frozen = 0;
	tmp_init(&t->tmp);
	traced_environment(t->tmp.dir);
	setenv("ORRERY_COUNTER", "wall", 1);
	traced_start(t, 0, 4, 1, MPI_THREAD_SINGLE);
	clock_gettime(CLOCK_MONOTONIC, &real);
	now = (int64_t)real.tv_sec * 1000000000 + real.tv_nsec;
	frozen = 1;
	tracer.counter.ticks.ns = 0; /* the clock instead of the processor's */
	tracer.counter_bias = tracer.clock_bias = 0;
	thread.counter.by_ticks = 0;
	thread.left = thread.left_ns = now;
	polls_release(&thread.polls);
}

static void compute(int64_t us)
{
	now += 1000 * us;
}

/* Nanoseconds of computation in the trace. */
static int64_t computed(const struct traced *t)
{
	char line[16384], *at;
	int64_t sum = 0;
	FILE *f = traced_file(t);

	while (fgets(line, sizeof line, f))
		if ((at = strstr(line, " compute ")))
			sum += (int64_t)(strtod(at + 9, NULL) + 0.5);
	fclose(f);
	return sum;
}

static void end(struct traced *t, int64_t us)
{
	traced_end(t);
	assert_int_equal(computed(t), 1000 * us);
	frozen = 0;
	traced_release(t);
}

static void receive(struct traced *t, MPI_Request *r, int number)
{
	MPI_Irecv(NULL, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, r);
	traced_want(t, "irecv 1 5 1 1 req=%d", number);
}

/* It has come, or has not. */
static void arrive(MPI_Request r, int has)
{
	fake_request(r)->complete = has;
}

static int finds(MPI_Request *r)
{
	int flag;

	MPI_Test(r, &flag, MPI_STATUS_IGNORE);
	return flag;
}

/* A test that finds it, a wait that finds nothing left to wait for: both are written. */
static void test_found_between_computations(void **state)
{
	struct traced t = {0};
	MPI_Request r;

	(void)state;
	begin(&t);
	receive(&t, &r, 0);
	compute(20);
	arrive(r, 1);
	assert_true(finds(&r));
	traced_want(&t, "test req=0 done=0");
	assert_int_equal(r, MPI_REQUEST_NULL);
	compute(20);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	MPI_Wait(&r, MPI_STATUS_IGNORE); /* once more: nothing is known of it any more */
	receive(&t, &r, 0);              /* so its number can be given again */
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	end(&t, 40);
}

/* Where the variable is given another request, nobody looks at the first one again. */
static void test_found_and_forgotten(void **state)
{
	struct traced t = {0};
	MPI_Request r, other;

	(void)state;
	begin(&t);
	receive(&t, &r, 0);
	receive(&t, &other, 1);
	compute(20);
	arrive(r, 1);
	assert_true(finds(&r));
	traced_want(&t, "test req=0 done=0");
	receive(&t, &r, 0);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=0");
	MPI_Wait(&other, MPI_STATUS_IGNORE);
	traced_want(&t, "wait req=1");
	end(&t, 20);
}

/* A wait of the program's own: a test in a loop, until it has come. What the loop takes is no
 * computation, and after it nothing is looked at. */
static void test_a_loop_of_tests(void **state)
{
	struct traced t = {0};
	MPI_Request r;
	int turns = 0;

	(void)state;
	begin(&t);
	receive(&t, &r, 0);
	compute(5);
	fake.random = 7;
	do {
		arrive(r, turns > 20);
		turns++;
		now += 200; /* the loop itself, ns */
	} while (!finds(&r));
	if (turns > 1)
		traced_want(&t, "test req=0 done=0");
	assert_true(turns > 1);
	MPI_Wait(&r, MPI_STATUS_IGNORE); /* null: a loop of tests was the wait */
	compute(3);
	MPI_Barrier(MPI_COMM_WORLD);
	traced_want(&t, "barrier");
	/* before the first test: 5 us and 200 ns, the loop's first turn, which is not known to be
	 * one; then only what was computed after it */
	traced_end(&t);
	assert_int_equal(computed(&t), 5000 + 200 + 3000);
	frozen = 0;
	traced_release(&t);
}

/* A loop that waits does a little in each turn, always the same: of its row the first turn is
 * computed, in which it was not known to be one, and half a turn when it is over. What takes longer
 * than the others was work. Looks are written as long as nothing is known of the loop. */
static void test_turns_of_a_wait(void **state)
{
	struct traced t = {0};
	MPI_Request r;
	int64_t since = 0;
	int turns = 0, found;

	(void)state;
	begin(&t);
	receive(&t, &r, 0);
	fake.still = 1;
	do {
		const int us = turns == 20 ? 90 : turns == 25 ? 6 : 5;

		arrive(r, turns > 50);
		compute(us);
		since += turns < POLLS_SEEN || us > 6 ? us : 0;
		found = finds(&r);
		turns++;
		if (found)
			traced_want(&t, "test req=0 done=0");
		else if (since >= 10)
			traced_want(&t, "test req=0");
		since = since >= 10 ? 0 : since;
	} while (!found);
	assert_int_equal(turns, 52);
	fake.still = 0;
	MPI_Wait(&r, MPI_STATUS_IGNORE); /* null: the loop was the wait */
	compute(3);
	MPI_Barrier(MPI_COMM_WORLD);
	traced_want(&t, "barrier");
	traced_end(&t);
	assert_int_equal(computed(&t), 5000 + 90000 + 2500 + 3000);
	frozen = 0;
	traced_release(&t);
}

/* Work ends though nothing was found: all of it is computed. */
static void test_turns_of_work(void **state)
{
	struct traced t = {0};
	MPI_Request r;

	(void)state;
	begin(&t);
	fake.still = 1;
	for (int row = 0; row < 3; row++) {
		receive(&t, &r, 0);
		for (int i = 0; i < 20; i++) {
			compute(5);
			arrive(r, 0);
			assert_false(finds(&r));
			if (i % 2 == 1 && (row > 0 || i < POLLS_SEEN))
				traced_want(&t, "test req=0");
		}
		arrive(r, 1);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		traced_want(&t, "wait req=0");
	}
	fake.still = 0;
	end(&t, 300);
}

/* What one test finds of several, the others are still outstanding. */
static void test_some_of_many(void **state)
{
	struct traced t = {0};
	MPI_Request r[3];
	int index;

	(void)state;
	begin(&t);
	for (int i = 0; i < 3; i++)
		receive(&t, &r[i], i);
	compute(50);
	arrive(r[1], 1);
	MPI_Waitany(3, r, &index, MPI_STATUS_IGNORE);
	traced_want(&t, "waitany 3 reqs=0,1,2 done=%d", index);
	compute(50);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE); /* a null one is passed over */
	traced_want(&t, "waitall 2 reqs=%s", index == 0 ? "1,2" : index == 1 ? "0,2" : "0,1");
	end(&t, 100);
}

/* Pieces of computation with a look after each, and a wait at the end: each look after 10 us or
 * more is written, whether it finds nothing, finds it, or comes later; shorter ones that find
 * nothing new are not. */
static void test_looks(void **state)
{
	struct prop_run cases = prop_begin(30);

	(void)state;
	for (uint64_t k = 0; k < cases.cases; k++) {
		int64_t sum = 0, since = 0;
		struct traced t = {0};
		MPI_Request q;
		struct rng r;
		int found = 0;

		rng_init(&r, cases.seed, "looks", k);
		begin(&t);
		fake.random += k << 32;
		receive(&t, &q, 0);
		for (int looks = (int)prop_from(&r, 1, 9); looks > 0; looks--) {
			int64_t us = prop_once_in(&r, 3) ? prop_from(&r, 2, 4)
			                                 : prop_from(&r, 10, 60);
			int before = found;

			compute(us);
			sum += us;
			since += us;
			found |= finds(&q);
			if (found && (!before || since >= 10))
				traced_want(&t, "test req=0 done=0");
			else if (since >= 10)
				traced_want(&t, "test req=0");
			else
				continue;
			since = 0;
		}
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		traced_want(&t, "wait req=0");
		end(&t, sum);
	}
}

/* Random pieces of computation between messages: all of it is in the trace, once. */
static void test_all_computation_is_written(void **state)
{
	struct prop_run cases = prop_begin(20);

	(void)state;
	for (uint64_t k = 0; k < cases.cases; k++) {
		struct traced t = {0};
		int64_t sum = 0;
		struct rng r;

		rng_init(&r, cases.seed, "computation", k);
		begin(&t);
		for (int i = 0; i < 50; i++) {
			int64_t us = prop_from(&r, 0, 3) ? prop_from(&r, 0, 100) : 0;
			MPI_Request q;

			compute(us);
			sum += us;
			if (prop_once_in(&r, 2)) {
				MPI_Send(NULL, i, MPI_INT, 1, 0, MPI_COMM_WORLD);
				traced_want(&t, "send 1 0 %d 1", i);
				continue;
			}
			receive(&t, &q, 0);
			us = prop_from(&r, 0, 30);
			compute(us);
			sum += us;
			MPI_Wait(&q, MPI_STATUS_IGNORE);
			traced_want(&t, "wait req=0");
		}
		end(&t, sum);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_found_between_computations),
	    cmocka_unit_test(test_found_and_forgotten),
	    cmocka_unit_test(test_a_loop_of_tests),
	    cmocka_unit_test(test_turns_of_a_wait),
	    cmocka_unit_test(test_turns_of_work),
	    cmocka_unit_test(test_some_of_many),
	    cmocka_unit_test(test_looks),
	    cmocka_unit_test(test_all_computation_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
