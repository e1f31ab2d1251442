/* bcast_split.c: Open MPI's split binary tree: one half of the message goes down the root's
 * left subtree, the other down the right one; then ranks of the two subtrees exchange halves in
 * pairs. */
#include "tree.h"

struct halves {
	int64_t bytes, count[2]; /* of a segment; elements of each half */
	struct segments seg[2];
};

static struct halves halves_of(const struct coll_args *a)
{
	int64_t bytes = coll_segment(a, a->count * a->type_size < 370728 ? 1 << 10 : 8 << 10);
	int64_t each = a->type_size ? bytes / a->type_size : a->count;
	struct halves h = {.bytes = bytes, .count = {a->count - a->count / 2, a->count / 2}};
	each = each < 1 ? 1 : each > a->count ? a->count + 1 : each;
	for (int i = 0; i < 2; i++)
		h.seg[i] = (struct segments){.each = each,
		                             .n = (h.count[i] + each - 1) / each,
		                             .count = h.count[i],
		                             .type_size = a->type_size};
	return h;
}

static struct piece half_segment(const struct halves *h, int half, int64_t i)
{
	struct piece p = segment_piece(&h->seg[half], BUF_RECV, i);
	p.off += half ? h->count[0] * h->seg[0].type_size : 0;
	return p;
}

static struct piece half_piece(const struct halves *h, int half)
{
	int64_t ts = h->seg[0].type_size;
	return piece_at(BUF_RECV, half ? h->count[0] * ts : 0, h->count[half] * ts);
}

/* A rank of the left subtree (half 0) and its neighbour of the right one swap. With p even one rank
 * has no neighbour: the root serves it. */
static void swap_halves(const struct coll_args *a, uint32_t rank, const struct halves *h, int half,
                        struct coll_steps *out)
{
	uint32_t before_root = rank_sub(a, a->root, 1),
	         pair = half ? rank_sub(a, rank, 1) : rank_add(a, rank, 1);
	int odd = a->size % 2;
	if (rank == a->root && !odd)
		step_send(out, before_root, half_piece(h, 1));
	else if (rank == before_root && !odd)
		step_recv(out, a->root, half_piece(h, 1));
	else if (rank != a->root)
		step_sendrecv(out, rank, pair, half_piece(h, half), pair, half_piece(h, !half));
}

static void root_sends(const struct tree *t, const struct halves *h, int64_t i,
                       struct coll_steps *out)
{
	for (uint32_t c = 0; c < t->n; c++)
		if (i < h->seg[c].n)
			step_send(out, t->child[c], half_segment(h, (int)c, i));
}

/* Inner ranks receive the next segment while they pass on the current one; leaves just receive. */
static void pass_segment(const struct tree *t, const struct halves *h, int half, int64_t i,
                         struct coll_steps *out)
{
	if (t->n == 0) {
		step_recv(out, t->parent, half_segment(h, half, i));
		return;
	}
	if (i == 0)
		step_irecv(out, t->parent, half_segment(h, half, 0), 0);
	if (i + 1 < h->seg[half].n)
		step_irecv(out, t->parent, half_segment(h, half, i + 1), (i + 1) & 1);
	step_wait(out, i & 1);
	for (uint32_t c = 0; c < t->n; c++)
		step_send(out, t->child[c], half_segment(h, half, i));
}

static int split_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	struct tree t = tree_binary(a, rank);
	struct halves h = halves_of(a);
	int half = (rank_virtual(a, rank) + 1) % 2;
	int64_t n = rank == a->root ? h.seg[0].n : h.seg[half].n;
	if (a->size < 2 || round > n)
		return COLL_END;
	if (round == n)
		swap_halves(a, rank, &h, half, out);
	else if (rank == a->root)
		root_sends(&t, &h, round, out);
	else
		pass_segment(&t, &h, half, round, out);
	return 0;
}
static const struct coll_alg split_segments = {
    .kind = COLL_BCAST, .name = "split_segments", .round = split_round};

static const struct coll_alg *split_choose(const struct coll_args *a)
{
	struct halves h = halves_of(a);
	int64_t least = h.bytes > a->type_size && h.bytes != COLL_WHOLE ? h.bytes : a->type_size;
	return h.count[1] * a->type_size < least || !a->count
	           ? (a->compat ? &coll_bcast_SMP_linear : &coll_bcast_ompi_pipeline)
	           : &split_segments;
}

const struct coll_alg coll_bcast_ompi_split_bintree = {
    .kind = COLL_BCAST,
    .name = "ompi_split_bintree",
    .source = "Open MPI",
    .one_way = 1,
    .cost = "(log2 p + n/2s) (L + 2 s/B) + L + n/2B",
    .phase = {{.choose = split_choose}}};
