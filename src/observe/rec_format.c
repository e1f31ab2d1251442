/* rec_format.c: the recording as bytes: numbers, block headers, columns. */
#include "rec_int.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define COLUMN(type, field, file) \
	{ \
		offsetof(struct type, field), sizeof(((struct type *)0)->field), file \
	}
static const struct rec_column state_columns[] = {
    COLUMN(rec_state, rank, 4),    COLUMN(rec_state, call, 2),  COLUMN(rec_state, flags, 1),
    COLUMN(rec_state, partner, 4), COLUMN(rec_state, enter, 8), COLUMN(rec_state, leave, 8),
    COLUMN(rec_state, bytes, 8),   COLUMN(rec_state, wait, 8),
};
static const struct rec_column message_columns[] = {
    COLUMN(rec_message, from, 4), COLUMN(rec_message, to, 4),    COLUMN(rec_message, tag, 4),
    COLUMN(rec_message, comm, 4), COLUMN(rec_message, coll, 1),  COLUMN(rec_message, bytes, 8),
    COLUMN(rec_message, sent, 8), COLUMN(rec_message, moved, 8), COLUMN(rec_message, received, 8),
};
const struct rec_table rec_states = {state_columns, sizeof state_columns / sizeof *state_columns,
                                     sizeof(struct rec_state), 43};
const struct rec_table rec_messages = {message_columns,
                                       sizeof message_columns / sizeof *message_columns,
                                       sizeof(struct rec_message), 49};
static_assert(sizeof(enum mp_call) == 4, "a call is read as four bytes");

/* Where byte b (0: the lowest) of a number of `size` bytes lies in memory. */
static size_t byte_at(size_t size, size_t b)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? b : size - 1 - b;
}

void rec_columns_write(const struct rec_table *t, const void *records, uint32_t n, uint8_t *out)
{
	uint32_t c, b, i;

	for (c = 0; c < t->n; c++) {
		for (b = 0; b < t->columns[c].file; b++) {
			const uint8_t *in = (const uint8_t *)records + t->columns[c].offset +
			                    byte_at(t->columns[c].memory, b);
			for (i = 0; i < n; i++)
				*out++ = in[(size_t)i * t->stride];
		}
	}
}

void rec_columns_read(const struct rec_table *t, const uint8_t *in, uint32_t n, void *records)
{
	uint32_t c, b, i;

	memset(records, 0, (size_t)n * t->stride);
	for (c = 0; c < t->n; c++) {
		for (b = 0; b < t->columns[c].file; b++) {
			uint8_t *out = (uint8_t *)records + t->columns[c].offset +
			               byte_at(t->columns[c].memory, b);
			for (i = 0; i < n; i++)
				out[(size_t)i * t->stride] = *in++;
		}
	}
}

static void put_bytes(uint8_t *at, uint64_t v, int n)
{
	int i;

	for (i = 0; i < n; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

void rec_put32(uint8_t *at, uint32_t v)
{
	put_bytes(at, v, 4);
}

void rec_put64(uint8_t *at, uint64_t v)
{
	put_bytes(at, v, 8);
}

void rec_put_double(uint8_t *at, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	rec_put64(at, bits);
}

uint64_t rec_get64(const uint8_t *at)
{
	uint64_t v = 0;
	int i;

	for (i = 7; i >= 0; i--)
		v = v << 8 | at[i];
	return v;
}

uint32_t rec_get32(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

double rec_get_double(const uint8_t *at)
{
	uint64_t bits = rec_get64(at);
	double v;

	memcpy(&v, &bits, sizeof v);
	return v;
}

void rec_block_format(const struct rec_block *b, uint8_t out[REC_BLOCK_HEADER])
{
	memset(out, 0, REC_BLOCK_HEADER);
	rec_put32(out, b->kind);
	rec_put32(out + 4, b->packing);
	rec_put32(out + 8, b->stored);
	rec_put32(out + 12, b->raw);
	rec_put32(out + 16, b->records);
	rec_put32(out + 20, b->checksum);
	rec_put_double(out + 24, b->first);
	rec_put_double(out + 32, b->last);
	rec_put32(out + 44, rec_checksum(out, 44));
}

static int block_makes_sense(const struct rec_block *b)
{
	if (b->stored > REC_BLOCK_MAX || b->raw > REC_BLOCK_MAX || b->packing >= PACKINGS)
		return 0;
	if (b->packing == PACKED_NOT && b->stored != b->raw)
		return 0;
	return isfinite(b->first) && isfinite(b->last);
}

int rec_block_parse(const uint8_t in[REC_BLOCK_HEADER], struct rec_block *b)
{
	if (rec_get32(in + 44) != rec_checksum(in, 44))
		return -1;
	*b = (struct rec_block){
	    .kind = rec_get32(in),
	    .packing = rec_get32(in + 4),
	    .stored = rec_get32(in + 8),
	    .raw = rec_get32(in + 12),
	    .records = rec_get32(in + 16),
	    .checksum = rec_get32(in + 20),
	    .first = rec_get_double(in + 24),
	    .last = rec_get_double(in + 32),
	};
	return block_makes_sense(b) ? 0 : -1;
}

const char *const rec_text_keys[REC_TEXTS] = {"program", "machine", "model", "settings",
                                              "trace",   "date",    "trust", "critical-path",
                                              "failure", "what-if"};

const char **rec_text(struct run_info *info, int i)
{
	const char **texts[REC_TEXTS] = {
	    &info->program, &info->machine, &info->model, &info->settings, &info->trace,
	    &info->date,    &info->trust,   &info->path,  &info->failure,  &info->what_if};

	return texts[i];
}
