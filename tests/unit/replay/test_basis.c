/* test_basis.c: what a unit of a trace's volumes takes on a machine: every meeting of what a trace
 * counts and what a machine says, worked by hand. */
#include "replay/replay.h"

#include "test.h"

#include <unistd.h>

static char perf[] = "perf", cputime[] = "cputime", wall[] = "wall", fake[] = "fake";
static char opteron[] = "Dual-Core AMD Opteron(tm) Processor 2218", nobody[] = "AMD EPYC";

static struct platform *machine(const char *header, const char *hosts, struct config *cfg)
{
	char path[] = "/tmp/orrery-basis-XXXXXX";
	int fd = mkstemp(path);
	struct err err;
	FILE *f;

	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	fprintf(f,
	        "<!--\n%s\n-->\n"
	        "<platform version='4.1'><zone id='z' routing='Full'>%s</zone></platform>\n",
	        header, hosts);
	fclose(f);
	assert_ok(config_init(cfg, &err), err);
	struct platform *p = platform_read(path, cfg, &err);
	unlink(path);
	if (!p)
		fail_msg("%s", err.text);
	return p;
}

#define TWO "<host id='a' speed='4Gf'/><host id='b' speed='2Gf'/>"

static const struct {
	char *counter, *processor;
	const char *header, *ratio;
	enum basis_kind kind;
	double a, b; /* seconds of volume 1e9 that took 3 s, on the hosts; -1: by the speed */
	int assumed;
} cases[] = {
    /* volumes are what the speed counts */
    {perf, opteron, " speed: instructions: s", "", BASIS_VOLUME, 0.25, 0.5, 0},
    /* they are not, but there is a rate of them */
    {perf, opteron, " speed: flops\n rate-instructions: 2e9 ±10 %: s", "", BASIS_VOLUME, 0.5, 1, 0},
    /* nobody has one: the processors, by the recorded duration; the ratio of the table is 1.75 */
    {perf, opteron, " speed: flops\n processor: AMD Opteron 2218", "", BASIS_DURATION, 3, 6, 0},
    {perf, opteron, " speed: flops", "", BASIS_DURATION, 3, 6, 1},
    /* a file of somebody's own, for traces that count */
    {perf, opteron, " title: t", "", BASIS_SPEED, -1, -1, 1},
    {perf, opteron, " speed: volumes", "", BASIS_SPEED, -1, -1, 0},
    /* time: by the processors, and without them as traced, whatever the speed */
    {cputime, opteron, " speed: flops\n processor: AMD Opteron 2218", "", BASIS_VOLUME, 1, 2, 0},
    {cputime, nobody, " speed: flops\n processor: AMD Opteron 2218", "", BASIS_VOLUME, 1, 2, 1},
    {cputime, nobody, " title: t", "", BASIS_VOLUME, 1, 2, 1},
    {cputime, opteron, " speed: instructions", "", BASIS_VOLUME, 1, 2, 1},
    {cputime, opteron, " speed: seconds", "", BASIS_VOLUME, 0.25, 0.5, 0},
    /* elapsed time: as traced, which is known to hold on the same processor alone */
    {wall, opteron, " speed: flops", "", BASIS_VOLUME, 1, 2, 1},
    {wall, opteron, " speed: flops\n processor: Intel Xeon X3440", "", BASIS_VOLUME, 1, 2, 1},
    {wall, NULL, " speed: flops\n processor: AMD EPYC", "", BASIS_VOLUME, 1, 2, 1},
    {wall, opteron, " speed: flops\n processor: AMD Opteron 2218", "", BASIS_VOLUME, 1, 2, 0},
    /* calls are counted by tests only */
    {fake, opteron, " speed: flops", "", BASIS_SPEED, -1, -1, 0},
    /* the user's word is the last one */
    {cputime, opteron, " speed: flops\n processor: AMD Opteron 2218", "4", BASIS_VOLUME, 0.25, 0.5,
     0},
    {perf, opteron, " speed: instructions", "4", BASIS_DURATION, 0.75, 1.5, 0},
};

static void units_meet(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trace_manifest m = {.counter = cases[i].counter,
		                           .processor = cases[i].processor,
		                           .nominal_rate = cases[i].counter == perf ? 0 : 1e9};
		struct config cfg;
		struct platform *p = machine(cases[i].header, TWO, &cfg);
		struct basis b;
		struct err err;

		if (*cases[i].ratio)
			assert_ok(config_set(&cfg, "computation/cpu-ratio", cases[i].ratio,
			                     CFG_FROM_USER, &err),
			          err);
		assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
		if (b.kind != cases[i].kind || b.assumed != cases[i].assumed)
			fail_msg("case %zu: kind %d, assumed %d: %s", i, (int)b.kind, b.assumed,
			         b.text);
		assert_int_equal(b.told, *cases[i].ratio != '\0'); /* a user's word, by nobody */
		assert_close(basis_seconds(&b, p, (struct host_id){0}, 1e9, 3), cases[i].a, 1e-12);
		assert_close(basis_seconds(&b, p, (struct host_id){1}, 1e9, 3), cases[i].b, 1e-12);
		assert_true(*b.text != '\0');
		assert_int_equal(*b.notice != '\0', b.assumed && b.kind != BASIS_SPEED);
		platform_free(p);
		config_release(&cfg);
	}
}

static void takes(const struct basis *b, const struct platform *p, uint32_t host, double seconds)
{
	assert_close(basis_seconds(b, p, (struct host_id){host}, 1e9, 3), seconds, 1e-12);
}

/* A host that is asked about as if it were slower is slower by itself, be it the first one, whose
 * figures the rates are; and beside a factor on all. */
static void slow_hosts(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trace_manifest m = {.counter = cases[i].counter,
		                           .processor = cases[i].processor,
		                           .nominal_rate = cases[i].counter == perf ? 0 : 1e9};
		struct config cfg;
		struct platform *p = machine(cases[i].header, TWO, &cfg);
		struct basis b;
		struct err err;
		int timed = cases[i].kind != BASIS_SPEED;

		if (*cases[i].ratio)
			assert_ok(config_set(&cfg, "computation/cpu-ratio", cases[i].ratio,
			                     CFG_FROM_USER, &err),
			          err);
		assert_ok(platform_host_scale(p, (struct host_id){0}, 0.5, &err), err);
		assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
		takes(&b, p, 0, timed ? cases[i].a * 2 : -1);
		takes(&b, p, 1, cases[i].b);
		assert_ok(platform_host_scale(p, (struct host_id){1}, 2, &err), err);
		platform_scale(p, 1, 1, 4);
		assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
		takes(&b, p, 0, timed ? cases[i].a / 2 : -1);
		takes(&b, p, 1, timed ? cases[i].b / 8 : -1);
		platform_free(p);
		config_release(&cfg);
	}
}

/* A notice names what is missing, and only remedies that work: nothing that is there already, no
 * rate of instructions for a trace of seconds, no processors for what may be sleeps. */
static void remedies_that_work(void **state)
{
	static const struct {
		char *counter, *processor;
		const char *header, *in, *not_in, *nor_in;
	} said[] = {
	    {cputime, NULL, " processor: AMD EPYC", "'processor:' in the trace's manifest",
	     "in the machine's header", "rate-"},
	    {cputime, opteron, " title: t", "'processor:' in the machine's header", "manifest",
	     "rate-"},
	    {cputime, nobody, " processor: AMD Opteron 2218", "--cpu-ratio", "'processor:'",
	     "rate-"},
	    {perf, nobody, " speed: flops\n processor: AMD Opteron 2218",
	     "'rate-instructions:' in the machine's header", "'processor:'", "manifest"},
	    {wall, opteron, " title: t", "nothing relates elapsed time on", "'processor:'",
	     "--rates"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		struct trace_manifest m = {.counter = said[i].counter,
		                           .processor = said[i].processor,
		                           .nominal_rate = said[i].counter == perf ? 0 : 1e9};
		struct config cfg;
		struct platform *p = machine(said[i].header, TWO, &cfg);
		struct basis b;
		struct err err;

		assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
		if (!strstr(b.notice, said[i].in) || strstr(b.notice, said[i].not_in) ||
		    strstr(b.notice, said[i].nor_in))
			fail_msg("case %zu: %s", i, b.notice);
		platform_free(p);
		config_release(&cfg);
	}
}

static void ratio_of_two_models(void **state)
{
	struct trace_manifest m = {.counter = cputime, .processor = opteron, .nominal_rate = 1e9};
	struct processor_ratio r;
	struct config cfg;
	struct platform *p = machine(" speed: flops\n processor: Intel Xeon X3440", TWO, &cfg);
	struct basis b;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio(opteron, "Intel Xeon X3440", &r, &err), 1);
	assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
	assert_close(basis_seconds(&b, p, (struct host_id){0}, 2e9, -1), 2 / r.ratio, 1e-12);
	assert_double_is(b.deviation, r.deviation);
	platform_free(p);
	config_release(&cfg);
}

/* A processor of which only CPUID tells something: assumed, but with what is known of its
 * generation. Elapsed time is not taken for that of another model. */
static void ratio_of_a_generation(void **state)
{
	static char hidden[] = "AMD EPYC (AuthenticAMD 25/1/1)";
	struct trace_manifest m = {.counter = cputime, .processor = hidden, .nominal_rate = 1e9};
	struct processor_ratio r;
	struct config cfg;
	struct platform *p = machine(" speed: flops\n processor: Intel Xeon X3440", TWO, &cfg);
	struct basis b;
	struct err err;

	(void)state;
	assert_int_equal(processor_ratio(hidden, "Intel Xeon X3440", &r, &err), 1);
	assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
	assert_close(basis_seconds(&b, p, (struct host_id){0}, 2e9, -1), 2 / r.ratio, 1e-12);
	assert_double_is(b.deviation, r.deviation);
	assert_true(b.assumed);
	assert_string_equal(b.notice, "");
	assert_non_null(strstr(b.text, "as one of Milan (Zen 3) to Intel Xeon X3440, x0."));
	m.counter = wall;
	assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
	assert_double_is(b.ratio, 1);
	assert_non_null(strstr(b.notice, "nothing relates elapsed time"));
	platform_free(p);
	config_release(&cfg);
}

/* A cpu-ratio of a host is relative to the traced system, whatever the speeds. */
static void ratios_of_hosts(void **state)
{
	struct trace_manifest m = {.counter = cputime, .processor = nobody, .nominal_rate = 1e9};
	struct config cfg;
	struct platform *p = machine(
	    " title: t",
	    "<host id='a' speed='4Gf'><prop id='cpu-ratio' value='2'/></host>"
	    "<host id='b' speed='2Gf'><prop id='cpu-ratio' value='8'/></host>",
	    &cfg);
	struct basis b;
	struct err err;

	(void)state;
	assert_ok(basis_choose(&b, &m, p, &cfg, &err), err);
	assert_double_is(basis_seconds(&b, p, (struct host_id){0}, 1e9, -1), 0.5);
	assert_double_is(basis_seconds(&b, p, (struct host_id){1}, 1e9, -1), 0.125);
	platform_free(p);
	config_release(&cfg);
}

static void refused(void **state)
{
	struct trace_manifest m = {.counter = fake, .nominal_rate = 1e6};
	struct config cfg;
	struct platform *p = machine(" speed: flops", TWO, &cfg);
	struct basis b;
	struct err err;

	(void)state;
	assert_ok(config_set(&cfg, "computation/cpu-ratio", "2", CFG_FROM_USER, &err), err);
	assert_int_equal(basis_choose(&b, &m, p, &cfg, &err), -1);
	assert_non_null(strstr(err.text, "does not say how long its computations took"));
	assert_int_equal(basis_choose(&b, NULL, p, &cfg, &err), -1);
	assert_ok(config_set(&cfg, "computation/cpu-ratio", "0", CFG_FROM_USER, &err), err);
	assert_int_equal(basis_choose(&b, &m, p, &cfg, &err), -1);
	assert_non_null(strstr(err.text, "is above 0"));
	platform_free(p);
	config_release(&cfg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(units_meet),
	    cmocka_unit_test(slow_hosts),
	    cmocka_unit_test(remedies_that_work),
	    cmocka_unit_test(ratio_of_two_models),
	    cmocka_unit_test(ratio_of_a_generation),
	    cmocka_unit_test(ratios_of_hosts),
	    cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
