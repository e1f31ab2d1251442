/* model.c: see model.h. */
#include "model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* How many characters they take; 0: there are none. */
static int terms_read(double *t, const char *text)
{
	int n = 0;

	return sscanf(text, "%lf,%lf,%lf,%lf,%lf%n", &t[0], &t[1], &t[2], &t[3], &t[4], &n) ==
	               MODEL_TERMS
	           ? n
	           : 0;
}

int model_read(struct model *m, const char *name, const char *text)
{
	const char *rank = getenv("ORRERY_LIVE_RANK");
	int n = terms_read(m->mean, text), k;

	m->deviates = 0;
	if (n == 0 || text[n] != ':')
		return n > 0;
	k = terms_read(m->deviation, text + n + 1);
	if (k == 0 || text[n + 1 + k] != '#')
		return 0;
	m->deviates = 1;
	rng_init(&m->stream, strtoull(text + n + k + 2, NULL, 10), name,
	         rank ? strtoull(rank, NULL, 10) : 0);
	return 1;
}

static double sum_of(const double *t, double a, double b, double c)
{
	return t[0] * a * b * c + t[1] * a * b + t[2] * a * c + t[3] * b * c + t[4];
}

/* |z| of a normal z has the mean sqrt(2 / pi) and the variance 1 - 2 / pi. */
double model_seconds(struct model *m, double a, double b, double c)
{
	double seconds = sum_of(m->mean, a, b, c);

	if (m->deviates)
		seconds += sum_of(m->deviation, a, b, c) *
		           (fabs(rng_normal(&m->stream)) - sqrt(M_2_PI)) / sqrt(1 - M_2_PI);
	return seconds > 0 ? seconds : 0;
}
