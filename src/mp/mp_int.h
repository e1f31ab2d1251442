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
/* One look more that failed, or the end of a row of so many failures. */
void look_count(struct rank *r, int found, uint32_t failures);
/* Of the failures in a row, those that make the next look longer. */
static inline uint32_t failures_grown(const struct rank *r, uint32_t failures)
{
	return failures > r->patience ? failures - r->patience : 0;
}
/* A running program's looks nap; as what number of failures the next one counts (nap.c). */
static inline int looks_nap(const struct mp *mp)
{
	return mp->data && !mp->rules.looks_cost;
}
uint32_t failures_stridden(const struct rank *r, uint32_t failures);
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

/* progress.c */
int progress_init(struct mp *mp, struct err *err);
int progress_sees(const struct mp *mp, uint32_t rank);
/* Something is kept until the next call of the rank, which then has go_on called. */
void progress_stall(struct mp *mp, uint32_t rank, enum progress_kind kind, progress_fn *go_on);
int progress_run(struct mp *mp, uint32_t rank, struct err *err);

#endif
