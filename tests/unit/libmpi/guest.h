/* guest.h: the library that folds memory and has kernels (libmpi/guest), opened as it is installed,
 * its functions called by name, so that the test itself keeps the C library's. */
#ifndef ORRERY_TESTS_LIBMPI_GUEST_H
#define ORRERY_TESTS_LIBMPI_GUEST_H

#include "test.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { SKIPPED = 77, BLOCK = 1 << 20 };

static void *guest;

/* 0: it is not there: it was not built. What the environment says it reads now. */
static int guest_open(void)
{
	const char *tracer = getenv("ORRERY_TRACER_DIR");
	char path[4096];

	snprintf(path, sizeof path, "%s/../lib/orrery/liborrery_guest.so", tracer ? tracer : ".");
	guest = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	return guest != NULL;
}

static void *guest_named(const char *name)
{
	void *p = dlsym(guest, name);

	if (!p)
		fail_msg("the library has no %s", name);
	return p;
}

#endif
