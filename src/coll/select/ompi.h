/* ompi.h: what Open MPI's decisions look at, and the tables of 4.1.2. */
#ifndef ORRERY_COLL_OMPI_H
#define ORRERY_COLL_OMPI_H

#include "decision.h"

static inline int commutes(const struct coll_args *a)
{
	return a->commutative || a->null_op;
}
static inline int64_t whole_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}
/* Of a block, as each rank sees it. The receiving side's elsewhere may be unknown. */
static inline int64_t block_bytes(const struct coll_args *a)
{
	return a->kind == COLL_SCATTER && a->count == 0 ? a->count2 * a->type_size2
	                                                : a->count * a->type_size;
}
static inline int64_t total_bytes(const struct coll_args *a)
{
	int64_t ts = a->kind == COLL_ALLGATHERV ? a->type_size2 : a->type_size;
	return coll_block_elements(a, 0, a->size) * ts;
}

/* The table for a call, and the size that it is asked with; NULL: there is none. */
const struct decision *ompi_table_of(const struct coll_args *a, int64_t *bytes);
extern const struct decision
    *const ompi_block_table; /* reduce_scatter_block, by bytes of a block */

#endif
