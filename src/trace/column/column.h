/* column.h: sequences of 64-bit integers. What a compressed trace says is columns: a parameter over
 * the ranks, a cost or a loop's count over the occurrences of a place.
 *
 * struct column grows at its end and is a single value as long as all are equal. Written, a column
 * is one of a few forms, nested, each of which gives its i-th value without reading those before
 * it: docs/formats/compressed-trace.md. */
#ifndef ORRERY_TRACE_COLUMN_H
#define ORRERY_TRACE_COLUMN_H

#include "base/base.h"

struct column {
	int64_t *v; /* NULL: all n are `same` */
	int64_t same;
	uint32_t n, cap;
};
int column_widen(struct column *c, int64_t value, struct err *err);
static inline int column_push(struct column *c, int64_t value, struct err *err)
{
	if (!c->v && (c->n == 0 || value == c->same)) {
		c->same = value;
		c->n++;
		return 0;
	}
	if (c->v && c->n < c->cap) {
		c->v[c->n++] = value;
		return 0;
	}
	return column_widen(c, value, err);
}
static inline int64_t column_item(const struct column *c, uint32_t i)
{
	return c->v ? c->v[i] : c->same;
}
/* n more of the same value. */
int column_repeat(struct column *c, int64_t value, uint32_t n, struct err *err);
/* Appends what b has. */
int column_join(struct column *a, const struct column *b, struct err *err);
/* Moves the last k values to the end of tail. */
int column_split(struct column *c, uint32_t k, struct column *tail, struct err *err);
void column_release(struct column *c);

/* --- written --- */

/* Variable-length integers: seven bits a byte, the lowest first; signed ones zigzag. */
void varint_put(struct str *s, uint64_t v);
void zigzag_put(struct str *s, int64_t v);
/* NULL when it ends before `end`, or is too long. */
const uint8_t *varint_get(const uint8_t *p, const uint8_t *end, uint64_t *v);
const uint8_t *zigzag_get(const uint8_t *p, const uint8_t *end, int64_t *v);

/* The shortest form of n values. */
void column_put(struct str *s, const int64_t *v, uint64_t n);
void column_write(struct str *s, const struct column *c);
/* Where a written column of n values ends, or NULL if it is not one. What passes can be read with
 * column_get at any i < n. */
const uint8_t *column_check(const uint8_t *p, const uint8_t *end, uint64_t n);
int64_t column_get(const uint8_t *p, uint64_t i);
/* Whether all its values are the same. */
int column_is_constant(const uint8_t *p);

/* A column of doubles has their bits. */
static inline int64_t double_bits(double v)
{
	int64_t bits;

	__builtin_memcpy(&bits, &v, sizeof bits);
	return bits;
}
static inline double bits_double(int64_t bits)
{
	double v;

	__builtin_memcpy(&v, &bits, sizeof v);
	return v;
}
/* How the doubles of a column are written: their bits; integers; billionths (of a second). */
enum scale {
	SCALE_BITS,
	SCALE_ONE,
	SCALE_NANO,
	SCALE_HISTOGRAM, /* not a column: a number */
	SCALE_TURNS,     /* nor this: numbers, a column of them */
	COLUMN_DRAWN = 7 /* the same, in place of a column of integers */
};
/* As column_put, column_check, column_get: of doubles, given by their bits. */
void doubles_put(struct str *s, const int64_t *bits, uint64_t n);
const uint8_t *doubles_check(const uint8_t *p, const uint8_t *end, uint64_t n);
int64_t doubles_get(const uint8_t *p, uint64_t i); /* bits */

int64_t doubles_scaled(enum scale scale, int64_t v);

/* --- unfold.c: a column that is read at each event, so that a value takes no search. Only of
 * columns whose length is not that of what they are over (ranks): few pieces, short periods. --- */

struct arena;
struct unfolded_piece {
	uint64_t end;
	int64_t first, step; /* v[i] = first + step i, for those of i < end that no other has */
};
struct unfolded {
	uint32_t period; /* v[i] = value[i mod period]; or 0: pieces, */
	uint32_t shift;  /* for i the first that has an end behind it from from[i >> shift] on */
	const int64_t *value;
	const struct unfolded_piece *piece;
	const uint16_t *from;
};
/* Of a checked column of n values; *most: the bytes that may be taken, less those that are.
 * *out: NULL if it is of another form, or takes more. 0, or -1 with *err set. */
int column_unfold(const uint8_t *p, uint64_t n, struct arena *a, size_t *most,
                  const struct unfolded **out, struct err *err);
static inline int64_t unfolded_get(const struct unfolded *u, uint32_t i)
{
	const struct unfolded_piece *piece;

	if (u->period)
		return u->value[i % u->period];
	for (piece = u->piece + u->from[i >> u->shift]; piece->end <= i; piece++)
		;
	return (int64_t)((uint64_t)piece->first + i * (uint64_t)piece->step);
}
/* Of a column, unfolded if u is not NULL. */
static inline int64_t column_value(const uint8_t *p, const struct unfolded *u, uint64_t i)
{
	return u ? unfolded_get(u, (uint32_t)i) : column_get(p, i);
}

#endif
