/* types.h: datatypes in the trace: SimGrid's number for predefined ones, -1 and a size for all
 * others. */
#ifndef ORRERY_TRACER_TYPES_H
#define ORRERY_TRACER_TYPES_H

#include "call.h"

#include "base/hash.h"

struct types {
	struct hash64 by_handle; /* predefined ones: to SimGrid's number */
	MPI_Datatype null;       /* MPI_DATATYPE_NULL, which may be a look-up (mpi_late.h) */
	MPI_Datatype last;       /* the predefined type that was asked for last, */
	int32_t last_id;         /* and its number, or -1 */
	int64_t last_size;
};

int types_init(struct types *t, struct err *err);
void types_release(struct types *t);
/* Number and size in bytes of one element. */
void type_get(struct types *t, MPI_Datatype type, int32_t *id, int64_t *size);

#endif
