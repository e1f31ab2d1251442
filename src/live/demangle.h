/* demangle.h: names of C++ and Rust functions as they are written in the program. */
#ifndef ORRERY_LIVE_DEMANGLE_H
#define ORRERY_LIVE_DEMANGLE_H

#include <stddef.h>

/* The name without parameters, in buf: 1; 0: it is none that is known, or has no room, and buf is
 * empty. */
int demangle(const char *name, char *buf, size_t n);

#endif
