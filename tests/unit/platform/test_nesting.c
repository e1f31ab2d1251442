/* test_nesting.c: zones in zones in zones: to any depth, with gateways at each level, and which
 * bypass goes. Ways worked by hand.
 *
 * Level i of the tower is a zone zi that holds a zone ai with the host hi, the next level, and a
 * link li (1 s) between them, from hi to h(i+1). So the way from hi to hk, i < k, is li … l(k-1),
 * of k - i seconds; that back the same links in reverse. */
#include "lib.h"

static void level_open(struct str *s, int i, int levels)
{
	str_printf(s,
	           "<zone id='z%d' routing='Full'><zone id='a%d' routing='Full'><host id='h%d' "
	           "speed='1f'/></zone>\n",
	           i, i, i);
	if (i == levels - 1)
		str_printf(s, "<zone id='z%d' routing='Full'><host id='h%d' speed='1f'/></zone>\n",
		           levels, levels);
}

static void level_close(struct str *s, int i)
{
	str_printf(s,
	           "<link id='l%d' bandwidth='1' latency='1'/><zoneRoute src='a%d' dst='z%d' "
	           "gw_src='h%d' gw_dst='h%d'>",
	           i, i, i + 1, i, i + 1);
	str_printf(s, "<link_ctn id='l%d'/></zoneRoute></zone>\n", i);
}

static void tower(struct fixture *f, int levels)
{
	struct str s;
	str_init(&s);
	str_puts(&s, "<platform version='4.1'>");
	for (int i = 0; i < levels; i++)
		level_open(&s, i, levels);
	for (int i = levels - 1; i >= 0; i--)
		level_close(&s, i);
	str_puts(&s, "</platform>");
	fixture_must_read(f, s.s, NULL);
	str_release(&s);
}

static void check_tower(const struct platform *p, int from, int to)
{
	char a[16], b[16], name[32], expected[32];
	struct route r;
	struct err err;
	uint32_t n = (uint32_t)(to > from ? to - from : from - to);
	route_init(&r);
	snprintf(a, sizeof a, "h%d", from);
	snprintf(b, sizeof b, "h%d", to);
	assert_ok(route_find(p, host_named(p, a), host_named(p, b), &r, &err), err);
	assert_int_equal(r.n, n);
	assert_double_is(r.latency, n);
	for (uint32_t i = 0; i < n; i++) {
		snprintf(expected, sizeof expected, "l%d",
		         to > from ? from + (int)i : from - 1 - (int)i);
		assert_string_equal(platform_link_name(p, r.links[i], name, sizeof name), expected);
	}
	route_release(&r);
}

static void any_depth(void **state)
{
	struct fixture f;
	struct str s;
	(void)state;
	tower(&f, 3);
	check_tower(f.p, 0, 3);
	check_tower(f.p, 3, 1);
	fixture_release(&f);
	tower(
	    &f,
	    3000); /* recursion would be as deep, for the way down is the first of what it needs */
	check_tower(f.p, 0, 3000);
	check_tower(f.p, 3000, 0);
	check_tower(f.p, 1234, 2345);
	str_init(&s);
	platform_zones_text(f.p, &s);
	assert_true(s.n < 1 << 20); /* indented within reason */
	str_release(&s);
	fixture_release(&f);
}

/* z holds a, that holds aa, that holds aaa with the host s; so it does b, bb, bbb with the host
 * d. */
#define SIDE(X, H) \
	"<zone id='" X "' routing='Full'><zone id='" X X "' routing='Full'><zone id='" X X X \
	"' routing='Full'>" \
	"<host id='" H "' speed='1f'/></zone></zone></zone>"
#define LINK(ID) "<link id='" ID "' bandwidth='1' latency='1'/>"
#define BY(A, B, L) \
	"<bypassZoneRoute src='" A "' dst='" B "' gw_src='s' gw_dst='d'><link_ctn id='" L \
	"'/></bypassZoneRoute>"

/* others: bypasses that have nothing to do with it, so that there are more of them than pairs of
 * zones. */
static void check_bypass(const char *bypasses, int others, const char *expected)
{
	struct fixture f;
	struct str s;
	str_init(&s);
	str_puts(&s, "<platform version='4.1'><zone id='z' routing='Full'>" SIDE("a", "s")
	                 SIDE("b", "d"));
	for (int i = 0; i <= others; i++)
		str_printf(&s, "<zone id='o%d' routing='Full'><host id='p%d' speed='1f'/></zone>",
		           i, i);
	str_puts(&s, LINK("1") LINK("2") LINK("3") LINK("far"));
	str_puts(
	    &s,
	    "<zoneRoute src='a' dst='b' gw_src='s' gw_dst='d'><link_ctn id='far'/></zoneRoute>");
	for (int i = 0; i < others; i++)
		str_printf(&s,
		           "<bypassZoneRoute src='o%d' dst='o%d' gw_src='p%d' "
		           "gw_dst='p%d'><link_ctn id='far'/></bypassZoneRoute>",
		           i, i + 1, i, i + 1);
	str_printf(&s, "%s</zone></platform>", bypasses);
	fixture_must_read(&f, s.s, NULL);
	assert_string_equal(route_text(f.p, "s", "d", NULL), expected);
	assert_string_equal(route_text(f.p, "d", "s", NULL), "far");
	fixture_release(&f);
	str_release(&s);
}

static void innermost_bypass(void **state)
{
	(void)state;
	for (int others = 0; others < 20; others += 15) {
		check_bypass("", others, "far");
		check_bypass(BY("a", "b", "1"), others, "1");
		/* the outer zone of the pair decides: aa, bb; then the inner one; then that of the
		 * source */
		check_bypass(BY("aaa", "b", "1") BY("a", "bbb", "2") BY("aa", "bb", "3"), others,
		             "3");
		check_bypass(BY("a", "bbb", "2") BY("aaa", "b", "1") BY("aa", "b", "3"), others,
		             "1");
		check_bypass(BY("aa", "b", "3") BY("a", "bbb", "2"), others, "2");
		check_bypass(BY("a", "bb", "1") BY("aa", "b", "3"), others, "3");
		check_bypass(BY("a", "b", "1") BY("aaa", "bbb", "2"), others, "2");
	}
}

/* What is missing, and where the zone is that lacks it. */
static void missing(void **state)
{
	static const char *const texts[] = {
	    "<platform version='4.1'>\n<zone id='w' routing='Full'>\n  <zone id='x' "
	    "routing='None'><host id='s' speed='1f'/><host "
	    "id='g' "
	    "speed='1f'/></zone>\n"
	    "<zone id='y' routing='None'><host id='d' speed='1f'/></zone>" LINK(
	        "l") "<zoneRoute src='x' dst='y' gw_src='g' gw_dst='d'><link_ctn "
	             "id='l'/></zoneRoute></zone></platform>",
	    "<platform version='4.1'>\n<zone id='w' routing='Full'>\n  <zone id='x' "
	    "routing='Full'><host id='s' speed='1f'/><host "
	    "id='g' "
	    "speed='1f'/></zone>\n"
	    "<zone id='y' routing='None'><host id='d' speed='1f'/></zone>" LINK(
	        "l") "<zoneRoute src='x' dst='y' gw_src='g' gw_dst='d'><link_ctn "
	             "id='l'/></zoneRoute></zone></platform>",
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct fixture f;
		struct route r;
		char place[128];
		fixture_must_read(&f, texts[i], NULL);
		route_init(&r);
		snprintf(place, sizeof place, "%s:3:9) has no <route> from host 's' to host 'g'",
		         f.path);
		assert_fails(
		    route_find(f.p, host_named(f.p, "s"), host_named(f.p, "d"), &r, &f.err), f.err,
		    ERR_INPUT, place);
		route_release(&r);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_depth),
	    cmocka_unit_test(innermost_bypass),
	    cmocka_unit_test(missing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
