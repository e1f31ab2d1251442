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
/* Measures on this core, `seconds` in all or so, arrays up to `largest` bytes each. */
int memory_measure(struct memory_rates *m, double seconds, double largest, struct err *err);
void memory_settings(const struct memory_rates *m, struct str *out);
void memory_text(const struct memory_rates *m, struct str *out);
void memory_json(const struct memory_rates *m, struct str *out);

#endif
