/* goal_named.c: messages that receives of any tag do not take.
 *
 * A schedule has no communicators. Where it was made of an MPI program's trace, tags keep apart
 * what the program's communicators did: LogGOPSim's schedgen gives collectives those from 1,000,000
 * on. A receive of any tag, which the program posted for other messages, could then take one of
 * these, and the receive that names its tag would wait for ever.
 *
 * So, where a rank receives of any tag: if as many of its receives name a tag as messages to it
 * have that tag, they need all of these, and a receive of any tag can have none in any replay that
 * comes to its end. Such messages are of a communicator of their own.
 *
 * The first receive of any tag lets the schedule be read twice more: counted, then put.
 *
 *   plain --any tag--> counting --all ranks--> known */
#include "goal_graph.h"

#include <stdlib.h>

enum { EVEN = 1 << 30 };

struct goal_named {
	uint8_t known;
	uint8_t comm;        /* of messages that are apart: its index, if there are any */
	uint8_t *any;        /* ranks that receive of any tag */
	struct hash64 count; /* receiver << 32 | tag -> EVEN + receives that name it - messages */
};

static uint64_t key_of(uint32_t to, int32_t tag)
{
	return (uint64_t)to << 32 | (uint32_t)tag;
}

void goal_named_free(struct goal_named *a)
{
	if (!a)
		return;
	hash64_release(&a->count);
	free(a->any);
	free(a);
}

static struct goal_named *named_new(uint32_t ranks, struct err *err)
{
	struct goal_named *a = calloc(1, sizeof *a);

	if (a)
		hash64_init(&a->count);
	if (a && (a->any = calloc(ranks, 1)))
		return a;
	goal_named_free(a);
	err_nomem(err, "a schedule", ranks);
	return NULL;
}

static uint32_t receiver_of(const struct goal_node *node, uint32_t rank)
{
	return node->kind == GOAL_RECV ? rank : (uint32_t)node->peer;
}

static int takes_any(const struct goal_node *node)
{
	return node->kind == GOAL_RECV && node->tag == TRACE_ANY;
}

static int node_count(struct goal_named *a, uint32_t rank, const struct goal_node *node,
                      struct err *err)
{
	uint64_t key = key_of(receiver_of(node, rank), node->tag);
	uint32_t n = hash64_find(&a->count, key);

	if (n == HASH_NONE)
		n = EVEN;
	return hash64_put(&a->count, key, node->kind == GOAL_RECV ? n + 1 : n - 1, err);
}

static int rank_count(struct goal_named *a, uint32_t rank, const struct goal_graph *g,
                      struct err *err)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct goal_node *node = &g->node[i];

		if (takes_any(node))
			a->any[rank] = 1;
		else if (node->kind != GOAL_CALC && node_count(a, rank, node, err) < 0)
			return -1;
	}
	return 0;
}

static void rank_mark(const struct goal_named *a, uint32_t rank, struct goal_graph *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		struct goal_node *node = &g->node[i];
		uint32_t to = receiver_of(node, rank);

		if (node->kind != GOAL_CALC && !takes_any(node) && a->any[to] &&
		    hash64_find(&a->count, key_of(to, node->tag)) == EVEN)
			node->comm = a->comm;
	}
}

int goal_named_rank(struct foreign *f, uint32_t rank, struct goal_graph *g, struct err *err)
{
	int any = 0;

	if (g->named && g->named->known) {
		rank_mark(g->named, rank, g);
		return GOAL_PUT;
	}
	if (g->named)
		return rank_count(g->named, rank, g, err) < 0 ? -1 : GOAL_COUNTED;
	for (uint32_t i = 0; i < g->n && !any; i++)
		any = takes_any(&g->node[i]);
	if (!any)
		return GOAL_PUT;
	g->named = named_new(f->ranks, err);
	return g->named ? GOAL_AGAIN : -1;
}

/* The communicator, which all ranks are in: some may only send. */
static int comm_add(struct foreign *f, struct err *err)
{
	int32_t *all = malloc(f->ranks * sizeof *all);
	int comm;

	if (!all)
		return err_nomem(err, "a communicator", f->ranks * sizeof *all);
	for (uint32_t i = 0; i < f->ranks; i++)
		all[i] = (int32_t)i;
	comm = foreign_comm_name(f, all, f->ranks, err);
	free(all);
	return comm;
}

static int some_are_apart(const struct goal_named *a)
{
	const struct hash64_slot *s = a->count.slots;

	for (uint32_t i = 0; s && i <= a->count.mask; i++)
		if (s[i].value == EVEN && a->any[s[i].key >> 32])
			return 1;
	return 0;
}

int goal_named_end(struct foreign *f, struct goal_graph *g, struct err *err)
{
	int comm = 0;

	if (!g->named || g->named->known)
		return GOAL_PUT;
	if (some_are_apart(g->named) && (comm = comm_add(f, err)) < 0)
		return -1;
	g->named->comm = (uint8_t)comm;
	g->named->known = 1;
	return GOAL_AGAIN;
}
