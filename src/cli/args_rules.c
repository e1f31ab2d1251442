/* args_rules.c: which options go together. What an option would say without effect, or against
 * another one, is refused: nothing that is typed is passed over. */
#include "cli.h"

#include <string.h>

static const char *name_of(const struct verb *v, int id)
{
	for (const struct option_row *r = v->options; r && r->id; r++)
		if (r->id == id)
			return r->name;
	return "";
}

static int is_in(const int *list, int id)
{
	for (; list && *list; list++)
		if (*list == id)
			return 1;
	return 0;
}

/* Given twice, the last would win. */
static int once_check(const struct verb *v, const struct args *a, struct err *err)
{
	for (int i = 0; i < a->n_given; i++)
		for (int k = 0; k < i; k++)
			if (a->given[k].id == a->given[i].id &&
			    !is_in(v->repeats, a->given[i].id) &&
			    strcmp(a->given[k].value, a->given[i].value) != 0)
				return err_set(err, ERR_INPUT,
				               "%s: --%s is given twice, as '%s' and '%s'", v->name,
				               name_of(v, a->given[i].id), a->given[k].value,
				               a->given[i].value);
	return 0;
}

static int rule_check(const struct verb *v, const struct args *a, const struct option_rule *r,
                      struct err *err)
{
	int met = !r->needs[0];

	if (!args_has(a, r->id))
		return 0;
	for (int i = 0; i < OPTION_RULE_IDS && r->needs[i]; i++)
		met |= args_has(a, r->needs[i]);
	if (!met)
		return err_set(err, ERR_INPUT, "%s: --%s means nothing without --%s%s%s", v->name,
		               name_of(v, r->id), name_of(v, r->needs[0]),
		               r->needs[1] ? " or --" : "",
		               r->needs[1] ? name_of(v, r->needs[1]) : "");
	for (int i = 0; i < OPTION_RULE_IDS && r->without[i]; i++)
		if (args_has(a, r->without[i]))
			return err_set(err, ERR_INPUT, "%s: --%s and --%s: one of them", v->name,
			               name_of(v, r->id), name_of(v, r->without[i]));
	return 0;
}

int args_check(const struct verb *v, const struct args *a, struct err *err)
{
	if (once_check(v, a, err) < 0)
		return -1;
	for (const struct option_rule *r = v->rules; r && r->id; r++)
		if (rule_check(v, a, r, err) < 0)
			return -1;
	return 0;
}
