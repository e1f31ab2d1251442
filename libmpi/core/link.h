/* link.h: the link to the simulator, and the entry to it: what every call that communicates begins
 * and ends with.
 *
 *   link_enter                    what was computed since the last call ends here
 *   op = link_room(kind, bytes)   an operation is written
 *   link_put(op) | link_ask(op)   ... and queued, or waited for
 *   link_leave                    computation goes on
 *
 * All state of a rank is one struct (link_state): of this process's rank, or, where ranks are
 * coroutines, of the one that runs (held.c, src/live/hold.h).
 */
#ifndef ORRERY_LIBMPI_LINK_H
#define ORRERY_LIBMPI_LINK_H

#include <pthread.h>
#include <stddef.h>
#include <time.h>

#include "live/hold.h"
#include "live/wire.h"
#include "mpi_abi.h"
#include "ticket.h"
#include "trace/simulated.h"

struct link_traced {   /* what a tracer and the library know of a thread (trace/simulated.h) */
	int stopped;   /* its time is nobody's */
	uint64_t made; /* the communicator that it made last, */
	const int32_t *remote; /* and its other group, or NULL */
	double operated;       /* link_operated */
	uintptr_t called;      /* where the tracer says that the call under way is from; or 0 */
	uint64_t site;         /* of that call (site.c), */
	const char *call;      /* what it is called, */
	int begins;            /* and no operation of it was written yet */
};

struct link_named { /* a name of communicators that members alone make: how often it was used */
	uint64_t name, times;
};

/* A thread between two looks; how many pauses of the rank there had been at its last look. */
enum { LINK_PAUSING = 64 };
struct link_pausing {
	_Atomic int tid; /* 0: nobody; -1: about to be taken */
	_Atomic uint32_t seen;
};

struct coll_plan;
struct touches;
struct place;
struct orrery_timer;      /* time/time.h */
enum { LINK_FORKED = 2 }; /* value of `ended`: a child, which is no rank */

struct link {
	struct wire_head *head; /* NULL: not open */
	struct wire_channel *c;
	struct wire_heap *heap, own_heap;
	const struct hold *hold; /* NULL: a process of its own */
	uint32_t rank, ranks;
	int32_t first_rank, spawner; /* of its MPI_COMM_WORLD; who spawned it (trace/simulated.h) */
	struct stacks *stacks;       /* with --checks: from where calls were (stack.c) */
	struct touches *touches;     /* likewise: buffers of one-sided operations (touch.c) */
	uint8_t sets_clock;          /* life.c */
	uint8_t obeys;               /* it runs an operator that the simulator waits for */
	uint8_t less_threads;        /* its level is less than what the program asked for */
	uint8_t strayed;             /* of a thread that may not call the simulator was told */
	_Atomic uint32_t looks_begun, looks_ended; /* of threads that sleep, with the mutex */
	uint64_t at;                               /* end of what was written into the ring */
	uint64_t charges;                          /* how often what was computed was charged */
	double computed;                           /* a volume, since then, not told yet */
	double charged;                            /* the same since the simulator answered last */
	const struct simulated_trace *trace;       /* of the tracer, or NULL */
	double looked;                    /* looks that found nothing, not in the trace yet */
	const struct orrery_timer *timer; /* whose signal a call may end with; NULL: none */
	struct link_traced traced;        /* of a rank that is a coroutine */
	int running,
	    ended; /* the simulator knows that this rank is in MPI; was, and is no longer */
	int initialised, finalised, sessions; /* by MPI_Init, MPI_Finalize; open ones */
	int provided;                         /* level of threads */
	pthread_t first;                      /* the thread that called MPI_Init, */
	int first_tid;                        /* the kernel's number of it (processes) */
	struct ticket_lock lock;              /* of the thread that is in MPI */
	int depth;
	struct link_pausing *pausing;   /* of MPI_THREAD_MULTIPLE; or NULL */
	struct link_sleepers *sleepers; /* sleep.c; NULL: none are told apart */
	double ahead; /* by so many measured seconds looks are before what others compute */
	_Atomic uint32_t pauses; /* so far, of all threads */
	struct timespec look;    /* a rest until then: whether the simulator is there */
	double date;             /* last read */
	double told;             /* what the simulator said of the date when it answered last, */
	uint64_t ops_told;       /* after so many operations; UINT64_MAX: nothing */
	uint64_t begun;          /* operations by which another thread's wait may be over */
	uint64_t ops, ops_read, readings; /* operations; when the clock was read last; in a row, */
	double read;                      /* which took this, s, not told yet */
	uint64_t ops_looked, looks;       /* likewise, of looks at memory */
	uint64_t still;                   /* synchronisations of windows since time has passed */
	double still_date, still_since;   /* the last one's date; since when */
	uint32_t *free_number;            /* numbers of requests to be used again */
	uint32_t n_free, cap_free, numbers;
	/* collectives whose operator the simulator may order; NULL: free */
	struct coll_plan **ordered;
	uint32_t n_ordered, cap_ordered;
	struct link_turns *turns; /* by window and file: see remote.c */
	uint32_t cap_turns;
	uint32_t *free_comm; /* numbers of communicators, likewise */
	uint32_t n_free_comm, cap_free_comm, comms;
	struct link_named *named;
	uint32_t n_named, cap_named;
	struct place *places;      /* loops that are sampled */
	struct result *results;    /* of functions that are called once for an input */
	struct spawning *spawning; /* dynamic processes (spawn.c), or NULL */
	struct overflow *overflow; /* what is kept of its stack; NULL: it is not watched */
};
/* overflow.c: a stack that overflows is told of. Of a process, once. */
void overflow_watch(struct link *l);

extern struct link *link_now; /* hidden, as all of the library */
static inline struct link *link_state(void)
{
	return link_now;
}
/* Finds the segment and attaches to it. MPI_SUCCESS, or aborts: the program was not started by
 * orrery. */
int link_open(void);
void link_enter(void);
/* The same of a thread that sleeps, which is no call of MPI. */
void link_enter_asleep(void);
/* 1: entered, in which case link_leave ends it. 0: this thread is in the midst of a call (it is in
 * a signal's handler, say). */
int link_enter_first(void);
void link_leave(void);
/* Lets other threads of the rank call MPI, in the midst of a call. */
void link_yield(void);
/* The same, for as long as this thread computes nothing, in a call or between two; how deep in
 * calls it was. */
int link_release(void);
/* Looks of this thread let time pass that others, who could run, have not computed for: it waits
 * until they have. */
void link_catch_up(void);
/* This thread has looked, and found something or nothing. */
void link_looked(int found);
/* The next call of this thread goes on with a wait. */
void link_paused(void);
/* In the call again, or in one: what was computed meanwhile was beside it. */
void link_regain(int depth);
/* Whether computation takes what it takes here; simulated seconds for a second of it. */
int link_measured(void);
double link_computed_takes(void);
/* Other threads may call MPI while this one waits: then a call that waits must not stand in the
 * ring, where what others call would come after it, but look again and again. */
int link_several(void);
/* Between two looks: time passes, more and more of it (*seconds, 0 at first). */
void link_pause(double *seconds);
/* So much of the processor time of this thread, since its last call, was no computation. */
void link_rested(double seconds);
/* Room for an operation with `bytes` behind it; zeroed but for what is behind. */
struct wire_op *link_room(enum wire_kind kind, size_t bytes);
/* Room for what is no operation of the program, as it is: not counted, without a place. */
struct wire_op *link_room_beside(enum wire_kind kind, size_t bytes);
/* WIRE_SLEEP or WIRE_CLOCK: so much time passes. */
struct wire_op *link_sleep(enum wire_kind kind, double seconds);
/* The rank has computed this volume. */
void link_charge(double volume);
/* The program's own operator is about to run, in the midst of a call; has run since: the volume. */
double link_operator_begin(void);
double link_operator_end(double begun);
/* Of this thread's last collective: what the program's own operator computed in it; 0 if it does
 * not block; -1: it has no such operator, or nothing is measured. */
double *link_operated(void);
/* A communicator was made by this thread: who it is, for a trace, and its other group, or NULL. */
void link_made(uint64_t identity, const int32_t *remote);
void link_put(struct wire_op *op);
/* The answer holds until the next operation. */
struct wire_answer *link_ask(struct wire_op *op);
/* With --checks, in a call: the simulator is told of a mistake of the program's (struct
 * wire_wrong).
 */
void link_wrong(enum wire_wrong_kind kind, uint32_t of, uint64_t begun, uint32_t stack);
/* Ends the program: the simulator says why. */
_Noreturn void link_abort(const char *text, int code);
/* A block, or the end of the program: there is no memory. */
uint64_t link_block(uint64_t bytes);
void link_block_free(uint64_t block);
static inline void *link_at(uint64_t block)
{
	return wire_at(link_state()->head, block);
}
/* Whether all of it is folded memory, in one allocation. */
int link_is_folded(const void *buf, uint64_t bytes);
/* What memory is, where it may be folded (libmpi/guest/fold.h: enum fold_kind, and how many of n
 * bytes are of one kind); NULL: it may not. */
typedef int link_memory_kind(const void *p, size_t n, size_t *same);
link_memory_kind *link_memory(void);
/* A list of n elements that an operation names: behind it, or in a block where it is long. The
 * operation has `body` bytes before the list. *to: where to write the elements. */
struct wire_op *link_room_list(enum wire_kind kind, size_t body, uint32_t n, size_t element,
                               void **to);

/* stack.c: the number of the stack of the call that is under way, which the simulator has been
 * told; 0: none is known. */
uint32_t stack_number(void);

/* life.c: the rank ends, by itself */
void life_ends(void);

/* life.c, for objects/core.h */
int orr_core_session_begin(void);
int orr_core_session_end(void);
int orr_core_buffer_wait(void);
int orr_core_processes(void);

uint32_t link_number(void); /* of a new request */
void link_number_free(uint32_t number);

#endif
