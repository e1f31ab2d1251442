/* live.h: the face of the room: a running program drives mp.
 *
 *   live_new -> mp_new, live_attach -> live_start (processes) -> mp_run(live_program) -> live_end
 */
#ifndef ORRERY_LIVE_H
#define ORRERY_LIVE_H

#include "amounts.h"
#include "can_run.h"
#include "compile.h"
#include "kernels.h"
#include "mp/mp.h"

enum live_computation {
	LIVE_MEASURED, /* processor time of the rank, at the speed of this computer */
	LIVE_NONE      /* computations take no time */
};
enum live_holding {
	LIVE_PROCESSES, /* a rank is a process */
	LIVE_COROUTINES /* a rank is a coroutine of this one (coro/) */
};
#define LIVE_PREFIX "prefix"

/* What regions of the program take: what it computes from one call of MPI to the next (region.c).
 */
struct live_regions {
	int32_t (*find)(void *self, const char *name); /* as in a trace; -1: nothing is known of it;
	                                                  NULL: of none */
	/* What one takes on the rank's host, s; < 0: what was measured or told. id: of find.
	 * volume: what was measured or told. */
	double (*seconds)(void *self, uint32_t rank, int32_t id, double volume);
	void *self;
};

struct live_options {
	char *const *command; /* NULL-terminated */
	const char *library;  /* folder of the MPI libraries that simulated programs get */
	enum live_computation computation;
	double thread_cores; /* as in wire.h */
	double reading;      /* as in wire.h */
	uint8_t checks;      /* where each call was is remembered, for what is told of it */
	uint8_t profiles;    /* what each region took is asked for at the end */
	struct live_regions regions;
	uint32_t spare;    /* of the ranks, the last so many may be spawned */
	uint32_t universe; /* ranks that may be there at once, as the user said it; 0: not said */
	int traced;        /* a place among them is used once: it is a rank of the trace */
	uint32_t jobs;     /* ranks that may run at once */
	enum live_holding holding;
	uint64_t stack; /* of a coroutine, bytes; 0: 8 MiB */
	int mpich;      /* of coroutines: a program that names no library of MPI finds MPICH's */
	int folds;      /* --fold-memory was given */
	const char *tracer; /* of coroutines: the library to load into each, or NULL */
	uint32_t slots;     /* of coroutines that are in memory at once; 0: as many as can be */
	double speed;       /* volume per second of this computer; 0: not told */
	/* What so many nanoseconds of processor time here take on the host of a rank, s; NULL: what
	 * is measured is made a volume by `speed`, or by the host's speed: as long as here. */
	double (*taken)(void *self, uint32_t rank, double nanoseconds);
	const char *(*host_name)(void *self, uint32_t rank, char *buf, size_t n);
	void *self;
	const struct live_kernels *kernels; /* functions that are not run, or NULL (kernels.h) */
	uint64_t seed;                      /* of what they deviate by; 0: not at all */
	struct progress *progress;          /* or NULL */
	/* With checks: told what is wrong with the program when it is found, and when that is;
	 * NULL: it is told at the end. */
	void (*wrong)(void *self, double date, const char *text);
	/* Told of a rank that a signal has stopped, while the run waits for it; or NULL. */
	void (*stopped)(void *self, const char *text);
	/* Told of a rank that computes for long without a call of MPI (turn.c). Of coroutines the
	 * handler of a signal calls it: it allocates nothing. Or NULL. */
	void (*keeps)(void *self, const char *text);
	double told_after; /* s here, of a rank without a window */
	int may_be_static; /* the program may have MPI within, whose place ours cannot take */
	/* What ranks write: NULL: to our own streams; LIVE_PREFIX: there, each line with its rank;
	 * else a folder with a file for each. */
	const char *output;
	/* "3:gdb", "0,4-7:valgrind -q": ranks that another program starts. */
	const char *const *wrap;
	uint32_t n_wrap;
};
/* Of that form? 0, or -1. */
int live_wrap_check(const char *spec);
/* Whether it names one of ranks 0 to n - 1. */
int live_wrap_names(const char *spec, uint32_t n);

/* After a run: -1 where the disk is full that ranks' output went to. */
int live_output_check(const char *output, struct err *err);

struct live;
struct live *live_new(uint32_t ranks, const struct live_options *o, struct err *err);
/* Kills what still runs. */
void live_free(struct live *l);
/* Before mp_run: mp tells where data go. */
int live_attach(struct live *l, struct mp *mp, struct err *err);
/* Starts the processes. */
int live_start(struct live *l, struct err *err);
struct mp_program live_program(struct live *l);
/* After a run that succeeded: waits for the processes' ends. ERR_PROGRAM: some ended badly. */
int live_end(struct live *l, struct err *err);
uint64_t live_calls(const struct live *l);
/* The run ended by the error of a rank: it died, or called MPI wrongly. */
int live_failed(const struct live *l);
/* Ranks that there were, those that were spawned included. */
uint32_t live_places(const struct live *l);
/* Whose ABI the MPI library has that the ranks called, in the words of --mpi: "mpich", "openmpi";
 * NULL: none was called, or the standard's. */
const char *live_family(const struct live *l);
/* What the time of the run has not (waits past MPI), and where readings of clocks took a part of it
 * that matters: how long they did. */
void live_time_text(const struct live *l, struct str *out);
/* What --checks found that is not in mp's report: objects that were never freed, by call. */
void live_left_text(const struct live *l, struct str *out);
/* After the run, once: what each region took. */
void live_regions_text(struct live *l, struct str *out);
void live_regions_json(struct live *l, struct json *j);

#endif
