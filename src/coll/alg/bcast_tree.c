/* bcast_tree.c: broadcasts along trees: flat, k-nomial, and pipelined chains as in Open
 * MPI. */
#include "tree.h"

enum { STAR_SEGMENT = 8192, KNOMIAL = 4 };

static int flattree_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	if (round >= (rank == a->root ? a->size : 1))
		return COLL_END;
	if (rank != a->root) {
		step_recv(out, a->root, piece_recv(a));
		return 0;
	}
	if (round != rank)
		step_isend(out, round, piece_recv(a), round);
	if (round == a->size - 1)
		step_waitall(out);
	return 0;
}

const struct coll_alg coll_bcast_flattree = {.kind = COLL_BCAST,
                                             .name = "flattree",
                                             .source = "STAR-MPI",
                                             .cost = "L + (p-1) n/B",
                                             .round = flattree_round};

/* The root serves one rank after the other, segment by segment. SMPI does not send the
 * remainder. */
static int flat_segments_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                               struct coll_steps *out)
{
	struct segments s = segments_star(a, STAR_SEGMENT);
	if (a->compat)
		s.n = s.count / s.each;
	int64_t i = round % s.n;
	if (rank != a->root) {
		if (round >= s.n)
			return COLL_END;
		step_irecv(out, a->root, segment_piece(&s, BUF_RECV, i), round);
		if (i == s.n - 1)
			step_waitall(out);
		return 0;
	}
	uint32_t to = (uint32_t)(round / s.n);
	if (to >= a->size)
		return COLL_END;
	if (to != rank)
		step_send(out, to, segment_piece(&s, BUF_RECV, i));
	return 0;
}
static const struct coll_alg flat_segments = {
    .kind = COLL_BCAST, .name = "flat_segments", .round = flat_segments_round};

static const struct coll_alg *flattree_pipeline_choose(const struct coll_args *a)
{
	struct segments s = segments_star(a, STAR_SEGMENT);
	return s.count < s.each ? &coll_bcast_flattree : &flat_segments;
}

const struct coll_alg coll_bcast_flattree_pipeline = {
    .kind = COLL_BCAST,
    .name = "flattree_pipeline",
    .source = "STAR-MPI",
    .one_way = 1,
    .cost = "(p-1) n/s (L + s/B), s = 8 KiB",
    .phase = {{.choose = flattree_pipeline_choose}}};

/* A step per child of a round, and the wait. */
static uint32_t knomial_k(const struct coll_args *a)
{
	uint32_t k = coll_fanout(a, KNOMIAL);
	return k < 2 ? 2 : k > COLL_STEPS_MAX ? COLL_STEPS_MAX : k;
}

/* The k-nomial tree: v hears from v with its lowest digit to the base k cleared. Round 0 receives,
 * round i serves the i-th digit. */
static int knomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t v = rank_virtual(a, rank);
	uint64_t k = knomial_k(a), digit = 1;
	while (digit < a->size && v % (k * digit) == 0)
		digit *= k;
	if (round == 0) {
		if (v)
			step_recv(out, rank_real(a, (uint32_t)(v / (k * digit) * (k * digit))),
			          piece_recv(a));
		return 0;
	}
	for (uint32_t i = 0; i < round; i++)
		digit /= k;
	if (digit == 0)
		return COLL_END;
	for (uint32_t i = 1; i < k; i++)
		if (v + i * digit < a->size)
			step_isend(out, rank_real(a, (uint32_t)(v + i * digit)), piece_recv(a), i);
	step_waitall(out);
	return 0;
}

const struct coll_alg coll_bcast_mvapich2_knomial_intra_node = {
    .kind = COLL_BCAST,
    .name = "mvapich2_knomial_intra_node",
    .source = "MVAPICH2 1.9, k = 4; Open MPI 4, knomial",
    .cost = "log4 p L + 3 log4 p n/B",
    .round = knomial_round};

/* Open MPI's generic broadcast: a rank posts the receive of the next segment, waits for the current
 * one and sends it on. Each segment takes 1 + 2 children rounds. Requests 0 and 1 are receives, 2 …
 * sends. */
static int pipelined_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           const struct tree *t, const struct segments *s, struct coll_steps *out)
{
	int64_t per = 1 + 2 * (int64_t)t->n, i = round / per;
	uint32_t sub = (uint32_t)(round % per);
	if (i >= s->n)
		return COLL_END;
	if (sub > t->n) {
		step_wait(out, 1 + sub - t->n);
	} else if (sub > 0) {
		step_isend(out, t->child[sub - 1], segment_piece(s, BUF_RECV, i), 1 + sub);
	} else if (rank != a->root) {
		if (i == 0)
			step_irecv(out, t->parent, segment_piece(s, BUF_RECV, 0), 0);
		if (i + 1 < s->n)
			step_irecv(out, t->parent, segment_piece(s, BUF_RECV, i + 1), (i + 1) & 1);
		step_wait(out, i & 1);
	}
	return 0;
}

/* Open MPI's fitted limits between segment sizes. */
static int64_t pipeline_segment(const struct coll_args *a)
{
	double n = (double)(a->count * a->type_size), p = a->size;
	if (p < 1.6134e-6 * n + 2.1102)
		return 128 << 10;
	if (p < 2.3679e-6 * n + 1.1787)
		return 64 << 10;
	return p < 3.2118e-6 * n + 8.7936 ? 16 << 10 : 128 << 10;
}

static int ompi_pipeline_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                               struct coll_steps *out)
{
	struct tree t = tree_chain(a, rank);
	struct segments s = segments_ompi(a, coll_segment(a, pipeline_segment(a)));
	return pipelined_round(a, rank, round, &t, &s, out);
}

const struct coll_alg coll_bcast_ompi_pipeline = {.kind = COLL_BCAST,
                                                  .name = "ompi_pipeline",
                                                  .source = "Open MPI 1.7",
                                                  .one_way = 1,
                                                  .cost = "(p - 2 + n/s) (L + s/B)",
                                                  .round = ompi_pipeline_round};

/* --- Open MPI 4 and 5: the same along its other trees, in segments if they are asked for
 * (coll_base_bcast.c); MPICH's trees (bcast_intra_tree.c, and bcast_intra_pipelined_tree.c in
 * segments) --- */

static int along(const struct coll_args *a, uint32_t rank, uint32_t round, struct tree t,
                 struct coll_steps *out)
{
	struct segments s = segments_ompi(a, coll_segment(a, 0));
	return pipelined_round(a, rank, round, &t, &s, out);
}

/* MPICH cuts bytes, not elements, and has the short segment first. */
static int mpich_along(const struct coll_args *a, uint32_t rank, uint32_t round, struct tree t,
                       struct coll_steps *out)
{
	struct coll_args bytes = *a;
	bytes.count = a->count * a->type_size;
	bytes.type_size = 1;
	struct segments s = segments_mpich(&bytes, coll_segment(a, 0));
	return pipelined_round(a, rank, round, &t, &s, out);
}

static int ompi_chain_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	return along(a, rank, round, tree_chains(a, rank, coll_fanout(a, 4)), out);
}
static int ompi_binary_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                             struct coll_steps *out)
{
	return along(a, rank, round, tree_binary(a, rank), out);
}
static int ompi_binomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                               struct coll_steps *out)
{
	return along(a, rank, round, tree_binomial(a, rank), out);
}
static int ompi_knomial_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                              struct coll_steps *out)
{
	return along(a, rank, round, tree_knomial_ompi(a, rank, tree_k(a, coll_fanout(a, 4))), out);
}
static int mpich_kary_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	return mpich_along(a, rank, round, tree_kary(a, rank, tree_k(a, coll_fanout(a, 2))), out);
}
static int mpich_knomial_1_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                 struct coll_steps *out)
{
	return mpich_along(a, rank, round, tree_knomial_1(a, rank, tree_k(a, coll_fanout(a, 2))),
	                   out);
}
static int mpich_knomial_2_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                                 struct coll_steps *out)
{
	return mpich_along(a, rank, round, tree_knomial_2(a, rank, tree_k(a, coll_fanout(a, 2))),
	                   out);
}

const struct coll_alg coll_bcast_ompi_chain = {.kind = COLL_BCAST,
                                               .name = "ompi_chain",
                                               .source = "Open MPI 4, chain of k = 4 columns",
                                               .one_way = 1,
                                               .cost = "(p/k + n/s) (L + s/B) + k s/B",
                                               .round = ompi_chain_round};
const struct coll_alg coll_bcast_ompi_binary = {.kind = COLL_BCAST,
                                                .name = "ompi_binary",
                                                .source = "Open MPI 4, binary tree",
                                                .one_way = 1,
                                                .cost = "(log2 p + n/s) (L + 2 s/B)",
                                                .round = ompi_binary_round};
const struct coll_alg coll_bcast_ompi_binomial = {.kind = COLL_BCAST,
                                                  .name = "ompi_binomial",
                                                  .source = "Open MPI 4, binomial tree",
                                                  .one_way = 1,
                                                  .cost = "log2 p L + (log2 p + n/s) log2 p s/B",
                                                  .round = ompi_binomial_round};
const struct coll_alg coll_bcast_ompi_knomial = {.kind = COLL_BCAST,
                                                 .name = "ompi_knomial",
                                                 .source = "Open MPI 4, k-nomial tree, k = 4",
                                                 .one_way = 1,
                                                 .cost = "logk p L + (k-1) logk p n/B",
                                                 .round = ompi_knomial_round};
const struct coll_alg coll_bcast_mpich_kary = {.kind = COLL_BCAST,
                                               .name = "mpich_kary",
                                               .source = "MPICH 4, tree, kary, k = 2",
                                               .one_way = 1,
                                               .cost = "logk p (L + k n/B)",
                                               .round = mpich_kary_round};
const struct coll_alg coll_bcast_mpich_knomial_1 = {.kind = COLL_BCAST,
                                                    .name = "mpich_knomial_1",
                                                    .source = "MPICH 4, tree, knomial_1, k = 2",
                                                    .one_way = 1,
                                                    .cost = "logk p L + (k-1) logk p n/B",
                                                    .round = mpich_knomial_1_round};
const struct coll_alg coll_bcast_mpich_knomial_2 = {.kind = COLL_BCAST,
                                                    .name = "mpich_knomial_2",
                                                    .source = "MPICH 4, tree, knomial_2, k = 2",
                                                    .one_way = 1,
                                                    .cost = "logk p L + (k-1) logk p n/B",
                                                    .round = mpich_knomial_2_round};
