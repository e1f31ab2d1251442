/* prop_queues.c: what the trace's readers and writers keep by the way, against plain arrays:
 * extents of a merged file, requests of a rank in order of age, the greatest values of a
 * histogram. */
#include "../prop.h"

#include "base/rng.h"
#include "trace/column/outliers.h"
#include "trace/text/extents.h"
#include "trace/write/pending.h"

#include <math.h>

/* --- extents: first in, first out; neighbours are one as long as the first is not taken --- */

enum { EXTENTS = 3000 };

struct fifo {
	struct extent at[EXTENTS];
	uint32_t first, n;
};

static void fifo_add(struct fifo *f, uint64_t from, uint64_t to, uint64_t line)
{
	if (f->n > f->first && f->at[f->n - 1].to == from)
		f->at[f->n - 1].to = to;
	else
		f->at[f->n++] = (struct extent){from, to, line};
}

static void extent_taken(struct extents *q, struct fifo *f)
{
	struct extent got;
	int r = extents_take(q, &got);

	assert_int_equal(r, f->first < f->n);
	if (!r)
		return;
	assert_true(got.from == f->at[f->first].from && got.to == f->at[f->first].to &&
	            got.line == f->at[f->first].line);
	f->first++;
}

static void extents_come_as_they_went(void **state)
{
	static struct fifo f;
	struct err err;
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 30; i++) {
		struct extents q = {0};
		uint64_t at = 0, line = 1, reads;

		f.first = f.n = 0;
		rng_init(&r, prop_seed(i), "extents", 0);
		reads = rng_below(&r, 6);
		while (f.n < EXTENTS - 1) {
			uint64_t gap = rng_below(&r, 3) ? rng_u64(&r) >> (20 + rng_below(&r, 44))
			                                : 0,
			         n = 1 + (rng_u64(&r) >> (30 + rng_below(&r, 34)));

			if (rng_below(&r, 10) < reads) {
				extent_taken(&q, &f);
				continue;
			}
			at += gap;
			line += rng_below(&r, 100);
			assert_ok(extents_add(&q, at, at + n, line, &err), err);
			fifo_add(&f, at, at + n, line);
			at += n;
		}
		while (f.first < f.n)
			extent_taken(&q, &f);
		extent_taken(&q, &f); /* empty */
		extents_release(&q);
	}
}

/* --- requests of a rank, the oldest first --- */

enum { POSTED_MOST = 64, IDS = 12 };

struct posted {
	uint32_t slot;
	int32_t src, dst, tag;
	int receive;
};
struct ages {
	struct posted at[POSTED_MOST];
	uint32_t n;
	uint32_t of_id[IDS]; /* slot of a number, or PENDING_NONE */
};

static void age_remove(struct ages *a, uint32_t slot)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++)
		if (a->at[i].slot != slot)
			a->at[n++] = a->at[i];
	a->n = n;
}

static void ages_agree(const struct pending *p, const struct ages *a)
{
	uint32_t last = PENDING_NONE, receive = PENDING_NONE;

	assert_int_equal(p->outstanding, a->n);
	for (uint32_t i = 0; i < a->n; i++) {
		last = a->at[i].slot;
		receive = a->at[i].receive ? last : receive;
	}
	assert_int_equal(pending_latest(p, 0), last);
	assert_int_equal(pending_latest(p, 1), receive);
	for (int64_t id = 0; id < IDS; id++)
		assert_int_equal(pending_find(p, id), a->of_id[id]);
	assert_int_equal(pending_find(p, -1), PENDING_NONE);
	for (int32_t key = 0; key < 8; key++) {
		uint32_t oldest = PENDING_NONE;

		for (uint32_t i = a->n; i-- > 0;)
			if (a->at[i].src == (key & 1) && a->at[i].dst == (key >> 1 & 1) &&
			    a->at[i].tag == key >> 2)
				oldest = a->at[i].slot;
		assert_int_equal(pending_find_key(p, key & 1, key >> 1 & 1, key >> 2), oldest);
	}
}

/* A new request, posted or not (yet); with a number, perhaps one that another has still. */
static void request_made(struct pending *p, struct ages *a, struct rng *r)
{
	int64_t id = (int64_t)rng_below(r, IDS + 3) - 3;
	struct posted x = {0, (int32_t)rng_below(r, 2), (int32_t)rng_below(r, 2),
	                   (int32_t)rng_below(r, 2), (int)rng_below(r, 2)};
	struct err err;

	x.slot = pending_make(p, id < 0 ? -1 : id, &err);
	assert_int_not_equal(x.slot, PENDING_NONE);
	if (id >= 0)
		a->of_id[id] = x.slot;
	p->slots[x.slot].persistent = id >= 0 && rng_below(r, 3) == 0;
	if (id >= 0 && rng_below(r, 4) == 0)
		return; /* never started */
	pending_post(p, x.slot, x.src, x.dst, x.tag, x.receive);
	a->at[a->n++] = x;
}

static void request_completed(struct pending *p, struct ages *a, struct rng *r)
{
	uint32_t slot = a->at[rng_below(r, a->n)].slot;
	int persistent = p->slots[slot].persistent;

	pending_complete(p, slot);
	age_remove(a, slot);
	for (int i = 0; i < IDS && !persistent; i++)
		if (a->of_id[i] == slot)
			a->of_id[i] = PENDING_NONE;
}

/* A persistent one that is complete is posted again, and is the youngest. */
static void request_started(struct pending *p, struct ages *a, struct rng *r)
{
	uint32_t slot = a->of_id[rng_below(r, IDS)];
	struct posted x = {slot, 1, (int32_t)rng_below(r, 2), (int32_t)rng_below(r, 2), 1};

	if (slot == PENDING_NONE)
		return;
	age_remove(a, slot);
	pending_post(p, slot, x.src, x.dst, x.tag, x.receive);
	a->at[a->n++] = x;
}

static void requests_are_found_by_number_and_age(void **state)
{
	static struct ages a;
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 20; i++) {
		struct pending p;

		a.n = 0;
		memset(a.of_id, 0xff, sizeof a.of_id);
		pending_init(&p);
		rng_init(&r, prop_seed(i), "pending", 0);
		for (int step = 0; step < 2000; step++) {
			uint64_t what = rng_below(&r, 8);

			if (what < 4 && a.n < POSTED_MOST)
				request_made(&p, &a, &r);
			else if (what < 6 && a.n > 0)
				request_completed(&p, &a, &r);
			else if (a.n < POSTED_MOST)
				request_started(&p, &a, &r);
			ages_agree(&p, &a);
		}
		pending_release(&p);
	}
}

/* --- the greatest values, and where they were --- */

enum { VALUES = 400 };

static int falling(const void *a, const void *b)
{
	const struct outlier *x = a, *y = b;

	if (x->v != y->v)
		return x->v > y->v ? -1 : 1;
	return x->i < y->i ? -1 : 1; /* of equals the first noted */
}

static void the_greatest_are_kept(void **state)
{
	static struct outlier all[VALUES];
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 60; i++) {
		struct outliers o = {.n = 0};
		uint32_t n;

		rng_init(&r, prop_seed(i), "outliers", 0);
		n = (uint32_t)rng_below(&r, VALUES);
		for (uint32_t k = 0; k < n; k++) {
			double v = i % 2 ? rng_unit(&r) : (double)(1 + rng_below(&r, 20));

			all[k] = (struct outlier){v, (uint32_t)rng_below(&r, 9),
			                          (uint32_t)rng_below(&r, 9), k};
			outliers_note(&o, &all[k]);
		}
		qsort(all, n, sizeof *all, falling);
		assert_int_equal(o.n, n < OUTLIERS_MOST ? n : OUTLIERS_MOST);
		for (uint32_t k = 0; k < o.n; k++)
			assert_true(o.at[k].v == all[k].v && o.at[k].i == all[k].i);
	}
}

/* Written and read: each is where it was, within the grid's half step, and nothing else is. */
static void written_ones_are_found(void **state)
{
	struct rng r;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		struct outliers o = {.n = 0};
		struct outliers_read back = {0};
		struct arena arena;
		struct err err;
		struct str s = {0};
		double ratio;
		uint32_t count;

		rng_init(&r, prop_seed(i), "written", 0);
		ratio = 1 + (1 + (double)rng_below(&r, 30)) / 100;
		count = 1 + (uint32_t)rng_below(&r, OUTLIERS_MOST);
		for (uint32_t k = 0; k < count; k++)
			outliers_note(&o, &(struct outlier){exp(30 * (rng_unit(&r) - 0.5)),
			                                    (uint32_t)rng_u64(&r) >> (k % 32), k,
			                                    rng_u64(&r) >> (1 + k)});
		outliers_write(&o, count, ratio, &s);
		arena_init(&arena);
		assert_ptr_equal(outliers_read(&back, ratio, (const uint8_t *)s.s,
		                               (const uint8_t *)s.s + s.n, &arena, &err),
		                 s.s + s.n);
		assert_int_equal(back.n, count);
		for (uint32_t k = 0; k < count; k++) {
			const struct outlier *x = &o.at[k],
			                     *y = outliers_find(&back, x->rank, x->slot, x->i);

			assert_non_null(y);
			assert_true(fabs(log(y->v / x->v)) <= log(ratio) * (0.5 + 1e-9));
			assert_null(outliers_find(&back, x->rank, x->slot + 100, x->i));
			assert_null(outliers_find(&back, x->rank, x->slot, x->i + 1));
		}
		for (size_t cut = 0; cut < s.n; cut++)
			assert_null(outliers_read(&back, ratio, (const uint8_t *)s.s,
			                          (const uint8_t *)s.s + cut, &arena, &err));
		arena_release(&arena);
		str_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(extents_come_as_they_went),
	    cmocka_unit_test(requests_are_found_by_number_and_age),
	    cmocka_unit_test(the_greatest_are_kept),
	    cmocka_unit_test(written_ones_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
