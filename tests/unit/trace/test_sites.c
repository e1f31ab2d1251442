/* test_sites.c: regions and call sites: gathered from a folder, written, and read back as source
 * lines. */
#include "unit/trace/trace_test.h"

static const char folder_text[] =
    "# orrery-trace 1\n# module ring /home/x/my ring\n0 init\n0 region 0 start>ring+0x10\n0 "
    "compute 5 region=0\n"
    "0 region 1 ring+0x10<libw.so+0x8>ring+0x20\n# module ring /other\n0 compute 6 region=1 t=0.5\n"
    "0 barrier\n0 compute 7 region=0\n0 finalize\n";

static void test_gathered(void **state)
{
	struct trace_sites s = {0};
	char dir[64], path[256];
	struct err err;

	(void)state;
	folder_make(dir);
	file_make(path, dir, "rank-0.tit", folder_text);
	assert_ok(trace_folder_complete(dir, 1, NULL, NULL, &s, &err), err);
	assert_int_equal(s.n, 4);
	assert_string_equal(s.site[0].name, "start");
	assert_string_equal(s.site[1].name, "ring+0x10");
	assert_string_equal(s.site[2].name, "libw.so+0x8");
	assert_string_equal(s.site[3].name, "ring+0x20");
	assert_int_equal(s.modules, 1);
	assert_string_equal(s.module[0].name, "ring");
	assert_string_equal(s.module[0].path, "/home/x/my ring");
	trace_sites_release(&s);
	folder_remove(dir);
}

/* The names of the regions of computations, joined. */
static void regions_are(const char *dir, const char *expected)
{
	struct trace_regions regions = {0};
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open(dir, 0, &err);
	struct str found;
	int more;

	str_init(&found);
	if (!t)
		fail_msg("%s", err.text);
	while ((more = trace_next(t, 0, &ev, &err)) > 0) {
		if (ev.op == TRACE_REGION)
			assert_ok(trace_regions_define(&regions, 0, &ev, &err), err);
		if (ev.op == TRACE_COMPUTE) {
			int64_t id = trace_regions_find(&regions, 0, &ev);

			str_printf(&found, "%s ", id < 0 ? "-" : regions.name[id]);
		}
	}
	assert_int_equal(more, 0);
	assert_string_equal(found.s, expected);
	str_release(&found);
	trace_regions_release(&regions);
	trace_close(t);
}

static void test_read(void **state)
{
	struct trace_sites s = {0};
	char dir[64], path[256], *text;
	struct err err;

	(void)state;
	folder_make(dir);
	file_make(path, dir, "rank-0.tit", folder_text);
	regions_are(dir, "start>ring+0x10 ring+0x10<libw.so+0x8>ring+0x20 start>ring+0x10 ");
	assert_ok(trace_folder_complete(dir, 1, NULL, NULL, &s, &err), err);
	s.site[1].place = strdup("my ring.c:12");
	s.site[3].place = strdup("ring.c:14");
	s.site[3].function = strdup("main");
	assert_ok(trace_sites_write(dir, &s, &err), err);
	trace_sites_release(&s);
	snprintf(path, sizeof path, "%s/sites", dir);
	text = file_text(path);
	assert_string_equal(
	    text, "# orrery-sites 1\nring+0x10 my%20ring.c:12 ?\nring+0x20 ring.c:14 main\n");
	free(text);
	regions_are(dir,
	            "start>my ring.c:12 my ring.c:12<libw.so+0x8>ring.c:14 start>my ring.c:12 ");
	folder_remove(dir);
}

static void test_wrong(void **state)
{
	static const struct {
		const char *sites, *message;
	} wrong[] = {
	    {"ring+0x10 ring.c:12 main\n", "sites:1: not a table of call sites"},
	    {"# orrery-sites 1\nring+0x10 ring.c:12\n",
	     "sites:2: expected 'site place function', found 'ring+0x10 ring.c:12'"},
	    {"# orrery-sites 1\n\n a b\n", "sites:3: expected 'site place function'"},
	};
	char dir[64], path[256];
	struct trace *t;
	struct err err;

	(void)state;
	folder_make(dir);
	file_make(path, dir, "rank-0.tit", folder_text);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		file_make(path, dir, "sites", wrong[i].sites);
		t = trace_open(dir, 0, &err);
		assert_null(t);
		if (!strstr(err.text, wrong[i].message))
			fail_msg("%s is not in: %s", wrong[i].message, err.text);
	}
	folder_remove(dir);
}

static void test_lines(void **state)
{
	struct reader r;

	(void)state;
	reader_init(&r, DIALECT_OURS, 4);
	assert_int_equal(must_read(&r, "compute 5 region=3 t=1")->region, 3);
	assert_int_equal(must_read(&r, "compute 5")->region, -1);
	assert_string_equal(must_read(&r, "region 2 a%20b>c")->text, "a b>c");
	assert_line_fails(&r, "compute 5 region=-1", "expected the number of a region, found '-1'");
	assert_line_fails(&r, "compute 5 region=99999999999", "expected the number of a region");
	assert_line_fails(&r, "barrier region=1", "expected a key of barrier");
	assert_line_fails(&r, "region 2", "expected");
	assert_line_fails(&r, "region x a>b", "found 'x'");
	assert_line_fails(&r, "region -1 a>b", "expected the number of a region, found '-1'");
	lists_release(&r.lists);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_gathered), cmocka_unit_test(test_read),
	    cmocka_unit_test(test_wrong), cmocka_unit_test(test_lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
