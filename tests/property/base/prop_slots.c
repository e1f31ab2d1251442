/* prop_slots.c: slots beside a simple model: which ids are taken, and a stack of those that are
 * free. Records of random sizes are taken and given back in random order, with more or less taken
 * at a time; each is written all over, and found as it was written, where it was. */
#include "base/hash.h"
#include "base/slots.h"

#include "property/prop.h"

enum { IDS = 3000, STEPS = 12000, LARGEST = 30 }; /* LARGEST: a record, in words */

struct model {
	struct slots slots;
	uint32_t words, link; /* of a record; place of its link */
	uint32_t *record[IDS], stamp[IDS];
	uint32_t stack[IDS], n_free, n, taken[IDS], n_taken;
};

/* The word that was written to place k of a record. */
static uint32_t word(const struct model *m, uint32_t id, uint32_t k)
{
	return (uint32_t)hash_mix((uint64_t)m->stamp[id] << 32 | k);
}

static void record_write(struct model *m, uint32_t id, uint32_t stamp)
{
	m->stamp[id] = stamp;
	for (uint32_t k = 0; k < m->words; k++)
		m->record[id][k] = word(m, id, k);
}

/* free: all but its link. */
static void record_check(const struct model *m, uint32_t id, int free)
{
	assert_ptr_equal(slots_at(&m->slots, id, m->words * sizeof(uint32_t)), m->record[id]);
	for (uint32_t k = 0; k < m->words; k++)
		if (!free || k != m->link)
			assert_int_equal(m->record[id][k], word(m, id, k));
}

static void take(struct model *m, struct rng *r)
{
	uint32_t expected = m->n_free > 0 ? m->stack[m->n_free - 1] : m->n;
	const size_t size = m->words * sizeof(uint32_t), link = m->link * sizeof(uint32_t);
	struct err err;

	assert_int_equal(prop_once_in(r, 2) ? slots_take(&m->slots, &err)
	                                    : slots_take_of(&m->slots, size, link, &err),
	                 expected);
	if (m->n_free > 0) {
		m->n_free--;
		record_check(m, expected, 1);
	} else {
		m->n++;
		m->record[expected] = slots_at(&m->slots, expected, m->words * sizeof(uint32_t));
	}
	assert_int_equal(m->slots.n, m->n);
	record_write(m, expected, (uint32_t)rng_u64(r));
	m->taken[m->n_taken++] = expected;
}

static void give(struct model *m, struct rng *r)
{
	uint32_t i = (uint32_t)rng_below(r, m->n_taken), id = m->taken[i];

	record_check(m, id, 0);
	m->taken[i] = m->taken[--m->n_taken];
	if (prop_once_in(r, 2))
		slots_give(&m->slots, id);
	else
		slots_give_by(&m->slots, id, &m->record[id][m->link]);
	m->stack[m->n_free++] = id;
}

static void one_run(struct model *m, struct rng *r)
{
	uint32_t wanted = 1;

	m->n_free = m->n = m->n_taken = 0;
	m->words = prop_from(r, 1, LARGEST);
	m->link = (uint32_t)rng_below(r, m->words);
	slots_init(&m->slots, m->words * sizeof(uint32_t), m->link * sizeof(uint32_t), "records");
	for (uint32_t i = 0; i < STEPS; i++) {
		if (prop_once_in(r, 500))
			wanted = prop_once_in(r, 2) ? prop_from(r, 1, IDS) : prop_from(r, 0, 70);
		if (m->n_taken < IDS && (m->n_taken < wanted || m->n_taken == 0))
			take(m, r);
		else
			give(m, r);
	}
	for (uint32_t i = 0; i < m->n_taken; i++)
		record_check(m, m->taken[i], 0);
	for (uint32_t i = 0; i < m->n_free; i++)
		record_check(m, m->stack[i], 1);
	slots_release(&m->slots);
}

static void as_the_model(void **state)
{
	struct prop_run p = prop_begin(40);
	struct model *m = calloc(1, sizeof *m);
	struct rng r;

	(void)state;
	assert_non_null(m);
	for (uint64_t i = 0; i < p.cases; i++) {
		rng_init(&r, p.seed, "slots", (uint32_t)i);
		one_run(m, &r);
	}
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_model)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
