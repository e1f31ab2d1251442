/* test_path.c: what the engine gets of a route: uses merged by resource, latency, bandwidth; which
 * paths are kept, and that a path is the same whether it is kept or built again. */
#include "fixture.h"

#include "net/net_int.h"

#define LINK(id, policy) \
	"<link id='" id "' bandwidth='1e6Bps' latency='1ms' sharing_policy='" policy "'/>"
#define MACHINE(links, routes) \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>" \
	"<host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>" links routes "</zone></platform>"
#define TORUS \
	"<platform version='4.1'><cluster id='t' prefix='n' suffix='' radical='0-511' " \
	"speed='1Gf' bw='125MBps' lat='1us' topology='TORUS' topo_parameters='8,8,8'/></platform>"

static const struct path *path_of(struct fixture *f, const char *from, const char *to)
{
	const struct path *p = path_get(f->net, host(f, from), host(f, to), 1, &f->err);

	if (!p)
		fail_msg("%s", f->err.text);
	return p;
}

static const struct flow_use *uses_of(const struct fixture *f, const struct path *p)
{
	return f->net->cache.uses + p->uses;
}

static void one_use_each(struct fixture *f, const struct path *p)
{
	const struct flow_use *u = uses_of(f, p);

	for (uint32_t i = 0; i < p->n_uses; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(u[i].resource.v, u[k].resource.v);
}

/* l is on the way three times, m once, and all of it on the way back. A shared link is used
 * 3 + 3 * 0.05, one that is not shared as much as the most that is used of it at once. */
static void merged_by_policy(void **state)
{
	struct fixture f;
	const struct path *p;

	(void)state;
	fixture_init(&f,
	             MACHINE(LINK("l", "SHARED") LINK("m", "FATPIPE"),
	                     "<route src='a' dst='b'><link_ctn id='l'/><link_ctn id='m'/>"
	                     "<link_ctn id='l'/><link_ctn id='m'/><link_ctn id='l'/></route>"),
	             NULL);
	p = path_of(&f, "a", "b");
	assert_int_equal(p->n_uses, 2);
	assert_close(uses_of(&f, p)[0].coef, 3.15, 1e-6);
	assert_close(uses_of(&f, p)[1].coef, 1, 0);
	assert_close(p->latency, 5e-3, 1e-12);
	assert_close(p->bandwidth, 1e6, 0);
	assert_close(p->inverse, 5e-6, 1e-12);
	fixture_release(&f);
}

/* So many links there and back, the last but one of them twice. */
static void way_is_merged(int links)
{
	struct str xml = {0};
	struct fixture f;
	const struct path *p;

	str_puts(&xml, "<platform version='4.1'><zone id='z' routing='Full'>"
	               "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>");
	for (int i = 0; i < links; i++)
		str_printf(&xml, "<link id='l%d' bandwidth='%dBps' latency='1ms'/>", i, 1000 + i);
	str_puts(&xml, "<route src='a' dst='b'>");
	for (int i = 0; i < links; i++)
		str_printf(&xml, "<link_ctn id='l%d'/>", i);
	str_printf(&xml, "<link_ctn id='l%d'/></route></zone></platform>", links - 2);
	fixture_init(&f, xml.s, NULL);
	for (int again = 0; again < 2; again++) { /* b to a: its places are noted anew */
		p = again ? path_of(&f, "b", "a") : path_of(&f, "a", "b");
		assert_int_equal(p->n_uses, links);
		one_use_each(&f, p);
		double sum = 0, most = 0;
		for (uint32_t i = 0; i < p->n_uses; i++) {
			sum += uses_of(&f, p)[i].coef;
			most = most > uses_of(&f, p)[i].coef ? most : uses_of(&f, p)[i].coef;
		}
		assert_close(sum, (links + 1) * 1.05, 1e-6);
		assert_close(most, 2 * 1.05, 1e-6);
		assert_close(p->latency, (links + 1) * 1e-3, 1e-12);
		assert_close(p->bandwidth, 1000, 0);
	}
	fixture_release(&f);
	str_release(&xml);
}

/* Beyond the length up to which uses are looked through one by one; more than the table of their
 * places begins with; both again. */
static void long_ways_are_merged_too(void **state)
{
	(void)state;
	way_is_merged(40);
	way_is_merged(300);
}

/* The same numbers as of another network on the same machine that was asked for nothing else. */
static void assert_as_alone(struct fixture *f, const char *from, const char *to)
{
	const struct path *p = path_of(f, from, to), *q;
	struct fixture other;
	char a[64], b[64];

	fixture_init(&other, TORUS, NULL);
	q = path_of(&other, from, to);
	assert_int_equal(p->n_uses, q->n_uses);
	assert_close(p->latency, q->latency, 0);
	assert_close(p->bandwidth, q->bandwidth, 0);
	assert_close(p->inverse, q->inverse, 0);
	for (uint32_t i = 0; i < p->n_uses; i++) {
		assert_string_equal(
		    net_resource_name(f->net, uses_of(f, p)[i].resource, a, sizeof a),
		    net_resource_name(other.net, uses_of(&other, q)[i].resource, b, sizeof b));
		assert_close(uses_of(f, p)[i].coef, uses_of(&other, q)[i].coef, 0);
	}
	fixture_release(&other);
}

/* From n0 of 8 x 8 x 8 to n292 = (4, 4, 4): 12 links there, 12 back. */
static void kept_from_the_second_time_on(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, TORUS, NULL);
	const struct path_cache *c = &f.net->cache;
	assert_int_equal(path_of(&f, "n0", "n292")->n_uses, 24);
	assert_int_equal(c->n_paths, 0);
	assert_as_alone(&f, "n0", "n292"); /* asked twice for one message: still once */
	assert_int_equal(c->n_paths, 0);
	path_of(&f, "n1", "n2");
	assert_int_equal(c->n_uses, 0);
	assert_as_alone(&f, "n0", "n292");
	assert_int_equal(c->n_paths, 1);
	assert_int_equal(c->n_uses, 24);
	path_of(&f, "n3", "n4"); /* is built behind it */
	assert_int_equal(c->n_uses, 24);
	assert_as_alone(&f, "n0", "n292");
	assert_as_alone(&f, "n3", "n4");
	assert_as_alone(&f, "n4", "n3");
	assert_int_equal(c->n_paths, 1);
	fixture_release(&f);
}

/* What was built last is not valid after the machine has changed. */
static void emptied(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, TORUS, NULL);
	path_of(&f, "n0", "n292");
	path_of(&f, "n5", "n7");
	path_of(&f, "n0", "n292");
	path_of(&f, "n5", "n6");
	assert_int_equal(f.net->cache.n_paths, 1);
	path_cache_empty(&f.net->cache);
	assert_int_equal(f.net->cache.n_paths, 0);
	assert_false(f.net->cache.has_last);
	assert_as_alone(&f, "n5", "n6");
	assert_as_alone(&f, "n0", "n292");
	fixture_release(&f);
}

/* 65,280 pairs that are asked for once: one in 16 is taken for another on average, and kept; the
 * second time all are kept but those that were seen before the bits were doubled last. The third
 * time none is built. */
static void pairs_of_one_time_take_no_memory(void **state)
{
	enum { HOSTS = 256, PAIRS = HOSTS * (HOSTS - 1) };
	uint32_t kept[4];
	struct fixture f;

	(void)state;
	fixture_init(&f, TORUS, NULL);
	f.net->cache.limit = (size_t)1 << 30;
	for (int pass = 0; pass < 4; pass++) {
		for (uint32_t i = 0; i < HOSTS * HOSTS; i++) {
			struct host_id from = {i / HOSTS}, to = {i % HOSTS};
			if (from.v != to.v)
				assert_non_null(path_get(f.net, from, to, 1, &f.err));
		}
		kept[pass] = f.net->cache.n_paths;
	}
	assert_true(kept[0] < PAIRS / 8);
	assert_true(kept[3] == PAIRS);
	assert_true(f.net->cache.seen.size <= 16 * PAIRS);
	fixture_release(&f);
}

/* The pair without a route is an error each time, and the others are what they were. */
static void no_route(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(
	    &f, MACHINE(LINK("l", "SHARED"), "<route src='a' dst='b'><link_ctn id='l'/></route>"),
	    NULL);
	for (int i = 0; i < 3; i++) {
		assert_null(path_get(f.net, host(&f, "a"), host(&f, "c"), 1, &f.err));
		assert_non_null(strstr(f.err.text, "c"));
		assert_close(uses_of(&f, path_of(&f, "a", "b"))[0].coef, 1.05, 1e-6);
	}
	assert_int_equal(f.net->cache.n_paths, 1);
	assert_int_equal(f.net->cache.n_uses, 1);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(merged_by_policy),
	    cmocka_unit_test(long_ways_are_merged_too),
	    cmocka_unit_test(kept_from_the_second_time_on),
	    cmocka_unit_test(emptied),
	    cmocka_unit_test(pairs_of_one_time_take_no_memory),
	    cmocka_unit_test(no_route),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
