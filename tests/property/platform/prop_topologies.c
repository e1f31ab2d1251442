/* prop_topologies.c: laws of routes on random regular clusters, checked on the names of links,
 * which say what they join:
 *   every link's name leads back to its id, and no two are the same (but limiters of a fat tree
 *   with more switches than hosts, as SimGrid numbers them)
 *   a route begins at its source, ends at its destination, and each link begins where the one
 *   before ended its latency is the sum of its links'
 *   the way back in a torus or a dragonfly is as long; in a fat tree, two links per level climbed
 * In compat the same holds for fat trees and tori (SimGrid's dragonflies have gaps). */
#include "../prop.h"

#include "base/base.h"
#include "platform/platform.h"
#include "platform/platform_int.h"

#include <unistd.h>

enum { CASES = 300, PAIRS = 60 };

static struct err err;

static struct platform *read_text(const char *text, const char *settings)
{
	char path[] = "/tmp/orrery-prop-XXXXXX";
	struct config cfg;
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	assert_ok(config_init(&cfg, &err), err);
	assert_ok(config_set_all(&cfg, settings, CFG_FROM_USER, &err), err);
	struct platform *p = platform_read(path, &cfg, &err);
	if (!p)
		fail_msg("%s\n%s", err.text, text);
	config_release(&cfg);
	unlink(path);
	return p;
}

static uint32_t upto(struct rng *r, uint32_t n)
{
	return 1 + (uint32_t)rng_below(r, n);
}

static void list_random(struct rng *r, struct str *s, uint32_t n, uint32_t least, uint32_t most,
                        uint64_t *product)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t v = least - 1 + upto(r, most - least + 1);
		*product *= v;
		str_printf(s, "%s%u", i ? "," : "", v);
	}
}

/* A random cluster; radical from 5 on. */
static void torus_random(struct rng *r, struct str *s, uint64_t *hosts)
{
	list_random(r, s, upto(r, 4), 2, 5, hosts);
}

static void fat_tree_random(struct rng *r, struct str *s, uint64_t *hosts)
{
	uint64_t ignored = 1;
	uint32_t n = upto(r, 4);
	str_printf(s, "%u;", n);
	list_random(r, s, n, 1, 4, hosts);
	str_putc(s, ';');
	list_random(r, s, n, 1, 3, &ignored);
	str_putc(s, ';');
	list_random(r, s, n, 1, 3, &ignored);
}

static void dragonfly_random(struct rng *r, struct str *s, uint64_t *hosts)
{
	uint32_t c = upto(r, 3), b = upto(r, 4), n = upto(r, 3), g = upto(r, 2 * c * b);
	str_printf(s, "%u,%u;%u,%u;%u,%u;%u", g, upto(r, 3), c, upto(r, 3), b, upto(r, 3), n);
	*hosts = (uint64_t)g * c * b * n;
}

/* What a link joins, in its direction, from its name. A loopback or limiter joins nothing. */
struct joint {
	long a, b;
};

static int joint_flip(struct joint *j, const char *name)
{
	const char *end = name + strlen(name);
	if (end - name > 5 && strcmp(end - 5, "_DOWN") == 0)
		*j = (struct joint){j->b, j->a};
	return 1;
}

static int joint_torus(const char *name, struct joint *j)
{
	return sscanf(name, "c_link_from_%ld_to_%ld", &j->a, &j->b) == 2 && joint_flip(j, name);
}

static int joint_fat_tree(const char *name, struct joint *j)
{
	if (sscanf(name, "link_from_%ld_%ld_", &j->a, &j->b) != 2)
		return 0;
	return joint_flip(j, name);
}

static void check_chain(const struct platform *p, const struct route *r, uint32_t src, uint32_t dst,
                        int (*joint)(const char *, struct joint *), int split)
{
	long at = src;
	uint32_t cables = 0;
	double latency = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		char name[256];
		struct joint j;
		struct link_info info;
		platform_link(p, r->links[i], &info);
		latency += info.latency;
		if (!joint(platform_link_name(p, r->links[i], name, sizeof name), &j))
			continue;
		if (!split && j.a != at)
			j = (struct joint){j.b, j.a};
		if (j.a != at)
			fail_msg("from %u to %u: at %ld, but link %u is %s", src, dst, at, i, name);
		at = j.b;
		cables++;
	}
	if (cables && at != dst)
		fail_msg("from %u to %u: ends at %ld", src, dst, at);
	assert_true(cables || src == dst);
	assert_close(r->latency, latency, 1e-12);
}

static void check_names(const struct platform *p)
{
	for (uint32_t i = 0; i < platform_link_count(p); i++) {
		char name[256], again[256];
		struct link_id found = link_find(
		    p, platform_link_name(p, (struct link_id){i}, name, sizeof name));
		if (found.v != i && !strstr(name, "_limiter"))
			fail_msg("link %u is named %s, which is %u", i, name, found.v);
		if (found.v != NONE32)
			assert_string_equal(name,
			                    platform_link_name(p, found, again, sizeof again));
	}
}

static uint32_t route_get(const struct platform *p, uint32_t a, uint32_t b, struct route *r)
{
	assert_ok(route_find(p, (struct host_id){a}, (struct host_id){b}, r, &err), err);
	return r->n;
}

/* The text of a random cluster in out; returns whether its cables are split. */
static int cluster_random(struct rng *rng, const char *topology,
                          void (*parameters)(struct rng *, struct str *, uint64_t *),
                          uint64_t *hosts, struct str *out)
{
	static const char *const policies[] = {"SPLITDUPLEX", "SHARED", "FATPIPE"};
	struct str text;
	uint32_t policy = (uint32_t)rng_below(rng, 3);
	*hosts = 1;
	str_init(&text);
	parameters(rng, &text, hosts);
	str_printf(out,
	           "<platform version='4.1'><zone id='w' routing='Full'>"
	           "<cluster id='c' prefix='n' suffix='' radical='5-%llu' speed='1' bw='3' lat='2' "
	           "topology='%s' topo_parameters='%s' sharing_policy='%s' %s loopback_bw='7' "
	           "loopback_lat='1'/></zone></platform>",
	           (unsigned long long)*hosts + 4, topology, text.s, policies[policy],
	           rng_below(rng, 2) ? "limiter_link='5'" : "");
	str_release(&text);
	return policy == 0;
}

static void check_cluster(struct rng *rng, const char *topology,
                          void (*parameters)(struct rng *, struct str *, uint64_t *),
                          int (*joint)(const char *, struct joint *), const char *settings)
{
	struct str text;
	struct route r, back;
	uint64_t hosts;
	str_init(&text);
	int split = cluster_random(rng, topology, parameters, &hosts, &text);
	struct platform *p = read_text(text.s, settings);
	assert_int_equal(platform_host_count(p), hosts);
	route_init(&r);
	route_init(&back);
	if (hosts <= 64)
		check_names(p);
	for (int i = 0; i < PAIRS; i++) {
		uint32_t a = (uint32_t)rng_below(rng, hosts), b = (uint32_t)rng_below(rng, hosts);
		uint32_t n = route_get(p, a, b, &r);
		if (joint)
			check_chain(p, &r, a, b, joint, split);
		assert_int_equal(route_get(p, b, a, &back), n);
	}
	route_release(&r);
	route_release(&back);
	platform_free(p);
	str_release(&text);
}

static void laws(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < CASES; i++) {
		struct rng r;
		const char *settings = i % 2 ? "compat:simgrid-3.32" : "";
		rng_init(&r, prop_seed(2026), "topologies", i);
		check_cluster(&r, "TORUS", torus_random, joint_torus, settings);
		check_cluster(&r, "FAT_TREE", fat_tree_random, joint_fat_tree, settings);
		check_cluster(&r, "DRAGONFLY", dragonfly_random, NULL, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(laws)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
