/* prop_draw.c: pictures of random trees of zones: all is in its place (picture.h), the hosts of the
 * outermost card are all hosts, and what cards say of links adds up to all. */
#include "picture.h"

/* The sum of the numbers before "link…" or "links of other figures", all lines. */
static uint64_t links_said(void)
{
	uint64_t sum = 0;

	for (const char *p = pic.texts.s; *p; p = strchr(p, '\n') + 1) {
		unsigned n;
		char word[16];

		if (sscanf(p, "%u %15s of", &n, word) == 2 &&
		    (!strcmp(word, "link") || !strcmp(word, "links")))
			sum += n;
	}
	return sum;
}

static const char *const names[] = {"z", "a<b>&\"c\"", "\xc3\xa9t\xc3\xa9", "one two"};

static void name_put(struct str *s, struct rng *r, uint32_t number)
{
	const char *name = names[rng_below(r, 4)];

	for (uint64_t k = prop_once_in(r, 4) ? 20 : 0; k > 0; k--)
		str_puts(s, "x\xe2\x82\xac"); /* long, of characters of three bytes */
	for (; *name; name++)
		if (strchr("<>&\"", *name))
			str_printf(s, "&#%d;", *name);
		else
			str_putc(s, *name);
	str_printf(s, "%u", number);
}

static void cluster_put(struct str *s, struct rng *r, uint32_t number)
{
	static const char *const topologies[] = {
	    "", "topology='TORUS' topo_parameters='3,4'", "topology='TORUS' topo_parameters='12'",
	    "topology='FAT_TREE' topo_parameters='2;3,4;2,2;1,2'",
	    "topology='DRAGONFLY' topo_parameters='3,1;2,1;2,1;1'"};

	str_puts(s, "<cluster id='");
	name_put(s, r, number);
	str_printf(s,
	           "' prefix='c%u-' suffix='' radical='0-11' speed='1Gf' bw='%uGBps' lat='1us' "
	           "sharing_policy='%s' %s/>\n",
	           number, prop_from(r, 1, 3), prop_once_in(r, 2) ? "SHARED" : "SPLITDUPLEX",
	           topologies[rng_below(r, 5)]);
}

/* A zone of hosts and links of its own, of clusters, or of zones again. */
static void zone_put(struct str *s, struct rng *r, uint32_t depth, uint32_t *number)
{
	uint32_t children = depth < 3 ? prop_from(r, 0, depth ? 4 : 14) : 0;

	str_puts(s, "<zone id='");
	name_put(s, r, ++*number);
	str_puts(s, "' routing='Full'>\n");
	for (uint32_t i = 0; i < children; i++)
		if (prop_once_in(r, 2))
			cluster_put(s, r, ++*number);
		else
			zone_put(s, r, depth + 1, number);
	if (children == 0) {
		uint32_t hosts = prop_from(r, 1, 4), h = ++*number;

		for (uint32_t i = 0; i < hosts; i++)
			str_printf(s, "<host id='h%u-%u' speed='1Gf'/>\n", h, i);
		for (uint32_t i = 1; i < hosts; i++)
			str_printf(s, "<link id='l%u-%u' bandwidth='%uGBps' latency='1us'/>\n", h,
			           i, i);
		for (uint32_t i = 1; i < hosts; i++)
			str_printf(
			    s, "<route src='h%u-0' dst='h%u-%u'><link_ctn id='l%u-%u'/></route>\n",
			    h, h, i, h, i);
	}
	str_puts(s, "</zone>\n");
}

static void pictures_are_in_order(void **state)
{
	struct prop_run prop = prop_begin(60);

	(void)state;
	for (uint64_t i = 0; i < prop.cases; i++) {
		struct str text = {0};
		uint32_t number = 0;
		struct fixture f;
		struct rng r;

		seed_now = prop.seed + i;
		rng_init(&r, seed_now, "pictures", 0);
		str_puts(&text, "<platform version='4.1'>\n");
		zone_put(&text, &r, 0, &number);
		str_puts(&text, "</platform>\n");
		fixture_must_read(&f, text.s, NULL);
		picture_read(f.p);
		places_check();
		assert_int_equal(hosts_said(), platform_host_count(f.p));
		if (!strstr(pic.texts.s, "more zones")) /* but SimGrid's loopback */
			assert_int_equal(links_said(), platform_link_count(f.p) - 1);
		str_release(&text);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pictures_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
