/* request.c: the outstanding requests of each rank, under the names that its trace gives them. */
#include "replay_int.h"

static uint64_t number_key(uint32_t rank, int64_t number)
{
	return (uint64_t)rank << 32 | (uint64_t)number;
}

static uint32_t entry_slot(struct replay *r, struct err *err)
{
	uint32_t e = r->free_entry;
	struct entry *p;

	if (e != ENTRY_NONE) {
		r->free_entry = r->entry[e].next;
		return e;
	}
	p = vec_grow(r->entry, &r->cap_entry, sizeof *r->entry, (size_t)r->n_entry + 1,
	             "requests of the trace", err);
	if (!p)
		return ENTRY_NONE;
	r->entry = p;
	return r->n_entry++;
}

static void entry_link(struct replay *r, uint32_t rank, uint32_t e)
{
	struct cursor *c = &r->cursor[rank];

	r->entry[e].next = ENTRY_NONE;
	r->entry[e].prev = c->last;
	if (c->last == ENTRY_NONE)
		c->first = e;
	else
		r->entry[c->last].next = e;
	c->last = e;
}

static int number_check(struct replay *r, uint32_t rank, int64_t number, struct err *err)
{
	if (number > UINT32_MAX)
		return replay_error(r, rank, err, "request number %lld is too large: at most %u",
		                    (long long)number, UINT32_MAX);
	if (entry_by_number(r, rank, number) != ENTRY_NONE)
		return replay_error(r, rank, err,
		                    "request %lld is given again before it was completed",
		                    (long long)number);
	return 0;
}

int entry_add(struct replay *r, uint32_t rank, const struct trace_event *ev, struct mp_request req,
              int receive, struct err *err)
{
	uint32_t e;
	struct entry *p;

	if (ev->req >= 0 && number_check(r, rank, ev->req, err) < 0)
		return -1;
	e = entry_slot(r, err);
	if (e == ENTRY_NONE)
		return -1;
	p = &r->entry[e];
	*p = (struct entry){
	    .req = req, .number = ev->req, .tag = ev->tag, .receive = (uint8_t)receive};
	p->src = receive ? ev->peer : (int32_t)rank;
	p->dst = receive ? (int32_t)rank : ev->peer;
	p->persistent = trace_op_has(ev->op, TRACE_PERSISTENT | TRACE_PARTITIONED);
	entry_link(r, rank, e);
	return ev->req >= 0 ? hash64_put(&r->by_number, number_key(rank, ev->req), e, err) : 0;
}

void entry_remove(struct replay *r, uint32_t rank, uint32_t e)
{
	struct cursor *c = &r->cursor[rank];
	struct entry *p = &r->entry[e];

	if (p->number >= 0)
		hash64_remove(&r->by_number, number_key(rank, p->number));
	if (p->prev == ENTRY_NONE)
		c->first = p->next;
	else
		r->entry[p->prev].next = p->next;
	if (p->next == ENTRY_NONE)
		c->last = p->prev;
	else
		r->entry[p->next].prev = p->prev;
	p->next = r->free_entry;
	r->free_entry = e;
}

uint32_t entry_by_number(const struct replay *r, uint32_t rank, int64_t number)
{
	uint32_t e = number < 0 || number > UINT32_MAX
	                 ? HASH_NONE
	                 : hash64_find(&r->by_number, number_key(rank, number));

	return e == HASH_NONE ? ENTRY_NONE : e;
}

uint32_t entry_by_key(const struct replay *r, uint32_t rank, int32_t src, int32_t dst, int32_t tag)
{
	for (uint32_t e = r->cursor[rank].first; e != ENTRY_NONE; e = r->entry[e].next) {
		const struct entry *p = &r->entry[e];

		if (p->src == src && p->dst == dst && p->tag == tag)
			return e;
	}
	return ENTRY_NONE;
}

uint32_t entry_latest(const struct replay *r, uint32_t rank, int receives_only)
{
	uint32_t e = r->cursor[rank].last;

	while (e != ENTRY_NONE && receives_only && !r->entry[e].receive)
		e = r->entry[e].prev;
	return e;
}

void unknown_wait_note(struct replay *r, uint32_t rank)
{
	if (r->unknown_waits++ == 0)
		place_now(r, rank, r->unknown_place, sizeof r->unknown_place);
}

static int scratch_reserve(struct replay *r, size_t n, struct err *err)
{
	struct mp_request *q = vec_grow(r->scratch, &r->cap_scratch, sizeof *r->scratch, n,
	                                "requests of a wait", err);
	uint32_t *e;

	if (!q)
		return -1;
	r->scratch = q;
	e = vec_grow(r->scratch_entry, &r->cap_scratch_entry, sizeof *r->scratch_entry, n,
	             "requests of a wait", err);
	if (!e)
		return -1;
	r->scratch_entry = e;
	return 0;
}

int64_t entries_collect(struct replay *r, uint32_t rank, const int64_t *numbers, int64_t n,
                        struct err *err)
{
	int64_t found = 0;

	if (scratch_reserve(r, (size_t)n + 1, err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		uint32_t e = entry_by_number(r, rank, numbers[i]);

		if (e == ENTRY_NONE) {
			unknown_wait_note(r, rank);
			continue;
		}
		r->scratch_entry[found] = e;
		r->scratch[found++] = r->entry[e].req;
	}
	return found;
}

int64_t entries_collect_all(struct replay *r, uint32_t rank, struct err *err)
{
	int64_t found = 0;

	for (uint32_t e = r->cursor[rank].first; e != ENTRY_NONE; e = r->entry[e].next) {
		if (scratch_reserve(r, (size_t)found + 1, err) < 0)
			return -1;
		r->scratch_entry[found] = e;
		r->scratch[found++] = r->entry[e].req;
	}
	return found;
}

void entries_forget(struct replay *r, uint32_t rank, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (!r->entry[r->scratch_entry[i]].persistent)
			entry_remove(r, rank, r->scratch_entry[i]);
	}
}

int entry_wait(struct replay *r, struct mp *mp, uint32_t rank, uint32_t e, struct err *err)
{
	struct mp_request q;

	if (e == ENTRY_NONE) {
		unknown_wait_note(r, rank);
		return MP_DONE;
	}
	q = r->entry[e].req;
	if (!r->entry[e].persistent)
		entry_remove(r, rank, e);
	return q.v == MP_REQUEST_NULL.v ? MP_DONE : mp_wait(mp, rank, MP_WAIT, &q, 1, err);
}

int wait_number(struct replay *r, struct mp *mp, uint32_t rank, int64_t number, struct err *err)
{
	return entry_wait(r, mp, rank, entry_by_number(r, rank, number), err);
}
