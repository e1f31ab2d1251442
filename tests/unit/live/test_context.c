/* Contexts: each goes on where it was, with its own registers, stack and rounding. */
#include "live/coro/context.h"
#include "test.h"

#include <fenv.h>
#include <stdlib.h>

static void *here, *there;
static int steps;

#if CORO_CONTEXTS
static void counts(void *argument)
{
	int *to = argument, mine = 0;

	assert_int_equal((uintptr_t)__builtin_frame_address(0) % 16, 0);
	for (;;) {
		*to = ++mine;
		if (mine == 2)
			fesetround(FE_UPWARD);
		if (mine > 2)
			assert_int_equal(fegetround(), FE_UPWARD);
		steps++;
		coro_switch(&there, here);
	}
}

static void contexts_keep_what_is_theirs(void **state)
{
	unsigned char *stack = aligned_alloc(4096, 65536);
	int seen = 0;

	(void)state;
	assert_non_null(stack);
	there = coro_context(stack + 65536, counts, &seen);
	for (int i = 1; i <= 5; i++) {
		coro_switch(&here, there);
		assert_int_equal(seen, i);
		assert_int_equal(fegetround(), FE_TONEAREST);
	}
	assert_int_equal(steps, 5);
	free(stack);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
#if CORO_CONTEXTS
		cmocka_unit_test(contexts_keep_what_is_theirs),
#endif
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
