/* test_psins.c: the models of PSINS on messages, against times worked by hand (Tikir et al., Euro-Par 2009, 3.1; docs/models.md).
 *
 * L = 1 ms and B = 1 MB/s between nodes, l = 0.1 ms and b = 10 MB/s inside one, unless said otherwise.
 *   simple                 arrival = date + L + bytes / B, or date + l + bytes / b
 *   bus, in, out           start = max(date, earliest end of a reservation of a bus, of a link into the node, out of the node)
 *                          reserved from start to start + bytes / B; arrival = start + L + bytes / B */
#include "models.h"

#define CROSSBAR \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-7' speed='1Gf' bw='125MBps' lat='50us' " \
	"loopback_bw='1GBps' loopback_lat='1us'/></platform>"
#define FIGURES "psins/latency:1e-3 psins/bandwidth:1e6 psins/local-latency:1e-4 psins/local-bandwidth:1e7 "
#define L 1e-3

static void simple(void **state)
{
	(void)state;
	/* 10 messages at once into one node, and out of it, are as fast as one */
	CHECK(CROSSBAR, "network/model:psins-simple " FIGURES, {0, "n0", "n1", 1e6, L + 1}, {0, "n2", "n1", 1e6, L + 1},
	      {0, "n3", "n1", 1e6, L + 1}, {0, "n0", "n4", 2e6, L + 2}, {0.5, "n0", "n5", 0, 0.5 + L},
	      {0, "n0", "n0", 1e6, 1e-4 + 0.1}, {0, "n6", "n6", 0, 1e-4});
}

/* Without settings: of the route. Two private links of 125 MB/s and 50 us; the loopback has 1 GB/s and 1 us. */
static void from_routes(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-simple", {0, "n0", "n1", 125e6, 1e-4 + 1}, {0, "n0", "n0", 1e9, 1e-6 + 1});
	CHECK(CROSSBAR, "network/model:psins-simple psins/latency:1s", {0, "n0", "n1", 125e6, 1 + 1});
	CHECK(CROSSBAR, "network/model:psins psins/bandwidth:0", {0, "n0", "n1", 125e6, 1e-4}); /* 0: no limit */
	CHECK(CROSSBAR, "network/model:PSINS-Simple psins/local-bandwidth:1kBps", {0, "n0", "n0", 500, 1e-6 + 0.5});
}

/* Two busses, five messages sent at 0 and one later: busses are free at 0, 0; 1, 2; 2, 2.5 … */
static void busses(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-bus psins/busses:2 " FIGURES, {0, "n0", "n1", 1e6, L + 1}, /* bus 1: 0 to 1 */
	      {0, "n0", "n1", 2e6, L + 2},                                                              /* bus 2: 0 to 2 */
	      {0, "n2", "n3", 1e6, L + 2},                                                              /* bus 1: 1 to 2 */
	      {0, "n4", "n5", 5e5, L + 2.5},                                                            /* a bus: 2 to 2.5 */
	      {0, "n6", "n7", 1e6, L + 3},                                                              /* the other: 2 to 3 */
	      {2.25, "n0", "n7", 1e6, L + 3.5},                                                         /* the first: 2.5 to 3.5 */
	      {0.5, "n0", "n0", 1e6, 0.5 + 1e-4 + 0.1},                                                 /* takes no bus */
	      {9, "n1", "n0", 1e6, 9 + L + 1});                                                         /* all free again */
	/* one bus: one after the other, in the order of sending; links do not matter */
	CHECK(CROSSBAR, "network/model:psins-bus psins/busses:1 psins/in-links:1 " FIGURES, {0, "n0", "n1", 1e6, L + 1},
	      {0, "n2", "n3", 1e6, L + 2}, {0, "n4", "n5", 1e6, L + 3}, {0, "n6", "n7", 1e6, L + 4});
	/* no limit; and, by default, half as many as hosts: the fifth of five waits */
	CHECK(CROSSBAR, "network/model:psins-bus dimemas/buses:0 " FIGURES, {0, "n0", "n1", 1e6, L + 1},
	      {0, "n2", "n3", 1e6, L + 1}, {0, "n4", "n5", 1e6, L + 1}, {0, "n6", "n7", 1e6, L + 1}, {0, "n1", "n2", 1e6, L + 1});
	CHECK(CROSSBAR, "network/model:psins-bus " FIGURES, {0, "n0", "n1", 1e6, L + 1}, {0, "n2", "n3", 1e6, L + 1},
	      {0, "n4", "n5", 1e6, L + 1}, {0, "n6", "n7", 1e6, L + 1}, {0, "n1", "n2", 1e6, L + 2});
}

/* Many to one: with k links into n0, the i-th of seven messages (from 0) arrives L after 1 + floor(i / k) s. Others pass meanwhile. */
static void links_in(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-in " FIGURES, {0, "n1", "n0", 1e6, L + 1}, {0, "n2", "n0", 1e6, L + 2},
	      {0, "n3", "n0", 1e6, L + 3}, {0, "n4", "n0", 1e6, L + 4}, {0, "n5", "n0", 1e6, L + 5}, {0, "n5", "n1", 1e6, L + 1},
	      {0, "n5", "n2", 1e6, L + 1});
	CHECK(CROSSBAR, "network/model:psins-in psins/in-links:3 psins/busses:1 " FIGURES, {0, "n1", "n0", 1e6, L + 1},
	      {0, "n2", "n0", 1e6, L + 1}, {0, "n3", "n0", 1e6, L + 1}, {0, "n4", "n0", 1e6, L + 2}, {0, "n5", "n0", 1e6, L + 2},
	      {0, "n6", "n0", 1e6, L + 2}, {0, "n7", "n0", 1e6, L + 3});
	CHECK(CROSSBAR, "network/model:psins-in psins/in-links:0 " FIGURES, {0, "n1", "n0", 1e6, L + 1},
	      {0, "n2", "n0", 1e6, L + 1});
	/* a link's reservation ends with the body: a message sent then does not wait for the latency of the one before */
	CHECK(CROSSBAR, "network/model:psins-in " FIGURES, {0, "n1", "n0", 1e6, L + 1}, {1, "n2", "n0", 1e6, L + 2});
}

/* One to many */
static void links_out(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-out " FIGURES, {0, "n0", "n1", 1e6, L + 1}, {0, "n0", "n2", 1e6, L + 2},
	      {0, "n0", "n3", 1e6, L + 3}, {0, "n1", "n3", 1e6, L + 1}, {0, "n2", "n3", 1e6, L + 1},
	      {0, "n0", "n0", 1e6, 1e-4 + 0.1});
	CHECK(CROSSBAR, "network/model:psins-out psins/out-links:2 " FIGURES, {0, "n0", "n1", 1e6, L + 1},
	      {0, "n0", "n2", 3e6, L + 3}, {0, "n0", "n3", 1e6, L + 2}, {0, "n0", "n4", 1e6, L + 3}, {0, "n0", "n5", 1e6, L + 4});
}

/* Host properties: two hosts of one node share its links and its memory; each node has its own figures; the user's go before. */
#define NODES \
	"<platform version='4.1'><zone id='z' routing='Full'>" \
	"<host id='a' speed='1Gf'><prop id='psins/node' value='A'/><prop id='psins/in-links' value='2'/>" \
	"<prop id='psins/local-latency' value='10ms'/><prop id='psins/local-bandwidth' value='2MBps'/></host>" \
	"<host id='b' speed='1Gf'><prop id='psins/node' value='A'/></host>" \
	"<host id='c' speed='1Gf'/><host id='d' speed='1Gf'/>" \
	"<link id='l' bandwidth='1MBps' latency='1ms'/>" \
	"<route src='a' dst='b'><link_ctn id='l'/></route><route src='a' dst='c'><link_ctn id='l'/></route>" \
	"<route src='a' dst='d'><link_ctn id='l'/></route><route src='b' dst='c'><link_ctn id='l'/></route>" \
	"<route src='b' dst='d'><link_ctn id='l'/></route><route src='c' dst='d'><link_ctn id='l'/></route></zone></platform>"

static void properties(void **state)
{
	(void)state;
	CHECK(NODES, "network/model:psins-in", {0, "a", "b", 1e6, 1e-2 + 0.5}, {0, "b", "a", 1e6, 1e-2 + 0.5},
	      {0, "c", "a", 1e6, L + 1}, {0, "d", "b", 1e6, L + 1}, {0, "d", "a", 1e6, L + 2}, {0, "a", "c", 1e6, L + 1},
	      {0, "b", "c", 1e6, L + 2});
	CHECK(NODES, "network/model:psins-in psins/in-links:1 psins/local-latency:0", {0, "a", "b", 1e6, 0.5},
	      {0, "c", "a", 1e6, L + 1}, {0, "d", "b", 1e6, L + 2});
}

static void refused(const char *machine, const char *settings, const char *part)
{
	struct fixture f;
	struct activity_id a;

	fixture_init(&f, machine, settings);
	if (f.net)
		assert_fails(net_message(f.net, (struct host_id){0}, (struct host_id){1}, 1, 0, &a, &f.err), f.err, ERR_INPUT,
		             part);
	else if (!strstr(f.err.text, part))
		fail_msg("\"%s\" is not in: %s", part, f.err.text);
	fixture_release(&f);
}

#define WITH(prop, value) \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'><prop id='" prop "' value='" value \
	"'/></host><host id='b' speed='1Gf'/></zone></platform>"

static void errors(void **state)
{
	(void)state;
	refused(CROSSBAR, "network/model:psins-bus psins/busses:1.5", "setting psins/busses is 1.5: a whole number is wanted");
	refused(WITH("psins/in-links", "0.5"), "network/model:psins-in", "host a: property psins/in-links is 0.5: a whole number");
	refused(WITH("psins/local-latency", "-1"), "network/model:psins-in",
	        "property psins/local-latency is \"-1\": it cannot be");
	refused(WITH("psins/local-bandwidth", "fast"), "network/model:psins-in", "property psins/local-bandwidth is \"fast\": ");
	refused(WITH("x", "y"), "network/model:psins-in", "'a'");
}

static void explained(void **state)
{
	struct fixture f;
	struct str s;

	(void)state;
	str_init(&s);
	fixture_init(&f, CROSSBAR, "network/model:psins-out " FIGURES);
	net_explain(f.net, (struct host_id){0}, (struct host_id){1}, 1e6, &s);
	assert_string_equal(s.s,
	                    "n0 to n1, 1e+06 bytes, between nodes: latency 0.001 s, then 1 s at 1e+06 bytes/s; a message between "
	                    "nodes waits for a link out of its node.");
	str_release(&s);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(simple),    cmocka_unit_test(from_routes), cmocka_unit_test(busses), cmocka_unit_test(links_in),
	    cmocka_unit_test(links_out), cmocka_unit_test(properties),  cmocka_unit_test(errors), cmocka_unit_test(explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
