/* order.c: the order in which hosts receive ranks when nobody says so: declaration, or SimGrid's,
 * by the bytes of their names over the whole platform (n10 before n2). */
#include "platform/platform_int.h"

#include <stdlib.h>
#include <string.h>

struct sort {
	const struct platform *p;
};

static int host_compare(const void *a, const void *b, void *arg)
{
	const struct platform *p = ((const struct sort *)arg)->p;
	char nx[NAME_MAX_LEN + 16], ny[NAME_MAX_LEN + 16];
	platform_host_name(p, *(const struct host_id *)a, nx, sizeof nx);
	platform_host_name(p, *(const struct host_id *)b, ny, sizeof ny);
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
