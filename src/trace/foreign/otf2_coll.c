/* otf2_coll.c: collectives of an OTF2 archive.
 *
 * Score-P writes sums over the members as sizes (docs/foreign-traces.md), others the caller's own
 * buffer. */
#ifdef ORRERY_HAVE_OTF2
#include "otf2_int.h"

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
static int coll_set(struct otf2_place p, struct foreign_coll *c, OTF2_CollectiveOp op,
                    uint32_t comm, uint32_t root, uint64_t sent, uint64_t received,
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
	index = otf2_comm_index(p.o, comm);
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
	struct otf2_place p = otf2_place_of(user, l);
	int r;

	(void)time, (void)position;
	if (!p.r)
		return OTF2_CALLBACK_SUCCESS;
	r = coll_set(p, &p.r->coll, op, comm, root, sent, received, attributes);
	p.r->has_coll = r > 0;
	p.r->told = 1;
	return otf2_result(r);
}

static OTF2_CallbackCode on_icoll_request(OTF2_LocationRef l, OTF2_TimeStamp time,
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
	p.r->told = p.o->f->pass == 1 || q->known; /* what it is, its completion says */
	if (p.o->f->pass == 1 || !q->known)
		return OTF2_CALLBACK_SUCCESS;
	q->coll.req = index;
	return otf2_result(foreign_collective(p.o->f, p.rank, &q->coll, p.o->err));
}

static OTF2_CallbackCode on_icoll(OTF2_LocationRef l, OTF2_TimeStamp time, uint64_t position,
                                  void *user, OTF2_AttributeList *attributes, OTF2_CollectiveOp op,
                                  OTF2_CommRef comm, uint32_t root, uint64_t sent,
                                  uint64_t received, uint64_t id)
{
	struct otf2_place p = otf2_place_of(user, l);
	struct otf2_request *q;
	int r;

	(void)time, (void)position;
	q = p.r ? otf2_request_done(p, id) : NULL;
	if (!q || p.o->f->pass == 2)
		return OTF2_CALLBACK_SUCCESS;
	r = coll_set(p, &q->coll, op, comm, root, sent, received, attributes);
	q->known = r > 0;
	/* Noted when it completes: the order of a communicator's collectives is that of their
	 * calls, so vector forms of non-blocking ones may be taken for one another. */
	return otf2_result(r > 0 ? foreign_collective(p.o->f, p.rank, &q->coll, p.o->err) : r);
}

void otf2_colls_register(OTF2_EvtReaderCallbacks *c)
{
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_coll_end);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, on_icoll_request);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, on_icoll);
}
#endif
