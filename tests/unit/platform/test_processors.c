/* test_processors.c: names of processors; the ratio of two by published figures, worked by hand;
 * what stands for a processor that is not there; and published runs of programs on two processors,
 * which lie within what is said of their ratio.
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
	    {"AMD EPYC (AuthenticAMD 25/1/1)", "amd epyc"},
	    {"Intel(R) Xeon(R) CPU @ 2.20GHz (GenuineIntel 6/79/0)", "intel xeon"},
	    {"AMD Ryzen 7 4800H with Radeon Graphics (AuthenticAMD 23/96/1)", "amd ryzen 7 4800h"},
	    {"A Chip (rev 2)", "a chip (rev 2)"},
	    {"13th Gen Intel(R) Core(TM) i9-13900K (GenuineIntel 6/183/1)", "intel core i9-13900k"},
	    {"AMD Ryzen Threadripper PRO 5995WX 64-Cores", "amd ryzen threadripper pro 5995wx"},
	    {"AMD Ryzen AI 9 HX 370 w/ Radeon 890M", "amd ryzen ai 9 hx 370"},
	    {"INTEL(R) XEON(R) PLATINUM 8592+", "intel xeon platinum 8592+"},
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
	assert_string_equal(name, "A  B @ 2"); /* without family: no identification */
	processor_name_in("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel name\t: AMD EPYC\n"
	                  "model\t\t: 1\nstepping\t: 2\n",
	                  name, sizeof name);
	assert_string_equal(name, "AMD EPYC (AuthenticAMD 25/1/2)");
	processor_name_in("vendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel name\t: AMD EPYC\n"
	                  "model\t\t: 1\nstepping\t: unknown\n",
	                  name, sizeof name);
	assert_string_equal(name, "AMD EPYC");
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
	char near[128];
	struct processor_ratio r;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio("Some (R) Chip", "some chip", &r, &err), 1);
	assert_double_is(r.ratio, 1);
	assert_int_equal(processor_ratio("Some Chip", "Intel Xeon X3440", &r, &err), 0);
	assert_int_equal(processor_ratio("", "", &r, &err), 0);
	assert_int_equal(processor_find("AMD EPYC 7A53", near, sizeof near, &err), 1);
	assert_int_equal(processor_find("AMD EPYC", near, sizeof near, &err), 0);
	assert_int_equal(processor_find("EPYC 7713", near, sizeof near, &err), 0);
	assert_string_equal(near, "AMD EPYC 7713"); /* the maker is missing */
	assert_int_equal(processor_find("Intel Xeon Gld 6130", near, sizeof near, &err), 0);
	assert_string_equal(near, "Intel Xeon Gold 6130");
	assert_int_equal(processor_find("Cray-1", near, sizeof near, &err), 0);
	assert_string_equal(near, "");
}

/* A name that is none, on a processor that CPUID calls a Westmere: of two models in the table, 1302
 * and 1391 alone, 5760 and 6095 of 6 cores. */
static void a_generation_by_hand(void **state)
{
	static const char hidden[] = "Intel(R) Xeon(R) CPU @ 2.40GHz (GenuineIntel 6/44/2)";
	double one = sqrt(1302 * (5760 / 6.)), two = sqrt(1391 * (6095 / 6.)),
	       mean = sqrt(one * two);
	double alone = sqrt(1302. * 1391) / 1152, all = sqrt(5760. * 6095) / 6 / (2703 / 4.);
	double spread = log(two / one) / 2;
	char near[128];
	struct processor_ratio r;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio("Intel Xeon X3440", hidden, &r, &err), 1);
	assert_close(r.ratio, mean / sqrt(1152 * (2703 / 4.)), 1e-9);
	assert_close(r.deviation,
	             sqrt(0.01 + pow(log(alone / all) / 4, 2) + spread * spread + 0.04 / 2), 1e-9);
	assert_string_equal(r.generation[0], "");
	assert_string_equal(r.generation[1], "Westmere");
	/* a model that the table lacks, of the same generation */
	assert_int_equal(processor_ratio("Intel(R) Xeon(R) CPU X5690 @ 3.47GHz (GenuineIntel "
	                                 "6/44/2)",
	                                 hidden, &r, &err),
	                 1);
	assert_double_is(r.ratio, 1);
	assert_close(r.deviation, sqrt(0.01 + 2 * (spread * spread + 0.02)), 1e-9);
	/* one of the table is that model, whatever its generation */
	assert_int_equal(processor_ratio("Intel Xeon X3440 (GenuineIntel 6/30/5)",
	                                 "Intel Xeon X5650 (GenuineIntel 6/44/2)", &r, &err),
	                 1);
	assert_close(r.ratio, sqrt(1302. / 1152 * (5760 / 6.) / (2703 / 4.)), 1e-9);
	assert_string_equal(r.generation[1], "");
	assert_int_equal(processor_find(hidden, near, sizeof near, &err), 1);
}

/* Of which only the rating of a core alone is told. In the table: EPYC 9654 3250, Xeon Gold 6130
 * 1880 and 20721 of 16 cores. */
static void one_rating_by_hand(void **state)
{
	double alone = log(1880 / 3250.), all = log(20721 / 16.) - (log(3250) - 0.32);
	struct processor_ratio r;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio("AMD EPYC 9654 96-Core Processor (AuthenticAMD 25/17/1)",
	                                 "Intel Xeon Gold 6130", &r, &err),
	                 1);
	assert_close(r.ratio, exp((alone + all) / 2), 1e-9);
	assert_close(r.deviation, sqrt(0.01 + pow((alone - all) / 4, 2) + 0.13 * 0.13), 1e-9);
	assert_string_equal(r.generation[0], "");
	assert_int_equal(
	    processor_ratio("AMD EPYC 9654", "AMD EPYC (AuthenticAMD 25/17/1)", &r, &err), 1);
	assert_string_equal(r.generation[1], "Genoa (Zen 4)");
	assert_true(r.ratio > 0.8 && r.ratio < 1.25);
	assert_true(r.deviation > 0.2 && r.deviation < 0.3);
}

/* One name, two processors; and one that is told once. */
static void hidden_names_are_not_one_model(void **state)
{
	struct processor_ratio r;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio("AMD EPYC (AuthenticAMD 23/49/0)",
	                                 "AMD EPYC (AuthenticAMD 25/1/1)", &r, &err),
	                 1);
	assert_true(r.ratio > 1 && r.deviation > 0.1);
	assert_int_equal(processor_ratio("AMD EPYC (AuthenticAMD 25/1/1)",
	                                 "AMD EPYC (AuthenticAMD 25/1/1)", &r, &err),
	                 1);
	assert_string_equal(r.source, "the same model");
	assert_int_equal(processor_ratio("AMD EPYC", "AMD EPYC (AuthenticAMD 25/1/1)", &r, &err),
	                 1);
	assert_string_equal(r.source, "the same model");
	/* no generation of the table: 6/8 is not 6/85, and 25/18 not 25/1 */
	assert_int_equal(processor_ratio("X (GenuineIntel 6/8/4)", "Intel Xeon X3440", &r, &err),
	                 0);
	assert_int_equal(processor_ratio("X (AuthenticAMD 25/18/1)", "Intel Xeon X3440", &r, &err),
	                 0);
}

enum { LINE = 512, LINES = 1000 };

struct table {
	char line[LINES][LINE];
	int n;
};

static void table_load(struct table *t)
{
	char path[4096];
	struct err err;

	assert_ok(data_find("processors.txt", path, sizeof path, &err), err);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	for (t->n = 0; t->n < LINES && fgets(t->line[t->n], LINE, f); t->n++)
		;
	fclose(f);
	assert_true(t->n < LINES);
}

/* The table again, without one of its lines, in the folder. */
static void table_put(const struct table *t, int without, const char *dir)
{
	char path[128];

	snprintf(path, sizeof path, "%s/processors.txt", dir);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	for (int i = 0; i < t->n; i++)
		if (i != without)
			fputs(t->line[i], f);
	fclose(f);
}

/* Each model as if it were not in the table: what its generation says of it is as far from its own
 * figures as it claims, for 95 % of them within two deviations (of which a tenth is for programs,
 * and is not counted here). */
static void generations_stand_for_their_models(void **state)
{
	static struct table t;
	char dir[] = "/tmp/orrery-processors-XXXXXX", path[128], cpuid[64] = "";
	int models = 0, far = 0;

	(void)state;
	table_load(&t);
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/processors.txt", dir);
	for (int i = 0; i < t.n; i++) {
		struct processor_ratio known, guessed;
		char name[LINE], hidden[LINE];
		double cores, alone, all;
		struct err err;

		if (sscanf(t.line[i], "generation: %*[^:]: %63[^,\n]", cpuid) == 1 || !*cpuid ||
		    sscanf(t.line[i], "%100[^\n]", name) != 1 || strlen(name) < 40 ||
		    sscanf(t.line[i] + 36, "%lf %lf %lf", &cores, &alone, &all) != 3)
			continue;
		for (size_t k = 36; k > 0 && name[k - 1] == ' '; k--)
			name[k - 1] = '\0';
		int slashes = 0;
		for (const char *c = cpuid; *c; c++)
			slashes += *c == '/';
		snprintf(hidden, sizeof hidden, "hidden (%s%s)", cpuid,
		         slashes == 0   ? "/0/0"
		         : slashes == 1 ? "/0"
		                        : "");
		assert_int_equal(processor_ratio("Intel Core i7-11700", name, &known, &err), 1);
		table_put(&t, i, dir);
		setenv("ORRERY_DATA", dir, 1);
		int r = processor_ratio("Intel Core i7-11700", hidden, &guessed, &err);
		unsetenv("ORRERY_DATA");
		if (r == 0)
			continue; /* the only one of its generation */
		assert_int_equal(r, 1);
		double deviation = sqrt(fmax(guessed.deviation * guessed.deviation - 0.01, 0));
		models++;
		far += fabs(log(known.ratio / guessed.ratio)) > 2 * deviation;
	}
	unlink(path);
	rmdir(dir);
	if (models < 150 || far > models / 20)
		fail_msg("%d of %d models are more than two deviations from their generation", far,
		         models);
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
	    {"source: s\nA Chip 4 100 -\n", "expected NAME cores rating rating"},
	    {"source: s\nA Chip - - -\n", "expected NAME cores rating rating"},
	    {"source: s\ngeneration: Old\n",
	     "processors.txt:2:1: expected generation: NAME: VENDOR FAMILY/MODEL"},
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
	    cmocka_unit_test(a_generation_by_hand),
	    cmocka_unit_test(one_rating_by_hand),
	    cmocka_unit_test(hidden_names_are_not_one_model),
	    cmocka_unit_test(generations_stand_for_their_models),
	    cmocka_unit_test(published_runs_lie_within),
	    cmocka_unit_test(claims_need_sources),
	    cmocka_unit_test(machines_of_the_catalogue),
	    cmocka_unit_test(header_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
