/* block_pack.c: packing of blocks: zstd, or zlib where that was not there at build time; zlib's
 * CRC-32 (ISO 3309). */
#include "block.h"

#include <string.h>
#include <zlib.h>
#ifdef ORRERY_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

enum { ZSTD_LEVEL = 12, ZLIB_LEVEL = 6, LARGE = 64 << 10, ZSTD_QUICK = 3 };

#ifdef ORRERY_HAVE_ZSTD
static size_t best_pack(const void *in, size_t n, void *out, size_t cap)
{
	size_t got = ZSTD_compress(out, cap, in, n, n > LARGE ? ZSTD_QUICK : ZSTD_LEVEL);

	return ZSTD_isError(got) ? 0 : got;
}

static int zstd_unpack(const void *in, size_t stored, void *out, size_t n)
{
	size_t got = ZSTD_decompress(out, n, in, stored);

	if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
		return 2;
	return got == n ? 0 : -1;
}
static const enum block_packing best = BLOCK_ZSTD;
#else
static size_t best_pack(const void *in, size_t n, void *out, size_t cap)
{
	uLongf got = cap;

	return compress2(out, &got, in, n, ZLIB_LEVEL) == Z_OK ? got : 0;
}

static int zstd_unpack(const void *in, size_t stored, void *out, size_t n)
{
	return (void)in, (void)stored, (void)out, (void)n, 1;
}
static const enum block_packing best = BLOCK_ZLIB;
#endif

uint32_t block_checksum(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}

size_t block_pack(const void *in, size_t n, void *out, enum block_packing *packing)
{
	size_t got = n > 8 ? best_pack(in, n, out, n - n / 8) : 0;

	*packing = got ? best : BLOCK_PLAIN;
	return got;
}

int block_unpack(enum block_packing packing, const void *in, size_t stored, void *out, size_t n)
{
	uLongf got = n;
	int r;

	if (packing == BLOCK_ZSTD)
		return zstd_unpack(in, stored, out, n);
	if (packing == BLOCK_ZLIB) {
		r = uncompress(out, &got, in, stored);
		return r == Z_MEM_ERROR ? 2 : r == Z_OK && got == n ? 0 : -1;
	}
	if (stored != n)
		return -1;
	memcpy(out, in, n);
	return 0;
}
