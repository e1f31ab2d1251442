/* extents.c: a queue of extents, coded as varints: the gap to the one before, the length, and how many lines further it begins. Finely
 * mixed ranks cost four or five bytes per line. */
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

static uint64_t varint_get(struct extents *q)
{
	uint64_t v = 0;
	int shift = 0;

	while (q->bytes[q->head] & 128) {
		v |= (uint64_t)(q->bytes[q->head++] & 127) << shift;
		shift += 7;
	}
	return v | (uint64_t)q->bytes[q->head++] << shift;
}

/* The last extent will not grow any more. */
static int extents_code(struct extents *q, struct err *err)
{
	uint8_t *bytes;

	if (q->head > WASTE_LEAST && q->head > q->n / 2) {
		memmove(q->bytes, q->bytes + q->head, q->n - q->head);
		q->n -= q->head;
		q->head = 0;
	}
	bytes = vec_grow(q->bytes, &q->cap, 1, (size_t)q->n + EXTENT_BYTES_MOST, "the lines of other ranks", err);
	if (!bytes)
		return -1;
	q->bytes = bytes;
	q->n += varint_put(bytes + q->n, q->last.from - q->coded.to);
	q->n += varint_put(bytes + q->n, q->last.to - q->last.from);
	q->n += varint_put(bytes + q->n, q->last.line - q->coded.line);
	q->coded = q->last;
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

int extents_take(struct extents *q, struct extent *out)
{
	if (q->head < q->n) {
		out->from = q->taken.to + varint_get(q);
		out->to = out->from + varint_get(q);
		out->line = q->taken.line + varint_get(q);
		q->taken = *out;
		if (q->head == q->n)
			q->head = q->n = 0;
		return 1;
	}
	if (q->last.from == q->last.to)
		return 0;
	*out = q->taken = q->coded = q->last; /* the coder goes on from what was taken uncoded */
	q->last.from = q->last.to;
	return 1;
}

void extents_release(struct extents *q)
{
	free(q->bytes);
	*q = (struct extents){0};
}
