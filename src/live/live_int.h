/* live_int.h: what the files of this room share.
 *
 * Invariants
 *  1. While mp works, every rank rests (it waits for an answer or for room in its ring, or is over,
 *     or never came) but those that run ahead: they were told what they received before its time
 *     (early.c).
 *  2. An operation stays in the ring until it is complete: what points into it holds as long.
 *  3. Names of data (struct mp_data): of a send its block; of a receive rank << 32 | request, or
 *     NUMBER_OWN for the one of a blocking call; of a collective its index + 1. */
#ifndef ORRERY_LIVE_INT_H
#define ORRERY_LIVE_INT_H

#include "base/slots.h"
#include "coro/coro.h"
#include "launch/launch.h"
#include "live.h"
#include "wire.h"

#include <sys/types.h>

enum { NUMBER_OWN = 0xffffffffu, NO_SIDE = 0xffffffffu };

enum live_phase { PHASE_NEW, PHASE_COMPUTED, PHASE_ISSUED };

/* A request of a rank: what came for it. */
struct lreq {
	struct mp_request mp; /* MP_REQUEST_NULL: it is unused, or was completed */
	uint8_t kind;         /* enum lreq_kind */
	uint8_t flags;        /* enum wire_done_flag */
	uint8_t persistent;
	uint8_t met;       /* what it receives is known */
	uint8_t listed;    /* the wait under way counts it among those that are not met */
	uint64_t capacity; /* of a receive */
	uint64_t bytes, block;
	int32_t source, tag;
	uint32_t coll;             /* index + 1, of a collective */
	uint64_t part, part_bytes; /* block of a partitioned one, and how long it is */
};
enum lreq_kind { LREQ_NONE, LREQ_SEND, LREQ_RECV, LREQ_COLL, LREQ_OTHER, LREQ_MESSAGE };

struct lcall {
	uint64_t site;
	uint32_t stack;
};
struct lstack {
	uint32_t n;
	uint64_t *frame; /* return addresses, the innermost first */
};

/* As in its channel (wire.h). */
struct live_rates {
	double volume, work, takes;
};

struct lrank {
	struct wire_channel *c;
	struct wire_head *head;
	struct live_rates rates;
	pid_t child;           /* whom we started; 0: reaped */
	struct launch_end end; /* of the child, once reaped */
	uint8_t phase;
	uint8_t stage; /* of the operation, where it takes several of mp */
	uint8_t inside, over;
	uint8_t spawned;      /* it was not there from the beginning */
	uint8_t early;        /* what the operation under way asks was answered */
	uint8_t ahead;        /* counted in live.ahead */
	uint8_t outside;      /* enum outside_state */
	uint8_t stopped;      /* so often it was found to be (stopped.c) */
	uint8_t stride;       /* mp's, when its looks waited for longest, */
	uint64_t waits_at;    /* and the site of these looks (livelock.c) */
	uint32_t windows;     /* made and not freed; the last one: */
	uint32_t window_call; /* by which of its calls, */
	uint64_t window_site; /* and from where */
	uint32_t unmet;       /* requests of the wait under way of which nothing is known yet */
	const struct wire_op *waits; /* that wait, if it asks and can be answered early */
	struct lreq own;             /* of the blocking call */
	struct lreq *req;
	uint32_t n_req, cap_req;
	uint32_t seen;           /* of its bell */
	struct mp_request *list; /* of a wait */
	uint32_t cap_list;
	uint32_t calls;
	struct lcall *call; /* with --checks: each so far; */
	uint32_t cap_call;
	struct lstack *stack; /* from where they were, by number - 1; */
	uint32_t n_stack, cap_stack;
	char *maps;          /* and what was mapped where, when the rank was at its end */
	struct hash64 sites; /* their numbers (places.c) */
	uint64_t from;       /* the last call of MPI, */
	double held;         /* and what was computed since */
	int error;           /* class, for the answer */
	uint32_t peeks; /* MPI_Request_get_status or MPI_Parrived that found nothing, in a row; */
	uint32_t patience; /* that many of a row do not grow (src/mp/nap.c) */
	double issued;     /* the date at which the operation began, what was computed done */
	double late;       /* looks that found nothing since something happened, s */
	int in_vain;       /* its last look found nothing, and nothing came after it */
	uint32_t coll;
	uint32_t meeting;
	uint32_t *comm; /* mp's of its numbers of communicators */
	uint32_t n_comm, cap_comm;
	uint32_t value;
	uint64_t spawn;  /* block of the world ranks that it spawned, */
	uint32_t spawns; /* and how many */
};

/* What mp knows as a slot: one side of a message. */
struct lside {
	uint64_t name;
	int64_t off, len; /* of a collective's step */
	void *copy;       /* what it sends, where the buffer may change before it is taken */
	uint8_t buf, step;
	uint8_t counted; /* its collective waits for its mate */
};

struct lcoll {
	uint32_t rank, next; /* next: free list */
	unsigned char *buf[BUFS];
	uint64_t size[BUFS];
	uint64_t send, recv; /* blocks */
	uint32_t op, element, user, type_size;
	uint8_t empty; /* its buffers are folded memory: no data move */
	/* its rank is told of its end when the last message has met its mate (early.c) */
	uint32_t unmet; /* sides that have not, but sends that have a copy */
	uint32_t me;
	uint8_t last; /* no more sides will come: what is left is local, from here on: */
	uint8_t done; /* and was done before its time */
	uint32_t first;
	struct coll_cursor rest;
	const struct coll_alg *alg;
	const struct coll_args *args;
};

struct meeting {
	uint64_t key;
	uint32_t n, came, left;
	uint32_t *member; /* world ranks; sorted as given */
	uint64_t *data;   /* blocks */
	uint64_t *bytes;
	uint8_t *held;   /* enum meeting_place: those who came */
	uint32_t *alike; /* places, in the order of WIRE_TOLD_ALIKE; NULL: not asked for yet */
	/* Blocks of those whom a place of `alike` is the first of; then of all; of nobody. 0: not
	 * asked for yet. */
	uint64_t *told;
	uint64_t turn; /* all have come: after those with a lower one; 0: not yet, or any time */
	uint32_t next; /* free list */
};

/* Of a rank that waits in the operating system: time goes on without it. ONCE: it did before. */
enum outside_state { OUTSIDE_NEVER, OUTSIDE_ONCE, OUTSIDE_NOW };

struct starting;
struct spawned; /* starting.h */
struct live_races;
enum meeting_place { PLACE_CAME, PLACE_HELD /* waits without an operation */, PLACE_LEFT };

struct live {
	struct live_options o;
	struct starting *starting;
	struct mp *mp;
	struct mp_data data;
	uint32_t ranks;
	struct wire_head *head;
	uint64_t size;
	int fd;
	struct wire_heap heap;
	struct coros *coros; /* NULL: ranks are processes */
	char host_text[WIRE_NAME];
	struct lrank *rank;
	struct lside *side;
	uint32_t n_side, cap_side;
	struct slots colls, meetings; /* struct lcoll, struct meeting */
	uint64_t turns;
	uint64_t looks;         /* in a row that found nothing, of all ranks (livelock.c) */
	uint64_t pauses;        /* likewise, of calls that wait beside other threads */
	uint8_t still;          /* nothing else was under way when that was looked at last */
	double turn_next;       /* s: a turn as long is told again (turn.c) */
	uint8_t beside_told;    /* that threads compute beside one that looks in vain */
	uint32_t family;        /* of the library of the rank that initialised last */
	uint32_t worlds;        /* spawned so far */
	uint32_t places;        /* of ranks that there were: those behind them never were */
	uint32_t *hosts;        /* NULL: in the segment */
	struct port_side *port; /* those who wait at a port, or were met there */
	uint32_t n_port, cap_port, ports_met;
	struct str *names; /* services: two texts, each; name.c */
	uint32_t n_names, cap_names;
	struct hash64 meeting_by_key;
	struct hash64 comm_of_self; /* rank -> its MPI_COMM_SELF */
	int64_t *counts;
	uint32_t cap_counts;
	uint64_t calls;
	int failed;             /* live_error has told what is wrong with a rank */
	double read;            /* s, all ranks: what readings of clocks took */
	struct live_left *left; /* never freed */
	uint32_t n_left, cap_left;
	struct live_region *region;
	uint32_t n_region, cap_region;
	char **place; /* names of call sites */
	uint32_t n_place, cap_place;
	struct hash_str place_by_name, place_by_file; /* file and address there */
	struct hash64 region_by_ends;                 /* two places */
	struct hash64 wrong_told;                     /* likewise (wrong.c) */
	struct live_races *races;                     /* races.c; NULL: none yet */
	uint32_t *ahead;                              /* ranks that run ahead, at most `jobs` */
	uint32_t n_ahead, jobs;
	uint32_t *wakes;           /* by group of ranks: whom to wake, one bit each; */
	uint32_t *woken;           /* groups with any, */
	uint32_t n_woken, n_wakes; /* how many, and ranks in them */
	uint32_t *outside;         /* ranks that wait in the operating system */
	uint32_t n_outside, cap_outside;
	uint64_t waits_outside; /* from which a rank came back */
	int started;
};

static inline struct meeting *meeting_at(const struct live *l, uint32_t i)
{
	return slots_at(&l->meetings, i, sizeof(struct meeting));
}

/* segment.c */
int segment_make(struct live *l, struct err *err);
void segment_release(struct live *l);
/* The rank's channel is told its rates. */
void segment_rates(struct live *l, uint32_t rank);

/* process.c */
int processes_start(struct live *l, struct err *err);
void processes_kill(struct live *l);
int processes_end(struct live *l, struct err *err);
/* Until the rank has written something or rests. 0; -1: it died; LIVE_HELD: it waits in the
 * operating system. */
int live_wait(struct live *l, uint32_t rank, struct err *err);
/* Whom ranks told to go on, but not yet woken. */
void wakes_flush(struct live *l);
/* Lets a rank that waits go on. */
void live_answer(struct live *l, struct lrank *r);
/* The rank, which waits, is to do something now. */
int live_order(struct live *l, uint32_t rank, struct err *err);
/* It said, instead of doing it, that it ends, and why. -1. */
int order_ended(struct live *l, uint32_t rank, struct err *err);

/* outside.c: how long a rank is given before it is asked whether it sleeps, s */
double outside_patience(const struct lrank *r);
/* It was silent for so long, `times` times: 1: it waits for somebody outside; -1: no memory. */
int outside_check(struct live *l, uint32_t rank, uint32_t times, struct err *err);
/* Others look for messages: real time passes. 0 */
int outside_pause(struct live *l);
/* mp_program.outside */
int outside_look(void *live, int idle, struct err *err);

/* stopped.c: the rank is silent: is it stopped? */
void stopped_look(struct live *l, uint32_t rank);
void stopped_text(char *text, size_t n, uint32_t rank, const char *host, int signal, pid_t pid);

/* turn.c: a window of the rank is made, or freed; and it has computed for so long. */
void turn_window(struct live *l, uint32_t rank, const struct wire_op *op);
void turn_look(struct live *l, uint32_t rank, double seconds);
/* At a look: threads of the rank may do nothing but wait for the one that looks. */
void turn_beside(struct live *l, uint32_t rank);

/* error.c: what is wrong with a rank: where it is, which host, when. */
const char *live_host(struct live *l, uint32_t rank);
int live_error(struct live *l, uint32_t rank, struct err *err, const char *fmt, ...)
    __attribute__((cold, format(printf, 4, 5)));
/* To be said of a rank that ends before MPI_Init, and may have called another one; or "". */
const char *live_within(const struct live *l);
/* What is in its ring or segment cannot be an operation: `what` of it is wrong. */
int live_broken(struct live *l, uint32_t rank, struct err *err, const char *what);

/* held.c: ranks that are coroutines */
int held_start(struct live *l, struct err *err);
int held_wait(struct live *l, uint32_t rank, struct err *err);
int held_finish(struct live *l, uint32_t rank, struct err *err);
int held_order(struct live *l, uint32_t rank, struct err *err);

/* where.c: the operation that the rank is at, or NULL. */
const struct wire_op *live_op(const struct live *l, uint32_t rank);
/* where.c: a call site in its file: the address behind the call. 0: it is not known. */
struct call_site {
	char path[1024];
	unsigned long long address;
};
int site_find(struct live *l, uint32_t rank, uint64_t site, struct call_site *out);
/* As traces name it. */
void site_name(const struct call_site *s, char *buf, size_t n);
/* places.c: the number of a call site of a rank, one for all ranks: its name is live.place's. -1:
 * error */
int64_t site_place(struct live *l, uint32_t rank, uint64_t site, struct err *err);
void places_release(struct live *l);
int region_wanted(const struct live *l);
int region_computed(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
void regions_release(struct live *l);
/* live.c: what was measured or told, as an operation of mp; how long it takes, s. */
int live_computes(struct live *l, uint32_t rank, double volume, struct err *err);
double live_takes(const struct live *l, uint32_t rank, double volume);
/* left.c */
int left_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
/* wrong.c: what the library of the rank has found is reported. -1: error */
int wrong_tell(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
/* The first time that something of this kind is found at these two calls? -1: error */
int wrong_is_new(struct live *l, uint32_t rank, uint64_t site, uint32_t other_rank,
                 uint64_t other_site, uint32_t kind, struct err *err);
/* races.c: with --checks: memory of a one-sided operation; a synchronisation of a window that is
 * issued, and is over. -1: error */
int race_touch(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
int race_sync(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
int race_synced(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
void races_release(struct live *l);
/* livelock.c: an operation of the rank is complete. -1: it and others look for ever. */
int livelock_check(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
/* Before an operation, after `computed` seconds: whether a row of looks goes on. */
void look_answer(struct live *l, uint32_t rank, const struct wire_op *op);
/* MPI_Request_get_status; MPI_Parrived that finds nothing. */
int look_nap(struct live *l, uint32_t rank, struct err *err);
void looks_follow(struct live *l, uint32_t rank, const struct wire_op *op, double computed);
/* where.c: the line of a call, with those who called, to main, where `stack` names the rank's stack
 * (0: it does not); "": not known. */
const char *live_site_where(struct live *l, uint32_t rank, uint64_t site, uint32_t stack, char *buf,
                            size_t n);
/* where.c: the line of the call that the rank's operation is of; "": not known. */
const char *live_where(struct live *l, uint32_t rank, char *buf, size_t n);
/* What the call of MPI is called that the rank is in, where its operation says so (wire_op.named);
 * else "". Returns buf. */
const char *live_call(const struct live *l, uint32_t rank, char *buf, size_t n);
/* " at FILE:LINE (FUNCTION)": where it had the fault of that signal; "": not known. */
const char *fault_where(const struct live *l, uint32_t rank, int number, char *buf, size_t n);
/* With --checks: a stack that calls are made from; the call that begins is remembered; and the line
 * of one that was, with those who called. */
int stack_keep(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
void stacks_release(struct lrank *r);
int where_keep(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
const char *where_was(void *live, uint32_t rank, uint32_t call, char *buf, size_t n);

/* issue.c: enum mp_status; 2: held (mp_program) */
enum { LIVE_HELD = 2 };
int live_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
/* answer.c: an operation that is complete: what its rank is told. As live_issue, which it may call
 * for more. */
int live_tell(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
int coll_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);

/* early.c: before a wait or a receive that asks is issued: the rank is told as soon as all that it
 * receives is known. */
void early_receive(struct live *l, uint32_t rank, const struct wire_op *op);
void early_wait(struct live *l, uint32_t rank, const struct wire_op *op, const uint32_t *numbers);
/* A receive of the rank has met its message. */
void early_met(struct live *l, uint32_t rank, struct lreq *q);
/* Whether a rank in a blocking collective can be told of its end now; it is told. */
int early_may_end(struct live *l, uint32_t rank);
void early_end(struct live *l, uint32_t rank);
void early_ends(struct lrank *r);

/* operands.c: what an answer tells of a completed request; room for n of them, or NULL. */
void done_set(struct wire_done *d, const struct lreq *q, uint32_t index);
struct wire_done *dones_room(struct live *l, struct wire_answer *a, uint32_t n);

/* issue_part.c */
int part_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
int part_arrives(void *self, uint64_t send, uint64_t recv, double from, double bytes,
                 struct err *err);

/* spawn.c: dynamic processes, ports and their names */
int spawn_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
int spawn_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
/* Nothing else can happen: who connects is told that nobody accepts. How many. */
int ports_late(struct live *l);
void spawn_release(struct live *l);
/* process.c: a rank that may be spawned gets this process; folder NULL: ours. */
int process_spawn(struct live *l, uint32_t rank, const struct spawned *s, struct err *err);
/* Whether its place may be taken; waits for the end of the process that had it. */
int process_is_free(struct live *l, uint32_t rank);

/* issue_win.c */
int win_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
/* The list behind an operation or in its block: n elements. NULL: it does not fit. */
const void *live_list(struct live *l, const struct wire_op *op, size_t body, size_t n,
                      size_t element);
void live_list_free(struct live *l, const struct wire_op *op);

/* requests */
struct lreq *req_at(struct live *l, uint32_t rank, uint32_t number, struct err *err);
struct lreq *req_use(struct live *l, uint32_t rank, uint32_t number, enum lreq_kind kind,
                     struct err *err);

/* data.c */
void data_init(struct live *l);
void data_release(struct live *l);
int coll_is_empty(const struct wire_coll *w); /* nothing of it is moved: folded memory */
/* *index + 1 is its name. */
int coll_new(struct live *l, uint32_t rank, const struct wire_coll *c, uint32_t *index,
             struct err *err);
void coll_end(struct live *l, uint32_t index);

/* comm.c */
int comm_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
int comm_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
int comm_check(struct live *l, uint32_t rank, uint32_t comm, struct mp_comm *out, struct err *err);

static inline uint64_t name_of(uint32_t rank, uint32_t number)
{
	return (uint64_t)rank << 32 | number;
}
int message_of(struct live *l, uint32_t rank, const struct wire_op *op,
               const struct wire_message *w, struct mp_message *m, struct err *err);

static inline const void *op_body(const struct wire_op *op)
{
	return op + 1;
}

#endif
