/* counter_time.c: counters made of clocks, and the made up one of the tests.
 *
 * The CPU time of a thread is a system call. Between two of its context switches it is elapsed
 * time, which ticks tell; and the kernel counts the switches in a page that it shares for each perf
 * event, also where nothing can be counted (PERF_COUNT_SW_DUMMY): its sequence number changes when
 * the thread is put on a processor. So the clock is asked after each switch, and ticks are added
 * until the next. Source: perf_event_open(2), "MMAP layout". */
#include "counter.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t cputime_ask(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint32_t switches_read(const struct counter_thread *t)
{
	uint32_t seen = ((const volatile struct perf_event_mmap_page *)t->page)->lock;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return seen;
}

/* The page outlives the descriptor, which the program could close. */
static void *page_open(void)
{
	struct perf_event_attr attr;
	void *page;
	int fd;

	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

static void cputime_thread_close(const struct counter_use *u, struct counter_thread *t)
{
	(void)u;
	if (t->page)
		munmap(t->page, (size_t)sysconf(_SC_PAGESIZE));
	t->page = NULL;
}

/* Whether this kernel counts: a thread that sleeps is put on a processor again. */
static int counts_switches(const struct counter_thread *t)
{
	struct timespec nap = {.tv_nsec = 100000};
	uint32_t before = switches_read(t);

	nanosleep(&nap, NULL);
	return switches_read(t) != before;
}

static int cputime_thread_open(const struct counter_use *u, struct counter_thread *t,
                               struct err *err)
{
	(void)err;
	t->page = u->ticks.ns > 0 ? page_open() : NULL;
	if (t->page && !counts_switches(t))
		cputime_thread_close(u, t);
	t->by_ticks = t->page != NULL;
	t->tick = 0;
	return 0;
}

static int64_t cputime_after_switch(struct counter_thread *t)
{
	do {
		t->seen = switches_read(t);
		t->base = cputime_ask();
		t->tick = ticks_read();
	} while (switches_read(t) != t->seen);
	return t->base;
}

static int64_t cputime_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	if (!t->page)
		return cputime_ask();
	if (t->tick == 0 || switches_read(t) != t->seen)
		return cputime_after_switch(t);
	return t->base + (int64_t)((double)(tick - t->tick) * u->ticks.ns);
}

const struct counter counter_cputime = {.name = "cputime",
                                        .unit = COUNTER_NANOSECONDS,
                                        .thread_open = cputime_thread_open,
                                        .thread_close = cputime_thread_close,
                                        .read = cputime_read};

static int wall_thread_open(const struct counter_use *u, struct counter_thread *t, struct err *err)
{
	(void)err;
	t->by_ticks = u->ticks.ns > 0;
	return 0;
}

static int64_t wall_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	return t->by_ticks ? ticks_ns(&u->ticks, tick) : clock_ns();
}

/* For programs that stand in for a computation by sleeping. */
const struct counter counter_wall = {.name = "wall",
                                     .unit = COUNTER_NANOSECONDS,
                                     .thread_open = wall_thread_open,
                                     .read = wall_read};

static int64_t fake_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	(void)u;
	(void)tick;
	return ++t->reads;
}

/* The same volume before every call, whatever the machine and the MPI library: traces can be
 * compared to the letter. */
const struct counter counter_fake = {.name = "fake", .unit = COUNTER_MADE_UP, .read = fake_read};

/* The rank of a simulated run: time passes in the simulation only. */
static int64_t nothing_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	(void)u;
	(void)tick;
	(void)t;
	return 0;
}

const struct counter counter_simulated = {
    .name = "simulated", .unit = COUNTER_MADE_UP, .read = nothing_read};
