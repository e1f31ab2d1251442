/* types.c: see types.h. */
#include "types.h"

#include "trace/trace.h"

#include <string.h>

/* An MPI datatype and the name under which SimGrid knows the same thing. */
struct known_type {
	MPI_Datatype type;
	const char *name;
};

static uint64_t handle_key(MPI_Datatype type)
{
	return (uint64_t)(uintptr_t)type;
}

#define SAME(type) \
	{ \
		type, #type \
	}
#define KNOWN_TYPES \
	{ \
		SAME(MPI_DOUBLE), SAME(MPI_INT), SAME(MPI_CHAR), SAME(MPI_SHORT), SAME(MPI_LONG), \
		    SAME(MPI_FLOAT), SAME(MPI_BYTE), SAME(MPI_LONG_LONG), SAME(MPI_SIGNED_CHAR), \
		    SAME(MPI_UNSIGNED_CHAR), SAME(MPI_UNSIGNED_SHORT), SAME(MPI_UNSIGNED), \
		    SAME(MPI_UNSIGNED_LONG), SAME(MPI_UNSIGNED_LONG_LONG), SAME(MPI_LONG_DOUBLE), \
		    SAME(MPI_WCHAR), SAME(MPI_C_BOOL), SAME(MPI_INT8_T), SAME(MPI_INT16_T), \
		    SAME(MPI_INT32_T), SAME(MPI_INT64_T), SAME(MPI_UINT8_T), SAME(MPI_UINT16_T), \
		    SAME(MPI_UINT32_T), SAME(MPI_UINT64_T), SAME(MPI_C_FLOAT_COMPLEX), \
		    SAME(MPI_C_DOUBLE_COMPLEX), SAME(MPI_C_LONG_DOUBLE_COMPLEX), SAME(MPI_AINT), \
		    SAME(MPI_OFFSET), SAME(MPI_COUNT), SAME(MPI_FLOAT_INT), SAME(MPI_LONG_INT), \
		    SAME(MPI_DOUBLE_INT), SAME(MPI_SHORT_INT), SAME(MPI_2INT), \
		    SAME(MPI_LONG_DOUBLE_INT), SAME(MPI_PACKED), \
		    SAME(MPI_CXX_BOOL), /* Fortran's own; SimGrid's Fortran binding uses the C \
		                           types of the same size */ \
		    {MPI_INTEGER, "MPI_INT"}, {MPI_LOGICAL, "MPI_INT"}, \
		    {MPI_CHARACTER, "MPI_CHAR"}, {MPI_REAL, "MPI_REAL"}, \
		    {MPI_DOUBLE_PRECISION, "MPI_DOUBLE"}, {MPI_COMPLEX, "MPI_COMPLEX8"}, \
		    {MPI_DOUBLE_COMPLEX, "MPI_COMPLEX16"}, {MPI_2INTEGER, "MPI_2INT"}, \
		    {MPI_2REAL, "MPI_2FLOAT"}, {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE"}, \
		    SAME(MPI_REAL4), SAME(MPI_REAL8), SAME(MPI_REAL16), SAME(MPI_COMPLEX8), \
		    SAME(MPI_COMPLEX16), SAME(MPI_COMPLEX32), {MPI_INTEGER1, "MPI_INT8_T"}, \
		    SAME(MPI_INTEGER2), SAME(MPI_INTEGER4), SAME(MPI_INTEGER8) \
	}

/* Sizes are compared: a number whose size in SimGrid is not the library's would falsify every
 * message. */
static int type_enter(struct types *t, const struct known_type *k, struct err *err)
{
	int size = 0;
	int32_t id = trace_type_find(k->name);

	if (id < 0 || k->type == MPI_DATATYPE_NULL ||
	    hash64_find(&t->by_handle, handle_key(k->type)) != HASH_NONE)
		return 0;
	if (PMPI_Type_size(k->type, &size) != MPI_SUCCESS || size != trace_type_size(id))
		return 0;
	return hash64_put(&t->by_handle, handle_key(k->type), (uint32_t)id, err);
}

int types_init(struct types *t, struct err *err)
{
	const struct known_type known[] = KNOWN_TYPES;

	memset(t, 0, sizeof *t);
	hash64_init(&t->by_handle);
	t->last = t->null = MPI_DATATYPE_NULL;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (type_enter(t, &known[i], err) < 0)
			return -1;
	return 0;
}

void types_release(struct types *t)
{
	hash64_release(&t->by_handle);
}

void type_get(struct types *t, MPI_Datatype type, int32_t *id, int64_t *size)
{
	uint32_t found;
	MPI_Count bytes = 0;

	if (type == t->last && type != t->null) {
		*id = t->last_id;
		*size = t->last_size;
		return;
	}
	*id = -1;
	*size = 0;
	if (type == t->null)
		return;
	found = hash64_find(&t->by_handle, handle_key(type));
	PMPI_Type_size_x(type, &bytes);
	*size = bytes;
	if (found == HASH_NONE) /* not remembered: another type may get the same handle */
		return;
	*id = (int32_t)found;
	t->last = type;
	t->last_id = *id;
	t->last_size = *size;
}
