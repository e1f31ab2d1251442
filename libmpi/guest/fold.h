/* fold.h: folded memory: any amount of addresses, one block behind them. What is written into one
 * is read from all that are a block apart: for data whose values do not matter. */
#ifndef ORRERY_LIBMPI_FOLD_H
#define ORRERY_LIBMPI_FOLD_H

#include <stddef.h>

#define FOLD_BLOCK ((size_t)1 << 20) /* at least */

/* NULL with errno set. Parts [offsets[2i], offsets[2i+1]) are folded, whole pages of them; n 0:
 * all. */
void *fold_new(size_t size, const size_t *offsets, int n);
/* 1 if p was folded memory, which is given back; 0 otherwise. */
int fold_free(void *p);
/* How large it is; 0: not folded. */
size_t fold_size(const void *p);

/* Whether n bytes are in folded memory, of one allocation. */
int fold_holds(const void *p, size_t n);
/* From here on one block of memory is that of all allocations. */
void fold_share(void);

#endif
