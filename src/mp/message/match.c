/* match.c: which receive gets which message.
 *
 * MPI's rule (MPI 4.0, 3.5): a message goes to the receive posted first among those it fits; a
 * receive gets the message sent first among those that fit it, from one sender in order of sending;
 * from several, in order of arrival here, which is one of the orders that MPI allows.
 *
 * All sides that wait for their mate are in queues: lists in order of posting, one for each key
 * (context, receiver, sender, tag). The first of a queue stands for it in a hash table of chains,
 * which go through the requests themselves: one look finds the mate, or the place where the new
 * side is to wait. A receive with wildcards is in the queue of its pattern, a key with ANY in it: a
 * message then looks into at most four queues, and the earliest of their heads is its own. A
 * message is in the queue of its exact key; once its receiver has used a kind of wildcard, also in
 * the bin of that pattern (a second table), so that a wildcard receive too looks at one head.
 * Programs without wildcards pay nothing for them, and no operation walks a list, but for the first
 * use of a kind of wildcard at a receiver.
 *
 * Invariants
 *  1. A queue holds messages only or receives only; a bin holds messages only, and is in its table
 *     while it holds any.
 *  2. A queued user message is in its receiver's list of arrived messages; a collective's is not
 *     (no wildcard ever asks for it).
 *  3. A queued message with a side is in the bins of exactly the kinds in its receiver's `indexed`.
 *  4. In a queue, bin.next leads from the first to the last (NONE after it), bin.prev back; that of
 *     the first is the last.
 */
#include "message.h"

#include <stdlib.h>
#include <string.h>

enum wildcard { EXACT = 0, ANY_SOURCE = 1, ANY_TAG = 2, ANY_BOTH = 3 };
enum { BINS_FIRST = 64, QUEUES_FIRST = 64 };

struct key {
	uint32_t ctx, dst, src;
	int32_t tag;
};

static uint64_t key_mix(const struct key *k)
{
	uint64_t a = (uint64_t)k->dst << 32 | k->src, b = (uint64_t)k->ctx << 32 | (uint32_t)k->tag;

	return a * 0x9e3779b97f4a7c15u ^ b * 0xc2b2ae3d27d4eb4fu;
}

static uint32_t key_hash(const struct key *k)
{
	uint64_t x = key_mix(k);

	x ^= x >> 29;
	return (uint32_t)(x * 0xbf58476d1ce4e5b9u >> 32);
}

static int bin_has_key(const struct match_bin *b, const struct key *k)
{
	return b->ctx == k->ctx && b->dst == k->dst && b->src == k->src && b->tag == k->tag;
}

/* --- the table of bins: open addressing, linear probing, no tombstones --- */

void match_init(struct match *m)
{
	*m = (struct match){.shift = 64};
	slots_init(&m->sides, sizeof(struct match_side), offsetof(struct match_side, link),
	           "messages for wildcards");
}

void match_release(struct match *m)
{
	free(m->queues);
	free(m->bins);
	slots_release(&m->sides);
	match_init(m);
}

/* Where the key is, or would go. The table must have a free slot. */
static uint32_t bin_place(const struct match *m, const struct key *k)
{
	uint32_t i = key_hash(k) & m->mask;

	while (m->bins[i].first != NONE && !bin_has_key(&m->bins[i], k))
		i = (i + 1) & m->mask;
	return i;
}

static struct match_bin *bin_find(const struct match *m, const struct key *k)
{
	struct match_bin *b;

	if (m->n == 0)
		return NULL;
	b = &m->bins[bin_place(m, k)];
	return b->first == NONE ? NULL : b;
}

static struct key bin_key(const struct match_bin *b)
{
	return (struct key){b->ctx, b->dst, b->src, b->tag};
}

static int bins_grow(struct match *m, struct err *err)
{
	uint32_t i, old = m->bins ? m->mask + 1 : 0;
	uint64_t size = old ? (uint64_t)old * 2 : BINS_FIRST;
	struct match_bin *bins = m->bins;

	if (size > 1u << 31)
		return err_set(err, ERR_LIMIT,
		               "too many messages and receives wait to be matched: %u", m->n);
	m->bins = malloc(size * sizeof *bins);
	if (!m->bins) {
		m->bins = bins;
		return err_nomem(err, "message matching", size * sizeof *bins);
	}
	memset(m->bins, 0xff, size * sizeof *bins);
	m->mask = (uint32_t)size - 1;
	for (i = 0; i < old; i++) {
		struct key k = bin_key(&bins[i]);

		if (bins[i].first != NONE)
			m->bins[bin_place(m, &k)] = bins[i];
	}
	free(bins);
	return 0;
}

static struct match_bin *bin_make(struct match *m, const struct key *k, struct err *err)
{
	struct match_bin *b;

	if ((!m->bins || m->n + 1 > (m->mask + 1) / 8 * 5) && bins_grow(m, err) < 0)
		return NULL;
	b = &m->bins[bin_place(m, k)];
	if (b->first == NONE) {
		*b = (struct match_bin){.ctx = k->ctx,
		                        .dst = k->dst,
		                        .src = k->src,
		                        .tag = k->tag,
		                        .first = NONE,
		                        .last = NONE};
		m->n++;
	}
	return b;
}

/* An emptied bin leaves, and those that it had pushed away move back. */
static void bin_drop(struct match *m, struct match_bin *b)
{
	uint32_t i = (uint32_t)(b - m->bins), j = i, home;
	struct key k;

	for (;;) {
		j = (j + 1) & m->mask;
		if (m->bins[j].first == NONE)
			break;
		k = bin_key(&m->bins[j]);
		home = key_hash(&k) & m->mask;
		if (((j - home) & m->mask) < ((j - i) & m->mask))
			continue;
		m->bins[i] = m->bins[j];
		i = j;
	}
	m->bins[i].first = NONE;
	m->n--;
}

/* --- lists --- */

/* The links of message r in the bin of this kind of pattern. */
static struct link *link_in(struct mp *mp, uint32_t r, enum wildcard kind)
{
	struct match_side *side = slots_at(&mp->match.sides, mp->reqs[r].side, sizeof *side);

	return &side->link[kind - 1];
}

static int bin_append(struct mp *mp, const struct key *k, uint32_t r, enum wildcard kind,
                      struct err *err)
{
	struct match_bin *b = bin_make(&mp->match, k, err);

	if (!b)
		return -1;
	*link_in(mp, r, kind) = (struct link){.next = NONE, .prev = b->last};
	if (b->first == NONE)
		b->first = r;
	else
		link_in(mp, b->last, kind)->next = r;
	b->last = r;
	return 0;
}

static void bin_unlink(struct mp *mp, const struct key *k, uint32_t r, enum wildcard kind)
{
	struct match_bin *b = bin_find(&mp->match, k);
	struct link *l = link_in(mp, r, kind);

	BUG_ON(!b);
	if (l->prev == NONE && l->next == NONE) {
		bin_drop(&mp->match, b);
		return;
	}
	if (l->prev == NONE)
		b->first = l->next;
	else
		link_in(mp, l->prev, kind)->next = l->next;
	if (l->next == NONE)
		b->last = l->prev;
	else
		link_in(mp, l->next, kind)->prev = l->prev;
}

static void arrived_append(struct mp *mp, struct rank *dst, uint32_t r)
{
	mp->reqs[r].dst = (struct link){.next = NONE, .prev = dst->arrived_last};
	if (dst->arrived_first == NONE)
		dst->arrived_first = r;
	else
		mp->reqs[dst->arrived_last].dst.next = r;
	dst->arrived_last = r;
}

static void arrived_unlink(struct mp *mp, struct rank *dst, uint32_t r)
{
	struct link *l = &mp->reqs[r].dst;

	if (l->prev == NONE)
		dst->arrived_first = l->next;
	else
		mp->reqs[l->prev].dst.next = l->next;
	if (l->next == NONE)
		dst->arrived_last = l->prev;
	else
		mp->reqs[l->next].dst.prev = l->prev;
}

/* --- keys --- */

static struct key send_key(const struct req *q, enum wildcard kind)
{
	return (struct key){
	    .ctx = q->ctx,
	    .dst = q->peer,
	    .src = kind & ANY_SOURCE ? ANY_PEER : q->rank,
	    .tag = kind & ANY_TAG ? MP_ANY : q->tag,
	};
}

static struct key recv_key(const struct req *q)
{
	return (struct key){.ctx = q->ctx, .dst = q->rank, .src = q->peer, .tag = q->tag};
}

static struct key exact_key(const struct req *q)
{
	return q->kind == REQ_RECV ? recv_key(q) : send_key(q, EXACT);
}

static enum wildcard pattern_of(uint32_t peer, int32_t tag)
{
	return (peer == ANY_PEER ? ANY_SOURCE : EXACT) | (tag == MP_ANY ? ANY_TAG : EXACT);
}

/* --- queues --- */

/* Where the first of this key is named, or would be: NONE is there. A table must be there. */
static uint32_t *queue_place(struct mp *mp, const struct key *k)
{
	uint32_t *place = &mp->match.queues[key_mix(k) >> mp->match.shift];

	while (*place != NONE) {
		struct req *q = &mp->reqs[*place];
		int receives = q->kind == REQ_RECV;

		if ((receives ? q->rank : q->peer) == k->dst &&
		    (receives ? q->peer : q->rank) == k->src && q->tag == k->tag &&
		    q->ctx == k->ctx)
			break;
		place = &q->chain;
	}
	return place;
}

static int queues_grow(struct mp *mp, struct err *err)
{
	struct match *m = &mp->match;
	uint32_t i, r, next, *old = m->queues, n_old = m->n_queues_cap,
	                     n = n_old ? 2 * n_old : QUEUES_FIRST;

	if (n_old >= 1u << 31)
		return err_set(err, ERR_LIMIT,
		               "too many messages and receives wait to be matched: %u",
		               m->n_queues);
	m->queues = malloc((size_t)n * sizeof *m->queues);
	if (!m->queues) {
		m->queues = old;
		return err_nomem(err, "message matching",
		                 (unsigned long long)n * sizeof *m->queues);
	}
	memset(m->queues, 0xff, (size_t)n * sizeof *m->queues);
	m->n_queues_cap = n;
	m->shift = 64 - (uint32_t)__builtin_ctz(n);
	for (i = 0; i < n_old; i++) {
		for (r = old[i]; r != NONE; r = next) {
			struct key k = exact_key(&mp->reqs[r]);

			next = mp->reqs[r].chain;
			mp->reqs[r].chain = NONE;
			*queue_place(mp, &k) = r;
		}
	}
	free(old);
	return 0;
}

static int queues_reserve(struct mp *mp, struct err *err)
{
	return mp->match.n_queues < mp->match.n_queues_cap ? 0 : queues_grow(mp, err);
}

/* r waits at the end of the queue of its key, whose place this is. */
static void queue_append(struct mp *mp, uint32_t *place, uint32_t r)
{
	struct req *q = &mp->reqs[r], *first;

	q->bin.next = NONE;
	if (*place == NONE) {
		*place = r;
		q->chain = NONE;
		q->bin.prev = r;
		mp->match.n_queues++;
		return;
	}
	first = &mp->reqs[*place];
	q->bin.prev = first->bin.prev;
	mp->reqs[first->bin.prev].bin.next = r;
	first->bin.prev = r;
}

/* The first of the queue leaves it. */
static void queue_take(struct mp *mp, uint32_t *place)
{
	struct req *q = &mp->reqs[*place], *next;

	if (q->bin.next == NONE) {
		*place = q->chain;
		mp->match.n_queues--;
		return;
	}
	next = &mp->reqs[q->bin.next];
	next->chain = q->chain;
	next->bin.prev = q->bin.prev;
	*place = q->bin.next;
}

static int is_first(const struct mp *mp, uint32_t r)
{
	return mp->reqs[mp->reqs[r].bin.prev].bin.next == NONE;
}

void match_follow(struct mp *mp, uint32_t r, uint32_t other)
{
	struct link *l = &mp->reqs[r].bin;
	struct key k;

	mp->reqs[other].bin = (struct link){.next = l->next, .prev = r};
	if (l->next == NONE) {
		k = exact_key(&mp->reqs[r]);
		mp->reqs[*queue_place(mp, &k)].bin.prev = other;
	} else {
		mp->reqs[l->next].bin.prev = other;
	}
	l->next = other;
}

static void queue_remove(struct mp *mp, uint32_t r)
{
	struct req *q = &mp->reqs[r];
	struct key k = exact_key(q);
	uint32_t *place = queue_place(mp, &k);

	BUG_ON(*place == NONE);
	if (*place == r) {
		queue_take(mp, place);
		return;
	}
	mp->reqs[q->bin.prev].bin.next = q->bin.next;
	mp->reqs[q->bin.next == NONE ? *place : q->bin.next].bin.prev = q->bin.prev;
}

/* --- the index for wildcards --- */

static uint8_t kind_bit(enum wildcard kind)
{
	return (uint8_t)(1u << (kind - 1));
}

static int side_make(struct mp *mp, uint32_t r, struct err *err)
{
	uint32_t side = slots_take(&mp->match.sides, err);

	if (side == NONE)
		return -1;
	mp->reqs[r].side = side;
	return 0;
}

static int index_add(struct mp *mp, uint32_t r, enum wildcard kind, struct err *err)
{
	struct key k = send_key(&mp->reqs[r], kind);

	if (mp->reqs[r].side == NONE && side_make(mp, r, err) < 0)
		return -1;
	return bin_append(mp, &k, r, kind, err);
}

static void index_remove(struct mp *mp, uint32_t r, const struct rank *dst)
{
	uint32_t side = mp->reqs[r].side;
	enum wildcard kind;

	for (kind = ANY_SOURCE; kind <= ANY_BOTH; kind++) {
		struct key k = send_key(&mp->reqs[r], kind);

		if (dst->indexed & kind_bit(kind))
			bin_unlink(mp, &k, r, kind);
	}
	slots_give(&mp->match.sides, side);
	mp->reqs[r].side = NONE;
}

/* From the first use of this kind of wildcard at a receiver on, its messages are indexed for it. */
static int index_ensure(struct mp *mp, struct rank *dst, enum wildcard kind, struct err *err)
{
	uint32_t r;

	if (dst->indexed & kind_bit(kind))
		return 0;
	for (r = dst->arrived_first; r != NONE; r = mp->reqs[r].dst.next) {
		if (index_add(mp, r, kind, err) < 0)
			return -1;
	}
	dst->indexed |= kind_bit(kind) & 7;
	return 0;
}

/* A message whose place in its queue is known waits there. */
static int send_queue(struct mp *mp, uint32_t *place, uint32_t r, struct err *err)
{
	struct rank *dst = &mp->ranks[mp->reqs[r].peer];
	enum wildcard kind;

	queue_append(mp, place, r);
	if (mp->reqs[r].ctx & CTX_COLL)
		return 0;
	arrived_append(mp, dst, r);
	for (kind = ANY_SOURCE; dst->indexed && kind <= ANY_BOTH; kind++) {
		if (dst->indexed & kind_bit(kind) && index_add(mp, r, kind, err) < 0)
			return -1;
	}
	return 0;
}

/* It has left its queue. */
static void send_unlist(struct mp *mp, uint32_t r)
{
	struct rank *dst = &mp->ranks[mp->reqs[r].peer];

	if (mp->reqs[r].ctx & CTX_COLL)
		return;
	arrived_unlink(mp, dst, r);
	if (mp->reqs[r].side != NONE)
		index_remove(mp, r, dst);
}

static int posted_before(const struct mp *mp, uint32_t a, uint32_t b)
{
	return (int32_t)(mp->reqs[a].order - mp->reqs[b].order) < 0;
}

/* The receives with wildcards that this message fits: the one posted before `best`, if any. */
static uint32_t wildcard_before(struct mp *mp, const struct req *q, uint32_t best)
{
	enum wildcard kind;
	uint32_t other;

	for (kind = ANY_SOURCE; kind <= ANY_BOTH; kind++) {
		struct key k = send_key(q, kind);

		other = *queue_place(mp, &k);
		if (other != NONE && (best == NONE || posted_before(mp, other, best)))
			best = other;
	}
	return best;
}

/* The first of the key leaves its queue; if it stands for others, one of them does. */
static int first_take(struct mp *mp, uint32_t *place, const struct key *k, struct err *err)
{
	if (req_messages(&mp->reqs[*place]) > 1) {
		if (req_part(mp, *place, err) < 0)
			return -1;
		place = queue_place(mp, k);
	}
	queue_take(mp, place);
	return 0;
}

int match_send(struct mp *mp, uint32_t r, uint32_t *mate, struct err *err)
{
	const struct req *q = &mp->reqs[r];
	struct key k = send_key(q, EXACT);
	uint32_t *place, best;

	if (queues_reserve(mp, err) < 0)
		return -1;
	place = queue_place(mp, &k);
	best = *place != NONE && mp->reqs[*place].kind == REQ_RECV ? *place : NONE;
	if (mp->ranks[q->peer].wildcards > 0 && !(k.ctx & CTX_COLL)) {
		*mate = wildcard_before(mp, q, best);
		if (*mate != best) {
			match_remove(mp, *mate);
			return 0;
		}
	}
	*mate = best;
	if (best != NONE)
		return first_take(mp, place, &k, err);
	if (k.ctx & CTX_COLL && *place == NONE &&
	    (mp->rows.takes(mp, r, mate, err) < 0 || *mate != NONE))
		return *mate == NONE ? -1 : 0;
	return send_queue(mp, place, r, err);
}

/* rules.eager_first: SimGrid keeps eager messages in a mailbox of their own, where a receive looks
 * first; of those that are next from their sender. */
static uint32_t eager_before(struct mp *mp, uint32_t head, enum wildcard kind)
{
	uint32_t r;

	if (kind == EXACT || mp->eager <= 0 || head == NONE)
		return head;
	for (r = head; r != NONE; r = link_in(mp, r, kind)->next) {
		if (mp->reqs[r].flags & REQ_EAGER && is_first(mp, r))
			return r;
	}
	return head;
}

int match_peek(struct mp *mp, uint32_t dst, uint32_t ctx, uint32_t peer, int32_t tag, uint32_t *out,
               struct err *err)
{
	struct key k = {.ctx = ctx, .dst = dst, .src = peer, .tag = tag};
	enum wildcard kind = pattern_of(peer, tag);
	const struct match_bin *b;

	if (kind == EXACT) {
		if (queues_reserve(mp, err) < 0)
			return -1;
		*out = *queue_place(mp, &k);
		if (*out != NONE && mp->reqs[*out].kind != REQ_SEND)
			*out = NONE;
		return 0;
	}
	if (index_ensure(mp, &mp->ranks[dst], kind, err) < 0)
		return -1;
	b = bin_find(&mp->match, &k);
	*out = b ? b->first : NONE;
	if (mp->rules.eager_first)
		*out = eager_before(mp, *out, kind);
	return 0;
}

int match_among(struct mp *mp, uint32_t dst, uint32_t ctx, int32_t tag, struct mp_message *m,
                uint32_t *out, struct err *err)
{
	struct key k = {.ctx = ctx, .dst = dst, .src = ANY_PEER, .tag = tag};
	enum wildcard kind = pattern_of(ANY_PEER, tag);
	const struct match_bin *b;
	uint32_t r;

	if (index_ensure(mp, &mp->ranks[dst], kind, err) < 0)
		return -1;
	b = bin_find(&mp->match, &k);
	for (r = b ? b->first : NONE; r != NONE; r = link_in(mp, r, kind)->next) {
		if (mp->program.takes(mp->program.self, dst, mp->reqs[r].rank, mp->reqs[r].tag, m))
			break;
	}
	*out = r;
	return 0;
}

/* A receive with wildcards. */
static int match_any(struct mp *mp, uint32_t r, uint32_t *mate, struct err *err)
{
	const struct req *q = &mp->reqs[r];
	struct key k = recv_key(q);

	if (match_peek(mp, q->rank, q->ctx, q->peer, q->tag, mate, err) < 0)
		return -1;
	if (*mate != NONE) {
		match_remove(mp, *mate);
		return 0;
	}
	mp->ranks[q->rank].wildcards++;
	queue_append(mp, queue_place(mp, &k), r);
	return 0;
}

int match_recv(struct mp *mp, uint32_t r, uint32_t *mate, struct err *err)
{
	struct req *q = &mp->reqs[r];
	struct key k = recv_key(q);
	uint32_t *place;

	if (queues_reserve(mp, err) < 0)
		return -1;
	q->order = mp->posts++;
	if (pattern_of(q->peer, q->tag) != EXACT)
		return match_any(mp, r, mate, err);
	place = queue_place(mp, &k);
	*mate = *place;
	if (*mate != NONE && mp->reqs[*mate].kind == REQ_SEND) {
		if (first_take(mp, place, &k, err) < 0)
			return -1;
		send_unlist(mp, *mate);
		return 0;
	}
	*mate = NONE;
	queue_append(mp, place, r);
	return 0;
}

uint32_t match_first(struct mp *mp, uint32_t ctx, uint32_t dst, uint32_t src, int32_t tag)
{
	struct key k = {.ctx = ctx, .dst = dst, .src = src, .tag = tag};

	return mp->match.queues ? *queue_place(mp, &k) : NONE;
}

void match_remove(struct mp *mp, uint32_t r)
{
	const struct req *q = &mp->reqs[r];

	queue_remove(mp, r);
	if (q->kind == REQ_SEND)
		send_unlist(mp, r);
	else if (pattern_of(q->peer, q->tag) != EXACT)
		mp->ranks[q->rank].wildcards--;
}
