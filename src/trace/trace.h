/* trace.h: the face of the trace room: what a program did. One event record; every reader and
 * writer of it.
 *
 * The record is time-independent: volumes (instructions, bytes), not dates. A measured duration is
 * kept beside the volume when known. Readers stream: a rank's next event is parsed when it is asked
 * for; nothing is kept of what was read. */
#ifndef ORRERY_TRACE_H
#define ORRERY_TRACE_H

#include "base/base.h"

#include <stdint.h>

/* clang-format off */
enum trace_op {
	/* life, computation */
	TRACE_INIT, TRACE_FINALIZE, TRACE_COMPUTE, TRACE_SLEEP, TRACE_LOCATION,
	/* gives a region of the program (what is computed between two calls) the number by which
	 * the computations of this rank name it: text is the call site where it begins, ">", the
	 * one where it ends */
	TRACE_REGION,
	/* point-to-point; the I forms give a request */
	TRACE_SEND, TRACE_SSEND, TRACE_BSEND, TRACE_RSEND, TRACE_ISEND, TRACE_ISSEND, TRACE_IBSEND,
	TRACE_IRSEND,
	TRACE_RECV, TRACE_IRECV, TRACE_SENDRECV, TRACE_PROBE, TRACE_IPROBE,
	/* matched probes: the message found has a number, by which mrecv, imrecv receive it */
	TRACE_MPROBE, TRACE_MRECV, TRACE_IMRECV,
	/* persistent requests: made inactive by INIT, started by START with the list in reqs, given
	 * back by REQUEST_FREE */
	TRACE_SEND_INIT, TRACE_SSEND_INIT, TRACE_BSEND_INIT, TRACE_RSEND_INIT, TRACE_RECV_INIT,
	TRACE_START, TRACE_REQUEST_FREE,
	TRACE_CANCEL,
	/* gives the buffer of buffered sends back, when all that is in it has gone */
	TRACE_BUFFER_DETACH,
	/* partitioned requests: count elements in each of count2 partitions; which are ready, or
	 * were found there, is in counts */
	TRACE_PSEND_INIT, TRACE_PRECV_INIT, TRACE_PREADY, TRACE_PARRIVED,
	/* completion */
	TRACE_WAIT, TRACE_WAITALL, TRACE_WAITANY, TRACE_WAITSOME, TRACE_TEST, TRACE_TESTALL,
	TRACE_TESTANY, TRACE_TESTSOME,
	/* collectives; the non-blocking form is the same op with TRACE_NONBLOCKING and a request */
	TRACE_BARRIER, TRACE_BCAST, TRACE_REDUCE, TRACE_ALLREDUCE, TRACE_GATHER, TRACE_GATHERV,
	TRACE_SCATTER, TRACE_SCATTERV,
	TRACE_ALLGATHER, TRACE_ALLGATHERV, TRACE_ALLTOALL, TRACE_ALLTOALLV, TRACE_ALLTOALLW,
	TRACE_REDUCE_SCATTER,
	TRACE_REDUCE_SCATTER_BLOCK, TRACE_SCAN, TRACE_EXSCAN,
	/* of neighbourhoods: counts and counts2 have an element per neighbour that is sent to,
	 * received from */
	TRACE_NEIGHBOR_ALLGATHER, TRACE_NEIGHBOR_ALLGATHERV, TRACE_NEIGHBOR_ALLTOALL,
	TRACE_NEIGHBOR_ALLTOALLV,
	TRACE_NEIGHBOR_ALLTOALLW,
	/* communicators: comm is the new one, parent the old one, members the world ranks in the
	 * order of the new communicator. A rank that gets MPI_COMM_NULL has no members. An
	 * intercommunicator has this rank's group as members, and the other one as remote. A
	 * Cartesian one has its dimensions in counts, whether they are periodic in counts2
	 * (TRACE_CART); with a graph, the ranks (of the communicator; TRACE_PROC_NULL) from which
	 * this one receives, and to which it sends, are there (TRACE_GRAPH). comm_idup gives a
	 * request; a comm_dup with that request says what came of it. */
	TRACE_COMM_SIZE, TRACE_COMM_DUP, TRACE_COMM_SPLIT, TRACE_COMM_CREATE,
	TRACE_COMM_CREATE_GROUP, TRACE_INTERCOMM_CREATE,
	TRACE_INTERCOMM_MERGE, TRACE_COMM_IDUP, TRACE_COMM_FREE,
	/* windows: object is the window's number on this rank, peer the target; with a request it
	 * is MPI_Rput, … */
	TRACE_WIN_CREATE, TRACE_WIN_FREE, TRACE_PUT, TRACE_GET, TRACE_ACCUMULATE,
	TRACE_GET_ACCUMULATE, TRACE_FETCH_AND_OP,
	TRACE_COMPARE_AND_SWAP, TRACE_WIN_FENCE, TRACE_WIN_POST, TRACE_WIN_START,
	TRACE_WIN_COMPLETE, TRACE_WIN_WAIT, TRACE_WIN_LOCK,
	TRACE_WIN_UNLOCK, TRACE_WIN_LOCK_ALL, TRACE_WIN_UNLOCK_ALL, TRACE_WIN_FLUSH,
	TRACE_WIN_FLUSH_ALL, TRACE_WIN_FLUSH_LOCAL,
	TRACE_WIN_FLUSH_LOCAL_ALL,
	/* files: object is the file's number on this rank; with a request, the call returns at
	 * once. file_set: what changes a file without moving data, by all: its size, view,
	 * atomicity, shared pointer. The last six are the operating system's. */
	TRACE_FILE_OPEN, TRACE_FILE_CLOSE, TRACE_FILE_SYNC, TRACE_FILE_SET, TRACE_FILE_READ,
	TRACE_FILE_READ_ALL, TRACE_FILE_READ_SHARED,
	TRACE_FILE_READ_ORDERED, TRACE_FILE_WRITE, TRACE_FILE_WRITE_ALL, TRACE_FILE_WRITE_SHARED,
	TRACE_FILE_WRITE_ORDERED,
	TRACE_IO_OPEN, TRACE_IO_CLOSE, TRACE_IO_SYNC, TRACE_IO_READ, TRACE_IO_WRITE,
	TRACE_IO_UNLINK,
	/* written by the tracer, used by `orrery trace` when it completes a folder; replay skips
	 * it: the wildcard receive `req` got its message from `peer` with `tag` */
	TRACE_RESOLVE,
	TRACE_OPS
};

/* Values of peer; TRACE_ANY also of tag; MPI_PROC_NULL, MPI_ROOT of root. */
enum { TRACE_ANY = -1, TRACE_PROC_NULL = -2, TRACE_ROOT = -3 };
/* Flags. Those of different operations share bits. */
enum {
	TRACE_NONBLOCKING = 1, TRACE_COMMUTATIVE_UNKNOWN = 2, TRACE_NONCOMMUTATIVE = 4,
	TRACE_IN_PLACE = 8,
	/* reductions: the operator is the program's own; what it takes is the volume, of what does
	 * not block in computations */
	TRACE_OWN_OPERATOR = 16,
	/* wait, test: names its request by (src, dst, tag), SimGrid's way: peer=src, peer2=dst,
	 * tag */
	TRACE_BY_KEY = 16,
	/* wait, test and their families: without record of what completed; replay must decide */
	TRACE_NO_DONE = 32,
	/* old formats: a wait without argument takes the oldest, latest request, or latest
	 * receive */
	TRACE_OLDEST = 64, TRACE_LATEST = 128, TRACE_LATEST_RECV = 256,
	/* a non-blocking collective, comm_idup: the program's is blocking, and other threads of the
	 * rank went on meanwhile */
	TRACE_BESIDE = 64,
	/* comm_idup, with TRACE_BESIDE: MPI_Comm_split, MPI_Dist_graph_create */
	TRACE_BESIDE_SPLIT = 128, TRACE_BESIDE_GRAPH = 256,
	/* waitall and its family without a list: all requests that are outstanding. Without this
	 * flag, an empty list is a call with no request. */
	TRACE_OUTSTANDING = 512,
	/* SimGrid's comm_dup, comm_split: not told which communicator, nor who is in it */
	TRACE_NAMELESS = 1024,
	/* what counts and counts2 of a new communicator are */
	TRACE_CART = 2048, TRACE_GRAPH = 4096,
	/* receives, probes: peer and tag (sendrecv: peer2, tag2) are those of the message that
	 * came; the program said MPI_ANY_SOURCE, MPI_ANY_TAG */
	TRACE_WILD_SOURCE = 2048, TRACE_WILD_TAG = 4096,
	TRACE_EXCLUSIVE = 8192, /* win_lock */
	TRACE_UNCHECKED = 4096, /* win_lock, win_lock_all: MPI_MODE_NOCHECK, nobody is asked */
	/* a new communicator: what its members exchanged for it is left out */
	TRACE_AGREED = 8192,
	/* intercomm_create: MPI_Comm_spawn by the member `root` of this group; of the other one */
	TRACE_SPAWNS = 64, TRACE_SPAWNED = 128,
	/* intercomm_create: MPI_Intercomm_create, which the member `root` of this group leads; to
	 * the other leader `peer`, at itself alone (TRACE_ANY: not told) */
	TRACE_LED = 256,
	TRACE_DISCONNECTS = 8192, /* comm_free: MPI_Comm_disconnect, whose members agree */
	/* the line goes on after its arguments; what follows was passed over, as SimGrid does */
	TRACE_EXTRA = 16384,
	/* comm_create: a graph of which each rank named some edges (MPI_Dist_graph_create) */
	TRACE_DISTRIBUTED = 32768,
	/* file_read_all, file_write_all: the rank's bytes are in pieces, between those of others */
	TRACE_HOLES = 32768
};
/* What of an event is not as the program had it, but drawn from histograms (trace_event.drawn).
 * 0: all of it is exact. RUNS: how often the loop runs that it is in. EVENT: the event itself, a
 * receive of what was drawn or a wait for such. */
enum {
	TRACE_DRAWN_VOLUME = 1, TRACE_DRAWN_DURATION = 2, TRACE_DRAWN_PEER = 4, TRACE_DRAWN_TAG = 8,
	TRACE_DRAWN_COUNT = 16, TRACE_DRAWN_RUNS = 32, TRACE_DRAWN_EVENT = 64
};
/* recv, irecv: the size is not told, whatever comes is taken (count). */
#define TRACE_COUNT_ANY INT64_MAX
/* clang-format on */

/* One event of one rank. Peers are world ranks; roots are ranks of the communicator. Fields that an
 * op does not use are 0 (requests: -1). */
struct trace_event {
	uint8_t op;    /* enum trace_op */
	uint8_t drawn; /* TRACE_DRAWN_…: which fields are not exact */
	uint16_t flags;
	int32_t peer, tag;   /* p2p: partner; sendrecv: destination and its tag */
	int32_t peer2, tag2; /* sendrecv: source and its tag */
	int32_t root;
	/* Elements: p2p message / send side; receive side. recv: -1 probe first and take that size
	 * (SimGrid's negative size), TRACE_COUNT_ANY. iprobe: 1 a message was there, 0 not.
	 * alltoallv: size of the buffers, 0 if not known. comm_size: what was found. */
	int64_t count, count2;
	int32_t type, type2;           /* SimGrid's datatype id, or -1 for a derived type */
	int64_t type_size, type_size2; /* bytes of one element */
	int64_t n_counts, n_counts2;
	/* Vector collectives: elements per rank, send side (scatterv, alltoallv) and receive side
	 * (gatherv, allgatherv, alltoallv, reduce_scatter). May be absent (n 0) where MPI does not
	 * look at them: gatherv, scatterv off the root. alltoallw: bytes, type MPI_BYTE. */
	const int64_t *counts, *counts2;
	/* Communicators: 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF, else (world rank of its rank 0) <<
	 * 32 | counter + 2. */
	uint64_t comm, parent;
	int64_t n_members;
	const int32_t *members; /* post, start: the group, world ranks */
	int64_t n_remote;
	const int32_t *remote;
	int64_t req;     /* request given, or waited for; -1: none. With TRACE_BY_KEY too: this one
	                    decides */
	int64_t message; /* matched probes: number of the message; -1: none */
	int64_t object;  /* number of a window or a file; -1: none */
	int64_t region;  /* compute: number of the region on this rank, defined before by a region
	                    event, which has it too; -1: not known */
	int64_t n_reqs, n_done;
	const int64_t *reqs; /* wait/test families, start: all requests of the call */
	const int64_t *done; /* those that it completed, in order */
	double volume;    /* compute: instructions; sleep: seconds; reductions: instructions of the
	                     operator (as traced); else 0 */
	double duration;  /* measured seconds of this event in the traced run, or -1 */
	const char *text; /* file of the call site (location, or at=), or NULL; file_open, io_open,
	                     io_unlink: the file; region: its name */
	int64_t line;     /* its line */
	int64_t place;    /* line number in the trace file, for messages */
};
void trace_event_init(struct trace_event *ev, enum trace_op op);

/* What an operation is and does: the rows of op.c say it, and nothing else does. */
enum trace_trait {
	TRACE_LIFE = 1 << 0,        /* no call of MPI or for a file: begin, end, computation */
	TRACE_SENDS = 1 << 1,       /* point-to-point: has a message that is sent, */
	TRACE_RECEIVES = 1 << 2,    /* received, */
	TRACE_PROBES = 1 << 3,      /* looked for */
	TRACE_BLOCKS = 1 << 4,      /* point-to-point: returns when that is done */
	TRACE_REQUEST = 1 << 5,     /* always makes a request that is active */
	TRACE_PERSISTENT = 1 << 6,  /* makes one that is started later, */
	TRACE_PARTITIONED = 1 << 7, /* and whose message has partitions */
	TRACE_MATCHED = 1 << 8,     /* matched probes and what receives their messages */
	TRACE_WILD = 1 << 9,        /* TRACE_WILD_SOURCE, TRACE_WILD_TAG mean something */
	TRACE_COMPLETES = 1 << 10,  /* waits and tests */
	TRACE_TESTS = 1 << 11,      /* of these the tests */
	TRACE_LISTS = 1 << 12,      /* has a list of requests */
	TRACE_OUTCOME = 1 << 13,    /* may leave requests incomplete */
	TRACE_COLLECTIVE = 1 << 14,
	TRACE_ROOTED = 1 << 15,
	TRACE_NEIGHBORS = 1 << 16,  /* a collective of neighbours only */
	TRACE_MAKES_COMM = 1 << 17, /* not comm_idup */
	TRACE_IN_COMM = 1 << 18,    /* names the communicator that it is in */
	TRACE_WINDOW = 1 << 19,
	TRACE_MPI_IO = 1 << 20,
	TRACE_SYSTEM_IO = 1 << 21,
	TRACE_READS = 1 << 22, /* a file */
	TRACE_WRITES = 1 << 23,
	TRACE_REMOTE = 1 << 24 /* one-sided: reaches into a window */
};
/* It has one of these traits at least. */
int trace_op_has(enum trace_op op, uint64_t traits);

/* What is known of an op: its name in traces, its MPI function. */
const char *trace_op_name(enum trace_op op); /* "isend" */
const char *trace_op_mpi(enum trace_op op);  /* "MPI_Isend", "" for compute and the like */
int trace_op_sends(enum trace_op op);        /* point-to-point: a message leaves with the call */
int trace_op_is_collective(enum trace_op op);
int trace_op_is_neighborhood(enum trace_op op); /* one of these, on neighbours only */
int trace_op_may_be_wild(enum trace_op op); /* TRACE_WILD_SOURCE, TRACE_WILD_TAG mean something */
int trace_op_makes_comm(enum trace_op op);  /* not comm_idup */

/* Datatypes: SimGrid's ids 0..59 (x86-64 sizes). */
int64_t trace_type_size(int32_t type);     /* bytes; -1 if unknown */
int32_t trace_type_find(const char *name); /* -1 if unknown */

/* --- reading --- */
struct trace;
/* path: a folder written by `orrery trace`, a list file, a merged file, or a single rank's file;
 * or a trace of another tool (docs/foreign-traces.md); the format is recognised from the content
 * (plug table trace_formats[]). np: ranks wanted, or 0: all that are there. */
struct trace *trace_open(const char *path, uint32_t np, struct err *err);
/* A trace that the caller gives line by line, in our form (docs/trace-format.md) without the rank:
 * "send 1 7 1000 6". */
struct trace_given {
	void *self;
	const char *name; /* for messages */
	uint32_t ranks;
	uint64_t actions; /* about so many, 0: not known */
	/* The next line of a rank, without newline, valid until the next call: 1, with *line and
	 * *n; 0 at its end; -1 with *err. */
	int (*next)(void *self, uint32_t rank, const char **line, size_t *n, struct err *err);
};
struct trace *trace_open_given(const struct trace_given *g, struct err *err);
struct trace_open_options {
	int even_split; /* what a foreign format does not say of blocks is split evenly */
};
struct trace *trace_open_with(const char *path, uint32_t np, const struct trace_open_options *o,
                              struct err *err);
/* What the format of a foreign trace could not tell and was assumed, a line each, or "". */
const char *trace_notices(const struct trace *t);
void trace_close(struct trace *t);
uint32_t trace_ranks(const struct trace *t);
const char *trace_format_name(const struct trace *t);
/* Its lines are SimGrid's, of any version: its owner may know SimGrid's times. */
int trace_of_simgrid(const struct trace *t);
/* Of this trace only this rank is asked for: less is kept of what is drawn for others. */
void trace_only(struct trace *t, uint32_t rank);
/* Another seed of what is drawn from its histograms than 1: before the first event. */
void trace_seed(struct trace *t, uint64_t seed);
/* Next event of a rank: 1, 0 at its end, -1 with file, line, column, what was expected, what was
 * found. Arrays and text of *ev stay valid until the next call for the same rank. Ranks may be
 * asked in any order. */
int trace_next(struct trace *t, uint32_t rank, struct trace_event *ev, struct err *err);
/* These ranks are asked next, and then (0xffffffff: nobody): what is needed for that is fetched
 * into the cache meanwhile. Changes nothing; only worth while where ranks are many. */
void trace_soon(const struct trace *t, uint32_t rank, uint32_t then);
/* Of how many ranks the record was found to end before the program did: a process that was killed,
 * a file that was cut. Known as ranks come to their ends. Where the manifest says that the trace is
 * complete, trace_next fails there instead. */
uint32_t trace_partial(const struct trace *t);
/* " (ranks 0, 4-7)": which of them, in short, as far as that is known. */
void trace_partial_which(const struct trace *t, struct str *out);
/* Whether it is known of the format that no two requests of a rank have the same number. */
int trace_requests_differ(const struct trace *t);
/* Reads what is left of all ranks, to know it of all. */
int trace_drain(struct trace *t, struct err *err);
/* The structure of a compressed trace as an indented outline: classes of ranks, loops, calls and
 * what they cost, read off its structure. Another trace has none: an error. */
int trace_outline(const struct trace *t, struct str *out, struct err *err);
/* Whether two traces make the same calls, rank by rank, whatever they cost: 0, or 1 and where they
 * part is told in out; -1. Both are read to their ends. */
int trace_diff(struct trace *a, struct trace *b, struct str *out, struct err *err);
/* --- what is in a trace, without unfolding it --- */

/* A call of a rank, as often as it is made at a place of the structure with the same parameters. Of
 * a trace that is not compressed: each event by itself. */
struct trace_seen {
	uint32_t rank, depth; /* depth: loops around it */
	uint64_t times;
	double volume, seconds;       /* of all times */
	const struct trace_event *ev; /* the first one; where its size is drawn: its mean */
};
struct trace_visitor {
	void *self;
	int (*call)(void *self, const struct trace_seen *s, struct err *err);
	/* or NULL: around what is in a loop that is gone through so many times in all */
	int (*loop)(void *self, uint32_t rank, uint64_t times, int enters, struct err *err);
};
/* Rank by rank; what a visitor returns that is not 0 ends it and is returned. The trace is then at
 * its end. */
int trace_visit(struct trace *t, const struct trace_visitor *v, struct err *err);
/* Bytes that an event says this rank sends (receives: nothing, so that no message counts twice). */
double trace_event_sent(const struct trace_event *ev);

/* Hands all calls to the handlers of a shared object, "FILE" or "FILE:ARGUMENTS"
 * (include/orrery/analysis.h); FILE is an absolute path. What they say is appended to out. */
int trace_handlers_run(struct trace *t, const char *file, struct str *out, struct err *err);

/* Where a rank is, for messages: "file:line"; where there are no lines, "file, event 12". */
const char *trace_place(const struct trace *t, uint32_t rank, char *buf, size_t n);
/* The same beside the number of the event: "file:line", or "file". */
const char *trace_place_beside(const struct trace *t, uint32_t rank, char *buf, size_t n);
/* Where an event was (beside its number): its number in its rank, from 1. The trace is read anew up
 * to there: fast only where numbers rise from call to call. "" if it cannot be read any more. */
const char *trace_place_of(struct trace *t, uint32_t rank, uint64_t number, char *buf, size_t n);
/* Actions in all (exact when cheap to know, else an estimate from file sizes; 0 if unknown). For
 * progress only. */
uint64_t trace_actions_hint(const struct trace *t);

/* --- manifest of a trace: "key: value" lines, in order. A folder's file, a compressed trace's
 * block, the head of a merged file --- */
struct trace_manifest {
	char *program, *arguments, *hosts /* comma-separated, by rank */, *mpi, *counter, *date,
	    *tracer;
	uint32_t ranks;
	/* volume units per second used when volumes were made from time, or 0 */
	double nominal_rate;
	int complete;
	/* Seconds that threads computed which called no MPI: a computation is that of its rank's
	 * busiest one, or they are not in the trace. */
	double threads, beside;
	char *untraced;  /* "12 MPI_Put, 3 MPI_Get" or "" */
	char *run;       /* tells it from others; every file of it says the same; or "" */
	char *processor; /* model names of the processors that it ran on, joined by "; "; or "" */
	char *unit;      /* of the volumes (volume_unit_word), or "": as the counter says */
};
int trace_manifest_read(const char *dir, struct trace_manifest *out, struct err *err);
/* The same where there may be none: 1, 0 (then *out is zero), -1. */
int trace_manifest_find(const char *path, struct trace_manifest *out, struct err *err);
/* Of an open trace: its own, or what a foreign format tells. 1, 0 (then *out is
 * zero), -1. */
int trace_manifest_get(const struct trace *t, struct trace_manifest *out, struct err *err);
/* What a foreign format tells whose volumes `counter` counted ("wall": ns). 1 or -1. */
int trace_manifest_foreign(const char *counter, uint32_t ranks, struct trace_manifest *out,
                           struct err *err);
int trace_manifest_write(const char *dir, const struct trace_manifest *m, struct err *err);
void trace_manifest_release(struct trace_manifest *m);
/* What its volumes count: of time, volume / nominal_rate is in seconds. */
enum volume_unit trace_manifest_unit(const struct trace_manifest *m);
const char *trace_counter(size_t i); /* name of the i-th counter of the tracer; NULL: no more */

/* --- what a trace is made of --- */
/* Calls each() with every file that trace_open(path) would read, until it returns something else
 * than 0, which is returned. A path that is no trace at all is one file; of what cannot be opened,
 * as trace_open will say, there is none. -1: each() returned that, or *err is set: which files
 * there are cannot be known. */
int trace_files_each(const char *path, int (*each)(void *self, const char *file), void *self,
                     struct err *err);

/* --- writing --- */
/* One event as one line of our text form (docs/trace-format.md), newline included. Shared with the
 * tracer: allocates nothing when s is large enough. */
void trace_event_format(struct str *s, uint32_t rank, const struct trace_event *ev);

enum trace_write_form {
	TRACE_WRITE_FOLDER,     /* ours, one file per rank: dir/manifest, dir/rank-<r>.tit */
	TRACE_WRITE_MERGED,     /* ours, one file */
	TRACE_WRITE_COMPRESSED, /* ours, one file (docs/formats/compressed-trace.md) */
	TRACE_WRITE_DIMEMAS, /* Dimemas .dim; GOAL of LogGOPSim and ATLAHS, text and binary: what */
	TRACE_WRITE_GOAL, /* they cannot hold is an error naming the event (docs/foreign-traces.md)
	                   */
	TRACE_WRITE_GOAL_BINARY,
	TRACE_WRITE_OTF2, /* a folder with the archive traces.otf2, if there is libotf2; the same */
	TRACE_WRITE_SIMGRID /* plain form for SimGrid's replayer: list file `path` and folder
	                       `path`_files/; what it cannot hold is an error naming the event,
	                       except the lossless or noted mappings of docs/trace-format.md */
};
struct trace_writer;
struct trace_writer *trace_writer_open(const char *path, enum trace_write_form form, uint32_t ranks,
                                       struct err *err);
/* Of the compressed form, before the first event: volumes and durations that differ by at most 100
 * - precision per cent are kept as histograms (100, if this is not called: all as they are). */
void trace_writer_precision(struct trace_writer *w, int precision);
/* Of OTF2 and the merged form, before the first event: what the run was, and so what its volumes
 * are; must stay. */
void trace_writer_about(struct trace_writer *w, const struct trace_manifest *m);
/* Before the first event: it is this trace that is written in another form: it stays the same run.
 */
void trace_writer_again(struct trace_writer *w, const struct trace *source);
/* The record of this rank ends before the program did (trace_partial): our forms say so. */
int trace_writer_partial(struct trace_writer *w, uint32_t rank, struct err *err);
int trace_writer_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                     struct err *err);
/* Nothing more comes of this rank: what it needed is given back. It may be left out. */
int trace_writer_rank_done(struct trace_writer *w, uint32_t rank, struct err *err);
/* That was all of it: the trace takes the place of what was there. m: of a folder, or NULL; its
 * ranks are the writer's. notices (one line per mapping that lost something, with counts) are
 * appended; or NULL. Frees w in any case. */
int trace_writer_commit(struct trace_writer *w, const struct trace_manifest *m, struct str *notices,
                        struct err *err);
/* That was not all of it: nothing is written. w may be NULL. */
void trace_writer_abandon(struct trace_writer *w);

/* The call sites that a folder's regions name, and the modules (programs, libraries) that these are
 * in: what the tracer left. Zero to begin with. */
struct trace_sites {
	struct trace_site {
		char *name;             /* "ring+0x11f3": a module and an address of it */
		char *place, *function; /* "ring.c:120", "main"; NULL: not known */
	} * site;
	uint32_t n, cap;
	struct trace_module {
		char *name, *path;
	} * module;
	uint32_t modules, modules_cap;
	struct hash_str index; /* of sites, by name */
};
void trace_sites_release(struct trace_sites *s);
/* The table of a folder, its file `sites`: what trace_open replaces the sites in names of regions
 * by. Sites without a place are left out. */
int trace_sites_write(const char *dir, const struct trace_sites *s, struct err *err);

/* The folder of a traced run, when that has ended. Its ranks were merged into one file (their texts
 * are then not there), or left text, or were killed and left what the tracer keeps for that case.
 */
#define TRACE_EVENTS_FILE "events"
/* While a program is traced: a rank that can write no more says so by giving the second name, which
 * takes no room, to the first. */
#define TRACE_GOES_ON ".unstopped"
#define TRACE_STOPPED ".stopped"
/* Why it says so: the size of that file, of which no byte is written. */
enum trace_stop {
	TRACE_STOP_ROOM,  /* the file system has no room, or the user no more of it */
	TRACE_STOP_AGAIN, /* the program began MPI again, after all of it had ended */
	TRACE_STOP_OTHER, /* what the rank has said */
	TRACE_STOP_NEXT,  /* it was not begun: another program was traced there before */
};
/* A file of one rank there: "rank-12.tit" is rank 12's, and ".tit" is returned; NULL: it is none.
 */
const char *trace_rank_file(const char *name, uint32_t *rank);
/* What the ranks noted ("key value" lines), how many events there are, and, if wanted, the call
 * sites that regions name. 1, 0: they were not merged, -1. */
int trace_folder_merged(const char *dir, struct str *notes, uint64_t *events,
                        struct trace_sites *sites, struct err *err);
/* Makes text (rank-<r>.tit) of what ranks left that were not merged, whatever ended them. What is
 * not whole is left out; a rank that came to its end has "# end <events>". How many ranks, or -1.
 */
int trace_folder_restore(const char *dir, struct err *err);
/* Of a simulated run, whose ranks left chapters each and named communicators each by itself: one
 * file as above, 1; or, if a rank has not come to its end, text as above, 0; -1. */
int trace_folder_join(const char *dir, uint32_t ranks, struct err *err);
/* Completes a folder the tracer left: applies `resolve` records, drops half-written last lines.
 * *resolved, *dropped may be NULL; sites too: it gets the call sites that regions name. */
int trace_folder_complete(const char *dir, uint32_t ranks, uint64_t *resolved, uint64_t *dropped,
                          struct trace_sites *sites, struct err *err);

/* The regions of a trace, by name: one number for all ranks. Zero to begin with. */
struct trace_regions {
	char **name;
	uint32_t n, cap;
	struct hash_str index;
	struct hash64 local; /* rank << 32 | the rank's number -> ours */
};
void trace_regions_release(struct trace_regions *r);
/* Takes a region event of a rank. */
int trace_regions_define(struct trace_regions *r, uint32_t rank, const struct trace_event *ev,
                         struct err *err);
/* The region of a computation, or -1: it has none, or one that was not defined. */
int64_t trace_regions_find(const struct trace_regions *r, uint32_t rank,
                           const struct trace_event *ev);

#endif
