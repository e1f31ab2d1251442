/* there.c: see there.h. */
#include "there.h"

#include <errno.h>
#include <stddef.h>

int there_is_none(int errnum)
{
	return errnum == ENOENT || errnum == ENOTDIR;
}

int there_stat(const char *path, struct stat *st, struct err *err)
{
	if (stat(path, st) == 0)
		return 1;
	return there_is_none(errno) ? 0 : err_sys(err, errno, "cannot look at %s", path);
}

int there_is(const char *path, struct err *err)
{
	struct stat st;

	return there_stat(path, &st, err);
}

int there_is_file(const char *path, struct err *err)
{
	struct stat st;
	int there = there_stat(path, &st, err);

	return there > 0 ? S_ISREG(st.st_mode) : there;
}

int there_is_folder(const char *path, struct err *err)
{
	struct stat st;
	int there = there_stat(path, &st, err);

	return there > 0 ? S_ISDIR(st.st_mode) : there;
}

int there_open_folder(const char *path, DIR **d, struct err *err)
{
	*d = opendir(path);
	if (*d)
		return 1;
	return there_is_none(errno) ? 0 : err_sys(err, errno, "cannot read the folder %s", path);
}
