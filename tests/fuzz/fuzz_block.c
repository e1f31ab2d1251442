/* fuzz_block.c: any bytes as a compressed trace's file: its head, its blocks, what is packed in
 * them. Checksums are made right first (fuzzing would not get past them), but for those that the
 * first byte leaves as they are. Read to its end, as a trace that ends anywhere, or refused. */
#include "fuzz/fuzz.h"
#include "trace/compressed/block.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EVENTS_MOST = 2000, RANKS_READ = 8 };

static void u32_set(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* The checksums of the head, of what blocks store, and of their heads. */
static void checksums_mend(uint8_t *p, size_t n, int which)
{
	size_t at = HEAD_BYTES;

	if (n >= HEAD_BYTES && which & 1)
		u32_set(p + 28, block_checksum(p, 28));
	while (at + BLOCK_BYTES <= n) {
		uint64_t stored = 0;

		for (int i = 0; i < 8; i++)
			stored |= (uint64_t)p[at + 24 + (size_t)i] << 8 * i;
		if (which & 2 && stored <= n - at - BLOCK_BYTES)
			u32_set(p + at + 32, block_checksum(p + at + BLOCK_BYTES, stored));
		if (which & 4)
			u32_set(p + at + 36, block_checksum(p + at, 36));
		if (stored > n - at - BLOCK_BYTES)
			return;
		at += BLOCK_BYTES + stored;
	}
}

static void trace_read(const char *path)
{
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open(path, 0, &err);

	for (uint32_t rank = 0; t && rank < trace_ranks(t) && rank < RANKS_READ; rank++)
		for (int i = 0; i < EVENTS_MOST && trace_next(t, rank, &ev, &err) > 0; i++)
			if (ev.op >= TRACE_OPS)
				abort();
	trace_close(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	uint8_t *copy;
	int fd;

	if (size < 1 || size > 1 << 16)
		return 0;
	copy = malloc(size);
	fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (!copy || fd < 0)
		abort();
	memcpy(copy, data + 1, size - 1);
	checksums_mend(copy, size - 1, data[0]);
	if (write(fd, copy, size - 1) != (ssize_t)(size - 1))
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	trace_read(path);
	close(fd);
	free(copy);
	return 0;
}
