/* test_ompi_4.c: the selectors ompi-4 and ompi-5. ompi-4: the fixed decisions of Open MPI 4.1, as
 * they stand in its source (published_ompi.h: there a number of Open MPI's), with Open MPI's own
 * algorithms of these numbers (coll_tuned_*_decision.c, ompi_coll_tuned_*_algorithms), listed here
 * a second time; without segments, and one chain (coll_tuned_decision_fixed.c ends each with
 * faninout 0 or 1, segsize 0). ompi-5: where every host has several ranks and more hosts than one
 * there are, two levels (coll/han); else the same. */
#include "published_ompi.h"
#include "test.h"

#include "coll/rules/numbers.h"
#include "coll/write.h"

enum { P_MOST = 5000 };

/* From number 1 on. */
static const struct {
	enum coll_kind kind;
	const char *names;
} numbers[] = {
    {COLL_ALLREDUCE, "ompi_basic_linear redbcast rdb ompi_ring ompi_ring_segmented "
                     "ompi_redscat_allgather"},
    {COLL_ALLTOALL, "basic_linear ring bruck ompi_linear_sync pair"},
    {COLL_ALLTOALLV, "ompi_basic_linear ompi_pairwise"},
    {COLL_BARRIER, "ompi_basic_linear ompi_doublering ompi_recursivedoubling ompi_bruck "
                   "ompi_two_procs ompi_tree"},
    {COLL_BCAST, "flattree ompi_chain ompi_pipeline ompi_split_bintree ompi_binary ompi_binomial "
                 "ompi_knomial ompi_scatter_allgather ompi_scatter_allgather_ring"},
    {COLL_REDUCE, "ompi_basic_linear ompi_chain ompi_pipeline ompi_binary ompi_binomial "
                  "ompi_in_order_binary ompi_redscat_gather"},
    {COLL_REDUCE_SCATTER, "ompi_nonoverlapping ompi_basic_recursivehalving ompi_ring "
                          "ompi_butterfly"},
    {COLL_ALLGATHER, "GB bruck ompi_recursivedoubling NTSLR ompi_neighborexchange pair "
                     "ompi_sparbit"},
    {COLL_ALLGATHERV, "GB ompi_bruck ompi_ring ompi_neighborexchange pair ompi_sparbit"},
    {COLL_GATHER, "ompi_basic_linear ompi_binomial ompi_linear_sync"},
    {COLL_SCATTER, "ompi_basic_linear ompi_binomial ompi_linear_nb"},
    {COLL_SCAN, "ompi_linear recursive_doubling"},
    {COLL_EXSCAN, "ompi_linear recursive_doubling"},
};

/* The name of a number; its length in *n. NULL: there is none. */
static const char *name_of(enum coll_kind kind, uint32_t number, size_t *n)
{
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		const char *at = numbers[i].names;

		if (numbers[i].kind != kind)
			continue;
		for (uint32_t k = 1; k < number && at; k++) {
			at = strchr(at, ' ');
			at = at ? at + 1 : NULL;
		}
		*n = at ? strcspn(at, " ") : 0;
		return at;
	}
	return NULL;
}

static void numbers_are_open_mpis(void **state)
{
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		for (uint32_t k = 1; k <= OMPI_NUMBER_MAX; k++) {
			const char *want = name_of(numbers[i].kind, k, &n);
			const struct coll_alg *got = coll_ompi_alg(numbers[i].kind, k);

			assert_int_equal(!want, !got);
			if (want && (strlen(got->name) != n || strncmp(got->name, want, n) != 0))
				fail_msg("%s %u is %s, not %.*s", coll_kind_name(got->kind), k,
				         got->name, (int)n, want);
		}
	assert_null(coll_ompi_alg(COLL_BCAST, 0));
	assert_null(coll_ompi_alg(COLL_KINDS, 1));
	assert_int_equal(coll_ompi_alg_number(COLL_BCAST, coll_alg_find(COLL_BCAST, "NTSL")), 0);
}

/* coll_base_functions.h, enum COLLTYPE: in the order of the alphabet, neighbourhoods first of all
 * those that come last. */
static void kinds_are_numbered_by_the_alphabet(void **state)
{
	static const char *const names[] = {"allgather",      "allgatherv",
	                                    "allreduce",      "alltoall",
	                                    "alltoallv",      "alltoallw",
	                                    "barrier",        "bcast",
	                                    "exscan",         "gather",
	                                    "gatherv",        "reduce",
	                                    "reduce_scatter", "reduce_scatter_block",
	                                    "scan",           "scatter",
	                                    "scatterv"};

	(void)state;
	for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_string_equal(coll_kind_name(coll_ompi_kind(i)), names[i]);
		if (coll_ompi_kind_number(coll_ompi_kind(i)) >= 0)
			assert_int_equal(coll_ompi_kind_number(coll_ompi_kind(i)), i);
	}
	for (uint32_t i = 17; i < 40; i++)
		assert_int_equal(coll_ompi_kind(i), COLL_KINDS);
}

/* --- decisions --- */

static struct coll_choice chosen(const struct published *t, const char *selector, uint32_t p,
                                 int64_t size, const struct coll_shape *shape)
{
	static int64_t counts[P_MOST];
	struct coll_policy policy = {.selector = coll_selector_find(selector)};
	int averages = t->kind == COLL_ALLGATHERV;
	struct coll_args a = {.kind = t->kind,
	                      .size = p,
	                      .count = size,
	                      .count2 = size,
	                      .type_size = 1,
	                      .type_size2 = 1,
	                      .commutative = t->op != ORDERED,
	                      .basic_type = 1,
	                      .shape = shape,
	                      .policy = &policy};

	for (uint32_t i = 0; i < p; i++)
		counts[i] = averages ? size : size / p + (i < size % p);
	if (t->kind == COLL_ALLGATHERV || t->kind == COLL_REDUCE_SCATTER)
		a.counts2 = counts;
	if (t->kind == COLL_ALLTOALLV)
		a.counts = a.counts2 = counts;
	return coll_decide(&a);
}

/* The number that a row has for a size. */
static uint32_t number_for(const char *entries, int64_t size)
{
	int64_t bounds[PUBLISHED_BOUNDS];
	int of = published_bounds(entries, bounds), entry = 0;

	while (entry < of && size >= bounds[entry])
		entry++;
	for (int i = 0; i <= entry; i++)
		entries = strchr(entries, ':') + 1;
	return (uint32_t)strtoul(entries, NULL, 10);
}

static void check_choice(const struct published *t, const char *entries, uint32_t p, int64_t size)
{
	struct coll_choice c = chosen(t, "ompi-4", p, size, NULL);
	const struct coll_alg *got = c.wanted ? c.wanted : c.alg;
	uint32_t number = number_for(entries, size);
	int cuts = t->kind == COLL_BCAST || t->kind == COLL_REDUCE || t->kind == COLL_ALLREDUCE;
	size_t n;
	const char *want = name_of(t->kind, number, &n);

	if (!want || strlen(got->name) != n || strncmp(got->name, want, n) != 0)
		fail_msg("%s, %u ranks, %lld bytes: %s, not number %u, %.*s",
		         coll_kind_name(t->kind), p, (long long)size, got->name, number,
		         want ? (int)n : 4, want ? want : "none");
	if (c.wanted)
		return;
	assert_true(c.segment == (cuts ? COLL_WHOLE : 0));
	assert_int_equal(c.fanout,
	                 number == 2 && (t->kind == COLL_BCAST || t->kind == COLL_REDUCE));
}

static void decisions_are_open_mpis(void **state)
{
	unsigned checked = 0;

	(void)state;
	for (size_t i = 0; i < sizeof published_ompi / sizeof *published_ompi; i++) {
		const struct published *t = &published_ompi[i];

		for (int r = 0; r < PUBLISHED_ROWS && t->rows[r].entries; r++) {
			uint32_t lo = r ? t->rows[r - 1].most + 1 : 2;
			uint32_t hi = t->rows[r].most == MANY ? lo + 30 : t->rows[r].most;
			int64_t bounds[PUBLISHED_BOUNDS];
			int n = published_bounds(t->rows[r].entries, bounds);

			for (int b = 0; b <= n; b++)
				for (int off = -1; off <= 1; off++, checked += 2) {
					int64_t size = (b < n ? bounds[b] : 5) + off;

					check_choice(t, t->rows[r].entries, lo, size);
					check_choice(t, t->rows[r].entries, hi, size);
				}
		}
	}
	print_message("%u decisions\n", checked);
	assert_true(checked > 1000);
}

/* Scans run along the line; a block's reduce_scatter that does not commute is reduce and scatter.
 */
static void the_rest(void **state)
{
	static const struct published scans[] = {{COLL_SCAN, COMMUTES, 0, "", {{0, NULL}}},
	                                         {COLL_EXSCAN, COMMUTES, 0, "", {{0, NULL}}}},
	                              block = {COLL_REDUCE_SCATTER_BLOCK,
	                                       ORDERED,
	                                       0,
	                                       "",
	                                       {{0, NULL}}},
	                              gatherv = {COLL_GATHERV, ANY_OPERATOR, 0, "", {{0, NULL}}};

	(void)state;
	for (uint32_t p = 2; p < 300; p += 17) {
		for (int i = 0; i < 2; i++)
			assert_string_equal(chosen(&scans[i], "ompi-4", p, 1000, NULL).alg->name,
			                    "ompi_linear");
		assert_string_equal(chosen(&block, "ompi-4", p, 1000, NULL).alg->name,
		                    "ompi_nonoverlapping");
		assert_string_equal(chosen(&gatherv, "ompi-4", p, 1000, NULL).alg->name,
		                    "linear_nb");
	}
}

/* --- ompi-5 --- */

static void two_levels_where_hosts_have_several(void **state)
{
	static const enum coll_kind han[] = {COLL_BARRIER,   COLL_BCAST,  COLL_REDUCE,
	                                     COLL_ALLREDUCE, COLL_GATHER, COLL_SCATTER,
	                                     COLL_ALLGATHER};
	static const enum coll_kind tuned[] = {COLL_ALLTOALL, COLL_REDUCE_SCATTER, COLL_SCAN,
	                                       COLL_ALLGATHERV, COLL_ALLTOALLV};
	uint32_t host[24], one[24] = {0}, uneven[24];
	struct coll_shape several, single, unlike;
	struct err err;

	(void)state;
	for (uint32_t i = 0; i < 24; i++) {
		host[i] = i / 4;
		uneven[i] = i < 5 ? 0 : 1 + i / 4;
	}
	assert_ok(coll_shape_init(&several, host, 24, &err), err);
	assert_ok(coll_shape_init(&single, one, 24, &err), err);
	assert_ok(coll_shape_init(&unlike, uneven, 24, &err), err);
	for (size_t i = 0; i < sizeof han / sizeof *han; i++) {
		struct published t = {.kind = han[i], .op = COMMUTES};
		const struct coll_shape *others[] = {NULL, &single, &unlike};

		assert_string_equal(chosen(&t, "ompi-5", 24, 4000, &several).alg->name, "ompi_han");
		for (size_t k = 0; k < 3; k++)
			assert_ptr_equal(chosen(&t, "ompi-5", 24, 4000, others[k]).alg,
			                 chosen(&t, "ompi-4", 24, 4000, others[k]).alg);
		t.op = ORDERED;
		if (han[i] == COLL_REDUCE || han[i] == COLL_ALLREDUCE)
			assert_string_not_equal(chosen(&t, "ompi-5", 24, 4000, &several).alg->name,
			                        "ompi_han");
	}
	for (size_t i = 0; i < sizeof tuned / sizeof *tuned; i++) {
		struct published t = {.kind = tuned[i], .op = COMMUTES};

		assert_ptr_equal(chosen(&t, "ompi-5", 24, 4000, &several).alg,
		                 chosen(&t, "ompi-4", 24, 4000, &several).alg);
	}
	coll_shape_release(&several);
	coll_shape_release(&single);
	coll_shape_release(&unlike);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_open_mpis),
	    cmocka_unit_test(kinds_are_numbered_by_the_alphabet),
	    cmocka_unit_test(decisions_are_open_mpis),
	    cmocka_unit_test(the_rest),
	    cmocka_unit_test(two_levels_where_hosts_have_several),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
