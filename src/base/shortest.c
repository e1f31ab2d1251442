/* shortest.c: a number in the fewest of 15 to 17 digits that give it back, as "%.15g", "%.16g",
 * "%.17g" tried in turn with strtod would, without asking the C library, whose exact arithmetic
 * takes microseconds. Tables of dates are millions of such numbers.
 *
 * The digits are an integer D with v = D / 10^k, both exact in a long double of 64 bits. The
 * quotient is off by half a unit of its last place at most: where all that it may be rounds to v, D
 * gives v back. Where that is not certain, or the last digit is, the caller asks printf: about one
 * number in a hundred. */
#include "str.h"

#include <float.h>
#include <math.h>

#if LDBL_MANT_DIG >= 64
enum { POWERS = 22 };
static const long double powers[POWERS] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,
                                           1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L,
                                           1e16L, 1e17L, 1e18L, 1e19L, 1e20L, 1e21L};

/* D of n digits, k of them after the point: 1 it gives v back, 0 it does not, -1 not certain. */
static int digits_try(double v, int n, int k, int64_t *out)
{
	long double x = v * powers[k], d = rintl(x), quotient = d / powers[k],
	            off = quotient * 0x1p-63L;

	if (fabsl(fabsl(x - d) - 0.5L) < 0x1p-6L || d >= powers[n] || d < powers[n - 1])
		return -1;
	*out = (int64_t)d;
	int low = (double)(quotient - off) == v, high = (double)(quotient + off) == v;
	return low == high ? low : -1;
}

/* k of the digits after the point, no zeros at the end. */
static size_t digits_put(char *buf, int64_t d, int k)
{
	char rev[32];
	size_t n = 0, len = 0;

	for (; k > 0 && d % 10 == 0; k--)
		d /= 10;
	for (int i = 0; d > 0 || i <= k; i++, d /= 10) {
		if (i == k && k > 0)
			rev[n++] = '.';
		rev[n++] = (char)('0' + d % 10);
	}
	while (n > 0)
		buf[len++] = rev[--n];
	return len;
}

size_t shortest_format(double v, char buf[32])
{
	double a = fabs(v);
	int e = 14, found;
	int64_t d;
	size_t sign = v < 0;

	if (!(a >= 1e-4 && a < 1e15))
		return 0;
	while (e > 0 && (long double)a < powers[e])
		e--;
	for (; e <= 0 && e > -4 && (long double)a * powers[-e] < 1; e--)
		;
	for (int n = 15; n <= 17; n++) {
		found = digits_try(a, n, n - 1 - e, &d);
		if (found < 0)
			return 0;
		if (found) {
			buf[0] = '-';
			return sign + digits_put(buf + sign, d, n - 1 - e);
		}
	}
	return 0;
}
#else
size_t shortest_format(double v, char buf[32])
{
	(void)v;
	(void)buf;
	return 0;
}
#endif
