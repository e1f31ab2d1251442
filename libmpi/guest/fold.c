/* fold.c: folded memory. A block of anonymous shared memory is mapped over the addresses again and
 * again. It is 1 MiB, or more where there would be too many mappings (vm.max_map_count is 65,530 by
 * default). Allocations are told apart by a table: there are few, as they are large. */
#include "fold.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FOLDS = 1 << 16, MAPPINGS = 4096 };

static struct fold {
	void *p;
	size_t size, mapped;
} folds[FOLDS];
static size_t n_folds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int one_block; /* all allocations of the process share it */
static int common = -1;

void fold_share(void)
{
	one_block = 1;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int block_open(size_t size)
{
	int fd = memfd_create("orrery-fold", MFD_CLOEXEC);

	if (fd >= 0 && ftruncate(fd, (off_t)size) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int block_take(size_t size)
{
	if (!one_block || size > FOLD_BLOCK)
		return block_open(size);
	if (common < 0)
		common = block_open(FOLD_BLOCK);
	return common;
}

/* The block over [from, to), both at pages. */
static int block_repeat(int fd, char *from, const char *to, size_t block)
{
	while (from < to) {
		size_t n = (size_t)(to - from) < block ? (size_t)(to - from) : block;

		if (mmap(from, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
		         fd, 0) == MAP_FAILED)
			return -1;
		from += n;
	}
	return 0;
}

static int parts_fold(char *p, size_t mapped, const size_t *offsets, int n, size_t page)
{
	size_t block = FOLD_BLOCK;
	const size_t whole[2] = {0, mapped};
	int fd, rc = 0;

	while (mapped / block > MAPPINGS)
		block *= 2;
	fd = block_take(block < mapped ? block : mapped);
	if (fd < 0)
		return -1;
	if (n == 0) {
		offsets = whole;
		n = 1;
	}
	for (int i = 0; i < n && rc == 0; i++) {
		size_t from = (offsets[2 * i] + page - 1) / page * page;
		size_t to = offsets[2 * i + 1] / page * page;

		if (to > mapped)
			to = mapped;
		if (from < to)
			rc = block_repeat(fd, p + from, p + to, block);
	}
	if (fd != common)
		close(fd);
	return rc;
}

static int remember(void *p, size_t size, size_t mapped)
{
	int rc = -1;

	pthread_mutex_lock(&mutex);
	if (n_folds < FOLDS) {
		folds[n_folds++] = (struct fold){p, size, mapped};
		rc = 0;
	}
	pthread_mutex_unlock(&mutex);
	return rc;
}

void *fold_new(size_t size, const size_t *offsets, int n)
{
	size_t page = page_size();
	size_t mapped = (size + page - 1) / page * page;
	char *p;

	if (size == 0 || mapped < size) {
		errno = ENOMEM;
		return NULL;
	}
	p = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
	         -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	if (parts_fold(p, mapped, offsets, n, page) == 0 && remember(p, size, mapped) == 0)
		return p;
	munmap(p, mapped);
	errno = ENOMEM;
	return NULL;
}

int fold_free(void *p)
{
	struct fold found = {0};

	if (n_folds == 0 || (uintptr_t)p % 4096 != 0)
		return 0;
	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < n_folds && !found.p; i++)
		if (folds[i].p == p) {
			found = folds[i];
			folds[i] = folds[--n_folds];
		}
	pthread_mutex_unlock(&mutex);
	if (found.p)
		munmap(found.p, found.mapped);
	return found.p != NULL;
}

int fold_holds(const void *p, size_t n)
{
	const char *at = p;
	int found = 0;

	pthread_mutex_lock(&mutex);
	for (size_t i = n_folds; i-- > 0 && !found;)
		found = at >= (const char *)folds[i].p &&
		        at + n <= (const char *)folds[i].p + folds[i].mapped;
	pthread_mutex_unlock(&mutex);
	return found;
}

size_t fold_size(const void *p)
{
	size_t size = 0;

	if (n_folds == 0 || (uintptr_t)p % 4096 != 0)
		return 0;
	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < n_folds && !size; i++)
		if (folds[i].p == p)
			size = folds[i].size;
	pthread_mutex_unlock(&mutex);
	return size;
}
