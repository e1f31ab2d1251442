/* spread.h: numbers for what all of a run has in common, spread evenly over runs.
 *
 * Runs are few, and drawn at random the middle of 40 such numbers would be off by chance, for all
 * programs alike. So run number n takes the fraction of n times the root of a prime, a different
 * prime for each kind of number (Weyl, Ueber die Gleichverteilung von Zahlen mod. Eins, 1916):
 * evenly spread, and the kinds independent of each other. */
#ifndef ORRERY_BASE_SPREAD_H
#define ORRERY_BASE_SPREAD_H

#include <stdint.h>

enum { SPREAD_KINDS = 18 };

/* In (0, 1); of seed 1 a half, for every kind. kind < SPREAD_KINDS. */
double spread_unit(uint64_t seed, uint32_t kind);
/* Quantiles for u in (0, 1): of the standard normal distribution; of Student's t with two degrees
 * of freedom. */
double spread_normal(double u);
double spread_t_two(double u);

#endif
