/* own_number.c: the number of a rank that shares a process, and its program's name. Programs name
 * files by the number and begin random numbers with it, so no two ranks may have the same.
 *
 * Invariants:
 * 1. A rank's number is greater than any that Linux gives to a process, so that it means nobody
 *    else; what the kernel does with it, it does with the simulator's process.
 * 2. What is asked of /proc under a rank's number is what the kernel says of that process, but for
 *    the program's file (exe): programs find by it what lies beside them, or what to spawn; and its
 *    words and name (cmdline, comm). */
#include "coro_int.h"

#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST = (1 << 22) + 1 }; /* after PID_MAX_LIMIT of Linux (include/linux/threads.h) */

static int rank_of(pid_t number, uint32_t *rank)
{
	if (number < FIRST || (uint32_t)(number - FIRST) >= coros_now->o.ranks)
		return 0;
	*rank = (uint32_t)(number - FIRST);
	return 1;
}

pid_t own_getpid(void)
{
	uint32_t rank = coro_rank();

	return rank == NOBODY ? getpid() : FIRST + (pid_t)rank;
}

/* The first thread has the number of its process. */
pid_t own_gettid(void)
{
	return *coro_tls_thread() ? (pid_t)syscall(SYS_gettid) : own_getpid();
}

pid_t own_number_real(pid_t number)
{
	uint32_t rank;

	return rank_of(number, &rank) ? getpid() : number;
}

int own_kill(pid_t number, int signal)
{
	pid_t real = own_number_real(number);
	uint32_t rank;

	if (signal == 0 || real != getpid())
		return kill(real, signal);
	if (rank_of(number, &rank) && rank != coro_rank())
		coro_ends(CORO_KILLED, SIGSYS,
		          "sends a signal to another rank, which shares the simulator's process: "
		          "--hold processes can");
	return own_raise(signal);
}

int own_sched_setaffinity(pid_t number, size_t n, const cpu_set_t *set)
{
	return sched_setaffinity(own_number_real(number), n, set);
}

int own_sched_getaffinity(pid_t number, size_t n, cpu_set_t *set)
{
	return sched_getaffinity(own_number_real(number), n, set);
}

/* --- the program's name and file --- */

void own_names(struct coros *c)
{
	char *file = c->o.command[0], *slash = strrchr(file, '/');

	if (!realpath(c->program, c->exe))
		*c->exe = 0;
	c->named[0] = program_invocation_name;
	c->named[1] = program_invocation_short_name;
	program_invocation_name = file;
	program_invocation_short_name = slash ? slash + 1 : file;
}

void own_names_end(struct coros *c)
{
	if (!c->named[0])
		return;
	program_invocation_name = c->named[0];
	program_invocation_short_name = c->named[1];
}

/* --- /proc/NUMBER --- */

/* What follows /proc/NUMBER, of a rank, or /proc/self in a path; NULL: neither. */
static const char *after_number(const char *path, int *is_self)
{
	static const char proc[] = "/proc/", self[] = "self", thread[] = "thread-self";
	const char *digits, *end;
	int64_t number;
	uint32_t rank;

	if (!path || strncmp(path, proc, sizeof proc - 1) != 0)
		return NULL;
	digits = path + sizeof proc - 1;
	end = digits + num_take_digits(digits, &number);
	*is_self = end == digits;
	if (*is_self && strncmp(digits, self, sizeof self - 1) == 0)
		end = digits + sizeof self - 1;
	else if (*is_self && strncmp(digits, thread, sizeof thread - 1) == 0)
		end = digits + sizeof thread - 1;
	else if (*is_self || number > INT32_MAX || !rank_of((pid_t)number, &rank))
		return NULL;
	return *end && *end != '/' ? NULL : end;
}

static int is_exe(const char *path)
{
	int is_self;
	const char *end = after_number(path, &is_self);

	return end && strcmp(end, "/exe") == 0 && *coros_now->exe && coro_rank() != NOBODY;
}

/* The path, or what it is without a rank's number, in room. */
const char *own_path(const char *path, char room[static OWN_PATH])
{
	int is_self;
	const char *end = after_number(path, &is_self);

	if (is_exe(path))
		return coros_now->exe;
	if (!end || is_self || strlen(end) + sizeof "/proc/self" > OWN_PATH)
		return path;
	snprintf(room, OWN_PATH, "/proc/self%s", end);
	return room;
}

/* --- its words and its name --- */

/* The rank whose text this is, by number or as self; 0: of none. */
static int text_of(const char *path, const char *what, uint32_t *rank)
{
	int is_self;
	int64_t number;
	const char *end = after_number(path, &is_self);

	*rank = coro_rank();
	if (!end || *rank == NOBODY || strcmp(end, what) != 0)
		return 0;
	return is_self || (num_take_digits(path + strlen("/proc/"), &number) > 0 &&
	                   rank_of((pid_t)number, rank));
}

static int write_all(int fd, const char *s, size_t n)
{
	return write(fd, s, n) == (ssize_t)n;
}

/* proc(5): each word ends with a zero byte. */
static int words_write(int fd, char *const *words)
{
	int well = 1;

	for (; well && *words; words++)
		well = write_all(fd, *words, strlen(*words) + 1);
	return well;
}

enum { NAME = 16 }; /* as the kernel cuts it, with its end: prctl(2), PR_SET_NAME */

/* It is the kernel's own where the program has given the thread another. */
static int is_renamed(void)
{
	char now[NAME] = "";

	prctl(PR_GET_NAME, now);
	return strncmp(now, coros_now->named[1], NAME - 1) != 0;
}

static int name_write(int fd)
{
	const char *name = program_invocation_short_name;

	return write_all(fd, name, strnlen(name, NAME - 1)) && write_all(fd, "\n", 1);
}

/* What was opened to be read, where it is such a text: a file of no folder; -1: it is none. */
static int text_open(const char *path, int closes)
{
	uint32_t rank;
	int is_words = text_of(path, "/cmdline", &rank), fd, well;

	if (!is_words && (!text_of(path, "/comm", &rank) || is_renamed()))
		return -1;
	fd = memfd_create("text", closes ? MFD_CLOEXEC : 0);
	if (fd < 0)
		return -1;
	well = is_words ? words_write(fd, coro_words(coros_now, rank)) : name_write(fd);
	if (well && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return -1;
}

/* --- what looks at files --- */

FILE *own_fopen(const char *path, const char *mode)
{
	char room[OWN_PATH];
	int fd = *mode == 'r' && !strchr(mode, '+') ? text_open(path, strchr(mode, 'e') != NULL)
	                                            : -1;
	FILE *f = fd >= 0 ? fdopen(fd, mode) : NULL;

	if (f)
		return f;
	if (fd >= 0)
		close(fd);
	return fopen(own_path(path, room), mode);
}

int own_open(const char *path, int flags, ...)
{
	char room[OWN_PATH];
	va_list arguments;
	mode_t mode = 0;
	int fd = (flags & O_ACCMODE) == O_RDONLY ? text_open(path, flags & O_CLOEXEC) : -1;

	if (fd >= 0)
		return fd;
	if (flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) {
		va_start(arguments, flags);
		mode = va_arg(arguments, mode_t);
		va_end(arguments);
	}
	return open(own_path(path, room), flags, mode);
}

DIR *own_opendir(const char *path)
{
	char room[OWN_PATH];

	return opendir(own_path(path, room));
}

int own_access(const char *path, int how)
{
	char room[OWN_PATH];

	return access(own_path(path, room), how);
}

ssize_t own_readlink(const char *path, char *text, size_t n)
{
	char room[OWN_PATH];

	if (!is_exe(path) || !n)
		return readlink(own_path(path, room), text, n);
	n = strnlen(coros_now->exe, n); /* cut, as the kernel does */
	memcpy(text, coros_now->exe, n);
	return (ssize_t)n;
}

ssize_t own_readlink_chk(const char *path, char *text, size_t n, size_t room)
{
	if (n > room) /* as the C library does: a buffer would overflow */
		own_abort();
	return own_readlink(path, text, n);
}

char *own_realpath(const char *path, char *text)
{
	char room[OWN_PATH];

	return realpath(own_path(path, room), text);
}

char *own_realpath_chk(const char *path, char *text, size_t room)
{
	(void)room; /* the caller's is PATH_MAX or more, or the compiler has said so */
	return own_realpath(path, text);
}

char *own_canonicalize_file_name(const char *path)
{
	return own_realpath(path, NULL);
}
