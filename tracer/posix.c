/* posix.c: files of the operating system. The library stands before open, read, write and their
 * like as it stands before MPI's functions; what is not a regular file that the application opened
 * while it is traced is passed on after one look at a table.
 *
 * Descriptors that are duplicates of each other (dup, dup2, dup3, F_DUPFD) are one file: it is
 * closed with the last of them.
 *
 * Of C's streams only fopen and fclose are seen: what is written through them reaches the file from
 * inside libc. At fclose the place in the file tells how much was read or written; what read and
 * write have already told of the same descriptor (C++ streams use these) is taken off.
 *
 * Only threads that call MPI are traced: below MPI_THREAD_MULTIPLE there is no lock. Nothing here
 * disturbs errno. A forked child's accesses are not its parent's. */
#include "call.h"
#include "record.h"
#include "tracer.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* The fortified headers would make the wrappers inline functions of their own. */
#undef open
#undef read
#undef fcntl

struct posix_file { /* by number */
	uint32_t descriptors;
	int stream_reads;
	int64_t start, told; /* of a stream: its place at fopen; what read and write have told */
};
enum { DESCRIPTORS = 65536 }; /* higher ones, and numbers, are not traced */
static struct posix_table {
	uint32_t *number; /* by descriptor, + 1; 0: not traced */
	struct posix_file *files;
	uint32_t cap;
} table;

void posix_forget(void)
{
	free(table.number);
	free(table.files);
	table = (struct posix_table){0};
}

/* What is known of a descriptor, or NULL. */
static struct posix_file *file_of(int fd)
{
	return fd >= 0 && (uint32_t)fd < table.cap && table.number[fd]
	           ? &table.files[table.number[fd] - 1]
	           : NULL;
}

/* The function behind; found when first needed. */
static void *behind(void **known, const char *name)
{
	if (!*known)
		*known = dlsym(RTLD_NEXT, name);
	return *known;
}
#define BEHIND(result, name, types) \
	static void *known; \
	result(*next) types; \
	*(void **)(void *)&next = behind(&known, #name)

static int traced(int fd)
{
	return tracer.state == TRACER_ON && !thread.inside && thread.opened && file_of(fd) &&
	       getpid() == tracer.out.owner;
}

/* --- opened and closed --- */

/* A module that an interpreter loads: the start of a program, as the libraries are that the dynamic
 * linker maps. */
static int is_module(const char *name)
{
	static const char *const ends[] = {".pyc", ".py", ".pth", ".so"};
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; dot && i < sizeof ends / sizeof *ends; i++)
		if (strcmp(dot, ends[i]) == 0)
			return 1;
	return 0;
}

/* Whether a name from the root on is of interest: not the kernel's, not our own trace. */
static int is_of_interest(const char *name)
{
	static const char *const others[] = {"/proc/", "/sys/", "/dev/", "/etc/"};
	size_t n = strlen(tracer.dir);

	if (is_module(name))
		return 0;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return 0;
	while (n > 1 && tracer.dir[n - 1] == '/')
		n--;
	return strncmp(name, tracer.dir, n) != 0 || (name[n] != '/' && name[n] != '\0');
}

/* From the root on: of a descriptor, as the kernel says. 0, or -1. */
static int name_of(int fd, char *buf, size_t size)
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
	n = readlink(link, buf, size - 1);
	if (n <= 0 || *buf != '/')
		return -1;
	buf[n] = '\0';
	return 0;
}

/* Once, so that it never moves: other threads look at it without a lock. Its pages are taken when
 * they are used. */
static int table_reserve(int fd)
{
	struct err err;

	if (!table.cap) {
		free(table.number);
		table.number = calloc(DESCRIPTORS, sizeof *table.number);
		table.files = table.number ? calloc(DESCRIPTORS, sizeof *table.files) : NULL;
		if (!table.files) {
			err_nomem(&err, "descriptors", DESCRIPTORS * sizeof *table.files);
			tracer_mute(&err);
			return -1;
		}
		table.cap = DESCRIPTORS;
	}
	return fd < DESCRIPTORS ? 0 : -1;
}

/* The descriptor is no longer one of its file's: 1 if it was the last. */
static int detach(int fd, uint32_t *number)
{
	struct posix_file *f = file_of(fd);

	*number = f ? table.number[fd] - 1 : 0;
	if (!f)
		return 0;
	table.number[fd] = 0;
	return --f->descriptors == 0;
}

/* c: the call that did it; NULL: it was none that was seen. */
static void closed(struct call *c, uint32_t number)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_IO_CLOSE);
	ev.object = number;
	if (c)
		event_put(c, &ev);
	else
		event_put_more(&ev);
	request_remove(&tracer.files, number);
}

/* A descriptor that was just opened. c: the call. */
static void opened(struct call *c, int fd)
{
	struct trace_event ev;
	uint32_t i, before;
	char name[4096];
	struct stat st;
	struct err err;

	if (!recording() || tracer.simulated || getpid() != tracer.out.owner)
		return;
	if (detach(fd, &before)) /* closed where nobody saw it */
		closed(NULL, before);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || name_of(fd, name, sizeof name) < 0 ||
	    !is_of_interest(name) || table_reserve(fd) < 0)
		return;
	i = request_add(&tracer.files, UINT64_C(1) << 63 | (uint32_t)fd, 0, &err);
	if (i == REQUEST_NONE) {
		tracer_mute(&err);
		return;
	}
	if (i >= DESCRIPTORS) {
		request_remove(&tracer.files, i);
		return;
	}
	table.files[i] = (struct posix_file){.descriptors = 1};
	table.number[fd] = i + 1;
	trace_event_init(&ev, TRACE_IO_OPEN);
	ev.object = i;
	ev.text = name;
	event_put(c, &ev);
}

static void access_put(const struct call *c, int fd, enum trace_op op, int64_t bytes)
{
	struct trace_event ev;

	file_of(fd)->told += bytes;
	trace_event_init(&ev, op);
	ev.object = table.number[fd] - 1;
	ev.count = bytes;
	event_put(c, &ev);
}

/* Any function does for the id: it is where calls without a place in the trace are counted, and
 * these all have one. */
static int begin(struct call *c, void *site)
{
	return tracer.state == TRACER_ON && !thread.inside && thread.opened &&
	       call_enter(c, CALL_File_open, site);
}

static int end_open(struct call *c, int entered, int fd)
{
	int saved = errno;

	if (!entered)
		return fd;
	call_return(c, 0);
	if (fd >= 0)
		opened(c, fd);
	call_leave(c);
	errno = saved;
	return fd;
}

#define OPENS(name, parameters, types, arguments, flags) \
	VISIBLE int name parameters; \
	int name parameters \
	{ \
		BEHIND(int, name, types); \
		struct call c; \
		mode_t mode = 0; \
		int entered; \
		va_list ap; \
\
		va_start(ap, flags); \
		if ((flags) & (O_CREAT | __O_TMPFILE)) \
			mode = va_arg(ap, mode_t); \
		va_end(ap); \
		entered = begin(&c, SITE); \
		return end_open(&c, entered, next arguments); \
	}
OPENS(open, (const char *path, int flags, ...), (const char *, int, ...), (path, flags, mode),
      flags)
OPENS(open64, (const char *path, int flags, ...), (const char *, int, ...), (path, flags, mode),
      flags)
OPENS(openat, (int dir, const char *path, int flags, ...), (int, const char *, int, ...),
      (dir, path, flags, mode), flags)
OPENS(openat64, (int dir, const char *path, int flags, ...), (int, const char *, int, ...),
      (dir, path, flags, mode), flags)

#define OPENS_PLAIN(name, parameters, types, arguments) \
	VISIBLE int name parameters; \
	int name parameters \
	{ \
		BEHIND(int, name, types); \
		struct call c; \
		int entered = begin(&c, SITE); \
\
		return end_open(&c, entered, next arguments); \
	}
OPENS_PLAIN(creat, (const char *path, mode_t mode), (const char *, mode_t), (path, mode))
OPENS_PLAIN(creat64, (const char *path, mode_t mode), (const char *, mode_t), (path, mode))
OPENS_PLAIN(__open_2, (const char *path, int flags), (const char *, int), (path, flags))
OPENS_PLAIN(__open64_2, (const char *path, int flags), (const char *, int), (path, flags))
OPENS_PLAIN(__openat_2, (int dir, const char *path, int flags), (int, const char *, int),
            (dir, path, flags))
OPENS_PLAIN(__openat64_2, (int dir, const char *path, int flags), (int, const char *, int),
            (dir, path, flags))

/* What is left to say of a descriptor that was closed: what its stream moved, and that the file is,
 * if it was the last one. */
static void closing(struct call *c, int fd, int64_t moved)
{
	struct posix_file *f = file_of(fd);
	struct trace_event ev;
	uint32_t number;

	if (!f) /* another thread has closed it too */
		return;
	if (moved > 0) {
		trace_event_init(&ev, f->stream_reads ? TRACE_IO_READ : TRACE_IO_WRITE);
		ev.object = table.number[fd] - 1;
		ev.count = moved;
		event_put_more(&ev);
		f->told += moved;
	}
	if (detach(fd, &number))
		closed(c, number);
}

VISIBLE int close(int fd);
int close(int fd)
{
	BEHIND(int, close, (int));
	struct call c;
	int result, saved;

	if (!traced(fd) || !begin(&c, SITE))
		return next(fd);
	result = next(fd);
	saved = errno;
	call_return(&c, 0);
	closing(&c, fd, 0);
	call_leave(&c);
	errno = saved;
	return result;
}

VISIBLE int unlink(const char *path);
int unlink(const char *path)
{
	BEHIND(int, unlink, (const char *));
	struct trace_event ev;
	char name[4096], whole[4096];
	struct call c;
	int result, saved;

	if (tracer.state != TRACER_ON || thread.inside || !thread.opened ||
	    getpid() != tracer.out.owner || !begin(&c, SITE))
		return next(path);
	saved = errno;
	if (path[0] == '/' || !getcwd(name, sizeof name))
		name[0] = '\0';
	snprintf(whole, sizeof whole, "%s%s%s", name, name[0] ? "/" : "", path);
	errno = saved;
	result = next(path);
	saved = errno;
	call_return(&c, 0);
	if (result == 0 && is_of_interest(whole)) {
		trace_event_init(&ev, TRACE_IO_UNLINK);
		ev.text = whole;
		event_put(&c, &ev);
	}
	call_leave(&c);
	errno = saved;
	return result;
}

/* --- duplicates --- */

/* What the new descriptor was before is closed, without a word. */
static int end_dup(struct call *c, int entered, int fd, int copy)
{
	int saved = errno;

	if (!entered)
		return copy;
	call_return(c, 0);
	if (copy >= 0 && copy != fd) {
		if ((uint32_t)copy < table.cap)
			closing(c, copy, 0);
		if ((uint32_t)copy < table.cap && file_of(fd)) {
			table.number[copy] = table.number[fd];
			file_of(fd)->descriptors++;
		}
	}
	call_leave(c);
	errno = saved;
	return copy;
}

VISIBLE int dup(int fd);
int dup(int fd)
{
	BEHIND(int, dup, (int));
	struct call c;
	int entered = traced(fd) && begin(&c, SITE);

	return end_dup(&c, entered, fd, next(fd));
}

VISIBLE int dup2(int fd, int copy);
int dup2(int fd, int copy)
{
	BEHIND(int, dup2, (int, int));
	struct call c;
	int entered = (traced(fd) || traced(copy)) && begin(&c, SITE);

	return end_dup(&c, entered, fd, next(fd, copy));
}

VISIBLE int dup3(int fd, int copy, int flags);
int dup3(int fd, int copy, int flags)
{
	BEHIND(int, dup3, (int, int, int));
	struct call c;
	int entered = (traced(fd) || traced(copy)) && begin(&c, SITE);

	return end_dup(&c, entered, fd, next(fd, copy, flags));
}

/* Its last argument is a number, an address or none: all come as a word, as libc itself takes
 * them. */
#define CONTROLS(name) \
	VISIBLE int name(int fd, int command, ...); \
	int name(int fd, int command, ...) \
	{ \
		BEHIND(int, name, (int, int, ...)); \
		struct call c; \
		void *argument; \
		va_list ap; \
		int entered; \
\
		va_start(ap, command); \
		argument = va_arg(ap, void *); \
		va_end(ap); \
		if (command != F_DUPFD && command != F_DUPFD_CLOEXEC) \
			return next(fd, command, argument); \
		entered = traced(fd) && begin(&c, SITE); \
		return end_dup(&c, entered, fd, next(fd, command, argument)); \
	}
CONTROLS(fcntl)
CONTROLS(fcntl64)

/* --- read and written --- */

#define MOVES(result, name, op, parameters, types, arguments) \
	VISIBLE result name parameters; \
	result name parameters \
	{ \
		BEHIND(result, name, types); \
		struct call c; \
		result moved; \
		int saved; \
\
		if (!traced(fd) || !begin(&c, SITE)) \
			return next arguments; \
		moved = next arguments; \
		saved = errno; \
		call_return(&c, 0); \
		if (moved >= 0 && file_of(fd)) \
			access_put(&c, fd, op, moved); \
		call_leave(&c); \
		errno = saved; \
		return moved; \
	}
MOVES(ssize_t, read, TRACE_IO_READ, (int fd, void *p, size_t n), (int, void *, size_t), (fd, p, n))
MOVES(ssize_t, __read_chk, TRACE_IO_READ, (int fd, void *p, size_t n, size_t size),
      (int, void *, size_t, size_t), (fd, p, n, size))
MOVES(ssize_t, pread, TRACE_IO_READ, (int fd, void *p, size_t n, off_t at),
      (int, void *, size_t, off_t), (fd, p, n, at))
MOVES(ssize_t, pread64, TRACE_IO_READ, (int fd, void *p, size_t n, off64_t at),
      (int, void *, size_t, off64_t), (fd, p, n, at))
MOVES(ssize_t, __pread_chk, TRACE_IO_READ, (int fd, void *p, size_t n, off_t at, size_t size),
      (int, void *, size_t, off_t, size_t), (fd, p, n, at, size))
MOVES(ssize_t, __pread64_chk, TRACE_IO_READ, (int fd, void *p, size_t n, off64_t at, size_t size),
      (int, void *, size_t, off64_t, size_t), (fd, p, n, at, size))
MOVES(ssize_t, readv, TRACE_IO_READ, (int fd, const struct iovec *v, int n),
      (int, const struct iovec *, int), (fd, v, n))
MOVES(ssize_t, preadv, TRACE_IO_READ, (int fd, const struct iovec *v, int n, off_t at),
      (int, const struct iovec *, int, off_t), (fd, v, n, at))
MOVES(ssize_t, preadv64, TRACE_IO_READ, (int fd, const struct iovec *v, int n, off64_t at),
      (int, const struct iovec *, int, off64_t), (fd, v, n, at))
MOVES(ssize_t, write, TRACE_IO_WRITE, (int fd, const void *p, size_t n),
      (int, const void *, size_t), (fd, p, n))
MOVES(ssize_t, pwrite, TRACE_IO_WRITE, (int fd, const void *p, size_t n, off_t at),
      (int, const void *, size_t, off_t), (fd, p, n, at))
MOVES(ssize_t, pwrite64, TRACE_IO_WRITE, (int fd, const void *p, size_t n, off64_t at),
      (int, const void *, size_t, off64_t), (fd, p, n, at))
MOVES(ssize_t, writev, TRACE_IO_WRITE, (int fd, const struct iovec *v, int n),
      (int, const struct iovec *, int), (fd, v, n))
MOVES(ssize_t, pwritev, TRACE_IO_WRITE, (int fd, const struct iovec *v, int n, off_t at),
      (int, const struct iovec *, int, off_t), (fd, v, n, at))
MOVES(ssize_t, pwritev64, TRACE_IO_WRITE, (int fd, const struct iovec *v, int n, off64_t at),
      (int, const struct iovec *, int, off64_t), (fd, v, n, at))

#define SYNCS(name) \
	VISIBLE int name(int fd); \
	int name(int fd) \
	{ \
		BEHIND(int, name, (int)); \
		struct trace_event ev; \
		struct call c; \
		int result, saved; \
\
		if (!traced(fd) || !begin(&c, SITE)) \
			return next(fd); \
		result = next(fd); \
		saved = errno; \
		call_return(&c, 0); \
		if (file_of(fd)) { \
			trace_event_init(&ev, TRACE_IO_SYNC); \
			ev.object = table.number[fd] - 1; \
			event_put(&c, &ev); \
		} \
		call_leave(&c); \
		errno = saved; \
		return result; \
	}
SYNCS(fsync)
SYNCS(fdatasync)

/* --- streams --- */

static FILE *end_fopen(struct call *c, int entered, FILE *stream, const char *mode)
{
	int saved = errno, fd = stream ? fileno(stream) : -1;
	struct posix_file *f;
	struct stat st;

	if (!entered)
		return stream;
	call_return(c, 0);
	if (stream)
		opened(c, fd);
	f = file_of(fd);
	if (f) {
		f->stream_reads = mode[0] == 'r';
		f->start = mode[0] == 'a' && fstat(fd, &st) == 0 ? st.st_size : 0;
	}
	call_leave(c);
	errno = saved;
	return stream;
}

#define STREAMS(name) \
	VISIBLE FILE *name(const char *path, const char *mode); \
	FILE *name(const char *path, const char *mode) \
	{ \
		BEHIND(FILE *, name, (const char *, const char *)); \
		struct call c; \
		int entered = begin(&c, SITE); \
\
		return end_fopen(&c, entered, next(path, mode), mode); \
	}
STREAMS(fopen)
STREAMS(fopen64)

VISIBLE int fclose(FILE *stream);
int fclose(FILE *stream)
{
	BEHIND(int, fclose, (FILE *));
	int saved = errno, fd = fileno(stream), result;
	int64_t moved;
	struct call c;

	errno = saved; /* a stream without descriptor sets it */
	if (!traced(fd) || !begin(&c, SITE))
		return next(stream);
	moved = ftello(stream) - file_of(fd)->start - file_of(fd)->told;
	errno = saved;
	result = next(stream);
	saved = errno;
	call_return(&c, 0);
	closing(&c, fd, moved);
	call_leave(&c);
	errno = saved;
	return result;
}
