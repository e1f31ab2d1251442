/* psins_make.c: a machine, of the lines of its PSINS description: each node gets its line, each
 * task its node. */
#include "psins_int.h"

#include <stdlib.h>
#include <string.h>

/* Each node gets the line with its number, else the one for all. */
static int nodes_resolve(struct psins_reader *r, struct err *err)
{
	struct arena *a = &r->b->p->arena;
	struct nodes *m = &r->m;
	uint32_t i, k, all = NONE32;

	m->spec = arena_alloc(a, m->n * sizeof *m->spec, err);
	m->first_host = m->spec ? arena_alloc(a, ((size_t)m->n + 1) * sizeof *m->first_host, err)
	                        : NULL;
	if (!m->first_host)
		return -1;
	memset(m->spec, 0xff, m->n * sizeof *m->spec);
	for (i = 0; i < r->lines_n; i++) {
		const struct node_line *l = &r->lines[i];
		const struct place at = m->specs[l->spec].at;

		if (l->lo <= l->hi && l->hi >= m->n)
			return build_error(r->b, at, err,
			                   "node %u: the machine has %u, counted from 0", l->hi,
			                   m->n);
		for (k = l->lo; k <= l->hi && l->lo <= l->hi; k++) {
			if (m->spec[k] != NONE32)
				return build_error(r->b, at, err,
				                   "node %u has been described in line %u", k,
				                   m->specs[m->spec[k]].at.line);
			m->spec[k] = l->spec;
		}
		if (l->lo > l->hi && all != NONE32)
			return build_error(r->b, at, err,
			                   "all other nodes have been described in line %u",
			                   m->specs[all].at.line);
		if (l->lo > l->hi)
			all = l->spec;
	}
	for (i = 0; i < m->n; i++) {
		if (m->spec[i] == NONE32 && all == NONE32)
			return build_error(
			    r->b, r->machine, err,
			    "no Node describes node %u (Node -1 describes all that have none)", i);
		if (m->spec[i] == NONE32)
			m->spec[i] = all;
	}
	return 0;
}

static int map_check(struct psins_reader *r, struct err *err)
{
	const struct task_map *map = &r->b->p->map;
	uint32_t i;

	for (i = 0; i < map->n; i++) {
		if (map->node[i] != NONE32 && map->node[i] >= r->m.n)
			return build_error(r->b, r->machine, err,
			                   "Map puts task %u on node %u: the machine has %u nodes",
			                   i, map->node[i], r->m.n);
	}
	if (map->fill && map->fill_from >= r->m.n)
		return build_error(r->b, r->machine, err,
		                   "Map -1 begins at node %u: the machine has %u nodes",
		                   map->fill_from, r->m.n);
	return 0;
}

static int specs_keep(struct psins_reader *r, struct err *err)
{
	struct node_spec *kept = arena_alloc(&r->b->p->arena, r->specs_n * sizeof *kept, err);

	if (!kept)
		return -1;
	memcpy(kept, r->m.specs, r->specs_n * sizeof *kept);
	free(r->m.specs);
	r->m.specs = kept;
	r->specs_cap = 0;
	return 0;
}

int psins_machine_make(struct psins_reader *r, struct err *err)
{
	struct platform *p = r->b->p;

	if (!r->machine.line)
		return err_at(
		    err, p->path, 1, 1,
		    "there is no Machine: expected Machine nodes network_bw network_lt buses");
	if (!r->specs_n)
		return build_error(r->b, r->machine, err, "no Node describes its nodes");
	if ((r->growths.n && psins_setting(r, "psins/collectives", r->growths.s, err) < 0) ||
	    (r->fans.n && psins_setting(r, "dimemas/collectives", r->fans.s, err) < 0) ||
	    (r->curves.n && psins_setting(r, "psins/curves", r->curves.s, err) < 0))
		return -1;
	p->map.known = 1;
	if (!p->map.n)
		p->map.fill = 1;
	if (nodes_resolve(r, err) < 0 || map_check(r, err) < 0 || specs_keep(r, err) < 0)
		return -1;
	p->compat = config_compat(r->b->cfg);
	return nodes_make(r->b, &r->m, err);
}
