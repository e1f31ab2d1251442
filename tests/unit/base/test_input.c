/* test_input.c: line ends, long lines, gzip and zstd (whole, several members, damaged), places. */
#include "base/input.h"

#include "test.h"
#include "tmp.h"

#include <zlib.h>

static struct tmp tmp;
static struct err err;

static int setup(void **state)
{
	(void)state;
	tmp_init(&tmp);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

/* All lines of a file, joined by '|'; the test fails on an error. */
static const char *lines_of(const char *path, size_t buffer)
{
	static char all[1000];
	struct input *in = input_open(path, buffer, &err);
	size_t n, used = 0;
	char *line;
	int more;

	if (!in)
		fail_msg("%s", err.text);
	while ((more = input_line(in, &line, &n, &err)) > 0) {
		assert_int_equal(strlen(line), n);
		used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used ? "|" : "",
		                         line);
	}
	all[used] = '\0';
	assert_ok(more, err);
	input_close(in);
	return all;
}

static void line_ends(void **state)
{
	(void)state;
	assert_string_equal(lines_of(tmp_write(&tmp, "a", "one\ntwo\n"), 0), "one|two");
	assert_string_equal(lines_of(tmp_write(&tmp, "a", "one\r\ntwo"), 0), "one|two");
	assert_string_equal(lines_of(tmp_write(&tmp, "a", "a\n\n\nb\n"), 0), "a|||b");
	assert_string_equal(lines_of(tmp_write(&tmp, "a", ""), 0), "");
	assert_string_equal(lines_of(tmp_write(&tmp, "a", "x"), 0), "x");
}

/* The mark of UTF-8 before the first line is no part of it, however long the buffer is; elsewhere
 * it is text. */
static void mark_of_utf8(void **state)
{
	(void)state;
	assert_string_equal(lines_of(tmp_write(&tmp, "mark", "\xef\xbb\xbfone\r\ntwo\n"), 0),
	                    "one|two");
	assert_string_equal(lines_of(tmp_write(&tmp, "mark", "\xef\xbb\xbfone"), 1), "one");
	assert_string_equal(lines_of(tmp_write(&tmp, "mark", "\xef\xbb\xbf\n1"), 0), "1");
	assert_string_equal(lines_of(tmp_write(&tmp, "mark", "\xef\xbb\xbf"), 0), "");
	assert_string_equal(lines_of(tmp_write(&tmp, "mark", "a\n\xef\xbb\xbf"), 0),
	                    "a|\xef\xbb\xbf");
	assert_string_equal(lines_of(tmp_write(&tmp, "mark", "\xef\xbb"), 0), "\xef\xbb");
}

static void places(void **state)
{
	struct input *in = input_open(tmp_write(&tmp, "a", "one\r\ntwo\nlast"), 0, &err);
	char *line;
	size_t n;

	(void)state;
	assert_non_null(in);
	assert_string_equal(input_name(in), tmp.path);
	assert_int_equal(input_lineno(in), 0);
	input_line(in, &line, &n, &err);
	assert_int_equal(input_lineno(in), 1);
	assert_int_equal(input_offset(in), 5);
	input_line(in, &line, &n, &err);
	input_line(in, &line, &n, &err);
	assert_int_equal(input_lineno(in), 3);
	assert_int_equal(input_offset(in), 13);
	assert_int_equal(input_line(in, &line, &n, &err), 0);
	assert_int_equal(input_line(in, &line, &n, &err), 0);
	input_close(in);
}

/* Lines of every length around the size of the smallest buffer. */
static void lines_longer_than_the_buffer(void **state)
{
	struct input *in;
	char *line;
	size_t n, i, j;
	FILE *f = fopen(tmp_path(&tmp, "long"), "w");

	(void)state;
	for (i = 0; i < 1200; i++) {
		for (j = 0; j < i; j++)
			putc('a' + (int)(i + j) % 26, f);
		putc('\n', f);
	}
	fclose(f);
	in = input_open(tmp.path, 1, &err);
	assert_non_null(in);
	for (i = 0; i < 1200; i++) {
		assert_int_equal(input_line(in, &line, &n, &err), 1);
		assert_int_equal(n, i);
		for (j = 0; j < i; j++)
			assert_int_equal(line[j], 'a' + (int)(i + j) % 26);
	}
	assert_int_equal(input_line(in, &line, &n, &err), 0);
	input_close(in);
}

static void a_line_without_end(void **state)
{
	struct input *in;
	char *line;
	size_t n;

	(void)state;
	tmp_write(&tmp, "huge", "first\n");
	assert_int_equal(truncate(tmp.path, 70 << 20), 0);
	in = input_open(tmp.path, 0, &err);
	assert_int_equal(input_line(in, &line, &n, &err), 1);
	assert_fails(input_line(in, &line, &n, &err), err, ERR_INPUT,
	             ":2: a line over 67108864 bytes");
	input_close(in);
}

/* A file of zero bytes alone, or with a tail of them, is no text; but for whoever allows a tail. */
static void tails_of_zero_bytes(void **state)
{
	static const char *const text[] = {"\0\0\0", "a\n\0\0", "a\0\0"};
	static const size_t length[] = {3, 4, 3};
	static const char *const place[] = {":1:1: a zero byte", ":2:1: a zero byte",
	                                    ":1:2: a zero byte"};
	static const int lines[] = {1, 2, 1};

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int allowed = 0; allowed < 2; allowed++) {
			const char *path = tmp_write_n(&tmp, "zeros", text[i], length[i]);
			struct input *in = input_open(path, 0, &err);
			char *line;
			size_t n;

			assert_non_null(in);
			if (allowed)
				input_allow_tail(in);
			for (int k = 1; k < lines[i]; k++)
				assert_int_equal(input_line(in, &line, &n, &err), 1);
			if (!allowed) {
				assert_fails(input_line(in, &line, &n, &err), err, ERR_INPUT,
				             place[i]);
			} else {
				assert_int_equal(input_line(in, &line, &n, &err), 1);
				assert_int_equal(n, i == 1 ? 2 : 3);
				assert_int_equal(input_line(in, &line, &n, &err), 0);
			}
			input_close(in);
		}
}

static size_t compress_text(const char *text, unsigned char *out, size_t room)
{
	z_stream z = {0};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
	                 Z_OK);
	z.next_in = (unsigned char *)(uintptr_t)text;
	z.avail_in = (unsigned)strlen(text);
	z.next_out = out;
	z.avail_out = (unsigned)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

static void gzip(void **state)
{
	unsigned char data[1000] = {0};
	size_t n = compress_text("one\ntw", data, 400),
	       m = compress_text("o\nthree\n", data + n, 400);

	(void)state;
	assert_string_equal(lines_of(tmp_write_n(&tmp, "one.gz", data, n), 0), "one|tw");
	assert_string_equal(lines_of(tmp_write_n(&tmp, "whatever", data, n + m), 0),
	                    "one|two|three");
	assert_string_equal(lines_of(tmp_write_n(&tmp, "padded", data, n + m + 9), 1),
	                    "one|two|three");
}

static int gzip_error(const void *data, size_t n)
{
	struct input *in = input_open(tmp_write_n(&tmp, "bad.gz", data, n), 0, &err);
	char *line;
	int more;

	if (!in)
		return -1;
	while ((more = input_line(in, &line, &n, &err)) > 0)
		;
	input_close(in);
	return more;
}

static void damaged_gzip(void **state)
{
	unsigned char data[1000];
	size_t n = compress_text("one\ntwo\n", data, sizeof data), i;

	(void)state;
	for (i = 2; i < n; i++)
		assert_fails(gzip_error(data, i), err, ERR_INPUT, "ends too soon");
	data[n] = 'x';
	assert_fails(gzip_error(data, n + 1), err, ERR_INPUT, "something else follows");
	data[n - 5] ^= 1; /* in the checksum */
	assert_fails(gzip_error(data, n), err, ERR_INPUT, "damaged gzip file");
}

/* RFC 8878: a frame of one raw block, at most 255 bytes; the sizes are in its header. */
static size_t zstd_frame(const char *text, unsigned char *out)
{
	size_t n = strlen(text);
	const unsigned char head[] = {0x28,
	                              0xb5,
	                              0x2f,
	                              0xfd,
	                              0x20,
	                              (unsigned char)n,
	                              (unsigned char)(n << 3 | 1),
	                              (unsigned char)(n >> 5),
	                              0};

	memcpy(out, head, sizeof head);
	memcpy(out + sizeof head, text, n);
	return sizeof head + n;
}

static void zstd(void **state)
{
	unsigned char data[400] = {0};
	size_t n = zstd_frame("one\ntw", data), m = zstd_frame("o\nthree\n", data + n), i;

	(void)state;
#ifndef ORRERY_HAVE_ZSTD
	assert_fails(gzip_error(data, n), err, ERR_INPUT, "built without");
	return;
#endif
	assert_string_equal(lines_of(tmp_write_n(&tmp, "one.zst", data, n), 0), "one|tw");
	assert_string_equal(lines_of(tmp_write_n(&tmp, "whatever", data, n + m), 1),
	                    "one|two|three");
	for (i = 4; i < n + m; i++)
		if (i != n)
			assert_fails(gzip_error(data, i), err, ERR_INPUT, "ends too soon");
	data[6] |= 6; /* no such kind of block */
	assert_fails(gzip_error(data, n), err, ERR_INPUT, "damaged zstd file");
}

/* As `xz`, `bzip2`, `zip` and `lz4` begin their files. */
static void other_packers_are_named(void **state)
{
	(void)state;
	assert_fails(gzip_error("\3757zXZ\0\0\4", 8), err, ERR_INPUT, "packed by xz");
	assert_fails(gzip_error("BZh91AY&SY", 10), err, ERR_INPUT, "packed by bzip2");
	assert_fails(gzip_error("BZh11AY&SY", 10), err, ERR_INPUT, "packed by bzip2");
	assert_fails(gzip_error("PK\3\4\24\0\0\0", 8), err, ERR_INPUT, "packed by zip");
	assert_fails(gzip_error("\4\"M\30d@", 6), err, ERR_INPUT, "unpack it first (lz4 -d)");
	assert_string_equal(lines_of(tmp_write(&tmp, "text", "BZh\nPK\n"), 0), "BZh|PK");
}

static void what_cannot_be_opened(void **state)
{
	char *line;
	size_t n;
	struct input *in;

	(void)state;
	assert_null(input_open("/nonexistent/file", 0, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "cannot open /nonexistent/file: No such file"));
	in = input_open(tmp.dir, 0, &err);
	if (in) /* if it opens, reading tells */
		assert_fails(input_line(in, &line, &n, &err), err, ERR_INPUT, "Is a directory");
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "Is a directory"));
	input_close(in);
}

static void whole_files(void **state)
{
	char *text;
	size_t n;

	(void)state;
	text = input_read_all(tmp_write(&tmp, "a", "one\r\ntwo"), &n, &err);
	assert_int_equal(n, 8);
	assert_string_equal(text, "one\r\ntwo");
	free(text);
	text = input_read_all(tmp_write(&tmp, "a", ""), &n, &err);
	assert_int_equal(n, 0);
	assert_string_equal(text, "");
	free(text);
	tmp_write(&tmp, "big", "");
	assert_int_equal(truncate(tmp.path, 3000001), 0);
	text = input_read_all(tmp.path, &n, &err);
	assert_int_equal(n, 3000001);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(line_ends),
	    cmocka_unit_test(mark_of_utf8),
	    cmocka_unit_test(places),
	    cmocka_unit_test(lines_longer_than_the_buffer),
	    cmocka_unit_test(a_line_without_end),
	    cmocka_unit_test(tails_of_zero_bytes),
	    cmocka_unit_test(gzip),
	    cmocka_unit_test(damaged_gzip),
	    cmocka_unit_test(zstd),
	    cmocka_unit_test(other_packers_are_named),
	    cmocka_unit_test(what_cannot_be_opened),
	    cmocka_unit_test(whole_files),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
