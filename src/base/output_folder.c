/* output_folder.c: see output.h. Folders: made beside under a hidden name, then exchanged with what
 * is there.
 *
 * The hidden folder is locked while its writer lives. Who writes the same folder later removes
 * those that nobody has locked. */
#include "output_int.h"
#include "there.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int failed(const struct output_folder *f, struct err *err)
{
	return err_sys(err, errno, "cannot write the folder %s", f->path);
}

static int one_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

/* With one descriptor, or none of an empty folder, as it may be for want of them that there is
 * something to remove. */
static int tree_remove(const char *path)
{
	return rmdir(path) == 0 ? 0 : nftw(path, one_remove, 1, FTW_DEPTH | FTW_PHYS);
}

/* The folder, locked by us and still there; -1: not so. */
static int folder_lock(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) < 0 || access(path, F_OK) < 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void stale_one(const char *folder, const char *name)
{
	char *path;
	int lock;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return;
	lock = folder_lock(path);
	if (lock >= 0) {
		tree_remove(path);
		close(lock);
	}
	free(path);
}

/* Left by processes that were killed while they wrote this folder. */
static void stale_remove(const char *final)
{
	const char *slash = strrchr(final, '/');
	char *folder = slash ? strndup(final, (size_t)(slash - final) + 1) : strdup("."), *start;
	DIR *d = folder ? opendir(folder) : NULL;
	struct dirent *e;

	if (d && asprintf(&start, ".%.200s" OUTPUT_PART, slash ? slash + 1 : final) >= 0) {
		while ((e = readdir(d)))
			if (!strncmp(e->d_name, start, strlen(start)))
				stale_one(folder, e->d_name);
		free(start);
	}
	if (d)
		closedir(d);
	free(folder);
}

static int part_make(struct output_folder *f, struct err *err)
{
	struct stat st;

	for (int attempt = 0; attempt < OUTPUT_ATTEMPTS; attempt++) {
		f->part = output_beside(f->path, attempt);
		if (!f->part)
			return err_nomem(err, "a file name", strlen(f->path));
		if (mkdir(f->part, 0777) == 0) {
			f->lock = folder_lock(f->part); /* where there are no locks: -1 */
			if (stat(f->part, &st) == 0) {
				f->dev = st.st_dev;
				f->ino = st.st_ino;
				return 0;
			}
		}
		free(f->part);
		f->part = NULL;
		if (errno != EEXIST && errno != ENOENT)
			break;
	}
	return failed(f, err);
}

/* The name without slashes at its end. */
static char *trimmed(const char *path)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	return strndup(path, n);
}

int output_folder_open(struct output_folder *f, const char *path, struct err *err)
{
	char *name = trimmed(path);
	struct stat st;
	int there;

	*f = (struct output_folder){.lock = -1};
	if (!name)
		return err_nomem(err, "a file name", strlen(path));
	f->path = output_final(name, err);
	free(name);
	if (!f->path)
		return -1;
	there = there_stat(f->path, &st, err);
	if (there < 0)
		return -1;
	if (there && !S_ISDIR(st.st_mode))
		return errno = ENOTDIR, failed(f, err);
	if (output_may_place(f->path, there ? &st : NULL, err) < 0)
		return -1;
	stale_remove(f->path);
	return part_make(f, err);
}

int output_folder_append(const struct output_folder *f, const char *name, int *fd, int keep,
                         const void *data, size_t n, struct err *err)
{
	int dir, r;

	if (*fd < 0) {
		dir = open(f->part, O_PATH | O_DIRECTORY | O_CLOEXEC);
		*fd = dir < 0 ? -1
		              : openat(dir, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
		if (dir >= 0)
			close(dir);
	}
	if (*fd < 0)
		return failed(f, err);
	r = output_put(*fd, data, n);
	if (!keep) {
		if (close(*fd) < 0 && errno != EINTR)
			r = -1;
		*fd = -1;
	}
	return r < 0 ? failed(f, err) : 0;
}

static int all_sync(const struct output_folder *f)
{
	int fd = open(f->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = fd < 0 ? -1 : syncfs(fd);

	if (fd >= 0)
		close(fd);
	return r;
}

/* The new one has its place. */
static int old_remove(const char *old, const char *path, struct err *err)
{
	if (tree_remove(old) == 0)
		return 0;
	err_sys(err, errno, "%s is written, but what was there before cannot be removed", path);
	err_append(err, "; it is %s", old);
	return -1;
}

/* Where the file system cannot exchange two names: the old one goes aside first. */
static int replace_by_two(const struct output_folder *f, struct err *err)
{
	char *aside = output_beside(f->path, OUTPUT_ATTEMPTS);
	int r = !aside                       ? err_nomem(err, "a file name", strlen(f->path))
	        : rename(f->path, aside) < 0 ? failed(f, err)
	                                     : 0;

	if (r == 0 && rename(f->part, f->path) < 0) {
		r = failed(f, err);
		if (rename(aside, f->path) < 0)
			err_append(err, "; what was there is %s", aside);
	} else if (r == 0) {
		r = old_remove(aside, f->path, err) < 0 ? 1 : 0;
	}
	free(aside);
	return r;
}

/* part takes the place of path, empty or not: 0; 1: it has it, *err says what is left of the old
 * one; -1. */
static int folder_place(const struct output_folder *f, struct err *err)
{
	if (rename(f->part, f->path) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return failed(f, err);
	if (renameat2(AT_FDCWD, f->part, AT_FDCWD, f->path, RENAME_EXCHANGE) == 0)
		return old_remove(f->part, f->path, err) < 0 ? 1 : 0;
	return errno == EINVAL || errno == ENOSYS ? replace_by_two(f, err) : failed(f, err);
}

int output_folder_commit(struct output_folder *f, struct err *err)
{
	struct stat st;
	int placed;

	if (stat(f->path, &st) == 0 && chmod(f->part, st.st_mode & 07777) < 0)
		return failed(f, err);
	if (all_sync(f) < 0)
		return failed(f, err);
	placed = folder_place(f, err);
	if (placed < 0)
		return -1;
	free(f->part);
	f->part = NULL;
	return placed == 0 ? 0 : -1;
}

int output_folder_is_placed(const struct output_folder *f)
{
	struct stat st;

	return stat(f->part, &st) < 0 || st.st_dev != f->dev || st.st_ino != f->ino;
}

/* A name that nobody has. */
static int name_take(const char *from, const char *to)
{
	struct stat st;

	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS) /* the file system does not know how */
		return -1;
	if (lstat(to, &st) == 0)
		return errno = EEXIST, -1;
	return rename(from, to);
}

/* NULL: it keeps the name that it has. To be freed. */
static char *kept_name(const struct output_folder *f)
{
	char *name;

	for (int attempt = 1; attempt <= OUTPUT_ATTEMPTS; attempt++) {
		if (asprintf(&name, "%s.kept-%d", f->path, attempt) < 0)
			return NULL;
		if (name_take(f->part, name) == 0)
			return name;
		free(name);
		if (errno != EEXIST)
			break;
	}
	return NULL;
}

void output_folder_keep(struct output_folder *f, struct err *err)
{
	char *name = f->part ? kept_name(f) : NULL;

	if (f->part)
		err_append(err, "; what was to be there is kept as %s", name ? name : f->part);
	free(name);
	free(f->part);
	f->part = NULL;
}

void output_folder_release(struct output_folder *f)
{
	if (f->lock >= 0)
		close(f->lock);
	if (f->part)
		tree_remove(f->part);
	free(f->part);
	free(f->path);
	*f = (struct output_folder){.lock = -1};
}
