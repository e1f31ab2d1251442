/* Verbs in this process: tables that agree with themselves, words of the command line, and what the
 * verbs print and refuse. */
#include "verb.h"

/* --- tables --- */

static int option_of(const struct verb *v, int id)
{
	int n = 0;

	for (const struct option_row *o = v->options; o && o->id; o++)
		n += o->id == id;
	return n;
}

static void tables_agree_with_themselves(void **state)
{
	(void)state;
	for (const struct verb *const *v = verbs; *v; v++) {
		assert_ptr_equal(verb_find((*v)->name), *v);
		assert_true((*v)->synopsis && (*v)->summary && (*v)->text && (*v)->run);
		for (const struct option_row *o = (*v)->options; o && o->id; o++) {
			assert_int_equal(option_of(*v, o->id), 1);
			assert_true(o->name && *o->name && o->help && *o->help);
			assert_true(o->letter != 'q' && o->letter != 'h');
			for (const struct option_row *p = o + 1; p->id; p++) {
				assert_string_not_equal(o->name, p->name);
				assert_true(!o->letter || o->letter != p->letter);
			}
		}
		for (const int *o = (*v)->outputs; o && *o; o++)
			assert_int_equal(option_of(*v, *o), 1);
	}
}

/* --- words --- */

enum { OPT_FILE = 1, OPT_NUMBER, OPT_FLAG };
static const struct option_row rows[] = {{OPT_FILE, 'o', "output", "FILE", "a file"},
                                         {OPT_NUMBER, 'n', "np", "N", "a number"},
                                         {OPT_FLAG, 0, "fast", NULL, "a flag"},
                                         {0, 0, NULL, NULL, NULL}};
static const struct verb verb_of_rows = {.name = "try", .options = rows};
static const struct verb verb_of_command = {.name = "try", .options = rows, .command = 1};

static int parse_as(const struct verb *verb, struct args *a, struct err *err,
                    const char *const *words)
{
	static char *v[32];
	int n = 0;

	for (; words[n]; n++)
		v[n] = (char *)(uintptr_t)words[n];
	v[n] = NULL;
	return args_parse(verb, n, v, a, err);
}
static int parse(struct args *a, struct err *err, const char *const *words)
{
	return parse_as(&verb_of_rows, a, err, words);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void words_of_all_forms(void **state)
{
	struct args a;
	struct err err = {0};
	int64_t n = 7;

	(void)state;
	assert_ok(parse_as(&verb_of_command, &a, &err,
	                   WORDS("one", "-ofirst", "--output", "second", "--np=3", "--fast", "two",
	                         "-q", "--", "-n", "x")),
	          err);
	assert_int_equal(a.n_positional, 2);
	assert_string_equal(a.positional[1], "two");
	assert_string_equal(args_get(&a, OPT_FILE), "second"); /* the last */
	assert_true(args_has(&a, OPT_FLAG) && a.quiet);
	assert_ok(args_int(&a, &verb_of_rows, OPT_NUMBER, 1, 5, &n, &err), err);
	assert_int_equal(n, 3);
	assert_int_equal(a.n_rest, 2);
	assert_string_equal(a.rest[0], "-n");
	assert_fails(args_int(&a, &verb_of_rows, OPT_NUMBER, 4, 5, &n, &err), err, ERR_INPUT,
	             "--np");
	args_release(&a);
	/* without a command, words that begin with a dash */
	assert_ok(parse(&a, &err, WORDS("one", "--", "-n", "x")), err);
	assert_int_equal(a.n_positional, 3);
	assert_string_equal(a.positional[1], "-n");
	assert_int_equal(a.n_rest, 0);
	args_release(&a);
}

static void words_that_are_refused(void **state)
{
	struct args a;
	struct err err = {0};

	(void)state;
	assert_fails(parse(&a, &err, WORDS("--outptu", "x")), err, ERR_INPUT, "--output");
	assert_fails(parse(&a, &err, WORDS("-x")), err, ERR_INPUT, "-x");
	assert_fails(parse(&a, &err, WORDS("-o")), err, ERR_INPUT, "-o");
	assert_fails(parse(&a, &err, WORDS("--fast=1")), err, ERR_INPUT, "--fast");
}

/* --- replay --- */

static void a_replay_prints_its_time(void **state)
{
	struct files f;
	struct ran r;
	const char *line;

	(void)state;
	files_init(&f);
	RUN(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation",
	    "volume");
	assert_int_equal(r.code, 0);
	assert_non_null(line = strstr(r.out, "\nsimulated time: 2.000002016 s\n"));
	assert_int_equal(line[strlen("\nsimulated time: 2.000002016 s\n")], '\0'); /* the last */
	RUN(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation", "none",
	    "--json");
	assert_int_equal(r.code, 0);
	assert_non_null(line = strstr(r.out, "\"simulated_time\":"));
	assert_close(strtod(line + strlen("\"simulated_time\":"), NULL), 1e-6 + 1016e-9, 1e-12);
	RUN(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--profile");
	assert_non_null(strstr(r.out, "MPI_Recv"));
	tmp_release(&f.tmp);
}

static void a_replay_refuses(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	REFUSED(&r, "one trace is wanted, 0", "replay", "-p", f.machine);
	REFUSED(&r, "one trace is wanted, 2", "replay", f.trace, f.trace, "-p", f.machine);
	REFUSED(&r, "on which machine", "replay", f.trace);
	REFUSED(&r, "'quick'", "replay", f.trace, "-p", f.machine, "--computation", "quick");
	REFUSED(&r, "--seed goes with --runs", "replay", f.trace, "-p", f.machine, "--seed", "3");
	REFUSED(&r, "those of one run", "replay", f.trace, "-p", f.machine, "--runs", "3",
	        "--profile");
	REFUSED(&r, "--runs", "replay", f.trace, "-p", f.machine, "--runs", "1");
	REFUSED(&r, "smpi/osx", "replay", f.trace, "-p", f.machine, "--cfg", "smpi/osx:0");
	REFUSED(&r, "3 ranks, but p has 2 places", "replay", f.trace, "-p", f.machine, "-n", "3");
	tmp_release(&f.tmp);
}

static void a_program_that_fails_is_no_bad_usage(void **state)
{
	struct files f;
	struct ran r;
	const char *waits;

	(void)state;
	files_init(&f);
	waits = tmp_write(&f.tmp, "w.tit", "0 recv 1 1 8 6\n1 recv 0 1 8 6\n");
	RUN(&r, "replay", waits, "-p", f.machine, "-q");
	assert_int_equal(r.code, -1);
	assert_int_equal(r.err.kind, ERR_PROGRAM);
	assert_string_equal(r.out, "");
	tmp_release(&f.tmp);
}

/* --- the others --- */

static void info_counts(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUN(&r, "info", "--json", f.trace);
	assert_int_equal(r.code, 0);
	assert_non_null(strstr(r.out, "\"ranks\":2"));
	REFUSED(&r, "nowhere.tit", "info", "nowhere.tit");
	tmp_release(&f.tmp);
}

static void platform_checks(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUN(&r, "platform", "check", f.machine);
	assert_int_equal(r.code, 0);
	assert_non_null(strstr(r.out, "2 hosts"));
	RUN(&r, "platform", "list");
	assert_non_null(strstr(r.out, "graphene"));
	REFUSED(&r, "grafene", "platform", "show", "grafene");
	tmp_release(&f.tmp);
}

static void coll_and_tune_refuse(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	REFUSED(&r, "bcst", "coll", "bcst", "-p", f.machine);
	REFUSED(&r, "on which machine", "coll", "bcast");
	REFUSED(&r, "no bytes", "coll", "barrier", "-p", f.machine, "--bytes", "8");
	REFUSED(&r, "lammpi", "tune", "-p", f.machine, "--format", "lammpi");
	REFUSED(&r, "on which machine", "tune", "-q");
	tmp_release(&f.tmp);
}

static void trace_wants_a_command(void **state)
{
	struct ran r;

	(void)state;
	REFUSED(&r, "give -o DIR", "trace", "-o", "/tmp/none");
	REFUSED(&r, "--rate", "trace", "-o", "/tmp/none", "--rate", "fast", "--", "true");
	REFUSED(&r, "linked with MPI", "trace", "-o", "/tmp/none", "--", "true");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tables_agree_with_themselves),
	    cmocka_unit_test(words_of_all_forms),
	    cmocka_unit_test(words_that_are_refused),
	    cmocka_unit_test(a_replay_prints_its_time),
	    cmocka_unit_test(a_replay_refuses),
	    cmocka_unit_test(a_program_that_fails_is_no_bad_usage),
	    cmocka_unit_test(info_counts),
	    cmocka_unit_test(platform_checks),
	    cmocka_unit_test(coll_and_tune_refuse),
	    cmocka_unit_test(trace_wants_a_command),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
