/* zone_torus.c: <cluster topology="TORUS">: a grid of hosts that wraps in each of its dimensions,
 * "4,4,2" for example.
 *
 * Host r has the coordinate (r / (d0 … d(k-1))) mod dk in dimension k: the first dimension varies
 * fastest. It owns one cable per dimension, towards its next neighbour (UP that way, DOWN the
 * other). A message goes through the dimensions in order, each the shorter way round; when both are
 * as long, by the rule of SimGrid (goes_up). At each host it leaves it crosses that host's limiter,
 * and at the end the destination's.
 *
 * A host to itself takes its loopback link, or else the global one; quirk: SimGrid has then no way
 * (or only the limiter). */
#include "platform/cluster.h"

#include <stdio.h>
#include <string.h>

enum { DIMS_MAX = 32 };

struct torus {
	struct cluster_spec spec;
	struct leaf leaf;
	uint32_t stride; /* links per host: its own, then its cables */
	uint32_t dims, dim[DIMS_MAX];
};

static int torus_parse(struct arena *a, const char *text, int compat, void **self, uint32_t *hosts,
                       struct err *err)
{
	struct torus *t = arena_alloc(a, sizeof *t, err);
	(void)compat;
	if (!t)
		return -1;
	int n = numbers_parse(&text, ',', 0, t->dim, DIMS_MAX, err);
	if (n < 0)
		return -1;
	t->dims = (uint32_t)n;
	uint64_t count = 1;
	for (uint32_t k = 0; k < t->dims; k++)
		if ((count *= t->dim[k]) > HOSTS_MAX)
			return err_set(err, ERR_INPUT, "more than %d hosts", HOSTS_MAX);
	*hosts = (uint32_t)count;
	*self = t;
	return 0;
}

static int torus_make(struct build *b, struct zone *z, const struct cluster_spec *s,
                      struct err *err)
{
	struct torus *t = z->self;
	t->spec = *s;
	t->leaf = leaf_layout(s);
	t->stride = t->leaf.n + t->dims * cable_links(s);
	return link_add_block(
	    b, z, (uint64_t)b->p->host_blocks[b->p->host_blocks_n - 1].n * t->stride, err);
}

/* Whether the way from s to d in a dimension of size n goes up. */
static int goes_up(uint32_t s, uint32_t d, uint32_t n)
{
	if (d > s && d <= s + n / 2)
		return 1;
	return s > n / 2 && (s + n / 2) % n >= d;
}

static int push_limiter(struct walk *w, const struct zone *z, uint32_t host)
{
	const struct torus *t = z->self;
	return t->leaf.limiter == NONE32
	           ? 0
	           : walk_push(w, z->first_link + host * t->stride + t->leaf.limiter, 0);
}

/* The cables of n steps along a dimension, from coordinate c on: a place's cable is `apart` links
 * behind that of the place before. Hosts without a limiter have nothing else on the way, and there
 * is room. Where the way wraps it goes on at the other end. */
static void push_cables(struct walk *w, uint32_t first, uint32_t apart, uint32_t size, uint32_t c,
                        uint32_t n, int up, double lat)
{
	struct route *r = w->r;
	struct link_id *l = r->links + r->n;
	double latency = r->latency;
	uint32_t until = up ? size - c : c; /* steps before it wraps */
	uint32_t at = first + (up ? c : c - 1) * apart, by = up ? apart : 0 - apart;

	for (uint32_t i = 0; i < n; i++, at += by) {
		if (i == until)
			at = first + (up ? 0 : size - 1) * apart;
		l[i] = (struct link_id){at};
		latency += lat; /* one by one, as elsewhere: a product may round otherwise */
	}
	r->n += n;
	r->latency = latency;
}

/* Walks along dimension k, whose neighbours are `step` ranks apart, from c to d; zero: the rank at
 * 0 there. A cable belongs to the rank at its lower end; the second of two goes down. */
static int walk_dimension(struct walk *w, const struct zone *z, uint32_t k, uint32_t step,
                          uint32_t zero, uint32_t c, uint32_t d)
{
	const struct torus *t = z->self;
	uint32_t n = t->dim[k], each = cable_links(&t->spec);
	int up = goes_up(c, d, n);
	uint32_t cables = z->first_link + t->leaf.n + k * each + (each == 2 && !up);
	uint32_t steps = up ? (d > c ? 0 : n) + d - c : (c > d ? 0 : n) + c - d;
	if (t->leaf.limiter == NONE32 && walk_has_room(w, steps)) {
		push_cables(w, cables + zero * t->stride, step * t->stride, n, c, steps, up,
		            t->spec.lat);
		return 0;
	}
	while (c != d) {
		if (t->leaf.limiter != NONE32 && push_limiter(w, z, zero + c * step) < 0)
			return -1;
		if (!up)
			c = (c ? c : n) - 1;
		if (walk_push(w, cables + (zero + c * step) * t->stride, t->spec.lat) < 0)
			return -1;
		if (up)
			c = c + 1 == n ? 0 : c + 1;
	}
	return 0;
}

static int walk_self(struct walk *w, const struct zone *z, const struct ends *e, uint32_t host)
{
	const struct torus *t = z->self;
	if (t->leaf.loopback != NONE32)
		return walk_push(w, z->first_link + host * t->stride + t->leaf.loopback,
		                 t->spec.loopback_lat);
	if (!w->p->compat)
		return walk_loopback(w);
	if (t->leaf.limiter != NONE32)
		return push_limiter(w, z, host);
	return w->r->n > 0 || w->mark > 0 ? 0 : walk_missing(w, z, e); /* 0: of a longer way */
}

static int torus_walk(struct walk *w, const struct zone *z, const struct ends *e)
{
	const struct torus *t = z->self;
	uint32_t at = point_index(e->a) - z->first_host, dst = point_index(e->b) - z->first_host,
	         step = 1, a = at, b = dst; /* a, b: in the dimensions that are left */
	if (at == dst)
		return walk_self(w, z, e, at);
	for (uint32_t k = 0; a != b; k++) {
		uint32_t n = t->dim[k], c = a % n, d = b % n;
		if (c != d && walk_dimension(w, z, k, step, at - c * step, c, d) < 0)
			return -1;
		at += (d - c) * step;
		a /= n;
		b /= n;
		step *= n;
	}
	return push_limiter(w, z, dst);
}

static void torus_link(const struct platform *p, const struct zone *z, uint32_t offset,
                       struct link_info *out)
{
	const struct torus *t = z->self;
	(void)p;
	if (offset % t->stride < t->leaf.n)
		leaf_link(&t->spec, &t->leaf, offset % t->stride, out);
	else
		cable_link(&t->spec, out);
}

static uint32_t neighbour(const struct torus *t, uint32_t host, uint32_t k)
{
	uint32_t step = 1;
	for (uint32_t i = 0; i < k; i++)
		step *= t->dim[i];
	uint32_t c = host / step % t->dim[k];
	return host - c * step + (c + 1) % t->dim[k] * step;
}

static void torus_link_name(const struct platform *p, const struct zone *z, uint32_t offset,
                            char *buf, size_t n)
{
	const struct torus *t = z->self;
	uint32_t host = offset / t->stride, role = offset % t->stride;
	if (role < t->leaf.n) {
		leaf_link_name(p, z, &t->leaf, host, role, buf, n);
		return;
	}
	uint32_t each = cable_links(&t->spec), k = (role - t->leaf.n) / each;
	snprintf(buf, n, "%s_link_from_%u_to_%u%s", z->id, host, neighbour(t, host, k),
	         cable_suffix(&t->spec, (role - t->leaf.n) % each));
}

static uint32_t torus_link_find(const struct platform *p, const struct zone *z, const char *name,
                                int pair)
{
	const struct torus *t = z->self;
	size_t n = strlen(z->id);
	if (!z->links || strncmp(name, z->id, n) != 0)
		return NONE32;
	if (strncmp(name + n, "_link_from_", 11) != 0)
		return pair ? NONE32 : leaf_link_find(p, z, &t->leaf, t->stride, name);
	int64_t host;
	size_t digits = strspn(name + n + 11, "0123456789");
	if (!digits || digits > 9 || num_parse_i64(name + n + 11, digits, &host) < 0)
		return NONE32;
	uint32_t found = NONE32;
	for (uint32_t role = t->leaf.n; role < t->stride && found == NONE32; role++)
		found = link_named(p, z, (uint64_t)host * t->stride + role, name, pair);
	return found;
}

static const char *torus_quirk(const struct platform *p, const struct zone *z, int i)
{
	const struct torus *t = z->self;
	const char *what[3] = {cluster_quirk(&t->spec)};
	(void)p;
	if (t->leaf.loopback == NONE32)
		what[what[0] ? 1 : 0] = "a host sends to itself by the global loopback link; "
		                        "SimGrid has no way, or only the limiter";
	return what[i];
}

const struct zone_kind zone_torus = {
    .name = "torus",
    .describe = "a grid that wraps, routed through its dimensions in order",
    .walk = torus_walk,
    .link = torus_link,
    .link_name = torus_link_name,
    .link_find = torus_link_find,
    .quirk = torus_quirk,
};

const struct topology topology_torus = {"TORUS", &zone_torus, torus_parse, torus_make};
