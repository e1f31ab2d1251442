/* test_windows.c: lines read again at any place are those of the file, however many readers share
 * the windows, however long the lines are. */
#include "trace/text/windows.h"

#include "unit/trace/trace_test.h"

#include <fcntl.h>
#include <unistd.h>

enum { LINES = 20000 };

/* "number ….\n", as long as the number says: mostly short, now and then longer than windows. */
static uint64_t line_length(uint32_t i)
{
	return i % 1000 == 999 ? 20000 : i % 50 == 49 ? 700 : 12 + i % 30;
}

static int file_of_lines(char *path, const char *dir, uint64_t *from, int last_newline)
{
	struct str s;

	str_init(&s);
	for (uint32_t i = 0; i < LINES; i++) {
		from[i] = s.n;
		str_printf(&s, "%08u ", i);
		while (s.n < from[i] + line_length(i) - 1)
			str_putc(&s, '.');
		if (i + 1 < LINES || last_newline)
			str_putc(&s, '\n');
	}
	from[LINES] = s.n;
	file_make(path, dir, "t", s.s);
	str_release(&s);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void assert_line(struct windows *w, const uint64_t *from, uint32_t i)
{
	struct err err;
	const char *line = windows_line(w, from[i], from[i + 1], &err);
	char number[16];

	assert_non_null(line);
	snprintf(number, sizeof number, "%08u ", i);
	assert_memory_equal(line, number, 9);
	for (uint64_t k = 9; k < line_length(i) - 1; k++)
		assert_int_equal(line[k], '.');
	assert_int_equal(line[line_length(i) - 1], '\n');
}

static void lines_at_any_place(void **state)
{
	static uint64_t from[LINES + 1];
	static const uint32_t readers[] = {1, 3, 100, 1000000};
	char dir[64], path[256];
	struct windows w;
	struct rng rng;
	struct err err;

	(void)state;
	folder_make(dir);
	for (int k = 0; k < 4; k++) {
		int fd = file_of_lines(path, dir, from, k % 2);

		assert_true(fd >= 0);
		assert_ok(windows_init(&w, fd, path, readers[k], &err), err);
		rng_init(&rng, 5, "windows", (uint64_t)k);
		for (uint32_t i = 0; i < LINES; i++) /* readers that go on side by side */
			assert_line(&w, from, i);
		for (uint32_t i = 0; i < LINES; i++)
			assert_line(&w, from, (uint32_t)rng_below(&rng, LINES));
		windows_release(&w);
		close(fd);
	}
	folder_remove(dir);
}

static void what_is_gone_is_said(void **state)
{
	static uint64_t from[LINES + 1];
	char dir[64], path[256];
	struct windows w;
	struct err err;
	int fd;

	(void)state;
	folder_make(dir);
	fd = file_of_lines(path, dir, from, 1);
	assert_ok(windows_init(&w, fd, path, 4, &err), err);
	assert_line(&w, from, 5);
	assert_int_equal(truncate(path, (off_t)(from[9999] + 100)), 0);
	assert_null(windows_line(&w, from[15000], from[15001], &err));
	assert_non_null(strstr(err.text, "became shorter while it was read"));
	assert_null(windows_line(&w, from[9999], from[10000], &err)); /* the half of a long one */
	assert_non_null(strstr(err.text, "became shorter while it was read"));
	windows_release(&w);
	close(fd);
	folder_remove(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_at_any_place),
	    cmocka_unit_test(what_is_gone_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
