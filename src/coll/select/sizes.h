/* sizes.h: what decisions look at: sizes of a call, as every rank knows them, and its operator. */
#ifndef ORRERY_COLL_SIZES_H
#define ORRERY_COLL_SIZES_H

#include "coll/coll_int.h"

static inline int commutes(const struct coll_args *a)
{
	return a->commutative || a->null_op;
}
static inline int64_t whole_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}
/* Of a block, as each rank sees it. The receiving side's elsewhere may be unknown. */
static inline int64_t block_bytes(const struct coll_args *a)
{
	return a->kind == COLL_SCATTER && a->count == 0 ? a->count2 * a->type_size2
	                                                : a->count * a->type_size;
}
/* Of all blocks of an allgatherv or a reduce_scatter. */
static inline int64_t total_bytes(const struct coll_args *a)
{
	int64_t ts = a->kind == COLL_ALLGATHERV ? a->type_size2 : a->type_size;
	return coll_block_elements(a, 0, a->size) * ts;
}

#endif
