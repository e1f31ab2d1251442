/* prop_broken.c: a segment into which a rank has written anything: the simulator's side of it stays
 * within the segment, comes to an end, and takes nothing for a block that is none. The segment lies
 * between two pages that nobody may touch. */
#include "live/wire.h"

#include "../prop.h"
#include "base/rng.h"

#include <sys/mman.h>

enum { RANKS = 2, HEAP = 1 << 18, PAGE = 4096, CASES = 400 };

struct fenced {
	unsigned char *all;
	size_t size;
	struct wire_head *head;
};

static struct fenced segment(void)
{
	struct fenced f = {.size = (size_t)wire_size(RANKS, HEAP)};

	assert_int_equal(f.size % PAGE, 0);
	f.all = mmap(NULL, f.size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(f.all, MAP_FAILED);
	f.head = (struct wire_head *)(void *)(f.all + PAGE);
	assert_int_equal(mprotect(f.head, f.size, PROT_READ | PROT_WRITE), 0);
	wire_layout(f.head, RANKS, HEAP);
	return f;
}

static void segment_end(struct fenced *f)
{
	munmap(f->all, f->size + 2 * PAGE);
}

static uint64_t odd_number(struct rng *r)
{
	static const uint64_t odd[] = {
	    0,    1,         2,         7,          8,         63,         64,
	    4096, WIRE_RING, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, (uint64_t)1 << 63};

	return rng_below(r, 3) ? odd[rng_below(r, sizeof odd / sizeof *odd)] : rng_u64(r);
}

/* --- rings: sizes and kinds are anything --- */

static void ring_fill(struct wire_channel *c, struct rng *r, uint64_t *at)
{
	struct wire_op *op;
	uint32_t size;

	do {
		size = (uint32_t)(sizeof *op + 8 * rng_below(r, 60));
		op = wire_op_room(c, at, size);
		if (op)
			*op = (struct wire_op){.size = size, .kind = WIRE_COMPUTE};
	} while (op && rng_below(r, 40));
	atomic_store(&c->head, *at);
}

static void ring_break(struct wire_channel *c, struct rng *r)
{
	for (uint64_t n = 1 + rng_below(r, 6); n > 0; n--) {
		uint64_t x = odd_number(r), place = 8 * rng_below(r, WIRE_RING / 8);

		if (rng_below(r, 2)) /* where operations are, if they are of the least size */
			place = place / sizeof(struct wire_op) * sizeof(struct wire_op);
		memcpy(c->ring + place, &x, sizeof x);
	}
	if (rng_below(r, 4) == 0)
		atomic_fetch_add(&c->head, 8 * rng_below(r, 200));
}

/* Each operation lies in the ring and before the head; reading ends, with nothing or with what is
 * none. */
static void ring_read(struct wire_channel *c)
{
	const struct wire_op *op;
	uint64_t n = 0, before = atomic_load(&c->tail);

	while ((op = wire_op_next(c)) && op->kind != WIRE_KINDS) {
		const unsigned char *p = (const unsigned char *)op;

		assert_true(p >= c->ring && p + op->size <= c->ring + WIRE_RING);
		assert_true(op->size >= sizeof *op);
		wire_op_done(c, op);
		assert_true(atomic_load(&c->tail) > before);
		assert_true(atomic_load(&c->tail) <= atomic_load(&c->head));
		before = atomic_load(&c->tail);
		assert_true(++n <= 2 * WIRE_RING / sizeof *op + 200);
	}
}

static void rings(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(CASES); seed++) {
		struct fenced f = segment();
		struct wire_channel *c = wire_channel(f.head, (uint32_t)(seed % RANKS));
		uint64_t at = 0;
		struct rng r;

		rng_init(&r, seed, "rings", 0);
		for (int i = 0; i < 3; i++) {
			ring_fill(c, &r, &at);
			if (i == 2)
				ring_break(c, &r);
			ring_read(c);
		}
		segment_end(&f);
	}
}

/* --- blocks: their heads and what a rank gives back are anything --- */

enum { BLOCKS = 40 };

static void heads_break(const struct wire_head *h, struct rng *r, const uint64_t *block, int n)
{
	for (int i = 0; i < n; i++) {
		struct wire_block *b = wire_block(h, block[i]);

		if (rng_below(r, 3) == 0)
			b->class = (uint32_t)odd_number(r);
		if (rng_below(r, 4) == 0)
			b->owner = (uint32_t)odd_number(r);
		if (rng_below(r, 3) == 0)
			atomic_store(&b->next, odd_number(r));
	}
}

static void blocks(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(CASES); seed++) {
		struct fenced f = segment();
		struct wire_heap rank, simulator;
		uint64_t block[BLOCKS], made;
		struct rng r;

		rng_init(&r, seed, "blocks", 0);
		wire_heap_init(&rank, f.head, 0);
		wire_heap_init(&simulator, f.head, RANKS);
		for (int i = 0; i < BLOCKS; i++) {
			block[i] = wire_block_new(rng_below(&r, 2) ? &rank : &simulator,
			                          rng_below(&r, 3000));
			assert_true(block[i] != 0);
		}
		heads_break(f.head, &r, block, BLOCKS);
		for (int i = 0; i < BLOCKS; i++)
			wire_block_free(&simulator, rng_below(&r, 4) ? block[i] : odd_number(&r));
		heads_break(f.head, &r, block, BLOCKS);
		for (int i = 0; i < BLOCKS; i++) {
			uint64_t bytes = rng_below(&r, 3000);

			made = wire_block_new(&simulator, bytes);
			assert_true(made == 0 || (made > f.head->heap && made < f.head->heap_end));
		}
		segment_end(&f);
	}
}

/* Only blocks hold anything, and no more than there is. */
static void holds(void **state)
{
	struct fenced f = segment();
	struct wire_heap heap;
	struct rng r;

	(void)state;
	wire_heap_init(&heap, f.head, 0);
	rng_init(&r, prop_seed(1), "holds", 0);
	for (int i = 0; i < 200; i++) {
		uint64_t bytes = rng_below(&r, 5000), block = wire_block_new(&heap, bytes),
		         room = 64;

		if (!block)
			break;
		while (room < bytes + sizeof(struct wire_block))
			room *= 2;
		room -= sizeof(struct wire_block);
		assert_true(wire_block_holds(f.head, block, bytes));
		assert_true(wire_block_holds(f.head, block, room));
		assert_false(wire_block_holds(f.head, block, room + 1));
		assert_false(wire_block_holds(f.head, block, UINT64_MAX));
		assert_false(wire_block_holds(f.head, block + 1, 0));
	}
	for (int i = 0; i < 2000; i++) {
		uint64_t x = odd_number(&r);

		if (x < f.head->heap || x >= f.head->heap_end)
			assert_false(wire_block_holds(f.head, x, 0));
	}
	assert_false(wire_block_holds(f.head, f.head->heap, 0)); /* no room for its own head */
	segment_end(&f);
}

/* What is no block is not given back: nobody gets it. */
static void no_block(void **state)
{
	struct fenced f = segment();
	struct wire_heap heap;
	uint64_t a;

	(void)state;
	wire_heap_init(&heap, f.head, 0);
	a = wire_block_new(&heap, 100);
	wire_block_free(&heap, 0);
	wire_block_free(&heap, f.head->heap_end);
	wire_block_free(&heap, a + 4);
	wire_block_free(&heap, a + 8 * (f.size / 8)); /* beyond the end */
	assert_int_equal(heap.free[2], 0);            /* of its class: 256 bytes */
	assert_int_equal(wire_block_new(&heap, 100), a + 256);
	segment_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rings), cmocka_unit_test(blocks),
	                                   cmocka_unit_test(holds), cmocka_unit_test(no_block)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
