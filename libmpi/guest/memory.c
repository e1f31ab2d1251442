/* memory.c: allocations of the program that are at least ORRERY_FOLD bytes are folded; SMPI's
 * functions for the same by name. Where memory is folded, other large allocations have pages of
 * their own: what was never written to them takes no memory, and is not sent (core/payload.c).
 * Those that libraries of MPI and the C library make for themselves are not: who calls is told by
 * the address that the call returns to. */
#include "memory.h"
#include "base/num.h"
#include "fold.h"
#include "function.h"
#include "given.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

/* glibc's own, under the names that it exports for this. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void __libc_free(void *p);

/* --fold-memory takes no less than LEAST; from BARE on pages are worth looking at one by one. */
enum { LEAST = 4096, BARE = 256 << 10 };

static size_t threshold = (size_t)-1;

/* Functions whose own allocations are folded, from another size on. */
enum { SITES = 64 };
static struct site {
	char name[128];
	uintptr_t from, to;
	size_t least;
} sites[SITES];
static int n_sites;

static int held; /* ranks are coroutines: addresses are from the beginning of their slots */

/* Those of functions that nobody has are for no caller. */
static void site_find(struct site *s)
{
	size_t n = 0;
	void *at;

	if (given_hold) {
		s->from = given_hold->function(s->name, &n);
	} else {
		at = function_find(s->name, 1, &n);
		s->from = (uintptr_t)at;
		n = at ? n : 0;
	}
	s->to = s->from + n;
}

/* "name=bytes;…" */
static void sites_read(const char *text)
{
	int64_t given;

	for (; text && *text && n_sites < SITES; text = strchr(text, ';') + 1) {
		struct site *s = &sites[n_sites];
		const char *eq = strchr(text, '=');

		if (!eq || !strchr(text, ';') || (size_t)(eq - text) >= sizeof s->name)
			return;
		memcpy(s->name, text, (size_t)(eq - text));
		s->name[eq - text] = 0;
		s->least = num_take_digits(eq + 1, &given) ? (size_t)given : 0;
		site_find(s);
		n_sites++;
	}
}

__attribute__((constructor)) static void folds_read(void)
{
	const char *text = getenv("ORRERY_FOLD");

	if (getenv("ORRERY_FOLD_HUGE"))
		fold_huge();
	sites_read(getenv("ORRERY_FOLD_AT"));
	int64_t bytes;

	if (text && num_take_digits(text, &bytes))
		threshold = (size_t)bytes;
}

static size_t least_at(const void *caller)
{
	uintptr_t at = held ? given_hold->within(caller) : (uintptr_t)caller;
	size_t least = threshold;

	for (int i = 0; i < n_sites; i++)
		if (at >= sites[i].from && at < sites[i].to)
			least = sites[i].least;
	return least;
}

void memory_held(void)
{
	for (int i = 0; i < n_sites; i++)
		site_find(&sites[i]);
	held = 1;
	fold_share(given_hold->ranks);
}

/* For libmpi: what is in folded memory need not be sent, nor what was never written. */
SHOWN int orrery_folded(const void *p, size_t n);
int orrery_folded(const void *p, size_t n)
{
	return fold_holds(p, n);
}

SHOWN int orrery_memory(const void *p, size_t n, size_t *same);
int orrery_memory(const void *p, size_t n, size_t *same)
{
	return fold_at(p, n, same);
}

SHOWN uint64_t orrery_counted_again(void);
uint64_t orrery_counted_again(void)
{
	return fold_counted_again();
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

/* An allocation of the program that is not the C library's affair, or NULL. */
static void *taken(size_t size, int zero, const void *caller)
{
	if (size >= least_at(caller))
		return is_program(caller) ? fold_new(size, NULL, 0) : NULL;
	if ((threshold == (size_t)-1 && n_sites == 0) || size < BARE)
		return NULL;
	if (!is_program(caller))
		return NULL;
	return zero ? fold_zero(size) : fold_bare(size);
}

SHOWN void *malloc(size_t size)
{
	void *p = size < LEAST ? NULL : taken(size, 0, __builtin_return_address(0));

	return p ? p : __libc_malloc(size);
}

/* What is folded is not zero but at first: a program that counts on it has values that matter. */
SHOWN void *calloc(size_t n, size_t size)
{
	size_t all;
	void *p = NULL;

	if (!__builtin_mul_overflow(n, size, &all) && all >= LEAST)
		p = taken(all, 1, __builtin_return_address(0));
	return p ? p : __libc_calloc(n, size);
}

/* Ours, also where this library is not in front of the C library. */
static void given_back(void *p)
{
	int kept = errno;

	if (!fold_free(p))
		__libc_free(p);
	errno = kept;
}

SHOWN void free(void *p)
{
	given_back(p);
}

/* What was not folded keeps its values, and what was its first block's. */
SHOWN void *realloc(void *p, size_t size)
{
	size_t old = p ? fold_size(p) : 0, kept, same;
	void *fresh = NULL;
	int bare;

	if (!p && size >= LEAST)
		fresh = taken(size, 0, __builtin_return_address(0));
	if (old == 0)
		return fresh ? fresh : __libc_realloc(p, size);
	bare = fold_at(p, 1, &same) == FOLD_BARE;
	if (bare && size >= BARE)
		return fold_bare_resize(p, size);
	fresh = !bare && size >= LEAST ? fold_new(size, NULL, 0) : __libc_malloc(size);
	if (!fresh)
		return NULL;
	kept = old < size ? old : size;
	memcpy(fresh, p, bare || kept < FOLD_BLOCK ? kept : FOLD_BLOCK);
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
	given_back(p);
}
