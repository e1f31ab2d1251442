/* prop_json.c: what verbs print as JSON, on random programs and machines. It is JSON (json_text.h);
 * its figures are those that the same verb prints in words or as CSV, and those that are counted
 * here from what was drawn: actions, bytes, who sends to whom, hosts and links of a generated
 * machine, the mean and the interval of several runs. */
#include "../../unit/cli/verb.h"
#include "../prop.h"
#include "json_text.h"

#include <math.h>

enum { RANKS = 5, ROUNDS = 30 };

struct program {
	int ranks, actions, messages, barriers;
	double bytes, volume, sent[RANKS][RANKS];
	int count[RANKS][RANKS];
	char path[256], machine[256];
	struct tmp tmp;
};

/* Computations, messages from one to another, barriers of all: each is over before the next. */
static void program_draw(struct rng *r, struct program *p)
{
	struct str text;

	memset(p, 0, sizeof *p);
	p->ranks = (int)prop_from(r, 2, RANKS);
	str_init(&text);
	for (int i = 0; i < p->ranks; i++)
		str_printf(&text, "%d init\n", i);
	for (uint32_t n = prop_from(r, 1, ROUNDS); n > 0; n--) {
		int a = (int)rng_below(r, (uint64_t)p->ranks),
		    b = (a + 1 + (int)rng_below(r, (uint64_t)p->ranks - 1)) % p->ranks;
		double v = (double)rng_below(r, 1000000);

		switch (rng_below(r, 3)) {
		case 0:
			str_printf(&text, "%d compute %.0f\n", a, v);
			p->volume += v;
			p->actions++;
			break;
		case 1:
			str_printf(&text, "%d send %d 7 %.0f 6\n%d recv %d 7 %.0f 6\n", a, b, v, b,
			           a, v);
			p->bytes += v;
			p->sent[a][b] += v;
			p->count[a][b]++;
			p->messages++;
			p->actions += 2;
			break;
		default:
			for (int i = 0; i < p->ranks; i++)
				str_printf(&text, "%d barrier\n", i);
			p->barriers++;
			p->actions += p->ranks;
		}
	}
	for (int i = 0; i < p->ranks; i++)
		str_printf(&text, "%d finalize\n", i);
	p->actions += 2 * p->ranks;
	tmp_init(&p->tmp);
	snprintf(p->path, sizeof p->path, "%s", tmp_write(&p->tmp, "p.tit", text.s));
	snprintf(p->machine, sizeof p->machine, "%s", tmp_path(&p->tmp, "m.xml"));
	str_release(&text);
}

static double json_is(const struct ran *r, const char *path, double wanted)
{
	double v = json_number_at(r->out, path);

	if (fabs(v - wanted) > 1e-12 * fabs(wanted))
		fail_msg("%s is %.17g, not %.17g", path, v, wanted);
	return v;
}

/* Named after an action in by_action: its events; none: it is not there. */
static void events_are(const struct ran *r, const char *action, int wanted)
{
	char path[64];

	snprintf(path, sizeof path, "by_action/%s", action);
	if (wanted == 0) {
		assert_null(json_at(r->out, path));
		return;
	}
	snprintf(path, sizeof path, "by_action/%s/events", action);
	json_is(r, path, wanted);
}

static void info_counts(const struct program *p)
{
	static struct ran json, text, matrix;
	char line[64];

	RUNS(&json, "info", p->path, "--json");
	assert_json(json.out);
	json_is(&json, "ranks", p->ranks);
	json_is(&json, "actions", p->actions);
	json_is(&json, "bytes_sent", p->bytes);
	json_is(&json, "volume", p->volume);
	events_are(&json, "send", p->messages);
	events_are(&json, "recv", p->messages);
	events_are(&json, "barrier", p->barriers * p->ranks);
	RUNS(&text, "info", p->path);
	snprintf(line, sizeof line, "actions    %d\n", p->actions);
	PRINTS(text.out, line);
	RUNS(&matrix, "info", p->path, "--matrix");
	for (int a = 0; a < p->ranks; a++)
		for (int b = 0; b < p->ranks; b++) {
			snprintf(line, sizeof line, "\n%d,%d,%d,%.0f\n", a, b, p->count[a][b],
			         p->sent[a][b]);
			if (p->count[a][b] && !strstr(matrix.out, line))
				fail_msg("no \"%s\" in %s", line, matrix.out);
			snprintf(line, sizeof line, "\n%d,%d,", a, b);
			if (!p->count[a][b] && strstr(matrix.out, line))
				fail_msg("\"%s\" in %s", line, matrix.out);
		}
}

/* Shares of the time add up to 1; seconds of each class are those of the functions in it. */
static void profile_adds_up(const struct ran *r, int ranks)
{
	static const char *const classes[] = {"compute", "p2p",   "coll", "io",
	                                      "wait",    "other", "idle"};
	double share = 0, seconds = 0, whole = 0, makespan;
	char path[64];

	makespan = json_number_at(r->out, "profile/makespan");
	json_is(r, "simulated_time", makespan);
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		snprintf(path, sizeof path, "shares/%s", classes[i]);
		share += json_number_at(r->out, path);
		snprintf(path, sizeof path, "profile/classes/%s/seconds", classes[i]);
		seconds += json_number_at(r->out, path);
	}
	for (long i = json_count_at(r->out, "profile/functions"); i > 0; i--) {
		snprintf(path, sizeof path, "profile/functions[%ld]/seconds", i - 1);
		whole += json_number_at(r->out, path);
	}
	if (makespan > 0) {
		assert_true(fabs(share - 1) < 1e-9);
		assert_close(seconds, ranks * makespan, 1e-9);
		/* What is in no function is idle or between calls. */
		assert_true(whole <= seconds * (1 + 1e-9));
	}
	assert_int_equal(json_count_at(r->out, "profile/per_rank"), ranks);
}

static void replay_agrees(const struct program *p)
{
	static struct ran json, text;
	double time;

	RUNS(&json, "replay", p->path, "-p", p->machine, "--json", "--per-rank", "-q");
	assert_json(json.out);
	json_is(&json, "ranks", p->ranks);
	json_is(&json, "actions", p->actions);
	json_is(&json, "message_bytes", p->bytes);
	json_is(&json, "collectives", p->barriers * p->ranks);
	profile_adds_up(&json, p->ranks);
	time = json_number_at(json.out, "simulated_time");
	RUNS(&text, "replay", p->path, "-p", p->machine, "-q");
	if (fabs(number_after(text.out, "simulated time: ") - time) > 0.6e-9)
		fail_msg("%.17g s in JSON, and %s", time, text.out);
}

/* The mean, its deviation and Student's interval, and quantiles, from the times that are listed. */
static void runs_agree(const struct program *p, uint64_t seed)
{
	enum { TIMES = 5 };
	static const double t975_of_4 = 2.776445;
	static struct ran r;
	double time[TIMES], mean = 0, square = 0;
	char text[32], path[32];

	snprintf(text, sizeof text, "%llu", (unsigned long long)seed % 1000 + 1);
	RUNS(&r, "replay", p->path, "-p", p->machine, "--json", "--runs", "5", "--seed", text,
	     "--cfg", "noise/run-network:0.1", "--cfg", "noise/run-compute:0.1", "-q");
	assert_json(r.out);
	json_is(&r, "runs", TIMES);
	assert_int_equal(json_count_at(r.out, "times"), TIMES);
	for (int i = 0; i < TIMES; i++) {
		snprintf(path, sizeof path, "times[%d]", i);
		time[i] = json_number_at(r.out, path);
		mean += time[i] / TIMES;
	}
	for (int i = 0; i < TIMES; i++)
		square += (time[i] - mean) * (time[i] - mean);
	assert_close(json_number_at(r.out, "simulated_time"), mean, 1e-9);
	if (square == 0)
		return;
	assert_close(json_number_at(r.out, "deviation"), sqrt(square / (TIMES - 1)), 1e-6);
	assert_close(json_number_at(r.out, "mean_95"),
	             t975_of_4 * sqrt(square / (TIMES - 1) / TIMES), 2e-3);
	for (int i = 0; i < TIMES; i++) /* the middle one is the median */
		for (int k = 0, below = 0; k < TIMES; k++) {
			below += time[k] < time[i];
			if (k == TIMES - 1 && below == TIMES / 2)
				json_is(&r, "quantiles/0.50", time[i]);
		}
}

static void machine_write(struct rng *r, const struct program *p, uint32_t hosts)
{
	static struct ran ran;
	char number[16], speed[32], bandwidth[32], latency[32];

	snprintf(number, sizeof number, "%u", hosts);
	snprintf(speed, sizeof speed, "%u.5Gf", prop_from(r, 1, 20));
	snprintf(bandwidth, sizeof bandwidth, "%uMBps", prop_from(r, 10, 10000));
	snprintf(latency, sizeof latency, "%uus", prop_from(r, 1, 50));
	RUNS(&ran, "platform", "generate", "flat", number, "--speed", speed, "--bandwidth",
	     bandwidth, "--latency", latency, "--cores", "2", "-o", p->machine);
	assert_string_equal(ran.out, "");
	RUNS(&ran, "platform", "show", p->machine, "--json", "--hosts", "-q");
	assert_json(ran.out);
	json_is(&ran, "hosts", hosts);
	json_is(&ran, "cores", 2 * hosts);
	json_is(&ran, "slowest_core", 1e9 * strtod(speed, NULL));
	assert_int_equal(json_count_at(ran.out, "host_list"), hosts);
	RUNS(&ran, "platform", "show", p->machine, "--route", "node-0,node-1", "--json");
	assert_json(ran.out);
	json_is(&ran, "latency", 2e-6 * strtod(latency, NULL)); /* up and down */
	json_is(&ran, "links[0]/bandwidth", 1e6 * strtod(bandwidth, NULL));
	assert_int_equal(json_count_at(ran.out, "links"), 2);
	RUNS(&ran, "platform", "check", p->machine, "--json");
	assert_json(ran.out);
	json_is(&ran, "hosts", hosts);
}

static void random_programs(void **state)
{
	struct prop_run prop = prop_begin(8);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct program p;
		struct rng r;

		rng_init(&r, prop.seed + i, "json", 0);
		program_draw(&r, &p);
		machine_write(&r, &p, prop_from(&r, 3, 9));
		info_counts(&p);
		replay_agrees(&p);
		runs_agree(&p, prop.seed + i);
		tmp_release(&p.tmp);
	}
}

/* --- algorithms --- */

/* Each line of the CSV is a time of the JSON. */
static void table_agrees(const char *csv, const char *json)
{
	int lines = 0;

	assert_true(!strncmp(csv, "operation,ranks,bytes,algorithm,seconds,", 40));
	for (const char *p = strchr(csv, '\n') + 1; *p; p = strchr(p, '\n') + 1, lines++) {
		char algorithm[64], path[128];
		unsigned ranks, bytes;
		long cell = json_count_at(json, "cells");
		const char *at;
		int n = 0;

		assert_int_equal(
		    sscanf(p, "%*[^,],%u,%u,%63[^,],%n", &ranks, &bytes, algorithm, &n), 3);
		while (cell-- > 0) {
			snprintf(path, sizeof path, "cells[%ld]/ranks", cell);
			if (json_number_at(json, path) != ranks)
				continue;
			snprintf(path, sizeof path, "cells[%ld]/bytes", cell);
			if (json_number_at(json, path) == bytes)
				break;
		}
		assert_true(cell >= 0 && n > 0);
		snprintf(path, sizeof path, "cells[%ld]/algorithms/%s", cell, algorithm);
		at = json_at(json, path);
		/* given up, as it takes far longer than the fastest; not for so many ranks */
		if (p[n] == ',')
			assert_true(!at || !strncmp(at, "null", 4));
		else if (json_number_at(json, path) != strtod(p + n, NULL))
			fail_msg("%s: %s in the CSV", path, p + n);
	}
	assert_true(lines > 8);
}

/* The fastest of a cell is the least of its times. */
static void fastest_are(const char *json)
{
	for (long i = json_count_at(json, "cells"); i > 0; i--) {
		char path[64];
		double least;

		snprintf(path, sizeof path, "cells[%ld]/seconds", i - 1);
		least = json_number_at(json, path);
		snprintf(path, sizeof path, "cells[%ld]/algorithms", i - 1);
		for (const char *p = json_at(json, path); *p != '}'; p++)
			if (*p == ':' && strncmp(p, ":null", 5) != 0)
				assert_true(strtod(p + 1, NULL) >= least);
	}
}

static void algorithms(void **state)
{
	static const char *const operations[] = {"bcast", "allreduce", "alltoall", "gather",
	                                         "reduce_scatter"};
	struct prop_run prop = prop_begin(2);
	static struct ran json, made;
	static char csv[65536];

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct program p;
		struct rng r;
		char path[300], bytes[32];

		rng_init(&r, prop.seed + i, "algorithms", 0);
		program_draw(&r, &p);
		RUNS(&made, "platform", "generate", "flat", "8", "-o", p.machine);
		snprintf(path, sizeof path, "%s", tmp_path(&p.tmp, "times.csv"));
		snprintf(bytes, sizeof bytes, "%u,%u", prop_from(&r, 1, 100),
		         prop_from(&r, 1000, 100000));
		RUNS(&json, "coll", operations[rng_below(&r, 5)], "-p", p.machine, "-n", "3,5",
		     "--bytes", bytes, "--json", "--csv", path, i % 2 ? "-q" : "--full", "-j", "1");
		assert_json(json.out);
		assert_int_equal(json_count_at(json.out, "cells"), 4);
		table_agrees(file_text(path, csv, sizeof csv), json.out);
		fastest_are(json.out);
		tmp_release(&p.tmp);
	}
}

/* --- the checker --- */

/* A test of the test: what is JSON, and what is not (RFC 8259). */
static void the_checker_checks(void **state)
{
	static const char *const right[] = {"0",
	                                    "-0.5e+3",
	                                    "\"\"",
	                                    "\"\\u00e9\\n\"",
	                                    "[]",
	                                    "{}",
	                                    " [1 , {\"a\":null}] \n",
	                                    "{\"a\":1,\"b\":{\"a\":2}}",
	                                    "true"};
	static const char *const wrong[] = {"",
	                                    "01",
	                                    "1.",
	                                    ".5",
	                                    "+1",
	                                    "nan",
	                                    "inf",
	                                    "[1,]",
	                                    "{\"a\":}",
	                                    "{a:1}",
	                                    "\"\t\"",
	                                    "\"\\x\"",
	                                    "{\"a\":1,\"a\":2}",
	                                    "1 2",
	                                    "[1 2]",
	                                    "\"abc",
	                                    "{\"a\"}",
	                                    "\"\\u12\"",
	                                    "[1",
	                                    "1e",
	                                    "--1",
	                                    "truefalse"};

	(void)state;
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		if (!json_is_right(right[i]))
			fail_msg("is JSON: %s", right[i]);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (json_is_right(wrong[i]))
			fail_msg("is no JSON: %s", wrong[i]);
	assert_double_is(json_number_at("{\"a\":[1,{\"b\":-2.5}]}", "a[1]/b"), -2.5);
	assert_int_equal(json_count_at("{\"a\":[1,{\"b\":2},[]]}", "a"), 3);
	assert_int_equal(json_count_at("{\"a\":[]}", "a"), 0);
	assert_null(json_at("{\"a\":[1]}", "a[1]"));
	assert_null(json_at("{\"ab\":1}", "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_checker_checks),
	                                   cmocka_unit_test(random_programs),
	                                   cmocka_unit_test(algorithms)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
