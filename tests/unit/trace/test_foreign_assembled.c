/* test_foreign_assembled.c: TAU and Paraver, whose calls are put together from what is entered,
 * left, sent and received. Both tell of the same program: rank 0: isend 64 B to 1, waitall;
 * barrier; recv from 1 rank 1: irecv from MPI_PROC_NULL, irecv from 0, waitall; barrier; send 32 B
 * to 0 */
#include "foreign_text.h"

static struct tmp tmp;

/* --- TAU: 24-byte records, event, node, thread, parameter, microseconds --- */

enum { INIT = 1, ISEND, IRECV, WAITALL, BARRIER, SEND, RECV, FINALIZE, STARTALL };
static const char edf[] = "9 dynamic_trace_events\n"
                          "# FunctionId Group Tag \"Name Type\" Parameters\n"
                          "1 MPI 0 \"MPI_Init()  \" EntryExit\n"
                          "2 MPI 0 \"MPI_Isend()  \" EntryExit\n"
                          "3 MPI 0 \"MPI_Irecv()  \" EntryExit\n"
                          "4 MPI 0 \"MPI_Waitall()  \" EntryExit\n"
                          "5 MPI 0 \"MPI_Barrier()  \" EntryExit\n"
                          "6 MPI 0 \"MPI_Send()  \" EntryExit\n"
                          "7 MPI 0 \"MPI_Recv()  \" EntryExit\n"
                          "8 MPI 0 \"MPI_Finalize()  \" EntryExit\n"
                          "9 MPI 0 \"MPI_Startall()  \" EntryExit\n";

static void record(struct blob *b, unsigned node, uint32_t event, uint64_t parameter, uint64_t us)
{
	blob_put(b, event, 4);
	blob_put(b, node, 2);
	blob_put(b, 0, 2);
	blob_put(b, parameter, 8);
	blob_put(b, us, 8);
}

/* A call of one microsecond with a message in it (0: none). */
static void call(struct blob *b, unsigned node, uint32_t function, uint32_t way, uint64_t message,
                 uint64_t us)
{
	record(b, node, function, 1, us);
	if (way)
		record(b, node, way, message, us);
	record(b, node, function, (uint64_t)-1, us + 1);
}

static uint64_t packed(uint64_t bytes, uint64_t tag, uint64_t peer)
{
	return (bytes & 0xffff) | (tag & 0xff) << 16 | (peer & 0xff) << 24 |
	       (bytes >> 16 & 0x3ff) << 32 | (tag >> 8) << 48 | (peer >> 8) << 56;
}

static void tau_rank(struct blob *b, unsigned node)
{
	record(b, node, 60000, 3, 100);
	call(b, node, INIT, 0, 0, 100);
	if (node == 0) {
		call(b, 0, ISEND, 60007, packed(70000, 300, 1), 111); /* both in two pieces */
		call(b, 0, WAITALL, 0, 0, 112);
		call(b, 0, BARRIER, 0, 0, 113);
		call(b, 0, RECV, 60008, packed(32, 1, 1), 114);
	} else {
		call(b, 1, IRECV, 0, 0, 101);
		call(b, 1, IRECV, 0, 0, 102);
		call(b, 1, WAITALL, 60008, packed(70000, 300, 0), 103);
		call(b, 1, BARRIER, 0, 0, 104);
		call(b, 1, SEND, 60007, packed(32, 1, 0), 105);
	}
	call(b, node, FINALIZE, 0, 0, 120);
}

#define TAU_IS \
	"0 init\n0 compute 10000\n0 isend 1 300 70000 6 req=1\n0 wait req=1\n0 barrier\n" \
	"0 recv 1 1 32 6\n0 compute 5000\n0 finalize\n" \
	"1 init\n1 irecv 0 300 70000 6 req=0\n1 wait req=0\n1 barrier\n1 send 0 1 32 6\n" \
	"1 compute 14000\n1 finalize\n"

static void tau_folder(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct blob b = {.n = 0, .big = (int)i}; /* any machine's order of bytes */
		char name[64];

		tau_rank(&b, i);
		snprintf(name, sizeof name, "tautrace.%u.0.0.trc", i);
		tmp_write_n(&tmp, name, b.at, b.n);
		snprintf(name, sizeof name, "events.%u.edf", i);
		tmp_write(&tmp, name, edf);
	}
	foreign_is(tmp.dir, TAU_IS);
}

static void tau_merged(void **state)
{
	struct blob b = {.n = 0};

	(void)state;
	tau_rank(&b, 0);
	tau_rank(&b, 1);
	tmp_write(&tmp, "tau.edf", edf);
	foreign_is(tmp_write_n(&tmp, "tau.trc", b.at, b.n), TAU_IS);
}

/* Twice rank 0 starts a persistent send of 64 bytes, of which rank 1 alone tells; of those of tag
 * 6 there are three, which two calls cannot have sent each: they are left out. */
static void tau_startall(void **state)
{
	struct blob b = {.n = 0};

	(void)state;
	for (unsigned node = 0; node < 2; node++) {
		record(&b, node, 60000, 3, 100);
		call(&b, node, INIT, 0, 0, 100);
		for (unsigned i = 0; i < 2; i++) {
			uint32_t way = node ? 60008 : 0;

			call(&b, node, node ? IRECV : STARTALL, 0, 0, 101 + 2 * i);
			call(&b, node, WAITALL, way, packed(64, 5, 0), 102 + 2 * i);
		}
		for (unsigned i = 0; node == 1 && i < 3; i++)
			call(&b, node, IRECV, 60008, packed(32, 6, 0), 105 + i);
		call(&b, node, FINALIZE, 0, 0, node ? 108 : 105);
	}
	tmp_write(&tmp, "tau.edf", edf);
	foreign_is(tmp_write_n(&tmp, "tau.trc", b.at, b.n),
	           "0 init\n0 isend 1 5 64 6 req=1\n0 wait req=1\n"
	           "0 isend 1 5 64 6 req=3\n0 wait req=3\n0 finalize\n"
	           "1 init\n1 irecv 0 5 64 6 req=0\n1 wait req=0\n"
	           "1 irecv 0 5 64 6 req=2\n1 wait req=2\n1 finalize\n");
}

/* A digit of a node's number is another: it would be one of 701 ranks. */
static void tau_node_damaged(void **state)
{
	char place[160];
	struct blob b = {.n = 0};

	(void)state;
	tau_rank(&b, 0);
	tau_rank(&b, 1);
	tmp_write(&tmp, "d.edf", edf);
	b.at[b.n - 24 + 4] = 700 & 0xff; /* of the last record: node 1 */
	b.at[b.n - 24 + 5] = 700 >> 8;
	snprintf(place, sizeof place,
	         "d.trc: at byte %zu: a record of node 700, but none is of "
	         "node 2: this number is damaged, or the file lacks nodes "
	         "(merge all with tau_merge)",
	         b.n - 24);
	foreign_fails(tmp_write_n(&tmp, "d.trc", b.at, b.n), place);
}

/* A line of the names without a number, cut names, a node that is not there, no thread but others.
 */
static void tau_faults(void **state)
{
	struct blob b = {.n = 0};

	(void)state;
	tau_rank(&b, 0);
	tmp_write_n(&tmp, "w.trc", b.at, b.n);
	tmp_write(&tmp, "w.edf",
	          "9 dynamic_trace_events\n1 MPI 0 \"MPI_Init()\" EntryExit\n"
	          "x MPI 0 \"MPI_Isend()\" EntryExit\n");
	foreign_fails(tmp_path(&tmp, "w.trc"), "w.edf:3:1: expected the number of an event");
	tmp_write(&tmp, "w.edf", edf);
	b.n = 0;
	record(&b, 0, 60000, 3, 100);
	record(&b, 0, ISEND, 1, 101);
	record(&b, 0, 60007, packed(8, 0, 700), 102);
	foreign_fails(tmp_write_n(&tmp, "w.trc", b.at, b.n),
	              "w.trc: at byte 48: node 0 has a message with rank 700: there are 1");
}

/* Of a file that a full disk cut the rank's record ends early: without a word all would wait for
 * it. */
static void tau_cut(void **state)
{
	struct blob b = {.n = 0};

	(void)state;
	tmp_release(&tmp);
	tmp_init(&tmp);
	for (unsigned i = 0; i < 3; i++) {
		char name[64];

		b.n = 0;
		if (i < 2)
			tau_rank(&b, i);
		for (int k = 0; i == 2 && k < 2; k++) {
			if (k == 0)
				record(&b, 2, 60000, 3, 100);
			call(&b, 2, k ? FINALIZE : INIT, 0, 0, 100 + 10 * (unsigned)k);
		}
		snprintf(name, sizeof name, "tautrace.%u.0.0.trc", i);
		tmp_write_n(&tmp, name, b.at, b.n);
		snprintf(name, sizeof name, "events.%u.edf", i);
		tmp_write(&tmp, name, edf);
	}
	foreign_partial(tmp.dir, 0, "");
	remove(tmp_path(&tmp, "tautrace.1.0.0.trc"));
	tmp_write_n(&tmp, "tautrace.1.0.0.trc", b.at, 0);
	foreign_fails(tmp.dir, "tautrace.1.0.0.trc");
	b.n = 0;
	tau_rank(&b, 1);
	remove(tmp_path(&tmp, "tautrace.1.0.0.trc"));
	tmp_write_n(&tmp, "tautrace.1.0.0.trc", b.at, b.n - 24); /* MPI_Finalize is not left */
	foreign_partial(tmp.dir, 1, " (rank 1)");
	remove(tmp_path(&tmp, "tautrace.1.0.0.trc"));
	foreign_fails(tmp.dir, "the file of rank 1 is missing (there is one of rank 2)");
}

/* --- Paraver --- */

#define WITHOUT_END \
	"no rank's records have MPI_Finalize: if the run was killed, or the file was cut, the " \
	"program goes on there\n"

#define PRV_HEAD "#Paraver (01/01/2026 at 00:00):200000_ns:1(2):1:2(1:1,1:1),1\nc:1:1:2:1:2\n"
#define EVENT(task, ns, type, value) "2:1:1:" #task ":1:" #ns ":" #type ":" #value "\n"
#define P2P(task, in, out, value) EVENT(task, in, 50000001, value) EVENT(task, out, 50000001, 0)

static void paraver(void **state)
{
	(void)state;
	tmp_write(&tmp, "t.pcf",
	          "EVENT_TYPE\n9   50000001    MPI Point-to-point\nVALUES\n77   MPI_Isend\n"
	          "0   Outside MPI\n\n");
	/* clang-format off */
	foreign_is(
	    tmp_write(&tmp, "t.prv",
	              PRV_HEAD
	              EVENT(1, 0, 50000003, 31) EVENT(1, 1000, 50000003, 0)
	              EVENT(2, 0, 50000003, 31) EVENT(2, 1000, 50000003, 0)
	              P2P(1, 2000, 2100, 77) /* a number that the .pcf names */
	              P2P(1, 2100, 2200, 6)
	              P2P(2, 1000, 1100, 4) P2P(2, 1100, 1200, 4) P2P(2, 1200, 2300, 6)
	              /* Extrae gave it to the receive from nobody, ended before it was sent */
	              "3:1:1:1:1:2000:2050:2:1:2:1:1000:1200:64:7\n"
	              "2:1:1:1:1:2300:50000002:8:50100004:1\n" EVENT(1, 2400, 50000002, 0)
	              "2:1:1:2:1:2400:50000002:8:50100004:1\n" EVENT(2, 2500, 50000002, 0)
	              P2P(1, 2400, 3000, 2) P2P(2, 2600, 2700, 1)
	              "3:2:1:2:1:2600:2650:1:1:1:1:2400:2900:32:1\n"
	              "2:2:1:2:1:2800:42000050:12345:50000003:32\n" EVENT(2, 2900, 50000003, 0)),
	    /* 12,345 instructions in 100 ns, of the others as many a second */
	    "0 init\n0 compute 123450\n0 isend 1 7 64 6 req=1\n0 wait req=1\n"
	    "0 compute 12345\n0 barrier\n0 recv 1 1 32 6\n"
	    "1 init\n1 irecv 0 7 64 6 req=0\n1 wait req=0\n1 compute 12345\n1 barrier\n"
	    "1 compute 12345\n1 send 0 1 32 6\n1 compute 12345\n1 finalize\n");
	/* clang-format on */
	foreign_partial(tmp_path(&tmp, "t.prv"), 1, " (rank 0)"); /* it has no MPI_Finalize */
}

/* A send to MPI_PROC_NULL that Extrae's merger joined with a receive from it has no tag (-1, as an
 * unsigned number of 32 bits): its ends meet each other, not a message of a program's tag. */
static void paraver_untagged(void **state)
{
	const char *path;

	(void)state;
	/* clang-format off */
	path = tmp_write(&tmp, "u.prv",
	                 PRV_HEAD
	                 EVENT(1, 0, 50000003, 31) EVENT(1, 1000, 50000003, 0)
	                 EVENT(2, 0, 50000003, 31) EVENT(2, 1000, 50000003, 0)
	                 P2P(1, 1000, 1100, 1) P2P(1, 1100, 1200, 1)
	                 P2P(2, 1000, 1300, 2) P2P(2, 1300, 1400, 2)
	                 "3:1:1:1:1:1000:1100:2:1:2:1:1300:1400:0:4294967295\n"
	                 "3:1:1:1:1:1100:1200:2:1:2:1:1000:1300:128:0\n");
	/* clang-format on */
	foreign_is(path, "0 init\n0 send 1 2147483647 0 6\n0 send 1 0 128 6\n0 finalize\n"
	                 "1 init\n1 recv 0 0 128 6\n1 recv 0 2147483647 0 6\n1 finalize\n");
	foreign_notes(path,
	              "messages without a tag, as Extrae writes where a call with MPI_PROC_NULL is "
	              "joined with another rank's, have the tag 2147483647\n" WITHOUT_END);
}

/* Legal, if not what Extrae writes: times in microseconds, tasks of several threads, communicators
 * of two sorts, comments, states, lines of an application's own events, sizes before the call that
 * they are of, a 0 for each type that ends. */
static void paraver_odd(void **state)
{
	(void)state;
	/* clang-format off */
	foreign_is(
	    tmp_write(&tmp, "odd.prv",
	              "#Paraver (23/11/2026 at 04:20):300:2(4,4):1:2(3:1,3:2),2\n"
	              "c:1:1:2:1:2\nc:1:2:1:2\ni:1:3:1:2\n# a comment: with colons: 1:2:3\n\n"
	              "1:1:1:1:1:0:100:1\n"
	              EVENT(1, 0, 50000003, 31) EVENT(2, 0, 50000003, 31)
	              "2:1:1:1:1:10:50000003:0:42000050:5\n" EVENT(2, 10, 50000003, 0)
	              "2:2:1:1:2:12:60000001:1\n" /* another thread */
	              "2:1:1:1:1:30:42000050:2000:50000001:1:40000050:7\n"
	              "3:1:1:1:1:30:31:5:1:2:1:35:36:4096:77\n"
	              EVENT(2, 35, 50000001, 2) EVENT(1, 32, 50000001, 0)
	              EVENT(2, 40, 50000001, 0)
	              "2:1:1:1:1:50:50100001:16:50100002:16:50000002:10:50100004:1\n"
	              "2:5:1:2:1:50:50000002:10:50100001:16:50100002:16:50100004:1\n"
	              "2:1:1:1:1:60:50000002:0:50100004:0:50100003:0\n"
	              EVENT(2, 60, 50000002, 0)
	              EVENT(1, 70, 50000003, 32) EVENT(2, 70, 50000003, 32)
	              EVENT(1, 80, 50000003, 0) EVENT(2, 80, 50000003, 0)),
	    /* 2,000 instructions in 20 us: those of which none are told have 100 a us */
	    "0 init\n0 compute 2000\n0 send 1 77 4096 6\n0 compute 1800\n"
	    "0 allreduce 16 0 6\n0 compute 1000\n0 finalize\n"
	    "1 init\n1 compute 2500\n1 recv 0 77 4096 6\n1 compute 1000\n"
	    "1 allreduce 16 0 6\n1 compute 1000\n1 finalize\n");
	/* clang-format on */
}

#define COLL(task, in, out, value, comm) \
	"2:1:1:" #task ":1:" #in ":50000002:" #value ":50100001:8:50100002:8:50100004:" #comm \
	"\n" EVENT(task, out, 50000002, 0)

/* Each task's MPI_COMM_SELF has a number of its own: 2, 3. A second communicator of task 1, 4: it
 * is another one. MPI_Iallreduce (155) in each, waited for in order. */
static void paraver_alone(void **state)
{
	(void)state;
	foreign_is(tmp_write(&tmp, "alone.prv",
	                     PRV_HEAD "c:1:2:1:1\nc:1:3:1:2\nc:1:4:1:1\n" COLL(1, 10, 20, 155, 2)
	                         COLL(1, 20, 30, 155, 4) COLL(2, 10, 20, 155, 3) P2P(1, 30, 40, 5)
	                             P2P(1, 40, 50, 5) P2P(2, 20, 30, 5)),
	           "0 init\n0 comm_create_group comm=0.0 members=0 agreed=1\n"
	           "0 iallreduce 8 0 6 comm=self req=1\n0 iallreduce 8 0 6 comm=0.0 req=3\n"
	           "0 wait req=1\n0 wait req=3\n0 finalize\n"
	           "1 init\n1 iallreduce 8 0 6 comm=self req=1\n1 wait req=1\n1 finalize\n");
	foreign_fails(
	    tmp_write(&tmp, "other.prv", PRV_HEAD "c:1:2:1:1\nc:1:3:1:2\n" COLL(2, 10, 20, 155, 2)),
	    "other.prv:5: rank 1 uses communicator 2, in which another rank is alone");
}

/* As LULESH does: what is to be received is posted, all that is sent is waited for together, then
 * each receive. The waitall, in which nothing came in, is for the send. Two receives from
 * MPI_PROC_NULL and a waitall in which something came in: they are over. */
static void paraver_sends_first(void **state)
{
	(void)state;
	/* clang-format off */
	foreign_is(
	    tmp_write(&tmp, "lulesh.prv",
	              PRV_HEAD
	              P2P(1, 10, 11, 4) P2P(1, 12, 13, 4) P2P(1, 14, 15, 3) P2P(1, 16, 17, 6)
	              P2P(2, 10, 11, 4) P2P(2, 12, 13, 3) P2P(2, 14, 15, 3) P2P(2, 16, 17, 6)
	              P2P(1, 20, 21, 5) P2P(1, 22, 23, 5) P2P(2, 20, 21, 5)
	              P2P(1, 30, 31, 4) P2P(1, 32, 33, 4) P2P(1, 34, 35, 4) P2P(1, 36, 37, 3)
	              P2P(1, 38, 41, 6) P2P(1, 50, 51, 4) P2P(1, 52, 55, 5)
	              P2P(2, 30, 31, 4) P2P(2, 32, 33, 3) P2P(2, 38, 41, 6) P2P(2, 42, 43, 1)
	              "3:1:1:1:1:14:15:2:1:2:1:11:21:64:7\n"
	              "3:2:1:2:1:12:13:1:1:1:1:11:21:32:5\n"
	              "3:2:1:2:1:14:15:1:1:1:1:13:23:16:6\n"
	              "3:1:1:1:1:36:37:2:1:2:1:31:41:64:7\n"
	              "3:2:1:2:1:32:33:1:1:1:1:31:41:32:5\n"
	              "3:2:1:2:1:42:43:1:1:1:1:51:55:8:9\n"),
	    "0 init\n0 irecv 1 5 32 6 req=0\n0 compute 1\n0 irecv 1 6 16 6 req=2\n0 compute 1\n"
	    "0 isend 1 7 64 6 req=1\n0 compute 1\n0 wait req=1\n0 compute 3\n"
	    "0 wait req=0\n0 compute 1\n0 wait req=2\n0 compute 7\n"
	    "0 irecv 1 5 32 6 req=4\n0 compute 1\n0 compute 1\n0 compute 1\n"
	    "0 isend 1 7 64 6 req=3\n0 compute 1\n0 waitall 2 reqs=4,3\n0 compute 9\n"
	    "0 irecv 1 9 8 6 req=10\n0 compute 1\n0 wait req=10\n0 finalize\n"
	    "1 init\n1 irecv 0 7 64 6 req=0\n1 compute 1\n1 isend 0 5 32 6 req=1\n1 compute 1\n"
	    "1 isend 0 6 16 6 req=3\n1 compute 1\n1 waitall 2 reqs=1,3\n1 compute 3\n"
	    "1 wait req=0\n1 compute 9\n1 irecv 0 7 64 6 req=2\n1 compute 1\n"
	    "1 isend 0 5 32 6 req=5\n1 compute 5\n1 waitall 2 reqs=2,5\n1 compute 1\n"
	    "1 send 0 9 8 6\n1 finalize\n");
	/* clang-format on */
}

/* The counters of three processors are a second application, whose communicators Extrae writes as
 * the first one's; a communicator that is really that of the second is passed over, too. */
static void paraver_counters(void **state)
{
	static const char head[] = "#Paraver (now):90_ns:1(9):2:2(1:1,1:1),3(1:1,1:1,1:1),4\n"
	                           "c:1:1:3:1:2:3\nc:1:2:1:3\nc:2:3:3:1:2:3\nc:1:3:2:1:2\n";
	const char *path;
	struct str s;

	(void)state;
	str_init(&s);
	str_printf(&s, "%s%s%s%s", head,
	           COLL(1, 10, 20, 10, 3) "2:3:2:1:1:11:46096880:508117:46181140:30150\n"
	                                  "2:5:2:3:1:12:30000000:3\n",
	           COLL(2, 10, 20, 10, 3), "2:3:2:1:1:30:46096880:5\n");
	path = tmp_write(&tmp, "apps.prv", s.s);
	foreign_is(path, "0 init\n0 allreduce 8 0 6\n0 finalize\n"
	                 "1 init\n1 allreduce 8 0 6\n1 finalize\n");
	foreign_notes(path,
	              "only the first application is read: others do not call MPI\n" WITHOUT_END);
	str_puts(&s, "2:3:2:1:1:40:50000001:1\n");
	foreign_fails(tmp_write(&tmp, "two.prv", s.s),
	              "two.prv:13:1: expected application 1 (where several call MPI, leave the "
	              "records of one in the file)");
	str_release(&s);
	str_init(&s);
	str_printf(&s, "%s3:1:1:1:1:0:5:3:2:1:1:6:7:8:9\n", head);
	foreign_fails(tmp_write(&tmp, "between.prv", s.s),
	              "between.prv:6:1: expected application 1 (where several");
	str_release(&s);
	/* of one application, a communicator of more is a fault */
	foreign_fails(tmp_write(&tmp, "one.prv", PRV_HEAD "c:1:2:3:1:2:3\n"),
	              "one.prv:3:1: expected a communicator of 1 member up to all tasks");
}

static void paraver_faults(void **state)
{
	(void)state;
	foreign_fails(tmp_write(&tmp, "a.prv", "#Paraver (now)\n"), "a.prv:1:1: expected");
	foreign_fails(tmp_write(&tmp, "b.prv", PRV_HEAD EVENT(3, 0, 50000003, 31)),
	              "b.prv:3:7: expected a task");
	foreign_fails(tmp_write(&tmp, "c.prv", PRV_HEAD "2:1:1:1:1:0:50000002:8:50100004:9\n"),
	              "c.prv:3: rank 0 uses communicator 9, which no line 'c:' defines");
	foreign_fails(tmp_write(&tmp, "d.prv",
	                        "#Paraver (now):9_ns:1(3):1:3(1:1,1:1,1:1),1\nc:1:5:2:2:3\n"
	                        "2:1:1:1:1:0:50000002:8:50100004:5\n"
	                        "2:1:1:1:1:9:50000002:0\n"),
	              "d.prv:4: rank 0 calls MPI_Barrier on a communicator that it is not in");
	foreign_fails(tmp_write(&tmp, "e.prv", PRV_HEAD "3:1:1:1:1:0:50:2:1:2:1:10:20:-1:7\n"),
	              "e.prv:3:30: expected a size from 0 on");
	foreign_fails(
	    tmp_write(&tmp, "f.prv", PRV_HEAD "3:1:1:1:1:0:50:2:1:2:1:10:20:1:4294967297\n"),
	    "f.prv:3:32: expected a tag");
	foreign_fails(tmp_write(&tmp, "g.prv", PRV_HEAD "2:1:1:1:1:0:50000002:8:50100001:-5\n"),
	              "g.prv:3: expected a value of event 50100001 from 0 on, found -5");
	foreign_fails(tmp_write(&tmp, "h.prv", PRV_HEAD "0:1:1:1:1:0:50000002:8\n"),
	              "h.prv:3:1: expected 1, 2, 3 or 4");
	foreign_fails(tmp_write(&tmp, "i.prv", PRV_HEAD ":1:1:1:1:0:50000002:8\n"),
	              "i.prv:3:1: expected 1, 2, 3 or 4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tau_folder),
	                                   cmocka_unit_test(tau_merged),
	                                   cmocka_unit_test(tau_startall),
	                                   cmocka_unit_test(tau_faults),
	                                   cmocka_unit_test(tau_node_damaged),
	                                   cmocka_unit_test(paraver),
	                                   cmocka_unit_test(tau_cut),
	                                   cmocka_unit_test(paraver_odd),
	                                   cmocka_unit_test(paraver_sends_first),
	                                   cmocka_unit_test(paraver_counters),
	                                   cmocka_unit_test(paraver_faults),
	                                   cmocka_unit_test(paraver_alone),
	                                   cmocka_unit_test(paraver_untagged)};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
