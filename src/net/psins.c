/* psins.c: what the models of PSINS share: a state of their machine and its reservations. */
#include "psins.h"

#include <stdlib.h>
#include <string.h>

int psins_setup(struct psins *p, struct net *n, struct err *err)
{
	return bus_init(&p->machine, n, err) < 0 ? -1 : psins_growth_read(p, n, err);
}

void psins_clear(struct psins *p)
{
	uint32_t i;

	for (i = 0; i < p->links_cap; i++)
		free(p->links[i].until);
	free(p->links);
	free(p->busses.until);
	bus_release(&p->machine);
}

int psins_init(struct net *n, void **state, struct err *err)
{
	struct psins *p = calloc(1, sizeof *p);

	if (!p)
		return err_nomem(err, "PSINS model", sizeof *p);
	if (psins_setup(p, n, err) < 0) {
		psins_release(p);
		return -1;
	}
	*state = p;
	return 0;
}

void psins_release(void *state)
{
	psins_clear(state);
	free(state);
}

/* The links of a node, made when first asked for. */
static struct servers *psins_links(struct psins *p, uint32_t node, struct err *err)
{
	uint32_t before = p->links_cap;
	struct servers *links;

	if (node < before)
		return &p->links[node];
	links = vec_grow(p->links, &p->links_cap, sizeof *links, (size_t)node + 1, "links of nodes",
	                 err);
	if (!links)
		return NULL;
	p->links = links;
	memset(links + before, 0, (p->links_cap - before) * sizeof *links);
	return &links[node];
}

int psins_send(struct net *n, const struct bus_way *w, const struct net_send *s, double start,
               const char *waits, struct net_sent *out, struct err *err)
{
	double now = engine_now(n->engine), wait = start - now;

	if (wait > 0)
		part_tell(n, s->user, now, waits);
	part_tell(n, s->user, start, "its bytes / bandwidth");
	part_tell(n, s->user, start + bus_body(w, s->bytes), "latency");
	return engine_timer(n->engine, wait + w->latency + bus_body(w, s->bytes), s->user,
	                    &out->activity, err);
}

int psins_reserve(struct net *n, struct psins *p, const struct net_send *s, enum psins_way way,
                  struct net_sent *out, struct err *err)
{
	static const char *const waits[] = {"waits for a link into the receiver's node",
	                                    "waits for a link out of the sender's node"};
	double start = engine_now(n->engine);
	struct servers *links;
	struct bus_way w;
	uint32_t node, limit;

	if (bus_way(&p->machine, n, s->from, s->to, &w, err) < 0)
		return -1;
	bus_stretch(&w, s->stretch);
	node = way == PSINS_IN ? w.to : w.from;
	limit = way == PSINS_IN ? p->machine.nodes[node].in : p->machine.nodes[node].out;
	if (w.from != w.to && limit) {
		links = psins_links(p, node, err);
		if (!links ||
		    servers_reserve(links, limit, start, bus_body(&w, s->bytes), &start, err) < 0)
			return -1;
	}
	return psins_send(n, &w, s, start, waits[way], out, err);
}
