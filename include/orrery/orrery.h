/* orrery/orrery.h: Orrery inside another program: load a machine, replay a trace, ask for times.
 *
 *   cc program.c $(pkg-config --cflags --libs orrery)
 *
 *   struct orrery_sim *s = orrery_sim_new(ORRERY_API);
 *   orrery_sim_machine(s, "graphene");
 *   orrery_sim_trace(s, "lu.A.8");
 *   if (orrery_sim_run(s) == 0)
 *           printf("%g s\n", orrery_sim_time(s));
 *   else
 *           fprintf(stderr, "%s\n", orrery_sim_error(s));
 *   orrery_sim_free(s);
 *
 * A simulation is described by calls in any order, runs once, and is asked. Functions that return
 * int return 0, or one of enum orrery_failure after which orrery_sim_error says why; the first
 * failure stays, so that only the last call need be looked at. A NULL simulation is out of memory
 * to all of them.
 *
 * Units: seconds, bytes. Ranks and hosts are numbers from 0. Texts that are given are copied, those
 * that are got live until orrery_sim_free. Several simulations may be used at a time, each by one
 * thread. The same input gives the same output, bit for bit. See examples/embed and
 * docs/embedding.md.
 *
 * C and C++. Structures that may grow begin with their size, which their user sets; functions are
 * added, not changed: ORRERY_API and the library's soname change only when an old program would no
 * longer run. */
#ifndef ORRERY_ORRERY_H
#define ORRERY_ORRERY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ORRERY_API 1u

enum orrery_failure {
	ORRERY_PROGRAM_FAILED = 1, /* the simulated program: a deadlock, a truncation, … */
	ORRERY_BAD_INPUT = 2,      /* a file, a name, a value; a call out of place */
	ORRERY_LIMIT = 3           /* of this computer: memory, disk */
};

struct orrery_sim;
const char *orrery_version(void); /* "0.1.0" */

/* api: ORRERY_API. NULL: no memory, or a library of another version. */
struct orrery_sim *orrery_sim_new(unsigned api);
void orrery_sim_free(struct orrery_sim *s);
const char *orrery_sim_error(const struct orrery_sim *s); /* "" if nothing failed */
/* Of the operating system's error behind it: ENOSPC, say, of a disk that is full. 0: none. */
int orrery_sim_errno(const struct orrery_sim *s);

/* --- what is simulated --- */

/* A file (SimGrid's XML and others), or a name of the catalogue ("graphene"). */
int orrery_sim_machine(struct orrery_sim *s, const char *machine);
/* A trace, as `orrery replay` takes it. */
int orrery_sim_trace(struct orrery_sim *s, const char *path);
/* A setting as --cfg name:value has it ("network/model", "smpi/coll-selector", "noise/seed"); name
 * NULL: value is a list of them, or "@FILE". */
int orrery_sim_setting(struct orrery_sim *s, const char *name, const char *value);
/* Where ranks run: a file, one host a line; without, hosts in order. */
int orrery_sim_hostfile(struct orrery_sim *s, const char *path);
/* Where they run without a hostfile: by "slot", "core", "socket" or "numa" (host after host is
 * filled) or "node" (round the hosts); NULL: as the MPI library of the trace does it. ppn: ranks of
 * a host; 0: as many as it has cores. */
int orrery_sim_map(struct orrery_sim *s, const char *by, uint32_t ppn);
/* The machine with other figures, as --what-if has it: "latency=2x,host:node-3.speed=0.5x". NULL,
 * "": as it is. */
int orrery_sim_what_if(struct orrery_sim *s, const char *changes);
/* How computations are timed: "auto" (default), "volume", "recorded", "none". */
int orrery_sim_computation(struct orrery_sim *s, const char *kind);
/* More ranks than cores are allowed. */
int orrery_sim_oversubscribe(struct orrery_sim *s);

/* A trace reader of your own: events of each rank, as lines of docs/trace-format.md without the
 * rank ("compute 1e6", "send 1 7 1000 6"). */
struct orrery_reader {
	uint32_t size; /* sizeof(struct orrery_reader) */
	uint32_t ranks;
	void *self;
	const char *name; /* for messages */
	/* Before the first line; may be NULL. A simulation may read a trace twice. Not 0: it cannot
	 * be read. */
	int (*begin)(void *self);
	/* The next line of a rank, n bytes without newline, valid until the next call: 1, with
	 * *line and *n; 0 at its end; -1: it cannot be read. */
	int (*next)(void *self, uint32_t rank, const char **line, size_t *n);
};
int orrery_sim_reader(struct orrery_sim *s, const struct orrery_reader *r);

/* A communication model of your own (orrery/model.h); it must live as long as the simulation. */
struct orrery_model;
int orrery_sim_model(struct orrery_sim *s, const struct orrery_model *m);

/* An observer: it sees and changes nothing. Any function may be NULL. */
struct orrery_message {
	uint32_t from, to; /* ranks */
	int32_t tag;
	uint32_t collective; /* 1: a collective's own */
	double bytes;
	/* Dates: its send was posted; it began to move; it had arrived and its receive was posted.
	 */
	double sent, moved, received;
};
struct orrery_observer {
	uint32_t size; /* sizeof(struct orrery_observer) */
	void *self;
	/* A rank enters and leaves a call (orrery_call_name). partner: rank, or -1. waiting: of the
	 * time in the call, what the rank was blocked in before its partner's part began. */
	void (*enter)(void *self, uint32_t rank, int call, double date);
	void (*leave)(void *self, uint32_t rank, int call, double date, int32_t partner,
	              double bytes, double waiting);
	void (*message)(void *self, const struct orrery_message *m);
	/* The run begins. A second time: receives from any source had come in an order in which the
	 * program does not end, and it runs again in that of the trace (a notice says so): what was
	 * seen so far does not count. */
	void (*begin)(void *self);
};
int orrery_sim_observer(struct orrery_sim *s, const struct orrery_observer *o);
/* A recording, for `orrery export`. */
int orrery_sim_record(struct orrery_sim *s, const char *path);
/* What bounded the run, or a rank's time, or a message: "critical-path", "links", "rank:3",
 * "message:3-7#2" (docs/explain.md). It changes no date. NULL: nothing, as before. */
int orrery_sim_explain(struct orrery_sim *s, const char *what);

/* Asked now and then in the run, by its thread, each few thousand events: 0 lets it go on; else it
 * stops, and fails as a limit of this computer. actions: operations so far; date: simulated. NULL:
 * nobody asks. */
int orrery_sim_progress(struct orrery_sim *s,
                        int (*tick)(void *self, uint64_t actions, double date), void *self);

/* --- the run --- */

/* Once: a second call fails as bad input, and what came of the first is still there. */
int orrery_sim_run(struct orrery_sim *s);

/* --- what came of it: after a run, also one whose program failed --- */

struct orrery_totals {
	uint32_t size; /* sizeof(struct orrery_totals), set by the caller */
	uint32_t ranks;
	double time; /* the date at which the last rank ended */
	uint64_t actions, messages, collectives;
	double bytes; /* of all messages */
	double wall;  /* seconds that the simulation took */
};
int orrery_sim_totals(struct orrery_sim *s, struct orrery_totals *out);
double orrery_sim_time(const struct orrery_sim *s);    /* totals.time; NaN: there was no run */
uint32_t orrery_sim_ranks(const struct orrery_sim *s); /* 0: there was none */
/* When each rank ended; out has a place for each. */
int orrery_sim_ends(struct orrery_sim *s, double *out);
/* Seconds of each class of each rank, out[rank * ORRERY_CLASSES + class]; each rank's add up to the
 * time of the run. */
enum orrery_class {
	ORRERY_COMPUTE,    /* computation and sleep */
	ORRERY_P2P,        /* in point-to-point calls, waiting taken out */
	ORRERY_COLLECTIVE, /* in collectives, likewise */
	ORRERY_IO,         /* in calls on files, likewise */
	ORRERY_WAIT,       /* blocked on a partner that had not begun */
	ORRERY_OTHER,      /* init, finalize, management, between calls */
	ORRERY_IDLE,       /* from the end of the rank to that of the run */
	ORRERY_CLASSES
};
int orrery_sim_classes(struct orrery_sim *s, double *out);
const char *orrery_class_name(int c);   /* "collectives"; NULL: there is none */
const char *orrery_call_name(int call); /* "MPI_Allreduce", "computation"; NULL: there is none */
/* The host that a rank runs on, into buf; returns buf, "" if there is none. */
const char *orrery_sim_host(const struct orrery_sim *s, uint32_t rank, char *buf, size_t n);
/* What orrery_sim_explain asked for, as JSON: what `orrery replay --json` has under "explain". "":
 * nothing was asked for, or there was no run to its end; NULL: no memory. */
const char *orrery_sim_explanation(struct orrery_sim *s);
/* How far the prediction may be off, and of what that comes, as JSON: what `orrery replay --json`
 * has under "trust" (docs/answer.md). "": there was no run to its end; NULL: no memory. */
const char *orrery_sim_trust(struct orrery_sim *s);
/* What the user should know, one line each. */
const char *orrery_sim_notices(const struct orrery_sim *s);

#ifdef __cplusplus
}
#endif

#endif
