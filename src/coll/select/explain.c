/* explain.c: in words, which algorithm a call uses and why, and what that one is made of. */
#include "coll/walk.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static int is_registered(const struct coll_alg *alg)
{
	for (const struct coll_alg *const *i = coll_algs; *i; i++)
		if (*i == alg)
			return 1;
	return 0;
}

/* "bcast binomial_tree", once. */
static void part_add(const struct coll_alg *alg, struct str *out)
{
	char name[96];
	const char *at;
	size_t n = (size_t)snprintf(name, sizeof name, "%s %s", coll_kind_name(alg->kind),
	                            alg->name);
	for (at = out->s; at && (at = strstr(at, name)); at += n)
		if ((at == out->s || at[-1] == ' ') && (at[n] == ',' || !at[n]))
			return;
	str_printf(out, "%s%s", out->n ? ", " : "", name);
}

static void parts_of_rank(const struct coll_alg *alg, const struct coll_args *a, uint32_t rank,
                          uint32_t depth, struct str *out)
{
	const struct coll_cursor first = {0};
	struct phase_run run;
	int open;
	for (uint32_t i = 0; !alg->round && depth < COLL_DEPTH_MAX &&
	                     (open = coll_phase_open(alg, a, rank, &first, i, &run)) >= 0;
	     i++) {
		if (!open || run.args.size < 2)
			continue;
		if (is_registered(run.alg) && run.alg != alg)
			part_add(run.alg, out);
		else
			parts_of_rank(run.alg, &run.args, run.view.rank, depth + 1, out);
	}
}

void coll_parts(const struct coll_alg *alg, const struct coll_args *a, struct str *out)
{
	const uint32_t ranks[] = {0, 1, a->size / 2, a->size - 1};
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
		if (ranks[i] < a->size)
			parts_of_rank(alg, a, ranks[i], 0, out);
}

void coll_choice_explain(const struct coll_choice *c, const struct coll_args *a, struct str *out)
{
	struct str parts;

	str_puts(out, c->alg->name);
	if (c->segment == COLL_WHOLE)
		str_puts(out, " without segments");
	else if (c->segment)
		str_printf(out, " in segments of %lld bytes", (long long)c->segment);
	if (c->fanout)
		str_printf(out, " with k = %u", c->fanout);
	if (c->wanted)
		str_printf(out, " instead of %s (%s)", c->wanted->name, c->refused);
	if (c->rules)
		str_printf(out, ", by %s:%u", coll_rules_path(c->rules), c->line);
	else if (c->selector)
		str_printf(out, ", chosen by the selector %s", c->selector->name);
	else
		str_puts(out, ", fixed by the setting of this operation");
	str_init(&parts);
	coll_parts(c->alg, a, &parts);
	if (parts.n || parts.failed)
		str_printf(out, "; it runs %s", str_of(out, &parts));
	str_release(&parts);
}
