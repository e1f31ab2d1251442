/* lines.c: the lines of a trace file, for thousands of files at once: a small buffer each, and
 * descriptors that need not stay open.
 *
 * Files are read with pread at an offset of our own, so a file may be closed between two reads.
 * Closing is not a cache with eviction: a replay asks its ranks in turn, and whatever is evicted
 * first is wanted first. The first files keep their descriptors, the others open and close for each
 * read (measured: 2 microseconds against 4 KiB of lines).
 * Compressed files keep theirs, with what unpacks them (input.c). */
#include "trace/trace_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SPARE = 16, /* a newline, and the eight bytes that may be read after it */
	BUFFER_LEAST = 256,
	KEEP_TO_END = 2, /* others read from it too */
	KEPT_MOST = 512
};
static const size_t line_limit = (size_t)64 << 20;

uint32_t files_kept_open(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 2 > KEPT_MOST)
		return KEPT_MOST;
	return (uint32_t)limit.rlim_cur / 2;
}

ssize_t file_head(int fd, const char *path, void *head, size_t n, struct err *err)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = read(fd, (char *)head + have, n - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno != EAGAIN) /* a pipe that has nothing yet */
			return err_sys(err, errno, "cannot read %s", path);
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return (ssize_t)have;
}

static int file_open(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE))
		return err_set(
		    err, ERR_LIMIT,
		    "cannot open %s: too many open files; raise the limit with `ulimit -n`", path);
	return fd < 0 ? err_sys(err, errno, "cannot open %s", path) : fd;
}

static int lines_init(struct lines *l, const char *path, size_t buffer, struct err *err)
{
	memset(l, 0, sizeof *l);
	l->fd = -1;
	l->cap = buffer < BUFFER_LEAST ? BUFFER_LEAST : buffer;
	l->path = strdup(path);
	return l->path ? 0 : err_nomem(err, "the name of a trace file", strlen(path) + 1);
}

int lines_open(struct lines *l, const char *path, size_t buffer, int keep, struct err *err)
{
	if (lines_init(l, path, buffer, err) < 0)
		return -1;
	l->keep = keep != 0;
	return 0;
}

int lines_adopt(struct lines *l, const char *path, int fd, size_t buffer, struct err *err)
{
	if (lines_init(l, path, buffer, err) < 0) {
		close(fd);
		return -1;
	}
	l->keep = KEEP_TO_END;
	l->fd = fd;
	return 0;
}

void lines_close(struct lines *l)
{
	if (l->path && l->fd >= 0)
		close(l->fd);
	input_close(l->gz);
	free(l->buf);
	free(l->path);
	memset(l, 0, sizeof *l);
	l->fd = -1;
}

/* Space for `room` more bytes after end. */
static int lines_reserve(struct lines *l, size_t room, struct err *err)
{
	size_t cap = l->cap;
	char *moved;

	while (cap < l->end + room)
		cap *= 2;
	if (cap > line_limit)
		return err_at(err, l->path, (long)l->lineno + 1, 0,
		              "a line of more than %zu bytes: is this the right file?", line_limit);
	if (l->buf && cap == l->cap)
		return 0;
	moved = realloc(l->buf, cap + SPARE);
	if (!moved)
		return err_nomem(err, "the buffer of a trace file", cap);
	l->buf = moved;
	l->cap = cap;
	return 0;
}

/* Lines of a compressed file, as many as fit. */
static int gz_fill(struct lines *l, struct err *err)
{
	size_t most = l->cap / 2, n;
	char *line;
	int more;

	do {
		more = input_line(l->gz, &line, &n, err);
		if (more <= 0)
			break;
		if (lines_reserve(l, n + 1, err) < 0)
			return -1;
		memcpy(l->buf + l->end, line, n);
		l->end += n;
		l->buf[l->end++] = '\n';
	} while (l->end < most);
	l->limit = l->end;
	if (more == 0)
		l->eof = 1;
	return more < 0 ? -1 : 0;
}

static ssize_t file_read(struct lines *l, struct err *err)
{
	ssize_t n;

	if (l->fd < 0 && (l->fd = file_open(l->path, err)) < 0)
		return -1;
	do
		n = pread(l->fd, l->buf + l->end, l->cap - l->end, (off_t)l->offset);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err_sys(err, errno, "cannot read %s", l->path);
	if (!l->keep || (n <= 0 && l->keep != KEEP_TO_END)) {
		close(l->fd);
		l->fd = -1;
	}
	return n;
}

/* The first bytes tell whether the file is compressed. If it is not, it may begin with the mark of
 * UTF-8 that some editors write, which is none of its first line. */
static int file_begin(struct lines *l, struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t n = sizeof mark - 1;

	l->known = 1;
	if (l->end >= n && memcmp(l->buf, mark, n) == 0)
		l->start = n;
	if (!input_is_packed(l->buf, l->end))
		return 0;
	l->gz = input_open(l->path, 0, err);
	if (!l->gz)
		return -1;
	input_allow_tail(l->gz);
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	l->end = 0;
	return gz_fill(l, err);
}

/* A small file needs no more buffer than its size; what it has now must be there later. It is
 * looked at here and nowhere else: a folder may have tens of thousands. */
static int buffer_fit(struct lines *l, struct err *err)
{
	struct stat st;

	if (l->buf)
		return 0;
	if (l->fd < 0 && (l->fd = file_open(l->path, err)) < 0)
		return -1;
	if (fstat(l->fd, &st) < 0)
		return err_sys(err, errno, "cannot look at %s", l->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT,
		               "%s is not a regular file: traces are read from files", l->path);
	l->size = (uint64_t)st.st_size;
	if (l->size < l->cap)
		l->cap = st.st_size < BUFFER_LEAST ? BUFFER_LEAST : (size_t)st.st_size + 1;
	return 0;
}

/* A writer that was killed leaves what it had reserved and not written (tracer/mapped.h): zeros to
 * the end. Other bytes behind a zero are no trace's. */
static int is_cut(const char *p, size_t n)
{
	const char *zero = memchr(p, '\0', n);

	n = zero ? n - (size_t)(zero - p) : 0;
	return n > 0 && memcmp(zero, zero + 1, n - 1) == 0;
}

static int plain_fill(struct lines *l, struct err *err)
{
	char *newline;
	ssize_t n;

	if (buffer_fit(l, err) < 0)
		return -1;
	if (lines_reserve(l, l->end < l->cap ? 1 : l->cap, err) < 0)
		return -1;
	n = file_read(l, err);
	if (n < 0)
		return -1;
	l->end += (size_t)n;
	l->offset += (size_t)n;
	if (!l->known)
		if (file_begin(l, err) < 0 || l->gz)
			return l->gz ? 0 : -1;
	newline = memrchr(l->buf + l->end - n, '\n', (size_t)n);
	if (newline)
		l->limit = (size_t)(newline + 1 - l->buf);
	if (n > 0 && is_cut(l->buf + l->limit, l->end - l->limit)) {
		l->end = l->limit;
		l->eof = l->cut = 1;
		return 0;
	}
	if (n > 0)
		return 0;
	if (l->offset < l->size) /* by another process; cut after a line it would pass for whole */
		return err_set(err, ERR_INPUT,
		               "%s was made shorter while it was read: try again when it is whole",
		               l->path);
	l->eof = 1;
	if (l->end > 0) { /* the last line has no newline */
		l->buf[l->end] = '\n';
		l->limit = l->end + 1;
	}
	return 0;
}

int lines_fill(struct lines *l, struct err *err)
{
	if (l->eof)
		return 0;
	if (l->start > 0)
		memmove(l->buf, l->buf + l->start, l->end - l->start);
	l->end -= l->start;
	l->start = l->limit = 0;
	while (l->limit == 0 && !l->eof)
		if ((l->gz ? gz_fill(l, err) : plain_fill(l, err)) < 0)
			return -1;
	return l->limit > 0;
}
