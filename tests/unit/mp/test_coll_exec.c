/* test_coll_exec.c: collectives as ranks see them: dates worked by hand, blocking and not, on the
 * world and on parts of it, and the check that all members call the same. */
#include "sim.h"

#include "mp/mp_int.h"

#define BCAST(r, n) COLL(.kind = COLL_BCAST, .root = (r), .count = (n), .type_size = 1)
#define BARRIER COLL(.kind = COLL_BARRIER)

/* Binomial tree of four: 0 sends to 2 and to 1, 2 sends to 3. Detached, the two messages of 0 share
 * its link; in rendezvous one follows the other. */
static void bcast(void **state)
{
	const struct act small[] = {BCAST(0, 1000), {0}}, large[] = {BCAST(0, 1000000), {0}},
	                 shifted[] = {BCAST(2, 1000), {0}};
	double first = 20e-6 + 2 * 1016 / 100e6, t = FLAT_TIME(1e6);
	struct sim s;

	(void)state;
	all_do(&s, PLAIN, small, 4);
	assert_double_is(sim_date(&s, 0, 0), 0);
	assert_close(sim_date(&s, 1, 0), first, 1e-12);
	assert_close(sim_date(&s, 2, 0), first, 1e-12);
	assert_close(sim_date(&s, 3, 0), first + FLAT_TIME(1000), 1e-12);
	sim_release(&s);
	all_do(&s, PLAIN, large, 4);
	assert_close(sim_date(&s, 0, 0), 2 * t, 1e-12);
	assert_close(sim_date(&s, 1, 0), 2 * t, 1e-12);
	assert_close(sim_date(&s, 2, 0), 2 * t, 1e-12);
	assert_close(sim_date(&s, 3, 0), 2 * t, 1e-12);
	sim_release(&s);
	all_do(&s, PLAIN, shifted, 4);
	assert_close(sim_date(&s, 1, 0), first + FLAT_TIME(1000),
	             1e-12); /* 1 is rank 3 as seen from 2 */
	sim_release(&s);
}

/* Linear: all tell 0 (three empty messages share its link), 0 tells all. or is paid three times by
 * 0, once by the others. */
static void barrier(void **state)
{
	const struct act acts[] = {BARRIER, {0}};
	double wave = 20e-6 + 3 * 16 / 100e6;
	struct sim s;

	(void)state;
	all_do(&s, PLAIN, acts, 4);
	for (uint32_t i = 1; i < 4; i++)
		assert_close(sim_date(&s, i, 0), 2 * wave, 1e-12);
	sim_release(&s);
	all_do(&s, PLAIN " smpi/or:0:1e-3:0", acts, 4);
	for (uint32_t i = 1; i < 4; i++)
		assert_close(sim_date(&s, i, 0), 4e-3 + 2 * wave,
		             1e-12); /* a table from 0 on is for messages without bytes, too */
	sim_release(&s);
}

static void overheads(void **state)
{
	const struct act acts[] = {BCAST(0, 1000), {0}};
	double os = 1e-3, or_ = 2e-3;
	struct sim s;

	(void)state;
	all_do(&s, PLAIN " smpi/os:0:1e-3:0 smpi/or:0:2e-3:0", acts, 4);
	/* the messages of 0 leave at os and 2 os, and no longer meet */
	assert_close(sim_date(&s, 0, 0), 2 * os, 1e-12);
	assert_close(sim_date(&s, 2, 0), os + FLAT_TIME(1000) + or_ + os, 1e-12);
	assert_close(sim_date(&s, 1, 0), 2 * os + FLAT_TIME(1000) + or_, 1e-12);
	assert_close(sim_date(&s, 3, 0), os + FLAT_TIME(1000) + or_ + os + FLAT_TIME(1000) + or_,
	             1e-12);
	sim_release(&s);
}

/* The operator is executed after the communication: 1e6 instructions at 1e9/s. */
static void operator_volume(void **state)
{
	struct act with[] = {COLL(.kind = COLL_ALLREDUCE, .count = 10, .type_size = 8,
	                          .commutative = 1, .basic_type = 1),
	                     {0}};
	struct act without[] = {with[0], {0}};
	double date;
	struct sim s;

	(void)state;
	with[0].bytes = 1e6;
	all_do(&s, PLAIN, without, 4);
	date = sim_date(&s, 3, 0);
	sim_release(&s);
	all_do(&s, PLAIN, with, 4);
	assert_close(sim_date(&s, 3, 0), date + 1e-3, 1e-12);
	sim_release(&s);
}

/* A non-blocking broadcast goes on under a computation of 1 s; or is paid by the wait: after it, or
 * as soon as the message is there. */
static void nonblocking(void **state)
{
	const struct act later[] = {ICOLL(0, .kind = COLL_BCAST, .count = 1000, .type_size = 1),
	                            COMPUTE(1e9),
	                            WAIT(0),
	                            {0}};
	const struct act at_once[] = {
	    ICOLL(0, .kind = COLL_BCAST, .count = 1000, .type_size = 1), WAIT(0), {0}};
	const struct act tested[] = {ICOLL(0, .kind = COLL_BCAST, .count = 1000, .type_size = 1),
	                             COMPUTE(1e9),
	                             TEST(0),
	                             {0}};
	const char *settings = PLAIN " smpi/ois:0:1e-3:0 smpi/or:0:2e-3:0 smpi/bcast:linear_nb";
	struct sim s;

	(void)state;
	all_do(&s, settings, later, 4);
	assert_close(sim_date(&s, 0, 0), 3e-3, 1e-12); /* three isends */
	assert_close(sim_date(&s, 0, 2), 1 + 3e-3, 1e-12);
	assert_double_is(sim_date(&s, 3, 0), 0);
	assert_close(sim_date(&s, 3, 2), 1 + 2e-3, 1e-12);
	assert_int_equal(s.rank[3].seen[2].n, 1);
	sim_release(&s);
	all_do(&s, settings, at_once, 4);
	assert_close(sim_date(&s, 3, 1), 3e-3 + FLAT_TIME(1000) + 2e-3, 1e-12);
	sim_release(&s);
	all_do(&s, settings, tested, 4);
	assert_int_equal(s.rank[3].seen[2].flag, 1);
	assert_close(sim_date(&s, 3, 2), 1 + 1e-4 + 2e-3, 1e-12);
	sim_release(&s);
}

/* A pipeline of 1,000 segments of 8 KiB down the line 0, 1, 2, 3, in rendezvous: segment i leaves 0
 * at i T, and r at (i + r) T. Ranks post all receives, but three messages are under way at once,
 * and requests are few. */
static void segments(void **state)
{
	enum { N = 1000, SEGMENT = 8192 };
	const struct act acts[] = {BCAST(0, N * SEGMENT), {0}};
	double t = FLAT_TIME(SEGMENT);
	struct sim s;

	(void)state;
	all_do(&s, PLAIN " smpi/bcast:SMP_linear smpi/send-is-detached-thresh:0", acts, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_close(sim_date(&s, i, 0), (N + (i < 3 ? i : 2)) * t, 1e-9);
	assert_true(s.mp->n_reqs < 100);
	sim_release(&s);
	all_do(&s, PLAIN " smpi/bcast:arrival_pattern_aware smpi/send-is-detached-thresh:0", acts,
	       4);
	assert_true(s.mp->n_reqs < 200);
	sim_release(&s);
}

/* The same, detached: what a rank has, it sends on at once. All segments to one rank are under way
 * together, and are few requests. In a line (NTSL) those of a rank leave when it has got all; a
 * root that sends to all (flattree_pipeline) parts its link among them; a binary tree (NTSB) has 0
 * send to 1 and 2 and 1 to 3. The root posts its sends before the others their receives, or after
 * (root 3, who goes last). */
static void segments_at_once(void **state)
{
	enum { N = 1000, SEGMENT = 8192, FEW = 20 };
	const struct act acts[] = {BCAST(0, N * SEGMENT), {0}},
	                 last[] = {BCAST(3, N * SEGMENT), {0}};
	double wire = (SEGMENT + 16) / 100e6, all = 20e-6 + N * wire, both = 20e-6 + 2 * N * wire;
	struct sim s;

	(void)state;
	all_do(&s, PLAIN " smpi/bcast:NTSL", acts, 4);
	for (uint32_t i = 1; i < 4; i++)
		assert_close(sim_date(&s, i, 0), i * all, 1e-9);
	assert_true(s.mp->n_reqs < FEW);
	assert_true(s.mp->stats.messages == 3 * N);
	sim_release(&s);
	all_do(&s, PLAIN " smpi/bcast:NTSB", acts, 4);
	for (uint32_t i = 1; i < 4; i++)
		assert_close(sim_date(&s, i, 0), i < 3 ? both : both + all, 1e-9);
	assert_true(s.mp->n_reqs < FEW);
	sim_release(&s);
	for (uint32_t root = 0; root < 4; root += 3) {
		all_do(&s, PLAIN " smpi/bcast:flattree_pipeline", root ? last : acts, 4);
		for (uint32_t i = 1; i < 4; i++)
			assert_close(sim_date(&s, (root + i) % 4, 0), 20e-6 + 3 * N * wire, 1e-9);
		assert_true(s.mp->n_reqs < FEW);
		assert_true(s.mp->stats.messages == 3 * N);
		sim_release(&s);
	}
}

/* Segments that leave at dates of their own are by themselves: with an overhead of 1 ms for each
 * send, the root's leave at 1 ms, 2 ms, …, one after the other. */
static void segments_apart(void **state)
{
	enum { N = 10, SEGMENT = 8192 };
	const struct act acts[] = {BCAST(0, N * SEGMENT), {0}};
	struct sim s;

	(void)state;
	all_do(&s, PLAIN " smpi/bcast:NTSL smpi/ois:0:1e-3:0", acts, 2);
	assert_close(sim_date(&s, 1, 0), N * 1e-3 + FLAT_TIME(SEGMENT), 1e-9);
	sim_release(&s);
}

/* Several at once, of different kinds, waited for in another order, among point-to-point messages:
 * nothing is mixed up, nothing is left. */
static void many_at_once(void **state)
{
	const struct act acts[] = {ICOLL(0, .kind = COLL_BARRIER),
	                           ICOLL(1, .kind = COLL_ALLREDUCE, .count = 100, .type_size = 8,
	                                 .commutative = 1, .basic_type = 1),
	                           ICOLL(2, .kind = COLL_ALLTOALL, .count = 100, .count2 = 100,
	                                 .type_size = 8, .type_size2 = 8),
	                           BCAST(1, 100000),
	                           SENDRECV(0, 10, MP_PROC_NULL, 10),
	                           WAIT(2),
	                           ICOLL(3, .kind = COLL_SCAN, .count = 100, .type_size = 8,
	                                 .commutative = 1, .basic_type = 1),
	                           WAITALL(0, 4),
	                           BARRIER,
	                           {0}};
	struct act first[10];
	const struct act *programs[4] = {first, acts, acts, acts};
	struct str report;
	struct sim s;

	(void)state;
	memcpy(first, acts, sizeof first);
	first[4] = (struct act)SLEEP(0);
	sim_do(&s, FLAT, PLAIN, programs, 4);
	str_init(&report);
	assert_int_equal(mp_report(s.mp, &report), 3); /* those that rank 0 never received */
	assert_non_null(strstr(report.s, "MPI_Sendrecv of rank 1 to rank 0"));
	str_release(&report);
	sim_release(&s);
}

/* Rows of a 2 x 4 grid, columns, and a communicator in another order; the root is a rank of the
 * communicator. */
static void communicators(void **state)
{
	static const uint32_t rows[2][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}},
	                      columns[4][2] = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
	static const uint32_t mixed[8] = {3, 1, 4, 0, 5, 2, 7, 6};
	struct act acts[8][8];
	const struct act *programs[8];
	struct mp_comm row;
	struct sim s;

	(void)state;
	for (uint32_t i = 0; i < 8; i++) {
		struct act b = BCAST(1, 100), c = BCAST(1, 200), d = BCAST(2, 300);

		b.comm = 1, c.comm = 2, d.comm = 3;
		memcpy(acts[i],
		       (struct act[]){COMM(1, 10 + i / 4, rows[i / 4], 4),
		                      COMM(2, 20 + i % 4, columns[i % 4], 2),
		                      COMM(3, 30, mixed, 8),
		                      b,
		                      c,
		                      d,
		                      COMM_FREE(1),
		                      {0}},
		       sizeof acts[i]);
		programs[i] = acts[i];
	}
	sim_do(&s, FLAT, PLAIN, programs, 8);
	row = s.rank[0].comm[2];
	assert_int_equal(mp_comm_size(s.mp, row), 2);
	assert_int_equal(mp_comm_rank(s.mp, row, 4), 1);
	assert_int_equal(mp_comm_rank(s.mp, row, 1), -1);
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(mp_comm_rank(s.mp, s.rank[0].comm[3], mixed[i]), i);
	/* roots: 1 and 5 in the rows, 4 to 7 in the columns, 4 in the mixed one */
	assert_double_is(sim_date(&s, 1, 3), 0);
	assert_double_is(sim_date(&s, 5, 3), 0);
	assert_double_is(sim_date(&s, 5, 4), 0);
	assert_true(sim_date(&s, 4, 3) > 0);
	assert_double_is(sim_date(&s, 4, 5), sim_date(&s, 4, 4));
	sim_release(&s);
}

static void fails(const struct act *a, const struct act *b, const char *text)
{
	const struct act *programs[2] = {a, b};
	struct sim s;

	sim_init(&s, FLAT, PLAIN, programs, 2);
	sim_run(&s);
	assert_fails(s.result, s.err, ERR_PROGRAM, text);
	sim_release(&s);
}

static void mismatches(void **state)
{
	static const uint32_t two[] = {0, 1}, turned[] = {1, 0}, one[] = {0}, twice[] = {0, 1, 1};
	const struct act barrier_[] = {BARRIER, {0}}, bcast_0[] = {BCAST(0, 1), {0}},
	                 bcast_1[] = {BCAST(1, 1), {0}}, bcast_2[] = {BCAST(2, 1), {0}};
	const struct act ibarrier[] = {ICOLL(0, .kind = COLL_BARRIER), {0}};
	const struct act make[] = {COMM(1, 5, two, 2), {0}},
	                 make_turned[] = {COMM(1, 5, turned, 2), {0}},
	                 make_one[] = {COMM(1, 5, one, 1), {0}};
	const struct act make_two[] = {COMM(1, 5, two, 2), COMM(1, 5, two, 2), {0}},
	                 make_twice[] = {COMM(1, 5, twice, 3), {0}}, nothing[] = {{0}};

	(void)state;
	fails(barrier_, bcast_0,
	      "rank 1 at 0 s, action 0: calls MPI_Bcast as collective 1 on communicator 0, where "
	      "rank 0 called MPI_Barrier");
	fails(barrier_, ibarrier,
	      "calls MPI_Ibarrier as collective 1 on communicator 0, where rank 0 called "
	      "MPI_Barrier");
	fails(bcast_0, bcast_1,
	      "calls MPI_Bcast with root 1 as collective 1 on communicator 0, where rank 0 called "
	      "it with root 0");
	fails(bcast_2, bcast_2, "MPI_Bcast with root 2 on a communicator of 2 ranks");
	fails(make, make_turned,
	      "makes a communicator with rank 1 as its member 0; rank 0 made it with rank 0 there");
	fails(make, make_one, "makes a communicator of 1 ranks, which rank 0 made with 2 ranks");
	fails(nothing, make_one, "makes a communicator of which it is not a member");
	fails(make_two, nothing, "twice, while others have not made it yet");
	fails(make_twice, nothing, "a communicator with rank 1 twice in it");
}

/* An algorithm for powers of two only, on three ranks: the default one, and a word about it. */
static void refused(void **state)
{
	const struct act acts[] = {COLL(.kind = COLL_ALLGATHER, .count = 10, .count2 = 10,
	                                .type_size = 1, .type_size2 = 1),
	                           {0}};
	struct str report;
	struct sim s;

	(void)state;
	all_do(&s, PLAIN " smpi/allgather:rhv", acts, 3);
	str_init(&report);
	assert_int_equal(mp_report(s.mp, &report), 1);
	assert_non_null(strstr(report.s, "MPI_Allgather: the algorithm asked for could not run "
	                                 "here, it is for a power of two of ranks; the default"));
	str_release(&report);
	sim_release(&s);
}

/* Calls with every algorithm of a kind: what each rank says of the same bytes changes no date. */
static unsigned runs_alike(enum coll_kind kind, const char *setting, struct act like[6][2],
                           struct act unlike[6][2])
{
	const struct act *alike[6], *each[6];
	unsigned ran = 0;

	for (uint32_t i = 0; i < 6; i++) {
		alike[i] = like[i];
		each[i] = unlike[i];
	}
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		struct sim one, other;
		struct str report;
		char settings[200];

		if ((*alg)->kind != kind || (*alg)->defect)
			continue;
		snprintf(settings, sizeof settings, PLAIN " %s:%s", setting, (*alg)->name);
		sim_do(&one, FLAT, settings, alike, 6);
		sim_do(&other, FLAT, settings, each, 6);
		for (uint32_t i = 0; i < 6; i++)
			assert_double_is(sim_date(&other, i, 0), sim_date(&one, i, 0));
		str_init(&report);
		assert_int_equal(mp_report(other.mp, &report), mp_report(one.mp, &report));
		str_release(&report);
		sim_release(&one);
		sim_release(&other);
		ran++;
	}
	return ran;
}

/* One broadcast of 480,000 bytes, of which each rank has its own (count, datatype), the type
 * signatures being equal: right by MPI 4.0, 6.4. */
static void bcast_of_unlike_pairs(void **state)
{
	static const int64_t sizes[] = {24, 1, 480000, 40, 8, 3000};
	struct act like[6][2] = {{{0}}}, unlike[6][2] = {{{0}}};

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		like[i][0] = (struct act)BCAST(1, 480000 / sizes[0]);
		like[i][0].coll.type_size = sizes[0];
		unlike[i][0] = (struct act)BCAST(1, 480000 / sizes[i]);
		unlike[i][0].coll.type_size = sizes[i];
	}
	assert_true(runs_alike(COLL_BCAST, "smpi/bcast", like, unlike) > 30);
}

/* The same of types that blocks of 48,000, 96,000 … bytes are received with (6.7). */
static void allgatherv_of_unlike_types(void **state)
{
	static const int64_t sizes[] = {24, 1, 48000, 40, 8, 3000};
	static int64_t counts[6][6];
	struct act like[6][2] = {{{0}}}, unlike[6][2] = {{{0}}};

	(void)state;
	for (uint32_t i = 0; i < 36; i++)
		counts[i / 6][i % 6] = (i % 6 + 1) * 48000 / sizes[i / 6];
	for (uint32_t i = 0; i < 6; i++) {
		int64_t own = (i + 1) * 48000;

		like[i][0] = (struct act)COLL(.kind = COLL_ALLGATHERV, .count = own / 8,
		                              .type_size = 8, .counts2 = counts[0],
		                              .count2 = own / sizes[0], .type_size2 = sizes[0]);
		unlike[i][0] = (struct act)COLL(.kind = COLL_ALLGATHERV, .count = own / 8,
		                                .type_size = 8, .counts2 = counts[i],
		                                .count2 = own / sizes[i], .type_size2 = sizes[i]);
	}
	assert_true(runs_alike(COLL_ALLGATHERV, "smpi/allgatherv", like, unlike) > 10);
}

/* And of those of an allgather, whose gathered blocks some algorithms broadcast, in segments here.
 */
static void allgather_of_unlike_types(void **state)
{
	static const int64_t sizes[] = {24, 1, 96000, 40, 8, 3000};
	struct act like[6][2] = {{{0}}}, unlike[6][2] = {{{0}}};

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		like[i][0] = (struct act)COLL(.kind = COLL_ALLGATHER, .count = 12000,
		                              .type_size = 8, .count2 = 96000 / sizes[0],
		                              .type_size2 = sizes[0]);
		unlike[i][0] = like[i][0];
		unlike[i][0].coll.count2 = 96000 / sizes[i];
		unlike[i][0].coll.type_size2 = sizes[i];
	}
	assert_true(runs_alike(COLL_ALLGATHER, "smpi/bcast:ompi_pipeline smpi/allgather", like,
	                       unlike) > 20);
}

static void finalize(void **state)
{
	const struct act acts[] = {FINALIZE, {0}};
	struct sim s;

	(void)state;
	all_do(&s, PLAIN, acts, 4);
	assert_double_is(sim_date(&s, 3, 0), 0);
	sim_release(&s);
	all_do(&s, PLAIN " smpi/barrier-finalization:yes", acts, 4);
	assert_close(sim_date(&s, 3, 0), 2 * (20e-6 + 3 * 16 / 100e6), 1e-12);
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(bcast),
	    cmocka_unit_test(barrier),
	    cmocka_unit_test(overheads),
	    cmocka_unit_test(operator_volume),
	    cmocka_unit_test(nonblocking),
	    cmocka_unit_test(many_at_once),
	    cmocka_unit_test(segments),
	    cmocka_unit_test(segments_at_once),
	    cmocka_unit_test(segments_apart),
	    cmocka_unit_test(communicators),
	    cmocka_unit_test(mismatches),
	    cmocka_unit_test(refused),
	    cmocka_unit_test(finalize),
	    cmocka_unit_test(bcast_of_unlike_pairs),
	    cmocka_unit_test(allgatherv_of_unlike_types),
	    cmocka_unit_test(allgather_of_unlike_types),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
