/* test_counter.c: tests of tracer/counter*.c. */
#include "test.h"

#include "tracer/counter.h"

#include <errno.h>
#include <time.h>

static void spin(int64_t ns)
{
	int64_t end = clock_ns() + ns;

	while (clock_ns() < end)
		continue;
}

static int64_t count_now(const struct counter_use *u, struct counter_thread *t)
{
	int64_t ns;

	return counter_enter(u, t, &ns);
}

static void test_choice(void **state)
{
	struct counter_use u;
	struct counter_thread t = {0};
	struct err err;

	(void)state;
	assert_fails(counter_choose(&u, &t, "sundial", 0, &err), err, ERR_INPUT, "sundial");
	assert_ok(counter_choose(&u, &t, "auto", 0, &err), err);
	counter_thread_close(&u, &t);
	assert_ok(counter_choose(&u, &t, NULL, 0, &err), err);
	assert_true(u.counter == &counter_perf || u.counter == &counter_cputime);
	counter_thread_close(&u, &t);
}

static void test_scales(void **state)
{
	struct counter_use u;
	struct counter_thread t = {0};
	struct err err;

	(void)state;
	assert_ok(counter_choose(&u, &t, "cputime", 0, &err), err);
	assert_double_is(u.scale, 1); /* nanoseconds at 1e9/s */
	assert_double_is(u.rate, 1e9);
	assert_ok(counter_choose(&u, &t, "wall", 2.5e9, &err), err);
	assert_double_is(u.scale, 2.5);
	assert_ok(counter_choose(&u, &t, "fake", 0, &err), err);
	assert_double_is(u.scale, 1e6);
	assert_ok(counter_choose(&u, &t, "fake", 5, &err), err);
	assert_double_is(u.scale, 5);
}

static void test_fake_counts_reads(void **state)
{
	struct counter_use u;
	struct counter_thread t = {0};
	struct err err;
	int64_t first;

	(void)state;
	assert_ok(counter_choose(&u, &t, "fake", 0, &err), err);
	first = count_now(&u, &t);
	assert_int_equal(count_now(&u, &t), first + 1);
	assert_int_equal(count_now(&u, &t), first + 2);
}

/* CPU time passes while computing and stands still while sleeping; wall time passes in both. */
static void test_sleep_is_no_computation(void **state)
{
	struct timespec nap = {.tv_nsec = 30000000};
	struct counter_use cpu, wall;
	struct counter_thread t = {0}, other = {0};
	struct err err;
	int64_t a, b;

	(void)state;
	assert_ok(counter_choose(&cpu, &t, "cputime", 0, &err), err);
	assert_ok(counter_choose(&wall, &other, "wall", 0, &err), err);
	a = count_now(&cpu, &t);
	b = count_now(&wall, &other);
	nanosleep(&nap, NULL);
	assert_true(count_now(&cpu, &t) - a < 10000000);
	assert_true(count_now(&wall, &other) - b >= 30000000);
	a = count_now(&cpu, &t);
	spin(100000000);
	assert_true(count_now(&cpu, &t) > a + 1000000); /* a busy machine gives us a part of it */
}

/* Both looks give a moment between those before and after them, whatever the counter; wall counts
 * that very moment. */
static void test_moments(void **state)
{
	static const char *const names[] = {"wall", "cputime", "fake"};
	struct err err;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct counter_use u;
		struct counter_thread t = {0};
		int64_t before, in, out, after, count;

		assert_ok(counter_choose(&u, &t, names[i], 0, &err), err);
		before = counter_ns(&u);
		count = counter_enter(&u, &t, &in);
		assert_true(i > 0 || count <= in);
		assert_true(i > 0 || !t.by_ticks || count == in);
		counter_leave(&u, &t, &out);
		after = counter_ns(&u);
		assert_true(before <= in && in <= out && out <= after);
		counter_thread_close(&u, &t);
	}
}

/* Where the processor counts for us, more work is more instructions; where it does not, the message
 * says what to do: a counter that is not there is no matter of permission. */
static void test_perf(void **state)
{
	struct counter_use u;
	struct counter_thread t = {0};
	struct err err;
	volatile int x = 0;
	int64_t a, b, c;

	(void)state;
	if (counter_choose(&u, &t, "perf", 0, &err) < 0) {
		int refused = strstr(err.text, strerror(EACCES)) ||
		              strstr(err.text, strerror(EPERM));

		assert_non_null(
		    strstr(err.text, refused ? "perf_event_paranoid" : "--counter cputime"));
		skip();
	}
	a = count_now(&u, &t);
	for (int i = 0; i < 1000; i++)
		x = i;
	b = count_now(&u, &t);
	for (int i = 0; i < 100000; i++)
		x = i;
	c = count_now(&u, &t);
	assert_true(b > a && c - b > 10 * (b - a));
	assert_true(x > 0);
	assert_double_is(u.scale, 1);
	counter_thread_close(&u, &t);
}

static void test_papi(void **state)
{
	struct counter_use u;
	struct counter_thread t = {0};
	struct err err;
	int64_t a;

	(void)state;
	if (counter_choose(&u, &t, "papi", 0, &err) < 0) {
		assert_non_null(strstr(err.text, "PAPI"));
		skip();
	}
	a = count_now(&u, &t);
	spin(1000000);
	assert_true(count_now(&u, &t) > a);
	counter_thread_close(&u, &t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_choice),
	    cmocka_unit_test(test_scales),
	    cmocka_unit_test(test_fake_counts_reads),
	    cmocka_unit_test(test_sleep_is_no_computation),
	    cmocka_unit_test(test_moments),
	    cmocka_unit_test(test_perf),
	    cmocka_unit_test(test_papi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
