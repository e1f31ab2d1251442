/* test_cpu.c: rates of computation from traces: random runs beside sums by hand, region by region
 * and host by host; hosts of known speeds; volumes of another run; scatter that was put in comes
 * out. PROP_SEED and PROP_CASES repeat or lengthen the random ones. */
#include "runs_drawn.h"

#include "../../property/prop.h"

#include <math.h>

enum { RUNS_MOST = 4 };

/* Exponent of two above a volume: 2^(k-1) <= volume < 2^k. */
static int bin_of(double volume)
{
	int k = 0;

	while (volume >= 1)
		volume /= 2, k++;
	while (volume < 0.5)
		volume *= 2, k--;
	return k;
}

static void runs_draw(struct drawn_runs *d, struct rng *r, int runs)
{
	d->n = 0;
	for (int run = 0; run < runs; run++)
		for (uint32_t i = prop_from(r, 1, 150); i > 0; i--) {
			struct drawn *q = &d->all[d->n++];

			*q = (struct drawn){.run = run,
			                    .rank = (int)rng_below(r, DRAWN_RANKS),
			                    .region = (int)rng_below(r, 3),
			                    .volume = floor(pow(10, 2 + rng_unit(r))),
			                    .working_set = run % 2 ? 4096 : 0};
			q->host = drawn_host[q->rank];
			q->seconds = q->volume * 1e-9 * (1 + rng_unit(r));
			if (prop_once_in(r, 20))
				q->seconds = 0; /* too short for a clock: says nothing */
			if (prop_once_in(r, 20))
				q->volume = 0;
		}
}

static void runs_add(struct drawn_runs *d, int runs, struct cpu_rates *c)
{
	struct str text;
	struct err err;

	for (int run = 0; run < runs; run++) {
		struct trace *t;

		str_init(&text);
		drawn_lines(d, run, &text);
		t = drawn_trace(d, text.s, "run.tit", &err);
		assert_ok(cpu_add(c, t, NULL, DRAWN_HOST_LIST, run % 2 ? 4096 : 0, &err), err);
		trace_close(t);
		str_release(&text);
	}
}

/* Sums over the drawn computations that a row is of; host < 0: of all. rate_of: by run. */
struct summed {
	double volume, seconds, run_volume[RUNS_MOST], run_seconds[RUNS_MOST];
	uint64_t n;
};
static struct summed sums_of(const struct drawn_runs *d, int region, int bin, double working_set,
                             int host)
{
	struct summed s = {0};

	for (int i = 0; i < d->n; i++) {
		const struct drawn *q = &d->all[i];

		if (!(q->volume > 0) || !(q->seconds > 0) || (host >= 0 && q->host != host) ||
		    (region >= 0 && (q->region != region || bin_of(q->volume) != bin ||
		                     q->working_set != working_set)))
			continue;
		s.n++;
		s.volume += q->volume;
		s.seconds += q->seconds;
		s.run_volume[q->run] += q->volume;
		s.run_seconds[q->run] += q->seconds;
	}
	return s;
}

/* The sample deviation of the rates of runs, over their mean; of one run: 0. */
static double deviation_of(const struct summed *s)
{
	double mean = 0, square = 0;
	int n = 0;

	for (int i = 0; i < RUNS_MOST; i++)
		if (s->run_seconds[i] > 0)
			mean += s->run_volume[i] / s->run_seconds[i], n++;
	mean /= n;
	for (int i = 0; i < RUNS_MOST; i++)
		if (s->run_seconds[i] > 0)
			square += pow(s->run_volume[i] / s->run_seconds[i] - mean, 2);
	return n > 1 ? sqrt(square / (n - 1)) / mean : 0;
}

static int host_number(const struct rates *r, int32_t host)
{
	return host == RATES_ANY ? -1 : r->host[host][5] - '0';
}

static void row_check(const struct drawn_runs *d, const struct rates *r, const struct rate_row *row)
{
	int region = 0;
	struct summed s;

	while (strcmp(drawn_region(region), r->region[row->region]) != 0)
		region++;
	/* Volumes of a row are within a factor of two: so is their mean. */
	s = sums_of(d, region, bin_of(row->volume), row->working_set, host_number(r, row->host));
	assert_int_equal(row->times, s.n);
	assert_close(row->volume, s.volume / (double)s.n, 1e-12);
	assert_close(row->rate, s.volume / s.seconds, 1e-12);
	assert_close(row->seconds, s.seconds, 1e-12);
	if (fabs(row->deviation - deviation_of(&s)) > 1e-9)
		fail_msg("deviation %g, not %g", row->deviation, deviation_of(&s));
}

static void random_runs(void **state)
{
	static struct drawn_runs d;
	struct prop_run p = prop_begin(60);

	(void)state;
	tmp_init(&d.tmp);
	for (uint64_t i = 0; i < p.cases; i++) {
		struct cpu_rates c = {0};
		struct rates rates;
		struct rng r;
		struct err err;
		int runs;
		uint64_t all = 0, single = 0;

		rng_init(&r, p.seed + i, "cpu", 0);
		runs = (int)prop_from(&r, 1, RUNS_MOST);
		runs_draw(&d, &r, runs);
		runs_add(&d, runs, &c);
		if (sums_of(&d, -1, 0, 0, -1).n == 0) {
			cpu_release(&c);
			continue;
		}
		assert_ok(cpu_fit(&c, "perf", &rates, &err), err);
		for (uint32_t k = 0; k < rates.n; k++) {
			row_check(&d, &rates, &rates.row[k]);
			all += rates.row[k].host == RATES_ANY ? rates.row[k].times : 0;
			single += rates.row[k].host == RATES_ANY ? 0 : rates.row[k].times;
		}
		assert_int_equal(all, sums_of(&d, -1, 0, 0, -1).n); /* each in one row */
		assert_int_equal(single, all);                      /* and in one of its host */
		rates_release(&rates);
		cpu_release(&c);
	}
	tmp_release(&d.tmp);
}

/* Two hosts, one twice as fast, each the same volume V: all of it, 2 V, in V / 2 + V seconds is a
 * rate of 4/3. By it the fast one would need V / (4/3) for what it does in V / 2: 1.5 times as
 * fast; the slow one 0.75. */
static void hosts_of_known_speed(void **state)
{
	struct drawn_runs d = {.n = 0};
	struct cpu_rates c = {0};
	struct rates rates;
	struct err err;
	struct trace *t;

	(void)state;
	tmp_init(&d.tmp);
	t = trace_open(tmp_write(&d.tmp, "t.tit",
	                         "0 region 0 a>b\n0 compute 1000 region=0 t=500\n"
	                         "1 region 5 a>b\n1 compute 1000 region=5 t=1000\n"),
	               2, &err);
	assert_non_null(t);
	assert_ok(cpu_add(&c, t, NULL, "fast,slow", 0, &err), err);
	assert_ok(cpu_fit(&c, NULL, &rates, &err), err);
	assert_close(rates.speed, 2000 / 1500.0, 1e-15);
	assert_close(rates.factor[rates_host_find(&rates, "fast")], 1.5, 1e-15);
	assert_close(rates.factor[rates_host_find(&rates, "slow.cluster")], 0.75, 1e-15);
	assert_int_equal(rates.n, 3);
	rates_release(&rates);
	trace_close(t);
	cpu_release(&c);
	tmp_release(&d.tmp);
}

/* Durations volume / 1e9 * (1 + e z): each computation of a run is e off the rate of its run. */
static void scatter_comes_out(void **state)
{
	static struct drawn_runs d;
	const double wanted = 0.1;
	struct cpu_rates c = {0};
	struct rates rates;
	struct rng r;
	struct err err;

	(void)state;
	rng_init(&r, 1, "scatter", 0);
	tmp_init(&d.tmp);
	for (d.n = 0; d.n < DRAWN_MOST; d.n++) {
		double volume = 600 + 400 * rng_unit(&r);
		int run = d.n * 2 / DRAWN_MOST;

		/* the second run is half as fast: that is deviation, no scatter */
		d.all[d.n] = (struct drawn){.run = run,
		                            .volume = volume,
		                            .seconds = volume * (1 + run) *
		                                       (1 + wanted * rng_normal(&r))};
	}
	runs_add(&d, 2, &c);
	for (uint32_t i = 0; i < c.n; i++)
		c.cell[i].working_set = 0;
	assert_ok(cpu_fit(&c, NULL, &rates, &err), err);
	for (uint32_t i = 0; i < rates.n; i++) {
		assert_close(rates.row[i].scatter, wanted, 0.06); /* 4 / sqrt(2 * 2000) */
		/* rates of 1 and 1/2: mean 3/4, deviation sqrt(1/8) */
		assert_close(rates.row[i].deviation, sqrt(1 / 8.0) / 0.75, 0.02);
	}
	rates_release(&rates);
	cpu_release(&c);
	tmp_release(&d.tmp);
}

/* Volumes of another run: one by one where both have as many of a region; where not, its sum by
 * seconds (3 + 3 over 1 s and 2 s: 2 and 4); a region that it has not is left out, and counted. */
static void volumes_of_another_run(void **state)
{
	struct drawn_runs d = {.n = 0};
	struct cpu_rates c = {0};
	struct err err;
	struct trace *t, *v;

	(void)state;
	tmp_init(&d.tmp);
	t = trace_open(tmp_write(&d.tmp, "t.tit",
	                         "0 region 0 a>b\n0 region 1 b>c\n0 region 2 c>d\n"
	                         "0 compute 9 region=0 t=1\n0 compute 9 region=1 t=1\n"
	                         "0 compute 9 region=0 t=2\n0 compute 9 region=1 t=2\n"
	                         "0 compute 9 region=2 t=5\n"),
	               1, &err);
	v = trace_open(tmp_write(&d.tmp, "v.tit",
	                         "0 region 7 b>c\n0 region 8 a>b\n"
	                         "0 compute 10 region=8\n0 compute 3 region=7\n"
	                         "0 compute 3 region=7\n0 compute 3 region=8\n"),
	               1, &err);
	assert_true(t && v);
	assert_ok(cpu_add(&c, t, v, NULL, 0, &err), err);
	assert_int_equal(c.unmatched, 1);
	assert_double_is(c.volume, 10 + 3 + 3 + 3);
	assert_double_is(c.seconds, 6);
	for (uint32_t i = 0; i < c.n; i++) {
		const char *name = c.names.region[c.cell[i].region];

		if (!strcmp(name, "a>b")) /* 10 in 1 s, 3 in 2 s */
			assert_double_is(c.cell[i].volume, c.cell[i].seconds == 1 ? 10 : 3);
		else /* as many: one each */
			assert_double_is(c.cell[i].volume, 6);
	}
	trace_close(t);
	trace_close(v);
	cpu_release(&c);
	t = trace_open(tmp_write(&d.tmp, "t.tit",
	                         "0 region 0 a>b\n0 compute 9 region=0 t=1\n"
	                         "0 compute 9 region=0 t=2\n"),
	               1, &err);
	v = trace_open(tmp_write(&d.tmp, "v.tit", "0 region 0 a>b\n0 compute 6 region=0\n"), 1,
	               &err);
	assert_true(t && v);
	assert_ok(cpu_add(&c, t, v, NULL, 0, &err), err);
	for (uint32_t i = 0; i < c.n; i++) /* a rate of 2, whatever the volumes of t were */
		assert_double_is(c.cell[i].volume, 2 * c.cell[i].seconds);
	assert_double_is(c.volume, 6);
	trace_close(t);
	trace_close(v);
	cpu_release(&c);
	tmp_release(&d.tmp);
}

static void ranks_that_differ_are_refused(void **state)
{
	struct drawn_runs d = {.n = 0};
	struct cpu_rates c = {0};
	struct err err;
	struct trace *t, *v;

	(void)state;
	tmp_init(&d.tmp);
	t = trace_open(tmp_write(&d.tmp, "t.tit", "0 compute 1 t=1\n1 compute 1 t=1\n"), 2, &err);
	v = trace_open(tmp_write(&d.tmp, "v.tit", "0 compute 1 t=1\n"), 1, &err);
	assert_true(t && v);
	assert_fails(cpu_add(&c, t, v, NULL, 0, &err), err, ERR_INPUT, "1 ranks");
	trace_close(t);
	trace_close(v);
	cpu_release(&c);
	tmp_release(&d.tmp);
}

/* A trace without regions: what lies between two calls, several computations of it together; to
 * look at, and no row of rates. */
static void without_regions(void **state)
{
	struct drawn_runs d = {.n = 0};
	struct cpu_rates c = {0};
	struct rates rates;
	struct str text;
	struct err err;
	struct trace *t;

	(void)state;
	tmp_init(&d.tmp);
	t = trace_open(tmp_write(&d.tmp, "t.tit",
	                         "0 init\n0 compute 3 t=1\n0 compute 5 t=1\n0 barrier\n"
	                         "0 compute 4 t=2\n0 finalize\n"),
	               1, &err);
	assert_non_null(t);
	assert_ok(cpu_add(&c, t, NULL, "n", 0, &err), err);
	assert_int_equal(c.names.regions, 2);
	assert_string_equal(c.names.region[0], "MPI_Init to MPI_Barrier");
	assert_string_equal(c.names.region[1], "MPI_Barrier to MPI_Finalize");
	assert_false(cpu_region_is_site(c.names.region[0]));
	assert_double_is(c.cell[0].volume, 8);
	assert_int_equal(c.cell[0].n, 1);
	assert_ok(cpu_fit(&c, NULL, &rates, &err), err);
	assert_int_equal(rates.n, 0);
	assert_double_is(rates.speed, 3); /* 12 in 4 s */
	rates_release(&rates);
	str_init(&text);
	/* By one rate, 3, the first would take 8/3 instead of 2 and the second 4/3 instead of 2: a
	 * third of 4 s is in the wrong one. */
	assert_ok(cpu_text(&c, &text, &err), err);
	assert_non_null(strstr(text.s, "off by 33.3 % of the time"));
	str_release(&text);
	trace_close(t);
	cpu_release(&c);
	tmp_release(&d.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(random_runs),
	    cmocka_unit_test(hosts_of_known_speed),
	    cmocka_unit_test(scatter_comes_out),
	    cmocka_unit_test(volumes_of_another_run),
	    cmocka_unit_test(ranks_that_differ_are_refused),
	    cmocka_unit_test(without_regions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
