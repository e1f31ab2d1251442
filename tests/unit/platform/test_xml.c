/* test_xml.c: the validating front: order, attributes, versions, and malformed files, each with its
 * place. */
#include "lib.h"

#define P4(body) "<platform version='4.1'>\n" body "\n</platform>\n"
#define ZONE(body) P4("<zone id='w' routing='Full'>\n" body "\n</zone>")
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define HOST "<host id='h' speed='1f'/>"

static void structure(void **state)
{
	(void)state;
	assert_refused("<plat/>", 1, 1, "unknown element <plat>");
	assert_refused("<host id='a' speed='1f'/>", 1, 1,
	               "the root element is <host>, expected <platform>");
	assert_refused(ZONE("<hots id='a'/>"), 3, 1, "unknown element <hots>");
	assert_refused(ZONE(HOST "\n<route src='h' dst='h'/>\n<host id='b' speed='1f'/>"), 4, 1,
	               "empty route");
	assert_refused(
	    ZONE("<link id='l' bandwidth='1'/>\n" HOST
	         "<route src='h' dst='h'><link_ctn id='l'/></route>\n<host id='b' speed='1f'/>"),
	    5, 1, "<host> is not allowed here in <zone>");
	assert_refused(ZONE(HOST "<prop id='a' value='b'/>"), 3, 26,
	               "<prop> is not allowed here in <zone>");
	assert_refused(ZONE(HOST "<zone id='z' routing='Full'/>"), 3, 26,
	               "<zone> is not allowed here in <zone>");
	assert_refused(ZONE("<host id='a' speed='1f'>text</host>"), 3, 25,
	               "text is not allowed in <host>");
	assert_refused(P4("<zone id='w' routing='Full'>" HOST "</zone>\n<config/>"), 3, 1,
	               "<config> is not allowed here in <platform>");
}

static void attributes(void **state)
{
	(void)state;
	assert_refused(ZONE("<host id='a'\n  sped='1f'/>"), 4, 3,
	               "unknown attribute 'sped' of <host>; it has: id, speed");
	assert_refused(ZONE("<host id='a'/>"), 3, 1, "<host> lacks the attribute 'speed'");
	assert_refused(ZONE("<host id='a' power='1f'/>"), 3, 14,
	               "is called 'speed' in this version");
	assert_refused(ZONE("<host id='a' speed='1GF'/>"), 3, 14, "speed of <host>: ");
	assert_refused(ZONE("<host id='a' speed='-1'/>"), 3, 14, "cannot be negative");
	assert_refused(ZONE("<host id='a' speed='1f' core='0'/>"), 3, 25,
	               "expected an integer from 1");
	assert_refused(ZONE("<host id='a' speed='1f,2f' pstate='2'/>"), 3, 14,
	               "no value for this pstate");
	assert_refused(ZONE("<host id='a' speed='1,5Gf'/>"), 3, 14, "a decimal point");
	assert_refused(ZONE("<host id='a' speed='5Gf,1,5Gf'/>"), 3, 14, "a decimal point");
	assert_refused(ZONE("<host id='a' speed='1e400Gf'/>"), 3, 14, "it is too large");
	assert_refused(ZONE("<host id='a' speed='1" ZEROS ZEROS "f'/>"), 3, 14, "127 characters");
	assert_refused(ZONE("<host id='a' speed='1f' coordinates='1 2'/>"), 3, 25, "three numbers");
	assert_refused(ZONE("<host id='a' speed='1f' speed_file='x'/>"), 3, 25,
	               "there is no file 'x'");
	assert_refused(ZONE("<link id='a' bandwidth='0'/>"), 3, 14, "must be positive");
	assert_refused(ZONE("<link id='a' bandwidth='-1'/>"), 3, 14, "must be positive");
	assert_refused(ZONE("<link id='a' bandwidth='1KBps'/>"), 3, 14, "bandwidth of <link>: ");
	assert_refused(ZONE("<link id='a' bandwidth='1' latency='-1s'/>"), 3, 28,
	               "cannot be negative");
	assert_refused(ZONE("<link id='a' bandwidth='1' sharing_policy='WIFI'/>"), 3, 28, "Wi-Fi");
	assert_refused(ZONE("<link id='a' bandwidth='1' sharing_policy='shared'/>"), 3, 28,
	               "expected one of SHARED|");
	assert_refused(P4("<zone id='w' routing='Fool'>"), 2, 14,
	               "routing 'Fool' is not supported; supported: Full");
	assert_refused(ZONE("<link id='é' bandwidth='0'/>"), 3, 14,
	               "must be positive"); /* a column is a character */
}

static void versions(void **state)
{
	(void)state;
	assert_refused("<platform>", 1, 1, "versions 1 to 4.1 are read");
	assert_refused("<platform version='4.2'>", 1, 11, "versions 1 to 4.1 are read");
	assert_refused("<platform version='0.9'>", 1, 11, "simgrid_update_xml");
	assert_refused("<platform version='x'>", 1, 11, "expected a number");
}

static void version_3_names(void **state)
{
	struct fixture f;
	struct host_info info;
	(void)state;
	fixture_must_read(
	    &f,
	    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM "
	    "'http://simgrid.gforge.inria.fr/simgrid.dtd'>\n"
	    "<platform version='3'>\n<AS id='w' routing='Full'>\n"
	    "<cluster id='c' prefix='n' suffix='' radical='0-1' power='3.68E9' bw='1.25E8' "
	    "lat='15E-6' "
	    "sharing_policy='FULLDUPLEX'/>\n"
	    "<AS id='z' routing='Full'><host id='h' power='4' availability='0.5' "
	    "state='ON'/></AS>\n"
	    "<link id='l' bandwidth='1e6' latency='1e-3' state='ON'/>\n"
	    "<ASroute src='z' dst='c' gw_src='h' gw_dst='nc_router'><link_ctn id='l'/></ASroute>\n"
	    "</AS>\n<process host='h' function='x'/></platform>\n",
	    NULL);
	platform_host(f.p, host_named(f.p, "h"), &info);
	assert_double_is(info.speed, 2);
	assert_string_equal(route_text(f.p, "h", "n1", NULL), "l c_link_1_DOWN");
	assert_non_null(strstr(f.cfg.notices.s, "<process> changes nothing here"));
	fixture_release(&f);
	assert_refused("<platform version='3'>\n<AS id='w' routing='Full'><host id='h' "
	               "speed='1'/></AS></platform>",
	               2, 40, "is called 'power' in this version");
}

static void settings(void **state)
{
	struct fixture f;
	(void)state;
	/* the first of two counts, of two <config> too; command line first */
	fixture_must_read(&f,
	                  P4("<config id='x'><prop id='network/loopback-lat' value='2'/><prop "
	                     "id='network/loopback-lat' value='3'/>"
	                     "<prop id='network/loopback-bw' value='5'/></config>\n<config><prop "
	                     "id='network/loopback-lat' value='4'/></config><zone id='w' "
	                     "routing='Full'>" HOST "</zone>"),
	                  "network/loopback-bw:7");
	struct link_info info;
	platform_link(f.p, (struct link_id){0}, &info);
	assert_double_is(info.latency, 2);
	assert_double_is(info.bandwidth, 7);
	fixture_release(&f);
	assert_refused(P4("<config>\n<prop id='network/loopback-latt' value='2'/>\n</config>"), 3,
	               1, "network/loopback-lat");
}

/* smpirun sets these before it reads the platform. */
static void model_of_a_platform(void **state)
{
	static const char text[] = P4(
	    "<config><prop id='network/model' value='LV08'/><prop id='surf/precision' "
	    "value='1e-4'/></config><zone id='w' routing='Full'>" HOST "</zone>");
	static const struct {
		const char *settings, *model;
		double precision;
	} cases[] = {{NULL, "LV08", 1e-4},
	             {"compat:simgrid-3.32", "hybrid", 1e-9},
	             {"compat:simgrid-3.32 network/model:CM02 surf/precision:1e-6", "CM02", 1e-6}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		fixture_must_read(&f, text, cases[i].settings);
		assert_string_equal(config_text(&f.cfg, CFG_NET_MODEL), cases[i].model);
		assert_double_is(config_number(&f.cfg, CFG_PRECISION_TIME), cases[i].precision);
		fixture_release(&f);
	}
}

static void refused_by_name(void **state)
{
	struct fixture f;

	(void)state;
	assert_refused(P4("<include file='x'/>"), 2, 1, "<include> is not supported");
	assert_refused(ZONE("<link id='a' bandwidth='1' sharing_policy='WIFI'/>"), 3, 28,
	               "Wi-Fi links are not supported");
	fixture_read(&f, ZONE("<link id='a' bandwidth='1' sharing_policy='x'/>"), NULL);
	assert_non_null(
	    strstr(f.err.text, "expected one of SHARED|SPLITDUPLEX|FULLDUPLEX|FATPIPE"));
	assert_null(strstr(f.err.text, "WIFI")); /* what is refused is not offered */
	fixture_release(&f);
}

static void hosts_are(const char *text, uint32_t n)
{
	struct fixture f;
	fixture_must_read(&f, text, NULL);
	assert_int_equal(platform_host_count(f.p), n);
	fixture_release(&f);
}

/* What SimGrid's parser lets pass, and files in use have; places stay those of the file. */
static void not_quite_xml(void **state)
{
	(void)state;
	hosts_are("\n<?xml version='1.0'?>\n" ZONE(HOST), 1);
	hosts_are("\xef\xbb\xbf <!-- a -- b --->\n<!-- c --><?xml version='1.0' "
	          "encoding='ISO-8859-1'?><!-- \xe9 -->" ZONE(HOST),
	          1);
	hosts_are(ZONE("<!-- ---\n-- <host id='no'/>\n --- ---->" HOST "<!-- -- -->"), 1);
	hosts_are("<?xml version='1.0' encoding='ASCII'?>" ZONE(HOST), 1);
	hosts_are("<?xml version='1.0' encoding='windows-1252'?>" ZONE("<!-- \x80 -->" HOST), 1);
	assert_refused("\n<?xml version='1.0'?>\n" ZONE("<hots id='a'/>"), 5, 1,
	               "unknown element <hots>");
	assert_refused(ZONE("<!-- -- a\n --- -->   <hots id='a'/>"), 4, 12,
	               "unknown element <hots>");
	assert_refused(ZONE("<!-- a --"), 3, 10, "not well-formed XML");
	assert_refused("<platform version='4.1'><?xml version='1.0'?></platform>", 1, 25,
	               "not well-formed XML");
}

static void malformed(void **state)
{
	struct fixture f;
	(void)state;
	assert_refused("", 1, 1, "the file is empty: neither XML");
	assert_refused("\x7f\x45LF", 1, 1, "neither XML");
	assert_refused("<platform version='4.1'>", 1, 25, "not well-formed XML");
	assert_refused("<platform version='4.1'><zone></platform>", 1, 25,
	               "<zone> lacks the attribute 'id'");
	assert_refused(
	    "<!DOCTYPE p [<!ENTITY a 'x'><!ENTITY b '&a;&a;&a;'>]>\n<platform version='4.1'/>", 1,
	    25, "entity 'a' is declared");
	fixture_read(&f, "<platform version='4.1'/>", NULL);
	assert_null(f.p);
	assert_non_null(strstr(f.err.text, "has no host"));
	fixture_release(&f);
	assert_refused(
	    P4("<zone id='a' routing='Full'>" HOST "</zone>\n<zone id='b' routing='Full'/>"), 3, 7,
	    "a platform has one outermost zone");
}

/* What SimGrid's converter changes in versions 1 and 2: one zone around all, routes one way only,
 * other words. */
static void old_versions(void **state)
{
	static const char *const texts[] = {
	    "<platform_description version='1'><cpu name='a' power='3'/><cpu name='b' "
	    "power='4'/><network_link name='l' "
	    "bandwidth='5' latency='6'/>"
	    "<network_link name='m' bandwidth='7' latency='8'/><route src='a' "
	    "dst='b'><route_element name='l'/></route>"
	    "<route src='b' dst='a'><route_element name='m'/><route_element "
	    "name='l'/></route></platform_description>",
	    "<platform version='2'><host id='a' power='3'/><host id='b' power='4'/><link id='l' "
	    "bandwidth='5' latency='6'/>"
	    "<link id='m' bandwidth='7' latency='8'/><route src='a' dst='b'><link:ctn "
	    "id='l'/></route>"
	    "<route src='b' dst='a'><link:ctn id='m'/><link:ctn id='l'/></route></platform>"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct fixture f;
		struct host_info h;
		struct route r;
		fixture_must_read(&f, texts[i], NULL);
		struct host_id a = host_named(f.p, "a"), b = host_named(f.p, "b");
		platform_host(f.p, b, &h);
		assert_true(h.speed == 4);
		route_init(&r);
		assert_ok(route_find(f.p, a, b, &r, &f.err), f.err);
		assert_true(r.n == 1 && r.latency == 6);
		assert_ok(route_find(f.p, b, a, &r, &f.err), f.err);
		assert_true(r.n == 2 && r.latency == 14);
		route_release(&r);
		fixture_release(&f);
	}
	struct fixture f;
	fixture_read(&f,
	             "<platform version='2'><host id='a' power='3'/><host id='b' power='4'/><link "
	             "id='l' bandwidth='5' latency='6'/>"
	             "<route src='a' dst='b'><link:ctn id='l'/></route></platform>",
	             NULL);
	assert_non_null(f.p);
	struct route r;
	route_init(&r);
	assert_int_equal(route_find(f.p, host_named(f.p, "b"), host_named(f.p, "a"), &r, &f.err),
	                 -1); /* one way only */
	route_release(&r);
	fixture_release(&f);
	fixture_read(&f, "<platform version='3'><link:ctn id='l'/></platform>", NULL);
	assert_null(f.p);
	assert_non_null(strstr(f.err.text, "does not exist in this version"));
	fixture_release(&f);
}

/* SimGrid 3.13 to 3.15 wrote version 4, and took this attribute, of which nothing was made. */
static void content_type_of_storage(void **state)
{
	static const char text[] =
	    "<platform version='%s'><AS id='w' routing='Full'>"
	    "<storage_type id='t' model='linear' size='1GB' content='f.txt' "
	    "content_type='txt_unix'><model_prop id='Bread' value='1MBps'/></storage_type>"
	    "<storage id='s' typeId='t' content_type='txt_unix' attach='h'/>"
	    "<host id='h' %s='1f'/></AS></platform>";
	char written[1024];
	struct fixture g;

	(void)state;
	for (int version = 3; version <= 4; version++) {
		snprintf(written, sizeof written, text, version == 3 ? "3" : "4",
		         version == 3 ? "power" : "speed");
		fixture_must_read(&g, written, NULL);
		assert_int_equal(platform_host_count(g.p), 1);
		fixture_release(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(old_versions),
	    cmocka_unit_test(structure),
	    cmocka_unit_test(attributes),
	    cmocka_unit_test(versions),
	    cmocka_unit_test(version_3_names),
	    cmocka_unit_test(settings),
	    cmocka_unit_test(model_of_a_platform),
	    cmocka_unit_test(refused_by_name),
	    cmocka_unit_test(not_quite_xml),
	    cmocka_unit_test(malformed),
	    cmocka_unit_test(content_type_of_storage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
