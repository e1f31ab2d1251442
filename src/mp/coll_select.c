/* coll_select.c: which algorithm a call uses: what the user fixed, or a selector's choice. */
#include "coll_rules.h"

#include <string.h>

static const struct coll_alg *default_reduce_scatter(const struct coll_args *a)
{
	if (coll_counts_equal(a))
		return &coll_reduce_scatter_default;
	if ((a->commutative || a->null_op) && coll_block_elements(a, 0, a->size) > 524288)
		return &coll_reduce_scatter_mpich_pair;
	return &coll_reduce_scatter_mpich_rdb;
}

const struct coll_alg *coll_choose_default(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return &coll_barrier_ompi_basic_linear;
	case COLL_BCAST:
		return &coll_bcast_binomial_tree;
	case COLL_REDUCE:
		return coll_reduce_default(a);
	case COLL_ALLREDUCE:
		return a->basic_type ? &coll_allreduce_default : coll_allreduce_ompi(a);
	case COLL_ALLTOALL:
		return coll_alltoall_ompi(a);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return default_reduce_scatter(a);
	case COLL_SCAN:
		return &coll_scan_linear;
	case COLL_EXSCAN:
		return &coll_exscan_linear;
	default:
		return coll_alg_find(a->kind, "linear_nb");
	}
}

const struct coll_selector coll_selector_default = {
    .name = "default",
    .help = "SimGrid's default: simple, often linear algorithms; not what any real library does",
    .choose = coll_choose_default};

const struct coll_selector *const coll_selectors[] = {&coll_selector_default,
                                                      &coll_selector_ompi,
                                                      &coll_selector_ompi_1_7,
                                                      &coll_selector_ompi_4,
                                                      &coll_selector_ompi_5,
                                                      &coll_selector_mpich,
                                                      &coll_selector_mpich_4,
                                                      &coll_selector_mvapich2,
                                                      &coll_selector_impi,
                                                      &coll_selector_nccl,
                                                      &coll_selector_automatic,
                                                      &coll_selector_file,
                                                      NULL};

const struct coll_selector *coll_selector_find(const char *name)
{
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		if (strcmp((*s)->name, name) == 0)
			return *s;
	return NULL;
}

static const struct coll_selector *selector_of(const struct coll_policy *p, enum coll_kind k)
{
	const struct coll_selector *s = p->selectors[k] ? p->selectors[k] : p->selector;
	return s ? s : &coll_selector_default;
}

/* What stands in for an algorithm that refuses. Ends: default's algorithms refuse nothing (or
 * nobody can run the call). */
static void choice_settle(const struct coll_args *a, struct coll_choice *c)
{
	const char *refused = coll_alg_refuses(c->alg, a);
	if (!refused)
		return;
	c->wanted = c->alg;
	c->refused = refused;
	c->segment = 0;
	c->fanout = 0;
	while (refused && c->alg->instead) {
		c->alg = c->alg->instead;
		refused = coll_alg_refuses(c->alg, a);
	}
	if (refused)
		c->alg = coll_choose_default(a);
}

struct coll_choice coll_decide(const struct coll_args *a)
{
	static const struct coll_policy none;
	const struct coll_policy *p = a->policy ? a->policy : &none;
	enum coll_kind k = a->kind == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER
	                                                        : a->kind; /* one choice for both */
	struct coll_choice c = {.alg = p->fixed[k]};
	if (!c.alg) {
		c.selector = selector_of(p, k);
		if (c.selector->decide)
			c.selector->decide(a, &c);
		else
			c.alg = c.selector->choose(a);
	}
	choice_settle(a, &c);
	return c;
}

const struct coll_alg *coll_choose(const struct coll_args *a, const char **why)
{
	struct coll_choice c = coll_decide(a);
	if (why)
		*why = c.refused;
	return c.alg;
}

const struct coll_alg *coll_selected(const struct coll_args *a)
{
	return coll_choose(a, NULL);
}

static void explain_size(const struct coll_args *a, struct str *out)
{
	if (a->kind == COLL_BARRIER)
		return;
	if (a->counts || a->counts2)
		str_puts(out, " of irregular counts");
	else
		str_printf(out, " of %lld bytes", (long long)a->count * a->type_size);
}

void coll_explain(const struct coll_args *a, struct str *out)
{
	struct coll_choice c = coll_decide(a);
	str_puts(out, coll_kind_name(a->kind));
	explain_size(a, out);
	str_printf(out, " on %u ranks: %s", a->size, c.alg->name);
	if (c.segment == COLL_WHOLE)
		str_puts(out, " without segments");
	else if (c.segment)
		str_printf(out, " in segments of %lld bytes", (long long)c.segment);
	if (c.fanout)
		str_printf(out, " with k = %u", c.fanout);
	if (c.wanted)
		str_printf(out, " instead of %s (%s)", c.wanted->name, c.refused);
	if (c.rules)
		str_printf(out, ", by %s:%u", coll_rules_path(c.rules), c.line);
	else if (c.selector)
		str_printf(out, ", chosen by the selector %s", c.selector->name);
	else
		str_puts(out, ", fixed by the setting of this operation");
	struct str parts;
	str_init(&parts);
	coll_parts(c.alg, a, &parts);
	if (parts.n)
		str_printf(out, "; it runs %s", parts.s);
	str_release(&parts);
}
