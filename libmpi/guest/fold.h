/* fold.h: folded memory: any amount of addresses, one block behind them. What is written into one
 * is read from all that are a block apart: for data whose values do not matter. */
#ifndef ORRERY_LIBMPI_FOLD_H
#define ORRERY_LIBMPI_FOLD_H

#include <stddef.h>
#include <stdint.h>

#define FOLD_BLOCK ((size_t)1 << 20) /* at least */

/* NULL with errno set. Parts [offsets[2i], offsets[2i+1]) are folded, whole pages of them; n 0:
 * all. */
void *fold_new(size_t size, const size_t *offsets, int n);
/* 1 if p was memory of this file, which is given back; 0 otherwise. */
int fold_free(void *p);
/* How large it is; 0: not of this file. */
size_t fold_size(const void *p);

/* Memory of which it is known what pages were never written: they are zero. NULL with errno set.
 * fold_zero: all of it is; fold_bare: it may be what the rank has given back before. */
void *fold_bare(size_t size);
void *fold_zero(size_t size);
/* p is memory of fold_bare: of another size, perhaps elsewhere. */
void *fold_bare_resize(void *p, size_t size);

enum fold_kind { FOLD_NOT, FOLD_FOLDED, FOLD_BARE };
/* What the memory at p is, and how many of n bytes from there on are of the same kind. */
enum fold_kind fold_at(const void *p, size_t n, size_t *same);
/* Whether n bytes are in folded memory, of one allocation. */
int fold_holds(const void *p, size_t n);
/* KiB that the kernel counts of this process's memory too often, as it counts a block wherever it
 * is mapped: at most so far. */
uint64_t fold_counted_again(void);
/* From here on one block of memory is that of all allocations, of so many ranks. */
void fold_share(uint32_t n);
/* Blocks are of huge pages, as long as there are some. */
void fold_huge(void);

#endif
