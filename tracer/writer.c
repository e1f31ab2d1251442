/* writer.c: see writer.h. */
#include "writer.h"

#include "sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int writer_open(struct writer *w, const char *path, size_t window, struct err *err)
{
	*w = (struct writer){.is_text = 1, .owner = getpid(), .file.fd = -1};
	str_init(&w->line);
	w->memo = malloc(sizeof *w->memo);
	if (!w->memo)
		return err_nomem(err, "a trace", sizeof *w->memo);
	memo_init(w->memo);
	if (mapped_open(&w->file, path, window, err) == 0)
		return 0;
	free(w->memo);
	w->memo = NULL;
	return -1;
}

int writer_open_compressed(struct writer *w, const char *dir, uint32_t rank, uint32_t ranks,
                           size_t window, size_t memory, void (*forget)(int64_t req),
                           struct err *err)
{
	*w = (struct writer){.owner = getpid(), .file.fd = -1};
	w->sink = malloc(sizeof *w->sink);
	if (!w->sink)
		return err_nomem(err, "a trace", sizeof *w->sink);
	return sink_open(w->sink, dir, rank, ranks, window, memory, forget, err);
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
	if (!w->is_text)
		return sink_put(w->sink, ev, err);
	str_clear(&w->line);
	memo_format(w->memo, &w->line, rank, ev);
	if (line_keep(w, err) < 0)
		return -1;
	w->events++;
	return 0;
}

int writer_compute(struct writer *w, uint32_t rank, int64_t region, double volume, double duration,
                   struct err *err)
{
	struct trace_event ev;

	if (!w->is_text)
		return sink_compute(w->sink, region, volume, duration, err);
	trace_event_init(&ev, TRACE_COMPUTE);
	ev.region = region;
	ev.volume = volume;
	ev.duration = duration;
	return writer_put(w, rank, &ev, err);
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
	if (!w->is_text)
		return sink_note(w->sink, text, err);
	str_clear(&w->line);
	str_puts(&w->line, "# ");
	str_puts(&w->line, text);
	str_putc(&w->line, '\n');
	return line_keep(w, err);
}

void writer_rescue(struct writer *w)
{
	if (w->is_text)
		mapped_rescue(&w->file);
	else if (w->sink)
		sink_rescue(w->sink);
}

int writer_end(struct writer *w, struct err *err)
{
	return w->is_text ? writer_note(w, err, "end %llu", (unsigned long long)w->events)
	                  : sink_end(w->sink, err);
}

int writer_close(struct writer *w, struct err *err)
{
	int result = 0;

	if (w->is_text) {
		result = mapped_close(&w->file, err);
		str_release(&w->line);
		if (w->memo)
			memo_release(w->memo);
		free(w->memo);
		w->memo = NULL;
	} else if (w->sink) {
		sink_close(w->sink, 0);
		free(w->sink);
		w->sink = NULL;
	}
	return result;
}

void writer_drop(struct writer *w)
{
	struct err dropped;

	writer_close(w, &dropped);
}

int writer_leave(struct writer *w, struct err *err)
{
	return sink_leave(w->sink, err) < 0 ? -1 : writer_close(w, err);
}

void writer_undo(struct writer *w, const char *path)
{
	if (w->is_text)
		unlink(path);
	else if (w->sink)
		sink_close(w->sink, 1);
}
