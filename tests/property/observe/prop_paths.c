/* prop_paths.c: paths that share their beginnings (paths.h) beside plain copies of whole paths:
 * random holders keep, drop, and add to them. The sums are the same, the longest stretches too, and
 * there are never more than two nodes for a path that is held. */
#include "property/prop.h"

#include "observe/paths.h"

#include <math.h>

enum { HOLDERS = 40, KEYS = 12, STRETCHES = 400 };

struct plain {
	uint32_t path; /* PATH_NONE: nothing is held */
	double seconds[3][KEYS];
	double longest[STRETCHES];
	uint32_t n;
	uint64_t messages;
};

static struct plain held[HOLDERS];

static int longer(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

static void same(struct paths *p, struct plain *h)
{
	struct path_sums s = {0};

	path_sum(p, h->path, &s);
	for (uint32_t i = 0; i < s.n_shares; i++) {
		double *at = &h->seconds[path_share_kind(&s.shares[i])][(uint32_t)s.shares[i].key];

		assert_true(fabs(*at - s.shares[i].seconds) <= 1e-12 * *at);
		assert_true(i == 0 || s.shares[i - 1].key < s.shares[i].key);
	}
	for (uint32_t i = 0, k = 0; i < 3 * KEYS; i++) {
		k += h->seconds[i / KEYS][i % KEYS] > 0;
		assert_true(i < 3 * KEYS - 1 || k == s.n_shares);
	}
	assert_int_equal(s.messages, h->messages);
	qsort(h->longest, h->n, sizeof *h->longest, longer);
	assert_int_equal(s.n_longest, h->n < PATH_LONGEST ? h->n : PATH_LONGEST);
	for (uint32_t i = 0; i < s.n_longest; i++)
		assert_true(s.longest[i].until == h->longest[i]);
	path_sums_release(&s);
}

static void holder_adds(struct paths *p, struct plain *h, struct rng *r)
{
	enum path_kind kind = (enum path_kind)prop_from(r, PATH_BY_CAUSE, PATH_BY_CALL);
	uint32_t which = prop_from(r, 0, KEYS - 1);
	double seconds = prop_once_in(r, 10) ? 0 : rng_unit(r);
	int message = prop_once_in(r, 2);

	h->path = path_own(p, h->path);
	path_add(p, h->path, kind, which, seconds);
	h->seconds[kind][which] += seconds;
	if (h->n == STRETCHES)
		return;
	path_add_stretch(p, h->path,
	                 &(struct path_stretch){.until = seconds, .message = message ? 7 : 0});
	h->longest[h->n++] = seconds;
	h->messages += (uint64_t)message;
}

static void holder_drops(struct paths *p, struct plain *h)
{
	path_drop(p, h->path);
	h->path = PATH_NONE;
}

static void test_shared_paths_are_whole_ones(void **state)
{
	struct prop_run cases = prop_begin(100);
	struct err err;

	(void)state;
	for (uint64_t i = 0; i < cases.cases; i++) {
		struct paths *p = paths_new(&err);
		uint32_t n = 0, holders;
		struct rng r;

		assert_non_null(p);
		rng_init(&r, cases.seed, "paths", i);
		holders = prop_from(&r, 1, HOLDERS);
		for (uint32_t k = 0; k < HOLDERS; k++)
			held[k].path = PATH_NONE;
		for (uint32_t step = 0; step < 2000; step++) {
			struct plain *h = &held[prop_from(&r, 0, holders - 1)];
			const struct plain *other = &held[prop_from(&r, 0, holders - 1)];

			if (h->path == PATH_NONE && other->path != PATH_NONE) {
				*h = *other;
				path_keep(p, h->path);
				n++;
			} else if (h->path == PATH_NONE) {
				*h = (struct plain){.path = path_new(p)};
				n++;
			} else if (prop_once_in(&r, 4)) {
				holder_drops(p, h);
				n--;
			} else {
				holder_adds(p, h, &r);
			}
			assert_true(paths_nodes(p) <= 2 * n);
			if (step % 50 == 0 && h->path != PATH_NONE)
				same(p, h);
		}
		for (uint32_t k = 0; k < HOLDERS; k++)
			if (held[k].path != PATH_NONE)
				same(p, &held[k]);
		for (uint32_t k = 0; k < HOLDERS; k++)
			holder_drops(p, &held[k]);
		assert_int_equal(paths_nodes(p), 0);
		assert_false(paths_failed(p));
		paths_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shared_paths_are_whole_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
