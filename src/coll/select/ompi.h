/* ompi.h: what Open MPI's decisions look at, and the tables of 4.1.2. */
#ifndef ORRERY_COLL_OMPI_H
#define ORRERY_COLL_OMPI_H

#include "decision.h"
#include "sizes.h"

/* The table for a call, and the size that it is asked with; NULL: there is none. */
const struct decision *ompi_table_of(const struct coll_args *a, int64_t *bytes);
extern const struct decision
    *const ompi_block_table; /* reduce_scatter_block, by bytes of a block */

#endif
