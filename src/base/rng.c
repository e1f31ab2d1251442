/* rng.c: xoshiro256** 1.0 (Blackman, Vigna: "Scrambled linear pseudorandom number generators",
 * 2018), seeded by splitmix64. */
#include "rng.h"

#include "hash.h"

#include <math.h>
#include <string.h>

static uint64_t splitmix_next(uint64_t *x)
{
	return hash_mix(*x += 0x9e3779b97f4a7c15u);
}

void rng_init(struct rng *r, uint64_t seed, const char *name, uint64_t index)
{
	/* each step is bijective in its last argument */
	uint64_t x = hash_mix(hash_mix(hash_text(name, strlen(name)) ^ hash_mix(seed)) + index);
	int i;

	for (i = 0; i < 4; i++)
		r->s[i] = splitmix_next(&x);
}

static uint64_t rotate_left(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s, result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	uint64_t x,
	    least = -n % n; /* 2^64 mod n: numbers below it would favour the first residues */

	do
		x = rng_u64(r);
	while (x < least);
	return x % n;
}

/* Marsaglia's polar method; the second value is not kept, so that the state is only the
 * stream's. */
double rng_normal(struct rng *r)
{
	double u, v, s;

	do {
		u = 2 * rng_unit(r) - 1;
		v = 2 * rng_unit(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}
