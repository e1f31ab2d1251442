/* selective_fill.c: SimGrid's sharing: progressive filling of the marked resources, with its
 * tolerances. See selective.c. */
#include "selective_int.h"

#include <math.h>

/* Of a FATPIPE resource, of the flows without a rate. */
static double heaviest_unfixed(struct engine *e, struct resource *r)
{
	const struct selective *s = e->selective;
	const struct member *m = resource_members(e, r);
	double usage = 0;

	for (uint32_t i = r->n; i-- > 0;) {
		if (s->vars[e->activities[m[i].activity].moving].value > 0)
			continue;
		usage = fmax(usage, s->elements[member_use(e, r, m[i])].heft);
	}
	return usage;
}

/* SimGrid's bound * penalty, to the bit: on a FATPIPE resource that is its route's narrowest the
 * heaviest flow reaches its bound and fills the resource at one level, and rounding decides whether
 * it stops the others there. */
static inline void variable_new(struct engine *e, uint32_t id)
{
	struct selective *s = e->selective;
	struct activity *a = &e->activities[id];
	const struct counted *c = &s->counted[id];

	a->moving = s->n_vars;
	s->vars[s->n_vars++] = (struct variable){.activity = id,
	                                         .uses = a->uses,
	                                         .n_uses = a->n_uses,
	                                         .penalty = c->penalty,
	                                         .bound = a->bound * c->penalty};
}

/* The flows of a marked resource become variables: the newest first. */
static double cell_usage_of_one(struct engine *e, const struct resource *r, struct member m)
{
	if (e->activities[m.activity].moving >= VISITED)
		variable_new(e, m.activity);
	return e->selective->elements[member_use(e, r, m)].heft;
}

static double cell_usage(struct engine *e, struct resource *r)
{
	const struct element *elements = e->selective->elements;
	const struct member *first = resource_members(e, r), *m = first + r->n;
	int shared = r->kind == RESOURCE_SHARED;
	double usage = 0;

	while (m-- > first) {
		if (e->activities[m->activity].moving >= VISITED)
			variable_new(e, m->activity);
		double h = elements[member_use(e, r, *m)].heft;
		usage = shared ? usage + h : larger(usage, h);
	}
	return usage;
}

static void cells_prepare(struct engine *e)
{
	struct selective *s = e->selective;
	struct cell *cell = s->cells;
	double *levels = s->levels;
	uint32_t *light = s->light, n_light = 0, n = s->n_cells;

	for (uint32_t c = 0; c < n; c++, cell++) {
		struct resource *r = &e->resources[cell->resource];

		cell->light = NO_ID;
		cell->stale = 0;
		cell->kind = r->n > 1 ? r->kind : ALONE;
		if (r->n == 0)
			continue; /* who used it has ended */
		double capacity = r->capacity,
		       usage = r->n == 1 ? cell_usage_of_one(e, r, *resource_members(e, r))
		                         : cell_usage(e, r);

		cell->left = capacity;
		cell->usage = usage;
		cell->little = capacity * s->tolerance;
		if (usage > 0 && capacity > 0) {
			levels[n_light] = capacity / usage;
			light[n_light] = c;
			cell->light = n_light++;
		}
	}
	s->n_light = n_light;
}

static void light_remove(struct selective *s, struct cell *cell)
{
	uint32_t last = --s->n_light;

	s->light[cell->light] = s->light[last];
	s->levels[cell->light] = s->levels[last];
	s->cells[s->light[last]].light = cell->light;
	cell->light = NO_ID;
}

static inline void cell_use(struct engine *e, uint32_t index, const struct element *el,
                            double value)
{
	struct selective *s = e->selective;
	struct cell *cell = &s->cells[index];

	if (cell->light == NO_ID)
		return;
	if (cell->kind == RESOURCE_SHARED) {
		cell->left = less(cell->left, el->coef * value, cell->little);
		cell->usage = less(cell->usage, el->heft, s->tolerance);
	} else if (cell->kind == RESOURCE_FATPIPE) {
		cell->usage = heaviest_unfixed(e, &e->resources[cell->resource]);
	} else {
		cell->usage = 0;
	}
	if (cell->usage <= s->tolerance || cell->left <= cell->little) {
		light_remove(s, cell);
	} else if (!cell->stale) {
		cell->stale = 1;
		s->stale[s->n_stale++] = index;
	}
}

static void variable_fix(struct engine *e, struct variable *v, double value)
{
	const struct use *u = use_at(e, v->uses), *end = u + v->n_uses;
	const struct element *el = e->selective->elements + v->uses;

	v->value = value;
	v->fixed = 1;
	e->selective->n_unfixed--;
	for (; u < end; u++, el++) {
		uint32_t c = e->touched[u->resource];

		if (c != NO_ID)
			cell_use(e, c, el, value);
	}
}

static void full_collect(struct engine *e, const struct cell *cell)
{
	struct selective *s = e->selective;
	struct resource *r = &e->resources[cell->resource];
	const struct member *m = resource_members(e, r);

	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t v = e->activities[m[i].activity].moving;

		if (!s->vars[v].fixed && !s->vars[v].saturated) {
			s->vars[v].saturated = 1;
			s->full[s->n_full++] = v;
		}
	}
}

static void levels_renew(struct selective *s)
{
	while (s->n_stale > 0) {
		struct cell *cell = &s->cells[s->stale[--s->n_stale]];

		cell->stale = 0;
		if (cell->light != NO_ID)
			s->levels[cell->light] = cell->left / cell->usage;
	}
}

static double levels_least(const struct selective *s)
{
	double least = INFINITY;

	for (uint32_t i = 0; i < s->n_light; i++)
		least = s->levels[i] < least ? s->levels[i] : least;
	return least;
}

/* The lowest level at which a resource becomes full, with the flows of all resources that do so at
 * exactly this level. */
static double full_find(struct engine *e)
{
	struct selective *s = e->selective;
	const double *levels = s->levels;
	uint32_t n = s->n_light, first = 0;

	levels_renew(s);
	for (uint32_t i = 1; i < n; i++)
		first = levels[i] < levels[first] ? i : first;
	s->n_full = 0;
	for (uint32_t i = first; i < n; i++)
		if (levels[i] == levels[first])
			full_collect(e, &s->cells[s->light[i]]);
	return levels[first];
}

/* Those of them that stop at this bound; INFINITY: all do. */
static int stops_at(const struct selective *s, const struct variable *v, double bound)
{
	return bound == INFINITY || fabs(bound - v->bound) < s->tolerance;
}

/* No flow is left without a rate then: nobody asks what is left of the resources. */
static int full_ends(const struct selective *s, double bound)
{
	uint32_t i = 0;

	if (s->n_full < s->n_unfixed)
		return 0;
	while (i < s->n_full && stops_at(s, &s->vars[s->full[i]], bound))
		i++;
	return i == s->n_full;
}

static void full_fix(struct engine *e, double level)
{
	struct selective *s = e->selective;
	double bound = INFINITY;

	for (uint32_t i = 0; i < s->n_full; i++) {
		double b = s->vars[s->full[i]].bound;

		if (b < level && b < bound)
			bound = b;
	}
	int ends = full_ends(s, bound);
	for (uint32_t i = 0; i < s->n_full; i++) {
		struct variable *v = &s->vars[s->full[i]];

		v->saturated = 0;
		if (!stops_at(s, v, bound))
			continue;
		double value = bound == INFINITY ? level / v->penalty
		                                 : e->activities[v->activity].bound;
		if (ends)
			v->value = value;
		else
			variable_fix(e, v, value);
	}
	if (ends)
		s->n_light = 0;
}

/* A single flow: what filling would give it, without what that leaves to others. */
static void fill_alone(struct engine *e)
{
	struct selective *s = e->selective;
	struct variable *v = &s->vars[0];
	double level = levels_least(s);

	if (s->n_light > 0)
		v->value = v->bound < level ? e->activities[v->activity].bound : level / v->penalty;
}

void selective_fill(struct engine *e)
{
	struct selective *s = e->selective;

	cells_prepare(e);
	if (s->n_vars == 1) {
		fill_alone(e);
		return;
	}
	s->n_unfixed = s->n_vars;
	while (s->n_light > 0) {
		double level = full_find(e);

		if (s->n_full ==
		    0) /* rounding: a resource without flows left that counts as not yet full */
			light_remove(s, &s->cells[s->light[s->n_light - 1]]);
		else
			full_fix(e, level);
	}
	s->n_stale = 0;
}

void selective_finish(struct engine *e)
{
	struct selective *s = e->selective;

	for (uint32_t i = 0; i < s->n_vars; i++) {
		uint32_t id = s->vars[i].activity;

		e->activities[id].moving = NO_ID;
		selective_rate(e, id, s->vars[i].value); /* also the same rate again: it decides who
		                                           is first among equal dates */
	}
	for (uint32_t i = 0; i < s->n_cells; i++)
		e->touched[s->cells[i].resource] = NO_ID;
	s->n_vars = s->n_cells = s->n_light = 0;
}
