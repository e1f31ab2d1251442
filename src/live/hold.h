/* hold.h: what the MPI library of a rank is given where the rank is a coroutine of the simulator's
 * process: the narrow place where calls go straight to the simulator instead of through a ring
 * (wire.h). All ranks share the segment's head, heap and one channel: an answer is read before
 * anybody else runs.
 *
 *   simulator: orrery_hold once; enter(state) whenever another rank is to run
 *   rank:      room(size), fills the operation, give(): runs again when it is complete, or when the
 *              channel has an order; then it obeys and gives again
 */
#ifndef ORRERY_LIVE_HOLD_H
#define ORRERY_LIVE_HOLD_H

#include <stddef.h>
#include <sys/uio.h>

#include "jump.h"
#include "wire.h"

struct orrery_clock; /* libmpi/time/time.h */
struct orrery_timer;
typedef void hold_file_fn(void *self, const char *path, uintptr_t from, uintptr_t to);
struct hold {
	struct wire_head *head;
	struct wire_heap *heap;
	struct wire_channel *channel;
	const int32_t *identity; /* 0, 1, 2, ...: as many as there are ranks */
	/* Of the rank that runs: the program and its arguments; if it was spawned, the place of
	 * its struct wire_world and which of the commands it is of, else 0. */
	char *const *(*words)(void);
	uint64_t (*world)(uint32_t *appnum);
	/* Whether it is the program that all ranks are of, and begins where there is a folder. */
	int (*can_spawn)(const char *program, const char *folder);
	struct wire_op *(*room)(uint32_t size);
	void (*give)(void);
	const char *(*host)(uint32_t rank);
	__attribute__((noreturn)) void (*end)(int code); /* of the rank that runs */
	void (*clock)(const struct orrery_clock *clock);
	const struct orrery_timer *timer; /* of the rank that runs; NULL: there is none */
	/* Between the memory of the rank that runs and that of another: process_vm_readv's pieces.
	 * 0, or -1: it is not there. */
	int (*copy)(uint32_t rank, int write, const struct iovec *mine, size_t n_mine,
	            const struct iovec *its, size_t n_its);
	void *(*threads)(void); /* of the rank that runs (libmpi/time/threads.h), or NULL */
	/* Functions of the program that are not run while it is in MPI (libmpi/guest); NULL: all
	 * are. */
	void (*running)(int on);
	/* Whether values at an address do not matter; NULL: all do. */
	int (*folded)(const void *p, size_t n);
	/* The program may make threads, and the first one of a rank alone may call MPI. */
	int one_calls;
	/* What memory is (libmpi/guest/fold.h: fold_at); NULL: none is folded. */
	int (*memory)(const void *p, size_t n, size_t *same);
	/* Files that each rank has its own of, and the addresses of each, from the beginning of
	 * what is a rank's: within tells how far from there an address of the one that runs is.
	 * NULL: there are none. */
	void (*files)(hold_file_fn *see, void *self);
	uintptr_t (*within)(uintptr_t address);
};
/* What the library says of itself. */
struct hold_library {
	size_t state;                              /* bytes of a rank's state, zero at first */
	void (*enter)(void *state, uint32_t rank); /* this one runs from here on */
	void (*leave)(void *state);                /* the rank is no more: its memory goes */
	void (*exits)(void);                       /* the one that runs ends by itself */
	/* A variable of the library's that a program has a copy of, at so many bytes from *place:
	 * to be set when another rank is to run. */
	void (*moved)(const void *own, uint64_t offset);
	unsigned char **place;
};
/* What the library before the program's (libmpi/guest) is given: of the rank that runs. */
struct guest_hold {
	const char *(*kernels)(
	    void); /* models of its host (kernels.h): read before anybody else runs */
	uint32_t (*rank)(void);
	void **(*place)(void);           /* for its models, NULL at first; freed by who holds it */
	void *(*real)(const char *name); /* the function that a kernel stands before, or NULL */
	int (*takes)(double seconds);    /* 1: the rank is in MPI, and this has passed */
	/* A function of the program: where it is, the same for all ranks, and its size; 0: nowhere.
	 */
	uintptr_t (*function)(const char *name, size_t *size);
	uintptr_t (*within)(const void *address); /* the same of an address of the rank's */
	uint32_t ranks;                           /* of the process */
};
struct guest_patch { /* a function that begins otherwise while its rank is in MPI */
	const char *name;
	unsigned char jump[JUMP_BYTES];
};
/* How many functions begin otherwise. */
typedef int orrery_guest_hold_fn(const struct guest_hold *h, struct guest_patch *out, int most);

/* Its name in the library. */
#define HOLD_SYMBOL "orrery_hold"
typedef void orrery_hold_fn(const struct hold *h, struct hold_library *out);
/* Where a library of MPI's implementation has pointers of the same names as our library, which are
 * to have the values of ours: their names, NULL-terminated. */
#define MARKS_SYMBOL "orrery_marks"

#endif
