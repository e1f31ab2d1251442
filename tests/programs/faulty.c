/* faulty.c: a library to preload after the tracer: the n-th allocation, or write, or opening of a
 * file that the tracer itself asks for fails. FAULTY_KIND is alloc, write or open; FAULTY_N the n.
 * The caller is told by its address: what the program and the MPI library ask for is granted, and
 * so is what the tracer only passes on for them: its own files are those of ORRERY_TRACE_DIR.
 * Writes "reached" to the file FAULTY_MARK when it has done so. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

/* Of all threads, as the tracer has several: one of them is the n-th. */
static long left;
static _Thread_local int busy;

/* What the environment says, asked at the first call, which is before there are threads: Open MPI
 * sets variables while its own thread allocates, and getenv() would read what moves. */
static struct {
	int known;
	char kind[16], mark[4096], dir[4096];
} told;

static void take(const char *name, char *to, size_t n)
{
	const char *value = getenv(name);

	snprintf(to, n, "%s", value ? value : "");
}

static void ask(void)
{
	char n[16];

	if (told.known)
		return;
	told.known = 1; /* what follows may allocate */
	take("FAULTY_KIND", told.kind, sizeof told.kind);
	take("FAULTY_MARK", told.mark, sizeof told.mark);
	take("ORRERY_TRACE_DIR", told.dir, sizeof told.dir);
	take("FAULTY_N", n, sizeof n);
	left = atol(n);
}

static int is_tracer(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname &&
	       strstr(info.dli_fname, "liborrery-trace-");
}

static int is_trace(const char *path)
{
	ask();
	return path && told.dir[0] && !strncmp(path, told.dir, strlen(told.dir));
}

/* Whether a descriptor is of a file of the trace. Not through readlink(): the tracer may stand
 * before that too one day. */
static int writes_trace(int fd)
{
	char link[40], path[4096];
	long n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = syscall(SYS_readlink, link, path, sizeof path - 1);
	if (n <= 0)
		return 0;
	path[n] = '\0';
	return is_trace(path);
}

static void mark(void)
{
	int fd = told.mark[0] ? (int)syscall(SYS_open, told.mark, O_WRONLY | O_CREAT, 0666) : -1;

	if (fd >= 0)
		close(fd);
}

static int fails(const char *kind, const void *caller)
{
	int yes = 0;

	if (busy)
		return 0;
	busy = 1;
	ask();
	if (__atomic_load_n(&left, __ATOMIC_RELAXED) > 0 && !strcmp(told.kind, kind) &&
	    is_tracer(caller))
		yes = __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) == 0;
	if (yes)
		mark();
	busy = 0;
	return yes;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t n)
{
	return fails("alloc", CALLER) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails("alloc", CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails("alloc", CALLER) ? NULL : __libc_realloc(p, n);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	static ssize_t (*next)(int, const void *, size_t);

	if (writes_trace(fd) && fails("write", CALLER)) {
		errno = ENOSPC;
		return -1;
	}
	if (!next)
		next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	return next(fd, buf, n);
}

int posix_fallocate(int fd, off_t at, off_t n)
{
	static int (*next)(int, off_t, off_t);

	if (writes_trace(fd) && fails("write", CALLER))
		return ENOSPC;
	if (!next)
		next = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
	return next(fd, at, n);
}

int open(const char *path, int flags, ...)
{
	static int (*next)(const char *, int, ...);
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, int) : 0;
	va_end(ap);
	if (is_trace(path) && fails("open", CALLER)) {
		errno = EACCES;
		return -1;
	}
	if (!next)
		next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	return next(path, flags, mode);
}
