/* test_library.c: which selector and thresholds a trace's MPI library means. */
#include "replay/library.h"

#include "coll/coll.h"
#include "test.h"

static void selectors_of_libraries(void **state)
{
	static const struct {
		const char *mpi, *selector;
		double eager;
	} cases[] = {
	    {"Open MPI v4.1.4", "ompi-4", 65536},
	    {"Open MPI 4.1.4", "ompi-4", 65536},
	    {"Open MPI v4.0.7", "ompi-1.7", 65536},
	    {"Open MPI v5.0.3", "ompi-5", 65536},
	    {"Open MPI v1.10.7", "ompi-1.7", 65536},
	    {"MPICH 4.0.2", "mpich-4", 16384},
	    {"MPICH 3.3.2", "mpich", 131072},
	    {"CRAY MPICH version 8.1.23.11 (ANL base 3.4a2)", "mpich-4", 16384},
	    {"CRAY MPICH version 7.7.10 (ANL base 3.2)", "mpich", 8192},
	    {"MPICH2 Version:\t1.5", "mpich", 131072},
	    {"MVAPICH2 Version      :\t2.3.7", "mvapich2", 17408},
	    {"MVAPICH Version      :\t3.0", "mvapich2", 17408},
	    {"MVAPICH-Plus Version      :\t4.0", "mvapich2", 17408},
	    {"Open MPI v3.1.0, package: IBM Spectrum MPI, ident: 10.03.01.00rtm0", "ompi-1.7",
	     65536},
	    {"FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)", "ompi-1.7", 65536},
	    {"Intel(R) MPI Library 2021.5 for Linux* OS", "impi", 262144},
	};
	static const char *const none[] = {"",           "?",
	                                   "Open MPI",   "My MPI 3.1",
	                                   "XMPICH 4.0", "HPE MPT 2.23  08/26/20 02:54:49-root"};
	double eager;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *s = library_selector(cases[i].mpi, &eager);

		if (!s)
			fail_msg("%s: none", cases[i].mpi);
		assert_string_equal(s, cases[i].selector);
		assert_double_is(eager, cases[i].eager);
		assert_non_null(coll_selector_find(s));
	}
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_null(library_selector(none[i], &eager));
}

static void check(const char *mpi, const char *settings, enum config_source from,
                  const char *selector, double eager, const char *reason)
{
	struct config cfg;
	struct str why;
	struct err err;

	str_init(&why);
	assert_ok(config_init(&cfg, &err), err);
	if (settings)
		assert_ok(config_set_all(&cfg, settings, from, &err), err);
	assert_ok(library_apply(mpi, "trace", &cfg, &why, &err), err);
	assert_string_equal(config_text(&cfg, CFG_SMPI_COLL_SELECTOR), selector);
	assert_double_is(config_number(&cfg, CFG_SMPI_EAGER), eager);
	assert_string_equal(why.s, reason);
	str_release(&why);
	config_release(&cfg);
}

static void only_where_nobody_chose(void **state)
{
	(void)state;
	check("MPICH 4.0.2", NULL, CFG_FROM_USER, "mpich-4", 16384, "as the trace's MPICH 4.0.2");
	check("MPICH 4.0.2", "smpi/coll-selector:ompi", CFG_FROM_USER, "ompi", 16384,
	      "as asked for");
	check("MPICH 4.0.2", "smpi/coll-selector:ompi", CFG_FROM_PLATFORM, "ompi", 16384,
	      "as the machine says");
	check("MPICH 4.0.2", "smpi/async-small-thresh:100", CFG_FROM_PLATFORM, "mpich-4", 100,
	      "as the trace's MPICH 4.0.2");
	check("MPICH 4.0.2", "smpi/send-is-detached-thresh:9000", CFG_FROM_USER, "mpich-4", 0,
	      "as the trace's MPICH 4.0.2");
	check("MPICH 4.0.2", "compat:simgrid-3.32", CFG_FROM_USER, "default", 0, "as in SimGrid");
	check(NULL, NULL, CFG_FROM_USER, "default", 0, "the trace names no MPI library");
	check("?", NULL, CFG_FROM_USER, "default", 0, "the trace names no MPI library");
	check(
	    "HPE MPT 2.23  08/26/20", NULL, CFG_FROM_USER, "ompi-4", 0,
	    "nothing is known of the trace's MPI library (HPE MPT 2.23  08/26/20): taken for Open "
	    "MPI 4.1");
	check("HPE MPT 2.23", "smpi/coll-selector:mpich-4", CFG_FROM_USER, "mpich-4", 0,
	      "as asked for");
	check("HPE MPT 2.23", "compat:simgrid-3.32", CFG_FROM_USER, "default", 0, "as in SimGrid");
	check("FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0)", NULL, CFG_FROM_USER, "ompi-1.7", 65536,
	      "as the trace's FUJITSU MPI Library 4.0.0 (4.0.1fj4.0.0), taken for Open MPI 4.0");
	assert_int_equal(library_is_assumed("MPICH 4.0.2"), 0);
	assert_int_equal(library_is_assumed("CRAY MPICH version 7.7.10 (ANL base 3.2)"), 1);
	assert_int_equal(library_is_assumed("HPE MPT 2.23"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(selectors_of_libraries),
	    cmocka_unit_test(only_where_nobody_chose),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
