/* fuzz_kernel.c: any file as measurements of a kernel (m,n,k,duration). What is read is fitted by
 * every model, to finite numbers, or refused with a reason. */
#include "calibrate/kernel.h"

#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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
	struct kernel_data d = {0};
	struct err err = {0};
	char path[64];

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (kernel_read(&d, path, by ? "node" : NULL, &err) == 0)
		fit_all(&d);
	else if (!err.text[0])
		abort();
	kernel_data_release(&d);
	close(fd);
	return 0;
}
