/* decide.c: which algorithm a call uses: what the user fixed, or a selector's choice. */
#include "coll/coll_int.h"

static const struct coll_selector *selector_of(const struct coll_policy *p, enum coll_kind k)
{
	const struct coll_selector *s = p->selectors[k] ? p->selectors[k] : p->selector;
	return s ? s : &coll_selector_default;
}

int coll_policy_skips_empty(const struct coll_policy *p, enum coll_kind k)
{
	if (k == COLL_REDUCE_SCATTER_BLOCK)
		k = COLL_REDUCE_SCATTER;
	return !p->fixed[k] && selector_of(p, k)->skips_empty;
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

const struct coll_alg *coll_choose_as(const struct coll_args *a,
                                      const struct coll_selector *library)
{
	const struct coll_policy as = {.selector = library};
	struct coll_choice c = coll_decide(a);
	struct coll_args b = *a;

	if (c.selector != &coll_selector_default)
		return c.alg;
	b.policy = &as;
	return coll_decide(&b).alg;
}
