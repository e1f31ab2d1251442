/* test_order.c: receives from any source, of which the trace says who answered: they take what
 * comes first here. Dates worked by hand.
 *
 * A message of 800 bytes between two hosts takes T = 30 us + 816 / 125e6 once both sides are there
 * (detached: a sender goes on, the message moves when it is received). A million instructions take
 * 1 ms. */
#include "sim.h"

#include "test.h"

#define FLAT SIM_CLUSTER("")
#define ONE \
	"network/latency-factor:1 network/bandwidth-factor:1 network/crosstraffic:no " \
	"network/TCP-gamma:0"
#define RECORDED ONE " replay/wildcards:recorded"
#define MS 1e-3
#define T (30e-6 + 816 / 125e6)

/* Three workers that answer after 3, 2 and 1 ms and get a task of 4 ms each from a master who takes
 * 0.5 ms to make it. */
#define SERVE(WORKER, ANY) \
	"0 recv " WORKER " 0 800 6" ANY "\n0 compute 5e5\n0 send " WORKER " 0 800 6\n"
#define WORKS(WORKER, BEFORE) \
	WORKER " compute " BEFORE "\n" WORKER " send 0 0 800 6\n" WORKER \
	       " recv 0 0 800 6\n" WORKER " compute 4e6\n"
#define WORKERS WORKS("1", "3e6") WORKS("2", "2e6") WORKS("3", "1e6")
#define FARM(A, B, C, ANY) "# orrery-trace 1\n" SERVE(A, ANY) SERVE(B, ANY) SERVE(C, ANY) WORKERS

static double farm(const char *text, const char *settings)
{
	return sim_time(FLAT, text, 4, settings);
}

/* Each answer is served when it comes: the last one after 3 ms. In the recorded order 1, 2, 3 the
 * others wait for it, and each then moves (T) and is served (0.5 ms) in turn. */
static void whoever_comes(void **state)
{
	const double first_come = 3 * MS + T + 0.5 * MS + T + 4 * MS,
	             in_turn = 3 * MS + 3 * (T + 0.5 * MS) + T + 4 * MS;

	(void)state;
	assert_close(farm(FARM("1", "2", "3", " any=source"), ONE), first_come, 1e-12);
	assert_close(farm(FARM("2", "1", "3", " any=both"), ONE), first_come, 1e-12);
	assert_close(farm(FARM("3", "2", "1", " any=source"), ONE), first_come, 1e-12);
	assert_close(farm(FARM("1", "2", "3", " any=source"), RECORDED), in_turn, 1e-12);
	assert_close(farm(FARM("1", "2", "3", " any=tag"), ONE), in_turn, 1e-12);
	assert_close(farm(FARM("1", "2", "3", ""), ONE), in_turn, 1e-12);
	assert_close(farm(FARM("3", "2", "1", " any=source"), RECORDED), first_come, 1e-12);
}

/* A probe finds the message when it is sent, and the receive that follows goes with it. */
static void probes(void **state)
{
#define LOOK(WORKER) "0 probe " WORKER " 0 any=both\n" SERVE(WORKER, "")
	(void)state;
	assert_close(farm("# orrery-trace 1\n" LOOK("1") LOOK("2") LOOK("3") WORKERS, ONE),
	             3 * MS + T + 0.5 * MS + T + 4 * MS, 1e-12);
	assert_close(farm("# orrery-trace 1\n" LOOK("1") LOOK("2") LOOK("3") WORKERS, RECORDED),
	             3 * MS + 3 * (T + 0.5 * MS) + T + 4 * MS, 1e-12);
}

static void compat_keeps(void **state)
{
	(void)state;
	assert_double_is(farm(FARM("1", "2", "3", " any=source"), ONE " compat:simgrid-3.32"),
	                 farm(FARM("1", "2", "3", ""), ONE " compat:simgrid-3.32"));
}

/* Rank 1 sends after 3 ms with tag 1, rank 2 after 1 ms with tag 2; each message makes 1 ms of
 * work. */
#define TWO_TAGS(ANY) \
	"# orrery-trace 1\n0 recv 1 1 800 6" ANY "\n0 compute 1e6\n0 recv 2 2 800 6" ANY \
	"\n0 compute 1e6\n" \
	"1 compute 3e6\n1 send 0 1 800 6\n2 compute 1e6\n2 send 0 2 800 6\n"

/* A receive of tag 1 from anybody takes nothing with tag 2; one of any tag does. */
static void tags(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT, TWO_TAGS(" any=source"), 3, ONE), 3 * MS + T + MS + T + MS,
	             1e-12);
	assert_close(sim_time(FLAT, TWO_TAGS(" any=both"), 3, ONE), 3 * MS + T + MS, 1e-12);
}

/* The messages of one sender keep their order: rank 1 sends tag 7, then 8; the program got 7 first,
 * though both fit. */
static void own_order(void **state)
{
	(void)state;
	/* served: rank 2's at 1 ms, then both of rank 1 from 3 ms on: T + 1 ms for the first, whose
	 * successor is sent 5 ms later */
	assert_close(
	    sim_time(
	        FLAT,
	        "# orrery-trace 1\n0 recv 1 7 800 6 any=both\n0 compute 1e6\n"
	        "0 recv 1 8 80 6 any=both\n"
	        "0 recv 2 9 800 6 any=both\n0 compute 4e6\n"
	        "1 compute 3e6\n1 send 0 7 800 6\n1 compute 5e6\n1 send 0 8 80 6\n2 compute 1e6\n"
	        "2 send 0 9 800 6\n",
	        3, ONE),
	    8 * MS + 30e-6 + 96 / 125e6, 1e-12);
}

/* What follows the receive from rank 1 concerns rank 3: nothing goes before it. */
static void somebody_else(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 recv 1 0 800 6 any=source\n0 send 3 0 800 6\n"
	                      "0 recv 2 0 800 6 any=source\n"
	                      "0 compute 1e6\n1 compute 3e6\n1 send 0 0 800 6\n2 compute 1e6\n"
	                      "2 send 0 0 800 6\n3 recv 0 0 800 6\n",
	                      4, ONE),
	             3 * MS + T + T + MS, 1e-12);
	/* nor before a request, be it the same rank's */
	assert_close(
	    sim_time(FLAT,
	             "# orrery-trace 1\n0 recv 1 0 800 6 any=source\n0 isend 1 5 800 6 req=0\n"
	             "0 wait req=0\n"
	             "0 recv 2 0 800 6 any=source\n0 compute 1e6\n1 compute 3e6\n1 send 0 0 800 6\n"
	             "1 recv 0 5 800 6\n"
	             "2 compute 1e6\n2 send 0 0 800 6\n3 init\n",
	             4, ONE),
	    3 * MS + T + T + MS, 1e-12);
}

/* The end of a farm: the last answer's segment is cut off where the master bids farewell to others.
 * Rank 2's answer goes first, with its farewell, and its 5 ms after that are the end; rank 1 is
 * served at 3 ms + T, and hears at 4 ms. */
#define FAREWELL \
	"# orrery-trace 1\n0 recv 1 0 800 6 any=both\n0 compute 1e6\n" \
	"0 recv 2 0 800 6 any=both\n0 compute 1e6\n0 send 2 9 800 6\n" \
	"0 send 1 9 800 6\n1 compute 3e6\n1 send 0 0 800 6\n1 recv 0 9 800 6\n2 compute 1e6\n" \
	"2 send 0 0 800 6\n" \
	"2 recv 0 9 800 6\n2 compute 5e6\n"

static void end_of_farm(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(sim_run(&s, FLAT, FAREWELL, 3, ONE, NULL), s.err);
	assert_close(s.time, MS + T + MS + T + 5 * MS, 1e-12);
	assert_int_equal(s.actions, 13);
	assert_int_equal(s.remarks, 0);
	/* in the recorded order both farewells leave at once over the master's link */
	assert_close(sim_time(FLAT, FAREWELL, 3, RECORDED),
	             3 * MS + T + MS + T + MS + 30e-6 + 2 * 816 / 125e6 + 5 * MS, 1e-12);
}

/* Regions are defined in the first segment that was recorded, which is not the first to run; what
 * is wrong is told with its own line. */
static void places(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(sim_run(&s, FLAT,
	                  "# orrery-trace 1\n0 recv 1 0 800 6 any=source\n0 region 0 a.c:1>a.c:2\n"
	                  "0 compute 1e6 region=0\n"
	                  "0 recv 2 0 800 6 any=source\n0 compute 1e6 region=0\n1 compute 3e6\n"
	                  "1 send 0 0 800 6\n2 compute 1e6\n"
	                  "2 send 0 0 800 6\n",
	                  3, ONE, NULL),
	          s.err);
	assert_close(s.time, 3 * MS + T + MS, 1e-12);
	assert_int_equal(s.actions, 9);
	/* rank 2's message, line 3, comes first and is too long; the receive from rank 1 is line
	 * 2 */
	assert_int_equal(
	    sim_run(&s, FLAT,
	            "# orrery-trace 1\n0 recv 1 0 800 6 any=source\n0 recv 2 0 80 6 any=source\n"
	            "1 compute 3e6\n"
	            "1 send 0 0 800 6\n2 compute 1e6\n2 send 0 0 800 6\n",
	            3, ONE, NULL),
	    -1);
	assert_non_null(strstr(s.err.text, "program.tit:3"));
	/* rank 2 never sends */
	assert_int_equal(
	    sim_run(&s, FLAT,
	            "# orrery-trace 1\n0 recv 1 0 800 6 any=source\n0 recv 2 0 80 6 any=source\n"
	            "0 recv 1 0 80 6 any=source\n"
	            "1 init\n2 init\n",
	            3, ONE, NULL),
	    -1);
	assert_non_null(strstr(s.err.text, "waits for a message from any rank"));
	assert_int_equal(
	    sim_run(&s, FLAT, "# orrery-trace 1\n0 init\n", 1, "replay/wildcards:other", NULL), -1);
	assert_non_null(strstr(s.err.text, "'simulated' or 'recorded'"));
}

/* More answers than are read ahead: 200 of rank 1, one every millisecond, then one of rank 2 that
 * comes first. It is beyond what is read, until rank 1's have gone: the order of the others does
 * not matter, and nothing is lost. */
static void long_row(void **state)
{
	struct str text;

	(void)state;
	str_init(&text);
	str_puts(&text, "# orrery-trace 1\n");
	for (int i = 0; i < 200; i++)
		str_puts(&text, "0 recv 1 0 80 6 any=source\n1 compute 1e6\n1 send 0 0 80 6\n");
	str_puts(&text, "0 recv 2 0 800 6 any=source\n0 compute 1e6\n2 send 0 0 800 6\n");
	assert_close(sim_time(FLAT, text.s, 3, RECORDED), 200 * MS + 30e-6 + 96 / 125e6 + T + MS,
	             1e-9);
	/* seen when 64 of rank 1's are between: it is served at 137 ms or so, while the master
	 * waits */
	assert_close(sim_time(FLAT, text.s, 3, ONE), 200 * MS + 30e-6 + 96 / 125e6, 1e-9);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(whoever_comes), cmocka_unit_test(probes),
	    cmocka_unit_test(compat_keeps),  cmocka_unit_test(tags),
	    cmocka_unit_test(own_order),     cmocka_unit_test(somebody_else),
	    cmocka_unit_test(end_of_farm),   cmocka_unit_test(places),
	    cmocka_unit_test(long_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
