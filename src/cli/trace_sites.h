/* trace_sites.h: source lines of call sites. */
#ifndef ORRERY_CLI_TRACE_SITES_H
#define ORRERY_CLI_TRACE_SITES_H

#include "trace/trace.h"

/* Asks addr2line (binutils) for the source lines and functions of sites, module by module: a site
 * whose module cannot be read here, or knows neither, stays what it is. Returns how many got a
 * place, or -1. */
int sites_resolve(struct trace_sites *s, struct err *err);

#endif
