/* test_whole.c: collectives that the communication model decides as a whole: dates worked by hand.
 *
 * All members end at  max over members of the date of their call + duration.  With psins-simple
 *                     (docs/models.md; Tikir et al., Euro-Par 2009):
 *   duration = growth(p) x (L + block / B),  growth = 1, ceil(log2 p), p - 1;  L = 1 ms, B = 1 MB/s
 *   between nodes, l = 0.1 ms, b = 10 MB/s if all members are on one node. */
#include "sim.h"

#define FIGURES \
	"psins/latency:1e-3 psins/bandwidth:1e6 psins/local-latency:1e-4 " \
	"psins/local-bandwidth:1e7 smpi/simulate-computation:yes "
#define PSINS "network/model:psins-simple " FIGURES
#define REMOTE(n) (1e-3 + (n) / 1e6)
#define LOCAL(n) (1e-4 + (n) / 1e7)
#define BUFFER(kind_, n) \
	COLL(.kind = (kind_), .count = (n), .type_size = 1, .commutative = 1, .basic_type = 1)
#define BLOCKS(kind_, n, root_) \
	COLL(.kind = (kind_), .root = (root_), .count = (n), .count2 = (n), .type_size = 1, \
	     .type_size2 = 1)

static const int64_t counts[4] = {1000, 0, 3000, 4000};

/* Rank i sleeps i seconds before the call: all end at 3 s + duration. */
static void check(const char *settings, struct act call, double duration)
{
	struct act acts[4][3];
	const struct act *programs[4];
	struct sim s;

	for (uint32_t i = 0; i < 4; i++) {
		memcpy(acts[i], (struct act[]){SLEEP(i), call, {0}}, sizeof acts[i]);
		programs[i] = acts[i];
	}
	sim_do(&s, FLAT, settings, programs, 4);
	for (uint32_t i = 0; i < 4; i++) {
		if (!(fabs(sim_date(&s, i, 1) - 3 - duration) <= 1e-12))
			fail_msg("%s: rank %u ends after %.15g s, not %.15g",
			         coll_kind_name(call.coll.kind), i, sim_date(&s, i, 1) - 3,
			         duration);
	}
	sim_release(&s);
}

static void kinds(void **state)
{
	(void)state;
	check(PSINS, (struct act)COLL(.kind = COLL_BARRIER), 2 * REMOTE(0));
	check(PSINS, (struct act)BUFFER(COLL_BCAST, 1e6), 2 * REMOTE(1e6));
	check(PSINS, (struct act)COLL(.kind = COLL_BCAST, .root = 3, .count = 1000, .type_size = 8),
	      2 * REMOTE(8000));
	check(PSINS, (struct act)BUFFER(COLL_REDUCE, 5000), 2 * REMOTE(5000));
	check(PSINS, (struct act)BUFFER(COLL_ALLREDUCE, 5000), 2 * REMOTE(5000));
	check(PSINS, (struct act)BLOCKS(COLL_GATHER, 5000, 1), 3 * REMOTE(5000));
	check(PSINS, (struct act)BLOCKS(COLL_SCATTER, 5000, 2), 3 * REMOTE(5000));
	check(PSINS, (struct act)BLOCKS(COLL_ALLGATHER, 5000, 0), 3 * REMOTE(5000));
	check(PSINS, (struct act)BLOCKS(COLL_ALLTOALL, 5000, 0), 3 * REMOTE(5000));
	check(PSINS, (struct act)BUFFER(COLL_REDUCE_SCATTER_BLOCK, 5000), 3 * REMOTE(5000));
	check(PSINS, (struct act)BUFFER(COLL_SCAN, 5000), 2 * REMOTE(5000));
	check(PSINS, (struct act)BUFFER(COLL_EXSCAN, 5000), 2 * REMOTE(5000));
}

/* Counts that differ: the mean block, of 8000 bytes over four. At non-roots of gatherv and scatterv
 * the counts are not known: the root's count. */
static void vectors(void **state)
{
	(void)state;
	check(PSINS,
	      (struct act)COLL(.kind = COLL_ALLGATHERV, .count = 1000, .type_size = 1,
	                       .type_size2 = 1, .counts2 = counts),
	      3 * REMOTE(2000));
	check(PSINS,
	      (struct act)COLL(.kind = COLL_GATHERV, .root = 1, .count = 9, .type_size = 1,
	                       .type_size2 = 1, .counts2 = counts),
	      3 * REMOTE(2000));
	check(PSINS,
	      (struct act)COLL(.kind = COLL_SCATTERV, .root = 1, .count2 = 9, .type_size = 1,
	                       .type_size2 = 1, .counts = counts),
	      3 * REMOTE(2000));
	check(PSINS,
	      (struct act)COLL(.kind = COLL_ALLTOALLV, .type_size = 2, .type_size2 = 2,
	                       .counts = counts, .counts2 = counts),
	      3 * REMOTE(4000));
	check(PSINS,
	      (struct act)COLL(.kind = COLL_REDUCE_SCATTER, .type_size = 1, .counts2 = counts,
	                       .commutative = 1),
	      3 * REMOTE(2000));
}

static void growths(void **state)
{
	(void)state;
	check(PSINS " psins/collectives:bcast:lin;Allgather:con",
	      (struct act)BUFFER(COLL_BCAST, 1e6), 3 * REMOTE(1e6));
	check(PSINS " psins/collectives:bcast:lin;Allgather:constant;",
	      (struct act)BLOCKS(COLL_ALLGATHER, 5000, 0), REMOTE(5000));
	check(PSINS " psins/collectives:alltoall:LOG", (struct act)BLOCKS(COLL_ALLTOALL, 5000, 0),
	      2 * REMOTE(5000));
	/* the models of contention have the simple model's */
	check("network/model:psins-bus psins/busses:1 " FIGURES,
	      (struct act)BUFFER(COLL_BCAST, 1e6), 2 * REMOTE(1e6));
}

/* 1, 5, 8 members; members on one host only (0 and 4, by rank modulo 4), and on two. */
static void members(void **state)
{
	static const uint32_t row[2][4] = {{0, 4}, {4, 0, 1, 5}};
	const struct act bcast[] = {BUFFER(COLL_BCAST, 1e6), {0}};
	struct act part[8][5];
	const struct act *programs[8];
	struct sim s;

	(void)state;
	all_do(&s, PSINS, bcast, 1);
	assert_double_is(sim_date(&s, 0, 0), 0);
	sim_release(&s);
	all_do(&s, PSINS, bcast, 5);
	assert_close(sim_date(&s, 3, 0), 3 * REMOTE(1e6), 1e-12);
	sim_release(&s);
	all_do(&s, PSINS, bcast, 8);
	assert_close(sim_date(&s, 7, 0), 3 * REMOTE(1e6), 1e-12);
	sim_release(&s);
	for (uint32_t i = 0; i < 8; i++) {
		struct act c = bcast[0], d = bcast[0];

		c.comm = 1, d.comm = 2;
		if (i == 0 || i == 4)
			memcpy(part[i],
			       (struct act[]){
			           COMM(1, 10, row[0], 2), COMM(2, 20, row[1], 4), c, d, {0}},
			       sizeof part[i]);
		else if (i == 1 || i == 5)
			memcpy(part[i], (struct act[]){COMM(2, 20, row[1], 4), d, {0}},
			       3 * sizeof(struct act));
		else
			part[i][0] = (struct act){0};
		programs[i] = part[i];
	}
	sim_do(&s, FLAT, PSINS, programs, 8);
	assert_close(sim_date(&s, 4, 2), LOCAL(1e6), 1e-12);
	assert_close(sim_date(&s, 4, 3), LOCAL(1e6) + 2 * REMOTE(1e6), 1e-12);
	assert_close(sim_date(&s, 5, 1), LOCAL(1e6) + 2 * REMOTE(1e6), 1e-12);
	sim_release(&s);
}

/* Posted at 0 to 3 s: the duration begins at 3, whatever the members do meanwhile; a wait ends then
 * or at once; a test sees it. */
static void nonblocking(void **state)
{
	struct act acts[4][8];
	const struct act *programs[4];
	double end = 3 + 2 * REMOTE(1e6);
	struct sim s;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		struct act bcast[] = {
		    SLEEP(i),      ICOLL(0, .kind = COLL_BCAST, .count = 1000000, .type_size = 1),
		    SLEEP(0.5),    ICOLL(1, .kind = COLL_BARRIER),
		    TEST(0),       SLEEP(i == 2 ? 9 : 0.1),
		    WAITALL(0, 2), {0}};
		memcpy(acts[i], bcast, sizeof acts[i]);
		programs[i] = acts[i];
	}
	sim_do(&s, FLAT, PSINS, programs, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_double_is(sim_date(&s, i, 1), i); /* the call itself takes no time */
		assert_int_equal(s.rank[i].seen[4].flag, 0);
	}
	/* the barrier, on its way at the same time, ends before: 3.5 + 2 ms */
	assert_close(sim_date(&s, 0, 6), end, 1e-12);
	assert_close(sim_date(&s, 3, 6), end, 1e-12);
	assert_close(sim_date(&s, 2, 6), 2.5 + 1e-4 + 9, 1e-12); /* after a test */
	sim_release(&s);
}

/* The operator is executed when the communication is over: 1e6 instructions at 1e9/s. */
static void operator_volume(void **state)
{
	struct act acts[] = {BUFFER(COLL_ALLREDUCE, 1000), {0}};
	struct act later[] = {
	    ICOLL(0, .kind = COLL_ALLREDUCE, .count = 1000, .type_size = 1, .commutative = 1),
	    WAIT(0),
	    {0}};
	struct sim s;

	(void)state;
	acts[0].bytes = later[0].bytes = 1e6;
	all_do(&s, PSINS, acts, 4);
	assert_close(sim_date(&s, 2, 0), 2 * REMOTE(1000) + 1e-3, 1e-12);
	sim_release(&s);
	all_do(&s, PSINS, later, 4);
	assert_close(sim_date(&s, 2, 1), 2 * REMOTE(1000) + 1e-3, 1e-12);
	sim_release(&s);
}

struct left {
	double date, bytes, wait;
	int32_t partner;
};

static void note(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
                 double bytes, double wait)
{
	if (call == CALL_COLL + COLL_GATHER)
		((struct left *)self)[rank] = (struct left){date, bytes, wait, partner};
}

static void note_message(void *self, const struct mp_arrival *m)
{
	(void)m;
	((struct left *)self)[0].bytes = -1e9; /* there are none */
}

/* Of the time in the call, waiting is what passed until the last one came; bytes are those of the
 * call. */
static void observed(void **state)
{
	struct left left[4] = {{0}};
	struct mp_observer o = {.self = left, .leave = note, .message = note_message};
	struct mp_program program = {.resume = sim_resume, .place = sim_place};
	struct act acts[4][3];
	const struct act *programs[4];
	struct mp_stats st;
	struct sim s;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		memcpy(acts[i], (struct act[]){SLEEP(i), BLOCKS(COLL_GATHER, 5000, 1), {0}},
		       sizeof acts[i]);
		programs[i] = acts[i];
	}
	sim_init(&s, FLAT, PSINS, programs, 4);
	assert_ok(mp_observe(s.mp, &o, &s.err), s.err);
	program.self = &s;
	assert_ok(mp_run(s.mp, &program, NULL, &s.err), s.err);
	for (uint32_t i = 0; i < 4; i++) {
		assert_close(left[i].date, 3 + 3 * REMOTE(5000), 1e-12);
		assert_double_is(left[i].wait, 3 - i);
		assert_double_is(left[i].bytes, i == 1 ? 25000 : 5000);
		assert_int_equal(left[i].partner, 1);
	}
	mp_stats(s.mp, &st);
	assert_int_equal(st.messages, 0);
	assert_int_equal(st.collectives, 4);
	sim_release(&s);
}

static void fails(const char *settings, const struct act *a, const struct act *b, const char *text)
{
	const struct act *programs[4] = {a, b, a, a};
	struct sim s;

	sim_init(&s, FLAT, settings, programs, 4);
	sim_run(&s);
	assert_int_equal(s.result, -1);
	if (!strstr(s.err.text, text))
		fail_msg("\"%s\" is not in: %s", text, s.err.text);
	sim_release(&s);
}

static void wrong_programs(void **state)
{
	const struct act bcast[] = {BUFFER(COLL_BCAST, 100), {0}},
	                 barrier[] = {COLL(.kind = COLL_BARRIER), {0}};
	const struct act root[] = {
	    COLL(.kind = COLL_BCAST, .root = 2, .count = 100, .type_size = 1), {0}};
	const struct act recv[] = {RECV(0, 5, 100), BUFFER(COLL_BCAST, 100), {0}}, none[] = {{0}};
	const struct act later[] = {
	    ICOLL(0, .kind = COLL_BARRIER), ICOLL(1, .kind = COLL_BARRIER), WAITALL(0, 2), {0}};
	const struct act once[] = {ICOLL(0, .kind = COLL_BARRIER), WAIT(0), {0}};

	(void)state;
	fails(PSINS, bcast, barrier,
	      "rank 1 at 0 s, action 0: calls MPI_Barrier as collective 1 on communicator 0, where "
	      "rank 0 called "
	      "MPI_Bcast");
	fails(PSINS, bcast, root,
	      "calls MPI_Bcast with root 2 as collective 1 on communicator 0, where rank 0 called "
	      "it with root 0");
	fails(PSINS, bcast, recv,
	      "deadlock at 0 s: 4 of 4 ranks wait for ever\n"
	      "The cycle:\n"
	      "  rank 0, MPI_Bcast since 0 s, action 0: waits for rank 1 to call collective 1\n"
	      "  rank 1, MPI_Recv since 0 s, action 0: waits for a message from rank 0, tag 5\n"
	      "Besides:\n"
	      "  rank 2, MPI_Bcast since 0 s, action 0: waits for rank 1 to call collective 1\n");
	fails(PSINS, bcast, none,
	      "rank 0, MPI_Bcast since 0 s, action 0: waits for rank 1 to call collective 1; rank "
	      "1 has ended");
	fails(PSINS, later, once,
	      "rank 0, MPI_Waitall since 0 s, action 2: 1 of its 2 requests are not complete; the "
	      "first waits for "
	      "rank 1 to call collective 2; rank 1 has ended");
}

static void wrong_settings(const char *settings, const char *part)
{
	static const char xml[] = FLAT;
	struct tmp tmp;
	struct config cfg;
	struct err err = {0};
	struct platform *p;
	struct net *n;
	struct mp *mp;
	struct host_id host = {0};

	assert_ok(config_init(&cfg, &err), err);
	assert_ok(config_set_all(&cfg, settings, CFG_FROM_USER, &err), err);
	tmp_init(&tmp);
	p = platform_read(tmp_write(&tmp, "p.xml", xml), &cfg, &err);
	tmp_release(&tmp);
	n = net_new(p, &cfg, &err);
	mp = n ? mp_new(n, &cfg, &host, 1, &err) : NULL;
	assert_null(mp);
	assert_int_equal(err.kind, ERR_INPUT);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" is not in: %s", part, err.text);
	net_free(n);
	platform_free(p);
	config_release(&cfg);
}

static void settings(void **state)
{
	(void)state;
	wrong_settings("smpi/collectives:fast",
	               "setting smpi/collectives is analytic or simulated, not \"fast\"");
	wrong_settings("network/model:psins psins/collectives:bcast",
	               "\"bcast\" is not operation:words");
	wrong_settings("network/model:psins psins/collectives:talk:lin",
	               "there is no collective \"talk\"; there are: barrier bcast");
	wrong_settings("network/model:psins psins/collectives:bcast:cubic",
	               "bcast: \"cubic\" is not con (constant), log");
}

/* psins-simple, but message by message: a binomial tree of detached messages, 0 to 2 and 1 at once,
 * 2 to 3. */
static void simulated(void **state)
{
	const struct act bcast[] = {BUFFER(COLL_BCAST, 1000), {0}};
	struct sim s;

	(void)state;
	all_do(&s, PSINS "smpi/collectives:simulated", bcast, 4);
	assert_double_is(sim_date(&s, 0, 0), 0);
	assert_close(sim_date(&s, 1, 0), REMOTE(1000), 1e-12);
	assert_close(sim_date(&s, 3, 0), 2 * REMOTE(1000), 1e-12);
	sim_release(&s);
}

/* The textbook's algorithms in the plain model: T(m) = 20 us + (m + 16) / 100e6, with MPI's
 * envelope as in any message (collective.c has the formulas and their source). Four members: two
 * rounds; n = 1 MB. */
#define T(m) (20e-6 + ((m) + 16) / 100e6)
static void textbook(void **state)
{
	const char *plain = PLAIN " smpi/collectives:analytic";
	const double n = 1e6;

	(void)state;
	check(plain, (struct act)COLL(.kind = COLL_BARRIER), 2 * T(0));
	check(plain, (struct act)BUFFER(COLL_BCAST, 1000), 2 * T(1000)); /* the tree */
	check(plain, (struct act)BUFFER(COLL_BCAST, n),
	      T(n / 2) + T(n / 4) + 3 * T(n / 4));                      /* scatter, ring */
	check(plain, (struct act)BUFFER(COLL_REDUCE, 100), 2 * T(100)); /* the tree */
	check(plain, (struct act)BUFFER(COLL_ALLREDUCE, n),
	      2 * (T(n / 2) + T(n / 4))); /* halving, doubling */
	check(plain, (struct act)BLOCKS(COLL_GATHER, n, 1), T(n) + T(2 * n));  /* 1 and 2 blocks */
	check(plain, (struct act)BLOCKS(COLL_SCATTER, n, 1), T(n) + T(2 * n)); /* the same */
	check(plain, (struct act)BLOCKS(COLL_ALLGATHER, n, 0), T(n) + T(2 * n)); /* doubling */
	check(plain, (struct act)BLOCKS(COLL_ALLTOALL, 10, 0), 2 * T(20));       /* Bruck */
	check(plain, (struct act)BLOCKS(COLL_ALLTOALL, n, 0), 3 * T(n));         /* pairwise */
	check(plain, (struct act)BUFFER(COLL_REDUCE_SCATTER_BLOCK, n),
	      T(2 * n) + T(n)); /* of 4 n */
	check(plain, (struct act)BUFFER(COLL_SCAN, n), 2 * T(n));
	check("network/model:constant network/latency-factor:0.25 smpi/collectives:analytic",
	      (struct act)BUFFER(COLL_SCAN, n), 0.5);
}

/* A communicator freed by all while its collective is under way; the slot is used again. */
static void freed_under_way(void **state)
{
	static const uint32_t all[4] = {3, 2, 1, 0};
	struct act acts[] = {COMM(1, 10, all, 4),
	                     ICOLL(0, .kind = COLL_BARRIER),
	                     COMM_FREE(1),
	                     COMM(2, 11, all, 4),
	                     ICOLL(1, .kind = COLL_BARRIER),
	                     WAITALL(0, 2),
	                     {0}};
	struct sim s;

	(void)state;
	acts[1].comm = 1, acts[4].comm = 2;
	all_do(&s, PSINS, acts, 4);
	assert_close(sim_date(&s, 0, 5), 2 * REMOTE(0), 1e-12);
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(kinds),       cmocka_unit_test(vectors),
	    cmocka_unit_test(growths),     cmocka_unit_test(members),
	    cmocka_unit_test(nonblocking), cmocka_unit_test(operator_volume),
	    cmocka_unit_test(observed),    cmocka_unit_test(wrong_programs),
	    cmocka_unit_test(settings),    cmocka_unit_test(simulated),
	    cmocka_unit_test(textbook),    cmocka_unit_test(freed_under_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
