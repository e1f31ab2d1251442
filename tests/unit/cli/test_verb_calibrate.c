/* What `orrery calibrate` prints, writes and refuses, where nothing of a machine is measured. */
#include "verb.h"

#include <math.h>
#include <sys/stat.h>

/* --- which option is for what --- */

static void an_option_without_effect_is_refused(void **state)
{
	struct ran r;

	(void)state;
	REFUSED(&r, "calibrate kernel takes no --cabinets, which is for: network", "calibrate",
	        "kernel", "--cabinets", "2x2");
	REFUSED(&r, "calibrate noise takes no --mpicc", "calibrate", "noise", "--mpicc", "cc");
	REFUSED(&r, "calibrate network takes no --json", "calibrate", "network", "--json");
	REFUSED(&r, "calibrate all of a machine takes no --seed", "calibrate", "--seed", "3");
	REFUSED(&r, "'twice' is one word too many", "calibrate", "memory", "twice");
	REFUSED(&r, "'everything' is none of network, cpu", "calibrate", "everything");
	REFUSED(&r, "all of a machine is measured by", "calibrate", "-o", "m.xml");
}

static void a_network_is_measured_or_read(void **state)
{
	struct ran r;

	(void)state;
	REFUSED(&r, "how are programs started", "calibrate", "network");
	REFUSED(&r, "either '-- mpirun ...' to measure, or --from", "calibrate", "network",
	        "--from", "x.csv", "--", "mpirun");
	REFUSED(&r, "--samples is of measuring", "calibrate", "network", "--from", "x.csv",
	        "--samples", "100");
	REFUSED(&r, "--name takes a word", "calibrate", "network", "--from", "x", "--name", "a<b");
	REFUSED(&r, "--speed takes a speed", "calibrate", "network", "--from", "x", "--speed",
	        "-1Gf");
	REFUSED(&r, "--cabinets is CABINETSxHOSTS", "calibrate", "network", "--from", "x",
	        "--cabinets", "4");
	REFUSED(&r, "--bandwidth takes a positive number", "calibrate", "network", "--from", "x",
	        "--bandwidth", "0");
	REFUSED(&r, "--largest is at most 2147483647 bytes", "calibrate", "network", "--largest",
	        "3GB", "--", "mpirun");
	REFUSED(&r, "cannot write /nonexistent/m.xml", "calibrate", "network", "--from", "x", "-o",
	        "/nonexistent/m.xml");
}

/* --- a network read --- */

/* Round trips of 50 us and 100 MB/s, sends that wait from 65536 bytes on: as a program would have
 * measured them on hosts `a` and `b`, or on `a` alone. */
static const char *measurements(struct tmp *t, const char *name, const char *hosts)
{
	struct str s;
	const char *path;

	str_init(&s);
	str_printf(&s, "# hosts: %s\nop,src,dst,pairs,size,start,duration\n", hosts);
	for (int i = 0; i < 300; i++) {
		double size = floor(pow(10, 6.3 * ((i * 37) % 300 + 0.5) / 300));

		str_printf(&s, "pingpong,0,1,1,%.0f,%.6f,%.9g\n", size, i * 2e-3,
		           2 * (50e-6 + size / 1e8));
		if (i % 3 == 0)
			str_printf(&s, "late_send,0,1,1,%.0f,%.6f,%.9g\n", size, i * 2e-3 + 1e-3,
			           size < 65536 ? 3e-6 : 1e-2 + size / 1e7);
	}
	path = tmp_write_n(t, name, s.s, s.n);
	str_release(&s);
	return path;
}

static void a_platform_of_what_was_read(void **state)
{
	static char text[1 << 16];
	struct tmp t;
	char raw[512], out[512], with[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(raw, sizeof raw, "%s", measurements(&t, "raw.csv", "n-1,n-2"));
	snprintf(with, sizeof with, "%s",
	         tmp_write(&t, "extra",
	                   "# of a processor\nprocessor: A64FX\ncores: 48\n"
	                   "smpi/copy-rate:5e9\n"));
	snprintf(out, sizeof out, "%s/m.xml", t.dir);
	RUN(&r, "calibrate", "network", "--from", raw, "-o", out, "--name", "mine", "--with", with);
	if (r.code < 0 && r.err.kind == ERR_LIMIT)
		skip(); /* built without LAPACK */
	assert_int_equal(r.code, 0);
	PRINTS(r.told, "400 measurements; ");
	PRINTS_NOT(r.told, "one host");
	file_text(out, text, sizeof text);
	PRINTS(text, "name: mine\n");
	PRINTS(text, "processor: A64FX\n");
	PRINTS(text, "core=\"48\"");
	PRINTS(text, "<prop id=\"smpi/copy-rate\" value=\"5e9\"/>");
	RUNS(&r, "platform", "show", out, "--json");
	assert_close(number_after(r.out, "\"hosts\":"), 2, 0);
	RUNS(&r, "platform", "show", out, "--json", "-r", "n-1,n-2");
	assert_close(number_after(r.out, "\"bandwidth\":"), 1e8, 0.01);
	tmp_release(&t);
}

/* As many cores as ranks, if the program did not say how many processors there are. */
static void one_host_has_its_ranks(void **state)
{
	struct tmp t;
	char raw[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(raw, sizeof raw, "%s", measurements(&t, "raw.csv", "a,a,a"));
	RUN(&r, "calibrate", "network", "--from", raw);
	if (r.code < 0 && r.err.kind == ERR_LIMIT)
		skip();
	assert_int_equal(r.code, 0);
	PRINTS(r.out, "core=\"3\"");
	PRINTS(r.told, "all ranks are on one host");
	RUNS(&r, "calibrate", "network", "--from", raw, "--cores", "7", "-q");
	PRINTS(r.out, "core=\"7\"");
	assert_string_equal(r.told, "");
	tmp_release(&t);
}

static void a_wrong_line_of_another_calibration_has_its_place(void **state)
{
	static const struct {
		const char *text, *told;
	} wrong[] = {{"cores: 0\n", "extra:1:"},
	             {"processor: x\nsmpi/osx:3\n", "extra:2:"},
	             {"\n# a comment\nno setting\n", "extra:3:"},
	             {"cores: many\n", "cores: a number"}};
	struct tmp t;
	char raw[512], with[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(raw, sizeof raw, "%s", measurements(&t, "raw.csv", "a,b"));
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		snprintf(with, sizeof with, "%s", tmp_write(&t, "extra", wrong[i].text));
		REFUSED(&r, wrong[i].told, "calibrate", "network", "--from", raw, "--with", with);
	}
	tmp_release(&t);
}

/* --- rates of computation --- */

/* 3e9 instructions in 1.5 s and 1e9 in 1 s: 4e9 / 2.5 s altogether. */
static void rates_by_region(void **state)
{
	static char text[1 << 16];
	struct tmp t;
	char trace[512], out[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	snprintf(trace, sizeof trace, "%s",
	         tmp_write(&t, "a.trace",
	                   "# orrery-trace 1\n# ranks 1\n0 init t=0.1\n0 compute 1e9 t=0.5\n"
	                   "0 compute 2e9 t=1\n0 barrier t=0.1\n0 compute 1e9 t=1\n"
	                   "0 finalize t=0.1\n"));
	snprintf(out, sizeof out, "%s/rates", t.dir);
	RUNS(&r, "calibrate", "cpu", trace, "-o", out);
	assert_close(number_after(r.out, "\nspeed: "), 1.6e9, 1e-5);
	PRINTS(r.told, "these traces have no regions");
	assert_true(strlen(file_text(out, text, sizeof text)) > 0);
	RUNS(&r, "calibrate", "cpu", trace, "--json", "-q");
	PRINTS(r.out, "\"name\":\"MPI_Init to MPI_Barrier\",\"times\":1,\"seconds\":1.5,"
	              "\"rate\":2000000000");
	assert_string_equal(r.told, "");
	REFUSED(&r, "--working-sets has 2 sizes, there are 1 traces", "calibrate", "cpu", trace,
	        "--working-sets", "1e6,2e6");
	REFUSED(&r, "bytes of a process were expected, not 'big'", "calibrate", "cpu", trace,
	        "--working-sets", "big");
	REFUSED(&r, "--volumes was given 2 times, there are 1 traces", "calibrate", "cpu", trace,
	        "--volumes", trace, "--volumes", trace);
	REFUSED(&r, "traces of real runs are wanted", "calibrate", "cpu");
	tmp_release(&t);
}

static void counters_are_not_mixed(void **state)
{
	static const char *const counter[2] = {"perf", "papi"};
	struct tmp t;
	char folder[2][512], path[600];
	struct ran r;

	(void)state;
	tmp_init(&t);
	for (int i = 0; i < 2; i++) {
		char text[256];

		snprintf(folder[i], sizeof folder[i], "%s/%s", t.dir, counter[i]);
		assert_int_equal(mkdir(folder[i], 0700), 0);
		snprintf(text, sizeof text,
		         "# orrery-manifest 1\nranks: 1\ncounter: %s\ncomplete: yes\n", counter[i]);
		snprintf(path, sizeof path, "%s/manifest", counter[i]);
		tmp_write(&t, path, text);
		snprintf(path, sizeof path, "%s/rank-0.tit", counter[i]);
		tmp_write(&t, path,
		          "# orrery-trace 1 ranks=1\n0 init\n0 compute 2e9 t=1\n0 finalize\n");
	}
	RUNS(&r, "calibrate", "cpu", folder[0], folder[0], "-q");
	REFUSED(&r, "its volumes were counted by 'papi', those of the traces before by 'perf'",
	        "calibrate", "cpu", folder[0], folder[1]);
	/* volumes of the first, for both */
	RUNS(&r, "calibrate", "cpu", folder[0], folder[1], "-q", "--volumes", folder[0]);
	tmp_release(&t);
}

/* --- a kernel --- */

/* 1e-6 + 2e-9 mnk, exactly: model 1. */
static void a_kernel_is_a_polynomial(void **state)
{
	struct tmp t;
	struct str s;
	char csv[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	str_init(&s);
	str_puts(&s, "m,n,k,duration\n");
	for (int i = 1; i <= 60; i++)
		str_printf(&s, "%d,%d,%d,%.17g\n", i, 2 * i, 3, 1e-6 + 2e-9 * i * 2 * i * 3);
	snprintf(csv, sizeof csv, "%s", tmp_write_n(&t, "k.csv", s.s, s.n));
	str_release(&s);
	RUN(&r, "calibrate", "kernel", "--from", csv, "--model", "1", "--noise", "0");
	if (r.code < 0 && r.err.kind == ERR_LIMIT)
		skip();
	assert_int_equal(r.code, 0);
	assert_close(number_after(r.out, "\"model\":"), 1, 0);
	assert_close(number_after(r.out, "\"measurements\":"), 60, 0);
	assert_close(number_after(r.out, "\"mnk\":"), 2e-9, 1e-6);
	assert_close(number_after(r.out, "\"1\":"), 1e-6, 1e-6);
	assert_close(number_after(r.out, "\"least_mnk\":"), 6, 0);
	assert_close(number_after(r.out, "\"most_mnk\":"), 60 * 120 * 3, 0);
	REFUSED(&r, "--model", "calibrate", "kernel", "--from", csv, "--model", "3");
	REFUSED(&r, "columns m, n, k, duration", "calibrate", "kernel");
	tmp_release(&t);
}

/* Five hosts with 1e-6 + 2e-9 mnk within a part in a thousand, and a sixth that takes twice as
 * long: it is named, and left out if that is asked for. */
static void a_slow_host(void **state)
{
	struct tmp t;
	struct str s;
	char csv[512];
	struct ran r;

	(void)state;
	tmp_init(&t);
	str_init(&s);
	str_puts(&s, "m,n,k,node,day,duration\n");
	for (int i = 1; i <= 120; i++)
		str_printf(&s, "%d,7,3,n%d,%d,%.17g\n", 1 + i / 12, i % 6, i % 2,
		           (1e-6 + 2e-9 * (1 + i / 12) * 21) * (i % 6 == 4 ? 2 : 1) *
		               (1 + 1e-4 * (i % 11)));
	snprintf(csv, sizeof csv, "%s", tmp_write_n(&t, "k.csv", s.s, s.n));
	str_release(&s);
	RUN(&r, "calibrate", "kernel", "--from", csv, "--model", "1", "--noise", "0", "--by",
	    "node", "--session", "day");
	if (r.code < 0 && r.err.kind == ERR_LIMIT)
		skip();
	assert_int_equal(r.code, 0);
	assert_non_null(strstr(r.out, "\"apart\":true"));
	RUN(&r, "calibrate", "kernel", "--from", csv, "--model", "1", "--noise", "0", "--by",
	    "node", "--session", "day", "--without", "n4");
	assert_int_equal(r.code, 0);
	assert_null(strstr(r.out, "\"apart\":true"));
	assert_null(strstr(r.out, "\"n4\""));
	REFUSED(&r, "nothing tells them apart", "calibrate", "kernel", "--from", csv, "--without",
	        "n4");
	REFUSED(&r, "--without leaves no host", "calibrate", "kernel", "--from", csv, "--by",
	        "node", "--without", "n0,n1,n2,n3,n4,n5");
	REFUSED(&r, "--without leaves out measurements that --from gives", "calibrate", "network",
	        "--without", "n4", "--", "mpirun");
	REFUSED(&r, "no column 'week'", "calibrate", "kernel", "--from", csv, "--session", "week");
	tmp_release(&t);
}

/* --- noise --- */

static void what_noise_refuses(void **state)
{
	struct ran r;

	(void)state;
	REFUSED(&r, "--quantum is a time from 20us to 100ms", "calibrate", "noise", "--quantum",
	        "1us");
	REFUSED(&r, "hold fewer than 1500 quanta", "calibrate", "noise", "--time", "1");
	REFUSED(&r, "--cpus is a list of processors", "calibrate", "noise", "--cpus", "3-1");
	REFUSED(&r, "--cpus is a list of processors", "calibrate", "noise", "--cpus", "0,x");
	REFUSED(&r, "--time", "calibrate", "noise", "--time", "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_option_without_effect_is_refused),
	    cmocka_unit_test(a_network_is_measured_or_read),
	    cmocka_unit_test(a_platform_of_what_was_read),
	    cmocka_unit_test(one_host_has_its_ranks),
	    cmocka_unit_test(a_wrong_line_of_another_calibration_has_its_place),
	    cmocka_unit_test(rates_by_region),
	    cmocka_unit_test(counters_are_not_mixed),
	    cmocka_unit_test(a_kernel_is_a_polynomial),
	    cmocka_unit_test(a_slow_host),
	    cmocka_unit_test(what_noise_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
