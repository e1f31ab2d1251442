/* observe.h: the face of the observers: what happened in a run, as a profile and as a recording,
 * and the files made from a recording.
 *
 * Observers are fed by mp (struct mp_observer) and change nothing: they keep what they are told,
 * and what they lack is memory or disk, never time. A run is recorded to one file; every picture,
 * table and export is made from that file, never from live state (ARCHITECTURE, idea 10).
 *
 * Life of a run, seen from the cli:
 *   profile_new, recorder_open -> mp_observe(profile_observer()), mp_observe(recorder_observer())
 *   -> mp_run -> profile_end, recorder_close -> profile_text / profile_json / profile_csv
 * and later: recording_open -> exporter_find("paje")->export -> recording_close.
 *
 * Rules
 *  1. Calls of one rank do not nest, and its dates do not decrease.
 *  2. Where time goes: each second of each rank, from 0 to the makespan, belongs to exactly one
 *     class, so that the classes add up to ranks x makespan (docs/profile.md).
 *  3. A full disk or exhausted memory stops the observer, not the run: the prediction is the same,
 *     and the error is told at the end, once.
 */
#ifndef ORRERY_OBSERVE_H
#define ORRERY_OBSERVE_H

#include "causes.h"
#include "mp/mp.h"
#include "paths.h"

/* --- classes of time --- */
enum time_class {
	TIME_COMPUTE, /* computation and sleep */
	TIME_P2P,     /* in point-to-point calls (their requests included), waiting taken out */
	TIME_COLL,    /* in collectives, waiting taken out */
	TIME_IO,      /* in calls on files, waiting taken out */
	TIME_WAIT,    /* blocked in a call on a partner that had not begun (mp's `wait`) */
	TIME_OTHER,   /* init, finalize, communicator management, and between calls */
	TIME_IDLE,    /* from the end of the rank to the makespan */
	TIME_CLASSES
};
const char *time_class_name(enum time_class c); /* "point-to-point" */
const char *time_class_key(enum time_class c);  /* "p2p": column and key names */
/* Class of the time in c that is not waiting. */
enum time_class call_class(enum mp_call c);
/* How much of a call that never ended is waiting, s, where nothing moves any more: computing and
 * sleeping wait for nobody. since: its date; end: that of the run. */
double call_stuck(enum mp_call c, double since, double end);

/* --- profile: per rank and per MPI function, calls, time, waiting, bytes --- */
struct profile;
struct profile *profile_new(uint32_t ranks, struct err *err);
void profile_free(struct profile *p);
/* Points into p. */
struct mp_observer profile_observer(struct profile *p);
/* Before its end: only the first so many ranks were there. */
void profile_trim(struct profile *p, uint32_t ranks);
/* Before its end: nothing moves any more (a deadlock), so that calls that never ended wait. */
void profile_stuck(struct profile *p);
/* Once, after the run, before any figure is asked for. makespan: s; less than the last date seen
 * (or 0) means that date. Calls that never ended count up to it. -1 if memory ran out
 * underway: the figures are then incomplete. */
int profile_end(struct profile *p, double makespan, struct err *err);
int profile_is_whole(const struct profile *p); /* whether memory sufficed */

struct profile_shares {
	uint32_t ranks;
	double makespan;              /* s */
	double seconds[TIME_CLASSES]; /* summed over ranks; add up to ranks x makespan */
	double share[TIME_CLASSES]; /* of ranks x makespan: add up to 1 (all 0 when the makespan is
	                               0) */
};
void profile_shares(const struct profile *p, struct profile_shares *out);

/* The same of one rank, in seconds: they add up to the makespan. */
void profile_rank_classes(const struct profile *p, uint32_t rank, double out[TIME_CLASSES]);

/* Figures of one MPI function over the ranks. Ranks that never called it count as 0 in min and
 * mean. */
struct profile_row {
	enum mp_call call;
	uint64_t calls;
	uint32_t ranks;        /* that called it */
	double time, wait;     /* s, summed over ranks; wait is part of time */
	double bytes;          /* summed over ranks */
	double min, mean, max; /* time per rank, s */
	double imbalance;      /* max / mean - 1; 0 when mean is 0 */
};
/* One row per function that was called, in the order of enum mp_call; rows has CALL_CALLS places.
 * Returns how many. */
uint32_t profile_rows(const struct profile *p, struct profile_row *rows);

enum { PROFILE_COLOR = 1, PROFILE_PER_RANK = 2 };
/* Appended to *out; memory failure is out->failed. flags: or of the above. */
void profile_text(const struct profile *p, int flags,
                  struct str *out); /* aligned table with human units */
void profile_json(const struct profile *p, int flags,
                  struct json *j); /* one object, as the value that is due */
void profile_csv(
    const struct profile *p,
    struct str *out); /* rank,function,calls,seconds,waiting,bytes; then per rank idle and other */
/* A line more, of the rank -1: why the program did not run to its end; its seconds are the date. */
void profile_csv_failure(const struct profile *p, const char *failure, struct str *out);

/* --- explanation: what bounded one rank's time, or one message (docs/explain.md) --- */
struct explainer;
/* what: "critical-path", "links", "rank:N", "message:K" (the K-th to begin to move, from 1),
 * "message:FROM-TO" (the first of this pair) or "message:FROM-TO#K". To be given to mp_observe and
 * mp_set_watch before the run. Keeps: for a rank, what it is waiting for; for a message, its
 * history; for the critical path, sums of the paths of all ranks and messages under way. */
struct explainer *explainer_new(struct mp *mp, const char *what, struct err *err);
void explainer_free(struct explainer *x);
struct mp_observer explainer_observer(struct explainer *x);
const struct mp_watch *explainer_watch(const struct explainer *x); /* NULL: it needs none */
/* Of a program without MPI: its critical path, found by who ran it, to be released with the
 * explanation; or its links, of an engine that was metered (engine_meter). */
struct explained_path {
	double end;              /* s */
	double mean_computation; /* s of a rank */
	uint32_t last;           /* the rank that ended last */
	uint8_t cut;             /* ranks wait for what was not recorded */
	struct path_sums sums;   /* of the path; by kind, the most seconds first (path_sums_sort) */
	const struct platform *platform;
	const struct host_id *host; /* of each rank; outlives the explanation */
	struct mp *mp;              /* instead, in this room */
};
struct explainer *explainer_of_path(const struct explained_path *p, struct err *err);
struct explainer *explainer_of_links(struct net *n, double makespan, struct err *err);
/* After the run. -1 (ERR_INPUT) if there was no such message; memory that ran out underway is told
 * here too. */
int explainer_end(struct explainer *x, struct err *err);
void explainer_text(struct explainer *x, struct str *out);
void explainer_json(struct explainer *x, struct json *j); /* one object, as the value that is due */

/* --- recording: docs/recording-format.md --- */
/* What the recording says of itself. Texts may be NULL (written as ""). */
struct run_info {
	uint32_t ranks;
	const char *program; /* what was predicted: command line or name */
	const char *machine;
	const char *what_if; /* what was changed of it (--what-if), or "" */
	const char *model;
	const char *settings; /* those that are not defaults, "name:value" separated by blanks */
	const char *trace;    /* where the program came from: path, or "" when live */
	const char *date;     /* "": a run that is repeated gives the same file */
	const char *trust;   /* how far the prediction may be off, in words; known after the run, */
	const char *path;    /* as is the critical path: what explainer_json says of it; */
	const char *failure; /* and why the program did not run to its end; "": it did */
};

struct recorder;
/* path is created, or replaced, by recorder_close (base/output.h). host: writes the name of the
 * host of a rank into buf and returns it; may be NULL. It is called only in here. info is copied to
 * the file. NULL when the file cannot be created; a disk that is full already is told by
 * recorder_close. */
struct recorder *recorder_open(const char *path, const struct run_info *info,
                               const char *(*host)(void *self, uint32_t rank, char *buf, size_t n),
                               void *self, struct err *err);
/* Points into w. Memory: a few MB for the blocks being filled, and 16 bytes a rank. */
struct mp_observer recorder_observer(struct recorder *w);
/* What is known after the run only: a text of run_info, by the recording's word for it. Failures
 * are told by recorder_close. */
void recorder_note(struct recorder *w, const char *key, const char *value);
/* As profile_trim. */
void recorder_trim(struct recorder *w, uint32_t ranks);
/* As profile_stuck. */
void recorder_stuck(struct recorder *w);
/* Writes what is left and the end mark, gives the file its name, and frees w in any case. makespan
 * as in profile_end. -1 when the recording is not complete (full disk, memory): where there was no
 * file of that name, what there is of it is kept, and the text says how much of it can be read.
 * Callers tell it whatever the verbosity, and go on. */
int recorder_close(struct recorder *w, double makespan, struct err *err);
/* There is no run to be recorded: nothing is written. w may be NULL. */
void recorder_abandon(struct recorder *w);

enum { STATE_OPEN = 1 }; /* the rank was still in the call when the run ended */
struct rec_state {
	uint32_t rank;
	enum mp_call call;
	uint32_t flags;
	int32_t partner;     /* world rank, or -1 */
	double enter, leave; /* s */
	double bytes, wait;
};
struct rec_message {
	uint32_t from, to;
	int32_t tag;
	uint32_t comm;
	uint32_t coll;                       /* 1: of a collective */
	double bytes, sent, moved, received; /* s: posted, transfer began, arrived */
};
struct rec_comm {
	uint32_t comm, n;
	const uint32_t *members; /* valid until the next record */
};
struct record {
	enum rec_kind { REC_STATE, REC_MESSAGE, REC_COMM } kind;
	union {
		struct rec_state state;
		struct rec_message message;
		struct rec_comm comm;
	} u;
};

struct recording;
/* Reads the header and walks over the blocks. A file that ends early (killed process, full disk)
 * opens all the same: see recording_notice. */
struct recording *recording_open(const char *path, struct err *err);
void recording_close(struct recording *r);
const struct run_info *recording_info(const struct recording *r);
const char *recording_host(const struct recording *r, uint32_t rank); /* "" if unknown */
struct recording_totals {
	uint64_t states, messages, comms;
	double makespan;
};
void recording_totals(const struct recording *r, struct recording_totals *out);
/* "" or why and up to which date the file is incomplete, worded for the user. */
const char *recording_notice(const struct recording *r);
/* Next record: 1, 0 at the end, -1 when a block is damaged. States come in the order of their ends
 * (those that never ended, last), messages in that of their arrival; the two are not merged. */
int recording_next(struct recording *r, struct record *out, struct err *err);
void recording_rewind(struct recording *r);
/* The profile of a recorded run, ended. Rewinds r. */
struct profile *recording_profile(struct recording *r, struct err *err);

/* --- exporters: one file each, listed in exporters[] --- */
struct export_options {
	uint32_t first_rank, ranks; /* a window of ranks; ranks 0: all from first_rank */
	double from,
	    to;         /* a window of dates, s; what overlaps it is exported whole; to 0: no end */
	uint64_t limit; /* html: events with their details in the page; above, it shows densities.
	                   0: its default */
	struct progress *progress; /* or NULL */
	struct str *notices;       /* or NULL: one line per thing left out is appended */
};
struct exporter {
	const char *name;   /* "paje" */
	const char *suffix; /* ".paje": what files of it are called */
	const char *help;   /* one line */
	/* Rewinds r and writes out ("-": standard output). On error what was there stays. */
	int (*export)(struct recording *r, const char *out, const struct export_options *o,
	              struct err *err);
};
extern const struct exporter *const exporters[];        /* NULL-terminated, in the order of help */
const struct exporter *exporter_find(const char *name); /* NULL if unknown */
/* The first whose files are called so ("run.html"); NULL: none is. */
const struct exporter *exporter_of_file(const char *path);

#endif
