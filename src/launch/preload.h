/* preload.h: where the tracer's libraries are. */
#ifndef ORRERY_LAUNCH_PRELOAD_H
#define ORRERY_LAUNCH_PRELOAD_H

#include "base/base.h"
#include "elf.h"

/* What makes the loader take the tracer of a family in a rank. Blanks and colons end a name of
 * LD_PRELOAD, but in LD_LIBRARY_PATH blanks do not (ld.so(8)): a tracer in a folder with a blank is
 * named without it, and looked for there. The tracer is looked for in $ORRERY_TRACER_DIR, beside
 * this program as it is built, and where it is installed. */
struct preload {
	char *path;   /* of the tracer */
	char *value;  /* of LD_PRELOAD: the tracer, before what the user preloads */
	char *search; /* of LD_LIBRARY_PATH, before the user's; NULL: it may stay */
};
int preload_init(struct preload *p, enum mpi_family family, struct err *err);
void preload_release(struct preload *p);

/* The value of ASAN_OPTIONS for a rank: a program with AddressSanitizer, which ends itself where
 * anything is preloaded, goes on; the user's own behind it. Freed by the caller. */
char *preload_sanitizer(struct err *err);

/* A file of the tracer's folder by its name, looked for likewise: 1 with its path in out; 0: it is
 * not there, and out has the path that it has in a build. */
int preload_find(const char *name, char *out, size_t n);
/* One that is built once for each family, where that is installed: 0 with its path in out; -1: it
 * is not there, *err names what to install. lack: "there is no tracer". */
int preload_find_of(enum mpi_family family, const char *name, const char *lack, char *out, size_t n,
                    struct err *err);

#endif
