/* write_goal.c: GOAL schedules, text and binary (docs/foreign-traces.md), for LogGOPSim and ATLAHS.
 *
 * What a rank does one after the other becomes a chain of dependencies; a non-blocking message
 * hangs off the chain, and a wait joins it again: an operation of no time that requires the chain
 * and the message. A blocking message is in the chain. GOAL has no collectives: they are written as
 * messages, as LogGOPSim's schedgen does: a barrier by dissemination, broadcasts and reductions
 * over binomial trees, an allreduce as both, gathers, scatters and all-to-alls straight, an
 * allgather round a ring, scans in a line.
 *
 * GOAL has one space of tags. Those of the world below 2^24 are themselves; from there on, one for
 * the collectives of each communicator; from 2^30 on, one for each other tag of a communicator, in
 * the order in which they are met: no two that MPI tells apart become one. */
#include "portable.h"
#include "writer_int.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

enum { GOAL_SEND = 1, GOAL_RECV, GOAL_CALC, MAGIC = 4223 };
enum { TAG_COLLECTIVE = 1 << 24, TAG_MOVED = 1 << 30 };
enum { NONE = 0xffffffffu };
static const double NANOSECONDS_MOST = 9e18; /* of a computation: a number of 63 bits */

struct node {
	uint8_t kind;
	int32_t peer, tag;
	int64_t size;
	uint32_t waits[2]; /* for the ends of these */
	uint32_t dependents, at;
};
struct goal_rank {
	struct node *node;
	uint32_t n, cap;
	uint32_t last;     /* of the chain */
	uint32_t *started; /* number of a request -> node */
	uint32_t cap_started;
	uint8_t done;
};
struct goal_writer {
	struct output file;
	struct portable p;
	struct goal_rank *rank;
	struct str *text;    /* of each rank, when it is done */
	struct hash64 moved; /* communicator << 32 | tag -> its number among those that are moved */
	uint32_t n_moved;
	int binary;
};

static int goal_open(struct trace_writer *w, int binary, struct err *err)
{
	struct goal_writer *g = calloc(1, sizeof *g);

	if (!g)
		return err_nomem(err, "a trace writer", sizeof *g);
	w->impl = g;
	hash64_init(&g->moved);
	g->binary = binary;
	g->rank = calloc(w->ranks, sizeof *g->rank);
	g->text = calloc(w->ranks, sizeof *g->text);
	if (!g->rank || !g->text)
		return err_nomem(err, "the ranks of a trace", w->ranks * sizeof *g->rank);
	for (uint32_t i = 0; i < w->ranks; i++)
		g->rank[i].last = NONE;
	if (portable_init(&g->p, "GOAL", w->ranks, err) < 0)
		return -1;
	return output_open(&g->file, w->path, err);
}

static int text_open(struct trace_writer *w, struct err *err)
{
	return goal_open(w, 0, err);
}

static int binary_open(struct trace_writer *w, struct err *err)
{
	return goal_open(w, 1, err);
}

/* --- operations --- */

/* Its number, or NONE. */
static uint32_t node_add(struct goal_rank *r, enum portable_kind kind, int32_t peer, int32_t tag,
                         int64_t size, uint32_t other, struct err *err)
{
	struct node *v = vec_grow(r->node, &r->cap, sizeof *v, (size_t)r->n + 1, "operations", err);

	if (!v)
		return NONE;
	r->node = v;
	v[r->n] = (struct node){.kind = kind == PORTABLE_SEND   ? GOAL_SEND
	                                : kind == PORTABLE_RECV ? GOAL_RECV
	                                                        : GOAL_CALC,
	                        .peer = peer,
	                        .tag = tag,
	                        .size = size,
	                        .waits = {r->last, other}};
	return r->n++;
}

static int chain_add(struct goal_rank *r, enum portable_kind kind, int32_t peer, int32_t tag,
                     int64_t size, uint32_t other, struct err *err)
{
	uint32_t i = node_add(r, kind, peer, tag, size, other, err);

	if (i == NONE)
		return -1;
	r->last = i;
	return 0;
}

static int started_add(struct goal_rank *r, int64_t req, uint32_t node, struct err *err)
{
	uint32_t *v = vec_grow(r->started, &r->cap_started, sizeof *v, (size_t)req + 1, "requests",
	                       err);

	if (!v)
		return -1;
	r->started = v;
	v[req] = node;
	return 0;
}

/* The tag that stands for one of a communicator. */
static int tag_of(struct goal_writer *g, const struct portable_op *o, int32_t *tag, struct err *err)
{
	uint64_t key = (uint64_t)o->comm << 32 | (uint32_t)o->tag;
	uint32_t number;

	*tag = o->tag;
	if (o->tag < 0 || (o->comm == 1 && o->tag < TAG_COLLECTIVE))
		return 0;
	number = hash64_find(&g->moved, key);
	if (number == HASH_NONE) {
		number = g->n_moved;
		if (number > INT32_MAX - TAG_MOVED)
			return err_set(err, ERR_LIMIT,
			               "more than %d different tags of communicators in a trace "
			               "for GOAL",
			               INT32_MAX - TAG_MOVED);
		if (hash64_put(&g->moved, key, number, err) < 0)
			return -1;
		g->n_moved++;
	}
	*tag = TAG_MOVED + (int32_t)number;
	return 0;
}

static int message_add(struct goal_writer *g, struct goal_rank *r, const struct portable_op *o,
                       struct err *err)
{
	int32_t tag;
	uint32_t i;

	if (tag_of(g, o, &tag, err) < 0)
		return -1;
	if (!o->nonblocking)
		return chain_add(r, o->kind, o->peer, tag, o->bytes, NONE, err);
	i = node_add(r, o->kind, o->peer, tag, o->bytes, NONE, err);
	return i == NONE ? -1 : started_add(r, o->req, i, err);
}

/* --- collectives as messages --- */

struct coll {
	struct goal_rank *r;
	const struct portable_comm *c;
	int32_t me, n, tag;
	struct err *err;
};

static int coll_send(const struct coll *k, int32_t to, int64_t bytes)
{
	return chain_add(k->r, PORTABLE_SEND, k->c->member[to], k->tag, bytes, NONE, k->err);
}

static int coll_recv(const struct coll *k, int32_t from, int64_t bytes)
{
	return chain_add(k->r, PORTABLE_RECV, k->c->member[from], k->tag, bytes, NONE, k->err);
}

/* Sends and receives at the same time. */
static int coll_exchange(const struct coll *k, int32_t to, int64_t out, int32_t from, int64_t in)
{
	uint32_t sent = node_add(k->r, PORTABLE_SEND, k->c->member[to], k->tag, out, NONE, k->err);

	if (sent == NONE || coll_recv(k, from, in) < 0)
		return -1;
	return chain_add(k->r, PORTABLE_COMPUTE, 0, 0, 0, sent, k->err);
}

static int dissemination(const struct coll *k)
{
	for (int32_t by = 1; by < k->n; by *= 2)
		if (coll_exchange(k, (k->me + by) % k->n, 1, (k->me - by + k->n) % k->n, 1) < 0)
			return -1;
	return 0;
}

/* A binomial tree from the root down, or up to it. */
static int tree(const struct coll *k, int32_t root, int64_t bytes, int down)
{
	int32_t v = (k->me - root + k->n) % k->n, low = 1, mask;
	int r = 0;

	while (low < k->n && !(v & low))
		low *= 2;
	if (down && v != 0)
		r = coll_recv(k, (v - low + root) % k->n, bytes);
	for (mask = down ? low / 2 : 1; r == 0 && mask >= 1 && mask < low;
	     mask = down ? mask / 2 : mask * 2) {
		if (v + mask >= k->n)
			continue;
		r = down ? coll_send(k, (v + mask + root) % k->n, bytes)
		         : coll_recv(k, (v + mask + root) % k->n, bytes);
	}
	if (!down && v != 0 && r == 0)
		r = coll_send(k, (v - low + root) % k->n, bytes);
	return r;
}

/* All to the root, or the root to all; each has its own block. */
static int star(const struct coll *k, int32_t root, const int64_t *blocks, int64_t one,
                int64_t type_size, int gathers)
{
	if (k->me != root)
		return gathers ? coll_send(k, root, one) : coll_recv(k, root, one);
	for (int32_t i = 0; i < k->n; i++) {
		int64_t bytes = blocks ? blocks[i] * type_size : one;

		if (i != root && (gathers ? coll_recv(k, i, bytes) : coll_send(k, i, bytes)) < 0)
			return -1;
	}
	return 0;
}

static int ring(const struct coll *k, const int64_t *blocks, int64_t one, int64_t type_size)
{
	for (int32_t step = 0; step < k->n - 1; step++) {
		int32_t out = (k->me - step + k->n) % k->n, in = (out - 1 + k->n) % k->n;

		if (coll_exchange(k, (k->me + 1) % k->n, blocks ? blocks[out] * type_size : one,
		                  (k->me - 1 + k->n) % k->n,
		                  blocks ? blocks[in] * type_size : one) < 0)
			return -1;
	}
	return 0;
}

static int all_to_all(const struct coll *k, const struct trace_event *ev)
{
	int64_t one = ev->count * ev->type_size;

	for (int32_t step = 1; step < k->n; step++) {
		int32_t to = (k->me + step) % k->n, from = (k->me - step + k->n) % k->n;

		if (coll_exchange(k, to, ev->counts ? ev->counts[to] * ev->type_size : one, from,
		                  ev->counts2 ? ev->counts2[from] * ev->type_size2 : one) < 0)
			return -1;
	}
	return 0;
}

static int scan(const struct coll *k, int64_t bytes)
{
	if (k->me > 0 && coll_recv(k, k->me - 1, bytes) < 0)
		return -1;
	return k->me < k->n - 1 ? coll_send(k, k->me + 1, bytes) : 0;
}

static int collective_add(const struct coll *k, const struct portable_op *o)
{
	const struct trace_event *ev = o->ev;
	int64_t one = ev->count > 0 ? ev->count * ev->type_size : 0, all = one;

	for (int64_t i = 0; o->op == TRACE_REDUCE_SCATTER && i < ev->n_counts2; i++)
		all += ev->counts2[i] * ev->type_size;
	switch (o->op) {
	case TRACE_BARRIER:
		return dissemination(k);
	case TRACE_BCAST:
		return tree(k, o->root, one, 1);
	case TRACE_REDUCE:
		return tree(k, o->root, one, 0);
	case TRACE_ALLREDUCE:
		return tree(k, 0, one, 0) < 0 ? -1 : tree(k, 0, one, 1);
	case TRACE_GATHER:
		return star(k, o->root, NULL, one, 0, 1);
	case TRACE_GATHERV:
		return star(k, o->root, ev->counts2, one, ev->type_size2, 1);
	case TRACE_SCATTER:
		return star(k, o->root, NULL, o->is_root ? one : o->received, 0, 0);
	case TRACE_SCATTERV:
		return star(k, o->root, ev->counts, o->received, ev->type_size, 0);
	case TRACE_ALLGATHER:
		return ring(k, NULL, one, 0);
	case TRACE_ALLGATHERV:
		return ring(k, ev->counts2, one, ev->type_size2);
	case TRACE_REDUCE_SCATTER:
		return tree(k, 0, all, 0) < 0
		           ? -1
		           : star(k, 0, ev->counts2, o->received, ev->type_size, 0);
	case TRACE_REDUCE_SCATTER_BLOCK:
		return tree(k, 0, one * k->n, 0) < 0 ? -1 : star(k, 0, NULL, one, 0, 0);
	case TRACE_ALLTOALL:
	case TRACE_ALLTOALLV:
		return all_to_all(k, ev);
	default:
		return scan(k, one);
	}
}

static int op_put(void *self, uint32_t rank, const struct portable_op *o, struct err *err)
{
	struct goal_writer *g = self;
	struct goal_rank *r = &g->rank[rank];
	struct coll k = {.r = r, .err = err};

	switch (o->kind) {
	case PORTABLE_COMPUTE:
		if (o->seconds > NANOSECONDS_MOST / 1e9)
			return portable_cannot(&g->p, rank, o->ev, err);
		return o->seconds > 0
		           ? chain_add(r, o->kind, 0, 0, llround(o->seconds * 1e9), NONE, err)
		           : 0;
	case PORTABLE_WAIT_SEND:
	case PORTABLE_WAIT_RECV:
		return chain_add(r, PORTABLE_COMPUTE, 0, 0, 0, r->started[o->req], err);
	case PORTABLE_COLLECTIVE:
		k.c = &g->p.comm[o->comm - 1];
		k.n = (int32_t)k.c->n;
		k.me = portable_rank_in(&g->p, o->comm, rank);
		k.tag = TAG_COLLECTIVE + (int32_t)o->comm;
		return collective_add(&k, o);
	default:
		return message_add(g, r, o, err);
	}
}

/* --- the files --- */

static void rank_text(const struct goal_rank *r, uint32_t rank, struct str *out)
{
	str_printf(out, "rank %u {\n", rank);
	for (uint32_t i = 0; i < r->n; i++) {
		const struct node *v = &r->node[i];

		if (v->kind == GOAL_CALC)
			str_printf(out, "l%u: calc %lld\n", i, (long long)v->size);
		else
			str_printf(out, "l%u: %s %lldb %s %d tag %d\n", i,
			           v->kind == GOAL_SEND ? "send" : "recv", (long long)v->size,
			           v->kind == GOAL_SEND ? "to" : "from", v->peer, v->tag);
		for (int k = 0; k < 2; k++)
			if (v->waits[k] != NONE)
				str_printf(out, "l%u requires l%u\n", i, v->waits[k]);
	}
	str_puts(out, "}\n");
}

static void number_put(struct str *s, uint64_t v, int bytes)
{
	for (int i = 0; i < bytes; i++)
		str_putc(s, (char)(v >> 8 * i));
}

/* Where each operation's dependents are in the list behind them; *edges: how many in all. */
static uint32_t dependents_index(struct goal_rank *r)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < r->n; i++)
		for (int k = 0; k < 2; k++)
			if (r->node[i].waits[k] != NONE)
				r->node[r->node[i].waits[k]].dependents++;
	for (uint32_t i = 0; i < r->n; i++) {
		r->node[i].at = at;
		at += r->node[i].dependents;
		r->node[i].dependents = 0;
	}
	return at;
}

static void node_binary(const struct node *v, struct str *out)
{
	number_put(out, (v->waits[0] != NONE) + (v->waits[1] != NONE), 4);
	number_put(out, v->kind, 1);
	number_put(out, (uint32_t)v->peer, 4);
	number_put(out, (uint64_t)v->size, 8);
	number_put(out, (uint32_t)v->tag, 4);
	number_put(out, 0, 2); /* processor, interface */
	number_put(out, v->dependents, 4);
	number_put(out, v->at, 4);
	number_put(out, 0, 8); /* nobody waits for a start */
}

static int rank_binary(struct goal_rank *r, struct str *out, struct err *err)
{
	uint32_t edges = dependents_index(r), roots = 0;
	uint32_t *list = malloc(((size_t)edges + 1) * sizeof *list);

	if (!list)
		return err_nomem(err, "dependencies", edges * sizeof *list);
	for (uint32_t i = 0; i < r->n; i++) {
		roots += r->node[i].waits[0] == NONE && r->node[i].waits[1] == NONE;
		for (int k = 0; k < 2; k++)
			if (r->node[i].waits[k] != NONE) {
				struct node *from = &r->node[r->node[i].waits[k]];

				list[from->at + from->dependents++] = i;
			}
	}
	number_put(out, r->n, 4);
	number_put(out, roots, 4);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->node[i].waits[0] == NONE && r->node[i].waits[1] == NONE)
			number_put(out, i, 4);
	for (uint32_t i = 0; i < r->n; i++)
		node_binary(&r->node[i], out);
	for (uint32_t i = 0; i < edges; i++)
		number_put(out, list[i], 4);
	free(list);
	return 0;
}

static int goal_put(struct trace_writer *w, uint32_t rank, const struct trace_event *ev,
                    struct err *err)
{
	struct goal_writer *g = w->impl;

	portable_about(&g->p, w->manifest);
	return portable_put(&g->p, rank, ev, op_put, g, err);
}

static int goal_done(struct trace_writer *w, uint32_t rank, struct err *err)
{
	struct goal_writer *g = w->impl;
	struct goal_rank *r = &g->rank[rank];

	if (r->done)
		return 0;
	r->done = 1;
	/* A rank of no operation: LogGOPSim wants one. */
	if (r->n == 0 && chain_add(r, PORTABLE_COMPUTE, 0, 0, 0, NONE, err) < 0)
		return -1;
	if (g->binary && rank_binary(r, &g->text[rank], err) < 0)
		return -1;
	if (!g->binary)
		rank_text(r, rank, &g->text[rank]);
	free(r->node);
	free(r->started);
	r->node = NULL;
	r->started = NULL;
	return g->text[rank].failed ? err_nomem(err, "a schedule", g->text[rank].n) : 0;
}

static int head_write(struct goal_writer *g, uint32_t ranks, struct err *err)
{
	struct str head = {0};
	uint64_t at = 6 + 16 * (uint64_t)ranks; /* counted from the number of ranks on */
	int r;

	if (!g->binary) {
		str_printf(&head, "num_ranks %u\n\n", ranks);
	} else {
		number_put(&head, MAGIC, 8);
		number_put(&head, ranks, 4);
		number_put(&head, 0, 2);
		for (uint32_t i = 0; i < ranks; i++) {
			number_put(&head, at, 8);
			at += g->text[i].n;
			number_put(&head, at, 8);
		}
	}
	r = head.failed ? err_nomem(err, "a schedule", head.n)
	                : output_write(&g->file, head.s, head.n, err);
	str_release(&head);
	return r;
}

static int goal_commit(struct trace_writer *w, struct str *notices, struct err *err)
{
	struct goal_writer *g = w->impl;

	portable_notices(&g->p, notices);
	for (uint32_t i = 0; i < w->ranks; i++)
		if (goal_done(w, i, err) < 0)
			return -1;
	if (head_write(g, w->ranks, err) < 0)
		return -1;
	for (uint32_t i = 0; i < w->ranks; i++)
		if (output_write(&g->file, g->text[i].s, g->text[i].n, err) < 0)
			return -1;
	return output_commit(&g->file, err);
}

static void goal_release(struct trace_writer *w)
{
	struct goal_writer *g = w->impl;

	for (uint32_t i = 0; g->rank && i < w->ranks; i++) {
		free(g->rank[i].node);
		free(g->rank[i].started);
	}
	for (uint32_t i = 0; g->text && i < w->ranks; i++)
		str_release(&g->text[i]);
	free(g->rank);
	free(g->text);
	portable_release(&g->p);
	hash64_release(&g->moved);
	output_release(&g->file);
	free(g);
}

const struct writer_form writer_goal = {.open = text_open,
                                        .put = goal_put,
                                        .done = goal_done,
                                        .commit = goal_commit,
                                        .release = goal_release};
const struct writer_form writer_goal_binary = {.open = binary_open,
                                               .put = goal_put,
                                               .done = goal_done,
                                               .commit = goal_commit,
                                               .release = goal_release};
