/* double_tree.c: two binary trees rooted at the root, on virtual ranks (two_trees.c). */
#include "two_trees.h"

enum { SEGMENT = 128 << 10 };

static struct tree_links links(const struct coll_args *a, uint32_t rank, int tree)
{
	struct tree_links l = two_trees_links(a->size, rank_virtual(a, rank), tree, 1);
	for (uint32_t i = 0; i < l.n; i++)
		l.down[i] = rank_real(a, l.down[i]);
	if (l.up != TWO_TREES_NOBODY)
		l.up = rank_real(a, l.up);
	return l;
}

static struct two_trees trees(const struct coll_args *a, int up, int down)
{
	return (struct two_trees){.links = links,
	                          .height = log2_ceil(a->size) + 1,
	                          .segment = coll_segment(a, SEGMENT),
	                          .up = up,
	                          .down = down};
}

static int bcast_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	struct two_trees t = trees(a, 0, 1);
	return two_trees_round(&t, a, rank, round, out);
}
static int reduce_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	struct two_trees t = trees(a, 1, 0);
	return two_trees_round(&t, a, rank, round, out);
}
/* Both ways, by rank 0. */
static int allreduce_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	struct coll_args from_zero = *a;
	from_zero.root = 0;
	struct two_trees t = trees(&from_zero, 1, 1);
	return two_trees_round(&t, &from_zero, rank, round, out);
}

const struct coll_alg coll_bcast_double_tree = {.kind = COLL_BCAST,
                                                .name = "double_tree",
                                                .source = "Sanders, Speck and Traeff 2009",
                                                .cost = "log2 p (L + 2 s/B) + n/B, s = 128 KiB",
                                                .round = bcast_round};
const struct coll_alg coll_reduce_double_tree = {.kind = COLL_REDUCE,
                                                 .name = "double_tree",
                                                 .source = "Sanders, Speck and Traeff 2009",
                                                 .cost = "log2 p (L + 2 s/B) + n/B, s = 128 KiB",
                                                 .round = reduce_round,
                                                 .tmp_bytes = two_trees_tmp,
                                                 .needs_commutative = 1};
const struct coll_alg coll_allreduce_double_tree = {
    .kind = COLL_ALLREDUCE,
    .name = "double_tree",
    .source = "Sanders, Speck and Traeff 2009, up and down",
    .cost = "2 log2 p (L + 2 s/B) + 2 n/B, s = 128 KiB",
    .round = allreduce_round,
    .tmp_bytes = two_trees_tmp,
    .needs_commutative = 1};
