/* block.c: see block.h. All numbers are little-endian. */
#include "block.h"

#include <string.h>

/* As PNG's: not text, and damaged by whatever changes line ends or cuts the eighth bit. */
static const uint8_t magic[16] = {0x89, 'o', 'r', 'r', 'e', 'r',  'y',  '-',
                                  't',  'r', 'a', 'c', 'e', 0x0d, 0x0a, 0x1a};
static const uint8_t block_magic[4] = {'B', 'L', 'K', 0x0a};

static void u32_put(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void u64_put(uint8_t *p, uint64_t v)
{
	u32_put(p, (uint32_t)v);
	u32_put(p + 4, (uint32_t)(v >> 32));
}

static uint32_t u32_get(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64_get(const uint8_t *p)
{
	return u32_get(p) | (uint64_t)u32_get(p + 4) << 32;
}

void head_put(uint8_t out[HEAD_BYTES], uint32_t ranks)
{
	memset(out, 0, HEAD_BYTES);
	memcpy(out, magic, sizeof magic);
	u32_put(out + 16, TRACE_FILE_VERSION);
	u32_put(out + 20, ranks);
	u32_put(out + 28, block_checksum(out, 28));
}

int head_get(const uint8_t *p, size_t n, const char *path, uint32_t *ranks, struct err *err)
{
	if (n == 0 || memcmp(p, magic, n < sizeof magic ? n : sizeof magic) != 0)
		return 0;
	if (n < HEAD_BYTES)
		return err_set(err, ERR_INPUT,
		               "%s: a compressed trace that was cut at byte %zu, in its head: "
		               "nothing of it is left: copy it again from where it is whole, or "
		               "make it again",
		               path, n);
	if (u32_get(p + 28) != block_checksum(p, 28))
		return err_set(err, ERR_INPUT,
		               "%s: a compressed trace whose head is damaged: copy it again from "
		               "where it is whole, or make it again",
		               path);
	if (u32_get(p + 16) < TRACE_FILE_OLDEST || u32_get(p + 16) > TRACE_FILE_VERSION)
		return err_set(
		    err, ERR_INPUT,
		    "%s: a compressed trace of version %u: this program reads versions %d to %d",
		    path, u32_get(p + 16), TRACE_FILE_OLDEST, TRACE_FILE_VERSION);
	*ranks = u32_get(p + 20);
	return 1;
}

void block_put(uint8_t out[BLOCK_BYTES], const struct block *b)
{
	memset(out, 0, BLOCK_BYTES);
	memcpy(out, block_magic, sizeof block_magic);
	out[4] = b->kind;
	out[5] = b->packing;
	u32_put(out + 8, b->first);
	u32_put(out + 12, b->last);
	u64_put(out + 16, b->raw);
	u64_put(out + 24, b->stored);
	u32_put(out + 32, b->checksum);
	u32_put(out + 36, block_checksum(out, 36));
}

int block_get(const uint8_t *p, size_t n, struct block *b)
{
	if (n < BLOCK_BYTES || memcmp(p, block_magic, sizeof block_magic) != 0 ||
	    u32_get(p + 36) != block_checksum(p, 36))
		return -1;
	*b = (struct block){.kind = p[4],
	                    .packing = p[5],
	                    .first = u32_get(p + 8),
	                    .last = u32_get(p + 12),
	                    .raw = u64_get(p + 16),
	                    .stored = u64_get(p + 24),
	                    .checksum = u32_get(p + 32)};
	return 0;
}
