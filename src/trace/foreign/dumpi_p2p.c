/* dumpi_p2p.c: messages, requests and what completes them (dumpi_put.h). */
#include "dumpi_put.h"

#include <stdlib.h>

/* --- requests --- */

/* A slot for it, or HASH_NONE. */
static uint32_t live_slot(struct dumpi *d, const struct dumpi_live *live, struct err *err)
{
	struct dumpi_live *all = vec_grow(d->lives, &d->cap_lives, sizeof *all,
	                                  (size_t)d->n_lives + 1, "requests", err);
	uint32_t slot = d->free_lives;

	if (!all)
		return HASH_NONE;
	d->lives = all;
	if (slot != HASH_NONE)
		d->free_lives = all[slot].next;
	else
		slot = d->n_lives++;
	all[slot] = *live;
	all[slot].next = HASH_NONE;
	all[slot].last = slot;
	return slot;
}

/* The youngest of its number. */
static int live_add(struct dumpi *d, int64_t request, const struct dumpi_live *live,
                    struct err *err)
{
	uint32_t slot = live_slot(d, live, err), first;

	if (slot == HASH_NONE)
		return -1;
	first = hash64_find(&d->live, (uint64_t)request);
	if (first == HASH_NONE)
		return hash64_put(&d->live, (uint64_t)request, slot, err);
	d->lives[d->lives[first].last].next = slot;
	d->lives[first].last = slot;
	return 0;
}

/* The oldest of its number, as it was before it was taken. */
static int live_restore(struct dumpi *d, int64_t request, const struct dumpi_live *live,
                        struct err *err)
{
	uint32_t slot = live_slot(d, live, err), first;

	if (slot == HASH_NONE)
		return -1;
	first = hash64_find(&d->live, (uint64_t)request);
	if (first != HASH_NONE) {
		d->lives[slot].next = first;
		d->lives[slot].last = d->lives[first].last;
	}
	return hash64_put(&d->live, (uint64_t)request, slot, err);
}

/* The oldest request of this number is taken out: 1, or 0: there is none. */
static int live_take(struct dumpi *d, int64_t request, struct dumpi_live *out, struct err *err)
{
	uint32_t slot = hash64_find(&d->live, (uint64_t)request);

	if (slot == HASH_NONE)
		return 0;
	*out = d->lives[slot];
	if (out->next == HASH_NONE) {
		hash64_remove(&d->live, (uint64_t)request);
	} else {
		if (hash64_put(&d->live, (uint64_t)request, out->next, err) < 0)
			return -1;
		d->lives[out->next].last = out->last;
	}
	d->lives[slot].next = d->free_lives;
	d->free_lives = slot;
	return 1;
}

/* Non-blocking calls with MPI_PROC_NULL are complete at once: they are not put, and completions of
 * what is not live are passed over. */
int dumpi_request_put(struct dumpi *d, struct trace_event *ev, int64_t request, int persistent,
                      uint32_t receive, struct err *err)
{
	struct dumpi_live live = {
	    .number = d->requests++, .persistent = (uint8_t)persistent, .receive = receive};

	if (ev->peer == TRACE_PROC_NULL && !persistent)
		return 0;
	ev->req = live.number;
	return live_add(d, request, &live, err) < 0 ? -1 : dumpi_event_put(d, ev, err);
}

/* --- messages: count type peer tag communicator [request] --- */

static int message_fill(struct dumpi *d, const struct dumpi_call *c, enum trace_op op, int receive,
                        struct trace_event *ev, struct err *err)
{
	uint32_t comm;

	foreign_event(ev, op);
	if (dumpi_comm_of(d, c->v[4], &comm, err) < 0 ||
	    dumpi_type_put(d, c->v[1], &ev->type, &ev->type_size, err) < 0 ||
	    dumpi_peer_put(d, comm, c->v[2], receive, &ev->peer, err) < 0)
		return -1;
	ev->comm = d->f->comms[comm].id;
	ev->count = c->v[0];
	ev->tag = receive && c->v[3] < 0 ? TRACE_ANY : (int32_t)c->v[3];
	return 0;
}

/* A receive that took any source or tag: which it was, where the status says it. */
static int wild_fill(struct dumpi *d, struct trace_event *ev, int32_t *peer, int32_t *tag,
                     int64_t comm_number, const struct dumpi_status *got, struct err *err)
{
	uint32_t comm;

	if (*peer != TRACE_ANY && *tag != TRACE_ANY)
		return 0;
	if (dumpi_comm_of(d, comm_number, &comm, err) < 0)
		return -1;
	if (*peer == TRACE_ANY && got->source >= 0) {
		ev->flags |= TRACE_WILD_SOURCE;
		if (dumpi_peer_put(d, comm, got->source, 0, peer, err) < 0)
			return -1;
	}
	if (*tag == TRACE_ANY && got->tag >= 0) {
		ev->flags |= TRACE_WILD_TAG;
		*tag = got->tag;
	}
	return 0;
}

static int send_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (message_fill(d, c, (enum trace_op)op, 0, &ev, err) < 0)
		return -1;
	return trace_op_has((enum trace_op)op, TRACE_REQUEST)
	           ? dumpi_request_put(d, &ev, c->v[5], 0, HASH_NONE, err)
	           : dumpi_event_put(d, &ev, err);
}

static int recv_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;

	if (message_fill(d, c, (enum trace_op)op, 1, &ev, err) < 0)
		return -1;
	if (c->statuses > 0 && wild_fill(d, &ev, &ev.peer, &ev.tag, c->v[4], c->status, err) < 0)
		return -1;
	return dumpi_event_put(d, &ev, err);
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
	if (o->known &&
	    wild_fill(d, &ev, &ev.peer, &ev.tag, c->v[4],
	              &(struct dumpi_status){.source = o->source, .tag = o->tag}, err) < 0)
		return -1;
	return dumpi_request_put(d, &ev, c->v[5], 0, d->posted++, err);
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
	return dumpi_request_put(d, &ev, c->v[5], 1, HASH_NONE, err);
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
	if (dumpi_comm_of(d, number, &comm, err) < 0 ||
	    dumpi_type_put(d, v[1], &ev.type, &ev.type_size, err) < 0 ||
	    dumpi_type_put(d, replace ? v[1] : v[5], &ev.type2, &ev.type_size2, err) < 0 ||
	    dumpi_peer_put(d, comm, v[2], 0, &ev.peer, err) < 0 ||
	    dumpi_peer_put(d, comm, from, 1, &ev.peer2, err) < 0)
		return -1;
	ev.comm = d->f->comms[comm].id;
	ev.count = v[0];
	ev.count2 = replace ? v[0] : v[4];
	ev.tag = (int32_t)v[3];
	ev.tag2 = tag2 < 0 ? TRACE_ANY : (int32_t)tag2;
	if (c->statuses > 0 && wild_fill(d, &ev, &ev.peer2, &ev.tag2, number, c->status, err) < 0)
		return -1;
	return dumpi_event_put(d, &ev, err);
}

/* source tag communicator [flag] */
static int probe_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	struct trace_event ev;
	uint32_t comm;

	foreign_event(&ev, (enum trace_op)op);
	if (dumpi_comm_of(d, c->v[2], &comm, err) < 0 ||
	    dumpi_peer_put(d, comm, c->v[0], 1, &ev.peer, err) < 0)
		return -1;
	ev.comm = d->f->comms[comm].id;
	ev.tag = c->v[1] < 0 ? TRACE_ANY : (int32_t)c->v[1];
	ev.count = op == TRACE_IPROBE ? c->v[3] != 0 : 0;
	if (c->statuses > 0 && (op == TRACE_PROBE || ev.count) &&
	    wild_fill(d, &ev, &ev.peer, &ev.tag, c->v[2], c->status, err) < 0)
		return -1;
	return dumpi_event_put(d, &ev, err);
}

/* --- completion --- */

/* A request of a call: complete now (with this status, or NULL), or put back. */
static int live_end(struct dumpi *d, int64_t request, const struct dumpi_live *live, int complete,
                    const struct dumpi_status *s, struct err *err)
{
	if (complete && s && outcome_note(d, live, s, err) < 0)
		return -1;
	return complete && !live->persistent ? 0 : live_restore(d, request, live, err);
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
	           : dumpi_event_put(d, &ev, err);
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
	if (op == TRACE_CANCEL && live_restore(d, c->v[0], &live, err) < 0)
		return -1;
	return dumpi_event_put(d, &ev, err);
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
	for (uint32_t i = 0; i < n && r >= 0; i++)
		if (lives[i].number >= 0 && done_status(c, op, i) >= 0)
			done[ev->n_done++] = lives[i].number;
	for (uint32_t i = n; i > 0 && r >= 0; i--) { /* the last taken goes back first */
		int64_t k = lives[i - 1].number < 0 ? -1 : done_status(c, op, i - 1);

		if (lives[i - 1].number >= 0)
			r = live_end(d, c->a[0].at[i - 1], &lives[i - 1], k >= 0,
			             k >= 0 && k < c->statuses ? &c->status[k] : NULL, err);
	}
	free(lives);
	return r < 0 ? -1 : 0;
}

static int several_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	uint32_t n = c->a[0].n;
	int64_t *lists = dumpi_scratch(d, 2 * (size_t)n, err);
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
	return ev.n_reqs ? dumpi_event_put(d, &ev, err) : 0;
}

/* Persistent requests are live until they are freed. */
static int start_put(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err)
{
	const int one = !strcmp(c->name, "Start");
	const int64_t *ids = one ? c->v : c->a[0].at;
	uint32_t n = one ? 1 : c->a[0].n;
	int64_t *reqs = dumpi_scratch(d, n, err);
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
	return dumpi_event_put(d, &ev, err);
}

/* clang-format off */
const struct dumpi_row dumpi_p2p_rows[] = {
    {"Send", send_put, TRACE_SEND}, {"Ssend", send_put, TRACE_SSEND},
    {"Bsend", send_put, TRACE_BSEND}, {"Rsend", send_put, TRACE_RSEND},
    {"Isend", send_put, TRACE_ISEND}, {"Issend", send_put, TRACE_ISSEND},
    {"Ibsend", send_put, TRACE_IBSEND}, {"Irsend", send_put, TRACE_IRSEND},
    {"Recv", recv_put, TRACE_RECV}, {"Irecv", irecv_put, TRACE_IRECV},
    {"Sendrecv", sendrecv_put, TRACE_SENDRECV},
    {"Sendrecv_replace", sendrecv_put, TRACE_SENDRECV}, {"Probe", probe_put, TRACE_PROBE},
    {"Iprobe", probe_put, TRACE_IPROBE}, {"Send_init", init_put, TRACE_SEND_INIT},
    {"Ssend_init", init_put, TRACE_SSEND_INIT}, {"Bsend_init", init_put, TRACE_BSEND_INIT},
    {"Rsend_init", init_put, TRACE_RSEND_INIT}, {"Recv_init", init_put, TRACE_RECV_INIT},
    {"Start", start_put, TRACE_START}, {"Startall", start_put, TRACE_START},
    {"Wait", one_put, TRACE_WAIT}, {"Test", one_put, TRACE_TEST},
    {"Request_free", simple_put, TRACE_REQUEST_FREE}, {"Cancel", simple_put, TRACE_CANCEL},
    {"Waitall", several_put, TRACE_WAITALL}, {"Waitany", several_put, TRACE_WAITANY},
    {"Waitsome", several_put, TRACE_WAITSOME}, {"Testall", several_put, TRACE_TESTALL},
    {"Testany", several_put, TRACE_TESTANY}, {"Testsome", several_put, TRACE_TESTSOME},
    {NULL, NULL, 0},
};
/* clang-format on */
