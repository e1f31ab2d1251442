/* run.h: the face of the room that makes a running program a source of a simulation (sim/sim.h):
 * what its computations take, what its processes find in their environment, its trace.
 *
 *   running_new -> running_source -> sim_new, sim_run, … sim_free -> running_end -> running_free */
#ifndef ORRERY_RUN_H
#define ORRERY_RUN_H

#include "launch/traced.h"
#include "live/live.h"
#include "sim/sim.h"

/* What is to run, and how. Zero but for the command; kept by the caller until running_free. */
struct run_plan {
	char *const *command; /* NULL-terminated */
	int n_words;
	const char *computation;  /* "measured", "none", or a file of amounts; NULL: measured */
	double speed;             /* volume per second of this computer; 0: not told */
	double thread_cores;      /* as in live/wire.h */
	uint32_t jobs;            /* ranks that may run at once; 0: one if computation is measured,
	                             else all */
	uint32_t universe;        /* ranks that may be there at once; 0: not told */
	uint8_t checks, profiles; /* as in live/live.h */
	/* With checks: told what is wrong with the program when it is found; NULL: at the end. */
	void (*wrong)(void *self, double date, const char *text);
	void *wrong_self;
	void (*stopped)(const char *text); /* as in live/live.h, or NULL */
	void (*keeps)(const char *text);   /* the same */
	enum live_holding holding;
	uint32_t slots;
	uint64_t stack;
	const char *output;
	const char *const *wrap;
	uint32_t n_wrap;
	const char *const *kernel; /* NAME=FILE */
	uint32_t n_kernels;
	const char *const *fold; /* SIZE: allocations from so many bytes on share memory;
	                            FUNCTION=SIZE: those of this function */
	uint32_t n_folds;
	int huge_pages; /* the memory that they share is made of */
	/* The folder of its trace, or NULL; is one that is there overwritten? Frames of a call
	 * site, or NULL. */
	const char *trace;
	int overwrite;
	const char *sites;
	enum mpi_family family; /* of a script, whose file says none */
	int family_told;        /* by the user; else it is the default */
};

struct running;
/* Looks at the program's file and puts what its processes are to find into the environment of this
 * process. The folder of the trace is made. */
struct running *running_new(const struct run_plan *plan, struct err *err);
struct sim_source running_source(struct running *r);
/* After all runs: how the processes ended (ERR_PROGRAM: some badly), and the trace made whole
 * (ERR_LIMIT: it could not be). failed: the simulation did. */
int running_end(struct running *r, int failed, struct str *notices, struct err *err);
void running_free(struct running *r);
/* Where a process that was forked is to run and end it (and to free its copy), in the one that made
 * it: frees it, once that process is gone; its trace is made of what the ranks left, if that
 * process did not come to it. 0; 1: that is so; -1: it is, and could not be done. */
int running_cut(struct running *r, struct str *notices, struct err *err);
/* Where ranks left what running_cut makes a trace of; NULL: there is nothing to do. */
const char *running_folder(const struct running *r);

#endif
