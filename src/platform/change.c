/* change.c: a machine that is asked about as if it were another: all latencies, bandwidths or
 * speeds times a factor, single links with other figures. Made before anybody has asked for
 * anything. (Single hosts: hosts.c.) */
#include "platform/platform_int.h"

#include <stdlib.h>
#include <string.h>

void platform_scale(struct platform *p, double latency, double bandwidth, double speed)
{
	p->latency_scale *= latency;
	p->bandwidth_scale *= bandwidth;
	p->speed_scale *= speed;
}

int platform_link_find(const struct platform *p, const char *name, struct link_id *out)
{
	char other[NAME_IN_FULL];

	for (uint32_t i = 0; i < p->link_count; i++) {
		if (strcmp(platform_link_name(p, (struct link_id){i}, other, sizeof other), name) !=
		    0)
			continue;
		out->v = i;
		return 0;
	}
	return -1;
}

static struct link_change *link_change_find(const struct platform *p, uint32_t link)
{
	for (uint32_t i = 0; i < p->changes_n; i++)
		if (p->changes[i].link == link)
			return &p->changes[i];
	return NULL;
}

int platform_link_set(struct platform *p, struct link_id l, double bandwidth, double latency,
                      struct err *err)
{
	struct link_change *c = link_change_find(p, l.v);

	if (!c) {
		struct link_change *all = vec_grow(p->changes, &p->changes_cap, sizeof *all,
		                                   (size_t)p->changes_n + 1, "changed links", err);

		if (!all)
			return -1;
		p->changes = all;
		c = &all[p->changes_n++];
		*c = (struct link_change){l.v, -1, -1};
	}
	if (bandwidth >= 0)
		c->bandwidth = bandwidth;
	if (latency >= 0)
		c->latency = latency;
	return 0;
}

void link_change_apply(const struct platform *p, uint32_t link, struct link_info *info)
{
	const struct link_change *c = p->changes_n ? link_change_find(p, link) : NULL;

	info->bandwidth *= p->bandwidth_scale;
	info->latency *= p->latency_scale;
	if (c && c->bandwidth >= 0)
		info->bandwidth = c->bandwidth;
	if (c && c->latency >= 0)
		info->latency = c->latency;
}

static int latency_is_changed(const struct platform *p, const struct route *r)
{
	const struct link_change *c;

	for (uint32_t i = 0; p->changes_n && i < r->n; i++)
		if ((c = link_change_find(p, r->links[i].v)) && c->latency >= 0)
			return 1;
	return 0;
}

/* The sum of a route's latencies was made of what links had before. It is made anew, for taking a
 * latency from it and adding another one may leave less than nothing. */
void route_change_apply(const struct platform *p, struct route *r)
{
	struct link_info l;

	r->latency *= p->latency_scale;
	if (!latency_is_changed(p, r))
		return;
	r->latency = r->beyond * p->latency_scale;
	for (uint32_t i = 0; i < r->n; i++) {
		platform_link(p, r->links[i], &l);
		r->latency += l.latency;
	}
}
