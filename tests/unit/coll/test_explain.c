/* test_explain.c: a choice in words, word for word, for calls of every kind: the algorithm with its
 * parameters, what it stands in for, who chose. And what an algorithm is said to run is what runs:
 * each part is an algorithm of the table, told once, and one that writes its own rounds runs
 * nothing else. */
#include "coll/coll_int.h"
#include "coll/rules/rules.h"

#include "test.h"

static struct err err;
static int64_t counts[] = {3, 0, 5, 2, 9, 1, 4, 4};

static struct coll_args call(enum coll_kind kind, const struct coll_policy *policy)
{
	return (struct coll_args){.kind = kind,
	                          .size = 8,
	                          .count = 100,
	                          .count2 = 100,
	                          .type_size = 8,
	                          .type_size2 = 8,
	                          .commutative = 1,
	                          .basic_type = 1,
	                          .policy = policy};
}

/* The choice in words. */
static void explain(const struct coll_args *a, struct str *out)
{
	struct coll_choice c = coll_decide(a);

	coll_choice_explain(&c, a, out);
}

static void says(const struct coll_args *a, const char *words)
{
	struct str text;

	str_init(&text);
	explain(a, &text);
	if (strcmp(text.s, words) != 0)
		fail_msg("\"%s\", not \"%s\"", text.s, words);
	str_release(&text);
}

static void what_it_is(void **state)
{
	struct coll_policy nccl = {.selector = coll_selector_find("nccl")};
	struct coll_args a = call(COLL_BCAST, NULL);

	(void)state;
	says(&a, "binomial_tree, chosen by the selector default");
	a = call(COLL_BARRIER, &nccl);
	says(&a, "ompi_bruck, chosen by the selector nccl");
	a = call(COLL_ALLGATHERV, NULL);
	a.counts2 = counts;
	says(&a, "linear_nb, chosen by the selector default");
	a = call(COLL_ALLGATHER, NULL);
	a.count = a.count2 = 0;
	says(&a, "linear_nb, chosen by the selector default");
	a = call(COLL_BCAST, NULL);
	a.count = 1ll << 33;
	says(&a, "binomial_tree, chosen by the selector default");
}

static void who_chose(void **state)
{
	struct coll_policy p = {.selector = coll_selector_find("ompi-4")};
	struct coll_args a = call(COLL_SCAN, &p);

	(void)state;
	says(&a, "ompi_linear, chosen by the selector ompi-4");
	assert_ok(coll_policy_set(&p, COLL_SCAN, "recursive_doubling", &err), err);
	says(&a, "recursive_doubling, fixed by the setting of this operation");
	assert_ok(coll_policy_set(&p, COLL_SCAN, "mpich-4", &err), err);
	says(&a, "recursive_doubling, chosen by the selector mpich-4");
}

/* What refuses, why, and what runs instead. */
static void what_stands_in(void **state)
{
	struct coll_policy p = {.selector = NULL};
	struct coll_args a = call(COLL_ALLREDUCE, &p);

	(void)state;
	assert_ok(coll_policy_set(&p, COLL_ALLREDUCE, "lr", &err), err);
	assert_ok(coll_policy_set(&p, COLL_ALLGATHER, "rhv", &err), err);
	a.commutative = 0;
	says(&a, "default instead of lr (it needs a commutative operator), fixed by the setting of "
	         "this operation; it runs reduce ompi_basic_linear, bcast binomial_tree");
	a = call(COLL_ALLGATHER, &p);
	a.size = 7;
	says(&a, "linear_nb instead of rhv (it is for a power of two of ranks), fixed by the "
	         "setting of this operation");
}

/* A rule of a file: its line, segments, k. */
static void by_which_rule(void **state)
{
	static const char text[] =
	    "1\n7\n1\n2 4\n0 6 0 0\n100 5 0 4096\n1000 2 3 512\n5000 0 0 0\n";
	struct coll_policy p = {.selector = &coll_selector_file};
	struct coll_rules *rules = coll_rules_parse("site.conf", text, sizeof text - 1, &err);
	struct coll_args a = call(COLL_BCAST, &p);

	(void)state;
	assert_non_null(rules);
	p.owned = rules;
	p.rules = rules;
	a.count = 5;
	says(&a, "ompi_binomial without segments, by site.conf:5");
	a.count = 100;
	says(&a, "ompi_binary in segments of 4096 bytes, by site.conf:6");
	a.count = 200;
	says(&a, "ompi_chain in segments of 512 bytes with k = 3, by site.conf:7");
	a.kind = COLL_ALLTOALLW; /* no rule, and none of Open MPI's own */
	says(&a, "linear_nb, chosen by the selector ompi-4");
	coll_policy_release(&p);
}

/* Each "kind name" of the list. */
static unsigned parts_are_known(const char *parts, const struct coll_alg *of)
{
	unsigned n = 0;

	while (*parts) {
		char kind[40], name[60];
		const char *again;
		const struct coll_alg *part;
		int used = 0;

		assert_int_equal(sscanf(parts, "%39[^ ] %59[^,]%n", kind, name, &used), 2);
		part = coll_alg_find(coll_kind_find(kind), name);
		if (!part || part == of)
			fail_msg("%s %s runs %s %s", coll_kind_name(of->kind), of->name, kind,
			         name);
		parts += used;
		for (again = strstr(parts, name); again; again = strstr(again + 1, name))
			if (strncmp(again - strlen(kind) - 1, kind, strlen(kind)) == 0 &&
			    again[-(long)strlen(kind) - 2] == ' ')
				assert_true(again[strlen(name)] && again[strlen(name)] != ',');
		parts += *parts ? 2 : 0;
		n++;
	}
	return n;
}

static void parts_are_algorithms(void **state)
{
	static const uint32_t hosts[] = {0, 0, 1, 1, 2, 2, 3, 3};
	struct coll_shape shape;
	unsigned told = 0;

	(void)state;
	assert_ok(coll_shape_init(&shape, hosts, 8, &err), err);
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
			struct coll_policy policy = {.selector = *s};
			struct coll_args a = call((*alg)->kind, &policy);
			struct str parts;

			if ((*alg)->kind >= COLL_GATHER && (*alg)->kind != COLL_ALLGATHER)
				continue; /* of whole buffers, or of equal blocks */
			a.shape = &shape;
			if (coll_alg_refuses(*alg, &a))
				continue;
			str_init(&parts);
			coll_parts(*alg, &a, &parts);
			if ((*alg)->round)
				assert_int_equal(parts.n, 0);
			else if (parts.n)
				told += parts_are_known(parts.s, *alg) > 0;
			str_release(&parts);
		}
	coll_shape_release(&shape);
	assert_true(told > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_it_is),           cmocka_unit_test(who_chose),
	    cmocka_unit_test(what_stands_in),       cmocka_unit_test(by_which_rule),
	    cmocka_unit_test(parts_are_algorithms),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
