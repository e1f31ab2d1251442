/* test_net.c: what a message and a computation cost, against formulas worked by hand
 * (docs/models.md; SimGrid's documentation for LV08). */
#include "fixture.h"

#include <math.h>

static double alone(const char *xml, const char *settings, const char *from, const char *to,
                    double bytes)
{
	struct fixture f;
	double date;

	fixture_init(&f, xml, settings);
	send(&f, from, to, bytes, 1);
	date = next(&f, 1);
	fixture_release(&f);
	return date;
}

#define TWO_HOSTS(bw, lat, policy) \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf' " \
	"core='2'/><host id='b' speed='1Gf'/>" \
	"<link id='l' bandwidth='" bw "' latency='" lat "' sharing_policy='" policy "'/>" \
	"<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>"
#define CROSSBAR \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' " \
	"bw='125MBps' " \
	"lat='50us'/></platform>"

/* SimGrid's documentation: 100 kB over one link of 1 Mb/s shared by both ways. (1.05 is kept as a
 * float: 5e-8 off.) */
static void lv08(void **state)
{
	(void)state;
	assert_close(
	    alone(TWO_HOSTS("1Mbps", "10ms", "SHARED"), "network/model:LV08", "a", "b", 100e3),
	    0.01 * 13.01 + 800000 / ((0.97 * 1e6) / 1.05), 1e-7);
	assert_close(0.01 * 13.01 + 800000 / ((0.97 * 1e6) / 1.05), 0.996079, 1e-6);
	/* each way its own: nothing is lost to the acknowledgements */
	assert_close(
	    alone(TWO_HOSTS("1Mbps", "10ms", "FATPIPE"), "network/model:LV08", "a", "b", 100e3),
	    0.01 * 13.01 + 800000 / (0.97 * 1e6), 1e-12);
}

/* 10 GB over 10 GB/s, ever longer: the TCP window of 4 MiB per round trip takes over. (SimGrid's
 * documentation: 1.00001, 4.77, 476.94 s.) */
static void cm02_and_its_window(void **state)
{
	const double bytes = 1e10;

	(void)state;
	assert_close(
	    alone(TWO_HOSTS("10GBps", "1e-5s", "FATPIPE"), "network/model:CM02", "a", "b", bytes),
	    1e-5 + 1, 1e-12);
	assert_close(
	    alone(TWO_HOSTS("10GBps", "1e-3s", "FATPIPE"), "network/model:CM02", "a", "b", bytes),
	    1e-3 + bytes * 2e-3 / 4194304, 1e-12);
	assert_close(
	    alone(TWO_HOSTS("10GBps", "0.1s", "FATPIPE"), "network/model:CM02", "a", "b", bytes),
	    0.1 + bytes * 0.2 / 4194304, 1e-12);
	assert_close(alone(TWO_HOSTS("10GBps", "0.1s", "FATPIPE"),
	                   "network/model:CM02 network/TCP-gamma:0", "a", "b", bytes),
	             0.1 + 1, 1e-12);
}

/* Two private links of 125 MB/s and 50 us. One byte: 17 with the envelope. */
static void hybrid(void **state)
{
	(void)state;
	assert_close(alone(CROSSBAR, NULL, "n0", "n1", 17), 2.01467e-4 + 17 / (0.812084 * 125e6),
	             1e-12);
	assert_close(alone(CROSSBAR, "network/model:SMPI", "n0", "n1", 1e6 + 16),
	             1.16436e-3 + 1000016 / (0.940694 * 125e6), 1e-12);
	assert_close(alone(CROSSBAR, "smpi/bw-factor:0:0.5;1000:0.25 smpi/lat-factor:0:2;1000:3",
	                   "n0", "n1", 1000),
	             2e-4 + 1000 / (0.5 * 125e6), 1e-12);
	assert_close(alone(CROSSBAR, "smpi/bw-factor:0:0.5;1000:0.25 smpi/lat-factor:0:2;1000:3",
	                   "n0", "n1", 1001),
	             3e-4 + 1001 / (0.25 * 125e6), 1e-12);
}

static void constant(void **state)
{
	(void)state;
	assert_double_is(
	    alone(CROSSBAR, "network/model:constant network/latency-factor:0.125", "n0", "n1", 1e9),
	    0.125);
	assert_double_is(alone(CROSSBAR, "network/model:constant", "n0", "n0", 1), 1);
}

/* The way back of a message goes through the first link of the other: it takes 5 % of its rate
 * there. n0 -> n1 and n1 -> n0 at 100 MB/s each on full-duplex links: x + 0.05 x <= 125e6 on all
 * four. */
static void crosstraffic(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, CROSSBAR, "network/model:CM02");
	send(&f, "n0", "n1", 1e6, 1);
	send(&f, "n1", "n0", 1e6, 2);
	assert_close(next_of_any(&f), 1e-4 + 1e6 * 1.05 / 125e6, 1e-7);
	fixture_release(&f);
	fixture_init(&f, CROSSBAR, "network/model:CM02 network/crosstraffic:no");
	send(&f, "n0", "n1", 1e6, 1);
	send(&f, "n1", "n0", 1e6, 2);
	assert_close(next_of_any(&f), 1e-4 + 1e6 / 125e6, 1e-12);
	fixture_release(&f);
}

#define STAR \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/><host " \
	"id='b' speed='1Gf'/><host id='c' " \
	"speed='1Gf'/>" \
	"<link id='common' bandwidth='100MBps' latency='0s' sharing_policy='SHARED'/>" \
	"<link id='near' bandwidth='1GBps' latency='10us' sharing_policy='FATPIPE'/><link " \
	"id='far' bandwidth='1GBps' " \
	"latency='30us' sharing_policy='FATPIPE'/>" \
	"<link id='none' bandwidth='1GBps' latency='0s' sharing_policy='FATPIPE'/>" \
	"<route src='a' dst='b'><link_ctn id='common'/><link_ctn id='near'/></route>" \
	"<route src='a' dst='c'><link_ctn id='common'/><link_ctn id='far'/></route>" \
	"<route src='b' dst='c'><link_ctn id='common'/><link_ctn " \
	"id='none'/></route></zone></platform>"

/* Shares of a common link go as 1 / (L + S x sum of 1 / bandwidth). With S = 0 and latencies of 10
 * and 30 us: 3 to 1. The near flow of 3 MB and the far one of 1 MB would end together, but for the
 * 20 us in which the near one is alone. */
static void shares_by_round_trip(void **state)
{
	const double head = 20e-6 * 100e6; /* bytes moved alone */
	struct fixture f;

	(void)state;
	fixture_init(&f, STAR, "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0");
	send(&f, "a", "b", 3e6 + head, 1);
	send(&f, "a", "c", 1e6 - 100, 2);
	assert_close(next(&f, 2), 30e-6 + (1e6 - 100) / 25e6, 1e-12);
	assert_close(next(&f, 1), 30e-6 + 4e6 / 100e6 - 100 / 100e6, 1e-12);
	fixture_release(&f);
	/* S = 10 kB: p = 10e-6 + 1e4 (1e-8 + 1e-9) = 120e-6 and 140e-6: rates 7/13 and 6/13 */
	fixture_init(&f, STAR,
	             "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 "
	             "network/weight-S:10000");
	send(&f, "a", "b", 7e6 + head, 1);
	send(&f, "a", "c", 6e6 - 100, 2);
	assert_close(next(&f, 2), 30e-6 + (6e6 - 100) / (100e6 * 6 / 13), 1e-12);
	fixture_release(&f);
}

/* A flow without latency phase: SimGrid gives it weight 1, which is next to nothing; here its
 * weight follows from its links like any other's: p = 1e4 x 11e-9 = 110e-6 against 120e-6 for the
 * flow from a. */
static void no_latency(void **state)
{
	const char *settings =
	    "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 network/weight-S:10000";
	char compat[160];
	struct fixture f;
	double full, share = 12.0 / 23, theirs = 1 / (1 + 1 / 120e-6);

	(void)state;
	fixture_init(&f, STAR, settings);
	send(&f, "b", "c", 10e6, 1);
	send(&f, "a", "b", 100e6, 2);
	full = 1000; /* 10 us at 100 MB/s */
	assert_close(next(&f, 1), 10e-6 + (10e6 - full) / (100e6 * share), 1e-12);
	fixture_release(&f);
	snprintf(compat, sizeof compat, "%s compat:simgrid-3.32", settings);
	fixture_init(&f, STAR, compat);
	send(&f, "b", "c", 10e6, 1);
	send(&f, "a", "b", 1e6, 2);
	assert_close(next(&f, 2), 10e-6 + 1e6 / (100e6 * (1 - theirs)), 1e-5);
	fixture_release(&f);
}

/* A link twice on the way counts twice, if it is shared. */
static void link_twice(void **state)
{
	const char *xml =
	    "<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/><host "
	    "id='b' speed='1Gf'/>"
	    "<link id='s' bandwidth='100MBps' latency='1us' sharing_policy='SHARED'/>"
	    "<link id='f' bandwidth='80MBps' latency='1us' sharing_policy='FATPIPE'/>"
	    "<route src='a' dst='b' symmetrical='NO'><link_ctn id='s'/><link_ctn id='s'/></route>"
	    "<route src='b' dst='a' symmetrical='NO'><link_ctn id='f'/><link_ctn "
	    "id='f'/></route></zone></platform>";
	const char *settings = "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0";

	(void)state;
	assert_close(alone(xml, settings, "a", "b", 1e6), 2e-6 + 1e6 / 50e6, 1e-12);
	assert_close(alone(xml, settings, "b", "a", 1e6), 2e-6 + 1e6 / 80e6, 1e-12);
}

/* The same on a way of 60 links, of which the 7th comes again as the last but one, and with the way
 * back through the same links: 1 and 1 there, 0.05 and 0.05 back. A second way through 40 of them,
 * the 7th once. */
static void link_twice_on_a_long_way(void **state)
{
	enum { LINKS = 60, LESS = 40 };
	struct fixture f;
	struct str xml;
	double first;

	(void)state;
	str_init(&xml);
	str_puts(&xml,
	         "<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>"
	         "<host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>");
	for (int i = 0; i < LINKS; i++)
		str_printf(&xml, "<link id='l%d' bandwidth='100MBps' latency='1us'/>", i);
	str_puts(&xml, "<route src='a' dst='b'>");
	for (int i = 0; i < LINKS; i++)
		str_printf(&xml, "<link_ctn id='l%d'/>%s", i,
		           i == LINKS - 2 ? "<link_ctn id='l6'/>" : "");
	str_puts(&xml, "</route><route src='a' dst='c'>");
	for (int i = LESS; i > 0; i--)
		str_printf(&xml, "<link_ctn id='l%d'/>", i);
	str_puts(&xml, "</route></zone></platform>");
	fixture_init(&f, xml.s, "network/model:CM02 network/TCP-gamma:0");
	send(&f, "a", "b", 1e6, 1);
	first = next(&f, 1);
	assert_close(first, (LINKS + 1) * 1e-6 + 1e6 * 2.1 / 100e6, 1e-7);
	send(&f, "a", "c", 1e6, 2);
	assert_close(next(&f, 2) - first, LESS * 1e-6 + 1e6 * 1.05 / 100e6, 1e-7);
	fixture_release(&f);
	str_release(&xml);
}

static void compute(struct fixture *f, const char *name, double volume, uint64_t user)
{
	struct activity_id a;

	assert_ok(net_compute(f->net, host(f, name), 0, volume, user, &a, &f->err), f->err);
}

/* Two cores of 1 Gf: one computation uses one, three get 2/3 each. */
static void computations(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, TWO_HOSTS("1Gbps", "1us", "SHARED"), NULL);
	compute(&f, "a", 1e9, 1);
	assert_close(next(&f, 1), 1, 1e-12);
	for (uint64_t i = 1; i <= 3; i++)
		compute(&f, "a", 1e9, i);
	compute(&f, "b", 0.5e9, 4);
	assert_close(next(&f, 4), 1.5, 1e-12);
	for (uint64_t i = 1; i <= 3; i++)
		assert_close(next_of_any(&f), 2.5, 1e-12);
	fixture_release(&f);
}

/* The cache of routes is emptied when it is full: the same dates, whatever its size (the answers
 * must not depend on it). */
static void many_pairs(void **state)
{
	struct fixture f;
	struct net_sent sent;

	(void)state;
	fixture_init(&f,
	             "<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-999' "
	             "speed='1Gf' bw='125MBps' "
	             "lat='50us'/></platform>",
	             "network/model:CM02 network/crosstraffic:no");
	for (uint32_t i = 0; i < 1000; i++)
		for (uint32_t k = 1; k <= 40; k++) {
			double date = engine_now(net_engine(f.net));
			struct net_send s = {.from = {i},
			                     .to = {(i + k * 7) % 1000},
			                     .bytes = 125,
			                     .stretch = 1,
			                     .user = i};

			assert_ok(net_message(f.net, &s, &sent, &f.err), f.err);
			assert_close(next(&f, i), date + 1e-4 + 1e-6, 1e-9);
		}
	fixture_release(&f);
}

static void mistakes(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, CROSSBAR, "network/model:ns-3");
	assert_null(f.net);
	assert_non_null(
	    strstr(f.err.text, "no model \"ns-3\"; there are hybrid, LV08, CM02, constant"));
	fixture_release(&f);
	fixture_init(&f, CROSSBAR, "network/model:hybridd");
	assert_null(f.net);
	assert_non_null(strstr(f.err.text, "\"hybridd\"; did you mean hybrid; there are hybrid,"));
	fixture_release(&f);
	fixture_init(&f, CROSSBAR, "network/bandwidth-factor:0:0.5;10:0");
	assert_null(f.net);
	assert_non_null(strstr(f.err.text, "the factor of section 10 is 0"));
	fixture_release(&f);
	fixture_init(&f, CROSSBAR, "network/model:constant network/latency-factor:0:1;10:2");
	assert_null(f.net);
	fixture_release(&f);
}

static void explanations(void **state)
{
	struct fixture f;
	struct str text;

	(void)state;
	fixture_init(&f, TWO_HOSTS("1Mbps", "10ms", "SHARED"), "network/model:LV08");
	str_init(&text);
	net_explain(f.net, host(&f, "a"), host(&f, "b"), 100e3, &text);
	assert_non_null(
	    strstr(text.s, "latency 0.1301 s (0.01 s of the links x 13.01, of all sizes)"));
	assert_non_null(
	    strstr(text.s, "limited by link l, where its own acknowledgements take their part."));
	str_clear(&text);
	fixture_release(&f);
	/* no window, no acknowledgements: the link */
	fixture_init(&f, TWO_HOSTS("1Mbps", "10ms", "SHARED"),
	             "network/model:LV08 network/TCP-gamma:0 network/crosstraffic:no "
	             "compat:simgrid-3.32");
	net_explain(f.net, host(&f, "a"), host(&f, "b"), 100e3, &text);
	assert_non_null(strstr(text.s, "limited by its slowest link, l (125000 bytes/s)."));
	str_release(&text);
	fixture_release(&f);
}

static double least_of_three(const char *xml, const char *settings)
{
	struct fixture f;
	double least = 0;

	fixture_init(&f, xml, settings);
	assert_ok(net_load_add(f.net, host(&f, "a"), host(&f, "b"), 1e9, &least, &f.err), f.err);
	net_load_clear(f.net);
	least = 0;
	assert_ok(net_load_add(f.net, host(&f, "a"), host(&f, "b"), 2e6, &least, &f.err), f.err);
	assert_ok(net_load_add(f.net, host(&f, "b"), host(&f, "a"), 1e6, &least, &f.err), f.err);
	assert_ok(net_load_add(f.net, host(&f, "a"), host(&f, "b"), 1e6, &least, &f.err), f.err);
	fixture_release(&f);
	return least;
}

/* 4 MB over one link of 1 MB/s, at a bandwidth factor of 0.97 in LV08; a link that is not shared,
 * or that a model does not know, bounds nothing. */
static void loads(void **state)
{
	(void)state;
	assert_close(least_of_three(TWO_HOSTS("1MBps", "10ms", "SHARED"), "network/model:LV08"),
	             4 / 0.97, 1e-12);
	assert_close(least_of_three(TWO_HOSTS("1MBps", "10ms", "SHARED"), "network/model:CM02"), 4,
	             1e-12);
	assert_true(least_of_three(TWO_HOSTS("1MBps", "10ms", "FATPIPE"), "network/model:CM02") ==
	            0);
	assert_true(
	    least_of_three(TWO_HOSTS("1MBps", "10ms", "SHARED"), "network/model:constant") == 0);
	assert_true(least_of_three(TWO_HOSTS("1MBps", "10ms", "SHARED"),
	                           "network/model:CM02,noise/seed:3") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lv08),
	    cmocka_unit_test(cm02_and_its_window),
	    cmocka_unit_test(hybrid),
	    cmocka_unit_test(constant),
	    cmocka_unit_test(crosstraffic),
	    cmocka_unit_test(shares_by_round_trip),
	    cmocka_unit_test(no_latency),
	    cmocka_unit_test(link_twice),
	    cmocka_unit_test(link_twice_on_a_long_way),
	    cmocka_unit_test(computations),
	    cmocka_unit_test(many_pairs),
	    cmocka_unit_test(mistakes),
	    cmocka_unit_test(explanations),
	    cmocka_unit_test(loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
