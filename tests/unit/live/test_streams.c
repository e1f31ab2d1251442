/* test_streams.c: what ranks write, apart: whole lines with the rank before them, however long;
 * all of it, also through a pipe that does not wait; files by rank and stream. */
#include "live/streams.h"

#include "tmp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int file_of(struct tmp *t)
{
	int fd = open(tmp_path(t, "out"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void wrote(int fd, const char *wanted)
{
	char got[20000];
	ssize_t n = pread(fd, got, sizeof got - 1, 0);

	assert_true(n >= 0);
	got[n] = 0;
	assert_string_equal(got, wanted);
	close(fd);
}

/* A stream that comes in pieces is the same lines, however it is cut. */
static void lines_have_their_rank(void **state)
{
	static const char text[] = "one\n\ntwo and three\nlast";
	static const char wanted[] = "[12] one\n[12] \n[12] two and three\n[12] last\n";
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (size_t piece = 1; piece <= sizeof text; piece++) {
		static struct line l;
		int fd = file_of(&t);

		for (size_t at = 0; at < sizeof text - 1; at += piece) {
			size_t rest = sizeof text - 1 - at;

			line_take(&l, 12, fd, text + at, rest < piece ? rest : piece);
		}
		line_end(&l, 12, fd);
		line_end(&l, 12, fd); /* there is no second end */
		wrote(fd, wanted);
	}
	tmp_release(&t);
}

/* A line of three pieces is whole, with its rank once; one longer than what is held is whole as
 * well, if nobody writes between: the rank stands before its beginning alone. */
static void long_lines(void **state)
{
	static const size_t lengths[] = {3 * LINE_PIECE, LINE_MOST - 4, LINE_MOST, 3 * LINE_MOST};
	static char text[3 * LINE_MOST + 16], got[3 * LINE_MOST + 16];
	struct tmp t;

	(void)state;
	tmp_init(&t);
	memset(text, 'x', sizeof text);
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct line l = {.text = NULL};
		int fd = file_of(&t);
		size_t n = lengths[i];

		line_take(&l, 3, fd, text, n);
		line_take(&l, 3, fd, "\nb", 2);
		line_end(&l, 3, fd);
		assert_int_equal(pread(fd, got, sizeof got, 0), 4 + n + 1 + 6);
		assert_memory_equal(got, "[3] ", 4);
		assert_memory_equal(got + 4, text, n);
		assert_memory_equal(got + 4 + n, "\n[3] b\n", 7);
		close(fd);
	}
	tmp_release(&t);
}

/* Reads slowly; ends with 0 if there were n bytes. */
static void read_all(int fd, size_t n)
{
	char some[997];
	ssize_t r;

	while ((r = read(fd, some, sizeof some)) > 0)
		n -= (size_t)r;
	_exit(n != 0);
}

/* A descriptor that does not block, as a terminal's or a supervisor's pipe may be: it is full again
 * and again, and all arrives. */
static void nothing_is_lost_where_writing_does_not_wait(void **state)
{
	enum { BYTES = 1 << 20 };
	static char text[BYTES];
	int end[2], status;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(end), 0);
	assert_int_equal(fcntl(end[1], F_SETFL, O_NONBLOCK), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(end[1]);
		read_all(end[0], BYTES);
	}
	close(end[0]);
	assert_int_equal(line_bytes(end[1], text, BYTES), 0);
	close(end[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* Nobody reads: what cannot be written is given up, at once. */
static void a_closed_descriptor_is_given_up(void **state)
{
	(void)state;
	assert_int_equal(line_bytes(-1, "text", 4), -1);
	assert_int_equal(errno, EBADF);
}

static void files_are_by_rank_and_stream(void **state)
{
	char folder[128], path[200];
	struct tmp t;
	struct err err;
	int fd;

	(void)state;
	tmp_init(&t);
	snprintf(folder, sizeof folder, "%s/streams", t.dir);
	assert_ok(streams_folder(folder, &err), err);
	assert_ok(streams_folder(folder, &err), err); /* is there already */
	for (int stream = 1; stream <= 2; stream++) {
		fd = streams_file(folder, 7, stream, O_CREAT | O_EXCL, &err);
		assert_ok(fd, err);
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
		close(fd);
		snprintf(path, sizeof path, "%s/rank-7.%s", folder, stream == 1 ? "out" : "err");
		assert_int_equal(access(path, W_OK), 0);
	}
	fd = streams_file(folder, 7, 1, O_CREAT | O_EXCL, &err);
	assert_fails(fd, err, ERR_LIMIT, "rank-7.out");
	snprintf(path, sizeof path, "%s/none/deeper", t.dir);
	assert_fails(streams_folder(path, &err), err, ERR_INPUT, "none/deeper");
	tmp_release(&t);
}

/* A name that is too long is refused: what is left of it would be another file. */
static void long_names_are_refused(void **state)
{
	static char folder[5000];
	struct err err;

	(void)state;
	memset(folder, 'f', sizeof folder - 1);
	assert_int_equal(streams_file(folder, 0, 1, O_CREAT, &err), -1);
	assert_non_null(strstr(err.text, "too long"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_have_their_rank),
	    cmocka_unit_test(long_names_are_refused),
	    cmocka_unit_test(long_lines),
	    cmocka_unit_test(nothing_is_lost_where_writing_does_not_wait),
	    cmocka_unit_test(a_closed_descriptor_is_given_up),
	    cmocka_unit_test(files_are_by_rank_and_stream),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
