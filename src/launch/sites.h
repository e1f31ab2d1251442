/* sites.h: source lines of call sites. */
#ifndef ORRERY_LAUNCH_SITES_H
#define ORRERY_LAUNCH_SITES_H

#include "trace/trace.h"

/* Source lines and functions of sites, module by module, from the modules' debugging information: a
 * site whose module cannot be read here, or knows neither, stays what it is. Returns how many got a
 * place, or -1. Without libdw (debug.h): none. */
int sites_resolve(struct trace_sites *s, struct err *err);

#endif
