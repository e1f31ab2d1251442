/* sink.c: see sink.h. */
#include "sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_error(const struct sink *s, int errnum, struct err *err)
{
	return err_sys(err, errnum, "cannot write %s", s->path);
}

static int sink_reopen(struct sink *s, int flags, struct err *err)
{
	s->fd = open(s->part ? s->part : s->path, flags | O_CLOEXEC, 0666);
	return s->fd < 0 ? write_error(s, errno, err) : 0;
}

/* Devices such as /dev/full and /dev/stdout are written as they are. */
static int is_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int sink_close(struct sink *s, struct err *err)
{
	int failed = s->fd >= 0 && close(s->fd) < 0 && errno != EINTR;

	s->fd = -1;
	return failed ? write_error(s, errno, err) : 0;
}

int sink_open(struct sink *s, const char *path, int keep, struct err *err)
{
	memset(s, 0, sizeof *s);
	s->fd = -1;
	s->path = strdup(path);
	if (s->path && !is_device(path)) {
		size_t n = strlen(path) + sizeof ".part";

		s->part = malloc(n);
		if (s->part)
			snprintf(s->part, n, "%s.part", path);
	}
	if (!s->path || (!s->part && !is_device(path))) {
		sink_release(s);
		return err_nomem(err, "a file name", strlen(path));
	}
	s->keep = keep || !s->part;
	if (sink_reopen(s, O_WRONLY | O_CREAT | O_TRUNC, err) < 0) {
		sink_release(s);
		return -1;
	}
	s->open = 1;
	return s->keep ? 0 : sink_close(s, err);
}

int sink_write(struct sink *s, const char *text, size_t n, struct err *err)
{
	while (s->fd < 0 && n > 0)
		if (sink_reopen(s, O_WRONLY | O_APPEND, err) < 0)
			return -1;
	while (n > 0) {
		ssize_t k = write(s->fd, text, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return write_error(s, errno, err);
		text += k;
		n -= (size_t)k;
	}
	return s->keep ? 0 : sink_close(s, err);
}

int sink_commit(struct sink *s, struct err *err)
{
	if (sink_close(s, err) < 0)
		return -1;
	if (s->part && rename(s->part, s->path) < 0)
		return write_error(s, errno, err);
	s->open = 0;
	return 0;
}

void sink_release(struct sink *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->open && s->part)
		unlink(s->part);
	free(s->path);
	free(s->part);
	memset(s, 0, sizeof *s);
	s->fd = -1;
}

int file_replace(const char *path, const char *text, size_t n, struct err *err)
{
	struct sink s;
	int result = sink_open(&s, path, 1, err);

	if (result < 0)
		return -1;
	result = sink_write(&s, text, n, err);
	if (result == 0)
		result = sink_commit(&s, err);
	sink_release(&s);
	return result;
}
