/* fuzz_foreign.c: any bytes as a file of another tool: Dimemas, GOAL (text, binary), Paraver, and
 * DUMPI's records. What is read as an event must be of a rank that is there; nothing may crash,
 * leak, or take memory out of proportion. */
#include "fuzz/fuzz.h"
#include "trace/foreign/dumpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_MOST = 64, EVENTS_MOST = 2000 };

static void records_read(const char *path)
{
	struct dumpi_file d;
	struct dumpi_call c;
	struct err err;

	if (dumpi_file_open(&d, path, &err) == 0)
		while (dumpi_next(&d, &c, &err) > 0)
			;
	dumpi_file_close(&d);
}

static void trace_read(const char *path)
{
	struct trace_open_options o = {.even_split = 1};
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open_with(path, 0, &o, &err);

	if (!t)
		return;
	for (uint32_t r = 0; r < trace_ranks(t) && r < RANKS_MOST; r++)
		for (int n = 0; n < EVENTS_MOST && trace_next(t, r, &ev, &err) > 0; n++)
			if (ev.peer >= (int32_t)trace_ranks(t))
				abort();
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char path[64];
	int fd = memfd_create("foreign", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	trace_read(path);
	records_read(path);
	close(fd);
	return 0;
}
