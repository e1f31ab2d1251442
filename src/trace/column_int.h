/* column_int.h: the forms of a written column, each a byte followed by what it needs (numbers are
 * varints):
 *
 *   constant   value                        v[i] = value
 *   line       value step                   v[i] = value + step i
 *   period     t column(t)                  v[i] = c[i mod t]
 *   pieces     r column(r) ends, column(r) first values, column(r) steps
 *   table      d column(d) values, width, packed indices
 *   packed     least width, bits            v[i] = least + bits i
 *   raw        eight bytes each */
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
	FORMS
};
enum { WIDTH_MOST = 56, NESTING = 6, TABLE_MOST = 256, PIECES_MOST = 1 << 20 };

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

#endif
