/* start.c: persistent requests: made once, started again and again. */
#include "coll.h"
#include "intact.h"
#include "objects/bsend.h"
#include "orr_mpi.h"
#include "p2p.h"
#include "request.h"

static uint64_t start_block(struct orr_request *r)
{
	int32_t whole = r->kind == REQUEST_SEND && r->buf != NULL;

	return whole ? pack_block(r->buf, r->count, r->type,
	                          (uint64_t)r->count * (uint64_t)r->type->size)
	             : 0;
}

/* Each may be started, and what is buffered has room. */
static int start_check(int count, const MPI_Request *requests)
{
	int code = MPI_SUCCESS;
	int64_t before = 0;

	for (int i = 0; i < count; i++) {
		const struct orr_request *r = request_of(requests[i]);

		if (!r || !r->persistent || r->active)
			return MPI_ERR_REQUEST;
	}
	for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
		const struct orr_request *r = request_of(requests[i]);
		int64_t bytes = r->buffered && r->buf ? r->count * r->type->size : 0;

		if (bytes > BUFFERED_FREE) {
			code = orr_buffer_take(&r->comm->o, bytes, before);
			before += bytes;
		} else if (bytes > 0) {
			code = orr_buffer_check(&r->comm->o, bytes);
		}
	}
	return code;
}

static int start(int count, MPI_Request *requests)
{
	struct wire_start *s;
	struct wire_op *op;
	void *to;
	uint32_t n = 0;
	int code = start_check(count, requests);

	if (code != MPI_SUCCESS)
		return code;
	for (int i = 0; i < count; i++)
		n += request_of(requests[i])->kind != REQUEST_COLL;
	for (int i = 0; i < count; i++)
		intact_begin(request_of(requests[i]));
	if (n > 0) {
		op = link_room_list(WIRE_START, 0, n, sizeof *s, &to);
		s = to;
		for (int i = 0; i < count; i++) {
			struct orr_request *r = request_of(requests[i]);

			if (r->kind == REQUEST_COLL)
				continue;
			*s++ = (struct wire_start){.request = r->number, .block = start_block(r)};
		}
		link_put(op);
	}
	for (int i = 0; i < count; i++) {
		struct orr_request *r = request_of(requests[i]);

		r->active = 1;
		if (r->kind == REQUEST_COLL)
			coll_plan_start(r);
	}
	return MPI_SUCCESS;
}

int orr_Startall(int count, MPI_Request array_of_requests[])
{
	int code;

	if (count < 0)
		return MPI_ERR_COUNT;
	link_enter();
	code = start(count, array_of_requests);
	link_leave();
	return code;
}

int orr_Start(MPI_Request *request)
{
	return orr_Startall(1, request);
}

static int init(enum wire_kind kind, enum wire_mode mode, void *buf, MPI_Count count,
                MPI_Datatype datatype, int peer_rank, int tag, MPI_Comm comm, MPI_Request *request)
{
	int receives = kind == WIRE_RECV_INIT, code;
	struct orr_request *r;
	struct wire_op *op;
	struct args a;
	int32_t peer;

	code = args_find(count, datatype, comm, &a);
	if (code == MPI_SUCCESS)
		code = peer_find(a.comm, peer_rank, receives, &peer);
	if (code == MPI_SUCCESS)
		code = tag_check(tag, receives);
	if (code == MPI_SUCCESS && peer != WIRE_NOBODY)
		code = buffer_check(buf, (int64_t)a.bytes, a.type);
	if (code != MPI_SUCCESS)
		return code;
	r = request_new(receives ? REQUEST_RECV : REQUEST_SEND, a.comm, buf, count, a.type);
	if (!r)
		return MPI_ERR_NO_MEM;
	link_enter();
	r->persistent = 1;
	r->quiet = !receives;
	r->buffered = mode == WIRE_BUFFERED;
	r->number = link_number();
	if (peer == WIRE_NOBODY || (!receives && a.bytes == 0))
		r->buf = NULL;
	op = link_room(kind, sizeof(struct wire_message));
	op->mode = (uint8_t)mode;
	op->flags |= WIRE_RESTS;
	if (!a.type->dense)
		op->flags |= WIRE_PACKED;
	message_fill((void *)(op + 1), &a, peer, tag, r->number);
	link_put(op);
	link_leave();
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

int orr_Send_init(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
	return init(WIRE_SEND_INIT, WIRE_STANDARD, (void *)(uintptr_t)buf, count, datatype, dest,
	            tag, comm, request);
}

int orr_Ssend_init(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
	return init(WIRE_SEND_INIT, WIRE_SYNCHRONOUS, (void *)(uintptr_t)buf, count, datatype, dest,
	            tag, comm, request);
}

int orr_Bsend_init(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
	return init(WIRE_SEND_INIT, WIRE_BUFFERED, (void *)(uintptr_t)buf, count, datatype, dest,
	            tag, comm, request);
}

int orr_Rsend_init(const void *buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Request *request)
{
	return init(WIRE_SEND_INIT, WIRE_READY, (void *)(uintptr_t)buf, count, datatype, dest, tag,
	            comm, request);
}

int orr_Recv_init(void *buf, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                  MPI_Comm comm, MPI_Request *request)
{
	return init(WIRE_RECV_INIT, WIRE_STANDARD, buf, count, datatype, source, tag, comm,
	            request);
}
