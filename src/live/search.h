/* search.h: where the loader finds a library that a program or another library needs (ld.so(8)).
 */
#ifndef ORRERY_LIVE_SEARCH_H
#define ORRERY_LIVE_SEARCH_H

#include "base/err.h"

struct search {
	const char *file;            /* who needs it: $ORIGIN is its folder */
	const char *rpath, *runpath; /* what that says; NULL: nothing */
	/* The program, whose DT_RPATH is looked into for all that have no DT_RUNPATH; NULL: none.
	 */
	const char *program, *program_rpath;
};
/* out: PATH_MAX bytes. 1: found; 0: it is nowhere; -1: that cannot be known. As the loader does, a
 * folder that may not be searched is passed over. */
int search_library(const struct search *s, const char *name, char *out, struct err *err);

#endif
