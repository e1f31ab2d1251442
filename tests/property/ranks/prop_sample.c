/* prop_sample.c: what a program says of itself (include/orrery/smpi.h) beside plain formulas:
 * amounts take what they say; of a loop that is sampled so many iterations are run as its
 * statistics ask for, and those left out take the mean. The processor's clock is the test's: each
 * iteration takes what was drawn.
 *
 * Statistics here are by two passes in long double; Student's t is from a table (two-sided, 95 %).
 * Where a decision hangs on less than the accuracy of that, the case is passed over. */
#include "../prop.h"

#include "../../unit/ranks/ranks.h"

#include "base/rng.h"
#include "orrery/smpi.h"

#include <math.h>
#include <sys/syscall.h>

enum { MOST = 400, CASES = 250 };

/* --- the clock: what sample.c asks the kernel for --- */

static double clock_now;

long syscall(long number, ...);
long syscall(long number, ...)
{
	va_list ap;

	if (number == SYS_clock_gettime) {
		va_start(ap, number);
		(void)va_arg(ap, long); /* which clock */
		struct timespec *t = (struct timespec *)va_arg(ap, long);
		va_end(ap);
		t->tv_sec = (time_t)clock_now;
		t->tv_nsec = (long)llround((clock_now - floor(clock_now)) * 1e9);
		return 0;
	}
	return -1; /* nobody here needs another one */
}

/* --- amounts --- */

int orrery_kernel_takes(double seconds); /* of guest/kernels.c; and whoever calls it is linked to
                                            the others, which are weak */

struct told_amounts {
	double seconds, flops, found[3];
};

static void amounts_body(int rank, void *arg)
{
	struct told_amounts *a = arg;
	double from = orr_Wtime();

	(void)rank;
	smpi_execute(a->seconds / 2);
	assert_true(orrery_kernel_takes(a->seconds / 2));
	a->found[0] = orr_Wtime() - from;
	from = orr_Wtime();
	smpi_execute_flops(a->flops);
	a->found[1] = orr_Wtime() - from;
	from = orr_Wtime();
	smpi_execute(0);
	smpi_execute(-1);
	smpi_execute_flops(0);
	SMPI_SAMPLE_DELAY(a->seconds / 2)
	{
		fail_msg("the body is left out");
	}
	SMPI_SAMPLE_FLOPS(a->flops / 2)
	{
		fail_msg("the body is left out");
	}
	a->found[2] = orr_Wtime() - from;
}

/* Seconds are those of the machine where no computation is measured; flops are at the host's 1e9 a
 * second, in whole ones. */
static void amounts(void **state)
{
	static const double seconds[] = {1e-6, 0.25, 3, 1234.5},
	                    flops[] = {1e3, 5e8, 7e9, 12345678};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct told_amounts a = {.seconds = seconds[i], .flops = flops[i]};

		ranks_do(1, amounts_body, &a);
		assert_close(a.found[0], a.seconds, 1e-9);
		assert_close(a.found[1], a.flops / 1e9, 1e-9);
		assert_close(a.found[2], a.seconds / 2 + a.flops / 2e9, 1e-6);
	}
}

/* --- loops --- */

struct loop {
	int n, times, count, ran, interval;
	double threshold, took, takes[MOST]; /* of each iteration that is run, in order */
	uint64_t seed;
};

/* As SMPI_SAMPLE_LOCAL and ORRERY_SAMPLE are, with the kind chosen when it runs: the place is one.
 */
static void loop_body(int rank, void *arg)
{
	struct loop *l = arg;
	double from = orr_Wtime();

	(void)rank;
	l->ran = 0;
	for (int time = 0; time < l->times; time++) {
		ORRERY_LOOP(int i = 0, i < l->n, i++, "", l->count, l->threshold, l->interval)
		{
			clock_now += l->takes[l->ran++];
		}
	}
	l->took = orr_Wtime() - from;
}

static double mean_of(const double *x, int n)
{
	long double sum = 0;

	for (int i = 0; i < n; i++)
		sum += x[i];
	return (double)(sum / n);
}

/* The standard error over the mean. */
static double error_of(const double *x, int n)
{
	long double mean = mean_of(x, n), squares = 0;

	for (int i = 0; i < n; i++)
		squares += (x[i] - mean) * (x[i] - mean);
	return (double)(sqrtl(squares / (n - 1) / n) / mean);
}

static double student(int f)
{
	static const double t[] = {2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179,
	                           2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080,
	                           2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

	if (f <= 30)
		return t[f - 4];
	return f <= 40    ? 2.042 + (2.021 - 2.042) * (f - 30) / 10
	       : f <= 60  ? 2.021 + (2.000 - 2.021) * (f - 40) / 20
	       : f <= 120 ? 2.000 + (1.980 - 2.000) * (f - 60) / 60
	                  : 1.96 + 2.4 / f;
}

/* Whether n measurements are enough; *close: that is decided by less than is known here. */
static int is_enough(const struct loop *l, int n, int *close)
{
	double error, least = l->interval ? 5 : 2, accuracy = l->interval ? 0.006 : 1e-6;

	if (l->count > 0 && n >= l->count)
		return 1;
	if (l->threshold <= 0 || n < least)
		return 0;
	error = error_of(l->takes, n) * (l->interval ? student(n - 1) : 1);
	*close |= fabs(error - l->threshold) < accuracy * l->threshold;
	return error < l->threshold;
}

/* How many are run in all, and what those left out take: each pass stops as soon as enough is
 * known. */
static int reference(const struct loop *l, double *takes, int *close)
{
	int ran = 0;

	*takes = 0;
	*close = 0;
	for (int time = 0; time < l->times; time++)
		for (int i = 0; i < l->n; i++) {
			if (is_enough(l, ran, close)) {
				*takes += mean_of(l->takes, ran) * (l->n - i);
				break;
			}
			ran++;
		}
	return ran;
}

static void loop_draw(struct loop *l, uint64_t seed)
{
	double spread;
	struct rng r;

	rng_init(&r, seed, "loops", 0);
	*l = (struct loop){.seed = seed,
	                   .n = 1 + (int)rng_below(&r, 150),
	                   .times = 1 + (int)rng_below(&r, 2),
	                   .interval = (int)rng_below(&r, 2)};
	spread = rng_unit(&r);
	l->threshold = rng_below(&r, 5) ? exp(-7 * rng_unit(&r)) : 0;
	l->count = rng_below(&r, 2) ? 1 + (int)rng_below(&r, 60) : 0;
	for (int i = 0; i < MOST; i++) /* whole nanoseconds, as the clock has */
		l->takes[i] = (1 + floor(1e6 * exp(spread * rng_normal(&r)))) * 1e-9;
}

static void loops(void **state)
{
	int done = 0;

	(void)state;
	for (uint64_t seed = prop_seed(1); seed <= prop_seed(CASES); seed++) {
		static struct loop l;
		double takes;
		int close, ran;

		loop_draw(&l, seed);
		ran = reference(&l, &takes, &close);
		if (close)
			continue;
		clock_now = 1000;
		ranks_do(1, loop_body, &l);
		if (l.ran != ran)
			fail_msg("seed %llu: %d of %d iterations were run, not %d (count %d, "
			         "threshold %g, interval %d)",
			         (unsigned long long)seed, l.ran, l.times * l.n, ran, l.count,
			         l.threshold, l.interval);
		if (fabs(l.took - takes) > 1e-6 * takes + 1e-9)
			fail_msg("seed %llu: those left out took %.12g s, not %.12g",
			         (unsigned long long)seed, l.took, takes);
		done++;
	}
	assert_true(done > CASES / 2);
}

/* Tags make two places of one line; and ranks have measurements of their own. */
static void places_body(int rank, void *arg)
{
	static const char *const tag[] = {"a", "b"};
	int ran[2] = {0};

	(void)arg;
	for (int k = 0; k < 4; k++) {
		SMPI_SAMPLE_LOCAL_TAG(int i = 0, i < 10, i++, 3 + rank, 0, tag[k % 2])
		{
			clock_now += 1e-3;
			ran[k % 2]++;
		}
	}
	assert_int_equal(ran[0], 3 + rank);
	assert_int_equal(ran[1], 3 + rank);
}

static void places(void **state)
{
	(void)state;
	ranks_do(3, places_body, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(amounts), cmocka_unit_test(loops),
	                                   cmocka_unit_test(places)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
