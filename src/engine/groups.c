/* groups.c: the changes of one date, parted into groups that do not concern one another.
 *
 * What starts and ends at one date is solved together only where it must be: two changes are in one
 * group if a chain of contended resources joins them (those of a flow that starts; those of the
 * flows limited by a resource that someone left). A program's ranks mostly exchange in pairs, at
 * one date for all: a million small problems, solved one after the other in the same few cache
 * lines, instead of one of a million flows, with a heap over all their resources.
 *
 * That a group is right does not matter for the result, which each repair makes right with regard
 * to all flows; only for the work: a repair that grows far beyond its group would be done again for
 * each, so then all that is left is one group.
 *
 * Groups are found by union-find over slots, one per resource met; its place tells a resource's
 * slot meanwhile. */
#include "engine_int.h"

#include <stdlib.h>

struct groups {
	uint32_t *parent, *resource; /* by slot */
	uint32_t n_slots, parent_cap, resource_cap;
	uint32_t *first; /* by slot that is a root: the first change of the group, or NO_ID */
	uint32_t first_cap;
	uint32_t *slot, *next; /* by change: a slot of it; the next change of its group, or NO_ID */
	uint32_t slot_cap, next_cap;
};

struct groups *groups_new(struct err *err)
{
	struct groups *g = calloc(1, sizeof *g);
	if (!g)
		err_nomem(err, "engine", sizeof *g);
	return g;
}

static void groups_forget(struct groups *g)
{
	free(g->parent);
	free(g->resource);
	free(g->first);
	free(g->slot);
	free(g->next);
	*g = (struct groups){.n_slots = 0};
}

void groups_free(struct groups *g)
{
	if (!g)
		return;
	groups_forget(g);
	free(g);
}

static int slots_reserve(struct groups *g, uint32_t more, struct err *err)
{
	size_t need = (size_t)g->n_slots + more;

	if (need <= g->parent_cap && need <= g->resource_cap)
		return 0;
	void *p = vec_grow(g->parent, &g->parent_cap, sizeof *g->parent, need, "resources", err);
	if (!p)
		return -1;
	g->parent = p;
	p = vec_grow(g->resource, &g->resource_cap, sizeof *g->resource, need, "resources", err);
	if (!p)
		return -1;
	g->resource = p;
	return 0;
}

static uint32_t slot_root(struct groups *g, uint32_t s)
{
	while (g->parent[s] != s)
		s = g->parent[s] = g->parent[g->parent[s]];
	return s;
}

static uint32_t slot_of(struct engine *e, uint32_t r)
{
	struct groups *g = e->groups;

	struct resource *res = &e->resources[r];
	uint32_t s = g->n_slots;

	if (resource_contended(res)) {
		if (resource_place(res) != NOWHERE)
			return resource_place(res);
		resource_set_place(res, s);
	} /* else it is met once, as one that is dirty */
	g->resource[s] = r;
	g->parent[s] = s;
	g->n_slots++;
	return s;
}

/* Joins all contended resources of a flow, and `with` if it is not NO_ID: a slot of theirs, or
 * `with`. */
static int join_uses(struct engine *e, const struct activity *a, uint32_t with, uint32_t *slot,
                     struct err *err)
{
	struct groups *g = e->groups;
	const struct use *u = engine_uses(e, a);

	if (slots_reserve(g, a->n_uses, err))
		return -1;
	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (!u[k].contended)
			continue;
		uint32_t s = slot_root(g, slot_of(e, u[k].resource));
		if (with != NO_ID)
			g->parent[s] = slot_root(g, with);
		with = g->parent[s];
	}
	*slot = with;
	return 0;
}

static int join_members(struct engine *e, uint32_t r, uint32_t *slot, struct err *err)
{
	struct resource *res = &e->resources[r];
	uint32_t n = res->dirt == DIRTY_ALL ? res->n : resource_limits(e, res), ignored;

	if (slots_reserve(e->groups, 1, err))
		return -1;
	*slot = slot_of(e, r);
	for (uint32_t i = 0; i < n; i++)
		if (join_uses(e, &e->activities[resource_members(e, res)[i].activity], *slot,
		              &ignored, err))
			return -1;
	return 0;
}

/* The slot of every change: of the flows that arrive, then of the resources that are dirty. */
static int changes_join(struct engine *e, struct err *err)
{
	struct groups *g = e->groups;

	for (uint32_t i = 0; i < e->arriving.n; i++)
		if (join_uses(e, &e->activities[e->arriving.ids[i]], NO_ID, &g->slot[i], err))
			return -1;
	for (uint32_t i = 0; i < e->dirty.n; i++)
		if (join_members(e, e->dirty.ids[i], &g->slot[e->arriving.n + i], err))
			return -1;
	return 0;
}

static int changes_reserve(struct groups *g, uint32_t n, struct err *err)
{
	void *p = vec_grow(g->slot, &g->slot_cap, sizeof *g->slot, n, "changes", err);
	if (!p)
		return -1;
	g->slot = p;
	p = vec_grow(g->next, &g->next_cap, sizeof *g->next, n, "changes", err);
	if (!p)
		return -1;
	g->next = p;
	return 0;
}

/* Lists the changes of each group: how many groups there are. */
static uint32_t changes_list(struct groups *g, uint32_t n)
{
	uint32_t found = 0;

	for (uint32_t s = 0; s < g->n_slots; s++)
		g->first[s] = NO_ID;
	for (uint32_t i = n; i-- > 0;) {
		if (g->slot[i] == NO_ID) {
			g->next[i] = NO_ID;
			found++;
			continue;
		}
		uint32_t root = g->slot[i] = slot_root(g, g->slot[i]);
		found += g->first[root] == NO_ID;
		g->next[i] = g->first[root];
		g->first[root] = i;
	}
	return found;
}

int groups_make(struct engine *e, struct err *err)
{
	enum { MANY = 4096 };
	struct groups *g = e->groups;
	uint32_t n = e->arriving.n + e->dirty.n;

	if (changes_reserve(g, n, err))
		return -1;
	g->n_slots = 0;
	int failed = changes_join(e, err);
	for (uint32_t s = 0; s < g->n_slots; s++)
		resource_forget_place(&e->resources[g->resource[s]]);
	if (failed)
		return -1;
	void *p = vec_grow(g->first, &g->first_cap, sizeof *g->first, (size_t)g->n_slots + 1,
	                   "changes", err);
	if (!p)
		return -1;
	g->first = p;
	if (changes_list(g, n) > 1)
		return 0;
	if (n >= MANY)
		groups_forget(g); /* the repair that follows needs much memory, but not this */
	return 1;
}

uint32_t groups_next(const struct engine *e, uint32_t i)
{
	return e->groups->next[i];
}

int groups_leads(const struct engine *e, uint32_t i)
{
	const struct groups *g = e->groups;

	return g->slot[i] == NO_ID || g->first[g->slot[i]] == i;
}
