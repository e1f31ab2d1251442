/* type_query.c: what a program asks of a type: size, extents, name; counts of a status. */
#include <limits.h>

#include "orr_mpi.h"
#include "status.h"
#include "type.h"

int orr_Type_size(MPI_Datatype datatype, MPI_Count *size)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	*size = t->size;
	return MPI_SUCCESS;
}

int orr_Type_get_extent(MPI_Datatype datatype, MPI_Count *lb, MPI_Count *extent)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	*lb = t->lb;
	*extent = orr_type_span(t);
	return MPI_SUCCESS;
}

int orr_Type_get_true_extent(MPI_Datatype datatype, MPI_Count *true_lb, MPI_Count *true_extent)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	*true_lb = t->true_lb;
	*true_extent = t->true_ub - t->true_lb;
	return MPI_SUCCESS;
}

int orr_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
	MPI_Count lb, span;
	int code = orr_Type_get_extent(datatype, &lb, &span);
	if (!code)
		*extent = span;
	return code;
}

int orr_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	*displacement = t->lb;
	return MPI_SUCCESS;
}

int orr_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	*displacement = t->ub;
	return MPI_SUCCESS;
}

int orr_Type_set_name(MPI_Datatype datatype, const char *type_name)
{
	struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	return type_name ? orr_name_set(&t->o, type_name) : MPI_ERR_ARG;
}

int orr_Type_get_name(MPI_Datatype datatype, char *type_name, int *resultlen)
{
	if (datatype == MPI_DATATYPE_NULL) { /* MPI 4.1, 7.8 */
		struct orr_object none = {.kind = ORR_TYPE};
		orr_name_get(&none, "MPI_DATATYPE_NULL", type_name, resultlen);
		return MPI_SUCCESS;
	}
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	orr_name_get(&t->o, "", type_name, resultlen);
	return MPI_SUCCESS;
}

/* --- counts of a status --- */

int orr_Get_count(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	const struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	int64_t bytes = status_bytes(status);
	if (t->size == 0)
		*count = bytes == 0 ? 0 : MPI_UNDEFINED;
	else
		*count = bytes % t->size == 0 ? bytes / t->size : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

int orr_Get_elements(const MPI_Status *status, MPI_Datatype datatype, MPI_Count *count)
{
	struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	int whole;
	*count = orr_elements_of(t, status_bytes(status), &whole);
	if (!whole)
		*count = MPI_UNDEFINED;
	return MPI_SUCCESS;
}

int orr_Status_set_elements(MPI_Status *status, MPI_Datatype datatype, MPI_Count count)
{
	struct orr_type *t = orr_type_of(datatype);
	if (!t)
		return MPI_ERR_TYPE;
	if (count < 0)
		return MPI_ERR_COUNT;
	status_set_bytes(status, orr_bytes_of(t, count));
	return MPI_SUCCESS;
}

int orr_Status_set_cancelled(MPI_Status *status, int flag)
{
	status_set_cancelled(status, flag);
	return MPI_SUCCESS;
}

int orr_Test_cancelled(const MPI_Status *status, int *flag)
{
	*flag = status_cancelled(status) != 0;
	return MPI_SUCCESS;
}

/* --- packing, as programs ask for it --- */

static int check_pack(const struct orr_type *t, MPI_Count count, const MPI_Count *position)
{
	if (!t)
		return MPI_ERR_TYPE;
	if (count < 0)
		return MPI_ERR_COUNT;
	return position && *position < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
}

int orr_Pack_size(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
	if (!orr_object(ORR_COMM, comm))
		return MPI_ERR_COMM;
	const struct orr_type *t = orr_type_of(datatype);
	int64_t bytes;
	int code = check_pack(t, incount, NULL);
	if (!code)
		code = orr_type_bytes(t, incount, &bytes);
	if (!code)
		*size = bytes;
	return code;
}

int orr_Pack(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
             MPI_Count outsize, MPI_Count *position, MPI_Comm comm)
{
	if (!orr_object(ORR_COMM, comm))
		return MPI_ERR_COMM;
	struct orr_type *t = orr_type_of(datatype);
	int64_t bytes;
	int code = check_pack(t, incount, position);
	if (!code)
		code = orr_type_bytes(t, incount, &bytes);
	if (code)
		return code;
	if (bytes > outsize - *position) /* neither is negative */
		return MPI_ERR_TRUNCATE;
	if (orr_pack(inbuf, incount, t, 0, bytes, (char *)outbuf + *position) < 0)
		return MPI_ERR_NO_MEM;
	*position += bytes;
	return MPI_SUCCESS;
}

int orr_Unpack(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
               MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)
{
	if (!orr_object(ORR_COMM, comm))
		return MPI_ERR_COMM;
	struct orr_type *t = orr_type_of(datatype);
	int64_t bytes;
	int code = check_pack(t, outcount, position);
	if (!code)
		code = orr_type_bytes(t, outcount, &bytes);
	if (code)
		return code;
	if (bytes > insize - *position)
		return MPI_ERR_TRUNCATE;
	if (orr_unpack(outbuf, outcount, t, 0, bytes, (const char *)inbuf + *position) < 0)
		return MPI_ERR_NO_MEM;
	*position += bytes;
	return MPI_SUCCESS;
}
