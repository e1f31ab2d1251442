/* memory.c: see memory.h. */
#include "memory.h"

#include "num.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILE_BYTES = MEMORY_GROUP_TEXT, PATH_BYTES = 1024 };
static const uint64_t MUCH = 64ull << 20;
static const size_t FEW = 256u << 10, ONE_LARGE = 2u << 20;
static const size_t LARGE = 8u << 20; /* four large pages */

/* The beginning of a file of the kernel: NULL if there is none. */
static const char *text_of(const char *path, char *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = read(fd, out, FILE_BYTES - 1);
	close(fd);
	if (n < 0)
		return NULL;
	out[n] = '\0';
	return out;
}

/* The number that a text begins with, blanks before it; 0: none. */
static uint64_t number(const char *text)
{
	int64_t n = 0;

	num_take_digits(text + strspn(text, " \t"), &n);
	return (uint64_t)n;
}

/* Of a line "Key:   123 kB", in bytes; 0 if it is not there. */
static uint64_t kibibytes(const char *meminfo, const char *key)
{
	const char *line = strstr(meminfo, key);

	return line ? number(line + strlen(key)) << 10 : 0;
}

uint64_t memory_left_of(const char *meminfo, const char *max, const char *current)
{
	uint64_t left = UINT64_MAX, most, used;

	if (meminfo && strstr(meminfo, "MemAvailable:"))
		left = kibibytes(meminfo, "MemAvailable:") + kibibytes(meminfo, "SwapFree:");
	if (!max || !current || *max < '0' || *max > '9') /* "max" */
		return left;
	most = number(max);
	used = number(current);
	most = most > used ? most - used : 0;
	return most < left ? most : left;
}

/* The folder of the process's control group: "0::/path" is its line. */
static int group_folder(char *out)
{
	char text[FILE_BYTES];
	const char *line = text_of("/proc/self/cgroup", text) ? strstr(text, "0::/") : NULL;

	if (!line)
		return 0;
	line += strlen("0::");
	snprintf(out, PATH_BYTES, "/sys/fs/cgroup%.*s", (int)strcspn(line, "\n"), line);
	return 1;
}

const char *memory_group_text(const char *name, char out[MEMORY_GROUP_TEXT])
{
	char folder[PATH_BYTES], path[PATH_BYTES + 32];

	if (!group_folder(folder))
		return NULL;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return text_of(path, out);
}

uint64_t memory_left(void)
{
	char meminfo[FILE_BYTES], max[FILE_BYTES], current[FILE_BYTES];

	return memory_left_of(text_of("/proc/meminfo", meminfo),
	                      memory_group_text("memory.max", max),
	                      memory_group_text("memory.current", current));
}

int memory_check(uint64_t bytes, const char *what, struct err *err)
{
	uint64_t left;

	if (bytes < MUCH || bytes <= (left = memory_left()))
		return 0;
	return err_set(err, ERR_LIMIT,
	               "out of memory: %s take %llu MiB more, and this computer has %llu MiB left. "
	               "A computer with more memory can do it, or this one with fewer ranks",
	               what, (unsigned long long)(bytes >> 20), (unsigned long long)(left >> 20));
}

void memory_filled_soon(void *at, size_t bytes)
{
	if (bytes < FEW)
		return;
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);
	const size_t n = (uintptr_t)at + bytes - from;

	if (bytes >= ONE_LARGE)
		madvise((void *)from, n, MADV_HUGEPAGE);
	madvise((void *)from, n, MADV_POPULATE_WRITE);
}

void memory_large_pages(void *at, size_t bytes)
{
	if (bytes < LARGE)
		return;
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);
	madvise((void *)from, (uintptr_t)at + bytes - from, MADV_HUGEPAGE);
}

static uint64_t counted_again;

void memory_counted_again(uint64_t kib)
{
	counted_again = kib > counted_again ? kib : counted_again;
}

uint64_t memory_peak(void)
{
	struct rusage u;
	uint64_t peak;

	getrusage(RUSAGE_SELF, &u);
	peak = (uint64_t)u.ru_maxrss;
	return peak > counted_again ? peak - counted_again : 0;
}
