/* read_routes.c: <route>, <zoneRoute>, <bypassRoute>, <bypassZoneRoute> with their <link_ctn>. */
#include "platform/reader.h"

#include <string.h>

static int point_read(const struct reader *r, const struct xml *x, const char *attr,
                      struct point *out, struct err *err)
{
	const char *name = xml_get(x, attr);
	*out = names_find(&r->b.p->names, name);
	if (point_none(*out))
		return xml_error(x, xml_place_of(x, attr), err,
		                 "%s='%s' of <%s> names no host, router or zone declared so far",
		                 attr, name, xml_tag(x));
	return 0;
}

/* An end: it must live in the current zone, and be a zone or not as the tag wants. */
static int end_read(const struct reader *r, const struct xml *x, const char *attr, int want_zone,
                    struct point *out, struct err *err)
{
	if (point_read(r, x, attr, out, err) < 0)
		return -1;
	const char *name = xml_get(x, attr);
	if ((point_kind(*out) == POINT_ZONE) != want_zone)
		return xml_error(x, xml_place_of(x, attr), err, "%s='%s' of <%s> is a %s; %s", attr,
		                 name, xml_tag(x), point_word(*out),
		                 want_zone
		                     ? "expected a zone (between hosts or routers: <route>)"
		                     : "expected a host or router (between zones: <zoneRoute>)");
	if (point_zone(r->b.p, *out) != r->b.current)
		return xml_error(x, xml_place_of(x, attr), err,
		                 "%s '%s' is not in zone '%s' itself, so this zone cannot route it",
		                 point_word(*out), name, r->b.current->id);
	return 0;
}

static int gateway_read(const struct reader *r, const struct xml *x, const char *attr,
                        struct point zone, struct point *out, struct err *err)
{
	const struct platform *p = r->b.p;
	if (point_read(r, x, attr, out, err) < 0)
		return -1;
	const char *name = xml_get(x, attr);
	if (point_kind(*out) == POINT_ZONE)
		return xml_error(x, xml_place_of(x, attr), err,
		                 "%s='%s' is a zone; a gateway is a host or a router", attr, name);
	const struct zone *z = p->zones[point_index(zone)];
	if (!zone_contains(p, z, *out))
		return xml_error(x, xml_place_of(x, attr), err,
		                 "gateway %s='%s' is in zone '%s', not inside '%s'", attr, name,
		                 point_zone(p, *out)->id, z->id);
	return 0;
}

static int begin(struct reader *r, const struct xml *x, struct err *err)
{
	const struct zone *z = r->b.current;
	if (!z->kind->declare)
		return xml_error(x, xml_place(x), err,
		                 "zone '%s' has routing %s, which computes its routes: <%s> does "
		                 "not belong there",
		                 z->id, z->kind->name, xml_tag(x));
	r->route = (struct declared){.at = xml_place(x)};
	r->route.symmetrical = xml_get(x, "symmetrical")[0] == 'Y' ||
	                       xml_get(x, "symmetrical")[0] == 'y';
	r->ctn_n = 0;
	return 0;
}

/* Of a route between points of its zone, which are their own gateways. */
static int ends_read(struct reader *r, struct xml *x, struct err *err)
{
	struct hop *h = &r->route.hop;
	if (end_read(r, x, "src", 0, &h->src, err) < 0 ||
	    end_read(r, x, "dst", 0, &h->dst, err) < 0)
		return -1;
	h->gw_src = h->src;
	h->gw_dst = h->dst;
	return 0;
}

int read_route(struct reader *r, struct xml *x, struct err *err)
{
	return begin(r, x, err) < 0 ? -1 : ends_read(r, x, err);
}

int read_zone_route(struct reader *r, struct xml *x, struct err *err)
{
	struct hop *h = &r->route.hop;
	if (begin(r, x, err) < 0 || end_read(r, x, "src", 1, &h->src, err) < 0 ||
	    end_read(r, x, "dst", 1, &h->dst, err) < 0 ||
	    gateway_read(r, x, "gw_src", h->src, &h->gw_src, err) < 0 ||
	    gateway_read(r, x, "gw_dst", h->dst, &h->gw_dst, err) < 0)
		return -1;
	if (point_same(h->gw_src, h->gw_dst))
		return xml_error(x, xml_place_of(x, "gw_dst"), err, "both gateways are '%s'",
		                 xml_get(x, "gw_dst"));
	return 0;
}

static int ctn_refuse(const struct reader *r, const struct xml *x, int split, struct err *err)
{
	const char *name = xml_get(x, "id");
	if (!split && link_find_pair(r->b.p, name).v != NONE32)
		return xml_error(
		    x, xml_place_of(x, "id"), err,
		    "link '%s' is split in two directions: add direction=\"UP\" or \"DOWN\"", name);
	if (split && link_find(r->b.p, name).v != NONE32)
		return xml_error(
		    x, xml_place_of(x, "direction"), err,
		    "link '%s' is not split (sharing_policy SPLITDUPLEX): it takes no direction",
		    name);
	return xml_error(x, xml_place_of(x, "id"), err, "no link is named '%s' so far", name);
}

int read_link_ctn(struct reader *r, struct xml *x, struct err *err)
{
	const char *direction = xml_get(x, "direction");
	int split = strcmp(direction, "NONE") != 0;
	struct link_id up = split ? link_find_pair(r->b.p, xml_get(x, "id"))
	                          : link_find(r->b.p, xml_get(x, "id"));
	if (up.v == NONE32)
		return ctn_refuse(r, x, split, err);
	struct ctn *grown = vec_grow(r->ctn, &r->ctn_cap, sizeof *grown, (size_t)r->ctn_n + 1,
	                             "links of a route", err);
	if (!grown)
		return -1;
	r->ctn = grown;
	struct ctn c = {up, up};
	if (split) {
		struct link_id down = {up.v + 1};
		c = *direction == 'U' ? (struct ctn){up, down} : (struct ctn){down, up};
	}
	r->ctn[r->ctn_n++] = c;
	return 0;
}

/* Stores the links of one way. */
static int hop_store(struct reader *r, struct hop *h, int back, struct err *err)
{
	struct platform *p = r->b.p;
	struct link_id *grown = vec_grow(p->hop_links, &p->hop_links_cap, sizeof *grown,
	                                 (size_t)p->hop_links_n + r->ctn_n, "links of routes", err);
	if (!grown)
		return -1;
	p->hop_links = grown;
	h->first = p->hop_links_n;
	h->n = r->ctn_n;
	h->latency = 0;
	for (uint32_t i = 0; i < r->ctn_n; i++) {
		struct link_info info;
		struct link_id l = back ? r->ctn[r->ctn_n - 1 - i].back : r->ctn[i].there;
		p->hop_links[p->hop_links_n++] = l;
		platform_link(p, l, &info);
		h->latency += info.latency;
	}
	return 0;
}

int read_route_end(struct reader *r, struct xml *x, struct err *err)
{
	struct declared *d = &r->route;
	struct zone *z = r->b.current;
	if (!r->ctn_n)
		return xml_error(x, d->at, err, "empty route: <%s> needs at least one <link_ctn>",
		                 xml_tag(x));
	if (hop_store(r, &d->hop, 0, err) < 0)
		return -1;
	if (d->symmetrical) {
		d->back = (struct hop){d->hop.dst, d->hop.src, d->hop.gw_dst, d->hop.gw_src, 0,
		                       0,          0};
		if (hop_store(r, &d->back, 1, err) < 0)
			return -1;
	}
	return z->kind->declare(&r->b, z, d, err);
}

/* --- bypasses: ways that replace the composed one; never symmetrical --- */

static int bypass_begin(struct reader *r, const struct xml *x)
{
	r->route = (struct declared){.at = xml_place(x)};
	r->ctn_n = 0;
	return 0;
}

int read_bypass_route(struct reader *r, struct xml *x, struct err *err)
{
	return bypass_begin(r, x) < 0 ? -1 : ends_read(r, x, err);
}

/* A zone inside the current one, at any depth. */
static int inner_zone_read(const struct reader *r, const struct xml *x, const char *attr,
                           struct point *out, struct err *err)
{
	if (point_read(r, x, attr, out, err) < 0)
		return -1;
	if (point_kind(*out) != POINT_ZONE || !zone_contains(r->b.p, r->b.current, *out))
		return xml_error(x, xml_place_of(x, attr), err,
		                 "%s='%s' of <%s> is not a zone inside zone '%s'", attr,
		                 xml_get(x, attr), xml_tag(x), r->b.current->id);
	return 0;
}

int read_bypass_zone_route(struct reader *r, struct xml *x, struct err *err)
{
	struct hop *h = &r->route.hop;
	if (bypass_begin(r, x) < 0 || inner_zone_read(r, x, "src", &h->src, err) < 0 ||
	    inner_zone_read(r, x, "dst", &h->dst, err) < 0)
		return -1;
	if (gateway_read(r, x, "gw_src", h->src, &h->gw_src, err) < 0)
		return -1;
	return gateway_read(r, x, "gw_dst", h->dst, &h->gw_dst, err);
}

int read_bypass_end(struct reader *r, struct xml *x, struct err *err)
{
	struct zone *z = r->b.current;
	if (!r->ctn_n)
		return xml_error(x, r->route.at, err,
		                 "empty route: <%s> needs at least one <link_ctn>", xml_tag(x));
	if (hop_store(r, &r->route.hop, 0, err) < 0)
		return -1;
	if (!z->bypass) {
		struct hop_table *t = arena_alloc(&r->b.p->arena, sizeof *t, err);
		if (!t)
			return -1;
		hop_table_init(t);
		z->bypass = t;
	}
	return hop_table_declare(z->bypass, &r->b, &r->route, err);
}
