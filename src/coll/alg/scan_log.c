/* scan_log.c: scans that pass partial results on: along the line of ranks (Open MPI, linear),
 * by recursive doubling (Open MPI; MPICH), and in two levels (MPICH). The temporary buffer holds
 * the partial result of a rank's group, then what comes. */
#include "nodes.h"

static struct piece whole(const struct coll_args *a, enum coll_buf buf, int place)
{
	int64_t n = a->count * a->type_size;
	return piece_at(buf, place * n, n);
}

static int64_t two_buffers(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->count * a->type_size;
}

static int line_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	struct piece sum = a->kind == COLL_SCAN ? whole(a, BUF_RECV, 0) : whole(a, BUF_TMP, 0);
	if (round > 0)
		return COLL_END;
	step_copy(out, sum, piece_send(a));
	if (rank > 0) {
		struct piece before = a->kind == COLL_SCAN ? whole(a, BUF_TMP, 1)
		                                           : whole(a, BUF_RECV, 0);
		step_recv(out, rank - 1, before);
		if (a->kind == COLL_SCAN || rank + 1 < a->size) /* else nobody asks for it */
			step_reduce_left(out, sum, before);
	}
	if (rank + 1 < a->size)
		step_send(out, rank + 1, sum);
	return 0;
}

/* After the step of mask, the partial result is that of the 2 mask ranks around. */
static int doubling_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	struct piece group = whole(a, BUF_TMP, 0), come = whole(a, BUF_TMP, 1),
	             mine = whole(a, BUF_RECV, 0);
	if (round > log2_ceil(a->size))
		return COLL_END;
	if (round == 0) {
		step_copy(out, group, piece_send(a));
		if (a->kind == COLL_SCAN)
			step_copy(out, mine, piece_send(a));
		return 0;
	}
	uint32_t mask = 1u << (round - 1), peer = rank ^ mask;
	if (peer >= a->size)
		return 0;
	step_sendrecv(out, rank, peer, group, peer, come);
	if (peer > rank) {
		step_reduce(out, group, come);
		return 0;
	}
	step_reduce_left(out, group, come);
	if (a->kind == COLL_EXSCAN && !(rank & (mask - 1)))
		step_copy(out, mine, come); /* the first that comes from below */
	else
		step_reduce_left(out, mine, come);
	return 0;
}

const struct coll_alg coll_scan_ompi_linear = {.kind = COLL_SCAN,
                                               .name = "ompi_linear",
                                               .source = "Open MPI, linear",
                                               .cost = "(p-1) (L + n/B)",
                                               .round = line_round,
                                               .tmp_bytes = two_buffers};
const struct coll_alg coll_scan_recursive_doubling = {.kind = COLL_SCAN,
                                                      .name = "recursive_doubling",
                                                      .source = "Open MPI 4; MPICH",
                                                      .cost = "ceil(log2 p) (L + n/B)",
                                                      .round = doubling_round,
                                                      .tmp_bytes = two_buffers};
const struct coll_alg coll_exscan_ompi_linear = {.kind = COLL_EXSCAN,
                                                 .name = "ompi_linear",
                                                 .source = "Open MPI, linear",
                                                 .cost = "(p-1) (L + n/B)",
                                                 .round = line_round,
                                                 .tmp_bytes = two_buffers};
const struct coll_alg coll_exscan_recursive_doubling = {.kind = COLL_EXSCAN,
                                                        .name = "recursive_doubling",
                                                        .source = "Open MPI 4; MPICH",
                                                        .cost = "ceil(log2 p) (L + n/B)",
                                                        .round = doubling_round,
                                                        .tmp_bytes = two_buffers};

/* --- two levels: a scan inside each host; its last rank gives the host's sum to the leader; the
 * leaders scan, and each gives what is before the next host to the next leader, which broadcasts it
 * inside. The temporary buffer: the host's sum, then what is before; the leaders' scan --- */

static int scan_inside(const struct coll_args *a, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	return nodes_inside(a, rank, phase, view);
}

static int to_leader_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                           struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	if (a->size == 1)
		step_copy(out, whole(a, BUF_TMP, 0), whole(a, BUF_RECV, 0));
	else if (rank == a->size - 1)
		step_send(out, 0, whole(a, BUF_RECV, 0));
	else if (rank == 0)
		step_recv(out, a->size - 1, whole(a, BUF_TMP, 0));
	return 0;
}
static const struct coll_alg to_leader = {
    .kind = COLL_SCAN, .name = "to_leader", .round = to_leader_round};

static int at_start(const struct coll_args *a, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	view->off[BUF_TMP] = 0;
	return nodes_inside(a, rank, phase, view);
}

static int scan_leaders(const struct coll_args *a, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	view->buf[BUF_SEND] = BUF_TMP;
	view->buf[BUF_RECV] = BUF_TMP;
	view->off[BUF_RECV] = a->count * a->type_size;
	return nodes_leaders(a, rank, phase, view);
}

static int pass_on_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	if (rank + 1 < a->size)
		step_isend(out, rank + 1, whole(a, BUF_TMP, 1), 0);
	if (rank > 0)
		step_irecv(out, rank - 1, whole(a, BUF_TMP, 0), 1);
	step_waitall(out);
	return 0;
}
static const struct coll_alg pass_on = {
    .kind = COLL_SCAN, .name = "pass_on", .round = pass_on_round};

static int pass_on_leaders(const struct coll_args *a, uint32_t rank, struct coll_args *phase,
                           struct coll_view *view)
{
	view->off[BUF_TMP] = 0;
	return nodes_leaders(a, rank, phase, view);
}

static int bcast_before(const struct coll_args *a, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	phase->root = 0;
	view->buf[BUF_RECV] = BUF_TMP;
	return nodes_inside(a, rank, phase, view) && nodes_of(a, rank) > 0;
}

static int add_before_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	(void)rank;
	if (round > 0)
		return COLL_END;
	step_reduce_left(out, whole(a, BUF_RECV, 0), whole(a, BUF_TMP, 0));
	return 0;
}
static const struct coll_alg add_before = {
    .kind = COLL_SCAN, .name = "add_before", .round = add_before_round};

static int add_args(const struct coll_args *a, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)phase;
	view->off[BUF_TMP] = 0;
	return nodes_of(a, rank) > 0;
}

static const char *smp_refuses(const struct coll_args *a)
{
	return a->shape && !a->shape->blocked
	           ? "it needs the ranks of each host to follow one another"
	           : NULL;
}

const struct coll_alg coll_scan_mpich_smp = {
    .kind = COLL_SCAN,
    .name = "mpich_smp",
    .source = "MPICH, smp",
    .cost = "(log2 c + 1) (L + n/B) + (log2 p/c + 1) (L + n/B) + log2 c (L + n/B)",
    .phase = {{.alg = &coll_scan_recursive_doubling, .args = scan_inside},
              {.alg = &to_leader, .args = at_start},
              {.alg = &coll_scan_recursive_doubling, .args = scan_leaders},
              {.alg = &pass_on, .args = pass_on_leaders},
              {.alg = &coll_bcast_binomial_tree, .args = bcast_before},
              {.alg = &add_before, .args = add_args}},
    .tmp_bytes = two_buffers,
    .refuses = smp_refuses,
    .instead = &coll_scan_recursive_doubling};
