/* request.c: the outstanding requests of each rank, under the names that its trace gives them.
 *
 * A rank mostly has a few, and waits for one of the first or the latest, or for all in their order:
 * these are found in its list. Only when FRESH_MOST of them are not in the index of all ranks'
 * numbers, a table that no cache holds where ranks are many, they go there; or when it takes more
 * than a FEW looks to see that a number is new. Those of a rank that once looked at more than
 * FRESH_MOST for one with some source, destination and tag go into an index of these, too (key.c).
 *
 * Invariants
 *  1. The last cursor.fresh entries of a rank's list are not indexed; the others are: by number if
 *     they have one, by key if the rank is `keyed`.
 *  2. A rank's numbers differ. An entry that is `rising` has a greater one than all before it. */
#include "replay_int.h"

enum { FRESH_MOST = 32, FEW = 4 };
_Static_assert(sizeof(struct entry) == 32, "each rank looks at some of them at each call");
_Static_assert(FRESH_MOST < 1 << 6, "cursor.fresh counts them");

static uint64_t number_key(uint32_t rank, int64_t number)
{
	return (uint64_t)rank << 32 | (uint64_t)number;
}

void entries_init(struct replay *r)
{
	slots_init(&r->entry, sizeof(struct entry), offsetof(struct entry, next),
	           "requests of the trace");
}

static void entry_link(struct replay *r, uint32_t rank, uint32_t e, struct entry *p)
{
	struct cursor *c = &r->cursor[rank];

	p->next = ENTRY_NONE;
	p->prev = c->last;
	if (c->last == ENTRY_NONE)
		c->first = e;
	else
		entry_at(r, c->last)->next = e;
	c->last = e;
}

/* The first entry of a rank that is not indexed. */
static uint32_t entry_fresh(const struct replay *r, const struct cursor *c)
{
	uint32_t e = ENTRY_NONE;

	for (uint32_t n = c->fresh; n > 0; n--)
		e = e == ENTRY_NONE ? c->last : entry_at(r, e)->prev;
	return e;
}

/* All entries of a rank go into the index, the oldest first: key.c wants them so. */
static int entries_index(struct replay *r, uint32_t rank, struct err *err)
{
	struct cursor *c = &r->cursor[rank];

	for (uint32_t e = entry_fresh(r, c); c->fresh > 0; e = entry_at(r, e)->next) {
		struct entry *p = entry_at(r, e);

		if (p->number >= 0 &&
		    hash64_put(&r->by_number, number_key(rank, p->number), e, err) < 0)
			return -1;
		if (c->keyed && key_add(r, rank, e, err) < 0)
			return -1;
		p->indexed = 1;
		c->fresh--;
	}
	return 0;
}

static int is_rising(const struct replay *r, uint32_t last, int64_t number)
{
	return number >= 0 && (last == ENTRY_NONE ||
	                       (entry_at(r, last)->rising && entry_at(r, last)->number < number));
}

/* A number that the rank has not: most traces count them, or say that they are never the same. */
static int number_check(struct replay *r, uint32_t rank, int64_t number, struct err *err)
{
	const struct cursor *c = &r->cursor[rank];

	if (number > UINT32_MAX)
		return replay_error(r, rank, err, "request number %lld is too large: at most %u",
		                    (long long)number, UINT32_MAX);
	if (r->numbers_differ || is_rising(r, c->last, number))
		return 0;
	if (c->fresh > FEW && entries_index(r, rank, err) < 0)
		return -1;
	if (entry_by_number(r, rank, number) != ENTRY_NONE)
		return replay_error(r, rank, err,
		                    "request %lld is given again before it was completed",
		                    (long long)number);
	return 0;
}

int entry_add(struct replay *r, uint32_t rank, const struct trace_event *ev, struct mp_request req,
              int receive, struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	uint32_t e;
	struct entry *p;

	if (ev->req >= 0 && number_check(r, rank, ev->req, err) < 0)
		return -1;
	if (c->fresh == FRESH_MOST && entries_index(r, rank, err) < 0)
		return -1;
	e = slots_take_of(&r->entry, sizeof(struct entry), offsetof(struct entry, next), err);
	if (e == ENTRY_NONE)
		return -1;
	p = entry_at(r, e);
	*p = (struct entry){
	    .req = req,
	    .number = ev->req,
	    .peer = ev->peer,
	    .tag = ev->tag,
	    .receive = (uint8_t)receive,
	};
	p->persistent = trace_op_has(ev->op, TRACE_PERSISTENT | TRACE_PARTITIONED);
	p->rising = (uint8_t)is_rising(r, c->last, ev->req);
	entry_link(r, rank, e, p);
	c->fresh++;
	return 0;
}

static void entry_unindex(struct replay *r, uint32_t rank, uint32_t e)
{
	if (entry_at(r, e)->number >= 0)
		hash64_remove(&r->by_number, number_key(rank, entry_at(r, e)->number));
	if (r->cursor[rank].keyed)
		key_remove(r, rank, e);
}

void entry_remove(struct replay *r, uint32_t rank, uint32_t e)
{
	struct cursor *c = &r->cursor[rank];
	struct entry *p = entry_at(r, e);

	if (!p->indexed)
		c->fresh--;
	else
		entry_unindex(r, rank, e);
	if (p->prev == ENTRY_NONE)
		c->first = p->next;
	else
		entry_at(r, p->prev)->next = p->next;
	if (p->next == ENTRY_NONE)
		c->last = p->prev;
	else
		entry_at(r, p->next)->prev = p->prev;
	slots_give_by(&r->entry, e, &p->next);
}

/* Among the first. */
static uint32_t entry_from_front(const struct replay *r, const struct cursor *c, int64_t number)
{
	uint32_t e = c->first;

	for (int n = 0; n < FEW && e != ENTRY_NONE; n++, e = entry_at(r, e)->next)
		if (entry_at(r, e)->number == number)
			return e;
	return ENTRY_NONE;
}

uint32_t entry_by_number(const struct replay *r, uint32_t rank, int64_t number)
{
	const struct cursor *c = &r->cursor[rank];
	uint32_t e;

	if (number < 0 || number > UINT32_MAX)
		return ENTRY_NONE;
	if ((e = entry_from_front(r, c, number)) != ENTRY_NONE)
		return e;
	e = c->last;
	for (uint32_t n = c->fresh; n > 0; n--) {
		const struct entry *p = entry_at(r, e);

		if (p->number == number)
			return e;
		if (p->rising && p->number < number)
			return ENTRY_NONE;
		e = p->prev;
	}
	if (e == ENTRY_NONE || (entry_at(r, e)->rising && entry_at(r, e)->number < number))
		return ENTRY_NONE;
	e = hash64_find(&r->by_number, number_key(rank, number));
	return e == HASH_NONE ? ENTRY_NONE : e;
}

/* From now on those of the rank that are indexed are so by their keys, too. */
static int rank_key(struct replay *r, uint32_t rank, struct err *err)
{
	struct cursor *c = &r->cursor[rank];

	if (entries_index(r, rank, err) < 0)
		return -1;
	for (uint32_t e = c->first; e != ENTRY_NONE; e = entry_at(r, e)->next)
		if (key_add(r, rank, e, err) < 0)
			return -1;
	c->keyed = 1;
	return 0;
}

/* The oldest of those from e on, after no more than `most` looks; *at: what would be next. */
static uint32_t entry_walk(const struct replay *r, uint32_t rank, uint32_t e, int most,
                           const struct key *k, uint32_t *at)
{
	for (; most > 0 && e != ENTRY_NONE; most--, e = entry_at(r, e)->next)
		if (key_is(entry_at(r, e), rank, k))
			return e;
	*at = e;
	return ENTRY_NONE;
}

int entry_by_key(struct replay *r, uint32_t rank, const struct key *k, uint32_t *out,
                 struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	uint32_t at = ENTRY_NONE;

	*out = entry_walk(r, rank, c->first, c->keyed ? FEW : FRESH_MOST, k, &at);
	if (*out != ENTRY_NONE || at == ENTRY_NONE)
		return 0;
	if (!c->keyed && rank_key(r, rank, err) < 0)
		return -1;
	*out = key_find(r, rank, k);
	if (*out == ENTRY_NONE)
		*out = entry_walk(r, rank, entry_fresh(r, c), FRESH_MOST, k, &at);
	return 0;
}

/* The next younger entry with the key of e. */
static int entry_kin(struct replay *r, uint32_t rank, uint32_t e, const struct key *k,
                     uint32_t *out, struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	uint32_t at = entry_at(r, e)->next;

	*out = ENTRY_NONE;
	if (!c->keyed || !entry_at(r, e)->indexed) {
		*out = entry_walk(r, rank, at, FRESH_MOST, k, &at);
		if (*out != ENTRY_NONE || at == ENTRY_NONE)
			return 0;
		if (!c->keyed && rank_key(r, rank, err) < 0)
			return -1;
	}
	*out = key_next(r, rank, e, k);
	if (*out == ENTRY_NONE)
		*out = entry_walk(r, rank, entry_fresh(r, c), FRESH_MOST, k, &at);
	return 0;
}

int entry_tested(struct replay *r, uint32_t rank, uint32_t e, struct err *err)
{
	struct entry *p = entry_at(r, e), *q;
	struct key k = {p->receive ? p->peer : (int32_t)rank, p->receive ? (int32_t)rank : p->peer,
	                p->tag};

	for (;;) {
		struct mp_request req = p->req;
		uint8_t receive = p->receive;

		if (entry_kin(r, rank, e, &k, &e, err) < 0)
			return -1;
		if (e == ENTRY_NONE)
			return 0;
		q = entry_at(r, e);
		p->req = q->req, p->receive = q->receive;
		q->req = req, q->receive = receive;
		p = q;
	}
}

void entry_consume(struct replay *r, uint32_t rank, uint32_t e)
{
	entry_remove(r, rank, e);
	r->consumed++;
}

uint32_t entry_latest(const struct replay *r, uint32_t rank, int receives_only)
{
	uint32_t e = r->cursor[rank].last;

	while (e != ENTRY_NONE && receives_only && !entry_at(r, e)->receive)
		e = entry_at(r, e)->prev;
	return e;
}

void unknown_wait_note(struct replay *r, uint32_t rank)
{
	if (r->consumed > 0)
		r->consumed--;
	else if (r->unknown_waits++ == 0)
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
	uint32_t next = r->cursor[rank].first, e; /* where it is in the order of the list */
	int64_t found = 0;

	if (scratch_reserve(r, (size_t)n + 1, err) < 0)
		return -1;
	for (int64_t i = 0; i < n; i++) {
		e = next != ENTRY_NONE && numbers[i] >= 0 && entry_at(r, next)->number == numbers[i]
		        ? next
		        : entry_by_number(r, rank, numbers[i]);
		next = e == ENTRY_NONE ? next : entry_at(r, e)->next;
		if (e == ENTRY_NONE) {
			unknown_wait_note(r, rank);
			continue;
		}
		r->scratch_entry[found] = e;
		r->scratch[found++] = entry_at(r, e)->req;
	}
	return found;
}

int64_t entries_collect_all(struct replay *r, uint32_t rank, struct err *err)
{
	int64_t found = 0;

	for (uint32_t e = r->cursor[rank].first; e != ENTRY_NONE; e = entry_at(r, e)->next) {
		if (scratch_reserve(r, (size_t)found + 1, err) < 0)
			return -1;
		r->scratch_entry[found] = e;
		r->scratch[found++] = entry_at(r, e)->req;
	}
	return found;
}

void entries_forget(struct replay *r, uint32_t rank, int64_t n)
{
	for (int64_t i = 0; i < n; i++) {
		if (!entry_at(r, r->scratch_entry[i])->persistent)
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
	q = entry_at(r, e)->req;
	if (!entry_at(r, e)->persistent)
		entry_remove(r, rank, e);
	return q.v == MP_REQUEST_NULL.v ? MP_DONE : mp_wait(mp, rank, MP_WAIT, &q, 1, err);
}

int wait_number(struct replay *r, struct mp *mp, uint32_t rank, int64_t number, struct err *err)
{
	return entry_wait(r, mp, rank, entry_by_number(r, rank, number), err);
}
