/* coll_plan_root.c: barriers, and what one rank sends to all or gets from all: the root has another
 * plan than the rest (bcast, gather, scatter). */
#include "coll_plan.h"
#include "coll_plan_int.h"

/* --- barrier, bcast --- */

int plan_Barrier(MPI_Comm comm, struct coll_plan **out)
{
	return plan_new(COLL_BARRIER, comm, out);
}

int plan_Bcast(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
               struct coll_plan **out)
{
	struct coll_plan *p;
	struct orr_type *type;
	enum role role;
	int code = plan_new(COLL_BCAST, comm, &p);

	if (code != MPI_SUCCESS)
		return code;
	code = plan_root_set(p, root, &role);
	if (code == MPI_SUCCESS && role != ROLE_WATCHES) {
		code = plan_type_find(datatype, &type);
		if (code == MPI_SUCCESS)
			code = plan_piece_add(p, 1, buffer, count, type);
		if (code == MPI_SUCCESS) {
			p->w.count = count;
			p->w.type_size = type->size;
			p->w.basic_type = type->basic != BASIC_NONE;
		}
		p->fills = p->keeps = role == ROLE_ROOT;
	}
	*out = p;
	return code == MPI_SUCCESS ? code : plan_fail(p, code);
}

/* --- gather, scatter --- */

/* The root's side of a gather: all blocks; in place its own is there. */
static int gather_root(struct coll_plan *p, struct blocks *b, MPI_Datatype recvtype, int in_place)
{
	const struct orr_comm *c = p->comm;
	int code = plan_side_set(p, 1, b->counts ? 0 : b->count, recvtype, &b->type);

	b->n = plan_others(c);
	if (code == MPI_SUCCESS && b->counts)
		code = plan_counts_set(p, NULL, b);
	if (code == MPI_SUCCESS && in_place) {
		struct blocks own = plan_own_block(c, b);

		code = plan_blocks_add(p, 0, &own);
		p->w.count = own.count;
		p->w.in_place = 1;
	}
	if (in_place || c->remote)
		p->w.type_size = p->w.type_size2;
	return code;
}

static int gather(enum coll_kind kind, const void *sendbuf, MPI_Count sendcount,
                  MPI_Datatype sendtype, struct blocks *b, MPI_Datatype recvtype, int root,
                  MPI_Comm comm, struct coll_plan **out)
{
	struct coll_plan *p;
	struct orr_type *type;
	enum role role;
	int code = plan_new(kind, comm, &p), sends;

	if (code != MPI_SUCCESS)
		return code;
	*out = p;
	code = plan_root_set(p, root, &role);
	sends = role == ROLE_MEMBER ||
	        (role == ROLE_ROOT && !p->comm->remote && sendbuf != MPI_IN_PLACE);
	if (code == MPI_SUCCESS && sends) {
		code = plan_side_set(p, 0, sendcount, sendtype, &type);
		if (code == MPI_SUCCESS)
			code = plan_piece_add(p, 0, sendbuf, sendcount, type);
		if (role != ROLE_ROOT)
			p->w.type_size2 = p->w.type_size;
	}
	if (code == MPI_SUCCESS && role == ROLE_ROOT)
		code = gather_root(p, b, recvtype, sendbuf == MPI_IN_PLACE && !p->comm->remote);
	if (code == MPI_SUCCESS && role == ROLE_ROOT)
		code = plan_blocks_add(p, 1, b);
	return code == MPI_SUCCESS ? code : plan_fail(p, code);
}

int plan_Gather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .count = recvcount};

	return gather(COLL_GATHER, sendbuf, sendcount, sendtype, &b, recvtype, root, comm, out);
}

int plan_Gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                 const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                 int root, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .counts = recvcounts, .displs = displs};

	return gather(COLL_GATHERV, sendbuf, sendcount, sendtype, &b, recvtype, root, comm, out);
}

/* In place the root's block stays where it is; what the algorithm gives it nobody reads. */
static int scatter_root(struct coll_plan *p, struct blocks *b, MPI_Datatype sendtype, int in_place)
{
	const struct orr_comm *c = p->comm;
	int code = plan_side_set(p, 0, b->counts ? 0 : b->count, sendtype, &b->type);

	b->n = plan_others(c);
	if (code == MPI_SUCCESS && b->counts)
		code = plan_counts_set(p, b, NULL);
	if (code == MPI_SUCCESS)
		code = plan_blocks_add(p, 0, b);
	if (in_place || c->remote)
		p->w.type_size2 = p->w.type_size;
	if (code == MPI_SUCCESS && in_place) {
		p->w.in_place = 1;
		p->w.count2 = b->counts ? b->counts[c->rank] : b->count;
		p->keeps = 1;
		code = plan_piece_add(p, 1, NULL, p->w.count2, b->type);
	}
	return code;
}

static int scatter(enum coll_kind kind, struct blocks *b, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   struct coll_plan **out)
{
	struct coll_plan *p;
	struct orr_type *type;
	enum role role;
	int code = plan_new(kind, comm, &p), receives;

	if (code != MPI_SUCCESS)
		return code;
	*out = p;
	code = plan_root_set(p, root, &role);
	receives = role == ROLE_MEMBER ||
	           (role == ROLE_ROOT && !p->comm->remote && recvbuf != MPI_IN_PLACE);
	if (code == MPI_SUCCESS && role == ROLE_ROOT)
		code = scatter_root(p, b, sendtype, recvbuf == MPI_IN_PLACE && !p->comm->remote);
	if (code == MPI_SUCCESS && receives) {
		code = plan_side_set(p, 1, recvcount, recvtype, &type);
		if (code == MPI_SUCCESS)
			code = plan_piece_add(p, 1, recvbuf, recvcount, type);
		if (role != ROLE_ROOT)
			p->w.type_size = p->w.type_size2;
	}
	return code == MPI_SUCCESS ? code : plan_fail(p, code);
}

int plan_Scatter(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                 MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                 struct coll_plan **out)
{
	struct blocks b = {.buf = sendbuf, .count = sendcount};

	return scatter(COLL_SCATTER, &b, sendtype, recvbuf, recvcount, recvtype, root, comm, out);
}

int plan_Scatterv(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                  MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  int root, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = sendbuf, .counts = sendcounts, .displs = displs};

	return scatter(COLL_SCATTERV, &b, sendtype, recvbuf, recvcount, recvtype, root, comm, out);
}
