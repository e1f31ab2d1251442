/* test_processors.c: names of processors; the ratio of two by published figures, worked by hand;
 * and published runs of programs on two processors, which lie within what is said of their ratio.
 */
#include "lib.h"

#include "base/processor.h"

#include <math.h>

static void names_without_their_trimmings(void **state)
{
	static const char *const same[][2] = {
	    {"Intel(R) Xeon(R) CPU           X3440  @ 2.53GHz", "intel xeon x3440"},
	    {"Intel Xeon X3440 @ 2.53GHz", "intel xeon x3440"},
	    {"Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", "intel xeon e5-2680 v3"},
	    {"AMD EPYC 7713 64-Core Processor", "amd epyc 7713"},
	    {"Dual-Core AMD Opteron(tm) Processor 2218", "amd opteron 2218"},
	    {"Intel(R) Core(TM) i7-8700 CPU @ 3.20GHz", "intel core i7-8700"},
	    {"AMD Ryzen 7 4800H with Radeon Graphics", "amd ryzen 7 4800h"},
	    {"", ""},
	};
	char key[128];

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		processor_key(same[i][0], key, sizeof key);
		assert_string_equal(key, same[i][1]);
	}
}

static void the_kernels_word(void **state)
{
	char name[128];

	(void)state;
	processor_name_in("processor\t: 0\nvendor_id\t: x\nmodel\t\t: 17\nmodel name\t: A  B @ 2 "
	                  "\nmodel name\t: C\n",
	                  name, sizeof name);
	assert_string_equal(name, "A  B @ 2");
	processor_name_in("processor\t: 0\nCPU implementer\t: 0x46\nCPU part\t: 0x001\n", name,
	                  sizeof name);
	assert_string_equal(name, "arm 0x46 0x001");
	processor_name_in("processor: 0\n", name, sizeof name);
	assert_string_equal(name, "");
}

/* By the table's figures: alone 1152 and 491, all 2703 of 4 cores and 1036 of 2. */
static void a_ratio_by_hand(void **state)
{
	double alone = 1152.0 / 491, all = (2703.0 / 4) / (1036.0 / 2);
	struct processor_ratio r;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio("Dual-Core AMD Opteron(tm) Processor 2218",
	                                 "Intel(R) Xeon(R) CPU X3440 @ 2.53GHz", &r, &err),
	                 1);
	assert_close(r.ratio, sqrt(alone * all), 1e-9);
	assert_close(r.deviation, hypot(0.1, log(alone / all) / 4), 1e-9);
	assert_non_null(strstr(r.source, "PassMark"));
	assert_int_equal(processor_ratio("AMD Opteron 246", "AMD Opteron 2218", &r, &err), 1);
	assert_close(r.ratio, sqrt(491.0 / 400 * (1036.0 / 2) / 346), 1e-9);
}

static void same_and_unknown(void **state)
{
	struct processor_ratio r;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio("Some (R) Chip", "some chip", &r, &err), 1);
	assert_double_is(r.ratio, 1);
	assert_int_equal(processor_ratio("Some Chip", "Intel Xeon X3440", &r, &err), 0);
	assert_int_equal(processor_ratio("", "", &r, &err), 0);
	assert_int_equal(processor_is_known("AMD EPYC 7A53", &err), 1);
	assert_int_equal(processor_is_known("AMD EPYC", &err), 0);
}

/* Times of one program on two processors, as they were published, and the ratio that follows. 95 %
 * of programs lie within two deviations of ours. */
static void published_runs_lie_within(void **state)
{
	static const struct {
		const char *slow, *fast;
		double seconds_slow, seconds_fast;
		/* source */
	} runs[] = {
	    /* LU of NPB, class B, 64 processes, one a node: G. Markomanolis, PhD thesis, ENS Lyon,
	     * 2014, tables 3.30 (bordereau) and 3.31 (graphene) */
	    {"AMD Opteron 2218", "Intel Xeon X3440", 20.73, 11.52},
	    /* EP of NPB, class B: the same table 3.30: on 64 nodes of bordereau, and on 32 of them
	     * and 32 of gdx, for which all wait */
	    {"AMD Opteron 246", "AMD Opteron 2218", 2.67, 1.99},
	    /* GPAW 0.6, 256 H2O, SCF, 16 processes, both with ACML over Ethernet: GPAW's
	     * documentation, doc/devel/benchmarks, Niflheim */
	    {"AMD Opteron 2218", "Intel Xeon X5570", 563.0, 302.0},
	    /* the same, initialisation */
	    {"AMD Opteron 2218", "Intel Xeon X5570", 190.5, 116.0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		double real = runs[i].seconds_slow / runs[i].seconds_fast;
		struct processor_ratio r;
		struct err err;

		assert_int_equal(processor_ratio(runs[i].slow, runs[i].fast, &r, &err), 1);
		if (fabs(log(real / r.ratio)) > 2 * r.deviation)
			fail_msg("%s to %s: %.3f real, %.3f +- %.0f %%", runs[i].slow, runs[i].fast,
			         real, r.ratio, 200 * r.deviation);
		assert_true(r.deviation < 0.25); /* and it says something */
	}
}

/* A table without a source is refused, and so is a line that is none. */
static void claims_need_sources(void **state)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
	    {"# no source\nA Chip 4 100 300\n", "processors.txt:2:1: a processor without a source"},
	    {"source: s\nA Chip 4 100\n", "processors.txt:2:1: expected NAME cores rating rating"},
	    {"source: s\nA Chip 4 -1 3\n", "expected NAME cores rating rating"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char dir[] = "/tmp/orrery-processors-XXXXXX", path[64];
		struct processor_ratio r;
		struct err err;
		FILE *f;

		assert_non_null(mkdtemp(dir));
		snprintf(path, sizeof path, "%s/processors.txt", dir);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(bad[i].text, f);
		fclose(f);
		setenv("ORRERY_DATA", dir, 1);
		assert_int_equal(processor_ratio("A Chip", "B Chip", &r, &err), -1);
		unsetenv("ORRERY_DATA");
		if (!strstr(err.text, bad[i].part))
			fail_msg("'%s' does not contain '%s'", err.text, bad[i].part);
		unlink(path);
		rmdir(dir);
	}
}

/* Every machine says what its speed counts and whose figure it is, and names its processor. */
static void machines_of_the_catalogue(void **state)
{
	struct catalogue_entry *list;
	struct err err;
	int n = catalogue_list(&list, &err);

	(void)state;
	assert_ok(n, err);
	for (int i = 0; i < n; i++) {
		struct config cfg;
		struct platform_rate rate;

		assert_ok(config_init(&cfg, &err), err);
		struct platform *p = platform_read(list[i].name, &cfg, &err);

		if (!p)
			fail_msg("%s", err.text);
		assert_true(*platform_processor(p));
		assert_true(platform_speed_unit(p) != VOLUME_UNKNOWN);
		for (int u = 0; u < VOLUME_UNITS; u++)
			if (platform_rate(p, (enum volume_unit)u, &rate) && !*rate.source)
				fail_msg("%s: a rate of %s without source", list[i].name,
				         volume_unit_word((enum volume_unit)u));
		platform_free(p);
		config_release(&cfg);
	}
	catalogue_free(list, n);
}

static void header_lines(void **state)
{
	static const struct {
		const char *line, *part;
	} bad[] = {
	    {"speed: parsecs", "speed: expected instructions, flops, seconds or volumes"},
	    {"speed: flops about 5", "speed: expected \"±N %: source\" after the rate"},
	    {"rate-instructions: fast", "rate: expected a rate per second"},
	    {"rate-instructions: -1", "rate: expected a rate per second"},
	};
	struct platform_rate rate;
	struct fixture f;
	char text[512];

	(void)state;
	fixture_must_read(&f,
	                  "<!--\n  processor: X\n  speed: flops ±12.5 %: by a\n    b\n  "
	                  "rate-instructions: 2e9 +-30%: c\n -->"
	                  "<platform version='4.1'><cluster id='c' prefix='' suffix='' radical='0' "
	                  "speed='3f' bw='1' lat='0'/></platform>",
	                  NULL);
	assert_string_equal(platform_processor(f.p), "X");
	assert_int_equal(platform_rate(f.p, VOLUME_FLOPS, &rate), 1);
	assert_double_is(rate.rate, 3);
	assert_double_is(rate.deviation, 0.125);
	assert_string_equal(rate.source, "by a b");
	assert_int_equal(platform_rate(f.p, VOLUME_INSTRUCTIONS, &rate), 1);
	assert_double_is(rate.rate, 2e9);
	assert_double_is(rate.deviation, 0.3);
	assert_int_equal(platform_rate(f.p, VOLUME_SECONDS, &rate), 0);
	fixture_release(&f);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text,
		         "<!--\n  %s\n -->"
		         "<platform version='4.1'><cluster id='c' prefix='' suffix='' radical='0' "
		         "speed='3f' bw='1' lat='0'/></platform>",
		         bad[i].line);
		fixture_read(&f, text, NULL);
		assert_null(f.p);
		if (!strstr(f.err.text, bad[i].part))
			fail_msg("'%s' does not contain '%s'", f.err.text, bad[i].part);
		fixture_release(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(names_without_their_trimmings),
	    cmocka_unit_test(the_kernels_word),
	    cmocka_unit_test(a_ratio_by_hand),
	    cmocka_unit_test(same_and_unknown),
	    cmocka_unit_test(published_runs_lie_within),
	    cmocka_unit_test(claims_need_sources),
	    cmocka_unit_test(machines_of_the_catalogue),
	    cmocka_unit_test(header_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
