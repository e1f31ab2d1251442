/* carrier_uses.c: what carried flows use besides the resource that limits them.
 *
 * On a contended resource the carrier's flow stands for those of its flows that use it: by a use of
 * its own, whose coefficient is the sum of their coef * weight. So one change of level costs a term
 * for each such resource, and not one for each flow. The carried ones stay among its members,
 * behind all others, where nobody looks who asks for levels. Where a resource is not contended
 * there is no such use: that of a flow's promise is known there, and no level is above it.
 *
 * Uses come when a flow comes to be carried, or when a resource comes to be contended that carried
 * flows use; they go with the last flow, or when the resource has room for all promises again.
 * While the carrier's flow is open in a repair, whose steps know its uses by number, empty ones
 * stay. */
#include "carrier_int.h"
#include "members.h"

enum { OWN = 0, USES_MOST = 1 << 15 };

static int is_open(const struct engine *e, const struct carrier *c)
{
	return e->activities[c->flow].moving != NO_ID;
}

static uint32_t use_resource(const struct engine *e, const struct carrier *c, uint32_t k)
{
	return engine_uses(e, &e->activities[c->flow])[k].resource;
}

/* The number of the use of a resource; HASH_NONE: there is none. */
static uint32_t use_find(const struct carrier *c, uint32_t resource)
{
	return resource == c->resource ? OWN : hash64_find(&c->places, resource);
}

int carrier_has_room(const struct engine *e, const struct carrier *c, uint32_t n_uses)
{
	return e->activities[c->flow].n_uses + n_uses <= USES_MOST;
}

static int use_make(struct engine *e, struct carrier *c, uint32_t resource, struct err *err)
{
	struct activity *flow = &e->activities[c->flow];
	uint32_t k = flow->n_uses;
	void *p = vec_grow(c->uses, &c->uses_cap, sizeof *c->uses, (size_t)k + 1, "uses", err);

	if (!p)
		return -1;
	c->uses = p;
	if (k == pool_size(c->block)) {
		if (pool_widen(&e->uses, c->block, &flow->uses, k, err))
			return -1;
		c->block += c->block > 0 ? 2 : 1;
	}
	*use_at(e, flow->uses + k) = (struct use){
	    .resource = resource & MAX_RESOURCES, .contended = 1, .coef = COEF_OWN};
	c->uses[k] = (struct carrier_use){.n = 0};
	flow->n_uses++;
	return 0;
}

int carrier_uses_begin(struct engine *e, struct carrier *c, struct err *err)
{
	return use_make(e, c, c->resource, err);
}

/* Its last use takes the place of the one that goes. */
static void use_remove(struct engine *e, struct carrier *c, uint32_t k)
{
	struct activity *flow = &e->activities[c->flow];
	struct use *u = engine_uses(e, flow);
	uint32_t last = --flow->n_uses;

	hash64_remove(&c->places, u[k].resource);
	resource_part(e, &e->resources[u[k].resource], member_make(c->flow, k), 0);
	if (k == last)
		return;
	struct err never; /* it is there already */
	hash64_put(&c->places, u[last].resource, k, &never);
	member_rename(e, &e->resources[u[last].resource], member_make(c->flow, last),
	              member_make(c->flow, k));
	u[k] = u[last];
	c->uses[k] = c->uses[last];
}

void carrier_uses_tidy(struct engine *e, struct carrier *c)
{
	for (uint32_t k = e->activities[c->flow].n_uses; k-- > 1;)
		if (c->uses[k].n == 0)
			use_remove(e, c, k);
}

void carrier_weigh(struct engine *e, struct carrier *c, uint32_t k, double heft, double level,
                   double own)
{
	struct carrier_use *u = &c->uses[k];
	struct sum2 *load = &resource_book(e, &e->resources[use_resource(e, c, k)])->load;

	sum2_add(&u->heft, heft);
	if (u->n == 0)
		u->heft = (struct sum2){0, 0};
	sum2_add(load, own);
	sum2_add(load, -u->coef * level);
	u->coef = sum2_value(&u->heft);
	sum2_add(load, u->coef * level);
}

static int use_join(struct engine *e, struct carrier *c, uint32_t resource, double heft,
                    double level, double own, struct err *err)
{
	uint32_t k = use_find(c, resource);
	struct resource *r = &e->resources[resource];

	if (k == HASH_NONE) {
		k = e->activities[c->flow].n_uses;
		if (use_make(e, c, resource, err) || hash64_put(&c->places, resource, k, err) < 0 ||
		    resource_join(e, c->flow, k, err))
			return -1;
	}
	c->uses[k].n++;
	carrier_weigh(e, c, k, heft, level, own);
	resource_book(e, r)->others_level = larger(resource_book(e, r)->others_level, level);
	return 0;
}

static void use_part_with(struct engine *e, struct carrier *c, uint32_t resource, double heft,
                          double level, double own)
{
	uint32_t k = use_find(c, resource);

	c->uses[k].n--;
	carrier_weigh(e, c, k, -heft, level, own);
	if (c->uses[k].n == 0 && !is_open(e, c))
		use_remove(e, c, k);
}

int carried_uses_join(struct engine *e, struct carrier *c, uint32_t id, double level,
                      struct err *err)
{
	const struct activity *a = &e->activities[id];

	for (uint32_t k = 0; k < a->n_uses; k++) {
		const struct use *u = engine_uses(e, a) + k;
		if (!u->contended || k == a->limiter)
			continue;
		uint32_t resource = u->resource;
		double coef = coef_at(e, a, u);
		member_carry(e, &e->resources[resource], member_make(id, k));
		if (use_join(e, c, resource, coef * a->weight, level, -coef * a->rate, err))
			return -1;
	}
	return 0;
}

void carried_uses_part(struct engine *e, struct carrier *c, uint32_t id, double level)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (!u[k].contended || k == a->limiter)
			continue;
		struct book *b = resource_book(e, &e->resources[u[k].resource]);
		double coef = coef_at(e, a, u + k);
		b->others_level = larger(b->others_level, activity_level(a)); /* as it is rounded */
		member_uncarry(e, &e->resources[u[k].resource], member_make(id, k));
		use_part_with(e, c, u[k].resource, coef * a->weight, level, coef * a->rate);
	}
}

void carried_uses_leave(struct engine *e, struct carrier *c, uint32_t id, double level)
{
	const struct activity *a = &e->activities[id];
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++) {
		if (!u[k].contended || k == a->limiter)
			continue;
		struct resource *r = &e->resources[u[k].resource];
		double coef = coef_at(e, a, u + k);
		resource_ask(e, r, -(uint64_t)use_part(r, flow_promise(e, a), coef));
		member_leave_carried(e, r, member_make(id, k));
		use_part_with(e, c, u[k].resource, coef * a->weight, level, 0);
		if (r->full)
			resource_mark(e, u[k].resource, DIRTY_LIMITED);
		else
			resource_relax(e, r);
	}
}

/* --- a resource comes to be contended, or ceases to be --- */

/* Before it is contended: carried flows go back among the others where they are few, so that uses
 * for them are not worth while, or of a carrier that has no room for one more. */
int carriers_spare(struct engine *e, struct resource *r, struct err *err)
{
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t id = resource_members(e, r)[i].activity;
		const struct activity *a = &e->activities[id];
		if (a->state == ACTIVITY_CARRIED &&
		    (r->n < e->carry_from || !carrier_has_room(e, carrier_of(e, a), 1)) &&
		    flow_uncarry(e, id, err))
			return -1;
	}
	return 0;
}

int carriers_contend(struct engine *e, struct resource *r, struct err *err)
{
	uint32_t id = (uint32_t)(r - e->resources);
	struct id_list *l = &e->carriers->scratch;

	l->n = 0;
	members_carry(e, r);
	for (uint32_t n = resource_book(e, r)->n_carried; n > 0; n--)
		if (ids_add(l, resource_members(e, r)[r->n - n].activity, err))
			return -1;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct activity *a = &e->activities[l->ids[i]];
		struct carrier *c = carrier_of(e, a);
		double heft = 0;
		for (uint32_t k = 0; k < a->n_uses; k++)
			if (engine_uses(e, a)[k].resource == id)
				heft = use_coef(e, a, k) * a->weight;
		if (use_join(e, c, id, heft, carrier_level(e, c), 0, err))
			return -1;
	}
	return 0;
}

void carriers_uncontend(struct engine *e, struct resource *r)
{
	uint32_t id = (uint32_t)(r - e->resources);

	resource_book(e, r)->n_carried = 0;
	for (uint32_t i = 0; i < r->n;) {
		const struct activity *a = &e->activities[resource_members(e, r)[i].activity];
		if (!a->carrier) {
			i++;
			continue;
		}
		struct carrier *c = carrier_of_flow(e, a);
		use_remove(e, c, use_find(c, id));
	}
}

/* --- in a repair --- */

int carried_on(struct engine *e, const struct activity *flow, uint32_t resource,
               const uint32_t **flows, uint32_t *n_flows, struct err *err)
{
	struct resource *r = &e->resources[resource];
	struct id_list *l = &e->carriers->scratch;

	l->n = 0;
	for (uint32_t n = resource_book(e, r)->n_carried; n > 0; n--) {
		uint32_t id = resource_members(e, r)[r->n - n].activity;
		if (carrier_of(e, &e->activities[id])->flow == (uint32_t)(flow - e->activities) &&
		    ids_add(l, id, err))
			return -1;
	}
	*flows = l->ids;
	*n_flows = l->n;
	return 0;
}

uint32_t carrier_use_of(const struct engine *e, const struct activity *flow, uint32_t resource)
{
	uint32_t k = use_find(carrier_of_flow(e, flow), resource);

	return k == HASH_NONE ? NO_LIMITER : k;
}

uint32_t carrier_use_flows(const struct engine *e, const struct activity *flow, uint32_t k)
{
	return carrier_of_flow(e, flow)->uses[k].n;
}

/* --- the check of it all --- */

/* What the flows of one use come to. */
static int check_use(const struct engine *e, const struct carrier *c, uint32_t k, struct err *err)
{
	uint32_t resource = use_resource(e, c, k), n = 0;
	double heft = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct activity *a = &e->activities[c->ends[i].flow];
		for (uint32_t j = 0; j < a->n_uses; j++)
			if (engine_uses(e, a)[j].resource == resource) {
				heft += use_coef(e, a, j) * a->weight;
				n++;
			}
	}
	if (n != c->uses[k].n || use_find(c, resource) != k ||
	    fabs(heft - c->uses[k].coef) > 1e-12 * heft)
		return err_set(err, ERR_PROGRAM,
		               "carrier of resource %u: at resource %u %u flows of %.17g, %u of "
		               "%.17g on record",
		               c->resource, resource, n, heft, c->uses[k].n, c->uses[k].coef);
	return 0;
}

int carriers_check(const struct engine *e, struct err *err)
{
	for (uint32_t i = 0; i < e->carriers->n; i++) {
		const struct carrier *c = &e->carriers->all[i];
		uint32_t n = c->flow == NO_ID ? 0 : e->activities[c->flow].n_uses;
		for (uint32_t k = 0; k < n; k++)
			if (check_use(e, c, k, err))
				return -1;
	}
	return 0;
}
