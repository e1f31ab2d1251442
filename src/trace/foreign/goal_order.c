/* goal_order.c: the order of a schedule's ranks beside each other.
 *
 * Which message a rank waits for first is a choice that GOAL does not make, and one that can lead
 * into a deadlock: what it waits for may come from a rank that needs what this one would do after
 * another message. So all ranks are walked through together, without time. Messages meet as MPI has
 * it; small sends are over at once. A rank that would wait for a message that has not met its other
 * side is parked. When all are, those that have another message that is over wait for that one:
 *
 *   running --its message has not met--> parked --it meets, or all are parked--> running
 *
 * What comes to its end by the first rule alone keeps to it. Of a schedule with more than LIMIT
 * operations further ranks are put by themselves, by that rule.
 *
 * Most schedules leave no choice: wherever a rank waits, all that no operation to come holds back
 * waits for the same message, so that it could go on after no other. Such a rank is put as it is
 * read, and forgotten. The first that has a choice lets all be read again, and kept. */
#include "goal_sequence.h"

enum { LIMIT = 1 << 21, SMALL = 65536 };

/* Messages between two ranks that have not met: a list each of those sent and those received. */
struct pair {
	uint32_t first[2], last[2];
};
struct waiting {
	uint32_t rank, node, next;
	int32_t tag;
	uint8_t comm;
	uint64_t number; /* in the order of their coming */
};

struct goal_order {
	struct foreign *f;
	struct goal_graph *graph; /* of each rank */
	struct goal_sequence *rank;
	uint64_t nodes;
	struct hash64 pairs; /* receiver << 32 | sender, or any (UINT32_MAX) -> pair */
	struct pair *pair;
	uint32_t n_pairs, cap_pairs;
	int wild; /* receives from any rank have come */
	struct waiting *message;
	uint32_t n_messages, cap_messages;
	uint64_t number;
	uint32_t *queue; /* ranks that may go on: a ring */
	uint32_t head, queued;
};

void goal_order_free(struct goal_order *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; o->graph && i < o->f->ranks; i++)
		goal_graph_release(&o->graph[i]);
	hash64_release(&o->pairs);
	free(o->graph);
	free(o->rank);
	free(o->pair);
	free(o->message);
	free(o->queue);
	free(o);
}

static struct goal_order *order_new(struct foreign *f, struct err *err)
{
	struct goal_order *o = calloc(1, sizeof *o);

	if (o) {
		o->f = f;
		hash64_init(&o->pairs);
		o->graph = calloc(f->ranks, sizeof *o->graph);
		o->rank = calloc(f->ranks, sizeof *o->rank);
		o->queue = calloc(f->ranks, sizeof *o->queue);
	}
	if (o && o->graph && o->rank && o->queue)
		return o;
	goal_order_free(o);
	err_nomem(err, "a schedule", f->ranks * (sizeof *o->graph + sizeof *o->rank));
	return NULL;
}

/* --- messages meet --- */

static void rank_queue(struct goal_order *o, uint32_t rank)
{
	o->rank[rank].parked = 0;
	o->queue[(o->head + o->queued++) % o->f->ranks] = rank;
}

static void message_over(struct goal_order *o, uint32_t rank, uint32_t node)
{
	struct goal_sequence *s = &o->rank[rank];

	if (s->g->node[node].over)
		return;
	s->g->node[node].over = 1;
	goal_ready_push(&s->met, node);
	if (s->parked && s->waits_for == node)
		rank_queue(o, rank);
}

/* The list of messages of one side between two ranks, or HASH_NONE. */
static struct pair *pair_of(struct goal_order *o, uint32_t to, uint32_t from)
{
	uint32_t at = hash64_find(&o->pairs, (uint64_t)to << 32 | from);

	return at == HASH_NONE ? NULL : &o->pair[at];
}

static struct pair *pair_make(struct goal_order *o, uint32_t to, uint32_t from, struct err *err)
{
	struct pair *p = pair_of(o, to, from);

	if (p)
		return p;
	p = vec_grow(o->pair, &o->cap_pairs, sizeof *p, (size_t)o->n_pairs + 1, "pairs of ranks",
	             err);
	if (!p)
		return NULL;
	o->pair = p;
	p[o->n_pairs] = (struct pair){{HASH_NONE, HASH_NONE}, {HASH_NONE, HASH_NONE}};
	if (hash64_put(&o->pairs, (uint64_t)to << 32 | from, o->n_pairs, err) < 0)
		return NULL;
	return &p[o->n_pairs++];
}

static int message_wait(struct goal_order *o, struct pair *p, int side, uint32_t rank,
                        uint32_t node, const struct goal_node *g, struct err *err)
{
	struct waiting *all = vec_grow(o->message, &o->cap_messages, sizeof *all,
	                               (size_t)o->n_messages + 1, "messages", err);
	uint32_t i = o->n_messages;

	if (!all)
		return -1;
	o->message = all;
	all[o->n_messages++] = (struct waiting){.rank = rank,
	                                        .node = node,
	                                        .next = HASH_NONE,
	                                        .tag = g->tag,
	                                        .comm = g->comm,
	                                        .number = o->number++};
	*(p->last[side] == HASH_NONE ? &p->first[side] : &all[p->last[side]].next) = i;
	p->last[side] = i;
	return 0;
}

/* The first of a list that fits a message: where it hangs, or NULL. */
static uint32_t *fit_find(struct goal_order *o, struct pair *p, int side, const struct goal_node *g)
{
	uint32_t *at = &p->first[side];

	for (; *at != HASH_NONE; at = &o->message[*at].next) {
		const struct waiting *w = &o->message[*at];

		if (w->comm == g->comm &&
		    (w->tag == g->tag || g->tag == TRACE_ANY || w->tag == TRACE_ANY))
			return at;
	}
	return NULL;
}

static void message_take(struct goal_order *o, struct pair *p, int side, uint32_t *at,
                         uint32_t rank, uint32_t node)
{
	uint32_t i = *at, k;

	*at = o->message[i].next;
	if (p->last[side] == i) {
		p->last[side] = HASH_NONE;
		for (k = p->first[side]; k != HASH_NONE; k = o->message[k].next)
			p->last[side] = k;
	}
	message_over(o, o->message[i].rank, o->message[i].node);
	message_over(o, rank, node);
}

/* Of several lists that the one that came first is taken from. */
static void earlier(struct goal_order *o, struct pair *p, int side, const struct goal_node *g,
                    struct pair **best, uint32_t **best_at)
{
	uint32_t *at = p ? fit_find(o, p, side, g) : NULL;

	if (at && (!*best_at || o->message[*at].number < o->message[**best_at].number)) {
		*best = p;
		*best_at = at;
	}
}

int goal_order_message(struct goal_order *o, uint32_t rank, uint32_t node, struct err *err)
{
	const struct goal_node *g = &o->rank[rank].g->node[node];
	int receives = g->kind == GOAL_RECV, any = receives && g->peer == TRACE_ANY;
	uint32_t to = receives ? rank : (uint32_t)g->peer;
	uint32_t from = any ? UINT32_MAX : receives ? (uint32_t)g->peer : rank;
	struct pair *best = NULL, *own = pair_make(o, to, from, err);
	uint32_t *at = NULL;

	if (!own)
		return -1;
	o->wild |= any;
	if (!receives && g->size < SMALL)
		message_over(o, rank, node);
	if (any)
		for (uint32_t i = 0; i < o->f->ranks; i++)
			earlier(o, pair_of(o, to, i), 0, g, &best, &at);
	else
		earlier(o, own, !receives, g, &best, &at);
	if (!receives && o->wild)
		earlier(o, pair_of(o, to, UINT32_MAX), 1, g, &best, &at);
	if (!at)
		return message_wait(o, own, receives, rank, node, g, err);
	message_take(o, best, !receives, at, rank, node);
	return 0;
}

/* --- ranks go on --- */

/* 0: it is at its end, or parked; 1: it has a choice, and is not to. */
static int rank_go(struct goal_sequence *s, int may_choose, struct err *err)
{
	int r;

	while ((r = goal_sequence_issue(s, err)) == 0) {
		if (goal_sequence_held(s, &s->waits_for, err) < 0)
			return -1;
		if (!may_choose && goal_sequence_chooses(s, s->waits_for))
			return 1;
		if (s->order && !s->g->node[s->waits_for].over) {
			s->parked = 1;
			return 0;
		}
		if (goal_sequence_wait(s, s->waits_for, err) < 0)
			return -1;
	}
	return r < 0 ? -1 : goal_sequence_end(s, err);
}

/* Waits for a message that is over, and that holds something back; 0: there is none. */
static int other_wait(struct goal_order *o, struct goal_sequence *s, struct err *err)
{
	while (s->met.n > 0) {
		uint32_t i = goal_ready_pop(&s->met);

		if (s->g->node[i].done || s->g->node[i].n_ends == 0)
			continue;
		rank_queue(o, s->rank);
		return goal_sequence_wait(s, i, err) < 0 ? -1 : 1;
	}
	return 0;
}

/* Nobody goes on. If nobody has another message either, it is a deadlock, which is the schedule's:
 * the replay will say so. */
static int parked_go(struct goal_order *o, struct err *err)
{
	uint32_t others = 0;

	for (uint32_t i = 0; i < o->f->ranks; i++) {
		int r = o->rank[i].parked ? other_wait(o, &o->rank[i], err) : 0;

		if (r < 0)
			return -1;
		others += (uint32_t)r;
	}
	for (uint32_t i = 0; others == 0 && i < o->f->ranks; i++) {
		struct goal_sequence *s = &o->rank[i];

		if (!s->parked)
			continue;
		rank_queue(o, i);
		if (goal_sequence_wait(s, s->waits_for, err) < 0)
			return -1;
	}
	return 0;
}

static int order_run(struct goal_order *o, struct err *err)
{
	do {
		while (o->queued > 0) {
			struct goal_sequence *s = &o->rank[o->queue[o->head]];

			o->head = (o->head + 1) % o->f->ranks;
			o->queued--;
			if (rank_go(s, 1, err) < 0)
				return -1;
		}
		if (parked_go(o, err) < 0)
			return -1;
	} while (o->queued > 0);
	return 0;
}

/* What was put is forgotten. */
static int again(struct foreign *f, struct goal_graph *g, struct err *err)
{
	goal_order_free(g->order);
	g->order = NULL;
	return foreign_anew(f, err) < 0 ? -1 : 1;
}

static int put_alone(struct foreign *f, uint32_t rank, struct goal_graph *g, struct err *err)
{
	struct goal_sequence alone = {.f = f, .g = g, .rank = rank};
	int r = goal_sequence_begin(&alone, err) < 0 ? -1 : rank_go(&alone, g->together, err);

	goal_graph_clear(g);
	if (r <= 0)
		return r;
	g->together = 1;
	return again(f, g, err);
}

int goal_graph_put(struct foreign *f, uint32_t rank, struct goal_graph *g, struct err *err)
{
	struct goal_order *o = g->order;
	int r;

	if (f->graph_take)
		return f->graph_take(f, rank, g, err);
	r = goal_named_rank(f, rank, g, err);
	if (r != GOAL_PUT) {
		goal_graph_clear(g);
		return r == GOAL_AGAIN ? again(f, g, err) : r == GOAL_COUNTED ? 0 : -1;
	}
	if (!g->together)
		return put_alone(f, rank, g, err);
	if (!o && !(o = g->order = order_new(f, err)))
		return -1;
	if (o->nodes + g->n > LIMIT)
		return put_alone(f, rank, g, err);
	o->nodes += g->n;
	o->graph[rank] = *g;
	o->graph[rank].order = NULL;
	o->graph[rank].named = NULL;
	*g = (struct goal_graph){.order = o, .together = 1, .named = g->named};
	o->rank[rank] = (struct goal_sequence){
	    .f = f, .g = &o->graph[rank], .order = o, .rank = rank};
	if (goal_sequence_begin(&o->rank[rank], err) < 0)
		return -1;
	rank_queue(o, rank);
	return 0;
}

int goal_graph_end(struct foreign *f, struct goal_graph *g, struct err *err)
{
	int r;

	if (f->graph_take)
		return 0;
	r = goal_named_end(f, g, err);
	return r == GOAL_PUT && g->order ? order_run(g->order, err) : r;
}
