/* test_place.c: ranks on hosts in mpirun's words, on three hosts of 4, 4 and 2 cores. */
#include "sim/sim.h"

#include "test.h"

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
	    "<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf' core='4'/>"
	    "<host id='b' speed='1Gf' core='4'/><host id='c' speed='1Gf' core='2'/></zone></platform>";
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
	check("MPICH 4.0.2", SIM_MAP_ROUND, 0, 5, "abcab", "round the hosts, as told");
	check(NULL, SIM_MAP_FILL, 0, 10, "aaaabbbbcc", "filling hosts, as told");
	check(NULL, SIM_MAP_DEFAULT, 2, 5, "aabbc", "filling hosts, as told");
	check(NULL, SIM_MAP_ROUND, 3, 6, "ababab", "round the hosts, as told");
	check(NULL, SIM_MAP_FILL, 1, 4, NULL, NULL);
	check("MPICH 4.0.2", SIM_MAP_DEFAULT, 0, 11, NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
