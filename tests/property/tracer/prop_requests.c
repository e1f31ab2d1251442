/* prop_requests.c: the tracer's table of requests against plain lists: numbers are the least that
 * are free; a handle shared by several gives the oldest first, each once in a pass, but for those
 * that another call holds; kept requests are found by their place, the oldest forgotten when there
 * are too many; active ones and wildcards are counted. */
#include "../prop.h"

#include "base/rng.h"
#include "requests.h"

enum { NUMBERS = 40, HANDLES = 6, PLACES = 8, STEPS = 3000 };

struct model {
	struct {
		int used, kept, active, wildcard, held;
		uint64_t handle, place, age; /* age: when it got its handle */
	} of[NUMBERS];
	uint64_t now;
};

static uint32_t least_free(const struct model *m)
{
	uint32_t i = 0;

	while (i < NUMBERS && m->of[i].used)
		i++;
	return i;
}

/* Any request that is used and is kept, or is not; NUMBERS: there is none. */
static uint32_t some(const struct model *m, struct rng *r, int kept)
{
	uint32_t from = (uint32_t)rng_below(r, NUMBERS);

	for (uint32_t k = 0; k < NUMBERS; k++) {
		uint32_t i = (from + k) % NUMBERS;

		if (m->of[i].used && m->of[i].kept == kept)
			return i;
	}
	return NUMBERS;
}

static void make(struct requests *q, struct model *m, struct rng *r)
{
	uint32_t i = least_free(m);
	int active = rng_below(r, 2) != 0, wildcard = rng_below(r, 2) != 0;
	uint16_t flags = (uint16_t)((active ? REQUEST_ACTIVE : 0) |
	                            (wildcard ? REQUEST_WILDCARD : 0));
	struct err err;

	if (i == NUMBERS)
		return;
	m->of[i].used = 1;
	m->of[i].kept = m->of[i].held = 0;
	m->of[i].wildcard = wildcard;
	m->of[i].active = active;
	m->of[i].handle = rng_below(r, HANDLES);
	m->of[i].age = m->now++;
	assert_int_equal(request_add(q, m->of[i].handle, flags, &err), i);
	assert_null(q->slots[i].extra);
}

static void change(struct requests *q, struct model *m, struct rng *r)
{
	uint32_t i = some(m, r, 0);
	struct err err;

	if (i == NUMBERS)
		return;
	switch (rng_below(r, 5)) {
	case 0:
		request_activate(q, i);
		m->of[i].active = 1;
		break;
	case 1:
		request_deactivate(q, i);
		m->of[i].active = 0;
		break;
	case 2:
		q->slots[i].flags ^= REQUEST_HELD;
		m->of[i].held ^= 1;
		break;
	case 3:
		m->of[i].handle = rng_below(r, HANDLES);
		m->of[i].age = m->now++;
		assert_ok(request_rename(q, i, m->of[i].handle, &err), err);
		break;
	default:
		request_remove(q, i);
		m->of[i].used = 0;
	}
}

static uint32_t kept_at(const struct model *m, uint64_t place)
{
	for (uint32_t i = 0; i < NUMBERS; i++)
		if (m->of[i].used && m->of[i].kept && m->of[i].place == place)
			return i;
	return REQUEST_NONE;
}

static void keep(struct requests *q, struct model *m, struct rng *r)
{
	uint32_t i = some(m, r, 0), older;
	uint64_t place = 1000 + rng_below(r, PLACES);
	struct err err;

	if (i == NUMBERS)
		return;
	older = kept_at(m, place);
	if (older != REQUEST_NONE)
		m->of[older].used = 0;
	assert_ok(request_keep(q, i, place, &err), err);
	m->of[i].kept = 1;
	m->of[i].active = 0;
	m->of[i].place = place;
}

static void forget(struct requests *q, struct model *m, struct rng *r)
{
	uint32_t i = some(m, r, 1);

	if (i == NUMBERS)
		return;
	request_forget(q, i);
	m->of[i].used = 0;
}

/* A call names handles, some of them twice. */
static void pass(struct requests *q, const struct model *m, struct rng *r)
{
	int claimed[NUMBERS] = {0};

	requests_pass(q);
	for (uint64_t k = rng_below(r, 12); k > 0; k--) {
		uint64_t handle = rng_below(r, HANDLES + 1);
		uint32_t want = REQUEST_NONE;

		for (uint32_t i = 0; i < NUMBERS; i++)
			if (m->of[i].used && !m->of[i].kept && !m->of[i].held && !claimed[i] &&
			    m->of[i].handle == handle &&
			    (want == REQUEST_NONE || m->of[i].age < m->of[want].age))
				want = i;
		assert_int_equal(request_claim(q, handle), want);
		if (want != REQUEST_NONE)
			claimed[want] = 1;
	}
}

static void counts_agree(const struct requests *q, const struct model *m)
{
	uint32_t active = 0, wildcards = 0, kept = 0;

	for (uint32_t i = 0; i < NUMBERS; i++) {
		active += m->of[i].used && m->of[i].active;
		wildcards += m->of[i].used && m->of[i].active && m->of[i].wildcard;
		kept += m->of[i].used && m->of[i].kept;
	}
	assert_int_equal(q->active, active);
	assert_int_equal(q->wildcards, wildcards);
	assert_int_equal(q->n_kept, kept);
	for (uint64_t place = 1000; place < 1000 + PLACES; place++)
		assert_int_equal(request_kept(q, place), kept_at(m, place));
}

static void the_table_is_its_lists(void **state)
{
	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(20); seed++) {
		struct model m = {.now = 0};
		struct requests q;
		struct rng r;

		rng_init(&r, seed, "requests", 0);
		requests_init(&q);
		for (int step = 0; step < STEPS; step++) {
			uint64_t what = rng_below(&r, 16);

			if (what < 5)
				make(&q, &m, &r);
			else if (what < 11)
				change(&q, &m, &r);
			else if (what < 12)
				keep(&q, &m, &r);
			else if (what < 13)
				forget(&q, &m, &r);
			else
				pass(&q, &m, &r);
			counts_agree(&q, &m);
		}
		requests_release(&q);
	}
}

/* Of more than may be kept, the first kept goes, and its number is free. */
static void the_oldest_kept_is_forgotten(void **state)
{
	struct requests q;
	struct err err;

	(void)state;
	requests_init(&q);
	for (uint32_t k = 0; k < REQUESTS_KEPT + 3; k++) {
		uint32_t i = request_add(&q, 5, REQUEST_ACTIVE, &err);

		assert_int_equal(i, k < REQUESTS_KEPT + 1 ? k : k - REQUESTS_KEPT - 1);
		assert_ok(request_keep(&q, i, 7000 + k, &err), err);
	}
	assert_int_equal(q.n_kept, REQUESTS_KEPT);
	for (uint64_t k = 0; k < REQUESTS_KEPT + 3; k++)
		assert_int_equal(request_kept(&q, 7000 + k) != REQUEST_NONE, k >= 3);
	requests_release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_table_is_its_lists),
	    cmocka_unit_test(the_oldest_kept_is_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
