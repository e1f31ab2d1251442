/* test_writer.c: tests of tracer/writer.c. */
#include "test.h"

#include "tracer/writer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[] = "/tmp/orrery-writer-XXXXXX";
static struct err err;

static int begin(void **state)
{
	(void)state;
	memcpy(path + sizeof path - 7, "XXXXXX", 6);
	return mkdtemp(path) ? chdir(path) : -1;
}

static int end(void **state)
{
	(void)state;
	unlink("f");
	return chdir("/") < 0 ? -1 : rmdir(path);
}

/* The file's text, in a static buffer. */
static const char *text(void)
{
	static char buf[1 << 20];
	FILE *f = fopen("f", "r");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, sizeof buf - 1, f);
	fclose(f);
	buf[n] = '\0';
	return buf;
}

static int64_t file_size(void)
{
	struct stat st;

	return stat("f", &st) < 0 ? -1 : st.st_size;
}

static void put_barrier(struct writer *w)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_BARRIER);
	assert_ok(writer_put(w, 3, &ev, &err), err);
}

static void test_what_is_put_is_in_the_file(void **state)
{
	struct writer w;

	(void)state;
	assert_ok(writer_open(&w, "f", 20, &err), err);
	put_barrier(&w);
	assert_string_equal(text(), "3 barrier\n");
	put_barrier(&w);
	assert_ok(writer_note(&w, &err, "end %d\nof it", 2), err);
	assert_ok(writer_close(&w, &err), err);
	assert_string_equal(text(), "3 barrier\n3 barrier\n# end 2 of it\n");
	assert_int_equal(w.events, 2);
	assert_int_equal(file_size(), strlen(text())); /* no room is left behind */
}

static void test_a_line_longer_than_the_buffer(void **state)
{
	enum { N = 20000 };
	static int64_t counts[N];
	struct trace_event ev;
	struct writer w;

	(void)state;
	trace_event_init(&ev, TRACE_REDUCE_SCATTER);
	ev.counts2 = counts;
	ev.n_counts2 = N;
	ev.type_size = 8;
	assert_ok(writer_open(&w, "f", 16, &err), err);
	put_barrier(&w);
	assert_ok(writer_put(&w, 3, &ev, &err), err);
	assert_ok(writer_close(&w, &err), err);
	assert_int_equal(strlen(text()),
	                 strlen("3 barrier\n3 reducescatter") + 2 * N + strlen(" 0 0\n"));
}

/* Thousands of ranks may have a file each: little is reserved for one that has little in it. */
static void test_what_is_reserved_grows(void **state)
{
	enum { WINDOW = 256 << 10 };
	struct writer w;
	int64_t size = MAPPED_FIRST, before = 0;
	int moves = 0;

	(void)state;
	assert_ok(writer_open(&w, "f", WINDOW, &err), err);
	assert_int_equal(file_size(), MAPPED_FIRST);
	while (file_size() < 4 * WINDOW) {
		put_barrier(&w);
		if (file_size() == size)
			continue;
		assert_true(file_size() > size);
		assert_true(file_size() - size <= WINDOW); /* page by page at the end of a window */
		assert_true(file_size() - size >= before - 4096);
		before = file_size() - size;
		size = file_size();
		moves++;
	}
	assert_true(moves >= 4 + 2 && moves <= 4 + 6); /* 32, 64, 128, 256, 256, … KiB */
	assert_ok(writer_close(&w, &err), err);
	assert_int_equal(file_size() % (int64_t)strlen("3 barrier\n"), 0);
}

static void test_an_existing_file_is_not_touched(void **state)
{
	struct writer w;

	(void)state;
	assert_ok(writer_open(&w, "f", 16, &err), err);
	put_barrier(&w);
	assert_ok(writer_close(&w, &err), err);
	assert_fails(writer_open(&w, "f", 16, &err), err, ERR_LIMIT, "File exists");
	assert_string_equal(text(), "3 barrier\n");
	assert_fails(writer_open(&w, "no/f", 16, &err), err, ERR_INPUT, "no/f");
}

/* What fills some windows, to the last line before the process was killed. */
static void test_a_killed_process_keeps_what_it_put(void **state)
{
	enum { N = 5000 };
	struct writer w;
	pid_t pid;
	int status;

	(void)state;
	pid = fork();
	if (pid == 0) {
		if (writer_open(&w, "f", 4096, &err) == 0)
			for (int i = 0; i < N; i++)
				put_barrier(&w);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(strlen(text()), N * strlen("3 barrier\n"));
	assert_string_equal(text() + strlen(text()) - 10, "3 barrier\n");
}

/* A program that closes all descriptors and opens its own files. */
static void test_the_files_of_others_are_left_alone(void **state)
{
	enum { N = 5000 };
	struct writer w;
	int fd[8], number;
	struct stat st;

	(void)state;
	assert_ok(writer_open(&w, "f", 4096, &err), err);
	number = w.file.fd;
	put_barrier(&w);
	close(number);
	fd[0] = open("mine", O_RDWR | O_CREAT, 0600);
	assert_int_equal(dup2(fd[0], number), number);
	for (int i = 1; i < N; i++)
		put_barrier(&w);
	assert_int_not_equal(w.file.fd, number);
	assert_ok(writer_close(&w, &err), err);
	assert_int_equal(fstat(number, &st), 0); /* open still, and empty */
	assert_int_equal(st.st_size, 0);
	assert_int_equal(file_size(), N * strlen("3 barrier\n"));
	close(fd[0]);
	close(number);
	unlink("mine");
}

static void test_a_file_that_is_gone(void **state)
{
	struct writer w;
	int failed = 0;

	(void)state;
	assert_ok(writer_open(&w, "f", 4096, &err), err);
	close(w.file.fd);
	unlink("f");
	for (int i = 0; i < 1000 && !failed; i++) {
		struct trace_event ev;

		trace_event_init(&ev, TRACE_BARRIER);
		failed = writer_put(&w, 3, &ev, &err) < 0;
	}
	assert_true(failed);
	writer_drop(&w);
}

/* Where files cannot be mapped, a buffer is written when it is full, and before the process
 * ends. */
static void test_memory_instead(void **state)
{
	struct writer w;

	(void)state;
	assert_ok(writer_open(&w, "f", 25, &err), err);
	assert_ok(mapped_to_memory(&w.file, &err), err);
	put_barrier(&w);
	put_barrier(&w);
	assert_string_equal(text(), "");
	put_barrier(&w);
	assert_string_equal(text(), "3 barrier\n3 barrier\n");
	writer_rescue(&w);
	assert_string_equal(text(), "3 barrier\n3 barrier\n3 barrier\n");
	writer_rescue(&w);
	put_barrier(&w);
	w.file.owner++; /* a forked child */
	writer_rescue(&w);
	assert_int_equal(file_size(), 30);
	w.file.owner--;
	assert_ok(writer_close(&w, &err), err);
	assert_int_equal(file_size(), 40);
	writer_rescue(&w); /* closed: nothing */
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_what_is_put_is_in_the_file),
	    TEST(test_a_line_longer_than_the_buffer),
	    TEST(test_what_is_reserved_grows),
	    TEST(test_an_existing_file_is_not_touched),
	    TEST(test_a_killed_process_keeps_what_it_put),
	    TEST(test_the_files_of_others_are_left_alone),
	    TEST(test_a_file_that_is_gone),
	    TEST(test_memory_instead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
