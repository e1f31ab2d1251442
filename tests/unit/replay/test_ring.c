/* test_ring.c: the ring of the thesis' figure 3.1 on four hosts of a flat cluster, against a
 * formula worked by hand.
 *
 * Rank 0 computes c seconds, sends n bytes to rank 1 and receives from rank 3; the others receive,
 * compute, send. All receivers wait long before their message comes, so each of the four hops
 * costs, whatever the protocol,
 *     c + os(n) + T(n) + or(n),   with os = or = 0 for a rendezvous (n >= detached threshold)
 *     T(n) = L * latf(n + 16) + (n + 16) / (bwf(n + 16) * B)
 * L = 2 x 15 us (up link and down link), B = 125 MB/s (the TCP window bound, 4194304 / (2 L), is
 * far above); the envelope has 16 bytes. The eager protocol differs when the receiver is late: then
 * the transfer has run meanwhile. */
#include "sim.h"

#include "test.h"

#define L 30e-6
#define B 125e6
#define FACTORS \
	"network/latency-factor:0:2;1000:3;70000:5 " \
	"network/bandwidth-factor:0:0.8;1000:0.5;70000:0.9"
#define OVERHEADS " smpi/os:0:1e-5:1e-9;5000:2e-5:3e-9 smpi/or:0:4e-6:2e-9 smpi/ois:0:1:1"
/* c = 1e6 / 1e9 */
#define C 1e-3

static const char *ring_of(long n)
{
	static char text[1024];

	snprintf(text, sizeof text,
	         "0 init\n1 init\n2 init\n3 init\n"
	         "0 compute 1e6\n0 send 1 0 %ld\n0 recv 3 0 %ld\n"
	         "1 recv 0 0 %ld\n1 compute 1e6\n1 send 2 0 %ld\n"
	         "2 recv 1 0 %ld\n2 compute 1e6\n2 send 3 0 %ld\n"
	         "3 recv 2 0 %ld\n3 compute 1e6\n3 send 0 0 %ld\n"
	         "0 finalize\n1 finalize\n2 finalize\n3 finalize\n",
	         n, n, n, n, n, n, n, n);
	return text;
}

static double transfer(double n, double latf, double bwf)
{
	return L * latf + (n + 16) / (bwf * B);
}

static double ring(long n, const char *settings)
{
	return sim_time(SIM_CLUSTER(""), ring_of(n), 4, settings);
}

static void test_detached(void **state)
{
	(void)state;
	assert_close(ring(500, FACTORS), 4 * (C + transfer(500, 2, 0.8)), 1e-12);
	assert_close(ring(40000, FACTORS), 4 * (C + transfer(40000, 3, 0.5)), 1e-12);
	assert_close(ring(500, FACTORS OVERHEADS),
	             4 * (C + 1e-5 + 500e-9 + transfer(500, 2, 0.8) + 4e-6 + 1000e-9), 1e-12);
	assert_close(ring(40000, FACTORS OVERHEADS),
	             4 * (C + 2e-5 + 40000 * 3e-9 + transfer(40000, 3, 0.5) + 4e-6 + 80000e-9),
	             1e-12);
}

static void test_eager(void **state)
{
	(void)state;
	assert_close(ring(500, FACTORS " smpi/async-small-thresh:1000"),
	             4 * (C + transfer(500, 2, 0.8)), 1e-12);
	assert_close(ring(500, FACTORS OVERHEADS " smpi/async-small-thresh:1000"),
	             4 * (C + 1e-5 + 500e-9 + transfer(500, 2, 0.8) + 4e-6 + 1000e-9), 1e-12);
}

/* 65536 bytes and more: the sender waits for the end of the transfer; neither side pays an
 * overhead. */
static void test_rendezvous(void **state)
{
	double t = 4 * (C + transfer(100000, 5, 0.9));

	(void)state;
	assert_close(ring(100000, FACTORS), t, 1e-12);
	assert_close(ring(100000, FACTORS OVERHEADS), t, 1e-12);
	assert_close(ring(65536, FACTORS), 4 * (C + transfer(65536, 3, 0.5)), 1e-12);
}

static double sim_time_on(const char *machine, const char *trace, uint32_t np, const char *settings,
                          const char *hosts)
{
	struct sim s;

	assert_ok(sim_run(&s, machine, trace, np, settings, hosts), s.err);
	return s.time;
}

/* Two ranks on a host and one on another: 0 to 1 pays what is of a host, 1 to 2 what is between
 * hosts; a receive of any source too. Inside the host the message takes the loopback of the
 * cluster: 1 us, 1 GB/s (factors 2 and 0.8). */
static void test_local_overheads(void **state)
{
	static const char pair[] =
	    "0 init\n1 init\n2 init\n0 send 1 0 500\n1 recv -1 0 500\n1 send 2 0 500\n"
	    "2 recv 1 0 500\n0 finalize\n1 finalize\n"
	    "2 finalize\n";
	static const char isend[] =
	    "0 init\n1 init\n2 init\n0 isend 1 0 500\n1 recv 0 0 500\n0 wait 0 1 0\n0 finalize\n"
	    "1 finalize\n2 finalize\n";
	const char *machine = SIM_CLUSTER("loopback_bw=\"1GBps\" loopback_lat=\"1us\"");
	const char *local = FACTORS OVERHEADS
	    " smpi/os-local:0:5e-7 smpi/or-local:0:3e-7:1e-10 smpi/ois-local:0:2e-7";
	double inside = 2e-6 + 516 / 0.8e9, between = transfer(500, 2, 0.8), os = 1e-5 + 500e-9,
	       or_ = 4e-6 + 1000e-9;

	(void)state;
	assert_close(sim_time_on(machine, pair, 3, FACTORS OVERHEADS, "h0\nh0\nh1\n"),
	             os + inside + or_ + os + between + or_, 1e-12);
	assert_close(sim_time_on(machine, pair, 3, local, "h0\nh0\nh1\n"),
	             5e-7 + inside + 3e-7 + 50e-9 + os + between + or_, 1e-12);
	assert_close(sim_time_on(machine, isend, 3, local, "h0\nh0\nh1\n"),
	             2e-7 + inside + 3e-7 + 50e-9, 1e-12);
}

/* The built-in factors of the hybrid model: 1,016 bytes lie in the row of 732, 500,016 in that of
 * 65472. */
static void test_built_in_factors(void **state)
{
	(void)state;
	assert_close(ring(1000, ""), 4 * (C + transfer(1000, 1.9503, 0.341987)), 1e-12);
	assert_close(ring(500000, ""), 4 * (C + transfer(500000, 11.6436, 0.940694)), 1e-12);
}

/* A receiver that comes 5 ms late: the eager message has arrived meanwhile, the detached one starts
 * only now, the rendezvous one too, and keeps its sender. */
static double late(long n, const char *settings)
{
	char text[512];

	snprintf(text, sizeof text,
	         "0 init\n1 init\n0 send 1 0 %ld\n0 compute 1e6\n1 compute 5e6\n1 recv 0 0 %ld\n"
	         "0 finalize\n1 finalize\n",
	         n, n);
	return sim_time(SIM_CLUSTER(""), text, 2, settings);
}

static void test_late_receiver(void **state)
{
	(void)state;
	assert_close(late(500, FACTORS " smpi/async-small-thresh:1000"), 5e-3, 1e-12);
	assert_close(late(500, FACTORS), 5e-3 + transfer(500, 2, 0.8), 1e-12);
	assert_close(late(100000, FACTORS), 5e-3 + transfer(100000, 5, 0.9) + 1e-3, 1e-12);
}

/* The laws: twice the bandwidth, half the latency and twice the speed halve every date exactly. */
static void test_scaling(void **state)
{
	static const char twice[] =
	    "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">"
	    "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-15\" speed=\"2Gf\" "
	    "bw=\"250MBps\" lat=\"7.5us\"/></zone></platform>";

	(void)state;
	for (long n = 1; n < 3000000; n *= 7)
		assert_double_is(2 * sim_time(twice, ring_of(n), 4, ""), ring(n, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_detached),        cmocka_unit_test(test_eager),
	    cmocka_unit_test(test_rendezvous),      cmocka_unit_test(test_built_in_factors),
	    cmocka_unit_test(test_local_overheads), cmocka_unit_test(test_late_receiver),
	    cmocka_unit_test(test_scaling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
