/* rec_int.h: the recording's file format, shared by its writer and its reader.
 * docs/recording-format.md is the specification.
 *
 *   file   = header block*
 *   header = magic, version, byte order mark
 *   block  = 48-byte block header, payload (packed by zstd or zlib, or as it is)
 *
 * A block stands alone: its header says how long it is, so that a reader can walk over the file
 * without unpacking, and two checksums say whether header and payload are whole. Everything is
 * little-endian. */
#ifndef ORRERY_REC_INT_H
#define ORRERY_REC_INT_H

#include "observe.h"

#include <assert.h>

enum {
	REC_VERSION = 1,
	REC_HEADER = 16,           /* bytes of the file header */
	REC_BLOCK_HEADER = 48,     /* bytes of a block header */
	REC_BLOCK_RECORDS = 16384, /* states or messages per block */
	REC_TEXT_BLOCK = 256 *
	                 1024, /* size from which blocks of texts and communicators are written */
	REC_BLOCK_MAX = 64 * 1024 *
	                1024, /* bytes of a payload, packed or not: a reader refuses more */
	REC_RANKS_MAX = 1 << 27,
};
#define REC_MAGIC "\x89ORRERY\n"
#define REC_ORDER 0x01020304u

#define REC_KIND(a, b, c, d) \
	((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum rec_block_kind {
	BLOCK_INFO = REC_KIND('I', 'N', 'F', 'O'), /* key NUL value NUL … */
	BLOCK_CALL = REC_KIND(
	    'C', 'A', 'L',
	    'L'), /* names of calls, each NUL-terminated, in the order of their numbers */
	BLOCK_HOST = REC_KIND('H', 'O', 'S',
	                      'T'), /* names of the hosts of the next ranks, each NUL-terminated */
	BLOCK_STATE = REC_KIND('S', 'T', 'A', 'T'),   /* columns */
	BLOCK_MESSAGE = REC_KIND('M', 'E', 'S', 'G'), /* columns */
	BLOCK_COMM = REC_KIND('C', 'O', 'M',
	                      'M'), /* per communicator: number, n, n members; 32 bits each */
	BLOCK_DONE = REC_KIND(
	    'D', 'O', 'N',
	    'E'), /* states, messages, comms: 64 bits each; makespan: a double. The last block */
};

enum rec_packing { PACKED_NOT, PACKED_ZSTD, PACKED_ZLIB, PACKINGS };

struct rec_block {
	uint32_t kind, packing;
	uint32_t stored, raw; /* bytes of the payload: in the file, unpacked */
	uint32_t records;
	uint32_t checksum;  /* CRC-32 of the payload as stored */
	double first, last; /* dates of the records: the least and the greatest; 0 without dates */
};

/* Headers to and from bytes; parse: 0, or -1 when the header is not whole or makes no sense. */
void rec_block_format(const struct rec_block *b, uint8_t out[REC_BLOCK_HEADER]);
int rec_block_parse(const uint8_t in[REC_BLOCK_HEADER], struct rec_block *b);

void rec_put32(uint8_t *at, uint32_t v);
void rec_put64(uint8_t *at, uint64_t v);
void rec_put_double(uint8_t *at, double v);
uint32_t rec_get32(const uint8_t *at);
uint64_t rec_get64(const uint8_t *at);
double rec_get_double(const uint8_t *at);

/* Columns: which field of a record is written as how many bytes. In a payload, column after column,
 * and in a column, byte plane after byte plane (the lowest bytes of all records, then the next):
 * the high bytes of dates are nearly constant and pack to nothing. */
struct rec_column {
	uint16_t offset; /* in struct rec_state or rec_message */
	uint8_t memory;  /* bytes of the field */
	uint8_t file;    /* bytes written, from the lowest */
};
struct rec_table {
	const struct rec_column *columns;
	uint32_t n, stride; /* stride: size of the struct */
	uint32_t record;    /* bytes of a record in a payload */
};
extern const struct rec_table rec_states, rec_messages;
void rec_columns_write(const struct rec_table *t, const void *records, uint32_t n, uint8_t *out);
void rec_columns_read(const struct rec_table *t, const uint8_t *in, uint32_t n,
                      void *records); /* other bytes of records: 0 */

/* Packs n bytes into *out (cap bytes) and returns how many it took, or 0 when they would not
 * shrink. */
size_t rec_pack(const void *in, size_t n, void *out, size_t cap, enum rec_packing *packing);
enum { UNPACK_NOMEM = 2 };
/* 0 when exactly n bytes came out; -1 when damaged; UNPACK_NOMEM; 1 when this program was built
 * without that packing. */
int rec_unpack(enum rec_packing packing, const void *in, size_t stored, void *out, size_t n);
uint32_t rec_checksum(const void *data, size_t n);

/* Keys of the INFO block, in the order of struct run_info's texts. */
enum { REC_TEXTS = 10 };
extern const char *const rec_text_keys[REC_TEXTS];
const char **rec_text(struct run_info *info, int i); /* the i-th text of info */

#endif
