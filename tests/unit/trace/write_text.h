/* write_text.h: a trace given as lines of our form, written in another form, and what is then in
 * the file. */
#ifndef ORRERY_TESTS_WRITE_TEXT_H
#define ORRERY_TESTS_WRITE_TEXT_H

#include "unit/trace/trace_test.h"

/* The lines (without the mark, and each rank's init) as a trace of so many ranks, written to `to`:
 * 0, or -1 with *err. m: what is known of the run, or NULL. */
static inline int lines_write_of(const struct trace_manifest *m, const char *lines, uint32_t ranks,
                                 enum trace_write_form form, const char *to, struct str *notices,
                                 struct err *err)
{
	char dir[64], path[256], mark[64];
	struct trace_writer *w;
	struct trace_event ev;
	struct trace *t;
	struct str s;
	int more = 0;

	folder_make(dir);
	str_init(&s);
	snprintf(mark, sizeof mark, "# orrery-trace 1 ranks=%u\n", ranks);
	str_puts(&s, mark);
	for (uint32_t r = 0; r < ranks; r++)
		str_printf(&s, "%u init\n", r);
	str_puts(&s, lines);
	t = trace_open(file_make(path, dir, "in", s.s), 0, err);
	str_release(&s);
	if (!t)
		fail_msg("%s", err->text);
	w = trace_writer_open(to, form, ranks, err);
	if (!w)
		fail_msg("%s", err->text);
	if (m)
		trace_writer_about(w, m);
	for (uint32_t r = 0; r < ranks && more >= 0; r++) {
		while ((more = trace_next(t, r, &ev, err)) > 0)
			if (trace_writer_put(w, r, &ev, err) < 0)
				break;
		more = more > 0 ? -1 : more;
		if (more == 0)
			more = trace_writer_rank_done(w, r, err);
	}
	trace_close(t);
	folder_remove(dir);
	if (more == 0)
		return trace_writer_commit(w, m, notices, err);
	trace_writer_abandon(w);
	return -1;
}

static inline int lines_write(const char *lines, uint32_t ranks, enum trace_write_form form,
                              const char *to, struct str *notices, struct err *err)
{
	return lines_write_of(NULL, lines, ranks, form, to, notices, err);
}

/* The file that the lines become must have this text. */
static inline void becomes_of(const struct trace_manifest *m, const char *lines, uint32_t ranks,
                              enum trace_write_form form, const char *wanted)
{
	char dir[64], to[256], *text;
	struct err err;

	folder_make(dir);
	snprintf(to, sizeof to, "%s/out", dir);
	assert_ok(lines_write_of(m, lines, ranks, form, to, NULL, &err), err);
	text = file_text(to);
	assert_string_equal(text, wanted);
	free(text);
	folder_remove(dir);
}

static inline void becomes(const char *lines, uint32_t ranks, enum trace_write_form form,
                           const char *wanted)
{
	becomes_of(NULL, lines, ranks, form, wanted);
}

/* It cannot be written, for this reason, and there is no file. */
static inline void cannot_become(const char *lines, uint32_t ranks, enum trace_write_form form,
                                 const char *why)
{
	char dir[64], to[256];
	struct err err = {0};

	folder_make(dir);
	snprintf(to, sizeof to, "%s/out", dir);
	assert_fails(lines_write(lines, ranks, form, to, NULL, &err), err, ERR_INPUT, why);
	assert_int_equal(access(to, F_OK), -1);
	folder_remove(dir);
}

#endif
