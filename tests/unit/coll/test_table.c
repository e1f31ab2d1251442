/* The list of algorithms: a row's words are the object's own operation and name, none stands twice,
 * and every one says where it comes from. */
#include "coll/algs.h"

#include "test.h"

#include <string.h>

struct row {
	const struct coll_alg *alg;
	const char *kind, *name;
};
#define COLL_ALG(kind, name) {&coll_##kind##_##name, #kind, #name},
static const struct row rows[] = {
#include "coll/coll_algs.def"
};
#undef COLL_ALG
enum { ROWS = sizeof rows / sizeof *rows };

static void words_are_the_objects(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		assert_string_equal(rows[i].kind, coll_kind_name(rows[i].alg->kind));
		assert_string_equal(rows[i].name, rows[i].alg->name);
		assert_true(rows[i].alg->source && *rows[i].alg->source);
		assert_ptr_equal(coll_alg_find(rows[i].alg->kind, rows[i].name), rows[i].alg);
	}
}

static void the_list_is_in_the_order_of_the_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		assert_ptr_equal(coll_algs[i], rows[i].alg);
	assert_null(coll_algs[ROWS]);
}

static void each_phase_says_one_thing(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < COLL_PHASES_MAX; k++) {
			const struct coll_phase *ph = &rows[i].alg->phase[k];
			assert_true(!!ph->alg + !!ph->choose + ph->selected <= 1);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(words_are_the_objects),
	    cmocka_unit_test(the_list_is_in_the_order_of_the_rows),
	    cmocka_unit_test(each_phase_says_one_thing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
