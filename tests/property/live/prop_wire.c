/* prop_wire.c: the segment of a live run against a model that a child would write: blocks in use
 * never overlap and keep their bytes, whoever frees them; what is out is what was not freed;
 * operations of any size leave a ring as they went in, in order, and none is put over one that was
 * not read. */
#include "live/wire.h"

#include "../prop.h"
#include "base/rng.h"

enum { RANKS = 3, HEAP = 1 << 20, LIVE_MOST = 300 };

static struct wire_head *segment(void)
{
	struct wire_head *h = aligned_alloc(4096, wire_size(RANKS, HEAP));

	assert_non_null(h);
	memset(h, 0, wire_size(RANKS, HEAP));
	wire_layout(h, RANKS, HEAP);
	return h;
}

/* --- blocks --- */

struct made {
	uint64_t block, bytes;
	uint32_t owner;
	uint8_t fill;
};
struct model {
	struct wire_head *head;
	struct wire_heap heap[RANKS + 1];
	struct made made[LIVE_MOST];
	uint32_t n;
};

static void block_make(struct model *m, struct rng *r)
{
	uint32_t owner = (uint32_t)rng_below(r, RANKS + 1);
	uint64_t bytes = rng_below(r, UINT64_C(1) << rng_below(r, 14));
	uint64_t block = wire_block_new(&m->heap[owner], bytes);
	struct made *x = &m->made[m->n];

	if (!block)
		return;
	assert_int_equal(block % 16, 0);
	assert_true(block >= m->head->heap && block + bytes <= m->head->heap_end);
	for (uint32_t i = 0; i < m->n; i++)
		assert_true(block + bytes <= m->made[i].block - sizeof(struct wire_block) ||
		            m->made[i].block + m->made[i].bytes <=
		                block - sizeof(struct wire_block));
	*x = (struct made){block, bytes, owner, (uint8_t)rng_u64(r)};
	memset(wire_at(m->head, block), x->fill, bytes);
	m->n++;
}

static void block_drop(struct model *m, struct rng *r)
{
	uint32_t i = (uint32_t)rng_below(r, m->n);
	struct made *x = &m->made[i];
	const uint8_t *data = wire_at(m->head, x->block);

	for (uint64_t k = 0; k < x->bytes; k++)
		assert_int_equal(data[k], x->fill);
	assert_int_equal(wire_block(m->head, x->block)->owner, x->owner);
	wire_block_free(&m->heap[rng_below(r, RANKS + 1)], x->block);
	*x = m->made[--m->n];
}

/* Powers of two from 64 bytes on, with 32 bytes of head. */
static uint64_t room_of(uint64_t bytes)
{
	uint64_t room = 64;

	while (room < bytes + sizeof(struct wire_block))
		room *= 2;
	return room;
}

/* What a process has out is no less than what it made and nobody freed: what others gave back is
 * counted when it is taken up. */
static void out_is_counted(const struct model *m)
{
	uint64_t out[RANKS + 1] = {0};

	for (uint32_t i = 0; i < m->n; i++)
		out[m->made[i].owner] += room_of(m->made[i].bytes);
	for (uint32_t k = 0; k <= RANKS; k++)
		assert_true(m->heap[k].out >= out[k]);
	assert_true(atomic_load(&m->head->heap_top) <= m->head->heap_end);
}

static void blocks_are_apart(void **state)
{
	static struct model m;
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 8; i++) {
		m = (struct model){.head = segment()};
		rng_init(&r, prop_seed(i), "blocks", 0);
		for (uint32_t k = 0; k <= RANKS; k++)
			wire_heap_init(&m.heap[k], m.head, k);
		for (int step = 0; step < 3000; step++) {
			if (m.n == 0 || (m.n < LIVE_MOST && rng_below(&r, 9) < 5))
				block_make(&m, &r);
			else
				block_drop(&m, &r);
			out_is_counted(&m);
		}
		free(m.head);
	}
}

/* --- rings --- */

/* An operation of a size is filled with its number. */
static int op_put(struct wire_channel *c, uint64_t number, uint32_t size)
{
	uint64_t at = atomic_load(&c->head);
	struct wire_op *op = wire_op_room(c, &at, size);

	if (!op)
		return 0;
	memset(op, (int)(number & 0xff), size);
	op->size = size;
	op->kind = WIRE_COMPUTE;
	op->site = number;
	atomic_store(&c->head, at);
	return 1;
}

static void op_take(struct wire_channel *c, uint64_t number, uint32_t size)
{
	const struct wire_op *op = wire_op_next(c);

	assert_non_null(op);
	assert_ptr_equal(wire_op_next(c), op); /* a look takes nothing */
	assert_int_equal(op->site, number);
	assert_int_equal(op->size, size);
	for (uint32_t i = sizeof *op; i < size; i++)
		assert_int_equal(((const uint8_t *)op)[i], number & 0xff);
	wire_op_done(c, op);
}

static uint32_t some_size(struct rng *r)
{
	return (uint32_t)(sizeof(struct wire_op) + 8 * rng_below(r, 1 + WIRE_INLINE / 8));
}

static void rings_keep_order(void **state)
{
	enum { OPS = 4000, WAITING = WIRE_RING / sizeof(struct wire_op) + 1 };
	static uint32_t size[OPS];
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 6; i++) {
		struct wire_head *h = segment();
		struct wire_channel *c = wire_channel(h, (uint32_t)i % RANKS);
		uint64_t in = 0, out = 0, bytes = 0;

		rng_init(&r, prop_seed(i), "rings", 0);
		while (out < OPS) {
			int puts = in < OPS && rng_below(&r, 10) < 3 + i;

			if (puts && !size[in])
				size[in] = some_size(&r);
			if (puts && op_put(c, in, size[in]))
				bytes += size[in++];
			else if (out < in) {
				op_take(c, out, size[out]);
				bytes -= size[out++];
			}
			assert_true(bytes <= WIRE_RING);
			if (in == out)
				assert_null(wire_op_next(c));
		}
		memset(size, 0, sizeof size);
		free(h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(blocks_are_apart),
	    cmocka_unit_test(rings_keep_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
