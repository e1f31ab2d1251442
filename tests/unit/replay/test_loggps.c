/* test_loggps.c: LogGPS and LogGOPS. Dates worked by hand from the model (Hoefler et al., HPDC
 * 2010; docs/models.md): with k bytes, o overhead, O per byte, g and G of the interface, L latency:
 *   sender's processor o + O (k - 1), interface g + G (k - 1); the message arrives o + L after the
 *   send began; receiver's processor o + max(O, G) (k - 1), interface g + G (k - 1).
 * In ns: L = 2500, o = 1500, g = 1000, G = 6, as LogGOPSim's defaults. 1 Gf hosts: "compute 1000"
 * is 1000 ns. */
#include "test.h"

#include "sim.h"

#include <math.h>

#define MACHINE SIM_CLUSTER("")

/* In ns. */
static double run(const char *trace, uint32_t np, const char *settings)
{
	char all[512];

	snprintf(all, sizeof all, "network/model:loggps %s", settings);
	return sim_time(MACHINE, trace, np, all) * 1e9;
}

#define CLOSE(a, b) \
	do { \
		double a_ = (a), b_ = (b); \
		if (!(fabs(a_ - b_) < 1e-4)) \
			fail_msg("%s is %.12g, not %.12g", #a, a_, b_); \
	} while (0)

/* o + L + o + 6 x 999 */
static void one_message(void **state)
{
	(void)state;
	CLOSE(run("0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", 2, ""), 11494);
	CLOSE(run("0 send 1 0 1 6\n1 recv 0 0 1 6\n", 2, ""), 5500);
	CLOSE(run("0 send 1 0 0 6\n1 recv 0 0 0 6\n", 2, ""), 5500);
	/* O = 9 > G: o + L + o + 9 x 999; the sender is busy for o + 9 x 999 = 10491 */
	CLOSE(run("0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", 2, "loggps/O:9ns"), 14491);
	CLOSE(run("0 send 1 0 1000 6\n0 compute 20000\n1 recv 0 0 1000 6\n", 2, "loggps/O:9ns"),
	      30491);
}

/* The parameters in the model's name are those of the settings. */
static void parameters(void **state)
{
	struct sim s;

	(void)state;
	CLOSE(sim_time(MACHINE, "0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", 2,
	               "network/model:loggops:L=1us;o=2us;g=5us;G=10ns;O=0;S=64KiB") *
	          1e9,
	      14990);
	assert_int_equal(
	    sim_run(&s, MACHINE, "0 compute 1\n", 1, "network/model:loggps:Q=1us", NULL), -1);
	assert_non_null(strstr(s.err.text, "Q=1us"));
	assert_int_equal(
	    sim_run(&s, MACHINE, "0 compute 1\n", 1, "network/model:loggps:L=-1us", NULL), -1);
	assert_int_equal(
	    sim_run(&s, MACHINE, "0 compute 1\n", 1, "network/model:loggps smpi/os:0:1:0", NULL),
	    -1);
	assert_non_null(strstr(s.err.text, "smpi/os"));
	assert_int_equal(
	    sim_run(&s, MACHINE, "0 compute 1\n", 1, "network/model:constant:L=1us", NULL), -1);
}

/* Two sends: the second begins when processor and interface are free, at max(o, g + 6 x 999) =
 * 6994; the receiver takes in each for 7494: 4000 to 11494, then 11494 (arrived 10994) to 18988. */
static void two_messages(void **state)
{
	(void)state;
	CLOSE(run("0 send 1 0 1000 6\n0 send 1 0 1000 6\n1 recv 0 0 1000 6\n1 recv 0 0 1000 6\n", 2,
	          ""),
	      18988);
	/* g = 20000: the second send at 25994, here at 29994, in until 37488. */
	CLOSE(run("0 send 1 0 1000 6\n0 send 1 0 1000 6\n1 recv 0 0 1000 6\n1 recv 0 0 1000 6\n", 2,
	          "loggps/g:20us"),
	      37488);
	/* A computation need not wait for the interface: 1500 to 21500, and the second send
	 * then. */
	CLOSE(run("0 send 1 0 1000 6\n0 compute 20000\n0 send 1 0 1 6\n1 recv 0 0 1000 6\n"
	          "1 recv 0 0 1 6\n",
	          2, ""),
	      27000);
}

/* Incast of 8 messages of 1 MB: o + L, then 8 x (o + 6 x 999999). LogGOPSim gives the same. */
static void incast(void **state)
{
	char trace[2048] = "";
	size_t n = 0;

	(void)state;
	for (int i = 1; i <= 8; i++)
		n += (size_t)snprintf(trace + n, sizeof trace - n,
		                      "%d send 0 0 1000000 6\n0 recv %d 0 1000000 6\n", i, i);
	CLOSE(run(trace, 9, "loggps/S:1e9"), 48015952);
	CLOSE(run(trace, 9, ""),
	      48015952); /* rendezvous, receives in the order of arrival: nobody waits */
}

/* A message that arrives during a computation waits for its end; taken in before a receive is
 * posted, it delays the next computation. */
static void processor(void **state)
{
	(void)state;
	/* Here at 4000, in from 10000 to 17494. */
	CLOSE(run("0 send 1 0 1000 6\n1 compute 10000\n1 recv 0 0 1000 6\n", 2, ""), 17494);
	/* Its departure (0) is before the second computation could be asked for (also 0, but
	 * after): in from 10000 to 17494, then compute. */
	CLOSE(run("0 send 1 0 1000 6\n1 sleep 1e-6\n1 compute 9000\n1 compute 10000\n"
	          "1 recv 0 0 1000 6\n",
	          2, ""),
	      27494);
	/* It departs at 5000, after the first computation began: the second goes first. */
	CLOSE(run("0 compute 5000\n0 send 1 0 1000 6\n1 compute 10000\n1 compute 10000\n"
	          "1 recv 0 0 1000 6\n",
	          2, ""),
	      27494);
}

/* S = 500. Without a handshake the data leave at once, and the sender waits until the receiver is
 * there and takes them in. */
static void synchronous(void **state)
{
	(void)state;
	/* Receiver there: the sender may go on at 4000 when the receiver begins, the receiver at
	 * 11494. */
	CLOSE(run("0 send 1 0 1000 6\n0 compute 100000\n1 recv 0 0 1000 6\n", 2, "loggps/S:500"),
	      104000);
	CLOSE(run("0 send 1 0 500 6\n0 compute 100000\n1 recv 0 0 500 6\n", 2, "loggps/S:500"),
	      101500);
	/* Late: posted at 50000; the data have been taken in (compute, sleep). */
	CLOSE(run("0 send 1 0 1000 6\n0 compute 100000\n1 sleep 5e-5\n1 recv 0 0 1000 6\n", 2,
	          "loggps/S:500"),
	      150000);
	CLOSE(run("0 isend 1 0 1000 6\n0 compute 100000\n0 wait 0 1 0\n1 sleep 5e-5\n"
	          "1 recv 0 0 1000 6\n",
	          2, "loggps/S:500"),
	      101500);
}

/* Request and acknowledgement are messages of one byte: 3 x (o + L + o) + 6 x 999 = 22494; the
 * sender is done o after 2 x 5500. */
static void handshake(void **state)
{
	const char *with = "loggps/S:500 loggps/handshake:yes";

	(void)state;
	CLOSE(run("0 send 1 0 1000 6\n1 recv 0 0 1000 6\n", 2, with), 22494);
	CLOSE(run("0 send 1 0 1000 6\n0 compute 100000\n1 recv 0 0 1000 6\n", 2, with), 112500);
	/* Receive posted at 50000: acknowledgement from there, 5500, then 11494. */
	CLOSE(run("0 send 1 0 1000 6\n1 sleep 5e-5\n1 recv 0 0 1000 6\n", 2, with), 66994);
	CLOSE(run("0 isend 1 0 1000 6\n0 wait 0 1 0\n1 irecv 0 0 1000 6\n1 wait 0 1 0\n", 2, with),
	      22494);
	CLOSE(run("0 send 1 0 500 6\n1 recv 0 0 500 6\n", 2, with), 8494);
}

/* Processes of one host have a processor and an interface each; they share its cores when they
 * compute. */
static void processes_of_a_host(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(sim_run(&s, MACHINE,
	                  "0 compute 10000\n0 send 1 0 1 6\n1 compute 10000\n1 recv 0 0 1 6\n", 2,
	                  "network/model:loggps", "h0:2\n"),
	          s.err);
	CLOSE(s.time * 1e9, 25500);
}

/* Linear barrier of three: two messages of 0 bytes come in at 4000 and 5500 and end at 7000; the
 * root's sends begin then and at 8500; the second is in at 14000. Nonblocking: the same, and
 * compute 1000 in between. */
static void collectives(void **state)
{
	(void)state;
	CLOSE(run("0 barrier\n1 barrier\n2 barrier\n", 3, ""), 14000);
	CLOSE(run("0 bcast 1000 0 6\n1 bcast 1000 0 6\n", 2, ""), 11494);
	CLOSE(run("0 bcast 1000 0 6\n1 bcast 1000 0 6\n", 2, "loggps/S:10 loggps/handshake:yes"),
	      22494);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_message),  cmocka_unit_test(parameters),
	    cmocka_unit_test(two_messages), cmocka_unit_test(incast),
	    cmocka_unit_test(processor),    cmocka_unit_test(synchronous),
	    cmocka_unit_test(handshake),    cmocka_unit_test(processes_of_a_host),
	    cmocka_unit_test(collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
