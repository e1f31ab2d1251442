/* test_cabinets.c: hosts that share links, made up; flows between them simulated with max-min
 * rates, messages arriving one by one; the cabinets and the capacity of their links come back. */
#include "test.h"

#include "base/rng.h"
#include "calibrate/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16, MESSAGES = 3 };
#define RATE 1e7

struct truth {
	int hosts, of[MOST];
	double uplink;   /* of a cabinet, each way, in rates of a host; 0: none */
	double backbone; /* of all flows together; 0: none */
	double noise, setup;
	double out,
	    in; /* rate of the last host but one, sending and receiving; 0: like the others' */
};

struct way {
	int a, b, arrived;
	double done, rate; /* messages */
};

/* Rates grow together by small steps until a link on the way is full: slow, and nothing to go
 * wrong. */
static void fill(const struct truth *t, struct way *w, int n, double size)
{
	const double step = RATE / 2000;
	double out[MOST] = {0}, in[MOST] = {0}, all = 0, from[MOST] = {0}, to[MOST] = {0};
	int grown = 1;

	for (int i = 0; i < n; i++)
		w[i].rate = 0;
	while (grown) {
		grown = 0;
		for (int i = 0; i < n; i++) {
			int ca = t->of[w[i].a], cb = t->of[w[i].b],
			    apart = ca != cb && t->uplink > 0, slow = t->hosts - 2;
			double most_out = w[i].a == slow && t->out > 0 ? t->out * RATE : RATE,
			       most_in = w[i].b == slow && t->in > 0 ? t->in * RATE : RATE;

			if (w[i].done >= MESSAGES || from[w[i].a] + step > most_out ||
			    to[w[i].b] + step > most_in ||
			    (apart && (out[ca] + step > t->uplink * RATE ||
			               in[cb] + step > t->uplink * RATE)) ||
			    (t->backbone > 0 && all + step > t->backbone * RATE))
				continue;
			w[i].rate += step;
			from[w[i].a] += step;
			to[w[i].b] += step;
			all += step;
			if (apart) {
				out[ca] += step;
				in[cb] += step;
			}
			grown = 1;
		}
	}
	for (int i = 0; i < n; i++)
		w[i].rate /= size;
}

static void row_add(struct net_raw *raw, struct net_row row)
{
	if (raw->n == raw->cap) {
		raw->cap = raw->cap ? 2 * raw->cap : 256;
		raw->rows = realloc(raw->rows, raw->cap * sizeof *raw->rows);
		assert_non_null(raw->rows);
	}
	raw->rows[raw->n++] = row;
}

/* From arrival to arrival, with the rates of the flows that are under way. */
static void block_run(const struct truth *t, struct way *w, int n, int number, double size,
                      struct rng *r, struct net_raw *raw)
{
	double now = t->setup;

	for (;;) {
		double next = INFINITY;

		fill(t, w, n, size);
		for (int i = 0; i < n; i++)
			if (w[i].done < MESSAGES)
				next = fmin(next, (w[i].arrived + 1 - w[i].done) / w[i].rate);
		if (isinf(next))
			return;
		now += next;
		for (int i = 0; i < n; i++) {
			if (w[i].done >= MESSAGES)
				continue;
			w[i].done += w[i].rate * next;
			if (w[i].done < w[i].arrived + 1 - 1e-9)
				continue;
			w[i].done = ++w[i].arrived;
			row_add(raw,
			        (struct net_row){.op = NET_LOAD,
			                         .src = w[i].a,
			                         .dst = w[i].b,
			                         .pairs = number,
			                         .size = size,
			                         .duration = now * (1 + t->noise * rng_normal(r))});
		}
	}
}

static void measured(const struct truth *t, uint64_t seed, struct net_raw *raw)
{
	int ranks[MOST], n = 0, number = 0, a, b, pairs;
	struct net_plan p = {.ranks = t->hosts,
	                     .max_size = 1 << 20,
	                     .seed = seed,
	                     .host_rank = ranks,
	                     .hosts = t->hosts};
	struct way w[MOST];
	struct str plan;
	double size = 0, bytes;
	struct rng r;

	for (int i = 0; i < MOST; i++)
		ranks[i] = i;
	net_raw_init(raw);
	rng_init(&r, seed, "cabinets", 0);
	str_init(&plan);
	net_plan_loads(&p, &plan);
	for (char *line = plan.s; *line; line = strchr(line, '\n') + 1) {
		assert_int_equal(sscanf(line, "load %d %d %lf %d", &a, &b, &bytes, &pairs), 4);
		if (pairs != number && n)
			block_run(t, w, n, number, size, &r, raw);
		n = pairs != number ? 0 : n;
		number = pairs;
		size = bytes;
		w[n++] = (struct way){.a = a, .b = b};
	}
	block_run(t, w, n, number, size, &r, raw);
	str_release(&plan);
}

static int same_partition(const struct truth *t, const struct net_cabinets *c)
{
	for (int i = 0; i < t->hosts; i++)
		for (int k = 0; k < i; k++)
			if ((t->of[i] == t->of[k]) != (c->of[i] == c->of[k]))
				return 0;
	return 1;
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
