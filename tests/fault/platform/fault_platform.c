/* fault_platform.c: reading a platform, finding a route, placing ranks, when each allocation, read
 * or open fails in turn. */
#include "base/base.h"
#include "platform/platform.h"

#include "fault/fault.h"
#include "test.h"

struct request {
	const char *machine, *hostfile, *from, *to;
};

static int ask(const struct platform *p, const struct request *q, struct config *cfg,
               struct err *err)
{
	struct route r;
	struct host_id a, b;
	struct placement pl = {0};
	route_init(&r);
	if (platform_host_find(p, q->from, &a) < 0 || platform_host_find(p, q->to, &b) < 0)
		return err_set(err, ERR_PROGRAM, "the test's hosts are missing");
	int got = route_find(p, a, b, &r, err);
	if (got == 0) {
		fault_told(&r.latency, sizeof r.latency);
		fault_told(r.links, r.n * sizeof *r.links);
	}
	route_release(&r);
	if (got == 0)
		got = placement_make(p, q->hostfile, 8, 1, 1, &pl, cfg, err);
	if (got == 0)
		fault_told(pl.host, 8 * sizeof *pl.host);
	placement_release(&pl);
	return got;
}

static int read_and_ask(void *arg, struct err *err)
{
	const struct request *q = arg;
	struct config cfg;
	if (config_init(&cfg, err) < 0)
		return -1;
	struct platform *p = platform_read(q->machine, &cfg, err);
	int got = p ? ask(p, q, &cfg, err) : -1;
	platform_free(p);
	config_release(&cfg);
	return got;
}

static int list(void *arg, struct err *err)
{
	struct catalogue_entry *entries;
	(void)arg;
	int n = catalogue_list(&entries, err);
	if (n < 0)
		return -1;
	catalogue_free(entries, n);
	return 0;
}

static void hostfile_write(const char *path)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs("l1:2\n# comment\ndesk slots=3\nr3\n", f);
	fclose(f);
}

static void sweep(void **state)
{
	static const enum fault_kind kinds[] = {FAULT_ALLOC, FAULT_READ, FAULT_OPEN, FAULT_LOOK};
	char hostfile[] = "/tmp/orrery-fault-hostfile-XXXXXX";
	(void)state;
	assert_true(mkstemp(hostfile) >= 0);
	hostfile_write(hostfile);
	struct request clusters = {TEST_SRC "/tests/platforms/zones_clusters.xml", hostfile, "l1",
	                           "lap"};
	struct request nodes = {TEST_SRC "/tests/platforms/mixed.psins", NULL, "node0", "node2.3"};
	struct request graphene = {"graphene", NULL, "graphene-1.nancy.grid5000.fr",
	                           "graphene-143.nancy.grid5000.fr"};
	struct request changing = {TEST_SRC "/tests/peer/platforms/changing.xml", NULL, "a", "d"};
	for (int k = 0; k < 3; k++) {
		assert_true(fault_sweep(kinds[k], read_and_ask, &changing) > 0);
		assert_true(fault_sweep(kinds[k], read_and_ask, &clusters) > 0);
		assert_true(fault_sweep(kinds[k], read_and_ask, &nodes) > 0);
		assert_true(fault_sweep(kinds[k], read_and_ask, &graphene) > 0);
		assert_true(fault_sweep(kinds[k], list, NULL) > 0);
	}
	remove(hostfile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sweep)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
