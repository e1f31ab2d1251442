/* column.c: see column.h: growing and reading. The forms: column_int.h.
 *
 * Invariant: column_get of a checked column reads nothing outside of it. */
#include "column_int.h"

#include <stdlib.h>
#include <string.h>

/* --- growing --- */

int column_widen(struct column *c, int64_t value, struct err *err)
{
	int64_t *v = vec_grow(c->v, &c->cap, sizeof *v, (size_t)c->n + 1, "a column of a trace",
	                      err);

	if (!v)
		return -1;
	if (!c->v)
		for (uint32_t i = 0; i < c->n; i++)
			v[i] = c->same;
	c->v = v;
	c->v[c->n++] = value;
	return 0;
}

int column_repeat(struct column *c, int64_t value, uint32_t n, struct err *err)
{
	if (!c->v && (c->n == 0 || c->same == value)) {
		c->same = value;
		c->n += n;
		return 0;
	}
	for (uint32_t i = 0; i < n; i++)
		if (column_push(c, value, err) < 0)
			return -1;
	return 0;
}

int column_join(struct column *a, const struct column *b, struct err *err)
{
	if (!b->v)
		return column_repeat(a, b->same, b->n, err);
	for (uint32_t i = 0; i < b->n; i++)
		if (column_push(a, b->v[i], err) < 0)
			return -1;
	return 0;
}

int column_split(struct column *c, uint32_t k, struct column *tail, struct err *err)
{
	BUG_ON(k > c->n);
	for (uint32_t i = c->n - k; i < c->n; i++)
		if (column_push(tail, column_item(c, i), err) < 0)
			return -1;
	c->n -= k;
	return 0;
}

void column_release(struct column *c)
{
	free(c->v);
	*c = (struct column){0};
}

/* --- numbers --- */

void varint_put(struct str *s, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		str_putc(s, (char)(v | 0x80));
	str_putc(s, (char)v);
}

void zigzag_put(struct str *s, int64_t v)
{
	varint_put(s, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

const uint8_t *varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t got = 0;

	for (int shift = 0; p < end && shift < 64; shift += 7) {
		got |= (uint64_t)(*p & 0x7f) << shift;
		if (*p++ < 0x80) {
			*v = got;
			return p;
		}
	}
	return NULL;
}

const uint8_t *zigzag_get(const uint8_t *p, const uint8_t *end, int64_t *v)
{
	uint64_t u;

	p = varint_get(p, end, &u);
	if (p)
		*v = unzigzag(u);
	return p;
}

/* --- reading --- */

static const uint8_t *form_check(const uint8_t *p, const uint8_t *end, uint64_t n, int nesting);

static const uint8_t *bits_check(const uint8_t *p, const uint8_t *end, uint64_t n, uint64_t most)
{
	uint64_t width, bytes;

	p = varint_get(p, end, &width);
	if (!p || width > most || (width > 0 && n > (UINT64_MAX - 7) / width))
		return NULL;
	bytes = (n * width + 7) / 8;
	return bytes <= (uint64_t)(end - p) ? p + bytes : NULL;
}

/* Ends must rise, the last being n. */
static int ends_check(const uint8_t *p, uint64_t r, uint64_t n)
{
	int64_t last = 0;

	for (uint64_t i = 0; i < r; i++) {
		int64_t e = column_get(p, i);

		if (e <= last)
			return 0;
		last = e;
	}
	return (uint64_t)last == n;
}

static const uint8_t *pieces_check(const uint8_t *p, const uint8_t *end, uint64_t n, int nesting)
{
	const uint8_t *ends;
	uint64_t r;

	p = varint_get(p, end, &r);
	if (!p || r == 0 || r > n || r > PIECES_MOST)
		return NULL;
	ends = p;
	p = form_check(p, end, r, nesting);
	if (!p || !ends_check(ends, r, n))
		return NULL;
	p = form_check(p, end, r, nesting);
	return p ? form_check(p, end, r, nesting) : NULL;
}

/* Positions must rise, below n. */
static int positions_check(const uint8_t *p, uint64_t r, uint64_t n)
{
	int64_t last = -1;

	for (uint64_t k = 0; k < r; k++) {
		int64_t at = column_get(p, k);

		if (at <= last)
			return 0;
		last = at;
	}
	return (uint64_t)last < n;
}

static const uint8_t *exceptions_check(const uint8_t *p, const uint8_t *end, uint64_t n,
                                       int nesting)
{
	const uint8_t *at;
	uint64_t r;

	p = varint_get(p, end, &r);
	if (!p || r == 0 || r > n || r > EXCEPTIONS_MOST)
		return NULL;
	at = p;
	p = form_check(p, end, r, nesting);
	if (!p || !positions_check(at, r, n))
		return NULL;
	p = form_check(p, end, r, nesting);
	return p ? form_check(p, end, n, nesting) : NULL;
}

static const uint8_t *table_check(const uint8_t *p, const uint8_t *end, uint64_t n, int nesting)
{
	uint64_t d, width;

	p = varint_get(p, end, &d);
	if (!p || d == 0 || d > TABLE_MOST)
		return NULL;
	p = form_check(p, end, d, nesting);
	if (!p || !varint_get(p, end, &width))
		return NULL;
	varint_get(p, end, &width);
	p = bits_check(p, end, n, 8);
	return p && (d == TABLE_MOST || width == width_of(d - 1)) ? p : NULL;
}

static const uint8_t *form_check(const uint8_t *p, const uint8_t *end, uint64_t n, int nesting)
{
	uint64_t t;
	int64_t v;

	if (n == 0)
		return p;
	if (p >= end || nesting < 0)
		return NULL;
	switch (*p++) {
	case FORM_CONSTANT:
		return zigzag_get(p, end, &v);
	case FORM_LINE:
		p = zigzag_get(p, end, &v);
		return p ? zigzag_get(p, end, &v) : NULL;
	case FORM_PERIOD:
		p = varint_get(p, end, &t);
		return p && t > 0 && t <= n ? form_check(p, end, t, nesting - 1) : NULL;
	case FORM_PIECES:
		return pieces_check(p, end, n, nesting - 1);
	case FORM_TABLE:
		return table_check(p, end, n, nesting - 1);
	case FORM_PACKED:
		p = zigzag_get(p, end, &v);
		return p ? bits_check(p, end, n, WIDTH_MOST) : NULL;
	case FORM_RAW:
		return n <= (uint64_t)(end - p) / 8 ? p + 8 * n : NULL;
	case FORM_RISING:
		return rising_check(p, end, n);
	case FORM_EXCEPTIONS:
		return exceptions_check(p, end, n, nesting - 1);
	default:
		return NULL;
	}
}

const uint8_t *column_check(const uint8_t *p, const uint8_t *end, uint64_t n)
{
	return form_check(p, end, n, NESTING);
}

const uint8_t *column_skip(const uint8_t *p, uint64_t n)
{
	uint64_t u;
	int64_t v;

	switch (*p++) {
	case FORM_CONSTANT:
		return zigzag_read(p, &v);
	case FORM_LINE:
		return zigzag_read(zigzag_read(p, &v), &v);
	case FORM_PERIOD:
		p = varint_read(p, &u);
		return column_skip(p, u);
	case FORM_PIECES:
		p = varint_read(p, &u);
		return column_skip(column_skip(column_skip(p, u), u), u);
	case FORM_TABLE:
		p = varint_read(p, &u);
		p = varint_read(column_skip(p, u), &u);
		return p + (n * u + 7) / 8;
	case FORM_PACKED:
		p = varint_read(zigzag_read(p, &v), &u);
		return p + (n * u + 7) / 8;
	case FORM_RISING:
		return rising_skip(p, n);
	case FORM_EXCEPTIONS:
		p = varint_read(p, &u);
		return column_skip(column_skip(column_skip(p, u), u), n);
	default:
		return p + 8 * n;
	}
}

/* How many of n rising values are below x, and whether the next one is x. */
static uint64_t items_below(const uint8_t *p, uint64_t n, int64_t x, int *is_there)
{
	uint64_t low = 0, high = n;

	if (*p == FORM_RISING)
		return rising_below(p + 1, n, x, is_there);
	*is_there = 0;
	while (low < high) {
		uint64_t mid = (low + high) / 2;
		int64_t v = column_get(p, mid);

		if (v < x)
			low = mid + 1;
		else
			high = mid;
		*is_there |= v == x;
	}
	return low;
}

static int64_t piece_get(const uint8_t *p, uint64_t i)
{
	const uint8_t *first, *step;
	uint64_t r, k, from;
	int is_end;

	p = varint_read(p, &r);
	k = items_below(p, r, (int64_t)i + 1, &is_end);
	first = column_skip(p, r);
	step = column_skip(first, r);
	from = k ? (uint64_t)column_get(p, k - 1) : 0;
	return plus(column_get(first, k), (int64_t)((i - from) * (uint64_t)column_get(step, k)));
}

static int64_t exception_get(const uint8_t *p, uint64_t i)
{
	const uint8_t *value;
	uint64_t r, k;
	int is_there;

	p = varint_read(p, &r);
	k = items_below(p, r, (int64_t)i, &is_there);
	value = column_skip(p, r);
	return is_there ? column_get(value, k) : column_get(column_skip(value, r), i);
}

static int64_t table_get(const uint8_t *p, uint64_t i)
{
	uint64_t d, width, index;
	const uint8_t *bits;

	p = varint_read(p, &d);
	bits = varint_read(column_skip(p, d), &width);
	index = bits_get(bits, i, (unsigned)width);
	return column_get(p, index < d ? index : d - 1);
}

int64_t column_get(const uint8_t *p, uint64_t i)
{
	uint64_t u;
	int64_t v, w;

	switch (*p++) {
	case FORM_CONSTANT:
		zigzag_read(p, &v);
		return v;
	case FORM_LINE:
		zigzag_read(zigzag_read(p, &v), &w);
		return plus(v, (int64_t)(i * (uint64_t)w));
	case FORM_PERIOD:
		p = varint_read(p, &u);
		return column_get(p, i % u);
	case FORM_PIECES:
		return piece_get(p, i);
	case FORM_TABLE:
		return table_get(p, i);
	case FORM_PACKED:
		p = varint_read(zigzag_read(p, &v), &u);
		return plus(v, (int64_t)bits_get(p, i, (unsigned)u));
	case FORM_RISING:
		return rising_get(p, i);
	case FORM_EXCEPTIONS:
		return exception_get(p, i);
	default:
		memcpy(&v, p + 8 * i, sizeof v);
		return v;
	}
}

int column_is_constant(const uint8_t *p)
{
	return *p == FORM_CONSTANT;
}
