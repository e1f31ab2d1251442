/* test_names.c: finding hosts whose names are computed, and the one name space. */
#include "lib.h"

#define CLUSTER(id, prefix, radical, suffix) \
	"<cluster id='" id "' prefix='" prefix "' radical='" radical "' suffix='" suffix \
	"' speed='1Gf' bw='1GBps' lat='1us'/>\n"
#define ZONE(body) \
	"<platform version='4.1'>\n<zone id='w' routing='Full'>\n" body "</zone>\n</platform>\n"

/* More families than are tried one by one; none has a host of the tests' names. */
#define OTHER(id, prefix, suffix) CLUSTER(id, prefix, "0-3", suffix)
#define SOME_OTHERS OTHER("other1", "o", "") OTHER("other2", "p", "q")
#define OTHERS SOME_OTHERS OTHER("other3", "q", "-1") OTHER("other4", "r-", "")

static int find(const struct platform *p, const char *name)
{
	struct host_id h;
	return platform_host_find(p, name, &h) < 0 ? -1 : (int)h.v;
}

static void check_numbers(const char *xml)
{
	struct fixture f;
	fixture_must_read(&f, xml, NULL);
	assert_int_equal(find(f.p, "n1-0.x2.y"), 0);
	assert_int_equal(find(f.p, "n1-10.x2.y"), 4);
	assert_int_equal(find(f.p, "5"), 5);
	assert_int_equal(find(f.p, "6"), 6);
	assert_int_equal(find(f.p, "n1-4.x2.y"), -1);
	assert_int_equal(find(f.p, "n1-00.x2.y"), -1);
	assert_int_equal(find(f.p, "n1-.x2.y"), -1);
	assert_int_equal(find(f.p, "n1-+1.x2.y"), -1);
	assert_int_equal(find(f.p, "4294967301"), -1);
	assert_int_equal(find(f.p, "00000000005"), -1);
	assert_int_equal(find(f.p, "7"), -1);
	assert_int_equal(find(f.p, ""), -1);
	fixture_release(&f);
}

static void a_number_may_be_anywhere_in_the_name(void **state)
{
	(void)state;
	check_numbers(ZONE(CLUSTER("a", "n1-", "0-3,10", ".x2.y") CLUSTER("b", "", "5-6", "")));
	check_numbers(
	    ZONE(CLUSTER("a", "n1-", "0-3,10", ".x2.y") CLUSTER("b", "", "5-6", "") OTHERS));
}

static void check_names(const char *xml)
{
	struct fixture f;
	char name[64];
	fixture_must_read(&f, xml, NULL);
	for (uint32_t h = 0; h < platform_host_count(f.p); h++)
		assert_int_equal(
		    find(f.p, platform_host_name(f.p, (struct host_id){h}, name, sizeof name)),
		    (int)h);
	fixture_release(&f);
}

static void every_name_leads_back_to_its_host(void **state)
{
	(void)state;
	check_names(ZONE(CLUSTER("a", "n", "7-9,100-120,3", "") CLUSTER("b", "n", "0-2,50", "")
	                     CLUSTER("c", "n1", "2-3", "x")));
	check_names(ZONE(CLUSTER("a", "n", "7-9,100-120,3", "") CLUSTER("b", "n", "0-2,50", "")
	                     CLUSTER("c", "n1", "2-3", "x") OTHERS));
}

static void a_zone_or_router_is_not_a_host(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(&f, ZONE(CLUSTER("a", "n", "0", "")), NULL);
	assert_int_equal(find(f.p, "w"), -1);
	assert_int_equal(find(f.p, "a"), -1);
	assert_int_equal(find(f.p, "na_router"), -1);
	fixture_release(&f);
}

static void names_are_unique(void **state)
{
	(void)state;
	assert_refused(ZONE(CLUSTER("a", "n", "0-9", "") CLUSTER("b", "n", "12,9", "")), 4, 28,
	               "two hosts are named 'n9'");
	assert_refused(ZONE(CLUSTER("a", "n", "0-9,4", "")), 3, 28, "two hosts are named 'n4'");
	assert_refused(ZONE(CLUSTER("a", "n", "0-9", "") CLUSTER("a", "m", "0", "")), 4, 10,
	               "'a' is already that of a zone");
	assert_refused(ZONE("<zone id='z' routing='Full'>\n<host id='h' speed='1f'/>\n<host "
	                    "speed='1f' id='h'/>\n</zone>\n"),
	               5, 18, "'h' is already that of a host");
	assert_refused(
	    ZONE("<zone id='z' routing='Full'>\n<host id='n3' speed='1f'/>\n</zone>\n" CLUSTER(
	        "a", "n", "0-9", "")),
	    4, 7, "also that of a host of a cluster");
}

/* "n" + 11 and "n1" + 1 are one name in two families. */
static void clusters_of_different_prefixes_can_clash(void **state)
{
	struct fixture f;
	(void)state;
	fixture_read(&f, ZONE(CLUSTER("a", "n", "11", "") CLUSTER("b", "n1", "1", "")), NULL);
	assert_null(f.p);
	assert_non_null(strstr(f.err.text, "two clusters have a host named 'n11'"));
	fixture_release(&f);
	fixture_must_read(&f, ZONE(CLUSTER("a", "n", "11", "") CLUSTER("b", "n1", "2", "")), NULL);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_number_may_be_anywhere_in_the_name),
	    cmocka_unit_test(every_name_leads_back_to_its_host),
	    cmocka_unit_test(a_zone_or_router_is_not_a_host),
	    cmocka_unit_test(names_are_unique),
	    cmocka_unit_test(clusters_of_different_prefixes_can_clash),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
