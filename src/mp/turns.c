/* turns.c: ranks that take turns, as SimGrid's do at each request to its kernel (rules.turns).
 *
 * Of the ranks that run at one date each posts one message, then each its next. With
 * smpi/async-small-thresh > 0 a rank has two mailboxes, and to post one message takes three to five
 * turns: who posts locks both, or waits in a queue for that; looks whether what it posts is awaited
 * in the other mailbox, or in both; posts; unlocks.
 *
 *   NOT_POSTING -----------locked----------> QUEUES
 *      ^   \---free---> LOCKS <---its turn---/
 *      |                   \-> PROBES -> POSTS -> UNLOCKS
 *      `----------------------------------------------/
 *
 * A wait for a request that is complete takes a turn, too; so does a look (test.c, probe.c). What
 * a rank executes begins in the third: SimGrid's kernel is told how much, where, and to begin; of a
 * probe in the fourth, for there is a bound besides.
 *
 * Who waits for several requests is woken by each, looks, and is put to wait again, behind those
 * that wait already. If that happens to it several times at one date, the others' first times come
 * before its second. Of the two that wait for a message, the one that waits longer goes on first.
 */
#include "mp/message/message.h"

#include <stdlib.h>

/* Where a host has several ranks there are marks to tell. */
static int marks_init(struct mp *mp, struct err *err)
{
	int shared = 0;

	for (uint32_t i = 0; i < mp->n_ranks && !shared; i++)
		shared = ++mp->turns.hosts[mp->ranks[i].host.v].ranks > 1;
	for (uint32_t i = 0; i < mp->n_ranks; i++)
		mp->turns.hosts[mp->ranks[i].host.v].ranks = 0;
	if (!shared)
		return 0;
	mp->turns.marked = calloc(mp->turns.n_hosts, sizeof *mp->turns.marked);
	return mp->turns.marked ? 0 : err_nomem(err, "hosts", mp->turns.n_hosts);
}

static int executions_init(struct mp *mp, struct err *err)
{
	uint32_t hosts = 0;

	for (uint32_t i = 0; i < mp->n_ranks; i++)
		hosts = mp->ranks[i].host.v >= hosts ? mp->ranks[i].host.v + 1 : hosts;
	mp->turns.hosts = calloc(hosts, sizeof *mp->turns.hosts);
	mp->turns.begin = calloc(mp->n_ranks, sizeof *mp->turns.begin);
	if (!mp->turns.hosts || !mp->turns.begin)
		return err_nomem(err, "hosts", hosts * sizeof *mp->turns.hosts);
	mp->turns.n_hosts = hosts;
	mp->turns.round = 1;
	return marks_init(mp, err);
}

int turns_init(struct mp *mp, struct err *err)
{
	if (!mp->rules.turns)
		return 0;
	mp->turns.at = calloc(mp->n_ranks, sizeof *mp->turns.at);
	if (!mp->turns.at)
		return err_nomem(err, "ranks", mp->n_ranks * sizeof *mp->turns.at);
	if (executions_init(mp, err) < 0)
		return -1;
	if (!(config_number(mp->cfg, CFG_SMPI_EAGER) > 0))
		return 0;
	mp->turns.post = calloc(mp->n_ranks, sizeof *mp->turns.post);
	if (!mp->turns.post)
		return err_nomem(err, "ranks", mp->n_ranks * sizeof *mp->turns.post);
	for (uint32_t i = 0; i < mp->n_ranks; i++)
		mp->turns.post[i].owner = mp->turns.post[i].first = NONE;
	return 0;
}

void turn_waits(struct mp *mp, uint32_t rank)
{
	double now = engine_now(mp->engine);
	struct waiter *w = &mp->turns.at[rank];

	w->times = w->since == now ? w->times + 1 : 0;
	w->since = now;
	w->turn = ++mp->turns.waits;
}

int turn_is_before(const struct mp *mp, uint32_t a, uint32_t b)
{
	const struct waiter *v = &mp->turns.at[a], *w = &mp->turns.at[b];

	if (v->since != w->since)
		return v->since < w->since;
	return v->times != w->times ? v->times < w->times : (int32_t)(v->turn - w->turn) < 0;
}

static void turn_passes(struct mp *mp, uint32_t rank)
{
	turn_waits(mp, rank);
	rank_wake(mp, rank);
}

/* Where nobody else is ready it would be the next, and goes on at once. */
int turn_ends(struct mp *mp, uint32_t rank)
{
	if (mp->ready.n == 0 && !mp->turns.post) {
		turn_waits(mp, rank);
		return 0;
	}
	turn_passes(mp, rank);
	return 1;
}

/* --- of a post, with locked mailboxes --- */

enum { NOT_POSTING, QUEUES, LOCKS, PROBES, POSTS, UNLOCKS };

/* A synchronous one that nobody awaits goes to the large mailbox: if there is no large receive it
 * looks for a small one, too. */
static uint8_t probes_of_send(struct mp *mp, const struct poster *w)
{
	uint32_t other;

	if (!w->small || !w->sync)
		return w->small;
	other = match_first(mp, w->ctx, w->receiver, w->sender, w->tag);
	return other != NONE && mp->reqs[other].kind == REQ_RECV &&
	               mp->reqs[other].bytes >= mp->eager
	           ? 1
	           : 2;
}

/* A small message looks for a large receive; a receive for a small message, and a small one, if
 * there is none, for a large message. */
static uint8_t probes_of(struct mp *mp, const struct poster *w)
{
	struct err later; /* the post meets it, too */
	uint32_t other;

	if (w->sends)
		return probes_of_send(mp, w);
	if (match_peek(mp, w->receiver, w->ctx, w->peer, w->tag, &other, &later) < 0)
		return 1;
	if (!w->small)
		return 1;
	return other == NONE || mp->reqs[other].bytes >= mp->eager ||
	               mp->reqs[other].flags & REQ_SYNC
	           ? 2
	           : 1;
}

static void poster_set(const struct mp *mp, struct poster *w, const struct req *q)
{
	w->sends = q->kind == REQ_SEND;
	w->small = q->bytes < mp->eager;
	w->sync = (q->flags & REQ_SYNC) != 0;
	w->sender = q->rank;
	w->receiver = w->sends ? q->peer : q->rank;
	w->ctx = q->ctx;
	w->peer = q->peer;
	w->tag = q->tag;
}

int turn_of_post(struct mp *mp, uint32_t rank, uint32_t r)
{
	struct poster *w = &mp->turns.post[rank], *l;

	if (w->stage == POSTS) {
		w->stage = UNLOCKS;
		return 1;
	}
	if (w->stage != NOT_POSTING)
		return 0;
	poster_set(mp, w, &mp->reqs[r]);
	l = &mp->turns.post[w->receiver];
	if (l->owner == NONE) {
		l->owner = rank;
		w->stage = LOCKS;
		turn_passes(mp, rank);
		return 0;
	}
	w->stage = QUEUES;
	w->next = NONE;
	if (l->first == NONE)
		l->first = rank;
	else
		mp->turns.post[l->last].next = rank;
	l->last = rank;
	return 0;
}

/* Who is next in the queue goes on before who unlocks. */
static void unlock(struct mp *mp, uint32_t rank)
{
	struct poster *w = &mp->turns.post[rank], *l = &mp->turns.post[w->receiver];

	l->owner = l->first;
	if (l->owner != NONE) {
		l->first = mp->turns.post[l->owner].next;
		mp->turns.post[l->owner].stage = LOCKS;
		turn_passes(mp, l->owner);
	}
	w->stage = NOT_POSTING;
	turn_passes(mp, rank);
}

static int post_goes_by(struct mp *mp, uint32_t rank)
{
	struct poster *w = &mp->turns.post[rank];

	if (w->stage == LOCKS) { /* nobody else posts there from here on */
		w->probes = probes_of(mp, w);
		w->stage = PROBES;
	}
	if (w->stage == PROBES && w->probes > 0) {
		w->probes--;
		turn_passes(mp, rank);
		return 1;
	}
	if (w->stage == PROBES)
		w->stage = POSTS;
	if (w->stage == UNLOCKS) {
		unlock(mp, rank);
		return 1;
	}
	return w->stage == QUEUES;
}

/* --- of what is executed ---
 *
 * SimGrid reckons anew when computations end host by host, in the order in which their processors
 * were marked since it did so last; equal ends come in that order. A processor is marked when a
 * rank begins to compute, to sleep or to wait for a single message there, which is a sleep, too;
 * and when a computation ends while another rank does one of these. The mark is lost when the last
 * of them ends. Where a host has several ranks, a mark also concerns what the others compute. */

static struct busy_host *host_of(const struct mp *mp, uint32_t rank)
{
	return &mp->turns.hosts[mp->ranks[rank].host.v];
}

static void host_mark(struct mp *mp, uint32_t rank)
{
	struct busy_host *h = host_of(mp, rank);

	if (h->round != mp->turns.round && mp->turns.marked)
		mp->turns.marked[mp->turns.n_marked++].rank = mp->ranks[rank].host.v;
	if (h->round != mp->turns.round || h->place == 0)
		h->place = ++mp->turns.marks;
	h->round = mp->turns.round;
}

static void hold(struct mp *mp, uint32_t rank, int computes)
{
	struct busy_host *h = host_of(mp, rank);
	struct waiter *w = &mp->turns.at[rank];

	turn_leaves(mp, rank);
	w->holds = computes ? COMPUTES : HOLDS_A_PLACE;
	h->ranks++;
	h->computing += (uint32_t)computes;
	host_mark(mp, rank);
}

void turn_occupies(struct mp *mp, uint32_t rank)
{
	hold(mp, rank, 0);
}

void turn_leaves(struct mp *mp, uint32_t rank)
{
	struct busy_host *h = host_of(mp, rank);
	struct waiter *w = &mp->turns.at[rank];

	if (w->holds == HOLDS_NOTHING)
		return;
	h->ranks--;
	h->computing -= w->holds == COMPUTES;
	if (h->ranks == 0)
		h->place = 0;
	else if (w->holds == COMPUTES)
		host_mark(mp, rank);
	w->holds = HOLDS_NOTHING;
}

static void begins(struct mp *mp, uint32_t rank)
{
	uint32_t n = mp->turns.n_begin++;

	hold(mp, rank, 1);
	mp->turns.begin[n] = (struct begun){host_of(mp, rank)->place, n, rank};
}

static int begun_compare(const void *a, const void *b)
{
	const struct begun *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* The engine hears of the hosts that are still marked, and compute, in the order of the marks. */
static int marks_tell(struct mp *mp, struct err *err)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < mp->turns.n_marked; i++) {
		uint32_t host = mp->turns.marked[i].rank;
		const struct busy_host *h = &mp->turns.hosts[host];

		if (h->place > 0 && h->computing > 0) {
			mp->turns.marked[n] = (struct begun){h->place, n, host};
			n++;
		}
	}
	mp->turns.n_marked = 0;
	if (n > 1)
		qsort(mp->turns.marked, n, sizeof *mp->turns.marked, begun_compare);
	for (uint32_t i = 0; i < n; i++)
		if (net_compat_mark(mp->net, (struct host_id){mp->turns.marked[i].rank}, err) < 0)
			return -1;
	return 0;
}

int turns_are_over(struct mp *mp, struct err *err)
{
	if (mp->turns.n_marked > 0 && marks_tell(mp, err) < 0)
		return -1;
	if (mp->turns.n_begin > 1)
		qsort(mp->turns.begin, mp->turns.n_begin, sizeof *mp->turns.begin, begun_compare);
	for (uint32_t i = 0; i < mp->turns.n_begin; i++) {
		uint32_t rank = mp->turns.begin[i].rank;

		if (rank_execute(mp, rank, mp->turns.at[rank].volume, err) != MP_BLOCKED)
			return -1;
	}
	mp->turns.n_begin = 0;
	mp->turns.round++;
	return 0;
}

void turn_executes(struct mp *mp, const struct op *op, double volume)
{
	struct waiter *w = &mp->turns.at[op->rank];

	w->volume = volume;
	if (mp->ready.n == 0) { /* nobody else begins anything meanwhile */
		begins(mp, op->rank);
		return;
	}
	w->calls = op->call == CALL_IPROBE || op->call == CALL_PROBE ? 3 : 2;
	turn_passes(mp, op->rank);
}

int turn_goes_by(struct mp *mp, uint32_t rank)
{
	struct waiter *w = &mp->turns.at[rank];

	if (w->calls == 0)
		return mp->turns.post && post_goes_by(mp, rank);
	if (--w->calls == 0)
		begins(mp, rank);
	else
		turn_passes(mp, rank);
	return 1;
}

/* --- of a wait: each request that is complete is a turn, since SimGrid's kernel is asked for it;
 * but for a detached send, which has nothing to wait for --- */

void wait_turns_begin(struct mp *mp, uint32_t rank)
{
	turn_waits(mp, rank);
	mp->turns.at[rank].left = 0;
}

int is_asked_for(const struct req *q)
{
	return (q->kind == REQ_SEND || q->kind == REQ_RECV) && q->peer != PEER_NULL &&
	       !(q->flags & REQ_DETACHED) && q->stage != REQ_SETTLED;
}

void turn_of_done(struct mp *mp, uint32_t r)
{
	const struct req *q = &mp->reqs[r];

	if (is_asked_for(q))
		mp->turns.at[q->rank].left++;
}

void wait_turn_comes(struct mp *mp, const struct op *op)
{
	turn_waits(mp, op->rank);
	if (op->mode == WAIT_ALL && mp->ranks[op->rank].ready)
		mp->turns.at[op->rank].left++;
}

int wait_turn_passes(struct mp *mp, const struct op *op)
{
	struct waiter *w = &mp->turns.at[op->rank];
	int lacks = op->set.pending > 0 && !(op->mode != WAIT_ALL && op->first != NONE);

	if (mp->ready.n == 0)
		w->left = 0; /* nobody else would go on meanwhile */
	if (w->left == 0)
		return lacks;
	w->left--;
	if (lacks)
		turn_waits(mp, op->rank);
	rank_wake(mp, op->rank);
	return 1;
}

/* --- of a blocking collective --- */

void task_turns_begin(struct mp *mp, struct op *t)
{
	t->turns = 0;
	turn_waits(mp, t->rank);
	if (!t->apart)
		t->turns_since = engine_now(mp->engine);
}

void task_turn_comes(struct mp *mp, struct op *t)
{
	double now = engine_now(mp->engine);

	if (t->apart)
		return;
	turn_waits(mp, t->rank);
	t->turns = t->turns_since == now ? t->turns + 1 : 0;
	t->turns_since = now;
	if (t->turns == 0)
		rank_wake(mp, t->rank);
}

int task_turn_passes(struct mp *mp, struct op *t)
{
	if (t->apart || t->turns == 0)
		return 0;
	t->turns--;
	rank_wake(mp, t->rank);
	return 1;
}
