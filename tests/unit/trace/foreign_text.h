/* foreign_text.h: what a foreign trace becomes, as text; and binary files written by hand. */
#ifndef ORRERY_TESTS_FOREIGN_TEXT_H
#define ORRERY_TESTS_FOREIGN_TEXT_H

#include "tmp.h"
#include "trace/trace.h"

/* A file that is written again and again: a new one each time, as a file system may bring what is
 * written over an old one to the disk at once (ext4), which takes long. */
static inline const char *fresh_write_n(struct tmp *t, const char *name, const void *data, size_t n)
{
	remove(tmp_path(t, name));
	return tmp_write_n(t, name, data, n);
}

static inline const char *fresh_write(struct tmp *t, const char *name, const char *text)
{
	return fresh_write_n(t, name, text, strlen(text));
}

/* All events, rank by rank, without durations; to be released. */
static inline struct str foreign_text(const char *path, int even_split)
{
	struct trace_open_options o = {.even_split = even_split};
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open_with(path, 0, &o, &err);
	struct str s;
	int more = 0;

	str_init(&s);
	if (!t)
		fail_msg("%s", err.text);
	for (uint32_t r = 0; r < trace_ranks(t); r++) {
		while ((more = trace_next(t, r, &ev, &err)) > 0) {
			ev.duration = -1;
			trace_event_format(&s, r, &ev);
		}
		if (more < 0)
			fail_msg("%s", err.text);
	}
	trace_close(t);
	return s;
}

static inline void foreign_is(const char *path, const char *expected)
{
	struct str s = foreign_text(path, 0);

	assert_string_equal(s.s, expected);
	str_release(&s);
}

/* All that is noted while it is read. */
static inline void foreign_notes(const char *path, const char *expected)
{
	struct err err;
	struct trace *t = trace_open(path, 0, &err);

	if (!t)
		fail_msg("%s", err.text);
	assert_string_equal(trace_notices(t), expected);
	trace_close(t);
}

/* The records of so many ranks, which[] says which, end before the program did. */
static inline void foreign_partial(const char *path, uint32_t n, const char *which)
{
	struct err err;
	struct trace *t = trace_open(path, 0, &err);
	struct str s;

	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(trace_drain(t, &err), 0);
	assert_int_equal(trace_partial(t), n);
	str_init(&s);
	trace_partial_which(t, &s);
	assert_string_equal(n ? s.s : "", which);
	str_release(&s);
	trace_close(t);
}

static inline void foreign_fails(const char *path, const char *part)
{
	struct err err;
	struct trace *t = trace_open(path, 0, &err);

	assert_null(t);
	assert_int_equal(err.kind, ERR_INPUT);
	if (!strstr(err.text, part))
		fail_msg("\"%s\" is not in: %s", part, err.text);
}

/* A file as it grows. */
struct blob {
	unsigned char at[1 << 16];
	size_t n;
	int big;
};

static inline void blob_put(struct blob *b, uint64_t v, unsigned size)
{
	assert_true(b->n + size <= sizeof b->at);
	for (unsigned i = 0; i < size; i++) /* beyond its eight bytes: zeros */
		b->at[b->n + (b->big ? size - 1 - i : i)] = i < sizeof v
		                                                ? (unsigned char)(v >> 8 * i)
		                                                : 0;
	b->n += size;
}

#endif
