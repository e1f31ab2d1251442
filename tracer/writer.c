/* writer.c: see writer.h. */
#include "writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int writer_open(struct writer *w, const char *path, size_t window, struct err *err)
{
	*w = (struct writer){.file.fd = -1};
	memo_init(&w->memo);
	str_init(&w->line);
	return mapped_open(&w->file, path, window, err);
}

/* The line that was formatted becomes part of the file. */
static int line_keep(struct writer *w, struct err *err)
{
	size_t n = w->line.n;
	char *at;

	if (w->line.failed) {
		w->line.failed = 0;
		return err_nomem(err, "a line of the trace", w->line.cap);
	}
	at = mapped_room(&w->file, n, err);
	if (!at)
		return -1;
	memcpy(at, w->line.s, n);
	mapped_keep(&w->file, n);
	return 0;
}

int writer_put(struct writer *w, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	str_clear(&w->line);
	memo_format(&w->memo, &w->line, rank, ev);
	if (line_keep(w, err) < 0)
		return -1;
	w->events++;
	return 0;
}

int writer_note(struct writer *w, struct err *err, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_set(err, ERR_LIMIT, "a note cannot be formatted");
	for (char *p = text; *p; p++)
		if (*p == '\n')
			*p = ' ';
	str_clear(&w->line);
	str_puts(&w->line, "# ");
	str_puts(&w->line, text);
	str_putc(&w->line, '\n');
	return line_keep(w, err);
}

void writer_rescue(struct writer *w)
{
	mapped_rescue(&w->file);
}

int writer_close(struct writer *w, struct err *err)
{
	int result = mapped_close(&w->file, err);

	str_release(&w->line);
	memo_release(&w->memo);
	return result;
}

void writer_drop(struct writer *w)
{
	struct err dropped;

	writer_close(w, &dropped);
}
