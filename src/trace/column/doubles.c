/* doubles.c: columns of volumes and durations. Most are integers, or whole nanoseconds, as the
 * tracer writes them: these are columns of integers then. */
#include "column.h"

#include <math.h>
#include <stdlib.h>

static const double LARGEST = 9007199254740992.0, /* 2^53 */
    HALVES = 2251799813685248.0;                  /* 2^51: below, a half can be added */

/* The integer that a double is in this scale; 0 if it is none. llround is a call, and this is done
 * for every cost of a traced program. */
static int scaled(double v, enum scale scale, int64_t *out)
{
	double x = scale == SCALE_NANO ? v * 1e9 : v;
	int64_t i;

	if (!(fabs(x) < LARGEST))
		return 0;
	i = fabs(x) < HALVES ? (int64_t)(x < 0 ? x - 0.5 : x + 0.5) : llround(x);
	*out = i;
	return double_bits(scale == SCALE_NANO ? (double)i / 1e9 : (double)i) == double_bits(v);
}

static int all_scaled(const int64_t *bits, uint64_t n, enum scale scale, int64_t *out)
{
	for (uint64_t i = 0; i < n; i++)
		if (!scaled(bits_double(bits[i]), scale, &out[i]))
			return 0;
	return 1;
}

void doubles_put(struct str *s, const int64_t *bits, uint64_t n)
{
	int64_t one, *scaled_items = n > 1 ? malloc(n * sizeof *bits) : &one;
	enum scale scale = SCALE_BITS;

	if (scaled_items && all_scaled(bits, n, SCALE_ONE, scaled_items))
		scale = SCALE_ONE;
	else if (scaled_items && all_scaled(bits, n, SCALE_NANO, scaled_items))
		scale = SCALE_NANO;
	str_putc(s, (char)scale);
	column_put(s, scale == SCALE_BITS ? bits : scaled_items, n);
	if (n > 1)
		free(scaled_items);
}

const uint8_t *doubles_check(const uint8_t *p, const uint8_t *end, uint64_t n)
{
	return p < end && *p <= SCALE_NANO ? column_check(p + 1, end, n) : NULL;
}

int64_t doubles_scaled(enum scale scale, int64_t v)
{
	switch (scale) {
	case SCALE_BITS:
		return v;
	case SCALE_ONE:
		return double_bits((double)v);
	default:
		return double_bits((double)v / 1e9);
	}
}

int64_t doubles_get(const uint8_t *p, uint64_t i)
{
	return doubles_scaled((enum scale) * p, column_get(p + 1, i));
}
