/* probe.c: probes, matched ones too: what they find is asked for, always. */
#include "p2p.h"

#include "intact.h"
#include "orr_mpi.h"
#include "status.h"

struct orr_message { /* a matched message */
	struct orr_object o;
	uint32_t number;
	struct orr_comm *comm;
};

static void status_fill(struct orr_comm *c, const struct wire_done *d, MPI_Status *status)
{
	int error;

	if (!status)
		return;
	error = status->MPI_ERROR;
	status_set(status, source_rank(c, d->source), d->tag == WIRE_ANY ? MPI_ANY_TAG : d->tag,
	           (int64_t)d->bytes);
	status->MPI_ERROR = error;
}

static int ask(enum wire_kind kind, int source, int tag, MPI_Comm comm, uint32_t number,
               struct orr_comm **c, struct wire_answer **answer)
{
	struct wire_message *m;
	struct wire_op *op;
	struct args a = {0};
	int32_t peer;
	int code;

	a.comm = *c = orr_comm_of(comm);
	if (!a.comm)
		return MPI_ERR_COMM;
	code = peer_find(a.comm, source, 1, &peer);
	if (code == MPI_SUCCESS)
		code = tag_check(tag, 1);
	if (code != MPI_SUCCESS)
		return code;
	op = link_room(kind, sizeof *m);
	m = (void *)(op + 1);
	message_fill(m, &a, peer, tag, number);
	*answer = link_ask(op);
	return MPI_SUCCESS;
}

int orr_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct wire_answer *a;
	struct orr_comm *c;
	double pause = 0;
	int code, flag;

	while (link_several()) {
		code = orr_Iprobe(source, tag, comm, &flag, status);
		if (code != MPI_SUCCESS || flag)
			return code;
		link_pause(&pause);
	}
	link_enter();
	code = ask(WIRE_PROBE, source, tag, comm, WIRE_NONE, &c, &a);
	if (code == MPI_SUCCESS)
		status_fill(c, &a->done[0], status);
	link_leave();
	return code;
}

int orr_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
	struct wire_answer *a;
	struct orr_comm *c;
	int code;

	link_enter();
	code = ask(WIRE_IPROBE, source, tag, comm, WIRE_NONE, &c, &a);
	if (code == MPI_SUCCESS) {
		*flag = a->flag != 0;
		if (*flag)
			status_fill(c, &a->done[0], status);
	}
	link_leave();
	return code;
}

static int message_make(struct orr_comm *c, uint32_t number, MPI_Message *message)
{
	struct orr_message *m = orr_object_new(ORR_MESSAGE, sizeof *m);

	if (!m)
		return MPI_ERR_NO_MEM;
	m->number = number;
	m->comm = orr_object_keep(c);
	*message = orr_handle(m);
	return MPI_SUCCESS;
}

static int mprobe(enum wire_kind kind, int source, int tag, MPI_Comm comm, int *flag,
                  MPI_Message *message, MPI_Status *status)
{
	uint32_t number;
	struct wire_answer *a;
	struct orr_comm *c;
	int code;

	link_enter();
	number = link_number();
	code = ask(kind, source, tag, comm, number, &c, &a);
	*flag = code == MPI_SUCCESS && a->flag;
	if (*flag)
		status_fill(c, &a->done[0], status);
	if (*flag && a->value != WIRE_NONE)
		code = message_make(c, number, message);
	else
		link_number_free(number);
	if (*flag && a->value == WIRE_NONE)
		*message = MPI_MESSAGE_NO_PROC;
	link_leave();
	return code;
}

int orr_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
	double pause = 0;
	int flag, code;

	while (link_several()) {
		code = mprobe(WIRE_IMPROBE, source, tag, comm, &flag, message, status);
		if (code != MPI_SUCCESS || flag)
			return code;
		link_pause(&pause);
	}
	return mprobe(WIRE_MPROBE, source, tag, comm, &flag, message, status);
}

int orr_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
	return mprobe(WIRE_IMPROBE, source, tag, comm, flag, message, status);
}

/* --- receiving what was found --- */

struct found {
	struct orr_message *m;
	struct args a;
};

static int found_check(MPI_Count count, MPI_Datatype datatype, const MPI_Message *message,
                       struct found *f)
{
	int64_t bytes;
	int code;

	f->m = *message == MPI_MESSAGE_NO_PROC ? NULL : orr_object(ORR_MESSAGE, *message);
	if (!f->m && *message != MPI_MESSAGE_NO_PROC)
		return MPI_ERR_REQUEST;
	if (count < 0)
		return MPI_ERR_COUNT;
	f->a.type = orr_type_of(datatype);
	if (!f->a.type || !f->a.type->committed)
		return MPI_ERR_TYPE;
	f->a.comm = f->m ? f->m->comm : orr_comm_of(MPI_COMM_SELF);
	code = orr_type_bytes(f->a.type, count, &bytes);
	f->a.bytes = (uint64_t)bytes;
	return code;
}

static struct wire_op *found_op(enum wire_kind kind, const struct found *f, uint32_t number)
{
	struct wire_op *op = link_room(kind, sizeof(struct wire_message));
	struct wire_message *m = (void *)(op + 1);

	message_fill(m, &f->a, WIRE_NOBODY, 0, number);
	m->block = f->m ? f->m->number : WIRE_NONE;
	if (!f->a.type->dense)
		op->flags |= WIRE_PACKED;
	return op;
}

static void found_end(struct orr_message *m, MPI_Message *message)
{
	*message = MPI_MESSAGE_NULL;
	if (!m)
		return;
	link_number_free(m->number);
	orr_comm_drop(m->comm);
	if (orr_object_drop(m))
		orr_object_end(m);
}

int orr_Mrecv(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
              MPI_Status *status)
{
	struct wire_answer *answer;
	struct found f;
	int code = found_check(count, datatype, message, &f);

	if (code != MPI_SUCCESS)
		return code;
	link_enter();
	answer = link_ask(found_op(WIRE_MRECV, &f, WIRE_NONE));
	code = receive_finish(f.a.comm, buf, count, f.a.type, &answer->done[0], status);
	found_end(f.m, message);
	link_leave();
	return code;
}

int orr_Imrecv(void *buf, MPI_Count count, MPI_Datatype datatype, MPI_Message *message,
               MPI_Request *request)
{
	struct orr_request *r;
	struct found f;
	int code = found_check(count, datatype, message, &f);

	if (code != MPI_SUCCESS)
		return code;
	r = request_new(REQUEST_RECV, f.a.comm, f.m ? buf : NULL, count, f.a.type);
	if (!r)
		return MPI_ERR_NO_MEM;
	link_enter();
	intact_begin(r);
	r->active = 1;
	r->number = link_number();
	link_put(found_op(WIRE_IMRECV, &f, r->number));
	found_end(f.m, message);
	link_leave();
	*request = orr_handle(r);
	return MPI_SUCCESS;
}
