/* coll.c: a plan of a collective is carried out: its buffers are packed into blocks, which the
 * simulator works on, and unpacked from them. */
#include "coll.h"
#include "intact.h"
#include "link_int.h"

#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "objects/core.h"
#include "objects/errhandler.h"
#include "orr_mpi.h"
#include "p2p.h"

void coll_plan_free(struct coll_plan *p)
{
	for (uint32_t i = 0; i < p->n_send + p->n_recv; i++)
		if (p->piece[i].type)
			orr_type_drop(p->piece[i].type);
	if (p->shadow)
		comm_shadow_end(p->shadow);
	if (p->op)
		orr_op_drop(p->op);
	orr_comm_drop(p->comm);
	free(p->counts);
	free(p->piece);
	free(p);
}

static uint64_t bytes_of(const struct coll_piece *p, uint32_t n)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < n; i++)
		bytes += p[i].type ? (uint64_t)p[i].count * (uint64_t)p[i].type->size : 0;
	return bytes;
}

static void pieces_pack(const struct coll_piece *p, uint32_t n, char *to)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t bytes = p[i].type ? p[i].count * p[i].type->size : 0;

		if (bytes > 0)
			to += orr_pack(p[i].buf, p[i].count, p[i].type, 0, bytes, to);
	}
}

static void pieces_unpack(const struct coll_piece *p, uint32_t n, const char *from)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t bytes = p[i].type ? p[i].count * p[i].type->size : 0;

		if (bytes > 0)
			from += orr_unpack(p[i].buf, p[i].count, p[i].type, 0, bytes, from);
	}
}

/* All that it sends and receives is folded memory: the simulator moves no data for this rank. */
static int are_folded(const struct coll_plan *p)
{
	uint32_t n = p->n_send + p->n_recv;

	for (uint32_t i = 0; i < n; i++)
		if (!p->piece[i].type ||
		    !data_is_folded(p->piece[i].buf, p->piece[i].count, p->piece[i].type))
			return 0;
	return n > 0;
}

/* The blocks of one carrying out. Bytes that nobody fills are those of a receive buffer. */
static void blocks_make(struct coll_plan *p)
{
	struct coll_piece *recv = p->piece + p->n_send;

	p->w.send_bytes = bytes_of(p->piece, p->n_send);
	p->w.recv_bytes = bytes_of(recv, p->n_recv);
	p->w.send = p->w.recv = 0;
	if (are_folded(p))
		return;
	p->w.send = p->w.send_bytes ? link_block(p->w.send_bytes) : 0;
	p->w.recv = p->w.recv_bytes ? link_block(p->w.recv_bytes) : 0;
	if (p->w.send)
		pieces_pack(p->piece, p->n_send, link_at(p->w.send));
	if (p->w.recv && p->fills)
		pieces_pack(recv, p->n_recv, link_at(p->w.recv));
}

/* The program's own operator: the simulator orders it by the place of the plan. */
static uint32_t ordered_add(struct coll_plan *p)
{
	struct link *l = link_state();
	uint32_t i = 0;

	while (i < l->n_ordered && l->ordered[i])
		i++;
	if (i == l->cap_ordered) {
		struct coll_plan **grown;

		l->cap_ordered = i ? 2 * i : 8;
		grown = realloc(l->ordered, l->cap_ordered * sizeof *grown);
		if (!grown)
			link_abort("no memory for collectives", 1);
		l->ordered = grown;
	}
	if (i == l->n_ordered)
		l->n_ordered++;
	l->ordered[i] = p;
	return i + 1;
}

/* It runs the program's own operator, and that is measured. */
static int is_operated(const struct coll_plan *p)
{
	int moves = p->w.send || p->w.recv || p->w.send_bytes + p->w.recv_bytes == 0;

	return p->op && moves && link_measured();
}

static struct wire_op *op_make(struct coll_plan *p, uint32_t request)
{
	uint32_t n = p->w.n_counts + p->w.n_counts2;
	struct wire_op *op;
	void *to;

	blocks_make(p);
	*link_operated() = is_operated(p) ? 0 : -1;
	p->w.request = request;
	p->w.user = p->op ? ordered_add(p) : 0;
	op = link_room_list(WIRE_COLL, sizeof p->w, n, sizeof(int64_t), &to);
	memcpy(op + 1, &p->w, sizeof p->w);
	if (n > 0)
		memcpy(to, p->counts, n * sizeof *p->counts);
	if (p->packed)
		op->flags |= WIRE_PACKED;
	if (request != WIRE_NONE)
		op->flags |= WIRE_RESTS;
	if (p->beside)
		op->mode = WIRE_BESIDE;
	return op;
}

/* The blocks stay until the end: the simulator knows them until then. */
void coll_plan_take(struct coll_plan *p)
{
	if (p->w.recv && !p->keeps && !p->taken)
		pieces_unpack(p->piece + p->n_send, p->n_recv, link_at(p->w.recv));
	p->taken = 1;
}

void coll_plan_finish(struct coll_plan *p)
{
	coll_plan_take(p);
	p->taken = 0;
	link_block_free(p->w.send);
	link_block_free(p->w.recv);
	p->w.send = p->w.recv = 0;
	if (p->w.user)
		link_state()->ordered[p->w.user - 1] = NULL;
}

/* Where a piece begins; NULL: it is empty. */
static const char *piece_start(const struct coll_piece *piece)
{
	return piece->count > 0 && piece->type->size > 0
	           ? (const char *)piece->buf + piece->type->true_lb
	           : NULL;
}

/* One piece with all on the other side, or each with its like. */
static int pieces_meet(const struct coll_plan *p)
{
	uint32_t n = p->n_send > p->n_recv ? p->n_send : p->n_recv;
	const struct coll_piece *recv = p->piece + p->n_send;
	int meet = 0;

	for (uint32_t i = 0; p->n_send && p->n_recv && i < n && !meet; i++) {
		const char *from = piece_start(&p->piece[i < p->n_send ? i : p->n_send - 1]);

		meet = from && from == piece_start(&recv[i < p->n_recv ? i : p->n_recv - 1]);
	}
	return meet;
}

/* Where MPICH looks: one block with this rank's on the other side, else the first with the first,
 * of one type; of alltoallv and alltoallw not at all (but where both sides have one array). */
static int own_meets(const struct coll_plan *p)
{
	uint32_t rank = (uint32_t)p->comm->rank;
	const struct coll_piece *send = p->piece, *recv = p->piece + p->n_send;

	if (!p->n_send || !p->n_recv || p->comm->remote || p->w.kind == COLL_ALLTOALLV ||
	    p->w.kind == COLL_ALLTOALLW)
		return 0;
	if (p->n_send == 1 && p->n_recv > rank)
		recv += rank;
	else if (p->n_recv == 1 && p->n_send > rank)
		send += rank;
	return send->type == recv->type && piece_start(send) &&
	       piece_start(send) == piece_start(recv);
}

/* What is sent may not lie where is received (MPI 4.0, 2.3): MPICH refuses it, Open MPI does what
 * comes of it. */
int coll_alias_check(struct coll_plan *p)
{
	if (p->w.in_place ||
	    !(link_state()->head->checks ? pieces_meet(p) : orr_local()->as_mpich && own_meets(p)))
		return MPI_SUCCESS;
	coll_plan_free(p);
	return orr_error_note(MPI_ERR_BUFFER, "the send buffer is the receive buffer, or begins "
	                                      "where a block of it does: give MPI_IN_PLACE");
}

/* What the program's own operator took is computed at the end of the collective, where a replay of
 * the trace executes it. */
static void operated_tell(struct link *l)
{
	struct wire_op *op;

	if (!(*link_operated() > 0))
		return;
	op = link_room_beside(WIRE_COMPUTE, 0);
	op->site = link_traced()->site;
	op->computed = *link_operated();
	l->ops++; /* the date that the answer told is over */
	link_put(op);
}

int coll_run(struct coll_plan *p)
{
	MPI_Request request;
	int code;

	if (link_several()) {
		p->beside = 1;
		code = coll_begin(p, &request);
		return code != MPI_SUCCESS ? code : orr_Wait(&request, MPI_STATUS_IGNORE);
	}
	link_enter();
	link_ask(op_make(p, WIRE_NONE));
	operated_tell(link_state());
	coll_plan_finish(p);
	coll_plan_free(p);
	link_leave();
	return MPI_SUCCESS;
}

static struct orr_request *request_make(struct coll_plan *p)
{
	struct orr_request *r = request_new(REQUEST_COLL, p->comm, NULL, 0, NULL);

	if (r)
		r->plan = p;
	else
		coll_plan_free(p);
	return r;
}

int coll_begin(struct coll_plan *p, MPI_Request *request)
{
	struct orr_request *r = request_make(p);

	if (!r)
		return MPI_ERR_NO_MEM;
	link_enter();
	intact_begin(r);
	r->active = 1;
	r->number = link_number();
	link_put(op_make(p, r->number));
	link_leave();
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

int coll_prepare(struct coll_plan *p, MPI_Request *request)
{
	struct orr_request *r = request_make(p);

	if (!r)
		return MPI_ERR_NO_MEM;
	r->persistent = 1;
	*link_operated() = p->op && link_measured() ? 0 : -1;
	r->number = link_number();
	/* They match in the order in which they were made, whatever the order of their starts. */
	link_enter();
	p->shadow = p->w.comm = comm_shadow(p->comm);
	if (p->w.kind > COLL_EXSCAN)
		comm_topology_tell(p->comm, p->shadow);
	link_leave();
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

void coll_plan_start(struct orr_request *r)
{
	link_put(op_make(r->plan, r->number));
}
