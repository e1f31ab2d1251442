/* test_draw.c: pictures are well-formed XML that names every zone drawn; the bottleneck of a route
 * is its least bandwidth, counted as often as it is crossed; a generated machine has the links that
 * its formula gives. */
#include "lib.h"

#include <expat.h>

static uint32_t elements(const char *svg)
{
	XML_Parser x = XML_ParserCreate(NULL);
	uint32_t n = 0;

	assert_int_equal(XML_Parse(x, svg, (int)strlen(svg), 1), XML_STATUS_OK);
	XML_ParserFree(x);
	for (const char *p = svg; (p = strchr(p, '<')); p++)
		n++;
	return n;
}

static void well_formed(void **state)
{
	static const char *const wanted[] = {"world", "site", "hall", "rack", "far"};
	struct fixture f;
	struct str svg;

	(void)state;
	fixture_must_read(&f,
	                  "<platform version='4.1'><zone id='world' routing='Full'><zone "
	                  "id='a&lt;&amp;' routing='None'>"
	                  "<host id='h' speed='1f'/></zone><cluster id='c' prefix='n' suffix='' "
	                  "radical='0-9' speed='1f' bw='1Bps' lat='1s'/>"
	                  "</zone></platform>",
	                  NULL);
	str_init(&svg);
	assert_ok(platform_draw(f.p, &svg, &f.err), f.err);
	assert_true(elements(svg.s) > 20);
	assert_non_null(strstr(svg.s, "a&lt;&amp;"));
	assert_non_null(strstr(svg.s, "20 links of 1 B/s, 1 s"));
	str_release(&svg);
	fixture_release(&f);

	char path[512];
	snprintf(path, sizeof path, "%s/tests/platforms/zones_nested.xml", getenv("SRC"));
	config_init(&f.cfg, &f.err);
	f.p = platform_read(path, &f.cfg, &f.err);
	assert_non_null(f.p);
	str_init(&svg);
	assert_ok(platform_draw(f.p, &svg, &f.err), f.err);
	elements(svg.s);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		assert_non_null(strstr(svg.s, wanted[i]));
	str_release(&svg);
	fixture_release(&f);
}

/* 2000 children: some are drawn, the picture says how many are not. */
static void many(void **state)
{
	struct fixture f;
	struct str xml, svg;

	(void)state;
	str_init(&xml);
	str_puts(&xml, "<platform version='4.1'><zone id='w' routing='None'>");
	for (int i = 0; i < 2000; i++)
		str_printf(&xml, "<zone id='z%d' routing='None'><host id='h%d' speed='1f'/></zone>",
		           i, i);
	str_puts(&xml, "</zone></platform>");
	fixture_must_read(&f, xml.s, NULL);
	str_init(&svg);
	assert_ok(platform_draw(f.p, &svg, &f.err), f.err);
	elements(svg.s);
	assert_non_null(strstr(svg.s, "and 1988 more zones"));
	assert_true(svg.n < 20000);
	str_release(&svg);
	str_release(&xml);
	fixture_release(&f);
}

/* shared: 30 B/s crossed twice leaves 15 to each crossing, less than fast's 20; fatpipe of 18 is
 * never divided. */
static void bottleneck(void **state)
{
	struct fixture f;
	struct host_id a, b;
	struct route r;
	struct str svg;

	(void)state;
	fixture_must_read(
	    &f,
	    "<platform version='4.1'><zone id='w' routing='Full'><host id='a' speed='1f'/><host "
	    "id='b' speed='1f'/>"
	    "<link id='fast' bandwidth='20Bps' latency='1s'/><link id='twice' bandwidth='30Bps' "
	    "latency='2s'/>"
	    "<link id='pipe' bandwidth='18Bps' latency='0s' sharing_policy='FATPIPE'/>"
	    "<route src='a' dst='b'><link_ctn id='fast'/><link_ctn id='twice'/><link_ctn "
	    "id='pipe'/><link_ctn id='twice'/>"
	    "<link_ctn id='pipe'/></route></zone></platform>",
	    NULL);
	assert_int_equal(platform_host_find(f.p, "a", &a), 0);
	assert_int_equal(platform_host_find(f.p, "b", &b), 0);
	route_init(&r);
	assert_ok(route_find(f.p, a, b, &r, &f.err), f.err);
	assert_int_equal(route_bottleneck(f.p, &r), 1);
	str_init(&svg);
	assert_ok(route_draw(f.p, a, b, &r, &svg, &f.err), f.err);
	elements(svg.s);
	assert_non_null(strstr(svg.s, "class=\"hot\">twice<"));
	assert_non_null(strstr(svg.s, "40 %")); /* 2 of 5 s, each time */
	str_release(&svg);
	route_release(&r);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(well_formed),
	    cmocka_unit_test(many),
	    cmocka_unit_test(bottleneck),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
