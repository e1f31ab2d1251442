/* dumpi_put.c: what a call of a DUMPI trace becomes. A table says which function; each fills an
 * event from the numbers and lists of the record, in the order in which dumpi_record.c's table has
 * them. Calls that are not in it cost nothing on a network, or their kind is told as left out. */
#include "dumpi_int.h"

#include <stdlib.h>

enum { OP_USER = 15 };

static int comm_of(struct dumpi *d, int64_t number, uint32_t *out, struct err *err)
{
	*out = hash64_find(&d->comm_of, (uint64_t)number);
	if (*out != HASH_NONE)
		return 0;
	*out = 0;
	return err_set(err, ERR_INPUT, "%s: rank %u uses communicator %lld, which it has not made",
	               d->file.path, d->rank, (long long)number);
}

static int type_put(struct dumpi *d, int64_t number, int32_t *type, int64_t *size, struct err *err)
{
	struct dumpi_type t;

	if (dumpi_type_find(d, number, &t, err) < 0)
		return -1;
	*type = t.type;
	*size = t.size;
	return 0;
}

/* A rank of the communicator, as DUMPI writes it: -1 any source; other negative ones are the native
 * MPI_PROC_NULL. */
static int peer_put(struct dumpi *d, uint32_t comm, int64_t peer, int receive, int32_t *out,
                    struct err *err)
{
	*out = receive && peer == -1 ? TRACE_ANY : TRACE_PROC_NULL;
	if (peer < 0)
		return 0;
	if (comm == 1) {
		*out = (int32_t)d->rank;
		return 0;
	}
	return foreign_member(d->f, comm, peer, out, err);
}

static int put(struct dumpi *d, struct trace_event *ev, struct err *err)
{
	return foreign_put(d->f, d->rank, ev, err);
}

/* --- requests --- */

static int live_add(struct dumpi *d, int64_t request, const struct dumpi_live *live,
                    struct err *err)
{
	struct dumpi_live *all = vec_grow(d->lives, &d->cap_lives, sizeof *all,
	                                  (size_t)d->n_lives + 1, "requests", err);
	uint32_t slot = d->free_lives, last;

	if (!all)
		return -1;
	d->lives = all;
	if (slot != HASH_NONE)
		d->free_lives = all[slot].next;
	else
		slot = d->n_lives++;
	all[slot] = *live;
	all[slot].next = HASH_NONE;
	last = hash64_find(&d->live, (uint64_t)request);
	if (last == HASH_NONE)
		return hash64_put(&d->live, (uint64_t)request, slot, err);
	while (all[last].next != HASH_NONE)
		last = all[last].next;
	all[last].next = slot;
	return 0;
}

/* The oldest request of this number is taken out: 1, or 0: there is none. */
static int live_take(struct dumpi *d, int64_t request, struct dumpi_live *out, struct err *err)
{
	uint32_t slot = hash64_find(&d->live, (uint64_t)request);

	if (slot == HASH_NONE)
		return 0;
	*out = d->lives[slot];
	if (out->next == HASH_NONE)
		hash64_remove(&d->live, (uint64_t)request);
	else if (hash64_put(&d->live, (uint64_t)request, out->next, err) < 0)
		return -1;
	d->lives[slot].next = d->free_lives;
	d->free_lives = slot;
	return 1;
}

/* Non-blocking calls with MPI_PROC_NULL are complete at once: they are not put, and completions of
 * what is not live are passed over. */
static int request_put(struct dumpi *d, struct trace_event *ev, int64_t request, int persistent,
                       uint32_t receive, struct err *err)
{
	struct dumpi_live live = {
	    .number = d->requests++, .persistent = (uint8_t)persistent, .receive = receive};

	if (ev->peer == TRACE_PROC_NULL && !persistent)
		return 0;
	ev->req = live.number;
	return live_add(d, request, &live, err) < 0 ? -1 : put(d, ev, err);
}

/* --- messages: count type peer tag communicator [request] --- */

static int message_fill(struct dumpi *d, const struct dumpi_call *c, enum trace_op op, int receive,
                        struct trace_event *ev, struct err *err)
{
	uint32_t comm;

	foreign_event(ev, op);
	if (comm_of(d, c->v[4], &comm, err) < 0 ||
	    type_put(d, c->v[1], &ev->type, &ev->type_size, err) < 0 ||
	    peer_put(d, comm, c->v[2], receive, &ev->peer, err) < 0)
		return -1;
	ev->comm = d->f->comms[comm].id;
	ev->count = c->v[0];
	ev->tag = receive && c->v[3] < 0 ? TRACE_ANY : (int32_t)c->v[3];
	return 0;
}

/* A receive that took any source or tag: which it was, where the status says it. */
static int wild_fill(struct dumpi *d, struct trace_event *ev, int64_t comm_number, int32_t source,
                     int32_t tag, struct err *err)
{
	uint32_t comm;

	if (ev->peer != TRACE_ANY && ev->tag != TRACE_ANY)
		return 0;
	if (comm_of(d, comm_number, &comm, err) < 0)
		return -1;
	if (ev->peer == TRACE_ANY && source >= 0) {
		ev->flags |= TRACE_WILD_SOURCE;
		if (peer_put(d, comm, source, 0, &ev->peer, err) < 0)
			return -1;
	}
	if (ev->tag == TRACE_ANY && tag >= 0) {
		ev->flags |= TRACE_WILD_TAG;
		ev->tag = tag;
	}
	return 0;
}

static int send_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (message_fill(d, c, (enum trace_op)op, 0, &ev, err) < 0)
		return -1;
	return trace_op_has((enum trace_op)op, TRACE_REQUEST)
	           ? request_put(d, &ev, c->v[5], 0, HASH_NONE, err)
	           : put(d, &ev, err);
}

static int recv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (message_fill(d, c, (enum trace_op)op, 1, &ev, err) < 0)
		return -1;
	if (c->statuses > 0 &&
	    wild_fill(d, &ev, c->v[4], c->status->source, c->status->tag, err) < 0)
		return -1;
	return put(d, &ev, err);
}

static struct dumpi_outcome *outcome_at(struct dumpi *d, uint32_t i, struct err *err)
{
	struct dumpi_outcomes *o = &d->outcome[d->rank];
	struct dumpi_outcome *all = vec_grow(o->item, &o->cap, sizeof *all, (size_t)i + 1,
	                                     "receives", err);

	if (!all)
		return NULL;
	o->item = all;
	while (o->n <= i)
		all[o->n++] = (struct dumpi_outcome){0};
	return &all[i];
}

static int irecv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	const struct dumpi_outcome *o = outcome_at(d, d->posted, err);
	struct trace_event ev;

	if (!o || message_fill(d, c, (enum trace_op)op, 1, &ev, err) < 0)
		return -1;
	if (o->known && wild_fill(d, &ev, c->v[4], o->source, o->tag, err) < 0)
		return -1;
	return request_put(d, &ev, c->v[5], 0, d->posted++, err);
}

/* A receive completes, and its status is known. */
static int outcome_note(struct dumpi *d, const struct dumpi_live *live,
                        const struct dumpi_status *s, struct err *err)
{
	struct dumpi_outcome *o;

	if (live->receive == HASH_NONE || d->f->pass == 2)
		return 0;
	o = outcome_at(d, live->receive, err);
	if (!o)
		return -1;
	*o = (struct dumpi_outcome){.source = s->source, .tag = s->tag, .known = s->source >= 0};
	return 0;
}

static int init_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (message_fill(d, c, (enum trace_op)op, op == TRACE_RECV_INIT, &ev, err) < 0)
		return -1;
	return request_put(d, &ev, c->v[5], 1, HASH_NONE, err);
}

/* count type dest tag, count type source tag, communicator */
static int sendrecv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	int replace = !strcmp(c->name, "Sendrecv_replace");
	const int64_t *v = c->v;
	int64_t from = replace ? v[4] : v[6], tag2 = replace ? v[5] : v[7],
	        number = replace ? v[6] : v[8];
	struct trace_event ev;
	uint32_t comm;

	foreign_event(&ev, (enum trace_op)op);
	if (comm_of(d, number, &comm, err) < 0 ||
	    type_put(d, v[1], &ev.type, &ev.type_size, err) < 0 ||
	    type_put(d, replace ? v[1] : v[5], &ev.type2, &ev.type_size2, err) < 0 ||
	    peer_put(d, comm, v[2], 0, &ev.peer, err) < 0 ||
	    peer_put(d, comm, from, 1, &ev.peer2, err) < 0)
		return -1;
	ev.comm = d->f->comms[comm].id;
	ev.count = v[0];
	ev.count2 = replace ? v[0] : v[4];
	ev.tag = (int32_t)v[3];
	ev.tag2 = tag2 < 0 ? TRACE_ANY : (int32_t)tag2;
	if (ev.peer2 == TRACE_ANY && c->statuses > 0 &&
	    peer_put(d, comm, c->status->source, 0, &ev.peer2, err) < 0)
		return -1;
	if (ev.tag2 == TRACE_ANY && c->statuses > 0)
		ev.tag2 = c->status->tag;
	return put(d, &ev, err);
}

/* source tag communicator [flag] */
static int probe_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;
	uint32_t comm;

	foreign_event(&ev, (enum trace_op)op);
	if (comm_of(d, c->v[2], &comm, err) < 0 || peer_put(d, comm, c->v[0], 1, &ev.peer, err) < 0)
		return -1;
	ev.comm = d->f->comms[comm].id;
	ev.tag = c->v[1] < 0 ? TRACE_ANY : (int32_t)c->v[1];
	ev.count = op == TRACE_IPROBE ? c->v[3] != 0 : 0;
	if (c->statuses > 0 && (op == TRACE_PROBE || ev.count) &&
	    wild_fill(d, &ev, c->v[2], c->status->source, c->status->tag, err) < 0)
		return -1;
	return put(d, &ev, err);
}

/* --- completion --- */

/* A request of a call: complete now (with this status, or NULL), or put back. */
static int live_end(struct dumpi *d, int64_t request, const struct dumpi_live *live, int complete,
                    const struct dumpi_status *s, struct err *err)
{
	if (complete && s && outcome_note(d, live, s, err) < 0)
		return -1;
	return complete && !live->persistent ? 0 : live_add(d, request, live, err);
}

static int one_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	int complete = op == TRACE_WAIT || c->v[1];
	struct dumpi_live live;
	struct trace_event ev;
	int r = live_take(d, c->v[0], &live, err);

	if (r <= 0)
		return r;
	foreign_event(&ev, (enum trace_op)op);
	ev.req = live.number;
	ev.done = &live.number;
	ev.n_done = op == TRACE_TEST && complete;
	return live_end(d, c->v[0], &live, complete, c->statuses ? c->status : NULL, err) < 0
	           ? -1
	           : put(d, &ev, err);
}

static int simple_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct dumpi_live live;
	struct trace_event ev;
	int r = live_take(d, c->v[0], &live, err);

	if (r <= 0)
		return r;
	foreign_event(&ev, (enum trace_op)op);
	ev.req = live.number;
	if (op == TRACE_CANCEL && live_add(d, c->v[0], &live, err) < 0)
		return -1;
	return put(d, &ev, err);
}

static int64_t *scratch_get(struct dumpi *d, size_t n, struct err *err)
{
	int64_t *p = vec_grow(d->scratch, &d->cap_scratch, sizeof *p, n + 1, "requests", err);

	if (p)
		d->scratch = p;
	return p;
}

/* Whether the i-th of the call's list is complete by the call's own figures: the number of its
 * status, or -1. */
static int64_t done_status(const struct dumpi_call *c, int op, uint32_t i)
{
	if (op == TRACE_WAITALL || op == TRACE_TESTALL)
		return op == TRACE_WAITALL || c->v[1] ? (int64_t)i : -1;
	if (op == TRACE_WAITANY || op == TRACE_TESTANY)
		return c->v[1] == (int64_t)i && (op == TRACE_WAITANY || c->v[2]) ? 0 : -1;
	for (uint32_t k = 0; k < c->a[1].n; k++)
		if (c->a[1].at[k] == (int64_t)i)
			return k;
	return -1;
}

/* The call's requests, and those of them that it completed. */
static int requests_fill(struct dumpi *d, const struct dumpi_call *c, int op,
                         struct trace_event *ev, int64_t *reqs, int64_t *done, struct err *err)
{
	uint32_t n = c->a[0].n;
	struct dumpi_live *lives = malloc(((size_t)n + 1) * sizeof *lives);
	int r = 0;

	if (!lives)
		return err_nomem(err, "requests", n * sizeof *lives);
	for (uint32_t i = 0; i < n && r >= 0; i++) {
		r = live_take(d, c->a[0].at[i], &lives[i], err);
		if (r > 0)
			reqs[ev->n_reqs++] = lives[i].number;
		else
			lives[i].number = -1;
	}
	for (uint32_t i = 0; i < n && r >= 0; i++) {
		int64_t k = lives[i].number < 0 ? -1 : done_status(c, op, i);

		if (lives[i].number < 0)
			continue;
		if (k >= 0)
			done[ev->n_done++] = lives[i].number;
		r = live_end(d, c->a[0].at[i], &lives[i], k >= 0,
		             k >= 0 && k < c->statuses ? &c->status[k] : NULL, err);
	}
	free(lives);
	return r < 0 ? -1 : 0;
}

static int several_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	uint32_t n = c->a[0].n;
	int64_t *lists = scratch_get(d, 2 * (size_t)n, err);
	struct trace_event ev;

	if (!lists)
		return -1;
	foreign_event(&ev, (enum trace_op)op);
	ev.reqs = lists;
	ev.done = lists + n;
	if (requests_fill(d, c, op, &ev, lists, lists + n, err) < 0)
		return -1;
	if (op == TRACE_WAITALL)
		ev.n_done = 0;
	return ev.n_reqs ? put(d, &ev, err) : 0;
}

/* Persistent requests are live until they are freed. */
static int start_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	const int64_t *ids = c->a[0].n ? c->a[0].at : c->v;
	uint32_t n = c->a[0].n ? c->a[0].n : 1;
	int64_t *reqs = scratch_get(d, n, err);
	struct trace_event ev;

	if (!reqs)
		return -1;
	foreign_event(&ev, (enum trace_op)op);
	ev.reqs = reqs;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t slot = hash64_find(&d->live, (uint64_t)ids[i]);

		if (slot != HASH_NONE)
			reqs[ev.n_reqs++] = d->lives[slot].number;
	}
	return put(d, &ev, err);
}

/* --- collectives --- */

static int coll_begin(struct dumpi *d, struct trace_event *ev, int op, int64_t number,
                      struct err *err)
{
	uint32_t comm;

	foreign_event(ev, (enum trace_op)op);
	if (comm_of(d, number, &comm, err) < 0)
		return -1;
	ev->comm = d->f->comms[comm].id;
	return 0;
}

static int barrier_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	return coll_begin(d, &ev, op, c->v[0], err) < 0 ? -1 : put(d, &ev, err);
}

/* count type root communicator */
static int bcast_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[3], err) < 0 ||
	    type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.count = c->v[0];
	ev.root = (int32_t)c->v[2];
	return put(d, &ev, err);
}

/* count type operator [root] communicator */
static int reduce_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	int rooted = op == TRACE_REDUCE;
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[rooted ? 4 : 3], err) < 0 ||
	    type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.count = c->v[0];
	ev.root = rooted ? (int32_t)c->v[3] : 0;
	if (c->v[2] >= OP_USER)
		ev.flags |= TRACE_COMMUTATIVE_UNKNOWN;
	return put(d, &ev, err);
}

/* members, counts, type, operator, communicator */
static int reduce_scatter_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[3], err) < 0 ||
	    type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.counts2 = c->a[0].at;
	ev.n_counts2 = c->a[0].n;
	if (c->v[2] >= OP_USER)
		ev.flags |= TRACE_COMMUTATIVE_UNKNOWN;
	return put(d, &ev, err);
}

/* me, count type root communicator, (count type) at the root: gather's are first what is sent,
 * scatter's what is received. */
static int gather_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	const int64_t *v = c->v;
	int at_root = v[0] == v[3], gather = op == TRACE_GATHER;
	struct trace_event ev;
	int32_t type, other;
	int64_t size, other_size;

	if (coll_begin(d, &ev, op, v[4], err) < 0 || type_put(d, v[2], &type, &size, err) < 0 ||
	    type_put(d, at_root ? v[6] : v[2], &other, &other_size, err) < 0)
		return -1;
	ev.root = (int32_t)v[3];
	ev.count = gather || !at_root ? v[1] : v[5];
	ev.count2 = !gather || !at_root ? v[1] : v[5];
	ev.type = gather ? type : other;
	ev.type_size = gather ? size : other_size;
	ev.type2 = gather ? other : type;
	ev.type_size2 = gather ? other_size : size;
	return put(d, &ev, err);
}

/* gatherv: me, members, count, type, root, communicator, (counts, places), type. */
static int gatherv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[5], err) < 0 ||
	    type_put(d, c->v[3], &ev.type, &ev.type_size, err) < 0 ||
	    type_put(d, c->v[6], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.count = c->v[2];
	ev.root = (int32_t)c->v[4];
	ev.counts2 = c->a[0].at;
	ev.n_counts2 = c->a[0].n;
	return put(d, &ev, err);
}

/* scatterv: me, members, type, count, type, root, communicator, (counts, places). */
static int scatterv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[6], err) < 0 ||
	    type_put(d, c->v[0] == c->v[5] ? c->v[2] : c->v[4], &ev.type, &ev.type_size, err) < 0 ||
	    type_put(d, c->v[4], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.count2 = c->v[3];
	ev.root = (int32_t)c->v[5];
	ev.counts = c->a[0].at;
	ev.n_counts = c->a[0].n;
	return put(d, &ev, err);
}

/* count type count type communicator */
static int allgather_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[4], err) < 0 ||
	    type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0 ||
	    type_put(d, c->v[3], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.count = c->v[0];
	ev.count2 = c->v[2];
	return put(d, &ev, err);
}

/* members, count, type, counts, places, type, communicator */
static int allgatherv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[4], err) < 0 ||
	    type_put(d, c->v[2], &ev.type, &ev.type_size, err) < 0 ||
	    type_put(d, c->v[3], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.count = c->v[1];
	ev.counts2 = c->a[0].at;
	ev.n_counts2 = c->a[0].n;
	return put(d, &ev, err);
}

/* members, counts, places, type, counts, places, type, communicator */
static int alltoallv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (coll_begin(d, &ev, op, c->v[3], err) < 0 ||
	    type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0 ||
	    type_put(d, c->v[2], &ev.type2, &ev.type_size2, err) < 0)
		return -1;
	ev.counts = c->a[0].at;
	ev.n_counts = c->a[0].n;
	ev.counts2 = c->a[2].at;
	ev.n_counts2 = c->a[2].n;
	return put(d, &ev, err);
}

/* The same with a type for each: lists counts, places, types, counts, places, types. In bytes. */
static int alltoallw_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	uint32_t n = c->a[0].n < c->a[3].n ? c->a[0].n : c->a[3].n;
	int64_t *bytes = scratch_get(d, 2 * (size_t)n, err);
	struct trace_event ev;

	if (!bytes || coll_begin(d, &ev, op, c->v[1], err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct dumpi_type s, r;

		if (dumpi_type_find(d, c->a[2].at[i], &s, err) < 0 ||
		    dumpi_type_find(d, c->a[5].at[i], &r, err) < 0)
			return -1;
		bytes[i] = c->a[0].at[i] * s.size;
		bytes[n + i] = c->a[3].at[i] * r.size;
	}
	ev.counts = bytes;
	ev.counts2 = bytes + n;
	ev.n_counts = ev.n_counts2 = n;
	return put(d, &ev, err);
}

/* --- communicators, windows --- */

static int comm_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	static const struct {
		const char *name;
		int parent, made;
	} at[] = {{"Comm_dup", 0, 1},    {"Comm_split", 0, 3}, {"Comm_create", 0, 2},
	          {"Cart_create", 0, 3}, {"Cart_sub", 1, 2},   {"Graph_create", 1, 4}};
	struct dumpi_made made;
	struct trace_event ev;
	uint32_t parent, i = 0;

	if (dumpi_comms_take(d->comms, d->rank, &made) == 0)
		return 0; /* a group */
	while (strcmp(at[i].name, c->name) != 0)
		i++;
	foreign_event(&ev, (enum trace_op)op);
	if (comm_of(d, c->v[at[i].parent], &parent, err) < 0)
		return -1;
	ev.parent = d->f->comms[parent].id;
	if (made.comm >= 0) {
		const struct foreign_comm *f = &d->f->comms[made.comm];

		ev.comm = f->id;
		ev.members = f->members;
		ev.n_members = f->n;
		if (hash64_put(&d->comm_of, (uint64_t)c->v[at[i].made], (uint32_t)made.comm, err) <
		    0)
			return -1;
	} else
		ev.comm = 2;
	if (made.n_dims) {
		ev.flags |= TRACE_CART;
		ev.counts = made.dims;
		ev.counts2 = made.periods;
		ev.n_counts = ev.n_counts2 = made.n_dims;
	}
	return put(d, &ev, err);
}

static int comm_free_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	uint32_t comm = hash64_find(&d->comm_of, (uint64_t)c->v[0]);
	struct trace_event ev;

	if (comm == HASH_NONE || comm < 2)
		return 0;
	foreign_event(&ev, (enum trace_op)op);
	ev.comm = d->f->comms[comm].id;
	return put(d, &ev, err);
}

/* size, unit, info, communicator, window */
static int win_create_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;
	uint32_t comm;

	foreign_event(&ev, (enum trace_op)op);
	if (comm_of(d, c->v[3], &comm, err) < 0 ||
	    hash64_put(&d->win_comm, (uint64_t)c->v[4], comm, err) < 0)
		return -1;
	ev.comm = d->f->comms[comm].id;
	ev.count = c->v[0];
	ev.object = c->v[4];
	return put(d, &ev, err);
}

static int win_peer(struct dumpi *d, int64_t win, int64_t target, struct trace_event *ev,
                    struct err *err)
{
	uint32_t comm = hash64_find(&d->win_comm, (uint64_t)win);

	ev->object = win;
	return comm == HASH_NONE
	           ? err_set(err, ERR_INPUT, "%s: rank %u uses window %lld, which it has not made",
	                     d->file.path, d->rank, (long long)win)
	           : peer_put(d, comm, target, 0, &ev->peer, err);
}

/* count type target place count type [operator] window */
static int rma_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	foreign_event(&ev, (enum trace_op)op);
	if (type_put(d, c->v[1], &ev.type, &ev.type_size, err) < 0 ||
	    win_peer(d, c->v[op == TRACE_ACCUMULATE ? 7 : 6], c->v[2], &ev, err) < 0)
		return -1;
	ev.count = c->v[0];
	return put(d, &ev, err);
}

/* Calls of which the window is the last number. */
static int win_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	static const struct {
		int op, win, target;
	} at[] = {{TRACE_WIN_FENCE, 1, -1}, {TRACE_WIN_FREE, 0, -1}, {TRACE_WIN_COMPLETE, 0, -1},
	          {TRACE_WIN_WAIT, 0, -1},  {TRACE_WIN_LOCK, 3, 1},  {TRACE_WIN_UNLOCK, 1, 0}};
	struct trace_event ev;
	int i = 0;

	while (at[i].op != op)
		i++;
	foreign_event(&ev, (enum trace_op)op);
	ev.object = c->v[at[i].win];
	if (at[i].target >= 0 && win_peer(d, ev.object, c->v[at[i].target], &ev, err) < 0)
		return -1;
	if (op == TRACE_WIN_LOCK && c->v[0] == 2)
		ev.flags |= TRACE_EXCLUSIVE;
	return put(d, &ev, err);
}

static int win_group_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct dumpi_made made;
	struct trace_event ev;

	dumpi_comms_take(d->comms, d->rank, &made);
	foreign_event(&ev, (enum trace_op)op);
	ev.object = c->v[2];
	ev.members = made.members;
	ev.n_members = made.n;
	return put(d, &ev, err);
}

static int group_take(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct dumpi_made made;

	(void)c, (void)op, (void)err;
	dumpi_comms_take(d->comms, d->rank, &made);
	return 0;
}

/* --- files --- */

static int file_open_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;
	uint32_t comm;
	char *name;
	int r;

	foreign_event(&ev, (enum trace_op)op);
	if (comm_of(d, c->v[0], &comm, err) < 0)
		return -1;
	name = strndup(c->text ? c->text : "", c->n_text);
	if (!name)
		return err_nomem(err, "a file name", c->n_text);
	ev.comm = d->f->comms[comm].id;
	ev.text = *name ? name : "?";
	ev.object = c->v[3];
	r = put(d, &ev, err);
	free(name);
	return r;
}

static int file_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	foreign_event(&ev, (enum trace_op)op);
	ev.object = c->v[0];
	return put(d, &ev, err);
}

/* file [offset] count type */
static int file_access_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	int at = strstr(c->name, "_at") != NULL;
	struct trace_event ev;

	foreign_event(&ev, (enum trace_op)op);
	if (type_put(d, c->v[2 + at], &ev.type, &ev.type_size, err) < 0)
		return -1;
	ev.object = c->v[0];
	ev.count = c->v[1 + at];
	return put(d, &ev, err);
}

static int finalize_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	(void)c;
	d->ended |= op == TRACE_FINALIZE;
	foreign_event(&ev, (enum trace_op)op);
	return put(d, &ev, err);
}

static int left_out(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	(void)op;
	return foreign_note(d->f, err, "calls of MPI_%s are left out", c->name);
}

typedef int put_function(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err);
/* clang-format off */
static const struct {
	const char *name;
	put_function *put;
	int op;
} table[] = {
    {"Init", finalize_put, TRACE_INIT}, {"Init_thread", finalize_put, TRACE_INIT}, {"Finalize", finalize_put, TRACE_FINALIZE},
    {"Send", send_put, TRACE_SEND}, {"Ssend", send_put, TRACE_SSEND}, {"Bsend", send_put, TRACE_BSEND},
    {"Rsend", send_put, TRACE_RSEND}, {"Isend", send_put, TRACE_ISEND}, {"Issend", send_put, TRACE_ISSEND},
    {"Ibsend", send_put, TRACE_IBSEND}, {"Irsend", send_put, TRACE_IRSEND}, {"Recv", recv_put, TRACE_RECV},
    {"Irecv", irecv_put, TRACE_IRECV}, {"Sendrecv", sendrecv_put, TRACE_SENDRECV},
    {"Sendrecv_replace", sendrecv_put, TRACE_SENDRECV}, {"Probe", probe_put, TRACE_PROBE}, {"Iprobe", probe_put, TRACE_IPROBE},
    {"Send_init", init_put, TRACE_SEND_INIT}, {"Ssend_init", init_put, TRACE_SSEND_INIT},
    {"Bsend_init", init_put, TRACE_BSEND_INIT}, {"Rsend_init", init_put, TRACE_RSEND_INIT},
    {"Recv_init", init_put, TRACE_RECV_INIT}, {"Start", start_put, TRACE_START}, {"Startall", start_put, TRACE_START},
    {"Wait", one_put, TRACE_WAIT}, {"Test", one_put, TRACE_TEST}, {"Request_free", simple_put, TRACE_REQUEST_FREE},
    {"Cancel", simple_put, TRACE_CANCEL}, {"Waitall", several_put, TRACE_WAITALL}, {"Waitany", several_put, TRACE_WAITANY},
    {"Waitsome", several_put, TRACE_WAITSOME}, {"Testall", several_put, TRACE_TESTALL},
    {"Testany", several_put, TRACE_TESTANY}, {"Testsome", several_put, TRACE_TESTSOME},
    {"Barrier", barrier_put, TRACE_BARRIER}, {"Bcast", bcast_put, TRACE_BCAST}, {"Reduce", reduce_put, TRACE_REDUCE},
    {"Allreduce", reduce_put, TRACE_ALLREDUCE}, {"Scan", reduce_put, TRACE_SCAN}, {"Exscan", reduce_put, TRACE_EXSCAN},
    {"Reduce_scatter", reduce_scatter_put, TRACE_REDUCE_SCATTER}, {"Gather", gather_put, TRACE_GATHER},
    {"Scatter", gather_put, TRACE_SCATTER}, {"Gatherv", gatherv_put, TRACE_GATHERV}, {"Scatterv", scatterv_put, TRACE_SCATTERV},
    {"Allgather", allgather_put, TRACE_ALLGATHER}, {"Alltoall", allgather_put, TRACE_ALLTOALL},
    {"Allgatherv", allgatherv_put, TRACE_ALLGATHERV}, {"Alltoallv", alltoallv_put, TRACE_ALLTOALLV},
    {"Alltoallw", alltoallw_put, TRACE_ALLTOALLW},
    {"Comm_dup", comm_put, TRACE_COMM_DUP}, {"Comm_split", comm_put, TRACE_COMM_SPLIT},
    {"Comm_create", comm_put, TRACE_COMM_CREATE}, {"Cart_create", comm_put, TRACE_COMM_CREATE},
    {"Cart_sub", comm_put, TRACE_COMM_SPLIT}, {"Graph_create", comm_put, TRACE_COMM_CREATE},
    {"Comm_free", comm_free_put, TRACE_COMM_FREE}, {"Comm_disconnect", comm_free_put, TRACE_COMM_FREE},
    {"Comm_group", group_take, 0}, {"Group_union", group_take, 0}, {"Group_intersection", group_take, 0},
    {"Group_difference", group_take, 0}, {"Group_incl", group_take, 0}, {"Group_excl", group_take, 0},
    {"Group_range_incl", group_take, 0}, {"Group_range_excl", group_take, 0},
    {"Win_create", win_create_put, TRACE_WIN_CREATE}, {"Win_free", win_put, TRACE_WIN_FREE},
    {"Win_fence", win_put, TRACE_WIN_FENCE}, {"Win_complete", win_put, TRACE_WIN_COMPLETE}, {"Win_wait", win_put, TRACE_WIN_WAIT},
    {"Win_lock", win_put, TRACE_WIN_LOCK}, {"Win_unlock", win_put, TRACE_WIN_UNLOCK},
    {"Win_post", win_group_put, TRACE_WIN_POST}, {"Win_start", win_group_put, TRACE_WIN_START},
    {"Put", rma_put, TRACE_PUT}, {"Get", rma_put, TRACE_GET}, {"Accumulate", rma_put, TRACE_ACCUMULATE},
    {"Win_test", left_out, 0}, {"Comm_spawn", left_out, 0}, {"Comm_spawn_multiple", left_out, 0}, {"Comm_accept", left_out, 0},
    {"Comm_connect", left_out, 0}, {"Comm_join", left_out, 0},
    {"File_open", file_open_put, TRACE_FILE_OPEN}, {"File_close", file_put, TRACE_FILE_CLOSE},
    {"File_sync", file_put, TRACE_FILE_SYNC}, {"File_set_size", file_put, TRACE_FILE_SET}, {"File_set_view", file_put, TRACE_FILE_SET},
    {"File_set_atomicity", file_put, TRACE_FILE_SET}, {"File_preallocate", file_put, TRACE_FILE_SET},
    {"File_seek_shared", file_put, TRACE_FILE_SET}, {"File_read", file_access_put, TRACE_FILE_READ},
    {"File_read_at", file_access_put, TRACE_FILE_READ}, {"File_read_all", file_access_put, TRACE_FILE_READ_ALL},
    {"File_read_at_all", file_access_put, TRACE_FILE_READ_ALL}, {"File_read_shared", file_access_put, TRACE_FILE_READ_SHARED},
    {"File_read_ordered", file_access_put, TRACE_FILE_READ_ORDERED}, {"File_write", file_access_put, TRACE_FILE_WRITE},
    {"File_write_at", file_access_put, TRACE_FILE_WRITE}, {"File_write_all", file_access_put, TRACE_FILE_WRITE_ALL},
    {"File_write_at_all", file_access_put, TRACE_FILE_WRITE_ALL}, {"File_write_shared", file_access_put, TRACE_FILE_WRITE_SHARED},
    {"File_write_ordered", file_access_put, TRACE_FILE_WRITE_ORDERED},
    {"File_read_all_begin", file_access_put, TRACE_FILE_READ_ALL}, {"File_read_at_all_begin", file_access_put, TRACE_FILE_READ_ALL},
    {"File_read_ordered_begin", file_access_put, TRACE_FILE_READ_ORDERED},
    {"File_write_all_begin", file_access_put, TRACE_FILE_WRITE_ALL},
    {"File_write_at_all_begin", file_access_put, TRACE_FILE_WRITE_ALL},
    {"File_write_ordered_begin", file_access_put, TRACE_FILE_WRITE_ORDERED},
    {"File_iread", left_out, 0}, {"File_iread_at", left_out, 0}, {"File_iread_shared", left_out, 0},
    {"File_iwrite", left_out, 0}, {"File_iwrite_at", left_out, 0}, {"File_iwrite_shared", left_out, 0},
};
/* clang-format on */

/* The time since the last call was left, by the processor's clock where it was recorded. */
static int computation_put(struct dumpi *d, const struct dumpi_call *c, struct err *err)
{
	const int64_t *clock = c->cpu[0] >= 0 ? c->cpu : c->wall;
	int64_t before = d->left;
	int64_t counted = c->counted[0] - d->counted;

	d->left = clock[1];
	d->counted = c->counted[1];
	if (before < 0 || clock[0] < before)
		return 0;
	return foreign_compute(d->f, d->rank, (double)(clock[0] - before),
	                       c->has_counted ? (double)counted : -1, err);
}

int dumpi_call_put(struct dumpi *d, const struct dumpi_call *c, struct err *err)
{
	int about_types;

	if (!strncmp(c->name, "Function_", 9))
		return 0;
	if (computation_put(d, c, err) < 0)
		return -1;
	about_types = dumpi_type_call(d, c, err);
	if (about_types != 0)
		return about_types < 0 ? -1 : 0;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].name, c->name))
			return table[i].put(d, c, table[i].op, err);
	return 0;
}
