/* coll_plan_int.h: what the plans of all collectives are made with. Each function that returns an
 * int returns an error code; whoever has a plan by then gives it up by plan_fail. */
#ifndef ORRERY_LIBMPI_COLL_PLAN_INT_H
#define ORRERY_LIBMPI_COLL_PLAN_INT_H

#include "coll.h"
#include "coll/coll.h"

int plan_new(enum coll_kind kind, MPI_Comm comm, struct coll_plan **out);
/* Frees the plan; the code. */
int plan_fail(struct coll_plan *p, int code);

/* Ranks on the other side of a call. */
static inline int plan_others(const struct orr_comm *c)
{
	return c->remote ? c->remote_size : c->size;
}

/* A buffer that is MPI_IN_PLACE where that may not be is an error. */
int plan_in_place_check(const struct coll_plan *p, const void *buf);
/* A committed type. */
int plan_type_find(MPI_Datatype datatype, struct orr_type **type);
int plan_piece_add(struct coll_plan *p, int receives, const void *buf, MPI_Count count,
                   struct orr_type *type);

/* Blocks of a buffer, one per rank or neighbour: equal ones, or as counts, displacements in
 * extents of the type (bytes: of types of their own) say. */
struct blocks {
	const void *buf;
	int n;
	MPI_Count count;
	const MPI_Count *counts;
	const MPI_Aint *displs;
	struct orr_type *type;
	const MPI_Datatype *types;
};

int plan_blocks_add(struct coll_plan *p, int receives, const struct blocks *b);
/* This rank's block, as it is in a receive buffer: what is sent in place. */
struct blocks plan_own_block(const struct orr_comm *c, const struct blocks *b);
/* One count per block, in elements, or bytes where each block has its type. A side may be NULL. */
int plan_counts_set(struct coll_plan *p, const struct blocks *send, const struct blocks *recv);
/* One side: its type is found, and is set with its count, if this rank has it. */
int plan_side_set(struct coll_plan *p, int receives, MPI_Count count, MPI_Datatype datatype,
                  struct orr_type **type);

enum role { ROLE_MEMBER, ROLE_ROOT, ROLE_WATCHES };
int plan_root_set(struct coll_plan *p, int root, enum role *role);

#endif
