/* column_put.c: the shortest form of a sequence of numbers (column.h, column_int.h). This is done
 * to every cost that a traced program's ranks have, inside these: a form is written only where it
 * can be the shortest, and what cannot be is found out by reading the values once. */
#include "column_int.h"

#include <stdlib.h>
#include <string.h>

/* How a form may be nested: so many levels, so many reads of bytes for one value. What is searched
 * is read at each step of the search, unless it can be searched by itself (rising.c): pieces within
 * pieces multiply. */
struct bound {
	int levels;
	unsigned reads, steps;
};
enum { READS = 256 };

static void form_put(struct str *s, const int64_t *v, uint64_t n, struct bound b);

/* --- packed, raw --- */

struct range {
	int64_t least, most;
};

static struct range range_of(const int64_t *v, uint64_t n)
{
	struct range r = {v[0], v[0]};

	for (uint64_t i = 1; i < n; i++) {
		r.least = v[i] < r.least ? v[i] : r.least;
		r.most = v[i] > r.most ? v[i] : r.most;
	}
	return r;
}

static unsigned range_width(const struct range *r)
{
	return width_of((uint64_t)r->most - (uint64_t)r->least);
}

static size_t varint_bytes(uint64_t v)
{
	return (width_of(v | 1) + 6) / 7;
}

static size_t zigzag_bytes(int64_t v)
{
	return varint_bytes((uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static size_t bits_bytes(uint64_t n, unsigned width)
{
	return (n * width + 7) / 8;
}

static size_t packed_bytes(const struct range *r, uint64_t n)
{
	unsigned width = range_width(r);

	return width > WIDTH_MOST ? 1 + n * sizeof(int64_t)
	                          : 2 + zigzag_bytes(r->least) + bits_bytes(n, width);
}

static void packed_put(struct str *s, const int64_t *v, uint64_t n, const struct range *r)
{
	struct bits b;

	if (range_width(r) > WIDTH_MOST) {
		str_putc(s, FORM_RAW);
		str_putn(s, (const char *)v, n * sizeof *v);
		return;
	}
	str_putc(s, FORM_PACKED);
	zigzag_put(s, r->least);
	varint_put(s, range_width(r));
	bits_begin(&b, s, range_width(r));
	for (uint64_t i = 0; i < n; i++)
		bits_add(&b, (uint64_t)v[i] - (uint64_t)r->least);
	bits_end(&b);
}

/* --- period --- */

/* The shortest t that v repeats after, or n: the failure function of Knuth, Morris and Pratt. */
static uint64_t period_surely(const int64_t *v, uint64_t n)
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

/* The same if it is at most n / 2. Most t are excluded by the first value; where many are not, by
 * what takes as long for any values. */
static uint64_t period_find(const int64_t *v, uint64_t n)
{
	uint64_t seen = 0;

	for (uint64_t t = 1; t <= n / 2; t++) {
		uint64_t k = 0;

		if (v[t] != v[0])
			continue;
		while (t + k < n && v[k] == v[t + k])
			k++;
		if (t + k == n)
			return t;
		seen += k;
		if (seen > n)
			return period_surely(v, n);
	}
	return n;
}

static void period_put(struct str *s, const int64_t *v, uint64_t t, struct bound b)
{
	str_putc(s, FORM_PERIOD);
	varint_put(s, t);
	form_put(s, v, t, b);
}

/* --- pieces --- */

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

/* How many there are; 0 if there are more than `most`. */
static uint64_t pieces_count(const int64_t *v, uint64_t n, uint64_t most)
{
	uint64_t r = 0;

	for (uint64_t i = 0; i < n; i += piece_length(v + i, n - i))
		if (++r > most)
			return 0;
	return r;
}

/* How many pieces may be shorter than `size` bytes: where most are single values, the column of
 * first values is hardly shorter than v, and there are two more. */
static uint64_t pieces_most(uint64_t n, size_t size)
{
	uint64_t most = size / 3 < n / 2 ? size / 3 + 1 : n / 2 + 1;

	return most < PIECES_MOST ? most : PIECES_MOST;
}

/* The pieces, as far as they are shorter than `size` bytes. */
static void pieces_put(struct str *s, const int64_t *v, uint64_t n, size_t size, struct bound b)
{
	uint64_t r = pieces_count(v, n, pieces_most(n, size));
	struct bound of[3] = {{b.levels, b.reads / 2, width_of(r)}, /* ends, */
	                      {b.levels, b.reads / 4, 1},           /* first values, */
	                      {b.levels, b.reads / 4, 1}};          /* steps */
	int64_t *part;

	part = r && of[0].reads >= of[0].steps ? malloc(3 * r * sizeof *part) : NULL;
	if (!part)
		return;
	for (uint64_t i = 0, k, at = 0; i < n; i += k, at++) {
		k = piece_length(v + i, n - i);
		part[at] = (int64_t)(i + k);
		part[r + at] = v[i];
		part[2 * r + at] = k > 1 ? minus(v[i + 1], v[i]) : 0;
	}
	str_putc(s, FORM_PIECES);
	varint_put(s, r);
	for (int c = 0; c < 3 && s->n < size; c++)
		form_put(s, part + (uint64_t)c * r, r, of[c]);
	free(part);
}

/* --- table --- */

struct value {
	int64_t v;
	uint32_t id;
};
struct values {
	struct value value[TABLE_MOST]; /* the different ones, in the order in which they come */
	uint32_t n;
	uint8_t *id; /* of each of the sequence */
};
enum { SLOT_BITS = 10 };

static int value_compare(const void *a, const void *b)
{
	int64_t x = ((const struct value *)a)->v, y = ((const struct value *)b)->v;

	return (x > y) - (x < y);
}

/* The different values of v: 1, or 0 if there are more than `most`. */
static int values_find(struct values *all, const int64_t *v, uint64_t n, uint32_t most)
{
	int64_t slot[1 << SLOT_BITS];
	int16_t id[1 << SLOT_BITS];

	memset(id, -1, sizeof id);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)((uint64_t)v[i] * UINT64_C(0x9e3779b97f4a7c15) >>
		                         (64 - SLOT_BITS));

		while (id[at] >= 0 && slot[at] != v[i])
			at = (at + 1) % (1 << SLOT_BITS);
		if (id[at] < 0) {
			if (all->n == most)
				return 0;
			slot[at] = v[i];
			id[at] = (int16_t)all->n;
			all->value[all->n] = (struct value){v[i], all->n};
			all->n++;
		}
		all->id[i] = (uint8_t)id[at];
	}
	return 1;
}

static void values_put(struct str *s, struct values *all, uint64_t n, struct bound nested)
{
	int64_t value[TABLE_MOST];
	uint8_t place[TABLE_MOST];
	unsigned width = width_of(all->n - 1);
	struct bits b;

	qsort(all->value, all->n, sizeof *all->value, value_compare);
	for (uint32_t i = 0; i < all->n; i++) {
		value[i] = all->value[i].v;
		place[all->value[i].id] = (uint8_t)i;
	}
	str_putc(s, FORM_TABLE);
	varint_put(s, all->n);
	form_put(s, value, all->n, nested);
	varint_put(s, width);
	bits_begin(&b, s, width);
	for (uint64_t i = 0; i < n; i++)
		bits_add(&b, place[all->id[i]]);
	bits_end(&b);
}

/* The table, if it can be shorter than `size` bytes. */
static void table_put(struct str *s, const int64_t *v, uint64_t n, size_t size, struct bound b)
{
	uint64_t most = n / 2 < TABLE_MOST + 1 ? n / 2 - (n >= 2) : TABLE_MOST;
	struct values all = {.n = 0};

	all.id = most > 0 ? malloc(n) : NULL;
	if (all.id && values_find(&all, v, n, (uint32_t)most) &&
	    bits_bytes(n, width_of(all.n - 1)) < size)
		values_put(s, &all, n, b);
	free(all.id);
}

/* --- exceptions --- */

/* The exceptions and the rest, as far as they are shorter than `size` bytes. */
static void exceptions_put(struct str *s, const int64_t *v, uint64_t n, size_t size, struct bound b)
{
	struct exceptions e;

	if (b.reads < 8 || !exceptions_find(&e, v, n, size))
		return;
	str_putc(s, FORM_EXCEPTIONS);
	varint_put(s, e.r);
	form_put(s, e.at, e.r, (struct bound){b.levels, b.reads / 2, width_of(e.r)});
	if (s->n < size)
		form_put(s, e.value, e.r, (struct bound){b.levels, b.reads / 2, 1});
	if (s->n < size)
		form_put(s, e.rest, n, (struct bound){b.levels, b.reads / 2, 1});
	exceptions_release(&e);
}

/* --- the shortest --- */

/* What is in `other` becomes the best form if it is shorter than `size`, which is then its. */
static void shorter_keep(struct str *best, size_t *size, struct str *other)
{
	struct str before = *best;

	if (other->n > 0 && !other->failed && other->n < *size) {
		*size = other->n;
		*best = *other;
		*other = before;
	}
	str_clear(other);
}

/* Bits of a value in the form so far, where it is a table or packed; or 0. */
static unsigned form_width(const struct str *best, const struct range *r)
{
	uint64_t d;

	if (best->n == 0)
		return range_width(r);
	if (*best->s != FORM_TABLE)
		return 0;
	varint_read((const uint8_t *)best->s + 1, &d);
	return width_of(d - 1);
}

/* Where the bits of a few values fill a byte, zstd finds the commoner bytes. */
static int fills_bytes(unsigned width)
{
	return width > 0 && width <= 8 && (width & (width - 1)) == 0;
}

/* One value is most of them. */
static int is_skewed(const int64_t *v, uint64_t n)
{
	int64_t most = v[0];
	uint64_t votes = 0, times = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (votes == 0)
			most = v[i];
		votes += v[i] == most ? 1 : UINT64_MAX;
	}
	for (uint64_t i = 0; i < n; i++)
		times += v[i] == most;
	return times > n - n / 4;
}

/* The best of the forms of which a lower one is part, if it is shorter than what there is. What
 * takes longer to read saves an eighth at least. */
static void nested_put(struct str *best, const struct range *r, const int64_t *v, uint64_t n,
                       struct bound b)
{
	size_t size = best->n ? best->n : packed_bytes(r, n);
	struct str other = {0};
	uint64_t t = period_find(v, n);

	if (t <= n / 2)
		period_put(&other, v, t, b);
	shorter_keep(best, &size, &other);
	table_put(&other, v, n, size, b);
	shorter_keep(best, &size, &other);
	if (fills_bytes(form_width(best, r)) && is_skewed(v, n))
		size /= 2;
	pieces_put(&other, v, n, size, b);
	shorter_keep(best, &size, &other);
	size -= fills_bytes(form_width(best, r)) ? size / 4 : size / 8;
	exceptions_put(&other, v, n, size, b);
	shorter_keep(best, &size, &other);
	str_release(&other);
}

static int is_rising(const int64_t *v, uint64_t n)
{
	uint64_t i = 1;

	while (i < n && v[i - 1] <= v[i])
		i++;
	return i == n;
}

static void form_put(struct str *s, const int64_t *v, uint64_t n, struct bound b)
{
	struct str best = {0};
	struct range r;

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
	r = range_of(v, n);
	if (is_rising(v, n) && rising_reads(v, n) <= b.reads &&
	    rising_bytes(v, n) < packed_bytes(&r, n) / 8 * 7)
		rising_put(&best, v, n);
	if (b.levels > 0)
		nested_put(&best, &r, v, n, (struct bound){b.levels - 1, b.reads / b.steps, 1});
	if (best.n > 0)
		str_putn(s, best.s, best.n);
	else
		packed_put(s, v, n, &r);
	str_release(&best);
}

void column_put(struct str *s, const int64_t *v, uint64_t n)
{
	form_put(s, v, n, (struct bound){NESTING, READS, 1});
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
