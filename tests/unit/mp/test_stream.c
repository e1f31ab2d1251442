/* test_stream.c: connections (smpi/connections:ordered), against dates worked by hand.
 *
 * On FLAT under PLAIN a message of n bytes alone takes T(n) = 20e-6 + (n + 16) / 100e6, of which
 * B(n) = (n + 16) / 100e6 is on the links; a request or a reply is one of 64 bytes. What waits
 * behind another piece of its connection has its latency meanwhile: it takes B(n) only. */
#include "sim.h"

#define ORDERED PLAIN " smpi/connections:ordered"
#define T(n) FLAT_TIME(n)
#define B(n) (((n) + 16) / 100e6)
#define CONTROL 64.
#define ALL_EAGER " smpi/async-small-thresh:2000000 smpi/send-is-detached-thresh:2000000"

/* Two eager messages of a pair: one after the other, not side by side; one to somebody else is not
 * concerned. */
static void in_order(void **state)
{
	const struct act sends[] = {ISEND(1, 0, 1e6, 0), ISEND(1, 1, 1000, 1), WAITALL(0, 2), {0}};
	const struct act receives[] = {
	    IRECV(0, 0, 1e6, 0), IRECV(0, 1, 1000, 1), WAITALL(1, 1), WAITALL(0, 1), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED ALL_EAGER, programs, 2);
	assert_close(sim_date(&s, 1, 2), T(1e6) + B(1000), 1e-12);
	assert_close(sim_date(&s, 1, 3), T(1e6) + B(1000), 1e-12);
	sim_release(&s);
	/* by themselves they share the links: the small one has half of the bandwidth */
	sim_do(&s, FLAT, PLAIN ALL_EAGER, programs, 2);
	assert_close(sim_date(&s, 1, 2), 20e-6 + 2 * B(1000), 1e-12);
	sim_release(&s);
}

/* Request, reply, data; the sender ends with the receiver, or when all but the kernel's part has
 * passed. */
static void rendezvous(void **state)
{
	const struct act sends[] = {SEND(1, 0, 1e6), {0}}, receives[] = {RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sends, receives};
	double end = 2 * T(CONTROL) + T(1e6);
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED, programs, 2);
	assert_close(sim_date(&s, 0, 0), end, 1e-12);
	assert_close(sim_date(&s, 1, 0), end, 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, ORDERED " smpi/send-buffer:100000", programs, 2);
	assert_close(sim_date(&s, 0, 0), 2 * T(CONTROL) + 20e-6 + 0.9 * B(1e6), 1e-12);
	assert_close(sim_date(&s, 1, 0), end, 1e-12);
	sim_release(&s);
}

/* Buffered sends are over at once, however little the kernel takes; their buffer is given back when
 * their bytes have passed. The one that asks first gets its reply in MPI_Buffer_detach. */
static void buffered(void **state)
{
	const struct act sends[] = {SEND_AS(MP_BUFFERED, 1, 0, 1e6), DETACH, {0}},
	                 receives[] = {RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED ALL_EAGER " smpi/send-buffer:100000", programs, 2);
	assert_true(sim_date(&s, 0, 0) == 0);
	assert_close(sim_date(&s, 0, 1), T(1e6), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, ORDERED " smpi/send-buffer:100000", programs, 2);
	assert_true(sim_date(&s, 0, 0) == 0);
	assert_close(sim_date(&s, 0, 1), 2 * T(CONTROL) + T(1e6), 1e-12);
	sim_release(&s);
}

/* A rank that has computed while the reply came sees it when it enters a collective, one that is
 * decided as a whole too: who waits for its data comes there only then. (Rank 1's own request of
 * the simulated barrier has gone before it looks.) */
static void seen_in_collectives(void **state)
{
	const struct act zero[] = {RECV(1, 0, 1e6), COLL(.kind = COLL_BARRIER), {0}};
	const struct act one[] = {
	    ISEND(0, 0, 1e6, 0), SLEEP(1), COLL(.kind = COLL_BARRIER), WAIT(0), {0}};
	static const char *const how[] = {ORDERED, ORDERED " smpi/collectives:analytic"};
	const double before[] = {B(CONTROL), 0};
	const struct act *programs[2] = {zero, one};
	struct sim s;

	(void)state;
	for (int i = 0; i < 2; i++) {
		sim_do(&s, FLAT, how[i], programs, 2);
		assert_close(sim_date(&s, 0, 0), 1 + before[i] + T(1e6), 1e-12);
		sim_release(&s);
	}
}

/* What a request or a reply costs its two processes adds to its latency: os and or of a message of
 * its size. */
static void control_has_overheads(void **state)
{
	const struct act sends[] = {SEND(1, 0, 1e6), {0}}, receives[] = {RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED " smpi/os:0:1e-3:1e-6 smpi/or:0:2e-3:0", programs, 2);
	assert_close(sim_date(&s, 1, 0), 2 * (T(CONTROL) + 1e-3 + 64e-6 + 2e-3) + T(1e6), 1e-12);
	sim_release(&s);
}

/* Rank 1 waits for rank 2 when rank 0's request comes: it has answered before its own request goes,
 * 0's data leave, and 0's answer waits behind them: one after the other. */
static void exchange_one_after_the_other(void **state)
{
	const struct act zero[] = {SENDRECV(1, 1e6, 1, 1e6), {0}};
	const struct act one[] = {RECV(2, 0, 1000), SENDRECV(0, 1e6, 0, 1e6), {0}};
	const struct act two[] = {SLEEP(1e-3), SEND(1, 0, 1000), {0}};
	const struct act *programs[3] = {zero, one, two};
	double late = 1e-3 + T(1000), end = late + T(CONTROL) + T(1e6) + B(CONTROL) + T(1e6);
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED " smpi/async-small-thresh:65536", programs, 3);
	assert_close(sim_date(&s, 1, 0), late, 1e-12);
	assert_close(sim_date(&s, 0, 0), end, 1e-12);
	assert_close(sim_date(&s, 1, 1), end, 1e-12);
	sim_release(&s);
}

/* As late, but from a computation: its own request goes first, then it sees the other one's. Both
 * at once. 1's data leave at twice T(CONTROL). */
static void exchange_at_once(void **state)
{
	const struct act zero[] = {SENDRECV(1, 1e6, 1, 1e6), {0}};
	const struct act one[] = {SLEEP(1e-3), SENDRECV(0, 1e6, 0, 1e6), {0}};
	const struct act *programs[2] = {zero, one};
	double end = 1e-3 + 2 * T(CONTROL) + T(1e6);
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED, programs, 2);
	assert_close(sim_date(&s, 0, 0), end, 1e-12);
	assert_close(sim_date(&s, 1, 1), end, 1e-12);
	sim_release(&s);
}

/* As before, but between its computation and the exchange it sends itself something and waits for
 * what is there: neither looks at connections, where 0's request has come meanwhile (it would be
 * answered before the own one goes). */
static void nothing_to_wait_for(void **state)
{
	const struct act zero[] = {SENDRECV(1, 1e6, 1, 1e6), {0}};
	const struct act one[] = {IRECV(1, 5, 1e6, 0),      SLEEP(1e-3),
	                          SEND(1, 5, 1e6),          WAITALL(0, 1),
	                          SENDRECV(0, 1e6, 0, 1e6), {0}};
	const struct act *programs[2] = {zero, one};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED, programs, 2);
	assert_close(sim_date(&s, 1, 4), sim_date(&s, 1, 3) + 2 * T(CONTROL) + T(1e6), 1e-12);
	sim_release(&s);
}

/* A reply that comes while its process computes is seen in the next call that waits. */
static void seen_in_calls(void **state)
{
	const struct act sends[] = {ISEND(1, 0, 1e6, 0), SLEEP(5e-3), WAITALL(0, 1), {0}},
	                 receives[] = {RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED, programs, 2);
	assert_close(sim_date(&s, 1, 0), 5e-3 + T(1e6), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, ORDERED " smpi/progress:async", programs, 2);
	assert_close(sim_date(&s, 1, 0), 2 * T(CONTROL) + T(1e6), 1e-12);
	sim_release(&s);
}

/* Eager sends too are over when the kernel has them: 1,500 bytes of a connection. */
/* A small send of the default thresholds is over at once, though it is asked for; its sender then
 * computes and makes no further call that looks: the reply is seen when it ends. */
static void seen_at_the_end(void **state)
{
	const struct act sends[] = {SEND(1, 0, 1000), COMPUTE(1e6), {0}},
	                 receives[] = {RECV(0, 0, 1000), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED, programs, 2);
	assert_close(sim_date(&s, 1, 0), 1e-3 + T(1000), 1e-12);
	sim_release(&s);
}

static void kept_by_the_kernel(void **state)
{
	const struct act sends[] = {SEND(1, 0, 1000), SEND(1, 0, 1000), SEND(2, 0, 1000), {0}};
	const struct act receives[] = {SLEEP(1), RECV(0, 0, 1000), RECV(0, 0, 1000), {0}},
	                 one[] = {RECV(0, 0, 1000), {0}};
	const struct act *programs[3] = {sends, receives, one};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED ALL_EAGER " smpi/send-buffer:1500", programs, 3);
	assert_double_is(sim_date(&s, 0, 0), 0);
	assert_close(sim_date(&s, 0, 1), T(1000), 1e-12);
	assert_close(sim_date(&s, 0, 2), T(1000), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, ORDERED ALL_EAGER, programs, 3);
	assert_double_is(sim_date(&s, 0, 2), 0);
	sim_release(&s);
}

#define CONTACTS ORDERED ALL_EAGER " smpi/connection-setup:1e-3 smpi/first-contact:2e-3"

/* The first message of a pair waits for its connection. It reaches rank 1 after a third of 1 ms,
 * who waits, has looked at 0 s and looks again at 2 ms, and then takes the two thirds that are
 * left; the answer finds a connection; rank 2's finds rank 1 looking all the time. */
static void connections_are_made(void **state)
{
	const struct act zero[] = {SEND(1, 0, 1000), RECV(1, 0, 1000), {0}};
	const struct act one[] = {RECV(0, 0, 1000), SEND(0, 0, 1000), RECV(2, 0, 1000), {0}};
	const struct act two[] = {SLEEP(1), SEND(1, 0, 1000), {0}};
	const struct act *programs[3] = {zero, one, two};
	const double open = 2e-3 + 2e-3 / 3;
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, CONTACTS, programs, 3);
	assert_close(sim_date(&s, 1, 0), open + T(1000), 1e-12);
	assert_close(sim_date(&s, 0, 1), open + 2 * T(1000), 1e-12);
	assert_close(sim_date(&s, 1, 2), 1 + 1e-3 + T(1000), 1e-12);
	sim_release(&s);
}

/* Two that both send first look all the time: no more than the connection itself. One that has
 * computed for longer than the period looks when it begins to wait. */
static void connections_are_looked_for(void **state)
{
	const struct act zero[] = {SEND(1, 0, 1000), RECV(1, 0, 1000), {0}};
	const struct act one[] = {SEND(0, 0, 1000), RECV(0, 0, 1000), {0}};
	const struct act late[] = {SLEEP(5e-3), RECV(0, 0, 1000), SEND(0, 0, 1000), {0}};
	const struct act *exchange[2] = {zero, one}, *busy[2] = {zero, late};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, CONTACTS, exchange, 2);
	assert_close(sim_date(&s, 0, 1), 1e-3 + T(1000), 1e-12);
	assert_close(sim_date(&s, 1, 1), 1e-3 + T(1000), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, CONTACTS, busy, 2);
	assert_close(sim_date(&s, 1, 1), 5e-3 + 2e-3 / 3 + T(1000), 1e-12);
	sim_release(&s);
}

/* A message that finds another one on its links waits for what that one has queued there: 1,000
 * bytes on the first rank's link out. */
static void queues(void **state)
{
	const struct act sends[] = {
	    ISEND(1, 0, 1e6, 0), SLEEP(1e-3), ISEND(2, 0, 1000, 1), WAITALL(0, 2), {0}};
	const struct act one[] = {RECV(0, 0, 1e6), {0}}, two[] = {RECV(0, 0, 1000), {0}};
	const struct act *programs[3] = {sends, one, two};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED ALL_EAGER " network/queue:1000", programs, 3);
	assert_close(sim_date(&s, 2, 0), 1e-3 + 1000 / 100e6 + 20e-6 + 2 * B(1000), 1e-12);
	sim_release(&s);
}

/* Of one that is nearly over it waits for what is left: at 1 ms the first has moved for 0.98 ms at
 * 100 MB/s, and has 400 bytes to go. */
static void queues_end(void **state)
{
	const double moved = 0.98e-3, first = moved * 100e6 + 400 - (B(0) * 100e6);
	const struct act sends[] = {
	    ISEND(1, 0, first, 0), SLEEP(1e-3), ISEND(2, 0, 1000, 1), WAITALL(0, 2), {0}};
	const struct act one[] = {RECV(0, 0, first), {0}}, two[] = {RECV(0, 0, 1000), {0}};
	const struct act *programs[3] = {sends, one, two};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED ALL_EAGER " network/queue:1000", programs, 3);
	assert_close(sim_date(&s, 2, 0), 1e-3 + 400 / 100e6 + 20e-6 + B(1000), 1e-12);
	sim_release(&s);
}

/* Acknowledgements take an eighth of the way back, unless data go there between the same two. */
static void acknowledgements(void **state)
{
	const char
	    *settings = "network/model:CM02 network/TCP-gamma:0 network/crosstraffic-share:0.125 "
	                "smpi/connections:ordered" ALL_EAGER;
	const struct act ring[3][4] = {
	    {ISEND(1, 0, 1e6, 0), IRECV(2, 0, 1e6, 1), WAITALL(0, 2), {0}},
	    {ISEND(2, 0, 1e6, 0), IRECV(0, 0, 1e6, 1), WAITALL(0, 2), {0}},
	    {ISEND(0, 0, 1e6, 0), IRECV(1, 0, 1e6, 1), WAITALL(0, 2), {0}}};
	const struct act pair[2][3] = {{SEND(1, 0, 1e6), RECV(1, 0, 1e6), {0}},
	                               {SLEEP(1e-3), SENDRECV(0, 1e6, 0, 1e6), {0}}};
	const struct act *three[3] = {ring[0], ring[1], ring[2]}, *two[2] = {pair[0], pair[1]};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, settings, three, 3);
	assert_close(sim_date(&s, 0, 2), 20e-6 + 1.125 * B(1e6), 1e-12);
	sim_release(&s);
	/* The first began alone, 1 ms before: its acknowledgements and the other one's data share
	 * the way back, 8/9 for each, until it ends; then the other one, which has as much to go as
	 * the first had moved by itself, is alone. */
	sim_do(&s, FLAT, settings, two, 2);
	assert_close(sim_date(&s, 0, 1), 1.02e-3 + 1.125 * (B(1e6) - 1e-3) + 1e-3, 1e-12);
	sim_release(&s);
}

/* smpi/notice 10 us, which the latency of 20 us contains: messages take what they took. */
#define NOTICE " smpi/notice:10e-6"

static void notice_is_in_the_latency(void **state)
{
	const struct act sends[] = {SEND(1, 0, 1e6), {0}}, receives[] = {RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED NOTICE, programs, 2);
	assert_close(sim_date(&s, 1, 0), 2 * T(CONTROL) + T(1e6), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, ORDERED ALL_EAGER NOTICE, programs, 2);
	assert_close(sim_date(&s, 1, 0), T(1e6), 1e-12);
	sim_release(&s);
}

/* Rank 1 is let go by a message of rank 2 at T(0) and exchanges with rank 0, who asks `gap` after
 * that message left. */
static void asked(struct sim *s, double gap, const char *settings)
{
	const struct act zero[] = {SLEEP(gap), SENDRECV(1, 1e6, 1, 1e6), {0}};
	const struct act one[] = {RECV(2, 0, 0), SENDRECV(0, 1e6, 0, 1e6), {0}};
	const struct act two[] = {SEND(1, 0, 0), {0}};
	const struct act *programs[3] = {zero, one, two};

	sim_do(s, FLAT, settings, programs, 3);
}
#define ASKED ORDERED " smpi/async-small-thresh:65536"

/* Without notice rank 0's request, 5 us after that message, is seen by rank 1 when its own has
 * gone: both at once, from the later request's reply on. With it the request is there at 5 us +
 * T(CONTROL) - 10 us, before T(0), and is answered at T(0); the reply is seen T(CONTROL) later, 0's
 * data leave, and 0's answer passes behind them, its latency being over: one after the other. */
static void notice_makes_an_exchange_take_twice(void **state)
{
	static const char *const twice[] = {ASKED NOTICE, ASKED " smpi/notice:0:1e-6;3:10e-6"};
	static const char *const once[] = {ASKED, ASKED " smpi/notice:0:1e-6;4:10e-6",
	                                   ASKED NOTICE " smpi/progress:async"};
	struct sim s;

	(void)state;
	for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
		asked(&s, 5e-6, twice[i]);
		assert_close(sim_date(&s, 0, 1), T(0) + T(CONTROL) + 2 * T(1e6) + B(CONTROL),
		             1e-12);
		assert_close(sim_date(&s, 1, 1), T(0) + T(CONTROL) + 2 * T(1e6) + B(CONTROL),
		             1e-12);
		sim_release(&s);
	}
	for (size_t i = 0; i < sizeof once / sizeof *once; i++) {
		asked(&s, 5e-6, once[i]);
		assert_true(sim_date(&s, 0, 1) < 4 * T(CONTROL) + T(1e6) &&
		            sim_date(&s, 1, 1) < 4 * T(CONTROL) + T(1e6));
		sim_release(&s);
	}
}

/* The last gap with which it takes twice: the request is there when rank 1 has reacted. A reaction
 * of 10 us ends with the message's own latency, at T(0); the request's T(CONTROL) is 10 us shorter.
 * One of 50 us ends at 50 us + B(0), and all of the request's latency is in it. 10 ns off, for the
 * bytes of both. */
static void notice_has_a_last_gap(void **state)
{
	static const struct {
		const char *settings;
		double gap;
	} cases[] = {{ASKED NOTICE, T(0) - (T(CONTROL) - 10e-6)},
	             {ASKED " smpi/notice:50e-6", 50e-6 + B(0) - B(CONTROL)}};
	struct sim s;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		asked(&s, cases[i].gap - 1e-8, cases[i].settings);
		assert_true(sim_date(&s, 0, 1) > 2 * T(1e6) && sim_date(&s, 1, 1) > 2 * T(1e6));
		sim_release(&s);
		asked(&s, cases[i].gap + 1e-8, cases[i].settings);
		assert_true(sim_date(&s, 0, 1) < 1.1 * T(1e6) && sim_date(&s, 1, 1) < 1.1 * T(1e6));
		sim_release(&s);
	}
}

/* From a computation both requests go before anything is seen: at once, as without notice. */
static void notice_after_a_computation(void **state)
{
	const struct act zero[] = {SENDRECV(1, 1e6, 1, 1e6), {0}};
	const struct act one[] = {SLEEP(1e-3), SENDRECV(0, 1e6, 0, 1e6), {0}};
	const struct act *programs[2] = {zero, one};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, ORDERED NOTICE, programs, 2);
	assert_true(sim_date(&s, 0, 0) < 1e-3 + 1.1 * T(1e6));
	assert_true(sim_date(&s, 1, 1) < 1e-3 + 1.1 * T(1e6));
	sim_release(&s);
}

/* As before, on virtual hosts with one processor, of which each message takes 18 us, and another
 * message at 1 ms: rank 1's request takes 36 us of work and is there for 2 us before it is seen by
 * itself; its answer to rank 0, right behind it, would be seen after 0.8 us. Who sees that has seen
 * the request before it, and answers before its data go: both at once. */
static void notice_keeps_the_order(void **state)
{
	const struct act zero[] = {SENDRECV(1, 1e6, 1, 1e6), {0}};
	const struct act one[] = {SLEEP(1e-3), SENDRECV(0, 1e6, 0, 1e6), {0}};
	const struct act two[] = {SLEEP(1e-3), SEND(3, 0, 0), {0}}, three[] = {RECV(2, 0, 0), {0}};
	const struct act *programs[4] = {zero, one, two, three};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT,
	       ASKED NOTICE " virtual-hosts/processors:1 virtual-hosts/message-work:18e-6",
	       programs, 4);
	assert_true(sim_date(&s, 0, 0) < 1e-3 + 1.1 * T(1e6));
	assert_true(sim_date(&s, 1, 1) < 1e-3 + 1.1 * T(1e6));
	sim_release(&s);
}

/* Reactions of a median of 50 us and a deviation of 0.5: after a gap of 50 us (see above) half of
 * the exchanges take twice. Of 80 seeds 40, give or take four times sqrt(80) / 2 = 4.5. Twice the
 * deviation beyond, after 50 us x e, one in 44: of 80 at most 10. Without a seed: the same in each
 * run. */
static void notice_is_drawn(void **state)
{
	static const double gaps[] = {50e-6, 50e-6 * M_E};
	int twice[2] = {0, 0};
	double first;
	struct sim s;

	(void)state;
	for (int g = 0; g < 2; g++) {
		for (int seed = 1; seed <= 80; seed++) {
			char settings[256];

			snprintf(settings, sizeof settings,
			         "%s smpi/notice:0:50e-6:0.5 noise/seed:%d", ASKED, seed);
			asked(&s, gaps[g], settings);
			twice[g] += sim_date(&s, 0, 1) > 2 * T(1e6);
			sim_release(&s);
		}
	}
	assert_in_range(twice[0], 22, 58);
	assert_in_range(twice[1], 0, 10);
	asked(&s, 50e-6, ASKED " smpi/notice:0:50e-6:0.5");
	first = sim_date(&s, 0, 1);
	sim_release(&s);
	asked(&s, 50e-6, ASKED " smpi/notice:0:50e-6:0.5");
	assert_true(sim_date(&s, 0, 1) == first);
	sim_release(&s);
}

/* Virtual hosts: of a message's 20 us of latency 8 are work for a processor. With one processor two
 * messages at once take 16 us for that, and the second of one connection, which follows the first,
 * none; a computation (of 1 ms) beside a message gets half of the processor meanwhile. */
static void work_of_messages(void **state)
{
#define VIRTUAL ORDERED ALL_EAGER " virtual-hosts/processors:1 virtual-hosts/message-work:8e-6"
	const struct act sends[] = {SEND(1, 0, 1000), SEND(1, 0, 1000), {0}},
	                 receives[] = {RECV(0, 0, 1000), RECV(0, 0, 1000), {0}};
	const struct act others[] = {SEND(3, 0, 1000), {0}}, get[] = {RECV(2, 0, 1000), {0}},
	                 compute[] = {COMPUTE(1e6), {0}}, nothing[] = {{0}};
	const struct act *alone[4] = {sends, receives, nothing, nothing},
	                 *both[4] = {sends, receives, others, get},
	                 *beside[4] = {sends, receives, compute, nothing};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, VIRTUAL, alone, 4);
	assert_close(sim_date(&s, 1, 0), T(1000), 1e-12);
	assert_close(sim_date(&s, 1, 1), T(1000) + B(1000), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, VIRTUAL, both, 4);
	assert_close(sim_date(&s, 1, 0), T(1000) + 8e-6, 1e-12);
	assert_close(sim_date(&s, 1, 1), T(1000) + 8e-6 + B(1000), 1e-12);
	assert_close(sim_date(&s, 3, 0), T(1000) + 8e-6, 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, VIRTUAL, beside, 4);
	assert_close(sim_date(&s, 1, 0), T(1000) + 8e-6, 1e-12);
	assert_close(sim_date(&s, 2, 0), 1e-3 + 8e-6, 1e-12);
	sim_release(&s);
	/* without processors to share there is no such work */
	sim_do(&s, FLAT, ORDERED ALL_EAGER " virtual-hosts/message-work:8e-6", both, 4);
	assert_close(sim_date(&s, 3, 0), T(1000), 1e-12);
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_order),
	    cmocka_unit_test(rendezvous),
	    cmocka_unit_test(control_has_overheads),
	    cmocka_unit_test(exchange_one_after_the_other),
	    cmocka_unit_test(exchange_at_once),
	    cmocka_unit_test(nothing_to_wait_for),
	    cmocka_unit_test(work_of_messages),
	    cmocka_unit_test(seen_in_calls),
	    cmocka_unit_test(seen_at_the_end),
	    cmocka_unit_test(kept_by_the_kernel),
	    cmocka_unit_test(connections_are_made),
	    cmocka_unit_test(connections_are_looked_for),
	    cmocka_unit_test(queues),
	    cmocka_unit_test(queues_end),
	    cmocka_unit_test(acknowledgements),
	    cmocka_unit_test(notice_is_in_the_latency),
	    cmocka_unit_test(notice_makes_an_exchange_take_twice),
	    cmocka_unit_test(notice_has_a_last_gap),
	    cmocka_unit_test(notice_after_a_computation),
	    cmocka_unit_test(notice_keeps_the_order),
	    cmocka_unit_test(notice_is_drawn),
	    cmocka_unit_test(buffered),
	    cmocka_unit_test(seen_in_collectives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
