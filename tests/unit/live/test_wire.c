/* The segment shared with ranks: blocks come back to their maker and are used again; operations
 * come out of a ring in order, whole, whatever their sizes. */
#include "live/wire.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RANKS = 3, HEAP = 1 << 20 };

static struct wire_head *segment(void)
{
	struct wire_head *h = aligned_alloc(4096, wire_size(RANKS, HEAP));

	assert_non_null(h);
	memset(h, 0, wire_size(RANKS, HEAP));
	wire_layout(h, RANKS, HEAP);
	return h;
}

static void blocks_return_to_their_maker(void **state)
{
	struct wire_head *h = segment();
	struct wire_heap a, b;
	uint64_t first, second;

	(void)state;
	wire_heap_init(&a, h, 0);
	wire_heap_init(&b, h, 1);
	first = wire_block_new(&a, 100);
	second = wire_block_new(&a, 100);
	assert_true(first && second && first != second);
	/* 100 bytes and the block's 32 are in one of 256 */
	assert_int_equal(a.out, 512);
	wire_block_free(&b, first);
	assert_int_equal(wire_block(h, first)->owner, 0);
	assert_int_equal(wire_block_new(&a, 200), first);
	assert_int_equal(a.out, 512);
	wire_block_free(&a, second);
	assert_int_equal(a.out, 256);
	assert_int_equal(wire_block_new(&a, 129), second);
	free(h);
}

static void a_full_heap_says_so(void **state)
{
	struct wire_head *h = segment();
	struct wire_heap a;

	(void)state;
	wire_heap_init(&a, h, 0);
	assert_int_equal(wire_block_new(&a, HEAP), 0);
	assert_true(wire_block_new(&a, HEAP / 4) != 0);
	assert_int_equal(wire_block_new(&a, UINT64_MAX / 2), 0);
	free(h);
}

/* It comes back when the last of its owners has given it back, whoever that is. */
static void a_block_has_several_owners(void **state)
{
	struct wire_head *h = segment();
	struct wire_heap rank, simulator;
	uint64_t block;

	(void)state;
	wire_heap_init(&rank, h, 2);
	wire_heap_init(&simulator, h, RANKS);
	block = wire_block_new(&simulator, 1000);
	wire_block_share(h, block);
	wire_block_share(h, block);
	wire_block_free(&rank, block);
	wire_block_free(&simulator, block);
	assert_true(wire_block_new(&simulator, 1000) != block);
	wire_block_free(&rank, block);
	assert_int_equal(wire_block_new(&simulator, 1000), block);
	/* and has one owner again */
	wire_block_free(&rank, block);
	assert_int_equal(wire_block_new(&simulator, 1000), block);
	free(h);
}

/* The simulator's blocks, too, come back to it. */
static void the_simulator_has_blocks(void **state)
{
	struct wire_head *h = segment();
	struct wire_heap rank, simulator;
	uint64_t block;

	(void)state;
	wire_heap_init(&rank, h, 2);
	wire_heap_init(&simulator, h, RANKS);
	block = wire_block_new(&simulator, 1000);
	wire_block_free(&rank, block);
	assert_int_equal(wire_block_new(&rank, 1000) == block, 0);
	assert_int_equal(wire_block_new(&simulator, 1000), block);
	free(h);
}

/* Sizes that do not divide the ring, many times around it; the reader is as far behind as the ring
 * lets it be. */
static void operations_come_in_order(void **state)
{
	struct wire_head *h = segment();
	struct wire_channel *c = wire_channel(h, 1);
	uint64_t at = 0;
	uint32_t written = 0, read = 0;
	const struct wire_op *got;
	struct wire_op *op;

	(void)state;
	while (read < 10000) {
		uint32_t size = (uint32_t)sizeof *op + 8 * (written * 7919 % 101);

		op = wire_op_room(c, &at, size);
		if (op) {
			*op = (struct wire_op){.size = size, .kind = WIRE_CLOCK, .a = written++};
			atomic_store(&c->head, at);
			continue;
		}
		got = wire_op_next(c);
		assert_non_null(got);
		assert_int_equal(got->a, read++);
		assert_int_equal(got->size, sizeof *op + 8 * (got->a * 7919 % 101));
		wire_op_done(c, got);
	}
	free(h);
}

static void what_is_not_committed_is_not_seen(void **state)
{
	struct wire_head *h = segment();
	struct wire_channel *c = wire_channel(h, 0);
	uint64_t at = 0;

	(void)state;
	*wire_op_room(c, &at, sizeof(struct wire_op)) = (struct wire_op){
	    .size = sizeof(struct wire_op), .kind = WIRE_CLOCK};
	assert_null(wire_op_next(c));
	atomic_store(&c->head, at);
	assert_non_null(wire_op_next(c));
	free(h);
}

/* Nobody rests who was rung for since it looked, or longer than it wants. */
static void a_bell_ends_a_rest(void **state)
{
	const struct timespec past = {.tv_sec = 0, .tv_nsec = 1};
	struct wire_head *h = segment();
	_Atomic uint32_t *bell = wire_bell(h, 2);
	uint32_t seen = atomic_load(bell);

	(void)state;
	assert_int_equal(wire_rest(bell, 2, seen, &past), -1);
	wire_ring(bell, wire_group_bit(1));
	assert_int_equal(wire_rest(bell, 2, seen, NULL), 0);
	free(h);
}

/* 32 ranks to a word of their own, before the hosts' numbers. */
static void bells_are_of_groups(void **state)
{
	enum { MANY = 65 };
	struct wire_head *h = aligned_alloc(4096, wire_size(MANY, HEAP));
	_Atomic uint32_t *second, *third;

	(void)state;
	assert_non_null(h);
	memset(h, 0, wire_size(MANY, HEAP));
	wire_layout(h, MANY, HEAP);
	second = wire_bell(h, 32);
	third = wire_bell(h, 64);
	assert_ptr_equal(wire_bell(h, 0), wire_bell(h, 31));
	assert_ptr_equal(second, wire_bell(h, 63));
	assert_true(wire_bell(h, 31) < second && second < third);
	assert_true(wire_place(h, third + 1) <= h->hosts);
	assert_true(h->freed < wire_place(h, wire_bell(h, 0)));
	assert_int_equal(wire_group_bit(0), 1);
	assert_int_equal(wire_group_bit(63), 0x80000000u);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(blocks_return_to_their_maker),
	    cmocka_unit_test(a_full_heap_says_so),
	    cmocka_unit_test(a_block_has_several_owners),
	    cmocka_unit_test(the_simulator_has_blocks),
	    cmocka_unit_test(operations_come_in_order),
	    cmocka_unit_test(what_is_not_committed_is_not_seen),
	    cmocka_unit_test(a_bell_ends_a_rest),
	    cmocka_unit_test(bells_are_of_groups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
