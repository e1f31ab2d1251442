/* goal_graph.c: a graph of operations becomes a sequence.
 *
 * GOAL starts an operation when all that it waits for is over; a rank of a trace does one thing
 * after the other. The sequence keeps to the graph: whatever may start is started, messages first,
 * as non-blocking sends and receives; then computations, in the order of the file. Where nothing
 * may start without waiting, the first operation of the file that is held back decides which
 * message is waited for, unless that would never come (goal_order.c). What a rank computes on
 * several processors at a time is put one after the other, and said. */
#include "goal_sequence.h"

#include <stdlib.h>
#include <string.h>

const char goal_portals_remedy[] =
    "is of Portals 4 or gem5 (LogGOPSim 2), and only send, recv and calc are read: make the "
    "schedule with schedgen instead of p4schedgen, or write sends and receives in its place";

const char *goal_portals(unsigned kind)
{
	static const char *const words[] = {"put",  "get",  "append",  "test",
	                                    "tput", "tget", "tappend", "calcgem5"};

	kind -= GOAL_CALC + 1;
	return kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

const char goal_mark_note[] =
    "sends to rank 9999999 or 999999999, which htsim takes for marks and does not send, take no "
    "time";

int goal_is_mark(uint32_t ranks, unsigned kind, uint64_t peer)
{
	return kind == GOAL_SEND && peer >= ranks && (peer == 9999999 || peer == 999999999);
}

int goal_mark(struct foreign *f, struct goal_node *node, struct err *err)
{
	*node = (struct goal_node){.kind = GOAL_CALC, .cpu = node->cpu, .nic = node->nic};
	return foreign_note(f, err, "%s", goal_mark_note);
}

int goal_node_add(struct goal_graph *g, const struct goal_node *node, struct err *err)
{
	struct goal_node *all = vec_grow(g->node, &g->cap, sizeof *all, (size_t)g->n + 1,
	                                 "operations", err);

	if (!all)
		return -1;
	g->node = all;
	all[g->n++] = *node;
	return 0;
}

int goal_edge_add(struct goal_graph *g, uint32_t from, uint32_t to, int start, struct err *err)
{
	struct goal_edge *all = vec_grow(g->edge, &g->cap_edges, sizeof *all,
	                                 (size_t)g->n_edges + 1, "dependencies", err);

	if (!all)
		return -1;
	g->edge = all;
	all[g->n_edges++] = (struct goal_edge){.from = from, .to = to, .start = (uint8_t)start};
	return 0;
}

void goal_graph_clear(struct goal_graph *g)
{
	g->n = g->n_edges = 0;
}

void goal_graph_release(struct goal_graph *g)
{
	free(g->node);
	free(g->edge);
	free(g->work);
	goal_order_free(g->order);
	goal_named_free(g->named);
}

/* --- the sequence --- */

void goal_ready_push(struct goal_ready *r, uint32_t v)
{
	uint32_t i = r->n++;

	for (; i > 0 && r->item[(i - 1) / 2] > v; i = (i - 1) / 2)
		r->item[i] = r->item[(i - 1) / 2];
	r->item[i] = v;
}

uint32_t goal_ready_pop(struct goal_ready *r)
{
	uint32_t least = r->item[0], v = r->item[--r->n], i = 0, child;

	while ((child = 2 * i + 1) < r->n) {
		if (child + 1 < r->n && r->item[child + 1] < r->item[child])
			child++;
		if (r->item[child] >= v)
			break;
		r->item[i] = r->item[child];
		i = child;
	}
	r->item[i] = v;
	return least;
}

static void node_ready(struct goal_sequence *s, uint32_t i)
{
	goal_ready_push(s->g->node[i].kind == GOAL_CALC ? &s->calcs : &s->messages, i);
}

static void node_done(struct goal_sequence *s, uint32_t i)
{
	struct goal_node *node = &s->g->node[i];

	node->done = 1;
	for (uint32_t k = 0; k < node->n_ends; k++) {
		uint32_t to = s->out[node->ends + k].to;

		if (--s->g->node[to].waits == 0) {
			s->next--;
			node_ready(s, to);
		}
	}
}

/* It starts: of what waits for that, what waits for nothing else may start too. */
static void node_started(struct goal_sequence *s, uint32_t i)
{
	const struct goal_node *node = &s->g->node[i];

	for (uint32_t k = 0; k < node->n_starts; k++) {
		uint32_t to = s->out[node->starts + k].to;
		struct goal_node *held = &s->g->node[to];

		held->unissued--;
		if (--held->waits == 0)
			node_ready(s, to);
		else
			s->next += held->unissued == 0;
	}
	for (uint32_t k = 0; k < node->n_ends; k++)
		s->next += --s->g->node[s->out[node->ends + k].to].unissued == 0;
}

/* A non-blocking send or receive of bytes, in the communicator that it is of. */
static int node_message(struct goal_sequence *s, uint32_t i, struct err *err)
{
	const struct goal_node *node = &s->g->node[i];
	enum trace_op op = node->kind == GOAL_SEND ? TRACE_ISEND : TRACE_IRECV;
	struct trace_event ev;

	if (node->comm == 0)
		return foreign_message(s->f, s->rank, op, node->peer, node->tag, node->size, i,
		                       err);
	foreign_event(&ev, op);
	ev.comm = s->f->comms[node->comm].id;
	ev.peer = node->peer;
	ev.tag = node->tag;
	ev.count = node->size;
	ev.req = i;
	return foreign_put(s->f, s->rank, &ev, err);
}

static int node_issue(struct goal_sequence *s, uint32_t i, struct err *err)
{
	struct goal_node *node = &s->g->node[i];

	node->issued = 1;
	s->issued++;
	node_started(s, i);
	if (node->kind == GOAL_CALC) {
		node_done(s, i);
		return foreign_compute(s->f, s->rank, (double)node->size, -1, err);
	}
	for (uint32_t k = 0; k < node->n_ends; k++)
		goal_ready_push(&s->held, s->out[node->ends + k].to);
	if (node_message(s, i, err) < 0)
		return -1;
	return s->order ? goal_order_message(s->order, s->rank, i, err) : 0;
}

/* A message that was issued and holds back an operation, the first of them: its edge, or that
 * behind all. */
static uint32_t held_by(struct goal_sequence *s, uint32_t i)
{
	const struct goal_node *node = s->g->node;
	uint32_t k = s->into_at[i] + s->over[i], end = s->into_at[i + 1];

	for (; k < end && (s->into[k].start || node[s->into[k].from].done); k++)
		s->over[i]++;
	while (k < end &&
	       (s->into[k].start || !node[s->into[k].from].issued || node[s->into[k].from].done))
		k++;
	return k;
}

int goal_sequence_held(struct goal_sequence *s, uint32_t *from, struct err *err)
{
	uint32_t first = 0;

	while (s->held.n > 0) {
		uint32_t i = s->held.item[0], k;

		k = s->g->node[i].issued ? s->into_at[i + 1] : held_by(s, i);
		if (k < s->into_at[i + 1]) {
			*from = s->into[k].from;
			return 0;
		}
		goal_ready_pop(&s->held);
	}
	while (s->g->node[first].issued)
		first++;
	return err_set(err, ERR_INPUT,
	               "%s: rank %u: operations wait for each other in a circle, the first of "
	               "them is number %u",
	               s->f->path, s->rank, first + 1);
}

int goal_sequence_chooses(struct goal_sequence *s, uint32_t from)
{
	const struct goal_node *node = &s->g->node[from];
	const struct goal_edge *out = s->out + node->ends;
	uint32_t its = 0;

	for (uint32_t k = 0; k < node->n_ends; k++) {
		struct goal_node *held = &s->g->node[out[k].to];

		its += held->unissued == 0 && !held->seen;
		held->seen = 1; /* an edge may be there twice */
	}
	for (uint32_t k = 0; k < node->n_ends; k++)
		s->g->node[out[k].to].seen = 0;
	return its != s->next;
}

int goal_sequence_wait(struct goal_sequence *s, uint32_t from, struct err *err)
{
	node_done(s, from);
	return foreign_wait(s->f, s->rank, from, err);
}

static int rest_wait(struct goal_sequence *s, struct err *err)
{
	struct goal_graph *g = s->g;
	struct trace_event ev;

	foreign_event(&ev, TRACE_WAITALL);
	ev.reqs = s->reqs;
	for (uint32_t i = 0; i < g->n; i++)
		if (!g->node[i].done)
			s->reqs[ev.n_reqs++] = i;
	return ev.n_reqs > 0 ? foreign_put(s->f, s->rank, &ev, err) : 0;
}

int goal_sequence_issue(struct goal_sequence *s, struct err *err)
{
	while (s->messages.n || s->calcs.n)
		if (node_issue(s, goal_ready_pop(s->messages.n ? &s->messages : &s->calcs), err) <
		    0)
			return -1;
	return s->issued == s->g->n;
}

int goal_sequence_end(struct goal_sequence *s, struct err *err)
{
	return rest_wait(s, err) < 0 ? -1 : foreign_simple(s->f, s->rank, TRACE_FINALIZE, err);
}

/* Edges by where they come from, ends before starts, and of these by where they go to. Counted, not
 * compared: a schedule has millions. */
static void edges_index(struct goal_sequence *s)
{
	struct goal_graph *g = s->g;
	uint32_t out = 0, into = 0;

	for (uint32_t k = 0; k < g->n_edges; k++) {
		struct goal_node *from = &g->node[g->edge[k].from];

		*(g->edge[k].start ? &from->n_starts : &from->n_ends) += 1;
		g->node[g->edge[k].to].waits++;
	}
	for (uint32_t i = 0; i < g->n; i++) { /* where each one's begin */
		struct goal_node *node = &g->node[i];

		node->ends = out;
		node->starts = node->ends + node->n_ends;
		out = node->starts + node->n_starts;
		s->into_at[i] = into;
		into += node->waits;
		node->unissued = node->waits;
		node->n_ends = node->n_starts = 0;
	}
	s->into_at[g->n] = into;
	for (uint32_t k = 0; k < g->n_edges; k++) {
		const struct goal_edge *e = &g->edge[k];
		struct goal_node *from = &g->node[e->from];

		s->out[e->start ? from->starts + from->n_starts++ : from->ends + from->n_ends++] =
		    *e;
	}
	for (uint32_t k = 0; k < g->n_edges; k++)
		s->into[s->into_at[s->out[k].to]++] = s->out[k];
	for (uint32_t i = g->n; i > 0; i--) /* which they were moved from as they were filled */
		s->into_at[i] = s->into_at[i - 1];
	s->into_at[0] = 0;
}

static int cpus_note(struct goal_sequence *s, struct err *err)
{
	const struct goal_node *calc = NULL, *message = NULL;
	int cpus = 0, nics = 0;

	for (uint32_t i = 0; i < s->g->n; i++) {
		const struct goal_node *node = &s->g->node[i];

		if (node->kind == GOAL_CALC) {
			cpus |= calc && calc->cpu != node->cpu;
			calc = node;
		} else {
			nics |= message && message->nic != node->nic;
			message = node;
		}
	}
	if (cpus && foreign_note(s->f, err,
	                         "ranks compute on several processors (cpu) at a time: their "
	                         "computations are put one after the other") < 0)
		return -1;
	return nics ? foreign_note(s->f, err,
	                           "ranks send and receive by several interfaces (nic): they are "
	                           "taken to be one")
	            : 0;
}

/* The arrays of a sequence, in one block that the next rank uses again. */
static int work_reserve(struct goal_sequence *s, struct err *err)
{
	struct goal_graph *g = s->g;
	const size_t n = (size_t)g->n + 1, edges = g->n_edges;
	const size_t bytes = n * sizeof *s->reqs + 2 * edges * sizeof *s->out +
	                     (5 * n + edges) * sizeof(uint32_t);

	if (bytes > g->work_bytes) {
		free(g->work);
		g->work_bytes = 0;
		g->work = malloc(bytes);
		if (!g->work)
			return err_nomem(err, "a schedule", bytes);
		g->work_bytes = bytes;
	}
	s->reqs = g->work;
	s->out = (struct goal_edge *)(void *)(s->reqs + n);
	s->into = s->out + edges;
	s->into_at = (uint32_t *)(void *)(s->into + edges);
	s->messages.item = s->into_at + n;
	s->calcs.item = s->messages.item + n;
	s->over = s->calcs.item + n;
	memset(s->over, 0, n * sizeof *s->over);
	s->met.item = s->over + n;
	s->held.item = s->met.item + n;
	return 0;
}

int goal_sequence_begin(struct goal_sequence *s, struct err *err)
{
	if (work_reserve(s, err) < 0)
		return -1;
	edges_index(s);
	for (uint32_t i = 0; i < s->g->n; i++)
		if (s->g->node[i].waits == 0)
			goal_ready_push(s->g->node[i].kind == GOAL_CALC ? &s->calcs : &s->messages,
			                i);
	return cpus_note(s, err);
}
