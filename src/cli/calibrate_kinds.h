/* calibrate_kinds.h: the kinds of `orrery calibrate`, and their options. */
#ifndef ORRERY_CLI_CALIBRATE_KINDS_H
#define ORRERY_CLI_CALIBRATE_KINDS_H

#include "verbs.h"

enum {
	OPT_OUT = 1,
	OPT_REPORT,
	OPT_RAW,
	OPT_FROM,
	OPT_CABINETS,
	OPT_LARGEST,
	OPT_SAMPLES,
	OPT_TIME,
	OPT_MPICC,
	OPT_SPEED,
	OPT_CORES,
	OPT_BANDWIDTH,
	OPT_SEED,
	OPT_NAME,
	OPT_NP,
	OPT_MODEL,
	OPT_NOISE,
	OPT_BY,
	OPT_SESSION,
	OPT_WITHOUT,
	OPT_JSON,
	OPT_CPUS,
	OPT_QUANTUM,
	OPT_VOLUMES,
	OPT_WORKING_SETS,
	OPT_WITH,
	OPT_ONCE
};

int calibrate_network(const struct args *a, struct err *err);
int calibrate_cpu(const struct args *a, struct err *err);
int calibrate_kernel(const struct args *a, struct err *err);
int calibrate_noise(const struct args *a, struct err *err);
int calibrate_memory(const struct args *a, struct err *err);
int calibrate_processor(const struct args *a, struct err *err);
int calibrate_all(const struct args *a, struct err *err);

/* A positive number given to an option; *out untouched if not given. */
int calibrate_number(const struct args *a, int id, const char *name, enum unit_kind kind,
                     double *out, struct err *err);
/* --time of what measures this computer: up to `most` seconds, a fraction of one too. */
int calibrate_seconds(const struct args *a, double most, double *out, struct err *err);
/* --name and --speed go into the platform as they are. */
int calibrate_words_check(const struct args *a, struct err *err);
/* --once FILE: 1 if this process is to measure: the first of those that a launcher starts. */
int calibrate_once(const struct args *a, int *is_first, struct err *err);

#endif
