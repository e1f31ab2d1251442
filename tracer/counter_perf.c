/* counter_perf.c: instructions in user mode, counted by the processor, through perf_event_open.
 * Where the kernel allows it the counter is read from user mode (some 10 ns), else by a system
 * call. Source: perf_event_open(2), "MMAP layout". */
#include "counter.h"
#include "mapped.h"

#include "base/cputime.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The application may have closed the descriptor and opened a file of its own under its number.
 * What perf_event_open gives has no type of file. */
static int is_event(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == 0;
}

static const char *remedy(int e)
{
	return e == EACCES || e == EPERM
	           ? "/proc/sys/kernel/perf_event_paranoid is to be 2 or less, and a container "
	             "is to allow the call"
	           : "there is no such counter here, as on most virtual machines: --counter "
	             "cputime does without";
}

static int perf_thread_open(const struct counter_use *u, struct counter_thread *t, struct err *err)
{
	void *page;

	(void)u;
	t->fd = descriptor_raise(perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0));
	if (t->fd < 0)
		return err_set(err, ERR_LIMIT, "counting instructions with perf_event: %s (%s)",
		               strerror(errno), remedy(errno));
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, t->fd, 0);
	t->page = page == MAP_FAILED ? NULL : page;
	return 0;
}

static void perf_thread_close(const struct counter_use *u, struct counter_thread *t)
{
	(void)u;
	if (t->page)
		munmap(t->page, (size_t)sysconf(_SC_PAGESIZE));
	if (is_event(t->fd))
		close(t->fd);
	t->page = NULL;
}

#if defined(__x86_64__)
/* Reads the counter in the processor; 0 when the event is not on it now. */
static int perf_read_user(const volatile struct perf_event_mmap_page *p, int64_t *out)
{
	uint32_t seq, index, low, high;
	int64_t count, raw;

	do {
		seq = p->lock;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		index = p->index;
		count = p->offset;
		if (!p->cap_user_rdpmc || index == 0)
			return 0;
		__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
		raw = (int64_t)((uint64_t)high << 32 | low);
		raw = (int64_t)((uint64_t)raw << (64 - p->pmc_width)) >> (64 - p->pmc_width);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (p->lock != seq);
	*out = count + raw;
	return 1;
}
#else
static int perf_read_user(const volatile struct perf_event_mmap_page *p, int64_t *out)
{
	(void)p;
	(void)out;
	return 0;
}
#endif

/* From the file of another nothing must be read. A new event counts on. */
static int64_t perf_read_file(const struct counter_use *u, struct counter_thread *t)
{
	struct err dropped;
	int64_t count = 0;

	if (!is_event(t->fd)) {
		t->base = t->last;
		if (t->page)
			munmap(t->page, (size_t)sysconf(_SC_PAGESIZE));
		if (perf_thread_open(u, t, &dropped) < 0)
			return t->last;
	}
	if (read(t->fd, &count, sizeof count) != (ssize_t)sizeof count)
		return t->last;
	return t->base + count;
}

static int64_t perf_read(const struct counter_use *u, struct counter_thread *t, uint64_t tick)
{
	int64_t count = 0;

	(void)u;
	(void)tick;
	if (t->page && perf_read_user(t->page, &count))
		return t->last = t->base + count;
	return t->last = perf_read_file(u, t);
}

/* Read by another thread, through the kernel. What a thread has counted stays when it has ended. */
static void perf_other_open(struct counter_other *o, int tid)
{
	o->fd = descriptor_raise(perf_open(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, tid));
}

static int64_t perf_other_read(struct counter_other *o, int tid)
{
	int64_t count;

	(void)tid;
	if (o->fd >= 0 && is_event(o->fd) &&
	    read(o->fd, &count, sizeof count) == (ssize_t)sizeof count)
		o->last = count;
	return o->last;
}

static void perf_other_close(struct counter_other *o)
{
	if (o->fd >= 0 && is_event(o->fd))
		close(o->fd);
	o->fd = -1;
}

const struct counter counter_perf = {
    .name = "perf",
    .unit = COUNTER_INSTRUCTIONS,
    .thread_open = perf_thread_open,
    .thread_close = perf_thread_close,
    .read = perf_read,
    .other_open = perf_other_open,
    .other_read = perf_other_read,
    .other_close = perf_other_close,
};
