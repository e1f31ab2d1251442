/* test_files.c: files: times worked by hand. A disk has a bandwidth for what is read, one for what
 * is written, and both together get at most the larger one; those who want more than there is share
 * alike. T(n) = 30e-6 + (n + 16) / 125e6 is a message between two hosts alone. */
#include "test.h"

#include "sim.h"

#define ONE \
	"network/latency-factor:1 network/bandwidth-factor:1 network/crosstraffic:no " \
	"network/TCP-gamma:0"
#define FLAT SIM_CLUSTER("")
/* Two hosts with a disk each, 100 MB/s to read and 50 MB/s to write; host c reaches a's disk as
 * /remote. */
#define DISKS \
	"<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">" \
	"<host id=\"a\" speed=\"1Gf\" core=\"4\">" \
	"<disk id=\"d\" read_bw=\"100MBps\" write_bw=\"50MBps\"/></host>" \
	"<host id=\"b\" speed=\"1Gf\" core=\"4\">" \
	"<disk id=\"d\" read_bw=\"100MBps\" write_bw=\"50MBps\">" \
	"<prop id=\"mount\" value=\"/home/x\"/></disk></host><host id=\"c\" speed=\"1Gf\">" \
	"<prop id=\"remote_disk\" value=\"/remote:d:a\"/></host>" \
	"<link id=\"l\" bandwidth=\"25MBps\" latency=\"1ms\"/><route src=\"a\" dst=\"b\">" \
	"<link_ctn id=\"l\"/></route><route src=\"a\" dst=\"c\"><link_ctn id=\"l\"/></route>" \
	"<route src=\"b\" dst=\"c\"><link_ctn id=\"l\"/></route></zone></platform>"

static double T(double n)
{
	return 30e-6 + (n + 16) / 125e6;
}

static double run(const char *xml, const char *trace, uint32_t np, const char *settings,
                  const char *hosts)
{
	struct sim s;

	assert_ok(sim_run(&s, xml, trace, np, settings, hosts), s.err);
	return s.time;
}

static void a_disk(void **state)
{
	(void)state;
	/* alone: 100 MB / 100 MB/s; 100 MB / 50 MB/s */
	assert_close(run(DISKS,
	                 "# orrery-trace 1\n0 open /x file=0\n0 read 1e8 file=0\n0 close file=0\n",
	                 1, ONE, "a\n"),
	             1, 1e-12);
	assert_close(run(DISKS,
	                 "# orrery-trace 1\n0 open /x file=0\n0 write 1e8 file=0\n0 close file=0\n",
	                 1, ONE, "a\n"),
	             2, 1e-12);
	/* two readers on one disk: half each; on two disks: none waits */
	assert_close(run(DISKS,
	                 "# orrery-trace 1\n0 open /x file=0\n0 read 1e8 file=0\n1 open /x file=0\n"
	                 "1 read 1e8 file=0\n",
	                 2, ONE, "a\na\n"),
	             2, 1e-12);
	assert_close(run(DISKS,
	                 "# orrery-trace 1\n0 open /home/x/y file=0\n0 read 1e8 file=0\n"
	                 "1 open /home/x/y file=0\n1 read 1e8 file=0\n",
	                 2, ONE, "a\nb\n"),
	             1, 1e-12);
	/* a reader and a writer get half of the 100 MB/s: 50 MB are written after 1 s, and the
	 * reader then has 100 MB/s for its other half */
	assert_close(run(DISKS,
	                 "# orrery-trace 1\n0 open /x file=0\n0 read 1e8 file=0\n1 open /x file=0\n"
	                 "1 write 5e7 file=0\n",
	                 2, ONE, "a\na\n"),
	             1.5, 1e-12);
}

/* b's disk holds /home/x only; what nobody holds takes no time, and is told. */
static void mount_points(void **state)
{
	struct sim s;

	(void)state;
	assert_ok(
	    sim_run(
	        &s, DISKS,
	        "# orrery-trace 1\n0 open /home/xy file=0\n0 read 1e8 file=0\n0 unlink /home/x\n",
	        1, ONE, "b\n"),
	    s.err);
	assert_close(s.time, 0, 1e-15);
	assert_non_null(strstr(s.report, "2 operations on files took no time: the"));
	assert_non_null(strstr(s.report, "/home/xy"));
	assert_ok(sim_run(&s, DISKS, "# orrery-trace 1\n0 unlink /home/xy\n", 1, ONE, "b\n"),
	          s.err);
	assert_non_null(strstr(s.report, "1 operation on files took no time"));
	/* what MPI-IO moves among ranks is spoken of where a program has MPI-IO */
	assert_ok(sim_run(&s, DISKS,
	                  "# orrery-trace 1\n0 file_open /f comm=self file=0\n"
	                  "0 file_close file=0\n",
	                  1, ONE, "b\n"),
	          s.err);
	assert_non_null(strstr(s.report, "took no time of a disk, only that of what MPI-IO"));
	/* the longest mount point that fits */
	assert_close(
	    run(DISKS, "# orrery-trace 1\n0 open /home/x/1 file=0\n0 write 1e8 file=0\n", 1,
	        ONE " storage/file-systems:/:read=1MBps:write=1MBps;/home:read=1MBps:write=1MBps",
	        "b\n"),
	    2, 1e-12);
	assert_close(
	    run(DISKS, "# orrery-trace 1\n0 open /home/1 file=0\n0 write 1e8 file=0\n", 1,
	        ONE " storage/file-systems:/:read=1MBps:write=1MBps;/home:read=1MBps:write=10MBps",
	        "b\n"),
	    10, 1e-12);
}

/* c's /remote is a's disk: through the link, 25 MB/s; a round trip of 2 ms for each operation. */
static void over_the_network(void **state)
{
	(void)state;
	assert_close(run(DISKS, "# orrery-trace 1\n0 open /remote/f file=0\n0 read 5e7 file=0\n", 1,
	                 ONE, "c\n"),
	             4e-3 + 2, 1e-9);
	/* beside one on a itself, whose half of the disk is more than the link: 25 of the 100 MB/s
	 * go to c, 75 to a */
	assert_close(
	    run(DISKS,
	        "# orrery-trace 1\n0 open /remote/f file=0\n0 read 5e7 file=0\n1 sleep 4e-3\n"
	        "1 open /f file=0\n1 read 1.5e8 file=0\n",
	        2, ONE, "c\na\n"),
	    4e-3 + 2, 1e-6);
}

#define SIXTEEN(A) \
	"# orrery-trace 1\n0 open /s/f file=0\n1 open /s/f file=0\n2 open /s/f file=0\n" \
	"3 open /s/f file=0\n0 " A " file=0\n1 " A " file=0\n2 " A " file=0\n3 " A " file=0\n"

static void a_shared_file_system(void **state)
{
	(void)state;
	/* 4 x 100 MB through 50 MB/s; open and write one latency each */
	assert_close(run(FLAT, SIXTEEN("write 1e8"), 4,
	                 ONE " storage/file-systems:/s:read=1GBps:write=50MBps:latency=1ms", NULL),
	             2e-3 + 8, 1e-9);
	/* a host moves at most 25 MB/s: four of them 100 MB/s of the 200 */
	assert_close(run(FLAT, SIXTEEN("read 1e8"), 4,
	                 ONE " storage/file-systems:/s:read=200MBps:write=1MBps:client=25MBps",
	                 NULL),
	             4, 1e-9);
	/* four servers: each file in four parts, or each on the next server: four times 50 MB/s in
	 * both cases */
	assert_close(run(FLAT, SIXTEEN("write 1e8"), 4,
	                 ONE " storage/file-systems:/s:read=1MBps:write=50MBps:servers=4", NULL),
	             2, 1e-9);
	assert_close(run(FLAT, SIXTEEN("write 1e8"), 4,
	                 ONE " storage/file-systems:/s:read=1MBps:write=50MBps:servers=4:stripes=1",
	                 NULL),
	             2, 1e-9);
	/* one byte is on one server */
	assert_close(run(FLAT, "# orrery-trace 1\n0 open /s/f file=0\n0 read 50 file=0\n", 1,
	                 ONE " storage/file-systems:/s:read=50Bps:write=50MBps:servers=4", NULL),
	             1, 1e-9);
	/* ten opens a second: four take 0.4 s */
	assert_close(run(FLAT, SIXTEEN("read 0"), 4,
	                 ONE " storage/file-systems:/s:read=1MBps:write=50MBps:metadata=10", NULL),
	             0.4 + 0.4, 1e-9);
	/* two servers that are hosts, 1 GB/s each: what limits four writers is the links of the
	 * servers, 250 MB/s together */
	assert_close(run(FLAT, SIXTEEN("write 1e8"), 4,
	                 ONE " storage/file-systems:/s:read=1GBps:write=1GBps:servers=h14+h15",
	                 NULL),
	             4 * 30e-6 + 1.6, 1e-6);
}

static void wrong_file_systems(void **state)
{
	static const char *const texts[][2] = {
	    {"scratch:read=1", "begins with where it is mounted"},
	    {"/s:read=1GBps", "needs read= and write="},
	    {"/s:read=1GBps:write=x", "\"x\""},
	    {"/s:read=1:write=1:servers=nobody", "no such host"},
	    {"/s:read=1:write=1:servers=0", "a number from 1"},
	    {"/s:read=1:write=1:colour=red", "there are read, write"},
	    {"/s:read=1:write=1:servers=2:servers=3", "given twice"},
	    {"/s:read", "expected key=value"},
	};
	char settings[256];
	struct sim s;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		snprintf(settings, sizeof settings, "storage/file-systems:%s", texts[i][0]);
		assert_int_equal(sim_run(&s, FLAT, "# orrery-trace 1\n0 init\n", 1, settings, NULL),
		                 -1);
		if (!strstr(s.err.text, texts[i][1]))
			fail_msg("%s: %s", texts[i][0], s.err.text);
	}
	assert_int_equal(sim_run(&s, FLAT, "# orrery-trace 1\n0 read 5 file=0\n", 1, "", NULL), -1);
	assert_non_null(strstr(s.err.text, "read of number 0, which was not made by this rank"));
}

/* --- files of MPI --- */

#define FS ONE " storage/file-systems:/:read=100MBps:write=100MBps:latency=1ms"
#define OPENED "# orrery-trace 1\n0 file_open /f file=0\n1 file_open /f file=0\n"

/* Of two ranks, what follows an open: at the same date on both but for the barrier, which rank 0
 * leaves a T(0) before rank 1. */
static double after(const char *rest, const char *settings)
{
	char text[4096];
	double opened;

	opened = run(FLAT, OPENED, 2, settings, NULL);
	snprintf(text, sizeof text, OPENED "0 sleep 1\n1 sleep 1\n%s", rest);
	return run(FLAT, text, 2, settings, NULL) - opened - 1;
}

static void alone(void **state)
{
	(void)state;
	/* asked; a barrier, which two ranks of MPICH do by one exchange */
	assert_close(run(FLAT, OPENED, 2, FS, NULL), 1e-3 + T(0), 1e-9);
	assert_close(after("1 file_read 1000 6 file=0\n", FS), 1e-3 + 1e-5, 1e-12);
	/* the shared pointer is fetched first */
	assert_close(after("1 file_write_shared 1000 6 file=0\n", FS), 2e-3 + 1e-5, 1e-12);
	/* not waited for before it is needed */
	assert_close(after("1 file_write 1e8 6 file=0 req=0\n1 compute 5e8\n1 wait req=0\n", FS),
	             1e-3 + 1, 1e-9);
	assert_close(after("1 file_write 1e8 6 file=0 req=0\n1 compute 5e9\n1 wait req=0\n", FS), 5,
	             1e-9);
	/* closed: as opened */
	assert_close(after("0 file_close file=0\n1 file_close file=0\n", FS), 1e-3 + T(0), 1e-9);
}

static void by_all(void **state)
{
	(void)state;
	/* where each has its bytes: an allgather, 16 bytes each way; then 2 x 50 MB through 100
	 * MB/s */
	assert_close(after("0 file_write_all 5e7 6 file=0\n1 file_write_all 5e7 6 file=0\n", FS),
	             T(16) + 1e-3 + 1, 1e-6);
	/* in order: the second hears of the first: 8 bytes; then as above */
	assert_close(
	    after("0 file_read_ordered 5e7 6 file=0\n1 file_read_ordered 5e7 6 file=0\n", FS),
	    T(8) + T(16) + 1e-3 + 1, 1e-6);
	/* split: the data move behind the computation */
	assert_close(
	    after("0 file_read_all 5e7 6 file=0 req=3\n1 file_read_all 5e7 6 file=0 req=3\n"
	          "0 wait req=3\n1 wait req=3\n",
	          FS),
	    T(16) + 1e-3 + 1, 1e-6);
}

/* Two phases, one aggregator on each of two hosts: half of what each has goes to the other, at
 * once: T(25 MB); each then writes 50 MB through half of the 100 MB/s; then an allreduce of an int,
 * an exchange, T(4). Reading: the same the other way, without it. */
static void with_holes(void **state)
{
	(void)state;
	assert_close(
	    after("0 file_write_all 5e7 6 file=0 holes=1\n1 file_write_all 5e7 6 file=0 holes=1\n",
	          FS),
	    T(16) + T(2.5e7) + 1e-3 + 1 + T(4), 1e-6);
	assert_close(
	    after("0 file_read_all 5e7 6 file=0 holes=1\n1 file_read_all 5e7 6 file=0 holes=1\n",
	          FS),
	    T(16) + 1e-3 + 1 + T(2.5e7), 1e-6);
	/* one aggregator for all: rank 1's bytes go to rank 0, which writes 100 MB */
	assert_close(
	    after("0 file_write_all 5e7 6 file=0 holes=1\n1 file_write_all 5e7 6 file=0 holes=1\n",
	          FS " storage/aggregators:1"),
	    T(16) + T(5e7) + 1e-3 + 1 + T(4), 1e-6);
	/* one of them in pieces, the other not: all go in two phases */
	assert_close(
	    after("0 file_write_all 5e7 6 file=0 holes=1\n1 file_write_all 5e7 6 file=0\n", FS),
	    T(16) + T(2.5e7) + 1e-3 + 1 + T(4), 1e-6);
	assert_close(
	    after("0 file_read_all 5e7 6 file=0\n1 file_read_all 5e7 6 file=0 holes=1\n", FS),
	    T(16) + 1e-3 + 1 + T(2.5e7), 1e-6);
	/* sizes differ, one is nothing: odd bytes are not lost (rank 0 has 101 bytes: 50 for
	 * itself, 51 for rank 1, at 1 byte/s) */
	assert_close(
	    after("0 file_write_all 101 6 file=0 holes=1\n1 file_write_all 0 6 file=0 holes=1\n",
	          ONE " storage/file-systems:/:read=1Bps:write=1Bps:servers=2:stripes=1"),
	    T(16) + T(51) + 51 + T(4), 1e-6);
	/* twice, not waiting in between */
	assert_close(after("0 file_write_all 5e7 6 file=0 holes=1 req=0\n"
	                   "1 file_write_all 5e7 6 file=0 holes=1 req=0\n"
	                   "0 file_write_all 5e7 6 file=0 holes=1 req=1\n"
	                   "1 file_write_all 5e7 6 file=0 holes=1 req=1\n"
	                   "0 waitall reqs=0,1\n1 waitall reqs=0,1\n",
	                   FS " smpi/progress:async"),
	             2 * T(2.5e7) + 2, 1e-2);
}

static void order_and_ends(void **state)
{
	struct sim s;

	(void)state;
	assert_int_equal(sim_run(&s, FLAT,
	                         OPENED "0 file_write_all 1 6 file=0\n1 file_read_all 1 6 file=0\n",
	                         2, FS, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "calls MPI_File_read_all as collective 2"));
	assert_int_equal(sim_run(&s, FLAT, OPENED "0 file_close file=0\n1 sleep 1\n", 2, FS, NULL),
	                 -1);
	assert_non_null(strstr(s.err.text, "MPI_File_close"));
	/* opened and closed again and again, by some: slots and communicators are used again */
	assert_close(run(FLAT,
	                 "# orrery-trace 1\n0 comm_split comm=0.0 members=0\n"
	                 "1 comm_split comm=1.0 members=1\n"
	                 "0 file_open /f comm=0.0 file=0\n0 file_close file=0\n"
	                 "0 file_open /f comm=0.0 file=0\n0 file_close file=0\n"
	                 "1 file_open /f comm=self file=7\n1 file_sync file=7\n1 file_set file=7\n"
	                 "1 file_close file=7\n",
	                 2, FS " smpi/comm-setup:none", NULL),
	             4e-3, 1e-12);
	/* without a machine that knows files only the talking is left */
	assert_ok(sim_run(&s, FLAT,
	                  OPENED "0 file_write_all 1e9 6 file=0\n1 file_write_all 1e9 6 file=0\n",
	                  2, ONE, NULL),
	          s.err);
	assert_close(s.time, T(0) + T(16), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_disk),
	    cmocka_unit_test(mount_points),
	    cmocka_unit_test(over_the_network),
	    cmocka_unit_test(a_shared_file_system),
	    cmocka_unit_test(wrong_file_systems),
	    cmocka_unit_test(alone),
	    cmocka_unit_test(by_all),
	    cmocka_unit_test(with_holes),
	    cmocka_unit_test(order_and_ends),
	};

	return cmocka_run_group_tests_name("replay/files", tests, NULL, NULL);
}
