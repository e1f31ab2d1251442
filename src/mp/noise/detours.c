/* detours.c: the operating system's noise on computations: now and then a processor leaves the
 * program for a while (a detour).
 *
 * Random detours come as Poisson processes (noise/detours, "rate:median:sigma;…": rate per second,
 * lengths log-normal), periodic ones, such as timer ticks, at their period with a phase of each
 * rank's own (noise/periodic, "period:length;…"). So a burst of 10 s has ten thousand times the
 * detours of one of 1 ms, and relatively 100 times less spread (Petrini, Kerbyson, Pakin 2003;
 * Hoefler, Schneider, Lumsdaine 2010).
 *
 * 1. A speed is the mean one, detours included: a computation of d seconds is d (1 - share) of work
 *    and its detours, share being what they take of the time on average. The mean stays d; what is
 *    added is the spread, and what others wait for it.
 * 2. How many detours there are is drawn first, then their lengths; of more than MANY, the sum,
 *    which is normal by then.
 * 3. A sleep ends late (noise/sleep, "median:sigma", log-normal): by a timer's slack, and by what
 *    it takes to wake up. A sleep of so many seconds, as a trace asks for it, gets all of it; a
 *    computation that stands for a sleep, counted by elapsed time, holds the lateness of the
 *    machine it was recorded on. */
#include "noise_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_MAX = 64, FEW = 30, MANY = 1000 };

/* "a:b:c" up to `end`: n numbers. */
static int fields(const char *s, const char *end, int n, double *out, struct err *err)
{
	char text[FIELD_MAX];

	for (int i = 0; i < n; i++) {
		const char *colon = memchr(s, ':', (size_t)(end - s)), *stop = colon ? colon : end;

		if (stop == s || stop - s >= FIELD_MAX || (i + 1 < n) != (colon != NULL))
			return err_set(err, ERR_INPUT, "\"%.*s\"", (int)(end - s), s);
		memcpy(text, s, (size_t)(stop - s));
		text[stop - s] = '\0';
		if (units_parse(text, UNIT_TIME, &out[i], err) < 0)
			return -1;
		s = colon ? colon + 1 : end;
	}
	return 0;
}

/* Sections of n numbers each, all of them finite, the first above 0, the others 0 or more: their
 * number, or -1. */
static int sections(struct mp *mp, enum config_id id, int n, double (*out)[3], struct err *err)
{
	static const char *const forms[] = {
	    "", "", "period:length;…, in seconds",
	    "rate:median:sigma;…: per second, seconds, of logarithms"};
	const char *form = id == CFG_NOISE_SLEEP ? "median:sigma: seconds, of logarithms"
	                                         : forms[n];
	int most = id == CFG_NOISE_SLEEP ? 1 : DETOURS_MOST;
	const char *s = config_text(mp->cfg, id), *end;
	struct err why;
	int count = 0;

	for (; *s; s = *end ? end + 1 : end) {
		const char *begin = s + strspn(s, " \t\r\n");
		double *v = out[count];

		end = s + strcspn(s, ";");
		if (begin >= end)
			continue;
		if (count == most)
			return err_set(err, ERR_INPUT, "setting %s: more than %d sections",
			               config_table[id].name, most);
		v[1] = v[2] = 0;
		if (fields(begin, end, n, v, &why) < 0 ||
		    !(v[0] > 0 && v[0] < 1e12 && v[1] >= 0 && v[1] < 1e6 && v[2] >= 0 &&
		      v[2] <= 5) ||
		    (id == CFG_NOISE_SLEEP && v[1] > 5))
			return err_set(err, ERR_INPUT, "setting %s: \"%.*s\" is not one of %s",
			               config_table[id].name, (int)(end - begin), begin, form);
		count++;
	}
	return count;
}

int detours_read(struct mp *mp, struct detours *d, struct err *err)
{
	double v[DETOURS_MOST][3];
	int n = sections(mp, CFG_NOISE_DETOURS, 3, v, err);

	if (n < 0)
		return -1;
	*d = (struct detours){0};
	for (int i = 0; i < n; i++) {
		struct detour *t = &d->random[d->n_random++];

		*t = (struct detour){.rate = v[i][0], .median = v[i][1], .sigma = v[i][2]};
		t->mean = t->median * exp(t->sigma * t->sigma / 2);
		t->variance = t->mean * t->mean * expm1(t->sigma * t->sigma);
		d->share += t->rate * t->mean;
	}
	n = sections(mp, CFG_NOISE_PERIODIC, 2, v, err);
	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++) {
		d->period[d->n_periodic] = v[i][0];
		d->length[d->n_periodic++] = v[i][1];
		d->share += v[i][1] / v[i][0];
	}
	n = sections(mp, CFG_NOISE_SLEEP, 2, v, err);
	if (n < 0)
		return -1;
	if (n > 0) {
		d->late_median = v[0][0];
		d->late_sigma = v[0][1];
		d->late_mean = d->late_median * exp(d->late_sigma * d->late_sigma / 2);
	}
	if (d->share >= 1)
		return err_set(
		    err, ERR_INPUT,
		    "settings noise/detours and noise/periodic: detours take %.3g of the time: "
		    "nothing is left to compute in",
		    d->share);
	return 0;
}

/* Knuth's product for few, the normal distribution for many. */
static double poisson(double mean, struct rng *r)
{
	double limit, product = 1;
	int n = -1;

	if (mean > FEW) {
		double v = round(mean + sqrt(mean) * rng_normal(r));

		return v > 0 ? v : 0;
	}
	limit = exp(-mean);
	do {
		product *= rng_unit(r);
		n++;
	} while (product > limit);
	return n;
}

static double random_detours(const struct detour *t, double seconds, struct rng *r)
{
	double n = poisson(t->rate * seconds, r), sum = 0;

	if (n > MANY)
		return fmax(0, n * t->mean + sqrt(n * t->variance) * rng_normal(r));
	for (; n > 0; n--)
		sum += t->median * exp(t->sigma * rng_normal(r));
	return sum;
}

double detours_lengthen(const struct detours *d, struct rng *stream, const double *phase,
                        double now, double seconds)
{
	double end = seconds * (1 - d->share), ticks[DETOURS_MOST] = {0};

	for (int i = 0; i < d->n_random; i++)
		end += random_detours(&d->random[i], seconds, stream);
	/* A tick makes the burst longer, and a longer burst may have another tick: until none is
	 * new. */
	for (int more = 1; more;) {
		more = 0;
		for (int i = 0; i < d->n_periodic; i++) {
			double n = floor((now + end - phase[i]) / d->period[i]) -
			           floor((now - phase[i]) / d->period[i]);

			if (n > ticks[i]) {
				end += (n - ticks[i]) * d->length[i];
				ticks[i] = n;
				more = 1;
			}
		}
	}
	return end;
}

double detours_late(const struct detours *d, struct rng *stream)
{
	return d->late_median > 0 ? d->late_median * exp(d->late_sigma * rng_normal(stream)) : 0;
}
