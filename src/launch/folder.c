/* folder.c: see folder.h. */
#include "folder.h"

#include "base/entries.h"
#include "trace/trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char room_name[] = ".room", worlds_name[] = ".worlds", spawned_name[] = ".spawned-";
enum { ROOM = 64 << 10, ROOM_SHARE = 8 };

/* "profile-12", which may be replaced; "profile-of-my-code.txt" is somebody's. */
static int is_profile_of_spawned(const char *name)
{
	size_t digits = strncmp(name, "profile-", 8) == 0 ? strspn(name + 8, "0123456789") : 0;

	return digits > 0 && name[8 + digits] == '\0';
}

/* A file that the tracer or 'orrery trace' makes. */
static int is_of_trace(const char *name)
{
	const char *suffix;
	uint32_t rank;

	if (strcmp(name, TRACE_EVENTS_FILE) == 0 || strcmp(name, "manifest") == 0 ||
	    strcmp(name, "profile") == 0 || is_profile_of_spawned(name) ||
	    strcmp(name, TRACE_STOPPED) == 0 || strcmp(name, TRACE_GOES_ON) == 0 ||
	    strcmp(name, room_name) == 0 || strcmp(name, "sites") == 0 ||
	    strcmp(name, worlds_name) == 0 ||
	    strncmp(name, spawned_name, sizeof spawned_name - 1) == 0)
		return 1;
	suffix = trace_rank_file(name, &rank);
	return suffix && (strcmp(suffix, ".tit") == 0 || strcmp(suffix, ".log") == 0 ||
	                  strcmp(suffix, ".log2") == 0 || strcmp(suffix, ".part") == 0);
}

static int is_of_simgrid(const char *name)
{
	uint32_t rank;
	const char *suffix = trace_rank_file(name, &rank);

	return suffix && strcmp(suffix, ".txt") == 0;
}

static int is_of_otf2(const char *name)
{
	return strcmp(name, "traces.otf2") == 0 || strcmp(name, "traces.def") == 0 ||
	       strcmp(name, "traces") == 0;
}

static int is_dots(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Looks at every file of a folder: are they all of this kind? */
static int folder_look(const char *dir, int (*is_ours)(const char *name), const char *kind,
                       int overwrite, struct err *err)
{
	DIR *d = opendir(dir);
	const struct dirent *e;
	int r = 0;

	if (!d && errno == ENOTDIR)
		return err_set(err, ERR_INPUT,
		               "%s is a file, where a folder is to be written. Choose another name "
		               "with -o.",
		               dir);
	if (!d)
		return errno == ENOENT ? 0 : err_sys(err, errno, "%s", dir);
	while (r >= 0 && (r = entry_next(d, dir, &e, err)) > 0)
		if (is_dots(e->d_name))
			continue;
		else if (!is_ours(e->d_name))
			r = err_set(err, ERR_INPUT,
			            "the folder %s is no %s: it holds %s. Choose another with -o.",
			            dir, kind, e->d_name);
		else if (!overwrite)
			r = err_set(err, ERR_INPUT,
			            "%s holds a trace already. --force overwrites it.", dir);
	closedir(d);
	return r;
}

int folder_check(const char *dir, int overwrite, struct err *err)
{
	return folder_look(dir, is_of_trace, "trace of Orrery's", overwrite, err);
}

int folder_check_simgrid(const char *dir, int overwrite, struct err *err)
{
	return folder_look(dir, is_of_simgrid, "folder of SimGrid's traces", overwrite, err);
}

int folder_check_otf2(const char *dir, int overwrite, struct err *err)
{
	return folder_look(dir, is_of_otf2, "OTF2 trace", overwrite, err);
}

/* The operating system says no: the program can still run. */
static int folder_unwritable(const char *dir, struct err *err)
{
	return err_sys(err, errno, "%s cannot be written", dir);
}

/* A disk without a free inode must still take the word that a rank has stopped. */
static void word_keep(const char *dir)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/" TRACE_GOES_ON, dir);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

/* A disk that the program fills must still take the manifest. */
static void room_keep(const char *dir)
{
	struct statvfs vfs;
	char path[4096];
	uint64_t size = ROOM;
	int fd;

	if (statvfs(dir, &vfs) == 0 && vfs.f_bavail * vfs.f_frsize / ROOM_SHARE < size)
		size = vfs.f_bavail * vfs.f_frsize / ROOM_SHARE;
	snprintf(path, sizeof path, "%s/%s", dir, room_name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (size > 0)
		posix_fallocate(fd, 0, (off_t)size); /* where it fails, there is none */
	close(fd);
}

void place_room(const struct trace_place *p)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", p->path, room_name);
	unlink(path);
	snprintf(path, sizeof path, "%s/" TRACE_GOES_ON, p->path);
	unlink(path);
}

int place_prepare(struct trace_place *p, const char *dir, int overwrite, struct err *err)
{
	struct err there; /* what is there, which is no error */

	*p = (struct trace_place){.beside.lock = -1};
	p->made = mkdir(dir, 0700) == 0;
	if (!p->made && errno != EEXIST)
		return folder_unwritable(dir, err);
	if (folder_check(dir, overwrite, err) < 0)
		return -1;
	if (access(dir, W_OK | X_OK) < 0)
		return folder_unwritable(dir, err);
	if (overwrite && folder_check(dir, 0, &there) < 0) {
		if (output_folder_open(&p->beside, dir, err) < 0)
			return -1;
		p->is_beside = 1;
		dir = p->beside.part;
	}
	p->path = realpath(dir, NULL);
	if (!p->path)
		return err_sys(err, errno, "%s", dir);
	word_keep(p->path);
	room_keep(p->path);
	return 0;
}

/* Of processes that should have been spawned, and of how many there are (tracer/worlds.h). */
static void worlds_remove(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, worlds_name) == 0 ||
		    strncmp(e->d_name, spawned_name, sizeof spawned_name - 1) == 0)
			unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
}

int place_finish(struct trace_place *p, int written, struct err *err)
{
	char path[4096];

	place_room(p);
	snprintf(path, sizeof path, "%s/" TRACE_STOPPED, p->path);
	unlink(path);
	worlds_remove(p->path);
	if (p->made && !written)
		rmdir(p->path); /* unless something is in it */
	if (!p->is_beside || !p->beside.part || !written ||
	    output_folder_commit(&p->beside, err) == 0)
		return 0;
	place_keep(p, err);
	return -1;
}

int place_is_finished(const struct trace_place *p)
{
	return p->is_beside && p->beside.part && output_folder_is_placed(&p->beside);
}

void place_keep(struct trace_place *p, struct err *err)
{
	if (p->is_beside)
		output_folder_keep(&p->beside, err);
}

void place_release(struct trace_place *p)
{
	if (p->path) /* of a run that was never begun */
		place_room(p);
	output_folder_release(&p->beside);
	free(p->path);
	*p = (struct trace_place){.beside.lock = -1};
}
