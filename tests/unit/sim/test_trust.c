/* test_trust.c: the line of trust: its width by hand, what it draws, the class that a program is
 * in, and that the model's residual holds the errors that were published for programs nothing was
 * chosen by. */
#include "sim/sim.h"

#include "test.h"
#include "tmp.h"

#include <math.h>
#include <stdlib.h>

static void width_by_hand(void **state)
{
	struct sim_trust t = {.deviation = 0.1, .residual = {.below = 0.04, .above = 0.01}};

	(void)state;
	assert_close(trust_reach(&t).below, 1 - exp(-sqrt(0.196 * 0.196 + 0.17212 * 0.17212)),
	             1e-9);
	assert_close(trust_reach(&t).above, exp(sqrt(0.196 * 0.196 + 0.04303 * 0.04303)) - 1, 1e-9);
	assert_close(trust_width(&t), trust_reach(&t).below, 1e-12);
}

/* A time is never less than nothing: where nothing is known of the computation, 95 % of what is
 * drawn (e^±0.98) lie from 0.375 to 2.664 times the prediction, and that is what the line says. */
static void wide_ones_are_factors(void **state)
{
	struct sim_trust t = {.n = 1,
	                      .item = {{.what = "computation",
	                                .state = TRUST_ASSUMED,
	                                .deviation = 0.5,
	                                .share = 0.95,
	                                .text = "as traced"}},
	                      .deviation = 0.5};
	int inside = 0, n = 2001;
	struct str line;

	(void)state;
	assert_close(trust_reach(&t).below, 1 - 0.37531, 1e-4);
	assert_close(trust_reach(&t).above, 2.66446 - 1, 1e-4);
	for (int i = 0; i < n; i++) {
		double d = trust_draw(&t, (uint64_t)i + 1);

		inside += d > 1 - trust_reach(&t).below && d < 1 + trust_reach(&t).above;
	}
	assert_close((double)inside / n, 0.95, 0.01);
	str_init(&line);
	trust_text(&t, &line);
	assert_string_equal(line.s,
	                    "trust: computation: assumed, as traced (a factor of 2.7 either way of "
	                    "95 % of the time); in all about -62 to +166 %\n");
	str_release(&line);
}

/* A part of a time of 0 s says nothing. */
static void nothing_is_off_where_nothing_takes_time(void **state)
{
	struct sim_trust t = {.empty = 1, .residual = {.below = 0.04, .above = 0.01}};
	struct str line;
	struct json j;

	(void)state;
	str_init(&line);
	trust_text(&t, &line);
	assert_string_equal(line.s, "trust: nothing takes time, so there is nothing to be off\n");
	str_clear(&line);
	json_init(&j, &line);
	trust_json(&t, &j);
	assert_non_null(strstr(line.s, "\"below_95\":null,\"above_95\":null"));
	str_release(&line);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { DRAWS = 20001 };

/* By class: what tools/residuals works out of tests/residuals.csv. */
static const struct trust_sides OF_SHORT = {0.138, 0.031}, OF_OTHERS = {0.044, 0.038},
                                OF_POLLING = {0.094, 0.032};

/* P(|t| < x) of two degrees is x / sqrt(2 + x^2): half within 0.8165, 95 % within 4.303; of the
 * half that is negative too, and of the other one with another scale. */
static void draws_have_the_law(void **state)
{
	static double draw[DRAWS];
	struct sim_trust t = {.residual = {.below = 0.02, .above = 0.01}},
	                 normal = {.deviation = 0.1};

	(void)state;
	for (int i = 0; i < DRAWS; i++)
		draw[i] = log(trust_draw(&t, (uint64_t)i + 1));
	qsort(draw, DRAWS, sizeof *draw, by_value);
	assert_close(draw[DRAWS / 4], -0.01633, 0.03);
	assert_close(draw[DRAWS * 3 / 4], 0.008165, 0.03);
	assert_close(draw[DRAWS * 25 / 1000], -0.08606, 0.06);
	assert_close(draw[DRAWS * 975 / 1000], 0.04303, 0.06);
	for (int i = 0; i < DRAWS; i++)
		draw[i] = log(trust_draw(&normal, (uint64_t)i + 1));
	qsort(draw, DRAWS, sizeof *draw, by_value);
	assert_true(fabs(draw[DRAWS / 2]) < 0.005);
	assert_close(draw[DRAWS * 975 / 1000], 0.196, 0.05);
}

/* The errors of "Other programs" in docs/validation.md, all cells of the form
 * "+1.2": at least nine of ten lie within what 95 % of a run's residual is, and it is not wide. */
static void published_errors_lie_within(void **state)
{
	static const char file[] = TEST_SRC "/docs/validation.md";
	struct sim_trust t = {.residual = OF_OTHERS}; /* of most programs (src/sim/trust.c) */
	struct err err;
	size_t n;
	char *text = input_read_all(file, &n, &err), *at;
	int cells = 0, inside = 0;

	(void)state;
	assert_non_null(text);
	at = strstr(text, "\n## Other programs\n");
	assert_non_null(at);
	while ((at = strpbrk(at, "+-"))) {
		char *end;
		double e = strtod(at, &end) / 100;

		if (at[-1] == ' ' && at[-2] == '|' && end > at + 1 && end[0] == ' ' &&
		    end[1] == '|') {
			cells++;
			inside += fabs(e) < (e > 0 ? trust_reach(&t).below : trust_reach(&t).above);
		}
		at++;
	}
	free(text);
	assert_true(cells >= 230);
	if (inside < 0.9 * cells)
		fail_msg("%d of %d inside", inside, cells);
	assert_true(trust_width(&t) < 0.2);
}

/* What is said of a program of two ranks on a small machine: lines between init and finalize. */
static struct sim_trust trust_with(const char *lines, struct sim_replay r,
                                   const struct sim_setting *setting, uint32_t n)
{
	static const char flat[] = "<platform version='4.1'><cluster id='c' prefix='n' suffix='' "
	                           "radical='0-1' speed='1Gf' bw='100MBps' lat='10us'/></platform>";
	struct tmp tmp;
	char machine[256], trace[4096];
	struct sim_source source = sim_replay_source(&r);
	struct sim_options o = {
	    .machine = machine, .setting = setting, .n_settings = n, .profile = 1};
	struct sim_trust t;
	struct err err = {0};
	struct sim *s;

	tmp_init(&tmp);
	snprintf(machine, sizeof machine, "%s", tmp_write(&tmp, "p.xml", flat));
	snprintf(trace, sizeof trace, "0 init\n1 init\n%s0 finalize\n1 finalize\n", lines);
	r.path = tmp_write(&tmp, "t.tit", trace);
	assert_non_null(s = sim_new(&o, &source, &err));
	assert_ok(sim_run(s, &err), err);
	sim_trust(s, &t);
	sim_free(s);
	tmp_release(&tmp);
	return t;
}

static struct sim_trust trust_of(const char *lines, enum replay_computation computation)
{
	return trust_with(lines, (struct sim_replay){.computation = computation}, NULL, 0);
}

static void residual_is(const char *lines, struct trust_sides wanted)
{
	struct trust_sides found = trust_of(lines, REPLAY_VOLUME).residual;

	assert_close(found.below, wanted.below, 1e-9);
	assert_close(found.above, wanted.above, 1e-9);
}

/* Where durations are replayed because the user says so, nothing is executed at the machine's
 * speed, and how far off that is nobody can say. */
static void recorded_durations_are_called_so(void **state)
{
	static const char lines[] = "0 compute 1e9 t=2\n1 compute 1e9 t=2\n";
	struct sim_trust told = trust_of(lines, REPLAY_RECORDED),
	                 volumes = trust_of(lines, REPLAY_VOLUME);

	(void)state;
	assert_string_equal(told.item[0].what, "computation");
	assert_string_equal(told.item[0].text, "recorded durations, as asked for");
	assert_int_equal(told.item[0].state, TRUST_ASSUMED);
	assert_true(told.item[0].deviation < 0);
	assert_string_equal(volumes.item[0].text, "volumes at the machine's speed");
}

/* Computations without a duration go by their volumes at the machine's speed, 1 Gf, whatever was
 * asked for: of 3 + 1 s that is a quarter, which nobody answers for; of 1 s all. */
static void durations_that_are_missing_are_assumed(void **state)
{
	struct sim_trust some = trust_of("0 compute 1e9 t=3\n0 compute 1e9\n"
	                                 "1 compute 1e9 t=3\n1 compute 1e9\n",
	                                 REPLAY_RECORDED),
	                 none = trust_of("0 compute 1e9\n1 compute 1e9\n", REPLAY_RECORDED);
	static const char said[] = "without a recorded duration, volumes at the machine's speed";

	(void)state;
	assert_int_equal(some.n, 2);
	assert_string_equal(some.item[0].text, "recorded durations, as asked for");
	assert_close(some.item[0].share, 3. / 4, 1e-12);
	assert_string_equal(some.item[1].what, "computation");
	assert_string_equal(some.item[1].text, said);
	assert_int_equal(some.item[1].state, TRUST_ASSUMED);
	assert_close(some.item[1].share, 1. / 4, 1e-12);
	assert_close(some.deviation, 0.5 / 4, 1e-12);
	assert_int_equal(none.n, 1);
	assert_string_equal(none.item[0].text, said);
	assert_close(none.deviation, 0.5, 1e-12);
}

/* Volumes of which nobody says what they count are as far off in compat as outside of it (docs: a
 * factor of 2.7, e^(1.96 * 0.5), either way). Where the user says that they are the machine's, how
 * far off that is is not ours to say. */
static void assumed_volumes_have_a_factor(void **state)
{
	static const char lines[] = "0 compute 1e9\n1 compute 1e9\n";
	const struct sim_setting compat = {NULL, "compat:simgrid-3.32"};
	struct sim_trust here = trust_of(lines, REPLAY_VOLUME),
	                 there = trust_with(lines, (struct sim_replay){0}, &compat, 1),
	                 told = trust_with(lines, (struct sim_replay){.volumes_as_they_are = 1},
	                                   NULL, 0);

	(void)state;
	assert_close(here.item[0].deviation, 0.5, 1e-12);
	assert_string_equal(there.item[0].text, "volumes at the machine's speed");
	assert_int_equal(there.item[0].state, TRUST_ASSUMED);
	assert_close(there.item[0].deviation, 0.5, 1e-12);
	assert_close(there.deviation, 0.5, 1e-12);
	assert_string_equal(told.item[0].text, "volumes at the machine's speed, as asked for");
	assert_true(told.item[0].deviation < 0);
}

/* A sleep lasts as long on every machine: of the 4 s of the rank that ends last 1 is computation,
 * whatever the other one does. */
static void sleeps_are_no_computation(void **state)
{
	struct sim_trust all = trust_of("0 sleep 3\n0 compute 1e9\n1 sleep 3.5\n", REPLAY_VOLUME),
	                 idle = trust_of("0 sleep 3\n0 compute 1e9\n1 sleep 2\n", REPLAY_VOLUME),
	                 none = trust_of("0 sleep 3\n1 sleep 4\n", REPLAY_VOLUME);

	(void)state;
	assert_int_equal(all.n, 1);
	assert_string_equal(all.item[0].what, "computation");
	assert_close(all.item[0].share, 1. / 4, 1e-12);
	assert_close(all.deviation, 0.5 / 4, 1e-12);
	assert_close(idle.item[0].share, 1. / 4, 1e-12);
	assert_int_equal(none.n, 0);
	assert_close(none.deviation, 0, 0);
}

/* What decides the time is what the end depended on: 1 s of rank 0, which rank 1 waits for, a
 * message of 1 s (97 % of 100 MB/s), and 2 s of rank 1: of 4 s 3 are computation. Or rank 1
 * computes until the message has come: all is computation. */
static void shares_are_of_the_path(void **state)
{
	struct sim_trust waits = trust_of("0 compute 1e9\n0 send 1 7 99000000 6\n0 compute 1e8\n"
	                                  "1 recv 0 7 99000000 6\n1 compute 2e9\n",
	                                  REPLAY_VOLUME),
	                 works = trust_of("0 compute 1e9\n0 send 1 7 1000 6\n"
	                                  "1 compute 3e9\n1 recv 0 7 1000 6\n1 compute 2e9\n",
	                                  REPLAY_VOLUME);

	(void)state;
	assert_string_equal(waits.item[0].what, "computation");
	assert_close(waits.item[0].share, 3. / 4, 0.02);
	assert_string_equal(waits.item[1].what, "network");
	assert_close(waits.item[1].share, 1 - waits.item[0].share, 1e-12);
	assert_close(works.item[0].share, 1, 1e-3);
}

/* Nor may the model be off: of the part that the rank which sleeps least (3 of 4 s; 2 of 4 s; not
 * at all) does something else, and of nothing where both sleep all the time. */
static void sleeps_are_exact(void **state)
{
	static const struct trust_sides quarter = {0.044 / 4, 0.038 / 4},
	                                half = {0.044 / 2, 0.038 / 2}, none = {0, 0};

	(void)state;
	residual_is("0 sleep 3\n0 compute 1e9\n1 sleep 4\n", quarter);
	residual_is("0 sleep 3\n0 compute 1e9\n1 sleep 2\n", half);
	residual_is("0 compute 4e9\n1 sleep 4\n", OF_OTHERS);
	residual_is("0 sleep 4\n1 sleep 4\n", none);
}

#define MESSAGE(bytes) "0 send 1 7 " #bytes " 6\n1 recv 0 7 " #bytes " 6\n"

/* docs/validation.md: programs whose messages have fewer than 300 bytes in the mean are off more.
 */
static void short_messages_are_a_class(void **state)
{
	(void)state;
	residual_is(MESSAGE(100) MESSAGE(100), OF_SHORT);
	residual_is(MESSAGE(100000), OF_OTHERS);
	residual_is(MESSAGE(1) MESSAGE(1) MESSAGE(100000), OF_OTHERS);
	residual_is(MESSAGE(600) MESSAGE(1) MESSAGE(1), OF_SHORT);
}

/* Looks for a message, one for ten messages or more; a wait is no look. */
static void looks_are_a_class(void **state)
{
#define LATE "1 irecv 0 9 100000 6\n0 send 1 9 100000 6\n"
#define FIVE MESSAGE(100000) MESSAGE(100000) MESSAGE(100000) MESSAGE(100000) MESSAGE(100000)
	(void)state;
	residual_is(LATE "1 test 0 1 9\n1 test 0 1 9\n1 wait 0 1 9\n", OF_POLLING);
	residual_is(LATE "1 wait 0 1 9\n", OF_OTHERS);
	residual_is(LATE "1 test 0 1 9\n1 wait 0 1 9\n" FIVE FIVE FIVE, OF_OTHERS);
}

/* What trust says of the network of a machine whose head says that it was measured. */
static struct trust_item network_of(const struct sim_setting *setting, uint32_t n)
{
	static const char measured[] =
	    "<?xml version='1.0'?>\n<!-- A machine\n  calibration: measured -->\n"
	    "<platform version='4.1'><cluster id='c' prefix='n' suffix='' "
	    "radical='0-1' speed='1Gf' bw='100MBps' lat='10us'/></platform>";
	struct tmp tmp;
	char machine[256];
	struct sim_replay r = {0};
	struct sim_source source = sim_replay_source(&r);
	struct sim_options o = {
	    .machine = machine, .setting = setting, .n_settings = n, .profile = 1};
	struct trust_item found = {0};
	struct sim_trust t;
	struct err err = {0};
	struct sim *s;

	tmp_init(&tmp);
	snprintf(machine, sizeof machine, "%s", tmp_write(&tmp, "p.xml", measured));
	r.path = tmp_write(&tmp, "t.tit",
	                   "0 init\n1 init\n0 send 1 7 1000 6\n1 recv 0 7 1000 6\n"
	                   "0 finalize\n1 finalize\n");
	assert_non_null(s = sim_new(&o, &source, &err));
	assert_ok(sim_run(s, &err), err);
	sim_trust(s, &t);
	for (int i = 0; i < t.n; i++)
		if (!strcmp(t.item[i].what, "network"))
			found = t.item[i];
	sim_free(s);
	tmp_release(&tmp);
	return found;
}

/* A measured network is measured for the hybrid model and its own factors. */
static void what_replaces_a_measurement_is_assumed(void **state)
{
	static const struct {
		struct sim_setting setting;
		enum trust_state state;
	} cases[] = {{{"network/model", "hybrid"}, TRUST_PUBLISHED},
	             {{"smpi/os", "0:0:0"}, TRUST_PUBLISHED},
	             {{"network/model", "LV08"}, TRUST_ASSUMED},
	             {{"network/model", "CM02"}, TRUST_ASSUMED},
	             {{"network/latency-factor", "2"}, TRUST_ASSUMED},
	             {{"network/bandwidth-factor", "0.5"}, TRUST_ASSUMED}};

	(void)state;
	assert_int_equal(network_of(NULL, 0).state, TRUST_PUBLISHED);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trust_item found = network_of(&cases[i].setting, 1);

		if (found.state != cases[i].state)
			fail_msg("%s:%s: %s", cases[i].setting.name, cases[i].setting.value,
			         found.text);
		assert_true(found.state == TRUST_PUBLISHED ? found.deviation < 0.1
		                                           : found.deviation > 0.4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(width_by_hand),
	    cmocka_unit_test(wide_ones_are_factors),
	    cmocka_unit_test(nothing_is_off_where_nothing_takes_time),
	    cmocka_unit_test(draws_have_the_law),
	    cmocka_unit_test(published_errors_lie_within),
	    cmocka_unit_test(recorded_durations_are_called_so),
	    cmocka_unit_test(durations_that_are_missing_are_assumed),
	    cmocka_unit_test(assumed_volumes_have_a_factor),
	    cmocka_unit_test(sleeps_are_no_computation),
	    cmocka_unit_test(shares_are_of_the_path),
	    cmocka_unit_test(sleeps_are_exact),
	    cmocka_unit_test(short_messages_are_a_class),
	    cmocka_unit_test(looks_are_a_class),
	    cmocka_unit_test(what_replaces_a_measurement_is_assumed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
