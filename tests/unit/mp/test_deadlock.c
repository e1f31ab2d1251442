/* test_deadlock.c: why nobody can go on, in words. */
#include "sim.h"

static void check(const struct act *const *programs, uint32_t ranks, const char *settings,
                  const char *want)
{
	struct sim s;

	sim_init(&s, FLAT, settings, programs, ranks);
	sim_run(&s);
	assert_int_equal(s.result, -1);
	assert_int_equal(s.err.kind, ERR_PROGRAM);
	assert_string_equal(s.err.text, want);
	sim_release(&s);
}

/* Three ranks send large messages around before they receive; the fourth waits for one of them. */
static void cycle(void **state)
{
	const struct act a[] = {COMPUTE(1e9), SEND(1, 4, 100000), RECV(2, 4, 100000), {0}};
	const struct act b[] = {SEND(2, 4, 100000), RECV(0, 4, 100000), {0}},
	                 c[] = {SEND(0, 4, 100000), RECV(1, 4, 100000), {0}};
	const struct act d[] = {IRECV(0, 8, 10, 0), IRECV(1, ANY, 10, 1), WAITALL(0, 2), {0}};
	const struct act *programs[4] = {a, b, c, d};

	(void)state;
	check(programs, 4, PLAIN,
	      "deadlock at 1 s: 4 of 4 ranks wait for ever\n"
	      "The cycle:\n"
	      "  rank 0, MPI_Send since 1 s, action 1: waits for rank 1 to receive 100000 bytes, "
	      "tag 4\n"
	      "  rank 1, MPI_Send since 0 s, action 0: waits for rank 2 to receive 100000 bytes, "
	      "tag 4\n"
	      "  rank 2, MPI_Send since 0 s, action 0: waits for rank 0 to receive 100000 bytes, "
	      "tag 4\n"
	      "Besides:\n"
	      "  rank 3, MPI_Waitall since 0 s, action 2: 2 of its 2 requests are not complete; "
	      "the first waits for a message from "
	      "rank 0, tag 8 (posted by its operation 1)");
}

/* A wrong tag: the message that did come is named. */
static void wrong_tag(void **state)
{
	const struct act a[] = {SEND(1, 4, 100), {0}}, b[] = {RECV(0, 5, 100), {0}};
	const struct act *programs[2] = {a, b};

	(void)state;
	check(programs, 2, PLAIN,
	      "deadlock at 0 s: 1 of 2 ranks wait for ever\n"
	      "  rank 1, MPI_Recv since 0 s, action 0: waits for a message from rank 0, tag 5 "
	      "(rank 0 has sent it a message of 100 "
	      "bytes, tag 4); "
	      "rank 0 has ended");
}

/* A buffered message that nobody receives: its send was over, its buffer is not given back. */
static void buffer_not_given_back(void **state)
{
	const struct act a[] = {SEND_AS(MP_BUFFERED, 1, 4, 100000), DETACH, {0}},
	                 b[] = {SLEEP(1), {0}};
	const struct act *programs[2] = {a, b};

	(void)state;
	check(programs, 2, PLAIN,
	      "deadlock at 1 s: 1 of 2 ranks wait for ever\n"
	      "  rank 0, MPI_Buffer_detach since 0 s, action 1: waits for rank 1 to receive 100000 "
	      "bytes, tag 4 (posted by its "
	      "operation 1); rank 1 has ended");
}

static void collective_not_called_by_all(void **state)
{
	const struct act a[] = {COLL(.kind = COLL_BCAST, .count = 100, .type_size = 1), {0}};
	const struct act b[] = {
	    RECV(0, 5, 100), COLL(.kind = COLL_BCAST, .count = 100, .type_size = 1), {0}};
	const struct act *programs[4] = {b, a, b, a};

	(void)state;
	check(programs, 4, PLAIN,
	      "deadlock at 0 s: 4 of 4 ranks wait for ever\n"
	      "The cycle:\n"
	      "  rank 0, MPI_Recv since 0 s, action 0: waits for a message from rank 0, tag 5\n"
	      "Besides:\n"
	      "  rank 1, MPI_Bcast since 0 s, action 0: waits for a message from rank 0 in "
	      "collective 1 (rank 0 has not called it)\n"
	      "  rank 2, MPI_Recv since 0 s, action 0: waits for a message from rank 0, tag 5\n"
	      "  rank 3, MPI_Bcast since 0 s, action 0: waits for a message from rank 2 in "
	      "collective 1 (rank 2 has not called it)");
}

static void probing(void **state)
{
	const struct act a[] = {PROBE(1, 4), {0}}, b[] = {RECV(ANY, ANY, 100), {0}};
	const struct act *programs[2] = {a, b};

	(void)state;
	check(programs, 2, PLAIN,
	      "deadlock at 0 s: 2 of 2 ranks wait for ever\n"
	      "  rank 0, MPI_Probe since 0 s, action 0: looks for a message from rank 1\n"
	      "  rank 1, MPI_Recv since 0 s, action 0: waits for a message from any rank, any tag");
}

/* In compat MPI_Probe is a loop of MPI_Iprobe, the nth for n x 1e-4 s of computation. The 141st
 * ends at 1.0011 s, the first after rank 1 waits, too: then nothing goes on but probes. Of three
 * the last has looked in vain at 1e-4 s, and the first two do so once more. */
static void polling(void **state)
{
	const struct act a[] = {PROBE(1, 4), {0}}, c[] = {PROBE(0, 4), {0}},
	                 b[] = {COMPUTE(1e9), RECV(ANY, ANY, 100), {0}};
	const struct act *programs[3] = {a, b};

	(void)state;
	check(programs, 2, PLAIN " compat:simgrid-3.32",
	      "deadlock at 1.0011 s: 2 of 2 ranks wait for ever\n"
	      "  rank 0, MPI_Probe since 0 s, action 0: looks for a message from rank 1\n"
	      "  rank 1, MPI_Recv since 1 s, action 1: waits for a message from any rank, any tag");
	programs[1] = programs[2] = c;
	check(programs, 3, PLAIN " compat:simgrid-3.32 smpi/grow-injected-times:no",
	      "deadlock at 0.0002 s: 3 of 3 ranks wait for ever\n"
	      "The cycle:\n"
	      "  rank 0, MPI_Probe since 0 s, action 0: looks for a message from rank 1\n"
	      "  rank 1, MPI_Probe since 0 s, action 0: looks for a message from rank 0\n"
	      "Besides:\n"
	      "  rank 2, MPI_Probe since 0 s, action 0: looks for a message from rank 0");
}

/* Thousands of ranks: the text stays short. */
static void bounded(void **state)
{
	enum { RANKS = 3000 };
	static struct act acts[RANKS][2];
	const struct act *programs[RANKS];
	struct sim s;

	(void)state;
	for (int i = 0; i < RANKS; i++) {
		acts[i][0] = (struct act)RECV((i + 1) % RANKS, 0, 10);
		programs[i] = acts[i];
	}
	sim_init(&s, FLAT, PLAIN, programs, RANKS);
	sim_run(&s);
	assert_fails(s.result, s.err, ERR_PROGRAM, "… and 2988 more ranks, back to rank 0");
	assert_true(strlen(s.err.text) < 2000);
	sim_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(cycle),
	    cmocka_unit_test(wrong_tag),
	    cmocka_unit_test(collective_not_called_by_all),
	    cmocka_unit_test(probing),
	    cmocka_unit_test(polling),
	    cmocka_unit_test(bounded),
	    cmocka_unit_test(buffer_not_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
