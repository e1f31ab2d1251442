/* reduce_tree.c: Open MPI's generic reduction along a tree, in segments (coll_base_reduce.c),
 * and its trees.
 *
 * An inner rank receives segment by segment, within a segment child by child, and posts the next
 * receive before it waits for the previous one. What comes is combined on the left. When all
 * children of a segment are in, it goes to the parent. Leaves send all their segments.
 *
 * Rounds of an inner rank with c children: round 0 copies its own; round q + 1 posts the receive of
 * segment q/c from child q%c, and handles the one before. Buffers: the sum (the root's receive
 * buffer; others' temporary), two segments that come. */
#include "tree.h"

struct plan {
	struct tree tree;
	struct segments seg;
	int is_root;
	enum coll_buf sum;
	int64_t in;   /* where what comes starts in the temporary buffer */
	int in_order; /* children are of higher ranks, in order; else they are combined on the left
	               */
};

static struct piece incoming(const struct plan *p, int64_t q)
{
	int64_t each = p->seg.each * p->seg.type_size;
	return piece_at(BUF_TMP, p->in + (q & 1) * each,
	                segment_piece(&p->seg, BUF_TMP, q / p->tree.n).len);
}

static int leaf_round(const struct plan *p, uint32_t round, struct coll_steps *out)
{
	if (round >= p->seg.n)
		return COLL_END;
	step_send(out, p->tree.parent, segment_piece(&p->seg, BUF_SEND, round));
	return 0;
}

static int inner_round(const struct plan *p, int64_t q, struct coll_steps *out)
{
	int64_t c = p->tree.n, last = p->seg.n * c;
	if (q > last)
		return COLL_END;
	if (q < last)
		step_irecv(out, p->tree.child[q % c], incoming(p, q), q & 1);
	if (q == 0)
		return 0;
	step_wait(out, (q - 1) & 1);
	if (p->in_order)
		step_reduce(out, segment_piece(&p->seg, p->sum, (q - 1) / c), incoming(p, q - 1));
	else
		step_reduce_left(out, segment_piece(&p->seg, p->sum, (q - 1) / c),
		                 incoming(p, q - 1));
	if (q % c == 0 && !p->is_root)
		step_send(out, p->tree.parent, segment_piece(&p->seg, p->sum, q / c - 1));
	return 0;
}

static int plan_round(const struct coll_args *a, uint32_t rank, uint32_t round, uint32_t root,
                      struct plan *p, struct coll_steps *out)
{
	p->is_root = rank == root;
	p->sum = p->is_root ? BUF_RECV : BUF_TMP;
	p->in = p->is_root ? 0 : a->count * a->type_size;
	if (!p->is_root && p->tree.n == 0)
		return leaf_round(p, round, out);
	if (round == 0) {
		step_copy(out, piece_at(p->sum, 0, a->count * a->type_size), piece_send(a));
		return 0;
	}
	return p->tree.n ? inner_round(p, (int64_t)round - 1, out) : COLL_END;
}

static int generic_round(const struct coll_args *a, uint32_t rank, uint32_t round, uint32_t root,
                         struct tree tree, int64_t bytes, struct coll_steps *out)
{
	struct plan p = {.tree = tree, .seg = segments_ompi(a, bytes)};
	return plan_round(a, rank, round, root, &p, out);
}

static int64_t generic_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 3 * a->count *
	       a->type_size; /* segments may be rounded up; the whole buffer is enough for each */
}

static int chain_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	return generic_round(a, rank, round, a->root,
	                     tree_chains(a, rank, coll_fanout(a, a->size / 2)),
	                     coll_segment(a, 64 << 10), out);
}

const struct coll_alg coll_reduce_ompi_chain = {
    .kind = COLL_REDUCE,
    .name = "ompi_chain",
    .source = "Open MPI, chain of p/2 columns",
    .one_way = 1,
    .cost = "(2 + n/s) (L + min(p/2,32) s/B), s = 64 KiB",
    .round = chain_round,
    .tmp_bytes = generic_tmp,
    .needs_commutative = 1};

static int64_t pipeline_segment(const struct coll_args *a)
{
	double n = (double)(a->count * a->type_size), p = a->size;
	if (p > 0.0410 / 1024 * n + 9.7128)
		return 1 << 10;
	return p > 0.0033 / 1024 * n + 1.6761 ? 32 << 10 : 64 << 10;
}

static int pipeline_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	return generic_round(a, rank, round, a->root, tree_chain(a, rank),
	                     coll_segment(a, pipeline_segment(a)), out);
}

const struct coll_alg coll_reduce_ompi_pipeline = {.kind = COLL_REDUCE,
                                                   .name = "ompi_pipeline",
                                                   .source = "Open MPI",
                                                   .one_way = 1,
                                                   .cost = "(p - 2 + n/s) (L + s/B)",
                                                   .round = pipeline_round,
                                                   .tmp_bytes = generic_tmp,
                                                   .needs_commutative = 1};

static int binary_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	return generic_round(a, rank, round, a->root, tree_binary(a, rank),
	                     coll_segment(a, 32 << 10), out);
}

const struct coll_alg coll_reduce_ompi_binary = {.kind = COLL_REDUCE,
                                                 .name = "ompi_binary",
                                                 .source = "Open MPI",
                                                 .one_way = 1,
                                                 .cost = "(log2 p + n/s) (L + 2 s/B), s = 32 KiB",
                                                 .round = binary_round,
                                                 .tmp_bytes = generic_tmp,
                                                 .needs_commutative = 1};

static int64_t binomial_segment(const struct coll_args *a)
{
	int64_t n = a->count * a->type_size;
	if ((a->size < 8 && n < 20480) || n < 2048 || a->count <= 1)
		return 0;
	return a->size > 0.6016 / 1024 * (double)n + 1.3496 ? 1 << 10 : 0;
}

static int binomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	return generic_round(a, rank, round, a->root, tree_in_order_binomial(a, rank),
	                     coll_segment(a, binomial_segment(a)), out);
}

const struct coll_alg coll_reduce_ompi_binomial = {.kind = COLL_REDUCE,
                                                   .name = "ompi_binomial",
                                                   .source = "Open MPI",
                                                   .one_way = 1,
                                                   .cost = "ceil(log2 p) (L + n/B)",
                                                   .round = binomial_round,
                                                   .tmp_bytes = generic_tmp,
                                                   .needs_commutative = 1};

/* Right for operators that do not commute: rank p-1 is the root of an in-order tree and gives the
 * result to the real root. */
static int in_order_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	return generic_round(a, rank, round, a->size - 1, tree_in_order_binary(a, rank),
	                     coll_segment(a, 0), out);
}
static const struct coll_alg in_order_tree = {.kind = COLL_REDUCE,
                                              .name = "in_order_tree",
                                              .round = in_order_round,
                                              .tmp_bytes = generic_tmp};

static int in_order_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	phase->root = whole->size - 1;
	phase->segment = whole->segment;
	if (rank == phase->root && rank != whole->root)
		view->buf[BUF_RECV] = BUF_TMP;
	return 1;
}

static int give_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	uint32_t from = a->size - 1;
	if (round > 0 || from == a->root)
		return COLL_END;
	if (rank == from)
		step_send(out, a->root, piece_at(BUF_TMP, 0, a->count * a->type_size));
	if (rank == a->root)
		step_recv(out, from, piece_recv(a));
	return 0;
}
static const struct coll_alg give_to_root = {
    .kind = COLL_REDUCE, .name = "give_to_root", .round = give_round};

static int64_t in_order_tmp(const struct coll_args *a, uint32_t rank)
{
	return rank == a->size - 1 ? a->count * a->type_size : 0;
}

const struct coll_alg coll_reduce_ompi_in_order_binary = {
    .kind = COLL_REDUCE,
    .name = "ompi_in_order_binary",
    .source = "Open MPI",
    .cost = "(log2 p + 1) L + (2 log2 p + 1) n/B",
    .phase = {{.alg = &in_order_tree, .args = in_order_args},
              {.alg = &give_to_root, .args = phase_on_tmp}},
    .tmp_bytes = in_order_tmp};

/* --- MPICH's trees (allreduce_intra_tree.c, ireduce_tsp_tree.c): in segments if they are asked for
 * --- */

static int mpich_up(const struct coll_args *a, uint32_t rank, uint32_t round, struct tree tree,
                    struct coll_steps *out)
{
	struct plan p = {.tree = tree,
	                 .seg = segments_mpich(a, coll_segment(a, 0)),
	                 .in_order = !a->commutative};
	return plan_round(a, rank, round, a->root, &p, out);
}
static int kary_up(const struct coll_args *a, uint32_t rank, uint32_t round, struct coll_steps *out)
{
	return mpich_up(a, rank, round, tree_kary(a, rank, tree_k(a, coll_fanout(a, 2))), out);
}
static int knomial_1_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	return mpich_up(a, rank, round, tree_knomial_1(a, rank, tree_k(a, coll_fanout(a, 2))), out);
}
static int knomial_2_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	return mpich_up(a, rank, round, tree_knomial_2(a, rank, tree_k(a, coll_fanout(a, 2))), out);
}
static const struct coll_alg up_kary = {
    .kind = COLL_REDUCE, .name = "up_kary", .round = kary_up, .tmp_bytes = generic_tmp};
static const struct coll_alg up_knomial_1 = {
    .kind = COLL_REDUCE, .name = "up_knomial_1", .round = knomial_1_up, .tmp_bytes = generic_tmp};
static const struct coll_alg up_knomial_2 = {
    .kind = COLL_REDUCE, .name = "up_knomial_2", .round = knomial_2_up, .tmp_bytes = generic_tmp};

/* --- reduce: if the operator does not commute, along knomial_1 to rank 0, whose subtrees are
 * ranges of ranks in order, and on to the root --- */

static const struct coll_alg *kary_choose(const struct coll_args *a)
{
	return a->commutative ? &up_kary : &up_knomial_1;
}
static const struct coll_alg *knomial_2_choose(const struct coll_args *a)
{
	return a->commutative ? &up_knomial_2 : &up_knomial_1;
}

static int mpich_up_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	phase->segment = whole->segment;
	phase->fanout = whole->fanout;
	if (whole->commutative)
		return 1;
	phase->root = 0;
	if (rank == 0 && whole->root != 0)
		view->buf[BUF_RECV] = BUF_TMP;
	return 1;
}

static int from_zero_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	struct segments s = segments_mpich(a, coll_segment(a, 0));
	if (a->root == 0 || round >= s.n)
		return COLL_END;
	if (rank == 0)
		step_send(out, a->root, segment_piece(&s, BUF_TMP, round));
	if (rank == a->root)
		step_recv(out, 0, segment_piece(&s, BUF_RECV, round));
	return 0;
}
static const struct coll_alg from_zero = {
    .kind = COLL_REDUCE, .name = "from_zero", .round = from_zero_round};

static int from_zero_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	(void)rank;
	phase->segment = whole->segment;
	view->off[BUF_TMP] = 0;
	return !whole->commutative;
}

static int64_t at_zero_tmp(const struct coll_args *a, uint32_t rank)
{
	return rank == 0 && !a->commutative ? a->count * a->type_size : 0;
}

const struct coll_alg coll_reduce_mpich_kary = {
    .kind = COLL_REDUCE,
    .name = "mpich_kary",
    .source = "MPICH 4, tsp_tree, kary, k = 2",
    .cost = "logk p (L + k n/B)",
    .phase = {{.choose = kary_choose, .args = mpich_up_args},
              {.alg = &from_zero, .args = from_zero_args}},
    .tmp_bytes = at_zero_tmp};
const struct coll_alg coll_reduce_mpich_knomial_1 = {
    .kind = COLL_REDUCE,
    .name = "mpich_knomial_1",
    .source = "MPICH 4, tsp_tree, knomial_1, k = 2",
    .cost = "logk p L + (k-1) logk p n/B",
    .phase = {{.alg = &up_knomial_1, .args = mpich_up_args},
              {.alg = &from_zero, .args = from_zero_args}},
    .tmp_bytes = at_zero_tmp};
const struct coll_alg coll_reduce_mpich_knomial_2 = {
    .kind = COLL_REDUCE,
    .name = "mpich_knomial_2",
    .source = "MPICH 4, tsp_tree, knomial_2, k = 2",
    .cost = "logk p L + (k-1) logk p n/B",
    .phase = {{.choose = knomial_2_choose, .args = mpich_up_args},
              {.alg = &from_zero, .args = from_zero_args}},
    .tmp_bytes = at_zero_tmp};

/* --- allreduce: up to rank 0 and down again --- */

static int tree_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	(void)rank, (void)view;
	phase->root = 0;
	phase->segment = whole->segment;
	phase->fanout = whole->fanout;
	return 1;
}

const struct coll_alg coll_allreduce_mpich_kary = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_kary",
    .source = "MPICH 4, tree, kary, k = 2",
    .cost = "2 logk p (L + k n/B)",
    .phase = {{.alg = &up_kary, .args = tree_args},
              {.alg = &coll_bcast_mpich_kary, .args = tree_args}},
    .needs_commutative = 1};
const struct coll_alg coll_allreduce_mpich_knomial_1 = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_knomial_1",
    .source = "MPICH 4, tree, knomial_1, k = 2",
    .cost = "2 logk p L + 2 (k-1) logk p n/B",
    .phase = {{.alg = &up_knomial_1, .args = tree_args},
              {.alg = &coll_bcast_mpich_knomial_1, .args = tree_args}},
    .needs_commutative = 1};
const struct coll_alg coll_allreduce_mpich_knomial_2 = {
    .kind = COLL_ALLREDUCE,
    .name = "mpich_knomial_2",
    .source = "MPICH 4, tree, knomial_2, k = 2",
    .cost = "2 logk p L + 2 (k-1) logk p n/B",
    .phase = {{.alg = &up_knomial_2, .args = tree_args},
              {.alg = &coll_bcast_mpich_knomial_2, .args = tree_args}},
    .needs_commutative = 1};

/* Open MPI's allreduce "basic linear": to rank 0 and from it, one rank after the other. */
const struct coll_alg coll_allreduce_ompi_basic_linear = {
    .kind = COLL_ALLREDUCE,
    .name = "ompi_basic_linear",
    .source = "Open MPI, coll/basic",
    .cost = "(p-1) (L + n/B) + L + (p-1) n/B",
    .phase = {{.alg = &coll_reduce_ompi_basic_linear, .args = tree_args},
              {.alg = &coll_bcast_flattree, .args = tree_args}}};
