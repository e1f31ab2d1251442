/* writer.c: see writer.h. */
#include "writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An upper bound of a line: fixed fields, then numbers of up to 20 digits and a comma. */
enum { LINE_FIXED = 512, LINE_NUMBER = 22 };

static size_t line_bound(const struct trace_event *ev)
{
	int64_t numbers = ev->n_counts + ev->n_counts2 + ev->n_members + ev->n_reqs + ev->n_done;

	return LINE_FIXED + LINE_NUMBER * (size_t)numbers + (ev->text ? strlen(ev->text) : 0);
}

/* Signals wait while the buffer is written or moved: a handler would see it twice, or where it no
 * longer is. */
static void signals_block(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, saved);
}

static void signals_restore(const sigset_t *saved)
{
	pthread_sigmask(SIG_SETMASK, saved, NULL);
}

int writer_open(struct writer *w, const char *path, size_t buffer, struct err *err)
{
	*w = (struct writer){.fd = -1, .owner = getpid(), .limit = buffer, .path = path};
	memo_init(&w->memo);
	w->lines.cap = buffer + LINE_FIXED;
	w->lines.s = malloc(w->lines.cap);
	if (!w->lines.s)
		return err_nomem(err, "the trace buffer", w->lines.cap);
	w->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (w->fd >= 0)
		return 0;
	err_sys(err, errno, "%s", path);
	writer_drop(w);
	return -1;
}

/* A write over the limit on the size of files sends SIGXFSZ, which ends the program. It is blocked
 * here; it is taken away before it is delivered. */
static void limit_signal_take(void)
{
	struct timespec now = {0};
	sigset_t limit;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	while (sigtimedwait(&limit, NULL, &now) < 0 && errno == EINTR)
		continue;
}

/* Writes n bytes: how many were written, less than n with errno set on error. */
static size_t write_all(int fd, const char *s, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t k = write(fd, s + done, n - done);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		done += (size_t)k;
	}
	return done;
}

int writer_flush(struct writer *w, struct err *err)
{
	sigset_t saved;
	size_t done, n = w->committed;
	int error;

	if (n == 0)
		return 0;
	signals_block(&saved);
	done = write_all(w->fd, w->lines.s, n);
	error = errno;
	if (done < n && error == EFBIG)
		limit_signal_take();
	w->bytes += done;
	w->committed = 0;
	w->lines.n = 0;
	signals_restore(&saved);
	return done == n ? 0 : err_sys(err, error, "%s", w->path);
}

/* Room for a line of up to n bytes behind what is committed. */
static int writer_reserve(struct writer *w, size_t n, struct err *err)
{
	size_t cap = w->lines.n + n + 1;
	sigset_t saved;
	char *moved;

	if (cap <= w->lines.cap)
		return 0;
	signals_block(&saved);
	moved = realloc(w->lines.s, cap);
	if (moved) {
		w->lines.s = moved;
		w->lines.cap = cap;
	}
	signals_restore(&saved);
	return moved ? 0 : err_nomem(err, "the trace buffer", cap);
}

/* A line was added behind what is committed: commits it, or drops it if memory ran out on the
 * way. */
static int writer_commit(struct writer *w, struct err *err)
{
	if (w->lines.failed) {
		w->lines.failed = 0;
		w->lines.n = w->committed;
		return err_nomem(err, "a line of the trace", w->lines.cap);
	}
	__atomic_signal_fence(__ATOMIC_RELEASE);
	w->committed = w->lines.n;
	return w->committed >= w->limit ? writer_flush(w, err) : 0;
}

int writer_put(struct writer *w, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	if (writer_reserve(w, line_bound(ev), err) < 0)
		return -1;
	memo_format(&w->memo, &w->lines, rank, ev);
	w->events++;
	return writer_commit(w, err);
}

int writer_note(struct writer *w, struct err *err, const char *fmt, ...)
{
	struct str text;
	va_list ap;
	int n, rc = -1;
	char buf[1024];

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	if (n < 0)
		return err_set(err, ERR_LIMIT, "a note cannot be formatted");
	str_init(&text);
	str_puts(&text, "# ");
	str_puts(&text, buf);
	for (size_t i = 0; i < text.n; i++)
		if (text.s[i] == '\n')
			text.s[i] = ' ';
	str_putc(&text, '\n');
	if (text.failed) {
		err_nomem(err, "a note of the trace", sizeof buf);
	} else if (writer_reserve(w, text.n, err) == 0) {
		str_putn(&w->lines, text.s, text.n);
		rc = writer_commit(w, err);
	}
	str_release(&text);
	return rc;
}

void writer_rescue(struct writer *w)
{
	if (w->fd < 0 || w->owner != getpid())
		return;
	write_all(w->fd, w->lines.s, w->committed);
	w->committed = 0;
	w->lines.n = 0;
}

int writer_close(struct writer *w, struct err *err)
{
	int rc = writer_flush(w, err);

	if (close(w->fd) < 0 && rc == 0)
		rc = err_sys(err, errno, "%s", w->path);
	w->fd = -1;
	writer_drop(w);
	return rc;
}

void writer_drop(struct writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	w->committed = 0;
	str_release(&w->lines);
	memo_release(&w->memo);
}
