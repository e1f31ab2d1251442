/* test_placement.c: hostfiles, and the order of hosts without one. */
#include "lib.h"

static const char hosts12[] =
    "<platform version='4.1'><zone id='w' routing='Full'>"
    "<cluster id='b' prefix='n' suffix='' radical='0-10' speed='1f' bw='1' lat='0'/>"
    "<zone id='a' routing='Full'><host id='z:1' speed='1f'/><host id='k' speed='1f'/></zone>"
    "</zone></platform>";

static struct fixture f;

static int setup(void **state)
{
	(void)state;
	fixture_must_read(&f, hosts12, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	fixture_release(&f);
	return 0;
}

/* The placement as "name name name"; NULL when it is refused (f.err says why). */
static const char *place(const char *hostfile, uint32_t np, int compat, int overcommit)
{
	static char out[4096];
	struct placement pl;
	struct fixture file;
	if (hostfile)
		fixture_write(&file, hostfile);
	int got = placement_make(f.p, hostfile ? file.path : NULL, np, compat, overcommit, &pl,
	                         &f.cfg, &f.err);
	if (hostfile)
		unlink(file.path);
	if (got < 0)
		return NULL;
	out[0] = 0;
	for (uint32_t i = 0; i < pl.n; i++) {
		char name[64];
		snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", i ? " " : "",
		         platform_host_name(f.p, pl.host[i], name, sizeof name));
	}
	placement_release(&pl);
	return out;
}

static void declaration_order_by_default(void **state)
{
	(void)state;
	assert_string_equal(place(NULL, 13, 0, 0), "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 n10 z:1 k");
}

/* Hosts of speed 0 get no rank, and the first other one is what the machine's rates are of. */
static void none_on_idle_hosts(void **state)
{
	struct fixture g;
	struct placement pl;
	struct platform_sum sum;
	struct err err;
	char text[300];

	(void)state;
	fixture_must_read(&g,
	                  "<platform version='4.1'>\n<zone id='w' routing='Full'>"
	                  "<host id='batch' speed='0Gf'/><host id='n1' speed='3f' core='2'/>\n"
	                  "<host id='n2' speed='2f'/><host id='disk' speed='0.'/>"
	                  "</zone></platform>",
	                  NULL);
	for (int compat = 0; compat < 2; compat++) {
		assert_int_equal(placement_make(g.p, NULL, 3, compat, 1, &pl, &g.cfg, &err), 0);
		assert_int_equal(pl.host[0].v, 1);
		assert_int_equal(pl.host[1].v, 2);
		assert_int_equal(pl.host[2].v, 1);
		placement_release(&pl);
	}
	assert_int_equal(placement_make(g.p, NULL, 3, 0, 0, &pl, &g.cfg, &err), -1);
	assert_non_null(strstr(err.text, "has 2 places"));
	assert_int_equal(platform_first_computing(g.p).v, 1);
	assert_int_equal(platform_computes(g.p, (struct host_id){3}), 0);
	platform_add_up(g.p, &sum);
	assert_true(sum.slowest == 2 && sum.fastest == 3);
	snprintf(text, sizeof text,
	         "%s:2: a host of speed 0 computes nothing: no rank is placed on it\n", g.path);
	assert_non_null(strstr(g.cfg.notices.s, text));
	assert_null(strstr(strstr(g.cfg.notices.s, text) + strlen(text), "speed 0"));
	fixture_release(&g);
}

/* A hostfile is begun again while the hosts in it have cores: n1 has two, however often it is
 * named, n2 one. */
static void cores_of_the_hosts_named(void **state)
{
	static const struct {
		const char *hosts;
		uint32_t most;
	} rows[] = {{"n1\n", 2}, {"n1\nn1\n", 2}, {"n2\n", 1}, {"n1\nn2\n", 3}, {"n2:4\n", 4}};
	struct fixture g;

	(void)state;
	fixture_must_read(&g,
	                  "<platform version='4.1'>\n<zone id='w' routing='Full'>"
	                  "<host id='n1' speed='3f' core='2'/><host id='n2' speed='2f'/>"
	                  "<host id='n3' speed='2f' core='8'/></zone></platform>",
	                  NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct placement pl;
		struct fixture file;
		struct err err;

		fixture_write(&file, rows[i].hosts);
		for (uint32_t np = 1; np <= 5; np++) {
			int got = placement_make(g.p, file.path, np, 0, PLACEMENT_CORES, &pl,
			                         &g.cfg, &err);

			assert_int_equal(got, np <= rows[i].most ? 0 : -1);
			if (got == 0)
				placement_release(&pl);
			else
				assert_non_null(strstr(err.text, "(--oversubscribe)"));
		}
		unlink(file.path);
	}
	fixture_release(&g);
}

static void by_name_in_compat(void **state)
{
	(void)state;
	assert_string_equal(place(NULL, 13, 1, 0), "k n0 n1 n10 n2 n3 n4 n5 n6 n7 n8 n9 z:1");
}

static void hostfile_forms(void **state)
{
	(void)state;
	assert_string_equal(
	    place("n3\n\n  n1  # two\nz:1\nk:2\nn2 slots=2 max_slots=4\r\nz:1:2", 9, 0, 0),
	    "n3 n1 z:1 k k n2 n2 z:1 z:1");
	assert_string_equal(place("n3:2\nk", 2, 0, 0), "n3 n3");
	assert_string_equal(place("\xef\xbb\xbfn3\nk max-slots=4", 2, 0, 0), "n3 k");
	assert_string_equal(place("\xef\xbb\xbf# UTF-8\r\nk\r\n", 1, 0, 0), "k");
}

static void more_ranks_than_places(void **state)
{
	(void)state;
	assert_null(place("n1\nn2", 3, 0, 0));
	assert_non_null(strstr(f.err.text, "3 ranks, but "));
	assert_non_null(strstr(f.err.text, "has 2 places"));
	assert_string_equal(place("n1\nn2:2", 5, 0, 1), "n1 n2 n2 n1 n2");
	assert_non_null(strstr(f.cfg.notices.s, "5 ranks share the 3 places"));
	assert_null(place(NULL, 14, 0, 0));
}

static void refused(const char *hostfile, const char *part)
{
	assert_null(place(hostfile, 1, 0, 0));
	if (!strstr(f.err.text, part))
		fail_msg("%s is not in: %s", part, f.err.text);
}

static void bad_hostfiles(void **state)
{
	(void)state;
	refused("n0\n n11\n", ":2:2: platform '");
	refused("n11:2\n", "has no host 'n11'");
	refused("n[0-3]\n", "scontrol show hostnames");
	refused("n0,n1\n", "one host a line");
	refused("n1:0\n", ":1:4: expected a count");
	refused("n1 slots=0\n", ":1:10: expected a count");
	refused("n1 cores=2\n", ":1:4: expected 'slots=count'");
	refused("# nothing\n", "names no host");
	refused("# mine\nrank 0=n1 slot=0\n", ":2:1: this is a rankfile");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(declaration_order_by_default),
	    cmocka_unit_test(none_on_idle_hosts),
	    cmocka_unit_test(by_name_in_compat),
	    cmocka_unit_test(cores_of_the_hosts_named),
	    cmocka_unit_test(hostfile_forms),
	    cmocka_unit_test(more_ranks_than_places),
	    cmocka_unit_test(bad_hostfiles),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
