/* column.c: see column.h. The forms, each a byte followed by what it needs (numbers are varints):
 *
 *   constant   value                        v[i] = value
 *   line       value step                   v[i] = value + step i
 *   period     t column(t)                  v[i] = c[i mod t]
 *   pieces     r column(r) ends, column(r) first values, column(r) steps
 *   table      d column(d) values, width, packed indices
 *   packed     least width, bits            v[i] = least + bits i
 *   raw        eight bytes each
 *
 * Invariant: column_get of a checked column reads nothing outside of it. */
#include "column.h"

#include <stdlib.h>
#include <string.h>

enum form {
	FORM_CONSTANT,
	FORM_LINE,
	FORM_PERIOD,
	FORM_PIECES,
	FORM_TABLE,
	FORM_PACKED,
	FORM_RAW,
	FORMS
};
enum { WIDTH_MOST = 56, NESTING = 6, TABLE_MOST = 256, PIECES_MOST = 1 << 20 };

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

static int64_t unzigzag(uint64_t u)
{
	return (int64_t)(u >> 1 ^ (0 - (u & 1)));
}

const uint8_t *zigzag_get(const uint8_t *p, const uint8_t *end, int64_t *v)
{
	uint64_t u;

	p = varint_get(p, end, &u);
	if (p)
		*v = unzigzag(u);
	return p;
}

/* The same where it is known to be there. */
static const uint8_t *varint_read(const uint8_t *p, uint64_t *v)
{
	uint64_t got = *p & 0x7f;

	for (int shift = 7; *p++ & 0x80; shift += 7)
		got |= (uint64_t)(*p & 0x7f) << shift;
	*v = got;
	return p;
}

static const uint8_t *zigzag_read(const uint8_t *p, int64_t *v)
{
	uint64_t u;

	p = varint_read(p, &u);
	*v = unzigzag(u);
	return p;
}

/* --- writing --- */

static void form_put(struct str *s, const int64_t *v, uint64_t n, int nesting);

static int64_t minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* How many of the n values from v on lie on a line: at least 1. */
static uint64_t line_length(const int64_t *v, uint64_t n)
{
	uint64_t k = 2;

	if (n < 2)
		return n;
	while (k < n && minus(v[k], v[k - 1]) == minus(v[1], v[0]))
		k++;
	return k;
}

/* The pieces are lines of three values and more, runs of two, and single values. */
static uint64_t piece_length(const int64_t *v, uint64_t n)
{
	uint64_t k = line_length(v, n);

	return k > 2 || n < 2 || v[0] == v[1] ? k : 1;
}

static unsigned width_of(uint64_t range)
{
	return range ? 64 - (unsigned)__builtin_clzll(range) : 0;
}

static void bits_put(struct str *s, const int64_t *v, uint64_t n, int64_t least, unsigned width)
{
	unsigned __int128 acc = 0;
	unsigned have = 0;
	uint64_t word;

	for (uint64_t i = 0; i < n; i++) {
		acc |= (unsigned __int128)((uint64_t)v[i] - (uint64_t)least) << have;
		have += width;
		if (have < 64)
			continue;
		word = (uint64_t)acc;
		str_putn(s, (const char *)&word, sizeof word);
		have -= 64;
		acc >>= 64;
	}
	word = (uint64_t)acc;
	str_putn(s, (const char *)&word, (have + 7) / 8);
}

static void packed_put(struct str *s, const int64_t *v, uint64_t n)
{
	int64_t least = v[0], most = v[0];
	unsigned width;

	for (uint64_t i = 1; i < n; i++) {
		least = v[i] < least ? v[i] : least;
		most = v[i] > most ? v[i] : most;
	}
	width = width_of((uint64_t)most - (uint64_t)least);
	if (width > WIDTH_MOST) {
		str_putc(s, FORM_RAW);
		str_putn(s, (const char *)v, n * sizeof *v);
		return;
	}
	str_putc(s, FORM_PACKED);
	zigzag_put(s, least);
	varint_put(s, width);
	bits_put(s, v, n, least, width);
}

/* The shortest t that v repeats after, or n: the failure function of Knuth, Morris and Pratt. */
static uint64_t period_find(const int64_t *v, uint64_t n)
{
	uint32_t *fail, k = 0;
	uint64_t t;

	fail = n < UINT32_MAX ? malloc(n * sizeof *fail) : NULL;
	if (!fail)
		return n;
	fail[0] = 0;
	for (uint32_t i = 1; i < n; i++) {
		while (k > 0 && v[i] != v[k])
			k = fail[k - 1];
		k += v[i] == v[k];
		fail[i] = k;
	}
	t = n - k;
	free(fail);
	return t;
}

static void period_put(struct str *s, const int64_t *v, uint64_t t, int nesting)
{
	str_putc(s, FORM_PERIOD);
	varint_put(s, t);
	form_put(s, v, t, nesting);
}

/* The pieces, unless there are more than `most`. */
static void pieces_put(struct str *s, const int64_t *v, uint64_t n, uint64_t most, int nesting)
{
	int64_t *ends, *first, *step;
	uint64_t r = 0;

	most = most < PIECES_MOST ? most : PIECES_MOST;
	ends = malloc(3 * most * sizeof *ends);
	if (!ends)
		return;
	first = ends + most;
	step = first + most;
	for (uint64_t i = 0, k; i < n; i += k) {
		if (r == most)
			goto out;
		k = piece_length(v + i, n - i);
		ends[r] = (int64_t)(i + k);
		first[r] = v[i];
		step[r++] = k > 1 ? minus(v[i + 1], v[i]) : 0;
	}
	str_putc(s, FORM_PIECES);
	varint_put(s, r);
	form_put(s, ends, r, nesting);
	form_put(s, first, r, nesting);
	form_put(s, step, r, nesting);
out:
	free(ends);
}

static int value_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The different values of v, sorted; 0 if there are more than TABLE_MOST. */
static uint32_t values_find(const int64_t *v, uint64_t n, int64_t value[TABLE_MOST])
{
	int64_t slot[4 * TABLE_MOST];
	uint8_t used[4 * TABLE_MOST] = {0};
	uint32_t d = 0;

	for (uint64_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)hash_mix((uint64_t)v[i]) % (4 * TABLE_MOST);

		while (used[at] && slot[at] != v[i])
			at = (at + 1) % (4 * TABLE_MOST);
		if (used[at])
			continue;
		if (d == TABLE_MOST)
			return 0;
		used[at] = 1;
		slot[at] = value[d++] = v[i];
	}
	qsort(value, d, sizeof *value, value_compare);
	return d;
}

static void table_put(struct str *s, const int64_t *v, uint64_t n, int nesting)
{
	int64_t value[TABLE_MOST], *index;
	uint32_t d = values_find(v, n, value);

	index = d && d < n / 2 ? malloc(n * sizeof *index) : NULL;
	if (!index)
		return;
	for (uint64_t i = 0; i < n; i++)
		index[i] = (int64_t *)bsearch(&v[i], value, d, sizeof *value, value_compare) -
		           value;
	str_putc(s, FORM_TABLE);
	varint_put(s, d);
	form_put(s, value, d, nesting);
	varint_put(s, width_of(d - 1));
	bits_put(s, index, n, 0, width_of(d - 1));
	free(index);
}

/* Keeps the shorter of what is in s from `at` on and what is in other. */
static void shorter_keep(struct str *s, size_t at, struct str *other)
{
	if (other->n > 0 && !other->failed && other->n < s->n - at) {
		s->n = at;
		str_putn(s, other->s, other->n);
	}
	str_clear(other);
}

static void form_put(struct str *s, const int64_t *v, uint64_t n, int nesting)
{
	struct str other = {0};
	size_t at = s->n;
	uint64_t t;

	if (n == 0)
		return;
	if (line_length(v, n) == n) {
		int64_t step = n > 1 ? minus(v[1], v[0]) : 0;

		str_putc(s, step ? FORM_LINE : FORM_CONSTANT);
		zigzag_put(s, v[0]);
		if (step)
			zigzag_put(s, step);
		return;
	}
	packed_put(s, v, n);
	if (nesting == 0)
		return;
	t = period_find(v, n);
	if (t <= n / 2)
		period_put(&other, v, t, nesting - 1);
	shorter_keep(s, at, &other);
	pieces_put(&other, v, n, (s->n - at) / 3 + 1, nesting - 1);
	shorter_keep(s, at, &other);
	table_put(&other, v, n, nesting - 1);
	shorter_keep(s, at, &other);
	str_release(&other);
}

void column_put(struct str *s, const int64_t *v, uint64_t n)
{
	form_put(s, v, n, NESTING);
}

void column_write(struct str *s, const struct column *c)
{
	if (c->v) {
		column_put(s, c->v, c->n);
	} else if (c->n > 0) {
		str_putc(s, FORM_CONSTANT);
		zigzag_put(s, c->same);
	}
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
	default:
		return NULL;
	}
}

const uint8_t *column_check(const uint8_t *p, const uint8_t *end, uint64_t n)
{
	return form_check(p, end, n, NESTING);
}

/* Where a checked form ends: what comes after it is to be read. */
static const uint8_t *form_skip(const uint8_t *p, uint64_t n)
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
		return form_skip(p, u);
	case FORM_PIECES:
		p = varint_read(p, &u);
		return form_skip(form_skip(form_skip(p, u), u), u);
	case FORM_TABLE:
		p = varint_read(p, &u);
		p = varint_read(form_skip(p, u), &u);
		return p + (n * u + 7) / 8;
	case FORM_PACKED:
		p = varint_read(zigzag_read(p, &v), &u);
		return p + (n * u + 7) / 8;
	default:
		return p + 8 * n;
	}
}

/* At most 56 bits, from any bit on; bytes behind the last one that has some are not read. */
static uint64_t bits_get(const uint8_t *p, uint64_t i, unsigned width)
{
	uint64_t bit = i * width, v = 0;
	unsigned shift = bit & 7, bytes = (shift + width + 7) / 8;

	if (width == 0)
		return 0;
	memcpy(&v, p + bit / 8, bytes);
	return v >> shift & (UINT64_MAX >> (64 - width));
}

static int64_t piece_get(const uint8_t *p, uint64_t i)
{
	uint64_t r, low = 0, high;
	const uint8_t *first, *step;
	int64_t from;

	p = varint_read(p, &r);
	high = r - 1;
	while (low < high) {
		uint64_t mid = (low + high) / 2;

		if ((uint64_t)column_get(p, mid) > i)
			high = mid;
		else
			low = mid + 1;
	}
	first = form_skip(p, r);
	step = form_skip(first, r);
	from = low ? column_get(p, low - 1) : 0;
	return plus(column_get(first, low),
	            (int64_t)((i - (uint64_t)from) * (uint64_t)column_get(step, low)));
}

static int64_t table_get(const uint8_t *p, uint64_t i)
{
	uint64_t d, width, index;
	const uint8_t *bits;

	p = varint_read(p, &d);
	bits = varint_read(form_skip(p, d), &width);
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
	default:
		memcpy(&v, p + 8 * i, sizeof v);
		return v;
	}
}

int column_is_constant(const uint8_t *p)
{
	return *p == FORM_CONSTANT;
}
