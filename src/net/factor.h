/* factor.h: tables by the size of a message: factors, overheads. */
#ifndef ORRERY_NET_FACTOR_H
#define ORRERY_NET_FACTOR_H

#include "base/base.h"

/* Tables of (threshold, values) as in network/bandwidth-factor and smpi/os: "thr:v[:v2…];…", any
 * order. */
struct factor_row {
	double threshold, value[2];
};
struct factor_table {
	struct factor_row *rows;
	uint32_t n;
};
/* Sorted by threshold. A text with neither ':' nor ';' is a constant from 0. */
int factor_table_parse(struct factor_table *t, const char *text, struct err *err);
void factor_table_release(struct factor_table *t);
/* value[0] of the row with the largest threshold strictly below size; none: `below`. */
double factor_lookup(const struct factor_table *t, double size, double below);
/* base + per byte of the same row (overheads). Up to the first threshold: 0; but the first row in
 * compat, and for a size of 0 where that threshold is 0. */
double overhead_lookup(const struct factor_table *t, double size, int compat);

#endif
