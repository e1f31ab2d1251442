/* record_comm.c: communicators made and freed. */
#include "record.h"
#include "tracer.h"

#include <stdlib.h>

/* An event of a communicator: its members, to be freed when it is put; NULL: no memory. */
static int32_t *made_set(struct trace_event *ev, const struct comm *made, struct err *err)
{
	int32_t *members = comm_members(made);

	if (!members) {
		err_nomem(err, "the members of a communicator",
		          (unsigned long long)made->size * sizeof *members);
		return NULL;
	}
	ev->comm = made->id;
	ev->members = members;
	ev->n_members = made->size;
	ev->remote = made->remote;
	ev->n_remote = made->remote_size;
	ev->flags |= (uint16_t)made->topology;
	ev->counts = made->first;
	ev->n_counts = made->n_first;
	ev->counts2 = made->second;
	ev->n_counts2 = made->n_second;
	return members;
}

/* MPI_Intercomm_create: whom a group is led by; whom to, its leader alone knows. */
static void leader_set(struct trace_event *ev, const struct call *c, const struct comm *made)
{
	uint32_t peer = made->rank == c->root ? comm_find(&tracer.comms, c->peer) : COMM_NONE;

	ev->flags |= TRACE_LED;
	ev->root = c->root;
	ev->peer = peer == COMM_NONE ? TRACE_ANY
	                             : comm_world_rank(&tracer.comms.items[peer], c->dest);
}

void comm_event(const struct call *c, enum trace_op op, uint64_t parent, const struct comm *made,
                int64_t req)
{
	int32_t *members = NULL;
	struct trace_event ev;
	struct err err;

	trace_event_init(&ev, op);
	ev.parent = parent;
	ev.req = req;
	if (made && !(members = made_set(&ev, made, &err))) {
		tracer_mute(&err);
		return;
	}
	/* Written where it returned, and threads may return in another order on another rank: a
	 * replay must not wait there. */
	if (made && c && concurrent() &&
	    (op == TRACE_COMM_CREATE_GROUP || op == TRACE_INTERCOMM_CREATE ||
	     op == TRACE_INTERCOMM_MERGE))
		ev.flags |= TRACE_AGREED;
	if (made && c && c->id == CALL_Intercomm_create)
		leader_set(&ev, c, made);
	if (c && c->id == CALL_Dist_graph_create)
		ev.flags |= TRACE_DISTRIBUTED;
	if (c)
		event_put(c, &ev);
	else
		event_put_more(&ev);
	free(members);
}

int comm_persistent_put(const struct comm *of, uint64_t id, struct err *err)
{
	struct trace_event ev;
	int32_t *members;

	trace_event_init(&ev, TRACE_COMM_DUP);
	members = made_set(&ev, of, err);
	if (!members)
		return -1;
	ev.comm = id;
	ev.parent = of->id;
	ev.req = -1;
	ev.flags |= TRACE_AGREED;
	event_put_more(&ev);
	free(members);
	return 0;
}

void comm_persistent_free(uint64_t id)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_COMM_FREE);
	ev.comm = id;
	event_put_more(&ev);
}

/* Of a communicator with members of several worlds: whether each member knows all of them, so that
 * each takes part in what follows. Where it is made of two groups of strangers, those of one group
 * ask each other: who of it knows whom of the other one is the same on both sides. */
static int all_know(const struct call *c, enum trace_op op, int known)
{
	MPI_Comm among = op == TRACE_INTERCOMM_CREATE ? c->comm : c->newcomm;
	int all = 0, once = 0;

	if (comm_find(&tracer.comms, c->comm) == COMM_NONE)
		return 0;
	tracer_unlock();
	PMPI_Allreduce(&known, &once, 1, MPI_INT, MPI_MIN, among);
	once = once < known ? once : known;
	PMPI_Allreduce(&once, &all, 1, MPI_INT, MPI_MIN, among); /* of both groups, if it has two */
	tracer_lock();
	return all && once;
}

/* Index of a new communicator. While the members agree the lock is not held: each may be waiting
 * for another thread of the next. */
static uint32_t comm_learn(const struct call *c, enum trace_op op, struct err *err)
{
	MPI_Comm comm = c->newcomm;
	uint64_t id;
	int root = -1;
	int known = comm_id_make(&tracer.comms, comm, &id);

	if (!known && tracer.simulated &&
	    worlds_meet(MPI_COMM_NULL, comm, 1, &root)) /* at a port */
		known = comm_id_make(&tracer.comms, comm, &id);
	if (comm_is_mixed(comm))
		known = all_know(c, op, known);
	if (!known)
		return COMM_NONE;
	tracer_unlock();
	comm_id_agree(comm, &id);
	tracer_lock();
	return comm_add(&tracer.comms, comm, id, err);
}

/* Every rank of the parent has an event, those that are not in the new communicator one without
 * members. */
void record_comm_new(struct call *c, enum trace_op op)
{
	uint32_t parent = comm_find(&tracer.comms, c->comm), made = COMM_NONE;
	int64_t req = c->n_announced > 0 ? c->announced[0] : -1;
	uint64_t parent_id = parent == COMM_NONE ? 0 : tracer.comms.items[parent].id;
	struct err err = {0};

	if (call_refused(c))
		return;
	if (c->newcomm != MPI_COMM_NULL)
		made = comm_learn(c, op, &err);
	if (err.kind != ERR_NONE)
		tracer_mute(&err);
	else if (made != COMM_NONE)
		comm_event(c, op, parent_id, &tracer.comms.items[made], req);
	else if (c->newcomm == MPI_COMM_NULL && parent != COMM_NONE)
		comm_event(c, op, parent_id, NULL, req);
	else
		tracer.counts[c->id]++;
	announced_comm_end(c);
}

void comm_own_world(const struct comm *world)
{
	struct trace_event ev;
	struct err err;
	int32_t *members;

	trace_event_init(&ev, TRACE_COMM_CREATE_GROUP);
	members = made_set(&ev, world, &err);
	if (!members) {
		tracer_mute(&err);
		return;
	}
	ev.flags |= TRACE_AGREED;
	event_put_more(&ev);
	free(members);
}

void comm_met(const struct call *c, uint64_t parent, uint16_t how, int root)
{
	struct trace_event ev;
	struct err err = {0};
	uint32_t made = COMM_NONE;
	int32_t *members = NULL;
	uint64_t id;

	if (comm_id_make(&tracer.comms, c->newcomm, &id)) {
		tracer_unlock();
		comm_id_agree(c->newcomm, &id);
		tracer_lock();
		made = comm_add(&tracer.comms, c->newcomm, id, &err);
	}
	trace_event_init(&ev, TRACE_INTERCOMM_CREATE);
	if (made != COMM_NONE)
		members = made_set(&ev, &tracer.comms.items[made], &err);
	if (!members) {
		if (err.kind != ERR_NONE)
			tracer_mute(&err);
		return;
	}
	ev.parent = parent;
	ev.req = -1;
	ev.root = root;
	ev.flags |= (uint16_t)(how | (concurrent() ? TRACE_AGREED : 0));
	event_put(c, &ev);
	free(members);
}

void record_comm_alone(struct call *c, enum trace_op op)
{
	c->comm = tracer.world;
	record_comm_new(c, op);
}

void before_comm_idup(struct call *c)
{
	uint32_t parent;

	tracer_lock();
	parent = comm_find(&tracer.comms, c->comm);
	if (parent != COMM_NONE)
		c->extra = comm_dup_begin(&tracer.comms, parent, c->newcomm_place, c->fortran);
	tracer_unlock();
}

void record_comm_idup(struct call *c, enum trace_op op)
{
	struct comm_dup *d = c->extra;
	int64_t number;

	if (!d) {
		tracer.counts[c->id]++;
		return;
	}
	if (tracer.simulated)
		d->id = tracer.simulated->made();
	number = call_succeeded(c) ? call_add_request(c, REQUEST_ACTIVE | REQUEST_DUP) : -1;
	if (number < 0)
		return;
	tracer.requests.slots[number].extra = c->extra;
	comm_event(c, op, d->parent, NULL,
	           number); /* what it made: when it is complete (record_wait.c) */
}

void before_comm_free(struct call *c)
{
	tracer_lock();
	c->freed = comm_find(&tracer.comms, c->comm);
	tracer_unlock();
}

void record_comm_free(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (c->freed == COMM_NONE || !call_succeeded(c))
		return;
	trace_event_init(&ev, op);
	ev.comm = tracer.comms.items[c->freed].id;
	ev.flags |= c->id == CALL_Comm_disconnect ? TRACE_DISCONNECTS : 0;
	event_put(c, &ev);
	comm_remove(&tracer.comms, c->freed);
}

void record_comm_size(struct call *c, enum trace_op op)
{
	uint32_t i = comm_find(&tracer.comms, c->comm);
	struct trace_event ev;

	if (i == COMM_NONE)
		return;
	trace_event_init(&ev, op);
	ev.comm = tracer.comms.items[i].id;
	ev.count = c->count;
	event_put(c, &ev);
}
