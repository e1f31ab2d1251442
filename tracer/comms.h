/* comms.h: communicators: their identity in the trace, and the world ranks of their members.
 *
 * The identity of a communicator is (world rank of its rank 0) << 32 | a counter of that process +
 * 2, which its rank 0 tells the others when the communicator is made: all members know it by the
 * same name, and no two are alike. The world is 0, MPI_COMM_SELF is 1. Communicators with processes
 * of worlds that we have not met (worlds.h) have no place in the trace: comm_find does not find
 * them. Agreement is a collective of its own: it takes place whether or not this process still
 * writes a trace. */
#ifndef ORRERY_TRACER_COMMS_H
#define ORRERY_TRACER_COMMS_H

#include "call.h"

#include "base/hash.h"

enum { COMM_WORLD, COMM_SELF, COMM_NONE = 0xffffffff }; /* indices */

struct comm {
	uint64_t id;
	MPI_Comm handle;
	int size, rank;
	int32_t first_member, stride; /* world rank of member i: first_member + i * stride, if */
	int32_t *world;               /* is NULL; else there. Of a free slot: NULL, size 0 */
	/* by the program; its slot stays while receives that are under way need it */
	uint8_t freed;
	int32_t *remote; /* of an intercommunicator: world ranks of the other group; NULL */
	int remote_size;
	/* TRACE_CART: dimensions and whether they are periodic; TRACE_GRAPH: sources and
	 * destinations, ranks of the communicator. 0: neither. */
	int topology, n_first, n_second;
	int64_t *first, *second; /* one array */
	uint32_t persistent;     /* collectives made on it so far */
	uint32_t dups;           /* of an intercommunicator: MPI_Comm_idup of it so far */
};

struct comms {
	struct hash64 by_handle;
	struct comm *items;
	uint32_t n, cap;
	uint32_t used;  /* the first so many slots are taken */
	uint32_t freed; /* that are still needed */
	uint32_t made;  /* communicators whose rank 0 is this process */
};

/* What MPI_Comm_idup leaves for its completion. */
struct comm_dup {
	uint64_t id, parent;
	MPI_Request agreement;
	void *place; /* of the new communicator */
	int fortran;
};

/* The world and MPI_COMM_SELF. */
int comms_init(struct comms *s, int rank, int size, struct err *err);
void comms_release(struct comms *s);
/* Index of a communicator, or COMM_NONE. */
uint32_t comm_find(const struct comms *s, MPI_Comm comm);
/* A new communicator, made a moment ago, in three steps; the second is a collective of its members,
 * and needs no lock. comm_id_make: 0 if it has no place in the trace; else *id is its identity at
 * its rank 0, anything elsewhere. comm_id_agree: everyone learns the identity.
 * comm_add: enters it in the table; its index, or COMM_NONE for want of memory. */
int comm_id_make(struct comms *s, MPI_Comm comm, uint64_t *id);
/* It has members of another world than ours: the same on all of them. */
int comm_is_mixed(MPI_Comm comm);
void comm_id_agree(MPI_Comm comm, uint64_t *id);
uint32_t comm_add(struct comms *s, MPI_Comm comm, uint64_t id, struct err *err);
void comm_remove(struct comms *s, uint32_t i);
/* A name for what a persistent collective of a communicator goes by: the same on all members, which
 * make these in one order. 0: there is none (MPI_COMM_SELF; too many). */
uint64_t comm_persistent_id(struct comm *c);
/* How many neighbours this process receives from, and sends to. */
int comm_sources(const struct comm *c);
int comm_destinations(const struct comm *c);
/* World rank of a rank of the communicator, of the other group if it is an intercommunicator;
 * MPI_ANY_SOURCE and MPI_PROC_NULL become those of trace.h. */
int32_t comm_world_rank(const struct comm *c, int rank);
/* World ranks of its members, to be freed; NULL: no memory. */
int32_t *comm_members(const struct comm *c);

/* Non-blocking duplication: the identity travels on the parent beside the library's own messages;
 * that of an intercommunicator is known to all. NULL: it is not traced (no memory; no identity). */
struct comm_dup *comm_dup_begin(struct comms *s, uint32_t parent, void *place, int fortran);
/* When it is complete: comm_dup_wait, which needs no lock, then comm_add of the communicator that
 * it gives. */
MPI_Comm comm_dup_wait(struct comm_dup *d);

#endif
