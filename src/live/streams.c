/* streams.c: see streams.h. */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A write failed: whether to go on, once there is room where the descriptor does not block. */
static int may_go_on(int fd)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};

	if (errno == EAGAIN)
		poll(&room, 1, -1);
	return errno == EINTR || errno == EAGAIN;
}

void line_bytes(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && !may_go_on(fd))
			return;
		p += w > 0 ? w : 0;
		n -= w > 0 ? (size_t)w : 0;
	}
}

static void line_write(struct line *l, uint32_t rank, int fd)
{
	char out[LINE_PIECE + 32];
	int n = snprintf(out, 32, "[%u] ", rank);

	memcpy(out + n, l->text, l->n);
	line_bytes(fd, out, (size_t)n + l->n);
	l->n = 0;
}

void line_take(struct line *l, uint32_t rank, int fd, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		l->text[l->n++] = p[i];
		if (p[i] == '\n' || l->n == LINE_PIECE - 1)
			line_write(l, rank, fd);
	}
}

void line_end(struct line *l, uint32_t rank, int fd)
{
	if (l->n == 0)
		return;
	l->text[l->n++] = '\n';
	line_write(l, rank, fd);
}

int streams_folder(const char *folder, struct err *err)
{
	return mkdir(folder, 0777) < 0 && errno != EEXIST ? err_sys(err, errno, "%s", folder) : 0;
}

int streams_file(const char *folder, uint32_t rank, int stream, int flags, struct err *err)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/rank-%u.%s", folder, rank, stream == 1 ? "out" : "err");
	fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
	return fd < 0 ? err_sys(err, errno, "%s", path) : fd;
}
