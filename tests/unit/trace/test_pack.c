/* A bundle as it comes from another process, written by hand (the head of
 * src/trace/compressed/pack.c says what stands where): what a few bytes may stand for is bounded.
 */
#include "trace/compressed/pack.h"

#include "test.h"

enum { CONSTANT, LINE }; /* forms of a column (docs/formats/compressed-trace.md) */

static void numbers(struct str *s, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		varint_put(s, v[i]);
}
#define NUMBERS(s, ...) \
	numbers(s, (const uint64_t[]){__VA_ARGS__}, \
	        sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static int merge(const struct str *s, struct err *err)
{
	struct bundle b;
	int r;

	bundle_init(&b, 100);
	r = bundle_merge(&b, (const uint8_t *)s->s, s->n, NULL, err);
	bundle_release(&b);
	return r;
}

/* Lists of n equal numbers, so many of them; no classes, no members. */
static int lists_merge(uint64_t lists, uint64_t n, struct err *err)
{
	struct str s = {0};
	int r;

	NUMBERS(&s, 0, 0, lists);
	for (uint64_t i = 0; i < lists; i++)
		NUMBERS(&s, n, CONSTANT, 2 * i);
	NUMBERS(&s, 0, 0);
	r = merge(&s, err);
	str_release(&s);
	return r;
}

/* Of a run of a million ranks, a list of each is fine; 512 MiB in nine bytes are not. */
static void lists_of_a_small_bundle(void **state)
{
	struct err err;

	(void)state;
	assert_ok(lists_merge(4, 1000000, &err), err);
	assert_fails(lists_merge(1, 1 << 26, &err), err, ERR_LIMIT, "more than 8");
	assert_fails(lists_merge(1, (1 << 26) + 1, &err), err, ERR_INPUT, "damaged");
	assert_fails(lists_merge(20, 1 << 20, &err), err, ERR_LIMIT, "made to fill the memory");
}

/* A class of one call in a loop that runs 2^61 times, each time with a list of its own: as a line
 * of numbers, 2^61 * 8 is no size; as a constant it needs none. */
static int loop_merge(int form, struct err *err)
{
	static const char table[16] = {[12] = 16}; /* of slots: the last one is there */
	struct str s = {0};
	int r;

	NUMBERS(&s, 0, 0, 1, 1, CONSTANT, 10); /* a list: 5 */
	NUMBERS(&s, 1, 1, CONSTANT, 0);        /* a class of rank 0 */
	NUMBERS(&s, 1, 2, 3, 0, 4, 1);         /* nodes: a loop of a call; slots, calls */
	NUMBERS(&s, UINT64_C(1) << CALL_DONE, 0);
	NUMBERS(&s, CONSTANT, UINT64_C(1) << 62, CONSTANT, 0, CONSTANT, 0, CONSTANT, 0);
	NUMBERS(&s, CONSTANT, 2);
	NUMBERS(&s, 1, 0, 0, form == LINE ? 19 : 18);
	str_putn(&s, table, sizeof table);
	NUMBERS(&s, (uint64_t)form, 2);
	if (form == LINE)
		NUMBERS(&s, 0);
	r = merge(&s, err);
	str_release(&s);
	return r;
}

static void lists_of_a_long_loop(void **state)
{
	struct err err;

	(void)state;
	assert_ok(loop_merge(CONSTANT, &err), err);
	assert_fails(loop_merge(LINE, &err), err, ERR_INPUT, "damaged");
}

/* A class cannot have more members than are told of one by one. */
static void members_of_a_class(void **state)
{
	struct str s = {0};
	struct err err;

	(void)state;
	NUMBERS(&s, 0, 0, 0, 1, 1 << 20, LINE, 0, 2, 0, 0, 0, 0, CONSTANT, 0, 0);
	assert_fails(merge(&s, &err), err, ERR_INPUT, "damaged");
	str_release(&s);
}

/* 27 fields a call: those of the call 159,072,863 begin at 4,294,967,301, which 32 bits do not
 * hold.
 */
static void fields_of_many_calls(void **state)
{
	(void)state;
	assert_int_equal(CALL_FIELDS, 27);
	assert_int_equal(class_param_at(159072863, 0), UINT64_C(4294967301));
	assert_int_equal(class_param_at(159072863, 3), UINT64_C(4294967304));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lists_of_a_small_bundle),
	    cmocka_unit_test(lists_of_a_long_loop),
	    cmocka_unit_test(members_of_a_class),
	    cmocka_unit_test(fields_of_many_calls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
