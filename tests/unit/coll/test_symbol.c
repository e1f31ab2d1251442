/* Runs of symbolic bytes against a plain array of bytes; sets of ranks against bit arithmetic. */
#include "base/base.h"
#include "coll/verify/symbol.h"
#include "test.h"

enum { BYTES = 40, SOURCES = 60, STEPS = 20000 };

static uint64_t seed = 20261121;
static uint32_t below(uint32_t n)
{
	seed = hash_mix(seed + 1);
	return (uint32_t)(seed % n);
}

/* Writes of random pieces leave the same bytes in both. Bytes are whose * 1000 + index; -1: not
 * written. */
static void test_runs_are_bytes(void **state)
{
	(void)state;
	struct runs mem = {0}, in = {0}, out = {0};
	struct err err = {0};
	int bytes[BYTES];
	memset(bytes, -1, sizeof bytes);
	for (int step = 0; step < STEPS; step++) {
		int64_t off = below(BYTES), len = below((uint32_t)(BYTES - off) + 1), missing;
		in.n = 0;
		for (int64_t at = 0; at < len;) {
			int64_t n = 1 + below((uint32_t)(len - at));
			struct run run = {
			    .off = at, .len = n, .index = below(SOURCES), .whose = below(3)};
			assert_ok(runs_add(&in, run, &err), err);
			for (int64_t i = 0; i < n; i++)
				bytes[off + at + i] = (int)(run.whose * 1000 + run.index + i);
			at += n;
		}
		assert_ok(runs_write(&mem, off, len, &in, &err), err);
		off = below(BYTES);
		len = below((uint32_t)(BYTES - off) + 1);
		assert_ok(runs_read(&mem, off, len, &out, &missing, &err), err);
		int64_t end = missing < 0 ? off + len : missing, at = off;
		assert_true(missing < 0 || bytes[missing] == -1);
		for (uint32_t i = 0; i < out.n; i++)
			for (int64_t k = 0; k < out.v[i].len; k++, at++)
				assert_int_equal(bytes[at],
				                 out.v[i].whose * 1000 + out.v[i].index + k);
		assert_int_equal(at, end);
		if (step % 100 == 0) {
			mem.n = 0;
			memset(bytes, -1, sizeof bytes);
		}
	}
	runs_release(&mem);
	runs_release(&in);
	runs_release(&out);
}

static void test_sets(void **state)
{
	(void)state;
	struct sets s;
	struct err err = {0};
	char text[64];
	uint32_t low, high, all, again, odd;
	assert_ok(sets_init(&s, 100, &err), err);
	assert_ok(sets_range(&s, 0, 70, &low, &err), err);
	assert_ok(sets_range(&s, 70, 100, &high, &err), err);
	assert_ok(sets_range(&s, 69, 70, &odd, &err), err);
	assert_ok(sets_union(&s, high, low, &all, &err), err);
	assert_ok(sets_range(&s, 0, 100, &again, &err), err);
	assert_int_equal(all, again);
	assert_false(sets_meet(&s, low, high));
	assert_true(sets_meet(&s, low, odd));
	assert_true(sets_before(&s, low, high) && sets_before(&s, odd, high));
	assert_false(sets_before(&s, high, low) || sets_before(&s, low, odd) ||
	             sets_before(&s, low, all));
	assert_ok(sets_union(&s, high, odd, &odd, &err), err);
	assert_string_equal(sets_format(&s, odd, text, sizeof text), "{69-99}");
	sets_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_runs_are_bytes),
	                                   cmocka_unit_test(test_sets)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
