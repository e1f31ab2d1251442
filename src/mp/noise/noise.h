/* noise.h: random factors. */
#ifndef ORRERY_MP_NOISE_NOISE_H
#define ORRERY_MP_NOISE_NOISE_H

#include "mp/mp_int.h"

/* noise.c: factors of the times of messages (by their sender) and computations; only with a setting
 * noise/seed. */
int noise_init(struct mp *mp, struct err *err);
void noise_free(struct noise *n);
double noise_message(struct noise *n, uint32_t rank, double bytes);
double noise_run(
    const struct mp *mp,
    double bytes); /* of this run, of overheads (in noise_message too); 1 without noise */
double noise_unit(struct noise *n, uint32_t rank); /* 0 to 1, from the stream of its messages */
double noise_compute(struct noise *n, uint32_t rank, double volume, double speed,
                     double now); /* speed: volume per second */

double noise_sleep(struct noise *n, uint32_t rank); /* how late a sleep ends, s */

#endif
