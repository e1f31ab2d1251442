/* otf2_messages.c: messages and requests of an OTF2 archive.
 *
 * A receive that was posted says who sends only when it completes: the first pass learns it. */
#ifdef ORRERY_HAVE_OTF2
#include "otf2_int.h"

int otf2_comm_index(struct otf2 *o, uint32_t id)
{
	uint32_t at = hash64_find(&o->comms, id);
	int index = at == HASH_NONE ? -1 : o->comm[at].index;

	if (index < 0)
		err_set(o->err, ERR_INPUT,
		        "%s: communicator %u is not one whose members the archive tells (is it an "
		        "intercommunicator, or are the local definitions, *.def, missing?)",
		        o->f->path, id);
	return index;
}

static int peer_set(struct otf2 *o, uint32_t rank, uint32_t comm, uint32_t peer, uint64_t *id,
                    int32_t *out)
{
	int index = otf2_comm_index(o, comm);
	uint32_t split;

	*id = 0;
	if (index < 0)
		return -1;
	split = o->f->comms[index].split; /* the peer is a rank of the other group */
	if (split && foreign_rank_in(o->f, (uint32_t)index, rank) < (int32_t)split)
		peer += split;
	*id = o->f->comms[index].id;
	if (index == 1) {
		*out = (int32_t)rank;
		return 0;
	}
	return foreign_member(o->f, (uint32_t)index, peer, out, o->err);
}

/* --- requests --- */

struct otf2_request *otf2_request_next(struct otf2_place p, uint64_t id, uint32_t *index)
{
	struct otf2_rank *r = p.r;

	*index = r->next++;
	if (*index >= r->n) {
		struct otf2_request *all = vec_grow(r->request, &r->cap, sizeof *all,
		                                    (size_t)r->n + 1, "requests", p.o->err);

		if (!all)
			return NULL;
		r->request = all;
		all[r->n++] = (struct otf2_request){0};
	}
	if (hash64_put(&r->open, id, *index, p.o->err) < 0)
		return NULL;
	r->lost += p.o->f->pass == 2 && !r->request[*index].completes;
	return &r->request[*index];
}

struct otf2_request *otf2_request_done(struct otf2_place p, uint64_t id)
{
	uint32_t index = hash64_remove(&p.r->open, id);
	int64_t *all;

	if (index == HASH_NONE)
		return NULL;
	p.r->request[index].completes = 1;
	all = vec_grow(p.r->done, &p.r->cap_done, sizeof *all, (size_t)p.r->n_done + 1, "requests",
	               p.o->err);
	if (!all)
		return NULL;
	p.r->done = all;
	all[p.r->n_done++] = index;
	return &p.r->request[index];
}

/* --- messages --- */

static int isend_put(struct otf2_place p, uint32_t peer, uint32_t comm, uint32_t tag,
                     uint64_t bytes, uint32_t index)
{
	int op = p.r->region >= 0 ? p.o->region[p.r->region].op : -1;
	struct trace_event ev;

	foreign_event(&ev, send_form(op, TRACE_REQUEST, TRACE_ISEND));
	if (peer_set(p.o, p.rank, comm, peer, &ev.comm, &ev.peer) < 0)
		return -1;
	ev.tag = (int32_t)(tag & INT32_MAX);
	ev.count = (int64_t)bytes;
	ev.req = index;
	p.o->rank[ev.peer].incoming += p.o->f->pass == 1;
	return foreign_put(p.o->f, p.rank, &ev, p.o->err);
}

/* Of the receives that never say from whom, as many are real as there are messages for them, spread
 * evenly; the others were from MPI_PROC_NULL. */
static int unknown_is_real(struct otf2_rank *r)
{
	uint64_t left = r->incoming > r->taken ? r->incoming - r->taken : 0,
	         all = r->unknown > left ? r->unknown : left, i = r->unknown_now++;

	return all > 0 && (i + 1) * left / all > i * left / all;
}

static int irecv_put(struct otf2_place p, const struct otf2_request *q, uint32_t index)
{
	struct trace_event ev;

	foreign_event(&ev, TRACE_IRECV);
	ev.req = index;
	if (q->known) {
		if (peer_set(p.o, p.rank, q->comm, q->peer, &ev.comm, &ev.peer) < 0)
			return -1;
		ev.tag = (int32_t)(q->tag & INT32_MAX);
		ev.count = (int64_t)q->bytes;
	} else if (p.o->f->pass == 1 || q->cancelled || !unknown_is_real(p.r)) {
		return 0;
	} else {
		ev.peer = ev.tag = TRACE_ANY;
		ev.count = TRACE_COUNT_ANY;
		if (foreign_note(
		        p.o->f, p.o->err,
		        "receives whose completion is not in the archive take any message, "
		        "and are as many as there are messages for them") < 0)
			return -1;
	}
	return foreign_put(p.o->f, p.rank, &ev, p.o->err);
}

static int is_null(uint32_t peer)
{
	return peer >= UINT32_MAX - 2; /* EZTrace writes MPI_PROC_NULL */
}

static OTF2_CallbackCode on_send(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *attributes, uint32_t receiver,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
	struct otf2_place p = otf2_place_of(user, l);

	(void)time, (void)position, (void)attributes;
	if (p.r && !is_null(receiver)) {
		p.r->sent = (struct otf2_message){receiver, comm, tag, bytes};
		p.r->has_sent = 1;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                 void *user, OTF2_AttributeList *attributes, uint32_t sender,
                                 OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
	struct otf2_place p = otf2_place_of(user, l);

	(void)time, (void)position, (void)attributes;
	if (p.r && !is_null(sender)) {
		p.r->received = (struct otf2_message){sender, comm, tag, bytes};
		p.r->has_received = 1;
		p.r->taken += p.o->f->pass == 1;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, uint32_t receiver,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t id)
{
	struct otf2_place p = otf2_place_of(user, l);
	uint32_t index;

	(void)time, (void)position, (void)attributes;
	if (!p.r || is_null(receiver))
		return OTF2_CALLBACK_SUCCESS;
	if (!otf2_request_next(p, id, &index))
		return OTF2_CALLBACK_INTERRUPT;
	return otf2_result(isend_put(p, receiver, comm, tag, bytes, index));
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef l, OTF2_TimeStamp time,
                                          uint64_t position, void *user,
                                          OTF2_AttributeList *attributes, uint64_t id)
{
	struct otf2_place p = otf2_place_of(user, l);
	struct otf2_request *q;
	uint32_t index;

	(void)time, (void)position, (void)attributes;
	if (!p.r)
		return OTF2_CALLBACK_SUCCESS;
	q = otf2_request_next(p, id, &index);
	if (!q)
		return OTF2_CALLBACK_INTERRUPT;
	q->receive = 1;
	return otf2_result(irecv_put(p, q, index));
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, uint32_t sender,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t id)
{
	struct otf2_place p = otf2_place_of(user, l);
	struct otf2_request *q;

	(void)time, (void)position, (void)attributes;
	if (!p.r || is_null(sender))
		return OTF2_CALLBACK_SUCCESS;
	q = otf2_request_done(p, id);
	if (q) {
		q->peer = sender;
		q->comm = comm;
		q->tag = tag;
		q->bytes = bytes;
		q->known = 1;
		p.r->taken += p.o->f->pass == 1;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend_complete(OTF2_LocationRef l, OTF2_TimeStamp time,
                                           uint64_t position, void *user,
                                           OTF2_AttributeList *attributes, uint64_t id)
{
	struct otf2_place p = otf2_place_of(user, l);

	(void)time, (void)position, (void)attributes;
	if (p.r)
		otf2_request_done(p, id);
	return OTF2_CALLBACK_SUCCESS;
}

/* Nothing was received: it is no receive that could be waited for. */
static OTF2_CallbackCode on_cancelled(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                      void *user, OTF2_AttributeList *attributes, uint64_t id)
{
	struct otf2_place p = otf2_place_of(user, l);
	uint32_t index = p.r ? hash64_remove(&p.r->open, id) : HASH_NONE;

	(void)time, (void)position, (void)attributes;
	if (index != HASH_NONE)
		p.r->request[index].cancelled = p.r->request[index].completes = 1;
	return OTF2_CALLBACK_SUCCESS;
}

static int message_put(struct otf2_place p, enum trace_op op, const struct otf2_message *m)
{
	struct trace_event ev;

	foreign_event(&ev, op);
	if (peer_set(p.o, p.rank, m->comm, m->peer, &ev.comm, &ev.peer) < 0)
		return -1;
	ev.tag = (int32_t)(m->tag & INT32_MAX);
	ev.count = (int64_t)m->bytes;
	if (op != TRACE_RECV)
		p.o->rank[ev.peer].incoming += p.o->f->pass == 1;
	return foreign_put(p.o->f, p.rank, &ev, p.o->err);
}

static int sendrecv_put(struct otf2_place p)
{
	struct otf2_rank *r = p.r;
	struct trace_event ev;
	uint64_t comm;

	foreign_event(&ev, TRACE_SENDRECV);
	if (peer_set(p.o, p.rank, r->sent.comm, r->sent.peer, &ev.comm, &ev.peer) < 0 ||
	    peer_set(p.o, p.rank, r->received.comm, r->received.peer, &comm, &ev.peer2) < 0)
		return -1;
	p.o->rank[ev.peer].incoming += p.o->f->pass == 1;
	ev.tag = (int32_t)(r->sent.tag & INT32_MAX);
	ev.tag2 = (int32_t)(r->received.tag & INT32_MAX);
	ev.count = (int64_t)r->sent.bytes;
	ev.count2 = (int64_t)r->received.bytes;
	return foreign_put(p.o->f, p.rank, &ev, p.o->err);
}

int otf2_messages_put(struct otf2_place p, int op)
{
	struct otf2_rank *r = p.r;

	if (r->has_sent && r->has_received)
		return sendrecv_put(p);
	if (r->has_received)
		return message_put(p, TRACE_RECV, &r->received);
	return message_put(p, send_form(op, TRACE_BLOCKS, TRACE_SEND), &r->sent);
}

void otf2_messages_register(OTF2_EvtReaderCallbacks *c)
{
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
}
#endif
