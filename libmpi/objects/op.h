/* op.h: operators. */
#ifndef ORRERY_LIBMPI_OP_H
#define ORRERY_LIBMPI_OP_H

#include "type.h"

struct orr_op {
	struct orr_object o;
	void *token; /* the program's function; NULL: predefined */
	uint8_t commutes;
};

static inline struct orr_op *orr_op_of(MPI_Op op)
{
	return orr_object(ORR_OP, op);
}
void orr_op_drop(struct orr_op *op);
/* MPI_SUCCESS if the operator may be used with the type: predefined ones with predefined types, and
 * (where accumulate says so: derived) types made of one predefined type. */
int orr_op_check(const struct orr_op *op, const struct orr_type *t, int derived);
/* inout = in op inout, of n elements of the type as the program lays them out. The operator has
 * been checked. MPI_ERR_NO_MEM if there is no room to gather scattered elements. */
int orr_op_apply(MPI_Op op, const void *in, void *inout, MPI_Count n, MPI_Datatype type);

#endif
