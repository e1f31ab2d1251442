/* vec.c: growing arrays, by half as much again: amortised constant, and freed blocks can be reused
 * by a later growth. Who grows by a lot first looks whether the computer has it (memory.h). */
#include "vec.h"
#include "memory.h"

#include <stdlib.h>

enum { VEC_FIRST = 8 };

void *vec_widen(void *items, uint32_t *cap, size_t elem, size_t need, const char *what,
                struct err *err)
{
	size_t wanted = *cap;
	void *moved;

	wanted += wanted / 2;
	if (wanted < VEC_FIRST)
		wanted = VEC_FIRST;
	if (wanted < need)
		wanted = need;
	if (wanted > UINT32_MAX && need <= UINT32_MAX)
		wanted = UINT32_MAX;
	if (wanted > UINT32_MAX || wanted > SIZE_MAX / elem) {
		err_set(err, ERR_LIMIT, "too many %s: %zu wanted, at most %u can be held", what,
		        need, UINT32_MAX);
		return NULL;
	}
	if (memory_check((uint64_t)(wanted - *cap) * elem, what, NULL)) {
		wanted = *cap + *cap / 16 < need ? need : *cap + *cap / 16;
		if (memory_check((uint64_t)(wanted - *cap) * elem, what, err))
			return NULL;
	}
	moved = realloc(items, wanted * elem);
	if (!moved) {
		err_nomem(err, what, (unsigned long long)wanted * elem);
		return NULL;
	}
	memory_large_pages(moved, wanted * elem);
	*cap = (uint32_t)wanted;
	return moved;
}
