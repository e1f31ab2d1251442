/* What `orrery replay` prints, writes and refuses; and export, diff and info of what it wrote. The
 * times are those of verb.h: 2 s, 1 us, 1016 bytes at 1 GB/s. */
#include "verb.h"

static void several_machines_are_a_table(void **state)
{
	struct files f;
	char slow[256], files[256];
	struct ran r;

	(void)state;
	files_init(&f);
	snprintf(
	    slow, sizeof slow, "%s",
	    tmp_write(
	        &f.tmp, "q.xml",
	        "<platform version='4.1'><zone id='y' routing='Full'><host id='a' speed='1Gf'/>"
	        "<host id='b' speed='1Gf'/><link id='w' bandwidth='500MBps' latency='1us'/>"
	        "<route src='a' dst='b'><link_ctn id='w'/></route></zone></platform>"));
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-p", slow, "-q", "--cfg", PLAIN,
	     "--computation", "none");
	/* 1e-6 + 1016 / 1e9; 1e-6 + 1016 / 5e8 = 3.032e-6, which is 1.504 times as long */
	PRINTS(r.out, "\np                         0.000002016    1.00 ");
	PRINTS(r.out, "\nq                         0.000003032    1.50 ");
	PRINTS_NOT(r.out, "I/O");
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-p", slow, "-q", "--cfg", PLAIN,
	     "--computation", "none", "--json");
	assert_int_equal(r.out[0], '[');
	assert_close(number_after(r.out, "\"simulated_time\":"), 2.016e-6, 1e-9);
	assert_close(number_after(strstr(r.out, "\"simulated_time\":") + 1, "\"simulated_time\":"),
	             3.032e-6, 1e-9);
	/* what nearly all of the time goes to has a column, where there is any of it: 1e6 bytes */
	snprintf(files, sizeof files, "%s",
	         tmp_write(&f.tmp, "files.tit",
	                   "# orrery-trace 1\n0 open /s/x file=0\n0 write 1e6 file=0\n"
	                   "0 close file=0\n"));
	RUNS(&r, "replay", files, "-p", f.machine, "-p", slow, "-q", "--cfg", PLAIN, "--cfg",
	     "storage/file-systems:/s:read=1MBps:write=1MBps");
	PRINTS(r.out, " collective    I/O  waiting\n");
	PRINTS(r.out, "\nq                         1.000000000    1.00 ");
	PRINTS(r.out, "         0.0  100.0      0.0\n");
	REFUSED(&r, "several machines", "replay", f.trace, "-p", f.machine, "-p", slow, "--runs",
	        "3");
	REFUSED(&r, "several machines", "replay", f.trace, "-p", f.machine, "-p", slow, "--csv",
	        "x.csv");
	tmp_release(&f.tmp);
}

static void a_profile_is_a_table_of_calls(void **state)
{
	struct files f;
	char csv[512], text[4096];
	struct ran r;

	(void)state;
	files_init(&f);
	snprintf(csv, sizeof csv, "%s/x.csv", f.tmp.dir);
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation",
	     "volume", "--csv", csv);
	file_text(csv, text, sizeof text);
	PRINTS(text, "rank,function,class,calls,seconds,waiting,bytes\n");
	PRINTS(text, "\n0,computation,compute,1,2,0,0\n");
	PRINTS(text, "\n0,MPI_Send,p2p,1,0,0,1000\n"); /* detached: it has ended when it begins */
	/* it waits for 2 s, until the message begins to move */
	PRINTS(text, "\n1,MPI_Recv,p2p,1,2.000002016");
	assert_close(number_after(text, "\n0,(idle at the end),idle,0,"), 2.016e-6, 1e-6);
	tmp_release(&f.tmp);
}

static void outputs_are_tried_before_the_run(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUN(&r, "replay", f.trace, "-p", f.machine, "--csv", "/nonexistent/x.csv");
	assert_int_equal(r.code, -1);
	PRINTS(r.err.text, "/nonexistent/x.csv");
	assert_string_equal(r.out, "");
	RUN(&r, "replay", f.trace, "-p", f.machine, "--record", "/nonexistent/x.rec");
	assert_int_equal(r.code, -1);
	assert_string_equal(r.out, "");
	tmp_release(&f.tmp);
}

static void where_ranks_run_is_said_once(void **state)
{
	struct files f;
	char hosts[512];
	struct ran r;

	(void)state;
	files_init(&f);
	snprintf(hosts, sizeof hosts, "%s", tmp_write(&f.tmp, "hosts", "a:2\n"));
	REFUSED(&r, "without --map-by", "replay", f.trace, "-p", f.machine, "--hostfile", hosts,
	        "--map-by", "node");
	REFUSED(&r, "without --map-by", "replay", f.trace, "-p", f.machine, "--hostfile", hosts,
	        "--ppn", "2");
	REFUSED(&r, "not 'rack'", "replay", f.trace, "-p", f.machine, "--map-by", "rack");
	/* both on a: it has no way to itself but its loopback, which nobody declared */
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation", "none",
	     "--hostfile", hosts);
	PRINTS_NOT(r.out, "0.000002016");
	tmp_release(&f.tmp);
}

static void what_if_changes_the_machine(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation", "none",
	     "--what-if", "bandwidth=2x");
	PRINTS(r.out, "simulated time: 0.000001508 s"); /* 1e-6 + 1016 / 2e9 */
	PRINTS(r.out, ", what if bandwidth=2x\n");
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation", "none",
	     "--what-if", "latency=0.5x");
	PRINTS(r.out, "simulated time: 0.000001516 s"); /* 0.5e-6 + 1016 / 1e9 */
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-p", f.machine, "-q", "--cfg", PLAIN,
	     "--computation", "none", "--what-if", "latency=0.5x");
	PRINTS(r.out, "\nwhat if, on each machine: latency=0.5x\n");
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation", "none",
	     "--what-if", "latency=0.5x", "--json");
	PRINTS(r.out, "\"what_if\":\"latency=0.5x\"");
	RUNS(&r, "replay", f.trace, "-p", f.machine, "-q", "--cfg", PLAIN, "--computation", "none",
	     "--json");
	PRINTS(r.out, "\"what_if\":null");
	RUN(&r, "replay", f.trace, "-p", f.machine, "--what-if", "colour=2x");
	assert_int_equal(r.code, -1);
	assert_int_equal(r.err.kind, ERR_INPUT);
	tmp_release(&f.tmp);
}

/* --- what a recording becomes --- */

struct recorded {
	struct files f;
	char path[512];
};

static void recorded_init(struct recorded *q)
{
	struct ran r;

	files_init(&q->f);
	snprintf(q->path, sizeof q->path, "%s/run", q->f.tmp.dir);
	RUNS(&r, "replay", q->f.trace, "-p", q->f.machine, "-q", "--cfg", PLAIN, "--computation",
	     "volume", "--record", q->path);
}

static void states_and_messages_as_csv(void **state)
{
	struct recorded q;
	struct ran r;

	(void)state;
	recorded_init(&q);
	RUNS(&r, "export", q.path, "-f", "csv", "-o", "-");
	PRINTS(r.out, "rank,call,start,end,partner,bytes,wait,ended\n");
	PRINTS(r.out, "\n0,computation,0,2,,0,0,1\n");
	PRINTS(r.out, "\n0,MPI_Send,2,2,1,1000,0,1\n");
	assert_close(number_after(r.out, "\n1,MPI_Recv,0,"), 2.000002016, 1e-12);
	RUNS(&r, "export", q.path, "-f", "messages", "-o", "-");
	PRINTS(r.out, "from,to,tag,communicator,bytes,sent,moved,received,collective\n"
	              "0,1,7,0,1000,2,2,2.000002016");
	tmp_release(&q.f.tmp);
}

static void a_window_cuts(void **state)
{
	struct recorded q;
	struct ran r;

	(void)state;
	recorded_init(&q);
	RUNS(&r, "export", q.path, "-f", "csv", "-o", "-", "--ranks", "1-1");
	PRINTS_NOT(r.out, "\n0,");
	PRINTS(r.out, "\n1,MPI_Recv,");
	RUNS(&r, "export", q.path, "-f", "csv", "-o", "-", "--dates", "0.5-1");
	PRINTS(r.out, "\n0,computation,");
	PRINTS_NOT(r.out, "MPI_Send"); /* at 2 s */
	RUNS(&r, "export", q.path, "-f", "csv", "-o", "-", "--ranks", "1");
	PRINTS_NOT(r.out, "\n0,");
	PRINTS(r.out, "\n1,MPI_Recv,");
	REFUSED(&r, "--ranks wants FIRST-LAST", "export", q.path, "--ranks", "1-0");
	REFUSED(&r, "--dates wants FROM-TO", "export", q.path, "--dates", "a-b");
	tmp_release(&q.f.tmp);
}

static void the_form_is_that_of_the_name(void **state)
{
	struct recorded q;
	char path[600], text[65536];
	struct ran r;

	(void)state;
	recorded_init(&q);
	snprintf(path, sizeof path, "%s/x.paje", q.f.tmp.dir);
	RUNS(&r, "export", q.path, "-q", "-o", path);
	PRINTS(file_text(path, text, sizeof text), "%EventDef PajeDefineContainerType");
	RUNS(&r, "export", q.path, "-q"); /* beside the recording, as a page */
	snprintf(path, sizeof path, "%s.html", q.path);
	PRINTS(file_text(path, text, sizeof text), "<html");
	REFUSED(&r, "there is no format 'gif'; there are: html", "export", q.path, "-f", "gif");
	REFUSED(&r, "one recording is wanted", "export");
	REFUSED(&r, "is not a recording", "export", q.f.trace, "-f", "csv", "-o",
	        "-"); /* it is no recording */
	tmp_release(&q.f.tmp);
}

/* A real run that took the same, but for its computation: 2.5 s. */
static void a_real_run_beside_it(void **state)
{
	struct recorded q;
	char real[600];
	struct ran r;

	(void)state;
	recorded_init(&q);
	snprintf(real, sizeof real, "%s",
	         tmp_write(&q.f.tmp, "real.trace",
	                   "# orrery-trace 1 ranks=2\n0 init t=0\n0 compute 2e9 t=2.5\n"
	                   "0 send 1 7 1000 6 t=0\n0 finalize t=0\n1 init t=0\n"
	                   "1 recv 0 7 1000 6 t=2.5\n1 finalize t=0\n"));
	RUN(&r, "diff", q.path, real, "--json", "-q");
	assert_int_equal(r.code, 0);
	assert_int_equal(r.out[0], '{');
	REFUSED(&r, "--outlier takes a positive time", "diff", q.path, real, "--outlier", "-1s");
	tmp_release(&q.f.tmp);
}

/* --- traces --- */

static void who_sends_to_whom(void **state)
{
	struct files f;
	struct ran r;

	(void)state;
	files_init(&f);
	RUNS(&r, "info", f.trace, "--matrix");
	assert_string_equal(r.out, "from,to,messages,bytes\n0,1,1,1000\n");
	RUNS(&r, "info", f.trace);
	PRINTS(r.out, "\nactions    3\n");
	PRINTS(r.out, "\nvolume     2e+09 in all, 0 to 2e+09 a rank\n");
	tmp_release(&f.tmp);
}

static void forms_of_a_trace(void **state)
{
	struct files f;
	char merged[600], folder[600], text[4096];
	struct ran r;

	(void)state;
	files_init(&f);
	snprintf(merged, sizeof merged, "%s/m.trace", f.tmp.dir);
	snprintf(folder, sizeof folder, "%s/folder", f.tmp.dir);
	RUNS(&r, "convert", f.trace, "-o", merged, "--form", "merged");
	assert_string_equal(file_text(merged, text, sizeof text),
	                    "# orrery-trace 1 ranks=2\n# run cceb4d6bd72586aa\n"
	                    "0 compute 2000000000\n0 send 1 7 1000 6\n"
	                    "1 recv 0 7 1000 6\n# end 3\n");
	RUNS(&r, "convert", merged, "-o", folder);
	RUNS(&r, "diff", f.trace, folder); /* 0: they do not differ */
	REFUSED(&r, "exists", "convert", f.trace, "-o", merged, "--form", "merged");
	RUNS(&r, "convert", f.trace, "-o", merged, "--form", "merged", "--force");
	REFUSED(&r, "not 'zip'", "convert", f.trace, "-o", "x", "--form", "zip");
	REFUSED(&r, "--precision needs --form compressed", "convert", f.trace, "-o", "x",
	        "--precision", "50");
	REFUSED(&r, "give one trace and -o PATH", "convert", f.trace);
	tmp_write(&f.tmp, "m.trace",
	          "# orrery-trace 1 ranks=2\n0 send 1 7 1000 6\n"
	          "1 recv 0 7 1000 6\n1 barrier\n0 barrier\n");
	RUN(&r, "diff", f.trace, merged);
	assert_int_equal(r.code, 1); /* they differ */
	tmp_release(&f.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(several_machines_are_a_table),
	    cmocka_unit_test(a_profile_is_a_table_of_calls),
	    cmocka_unit_test(outputs_are_tried_before_the_run),
	    cmocka_unit_test(where_ranks_run_is_said_once),
	    cmocka_unit_test(what_if_changes_the_machine),
	    cmocka_unit_test(states_and_messages_as_csv),
	    cmocka_unit_test(a_window_cuts),
	    cmocka_unit_test(the_form_is_that_of_the_name),
	    cmocka_unit_test(a_real_run_beside_it),
	    cmocka_unit_test(who_sends_to_whom),
	    cmocka_unit_test(forms_of_a_trace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
