/* fuzz_network.c: any file as measurements of a network. What is read is fitted, or refused with a
 * reason; the platform that is written of a fit can be read, settings and all. */
#include "calibrate/network/network.h"
#include "platform/platform.h"

#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int file_of(const void *data, size_t size, char *path, size_t n)
{
	int fd = memfd_create("network", 0);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, n, "/proc/self/fd/%d", fd);
	return fd;
}

static void platform_must_read(const struct str *xml)
{
	struct platform *p;
	struct config cfg;
	struct err err;
	char path[64];
	int fd = file_of(xml->s, xml->n, path, sizeof path);

	if (config_init(&cfg, &err) < 0)
		abort();
	p = platform_read(path, &cfg, &err);
	if (!p) {
		fprintf(stderr, "%s\n%s", err.text, xml->s);
		abort();
	}
	platform_free(p);
	config_release(&cfg);
	close(fd);
}

static void fit(struct net_raw *raw)
{
	struct net_platform p = {.id = "fuzz", .speed = "1Gf", .cores = 1};
	struct net_fit f;
	struct net_cabinets c;
	struct str out;
	struct err err = {0};

	str_init(&out);
	if (net_cabinets_find(raw, NULL, &c, &out, &err) < 0)
		abort();
	net_raw_cabinets(raw, &c);
	p.hosts = net_host_count(raw);
	str_release(&out);
	if (net_fit_make(raw, 0, &f, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	str_init(&out);
	net_platform_write(raw, &f, &p, &out);
	platform_must_read(&out);
	str_clear(&out);
	net_report_write(raw, &f, "fuzz", &out);
	str_release(&out);
	net_fit_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct net_raw raw;
	struct err err = {0};
	char path[64];
	int fd = file_of(data, size, path, sizeof path);

	net_raw_init(&raw);
	if (net_raw_read(&raw, path, &err) == 0)
		fit(&raw);
	else if (!err.text[0])
		abort();
	net_raw_release(&raw);
	close(fd);
	return 0;
}
