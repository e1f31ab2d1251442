/* cputime.c: the CPU time of a thread is a system call. Between two of its context switches it is
 * elapsed time, which ticks tell; and the kernel counts the switches in a page that it shares for
 * each perf event, also where nothing can be counted (PERF_COUNT_SW_DUMMY): its sequence number
 * changes when the thread is put on a processor. So the clock is asked after each switch, and ticks
 * are added until the next. Source: perf_event_open(2), "MMAP layout".
 *
 * Calls go straight to the kernel: the C library's clocks and sleeps may be simulated here. */
#include "cputime.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t ask(void)
{
	struct timespec now = {0};

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static uint32_t switches_read(const struct cputime *t)
{
	uint32_t seen = ((const volatile struct perf_event_mmap_page *)t->page)->lock;

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return seen;
}

int perf_open(uint32_t type, uint64_t config, int tid)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = type;
	attr.config = config;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The page outlives the descriptor, which the program could close. */
static void *page_open(void)
{
	int fd = perf_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0);
	void *page;

	if (fd < 0)
		return NULL;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

/* Whether this kernel counts: a thread that sleeps is put on a processor again. */
static int counts_switches(const struct cputime *t)
{
	struct timespec nap = {.tv_nsec = 100000};
	uint32_t before = switches_read(t);

	syscall(SYS_nanosleep, &nap, NULL);
	return switches_read(t) != before;
}

void cputime_open(struct cputime *t, const struct ticks *ticks)
{
	*t = (struct cputime){.page = ticks->ns > 0 ? page_open() : NULL};
	if (t->page && !counts_switches(t))
		cputime_close(t);
}

void cputime_close(struct cputime *t)
{
	if (t->page)
		munmap(t->page, (size_t)sysconf(_SC_PAGESIZE));
	t->page = NULL;
}

static int64_t after_switch(struct cputime *t)
{
	do {
		t->seen = switches_read(t);
		t->base = ask();
		t->tick = ticks_read();
	} while (switches_read(t) != t->seen);
	return t->base;
}

/* A virtual machine that has no processor for a while does not see that as a switch; its ticks go
 * on, and its kernel leaves out that time (steal) where it is told of it. So ticks are believed for
 * so long only: what is asked later would be before what was told. */
#define BELIEVED 200000.0 /* ns; to ask takes a thousandth of that */

int64_t cputime_read(struct cputime *t, const struct ticks *ticks, uint64_t tick)
{
	double since;

	if (!t->page)
		return ask();
	since = (double)(tick - t->tick) * ticks->ns;
	if (t->tick == 0 || since > BELIEVED || switches_read(t) != t->seen)
		return after_switch(t);
	return t->base + (int64_t)since;
}
