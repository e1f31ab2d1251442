/* zone_flat.c: <cluster topology="FLAT">: hosts around one point, each with its own links, and a
 * backbone or none.
 *
 * For each host, in this order: a loopback link (if asked for), a limiter that both directions
 * share (if asked for), and its private link, one or an UP and a DOWN. The backbone is the last
 * link of the zone. So a host's links are `stride` consecutive ids and nothing is stored per host:
 *
 *     a -> b:  limiter_a, UP_a, backbone, DOWN_b, limiter_b        a -> router:  limiter_a, UP_a,
 *              backbone
 *
 * A link occurs once in a way even if both halves name it (the backbone; a's own links in a -> a):
 * SimGrid's rule for star zones. Without a loopback link, a -> a crosses the private link. */
#include "platform/cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flat {
	struct cluster_spec spec;
	struct point router;
	uint32_t stride, hosts, backbone; /* backbone: offset, or NONE32 */
	uint32_t limiter, private;        /* offset in a host's stride; NONE32 if there is none */
	int loopback;
};

static struct flat flat_layout(const struct cluster_spec *s, struct point router, uint32_t hosts)
{
	struct flat f = {
	    .spec = *s, .router = router, .hosts = hosts, .limiter = NONE32, .backbone = NONE32};
	f.loopback = s->loopback_bw > 0;
	f.stride = (uint32_t)f.loopback;
	if (s->limiter > 0)
		f.limiter = f.stride++;
	f.private = f.stride;
	f.stride += s->split ? 2 : 1;
	if (s->bb_bw > 0)
		f.backbone = hosts * f.stride;
	return f;
}

int flat_make(struct build *b, struct zone *z, const struct cluster_spec *s, struct point router,
              struct err *err)
{
	const struct host_block *hosts = &b->p->host_blocks[b->p->host_blocks_n - 1];
	struct flat *f = arena_alloc(&b->p->arena, sizeof *f, err);
	if (!f)
		return -1;
	*f = flat_layout(s, router, hosts->n);
	z->self = f;
	return link_add_block(b, z, (uint64_t)hosts->n * f->stride + (f->backbone != NONE32), err);
}

static int push(struct walk *w, const struct zone *z, uint32_t offset, double latency)
{
	return walk_push(w, z->first_link + offset, latency);
}

/* A host to itself: its loopback link, or its own links once each. */
static int walk_self(struct walk *w, const struct zone *z, uint32_t base)
{
	const struct flat *f = z->self;
	if (f->loopback)
		return push(w, z, base, f->spec.loopback_lat);
	if (f->limiter != NONE32 && push(w, z, base + f->limiter, 0) < 0)
		return -1;
	if (push(w, z, base + f->private, f->spec.lat) < 0)
		return -1;
	if (f->backbone != NONE32 && push(w, z, f->backbone, f->spec.bb_lat) < 0)
		return -1;
	return f->spec.split ? push(w, z, base + f->private + 1, f->spec.lat) : 0;
}

static int walk_up(struct walk *w, const struct zone *z, uint32_t base)
{
	const struct flat *f = z->self;
	if (f->limiter != NONE32 && push(w, z, base + f->limiter, 0) < 0)
		return -1;
	return push(w, z, base + f->private, f->spec.lat);
}

static int walk_down(struct walk *w, const struct zone *z, uint32_t base)
{
	const struct flat *f = z->self;
	if (push(w, z, base + f->private + (f->spec.split ? 1 : 0), f->spec.lat) < 0)
		return -1;
	return f->limiter == NONE32 ? 0 : push(w, z, base + f->limiter, 0);
}

static uint32_t base_of(const struct zone *z, struct point host)
{
	return (point_index(host) - z->first_host) * ((const struct flat *)z->self)->stride;
}

static int flat_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct flat *f = z->self;
	int from_host = point_kind(e->a) == POINT_HOST, to_host = point_kind(e->b) == POINT_HOST;
	if (from_host && point_same(e->a, e->b))
		return walk_self(w, z, base_of(z, e->a));
	if (from_host && walk_up(w, z, base_of(z, e->a)) < 0)
		return -1;
	if ((from_host || to_host) && f->backbone != NONE32 &&
	    push(w, z, f->backbone, f->spec.bb_lat) < 0)
		return -1;
	return to_host ? walk_down(w, z, base_of(z, e->b)) : 0;
}

static void flat_link(const struct platform *p, const struct zone *z, uint32_t offset,
                      struct link_info *out)
{
	const struct flat *f = z->self;
	uint32_t role = offset % f->stride;
	(void)p;
	if (offset == f->backbone)
		*out = (struct link_info){f->spec.bb_bw, f->spec.bb_lat, f->spec.bb_policy};
	else if (f->loopback && role == 0)
		*out = (struct link_info){f->spec.loopback_bw, f->spec.loopback_lat, LINK_FATPIPE};
	else if (role == f->limiter)
		*out = (struct link_info){f->spec.limiter, 0, LINK_SHARED};
	else
		*out = (struct link_info){f->spec.bw, f->spec.lat,
		                          f->spec.split ? LINK_SHARED : f->spec.policy};
}

static const char *role_suffix(const struct flat *f, uint32_t role)
{
	if (f->loopback && role == 0)
		return "_loopback";
	if (role == f->limiter)
		return "_limiter";
	if (!f->spec.split)
		return "";
	return role == f->private ? "_UP" : "_DOWN";
}

static void flat_link_name(const struct platform *p, const struct zone *z, uint32_t offset,
                           char *buf, size_t n)
{
	const struct flat *f = z->self;
	if (offset == f->backbone) {
		snprintf(buf, n, "%s_backbone", z->id);
		return;
	}
	const struct host_block *hosts = host_block_of(p, z->first_host);
	snprintf(buf, n, "%s_link_%u%s", z->id, radical_number(&hosts->radical, offset / f->stride),
	         role_suffix(f, offset % f->stride));
}

/* Takes "<id>_link_<number><role>" apart. The host's name, which the number gives, leads to its
 * rank. The number is written as link_name writes it: without zeros before it. */
static uint32_t host_link_find(const struct platform *p, const struct zone *z, const char *rest,
                               int pair)
{
	const struct flat *f = z->self;
	size_t digits = strspn(rest, "0123456789");
	int64_t number;
	if (!digits || digits > 10 || (digits > 1 && rest[0] == '0') ||
	    num_parse_i64(rest, digits, &number) < 0)
		return NONE32;
	uint32_t host = cluster_host_numbered(p, z, number);
	if (host == NONE32)
		return NONE32;
	uint32_t base = host * f->stride;
	if (pair)
		return f->spec.split && !rest[digits] ? base + f->private : NONE32;
	for (uint32_t role = 0; role < f->stride; role++)
		if (strcmp(rest + digits, role_suffix(f, role)) == 0)
			return base + role;
	return NONE32;
}

static uint32_t flat_link_find(const struct platform *p, const struct zone *z, const char *name,
                               int pair)
{
	const struct flat *f = z->self;
	size_t n = strlen(z->id);
	if (!f || strncmp(name, z->id, n) != 0)
		return NONE32;
	if (!pair && strcmp(name + n, "_backbone") == 0)
		return f->backbone;
	return strncmp(name + n, "_link_", 6) == 0 ? host_link_find(p, z, name + n + 6, pair)
	                                           : NONE32;
}

static const char *flat_quirk(const struct platform *p, const struct zone *z, int i)
{
	const struct flat *f = z->self;
	(void)p;
	return i == 0 ? cluster_quirk(&f->spec) : NULL;
}

const struct zone_kind zone_flat = {
    .name = "flat cluster",
    .describe = "hosts around one switch, with an optional backbone",
    .walk = flat_walk,
    .link = flat_link,
    .link_name = flat_link_name,
    .link_find = flat_link_find,
    .quirk = flat_quirk,
};
