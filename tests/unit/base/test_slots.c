/* test_slots.c: ids and pointers of slots; what is kept in a record; what is refused. Against a
 * simple model: prop_slots.c. */
#include "base/memory.h"
#include "base/slots.h"

#include "test.h"

struct record {
	uint64_t a;
	uint32_t link;
	uint8_t taken;
};

static struct record *at(const struct slots *s, uint32_t id)
{
	return slots_at(s, id, sizeof(struct record));
}

static void begin(struct slots *s)
{
	slots_init(s, sizeof(struct record), offsetof(struct record, link), "things");
}

static void last_given_is_first_taken(void **state)
{
	struct slots s;
	struct err err;

	(void)state;
	begin(&s);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(slots_take(&s, &err), i);
	slots_give(&s, 1);
	slots_give(&s, 4);
	slots_give(&s, 2);
	assert_int_equal(slots_take(&s, &err), 2);
	assert_int_equal(slots_take(&s, &err), 4);
	assert_int_equal(slots_take(&s, &err), 1);
	assert_int_equal(slots_take(&s, &err), 5);
	slots_release(&s);
}

/* Over many segments, and the growth of their table. */
static void pointers_hold(void **state)
{
	enum { MANY = 10000 };
	static struct record *known[MANY];
	struct slots s;
	struct err err;

	(void)state;
	begin(&s);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(slots_take(&s, &err), i);
		known[i] = at(&s, i);
		*known[i] = (struct record){.a = i, .link = i};
	}
	for (uint32_t i = 0; i < MANY; i++) {
		assert_ptr_equal(at(&s, i), known[i]);
		assert_int_equal(known[i]->a, i);
		assert_int_equal(known[i]->link, i);
	}
	slots_release(&s);
}

static void all_but_the_link_is_kept(void **state)
{
	struct slots s;
	struct err err;
	uint32_t id;

	(void)state;
	begin(&s);
	id = slots_take(&s, &err);
	slots_take(&s, &err);
	*at(&s, id) = (struct record){.a = 0x0123456789abcdef, .link = 7, .taken = 1};
	slots_give(&s, id);
	assert_int_equal(at(&s, id)->taken, 1);
	assert_int_equal(slots_take(&s, &err), id);
	assert_int_equal(at(&s, id)->a, 0x0123456789abcdef);
	assert_int_equal(at(&s, id)->taken, 1);
	slots_release(&s);
}

/* A few records are one segment; as many as were ever taken at once need no other. */
static void warm_takes_nothing(void **state)
{
	struct slots s;
	struct err err;

	(void)state;
	begin(&s);
	assert_null(s.segment);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < SLOTS_EACH; i++)
			assert_true(slots_take(&s, &err) < SLOTS_EACH);
		assert_int_equal(s.segments, 1);
		for (uint32_t i = 0; i < SLOTS_EACH; i++)
			slots_give(&s, i);
	}
	for (uint32_t i = 0; i <= SLOTS_EACH; i++)
		slots_take(&s, &err);
	assert_int_equal(s.segments, 2);
	slots_release(&s);
	assert_int_equal(s.n, 0);
	assert_int_equal(slots_take(&s, &err), 0); /* as after slots_init */
	slots_release(&s);
}

/* So many are taken already, it is said: no memory is behind them. */
static void pretend(struct slots *s, size_t size, uint32_t segments)
{
	slots_init(s, size, 0, "things");
	s->segments = s->cap = segments;
	s->n = segments << SLOTS_SHIFT;
}

static void refuses_too_much(void **state)
{
	enum { MEBIBYTE = 1 << 20, SEGMENTS = 1 << 20 };
	struct slots s;
	struct err err = {0};

	(void)state;
	/* half as much again, or a sixteenth: segments of 64 MiB */
	if (memory_left() > (uint64_t)SEGMENTS / 16 * SLOTS_EACH * MEBIBYTE)
		skip();
	pretend(&s, MEBIBYTE, SEGMENTS);
	assert_int_equal(slots_take(&s, &err), SLOTS_NONE);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, "things take 4194304 MiB more, and this computer has "));
	assert_int_equal(s.n, SEGMENTS << SLOTS_SHIFT);
	assert_int_equal(s.cap, SEGMENTS);
}

static void refuses_too_many(void **state)
{
	struct slots s;
	struct err err = {0};

	(void)state;
	pretend(&s, sizeof(uint32_t), UINT32_MAX >> SLOTS_SHIFT);
	assert_int_equal(slots_take(&s, &err), SLOTS_NONE);
	assert_int_equal(err.kind, ERR_LIMIT);
	assert_non_null(strstr(err.text, "too many things"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(last_given_is_first_taken), cmocka_unit_test(pointers_hold),
	    cmocka_unit_test(all_but_the_link_is_kept),  cmocka_unit_test(warm_takes_nothing),
	    cmocka_unit_test(refuses_too_much),          cmocka_unit_test(refuses_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
