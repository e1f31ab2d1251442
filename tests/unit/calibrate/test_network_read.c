/* test_network_read.c: files of measurements, as they come: other orders, quotes, line ends; and
 * what is wrong with those that are refused, with the line. */
#include "test.h"

#include "calibrate/network/network.h"

#include <math.h>
#include <unistd.h>

static int read_bytes(struct net_raw *raw, const char *text, size_t n, struct err *err)
{
	char path[] = "/tmp/orrery-test-XXXXXX";
	int fd = mkstemp(path), r;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
	r = net_raw_read(raw, path, err);
	unlink(path);
	return r;
}

static int read_text(struct net_raw *raw, const char *text, struct err *err)
{
	net_raw_init(raw);
	return read_bytes(raw, text, strlen(text), err);
}

static void one_row_is(struct net_raw *raw)
{
	assert_int_equal(raw->n, 1);
	assert_int_equal(raw->rows[0].op, NET_SEND);
	assert_int_equal(raw->rows[0].src, 2);
	assert_int_equal(raw->rows[0].dst, 3);
	assert_double_is(raw->rows[0].size, 100);
	assert_double_is(raw->rows[0].start, 0.5);
	assert_double_is(raw->rows[0].duration, 1e-5);
}

/* The same measurement in all these spellings. */
static void spellings(void **state)
{
	static const char *const texts[] = {
	    "op,src,dst,pairs,size,start,duration\nsend,2,3,1,100,0.5,1e-5\n",
	    "# a comment\n\nduration,op,size,dst,start,src\n1e-5,send,100,3,0.5,2\n\n",
	    "op,src,dst,pairs,size,start,duration\r\nsend,2,3,1,100,0.5,1e-5\r\n",
	    ("\"op\",\"src\",\"dst\",\"size\",\"start\",\"duration\"\n\"send\",\"2\", \"3\" "
	     ",\"100\",\"0.5\",\"1e-5\"\n"),
	    "\xef\xbb\xbfop , src\t, dst, size, start, duration\n send , 2, 3, 1e2, .5, 0.00001\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct net_raw raw;
		struct err err;

		assert_ok(read_text(&raw, texts[i], &err), err);
		one_row_is(&raw);
		assert_int_equal(raw.notes.n, 0);
		net_raw_release(&raw);
	}
}

#define HEADER "op,src,dst,pairs,size,start,duration\n"

static void refused(void **state)
{
	static const struct {
		const char *text, *part; /* of the message */
	} cases[] = {
	    {HEADER "send,2,3,1,100,0.5,NaN\n",
	     ":2:1: column 'duration': a number that is not negative was expected, not 'NaN'"},
	    {HEADER "send,2,3,1,100,0.5,inf\n", "not 'inf'"},
	    {HEADER "send,2,3,1,100,0.5,NA\n", "not 'NA'"},
	    {HEADER "send,2,3,1,100,0.5,\n", "not ''"},
	    {HEADER "\nsend,2,3,1,-100,0.5,1\n",
	     ":3:1: column 'size': a number that is not negative was expected, not '-100'"},
	    {HEADER "send,2,3,1,100,0.5,-1e-9\n",
	     "column 'duration': a number that is not negative was expected, not '-1e-9'"},
	    {HEADER "send,2,3,1,100,0.5,1e10\n",
	     "column 'duration': 1e+10 is no measurement: at most 1e+09"},
	    {HEADER "send,2.5,3,1,100,0.5,1\n",
	     "column 'src': a whole number was expected, not '2.5'"},
	    {HEADER "send,2,3,1,100.5,0.5,1\n",
	     "column 'size': a whole number was expected, not '100.5'"},
	    {HEADER "send,2,3,1,100,0.5\n",
	     "6 fields, and column 'duration' is number 7: was the file cut?"},
	    {"MPI_Send;1;0.0;1e-6\n", "no comma is in this line"},
	    {HEADER "pingpong,2,3,1,100,0.5,0\n", "a round trip of 0 s"},
	    {HEADER "gather,2,3,1,100,0.5,1\n",
	     "unknown operation 'gather': those of measurements are pingpong, send, "},
	    {HEADER ",2,3,1,100,0.5,1\n", "no operation"},
	    {HEADER "send,2,3,1,\"100,0.5,1\n", ":2:1: a quote is not closed"},
	    {HEADER "send,2,3,1,\"100\"0,0.5,1\n",
	     "after a quoted field a comma was expected, not '0,0.5,1'"},
	    {"op,src,dst,size,start,size,duration\n", "two columns have the name 'size'"},
	    {"op,src,dst,start,duration\n", "the header has no column 'size'"},
	    {"m,n,k,node,duration\n", "no column 'op': these are calls of a kernel, which 'orrery "
	                              "calibrate kernel --from' takes"},
	    {"kind,cpu,quantum,start,value\n", "which 'orrery calibrate noise --from' takes"},
	    {"op;src;dst;size;start;duration\n", "no column 'op', and there is no comma in it"},
	    {"# OSU MPI Latency Test v5.6.2\n# Size  Latency (us)\n0  1.20\n", "OSU and NetPIPE"},
	    {"# Benchmarking PingPong\n #bytes #repetitions t[usec] Mbytes/sec\n", "IMB, OSU"},
	    {"send,2,3,1,100,0.5,1\n", "the header has no column 'op'"},
	    {"# hosts: a,b\n" HEADER "send,0,2,1,100,0.5,1\n",
	     ":3:1: rank 2, and '# hosts:' names those of 2 ranks"},
	    {"# hosts: a,b\n" HEADER "# hosts: a,b\n", "are these several files in one?"},
	    {"MPI_Send,100,0,1e-5\nMPI_Alltoall,100,0,1e-5\n",
	     ":2:1: unknown operation 'MPI_Alltoall'"},
	    {"MPI_Send,100,0\n", "3 fields, and column 'duration' is number 4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct net_raw raw;
		struct err err;

		assert_fails(read_text(&raw, cases[i].text, &err), err, ERR_INPUT, cases[i].part);
		net_raw_release(&raw);
	}
}

static void not_text(void **state)
{
	struct net_raw raw;
	struct err err;

	(void)state;
	net_raw_init(&raw);
	assert_fails(read_bytes(&raw, "op\0src\n", 7, &err), err, ERR_INPUT, "a zero byte");
	net_raw_release(&raw);
}

/* What is read and not used is told; a line that was cut is left out. Of three lines of SimGrid's
 * files one is a round trip of 30 us. */
static void told(void **state)
{
	struct net_raw raw;
	struct err err;

	(void)state;
	assert_ok(read_text(&raw, "op,size,duration,node\nsend,100,1e-5,x\nsend,200,1.2", &err),
	          err);
	assert_int_equal(raw.n, 1);
	assert_non_null(strstr(raw.notes.s, ": columns that are not used: 'node'\n"));
	assert_non_null(strstr(
	    raw.notes.s, ":3: the last line has no end, and may have been cut: it is left out\n"));
	net_raw_release(&raw);
	assert_ok(read_text(&raw,
	                    "MPI_Send,100,0,1e-5\nMPI_Recv,100,0,2e-5\nMPI_Iprobe,100,0,1e-6\n",
	                    &err),
	          err);
	assert_int_equal(raw.n, 2);
	assert_int_equal(raw.rows[1].op, NET_PINGPONG);
	assert_close(raw.rows[1].duration, 3e-5, 1e-15);
	assert_non_null(strstr(raw.notes.s, ": 1 lines of MPI_Iprobe are not used"));
	net_raw_release(&raw);
	assert_ok(read_text(&raw, "", &err), err);
	assert_non_null(strstr(raw.notes.s, ": no measurements in it\n"));
	net_raw_release(&raw);
}

/* Files of one machine: rows say which file, host names must be the same. Without any, or with few
 * round trips, the fit says what is wanted. */
static void several(void **state)
{
	static const char first[] = "# hosts: a,b,a\n# mpi: x\n# hosts: a,b,a\n" HEADER
	                            "pingpong,0,1,1,100,0.5,1e-5\n",
	                  other[] = "# hosts: a,c,a\n" HEADER;
	struct net_raw raw;
	struct net_fit f;
	struct err err;

	(void)state;
	assert_ok(read_text(&raw, first, &err), err);
	assert_ok(read_bytes(&raw, first, sizeof first - 1, &err), err);
	assert_int_equal(raw.n, 2);
	assert_int_equal(raw.rows[0].file, 0);
	assert_int_equal(raw.rows[1].file, 1);
	assert_fails(read_bytes(&raw, other, sizeof other - 1, &err), err, ERR_INPUT,
	             ":1:1: the hosts are not those of the file before");
	assert_fails(net_fit_make(&raw, 0, &f, &err), err, ERR_INPUT,
	             "too few round trips: 2 of 2 measurements");
	raw.rows[0].local = raw.rows[1].local = 1;
	assert_fails(net_fit_make(&raw, 0, &f, &err), err, ERR_INPUT,
	             "too few round trips between hosts: 0; 2 are inside a host");
	assert_int_equal(net_raw_one_host(&raw), 0); /* rank 1 is elsewhere */
	raw.n = 0;
	assert_fails(net_fit_make(&raw, 0, &f, &err), err, ERR_INPUT, "no measurements");
	net_raw_release(&raw);
}

/* A file that is given twice, also with others between: its measurements would count twice. Another
 * one of as many rows is another one. */
static void given_twice(void **state)
{
	struct str text[2];
	struct net_raw raw;
	struct err err;

	(void)state;
	for (int f = 0; f < 2; f++) {
		str_init(&text[f]);
		str_puts(&text[f], HEADER);
		for (int i = 0; i < 10; i++)
			str_printf(&text[f], "pingpong,0,1,1,%d,%d,%.9g\n", 100 + i, i,
			           1e-5 * (1 + f * (i == 9)));
	}
	assert_ok(read_text(&raw, text[0].s, &err), err);
	assert_ok(read_bytes(&raw, text[1].s, text[1].n, &err), err);
	assert_fails(read_bytes(&raw, text[1].s, text[1].n, &err), err, ERR_INPUT,
	             "its measurements are those of a file that was given before");
	net_raw_release(&raw);
	str_release(&text[0]);
	str_release(&text[1]);
}

/* Two ranks on one host, 5 us and 1 GB/s: what is written is that host, whose loopback has them. */
static void one_host(void **state)
{
	struct net_platform p = {.id = "one", .speed = "1Gf", .hosts = 1, .cores = 2};
	struct net_raw raw;
	struct net_fit f;
	struct str text;
	struct err err;

	(void)state;
	str_init(&text);
	str_puts(&text, "# hosts: a,a\n" HEADER);
	for (double s = 1; s < 1e6; s *= 1.1)
		str_printf(&text, "pingpong,0,1,1,%.0f,0,%.9g\n", s,
		           2 * (5e-6 + floor(s + 0.5) / 1e9));
	assert_ok(read_text(&raw, text.s, &err), err);
	assert_int_equal(net_raw_one_host(&raw), 1);
	assert_int_equal(net_host_count(&raw), 1);
	assert_ok(net_fit_make(&raw, 0, &f, &err), err);
	assert_close(f.bandwidth, 1e9, 0.01);
	assert_close(f.latency, 5e-6, 0.01);
	str_clear(&text);
	net_platform_write(&raw, &f, &p, &text);
	assert_non_null(strstr(text.s, "radical=\"0-0\""));
	assert_non_null(strstr(text.s, "loopback_lat=\""));
	assert_close(strtod(strstr(text.s, "loopback_lat=\"") + strlen("loopback_lat=\""), NULL),
	             5e-6, 0.01);
	str_release(&text);
	net_fit_release(&f);
	net_raw_release(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(spellings), cmocka_unit_test(refused), cmocka_unit_test(not_text),
	    cmocka_unit_test(told),      cmocka_unit_test(several), cmocka_unit_test(given_twice),
	    cmocka_unit_test(one_host),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
