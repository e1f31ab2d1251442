/* fuzz_schedule.c: any bytes as a GOAL schedule, text or binary, simulated as the graph that it is
 * in LogGOPS. A run comes to its end, or says that it does not; a second one that notes what became
 * of each operation ends at the same date, and the path back along that has no gap. */
#include "fuzz/fuzz.h"
#include "schedule/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_MOST = 64, SIZE_MOST = 8192 };

static const struct schedule_model model = {
    .L = 2e-6, .o = 1e-6, .g = 5e-6, .G = 1e-9, .O = 2e-9, .S = 500};

static void told(void *self, const struct schedule_stretch *x)
{
	double *at = self;

	if (x->until != *at || !(x->from < x->until) || x->from < 0)
		abort();
	*at = x->from;
}

/* The end, s; -1: it comes to none. */
static double simulate(const char *path, int noted)
{
	struct schedule_trail trail;
	struct schedule_result out;
	struct trace_schedule s;
	double unit[RANKS_MOST], at, end = -1;
	struct err err;

	if (trace_schedule_read(path, &s, &err) <= 0)
		return -1;
	for (int i = 0; i < RANKS_MOST; i++)
		unit[i] = 1e-9 * (1 + i % 3);
	if (s.ranks <= RANKS_MOST && (!noted || schedule_trail_init(&trail, &s, &err) == 0)) {
		if (schedule_run(&s, &model, unit, noted ? &trail : NULL, &out, &err) > 0) {
			at = end = out.end;
			if (!(end >= 0 && isfinite(end) && out.path <= end * (1 + 1e-6)))
				abort();
			if (noted)
				schedule_path(&trail, &s, told, &at);
			if (noted && at != 0)
				abort();
		}
		if (noted)
			schedule_trail_release(&trail);
	}
	trace_schedule_release(&s);
	return end;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char path[64];
	int fd = n > SIZE_MOST ? -1 : memfd_create("schedule", MFD_CLOEXEC);

	if (n > SIZE_MOST)
		return 0;
	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (simulate(path, 0) != simulate(path, 1))
		abort();
	close(fd);
	return 0;
}
