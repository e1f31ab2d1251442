/* osnoise.h: what the operating system takes from a program: measured by fixed work (FWQ) and fixed
 * time (FTQ), fitted, written as settings.
 *
 * FWQ: the same work again and again; what takes longer than the quiet time was interrupted: a
 * detour, of the length of the difference. FTQ: how much work is done in each of many equal quanta
 * of time; samples at equal distances, so that periodic noise shows in their periodogram. (Sottile,
 * Minnich 2004; Hoefler, Schneider, Lumsdaine 2010.) */
#ifndef ORRERY_CALIBRATE_OSNOISE_H
#define ORRERY_CALIBRATE_OSNOISE_H

#include "calibrate/fit/fit.h"

enum { OS_QUANTA_LEAST = 100 }; /* of fixed work on a processor, for a fit */
enum os_kind { OS_FWQ, OS_FTQ, OS_SLEEP, OS_KINDS };

/* One kind on one processor. Starts in seconds since the beginning. fwq: duration of the work, s.
 * ftq: work done in the quantum, in units of its own. sleep: how late a sleep of `quantum` ended,
 * s. */
struct os_series {
	enum os_kind kind;
	int cpu;
	double quantum; /* s; fwq: what was aimed at */
	double *start, *value;
	size_t n, cap;
};
struct os_raw {
	struct os_series *series;
	uint32_t n, cap;
	struct str meta; /* comment lines, without "# " */
};
void os_raw_init(struct os_raw *raw);
void os_raw_release(struct os_raw *raw);
/* The series of that kind, processor and quantum, made if need be; NULL: no memory. */
struct os_series *os_series_get(struct os_raw *raw, enum os_kind kind, int cpu, double quantum,
                                struct err *err);
int os_series_add(struct os_series *s, double start, double value, struct err *err);
/* CSV: "# key: value" lines, kind,cpu,quantum,start,value. */
int os_raw_read(struct os_raw *raw, const char *path, struct err *err);
void os_raw_write(const struct os_raw *raw, struct str *out);

/* Processors, each once; zero to begin with, `cpu` is the caller's to free. */
struct os_cpus {
	int *cpu, n;
};
int os_cpus_all(struct os_cpus *c, struct err *err); /* those that this process may use */
int os_cpus_parse(struct os_cpus *c, const char *text, struct err *err); /* "0-3,8" */
/* A notice where real-time priority will be seen in what is measured. */
void os_realtime_tell(struct str *out);

/* Measures on these processors at the same time, a thread on each: FWQ, then FTQ, then sleeps,
 * `seconds` in all, in quanta of `quantum` s. */
int os_measure(struct os_raw *raw, const int *cpu, int cpus, double seconds, double quantum,
               struct err *err);

/* A periodic detour found in a series of FTQ: every `period` s one of `length`, the first at
 * `phase`; 95 % intervals; p: how likely as strong a peak is in white noise (Fisher 1929). */
struct os_period {
	double period, period_95, length, length_95, phase, p;
};
enum { OS_PERIODS = 4 };
/* Periods from 2.2 quanta to a twelfth of the time. Returned: how many, most conspicuous first.
 * power, if not NULL, gets the periodogram, its mean 1, of *n_power frequencies k / (2 *n_power
 * quantum); the caller frees it. -1: no memory. */
int os_periods_find(const struct os_series *ftq, struct os_period *out, double **power,
                    size_t *n_power, struct err *err);

struct os_cpu {
	int cpu;
	double quiet, deviation; /* s, of the fixed work; relative deviation of undisturbed work */
	double threshold;        /* s: shorter detours are not seen */
	double share;            /* of the time, lost to detours, measured */
	double rate, rate_95;    /* of detours that are not periodic, per second */
	double several;          /* detours in a disturbed quantum, on average */
	double slow; /* relative deviation of what undisturbed work takes from second to second */
	struct os_period period[OS_PERIODS];
	int periods;
	size_t quanta, disturbed;
};
enum { OS_CPUS = 8192 }; /* as AFFINITY_CPUS */
struct os_fit {
	struct os_cpu *cpu;
	int cpus;
	double rate[FIT_MODES], median[FIT_MODES],
	    sigma[FIT_MODES]; /* random detours: Poisson, log-normal; all processors alike */
	int random;
	struct os_period period[OS_PERIODS]; /* mean of the processors */
	int periods;
	double share, model_share; /* of the time, measured and by the model */
	double longest;            /* detour seen, s */
	double slow;               /* what seconds have in common, relative */
	double spread;             /* between the processors' quiet times, relative */
	double sleep_median,
	    sleep_95; /* a sleep ends that late, s; 95 % quantile; 0: not measured */
	size_t detours;
	struct str warnings;
};
int os_fit_make(const struct os_raw *raw, struct os_fit *f, struct err *err);
void os_fit_release(struct os_fit *f);

/* "noise/detours:… noise/periodic:… noise/run-compute:…", a line each. */
void os_settings_write(const struct os_fit *f, struct str *out);
void os_text_write(const struct os_fit *f, struct str *out);
void os_json_write(const struct os_fit *f, struct str *out);
void os_report_write(const struct os_raw *raw, const struct os_fit *f, struct str *out);

#endif
