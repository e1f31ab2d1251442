/* test_policy.c: settings to choices. */
#include "coll/coll.h"

#include "test.h"

#include <stdio.h>

static struct config cfg;
static struct err err;

static void read_with(const char *settings, struct coll_policy *p, int fails)
{
	assert_ok(config_init(&cfg, &err), err);
	assert_ok(config_set_all(&cfg, settings, CFG_FROM_USER, &err), err);
	assert_int_equal(coll_policy_read(p, &cfg, &err), fails ? -1 : 0);
	config_release(&cfg);
}

static void nothing_said(void **state)
{
	struct coll_policy p;
	int k;

	(void)state;
	read_with("", &p, 0);
	assert_string_equal(p.selector->name, "default");
	for (k = 0; k < COLL_KINDS; k++)
		assert_true(!p.fixed[k] && !p.selectors[k]);
}

static void one_operation(void **state)
{
	struct coll_policy p;

	(void)state;
	read_with("smpi/bcast:binomial_tree,smpi/alltoall:default", &p, 0);
	assert_string_equal(p.fixed[COLL_BCAST]->name, "binomial_tree");
	assert_null(p.fixed[COLL_ALLTOALL]);
	assert_string_equal(p.selectors[COLL_ALLTOALL]->name, "default");
	assert_null(p.fixed[COLL_REDUCE]);
}

/* Every algorithm can be had by its name, but for neighbourhoods' only ones. "default" is a
 * selector's name first. */
static void every_algorithm(void **state)
{
	struct coll_policy p;
	char setting[128];

	(void)state;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++) {
		if ((*alg)->defect || (*alg)->kind > COLL_EXSCAN)
			continue;
		snprintf(setting, sizeof setting, "smpi/%s:%s", coll_kind_name((*alg)->kind),
		         (*alg)->name);
		read_with(setting, &p, 0);
		if (coll_selector_find((*alg)->name))
			assert_ptr_equal(p.selectors[(*alg)->kind],
			                 coll_selector_find((*alg)->name));
		else
			assert_ptr_equal(p.fixed[(*alg)->kind], *alg);
	}
	read_with("smpi/reduce_scatter_block:mpich_pair", &p, 0);
	assert_string_equal(p.fixed[COLL_REDUCE_SCATTER]->name, "mpich_pair");
}

static void wrong_names(void **state)
{
	struct coll_policy p;

	(void)state;
	read_with("smpi/bcast:carrier_pigeon", &p, 1);
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "setting smpi/bcast: "));
	assert_non_null(strstr(err.text, "binomial_tree"));
	read_with("smpi/allreduce:ompi_rng", &p, 1);
	assert_non_null(strstr(err.text, "\"ompi_rng\" for allreduce; did you mean ompi_ring; "));
	assert_non_null(strstr(err.text, "; selectors: default "));
	assert_non_null(strstr(err.text, " file:PATH"));
	read_with("smpi/coll-selector:astrology", &p, 1);
	assert_non_null(strstr(err.text, "there are: default"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_said),
	    cmocka_unit_test(one_operation),
	    cmocka_unit_test(every_algorithm),
	    cmocka_unit_test(wrong_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
