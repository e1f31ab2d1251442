/* inter.c: collectives on intercommunicators, as MPICH (MPIR_*_inter) and Open MPI (coll/inter) do
 * them: what concerns a group as a whole is done inside it with the selected algorithm, and its
 * rank 0 speaks with the other group.
 *
 *   barrier         in each group; the leaders exchange; from each leader to its group
 *   bcast           from the root to the other leader; in its group
 *   reduce          in the group to its leader; from it to the root
 *   gather          in the group to its leader; from it, all at once, to the root
 *   scatter         all at once from the root to the other leader; in its group
 *   gatherv, scatterv   directly: leaders do not know the counts
 *   allreduce, allgather, reduce_scatter    in each group to the leader; the leaders exchange; in
 *                                           each group
 *   allgatherv      each to the other leader, who knows all counts; in its group
 *   alltoall, v, w  in max(groups) rounds, in each with one of the other group
 *
 * The algorithms run over both groups: ranks below a->split are one, the others the other. A root
 * is numbered likewise; COLL_NO_ROOT is that of those who take no part. */
#include "coll/coll_int.h"

static uint32_t side_first(const struct coll_args *a, uint32_t rank)
{
	return rank < a->split ? 0 : a->split;
}

static uint32_t side_size(const struct coll_args *a, uint32_t rank)
{
	return rank < a->split ? a->split : a->size - a->split;
}

/* The leader of the other group; and its first rank. */
static uint32_t other_first(const struct coll_args *a, uint32_t rank)
{
	return rank < a->split ? a->split : 0;
}

static int is_leader(const struct coll_args *a, uint32_t rank)
{
	return rank == side_first(a, rank);
}

static int has_root(const struct coll_args *a)
{
	return a->root < a->size;
}

/* Whether rank is in the group that the root is not in, and so takes part. */
static int faces_root(const struct coll_args *a, uint32_t rank)
{
	return has_root(a) && (rank < a->split) != (a->root < a->split);
}

/* A collective of the group of rank, with root 0. */
static int inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                  struct coll_view *view, enum coll_kind kind)
{
	phase->kind = kind;
	phase->size = side_size(whole, rank);
	phase->root = 0;
	phase->split = 0;
	phase->shape = NULL;
	view->rank = rank - side_first(whole, rank);
	view->peer0 = side_first(whole, rank);
	return 1;
}

static void bytes_set(struct coll_args *phase, int64_t count, int64_t size)
{
	phase->count = phase->count2 = count;
	phase->type_size = phase->type_size2 = size;
	phase->counts = phase->counts2 = phase->displs = phase->displs2 = NULL;
}

/* The leaders exchange count elements for count2. */
static int leaders_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	if (round > 0 || !is_leader(a, rank))
		return COLL_END;
	step_sendrecv(out, rank, other_first(a, rank),
	              piece_at(BUF_TMP, 0, a->count * a->type_size), other_first(a, rank),
	              piece_at(BUF_RECV, 0, a->count2 * a->type_size2));
	return 0;
}

static const struct coll_alg leaders = {
    .kind = COLL_ALLREDUCE, .name = "leaders", .round = leaders_round};

/* --- barrier --- */

static int barrier_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	return inside(whole, rank, phase, view, COLL_BARRIER);
}

static int token_leaders(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	(void)whole, (void)rank;
	bytes_set(phase, 1, 1);
	view->buf[BUF_TMP] = view->buf[BUF_RECV] = BUF_TOKEN; /* a barrier has no buffers */
	return 1;
}

static int token_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	bytes_set(phase, 1, 1);
	view->buf[BUF_RECV] = BUF_TOKEN;
	return inside(whole, rank, phase, view, COLL_BCAST);
}

static const struct coll_alg barrier = {
    .kind = COLL_BARRIER,
    .name = "inter",
    .phase = {{.selected = 1, .args = barrier_inside},
              {.alg = &leaders, .args = token_leaders},
              {.selected = 1, .args = token_inside}},
};

/* --- with a root: between the root and the other leader --- */

/* From the root to the other leader, or back: n bytes. */
static int across(const struct coll_args *a, uint32_t rank, struct coll_steps *out, int from_root,
                  struct piece at_root, struct piece at_leader)
{
	if (has_root(a) && rank == a->root) {
		if (from_root)
			step_send(out, other_first(a, rank), at_root);
		else
			step_recv(out, other_first(a, rank), at_root);
	} else if (faces_root(a, rank) && is_leader(a, rank)) {
		if (from_root)
			step_recv(out, a->root, at_leader);
		else
			step_send(out, a->root, at_leader);
	}
	return 0;
}

static int bcast_across(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	struct piece all = piece_at(BUF_RECV, 0, a->count * a->type_size);

	return round > 0 ? COLL_END : across(a, rank, out, 1, all, all);
}

static int bcast_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	return faces_root(whole, rank) ? inside(whole, rank, phase, view, COLL_BCAST) : 0;
}

static const struct coll_alg bcast_first = {
    .kind = COLL_BCAST, .name = "across", .round = bcast_across};
static const struct coll_alg bcast = {
    .kind = COLL_BCAST,
    .name = "inter",
    .phase = {{.alg = &bcast_first}, {.selected = 1, .args = bcast_inside}},
};

static int reduce_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	view->buf[BUF_RECV] = BUF_TMP;
	return faces_root(whole, rank) ? inside(whole, rank, phase, view, COLL_REDUCE) : 0;
}

static int reduce_across(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	int64_t n = a->count * a->type_size;

	return round > 0
	           ? COLL_END
	           : across(a, rank, out, 0, piece_at(BUF_RECV, 0, n), piece_at(BUF_TMP, 0, n));
}

static int64_t reduce_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return a->count * a->type_size;
}

static const struct coll_alg reduce_last = {
    .kind = COLL_REDUCE, .name = "across", .round = reduce_across};

static const struct coll_alg reduce = {
    .kind = COLL_REDUCE,
    .name = "inter",
    .phase = {{.selected = 1, .args = reduce_inside}, {.alg = &reduce_last, .args = phase_on_tmp}},
    .tmp_bytes = reduce_tmp,
};

static int gather_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	bytes_set(phase, whole->count, whole->type_size);
	view->buf[BUF_RECV] = BUF_TMP;
	return faces_root(whole, rank) ? inside(whole, rank, phase, view, COLL_GATHER) : 0;
}

static int gather_across(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	return across(
	    a, rank, out, 0,
	    piece_at(BUF_RECV, 0, a->count2 * a->type_size2 * (a->size - side_size(a, rank))),
	    piece_at(BUF_TMP, 0, a->count * a->type_size * side_size(a, rank)));
}

static int64_t gather_tmp(const struct coll_args *a, uint32_t rank)
{
	return a->count * a->type_size * side_size(a, rank);
}

static const struct coll_alg gather_last = {
    .kind = COLL_GATHER, .name = "across", .round = gather_across};
static const struct coll_alg gather = {
    .kind = COLL_GATHER,
    .name = "inter",
    .phase = {{.selected = 1, .args = gather_inside}, {.alg = &gather_last, .args = phase_on_tmp}},
    .tmp_bytes = gather_tmp,
};

static int scatter_across(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	return across(
	    a, rank, out, 1,
	    piece_at(BUF_SEND, 0, a->count * a->type_size * (a->size - side_size(a, rank))),
	    piece_at(BUF_TMP, 0, a->count2 * a->type_size2 * side_size(a, rank)));
}

static int scatter_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                          struct coll_view *view)
{
	bytes_set(phase, whole->count2, whole->type_size2);
	view->buf[BUF_SEND] = BUF_TMP;
	return faces_root(whole, rank) ? inside(whole, rank, phase, view, COLL_SCATTER) : 0;
}

static int64_t scatter_tmp(const struct coll_args *a, uint32_t rank)
{
	return a->count2 * a->type_size2 * side_size(a, rank);
}

static const struct coll_alg scatter_first = {
    .kind = COLL_SCATTER, .name = "across", .round = scatter_across};
static const struct coll_alg scatter = {
    .kind = COLL_SCATTER,
    .name = "inter",
    .phase = {{.alg = &scatter_first, .args = phase_on_tmp},
              {.selected = 1, .args = scatter_inside}},
    .tmp_bytes = scatter_tmp,
};

/* One round per rank of the other group at the root. */
static int gatherv_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t others = a->size - side_size(a, rank);

	if (faces_root(a, rank) && round == 0) {
		step_isend(out, a->root, piece_send(a), 0);
		step_waitall(out);
		return 0;
	}
	if (!has_root(a) || rank != a->root || round >= others)
		return COLL_END;
	step_irecv(out, other_first(a, rank) + round, piece_recv_block(a, round), round);
	if (round == others - 1)
		step_waitall(out);
	return 0;
}

static int scatterv_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	uint32_t others = a->size - side_size(a, rank);

	if (faces_root(a, rank) && round == 0) {
		step_recv(out, a->root, piece_recv(a));
		return 0;
	}
	if (!has_root(a) || rank != a->root || round >= others)
		return COLL_END;
	step_isend(out, other_first(a, rank) + round, piece_send_block(a, round), round);
	if (round == others - 1)
		step_waitall(out);
	return 0;
}

static const struct coll_alg gatherv = {
    .kind = COLL_GATHERV, .name = "inter", .round = gatherv_round};
static const struct coll_alg scatterv = {
    .kind = COLL_SCATTERV, .name = "inter", .round = scatterv_round};

/* --- of both groups --- */

static int reduce_to_leader(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                            struct coll_view *view)
{
	view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = 0;
	return inside(whole, rank, phase, view, COLL_REDUCE);
}

static int bcast_from_leader(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                             struct coll_view *view)
{
	return inside(whole, rank, phase, view, COLL_BCAST);
}

static int vectors_exchange(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                            struct coll_view *view)
{
	bytes_set(phase, whole->count, whole->type_size);
	return phase_on_tmp(whole, rank, phase, view);
}

static const struct coll_alg allreduce = {
    .kind = COLL_ALLREDUCE,
    .name = "inter",
    .phase = {{.selected = 1, .args = reduce_to_leader},
              {.alg = &leaders, .args = vectors_exchange},
              {.selected = 1, .args = bcast_from_leader}},
    .tmp_bytes = reduce_tmp,
};

static int allgather_inside(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                            struct coll_view *view)
{
	bytes_set(phase, whole->count, whole->type_size);
	view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = 0;
	return inside(whole, rank, phase, view, COLL_GATHER);
}

static int64_t bytes_of_others(const struct coll_args *a, uint32_t rank)
{
	return a->type_size2 * coll_block_elements(a, 0, a->size - side_size(a, rank));
}

static int blocks_exchange(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                           struct coll_view *view)
{
	int64_t theirs = bytes_of_others(whole, rank);

	bytes_set(phase, whole->count * whole->type_size * side_size(whole, rank), 1);
	phase->count2 = theirs;
	return phase_on_tmp(whole, rank, phase, view);
}

static int blocks_from_leader(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                              struct coll_view *view)
{
	int64_t theirs = bytes_of_others(whole, rank);

	bytes_set(phase, theirs, 1);
	return inside(whole, rank, phase, view, COLL_BCAST);
}

static const struct coll_alg allgather = {
    .kind = COLL_ALLGATHER,
    .name = "inter",
    .phase = {{.selected = 1, .args = allgather_inside},
              {.alg = &leaders, .args = blocks_exchange},
              {.selected = 1, .args = blocks_from_leader}},
    .tmp_bytes = gather_tmp,
};

/* Each to the other leader, who posts a receive for each. */
static int to_other_leader(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	uint32_t others = a->size - side_size(a, rank), receives = is_leader(a, rank) ? others : 0;

	if (round > receives)
		return COLL_END;
	if (round < receives)
		step_irecv(out, other_first(a, rank) + round, piece_recv_block(a, round),
		           round + 1);
	else
		step_isend(out, other_first(a, rank), piece_send(a), 0);
	if (round == receives)
		step_waitall(out);
	return 0;
}

static const struct coll_alg blocks_across = {
    .kind = COLL_ALLGATHERV, .name = "across", .round = to_other_leader};
static const struct coll_alg allgatherv = {
    .kind = COLL_ALLGATHERV,
    .name = "inter",
    .phase = {{.alg = &blocks_across}, {.selected = 1, .args = blocks_from_leader}},
};

/* Elements that the group reduces: the sum of what its members get. */
static int64_t scattered_elements(const struct coll_args *a, uint32_t rank)
{
	return coll_block_elements(a, 0, side_size(a, rank));
}

static int scattered_to_leader(const struct coll_args *whole, uint32_t rank,
                               struct coll_args *phase, struct coll_view *view)
{
	int64_t n = scattered_elements(whole, rank);

	bytes_set(phase, n, whole->type_size);
	view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = 0;
	return inside(whole, rank, phase, view, COLL_REDUCE);
}

/* What the other group has reduced goes behind what was sent. */
static int scattered_exchange(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                              struct coll_view *view)
{
	int64_t n = scattered_elements(whole, rank);

	bytes_set(phase, n, whole->type_size);
	view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = n * whole->type_size;
	return phase_on_tmp(whole, rank, phase, view);
}

static int scatter_from_leader(const struct coll_args *whole, uint32_t rank,
                               struct coll_args *phase, struct coll_view *view)
{
	int64_t n = scattered_elements(whole, rank);
	uint32_t me = rank - side_first(whole, rank);

	phase->counts = whole->counts2;
	phase->displs = whole->displs2;
	phase->counts2 = phase->displs2 = NULL;
	phase->count2 = whole->counts2 ? whole->counts2[me] : whole->count;
	phase->type_size2 = whole->type_size;
	view->buf[BUF_SEND] = BUF_TMP;
	view->off[BUF_SEND] = n * whole->type_size;
	return inside(whole, rank, phase, view, whole->counts2 ? COLL_SCATTERV : COLL_SCATTER);
}

static int64_t scattered_tmp(const struct coll_args *a, uint32_t rank)
{
	return 2 * scattered_elements(a, rank) * a->type_size;
}

static const struct coll_alg reduce_scatter = {
    .kind = COLL_REDUCE_SCATTER,
    .name = "inter",
    .phase = {{.selected = 1, .args = scattered_to_leader},
              {.alg = &leaders, .args = scattered_exchange},
              {.selected = 1, .args = scatter_from_leader}},
    .tmp_bytes = scattered_tmp,
};

/* MPIR_Alltoall_inter_pairwise_exchange: who has no partner in a round sends or receives
 * nothing. */
static int alltoall_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	uint32_t mine = side_size(a, rank), others = a->size - mine,
	         most = mine > others ? mine : others;
	uint32_t me = rank - side_first(a, rank), from = (me + most - round) % most,
	         to = (me + round) % most;

	if (round >= most)
		return COLL_END;
	if (to < others)
		step_isend(out, other_first(a, rank) + to, piece_send_block(a, to), 0);
	if (from < others)
		step_irecv(out, other_first(a, rank) + from, piece_recv_block(a, from), 1);
	step_waitall(out);
	return 0;
}

static const struct coll_alg alltoall = {
    .kind = COLL_ALLTOALL, .name = "inter", .round = alltoall_round};
static const struct coll_alg alltoallv = {
    .kind = COLL_ALLTOALLV, .name = "inter", .round = alltoall_round};
static const struct coll_alg alltoallw = {
    .kind = COLL_ALLTOALLW, .name = "inter", .round = alltoall_round};

const struct coll_alg *coll_inter_alg(enum coll_kind k)
{
	static const struct coll_alg *const algs[COLL_KINDS] = {
	    [COLL_BARRIER] = &barrier,
	    [COLL_BCAST] = &bcast,
	    [COLL_REDUCE] = &reduce,
	    [COLL_ALLREDUCE] = &allreduce,
	    [COLL_GATHER] = &gather,
	    [COLL_GATHERV] = &gatherv,
	    [COLL_SCATTER] = &scatter,
	    [COLL_SCATTERV] = &scatterv,
	    [COLL_ALLGATHER] = &allgather,
	    [COLL_ALLGATHERV] = &allgatherv,
	    [COLL_ALLTOALL] = &alltoall,
	    [COLL_ALLTOALLV] = &alltoallv,
	    [COLL_ALLTOALLW] = &alltoallw,
	    [COLL_REDUCE_SCATTER] = &reduce_scatter,
	    [COLL_REDUCE_SCATTER_BLOCK] = &reduce_scatter,
	};

	return algs[k];
}
