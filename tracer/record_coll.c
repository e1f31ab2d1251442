/* record_coll.c: collectives, blocking and not. Arguments that MPI ignores are not looked at (they
 * may be garbage): what only the root gives, and the send side of calls in place, for which the
 * trace gets the size of the receive side. Conventions as in mp/coll.h. */
#include "operators.h"
#include "record.h"
#include "tracer.h"

#include <stdlib.h>
#include <string.h>

enum { TYPE_BYTE = 6 };

static void send_type(struct call *c, struct trace_event *ev)
{
	type_get(&tracer.types, c->type, &ev->type, &ev->type_size);
}

static void recv_type(struct call *c, struct trace_event *ev)
{
	type_get(&tracer.types, c->type2, &ev->type2, &ev->type_size2);
}

/* A side that this rank does not have. */
static void no_recv(struct trace_event *ev)
{
	ev->type2 = ev->type;
	ev->type_size2 = ev->type_size;
}

static void no_send(struct trace_event *ev)
{
	ev->type = ev->type2;
	ev->type_size = ev->type_size2;
}

static int64_t count_at(const struct call_counts *v, int i)
{
	return v->large ? ((const MPI_Count *)v->p)[i] : ((const int *)v->p)[i];
}

/* Per-rank counts in 64 bits; NULL when memory ran out. */
static const int64_t *counts_copy(int which, const struct call_counts *v, int n)
{
	int64_t *out = thread_numbers(which, n);

	for (int i = 0; out && i < n; i++)
		out[i] = count_at(v, i);
	return out;
}

static void send_counts(struct call *c, struct trace_event *ev, int n)
{
	ev->counts = counts_copy(0, &c->counts, n);
	ev->n_counts = ev->counts ? n : 0;
}

static void recv_counts(struct call *c, struct trace_event *ev, int n)
{
	ev->counts2 = counts_copy(1, &c->counts2, n);
	ev->n_counts2 = ev->counts2 ? n : 0;
}

/* One buffer: bcast, reductions. */
static void one_fill(struct call *c, struct trace_event *ev)
{
	ev->count = c->count;
	send_type(c, ev);
}

/* On an intercommunicator: the group of the root has the root and ranks that only watch. */
static int watches(const struct call *c, const struct comm *comm)
{
	return comm->remote && c->root == MPI_PROC_NULL;
}

/* Ranks on the other side of the call: those of the communicator, or of the other group. */
static int others(const struct comm *comm)
{
	return comm->remote ? comm->remote_size : comm->size;
}

static void nothing_fill(struct trace_event *ev)
{
	ev->type = ev->type2 = TYPE_BYTE;
	ev->type_size = ev->type_size2 = 1;
}

static void gather_fill(struct call *c, struct trace_event *ev, const struct comm *comm,
                        int at_root, int vector)
{
	if (at_root) {
		ev->count2 = vector ? 0 : c->count2;
		recv_type(c, ev);
		if (vector)
			recv_counts(c, ev, others(comm));
	}
	if (at_root && comm->remote) {
		no_send(ev);
		return;
	}
	if (at_root && c->in_place) {
		ev->count = vector ? count_at(&c->counts2, comm->rank) : c->count2;
		no_send(ev);
		return;
	}
	ev->count = c->count;
	send_type(c, ev);
	if (!at_root)
		no_recv(ev);
}

static void scatter_fill(struct call *c, struct trace_event *ev, const struct comm *comm,
                         int at_root, int vector)
{
	if (at_root) {
		ev->count = vector ? 0 : c->count;
		send_type(c, ev);
		if (vector)
			send_counts(c, ev, others(comm));
	}
	if (at_root && comm->remote) {
		no_recv(ev);
		return;
	}
	if (at_root && c->in_place) {
		ev->count2 = vector ? count_at(&c->counts, comm->rank) : c->count;
		no_recv(ev);
		return;
	}
	ev->count2 = c->count2;
	recv_type(c, ev);
	if (!at_root)
		no_send(ev);
}

static void alltoall_fill(struct call *c, struct trace_event *ev)
{
	ev->count2 = c->count2;
	recv_type(c, ev);
	ev->count = c->in_place ? c->count2 : c->count;
	if (c->in_place)
		no_send(ev);
	else
		send_type(c, ev);
}

static int64_t sum(const int64_t *counts, int64_t n)
{
	int64_t total = 0;

	for (int64_t i = 0; i < n; i++)
		total += counts[i];
	return total;
}

/* SimGrid's count and count2 of alltoallv are the sizes of the buffers. */
static void alltoallv_sums(struct trace_event *ev)
{
	ev->count = sum(ev->counts, ev->n_counts);
	ev->count2 = sum(ev->counts2, ev->n_counts2);
}

static void alltoallv_fill(struct call *c, struct trace_event *ev, int n_send, int n_recv)
{
	if (c->in_place)
		c->counts = c->counts2;
	send_counts(c, ev, n_send);
	recv_counts(c, ev, n_recv);
	recv_type(c, ev);
	if (c->in_place)
		no_send(ev);
	else
		send_type(c, ev);
	alltoallv_sums(ev);
}

/* Counts in bytes: each peer has a type of its own. */
static void bytes_fill(int64_t *counts, int n, const struct call_types *types)
{
	for (int i = 0; counts && i < n; i++) {
		MPI_Datatype type = types->fortran ? PMPI_Type_f2c(((const MPI_Fint *)types->p)[i])
		                                   : ((const MPI_Datatype *)types->p)[i];
		int64_t size = 0;
		int32_t id;

		if (counts[i] > 0)
			type_get(&tracer.types, type, &id, &size);
		counts[i] *= size;
	}
}

static void alltoallw_fill(struct call *c, struct trace_event *ev, int n_send, int n_recv)
{
	if (c->in_place) {
		c->counts = c->counts2;
		c->types = c->types2;
	}
	send_counts(c, ev, n_send);
	recv_counts(c, ev, n_recv);
	bytes_fill(thread.numbers, (int)ev->n_counts, &c->types);
	bytes_fill(thread.numbers2, (int)ev->n_counts2, &c->types2);
	ev->type = ev->type2 = TYPE_BYTE;
	ev->type_size = ev->type_size2 = 1;
	alltoallv_sums(ev);
}

static void allgatherv_fill(struct call *c, struct trace_event *ev, const struct comm *comm)
{
	recv_counts(c, ev, others(comm));
	recv_type(c, ev);
	ev->count = c->in_place ? count_at(&c->counts2, comm->rank) : c->count;
	if (c->in_place)
		no_send(ev);
	else
		send_type(c, ev);
}

static uint16_t op_flags(const struct call *c)
{
	int commutes = 1;

	if (PMPI_Op_commutative(c->op, &commutes) != MPI_SUCCESS)
		return TRACE_COMMUTATIVE_UNKNOWN;
	return commutes ? 0 : TRACE_NONCOMMUTATIVE;
}

static void reduction_fill(struct call *c, struct trace_event *ev, const struct comm *comm,
                           enum trace_op op)
{
	ev->flags |= op_flags(c) | operator_flags(c->op);
	send_type(c, ev);
	if (op == TRACE_REDUCE_SCATTER)
		recv_counts(c, ev, comm->size);
	else
		ev->count = op == TRACE_REDUCE_SCATTER_BLOCK ? c->count2 : c->count;
}

static void coll_fill(struct call *c, struct trace_event *ev, const struct comm *comm,
                      enum trace_op op)
{
	int at_root = comm->remote ? c->root == MPI_ROOT : c->root == comm->rank;

	if (watches(c, comm)) {
		nothing_fill(ev);
		return;
	}
	switch (op) {
	case TRACE_BARRIER:
		return;
	case TRACE_BCAST:
		one_fill(c, ev);
		return;
	case TRACE_GATHER:
	case TRACE_GATHERV:
		gather_fill(c, ev, comm, at_root, op == TRACE_GATHERV);
		return;
	case TRACE_SCATTER:
	case TRACE_SCATTERV:
		scatter_fill(c, ev, comm, at_root, op == TRACE_SCATTERV);
		return;
	case TRACE_ALLGATHER:
	case TRACE_ALLTOALL:
		alltoall_fill(c, ev);
		return;
	case TRACE_ALLGATHERV:
		allgatherv_fill(c, ev, comm);
		return;
	case TRACE_ALLTOALLV:
		alltoallv_fill(c, ev, others(comm), others(comm));
		return;
	case TRACE_ALLTOALLW:
		alltoallw_fill(c, ev, others(comm), others(comm));
		return;
	case TRACE_NEIGHBOR_ALLGATHER:
	case TRACE_NEIGHBOR_ALLTOALL:
		alltoall_fill(c, ev);
		return;
	case TRACE_NEIGHBOR_ALLGATHERV:
		one_fill(c, ev);
		recv_counts(c, ev, comm_sources(comm));
		recv_type(c, ev);
		return;
	case TRACE_NEIGHBOR_ALLTOALLV:
		alltoallv_fill(c, ev, comm_destinations(comm), comm_sources(comm));
		return;
	case TRACE_NEIGHBOR_ALLTOALLW:
		alltoallw_fill(c, ev, comm_destinations(comm), comm_sources(comm));
		return;
	default:
		reduction_fill(c, ev, comm, op);
	}
}

const struct comm *coll_event(struct call *c, enum trace_op op, struct trace_event *ev)
{
	const struct comm *comm = call_comm(c);

	if (!comm)
		return NULL;
	trace_event_init(ev, op);
	ev->comm = comm->id;
	ev->flags = c->in_place ? TRACE_IN_PLACE : 0;
	if (!trace_op_has(op, TRACE_ROOTED))
		c->root = 0;
	ev->root = c->root;
	if (comm->remote && trace_op_has(op, TRACE_ROOTED) && c->root < 0)
		ev->root = c->root == MPI_ROOT ? TRACE_ROOT : TRACE_PROC_NULL;
	coll_fill(c, ev, comm, op);
	return comm;
}

void record_coll(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (announced_finish(c) || call_refused(c) || !coll_event(c, op, &ev))
		return;
	operated_put(&ev);
	event_put(c, &ev);
}

void record_icoll(struct call *c, enum trace_op op)
{
	struct trace_event ev;

	if (announced_finish(c) || call_refused(c) || !coll_event(c, op, &ev))
		return;
	ev.flags |= TRACE_NONBLOCKING;
	ev.req = call_add_request(c, REQUEST_ACTIVE);
	operated_put(&ev);
	event_put(c, &ev);
}

/* An event that outlives its call: its arrays stand behind it. */
static struct trace_event *event_keep(const struct trace_event *ev)
{
	size_t n = (size_t)ev->n_counts, n2 = (size_t)ev->n_counts2;
	struct trace_event *copy = malloc(sizeof *copy + (n + n2) * sizeof(int64_t));
	int64_t *counts = (int64_t *)(copy + 1);

	if (!copy)
		return NULL;
	*copy = *ev;
	if (n)
		memcpy(counts, ev->counts, n * sizeof *counts);
	if (n2)
		memcpy(counts + n, ev->counts2, n2 * sizeof *counts);
	copy->counts = counts;
	copy->counts2 = counts + n;
	return copy;
}

/* Persistent collectives of a communicator are made in one order, and libraries let them be started
 * in any: each goes by a communicator of its own. REQUEST_OWN; 0: it has none. */
static uint16_t own_comm_make(struct call *c, struct trace_event *ev)
{
	struct comm *comm = &tracer.comms.items[comm_find(&tracer.comms, c->comm)];
	uint64_t id = comm_persistent_id(comm);
	struct err err;

	if (!id || !recording())
		return 0;
	if (comm_persistent_put(comm, id, &err) < 0)
		tracer_mute(&err);
	ev->comm = id;
	return REQUEST_OWN;
}

void record_coll_init(struct call *c, enum trace_op op)
{
	struct trace_event ev, *kept;
	struct err err;
	int64_t number;
	uint16_t own;

	if (call_refused(c) || !coll_event(c, op, &ev))
		return;
	own = own_comm_make(c, &ev);
	ev.flags |= TRACE_NONBLOCKING;
	if (tracer.simulated)
		operated_take(&ev);
	kept = event_keep(&ev);
	number = kept ? call_add_request(c, REQUEST_PERSISTENT | REQUEST_COLL | own) : -1;
	if (!kept) {
		err_nomem(&err, "a persistent collective", sizeof *kept);
		tracer_mute(&err);
	} else if (number >= 0) {
		tracer.requests.slots[number].extra = kept;
	} else {
		free(kept);
	}
}
