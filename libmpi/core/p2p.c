/* p2p.c: sends and receives. A send takes its data along and waits for nothing, unless much is
 * under way already; a receive that blocks waits for its message. */
#include "p2p.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "coll/coll.h"
#include "intact.h"
#include "objects/bsend.h"
#include "objects/errhandler.h"
#include "orr_mpi.h"
#include "status.h"

int args_find(MPI_Count count, MPI_Datatype datatype, MPI_Comm comm, struct args *a)
{
	int64_t bytes;
	int code;

	a->comm = orr_comm_of(comm);
	if (!a->comm)
		return MPI_ERR_COMM;
	if (count < 0)
		return orr_error_note(MPI_ERR_COUNT, "%lld", (long long)count);
	/* of nothing, as MPICH takes it */
	if (count == 0 && datatype == MPI_DATATYPE_NULL)
		datatype = MPI_BYTE;
	a->type = orr_type_of(datatype);
	if (!a->type)
		return MPI_ERR_TYPE;
	if (!a->type->committed)
		return orr_error_note(MPI_ERR_TYPE, "there was no MPI_Type_commit of it");
	code = orr_type_bytes(a->type, count, &bytes);
	a->bytes = (uint64_t)bytes;
	return code;
}

/* A negative number is the front's: what the program gave may be another. */
int rank_note(int code, int rank, int n)
{
	return rank < 0 ? orr_error_note(code, "a negative one, where there are 0 to %d", n - 1)
	                : orr_error_note(code, "%d, where there are 0 to %d", rank, n - 1);
}

int peer_find(const struct orr_comm *c, int rank, int receives, int32_t *peer)
{
	const struct orr_group *g = c->remote ? c->remote : c->local;

	if (rank == MPI_PROC_NULL) {
		*peer = WIRE_NOBODY;
		return MPI_SUCCESS;
	}
	if (receives && rank == MPI_ANY_SOURCE) {
		*peer = WIRE_ANY;
		return MPI_SUCCESS;
	}
	if (rank < 0 || rank >= g->n)
		return rank_note(MPI_ERR_RANK, rank, g->n);
	*peer = g->member[rank];
	return MPI_SUCCESS;
}

int tag_check(int tag, int receives)
{
	return tag >= 0 || (receives && tag == MPI_ANY_TAG)
	           ? MPI_SUCCESS
	           : orr_error_note(MPI_ERR_TAG, "a tag is 0 or more");
}

/* Absolute addresses in a derived type make a null buffer one; not in the first page, though. */
int buffer_check(const void *buf, int64_t bytes, const struct orr_type *type)
{
	enum { PAGE = 4096 };
	uintptr_t at = (uintptr_t)buf + (uintptr_t)type->true_lb;

	if (bytes <= 0 || at >= PAGE)
		return MPI_SUCCESS;
	if (at == 0)
		return orr_error_note(MPI_ERR_BUFFER, "a null pointer, for %lld bytes",
		                      (long long)bytes);
	return orr_error_note(MPI_ERR_BUFFER,
	                      "address %llu, which is no memory: a null pointer's offset? For %lld "
	                      "bytes",
	                      (unsigned long long)at, (long long)bytes);
}

int data_is_folded(const void *buf, MPI_Count count, const struct orr_type *type)
{
	int64_t low, high, all;

	return count > 0 && orr_type_span(type) >= 0 && type->size > 0 &&
	       orr_type_reach(type, count, &low, &high) &&
	       !__builtin_sub_overflow(high, low, &all) &&
	       link_is_folded((const char *)buf + low, (uint64_t)all);
}

uint8_t elements_class(const struct orr_type *type)
{
	uint8_t basic = type->basic != BASIC_NONE ? type->basic : type->base;

	if (basic >= BASIC_INT8 && basic <= BASIC_ULONG)
		return TYPES_INTEGER;
	if (basic >= BASIC_FLOAT16 && basic <= BASIC_FLOAT128)
		return TYPES_REAL;
	return basic >= BASIC_COMPLEX32 && basic <= BASIC_COMPLEX256 ? TYPES_COMPLEX
	                                                             : TYPES_UNKNOWN;
}

void message_fill(struct wire_message *m, const struct args *a, int32_t peer, int tag,
                  uint32_t request)
{
	*m = (struct wire_message){.peer = peer,
	                           .tag = tag == MPI_ANY_TAG ? WIRE_ANY : tag,
	                           .comm = comm_core(a->comm)->id,
	                           .request = request,
	                           .bytes = a->bytes,
	                           .types = a->type ? elements_class(a->type) : TYPES_UNKNOWN};
}

static void flags_fill(struct wire_op *op, const struct args *a)
{
	if (!a->type->dense)
		op->flags |= WIRE_PACKED;
}

/* --- sends --- */

/* More than the heap should hold is under way: this send waits until it is received. */
static int is_much(void)
{
	const struct link *l = link_state();

	return !l->hold && l->heap->out > l->head->payload;
}

static int message_check(const void *buf, MPI_Count count, MPI_Datatype datatype, int rank, int tag,
                         MPI_Comm comm, int receives, struct args *a, int32_t *peer)
{
	int code = args_find(count, datatype, comm, a);

	if (code == MPI_SUCCESS)
		code = peer_find(a->comm, rank, receives, peer);
	if (code == MPI_SUCCESS)
		code = tag_check(tag, receives);
	return code != MPI_SUCCESS || *peer == WIRE_NOBODY
	           ? code
	           : buffer_check(buf, (int64_t)a->bytes, a->type);
}

static int send_check(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, struct args *a, int32_t *peer)
{
	return message_check(buf, count, datatype, dest, tag, comm, 0, a, peer);
}

static int isend(enum wire_mode mode, const void *buf, MPI_Count count, MPI_Datatype datatype,
                 int dest, int tag, MPI_Comm comm, MPI_Request *request);

static int buffered_check(enum wire_mode mode, const struct args *a, int32_t peer)
{
	if (mode != WIRE_BUFFERED || peer == WIRE_NOBODY)
		return MPI_SUCCESS;
	return a->bytes <= BUFFERED_FREE ? orr_buffer_check(&a->comm->o, (int64_t)a->bytes)
	                                 : orr_buffer_take(&a->comm->o, (int64_t)a->bytes, 0);
}

static int send(enum wire_mode mode, const void *buf, MPI_Count count, MPI_Datatype datatype,
                int dest, int tag, MPI_Comm comm)
{
	MPI_Request request;
	struct wire_op *op;
	struct wire_message *m;
	struct args a;
	int32_t peer;
	int code = send_check(buf, count, datatype, dest, tag, comm, &a, &peer);

	if (code == MPI_SUCCESS)
		code = buffered_check(mode, &a, peer);
	if (code != MPI_SUCCESS)
		return code;
	if (link_several()) {
		code = isend(mode, buf, count, datatype, dest, tag, comm, &request);
		return code != MPI_SUCCESS ? code : orr_Wait(&request, MPI_STATUS_IGNORE);
	}
	link_enter();
	op = link_room(WIRE_SEND, sizeof *m);
	op->mode = (uint8_t)mode;
	flags_fill(op, &a);
	m = (void *)(op + 1);
	message_fill(m, &a, peer, tag, WIRE_NONE);
	m->block = peer == WIRE_NOBODY ? 0 : pack_block(buf, count, a.type, a.bytes);
	if (is_much())
		link_ask(op);
	else
		link_put(op);
	link_leave();
	return MPI_SUCCESS;
}

int orr_Send(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
             MPI_Comm comm)
{
	return send(WIRE_STANDARD, buf, count, datatype, dest, tag, comm);
}

int orr_Ssend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm)
{
	return send(WIRE_SYNCHRONOUS, buf, count, datatype, dest, tag, comm);
}

int orr_Rsend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm)
{
	return send(WIRE_READY, buf, count, datatype, dest, tag, comm);
}

int orr_Bsend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm)
{
	return send(WIRE_BUFFERED, buf, count, datatype, dest, tag, comm);
}

static int isend(enum wire_mode mode, const void *buf, MPI_Count count, MPI_Datatype datatype,
                 int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	struct orr_request *r;
	struct wire_op *op;
	struct wire_message *m;
	struct args a;
	int32_t peer;
	int code = send_check(buf, count, datatype, dest, tag, comm, &a, &peer);

	if (code == MPI_SUCCESS)
		code = buffered_check(mode, &a, peer);
	if (code != MPI_SUCCESS)
		return code;
	if (peer != WIRE_NOBODY && mode != WIRE_BUFFERED && intact_watches())
		r = request_new(REQUEST_SEND, a.comm, (void *)(uintptr_t)buf, count, a.type);
	else
		r = request_new(REQUEST_SEND, a.comm, NULL, 0, NULL);
	if (!r)
		return MPI_ERR_NO_MEM;
	link_enter();
	intact_begin(r);
	r->active = r->quiet = 1;
	r->number = link_number();
	op = link_room(WIRE_ISEND, sizeof *m);
	op->mode = (uint8_t)mode;
	op->flags |= WIRE_RESTS;
	flags_fill(op, &a);
	m = (void *)(op + 1);
	message_fill(m, &a, peer, tag, r->number);
	m->block = peer == WIRE_NOBODY ? 0 : pack_block(buf, count, a.type, a.bytes);
	link_put(op);
	link_leave();
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

int orr_Isend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm, MPI_Request *request)
{
	return isend(WIRE_STANDARD, buf, count, datatype, dest, tag, comm, request);
}

int orr_Issend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request *request)
{
	return isend(WIRE_SYNCHRONOUS, buf, count, datatype, dest, tag, comm, request);
}

int orr_Irsend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request *request)
{
	return isend(WIRE_READY, buf, count, datatype, dest, tag, comm, request);
}

int orr_Ibsend(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request *request)
{
	return isend(WIRE_BUFFERED, buf, count, datatype, dest, tag, comm, request);
}

/* --- receives --- */

static int recv_check(const void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                      MPI_Comm comm, struct args *a, int32_t *peer)
{
	return message_check(buf, count, datatype, source, tag, comm, 1, a, peer);
}

int orr_Recv(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
	MPI_Request request;
	struct wire_answer *answer;
	struct wire_op *op;
	struct args a;
	int32_t peer;
	int code = recv_check(buf, count, datatype, source, tag, comm, &a, &peer);

	if (code != MPI_SUCCESS)
		return code;
	if (link_several()) {
		code = orr_Irecv(buf, count, datatype, source, tag, comm, &request);
		return code != MPI_SUCCESS ? code : orr_Wait(&request, status);
	}
	link_enter();
	op = link_room(WIRE_RECV, sizeof(struct wire_message));
	flags_fill(op, &a);
	message_fill((void *)(op + 1), &a, peer, tag, WIRE_NONE);
	answer = link_ask(op);
	code = receive_finish(a.comm, buf, count, a.type, &answer->done[0], status);
	link_leave();
	return code;
}

int orr_Irecv(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
	struct orr_request *r;
	struct wire_op *op;
	struct args a;
	int32_t peer;
	int code = recv_check(buf, count, datatype, source, tag, comm, &a, &peer);

	if (code != MPI_SUCCESS)
		return code;
	r = request_new(REQUEST_RECV, a.comm, peer == WIRE_NOBODY ? NULL : buf, count, a.type);
	if (!r)
		return MPI_ERR_NO_MEM;
	link_enter();
	intact_begin(r);
	r->active = 1;
	r->number = link_number();
	op = link_room(WIRE_IRECV, sizeof(struct wire_message));
	op->flags |= WIRE_RESTS;
	flags_fill(op, &a);
	message_fill((void *)(op + 1), &a, peer, tag, r->number);
	link_put(op);
	link_leave();
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

/* --- both --- */

struct both {
	struct args send, recv;
	int32_t dest, source;
};

static int both_check(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                      int sendtag, const void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                      int source, int recvtag, MPI_Comm comm, struct both *b)
{
	int code = send_check(sendbuf, sendcount, sendtype, dest, sendtag, comm, &b->send,
	                      &b->dest);

	return code != MPI_SUCCESS ? code
	                           : recv_check(recvbuf, recvcount, recvtype, source, recvtag, comm,
	                                        &b->recv, &b->source);
}

/* Within an operator nothing may communicate (link.c), but libraries copy elements of any datatype
 * so there, which the real ones bear: no other rank has a part in it. */
static int is_copy(const struct both *b, int sendtag, int recvtag)
{
	const struct link *l = link_state();

	return l->obeys && b->dest == (int32_t)l->rank && b->source == b->dest &&
	       (recvtag == sendtag || recvtag == MPI_ANY_TAG);
}

static int copy(const struct both *b, const void *from, MPI_Count sendcount, void *to,
                MPI_Count recvcount, int tag, MPI_Status *status)
{
	struct wire_done done = {.source = b->source, .tag = tag, .bytes = b->send.bytes};

	if (b->send.bytes > b->recv.bytes)
		done.flags = WIRE_TRUNCATED;
	done.block = pack_block(from, sendcount, b->send.type, b->send.bytes);
	return receive_finish(b->recv.comm, to, recvcount, b->recv.type, &done, status);
}

int orr_Sendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                 int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source,
                 int recvtag, MPI_Comm comm, MPI_Status *status)
{
	struct wire_answer *answer;
	struct wire_message *m;
	MPI_Request request;
	struct wire_op *op;
	struct both b;
	int code = both_check(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
	                      recvtype, source, recvtag, comm, &b);

	if (code != MPI_SUCCESS)
		return code;
	if (is_copy(&b, sendtag, recvtag))
		return copy(&b, sendbuf, sendcount, recvbuf, recvcount, sendtag, status);
	if (link_several()) {
		code = orr_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf,
		                     recvcount, recvtype, source, recvtag, comm, &request);
		return code != MPI_SUCCESS ? code : orr_Wait(&request, status);
	}
	link_enter();
	op = link_room(WIRE_SENDRECV, 2 * sizeof *m);
	flags_fill(op, &b.send);
	flags_fill(op, &b.recv);
	m = (void *)(op + 1);
	message_fill(&m[0], &b.send, b.dest, sendtag, WIRE_NONE);
	message_fill(&m[1], &b.recv, b.source, recvtag, WIRE_NONE);
	if (b.dest != WIRE_NOBODY)
		m[0].block = pack_block(sendbuf, sendcount, b.send.type, b.send.bytes);
	answer = link_ask(op);
	code = receive_finish(b.recv.comm, recvbuf, recvcount, b.recv.type, &answer->done[0],
	                      status);
	link_leave();
	return code;
}

/* The data leave the buffer before anything is received into it. */
int orr_Sendrecv_replace(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm comm, MPI_Status *status)
{
	return orr_Sendrecv(buf, count, datatype, dest, sendtag, buf, count, datatype, source,
	                    recvtag, comm, status);
}

/* A receive and a send behind one request: it is complete when both are. The data leave the buffer
 * before anything is put into it, which the wait does. */
int orr_Isendrecv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest,
                  int sendtag, void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                  int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	MPI_Request sends, receives;
	struct both b;
	int code = both_check(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
	                      recvtype, source, recvtag, comm, &b);

	if (code != MPI_SUCCESS)
		return code;
	code = orr_Irecv(recvbuf, recvcount, recvtype, source, recvtag, comm, &receives);
	if (code != MPI_SUCCESS)
		return code;
	code = orr_Isend(sendbuf, sendcount, sendtype, dest, sendtag, comm, &sends);
	if (code != MPI_SUCCESS)
		return code;
	request_of(receives)->other = request_of(sends);
	*request = receives;
	return MPI_SUCCESS;
}

int orr_Isendrecv_replace(void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                          int source, int recvtag, MPI_Comm comm, MPI_Request *request)
{
	return orr_Isendrecv(buf, count, datatype, dest, sendtag, buf, count, datatype, source,
	                     recvtag, comm, request);
}
