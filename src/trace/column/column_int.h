/* column_int.h: the forms of a written column, each a byte followed by what it needs (numbers are
 * varints):
 *
 *   constant   value                        v[i] = value
 *   line       value step                   v[i] = value + step i
 *   period     t column(t)                  v[i] = c[i mod t]
 *   pieces     r column(r) ends, column(r) first values, column(r) steps
 *   table      d column(d) values, width, packed indices
 *   packed     least width, bits            v[i] = least + bits i
 *   raw        eight bytes each
 *   rising     first width bits, directory, row, low bits           (rising.c)
 *   exceptions r column(r) positions, column(r) values, column(n)
 *                                           v[i] = values[k] if positions[k] = i, else c[i] */
#ifndef ORRERY_TRACE_COLUMN_INT_H
#define ORRERY_TRACE_COLUMN_INT_H

#include "column.h"

enum form {
	FORM_CONSTANT,
	FORM_LINE,
	FORM_PERIOD,
	FORM_PIECES,
	FORM_TABLE,
	FORM_PACKED,
	FORM_RAW,
	FORM_RISING = COLUMN_DRAWN + 1,
	FORM_EXCEPTIONS
};
enum {
	WIDTH_MOST = 56,
	NESTING = 6,
	TABLE_MOST = 256,
	PIECES_MOST = 1 << 20,
	EXCEPTIONS_MOST = 1 << 20
};

static inline unsigned width_of(uint64_t range)
{
	return range ? 64 - (unsigned)__builtin_clzll(range) : 0;
}
static inline int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}
static inline int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Numbers where they are known to be there. */
static inline int64_t unzigzag(uint64_t u)
{
	return (int64_t)(u >> 1 ^ (0 - (u & 1)));
}
static inline const uint8_t *varint_read(const uint8_t *p, uint64_t *v)
{
	uint64_t got = *p & 0x7f;

	for (int shift = 7; *p++ & 0x80; shift += 7)
		got |= (uint64_t)(*p & 0x7f) << shift;
	*v = got;
	return p;
}
static inline const uint8_t *zigzag_read(const uint8_t *p, int64_t *v)
{
	uint64_t u;

	p = varint_read(p, &u);
	*v = unzigzag(u);
	return p;
}

/* At most 56 bits, from any bit on; bytes behind the last one that has some are not read. */
static inline uint64_t bits_get(const uint8_t *p, uint64_t i, unsigned width)
{
	uint64_t bit = i * width, v;
	unsigned shift = bit & 7, bytes = (shift + width + 7) / 8;

	if (width == 0)
		return 0;
	p += bit / 8;
	v = *p; /* few: in a register, where a copy of so many would wait for itself */
	for (unsigned k = 1; k < bytes; k++)
		v |= (uint64_t)p[k] << 8 * k;
	return v >> shift & (UINT64_MAX >> (64 - width));
}

/* Bits on their way into a str. */
enum { BITS_WORDS = 64 };
struct bits {
	struct str *s;
	uint64_t word[BITS_WORDS], now;
	unsigned words, have, width;
};
static inline void bits_begin(struct bits *b, struct str *s, unsigned width)
{
	b->s = s;
	b->now = 0;
	b->words = b->have = 0;
	b->width = width;
}
static inline void bits_add(struct bits *b, uint64_t x)
{
	b->now |= x << b->have;
	b->have += b->width;
	if (b->have < 64)
		return;
	b->have -= 64;
	b->word[b->words++] = b->now;
	b->now = b->have ? x >> (b->width - b->have) : 0;
	if (b->words < BITS_WORDS)
		return;
	str_putn(b->s, (const char *)b->word, sizeof b->word);
	b->words = 0;
}
static inline void bits_end(struct bits *b)
{
	str_putn(b->s, (const char *)b->word, b->words * sizeof *b->word);
	str_putn(b->s, (const char *)&b->now, (b->have + 7) / 8);
}

/* Where a checked column of n values ends: what comes after it is to be read. */
const uint8_t *column_skip(const uint8_t *p, uint64_t n);

/* --- rising.c: n > 0 numbers that do not fall; p is behind the byte of the form --- */

/* About how many bytes they take; the reads of bytes that one of them takes, or a search. */
size_t rising_bytes(const int64_t *v, uint64_t n);
unsigned rising_reads(const int64_t *v, uint64_t n);
void rising_put(struct str *s, const int64_t *v, uint64_t n); /* with the form */
const uint8_t *rising_check(const uint8_t *p, const uint8_t *end, uint64_t n);
const uint8_t *rising_skip(const uint8_t *p, uint64_t n);
int64_t rising_get(const uint8_t *p, uint64_t k);
/* How many are below x, and whether the next one is x. */
uint64_t rising_below(const uint8_t *p, uint64_t n, int64_t x, int *is_there);

/* --- exceptions.c --- */

/* v is value[k] at at[k], for k < r, and rest[i] at all other i < n. */
struct exceptions {
	int64_t *at, *value, *rest;
	uint64_t r;
};
/* Which of v are exceptions: 1 if the form is worth trying against one of `size` bytes. */
int exceptions_find(struct exceptions *e, const int64_t *v, uint64_t n, size_t size);
void exceptions_release(struct exceptions *e);

#endif
