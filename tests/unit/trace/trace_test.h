/* trace_test.h: what the tests of the trace room share: a line parsed by a dialect, a folder to
 * write in. */
#ifndef ORRERY_TESTS_TRACE_TEST_H
#define ORRERY_TESTS_TRACE_TEST_H

#include "test.h"

#include "trace/trace_int.h"

#include <ftw.h>
#include <unistd.h>

/* One line, without its rank: "send 1 0 1e6". The event's arrays live until the next call. */
struct reader {
	struct grammar grammar;
	struct lists lists;
	struct parse ps;
	struct err err;
	char line[4096];
	struct trace_event ev;
};

static inline void reader_init(struct reader *r, int dialect, uint32_t ranks)
{
	memset(r, 0, sizeof *r);
	grammar_init(&r->grammar, &trace_dialects[dialect]);
	r->grammar.ranks = ranks;
	r->grammar.peers = (int32_t)ranks;
	r->ps.grammar = &r->grammar;
	r->ps.lists = &r->lists;
	r->ps.err = &r->err;
}

/* The event, or NULL with the message in ps.text. */
static inline const struct trace_event *read_line(struct reader *r, const char *text)
{
	const char *end;

	memset(r->line, 0, sizeof r->line);
	snprintf(r->line, sizeof r->line - 16, "%s\n", text);
	end = event_parse(&r->ps, r->line, &r->ev);
	if (!end)
		return NULL;
	assert_int_equal(*end, '\n');
	return &r->ev;
}

static inline const struct trace_event *must_read(struct reader *r, const char *text)
{
	const struct trace_event *ev = read_line(r, text);

	if (!ev)
		fail_msg("%s: %s", text, r->ps.text);
	return ev;
}

#define assert_line_fails(r, line_, part) \
	do { \
		assert_null(read_line(r, line_)); \
		if (!strstr((r)->ps.text, part)) \
			fail_msg("%s: \"%s\" is not in: %s", line_, part, (r)->ps.text); \
	} while (0)

#define assert_counts(v, n, ...) \
	do { \
		const int64_t want_[] = {__VA_ARGS__}; \
		assert_int_equal(n, sizeof want_ / sizeof *want_); \
		assert_memory_equal(v, want_, sizeof want_); \
	} while (0)

/* --- files --- */
static inline int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* A new folder under TMPDIR, whose name is in dir. */
static inline void folder_make(char dir[64])
{
	snprintf(dir, 64, "/tmp/orrery-trace-XXXXXX");
	assert_non_null(mkdtemp(dir));
}

static inline void folder_remove(const char *dir)
{
	nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* dir/name with this content; its path is in path. */
static inline const char *file_make(char path[256], const char *dir, const char *name,
                                    const char *content)
{
	FILE *f;

	snprintf(path, 256, "%s/%s", dir, name);
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, strlen(content), f), strlen(content));
	fclose(f);
	return path;
}

static inline char *file_text(const char *path)
{
	struct err err;
	size_t n;
	char *text = input_read_all(path, &n, &err);

	if (!text)
		fail_msg("%s", err.text);
	return text;
}

/* All events of all ranks, asked in turn, as lines of our form; to be freed. NULL with *err set. */
static inline char *trace_text(const char *path, uint32_t np, struct err *err)
{
	struct trace *t = trace_open(path, np, err);
	struct trace_event ev;
	struct str s;
	int more = 1, failed = 0;

	if (!t)
		return NULL;
	str_init(&s);
	str_puts(&s, "");
	while (more && !failed) {
		more = 0;
		for (uint32_t r = 0; r < trace_ranks(t) && !failed; r++) {
			int k = trace_next(t, r, &ev, err);

			if (k > 0)
				trace_event_format(&s, r, &ev);
			more |= k > 0;
			failed = k < 0;
		}
	}
	trace_close(t);
	if (!failed)
		return s.s;
	str_release(&s);
	return NULL;
}

#define assert_trace_is(path, np, wanted) \
	do { \
		struct err err_; \
		char *text_ = trace_text(path, np, &err_); \
		if (!text_) \
			fail_msg("%s", err_.text); \
		assert_string_equal(text_, wanted); \
		free(text_); \
	} while (0)

#define assert_trace_fails(path, np, part) \
	do { \
		struct err err_ = {0}; \
		char *text_ = trace_text(path, np, &err_); \
		if (text_) \
			fail_msg("%s was read: %s", path, text_); \
		if (!strstr(err_.text, part)) \
			fail_msg("\"%s\" is not in: %s", part, err_.text); \
	} while (0)

#endif
