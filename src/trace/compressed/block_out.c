/* block_out.c: see block_out.h. */
#include "block_out.h"

#include <stdlib.h>

enum { COST_BLOCK = 256 << 10 };

void block_out_release(struct block_out *o)
{
	str_release(&o->raw);
	str_release(&o->packed);
	str_release(&o->shared);
}

int block_out_head(struct block_out *o, uint32_t ranks, struct err *err)
{
	uint8_t head[HEAD_BYTES];

	head_put(head, ranks);
	return o->write(o->self, head, sizeof head, err);
}

static int packed_reserve(struct block_out *o, size_t n, struct err *err)
{
	if (o->packed.cap >= n)
		return 0;
	str_release(&o->packed);
	o->packed.s = malloc(n);
	if (!o->packed.s)
		return err_nomem(err, "a block of a trace", n);
	o->packed.cap = n;
	return 0;
}

static int block_put_ranks(struct block_out *o, enum block_kind kind, const char *bytes, size_t n,
                           uint32_t first, uint32_t last, struct err *err)
{
	struct block b = {.kind = (uint8_t)kind, .first = first, .last = last, .raw = n};
	enum block_packing packing = BLOCK_PLAIN;
	uint8_t head[BLOCK_BYTES];
	const char *stored = bytes;

	if (!o->plain && packed_reserve(o, n, err) < 0)
		return -1;
	if (!o->plain)
		b.stored = block_pack(bytes, n, o->packed.s, &packing);
	b.packing = (uint8_t)packing;
	if (packing == BLOCK_PLAIN)
		b.stored = n;
	else
		stored = o->packed.s;
	b.checksum = block_checksum(stored, b.stored);
	block_put(head, &b);
	if (o->write(o->self, head, sizeof head, err) < 0)
		return -1;
	return b.stored ? o->write(o->self, stored, b.stored, err) : 0;
}

int block_out_put(struct block_out *o, enum block_kind kind, const char *bytes, size_t n,
                  struct err *err)
{
	return block_put_ranks(o, kind, bytes, n, 0, 0, err);
}

int block_out_bundle(struct block_out *o, const struct bundle *b, uint32_t ranks, struct err *err)
{
	str_clear(&o->raw);
	str_clear(&o->shared);
	bundle_write(b, ranks, &o->raw, &o->shared);
	if (o->raw.failed || o->shared.failed)
		return err_nomem(err, "a block of a trace", o->raw.n);
	if (block_put_ranks(o, BLOCK_STRUCTURE, o->raw.s, o->raw.n, 0, b->members, err) < 0 ||
	    block_put_ranks(o, BLOCK_SHARED, o->shared.s, o->shared.n, 0, b->members, err) < 0)
		return -1;
	str_clear(&o->raw);
	return 0;
}

static void u32_put(struct str *s, uint32_t v)
{
	char p[4] = {(char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};

	str_putn(s, p, 4);
}

int block_out_costs(struct block_out *o, uint32_t rank, const uint8_t *own, size_t n,
                    struct err *err)
{
	if (o->raw.n == 0)
		o->first = rank;
	o->last = rank;
	u32_put(&o->raw, rank);
	u32_put(&o->raw, (uint32_t)n);
	str_putn(&o->raw, (const char *)own, n);
	return o->raw.n < COST_BLOCK ? 0 : block_out_costs_end(o, err);
}

int block_out_costs_end(struct block_out *o, struct err *err)
{
	int r = 0;

	if (o->raw.failed)
		return err_nomem(err, "a block of a trace", o->raw.n);
	if (o->raw.n > 0)
		r = block_put_ranks(o, BLOCK_COSTS, o->raw.s, o->raw.n, o->first, o->last, err);
	str_clear(&o->raw);
	return r;
}
