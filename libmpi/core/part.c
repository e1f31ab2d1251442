/* part.c: partitioned communication (MPI 4.0, chapter 4). A request has a block of the shared
 * memory for all its partitions: MPI_Pready packs one into it, and what the simulator has brought
 * into the receiver's is unpacked once, when the program learns of it: by MPI_Parrived, that
 * partition; when the request is complete, the others. */
#include <stdlib.h>
#include <string.h>

#include "objects/errhandler.h"
#include "orr_mpi.h"
#include "p2p.h"
#include "status.h"

struct parts {
	uint64_t block; /* 0: no bytes */
	uint32_t n;
	int64_t bytes; /* of one */
	MPI_Count count;
	int32_t source; /* process, or WIRE_NOBODY */
	int tag;
	uint8_t sends;
	uint8_t *told; /* since it was started: a send's partition that the program said is
	                  ready; a receive's that it was told of, which is the program's now */
};

static void parts_end(struct orr_request *r)
{
	struct parts *p = r->self;

	link_block_free(p->block);
	free(p->told);
	free(p);
}

static char *place(const struct orr_request *r, const struct parts *p, int64_t i)
{
	return (char *)r->buf + i * p->count * orr_type_span(r->type);
}

static void part_unpack(const struct orr_request *r, const struct parts *p, int64_t i)
{
	if (p->block)
		orr_unpack(place(r, p, i), p->count, r->type, 0, p->bytes,
		           (char *)link_at(p->block) + i * p->bytes);
}

void parts_take(struct orr_request *r)
{
	struct parts *p = r->self;

	for (uint32_t i = 0; !p->sends && i < p->n; i++) {
		if (!p->told[i])
			part_unpack(r, p, i);
		p->told[i] = 1;
	}
}

static int parts_complete(struct orr_request *r, const struct wire_done *d, MPI_Status *status)
{
	struct parts *p = r->self;
	int64_t bytes = p->bytes * p->n;

	(void)d;
	parts_take(r);
	memset(p->told, 0, p->n);
	if (!status)
		return MPI_SUCCESS;
	if (p->sends)
		status_set_empty(status);
	else
		status_set(status, source_rank(r->comm, p->source),
		           p->source == WIRE_NOBODY ? MPI_ANY_TAG : p->tag,
		           p->source == WIRE_NOBODY ? 0 : bytes);
	return MPI_SUCCESS;
}

static int parts_new(struct orr_request *r, const struct parts *from)
{
	struct parts *p = malloc(sizeof *p);

	if (!p)
		return MPI_ERR_NO_MEM;
	*p = *from;
	p->told = calloc(p->n + 1, 1);
	if (!p->told) {
		free(p);
		return MPI_ERR_NO_MEM;
	}
	if (p->bytes > 0 && p->n > 0 && p->source != WIRE_NOBODY)
		p->block = link_block((uint64_t)p->bytes * p->n);
	r->self = p;
	r->end = parts_end;
	r->complete = parts_complete;
	return MPI_SUCCESS;
}

static int init(enum wire_kind kind, void *buf, int partitions, MPI_Count count,
                MPI_Datatype datatype, int peer_rank, int tag, MPI_Comm comm, MPI_Request *request)
{
	struct wire_message *m;
	struct orr_request *r;
	struct wire_op *op;
	struct parts p = {.n = (uint32_t)partitions,
	                  .count = count,
	                  .tag = tag,
	                  .sends = kind == WIRE_PSEND_INIT};
	struct args a;
	int64_t all;
	int code = partitions < 0 ? MPI_ERR_COUNT : args_find(count, datatype, comm, &a);

	if (code == MPI_SUCCESS && __builtin_mul_overflow((int64_t)a.bytes, partitions, &all))
		code = orr_error_note(MPI_ERR_COUNT,
		                      "%d partitions of %lld bytes each pass 2^63 bytes",
		                      partitions, (long long)a.bytes);
	if (code == MPI_SUCCESS)
		code = peer_find(a.comm, peer_rank, 0, &p.source);
	if (code == MPI_SUCCESS)
		code = tag_check(tag, 0);
	if (code != MPI_SUCCESS)
		return code;
	p.bytes = (int64_t)a.bytes;
	r = request_new(REQUEST_PART, a.comm, buf, count, a.type);
	if (!r)
		return MPI_ERR_NO_MEM;
	link_enter();
	code = parts_new(r, &p);
	if (code != MPI_SUCCESS) {
		request_end(r);
		link_leave();
		return code;
	}
	r->persistent = 1;
	r->number = link_number();
	op = link_room(kind, sizeof *m);
	op->flags |= WIRE_RESTS;
	if (!a.type->dense)
		op->flags |= WIRE_PACKED;
	m = (void *)(op + 1);
	message_fill(m, &a, p.source, tag, r->number);
	m->partitions = p.n;
	m->block = ((struct parts *)r->self)->block;
	link_put(op);
	link_leave();
	*request = orr_handle(r);
	return MPI_SUCCESS;
}

int orr_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype,
                   int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	(void)info;
	return init(WIRE_PSEND_INIT, (void *)(uintptr_t)buf, partitions, count, datatype, dest, tag,
	            comm, request);
}

int orr_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	(void)info;
	return init(WIRE_PRECV_INIT, buf, partitions, count, datatype, source, tag, comm, request);
}

/* The request's, or NULL: it is no partitioned one of this side. */
static struct parts *parts_of(const struct orr_request *r, int sends)
{
	struct parts *p = r && r->complete == parts_complete ? r->self : NULL;

	return p && p->sends == sends ? p : NULL;
}

/* They become ready; none of them if one is none, or is ready already. */
static int ready_mark(struct parts *p, const int *list, int first, int n)
{
	for (int i = 0; i < n; i++) {
		int part = list ? list[i] : first + i;

		if (part < 0 || (uint32_t)part >= p->n || p->told[part]) {
			while (i-- > 0)
				p->told[list ? list[i] : first + i] = 0;
			return MPI_ERR_ARG;
		}
		p->told[part] = 1;
	}
	return MPI_SUCCESS;
}

static int ready(MPI_Request request, const int *list, int first, int n)
{
	struct orr_request *r = request_of(request);
	struct parts *p = parts_of(r, 1);
	struct wire_op *op;
	int64_t *to;
	void *at;
	int code = !p || !r->active ? MPI_ERR_REQUEST
	           : n < 0          ? MPI_ERR_ARG
	                            : ready_mark(p, list, first, n);

	if (code != MPI_SUCCESS)
		return code;
	link_enter();
	op = link_room_list(WIRE_PREADY, 0, (uint32_t)n, sizeof *to, &at);
	op->a = r->number;
	to = at;
	for (int i = 0; i < n; i++) {
		to[i] = list ? list[i] : first + i;
		if (p->block)
			orr_pack(place(r, p, to[i]), p->count, r->type, 0, p->bytes,
			         (char *)link_at(p->block) + to[i] * p->bytes);
	}
	link_put(op);
	link_leave();
	return MPI_SUCCESS;
}

int orr_Pready(int partition, MPI_Request request)
{
	return ready(request, NULL, partition, 1);
}

int orr_Pready_range(int partition_low, int partition_high, MPI_Request request)
{
	return partition_high < partition_low
	           ? MPI_ERR_ARG
	           : ready(request, NULL, partition_low, partition_high - partition_low + 1);
}

int orr_Pready_list(int length, const int array_of_partitions[], MPI_Request request)
{
	return ready(request, array_of_partitions, 0, length);
}

int orr_Parrived(MPI_Request request, int partition, int *flag)
{
	struct orr_request *r = request_of(request);
	struct parts *p = parts_of(r, 0);
	struct wire_op *op;

	*flag = 1;
	if (request == MPI_REQUEST_NULL)
		return MPI_SUCCESS;
	if (!p)
		return MPI_ERR_REQUEST;
	if (partition < 0 || (uint32_t)partition >= p->n)
		return MPI_ERR_ARG;
	if (!r->active)
		return MPI_SUCCESS;
	link_enter();
	op = link_room(WIRE_PARRIVED, 0);
	op->a = r->number;
	op->b = (uint32_t)partition;
	*flag = link_ask(op)->flag != 0;
	if (*flag && !p->told[partition]) {
		part_unpack(r, p, partition);
		p->told[partition] = 1;
	}
	link_leave();
	return MPI_SUCCESS;
}
