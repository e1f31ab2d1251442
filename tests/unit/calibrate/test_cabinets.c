/* test_cabinets.c: hosts that share links, made up; flows between them simulated with max-min
 * rates (made_up_flows.h); the cabinets and the capacity of their links come back. */
#include "made_up_flows.h"

static void measured(const struct truth *t, uint64_t seed, struct net_raw *raw)
{
	net_raw_init(raw);
	loads_measured(t, NULL, seed, raw);
}

/* In order or not, of one size or not, links of one to two and a half hosts' rate; 2 % of noise.
 * The capacity within 4 %. */
static void found(void **state)
{
	static const struct truth cases[] = {
	    {.hosts = 8, .of = {0, 0, 0, 0, 1, 1, 1, 1}, .uplink = 2, .noise = 0.02, .setup = 2e-3},
	    {.hosts = 8,
	     .of = {0, 0, 0, 0, 1, 1, 1, 1},
	     .uplink = 2.5,
	     .noise = 0.02,
	     .setup = 2e-3},
	    {.hosts = 8, .of = {0, 0, 1, 1, 2, 2, 3, 3}, .uplink = 1, .noise = 0.02, .setup = 2e-3},
	    {.hosts = 8, .of = {0, 0, 0, 1, 1, 1, 1, 1}, .uplink = 2, .noise = 0.02, .setup = 2e-3},
	    {.hosts = 8,
	     .of = {0, 1, 0, 1, 0, 1, 0, 1},
	     .uplink = 1.5,
	     .noise = 0.02,
	     .setup = 2e-3},
	    {.hosts = 9,
	     .of = {0, 0, 0, 1, 1, 2, 2, 2, 2},
	     .uplink = 1,
	     .noise = 0.02,
	     .setup = 2e-3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		for (uint64_t seed = 1; seed <= 3; seed++) {
			struct net_raw raw;
			struct net_cabinets c;
			struct str doubts;
			struct err err;

			measured(&cases[i], seed, &raw);
			str_init(&doubts);
			assert_ok(net_cabinets_find(&raw, NULL, &c, &doubts, &err), err);
			if (!same_partition(&cases[i], &c) ||
			    fabs(c.uplink / cases[i].uplink / RATE - 1) > 0.04 || doubts.n)
				fail_msg("case %zu, seed %d: %d cabinets (%d%d%d%d%d%d%d%d), link "
				         "%g; %s",
				         i, (int)seed, c.n, c.of[0], c.of[1], c.of[2], c.of[3],
				         c.of[4], c.of[5], c.of[6], c.of[7], c.uplink / RATE,
				         doubts.n ? doubts.s : "");
			net_raw_cabinets(&raw, &c);
			assert_int_equal(raw.rows[raw.n - 1].far,
			                 cases[i].of[raw.rows[raw.n - 1].src] !=
			                     cases[i].of[raw.rows[raw.n - 1].dst]);
			net_raw_release(&raw);
			str_release(&doubts);
		}
	}
}

/* One switch that has enough for all: no cabinets, nothing to doubt. One that has not: no cabinets,
 * and a word about it; so with noise of 40 %. Three hosts: not enough to say. */
static void none(void **state)
{
	static const struct {
		struct truth t;
		int doubtful;
	} cases[] = {
	    {{.hosts = 8, .noise = 0.02, .setup = 2e-3}, 0},
	    {{.hosts = 8, .of = {0, 0, 0, 0, 1, 1, 1, 1}, .uplink = 5, .noise = 0.02}, 0},
	    {{.hosts = 8, .backbone = 3, .noise = 0.02},
	     0}, /* all flows are as slow: network_fit.c tells it beside one alone */
	    {{.hosts = 8, .noise = 0.4}, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct net_raw raw;
		struct net_cabinets c;
		struct str doubts;
		struct err err;

		measured(&cases[i].t, 1, &raw);
		str_init(&doubts);
		assert_ok(net_cabinets_find(&raw, NULL, &c, &doubts, &err), err);
		if (c.n != 1 || (doubts.n > 0) != cases[i].doubtful)
			fail_msg("case %zu: %d cabinets; %s", i, c.n, doubts.n ? doubts.s : "");
		net_raw_release(&raw);
		str_release(&doubts);
	}
}

/* Given: the link is measured; a partition that the rates speak against is told. */
static void given(void **state)
{
	static const struct truth t = {
	    .hosts = 8, .of = {0, 0, 0, 0, 1, 1, 1, 1}, .uplink = 2, .noise = 0.02, .setup = 2e-3};
	struct net_cabinets right = {.n = 2, .hosts = 8, .of = {0, 0, 0, 0, 1, 1, 1, 1}}, c;
	struct net_cabinets wrong = {.n = 4, .hosts = 8, .of = {0, 0, 1, 1, 2, 2, 3, 3}};
	struct net_raw raw;
	struct str doubts;
	struct err err;

	(void)state;
	measured(&t, 1, &raw);
	str_init(&doubts);
	assert_ok(net_cabinets_find(&raw, &right, &c, &doubts, &err), err);
	assert_true(c.n == 2 && fabs(c.uplink / RATE - 2) < 0.08 && doubts.n == 0);
	assert_ok(net_cabinets_find(&raw, &wrong, &c, &doubts, &err), err);
	assert_int_equal(c.n, 4);
	assert_non_null(strstr(doubts.s, "for other cabinets"));
	net_raw_release(&raw);
	str_release(&doubts);
}

/* Given, and nothing is known of what the last host sent: it is where it was said to be. */
static void given_of_a_silent_host(void **state)
{
	static const struct truth t = {
	    .hosts = 8, .of = {0, 0, 0, 0, 1, 1, 1, 1}, .uplink = 2, .noise = 0.02, .setup = 2e-3};
	struct net_cabinets told = {.n = 2, .hosts = 8, .of = {0, 0, 0, 0, 1, 1, 1, 1}}, c;
	struct net_raw raw;
	struct str doubts;
	struct err err;
	uint32_t kept = 0;

	(void)state;
	measured(&t, 1, &raw);
	for (uint32_t i = 0; i < raw.n; i++)
		if (raw.rows[i].src != 7 && raw.rows[i].dst != 7)
			raw.rows[kept++] = raw.rows[i];
	raw.n = kept;
	str_init(&doubts);
	assert_ok(net_cabinets_find(&raw, &told, &c, &doubts, &err), err);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.hosts, 8);
	assert_memory_equal(c.of, told.of, 8 * sizeof *c.of);
	assert_true(c.uplink > RATE && c.uplink < 3 * RATE); /* what it sent is missing */
	net_raw_release(&raw);
	str_release(&doubts);
}

/* One host of eight sends at 0.7 of the others' rate, or receives so, or both: it is named, with an
 * interval that holds 1 / 0.7 or nearly (what is measured goes on while others end), nobody else
 * is. */
static void slow_host(void **state)
{
	static const struct {
		struct truth t;
		int sends, receives;
	} cases[] = {
	    {{.hosts = 8, .noise = 0.02, .setup = 2e-3, .out = 0.7}, 1, 0},
	    {{.hosts = 8, .noise = 0.02, .setup = 2e-3, .in = 0.7}, 0, 1},
	    {{.hosts = 8, .noise = 0.02, .setup = 2e-3, .out = 0.7, .in = 0.7}, 1, 1},
	    {{.hosts = 12,
	      .of = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1},
	      .uplink = 4,
	      .noise = 0.02,
	      .out = 0.5},
	     1,
	     0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char sends[80], receives[80];
		struct net_raw raw;
		struct net_cabinets c;
		struct str told;
		struct err err;
		int lines = 0;

		snprintf(sends, sizeof sends,
		         "host %d stands apart: where all hosts send at once, "
		         "what it sends takes 1.",
		         cases[i].t.hosts - 2);
		snprintf(receives, sizeof receives,
		         "host %d stands apart: where all hosts send at "
		         "once, what it receives takes 1.",
		         cases[i].t.hosts - 2);
		measured(&cases[i].t, 1, &raw);
		str_init(&told);
		assert_ok(net_cabinets_find(&raw, NULL, &c, &told, &err), err);
		for (const char *p = told.s; p && (p = strstr(p, "stands apart")); p++)
			lines++;
		if (!told.s || (strstr(told.s, sends) != NULL) != cases[i].sends ||
		    (strstr(told.s, receives) != NULL) != cases[i].receives ||
		    lines != cases[i].sends + cases[i].receives)
			fail_msg("case %zu: %d cabinets; %s", i, c.n, told.s ? told.s : "");
		net_raw_release(&raw);
		str_release(&told);
	}
}

/* No host is slow: of 40 networks 5 % name one, 6 is three deviations more. */
static void false_alarms(void **state)
{
	enum { NETWORKS = 40 };
	static const struct truth t = {.hosts = 8, .noise = 0.04, .setup = 2e-3};
	int named = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
		struct net_raw raw;
		struct net_cabinets c;
		struct str told;
		struct err err;

		measured(&t, seed, &raw);
		str_init(&told);
		assert_ok(net_cabinets_find(&raw, NULL, &c, &told, &err), err);
		named += told.n && strstr(told.s, "stands apart");
		net_raw_release(&raw);
		str_release(&told);
	}
	assert_in_range(named, 0, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(found),     cmocka_unit_test(none),
	    cmocka_unit_test(given),     cmocka_unit_test(given_of_a_silent_host),
	    cmocka_unit_test(slow_host), cmocka_unit_test(false_alarms)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
