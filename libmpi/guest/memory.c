/* memory.c: allocations of the program that are at least ORRERY_FOLD bytes are folded; SMPI's
 * functions for the same by name. Those that libraries of MPI and the C library make for themselves
 * are not: who calls is told by the address that the call returns to. */
#include "fold.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

/* glibc's own, under the names that it exports for this. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);

static size_t threshold = (size_t)-1;

__attribute__((constructor)) static void threshold_read(void)
{
	const char *text = getenv("ORRERY_FOLD");

	if (text && *text)
		threshold = strtoull(text, NULL, 10);
}

static int held; /* ranks are coroutines of this process (src/live/coro) */

SHOWN void orrery_guest_hold(void);
void orrery_guest_hold(void)
{
	held = 1;
	fold_share();
}

/* For libmpi: what is in folded memory need not be sent. */
SHOWN int orrery_folded(const void *p, size_t n);
int orrery_folded(const void *p, size_t n)
{
	return fold_holds(p, n);
}

static int is_program(const void *caller)
{
	static const char *const others[] = {"libmpi",   "liborrery", "libc.so",   "libc-",
	                                     "ld-linux", "libopen-",  "libpthread"};
	Dl_info info;
	const char *name;

	if (!dladdr(caller, &info) || !info.dli_fname)
		return held; /* what no loader knows is a program that the simulator holds */
	name = strrchr(info.dli_fname, '/');
	name = name ? name + 1 : info.dli_fname;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return 0;
	return 1;
}

SHOWN void *malloc(size_t size)
{
	void *p = NULL;

	if (size >= threshold && is_program(__builtin_return_address(0)))
		p = fold_new(size, NULL, 0);
	return p ? p : __libc_malloc(size);
}

/* What is folded is not zero but at first: a program that counts on it has values that matter. */
SHOWN void *calloc(size_t n, size_t size)
{
	void *p = NULL;

	if (size && n >= threshold / size && n <= (size_t)-1 / size && n * size >= threshold &&
	    is_program(__builtin_return_address(0)))
		p = fold_new(n * size, NULL, 0);
	return p ? p : __libc_calloc(n, size);
}

SHOWN void free(void *p)
{
	int kept = errno;

	if (!fold_free(p))
		__libc_free(p);
	errno = kept;
}

/* What was not folded keeps its values, and what was its first block's. */
SHOWN void *realloc(void *p, size_t size)
{
	size_t old = p ? fold_size(p) : 0, kept;
	void *fresh;

	if (!p && size >= threshold && is_program(__builtin_return_address(0)))
		return fold_new(size, NULL, 0);
	if (old == 0)
		return __libc_realloc(p, size);
	fresh = size >= threshold ? fold_new(size, NULL, 0) : __libc_malloc(size);
	if (!fresh)
		return NULL;
	kept = old < size ? old : size;
	memcpy(fresh, p, kept < FOLD_BLOCK ? kept : FOLD_BLOCK);
	fold_free(p);
	return fresh;
}

SHOWN void *smpi_shared_malloc(size_t size, const char *file, int line);
void *smpi_shared_malloc(size_t size, const char *file, int line)
{
	(void)file;
	(void)line;
	return fold_new(size, NULL, 0);
}

SHOWN void *smpi_shared_malloc_partial(size_t size, const size_t *offsets, int n, const char *file,
                                       int line);
void *smpi_shared_malloc_partial(size_t size, const size_t *offsets, int n, const char *file,
                                 int line)
{
	(void)file;
	(void)line;
	return n > 0 ? fold_new(size, offsets, n) : __libc_malloc(size);
}

SHOWN void smpi_shared_free(void *p);
void smpi_shared_free(void *p)
{
	free(p);
}
