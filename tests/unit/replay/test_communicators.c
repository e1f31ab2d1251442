/* test_communicators.c: what making communicators costs, intercommunicators, topologies: dates
 * worked by hand.
 *
 * T(n) = 30e-6 + (n + 16) / 125e6 between two hosts alone; a round of messages in both directions
 * takes as long (full duplex, no cross-traffic). Algorithms are those of the selector "default":
 * allreduce is a reduction to 0, linear, and a binomial bcast; allgather and alltoall send
 * everything at once. */
#include "sim.h"

#include "test.h"

#define FLAT SIM_CLUSTER("")
#define ONE \
	"network/latency-factor:1 network/bandwidth-factor:1 network/crosstraffic:no " \
	"network/TCP-gamma:0"
#define NONE_ ONE " smpi/comm-setup:none"

static double T(double n)
{
	return 30e-6 + (n + 16) / 125e6;
}

#define PAIR(event) "# orrery-trace 1\n0 " event "\n1 " event "\n"

static void setup_of_mpich(void **state)
{
	(void)state;
	/* Nobody says which library: MPICH's choices. A mask of 65 ints is exchanged; then an int
	 * is broadcast. */
	assert_close(sim_time(FLAT, PAIR("comm_dup comm=0.0 members=0,1"), 2, ONE), T(260) + T(4),
	             1e-12);
	/* before: two ints from each to each */
	assert_close(sim_time(FLAT, PAIR("comm_split comm=0.0 members=0,1"), 2, ONE),
	             T(8) + T(260) + T(4), 1e-12);
	/* a window: a duplicate, three allgathers, an allreduce of a byte, a barrier */
	assert_close(sim_time(FLAT, PAIR("win_create 8 win=0"), 2, ONE),
	             T(260) + T(4) + 2 * T(16) + T(4) + T(1) + T(0), 1e-12);
	/* MPI_Dist_graph_create: before, two ints each way; after, two ints along the edge */
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n"
	                      "0 comm_create comm=0.0 members=0,1 sources= dests=1 distributed=1\n"
	                      "1 comm_create comm=0.0 members=0,1 sources=0 dests= distributed=1\n",
	                      2, ONE),
	             T(8) + T(260) + T(4) + T(8), 1e-12);
	assert_close(sim_time(FLAT, PAIR("comm_split comm=0.0 members=0,1"), 2, NONE_), 0, 0);
	assert_close(
	    sim_time(FLAT, PAIR("comm_split comm=0.0 members=0,1"), 2, ONE " compat:simgrid-3.32"),
	    0, 0);
}

static void setup_of_ompi(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT, PAIR("comm_create comm=0.0 members=0,1"), 2,
	                      ONE " smpi/comm-setup:ompi"),
	             6 * T(4), 1e-12);
	assert_close(sim_time(FLAT, PAIR("win_create 8 win=0"), 2, ONE " smpi/comm-setup:ompi"),
	             6 * T(4) + 2 * T(0), 1e-12);
	/* With its selector too it is a reduction and a broadcast, for fewer than four ranks. */
	assert_close(sim_time(FLAT, PAIR("comm_create comm=0.0 members=0,1"), 2,
	                      ONE " smpi/coll-selector:ompi"),
	             6 * T(4), 1e-12);
}

static void setup_is_wrong(void **state)
{
	struct sim s;

	(void)state;
	assert_int_equal(sim_run(&s, FLAT, PAIR("init"), 2, "smpi/comm-setup:perhaps", NULL), -1);
	assert_non_null(strstr(s.err.text, "smpi/comm-setup takes none, mpich, ompi or auto"));
}

/* Only the members of the new communicator call; rank 2 is elsewhere, and late. */
static void create_group(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 comm_create_group comm=0.0 members=0,1\n"
	                      "1 comm_create_group comm=0.0 members=0,1\n"
	                      "2 compute 1e4\n",
	                      3, ONE),
	             T(260) + T(4), 1e-12); /* masks in both directions at once */
	/* comm_create is for all of the parent. 0 has given its mask to 1, which waits for rank 2,
	 * exchanges theirs with it, and sends the result to 0; then 0 sends an int to both over
	 * one link. */
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 comm_create comm=0.0 members=0,1\n"
	                      "1 comm_create comm=0.0 members=0,1\n"
	                      "2 compute 1e6\n2 comm_create members=\n",
	                      3, ONE),
	             1e-3 + 2 * T(260) + (30e-6 + 2 * 20 / 125e6), 1e-12);
}

/* idup: rank 0 goes on computing, and the agreement is over when it waits. */
static void idup(void **state)
{
	(void)state;
	assert_close(
	    sim_time(
	        FLAT,
	        "# orrery-trace 1\n0 comm_idup req=0\n1 comm_idup req=0\n0 compute 1e6\n"
	        "1 compute 1e6\n"
	        "0 comm_dup comm=0.0 members=0,1 req=0\n1 comm_dup comm=0.0 members=0,1 req=0\n"
	        "0 send 1 7 1000 6 comm=0.0\n1 recv 0 7 1000 6 comm=0.0\n",
	        2, ONE " smpi/progress:async"),
	    1e-3 + T(1000), 1e-12);
}

/* Freed by all while a collective is under way on it (MPI 4.0, 7.4.3: it goes away when what is
 * pending has completed): the linear bcast of 1,000 bytes takes as long as without, and another
 * communicator gets a context of its own. */
static void freed_in_use(void **state)
{
	static const char program[] =
	    "# orrery-trace 1\n"
	    "0 comm_dup comm=0.0 members=0,1\n1 comm_dup comm=0.0 members=0,1\n"
	    "0 ibcast 1000 0 6 comm=0.0 req=0\n1 ibcast 1000 0 6 comm=0.0 req=0\n"
	    "0 comm_free comm=0.0\n1 comm_free comm=0.0\n"
	    "0 comm_dup comm=0.1 members=0,1\n1 comm_dup comm=0.1 members=0,1\n"
	    "0 wait req=0\n1 wait req=0\n"
	    "0 send 1 7 500 6 comm=0.1\n1 recv 0 7 500 6 comm=0.1\n";

	(void)state;
	assert_close(sim_time(FLAT, program, 2, NONE_), T(1000) + T(500), 1e-12);
}

/* --- intercommunicators: {0, 2} and {1, 3} --- */

#define INTER \
	"# orrery-trace 1\n0 intercomm_create comm=0.0 members=0,2 remote=1,3\n" \
	"2 intercomm_create comm=0.0 members=0,2 remote=1,3\n" \
	"1 intercomm_create comm=0.0 members=1,3 remote=0,2\n" \
	"3 intercomm_create comm=0.0 members=1,3 remote=0,2\n"

static void messages_between_groups(void **state)
{
	struct sim s;

	(void)state;
	assert_close(sim_time(FLAT,
	                      INTER "0 send 3 7 1000 6 comm=0.0\n3 recv 0 7 1000 6 comm=0.0\n", 4,
	                      NONE_),
	             T(1000), 1e-12);
	/* a context of its own: the message on the world comes later, and first to the receive on
	 * the world */
	assert_close(sim_time(FLAT,
	                      INTER "0 send 3 7 1000 6 comm=0.0\n0 compute 1e6\n0 send 3 7 5000 6\n"
	                            "3 recv 0 7 5000 6\n3 recv 0 7 1000 6 comm=0.0\n",
	                      4, NONE_),
	             1e-3 + T(5000) + T(1000), 1e-12);
	assert_int_equal(sim_run(&s, FLAT, INTER "0 send 2 7 1000 6 comm=0.0\n", 4, NONE_, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "which is not in the other group"));
}

/* The ranks 0 and 1 spawn 2; 1 is the root. The root comes to it after 1 ms, rank 0 after 2 ms.
 * What is spawned begins with the root: its 5 ms end after 6 ms. The root goes on with rank 0: its
 * 7 ms end after 9 ms. Before, what was spawned began at 0, and nobody waited. */
#define SPAWN(root) \
	"# orrery-trace 1\n0 compute 2e6\n1 compute 1e6\n" \
	"0 intercomm_create comm=0.2 members=0,1 remote=2 spawn=" root "\n" \
	"1 intercomm_create comm=0.2 members=0,1 remote=2 spawn=" root "\n" \
	"2 intercomm_create comm=0.2 members=2 remote=0,1 spawned=" root "\n"

static void spawned(void **state)
{
	struct sim s;

	(void)state;
	assert_close(sim_time(FLAT, SPAWN("1") "2 compute 5e6\n", 3, NONE_), 6e-3, 1e-12);
	assert_close(sim_time(FLAT, SPAWN("0") "2 compute 5e6\n", 3, NONE_), 7e-3, 1e-12);
	assert_close(sim_time(FLAT, SPAWN("1") "1 compute 7e6\n", 3, NONE_), 9e-3, 1e-12);
	assert_close(sim_time(FLAT,
	                      SPAWN("1") "2 send 0 7 1000 6 comm=0.2\n"
	                                 "0 recv 2 7 1000 6 comm=0.2\n",
	                      3, NONE_),
	             2e-3 + T(1000), 1e-12);
	assert_int_equal(sim_run(&s, FLAT, SPAWN("2"), 3, NONE_, NULL), -1);
	assert_non_null(strstr(s.err.text, "spawned by member 2 of"));
	/* whose root never comes */
	assert_int_equal(sim_run(&s, FLAT,
	                         "# orrery-trace 1\n0 compute 1\n"
	                         "1 intercomm_create comm=0.2 members=1 remote=0 spawned=0\n",
	                         2, NONE_, NULL),
	                 -1);
	assert_int_equal(
	    sim_run(&s, FLAT, PAIR("comm_dup comm=0.2 members=0,1 spawn=0"), 2, NONE_, NULL), -1);
	assert_non_null(strstr(s.err.text, "a key of intercomm_create"));
}

#define MPICH_4 ONE " smpi/coll-selector:mpich-4 smpi/allreduce:rdb"

/* MPI_Intercomm_create with leaders. A message moves when its receive has been posted; two that
 * leave a host at once share its link. */
#define LED \
	"0 intercomm_create comm=0.0 members=0,2 remote=1,3 leader=0,1\n" \
	"2 intercomm_create comm=0.0 members=0,2 remote=1,3 leader=0\n" \
	"1 intercomm_create comm=0.0 members=1,3 remote=0,2 leader=0,0\n" \
	"3 intercomm_create comm=0.0 members=1,3 remote=0,2 leader=0\n"
static void led(void **state)
{
	static const char alone[] = "# orrery-trace 1\n"
	                            "0 intercomm_create comm=0.0 members=0 remote=1 leader=0,1\n"
	                            "1 intercomm_create comm=0.0 members=1 remote=0 leader=0,0\n";
	/* until each leader has both sent its group the size and the length, 4 bytes, and told
	 * them to the other one; the names of two go beside the length */
	double names = T(4) + (30e-6 + 40 / 125e6) + (30e-6 + 136 / 125e6);

	(void)state;
	/* MPICH: sizes, members, the context id's two bytes */
	assert_close(sim_time(FLAT, alone, 2, MPICH_4), T(4) + T(8) + T(2), 1e-12);
	/* Open MPI: sizes, the lengths of the names, the names, three ints */
	assert_close(sim_time(FLAT, alone, 2, ONE " smpi/comm-setup:ompi"), 5 * T(4) + T(50),
	             1e-12);
	assert_close(sim_time(FLAT, alone, 2, NONE_), 0, 0);
	/* MPICH, two groups of two: a leader tells its member 16 bytes and the places of the other
	 * two; then masks are exchanged. */
	assert_close(sim_time(FLAT, "# orrery-trace 1\n" LED, 4, MPICH_4),
	             T(4) + T(16) + 2 * T(16) + T(260) + T(2) + T(4), 1e-12);
	/* Open MPI: a member reduces when it has the names, and whenever it has been told an int;
	 * three times the leaders exchange what came, and tell it. */
	assert_close(sim_time(FLAT, "# orrery-trace 1\n" LED, 4, ONE " smpi/comm-setup:ompi"),
	             names + T(100) + T(4) + 3 * T(4) + 2 * 2 * T(4) + T(4), 1e-12);
	/* Nobody goes on before all of both groups have come. Rank 2 comes after 1 ms; it is told,
	 * masks are exchanged, the leaders exchange ids, rank 3 is told. */
	assert_close(
	    sim_time(FLAT, "# orrery-trace 1\n2 compute 1e6\n" LED "3 compute 1e6\n", 4, MPICH_4),
	    1e-3 + 2 * T(16) + T(260) + T(2) + T(4) + 1e-3, 1e-12);
}

/* Led by the second of a group, which is what it is told. */
static void led_by_another(void **state)
{
	struct sim s;

	(void)state;
	/* 2 has 0's place after 8 bytes, and tells 1 of it. */
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n"
	                      "0 intercomm_create comm=0.0 members=0 remote=1,2 leader=0,2\n"
	                      "1 intercomm_create comm=0.0 members=1,2 remote=0 leader=1\n"
	                      "2 intercomm_create comm=0.0 members=1,2 remote=0 leader=1,0\n",
	                      3, MPICH_4),
	             T(4) + T(8) + T(16) + T(8) + T(260) + T(2) + T(4), 1e-12);
	assert_int_equal(sim_run(&s, FLAT,
	                         "# orrery-trace 1\n"
	                         "0 intercomm_create comm=0.0 members=0 remote=1 leader=1\n"
	                         "1 intercomm_create comm=0.0 members=1 remote=0 leader=0,0\n",
	                         2, ONE, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "is led by member 1 of 1"));
}

/* MPI_Comm_disconnect: its members agree, as for a duplicate; rank 1 comes after 1 ms. Its mask of
 * 65 ints is reduced to 0, which goes on when that is there: what it sends back is detached. */
#define LEFT(how) \
	PAIR("comm_create_group comm=0.0 members=0,1 agreed=1") \
	"1 compute 1e6\n0 comm_free comm=0.0" how "\n1 comm_free comm=0.0" how "\n0 compute 3e6\n"

static void disconnected(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT, LEFT(" disconnect=1"), 2, ONE), 1e-3 + T(260) + 3e-3, 1e-12);
	assert_close(sim_time(FLAT, LEFT(""), 2, ONE), 3e-3, 1e-12);
}

#define ALL(first, others) "0 " first "\n2 " others "\n1 " others "\n3 " others "\n"

static void collectives_between_groups(void **state)
{
	struct sim s;

	(void)state;
	/* rank 0 is the root: to leader 1, who tells 3; rank 2 takes no part */
	assert_close(sim_time(FLAT,
	                      INTER "0 bcast 1000 -3 6 comm=0.0\n2 bcast 1000 -2 6 comm=0.0\n"
	                            "1 bcast 1000 0 6 comm=0.0\n"
	                            "3 bcast 1000 0 6 comm=0.0\n",
	                      4, NONE_),
	             2 * T(1000), 1e-12);
	/* 2 to 0 and 3 to 1; the leaders exchange; back. Detached sends: each step takes one
	 * message's time. */
	assert_close(
	    sim_time(FLAT, INTER ALL("allreduce 1000 0 6 comm=0.0", "allreduce 1000 0 6 comm=0.0"),
	             4, NONE_),
	    3 * T(1000), 1e-12);
	/* to the leader; his answer shares his link with what he tells the other leader; one byte
	 * to the group */
	assert_close(sim_time(FLAT, INTER ALL("barrier comm=0.0", "barrier comm=0.0"), 4, NONE_),
	             T(0) + (30e-6 + 33 / 125e6) + T(1), 1e-12);
	/* gather to rank 3, the rank 1 of its group: 2 to 0, then 2000 bytes */
	assert_close(sim_time(FLAT,
	                      INTER
	                      "0 gather 1000 0 1 6 6 comm=0.0\n2 gather 1000 0 1 6 6 comm=0.0\n"
	                      "1 gather 0 0 -2 6 6 comm=0.0\n3 gather 0 1000 -3 6 6 comm=0.0\n",
	                      4, NONE_),
	             T(1000) + T(2000), 1e-12);
	/* alltoall: two rounds of an exchange */
	assert_close(sim_time(FLAT,
	                      INTER ALL("alltoall 1000 1000 6 6 comm=0.0",
	                                "alltoall 1000 1000 6 6 comm=0.0"),
	                      4, NONE_),
	             2 * T(1000), 1e-12);
	/* allgather: in the group (1000), leaders (2000 both ways), to the group (2000) */
	assert_close(sim_time(FLAT,
	                      INTER ALL("allgather 1000 1000 6 6 comm=0.0",
	                                "allgather 1000 1000 6 6 comm=0.0"),
	                      4, NONE_),
	             T(1000) + 2 * T(2000), 1e-12);
	/* reduce_scatter_block of 500: vectors of 1000 to the leaders, between them, and 500 to the
	 * other */
	assert_close(sim_time(FLAT,
	                      INTER ALL("reducescatterblock 500 0 6 comm=0.0",
	                                "reducescatterblock 500 0 6 comm=0.0"),
	                      4, NONE_),
	             2 * T(1000) + T(500), 1e-12);
	assert_int_equal(sim_run(&s, FLAT,
	                         INTER ALL("scan 500 0 6 comm=0.0", "scan 500 0 6 comm=0.0"), 4,
	                         NONE_, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "MPI_Scan on an intercommunicator"));
}

/* Groups of three and one: the forms with counts, and rooted ones both ways; nothing may be left
 * over. */
static void uneven_groups(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(sim_run(&s, FLAT,
	                  "# orrery-trace 1\n0 intercomm_create comm=0.0 members=0-2 remote=3\n"
	                  "1 intercomm_create comm=0.0 members=0-2 remote=3\n"
	                  "2 intercomm_create comm=0.0 members=0-2 remote=3\n"
	                  "3 intercomm_create comm=0.0 members=3 remote=0-2\n"
	                  "0 gatherv 10 0 6 6 comm=0.0\n1 gatherv 20 0 6 6 comm=0.0\n"
	                  "2 gatherv 30 0 6 6 comm=0.0\n"
	                  "3 gatherv 0 10 20 30 -3 6 6 comm=0.0\n"
	                  "0 scatterv 10 0 6 6 comm=0.0\n1 scatterv 20 0 6 6 comm=0.0\n"
	                  "2 scatterv 30 0 6 6 comm=0.0\n"
	                  "3 scatterv 10 20 30 0 -3 6 6 comm=0.0\n"
	                  "0 allgatherv 10 5 6 6 comm=0.0\n1 allgatherv 20 5 6 6 comm=0.0\n"
	                  "2 allgatherv 30 5 6 6 comm=0.0\n"
	                  "3 allgatherv 5 10 20 30 6 6 comm=0.0\n"
	                  "0 alltoallv 1 1 2 2 6 6 comm=0.0\n1 alltoallv 1 1 2 3 6 6 comm=0.0\n"
	                  "2 alltoallv 1 1 2 4 6 6 comm=0.0\n"
	                  "3 alltoallv 9 2 3 4 3 1 1 1 6 6 comm=0.0\n"
	                  "0 reducescatter 1 2 3 0 6 comm=0.0\n1 reducescatter 1 2 3 0 6 comm=0.0\n"
	                  "2 reducescatter 1 2 3 0 6 comm=0.0\n"
	                  "3 reducescatter 6 0 6 comm=0.0\n"
	                  "0 scatter 10 0 -3 6 6 comm=0.0\n1 scatter 0 0 -2 6 6 comm=0.0\n"
	                  "2 scatter 0 0 -2 6 6 comm=0.0\n"
	                  "3 scatter 0 10 0 6 6 comm=0.0\n"
	                  "0 reduce 10 0 -3 6 comm=0.0\n1 reduce 10 0 -2 6 comm=0.0\n"
	                  "2 reduce 10 0 -2 6 comm=0.0\n"
	                  "3 reduce 10 0 0 6 comm=0.0\n"
	                  "0 comm_free comm=0.0\n1 comm_free comm=0.0\n2 comm_free comm=0.0\n"
	                  "3 comm_free comm=0.0\n",
	                  4, NONE_, NULL),
	          s.err);
	assert_int_equal(s.remarks, 0);
	assert_string_equal(s.report, "");
}

static void merge(void **state)
{
	(void)state;
	assert_close(sim_time(FLAT,
	                      INTER "0 intercomm_merge comm=0.1 parent=0.0 members=0,2,1,3\n"
	                            "1 intercomm_merge comm=0.1 parent=0.0 members=0,2,1,3\n"
	                            "2 intercomm_merge comm=0.1 parent=0.0 members=0,2,1,3\n"
	                            "3 intercomm_merge comm=0.1 parent=0.0 members=0,2,1,3\n"
	                            "2 send 0 7 1000 6 comm=0.1\n0 recv 2 7 1000 6 comm=0.1\n",
	                      4, NONE_),
	             T(1000), 1e-12);
}

static void grids_are_checked(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(sim_run(&s, FLAT, PAIR("comm_create comm=0.0 members=0,1 dims=2,1 periods=0,1"),
	                  2, NONE_, NULL),
	          s.err);
	assert_int_equal(sim_run(&s, FLAT,
	                         PAIR("comm_create comm=0.0 members=0,1 dims=2,2 periods=0,1"), 2,
	                         NONE_, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "a grid whose dimensions do not make the 2 ranks"));
	assert_int_equal(sim_run(&s, FLAT,
	                         PAIR("comm_create comm=0.0 members=0,1 sources=2 dests="), 2,
	                         NONE_, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "a neighbour 2 in a communicator of 2 ranks"));
}

/* On a line of three, the one in the middle gets its two blocks through one link: twice the bytes
 * of T, and one latency. The counts of vector forms are one for each neighbour, there or not. */
static void neighbors(void **state)
{
	static const char line[] = "# orrery-trace 1\n"
	                           "0 comm_create comm=0.0 members=0-2 dims=3 periods=0\n"
	                           "1 comm_create comm=0.0 members=0-2 dims=3 periods=0\n"
	                           "2 comm_create comm=0.0 members=0-2 dims=3 periods=0\n";
	char trace[1024];
	struct sim s;
	(void)state;
	snprintf(trace, sizeof trace,
	         "%s0 neighbor_allgather 1000 1000 6 6 comm=0.0\n"
	         "1 neighbor_allgather 1000 1000 6 6 comm=0.0\n"
	         "2 neighbor_allgather 1000 1000 6 6 comm=0.0\n",
	         line);
	assert_close(sim_time(FLAT, trace, 3, NONE_), 30e-6 + 2 * 1016 / 125e6, 1e-12);
	snprintf(trace, sizeof trace,
	         "%s0 neighbor_alltoallv 6 6 comm=0.0 scounts=0,1000 rcounts=0,500\n"
	         "1 neighbor_alltoallv 6 6 comm=0.0 scounts=500,10 rcounts=1000,10\n"
	         "2 neighbor_alltoallv 6 6 comm=0.0 scounts=10,0 rcounts=10,0\n",
	         line);
	assert_close(sim_time(FLAT, trace, 3, NONE_), 30e-6 + (1016 + 26) / 125e6, 1e-12);
	snprintf(trace, sizeof trace, "%s0 neighbor_alltoallv 6 6 comm=0.0 scounts=1 rcounts=1,2\n",
	         line);
	assert_int_equal(sim_run(&s, FLAT, trace, 3, NONE_, NULL), -1);
	assert_non_null(strstr(
	    s.err.text, "counts for 1 and 2 neighbours, where 2 are sent to and 2 received from"));
	assert_int_equal(sim_run(&s, FLAT, PAIR("neighbor_allgather 1 1"), 2, NONE_, NULL), -1);
	assert_non_null(strstr(s.err.text, "without topology"));
}

/* A rank with several threads and one with one: the same call, the same exchange. */
static void beside(void **state)
{
	static struct sim s;

	(void)state;
	assert_close(sim_time(FLAT,
	                      "# orrery-trace 1\n0 comm_idup req=0 beside=split\n"
	                      "0 comm_split comm=0.0 members=0,1 req=0\n"
	                      "1 comm_split comm=0.0 members=0,1\n",
	                      2, ONE),
	             T(8) + T(260) + T(4), 1e-12);
	assert_close(
	    sim_time(FLAT,
	             "# orrery-trace 1\n0 ireduce 1000 0 0 1 req=0 beside=1\n0 wait req=0\n"
	             "1 reduce 1000 0 0 1\n",
	             2, ONE),
	    T(4000), 1e-12);
	assert_int_equal(sim_run(&s, FLAT,
	                         "# orrery-trace 1\n0 ireduce 1000 0 0 1 req=0\n0 wait req=0\n"
	                         "1 reduce 1000 0 0 1\n",
	                         2, ONE, NULL),
	                 -1);
	assert_int_equal(sim_run(&s, FLAT, PAIR("reduce 1000 0 0 1 beside=1"), 2, ONE, NULL), -1);
	assert_non_null(strstr(s.err.text, "non-blocking collectives"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(setup_of_mpich),
	    cmocka_unit_test(setup_of_ompi),
	    cmocka_unit_test(setup_is_wrong),
	    cmocka_unit_test(create_group),
	    cmocka_unit_test(messages_between_groups),
	    cmocka_unit_test(collectives_between_groups),
	    cmocka_unit_test(uneven_groups),
	    cmocka_unit_test(led),
	    cmocka_unit_test(led_by_another),
	    cmocka_unit_test(spawned),
	    cmocka_unit_test(disconnected),
	    cmocka_unit_test(merge),
	    cmocka_unit_test(grids_are_checked),
	    cmocka_unit_test(neighbors),
	    cmocka_unit_test(idup),
	    cmocka_unit_test(freed_in_use),
	    cmocka_unit_test(beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
