/* test_change.c: availability profiles at work: dates worked by hand. The model is CM02 without
 * window, latency or cross-traffic unless said: a message of n bytes over capacity c takes n / c.
 * Hosts: a (10 flop/s, 2 cores), b; link l: 100 bytes/s, 0 s. */
#include "fixture.h"

#define PLAIN "network/model:CM02 network/TCP-gamma:0 network/crosstraffic:no "
#define MACHINE(TRACES) \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='10f' " \
	"core='2'/><host id='b' speed='10f'/>" \
	"<link id='l' bandwidth='100' latency='0s'/><link id='m' bandwidth='100' latency='0s'/>" \
	"<link id='slow' bandwidth='1000' latency='1s'/>" \
	"<host id='c' speed='10f'/><host id='d' speed='10f'/>" \
	"<route src='a' dst='b'><link_ctn id='l'/></route>" \
	"<route src='a' dst='c'><link_ctn id='l'/><link_ctn id='m'/></route>" \
	"<route src='a' dst='d'><link_ctn id='slow'/></route>" \
	"<route src='b' dst='c'><link_ctn id='m'/></route>" TRACES "</zone></platform>"
#define TRACE(KIND, ELEMENT, TEXT) \
	"<trace id='" KIND ELEMENT "' periodicity='0'>" TEXT "</trace><trace_connect kind='" KIND \
	"' trace='" KIND ELEMENT "' element='" ELEMENT "'/>"

static void compute(struct fixture *f, const char *on, double volume, uint64_t user)
{
	struct activity_id a;

	assert_ok(net_compute(f->net, host(f, on), 0, volume, user, &a, &f->err), f->err);
}

static double message_alone(const char *xml, const char *settings, const char *to, double bytes)
{
	struct fixture f;
	double date;

	fixture_init(&f, xml, settings);
	send(&f, "a", to, bytes, 1);
	date = next(&f, 1);
	fixture_release(&f);
	return date;
}

/* 400 bytes at 100/s, then 600 at 50/s; at 200/s: 3 s. SimGrid leaves the bound of what is under
 * way at the 100/s of its start. */
static void bandwidth(void **state)
{
	(void)state;
	assert_double_is(message_alone(MACHINE(TRACE("BANDWIDTH", "l", "4 50")), PLAIN, "b", 1000),
	                 16);
	assert_double_is(message_alone(MACHINE(TRACE("BANDWIDTH", "l", "4 200")), PLAIN, "b", 1000),
	                 7);
	assert_double_is(message_alone(MACHINE(TRACE("BANDWIDTH", "l", "4 200")),
	                               PLAIN "compat:simgrid-3.32", "b", 1000),
	                 10);
	/* from the start; a stop of 2 s; again and again: 100 a second for 1 s, 50 for 1 s: 150 in
	 * 2 s */
	assert_double_is(message_alone(MACHINE(TRACE("BANDWIDTH", "l", "0 50")), PLAIN, "b", 1000),
	                 20);
	assert_double_is(
	    message_alone(MACHINE(TRACE("BANDWIDTH", "l", "4 0\n6 100")), PLAIN, "b", 1000), 12);
	assert_double_is(
	    message_alone(MACHINE(TRACE("BANDWIDTH", "l", "0 100\n1 50\nPERIODICITY 2")), PLAIN,
	                  "b", 600),
	    8);
	/* 0 1 3 4 6…: 50 from 0 to 1, 100 from 1 to 3; LOOPAFTER 0 s makes rounds of 3 s: 250
	 * bytes */
	assert_double_is(
	    message_alone(MACHINE(TRACE("BANDWIDTH", "l", "0 50\n1 100\n3 50\nLOOPAFTER 0")), PLAIN,
	                  "b", 550),
	    7);
}

/* Both messages cross l, the second also m. S is 100, so their penalties are 1 and 2: 66.7 and 33.3
 * bytes/s. At 3 s m falls to 50, the penalty of the second is 3: 75 and 25. The first has 300 left:
 * 7 s. The second has 300 left then, and m gives it 50: 13 s. */
static void weights(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, MACHINE(TRACE("BANDWIDTH", "m", "3 50")), PLAIN "network/weight-S:100");
	send(&f, "a", "b", 500, 1);
	send(&f, "a", "c", 500, 2);
	assert_close(next(&f, 1), 7, 1e-12);
	assert_close(next(&f, 2), 13, 1e-12);
	fixture_release(&f);
}

/* A latency that has begun keeps its second; new messages have the new one. The window: 200 / (2 x
 * 1 s) is 100 bytes/s, with 2 s 50. */
static void latency(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, MACHINE(TRACE("LATENCY", "slow", "0.5 3")), PLAIN);
	send(&f, "a", "d", 1000, 1);
	assert_double_is(next(&f, 1), 2);
	send(&f, "a", "d", 1000, 2);
	assert_double_is(next(&f, 2), 2 + 3 + 1);
	fixture_release(&f);
	assert_double_is(
	    message_alone(MACHINE(TRACE("LATENCY", "slow", "5 2")),
	                  "network/model:CM02 network/TCP-gamma:200 network/crosstraffic:no", "d",
	                  1000),
	    5 + (1000 - 400) / 50.0);
}

/* 30 at 10/s, then 70 at 5/s. Three on two cores: 20/3 each for 3 s, then 80 left at 10/3: 27. A
 * stop from 3 to 5 s. Its second half of the speed begins before the computation does. */
static void speed(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, MACHINE(TRACE("SPEED", "a", "3 0.5")), PLAIN);
	compute(&f, "a", 100, 1);
	assert_double_is(next(&f, 1), 17);
	compute(&f, "a", 10, 2);
	assert_double_is(next(&f, 2), 19);
	fixture_release(&f);
	fixture_init(&f, MACHINE(TRACE("SPEED", "a", "3 0.5")), PLAIN);
	for (uint64_t i = 1; i <= 3; i++)
		compute(&f, "a", 100, i);
	for (int i = 0; i < 3; i++)
		assert_close(next_of_any(&f), 27, 1e-12);
	fixture_release(&f);
	fixture_init(&f, MACHINE(TRACE("SPEED", "a", "3 0\n5 1")), PLAIN);
	compute(&f, "a", 100, 1);
	assert_double_is(next(&f, 1), 12);
	fixture_release(&f);
}

/* What stands still for ever is the end of the simulation, not a loop without end. */
static void stopped(void **state)
{
	struct fixture f;
	struct completion c;

	(void)state;
	fixture_init(&f, MACHINE(TRACE("BANDWIDTH", "l", "4 0")), PLAIN);
	send(&f, "a", "b", 1000, 1);
	assert_int_equal(engine_next(net_engine(f.net), &c, &f.err), 0);
	fixture_release(&f);
	fixture_init(&f, MACHINE(TRACE("BANDWIDTH", "l", "0 0\n1 0\nPERIODICITY 2")), PLAIN);
	send(&f, "a", "b", 1000, 1);
	assert_int_equal(engine_next(net_engine(f.net), &c, &f.err), 0);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bandwidth), cmocka_unit_test(weights), cmocka_unit_test(latency),
	    cmocka_unit_test(speed),     cmocka_unit_test(stopped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
