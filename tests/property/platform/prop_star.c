/* prop_star.c: random stars beside the table that they are written from.
 *   Cluster zones of cabinets and of hosts with links of their own, which may be one for several,
 *   or one for both ways, or the backbone: up, backbone, down, each link once, the first time;
 *   Vivaldi zones of peers, plain hosts and child zones behind a router: the latency is
 *   sqrt(dx^2 + dy^2) + |z| + |z'| in ms, and that of the way inside a child zone. */
#include "property/prop.h"
#include "unit/platform/lib.h"

#include <math.h>

enum { SPOKES_MOST = 24, NAME = 40, LINKS = 5 };

/* A host; up, down: names of links, empty for none. */
struct spoke {
	char name[NAME], up[NAME], down[NAME];
	double up_lat, down_lat;
	double x, y, z; /* Vivaldi */
	double inside;  /* latency of its link to the router of a child zone of its own; 0: none */
};

struct star {
	struct spoke spoke[SPOKES_MOST];
	uint32_t n;
	int backbone;
	struct str text;
};

static uint64_t seed_now;

/* --- Cluster --- */

static void cabinet_put(struct star *s, struct rng *r, uint32_t number)
{
	uint32_t n = prop_from(r, 1, 4), first = prop_from(r, 0, 9), lat = prop_from(r, 0, 9);

	str_printf(&s->text,
	           "<cabinet id='c%u' prefix='c%u-' suffix='.x' radical='%u-%u' speed='1f' bw='1' "
	           "lat='%us'/>",
	           number, number, first, first + n - 1, lat);
	for (uint32_t i = 0; i < n; i++) {
		struct spoke *k = &s->spoke[s->n++];

		*k = (struct spoke){.up_lat = lat, .down_lat = lat};
		snprintf(k->name, NAME, "c%u-%u.x", number, first + i);
		snprintf(k->up, NAME, "link_c%u-%u.x_UP", number, first + i);
		snprintf(k->down, NAME, "link_c%u-%u.x_DOWN", number, first + i);
	}
}

/* One of the few links, or the backbone. */
static void link_draw(const struct star *s, struct rng *r, char *name, double *lat)
{
	uint32_t l = prop_from(r, 0, LINKS - 1);

	if (s->backbone && prop_once_in(r, 10)) {
		snprintf(name, NAME, "bb");
		*lat = 100;
	} else {
		snprintf(name, NAME, "l%u", l);
		*lat = l + 1;
	}
}

static void cluster_draw(struct star *s, struct rng *r)
{
	*s = (struct star){.backbone = prop_once_in(r, 2)};
	str_puts(&s->text, "<platform version='4.1'><zone id='w' routing='Cluster'>");
	for (uint32_t i = 0; i < LINKS; i++)
		str_printf(&s->text, "<link id='l%u' bandwidth='1Bps' latency='%us'/>", i, i + 1);
	for (uint32_t i = prop_from(r, 1, 5); i > 0; i--) {
		struct spoke *k = &s->spoke[s->n];

		if (prop_once_in(r, 2)) {
			cabinet_put(s, r, i);
			continue;
		}
		s->n++;
		snprintf(k->name, NAME, "h%u", i);
		str_printf(&s->text, "<host id='h%u' speed='1f'/>", i);
		if (prop_once_in(r, 4))
			continue;
		link_draw(s, r, k->up, &k->up_lat);
		link_draw(s, r, k->down, &k->down_lat);
		str_printf(&s->text, "<host_link id='h%u' up='%s' down='%s'/>", i, k->up, k->down);
	}
	if (s->backbone)
		str_puts(&s->text, "<backbone id='bb' bandwidth='1Bps' latency='100s'/>");
	str_puts(&s->text, "</zone></platform>");
}

/* Puts the name behind the others, unless it is one of them. */
static void once(char *way, size_t size, const char *name, double lat, double *sum)
{
	char copy[512], *at = copy, *word;

	if (!*name)
		return;
	snprintf(copy, sizeof copy, "%s", way);
	while ((word = strsep(&at, " ")))
		if (!strcmp(word, name))
			return;
	snprintf(way + strlen(way), size - strlen(way), "%s%s", *way ? " " : "", name);
	*sum += lat;
}

static void cluster_check(const struct star *s, const struct platform *p, const struct spoke *a,
                          const struct spoke *b)
{
	char want[512] = "";
	double lat = 0, got;
	struct route r;
	struct err err;

	once(want, sizeof want, a->up, a->up_lat, &lat);
	if (s->backbone && (*a->up || *b->down))
		once(want, sizeof want, "bb", 100, &lat);
	once(want, sizeof want, b->down, b->down_lat, &lat);
	if (*want) {
		const char *way = route_text(p, a->name, b->name, &got);

		if (strcmp(way, want) != 0 || fabs(got - lat) > 1e-12 * lat)
			fail_msg("PROP_SEED=%llu: %s to %s: %s (%g s), not %s (%g s)",
			         (unsigned long long)seed_now, a->name, b->name, way, got, want,
			         lat);
		return;
	}
	route_init(&r);
	assert_fails(route_find(p, host_named(p, a->name), host_named(p, b->name), &r, &err), err,
	             ERR_INPUT, "no route from host");
	route_release(&r);
}

static void clusters(void **state)
{
	struct prop_run prop = prop_begin(300);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct star s;
		struct fixture f;
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "cluster zones", 0);
		cluster_draw(&s, &r);
		fixture_must_read(&f, s.text.s, NULL);
		uint32_t links = 1 + LINKS + (uint32_t)s.backbone; /* with SimGrid's loopback */

		assert_int_equal(platform_host_count(f.p), s.n);
		for (uint32_t a = 0; a < s.n; a++)
			links += *s.spoke[a].name == 'c' ? 2 : 0;
		assert_int_equal(platform_link_count(f.p), links);
		for (uint32_t a = 0; a < s.n; a++)
			for (uint32_t b = 0; b < s.n; b++)
				cluster_check(&s, f.p, &s.spoke[a], &s.spoke[b]);
		str_release(&s.text);
		fixture_release(&f);
	}
}

/* --- Vivaldi --- */

/* plain: a zone of peers has no plain hosts but in zones of their own. */
static void vivaldi_put(struct star *s, struct rng *r, uint32_t i, int plain)
{
	struct spoke *k = &s->spoke[s->n++];
	char at[NAME * 2];

	*k = (struct spoke){.x = 100 * rng_unit(r), .y = -50 * rng_unit(r), .z = rng_unit(r) - 0.5};
	snprintf(k->name, NAME, "h%u", i);
	snprintf(at, sizeof at, "coordinates='%.17g %.17g %.17g'", k->x, k->y, k->z);
	if (plain) {
		str_printf(&s->text, "<host id='h%u' speed='1f' %s/>", i, at);
	} else if (prop_once_in(r, 2)) {
		snprintf(k->up, NAME, "link_h%u_UP", i);
		snprintf(k->down, NAME, "link_h%u_DOWN", i);
		str_printf(&s->text, "<peer id='h%u' speed='1f' bw_in='1' bw_out='2' %s/>", i, at);
	} else {
		k->inside = prop_from(r, 1, 9);
		snprintf(k->up, NAME, "i%u", i);
		snprintf(k->down, NAME, "i%u", i);
		str_printf(
		    &s->text,
		    "<zone id='z%u' routing='Full'><host id='h%u' speed='1f'/><router "
		    "id='router_z%u' %s/><link id='i%u' bandwidth='1Bps' latency='%gs'/><route "
		    "src='h%u' dst='router_z%u'><link_ctn id='i%u'/></route></zone>",
		    i, i, i, at, i, k->inside, i, i, i);
	}
}

static void vivaldi_check(const struct platform *p, const struct spoke *a, const struct spoke *b)
{
	char want[2 * NAME + 2];
	double dx = a->x - b->x, dy = a->y - b->y, got,
	       lat = (sqrt(dx * dx + dy * dy) + fabs(a->z) + fabs(b->z)) / 1000 + a->inside +
	             b->inside;
	const char *way;

	if (a == b && a->inside > 0) /* the way inside its zone, which is none */
		return;
	snprintf(want, sizeof want, "%s%s%s", a->up, *a->up && *b->down ? " " : "", b->down);
	way = route_text(p, a->name, b->name, &got);
	if (strcmp(way, want) != 0 || fabs(got - lat) > 1e-12 * lat)
		fail_msg("PROP_SEED=%llu: %s to %s: %s (%.17g s), not %s (%.17g s)",
		         (unsigned long long)seed_now, a->name, b->name, way, got, want, lat);
}

static void coordinates(void **state)
{
	struct prop_run prop = prop_begin(150);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct star s = {.n = 0};
		struct fixture f;
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "vivaldi", 0);
		str_puts(&s.text, "<platform version='4.1'><zone id='w' routing='Vivaldi'>");
		int plain = prop_once_in(&r, 4);
		for (uint32_t k = prop_from(&r, 1, 8); k > 0; k--)
			vivaldi_put(&s, &r, k, plain);
		str_puts(&s.text, "</zone></platform>");
		fixture_must_read(&f, s.text.s, NULL);
		for (uint32_t a = 0; a < s.n; a++)
			for (uint32_t b = 0; b < s.n; b++)
				vivaldi_check(f.p, &s.spoke[a], &s.spoke[b]);
		str_release(&s.text);
		fixture_release(&f);
	}
}

#define PEER "<peer id='p' speed='1f' bw_in='1' bw_out='1' coordinates='0 0 0'/>"

/* What has no coordinates, or no router that has them for it, is told when it is asked for. */
static void without_coordinates(void **state)
{
	static const struct {
		const char *zone, *why;
	} cases[] = {
	    {"<host id='p' speed='1f' coordinates='0 0 0'/><host id='h' speed='1f'/>",
	     "host 'h' of zone 'w' (routing Vivaldi, "},
	    {PEER "<zone id='z' routing='Full'><host id='h' speed='1f'/></zone>",
	     "reaches zone 'z' through a router named 'router_z', which it does not have"},
	    {PEER "<zone id='z' routing='Full'><host id='h' speed='1f'/></zone><zone id='y' "
	          "routing='Full'><router id='router_z' coordinates='0 0 0'/></zone>",
	     "reaches zone 'z' through a router named 'router_z'"},
	    {PEER
	     "<zone id='z' routing='Full'><host id='h' speed='1f'/><router id='router_z'/></zone>",
	     "router 'router_z' of zone 'w' (routing Vivaldi, "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str text = {0};
		struct fixture f;
		struct route r;

		str_printf(
		    &text,
		    "<platform version='4.1'><zone id='w' routing='Vivaldi'>%s</zone></platform>",
		    cases[i].zone);
		fixture_must_read(&f, text.s, NULL);
		route_init(&r);
		for (int back = 0; back < 2; back++)
			assert_fails(route_find(f.p, host_named(f.p, back ? "h" : "p"),
			                        host_named(f.p, back ? "p" : "h"), &r, &f.err),
			             f.err, ERR_INPUT, cases[i].why);
		route_release(&r);
		str_release(&text);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clusters),
	    cmocka_unit_test(coordinates),
	    cmocka_unit_test(without_coordinates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
