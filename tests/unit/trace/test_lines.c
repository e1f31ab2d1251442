/* test_lines.c: the lines of a file that another process changes while they are read: one that is
 * made shorter is said, also where a line ends, and never passes for whole. And of one that begins
 * with the mark of UTF-8. */
#include "trace/trace_int.h"

#include "unit/trace/trace_test.h"

#include <unistd.h>

enum { LINES = 1000, LENGTH = 100, BUFFER = 512 };

static void file_of_lines(char *path, const char *dir)
{
	struct str s;

	str_init(&s);
	for (int i = 0; i < LINES; i++)
		str_printf(&s, "%0*d\n", LENGTH - 1, i);
	file_make(path, dir, "t", s.s);
	str_release(&s);
}

/* How many lines are given before the end (*end 0) or an error (-1), if after some of them the file
 * has so many bytes. */
static int lines_after(off_t bytes, int keep, int *end, struct err *err)
{
	char dir[64], path[256];
	struct lines l;
	const char *line;
	int n = 0;

	folder_make(dir);
	file_of_lines(path, dir);
	assert_int_equal(lines_open(&l, path, BUFFER, keep, err), 0);
	while ((*end = lines_next(&l, &line, err)) > 0) {
		char wanted[LENGTH + 1];

		snprintf(wanted, sizeof wanted, "%0*d\n", LENGTH - 1, n);
		assert_memory_equal(line, wanted, LENGTH);
		lines_advance(&l, line_end(line));
		if (++n == 10)
			assert_int_equal(truncate(path, bytes), 0);
	}
	lines_close(&l);
	folder_remove(dir);
	return n;
}

static void a_file_made_shorter_is_said(void **state)
{
	struct err err;
	int end;

	(void)state;
	for (int keep = 0; keep < 2; keep++) {
		assert_int_equal(lines_after(LINES * LENGTH, keep, &end, &err), LINES);
		assert_int_equal(end, 0);
		/* where a line ends, within one, all of it */
		assert_in_range(lines_after(400 * LENGTH, keep, &end, &err), 10, 400);
		assert_int_equal(end, -1);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_non_null(strstr(err.text, "made shorter while it was read"));
		assert_in_range(lines_after(400 * LENGTH + 7, keep, &end, &err), 10, 400);
		assert_int_equal(end, -1);
		assert_in_range(lines_after(0, keep, &end, &err), 10, 20);
		assert_int_equal(end, -1);
	}
}

/* Its lines joined by '|', each with where it begins in the file. */
static void lines_are(const char *text, const char *wanted)
{
	char dir[64], path[256];
	const char *line, *end;
	struct lines l;
	struct str s;
	struct err err;

	folder_make(dir);
	file_make(path, dir, "t", text);
	str_init(&s);
	str_puts(&s, "");
	assert_int_equal(lines_open(&l, path, BUFFER, 0, &err), 0);
	while (lines_next(&l, &line, &err) > 0) {
		end = line_end(line);
		str_printf(&s, "%d ", (int)lines_offset(&l, line));
		str_putn(&s, line, (size_t)(end - line));
		str_putc(&s, '|');
		lines_advance(&l, end);
	}
	assert_string_equal(s.s ? s.s : "", wanted);
	str_release(&s);
	lines_close(&l);
	folder_remove(dir);
}

static void the_mark_of_utf8_is_passed_over(void **state)
{
	(void)state;
	lines_are("\xef\xbb\xbf"
	          "0 init\n1 init\n",
	          "3 0 init|10 1 init|");
	lines_are("\xef\xbb\xbf"
	          "0 init",
	          "3 0 init|");
	lines_are("\xef\xbb\xbf", "3 |");
	lines_are("\xef\xbb", "0 \xef\xbb|");
	lines_are("0 init\n\xef\xbb\xbf"
	          "1\n",
	          "0 0 init|7 \xef\xbb\xbf"
	          "1|");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_file_made_shorter_is_said),
	    cmocka_unit_test(the_mark_of_utf8_is_passed_over),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
