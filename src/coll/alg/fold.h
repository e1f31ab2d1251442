/* fold.h: making a power of two out of any number of ranks: of the first 2 rem ranks, where
 * rem = p - pof2, one of each pair of neighbours drops out (its contribution goes to the other,
 * which gives it the result in the end), and those that stay are numbered anew. */
#ifndef ORRERY_COLL_FOLD_H
#define ORRERY_COLL_FOLD_H

#include "coll/coll_int.h"

enum { FOLD_OUT = 0xffffffffu };
enum fold_stays { FOLD_EVEN, FOLD_ODD };
struct fold {
	uint32_t pof2, rem, steps; /* steps = log2 pof2 */
	enum fold_stays stays;
	int spread; /* where the elements go that pof2 does not divide: 0: all to the last unit; 1:
	               one to each of the first ones */
};

static inline struct fold fold_of(uint32_t p, enum fold_stays stays)
{
	uint32_t steps = log2_floor(p);
	return (struct fold){
	    .pof2 = 1u << steps, .rem = p - (1u << steps), .steps = steps, .stays = stays};
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

/* Recursive halving of pof2 units: after `steps` exchanges with new^1, new^2, …, number `n` keeps
 * units first … first+len-1: of each pair the one with the bit clear keeps the lower half. */
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
/* Elements before unit u. */
static inline int64_t fold_before(const struct fold *f, uint32_t u, int64_t count)
{
	int64_t rest = count % f->pof2;
	if (f->spread)
		return u * (count / f->pof2) + (u < rest ? u : rest);
	return u == f->pof2 ? count : u * (count / f->pof2);
}
static inline struct piece fold_piece(const struct fold *f, struct fold_units u, enum coll_buf buf,
                                      int64_t at, int64_t count, int64_t type_size)
{
	int64_t from = fold_before(f, u.first, count), end = fold_before(f, u.first + u.len, count);
	return piece_at(buf, at + from * type_size, (end - from) * type_size);
}

#endif
