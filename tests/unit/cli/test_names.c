/* test_names.c: files and hosts of any name: with quotes, backslashes, line ends, bytes that are no
 * UTF-8, what a terminal obeys. What verbs print as JSON is JSON in UTF-8 all the same, and no
 * control character reaches a terminal in words. */
#include "json_text.h"
#include "verb.h"

static const char *const names[] = {
    "plain",    "with \"quotes\"", "back\\slash",  "a\nline",  "a\ttab",  "caf\xc3\xa9",
    "\xff\xfe", "cut \xe2\x82",    "\x1b[31mred",  "\x01\x02", "del\x7f", "'single'",
    "<&>",      "a,b;c",           "\xed\xa0\x80", "\xc0\xaf"};

/* Well-formed by the table of RFC 3629. */
static int is_utf8(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	while (*p) {
		int more = *p < 0x80                  ? 0
		           : *p >= 0xc2 && *p <= 0xdf ? 1
		           : *p >= 0xe0 && *p <= 0xef ? 2
		           : *p >= 0xf0 && *p <= 0xf4 ? 3
		                                      : -1;

		if (more < 0 || (*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
		    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
			return 0;
		for (p++; more > 0; more--, p++)
			if ((*p & 0xc0) != 0x80)
				return 0;
	}
	return 1;
}

static void is_json(const struct ran *r, const char *name)
{
	if (!json_is_right(r->out) || !is_utf8(r->out))
		fail_msg("%s: %s", name, r->out);
}

/* Nothing below a blank but line ends and tabs, and no delete. */
static void is_shown(const struct ran *r, const char *name)
{
	for (const unsigned char *p = (const unsigned char *)r->out; *p; p++)
		if ((*p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f)
			fail_msg("%s: byte %d reaches the terminal", name, *p);
}

static void files_of_any_name(void **state)
{
	static struct ran r;
	struct files f;
	char machine[1024], trace[1024], text[4096];

	(void)state;
	files_init(&f);
	file_text(f.machine, text, sizeof text);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(machine, sizeof machine, "%s/%s.xml", f.tmp.dir, names[i]);
		snprintf(trace, sizeof trace, "%s/%s.tit", f.tmp.dir, names[i]);
		tmp_write(&f.tmp, strrchr(machine, '/') + 1, text);
		tmp_write(&f.tmp, strrchr(trace, '/') + 1,
		          "0 compute 2e9\n0 send 1 7 1000 6\n1 recv 0 7 1000 6\n");
		RUNS(&r, "info", trace, "--json", "-q");
		is_json(&r, names[i]);
		assert_double_is(json_number_at(r.out, "ranks"), 2);
		RUNS(&r, "info", trace, "-q");
		is_shown(&r, names[i]);
		RUNS(&r, "platform", "show", machine, "--json", "-q");
		is_json(&r, names[i]);
		RUNS(&r, "platform", "show", machine, "-q");
		is_shown(&r, names[i]);
		RUNS(&r, "replay", trace, "-p", machine, "--json", "-q");
		is_json(&r, names[i]);
		RUNS(&r, "replay", trace, "-p", machine, "-p", machine, "-q");
		is_shown(&r, names[i]);
	}
	tmp_release(&f.tmp);
}

/* Errors go to a terminal, too: names in them are shown, not obeyed. */
static void errors_about_any_name(void **state)
{
	static struct ran r;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[256];

		snprintf(path, sizeof path, "/nowhere/%s", names[i]);
		RUN(&r, "info", path);
		assert_int_equal(r.code, -1);
		assert_int_equal(r.err.kind, ERR_INPUT);
		snprintf(r.out, sizeof r.out, "%s", r.err.text);
		is_shown(&r, names[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_any_name),
	                                   cmocka_unit_test(errors_about_any_name)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
