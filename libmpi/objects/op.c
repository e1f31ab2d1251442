/* op.c: operators (MPI 4.0, 6.9): predefined ones on types as they lie in memory, those of the
 * program. */
#include "op.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "local.h"
#include "orr_mpi.h"

int orr_ops_start(void)
{
	static const MPI_Op predefined[] = {MPI_SUM,    MPI_MIN,    MPI_MAX,     MPI_PROD, MPI_BAND,
	                                    MPI_BOR,    MPI_BXOR,   MPI_LAND,    MPI_LOR,  MPI_LXOR,
	                                    MPI_MINLOC, MPI_MAXLOC, MPI_REPLACE, MPI_NO_OP};
	for (size_t i = 0; i < sizeof predefined / sizeof predefined[0]; i++) {
		struct orr_op *op = orr_object_new(ORR_OP, sizeof *op);
		if (!op)
			return MPI_ERR_NO_MEM;
		op->commutes = predefined[i] != MPI_REPLACE && predefined[i] != MPI_NO_OP;
		orr_predefine((uint32_t)(uintptr_t)predefined[i], op);
	}
	return MPI_SUCCESS;
}

void orr_op_drop(struct orr_op *op)
{
	if (orr_object_drop(op))
		orr_object_end(op);
}

/* What one library takes beyond the standard (MPI 4.0, 6.9.2), of which reduce.c has both: numbers
 * in bytes Open MPI, truth in reals MPICH. */
static int is_taken(uint32_t op, uint32_t basic)
{
	int truth = op >= REDUCE_LAND && op <= REDUCE_LXOR;

	if (basic == BASIC_BYTE && (truth || op < REDUCE_BAND))
		return orr_local()->as_openmpi;
	if (truth && basic >= BASIC_FLOAT16 && basic <= BASIC_FLOAT128)
		return orr_local()->as_mpich;
	return 1;
}

int orr_op_check(const struct orr_op *op, const struct orr_type *t, int derived)
{
	if (!op)
		return MPI_ERR_OP;
	if (!t)
		return MPI_ERR_TYPE;
	if (op->token)
		return MPI_SUCCESS;
	uint8_t basic = derived ? t->base : t->basic;
	if (derived && t->size == 0)
		return MPI_SUCCESS;
	if (derived && (op->o.handle == REDUCE_REPLACE || op->o.handle == REDUCE_NO_OP))
		return MPI_SUCCESS;
	return reduce_is_defined(op->o.handle, basic) && is_taken(op->o.handle, basic) ? MPI_SUCCESS
	                                                                               : MPI_ERR_OP;
}

/* --- predefined operators --- */

/* Scattered elements, or pairs with gaps: through packed copies, a piece at a time. */
enum { PIECE = 1 << 14 };

static int apply_pieces(const struct orr_op *op, const void *in, void *inout, int64_t n,
                        struct orr_type *t)
{
	int64_t element = (int64_t)orr_basic_size(t->base), bytes = n * t->size;
	int64_t piece = PIECE / element * element;
	char *room = malloc(2 * PIECE);
	if (!room)
		return MPI_ERR_NO_MEM;
	for (int64_t from = 0; from < bytes; from += piece) {
		int64_t to = from + piece < bytes ? from + piece : bytes;
		orr_pack(inout, n, t, from, to, room);
		orr_pack(in, n, t, from, to, room + PIECE);
		reduce_apply(op->o.handle, t->base, room + PIECE, room, (to - from) / element);
		orr_unpack(inout, n, t, from, to, room);
	}
	free(room);
	return MPI_SUCCESS;
}

static int apply_predefined(const struct orr_op *op, const void *in, void *inout, int64_t n,
                            struct orr_type *t)
{
	int64_t disp;
	if (!orr_is_contiguous(t, n, &disp) || t->base == BASIC_NONE)
		return apply_pieces(op, in, inout, n, t);
	reduce_apply(op->o.handle, t->base, (const char *)in + disp, (char *)inout + disp,
	             n * t->size / (int64_t)orr_basic_size(t->base));
	return MPI_SUCCESS;
}

/* --- operators of the program --- */

int orr_op_apply(MPI_Op op, const void *in, void *inout, MPI_Count n, MPI_Datatype type)
{
	const struct orr_op *o = orr_op_of(op);
	struct orr_type *t = orr_type_of(type);
	if (!o || !t)
		return o ? MPI_ERR_TYPE : MPI_ERR_OP;
	if (n == 0)
		return MPI_SUCCESS;
	if (!o->token)
		return apply_predefined(o, in, inout, n, t);
	void *from = (void *)(uintptr_t)in; /* the program's function takes it as not const */
	for (MPI_Count done = 0; done < n;) {
		MPI_Count some = n - done <= INT_MAX ? n - done : INT_MAX;
		int64_t at = done * orr_type_span(t);
		front_call_op(o->token, (char *)from + at, (char *)inout + at, some, type);
		done += some;
	}
	return MPI_SUCCESS;
}

/* --- the functions of MPI --- */

int orr_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	void *token = (void *)user_fn;
	if (!token || !op)
		return MPI_ERR_ARG;
	struct orr_op *o = orr_object_new(ORR_OP, sizeof *o);
	if (!o)
		return MPI_ERR_NO_MEM;
	o->token = token;
	o->commutes = commute != 0;
	*op = orr_handle(o);
	return MPI_SUCCESS;
}

int orr_Op_free(MPI_Op *op)
{
	struct orr_op *o = op ? orr_op_of(*op) : NULL;
	if (!o || orr_is_predefined(&o->o))
		return MPI_ERR_OP;
	orr_handle_hide(o);
	orr_op_drop(o);
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}

int orr_Op_commutative(MPI_Op op, int *commute)
{
	const struct orr_op *o = orr_op_of(op);
	if (!o)
		return MPI_ERR_OP;
	*commute = o->commutes;
	return MPI_SUCCESS;
}

int orr_Reduce_local(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype,
                     MPI_Op op)
{
	if (count < 0)
		return MPI_ERR_COUNT;
	if (inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE || (count > 0 && inbuf == inoutbuf))
		return MPI_ERR_BUFFER;
	int64_t bytes;
	int code = orr_op_check(orr_op_of(op), orr_type_of(datatype), 0);
	if (!code)
		code = orr_type_bytes(orr_type_of(datatype), count, &bytes);
	return code ? code : orr_op_apply(op, inbuf, inoutbuf, count, datatype);
}
