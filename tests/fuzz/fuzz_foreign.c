/* fuzz_foreign.c: any bytes as a file of another tool: Dimemas, GOAL (text, binary), Paraver, and
 * DUMPI. What is read as an event must be of a rank that is there; nothing may crash, leak, or take
 * memory out of proportion. */
#include "fuzz/fuzz.h"
#include "trace/foreign/dumpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* DUMPI's files are known by their names: it is that of both ranks. */
static void dumpi_read(const uint8_t *data, size_t n)
{
	static const uint8_t magic[] = {0xff, 0xaa, 0xdd, 0x44, 0x55, 0x4d, 0x50, 0x49};
	char folder[] = "/tmp/orrery-fuzz-XXXXXX", path[2][64];

	if (n < sizeof magic || memcmp(data, magic, sizeof magic) != 0)
		return;
	if (!mkdtemp(folder))
		abort();
	for (int rank = 0; rank < 2; rank++) {
		FILE *f;

		snprintf(path[rank], sizeof path[rank], "%s/r-%04d.bin", folder, rank);
		f = fopen(path[rank], "we");
		if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
			abort();
		if (rank == 0)
			trace_read(path[0]);
	}
	trace_read(folder);
	for (int rank = 0; rank < 2; rank++)
		unlink(path[rank]);
	rmdir(folder);
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
	dumpi_read(data, n);
	return 0;
}
