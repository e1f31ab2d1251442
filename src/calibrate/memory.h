/* memory.h: how fast a core of this computer copies memory and combines two arrays, by size:
 * smpi/copy-rate, smpi/reduce-rate. */
#ifndef ORRERY_CALIBRATE_MEMORY_H
#define ORRERY_CALIBRATE_MEMORY_H

#include "base/base.h"

enum { MEMORY_SIZES = 14, MEMORY_TYPES = 4, MEMORY_OPS = 4 }; /* 64 B, 256 B, …, 4 GiB at most */
struct memory_rates {
	int sizes;                   /* measured */
	double size[MEMORY_SIZES];   /* bytes */
	double copy[MEMORY_SIZES];   /* bytes/s, the median of repetitions */
	double spread[MEMORY_SIZES]; /* of these: relative distance of the quartiles */
	double reduce[MEMORY_OPS][MEMORY_TYPES]
	             [MEMORY_SIZES]; /* elements/s; sizes are those of an array */
};
extern const char *const memory_op_names[MEMORY_OPS], *const memory_type_names[MEMORY_TYPES];
/* Measures on this core, `seconds` in all or so, arrays up to `largest` bytes each. */
int memory_measure(struct memory_rates *m, double seconds, double largest, struct err *err);
/* "0:9.1e9;128:1.2e10;…": rates by size (scaled by `unit`, bytes per counted thing), neighbours
 * that differ by less than a tenth as one. */
void memory_table(const struct memory_rates *m, const double *rate, double unit, struct str *out);
void memory_settings(const struct memory_rates *m, struct str *out);
void memory_text(const struct memory_rates *m, struct str *out);
void memory_json(const struct memory_rates *m, struct str *out);

#endif
