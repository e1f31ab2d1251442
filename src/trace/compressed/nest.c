/* nest.c: see nest.h. Loops are found and walked here.
 *
 *   searching (frames = 0: each node goes to the list)
 *       ── the end of the list repeats ──> walking
 *   walking (frames > 0: each node goes into the loop)
 *       ── an event does not fit ──> searching; what was walked of the last iteration goes into the
 *          queue, then the event
 *
 * Invariants
 *  1. While a loop is walked it is not in the list: the list is what came before it.
 *  2. In the order list, loop that is walked, queue from its end on, are all events so far.
 *  3. frame[0].times counts the runs of the walked loop, which get into its column when it is
 *     closed; those of the loops inside it when they are left. */
#include "nest_int.h"

#include <stdlib.h>
#include <string.h>

enum {
	CANDIDATES = 24,       /* places at which a repetition is looked for */
	PERIOD_MOST = 1 << 13, /* nodes in a loop */
	STEPS = 48             /* of finding where in a loop an event fits */
};
#define BASE UINT64_C(0x9e3779b97f4a7c15)

void nest_init(struct nest *n)
{
	memset(n, 0, sizeof *n);
	n->free_node = NODE_NONE;
	hash64_init(&n->last);
}

static void nodes_release(struct nest *n)
{
	for (uint32_t i = 0; i < n->n_node; i++) {
		struct column *c = node_columns(&n->node[i]);

		for (uint32_t k = 0; k < n->node[i].columns; k++)
			column_release(&c[k]);
		free(n->node[i].kid);
		free(n->node[i].column);
	}
}

void nest_release(struct nest *n)
{
	nodes_release(n);
	calls_release(&n->calls);
	hash64_release(&n->last);
	free(n->node);
	free(n->list);
	free(n->prefix);
	free(n->before);
	free(n->power);
	free(n->queue);
}

void nest_clear(struct nest *n)
{
	nodes_release(n);
	hash64_release(&n->last);
	hash64_init(&n->last);
	n->n_node = n->n = n->frames = n->queued = 0;
	n->free_node = NODE_NONE;
	n->events = n->bytes = 0;
}

/* --- the list --- */

static int power_reserve(struct nest *n, uint32_t k, struct err *err)
{
	uint64_t *p = vec_grow(n->power, &n->cap_power, sizeof *p, (size_t)k + 1, "powers", err);

	if (!p)
		return -1;
	n->power = p;
	for (; n->powers <= k; n->powers++)
		p[n->powers] = n->powers ? p[n->powers - 1] * BASE : 1;
	return 0;
}

/* Hash of the places [from, to). */
static uint64_t range_hash(const struct nest *n, uint32_t from, uint32_t to)
{
	return n->prefix[to] - n->prefix[from] * n->power[to - from];
}

static int list_push(struct nest *n, uint32_t node, struct err *err)
{
	uint32_t *list = vec_grow(n->list, &n->cap_list, sizeof *list, (size_t)n->n + 1,
	                          "the list of a trace", err);
	uint64_t hash = n->node[node].hash, *prefix;
	uint32_t *before;

	if (!list)
		return -1;
	n->list = list;
	prefix = vec_grow(n->prefix, &n->cap_prefix, sizeof *prefix, (size_t)n->n + 2,
	                  "the list of a trace", err);
	if (!prefix)
		return -1;
	n->prefix = prefix;
	before = vec_grow(n->before, &n->cap_before, sizeof *before, (size_t)n->n + 1,
	                  "the list of a trace", err);
	if (!before)
		return -1;
	n->before = before;
	if (n->n == 0)
		prefix[0] = 0;
	prefix[n->n + 1] = prefix[n->n] * BASE + hash;
	before[n->n] = hash64_find(&n->last, hash);
	list[n->n] = node;
	if (hash64_put(&n->last, hash, n->n, err) < 0)
		return -1;
	n->n++;
	return 0;
}

static int list_pop(struct nest *n, struct err *err)
{
	uint32_t at = --n->n;
	uint64_t hash = n->node[n->list[at]].hash;

	if (n->before[at] == HASH_NONE) {
		hash64_remove(&n->last, hash);
		return 0;
	}
	return hash64_put(&n->last, hash, n->before[at], err);
}

static int list_drop(struct nest *n, uint32_t k, struct err *err)
{
	for (; k > 0; k--)
		if (list_pop(n, err) < 0)
			return -1;
	return 0;
}

/* --- finding loops --- */

static int ranges_same(const struct nest *n, const uint32_t *a, const uint32_t *b, uint32_t k)
{
	for (uint32_t i = 0; i < k; i++)
		if (!node_same(n, a[i], b[i]))
			return 0;
	return 1;
}

static void walk_begin(struct nest *n, uint32_t loop, uint32_t times)
{
	n->frame[0] = (struct frame){loop, 0, times};
	n->frames = 1;
}

static int range_depth(const struct nest *n, uint32_t k)
{
	int depth = 0;

	for (uint32_t i = n->n - k; i < n->n; i++)
		if (n->node[n->list[i]].depth > depth)
			depth = n->node[n->list[i]].depth;
	return depth;
}

/* The last k places repeat the k before them: they become a loop, which is walked. */
static int loop_found(struct nest *n, uint32_t k, struct err *err)
{
	uint32_t *a = n->list + n->n - 2 * k, *b = a + k;
	uint32_t loop;

	for (uint32_t i = 0; i < k; i++)
		if (node_absorb(n, a[i], b[i], err) < 0)
			return -1;
	/* What is absorbed has no hash any more; the chains only need those of equal nodes. */
	for (uint32_t i = 0; i < k; i++)
		b[i] = a[i];
	if (list_drop(n, 2 * k, err) < 0)
		return -1;
	loop = node_loop(n, a, k, err);
	if (loop == NODE_NONE)
		return -1;
	walk_begin(n, loop, 2);
	return 1;
}

/* The last k places repeat the body of the loop before them. */
static int loop_goes_on(struct nest *n, uint32_t k, struct err *err)
{
	uint32_t loop = n->list[n->n - 1 - k];
	struct column *times = node_columns(&n->node[loop]);
	struct column last = {0};
	uint32_t *kid = malloc(k * sizeof *kid);

	if (!kid)
		return err_nomem(err, "a loop of a trace", k * sizeof *kid);
	memcpy(kid, n->list + n->n - k, k * sizeof *kid);
	if (list_drop(n, k + 1, err) < 0 || column_split(times, 1, &last, err) < 0)
		goto fail;
	for (uint32_t i = 0; i < k; i++)
		if (node_absorb(n, n->node[loop].kid[i], kid[i], err) < 0)
			goto fail;
	walk_begin(n, loop, (uint32_t)column_item(&last, 0) + 1);
	column_release(&last);
	free(kid);
	return 1;
fail:
	column_release(&last);
	free(kid);
	return -1;
}

/* Whether what the list ends in goes on with a loop. */
static int repetition_before(struct nest *n, uint32_t k, struct err *err)
{
	const struct node *loop;

	if (n->n <= k)
		return 0;
	loop = &n->node[n->list[n->n - 1 - k]];
	if (loop->kids != k || loop->few[0].n != 1 ||
	    !ranges_same(n, loop->kid, n->list + n->n - k, k))
		return 0;
	return loop_goes_on(n, k, err);
}

/* Looks for a repetition at the end of the list: 1 if a loop is walked now. */
static int repetition_find(struct nest *n, struct err *err)
{
	uint32_t end = n->n, at = n->before[end - 1];

	for (int tries = 0; at != HASH_NONE && tries < CANDIDATES; tries++, at = n->before[at]) {
		uint32_t k = end - 1 - at;

		if (k > PERIOD_MOST)
			return 0;
		if (at + 1 < k)
			continue;
		if (power_reserve(n, k, err) < 0)
			return -1;
		if (range_hash(n, end - k, end) == range_hash(n, end - 2 * k, end - k) &&
		    range_depth(n, k) + 1 < NEST_DEPTH &&
		    ranges_same(n, n->list + end - k, n->list + end - 2 * k, k))
			return loop_found(n, k, err);
	}
	/* A loop that was closed too early: the one next to the end. */
	for (uint32_t k = 1; k <= 8 && k < n->n; k++)
		if (n->node[n->list[n->n - 1 - k]].kids == k)
			return repetition_before(n, k, err);
	return 0;
}

/* --- walking --- */

/* Where in the walked loop a node fits: frames as they would be, loops left on the way. */
struct way {
	struct frame frame[NEST_DEPTH + 1];
	uint32_t frames;
	struct frame left[STEPS];
	uint32_t n_left;
	int steps;
};

static int way_find(const struct nest *n, struct way *w, uint32_t node, uint64_t hash);

/* Leaves the innermost loop. */
static int way_leave(const struct nest *n, struct way *w, uint32_t node, uint64_t hash)
{
	struct frame *f;

	if (w->frames < 2 || w->n_left == STEPS)
		return 0;
	w->left[w->n_left++] = w->frame[w->frames - 1];
	f = &w->frame[--w->frames - 1];
	if (++f->kid == n->node[f->loop].kids) {
		f->kid = 0;
		f->times++;
	}
	return way_find(n, w, node, hash);
}

/* The node is the next one here, or the first of the loop that is next here. */
static int way_here(const struct nest *n, struct way *w, uint32_t node, uint64_t hash)
{
	const struct frame *f = &w->frame[w->frames - 1];
	uint32_t kid = n->node[f->loop].kid[f->kid];

	if (n->node[kid].hash == hash && (node == NODE_NONE || node_same(n, kid, node)))
		return 1;
	if (n->node[kid].kids == 0 || w->frames > NEST_DEPTH)
		return 0;
	w->frame[w->frames++] = (struct frame){kid, 0, 0};
	return way_find(n, w, node, hash);
}

/* How often a loop ran when it was last reached; 0 if it was not. */
static uint32_t times_before(const struct nest *n, uint32_t loop)
{
	const struct column *c = &n->node[loop].few[0];

	return c->n ? (uint32_t)column_item(c, c->n - 1) : 0;
}

static int way_find(const struct nest *n, struct way *w, uint32_t node, uint64_t hash)
{
	const struct frame *f = &w->frame[w->frames - 1];
	struct way other;

	if (--w->steps < 0)
		return 0;
	if (f->kid > 0 || w->frames == 1)
		return way_here(n, w, node, hash);
	/* Between two runs of an inner loop: as often as last time, if both ways are open. */
	other = *w;
	if (f->times > 0 && f->times == times_before(n, f->loop)) {
		if (way_leave(n, &other, node, hash)) {
			*w = other;
			return 1;
		}
		w->steps = other.steps;
		return way_here(n, w, node, hash);
	}
	if (way_here(n, &other, node, hash)) {
		*w = other;
		return 1;
	}
	w->steps = other.steps;
	return way_leave(n, w, node, hash);
}

static void frame_advance(struct nest *n)
{
	struct frame *f = &n->frame[n->frames - 1];

	if (++f->kid == n->node[f->loop].kids) {
		f->kid = 0;
		f->times++;
	}
}

/* 1: the frames are where the node fits, 0: it does not fit. */
static int walk_to(struct nest *n, uint32_t node, uint64_t hash, struct err *err)
{
	const struct frame *f = &n->frame[n->frames - 1];
	struct way w;

	if (f->kid > 0 || n->frames == 1) { /* the common case */
		uint32_t kid = n->node[f->loop].kid[f->kid];

		if (n->node[kid].hash == hash && n->node[kid].kids == 0)
			return 1;
	}
	memcpy(w.frame, n->frame, n->frames * sizeof *w.frame);
	w.frames = n->frames;
	w.n_left = 0;
	w.steps = STEPS;
	if (!way_find(n, &w, node, hash))
		return 0;
	for (uint32_t i = 0; i < w.n_left; i++)
		if (column_push(&n->node[w.left[i].loop].few[0], w.left[i].times, err) < 0)
			return -1;
	memcpy(n->frame, w.frame, w.frames * sizeof *w.frame);
	n->frames = w.frames;
	return 1;
}

static uint32_t kid_here(const struct nest *n)
{
	const struct frame *f = &n->frame[n->frames - 1];

	return n->node[f->loop].kid[f->kid];
}

/* --- closing --- */

static int queue_push(struct nest *n, uint32_t node, struct err *err)
{
	uint32_t *q = vec_grow(n->queue, &n->cap_queue, sizeof *q, (size_t)n->queued + 1,
	                       "the list of a trace", err);

	if (!q)
		return -1;
	n->queue = q;
	q[n->queued++] = node;
	return 0;
}

/* The last run of a node, out of it and into the queue. */
static int part_queue(struct nest *n, uint32_t node, uint32_t times, struct err *err)
{
	uint32_t part = node_split(n, node, times, err);

	return part == NODE_NONE ? -1 : queue_push(n, part, err);
}

/* The whole runs of an inner loop that was being walked. */
static int runs_queue(struct nest *n, const struct frame *f, struct err *err)
{
	uint32_t kids = n->node[f->loop].kids, loop, *kid;

	if (f->times == 0)
		return 0;
	kid = malloc(kids * sizeof *kid);
	if (!kid)
		return err_nomem(err, "a loop of a trace", kids * sizeof *kid);
	for (uint32_t k = 0; k < kids; k++) {
		kid[k] = node_split(n, n->node[f->loop].kid[k], f->times, err);
		if (kid[k] == NODE_NONE) {
			free(kid);
			return -1;
		}
	}
	loop = node_loop(n, kid, kids, err);
	free(kid);
	if (loop == NODE_NONE || column_push(&n->node[loop].few[0], f->times, err) < 0)
		return -1;
	return queue_push(n, loop, err);
}

/* Ends the walk: what is of an unfinished iteration goes to the queue, last things first; the loop
 * to the list. 1 if another loop is walked now. */
static int walk_end(struct nest *n, struct err *err)
{
	uint32_t loop = n->frame[0].loop, times = n->frame[0].times;

	for (uint32_t d = n->frames; d-- > 0;) {
		const struct frame f = n->frame[d];

		for (uint32_t k = f.kid; k-- > 0;)
			if (part_queue(n, n->node[f.loop].kid[k], 1, err) < 0)
				return -1;
		if (d > 0 && runs_queue(n, &f, err) < 0)
			return -1;
	}
	n->frames = 0;
	if (column_push(&n->node[loop].few[0], times, err) < 0 || list_push(n, loop, err) < 0)
		return -1;
	return repetition_find(n, err);
}

/* Takes nodes from the queue until it is empty. */
static int queue_run(struct nest *n, struct err *err)
{
	while (n->queued > 0) {
		uint32_t node = n->queue[n->queued - 1];
		int s;

		if (n->frames > 0) {
			s = walk_to(n, node, n->node[node].hash, err);
			if (s < 0)
				return -1;
			if (s == 0) {
				if (walk_end(n, err) < 0)
					return -1;
				continue;
			}
			n->queued--;
			if (node_absorb(n, kid_here(n), node, err) < 0)
				return -1;
			frame_advance(n);
			continue;
		}
		n->queued--;
		if (list_push(n, node, err) < 0 || repetition_find(n, err) < 0)
			return -1;
	}
	return 0;
}

/* The event is the next one of the loop that is walked: 1. */
static int walk_put(struct nest *n, uint32_t call, const int64_t *value, struct err *err)
{
	int s = walk_to(n, NODE_NONE, leaf_hash(call), err);

	if (s <= 0)
		return s;
	if (leaf_put(n, kid_here(n), value, err) < 0)
		return -1;
	frame_advance(n);
	return 1;
}

/* The call that comes next in the loop that is walked, if this is clear. */
static const struct call *call_expected(const struct nest *n)
{
	const struct frame *f;
	uint32_t call;

	if (n->frames == 0)
		return NULL;
	f = &n->frame[n->frames - 1];
	if (f->kid == 0 && n->frames > 1)
		return NULL;
	call = n->node[n->node[f->loop].kid[f->kid]].call;
	return call == NODE_NONE ? NULL : &n->calls.call[call];
}

int nest_put_call(struct nest *n, uint32_t call, const int64_t *value, struct err *err)
{
	uint32_t node;
	int s = 0;

	n->events++;
	if (n->frames > 0)
		s = walk_put(n, call, value, err);
	if (s != 0)
		return s < 0 ? -1 : 0;
	node = node_leaf(n, call, value, err);
	if (node == NODE_NONE || queue_push(n, node, err) < 0)
		return -1;
	return queue_run(n, err);
}

int nest_put(struct nest *n, const struct trace_event *ev, struct err *err)
{
	int64_t value[CALL_COLUMNS];
	const struct call *expected = call_expected(n);
	uint32_t call;
	int s;

	if (expected && call_again(&n->calls, expected, ev, value)) {
		n->events++;
		s = leaf_put(n, kid_here(n), value, err);
		frame_advance(n);
		return s;
	}
	call = calls_put(&n->calls, ev, value, err);
	return call == CALL_NONE ? -1 : nest_put_call(n, call, value, err);
}

int nest_close(struct nest *n, struct err *err)
{
	while (n->frames > 0)
		if (walk_end(n, err) < 0 || queue_run(n, err) < 0)
			return -1;
	return 0;
}
