/* stage.c: each rank says its part (stage.h): an event of the trace becomes none, one or a few. */
#include "stage_int.h"

#include <stdlib.h>
#include <string.h>

struct speaking {
	struct stage *s;
	struct stage_rank *r;
	uint32_t rank;
	struct err *err;
};

/* --- what is said --- */

static struct trace_event *say(struct speaking *k, const struct trace_event *ev)
{
	struct stage_rank *r = k->r;
	struct trace_event *out = vec_grow(r->out, &r->cap_out, sizeof *out, (size_t)r->outs + 1,
	                                   "events of a trace", k->err);

	if (!out)
		return NULL;
	r->out = out;
	out[r->outs] = *ev;
	return &out[r->outs++];
}

static uint32_t id_new(struct stage_rank *r)
{
	return r->ids > 0 ? r->id[--r->ids] : r->next_id++;
}

static int id_free(struct speaking *k, uint32_t id)
{
	struct stage_rank *r = k->r;
	uint32_t *v = vec_grow(r->id, &r->cap_ids, sizeof *v, (size_t)r->ids + 1, "requests",
	                       k->err);

	if (!v)
		return -1;
	r->id = v;
	v[r->ids++] = id;
	return 0;
}

/* A request to be waited for by the next say_waits. */
static int list_add(struct speaking *k, uint32_t id)
{
	struct stage_rank *r = k->r;
	int64_t *v = vec_grow(r->list, &r->cap_list, sizeof *v, (size_t)r->listed + 1, "requests",
	                      k->err);

	if (!v)
		return -1;
	r->list = v;
	v[r->listed++] = id;
	return 0;
}

/* A waitall of what was listed from `from` on; its list stays until the next event is asked for. */
static int say_waits(struct speaking *k, uint32_t from, const struct trace_event *like)
{
	struct stage_rank *r = k->r;
	struct trace_event ev;

	if (from == r->listed)
		return 0;
	trace_event_init(&ev, TRACE_WAITALL);
	ev.n_reqs = r->listed - from;
	ev.req = from; /* where in the list: pointers move; stage_next puts it right */
	ev.duration = like ? like->duration : -1;
	ev.place = like ? like->place : 0;
	ev.drawn = TRACE_DRAWN_EVENT;
	for (uint32_t i = from; i < r->listed; i++)
		if (id_free(k, (uint32_t)r->list[i]) < 0)
			return -1;
	return say(k, &ev) ? 0 : -1;
}

/* --- messages to this rank --- */

static int pending_add(struct speaking *k, uint32_t id, int64_t date)
{
	struct stage_rank *r = k->r;
	struct stage_pending *v = vec_grow(r->pending, &r->cap_pending, sizeof *v,
	                                   (size_t)r->pendings + 1, "messages of a trace", k->err);
	uint32_t i = r->pendings;

	if (!v)
		return -1;
	r->pending = v;
	for (; i > 0 && v[i - 1].date > date; i--)
		v[i] = v[i - 1];
	v[i] = (struct stage_pending){id, date};
	r->pendings++;
	return 0;
}

static int message_post(struct speaking *k, const struct stage_message *m)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_IRECV);
	ev.peer = m->from;
	ev.tag = m->tag;
	ev.comm = m->comm;
	ev.count = m->count;
	ev.type = m->type;
	ev.type_size = m->size;
	ev.req = id_new(k->r);
	ev.place = k->r->spoken.ev.place;
	ev.drawn = TRACE_DRAWN_EVENT;
	return say(k, &ev) ? pending_add(k, (uint32_t)ev.req, m->date) : -1;
}

static int comm_is_known(const struct stage_rank *r, uint64_t comm)
{
	return comm <= 1 || hash64_find(&r->known, comm) != HASH_NONE;
}

static int later_add(struct speaking *k, const struct stage_message *m)
{
	struct stage_rank *r = k->r;
	struct stage_message *v = vec_grow(r->later, &r->cap_later, sizeof *v,
	                                   (size_t)r->laters + 1, "messages of a trace", k->err);

	if (!v)
		return -1;
	r->later = v;
	v[r->laters++] = *m;
	return 0;
}

/* A communicator is there: what comes on it is posted. */
static int comm_known(struct speaking *k, uint64_t comm)
{
	struct stage_rank *r = k->r;
	uint32_t kept = 0;

	if (hash64_put(&r->known, comm, 1, k->err) < 0)
		return -1;
	for (uint32_t i = 0; i < r->laters; i++) {
		if (r->later[i].comm != comm)
			r->later[kept++] = r->later[i];
		else if (message_post(k, &r->later[i]) < 0)
			return -1;
	}
	r->laters = kept;
	return 0;
}

static int message_compare(const void *a, const void *b)
{
	const struct stage_message *x = a, *y = b;

	if (x->date != y->date)
		return (x->date > y->date) - (x->date < y->date);
	return (x->from > y->from) - (x->from < y->from);
}

/* Of one sender, messages stay in its order: its dates rise. */
static int window_post(struct speaking *k)
{
	struct stage_rank *r = k->r;
	uint32_t from = r->first, n = 0;

	while (from + n < r->messages && r->message[from + n].window == r->window)
		n++;
	if (n > 1)
		qsort(r->message + from, n, sizeof *r->message, message_compare);
	for (uint32_t i = from; i < from + n; i++)
		if ((comm_is_known(r, r->message[i].comm) ? message_post(k, &r->message[i])
		                                          : later_add(k, &r->message[i])) < 0)
			return -1;
	r->first = from + n;
	r->window++;
	return 0;
}

/* Begins all windows up to the one that has this date. */
static int windows_begin(struct speaking *k, int64_t date)
{
	int more = 1;

	while (more > 0 && (k->r->window == 0 || k->s->limit[k->r->window - 1] <= date)) {
		if (k->r->window == k->s->windows)
			more = stage_compose(k->s, k->err);
		if (more > 0 && window_post(k) < 0)
			return -1;
	}
	return more;
}

/* Takes up to n messages sent before a date to be waited for. */
static int pending_take(struct speaking *k, uint64_t n, int64_t before)
{
	struct stage_rank *r = k->r;
	uint32_t i = 0;

	while (i < r->pendings && i < n && r->pending[i].date < before)
		if (list_add(k, r->pending[i++].id) < 0)
			return -1;
	if (i > 0)
		memmove(r->pending, r->pending + i, (r->pendings - i) * sizeof *r->pending);
	r->pendings -= i;
	return (int)i;
}

/* So many receives of the trace end here. */
static int receives_end(struct speaking *k, uint64_t n, int64_t before)
{
	int got = n ? pending_take(k, n + k->r->owed, before) : 0;

	if (got < 0)
		return -1;
	k->r->owed = k->r->owed + n - (uint64_t)got;
	return 0;
}

/* --- events --- */

/* Where a wait that ends now may look for messages: not behind the windows that were begun. */
static int64_t end_of(const struct speaking *k, const struct trace_event *ev)
{
	int64_t end = k->r->spoken.date + part_duration(ev);
	int64_t limit = k->s->limit[k->r->window - 1];

	return end < limit ? end : limit;
}

static int send_start(struct speaking *k, const struct trace_event *ev, uint32_t *id)
{
	struct trace_event out = *ev;

	out.op = ev->op == TRACE_SSEND || ev->op == TRACE_ISSEND || ev->op == TRACE_SSEND_INIT
	             ? TRACE_ISSEND
	         : ev->op == TRACE_BSEND_INIT || ev->op == TRACE_IBSEND ? TRACE_IBSEND
	                                                                : TRACE_ISEND;
	*id = id_new(k->r);
	out.req = *id;
	out.peer2 = out.tag2 = 0;
	out.count2 = out.type_size2 = 0;
	out.type2 = 0;
	return say(k, &out) ? 0 : -1;
}

/* The number of a request that nobody waited for goes to another: it is waited for later. */
static int orphan_add(struct speaking *k, const struct stage_request *q)
{
	struct stage_rank *r = k->r;
	uint32_t *v;

	if (!q->active || q->kind == REQUEST_RECV)
		return 0;
	v = vec_grow(r->orphan, &r->cap_orphan, sizeof *v, (size_t)r->orphans + 1, "requests",
	             k->err);
	if (!v)
		return -1;
	r->orphan = v;
	v[r->orphans++] = q->id;
	return 0;
}

static int orphans_list(struct speaking *k)
{
	for (; k->r->orphans > 0; k->r->orphans--)
		if (list_add(k, k->r->orphan[k->r->orphans - 1]) < 0)
			return -1;
	return 0;
}

static int request_set(struct speaking *k, int64_t number, enum request_kind kind, uint32_t id)
{
	struct stage_request *r = part_request_add(&k->r->spoken, number, k->err);

	if (!r || orphan_add(k, r) < 0)
		return -1;
	*r = (struct stage_request){.kind = (uint8_t)kind, .active = 1, .id = id};
	return 0;
}

static int starts(struct speaking *k, const struct trace_event *ev)
{
	for (int64_t i = 0; i < ev->n_reqs; i++) {
		struct stage_request *r = part_request(&k->r->spoken, ev->reqs[i]);

		if (!r || !r->persistent || orphan_add(k, r) < 0)
			continue;
		r->active = 1;
		if (r->kind == REQUEST_SEND && send_start(k, &r->made, &r->id) < 0)
			return -1;
	}
	return 0;
}

/* Who meets others stands still until the last of them is there: what is sent until then is posted
 * before. */
static int sync_begin(struct speaking *k)
{
	while (k->r->synced == k->r->syncs && k->s->alive > 0)
		if (stage_compose(k->s, k->err) < 0)
			return -1;
	k->r->awaits_sync = 1;
	return k->r->synced < k->r->syncs ? windows_begin(k, k->r->sync[k->r->synced]) : 0;
}

struct ending {
	struct speaking *k;
	uint64_t receives;
	int meets;
};

static int request_end(void *self, int64_t number, struct err *err)
{
	struct ending *e = self;
	struct stage_request *r = part_request(&e->k->r->spoken, number);

	(void)err;
	if (!r || !r->active)
		return 0;
	if (r->kind == REQUEST_RECV)
		e->receives++;
	else if (list_add(e->k, r->id) < 0)
		return -1;
	e->meets |= r->kind == REQUEST_MEETING;
	part_request_end(&e->k->r->spoken, number);
	return 0;
}

static int waits(struct speaking *k, const struct trace_event *ev)
{
	struct ending e = {.k = k};
	uint32_t from = k->r->listed;

	if (part_completed(ev, request_end, &e, k->err) < 0 ||
	    receives_end(k, e.receives, end_of(k, ev)) < 0)
		return -1;
	if (e.meets && sync_begin(k) < 0)
		return -1;
	return say_waits(k, from, ev);
}

/* Before a collective, what was sent until now is received. */
static int meets(struct speaking *k, const struct trace_event *ev)
{
	struct trace_event out = *ev;
	uint32_t from = k->r->listed;
	int nonblocking = ev->flags & TRACE_NONBLOCKING && ev->req >= 0;

	if (!nonblocking &&
	    (orphans_list(k) < 0 || pending_take(k, UINT64_MAX, k->r->spoken.date) < 0 ||
	     say_waits(k, from, NULL) < 0))
		return -1;
	if (!nonblocking && sync_begin(k) < 0)
		return -1;
	if (nonblocking) {
		out.req = id_new(k->r);
		if (request_set(k, ev->req, REQUEST_MEETING, (uint32_t)out.req) < 0)
			return -1;
	}
	if (!say(k, &out))
		return -1;
	return trace_op_makes_comm((enum trace_op)ev->op) && ev->n_members > 0
	           ? comm_known(k, ev->comm)
	           : 0;
}

static int receive(struct speaking *k, const struct trace_event *ev, uint32_t from)
{
	return receives_end(k, 1, end_of(k, ev)) < 0 ? -1 : say_waits(k, from, ev);
}

static int sendrecv(struct speaking *k, const struct trace_event *ev)
{
	uint32_t from = k->r->listed, id;

	if (send_start(k, ev, &id) < 0 || list_add(k, id) < 0)
		return -1;
	return receive(k, ev, from);
}

static int persistent_add(struct speaking *k, const struct trace_event *ev)
{
	struct stage_request *r = part_request_add(&k->r->spoken, ev->req, k->err);

	if (!r)
		return -1;
	*r = (struct stage_request){.kind = ev->op == TRACE_RECV_INIT ? REQUEST_RECV : REQUEST_SEND,
	                            .persistent = 1,
	                            .made = *ev};
	return 0;
}

/* The end: what was not waited for is. All is composed by then. */
static int ends(struct speaking *k)
{
	struct stage_part *p = &k->r->spoken;
	uint32_t from = k->r->listed;

	if (windows_begin(k, INT64_MAX) < 0)
		return -1;
	for (uint32_t i = 0; i < p->requests; i++) {
		struct stage_request *r = &p->request[i];

		if (r->active && r->kind != REQUEST_RECV && list_add(k, r->id) < 0)
			return -1;
		r->active = 0;
	}
	if (orphans_list(k) < 0 || pending_take(k, UINT64_MAX, INT64_MAX) < 0)
		return -1;
	return say_waits(k, from, NULL);
}

static int message_speak(struct speaking *k, const struct trace_event *ev)
{
	struct trace_event out = *ev;
	uint32_t id;

	switch (ev->op) {
	case TRACE_ISEND:
	case TRACE_ISSEND:
	case TRACE_IBSEND:
	case TRACE_IRSEND:
		return send_start(k, ev, &id) < 0 ? -1 : request_set(k, ev->req, REQUEST_SEND, id);
	case TRACE_RSEND: /* who receives may be there later than it was */
		out.op = TRACE_SEND;
		return say(k, &out) ? 0 : -1;
	case TRACE_RECV:
	case TRACE_MRECV:
		return receive(k, ev, k->r->listed);
	case TRACE_IRECV:
	case TRACE_IMRECV:
		return request_set(k, ev->req, REQUEST_RECV, STAGE_NONE);
	case TRACE_SENDRECV:
		return sendrecv(k, ev);
	case TRACE_PROBE:
	case TRACE_IPROBE:
	case TRACE_MPROBE:
	case TRACE_CANCEL:
	case TRACE_REQUEST_FREE:
		return 0;
	case TRACE_START:
		return starts(k, ev);
	default:
		return say(k, ev) ? 0 : -1;
	}
}

static int event_speak(struct speaking *k)
{
	const struct trace_event *ev = &k->r->spoken.ev;
	uint64_t comm;

	if (op_meets(ev, &comm))
		return meets(k, ev);
	if (trace_op_has(ev->op, TRACE_COMPLETES))
		return waits(k, ev);
	if (trace_op_has(ev->op, TRACE_PERSISTENT))
		return persistent_add(k, ev);
	if (ev->op == TRACE_FINALIZE && ends(k) < 0)
		return -1;
	return message_speak(k, ev);
}

/* The date after what was said last: if it met others, when they were there. */
static void date_pass(struct speaking *k)
{
	struct stage_rank *r = k->r;
	int64_t sync = -1;

	if (r->awaits_sync && r->synced < r->syncs)
		sync = r->sync[r->synced++];
	r->awaits_sync = 0;
	r->spoken.date += part_duration(&r->spoken.ev);
	if (r->spoken.date <= sync)
		r->spoken.date = sync + 1;
}

/* Until something is said, or the rank is at its end: 1, 0, -1. */
static int speak(struct speaking *k)
{
	struct stage_rank *r = k->r;
	struct stage_part *p = &r->spoken;
	int more;

	while (r->said == r->outs) {
		r->said = r->outs = r->listed = 0;
		if (p->has && r->begun)
			date_pass(k);
		p->has = 0;
		more = part_read(k->s, k->rank, SPEAKING, k->err);
		if (more < 0 || (more == 0 && r->begun == 2))
			return more;
		if (more == 0) { /* without MPI_Finalize */
			r->begun = 2;
			if (ends(k) < 0)
				return -1;
			continue;
		}
		/* Nothing is posted before MPI_Init. */
		if (!r->begun && p->ev.op != TRACE_INIT && windows_begin(k, p->date) < 0)
			return -1;
		if (r->begun && windows_begin(k, p->date) < 0)
			return -1;
		r->begun = 1;
		if (p->ev.op == TRACE_FINALIZE)
			r->begun = 2;
		if (p->ev.op == TRACE_INIT ? !say(k, &p->ev) : event_speak(k) < 0)
			return -1;
	}
	return 1;
}

int stage_next(struct stage *s, uint32_t rank, struct trace_event *ev, struct err *err)
{
	struct speaking k = {s, &s->rank[rank], rank, err};
	int more = speak(&k);

	if (more <= 0)
		return more;
	*ev = k.r->out[k.r->said++];
	if (ev->op == TRACE_WAITALL) {
		ev->reqs = k.r->list + ev->req;
		ev->req = -1;
		if (ev->n_reqs == 1) {
			ev->op = TRACE_WAIT;
			ev->req = ev->reqs[0];
			ev->n_reqs = 0;
			ev->reqs = NULL;
		}
	}
	return 1;
}

struct stage *stage_new(uint32_t ranks, stage_raw *raw, void *self, struct err *err)
{
	struct stage *s = calloc(1, sizeof *s);

	if (s) {
		*s = (struct stage){.ranks = ranks,
		                    .only = STAGE_NONE,
		                    .raw = raw,
		                    .self = self,
		                    .step = 1000,
		                    .alive = ranks};
		s->rank = calloc(ranks, sizeof *s->rank);
		s->ready = calloc(ranks, sizeof *s->ready);
		s->is_ready = calloc(ranks, 1);
	}
	if (s && s->rank && s->ready && s->is_ready)
		return s;
	stage_free(s);
	err_nomem(err, "the ranks of a trace", ranks * sizeof(struct stage_rank));
	return NULL;
}

void stage_only(struct stage *s, uint32_t rank)
{
	s->only = rank;
}

void stage_free(struct stage *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->rank && i < s->ranks; i++) {
		struct stage_rank *r = &s->rank[i];

		part_release(&r->composed);
		part_release(&r->spoken);
		hash64_release(&r->known);
		free(r->message);
		free(r->sync);
		free(r->later);
		free(r->pending);
		free(r->orphan);
		free(r->id);
		free(r->out);
		free(r->list);
	}
	hash64_release(&s->comm_size);
	hash64_release(&s->comm_index);
	hash64_release(&s->sequence);
	hash64_release(&s->at);
	free(s->rank);
	free(s->ready);
	free(s->is_ready);
	free(s->limit);
	free(s->meeting);
	free(s->spare);
	free(s);
}
