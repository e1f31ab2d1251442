/* test_requests.c: tests of tracer/requests.c. */
#include "test.h"

#include "tracer/requests.h"

static struct err err;

static uint32_t add(struct requests *r, uint64_t handle, uint16_t flags)
{
	uint32_t i = request_add(r, handle, flags, &err);

	assert_true(i != REQUEST_NONE);
	return i;
}

static uint32_t claim_one(struct requests *r, uint64_t handle)
{
	requests_pass(r);
	return request_claim(r, handle);
}

static void test_numbers_are_used_again_least_first(void **state)
{
	struct requests r;

	(void)state;
	requests_init(&r);
	assert_int_equal(add(&r, 100, REQUEST_ACTIVE), 0);
	assert_int_equal(add(&r, 101, REQUEST_ACTIVE), 1);
	assert_int_equal(add(&r, 102, REQUEST_ACTIVE), 2);
	request_remove(&r, 0);
	request_remove(&r, 2);
	assert_int_equal(add(&r, 103, REQUEST_ACTIVE), 0);
	assert_int_equal(add(&r, 104, REQUEST_ACTIVE), 2);
	assert_int_equal(add(&r, 105, REQUEST_ACTIVE), 3);
	assert_int_equal(r.active, 4);
	requests_release(&r);
}

static void test_shared_handle_gives_the_oldest(void **state)
{
	struct requests r;

	(void)state;
	requests_init(&r);
	add(&r, 7, REQUEST_ACTIVE);
	add(&r, 8, REQUEST_ACTIVE);
	add(&r, 7, REQUEST_ACTIVE);
	add(&r, 7, REQUEST_ACTIVE);
	/* a waitall over all three takes them in order, and no fourth */
	requests_pass(&r);
	assert_int_equal(request_claim(&r, 7), 0);
	assert_int_equal(request_claim(&r, 7), 2);
	assert_int_equal(request_claim(&r, 8), 1);
	assert_int_equal(request_claim(&r, 7), 3);
	assert_int_equal(request_claim(&r, 7), REQUEST_NONE);
	assert_int_equal(request_claim(&r, 9), REQUEST_NONE);
	/* waits one by one */
	for (uint32_t expected = 0; expected < 4; expected += expected ? 1 : 2) {
		assert_int_equal(claim_one(&r, 7), expected);
		request_remove(&r, expected);
	}
	assert_int_equal(claim_one(&r, 7), REQUEST_NONE);
	assert_int_equal(claim_one(&r, 8), 1);
	requests_release(&r);
}

static void test_removal_from_the_middle_and_the_end(void **state)
{
	struct requests r;

	(void)state;
	requests_init(&r);
	for (int i = 0; i < 4; i++)
		add(&r, 7, REQUEST_ACTIVE);
	request_remove(&r, 1);
	request_remove(&r, 3);
	assert_int_equal(add(&r, 7, REQUEST_ACTIVE), 1);
	requests_pass(&r);
	assert_int_equal(request_claim(&r, 7), 0);
	assert_int_equal(request_claim(&r, 7), 2);
	assert_int_equal(request_claim(&r, 7), 1);
	assert_int_equal(request_claim(&r, 7), REQUEST_NONE);
	requests_release(&r);
}

static void test_persistent_stays(void **state)
{
	struct requests r;
	uint32_t i;

	(void)state;
	requests_init(&r);
	i = add(&r, 5, REQUEST_PERSISTENT | REQUEST_WILDCARD);
	assert_int_equal(r.wildcards, 0);
	request_activate(&r, i);
	request_activate(&r, i);
	assert_int_equal(r.wildcards, 1);
	assert_int_equal(r.active, 1);
	request_deactivate(&r, i);
	assert_int_equal(r.wildcards, 0);
	assert_int_equal(claim_one(&r, 5), i);
	request_remove(&r, i);
	assert_int_equal(r.active, 0);
	assert_int_equal(claim_one(&r, 5), REQUEST_NONE);
	requests_release(&r);
}

/* Against a plain list: the oldest with a handle is the one that is claimed. */
static void test_against_a_list(void **state)
{
	enum { N = 64, STEPS = 20000 };
	struct {
		uint64_t handle;
		uint32_t number;
	} list[N];
	uint32_t n = 0, seed = 12345;
	struct requests r;

	(void)state;
	requests_init(&r);
	for (int step = 0; step < STEPS; step++) {
		uint64_t handle = (seed = seed * 1103515245 + 12345) >> 16 & 7;
		uint32_t i = 0, number;

		if (n < N && (seed >> 24 & 1)) {
			list[n].handle = handle;
			list[n++].number = add(&r, handle, REQUEST_ACTIVE);
			continue;
		}
		number = claim_one(&r, handle);
		while (i < n && list[i].handle != handle)
			i++;
		assert_int_equal(number, i < n ? list[i].number : REQUEST_NONE);
		if (i == n)
			continue;
		request_remove(&r, number);
		memmove(&list[i], &list[i + 1], (n - i - 1) * sizeof *list);
		n--;
	}
	assert_int_equal(r.active, n);
	requests_release(&r);
}

/* Kept by place with its number, until that is forgotten; another at the same place takes it over,
 * and one too many the oldest. */
static void test_completed_ones_are_kept(void **state)
{
	struct requests r;
	uint32_t i;

	(void)state;
	requests_init(&r);
	assert_int_equal(request_kept(&r, 5), REQUEST_NONE);
	for (i = 0; i < 3; i++)
		add(&r, 100 + i, REQUEST_ACTIVE);
	assert_int_equal(request_keep(&r, 1, 5000, &err), 0);
	assert_int_equal(claim_one(&r, 101), REQUEST_NONE);
	assert_int_equal(request_kept(&r, 5000), 1);
	assert_int_equal(r.slots[1].flags, REQUEST_SEEN);
	assert_int_equal(r.active, 2);
	assert_int_equal(add(&r, 103, REQUEST_ACTIVE), 3); /* 1 is not free */
	assert_int_equal(request_keep(&r, 0, 6000, &err), 0);
	assert_int_equal(request_keep(&r, 3, 5000, &err), 0);
	assert_int_equal(request_kept(&r, 5000), 3);
	assert_int_equal(add(&r, 104, REQUEST_ACTIVE), 1);
	request_forget(&r, 3);
	assert_int_equal(request_kept(&r, 5000), REQUEST_NONE);
	assert_int_equal(add(&r, 105, REQUEST_ACTIVE), 3);
	for (i = 0; i < REQUESTS_KEPT; i++) {
		uint32_t k = add(&r, 1000 + i, REQUEST_ACTIVE);

		assert_int_equal(request_keep(&r, k, 10000 + i, &err), 0);
	}
	assert_int_equal(r.n_kept, REQUESTS_KEPT);
	assert_int_equal(request_kept(&r, 6000), REQUEST_NONE);
	assert_int_equal(add(&r, 106, REQUEST_ACTIVE), 0);
	assert_int_equal(r.active, 4);
	request_activate(&r, add(&r, 107, REQUEST_PERSISTENT | REQUEST_SEEN));
	assert_int_equal(r.slots[claim_one(&r, 107)].flags,
	                 REQUEST_PERSISTENT | REQUEST_ACTIVE); /* started anew */
	requests_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_numbers_are_used_again_least_first),
	    cmocka_unit_test(test_shared_handle_gives_the_oldest),
	    cmocka_unit_test(test_removal_from_the_middle_and_the_end),
	    cmocka_unit_test(test_persistent_stays),
	    cmocka_unit_test(test_against_a_list),
	    cmocka_unit_test(test_completed_ones_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
