/* coll_plan_reduce.c: reductions: an operator that the type of the buffer allows, one send piece,
 * and as much of the result as this rank gets. */
#include "coll_plan.h"
#include "coll_plan_int.h"

#include "objects/errhandler.h"
#include "orr_mpi.h"

struct reduction {
	const void *send;
	void *recv;
	MPI_Count count; /* of the whole send buffer */
	struct orr_type *type;
	int in_place;
};

static int operator_set(struct coll_plan *p, MPI_Op op, const struct orr_type *type)
{
	int commutes = 1;

	/* MPI_REPLACE, MPI_NO_OP: of windows alone (MPI 4.0, 12.3.4) */
	if (op == MPI_OP_NULL || op == MPI_REPLACE || op == MPI_NO_OP)
		return MPI_ERR_OP;
	p->w.op = (uint32_t)(uintptr_t)op;
	p->w.element = type->basic != BASIC_NONE ? type->basic : type->base;
	if ((uintptr_t)op < ORR_HANDLES)
		return orr_op_check(orr_op_of(op), type, 0);
	if (!orr_op_of(op))
		return MPI_ERR_OP;
	p->op = orr_object_keep(orr_op_of(op)); /* the program may free it before the end */
	if (orr_Op_commutative(op, &commutes) != MPI_SUCCESS)
		return MPI_ERR_OP;
	p->w.commutative = commutes != 0;
	return MPI_SUCCESS;
}

static int reduction_new(enum coll_kind kind, const void *sendbuf, void *recvbuf, MPI_Count count,
                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, struct reduction *r,
                         struct coll_plan **out)
{
	int code = plan_new(kind, comm, out);

	if (code != MPI_SUCCESS)
		return code;
	code = count < 0 ? MPI_ERR_COUNT : plan_type_find(datatype, &r->type);
	if (code == MPI_SUCCESS)
		code = plan_in_place_check(*out, sendbuf);
	if (code == MPI_SUCCESS && (*out)->comm->remote &&
	    (kind == COLL_SCAN || kind == COLL_EXSCAN))
		code = orr_error_note(MPI_ERR_COMM, "an intercommunicator has no order of ranks");
	if (code == MPI_SUCCESS)
		code = operator_set(*out, op, r->type);
	if (code != MPI_SUCCESS)
		return plan_fail(*out, code);
	r->in_place = sendbuf == MPI_IN_PLACE;
	r->send = r->in_place ? recvbuf : sendbuf;
	r->recv = recvbuf;
	r->count = count;
	(*out)->w.count = count;
	(*out)->w.type_size = r->type->size;
	(*out)->w.in_place = (uint8_t)r->in_place;
	(*out)->w.basic_type = r->type->basic != BASIC_NONE;
	return MPI_SUCCESS;
}

static int reduction_end(struct coll_plan *p, const struct reduction *r, int sends,
                         MPI_Count received)
{
	int code = sends ? plan_piece_add(p, 0, r->send, r->count, r->type) : MPI_SUCCESS;

	if (code == MPI_SUCCESS && received >= 0)
		code = plan_piece_add(p, 1, r->recv, received, r->type);
	return code == MPI_SUCCESS ? code : plan_fail(p, code);
}

int plan_Reduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, int root, MPI_Comm comm, struct coll_plan **out)
{
	struct reduction r;
	enum role role;
	struct orr_comm *c = orr_comm_of(comm);
	int code;

	if (c && c->remote && root == MPI_PROC_NULL) {
		code = plan_new(COLL_REDUCE, comm, out);
		return code == MPI_SUCCESS ? plan_root_set(*out, root, &role) : code;
	}
	code = reduction_new(COLL_REDUCE, sendbuf, recvbuf, count, datatype, op, comm, &r, out);
	if (code != MPI_SUCCESS)
		return code;
	code = plan_root_set(*out, root, &role);
	if (code == MPI_SUCCESS && r.in_place && role != ROLE_ROOT)
		code = orr_error_note(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root");
	if (code != MPI_SUCCESS)
		return plan_fail(*out, code);
	return reduction_end(*out, &r, !((*out)->comm->remote && role == ROLE_ROOT),
	                     role == ROLE_ROOT ? count : -1);
}

int plan_Allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                   MPI_Op op, MPI_Comm comm, struct coll_plan **out)
{
	struct reduction r;
	int code = reduction_new(COLL_ALLREDUCE, sendbuf, recvbuf, count, datatype, op, comm, &r,
	                         out);

	return code != MPI_SUCCESS ? code : reduction_end(*out, &r, 1, count);
}

int plan_Scan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm, struct coll_plan **out)
{
	struct reduction r;
	int code = reduction_new(COLL_SCAN, sendbuf, recvbuf, count, datatype, op, comm, &r, out);

	return code != MPI_SUCCESS ? code : reduction_end(*out, &r, 1, count);
}

/* The first rank's result is not touched. */
int plan_Exscan(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                MPI_Op op, MPI_Comm comm, struct coll_plan **out)
{
	struct reduction r;
	int code = reduction_new(COLL_EXSCAN, sendbuf, recvbuf, count, datatype, op, comm, &r, out);

	if (code != MPI_SUCCESS)
		return code;
	(*out)->keeps = (*out)->comm->rank == 0;
	return reduction_end(*out, &r, 1, count);
}

int plan_Reduce_scatter(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[],
                        MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, struct coll_plan **out)
{
	struct orr_comm *c = orr_comm_of(comm);
	struct blocks b = {.n = c ? c->size : 0, .counts = recvcounts};
	struct reduction r;
	MPI_Count total = 0;
	int code;

	for (int i = 0; i < b.n && total >= 0; i++)
		if (recvcounts[i] < 0 || __builtin_add_overflow(total, recvcounts[i], &total))
			total = -1;
	code = reduction_new(COLL_REDUCE_SCATTER, sendbuf, recvbuf, total, datatype, op, comm, &r,
	                     out);
	if (code != MPI_SUCCESS)
		return code;
	(*out)->w.count = 0;
	code = plan_counts_set(*out, NULL, &b);
	return code != MPI_SUCCESS ? plan_fail(*out, code)
	                           : reduction_end(*out, &r, 1, recvcounts[c->rank]);
}

int plan_Reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount,
                              MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                              struct coll_plan **out)
{
	struct orr_comm *c = orr_comm_of(comm);
	struct reduction r;
	int code = reduction_new(COLL_REDUCE_SCATTER_BLOCK, sendbuf, recvbuf, recvcount, datatype,
	                         op, comm, &r, out);

	if (code != MPI_SUCCESS)
		return code;
	if (__builtin_mul_overflow(recvcount, c->size, &r.count))
		return plan_fail(*out, orr_type_too_many(r.type, recvcount));
	return reduction_end(*out, &r, 1, recvcount);
}
