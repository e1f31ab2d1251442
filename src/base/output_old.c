/* output_old.c: may what is under a name be replaced? What is written beside takes its place by a
 * rename, which asks other rights than to write into it does. That is known before the work rather
 * than after it. */
#include "output_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int no(const char *path, const char *why, const char *remedy, struct err *err)
{
	return err_set(err, ERR_INPUT, "cannot write %s: %s: %s", path, why, remedy);
}

static const char elsewhere[] = "choose another name";

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

/* Attributes of a file or folder; 0 where the kernel or a sandbox does not tell. */
static uint64_t attributes(const char *path)
{
	struct statx sx;

	return statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &sx) == 0
	           ? sx.stx_attributes & sx.stx_attributes_mask
	           : 0;
}

/* In a sticky folder (/tmp), a file of another user stays, whoever may write to it. */
static int stays(const char *folder, const struct stat *st)
{
	uid_t me = geteuid();
	struct stat of;

	return stat(folder, &of) == 0 && (of.st_mode & S_ISVTX) && me != 0 && me != st->st_uid &&
	       me != of.st_uid;
}

/* A name of it can be given, but neither changed nor taken back. */
static int grows_only(const char *path, const char *folder, struct err *err)
{
	return attributes(folder) & STATX_ATTR_APPEND
	           ? no(path, "its folder may only be added to ('chattr -a' ends that)",
	                "choose another folder", err)
	           : 0;
}

static int old_look(const char *path, const char *folder, const struct stat *st, struct err *err)
{
	uint64_t own = attributes(path);
	int is_folder = S_ISDIR(st->st_mode);

	if (own & STATX_ATTR_MOUNT_ROOT)
		return no(path, "it is a mount point (a volume of a container?), which stays",
		          is_folder ? "name a folder in it" : "mount the folder that it is in",
		          err);
	if (own & STATX_ATTR_APPEND)
		return no(path, "it may only be appended to ('chattr -a' ends that)", elsewhere,
		          err);
	if (grows_only(path, folder, err) < 0)
		return -1;
	if (stays(folder, st))
		return no(path,
		          "it belongs to another user, and its folder lets only its owner "
		          "replace it",
		          elsewhere, err);
	if (access(path, is_folder ? W_OK | X_OK : W_OK) < 0)
		return output_failed(path, err);
	if (access(folder, W_OK | X_OK) < 0 && errno == EACCES)
		return no(
		    path,
		    "Permission denied to make files in its folder, where the new one is made",
		    "choose another folder", err);
	return 0;
}

int output_may_place(const char *path, const struct stat *old, struct err *err)
{
	char *folder = folder_of(path);
	int r = !folder ? err_nomem(err, "a file name", strlen(path))
	        : old   ? old_look(path, folder, old, err)
	                : grows_only(path, folder, err);

	free(folder);
	return r;
}

int output_failed(const char *path, struct err *err)
{
	return err_sys(err, errno, "cannot write %s", path);
}
