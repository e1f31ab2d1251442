/* state_int.h: what is kept while a program runs: requests, operations under way, ranks,
 * communicators, messages that wait to be matched. Part of mp_int.h, whose invariants hold. */
#ifndef ORRERY_MP_STATE_INT_H
#define ORRERY_MP_STATE_INT_H

#include "base/slots.h"
#include "mp.h"
#include "net/factor.h"

#include <assert.h>

struct mp;

enum { NONE = 0xffffffffu, ANY_PEER = 0xffffffffu, PEER_NULL = 0xfffffffeu };
enum { MATE_ROW = 0xfffffffeu }; /* a receive that has no request (row.c) */

/* A context separates messages that must not match: one per communicator, and with CTX_COLL one per
 * collective call on it (the tag is then the call's number). The communicator's slot is in its low
 * bits, the high ones change when the slot is reused. */
enum {
	CTX_COLL = 0x80000000u,
	CTX_SLOT_BITS = 22,
	CTX_SLOT = (1u << CTX_SLOT_BITS) - 1,
	CTX_GENERATIONS = 0x1ff
};

struct link {
	uint32_t next, prev;
};

enum req_kind {
	REQ_FREE,
	REQ_SEND,
	REQ_RECV,
	REQ_COLL,
	REQ_PERSISTENT,
	REQ_HANDLE /* of something that is no message */
};
enum req_flag {
	REQ_HELD = 1,      /* the program, an operation or a collective holds it */
	REQ_LIVE = 2,      /* queued for matching, or its message moves */
	REQ_DONE = 4,      /* complete, as its owner sees it */
	REQ_WAITED = 8,    /* its owner is blocked on it, perhaps among others */
	REQ_PICKED = 16,   /* completed by the wait or test under way */
	REQ_ISEND = 32,    /* pays ois, not os */
	REQ_DETACHED = 64, /* send: complete as soon as posted */
	REQ_EAGER = 128,   /* send: moves without waiting for its receive */
	REQ_SYNC = 256,
	REQ_MOVING = 512,   /* send: its flow has begun */
	REQ_ARRIVED = 1024, /* send: its flow has ended */
	REQ_PAYS_OR = 2048, /* receive: or is due when it is completed */
	REQ_CANCELLED = 4096,
	REQ_INTERNAL = 8192, /* of a collective: owner is the task */
	REQ_STARTED = 16384, /* by a persistent request: owner is that one */
	REQ_LISTED = 32768   /* in the set of the operation under way */
};

/* What its elements are, of which the two sides must not differ; COPIED: nothing is known of them,
 * and its rank copies them: packs what it sends; unpacks, or takes out of a buffer, what it
 * receives. */
enum req_data { DATA_ANY, DATA_INTEGERS = TYPES_INTEGER, DATA_REALS = TYPES_REAL, DATA_COPIED };

/* stage: rules.each_pays: a test has found it complete, and its rank has paid for it. */
enum { REQ_SETTLED = 7 };

/* 104 bytes. */
struct req {
	uint32_t rank; /* whose it is */
	uint32_t peer; /* send: to; receive: from, or ANY_PEER until matched; PEER_NULL */
	uint32_t ctx;
	int32_t tag;     /* receive: MP_ANY until matched */
	double bytes;    /* receive: capacity, then what was sent */
	double posted;   /* date, s */
	double moved;    /* date at which the transfer began */
	struct link bin; /* match.c: with others of the same key */
	union {
		/* match.c: send that waits for a receive: with the others to that rank */
		struct link dst;
		struct {
			uint32_t order;  /* receives: sequence number of posting */
			uint32_t before; /* receives of collectives: the one posted before it, if
			                    it still is that (segments.c), or NONE */
		};
		struct {                   /* send of a collective that moves: */
			uint32_t activity; /* its flow, or NONE */
			uint32_t rider;    /* the next of those that move as this flow and have
			                      been parted from it (segments.c), or NONE */
		};
	};
	union {
		uint32_t side; /* match.c: index for wildcards, or NONE */
		uint32_t more; /* receives, sends of collectives: so many others, alike, are this
		                  one too (segments.c) */
	};
	uint32_t mate;  /* the other side once matched, MATE_ROW, or NONE; COLL: task; PERSISTENT:
	                   active request or NONE; FREE: next */
	uint32_t owner; /* INTERNAL: task; STARTED: persistent request */
	uint32_t wnext, windex; /* the next of the list that its owner waits for; place in the
	                           program's array, or number in the collective */
	uint32_t chain;         /* match.c: the first of the next queue; of the first of a queue */
	uint32_t op; /* number of the event or operation of its rank that made it, for messages */
	uint16_t flags;
	uint8_t kind : 3;
	uint8_t stage : 3; /* stream.c: where a send's rendezvous is; or REQ_SETTLED */
	uint8_t data : 2;  /* enum req_data */
	uint8_t call;
	struct mp_path path; /* path.c: send: to the date at which it was let go */
};

/* What is done otherwise than is right, as SimGrid does it: each has a row in docs/compat.md. */
struct mp_rules {
	double shortest_sleep;   /* s: shorter ones last so long */
	uint8_t turns;           /* ranks that run at one date take turns (turns.c) */
	uint8_t messages_last;   /* of what ends at one date, after what ends on processors */
	uint8_t common_failures; /* failed tests and probes of all ranks are counted together */
	uint8_t found_late;      /* what a test found ends their row when its or is paid */
	uint8_t testany_grows;   /* its cost, without smpi/grow-injected-times too */
	uint8_t each_pays;      /* MPI_Testall, Testsome, Waitsome: for each request they look at */
	uint8_t waitsome_tests; /* MPI_Waitsome waits for one request, then tests the others */
	uint8_t probe_polls;    /* MPI_Probe is a loop of MPI_Iprobe */
	uint8_t looks_cost;     /* those of a running program too, found something or not */
	uint8_t eager_first;    /* wildcards look among eager messages first */
	uint8_t self_pays;      /* a message to oneself has overheads as any other */
	uint8_t first_section;  /* overheads of a size before it: those of the first section */
	uint8_t few_overheads;  /* beyond SimGrid's: only what the user gives */
	uint8_t operators;      /* take their time, with smpi/simulate-computation:no too */
	uint8_t linear_icolls;  /* non-blocking collectives, whatever the selector */
	uint8_t free_comms;     /* smpi/comm-setup:auto: made for nothing */
	uint8_t no_notice;      /* ranks react to what comes at once, whatever smpi/notice */
	uint8_t coll_compat;    /* what algorithms and selectors are told (coll_args.compat) */
};

/* How a rank waits (turns.c). */
struct waiter {
	double since;   /* the date at which it began to wait, or was woken last */
	uint32_t times; /* how often before at that date */
	uint32_t turn;
	uint32_t left;  /* of a call that waits: turns before it goes on */
	uint32_t calls; /* before what it executes begins, volume */
	enum { HOLDS_NOTHING, HOLDS_A_PLACE, COMPUTES } holds; /* of its processor */
	double volume;
};
/* Of its processor: in which round something happened to it last that SimGrid marks it for, and its
 * place in the order in which that happened to hosts, 0: it is not marked; how many ranks compute,
 * sleep or wait for a single message there, how many of them compute. */
struct busy_host {
	uint64_t round;
	uint32_t place, ranks, computing;
};
/* A computation, or a host: the place of its host in this round; how many there were before it. */
struct begun {
	uint32_t place, number, rank;
};
/* How far a rank's post is, and how often it still looks; of what: the size compared with
 * smpi/async-small-thresh, the receiver, what a receive takes. Who has locked its own mailboxes;
 * who waits for them, linked by next. */
struct poster {
	uint8_t stage, probes, sends, small, sync;
	uint32_t sender, receiver, ctx, peer;
	int32_t tag;
	uint32_t owner, first, last, next;
};

/* Requests that an operation or a collective waits for. 28 bytes, as what follows it in an
 * operation fills the rest. */
struct __attribute__((packed, aligned(4))) waitset {
	uint32_t first, last; /* linked by wnext */
	uint32_t pending;     /* not yet complete */
	double busy;  /* date until which the overheads of what has completed keep the rank busy */
	double moved; /* latest date at which one of them began to move */
};

/* *mate: MATE_ROW, a row takes this message; or a receive that is a request from now on; or NONE.
 */
typedef int row_takes_fn(struct mp *mp, uint32_t send, uint32_t *mate, struct err *err);
typedef void row_arrives_fn(struct mp *mp, uint32_t send); /* a message of a row has come */
enum row_kind { NO_ROW, ROW_ONE, ROW_MANY };               /* row.c */
enum wait_mode { WAIT_NONE, WAIT_ALL, WAIT_ANY, WAIT_SOME };

struct op;
typedef int op_fn(struct mp *mp, struct op *op, struct err *err); /* goes on: enum mp_status */

/* 144 bytes: an operation, or a collective under way (a task, task_int.h), or both: a blocking
 * call's collective is in its operation's record, a non-blocking one, which outlives the call, has
 * a record of its own. */
struct op {
	op_fn *run;
	uint32_t rank;
	uint8_t call;     /* enum mp_call */
	uint8_t stage;    /* of run */
	uint8_t mode;     /* enum wait_mode, or enum mp_test_kind */
	uint8_t paid : 1; /* the overhead of the request at the cursor; of a collective: of the next
	                     step */
	uint8_t listed : 1; /* the program gave an array of requests: it wants indices */
	uint8_t colls : 1;  /* some of them are collectives */
	uint8_t flag : 1;   /* of a test or a probe */
	uint8_t is_task : 1;
	uint8_t background : 1; /* task: the call has returned */
	uint8_t among : 1;      /* waits for a message that the program takes (among.c) */
	uint8_t apart : 1;      /* task: of a non-blocking call, whose request it has */
	struct waitset set;     /* task: its requests, in order of posting */
	int32_t partner;
	union {
		double since;             /* date of the call */
		struct {                  /* apart: */
			uint32_t handle;  /* the call's request */
			uint32_t stalled; /* next of the rank's (progress.c) */
		};
	};
	double wait_since; /* date at which the present wait began */
	double waited;     /* seconds of waiting for what had not begun to move, so far */
	double bytes, volume;
	union {
		struct {
			uint32_t cursor; /* request to be issued or tested next */
			uint32_t given;  /* requests in set, null ones left out */
			uint32_t first;  /* WAIT_ANY: the request that woke it; of a nap: its
			                    timer */
			uint32_t task;   /* that of its collective in the background, or NONE */
			struct mp_message probe; /* comm and pattern of a probe; then what was found
			                            or received */
		};
		struct {                        /* of a task */
			struct coll_args *args; /* perhaps others' too (task.c); fixed from the end
			                           of its call on */
			struct coll_cursor round; /* of the round that `step` is in */
			union {
				double debt; /* s: overheads that its rank has not paid yet: of a
				                non-blocking call; of segments (segments.c) */
				double turns_since; /* blocking: the date of the first request
				                       that was complete then, */
				struct {            /* ROW_ONE: */
					uint32_t from, number; /* the member, the request */
				} one;
				struct row *many; /* ROW_MANY */
			};
			union {
				uint32_t turns;  /* and how many more there were: each is a turn
				                    (turns.c) */
				uint32_t posted; /* without turns: at most so many are in its list
				                    (coll_exec.c) */
			};
			uint32_t me;          /* its place in the communicator */
			uint32_t ctx, number; /* context and tag of its messages */
			uint32_t target; /* TASK_WAITS_ONE: the request; TASK_WAITS_MEMBERS: the
			                    task that came next (whole.c) */
			uint8_t step;    /* next of the round */
			uint8_t wait, wait_stage; /* enum task_wait, task_stage */
			uint8_t row : 2;          /* enum row_kind: receives without requests */
			uint8_t row_state : 2;    /* ROW_ONE */
			uint8_t row_awaited : 1;  /* the one receive waited for is of the row */
			uint8_t tentative : 1;    /* the rank pays `debt` until set.busy if
			                             its looks find this one (task_looks) */
		};
	};
};
static_assert(sizeof(struct op) == 144, "there may be a million operations");

/* Of operations that find and receive nothing. */
#define MESSAGE_NONE ((struct mp_message){.peer = MP_ANY, .tag = MP_ANY})

struct rank {
	struct host_id host;
	uint32_t op;                          /* or NONE */
	uint32_t arrived_first, arrived_last; /* messages to it that wait for a receive (match.c) */
	uint32_t wildcards;                   /* receives with wildcards posted */
	uint32_t ops;                         /* operations begun */
	uint16_t tests, probes;               /* failed in a row */
	uint16_t patience : 11;               /* that many of a row cost one look each (nap.c) */
	uint16_t stride : 4;                  /* of a row that waits for long (nap.c) */
	uint16_t executing : 1;               /* path.c */
	uint16_t missed;                      /* looks that failed since something happened */
	double happened;                      /* when something happened to it last (nap.c) */
	uint8_t overheads;                    /* index of its set of tables */
	uint8_t socket;                       /* of its host: whose memory it computes in */
	uint8_t news : 5;    /* looks that may yet find what happened to it (nap.c) */
	uint8_t steady : 1;  /* its row of looks does not stride (nap.c) */
	uint8_t cut : 1;     /* something happened in its row of looks that they did not find */
	uint8_t looking : 1; /* its looks have found nothing yet (nap.c) */
	uint8_t indexed : 3; /* kinds of wildcards whose index is kept (match.c) */
	uint8_t ready : 1, ended : 1, probing : 1;
	uint8_t napping : 1; /* nap.c */
	uint8_t stalled : 1; /* collectives of it wait for its next call (progress.c), or one-sided
	                        operations of others (rma.c) */
	uint32_t round;      /* of the looks that `news` counts: the first */
	struct mp_path path; /* path.c */
};
static_assert(sizeof(struct rank) == 64, "there may be a million ranks");

enum { ROUND_LOOKS = 16 }; /* of a loop, at most (nap.c), of which `news` has 5 bits */
enum { OVERHEADS = 8, OVERHEADS_SIMGRID = 3 /* the first, which SimGrid has too */ };
struct overheads {
	struct factor_table os, or_, ois;
	struct factor_table os_local, or_local,
	    ois_local; /* between ranks of a host; without rows: as the others */
	struct factor_table copy_rate,
	    reduce_rate; /* bytes/s by bytes, elements/s by elements; without rows: in no time */
	const char *text[OVERHEADS]; /* os, or, ois, copy-rate, reduce-rate, os-local, or-local,
	                                ois-local */
	int none;                    /* all are zero */
};

struct comm {
	uint32_t n, ctx;
	uint32_t split; /* of an intercommunicator: members before it are one group; else 0 */
	uint32_t first, stride; /* member i is first + i * stride, when there is no table */
	uint32_t *members;      /* or NULL */
	const uint32_t *lent;   /* where the first one to make it has them; NULL: not for long */
	uint32_t *sorted;       /* places in members, by world rank; NULL if members are in order */
	struct coll_shape *shape;  /* NULL: not needed yet */
	struct host_id *hosts;     /* of the members; NULL: not needed yet */
	void *memo;                /* what the communication model keeps with them */
	struct topology *topology; /* NULL: none (topology.c) */
	/* Windows, + 1, 0: none: the first, the last, the first of those that may be let go, and by
	 * member the last that it has made (rma/window.c). */
	uint32_t windows, windows_last, windows_ended, *windows_made;
	/* Whether its windows have let it go: none is left; NULL: there never was any. */
	int (*let_go)(struct mp *mp, uint32_t comm);
	uint32_t *calls; /* collectives begun, by member; NULL before the first */
	/* collectives that not all members have begun, from number `base` on */
	struct coll_call *ring;
	uint32_t ring_first, ring_n, ring_cap, base;
	uint32_t joined, left;
	uint32_t tasks;       /* collectives under way, one per member that is in it */
	uint64_t *joined_set; /* one bit per member, until all have joined */
	uint64_t *left_set;   /* those that have freed it; NULL: nobody */
	uint64_t key;
	uint32_t next_free;
	uint32_t maker;  /* world rank that asked first, */
	uint32_t event;  /* and where */
	uint8_t unowned; /* not made by a call of the program: a file's, MPI_COMM_SELF */
};

struct match_side {
	struct link link[3];
};
struct match_bin {
	uint32_t ctx, dst, src;
	int32_t tag;
	uint32_t first, last; /* first NONE: free slot */
};
struct match {
	uint32_t *queues; /* by hash of the key: the first of a queue, or NONE */
	uint32_t n_queues, n_queues_cap, shift;
	struct match_bin *bins; /* for wildcards */
	uint32_t n, mask;
	struct slots sides; /* struct match_side */
};

struct topology;

struct coll_call {
	uint8_t call;              /* enum mp_call */
	uint8_t operator;          /* enum coll_operator */
	uint8_t types;             /* enum coll_types */
	uint32_t root;             /* COLL_NO_ROOT: not known */
	uint32_t begun;            /* members that have called it */
	uint32_t rank;             /* the first of them */
	uint32_t event;            /* where that was */
	double bytes;              /* that all must give alike (coll_order.c); < 0: not known */
	const char *operator_name; /* as coll_args has it */
	int64_t count, type_size;  /* of a broadcast, allgather(v) (count 0): the elements by which
	                              its data may be cut; count < 0: none */
};
enum coll_operator { OPERATOR_UNKNOWN, OPERATOR_COMMUTES, OPERATOR_DOES_NOT };

struct task_args; /* task.c */
enum { ARGS_RECENT = 4 };

/* A message that matches nothing (leg.c), and who hears when it has arrived. */
struct leg_call {
	int (*arrived)(struct mp *mp, uint32_t owner, uint32_t index, struct err *err);
	uint32_t owner, index;
	uint32_t from, to; /* world ranks */
	int32_t tag;       /* for observers */
	uint32_t ctx;
	double bytes;
	double delay; /* s before it leaves */
};
struct whole;

/* What the selector "automatic" has found (coll_auto.c). */
struct automatic {
	struct hash64 known; /* of a call: place in choices */
	struct coll_choice *choices;
	uint32_t n, cap;
	/* Fills the choice for a call on a communicator. */
	int (*choose)(struct mp *mp, const struct op *t, const struct comm *c,
	              struct coll_choice *out, struct err *err);
};

/* What is kept for a rank until its next call, in the order in which it goes on (progress.c). */
enum progress_kind { PROGRESS_COLLECTIVES, PROGRESS_ONE_SIDED, PROGRESS_KINDS };
typedef int progress_fn(struct mp *mp, uint32_t rank, struct err *err);

#endif
