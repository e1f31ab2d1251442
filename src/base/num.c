/* num.c: numbers from text and to text.
 *
 * Traces of millions of lines are mostly integers and short decimals: those are converted by hand,
 * exactly. A decimal m·10^e with m < 2^53 and |e| <= 22 needs one correctly rounded operation on
 * two exact doubles (Clinger 1990); anything longer goes to strtod_l, on a copy whose syntax was
 * checked first (strtod would accept blanks, hexadecimal, "inf" and "nan"). */
#include "num.h"

#include "plain_locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUM_MAX_LENGTH = 511, NUM_EXACT_POWERS = 22 };

static const double power10[NUM_EXACT_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static inline int is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

int num_parse_i64(const char *s, size_t n, int64_t *out)
{
	const char *end = s + n;
	int negative = 0;
	int64_t v = 0;

	if (n > 0 && (*s == '-' || *s == '+'))
		negative = *s++ == '-';
	if (s == end || n > NUM_MAX_LENGTH)
		return -1;
	for (; s < end; s++) {
		int digit = *s - '0';

		if (!is_digit(*s) || __builtin_mul_overflow(v, 10, &v) ||
		    __builtin_sub_overflow(v, digit, &v))
			return -1;
	}
	if (!negative && v == INT64_MIN)
		return -1;
	*out = negative ? v : -v; /* built downwards, so that INT64_MIN is reached */
	return 0;
}

size_t num_take_digits(const char *s, int64_t *out)
{
	size_t n = 0;

	while (is_digit(s[n]))
		n++;
	return num_parse_i64(s, n, out) == 0 ? n : 0;
}

static int digit_of(char c)
{
	return is_digit(c)            ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : 16;
}

/* The digits of a base: how many; 0: none, or a number out of range. */
static size_t take(const char *s, unsigned base, uint64_t *out)
{
	uint64_t v = 0;
	size_t n = 0;

	for (; (unsigned)digit_of(s[n]) < base; n++)
		if (n == NUM_MAX_LENGTH || __builtin_mul_overflow(v, base, &v) ||
		    __builtin_add_overflow(v, (unsigned)digit_of(s[n]), &v))
			return 0;
	*out = n ? v : *out;
	return n;
}

size_t num_take_hex(const char *s, uint64_t *out)
{
	return take(s, 16, out);
}

size_t num_take_as_c(const char *s, int64_t *out)
{
	size_t sign = *s == '-' || *s == '+', before = sign, n;
	unsigned base = 10;
	uint64_t v = 0;

	if (s[sign] == '0' && (s[sign + 1] == 'x' || s[sign + 1] == 'X') &&
	    digit_of(s[sign + 2]) < 16) {
		base = 16;
		before += 2;
	} else if (s[sign] == '0') {
		base = 8;
	}
	n = take(s + before, base, &v);
	if (n == 0 || v > INT64_MAX)
		return 0;
	*out = *s == '-' ? -(int64_t)v : (int64_t)v;
	return before + n;
}

int num_parse_count(const char *s, size_t n, int64_t *out)
{
	double d;

	if (num_parse_i64(s, n, out) == 0)
		return 0;
	if (num_parse_double(s, n, &d) < 0 || !(d > -0x1p63 && d < 0x1p63) ||
	    (double)(int64_t)d != d)
		return -1;
	*out = (int64_t)d;
	return 0;
}

/* A scanned decimal: mantissa·10^exponent, when all its digits fitted. */
struct decimal {
	uint64_t mantissa;
	int exponent;
	int negative;
	int digits; /* significant ones, leading zeros not counted */
};

/* Digits from s on, added to d; returns where they end. */
static const char *digits_scan(const char *s, const char *end, struct decimal *d)
{
	for (; s < end && is_digit(*s); s++) {
		if (d->digits < 19)
			d->mantissa = d->mantissa * 10 + (uint64_t)(*s - '0');
		d->digits += d->mantissa != 0;
	}
	return s;
}

/* "e+12" and the like from s on; returns where it ends, or NULL. */
static const char *exponent_scan(const char *s, const char *end, int *exponent)
{
	int negative, e = 0;
	const char *first;

	s++;
	negative = s < end && *s == '-';
	if (s < end && (*s == '-' || *s == '+'))
		s++;
	for (first = s; s < end && is_digit(*s); s++)
		if (e < 100000)
			e = e * 10 + (*s - '0');
	*exponent += negative ? -e : e;
	return s > first ? s : NULL;
}

/* The whole of [s, end) as [+-]digits[.digits][e[+-]digits], with a digit before or after the
 * point. */
static int decimal_scan(const char *s, const char *end, struct decimal *d)
{
	const char *first, *after;
	size_t n;

	d->negative = s < end && *s == '-';
	if (s < end && (*s == '-' || *s == '+'))
		s++;
	first = s;
	s = digits_scan(s, end, d);
	n = (size_t)(s - first);
	if (s < end && *s == '.') {
		after = s + 1;
		s = digits_scan(after, end, d);
		d->exponent = (int)(after - s);
		n += (size_t)(s - after);
	}
	if (n == 0)
		return -1;
	if (s < end && (*s == 'e' || *s == 'E'))
		s = exponent_scan(s, end, &d->exponent);
	return s == end ? 0 : -1;
}

static int double_slow(const char *s, size_t n, double *out)
{
	char buf[NUM_MAX_LENGTH + 1];
	double v;

	memcpy(buf, s, n);
	buf[n] = '\0';
	v = strtod_l(buf, NULL, plain_locale());
	if (!isfinite(v))
		return -1;
	*out = v;
	return 0;
}

int num_parse_double(const char *s, size_t n, double *out)
{
	struct decimal d = {0};
	double v;

	if (n == 0 || n > NUM_MAX_LENGTH || decimal_scan(s, s + n, &d) < 0)
		return -1;
	if (d.digits > 19 || d.mantissa > (uint64_t)1 << 53 || d.exponent < -NUM_EXACT_POWERS ||
	    d.exponent > NUM_EXACT_POWERS)
		return double_slow(s, n, out);
	v = (double)d.mantissa;
	v = d.exponent < 0 ? v / power10[-d.exponent] : v * power10[d.exponent];
	*out = d.negative ? -v : v;
	return 0;
}

int num_is_huge(const char *s, size_t n)
{
	struct decimal d = {0};
	double v;

	return n <= NUM_MAX_LENGTH && decimal_scan(s, s + n, &d) == 0 &&
	       num_parse_double(s, n, &v) < 0;
}

void fmt_si(char *out, size_t n, double v, const char *unit)
{
	locale_t before = plain_locale_take();
	static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
	size_t i = 0;
	double a = v;

	while (fabs(a) >= 999.5 && i + 1 < sizeof prefix / sizeof *prefix) {
		a /= 1000;
		i++;
	}
	snprintf(out, n, "%.3g%s%s%s", a, prefix[i][0] || unit[0] ? " " : "", prefix[i], unit);
	uselocale(before);
}

void fmt_seconds(char *out, size_t n, double seconds)
{
	locale_t before = plain_locale_take();
	double a = fabs(seconds);

	if (a == 0 || !isfinite(a))
		snprintf(out, n, "%g s", seconds);
	else if (a < 0.99995e-6)
		snprintf(out, n, "%.4g ns", seconds * 1e9);
	else if (a < 0.99995e-3)
		snprintf(out, n, "%.4g us", seconds * 1e6);
	else if (a < 0.99995)
		snprintf(out, n, "%.4g ms", seconds * 1e3);
	else if (a < 999.95)
		snprintf(out, n, "%.4g s", seconds);
	else
		snprintf(out, n, a < 1e15 ? "%.0f s" : "%.4g s", seconds);
	uselocale(before);
}
