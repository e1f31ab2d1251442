/* Selectors: tables are well-formed, choices come from the documentation, a name that does not
 * exist is refused with those that do. */
#include "coll/select/decision.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* The choice in words. */
static void explain(const struct coll_args *a, struct str *out)
{
	struct coll_choice c = coll_decide(a);

	coll_choice_explain(&c, a, out);
}

static void check_tables(const struct decision *const *d, const char *whose)
{
	int n = 0;
	for (; *d; d++, n++)
		if (decision_check(*d))
			fail_msg("%s, table %d: %s", whose, n, decision_check(*d));
	assert_true(n > 0);
}

static void test_tables_are_well_formed(void **state)
{
	(void)state;
	check_tables(coll_ompi_tables, "ompi");
	check_tables(coll_mpich_tables, "mpich");
	check_tables(coll_nccl_tables, "nccl");
	check_tables(coll_mvapich2_tables, "mvapich2");
	check_tables(coll_impi_tables, "impi");
}

static void test_malformed_tables_are_found(void **state)
{
	(void)state;
	static const struct {
		const char *entries, *wrong;
	} cases[] = {{"8:1 :2", NULL},
	             {"8:1 4:2 :1", "fall"},
	             {"8:1", "bound"},
	             {":3", "no algorithm"},
	             {"8 :1", "malformed"}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct decision_row rows[] = {{UINT32_MAX, cases[i].entries}};
		struct decision d = {.algs = {&coll_bcast_flattree, &coll_bcast_NTSL},
		                     .rows = rows};
		const char *wrong = decision_check(&d);
		assert_int_equal(!wrong, !cases[i].wrong);
		if (wrong && !strstr(wrong, cases[i].wrong))
			fail_msg("\"%s\": %s", cases[i].entries, wrong);
	}
}

static void test_bounds(void **state)
{
	(void)state;
	static const struct decision_row rows[] = {{4, "8:1 4Ki:2 1Mi:3 :4"}, {UINT32_MAX, ":5"}};
	struct decision below = {.rows = rows}, up_to = {.rows = rows, .inclusive = 1};
	assert_int_equal(decision_number(&below, 4, 7), 1);
	assert_int_equal(decision_number(&below, 4, 8), 2);
	assert_int_equal(decision_number(&up_to, 4, 8), 1);
	assert_int_equal(decision_number(&below, 1, 4096), 3);
	assert_int_equal(decision_number(&below, 1, 1 << 20), 4);
	assert_int_equal(decision_number(&below, 5, 0), 5);
}

/* p, bytes -> algorithm, from the tables of Open MPI 4.1.2 and 1.7 and of MPICH 3.0 as
 * documented. */
static const struct {
	const char *selector;
	enum coll_kind kind;
	uint32_t p;
	int64_t bytes;
	const char *alg;
} choices[] = {
    {"default", COLL_BCAST, 64, 1, "binomial_tree"},
    {"default", COLL_ALLREDUCE, 64, 1, "default"},
    {"default", COLL_ALLTOALL, 2, 8, "pair"},
    {"default", COLL_ALLTOALL, 40, 511, "bruck"},
    {"default", COLL_ALLTOALL, 40, 512, "basic_linear"},
    {"ompi", COLL_ALLREDUCE, 16, 100, "rdb"},
    {"ompi", COLL_ALLREDUCE, 16, 4096, "rab_rdb"},
    {"ompi", COLL_BCAST, 64, 100, "mvapich2_knomial_intra_node"},
    {"ompi", COLL_BCAST, 1000, 20000, "ompi_split_bintree"},
    {"ompi", COLL_BARRIER, 8, 0, "ompi_recursivedoubling"},
    {"ompi", COLL_BARRIER, 7, 0, "ompi_basic_linear"},
    {"ompi", COLL_REDUCE, 3, 100000, "ompi_basic_linear"},
    {"ompi", COLL_GATHER, 300, 2048, "ompi_basic_linear"},
    {"ompi", COLL_SCATTER, 64, 511, "ompi_binomial"},
    {"ompi", COLL_ALLGATHER, 2, 1, "pair"},
    {"ompi", COLL_ALLTOALLV, 3, 1, "pair"},
    {"ompi-1.7", COLL_ALLREDUCE, 16, 9999, "rdb"},
    {"ompi-1.7", COLL_ALLREDUCE, 16, 10000, "lr"},
    {"ompi-1.7", COLL_BCAST, 8, 400000, "ompi_split_bintree"},
    {"ompi-1.7", COLL_BARRIER, 6, 0, "ompi_bruck"},
    {"mpich", COLL_BCAST, 64, 1, "SMP_binomial"},
    {"mpich", COLL_ALLGATHER, 6, 14000, "ring"},
    {"mpich", COLL_ALLGATHER, 5, 16384, "bruck"}, /* 81920 in all */
    {"mpich", COLL_ALLGATHER, 5, 16385, "ring"},
    {"mpich", COLL_ALLGATHER, 8, 65535, "rdb"},
    {"mpich", COLL_ALLGATHER, 8, 65536, "ring"}, /* 524288 in all */
    {"mpich", COLL_REDUCE_SCATTER_BLOCK, 8, 65536, "mpich_rdb"},
    {"mpich", COLL_REDUCE_SCATTER_BLOCK, 8, 65537, "mpich_pair"},
    {"mpich", COLL_ALLTOALL, 8, 255, "bruck"},
    {"mpich", COLL_ALLTOALL, 7, 255, "mvapich2_scatter_dest"},
    {"mpich", COLL_ALLTOALL, 8, 256, "mvapich2_scatter_dest"},
    {"mpich", COLL_ALLTOALL, 8, 32767, "mvapich2_scatter_dest"},
    {"mpich", COLL_ALLTOALL, 8, 32768, "pair"},
    {"mpich", COLL_ALLTOALL, 6, 32768, "ring"},
    {"mvapich2", COLL_ALLTOALL, 16, 64, "rdb"},
    {"mvapich2", COLL_ALLTOALL, 16, 65, "bruck"},
    {"mvapich2", COLL_BCAST, 128, 524289, "scatter_LR_allgather"},
    {"mvapich2", COLL_REDUCE, 16, 1 << 20, "binomial"},
    {"mvapich2", COLL_ALLREDUCE, 16, 1025, "mvapich2_rs"},
    {"impi", COLL_ALLREDUCE, 2, 5, "ompi_ring_segmented"},
    {"impi", COLL_ALLREDUCE, 2, 6, "rdb"},
    {"impi", COLL_ALLTOALL, 16, 84645, "pair"},
    {"impi", COLL_BARRIER, 3, 0, "ompi_basic_linear"},
    {"impi", COLL_GATHER, 4, 20000, "ompi_binomial"},
};

static void test_choices(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
		struct coll_policy policy = {.selector = coll_selector_find(choices[i].selector)};
		struct coll_args a = {.kind = choices[i].kind,
		                      .size = choices[i].p,
		                      .count = choices[i].bytes,
		                      .count2 = choices[i].bytes,
		                      .type_size = 1,
		                      .type_size2 = 1,
		                      .commutative = 1,
		                      .basic_type = 1,
		                      .policy = &policy};
		const struct coll_alg *alg = coll_choose(&a, NULL);
		if (strcmp(alg->name, choices[i].alg) != 0)
			fail_msg("%s %s, %u ranks, %ld bytes: %s, not %s", choices[i].selector,
			         coll_kind_name(a.kind), a.size, (long)a.count, alg->name,
			         choices[i].alg);
	}
}

static void test_policies(void **state)
{
	(void)state;
	struct coll_policy p = {0};
	struct coll_args a = {.kind = COLL_BCAST,
	                      .size = 8,
	                      .count = 1,
	                      .type_size = 1,
	                      .commutative = 1,
	                      .policy = &p};
	struct err err = {0};
	const char *why;
	assert_ok(coll_policy_set(&p, COLL_BCAST, "NTSL", &err), err);
	assert_ptr_equal(coll_choose(&a, NULL), &coll_bcast_NTSL);
	assert_ok(coll_policy_set(&p, COLL_BCAST, "default", &err), err);
	assert_ptr_equal(coll_choose(&a, NULL), &coll_bcast_binomial_tree);
	assert_fails(coll_policy_set(&p, COLL_BCAST, "nosuch", &err), err, ERR_INPUT,
	             "binomial_tree");
	/* What refuses is replaced. */
	a.kind = COLL_ALLREDUCE;
	a.commutative = 0;
	a.basic_type = 1;
	assert_ok(coll_policy_set(&p, COLL_ALLREDUCE, "lr", &err), err);
	assert_ptr_equal(coll_choose(&a, &why), &coll_allreduce_default);
	assert_non_null(why);
	/* Of a library, where only "default" would decide; else as the policy. */
	a.kind = COLL_ALLGATHER;
	a.commutative = 1;
	a.count2 = a.type_size2 = 1;
	assert_string_equal(coll_choose(&a, NULL)->name, "linear_nb");
	assert_ptr_equal(coll_choose_as(&a, coll_selector_find("mpich")), &coll_allgather_rdb);
	assert_ok(coll_policy_set(&p, COLL_ALLGATHER, "ring", &err), err);
	assert_string_equal(coll_choose_as(&a, coll_selector_find("mpich"))->name, "ring");
	/* One choice for both forms. */
	a.kind = COLL_REDUCE_SCATTER_BLOCK;
	assert_ok(coll_policy_set(&p, COLL_REDUCE_SCATTER_BLOCK, "ompi_butterfly", &err), err);
	assert_ptr_equal(coll_choose(&a, &why), &coll_reduce_scatter_ompi_butterfly);
	assert_null(why);
}

/* Every name is unique, documented, and found. */
static void test_registry(void **state)
{
	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		assert_ptr_equal(coll_alg_find((*alg)->kind, (*alg)->name), *alg);
		assert_true((*alg)->source && (*alg)->source[0] && (*alg)->cost && (*alg)->cost[0]);
		assert_true(!(*alg)->round != !((*alg)->phase[0].alg || (*alg)->phase[0].choose ||
		                                (*alg)->phase[0].selected));
	}
	for (int k = 0; k < COLL_KINDS; k++) {
		struct coll_args a = {.kind = (enum coll_kind)k, .size = 4};
		assert_int_equal(coll_kind_find(coll_kind_name(a.kind)), k);
		assert_non_null(coll_alg_nonblocking(a.kind, &a));
		a.compat = 1;
		assert_non_null(coll_alg_nonblocking(a.kind, &a));
	}
	assert_int_equal(coll_kind_find("nosuch"), COLL_KINDS);
	assert_null(coll_alg_find(COLL_BCAST, "nosuch"));
}

/* Whatever is fixed: what runs instead can run, and the explanation names both and the reason. What
 * an algorithm leaves to another is named too. */
static void test_fallbacks_are_told(void **state)
{
	static const uint32_t hosts[] = {0, 1, 1, 2, 0, 2, 2};
	struct coll_shape uneven;
	struct err err;
	unsigned told = 0;
	(void)state;
	assert_int_equal(coll_shape_init(&uneven, hosts, 7, &err), 0);
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		if ((*alg)->kind > COLL_EXSCAN || (*alg)->kind == COLL_REDUCE_SCATTER ||
		    (*alg)->defect)
			continue;
		struct coll_policy policy = {0};
		policy.fixed[(*alg)->kind] = *alg;
		int64_t counts[49];
		for (int k = 0; k < 49; k++)
			counts[k] = 5;
		struct coll_args a = {.kind = (*alg)->kind,
		                      .size = 7,
		                      .count = 5,
		                      .count2 = 5,
		                      .type_size = 8,
		                      .type_size2 = 8,
		                      .counts = counts,
		                      .counts2 = counts,
		                      .shape = &uneven,
		                      .policy = &policy};
		struct coll_choice c = coll_decide(&a);
		struct str text;
		str_init(&text);
		explain(&a, &text);
		assert_null(coll_alg_refuses(c.alg, &a));
		assert_non_null(strstr(text.s, c.alg->name));
		if (c.alg != *alg) {
			char wanted[200];
			snprintf(wanted, sizeof wanted, "instead of %s (%s)", (*alg)->name,
			         coll_alg_refuses(*alg, &a));
			assert_non_null(strstr(text.s, wanted));
			told++;
		}
		str_release(&text);
	}
	coll_shape_release(&uneven);
	assert_true(told > 20);
}

static void test_parts_are_told(void **state)
{
	struct coll_policy policy = {
	    .fixed[COLL_ALLREDUCE] = coll_alg_find(COLL_ALLREDUCE, "ompi_ring")};
	struct coll_args a = {.kind = COLL_ALLREDUCE,
	                      .size = 7,
	                      .count = 5,
	                      .type_size = 8,
	                      .commutative = 1,
	                      .basic_type = 1,
	                      .policy = &policy};
	struct str text;
	(void)state;
	str_init(&text);
	explain(&a, &text); /* fewer elements than ranks */
	assert_non_null(strstr(text.s, "; it runs allreduce rdb"));
	text.n = 0;
	a.count = 700;
	explain(&a, &text);
	assert_null(strstr(text.s, "it runs"));
	text.n = 0;
	policy.fixed[COLL_ALLREDUCE] = coll_alg_find(COLL_ALLREDUCE, "redbcast");
	explain(&a, &text);
	assert_non_null(strstr(text.s, "; it runs reduce linear_nb, bcast binomial_tree"));
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables_are_well_formed),
	                                   cmocka_unit_test(test_fallbacks_are_told),
	                                   cmocka_unit_test(test_parts_are_told),
	                                   cmocka_unit_test(test_malformed_tables_are_found),
	                                   cmocka_unit_test(test_bounds),
	                                   cmocka_unit_test(test_choices),
	                                   cmocka_unit_test(test_policies),
	                                   cmocka_unit_test(test_registry)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
