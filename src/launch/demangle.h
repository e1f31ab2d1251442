/* demangle.h: names of C++ and Rust functions as they are written in the program. */
#ifndef ORRERY_LAUNCH_DEMANGLE_H
#define ORRERY_LAUNCH_DEMANGLE_H

#include <stddef.h>

/* The name without parameters and arguments of templates, in buf: 1; 0: it is none that is known,
 * or has no room, and buf is empty. */
int demangle(const char *name, char *buf, size_t n);
/* The same, in buf, if it can stand in the name of a call site, which has no blanks and no < or >;
 * else `name`. */
const char *demangle_site(const char *name, char *buf, size_t n);

#endif
