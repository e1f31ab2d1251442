/* prop_osnoise.c: what the operating system takes, of processors that are drawn: detours that come
 * at a rate and have log-normal lengths, ticks of a period. Rates, lengths and the share of the
 * time come back within what so many detours say; what was lost is what was put in; a period is
 * found and none where there is none. Laws: the date at which it was measured says nothing, and a
 * clock of half the speed doubles what is a time. A file is read as it was written. */
#include "../prop.h"

#include "calibrate/osnoise/osnoise.h"
#include "tmp.h"

#include <math.h>

enum { QUANTA = 20000, FTQ = 4096 };
static const double quantum = 1e-3;

struct processor {
	double rate, median, sigma; /* of detours */
	double jitter;              /* relative, of the fixed work */
	double period, length;      /* of ticks, in fixed time; 0: none */
};
struct put_in {
	double lost, total; /* s */
	size_t detours;
};

static double scale(struct rng *r, double least, double most)
{
	return least * pow(most / least, rng_unit(r));
}

static double detour(struct rng *r, const struct processor *p)
{
	return p->median * exp(p->sigma * rng_normal(r));
}

/* The same work again and again; detours come while it is under way, and it takes so much longer.
 */
static void work_measure(struct os_raw *raw, struct rng *r, const struct processor *p,
                         struct put_in *in)
{
	struct err err;
	struct os_series *s = os_series_get(raw, OS_FWQ, 0, quantum, &err);
	double now = 0, next = -log(1 - rng_unit(r)) / p->rate;

	assert_non_null(s);
	*in = (struct put_in){0};
	for (int i = 0; i < QUANTA; i++) {
		double work = quantum * (1 + p->jitter * rng_normal(r)), lost = 0;

		while (next < work) { /* after so much of this work */
			lost += detour(r, p);
			next += -log(1 - rng_unit(r)) / p->rate;
			in->detours++;
		}
		next -= work;
		assert_ok(os_series_add(s, now, work + lost, &err), err);
		now += work + lost;
		in->lost += lost;
	}
	in->total = now;
}

/* Work done in each of many equal times: whole units, less what ticks take. */
static void time_measure(struct os_raw *raw, struct rng *r, const struct processor *p)
{
	const double units = 10000; /* of a quantum */
	struct err err;
	struct os_series *s = os_series_get(raw, OS_FTQ, 0, quantum, &err);
	double tick = p->period * rng_unit(r);

	assert_non_null(s);
	for (int i = 0; i < FTQ; i++) {
		double free_time = quantum * (1 - 1e-3 * fabs(rng_normal(r)));

		for (; p->period > 0 && tick < (i + 1) * quantum; tick += p->period)
			free_time -= p->length;
		assert_ok(os_series_add(s, i * quantum, floor(units * free_time / quantum), &err),
		          err);
	}
}

static void processor_draw(struct rng *r, struct processor *p)
{
	*p = (struct processor){.rate = scale(r, 10, 150),
	                        .median = scale(r, 2e-5, 2e-4),
	                        .sigma = 0.2 + 0.5 * rng_unit(r),
	                        .jitter = scale(r, 1e-5, 3e-4)};
}

static void rates_and_lengths(void **state)
{
	struct prop_run run = prop_begin(6);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct processor p;
		struct put_in in;
		struct os_raw raw;
		struct os_fit f;
		struct rng r;
		struct err err;
		double rate = 0, few;

		rng_init(&r, run.seed + i, "osnoise", 0);
		processor_draw(&r, &p);
		os_raw_init(&raw);
		work_measure(&raw, &r, &p, &in);
		assert_ok(os_fit_make(&raw, &f, &err), err);
		few = 4 / sqrt((double)in.detours);
		for (int k = 0; k < f.random; k++)
			rate += f.rate[k];
		/* Per second of elapsed time, which detours are part of. */
		if (fabs(rate / ((double)in.detours / in.total) - 1) > few + 0.02)
			fail_msg("seed %llu: %g detours a second, not %g",
			         (unsigned long long)(run.seed + i), rate,
			         (double)in.detours / in.total);
		assert_close(f.cpu[0].quiet, quantum, 3 * p.jitter + 1e-4);
		assert_close(f.share, in.lost / in.total, 0.02 + 5 * p.jitter);
		assert_close(f.model_share, in.lost / in.total, few + 0.1);
		assert_int_equal(f.periods, 0);
		if (f.random == 1) {
			assert_close(f.median[0], p.median, few + 0.1);
			assert_true(fabs(f.sigma[0] - p.sigma) < few + 0.1);
		}
		os_fit_release(&f);
		os_raw_release(&raw);
	}
}

/* Ticks of a tenth to half of a quantum, each 5 to 40 quanta: the period within the interval that
 * is told (three times its error, and what whole quanta hide), the length within a tenth, and
 * within its interval in 95 of 100 but for 4 deviations of so many draws. */
static void period_of(uint64_t seed, int *length_inside)
{
	struct processor p = {0};
	struct os_period out[OS_PERIODS];
	struct os_raw raw;
	struct rng r;
	struct err err;
	int n;

	rng_init(&r, seed, "period", 0);
	p.period = quantum * (5 + 35 * rng_unit(&r));
	p.length = quantum * (0.1 + 0.4 * rng_unit(&r));
	os_raw_init(&raw);
	time_measure(&raw, &r, &p);
	n = os_periods_find(&raw.series[0], out, NULL, NULL, &err);
	if (n <= 0 || fabs(out[0].period - p.period) > out[0].period_95 ||
	    fabs(out[0].length / p.length - 1) > 0.1 || out[0].p > 1e-3)
		fail_msg("seed %llu: of a period of %g s, length %g s, %d are told, %g s ± %g, "
		         "length %g s",
		         (unsigned long long)seed, p.period, p.length, n, out[0].period,
		         out[0].period_95, out[0].length);
	assert_true(out[0].period_95 < 5e-3 * p.period);
	*length_inside += fabs(out[0].length - p.length) <= out[0].length_95;
	os_raw_release(&raw);
}

static void periods(void **state)
{
	struct prop_run run = prop_begin(40);
	double cases = (double)run.cases + 2;
	int inside = 0, none = 0;

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++)
		period_of(run.seed + i, &inside);
	period_of(26, &inside); /* 5.2 quanta, of which 9 / 11 were told: its harmonics' */
	period_of(68, &inside); /* 38 quanta: nearly a whole number of them */
	assert_true(inside >= 0.95 * cases - 4 * sqrt(0.95 * 0.05 * cases));
	for (uint64_t i = 0; i < run.cases; i++) {
		struct processor p = {0};
		struct os_period out[OS_PERIODS];
		struct os_raw raw;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "none", 0);
		os_raw_init(&raw);
		time_measure(&raw, &r, &p);
		none += os_periods_find(&raw.series[0], out, NULL, NULL, &err) == 0;
		os_raw_release(&raw);
	}
	assert_true(none >= 0.99 * (double)run.cases - 1);
}

/* --- laws --- */

/* All dates later by `later`, all times multiplied by `times`. */
static void changed(const struct os_raw *raw, double later, double times, struct os_raw *out)
{
	struct err err;

	os_raw_init(out);
	for (uint32_t i = 0; i < raw->n; i++) {
		const struct os_series *s = &raw->series[i];
		struct os_series *t = os_series_get(out, s->kind, s->cpu, s->quantum * times, &err);

		assert_non_null(t);
		for (size_t k = 0; k < s->n; k++)
			assert_ok(os_series_add(t, (s->start[k] + later) * times,
			                        s->value[k] * times, &err),
			          err);
	}
}

static void fits_agree(const struct os_fit *f, const struct os_fit *g, double times)
{
	assert_int_equal(g->random, f->random);
	assert_int_equal(g->detours, f->detours);
	assert_close(g->share, f->share, 1e-9);
	assert_close(g->cpu[0].quiet, times * f->cpu[0].quiet, 1e-12);
	assert_close(g->cpu[0].threshold, times * f->cpu[0].threshold, 1e-9);
	for (int k = 0; k < f->random; k++) {
		assert_close(g->rate[k], f->rate[k] / times, 1e-6);
		assert_close(g->median[k], times * f->median[k], 1e-6);
		assert_close(g->sigma[k], f->sigma[k], 1e-6);
	}
}

static void dates_and_clocks(void **state)
{
	static const struct {
		double later, times;
	} changes[] = {{4096, 1}, {0, 2}, {0, 0.5}};
	struct prop_run run = prop_begin(3);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct processor p;
		struct put_in in;
		struct os_raw raw, other;
		struct os_fit f, g;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "laws", 0);
		processor_draw(&r, &p);
		os_raw_init(&raw);
		work_measure(&raw, &r, &p, &in);
		assert_ok(os_fit_make(&raw, &f, &err), err);
		for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
			changed(&raw, changes[k].later, changes[k].times, &other);
			assert_ok(os_fit_make(&other, &g, &err), err);
			fits_agree(&f, &g, changes[k].times);
			os_fit_release(&g);
			os_raw_release(&other);
		}
		os_fit_release(&f);
		os_raw_release(&raw);
	}
}

/* Nine digits of values, nanoseconds of dates; series, order and comments as they were. */
static void written_and_read(void **state)
{
	struct prop_run run = prop_begin(20);
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t i = 0; i < run.cases; i++) {
		struct os_raw raw, again;
		struct str text;
		struct rng r;
		struct err err;

		rng_init(&r, run.seed + i, "file", 0);
		os_raw_init(&raw);
		str_puts(&raw.meta, "processor: x\ndate: y\n");
		for (int k = 0; k < 5; k++) {
			struct os_series *s = os_series_get(
			    &raw, (enum os_kind)rng_below(&r, OS_KINDS), (int)rng_below(&r, 3),
			    scale(&r, 1e-5, 1e-1), &err);
			double at = 0;

			for (uint32_t n = prop_from(&r, 1, 50); n > 0; n--)
				assert_ok(
				    os_series_add(s, at += rng_unit(&r), scale(&r, 1e-7, 1), &err),
				    err);
		}
		str_init(&text);
		os_raw_write(&raw, &text);
		os_raw_init(&again);
		assert_ok(os_raw_read(&again, tmp_write(&tmp, "raw.csv", text.s), &err), err);
		assert_string_equal(again.meta.s, raw.meta.s);
		assert_int_equal(again.n, raw.n);
		for (uint32_t k = 0; k < raw.n; k++) {
			const struct os_series *a = &raw.series[k], *b = &again.series[k];

			assert_true(a->kind == b->kind && a->cpu == b->cpu && a->n == b->n);
			for (size_t j = 0; j < a->n; j++) {
				assert_close(b->value[j], a->value[j], 1e-8);
				assert_true(fabs(b->start[j] - a->start[j]) < 1e-9);
			}
		}
		str_release(&text);
		os_raw_release(&again);
		os_raw_release(&raw);
	}
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rates_and_lengths), cmocka_unit_test(periods),
	    cmocka_unit_test(dates_and_clocks), cmocka_unit_test(written_and_read)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
