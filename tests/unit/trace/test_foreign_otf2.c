/* test_foreign_otf2.c: an archive written with libotf2 as Score-P writes it: sums of collectives,
 * a receive that tells its source when it completes, a metric before each entry and exit. */
#include "foreign_text.h"

#include "trace/foreign/foreign.h"

#ifndef ORRERY_HAVE_OTF2
int main(void)
{
	puts("skipped: libotf2 is missing (Debian: libotf2-trace-dev)");
	return 77;
}
#else
#include <otf2/otf2.h>
#include <sys/resource.h>

static struct tmp tmp;

enum { RANKS = 2 };
enum name {
	EMPTY,
	SCOREP_NODE,
	COUNTER,
	SEND,
	IRECV,
	WAIT,
	GATHER,
	FINALIZE,
	INIT,
	ALLREDUCE,
	IBARRIER,
	INIT_THREAD,
	PUT,
	FILE_WRITE,
	CANCEL,
	IBCAST,
	MAIN,
	NAMES
};
static const char *const names[NAMES] = {"",
                                         "node",
                                         "PAPI_TOT_INS",
                                         "MPI_Send",
                                         "MPI_Irecv",
                                         "MPI_Wait",
                                         "MPI_Gather",
                                         "MPI_Finalize",
                                         "MPI_Init",
                                         "MPI_Allreduce",
                                         "MPI_Ibarrier",
                                         "MPI_Init_thread",
                                         "MPI_Rput",
                                         "MPI_File_write_at",
                                         "MPI_Cancel",
                                         "MPI_Ibcast",
                                         "main"};

static OTF2_FlushType flush(void *user, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static OTF2_TimeStamp now(void *user, OTF2_FileType type, OTF2_LocationRef location)
{
	(void)user, (void)type, (void)location;
	return 0;
}

static int groupless; /* no group says which locations are ranks; process 0 has two threads */
static uint32_t first_region = SEND; /* those before are not defined */

static void definitions(OTF2_Archive *archive, const uint64_t *events)
{
	OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(archive);
	uint64_t all[RANKS] = {0, 1};
	OTF2_MetricMemberRef member = 0;

	OTF2_GlobalDefWriter_WriteClockProperties(w, 1000000, 0, 1000, OTF2_UNDEFINED_TIMESTAMP);
	for (uint32_t i = 0; i < NAMES; i++)
		OTF2_GlobalDefWriter_WriteString(w, i, names[i]);
	for (uint32_t i = first_region; i < NAMES; i++)
		OTF2_GlobalDefWriter_WriteRegion(w, i, i, i, EMPTY, OTF2_REGION_ROLE_POINT2POINT,
		                                 OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE, EMPTY, 0,
		                                 0);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(w, 0, SCOREP_NODE, EMPTY,
	                                         OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < RANKS; i++) {
		OTF2_GlobalDefWriter_WriteLocationGroup(w, i, EMPTY,
		                                        OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
		                                        OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocation(w, i, EMPTY, OTF2_LOCATION_TYPE_CPU_THREAD,
		                                   events[i], i);
	}
	if (groupless)
		OTF2_GlobalDefWriter_WriteLocation(w, RANKS, EMPTY, OTF2_LOCATION_TYPE_CPU_THREAD,
		                                   0, 0);
	else
		OTF2_GlobalDefWriter_WriteGroup(w, 0, EMPTY, OTF2_GROUP_TYPE_COMM_LOCATIONS,
		                                OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, RANKS,
		                                all);
	OTF2_GlobalDefWriter_WriteGroup(w, 1, EMPTY, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
	                                OTF2_GROUP_FLAG_NONE, RANKS, all);
	OTF2_GlobalDefWriter_WriteComm(w, 0, EMPTY, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
	OTF2_GlobalDefWriter_WriteMetricMember(w, 0, COUNTER, EMPTY, OTF2_METRIC_TYPE_PAPI,
	                                       OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
	                                       OTF2_BASE_DECIMAL, 0, EMPTY);
	OTF2_GlobalDefWriter_WriteMetricClass(w, 0, 1, &member, OTF2_METRIC_SYNCHRONOUS_STRICT,
	                                      OTF2_RECORDER_KIND_CPU);
}

/* Entering and leaving: each with the instructions so far. */
static void edge(OTF2_EvtWriter *w, int enter, uint32_t region, uint64_t us, uint64_t instructions)
{
	OTF2_Type type = OTF2_TYPE_UINT64;
	OTF2_MetricValue value = {.unsigned_int = instructions};

	OTF2_EvtWriter_Metric(w, NULL, us, 0, 1, &type, &value);
	if (enter)
		OTF2_EvtWriter_Enter(w, NULL, us, region);
	else
		OTF2_EvtWriter_Leave(w, NULL, us, region);
}

static void gather(OTF2_EvtWriter *w, uint64_t us, uint64_t sent, uint64_t received)
{
	OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, us);
	OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, us, OTF2_COLLECTIVE_OP_GATHER, 0, 1, sent,
	                                received);
}

static void rank_events(OTF2_EvtWriter *w, uint32_t rank)
{
	edge(w, 1, INIT, 10, 5);
	edge(w, 0, INIT, 20, 100);
	if (rank == 0) { /* 30 us, 4,000 instructions */
		edge(w, 1, SEND, 50, 4100);
		OTF2_EvtWriter_MpiSend(w, NULL, 51, 1, 0, 9, 4096);
		edge(w, 0, SEND, 60, 4200);
	} else {
		edge(w, 1, IRECV, 20, 100);
		OTF2_EvtWriter_MpiIrecvRequest(w, NULL, 21, 77);
		edge(w, 0, IRECV, 22, 200);
		edge(w, 1, WAIT, 22, 200);
		OTF2_EvtWriter_MpiIrecv(w, NULL, 61, 0, 0, 9, 4096, 77);
		edge(w, 0, WAIT, 62, 300);
	}
	/* 8 bytes each: the root receives the sum */
	edge(w, 1, GATHER, 70, 5000);
	gather(w, 71, 8, rank == 1 ? 16 : 0);
	edge(w, 0, GATHER, 80, 6000);
	edge(w, 1, ALLREDUCE, 80, 6000);
	OTF2_EvtWriter_MpiCollectiveBegin(w, NULL, 80);
	OTF2_EvtWriter_MpiCollectiveEnd(w, NULL, 81, OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
	                                OTF2_COLLECTIVE_ROOT_NONE, 48, 48);
	edge(w, 0, ALLREDUCE, 82, 6000);
	edge(w, 1, IBARRIER, 82, 6000);
	OTF2_EvtWriter_NonBlockingCollectiveRequest(w, NULL, 82, 78);
	edge(w, 0, IBARRIER, 82, 6000);
	edge(w, 1, WAIT, 82, 6000);
	OTF2_EvtWriter_NonBlockingCollectiveComplete(w, NULL, 83, OTF2_COLLECTIVE_OP_BARRIER, 0,
	                                             OTF2_COLLECTIVE_ROOT_NONE, 0, 0, 78);
	edge(w, 0, WAIT, 84, 6000);
	edge(w, 1, FINALIZE, 84, 6000);
	edge(w, 0, FINALIZE, 90, 6000);
}

static void call(OTF2_EvtWriter *w, uint32_t region, uint64_t us, uint64_t instructions)
{
	edge(w, 1, region, us, instructions);
	edge(w, 0, region, us + 1, instructions);
}

/* What has no place in a trace of ours, or no message: a receive that is cancelled, windows, files,
 * a time in which nothing was measured; collectives without a record, as older archives have them.
 */
static void strange_events(OTF2_EvtWriter *w, uint32_t rank)
{
	call(w, INIT_THREAD, 10, 0);
	edge(w, 1, IRECV, 20, 100);
	OTF2_EvtWriter_MpiIrecvRequest(w, NULL, 21, 5);
	edge(w, 0, IRECV, 22, 100);
	call(w, CANCEL, 22, 100);
	edge(w, 1, WAIT, 23, 100);
	OTF2_EvtWriter_MpiRequestCancelled(w, NULL, 24, 5);
	edge(w, 0, WAIT, 25, 100);
	call(w, IBARRIER, 25, 100);
	call(w, ALLREDUCE, 26, 100);
	edge(w, 1, IBCAST, 27, 100); /* never complete: not known what it is */
	OTF2_EvtWriter_NonBlockingCollectiveRequest(w, NULL, 27, 6);
	edge(w, 0, IBCAST, 28, 100);
	call(w, PUT, 30, 300);
	call(w, FILE_WRITE, 40, 600);
	OTF2_EvtWriter_MeasurementOnOff(w, NULL, 50, OTF2_MEASUREMENT_OFF);
	OTF2_EvtWriter_MeasurementOnOff(w, NULL, 150, OTF2_MEASUREMENT_ON);
	if (rank == 1) { /* and once more */
		OTF2_EvtWriter_MeasurementOnOff(w, NULL, 152, OTF2_MEASUREMENT_OFF);
		OTF2_EvtWriter_MeasurementOnOff(w, NULL, 158, OTF2_MEASUREMENT_ON);
	}
	call(w, FINALIZE, 160, 1000);
}

static void archive_write(void (*events_of)(OTF2_EvtWriter *w, uint32_t rank))
{
	static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush,
	                                            .otf2_post_flush = now};
	OTF2_Archive *a = OTF2_Archive_Open(tmp.dir, "traces", OTF2_FILEMODE_WRITE, 1 << 20,
	                                    4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	uint64_t events[RANKS];

	assert_non_null(a);
	OTF2_Archive_SetFlushCallbacks(a, &flushes, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(a);
	OTF2_Archive_SetCreator(a, "Score-P 8.0");
	OTF2_Archive_SetProperty(a, "ORRERY::TEST", "yes", true);
	OTF2_Archive_OpenEvtFiles(a);
	for (uint32_t i = 0; i < RANKS; i++) {
		OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, i);

		events_of(w, i);
		OTF2_EvtWriter_GetNumberOfEvents(w, &events[i]);
		OTF2_Archive_CloseEvtWriter(a, w);
	}
	OTF2_Archive_CloseEvtFiles(a);
	OTF2_Archive_OpenDefFiles(a);
	for (uint32_t i = 0; i < RANKS; i++)
		OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, i));
	OTF2_Archive_CloseDefFiles(a);
	definitions(a, events);
	assert_int_equal(OTF2_Archive_Close(a), OTF2_SUCCESS);
}

static void archive_is(void)
{
	tmp_release(&tmp);
	tmp_init(&tmp);
	archive_write(rank_events);
	foreign_is(tmp_path(&tmp, "traces.otf2"),
	           "0 init\n0 compute 4000\n0 send 1 9 4096 6\n0 compute 800\n"
	           "0 gather 8 8 1 6 6\n0 allreduce 24 0 6\n0 ibarrier req=0\n0 wait req=0\n"
	           "0 finalize\n"
	           "1 init\n1 irecv 0 9 4096 6 req=0\n1 wait req=0\n1 compute 4700\n"
	           "1 gather 8 8 1 6 6\n1 allreduce 24 0 6\n1 ibarrier req=1\n1 wait req=1\n"
	           "1 finalize\n");
}

static void archive(void **state)
{
	struct trace_manifest m;
	struct trace *t;
	struct err err;

	(void)state;
	archive_is();
	t = trace_open(tmp_path(&tmp, "traces.otf2"), 0, &err);
	assert_non_null(t);
	assert_ok(trace_manifest_get(t, &m, &err), err);
	assert_int_equal(trace_manifest_unit(&m), VOLUME_INSTRUCTIONS);
	trace_manifest_release(&m);
	trace_close(t);
}

static void first_threads_are_ranks(void **state)
{
	(void)state;
	groupless = 1;
	archive_is();
	groupless = 0;
}

static void strange(void **state)
{
	struct trace *t;
	struct err err;

	(void)state;
	tmp_release(&tmp); /* libotf2 does not write over an archive */
	tmp_init(&tmp);
	archive_write(strange_events);
	foreign_is(tmp_path(&tmp, "traces.otf2"),
	           "0 init\n0 compute 100\n0 compute 200\n0 compute 300\n0 compute 400\n"
	           "0 finalize\n"
	           "1 init\n1 compute 100\n1 compute 200\n1 compute 300\n1 compute 400\n"
	           "1 finalize\n");
	t = trace_open(tmp_path(&tmp, "traces.otf2"), 0, &err);
	assert_non_null(t);
	assert_string_equal(
	    trace_notices(t),
	    "left out, with its time: the non-blocking form of MPI_Barrier, of which the archive "
	    "has no record (newer versions of Score-P write one)\n"
	    "left out, with its time: MPI_Allreduce, of which the archive has no record\n"
	    "left out, with its time: one-sided communication (MPI_Put and its like)\n"
	    "left out, with its time: files (MPI_File_open and its like)\n"
	    "left out, with its time: the non-blocking form of MPI_Bcast, of which the archive "
	    "has no record (newer versions of Score-P write one)\n"
	    "2 of 2 ranks were not measured all the time, rank 1 the longest, for 0.000106 s "
	    "(Score-P's measurement was off): what they called then is missing, that time is "
	    "computation\n");
	trace_close(t);
}

static void nothing_called(OTF2_EvtWriter *w, uint32_t rank)
{
	(void)rank;
	edge(w, 1, MAIN, 10, 100);
	edge(w, 0, MAIN, 20, 200);
}

/* A program without MPI, or one whose calls of MPI were not measured: no time of 0 s. */
static void without_mpi(void **state)
{
	(void)state;
	tmp_release(&tmp);
	tmp_init(&tmp);
	first_region = MAIN;
	archive_write(nothing_called);
	first_region = SEND;
	foreign_fails(tmp_path(&tmp, "traces.otf2"),
	              "no function of MPI is in this archive: its program did not use MPI, or MPI "
	              "was not measured");
}

/* More than a chunk (1 MiB), all at date 0, which libotf2 3.0 reads again and again. */
static void timeless_events(OTF2_EvtWriter *w, uint32_t rank)
{
	(void)rank;
	for (uint32_t i = 0; i < 60000; i++)
		edge(w, i % 2 == 0, SEND, 0, 5);
}

static void reading_ends(void **state)
{
	(void)state;
	tmp_release(&tmp);
	tmp_init(&tmp);
	archive_write(timeless_events);
	foreign_fails(tmp_path(&tmp, "traces.otf2"),
	              "location 0 has more than the 120000 events of its definition");
}

static void cancel_events(OTF2_EvtWriter *w, uint32_t rank)
{
	(void)rank;
	edge(w, 1, INIT, 10, 100);
	edge(w, 0, INIT, 20, 100);
	edge(w, 1, CANCEL, 30, 200);
	edge(w, 0, CANCEL, 40, 300);
	edge(w, 1, FINALIZE, 50, 400);
	edge(w, 0, FINALIZE, 60, 500);
}

/* Rank 1's date of 40 us becomes 1,000,040: libotf2 would not write that, and reads it. */
static void date_damage(const char *path)
{
	static const char was[9] = {5, 40}; /* a date is a byte 5 and eight bytes */
	const uint64_t late = 1000040;
	char bytes[4096], *at;
	FILE *f = fopen(path, "rb+");
	size_t n;

	assert_non_null(f);
	n = fread(bytes, 1, sizeof bytes, f);
	at = memmem(bytes, n, was, sizeof was);
	assert_non_null(at);
	fseek(f, at + 1 - bytes, SEEK_SET);
	fwrite(&late, 1, sizeof late, f);
	fclose(f);
}

static void back(void **state)
{
	(void)state;
	tmp_release(&tmp);
	tmp_init(&tmp);
	archive_write(cancel_events);
	foreign_notes(tmp_path(&tmp, "traces.otf2"), "");
	date_damage(tmp_path(&tmp, "traces/1.evt"));
	foreign_notes(tmp_path(&tmp, "traces.otf2"),
	              "dates that go back: 1, the first in rank 1 from 1.00004 s to 5e-05 s: its "
	              "clock was set, or the trace is damaged there; what was computed around it "
	              "is not known\n");
}

/* Rank 0: 4,000 instructions in 30 us, 5,000 fewer in 15 us, 800 in 6 us: 4,800 in 36 us are 2,000
 * in 15. Rank 1 has no other computation: what rank 0 has a second, 1,333.33 in 10 us. */
static void counter_back_events(OTF2_EvtWriter *w, uint32_t rank)
{
	call(w, INIT, 19, 5000);
	if (rank == 0) {
		call(w, CANCEL, 50, 9000);
		call(w, CANCEL, 66, 4000);
		call(w, FINALIZE, 73, 4800);
	} else {
		call(w, FINALIZE, 30, 4000);
	}
}

static void counter_back(void **state)
{
	static const char expected[] = "0 init\n0 compute 4000\n0 compute 2000\n0 compute 800\n"
	                               "0 finalize\n1 init\n1 compute 1333.33";
	struct str s;

	(void)state;
	tmp_release(&tmp);
	tmp_init(&tmp);
	archive_write(counter_back_events);
	s = foreign_text(tmp_path(&tmp, "traces.otf2"), 0);
	s.s[sizeof expected - 1] = '\0'; /* further digits */
	assert_string_equal(s.s, expected);
	str_release(&s);
	foreign_notes(
	    tmp_path(&tmp, "traces.otf2"),
	    "computations in which the counter goes back: 2, the first in rank 0: it was "
	    "set, or the trace is damaged there; they are taken to count as much a second "
	    "as the rank's others\n");
}

/* Rank 0: 6,000 instructions in 30 us. Rank 1 counts none in 10 us and in 20 us: 2,000 and 4,000.
 */
static void counter_still_events(OTF2_EvtWriter *w, uint32_t rank)
{
	call(w, INIT, 19, 5000);
	if (rank == 0) {
		call(w, FINALIZE, 50, 11000);
	} else {
		call(w, CANCEL, 30, 5000);
		call(w, FINALIZE, 51, 5000);
	}
}

static void counter_none_events(OTF2_EvtWriter *w, uint32_t rank)
{
	call(w, INIT, 19, 0);
	call(w, FINALIZE, 30 + rank, 0);
}

static void counter_still(void **state)
{
	struct str s;

	(void)state;
	tmp_release(&tmp);
	tmp_init(&tmp);
	archive_write(counter_still_events);
	s = foreign_text(tmp_path(&tmp, "traces.otf2"), 0);
	assert_string_equal(s.s, "0 init\n0 compute 6000\n0 finalize\n1 init\n1 compute 2000\n"
	                         "1 compute 4000\n1 finalize\n");
	str_release(&s);
	foreign_notes(tmp_path(&tmp, "traces.otf2"),
	              "ranks in which the counter never counts: 1, the first is rank 1: they are "
	              "taken to count as much a second as the others\n");
	archive_write(counter_none_events); /* 10 us and 11 us */
	s = foreign_text(tmp_path(&tmp, "traces.otf2"), 0);
	assert_string_equal(s.s, "0 init\n0 compute 10000\n0 finalize\n1 init\n"
	                         "1 compute 11000\n1 finalize\n");
	str_release(&s);
	foreign_notes(
	    tmp_path(&tmp, "traces.otf2"),
	    "ranks in which the counter never counts: 2, the first is rank 0: no other was "
	    "counted: volumes are nanoseconds\n");
}

static void stray_events(OTF2_EvtWriter *w, uint32_t rank)
{
	call(w, INIT, 10, 0);
	if (rank == 1) {
		edge(w, 1, SEND, 20, 100);
		OTF2_EvtWriter_MpiSend(w, NULL, 21, 7, 0, 9, 4096);
		edge(w, 0, SEND, 30, 100);
	}
}

static void place(void **state)
{
	(void)state;
	tmp_release(&tmp);
	tmp_init(&tmp);
	archive_write(stray_events);
	foreign_fails(tmp_path(&tmp, "traces.otf2"),
	              "traces.otf2: location 1: rank 7 of a communicator of 2 ranks is named");
}

static void functions(void **state)
{
	static const struct {
		const char *name;
		int op;
	} are[] = {{"MPI_Send", TRACE_SEND},
	           {"mpi_send", TRACE_SEND},
	           {"MPI_Init_thread", TRACE_INIT},
	           {"MPI_Raccumulate", TRACE_PUT},
	           {"MPI_Win_allocate_shared", TRACE_WIN_CREATE},
	           {"MPI_File_iwrite_at_all", TRACE_FILE_OPEN},
	           {"MPI_Get_count", FOREIGN_NOTHING},
	           {"MPI_", FOREIGN_NOT_MPI},
	           {"main", FOREIGN_NOT_MPI}};

	(void)state;
	for (size_t i = 0; i < sizeof are / sizeof *are; i++)
		assert_int_equal(foreign_op(are[i].name, strlen(are[i].name)), are[i].op);
}

/* Without a descriptor for the events it is no fault of the archive. */
static void descriptors(void **state)
{
	struct rlimit all, few;
	struct trace *t;
	struct err err;
	int next = dup(0);

	(void)state;
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	few = all;
	few.rlim_cur = (rlim_t)next + 1; /* libotf2 keeps the anchor file open */
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	t = trace_open(tmp_path(&tmp, "traces.otf2"), 0, &err);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
	assert_null(t);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, "`ulimit -n` raises that"));
}

static void faults(void **state)
{
	static const char properties[] = "\1\0\0\0ORRERY::"; /* one, and its name */
	char cut[4096], *at;
	FILE *f;
	size_t n;

	(void)state;
	f = fopen(tmp_path(&tmp, "traces.otf2"), "rb");
	assert_non_null(f);
	n = fread(cut, 1, sizeof cut, f);
	fclose(f);
	assert_true(n < sizeof cut);
	at = memmem(cut, n, properties, sizeof properties - 1);
	assert_non_null(at);
	foreign_fails(tmp_write_n(&tmp, "alone.otf2", cut, 64), "alone.otf2");
	cut[n - 3] ^= 1; /* which kind of files the archive has */
	foreign_fails(tmp_write_n(&tmp, "kind.otf2", cut, n), "its anchor file is damaged");
	cut[n - 3] ^= 1;
	memcpy(at, "\0\0\0\x7f", 4); /* libotf2 would look for 2^31 */
	foreign_fails(tmp_write_n(&tmp, "many.otf2", cut, n),
	              "many.otf2 is damaged: 2130706432 properties");
	assert_int_equal(unlink(tmp_path(&tmp, "traces/1.evt")), 0);
	foreign_fails(tmp_path(&tmp, "traces.otf2"),
	              "the events of location 1 cannot be read: No such file or directory");
	assert_int_equal(unlink(tmp_path(&tmp, "traces/1.def")), 0);
	foreign_fails(tmp_path(&tmp, "traces.otf2"),
	              "the definitions of location 1 (1.def) are missing or were cut");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(without_mpi),   cmocka_unit_test(reading_ends),
	    cmocka_unit_test(strange),       cmocka_unit_test(back),
	    cmocka_unit_test(functions),     cmocka_unit_test(counter_back),
	    cmocka_unit_test(counter_still), cmocka_unit_test(place),
	    cmocka_unit_test(archive),       cmocka_unit_test(first_threads_are_ranks),
	    cmocka_unit_test(descriptors),   cmocka_unit_test(faults)};
	int failed;

	tmp_init(&tmp);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	tmp_release(&tmp);
	return failed;
}
#endif
