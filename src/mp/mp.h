/* mp.h: the face of the MPI room: what MPI does with messages. Matching, protocols (eager,
 * detached, rendezvous), requests, communicators, collectives. It does not know where the calls
 * come from.
 *
 * The program interface (ARCHITECTURE, idea 1): a program is resumed for one rank, issues
 * operations, and returns when one of them says MP_BLOCKED; it is resumed when that operation is
 * complete. `replay` implements it as a cursor over a trace, `live` as a coroutine: what is below
 * cannot tell them apart.
 *
 * Rules
 *  1. At most one operation of a rank is blocked; while it is, the rank issues nothing.
 *  2. Ranks runnable at one date run in the order they became runnable (first come first served;
 *     initially rank order).
 *  3. Messages of one sender to one receiver on one communicator match in the order they were sent
 *     (MPI 4.0, 3.5).
 *  4. Nothing is allocated per operation when warm; requests and messages are slots that are
 *     reused.
 */
#ifndef ORRERY_MP_H
#define ORRERY_MP_H

#include "coll/coll.h"
#include "contest/coll_measure.h"
#include "net/net.h"

struct mp;

enum mp_status { MP_ERROR = -1, MP_DONE = 0, MP_BLOCKED = 1 };
enum { MP_ANY = -1, MP_PROC_NULL = -2 };

struct mp_comm {
	uint32_t v;
}; /* 0 is the world */
struct mp_request {
	uint32_t v;
};
#define MP_COMM_WORLD ((struct mp_comm){0})
#define MP_REQUEST_NULL ((struct mp_request){0xffffffffu})

struct mp_message;
struct mp_program {
	void *self;
	/* Runs rank until it blocks (0), has ended (1) or fails (-1); 2: it waits for what others
	 * tell the program, without an operation, until mp_go_on. */
	int (*resume)(void *self, struct mp *mp, uint32_t rank, struct err *err);
	/* NULL, or asked before time passes: 1 if some rank that waited so was told to go on, 0 if
	 * not, -1 on error. idle: nothing else can happen any more. */
	int (*outside)(void *self, int idle, struct err *err);
	/* Where rank is in its program ("file:line action"), for messages; returns buf. */
	const char *(*place)(void *self, uint32_t rank, char *buf, size_t n);
	/* NULL, or the name of the call of MPI that rank is in, where mp knows no more than that it
	 * manages communicators or windows, "" if the program does not either; returns buf. */
	const char *(*call)(void *self, uint32_t rank, char *buf, size_t n);
	/* NULL, or for each rank the number of the event that it is at, event_stride bytes apart;
	 * and NULL, or where a rank was at an event ("file:line", "" if not known; slow). Without,
	 * messages number the operations of a rank. */
	const uint32_t *event;
	size_t event_stride;
	const char *(*place_of)(void *self, uint32_t rank, uint32_t event, char *buf, size_t n);
	/* NULL, or told what is wrong with the program when it is found; then the report at the end
	 * has only what is known there. */
	void (*wrong)(void *self, const char *text);
	/* Who made the program tells what it never freed: mp does not. */
	int tells_left;
	/* NULL, or told which rank runs soon, in a few turns, and which in some more, so that what
	 * they need is in the cache; the same one, where there are not so many. */
	void (*soon)(void *self, uint32_t rank, uint32_t then);
	/* NULL, or asked by mp_recv_among and mp_probe_among: 1 if the rank takes a message from
	 * source with this tag; then *m, which has their communicator, is to be made what it
	 * receives. */
	int (*takes)(void *self, uint32_t rank, uint32_t source, int32_t tag, struct mp_message *m);
	/* NULL, or asked when the volume of operators is due (mp_collective): 1: it takes *seconds
	 * if the rank has a core of its own at full speed; 2: *seconds, whoever shares the host; 0:
	 * it goes at the host's speed, as all do without this; -1 on error. */
	int (*operates)(void *self, struct mp *mp, uint32_t rank, double volume, double *seconds,
	                struct err *err);
	/* NULL: a message that is longer than its receive is an error. Or why it is none, in
	 * brackets: it is reported, and the run goes on. (What the program does is known to have
	 * come to its end, so that it has handled the error; it is no program of MPI.) */
	const char *longer;
};

/* What a rank is doing, as observers see it. Names come from here, so that every picture uses the
 * same words. */
enum mp_call {
	CALL_COMPUTE,
	CALL_SLEEP,
	CALL_OPEN, /* files of the operating system */
	CALL_READ,
	CALL_WRITE,
	CALL_LAST_OUTSIDE = CALL_WRITE, /* those after are calls of MPI */
	CALL_INIT,
	CALL_FINALIZE,
	CALL_SEND,
	CALL_SSEND,
	CALL_BSEND,
	CALL_RSEND,
	CALL_ISEND,
	CALL_ISSEND,
	CALL_IBSEND,
	CALL_IRSEND,
	CALL_RECV,
	CALL_IRECV,
	CALL_SENDRECV,
	CALL_PROBE,
	CALL_IPROBE,
	CALL_START,
	CALL_WAIT,
	CALL_WAITALL,
	CALL_WAITANY,
	CALL_WAITSOME,
	CALL_TEST,
	CALL_TESTALL,
	CALL_TESTANY,
	CALL_TESTSOME,
	CALL_COMM,
	CALL_MPROBE,
	CALL_MRECV,
	CALL_IMRECV,
	CALL_PSEND,
	CALL_PRECV,
	CALL_PREADY,
	CALL_PARRIVED,
	CALL_BUFFER_DETACH,
	CALL_WIN,
	CALL_PUT,
	CALL_GET,
	CALL_ACCUMULATE,
	CALL_WIN_FENCE,
	CALL_WIN_POST,
	CALL_WIN_START,
	CALL_WIN_COMPLETE,
	CALL_WIN_WAIT,
	CALL_WIN_LOCK,
	CALL_WIN_UNLOCK,
	CALL_WIN_FLUSH,
	CALL_FILE_OPEN,
	CALL_FILE_CLOSE,
	CALL_FILE_SYNC,
	CALL_FILE_READ,
	CALL_FILE_WRITE,
	CALL_FILE_READ_ALL,
	CALL_FILE_WRITE_ALL,
	CALL_COLL, /* + enum coll_kind */
	CALL_ICOLL = CALL_COLL + COLL_KINDS,
	CALL_CALLS = CALL_ICOLL + COLL_KINDS
};
const char *mp_call_name(enum mp_call c); /* "MPI_Allreduce", "computation" */
/* What rank is in: likewise; NULL: its program runs, or it has ended. Allocates nothing. */
const char *mp_call_now(const struct mp *mp, uint32_t rank);

/* A message that has been received. */
struct mp_arrival {
	uint32_t from, to; /* world ranks */
	int32_t tag;
	struct mp_comm comm;
	double bytes;
	/* s: the send was posted; its transfer began; it had arrived and its receive was posted (an
	 * eager message may have arrived before) */
	double sent, moved, received;
	uint32_t transfer; /* its slot (struct mp_transfer) */
	int coll;          /* a collective's own */
};
/* Observers see, and change nothing. All dates are simulated seconds. Any hook may be NULL. */
struct mp_observer {
	void *self;
	/* A run begins, at date 0. */
	void (*begin)(void *self);
	/* A rank enters and leaves a call. partner: world rank or -1; bytes: of the call (sent +
	 * received by this rank, 0 if none); wait: of the time in the call, the part in which the
	 * rank was blocked and what it waited for had not begun to move (its partner was late).
	 * Sends count where they are issued, receives where they are completed. */
	void (*enter)(void *self, uint32_t rank, enum mp_call call, double date);
	void (*leave)(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
	              double bytes, double wait);
	void (*message)(void *self, const struct mp_arrival *m);
	/* This rank enters or leaves a call soon, in a few turns of ranks, and then that one: as
	 * mp_program's. */
	void (*soon)(void *self, uint32_t rank, uint32_t then);
	/* A communicator was made: its members as world ranks. */
	void (*comm)(void *self, struct mp_comm comm, const uint32_t *members, uint32_t n);
};

/* A closer look at some of a run, for explanations: at most one, none of its functions NULL. It
 * sees and changes nothing. */
enum mp_protocol { PROTOCOL_EAGER, PROTOCOL_DETACHED, PROTOCOL_RENDEZVOUS, PROTOCOL_UNMATCHED };
/* What something depends on that happens now: on a transfer that arrives, or on what a rank does.
 */
#define MP_LEG 0x80000000u
enum { MP_NO_TRANSFER = 0xffffffffu };
struct mp_cause {
	uint32_t transfer; /* its slot; or MP_NO_TRANSFER */
	uint32_t rank;     /* who does it, or did what the transfer goes back to */
};
struct mp_transfer {
	uint32_t slot;      /* its number while it moves; of those that match nothing: + MP_LEG */
	struct mp_cause by; /* what lets it begin */
	uint32_t from, to;
	int32_t tag;
	struct mp_comm comm;
	int coll;
	double bytes;
	double sent, received; /* s: send and receive posted; received < 0: not yet */
	enum mp_protocol protocol;
	struct activity_id activity; /* or ACTIVITY_NONE */
	uint64_t user;               /* of the activity */
};
struct mp_watch {
	void *self;
	void (*begins)(void *self, const struct mp_transfer *t,
	               double date); /* a message begins to move */
	void (*moves)(
	    void *self, uint32_t slot,
	    struct activity_id a); /* just after: as this activity, if the model has one */
	void (*matched)(void *self, uint32_t slot, double posted,
	                double date); /* after it began: its receive */
	void (*arrived)(void *self, uint32_t slot, double date);
	/* A rank that waits may go on because of this: it got a message or is rid of it, a lock was
	 * granted, its partition came, what it probes for was sent. Of several in one wait the last
	 * counts. */
	void (*released)(void *self, uint32_t rank, const struct mp_cause *by);
	void (*waited)(void *self, uint32_t rank, double since, double until);
	void (*executes)(
	    void *self, uint32_t rank,
	    double date); /* its call now computes (operators, polling), up to its end */
	/* A collective begins. c: NULL: the model decides the whole. */
	void (*chosen)(void *self, uint32_t rank, const struct coll_args *a,
	               const struct coll_choice *c);
	/* A collective that the model decides begins: for this member, with the coming of the last.
	 */
	void (*gathered)(void *self, uint32_t rank, uint32_t last, double date);
	/* Rounds of a ring that are not simulated (period.c) are over for this rank, whose call
	 * blocks: it has waited for `last`, the one that came last, from `since` on, and from
	 * `gathered`, the date of which `gathered` has told, until now for these rounds. */
	void (*rounds)(void *self, uint32_t rank, uint32_t last, double since, double gathered,
	               double date);
	/* A look of a running program (MPI_Test, MPI_Iprobe and the like), which began at `since`
	 * and whose call is over, found something, or nothing. Looks in a row that find nothing are
	 * a wait for what the first to find something found; `released` has told of that. */
	void (*looked)(void *self, uint32_t rank, double since, int found);
};
/* w must outlive mp; before mp_run. */
void mp_set_watch(struct mp *mp, const struct mp_watch *w);
/* Before mp_run: volumes of computations were counted by elapsed time, so that they may be sleeps,
 * which noise/sleep makes end late and which take no part of the processors that virtual hosts
 * share. */
void mp_volumes_elapsed(struct mp *mp);
/* The ends of the message whose activity has this user: 1, or 0 if it is none. */
int mp_message_of(const struct mp *mp, uint64_t user, uint32_t *from, uint32_t *to);

/* The data of messages and collectives, which mp does not see, and who moves them: at most one,
 * none of its functions NULL; each returns 0, or -1 with *err. Data have 64-bit names, of the
 * program's choice. A side of a message is known by its slot from `side` until both sides have met;
 * a slot is used again afterwards. */
struct mp_data {
	void *self;
	/* A side of a message is made, with data of this name: those of the call, or, of a step of
	 * a collective, those of the collective. leaves: it may be complete before its mate comes.
	 */
	int (*side)(void *self, uint32_t slot, uint64_t data, const struct coll_step *step,
	            int leaves, struct err *err);
	/* A side is made as another start of a persistent one. */
	int (*again)(void *self, uint32_t slot, uint32_t pattern, struct err *err);
	/* A message of rank `from` meets its receive, and neither is complete. Sizes are not
	 * compared: what is too long is the program's affair. */
	int (*meet)(void *self, uint32_t send, uint32_t recv, uint32_t from, int32_t tag,
	            double bytes, struct err *err);
	/* A rank begins a collective, or a step of it acts on memory (REDUCE, COPY). alg NULL: the
	 * model decides the call as a whole. */
	int (*begins)(void *self, uint64_t data, const struct coll_alg *alg,
	              const struct coll_args *a, uint32_t me, struct err *err);
	int (*acts)(void *self, uint64_t data, const struct coll_step *step, struct err *err);
	/* Whether a collective has any bytes here to move; and a message between two that is not
	 * simulated by itself: what the step `send` of one sends comes at the step `recv` of the
	 * other at once. */
	int (*is_there)(void *self, uint64_t data);
	int (*carry)(void *self, uint64_t from, const struct coll_step *send, uint64_t to,
	             const struct coll_step *recv, struct err *err);
	/* NULL, or told when a rank waits in a collective that blocks, and has then only local
	 * steps and waits to do: those from step `first` of round *rest on. All that it sends or
	 * receives has been told of (side). */
	int (*last)(void *self, uint64_t data, const struct coll_cursor *rest, uint32_t first,
	            struct err *err);
	/* A partition has arrived: the bytes from `from` on of what the sending request was made
	 * with (mp_part_init), and of the receiving one. */
	int (*part)(void *self, uint64_t send, uint64_t recv, double from, double bytes,
	            struct err *err);
};
/* d must outlive mp; before mp_run. */
int mp_set_data(struct mp *mp, const struct mp_data *d, struct err *err);
/* What the data of the sends and of the receives, or of the collective (send), that the next
 * operation makes are called. 0: it has none. */
void mp_data_next(struct mp *mp, uint64_t send, uint64_t recv);
/* A rank whose program returned 2 may go on. */
void mp_go_on(struct mp *mp, uint32_t rank);

/* net and cfg must outlive it. host[i]: where rank i runs (copied). */
struct mp *mp_new(struct net *net, const struct config *cfg, const struct host_id *host,
                  uint32_t ranks, struct err *err);
/* With `spare` more ranks, not members of the world, that are not there until mp_rank_begin. */
struct mp *mp_new_spare(struct net *net, const struct config *cfg, const struct host_id *host,
                        uint32_t ranks, uint32_t spare, struct err *err);
/* A spare rank that is not there, or has ended, begins now. */
void mp_rank_begin(struct mp *mp, uint32_t rank);
/* One more than the highest rank that has begun. */
uint32_t mp_ranks_begun(const struct mp *mp);
void mp_free(struct mp *mp);
int mp_observe(struct mp *mp, const struct mp_observer *o,
               struct err *err); /* copied; before mp_run */
uint32_t mp_ranks(const struct mp *mp);
struct host_id mp_host(const struct mp *mp, uint32_t rank);
double mp_now(const struct mp *mp);
uint32_t mp_alive(const struct mp *mp); /* ranks that have not ended, while mp_run runs */
struct net *mp_net(struct mp *mp);

/* Runs all ranks to their end. program is copied; its self must live as long as mp asks for places
 * (errors, mp_report). -1 with kind ERR_PROGRAM and an explanation when the program cannot go on: a
 * truncation, a misuse of MPI, a deadlock (who waits for whom, at which call, since when, the
 * cycle). A message never received or a request never completed does not stop it: see mp_report. */
int mp_run(struct mp *mp, const struct mp_program *program, struct progress *progress,
           struct err *err);
/* What was wrong without stopping the run, with ranks, dates and events (report.c): messages never
 * received, receives nothing came for, requests never waited for, collectives that not all members
 * called, or not with the same counts; how many communicators, windows, files and persistent
 * requests were never freed. At most 100 lines, and one that counts the rest, appended to *out;
 * returns how many. After a run that failed: only what had been found wrong by then. */
uint32_t mp_report(struct mp *mp, struct str *out);
/* Who made the program has found a mistake of a rank, at `place` ("": not known): it is told as
 * what mp finds. */
void mp_report_add(struct mp *mp, uint32_t rank, const char *place, const char *text);
/* The record of a rank ends before the program did: what is left undone is then no fault of the
 * program's, and mp_report is silent of it. */
void mp_cut_short(struct mp *mp);
struct mp_stats {
	double end;
	uint64_t messages, collectives, operations;
	uint64_t looks; /* calls of mp_iprobe, mp_test, mp_look */
	double bytes;
};
/* Did mp_run end in a deadlock? */
int mp_deadlocked(const struct mp *mp);
/* Of a rank that has begun and not ended, after a deadlock: appends ", " and the call it is in,
 * since when, where, and what that waits for. Returns whether it did. */
int mp_waits(struct mp *mp, uint32_t rank, struct str *out);
/* end: date at which the last rank ended, s; of a deadlock, at which it came about. */
void mp_stats(const struct mp *mp, struct mp_stats *out);
/* Of the time up to a date what the date depended on: of the critical path (path.c) the seconds in
 * which ranks computed, and slept; the rest were messages and what ranks spend on them. */
struct mp_path {
	double computed, slept;
};
/* Of the end that mp_stats tells. */
void mp_path(const struct mp *mp, struct mp_path *out);

/* --- operations: each returns enum mp_status; MP_BLOCKED: complete when the rank is next resumed;
 * MP_ERROR with *err set --- */
/* Whether computation takes time (smpi/simulate-computation). */
int mp_computes(const struct mp *mp);
int mp_compute(struct mp *mp, uint32_t rank, double volume, struct err *err);
/* The same at a known rate: takes `seconds` if the rank has a core of its own at full speed. */
int mp_compute_rated(struct mp *mp, uint32_t rank, double volume, double seconds, struct err *err);
int mp_sleep(struct mp *mp, uint32_t rank, double seconds, struct err *err);
/* It ends before, when a request of the rank is complete, or a message for it or a partition is
 * there. waits: not the first look in a row: it is a wait. */
int mp_nap(struct mp *mp, uint32_t rank, double seconds, int waits, struct err *err);
/* How many ranks are asleep so, or between two looks: each has one activity under way. */
uint32_t mp_napping(const struct mp *mp);
/* A longer row of looks that gives up is a loop that waits for a date (nap.c). */
enum { MP_PATIENCE_MAX = 1024 };
/* When something happened last that a look of the rank may find. */
double mp_happened(const struct mp *mp, uint32_t rank);
/* The rank does something else than look: its next look that finds nothing is the first in a row.
 */
void mp_looks_end(struct mp *mp, uint32_t rank);
/* Looks do not grow by strides until the row ends (nap.c). */
void mp_looks_steady(struct mp *mp, uint32_t rank);
/* 0: no long wait was found; more: the longer the longest one was. */
uint32_t mp_looks_stride(const struct mp *mp, uint32_t rank);
/* For mp_watch: what a look found that is over. */
void mp_looked(struct mp *mp, uint32_t rank, double since, int found);
/* A computation whose duration is known: it takes no part of the processor from others. */
int mp_compute_for(struct mp *mp, uint32_t rank, double seconds, struct err *err);
int mp_init(struct mp *mp, uint32_t rank, struct err *err);
int mp_finalize(struct mp *mp, uint32_t rank, struct err *err);

enum mp_mode { MP_STANDARD, MP_SYNCHRONOUS, MP_BUFFERED, MP_READY };
struct mp_message { /* one side of a message */
	struct mp_comm comm;
	int32_t peer; /* world rank, MP_ANY (receive), MP_PROC_NULL */
	int32_t tag;  /* >= 0; MP_ANY (receive) */
	double bytes; /* send: size; receive: capacity (infinite: HUGE_VAL) */
	int packed; /* not in one piece: packed before it is sent, unpacked after it was received */
	uint8_t types; /* enum coll_types */
};
int mp_send(struct mp *mp, uint32_t rank, const struct mp_message *m, enum mp_mode mode,
            struct err *err);
int mp_recv(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err);
int mp_sendrecv(struct mp *mp, uint32_t rank, const struct mp_message *send,
                const struct mp_message *recv, struct err *err);
/* The request is valid at once, even if the operation is blocked by its own overhead. */
int mp_isend(struct mp *mp, uint32_t rank, const struct mp_message *m, enum mp_mode mode,
             struct mp_request *out, struct err *err);
int mp_irecv(struct mp *mp, uint32_t rank, const struct mp_message *m, struct mp_request *out,
             struct err *err);
/* Persistent requests: made inactive; start makes them active; completion makes them inactive
 * again. */
int mp_send_init(struct mp *mp, uint32_t rank, const struct mp_message *m, enum mp_mode mode,
                 struct mp_request *out, struct err *err);
int mp_recv_init(struct mp *mp, uint32_t rank, const struct mp_message *m, struct mp_request *out,
                 struct err *err);
int mp_start(struct mp *mp, uint32_t rank, const struct mp_request *reqs, uint32_t n,
             struct err *err);
int mp_request_free(struct mp *mp, uint32_t rank, struct mp_request req, struct err *err);
/* mp_result.flag: it was given up. */
int mp_cancel(struct mp *mp, uint32_t rank, struct mp_request req, struct err *err);
/* MPI_Buffer_detach: the rank waits until all its buffered messages have gone (buffer.c). */
int mp_buffer_detach(struct mp *mp, uint32_t rank, struct err *err);
/* MPI_Buffer_iflush: *out is complete when those have gone that are in the buffer now. */
int mp_buffer_iflush(struct mp *mp, uint32_t rank, struct mp_request *out, struct err *err);
/* Bytes of the messages in the rank's buffer now, of those of more than `least` bytes. */
double mp_buffer_fill(const struct mp *mp, uint32_t rank, double least);
/* The requests are copied; null and inactive ones are complete. Completed non-persistent requests
 * are given back: their ids end here. `all` sorts: waitall; waitany: any one; waitsome: all that
 * are complete when one is; mp_result tells which. */
enum mp_wait_kind { MP_WAIT, MP_WAITALL, MP_WAITANY, MP_WAITSOME };
int mp_wait(struct mp *mp, uint32_t rank, enum mp_wait_kind kind, const struct mp_request *reqs,
            uint32_t n, struct err *err);
/* Waits for all of them under the name of `call`, a wait or a test that is known to complete them:
 * what the call chose where it was traced, and only that. */
int mp_wait_chosen(struct mp *mp, uint32_t rank, enum mp_call call, const struct mp_request *reqs,
                   uint32_t n, struct err *err);
/* MPI_Test and its family with their simulated cost (smpi/test); mp_result tells what completed. */
enum mp_test_kind { MP_TEST, MP_TESTALL, MP_TESTANY, MP_TESTSOME };
int mp_test(struct mp *mp, uint32_t rank, enum mp_test_kind kind, const struct mp_request *reqs,
            uint32_t n, struct err *err);
/* The same in no time, for calls whose number is known: smpi/test is there so that a program that
 * polls lets the clock move. compat: mp_test. */
int mp_look(struct mp *mp, uint32_t rank, enum mp_test_kind kind, const struct mp_request *reqs,
            uint32_t n, struct err *err);
/* MPI_Request_get_status: whether it is complete, in no time and without completing it; a null or
 * inactive one is. */
int mp_request_is_complete(const struct mp *mp, struct mp_request req);
int mp_probe(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err);
int mp_iprobe(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err);
/* Receives or looks for the first message to come, from whomever, with tag m->tag or MP_ANY, of
 * those that the program takes (mp_program.takes). mp_result tells which it was. */
int mp_recv_among(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err);
int mp_probe_among(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err);
/* Matched probes: waits for a message as mp_probe, and takes it out of the queue; mp_result.message
 * is its handle, to be received once. */
int mp_mprobe(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err);
int mp_mrecv(struct mp *mp, uint32_t rank, struct mp_request message, double bytes,
             struct err *err);
int mp_imrecv(struct mp *mp, uint32_t rank, struct mp_request message, double bytes,
              struct mp_request *out, struct err *err);
/* Partitioned requests (persistent): m.bytes: of one partition. pready: n partitions are ready;
 * parrived: waits for one. */
int mp_part_init(struct mp *mp, uint32_t rank, int send, const struct mp_message *m,
                 uint32_t partitions, struct mp_request *out, struct err *err);
int mp_pready(struct mp *mp, uint32_t rank, struct mp_request req, const int64_t *parts, uint32_t n,
              struct err *err);
int mp_parrived(struct mp *mp, uint32_t rank, struct mp_request req, uint32_t partition,
                struct err *err);
/* The same without waiting: is it there? -1: an error. */
int mp_part_is_there(struct mp *mp, uint32_t rank, struct mp_request req, uint32_t partition,
                     struct err *err);
/* One-sided communication. A window is made by all members of a communicator, in the same order as
 * others. Targets: world ranks. */
struct mp_win {
	uint32_t v;
};
int mp_win_make(struct mp *mp, uint32_t rank, struct mp_comm comm, struct mp_win *out,
                struct err *err);
enum mp_rma {
	MP_PUT,
	MP_GET,
	MP_ACCUMULATE,
	MP_GET_ACCUMULATE /* fetch_and_op, compare_and_swap */
};
/* out: NULL, or the request of MPI_Rput and its like. target may be MP_PROC_NULL. */
int mp_rma(struct mp *mp, uint32_t rank, struct mp_win win, enum mp_rma kind, int32_t target,
           double bytes, struct mp_request *out, struct err *err);
enum mp_win_sync {
	MP_WIN_FENCE,
	MP_WIN_COMPLETE,
	MP_WIN_WAIT,
	MP_WIN_LOCK, /* target MP_ANY: lock_all, and likewise for the others */
	MP_WIN_LOCK_EXCLUSIVE,
	MP_WIN_LOCK_UNCHECKED, /* MPI_MODE_NOCHECK: no message, no wait, and none for the unlock */
	MP_WIN_UNLOCK,
	MP_WIN_FLUSH,
	MP_WIN_FLUSH_LOCAL,
	MP_WIN_FREE
};
int mp_win_sync(struct mp *mp, uint32_t rank, struct mp_win win, enum mp_win_sync what,
                int32_t target, struct err *err);
int mp_win_group(struct mp *mp, uint32_t rank, struct mp_win win, int post, const int32_t *members,
                 uint32_t n, struct err *err);
/* Files (file.c). One of MPI is opened by all members of a communicator, in the same order as
 * others; one of the operating system by one rank (self). Where it is: net_store_find. On a file
 * that no store holds everything takes no time but the communication. */
struct mp_file {
	uint32_t v;
};
int mp_file_open(struct mp *mp, uint32_t rank, struct mp_comm comm, const char *name,
                 struct mp_file *out, struct err *err);
int mp_file_open_self(struct mp *mp, uint32_t rank, const char *name, struct mp_file *out,
                      struct err *err);
enum mp_file_way {
	MP_FILE_ALONE,
	MP_FILE_SHARED,  /* at the shared pointer */
	MP_FILE_ORDERED, /* at the shared pointer, in the order of ranks: by all */
	MP_FILE_ALL,     /* by all; this one's bytes are in one piece */
	MP_FILE_HOLES    /* by all, in pieces between those of others: then all in two phases */
};
struct mp_file_access {
	enum mp_file_way way;
	int write;
	double bytes;
};
/* out: NULL, or the request of a non-blocking access. */
int mp_file_access(struct mp *mp, uint32_t rank, struct mp_file file,
                   const struct mp_file_access *a, struct mp_request *out, struct err *err);
/* Synchronised, or changed without data (size, view, pointer): by all who opened it, as is
 * closing. */
int mp_file_sync(struct mp *mp, uint32_t rank, struct mp_file file, struct err *err);
int mp_file_close(struct mp *mp, uint32_t rank, struct mp_file file, struct err *err);
/* A file is removed by its name. */
int mp_file_unlink(struct mp *mp, uint32_t rank, const char *name, struct err *err);
/* Operations on files that no store holds, so far; *name: the first of these files, or NULL;
 * *shared: whether any file was opened by mp_file_open. */
uint64_t mp_files_nowhere(const struct mp *mp, const char **name, int *shared);

/* What the rank's last complete operation gave: indices into reqs that completed; source, tag,
 * bytes of the last receive or probe; flag of test and iprobe. Valid until the rank's next
 * operation. */
struct mp_result {
	const uint32_t *indices;
	uint32_t n;
	int flag;
	int32_t source, tag;
	double bytes;
	double paid;               /* s: by an MPI_Testall that failed, for what it received */
	struct mp_request message; /* of mp_mprobe; MP_REQUEST_NULL: from MP_PROC_NULL */
};
const struct mp_result *mp_result(const struct mp *mp, uint32_t rank);

/* Collectives. counts arrays must stay valid until the operation is complete (blocking), or are
 * copied (non-blocking). volume: of the operator on this rank, executed after the communication (as
 * traces record it), in what mp_program.operates knows, or the hosts' speeds count. */
int mp_collective(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
                  double volume, struct err *err);
int mp_icollective(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
                   double volume, struct mp_request *out, struct err *err);

/* A blocking call of one thread of a rank: its other threads go on. */
int mp_collective_beside(struct mp *mp, uint32_t rank, struct mp_comm comm,
                         const struct coll_args *a, double volume, struct mp_request *out,
                         struct err *err);

/* Making a communicator takes no time by itself: see mp_comm_agree. The first member to ask creates
 * it; the others join: `key` tells them apart (any 64-bit name that the members agree on, of no
 * other communicator that not all members have joined yet). members: world ranks in the
 * communicator's order; must be the same list from all. Its id may be used again once all members
 * have freed it. */
int mp_comm_make(struct mp *mp, uint32_t rank, uint64_t key, const uint32_t *members, uint32_t n,
                 struct mp_comm *out, struct err *err);
/* The same, of a list that stays where it is, and as it is, while members make the communicator: it
 * is not compared with that of the first one where it is the same. */
int mp_comm_make_lent(struct mp *mp, uint32_t rank, uint64_t key, const uint32_t *members,
                      uint32_t n, struct mp_comm *out, struct err *err);
int mp_comm_is_freed(const struct mp *mp, struct mp_comm comm,
                     uint32_t rank); /* by this rank; also one that it is not in */
int mp_comm_free(struct mp *mp, uint32_t rank, struct mp_comm comm, struct err *err);
/* Not surely made by a call of the program: mp_report does not say that it was never freed. */
void mp_comm_disown(struct mp *mp, struct mp_comm comm);
/* An intercommunicator of two groups, n members in all, of which the first n_first are the one; all
 * members give them in the same order. */
int mp_intercomm_make(struct mp *mp, uint32_t rank, uint64_t key, const uint32_t *members,
                      uint32_t n, uint32_t n_first, struct mp_comm *out, struct err *err);
/* A topology, given by each member when the communicator is made. Dimensions: row-major, as in MPI;
 * their product is the size. Neighbours: ranks of the communicator, MP_PROC_NULL. */
int mp_comm_cart(struct mp *mp, uint32_t rank, struct mp_comm comm, const int64_t *dims,
                 const int64_t *periods, uint32_t n, struct err *err);
int mp_comm_graph(struct mp *mp, uint32_t rank, struct mp_comm comm, const int64_t *sources,
                  uint32_t n_sources, const int64_t *destinations, uint32_t n_destinations,
                  struct err *err);
/* What the members of a communicator tell each other when another is made of it (smpi/comm-setup);
 * an operation like a collective. SPLIT: colours and keys are exchanged first; GROUP: the members
 * of the new one alone agree; GRAPH: a graph of which each knows some edges. mp_comm_iagree: its
 * non-blocking form (of MPI_Comm_idup: GROUP). mp_comm_edges: then the edges, along the new
 * communicator's. */
enum mp_agreement { MP_AGREE_ALL, MP_AGREE_SPLIT, MP_AGREE_GROUP, MP_AGREE_GRAPH };
int mp_comm_agree(struct mp *mp, uint32_t rank, struct mp_comm comm, enum mp_agreement what,
                  struct err *err);
int mp_comm_edges(struct mp *mp, uint32_t rank, struct mp_comm comm, struct err *err);
int mp_comm_iagree(struct mp *mp, uint32_t rank, struct mp_comm comm, enum mp_agreement what,
                   struct mp_request *out, struct err *err);
/* MPI_Intercomm_create of two groups, in turns (none: it takes no time): those of even number on a
 * communicator of the two leaders, by them, those of odd number on one of each group, by all of it;
 * a member begins a turn when it has ended the one before. mp_comm_ibridge: a turn that there is,
 * its non-blocking form. */
struct mp_bridge {
	uint32_t turn;
	uint32_t leader;        /* of the group: a rank of its communicator */
	uint32_t local, remote; /* members of the group and of the other one */
};
uint32_t mp_bridge_turns(const struct mp *mp);
int mp_comm_bridge(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct mp_bridge *b,
                   struct err *err);
int mp_comm_ibridge(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct mp_bridge *b,
                    struct mp_request *out, struct err *err);
/* The groups of a communicator as a member sees them; remote 0: no intercommunicator. */
struct mp_groups {
	uint32_t local, remote;
};
struct mp_groups mp_comm_groups(const struct mp *mp, struct mp_comm comm, uint32_t rank);
uint32_t mp_comm_size(const struct mp *mp, struct mp_comm comm); /* of both groups */
int32_t mp_comm_rank(const struct mp *mp, struct mp_comm comm,
                     uint32_t rank); /* of a world rank; -1 if not a member */

#endif
