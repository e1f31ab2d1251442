/* model.c: see model.h. */
#include "model.h"

#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many characters they take, whatever the program's locale; 0: there are none. */
static size_t terms_read(double *t, const char *text)
{
	const char *s = text;

	for (int i = 0; i < MODEL_TERMS; i++) {
		size_t length = strcspn(s, ",:;#");

		if (num_parse_double(s, length, &t[i]) < 0 ||
		    (i + 1 < MODEL_TERMS && s[length] != ','))
			return 0;
		s += length + (i + 1 < MODEL_TERMS);
	}
	return (size_t)(s - text);
}

static uint64_t number(const char *text)
{
	int64_t n = 0;

	num_take_digits(text, &n);
	return (uint64_t)n;
}

int model_read(struct model *m, const char *name, uint64_t rank, const char *text)
{
	size_t n = terms_read(m->mean, text), k;

	m->deviates = 0;
	if (n == 0 || text[n] != ':')
		return n > 0;
	k = terms_read(m->deviation, text + n + 1);
	if (k == 0 || text[n + 1 + k] != '#')
		return 0;
	m->deviates = 1;
	rng_init(&m->stream, number(text + n + k + 2), name, rank);
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
