/* data.h: files that come with the program: machines, processors, sources of measuring programs. */
#ifndef ORRERY_BASE_DATA_H
#define ORRERY_BASE_DATA_H

#include "err.h"

#include <stddef.h>

/* The path of data/NAME, which is there, in out. Looked for in $ORRERY_DATA alone where that is
 * set; else beside the program, ../share/orrery, so that an installed program may be moved; else in
 * the source tree if the program was built in it and not installed; else where it was to be
 * installed. -1: it is nowhere, with the places in the message. */
int data_find(const char *name, char *out, size_t n, struct err *err);

#endif
