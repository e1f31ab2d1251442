/* turns.c: see turns.h. Values count as equal if they differ by no more than a ratio: two and a
 * half at first, so that noise hides no level that is far from the others; then its root, and so on
 * down to what the precision allows. */
#include "turns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST = 8,        /* values */
	TIMES = 3,        /* a period is seen */
	OUTLIERS_OF = 16, /* one in so many values may be one */
	RATIOS_MOST = 8
};
static const double RATIO_MOST = 2.5,
                    WRONG_MOST =
                        1. / 3, /* share of values unlike those a period before: it is so much */
    BETTER = 2.5,               /* times smaller than that without a period, */
    DEVIATIONS = 4,             /* and so many deviations of what chance would make of that */
    NEARLY = 0.02;

struct turning {
	const double *v;
	uint32_t n;
	double ratio, small; /* what is below is all alike */
};

static int by_size(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

/* The greatest of the least values that come to such a share of all: whose they are does not
 * matter. */
static double small_find(const double *v, uint32_t n, double share)
{
	double sorted[TURNS_LOOKED_AT], sum = 0, small = 0;

	memcpy(sorted, v, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_size);
	for (uint32_t i = 0; i < n - n / OUTLIERS_OF; i++)
		sum += sorted[i];
	sum *= share;
	for (uint32_t i = 0; i < n && (sum -= sorted[i]) >= 0; i++)
		small = sorted[i];
	return small;
}

static int alike(const struct turning *t, double a, double b)
{
	return fmax(a, b) <= t->small || fmax(a, b) <= t->ratio * fmin(a, b);
}

/* The share of values that are unlike those p before. */
static double wrong(const struct turning *t, uint32_t p)
{
	uint32_t unlike = 0;

	for (uint32_t i = p; i < t->n; i++)
		unlike += !alike(t, t->v[i], t->v[i - p]);
	return (double)unlike / (t->n - p);
}

/* Whether a period is better than none, and not by chance. */
static int is_better(const struct turning *t, uint32_t p, double of, double none)
{
	double deviation = sqrt(none * (1 - none) / (t->n - p));

	return of <= WRONG_MOST && BETTER * of <= none && none - of > DEVIATIONS * deviation;
}

/* The shortest period that is nearly as good as the best; 0: none is. */
static uint32_t period_find(const struct turning *t)
{
	double of[TURNS_MOST + 1], least = 1, none = wrong(t, 1);
	uint32_t most = t->n / TIMES < TURNS_MOST ? t->n / TIMES : TURNS_MOST;

	if (none <= 0)
		return 0;
	for (uint32_t p = 2; p <= most; p++) {
		of[p] = wrong(t, p);
		least = of[p] < least ? of[p] : least;
	}
	for (uint32_t p = 2; p <= most; p++)
		if (of[p] <= 1.25 * least + NEARLY && is_better(t, p, of[p], none))
			return p;
	return 0;
}

/* The median of the values at a position. */
static double position_middle(const struct turning *t, uint32_t position, uint32_t p)
{
	double v[TURNS_LOOKED_AT];
	uint32_t n = 0;

	for (uint32_t i = position; i < t->n; i += p)
		v[n++] = t->v[i];
	qsort(v, n, sizeof *v, by_size);
	return v[n / 2];
}

/* Positions, from the least: a level begins where one is unlike the first of the level. How many.
 */
static uint32_t levels_find(const struct turning *t, uint32_t p, double *level)
{
	double middle[TURNS_MOST], sorted[TURNS_MOST], from;
	uint32_t levels = 1;

	for (uint32_t i = 0; i < p; i++)
		sorted[i] = middle[i] = position_middle(t, i, p);
	qsort(sorted, p, sizeof *sorted, by_size);
	from = sorted[0];
	for (uint32_t k = 0; k < p; k++) {
		if (!alike(t, sorted[k], from)) {
			from = sorted[k];
			levels++;
		}
		for (uint32_t i = 0; i < p; i++)
			if (middle[i] == sorted[k])
				level[i] = from;
	}
	return levels;
}

/* Ratios from what the precision allows on, each the square of the one before: how many. */
static uint32_t ratios_list(int precision, double *ratio)
{
	uint32_t n = 1;

	ratio[0] = 100.0 / precision;
	for (; n < RATIOS_MOST && ratio[n - 1] * ratio[n - 1] < RATIO_MOST; n++)
		ratio[n] = ratio[n - 1] * ratio[n - 1];
	return n;
}

/* The period, and t->ratio what told it; 0: none. */
static uint32_t turns_tell(struct turning *t, const double *ratio, uint32_t ratios)
{
	uint32_t p = 0;

	if (t->n < LEAST)
		return 0;
	for (uint32_t k = ratios; k > 0 && p == 0; k--) {
		t->ratio = ratio[k - 1];
		p = period_find(t);
	}
	for (uint32_t k = 0; p > 0 && ratio[k] < t->ratio; k++) {
		struct turning fine = *t;

		fine.ratio = ratio[k];
		if (wrong(&fine, p) <= WRONG_MOST)
			t->ratio = ratio[k];
	}
	return p;
}

uint32_t turns_find(const double *v, uint32_t n, int precision, double level[TURNS_MOST],
                    double *apart)
{
	struct turning t = {.v = v, .n = n};
	double ratio[RATIOS_MOST];
	uint32_t ratios, p;

	level[0] = 0;
	*apart = 1;
	if (n == 0 || precision <= 0 || precision >= 100)
		return 1;
	t.small = small_find(v, n, (100 - precision) / 1000.0);
	ratios = ratios_list(precision, ratio);
	p = turns_tell(&t, ratio, ratios);
	*apart = t.ratio;
	if (p > 0 && levels_find(&t, p, level) > 1)
		return p;
	*apart = ratio[ratios - 1];
	level[0] = position_middle(&t, 0, 1);
	return 1;
}
