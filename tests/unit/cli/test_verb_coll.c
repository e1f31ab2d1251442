/* What `orrery coll` and `tune` print, write and refuse. Two hosts share a link of 1 us and 1 GB/s;
 * a message of n bytes takes 1e-6 + (n + 16) / 1e9, two at once share the link. */
#include "verb.h"

#include <math.h>

/* The seconds of an algorithm in the CSV; NAN: it has none, as it cannot run. */
static double seconds_of(const char *csv, const char *row)
{
	char key[128];
	const char *at;

	snprintf(key, sizeof key, "\n%s,", row);
	at = strstr(csv, key);
	if (!at)
		fail_msg("no row %s in: %s", row, csv);
	at += strlen(key);
	return *at == ',' ? NAN : strtod(at, NULL);
}

static void broadcasts_by_hand(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUNS(&r, "coll", "bcast", "-p", f.machine, "-q", "--cfg", PLAIN, "--np", "2", "--bytes",
	     "1000,2000", "--csv", "-");
	PRINTS(r.out, "operation,ranks,bytes,algorithm,seconds,selectors\n");
	assert_close(seconds_of(r.out, "bcast,2,1000,binomial_tree"), 1e-6 + 1016e-9, 1e-9);
	assert_close(seconds_of(r.out, "bcast,2,2000,binomial_tree"), 1e-6 + 2016e-9, 1e-9);
	/* half is scattered, then both halves are exchanged on the one link */
	assert_close(seconds_of(r.out, "bcast,2,1000,scatter_LR_allgather"),
	             (1e-6 + 516e-9) + (1e-6 + 2 * 516e-9), 1e-9);
	assert_true(isnan(seconds_of(r.out, "bcast,2,1000,arrival_pattern_aware")));
	tmp_release(&f.tmp);
}

/* A barrier of two ranks: empty messages both ways at once; 16 bytes each on the link. */
static void a_barrier_has_no_bytes(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUNS(&r, "coll", "barrier", "-p", f.machine, "-q", "--cfg", PLAIN, "--np", "2", "--csv",
	     "-");
	assert_close(seconds_of(r.out, "barrier,2,0,ompi_recursivedoubling"), 1e-6 + 2 * 16e-9,
	             1e-9);
	tmp_release(&f.tmp);
}

static void figures_as_json_and_picture(void **state)
{
	static char text[1 << 20];
	struct files f;
	char svg[600];
	struct ran r;

	(void)state;
	files_init(&f);
	snprintf(svg, sizeof svg, "%s/x.svg", f.tmp.dir);
	RUNS(&r, "coll", "bcast", "-p", f.machine, "-q", "--cfg", PLAIN, "--np", "2", "--bytes",
	     "1000", "--json", "--svg", svg, "--threads", "1");
	assert_int_equal(r.out[0], '{');
	PRINTS(r.out, "\"binomial_tree\"");
	PRINTS(file_text(svg, text, sizeof text), "</svg>");
	/* Overheads are set, though to 0: then the ranking is the user's. */
	PRINTS(r.out, "\"means_little\":false");
	RUNS(&r, "coll", "bcast", "-p", f.machine, "-q", "--np", "2", "--bytes", "1000", "--json");
	PRINTS(r.out, "\"means_little\":true");
	RUNS(&r, "coll", "bcast", "-p", f.machine, "-q", "--np", "2", "--bytes", "1000");
	PRINTS(r.out, "this ranking means little");
	/* Every flow model has them. */
	RUNS(&r, "coll", "bcast", "-p", f.machine, "-q", "--np", "2", "--bytes", "1000", "--cfg",
	     "network/model:cm02");
	PRINTS(r.out, "this ranking means little");
	tmp_release(&f.tmp);
}

static void coll_refuses(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	REFUSED(&r, "one operation is wanted", "coll", "-p", f.machine);
	REFUSED(&r, "one operation is wanted", "coll", "bcast", "reduce", "-p", f.machine);
	REFUSED(&r, "there is no operation \"bcst\"; did you mean bcast; there are:", "coll",
	        "bcst", "-p", f.machine);
	REFUSED(&r, "there is no operation \"qqqqq\"; there are:", "coll", "qqqqq", "-p",
	        f.machine);
	REFUSED(&r, "at least one rank", "coll", "bcast", "-p", f.machine, "--np", "0");
	REFUSED(&r, "--np", "coll", "bcast", "-p", f.machine, "--np", "8..4");
	REFUSED(&r, "--bytes", "coll", "bcast", "-p", f.machine, "--bytes", "many");
	REFUSED(&r, "--threads", "coll", "bcast", "-p", f.machine, "--np", "2", "--threads", "0");
	REFUSED(&r, "selector", "coll", "bcast", "-p", f.machine, "--selector", "mine");
	RUN(&r, "coll", "bcast", "-p", f.machine, "--csv", "/nonexistent/x.csv");
	assert_int_equal(r.code, -1);
	assert_string_equal(r.out, "");
	tmp_release(&f.tmp);
}

/* Open MPI's file: one collective, one size of communicators, rules of message sizes. */
static void a_tuning_file(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUNS(&r, "tune", "-p", f.machine, "-q", "--cfg", PLAIN, "--np", "2", "--bytes", "8",
	     "--operations", "bcast", "--threads", "1");
	PRINTS(r.out, "1 ");   /* collectives, */
	PRINTS(r.out, "\n7 "); /* broadcast's number in coll_base_functions.h: 7 */
	PRINTS_NOT(r.out, "mean little");
	RUNS(&r, "tune", "-p", f.machine, "-q", "--np", "2", "--bytes", "8", "--operations",
	     "bcast", "--threads", "1");
	assert_true(strncmp(r.out, "# These rules mean little", 25) == 0); /* the first line */
	REFUSED(&r, "bcst", "tune", "-p", f.machine, "--operations", "bcst");
	REFUSED(&r, "there is no format \"lam\"", "tune", "-p", f.machine, "--format", "lam");
	tmp_release(&f.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(broadcasts_by_hand),
	    cmocka_unit_test(a_barrier_has_no_bytes),
	    cmocka_unit_test(figures_as_json_and_picture),
	    cmocka_unit_test(coll_refuses),
	    cmocka_unit_test(a_tuning_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
