/* osnoise_period.c: periodic noise in a series of FTQ: Fisher's test on the periodogram of the work
 * that is missing.
 *
 * 1. What is missing is cut at the height that a few of a hundred quanta pass: one long detour has
 *    power at all frequencies and hides the rest.
 * 2. The power at each frequency is divided by the median of its neighbourhood: noise need not be
 *    white, a line must stand out of what is around it.
 * 3. Fisher's g is the largest power over the sum of all: P(g > x) <= m (1 - x)^(m - 1) for m
 *    frequencies of white noise.
 * 4. Short ticks have power at all multiples of their frequency, and any of them may be the
 *    largest: if only each j-th tick of the peak's period is one, the period is j times as long;
 *    and again, until all are.
 * 5. Ticks that are found are taken out, and the rest is looked at again. */
#include "osnoise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
static const double NORMAL_975 = 1.96; /* quantile of a normal distribution */
static const double SURE = 1e-4;       /* by chance as conspicuous: once in ten thousand series */
static const double FASTEST = 1 / 2.2; /* in 1/quanta: what is faster is seen as slower (Nyquist) */
enum {
	AROUND = 50,      /* frequencies on either side that a line must stand out of */
	LOWEST = 12,      /* periods in the series: what is slower is a drift */
	LEAST = 256,      /* quanta */
	MULTIPLES = 64,   /* of a period that are tried */
	TICKS_LEAST = 8,  /* of which a mean and its error are told */
	SEARCH_STEPS = 22 /* each leaves 0.618 of two frequencies: 5e-5 of one in the end */
};
/* The height at which missing work is cut: what 3 quanta of a hundred are above the median, three
 * times (1 in the file's head). */
static const double CUT_QUANTILE = 0.97, CUT = 3;
/* The same of the phase, where the line is known: more than any tick is above the mean. */
static const double CUT_PHASE = 20;
/* Quanta that are this long after a tick, and before the next one, hold nothing of either. */
static const double AFTER = 2, BEFORE = 1.2;
/* In 1/quanta: ticks that are further apart than four quanta are looked for in three of them. */
static const double SPARSE = 0.25;
/* Each j-th tick is one, the others are none, if the two means leave less than this of the squares,
 * and less than any other j by so much. By choice: of ticks alike two means leave nearly all. */
static const double SQUARES_LEFT = 0.6, SQUARES_BETTER = 0.98;
/* Quantiles. The work of an undisturbed quantum is what one in twenty exceeds, by scatter. Where no
 * quantum is far from ticks, what the quietest tenth misses is the usual. The sums around ticks are
 * cut at what three of two hundred exceed: other detours are in these. */
static const double UNDISTURBED = 0.95, QUIET = 0.1, TICK_HEIGHT = 0.985;
/* What is left of a period is no other one: a multiple of it or a part, up to so many times and as
 * exactly, and shorter than so much of it. */
static const double MULTIPLE_MOST = 12.5, MULTIPLE_EXACT = 1e-3, REST = 0.3;

struct search {
	const struct os_series *s;
	size_t n;        /* a power of two */
	double unit;     /* of work, s */
	double *y;       /* missing work, s */
	double *re, *im; /* its transform */
	double *power;   /* n / 2 frequencies */
	double *some;    /* work space */
	int starved;     /* memory was missing somewhere */
};

/* Cooley and Tukey 1965, radix 2, in place. */
static void transform(double *re, double *im, size_t n)
{
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n >> 1;
		double t;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			t = re[i], re[i] = re[j], re[j] = t;
			t = im[i], im[i] = im[j], im[j] = t;
		}
	}
	for (size_t half = 1; half < n; half *= 2) {
		for (size_t k = 0; k < half; k++) {
			double c = cos(PI * (double)k / (double)half),
			       s = -sin(PI * (double)k / (double)half);

			for (size_t a = k; a < n; a += 2 * half) {
				size_t b = a + half;
				double x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;

				re[b] = re[a] - x;
				im[b] = im[a] - y;
				re[a] += x;
				im[a] += y;
			}
		}
	}
}

static double quantile(struct search *w, const double *v, size_t n, double q)
{
	memcpy(w->some, v, n * sizeof *v);
	fit_sort(w->some, n);
	return fit_quantile(w->some, n, q);
}

/* Of sorted values those that are not far out (Tukey 1977: three quartile ranges beyond a quartile;
 * work is counted in units): from *from to before *to. A trimmed mean of what is skewed, as the
 * time that is missing is, lies beside the mean. */
static void fence(const struct search *w, const double *sorted, size_t n, size_t *from, size_t *to)
{
	double low = fit_quantile(sorted, n, 0.25), high = fit_quantile(sorted, n, 0.75),
	       room = 3 * (high - low) + 2 * w->unit;

	for (*from = 0; sorted[*from] < low - room;)
		(*from)++;
	for (*to = n; sorted[*to - 1] > high + room;)
		(*to)--;
}

static double mean_of(const double *v, size_t from, size_t to, double *square)
{
	double sum = 0, mean;

	for (size_t i = from; i < to; i++)
		sum += v[i];
	mean = sum / (double)(to - from);
	*square = 0;
	for (size_t i = from; i < to; i++)
		*square += (v[i] - mean) * (v[i] - mean);
	return mean;
}

/* Through a window of Hann (Harris 1978): a line between two frequencies leaks into all others
 * without, and the least line, between none, would stand out the most of what the greatest left
 * around itself. Power stays what it was, in the mean. */
static void periodogram(struct search *w)
{
	size_t n = w->n, half = n / 2;
	double middle = quantile(w, w->y, n, 0.5), top = quantile(w, w->y, n, CUT_QUANTILE),
	       most = middle + CUT * (top - middle), mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += fmin(w->y[i], most) / (double)n;
	for (size_t i = 0; i < n; i++) {
		double turn = 2 * PI * ((double)i + 0.5) / (double)n,
		       hann = sqrt(8.0 / 3) * 0.5 * (1 - cos(turn));

		w->re[i] = hann * (fmin(w->y[i], most) - mean);
		w->im[i] = 0;
	}
	transform(w->re, w->im, n);
	for (size_t k = 1; k < half; k++)
		w->re[k] = w->re[k] * w->re[k] +
		           w->im[k] * w->im[k]; /* the rest of re is not needed */
	for (size_t k = 1; k < half; k++) {
		size_t lo = k > AROUND + 1 ? k - AROUND : 1,
		       hi = k + AROUND < half ? k + AROUND : half - 1;
		/* the median of exponential values is ln 2 of their mean */
		double level = quantile(w, w->re + lo, hi - lo + 1, 0.5) / 0.693147;

		w->power[k] = level > 0 ? w->re[k] / level : 0;
	}
	w->power[0] = 0;
}

/* |sum of y exp(-2 pi i f t)| and its angle, t in quanta, at any frequency. */
static double at_frequency(const struct search *w, double f, double *angle)
{
	double c = 0, s = 0, mean = 0, most = 0;

	for (size_t i = 0; i < w->n; i++)
		mean += w->y[i] / (double)w->n;
	/* a long detour must not decide where the ticks are */
	most = CUT_PHASE * fmax(mean, 1e-12);
	for (size_t i = 0; i < w->n; i++) {
		double a = 2 * PI * fmod(f * (double)i, 1), v = fmin(w->y[i], most) - mean;

		c += v * cos(a);
		s += v * sin(a);
	}
	*angle = atan2(s, c);
	return hypot(c, s);
}

/* The frequency, in 1/quanta, near k / n at which there is most: golden section within one step on
 * either side. */
static double refine(const struct search *w, size_t k)
{
	const double golden = 0.61803398874989485;
	double a = ((double)k - 1) / (double)w->n, b = ((double)k + 1) / (double)w->n,
	       x = b - golden * (b - a), y = a + golden * (b - a), angle,
	       fx = at_frequency(w, x, &angle), fy = at_frequency(w, y, &angle);

	for (int i = 0; i < SEARCH_STEPS; i++) {
		if (fx > fy) {
			b = y, y = x, fy = fx;
			x = b - golden * (b - a);
			fx = at_frequency(w, x, &angle);
		} else {
			a = x, x = y, fx = fy;
			y = a + golden * (b - a);
			fy = at_frequency(w, y, &angle);
		}
	}
	return (a + b) / 2;
}

/* The largest power from LOWEST on, and Fisher's probability; 0: none. */
static size_t peak_find(const struct search *w, double *p)
{
	size_t half = w->n / 2, most = (size_t)((double)w->n * FASTEST), at = 0, m = most - LOWEST;
	double sum = 0, g;

	for (size_t k = LOWEST; k < most && k < half; k++) {
		sum += w->power[k];
		if (at == 0 || w->power[k] > w->power[at])
			at = k;
	}
	g = sum > 0 ? w->power[at] / sum : 0;
	*p = fmin(1, (double)m * exp((double)(m - 1) * log1p(-fmin(g, 1 - 1e-12))));
	return *p < SURE ? at : 0;
}

/* What is missing around a tick above the usual: the quantum it should be in, the next one and,
 * where ticks are far enough apart, the one before. */
static double tick_sum(const struct search *w, double date, double base, int before)
{
	long b = (long)floor(date);
	double sum = 0;

	for (long i = b - before; i <= b + 1; i++)
		if (i >= 0 && i < (long)w->n)
			sum += w->y[i] - base;
	return sum;
}

/* The usual missing work of quanta without a tick; *error of it, a deviation. */
static double base_find(struct search *w, double f, double phase, double *error)
{
	double mean, square;
	size_t n = 0, lo, hi;

	*error = 0;

	for (size_t i = 0; i < w->n; i++) {
		double from = ((double)i - phase) * f -
		              floor(((double)i - phase) * f); /* periods since the last tick */

		if (from > AFTER * f && from < 1 - BEFORE * f)
			w->some[n++] = w->y[i];
	}
	if (n == 0)
		return quantile(w, w->y, w->n, QUIET);
	fit_sort(w->some, n);
	fence(w, w->some, n, &lo, &hi); /* a mean: a median knows no parts of a unit of work */
	mean = mean_of(w->some, lo, hi, &square);
	*error = sqrt(square) / (double)(hi - lo);
	return mean;
}

/* The sums around all ticks: their number. */
static size_t ticks_sum(struct search *w, double f, double phase, double base, double *each)
{
	size_t n = 0;

	for (double date = phase; date < (double)w->n - 2; date += 1 / f)
		each[n++] = tick_sum(w, date, base, f < SPARSE);
	return n;
}

/* The squares that are left when the ticks first, first + j, … have one mean and the others another
 * one; infinity if the former is the lesser one. */
static double squares_left(const double *each, size_t n, size_t j, size_t first)
{
	double sum[2] = {0}, square = 0, mean[2];
	size_t count[2] = {0};

	for (size_t i = 0; i < n; i++) {
		sum[i % j == first] += each[i];
		count[i % j == first]++;
	}
	mean[0] = count[0] ? sum[0] / (double)count[0] : 0;
	mean[1] = count[1] ? sum[1] / (double)count[1] : 0;
	for (size_t i = 0; i < n; i++)
		square += (each[i] - mean[i % j == first]) * (each[i] - mean[i % j == first]);
	return j == 1 || mean[1] > mean[0] ? square : INFINITY;
}

/* Each j-th tick only? Changes frequency and phase then. */
static int multiple_find(struct search *w, double *f, double *phase)
{
	double *each = malloc((size_t)((double)w->n * *f + 3) * sizeof *each), error,
	       base = base_find(w, *f, *phase, &error), all, least, most;
	size_t n, best = 1, from = 0;

	if (!each) {
		w->starved = 1;
		return -1;
	}
	n = ticks_sum(w, *f, *phase, base, each);
	most = n ? quantile(w, each, n, TICK_HEIGHT) : 0;
	for (size_t i = 0; i < n; i++)
		each[i] = fmin(each[i], most);
	least = all = squares_left(each, n, 1, 0);
	for (size_t j = 2; j <= MULTIPLES && n / j >= TICKS_LEAST; j++) {
		for (size_t r = 0; r < j; r++) {
			double left = squares_left(each, n, j, r);

			if (left < SQUARES_LEFT * all && left < SQUARES_BETTER * least) {
				least = left;
				best = j;
				from = r;
			}
		}
	}
	*phase += (double)from / *f;
	*f /= (double)best;
	free(each);
	return 0;
}

static int length_find(struct search *w, double f, double phase, struct os_period *out)
{
	double error, base = base_find(w, f, phase, &error), square,
	              *each = malloc((size_t)((double)w->n * f + 3) * sizeof *each), own;
	size_t n, from, to;

	if (!each) {
		w->starved = 1;
		return -1;
	}
	n = ticks_sum(w, f, phase, base, each);
	if (n < TICKS_LEAST) {
		free(each);
		return -1;
	}
	fit_sort(each, n);
	fence(w, each, n, &from, &to); /* other detours are in some of them */
	out->length = mean_of(each, from, to, &square);
	own = sqrt(square / (double)(to - from)) / sqrt((double)(to - from) - 1);
	/* of three quanta, or two: ticks_sum */
	out->length_95 = hypot(fit_t975((double)(to - from) - 1) *
	                           hypot(own, (f < SPARSE ? 3 : 2) * error),
	                       w->unit / 4);
	free(each);
	return 0;
}

/* In quanta, how much of a drift from the first tick to the last the ticks of this period leave
 * unseen: the widest gap between the places in a quantum where they fall. A tick is seen to have
 * moved when it leaves its quantum. */
static double gap_widest(struct search *w, double period, double phase, size_t ticks)
{
	double widest;

	for (size_t i = 0; i < ticks; i++)
		w->some[i] = fmod(phase + (double)i * period, 1);
	fit_sort(w->some, ticks);
	widest = w->some[0] + 1 - w->some[ticks - 1];
	for (size_t i = 1; i < ticks; i++)
		widest = fmax(widest, w->some[i] - w->some[i - 1]);
	return widest;
}

/* In quanta: by how much dates that are whole quanta may mislead: a period of nearly a whole number
 * of quanta (or halves, thirds) is known no better than that all its ticks fall into one quantum of
 * so many, and a line through a single step of a gap in their middle rises by one and a half gaps.
 */
static double period_unseen(struct search *w, double period, double phase)
{
	enum { STEPS = 20 };
	const double most = 1.5;
	size_t ticks = (size_t)fmax((double)w->n / period, 2);
	double widest = 0;

	ticks = ticks < w->n ? ticks : w->n;
	for (int i = -STEPS; i <= STEPS; i++)
		widest = fmax(
		    widest, gap_widest(w, period + i * most / STEPS / (double)ticks, phase, ticks));
	return most * widest / (double)ticks;
}

static void ticks_remove(struct search *w, double f, double phase, double length)
{
	for (double date = phase; date < (double)w->n; date += 1 / f) {
		long b = (long)floor(date);
		double left = length;

		for (long i = b; left > 0 && i <= b + 1 && i < (long)w->n; i++) {
			double got = i >= 0 ? fmin(fmax(w->y[i], 0), left) : 0;

			if (i >= 0)
				w->y[i] -= got;
			left -= got;
		}
	}
}

static int one_find(struct search *w, struct os_period *out)
{
	double f, line, angle, amplitude, phase, rest = 0;
	size_t at;

	periodogram(w);
	at = peak_find(w, &out->p);
	if (!at)
		return 0;
	f = refine(w, at);
	amplitude = at_frequency(w, f, &angle) * 2 / (double)w->n;
	phase = fmod(angle / (2 * PI) + 1, 1) /
	        f; /* the middle of the quanta with ticks; a tick is in the quantum of this index */
	phase += 0.5;
	if (phase > 1 / f)
		phase -= 1 / f;
	out->period_95 = 1 / f;
	do {
		line = f;
		if (multiple_find(w, &f, &phase) < 0)
			return 0;
	} while (f < line);
	out->period = w->s->quantum / f;
	for (size_t k = LOWEST; k < w->n / 2; k++)
		rest += w->re[k] / ((double)w->n / 2 - LOWEST);
	rest = sqrt(rest / (double)w->n); /* deviation of a value */
	/* The deviation of the frequency of a line in white noise (Rife, Boorstyn 1974), three
	 * times: what is left beside a line is other lines. */
	out->period_95 *= 3 * NORMAL_975 * out->period * sqrt(6) * rest /
	                  (PI * amplitude * pow((double)w->n, 1.5));
	out->period_95 = hypot(out->period_95, w->s->quantum * period_unseen(w, 1 / f, phase));
	out->phase = w->s->start[0] + phase * w->s->quantum;
	if (length_find(w, f, phase, out) < 0)
		return 0;
	ticks_remove(w, f, phase, out->length);
	return out->length > out->length_95;
}

/* What is left of a period that is not quite one: it is not found twice. */
static int is_new(const struct os_period *p, int n)
{
	for (int i = 0; i < n; i++) {
		double ratio = fmax(p[i].period, p[n].period) / fmin(p[i].period, p[n].period);

		if (ratio < MULTIPLE_MOST && fabs(ratio - round(ratio)) < MULTIPLE_EXACT * ratio &&
		    p[n].length < REST * p[i].length)
			return 0;
	}
	return 1;
}

/* Each length beside the others: what was found first held a part of them. */
static void lengths_again(struct search *w, const double *kept, struct os_period *p, int n)
{
	double q = w->s->quantum;

	for (int i = 0; i < n && n > 1; i++) {
		struct os_period again = p[i];

		memcpy(w->y, kept, w->n * sizeof *kept);
		for (int j = 0; j < n; j++)
			if (j != i)
				ticks_remove(w, q / p[j].period, (p[j].phase - w->s->start[0]) / q,
				             p[j].length);
		if (length_find(w, q / p[i].period, (p[i].phase - w->s->start[0]) / q, &again) ==
		        0 &&
		    again.length > again.length_95)
			p[i] = again;
	}
}

int os_periods_find(const struct os_series *s, struct os_period *out, double **power,
                    size_t *n_power, struct err *err)
{
	struct search w = {.s = s, .n = 1};
	double full, *memory, *kept;
	int found = 0;

	if (power)
		*power = NULL;
	while (2 * w.n <= s->n)
		w.n *= 2;
	if (s->n < LEAST)
		return 0;
	memory = malloc(6 * w.n * sizeof *memory);
	if (!memory)
		return err_nomem(err, "a periodogram", 6 * w.n * sizeof *memory);
	w.y = memory;
	w.re = w.y + w.n;
	w.im = w.re + w.n;
	w.some = w.im + w.n;
	w.power = w.some + w.n;
	full = quantile(&w, s->value, w.n, UNDISTURBED);
	w.unit = full > 0 ? s->quantum / full : 0;
	for (size_t i = 0; i < w.n; i++)
		w.y[i] = full > 0 ? s->quantum * (1 - s->value[i] / full) : 0;
	periodogram(&w);
	if (power) {
		*n_power = w.n / 2;
		*power = malloc(w.n / 2 * sizeof **power);
		w.starved |= !*power;
		if (*power)
			memcpy(*power, w.power, w.n / 2 * sizeof **power);
	}
	kept = w.y + 5 * w.n;
	memcpy(kept, w.y, w.n * sizeof *kept);
	for (int tries = 0;
	     tries < 2 * OS_PERIODS && found < OS_PERIODS && one_find(&w, &out[found]); tries++)
		found += is_new(out, found);
	lengths_again(&w, kept, out, found);
	free(memory);
	if (!w.starved)
		return found;
	if (power) {
		free(*power);
		*power = NULL;
	}
	return err_nomem(err, "a periodogram", w.n * sizeof *memory);
}
