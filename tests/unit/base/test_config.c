/* test_config.c: spellings, precedence, types, SimGrid's settings that mean nothing here. */
#include "base/config.h"

#include "test.h"
#include "tmp.h"

static struct config c;
static struct err err;

static int setup(void **state)
{
	(void)state;
	return config_init(&c, &err);
}

static int teardown(void **state)
{
	(void)state;
	config_release(&c);
	return 0;
}

/* SimGrid's defaults, from its own list of settings. */
static void defaults(void **state)
{
	(void)state;
	assert_string_equal(config_text(&c, CFG_NET_MODEL), "hybrid");
	assert_string_equal(config_text(&c, CFG_NET_LATENCY_FACTOR), "");
	assert_double_is(config_number(&c, CFG_NET_TCP_GAMMA), 4194304);
	assert_double_is(config_number(&c, CFG_NET_LOOPBACK_BW), 1e10);
	assert_double_is(config_number(&c, CFG_SMPI_DETACHED), 65536);
	assert_double_is(config_number(&c, CFG_SMPI_TEST), 1e-4);
	assert_true(config_bool(&c, CFG_NET_CROSSTRAFFIC));
	assert_false(config_bool(&c, CFG_SMPI_BARRIER_FINALIZATION));
	assert_false(config_compat(&c));
	assert_int_equal(config_from(&c, CFG_SMPI_OS), CFG_FROM_DEFAULT);
	assert_null(c.notices.s);
}

static void every_row_is_complete(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < CFG_COUNT; i++) {
		assert_int_equal(config_table[i].id, i);
		assert_non_null(config_table[i].initial);
		assert_true(config_table[i].help[0] != '\0');
		assert_ok(config_set(&c, config_table[i].name, config_table[i].initial,
		                     CFG_FROM_USER, &err),
		          err);
	}
}

/* Where there is no default, help says "none": that is a value, too, and takes back another one. */
static void none_is_none(void **state)
{
	(void)state;
	for (int i = 0; i < CFG_COUNT; i++) {
		if (config_table[i].type != CFG_STRING || config_table[i].initial[0])
			continue;
		if (i != CFG_COMPAT)
			assert_ok(config_set(&c, config_table[i].name, "x", CFG_FROM_USER, &err),
			          err);
		assert_ok(config_set(&c, config_table[i].name, "none", CFG_FROM_USER, &err), err);
		assert_string_equal(config_text(&c, (enum config_id)i), "");
	}
}

/* SimGrid 3.32: LV08 and CM02 read network/…-factor, the hybrid model smpi/…-factor. */
static void factors_of_a_family(void **state)
{
	(void)state;
	assert_ok(config_set(&c, "smpi/lat_factor", "0:1;100:2", CFG_FROM_PLATFORM, &err), err);
	assert_ok(config_set(&c, "network/latency-factor", "5", CFG_FROM_USER, &err), err);
	assert_ok(config_set(&c, "smpi/lat-factor", "7", CFG_FROM_MODEL, &err), err);
	assert_ok(config_set(&c, "network/bandwidth_factor", "0.5", CFG_FROM_PLATFORM, &err), err);
	assert_string_equal(config_text(&c, CFG_NET_LATENCY_FACTOR), "5");
	assert_ok(config_factors_of(&c, 1, &err), err);
	assert_string_equal(config_text(&c, CFG_NET_LATENCY_FACTOR), "0:1;100:2");
	assert_int_equal(config_from(&c, CFG_NET_LATENCY_FACTOR), CFG_FROM_PLATFORM);
	assert_string_equal(config_text(&c, CFG_NET_BANDWIDTH_FACTOR), "");
	assert_ok(config_factors_of(&c, 0, &err), err);
	assert_string_equal(config_text(&c, CFG_NET_LATENCY_FACTOR), "5");
	assert_string_equal(config_text(&c, CFG_NET_BANDWIDTH_FACTOR), "0.5");
	assert_int_equal(config_from(&c, CFG_NET_BANDWIDTH_FACTOR), CFG_FROM_PLATFORM);
}

static void spellings(void **state)
{
	(void)state;
	assert_ok(config_set(&c, "smpi/async_small_thres", "65536", CFG_FROM_PLATFORM, &err),
	          err); /* thesis, figure 4.8 */
	assert_double_is(config_number(&c, CFG_SMPI_EAGER), 65536);
	assert_ok(config_set(&c, "smpi/send_is_detached_thres", "327680", CFG_FROM_PLATFORM, &err),
	          err);
	assert_double_is(config_number(&c, CFG_SMPI_DETACHED), 327680);
	assert_ok(config_set(&c, "smpi/lat_factor", "1", CFG_FROM_PLATFORM, &err), err);
	assert_string_equal(config_text(&c, CFG_NET_LATENCY_FACTOR), "1");
	assert_ok(config_set(&c, "network/TCP_gamma", "20000", CFG_FROM_PLATFORM, &err), err);
	assert_double_is(config_number(&c, CFG_NET_TCP_GAMMA), 20000);
	assert_ok(config_set(&c, "smpi/finalization-barrier", "on", CFG_FROM_PLATFORM, &err), err);
	assert_true(config_bool(&c, CFG_SMPI_BARRIER_FINALIZATION));
}

/* SimGrid's: command line over platform over default; between them the model's own. The last of one
 * source wins. */
static void precedence(void **state)
{
	(void)state;
	assert_ok(config_set(&c, "network/weight-S", "1", CFG_FROM_MODEL, &err), err);
	assert_ok(config_set(&c, "network/weight-S", "2", CFG_FROM_USER, &err), err);
	assert_ok(config_set(&c, "network/weight-S", "3", CFG_FROM_USER, &err), err);
	assert_ok(config_set(&c, "network/weight-S", "4", CFG_FROM_PLATFORM, &err), err);
	assert_double_is(config_number(&c, CFG_NET_WEIGHT_S), 3);
	assert_int_equal(config_from(&c, CFG_NET_WEIGHT_S), CFG_FROM_USER);
	assert_fails(config_set(&c, "network/weight-S", "heavy", CFG_FROM_PLATFORM, &err), err,
	             ERR_INPUT, "heavy"); /* checked all the same */
}

static void several_at_once(void **state)
{
	(void)state;
	assert_ok(config_set_all(
	              &c, " smpi/os:0:1e-6:2e-9;1420:3e-6:0,smpi/init:1us\n\tcompat:simgrid-3.32 ",
	              CFG_FROM_USER, &err),
	          err);
	assert_string_equal(config_text(&c, CFG_SMPI_OS), "0:1e-6:2e-9;1420:3e-6:0");
	assert_double_is(config_number(&c, CFG_SMPI_INIT), 1e-6);
	assert_true(config_compat(&c));
	assert_ok(config_set_all(&c, "", CFG_FROM_USER, &err), err);
	assert_fails(config_set_all(&c, "smpi/init:0 smpi/os", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "name:value was expected");
	assert_fails(config_set_all(&c, ":3", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "name:value was expected");
}

static void wrong_values(void **state)
{
	(void)state;
	assert_fails(config_set(&c, "smpi/init", "soon", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "a number of seconds");
	assert_fails(config_set(&c, "smpi/init", "-1", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "negative");
	assert_fails(config_set(&c, "smpi/os", "-1", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "setting smpi/os takes a number or size:value;size:value;…, not \"-1\"");
	assert_ok(config_set(&c, "smpi/os", "0:1e-6:0;4096:-1e-6:1e-9", CFG_FROM_USER, &err), err);
	assert_fails(config_set(&c, "smpi/init", "", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "smpi/init");
	/* StarPU's platform files: no TCP window */
	assert_ok(config_set(&c, "network/TCP-gamma", "-1", CFG_FROM_PLATFORM, &err), err);
	assert_double_is(config_number(&c, CFG_NET_TCP_GAMMA), 0);
	assert_fails(config_set(&c, "network/crosstraffic", "maybe", CFG_FROM_USER, &err), err,
	             ERR_INPUT, "yes or no");
	assert_fails(config_set(&c, "compat", "simgrid-3.31", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "simgrid-3.32");
	/* a number of things has no unit; seeds are told apart as whole numbers, up to where a
	 * double has them all */
	assert_fails(config_set(&c, "virtual-hosts/processors", "2MBps", CFG_FROM_USER, &err), err,
	             ERR_INPUT, "processors takes a number, not \"2MBps\"");
	assert_fails(config_set(&c, "virtual-hosts/processors", "-1", CFG_FROM_USER, &err), err,
	             ERR_INPUT, "takes a number, not a negative one");
	assert_fails(config_set(&c, "psins/busses", "1.5", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "setting psins/busses takes a whole number");
	assert_fails(config_set(&c, "noise/seed", "0.5", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "a whole number below 2^53");
	assert_fails(config_set(&c, "noise/seed", "9007199254740993", CFG_FROM_USER, &err), err,
	             ERR_INPUT, "a whole number below 2^53");
	assert_fails(config_set(&c, "noise/seed", "1e30", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "a whole number below 2^53");
	assert_ok(config_set(&c, "noise/seed", "9007199254740991", CFG_FROM_USER, &err), err);
	assert_double_is(config_number(&c, CFG_SMPI_INIT), 0);
	assert_ok(config_set(&c, "network/weight-S", "", CFG_FROM_USER, &err),
	          err); /* back to the model's own */
}

/* The place of an error in a file is that of the setting. */
static void places_in_files(void **state)
{
	static const struct {
		const char *text, *place;
	} bad[] = {
	    {"  \t smpi/tset:1\n",
	     "c.cfg:1:5: unknown setting \"smpi/tset\": did you mean smpi/test"},
	    {"# a line\nsmpi/test:1, smpi/os:x\n", "c.cfg:2:14: setting smpi/os takes a number"},
	    {"smpi/test:1\nsmpi/test: 1\n",
	     "c.cfg:2:1: a blank after \"smpi/test:\": smpi/test:1 was expected"},
	    {"smpi/test:1 word\n",
	     "c.cfg:1:13: \"word\" is not a setting: name:value was expected"},
	};
	struct tmp tmp;
	char setting[512];

	(void)state;
	tmp_init(&tmp);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(setting, sizeof setting, "@%s", tmp_write(&tmp, "c.cfg", bad[i].text));
		assert_int_equal(config_set_all(&c, setting, CFG_FROM_USER, &err), -1);
		assert_non_null(strstr(err.text, bad[i].place));
	}
	tmp_release(&tmp);
	/* what is empty stays so, and is no half of a setting */
	assert_ok(config_set_all(&c, "network/model: smpi/test:1", CFG_FROM_USER, &err), err);
}

static void tables(void **state)
{
	static const char *const bad[] = {"0:1;x:2", "0:1;5", "0:",  ":1",    "-1:2",
	                                  "0:1:y",   ";",     "abc", "0.5:1", "0:1;1e-3:2"};
	size_t i;

	(void)state;
	assert_ok(config_set(&c, "smpi/bw_factor", "65472:0.940694;15424:0.697866;0:0.8",
	                     CFG_FROM_USER, &err),
	          err);
	assert_ok(config_set(&c, "smpi/bw_factor", "0.97", CFG_FROM_USER, &err), err);
	/* broken over lines, as in platform files; values with units; a last semicolon */
	assert_ok(
	    config_set(&c, "smpi/os",
	               "0:8.93009e-06:7.654382e-10; 1420:1us:2.974094e-10;\n\t 65536:0.000238:0;",
	               CFG_FROM_USER, &err),
	    err);
	/* instructions are written so */
	assert_ok(config_set(&c, "noise/compute", "0:1:1:0.1;1e9:1:1:0.2", CFG_FROM_USER, &err),
	          err);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_fails(config_set(&c, "smpi/os", bad[i], CFG_FROM_USER, &err), err, ERR_INPUT,
		             "smpi/os");
}

static void names_nobody_knows(void **state)
{
	(void)state;
	assert_fails(config_set(&c, "network/modle", "LV08", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "did you mean network/model?");
	assert_fails(config_set(&c, "gravity", "9.81", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "orrery help settings");
	assert_null(c.notices.s);
}

static void settings_of_simgrid_alone(void **state)
{
	(void)state;
	assert_ok(config_set(&c, "debug/verbose-exit", "no", CFG_FROM_PLATFORM, &err), err);
	assert_ok(config_set(&c, "contexts/factory", "raw", CFG_FROM_PLATFORM, &err), err);
	assert_ok(config_set(&c, "workstation/model", "compound", CFG_FROM_PLATFORM, &err),
	          err); /* thesis, figure 4.8 */
	assert_ok(config_set(&c, "smpi/running-power", "6217956542.969", CFG_FROM_PLATFORM, &err),
	          err);
	assert_non_null(strstr(c.notices.s, "debug/verbose-exit"));
	assert_non_null(strstr(c.notices.s, "contexts/factory"));
	assert_non_null(strstr(c.notices.s, "smpi/running-power"));
	assert_fails(config_set(&c, "host/model", "ptask_L07", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "would change SimGrid's times");
	assert_fails(config_set(&c, "maxmin/concurrency-limit", "100", CFG_FROM_USER, &err), err,
	             ERR_INPUT, "supported: -1");
	assert_ok(config_set(&c, "plugin", "host_energy", CFG_FROM_PLATFORM, &err), err);
	assert_fails(config_set(&c, "plugin", "host_dvfs", CFG_FROM_USER, &err), err, ERR_INPUT,
	             "supported: host_energy"); /* it changes the speed of hosts */
	assert_ok(config_set(&c, "smpi/comp-adjustment-file", "", CFG_FROM_PLATFORM, &err), err);
	assert_fails(
	    config_set(&c, "smpi/comp-adjustment-file", "speedups.csv", CFG_FROM_USER, &err), err,
	    ERR_INPUT, "would change SimGrid's times"); /* of replays, too */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(defaults, setup, teardown),
	    cmocka_unit_test_setup_teardown(every_row_is_complete, setup, teardown),
	    cmocka_unit_test_setup_teardown(none_is_none, setup, teardown),
	    cmocka_unit_test_setup_teardown(factors_of_a_family, setup, teardown),
	    cmocka_unit_test_setup_teardown(spellings, setup, teardown),
	    cmocka_unit_test_setup_teardown(precedence, setup, teardown),
	    cmocka_unit_test_setup_teardown(several_at_once, setup, teardown),
	    cmocka_unit_test_setup_teardown(wrong_values, setup, teardown),
	    cmocka_unit_test_setup_teardown(places_in_files, setup, teardown),
	    cmocka_unit_test_setup_teardown(tables, setup, teardown),
	    cmocka_unit_test_setup_teardown(names_nobody_knows, setup, teardown),
	    cmocka_unit_test_setup_teardown(settings_of_simgrid_alone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
