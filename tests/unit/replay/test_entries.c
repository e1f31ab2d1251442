/* test_entries.c: the requests of ranks by the numbers that a trace gives them (request.c), and by
 * source, destination and tag (key.c), against a plain array: few and many, in order and not, with
 * numbers and keys that come again. */
#include "replay/replay_int.h"
#include "test.h"

enum { RANKS = 3, MOST = 60, NUMBERS = 200, STEPS = 60000 };

struct plain { /* the requests of a rank in the order of their making */
	int64_t number[MOST];
	uint32_t req[MOST], n;
};

static void plain_remove(struct plain *p, uint32_t i)
{
	for (p->n--; i < p->n; i++) {
		p->number[i] = p->number[i + 1];
		p->req[i] = p->req[i + 1];
	}
}

static int plain_find(const struct plain *p, int64_t number)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->number[i] == number)
			return (int)i;
	return -1;
}

static void one_is_made(struct replay *r, struct plain *p, uint32_t rank, int64_t number,
                        uint32_t req)
{
	struct trace_event ev;
	struct err err;

	trace_event_init(&ev, TRACE_IRECV);
	ev.req = number;
	assert_ok(entry_add(r, rank, &ev, (struct mp_request){req}, 1, &err), err);
	p->number[p->n] = number;
	p->req[p->n++] = req;
}

static void one_is_removed(struct replay *r, struct plain *p, uint32_t rank, uint32_t i)
{
	uint32_t e = r->cursor[rank].first;

	for (uint32_t k = 0; k < i; k++)
		e = entry_at(r, e)->next;
	assert_int_equal(entry_at(r, e)->req.v, p->req[i]);
	if (p->number[i] >= 0)
		assert_int_equal(entry_by_number(r, rank, p->number[i]), e);
	entry_remove(r, rank, e);
	plain_remove(p, i);
}

/* All of them by a list of their numbers, which begins with some that do not exist. */
static void all_are_found(struct replay *r, const struct plain *p, uint32_t rank, struct rng *rng)
{
	int64_t numbers[MOST + 1] = {NUMBERS + 7}, found;
	uint32_t want[MOST], n = 1, wanted = 0;
	struct err err;

	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t k = rng_below(rng, 4) ? i : (uint32_t)rng_below(rng, p->n);
		int twice = p->number[k] < 0;

		for (uint32_t j = 0; j < n; j++)
			twice |= numbers[j] == p->number[k];
		if (twice)
			continue;
		numbers[n++] = p->number[k];
		want[wanted++] = p->req[k];
	}
	r->unknown_waits = 1; /* its place was told */
	found = entries_collect(r, rank, numbers, n, &err);
	assert_int_equal(found, wanted);
	assert_int_equal(r->unknown_waits, 2);
	for (uint32_t i = 0; i < wanted; i++)
		assert_int_equal(r->scratch[i].v, want[i]);
}

static int64_t number_draw(struct rng *rng, const struct plain *p, uint64_t step)
{
	int64_t number = step / 5000 % 2 ? (int64_t)(step % NUMBERS)
	                                 : (int64_t)rng_below(rng, NUMBERS);

	if (rng_below(rng, 20) == 0)
		return -1;
	while (plain_find(p, number) >= 0)
		number = (number + 1) % NUMBERS;
	return number;
}

static void found_as(int numbers_differ)
{
	struct cursor cursor[RANKS];
	struct plain plain[RANKS] = {{.n = 0}};
	struct replay r = {.cursor = cursor, .ranks = RANKS};
	struct rng rng;

	entries_init(&r);
	r.numbers_differ = numbers_differ;
	rng_init(&rng, 11, "entries", 0);
	hash64_init(&r.by_number);
	for (int i = 0; i < RANKS; i++)
		cursor[i] = (struct cursor){.first = ENTRY_NONE, .last = ENTRY_NONE};
	for (uint64_t step = 0; step < STEPS; step++) {
		uint32_t rank = (uint32_t)rng_below(&rng, RANKS);
		uint32_t most = 1 + (uint32_t)(step / 997 % MOST);
		struct plain *p = &plain[rank];
		int64_t number = (int64_t)rng_below(&rng, NUMBERS);
		int at = plain_find(p, number);
		uint32_t e = entry_by_number(&r, rank, number);

		assert_int_equal(e != ENTRY_NONE, at >= 0);
		if (at >= 0)
			assert_int_equal(entry_at(&r, e)->req.v, p->req[at]);
		if (p->n < most && rng_below(&rng, 5) < 3)
			one_is_made(&r, p, rank, number_draw(&rng, p, step), (uint32_t)step);
		else if (p->n > 0)
			one_is_removed(&r, p, rank, (uint32_t)rng_below(&rng, p->n));
		if (p->n > 0 && step % 50 == 0)
			all_are_found(&r, p, rank, &rng);
	}
	hash64_release(&r.by_number);
	slots_release(&r.entry);
	free(r.scratch);
	free(r.scratch_entry);
}

static void found_as_in_an_array(void **state)
{
	(void)state;
	found_as(0);
	found_as(1);
}

/* A rank that has a few requests at a time, as programs do, leaves the index of all alone. */
static void few_are_not_indexed(void **state)
{
	struct cursor cursor = {.first = ENTRY_NONE, .last = ENTRY_NONE};
	struct plain plain = {.n = 0};
	struct replay r = {.cursor = &cursor, .ranks = 1};

	(void)state;
	entries_init(&r);
	hash64_init(&r.by_number);
	for (uint32_t i = 0; i < 1000; i++) {
		one_is_made(&r, &plain, 0, i, i);
		if (plain.n == 15)
			one_is_removed(&r, &plain, 0, i % 15);
	}
	assert_null(r.by_number.slots);
	slots_release(&r.entry);
}

/* --- by source, destination and tag: of equal ones the oldest --- */

enum { SENT_MOST = 200, PEERS = 5 };

struct sent { /* the requests of a rank in the order of their making */
	struct key key[SENT_MOST];
	uint32_t req[SENT_MOST], n;
};

static void sent_make(struct replay *r, struct sent *s, uint32_t rank, const struct key *k,
                      int receive, uint32_t req)
{
	struct trace_event ev;
	struct err err;

	trace_event_init(&ev, receive ? TRACE_IRECV : TRACE_ISEND);
	ev.peer = receive ? k->src : k->dst;
	ev.tag = k->tag;
	assert_ok(entry_add(r, rank, &ev, (struct mp_request){req}, receive, &err), err);
	s->key[s->n] = *k;
	s->req[s->n++] = req;
}

/* Of few peers (its own messages among them) and tags, so that keys come again. */
static struct key key_draw(struct rng *rng, uint32_t rank, uint64_t tags, int *receive)
{
	int32_t peer = (int32_t)rng_below(rng, PEERS) - 1, tag = (int32_t)rng_below(rng, tags) - 1;

	*receive = (int)rng_below(rng, 2);
	return *receive ? (struct key){peer, (int32_t)rank, tag}
	                : (struct key){(int32_t)rank, peer, tag};
}

static uint32_t sent_find(const struct sent *s, const struct key *k)
{
	uint32_t i = 0;

	while (i < s->n && memcmp(&s->key[i], k, sizeof *k) != 0)
		i++;
	return i;
}

/* The entry of this key is the one of the array, which is removed from both or, tested, becomes the
 * youngest. */
static void sent_take(struct replay *r, struct sent *s, uint32_t rank, const struct key *k,
                      int tested)
{
	uint32_t i = sent_find(s, k), e;
	struct key key = *k;
	struct err err;

	assert_ok(entry_by_key(r, rank, &key, &e, &err), err);
	assert_int_equal(e == ENTRY_NONE, i == s->n);
	if (e == ENTRY_NONE)
		return;
	uint32_t req = s->req[i];

	assert_int_equal(entry_at(r, e)->req.v, req);
	if (tested)
		assert_ok(entry_tested(r, rank, e, &err), err);
	else
		entry_remove(r, rank, e);
	for (s->n--; i < s->n; i++) {
		s->key[i] = s->key[i + 1];
		s->req[i] = s->req[i + 1];
	}
	if (tested) {
		s->key[s->n] = key;
		s->req[s->n++] = req;
	}
}

/* The numbers of requests grow to SENT_MOST and shrink, again and again; a third of what is looked
 * for is drawn, and may not be there. */
static void oldest_found(int tests)
{
	static struct sent sent[RANKS];
	struct cursor cursor[RANKS];
	struct replay r = {.cursor = cursor, .ranks = RANKS};
	struct rng rng;

	entries_init(&r);
	rng_init(&rng, 12, "keys", 0);
	memset(sent, 0, sizeof sent);
	for (int i = 0; i < RANKS; i++)
		cursor[i] = (struct cursor){.first = ENTRY_NONE, .last = ENTRY_NONE};
	for (uint64_t step = 0; step < STEPS; step++) {
		uint32_t rank = (uint32_t)rng_below(&rng, RANKS);
		struct sent *s = &sent[rank];
		int receive, grow = step / 2000 % 2 == 0;
		struct key k = key_draw(&rng, rank, step / 9000 % 2 ? 3 : 300, &receive);

		if (s->n < SENT_MOST && rng_below(&rng, 5) < (grow ? 3 : 1))
			sent_make(&r, s, rank, &k, receive, (uint32_t)step);
		else if (s->n > 0 && rng_below(&rng, 3) > 0)
			sent_take(&r, s, rank, &s->key[rng_below(&rng, s->n)],
			          tests && rng_below(&rng, 2));
		else
			sent_take(&r, s, rank, &k, tests);
	}
	for (int i = 0; i < RANKS; i++)
		assert_true(cursor[i].keyed);
	slots_release(&r.entry);
	hash64_release(&r.by_number);
	keys_release(&r);
}

static void the_oldest_with_a_key_is_found(void **state)
{
	(void)state;
	oldest_found(0);
}

/* As SimGrid's replayer has them: docs/compat.md. */
static void a_tested_one_becomes_the_youngest(void **state)
{
	(void)state;
	oldest_found(1);
}

/* A rank that has a few at a time does without the index. */
static void few_are_not_keyed(void **state)
{
	static struct sent sent;
	struct cursor cursor = {.first = ENTRY_NONE, .last = ENTRY_NONE};
	struct replay r = {.cursor = &cursor, .ranks = 1};

	(void)state;
	entries_init(&r);
	for (int32_t i = 0; i < 1000; i++) {
		sent_make(&r, &sent, 0, &(struct key){0, 1, i}, 0, (uint32_t)i);
		if (sent.n == 15)
			sent_take(&r, &sent, 0, &sent.key[i % 15], 0);
	}
	assert_false(cursor.keyed);
	assert_null(r.kin);
	slots_release(&r.entry);
	hash64_release(&r.by_number);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(found_as_in_an_array),
	    cmocka_unit_test(few_are_not_indexed),
	    cmocka_unit_test(the_oldest_with_a_key_is_found),
	    cmocka_unit_test(a_tested_one_becomes_the_youngest),
	    cmocka_unit_test(few_are_not_keyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
