/* gather_mpich.c: MPICH 4's gather and scatter along a k-nomial tree (igather_tsp_tree.c,
 * iscatter_tsp_tree.c): knomial_1, whose subtrees are ranges of virtual ranks. An inner rank has
 * the blocks of its subtree in its temporary buffer, from its own on; leaves need none. */
#include "tree.h"

static uint32_t radix(const struct coll_args *a)
{
	return tree_k(a, coll_fanout(a, 2));
}

static int64_t block_bytes(const struct coll_args *a, uint32_t rank)
{
	int root_knows = a->kind == COLL_GATHER ? rank != a->root : rank == a->root;
	return root_knows ? a->count * a->type_size : a->count2 * a->type_size2;
}

static struct piece subtree(const struct coll_args *a, uint32_t rank, uint32_t child)
{
	int64_t m = block_bytes(a, rank);
	uint32_t v = rank_virtual(a, child);
	return piece_at(BUF_TMP, (int64_t)(v - rank_virtual(a, rank)) * m,
	                tree_knomial_1_span(a, v, radix(a)) * m);
}

static int64_t subtree_tmp(const struct coll_args *a, uint32_t rank)
{
	return tree_knomial_1_span(a, rank_virtual(a, rank), radix(a)) * block_bytes(a, rank);
}

/* The root's blocks between rank order (user) and virtual order (temporary). */
static void turn(const struct coll_args *a, enum coll_buf user, int out_of_tmp,
                 struct coll_steps *out)
{
	int64_t m = block_bytes(a, a->root), first = a->size - a->root, head = first * m,
	        tail = a->root * m;
	struct piece u1 = piece_at(user, tail, head), t1 = piece_at(BUF_TMP, 0, head);
	struct piece u2 = piece_at(user, 0, tail), t2 = piece_at(BUF_TMP, head, tail);
	step_copy(out, out_of_tmp ? u1 : t1, out_of_tmp ? t1 : u1);
	step_copy(out, out_of_tmp ? u2 : t2, out_of_tmp ? t2 : u2);
}

/* Its own block; then all children post, one a round; then to the parent. */
static int gather_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	struct tree t = tree_knomial_1(a, rank, radix(a));
	if (round > t.n + 1)
		return COLL_END;
	if (round == 0) {
		step_copy(out, piece_at(BUF_TMP, 0, block_bytes(a, rank)), piece_send(a));
	} else if (round <= t.n) {
		step_irecv(out, t.child[round - 1], subtree(a, rank, t.child[round - 1]), round);
	} else {
		if (t.n)
			step_waitall(out);
		if (rank != a->root)
			step_send(out, t.parent, subtree(a, rank, rank));
		else
			turn(a, BUF_RECV, 1, out);
	}
	return 0;
}

static int scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	struct tree t = tree_knomial_1(a, rank, radix(a));
	if (round > t.n + 1)
		return COLL_END;
	if (round == 0) {
		if (rank == a->root)
			turn(a, BUF_SEND, 0, out);
		else
			step_recv(out, t.parent, subtree(a, rank, rank));
	} else if (round <= t.n) {
		step_isend(out, t.child[round - 1], subtree(a, rank, t.child[round - 1]), round);
	} else {
		step_copy(out, piece_recv(a), piece_at(BUF_TMP, 0, block_bytes(a, rank)));
		if (t.n)
			step_waitall(out);
	}
	return 0;
}

const struct coll_alg coll_gather_mpich_knomial = {.kind = COLL_GATHER,
                                                   .name = "mpich_knomial",
                                                   .source = "MPICH 4, tsp_tree, k = 2",
                                                   .cost = "logk p L + (p-1) m/B",
                                                   .round = gather_round,
                                                   .tmp_bytes = subtree_tmp};
const struct coll_alg coll_scatter_mpich_knomial = {.kind = COLL_SCATTER,
                                                    .name = "mpich_knomial",
                                                    .source = "MPICH 4, tsp_tree, k = 2",
                                                    .cost = "logk p L + (p-1) m/B",
                                                    .round = scatter_round,
                                                    .tmp_bytes = subtree_tmp};
