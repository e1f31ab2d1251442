/* meter.c: what went over each resource, for who asks for it before the run (engine_meter): the
 * units of the flows that began, and for how long the resource limited flows. Without a meter the
 * engine asks once for each flow, and where a resource comes to limit flows or ceases to. */
#include "engine_int.h"

#include <stdlib.h>

struct meter {
	double moved; /* units, times coefficients */
	double held;  /* s, up to `since` */
	double since; /* it limits flows since then; negative: it limits none */
};

int meter_widen(struct engine *e, struct err *err)
{
	uint32_t had = e->meters_cap;
	struct meter *p = vec_grow(e->meters, &e->meters_cap, sizeof *p, (size_t)e->n_resources + 1,
	                           "resources", err);

	if (!p)
		return -1;
	e->meters = p;
	for (uint32_t i = had; i < e->meters_cap; i++)
		p[i] = (struct meter){.since = -1};
	return 0;
}

int engine_meter(struct engine *e, struct err *err)
{
	return e->meters ? 0 : meter_widen(e, err);
}

void meter_flow(struct engine *e, const struct activity *a)
{
	const struct use *u = engine_uses(e, a);

	for (uint32_t k = 0; k < a->n_uses; k++)
		e->meters[u[k].resource].moved += use_coef(e, a, k) * a->remaining;
}

void meter_full(struct engine *e, const struct resource *r, int full)
{
	struct meter *m = &e->meters[r - e->resources];

	if (full && m->since < 0) {
		m->since = e->now;
	} else if (!full && m->since >= 0) {
		m->held += e->now - m->since;
		m->since = -1;
	}
}

void engine_metered(const struct engine *e, struct resource_id r, struct engine_metered *out)
{
	const struct meter *m = e->meters ? &e->meters[r.v] : NULL;

	BUG_ON(r.v >= e->n_resources);
	*out = (struct engine_metered){0};
	if (!m)
		return;
	out->moved = m->moved;
	out->held = m->held + (m->since >= 0 ? e->now - m->since : 0);
}
