/* amounts.h: what regions of a program take, as a file says (run --computation FILE). */
#ifndef ORRERY_LIVE_AMOUNTS_H
#define ORRERY_LIVE_AMOUNTS_H

#include "base/base.h"

struct amount {
	double value;
	uint8_t is_volume; /* what the machine's speed counts; else seconds */
	uint8_t met;       /* the program had this region */
};

enum amounts_rest { AMOUNTS_NONE, AMOUNTS_MEASURED, AMOUNTS_SECONDS };

struct amounts {
	struct hash_str index; /* region -> amount */
	struct amount *amount;
	uint32_t n, cap;
	enum amounts_rest rest; /* of regions that are not in the file */
	double seconds;         /* AMOUNTS_SECONDS: each */
};

int amounts_read(struct amounts *a, const char *path, struct err *err);
void amounts_release(struct amounts *a);

#endif
