/* test_arena.c: alignment, zeroes, separate pieces, big pieces. */
#include "base/arena.h"

#include "test.h"

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
	unsigned char *piece[400];
	struct arena a;
	struct err err;
	size_t i, j;

	(void)state;
	arena_init(&a);
	for (i = 0; i < 400; i++) {
		piece[i] = arena_alloc(&a, i, &err);
		assert_non_null(piece[i]);
		assert_int_equal((uintptr_t)piece[i] % 16, 0);
		for (j = 0; j < i; j++)
			assert_int_equal(piece[i][j], 0);
		memset(piece[i], (int)(i & 255), i);
	}
	for (i = 0; i < 400; i++)
		for (j = 0; j < i; j++)
			assert_int_equal(piece[i][j], i & 255);
	assert_true(a.used >= 400 * 399 / 2);
	arena_release(&a);
	assert_int_equal(a.used, 0);
}

static void big_pieces_do_not_waste_the_current_block(void **state)
{
	char *before, *big, *after;
	struct arena a;
	struct err err;

	(void)state;
	arena_init(&a);
	before = arena_alloc(&a, 16, &err);
	big = arena_alloc(&a, (size_t)8 << 20, &err);
	after = arena_alloc(&a, 16, &err);
	assert_non_null(big);
	big[((size_t)8 << 20) - 1] = 1;
	assert_ptr_equal(after, before + 16);
	arena_release(&a);
}

static void impossible_size(void **state)
{
	struct arena a;
	struct err err;

	(void)state;
	arena_init(&a);
	assert_null(arena_alloc(&a, SIZE_MAX, &err));
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_null(arena_alloc(&a, SIZE_MAX / 2, &err));
	arena_release(&a);
}

static void copies(void **state)
{
	struct arena a;
	struct err err;

	(void)state;
	arena_init(&a);
	assert_string_equal(arena_strndup(&a, "graphene-12", 8, &err), "graphene");
	assert_string_equal(arena_strndup(&a, "", 0, &err), "");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
	    cmocka_unit_test(big_pieces_do_not_waste_the_current_block),
	    cmocka_unit_test(impossible_size),
	    cmocka_unit_test(copies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
