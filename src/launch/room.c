/* room.c: see room.h. */
#include "room.h"

#include "base/memory.h"
#include "base/num.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number that a text of the kernel's begins with; UINT64_MAX: none ("max"). */
static uint64_t number_in(const char *text)
{
	int64_t n;

	return num_take_digits(text, &n) > 0 ? (uint64_t)n : UINT64_MAX;
}

/* What the kernel's file says; UINT64_MAX: nothing. */
static uint64_t number_of(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[32];
	uint64_t n = f && fgets(line, sizeof line, f) ? number_in(line) : UINT64_MAX;

	if (f)
		fclose(f);
	return n;
}

uint64_t room_of_group(const char *most, const char *used)
{
	uint64_t n = most && used ? number_in(most) : UINT64_MAX;
	uint64_t now = n < UINT64_MAX ? number_in(used) : UINT64_MAX;

	if (now == UINT64_MAX) /* no limit, or nobody says how many there are */
		return UINT64_MAX;
	return n > now ? n - now : 0;
}

static uint64_t group_left(void)
{
	char max[MEMORY_GROUP_TEXT], current[MEMORY_GROUP_TEXT];

	return room_of_group(memory_group_text("pids.max", max),
	                     memory_group_text("pids.current", current));
}

struct room room_now(void)
{
	struct room r = {.user = UINT64_MAX, .group = group_left(), .memory = memory_left()};
	uint64_t pids = number_of("/proc/sys/kernel/pid_max");
	uint64_t threads = number_of("/proc/sys/kernel/threads-max");
	struct rlimit limit;

	r.computer = pids < threads ? pids : threads;
	if (getuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		r.user = limit.rlim_cur;
	return r;
}

int room_check(const struct room *room, uint64_t n, uint64_t bytes, struct err *err)
{
	const unsigned long long want = n;

	if (room->user < n)
		return err_set(err, ERR_LIMIT,
		               "%llu ranks are as many processes, and this user may have %llu "
		               "(`ulimit -u`)",
		               want, (unsigned long long)room->user);
	if (room->group < n)
		return err_set(err, ERR_LIMIT,
		               "%llu ranks are as many processes, and this container or job may "
		               "start %llu more (pids.max of its control group)",
		               want, (unsigned long long)room->group);
	if (room->computer < n)
		return err_set(err, ERR_LIMIT,
		               "%llu ranks are as many processes, and this computer has at most "
		               "%llu (`sysctl kernel.pid_max kernel.threads-max`)",
		               want, (unsigned long long)room->computer);
	if (bytes > 0 && room->memory / bytes < n)
		return err_set(
		    err, ERR_LIMIT,
		    "out of memory: %llu ranks are as many processes, of %llu KiB at the "
		    "least, and this computer has %llu MiB left",
		    want, (unsigned long long)(bytes >> 10),
		    (unsigned long long)(room->memory >> 20));
	return 0;
}
