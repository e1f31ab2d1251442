/* test_extras.c: what other calibrations wrote, to be in the platform too: settings, lines of the
 * header, a number of cores. What is no such line has its place; and whatever a processor is
 * called, the platform is XML, read as it was meant. */
#include "made_up.h"

#include "calibrate/network/network_result.h"
#include "tmp.h"

#include "platform/platform.h"

static int extras_of(struct net_extras *x, const char *text, struct err *err)
{
	struct tmp tmp;
	const char *path;
	int r;

	tmp_init(&tmp);
	path = tmp_write(&tmp, "extras", text);
	net_extras_init(x);
	r = net_extras_read(x, &path, 1, err);
	tmp_release(&tmp);
	return r;
}

static void lines_of_all_kinds(void **state)
{
	struct net_extras x;
	struct err err;

	(void)state;
	assert_ok(extras_of(&x,
	                    "# a comment\n\nprocessor: EPYC 7532\nspeed: flops: measured\n"
	                    "rate-flops: 1e10\ncores: 32\nnoise/sleep:5e-5\n",
	                    &err),
	          err);
	assert_int_equal(net_extras_cores(&x), 32);
	assert_string_equal(x.header.s,
	                    "processor: EPYC 7532\nspeed: flops: measured\nrate-flops: 1e10\n");
	assert_string_equal(x.settings.s, "noise/sleep:5e-5\n");
	net_extras_release(&x);
	assert_ok(extras_of(&x, "cores:8\n", &err), err); /* with a blank or without */
	assert_int_equal(net_extras_cores(&x), 8);
	net_extras_release(&x);
}

static void lines_that_are_none(void **state)
{
	static const struct {
		const char *text, *part;
	} wrong[] = {{"cores:\n", ":1:1: cores: a number, not 'cores:'"},
	             {"# x\ncores: \n", ":2:1: cores: a number"},
	             {"cores: many\n", "cores: a number, not 'cores: many'"},
	             {"cores: 0\n", "cores: a number"},
	             {"cores: 100001\n", "cores: a number"},
	             {"cores: 1.5\n", "cores: a number"},
	             {"noise/sleep\n", ":1:1: 'noise/sleep' is no setting NAME:VALUE"},
	             {"noise/slep:1\n", "noise/slep"},
	             {"network/crosstraffic:perhaps\n", "network/crosstraffic"}};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct net_extras x;
		struct err err;

		assert_fails(extras_of(&x, wrong[i].text, &err), err, ERR_INPUT, wrong[i].part);
		net_extras_release(&x);
	}
}

/* The processor that a platform with this line in its header is read to have. */
static void processor_is(const char *line, const char *wanted)
{
	struct net_platform p = {.id = "p", .speed = "1Gf", .hosts = 2, .cores = 1, .header = line};
	struct truth t = usual;
	struct platform *platform;
	struct config cfg;
	struct net_raw raw;
	struct net_fit f;
	struct str xml;
	struct tmp tmp;
	struct err err;

	truth_fitted(&t, 1, &raw, &f);
	str_init(&xml);
	net_platform_write(&raw, &f, &p, &xml);
	assert_ok(config_init(&cfg, &err), err);
	tmp_init(&tmp);
	platform = platform_read(tmp_write(&tmp, "p.xml", xml.s), &cfg, &err);
	if (!platform)
		fail_msg("%s: %s", line, err.text);
	assert_string_equal(platform_processor(platform), wanted);
	platform_free(platform);
	config_release(&cfg);
	tmp_release(&tmp);
	str_release(&xml);
	net_fit_release(&f);
	net_raw_release(&raw);
}

static void processors_of_any_name(void **state)
{
	(void)state;
	processor_is("processor: EPYC 7532\n", "EPYC 7532");
	processor_is("processor: a ± b\n", "a ± b");
	processor_is("processor: <&>\n", "<&>");
	/* two hyphens would end the comment that the header is in, or be an error in it */
	processor_is("processor: x --> <platform>\n", "x - -> <platform>");
	processor_is("processor: x---y\n", "x- - -y");
}

/* A speed that another calibration tells is told once. */
static void one_speed(void **state)
{
	struct net_platform p = {.id = "p",
	                         .speed = "1Gf",
	                         .hosts = 2,
	                         .cores = 1,
	                         .header = "speed: flops: measured\n"};
	struct truth t = usual;
	struct net_raw raw;
	struct net_fit f;
	struct str xml;

	(void)state;
	truth_fitted(&t, 1, &raw, &f);
	str_init(&xml);
	net_platform_write(&raw, &f, &p, &xml);
	assert_non_null(strstr(xml.s, "\n  speed: flops: measured\n"));
	assert_null(strstr(strstr(xml.s, "\n  speed: ") + 1, "\n  speed: "));
	str_release(&xml);
	net_fit_release(&f);
	net_raw_release(&raw);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_of_all_kinds), cmocka_unit_test(lines_that_are_none),
	    cmocka_unit_test(processors_of_any_name), cmocka_unit_test(one_speed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
