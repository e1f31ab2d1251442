/* reopen.h: a nest whose calls differ in their counts only, and come in no order, is no loops but a
 * list as long as the run: a coin that chooses between two sizes takes ten times the bits that it
 * gives. Such counts are opened (call.h) when all is known: then these calls are one, in a loop,
 * and their counts a column. While events come in, that is done from a number of values on only,
 * since where they do come in an order, loops are shorter. */
#ifndef ORRERY_TRACE_REOPEN_H
#define ORRERY_TRACE_REOPEN_H

#include "nest.h"

/* 1: *to is the same as a closed nest with such counts open, and it is worth trying (*to has the
 * tables of n: it ends before that, by nest_reopened_release); 0: it is not; -1. */
int nest_reopen(const struct nest *n, struct nest *to, struct err *err);
void nest_reopened_release(struct nest *to);
/* Bytes that a closed nest takes, nearly: of its structure, whatever its calls cost, so that two
 * runs of a program have one form. */
uint64_t nest_weight(const struct nest *n);

#endif
