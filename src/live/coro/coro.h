/* coro.h: ranks that are coroutines of this process: all of them, one thread, one after the other.
 *
 *   coros_new -> coros_run(rank): starts or goes on, until it has an operation (coros_op) or has
 *   ended -> coros_op_done, coros_run, ... -> coros_free
 *
 * Where there are as many slots (image.h) as ranks, each has its own for ever, and a switch swaps a
 * stack pointer and two pointers of the library's. Where there are more ranks, those of a slot take
 * turns in it: what they may change, the used part of the stack included, is copied out and in. */
#ifndef ORRERY_LIVE_CORO_CORO_H
#define ORRERY_LIVE_CORO_CORO_H

#include "../live.h"
#include "../wire.h"

struct coros;

struct coro_options {
	char *const *command;
	const char *library;   /* folder */
	uint32_t ranks, world; /* in all; from the beginning: the others may be spawned */
	uint64_t stack;        /* bytes of a stack; 0: CORO_STACK */
	uint32_t slots;        /* 0: as many as there is room for */
	int mpich; /* the library of a program that names none: MPICH's, not Open MPI's */
	int folds; /* allocations of the program are folded (libmpi/guest) */
	/* a library of which each rank has its own, before all others; NULL: none */
	const char *tracer;
	const char *output;                 /* as in live.h */
	const struct live_kernels *kernels; /* the same */
	uint64_t seed;                      /* the same */
	struct wire_head *head;
	struct wire_heap *heap;
	struct wire_channel *channel;
	const char *(*host)(void *self, uint32_t rank);
	/* Whether ranks are left, and another number after each step of the simulation: it is asked
	 * by the handler of a signal (watch.h). */
	int (*goes_on)(void *self);
	uint64_t (*steps)(void *self);
	/* Told by that handler of the rank that has run for so long at least. */
	void (*keeps)(void *self, uint32_t rank, double seconds);
	double told_after; /* s: keeps wants to know of a third of that */
	/* A rank stops all by a signal, so that somebody has to be told; or NULL. */
	void (*stopped)(void *self, uint32_t rank, int signal);
	void *self;
};
enum { CORO_STACK = 8 << 20 };

enum coro_state { CORO_NEW, CORO_LIVES, CORO_EXITED, CORO_KILLED };

struct spawned; /* starting.h */
struct coros *coros_new(const struct coro_options *o, struct err *err);
void coros_free(struct coros *c);
/* 0; -1: there is no memory for it. */
int coros_run(struct coros *c, uint32_t rank, struct err *err);
enum coro_state coros_state(const struct coros *c, uint32_t rank);
/* Its exit code, or the signal; and, of one that was killed, why, or "". */
int coros_code(const struct coros *c, uint32_t rank);
const char *coros_reason(const struct coros *c, uint32_t rank);
/* coro_spawn.c: whether nobody is at a rank's place. */
int coros_is_free(const struct coros *c, uint32_t rank);
/* Somebody is to be there: -1: no memory, or no such folder. */
int coros_spawn(struct coros *c, uint32_t rank, const struct spawned *s, struct err *err);
/* The operation that it waits for, or NULL. */
const struct wire_op *coros_op(const struct coros *c, uint32_t rank);
void coros_op_done(struct coros *c, uint32_t rank);
/* The file of an address of whichever rank, or of what all share, and the address as the file's
 * headers have it: 1, or 0: it is in no file. path: as long as c is. */
int coros_file(const struct coros *c, uint64_t address, const char **path, uint64_t *in_file);
/* Is it the name of a function that makes threads: pthread_create, thrd_create, std::thread, a
 * parallel region of OpenMP? */
int coro_makes_thread(const char *name);

#endif
