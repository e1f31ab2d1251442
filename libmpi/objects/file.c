/* file.c: files are opened, asked about, closed (MPI 4.0, 14.2). */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

/* Synchronises; all must give the same value. */
static int sync_same(struct orr_file *f, int64_t value)
{
	struct orr_giving g;
	uint64_t kept;
	orr_core_give(f->comm, &value, sizeof value, &g);
	int code = orr_core_file_sync(f->number);
	const int64_t *all = orr_core_take(f->comm, &g, &kept);
	for (int i = 1; !code && i < f->comm->size; i++)
		code = all[i] == all[0] ? MPI_SUCCESS : MPI_ERR_NOT_SAME;
	orr_core_taken(kept);
	return code;
}

static void change_begin(struct orr_file_shared *s)
{
	for (uint32_t free = 0; !atomic_compare_exchange_weak(&s->changing, &free, 1); free = 0)
		syscall(SYS_sched_yield); /* who changes waits for nobody in the simulation */
}

int orr_file_once(struct orr_file *f, int (*change)(struct orr_file *f, int64_t to), int64_t to)
{
	struct orr_file_shared *s = f->shared;
	int error;
	change_begin(s);
	if (s->changes != ++f->changes) {
		s->changes = f->changes;
		s->error = change(f, to);
	}
	error = s->error;
	atomic_store(&s->changing, 0);
	return error;
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

static void file_end(struct orr_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (!f->shared || atomic_fetch_add(&f->shared->left, 1) + 1 == (uint32_t)f->comm->size)
		orr_core_shared_free(f->place); /* nobody uses it any more */
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

/* What a member gives when it opens a file. */
struct opening {
	int64_t amode, code;
	uint64_t place;
};

/* The first member makes what is shared. */
static int shared_make(struct orr_file *f)
{
	f->place = orr_core_shared_new(sizeof(struct orr_file_shared));
	if (!f->place)
		return MPI_ERR_NO_MEM;
	memset(orr_core_shared_at(f->place), 0, sizeof(struct orr_file_shared));
	return MPI_SUCCESS;
}

/* The first error that any member has, the same for all. */
static int opening_code(const struct opening *all, int n)
{
	for (int i = 1; i < n; i++)
		if (all[i].amode != all[0].amode)
			return MPI_ERR_NOT_SAME;
	for (int i = 0; i < n; i++)
		if (all[i].code)
			return (int)all[i].code;
	return MPI_SUCCESS;
}

/* A member without a descriptor left says so while all can still hear of it. */
static int descriptor_keep(struct orr_file *f)
{
	f->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return f->fd < 0 ? orr_errno_class(errno) : MPI_SUCCESS;
}

/* The file in the place of what kept the descriptor; errno. */
static int descriptor_turn(struct orr_file *f, int creates)
{
	close(f->fd);
	f->fd = open(f->path, open_flags(f->amode, creates), 0666);
	return f->fd < 0 ? errno : 0;
}

/* Whoever comes first, and may, makes the file; errno. */
static int name_open(struct orr_file *f)
{
	struct orr_file_shared *s = f->shared;
	struct stat now;
	int error;

	change_begin(s);
	error = descriptor_turn(f, !s->made);
	if (!error && !s->made && (f->amode & MPI_MODE_APPEND) && fstat(f->fd, &now) == 0)
		s->position = s->begin = now.st_size;
	s->made |= !error;
	atomic_store(&s->changing, 0);
	return error;
}

/* All members have come, as in a library, which first compares what they want: the file is made
 * now, after what each of them did to a file of that name before. */
static int file_begin(struct orr_file *f, uint64_t place, MPI_Info info)
{
	f->place = place;
	f->shared = orr_core_shared_at(place);
	int error = name_open(f);
	f->position = f->shared->begin;
	return error ? orr_errno_class(error) : orr_object_info_set(&f->o, info);
}

/* Who has an error, of its own too, closes the file at once: others may have it, and wait for all
 * members when they close it. */
static int file_open(struct orr_file *f, int code, MPI_Info info)
{
	struct orr_giving g;
	uint64_t kept;
	if (!code)
		code = descriptor_keep(f);
	if (!code && f->comm->rank == 0)
		code = shared_make(f);
	struct opening mine = {.amode = f->amode, .code = code, .place = f->place};
	orr_core_give(f->comm, &mine, sizeof mine, &g);
	code = orr_core_file_open(f->comm, f->path, &f->number);
	const struct opening *all = orr_core_take(f->comm, &g, &kept);
	int opened = !code;
	if (!code)
		code = opening_code(all, f->comm->size);
	if (!code)
		code = file_begin(f, all[0].place, info);
	if (opened && code)
		orr_core_file_close(f->number);
	orr_core_taken(kept);
	return code;
}

int orr_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh)
{
	struct orr_comm *c = orr_comm_of(comm);
	*fh = MPI_FILE_NULL;
	if (!c || c->remote)
		return MPI_ERR_COMM;
	orr_core_enter();
	int code = filename ? amode_check(amode) : MPI_ERR_BAD_FILE;
	struct orr_file *f = file_new(c, filename ? filename : "", amode);
	code = f ? file_open(f, code, info) : MPI_ERR_NO_MEM;
	if (!code)
		*fh = orr_handle(f);
	else if (f)
		file_end(f);
	orr_core_leave();
	return code;
}

static int name_remove(struct orr_file *f, int64_t unused)
{
	(void)unused;
	return unlink(f->path) < 0 ? errno : 0;
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
		code = orr_errno_class(orr_file_once(f, name_remove, 0));
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

/* Collective: the file is changed once, all hear how that went. */
static int change_size(struct orr_file *f, MPI_Offset size,
                       int (*change)(struct orr_file *, int64_t))
{
	if (f->amode & MPI_MODE_RDONLY)
		return MPI_ERR_READ_ONLY;
	int code = sync_same(f, size);
	if (!code && size < 0)
		code = MPI_ERR_ARG;
	return code ? code : orr_errno_class(orr_file_once(f, change, size));
}

static int truncate_to(struct orr_file *f, int64_t size)
{
	return ftruncate(f->fd, size) < 0 ? errno : 0;
}

static int reserve(struct orr_file *f, int64_t size)
{
	return size ? posix_fallocate(f->fd, 0, size) : 0;
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
	int code = sync_same(f, flag != 0);
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
