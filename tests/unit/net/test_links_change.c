/* test_links_change.c: links that change, in the models that are not plain flow models; dates
 * worked by hand.
 *
 * IB: each pair of hosts has a way of its own of 100 bytes/s without latency; factors are 1, a
 * penalty of two that leave one host is 2 x 0.925 = 1.85.
 *   alone        400 bytes by 4 s, then 600 at 200/s: 7 s
 *   penalised    s to d and s to e, 1000 bytes each, at 100/1.85. At 4 s d's link has 200/s: 4 +
 *                (1000 - 400/1.85) / (200/1.85) = 4 + 9.25 - 2 = 11.25 s; the other then goes on
 *                alone: 11.25 + (1000 - 1125/1.85) / 100
 *   SimGrid      keeps the bound of the start: 10 s alone
 * Models without flows: a message takes the figures of its start: PSINS 1000/100 + 1 s of latency
 * whatever happens at 4 s; from then on the new ones. */
#include "models.h"

#define LINK(A, B) "<link id='" A B "' bandwidth='100' latency='0'/>"
#define WAY(A, B) "<route src='" A "' dst='" B "' symmetrical='NO'><link_ctn id='" A B "'/></route>"
#define PAIRS(X) X("s", "d") X("s", "e") X("t", "d")
#define TRACE(KIND, ELEMENT, TEXT) \
	"<trace id='" KIND ELEMENT "' periodicity='0'>" TEXT "</trace><trace_connect kind='" KIND \
	"' trace='" KIND ELEMENT "' element='" ELEMENT "'/>"
#define MACHINE(TRACES) \
	"<platform version='4.1'><zone id='w' routing='Full'><host id='s' speed='1Gf'/><host " \
	"id='t' speed='1Gf'/><host id='d' " \
	"speed='1Gf'/><host id='e' speed='1Gf'/>" PAIRS(LINK) PAIRS(WAY) TRACES \
	    "</zone></platform>"
#define IB \
	"network/model:IB network/crosstraffic:no network/latency-factor:1 " \
	"network/bandwidth-factor:1 "

static void ib(void **state)
{
	double first = 11.25, other = first + (1000 - 1125 / 1.85) / 100;

	(void)state;
	CHECK(MACHINE(TRACE("BANDWIDTH", "sd", "4 200")), IB, {0, "s", "d", 1000, 7});
	CHECK(MACHINE(TRACE("BANDWIDTH", "sd", "4 200")), IB, {0, "s", "d", 1000, first},
	      {0, "s", "e", 1000, other});
	CHECK(MACHINE(TRACE("BANDWIDTH", "sd", "4 200")), IB "compat:simgrid-3.32 ",
	      {0, "s", "d", 1000, 10});
	/* A change and a new message at one date: 400 by 4 s; then both at a penalty of 1.85, this
	 * one of 200/s. */
	CHECK(MACHINE(TRACE("BANDWIDTH", "sd", "4 200")), IB,
	      {0, "s", "d", 1000, 4 + 600 * 1.85 / 200}, {4, "s", "e", 300, 4 + 300 * 1.85 / 100});
	/* A stop from 4 s to 6 s. */
	CHECK(MACHINE(TRACE("BANDWIDTH", "sd", "4 0\n6 100")), IB, {0, "s", "d", 1000, 12});
}

/* A window of 200 bytes: 200 / (2 x 1 s) = 100 bytes/s; from 5 s, with 2 s, 50. Two messages share
 * the penalty, and it stays when the window falls. The latency of 1 s that a message began with
 * ends at 1 s. */
static void ib_window(void **state)
{
	const char *window = IB "network/TCP-gamma:200 ";
	double p = 1.85;

	(void)state;
	CHECK(MACHINE(TRACE("LATENCY", "sd", "0 1\n5 2")), window,
	      {0, "s", "d", 1000, 5 + (1000 - 400) / 50.0});
	CHECK(MACHINE(TRACE("LATENCY", "sd", "0 1\n5 2")), window,
	      {0, "s", "d", 1000, 5 + (1000 - 400 / p) / (50 / p)},
	      {0, "s", "e", 10000,
	       5 + (1000 - 400 / p) / (50 / p) +
	           (10000 - (5 + (1000 - 400 / p) / (50 / p)) * 100 / p) / 100});
}

static void at_start(void **state)
{
	const char *profiles = MACHINE(TRACE("BANDWIDTH", "sd", "4 200\n30 0\n40 50")
	                                   TRACE("LATENCY", "sd", "0 1\n20 3"));

	(void)state;
	CHECK(profiles, "network/model:psins-simple", {0, "s", "d", 1000, 11},
	      {5, "s", "d", 1000, 11}, {20, "s", "d", 1000, 28}, {29, "s", "d", 1000, 37},
	      {40, "s", "d", 1000, 63});
	/* dimemas: latency, then the link out of s and that into d: the second waits for the first,
	 * 1 + 10 s, then 5 s of its own */
	CHECK(profiles, "network/model:dimemas", {0, "s", "d", 1000, 11}, {5, "s", "d", 1000, 16});
	CHECK(profiles, "network/model:constant network/latency-factor:3", {0, "s", "d", 1000, 3},
	      {30, "s", "d", 1000, 33});
}

/* --- off --- */

static int lost(void *self, uint64_t user, const char *why, struct err *err)
{
	*(uint64_t *)self = user;
	return err_set(err, ERR_PROGRAM, "lost: %s", why);
}

static int host_off(void *self, struct host_id h, const char *by, struct err *err)
{
	(void)self;
	(void)h;
	(void)by;
	(void)err;
	return 0;
}

/* Sends from s to d, of user 7, at a date; and one from s to e, of user 8, at 0. What the run ends
 * with: NULL for nothing. */
static void check_off(const char *machine, const char *settings, double date, const char *expected)
{
	uint64_t who = 0;
	struct net_watch watch = {&who, host_off, lost};
	struct sent toward_d = {date, "s", "d", 1000, 0}, toward_e = {0, "s", "e", 1000, 0};
	struct activity_id a;
	struct completion c;
	struct fixture f;
	struct net_send m = {.bytes = toward_d.bytes, .stretch = 1, .user = 7};
	struct net_sent sent;
	int r;

	fixture_init(&f, machine, settings);
	assert_non_null(f.net);
	assert_ok(net_watch(f.net, &watch, &f.err), f.err);
	sent_send(&f, &toward_e, 8);
	assert_ok(engine_timer(net_engine(f.net), date, TIMER, &a, &f.err), f.err);
	while ((r = net_next(f.net, &c, &f.err)) > 0) {
		if (c.user != TIMER)
			continue;
		assert_int_equal(platform_host_find(f.platform, "s", &m.from), 0);
		assert_int_equal(platform_host_find(f.platform, "d", &m.to), 0);
		r = net_message(f.net, &m, &sent, &f.err);
		if (r < 0)
			break;
	}
	if (!expected) {
		assert_ok(r, f.err);
	} else {
		assert_int_equal(r, -1);
		assert_int_equal(f.err.kind, ERR_PROGRAM);
		if (!strstr(f.err.text, expected))
			fail_msg("%s: '%s', not '%s'", settings, f.err.text, expected);
		assert_int_equal(who, strncmp(expected, "lost", 4) == 0 ? 7 : 0);
	}
	fixture_release(&f);
}

/* The message takes 10 s (constant: 10 s). The link is off from 4 s to 6 s: one sent at 0 is lost,
 * one at 5 refused, one at 6 arrives; that to e never matters. */
static void off(void **state)
{
	static const char *const models[] = {
	    IB, "network/model:psins-simple", "network/model:psins-bus", "network/model:psins-in",
	    "network/model:psins-out", "network/model:psins-pmac", "network/model:dimemas",
	    "network/model:constant network/latency-factor:10",
	    "network/model:CM02 network/crosstraffic:no",
	    /* figures that are no route's */
	    ("network/model:psins-simple psins/latency:0 psins/bandwidth:100 "
	     "psins/local-latency:0 psins/local-bandwidth:1 ")};
	const char *machine = MACHINE(TRACE("LINK_AVAIL", "sd", "4 0\n6 1"));

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		check_off(machine, models[i], 0, "lost: link 'sd' is off");
		check_off(machine, models[i], 5, "link 'sd' is off");
		check_off(machine, models[i], 6, NULL);
	}
	check_off(MACHINE(TRACE("BANDWIDTH", "sd", "4 0\n6 1")), "network/model:psins-simple", 5,
	          "link 'sd' has bandwidth 0, which in model psins-simple is as good as off,");
	check_off(MACHINE(TRACE("BANDWIDTH", "sd", "4 0\n6 1")), "network/model:constant", 5, NULL);
}

/* --- what is told --- */

static void check_notice(const char *machine, const char *settings, const char *expected)
{
	struct fixture f;
	struct str s;

	fixture_init(&f, machine, settings);
	assert_non_null(f.net);
	str_init(&s);
	assert_int_equal(net_notices(f.net, &s), 0);
	if (expected ? !s.s || !strstr(s.s, expected) : s.s && s.s[0])
		fail_msg("%s: notice '%s', not '%s'", settings, s.s ? s.s : "",
		         expected ? expected : "");
	str_release(&s);
	fixture_release(&f);
}

static void notices(void **state)
{
	const char *both = MACHINE(TRACE("BANDWIDTH", "sd", "4 200") TRACE("LATENCY", "sd", "4 1"));

	(void)state;
	check_notice(both, "network/model:constant",
	             "of the bandwidth of link 'sd' (and 1 more) has no effect");
	check_notice(both, "network/model:loggps", "has no effect");
	check_notice(both, "network/model:dimemas", "does not reach messages under way");
	check_notice(both,
	             "network/model:psins-bus psins/latency:0 psins/bandwidth:1 "
	             "psins/local-latency:0 psins/local-bandwidth:1",
	             "has no effect");
	check_notice(both, "network/model:IB", NULL);
	check_notice(both, "network/model:hybrid", NULL);
	check_notice(MACHINE(TRACE("LINK_AVAIL", "sd", "4 0")), "network/model:constant", NULL);
	check_notice(MACHINE(""), "network/model:constant", NULL);
	check_notice(MACHINE(""), "network/model:constant smpi/connections:ordered",
	             "smpi/connections has no effect");
	check_notice(MACHINE(""), "network/model:LV08 smpi/connections:ordered", NULL);
	check_notice(MACHINE(""), "network/optim:Full",
	             "setting network/optim has no effect without --cfg compat:simgrid-3.32");
	check_notice(MACHINE(""), "surf/precision:1e-6", "surf/precision has no effect");
	check_notice(MACHINE(""), "loggps/L:1",
	             "setting loggps/L has no effect under model hybrid: it is for loggps");
	check_notice(MACHINE(""), "network/model:dimemas psins/curve-fit:points",
	             "psins/curve-fit has no effect under model dimemas: it is for psins-pmac");
	check_notice(MACHINE(""), "network/model:psins-in psins/busses:3",
	             "psins/busses has no effect under model psins-in: it is for psins-bus, "
	             "psins-pmac, dimemas");
	check_notice(MACHINE(""), "network/queue:700",
	             "setting network/queue has no effect without smpi/connections:ordered");
	check_notice(MACHINE(""), "memory/bandwidth:1e9",
	             "memory/bandwidth has no effect without computation/memory-traffic");
	check_notice(MACHINE(""), "noise/detours:10:1ms:0.5",
	             "setting noise/detours has no effect without noise/seed (--cfg noise/seed:1), "
	             "or --runs");
	check_notice(MACHINE(""), "noise/run-compute:0.1", "noise/run-compute has no effect");
	check_notice(MACHINE(""), "noise/run-compute:0.1 noise/seed:1", NULL);
	check_notice(MACHINE(""), "network/model:IB network/TCP-gamma:1e6", NULL);
	check_notice(MACHINE(""), "network/queue:700 smpi/connections:ordered", NULL);
	check_notice(MACHINE(""), "memory/bandwidth:1e9 computation/memory-traffic:1e8", NULL);
	check_notice(MACHINE(""), "compat:simgrid-3.32 network/optim:Full surf/precision:1e-6",
	             NULL);
}

/* --- noise --- */

/* Twice as long: the times of latency and transfer, not those of LogGPS's processors: 2 o + 2 L + 2
 * G (k - 1). */
static void noise(void **state)
{
	static const struct {
		const char *settings;
		double seconds;
	} cases[] = {
	    {"network/model:constant network/latency-factor:3", 6},
	    {"network/model:psins-simple", 20},
	    {"network/model:psins-bus", 20},
	    {"network/model:psins-pmac", 20},
	    {"network/model:dimemas", 20},
	    {"network/model:loggps loggps/L:1 loggps/o:2 loggps/g:5 loggps/G:0.5 loggps/O:0.7",
	     2 * 2 + 2 * 1 + 1 * 999},
	    {"network/model:loggps loggps/L:1 loggps/o:2 loggps/g:5 loggps/G:0.25 loggps/O:0.7",
	     2 * 2 + 2 * 1 + 0.7 * 999},
	    {IB, 20},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct sent m = {0, "s", "d", 1000, 0};
		struct completion c;
		struct fixture f;

		fixture_init(&f, MACHINE(""), cases[i].settings);
		if (!f.net)
			fail_msg("%s", f.err.text);
		f.stretch = 2;
		sent_send(&f, &m, 1);
		assert_int_equal(net_next(f.net, &c, &f.err), 1);
		assert_close(engine_now(net_engine(f.net)), cases[i].seconds, 1e-12);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ib),  cmocka_unit_test(ib_window), cmocka_unit_test(at_start),
	    cmocka_unit_test(off), cmocka_unit_test(notices),   cmocka_unit_test(noise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
