/* streams.c: see streams.h. */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
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

int line_bytes(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && !may_go_on(fd))
			return -1;
		p += w > 0 ? w : 0;
		n -= w > 0 ? (size_t)w : 0;
	}
	return 0;
}

static void line_write(struct line *l, int fd, int whole)
{
	line_bytes(fd, l->text, l->n);
	l->n = 0;
	l->going_on = !whole;
}

/* Whether another byte has room. */
static int line_grow(struct line *l)
{
	size_t room = l->room ? 2 * l->room : LINE_PIECE;
	char *text = room <= LINE_MOST ? realloc(l->text, room) : NULL;

	if (!text)
		return 0;
	l->text = text;
	l->room = room;
	return 1;
}

static void line_byte(struct line *l, int fd, char c)
{
	if (l->n == l->room && !line_grow(l)) {
		line_write(l, fd, 0);
		if (l->room == 0) { /* no memory at all */
			line_bytes(fd, &c, 1);
			return;
		}
	}
	l->text[l->n++] = c;
}

static void line_begin(struct line *l, uint32_t rank, int fd)
{
	char number[32];
	int n = snprintf(number, sizeof number, "[%u] ", rank);

	for (int i = 0; i < n; i++)
		line_byte(l, fd, number[i]);
}

void line_take(struct line *l, uint32_t rank, int fd, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (l->n == 0 && !l->going_on)
			line_begin(l, rank, fd);
		line_byte(l, fd, p[i]);
		if (p[i] == '\n')
			line_write(l, fd, 1);
	}
}

void line_end(struct line *l, uint32_t rank, int fd)
{
	if (l->n > 0 || l->going_on)
		line_take(l, rank, fd, "\n", 1);
	free(l->text);
	*l = (struct line){.text = NULL};
}

int streams_folder(const char *folder, struct err *err)
{
	return mkdir(folder, 0777) < 0 && errno != EEXIST ? err_sys(err, errno, "%s", folder) : 0;
}

int streams_file(const char *folder, uint32_t rank, int stream, int flags, struct err *err)
{
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/rank-%u.%s", folder, rank,
	                 stream == 1 ? "out" : "err");
	int fd;

	if (n < 0 || (size_t)n >= sizeof path) /* cut, it would be another file */
		return err_sys(err, ENAMETOOLONG, "the folder of the ranks' output");
	fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);
	return fd < 0 ? err_sys(err, errno, "%s", path) : fd;
}

int streams_room(const char *folder, struct err *err)
{
	static const char page[4096];
	int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), r = 0;

	if ((fd < 0 || line_bytes(fd, page, sizeof page) < 0) &&
	    (errno == ENOSPC || errno == EDQUOT))
		r = err_sys(err, errno, "%s: the ends of what ranks wrote may be missing", folder);
	if (fd >= 0)
		close(fd);
	return r;
}
