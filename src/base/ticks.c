/* ticks.c: how long a tick of the time-stamp counter is. */
#include "ticks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MEASURED_NS = 4000000, TRIES = 8 };

/* The kernel trusts it: it keeps time by it. It stops doing so where processors disagree. */
static int is_trusted(void)
{
	char name[32] = "";
	int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
	              O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, name, sizeof name - 1);

	if (fd >= 0)
		close(fd);
	return n >= 4 && strncmp(name, "tsc\n", 4) == 0;
}

/* Of the kernel: the C library's clock may be a simulated one here (libmpi/time). */
static int64_t clock_ns(void)
{
	struct timespec t = {0};

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Both clocks at one moment: the tries between whose two ticks the least time is. */
static void moment(uint64_t *tick, int64_t *ns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = ticks_read(), after;
		int64_t now = clock_ns();

		after = ticks_read();
		if (after - before >= least)
			continue;
		least = after - before;
		*tick = before + least / 2;
		*ns = now;
	}
}

int ticks_start(struct ticks *t)
{
	uint64_t first = 0, last = 0;
	int64_t from = 0, to = 0;

	*t = (struct ticks){.ns = 0};
	if (!is_trusted() || ticks_read() == 0)
		return 0;
	moment(&first, &from);
	while (clock_ns() - from < MEASURED_NS)
		continue;
	moment(&last, &to);
	if (last <= first)
		return 0;
	*t = (struct ticks){.ns = (double)(to - from) / (double)(last - first), .from = first};
	return 1;
}
