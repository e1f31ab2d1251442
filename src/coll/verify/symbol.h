/* symbol.h: symbolic data for the verifier: what a byte of a buffer is, said exactly and in
 * little room.
 *
 * A byte is known as (whose, index): byte `index` of the contribution of one rank, or of the
 * combination of several. "Whose" is a set of ranks, interned, so that equal sets have equal
 * numbers. Buffers are lists of runs of consecutive indices: the cost of a copy follows the number
 * of runs, not of bytes, and a verification at a million bytes costs what it costs at ten. */
#ifndef ORRERY_COLL_SYMBOL_H
#define ORRERY_COLL_SYMBOL_H

#include "base/base.h"

#include <stdint.h>

/* What a combination can be instead of a set of ranks: wrong, which only matters if somebody looks
 * at it in the end. */
enum { WHOSE_TWICE = 0xfffffff0u, WHOSE_DISORDERED, WHOSE_NOBODY, WHOSE_WRONG = WHOSE_TWICE };
static inline int whose_is_wrong(uint32_t whose)
{
	return whose >= WHOSE_WRONG;
}

/* Sets of ranks 0 … p-1. */
struct sets {
	uint32_t p, words, n, cap;
	uint64_t *bits;                   /* n sets of `words` words */
	struct hash64 by_content, unions; /* hash of the bits, of a pair of numbers -> number */
};
int sets_init(struct sets *s, uint32_t p, struct err *err);
void sets_release(struct sets *s);
int sets_range(struct sets *s, uint32_t lo, uint32_t hi, uint32_t *out,
               struct err *err); /* {lo, …, hi-1} */
int sets_union(struct sets *s, uint32_t a, uint32_t b, uint32_t *out, struct err *err);
int sets_meet(const struct sets *s, uint32_t a, uint32_t b); /* they have a rank in common */
int sets_before(const struct sets *s, uint32_t a,
                uint32_t b); /* the last rank of a is just before the first of b */
const char *sets_format(const struct sets *s, uint32_t a, char *buf, size_t n); /* "{0-3,7}" */

struct run {
	int64_t off, len, index;
	uint32_t whose;
};
struct runs {
	struct run *v; /* in order, apart; what lies between has not been written */
	uint32_t n, cap;
};
void runs_release(struct runs *r);
int runs_add(struct runs *r, struct run run,
             struct err *err); /* at the end; joined with the last if it continues it */
/* The runs of [off, off + len), offsets counted from off, replace *out; *missing: the first offset
 * not written there, or -1. */
int runs_read(const struct runs *r, int64_t off, int64_t len, struct runs *out, int64_t *missing,
              struct err *err);
/* [off, off + len) becomes what `in` says (offsets counted from off, all within). */
int runs_write(struct runs *r, int64_t off, int64_t len, const struct runs *in, struct err *err);

#endif
