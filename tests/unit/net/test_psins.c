/* test_psins.c: the models of PSINS on messages, against times worked by hand (Tikir et al.,
 * Euro-Par 2009, 3.1; docs/models.md).
 *
 * L = 1 ms and B = 1 MB/s between nodes, l = 0.1 ms and b = 10 MB/s inside one, unless said
 * otherwise.
 *   simple                 arrival = date + L + bytes / B, or date + l + bytes / b
 *   bus, in, out           start = max(date, earliest end of a reservation of a bus, of a link into
 *                          the node, out of the node) reserved from start to start + bytes / B;
 *                          arrival = start + L + bytes / B */
#include "models.h"

#define CROSSBAR \
	"<platform version='4.1'><cluster id='c' prefix='n' suffix='' radical='0-7' speed='1Gf' " \
	"bw='125MBps' lat='50us' " \
	"loopback_bw='1GBps' loopback_lat='1us'/></platform>"
#define FIGURES \
	"psins/latency:1e-3 psins/bandwidth:1e6 psins/local-latency:1e-4 " \
	"psins/local-bandwidth:1e7 "
#define L 1e-3

static void simple(void **state)
{
	(void)state;
	/* 10 messages at once into one node, and out of it, are as fast as one */
	CHECK(CROSSBAR, "network/model:psins-simple " FIGURES, {0, "n0", "n1", 1e6, L + 1},
	      {0, "n2", "n1", 1e6, L + 1}, {0, "n3", "n1", 1e6, L + 1}, {0, "n0", "n4", 2e6, L + 2},
	      {0.5, "n0", "n5", 0, 0.5 + L}, {0, "n0", "n0", 1e6, 1e-4 + 0.1},
	      {0, "n6", "n6", 0, 1e-4});
}

/* Without settings: of the route. Two private links of 125 MB/s and 50 us; the loopback has 1 GB/s
 * and 1 us. */
static void from_routes(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-simple", {0, "n0", "n1", 125e6, 1e-4 + 1},
	      {0, "n0", "n0", 1e9, 1e-6 + 1});
	CHECK(CROSSBAR, "network/model:psins-simple psins/latency:1s",
	      {0, "n0", "n1", 125e6, 1 + 1});
	CHECK(CROSSBAR, "network/model:psins psins/bandwidth:0",
	      {0, "n0", "n1", 125e6, 1e-4}); /* 0: no limit */
	CHECK(CROSSBAR, "network/model:PSINS-Simple psins/local-bandwidth:1kBps",
	      {0, "n0", "n0", 500, 1e-6 + 0.5});
}

/* Two busses, five messages sent at 0 and one later: busses are free at 0, 0; 1, 2; 2, 2.5 … */
static void busses(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-bus psins/busses:2 " FIGURES,
	      {0, "n0", "n1", 1e6, L + 1},              /* bus 1: 0 to 1 */
	      {0, "n0", "n1", 2e6, L + 2},              /* bus 2: 0 to 2 */
	      {0, "n2", "n3", 1e6, L + 2},              /* bus 1: 1 to 2 */
	      {0, "n4", "n5", 5e5, L + 2.5},            /* a bus: 2 to 2.5 */
	      {0, "n6", "n7", 1e6, L + 3},              /* the other: 2 to 3 */
	      {2.25, "n0", "n7", 1e6, L + 3.5},         /* the first: 2.5 to 3.5 */
	      {0.5, "n0", "n0", 1e6, 0.5 + 1e-4 + 0.1}, /* takes no bus */
	      {9, "n1", "n0", 1e6, 9 + L + 1});         /* all free again */
	/* one bus: one after the other, in the order of sending; links do not matter */
	CHECK(CROSSBAR, "network/model:psins-bus psins/busses:1 psins/in-links:1 " FIGURES,
	      {0, "n0", "n1", 1e6, L + 1}, {0, "n2", "n3", 1e6, L + 2}, {0, "n4", "n5", 1e6, L + 3},
	      {0, "n6", "n7", 1e6, L + 4});
	/* no limit; and, by default, half as many as hosts: the fifth of five waits */
	CHECK(CROSSBAR, "network/model:psins-bus dimemas/buses:0 " FIGURES,
	      {0, "n0", "n1", 1e6, L + 1}, {0, "n2", "n3", 1e6, L + 1}, {0, "n4", "n5", 1e6, L + 1},
	      {0, "n6", "n7", 1e6, L + 1}, {0, "n1", "n2", 1e6, L + 1});
	CHECK(CROSSBAR, "network/model:psins-bus " FIGURES, {0, "n0", "n1", 1e6, L + 1},
	      {0, "n2", "n3", 1e6, L + 1}, {0, "n4", "n5", 1e6, L + 1}, {0, "n6", "n7", 1e6, L + 1},
	      {0, "n1", "n2", 1e6, L + 2});
}

/* Many to one: with k links into n0, the i-th of seven messages (from 0) arrives L after 1 +
 * floor(i / k) s. Others pass meanwhile. */
static void links_in(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-in " FIGURES, {0, "n1", "n0", 1e6, L + 1},
	      {0, "n2", "n0", 1e6, L + 2}, {0, "n3", "n0", 1e6, L + 3}, {0, "n4", "n0", 1e6, L + 4},
	      {0, "n5", "n0", 1e6, L + 5}, {0, "n5", "n1", 1e6, L + 1},
	      {0, "n5", "n2", 1e6, L + 1});
	CHECK(CROSSBAR, "network/model:psins-in psins/in-links:3 psins/busses:1 " FIGURES,
	      {0, "n1", "n0", 1e6, L + 1}, {0, "n2", "n0", 1e6, L + 1}, {0, "n3", "n0", 1e6, L + 1},
	      {0, "n4", "n0", 1e6, L + 2}, {0, "n5", "n0", 1e6, L + 2}, {0, "n6", "n0", 1e6, L + 2},
	      {0, "n7", "n0", 1e6, L + 3});
	CHECK(CROSSBAR, "network/model:psins-in psins/in-links:0 " FIGURES,
	      {0, "n1", "n0", 1e6, L + 1}, {0, "n2", "n0", 1e6, L + 1});
	/* a link's reservation ends with the body: a message sent then does not wait for the
	 * latency of the one before */
	CHECK(CROSSBAR, "network/model:psins-in " FIGURES, {0, "n1", "n0", 1e6, L + 1},
	      {1, "n2", "n0", 1e6, L + 2});
}

/* One to many */
static void links_out(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-out " FIGURES, {0, "n0", "n1", 1e6, L + 1},
	      {0, "n0", "n2", 1e6, L + 2}, {0, "n0", "n3", 1e6, L + 3}, {0, "n1", "n3", 1e6, L + 1},
	      {0, "n2", "n3", 1e6, L + 1}, {0, "n0", "n0", 1e6, 1e-4 + 0.1});
	CHECK(CROSSBAR, "network/model:psins-out psins/out-links:2 " FIGURES,
	      {0, "n0", "n1", 1e6, L + 1}, {0, "n0", "n2", 3e6, L + 3}, {0, "n0", "n3", 1e6, L + 2},
	      {0, "n0", "n4", 1e6, L + 3}, {0, "n0", "n5", 1e6, L + 4});
}

/* Host properties: two hosts of one node share its links and its memory; each node has its own
 * figures; the user's go before. */
#define NODES \
	"<platform version='4.1'><zone id='z' routing='Full'>" \
	"<host id='a' speed='1Gf'><prop id='psins/node' value='A'/><prop id='psins/in-links' " \
	"value='2'/>" \
	"<prop id='psins/local-latency' value='10ms'/><prop id='psins/local-bandwidth' " \
	"value='2MBps'/></host>" \
	"<host id='b' speed='1Gf'><prop id='psins/node' value='A'/></host>" \
	"<host id='c' speed='1Gf'/><host id='d' speed='1Gf'/>" \
	"<link id='l' bandwidth='1MBps' latency='1ms'/>" \
	"<route src='a' dst='b'><link_ctn id='l'/></route><route src='a' dst='c'><link_ctn " \
	"id='l'/></route>" \
	"<route src='a' dst='d'><link_ctn id='l'/></route><route src='b' dst='c'><link_ctn " \
	"id='l'/></route>" \
	"<route src='b' dst='d'><link_ctn id='l'/></route><route src='c' dst='d'><link_ctn " \
	"id='l'/></route></zone></platform>"

static void properties(void **state)
{
	(void)state;
	CHECK(NODES, "network/model:psins-in", {0, "a", "b", 1e6, 1e-2 + 0.5},
	      {0, "b", "a", 1e6, 1e-2 + 0.5}, {0, "c", "a", 1e6, L + 1}, {0, "d", "b", 1e6, L + 1},
	      {0, "d", "a", 1e6, L + 2}, {0, "a", "c", 1e6, L + 1}, {0, "b", "c", 1e6, L + 2});
	CHECK(NODES, "network/model:psins-in psins/in-links:1 psins/local-latency:0",
	      {0, "a", "b", 1e6, 0.5}, {0, "c", "a", 1e6, L + 1}, {0, "d", "b", 1e6, L + 2});
}

static void refused(const char *machine, const char *settings, const char *part)
{
	struct fixture f;
	struct net_send s = {{0}, {1}, 1, 1, 0, NULL};
	struct net_sent sent;

	fixture_init(&f, machine, settings);
	if (f.net)
		assert_fails(net_message(f.net, &s, &sent, &f.err), f.err, ERR_INPUT, part);
	else if (!strstr(f.err.text, part))
		fail_msg("\"%s\" is not in: %s", part, f.err.text);
	fixture_release(&f);
}

#define WITH(prop, value) \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'><prop " \
	"id='" prop "' value='" value "'/></host><host id='b' speed='1Gf'/></zone></platform>"

static void errors(void **state)
{
	(void)state;
	refused(CROSSBAR, "network/model:psins-bus psins/busses:5e9",
	        "setting psins/busses is 5e+09");
	refused(WITH("psins/in-links", "0.5"), "network/model:psins-in",
	        "host a: property psins/in-links is 0.5: a whole number");
	refused(WITH("psins/local-latency", "-1"), "network/model:psins-in",
	        "property psins/local-latency is \"-1\": it cannot be");
	refused(WITH("psins/local-bandwidth", "fast"), "network/model:psins-in",
	        "property psins/local-bandwidth is \"fast\": ");
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
	assert_string_equal(s.s, "n0 to n1, 1e+06 bytes, between nodes: latency 0.001 s, then 1 s "
	                         "at 1e+06 bytes/s; a message between "
	                         "nodes waits for a link out of its node.");
	str_release(&s);
	fixture_release(&f);
}

/* PMaC: B x min(1, busses / under way, out links / out of the node, in links / into the node), at
 * the beginning; a message counts until it arrives. Two busses, one link each way. */
static void pmac_load(void **state)
{
	(void)state;
	CHECK(CROSSBAR, "network/model:psins-pmac psins/busses:2 psins/out-links:2 " FIGURES,
	      {0, "n0", "n1", 1e6, L + 1},   /* alone */
	      {0, "n2", "n3", 1e6, L + 1},   /* 2 busses, 2 messages */
	      {0, "n4", "n5", 1e6, L + 1.5}, /* 2 of 3 */
	      {0, "n6", "n1", 1e6, L + 2},   /* 2 of 4; one link in for two: the same half */
	      {0, "n7", "n1", 1e6, L + 3},   /* 2 of 5; a third of the link */
	      {1.1, "n0", "n2", 1e6,
	       1.1 + L + 2}, /* three under way (until 1.501, 2.001, 3.001), and itself: 2 of 4 */
	      {2.1, "n0", "n6", 1e6, 2.1 + L + 1.5}, /* until 3.001, 3.101: two busses for three */
	      {9, "n0", "n1", 1e6, 9 + L + 1},       /* all is over */
	      {9.5, "n0", "n0", 1e6, 9.5 + 1e-4 + 0.1}); /* inside a node nothing is shared */
	/* no limits: the simple model. A message that ends at the date at which another begins is
	 * over */
	CHECK(CROSSBAR,
	      "network/model:pmac psins/busses:0 psins/in-links:0 psins/out-links:0 " FIGURES,
	      {0, "n0", "n1", 1e6, L + 1}, {0, "n0", "n1", 1e6, L + 1},
	      {0, "n0", "n1", 1e6, L + 1});
	CHECK(CROSSBAR, "network/model:psins-pmac psins/latency:0 psins/bandwidth:1e6",
	      {0, "n0", "n1", 1e6, 1}, {1, "n0", "n1", 1e6, 2}, {1.5, "n2", "n1", 1e6, 3.5});
}

/* Of p members on as many hosts. */
static double lasts(const char *settings, enum net_coll kind, uint32_t p, double sent,
                    double received)
{
	struct host_id host[8] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
	void *memo = NULL;
	struct net_collective c = {
	    .kind = kind, .n = p, .host = host, .sent = sent, .received = received, .memo = &memo};
	struct fixture f;
	double seconds;

	fixture_init(&f, CROSSBAR, settings);
	if (!f.net)
		fail_msg("%s", f.err.text);
	assert_ok(net_collective(f.net, &c, &seconds, &f.err), f.err);
	free(memo);
	fixture_release(&f);
	return seconds;
}

/* Curves. Bandwidths of 1 kB/s at 8 bytes and 64 kB/s at 512: between them (size / 8) kB/s, as the
 * logarithms are in proportion: 8 ms throughout. A hyperbola through size / (a + b size) with a = 1
 * ms, b = 1 us finds just that; two points on t = a (constant) give b = 0. */
#define PMAC \
	"network/model:psins-pmac " FIGURES \
	"psins/curves:bcast:8:1000:512:64000;alltoall:1000:500000:3000:750000 "
static void pmac_curves(void **state)
{
	const char *fitted = "network/model:psins-pmac psins/curve-fit:hyperbola "
	                     "psins/curves:scan:1000:500000:3000:750000:9000:900000;"
	                     "bcast:8:1000:512:64000;reduce:100:1000 " FIGURES;

	(void)state;
	assert_close(lasts(PMAC, NET_BCAST, 8, 8, 0), 8 / 1000.0, 1e-12);
	assert_close(lasts(PMAC, NET_BCAST, 8, 64, 0), 64 / 8000.0, 1e-12);
	assert_close(lasts(PMAC, NET_BCAST, 8, 512, 0), 512 / 64000.0, 1e-12);
	assert_close(lasts(PMAC, NET_BCAST, 8, 1, 0), 8 / 1000.0,
	             1e-12); /* as long as the smallest */
	assert_close(lasts(PMAC, NET_BCAST, 8, 640000, 0), 10,
	             1e-12); /* the bandwidth of the largest */
	assert_close(lasts(PMAC, NET_ALLTOALL, 4, 4000, 4000), 1000 / 500e3, 1e-12); /* the block */
	assert_double_is(lasts(PMAC, NET_BCAST, 1, 8, 0), 0);
	/* without a curve: the simple model's growth */
	assert_close(lasts(PMAC, NET_ALLREDUCE, 8, 1e6, 1e6), 3 * (L + 1), 1e-12);
	assert_close(lasts(PMAC, NET_BARRIER, 8, 0, 0), 3 * L, 1e-12);
	assert_close(lasts(fitted, NET_SCAN, 8, 7000, 7000), 1e-3 + 7000e-6, 1e-9);
	assert_close(lasts(fitted, NET_SCAN, 8, 0, 0), 1e-3, 1e-9);
	assert_close(lasts(fitted, NET_BCAST, 8, 100000, 0), 8e-3, 1e-9);
	assert_close(lasts(fitted, NET_REDUCE, 8, 200, 200), 0.2,
	             1e-9); /* one point: a bandwidth */
}

static void pmac_errors(void **state)
{
	(void)state;
	refused(CROSSBAR, "network/model:psins-pmac psins/curve-fit:spline",
	        "setting psins/curve-fit is points or hyperbola");
	refused(CROSSBAR, "network/model:psins-pmac psins/curves:bcast:8",
	        "psins/curves: bcast: point 1 is not size:bandwidth");
	refused(CROSSBAR, "network/model:psins-pmac psins/curves:bcast:8:0",
	        "psins/curves: bcast: point 1 is not size:bandwidth");
	refused(CROSSBAR, "network/model:psins-pmac psins/curves:bcast:8:1:8:2",
	        "the size of point 2 is not greater");
	refused(CROSSBAR,
	        "network/model:psins-pmac psins/curves:bcast:", "bcast: a curve without points");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(simple),      cmocka_unit_test(from_routes),
	    cmocka_unit_test(busses),      cmocka_unit_test(links_in),
	    cmocka_unit_test(links_out),   cmocka_unit_test(properties),
	    cmocka_unit_test(errors),      cmocka_unit_test(pmac_load),
	    cmocka_unit_test(pmac_curves), cmocka_unit_test(pmac_errors),
	    cmocka_unit_test(explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
