/* fuzz_platform.c: any file is a platform or an error with a place; what was read can be asked
 * everything. */
#include "base/base.h"
#include "platform/platform.h"

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void hosts_ask(const struct platform *p)
{
	char name[256];
	uint32_t n = platform_host_count(p);
	for (uint32_t i = 0; i < n; i += n / 16 + 1) {
		struct host_info info;
		struct host_id found;
		platform_host(p, (struct host_id){i}, &info);
		if (!(info.speed >= 0) || info.cores < 1) /* 0: a place in the network */
			abort();
		if (strlen(platform_host_name(p, (struct host_id){i}, name, sizeof name)) + 1 <
		        sizeof name &&
		    (platform_host_find(p, name, &found) < 0 || found.v != i))
			abort();
		platform_host_prop(p, (struct host_id){i}, "smpi/os");
	}
}

static void links_ask(const struct platform *p)
{
	char name[256];
	uint32_t n = platform_link_count(p);
	for (uint32_t i = 0; i < n; i += n / 16 + 1) {
		struct link_info info;
		platform_link(p, (struct link_id){i}, &info);
		if (!(info.bandwidth > 0) || !(info.latency >= 0))
			abort();
		platform_link_name(p, (struct link_id){i}, name, sizeof name);
	}
}

static void routes_ask(const struct platform *p)
{
	struct route r;
	struct err err;
	uint32_t n = platform_host_count(p);
	route_init(&r);
	for (uint32_t i = 0; i < 64; i++) {
		struct host_id a = {i * 7919u % n}, b = {(i / 8 * 104729u + i) % n};
		if (route_find(p, a, b, &r, &err) < 0)
			continue;
		for (uint32_t k = 0; k < r.n; k++)
			if (r.links[k].v >= platform_link_count(p))
				abort();
	}
	route_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config cfg;
	struct err err;
	char path[64];
	int fd = memfd_create("platform", 0);
	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) ||
	    config_init(&cfg, &err) < 0)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	err.text[0] = 0;
	struct platform *p = platform_read(path, &cfg, &err);
	if (!p && !err.text[0])
		abort();
	if (p) {
		hosts_ask(p);
		links_ask(p);
		routes_ask(p);
	}
	platform_free(p);
	config_release(&cfg);
	close(fd);
	return 0;
}
