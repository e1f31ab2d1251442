/* vec.h: growable arrays. A vector is three fields of its owner (pointer, n, cap); only the growing
 * is shared. */
#ifndef ORRERY_BASE_VEC_H
#define ORRERY_BASE_VEC_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>

/* vec_grow when there is no room yet. */
void *vec_widen(void *items, uint32_t *cap, size_t elem, size_t need, const char *what,
                struct err *err);

/* Returns items, moved if needed so that *cap >= need (growth is geometric, new memory is not
 * cleared), or NULL with *err set and the old array untouched. elem is the size of one item in
 * bytes; `what` names the array in the message.
 *   p = vec_grow(v->items, &v->cap, sizeof *v->items, v->n + 1, "requests", err); if (!p) return
 *   -1; v->items = p; */
static inline void *vec_grow(void *items, uint32_t *cap, size_t elem, size_t need, const char *what,
                             struct err *err)
{
	return need <= *cap && items ? items : vec_widen(items, cap, elem, need, what, err);
}

#endif
