/* fuzz_kernel.c: any file as measurements of a kernel (m,n,k,duration). What is read is fitted by
 * every model, to finite numbers, or refused with a reason. */
#include "calibrate/kernel.h"

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whatever was measured, what is said of hosts is a number. */
static void compare_all(const struct kernel_data *d)
{
	struct kernel_hosts h;
	struct err err = {0};

	if (kernel_hosts_find(d, 1, &h, &err) < 0) {
		if (!err.text[0])
			abort();
		return;
	}
	for (uint32_t i = 0; i < d->hosts; i++)
		if (!isfinite(h.unit[i].off) || isnan(h.unit[i].off_95) ||
		    !(h.unit[i].p >= 0 && h.unit[i].p <= 1))
			abort();
	if (!(h.calls >= 0) || !(h.between_sessions >= 0) || !(h.all.spread >= 0))
		abort();
	kernel_hosts_release(&h);
}

static void fit_all(const struct kernel_data *d)
{
	struct kernel_model m;
	struct err err;

	for (uint32_t h = 0; h < d->hosts; h++) {
		for (int model = 0; model < 9; model++) {
			err.text[0] = '\0';
			if (kernel_fit(d, h, model / 3, model % 3, &m, &err) < 0) {
				if (!err.text[0])
					abort();
				continue;
			}
			for (int t = 0; t < KERNEL_TERMS; t++) {
				if (!isfinite(m.mean[t]) || !isfinite(m.deviation[t]))
					abort();
			}
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("kernel", 0), by = size > 0 && data[0] == 'n';
	struct kernel_data d = {.session = size > 1 && data[1] == 'd' ? "d" : NULL};
	struct err err = {0};
	char path[64];

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (kernel_read(&d, path, by ? "node" : NULL, &err) == 0)
		fit_all(&d), compare_all(&d);
	else if (!err.text[0])
		abort();
	kernel_data_release(&d);
	close(fd);
	return 0;
}
