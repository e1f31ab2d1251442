/* prop_rules.c: which options go together, for random handfuls of each verb's options, beside the
 * words of cli.h: an option that may be given once is not given two values; what needs another one
 * has one of those; what goes without another one has none of those. And what the tables name is
 * there: options of rules, of repeats and of outputs, which take a value. */
#include "cli/verbs.h"

#include "../prop.h"

enum { GIVEN = 6 };

static const struct option_row *row_of(const struct verb *v, int id)
{
	for (const struct option_row *o = v->options; o->id; o++)
		if (o->id == id)
			return o;
	fail_msg("%s: a table names option %d, which there is not", v->name, id);
	return NULL;
}

static void tables_name_what_is_there(void **state)
{
	(void)state;
	for (const struct verb *const *p = verbs; *p; p++) {
		const struct verb *v = *p;

		for (const int *o = v->outputs; o && *o; o++)
			assert_non_null(row_of(v, *o)->arg);
		for (const int *o = v->repeats; o && *o; o++)
			assert_non_null(row_of(v, *o)->arg);
		for (const struct option_rule *r = v->rules; r && r->id; r++) {
			row_of(v, r->id);
			assert_true(r->needs[0] || r->without[0]); /* else it says nothing */
			for (int i = 0; i < OPTION_RULE_IDS; i++) {
				if (r->needs[i])
					assert_int_not_equal(row_of(v, r->needs[i])->id, r->id);
				if (r->without[i])
					assert_int_not_equal(row_of(v, r->without[i])->id, r->id);
			}
		}
	}
}

static int is_given(const struct args *a, int id)
{
	int n = 0;

	for (int i = 0; i < a->n_given; i++)
		n += a->given[i].id == id;
	return n;
}

static int may_repeat(const struct verb *v, int id)
{
	for (const int *o = v->repeats; o && *o; o++)
		if (*o == id)
			return 1;
	return 0;
}

/* The names of what is wrong: --NAME of each option that takes part. */
static int is_right(const struct verb *v, const struct args *a)
{
	for (int i = 0; i < a->n_given; i++)
		for (int k = 0; k < a->n_given; k++)
			if (a->given[i].id == a->given[k].id && !may_repeat(v, a->given[i].id) &&
			    strcmp(a->given[i].value, a->given[k].value) != 0)
				return 0;
	for (const struct option_rule *r = v->rules; r && r->id; r++) {
		int some = 0;

		for (int i = 0; i < OPTION_RULE_IDS; i++) {
			some |= r->needs[i] && is_given(a, r->needs[i]);
			if (is_given(a, r->id) && r->without[i] && is_given(a, r->without[i]))
				return 0;
		}
		if (is_given(a, r->id) && r->needs[0] && !some)
			return 0;
	}
	return 1;
}

/* Now and then an option of the rules, as handfuls of forty seldom have two that belong together.
 */
static int option_draw(struct rng *r, const struct verb *v, uint32_t options)
{
	uint32_t rules = 0;
	const struct option_rule *rule;

	while (v->rules && v->rules[rules].id)
		rules++;
	if (rules == 0 || prop_once_in(r, 2))
		return v->options[rng_below(r, options)].id;
	rule = &v->rules[rng_below(r, rules)];
	switch (rng_below(r, 3)) {
	case 0:
		return rule->needs[0] ? rule->needs[0] : rule->id;
	case 1:
		return rule->without[0] ? rule->without[0] : rule->id;
	default:
		return rule->id;
	}
}

static void handfuls(void **state)
{
	struct prop_run run = prop_begin(400);
	uint64_t wrong = 0, all = 0;

	(void)state;
	for (const struct verb *const *v = verbs; *v; v++)
		for (uint64_t i = 0; i < run.cases; i++) {
			struct given_option given[GIVEN];
			struct args a = {.given = given};
			struct rng r;
			struct err err = {0};
			uint32_t options = 0;
			int right;

			rng_init(&r, run.seed + i, (*v)->name, 0);
			while ((*v)->options[options].id)
				options++;
			for (uint32_t n = prop_from(&r, 0, GIVEN); n > 0 && options > 0; n--) {
				int id = option_draw(&r, *v, options);

				given[a.n_given++] = (struct given_option){
				    id, !row_of(*v, id)->arg  ? ""
				        : prop_once_in(&r, 2) ? "1"
				                              : "2"};
			}
			right = is_right(*v, &a);
			if ((args_check(*v, &a, &err) == 0) != right)
				fail_msg("seed %llu, %s: %s: %s",
				         (unsigned long long)(run.seed + i), (*v)->name,
				         right ? "was refused" : "was taken", err.text);
			if (!right && (err.kind != ERR_INPUT || !strstr(err.text, "--")))
				fail_msg("%s: %s", (*v)->name, err.text);
			wrong += !right;
			all++;
		}
	assert_true(wrong > all / 20 && wrong < all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tables_name_what_is_there),
	                                   cmocka_unit_test(handfuls)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
