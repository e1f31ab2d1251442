/* trace_folder.c: see trace_folder.h. */
#include "trace_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that the tracer or this verb makes. */
static int is_of_trace(const char *name)
{
	unsigned rank;
	int end = 0;

	if (strcmp(name, "manifest") == 0 || strcmp(name, ".stopped") == 0 ||
	    strcmp(name, "sites") == 0)
		return 1;
	return sscanf(name, "rank-%u.tit%n", &rank, &end) == 1 && end > 0 && name[end] == '\0';
}

static int is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Looks at every file of a folder; stops and returns what `each` returns if that is not 0. */
static int folder_each(const char *dir,
                       int (*each)(const char *dir, const char *name, struct err *err),
                       struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int result = 0;

	if (!d)
		return err_sys(err, errno, "%s", dir);
	while (result == 0 && (e = readdir(d)))
		if (!is_dots(e->d_name))
			result = each(dir, e->d_name, err);
	closedir(d);
	return result;
}

static int foreign_refuse(const char *dir, const char *name, struct err *err)
{
	if (is_of_trace(name))
		return 0;
	return err_set(err, ERR_INPUT,
	               "the folder %s is no trace: it holds %s. Choose another with -o.", dir,
	               name);
}

static int trace_refuse(const char *dir, const char *name, struct err *err)
{
	(void)name;
	return err_set(err, ERR_INPUT, "%s holds a trace already. --force overwrites it.", dir);
}

static int file_remove(const char *dir, const char *name, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return unlink(path) < 0 ? err_sys(err, errno, "%s", path) : 0;
}

/* Not the user's command but the disk is at fault: the kind says so (ERR_LIMIT), and the program
 * can still run. */
static int folder_unwritable(const char *dir, struct err *err)
{
	return err_set(err, ERR_LIMIT, "%s cannot be written: %s", dir, strerror(errno));
}

int folder_prepare(const char *dir, int overwrite, char **path, struct err *err)
{
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return folder_unwritable(dir, err);
	if (folder_each(dir, foreign_refuse, err) < 0 ||
	    folder_each(dir, overwrite ? file_remove : trace_refuse, err) < 0)
		return -1;
	if (access(dir, W_OK | X_OK) < 0)
		return folder_unwritable(dir, err);
	*path = realpath(dir, NULL);
	return *path ? 0 : err_sys(err, errno, "%s", dir);
}

void folder_tidy(const char *path)
{
	struct err ignored;

	file_remove(path, ".stopped", &ignored);
}
