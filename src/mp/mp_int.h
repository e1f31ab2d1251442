/* mp_int.h: what the files of this room share: ranks, operations under way, requests,
 * communicators, collectives under way.
 *
 * Invariants
 *  1. A rank has an operation (rank.op) from the call to its end; between two calls it has none. It
 *     is blocked if the operation waits for something: a delay, requests, a collective, a message
 *     to probe. Blocked, it is not in the ready queue; woken, it is in it once.
 *  2. A request is one side of a message. It lives while the program holds it (REQ_HELD) or it
 *     takes part in matching or transfer (REQ_LIVE); its slot is reused after. Pointers to requests
 *     do not survive the making of another.
 *  3. A message is its sending request. A receive is in a list of match.c, or has a mate.
 *  4. Between two events nothing depends on addresses or on the order of a hash table.
 */
#ifndef ORRERY_MP_INT_H
#define ORRERY_MP_INT_H

#include "mp.h"
#include "net/factor.h"
#include "state_int.h"

#include <assert.h>
#include <math.h>

struct mp {
	struct net *net;
	struct engine *engine;
	const struct config *cfg;
	const struct mp_transport *transport;
	void *transport_state; /* its own */
	/* the program, and where its ranks are */
	struct mp_program program; /* resume NULL: none */
	const uint32_t *event;     /* the program's, or the ranks' own counts of calls */
	size_t event_stride;
	struct rank *ranks;
	uint32_t n_ranks, alive;
	uint8_t is_cut;            /* mp_cut_short */
	int many;                  /* ranks: what they need is fetched beforehand (fetch.c) */
	uint32_t n_world, n_begun; /* those from n_world on begin when they are told to */
	uint32_t running;          /* rank that runs now, or NONE: for messages, and path.c */
	struct mp_path path;       /* path.c: to what ends now */
	struct mp_path last;       /* and to the end of the rank that ended last */
	uint32_t polling;          /* ranks in an MPI_Probe that polls (probe.c), */
	struct {
		uint32_t polls, calls; /* those that looked in vain since so many calls */
	} in_vain;
	struct {
		uint32_t *rank; /* a ring with a place for each */
		uint32_t first, n;
	} ready;                 /* ready.c */
	struct mp_result result; /* of the operation that ended last */
	uint32_t *indices, indices_cap;
	struct mp_stats stats;
	/* what is under way */
	struct slots ops; /* struct op */
	struct req *reqs;
	uint32_t n_reqs, reqs_cap, free_req, posts;
	struct match match;
	struct slots comms; /* struct comm */
	struct hash64 comm_by_key;
	/* settings */
	double envelope;        /* bytes of MPI's envelope that travel with each message */
	double eager, detached; /* bytes: thresholds E and D */
	double test_cost, iprobe_cost, init_cost; /* s */
	double segment_error;   /* smpi/segment-error; 0: segments are paid one by one (short.c) */
	uint64_t segments_owed; /* overheads that were paid in rows (segments.c) */
	double stop_at;         /* date after which mp_run returns, s (coll_measure.c) */
	int grow, simulate_computation, simulate_operators, barrier_finalization;
	struct mp_rules rules; /* rules.c */
	int whole_collectives; /* decided as a whole */
	struct coll_policy policy;
	const struct comm_setup *setup; /* comm_setup.c; NULL: communicators are made for nothing */
	const char *refused[COLL_KINDS]; /* why the algorithm wanted could not run, once; NULL */
	/* the state of each feature, which is its file's affair */
	struct {
		struct task_args *free_args, *recent_args[ARGS_RECENT];
		uint32_t next_recent;
		uint32_t *stalled; /* by rank: the first; NULL: never any */
	} tasks;                   /* task.c */
	struct {
		struct slots slots;
		struct hash64 by_key;
	} wholes; /* whole.c */
	struct {
		struct slots slots;
		struct hash64 by_key;
		double messages; /* smpi/ring-messages; 0: all rounds are simulated (short.c) */
		uint64_t left;   /* rounds that were not simulated */
	} periods;               /* period.c */
	struct slots legs;       /* leg.c */
	uint32_t arriving;       /* the leg whose arrival is looked after now, or NONE */
	struct {
		row_takes_fn *takes;
		row_arrives_fn *arrives;
	} rows; /* row.c */
	struct {
		struct slots slots;
		struct hash64 by_hash; /* sides that have not met the other one */
	} parts;                       /* part.c */
	struct {
		struct slots slots, windows;
		struct hash64 pairs; /* of origins and targets: posts that came, locks held */
		uint32_t *held;  /* by rank: the first message that waits for a call of it; NULL:
		                    never any */
		int by_messages; /* the target answers in its next call */
	} rma;                   /* rma/ */
	struct files *files;     /* file/; NULL: never any */
	/* by rank: how many messages are in its buffer; NULL: never any (buffer.c) */
	uint32_t *buffered;
	struct flush *flushes;      /* buffer.c: requests that wait for messages to go */
	struct automatic automatic; /* coll_auto.c */
	struct {
		struct overheads *at;
		uint32_t n, cap;
		int local;   /* copies or reductions take time on some rank */
	} overheads;         /* overhead.c */
	struct noise *noise; /* noise/; NULL: nothing is random */
	struct {
		int in_calls;
		progress_fn *go_on[PROGRESS_KINDS]; /* NULL: nothing was ever kept */
	} progress;                                 /* progress.c */
	struct {
		uint32_t tests, testanys, probes; /* failed in a row, of all ranks together */
	} failed;                                 /* rules.common_failures: test.c, probe.c */
	struct {
		uint64_t *user;
		uint32_t n, cap;
	} late; /* rules.messages_last: those that end at this date (mp.c) */
	struct {
		struct waiter *at;       /* by rank; NULL: no turns */
		uint32_t waits;          /* how often anybody began to wait, or waited on */
		struct poster *post;     /* by rank; NULL: no mailboxes are locked */
		struct busy_host *hosts; /* by host */
		uint32_t n_hosts, marks; /* marks of hosts */
		uint64_t round;          /* the engine is asked for what comes next after each */
		struct begun *begin;     /* computations that begin in this one */
		uint32_t n_begin;
		struct begun *marked; /* hosts, by their index in rank; NULL: one rank on each */
		uint32_t n_marked;
	} turns; /* turns.c */
	struct {
		uint8_t calls;        /* messages and waits without an operation (short.c) */
		uint8_t segments;     /* messages of a collective that are alike (segments.c) */
		uint8_t sends;        /* complete ones of a collective are dropped (coll_exec.c) */
	} shortcuts;                  /* where nobody can tell the difference (short.c) */
	const struct mp_watch *watch; /* or NULL */
	const struct mp_data *data;   /* or NULL */
	struct {
		uint64_t send, recv; /* of the operation that is called next */
		uint64_t *task;      /* of collectives, by slot of operation */
		uint32_t task_cap;
	} names; /* data.c: names of data */
	struct {
		struct mp_observer *at;
		uint32_t n, cap;
		uint32_t of_messages; /* those that hear of messages */
	} observers;                  /* report/observe.c */
	struct {
		struct str lines; /* found while running */
		uint32_t n;
		uint8_t deadlocked;
	} report; /* place.c, report/ */
};

/* What the engine gives back: the kind in the high half, the slot in the low one. From MESSAGE on
 * they are the transport's. */
enum event_kind {
	EVENT_RANK = 1,
	EVENT_COLL,
	EVENT_PERIOD,
	EVENT_LEG,
	EVENT_FILE,
	EVENT_MESSAGE,
	EVENT_SENT,
	EVENT_CONTROL,
	EVENT_ASK,
	EVENT_LOOK,
	EVENT_WORKED,
	EVENT_REACHED,
	EVENT_CONTACT
};
static inline uint64_t event_user(enum event_kind kind, uint32_t slot)
{
	return (uint64_t)kind << 32 | slot;
}

/* How messages travel: by themselves (plain.c), over connections (stream.c), through ports
 * (port.c). Chosen once, by settings and model (mp.c). Functions return 0, or -1 with *err set;
 * what is optional is NULL where there is nothing to do. */
struct mp_transport {
	/* 1: this one, its state is made; 0: not under these settings and this model. */
	int (*init)(struct mp *mp, const struct host_id *host, struct err *err);
	void (*release)(struct mp *mp); /* optional */
	/* Optional: a send goes to its rank's port, which posts it at once, and takes the rank's
	 * time in place of overheads; wakes: the rank is blocked until the port has done its part.
	 */
	int (*send)(struct mp *mp, uint32_t send, int wakes, struct err *err);
	/* A send is posted. It has found its receive (mate), `matched` comes next; or it is queued.
	 */
	int (*post)(struct mp *mp, uint32_t send, uint32_t mate, struct err *err);
	/* Its two sides are there. It has not arrived, but may move. */
	int (*matched)(struct mp *mp, uint32_t send, struct err *err);
	void (*received)(struct mp *mp, uint32_t rank); /* optional: a rank posts a receive */
	int (*event)(struct mp *mp, enum event_kind kind, uint32_t slot, struct err *err);
	/* Optional: a rank is in a call, and sees what has come for it. */
	int (*looks)(struct mp *mp, uint32_t rank, struct err *err);
	/* Optional: a rank that has waited goes on, and sees what came while it reacted. */
	int (*reacts)(struct mp *mp, uint32_t rank, struct err *err);
	/* Optional: a computation, where it is not the host's affair alone. EVENT_RANK ends it. */
	int (*compute)(struct mp *mp, uint32_t rank, double volume, struct err *err);
	/* Optional: EVENT_SENT ends the part of the message that its sender waits for. */
	int (*splits)(const struct mp *mp, uint32_t send);
	/* Optional: a send that has no receive yet cannot be cancelled. */
	int (*keeps)(const struct mp *mp, uint32_t send);
	uint8_t own_overheads; /* the model has them, and the threshold */
	uint8_t ordered;   /* what a pair sends goes in order: eager messages too may have to wait,
	                      and   of a sendrecv the receive is posted first, as libraries do */
	uint8_t short_way; /* calls may take it (short.c) */
	uint8_t alike;     /* messages that begin together may be one (segments.c) */
};
extern const struct mp_transport transport_plain, transport_streams, transport_ports;
/* plain.c, for messages that others leave to it */
int plain_post(struct mp *mp, uint32_t send, uint32_t mate, struct err *err);
int plain_matched(struct mp *mp, uint32_t send, struct err *err);

static inline int rank_looks(struct mp *mp, uint32_t rank, struct err *err)
{
	return mp->transport->looks ? mp->transport->looks(mp, rank, err) : 0;
}
static inline int rank_reacts(struct mp *mp, uint32_t rank, struct err *err)
{
	return mp->transport->reacts ? mp->transport->reacts(mp, rank, err) : 0;
}

/* place.c */
const char *mp_place(const struct mp *mp, uint32_t rank, char *buf,
                     size_t n); /* "" if there is no program */
/* "rank 3 at 1.25 s, ring.tit:12 recv: " then the text. Returns -1. */
int mp_error(struct mp *mp, uint32_t rank, struct err *err, const char *fmt, ...)
    __attribute__((cold, format(printf, 4, 5)));
enum { WHERE_MAX = 320 };
/* "event 12, rank-3.tit:13", or "operation 5". */
const char *where_text(const struct mp *mp, uint32_t rank, uint32_t event, char *buf, size_t n);
enum { REPORT_LINES = 100 }; /* more are counted, not kept */
/* A line for the report. */
void mp_wrong(struct mp *mp, const char *fmt, ...) __attribute__((cold, format(printf, 2, 3)));
/* The event of its program that a rank is at, or how many calls it has begun. */
static inline uint32_t event_of(const struct mp *mp, uint32_t rank)
{
	return *(const uint32_t *)(const void *)((const char *)mp->event + rank * mp->event_stride);
}

/* ready.c */
void rank_wake(struct mp *mp,
               uint32_t rank); /* its operation goes on at this date, after those woken before */
uint32_t ready_pop(struct mp *mp); /* the first; there is one */
/* Where the i-th of them is, from 0. */
static inline uint32_t ready_place(const struct mp *mp, uint32_t i)
{
	uint32_t at = mp->ready.first + i;

	return at < mp->n_ranks ? at : at - mp->n_ranks;
}

/* path.c: what a date depends on. What happens now is let happen by the rank that runs, or by what
 * ends. */
static inline const struct mp_path *path_now(const struct mp *mp)
{
	return mp->running == NONE ? &mp->path : &mp->ranks[mp->running].path;
}
/* This ends. */
static inline void path_goes_on(struct mp *mp, const struct mp_path *path)
{
	mp->path = *path;
}
/* A rank that waits goes on at this date for what happens now. */
static inline void rank_released(struct mp *mp, uint32_t rank)
{
	mp->ranks[rank].path = *path_now(mp);
	rank_wake(mp, rank);
}
/* A rank computes from now on, up to its next event. */
void path_executes(struct mp *mp, uint32_t rank);
void path_executed(struct mp *mp, uint32_t rank);
void path_slept(struct mp *mp, uint32_t rank, double seconds);
/* A rank has ended. */
void path_ends(struct mp *mp, uint32_t rank);

/* fetch.c: of the ranks that run next, of the events that are next: for mp->many */
enum { FETCH_MANY = 2048 }; /* fewer stay in a processor's own cache */
void fetch_ready(const struct mp *mp);
void fetch_events(const struct mp *mp);
enum { FETCH_LINE = 64 };
static inline void fetch(const void *p, size_t n)
{
	const char *end = (const char *)p + n;

	for (const char *at = p; at < end; at += FETCH_LINE)
		__builtin_prefetch(at, 1);
	__builtin_prefetch(end - 1, 1);
}

/* losses.c */
int losses_init(struct mp *mp,
                struct err *err); /* hosts that are off from the start are told now */
int message_refused(struct mp *mp, uint32_t send,
                    struct err *err); /* net would not start it: says whose it is. -1 */

/* op.c */
/* A slot, and back; what is in it is not set. NONE on error. */
uint32_t op_slot(struct mp *mp, struct err *err);
void op_slot_free(struct mp *mp, uint32_t slot);
struct op *op_begin(struct mp *mp, uint32_t rank, enum mp_call call, op_fn *run,
                    struct err *err); /* NULL on error */
/* The same of a call that was counted before. */
struct op *op_make(struct mp *mp, uint32_t rank, enum mp_call call, op_fn *run, struct err *err);
int op_go(struct mp *mp, struct op *op,
          struct err *err); /* an operation goes on; ends if MP_DONE */
int op_start(struct mp *mp, struct op *op, struct err *err); /* the first op_go of an operation */
int op_sleep(struct mp *mp, struct op *op, double seconds,
             struct err *err); /* MP_BLOCKED, or MP_ERROR */
int op_execute(struct mp *mp, struct op *op, double volume, struct err *err);
/* The same of operators of collectives, whose volume may go at a rate of its own. */
int op_operate(struct mp *mp, struct op *op, double volume, struct err *err);
int rank_execute(struct mp *mp, uint32_t rank, double volume, struct err *err); /* without turns */
/* A sleep that ends when something happens to the rank, which rank_news says. */
int op_nap(struct mp *mp, struct op *op, double seconds, struct err *err);
/* It is over, and was a wait until this date: then what it waits for began to move. */
void nap_waited(struct mp *mp, struct op *op, double until);
void nap_end(struct mp *mp, uint32_t rank);
static inline void rank_news(struct mp *mp, uint32_t rank)
{
	mp->ranks[rank].news = ROUND_LOOKS;
	if (mp->ranks[rank].napping)
		nap_end(mp, rank);
}
/* Something that a look may find has happened just now. */
static inline void rank_event(struct mp *mp, uint32_t rank)
{
	mp->ranks[rank].happened = engine_now(mp->engine);
	mp->ranks[rank].missed = 0;
	rank_news(mp, rank);
}
/* Whether a look that found nothing naps; `what` tells one look of a loop from another, and a probe
 * from a test. */
enum { LOOK_PROBE = 1 << 30 };
int nap_is_due(struct mp *mp, uint32_t rank, uint32_t what);
/* Looks of this rank have failed in a row. */
static inline int looks_failed(const struct rank *r)
{
	return r->tests > 0 || r->probes > 0;
}
/* One look more that failed, or the end of a row. */
void look_count(struct rank *r, int found);
/* Of the failures in a row, those that make the next look longer. */
static inline uint32_t failures_grown(const struct rank *r, uint32_t failures)
{
	return failures > r->patience ? failures - r->patience : 0;
}
int result_add(struct mp *mp, uint32_t index, struct err *err);
void op_abandon(struct mp *mp, struct op *op); /* an operation that was refused before it began */
/* A call of this rank begins, which is in none. */
static inline void call_begin(struct mp *mp, uint32_t rank)
{
	BUG_ON(rank >= mp->n_ranks || mp->ranks[rank].op != NONE);
	mp->ranks[rank].ops++;
	mp->stats.operations++;
}
static inline struct op *op_at(const struct mp *mp, uint32_t slot)
{
	return slots_at(&mp->ops, slot, sizeof(struct op));
}
static inline struct op *op_of(struct mp *mp, uint32_t rank)
{
	return op_at(mp, mp->ranks[rank].op);
}

/* The record of its collective, its own if the call blocks; or NONE. */
static inline uint32_t op_task(const struct mp *mp, const struct op *op)
{
	return op->is_task ? mp->ranks[op->rank].op : op->task;
}

/* request.c */
uint32_t req_new(struct mp *mp, enum req_kind kind, uint32_t rank, uint16_t flags,
                 struct err *err); /* NONE on error */
void req_release(
    struct mp *mp, uint32_t r,
    uint16_t flag); /* drops REQ_HELD or REQ_LIVE; reuses the slot when both are gone */
int req_check(struct mp *mp, uint32_t rank, struct mp_request q,
              struct err *err); /* it is one that this rank holds */
/* One that waits and stands for others too is one again: the next of them stands for those left. */
int req_part(struct mp *mp, uint32_t r, struct err *err);
/* How many messages it is, if it is of a collective. */
static inline uint32_t req_messages(const struct req *q)
{
	return q->flags & REQ_INTERNAL && q->kind <= REQ_RECV ? 1 + q->more : 1;
}
void waitset_init(struct waitset *s);
void waitset_add(struct mp *mp, struct waitset *s, uint32_t r);

/* match.c */
void match_init(struct match *m);
void match_release(struct match *m);
/* Posts one side: *mate is the other, taken out of its queue, or NONE: then r is queued. */
int match_send(struct mp *mp, uint32_t r, uint32_t *mate, struct err *err);
int match_recv(struct mp *mp, uint32_t r, uint32_t *mate, struct err *err);
void match_remove(struct mp *mp, uint32_t r); /* a queued one */
/* The first that waits in the queue of this key: a send or a receive, or NONE. */
uint32_t match_first(struct mp *mp, uint32_t ctx, uint32_t dst, uint32_t src, int32_t tag);
/* other comes to wait right behind r, in its queue. */
void match_follow(struct mp *mp, uint32_t r, uint32_t other);
/* *out: the message that a receive of this pattern (ANY_PEER, MP_ANY) would get, or NONE. */
int match_peek(struct mp *mp, uint32_t dst, uint32_t ctx, uint32_t peer, int32_t tag, uint32_t *out,
               struct err *err);
/* *out: the first message from anybody, with this tag or MP_ANY, that the program takes, and as
 * what: *m; or NONE. */
int match_among(struct mp *mp, uint32_t dst, uint32_t ctx, int32_t tag, struct mp_message *m,
                uint32_t *out, struct err *err);

/* transfer.c: the protocols */
void send_prepare(struct mp *mp, uint32_t r, enum mp_mode mode,
                  int isend); /* sets the flags of a send from its size and mode */
int transfer_post(struct mp *mp, uint32_t r, struct err *err);
/* For transports: the sender of a synchronous message has done its part; the message has arrived
 * (sent: its sender has done its part with that). */
int transfer_sent(struct mp *mp, uint32_t send, struct err *err);
int transfer_end(struct mp *mp, uint32_t send, int sent, struct err *err);

int transfer_join(struct mp *mp, uint32_t send, uint32_t recv,
                  struct err *err); /* a message meets its receive, or a row */

/* row.c: receives of collectives that have no request */
void rows_init(struct mp *mp);
int rows_part(struct mp *mp, struct err *err); /* they all become requests */

/* complete.c: who waits for a request hears that it is complete */
int req_complete(struct mp *mp, uint32_t r, struct err *err);
/* A message is complete on both sides. */
int both_complete(struct mp *mp, uint32_t send, uint32_t recv, struct err *err);
double request_due(struct mp *mp, uint32_t r);              /* s, from the rank that completes it */
void task_pay(struct mp *mp, struct op *t, double seconds); /* what a collective's rank owes */

/* rules.c */
struct mp_rules rules_read(const struct config *cfg);

/* turns.c: with rules.turns; nothing happens without. */
int turns_init(struct mp *mp, struct err *err);
static inline int turns_are_taken(const struct mp *mp)
{
	return __builtin_expect(mp->turns.at != NULL, 0);
}
/* The rank begins to wait, or waits on for what is left. */
void turn_waits(struct mp *mp, uint32_t rank);
/* It has posted one. 1: others go on first, then it is resumed; 0: there are none. */
int turn_ends(struct mp *mp, uint32_t rank);
/* May the rank post this request? 0: not in this turn: it is resumed for it. */
int turn_of_post(struct mp *mp, uint32_t rank, uint32_t r); /* mailboxes are locked */
static inline int turn_posts(struct mp *mp, uint32_t rank, uint32_t r)
{
	return !mp->turns.post || turn_of_post(mp, rank, r);
}
/* The operation executes volume in a later turn. */
void turn_executes(struct mp *mp, const struct op *op, double volume);
/* Something is put on the processor of the rank's host: it sleeps, or waits for a single request;
 * that is over, or what the rank computed. */
void turn_occupies(struct mp *mp, uint32_t rank);
void turn_leaves(struct mp *mp, uint32_t rank);
/* All ranks have gone on: their computations begin. */
int turns_are_over(struct mp *mp, struct err *err);
/* The rank is ready: 1, if its turn goes by with locked mailboxes, or with what it executes. */
int turn_goes_by(struct mp *mp, uint32_t rank);
/* Rank a waits for longer than b. */
int turn_is_before(const struct mp *mp, uint32_t a, uint32_t b);
/* SimGrid's kernel is asked whether the request is complete: not for a detached send. */
int is_asked_for(const struct req *q);
/* A call begins to wait; its request r is complete by then; another one is now; it is resumed: 1,
 * if it waits on, for others or for another turn. */
void wait_turns_begin(struct mp *mp, uint32_t rank);
void turn_of_done(struct mp *mp, uint32_t r);
void wait_turn_comes(struct mp *mp, const struct op *op);
int wait_turn_passes(struct mp *mp, const struct op *op);
/* A collective begins to wait; has one request less to wait for; has no other to wait for: 1, if it
 * has another turn to wait for. */
void task_turns_begin(struct mp *mp, struct op *t);
void task_turn_comes(struct mp *mp, struct op *t);
int task_turn_passes(struct mp *mp, struct op *t);

/* buffer.c: MPI_Bsend's buffer */
static inline int is_buffered(const struct req *q)
{
	return q->kind == REQ_SEND && (q->call == CALL_BSEND || q->call == CALL_IBSEND);
}
static inline int is_flush(const struct req *q)
{
	return q->kind == REQ_HANDLE && q->call == CALL_BUFFER_DETACH;
}
void buffers_release(struct mp *mp);
int buffer_fill(struct mp *mp, uint32_t send,
                struct err *err); /* the message is in it from now on */
int buffer_empty(struct mp *mp, uint32_t send, struct err *err); /* no longer */
uint32_t buffer_first(const struct mp *mp,
                      uint32_t rank); /* a message in the rank's buffer, or NONE; slow */

/* p2p.c: requests are issued, then waited for */
int issue_and_wait(struct mp *mp, struct op *op, struct err *err); /* an op_fn */
uint32_t message_make(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                      enum mp_call call, struct err *err);
/* In the world, to or from a rank of it, with a tag and a size: nearly all messages, and nothing to
 * look up. */
static inline int message_is_plain(const struct mp *mp, const struct mp_message *m)
{
	return m->comm.v == MP_COMM_WORLD.v && m->peer >= 0 && (uint32_t)m->peer < mp->n_world &&
	       m->tag >= 0 && m->bytes >= 0 && m->bytes < INFINITY;
}
int message_check(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                  struct err *err);
enum mp_call send_call(enum mp_mode mode, int immediate);

/* short.c */
void shortcuts_choose(struct mp *mp); /* all is known that the run depends on */
int message_is_short(const struct mp *mp, uint32_t rank, enum req_kind kind,
                     const struct mp_message *m);
int message_short(struct mp *mp, uint32_t rank, enum req_kind kind, const struct mp_message *m,
                  enum mp_mode mode, enum mp_call call, struct mp_request *out, struct err *err);
int wait_is_short(const struct mp *mp, uint32_t rank, struct mp_request q);
int wait_short(struct mp *mp, uint32_t rank, uint32_t r, enum mp_call call, struct err *err);

/* wait.c */
int wait_begin(struct mp *mp, struct op *op, struct err *err);
/* Whether something has to be waited for: all of the requests, or any. Libraries do not look at
 * their connections for what is there already. */
int wait_lacks(const struct mp *mp, const struct waitset *s, int all);
int wait_go(struct mp *mp, struct op *op, struct err *err);
int wait_finish(struct mp *mp, struct op *op,
                struct err *err); /* gives back what was completed, sets the result */
int requests_take(struct mp *mp, struct op *op, const struct mp_request *reqs, uint32_t n,
                  struct err *err);

/* test.c */
int test_go(struct mp *mp, struct op *op, struct err *err); /* an op_fn */
int test_others(struct mp *mp, struct op *op, struct err *err);

/* comm.c */
int comm_init(struct mp *mp, struct err *err); /* the world */
void comms_release(struct mp *mp);
static inline struct comm *comm_at(const struct mp *mp, uint32_t i)
{
	return slots_at(&mp->comms, i, sizeof(struct comm));
}
struct comm *comm_get(struct mp *mp, uint32_t rank, struct mp_comm c,
                      struct err *err); /* NULL: rank is not a member, or it does not exist */
int comm_shape_make(struct mp *mp, struct comm *c,
                    struct err *err);                     /* which members share a host */
int32_t comm_place(const struct comm *c, uint32_t world); /* or -1 */
/* Drops it if all members have freed it and nothing needs it any more: no collective under way, no
 * window made on it. */
void comm_settle(struct mp *mp, uint32_t i);
/* Takes the memory that mp_comm_free needs: where it is called when nothing may fail any more. */
int comm_free_prepare(struct comm *c, struct err *err);
static inline uint32_t comm_member(const struct comm *c, uint32_t i) /* world rank */
{
	return c->members ? c->members[i] : c->first + i * c->stride;
}

static inline const struct comm *comm_of_ctx(const struct mp *mp, uint32_t ctx)
{
	return comm_at(mp, ctx & CTX_SLOT);
}

static inline int comm_same_side(const struct comm *c, int32_t a, int32_t b)
{
	return ((uint32_t)a < c->split) == ((uint32_t)b < c->split);
}

/* topology.c */
void topology_free(struct comm *c);
/* Fills the neighbours of a member; -1 if c has no topology. */
int topology_neighbors(struct mp *mp, struct comm *c, uint32_t member, struct coll_args *a,
                       struct err *err);

/* comm_setup.c */
int comm_setup_read(struct mp *mp, struct err *err);
const struct coll_alg *window_setup(const struct mp *mp);

/* leg.c */
void legs_init(struct mp *mp);
int leg_start(struct mp *mp, const struct leg_call *call, struct err *err);
int leg_end(struct mp *mp, uint32_t id, struct err *err);
/* What happens now depends on: the leg that arrives, or the rank that runs. */
struct mp_cause cause_now(const struct mp *mp);
void leg_ends(const struct mp *mp, uint32_t id, uint32_t *from, uint32_t *to);
void legs_release(struct mp *mp);

/* rma/ */
int rma_init(struct mp *mp, struct err *err); /* after streams_init */
int rma_progress(struct mp *mp, uint32_t rank, struct err *err);
uint32_t windows_left(const struct mp *mp,
                      uint32_t *first); /* not freed by all, and the first of them */
const char *window_where(const struct mp *mp, uint32_t win, char *buf,
                         size_t n); /* who made it, and where */
/* The rank that a call on a window is blocked by, and what it has not done; NONE. */
uint32_t window_awaits(const struct mp *mp, const struct op *op, const char **what);
void rmas_release(struct mp *mp);

/* file/file.c */
int file_end(struct mp *mp, uint32_t id, struct err *err); /* a part of an access is over */
/* Not closed by all, and the first of these; who opened it. */
uint32_t files_left(const struct mp *mp, uint32_t *first);
const char *file_where(const struct mp *mp, uint32_t id, char *buf, size_t n);
void files_release(struct mp *mp);

/* part.c */
void parts_init(struct mp *mp);
int part_start(struct mp *mp, uint32_t pattern, uint32_t r, struct err *err);
void part_free(struct mp *mp, uint32_t id);
void parts_release(struct mp *mp);

/* progress.c */
int progress_init(struct mp *mp, struct err *err);
int progress_sees(const struct mp *mp, uint32_t rank);
/* Something is kept until the next call of the rank, which then has go_on called. */
void progress_stall(struct mp *mp, uint32_t rank, enum progress_kind kind, progress_fn *go_on);
int progress_run(struct mp *mp, uint32_t rank, struct err *err);

/* coll_order.c */
/* Checks that member of c calls what the others call as their next collective on it; *number: which
 * one it is. The elements by which data is cut become the first caller's, if its bytes are as
 * many. */
int coll_call_begin(struct mp *mp, struct comm *c, uint32_t member, struct coll_call *call,
                    uint32_t *number, struct err *err);

void coll_order_report(struct mp *mp, struct comm *c, struct str *out, uint32_t *lines,
                       uint32_t most);

/* coll_auto.c */
int automatic_choose(struct mp *mp, const struct op *t, const struct comm *c,
                     struct coll_choice *out, struct err *err);
void automatic_release(struct automatic *m);

/* overhead.c */
int overheads_init(struct mp *mp, struct err *err);

/* noise.c: factors of the times of messages (by their sender) and computations; only with a setting
 * noise/seed. */
int noise_init(struct mp *mp, struct err *err);
void noise_free(struct noise *n);
double noise_message(struct noise *n, uint32_t rank, double bytes);
double noise_run(
    const struct mp *mp,
    double bytes); /* of this run, of overheads (in noise_message too); 1 without noise */
double noise_unit(struct noise *n, uint32_t rank); /* 0 to 1, from the stream of its messages */
double noise_compute(struct noise *n, uint32_t rank, double volume, double speed,
                     double now); /* speed: volume per second */

double noise_sleep(struct noise *n, uint32_t rank); /* how late a sleep ends, s */

/* detours.c: what the operating system takes from computations; part of noise.c. */
enum { DETOURS_MOST = 8 };
struct detour {
	double rate, median, sigma; /* per second; s; of the logarithm of lengths */
	double mean, variance;      /* of a length */
};
struct detours {
	struct detour random[DETOURS_MOST];
	double period[DETOURS_MOST], length[DETOURS_MOST];
	int n_random, n_periodic;
	double share; /* of the time, on average */
	double late_median, late_sigma,
	    late_mean; /* how late a sleep ends, log-normal; s; 0: in time */
};
int detours_read(struct mp *mp, struct detours *d, struct err *err);
/* How long a computation takes that begins now and takes `seconds` on average. phase: a date of a
 * tick of each periodic detour. */
double detours_lengthen(const struct detours *d, struct rng *stream, const double *phase,
                        double now, double seconds);
/* How late a sleep ends, s. */
double detours_late(const struct detours *d, struct rng *stream);

void overheads_release(struct mp *mp);
double send_overhead(const struct mp *mp, uint32_t r); /* s, before it is posted */
double recv_overhead(const struct mp *mp,
                     uint32_t r); /* s, when it is completed; 0 if none is due */
double isend_overhead(const struct mp *mp, uint32_t rank,
                      double bytes); /* s, of a non-blocking send */
/* s, of a process that answers `bytes` to a message of `got` bytes. */
double answer_overhead(const struct mp *mp, uint32_t rank, double got, double bytes);
static inline int copies_take_time(const struct mp *mp, uint32_t rank)
{
	return mp->overheads.at[mp->ranks[rank].overheads].copy_rate.n > 0;
}
double copy_cost(const struct mp *mp, uint32_t rank, double bytes);      /* s */
double reduce_cost(const struct mp *mp, uint32_t rank, double elements); /* s */
static inline int overheads_none(const struct mp *mp, uint32_t rank)
{
	return mp->overheads.at[mp->ranks[rank].overheads].none;
}

/* describe.c: for messages */
enum { REQ_TEXT_MAX = 640 };
const char *req_describe(struct mp *mp, uint32_t r, char *buf,
                         size_t n); /* "a receive from rank 2, tag 7, posted by rank 3 at 1.25 s" */

/* deadlock.c */
int deadlock_explain(struct mp *mp, struct err *err); /* sets *err, returns -1 */

/* data.c: what is told to who moves data, if anybody does */
int data_side_tell(struct mp *mp, uint32_t r, struct err *err);
int data_again_tell(struct mp *mp, uint32_t r, uint32_t pattern, struct err *err);
int data_meet_tell(struct mp *mp, uint32_t send, uint32_t recv, struct err *err);
int data_step_side_tell(struct mp *mp, uint32_t task, uint32_t r, const struct coll_step *s,
                        struct err *err);
int data_begins_tell(struct mp *mp, uint32_t task, struct err *err);
int data_last_tell(struct mp *mp, const struct op *t, struct err *err);
int data_acts_tell(struct mp *mp, uint32_t task, const struct coll_step *s, struct err *err);
int data_is_there(const struct mp *mp, uint32_t task);
int data_carry_tell(struct mp *mp, uint32_t from, const struct coll_step *send, uint32_t to,
                    const struct coll_step *recv, struct err *err);
static inline int data_side(struct mp *mp, uint32_t r, struct err *err)
{
	return mp->data ? data_side_tell(mp, r, err) : 0;
}

/* observe.c */
void observe_begin(struct mp *mp);
void observe_enter(struct mp *mp, uint32_t rank, enum mp_call call);
void observe_leave(struct mp *mp, uint32_t rank, enum mp_call call, int32_t partner, double bytes,
                   double waited);
void observe_message(struct mp *mp, uint32_t send);
void observe_leg(struct mp *mp, uint32_t slot, const struct leg_call *leg, double posted,
                 double moved);
int observe_comm(struct mp *mp, struct mp_comm comm, struct err *err);

#include "report/watch_int.h"

#endif
