/* test_writer.c: tests of tracer/writer.c. */
#include "test.h"

#include "tracer/writer.h"

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

static void put_barrier(struct writer *w)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_BARRIER);
	assert_ok(writer_put(w, 3, &ev, &err), err);
}

static void test_nothing_is_written_before_it_is_full(void **state)
{
	struct writer w;

	(void)state;
	assert_ok(writer_open(&w, "f", 20, &err), err);
	put_barrier(&w); /* 10 bytes */
	assert_string_equal(text(), "");
	put_barrier(&w);
	assert_string_equal(text(), "3 barrier\n3 barrier\n");
	put_barrier(&w);
	assert_ok(writer_note(&w, &err, "end %d\nof it", 3), err);
	assert_ok(writer_close(&w, &err), err);
	assert_string_equal(text(), "3 barrier\n3 barrier\n3 barrier\n# end 3 of it\n");
	assert_int_equal(w.events, 3);
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

static void test_rescue_writes_whole_lines_once(void **state)
{
	struct writer w;

	(void)state;
	assert_ok(writer_open(&w, "f", 1000, &err), err);
	put_barrier(&w);
	str_puts(&w.lines, "3 ba"); /* a line that was interrupted */
	writer_rescue(&w);
	assert_string_equal(text(), "3 barrier\n");
	writer_rescue(&w);
	put_barrier(&w);
	assert_ok(writer_close(&w, &err), err);
	assert_string_equal(text(), "3 barrier\n3 barrier\n");
	writer_rescue(&w); /* closed: nothing */
}

static void test_a_child_writes_nothing(void **state)
{
	struct writer w;

	(void)state;
	assert_ok(writer_open(&w, "f", 1000, &err), err);
	put_barrier(&w);
	w.owner++;
	writer_rescue(&w);
	assert_string_equal(text(), "");
	writer_drop(&w);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_nothing_is_written_before_it_is_full),
	    TEST(test_a_line_longer_than_the_buffer),
	    TEST(test_an_existing_file_is_not_touched),
	    TEST(test_rescue_writes_whole_lines_once),
	    TEST(test_a_child_writes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
