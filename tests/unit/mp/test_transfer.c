/* test_transfer.c: the protocols, on the ring of the thesis' figure 3.1 and on two ranks, against
 * dates worked by hand.
 *
 * T(n) = 20e-6 + (n + 16) / 100e6 is the time of an isolated message of n bytes on FLAT under
 * PLAIN. */
#include "sim.h"

#define OVERHEADS " smpi/os:0:1e-3:1e-8 smpi/or:0:2e-3:2e-8 smpi/ois:0:3e-3:3e-8"
#define OS(n) (1e-3 + 1e-8 * (n))
#define OR(n) (2e-3 + 2e-8 * (n))
#define OIS(n) (3e-3 + 3e-8 * (n))

/* Figure 3.1: rank 0 computes, sends to 1, receives from 3; the others receive from their left,
 * compute, send to their right. */
static void ring(double bytes, const char *settings, double want)
{
	const struct act first[] = {COMPUTE(1e6), SEND(1, 0, bytes), RECV(3, 0, bytes), {0}};
	struct act others[3][4];
	const struct act *programs[4] = {first, others[0], others[1], others[2]};
	struct sim s;

	for (int i = 1; i < 4; i++)
		memcpy(others[i - 1],
		       (struct act[]){
		           RECV(i - 1, 0, bytes), COMPUTE(1e6), SEND((i + 1) % 4, 0, bytes), {0}},
		       sizeof others[0]);
	sim_do(&s, FLAT, settings, programs, 4);
	assert_close(sim_date(&s, 0, 2), want, 1e-12);
	sim_release(&s);
}

/* One hop is a computation of 1e6 / 1e9 s and a message; the receives are posted long before.
 * Detached messages and eager ones (whose transfer begins at the same date here) cost os before and
 * or after; the rendezvous pays neither. */
static void ring_of_figure_3_1(void **state)
{
	(void)state;
	ring(1000, PLAIN, 4 * (1e-3 + FLAT_TIME(1000)));
	ring(1000, PLAIN " smpi/async-small-thresh:2000", 4 * (1e-3 + FLAT_TIME(1000)));
	ring(1e6, PLAIN, 4 * (1e-3 + FLAT_TIME(1e6)));
	ring(1000, PLAIN OVERHEADS, 4 * (1e-3 + OS(1000) + FLAT_TIME(1000) + OR(1000)));
	ring(1000, PLAIN OVERHEADS " smpi/async-small-thresh:2000",
	     4 * (1e-3 + OS(1000) + FLAT_TIME(1000) + OR(1000)));
	ring(1e6, PLAIN OVERHEADS, 4 * (1e-3 + FLAT_TIME(1e6)));
}

/* The default model on the same ring, with its factors: docs/models.md. Sizes are looked up with
 * the envelope: 1016 is in the section of 732, 1000016 in that of 65472. Cross-traffic goes over
 * the other directions of the links and takes nothing from the data. */
static void ring_with_factors(void **state)
{
	double small = 20e-6 * 1.9503 + 1016 / (0.341987 * 100e6),
	       large = 20e-6 * 11.6436 + 1000016 / (0.940694 * 100e6);

	(void)state;
	ring(1000, "", 4 * (1e-3 + small));
	ring(1e6, "", 4 * (1e-3 + large));
}

/* A receiver that comes late, at 1 s: when does it end, and its sender? */
static void late_receiver(const struct act *send, double bytes, const char *settings, double sender,
                          double receiver)
{
	const struct act sends[] = {*send, {0}}, receives[] = {SLEEP(1), RECV(0, 7, bytes), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	sim_do(&s, FLAT, settings, programs, 2);
	assert_close(sim_date(&s, 0, 0), sender, 1e-12);
	assert_close(sim_date(&s, 1, 1), receiver, 1e-12);
	sim_release(&s);
}

static void protocols(void **state)
{
	const struct act small = SEND(1, 7, 1000), large = SEND(1, 7, 65536),
	                 just_below = SEND(1, 7, 65535);
	const struct act synchronous = SEND_AS(MP_SYNCHRONOUS, 1, 7, 1000),
	                 buffered = SEND_AS(MP_BUFFERED, 1, 7, 1e6);
	const char *eager = PLAIN OVERHEADS " smpi/async-small-thresh:1001";

	(void)state;
	/* detached: the sender goes on after os; the message moves when the receive is posted */
	late_receiver(&small, 1000, PLAIN OVERHEADS, OS(1000), 1 + FLAT_TIME(1000) + OR(1000));
	/* eager: it has arrived long before */
	late_receiver(&small, 1000, eager, OS(1000), 1 + OR(1000));
	/* rendezvous, from the threshold on: the sender waits for the end of the transfer, without
	 * os */
	late_receiver(&just_below, 65535, PLAIN OVERHEADS, OS(65535),
	              1 + FLAT_TIME(65535) + OR(65535));
	late_receiver(&large, 65536, PLAIN OVERHEADS, 1 + FLAT_TIME(65536), 1 + FLAT_TIME(65536));
	/* synchronous: a rendezvous that pays os, eager or not */
	late_receiver(&synchronous, 1000, PLAIN OVERHEADS, 1 + FLAT_TIME(1000),
	              1 + FLAT_TIME(1000));
	late_receiver(&synchronous, 1000, eager, 1 + FLAT_TIME(1000), 1 + FLAT_TIME(1000));
	/* buffered: detached whatever its size */
	late_receiver(&buffered, 1e6, PLAIN OVERHEADS, OS(1e6), 1 + FLAT_TIME(1e6) + OR(1e6));
}

/* The eager message is on its way when its receive is posted: the receive ends with it. */
static void eager_on_its_way(void **state)
{
	const struct act sends[] = {SEND(1, 0, 1e6), {0}},
	                 receives[] = {SLEEP(5e-3), RECV(0, 0, 1e6), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT,
	       PLAIN " smpi/async-small-thresh:2000000 smpi/send-is-detached-thresh:2000000",
	       programs, 2);
	assert_double_is(sim_date(&s, 0, 0), 0);
	assert_close(sim_date(&s, 1, 1), FLAT_TIME(1e6), 1e-12);
	sim_release(&s);
}

/* Isend pays ois whatever its size; overheads delay the posting: the second message leaves after
 * both. */
static void immediate_sends(void **state)
{
	const struct act sends[] = {ISEND(1, 0, 1000, 0), ISEND(2, 0, 1e6, 1), WAITALL(0, 2), {0}};
	const struct act one[] = {RECV(0, 0, 1000), {0}}, two[] = {RECV(0, 0, 1e6), {0}};
	const struct act *programs[3] = {sends, one, two};
	double posted = OIS(1000) + OIS(1e6);
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN OVERHEADS, programs, 3);
	assert_close(sim_date(&s, 0, 0), OIS(1000), 1e-12);
	assert_close(sim_date(&s, 0, 1), posted, 1e-12);
	assert_close(sim_date(&s, 1, 0), OIS(1000) + FLAT_TIME(1000) + OR(1000), 1e-12);
	assert_close(sim_date(&s, 2, 0), posted + FLAT_TIME(1e6), 1e-12);
	assert_close(sim_date(&s, 0, 2), posted + FLAT_TIME(1e6), 1e-12);
	sim_release(&s);
}

/* or is paid one message after the other: both arrive together, sharing the receiver's link, after
 * 20e-6 + 2 x 1016 / 100e6. */
static void receive_overheads_add_up(void **state)
{
	const struct act sends[] = {SEND(0, 0, 1000), {0}},
	                 receives[] = {
	                     IRECV(1, 0, 1000, 0), IRECV(2, 0, 1000, 1), WAITALL(0, 2), {0}};
	const struct act *programs[3] = {receives, sends, sends};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " smpi/or:0:2e-3:2e-8", programs, 3);
	assert_close(sim_date(&s, 0, 2), 20e-6 + 2 * 1016 / 100e6 + 2 * OR(1000), 1e-12);
	sim_release(&s);
}

/* A message to oneself goes over the loopback (1 GB/s, 1 us); MPI_Sendrecv with oneself takes no
 * time; MPI_PROC_NULL neither. */
static void self_and_null(void **state)
{
	const struct act acts[] = {ISEND(0, 0, 1e6, 0),
	                           RECV(0, 0, 1e6),
	                           WAIT(0),
	                           SENDRECV(0, 1000, 0, 1000),
	                           SEND(MP_PROC_NULL, 0, 1e6),
	                           RECV(MP_PROC_NULL, 0, 1e6),
	                           SENDRECV(MP_PROC_NULL, 10, MP_PROC_NULL, 10),
	                           {0}};
	const struct act *programs[1] = {acts};
	double arrived = 1e-6 + 1000016 / 1e9;
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " smpi/os:0:1:0 smpi/or:0:1:0", programs, 1);
	assert_close(sim_date(&s, 0, 1), arrived, 1e-12);
	assert_double_is(sim_date(&s, 0, 6), sim_date(&s, 0, 1));
	assert_int_equal(s.rank[0].seen[5].source, MP_PROC_NULL);
	assert_double_is(s.rank[0].seen[5].bytes, 0);
	sim_release(&s);
}

/* No overheads of the network either, for a small message whose send is over at once; with compat
 * they are paid, as in SMPI. */
static void no_overheads_to_oneself(void **state)
{
	const struct act acts[] = {ISEND(0, 0, 1000, 0), RECV(0, 0, 1000), WAIT(0), {0}};
	const struct act *programs[1] = {acts};
	double arrived = 1e-6 + 1016 / 1e9;
	struct sim s;

	(void)state;
	sim_do(&s, FLAT,
	       PLAIN OVERHEADS " smpi/async-small-thresh:2000 smpi/send-is-detached-thresh:2000",
	       programs, 1);
	assert_close(sim_date(&s, 0, 2), arrived, 1e-12);
	sim_release(&s);
	sim_do(
	    &s, FLAT,
	    PLAIN OVERHEADS
	    " smpi/async-small-thresh:2000 smpi/send-is-detached-thresh:2000 compat:simgrid-3.32",
	    programs, 1);
	assert_close(sim_date(&s, 0, 2), 3e-3 + 3e-5 + arrived + 2e-3 + 2e-5, 1e-12);
	sim_release(&s);
}

/* No bytes: the envelope still travels. */
static void empty_message(void **state)
{
	const struct act sends[] = {SEND(1, 0, 0), {0}}, receives[] = {RECV(0, 0, 0), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, programs, 2);
	assert_close(sim_date(&s, 1, 0), FLAT_TIME(0), 1e-12);
	sim_release(&s);
}

/* Both directions of the link at once: neither slows the other. */
static void sendrecv(void **state)
{
	const struct act a[] = {SENDRECV(1, 1e6, 1, 1000), {0}},
	                 b[] = {SENDRECV(0, 1000, 0, 1e6), {0}};
	const struct act *programs[2] = {a, b};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN OVERHEADS, programs, 2);
	/* rank 1's message leaves after its ois, rank 0's after its own, longer */
	assert_close(sim_date(&s, 0, 0), OIS(1e6) + FLAT_TIME(1e6), 1e-12);
	assert_close(sim_date(&s, 1, 0), OIS(1e6) + FLAT_TIME(1e6), 1e-12);
	sim_release(&s);
}

static void truncation(void **state)
{
	const struct act sends[] = {SEND(1, 7, 200), {0}}, receives[] = {RECV(0, 7, 100), {0}};
	const struct act *programs[2] = {sends, receives};
	struct sim s;

	(void)state;
	sim_init(&s, FLAT, PLAIN, programs, 2);
	sim_run(&s);
	assert_fails(s.result, s.err, ERR_PROGRAM, "MPI_ERR_TRUNCATE");
	assert_non_null(strstr(s.err.text, "200 bytes, MPI_Send of rank 0"));
	assert_non_null(strstr(s.err.text, "at most 100 bytes, MPI_Recv of rank 1"));
	assert_non_null(strstr(s.err.text, "action 0"));
	sim_release(&s);
}

/* Of a program that is known to have gone on: as if there had been room; both sides are told. */
static void truncation_handled(void **state)
{
	const struct act a[] = {SEND(1, 7, 200), SENDRECV(0, 300, 0, 100), {0}},
	                 b[] = {RECV(0, 7, 100), {0}};
	const struct act *programs[2] = {a, b};
	struct str report;
	struct sim s;

	(void)state;
	sim_init(&s, FLAT, PLAIN, programs, 2);
	s.longer = "MPI_ERR_TRUNCATE, which it knows";
	sim_run(&s);
	assert_ok(s.result, s.err);
	assert_close(sim_date(&s, 1, 0), FLAT_TIME(200), 1e-12);
	str_init(&report);
	assert_int_equal(mp_report(s.mp, &report), 2);
	assert_non_null(strstr(report.s, "MPI_Send of rank 0 to rank 1"));
	assert_non_null(strstr(report.s, "has 200 bytes, MPI_Recv of rank 1 from rank 0"));
	assert_non_null(strstr(report.s, "takes at most 100 (MPI_ERR_TRUNCATE, "));
	assert_non_null(strstr(report.s, "MPI_Sendrecv of rank 0 has 300 bytes for itself"));
	str_release(&report);
	sim_release(&s);
}

/* Three computations on two cores: 2/3 of a core each (1e9 instructions at 1e9/s). */
static void oversubscribed_host(void **state)
{
	const struct act acts[] = {COMPUTE(1e9), {0}};
	const struct act *programs[12];
	struct sim s;

	(void)state;
	for (int i = 0; i < 12; i++)
		programs[i] = acts;
	sim_do(&s, FLAT, PLAIN, programs, 12);
	assert_close(sim_date(&s, 0, 0), 1.5, 1e-12);
	assert_close(sim_date(&s, 11, 0), 1.5, 1e-12);
	sim_release(&s);
}

/* Four hosts that are virtual ones of a computer with three processors, speeds as declared: each of
 * four computations has 3/4 of one; two have all they want. */
static void virtual_hosts(void **state)
{
	const struct act acts[] = {COMPUTE(1e9), {0}}, nothing[] = {{0}};
	const struct act *all[4] = {acts, acts, acts, acts},
	                 *two[4] = {acts, nothing, nothing, acts};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN " virtual-hosts/processors:3", all, 4);
	for (uint32_t r = 0; r < 4; r++)
		assert_close(sim_date(&s, r, 0), 4. / 3, 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN " virtual-hosts/processors:3", two, 4);
	assert_close(sim_date(&s, 0, 0), 1, 1e-12);
	sim_release(&s);
}

/* Buffered sends are over at once; their buffer is given back when the last of their messages has
 * arrived: received at 1 s by rank 1. Eager ones are the network's as soon as they are sent; what
 * is given up, and what goes nowhere, is in no buffer. */
static void buffer_given_back(void **state)
{
	const struct act twice[] = {SEND_AS(MP_BUFFERED, 1, 7, 1e5),
	                            ISEND_AS(MP_BUFFERED, 1, 8, 1e5, 0),
	                            DETACH,
	                            WAIT(0),
	                            {0}};
	const struct act persistent[] = {
	    SEND_INIT(MP_BUFFERED, 1, 7, 1e5, 0), START(0, 1), WAITALL(0, 1),
	    SEND_AS(MP_BUFFERED, 1, 8, 1e5),      DETACH,      {0}};
	const struct act both[] = {SLEEP(1), RECV(0, 8, 1e5), RECV(0, 7, 1e5), {0}};
	const struct act given_up[] = {SEND_AS(MP_BUFFERED, MP_PROC_NULL, 7, 1e5),
	                               ISEND_AS(MP_BUFFERED, 1, 8, 1e5, 0),
	                               CANCEL(0),
	                               DETACH,
	                               WAIT(0),
	                               {0}};
	const struct act nothing[] = {SLEEP(1), {0}}, none[] = {DETACH, {0}};
	struct sim s;

	(void)state;
	sim_do(&s, FLAT, PLAIN, (const struct act *[]){twice, both}, 2);
	assert_true(sim_date(&s, 0, 0) == 0 && sim_date(&s, 0, 1) == 0);
	assert_close(sim_date(&s, 0, 2), 1 + 2 * FLAT_TIME(1e5), 1e-12);
	assert_close(sim_date(&s, 1, 2), 1 + 2 * FLAT_TIME(1e5), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN, (const struct act *[]){persistent, both}, 2);
	assert_close(sim_date(&s, 0, 4), 1 + 2 * FLAT_TIME(1e5), 1e-12);
	sim_release(&s);
	sim_do(&s, FLAT,
	       PLAIN " smpi/async-small-thresh:200000 smpi/send-is-detached-thresh:200000",
	       (const struct act *[]){twice, both}, 2);
	assert_true(sim_date(&s, 0, 2) == 0);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN, (const struct act *[]){given_up, nothing}, 2);
	assert_true(sim_date(&s, 0, 3) == 0);
	sim_release(&s);
	sim_do(&s, FLAT, PLAIN, (const struct act *[]){none, nothing}, 2);
	assert_true(sim_date(&s, 0, 0) == 0);
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ring_of_figure_3_1),  cmocka_unit_test(ring_with_factors),
	    cmocka_unit_test(protocols),           cmocka_unit_test(eager_on_its_way),
	    cmocka_unit_test(immediate_sends),     cmocka_unit_test(receive_overheads_add_up),
	    cmocka_unit_test(self_and_null),       cmocka_unit_test(no_overheads_to_oneself),
	    cmocka_unit_test(empty_message),       cmocka_unit_test(sendrecv),
	    cmocka_unit_test(truncation),          cmocka_unit_test(truncation_handled),
	    cmocka_unit_test(oversubscribed_host), cmocka_unit_test(virtual_hosts),
	    cmocka_unit_test(buffer_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
