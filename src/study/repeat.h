/* repeat.h: one prediction made again: with other seeds of its noise, or on other machines. */
#ifndef ORRERY_STUDY_REPEAT_H
#define ORRERY_STUDY_REPEAT_H

#include "sim/sim.h"

struct repeat {
	const char *who; /* a verb: begins errors about what was asked for */
	const struct sim_options *options;
	const struct sim_source *source; /* unopened; opened once per run */
	void (*tell)(void *self, const char *notices);
	/* seeds: what is the same in all runs, of the first, into *about; or NULL. Of 64 KiB at
	 * most: what is longer is left out. */
	void (*describe)(void *self, const struct sim *sim, struct str *about);
	struct str *about;
	void *self; /* of both */
};

/* Runs with the seeds seed, seed + 1, …, in processes of their own (spread.h): simulated times into
 * end[0..runs), with what each is off by what nobody knows of machine and model unless the setting
 * noise/model is off. *trust, and what is told, is that of the first, whose critical path says what
 * decides the time. ERR_INPUT: there is nothing to draw. */
int repeat_seeds(const struct repeat *r, int runs, uint64_t seed, double *end,
                 struct sim_trust *trust, struct err *err);

/* What came of one machine. */
struct repeat_result {
	const struct sim *sim;
	double end, ratio;        /* s; to the first machine's */
	struct trust_sides reach; /* what holds 95 % (trust_reach) */
	int cut;                  /* a lower bound: the trace ends before the program did */
	struct profile_shares shares;
};
/* One machine after the other, each of them handed to `each`; what it returns that is not 0 ends
 * it. */
int repeat_machines(const struct repeat *r, const char *const *machine, int n,
                    int (*each)(void *self, const struct repeat_result *res, struct err *err),
                    void *self, struct err *err);

#endif
