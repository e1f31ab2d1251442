/* mapped.c: see mapped.h. */
#include "mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FD_MOST = 4000 };

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int failed(const struct mapped *m, int error, struct err *err)
{
	return err_sys(err, error, "%s", m->path);
}

/* --- signals --- */

/* They wait while the window moves: a handler would see neither the old nor the new one. */
static void signals_block(sigset_t *saved)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, saved);
}

/* A file that grows over the limit on the size of files sends SIGXFSZ, which ends the program. It
 * is blocked here; it is taken away before it is delivered. */
static void limit_signal_take(void)
{
	struct timespec now = {0};
	sigset_t limit;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	while (sigtimedwait(&limit, NULL, &now) < 0 && errno == EINTR)
		continue;
}

/* --- the descriptor --- */

static int is_ours(const struct mapped *m, int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == m->dev && st.st_ino == m->ino;
}

int descriptor_raise(int fd)
{
	struct rlimit limit;
	rlim_t high = FD_MOST;
	int moved;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return fd;
	if (limit.rlim_cur < 2 * high)
		high = limit.rlim_cur / 2;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, (int)high);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

/* The descriptor, opened anew if it is another file's by now. -1: the file is gone. */
static int descriptor(struct mapped *m)
{
	int fd;

	if (is_ours(m, m->fd))
		return m->fd;
	fd = descriptor_raise(open(m->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
	if (is_ours(m, fd)) {
		m->fd = fd;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	errno = EBADF;
	return -1;
}

static int file_make(struct mapped *m)
{
	struct stat st;
	int fd = open(m->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -1;
	m->fd = descriptor_raise(fd);
	if (fstat(m->fd, &st) < 0)
		return -1;
	m->dev = st.st_dev;
	m->ino = st.st_ino;
	return 0;
}

/* --- windows --- */

/* Makes the disk hold `size` bytes from `start` on, or fewer, but `least`. How many; 0: errno. */
static size_t disk_reserve(int fd, uint64_t start, size_t size, size_t least)
{
	for (;; size = size / 2 > least ? size / 2 / page_size() * page_size() : least) {
		int error;

		size = size < least ? least : size;
		do
			error = posix_fallocate(fd, (off_t)start, (off_t)size);
		while (error == EINTR);
		if (error == EFBIG)
			limit_signal_take();
		if (error == 0)
			return size;
		errno = error;
		if (size == least || (error != ENOSPC && error != EFBIG && error != EDQUOT))
			return 0;
	}
}

static int write_at(int fd, const char *s, size_t n, uint64_t at)
{
	while (n > 0) {
		ssize_t k = pwrite(fd, s, n, (off_t)at);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return -1;
		s += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return 0;
}

/* What is kept in memory is written: 0, or -1 with errno. */
static int memory_write(struct mapped *m)
{
	int fd = m->kept > 0 ? descriptor(m) : m->fd;

	if (m->kept == 0)
		return 0;
	if (fd < 0 || write_at(fd, m->at, m->kept, m->start) < 0)
		return -1;
	m->start += m->kept;
	m->kept = 0;
	return 0;
}

static size_t next_window(const struct mapped *m)
{
	size_t next = m->cap ? 2 * m->cap : MAPPED_FIRST;

	return next < m->window ? next : m->window;
}

/* Room in memory, for n bytes behind what is kept, which is written. */
static int memory_move(struct mapped *m, size_t n)
{
	size_t next = next_window(m), cap = next > n ? next : n;
	char *at;

	if (memory_write(m) < 0) {
		if (errno == EFBIG)
			limit_signal_take();
		return -1;
	}
	if (m->at && cap <= m->cap)
		return 0;
	at = realloc(m->at, cap);
	if (!at)
		return -1;
	m->at = at;
	m->cap = cap;
	return 0;
}

/* The window is moved to where n bytes fit behind what is kept. */
static int file_move(struct mapped *m, size_t n)
{
	size_t page = page_size(), into = (size_t)(mapped_size(m) % page),
	       least = (into + n + page - 1) / page * page,
	       wanted = (next_window(m) + page - 1) / page * page, size;
	uint64_t start = mapped_size(m) - into;
	int fd = descriptor(m);
	char *at;

	if (fd < 0 || (size = disk_reserve(fd, start, wanted, least)) == 0)
		return -1;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)start);
	if (at == MAP_FAILED)
		return -1;
	if (m->at)
		munmap(m->at, m->cap);
	m->at = at;
	m->cap = size;
	m->start = start;
	m->kept = into;
	return 0;
}

static int window_move(struct mapped *m, size_t n)
{
	sigset_t saved;
	int result, error;

	signals_block(&saved);
	result = m->memory ? memory_move(m, n) : file_move(m, n);
	if (result < 0 && !m->memory && !m->at && errno != ENOSPC && errno != EFBIG &&
	    errno != EDQUOT) { /* this file system maps no files */
		m->memory = 1;
		result = memory_move(m, n);
	}
	error = errno;
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	errno = error;
	return result;
}

int mapped_open(struct mapped *m, const char *path, size_t window, struct err *err)
{
	struct err dropped;

	*m = (struct mapped){.fd = -1, .owner = getpid(), .path = path, .window = window};
	if (file_make(m) == 0 && window_move(m, 1) == 0)
		return 0;
	failed(m, errno, err);
	mapped_close(m, &dropped);
	return -1;
}

int mapped_to_memory(struct mapped *m, struct err *err)
{
	if (m->at)
		munmap(m->at, m->cap);
	m->at = NULL;
	m->cap = 0;
	m->memory = 1;
	if (ftruncate(m->fd, 0) == 0 && memory_move(m, 1) == 0)
		return 0;
	return failed(m, errno, err);
}

char *mapped_room(struct mapped *m, size_t n, struct err *err)
{
	if (n > m->cap - m->kept && window_move(m, n) < 0) {
		failed(m, errno, err);
		return NULL;
	}
	return m->at + m->kept;
}

void mapped_rescue(struct mapped *m)
{
	int error = errno;

	if (m->memory && m->fd >= 0 && m->owner == getpid())
		memory_write(m);
	errno = error;
}

/* The file ends with what is kept: 0, or -1 with errno. */
static int file_end(struct mapped *m)
{
	int fd = descriptor(m);

	if (fd < 0 || (m->memory && memory_write(m) < 0))
		return -1;
	return m->memory ? 0 : ftruncate(fd, (off_t)mapped_size(m));
}

int mapped_close(struct mapped *m, struct err *err)
{
	int result = m->fd >= 0 && file_end(m) < 0 ? failed(m, errno, err) : 0;

	if (m->memory)
		free(m->at);
	else if (m->at)
		munmap(m->at, m->cap);
	if (is_ours(m, m->fd) && close(m->fd) < 0 && errno != EINTR && result == 0)
		result = failed(m, errno, err);
	m->fd = -1;
	m->at = NULL;
	m->cap = m->kept = 0;
	return result;
}
