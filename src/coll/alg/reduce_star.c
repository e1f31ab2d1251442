/* reduce_star.c: STAR-MPI's reduction along a line of ranks, root-1, root-2, …, root+1, root
 * (around the end), in segments of 8 KiB. What does not fill a segment is reduced by the default
 * algorithm. */
#include "tree.h"

enum { STAR_SEGMENT = 8192 };

static struct segments whole_segments(const struct coll_args *a)
{
	return segments_star_whole(a, STAR_SEGMENT);
}

struct place {
	int first, last; /* on the line: it only sends; it is the root */
	uint32_t from, to;
	enum coll_buf sum;
	int64_t in; /* where what comes is in the temporary buffer */
};
static struct place place_of(const struct coll_args *a, uint32_t rank)
{
	struct place p = {.first = rank == rank_sub(a, a->root, 1),
	                  .last = rank == a->root,
	                  .from = rank_add(a, rank, 1 % a->size),
	                  .to = rank_sub(a, rank, 1 % a->size)};
	p.sum = p.last ? BUF_RECV : BUF_TMP;
	p.in = a->count * a->type_size;
	return p;
}

static struct piece moved(struct piece p, enum coll_buf buf, int64_t by)
{
	return piece_at(buf, p.off + by, p.len);
}

static void single(const struct place *p, struct piece sum, struct piece in, struct coll_steps *out)
{
	if (!p->first) {
		step_recv(out, p->from, in);
		step_reduce(out, sum, in);
	}
	if (!p->last)
		step_send(out, p->to, sum);
}

/* Round 0 copies; then all receives are posted; then each is waited for, combined and sent on. */
static int line_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	struct segments s = whole_segments(a);
	struct place p = place_of(a, rank);
	int64_t i = round ? (round - 1) % s.n : 0;
	struct piece sum = segment_piece(&s, p.sum, i), in = moved(sum, BUF_TMP, p.in);
	if (round == 0) {
		step_copy(out, piece_at(p.sum, 0, a->count * a->type_size), piece_send(a));
		return 0;
	}
	if (a->size == 1 || round > (a->count <= s.each ? 1 : 2 * s.n))
		return COLL_END;
	if (a->count <= s.each) {
		single(&p, sum, in, out);
		return 0;
	}
	if (round <= s.n) {
		if (!p.first)
			step_irecv(out, p.from, in, (uint32_t)i);
		return 0;
	}
	if (!p.first) {
		step_wait(out, (uint32_t)i);
		step_reduce(out, sum, in);
	}
	if (!p.last)
		step_isend(out, p.to, sum, (uint32_t)(s.n + i));
	if (i == s.n - 1)
		step_waitall(out);
	return 0;
}
static int64_t line_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->count * a->type_size;
}
static const struct coll_alg line_segments = {
    .kind = COLL_REDUCE, .name = "line_segments", .round = line_round, .tmp_bytes = line_tmp};

static int rest_args(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                     struct coll_view *view)
{
	(void)rank;
	struct segments s = whole_segments(whole);
	if (whole->count <= s.count)
		return 0;
	phase->count = whole->count - s.count;
	view->off[BUF_SEND] = view->off[BUF_RECV] = s.count * whole->type_size;
	return 1;
}

const struct coll_alg coll_reduce_NTSL = {
    .kind = COLL_REDUCE,
    .name = "NTSL",
    .source = "STAR-MPI",
    .cost = "(p - 2 + n/s) (L + s/B), s = 8 KiB",
    .phase = {{.alg = &line_segments}, {.choose = coll_reduce_default, .args = rest_args}},
    .needs_commutative = 1};
