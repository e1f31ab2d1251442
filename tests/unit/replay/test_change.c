/* test_change.c: programs on a machine that changes: what is turned off under them, and what
 * changes nothing. */
#include "sim.h"

#define PLAIN "network/model:CM02 network/TCP-gamma:0 network/crosstraffic:no "
#define MACHINE(TRACES) \
	"<platform version='4.1'><zone id='z' routing='Full'>" \
	"<host id='a' speed='10f' core='2'/><host id='b' speed='10f'/>" \
	"<link id='l' bandwidth='100' latency='0s'/><link id='m' bandwidth='100' latency='0s'/>" \
	"<link id='slow' bandwidth='1000' latency='1s'/><host id='c' speed='10f'/>" \
	"<host id='d' speed='10f'/><route src='a' dst='b'><link_ctn id='l'/></route>" \
	"<route src='a' dst='c'><link_ctn id='l'/><link_ctn id='m'/></route>" \
	"<route src='a' dst='d'><link_ctn id='slow'/></route>" \
	"<route src='b' dst='c'><link_ctn id='m'/></route>" TRACES "</zone></platform>"
#define TRACE(KIND, ELEMENT, TEXT) \
	"<trace id='" KIND ELEMENT "' periodicity='0'>" TEXT "</trace><trace_connect kind='" KIND \
	"' trace='" KIND ELEMENT "' element='" ELEMENT "'/>"

#define PING \
	"0 init\n0 compute 50\n0 send 1 0 400 6\n0 finalize\n1 init\n1 recv 0 0 400 6\n1 finalize\n"

/* The message is under way from 5 s to 9.16 s (416 bytes with the envelope). */
static void off(void **state)
{
	struct sim s;

	(void)state;
	assert_fails(
	    sim_run(&s, MACHINE(TRACE("LINK_AVAIL", "l", "6 0\n8 1")), PING, 2, PLAIN, NULL), s.err,
	    ERR_PROGRAM, "rank 0 at 6 s");
	assert_non_null(strstr(s.err.text, "link 'l' is off"));
	assert_non_null(strstr(s.err.text, "while a message crosses it"));
	assert_fails(
	    sim_run(&s, MACHINE(TRACE("LINK_AVAIL", "l", "4 0\n8 1")), PING, 2, PLAIN, NULL), s.err,
	    ERR_PROGRAM, "rank 0 at 5 s");
	assert_non_null(strstr(s.err.text, "a message would cross it"));
	assert_fails(sim_run(&s, MACHINE(TRACE("HOST_AVAIL", "b", "7 0")), PING, 2, PLAIN, NULL),
	             s.err, ERR_PROGRAM, "rank 1 at 7 s");
	assert_non_null(strstr(s.err.text, "its host 'b' is off (<trace id=\"HOST_AVAILb\">"));
	assert_fails(sim_run(&s, MACHINE(TRACE("HOST_AVAIL", "b", "0 0")), PING, 2, PLAIN, NULL),
	             s.err, ERR_PROGRAM, "rank 1 at 0 s");
	/* off when nobody needs it */
	assert_ok(sim_run(&s, MACHINE(TRACE("LINK_AVAIL", "l", "1 0\n4.5 1\n9.5 0")), PING, 2,
	                  PLAIN, NULL),
	          s.err);
	assert_double_is(s.time, 5 + 416 / 100.0);
	assert_ok(sim_run(&s, MACHINE(TRACE("HOST_AVAIL", "c", "1 0")), PING, 2, PLAIN, NULL),
	          s.err);
}

/* A profile that changes nothing changes no date, to the last bit. */
static void idle(void **state)
{
	static const char program[] =
	    "0 init\n0 compute 33\n0 send 1 0 4000 6\n0 finalize\n1 init\n1 recv 0 0 4000 6\n"
	    "1 finalize\n";
	struct sim a, b;

	(void)state;
	assert_ok(sim_run(&a, MACHINE(""), program, 2, "", NULL), a.err);
	assert_ok(sim_run(&b,
	                  MACHINE(TRACE("SPEED", "a", "0 1\n1 1\nPERIODICITY 1.5") TRACE(
	                      "BANDWIDTH", "l", "0 100\nLOOPAFTER 0.7") TRACE("LATENCY", "l", "2 0")
	                              TRACE("LINK_AVAIL", "m", "1 0")),
	                  program, 2, "", NULL),
	          b.err);
	assert_double_is(a.time, b.time);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(off), cmocka_unit_test(idle)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
