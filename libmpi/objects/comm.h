/* comm.h: communicators, as far as they are local: groups, topology, attributes, name. Those who
 * communicate keep what is theirs behind `context` and `core`. */
#ifndef ORRERY_LIBMPI_COMM_H
#define ORRERY_LIBMPI_COMM_H

#include <limits.h>

#include "group.h"

struct orr_topo;
struct orr_comm {
	struct orr_object o;
	struct orr_group *local, *remote; /* remote: NULL: an intracommunicator */
	int32_t rank, size, remote_size;
	struct orr_topo *topo; /* NULL: none */
	uint64_t context;      /* CORE's number of it */
	void *core;            /* CORE's */
};

static inline struct orr_comm *orr_comm_of(MPI_Comm comm)
{
	return orr_object(ORR_COMM, comm);
}
/* A communicator with a handle (orr_handle); keeps the groups. NULL: no memory. */
struct orr_comm *orr_comm_new(struct orr_group *local, struct orr_group *remote, uint64_t context);
/* One reference less; orr_core_comm_end is called before the last one goes. */
void orr_comm_drop(struct orr_comm *c);
/* What MPI_Comm_dup copies beside the groups: topology, error handler, info if `info`, attributes
 * with their callbacks (whose error code is returned). */
int orr_comm_copy_local(struct orr_comm *from, struct orr_comm *to, int info);
/* What MPI_Comm_free does before the communicator goes: attributes' callbacks. An error code of
 * theirs: the communicator is not to be freed. */
int orr_comm_free_local(struct orr_comm *c);
/* Error handler of a new communicator that is no duplicate: that of its parent. */
void orr_comm_inherit(struct orr_comm *parent, struct orr_comm *c);
/* The process numbers of the neighbours of this rank, sources and destinations (as ranks of the
 * communicator, MPI_PROC_NULL in Cartesian ones); arrays to be freed. For neighbourhood
 * collectives. */
int orr_comm_neighbours(struct orr_comm *c, int *n_in, int **in, int *n_out, int **out);
/* MPI_TAG_UB: every int from 0 on is a tag, as in Open MPI. */
enum { ORR_TAG_UB = INT_MAX };
/* MPI_COMM_WORLD and MPI_COMM_SELF, with their attributes: called by MPI_Init, after
 * orr_local_start. */
int orr_comms_start(struct orr_group *world, uint64_t world_context, uint64_t self_context);
int orr_comms_end(void); /* MPI_Finalize: attributes of MPI_COMM_SELF first */

#endif
