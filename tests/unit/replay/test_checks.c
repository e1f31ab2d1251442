/* test_checks.c: what replay says of programs that MPI calls wrong, with ranks, events and lines;
 * and that it says nothing of those that are right. */
#include "test.h"

#include "sim.h"

#define FLAT SIM_CLUSTER("")
#define TRACE "# orrery-trace 1\n"

static void says(const char *trace, uint32_t np, const char *text, const char *more)
{
	struct sim s;

	sim_run(&s, FLAT, trace, np, "",
	        NULL); /* wrong counts may also be too many for some receive */
	if (!strstr(s.report, text) || !strstr(s.report, more))
		fail_msg("expected '%s' and '%s' in: %s", text, more, s.report);
	assert_true(s.remarks > 0);
}

static void says_nothing(const char *trace, uint32_t np)
{
	struct sim s;

	assert_ok(sim_run(&s, FLAT, trace, np, "", NULL), s.err);
	if (s.remarks || s.report[0])
		fail_msg("of %s\n%s", trace, s.report);
}

static void fails(const char *trace, uint32_t np, const char *text, const char *more)
{
	struct sim s;

	assert_int_equal(sim_run(&s, FLAT, trace, np, "", NULL), -1);
	if (!strstr(s.err.text, text) || !strstr(s.err.text, more))
		fail_msg("expected '%s' and '%s' in: %s", text, more, s.err.text);
}

#define TWO_COMMS TRACE "0 comm_dup comm=0.0 members=0,1\n1 comm_dup comm=0.0 members=0,1\n"
/* These cannot go on. Lines count the first one, events only the rank's own. */
static void what_stops(void **state)
{
	(void)state;
	fails(TRACE "0 init\n0 bcast 1 0 1\n1 init\n1 barrier\n", 2,
	      "calls MPI_Barrier as collective 1", "(its event 2, ");
	fails(TRACE "0 init\n0 bcast 1 0 1\n1 init\n1 bcast 1 1 1\n", 2, "with root 1",
	      "program.tit:3)");
	fails(TRACE "0 recv 1 3 8 6\n1 init\n1 recv 0 3 8 6\n", 2,
	      "rank 1, MPI_Recv since 0 s, event 2, ", "program.tit:4 (recv)");
	fails(
	    TWO_COMMS
	    "0 comm_free comm=0.0\n1 comm_free comm=0.0\n0 barrier comm=0.0\n1 barrier comm=0.0\n",
	    2, "communicator 0.0", "");
	fails(TWO_COMMS "0 comm_free comm=0.0\n0 barrier comm=0.0\n1 barrier comm=0.0\n", 2,
	      "communicator 0.0 was freed by this rank", "program.tit:5: rank 0");
	fails(TWO_COMMS "0 comm_free comm=0.0\n0 comm_free comm=0.0\n1 barrier\n", 2,
	      "was freed by this rank", "program.tit:5: rank 0");
	fails(TRACE "0 init\n0 compute 1\n0 send 1 0 9 6\n1 init\n1 recv 0 0 8 6\n", 2,
	      "would be truncated", "sent:     9 bytes, MPI_Send of rank 0");
	fails(TRACE "0 init\n0 compute 1\n0 send 1 0 9 6\n1 recv 0 0 8 6\n", 2, "by its event 3, ",
	      "program.tit:4)");
	fails(TRACE "0 irecv 1 3 8 6 req=0\n0 compute 1\n0 wait req=0\n1 compute 1\n", 2,
	      "(posted by its event 1, ", "program.tit:2)");
}

static void messages_left(void **state)
{
	(void)state;
	says(TRACE "0 init\n0 send 1 5 100 6\n1 init\n", 2,
	     "MPI_Send of rank 0 to rank 1 (tag 5, 100 bytes", "its event 2, ");
	says(TRACE "0 isend 1 5 100 6 req=0\n1 recv 0 5 100 6\n", 2, "never waited for",
	     "program.tit:2)");
	says(TRACE "0 isend 1 5 100 1 req=0\n0 wait req=0\n1 init\n1 recv 0 5 100 5\n", 2,
	     "MPI_Isend of rank 0 to rank 1 (tag 5, 400 bytes",
	     "has integers, MPI_Recv of rank 1 from rank 0 (tag 5, 400 bytes; posted at 0 s by its "
	     "event 2, ");
	says(TRACE "0 sendRecv 10 1 0 -2 0 0\n1 recv -1 -1 20 1\n", 2, "has reals",
	     "takes integers");
	says(TRACE "0 send_init 1 0 9 0 req=0\n0 start reqs=0\n0 wait req=0\n0 request_free req=0\n"
	           "1 recv 0 0 99 1\n",
	     2, "has reals", "takes integers");
	says(TRACE "0 recv_init 1 5 100 6 req=0\n1 compute 1\n", 2,
	     "1 persistent request was never freed", "event 1");
}

static void collectives(void **state)
{
	(void)state;
	says(TRACE "0 bcast 100 0 6\n1 compute 1\n1 bcast 200 0 6\n", 2,
	     "MPI_Bcast as collective 1 on communicator 0: rank", "(its event 2, ");
	says(TRACE "0 allreduce 4 0 1\n1 allreduce 5 0 1\n", 2, "20 bytes, where the other has 16",
	     "");
	says(TRACE "0 allreduce 4 0 1\n1 allreduce 4 0 5\n", 2, "do not fit", "reals");
	says(TRACE "0 allreduce 4 0 1\n1 allreduce 4 0 1 op=noncommutative\n", 2,
	     "an operator that", "commute");
	says(TRACE "0 gather 4 8 0 1 1\n1 gather 4 0 0 1 1\n", 2, "MPI_Gather", "do not fit");
	says(TRACE "0 scatter 4 4 0 1 1\n1 scatter 0 8 0 1 1\n", 2, "MPI_Scatter", "32 bytes");
	says(TRACE "0 allgather 4 4 1 1\n1 allgather 4 5 1 1\n", 2, "MPI_Allgather", "20 bytes");
	says(TRACE "0 alltoallv 8 1 4 8 1 4 1 1\n1 alltoallv 8 4 1 8 9 1 1 1\n", 2,
	     "sends 16 bytes to rank 1", "which expects 36");
	says(TRACE "0 gatherv 2 2 3 0 1 1\n1 gatherv 1 2 3 0 1 1\n", 2, "sends 4 bytes",
	     "which expects 12");
	says(TRACE "0 ibcast 4 0 1 req=0\n0 wait req=0\n1 compute 1\n", 2,
	     "called by 1 of 2 ranks, by rank 0 first", "event 1");
}

static void never_freed(void **state)
{
	(void)state;
	says(TRACE "0 comm_dup comm=0.0 members=0,1\n1 comm_dup comm=0.0 members=0,1\n"
	           "0 comm_free comm=0.0\n",
	     2, "1 communicator was never freed: made by rank ", "program.tit:");
	/* a reader of another format made it */
	says_nothing(TRACE "0 comm_create_group comm=0.0 members=0,1 agreed=1\n"
	                   "1 comm_create_group comm=0.0 members=0,1 agreed=1\n",
	             2);
	says(TRACE "0 win_create 8 win=0\n1 win_create 8 win=0\n", 2, "1 window was never freed",
	     "");
	says(TRACE "0 open /g file=1\n0 file_open /f file=0\n", 1,
	     "2 files were never closed; the first: opened by rank 0 (its event 1, ",
	     "program.tit:");
	says(TRACE "0 open /g file=1\n0 open /f file=2\n0 close file=1\n", 1,
	     "1 file was never closed: opened by rank 0 (its event 2, ", "program.tit:");
}

/* The rows of a table of what MPI allows. */
static const char *const allowed[] = {
    /* the same bytes in other elements */
    TRACE "0 bcast 4 0 1\n1 bcast 1 0 -1 dtsize=16\n",
    TRACE "0 bcast 16 0 6\n1 bcast 4 0 1\n",
    TRACE "0 gather 2 1 0 1 -1 dtsize2=8\n1 gather 8 0 0 6 6\n",
    /* arguments that are not significant */
    TRACE "0 gather 0 4 0 1 1 in_place=1\n1 gather 4 77 0 1 0\n",
    TRACE "0 scatter 4 0 0 1 1 in_place=1\n1 scatter 99 4 0 0 1\n",
    TRACE "0 allgather 0 4 0 1 in_place=1\n1 allgather 0 4 0 1 in_place=1\n",
    TRACE "0 alltoall 0 4 0 1 in_place=1\n1 alltoall 0 4 0 1 in_place=1\n",
    TRACE "0 gatherv 2 2 3 0 1 1\n1 gatherv 3 0 1 1\n",
    TRACE "0 scatterv 1 2 1 0 1 1\n1 scatterv 2 0 1 1\n",
    /* per pair */
    TRACE "0 alltoallv 9 0 4 9 0 2 1 1\n1 alltoallv 9 2 5 9 4 5 1 1\n",
    TRACE "0 alltoallw 9 0 4 9 0 2 6 6\n1 alltoallw 9 2 5 9 4 5 6 6\n",
    TRACE "0 allgatherv 1 1 3 1 1\n1 allgatherv 3 1 3 1 1\n",
    TRACE "0 reducescatter 1 3 0 1\n1 reducescatter 1 3 0 1\n",
    TRACE "0 reducescatter 0 3 0 1\n1 reducescatter 0 3 0 1\n",
    /* nothing at all */
    TRACE "0 bcast 0 0 1\n1 bcast 0 0 0\n",
    TRACE "0 allreduce 0 0 1\n1 allreduce 0 0 1\n",
    TRACE "0 alltoallv 0 0 0 0 0 0 1 1\n1 alltoallv 0 0 0 0 0 0 1 1\n",
    /* an operator of which one rank's trace says nothing */
    TRACE "0 allreduce 4 0 1 op=unknown\n1 allreduce 4 0 1 op=noncommutative\n",
    /* bytes, characters, complex and derived types in pieces, nothing at all */
    TRACE "0 send 1 0 8 6\n1 recv 0 0 2 1\n0 send 1 0 2 1\n1 recv 0 0 8 6\n"
          "0 send 1 0 2 0\n1 recv 0 0 16 2\n",
    TRACE "0 send 1 0 1 26\n1 recv 0 0 2 0\n0 send 1 0 2 -1 dtsize=8\n1 recv 0 0 2 0\n"
          "0 send 1 0 0 0\n1 recv 0 0 5 1\n",
    TRACE "0 send 1 0 4 1\n1 recv 0 0 4 19\n0 send 1 0 4 5\n1 recv 0 0 4 39\n",
    /* receives with room to spare, of any sender, probed, cancelled */
    TRACE "0 send 1 0 8 6\n1 recv 0 0 99 6\n",
    TRACE "0 send 1 0 8 6\n1 recv -1 -1 99 6\n",
    TRACE "0 send -2 0 8 6\n0 recv -2 0 8 6\n1 compute 1\n",
    TRACE "0 irecv 1 0 8 6 req=0\n0 cancel req=0\n0 wait req=0\n1 compute 1\n",
    TRACE "0 isend 1 0 8 6 req=0\n0 request_free req=0\n1 recv 0 0 8 6\n",
    TRACE "0 send_init 1 0 8 6 req=0\n0 start reqs=0\n0 wait req=0\n0 request_free req=0\n"
          "1 recv 0 0 8 6\n",
    TRACE "0 mprobe 1 0 message=0\n0 mrecv 1 0 9 6 message=0\n1 send 0 0 8 6\n",
    /* different orders on different communicators; freed before what is under way on them
     * is over */
    TRACE
    "0 comm_dup comm=0.0 members=0,1\n1 comm_dup comm=0.0 members=0,1\n"
    "0 ibarrier req=0\n0 ibcast 4 0 1 comm=0.0 req=1\n0 waitall reqs=0,1\n0 comm_free comm=0.0\n"
    "1 ibcast 4 0 1 comm=0.0 req=1\n1 comm_free comm=0.0\n1 ibarrier req=0\n1 waitall reqs=1,0\n",
    TRACE "0 comm_split comm=0.0 members=0\n0 barrier comm=0.0\n0 comm_free comm=0.0\n"
          "1 comm_split members=\n",
    TRACE "0 bcast 4 0 1 comm=self\n0 allgather 4 4 1 1 comm=self\n1 compute 1\n",
    /* an intercommunicator: counts are of the other group, and nobody's in one's own */
    TRACE "0 intercomm_create comm=0.0 parent=self members=0 remote=1\n"
          "1 intercomm_create comm=0.0 parent=self members=1 remote=0\n"
          "0 bcast 4 -3 1 comm=0.0\n1 bcast 4 0 1 comm=0.0\n"
          "0 allgather 1 5 1 1 comm=0.0\n1 allgather 5 1 1 1 comm=0.0\n"
          "0 comm_free comm=0.0\n1 comm_free comm=0.0\n",
    /* windows, files */
    TRACE "0 win_create 8 win=0\n1 win_create 0 win=5\n0 win_fence win=0\n1 win_fence win=5\n"
          "0 win_free win=0\n1 win_free win=5\n",
};

static void legal(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		says_nothing(allowed[i], 2);
}

/* One call by each of 7 ranks, its sizes filled in. */
static void call_by_all(struct str *text, const char *call, int size)
{
	str_puts(text, TRACE);
	for (int r = 0; r < 7; r++) {
		str_printf(text, "%d ", r);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		str_printf(text, call, size, size);
#pragma GCC diagnostic pop
		str_puts(text, "\n");
		if (strstr(call, "req"))
			str_printf(text, "%d wait req=0\n", r);
	}
}

/* Every algorithm of the selectors expects what is sent: 7 ranks, roots, sizes. */
static void algorithms_expect_what_is_sent(void **state)
{
	static const char *const selectors[] = {"default", "ompi", "mpich", "mvapich2", "impi"};
	static const char *const calls[] = {
	    "bcast %d 3 1",        "reduce %d 0 2 1",
	    "allreduce %d 0 1",    "gather %d %d 5 1 1",
	    "scatter %d %d 1 1 1", "allgather %d %d 1 1",
	    "alltoall %d %d 1 1",  "scan %d 0 1",
	    "exscan %d 0 1",       "reducescatterblock %d 0 1",
	    "ibcast %d 3 1 req=0", "iallreduce %d 0 1 req=0",
	};
	static const int sizes[] = {0, 1, 7, 1000, 100003};
	size_t n = sizeof calls / sizeof *calls * 5;

	(void)state;
	for (size_t k = 0; k < sizeof selectors / sizeof *selectors * n; k++) {
		const char *call = calls[k % n / 5];
		char settings[80];
		struct str text;
		struct sim s;

		str_init(&text);
		call_by_all(&text, call, sizes[k % 5]);
		snprintf(settings, sizeof settings, "smpi/coll-selector:%s", selectors[k / n]);
		assert_ok(sim_run(&s, FLAT, text.s, 7, settings, NULL), s.err);
		if (s.remarks)
			fail_msg("%s: %s\n%s", settings, call, s.report);
		str_release(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_stops),  cmocka_unit_test(messages_left),
	    cmocka_unit_test(collectives), cmocka_unit_test(never_freed),
	    cmocka_unit_test(legal),       cmocka_unit_test(algorithms_expect_what_is_sent),
	};

	return cmocka_run_group_tests_name("replay/checks", tests, NULL, NULL);
}
