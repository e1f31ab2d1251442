/* comm.c: communicators: made under names that their members agree on, and what the members tell
 * each other when one is made.
 *
 * A meeting is that telling: each member brings a block of bytes, and gets those of all when all
 * have come. Its time is mp's (mp_comm_agree); where that takes none, those who come early are held
 * without an operation until the last one comes. */
#include "live_int.h"

#include <stdlib.h>
#include <string.h>

/* --- meetings --- */

static void meeting_drop(struct live *l, uint32_t i)
{
	struct meeting *m = meeting_at(l, i);

	for (uint32_t k = 0; k < m->n; k++)
		wire_block_free(&l->heap, m->data[k]);
	for (uint32_t k = 0; k < m->n + 2; k++)
		wire_block_free(&l->heap, m->told[k]);
	free(m->told);
	free(m->member);
	free(m->data);
	free(m->bytes);
	free(m->held);
	free(m->alike);
	*m = (struct meeting){.n = 0};
	slots_give(&l->meetings, i);
}

static uint32_t meeting_new(struct live *l, uint64_t key, uint32_t n, struct err *err)
{
	uint32_t i = slots_take(&l->meetings, err);
	struct meeting *m;

	if (i == SLOTS_NONE)
		return NO_SIDE;
	m = meeting_at(l, i);
	*m = (struct meeting){
	    .key = key,
	    .n = n,
	    .member = calloc(n, sizeof *m->member),
	    .data = calloc(n, sizeof *m->data),
	    .bytes = calloc(n, sizeof *m->bytes),
	    .held = calloc(n, 1),
	    .told = calloc((size_t)n + 2, sizeof *m->told),
	};
	if (!m->member || !m->data || !m->bytes || !m->held || !m->told) {
		err_nomem(err, "members of a communicator", (unsigned long long)n * 29);
		return NO_SIDE;
	}
	return hash64_put(&l->meeting_by_key, key, i, err) < 0 ? NO_SIDE : i;
}

/* Where a rank is among those who meet. */
static int32_t place_of(struct live *l, uint32_t rank, const struct wire_agree *w,
                        const uint32_t *members, uint32_t *n)
{
	struct mp_comm c;
	struct err ignored;

	*n = w->n;
	for (uint32_t i = 0; w->comm == WIRE_NONE && i < w->n; i++)
		if (members[i] == rank)
			return (int32_t)i;
	if (w->comm == WIRE_NONE || comm_check(l, rank, w->comm, &c, &ignored) < 0)
		return -1;
	*n = mp_comm_size(l->mp, c);
	return mp_comm_rank(l->mp, c, rank);
}

static int meeting_join(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_agree *w = op_body(op);
	const uint32_t *members = (const void *)(w + 1);
	uint32_t n, i = hash64_find(&l->meeting_by_key, w->key);
	int fits = sizeof *op + sizeof *w + (size_t)w->n * sizeof *members <= op->size;
	int32_t place = fits ? place_of(l, rank, w, members, &n) : -1;
	struct meeting *m;

	if (place < 0)
		return live_error(l, rank, err, "meets others, and is none of them");
	if (i == HASH_NONE)
		i = meeting_new(l, w->key, n, err);
	if (i == NO_SIDE)
		return -1;
	m = meeting_at(l, i);
	if (m->n != n || m->member[place])
		return live_error(l, rank, err,
		                  "makes a communicator that the other members do not make");
	m->member[place] = rank + 1;
	m->data[place] = w->data;
	m->bytes[place] = w->bytes;
	l->rank[rank].meeting = i;
	if (++m->came < n)
		return 0;
	hash64_remove(&l->meeting_by_key, m->key);
	m->turn = w->what == WIRE_AGREE_TURN ? ++l->turns : 0;
	for (uint32_t k = 0; k < n; k++)
		if (m->held[k] == PLACE_HELD)
			mp_go_on(l->mp, m->member[k] - 1);
	return 0;
}

/* What the data of the member at a place begin with. */
struct begins {
	int32_t first, second;
	uint32_t place;
};

static struct begins begins_of(const struct live *l, const struct meeting *m, uint32_t place)
{
	struct begins b = {.place = place};

	if (m->bytes[place] >= 2 * sizeof b.first)
		memcpy(&b, wire_at(l->head, m->data[place]), 2 * sizeof b.first);
	return b;
}

static int begins_compare(const void *a, const void *b)
{
	const struct begins *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* Once for all members: else each would look at all. */
static int alike_find(struct live *l, struct meeting *m, struct err *err)
{
	struct begins *b = malloc(m->n * sizeof *b);

	m->alike = malloc(m->n * sizeof *m->alike);
	if (!b || !m->alike) {
		free(b);
		return err_nomem(err, "members of a communicator", m->n * sizeof *b);
	}
	for (uint32_t i = 0; i < m->n; i++)
		b[i] = begins_of(l, m, i);
	qsort(b, m->n, sizeof *b, begins_compare);
	for (uint32_t i = 0; i < m->n; i++)
		m->alike[i] = b[i].place;
	free(b);
	return 0;
}

/* The first in m->alike that begins with `first`, or with more. */
static uint32_t alike_from(const struct live *l, const struct meeting *m, int64_t first)
{
	uint32_t low = 0, high = m->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (begins_of(l, m, m->alike[middle]).first < first)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What `n` members have said, behind its lengths, in one block: those in these places, or (NULL)
 * from the first one on. 0: no room. */
static uint64_t text_new(struct live *l, const struct meeting *m, const uint32_t *places,
                         uint32_t n)
{
	uint64_t total = 0, *lengths, block;
	unsigned char *text;

	for (uint32_t i = 0; i < n; i++)
		total += m->bytes[places ? places[i] : i];
	block = wire_block_new(&l->heap, (n + (uint64_t)1) * sizeof *lengths + total);
	if (!block)
		return 0;
	lengths = wire_at(l->head, block);
	text = (unsigned char *)(lengths + n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t place = places ? places[i] : i;

		*lengths++ = m->bytes[place];
		if (m->bytes[place])
			memcpy(text, wire_at(l->head, m->data[place]), m->bytes[place]);
		text += m->bytes[place];
	}
	return block;
}

/* One block for all whom it tells the same, which keep it as long as they like: *kept, 0 if it is
 * not there yet. */
static int meeting_tell(struct live *l, const struct meeting *m, const uint32_t *places, uint32_t n,
                        uint64_t *kept, struct wire_answer *a, struct err *err)
{
	if (!*kept)
		*kept = text_new(l, m, places, n);
	if (!*kept)
		return err_set(err, ERR_LIMIT, "what %u ranks tell each other has no room", m->n);
	wire_block_share(l->head, *kept);
	a->n = n;
	a->list = *kept;
	return 0;
}

static int meeting_answer(struct live *l, struct meeting *m, uint32_t place, uint32_t told,
                          struct wire_answer *a, struct err *err)
{
	uint32_t from;
	int64_t first;

	if (told == WIRE_TOLD_ALL)
		return meeting_tell(l, m, NULL, m->n, &m->told[m->n], a, err);
	if (told != WIRE_TOLD_ALIKE)
		return meeting_tell(l, m, NULL, 0, &m->told[m->n + 1], a, err);
	if (!m->alike && alike_find(l, m, err) < 0)
		return -1;
	first = begins_of(l, m, place).first;
	from = alike_from(l, m, first);
	return meeting_tell(l, m, m->alike + from, alike_from(l, m, first + 1) - from,
	                    &m->told[from], a, err);
}

/* Threads of a rank take their turns in one order, the same at all ranks: what a turn allows to
 * begin waits for nothing that has a later one. */
static int is_its_turn(const struct live *l, uint32_t rank, const struct meeting *m)
{
	for (uint32_t i = 0; m->turn && i < l->meetings.n; i++) {
		const struct meeting *o = meeting_at(l, i);

		if (!o->turn || o->turn >= m->turn)
			continue;
		for (uint32_t k = 0; k < o->n; k++)
			if (o->member[k] == rank + 1 && o->held[k] != PLACE_LEFT)
				return 0;
	}
	return 1;
}

static int agree_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_agree *w = op_body(op);
	const uint32_t *members = (const void *)(w + 1);
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;
	struct meeting *m;
	uint32_t place, n;

	if (!(op->flags & WIRE_ASKS))
		return MP_DONE;
	a->n = 0;
	a->list = 0;
	if (!w->key)
		return MP_DONE;
	m = meeting_at(l, r->meeting);
	a->value = r->meeting;
	a->flag = m->came == m->n && is_its_turn(l, rank, m);
	if (!a->flag && op->mode != WIRE_MEETS && op->mode != WIRE_MEETS_AGAIN)
		return MP_DONE;
	place = (uint32_t)place_of(l, rank, w, members, &n); /* it has joined with the same words */
	if (place >= m->n || m->member[place] != rank + 1)
		return live_broken(l, rank, err, "who it meets");
	if (m->came < m->n) {
		m->held[place] = PLACE_HELD;
		return LIVE_HELD;
	}
	m->held[place] = PLACE_LEFT;
	if (meeting_answer(l, m, place, w->told, a, err) < 0)
		return MP_ERROR;
	if (++m->left == m->n)
		meeting_drop(l, r->meeting);
	return MP_DONE;
}

/* What it joined before: it says which. */
static int meeting_again(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct meeting *m = op->a < l->meetings.n ? meeting_at(l, op->a) : NULL;

	for (uint32_t i = 0; m && i < m->n; i++)
		if (m->member[i] == rank + 1 && m->held[i] != PLACE_LEFT) {
			l->rank[rank].meeting = op->a;
			return 0;
		}
	return live_error(l, rank, err, "looks for others whom it does not meet");
}

static int bridge_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct mp_comm c,
                        struct err *err)
{
	const struct wire_agree *w = op_body(op);
	const struct mp_bridge b = {w->turn, w->leader, w->local, w->remote};
	struct lreq *q;

	if (!(op->flags & WIRE_RESTS))
		return mp_comm_bridge(l->mp, rank, c, &b, err);
	q = req_use(l, rank, w->request, LREQ_OTHER, err);
	return q ? mp_comm_ibridge(l->mp, rank, c, &b, &q->mp, err) : MP_ERROR;
}

static int agree_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_agree *w = op_body(op);
	struct mp_comm c;
	struct lreq *q;

	if (w->data && !wire_block_holds(l->head, w->data, w->bytes))
		return live_broken(l, rank, err, "the data of an agreement");
	if (w->key && (op->mode >= WIRE_LOOKS_AGAIN ? meeting_again(l, rank, op, err)
	                                            : meeting_join(l, rank, op, err)) < 0)
		return MP_ERROR;
	if (w->what >= WIRE_AGREE_NO_TIME && w->what <= WIRE_AGREE_TURN)
		return MP_DONE;
	if (w->what > MP_AGREE_GRAPH && w->what != WIRE_AGREE_BRIDGE)
		return live_broken(l, rank, err, "an agreement that is not known");
	if (comm_check(l, rank, w->comm, &c, err) < 0)
		return MP_ERROR;
	if (w->what == WIRE_AGREE_BRIDGE)
		return bridge_issue(l, rank, op, c, err);
	if (!(op->flags & WIRE_RESTS))
		return mp_comm_agree(l->mp, rank, c, (enum mp_agreement)w->what, err);
	q = req_use(l, rank, w->request, LREQ_OTHER, err);
	return q ? mp_comm_iagree(l->mp, rank, c, (enum mp_agreement)w->what, &q->mp, err)
	         : MP_ERROR;
}

/* --- making --- */

/* The rank's number of a communicator. */
static int number_set(struct live *l, uint32_t rank, uint32_t number, uint32_t comm,
                      struct err *err)
{
	struct lrank *r = &l->rank[rank];
	uint32_t *p;

	if (number >= 1u << 26)
		return live_broken(l, rank, err, "the number of a communicator");
	p = vec_grow(r->comm, &r->cap_comm, sizeof *p, (size_t)number + 1, "communicators", err);
	if (!p)
		return MP_ERROR;
	r->comm = p;
	while (r->n_comm <= number)
		p[r->n_comm++] = HASH_NONE;
	p[number] = comm;
	return MP_DONE;
}

static int make_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_comm *w = op_body(op);
	const uint32_t *members = live_list(l, op, sizeof *w, (size_t)w->n + w->n_remote,
	                                    sizeof *members);
	struct mp_comm c;
	int made;

	if (!members)
		return live_broken(l, rank, err, "a list of members");
	if (w->n_remote)
		made = mp_intercomm_make(l->mp, rank, w->key, members, w->n + w->n_remote, w->n, &c,
		                         err);
	else if (op->flags & WIRE_LENT)
		made = mp_comm_make_lent(l->mp, rank, w->key, members, w->n, &c, err);
	else
		made = mp_comm_make(l->mp, rank, w->key, members, w->n, &c, err);
	if (made < 0)
		return MP_ERROR;
	if (op->mode) /* the world of spawned processes, which no call makes or frees */
		mp_comm_disown(l->mp, c);
	return number_set(l, rank, op->a, c.v, err);
}

static int topology_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const int64_t *list = live_list(l, op, 0, op->n, sizeof *list);
	struct mp_comm c;

	if (!list)
		return live_broken(l, rank, err, "the list of a topology");
	if (op->b > op->n)
		return live_broken(l, rank, err, "the size of a topology");
	if (comm_check(l, rank, op->a, &c, err) < 0)
		return MP_ERROR;
	if (op->kind == WIRE_COMM_CART)
		return mp_comm_cart(l->mp, rank, c, list, list + op->n / 2, op->n / 2, err) < 0
		           ? MP_ERROR
		           : MP_DONE;
	if (mp_comm_graph(l->mp, rank, c, list, op->b, list + op->b, op->n - op->b, err) < 0)
		return MP_ERROR;
	return op->mode ? mp_comm_edges(l->mp, rank, c, err) : MP_DONE; /* each knew some edges */
}

int comm_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct mp_comm c;

	switch (op->kind) {
	case WIRE_COMM_AGREE:
		return agree_issue(l, rank, op, err);
	case WIRE_COMM_MAKE:
		return make_issue(l, rank, op, err);
	case WIRE_COMM_FREE:
		return comm_check(l, rank, op->a, &c, err) < 0 ? MP_ERROR
		                                               : mp_comm_free(l->mp, rank, c, err);
	default:
		return topology_issue(l, rank, op, err);
	}
}

int comm_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	if (op->kind == WIRE_COMM_AGREE)
		return agree_answer(l, rank, op, err);
	live_list_free(l, op);
	return MP_DONE;
}
