/* test_ib.c: the penalties of model IB, against times worked by hand. Every pair of hosts has a way
 * of its own of 1 MB/s and no latency, so that only penalties slow a message down; factors are 1.
 * With beta_e = 0.965, beta_s = 0.925, gamma_s = 1.35:
 *   two leave a host        2 x 0.925 = 1.85 for both
 *   three reach a host      1 x 0.965 x 3 = 2.895 for each
 *   one of two that leave goes where three arrive: out = 2 x 0.925 x 1.35 = 2.4975; there
 *   max(2.4975, 2.895) = 2.895, elsewhere 2.4975 */
#include "models.h"

#define LINK(A, B) "<link id='" A B "' bandwidth='1MBps' latency='0'/>"
#define WAY(A, B) "<route src='" A "' dst='" B "' symmetrical='NO'><link_ctn id='" A B "'/></route>"
#define PAIRS(X) X("s", "d") X("s", "e") X("t", "d") X("u", "d") X("t", "e") X("s", "s")
#define MACHINE \
	"<platform version='4.1'><zone id='w' routing='Full'><host id='s' speed='1Gf'/><host " \
	"id='t' speed='1Gf'/><host id='u' " \
	"speed='1Gf'/>" \
	"<host id='d' speed='1Gf'/><host id='e' speed='1Gf'/>" PAIRS(LINK) \
	    PAIRS(WAY) "</zone></platform>"
#define MODEL \
	"network/model:IB network/crosstraffic:no network/latency-factor:1 " \
	"network/bandwidth-factor:1 "

static void alone(void **state)
{
	(void)state;
	CHECK(MACHINE, MODEL, {0, "s", "d", 1e6, 1}, {2, "s", "e", 1e6, 3}, {2, "t", "d", 1e6, 3});
	/* what stays in a host does not count */
	CHECK(MACHINE, MODEL, {0, "s", "s", 1e6, 1}, {0, "s", "d", 1e6, 1});
}

/* Both at 1/1.85 until the first has ended; the other's second megabyte alone. */
static void leave(void **state)
{
	(void)state;
	CHECK(MACHINE, MODEL, {0, "s", "d", 1e6, 1.85}, {0, "s", "e", 2e6, 1.85 + 1});
	CHECK(MACHINE, MODEL "smpi/IB-penalty-factors:1;1;1 ", {0, "s", "d", 1e6, 2},
	      {0, "s", "e", 2e6, 3});
}

/* Three at 1/2.895 for 2.895 s; then two with a megabyte left at 1/(0.965 x 2); then one with one
 * left. */
static void reach(void **state)
{
	(void)state;
	double first = 2.895, second = first + 1.93;

	CHECK(MACHINE, MODEL, {0, "s", "d", 1e6, first}, {0, "t", "d", 2e6, second},
	      {0, "u", "d", 3e6, second + 1});
	/* SimGrid leaves the others as they were: nobody is joined any more to the sender that has
	 * ended */
	CHECK(MACHINE, MODEL "compat:simgrid-3.32 ", {0, "s", "d", 1e6, first},
	      {0, "t", "d", 2e6, 2 * first}, {0, "u", "d", 3e6, 3 * first});
}

static void both(void **state)
{
	(void)state;
	double out = 2 * 0.925 * 1.35, in = 3 * 0.965;

	/* s to e ends first; then s has one, d still three; s to d ends with the others, for theirs
	 * is the larger penalty all the time */
	CHECK(MACHINE, MODEL, {0, "s", "e", 1e6, out}, {0, "s", "d", 1e6, in},
	      {0, "t", "d", 1e6, in}, {0, "u", "d", 1e6, in});
}

/* Without a TCP window SimGrid sets no bound where there is a latency, and so finds none to
 * penalise: the bytes alone, after it. */
static void no_window(void **state)
{
	(void)state;
	const char *machine =
	    "<platform version='4.1'><zone id='w' routing='Full'><host id='s' speed='1Gf'/>"
	    "<host id='d' speed='1Gf'/><host id='e' speed='1Gf'/>"
	    "<link id='sd' bandwidth='1MBps' latency='1'/>"
	    "<link id='se' bandwidth='1MBps' latency='0'/>"
	    "<route src='s' dst='d'><link_ctn id='sd'/></route>"
	    "<route src='s' dst='e'><link_ctn id='se'/></route></zone></platform>";

	CHECK(machine, MODEL "network/TCP-gamma:0 ", {0, "s", "d", 1e6, 1 + 1.85},
	      {0, "s", "e", 2e6, 2.85 + 2 - 2.85 / 1.85});
	CHECK(machine, MODEL "network/TCP-gamma:0 compat:simgrid-3.32 ", {0, "s", "d", 1e6, 1 + 1},
	      {0, "s", "e", 2e6, 2 + 2 - 2 / 1.85});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(alone), cmocka_unit_test(leave),     cmocka_unit_test(reach),
	    cmocka_unit_test(both),  cmocka_unit_test(no_window),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
