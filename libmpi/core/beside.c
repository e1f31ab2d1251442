/* beside.c: a call that waits while other threads of the rank may call MPI. It looks again and
 * again, and lets simulated time pass in between; but none while another thread could compute and
 * has not got a processor: what that thread would do takes its own time, and how long it is kept
 * waiting here must not be seen in the simulation. */
#include "beside.h"
#include "base/num.h"
#include "link.h"
#include "measure.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *beside_state(const char *path, char *text, size_t n)
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
	const char *p = beside_state("/proc/self/stat", text, sizeof text);

	for (int field = 3; p && field < 20; field++)
		p = (p = strchr(p, ' ')) ? p + 1 : NULL;
	return p && num_take_digits(p, &n_threads) ? (int)n_threads : 1;
}

/* The line in /proc, which costs 10 us, is read where the C library has ever made a thread; it does
 * not say when that one has ended. */
int beside_others(void)
{
	return link_now->running && !__libc_single_threaded && threads() - threads_mute() > 1;
}

/* What it takes to find that out is no computation of the program. */
int link_several(void)
{
	double rest;
	int others;

	if (link_now->provided != MPI_THREAD_MULTIPLE || __libc_single_threaded)
		return 0;
	if (!link_measured())
		return beside_others();
	rest = rest_begin();
	others = beside_others();
	link_rested(rest_end(rest));
	return others;
}

int beside_pauses(int tid)
{
	for (size_t i = 0; link_now->pausing && i < LINK_PAUSING; i++)
		if (atomic_load(&link_now->pausing[i].tid) == tid)
			return 1;
	return 0;
}

/* Is another thread ready to run, or about to call MPI? One that waits in MPI sleeps. */
static int others_ready(void)
{
	DIR *all = opendir("/proc/self/task");
	int self = (int)syscall(SYS_gettid), ready = 0;
	const struct dirent *e;

	while (all && !ready && (e = readdir(all))) {
		char path[64], text[1024], state;
		int64_t tid;

		if (!num_take_digits(e->d_name, &tid) || tid == self || beside_pauses((int)tid))
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
		state = *beside_state(path, text, sizeof text);
		ready = state == 'R' || state == 'D'; /* D: for a page of a file */
	}
	if (all)
		closedir(all);
	return ready || ticket_wanted(&link_now->lock);
}

/* Has simulated time passed since a thread that stands here looked last, or to the end of a sleep?
 * It is about to go on. */
static int others_late(void)
{
	uint32_t now = atomic_load(&link_now->pauses);

	for (size_t i = 0; link_now->pausing && i < LINK_PAUSING; i++) {
		const struct link_pausing *p = &link_now->pausing[i];

		if (atomic_load(&p->tid) && atomic_load(&p->seen) != now)
			return 1;
	}
	return sleepers_due();
}

static struct link_pausing *pausing_take(uint32_t seen)
{
	int self = (int)syscall(SYS_gettid);

	for (size_t i = 0; link_now->pausing && i < LINK_PAUSING; i++) {
		struct link_pausing *p = &link_now->pausing[i];
		int nobody = 0;

		if (!atomic_compare_exchange_strong(&p->tid, &nobody, -1))
			continue;
		atomic_store(&p->seen, seen);
		atomic_store(&p->tid, self);
		return p;
	}
	return NULL;
}

/* A thread that waits for this one without sleeping computes for ever. */
#define OTHERS_MAX 2e-3

/* Seconds that the other threads have computed. */
static double others_time(void)
{
	return clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* Have they computed for so long that it passes now? What is charged passes when they call MPI, or
 * here; what they are charged in calls of their own is none of it. */
static int others_computed(double since)
{
	return (link_measured() && threads_busiest() >= OTHERS_MAX) ||
	       others_time() >= since + OTHERS_MAX;
}

/* What the others do, when one that waits goes on. */
enum others { OTHERS_REST, OTHERS_COMPUTE, OTHERS_PAUSED };

/* Of several that wait one lets time pass, and then each looks once. So does one that waits where
 * others have let it pass in calls of their own. */
static enum others others_let(const struct link_pausing *p, double since)
{
	const struct timespec some = {.tv_nsec = 50000};

	syscall(SYS_sched_yield);
	for (;;) {
		int ready = others_ready();

		if (p && atomic_load(&link_now->pauses) != atomic_load(&p->seen))
			return OTHERS_PAUSED;
		if (ready && others_computed(since))
			return OTHERS_COMPUTE;
		if (!ready && !others_late())
			return OTHERS_REST;
		syscall(SYS_nanosleep, &some, NULL); /* libc's takes simulated time */
	}
}

/* Pauses grow fast as long as nobody minds, and then with the wait: it ends late by no more than
 * 0.1 ms or a thirtieth of it, and a wait of seconds takes hundreds of looks. What others have
 * computed meanwhile has passed, and where that takes no time, little. A thread that sleeps goes on
 * at its date, or later by a hundredth of the wait: one that does nothing but sleep again and again
 * is not to keep a wait without end from being told. */
#define PAUSE_FIRST 1e-7
#define PAUSE_FAST 1e-4
#define PAUSE_PART (1. / 30)
#define PAUSE_LEAST (30. / 100)

static double pause_length(double *grown, enum others others)
{
	double busiest = threads_busiest(), next = sleep_next() - link_now->told, length;

	if (others == OTHERS_COMPUTE && link_measured())
		return (busiest > 0 ? busiest : OTHERS_MAX) * link_computed_takes();
	length = *grown * (*grown < PAUSE_FAST ? 1.5 : 1 + PAUSE_PART);
	length = length > 0 ? length : PAUSE_FIRST;
	if (next > 0 && next < length) {
		length = next > length * PAUSE_LEAST ? next : length * PAUSE_LEAST;
		*grown += length * PAUSE_PART;
		return length;
	}
	*grown = length;
	return others == OTHERS_COMPUTE && length > PAUSE_FAST ? PAUSE_FAST : length;
}

/* A thread that slept in MPI, with the mutex, seemed at rest; when it has left it may be ready. So
 * they are looked at again by who has the mutex, where none of them can be in MPI. */
static enum others others_let_and_regain(const struct link_pausing *p, int depth, double told)
{
	double since = others_time();

	for (;;) {
		enum others others = others_let(p, since);

		link_regain(depth);
		if (link_now->told > told)
			return OTHERS_PAUSED;
		if (others != OTHERS_REST || !others_ready())
			return others;
		link_release();
	}
}

void link_catch_up(void)
{
	const struct timespec some = {.tv_nsec = 50000};
	double ahead = link_now->ahead, since = others_time(), rest = rest_begin();

	while (others_ready() && threads_busiest() < ahead && others_time() < since + ahead)
		syscall(SYS_nanosleep, &some, NULL);
	ticket_take(&link_now->lock);
	threads_passed(ahead);
	link_now->ahead = 0;
	ticket_leave(&link_now->lock);
	link_rested(rest_end(rest));
}

/* Not in a trace, as looks are not: there the call waits. */
void link_pause(double *seconds)
{
	struct link_pausing *p;
	uint32_t seen = atomic_load(&link_now->pauses);
	uint64_t begun = link_now->begun;
	double rest = link_measured() ? rest_begin() : 0;
	double told = link_now->told;
	enum others others;
	int depth = link_release();
	struct wire_op *op;

	p = pausing_take(seen);
	others = others_let_and_regain(p, depth, told);
	if (link_measured())
		rest_end(rest);
	if (p)
		atomic_store(&p->tid, 0);
	if (others != OTHERS_PAUSED && atomic_load(&link_now->pauses) == seen &&
	    link_now->begun == begun) {
		double length = pause_length(seconds, others);

		op = link_room(WIRE_SLEEP, 0);
		op->x = length;
		op->a = 1;
		link_ask(op);
		sleepers_wake();
		atomic_fetch_add(&link_now->pauses, 1);
	}
	link_leave();
	link_paused();
}
