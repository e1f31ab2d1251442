/* compose.h: random trees of zones, kept as plain tables and written as SimGrid XML, for
 * prop_compose.c, which walks them by a recursion of its own.
 *
 * A zone is a leaf (hosts, routers, ways between them) or has child zones and ways between those,
 * through gateways at any depth inside. Ways of Full zones join every pair; those of Floyd and
 * Dijkstra zones form a tree, so that there is one way only, whatever the algorithm prefers.
 * Some lack a way back, and some hosts of a star their links. Bypasses replace the ways between two
 * zones or hosts. */
#ifndef ORRERY_TESTS_PROPERTY_PLATFORM_COMPOSE_H
#define ORRERY_TESTS_PROPERTY_PLATFORM_COMPOSE_H

#include "property/prop.h"

#include "base/base.h"

enum { ZONES_MOST = 40, POINTS_MOST = 200, HOPS_MOST = 800, HOP_LINKS = 3, DEPTH_MOST = 3 };

enum kind { FULL, FLOYD, DIJKSTRA, CACHE, STAR, FLAT };

struct world {
	struct zn {
		enum kind kind;
		int parent, depth, leaf;
		int split, limiter, loopback, backbone; /* of FLAT; backbone of STAR too */
	} zone[ZONES_MOST];
	struct pt {
		char name[24];
		int zone, router, rank; /* rank: of a FLAT zone's hosts */
		int up, down;           /* of a STAR zone's hosts: links; -1: none */
	} point[POINTS_MOST];
	struct way {
		int zone, from, to, gw_from, gw_to; /* from, to: zones, or points of a leaf */
		int symmetrical, bypass, n;
		struct {
			int link, way; /* way: 0 of a whole link; 1, 2: up, down of a split one */
		} on[HOP_LINKS];
	} way[HOPS_MOST];
	int zones, points, ways, links;
	struct str text;
};

static int world_link(struct world *w, struct rng *r, int *split)
{
	*split = prop_once_in(r, 3);
	str_printf(&w->text, "<link id='l%d' bandwidth='1GBps' latency='%uus'%s/>\n", w->links,
	           prop_from(r, 0, 99), *split ? " sharing_policy='SPLITDUPLEX'" : "");
	return w->links++;
}

/* A way whose links are written now and which is declared later, behind all links of its zone. */
static struct way *world_way(struct world *w, struct rng *r, int zone, int from, int to)
{
	struct way *h = &w->way[w->ways++];
	int split;

	assert_true(w->ways < HOPS_MOST);
	*h = (struct way){.zone = zone, .from = from, .to = to, .gw_from = from, .gw_to = to};
	h->n = (int)prop_from(r, 1, HOP_LINKS);
	for (int i = 0; i < h->n; i++) {
		h->on[i].link = world_link(w, r, &split);
		h->on[i].way = split ? (int)prop_from(r, 1, 2) : 0;
	}
	if (h->n > 1 && prop_once_in(r, 4)) /* a link may occur twice */
		h->on[h->n - 1] = h->on[0];
	return h;
}

static void way_put(struct world *w, const struct way *h)
{
	static const char *const ways[] = {"", " direction='UP'", " direction='DOWN'"};
	int leaf = w->zone[h->zone].leaf;
	const char *tag = leaf        ? h->bypass ? "bypassRoute" : "route"
	                  : h->bypass ? "bypassZoneRoute"
	                              : "zoneRoute";

	if (leaf)
		str_printf(&w->text, "<%s src='%s' dst='%s'", tag, w->point[h->from].name,
		           w->point[h->to].name);
	else
		str_printf(&w->text, "<%s src='z%d' dst='z%d' gw_src='%s' gw_dst='%s'", tag,
		           h->from, h->to, w->point[h->gw_from].name, w->point[h->gw_to].name);
	if (!h->bypass && !h->symmetrical)
		str_puts(&w->text, " symmetrical='NO'");
	str_puts(&w->text, ">");
	for (int i = 0; i < h->n; i++)
		str_printf(&w->text, "<link_ctn id='l%d'%s/>", h->on[i].link, ways[h->on[i].way]);
	str_printf(&w->text, "</%s>\n", tag);
}

/* --- leaves --- */

static int point_add(struct world *w, int zone, int router, const char *name)
{
	struct pt *a = &w->point[w->points];

	assert_true(w->points < POINTS_MOST);
	*a = (struct pt){.zone = zone, .router = router, .up = -1, .down = -1};
	snprintf(a->name, sizeof a->name, "%s", name);
	return w->points++;
}

static void flat_put(struct world *w, struct rng *r, int z)
{
	struct zn *zone = &w->zone[z];
	int hosts = (int)prop_from(r, 1, 3);
	char name[24];

	zone->split = prop_once_in(r, 2);
	zone->limiter = prop_once_in(r, 3);
	zone->loopback = prop_once_in(r, 2);
	zone->backbone = prop_once_in(r, 2);
	for (int i = 0; i < hosts; i++) {
		snprintf(name, sizeof name, "c%d-%d", z, 2 * i + 3);
		w->point[point_add(w, z, 0, name)].rank = 2 * i + 3;
	}
	snprintf(name, sizeof name, "r%d", z);
	point_add(w, z, 1, name);
	str_printf(&w->text,
	           "<cluster id='z%d' prefix='c%d-' suffix='' radical='%s' speed='1f' bw='9' "
	           "lat='%uus' router_id='r%d' sharing_policy='%s'%s%s%s/>\n",
	           z, z,
	           hosts == 1   ? "3"
	           : hosts == 2 ? "3,5"
	                        : "3,5,7",
	           prop_from(r, 0, 99), z, zone->split ? "SPLITDUPLEX" : "SHARED",
	           zone->limiter ? " limiter_link='5'" : "",
	           zone->loopback ? " loopback_bw='8' loopback_lat='5us'" : "",
	           zone->backbone ? " bb_bw='8' bb_lat='7us'" : "");
}

static void spokes_put(struct world *w, struct rng *r, int z, int first)
{
	int split;

	w->zone[z].backbone = prop_once_in(r, 2);
	if (w->zone[z].backbone)
		str_printf(&w->text, "<backbone id='back%d' bandwidth='8' latency='3us'/>\n", z);
	for (int i = first; i < w->points; i++) {
		struct pt *a = &w->point[i];

		if (a->router || prop_once_in(r, 10))
			continue;
		do
			a->up = world_link(w, r, &split);
		while (split);
		a->down = a->up;
		while (prop_once_in(r, 2) && a->down == a->up) {
			a->down = world_link(w, r, &split);
			a->down = split ? a->up : a->down;
		}
		str_printf(&w->text, "<host_link id='%s' up='l%d' down='l%d'/>\n", a->name, a->up,
		           a->down);
	}
}

/* Every pair, or a tree. */
static void ways_draw(struct world *w, struct rng *r, int z, const int *ends, int n)
{
	for (int i = 1; i < n; i++) {
		int only = (int)rng_below(r, (uint64_t)i), every = w->zone[z].kind == FULL;

		for (int k = 0; k < i; k++) {
			struct way *h;

			if (!every && k != only)
				continue;
			h = world_way(w, r, z, ends[i], ends[k]);
			h->symmetrical = prop_once_in(r, 2);
			if (!h->symmetrical && !prop_once_in(r, 12))
				world_way(w, r, z, ends[k], ends[i]);
		}
	}
}

static void leaf_put(struct world *w, struct rng *r, int z)
{
	static const char *const words[] = {"Full", "Floyd", "Dijkstra", "DijkstraCache",
	                                    "Cluster"};
	int first = w->points, from = w->ways, n = (int)prop_from(r, 1, 4), ends[8];
	char name[24];

	str_printf(&w->text, "<zone id='z%d' routing='%s'>\n", z, words[w->zone[z].kind]);
	for (int i = 0; i < n; i++) {
		int router = i > 0 && prop_once_in(r, 4);

		snprintf(name, sizeof name, "p%d", w->points);
		str_printf(&w->text,
		           router ? "<router id='%s'/>\n" : "<host id='%s' speed='1f'/>\n", name);
		ends[i] = point_add(w, z, router, name);
	}
	if (w->zone[z].kind == STAR)
		spokes_put(w, r, z, first);
	else
		ways_draw(w, r, z, ends, n);
	if (n > 2 && prop_once_in(r, 3))
		world_way(w, r, z, ends[0], ends[n - 1])->bypass = 1;
	for (int i = from; i < w->ways; i++)
		way_put(w, &w->way[i]);
	str_puts(&w->text, "</zone>\n");
}

/* --- the tree --- */

static int zone_holds(const struct world *w, int z, int point)
{
	int in = w->point[point].zone;

	while (in != z && in >= 0)
		in = w->zone[in].parent;
	return in == z;
}

/* Any point at any depth in a zone. */
static int point_inside(const struct world *w, struct rng *r, int z)
{
	int a;

	do
		a = (int)rng_below(r, (uint64_t)w->points);
	while (!zone_holds(w, z, a));
	return a;
}

/* A zone at any depth in the child `child`, or it. */
static int zone_inside(const struct world *w, struct rng *r, int child)
{
	return prop_once_in(r, 2) ? child : w->point[point_inside(w, r, child)].zone;
}

static void zone_put(struct world *w, struct rng *r, int parent, int depth);

static void inner_put(struct world *w, struct rng *r, int z)
{
	static const char *const words[] = {"full", "FLOYD", "Dijkstra", "DijkstraCache"};
	int children[4], n = (int)prop_from(r, 2, 4), from;

	str_printf(&w->text, "<zone id='z%d' routing='%s'>\n", z, words[w->zone[z].kind]);
	for (int i = 0; i < n; i++) {
		children[i] = w->zones;
		zone_put(w, r, z, w->zone[z].depth + 1);
	}
	from = w->ways;
	ways_draw(w, r, z, children, n);
	for (int i = from; i < w->ways; i++) {
		w->way[i].gw_from = point_inside(w, r, w->way[i].from);
		w->way[i].gw_to = point_inside(w, r, w->way[i].to);
	}
	for (uint64_t k = rng_below(r, 4); k > 0; k--) {
		int a = zone_inside(w, r, children[0]), b = zone_inside(w, r, children[1]),
		    twice = 0;
		struct way *h;

		for (int i = from; i < w->ways; i++)
			twice |= w->way[i].bypass && w->way[i].from == a && w->way[i].to == b;
		if (twice)
			continue;
		h = world_way(w, r, z, a, b);
		h->bypass = 1;
		h->gw_from = point_inside(w, r, a);
		h->gw_to = point_inside(w, r, b);
	}
	for (int i = from; i < w->ways; i++)
		way_put(w, &w->way[i]);
	str_puts(&w->text, "</zone>\n");
}

static void zone_put(struct world *w, struct rng *r, int parent, int depth)
{
	int z = w->zones++;
	int leaf = z > 0 && (depth == DEPTH_MOST || w->zones > 20 || prop_once_in(r, 2));

	w->zone[z] = (struct zn){.parent = parent, .depth = depth, .leaf = leaf};
	w->zone[z].kind = (enum kind)rng_below(r, leaf ? 6 : 4);
	if (!leaf)
		inner_put(w, r, z);
	else if (w->zone[z].kind == FLAT)
		flat_put(w, r, z);
	else
		leaf_put(w, r, z);
}

static void world_draw(struct world *w, struct rng *r)
{
	memset(w, 0, sizeof *w);
	str_init(&w->text);
	str_puts(&w->text, "<platform version='4.1'>\n");
	zone_put(w, r, -1, 0);
	str_puts(&w->text, "</platform>\n");
}

#endif
