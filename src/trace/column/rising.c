/* rising.c: numbers that never fall, as positions and ends are (P. Elias, Efficient storage and
 * retrieval by content and address of static files, 1974; R. Fano 1971): column_int.h has the
 * form. The k-th of n numbers is first + (h << width | low[k]), where h zeros are before the k-th
 * one in the row of high bits.
 *
 * Invariant: of a form that was checked, nothing outside is read, whatever is asked. */
#include "column_int.h"

#include <string.h>

enum { BLOCK_BITS = 512, WORD_BITS = 64 };

struct rising {
	const uint8_t *directory, *high, *low;
	uint64_t first, bits; /* of the row: a one for each number, a zero for each step */
	unsigned width, count_width;
};

static uint64_t row_blocks(uint64_t bits)
{
	return (bits + BLOCK_BITS - 1) / BLOCK_BITS;
}

static uint64_t directory_bytes(uint64_t bits)
{
	return ((row_blocks(bits) - 1) * width_of(bits) + 7) / 8;
}

static void parts_find(struct rising *r, const uint8_t *p)
{
	r->count_width = width_of(r->bits);
	r->directory = p;
	r->high = p + directory_bytes(r->bits);
	r->low = r->high + (r->bits + 7) / 8;
}

static struct rising rising_read(const uint8_t *p)
{
	struct rising r;
	uint64_t width;
	int64_t first;

	p = varint_read(varint_read(zigzag_read(p, &first), &width), &r.bits);
	r.first = (uint64_t)first;
	r.width = (unsigned)width;
	parts_find(&r, p);
	return r;
}

const uint8_t *rising_skip(const uint8_t *p, uint64_t n)
{
	struct rising r = rising_read(p);

	return r.low + (n * r.width + 7) / 8;
}

/* --- the row of bits --- */

static unsigned ones_count(uint64_t x)
{
	x -= x >> 1 & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
	return (unsigned)(((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
	                      UINT64_C(0x0101010101010101) >>
	                  56);
}

/* The word from bit 64 w on; what is behind the row is 0. */
static uint64_t row_word(const struct rising *r, uint64_t w)
{
	uint64_t bytes = (r->bits + 7) / 8 - 8 * w, x = 0;

	memcpy(&x, r->high + 8 * w, bytes < 8 ? bytes : 8);
	return x;
}

/* How many ones are before a block. */
static uint64_t ones_before(const struct rising *r, uint64_t block)
{
	return block ? bits_get(r->directory, block - 1, r->count_width) : 0;
}

/* The same, or of zeros. */
static uint64_t bits_before(const struct rising *r, uint64_t block, int ones)
{
	uint64_t n = ones_before(r, block);

	return ones ? n : block * BLOCK_BITS - n;
}

/* Where the k-th one of a word is, if it has as many. */
static unsigned word_select(uint64_t x, unsigned k)
{
	unsigned at = 0;

	for (unsigned half = 32; half >= 8; half /= 2) {
		unsigned n = ones_count(x & (UINT64_MAX >> (WORD_BITS - half)));

		if (k < n)
			continue;
		k -= n;
		x >>= half;
		at += half;
	}
	for (; k > 0; k--)
		x &= x - 1;
	return at + (x ? (unsigned)__builtin_ctzll(x) : 0);
}

/* Where the k-th one is, or zero; behind the row if there are not so many. */
static uint64_t row_select(const struct rising *r, uint64_t k, int ones)
{
	uint64_t low = 0, high = row_blocks(r->bits) - 1, word, words = (r->bits + 63) / WORD_BITS;

	while (low < high) {
		uint64_t mid = (low + high + 1) / 2;

		if (bits_before(r, mid, ones) <= k)
			low = mid;
		else
			high = mid - 1;
	}
	k -= bits_before(r, low, ones);
	for (word = low * (BLOCK_BITS / WORD_BITS); word < words; word++) {
		uint64_t x = ones ? row_word(r, word) : ~row_word(r, word);
		unsigned n = ones_count(x);

		if (k < n)
			return word * WORD_BITS + word_select(x, (unsigned)k);
		k -= n;
	}
	return r->bits;
}

/* --- checked --- */

/* The ones of the row, counted through, are n, and as many as the directory says before each of its
 * blocks; the last bit is one. */
static int row_check(const struct rising *r, uint64_t n)
{
	uint64_t ones = 0, words = (r->bits + 63) / WORD_BITS, x = 0;

	for (uint64_t w = 0; w < words; w++) {
		if (w % (BLOCK_BITS / WORD_BITS) == 0 &&
		    ones_before(r, w / (BLOCK_BITS / WORD_BITS)) != ones)
			return 0;
		x = row_word(r, w);
		ones += ones_count(x);
	}
	return ones == n && width_of(x) == (r->bits - 1) % WORD_BITS + 1;
}

/* They do not fall, nor leave the integers. */
static int values_check(const struct rising *r, uint64_t n)
{
	uint64_t words = (r->bits + 63) / WORD_BITS, k = 0, last = 0;
	uint64_t room = (uint64_t)INT64_MAX - r->first;

	for (uint64_t w = 0; w < words; w++)
		for (uint64_t x = row_word(r, w); x; x &= x - 1, k++) {
			uint64_t high = w * WORD_BITS + (unsigned)__builtin_ctzll(x) - k,
			         v = high << r->width | bits_get(r->low, k, r->width);

			if (high << r->width >> r->width != high || v < last || v > room)
				return 0;
			last = v;
		}
	return k == n;
}

const uint8_t *rising_check(const uint8_t *p, const uint8_t *end, uint64_t n)
{
	uint64_t width, bytes;
	struct rising r;
	int64_t first;

	p = zigzag_get(p, end, &first);
	p = p ? varint_get(p, end, &width) : NULL;
	p = p ? varint_get(p, end, &r.bits) : NULL;
	if (!p || width > WIDTH_MOST || r.bits < n || r.bits / 8 > (uint64_t)(end - p))
		return NULL;
	r.first = (uint64_t)first;
	r.width = (unsigned)width;
	bytes = directory_bytes(r.bits) + (r.bits + 7) / 8 + (n * width + 7) / 8;
	if (bytes > (uint64_t)(end - p))
		return NULL;
	parts_find(&r, p);
	return row_check(&r, n) && values_check(&r, n) ? p + bytes : NULL;
}

/* --- read --- */

int64_t rising_get(const uint8_t *p, uint64_t k)
{
	struct rising r = rising_read(p);
	uint64_t high = row_select(&r, k, 1) - k;

	return (int64_t)(r.first + (high << r.width | bits_get(r.low, k, r.width)));
}

uint64_t rising_below(const uint8_t *p, uint64_t n, int64_t x, int *is_there)
{
	struct rising r = rising_read(p);
	uint64_t away = (uint64_t)x - r.first, high = away >> r.width, from, to,
	         low = away - (high << r.width);

	*is_there = 0;
	if (x < (int64_t)r.first)
		return 0;
	if (high > r.bits - n)
		return n;
	/* Those with the same high bits, and of these the first that is not below. */
	from = high ? row_select(&r, high - 1, 0) + 1 - high : 0;
	to = row_select(&r, high, 0) - high;
	while (from < to) {
		uint64_t mid = (from + to) / 2, v = bits_get(r.low, mid, r.width);

		if (v < low)
			from = mid + 1;
		else
			to = mid;
		*is_there |= v == low;
	}
	return from;
}

/* --- written --- */

/* The low bits that make it shortest. */
static unsigned low_width(uint64_t range, uint64_t n)
{
	unsigned width = 0;

	while (width < WIDTH_MOST && range >> width >> 1 > n)
		width++;
	return width;
}

size_t rising_bytes(const int64_t *v, uint64_t n)
{
	uint64_t range = (uint64_t)v[n - 1] - (uint64_t)v[0], bits;
	unsigned width = low_width(range, n);

	bits = n + (range >> width);
	return 6 + directory_bytes(bits) + bits / 8 + n * width / 8;
}

unsigned rising_reads(const int64_t *v, uint64_t n)
{
	uint64_t range = (uint64_t)v[n - 1] - (uint64_t)v[0];

	return 3 + width_of(row_blocks(n + (range >> low_width(range, n))));
}

static void row_put(struct bits *b, const int64_t *v, uint64_t n, unsigned width)
{
	uint64_t high = 0;

	for (uint64_t k = 0; k < n; k++) {
		uint64_t h = ((uint64_t)v[k] - (uint64_t)v[0]) >> width;

		for (; high < h; high++)
			bits_add(b, 0);
		bits_add(b, 1);
	}
}

/* What is before each block but the first, told by where the ones are. */
static void directory_put(struct bits *b, const int64_t *v, uint64_t n, unsigned width,
                          uint64_t blocks)
{
	uint64_t k = 0;

	for (uint64_t block = 1; block < blocks; block++) {
		while (k < n &&
		       (((uint64_t)v[k] - (uint64_t)v[0]) >> width) + k < block * BLOCK_BITS)
			k++;
		bits_add(b, k);
	}
}

void rising_put(struct str *s, const int64_t *v, uint64_t n)
{
	uint64_t range = (uint64_t)v[n - 1] - (uint64_t)v[0], bits;
	unsigned width = low_width(range, n);
	struct bits b;

	bits = n + (range >> width);
	str_putc(s, FORM_RISING);
	zigzag_put(s, v[0]);
	varint_put(s, width);
	varint_put(s, bits);
	bits_begin(&b, s, width_of(bits));
	directory_put(&b, v, n, width, row_blocks(bits));
	bits_end(&b);
	bits_begin(&b, s, 1);
	row_put(&b, v, n, width);
	bits_end(&b);
	bits_begin(&b, s, width);
	for (uint64_t k = 0; k < n; k++)
		bits_add(&b, ((uint64_t)v[k] - (uint64_t)v[0]) & ((UINT64_C(1) << width) - 1));
	bits_end(&b);
}
