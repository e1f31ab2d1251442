/* pair.h: two numbers side by side, in a vector register where the processor has them. + - * of the
 * compiler's vectors are used as they are; here is what these lack. */
#ifndef ORRERY_ENGINE_PAIR_H
#define ORRERY_ENGINE_PAIR_H

#include <string.h>

typedef double pair __attribute__((vector_size(16)));

static inline pair pair_load(const double v[2])
{
	pair x;

	memcpy(&x, v, sizeof x);
	return x;
}

/* The lesser of each two; of numbers that are none, b. */
static inline pair pair_least(pair a, pair b)
{
#ifdef __SSE2__
	return __builtin_ia32_minpd(a, b);
#else
	return (pair){a[0] < b[0] ? a[0] : b[0], a[1] < b[1] ? a[1] : b[1]};
#endif
}

/* A bit for each two that are equal, that of the first is 1. */
static inline unsigned pair_equal(pair a, pair b)
{
#ifdef __SSE2__
	return (unsigned)__builtin_ia32_movmskpd((pair)(a == b));
#else
	return (unsigned)(a[0] == b[0]) | (unsigned)(a[1] == b[1]) << 1;
#endif
}

#endif
