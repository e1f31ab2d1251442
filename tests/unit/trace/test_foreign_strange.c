/* test_foreign_strange.c: TAU and Paraver as their writers write them, with what the first sample
 * of each (test_foreign_assembled.c) has not. From the sources of TAU 2.35 (TauMpi.c, Tracer.cpp)
 * and Extrae's merger; what the events must become is worked by hand beside each. */
#include "foreign_text.h"

static struct tmp tmp;

static void notices_have(const char *path, int even_split, const char *const *parts)
{
	struct trace_open_options o = {.even_split = even_split};
	struct err err;
	struct trace *t = trace_open_with(path, 0, &o, &err);

	if (!t)
		fail_msg("%s", err.text);
	for (; *parts; parts++)
		if (!strstr(trace_notices(t), *parts))
			fail_msg("\"%s\" is not in: %s", *parts, trace_notices(t));
	trace_close(t);
}

static void becomes(const char *path, const char *expected)
{
	struct str s = foreign_text(path, 1);

	assert_string_equal(s.s, expected);
	str_release(&s);
}

/* --- TAU --- */

enum {
	INIT_THREAD = 1,
	REPLACE,
	IBARRIER,
	WAITALL,
	ALLTOALL,
	GATHER,
	ALLGATHERV,
	STARTALL,
	SPAWN,
	FILE_OPEN,
	FINALIZE,
	SENT,
	SIZE_ALLTOALL,
	SIZE_GATHER,
	SIZE_ALLGATHER,
	PVAR,
	LOOP,
	RECEIVED
};
static const char edf[] =
    "26 dynamic_trace_events\n# FunctionId Group Tag \"Name Type\" Parameters\n"
    "0 TAUEVENT 0 \".TAU <unknown event>\" TriggerValue\n"
    "1 MPI 0 \"MPI_Init_thread()  \" EntryExit\n"
    "2 MPI 0 \"MPI_Sendrecv_replace()  \" EntryExit\n"
    "3 MPI 0 \"MPI_Ibarrier() \" EntryExit\n"
    "4 MPI 0 \"MPI_Waitall()  \" EntryExit\n"
    "5 MPI 0 \"MPI_Alltoall()  \" EntryExit\n"
    "6 MPI 0 \"MPI_Gather()  \" EntryExit\n"
    "7 MPI 0 \"MPI_Allgatherv()  \" EntryExit\n"
    "8 MPI 0 \"MPI_Startall()  \" EntryExit\n"
    "9 MPI 0 \"MPI_Comm_spawn()  \" EntryExit\n"
    "10 MPI 0 \"MPI_File_open()  \" EntryExit\n"
    "11 MPI 0 \"MPI_Finalize()  \" EntryExit\n"
    "12 TAUEVENT 0 \"Message size sent to all nodes\" TriggerValue\n"
    "13 TAUEVENT 0 \"Message size for all-to-all\" TriggerValue\n"
    "14 TAUEVENT 0 \"Message size for gather\" TriggerValue\n"
    "15 TAUEVENT 0 \"Message size for all-gather\" TriggerValue\n"
    "16 TAUEVENT 1 \"MPI_T pvar: MPI_Send buffers\" TriggerValue\n"
    "17 TAU_USER 0 \".TAU application => main [{a \"quoted\" loop.c} {3,1}] \" EntryExit\n"
    "18 TAUEVENT 0 \"Message size received from all nodes\" TriggerValue\n"
    "60000 TRACER 0 \"EV_INIT\" none\n60001 TRACER 0 \"FLUSH\" EntryExit\n"
    "60003 TRACER 0 \"FLUSH_CLOSE\" none\n60005 TRACER 0 \"WALL_CLOCK\" none\n"
    "60007 TAU_MESSAGE -7 \"MESSAGE_SEND\" par\n60008 TAU_MESSAGE -8 \"MESSAGE_RECV\" par\n";

static void record(struct blob *b, unsigned node, uint32_t event, uint64_t parameter, uint64_t us)
{
	blob_put(b, event, 4);
	blob_put(b, node, 2);
	blob_put(b, 0, 2);
	blob_put(b, parameter, 8);
	blob_put(b, us, 8);
}

static void enter(struct blob *b, unsigned node, uint32_t function, uint64_t us)
{
	record(b, node, function, 1, us);
}

static void leave(struct blob *b, unsigned node, uint32_t function, uint64_t us)
{
	record(b, node, function, (uint64_t)-1, us);
}

/* A user's event is told three times, its value in the middle. */
static void value(struct blob *b, unsigned node, uint32_t event, uint64_t v, uint64_t us)
{
	record(b, node, event, 0, us);
	record(b, node, event, v, us);
	record(b, node, event, 0, us);
}

/* A call of a microsecond in which a size is told (event 0: none). */
static void sized(struct blob *b, unsigned node, uint32_t function, uint32_t event, uint64_t size,
                  uint64_t us)
{
	enter(b, node, function, us);
	if (event)
		value(b, node, event, size, us);
	leave(b, node, function, us + 1);
}

static uint64_t packed(uint64_t bytes, uint64_t tag, uint64_t peer)
{
	return (bytes & 0xffff) | tag << 16 | peer << 24 | (bytes >> 16 & 0x3ff) << 32;
}

/* 100,000,000 bytes are more than 26 bits: 32,891,136 in the record, all of them in the event. */
static void tau_node(struct blob *b, unsigned node)
{
	uint64_t mine = node ? 40 : 100000000, other = node ? 100000000 : 40;

	record(b, node, 60000, 3, 100);
	record(b, node, 60005, 1700000000, 100);
	enter(b, node, LOOP, 100);
	sized(b, node, INIT_THREAD, 0, 0, 100);
	value(b, node, PVAR, 7, 102); /* its name is no function's */
	record(b, node, 60001, 1, 110);
	record(b, node, 60001, (uint64_t)-1, 115); /* TAU wrote its buffer */
	enter(b, node, REPLACE, 121);              /* 101 to 121, 5 us were TAU's */
	value(b, node, SENT, mine, 121);
	record(b, node, 60007, packed(mine, 9, !node), 121);
	value(b, node, RECEIVED, other, 122);
	record(b, node, 60008, packed(other, 9, !node), 122);
	leave(b, node, REPLACE, 122);
	sized(b, node, IBARRIER, 0, 0, 122);
	sized(b, node, WAITALL, 0, 0, 125);               /* 2 us beside the barrier */
	sized(b, node, ALLTOALL, SIZE_ALLTOALL, 64, 126); /* sent and received */
	sized(b, node, GATHER, node ? SIZE_GATHER : 0, 24, 127);
	sized(b, node, ALLGATHERV, SIZE_ALLGATHER, 10, 128);
	sized(b, node, STARTALL, 0, 0, 129);
	enter(b, node, WAITALL, 130);
	if (node) { /* of what Startall sent, there is nothing; nor of two of one tag that differ */
		record(b, node, 60008, packed(8, 4, 0), 130);
		record(b, node, 60008, packed(8, 5, 0), 130);
		record(b, node, 60008, packed(16, 5, 0), 130);
	}
	leave(b, node, WAITALL, 131);
	sized(b, node, SPAWN, 0, 0, 131);
	sized(b, node, FILE_OPEN, 0, 0, 132);
	sized(b, node, FINALIZE, 0, 0, 133);
	leave(b, node, LOOP, 134);
	record(b, node, 60003, 0, 134);
}

static void tau(void **state)
{
	static const char *const told[] = {
	    "left out: messages of which TAU tells one side only (it records none of MPI_Mrecv",
	    "TAU does not tell what MPI_Startall sends: each is taken to send the same",
	    "left out, with its time: processes that a program starts or meets",
	    "left out, with its time: files",
	    "they are taken to be MPI_COMM_WORLD's",
	    "what the ranks give in MPI_Allgatherv was split evenly among them",
	    "only the first thread of each rank is read",
	    NULL};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct blob b = {.n = 0};
		char name[64];

		tau_node(&b, i);
		snprintf(name, sizeof name, "tautrace.%u.0.0.trc", i);
		tmp_write_n(&tmp, name, b.at, b.n);
		snprintf(name, sizeof name, "events.%u.edf", i);
		tmp_write(&tmp, name, edf);
	}
	tmp_write(&tmp, "tautrace.1.0.1.trc", "");
	foreign_fails(tmp.dir, "calls MPI_Allgatherv, and the format says how much all members");
	notices_have(tmp.dir, 1, told);
	becomes(tmp.dir, "0 init\n0 compute 15000\n0 sendRecv 100000000 1 40 1 6 6 tags=9,9\n"
	                 "0 ibarrier req=1\n0 compute 2000\n0 wait req=1\n0 alltoall 32 32 6 6\n"
	                 "0 gather 24 24 1 6 6\n0 allgatherv 5 5 5 6 6\n"
	                 "0 isend 1 4 8 6 req=3\n0 wait req=3\n0 finalize\n"
	                 "1 init\n1 compute 15000\n1 sendRecv 40 0 100000000 0 6 6 tags=9,9\n"
	                 "1 ibarrier req=1\n1 compute 2000\n1 wait req=1\n1 alltoall 32 32 6 6\n"
	                 "1 gather 24 24 1 6 6\n1 allgatherv 5 5 5 6 6\n"
	                 "1 irecv 0 4 8 6 req=0\n1 wait req=0\n1 finalize\n");
}

/* --- Paraver --- */

#define HEAD3 "#Paraver (23/11/2026 at 04:20):900_ns:1(3):1:3(1:1,1:1,1:1),2\nc:1:1:3:1:2:3\n"
#define EVENT(task, ns, type, value) "2:1:1:" #task ":1:" #ns ":" #type ":" #value "\n"
#define CALL(task, in, out, type, value) EVENT(task, in, type, value) EVENT(task, out, type, 0)
#define COLL(task, in, out, value, sent, got, more) \
	"2:1:1:" #task ":1:" #in ":50000002:" #value ":50100001:" #sent ":50100002:" #got more \
	"\n" EVENT(task, out, 50000002, 0)
#define ALL(M, ...) M(1, __VA_ARGS__) M(2, __VA_ARGS__) M(3, __VA_ARGS__)

/* No .pcf: the numbers are Extrae's. */
static void paraver(void **state)
{
	static const char *const told[] = {
	    "left out, with its time: one-sided communication", "left out, with its time: files",
	    "left out, with its time: collectives among neighbours",
	    "event 50000003:999, a function of MPI that neither", NULL};
	const char *path;

	(void)state;
	/* clang-format off */
	path = tmp_write(&tmp, "strange.prv",
	    HEAD3 "c:1:2:2:3:1\n"
	    ALL(CALL, 0, 10, 50000003, 31)
	    /* MPI_Ibcast in communicator 2 (tasks 3, 1) from task 1, told before it */
	    COLL(1, 20, 25, 157, 8, 0, ":50100003:1:50100004:2")
	    COLL(3, 20, 25, 157, 0, 8, ":50100004:2")
	    CALL(1, 35, 40, 50000001, 6) CALL(3, 35, 40, 50000001, 6)
	    /* gather to task 2: 24 bytes are three blocks; scatter from task 1 as well */
	    COLL(1, 40, 50, 13, 8, 0, ":50100004:1")
	    COLL(2, 40, 50, 13, 8, 24, ":50100003:1:50100004:1")
	    COLL(3, 40, 50, 13, 8, 0, ":50100004:1")
	    COLL(1, 50, 60, 15, 24, 8, ":50100003:1:50100004:1")
	    COLL(2, 50, 60, 15, 0, 8, ":50100004:1")
	    COLL(3, 50, 60, 15, 0, 8, ":50100004:1")
	    /* MPI_Alltoallw: sums */
	    ALL(COLL, 60, 70, 170, 12, 12, ":50100004:1")
	    /* MPI_Put, MPI_File_write, MPI_Neighbor_alltoall, what no one knows */
	    ALL(CALL, 70, 80, 50000004, 65) ALL(CALL, 80, 90, 50000005, 145)
	    ALL(COLL, 90, 100, 178, 4, 4, ":50100004:1") ALL(CALL, 100, 110, 50000003, 999)
	    /* MPI_Mprobe, MPI_Mrecv */
	    CALL(1, 120, 130, 50000001, 1) CALL(2, 110, 120, 50000001, 190)
	    CALL(2, 120, 140, 50000001, 192) CALL(2, 145, 150, 50000001, 6)
	    "3:1:1:1:1:120:121:2:1:2:1:120:139:56:3\n"
	    ALL(CALL, 150, 160, 50000003, 32));
	/* clang-format on */
	notices_have(path, 1, told);
	becomes(path, "0 init\n0 comm_create_group comm=2.0 members=2,0 agreed=1\n0 compute 10\n"
	              "0 ibcast 8 1 6 comm=2.0 req=1\n0 compute 10\n0 wait req=1\n"
	              "0 gather 8 8 1 6 6\n0 scatter 8 8 0 6 6\n0 alltoallv 12 4 4 4 12 4 4 4 6 6\n"
	              "0 compute 10\n0 send 1 3 56 6\n0 compute 20\n0 finalize\n"
	              "1 init\n1 compute 30\n"
	              "1 gather 8 8 1 6 6\n1 scatter 8 8 0 6 6\n1 alltoallv 12 4 4 4 12 4 4 4 6 6\n"
	              "1 recv 0 3 56 6\n1 compute 5\n1 finalize\n"
	              "2 init\n2 comm_create_group comm=2.0 members=2,0 agreed=1\n2 compute 10\n"
	              "2 ibcast 8 1 6 comm=2.0 req=1\n2 compute 10\n2 wait req=1\n"
	              "2 gather 8 8 1 6 6\n2 scatter 8 8 0 6 6\n2 alltoallv 12 4 4 4 12 4 4 4 6 6\n"
	              "2 compute 40\n2 finalize\n");
}

/* MPI_Init, event 777, which only the .pcf names, MPI_Finalize: made with gzip. */
static void paraver_packed(void **state)
{
	static const unsigned char packed_prv[] = {
	    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0x55, 0x8d, 0xb1,
	    0x0a, 0x80, 0x30, 0x0c, 0x44, 0x77, 0xbf, 0xa2, 0xe0, 0xd2, 0x82, 0xd0, 0x5c,
	    0xd2, 0x5a, 0xc8, 0x57, 0xf8, 0x07, 0xd2, 0xc1, 0xd5, 0xa1, 0x8a, 0xdf, 0x2f,
	    0xed, 0x20, 0x31, 0x19, 0x42, 0xee, 0xdd, 0x71, 0xf3, 0x56, 0x5b, 0x7d, 0x8e,
	    0xe6, 0x3c, 0x4b, 0x04, 0x22, 0x13, 0xaf, 0xae, 0xde, 0x8e, 0x92, 0x32, 0x05,
	    0x15, 0xa2, 0xfd, 0xbc, 0x14, 0x1e, 0x41, 0xd1, 0x8f, 0x22, 0x2c, 0x34, 0x71,
	    0x7f, 0xc6, 0x92, 0x66, 0x1a, 0x23, 0x2a, 0x30, 0x3a, 0x0c, 0xb0, 0x7e, 0xfe,
	    0x74, 0x68, 0x29, 0xc5, 0x10, 0x31, 0xc4, 0x26, 0x92, 0xad, 0x60, 0x03, 0xf2,
	    0xaf, 0xe2, 0x05, 0x01, 0xed, 0x4f, 0x9b, 0xc9, 0x00, 0x00, 0x00};
	static const char *const told[] = {"MPI_Ssend of which no message is recorded", NULL};

	(void)state;
	tmp_write(&tmp, "z.pcf",
	          "EVENT_TYPE\n9   50000001    MPI Point-to-point\nVALUES\n"
	          "777   MPI_Ssend\n\n");
	notices_have(tmp_write_n(&tmp, "z.prv.gz", packed_prv, sizeof packed_prv), 0, told);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tau), cmocka_unit_test(paraver),
	                                   cmocka_unit_test(paraver_packed)};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
