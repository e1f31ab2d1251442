/* test_coll_contest.c: what coll_contest.c leaves out changes no time. Each algorithm of an
 * operation is timed in a contest, given up after the best so far, and alone: the same to the last
 * bit, or given up and indeed later. On hosts of one and of three ranks, under settings that change
 * what an algorithm's steps cost. */
#include "test.h"
#include "mp/contest/coll_measure.h"
#include "mp/mp.h"
#include "tmp.h"

#include <math.h>
#include <stdlib.h>

static const char cluster[] = "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\"><cluster "
                              "id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-15\" "
                              "speed=\"1Gf\" bw=\"125MBps\" lat=\"10us\" bb_bw=\"300MBps\" "
                              "bb_lat=\"5us\"/></zone></platform>";
static struct err err;

struct machine {
	struct config cfg;
	struct platform *platform;
};

static void machine_init(struct machine *m, const char *settings)
{
	struct tmp tmp;
	tmp_init(&tmp);
	assert_ok(config_init(&m->cfg, &err), err);
	if (*settings)
		assert_ok(config_set_all(&m->cfg, settings, CFG_FROM_USER, &err), err);
	m->platform = platform_read(tmp_write(&tmp, "platform.xml", cluster), &m->cfg, &err);
	assert_non_null(m->platform);
	tmp_release(&tmp);
}

static void machine_release(struct machine *m)
{
	platform_free(m->platform);
	config_release(&m->cfg);
}

struct tally {
	uint32_t timed, given_up;
};

/* All algorithms of one operation, for one call. */
static void contest(const struct machine *m, enum coll_kind k, uint32_t p, uint32_t per_host,
                    int64_t bytes, double factor, struct tally *n)
{
	struct host_id host[48];
	uint32_t name[48];
	int64_t counts[48];
	struct coll_shape shape;
	struct coll_policy parts = {.selector = coll_selector_find("ompi")};
	struct coll_bench b = {m->platform, &m->cfg, host, p, &shape, &parts, NULL};
	struct coll_args a;
	double best = HUGE_VAL;
	for (uint32_t i = 0; i < p; i++)
		host[i].v = name[i] = i / per_host;
	assert_ok(coll_shape_init(&shape, name, p, &err), err);
	coll_measure_args(k, &b, bytes, counts, &a);
	struct coll_contest *c = coll_contest_new(&b, &a, &err);
	assert_non_null(c);
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct coll_choice choice = {.alg = *alg};
		double t, alone;
		if ((*alg)->kind != k || (*alg)->defect)
			continue;
		assert_ok(coll_contest_time(c, &choice, NULL, best * factor, &t, &err), err);
		if (isnan(t))
			continue;
		assert_ok(coll_measure(&b, &a, &choice, HUGE_VAL, &alone, &err), err);
		n->timed += isfinite(t);
		n->given_up += isinf(t);
		if (isinf(t) ? !(alone > best * factor) : t != alone)
			fail_msg("%s %s, %u ranks, %u a host, %lld bytes: %.17g in a contest, "
			         "alone %.17g, the best before %.17g",
			         coll_kind_name(k), (*alg)->name, p, per_host, (long long)bytes, t,
			         alone, best);
		best = fmin(best, t);
	}
	coll_contest_free(c);
	coll_shape_release(&shape);
}

static const char *const settings[] = {
    "",
    "compat:simgrid-3.32",
    "smpi/copy-rate:1e9,smpi/reduce-rate:1e9",
    "smpi/os:0:1e-6:1e-10,smpi/or:0:2e-6:0,smpi/ois:0:1e-6:0",
    "network/model:CM02,network/crosstraffic:no",
    "network/model:loggps",
    "network/model:ib",
    "noise/seed:7,noise/network:0:1:0.5:0.2",
    "smpi/connections:ordered",
};

static void same_times(void **state)
{
	static const enum coll_kind kinds[] = {COLL_BARRIER, COLL_BCAST, COLL_ALLREDUCE,
	                                       COLL_ALLTOALL, COLL_REDUCE_SCATTER};
	static const struct {
		uint32_t p, per_host;
	} shapes[] = {{8, 1}, {7, 1}, {12, 3}};
	struct tally n = {0};
	(void)state;
	for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
		struct machine m;
		machine_init(&m, settings[s]);
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
				for (int64_t bytes = 8;
				     bytes < 1 << 20 && (bytes == 8 || kinds[k] != COLL_BARRIER);
				     bytes *= 1000)
					contest(&m, kinds[k], shapes[i].p, shapes[i].per_host,
					        bytes, 1 + (double)i, &n);
		machine_release(&m);
	}
	assert_true(n.timed > 500);
	assert_true(n.given_up > 500);
}

/* What links need counts: of 48 ranks on 16 hosts that all send all they have to all others, given
 * up before it is begun. */
static void given_up_unbegun(void **state)
{
	struct tally n = {0};
	struct machine m;
	(void)state;
	machine_init(&m, "");
	contest(&m, COLL_ALLREDUCE, 48, 3, 1 << 20, 1, &n);
	assert_true(n.given_up > 5);
	machine_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(same_times),
	                                   cmocka_unit_test(given_up_unbegun)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
