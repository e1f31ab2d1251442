/* spread.c: see spread.h. */
#include "base/spread.h"

#include "base/base.h"

#include <math.h>

double spread_unit(uint64_t seed, uint32_t kind)
{
	/* 2^64 times the fractions of the roots of the primes from 2 to 53, of 211 and 401 (the
	 * roots of 59 and 61 go with those of 11 and 17 for too long): products of integers are
	 * modulo 2^64 by themselves. */
	static const uint64_t step[SPREAD_KINDS] = {
	    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
	    0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
	    0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
	    0x869d6342f6d22822, 0x66560954a8e8129};
	BUG_ON(kind >= SPREAD_KINDS);
	uint64_t v = (seed - 1) * step[kind] + (1ull << 63);

	return ((double)(v >> 11) + 0.5) * 0x1p-53;
}

/* By bisection: it is asked a few times in a run. */
double spread_normal(double u)
{
	double low = -9, high = 9;

	while (high - low > 1e-12) {
		double z = (low + high) / 2;

		if (0.5 * erfc(-z / sqrt(2)) < u)
			low = z;
		else
			high = z;
	}
	return (low + high) / 2;
}

/* The distribution function is 1/2 + x / (2 sqrt(2 + x^2)). */
double spread_t_two(double u)
{
	return (2 * u - 1) / sqrt(2 * u * (1 - u));
}
