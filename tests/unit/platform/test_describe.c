/* test_describe.c: the tree of zones in words and JSON, and what compat changes. */
#include "lib.h"

#define P4(body) "<platform version='4.1'>\n" body "</platform>\n"
#define C(id, prefix, radical, more) \
	"<cluster id='" id "' prefix='" prefix "' suffix='' radical='" radical \
	"' speed='1' bw='1' lat='0' " more "/>\n"

static void zones(void **state)
{
	struct fixture f;
	struct str text;
	struct json j;
	(void)state;
	fixture_must_read(&f,
	                  P4("<zone id='w' routing='Full'>\n<zone id='z' routing='None'><host "
	                     "id='h' speed='1'/></zone>\n" C("c", "n", "3-4", "") "</zone>\n"),
	                  NULL);
	str_init(&text);
	platform_zones_text(f.p, &text);
	assert_string_equal(
	    text.s,
	    "w: Full\n  z: None, 1 host from h\n  c: flat cluster, 2 hosts from n3, 4 links\n");
	str_clear(&text);
	json_init(&j, &text);
	platform_zones_json(f.p, &j);
	assert_string_equal(
	    text.s,
	    "[{\"id\":\"w\",\"kind\":\"Full\",\"parent\":null,\"line\":2,\"hosts\":0,\"links\":0},"
	    "{\"id\":\"z\",\"kind\":\"None\",\"parent\":\"w\",\"line\":3,\"hosts\":1,\"links\":0},"
	    "{\"id\":\"c\",\"kind\":\"flat "
	    "cluster\",\"parent\":\"w\",\"line\":4,\"hosts\":2,\"links\":4}]");
	str_release(&text);
	fixture_release(&f);
}

static void concerns(const char *text, int n, const char *part)
{
	struct fixture f;
	struct str out;
	fixture_must_read(&f, text, NULL);
	str_init(&out);
	str_puts(&out, "");
	assert_int_equal(platform_check(f.p, &out), n);
	if (part && !strstr(out.s, part))
		fail_msg("%s is not in: %s", part, out.s);
	str_release(&out);
	fixture_release(&f);
}

static void what_compat_changes(void **state)
{
	(void)state;
	concerns(P4(C("c", "n", "0-9", "loopback_bw='1'")), 0, NULL);
	concerns(P4(C("c", "n", "0-10", "")), 1, "the first that differs is 'n10'");
	concerns(P4(C("c", "n", "0-1", "sharing_policy='FATPIPE'")), 1,
	         ":2:10: zone 'c' (flat cluster): its private links are FATPIPE");
	concerns(P4(C("c", "n", "0-1", "topology='TORUS' topo_parameters='2'")), 1,
	         "global loopback");
	concerns(P4(C("c", "n", "0-3", "topology='FAT_TREE' topo_parameters='2;2,2;1,1;2,2'")), 1,
	         "parallel cables");
	concerns(P4(C("c", "n", "0-3", "topology='DRAGONFLY' topo_parameters='1,1;2,1;2,1;1'")), 1,
	         "green cable");
	concerns(P4("<zone id='w' routing='Full'>" C(
	             "c", "n", "0", "topology='FAT_TREE' topo_parameters='1;1;1;1'")
	                C("d", "n", "1",
	                  "topology='FAT_TREE' topo_parameters='1;1;1;1' "
	                  "sharing_policy='FATPIPE'") "</zone>"),
	         2, "not the first fat tree");
}

/* From a to b no link takes time, from c the first of two does. A host's way to itself is not
 * counted. */
static void ways_without_latency(void **state)
{
	struct fixture f;
	struct str out;
	uint64_t tried;

	(void)state;
	fixture_must_read(
	    &f,
	    P4("<zone id='z' routing='Full'><host id='a' speed='1'/><host id='b' speed='1'/>"
	       "<host id='c' speed='1'/><link id='s' bandwidth='1' latency='0'/>"
	       "<link id='l' bandwidth='1' latency='1'/>"
	       "<route src='a' dst='b'><link_ctn id='s'/></route>"
	       "<route src='a' dst='c'><link_ctn id='l'/></route>"
	       "<route src='c' dst='b'><link_ctn id='l'/><link_ctn id='s'/></route></zone>"),
	    NULL);
	str_init(&out);
	str_puts(&out, "");
	assert_ok(platform_routes_try(f.p, &out, &tried, &f.err), f.err);
	assert_int_equal(tried, 9);
	assert_string_equal(
	    out.s, "2 of the routes tried, the first from 'a' to 'b', have no latency: on "
	           "links that others use too, SimGrid leaves almost nothing to messages "
	           "there\n"
	           "6 of the routes tried, the first from 'a' to 'b', have a latency of a "
	           "second or more, or 100 kB/s or less: without a unit a figure is one of "
	           "seconds, or of bytes a second\n");
	str_release(&out);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(zones),
	                                   cmocka_unit_test(what_compat_changes),
	                                   cmocka_unit_test(ways_without_latency)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
