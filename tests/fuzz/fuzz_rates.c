/* fuzz_rates.c: files of calibrated rates: read without a crash or with an error; what is read is
 * written and read back the same, and every rate asked for is a positive number. */
#include "fuzz.h"

#include "replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void text_file(const char *data, size_t n, char *path, size_t cap, int *fd)
{
	*fd = memfd_create("rates", 0);
	if (*fd < 0 || (n && write(*fd, data, n) != (ssize_t)n))
		abort();
	snprintf(path, cap, "/proc/self/fd/%d", *fd);
}

static void ask(const struct rates *r)
{
	enum rates_source source;

	for (int32_t region = RATES_ANY; region < (int32_t)r->regions && region < 20; region++)
		for (int32_t host = RATES_ANY; host < (int32_t)r->hosts && host < 20; host++)
			for (double volume = 1e-300; volume < 1e300; volume *= 1e60)
				for (double set = 0; set<1e12; set = set> 0 ? set * 1e4 : 1)
					if (!(rates_find(r, region, host, volume, set, &source) >=
					      0))
						abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rates r = {0}, again = {0};
	struct err err = {0};
	struct str out;
	char path[64];
	int fd, other;

	text_file((const char *)data, size, path, sizeof path, &fd);
	if (rates_read(&r, path, &err) < 0) {
		if (!err.text[0])
			abort();
		close(fd);
		return 0;
	}
	ask(&r);
	str_init(&out);
	rates_write(&r, &out);
	text_file(out.s, out.n, path, sizeof path, &other);
	if (rates_read(&again, path, &err) < 0 || again.n != r.n || again.regions != r.regions ||
	    again.hosts != r.hosts)
		abort();
	str_release(&out);
	rates_release(&r);
	rates_release(&again);
	close(fd);
	close(other);
	return 0;
}
