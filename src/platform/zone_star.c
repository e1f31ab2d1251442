/* zone_star.c: routing="Cluster": hosts around a centre, each by its own links, through a backbone
 * if there is one.
 *
 *     a -> b:  up(a), backbone, backbone, down(b), each link once (the first time)
 *
 * A host gets its links from <host_link> (named links) or from its <cabinet> (two computed links
 * per host: UP at 2 i, DOWN at 2 i + 1, i counting the hosts of all cabinets of the zone). A
 * router, or a host with neither, has an empty way, without backbone. Invariant: cabinets are
 * sorted by first_host and by first. */
#include "platform/star.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct spoke {
	struct link_id up, down;
};
struct cabinet {
	uint32_t first_host, n;
	uint32_t first; /* hosts in the cabinets before */
	struct cabinet_spec spec;
};
struct host_link {
	const char *host, *up, *down;
	struct place at;
};
struct star {
	struct hash64 index; /* host -> spokes */
	struct spoke *spokes;
	struct cabinet *cabinets;
	struct host_link *waiting; /* until the end of the zone */
	uint32_t spokes_n, spokes_cap, cabinets_n, cabinets_cap, waiting_n, waiting_cap;
	struct link_id backbone;
	const char *backbone_name;
	struct link_info backbone_info;
	struct place backbone_at;
};

int star_init(struct build *b, struct zone *z, struct err *err)
{
	struct star *s = arena_alloc(&b->p->arena, sizeof *s, err);
	if (!s)
		return -1;
	hash64_init(&s->index);
	s->backbone.v = NONE32;
	z->self = s;
	return 0;
}

void star_release(struct zone *z)
{
	struct star *s = z->self;
	if (!s)
		return;
	hash64_release(&s->index);
	free(s->spokes);
	free(s->cabinets);
	free(s->waiting);
}

/* --- building --- */

int star_add_spoke(struct zone *z, uint32_t host, struct link_id up, struct link_id down,
                   struct err *err)
{
	struct star *s = z->self;
	struct spoke *grown = vec_grow(s->spokes, &s->spokes_cap, sizeof *grown,
	                               (size_t)s->spokes_n + 1, "links of hosts", err);
	if (!grown)
		return -1;
	s->spokes = grown;
	s->spokes[s->spokes_n] = (struct spoke){up, down};
	if (hash64_put(&s->index, host, s->spokes_n, err) < 0)
		return -1;
	s->spokes_n++;
	return 0;
}

int star_add_host_link(struct build *b, struct zone *z, const char *host, const char *up,
                       const char *down, struct place at, struct err *err)
{
	struct star *s = z->self;
	struct arena *a = &b->p->arena;
	struct host_link *grown = vec_grow(s->waiting, &s->waiting_cap, sizeof *grown,
	                                   (size_t)s->waiting_n + 1, "host links", err);
	if (!grown)
		return -1;
	s->waiting = grown;
	struct host_link h = {.at = at};
	if (!(h.host = arena_strndup(a, host, strlen(host), err)) ||
	    !(h.up = arena_strndup(a, up, strlen(up), err)) ||
	    !(h.down = arena_strndup(a, down, strlen(down), err)))
		return -1;
	s->waiting[s->waiting_n++] = h;
	return 0;
}

int star_add_cabinet(struct zone *z, const struct host_block *hosts,
                     const struct cabinet_spec *spec, struct err *err)
{
	struct star *s = z->self;
	struct cabinet *grown = vec_grow(s->cabinets, &s->cabinets_cap, sizeof *grown,
	                                 (size_t)s->cabinets_n + 1, "cabinets", err);
	if (!grown)
		return -1;
	s->cabinets = grown;
	const struct cabinet *last = s->cabinets_n ? &s->cabinets[s->cabinets_n - 1] : NULL;
	s->cabinets[s->cabinets_n++] = (struct cabinet){hosts->first, hosts->n,
	                                                last ? last->first + last->n : 0, *spec};
	return 0;
}

int star_set_backbone(struct build *b, struct zone *z, const char *name,
                      const struct link_info *info, struct place at, struct err *err)
{
	struct star *s = z->self;
	s->backbone_name = arena_strndup(&b->p->arena, name, strlen(name), err);
	s->backbone_info = *info;
	s->backbone_at = at;
	return s->backbone_name ? 0 : -1;
}

static int link_resolve(struct build *b, const struct host_link *h, const char *which,
                        const char *name, struct link_id *out, struct err *err)
{
	*out = link_find(b->p, name);
	if (out->v == NONE32)
		return build_error(
		    b, h->at, err,
		    "<host_link> of host '%s': no link is named '%s' (attribute '%s')", h->host,
		    name, which);
	return 0;
}

static int host_link_resolve(struct build *b, struct zone *z, const struct host_link *h,
                             struct err *err)
{
	const struct star *s = z->self;
	struct host_id host;
	struct link_id up, down;
	if (platform_host_find(b->p, h->host, &host) < 0 ||
	    point_zone(b->p, point_make(POINT_HOST, host.v)) != z)
		return build_error(b, h->at, err, "<host_link>: zone '%s' has no host '%s'", z->id,
		                   h->host);
	if (hash64_find(&s->index, host.v) != HASH_NONE ||
	    host_block_of(b->p, host.v)->named == NONE32)
		return build_error(b, h->at, err, "<host_link>: host '%s' already has its links",
		                   h->host);
	if (link_resolve(b, h, "up", h->up, &up, err) < 0 ||
	    link_resolve(b, h, "down", h->down, &down, err) < 0)
		return -1;
	return star_add_spoke(z, host.v, up, down, err);
}

static int star_seal(struct build *b, struct zone *z, struct err *err)
{
	struct star *s = z->self;
	if (s->backbone_name) {
		s->backbone.v = b->p->link_count;
		if (link_add(b, s->backbone_name, &s->backbone_info, LINK_WHOLE, s->backbone_at,
		             err) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < s->waiting_n; i++)
		if (host_link_resolve(b, z, &s->waiting[i], err) < 0)
			return -1;
	free(s->waiting);
	s->waiting = NULL;
	s->waiting_n = s->waiting_cap = 0;
	if (!s->cabinets_n)
		return 0;
	const struct cabinet *last = &s->cabinets[s->cabinets_n - 1];
	return link_add_block(b, z, 2 * ((uint64_t)last->first + last->n), err);
}

/* --- routes --- */

static const struct cabinet *cabinet_of_host(const struct star *s, uint32_t host)
{
	uint32_t lo = 0, hi = s->cabinets_n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->cabinets[mid].first_host + s->cabinets[mid].n <= host)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->cabinets_n && s->cabinets[lo].first_host <= host ? &s->cabinets[lo] : NULL;
}

/* The links of a point; v is NONE32 where there is none. */
static struct spoke spoke_of(const struct zone *z, struct point a)
{
	const struct star *s = z->self;
	struct spoke none = {{NONE32}, {NONE32}};
	if (point_kind(a) != POINT_HOST)
		return none;
	uint32_t i = hash64_find(&s->index, point_index(a));
	if (i != HASH_NONE)
		return s->spokes[i];
	const struct cabinet *c = cabinet_of_host(s, point_index(a));
	if (!c)
		return none;
	uint32_t up = z->first_link + 2 * (c->first + (point_index(a) - c->first_host));
	return (struct spoke){{up}, {up + 1}};
}

static int push_named(struct walk *w, struct link_id l)
{
	struct link_info info;
	platform_link(w->p, l, &info);
	return walk_push(w, l.v, info.latency);
}

int star_walk(struct walk *w, const struct zone *z, struct point a, struct point b)
{
	const struct star *s = z->self;
	struct spoke from = spoke_of(z, a), to = spoke_of(z, b);
	if (from.up.v != NONE32 && push_named(w, from.up) < 0)
		return -1;
	int through = s->backbone.v != NONE32 && (from.up.v != NONE32 || to.down.v != NONE32);
	if (through && s->backbone.v != from.up.v && push_named(w, s->backbone) < 0)
		return -1;
	int again = to.down.v == from.up.v || (through && to.down.v == s->backbone.v);
	return to.down.v == NONE32 || again ? 0 : push_named(w, to.down);
}

static int cluster_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	uint32_t before = w->r->n;
	if (star_walk(w, z, e->a, e->b) < 0)
		return -1;
	int hosts = point_kind(e->a) == POINT_HOST && point_kind(e->b) == POINT_HOST;
	return hosts && w->r->n == before ? walk_missing(w, z, e) : 0;
}

/* --- computed links --- */

static const struct cabinet *cabinet_of_link(const struct star *s, uint32_t host)
{
	uint32_t lo = 0, hi = s->cabinets_n;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (s->cabinets[mid].first <= host)
			lo = mid;
		else
			hi = mid;
	}
	return &s->cabinets[lo];
}

static void star_link(const struct platform *p, const struct zone *z, uint32_t offset,
                      struct link_info *out)
{
	const struct cabinet *c = cabinet_of_link(z->self, offset / 2);
	(void)p;
	*out = (struct link_info){c->spec.bw, c->spec.lat, LINK_SHARED};
}

static void star_link_name(const struct platform *p, const struct zone *z, uint32_t offset,
                           char *buf, size_t n)
{
	const struct cabinet *c = cabinet_of_link(z->self, offset / 2);
	char host[NAME_MAX_LEN + 16];
	platform_host_name(p, (struct host_id){c->first_host + (offset / 2 - c->first)}, host,
	                   sizeof host);
	snprintf(buf, n, "link_%s_%s", host, offset % 2 ? "DOWN" : "UP");
}

/* "link_<host>_UP" or "link_<host>_DOWN". */
static uint32_t star_link_find(const struct platform *p, const struct zone *z, const char *name,
                               int pair)
{
	const struct star *s = z->self;
	char host[NAME_MAX_LEN + 16];
	size_t n = strlen(name);
	struct host_id h;
	if (pair || !s || !s->cabinets_n || n >= sizeof host || strncmp(name, "link_", 5) != 0)
		return NONE32;
	int down = n > 10 && strcmp(name + n - 5, "_DOWN") == 0;
	if (!down && (n <= 8 || strcmp(name + n - 3, "_UP") != 0))
		return NONE32;
	snprintf(host, sizeof host, "%.*s", (int)(n - 5 - (down ? 5 : 3)), name + 5);
	const struct cabinet *c = platform_host_find(p, host, &h) < 0 ? NULL
	                                                              : cabinet_of_host(s, h.v);
	return c ? 2 * (c->first + (h.v - c->first_host)) + (uint32_t)down : NONE32;
}

const struct zone_kind zone_star = {
    .name = "Cluster",
    .describe = "hosts around a backbone, by cabinets or by links of their own",
    .init = star_init,
    .seal = star_seal,
    .free_names = 1,
    .walk = cluster_walk,
    .link = star_link,
    .link_name = star_link_name,
    .link_find = star_link_find,
    .release = star_release,
};
