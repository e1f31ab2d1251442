/* foreign.h: what the readers of other tools' traces share.
 *
 * A foreign trace is translated into our events as a whole when it is opened (records.h), which are
 * then read like those of a trace of ours. So a foreign reader only says what happened, event by
 * event; whatever holds for our traces (places, waits, checks) holds for its own.
 *
 * What one rank's records do not say and those of others do (the root of a broadcast, how much each
 * member of an allgatherv sends) is found by reading twice: in the first pass collectives are noted
 * in a ledger and nothing is written; in the second they are written with what the ledger knows.
 *
 * Invariants
 *  1. Events of one rank are put in the order of its program; ranks may be mixed at will.
 *  2. Both passes put the same events.
 *  3. Peers are world ranks; roots are ranks of the communicator; counts are bytes. */
#ifndef ORRERY_TRACE_FOREIGN_H
#define ORRERY_TRACE_FOREIGN_H

#include "../trace_int.h"

#include <math.h>
#include <stdio.h>

struct foreign_comm {
	uint64_t id;      /* trace_event.comm */
	int32_t *members; /* world ranks */
	uint32_t n;
	uint32_t split; /* an intercommunicator: so many are its first group; else 0 */
	uint8_t rise;   /* members do */
};

/* What the ledger knows of one collective. */
struct ledger_entry {
	int32_t root;                     /* rank of the communicator, or -1 */
	int64_t most_sent, most_received; /* the largest that a member gave, bytes */
	int64_t total;                    /* of all blocks, if that is all that is told; else 0 */
	int64_t *sent, *received;         /* of each member, or NULL */
	uint32_t n;
};

/* dates.c: dates and computations of the pass that writes. */
struct foreign_dates {
	double *last;  /* date of each rank, ns */
	uint64_t back; /* steps back; the first: */
	uint32_t rank;
	double from, to;
	uint64_t computed;
	double longest, others; /* ns: the longest computation, all others together */
	uint32_t longest_rank;
};

/* counts.c: what was counted in how long, by the first pass; in the last, counters that went back.
 */
struct foreign_rate {
	double ns, counted;
};
struct foreign_counts {
	struct foreign_rate *of, all; /* of: each rank's */
	uint64_t back;                /* computations; the first: */
	uint32_t rank;
};

struct goal_graph;
struct foreign {
	const char *path; /* as the user gave it */
	uint32_t ranks;
	int pass;       /* 1: collectives are noted; 2: events are written */
	int even_split; /* what the format does not say of blocks is split evenly */
	struct records *records;
	struct foreign_comm *comms; /* 0 is the world, 1 stands for every rank's MPI_COMM_SELF */
	uint32_t n_comms, cap_comms;
	struct ledger_entry *ledger;
	uint32_t n_ledger, cap_ledger;
	struct hash64 ledger_index; /* communicator << 32 | number of the call -> entry */
	struct hash64 calls;        /* communicator << 32 | member -> its collectives so far */
	uint8_t comms_given;        /* the reader puts the events that make communicators */
	uint8_t world_given;        /* one with the world's members was added: others are not it */
	uint8_t *begun;             /* ranks whose init was put */
	uint8_t *self_given;        /* of each rank: one of it alone was added: others are not it */
	struct foreign_dates dates;
	struct foreign_counts counts;
	const char *counter; /* what counted volumes, as a manifest says it; NULL: "wall" */
	char *manifest;      /* or all of it, as text; "": there was none */
	struct str notices;
	struct hash_str noted; /* notices that were given */
	/* NULL, or: takes each rank's graph from GOAL's reader, which puts no events then. */
	int (*graph_take)(struct foreign *f, uint32_t rank, struct goal_graph *g, struct err *err);
	struct trace_schedule *schedule; /* for that */
	void *impl;                      /* the reader's */
};

struct foreign_format {
	const char *name; /* "DUMPI" */
	/* Is the file or folder one? head: its first n bytes (0 of a folder). 1, 0, -1. */
	int (*probe)(const char *path, const unsigned char *head, size_t n, struct err *err);
	/* Sets f->ranks (with foreign_ranks) and the communicators known beforehand. */
	int (*open)(struct foreign *f, struct err *err);
	/* Puts all events; called once for each pass. */
	int (*read)(struct foreign *f, struct err *err);
	void (*close)(struct foreign *f);
	int passes;              /* 1: needs no ledger */
	uint8_t requests_differ; /* all numbers of a rank's requests */
	/* Endings of the other files that are read with the one that is given, in its folder and
	 * in that of its name (traces.otf2: traces/). NULL: none. */
	const char *beside;
};

enum { FOREIGN_HEAD = 4096 };
/* The first bytes of a file, unpacked if it is compressed: how many; 0 of a folder; -1. */
int foreign_head_read(const char *path, unsigned char head[FOREIGN_HEAD], struct err *err);
/* Gives back what open and read made. */
void foreign_release(struct foreign *f);
int foreign_ranks(struct foreign *f, uint32_t n, struct err *err);
/* The same of a text file whose head says how many there are: each has a byte in it at least. */
int foreign_ranks_said(struct foreign *f, uint32_t n, struct err *err);
/* What was put is forgotten: all is put again. */
int foreign_anew(struct foreign *f, struct err *err);
/* A communicator that exists from the start: made by its members after their init. Returns its
 * index or -1. The first one of a rank alone is its MPI_COMM_SELF, the first one with the members
 * of the world is that: further ones are duplicates, whose messages and collectives are apart. */
int foreign_comm_add(struct foreign *f, const int32_t *members, uint32_t n, struct err *err);
/* An intercommunicator: `split` members are its first group, the others the second. */
int foreign_intercomm_add(struct foreign *f, const int32_t *members, uint32_t n, uint32_t split,
                          struct err *err);
/* The same without its being made: who calls it puts the event that makes it. */
int foreign_comm_name(struct foreign *f, const int32_t *members, uint32_t n, struct err *err);
/* The world rank of a member; ranks outside (MPI_PROC_NULL, …) are an error of the file. */
int foreign_member(const struct foreign *f, uint32_t comm, int64_t rank, int32_t *out,
                   struct err *err);
/* -1 if the world rank is no member. */
int32_t foreign_rank_in(const struct foreign *f, uint32_t comm, uint32_t world);

/* Where in the file an error of input is that begins with the trace's path, or with the file's: the
 * words go between these and the rest. Other errors stay as they are. Returns -1. */
int foreign_at(const struct foreign *f, const char *file, struct err *err, const char *fmt, ...)
    __attribute__((cold, format(printf, 4, 5)));

/* The same of a file of text: the line. */
int foreign_at_line(const struct foreign *f, long line, struct err *err) __attribute__((cold));

/* An event that has nothing but its kind. */
void foreign_event(struct trace_event *ev, enum trace_op op);
/* The send that op is (-1: no operation) if it has that trait, TRACE_BLOCKS or TRACE_REQUEST, and
 * does not receive; else `plain`. */
enum trace_op send_form(int op, uint64_t trait, enum trace_op plain);
int foreign_put(struct foreign *f, uint32_t rank, const struct trace_event *ev, struct err *err);
/* A non-blocking send or receive of bytes in MPI_COMM_WORLD, and the wait for one. */
int foreign_message(struct foreign *f, uint32_t rank, enum trace_op op, int32_t peer, int32_t tag,
                    int64_t bytes, int64_t req, struct err *err);
int foreign_wait(struct foreign *f, uint32_t rank, uint32_t req, struct err *err);
int foreign_simple(struct foreign *f, uint32_t rank, enum trace_op op, struct err *err);
/* The rank's records are over without MPI_Finalize: its program was killed, or a file was cut. The
 * trace is partial. */
void foreign_cut(struct foreign *f, uint32_t rank);
/* numbered.c: after foreign_ranks, of a trace of a file per rank, <prefix><rank><suffix>: none is
 * behind the last one, or one in between is missing. */
int foreign_numbered_check(const struct foreign *f, const char *folder, const char *prefix,
                           const char *suffix, struct err *err);
/* Nanoseconds of computation; instructions < 0: not counted. Nothing is put for less than one. */
int foreign_compute(struct foreign *f, uint32_t rank, double ns, double instructions,
                    struct err *err);
/* counts.c: the same with what a counter counted between its ends, less than 0 where it went back.
 * For formats of two passes. */
int foreign_counted(struct foreign *f, uint32_t rank, double ns, int64_t counted, struct err *err);
int foreign_counts_note(struct foreign *f, struct err *err); /* after the last pass */
/* dates.c: a date of a rank, in the order of its records; a computation. What is strange about them
 * is noted at the end of the last pass. */
void foreign_date(struct foreign *f, uint32_t rank, double ns);
void foreign_computed(struct foreign *f, uint32_t rank, double ns);
void foreign_dates_begin(struct foreign *f); /* each pass */
/* Its longest computation is far beyond all others. */
int foreign_is_far(const struct foreign_dates *d);
/* foreign_call.c: the operation of a function of MPI, by its name (n bytes, in any case), or one of
 * these. */
enum {
	FOREIGN_NOTHING = -1, /* it puts nothing */
	FOREIGN_NOT_MPI = -2,
	FOREIGN_PROCESSES = -3, /* not told well enough, as foreign_left_out says */
	FOREIGN_PERSISTENT = -4,
	FOREIGN_OP_LEAST = FOREIGN_PERSISTENT
};
int foreign_op(const char *name, size_t n);
/* The collective that MPI_I... starts, or FOREIGN_NOTHING. */
int foreign_op_started(const char *name, size_t n);
/* A call of this operation puts nothing, as no format but ours says enough of it: of windows,
 * files, partitions, neighbours, other processes. Says so. */
int foreign_left_out(struct foreign *f, int op, struct err *err);
/* One line for the user, given once however often it is said. */
int foreign_note(struct foreign *f, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

enum { FOREIGN_ROOT_UNKNOWN = -1 };
struct foreign_coll {
	enum trace_op op;
	uint32_t comm;          /* index */
	int32_t root;           /* rank of the communicator, FOREIGN_ROOT_UNKNOWN */
	int64_t sent, received; /* bytes of this rank's block: gather, allgather, alltoall: of one
	                           block; vector forms: in all; -1: not known */
	int64_t total;          /* vector forms of which no more is told: bytes of all members */
	int64_t req;            /* non-blocking, or -1 */
	int32_t type;           /* what the blocks are made of, if it is known; else TYPE_BYTE */
	int64_t type_size;      /* bytes of one, or 0: not known */
	uint16_t flags;
	double duration;
};
int foreign_collective(struct foreign *f, uint32_t rank, const struct foreign_coll *c,
                       struct err *err);
/* The error of a rank that calls it on a communicator of others. */
int foreign_not_in(const struct foreign *f, uint32_t rank, enum trace_op op, struct err *err);

/* ledger.c */
int ledger_note(struct foreign *f, uint32_t comm, uint32_t number, uint32_t member,
                const struct foreign_coll *c, struct err *err);
const struct ledger_entry *ledger_find(const struct foreign *f, uint32_t comm, uint32_t number);
void ledger_release(struct foreign *f);

extern const struct foreign_format foreign_dumpi, foreign_dimemas, foreign_goal,
    foreign_goal_binary, foreign_tau, foreign_paraver, foreign_otf2;

#endif
