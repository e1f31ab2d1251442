/* test_catalogue.c: machines by name, and their descriptions. */
#include "lib.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct catalogue_entry *entry(const struct catalogue_entry *list, int n,
                                           const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(list[i].name, name) == 0)
			return &list[i];
	fail_msg("no machine %s", name);
	return NULL;
}

/* "STATE: source": what a machine of the catalogue says of its network, and who says so. */
static void claim_has_source(const struct platform *p, const char *what, const char *text)
{
	static const char *const states[] = {"measured", "fitted", "published", "nominal",
	                                     "assumed"};
	size_t n = strcspn(text, ":");
	int known = 0;

	for (size_t i = 0; i < sizeof states / sizeof *states; i++)
		known |= strlen(states[i]) == n && strncmp(states[i], text, n) == 0;
	if (!known || strlen(text) < n + 12)
		fail_msg("%s: %s: '%s': a state and a source are wanted", platform_name(p), what,
		         text);
}

/* The networks of presets, each two hosts, and its own file. */
static void networks_have_sources(void **state)
{
	char folder[4096], path[8192];
	struct err err;
	struct dirent *e;
	DIR *d;
	int seen = 0;
	(void)state;

	assert_ok(data_find("networks", folder, sizeof folder, &err), err);
	d = opendir(folder);
	assert_non_null(d);
	while ((e = readdir(d))) {
		struct config cfg;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		assert_ok(config_init(&cfg, &err), err);
		struct platform *p = platform_read(path, &cfg, &err);
		if (!p)
			fail_msg("%s", err.text);
		claim_has_source(p, "bandwidth", platform_bandwidth_source(p));
		claim_has_source(p, "latency", platform_latency_source(p));
		assert_true(platform_host_count(p) == 2 && strlen(platform_source(p)) > 40);
		platform_free(p);
		config_release(&cfg);
		seen++;
	}
	closedir(d);
	assert_true(seen >= 5);
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
		claim_has_source(p, "bandwidth", platform_bandwidth_source(p));
		claim_has_source(p, "latency", platform_latency_source(p));
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
	assert_null(platform_read("src", &cfg, &err)); /* tests run in the folder of the sources */
	assert_string_equal(err.text, "'src' is a folder: a platform file is wanted, or a name of "
	                              "`orrery platform list`");
	/* a name without a folder before it, so that it might be one of the catalogue */
	assert_int_equal(symlink("a-link-to-itself", "a-link-to-itself"), 0);
	assert_null(platform_read("a-link-to-itself", &cfg, &err));
	assert_int_equal(unlink("a-link-to-itself"), 0);
	assert_string_equal(err.text, "cannot look at a-link-to-itself: Too many levels of "
	                              "symbolic links");
	assert_int_equal(err.kind, ERR_INPUT);
	config_release(&cfg);
}

static void a_file_without_header_has_its_own_name(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(&f,
	                  "<platform version='4.1'><!-- name: no --><cluster id='c' prefix='' "
	                  "suffix='' radical='0' speed='1f' "
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
	fixture_must_read(&f,
	                  "<!--\n  name: tiny\n  title: Tiny machine\n  source: a\n    b: c\n\n  "
	                  "calibration: none -->\n"
	                  "<platform version='4.1'><cluster id='c' prefix='' suffix='' radical='0' "
	                  "speed='1f' bw='1' lat='0'/></platform>",
	                  NULL);
	assert_string_equal(platform_name(f.p), "tiny");
	assert_string_equal(platform_source(f.p), "a b: c");
	assert_string_equal(platform_calibration(f.p), "none");
	fixture_release(&f);
}

/* What is indented more goes on, whatever it begins with; a line that is not ends what is before
 * it, whoever knows it; what stands behind "<!--" is at any place. */
static void header_lines_end_where_others_begin(void **state)
{
	struct fixture f;
	(void)state;
	fixture_must_read(
	    &f,
	    "<!-- name: tiny\n     processor: EPYC 7532\n     measured on:\n"
	    "       mpi: x\n       processor: another\n     source: a\n       title: b\n"
	    "     warnings:\n       calibration: none -->\n"
	    "<platform version='4.1'><cluster id='c' prefix='' suffix='' radical='0' "
	    "speed='1f' bw='1' lat='0'/></platform>",
	    NULL);
	assert_string_equal(platform_name(f.p), "tiny");
	assert_string_equal(platform_processor(f.p), "EPYC 7532");
	assert_string_equal(platform_source(f.p), "a title: b");
	assert_string_equal(platform_title(f.p), "");
	assert_string_equal(platform_calibration(f.p), "");
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_machine_reads_and_says_where_it_comes_from),
	    cmocka_unit_test(networks_have_sources),
	    cmocka_unit_test(unknown_machines_are_told),
	    cmocka_unit_test(a_file_without_header_has_its_own_name),
	    cmocka_unit_test(header_lines_are_joined),
	    cmocka_unit_test(header_lines_end_where_others_begin),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
