/* extents.c: a queue of extents, coded as varints: the gap to the one before, the length, and how
 * many lines further it begins. Finely mixed ranks cost four or five bytes per line. */
#include "extents.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { EXTENT_BYTES_MOST = 30, WASTE_LEAST = 4096 };

static uint32_t varint_put(uint8_t *p, uint64_t v)
{
	uint32_t n = 0;

	for (; v >= 128; v >>= 7)
		p[n++] = (uint8_t)(v | 128);
	p[n++] = (uint8_t)v;
	return n;
}

struct extents_code {
	uint8_t *bytes; /* [head, n) */
	uint32_t head, n, cap;
	struct extent coded, taken; /* the extents that the coder and the decoder were at last */
};

static uint64_t varint_get(struct extents_code *c)
{
	uint64_t v = 0;
	int shift = 0;

	while (c->bytes[c->head] & 128) {
		v |= (uint64_t)(c->bytes[c->head++] & 127) << shift;
		shift += 7;
	}
	return v | (uint64_t)c->bytes[c->head++] << shift;
}

/* The last extent will not grow any more. */
static int extents_code(struct extents *q, struct err *err)
{
	struct extents_code *c = q->code;
	uint8_t *bytes;

	if (!c && !(c = q->code = calloc(1, sizeof *c)))
		return err_nomem(err, "the lines of other ranks", sizeof *c);
	if (c->head > WASTE_LEAST && c->head > c->n / 2) {
		memmove(c->bytes, c->bytes + c->head, c->n - c->head);
		c->n -= c->head;
		c->head = 0;
	}
	bytes = vec_grow(c->bytes, &c->cap, 1, (size_t)c->n + EXTENT_BYTES_MOST,
	                 "the lines of other ranks", err);
	if (!bytes)
		return -1;
	c->bytes = bytes;
	c->n += varint_put(bytes + c->n, q->last.from - c->coded.to);
	c->n += varint_put(bytes + c->n, q->last.to - q->last.from);
	c->n += varint_put(bytes + c->n, q->last.line - c->coded.line);
	c->coded = q->last;
	return 0;
}

int extents_add(struct extents *q, uint64_t from, uint64_t to, uint64_t line, struct err *err)
{
	if (q->last.to == from && q->last.from < from) {
		q->last.to = to;
		return 0;
	}
	if (q->last.from < q->last.to && extents_code(q, err) < 0)
		return -1;
	q->last = (struct extent){from, to, line};
	return 0;
}

static void extent_decode(struct extents_code *c, struct extent *out)
{
	out->from = c->taken.to + varint_get(c);
	out->to = out->from + varint_get(c);
	out->line = c->taken.line + varint_get(c);
	c->taken = *out;
	if (c->head == c->n)
		c->head = c->n = 0;
}

int extents_take(struct extents *q, struct extent *out)
{
	struct extents_code *c = q->code;

	if (c && c->head < c->n) {
		extent_decode(c, out);
		return 1;
	}
	if (q->last.from == q->last.to)
		return 0;
	*out = q->last;
	if (c)
		c->taken = c->coded = q->last; /* the coder goes on from what was taken uncoded */
	q->last.from = q->last.to;
	return 1;
}

void extents_release(struct extents *q)
{
	if (q->code)
		free(q->code->bytes);
	free(q->code);
	*q = (struct extents){0};
}
