/* preload.h: where the tracer's libraries are. */
#ifndef ORRERY_LAUNCH_PRELOAD_H
#define ORRERY_LAUNCH_PRELOAD_H

#include "base/base.h"
#include "elf.h"

/* The value of LD_PRELOAD for a rank: the tracer for this family, before what the user preloads.
 * The tracer is looked for in $ORRERY_TRACER_DIR, beside this program as it is built, and where it
 * is installed. Freed by the caller. */
char *preload_value(enum mpi_family family, struct err *err);

/* The value of ASAN_OPTIONS for a rank: a program with AddressSanitizer, which ends itself where
 * anything is preloaded, goes on; the user's own behind it. Freed by the caller. */
char *preload_sanitizer(struct err *err);

/* A file of the tracer's folder by its name, looked for likewise: 1 with its path in out; 0: it is
 * not there, and out has the path that it has in a build. */
int preload_find(const char *name, char *out, size_t n);

#endif
