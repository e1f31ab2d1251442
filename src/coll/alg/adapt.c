/* adapt.c: Open MPI's broadcast and reduction driven by events (coll/adapt; Luo et al.,
 * "ADAPT: an event-based adaptive collective communication framework", HPDC 2018), along its six
 * trees. Three receives of a parent or child are posted at a time and two sends at most go to one
 * child of the root, or to a parent. An inner rank of a broadcast sends on at once what comes.
 *
 * adapt reacts to what ends first; a step list has an order. Here segments are taken in order, and
 * children in order within a segment, which is the order of their coming where children are alike.
 * adapt's first sends wait for their receives; here all are ordinary. */
#include "tree.h"

enum { RECEIVES = 3, SENDS = 2, SLOTS = RECEIVES + 1, REDUCE_SEGMENT = 512 << 10, LINEAR = 32 };

/* Requests: receives 0, 1, 2 of each child; then sends, each its own. */
static uint32_t receive_of(int64_t segment, uint32_t child)
{
	return (uint32_t)(segment % RECEIVES) + RECEIVES * child;
}
static uint32_t send_of(const struct tree *t, int64_t segment, uint32_t child)
{
	uint32_t n = t->n ? t->n : 1;
	return RECEIVES * n + (uint32_t)segment * n + child;
}

/* --- broadcast. A segment takes a round for its coming, and one for each child; the last round
 * waits --- */

static int down(const struct coll_args *a, uint32_t rank, uint32_t round, struct tree t,
                struct coll_steps *out)
{
	struct segments s = segments_ompi(a, coll_segment(a, 0));
	int64_t per = 1 + (int64_t)t.n, i = round / per;
	uint32_t child = (uint32_t)(round % per) - 1;
	if (round > s.n * per)
		return COLL_END;
	if (round == s.n * per) {
		step_waitall(out);
	} else if (round % per) {
		if (rank == a->root && i >= SENDS)
			step_wait(out, send_of(&t, i - SENDS, child));
		step_isend(out, t.child[child], segment_piece(&s, BUF_RECV, i),
		           send_of(&t, i, child));
	} else if (rank != a->root) {
		for (int64_t k = 0; i == 0 && k < RECEIVES && k < s.n; k++)
			step_irecv(out, t.parent, segment_piece(&s, BUF_RECV, k), receive_of(k, 0));
		step_wait(out, receive_of(i, 0));
		if (i + RECEIVES < s.n)
			step_irecv(out, t.parent, segment_piece(&s, BUF_RECV, i + RECEIVES),
			           receive_of(i, 0));
	}
	return 0;
}

/* --- reduction. The sum is in the root's receive buffer, in the others' temporary one; behind it
 * four segments of each child. Rounds of an inner rank: one to copy its own; one for each of the
 * first receives; then for each segment one for each child and one for the parent; the last waits
 * --- */

struct plan {
	struct tree tree;
	struct segments seg;
	enum coll_buf sum;
	int64_t in; /* where what comes starts in the temporary buffer */
};

static struct plan plan_of(const struct coll_args *a, uint32_t rank, struct tree t)
{
	struct plan p = {.tree = t, .seg = segments_ompi(a, coll_segment(a, REDUCE_SEGMENT))};
	p.sum = rank == a->root ? BUF_RECV : BUF_TMP;
	p.in = rank == a->root ? 0 : a->count * a->type_size;
	return p;
}

static struct piece slot(const struct plan *p, int64_t i, uint32_t child)
{
	int64_t each = p->seg.each * p->seg.type_size;
	return piece_at(BUF_TMP, p->in + (i % SLOTS + (int64_t)SLOTS * child) * each,
	                segment_piece(&p->seg, BUF_TMP, i).len);
}

static void give(const struct plan *p, enum coll_buf from, int64_t i, struct coll_steps *out)
{
	if (i >= SENDS)
		step_wait(out, send_of(&p->tree, i - SENDS, 0));
	step_isend(out, p->tree.parent, segment_piece(&p->seg, from, i), send_of(&p->tree, i, 0));
}

static void take(const struct plan *p, int64_t i, uint32_t child, struct coll_steps *out)
{
	step_wait(out, receive_of(i, child));
	if (i + RECEIVES < p->seg.n)
		step_irecv(out, p->tree.child[child], slot(p, i + RECEIVES, child),
		           receive_of(i, child));
	step_reduce_left(out, segment_piece(&p->seg, p->sum, i), slot(p, i, child));
}

static int up(const struct coll_args *a, uint32_t rank, uint32_t round, struct tree t,
              struct coll_steps *out)
{
	struct plan p = plan_of(a, rank, t);
	int64_t c = t.n, first = (p.seg.n < RECEIVES ? p.seg.n : RECEIVES) * c, per = c + 1;
	int64_t i = (int64_t)round - 1 - first, last = c ? 1 + first + p.seg.n * per : 1 + p.seg.n;
	if (round > last || (round == 0 && !p.seg.n))
		return round > last ? COLL_END : 0;
	if (round == last)
		step_waitall(out);
	else if (round == 0 && (c || rank == a->root))
		step_copy(out, piece_at(p.sum, 0, a->count * a->type_size), piece_send(a));
	else if (round && !c && rank != a->root)
		give(&p, BUF_SEND, round - 1, out);
	else if (round && i < 0)
		step_irecv(out, t.child[(round - 1) % c],
		           slot(&p, (round - 1) / c, (uint32_t)((round - 1) % c)),
		           receive_of((round - 1) / c, (uint32_t)((round - 1) % c)));
	else if (round && c && i % per < c)
		take(&p, i / per, (uint32_t)(i % per), out);
	else if (round && c && rank != a->root)
		give(&p, p.sum, i / per, out);
	return 0;
}

static int64_t up_tmp(const struct coll_args *a, uint32_t rank, struct tree t)
{
	struct plan p = plan_of(a, rank, t);
	return p.in + (int64_t)SLOTS * t.n * p.seg.each * p.seg.type_size;
}

/* --- the trees --- */

static struct tree four_chains(const struct coll_args *a, uint32_t rank)
{
	return tree_chains(a, rank, 4);
}
static struct tree linear(const struct coll_args *a, uint32_t rank)
{
	return tree_levels(a, rank, LINEAR);
}

static int binomial_down(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	return down(a, rank, round, tree_binomial(a, rank), out);
}
static int in_order_binomial_down(const struct coll_args *a, uint32_t rank, uint32_t round,
                                  struct coll_steps *out)
{
	return down(a, rank, round, tree_in_order_binomial(a, rank), out);
}
static int binary_down(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	return down(a, rank, round, tree_binary(a, rank), out);
}
static int pipeline_down(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	return down(a, rank, round, tree_chain(a, rank), out);
}
static int chain_down(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	return down(a, rank, round, four_chains(a, rank), out);
}
static int linear_down(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	return down(a, rank, round, linear(a, rank), out);
}

static int binomial_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	return up(a, rank, round, tree_binomial(a, rank), out);
}
static int in_order_binomial_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                                struct coll_steps *out)
{
	return up(a, rank, round, tree_in_order_binomial(a, rank), out);
}
static int binary_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	return up(a, rank, round, tree_binary(a, rank), out);
}
static int pipeline_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	return up(a, rank, round, tree_chain(a, rank), out);
}
static int chain_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                    struct coll_steps *out)
{
	return up(a, rank, round, four_chains(a, rank), out);
}
static int linear_up(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	return up(a, rank, round, linear(a, rank), out);
}

static int64_t binomial_tmp(const struct coll_args *a, uint32_t rank)
{
	return up_tmp(a, rank, tree_binomial(a, rank));
}
static int64_t in_order_binomial_tmp(const struct coll_args *a, uint32_t rank)
{
	return up_tmp(a, rank, tree_in_order_binomial(a, rank));
}
static int64_t binary_tmp(const struct coll_args *a, uint32_t rank)
{
	return up_tmp(a, rank, tree_binary(a, rank));
}
static int64_t pipeline_tmp(const struct coll_args *a, uint32_t rank)
{
	return up_tmp(a, rank, tree_chain(a, rank));
}
static int64_t chain_tmp(const struct coll_args *a, uint32_t rank)
{
	return up_tmp(a, rank, four_chains(a, rank));
}
static int64_t linear_tmp(const struct coll_args *a, uint32_t rank)
{
	return up_tmp(a, rank, linear(a, rank));
}

const struct coll_alg coll_bcast_ompi_adapt_binomial = {
    .kind = COLL_BCAST,
    .name = "ompi_adapt_binomial",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "log2 p L + log2 p n/B",
    .round = binomial_down};
const struct coll_alg coll_bcast_ompi_adapt_in_order_binomial = {
    .kind = COLL_BCAST,
    .name = "ompi_adapt_in_order_binomial",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "log2 p L + log2 p n/B",
    .round = in_order_binomial_down};
const struct coll_alg coll_bcast_ompi_adapt_binary = {
    .kind = COLL_BCAST,
    .name = "ompi_adapt_binary",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "(log2 p + n/s) (L + 2 s/B), s = n",
    .round = binary_down};
const struct coll_alg coll_bcast_ompi_adapt_pipeline = {
    .kind = COLL_BCAST,
    .name = "ompi_adapt_pipeline",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "(p - 2 + n/s) (L + s/B), s = n",
    .round = pipeline_down};
const struct coll_alg coll_bcast_ompi_adapt_chain = {
    .kind = COLL_BCAST,
    .name = "ompi_adapt_chain",
    .source = "Open MPI 4.1 and 5, adapt, 4 chains; Luo et al. 2018",
    .cost = "(p/4 + n/s) (L + s/B) + 4 s/B, s = n",
    .round = chain_down};
const struct coll_alg coll_bcast_ompi_adapt_linear = {
    .kind = COLL_BCAST,
    .name = "ompi_adapt_linear",
    .source = "Open MPI 4.1 and 5, adapt, up to 32 children; Luo et al. 2018",
    .cost = "log32 p L + 32 log32 p n/B",
    .round = linear_down};
const struct coll_alg coll_reduce_ompi_adapt_binomial = {
    .kind = COLL_REDUCE,
    .name = "ompi_adapt_binomial",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "log2 p L + (log2 p + n/s) log2 p s/B, s = 512 KiB",
    .round = binomial_up,
    .tmp_bytes = binomial_tmp,
    .needs_commutative = 1,
    .instead = &coll_reduce_ompi_in_order_binary};
const struct coll_alg coll_reduce_ompi_adapt_in_order_binomial = {
    .kind = COLL_REDUCE,
    .name = "ompi_adapt_in_order_binomial",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "log2 p L + (log2 p + n/s) log2 p s/B, s = 512 KiB",
    .round = in_order_binomial_up,
    .tmp_bytes = in_order_binomial_tmp,
    .needs_commutative = 1,
    .instead = &coll_reduce_ompi_in_order_binary};
const struct coll_alg coll_reduce_ompi_adapt_binary = {
    .kind = COLL_REDUCE,
    .name = "ompi_adapt_binary",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "(log2 p + n/s) (L + 2 s/B), s = 512 KiB",
    .round = binary_up,
    .tmp_bytes = binary_tmp,
    .needs_commutative = 1,
    .instead = &coll_reduce_ompi_in_order_binary};
const struct coll_alg coll_reduce_ompi_adapt_pipeline = {
    .kind = COLL_REDUCE,
    .name = "ompi_adapt_pipeline",
    .source = "Open MPI 4.1 and 5, adapt; Luo et al. 2018",
    .cost = "(p - 2 + n/s) (L + s/B), s = 512 KiB",
    .round = pipeline_up,
    .tmp_bytes = pipeline_tmp,
    .needs_commutative = 1,
    .instead = &coll_reduce_ompi_in_order_binary};
const struct coll_alg coll_reduce_ompi_adapt_chain = {
    .kind = COLL_REDUCE,
    .name = "ompi_adapt_chain",
    .source = "Open MPI 4.1 and 5, adapt, 4 chains; Luo et al. 2018",
    .cost = "(p/4 + n/s) (L + s/B) + 4 s/B, s = 512 KiB",
    .round = chain_up,
    .tmp_bytes = chain_tmp,
    .needs_commutative = 1,
    .instead = &coll_reduce_ompi_in_order_binary};
const struct coll_alg coll_reduce_ompi_adapt_linear = {
    .kind = COLL_REDUCE,
    .name = "ompi_adapt_linear",
    .source = "Open MPI 4.1 and 5, adapt, up to 32 children; Luo et al. 2018",
    .cost = "log32 p L + 32 log32 p n/B",
    .round = linear_up,
    .tmp_bytes = linear_tmp,
    .needs_commutative = 1,
    .instead = &coll_reduce_ompi_in_order_binary};
