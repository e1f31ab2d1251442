/* computation.h: what the computations of a running program take, where that is not what is
 * measured: a file of amounts (--computation FILE), or calibrated rates (--rates). */
#ifndef ORRERY_RUN_COMPUTATION_H
#define ORRERY_RUN_COMPUTATION_H

#include "live/live.h"
#include "replay/replay.h"

struct computation {
	enum live_computation kind;
	struct amounts amounts;
	struct rates rates;
	int has_amounts, has_rates;
	double working_set;
	struct mp *mp;
	int32_t *rates_host; /* of each rank; NULL: not asked for yet */
	uint64_t unknown;    /* computations of regions of which the file says nothing, */
	double unknown_s;    /* and what they took */
};

/* text: of --computation, or NULL. */
int computation_take(struct computation *c, const char *text, struct err *err);
/* All is ready to run: rates of the settings are read; *out: what to ask of regions. *taken: of
 * processor time, if rates say it. */
int computation_start(struct computation *c, struct mp *mp, const struct config *cfg,
                      struct live_regions *out, struct str *notices, struct err *err);
double computation_rest(const struct computation *c, double nanoseconds);
void computation_notices(const struct computation *c, struct str *out);
void computation_release(struct computation *c);

#endif
