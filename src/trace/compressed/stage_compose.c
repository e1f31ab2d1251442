/* stage_compose.c: reading all ranks ahead, window by window (stage.h). A rank goes on until its
 * date is at the window's end, or it meets others who are not there yet. */
#include "stage_int.h"

#include <stdlib.h>
#include <string.h>

enum { EVENTS_A_RANK = 16, EVENTS_LEAST = 4096 };

/* --- communicators, and where their members meet --- */

static uint32_t comm_number(struct stage *s, uint64_t comm, struct err *err)
{
	uint32_t i = hash64_find(&s->comm_index, comm);

	if (i != HASH_NONE)
		return i;
	return hash64_put(&s->comm_index, comm, s->comms, err) < 0 ? STAGE_NONE : s->comms++;
}

static uint32_t comm_members(const struct stage *s, uint64_t comm)
{
	uint32_t size = hash64_find(&s->comm_size, comm);

	return comm == 0 ? s->ranks : size == HASH_NONE ? 1 : size;
}

static uint32_t meeting_new(struct stage *s, uint32_t size, struct err *err)
{
	uint32_t i;

	if (s->spares > 0) {
		i = s->spare[--s->spares];
	} else {
		struct meeting *m = vec_grow(s->meeting, &s->cap_meeting, sizeof *m,
		                             (size_t)s->meetings + 1, "collectives", err);
		uint32_t *spare;

		if (!m)
			return STAGE_NONE;
		s->meeting = m;
		spare = vec_grow(s->spare, &s->cap_spare, sizeof *spare, s->cap_meeting,
		                 "collectives", err);
		if (!spare)
			return STAGE_NONE;
		s->spare = spare;
		i = s->meetings++;
	}
	s->meeting[i] = (struct meeting){.size = size, .left = size, .waits = STAGE_NONE};
	return i;
}

/* The meeting that is this rank's next one on a communicator. */
static uint32_t meeting_get(struct stage *s, uint32_t rank, uint64_t comm, uint32_t size,
                            struct err *err)
{
	uint32_t c = comm_number(s, comm, err), nth, i;
	uint64_t mine, key;

	if (c == STAGE_NONE)
		return STAGE_NONE;
	mine = (uint64_t)rank << 32 | c;
	nth = hash64_find(&s->sequence, mine);
	nth = nth == HASH_NONE ? 0 : nth;
	if (hash64_put(&s->sequence, mine, nth + 1, err) < 0)
		return STAGE_NONE;
	/* Of MPI_COMM_SELF, each rank has its own. */
	key = size == 1 ? hash_mix(mine) ^ nth : (uint64_t)nth << 32 | c;
	i = hash64_find(&s->at, key);
	if (i == HASH_NONE) {
		i = meeting_new(s, size, err);
		if (i == STAGE_NONE || hash64_put(&s->at, key, i, err) < 0)
			return STAGE_NONE;
	}
	if (s->meeting[i].arrived + 1 == size)
		hash64_remove(&s->at, key);
	return i;
}

static void ready_add(struct stage *s, uint32_t rank)
{
	if (s->is_ready[rank])
		return;
	s->is_ready[rank] = 1;
	s->ready[s->readies++] = rank;
}

/* A rank comes to a meeting; the last one wakes those who wait. */
static void meeting_arrive(struct stage *s, struct meeting *m, int64_t date)
{
	if (m->arrived++ == 0 || date > m->date)
		m->date = date;
	if (m->arrived < m->size)
		return;
	for (uint32_t r = m->waits; r != STAGE_NONE; r = s->rank[r].waits_next)
		ready_add(s, r);
	m->waits = STAGE_NONE;
}

static void meeting_leave(struct stage *s, uint32_t i)
{
	if (--s->meeting[i].left == 0)
		s->spare[s->spares++] = i;
}

static void rank_block(struct stage *s, uint32_t rank, uint32_t meeting)
{
	s->rank[rank].blocked = 1;
	s->rank[rank].waits_next = s->meeting[meeting].waits;
	s->meeting[meeting].waits = rank;
}

/* --- messages --- */

static int message_add(struct stage *s, uint32_t from, const struct trace_event *ev, int64_t date,
                       struct err *err)
{
	struct stage_rank *to;
	struct stage_message *m;

	if (ev->peer < 0 || (uint32_t)ev->peer >= s->ranks ||
	    (s->only != STAGE_NONE && (uint32_t)ev->peer != s->only))
		return 0;
	to = &s->rank[ev->peer];
	if (to->first > 0 && to->first == to->messages)
		to->first = to->messages = 0;
	m = vec_grow(to->message, &to->cap_message, sizeof *m, (size_t)to->messages + 1,
	             "messages of a trace", err);
	if (!m)
		return -1;
	to->message = m;
	m[to->messages++] = (struct stage_message){.comm = ev->comm,
	                                           .count = ev->count,
	                                           .size = ev->type_size,
	                                           .date = date,
	                                           .from = (int32_t)from,
	                                           .tag = ev->tag,
	                                           .type = ev->type,
	                                           .window = s->windows - 1};
	return 0;
}

static int sync_add(struct stage *s, uint32_t rank, int64_t date, struct err *err)
{
	struct stage_rank *r = &s->rank[rank];
	int64_t *v;

	if (s->only != STAGE_NONE && rank != s->only)
		return 0;
	if (r->synced > 0 && r->synced == r->syncs)
		r->synced = r->syncs = 0;
	v = vec_grow(r->sync, &r->cap_sync, sizeof *v, (size_t)r->syncs + 1,
	             "collectives of a trace", err);
	if (!v)
		return -1;
	r->sync = v;
	v[r->syncs++] = date;
	return 0;
}

/* --- events --- */

static void date_after(struct stage_part *p, const struct trace_event *ev, int64_t sync)
{
	p->date += part_duration(ev);
	if (p->date <= sync)
		p->date = sync + 1;
}

static int persistent_add(struct stage_part *p, const struct trace_event *ev, struct err *err)
{
	struct stage_request *r = part_request_add(p, ev->req, err);

	if (!r)
		return -1;
	*r = (struct stage_request){.kind = REQUEST_SEND, .persistent = 1, .made = *ev};
	return 0;
}

static int starts(struct stage *s, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct stage_part *p = &s->rank[rank].composed;

	for (int64_t i = 0; i < ev->n_reqs; i++) {
		struct stage_request *r = part_request(p, ev->reqs[i]);

		if (r && r->made.op != TRACE_RECV_INIT &&
		    message_add(s, rank, &r->made, p->date, err) < 0)
			return -1;
	}
	return 0;
}

struct wait {
	struct stage *s;
	struct stage_part *p;
	uint32_t rank;
	int64_t date; /* the latest of the meetings that are through; -1: none */
};

/* A meeting that is not complete blocks: 1. */
static int wait_look(void *self, int64_t number, struct err *err)
{
	struct wait *w = self;
	const struct stage_request *r = part_request(w->p, number);
	const struct meeting *m;

	(void)err;
	if (!r || r->kind != REQUEST_MEETING)
		return 0;
	m = &w->s->meeting[r->id];
	if (m->arrived < m->size && !w->s->rank[w->rank].blocked)
		rank_block(w->s, w->rank, r->id);
	return 0;
}

static int wait_pass(void *self, int64_t number, struct err *err)
{
	struct wait *w = self;
	const struct stage_request *r = part_request(w->p, number);

	(void)err;
	if (!r || r->kind != REQUEST_MEETING)
		return 0;
	if (w->s->meeting[r->id].date > w->date)
		w->date = w->s->meeting[r->id].date;
	meeting_leave(w->s, r->id);
	part_request_end(w->p, number);
	return 0;
}

/* A wait: 1 if the rank went on. */
static int waited(struct stage *s, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	struct stage_part *p = &s->rank[rank].composed;
	struct wait w = {s, p, rank, -1};

	part_completed(ev, wait_look, &w, err);
	if (s->rank[rank].blocked)
		return 0;
	part_completed(ev, wait_pass, &w, err);
	if (w.date >= 0 && sync_add(s, rank, w.date, err) < 0)
		return -1;
	date_after(p, ev, w.date);
	return 1;
}

/* What a new communicator is, for those who meet on it. */
static int comm_note(struct stage *s, const struct trace_event *ev, struct err *err)
{
	if (!trace_op_makes_comm((enum trace_op)ev->op) || ev->n_members == 0)
		return 0;
	return hash64_put(&s->comm_size, ev->comm, (uint32_t)ev->n_members, err);
}

/* A collective: 1 if the rank went on, 0 if it waits for others. */
static int met(struct stage *s, uint32_t rank, const struct trace_event *ev, uint64_t comm,
               struct err *err)
{
	struct stage_rank *r = &s->rank[rank];
	uint32_t size = ev->op == TRACE_COMM_CREATE_GROUP ? (uint32_t)ev->n_members
	                                                  : comm_members(s, comm);
	struct stage_request *request;
	int64_t date = -1;

	if (!r->arrived) {
		r->meeting = meeting_get(s, rank, comm, size, err);
		if (r->meeting == STAGE_NONE)
			return -1;
		meeting_arrive(s, &s->meeting[r->meeting], r->composed.date);
		r->arrived = 1;
	}
	if (ev->flags & TRACE_NONBLOCKING && ev->req >= 0) {
		request = part_request_add(&r->composed, ev->req, err);
		if (!request)
			return -1;
		*request = (struct stage_request){.kind = REQUEST_MEETING, .id = r->meeting};
	} else if (s->meeting[r->meeting].arrived < s->meeting[r->meeting].size) {
		rank_block(s, rank, r->meeting);
		return 0;
	} else {
		date = s->meeting[r->meeting].date;
		meeting_leave(s, r->meeting);
		if (sync_add(s, rank, date, err) < 0)
			return -1;
	}
	r->arrived = 0;
	date_after(&r->composed, ev, date);
	return comm_note(s, ev, err) < 0 ? -1 : 1;
}

/* The event that a rank is at: 1 if it went on, 0 if it waits for others. */
static int event_compose(struct stage *s, uint32_t rank, struct err *err)
{
	struct stage_part *p = &s->rank[rank].composed;
	const struct trace_event *ev = &p->ev;
	uint64_t comm;
	int done = 1;

	if (op_meets(ev, &comm))
		return met(s, rank, ev, comm, err);
	if (trace_op_has(ev->op, TRACE_COMPLETES))
		return waited(s, rank, ev, err);
	if (ev->req >= 0 && trace_op_has(ev->op, TRACE_REQUEST))
		part_request_end(p, ev->req); /* what its number was is nothing to wait for now */
	if (trace_op_sends((enum trace_op)ev->op))
		done = message_add(s, rank, ev, p->date, err);
	else if (trace_op_has(ev->op, TRACE_PERSISTENT))
		done = persistent_add(p, ev, err);
	else if (ev->op == TRACE_START)
		done = starts(s, rank, ev, err);
	date_after(p, ev, -1);
	return done < 0 ? -1 : 1;
}

static int rank_compose(struct stage *s, uint32_t rank, struct err *err)
{
	struct stage_part *p = &s->rank[rank].composed;
	int more, done;

	s->rank[rank].blocked = 0;
	while (p->date < s->limit[s->windows - 1]) {
		more = part_read(s, rank, COMPOSING, err);
		if (more < 0)
			return -1;
		if (more == 0) {
			s->alive--;
			return 0;
		}
		done = event_compose(s, rank, err);
		if (done <= 0)
			return done;
		p->has = 0;
		s->composed++;
	}
	return 0;
}

/* The next window ends so that it has neither few events nor many. */
static int window_add(struct stage *s, uint64_t before, struct err *err)
{
	uint64_t wanted = (uint64_t)EVENTS_A_RANK * s->ranks;
	int64_t *limit = vec_grow(s->limit, &s->cap_windows, sizeof *limit, (size_t)s->windows + 1,
	                          "windows of a trace", err);
	int64_t from;

	if (!limit)
		return -1;
	s->limit = limit;
	from = s->windows ? limit[s->windows - 1] : 0;
	wanted = wanted > EVENTS_LEAST ? wanted : EVENTS_LEAST;
	if (before < wanted / 2 && s->step < INT64_MAX / 8 - from)
		s->step *= 2;
	else if (before > 2 * wanted && s->step > 1)
		s->step /= 2;
	limit[s->windows++] = from + s->step;
	return 0;
}

int stage_compose(struct stage *s, struct err *err)
{
	uint64_t before = s->composed;
	int idle = 1;

	if (s->alive == 0)
		return 0;
	if (window_add(s, before - s->window_began, err) < 0)
		return -1;
	s->window_began = before;
	for (uint32_t i = s->ranks; i-- > 0;)
		if (!s->rank[i].composed.ended && !s->rank[i].blocked) {
			idle = 0;
			ready_add(s, i);
		}
	while (s->readies > 0) {
		uint32_t rank = s->ready[--s->readies];

		s->is_ready[rank] = 0;
		if (rank_compose(s, rank, err) < 0)
			return -1;
	}
	if (!idle)
		return 1;
	return err_set(err, ERR_INPUT,
	               "the collectives of the trace do not fit together: %u ranks wait in one for "
	               "others that never come",
	               s->alive);
}
