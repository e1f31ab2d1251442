/* test_coll_auto.c: the selector "automatic" is as fast as the fastest algorithm, whatever the
 * operation, and all ranks follow it. Expected: the least of the times with each algorithm fixed,
 * which other tests compare with formulas. */
#include "coll/coll.h"
#include "sim.h"
#include "test.h"

#include <math.h>

enum { RANKS = 7 };
static const char cluster[] =
    "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">"
    "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-6\" speed=\"1Gf\" bw=\"125MBps\" "
    "lat=\"10us\"/></zone></platform>";
static struct sim s;

/* One call by all ranks, as a merged trace. */
static const char *trace_of(const char *call, char *buf, size_t n)
{
	size_t used = 0;
	for (int i = 0; i < RANKS; i++)
		used += (size_t)snprintf(buf + used, n - used, "%d init\n%d %s\n%d finalize\n", i,
		                         i, call, i);
	return buf;
}

static double seconds(const char *trace, const char *settings)
{
	if (sim_run(&s, cluster, trace, RANKS, settings, NULL) < 0)
		fail_msg("%s: %s", settings, s.err.text);
	return s.time;
}

static void is_the_least(enum coll_kind k, const char *call)
{
	char trace[4096], setting[128];
	double least = HUGE_VAL, t;
	trace_of(call, trace, sizeof trace);
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		if ((*alg)->kind != k || (*alg)->defect)
			continue;
		snprintf(setting, sizeof setting, "smpi/%s:%s,smpi/coll-selector:ompi",
		         coll_kind_name(k), (*alg)->name);
		t = seconds(trace, setting);
		least = t < least ? t : least;
	}
	assert_true(seconds(trace, "smpi/coll-selector:automatic") == least);
	snprintf(setting, sizeof setting, "smpi/%s:automatic,smpi/coll-selector:ompi",
	         coll_kind_name(k));
	assert_true(seconds(trace, setting) == least);
	assert_true(seconds(trace, "") >= least);
}

static void operations(void **state)
{
	(void)state;
	is_the_least(COLL_ALLREDUCE, "allreduce 100 0 0");
	is_the_least(COLL_ALLREDUCE, "allreduce 100000 0 0");
	is_the_least(COLL_BCAST, "bcast 50000 3 0");
	is_the_least(COLL_ALLTOALL, "alltoall 1000 1000 0 0");
	is_the_least(COLL_BARRIER, "barrier");
}

/* Blocks that differ by rank: ranks would choose differently by their own sizes. With a wrong
 * choice the messages do not meet. */
static void irregular(void **state)
{
	char trace[8192];
	size_t n = 0;
	(void)state;
	for (int i = 0; i < RANKS; i++) {
		n += (size_t)snprintf(trace + n, sizeof trace - n, "%d init\n%d alltoallv %d", i, i,
		                      RANKS * (i * 1000 + 1));
		for (int k = 0; k < RANKS; k++)
			n += (size_t)snprintf(trace + n, sizeof trace - n, " %d", i * 1000 + 1);
		n += (size_t)snprintf(trace + n, sizeof trace - n, " %d", 21 * 1000 + RANKS);
		for (int k = 0; k < RANKS; k++)
			n += (size_t)snprintf(trace + n, sizeof trace - n, " %d", k * 1000 + 1);
		n += (size_t)snprintf(trace + n, sizeof trace - n, " 0 0\n%d finalize\n", i);
	}
	assert_true(seconds(trace, "smpi/coll-selector:automatic") <=
	            seconds(trace, "smpi/alltoallv:linear_nb") * 1.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(operations),
	                                   cmocka_unit_test(irregular)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
