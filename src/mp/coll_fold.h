/* coll_fold.h: making a power of two out of any number of ranks: of the first 2 rem ranks, where rem = p - pof2, one of each pair of neighbours
 * drops out (its contribution goes to the other, which gives it the result in the end), and those that stay are numbered anew. */
#ifndef ORRERY_MP_COLL_FOLD_H
#define ORRERY_MP_COLL_FOLD_H

#include "coll_int.h"

enum { FOLD_OUT = 0xffffffffu };
enum fold_stays { FOLD_EVEN, FOLD_ODD };
struct fold {
	uint32_t pof2, rem, steps; /* steps = log2 pof2 */
	enum fold_stays stays;
};

static inline struct fold fold_of(uint32_t p, enum fold_stays stays)
{
	uint32_t steps = log2_floor(p);
	return (struct fold){.pof2 = 1u << steps, .rem = p - (1u << steps), .steps = steps, .stays = stays};
}
/* The new number of a rank, or FOLD_OUT. */
static inline uint32_t fold_new(const struct fold *f, uint32_t rank)
{
	if (rank >= 2 * f->rem)
		return rank - f->rem;
	return rank % 2 == (uint32_t)f->stays ? rank / 2 : FOLD_OUT;
}
static inline uint32_t fold_old(const struct fold *f, uint32_t number)
{
	return number < f->rem ? 2 * number + (uint32_t)f->stays : number + f->rem;
}
static inline int fold_has_pair(const struct fold *f, uint32_t rank)
{
	return rank < 2 * f->rem;
}

/* Recursive halving of pof2 units: after `steps` exchanges with new^1, new^2, …, number `n` keeps units first … first+len-1: of each pair the
 * one with the bit clear keeps the lower half. */
struct fold_units {
	uint32_t first, len;
};
static inline struct fold_units fold_units(const struct fold *f, uint32_t n, uint32_t steps)
{
	struct fold_units u = {0, f->pof2};
	for (uint32_t i = 0; i < steps; i++) {
		u.len /= 2;
		u.first += n >> i & 1 ? u.len : 0;
	}
	return u;
}
/* Elements of units when each has count/pof2 and the last one the rest as well. */
static inline struct piece fold_piece(const struct fold *f, struct fold_units u, enum coll_buf buf, int64_t at, int64_t count,
                                      int64_t type_size)
{
	int64_t each = count / f->pof2, from = u.first * each,
	        end = u.first + u.len == f->pof2 ? count : (int64_t)(u.first + u.len) * each;
	return piece_at(buf, at + from * type_size, (end - from) * type_size);
}

#endif
