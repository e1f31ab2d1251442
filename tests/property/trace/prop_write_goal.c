/* prop_write_goal.c: random programs (message_draw.h) as schedules of GOAL: what an operation has
 * to wait for there, through all others, is what the rank had done before it: blocking ones, and
 * messages that were waited for. Collectives on random communicators: executed by hand, with sends
 * that wait for their receives and with such that do not, they end, every message has the size that
 * its receiver expects, and who must know of whom does. The seed is printed. */
#include "../prop.h"

#include "coll_draw.h"
#include "goal_text.h"
#include "message_draw.h"

static struct graph graph;

/* --- what waits for what --- */

enum { PROGRAMS = 150 };

static int node_find(const struct graph *g, int rank, const struct did *d)
{
	char kind = d->kind == DID_COMPUTE ? 'c' : d->kind == DID_SEND ? 's' : 'r';
	int at = -1;

	for (int i = 0; i < g->n[rank]; i++)
		if (g->node[rank][i].kind == kind && g->node[rank][i].size == d->size) {
			assert_int_equal(at, -1);
			at = i;
		}
	assert_true(at >= 0);
	return at;
}

/* Was i over before j began? */
static int is_before(const struct did_rank *k, int i, int j)
{
	if (i >= j || !k->did[i].posted)
		return i < j;
	for (int w = i + 1; w < j; w++)
		if (k->did[w].kind == DID_WAIT && k->did[w].of == i)
			return 1;
	return 0;
}

/* What each node waits for, all that this waits for included. */
static void closure_make(const struct graph *g, int rank, uint8_t after[GRAPH_NODES][GRAPH_NODES])
{
	memset(after, 0, GRAPH_NODES * sizeof *after);
	for (int i = 0; i < g->n[rank]; i++)
		for (int k = 0; k < g->node[rank][i].n_waits; k++) {
			int from = g->node[rank][i].waits[k];

			after[i][from] = 1;
			for (int j = 0; j < from; j++)
				after[i][j] |= after[from][j];
		}
}

static void rank_is(const struct graph *g, const struct did_program *p, int rank)
{
	static uint8_t after[GRAPH_NODES][GRAPH_NODES];
	const struct did_rank *k = &p->rank[rank];
	int at[DID_MOST], operations = 0, others = 0;

	closure_make(g, rank, after);
	for (int j = 0; j < k->n; j++) {
		const struct graph_node *v;

		if (k->did[j].kind == DID_WAIT)
			continue;
		operations++;
		at[j] = node_find(g, rank, &k->did[j]);
		v = &g->node[rank][at[j]];
		if (k->did[j].kind != DID_COMPUTE)
			assert_int_equal(v->peer, k->did[j].peer);
		for (int i = 0; i < k->n; i++)
			if (k->did[i].kind != DID_WAIT && i < j)
				assert_int_equal(after[at[j]][at[i]], is_before(k, i, j));
	}
	for (int i = 0; i < g->n[rank]; i++) /* the others take no time */
		others += g->node[rank][i].kind == 'c' && g->node[rank][i].size == 0;
	assert_int_equal(g->n[rank], operations + others);
}

/* Tags that are told apart: the same pair of communicator and tag is the same everywhere, no two
 * are one. */
static void tags_are(const struct graph *g, const struct did_program *p)
{
	struct {
		int comm, tag, is;
	} seen[DID_RANKS * DID_MOST];
	int n = 0;

	for (int rank = 0; rank < p->ranks; rank++)
		for (int i = 0; i < p->rank[rank].n; i++) {
			const struct did *d = &p->rank[rank].did[i];
			int is;

			if (d->kind != DID_SEND && d->kind != DID_RECV)
				continue;
			is = g->node[rank][node_find(g, rank, d)].tag;
			if (d->tag < 0) {
				assert_int_equal(is, -1);
				continue;
			}
			for (int s = 0; s < n; s++)
				assert_int_equal(seen[s].comm == d->comm && seen[s].tag == d->tag,
				                 seen[s].is == is);
			if (d->comm == 0 && d->tag < 1 << 24)
				assert_int_equal(is, d->tag);
			seen[n].comm = d->comm;
			seen[n].tag = d->tag;
			seen[n++].is = is;
		}
}

static void operations_wait_for_what_was_before(void **state)
{
	static struct did_program p;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		struct str lines;
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "messages to GOAL", 0);
		did_program_draw(&r, &p, 0);
		lines = did_lines(&p);
		graph_of(&graph, lines.s, p.ranks);
		for (int rank = 0; rank < p.ranks; rank++)
			rank_is(&graph, &p, rank);
		tags_are(&graph, &p);
		str_release(&lines);
		did_release(&p);
	}
}

/* --- collectives, executed --- */

enum { GROUPS = 120 };

struct running {
	const struct graph *g;
	uint8_t done[GRAPH_RANKS][GRAPH_NODES], sent[GRAPH_RANKS][GRAPH_NODES];
	uint32_t knows[GRAPH_RANKS][GRAPH_NODES];
	int left;
};

static int is_ready(const struct running *x, int rank, int i)
{
	const struct graph_node *v = &x->g->node[rank][i];

	for (int k = 0; k < v->n_waits; k++)
		if (!x->done[rank][v->waits[k]])
			return 0;
	return !x->done[rank][i];
}

static void ends(struct running *x, int rank, int i, uint32_t told)
{
	const struct graph_node *v = &x->g->node[rank][i];

	x->knows[rank][i] = UINT32_C(1) << rank | told;
	for (int k = 0; k < v->n_waits; k++)
		x->knows[rank][i] |= x->knows[rank][v->waits[k]];
	x->done[rank][i] = 1;
	x->left--;
}

/* The first send to this receive that none has taken and that has begun; -1. */
static int sender_find(const struct running *x, int rank, const struct graph_node *v)
{
	for (int i = 0; i < x->g->n[v->peer]; i++) {
		const struct graph_node *s = &x->g->node[v->peer][i];

		if (s->kind == 's' && s->peer == rank && s->tag == v->tag && !x->sent[v->peer][i])
			return is_ready(x, v->peer, i) || x->done[v->peer][i] ? i : -1;
	}
	return -1;
}

static uint32_t before(const struct running *x, int rank, int i)
{
	uint32_t knows = UINT32_C(1) << rank;

	for (int k = 0; k < x->g->node[rank][i].n_waits; k++)
		knows |= x->knows[rank][x->g->node[rank][i].waits[k]];
	return knows;
}

static int step(struct running *x, int rank, int i, int eager)
{
	const struct graph_node *v = &x->g->node[rank][i];
	int from;

	if (!is_ready(x, rank, i) || (v->kind == 's' && !eager))
		return 0;
	if (v->kind != 'r') {
		ends(x, rank, i, 0);
		return 1;
	}
	from = sender_find(x, rank, v);
	if (from < 0)
		return 0;
	assert_true(x->g->node[v->peer][from].size == v->size);
	x->sent[v->peer][from] = 1;
	if (!x->done[v->peer][from])
		ends(x, v->peer, from, 0);
	ends(x, rank, i, before(x, v->peer, from));
	return 1;
}

/* Runs to its end; who knows of whom then. */
static void run(const struct graph *g, int eager, uint32_t knows[GRAPH_RANKS])
{
	static struct running x;
	int moved = 1;

	memset(&x, 0, sizeof x);
	x.g = g;
	for (int rank = 0; rank < g->ranks; rank++)
		x.left += g->n[rank];
	while (moved) {
		moved = 0;
		for (int rank = 0; rank < g->ranks; rank++)
			for (int i = 0; i < g->n[rank]; i++)
				moved |= step(&x, rank, i, eager);
	}
	assert_int_equal(x.left, 0);
	for (int rank = 0; rank < g->ranks; rank++) {
		knows[rank] = 0;
		for (int i = 0; i < g->n[rank]; i++) {
			knows[rank] |= x.knows[rank][i];
			assert_int_equal(g->node[rank][i].kind == 's', x.sent[rank][i]);
		}
	}
}

/* Must member i know of member k when it is over? */
static int must_know(enum coll c, int i, int k, int root)
{
	switch (c) {
	case BCAST:
	case SCATTER:
	case SCATTERV:
		return k == root;
	case REDUCE:
	case GATHER:
	case GATHERV:
		return i == root;
	case SCAN:
		return k <= i;
	default:
		return 1;
	}
}

static void session_is_known(const struct session *s, const uint32_t knows[])
{
	for (int c = 0; c < s->calls; c++) {
		const struct group *g = &s->group[s->call[c].group];

		for (int i = 0; i < g->n; i++)
			for (int k = 0; k < g->n; k++)
				if (must_know(s->call[c].d.c, i, k, s->call[c].d.root))
					assert_true(knows[g->member[i]] >> g->member[k] & 1);
	}
}

static void collectives_end_and_tell(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(GROUPS); seed++) {
		uint32_t knows[GRAPH_RANKS];
		static struct session s;
		struct str lines;
		struct rng r;

		print_message("group seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "collectives to GOAL", 0);
		session_draw(&r, &s);
		lines = session_lines(&s);
		graph_of(&graph, lines.s ? lines.s : "", s.ranks);
		for (int eager = 0; eager < 2; eager++) {
			run(&graph, eager, knows);
			session_is_known(&s, knows);
		}
		str_release(&lines);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(operations_wait_for_what_was_before),
	    cmocka_unit_test(collectives_end_and_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
