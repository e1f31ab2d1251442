/* coll_plan.c: the arguments of each collective become a plan: counts and sizes as the tracer
 * writes them (tracer/record_coll.c), so that a run and the replay of its trace give mp the same;
 * buffers as pieces, whose packed forms follow each other without gaps in the order of ranks, as
 * algorithms want them (src/coll/coll.h). A send buffer in place is a copy of what MPI says. */
#include "coll_plan.h"

#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "objects/errhandler.h"
#include "orr_mpi.h"
#include "p2p.h"

/* --- making --- */

static int plan_new(enum coll_kind kind, MPI_Comm comm, struct coll_plan **out)
{
	struct orr_comm *c = orr_comm_of(comm);
	struct coll_plan *p;

	if (!c)
		return MPI_ERR_COMM;
	p = calloc(1, sizeof *p);
	if (!p)
		return MPI_ERR_NO_MEM;
	p->comm = orr_object_keep(c);
	p->w = (struct wire_coll){.comm = comm_core(c)->id,
	                          .kind = kind,
	                          .commutative = 1,
	                          .trace_type = -1,
	                          .trace_type2 = -1};
	*out = p;
	return MPI_SUCCESS;
}

static int fail(struct coll_plan *p, int code)
{
	coll_plan_free(p);
	return code;
}

/* Ranks on the other side of a call. */
static int others(const struct orr_comm *c)
{
	return c->remote ? c->remote_size : c->size;
}

/* Not on two groups, nor in a neighbourhood (MPI 4.0, 6.2.2, 8.6). */
static int in_place_check(const struct coll_plan *p, const void *buf)
{
	return buf == MPI_IN_PLACE && (p->comm->remote || p->w.kind > COLL_EXSCAN)
	           ? orr_error_note(MPI_ERR_BUFFER, "MPI_IN_PLACE is for collectives of one group")
	           : MPI_SUCCESS;
}

static int type_find(MPI_Datatype datatype, struct orr_type **type)
{
	*type = orr_type_of(datatype);
	return *type && (*type)->committed ? MPI_SUCCESS : MPI_ERR_TYPE;
}

/* What others are compared with: elements of one class in all buffers, or nothing. */
static void class_note(struct coll_plan *p, MPI_Count count, const struct orr_type *type)
{
	uint8_t class = elements_class(type);

	if (count == 0 || type->size == 0)
		return;
	if (p->typed && p->w.types != class)
		class = TYPES_UNKNOWN;
	p->typed = 1;
	p->w.types = class;
}

static int piece_add(struct coll_plan *p, int receives, const void *buf, MPI_Count count,
                     struct orr_type *type)
{
	uint32_t n = p->n_send + p->n_recv;
	struct coll_piece *piece = p->piece;

	if (count < 0)
		return orr_error_note(MPI_ERR_COUNT, "%lld", (long long)count);
	if (buf == MPI_IN_PLACE && count > 0) /* where a buffer has to be */
		return MPI_ERR_BUFFER;
	if (count > 0 && !(receives && p->keeps) &&
	    buffer_check(buf, count * type->size, type) != MPI_SUCCESS)
		return MPI_ERR_BUFFER;
	if (n == p->cap) {
		p->cap = n ? 2 * n : 4;
		piece = realloc(piece, p->cap * sizeof *piece);
		if (!piece)
			return MPI_ERR_NO_MEM;
		p->piece = piece;
	}
	orr_type_keep(type);
	p->packed |= !type->dense;
	class_note(p, count, type);
	piece[n] = (struct coll_piece){(void *)(uintptr_t)buf, count, type};
	if (receives)
		p->n_recv++;
	else
		p->n_send++;
	return MPI_SUCCESS;
}

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

static int blocks_add(struct coll_plan *p, int receives, const struct blocks *b)
{
	for (int i = 0; i < b->n; i++) {
		MPI_Count count = b->counts ? b->counts[i] : b->count;
		struct orr_type *type = b->type;
		int64_t place;
		int code = b->types && count > 0 ? type_find(b->types[i], &type) : MPI_SUCCESS;

		if (count < 0)
			return orr_error_note(MPI_ERR_COUNT, "%lld", (long long)count);
		if (code != MPI_SUCCESS)
			return code;
		if (!type) /* of no elements: not looked at */
			continue;
		place = b->types    ? b->displs[i]
		        : b->displs ? b->displs[i] * orr_type_span(type)
		                    : i * b->count * orr_type_span(type);
		code = piece_add(p, receives, (const char *)b->buf + place, count, type);
		if (code != MPI_SUCCESS)
			return code;
	}
	return MPI_SUCCESS;
}

/* One count per block, in elements, or bytes where each block has its type. */
static int counts_set(struct coll_plan *p, const struct blocks *send, const struct blocks *recv)
{
	const struct blocks *sides[] = {send, recv};
	int64_t *to;

	p->w.n_counts = send ? (uint32_t)send->n : 0;
	p->w.n_counts2 = recv ? (uint32_t)recv->n : 0;
	p->counts = to = malloc((p->w.n_counts + p->w.n_counts2 + 1) * sizeof *to);
	if (!to)
		return MPI_ERR_NO_MEM;
	for (int side = 0; side < 2; side++)
		for (int i = 0; sides[side] && i < sides[side]->n; i++) {
			const struct blocks *b = sides[side];
			MPI_Count count = b->counts ? b->counts[i] : b->count;

			*to++ = b->types && count > 0 ? count * orr_type_of(b->types[i])->size
			                              : count;
		}
	return MPI_SUCCESS;
}

/* --- roots --- */

enum role { ROLE_MEMBER, ROLE_ROOT, ROLE_WATCHES };

static int root_set(struct coll_plan *p, int root, enum role *role)
{
	const struct orr_comm *c = p->comm;

	*role = ROLE_MEMBER;
	if (c->remote && root == MPI_ROOT) {
		*role = ROLE_ROOT;
		p->w.root = COLL_ROOT;
	} else if (c->remote && root == MPI_PROC_NULL) {
		*role = ROLE_WATCHES;
		p->w.root = COLL_NO_ROOT;
		p->w.type_size = p->w.type_size2 = 1;
	} else if (root < 0 || root >= others(c)) {
		return rank_note(MPI_ERR_ROOT, root, others(c));
	} else {
		p->w.root = (uint32_t)root;
		if (!c->remote && root == c->rank)
			*role = ROLE_ROOT;
	}
	return MPI_SUCCESS;
}

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
	code = root_set(p, root, &role);
	if (code == MPI_SUCCESS && role != ROLE_WATCHES) {
		code = type_find(datatype, &type);
		if (code == MPI_SUCCESS)
			code = piece_add(p, 1, buffer, count, type);
		if (code == MPI_SUCCESS) {
			p->w.count = count;
			p->w.type_size = type->size;
			p->w.basic_type = type->basic != BASIC_NONE;
		}
		p->fills = p->keeps = role == ROLE_ROOT;
	}
	*out = p;
	return code == MPI_SUCCESS ? code : fail(p, code);
}

/* --- reductions --- */

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

	if (op == MPI_OP_NULL)
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
	code = count < 0 ? MPI_ERR_COUNT : type_find(datatype, &r->type);
	if (code == MPI_SUCCESS)
		code = in_place_check(*out, sendbuf);
	if (code == MPI_SUCCESS && (*out)->comm->remote &&
	    (kind == COLL_SCAN || kind == COLL_EXSCAN))
		code = orr_error_note(MPI_ERR_COMM, "an intercommunicator has no order of ranks");
	if (code == MPI_SUCCESS)
		code = operator_set(*out, op, r->type);
	if (code != MPI_SUCCESS)
		return fail(*out, code);
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
	int code = sends ? piece_add(p, 0, r->send, r->count, r->type) : MPI_SUCCESS;

	if (code == MPI_SUCCESS && received >= 0)
		code = piece_add(p, 1, r->recv, received, r->type);
	return code == MPI_SUCCESS ? code : fail(p, code);
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
		return code == MPI_SUCCESS ? root_set(*out, root, &role) : code;
	}
	code = reduction_new(COLL_REDUCE, sendbuf, recvbuf, count, datatype, op, comm, &r, out);
	if (code != MPI_SUCCESS)
		return code;
	code = root_set(*out, root, &role);
	if (code == MPI_SUCCESS && r.in_place && role != ROLE_ROOT)
		code = orr_error_note(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root");
	if (code != MPI_SUCCESS)
		return fail(*out, code);
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
		total = recvcounts[i] < 0 ? -1 : total + recvcounts[i];
	code = reduction_new(COLL_REDUCE_SCATTER, sendbuf, recvbuf, total, datatype, op, comm, &r,
	                     out);
	if (code != MPI_SUCCESS)
		return code;
	(*out)->w.count = 0;
	code = counts_set(*out, NULL, &b);
	return code != MPI_SUCCESS ? fail(*out, code)
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
	r.count = recvcount * c->size;
	return reduction_end(*out, &r, 1, recvcount);
}

/* --- gather, scatter --- */

struct sides {
	struct coll_plan *p;
	struct orr_type *send, *recv;
};

/* One side: its type and count are set, if this rank has it. */
static int side_set(struct coll_plan *p, int receives, MPI_Count count, MPI_Datatype datatype,
                    struct orr_type **type)
{
	int code = type_find(datatype, type);

	if (code != MPI_SUCCESS || count < 0)
		return code != MPI_SUCCESS ? code : MPI_ERR_COUNT;
	if (receives) {
		p->w.count2 = count;
		p->w.type_size2 = (*type)->size;
	} else {
		p->w.count = count;
		p->w.type_size = (*type)->size;
		p->w.basic_type = (*type)->basic != BASIC_NONE;
	}
	return MPI_SUCCESS;
}

/* The root's side of a gather: all blocks; in place its own is there. */
static int gather_root(struct coll_plan *p, struct blocks *b, MPI_Datatype recvtype, int in_place)
{
	const struct orr_comm *c = p->comm;
	int code = side_set(p, 1, b->counts ? 0 : b->count, recvtype, &b->type);

	b->n = others(c);
	if (code == MPI_SUCCESS && b->counts)
		code = counts_set(p, NULL, b);
	if (code == MPI_SUCCESS && in_place) {
		struct blocks own = *b;

		own.n = 1;
		own.count = b->counts ? b->counts[c->rank] : b->count;
		own.buf = (const char *)b->buf +
		          (b->displs ? b->displs[c->rank] : c->rank * b->count) *
		              orr_type_span(b->type);
		own.counts = NULL;
		own.displs = NULL;
		code = blocks_add(p, 0, &own);
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
	code = root_set(p, root, &role);
	sends = role == ROLE_MEMBER ||
	        (role == ROLE_ROOT && !p->comm->remote && sendbuf != MPI_IN_PLACE);
	if (code == MPI_SUCCESS && sends) {
		code = side_set(p, 0, sendcount, sendtype, &type);
		if (code == MPI_SUCCESS)
			code = piece_add(p, 0, sendbuf, sendcount, type);
		if (role != ROLE_ROOT)
			p->w.type_size2 = p->w.type_size;
	}
	if (code == MPI_SUCCESS && role == ROLE_ROOT)
		code = gather_root(p, b, recvtype, sendbuf == MPI_IN_PLACE && !p->comm->remote);
	if (code == MPI_SUCCESS && role == ROLE_ROOT)
		code = blocks_add(p, 1, b);
	return code == MPI_SUCCESS ? code : fail(p, code);
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
	int code = side_set(p, 0, b->counts ? 0 : b->count, sendtype, &b->type);

	b->n = others(c);
	if (code == MPI_SUCCESS && b->counts)
		code = counts_set(p, b, NULL);
	if (code == MPI_SUCCESS)
		code = blocks_add(p, 0, b);
	if (in_place || c->remote)
		p->w.type_size2 = p->w.type_size;
	if (code == MPI_SUCCESS && in_place) {
		p->w.in_place = 1;
		p->w.count2 = b->counts ? b->counts[c->rank] : b->count;
		p->keeps = 1;
		code = piece_add(p, 1, NULL, p->w.count2, b->type);
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
	code = root_set(p, root, &role);
	receives = role == ROLE_MEMBER ||
	           (role == ROLE_ROOT && !p->comm->remote && recvbuf != MPI_IN_PLACE);
	if (code == MPI_SUCCESS && role == ROLE_ROOT)
		code = scatter_root(p, b, sendtype, recvbuf == MPI_IN_PLACE && !p->comm->remote);
	if (code == MPI_SUCCESS && receives) {
		code = side_set(p, 1, recvcount, recvtype, &type);
		if (code == MPI_SUCCESS)
			code = piece_add(p, 1, recvbuf, recvcount, type);
		if (role != ROLE_ROOT)
			p->w.type_size = p->w.type_size2;
	}
	return code == MPI_SUCCESS ? code : fail(p, code);
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

/* --- allgather, alltoall --- */

/* The send side of an allgather in place: this rank's own block. */
static struct blocks own_block(const struct orr_comm *c, const struct blocks *b)
{
	return (struct blocks){.n = 1,
	                       .count = b->counts ? b->counts[c->rank] : b->count,
	                       .buf = (const char *)b->buf +
	                              (b->displs ? b->displs[c->rank] : c->rank * b->count) *
	                                  orr_type_span(b->type),
	                       .type = b->type};
}

static int allgather(enum coll_kind kind, const void *sendbuf, MPI_Count sendcount,
                     MPI_Datatype sendtype, struct blocks *b, MPI_Datatype recvtype, MPI_Comm comm,
                     struct coll_plan **out)
{
	struct blocks send = {.buf = sendbuf, .n = 1, .count = sendcount};
	struct coll_plan *p;
	int code = plan_new(kind, comm, &p), in_place = sendbuf == MPI_IN_PLACE;

	if (code != MPI_SUCCESS)
		return code;
	*out = p;
	b->n = others(p->comm);
	code = in_place_check(p, sendbuf);
	if (code == MPI_SUCCESS)
		code = side_set(p, 1, b->counts ? 0 : b->count, recvtype, &b->type);
	if (code == MPI_SUCCESS && in_place) {
		send = own_block(p->comm, b);
		p->w.in_place = 1;
		p->w.count = send.count;
		p->w.type_size = p->w.type_size2;
	} else if (code == MPI_SUCCESS) {
		code = side_set(p, 0, sendcount, sendtype, &send.type);
	}
	if (code == MPI_SUCCESS && b->counts)
		code = counts_set(p, NULL, b);
	if (code == MPI_SUCCESS)
		code = blocks_add(p, 0, &send);
	if (code == MPI_SUCCESS)
		code = blocks_add(p, 1, b);
	return code == MPI_SUCCESS ? code : fail(p, code);
}

int plan_Allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                   struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .count = recvcount};

	return allgather(COLL_ALLGATHER, sendbuf, sendcount, sendtype, &b, recvtype, comm, out);
}

int plan_Allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                    MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .counts = recvcounts, .displs = displs};

	return allgather(COLL_ALLGATHERV, sendbuf, sendcount, sendtype, &b, recvtype, comm, out);
}

static int64_t sum(const int64_t *counts, uint32_t n)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < n; i++)
		total += counts[i];
	return total;
}

/* Sizes where counts differ from rank to rank: those of the buffers. */
static int sums_set(struct coll_plan *p, const struct blocks *send, const struct blocks *recv)
{
	int code = counts_set(p, send, recv);

	if (code != MPI_SUCCESS)
		return code;
	p->w.count = sum(p->counts, p->w.n_counts);
	p->w.count2 = sum(p->counts + p->w.n_counts, p->w.n_counts2);
	return MPI_SUCCESS;
}

static int alltoall(enum coll_kind kind, struct blocks *send, MPI_Datatype sendtype,
                    struct blocks *recv, MPI_Datatype recvtype, MPI_Comm comm,
                    struct coll_plan **out)
{
	struct coll_plan *p;
	int code = plan_new(kind, comm, &p), in_place = send->buf == MPI_IN_PLACE;

	if (code != MPI_SUCCESS)
		return code;
	*out = p;
	code = in_place_check(p, send->buf);
	if (code != MPI_SUCCESS)
		return fail(p, code);
	p->w.in_place = (uint8_t)in_place;
	p->fills = kind > COLL_EXSCAN; /* what no neighbour sends to stays as it is */
	if (kind <= COLL_EXSCAN)
		send->n = recv->n = others(p->comm);
	if (kind == COLL_ALLTOALLW || kind == COLL_NEIGHBOR_ALLTOALLW) {
		p->w.type_size = p->w.type_size2 = 1;
		p->w.basic_type = 1;
	} else {
		code = side_set(p, 1, recv->counts ? 0 : recv->count, recvtype, &recv->type);
		if (code == MPI_SUCCESS && !in_place)
			code = side_set(p, 0, send->counts ? 0 : send->count, sendtype,
			                &send->type);
	}
	if (code == MPI_SUCCESS && in_place) {
		*send = *recv;
		p->w.count = p->w.count2;
		p->w.type_size = p->w.type_size2;
	}
	if (code == MPI_SUCCESS)
		code = blocks_add(p, 0, send);
	if (code == MPI_SUCCESS)
		code = blocks_add(p, 1, recv);
	if (code == MPI_SUCCESS && recv->counts)
		code = sums_set(p, send, recv);
	return code == MPI_SUCCESS ? code : fail(p, code);
}

int plan_Alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .count = sendcount},
	              r = {.buf = recvbuf, .count = recvcount};

	return alltoall(COLL_ALLTOALL, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Alltoallv(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                   const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls},
	              r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls};

	return alltoall(COLL_ALLTOALLV, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Alltoallw(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   struct coll_plan **out)
{
	struct blocks
	    s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes},
	    r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes};

	return alltoall(COLL_ALLTOALLW, &s, NULL, &r, NULL, comm, out);
}

/* --- neighbourhoods --- */

static int degrees(MPI_Comm comm, int *n_in, int *n_out)
{
	struct orr_comm *c = orr_comm_of(comm);
	int *in = NULL, *out = NULL, code;

	if (!c)
		return MPI_ERR_COMM;
	code = orr_comm_neighbours(c, n_in, &in, n_out, &out);
	if (code == MPI_SUCCESS && !comm_core(c)->topology) {
		comm_core(c)->topology = 1;
		link_enter();
		comm_topology_tell(c, comm_core(c)->id);
		link_leave();
	}
	free(in);
	free(out);
	return code;
}

static int neighbor_allgather(enum coll_kind kind, const void *sendbuf, MPI_Count sendcount,
                              MPI_Datatype sendtype, struct blocks *b, MPI_Datatype recvtype,
                              MPI_Comm comm, struct coll_plan **out)
{
	struct blocks send = {.buf = sendbuf, .n = 1, .count = sendcount};
	struct coll_plan *p;
	int n_out, code = degrees(comm, &b->n, &n_out);

	if (code == MPI_SUCCESS)
		code = plan_new(kind, comm, &p);
	if (code != MPI_SUCCESS)
		return code;
	*out = p;
	code = side_set(p, 1, b->counts ? 0 : b->count, recvtype, &b->type);
	if (code == MPI_SUCCESS)
		code = side_set(p, 0, sendcount, sendtype, &send.type);
	p->fills = 1; /* what nobody sends to stays as it is */
	if (code == MPI_SUCCESS && b->counts)
		code = counts_set(p, NULL, b);
	if (code == MPI_SUCCESS)
		code = blocks_add(p, 0, &send);
	if (code == MPI_SUCCESS)
		code = blocks_add(p, 1, b);
	return code == MPI_SUCCESS ? code : fail(p, code);
}

int plan_Neighbor_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                            MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .count = recvcount};

	return neighbor_allgather(COLL_NEIGHBOR_ALLGATHER, sendbuf, sendcount, sendtype, &b,
	                          recvtype, comm, out);
}

int plan_Neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                             MPI_Datatype recvtype, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .counts = recvcounts, .displs = displs};

	return neighbor_allgather(COLL_NEIGHBOR_ALLGATHERV, sendbuf, sendcount, sendtype, &b,
	                          recvtype, comm, out);
}

static int neighbor_alltoall(enum coll_kind kind, struct blocks *s, MPI_Datatype sendtype,
                             struct blocks *r, MPI_Datatype recvtype, MPI_Comm comm,
                             struct coll_plan **out)
{
	int code = degrees(comm, &r->n, &s->n);

	return code != MPI_SUCCESS ? code : alltoall(kind, s, sendtype, r, recvtype, comm, out);
}

int plan_Neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .count = sendcount},
	              r = {.buf = recvbuf, .count = recvcount};

	return neighbor_alltoall(COLL_NEIGHBOR_ALLTOALL, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Neighbor_alltoallv(const void *sendbuf, const MPI_Count sendcounts[],
                            const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls},
	              r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls};

	return neighbor_alltoall(COLL_NEIGHBOR_ALLTOALLV, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Neighbor_alltoallw(const void *sendbuf, const MPI_Count sendcounts[],
                            const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                            const MPI_Datatype recvtypes[], MPI_Comm comm, struct coll_plan **out)
{
	struct blocks
	    s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes},
	    r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes};

	return neighbor_alltoall(COLL_NEIGHBOR_ALLTOALLW, &s, NULL, &r, NULL, comm, out);
}
