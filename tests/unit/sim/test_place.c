/* test_place.c: ranks on hosts in mpirun's words, on three hosts of 4, 4 and 2 cores. */
#include "sim/sim.h"

#include "test.h"
#include "tmp.h"

#include <unistd.h>

static int nothing_open(void *self, uint32_t np, struct sim_about *about, struct str *notices,
                        struct err *err)
{
	(void)notices;
	(void)err;
	about->ranks = np;
	about->mpi = self;
	return 0;
}

static void nothing_close(void *self)
{
	(void)self;
}

static void check(const char *mpi, enum sim_map map, uint32_t ppn, uint32_t ranks,
                  const char *expected, const char *why)
{
	static const char text[] =
	    "<platform version='4.1'><zone id='z' routing='Full'>"
	    "<host id='a' speed='1Gf' core='4'/><host id='b' speed='1Gf' core='4'/>"
	    "<host id='c' speed='1Gf' core='2'/></zone></platform>";
	char path[] = "/tmp/orrery-place-XXXXXX", name[16], got[64] = "";
	size_t n = 0;
	struct sim_source source = {
	    .self = (void *)(uintptr_t)mpi, .open = nothing_open, .close = nothing_close};
	struct sim_options o = {.machine = path, .ranks = ranks, .map = map, .ppn = ppn};
	int fd = mkstemp(path);
	struct err err;
	struct sim *s;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
	close(fd);
	s = sim_new(&o, &source, &err);
	unlink(path);
	if (!expected) {
		assert_null(s);
		assert_non_null(strstr(err.text, "--oversubscribe"));
		return;
	}
	if (!s)
		fail_msg("%s", err.text);
	for (uint32_t i = 0; i < ranks; i++)
		n += (size_t)snprintf(got + n, sizeof got - n, "%s",
		                      platform_host_name(sim_platform(s), sim_placement(s)->host[i],
		                                         name, sizeof name));
	assert_string_equal(got, expected);
	assert_string_equal(sim_placement_why(s), why);
	sim_free(s);
}

static void words(void **state)
{
	(void)state;
	check("Open MPI v4.1.4", SIM_MAP_DEFAULT, 0, 6, "aaaabb",
	      "filling hosts, as the trace's MPI library does");
	check(NULL, SIM_MAP_DEFAULT, 0, 6, "abcabc", "round the hosts");
	check("My MPI", SIM_MAP_DEFAULT, 0, 4, "abca", "round the hosts");
	check("MPICH 4.0.2", SIM_MAP_ROUND, 0, 5, "abcab", "round the hosts, as asked for");
	check(NULL, SIM_MAP_ROUND, 0, 10, "abcabcabab", "round the hosts, as asked for");
	check(NULL, SIM_MAP_FILL, 3, 9, "aaabbbccc", "filling hosts, as asked for");
	check(NULL, SIM_MAP_FILL, 0, 10, "aaaabbbbcc", "filling hosts, as asked for");
	check(NULL, SIM_MAP_DEFAULT, 2, 5, "aabbc", "filling hosts, as asked for");
	check(NULL, SIM_MAP_ROUND, 3, 6, "ababab", "round the hosts, as asked for");
	check(NULL, SIM_MAP_FILL, 1, 4, NULL, NULL);
	check("MPICH 4.0.2", SIM_MAP_DEFAULT, 0, 11, NULL, NULL);
}

/* Two ranks on a host of one core compute twice as long: said, and not where there are cores. */
static void more_ranks_than_cores_are_told(void **state)
{
	static const struct {
		int cores[2];
		uint32_t ppn, ranks;
		const char *told;
	} cases[] = {{{1, 1}, 2, 4, "2 ranks on each host"},
	             {{1, 1}, 1, 2, NULL},
	             {{4, 4}, 4, 4, NULL},
	             {{4, 4}, 8, 2, NULL},
	             {{4, 4}, 8, 5, "5 ranks on each host"},
	             {{4, 1}, 2, 3, NULL},
	             {{4, 1}, 2, 4, "has 1 core:"}};
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[512], machine[256];
		struct sim_replay r = {0};
		struct sim_source source = sim_replay_source(&r);
		struct sim_options o = {.machine = machine, .ppn = cases[i].ppn};
		struct str trace;
		struct err err;
		struct sim *s;

		snprintf(text, sizeof text,
		         "<platform version='4.1'><zone id='z' routing='Full'>"
		         "<host id='a' speed='1Gf' core='%d'/><host id='b' speed='1Gf' core='%d'/>"
		         "</zone></platform>",
		         cases[i].cores[0], cases[i].cores[1]);
		snprintf(machine, sizeof machine, "%s", tmp_write(&tmp, "p.xml", text));
		str_init(&trace);
		for (uint32_t k = 0; k < cases[i].ranks; k++)
			str_printf(&trace, "%u init\n%u finalize\n", k, k);
		r.path = tmp_write(&tmp, "t.tit", trace.s);
		s = sim_new(&o, &source, &err);
		if (!s)
			fail_msg("%s", err.text);
		assert_ok(sim_run(s, &err), err);
		if (cases[i].told)
			assert_non_null(strstr(sim_notices(s), cases[i].told));
		else
			assert_null(strstr(sim_notices(s), "take turns"));
		sim_free(s);
		str_release(&trace);
	}
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words),
	    cmocka_unit_test(more_ranks_than_cores_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
