/* test_network_apart.c: pairs of hosts that take longer than others, by name; how often one is
 * named where there is none; hosts that are left out. */
#include "made_up.h"

enum { HOSTS = 8, TRIPS = 40 };

/* Round trips between all pairs of eight hosts: 20 us and 1 ns a byte, 3 % of noise, pairs differ
 * by 1 %; of hosts 2 and 5 the latency and what a byte takes are so many times as long. */
static void made(struct rng *r, double latency, double byte, struct net_raw *raw)
{
	static char names[HOSTS][8];

	net_raw_init(raw);
	raw->hosts = calloc(HOSTS, sizeof *raw->hosts);
	raw->host_number = calloc(HOSTS, sizeof *raw->host_number);
	assert_true(raw->hosts && raw->host_number);
	raw->n_hosts = HOSTS;
	for (int h = 0; h < HOSTS; h++) {
		snprintf(names[h], sizeof names[h], "n%d", h);
		raw->hosts[h] = strdup(names[h]);
		raw->host_number[h] = h;
	}
	for (int a = 0; a < HOSTS; a++)
		for (int b = a + 1; b < HOSTS; b++) {
			double pair = 1 + 0.01 * rng_normal(r);
			int slow = a == 2 && b == 5;

			for (int i = 0; i < TRIPS; i++) {
				double s = floor(pow(10, 6.3 * (i + rng_unit(r)) / TRIPS)),
				       half = 20e-6 * (slow ? latency : 1) +
				              1e-9 * s * (slow ? byte : 1);

				made_row(raw,
				         (struct net_row){.op = NET_PINGPONG,
				                          .src = i % 2 ? a : b,
				                          .dst = i % 2 ? b : a,
				                          .pairs = 1,
				                          .size = s,
				                          .duration = 2 * half * pair *
				                                      (1 + 0.03 * rng_normal(r))});
			}
		}
	net_raw_cabinets(raw, &(struct net_cabinets){.n = 1});
}

static const char *told(const struct net_fit *f)
{
	return f->warnings.s ? f->warnings.s : "";
}

static void pairs(void **state)
{
	static const struct {
		double latency, byte;
		const char *words;
	} cases[] = {
	    {1.5, 1, "hosts n2 and n5 stand apart: between them small messages take 1."},
	    {1, 1.5, "hosts n2 and n5 stand apart: between them large messages take 1."},
	    {1, 1, NULL},
	};
	struct rng r;

	(void)state;
	rng_init(&r, 1, "pairs", 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct net_raw raw;
		struct net_fit f;
		struct err err;
		const char *p;

		made(&r, cases[i].latency, cases[i].byte, &raw);
		assert_ok(net_fit_make(&raw, 0, &f, &err), err);
		p = strstr(told(&f), "stand apart");
		if (cases[i].words ? !strstr(told(&f), cases[i].words) : p != NULL)
			fail_msg("case %zu: %s", i, told(&f));
		assert_true(!p || !strstr(p + 1, "stand apart"));
		net_fit_release(&f);
		assert_ok(net_raw_without(&raw, "n5,n7", &err), err);
		assert_int_equal(raw.n, 15 * TRIPS); /* pairs of six */
		assert_non_null(strstr(raw.notes.s, "n5: 280 measurements with this host"));
		assert_ok(net_fit_make(&raw, 0, &f, &err), err);
		assert_null(strstr(told(&f), "stand apart"));
		assert_fails(net_raw_without(&raw, "n1,n9", &err), err, ERR_INPUT,
		             "no host has the name 'n9'");
		net_fit_release(&f);
		net_raw_release(&raw);
	}
}

/* Of 40 networks without a strange pair 5 % name one: 6 is three deviations more. */
static void false_alarms(void **state)
{
	enum { NETWORKS = 40 };
	int named = 0;
	struct rng r;

	(void)state;
	rng_init(&r, 2, "pairs", 0);
	for (int k = 0; k < NETWORKS; k++) {
		struct net_raw raw;
		struct net_fit f;
		struct err err;

		made(&r, 1, 1, &raw);
		assert_ok(net_fit_make(&raw, 0, &f, &err), err);
		named += strstr(told(&f), "stand apart") != NULL;
		net_fit_release(&f);
		net_raw_release(&raw);
	}
	assert_in_range(named, 0, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pairs), cmocka_unit_test(false_alarms)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
