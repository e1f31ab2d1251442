/* output.c: see output.h. Files. */
#include "num.h"
#include "output_int.h"
#include "shown.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const struct output *o, struct err *err)
{
	return output_failed(o->path, err);
}

/* Names that stand for descriptors and devices, whatever is behind them. */
static int is_special(const char *path)
{
	struct stat st;

	if (!strncmp(path, "/proc/", 6) ||
	    (!strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9) != 0))
		return 1;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

char *output_final(const char *path, struct err *err)
{
	char *real = realpath(path, NULL), target[4096];
	ssize_t n;

	if (real)
		return real;
	if (errno == ENOMEM)
		return err_nomem(err, "a file name", strlen(path)), NULL;
	if (errno == ELOOP)
		return err_sys(err, errno, "cannot write %s", path), NULL;
	n = readlink(path, target, sizeof target);
	if (n >= 0) {
		err_set(err, ERR_INPUT,
		        "cannot write %s: it is a symbolic link to %.*s, which is not there", path,
		        (int)n, target);
		return NULL;
	}
	real = strdup(path);
	if (!real)
		err_nomem(err, "a file name", strlen(path));
	return real;
}

char *output_beside(const char *path, int attempt)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash + 1 - path) : 0;
	char *name;

	return asprintf(&name, "%.*s.%.200s" OUTPUT_PART "%d-%d", folder, path, path + folder,
	                (int)getpid(), attempt) < 0
	           ? NULL
	           : name;
}

/* A file without a name in the folder of path; -1 where the file system has none. It gets its name
 * by that of its descriptor (name_give). */
static int nameless_open(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : NULL;
	int fd = slash && !folder
	             ? -1
	             : open(folder ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

	free(folder);
	return fd;
}

static int named_open(struct output *o, struct err *err)
{
	for (int attempt = 0; attempt < OUTPUT_ATTEMPTS; attempt++) {
		o->part = output_beside(o->path, attempt);
		if (!o->part)
			return err_nomem(err, "a file name", strlen(o->path));
		o->fd = open(o->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd >= 0)
			return 0;
		free(o->part);
		o->part = NULL;
		if (errno != EEXIST)
			break;
	}
	return failed(o, err);
}

/* What is there may be replaced only by who could have written to it, and keeps its mode. */
static int old_look(const struct output *o, mode_t *mode, struct err *err)
{
	struct stat st;

	*mode = 0;
	if (stat(o->path, &st) < 0)
		return errno == ENOENT ? 0 : failed(o, err);
	if (S_ISDIR(st.st_mode))
		return errno = EISDIR, failed(o, err);
	*mode = st.st_mode & 07777;
	return output_may_place(o->path, &st, err);
}

static int beside_open(struct output *o, struct err *err)
{
	mode_t mode;

	if (old_look(o, &mode, err) < 0)
		return -1;
	o->fd = access("/proc/thread-self/fd", F_OK) == 0 ? nameless_open(o->path) : -1;
	if (o->fd < 0 && named_open(o, err) < 0)
		return -1;
	if (mode != 0 && fchmod(o->fd, mode) < 0)
		return failed(o, err);
	return 0;
}

/* The descriptor that a name stands for; -1: none. To open such a name would empty the file behind
 * it, to which others have written, and write from its beginning. */
static int descriptor_named(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	int64_t number;

	if (!strcmp(path, "-") || !strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t n = strlen(folders[i]);

		if (!strncmp(path, folders[i], n) &&
		    num_parse_i64(path + n, strlen(path + n), &number) == 0 && number >= 0 &&
		    number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

/* One that whoever started us opened, not one of our own, which all end with exec. */
static int inherited(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	if (flags >= 0 && !(flags & FD_CLOEXEC))
		return fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	errno = EBADF;
	return -1;
}

static int direct_open(struct output *o, const char *path, struct err *err)
{
	int fd = descriptor_named(path);

	o->direct = 1;
	o->path = strdup(fd == STDOUT_FILENO ? "the standard output" : path);
	if (!o->path)
		return err_nomem(err, "a file name", strlen(path));
	o->fd = fd == STDOUT_FILENO ? fd
	        : fd >= 0           ? inherited(fd)
	                            : open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
	return o->fd < 0 ? failed(o, err) : 0;
}

int output_open(struct output *o, const char *path, struct err *err)
{
	*o = (struct output){.fd = -1};
	if (*path == '\0')
		return err_set(err, ERR_INPUT, "the name of an output is empty");
	if (!strcmp(path, "-") || is_special(path))
		return direct_open(o, path, err);
	o->path = output_final(path, err);
	return o->path ? beside_open(o, err) : -1;
}

int output_put(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		ssize_t k = write(fd, at, n);

		if (k < 0 && errno != EINTR)
			return -1;
		if (k > 0) {
			at += k;
			n -= (size_t)k;
		}
	}
	return 0;
}

/* A terminal obeys control characters, and what is written may have names of others in it. */
static int terminal_put(int fd, const char *data, size_t n)
{
	struct str shown;
	int r;

	str_init(&shown);
	str_put_shown(&shown, data, n, 1);
	r = shown.failed ? (errno = ENOMEM, -1) : output_put(fd, shown.s, shown.n);
	str_release(&shown);
	return r;
}

int output_write(struct output *o, const void *data, size_t n, struct err *err)
{
	int r = o->direct && n > 0 && isatty(o->fd) ? terminal_put(o->fd, data, n)
	                                            : output_put(o->fd, data, n);

	return r < 0 ? failed(o, err) : 0;
}

/* Gives a file that has none a name, which must be new. */
static int name_give(int fd, const char *name)
{
	char self[64];

	snprintf(self, sizeof self, "/proc/thread-self/fd/%d", fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

static int nameless_name(struct output *o, struct err *err)
{
	if (name_give(o->fd, o->path) == 0)
		return 1;
	for (int attempt = 0; attempt < OUTPUT_ATTEMPTS && errno == EEXIST; attempt++) {
		free(o->part);
		o->part = output_beside(o->path, attempt);
		if (!o->part)
			return err_nomem(err, "a file name", strlen(o->path));
		if (name_give(o->fd, o->part) == 0)
			return 0;
	}
	free(o->part);
	o->part = NULL;
	return failed(o, err);
}

/* Some file systems report a full disk only here. */
static int output_close(struct output *o, struct err *err)
{
	int fd = o->fd;

	o->fd = -1;
	return fd > STDERR_FILENO && close(fd) < 0 && errno != EINTR ? failed(o, err) : 0;
}

/* All of it is where it should be, before it takes the place of what was there. What a close could
 * report is asked by that of a second descriptor, as a file without a name needs the first. */
static int output_sync(struct output *o, int later, struct err *err)
{
	int again;

	if (!later && fsync(o->fd) < 0)
		return failed(o, err);
	again = fcntl(o->fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return again >= 0 && close(again) < 0 && errno != EINTR ? failed(o, err) : 0;
}

/* It has not got its place, and goes; what hinders that may have hindered this. */
static int unplaced(struct output *o, struct err *err)
{
	failed(o, err);
	if (o->part && unlink(o->part) < 0 && errno != ENOENT)
		err_append(err, "; %s is left of it", o->part);
	free(o->part);
	o->part = NULL;
	return -1;
}

static int commit(struct output *o, int later, struct err *err)
{
	struct err synced; /* so that nothing is lost any more */
	int named = 0;

	if (o->direct)
		return output_close(o, err);
	if (output_sync(o, later, err) < 0)
		return -1;
	if (!o->part && (named = nameless_name(o, err)) < 0)
		return -1;
	output_close(o, &synced);
	if (!named && rename(o->part, o->path) < 0)
		return unplaced(o, err);
	free(o->part);
	o->part = NULL;
	return 0;
}

int output_commit(struct output *o, struct err *err)
{
	return commit(o, 0, err);
}

int output_commit_later(struct output *o, struct err *err)
{
	return commit(o, 1, err);
}

int output_sync_all(const char *folder, struct err *err)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (fd < 0 || syncfs(fd) < 0)
		r = err_sys(err, errno, "cannot write what is in %s", folder);
	if (fd >= 0)
		close(fd);
	return r;
}

void output_release(struct output *o)
{
	if (o->fd > STDERR_FILENO)
		close(o->fd);
	if (o->part)
		unlink(o->part);
	free(o->part);
	free(o->path);
	*o = (struct output){.fd = -1};
}

int output_is_new(const struct output *o)
{
	return !o->direct && access(o->path, F_OK) < 0 && errno == ENOENT;
}

int output_file(const char *path, const void *data, size_t n, struct err *err)
{
	struct output o;
	int r = output_open(&o, path, err) < 0 || output_write(&o, data, n, err) < 0 ||
	                output_commit(&o, err) < 0
	            ? -1
	            : 0;

	output_release(&o);
	return r;
}
