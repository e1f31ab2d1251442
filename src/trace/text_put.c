/* text_put.c: integers and doubles to decimal text without printf.
 *
 * Doubles. A decimal of at most 15 digits that reads back as v is the shortest one: two such decimals cannot read back as the same double.
 * So v·10^p is rounded to 15, then 16, then 17 digits in long double, and the first k/10^p that reads back as v is taken. Where long
 * doubles cannot tell (one number in a thousand beyond 15 digits, and the very large and small), str_put_double decides. Volumes are
 * integers and durations are nanoseconds, hence nearly all are done after one product and one division. */
#include "text_put.h"

#include <float.h>
#include <math.h>

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354"
    "5556575859606162636465666768697071727374757677787980818283848586878889909192939495969798990";

void text_u64(struct text *t, uint64_t v)
{
	char digits[20], *p = digits + sizeof digits;

	text_room(t);
	while (v >= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, pairs + v * 2, 2);
	} else
		*--p = (char)('0' + v);
	memcpy(t->p, p, (size_t)(digits + sizeof digits - p));
	t->p += digits + sizeof digits - p;
}

enum { POWERS = 28 };
static const long double power10[POWERS] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                            1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                            1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

enum { NO, YES, PERHAPS };
enum { EXACT_POWERS = 22 /* 10^22 is exact in a double */ };

/* Whether k/10^p reads back as v. One division of exact doubles rounds as reading does; else the quotient is wrong by half a unit in the last
 * place of a long double, and its neighbours say whether that matters. */
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
	char digits[24];
	struct text d = {.p = d.buf};
	int n;

	while (p > 0 && k % 10 == 0) {
		k /= 10;
		p--;
	}
	text_u64(&d, k);
	n = (int)(d.p - d.buf);
	memcpy(digits, d.buf, (size_t)n);
	if (p >= n + 3) { /* 0.0000… */
		text_u64(t, k);
		text_const(t, "e-");
		text_u64(t, (uint64_t)p);
		return;
	}
	if (p >= n) {
		text_const(t, "0.");
		for (int i = n; i < p; i++)
			*t->p++ = '0';
		memcpy(t->p, digits, (size_t)n);
		t->p += n;
		return;
	}
	memcpy(t->p, digits, (size_t)(n - p));
	t->p += n - p;
	if (p > 0) {
		*t->p++ = '.';
		memcpy(t->p, digits + n - p, (size_t)p);
		t->p += p;
	}
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
	if (!text_rounded(t, v)) {
		text_flush(t);
		str_put_double(t->s, v);
	}
}
