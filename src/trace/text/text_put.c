/* text_put.c: integers and doubles to decimal text without printf.
 *
 * Doubles. A decimal of at most 15 digits that reads back as v is the shortest one: two such
 * decimals cannot read back as the same double. So v·10^p is rounded to 15, then 16, then 17 digits
 * in long double, and the first k/10^p that reads back as v is taken. Where long doubles cannot
 * tell (one number in a thousand beyond 15 digits, and the very large and small), str_put_double
 * decides. Volumes are integers and durations are nanoseconds, hence nearly all are done after one
 * product and one division (text_nanoseconds). */
#include "text_put.h"

#include <float.h>
#include <math.h>

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

static int digits_count(uint64_t v)
{
	static const uint64_t power[] = {0,
	                                 10,
	                                 100,
	                                 1000,
	                                 10000,
	                                 100000,
	                                 1000000,
	                                 10000000,
	                                 100000000,
	                                 1000000000,
	                                 10000000000,
	                                 100000000000,
	                                 1000000000000,
	                                 10000000000000,
	                                 100000000000000,
	                                 1000000000000000,
	                                 10000000000000000,
	                                 100000000000000000,
	                                 1000000000000000000,
	                                 10000000000000000000u};
	/* bits times log10(2): right, or one less than the digits */
	int guess = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return guess + (v >= power[guess]);
}

/* The n digits of v at p. */
static void digits_fill(char *p, uint64_t v, int n)
{
	p += n;
	while (v >= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10)
		memcpy(p - 2, pairs + v * 2, 2);
	else
		p[-1] = (char)('0' + v);
}

char *text_digits(char *p, uint64_t v)
{
	int n = v == 0 ? 1 : digits_count(v);

	digits_fill(p, v, n);
	return p + n;
}

void text_u64(struct text *t, uint64_t v)
{
	text_room(t);
	t->p = text_digits(t->p, v);
}

enum { POWERS = 28 };
static const long double power10[POWERS] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                            1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                            1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                            1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

enum { NO, YES, PERHAPS };
enum { EXACT_POWERS = 22 /* 10^22 is exact in a double */ };

/* Whether k/10^p reads back as v. One division of exact doubles rounds as reading does; else the
 * quotient is wrong by half a unit in the last place of a long double, and its neighbours say
 * whether that matters. */
static int reads_back(uint64_t k, int p, double v)
{
	long double q;
	int below, above;

	if (p <= EXACT_POWERS && k < (uint64_t)1 << 53)
		return (double)k / (double)power10[p] == v;
	q = (long double)k / power10[p];
	below = (double)(q * (1 - LDBL_EPSILON)) == v;
	above = (double)(q * (1 + LDBL_EPSILON)) == v;
	return below == above ? below : PERHAPS;
}

/* k/10^p as text, k > 0: plain while that is short, else with an exponent. */
static void text_decimal(struct text *t, uint64_t k, int p)
{
	int n;

	while (p > 0 && k % 10 == 0) {
		k /= 10;
		p--;
	}
	n = digits_count(k);
	if (p >= n + 3) { /* 0.000… */
		text_u64(t, k);
		text_const(t, "e-");
		text_u64(t, (uint64_t)p);
		return;
	}
	if (p >= n) {
		text_const(t, "0.");
		memset(t->p, '0', (size_t)(p - n));
		digits_fill(t->p + p - n, k, n);
		t->p += p;
		return;
	}
	digits_fill(t->p, k, n);
	if (p > 0) {
		memmove(t->p + n - p + 1, t->p + n - p, (size_t)p);
		t->p[n - p] = '.';
	}
	t->p += n + (p > 0);
}

/* Durations are whole nanoseconds, and so are many other numbers. */
static int text_nanoseconds(struct text *t, double v)
{
	uint64_t k;

	if (!(v < 1e6)) /* k has at most 15 digits */
		return 0;
	k = (uint64_t)(v * 1e9 + 0.5);
	if (k == 0 || (double)k / 1e9 != v)
		return 0;
	text_decimal(t, k, 9);
	return 1;
}

/* v > 0 with 15, 16 or 17 digits; 0 when this way is not certain. */
static int text_rounded(struct text *t, double v)
{
	int exponent, tens;

	frexp(v, &exponent);                                     /* v < 2^exponent */
	tens = (int)floor((exponent - 1) * 0.30102999566398120); /* 10^tens <= v < 10^(tens + 2) */
	for (int digits = 15; digits <= 17; digits++) {
		int p = digits - 1 - tens;
		uint64_t k;
		int is;

		if (p < 0 || p >= POWERS)
			return 0;
		if (v * power10[p] >= power10[digits])
			p--;
		if (p < 0)
			return 0;
		k = (uint64_t)(v * power10[p] + 0.5L);
		is = reads_back(k, p, v);
		if (is == PERHAPS)
			return 0;
		if (is == YES) {
			text_decimal(t, k, p);
			return 1;
		}
	}
	return 0;
}

void text_double(struct text *t, double v)
{
	text_room(t);
	if (!isfinite(v))
		v = 0;
	if (signbit(v)) {
		*t->p++ = '-';
		v = -v;
	}
	if (v < 0x1p53 && v == (double)(uint64_t)v) {
		text_u64(t, (uint64_t)v);
		return;
	}
	if (!text_nanoseconds(t, v) && !text_rounded(t, v)) {
		text_flush(t);
		str_put_double(t->s, v);
	}
}
