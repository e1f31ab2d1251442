/* tracer.h: the state of the tracer in one process, and how it starts, stops and writes.
 *
 *   OFF  ──MPI_Init, all processes ready──>    ON
 *   ON   ──MPI_Finalize──>                     OFF   (its functions of attributes are traced)
 *   ON   ──a write fails, memory runs out──>   MUTE
 *   MUTE ──MPI_Finalize──>                     OFF
 *
 * MUTE: nothing is written any more, but the process goes on agreeing on the identity of new
 * communicators, on which others count.
 *
 * Threads: from MPI_THREAD_SERIALIZED on one lock is held from call_return to call_leave, never
 * while the application's call runs. announce.h tells the order in which events of several threads
 * stand; what each thread computed stands before its own calls. */
#ifndef ORRERY_TRACER_TRACER_H
#define ORRERY_TRACER_TRACER_H

#include "comms.h"
#include "counter.h"
#include "others.h"
#include "polls.h"
#include "profile.h"
#include "requests.h"
#include "sites.h"
#include "trace/simulated.h"
#include "types.h"
#include "worlds.h"
#include "writer.h"

#include <pthread.h>

enum tracer_state { TRACER_OFF, TRACER_ON, TRACER_MUTE };

/* The Fortran addresses with a meaning, looked up once: of mpif.h and `use mpi`, and of mpi_f08. */
struct fortran_sentinels {
	const void *in_place, *in_place_f08, *status[2], *statuses[2];
	int known;
	int index_base_f08; /* -1: not known yet */
};

enum { TRACER_OPERATORS = 256 };

struct call;
struct tracer {
	_Atomic(enum tracer_state) state; /* all threads read it, any may mute */
	int linked;                       /* mpi_link() was called */
	/* The library under us is that of `orrery run`, which knows what is computed; or NULL. */
	const struct simulated *simulated;
	struct fortran_sentinels fortran;
	int threaded; /* MPI_THREAD_SERIALIZED and more: while one thread calls MPI, another may
	                 access a file */
	int multiple; /* MPI_THREAD_MULTIPLE */
	int threads;  /* that have called MPI */
	pthread_mutex_t lock;
	pthread_key_t ends; /* of threads: tracer_thread_end */
	int ends_known;
	/* MPI_THREAD_MULTIPLE, and one thread has called MPI so far: its call under way
	 * (announce.h) */
	struct {
		struct call *call;
		enum trace_op op;
		void (*put)(struct call *c, enum trace_op op);
	} alone;
	int rank, ranks; /* in the trace; of our world */
	int first;       /* rank in the trace of our world's first: 0, if nobody spawned us */
	uint64_t run;    /* what tells this run from others */
	struct worlds worlds;
	/* MPI_COMM_WORLD; what stands for it where the program begins with a session (session.c) */
	MPI_Comm world;
	int sessions;     /* of the program, that have not ended */
	int in_session;   /* the trace began with one */
	int ended;        /* the trace has */
	int self_watched; /* MPI_COMM_SELF has an attribute of ours (record_life.c) */
	void *finalizes;  /* where MPI_Finalize was called that deletes it; NULL before */
#ifdef MPI_SESSION_NULL
	MPI_Session session; /* ours */
#endif
	struct counter_use counter;
	int64_t counter_bias,
	    clock_bias;       /* what call_leave to call_enter take with nothing between them */
	struct others others; /* threads that call no MPI; all, where several do */
	struct tracer_thread *starter; /* the thread that called MPI first, */
	int starter_tid;               /* the kernel's number of it, and */
	struct other *starter_place;   /* its place where several call, or NULL */
	int64_t asked_ns;              /* when all were asked last */
	struct writer out;
	struct profile *profile;    /* instead of writing: events are counted and timed only */
	char dir[4096], path[4096]; /* path: of text */
	int tree;                   /* ranks merged by one (gather.h) */
	struct requests requests;
	struct requests messages; /* matched by MPI_Mprobe, not received yet */
	struct requests windows;  /* by handle; extra: world ranks of the group */
	/* of MPI; and of the operating system, which posix.c numbers by descriptor */
	struct requests files;
	struct comms comms;
	struct types types;
	struct sites sites;
	/* a bit for each hash of two sites: a computation was written there */
	uint64_t computed[64];
	uint64_t counts[CALLS]; /* calls that were not recorded */
	_Atomic uintptr_t
	    operators[TRACER_OPERATORS]; /* functions of the program's (operators.h) */
	_Atomic uint32_t operators_left; /* operators for whose functions there was no room */
	struct hash64 own_operators;     /* handles of the others */
	struct {
		int64_t process, thread;
	} used; /* ns of processors, until the trace began (beside.c) */
};
extern struct tracer tracer;

/* tracer_thread.inside: in no call; in one whose time is no computation; in one whose time is. */
enum { THREAD_OUTSIDE, THREAD_IN_CALL, THREAD_IN_LOCAL };

/* tracer_thread.functions: what the call in progress calls is its own affair; the function of C
 * that it is made of in Fortran comes next; what is called from here on, functions of attributes
 * call, which are the program's (call_opens). */
enum { FUNCTIONS_NONE, FUNCTIONS_BEHIND, FUNCTIONS_CALLED };

/* Of each thread. */
struct tracer_thread {
	struct counter_thread counter;
	int opened, inside, functions;
	enum call_id within; /* the call in progress that calls functions of attributes, */
	int64_t inner;       /* ns of the calls that these made */
	struct other *place; /* among the others, or NULL */
	int of_library;      /* the MPI library made it */
	int polled;          /* its last call was a test or probe that found nothing (new) */
	enum { POLL_NONE, POLL_FOUND, POLL_MISSED } poll; /* the call in progress */
	struct polls polls;
	const void *missed; /* if it was a test: where its requests are */
	int spun;           /* the test in progress is of a loop that does nothing but this test */
	int64_t left, left_ns;         /* counter and clock when its last call was left */
	int64_t pending, pending_ns;   /* computation not written yet */
	int64_t operated, operated_ns; /* of operators, in the call in progress (operators.h) */
	int64_t worked;      /* ns of computation so far, without that of loops that poll */
	void *site, *before; /* of the call in progress; of the one before which was written */
	int operates;        /* it runs an operator of the program's that is counted */
	int entered;         /* the call in progress has no event yet */
	uint64_t here, from; /* keys (sites.h) of that site, 0 if not asked for yet; of the call
	                        before which was written */
	/* scratch arrays, kept */
	MPI_Request *handles;
	void *statuses;
	int64_t *numbers, *numbers2;
	uint32_t handles_cap, statuses_cap, numbers_cap, numbers2_cap;
};
extern _Thread_local struct tracer_thread thread;

/* What a thread has for itself (a descriptor, where instructions are counted) ends with it, or with
 * the trace. */
void tracer_thread_end(void *thread);
/* Both do nothing with fewer than MPI_THREAD_SERIALIZED. */
void tracer_lock(void);
void tracer_unlock(void);
/* After MPI_Init: collective over the world. duration: of MPI_Init. */
void tracer_start(int64_t entered, int64_t returned);
/* Before MPI_Finalize: the rest of the file, and the counts of what was not traced. */
void tracer_stop(void);
void posix_forget(void); /* posix.c: at the end */
/* True for the first process to ask: who gives the file its name, or creates it, speaks. Its
 * size says why (trace/trace.h); NULL: the program began MPI again, of which nothing is lost. */
int tracer_speaks_first(const struct err *err);
/* The program begins MPI anew when its trace has ended: says so, once per run. */
void tracer_tell_again(void);
/* Something went wrong for good: says so once, and goes on without tracing. */
void tracer_mute(const struct err *err);
/* Least time from call_leave to call_enter, into tracer.*_bias. */
void tracer_calibrate(void);

/* Scratch memory for n statuses, in C or Fortran form; NULL when memory ran out (the tracer is mute
 * then). */
void *thread_statuses(int64_t n);
/* n numbers, likewise. which: 0 or 1. */
int64_t *thread_numbers(int which, int64_t n);

/* One event, after the computation before it. The first event of a call has the call's duration;
 * further ones have none. */
void event_put(const struct call *c, struct trace_event *ev);
void event_put_more(struct trace_event *ev);
/* A computation or a sleep that the simulator was told of, in the region that ends with the call in
 * progress. */
void event_bare(struct trace_event *ev);
/* No clock is looked at in a simulation. */
static inline int64_t tracer_ns(void)
{
	return tracer.simulated ? 0 : counter_ns(&tracer.counter);
}
/* simulated.c: finds out, once, whether we are in a simulated rank. */
void simulated_find(void);
void simulated_start(void);
void simulated_stop(void);
static inline int recording(void)
{
	return tracer.state == TRACER_ON;
}

#endif
