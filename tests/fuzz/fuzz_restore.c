/* fuzz_restore.c: any bytes as what two ranks left of themselves, chapters and logs: the folder
 * becomes text, or one file, and these are read or refused. The input is split in four by three
 * numbers of 16 bits at its beginning; checksums of chapters are made right first but where the
 * first bit says not to. */
#include "fuzz/fuzz.h"
#include "trace/compressed/block.h"
#include "trace/compressed/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS_MOST = 1000, FILES = 4 };
static const char *const names[FILES] = {"rank-0.part", "rank-0.log", "rank-1.part", "rank-1.log"};

static void u32_set(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void checksums_mend(uint8_t *p, size_t n)
{
	for (size_t at = 0; at + BLOCK_BYTES <= n;) {
		uint64_t stored = 0;

		for (int i = 0; i < 8; i++)
			stored |= (uint64_t)p[at + 24 + (size_t)i] << 8 * i;
		if (stored > n - at - BLOCK_BYTES)
			return;
		u32_set(p + at + 32, block_checksum(p + at + BLOCK_BYTES, stored));
		u32_set(p + at + 36, block_checksum(p + at, 36));
		at += BLOCK_BYTES + stored;
	}
}

static void file_write(const char *dir, int i, const uint8_t *p, size_t n)
{
	char path[128];
	FILE *f;

	if (n == 0)
		return;
	snprintf(path, sizeof path, "%s/%s", dir, names[i]);
	f = fopen(path, "wb");
	if (!f)
		abort();
	if (i % 2 == 1)
		fputs(LOG_MAGIC, f);
	fwrite(p, 1, n, f);
	fclose(f);
}

static void files_write(const char *dir, const uint8_t *data, size_t size)
{
	size_t at = 7;

	for (int i = 0; i < FILES; i++) {
		size_t n = i < 3 ? data[1 + 2 * i] | (size_t)data[2 + 2 * i] << 8 : size;
		uint8_t *copy;

		n = n < size - at ? n : size - at;
		copy = malloc(n + 1);
		if (!copy)
			abort();
		memcpy(copy, data + at, n);
		if (i % 2 == 0 && !(data[0] & 1))
			checksums_mend(copy, n);
		file_write(dir, i, copy, n);
		free(copy);
		at += n;
	}
}

static void trace_read(const char *dir)
{
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open(dir, 0, &err);

	for (uint32_t rank = 0; t && rank < trace_ranks(t) && rank < 2; rank++)
		for (int i = 0; i < EVENTS_MOST && trace_next(t, rank, &ev, &err) > 0; i++)
			if (ev.op >= TRACE_OPS)
				abort();
	trace_close(t);
}

static void folder_empty(const char *dir)
{
	static const char *const made[] = {"rank-0.part", "rank-0.log", "rank-1.part", "rank-1.log",
	                                   "rank-0.tit",  "rank-1.tit", "events"};
	char path[128];

	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, made[i]);
		unlink(path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char dir[] = "/tmp/orrery-fuzz-XXXXXX";
	struct err err;

	if (size < 8 || size > 1 << 16)
		return 0;
	if (!mkdtemp(dir))
		abort();
	files_write(dir, data, size);
	if (trace_folder_restore(dir, &err) > 0)
		trace_read(dir);
	folder_empty(dir);
	files_write(dir, data, size);
	if (trace_folder_join(dir, 2, &err) >= 0)
		trace_read(dir);
	folder_empty(dir);
	rmdir(dir);
	return 0;
}
