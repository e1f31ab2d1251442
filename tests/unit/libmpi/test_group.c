/* Groups: MPI 4.0, 7.3.2, and its examples 7.1 and 7.2. */
#include "fake.h"

#include <math.h>
#include <stdlib.h>

static MPI_Group world_group(void)
{
	MPI_Group g;
	OK(orr_Comm_group(MPI_COMM_WORLD, &g));
	return g;
}

static MPI_Group of(int n, const int *ranks)
{
	MPI_Group g, world = world_group();
	OK(orr_Group_incl(world, n, ranks, &g));
	OK(orr_Group_free(&world));
	return g;
}

static void holds(MPI_Group g, int n, const int *members)
{
	const struct orr_group *o = orr_group_of(g);
	assert_int_equal(o->n, n);
	for (int i = 0; i < n; i++)
		assert_int_equal(o->member[i], members[i]);
}

static void test_sets(void **state)
{
	(void)state;
	MPI_Group a = of(4, (int[]){1, 2, 3, 4}), b = of(3, (int[]){6, 4, 2}), c;
	OK(orr_Group_union(a, b, &c));
	holds(c, 5, (int[]){1, 2, 3, 4, 6});
	OK(orr_Group_free(&c));
	OK(orr_Group_intersection(b, a, &c)); /* in the order of the first */
	holds(c, 2, (int[]){4, 2});
	OK(orr_Group_free(&c));
	OK(orr_Group_difference(a, b, &c));
	holds(c, 2, (int[]){1, 3});
	OK(orr_Group_free(&c));
	OK(orr_Group_difference(a, a, &c));
	assert_ptr_equal(c, MPI_GROUP_EMPTY);
	OK(orr_Group_free(&a));
	OK(orr_Group_free(&b));
	assert_ptr_equal(a, MPI_GROUP_NULL);
}

/* Example 7.1: ranges {1,8,2} {9,9,1}... of ranks 0 to 9, and backwards. */
static void test_ranges(void **state)
{
	(void)state;
	MPI_Group world = world_group(), g;
	int ranges[3][3] = {{6, 7, 1}, {1, 6, 3}, {0, 9, 11}};
	OK(orr_Group_range_incl(world, 1, (int[1][3]){{9, 1, -3}}, &g));
	holds(g, 3, (int[]){9, 6, 3});
	OK(orr_Group_free(&g));
	OK(orr_Group_range_excl(world, 3, ranges, &g));
	holds(g, 5, (int[]){2, 3, 5, 8, 9});
	OK(orr_Group_free(&g));
	OK(orr_Group_excl(world, 2, (int[]){0, 9}, &g));
	holds(g, 8, (int[]){1, 2, 3, 4, 5, 6, 7, 8});
	OK(orr_Group_free(&g));
	assert_int_equal(orr_Group_incl(world, 2, (int[]){3, 3}, &g), MPI_ERR_RANK);
	assert_int_equal(orr_Group_incl(world, 1, (int[]){10}, &g), MPI_ERR_RANK);
	assert_int_equal(orr_Group_range_incl(world, 1, (int[1][3]){{0, 3, 0}}, &g), MPI_ERR_ARG);
	OK(orr_Group_free(&world));
}

static void test_questions(void **state)
{
	(void)state;
	MPI_Group a = of(3, (int[]){4, 5, 3}), b = of(3, (int[]){3, 4, 5}), c = of(1, (int[]){0});
	int rank, size, result, there[3];
	OK(orr_Group_rank(a, &rank)); /* this process is 3 */
	OK(orr_Group_size(a, &size));
	assert_int_equal(rank, 2);
	assert_int_equal(size, 3);
	OK(orr_Group_rank(c, &rank));
	assert_int_equal(rank, MPI_UNDEFINED);
	OK(orr_Group_compare(a, b, &result));
	assert_int_equal(result, MPI_SIMILAR);
	OK(orr_Group_compare(a, a, &result));
	assert_int_equal(result, MPI_IDENT);
	OK(orr_Group_compare(a, c, &result));
	assert_int_equal(result, MPI_UNEQUAL);
	OK(orr_Group_translate_ranks(a, 3, (int[]){0, MPI_PROC_NULL, 2}, b, there));
	assert_int_equal(there[0], 1);
	assert_int_equal(there[1], MPI_PROC_NULL);
	assert_int_equal(there[2], 0);
	OK(orr_Group_translate_ranks(a, 1, (int[]){0}, c, there));
	assert_int_equal(there[0], MPI_UNDEFINED);
	assert_int_equal(orr_Group_translate_ranks(a, 1, (int[]){3}, c, there), MPI_ERR_RANK);
	OK(orr_Group_free(&a));
	OK(orr_Group_free(&b));
	OK(orr_Group_free(&c));
	assert_int_equal(orr_Group_size(a, &size), MPI_ERR_GROUP);
}

/* Many members: found by bisection. */
static void test_find(void **state)
{
	(void)state;
	struct orr_group *g = orr_group_new(1000, NULL);
	for (int i = 0; i < 1000; i++)
		g->member[i] = i * 7919 % 100003;
	orr_group_ready(g);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(orr_group_find(g, g->member[i]), i);
	assert_int_equal(orr_group_find(g, 100003), MPI_UNDEFINED);
	orr_group_drop(g);
}

static struct orr_group *of_first(int n, int step, int from)
{
	struct orr_group *g = orr_group_new(n, NULL);
	for (int i = 0; i < n; i++)
		g->member[i] = from + step * i;
	orr_group_ready(g);
	return g;
}

/* One list for all groups that have the same members; it goes with the last of them. */
static void test_lists(void **state)
{
	(void)state;
	struct orr_group *a = of_first(100, -2, 400), *b = of_first(100, -2, 400),
	                 *c = of_first(99, -2, 400), *few = of_first(16, 1, 0);
	assert_ptr_equal(a->member, b->member);
	assert_ptr_not_equal(a->member, c->member);
	assert_int_equal(orr_group_compare(a, b), MPI_IDENT);
	assert_int_equal(orr_group_compare(a, c), MPI_UNEQUAL);
	assert_true(orr_group_hash(a) == orr_group_hash(b));
	assert_true(orr_group_hash(a) != orr_group_hash(c));
	orr_group_drop(a);
	for (int i = 0; i < 100; i++)
		assert_int_equal(orr_group_find(b, 400 - 2 * i), i);
	assert_int_equal(orr_group_find(b, 399), MPI_UNDEFINED);
	assert_int_equal(b->rank, MPI_UNDEFINED); /* this process is 3 */
	orr_group_drop(b);
	orr_group_drop(c);
	/* few have no list, and all in order need none: their number is the same with one */
	assert_null(few->list);
	assert_int_equal(few->rank, 3);
	a = of_first(200, 1, 0);
	int32_t order[200];
	for (int i = 0; i < 200; i++)
		order[i] = i;
	b = orr_group_lent(200, order);
	assert_true(a->identity && b->identity);
	assert_true(orr_group_hash(a) == orr_group_hash(b));
	assert_int_equal(orr_group_compare(a, b), MPI_IDENT);
	orr_group_drop(a);
	orr_group_drop(b);
	orr_group_drop(few);
}

static void test_names(void **state)
{
	(void)state;
	struct orr_group *a = of_first(50, 3, 0), *b, *other = of_first(50, 1, 1);
	assert_null(orr_group_named(77));
	orr_group_name(a, 77);
	b = orr_group_named(77);
	assert_ptr_equal(a->member, b->member);
	assert_int_equal(b->n, 50);
	assert_int_equal(b->rank, 1);
	assert_false(b->identity);
	/* a name of the same remainder takes its place; a list that is no more has none */
	orr_group_name(other, 77 + 64);
	assert_null(orr_group_named(77));
	orr_group_drop(b);
	b = orr_group_named(77 + 64);
	assert_int_equal(b->rank, 2);
	orr_group_drop(b);
	orr_group_drop(other);
	assert_null(orr_group_named(77 + 64));
	orr_group_name(a, 5);
	orr_group_name(a, 6);
	assert_null(orr_group_named(5));
	orr_group_drop(a);
	assert_null(orr_group_named(6));
}

/* Many lists at once, most of which go again. */
static void test_many_lists(void **state)
{
	(void)state;
	enum { MANY = 500 };
	struct orr_group *g[MANY], *again;
	for (int i = 0; i < MANY; i++)
		g[i] = of_first(17 + i % 40, 1 + i % 7, i);
	for (int i = 0; i < MANY; i += 2)
		orr_group_drop(g[i]);
	for (int i = 1; i < MANY; i += 2) {
		again = of_first(17 + i % 40, 1 + i % 7, i);
		assert_ptr_equal(again->member, g[i]->member);
		orr_group_drop(again);
	}
	for (int i = 1; i < MANY; i += 2) {
		assert_int_equal(orr_group_find(g[i], i + (1 + i % 7) * 16), 16);
		orr_group_drop(g[i]);
	}
}

static int hash_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* All sequences of up to four of nine processes: communicators are told apart by this. */
static void test_hashes(void **state)
{
	(void)state;
	enum { OF = 9, MOST = OF * OF * OF * OF * 2 };
	uint64_t *hash = malloc(MOST * sizeof *hash);
	int n = 0;
	for (int length = 1; length <= 4; length++)
		for (int code = 0, codes = (int)pow(OF, length); code < codes; code++) {
			int32_t member[4];
			for (int i = 0, rest = code; i < length; i++, rest /= OF)
				member[i] = rest % OF;
			hash[n++] = orr_list_hash(length, member);
		}
	assert_int_equal(n, 9 + 81 + 729 + 6561);
	qsort(hash, (size_t)n, sizeof *hash, hash_compare);
	for (int i = 1; i < n; i++)
		assert_true(hash[i - 1] != hash[i]);
	free(hash);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_sets),       cmocka_unit_test(test_ranges),
	    cmocka_unit_test(test_questions),  cmocka_unit_test(test_find),
	    cmocka_unit_test(test_lists),      cmocka_unit_test(test_names),
	    cmocka_unit_test(test_many_lists), cmocka_unit_test(test_hashes),
	};
	world_start(10, 3);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	world_end();
	return failed;
}
