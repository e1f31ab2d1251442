/* fuzz_psins.c: any file that begins as a machine description of PSINS is a machine or an error
 * with a place. A machine has hosts, routes between them and places for ranks, and every model can
 * be made for it and moves a message across it. */
#include "net/net.h"

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void message_send(struct net *n, struct host_id from, struct host_id to)
{
	struct net_send s = {from, to, 1000, 1, 1, NULL};
	struct net_sent sent;
	struct completion c;
	struct err err;

	if (net_message(n, &s, &sent, &err) < 0)
		abort();
	if (net_next(n, &c, &err) != 1 || c.user != 1)
		abort();
}

static void models_try(const struct platform *p, struct config *cfg)
{
	static const char *const names[] = {"psins-simple", "psins-bus", "psins-in", "psins-out",
	                                    "psins-pmac",   "dimemas",   "CM02"};
	uint32_t last = platform_host_count(p) - 1;
	struct err err;
	struct net *n;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (config_set(cfg, "network/model", names[i], CFG_FROM_USER, &err) < 0)
			abort();
		n = net_new(p, cfg, &err);
		if (!n)
			abort();
		message_send(n, (struct host_id){0}, (struct host_id){last});
		message_send(n, (struct host_id){last}, (struct host_id){last});
		net_free(n);
	}
}

static void machine_use(const struct platform *p, struct config *cfg)
{
	struct placement pl;
	struct err err;

	if (placement_make(p, NULL, 3, 0, 1, &pl, cfg, &err) == 0)
		placement_release(&pl);
	models_try(p, cfg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config cfg;
	struct err err = {0};
	char path[64];
	int fd = memfd_create("machine", 0);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) ||
	    config_init(&cfg, &err) < 0)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct platform *p = platform_read(path, &cfg, &err);

	if (!p && !err.text[0])
		abort();
	if (p && size && data[0] != '<')
		machine_use(p, &cfg);
	platform_free(p);
	config_release(&cfg);
	close(fd);
	return 0;
}
