/* out.c: the file that an exporter writes. One write per 256 KiB; the first error sticks, and the
 * file is removed: a half export that looks whole is worse than none. */
#include "export_int.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUT_FULL = 256 * 1024 };

int out_open(struct out *o, const char *path, struct err *err)
{
	struct stat st;

	*o = (struct out){.path = path, .fd = STDOUT_FILENO};
	str_init(&o->s);
	if (!strcmp(path, "-")) {
		o->path = "standard output";
		return 0;
	}
	o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->fd < 0)
		return err_sys(err, errno, "writing %s", path);
	o->ours = fstat(o->fd, &st) == 0 && S_ISREG(st.st_mode);
	return 0;
}

static int out_write(struct out *o)
{
	const char *at = o->s.s;
	size_t n = o->s.n;
	ssize_t got;

	while (n > 0) {
		got = write(o->fd, at, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(&o->err, errno, "writing %s", o->path);
		at += got;
		n -= (size_t)got;
	}
	str_clear(&o->s);
	return 0;
}

int out_tick(struct out *o)
{
	if (o->failed)
		return -1;
	if (o->s.failed)
		o->failed = err_nomem(&o->err, o->path, o->s.cap);
	else if (o->s.n >= OUT_FULL)
		o->failed = out_write(o);
	return o->failed;
}

int out_close(struct out *o, int ok, struct err *err)
{
	if (ok && !o->failed && o->s.failed)
		o->failed = err_nomem(&o->err, o->path, o->s.cap);
	if (ok && !o->failed)
		o->failed = out_write(o);
	str_release(&o->s);
	if (o->fd != STDOUT_FILENO && close(o->fd) < 0 && ok && !o->failed)
		o->failed = err_sys(&o->err, errno, "writing %s", o->path);
	if (ok && o->failed)
		err_set(err, o->err.kind, "%s", o->err.text);
	if (ok && !o->failed)
		return 0;
	if (o->ours)
		unlink(o->path);
	return -1;
}
