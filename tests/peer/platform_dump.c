/* platform_dump: what Orrery makes of a platform, as simgrid_platform_dump.cpp prints it. Usage:
 * platform_dump FILE [SETTINGS] */
#include "base/base.h"
#include "platform/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 512 };

static int name_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted copies of the names of all hosts or links. */
static char **names_sorted(const struct platform *p, uint32_t n,
                           const char *(*get)(const struct platform *, uint32_t, char *))
{
	char **names = calloc((size_t)n + 1, sizeof *names), buf[NAME];
	for (uint32_t i = 0; names && i < n; i++) {
		names[i] = strdup(get(p, i, buf));
		if (!names[i])
			abort();
	}
	if (!names)
		abort();
	qsort(names, n, sizeof *names, name_compare);
	return names;
}

static const char *host_get(const struct platform *p, uint32_t i, char *buf)
{
	return platform_host_name(p, (struct host_id){i}, buf, NAME);
}

static void route_print(const struct platform *p, const char *a, const char *b, struct route *r)
{
	struct host_id from, to;
	struct err err;
	char name[NAME];
	if (platform_host_find(p, a, &from) < 0 || platform_host_find(p, b, &to) < 0)
		abort();
	printf("route %s %s", a, b);
	if (route_find(p, from, to, r, &err) < 0 || (!r->n && !(r->latency > 0))) {
		printf(" none\n");
		return;
	}
	printf(" %.17g", r->latency);
	for (uint32_t i = 0; i < r->n; i++)
		printf(" %s", platform_link_name(p, r->links[i], name, sizeof name));
	printf("\n");
}

static void order_print(const struct platform *p)
{
	char name[NAME];
	uint32_t n = platform_host_count(p);
	struct host_id *order = calloc(n, sizeof *order);
	if (!order)
		abort();
	platform_host_order(p, 1, order);
	for (uint32_t i = 0; i < n; i++)
		printf("place %u %s\n", i, platform_host_name(p, order[i], name, sizeof name));
	free(order);
}

static void hosts_print(const struct platform *p, char **hosts)
{
	for (uint32_t i = 0; i < platform_host_count(p); i++) {
		struct host_info info;
		struct host_id h;
		if (platform_host_find(p, hosts[i], &h) < 0)
			abort();
		platform_host(p, h, &info);
		printf("host %s %.10g %u\n", hosts[i], info.speed, info.cores);
	}
}

/* One line per link, sorted; the name first so that lines sort by name. */
static void links_print(const struct platform *p)
{
	uint32_t n = platform_link_count(p);
	char **lines = calloc((size_t)n + 1, sizeof *lines), name[NAME], line[NAME + 128];
	for (uint32_t i = 0; lines && i < n; i++) {
		struct link_info info;
		platform_link(p, (struct link_id){i}, &info);
		snprintf(line, sizeof line, "%s %.10g %.10g %s",
		         platform_link_name(p, (struct link_id){i}, name, sizeof name),
		         info.bandwidth, info.latency,
		         info.policy == LINK_FATPIPE ? "FATPIPE" : "SHARED");
		lines[i] = strdup(line);
	}
	qsort(lines, n, sizeof *lines, name_compare);
	for (uint32_t i = 0; i < n; i++) {
		printf("link %s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

static void routes_print(const struct platform *p, char **hosts)
{
	struct route r;
	uint64_t n = platform_host_count(p);
	route_init(&r);
	for (uint64_t i = 0; i < (n <= 48 ? n * n : 2500); i++) {
		if (n <= 48)
			route_print(p, hosts[i / n], hosts[i % n], &r);
		else
			route_print(p, hosts[i * 7919 % n], hosts[(i * 104729 + i / n) % n], &r);
	}
	route_release(&r);
}

int main(int argc, char **argv)
{
	struct config cfg;
	struct err err;
	if (argc < 2 || config_init(&cfg, &err) < 0 ||
	    (argc > 2 && config_set_all(&cfg, argv[2], CFG_FROM_USER, &err) < 0))
		return 2;
	struct platform *p = platform_read(argv[1], &cfg, &err);
	if (!p) {
		fprintf(stderr, "%s\n", err.text);
		return (int)err.kind;
	}
	char **hosts = names_sorted(p, platform_host_count(p), host_get);
	order_print(p);
	hosts_print(p, hosts);
	links_print(p);
	routes_print(p, hosts);
	for (uint32_t i = 0; i < platform_host_count(p); i++)
		free(hosts[i]);
	free(hosts);
	platform_free(p);
	config_release(&cfg);
	return 0;
}
