/* spread.h: many runs of one simulation, each with its own seed, in parallel on the processors;
 * their spread. */
#ifndef ORRERY_STUDY_SPREAD_H
#define ORRERY_STUDY_SPREAD_H

#include "base/base.h"

/* One run with a seed: 0 and *end, the simulated time, s; or -1. */
typedef int spread_once(void *self, uint64_t seed, double *end, struct err *err);

/* Runs with the seeds seed, seed + 1, … into end[0..runs), in that order whatever the number of
 * processes, which is that of the processors. The error is that of the first run that failed. */
int spread_run(spread_once *once, void *self, int runs, uint64_t seed, double *end,
               struct err *err);

/* Text: lines that end with "simulated time: MEAN s", trust (lines) before it; or one JSON object,
 * trust (JSON) its member, `times` in the order of seeds. The interval holds 95 % of further runs;
 * of fewer than 39 it is from the least to the greatest, and holds what is said (`holds`). end is
 * sorted. */
void spread_text(double *end, int runs, uint64_t seed, const char *trust, struct str *out);
void spread_json(double *end, int runs, uint64_t seed, const char *trust, struct str *out);

#endif
