/* fault_containers.c: growing arrays, tables, heap and arena when memory runs out at each point. */
#include "base/base.h"
#include "base/slots.h"

#include "fault/fault.h"
#include "test.h"

static int fill_hash64(void *arg, struct err *err)
{
	struct hash64 h;
	uint64_t i;
	int result = 0;

	(void)arg;
	hash64_init(&h);
	for (i = 0; i < 100 && result == 0; i++)
		result = hash64_put(&h, i, (uint32_t)i, err);
	for (i = 0; i < h.n; i++) /* what went in before the fault is still there */
		assert_int_equal(hash64_find(&h, i), i);
	hash64_release(&h);
	return result;
}

static int fill_hash_str(void *arg, struct err *err)
{
	struct hash_str h;
	char name[16];
	uint32_t i;
	int result = 0;

	(void)arg;
	hash_str_init(&h);
	for (i = 0; i < 50 && result == 0; i++) {
		snprintf(name, sizeof name, "%u", i);
		result = hash_str_put(&h, name, i, err);
	}
	hash_str_release(&h);
	return result;
}

static int fill_heap(void *arg, struct err *err)
{
	struct heap h;
	uint32_t i;
	int result = 0;

	(void)arg;
	heap_init(&h);
	for (i = 0; i < 100 && result == 0; i++)
		result = heap_set(&h, i, 100 - i, i, err);
	while (heap_top(&h))
		heap_pop(&h);
	heap_release(&h);
	return result;
}

static int fill_arena(void *arg, struct err *err)
{
	struct arena a;
	int i, result = 0;

	(void)arg;
	arena_init(&a);
	for (i = 0; i < 100 && result == 0; i++)
		result = arena_strndup(&a, "some name that is kept", 22, err) &&
		                 arena_alloc(&a, 1000, err)
		             ? 0
		             : -1;
	arena_release(&a);
	return result;
}

static int fill_str(void *arg, struct err *err)
{
	struct str s;
	int i, failed;

	(void)arg;
	str_init(&s);
	for (i = 0; i < 100; i++) {
		str_printf(&s, "%d ", i);
		str_puts(&s, "text");
		str_put_double(&s, 0.1 * i);
	}
	failed = s.failed;
	str_release(&s);
	return failed ? err_nomem(err, "a text", 1) : 0;
}

static int fill_slots(void *arg, struct err *err)
{
	enum { MANY = 1000 };
	struct slots s;
	uint32_t i, id = 0;

	(void)arg;
	slots_init(&s, sizeof(uint32_t[2]), 0, "numbers");
	for (i = 0; i < MANY && id != SLOTS_NONE; i++) {
		id = slots_take(&s, err);
		if (id == SLOTS_NONE)
			break;
		assert_int_equal(id, i);
		((uint32_t *)slots_at(&s, id, sizeof(uint32_t[2])))[1] = i;
	}
	assert_int_equal(s.n, i);
	while (i-- > 0) /* what was taken before the fault is still there, and can be given back */
		assert_int_equal(((uint32_t *)slots_at(&s, i, sizeof(uint32_t[2])))[1], i);
	for (i = 0; i < s.n; i++)
		slots_give(&s, i);
	assert_true(s.n == 0 || slots_take(&s, NULL) == s.n - 1);
	slots_release(&s);
	return id == SLOTS_NONE ? -1 : 0;
}

static void containers(void **state)
{
	(void)state;
	fault_sweep(FAULT_ALLOC, fill_hash64, NULL);
	fault_sweep(FAULT_ALLOC, fill_hash_str, NULL);
	fault_sweep(FAULT_ALLOC, fill_heap, NULL);
	fault_sweep(FAULT_ALLOC, fill_arena, NULL);
	fault_sweep(FAULT_ALLOC, fill_str, NULL);
	assert_true(fault_sweep(FAULT_ALLOC, fill_slots, NULL) > 1000 / SLOTS_EACH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(containers)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
