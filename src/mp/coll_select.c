/* coll_select.c: which algorithm a call uses: what the user fixed, or a selector's choice. */
#include "coll_int.h"

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
                                                      &coll_selector_mpich,
                                                      &coll_selector_mvapich2,
                                                      &coll_selector_impi,
                                                      NULL};

const struct coll_selector *coll_selector_find(const char *name)
{
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		if (strcmp((*s)->name, name) == 0)
			return *s;
	return NULL;
}

const struct coll_alg *coll_choose(const struct coll_args *a, const char **why)
{
	static const struct coll_policy none;
	const struct coll_policy *p = a->policy ? a->policy : &none;
	enum coll_kind k = a->kind == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : a->kind;
	const struct coll_selector *s = p->selectors[k] ? p->selectors[k] : p->selector;
	const struct coll_alg *alg = p->fixed[k] ? p->fixed[k] : (s ? s : &coll_selector_default)->choose(a);
	const char *refused = coll_alg_refuses(alg, a);
	if (why)
		*why = refused;
	return refused ? coll_choose_default(a) : alg;
}

const struct coll_alg *coll_selected(const struct coll_args *a)
{
	return coll_choose(a, NULL);
}

static int policy_unknown(enum coll_kind k, const char *name, struct err *err)
{
	err_set(err, ERR_INPUT, "no algorithm or selector \"%s\" for %s; there are:", name, coll_kind_name(k));
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if ((*alg)->kind == k && !(*alg)->defect)
			err_append(err, " %s", (*alg)->name);
	err_append(err, "; selectors:");
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		err_append(err, " %s", (*s)->name);
	return -1;
}

int coll_policy_set(struct coll_policy *p, enum coll_kind k, const char *name, struct err *err)
{
	if (k == COLL_REDUCE_SCATTER_BLOCK)
		k = COLL_REDUCE_SCATTER; /* one choice for both */
	const struct coll_selector *s = coll_selector_find(name);
	const struct coll_alg *alg = s ? NULL : coll_alg_find(k, name);
	if (!s && (!alg || alg->defect))
		return policy_unknown(k, name, err);
	p->selectors[k] = s;
	p->fixed[k] = alg;
	return 0;
}
