/* test_manifest.c: the manifest of a trace folder. */
#include "unit/trace/trace_test.h"

static void written_and_read(void **state)
{
	struct trace_manifest m = {.program = (char *)(uintptr_t) "./cg",
	                           .arguments = (char *)(uintptr_t) "-n 4\nx: y",
	                           .ranks = 8,
	                           .hosts = (char *)(uintptr_t) "a,b",
	                           .nominal_rate = 2.5e9,
	                           .complete = 1,
	                           .threads = 0.12,
	                           .untraced = (char *)(uintptr_t) "12 MPI_Put, 3 MPI_Get"};
	struct trace_manifest back;
	struct err err;
	char dir[64];

	(void)state;
	folder_make(dir);
	assert_ok(trace_manifest_write(dir, &m, &err), err);
	assert_ok(trace_manifest_read(dir, &back, &err), err);
	assert_string_equal(back.program, "./cg");
	assert_string_equal(back.arguments, "-n 4 x: y"); /* a value is one line */
	assert_string_equal(back.hosts, "a,b");
	assert_string_equal(back.mpi, "");
	assert_string_equal(back.untraced, "12 MPI_Put, 3 MPI_Get");
	assert_int_equal(back.ranks, 8);
	assert_double_is(back.nominal_rate, 2.5e9);
	assert_int_equal(back.complete, 1);
	assert_double_is(back.threads, 0.12);
	assert_double_is(back.beside, 0);
	trace_manifest_release(&back);
	folder_remove(dir);
}

static void other_keys_are_passed_over(void **state)
{
	struct trace_manifest m;
	struct err err;
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	file_make(path, dir, "manifest",
	          "# orrery-manifest 1\nflavour: vanilla\nranks: 3\nprogram:x\ncomplete: no\n");
	assert_ok(trace_manifest_read(dir, &m, &err), err);
	assert_int_equal(m.ranks, 3);
	assert_string_equal(m.program, "x");
	assert_int_equal(m.complete, 0);
	trace_manifest_release(&m);
	folder_remove(dir);
}

static void bad_manifests(void **state)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
	    {"ranks: 3\n", "manifest:1: not a manifest of this version"},
	    {"# orrery-manifest 1\n", "manifest: no line 'ranks: <number>' in this manifest"},
	    {"# orrery-manifest 1\nranks: x\n",
	     "manifest:2: ranks: expected a number of ranks, found 'x'"},
	    {"# orrery-manifest 1\nranks: 0\n", "expected a number of ranks, found '0'"},
	    {"# orrery-manifest 1\nranks: 1\ncomplete: maybe\n",
	     "manifest:3: complete: expected yes or no, found 'maybe'"},
	    {"# orrery-manifest 1\nnominal_rate: -1\n", "expected a rate per second"},
	    {"# orrery-manifest 1\nranks: 1\nthreads: many\n",
	     "manifest:3: threads: expected seconds, found 'many'"},
	    {"# orrery-manifest 1\nbeside: -2\n", "expected seconds, found '-2'"},
	};
	struct trace_manifest m;
	struct err err;
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	assert_fails(trace_manifest_read(dir, &m, &err), err, ERR_INPUT, "manifest: No such file");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		file_make(path, dir, "manifest", cases[i].text);
		assert_fails(trace_manifest_read(dir, &m, &err), err, ERR_INPUT, cases[i].part);
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(written_and_read),
	    cmocka_unit_test(other_keys_are_passed_over),
	    cmocka_unit_test(bad_manifests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
