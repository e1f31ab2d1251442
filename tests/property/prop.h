/* prop.h: what property tests have in common: how many cases, from which seed, as the environment
 * (PROP_SEED, PROP_CASES) or the test says; printed once, so that a failure can be repeated. Tests
 * whose number of cases is their own count seeds from PROP_SEED on (prop_seed). */
#ifndef ORRERY_TESTS_PROPERTY_PROP_H
#define ORRERY_TESTS_PROPERTY_PROP_H

#include "test.h"

#include "base/rng.h"

struct prop_run {
	uint64_t seed, cases;
};

static inline struct prop_run prop_begin(uint64_t cases)
{
	const char *seed = getenv("PROP_SEED"), *n = getenv("PROP_CASES");
	struct prop_run p = {seed ? strtoull(seed, NULL, 0) : 20261124,
	                     n ? strtoull(n, NULL, 0) : cases};

	printf("PROP_SEED=%llu PROP_CASES=%llu\n", (unsigned long long)p.seed,
	       (unsigned long long)p.cases);
	return p;
}

/* The n-th seed of a test: n more than PROP_SEED; n without. Of a failure at seed s PROP_SEED=s has
 * its first case. */
static inline uint64_t prop_seed(uint64_t n)
{
	const char *seed = getenv("PROP_SEED");

	return n + (seed ? strtoull(seed, NULL, 0) : 0);
}

/* Whole numbers from lo to hi. */
static inline uint32_t prop_from(struct rng *r, uint32_t lo, uint32_t hi)
{
	return lo + (uint32_t)rng_below(r, (uint64_t)hi - lo + 1);
}

/* True once in n times. */
static inline int prop_once_in(struct rng *r, uint64_t n)
{
	return rng_below(r, n) == 0;
}

#endif
