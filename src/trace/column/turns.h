/* turns.h: whether the values of a place come in turn: one call in a loop over the levels of a
 * multigrid cycle, one step in ten that writes. Then they have a period, and the values of one
 * position in it are alike as those of the place are not. */
#ifndef ORRERY_TRACE_TURNS_H
#define ORRERY_TRACE_TURNS_H

#include <stdint.h>

enum { TURNS_MOST = 128, TURNS_LOOKED_AT = 1024 };

/* v: the first n values of a place (at most TURNS_LOOKED_AT), in their order, none negative. The
 * period, and of each position its level: the least middle of those that are alike, as far as the
 * noise in them tells: *apart is the ratio from which on values are not. 1: they are one
 * distribution, level[0] its middle, and *apart is two and a half at most. */
uint32_t turns_find(const double *v, uint32_t n, int precision, double level[TURNS_MOST],
                    double *apart);

#endif
