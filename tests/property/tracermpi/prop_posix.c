/* prop_posix.c: random use of files of the operating system while a program is traced: opened in
 * all ways, read and written by all calls, past the end and without right, duplicated onto others,
 * closed, through streams, in a forked child. The trace has what the calls moved, in bytes, by the
 * number of the file, the least that no open file has; and nothing of pipes, devices, modules and
 * calls that failed. The program sees what the kernel said, errno too. */
#include "property/prop.h"
#include "unit/tracermpi/traced.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES = 5, DESCRIPTORS = 10, STEPS = 150, BUFFER = 512 };

struct program {
	struct traced t;
	struct rng rng;
	char dir[128], path[NAMES][160];
	int fd[DESCRIPTORS];     /* open ones */
	int number[DESCRIPTORS]; /* of the file in the trace; -1: not in it */
	int n;
};

static char buffer[BUFFER];

static int draw(struct program *p, int lo, int hi)
{
	return (int)prop_from(&p->rng, (uint32_t)lo, (uint32_t)hi);
}

static int users(const struct program *p, int number)
{
	int n = 0;

	for (int i = 0; i < p->n; i++)
		n += p->number[i] == number;
	return n;
}

static int least_free(const struct program *p)
{
	int number = 0;

	while (users(p, number))
		number++;
	return number;
}

static void put(struct program *p, int fd, int number)
{
	assert_true(fd >= 0);
	p->fd[p->n] = fd;
	p->number[p->n++] = number;
}

/* The i-th is no more: its file is closed with its last descriptor. */
static void drop(struct program *p, int i)
{
	int number = p->number[i];

	p->n--;
	p->fd[i] = p->fd[p->n];
	p->number[i] = p->number[p->n];
	if (number >= 0 && !users(p, number))
		traced_want(&p->t, "close file=%d", number);
}

/* --- opening --- */

static void open_one(struct program *p)
{
	const char *path = p->path[draw(p, 0, NAMES - 1)], *name = strrchr(path, '/') + 1;
	int way = draw(p, 0, 4), flags = draw(p, 0, 1) ? O_RDWR | O_CREAT : O_RDONLY | O_CREAT, fd;
	int dir;

	if (p->n == DESCRIPTORS)
		return;
	if (way == 0) {
		fd = open(path, flags, 0600);
	} else if (way == 1) {
		fd = open64(path, flags, 0600);
	} else if (way == 2) {
		fd = creat(path, 0600);
	} else if (way == 3) {
		fd = openat(AT_FDCWD, path, flags, 0600);
	} else {
		dir = open(p->dir, O_RDONLY | O_DIRECTORY); /* no regular file */
		fd = openat(dir, name, flags, 0600);
		assert_int_equal(close(dir), 0);
	}
	traced_want(&p->t, "open %s file=%d", path, least_free(p));
	put(p, fd, least_free(p));
}

/* What is not in the trace, and is used like the rest. */
static void open_other(struct program *p)
{
	char path[256];
	int pipes[2], what = draw(p, 0, 3);

	if (p->n + 2 > DESCRIPTORS)
		return;
	if (what == 0) {
		put(p, open("/dev/null", O_RDWR), -1);
	} else if (what == 1) {
		assert_int_equal(pipe2(pipes, O_NONBLOCK), 0);
		put(p, pipes[0], -1);
		put(p, pipes[1], -1);
	} else if (what == 2) {
		snprintf(path, sizeof path, "%s/module.so", p->dir);
		put(p, open(path, O_RDWR | O_CREAT, 0600), -1);
	} else {
		snprintf(path, sizeof path, "%s/none/at/all", p->dir);
		errno = 0;
		assert_int_equal(open(path, O_RDONLY), -1);
		assert_int_equal(errno, ENOENT);
	}
}

/* --- moving --- */

static ssize_t read_somehow(struct program *p, int fd, size_t n)
{
	struct iovec v[2] = {{buffer, n / 2}, {buffer + n / 2, n - n / 2}};

	switch (draw(p, 0, 4)) {
	case 0:
		return read(fd, buffer, n);
	case 1:
		return pread(fd, buffer, n, draw(p, 0, 700));
	case 2:
		return readv(fd, v, 2);
	case 3:
		return pread64(fd, buffer, n, 3);
	default:
		return preadv(fd, v, 2, draw(p, 0, 700));
	}
}

static ssize_t write_somehow(struct program *p, int fd, size_t n)
{
	struct iovec v[2] = {{buffer, n / 2}, {buffer + n / 2, n - n / 2}};

	switch (draw(p, 0, 4)) {
	case 0:
		return write(fd, buffer, n);
	case 1:
		return pwrite(fd, buffer, n, draw(p, 0, 700));
	case 2:
		return writev(fd, v, 2);
	case 3:
		return pwrite64(fd, buffer, n, 3);
	default:
		return pwritev(fd, v, 2, draw(p, 0, 700));
	}
}

/* The call's result is what the trace has: short at the end of the file; none of a refused one. */
static void move_some(struct program *p)
{
	int i = draw(p, 0, DESCRIPTORS - 1), writes = draw(p, 0, 1);
	size_t n = (size_t)draw(p, 0, BUFFER);
	ssize_t moved;

	if (i >= p->n)
		return;
	errno = 4711;
	moved = writes ? write_somehow(p, p->fd[i], n) : read_somehow(p, p->fd[i], n);
	if (moved >= 0) {
		assert_int_equal(errno, 4711);
		assert_true((size_t)moved <= n);
	} else {
		assert_int_not_equal(errno, 4711);
	}
	if (moved >= 0 && p->number[i] >= 0)
		traced_want(&p->t, "%s %zd file=%d", writes ? "write" : "read", moved,
		            p->number[i]);
}

static void sync_one(struct program *p)
{
	int i = draw(p, 0, DESCRIPTORS - 1);

	if (i >= p->n || p->number[i] < 0)
		return;
	assert_int_equal(draw(p, 0, 1) ? fsync(p->fd[i]) : fdatasync(p->fd[i]), 0);
	traced_want(&p->t, "fsync file=%d", p->number[i]);
}

/* --- descriptors --- */

static void duplicate(struct program *p)
{
	int i = draw(p, 0, DESCRIPTORS - 1), way = draw(p, 0, 2), fd;

	if (i >= p->n || p->n == DESCRIPTORS)
		return;
	fd = way == 0   ? dup(p->fd[i])
	     : way == 1 ? fcntl(p->fd[i], F_DUPFD, 10)
	                : fcntl(p->fd[i], F_DUPFD_CLOEXEC, 0);
	put(p, fd, p->number[i]);
}

/* What was there is closed without a word of the program. */
static void duplicate_onto(struct program *p)
{
	int i = draw(p, 0, DESCRIPTORS - 1), k = draw(p, 0, DESCRIPTORS - 1), number, fd;

	if (i >= p->n || k >= p->n)
		return;
	if (i == k) {
		assert_int_equal(dup2(p->fd[i], p->fd[k]), p->fd[k]);
		return;
	}
	number = p->number[i];
	fd = p->fd[k];
	assert_int_equal(draw(p, 0, 1) ? dup2(p->fd[i], fd) : dup3(p->fd[i], fd, O_CLOEXEC), fd);
	drop(p, k);
	put(p, fd, number);
}

static void close_one(struct program *p)
{
	int i = draw(p, 0, DESCRIPTORS - 1), fd;

	if (i >= p->n)
		return;
	fd = p->fd[i];
	assert_int_equal(close(fd), 0);
	drop(p, i);
	assert_int_equal(close(fd), -1);
	assert_int_equal(errno, EBADF);
}

static void unlink_one(struct program *p)
{
	const char *path = p->path[draw(p, 0, NAMES - 1)];

	if (unlink(path) == 0)
		traced_want(&p->t, "unlink %s", path);
	else
		assert_int_equal(errno, ENOENT);
}

/* --- streams, children --- */

/* All that went through a stream is told when it is closed. */
static void stream(struct program *p)
{
	static const char *const modes[] = {"w", "a", "r", "w+"};
	const char *mode = modes[draw(p, 0, 3)], *path = p->path[draw(p, 0, NAMES - 1)];
	FILE *f = fopen(path, mode);
	int number = least_free(p);
	size_t moved = 0;

	if (!f) {
		assert_int_equal(errno, ENOENT);
		return;
	}
	traced_want(&p->t, "open %s file=%d", path, number);
	for (int i = draw(p, 0, 3); i > 0; i--) {
		size_t n = (size_t)draw(p, 1, BUFFER);

		moved += *mode == 'r' ? fread(buffer, 1, n, f) : fwrite(buffer, 1, n, f);
	}
	assert_int_equal(fclose(f), 0);
	if (moved)
		traced_want(&p->t, "%s %zu file=%d", *mode == 'r' ? "read" : "write", moved,
		            number);
	traced_want(&p->t, "close file=%d", number);
}

static void child(struct program *p)
{
	int status;
	pid_t pid;

	if (draw(p, 0, 9))
		return;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		for (int i = 0; i < p->n; i++) {
			if (write(p->fd[i], buffer, 10) != 10 && errno != EBADF &&
			    errno != EAGAIN && errno != EPIPE)
				_exit(1);
			close(p->fd[i]);
		}
		close(open(p->path[0], O_RDWR | O_CREAT, 0600));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void finish(struct program *p)
{
	while (p->n > 0) {
		assert_int_equal(close(p->fd[p->n - 1]), 0);
		drop(p, p->n - 1);
	}
}

static void run(uint64_t seed)
{
	static void (*const calls[])(struct program *) = {
	    open_one,  open_one,       move_some, move_some,  move_some, move_some, sync_one,
	    duplicate, duplicate_onto, close_one, unlink_one, stream,    child,     open_other};
	struct program p = {0};
	struct tmp data;

	rng_init(&p.rng, seed, "files", 0);
	traced_begin(&p.t, 0, 1, seed);
	/* a folder beside that of the trace, whose name begins like it */
	snprintf(p.dir, sizeof p.dir, "%s-data", p.t.tmp.dir);
	assert_int_equal(mkdir(p.dir, 0700), 0);
	for (int i = 0; i < NAMES; i++)
		snprintf(p.path[i], sizeof p.path[i], "%s/file%d", p.dir, i);
	for (int i = 0; i < STEPS; i++)
		calls[draw(&p, 0, (int)(sizeof calls / sizeof *calls) - 1)](&p);
	finish(&p);
	traced_end(&p.t);
	snprintf(data.dir, sizeof data.dir, "%s", p.dir);
	tmp_release(&data);
	traced_release(&p.t);
}

static void test_random_files(void **state)
{
	struct prop_run r = prop_begin(25);

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	for (uint64_t i = 0; i < r.cases; i++)
		run(r.seed + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
