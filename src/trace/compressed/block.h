/* block.h: what a compressed trace's file is made of: a head, then blocks, each with its length,
 * how it is packed and a checksum, so that a file that was cut off is read up to there. */
#ifndef ORRERY_TRACE_BLOCK_H
#define ORRERY_TRACE_BLOCK_H

#include "base/base.h"

enum block_kind {
	BLOCK_TEXT = 1, /* what the run was, as a manifest */
	BLOCK_STRUCTURE,
	BLOCK_SHARED, /* its costs of which each member has one value */
	BLOCK_COSTS,  /* of members first to last of the structure before it */
	BLOCK_END,    /* nothing is missing */
	BLOCK_NOTES,  /* of the tracer: "key value" lines */
	BLOCK_BUNDLE, /* of no trace: a chapter of one rank that is not merged yet (pack.h) */
};
enum block_packing { BLOCK_PLAIN, BLOCK_ZSTD, BLOCK_ZLIB, BLOCK_PACKINGS };
enum { HEAD_BYTES = 32, BLOCK_BYTES = 40, TRACE_FILE_VERSION = 4, TRACE_FILE_OLDEST = 2 };

struct block {
	uint8_t kind, packing;
	uint32_t first, last;
	uint32_t checksum; /* CRC-32 of what is stored */
	uint64_t raw, stored;
};

/* The head of a file of so many ranks. */
void head_put(uint8_t out[HEAD_BYTES], uint32_t ranks);
/* 1: it is one, 0: it is something else, -1: a version that we do not know, or it is damaged. */
int head_get(const uint8_t *p, size_t n, const char *path, uint32_t *ranks, struct err *err);
void block_put(uint8_t out[BLOCK_BYTES], const struct block *b);
/* 0, or -1: it is no block. */
int block_get(const uint8_t *p, size_t n, struct block *b);

/* block_pack.c, which alone needs the libraries: CRC-32; n bytes packed into out (n bytes) where
 * this saves an eighth and more: their number, else 0; and back: 0, -1 damaged, 1 packed in a way
 * that this program was built without, 2 no memory to unpack. */
uint32_t block_checksum(const void *p, size_t n);
size_t block_pack(const void *in, size_t n, void *out, enum block_packing *packing);
int block_unpack(enum block_packing packing, const void *in, size_t stored, void *out, size_t n);

#endif
