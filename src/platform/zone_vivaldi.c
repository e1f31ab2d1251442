/* zone_vivaldi.c: routing="Vivaldi": a star whose latency comes from network coordinates (x, y,
 * height), in milliseconds:
 *
 *     sqrt((xa - xb)^2 + (ya - yb)^2) + |za| + |zb|
 *
 * Source: F. Dabek et al., Vivaldi: a decentralized network coordinate system, SIGCOMM 2004, with
 * heights. A <peer> has a link up and a link down; a plain host or router only coordinates. A child
 * zone is reached through the router named router_<zone>, of that zone, which also gives it its
 * coordinates. */
#include "platform/star.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The point whose coordinates and place stand for a: itself, or its zone's router. POINT_NONE if
 * there is none. */
static struct point stands_for(const struct platform *p, struct point a)
{
	char name[NAME_MAX_LEN + 16];
	if (point_kind(a) != POINT_ZONE)
		return a;
	const struct zone *z = p->zones[point_index(a)];
	snprintf(name, sizeof name, "router_%s", z->id);
	struct point r = names_find(&p->names, name);
	return !point_none(r) && point_kind(r) != POINT_ZONE && zone_contains(p, z, r) ? r
	                                                                               : POINT_NONE;
}

static const double *coords_of(const struct platform *p, struct point a)
{
	if (point_kind(a) == POINT_ROUTER)
		return p->routers[point_index(a)].coords;
	const struct host_block *k = host_block_of(p, point_index(a));
	return k->named == NONE32 ? NULL : p->hosts[k->named + (point_index(a) - k->first)].coords;
}

static int end_get(struct walk *w, const struct zone *z, struct point a, struct point *gate,
                   const double **coords)
{
	char name[256];
	*gate = stands_for(w->p, a);
	if (point_none(*gate))
		return err_set(w->err, ERR_INPUT,
		               "zone '%s' (routing Vivaldi, %s:%u:%u) reaches zone '%s' through a "
		               "router named 'router_%s', which it does not have",
		               z->id, w->p->path, z->at.line, z->at.column,
		               w->p->zones[point_index(a)]->id, w->p->zones[point_index(a)]->id);
	*coords = coords_of(w->p, *gate);
	if (!*coords)
		return err_set(
		    w->err, ERR_INPUT,
		    "%s '%s' of zone '%s' (routing Vivaldi, %s:%u:%u) has no coordinates",
		    point_word(*gate), point_name(w->p, *gate, name, sizeof name), z->id,
		    w->p->path, z->at.line, z->at.column);
	return 0;
}

static int vivaldi_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	struct point from, to;
	const double *x, *y;
	if (end_get(w, z, e->a, &from, &x) < 0 || end_get(w, z, e->b, &to, &y) < 0 ||
	    walk_to(w, e->src, from) < 0)
		return -1;
	if (star_walk(w, z, e->a, e->b) < 0)
		return -1;
	double dx = x[0] - y[0], dy = x[1] - y[1];
	walk_latency(w, (sqrt(dx * dx + dy * dy) + fabs(x[2]) + fabs(y[2])) / 1000);
	return walk_to(w, to, e->dst);
}

const struct zone_kind zone_vivaldi = {
    .name = "Vivaldi",
    .describe = "latency from network coordinates",
    .init = star_init,
    .walk = vivaldi_walk,
    .release = star_release,
};
