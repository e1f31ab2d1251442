/* rng.h: named random streams: the same (seed, name, index) gives the same numbers, whatever else
 * is drawn elsewhere. */
#ifndef ORRERY_BASE_RNG_H
#define ORRERY_BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t s[4];
}; /* xoshiro256** (Blackman, Vigna 2018), seeded by splitmix64 */

void rng_init(struct rng *r, uint64_t seed, const char *name, uint64_t index);
uint64_t rng_u64(struct rng *r);
double rng_unit(struct rng *r);                /* uniform in [0, 1) */
uint64_t rng_below(struct rng *r, uint64_t n); /* uniform in [0, n), n > 0, without bias */
double rng_normal(struct rng *r);              /* mean 0, deviation 1 */

#endif
