/* otf2_events.c: the events of an OTF2 archive, location by location.
 *
 *   enter(MPI) ── records of messages, collectives, completions ── leave(MPI): the call is put
 *        └── computation since the last leave: its time, its instructions where they were counted
 *
 * A receive that was posted says who sends only when it completes: the first pass learns it.
 * Sizes of collectives: Score-P writes sums over the members (docs/foreign-traces.md), others the
 * caller's own buffer. */
#ifdef ORRERY_HAVE_OTF2
#include "otf2_int.h"

#include <stdlib.h>

struct place { /* of one callback */
	struct otf2 *o;
	struct otf2_rank *r; /* NULL: not a rank's */
	uint32_t rank;
};

static struct place place_of(void *user, OTF2_LocationRef location)
{
	struct otf2 *o = user;
	uint32_t at = hash64_find(&o->locations, location);
	struct place p = {.o = o};

	if (at != HASH_NONE && o->location[at].rank != HASH_NONE) {
		p.rank = o->location[at].rank;
		p.r = &o->rank[p.rank];
	}
	return p;
}

static OTF2_CallbackCode result(int r)
{
	return r < 0 ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* The foreign communicator, or -1 with o->err set. */
static int comm_index(struct otf2 *o, uint32_t id)
{
	uint32_t at = hash64_find(&o->comms, id);
	int index = at == HASH_NONE ? -1 : o->comm[at].index;

	if (index < 0)
		err_set(o->err, ERR_INPUT,
		        "%s: communicator %u is not one whose members the archive tells (an "
		        "intercommunicator?)",
		        o->f->path, id);
	return index;
}

static int peer_set(struct otf2 *o, uint32_t rank, uint32_t comm, uint32_t peer, uint64_t *id,
                    int32_t *out)
{
	int index = comm_index(o, comm);
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

/* The next request of the rank: made in the first pass, found again in the second. */
static struct otf2_request *request_next(struct place p, uint64_t id, uint32_t *index)
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

/* The request with this id completes in the call under way; NULL: it is not known. */
static struct otf2_request *request_done(struct place p, uint64_t id)
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

static int isend_put(struct place p, uint32_t peer, uint32_t comm, uint32_t tag, uint64_t bytes,
                     uint32_t index)
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

static int irecv_put(struct place p, const struct otf2_request *q, uint32_t index)
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
	struct place p = place_of(user, l);

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
	struct place p = place_of(user, l);

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
	struct place p = place_of(user, l);
	uint32_t index;

	(void)time, (void)position, (void)attributes;
	if (!p.r || is_null(receiver))
		return OTF2_CALLBACK_SUCCESS;
	if (!request_next(p, id, &index))
		return OTF2_CALLBACK_INTERRUPT;
	return result(isend_put(p, receiver, comm, tag, bytes, index));
}

static OTF2_CallbackCode on_irecv_request(OTF2_LocationRef l, OTF2_TimeStamp time,
                                          uint64_t position, void *user,
                                          OTF2_AttributeList *attributes, uint64_t id)
{
	struct place p = place_of(user, l);
	struct otf2_request *q;
	uint32_t index;

	(void)time, (void)position, (void)attributes;
	if (!p.r)
		return OTF2_CALLBACK_SUCCESS;
	q = request_next(p, id, &index);
	if (!q)
		return OTF2_CALLBACK_INTERRUPT;
	q->receive = 1;
	return result(irecv_put(p, q, index));
}

static OTF2_CallbackCode on_irecv(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, uint32_t sender,
                                  OTF2_CommRef comm, uint32_t tag, uint64_t bytes, uint64_t id)
{
	struct place p = place_of(user, l);
	struct otf2_request *q;

	(void)time, (void)position, (void)attributes;
	if (!p.r || is_null(sender))
		return OTF2_CALLBACK_SUCCESS;
	q = request_done(p, id);
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
	struct place p = place_of(user, l);

	(void)time, (void)position, (void)attributes;
	if (p.r)
		request_done(p, id);
	return OTF2_CALLBACK_SUCCESS;
}

/* Nothing was received: it is no receive that could be waited for. */
static OTF2_CallbackCode on_cancelled(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                      void *user, OTF2_AttributeList *attributes, uint64_t id)
{
	struct place p = place_of(user, l);
	uint32_t index = p.r ? hash64_remove(&p.r->open, id) : HASH_NONE;

	(void)time, (void)position, (void)attributes;
	if (index != HASH_NONE)
		p.r->request[index].cancelled = p.r->request[index].completes = 1;
	return OTF2_CALLBACK_SUCCESS;
}

/* --- collectives --- */

/* A sum over the n members of a communicator; with MPI_IN_PLACE one of them is missing. */
static int64_t part(uint64_t sum, uint32_t n)
{
	if (n > 1 && sum % n != 0 && sum % (n - 1) == 0)
		return (int64_t)(sum / (n - 1));
	return n ? (int64_t)(sum / n) : 0;
}

static void scorep_sizes(struct foreign_coll *c, uint64_t sent, uint64_t received, uint32_t n,
                         uint32_t me)
{
	switch (c->op) {
	case TRACE_BCAST:
		c->sent = part(sent, n);
		return;
	case TRACE_GATHER:
		c->received = part(received, n);
		return;
	case TRACE_SCATTER:
		c->sent = part(sent, n);
		return;
	case TRACE_ALLGATHERV:
		c->sent = part(sent, n);
		return;
	case TRACE_ALLGATHER:
	case TRACE_ALLTOALL:
	case TRACE_ALLREDUCE:
		c->sent = part(sent, n);
		c->received = part(received, n);
		return;
	case TRACE_REDUCE_SCATTER:
	case TRACE_REDUCE_SCATTER_BLOCK:
		c->received = part(received, n);
		c->sent = c->op == TRACE_REDUCE_SCATTER_BLOCK ? c->received : c->sent;
		return;
	case TRACE_SCAN:
		c->sent = (int64_t)(received / (me + 1));
		return;
	case TRACE_EXSCAN:
		c->sent = me ? (int64_t)(received / me) : n > 1 ? (int64_t)(sent / (n - 1)) : 0;
		return;
	default:
		return;
	}
}

static enum trace_op coll_op(OTF2_CollectiveOp op)
{
	static const enum trace_op ops[] = {
	    [OTF2_COLLECTIVE_OP_BARRIER] = TRACE_BARRIER,
	    [OTF2_COLLECTIVE_OP_BCAST] = TRACE_BCAST,
	    [OTF2_COLLECTIVE_OP_GATHER] = TRACE_GATHER,
	    [OTF2_COLLECTIVE_OP_GATHERV] = TRACE_GATHERV,
	    [OTF2_COLLECTIVE_OP_SCATTER] = TRACE_SCATTER,
	    [OTF2_COLLECTIVE_OP_SCATTERV] = TRACE_SCATTERV,
	    [OTF2_COLLECTIVE_OP_ALLGATHER] = TRACE_ALLGATHER,
	    [OTF2_COLLECTIVE_OP_ALLGATHERV] = TRACE_ALLGATHERV,
	    [OTF2_COLLECTIVE_OP_ALLTOALL] = TRACE_ALLTOALL,
	    [OTF2_COLLECTIVE_OP_ALLTOALLV] = TRACE_ALLTOALLV,
	    [OTF2_COLLECTIVE_OP_ALLTOALLW] = TRACE_ALLTOALLV,
	    [OTF2_COLLECTIVE_OP_ALLREDUCE] = TRACE_ALLREDUCE,
	    [OTF2_COLLECTIVE_OP_REDUCE] = TRACE_REDUCE,
	    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = TRACE_REDUCE_SCATTER,
	    [OTF2_COLLECTIVE_OP_SCAN] = TRACE_SCAN,
	    [OTF2_COLLECTIVE_OP_EXSCAN] = TRACE_EXSCAN,
	    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = TRACE_REDUCE_SCATTER_BLOCK,
	};

	return op < sizeof ops / sizeof *ops ? ops[op] : TRACE_OPS;
}

static int32_t root_of(uint32_t root)
{
	if (root == OTF2_COLLECTIVE_ROOT_SELF)
		return TRACE_ROOT;
	if (root == OTF2_COLLECTIVE_ROOT_THIS_GROUP)
		return TRACE_PROC_NULL;
	return root == OTF2_COLLECTIVE_ROOT_NONE ? FOREIGN_ROOT_UNKNOWN
	                                         : (int32_t)(root & INT32_MAX);
}

/* What our own writer adds. */
static void type_set(const struct otf2 *o, struct foreign_coll *c,
                     const OTF2_AttributeList *attributes)
{
	uint64_t size;
	int32_t type;

	if (!o->typed || OTF2_AttributeList_GetInt32(attributes, o->type, &type) != OTF2_SUCCESS ||
	    OTF2_AttributeList_GetUint64(attributes, o->type_size, &size) != OTF2_SUCCESS ||
	    size == 0 || size > INT32_MAX || type < TYPE_DERIVED || type >= TYPES)
		return;
	c->type = type;
	c->type_size = (int64_t)size;
}

/* 1, 0: making or freeing something, which is known from the definitions; -1. */
static int coll_set(struct place p, struct foreign_coll *c, OTF2_CollectiveOp op, uint32_t comm,
                    uint32_t root, uint64_t sent, uint64_t received,
                    const OTF2_AttributeList *attributes)
{
	int index;

	*c = (struct foreign_coll){.op = coll_op(op),
	                           .root = root_of(root),
	                           .sent = (int64_t)sent,
	                           .received = (int64_t)received,
	                           .req = -1,
	                           .type = TYPE_BYTE,
	                           .duration = -1};
	if (c->op == TRACE_OPS)
		return 0;
	type_set(p.o, c, attributes);
	index = comm_index(p.o, comm);
	if (index < 0)
		return -1;
	c->comm = (uint32_t)index;
	if (index == 1)
		c->root = 0;
	if (p.o->scorep && index != 1) {
		int32_t me = foreign_rank_in(p.o->f, c->comm, p.rank);

		scorep_sizes(c, sent, received, p.o->f->comms[index].n, me < 0 ? 0 : (uint32_t)me);
	}
	return 1;
}

static OTF2_CallbackCode on_coll_end(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                     void *user, OTF2_AttributeList *attributes,
                                     OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root,
                                     uint64_t sent, uint64_t received)
{
	struct place p = place_of(user, l);
	int r;

	(void)time, (void)position;
	if (!p.r)
		return OTF2_CALLBACK_SUCCESS;
	r = coll_set(p, &p.r->coll, op, comm, root, sent, received, attributes);
	p.r->has_coll = r > 0;
	p.r->told = 1;
	return result(r);
}

static OTF2_CallbackCode on_icoll_request(OTF2_LocationRef l, OTF2_TimeStamp time,
                                          uint64_t position, void *user,
                                          OTF2_AttributeList *attributes, uint64_t id)
{
	struct place p = place_of(user, l);
	struct otf2_request *q;
	uint32_t index;

	(void)time, (void)position, (void)attributes;
	if (!p.r)
		return OTF2_CALLBACK_SUCCESS;
	q = request_next(p, id, &index);
	if (!q)
		return OTF2_CALLBACK_INTERRUPT;
	p.r->told = p.o->f->pass == 1 || q->known; /* what it is, its completion says */
	if (p.o->f->pass == 1 || !q->known)
		return OTF2_CALLBACK_SUCCESS;
	q->coll.req = index;
	return result(foreign_collective(p.o->f, p.rank, &q->coll, p.o->err));
}

static OTF2_CallbackCode on_icoll(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                  OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                  uint64_t received, uint64_t id)
{
	struct place p = place_of(user, l);
	struct otf2_request *q;
	int r;

	(void)time, (void)position;
	q = p.r ? request_done(p, id) : NULL;
	if (!q || p.o->f->pass == 2)
		return OTF2_CALLBACK_SUCCESS;
	r = coll_set(p, &q->coll, op, comm, root, sent, received, attributes);
	q->known = r > 0;
	/* Noted when it completes: the order of a communicator's collectives is that of their
	 * calls, so vector forms of non-blocking ones may be taken for one another. */
	return result(r > 0 ? foreign_collective(p.o->f, p.rank, &q->coll, p.o->err) : r);
}

/* --- calls --- */

static int message_put(struct place p, enum trace_op op, const struct otf2_message *m)
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

static int sendrecv_put(struct place p)
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

static int messages_put(struct place p, int op)
{
	struct otf2_rank *r = p.r;

	if (r->has_sent && r->has_received)
		return sendrecv_put(p);
	if (r->has_received)
		return message_put(p, TRACE_RECV, &r->received);
	return message_put(p, send_form(op, TRACE_BLOCKS, TRACE_SEND), &r->sent);
}

/* A call that completed requests. Which ones is known, so that waiting for all of them is what it
 * did. */
static int completion_put(struct place p, int op)
{
	struct otf2_rank *r = p.r;
	struct trace_event ev;

	foreign_event(&ev, r->n_done == 1 ? TRACE_WAIT : TRACE_WAITALL);
	if (r->n_done == 1) {
		ev.req = r->done[0];
	} else if (r->n_done > 1) {
		ev.reqs = r->done;
		ev.n_reqs = r->n_done;
	} else if (op == TRACE_WAITALL && r->lost > 0) {
		ev.flags = TRACE_OUTSTANDING; /* the writer left the completions out */
		r->lost = 0;
		hash64_release(&r->open);
		hash64_init(&r->open);
	} else
		return 0;
	return foreign_put(p.o->f, p.rank, &ev, p.o->err);
}

/* A collective without a record, which older versions of Score-P write of no non-blocking one: who
 * takes part and with how much is not known. */
static int untold_put(struct place p, const struct otf2_region *region)
{
	int op = region->started >= 0 ? region->started : region->op;

	if (p.r->told || op < 0 || !trace_op_is_collective((enum trace_op)op) ||
	    (region->started < 0 && trace_op_is_neighborhood((enum trace_op)op)))
		return 0;
	return foreign_note(p.o->f, p.o->err,
	                    "left out, with its time: %s%s, of which the archive has no record%s",
	                    region->started >= 0 ? "the non-blocking form of " : "",
	                    trace_op_mpi((enum trace_op)op),
	                    region->started >= 0 ? " (newer versions of Score-P write one)" : "");
}

static int call_put(struct place p)
{
	struct otf2_rank *r = p.r;
	int op = r->region >= 0 ? p.o->region[r->region].op : -1;

	if (r->has_coll)
		return foreign_collective(p.o->f, p.rank, &r->coll, p.o->err);
	if (op == TRACE_FINALIZE) {
		r->ended = 1;
		return foreign_simple(p.o->f, p.rank, TRACE_FINALIZE, p.o->err);
	}
	if (r->has_sent || r->has_received)
		return messages_put(p, op) < 0 ? -1 : completion_put(p, op);
	if (foreign_left_out(p.o->f, op, p.o->err) < 0 ||
	    (r->region >= 0 && untold_put(p, &p.o->region[r->region]) < 0))
		return -1;
	return completion_put(p, op);
}

static int computation_put(struct place p, uint64_t time)
{
	struct otf2_rank *r = p.r;
	double ns = (double)(time - r->left) / p.o->frequency * 1e9;
	int64_t counted = r->count - r->count_left;

	if (!r->begun) { /* what was before MPI_Init is not part of it */
		r->begun = 1;
		return foreign_simple(p.o->f, p.rank, TRACE_INIT, p.o->err);
	}
	return time > r->left
	           ? foreign_compute(p.o->f, p.rank, ns,
	                             p.o->counter_at >= 0 ? (double)counted : -1, p.o->err)
	           : 0;
}

static int region_find(const struct otf2 *o, OTF2_RegionRef id)
{
	uint32_t at = hash64_find(&o->regions, id);

	return at == HASH_NONE || !o->region[at].mpi ? -1 : (int)at;
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	struct place p = place_of(user, l);
	int at = region_find(user, region);

	(void)position, (void)attributes;
	if (!p.r || at < 0 || p.r->depth++ > 0)
		return OTF2_CALLBACK_SUCCESS;
	p.r->region = at;
	p.r->has_sent = p.r->has_received = p.r->has_coll = p.r->told = 0;
	p.r->n_done = 0;
	if (!p.r->begun && p.o->region[at].op < 0)
		return OTF2_CALLBACK_SUCCESS; /* MPI_Initialized */
	return result(computation_put(p, time));
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
	struct place p = place_of(user, l);

	(void)position, (void)attributes;
	if (!p.r || region_find(user, region) < 0 || p.r->depth == 0 || --p.r->depth > 0)
		return OTF2_CALLBACK_SUCCESS;
	p.r->left = time;
	p.r->count_left = p.r->count;
	return result(call_put(p));
}

static OTF2_CallbackCode on_metric(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                   void *user, OTF2_AttributeList *attributes,
                                   OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
	struct place p = place_of(user, l);

	(void)time, (void)position, (void)attributes;
	if (p.r && p.o->counter_at >= 0 && metric == p.o->counter_class && p.o->counter_at < n)
		p.r->count = types[p.o->counter_at] == OTF2_TYPE_DOUBLE
		                 ? (int64_t)values[p.o->counter_at].floating_point
		                 : values[p.o->counter_at].signed_int;
	return OTF2_CALLBACK_SUCCESS;
}

/* What ran while it was off cannot be told from computation. */
static OTF2_CallbackCode on_measured(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                     void *user, OTF2_AttributeList *attributes,
                                     OTF2_MeasurementMode mode)
{
	struct place p = place_of(user, l);

	(void)position, (void)attributes;
	if (!p.r)
		return OTF2_CALLBACK_SUCCESS;
	if (mode == OTF2_MEASUREMENT_OFF) {
		p.r->off = time;
		return OTF2_CALLBACK_SUCCESS;
	}
	if (p.r->off == 0 || p.o->f->pass == 1)
		return OTF2_CALLBACK_SUCCESS;
	return result(foreign_note(p.o->f, p.o->err,
	                           "rank %u was not measured for %.6g s (Score-P's measurement was "
	                           "off): what it called then is missing, its time is computation",
	                           p.rank, (double)(time - p.r->off) / p.o->frequency));
}

/* --- reading --- */

static OTF2_ErrorCode callbacks_register(struct otf2 *o, OTF2_EvtReader *events)
{
	OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
	OTF2_ErrorCode code;

	if (!c)
		return OTF2_ERROR_MEM_FAULT;
	OTF2_EvtReaderCallbacks_SetEnterCallback(c, on_enter);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(c, on_leave);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, on_cancelled);
	OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(c, on_measured);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_coll_end);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, on_icoll_request);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, on_icoll);
	OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
	code = OTF2_Reader_RegisterEvtCallbacks(o->reader, events, c, o);
	OTF2_EvtReaderCallbacks_Delete(c);
	return code;
}

/* Local definitions map ids and clocks; they may be missing. */
static void local_definitions_read(struct otf2 *o, uint64_t location)
{
	OTF2_DefReader *defs = OTF2_Reader_GetDefReader(o->reader, location);
	uint64_t read;

	if (!defs)
		return;
	OTF2_Reader_ReadAllLocalDefinitions(o->reader, defs, &read);
	OTF2_Reader_CloseDefReader(o->reader, defs);
}

static int fault(struct otf2 *o, OTF2_ErrorCode code, uint64_t location, struct err *err)
{
	if (err->kind != ERR_NONE)
		return -1;
	return err_set(err, ERR_INPUT,
	               "%s: the events of location %llu cannot be read: libotf2 says: %s",
	               o->f->path, (unsigned long long)location, OTF2_Error_GetDescription(code));
}

static int location_read(struct otf2 *o, uint64_t location, struct err *err)
{
	OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(o->reader, location);
	OTF2_ErrorCode code;
	uint64_t read;

	if (!events)
		return fault(o, OTF2_ERROR_MEM_FAULT, location, err);
	code = callbacks_register(o, events);
	if (code == OTF2_SUCCESS)
		code = OTF2_Reader_ReadAllLocalEvents(o->reader, events, &read);
	OTF2_Reader_CloseEvtReader(o->reader, events);
	return code == OTF2_SUCCESS ? 0 : fault(o, code, location, err);
}

static void ranks_begin(struct otf2 *o)
{
	for (uint32_t i = 0; i < o->f->ranks; i++) {
		struct otf2_rank *r = &o->rank[i];

		for (uint32_t k = 0; k < r->n; k++)
			r->unknown += !r->request[k].known && !r->request[k].cancelled &&
			              r->request[k].receive;

		hash64_release(&r->open);
		hash64_init(&r->open);
		r->next = r->depth = r->lost = 0;
		r->begun = r->ended = 0;
		r->left = r->off = 0;
		r->count = r->count_left = 0;
		r->region = -1;
	}
}

static int locations_read(struct otf2 *o, struct err *err)
{
	int threads = 0;

	for (uint32_t i = 0; i < o->n_locations; i++)
		OTF2_Reader_SelectLocation(o->reader, o->location[i].id);
	if (OTF2_Reader_OpenDefFiles(o->reader) == OTF2_SUCCESS) {
		for (uint32_t i = 0; i < o->n_locations; i++)
			local_definitions_read(o, o->location[i].id);
		OTF2_Reader_CloseDefFiles(o->reader);
	}
	OTF2_Reader_OpenEvtFiles(o->reader);
	for (uint32_t i = 0; i < o->n_locations; i++) {
		if (o->location[i].rank == HASH_NONE)
			threads = 1;
		else if (location_read(o, o->location[i].id, err) < 0)
			return -1;
	}
	OTF2_Reader_CloseEvtFiles(o->reader);
	return threads ? foreign_note(o->f, err, "only the first thread of each rank is read") : 0;
}

int otf2_events_read(struct foreign *f, struct err *err)
{
	struct otf2 *o = f->impl;

	err->kind = ERR_NONE;
	o->err = err;
	ranks_begin(o);
	if (f->pass == 2) { /* an archive is read once from front to end */
		OTF2_Reader_Close(o->reader);
		o->reader = OTF2_Reader_Open(o->anchor ? o->anchor : f->path);
		if (!o->reader ||
		    OTF2_Reader_SetSerialCollectiveCallbacks(o->reader) != OTF2_SUCCESS)
			return err_set(err, ERR_INPUT, "%s: libotf2 cannot open it again", f->path);
	}
	if (locations_read(o, err) < 0)
		return -1;
	for (uint32_t i = 0; i < f->ranks; i++)
		if (!o->rank[i].ended && foreign_simple(f, i, TRACE_FINALIZE, err) < 0)
			return -1;
	return 0;
}
#endif
