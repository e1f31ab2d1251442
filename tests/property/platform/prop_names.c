/* prop_names.c: names that are computed, held to lists of all of them:
 *   hosts of random clusters that share prefixes, suffixes and digits: each name of the list leads
 *   to its host, a name that is not in it to none, and a list with a name twice is refused;
 *   links of clusters of all topologies: link_find takes exactly the names that links have, as
 *   written ("c_link_07" is not "c_link_7");
 *   number lists ("0-3,7"): the numbers in order, and what is left when they are cut short. */
#include "property/prop.h"
#include "unit/platform/lib.h"

#include "platform/platform_int.h"

enum { NAMES_MOST = 400, NAME = 64, MUTANTS = 300 };

struct list {
	char name[NAMES_MOST][NAME];
	uint32_t n;
};

/* The first of that name; -1: none. */
static int list_find(const struct list *l, const char *name)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (!strcmp(l->name[i], name))
			return (int)i;
	return -1;
}

static const char *list_twice(const struct list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (list_find(l, l->name[i]) != (int)i)
			return l->name[i];
	return NULL;
}

/* One character more, less, or other: mostly digits. */
static void mutate(struct rng *r, const char *name, char *out)
{
	static const char letters[] = "0011223456789n-.x_aUP";
	size_t n = strlen(name), at = rng_below(r, n + 1);
	char c = letters[rng_below(r, sizeof letters - 1)];

	switch (rng_below(r, 3)) {
	case 0:
		snprintf(out, NAME, "%.*s%c%s", (int)at, name, c, name + at);
		break;
	case 1:
		snprintf(out, NAME, "%.*s%s", (int)at, name, at < n ? name + at + 1 : "");
		break;
	default:
		snprintf(out, NAME, "%.*s%c%s", (int)at, name, c, at < n ? name + at + 1 : "");
	}
}

/* --- number lists --- */

/* Items that rise by at least 2, so that a range never continues the one before; text in s, numbers
 * in out. */
static uint32_t numbers_draw(struct rng *r, struct str *s, uint32_t *out, uint32_t most)
{
	uint32_t n = 0, at = prop_from(r, 0, 12), items = prop_from(r, 1, 4);

	for (uint32_t i = 0; i < items && n < most; i++) {
		uint32_t hi = at + (prop_once_in(r, 2) ? 0 : prop_from(r, 0, 9));

		hi = hi - at >= most - n ? at + (most - n) - 1 : hi;
		if (hi > at || prop_once_in(r, 4))
			str_printf(s, "%s%u%s%u", i ? "," : "", at,
			           prop_once_in(r, 4) ? " - " : "-", hi);
		else
			str_printf(s, "%s%u", i ? ", " : " ", at);
		for (; at <= hi; at++)
			out[n++] = at;
		at += prop_once_in(r, 3) ? 0 : prop_from(r, 0, 90);
	}
	return n;
}

static void number_lists(void **state)
{
	struct prop_run prop = prop_begin(300);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		uint32_t want[40], n, ranges = 0, keep;
		struct radical got;
		struct str text;
		struct err err;
		struct rng r;

		rng_init(&r, prop.seed + i, "numbers", 0);
		str_init(&text);
		n = numbers_draw(&r, &text, want, 40);
		assert_ok(radical_parse(text.s, &got, &err), err);
		assert_int_equal(got.count, n);
		for (uint32_t k = 0; k < n; k++) {
			assert_int_equal(radical_number(&got, k), want[k]);
			ranges += !k || want[k] != want[k - 1] + 1;
		}
		assert_int_equal(got.n, ranges); /* none that another one continues */
		keep = prop_from(&r, 0, n + 2);
		radical_truncate(&got, keep);
		assert_int_equal(got.count, keep < n ? keep : n);
		for (uint32_t k = 0; k < got.count; k++)
			assert_int_equal(radical_number(&got, k), want[k]);
		radical_release(&got);
		str_release(&text);
	}
}

/* --- hosts --- */

static void clusters_draw(struct rng *r, struct str *s, struct list *l)
{
	static const char *const prefixes[] = {"n", "n1", "", "1", "n-", "n12"},
	                         *const suffixes[] = {"", "2", ".a", "20"};
	uint32_t clusters = prop_from(r, 2, 4), numbers[40];

	l->n = 0;
	str_puts(s, "<platform version='4.1'><zone id='w' routing='Full'>");
	for (uint32_t c = 0; c < clusters; c++) {
		const char *prefix = prefixes[rng_below(r, 6)], *suffix = suffixes[rng_below(r, 4)];
		struct str text;
		uint32_t n;

		str_init(&text);
		n = numbers_draw(r, &text, numbers, 40);
		str_printf(s,
		           "<cluster id='zone%c' prefix='%s' suffix='%s' radical='%s' speed='1f' "
		           "bw='1' lat='0'/>",
		           'a' + (int)c, prefix, suffix, text.s);
		for (uint32_t i = 0; i < n; i++)
			snprintf(l->name[l->n++], NAME, "%s%u%s", prefix, numbers[i], suffix);
		str_release(&text);
	}
	if (prop_once_in(r, 2)) {
		snprintf(l->name[l->n++], NAME, "n%u", prop_from(r, 0, 40));
		str_printf(s,
		           "<zone id='zone-more' routing='Full'><host id='%s' "
		           "speed='1f'/></zone>",
		           l->name[l->n - 1]);
	}
	str_puts(s, "</zone></platform>");
}

static void host_names_check(const struct platform *p, const struct list *l, struct rng *r,
                             uint64_t seed)
{
	char name[NAME];
	struct host_id h;

	for (uint32_t i = 0; i < l->n; i++) {
		assert_string_equal(platform_host_name(p, (struct host_id){i}, name, sizeof name),
		                    l->name[i]);
		assert_int_equal(platform_host_find(p, l->name[i], &h), 0);
		assert_int_equal(h.v, i);
	}
	for (int i = 0; i < MUTANTS; i++) {
		mutate(r, l->name[rng_below(r, l->n)], name);
		int want = list_find(l, name),
		    got = platform_host_find(p, name, &h) < 0 ? -1 : (int)h.v;
		if (got != want)
			fail_msg("PROP_SEED=%llu: host '%s' is %d, not %d",
			         (unsigned long long)seed, name, got, want);
	}
}

static void hosts_are_found_by_exactly_their_names(void **state)
{
	struct prop_run prop = prop_begin(200);
	static struct list list;
	uint64_t refused = 0;

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct fixture f;
		struct str text;
		struct rng r;

		rng_init(&r, prop.seed + i, "hosts", 0);
		str_init(&text);
		clusters_draw(&r, &text, &list);
		fixture_read(&f, text.s, NULL);
		const char *twice = list_twice(&list);
		if (f.p && twice)
			fail_msg("PROP_SEED=%llu: two hosts '%s' are accepted",
			         (unsigned long long)(prop.seed + i), twice);
		if (!f.p && (!twice || f.err.kind != ERR_INPUT))
			fail_msg("PROP_SEED=%llu: %s", (unsigned long long)(prop.seed + i),
			         f.err.text);
		if (f.p)
			host_names_check(f.p, &list, &r, prop.seed + i);
		refused += !f.p;
		fixture_release(&f);
		str_release(&text);
	}
	assert_true(refused > prop.cases / 20 && refused < prop.cases);
}

/* --- links --- */

static const char links_of_all[] =
    "<platform version='4.1'><zone id='w' routing='Full'>"
    "<cluster id='a' prefix='a' suffix='' radical='0-3,10,12' speed='1f' bw='1' lat='0' "
    "loopback_bw='1' limiter_link='1' bb_bw='2'/>"
    "<cluster id='b' prefix='b' suffix='.b' radical='7,9' speed='1f' bw='1' lat='0' "
    "sharing_policy='SHARED'/>"
    "<cluster id='t' prefix='t' suffix='' radical='5-16' speed='1f' bw='1' lat='0' "
    "topology='TORUS' topo_parameters='4,3' loopback_bw='1' limiter_link='1'/>"
    "<cluster id='f' prefix='f' suffix='' radical='0-7' speed='1f' bw='1' lat='0' "
    "topology='FAT_TREE' topo_parameters='2;4,2;1,2;1,2' loopback_bw='1' limiter_link='1'/>"
    "<cluster id='g' prefix='g' suffix='' radical='0-3' speed='1f' bw='1' lat='0' "
    "topology='FAT_TREE' topo_parameters='1;4;2;1' sharing_policy='SHARED'/>"
    "<cluster id='d' prefix='d' suffix='' radical='0-23' speed='1f' bw='1' lat='0' "
    "topology='DRAGONFLY' topo_parameters='3,1;2,1;2,1;2' loopback_bw='1' limiter_link='1'/>"
    "<cluster id='e' prefix='e' suffix='' radical='0-3' speed='1f' bw='1' lat='0' "
    "topology='DRAGONFLY' topo_parameters='2,1;1,1;2,1;1'/>"
    "<zone id='k' routing='Cluster'><cabinet id='k1' prefix='k' suffix='' radical='0-3' "
    "speed='1f' bw='1' lat='0'/><cabinet id='k2' prefix='k' suffix='_UP' radical='0-1' "
    "speed='1f' bw='1' lat='0'/><host id='own' speed='1f'/>"
    "<link id='u' bandwidth='1'/><host_link id='own' up='u' down='u'/></zone>"
    "<zone id='v' routing='Vivaldi'><peer id='p' speed='1f' bw_in='1' bw_out='1' "
    "coordinates='0 0 0'/></zone>"
    "<link id='own_link' bandwidth='1'/><link id='pair' bandwidth='1' "
    "sharing_policy='SPLITDUPLEX'/></zone></platform>";

static void links_list(const struct platform *p, struct list *l)
{
	for (l->n = 0; l->n < platform_link_count(p); l->n++) {
		assert_true(l->n < NAMES_MOST);
		platform_link_name(p, (struct link_id){l->n}, l->name[l->n], NAME);
	}
}

static void link_name_check(const struct platform *p, const struct list *l, const char *name)
{
	int want = list_find(l, name);
	struct link_id got = link_find(p, name), slow;

	if ((got.v == NONE32) != (want < 0))
		fail_msg("link '%s' is %d, not %d", name, (int)got.v, want);
	if (want >= 0)
		assert_string_equal(l->name[got.v], name);
	assert_int_equal(platform_link_find(p, name, &slow), want < 0 ? -1 : 0);
	/* x names the pair x_UP, x_DOWN, as routes with a direction want it */
	char up[NAME + 4];
	snprintf(up, sizeof up, "%s_UP", name);
	struct link_id pair = link_find_pair(p, name);
	if (pair.v != NONE32)
		assert_string_equal(l->name[pair.v], up);
}

static void links_are_found_by_exactly_their_names(void **state)
{
	struct prop_run prop = prop_begin(20000);
	static struct list list;
	struct fixture f;
	struct rng r;
	char name[NAME];

	(void)state;
	fixture_must_read(&f, links_of_all, NULL);
	links_list(f.p, &list);
	for (uint32_t i = 0; i < list.n; i++)
		link_name_check(f.p, &list, list.name[i]);
	rng_init(&r, prop.seed, "links", 0);
	for (uint64_t i = 0; i < prop.cases; i++) {
		mutate(&r, list.name[rng_below(&r, list.n)], name);
		link_name_check(f.p, &list, name);
	}
	fixture_release(&f);
}

/* Of every split link, and of nothing else, the name without _UP names both. */
static void pairs_are_found(void **state)
{
	static struct list list;
	struct fixture f;
	char name[NAME];
	uint32_t pairs = 0;

	(void)state;
	fixture_must_read(&f, links_of_all, NULL);
	links_list(f.p, &list);
	for (uint32_t i = 0; i + 1 < list.n; i++) {
		size_t n = strlen(list.name[i]);

		if (n < 4 || strcmp(list.name[i] + n - 3, "_UP") != 0 ||
		    !strncmp(list.name[i], "link_k", 6) || !strncmp(list.name[i], "link_p", 6))
			continue; /* of cabinets and peers: two links, not a split one */
		snprintf(name, sizeof name, "%.*s", (int)(n - 3), list.name[i]);
		assert_int_equal(link_find_pair(f.p, name).v, i);
		snprintf(name + n - 3, sizeof name - (n - 3), "_DOWN");
		assert_string_equal(list.name[i + 1], name);
		pairs++;
	}
	/* a: 6 hosts; t: 12 of 2 dimensions; f: 8 + 4 * 1... of each level */
	assert_true(pairs > 6 + 24);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(number_lists),
	    cmocka_unit_test(hosts_are_found_by_exactly_their_names),
	    cmocka_unit_test(links_are_found_by_exactly_their_names),
	    cmocka_unit_test(pairs_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
