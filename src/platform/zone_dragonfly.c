/* zone_dragonfly.c: <cluster topology="DRAGONFLY">: groups of chassis of routers of hosts,
 * "G,blue;C,black;R,green;N".
 *
 * Host ((g C + c) R + b) N + n hangs from router b of chassis c of group g. All routers of a
 * chassis are joined by green cables, the routers of the same blade in all chassis of a group by
 * black ones, and each pair of groups by one blue cable: in group g, router number h (counted
 * chassis by chassis, and again from the first when there are fewer routers than groups) holds the
 * cable to group h. The second number of each pair multiplies the bandwidth of those cables.
 *
 * Minimal routing: local cable; in the group to the router that holds the blue cable (green to its
 * blade, black to its chassis); blue; then green and black to the destination's router; local
 * cable.
 *
 * Quirks of SimGrid (compat): a green cable in a chassis other than the first leads to the first
 * chassis, so that black cables that follow are wrong or missing; and it takes the blue router to
 * be in the first chassis: a way to a group of number R or more reads outside its tables. With more
 * groups than routers in a group blue cables get lost, too.
 *
 * Links: each host's own; limiters of routers (if asked for); then cables: local, green, black,
 * blue, each in the order of its loops. */
#include "platform/cluster.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum colour { LOCAL, GREEN, BLACK, BLUE, COLOURS };

struct dragonfly {
	struct cluster_spec spec;
	struct leaf leaf;
	uint32_t groups, chassis, blades, nodes;
	uint32_t times[COLOURS]; /* bandwidth multipliers */
	uint64_t routers;
	uint64_t cables[COLOURS + 1]; /* number of the first cable of each colour; [COLOURS]: all */
	uint32_t limiters, first_cable; /* offsets; limiters NONE32 if there are none */
	uint32_t named_from;
};

/* Pairs i < j out of n, counted in order: (0,1) (0,2) … (1,2) … */
static uint64_t pair_count(uint64_t n)
{
	return n * (n - 1) / 2;
}

static uint64_t pair_number(uint64_t i, uint64_t j, uint64_t n)
{
	return i * n - i * (i + 1) / 2 + (j - i - 1);
}

static void pair_of(uint64_t number, uint64_t n, uint64_t *i, uint64_t *j)
{
	uint64_t lo = 0, hi = n - 1; /* the last i whose pairs begin at or before `number` */
	while (hi - lo > 1) {
		uint64_t mid = lo + (hi - lo) / 2;
		if (pair_number(mid, mid + 1, n) <= number)
			lo = mid;
		else
			hi = mid;
	}
	*i = lo;
	*j = lo + 1 + (number - pair_number(lo, lo + 1, n));
}

/* --- building --- */

static int sizes_compute(struct dragonfly *d, int compat, struct err *err)
{
	uint64_t hosts = (uint64_t)d->groups * d->chassis;
	if (hosts > HOSTS_MAX || (hosts *= d->blades) > HOSTS_MAX)
		return err_set(err, ERR_INPUT, "more than %d routers", HOSTS_MAX);
	d->routers = hosts;
	if ((hosts *= d->nodes) > HOSTS_MAX)
		return err_set(err, ERR_INPUT, "more than %d hosts", HOSTS_MAX);
	if (compat && d->groups > (uint64_t)d->blades * d->chassis)
		return err_set(err, ERR_INPUT,
		               "%u groups, but %" PRIu64
		               " routers in each: SimGrid loses cables between groups (without "
		               "compat a router may hold several)",
		               d->groups, (uint64_t)d->blades * d->chassis);
	d->cables[GREEN] = hosts;
	d->cables[BLACK] = d->cables[GREEN] +
	                   (uint64_t)d->groups * d->chassis * pair_count(d->blades);
	d->cables[BLUE] = d->cables[BLACK] + d->groups * pair_count(d->chassis) * d->blades;
	d->cables[COLOURS] = d->cables[BLUE] + pair_count(d->groups);
	return d->cables[COLOURS] > NONE32 / 4 ? err_set(err, ERR_INPUT, "too many cables") : 0;
}

/* "count,times;" */
static int level_parse(const char **at, uint32_t *count, uint32_t *times, struct err *err)
{
	uint32_t two[2];
	int n = numbers_parse(at, ',', ';', two, 2, err);
	if (n < 0)
		return -1;
	if (n != 2)
		return err_set(err, ERR_INPUT,
		               "expected \"groups,blue;chassis,black;routers,green;hosts\"");
	*count = two[0];
	*times = two[1];
	return 0;
}

static int dragonfly_parse(struct arena *a, const char *text, int compat, void **self,
                           uint32_t *hosts, struct err *err)
{
	struct dragonfly *d = arena_alloc(a, sizeof *d, err);
	if (!d)
		return -1;
	d->times[LOCAL] = 1;
	if (level_parse(&text, &d->groups, &d->times[BLUE], err) < 0 ||
	    level_parse(&text, &d->chassis, &d->times[BLACK], err) < 0 ||
	    level_parse(&text, &d->blades, &d->times[GREEN], err) < 0 ||
	    numbers_parse(&text, ',', 0, &d->nodes, 1, err) < 0)
		return -1;
	if (sizes_compute(d, compat, err) < 0)
		return -1;
	*hosts = (uint32_t)(d->routers * d->nodes);
	*self = d;
	return 0;
}

static int dragonfly_make(struct build *b, struct zone *z, const struct cluster_spec *s,
                          struct err *err)
{
	struct dragonfly *d = z->self;
	struct platform *p = b->p;
	if (!isfinite(s->bw * HOSTS_MAX))
		return build_error(b, z->at, err, "a bandwidth too large to be multiplied");
	d->spec = *s;
	d->leaf = leaf_layout(s);
	uint64_t own = d->routers * d->nodes * d->leaf.n,
	         limiters = d->leaf.limiter == NONE32 ? 0 : d->routers;
	uint64_t all = own + limiters + d->cables[COLOURS] * cable_links(s);
	if (all > NONE32 / 2 || p->dragonfly_cables + d->cables[COLOURS] > NONE32 / 2)
		return build_error(b, z->at, err, "too many links");
	d->limiters = limiters ? (uint32_t)own : NONE32;
	d->first_cable = (uint32_t)(own + limiters);
	d->named_from = p->dragonfly_cables;
	p->dragonfly_cables += (uint32_t)d->cables[COLOURS];
	return link_add_block(b, z, all, err);
}

/* --- routes --- */

/* A router by its coordinates. */
struct router_at {
	uint32_t group, chassis, blade;
};

static uint64_t router_number(const struct dragonfly *d, struct router_at r)
{
	return ((uint64_t)r.group * d->chassis + r.chassis) * d->blades + r.blade;
}

static struct router_at router_of(const struct dragonfly *d, uint32_t host)
{
	uint32_t r = host / d->nodes;
	return (struct router_at){r / d->blades / d->chassis, r / d->blades % d->chassis,
	                          r % d->blades};
}

static int push_router_limiter(struct walk *w, const struct zone *z, struct router_at r)
{
	const struct dragonfly *d = z->self;
	return d->limiters == NONE32
	           ? 0
	           : walk_push(w, z->first_link + d->limiters + (uint32_t)router_number(d, r), 0);
}

static int push_host_limiter(struct walk *w, const struct zone *z, uint32_t host)
{
	const struct dragonfly *d = z->self;
	return d->leaf.limiter == NONE32
	           ? 0
	           : walk_push(w, z->first_link + host * d->leaf.n + d->leaf.limiter, 0);
}

/* way: 0 in the direction of the cable's pair (from the lesser to the greater; from host to
 * router), 1 against it */
static int push_cable(struct walk *w, const struct zone *z, enum colour c, uint64_t number,
                      uint32_t way)
{
	const struct dragonfly *d = z->self;
	uint32_t each = cable_links(&d->spec);
	return walk_push(w,
	                 z->first_link + d->first_cable + (uint32_t)(d->cables[c] + number) * each +
	                     (each == 2 ? way : 0),
	                 d->spec.lat);
}

static int push_green(struct walk *w, const struct zone *z, struct router_at r, uint32_t blade)
{
	const struct dragonfly *d = z->self;
	uint32_t lo = r.blade < blade ? r.blade : blade, hi = r.blade < blade ? blade : r.blade;
	uint64_t in = (uint64_t)r.group * d->chassis + r.chassis;
	if (push_router_limiter(w, z, r) < 0)
		return -1;
	return push_cable(w, z, GREEN, in * pair_count(d->blades) + pair_number(lo, hi, d->blades),
	                  r.blade > blade);
}

static int push_black(struct walk *w, const struct zone *z, struct router_at r, uint32_t chassis)
{
	const struct dragonfly *d = z->self;
	uint32_t lo = r.chassis < chassis ? r.chassis : chassis,
	         hi = r.chassis < chassis ? chassis : r.chassis;
	uint64_t pair = r.group * pair_count(d->chassis) + pair_number(lo, hi, d->chassis);
	if (push_router_limiter(w, z, r) < 0)
		return -1;
	return push_cable(w, z, BLACK, pair * d->blades + r.blade, r.chassis > chassis);
}

/* Inside a group: green to the blade, then black to the chassis. quirk: see the head of the
 * file. */
static int walk_group(struct walk *w, const struct zone *z, struct router_at *at, uint32_t chassis,
                      uint32_t blade, int quirk)
{
	if (at->blade != blade) {
		if (push_green(w, z, *at, blade) < 0)
			return -1;
		at->blade = blade;
		if (quirk)
			at->chassis = 0;
	}
	if (at->chassis != chassis) {
		if (push_black(w, z, *at, chassis) < 0)
			return -1;
		at->chassis = chassis;
	}
	return 0;
}

/* The router of group `in` that holds the cable to group `to`. */
static struct router_at blue_router(const struct dragonfly *d, uint32_t in, uint32_t to)
{
	return (struct router_at){in, to / d->blades % d->chassis, to % d->blades};
}

/* To the router of this group that holds the cable to `group`, and over it. */
static int walk_blue(struct walk *w, const struct zone *z, struct router_at *at, uint32_t group)
{
	const struct dragonfly *d = z->self;
	uint32_t from = at->group, lo = from < group ? from : group,
	         hi = from < group ? group : from;
	struct router_at gate = blue_router(d, from, group);
	if (w->p->compat && group >= d->blades)
		return err_set(w->err, ERR_INPUT,
		               "a way to group %u of a dragonfly of %u routers per chassis: "
		               "SimGrid reads outside its "
		               "tables (without compat all routers of a group are used)",
		               group, d->blades);
	if (walk_group(w, z, at, gate.chassis, gate.blade, 0) < 0)
		return -1;
	if (push_cable(w, z, BLUE, pair_number(lo, hi, d->groups), from > group) < 0 ||
	    push_router_limiter(w, z, gate) < 0)
		return -1;
	*at = blue_router(d, group, from);
	return 0;
}

static int dragonfly_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct dragonfly *d = z->self;
	uint32_t src = point_index(e->a) - z->first_host, dst = point_index(e->b) - z->first_host;
	struct router_at at = router_of(d, src), to = router_of(d, dst);
	if (src == dst && d->leaf.loopback != NONE32)
		return walk_push(w, z->first_link + src * d->leaf.n + d->leaf.loopback,
		                 d->spec.loopback_lat);
	if (push_host_limiter(w, z, src) < 0 || push_cable(w, z, LOCAL, src, 0) < 0)
		return -1;
	if (at.group != to.group && walk_blue(w, z, &at, to.group) < 0)
		return -1;
	if (walk_group(w, z, &at, to.chassis, to.blade, w->p->compat) < 0)
		return -1;
	if (push_router_limiter(w, z, to) < 0 || push_cable(w, z, LOCAL, dst, 1) < 0)
		return -1;
	return push_host_limiter(w, z, dst);
}

/* --- links by offset --- */

static enum colour colour_of(const struct dragonfly *d, uint64_t cable)
{
	enum colour c = LOCAL;
	while (cable >= d->cables[c + 1])
		c++;
	return c;
}

static void dragonfly_link(const struct platform *p, const struct zone *z, uint32_t offset,
                           struct link_info *out)
{
	const struct dragonfly *d = z->self;
	(void)p;
	if (offset < d->first_cable && offset >= d->limiters) {
		*out = (struct link_info){d->spec.limiter, 0, LINK_SHARED};
	} else if (offset < d->first_cable) {
		leaf_link(&d->spec, &d->leaf, offset % d->leaf.n, out);
	} else {
		cable_link(&d->spec, out);
		out->bandwidth *=
		    d->times[colour_of(d, (offset - d->first_cable) / cable_links(&d->spec))];
	}
}

static void blue_name(const struct dragonfly *d, uint64_t number, char *buf, size_t n)
{
	uint64_t i, j, routers = (uint64_t)d->chassis * d->blades;
	pair_of(number, d->groups, &i, &j);
	uint64_t from = i * routers + j % routers, to = j * routers + i % routers;
	snprintf(buf, n,
	         "blue_link_between_group_%" PRIu64 "_and_%" PRIu64 "_routers_%" PRIu64
	         "_and_%" PRIu64,
	         i, j, from, to);
}

static void black_name(const struct dragonfly *d, uint64_t number, char *buf, size_t n)
{
	uint64_t i, j, pair = number / d->blades;
	pair_of(pair % pair_count(d->chassis), d->chassis, &i, &j);
	snprintf(buf, n,
	         "black_link_in_group_%" PRIu64 "_between_chassis_%" PRIu64 "_and_%" PRIu64
	         "_blade_%" PRIu64,
	         pair / pair_count(d->chassis), i, j, number % d->blades);
}

static void green_name(const struct dragonfly *d, uint64_t number, char *buf, size_t n)
{
	uint64_t i, j;
	pair_of(number % pair_count(d->blades), d->blades, &i, &j);
	snprintf(buf, n,
	         "green_link_in_chassis_%" PRIu64 "_between_routers_%" PRIu64 "_and_%" PRIu64,
	         number / pair_count(d->blades) % d->chassis, i, j);
}

static void local_name(const struct dragonfly *d, uint64_t number, char *buf, size_t n)
{
	snprintf(buf, n, "local_link_from_router_%" PRIu64 "_to_node_%" PRIu64, number / d->nodes,
	         number % d->nodes);
}

static void cable_name(const struct dragonfly *d, uint32_t number, uint32_t way, char *buf,
                       size_t n)
{
	static void (*const name[COLOURS])(const struct dragonfly *, uint64_t, char *, size_t) = {
	    local_name, green_name, black_name, blue_name};
	enum colour c = colour_of(d, number);
	name[c](d, number - d->cables[c], buf, n);
	size_t used = strlen(buf);
	snprintf(buf + used, n - used, "_%u%s", d->named_from + number,
	         cable_suffix(&d->spec, way));
}

static void dragonfly_link_name(const struct platform *p, const struct zone *z, uint32_t offset,
                                char *buf, size_t n)
{
	const struct dragonfly *d = z->self;
	uint32_t each = cable_links(&d->spec);
	if (offset >= d->first_cable)
		cable_name(d, (offset - d->first_cable) / each, (offset - d->first_cable) % each,
		           buf, n);
	else if (offset >= d->limiters)
		snprintf(buf, n, "%s_link_%lld_limiter", z->id,
		         2 * (long long)d->cables[GREEN] - 1 - (offset - d->limiters));
	else
		leaf_link_name(p, z, &d->leaf, offset / d->leaf.n, offset % d->leaf.n, buf, n);
}

static uint32_t dragonfly_link_find(const struct platform *p, const struct zone *z,
                                    const char *name, int pair)
{
	const struct dragonfly *d = z->self;
	if (!z->links)
		return NONE32;
	uint32_t each = cable_links(&d->spec), found = NONE32;
	int64_t number = name_last_number(name) - d->named_from;
	for (uint32_t way = 0; number >= 0 && way < each && found == NONE32; way++)
		found = link_named(p, z, d->first_cable + (uint64_t)number * each + way, name,
		                   pair);
	if (found != NONE32 || pair)
		return found;
	found = leaf_link_find(p, z, &d->leaf, d->leaf.n, name);
	int64_t limiter = found == NONE32 && d->limiters != NONE32 ? number_after_link(name, z->id)
	                                                           : -1;
	int64_t i = 2 * (int64_t)d->cables[GREEN] - 1 - limiter;
	return limiter < 0 || i < 0 || i >= (int64_t)d->routers
	           ? found
	           : link_named(p, z, d->limiters + (uint64_t)i, name, 0);
}

static const char *dragonfly_quirk(const struct platform *p, const struct zone *z, int i)
{
	const struct dragonfly *d = z->self;
	const char *what[4] = {NULL};
	int n = 0;
	(void)p;
	if (cluster_quirk(&d->spec))
		what[n++] = cluster_quirk(&d->spec);
	if (d->chassis > 1 && d->blades > 1)
		what[n++] = "in a group, SimGrid takes a green cable to lead to the first chassis";
	if (d->groups > d->blades)
		what[n++] = "more groups than routers per chassis: SimGrid reads outside its "
		            "tables (such ways are refused in compat)";
	return what[i];
}

const struct zone_kind zone_dragonfly = {
    .name = "dragonfly",
    .describe = "groups of chassis of routers, routed by the shortest way",
    .free_names = 1,
    .walk = dragonfly_walk,
    .link = dragonfly_link,
    .link_name = dragonfly_link_name,
    .link_find = dragonfly_link_find,
    .quirk = dragonfly_quirk,
};

const struct topology topology_dragonfly = {"DRAGONFLY", &zone_dragonfly, dragonfly_parse,
                                            dragonfly_make};
