/* beside.c: a call that waits while other threads of the rank may call MPI. It looks again and
 * again, and lets simulated time pass in between; but none while another thread could compute and
 * has not got a processor: what that thread would do takes its own time, and how long it is kept
 * waiting here must not be seen in the simulation. */
#include "base/num.h"
#include "link.h"
#include "measure.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What stands behind the name of a process or thread, in its line in /proc: "S 1 …"; "" if it has
 * ended. */
static const char *state_read(const char *path, char *text, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, n - 1);
	char *p;

	if (fd >= 0)
		close(fd);
	text[got > 0 ? got : 0] = '\0';
	p = strrchr(text, ')');
	return p && p[1] ? p + 2 : "";
}

/* How many threads the process has: field 20 of its line, of which the state is the third. */
static int threads(void)
{
	int64_t n_threads;
	char text[1024];
	const char *p = state_read("/proc/self/stat", text, sizeof text);

	for (int field = 3; p && field < 20; field++)
		p = (p = strchr(p, ' ')) ? p + 1 : NULL;
	return p && num_take_digits(p, &n_threads) ? (int)n_threads : 1;
}

/* The line in /proc, which costs 10 us, is read where the C library has ever made a thread; it does
 * not say when that one has ended. */
int link_several(void)
{
	return link_now->provided == MPI_THREAD_MULTIPLE && link_now->running &&
	       !__libc_single_threaded && threads() - threads_mute() > 1;
}

/* Is another thread ready to run? One that waits in MPI sleeps. */
static int others_ready(void)
{
	DIR *all = opendir("/proc/self/task");
	int self = (int)syscall(SYS_gettid), ready = 0;
	const struct dirent *e;

	while (all && !ready && (e = readdir(all))) {
		char path[64], text[1024], state;
		int64_t tid;

		if (!num_take_digits(e->d_name, &tid) || tid == self)
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
		state = *state_read(path, text, sizeof text);
		ready = state == 'R' || state == 'D'; /* D: for a page of a file */
	}
	if (all)
		closedir(all);
	return ready;
}

/* A thread that waits for this one without sleeping computes for ever. */
#define OTHERS_MAX 2e-3

/* Seconds that the other threads have computed. */
static double others_time(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

static void others_let(void)
{
	const struct timespec some = {.tv_nsec = 50000};
	double until = others_time() + OTHERS_MAX;

	sched_yield();
	while (others_ready() && others_time() < until)
		syscall(SYS_nanosleep, &some, NULL); /* libc's takes simulated time */
}

/* Pauses grow fast as long as nobody minds, and then with the wait: it ends late by no more than
 * 0.1 ms or a thirtieth of it, and a wait of seconds takes hundreds of looks. */
#define PAUSE_FIRST 1e-7
#define PAUSE_FAST 1e-4

/* Not in a trace, as looks are not: there the call waits. */
void link_pause(double *seconds)
{
	struct wire_op *op;

	others_let();
	*seconds *= *seconds < PAUSE_FAST ? 1.5 : 1 + 1. / 30;
	*seconds = *seconds > 0 ? *seconds : PAUSE_FIRST;
	link_enter();
	op = link_room(WIRE_SLEEP, 0);
	op->x = *seconds;
	op->a = 1;
	link_ask(op);
	link_leave();
}
