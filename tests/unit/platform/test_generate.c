/* test_generate.c: what `platform generate` writes is read as the machine that was asked for:
 *   any kind and shape, with random names, figures and options, is either refused or a platform
 *   with as many hosts, of that speed and those cores, whose cables have those figures and whose
 *   ways have as many of them as the topology says;
 *   fat trees without --parents have as many cables on every level (full bisection), or a taper-th;
 *   every refusal, with what to do. */
#include "lib.h"

#include "property/prop.h"

static const struct generate_spec plain = {.kind = "flat",
                                           .shape = "4",
                                           .name = "m",
                                           .prefix = "node-",
                                           .suffix = "",
                                           .speed = "2Gf",
                                           .cores = 3,
                                           .bandwidth = "10Gbps",
                                           .latency = "5us",
                                           .sharing = "SPLITDUPLEX"};

/* 0 and f->p; -1: it was refused, f->err. A description that cannot be read fails. */
static int generate(struct fixture *f, const struct generate_spec *g)
{
	struct str text;
	struct err err;

	str_init(&text);
	memset(f, 0, sizeof *f);
	int got = platform_generate(g, &text, &err);
	if (got == 0) {
		fixture_read(f, text.s, NULL);
		if (!f->p)
			fail_msg("%s %s, name %s, prefix '%s', suffix '%s', is written, but: %s",
			         g->kind, g->shape, g->name, g->prefix, g->suffix, f->err.text);
	} else {
		f->err = err;
	}
	str_release(&text);
	return got;
}

static uint32_t cables_between(const struct platform *p, uint32_t a, uint32_t b)
{
	struct route r;
	struct err err;
	uint32_t n = 0;

	route_init(&r);
	assert_ok(route_find(p, (struct host_id){a}, (struct host_id){b}, &r, &err), err);
	for (uint32_t i = 0; i < r.n; i++) {
		struct link_info l;

		platform_link(p, r.links[i], &l);
		if (l.latency == 0) /* a limiter */
			continue;
		assert_true(l.latency == 5e-6 && l.bandwidth >= 1.25e9);
		n++;
	}
	assert_close(r.latency, n * 5e-6, 1e-12);
	route_release(&r);
	return n;
}

/* --- random machines --- */

static uint32_t shape_draw(struct rng *r, uint32_t *v, uint32_t n, uint32_t most, char *text)
{
	uint32_t hosts = 1;

	*text = '\0';
	for (uint32_t i = 0; i < n; i++) {
		v[i] = prop_from(r, 1, most);
		hosts *= v[i];
		snprintf(text + strlen(text), 64 - strlen(text), "%s%u", i ? "x" : "", v[i]);
	}
	return hosts;
}

/* Cables of the way between the first host and the last, by the definition of each kind; v are the
 * numbers of the shape. */
static uint32_t cables_wanted(const char *kind, const uint32_t *v, uint32_t n)
{
	uint32_t cables = 0, top = n;

	if (!strcmp(kind, "flat"))
		return 2;
	if (!strcmp(kind, "torus")) { /* round the end: one step in every dimension that has two */
		for (uint32_t i = 0; i < n; i++)
			cables += v[i] > 1;
		return cables;
	}
	if (!strcmp(kind, "fat-tree")) { /* up to the highest level that parts them, and down */
		while (top > 1 && v[top - 1] == 1)
			top--;
		return 2 * top;
	}
	/* hierarchical: a host's two; above, two for each level from the first that parts them */
	while (n > 1 && v[0] == 1) {
		v++;
		n--;
	}
	return 2 * n;
}

static void random_spec(struct rng *r, struct generate_spec *g)
{
	static const char *const kinds[] = {"flat", "torus", "fat-tree", "hierarchical"},
	                         *const names[] = {"m",    "node", "node-0",     "n",  "n_0",
	                                           "a--b", "a-",   "m_1_middle", "x.y"},
	                         *const prefixes[] = {"node-", "n",          "", "n_",
	                                              "m_",    "m_1_middle", "-"},
	                         *const suffixes[] = {"", ".x", "_router", "_net", "-"};

	*g = plain;
	g->kind = kinds[rng_below(r, 4)];
	g->name = names[rng_below(r, 9)];
	g->prefix = prefixes[rng_below(r, 7)];
	g->suffix = suffixes[rng_below(r, 5)];
	g->sharing = prop_once_in(r, 2) ? "SPLITDUPLEX" : prop_once_in(r, 2) ? "SHARED" : "FATPIPE";
	g->limiter = prop_once_in(r, 3) ? "20Gbps" : NULL;
	g->loopback = prop_once_in(r, 3) ? "100Gbps,1us" : NULL;
	if (!strcmp(g->kind, "hierarchical") && prop_once_in(r, 2))
		g->uplink = "40Gbps,5us";
}

static void machines_are_as_asked_for(void **state)
{
	struct prop_run prop = prop_begin(400);
	uint64_t refused = 0;

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct generate_spec g;
		struct host_info h;
		struct fixture f;
		struct rng r;
		uint32_t v[4], hosts, n;
		char shape[64];

		rng_init(&r, prop.seed + i, "machines", 0);
		random_spec(&r, &g);
		n = !strcmp(g.kind, "flat")           ? 1
		    : !strcmp(g.kind, "hierarchical") ? prop_from(&r, 2, 3)
		                                      : prop_from(&r, 1, 4);
		hosts = shape_draw(&r, v, n, 4, shape);
		g.shape = shape;
		if (generate(&f, &g) < 0) {
			refused++;
			continue;
		}
		assert_int_equal(platform_host_count(f.p), hosts);
		for (uint32_t k = 0; k < hosts; k++) {
			platform_host(f.p, (struct host_id){k}, &h);
			assert_true(h.speed == 2e9 && h.cores == 3);
		}
		if (hosts > 1)
			assert_int_equal(cables_between(f.p, 0, hosts - 1),
			                 cables_wanted(g.kind, v, n));
		fixture_release(&f);
	}
	assert_true(refused > prop.cases / 20 && refused < prop.cases / 2);
}

/* --- fat trees --- */

/* How many cables join level l and the one above: by their names, "link_from_CHILD_PARENT_NUMBER",
 * where switches count down from 2 hosts - 1. */
static uint32_t level_cables(const struct platform *p, uint32_t lowest, uint32_t highest)
{
	uint32_t n = 0;
	char name[64];

	for (uint32_t l = 1; l < platform_link_count(p); l++) {
		unsigned child;

		platform_link_name(p, (struct link_id){l}, name, sizeof name);
		n += sscanf(name, "link_from_%u_", &child) == 1 && child >= lowest &&
		     child <= highest && strstr(name, "_UP");
	}
	return n;
}

/* 8 x 4 hosts: 4 switches below, 32 cables to the hosts; as many up, or a half, a third (rounded
 * to 3 of 8). With two parallel cables up, half as many parents. */
static void fat_trees_have_full_bisection(void **state)
{
	static const struct {
		const char *taper, *parents, *cables;
		uint32_t up;
		const char *told;
	} trees[] = {
	    {NULL, NULL, NULL, 32, NULL},
	    {"2", NULL, NULL, 16, NULL},
	    {"3", NULL, NULL, 12,
	     "a switch of level 1 has 8 cables down and 3 up: 2.667 down for each up, not 3\n"},
	    {"100", NULL, NULL, 4,
	     "a switch of level 1 has 8 cables down and 1 up: 8 down for each up, not 100\n"},
	    {NULL, "1x5", NULL, 20, NULL},
	    {NULL, NULL, "1x2", 32, NULL},
	    {NULL, NULL, "1x3", 36, /* full bisection would be 8 */
	     "a switch of level 1 has 8 cables down and 9 up: 0.8889 down for each up, not 1\n"},
	    {"2", NULL, "1x4", 16, NULL},
	    {NULL, NULL, "2x1", 64, NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		struct generate_spec g = plain;
		struct fixture f;
		struct str told;

		g.kind = "fat-tree";
		g.shape = "8x4";
		g.taper = trees[i].taper;
		g.parents = trees[i].parents;
		g.cables = trees[i].cables;
		g.notices = &told;
		str_init(&told);
		assert_ok(generate(&f, &g), f.err);
		if (trees[i].told)
			assert_string_equal(told.s, trees[i].told);
		else
			assert_int_equal(told.n, 0);
		str_release(&told);
		assert_int_equal(level_cables(f.p, 60, 63), trees[i].up);
		fixture_release(&f);
	}
}

/* --- refusals --- */

static void refused(struct generate_spec g, const char *part)
{
	struct fixture f;

	if (generate(&f, &g) == 0)
		fail_msg("%s %s is accepted; expected: %s", g.kind, g.shape, part);
	assert_int_equal(f.err.kind, ERR_INPUT);
	if (!strstr(f.err.text, part) || strncmp(f.err.text, "platform generate: ", 19) != 0)
		fail_msg("expected \"%s\", got: %s", part, f.err.text);
}

#define WITH(...) \
	({ \
		struct generate_spec g_ = plain; \
		struct generate_spec *g = &g_; \
		__VA_ARGS__; \
		g_; \
	})

static void shapes(void **state)
{
	(void)state;
	refused(WITH(g->kind = "ring"), "there is no 'ring': flat, torus, fat-tree, dragonfly or");
	refused(WITH(g->shape = ""),
	        "the shape wants numbers from 1 to 268435455 such as 8x8x4, but is ''");
	refused(WITH(g->shape = "268435456"), "wants numbers from 1 to 268435455");
	refused(WITH(g->shape = "0"), "wants numbers from 1");
	refused(WITH(g->shape = "4x"), "wants numbers from 1");
	refused(WITH(g->shape = "4*4"), "wants numbers from 1");
	refused(WITH(g->shape = "268435456"), "wants numbers from 1");
	refused(WITH(g->shape = "99999x99999"), "'99999x99999' are more than 268435455 hosts");
	refused(WITH(g->shape = "2x2"), "flat wants a number of hosts, but got '2x2'");
	refused(WITH(g->kind = "torus"; g->shape = "2x2x2x2x2x2x2x2x2"), "more than 8 numbers");
	refused(WITH(g->kind = "dragonfly"), "dragonfly wants GROUPSxCHASSISxROUTERSxNODES");
	refused(WITH(g->kind = "dragonfly"; g->shape = "2x2x2x2"; g->cables = "1x1"),
	        "--cables of a dragonfly are BLUExBLACKxGREEN");
	refused(WITH(g->kind = "hierarchical"), "hierarchical wants CABINETSxHOSTS, or more");
	refused(WITH(g->kind = "hierarchical"; g->shape = "2001x2"),
	        "2001 groups around one switch are more than 2000: add a level");
	refused(WITH(g->kind = "fat-tree"; g->shape = "4x4"; g->cables = "2"),
	        "--cables wants a number for each of the 2 levels of '4x4', but has 1");
	refused(WITH(g->kind = "fat-tree"; g->shape = "4x4"; g->parents = "1x2"; g->taper = "2"),
	        "give one of them");
	refused(WITH(g->kind = "fat-tree"; g->shape = "4x4"; g->taper = "0.5"),
	        "--taper wants a number from 1, but is '0.5'");
	refused(WITH(g->kind = "fat-tree"; g->shape = "9999999x2"; g->cables = "9999999x1"),
	        "wants more than 268435455 parents: give --parents or --taper");
	refused(WITH(g->kind = "fat-tree"; g->shape = "64x64"; g->cables = "999999x999999"),
	        "too many cables");
}

static void figures_and_names(void **state)
{
	(void)state;
	refused(WITH(g->speed = "0Gf"), "--speed must be more than 0, but is '0Gf'");
	refused(WITH(g->speed = "2GB"), "--speed: ");
	refused(WITH(g->bandwidth = "0Bps"), "--bandwidth must be more than 0");
	refused(WITH(g->latency = "-1us"), "--latency must be 0 or more, but is '-1us'");
	refused(WITH(g->limiter = "0Bps"), "--limiter must be more than 0");
	refused(WITH(g->loopback = "1GBps,x"), "--loopback: ");
	refused(WITH(g->loopback = "1GBps,1us;2GBps"), "--loopback is one BANDWIDTH[,LATENCY]");
	refused(WITH(g->backbone = "1GBps;junk"), "--backbone is one BANDWIDTH[,LATENCY]");
	refused(WITH(g->sharing = "SPLIT"), "--sharing is SPLITDUPLEX, SHARED or FATPIPE");
	refused(WITH(g->name = ""), "--name must begin with a letter, but is ''");
	refused(WITH(g->name = "1"), "--name must begin with a letter");
	refused(WITH(g->name = "a&b"), "--name may have letters, digits");
	refused(WITH(g->name = "a--b"), "--name cannot have '--'");
	refused(WITH(g->prefix = "<"), "--prefix may have letters");
	refused(WITH(g->suffix = "\""), "--suffix may have letters");
	refused(WITH(g->name = "node-3"),
	        "'node-3' would be the name of a host and of a zone: choose another --name or "
	        "--prefix");
	refused(WITH(g->kind = "hierarchical"; g->shape = "2x2"; g->prefix = "m_"),
	        "'m_0' would be the name of a host and of a zone");
	refused(WITH(g->kind = "hierarchical"; g->shape = "2x2"; g->prefix = "m_";
	             g->suffix = "_router"),
	        "'m_0_router' would be the name of a host and of a router");
	char long_name[300];
	memset(long_name, 'n', sizeof long_name);
	long_name[sizeof long_name - 1] = '\0';
	refused(WITH(g->name = long_name), "--name has more than 200 characters");
}

static void options_without_meaning(void **state)
{
	(void)state;
	refused(WITH(g->uplink = "1GBps"), "--uplink has no meaning for flat");
	refused(WITH(g->cables = "1"), "--cables has no meaning for flat");
	refused(WITH(g->parents = "1"), "--parents has no meaning for flat");
	refused(WITH(g->kind = "torus"; g->taper = "2"), "--taper has no meaning for torus");
	refused(WITH(g->kind = "torus"; g->backbone = "1GBps"), "--backbone has no meaning for");
	refused(WITH(g->kind = "torus"; g->uplink = "1GBps"), "--uplink has no meaning for torus");
	refused(WITH(g->kind = "dragonfly"; g->shape = "2x2x2x2"; g->parents = "1"),
	        "--parents has no meaning for dragonfly");
	refused(WITH(g->kind = "hierarchical"; g->shape = "2x2"; g->backbone = "1GBps"),
	        "--backbone has no meaning for hierarchical");
	refused(WITH(g->kind = "hierarchical"; g->shape = "2x2"; g->uplink = "1GBps;2GBps"),
	        "--uplink has 2 cables, but '2x2' only 1 level of groups");
}

/* The line that relates it to traces from elsewhere; one that could not be a line is refused. */
static void the_processor(void **state)
{
	static const char *const bad[] = {"", "  ", "a\nb", "A--B", "tab\there"};
	struct generate_spec g = plain;
	struct fixture f;

	(void)state;
	g.processor = "AMD EPYC 9654";
	assert_int_equal(generate(&f, &g), 0);
	assert_string_equal(platform_processor(f.p), "AMD EPYC 9654");
	fixture_release(&f);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		g.processor = bad[i];
		assert_int_equal(generate(&f, &g), -1);
		assert_non_null(strstr(f.err.text, "--processor is a model"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_processor),
	    cmocka_unit_test(machines_are_as_asked_for),
	    cmocka_unit_test(fat_trees_have_full_bisection),
	    cmocka_unit_test(shapes),
	    cmocka_unit_test(figures_and_names),
	    cmocka_unit_test(options_without_meaning),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
