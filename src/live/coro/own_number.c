/* own_number.c: the number of a rank that shares a process. Programs name files by it and begin
 * random numbers with it, so no two ranks may have the same.
 *
 * Invariants:
 * 1. A rank's number is greater than any that Linux gives to a process, so that it means nobody
 *    else; what the kernel does with it, it does with the simulator's process.
 * 2. What is asked of /proc under a rank's number is what the kernel says of that process. */
#include "coro_int.h"

#include "base/num.h"

#include <fcntl.h>
#include <string.h>
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

/* --- /proc/NUMBER --- */

/* The path, or what it is without a rank's number, in room. */
const char *own_path(const char *path, char room[static OWN_PATH])
{
	static const char proc[] = "/proc/";
	const char *digits, *end;
	int64_t number;
	uint32_t rank;

	if (!path || strncmp(path, proc, sizeof proc - 1) != 0)
		return path;
	digits = path + sizeof proc - 1;
	end = digits + num_take_digits(digits, &number);
	if (end == digits || (*end && *end != '/') || number > INT32_MAX ||
	    !rank_of((pid_t)number, &rank) || strlen(end) + sizeof "/proc/self" > OWN_PATH)
		return path;
	snprintf(room, OWN_PATH, "/proc/self%s", end);
	return room;
}

FILE *own_fopen(const char *path, const char *mode)
{
	char room[OWN_PATH];

	return fopen(own_path(path, room), mode);
}

int own_open(const char *path, int flags, ...)
{
	char room[OWN_PATH];
	va_list arguments;
	mode_t mode = 0;

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

	return readlink(own_path(path, room), text, n);
}
