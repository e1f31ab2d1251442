/* table.c: the list of algorithms, from coll_algs.def. */
#include "coll_int.h"

#include <assert.h>
#include <string.h>

/* clang-format off */
static const char *const kind_names[] = {
    "barrier", "bcast", "reduce", "allreduce", "gather", "gatherv", "scatter", "scatterv",
    "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce_scatter",
    "reduce_scatter_block", "scan", "exscan", "neighbor_allgather", "neighbor_allgatherv",
    "neighbor_alltoall", "neighbor_alltoallv", "neighbor_alltoallw"};
static_assert(sizeof kind_names / sizeof *kind_names == COLL_KINDS, "one name per kind");

#define COLL_ALG(kind, name) &coll_##kind##_##name,
const struct coll_alg *const coll_algs[] = {
#include "coll_algs.def"
    NULL};
#undef COLL_ALG
/* clang-format on */

const char *coll_kind_name(enum coll_kind k)
{
	BUG_ON(k >= COLL_KINDS);
	return kind_names[k];
}

enum coll_kind coll_kind_find(const char *name)
{
	int k = 0;
	while (k < COLL_KINDS && strcmp(kind_names[k], name) != 0)
		k++;
	return (enum coll_kind)k;
}

const struct coll_alg *coll_alg_find(enum coll_kind k, const char *name)
{
	if (k == COLL_REDUCE_SCATTER_BLOCK)
		k = COLL_REDUCE_SCATTER; /* the same algorithms, without counts2 */
	for (const struct coll_alg *const *alg = coll_algs; *alg; alg++)
		if ((*alg)->kind == k && strcmp((*alg)->name, name) == 0)
			return *alg;
	return NULL;
}

const struct coll_alg *coll_alg_nonblocking(enum coll_kind k, const struct coll_args *a)
{
	if (k == COLL_BARRIER && !a->compat)
		return &coll_barrier_ompi_basic_linear;
	if (k == COLL_ALLTOALL)
		return &coll_alltoall_basic_linear;
	return coll_alg_find(k, "linear_nb");
}

const char *coll_alg_refuses(const struct coll_alg *alg, const struct coll_args *a)
{
	if (alg->needs_commutative && !a->commutative)
		return "it needs a commutative operator";
	return alg->refuses ? alg->refuses(a) : NULL;
}
