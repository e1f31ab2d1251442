/* block_out.h: the blocks of a compressed file, one after the other, to whoever writes them. */
#ifndef ORRERY_TRACE_BLOCK_OUT_H
#define ORRERY_TRACE_BLOCK_OUT_H

#include "block.h"
#include "bundle.h"

struct block_out {
	int (*write)(void *self, const void *bytes, size_t n, struct err *err);
	void *self;
	struct str raw, packed, shared;
	uint32_t first, last; /* costs: ranks of those in raw */
	int plain;            /* nothing is packed: what is read again soon */
};
void block_out_release(struct block_out *o);
int block_out_head(struct block_out *o, uint32_t ranks, struct err *err);
/* A block of any kind, with these bytes. */
int block_out_put(struct block_out *o, enum block_kind kind, const char *bytes, size_t n,
                  struct err *err);
/* The structure of a bundle and its shared costs; then the costs of its ranks, which must rise, and
 * block_out_costs_end. */
int block_out_bundle(struct block_out *o, const struct bundle *b, uint32_t ranks, struct err *err);
int block_out_costs(struct block_out *o, uint32_t rank, const uint8_t *own, size_t n,
                    struct err *err);
int block_out_costs_end(struct block_out *o, struct err *err);

#endif
