/* osnoise_fit.c: FWQ and FTQ to a model: random detours as Poisson processes of log-normal lengths,
 * periodic ones, slow changes.
 *
 * 1. The quiet time of the work is the mode of its durations: what most quanta take, whatever the
 *    rest do. Undisturbed ones scatter about it as far to the right as to the left; what is over
 *    five deviations beyond is a detour.
 * 2. Ticks found by FTQ (osnoise_period.c) are taken from the detours at their dates. What is left
 *    is random.
 * 3. A quantum may hold several: with a part p of them disturbed, and Poisson, the rate is -ln(1 -
 *    p) / quantum, and what is seen in a disturbed quantum is -ln(1 - p) / p detours on average.
 * 4. How quick the quickest tenth of each second is tells slow changes (frequency, caches, other
 *    tenants), which no detour explains: common to a whole run. */
#include "osnoise.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Undisturbed work is that much longer by chance in one quantum of three millions, if it is normal:
 * never, of the some ten thousand that are measured. */
static const double SIGMAS = 5;
/* Of the quiet time: shorter differences are no detours. By choice: processors change what the same
 * work takes by a thousandth without any detour. */
static const double LEAST_RELATIVE = 2e-3;
/* The quartile of a normal distribution, in deviations; its 97.5 % quantile. */
static const double QUARTILE = 0.6745, NORMAL_975 = 1.96;
/* Two quiet times, or periods, that differ by less are one. By choice: clocks and phases of two
 * processors agree far better, and two causes hardly ever come that close. */
static const double SAME = 0.02;
enum {
	WARNINGS = 4000,      /* letters: a page of them */
	LENGTHS_MOST = 20000, /* of detours that the mixture is fitted to: more say nothing new */
	PHASES_MOST = 3000,   /* that are tried of a period: by choice, for time */
	SECONDS_MOST = 4096,  /* an hour, and some more */
	SECOND_LEAST = 50     /* quanta of which a tenth, five, say what the quickest take */
};

static void warn(struct os_fit *f, const char *text)
{
	if (f->warnings.n < WARNINGS)
		str_printf(&f->warnings, "%s\n", text);
}

static const struct os_series *series_of(const struct os_raw *raw, enum os_kind kind, int cpu)
{
	for (uint32_t i = 0; i < raw->n; i++)
		if (raw->series[i].kind == kind && raw->series[i].cpu == cpu)
			return &raw->series[i];
	return NULL;
}

/* The half-sample mode (Robertson, Cryer 1974): the densest half of the densest half … of sorted
 * values. */
static double mode_find(const double *sorted, size_t n)
{
	while (n > 3) {
		size_t half = (n + 1) / 2, at = 0;

		for (size_t i = 0; i + half <= n; i++)
			if (sorted[i + half - 1] - sorted[i] < sorted[at + half - 1] - sorted[at])
				at = i;
		sorted += at;
		n = half;
	}
	return sorted[n / 2];
}

static int quiet_find(const struct os_series *s, struct os_cpu *c, struct err *err)
{
	double *sorted = malloc(s->n * sizeof *sorted), low;
	size_t below = 0;

	if (!sorted)
		return err_nomem(err, "quanta", s->n * sizeof *sorted);
	memcpy(sorted, s->value, s->n * sizeof *sorted);
	fit_sort(sorted, s->n);
	c->quiet = mode_find(sorted, s->n);
	while (below < s->n && sorted[below] < c->quiet)
		below++;
	/* Half of what is below the mode is within a quartile of it. */
	low = below ? fit_quantile(sorted, below, 0.5) : c->quiet;
	c->deviation = (c->quiet - low) / QUARTILE / c->quiet;
	c->threshold = c->quiet * fmax(SIGMAS * c->deviation, LEAST_RELATIVE);
	free(sorted);
	return 0;
}

/* --- detours of one processor --- */

struct detours_seen {
	double *excess; /* by quantum; 0: undisturbed */
	double *pooled; /* lengths of random detours, all processors */
	size_t n, cap;
};

static size_t quantum_at(const struct os_series *s, double date)
{
	size_t lo = 0, hi = s->n;

	while (lo + 1 < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->start[mid] <= date)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* How much of the detours is explained by ticks of this period and phase. */
static double ticks_explain(const struct os_series *s, const double *excess,
                            const struct os_period *p, double period, double phase)
{
	double sum = 0, last = s->start[s->n - 1];

	for (double date = phase; date < last; date += period)
		sum += fmin(excess[quantum_at(s, date)], p->length);
	return sum;
}

static double taken(double *from, double most)
{
	double v = fmin(*from, fmax(most, 0));

	*from -= v;
	return v;
}

/* Ticks are at other dates than in FTQ, hours may lie between: the phase is searched, and the
 * period within its interval. */
static void ticks_take(const struct os_series *s, double *excess, const struct os_period *p)
{
	enum { SIDES = 2, STEP = 3 }; /* periods on either side; phases in thirds of a quantum */
	double span = s->start[s->n - 1] - s->start[0], best = -1, phase = 0, period = p->period,
	       step = s->quantum / STEP;
	double widest = fmin(p->period_95,
	                     s->quantum * p->period /
	                         fmax(span, s->quantum)); /* more: a quantum off at the end */
	long phases = (long)fmin(PHASES_MOST, ceil(p->period / step));

	if (!(p->length > 0))
		return;
	for (int k = -SIDES; k <= SIDES; k++) {
		for (long i = 0; i < phases; i++) {
			double P = p->period + widest * k / SIDES,
			       at = s->start[0] + p->period * (double)i / (double)phases;
			double sum = ticks_explain(s, excess, p, P, at);

			if (sum > best) {
				best = sum;
				phase = at;
				period = P;
			}
		}
	}
	for (double date = phase; date < s->start[s->n - 1]; date += period) {
		size_t i = quantum_at(s, date), from = i ? i - 1 : 0, at = i;
		double left = p->length;

		for (size_t k = from; k <= i + 1 && k < s->n; k++) /* the tick's own lateness */
			if (fabs(excess[k] - p->length) < fabs(excess[at] - p->length))
				at = k;
		left -= taken(&excess[at], left);
		for (size_t k = from; k <= i + 1 && k < s->n;
		     k++) /* a tick between two quanta is in both of them */
			left -= taken(&excess[k], left);
	}
}

static int pooled_add(struct detours_seen *d, double v, struct err *err)
{
	if (d->n == d->cap) {
		size_t cap = d->cap ? 2 * d->cap : 1024;
		double *more = realloc(d->pooled, cap * sizeof *more);

		if (!more)
			return err_nomem(err, "detours", cap * sizeof *more);
		d->pooled = more;
		d->cap = cap;
	}
	d->pooled[d->n++] = v;
	return 0;
}

/* The deviation of what undisturbed work takes in each second, its 10 % quantile, what the scatter
 * within seconds explains taken off. */
static int slow_find(const struct os_series *s, struct os_cpu *c, struct err *err)
{
	/* The quantile q of n normal values has the variance q (1 - q) / (n phi(z)^2), of q = 0.1
	 * that many times the n-th part of theirs. */
	static const double QUICK = 0.1, QUICK_VARIANCE = 2.92;
	double *quick = malloc(SECONDS_MOST * sizeof *quick), mean = 0, square = 0, within = 0;
	size_t n = 0;

	if (!quick)
		return err_nomem(err, "seconds", SECONDS_MOST * sizeof *quick);
	for (size_t i = 0, k; i < s->n && n < SECONDS_MOST; i = k) {
		double *sorted;

		for (k = i; k < s->n && s->start[k] < s->start[i] + 1; k++)
			;
		if (k - i < SECOND_LEAST)
			continue;
		sorted = malloc((k - i) * sizeof *sorted);
		if (!sorted) {
			free(quick);
			return err_nomem(err, "a second", (k - i) * sizeof *sorted);
		}
		memcpy(sorted, s->value + i, (k - i) * sizeof *sorted);
		fit_sort(sorted, k - i);
		quick[n++] = fit_quantile(sorted, k - i, QUICK) / c->quiet;
		within += QUICK_VARIANCE * c->deviation * c->deviation / (double)(k - i);
		free(sorted);
	}
	for (size_t i = 0; i < n; i++)
		mean += quick[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (quick[i] - mean) * (quick[i] - mean);
	free(quick);
	c->slow = n < 3 ? 0 : sqrt(fmax(0, square / (double)(n - 1) - within / (double)n));
	return 0;
}

/* --- what contradicts the model --- */

/* Where all seconds together go one way. */
static void drift_look(struct os_fit *f, const struct os_series *s, const struct os_cpu *c)
{
	/* Ranks of dates and of durations are that much correlated by chance in no series of a
	 * thousand quanta; and less than half a percent from second to second is not worth a
	 * warning. By choice. */
	static const double CORRELATION = 0.25, SLOW = 0.005;
	double rho = fit_rank_correlation(s->start, s->value, s->n);
	const char *way = rho > 0 ? "slower" : "faster";
	char text[300];

	if (fabs(rho) <= CORRELATION || c->slow <= SLOW)
		return;
	snprintf(text, sizeof text,
	         "drift: processor %d did the same work %s and %s, by %.2g %% from second to "
	         "second",
	         c->cpu, way, way, 100 * c->slow);
	warn(f, text);
}

/* Where so much is taken away that the model, detours that meet quiet quanta, says little. */
static void load_look(struct os_fit *f, const struct os_cpu *c)
{
	/* Of the quanta: of those disturbed one in six has two detours or more (Poisson). Of the
	 * time: a machine without other programs loses less than a percent (Hoefler, Schneider,
	 * Lumsdaine 2010); ten times that, by choice. */
	static const double DISTURBED = 0.3, SATURATED = 0.1;
	char text[300];

	if ((double)c->disturbed > DISTURBED * (double)c->quanta) {
		snprintf(text, sizeof text,
		         "%.0f %% of the quanta of processor %d are disturbed: several detours in "
		         "one look like one; a shorter --quantum tells them apart",
		         100.0 * (double)c->disturbed / (double)c->quanta, c->cpu);
		warn(f, text);
	}
	if (c->share > SATURATED) {
		snprintf(text, sizeof text,
		         "saturated: processor %d was taken away for %.0f %% of the time: other "
		         "programs run on it",
		         c->cpu, 100 * c->share);
		warn(f, text);
	}
}

/* A second mode beyond the first, as narrow, with a tenth of the quanta, half of them close to it:
 * two speeds. */
static int bimodal_look(struct os_fit *f, const struct os_series *s, const struct os_cpu *c,
                        struct err *err)
{
	static const double NARROW = 0.01; /* of the quiet time, if that is more than scatter */
	double *sorted = malloc(s->n * sizeof *sorted), mode;
	size_t above = 0, close = 0;
	char text[300];

	if (!sorted)
		return err_nomem(err, "quanta", s->n * sizeof *sorted);
	for (size_t i = 0; i < s->n; i++)
		if (s->value[i] > c->quiet + c->threshold && s->value[i] < 2 * c->quiet)
			sorted[above++] = s->value[i];
	if (above > s->n / 10) {
		fit_sort(sorted, above);
		mode = mode_find(sorted, above);
		for (size_t i = 0; i < above; i++)
			close += fabs(sorted[i] - mode) < fmax(c->threshold, NARROW * c->quiet) / 2;
		if (close > above / 2 && mode > (1 + SAME) * c->quiet) {
			snprintf(text, sizeof text,
			         "bimodal: processor %d does the same work in %.3g s or, in %.0f "
			         "%% of the quanta, in %.3g s: two frequencies?",
			         c->cpu, c->quiet, 100.0 * (double)close / (double)s->n, mode);
			warn(f, text);
		}
	}
	free(sorted);
	return 0;
}

/* --- one processor --- */

static int cpu_fit(const struct os_raw *raw, const struct os_series *s, struct os_fit *f,
                   struct os_cpu *c, struct detours_seen *d, struct err *err)
{
	const struct os_series *ftq = series_of(raw, OS_FTQ, c->cpu);
	double lost = 0, total = 0, part;
	size_t disturbed = 0;

	if (quiet_find(s, c, err) < 0)
		return -1;
	c->periods = ftq ? os_periods_find(ftq, c->period, NULL, NULL, err) : 0;
	if (c->periods < 0)
		return -1;
	d->excess = malloc(s->n * sizeof *d->excess);
	if (!d->excess)
		return err_nomem(err, "detours", s->n * sizeof *d->excess);
	c->quanta = s->n;
	for (size_t i = 0; i < s->n; i++) {
		d->excess[i] = s->value[i] > c->quiet + c->threshold ? s->value[i] - c->quiet : 0;
		c->disturbed += d->excess[i] > 0;
		lost += d->excess[i];
		total += s->value[i];
		f->longest = fmax(f->longest, d->excess[i]);
	}
	c->share = lost / total;
	for (int i = 0; i < c->periods; i++)
		ticks_take(s, d->excess, &c->period[i]);
	for (size_t i = 0; i < s->n; i++) {
		if (d->excess[i] <= c->threshold)
			continue;
		disturbed++;
		if (pooled_add(d, d->excess[i], err) < 0) {
			free(d->excess);
			return -1;
		}
	}
	free(d->excess);
	part = fmin((double)disturbed / (double)s->n, 1 - 0.5 / (double)s->n);
	/* per second of elapsed time: a quantum takes total / n on average */
	c->rate = -log1p(-part) * (double)s->n / total;
	c->rate_95 = NORMAL_975 * sqrt(fmax(part, 1.0 / (double)s->n) / (1 - part) / (double)s->n) *
	             (double)s->n / total;
	c->several = part > 0 ? -log1p(-part) / part : 1;
	if (slow_find(s, c, err) < 0)
		return -1;
	drift_look(f, s, c);
	load_look(f, c);
	return bimodal_look(f, s, c, err);
}

/* --- all processors --- */

/* Of the time: with more a program that computes would hardly ever end. */
static const double MOST_SHARE = 0.95;
/* A mode with less than a millionth of the detours is one that the fit has emptied. */
static const double EMPTY = 1e-6;

/* The mean of the lengths that are of mode k (their logarithms: x), by how likely each is of it. */
static double mode_mean(const struct fit_mixture *m, int k, const double *x, size_t n)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < n; i++) {
		double all = 0, own = 0;

		for (int j = 0; j < m->n; j++) {
			double z = (x[i] - m->mean[j]) / m->sigma[j],
			       p = m->weight[j] / m->sigma[j] * exp(-z * z / 2);

			all += p;
			own = j == k ? p : own;
		}
		if (all > 0) {
			sum += own / all * exp(x[i]);
			weights += own / all;
		}
	}
	return weights > 0 ? sum / weights : exp(m->mean[k]);
}

/* Lengths as a mixture of log-normals, each of them a process of its own. Of a few dozen detours of
 * very different lengths the log-normal through them has a mean that nobody saw, of detours a
 * hundred times as long as the longest: no mode is wider than the mean of its lengths says, so that
 * what detours take is what was measured. */
static int lengths_fit(struct os_fit *f, struct detours_seen *d, struct err *err)
{
	struct fit_mixture m;
	double rate = 0, several = 0;
	size_t n = 0, step = d->n / LENGTHS_MOST + 1;

	f->detours = d->n;
	for (int i = 0; i < f->cpus; i++) {
		rate += f->cpu[i].rate / f->cpus;
		several += f->cpu[i].several / f->cpus;
	}
	if (d->n == 0)
		return 0;
	for (size_t i = 0; i < d->n; i += step)
		d->pooled[n++] = log(d->pooled[i]);
	if (fit_mixture_find(d->pooled, n, &m, err) < 0)
		return -1;
	for (int k = 0; k < m.n; k++) {
		if (m.weight[k] < EMPTY)
			continue;
		f->rate[f->random] = rate * m.weight[k];
		f->median[f->random] = exp(m.mean[k]) / several;
		f->sigma[f->random] = fmin(
		    m.sigma[k], sqrt(2 * fmax(0, log(mode_mean(&m, k, d->pooled, n)) - m.mean[k])));
		f->model_share += f->rate[f->random] * f->median[f->random] *
		                  exp(f->sigma[f->random] * f->sigma[f->random] / 2);
		f->random++;
	}
	for (int k = 0; f->model_share > MOST_SHARE && k < f->random; k++)
		f->rate[k] *= MOST_SHARE / f->model_share;
	f->model_share = fmin(f->model_share, MOST_SHARE);
	return 0;
}

/* Periods of different processors that are the same are one: its mean length, where it was not seen
 * taken for 0. */
static void periods_join(struct os_fit *f)
{
	int seen[OS_PERIODS];

	for (int i = 0; i < f->cpus; i++) {
		for (int k = 0; k < f->cpu[i].periods; k++) {
			const struct os_period *p = &f->cpu[i].period[k];
			int j = 0;

			while (j < f->periods && fabs(f->period[j].period / p->period - 1) > SAME)
				j++;
			if (j == OS_PERIODS)
				continue;
			if (j == f->periods) {
				f->period[j] = *p;
				f->period[j].length = f->period[j].length_95 = 0;
				seen[f->periods++] = 0;
			}
			f->period[j].length += p->length;
			f->period[j].length_95 = hypot(f->period[j].length_95, p->length_95);
			seen[j]++;
		}
	}
	for (int j = 0; j < f->periods; j++) {
		f->period[j].length /= f->cpus;
		f->period[j].length_95 /= f->cpus;
		f->model_share += f->period[j].length / f->period[j].period;
		if (seen[j] < f->cpus) {
			char text[200];

			snprintf(text, sizeof text,
			         "the period of %.4g s was found on %d of %d processors; all ranks "
			         "get its mean",
			         f->period[j].period, seen[j], f->cpus);
			warn(f, text);
		}
	}
}

static int sleeps_fit(const struct os_raw *raw, struct os_fit *f, struct err *err)
{
	double *v = NULL;
	size_t n = 0;

	for (uint32_t i = 0; i < raw->n; i++) {
		const struct os_series *s = &raw->series[i];
		double *more;

		if (s->kind != OS_SLEEP || s->n == 0)
			continue;
		more = realloc(v, (n + s->n) * sizeof *v);
		if (!more) {
			free(v);
			return err_nomem(err, "sleeps", (n + s->n) * sizeof *v);
		}
		v = more;
		memcpy(v + n, s->value, s->n * sizeof *v);
		n += s->n;
	}
	if (n) {
		fit_sort(v, n);
		f->sleep_median = fit_quantile(v, n, 0.5);
		f->sleep_95 = fit_quantile(v, n, 0.95);
	}
	free(v);
	return 0;
}

static void common_fit(struct os_fit *f)
{
	/* The model's share of the time may be off by so much of it, and of the time: by choice, as
	 * few long detours decide the mean. */
	static const double OFF_RELATIVE = 0.3, OFF = 2e-4;
	double mean = 0, square = 0, slow = 0;
	char text[300];

	for (int i = 0; i < f->cpus; i++) {
		mean += f->cpu[i].quiet / f->cpus;
		slow += f->cpu[i].slow * f->cpu[i].slow / f->cpus;
		f->share += f->cpu[i].share / f->cpus;
	}
	for (int i = 0; i < f->cpus; i++)
		square += (f->cpu[i].quiet / mean - 1) * (f->cpu[i].quiet / mean - 1);
	f->slow = sqrt(slow);
	f->spread = f->cpus > 1 ? sqrt(square / (f->cpus - 1)) : 0;
	if (f->spread > SAME) {
		snprintf(text, sizeof text,
		         "the processors differ by %.1f %% (deviation of their quiet times): rates "
		         "by host are those of 'orrery calibrate cpu'",
		         100 * f->spread);
		warn(f, text);
	}
	if (fabs(f->model_share - f->share) > OFF_RELATIVE * f->share + OFF) {
		snprintf(text, sizeof text,
		         "by the model detours take %.3g %% of the time, measured were %.3g %%: "
		         "few long ones decide; measure longer (--time)",
		         100 * f->model_share, 100 * f->share);
		warn(f, text);
	}
}

static int cpus_find(const struct os_raw *raw, struct os_fit *f, struct detours_seen *d,
                     struct err *err)
{
	for (uint32_t i = 0; i < raw->n; i++) {
		const struct os_series *s = &raw->series[i];

		if (s->kind != OS_FWQ)
			continue;
		if (s->n < OS_QUANTA_LEAST)
			return err_set(err, ERR_INPUT,
			               "processor %d: %zu quanta of fixed work, %d or more are "
			               "wanted: measure longer (--time)",
			               s->cpu, s->n, OS_QUANTA_LEAST);
		for (int k = 0; k < f->cpus; k++)
			if (f->cpu[k].cpu == s->cpu)
				return err_set(
				    err, ERR_INPUT,
				    "processor %d was measured with two quanta: fit one at a time",
				    s->cpu);
		if (f->cpus == OS_CPUS)
			return err_set(err, ERR_LIMIT, "more than %d processors", OS_CPUS);
		f->cpu[f->cpus].cpu = s->cpu;
		if (cpu_fit(raw, s, f, &f->cpu[f->cpus++], d, err) < 0)
			return -1;
	}
	return f->cpus ? 0 : err_set(err, ERR_INPUT, "no measurements of fixed work (fwq)");
}

int os_fit_make(const struct os_raw *raw, struct os_fit *f, struct err *err)
{
	struct detours_seen d = {0};
	int r;

	memset(f, 0, sizeof *f);
	str_init(&f->warnings);
	f->cpu = calloc(OS_CPUS, sizeof *f->cpu);
	r = f->cpu ? cpus_find(raw, f, &d, err)
	           : err_nomem(err, "processors", OS_CPUS * sizeof *f->cpu);
	if (r == 0)
		r = sleeps_fit(raw, f, err);
	if (r == 0)
		r = lengths_fit(f, &d, err);
	if (r == 0) {
		periods_join(f);
		common_fit(f);
		r = f->warnings.failed ? err_nomem(err, "warnings", f->warnings.n) : 0;
	}
	if (r < 0)
		os_fit_release(f);
	free(d.pooled);
	return r;
}

void os_fit_release(struct os_fit *f)
{
	free(f->cpu);
	str_release(&f->warnings);
	memset(f, 0, sizeof *f);
}
