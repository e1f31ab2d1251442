/* fuzz_hostfile.c: any bytes as a hostfile of a small cluster. Whatever is accepted places every
 * rank on a host that exists. */
#include "fuzz/fuzz.h"
#include "platform/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char cluster[] =
    "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">"
    "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-3\" speed=\"1Gf\" bw=\"1GBps\" "
    "lat=\"1us\"/></zone></platform>";

static void file_make(char *path, const void *data, size_t size)
{
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || close(fd))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char xml[] = "/tmp/orrery-fuzz-XXXXXX", hosts[] = "/tmp/orrery-fuzz-XXXXXX";
	struct placement pl;
	struct config cfg;
	struct err err;
	struct platform *p;

	file_make(xml, cluster, sizeof cluster - 1);
	file_make(hosts, data, size);
	if (config_init(&cfg, &err) < 0 || !(p = platform_read(xml, &cfg, &err)))
		abort();
	for (int wrap = 0; wrap < 2; wrap++) {
		if (placement_make(p, hosts, 5, 0, wrap, &pl, &cfg, &err) < 0)
			continue;
		for (uint32_t i = 0; i < pl.n; i++) {
			if (pl.host[i].v >= platform_host_count(p))
				abort();
		}
		if (pl.n != 5)
			abort();
		placement_release(&pl);
	}
	platform_free(p);
	config_release(&cfg);
	unlink(xml);
	unlink(hosts);
	return 0;
}
