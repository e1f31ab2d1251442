/* symbol.c: sets of ranks and runs of symbolic bytes. */
#include "symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- sets --- */

int sets_init(struct sets *s, uint32_t p, struct err *err)
{
	*s = (struct sets){.p = p, .words = (p + 63) / 64};
	uint32_t empty;
	return sets_range(s, 0, 0, &empty, err);
}

void sets_release(struct sets *s)
{
	free(s->bits);
	hash64_release(&s->by_content);
	hash64_release(&s->unions);
}

static uint64_t *set_bits(const struct sets *s, uint32_t a)
{
	return s->bits + (size_t)a * s->words;
}

/* Room for one more set, not yet counted; its bits are the caller's to fill. */
static uint64_t *set_room(struct sets *s, struct err *err)
{
	uint32_t cap = s->cap;
	uint64_t *bits = vec_grow(s->bits, &cap, s->words * sizeof *bits, s->n + 1, "sets of ranks",
	                          err);
	if (!bits)
		return NULL;
	s->bits = bits;
	s->cap = cap;
	return set_bits(s, s->n);
}

/* Numbers the set in the room after the last: an equal one's number if there is one. Different sets
 * of one hash are told apart by probing. */
static int set_intern(struct sets *s, uint32_t *out, struct err *err)
{
	const uint64_t *bits = set_bits(s, s->n);
	uint64_t h = 0;
	for (uint32_t i = 0; i < s->words; i++)
		h = hash_mix(h ^ bits[i]);
	for (;; h++) {
		uint32_t a = hash64_find(&s->by_content, h);
		if (a == HASH_NONE)
			break;
		if (memcmp(set_bits(s, a), bits, s->words * sizeof *bits) == 0) {
			*out = a;
			return 0;
		}
	}
	if (hash64_put(&s->by_content, h, s->n, err) < 0)
		return -1;
	*out = s->n++;
	return 0;
}

int sets_range(struct sets *s, uint32_t lo, uint32_t hi, uint32_t *out, struct err *err)
{
	uint64_t *bits = set_room(s, err);
	if (!bits)
		return -1;
	memset(bits, 0, s->words * sizeof *bits);
	for (uint32_t i = lo; i < hi; i++)
		bits[i / 64] |= 1ull << (i % 64);
	return set_intern(s, out, err);
}

int sets_union(struct sets *s, uint32_t a, uint32_t b, uint32_t *out, struct err *err)
{
	uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	*out = hash64_find(&s->unions, key);
	if (*out != HASH_NONE)
		return 0;
	uint64_t *bits = set_room(s, err);
	if (!bits)
		return -1;
	for (uint32_t i = 0; i < s->words; i++)
		bits[i] = set_bits(s, a)[i] | set_bits(s, b)[i];
	return set_intern(s, out, err) < 0 ? -1 : hash64_put(&s->unions, key, *out, err);
}

int sets_meet(const struct sets *s, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < s->words; i++)
		if (set_bits(s, a)[i] & set_bits(s, b)[i])
			return 1;
	return 0;
}

static int set_has(const struct sets *s, uint32_t a, uint32_t rank)
{
	return rank < s->p && (set_bits(s, a)[rank / 64] >> (rank % 64) & 1);
}

int sets_before(const struct sets *s, uint32_t a, uint32_t b)
{
	uint32_t i = 0;
	while (i < s->p && !set_has(s, b, i))
		i++;
	if (i == 0 || !set_has(s, a, i - 1))
		return 0;
	while (i < s->p && !set_has(s, a, i))
		i++;
	return i == s->p;
}

const char *sets_format(const struct sets *s, uint32_t a, char *buf, size_t n)
{
	if (whose_is_wrong(a)) {
		const char *what[] = {"contributions combined twice", "contributions out of order",
		                      "a signal's bytes"};
		snprintf(buf, n, "{%s}", what[a - WHOSE_WRONG]);
		return buf;
	}
	size_t used = (size_t)snprintf(buf, n, "{");
	for (uint32_t i = 0; i < s->p; i++) {
		uint32_t end = i;
		while (set_has(s, a, end))
			end++;
		if (end == i)
			continue;
		if (used + 32 > n) {
			used += (size_t)snprintf(buf + used, n - used, ",...");
			break;
		}
		used += (size_t)snprintf(buf + used, n - used, end - i > 1 ? "%s%u-%u" : "%s%u",
		                         used > 1 ? "," : "", i, end - 1);
		i = end;
	}
	snprintf(buf + used, n - used, "}");
	return buf;
}

/* --- runs --- */

void runs_release(struct runs *r)
{
	free(r->v);
	*r = (struct runs){0};
}

static int runs_room(struct runs *r, uint32_t need, struct err *err)
{
	struct run *v = vec_grow(r->v, &r->cap, sizeof *v, need, "runs of symbolic data", err);
	if (!v)
		return -1;
	r->v = v;
	return 0;
}

static int run_continues(const struct run *a, const struct run *b)
{
	return a->whose == b->whose && a->off + a->len == b->off && a->index + a->len == b->index;
}

int runs_add(struct runs *r, struct run run, struct err *err)
{
	if (run.len == 0)
		return 0;
	if (r->n && run_continues(&r->v[r->n - 1], &run)) {
		r->v[r->n - 1].len += run.len;
		return 0;
	}
	if (runs_room(r, r->n + 1, err) < 0)
		return -1;
	r->v[r->n++] = run;
	return 0;
}

/* The first run that ends after off. */
static uint32_t runs_after(const struct runs *r, int64_t off)
{
	uint32_t lo = 0, hi = r->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (r->v[mid].off + r->v[mid].len > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* The part of a run in [off, end). */
static struct run run_clip(struct run run, int64_t off, int64_t end)
{
	if (run.off < off) {
		run.index += off - run.off;
		run.len -= off - run.off;
		run.off = off;
	}
	if (run.off + run.len > end)
		run.len = end - run.off;
	return run;
}

int runs_read(const struct runs *r, int64_t off, int64_t len, struct runs *out, int64_t *missing,
              struct err *err)
{
	int64_t next = off, end = off + len;
	out->n = 0;
	*missing = -1;
	for (uint32_t i = runs_after(r, off); i < r->n && r->v[i].off < end; i++) {
		struct run run = run_clip(r->v[i], off, end);
		if (run.off > next)
			break;
		next = run.off + run.len;
		run.off -= off;
		if (runs_add(out, run, err) < 0)
			return -1;
	}
	if (next < end)
		*missing = next;
	return 0;
}

int runs_write(struct runs *r, int64_t off, int64_t len, const struct runs *in, struct err *err)
{
	if (len == 0)
		return 0;
	/* [first, last) are the runs touched; of those at the ends a head or a tail may stay. */
	int64_t end = off + len;
	uint32_t first = runs_after(r, off), last = first;
	while (last < r->n && r->v[last].off < end)
		last++;
	struct run head = {0}, tail = {0};
	if (first < last && r->v[first].off < off)
		head = run_clip(r->v[first], r->v[first].off, off);
	if (first < last && r->v[last - 1].off + r->v[last - 1].len > end)
		tail = run_clip(r->v[last - 1], end, INT64_MAX / 2);
	uint32_t heads = head.len > 0, tails = tail.len > 0, put = heads + in->n + tails;
	if (runs_room(r, r->n - (last - first) + put, err) < 0)
		return -1;
	memmove(r->v + first + put, r->v + last, (r->n - last) * sizeof *r->v);
	r->n = r->n - (last - first) + put;
	struct run *v = r->v + first;
	if (heads)
		*v++ = head;
	for (uint32_t i = 0; i < in->n; i++) {
		*v = in->v[i];
		(v++)->off += off;
	}
	if (tails)
		*v = tail;
	return 0;
}
