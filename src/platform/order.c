/* order.c: the order in which hosts receive ranks when nobody says so: declaration, or SimGrid's. */
#include "platform/platform_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sort {
	const struct platform *p;
};

/* The zones in the order SimGrid visits them: a zone, then its children in order of declaration: that is the order of their indices, for a zone gets
 * its index when it opens. Within a zone, names in the order of their bytes. */
static int host_compare(const void *a, const void *b, void *arg)
{
	const struct platform *p = ((const struct sort *)arg)->p;
	const struct host_id *x = a, *y = b;
	char nx[NAME_MAX_LEN + 16], ny[NAME_MAX_LEN + 16];
	uint32_t zx = host_block_of(p, x->v)->zone, zy = host_block_of(p, y->v)->zone;
	if (zx != zy)
		return zx < zy ? -1 : 1;
	platform_host_name(p, *x, nx, sizeof nx);
	platform_host_name(p, *y, ny, sizeof ny);
	return strcmp(nx, ny);
}

void platform_host_order(const struct platform *p, int compat, struct host_id *hosts)
{
	for (uint32_t i = 0; i < p->host_count; i++)
		hosts[i].v = i;
	struct sort s = {p};
	if (compat)
		qsort_r(hosts, p->host_count, sizeof *hosts, host_compare, &s);
}
