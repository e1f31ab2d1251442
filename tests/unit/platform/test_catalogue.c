/* test_catalogue.c: machines by name, and their descriptions. */
#include "lib.h"

#include <sys/stat.h>

static const struct catalogue_entry *entry(const struct catalogue_entry *list, int n,
                                           const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	fail_msg("no machine %s", name);
	return NULL;
}

static void every_machine_reads_and_says_where_it_comes_from(void **state)
{
	struct catalogue_entry *list;
	struct err err;
	(void)state;
	int n = catalogue_list(&list, &err);
	assert_ok(n, err);
	assert_non_null(entry(list, n, "graphene"));
	for (int i = 0; i < n; i++) {
		struct config cfg;
		assert_ok(config_init(&cfg, &err), err);
		struct platform *p = platform_read(list[i].name, &cfg, &err);
		if (!p)
			fail_msg("%s", err.text);
		assert_string_equal(platform_name(p), list[i].name);
		assert_string_equal(platform_path(p), list[i].path);
		assert_true(strlen(platform_title(p)) > 10 && strlen(platform_source(p)) > 10 &&
		            strlen(platform_calibration(p)) > 10);
		const char *how = platform_calibration(p);
		assert_true(!strncmp(how, "measured: ", 10) || !strncmp(how, "partly: ", 8) ||
		            !strncmp(how, "none: ", 6));
		assert_int_equal(platform_is_calibrated(p), how[0] == 'm');
		platform_free(p);
		config_release(&cfg);
	}
	catalogue_free(list, n);
}

static void unknown_machines_are_told(void **state)
{
	struct err err;
	struct config cfg;
	(void)state;
	assert_ok(config_init(&cfg, &err), err);
	assert_null(platform_read("no-such-machine", &cfg, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "no machine of the catalogue is named 'no-such-machine'"));
	assert_null(platform_read("no/such/file.xml", &cfg, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_null(platform_read("", &cfg, &err));
	config_release(&cfg);
}

static void a_file_without_header_has_its_own_name(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(
	    &f,
	    "<platform version='4.1'><!-- name: no --><cluster id='c' prefix='' suffix='' radical='0' speed='1f' "
	    "bw='1' lat='0'/></platform>",
	    NULL);
	assert_string_equal(platform_name(f.p), strrchr(f.path, '/') + 1);
	assert_string_equal(platform_source(f.p), "");
	fixture_release(&f);
}

static void header_lines_are_joined(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(
	    &f,
	    "<!--\n  name: tiny\n  title: Tiny machine\n  source: a\n    b: c\n\n  calibration: none -->\n"
	    "<platform version='4.1'><cluster id='c' prefix='' suffix='' radical='0' speed='1f' bw='1' lat='0'/></platform>",
	    NULL);
	assert_string_equal(platform_name(f.p), "tiny");
	assert_string_equal(platform_source(f.p), "a b: c");
	assert_string_equal(platform_calibration(f.p), "none");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_machine_reads_and_says_where_it_comes_from),
	    cmocka_unit_test(unknown_machines_are_told),
	    cmocka_unit_test(a_file_without_header_has_its_own_name),
	    cmocka_unit_test(header_lines_are_joined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
