/* fault.c: see fault.h. Live blocks are kept in a small open-addressed set of pointers, so that a
 * leak on an error path shows. */
#include "fault/fault.h"

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIVE_SLOTS = 1 << 20, SWEEP_MAX = 100000 };

/* A test program has one thread and one fault at a time: this is its only state. */
static struct {
	int armed, held, hit;
	enum fault_kind kind;
	long left;
	void *live[LIVE_SLOTS];
	long live_n;
	uint64_t told; /* a hash of it (FNV-1a) */
} fault;

static int fault_now(enum fault_kind kind, int errnum)
{
	if (!fault.armed || fault.kind != kind || --fault.left != 0)
		return 0;
	fault.hit = 1;
	errno = errnum;
	return 1;
}

static size_t live_slot(const void *p)
{
	size_t i = ((uintptr_t)p >> 4) * 0x9e3779b97f4a7c15u >> 44;

	while (fault.live[i] && fault.live[i] != p)
		i = (i + 1) % LIVE_SLOTS;
	return i;
}

static void *live_add(void *p)
{
	if (p && fault.armed) {
		assert_true(fault.live_n < LIVE_SLOTS / 2);
		fault.live[live_slot(p)] = p;
		fault.live_n++;
	}
	return p;
}

static void live_remove(const void *p)
{
	size_t i = live_slot(p), j, home;

	if (!p || !fault.live[i])
		return;
	fault.live_n--;
	for (j = (i + 1) % LIVE_SLOTS; fault.live[j]; j = (j + 1) % LIVE_SLOTS) {
		home = ((uintptr_t)fault.live[j] >> 4) * 0x9e3779b97f4a7c15u >> 44;
		if ((j + LIVE_SLOTS - home) % LIVE_SLOTS < (j + LIVE_SLOTS - i) % LIVE_SLOTS)
			continue;
		fault.live[i] = fault.live[j];
		i = j;
	}
	fault.live[i] = NULL;
}

/* What the linker calls instead, and the originals. */
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_reallocarray(void *p, size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t n);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void __real_free(void *p);
ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
size_t __real_fread(void *buf, size_t size, size_t n, FILE *f);
ssize_t __real_write(int fd, const void *buf, size_t n);
ssize_t __real_pwrite(int fd, const void *buf, size_t n, off_t at);
size_t __real_fwrite(const void *buf, size_t size, size_t n, FILE *f);
int __real_fflush(FILE *f);
int __real_fclose(FILE *f);
int __real_posix_fallocate(int fd, off_t at, off_t n);
int __real_ftruncate(int fd, off_t n);
int __real_open(const char *path, int flags, mode_t mode);
FILE *__real_fopen(const char *path, const char *mode);
int __real_mkdir(const char *path, mode_t mode);
int __real_stat(const char *path, struct stat *st);
int __real_lstat(const char *path, struct stat *st);
int __real_fstat(int fd, struct stat *st);
int __real_access(const char *path, int how);
DIR *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *d);
int __real_fsync(int fd);
int __real_syncfs(int fd);
int __real_rename(const char *from, const char *to);
int __real_linkat(int a, const char *from, int b, const char *to, int flags);
int __real_close(int fd);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
void __wrap_free(void *p);
ssize_t __wrap_read(int fd, void *buf, size_t n);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);
size_t __wrap_fread(void *buf, size_t size, size_t n, FILE *f);
ssize_t __wrap_write(int fd, const void *buf, size_t n);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t at);
size_t __wrap_fwrite(const void *buf, size_t size, size_t n, FILE *f);
int __wrap_fflush(FILE *f);
int __wrap_fclose(FILE *f);
int __wrap_posix_fallocate(int fd, off_t at, off_t n);
int __wrap_ftruncate(int fd, off_t n);
int __wrap_open(const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_stat(const char *path, struct stat *st);
int __wrap_lstat(const char *path, struct stat *st);
int __wrap_fstat(int fd, struct stat *st);
int __wrap_access(const char *path, int how);
DIR *__wrap_opendir(const char *path);
struct dirent *__wrap_readdir(DIR *d);
int __wrap_fsync(int fd);
int __wrap_syncfs(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_linkat(int a, const char *from, int b, const char *to, int flags);
int __wrap_close(int fd);

void *__wrap_malloc(size_t n)
{
	return fault_now(FAULT_ALLOC, ENOMEM) ? NULL : live_add(__real_malloc(n));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fault_now(FAULT_ALLOC, ENOMEM) ? NULL : live_add(__real_calloc(n, size));
}

void *__wrap_aligned_alloc(size_t align, size_t n)
{
	return fault_now(FAULT_ALLOC, ENOMEM) ? NULL : live_add(__real_aligned_alloc(align, n));
}

void *__wrap_realloc(void *p, size_t n)
{
	uintptr_t old = (uintptr_t)p;
	void *moved;

	if (fault_now(FAULT_ALLOC, ENOMEM))
		return NULL;
	moved = __real_realloc(p, n);
	if (moved || n == 0)
		live_remove((const void *)old); /* the address only */
	return live_add(moved);
}

void *__wrap_reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return __wrap_realloc(p, bytes);
}

char *__wrap_strdup(const char *s)
{
	return fault_now(FAULT_ALLOC, ENOMEM) ? NULL : live_add(__real_strdup(s));
}

char *__wrap_strndup(const char *s, size_t n)
{
	return fault_now(FAULT_ALLOC, ENOMEM) ? NULL : live_add(__real_strndup(s, n));
}

void __wrap_free(void *p)
{
	live_remove(p);
	__real_free(p);
}

ssize_t __wrap_read(int fd, void *buf, size_t n)
{
	return fault_now(FAULT_READ, EIO) ? -1 : __real_read(fd, buf, n);
}

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
	return fault_now(FAULT_READ, EIO) ? -1 : __real_pread(fd, buf, n, at);
}

size_t __wrap_fread(void *buf, size_t size, size_t n, FILE *f)
{
	return fault_now(FAULT_READ, EIO) ? 0 : __real_fread(buf, size, n, f);
}

ssize_t __wrap_write(int fd, const void *buf, size_t n)
{
	return fault_now(FAULT_WRITE, ENOSPC) ? -1 : __real_write(fd, buf, n);
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return fault_now(FAULT_WRITE, ENOSPC) ? -1 : __real_pwrite(fd, buf, n, at);
}

size_t __wrap_fwrite(const void *buf, size_t size, size_t n, FILE *f)
{
	return fault_now(FAULT_WRITE, ENOSPC) ? 0 : __real_fwrite(buf, size, n, f);
}

int __wrap_fflush(FILE *f)
{
	return fault_now(FAULT_WRITE, ENOSPC) ? EOF : __real_fflush(f);
}

int __wrap_fclose(FILE *f)
{
	int failed = fault_now(FAULT_WRITE, ENOSPC), result = __real_fclose(f);

	if (failed)
		errno = ENOSPC;
	return failed ? EOF : result;
}

int __wrap_posix_fallocate(int fd, off_t at, off_t n)
{
	return fault_now(FAULT_WRITE, ENOSPC) ? ENOSPC : __real_posix_fallocate(fd, at, n);
}

int __wrap_ftruncate(int fd, off_t n)
{
	return fault_now(FAULT_WRITE, EIO) ? -1 : __real_ftruncate(fd, n);
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode = 0;

	va_start(ap, flags);
	if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return fault_now(FAULT_OPEN, EACCES) ? -1 : __real_open(path, flags, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return fault_now(FAULT_OPEN, EACCES) ? NULL : __real_fopen(path, mode);
}

int __wrap_mkdir(const char *path, mode_t mode)
{
	return fault_now(FAULT_OPEN, EACCES) ? -1 : __real_mkdir(path, mode);
}

int __wrap_stat(const char *path, struct stat *st)
{
	return fault_now(FAULT_LOOK, EIO) ? -1 : __real_stat(path, st);
}

int __wrap_lstat(const char *path, struct stat *st)
{
	return fault_now(FAULT_LOOK, EIO) ? -1 : __real_lstat(path, st);
}

int __wrap_fstat(int fd, struct stat *st)
{
	return fault_now(FAULT_LOOK, EIO) ? -1 : __real_fstat(fd, st);
}

int __wrap_access(const char *path, int how)
{
	return fault_now(FAULT_LOOK, EIO) ? -1 : __real_access(path, how);
}

DIR *__wrap_opendir(const char *path)
{
	return fault_now(FAULT_LOOK, EIO) ? NULL : __real_opendir(path);
}

struct dirent *__wrap_readdir(DIR *d)
{
	return fault_now(FAULT_LOOK, EIO) ? NULL : __real_readdir(d);
}

int __wrap_fsync(int fd)
{
	return fault_now(FAULT_WRITE, EIO) ? -1 : __real_fsync(fd);
}

int __wrap_syncfs(int fd)
{
	return fault_now(FAULT_WRITE, EIO) ? -1 : __real_syncfs(fd);
}

int __wrap_rename(const char *from, const char *to)
{
	return fault_now(FAULT_WRITE, EIO) ? -1 : __real_rename(from, to);
}

int __wrap_linkat(int a, const char *from, int b, const char *to, int flags)
{
	return fault_now(FAULT_WRITE, EIO) ? -1 : __real_linkat(a, from, b, to, flags);
}

/* It is closed all the same. */
int __wrap_close(int fd)
{
	int failed = fault_now(FAULT_WRITE, EIO), r = __real_close(fd);

	if (failed)
		errno = EIO;
	return failed ? -1 : r;
}

void fault_start(enum fault_kind kind, long n)
{
	if (fault.live_n) /* the table is large, and empty as a rule */
		memset(fault.live, 0, sizeof fault.live);
	fault.live_n = 0;
	fault.kind = kind;
	fault.left = n;
	fault.hit = 0;
	fault.armed = 1;
}

int fault_stop(void)
{
	fault.armed = 0;
	return fault.hit;
}

static void fault_check(enum fault_kind kind, long n, int result, const struct err *err)
{
	if (fault.live_n != 0)
		fail_msg("fault %ld: %ld blocks of memory were leaked", n, fault.live_n);
	if (result >= 0)
		return;
	if (err->kind != ERR_LIMIT && !(kind == FAULT_OPEN && err->kind == ERR_INPUT))
		fail_msg("fault %ld: error of kind %d: %s", n, (int)err->kind, err->text);
	if (err->text[0] == '\0')
		fail_msg("fault %ld: an error without a text", n);
}

void fault_hold(int on)
{
	if (on)
		fault.held = fault.armed, fault.armed = 0;
	else
		fault.armed = fault.held;
}

void fault_told(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		fault.told = (fault.told ^ p[i]) * UINT64_C(0x100000001b3);
}

/* What it tells is what it told when it succeeded before, the last time without a fault. */
static void told_check(long n, uint64_t *told, int *known)
{
	if (*known && fault.told != *told)
		fail_msg("fault %ld: succeeds with another result", n);
	*known = 1;
	*told = fault.told;
}

int fault_sweep(enum fault_kind kind, fault_body body, void *arg)
{
	uint64_t told = 0;
	int known = 0;
	long n;

	for (n = 1; n < SWEEP_MAX; n++) {
		struct err err = {0};
		int result;

		fault.told = UINT64_C(0xcbf29ce484222325);
		fault_start(kind, n);
		result = body(arg, &err);
		if (result >= 0)
			told_check(n, &told, &known);
		if (!fault_stop()) {
			if (result < 0)
				fail_msg("fails without any fault: %s", err.text);
			break;
		}
		fault_check(kind, n, result, &err);
	}
	assert_true(n > 1);
	return (int)(n - 1);
}
