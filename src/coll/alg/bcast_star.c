/* bcast_star.c: STAR-MPI's non-topology-specific pipelines, on a line (NTSL) and on a heap
 * (NTSB) of ranks rooted at 0, in segments of 8 KiB. Another root first gives everything to rank 0.
 * What does not fill a segment is broadcast by the selected algorithm. */
#include "bcast.h"

enum { STAR_SEGMENT = 8192 };

struct segments bcast_star_segments(const struct coll_args *a)
{
	return segments_star_whole(a, STAR_SEGMENT);
}

int bcast_star_rest(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)rank;
	struct segments s = bcast_star_segments(whole);
	if (whole->count <= s.count)
		return 0;
	phase->count = whole->count - s.count;
	view->off[BUF_RECV] = s.count * whole->type_size;
	return 1;
}

static int give_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	if (a->root && rank == a->root)
		step_send(out, 0, piece_recv(a));
	if (a->root && rank == 0)
		step_recv(out, a->root, piece_recv(a));
	return 0;
}
const struct coll_alg bcast_give_to_zero = {
    .kind = COLL_BCAST, .name = "give_to_zero", .round = give_round};

static void send_to_children(const struct tree *t, const struct segments *s, int64_t i,
                             enum star_sends sends, struct coll_steps *out)
{
	for (uint32_t c = 0; c < t->n; c++)
		if (sends == STAR_BLOCKS)
			step_send(out, t->child[c], segment_piece(s, BUF_RECV, i));
		else
			step_isend(out, t->child[c], segment_piece(s, BUF_RECV, i),
			           (uint32_t)(s->n + i * t->n + c));
}

/* Round 0 is the root's. If all is one segment, round 1 passes it on. Else all receives are posted,
 * one a round; then each is waited for and sent on. Requests: receives first. */
int bcast_star_round(const struct coll_args *a, uint32_t rank, uint32_t round, const struct tree *t,
                     enum star_sends sends, struct coll_steps *out)
{
	struct segments s = bcast_star_segments(a);
	int single = a->count <= s.each;
	if (round == 0)
		return give_round(a, rank, round, out);
	if (round > (single ? 1 : 2 * s.n))
		return COLL_END;
	int64_t i = round - 1 < s.n ? round - 1 : round - 1 - s.n;
	if (single && rank > 0)
		step_recv(out, t->parent, segment_piece(&s, BUF_RECV, 0));
	if (!single && round <= s.n) {
		if (rank > 0)
			step_irecv(out, t->parent, segment_piece(&s, BUF_RECV, i), (uint32_t)i);
		return 0;
	}
	if (!single && rank > 0 && t->n)
		step_wait(out, (uint32_t)i);
	send_to_children(t, &s, i, single ? STAR_BLOCKS : sends, out);
	if (!single && i == s.n - 1)
		step_waitall(out);
	return 0;
}

static int NTSL_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	struct tree t = tree_line(a, rank);
	return bcast_star_round(a, rank, round, &t, STAR_POSTS, out);
}
static int NTSB_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	struct tree t = tree_heap(a, rank);
	return bcast_star_round(a, rank, round, &t, STAR_POSTS, out);
}
static const struct coll_alg NTSL_segments = {
    .kind = COLL_BCAST, .name = "NTSL_segments", .round = NTSL_round};
static const struct coll_alg NTSB_segments = {
    .kind = COLL_BCAST, .name = "NTSB_segments", .round = NTSB_round};

const struct coll_alg coll_bcast_NTSL = {
    .kind = COLL_BCAST,
    .name = "NTSL",
    .source = "STAR-MPI",
    .one_way = 1,
    .cost = "(p - 2 + n/s) (L + s/B), s = 8 KiB",
    .phase = {{.alg = &NTSL_segments}, {.selected = 1, .args = bcast_star_rest}}};
const struct coll_alg coll_bcast_NTSL_Isend = {
    .kind = COLL_BCAST,
    .name = "NTSL_Isend",
    .source = "STAR-MPI",
    .one_way = 1,
    .cost = "(p - 2 + n/s) (L + s/B), s = 8 KiB",
    .phase = {{.alg = &NTSL_segments}, {.selected = 1, .args = bcast_star_rest}}};
const struct coll_alg coll_bcast_NTSB = {
    .kind = COLL_BCAST,
    .name = "NTSB",
    .source = "STAR-MPI",
    .one_way = 1,
    .cost = "(log2 p + n/s) (L + 2 s/B), s = 8 KiB",
    .phase = {{.alg = &NTSB_segments}, {.selected = 1, .args = bcast_star_rest}}};
