/* requests.h: the requests a process has outstanding: from the library's handles to the numbers in
 * the trace. Knows handles as 64-bit keys, not MPI.
 *
 * Invariants: (1) a slot's index is the number of its request; numbers of finished requests are
 * used again, the least first, so that a trace in a steady state repeats itself and its loops are
 * short; (2) requests with
 * equal handles stand in the order in which they were made: libraries give one shared handle to all
 * operations that finish at once, so that a handle alone does not name one; (3) `wildcards` counts
 * the active requests whose sender or tag is not known yet; (4) a request that a test completed
 * keeps its number, and is named by where its handle was, until that place is given another
 * request: the program may still look at it there. There are at most REQUESTS_KEPT of these: the
 * oldest is forgotten. */
#ifndef ORRERY_TRACER_REQUESTS_H
#define ORRERY_TRACER_REQUESTS_H

#include "base/err.h"
#include "base/hash.h"

#include <stdint.h>

enum {
	REQUEST_PERSISTENT = 1, /* survives its completion */
	REQUEST_ACTIVE = 2,     /* made by an I call, or started */
	REQUEST_WILDCARD = 4,   /* receives from any sender, or any tag */
	REQUEST_CANCELLED = 8,  /* MPI_Cancel was called on it */
	REQUEST_DUP = 16,       /* of MPI_Comm_idup: extra is a struct comm_dup of comms.h */
	REQUEST_COLL = 64,      /* a persistent collective: extra is its event (record_start.c) */
	REQUEST_OWN = 256,      /* … that goes by a communicator of its own */
	REQUEST_SEEN = 128,     /* a test found it complete; later calls may look at it again: kept
	                           (request_keep), or persistent */
	REQUEST_HELD = 32,      /* named by a call that has not returned: no other call claims it */
};

struct request {
	uint64_t handle;
	uint32_t next, prev; /* of equal handle; the first one's prev is the last one */
	uint64_t pass;       /* first one only: the next to be claimed in this pass is `claimed` */
	uint32_t claimed;
	uint16_t flags;
	uint32_t half; /* of a receive that MPI_Isendrecv made: its send, else REQUEST_NONE */
	/* of wildcard receives: what was asked for, and the communicator in which to read the
	 * sender's rank */
	int32_t source, tag, type;
	uint32_t comm;
	int64_t count, type_size;
	int64_t looked; /* what its thread had computed when it was made, or last tested */
	void *extra;
};

struct requests {
	struct hash64 first; /* handle to the first slot with it */
	struct request *slots;
	uint32_t n, cap;
	uint64_t *vacant;                 /* a bit for each slot that is free */
	uint32_t cap_vacant, vacant_from; /* no word before it has one */
	uint32_t active;
	_Atomic uint32_t wildcards; /* threads that are about to wait read it without the lock */
	uint64_t pass;
	struct hash64 kept; /* place to the slot that is kept under it: the slot's handle is the
	                       place, next and prev the kept ones by age */
	uint32_t n_kept, kept_first, kept_last;
};

enum { REQUEST_NONE = 0xffffffffu, REQUESTS_KEPT = 1024 };

void requests_init(struct requests *r);
void requests_release(struct requests *r);
/* A new request; its number, or REQUEST_NONE with *err set. */
uint32_t request_add(struct requests *r, uint64_t handle, uint16_t flags, struct err *err);
/* A pass over the handles of one call: each claim gives the oldest request with that handle that is
 * not held and was not claimed in this pass, or REQUEST_NONE for a handle that is not in the
 * table. */
void requests_pass(struct requests *r);
uint32_t request_claim(struct requests *r, uint64_t handle);
/* A persistent request starts or finishes; another one that finishes is removed with
 * request_remove. */
void request_activate(struct requests *r, uint32_t i);
void request_deactivate(struct requests *r, uint32_t i);
/* Gives request i another handle, as its latest. */
int request_rename(struct requests *r, uint32_t i, uint64_t handle, struct err *err);
void request_remove(struct requests *r, uint32_t i);
/* Request i, not persistent, is complete, and its handle, which was at `place`, is null. */
int request_keep(struct requests *r, uint32_t i, uint64_t place, struct err *err);
uint32_t request_kept(const struct requests *r, uint64_t place); /* which, or REQUEST_NONE */
void request_forget(struct requests *r, uint32_t i);             /* a kept one */
/* Does one with these flags refer to communicator `comm`? */
int requests_refer(const struct requests *r, uint32_t comm, uint16_t flags);

#endif
