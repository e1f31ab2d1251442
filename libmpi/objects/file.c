/* file.c: files are opened, asked about, closed (MPI 4.0, 14.2). */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "info.h"
#include "orr_mpi.h"
#include "remote.h"

int orr_errno_class(int error)
{
	switch (error) {
	case 0:
		return MPI_SUCCESS;
	case ENOENT:
		return MPI_ERR_NO_SUCH_FILE;
	case EACCES:
	case EPERM:
		return MPI_ERR_ACCESS;
	case EEXIST:
		return MPI_ERR_FILE_EXISTS;
	case EROFS:
		return MPI_ERR_READ_ONLY;
	case ENOSPC:
		return MPI_ERR_NO_SPACE;
	case EDQUOT:
		return MPI_ERR_QUOTA;
	case EISDIR:
	case ENOTDIR:
	case ENAMETOOLONG:
	case ELOOP:
		return MPI_ERR_BAD_FILE;
	case ETXTBSY:
	case EBUSY:
		return MPI_ERR_FILE_IN_USE;
	case ENOMEM:
		return MPI_ERR_NO_MEM;
	default:
		return MPI_ERR_IO;
	}
}

int orr_file_meet(struct orr_comm *c)
{
	char mine = 0, *all = malloc((size_t)c->size);
	int code = all ? orr_core_agree(c, &mine, 1, all) : MPI_ERR_NO_MEM;
	free(all);
	return code;
}

/* The first error that any member has, the same for all. */
static int agree_code(struct orr_comm *c, int mine)
{
	int *all = malloc((size_t)c->size * sizeof *all);
	int code = all ? orr_core_agree(c, &mine, sizeof mine, all) : MPI_ERR_NO_MEM;
	for (int i = 0; !code && i < c->size; i++)
		code = all[i];
	free(all);
	return code;
}

/* What all must give alike. */
static int agree_same(struct orr_comm *c, int64_t value)
{
	int64_t *all = malloc((size_t)c->size * sizeof *all);
	int code = all ? orr_core_agree(c, &value, sizeof value, all) : MPI_ERR_NO_MEM;
	for (int i = 1; !code && i < c->size; i++)
		code = all[i] == all[0] ? MPI_SUCCESS : MPI_ERR_NOT_SAME;
	free(all);
	return code;
}

/* --- opening --- */

/* Without the kind of file system that ROMIO lets a name begin with ("ufs:"), and absolute. */
static char *path_of(const char *name)
{
	size_t prefix = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
	char folder[PATH_MAX];
	if (prefix > 1 && name[prefix] == ':')
		name += prefix + 1;
	if (name[0] == '/' || !getcwd(folder, sizeof folder))
		return strdup(name);
	size_t n = strlen(folder), m = strlen(name);
	char *path = malloc(n + m + 2);
	if (path) {
		memcpy(path, folder, n);
		path[n] = '/';
		memcpy(path + n + 1, name, m + 1);
	}
	return path;
}

static int amode_check(int amode)
{
	int reads = !!(amode & MPI_MODE_RDONLY), both = !!(amode & MPI_MODE_RDWR);
	int writes = !!(amode & MPI_MODE_WRONLY);
	if (reads + both + writes != 1)
		return MPI_ERR_AMODE;
	if (reads && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
		return MPI_ERR_AMODE;
	return both && (amode & MPI_MODE_SEQUENTIAL) ? MPI_ERR_AMODE : MPI_SUCCESS;
}

static int open_flags(int amode, int creates)
{
	int flags = O_CLOEXEC | (amode & MPI_MODE_RDONLY ? O_RDONLY
	                         : amode & MPI_MODE_RDWR ? O_RDWR
	                                                 : O_WRONLY);
	if (creates && (amode & MPI_MODE_CREATE))
		flags |= O_CREAT;
	if (creates && (amode & MPI_MODE_EXCL))
		flags |= O_EXCL;
	return flags;
}

/* The first member makes the file; then the others open it. */
static int open_all(struct orr_file *f)
{
	int first = f->comm->rank == 0, error = 0;
	if (first) {
		f->fd = open(f->path, open_flags(f->amode, 1), 0666);
		error = f->fd < 0 ? errno : 0;
	}
	int code = agree_code(f->comm, orr_errno_class(error));
	if (code)
		return code;
	if (!first) {
		f->fd = open(f->path, open_flags(f->amode, 0));
		error = f->fd < 0 ? errno : 0;
	}
	return agree_code(f->comm, orr_errno_class(error));
}

static int shared_make(struct orr_file *f)
{
	uint64_t *all = malloc((size_t)f->comm->size * sizeof *all);
	if (!all)
		return MPI_ERR_NO_MEM;
	if (f->comm->rank == 0) {
		f->place = orr_core_shared_new(sizeof *f->shared);
		if (f->place)
			memset(orr_core_shared_at(f->place), 0, sizeof *f->shared);
	}
	int code = orr_core_agree(f->comm, &f->place, sizeof f->place, all);
	if (!code && !all[0])
		code = MPI_ERR_NO_MEM;
	if (!code)
		f->shared = orr_core_shared_at(all[0]);
	free(all);
	return code;
}

static void file_end(struct orr_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	orr_core_shared_free(f->place);
	orr_view_end(&f->view);
	free(f->path);
	orr_comm_drop(f->comm);
	if (orr_object_drop(f))
		orr_object_end(f);
}

static struct orr_file *file_new(struct orr_comm *c, const char *name, int amode)
{
	struct orr_file *f = orr_object_new(ORR_FILE, sizeof *f);
	if (!f)
		return NULL;
	f->comm = orr_object_keep(c);
	f->fd = -1;
	f->amode = amode;
	f->pending = MPI_REQUEST_NULL;
	f->path = path_of(name);
	f->o.handler = NULL;
	orr_view_default(&f->view);
	if (f->path)
		return f;
	file_end(f);
	return NULL;
}

static void append_set(struct orr_file *f)
{
	struct stat s;
	if (!(f->amode & MPI_MODE_APPEND) || fstat(f->fd, &s) < 0)
		return;
	f->position = s.st_size;
	if (f->comm->rank == 0)
		atomic_store(&f->shared->position, s.st_size);
}

static int file_open(struct orr_file *f, MPI_Info info)
{
	int code = open_all(f);
	if (!code)
		code = shared_make(f);
	if (!code)
		code = orr_core_file_open(f->comm, f->path, &f->number);
	if (!code)
		code = orr_object_info_set(&f->o, info);
	if (code)
		return code;
	append_set(f);
	return orr_file_meet(f->comm);
}

int orr_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
	struct orr_comm *c = orr_comm_of(comm);
	*fh = MPI_FILE_NULL;
	if (!c || c->remote)
		return MPI_ERR_COMM;
	orr_core_enter();
	int code = agree_same(c, amode);
	if (!code)
		code = filename ? amode_check(amode) : MPI_ERR_BAD_FILE;
	struct orr_file *f = code ? NULL : file_new(c, filename, amode);
	if (!code)
		code = f ? file_open(f, info) : MPI_ERR_NO_MEM;
	if (!code)
		*fh = orr_handle(f);
	else if (f)
		file_end(f);
	orr_core_leave();
	return code;
}

int orr_File_close(MPI_File *fh)
{
	struct orr_file *f = fh ? orr_file_of(*fh) : NULL;
	if (!f)
		return MPI_ERR_FILE;
	if (f->split != SPLIT_NONE)
		return MPI_ERR_OTHER;
	orr_core_enter();
	int code = orr_core_file_close(f->number);
	if (!code && (f->amode & MPI_MODE_DELETE_ON_CLOSE))
		code = orr_file_meet(f->comm);
	if (!code && (f->amode & MPI_MODE_DELETE_ON_CLOSE) && f->comm->rank == 0)
		code = unlink(f->path) < 0 ? orr_errno_class(errno) : MPI_SUCCESS;
	if (!code)
		code = orr_file_meet(f->comm); /* the shared memory goes */
	file_end(f);
	orr_core_leave();
	*fh = MPI_FILE_NULL;
	return code;
}

int orr_File_delete(const char *filename, MPI_Info info)
{
	(void)info;
	char *path = filename ? path_of(filename) : NULL;
	if (!path)
		return filename ? MPI_ERR_NO_MEM : MPI_ERR_BAD_FILE;
	int code = unlink(path) < 0 ? orr_errno_class(errno) : MPI_SUCCESS;
	if (!code && orr_core_running())
		code = orr_core_file_unlink(path);
	free(path);
	return code;
}

/* --- questions and changes --- */

int orr_File_get_size(MPI_File fh, MPI_Offset *size)
{
	const struct orr_file *f = orr_file_of(fh);
	struct stat s;
	if (!f)
		return MPI_ERR_FILE;
	if (fstat(f->fd, &s) < 0)
		return orr_errno_class(errno);
	*size = s.st_size;
	return MPI_SUCCESS;
}

/* Collective: the first member changes the file, all hear how that went. */
static int change_size(struct orr_file *f, MPI_Offset size, int (*change)(int fd, off_t size))
{
	int code = agree_same(f->comm, size), error = 0;
	if (code)
		return code;
	if (size < 0)
		return MPI_ERR_ARG;
	if (f->amode & MPI_MODE_RDONLY)
		return MPI_ERR_READ_ONLY;
	code = orr_core_file_sync(f->number);
	if (!code && f->comm->rank == 0)
		error = change(f->fd, size);
	return code ? code : agree_code(f->comm, orr_errno_class(error));
}

static int truncate_to(int fd, off_t size)
{
	return ftruncate(fd, size) < 0 ? errno : 0;
}

static int reserve(int fd, off_t size)
{
	return size ? posix_fallocate(fd, 0, size) : 0;
}

int orr_File_set_size(MPI_File fh, MPI_Offset size)
{
	struct orr_file *f = orr_file_of(fh);
	return f ? change_size(f, size, truncate_to) : MPI_ERR_FILE;
}

int orr_File_preallocate(MPI_File fh, MPI_Offset size)
{
	struct orr_file *f = orr_file_of(fh);
	return f ? change_size(f, size, reserve) : MPI_ERR_FILE;
}

int orr_File_sync(MPI_File fh)
{
	struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	return orr_core_file_sync(f->number); /* what was written is there for all: one system */
}

int orr_File_get_group(MPI_File fh, MPI_Group *group)
{
	const struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	*group = orr_handle_show(f->comm->local);
	return *group ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int orr_File_get_amode(MPI_File fh, int *amode)
{
	const struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	*amode = f->amode;
	return MPI_SUCCESS;
}

int orr_File_set_info(MPI_File fh, MPI_Info info)
{
	struct orr_file *f = orr_file_of(fh);
	return f ? orr_object_info_set(&f->o, info) : MPI_ERR_FILE;
}

int orr_File_get_info(MPI_File fh, MPI_Info *info_used)
{
	const struct orr_file *f = orr_file_of(fh);
	return f ? orr_object_info_get(&f->o, info_used) : MPI_ERR_FILE;
}

int orr_File_set_atomicity(MPI_File fh, int flag)
{
	struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	int code = agree_same(f->comm, flag != 0);
	if (!code)
		code = orr_core_file_sync(f->number);
	if (!code)
		f->atomic = flag != 0;
	return code;
}

int orr_File_get_atomicity(MPI_File fh, int *flag)
{
	const struct orr_file *f = orr_file_of(fh);
	if (!f)
		return MPI_ERR_FILE;
	*flag = f->atomic;
	return MPI_SUCCESS;
}
