/* tmp.h: a folder of its own for a test program, and files in it. */
#ifndef ORRERY_TESTS_TMP_H
#define ORRERY_TESTS_TMP_H

#include "test.h"

#include <ftw.h>
#include <unistd.h>

struct tmp {
	char dir[64];
	char path[256]; /* of the file last written or named */
};

static inline void tmp_init(struct tmp *t)
{
	snprintf(t->dir, sizeof t->dir, "/tmp/orrery-test-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
}

/* Path of a file of the folder, valid until the next call. */
static inline const char *tmp_path(struct tmp *t, const char *name)
{
	snprintf(t->path, sizeof t->path, "%s/%s", t->dir, name);
	return t->path;
}

/* A new file: ext4 writes one that is cut to nothing to the disk when it is closed. */
static inline const char *tmp_write_n(struct tmp *t, const char *name, const void *data, size_t n)
{
	FILE *f;

	remove(tmp_path(t, name));
	f = fopen(t->path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return t->path;
}

static inline const char *tmp_write(struct tmp *t, const char *name, const char *text)
{
	return tmp_write_n(t, name, text, strlen(text));
}

static inline int tmp_remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static inline void tmp_release(struct tmp *t)
{
	nftw(t->dir, tmp_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
