/* platform_print.h: what `orrery platform` prints of the catalogue, of a machine, of a route and of
 * what was tried on a machine; in words, or as one JSON value with a newline. */
#ifndef ORRERY_CLI_PLATFORM_PRINT_H
#define ORRERY_CLI_PLATFORM_PRINT_H

#include "platform/platform.h"

/* n entries of the catalogue. */
void catalogue_text(const struct catalogue_entry *list, int n, struct str *out);
void catalogue_json(const struct catalogue_entry *list, int n, struct str *out);

/* cfg: the settings that the machine was read with. */
void machine_text(const struct platform *p, const struct config *cfg, struct str *out);
/* hosts: with a list of them. */
void machine_json(const struct platform *p, const struct config *cfg, int hosts, struct str *out);
/* A line for each host. */
void machine_hosts(const struct platform *p, struct str *out);

/* The links of a route, and its bottleneck. */
void route_text(const struct platform *p, const struct route *r, struct str *out);
void route_json(const struct platform *p, const struct route *r, struct str *out);

/* remarks: one a line; tried: routes. */
void check_json(const struct platform *p, const char *remarks, uint64_t tried, struct str *out);

#endif
