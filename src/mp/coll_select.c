/* coll_select.c: which algorithm a call uses: what the user fixed, or a selector's choice. */
#include "coll_int.h"

#include <string.h>

/* Open MPI 4.1.2's fixed decisions, as SimGrid's selector "ompi" has them. Rows: the first with p <= bound; in it, the first with block
 * size < bound, 0 closing. */
struct alltoall_entry {
	int64_t below;
	const struct coll_alg *alg;
};
struct alltoall_row {
	uint32_t p_max;
	struct alltoall_entry entry[12];
};
#define LIN (&coll_alltoall_basic_linear)
#define BRU (&coll_alltoall_bruck)
#define PAI (&coll_alltoall_pair)
enum { Ki = 1 << 10, Mi = 1 << 20 };
static const struct alltoall_row alltoall_rows[] = {
	{2, {{2, PAI}, {4, LIN}, {16, PAI}, {64, LIN}, {256, PAI}, {4 * Ki, LIN}, {32 * Ki, PAI}, {1 * Mi, LIN}, {0, PAI}}},
	{7, {{512 * Ki, LIN}, {1 * Mi, PAI}, {0, LIN}}},
	{15, {{0, LIN}}},
	{31, {{4, LIN}, {512, BRU}, {0, LIN}}},
	{63, {{512, BRU}, {0, LIN}}},
	{127, {{1 * Ki, BRU}, {256 * Ki, LIN}, {0, PAI}}},
	{255, {{1 * Ki, BRU}, {256 * Ki, LIN}, {0, PAI}}},
	{511, {{1 * Ki, BRU}, {32 * Ki, LIN}, {0, PAI}}},
	{1023, {{512, BRU}, {256 * Ki, LIN}, {0, PAI}}},
	{2047, {{512, BRU}, {0, LIN}}},
	{4095, {{1 * Ki, BRU}, {0, LIN}}},
	{UINT32_MAX, {{2 * Ki, BRU}, {0, LIN}}},
};

const struct coll_alg *coll_alltoall_ompi(const struct coll_args *a)
{
	int64_t m = a->count * a->type_size;
	const struct alltoall_row *row = alltoall_rows;
	while (a->size > row->p_max)
		row++;
	const struct alltoall_entry *e = row->entry;
	while (e->below && m >= e->below)
		e++;
	return e->alg;
}

static const struct coll_alg *default_reduce_scatter(const struct coll_args *a)
{
	if (coll_counts_equal(a))
		return &coll_reduce_scatter_default;
	if (a->commutative && coll_block_elements(a, 0, a->size) > 524288)
		return &coll_reduce_scatter_mpich_pair;
	return &coll_reduce_scatter_mpich_rdb;
}

static const struct coll_alg *default_choose(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return &coll_barrier_ompi_basic_linear;
	case COLL_BCAST:
		return &coll_bcast_binomial_tree;
	case COLL_REDUCE:
		return coll_reduce_default(a);
	case COLL_ALLREDUCE:
		return &coll_allreduce_default;
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

static const struct coll_selector selector_default = {
	.name = "default", .help = "SimGrid's default: simple, often linear algorithms; not what any real library does", .choose = default_choose};

const struct coll_selector *const coll_selectors[] = {&selector_default, NULL};

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
	const struct coll_selector *s = p->selectors[a->kind] ? p->selectors[a->kind] : p->selector;
	const struct coll_alg *alg = p->fixed[a->kind] ? p->fixed[a->kind] : (s ? s : &selector_default)->choose(a);
	const char *refused = coll_alg_refuses(alg, a);
	if (why)
		*why = refused;
	return refused ? default_choose(a) : alg;
}

const struct coll_alg *coll_selected(const struct coll_args *a)
{
	return coll_choose(a, NULL);
}

static int policy_unknown(enum coll_kind k, const char *name, struct err *err)
{
	err_set(err, ERR_INPUT, "no algorithm or selector \"%s\" for %s; there are:", name, coll_kind_name(k));
	enum coll_kind listed = k == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : k;
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if ((*alg)->kind == listed && !(*alg)->defect)
			err_append(err, " %s", (*alg)->name);
	err_append(err, "; selectors:");
	for (const struct coll_selector *const *s = coll_selectors; *s; s++)
		err_append(err, " %s", (*s)->name);
	return -1;
}

int coll_policy_set(struct coll_policy *p, enum coll_kind k, const char *name, struct err *err)
{
	const struct coll_selector *s = coll_selector_find(name);
	const struct coll_alg *alg = s ? NULL : coll_alg_find(k, name);
	if (!s && (!alg || alg->defect))
		return policy_unknown(k, name, err);
	p->selectors[k] = s;
	p->fixed[k] = alg;
	return 0;
}
