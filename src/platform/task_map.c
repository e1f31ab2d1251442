/* task_map.c: which host each rank runs on where the machine's description says so (PSINS's Map):
 * on a node each, or filling node after node.
 *
 * A node gives its processors in order; a rank that finds them all taken goes round them again,
 * which is overcommitment. */
#include "platform/nodes.h"

#include <stdlib.h>
#include <string.h>

static const struct nodes *nodes_get(const struct platform *p)
{
	return p->zones[0]->self;
}

static uint32_t cores_of(const struct nodes *m, uint32_t node)
{
	return m->specs[m->spec[node]].cores;
}

/* The host of the node's next processor. */
static struct host_id processor_take(const struct platform *p, const struct nodes *m,
                                     uint32_t *taken, uint32_t node)
{
	const struct node_spec *s = &m->specs[m->spec[node]];
	uint32_t processor = taken[node]++ % s->cores,
	         host = p->zones[0]->first_host + m->first_host[node], end;

	for (end = node_run_end(s, 0); processor >= end; end = node_run_end(s, end))
		host++;
	return (struct host_id){host};
}

static uint64_t cores_count(const struct nodes *m)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < m->n; i++)
		sum += cores_of(m, i);
	return sum;
}

static int map_check(const struct platform *p, uint32_t np, int overcommit, struct config *cfg,
                     struct err *err)
{
	uint64_t cores = cores_count(nodes_get(p));
	uint32_t i;

	for (i = 0; i < np && !p->map.fill; i++) {
		if (i >= p->map.n || p->map.node[i] == NONE32)
			return err_set(
			    err, ERR_INPUT,
			    "%u rank%s, but %s has no Map for task %u: add it, or Map -1 "
			    "0 for all others, or give a hostfile",
			    np, plural(np), p->path, i);
	}
	if (np <= cores)
		return 0;
	if (!overcommit)
		return err_set(err, ERR_INPUT,
		               "%u ranks, but %s has %llu processor%s: allow several ranks per "
		               "processor (--oversubscribe)",
		               np, platform_name(p), (unsigned long long)cores, plural(cores));
	str_printf(&cfg->notices, "%u ranks share the %llu processor%s of %s, in turn\n", np,
	           (unsigned long long)cores, plural(cores), platform_name(p));
	return cfg->notices.failed ? err_nomem(err, "a notice", 0) : 0;
}

/* The next node, from this one on, with a processor left that has less than `turns` ranks. When
 * none has, each may have one more. */
static uint32_t node_with_room(const struct platform *p, const struct nodes *m,
                               const uint32_t *taken, uint32_t *turns, uint32_t node)
{
	uint32_t i;

	for (;; ++*turns, node = p->map.fill_from) {
		for (i = 0; i < m->n; i++, node = (node + 1) % m->n)
			if (taken[node] < (uint64_t)cores_of(m, node) * *turns)
				return node;
	}
}

int task_map_place(const struct platform *p, uint32_t np, int overcommit, struct placement *out,
                   struct config *cfg, struct err *err)
{
	const struct nodes *m = nodes_get(p);
	uint32_t rank, node = p->map.fill_from, turns = 1, *taken;
	struct host_id *host;

	BUG_ON(m->n == 0);
	if (map_check(p, np, overcommit, cfg, err) < 0)
		return -1;
	host = malloc((np ? np : 1) * sizeof *host);
	taken = calloc(m->n, sizeof *taken);
	if (!host || !taken) {
		free(host);
		free(taken);
		return err_nomem(err, "the placement of ranks", np * sizeof *host);
	}
	for (rank = 0; rank < np && rank < p->map.n; rank++) {
		if (p->map.node[rank] != NONE32)
			host[rank] = processor_take(p, m, taken, p->map.node[rank]);
	}
	for (rank = 0; rank < np; rank++) {
		if (rank >= p->map.n || p->map.node[rank] == NONE32)
			host[rank] = processor_take(
			    p, m, taken, node = node_with_room(p, m, taken, &turns, node));
	}
	free(taken);
	*out = (struct placement){host, np};
	return 0;
}
