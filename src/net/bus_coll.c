/* bus_coll.c: what the collectives of PSINS and Dimemas have in common: how many nodes the members
 * are on, with which figures; sizes; tables in settings. */
#include "bus.h"
#include "change.h"

#include <stdlib.h>
#include <string.h>

/* --- the members --- */

struct one_node {
	struct bus_class c;
	uint32_t node;
	struct host_id host; /* of one of its members */
};

static int node_compare(const void *a, const void *b)
{
	uint32_t x = ((const struct one_node *)a)->node, y = ((const struct one_node *)b)->node;

	return (x > y) - (x < y);
}

static int class_compare(const void *a, const void *b)
{
	const struct bus_class *x = &((const struct one_node *)a)->c,
	                       *y = &((const struct one_node *)b)->c;

	if (x->members != y->members)
		return x->members > y->members ? 1 : -1;
	if (x->latency != y->latency)
		return x->latency > y->latency ? 1 : -1;
	return (x->bandwidth > y->bandwidth) - (x->bandwidth < y->bandwidth);
}

/* One entry per node, with its members and figures; *out nodes. */
static int nodes_count(struct bus_machine *m, struct net *n, const struct net_collective *c,
                       struct one_node *list, uint32_t *out, struct err *err)
{
	uint32_t i, nodes = 0;
	int64_t node;
	struct bus_way w;

	for (i = 0; i < c->n; i++) {
		node = bus_node_of(m, n, c->host[i], err);
		if (node < 0)
			return -1;
		list[i] = (struct one_node){{1, 0, 0}, (uint32_t)node, c->host[i]};
	}
	qsort(list, c->n, sizeof *list, node_compare);
	for (i = 0; i < c->n; i++) {
		if (nodes > 0 && list[nodes - 1].node == list[i].node)
			list[nodes - 1].c.members++;
		else
			list[nodes++] = list[i];
	}
	for (i = 0; i < nodes; i++) {
		if (list[i].c.members > 1 && bus_way(m, n, list[i].host, list[i].host, &w, err) < 0)
			return -1;
		if (list[i].c.members > 1) {
			list[i].c.latency = w.latency;
			list[i].c.bandwidth = w.bandwidth;
		}
	}
	*out = nodes;
	return 0;
}

static struct bus_group *group_of_nodes(struct one_node *list, uint32_t nodes, struct err *err)
{
	struct bus_group *g;
	uint32_t i, k = 0;

	qsort(list, nodes, sizeof *list, class_compare);
	for (i = 0; i < nodes; i++) {
		if (k == 0 || class_compare(&list[k - 1], &list[i]) != 0)
			list[k++] = list[i];
	}
	g = malloc(sizeof *g + k * sizeof *g->classes);
	if (!g) {
		err_nomem(err, "members of a collective", sizeof *g + k * sizeof *g->classes);
		return NULL;
	}
	*g = (struct bus_group){.nodes = nodes, .n_classes = k};
	for (i = 0; i < k; i++)
		g->classes[i] = list[i].c;
	return g;
}

/* The slowest way from the first member to another node. */
static int remote_figures(struct bus_machine *m, struct net *n, const struct net_collective *c,
                          struct bus_group *g, struct err *err)
{
	struct bus_way w;
	uint32_t i;

	for (i = 1; i < c->n; i++) {
		if (bus_way(m, n, c->host[0], c->host[i], &w, err) < 0)
			return -1;
		if (w.from == w.to)
			continue;
		if (w.latency > g->latency)
			g->latency = w.latency;
		if (w.bandwidth > 0 && (g->bandwidth <= 0 || w.bandwidth < g->bandwidth))
			g->bandwidth = w.bandwidth;
		if (m->latency >= 0 && m->bandwidth >= 0)
			break; /* the same for all */
	}
	return 0;
}

const struct bus_group *bus_group(struct bus_machine *m, struct net *n,
                                  const struct net_collective *c, struct err *err)
{
	struct one_node *list;
	struct bus_group *g = NULL;
	uint32_t nodes;

	if (*c->memo && ((struct bus_group *)*c->memo)->changes == changes_seen(n))
		return *c->memo;
	free(*c->memo);
	*c->memo = NULL;
	list = malloc(c->n * sizeof *list);
	if (!list) {
		err_nomem(err, "members of a collective", c->n * sizeof *list);
		return NULL;
	}
	if (nodes_count(m, n, c, list, &nodes, err) == 0)
		g = group_of_nodes(list, nodes, err);
	free(list);
	if (g && remote_figures(m, n, c, g, err) < 0) {
		free(g);
		g = NULL;
	}
	if (g)
		g->changes = changes_seen(n);
	*c->memo = g;
	return g;
}

/* --- sizes --- */

double bus_block(const struct net_collective *c)
{
	switch (c->kind) {
	case NET_GATHER:
	case NET_GATHERV:
	case NET_ALLGATHER:
	case NET_ALLGATHERV:
		return c->received / c->n;
	case NET_SCATTER:
	case NET_SCATTERV:
	case NET_ALLTOALL:
	case NET_ALLTOALLV:
	case NET_ALLTOALLW:
	case NET_REDUCE_SCATTER:
	case NET_REDUCE_SCATTER_BLOCK:
		return c->sent / c->n;
	default:
		return c->sent;
	}
}

/* --- settings --- */

static int unknown_operation(enum config_id id, const char *name, size_t n, struct err *err)
{
	int k;

	err_set(err, ERR_INPUT,
	        "setting %s: there is no collective \"%.*s\"; there are:", config_table[id].name,
	        (int)n, name);
	for (k = 0; k < NET_COLLS; k++)
		err_append(err, " %s", net_coll_name((enum net_coll)k));
	return -1;
}

int bus_collectives_parse(const struct net *n, enum config_id id, bus_coll_fn *put, void *self,
                          struct err *err)
{
	const char *s, *end, *colon;
	struct err why;
	enum net_coll k;

	for (s = config_text(n->cfg, id); *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, ";");
		if (s == end)
			continue;
		colon = memchr(s, ':', (size_t)(end - s));
		if (!colon)
			return err_set(err, ERR_INPUT,
			               "setting %s: \"%.*s\" is not operation:words",
			               config_table[id].name, (int)(end - s), s);
		k = net_coll_find(s, (size_t)(colon - s));
		if (k == NET_COLLS)
			return unknown_operation(id, s, (size_t)(colon - s), err);
		if (put(self, k, colon + 1, (size_t)(end - colon - 1), &why) < 0)
			return err_set(err, why.kind, "setting %s: %s: %s", config_table[id].name,
			               net_coll_name(k), why.text);
	}
	return 0;
}
