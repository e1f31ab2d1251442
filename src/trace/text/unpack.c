/* unpack.c: a compressed file as a file that can be read anywhere: its text in an unnamed temporary
 * file. */
#include "trace/trace_int.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { UNPACK_BUFFER = 256 << 10 };

/* File systems of clusters (NFS, Lustre, FUSE) know no files without a name: one that loses it. */
static int named_open(const char *dir)
{
	char path[PATH_MAX];
	int fd, n = snprintf(path, sizeof path, "%s/orrery-XXXXXX", dir);

	if ((size_t)n >= sizeof path)
		return errno = ENAMETOOLONG, -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int temporary_open(struct err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		fd = named_open(dir);
	return fd >= 0 ? fd
	               : err_sys(err, errno, "cannot make a temporary file in %s (TMPDIR)", dir);
}

static int text_write(int fd, const char *text, size_t n, const char *path, struct err *err)
{
	while (n > 0) {
		ssize_t k = write(fd, text, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return err_sys(err, errno,
			               "%s: cannot write its text to a temporary file (TMPDIR)",
			               path);
		text += k;
		n -= (size_t)k;
	}
	return 0;
}

int unpack(const char *path, struct err *err)
{
	struct lines l;
	const char *line;
	int fd = temporary_open(err), more;

	if (fd < 0)
		return -1;
	more = lines_open(&l, path, UNPACK_BUFFER, 1, err);
	if (more < 0) {
		close(fd);
		return -1;
	}
	while ((more = lines_next(&l, &line, err)) > 0) {
		more = text_write(fd, l.buf + l.start, l.limit - l.start, path,
		                  err); /* all lines that are there */
		if (more < 0)
			break;
		l.start = l.limit;
	}
	lines_close(&l);
	if (more == 0)
		return fd;
	close(fd);
	return -1;
}
