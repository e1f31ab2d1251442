/* prop_defined.c: fat trees and dragonflies built node by node as their definitions say, with
 * every cable in a list, and walked by looking through that list: the platform, which stores no
 * node, has the same links in the same order for every pair of hosts.
 *
 * Fat tree: a parallel-ports generalised fat tree and its D-Mod-K routing, E. Zahavi, CCIT report
 * 776 (2010), §2 and §3: nodes of level l are tuples; x of level l and y of level l + 1 are joined
 * iff they agree in all digits but digit l. Dragonfly: J. Kim et al., ISCA 2008, minimal routing,
 * in the arrangement that zone_dragonfly.c and SimGrid document. */
#include "property/prop.h"
#include "unit/platform/lib.h"

#include <inttypes.h>

enum { LEVELS_MOST = 3, NODES_MOST = 600, CABLES_MOST = 6000, ROUTE_MOST = 64, NAME = 128 };

struct route_names {
	char link[ROUTE_MOST][NAME];
	int n;
};

static void route_check(const struct platform *p, uint32_t a, uint32_t b,
                        const struct route_names *want, const char *shape)
{
	struct route r;
	struct err err;
	char name[NAME];

	route_init(&r);
	assert_ok(route_find(p, (struct host_id){a}, (struct host_id){b}, &r, &err), err);
	for (uint32_t i = 0; i < r.n; i++) {
		platform_link_name(p, r.links[i], name, sizeof name);
		if ((int)i >= want->n || strcmp(name, want->link[i]) != 0)
			fail_msg("%s: %u to %u: link %u is %s, not %s", shape, a, b, i, name,
			         (int)i < want->n ? want->link[i] : "(end)");
	}
	assert_int_equal(r.n, want->n);
	assert_close(r.latency, (double)want->n, 1e-12); /* of 1 s each */
	route_release(&r);
}

static void platform_of(struct fixture *f, const char *topology, const char *shape, uint32_t hosts)
{
	struct str s;

	str_init(&s);
	str_printf(&s,
	           "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-%u' "
	           "speed='1f' bw='1' lat='1' topology='%s' topo_parameters='%s'/></platform>",
	           hosts - 1, topology, shape);
	fixture_must_read(f, s.s, NULL);
	assert_int_equal(platform_host_count(f->p), hosts);
	str_release(&s);
}

/* --- fat trees --- */

struct tree {
	int levels, m[LEVELS_MOST], w[LEVELS_MOST], p[LEVELS_MOST];
	struct node {
		int level, digit[LEVELS_MOST], number; /* number: in names */
	} node[NODES_MOST];
	struct cable {
		int child, parent, copy;
	} cable[CABLES_MOST];
	int nodes, cables, hosts;
};

static int digit_base(const struct tree *t, int level, int digit)
{
	return digit < level ? t->w[digit] : t->m[digit];
}

static int level_size(const struct tree *t, int level)
{
	int n = 1;

	for (int i = 0; i < t->levels; i++)
		n *= digit_base(t, level, i);
	return n;
}

static int are_joined(const struct tree *t, const struct node *x, const struct node *y)
{
	if (y->level != x->level + 1)
		return 0;
	for (int i = 0; i < t->levels; i++)
		if (i != x->level && x->digit[i] != y->digit[i])
			return 0;
	return 1;
}

static void tree_build(struct tree *t)
{
	t->nodes = t->cables = 0;
	t->hosts = level_size(t, 0);
	for (int level = 0; level <= t->levels; level++)
		for (int i = 0, n = level_size(t, level); i < n; i++) {
			struct node *x = &t->node[t->nodes++];

			assert_true(t->nodes < NODES_MOST);
			x->level = level;
			for (int k = 0, rest = i; k < t->levels; k++) {
				x->digit[k] = rest % digit_base(t, level, k);
				rest /= digit_base(t, level, k);
			}
			x->number = level ? 2 * t->hosts - 1 - (t->nodes - 1 - t->hosts) : i;
		}
	for (int x = 0; x < t->nodes; x++)
		for (int y = x + 1; y < t->nodes; y++)
			for (int c = 0;
			     are_joined(t, &t->node[x], &t->node[y]) && c < t->p[t->node[x].level];
			     c++) {
				t->cable[t->cables++] = (struct cable){x, y, c};
				assert_true(t->cables < CABLES_MOST);
			}
}

/* All hosts below a node of level l share its digits from l on. */
static int is_above(const struct tree *t, int x, int host)
{
	for (int i = t->node[x].level; i < t->levels; i++)
		if (t->node[x].digit[i] != t->node[host].digit[i])
			return 0;
	return 1;
}

static void cable_add(const struct tree *t, int child, int parent, int copy, const char *way,
                      struct route_names *out)
{
	for (int i = 0; i < t->cables; i++) {
		if (t->cable[i].child != child || t->cable[i].parent != parent ||
		    t->cable[i].copy != copy)
			continue;
		snprintf(out->link[out->n++], NAME, "link_from_%d_%d_%d_%s", t->node[child].number,
		         t->node[parent].number, i, way);
		return;
	}
	fail_msg("no cable from %d to %d", child, parent);
}

/* The parent of x whose digit of x's level is d. */
static int parent_with(const struct tree *t, int x, int d)
{
	for (int y = x + 1; y < t->nodes; y++)
		if (are_joined(t, &t->node[x], &t->node[y]) &&
		    t->node[y].digit[t->node[x].level] == d)
			return y;
	return -1;
}

static int child_above(const struct tree *t, int y, int host)
{
	for (int x = 0; x < y; x++)
		if (are_joined(t, &t->node[x], &t->node[y]) && is_above(t, x, host))
			return x;
	return -1;
}

static void tree_walk(const struct tree *t, int src, int dst, struct route_names *out)
{
	int at = src;

	out->n = 0;
	do { /* up: port floor(dst / (w1 … wl)) mod (w(l+1) p(l+1)) */
		int l = t->node[at].level, below = 1, port, up;

		for (int i = 0; i < l; i++)
			below *= t->w[i];
		port = dst / below % (t->w[l] * t->p[l]);
		up = parent_with(t, at, port % t->w[l]);
		cable_add(t, at, up, port / t->w[l], "UP", out);
		at = up;
	} while (!is_above(t, at, dst));
	while (t->node[at].level > 0) {
		int down = child_above(t, at, dst);

		cable_add(t, down, at, src % t->p[t->node[down].level], "DOWN", out);
		at = down;
	}
	assert_int_equal(at, dst);
}

static void shape_list(struct str *s, const int *v, int n, const char *end)
{
	for (int i = 0; i < n; i++)
		str_printf(s, "%d%s", v[i], i + 1 < n ? "," : end);
}

static void fat_trees(void **state)
{
	struct prop_run prop = prop_begin(60);
	static struct tree t;

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		static struct route_names want;
		struct fixture f;
		struct str shape;
		struct rng r;

		rng_init(&r, prop.seed + i, "trees", 0);
		t.levels = (int)prop_from(&r, 1, LEVELS_MOST);
		for (int k = 0; k < t.levels; k++) {
			t.m[k] = (int)prop_from(&r, 1, 4);
			t.w[k] = (int)prop_from(&r, 1, 3);
			t.p[k] = (int)prop_from(&r, 1, 2);
		}
		tree_build(&t);
		str_init(&shape);
		str_printf(&shape, "%d;", t.levels);
		shape_list(&shape, t.m, t.levels, ";");
		shape_list(&shape, t.w, t.levels, ";");
		shape_list(&shape, t.p, t.levels, "");
		platform_of(&f, "FAT_TREE", shape.s, (uint32_t)t.hosts);
		assert_int_equal(platform_link_count(f.p), 1 + 2 * t.cables);
		for (int k = 0; k < 150; k++) {
			uint32_t a = prop_from(&r, 0, (uint32_t)t.hosts - 1),
			         b = prop_from(&r, 0, (uint32_t)t.hosts - 1);

			tree_walk(&t, (int)a, (int)b, &want);
			route_check(f.p, a, b, &want, shape.s);
		}
		fixture_release(&f);
		str_release(&shape);
	}
}

/* --- dragonflies --- */

/* Routers with their place; cables between two of them, or a router and a host. */
struct fly {
	int groups, chassis, blades, hosts_each;
	struct wire {
		int a, b; /* routers; of a local one: router and host */
		int local;
		char name[NAME];
	} wire[CABLES_MOST];
	int wires;
};

static int router(const struct fly *d, int group, int chassis, int blade)
{
	return (group * d->chassis + chassis) * d->blades + blade;
}

static void wire_add(struct fly *d, int a, int b, int local, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
static void wire_add(struct fly *d, int a, int b, int local, const char *fmt, ...)
{
	struct wire *w = &d->wire[d->wires];
	va_list ap;
	size_t n;

	assert_true(d->wires < CABLES_MOST);
	*w = (struct wire){.a = a, .b = b, .local = local};
	va_start(ap, fmt);
	vsnprintf(w->name, NAME, fmt, ap);
	va_end(ap);
	n = strlen(w->name);
	snprintf(w->name + n, NAME - n, "_%d", d->wires++);
}

/* The router of group g that has the cable to group h: number h of the group, from the first again
 * when there are fewer. */
static int blue_router(const struct fly *d, int g, int h)
{
	return g * d->chassis * d->blades + h % (d->chassis * d->blades);
}

static void fly_build(struct fly *d)
{
	int routers = d->groups * d->chassis * d->blades;

	d->wires = 0;
	for (int x = 0; x < routers; x++)
		for (int n = 0; n < d->hosts_each; n++)
			wire_add(d, x, x * d->hosts_each + n, 1,
			         "local_link_from_router_%d_to_node_%d", x, n);
	for (int g = 0; g < d->groups; g++)
		for (int c = 0; c < d->chassis; c++)
			for (int i = 0; i < d->blades; i++)
				for (int j = i + 1; j < d->blades; j++)
					wire_add(d, router(d, g, c, i), router(d, g, c, j), 0,
					         "green_link_in_chassis_%d_between_routers_%d_and_"
					         "%d",
					         c, i, j);
	for (int g = 0; g < d->groups; g++)
		for (int i = 0; i < d->chassis; i++)
			for (int j = i + 1; j < d->chassis; j++)
				for (int b = 0; b < d->blades; b++)
					wire_add(d, router(d, g, i, b), router(d, g, j, b), 0,
					         "black_link_in_group_%d_between_chassis_%d_and_%d_"
					         "blade_%d",
					         g, i, j, b);
	for (int g = 0; g < d->groups; g++)
		for (int h = g + 1; h < d->groups; h++)
			wire_add(d, blue_router(d, g, h), blue_router(d, h, g), 0,
			         "blue_link_between_group_%d_and_%d_routers_%d_and_%d", g, h,
			         blue_router(d, g, h), blue_router(d, h, g));
}

static void wire_walk(const struct fly *d, int from, int to, int local, struct route_names *out)
{
	for (int i = 0; i < d->wires; i++) {
		const struct wire *w = &d->wire[i];
		int up = w->a == from && w->b == to, down = w->a == to && w->b == from;

		if (w->local != local || !(up || down))
			continue;
		snprintf(out->link[out->n++], NAME, "%.100s_%s", w->name, up ? "UP" : "DOWN");
		return;
	}
	fail_msg("no wire between %d and %d", from, to);
}

/* In a group: first along the chassis to the blade, then to the chassis. */
static int group_walk(const struct fly *d, int from, int to, struct route_names *out)
{
	int turn = from - from % d->blades + to % d->blades;

	if (from != turn)
		wire_walk(d, from, turn, 0, out);
	if (turn != to)
		wire_walk(d, turn, to, 0, out);
	return to;
}

static void local_walk(const struct fly *d, int host, int is_up, struct route_names *out)
{
	snprintf(out->link[out->n++], NAME, "%.100s_%s", d->wire[host].name, is_up ? "UP" : "DOWN");
}

static void fly_walk(const struct fly *d, int src, int dst, struct route_names *out)
{
	int in_group = d->chassis * d->blades, at = src / d->hosts_each, to = dst / d->hosts_each;
	int g = at / in_group, h = to / in_group;

	out->n = 0;
	local_walk(d, src, 1, out);
	if (g != h) {
		at = group_walk(d, at, blue_router(d, g, h), out);
		wire_walk(d, at, blue_router(d, h, g), 0, out);
		at = blue_router(d, h, g);
	}
	group_walk(d, at, to, out);
	local_walk(d, dst, 0, out);
}

static void dragonflies(void **state)
{
	struct prop_run prop = prop_begin(60);
	static struct fly d;

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		static struct route_names want;
		char shape[64];
		struct fixture f;
		struct rng r;
		uint32_t hosts;

		rng_init(&r, prop.seed + i, "flies", 0);
		d = (struct fly){.groups = (int)prop_from(&r, 1, 6),
		                 .chassis = (int)prop_from(&r, 1, 3),
		                 .blades = (int)prop_from(&r, 1, 4),
		                 .hosts_each = (int)prop_from(&r, 1, 3)};
		hosts = (uint32_t)(d.groups * d.chassis * d.blades * d.hosts_each);
		fly_build(&d);
		snprintf(shape, sizeof shape, "%d,1;%d,1;%d,1;%d", d.groups, d.chassis, d.blades,
		         d.hosts_each);
		platform_of(&f, "DRAGONFLY", shape, hosts);
		assert_int_equal(platform_link_count(f.p), 1 + 2 * d.wires);
		for (int k = 0; k < 200; k++) {
			uint32_t a = prop_from(&r, 0, hosts - 1), b = prop_from(&r, 0, hosts - 1);

			fly_walk(&d, (int)a, (int)b, &want);
			route_check(f.p, a, b, &want, shape);
		}
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(fat_trees),
	    cmocka_unit_test(dragonflies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
