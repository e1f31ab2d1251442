/* arrival.c: STAR-MPI's broadcasts and reduction that serve first who comes first (Patarasuk
 * and Yuan, "Efficient MPI_Bcast across different process arrival patterns", IPDPS 2008). Every
 * rank tells rank 0 that it is there; rank 0 tells those that are in a header of 1,024 (128)
 * numbers, in which order they stand, and they work as a chain (a ring). A root other than rank 0
 * gives rank 0 its data first, or gets the result from it.
 *
 * A pure function cannot see who is there. Here rank 0 waits until all are, and so there is one
 * group, in rank order: what SMPI's rank 0 finds too when all call at about the same date, since
 * its asking takes time. */
#include "bcast.h"

enum { CHAIN_HEADER = 1024, RING_HEADER = 128 };

static const struct piece here = {BUF_TOKEN, 0, 1};

/* One number per rank, as in SMPI if that has room for them. */
static struct piece header(const struct coll_args *a, uint32_t numbers)
{
	return piece_at(BUF_TOKEN, 0, 4 * (int64_t)(a->size > numbers ? a->size : numbers));
}

/* --- broadcast down the chain 1, 2, … p-1 ---
 * Rank 0: hears of one rank a round, then sends the header, then one segment a round. The others
 * say that they are there; then what follows the header takes three steps a segment: post, wait,
 * send on. Requests: segment i comes as i and goes as n + i. */

enum { ROOT_BLOCKS, ROOT_POSTS };

static int chain_root(const struct coll_args *a, uint32_t round, const struct segments *s,
                      int sends, struct coll_steps *out)
{
	int64_t i = (int64_t)round - a->size;
	if (i >= s->n)
		return COLL_END;
	if (round + 1 < a->size)
		step_recv(out, round + 1, here);
	else if (round + 1 == a->size)
		step_send(out, 1, header(a, CHAIN_HEADER));
	else if (sends == ROOT_BLOCKS)
		step_send(out, 1, segment_piece(s, BUF_RECV, i));
	else
		step_isend(out, 1, segment_piece(s, BUF_RECV, i), (uint32_t)i);
	if (sends == ROOT_POSTS && i == s->n - 1)
		step_waitall(out);
	return 0;
}

static void get_header(const struct coll_args *a, uint32_t rank, struct coll_steps *out)
{
	step_recv(out, rank - 1, header(a, CHAIN_HEADER));
	if (rank + 1 < a->size)
		step_send(out, rank + 1, header(a, CHAIN_HEADER));
}

static int chain_member(const struct coll_args *a, uint32_t rank, uint32_t round,
                        const struct segments *s, struct coll_steps *out)
{
	int64_t i = (int64_t)round - 2;
	if (i >= 2 * s->n)
		return COLL_END;
	if (round == 0)
		step_send(out, 0, here);
	else if (round == 1)
		get_header(a, rank, out);
	else if (i < s->n)
		step_irecv(out, rank - 1, segment_piece(s, BUF_RECV, i), (uint32_t)i);
	else if (rank + 1 < a->size) {
		step_wait(out, (uint32_t)(i - s->n));
		step_isend(out, rank + 1, segment_piece(s, BUF_RECV, i - s->n), (uint32_t)i);
	}
	if (i == 2 * s->n - 1)
		step_waitall(out);
	return 0;
}

/* Everything fits one segment: the data come before the header goes on. */
static int short_member(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	if (round > 0)
		return COLL_END;
	step_send(out, 0, here);
	step_recv(out, rank - 1, header(a, CHAIN_HEADER));
	step_recv(out, rank - 1, piece_recv(a));
	if (rank + 1 < a->size) {
		step_send(out, rank + 1, header(a, CHAIN_HEADER));
		step_send(out, rank + 1, piece_recv(a));
	}
	return 0;
}

static int aware_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                       struct coll_steps *out)
{
	struct segments s = bcast_star_segments(a);
	if (a->size < 2)
		return COLL_END;
	if (rank == 0)
		return chain_root(a, round, &s, ROOT_BLOCKS, out);
	return a->count <= s.each ? short_member(a, rank, round, out)
	                          : chain_member(a, rank, round, &s, out);
}
static int wait_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	struct segments s = bcast_star_segments(a);
	if (a->size < 2)
		return COLL_END;
	return rank == 0 ? chain_root(a, round, &s, ROOT_POSTS, out)
	                 : chain_member(a, rank, round, &s, out);
}

static const struct coll_alg aware_chain = {
    .kind = COLL_BCAST, .name = "aware_chain", .round = aware_round};
static const struct coll_alg wait_chain = {
    .kind = COLL_BCAST, .name = "wait_chain", .round = wait_round};

const struct coll_alg coll_bcast_arrival_pattern_aware = {
    .kind = COLL_BCAST,
    .name = "arrival_pattern_aware",
    .source = "STAR-MPI; Patarasuk and Yuan 2008 (all taken to be there)",
    .one_way = 1,
    .cost = "2 p L + (p - 2 + n/s) (L + s/B), s = 8 KiB",
    .phase = {{.alg = &bcast_give_to_zero},
              {.alg = &aware_chain},
              {.selected = 1, .args = bcast_star_rest}}};
const struct coll_alg coll_bcast_arrival_pattern_aware_wait = {
    .kind = COLL_BCAST,
    .name = "arrival_pattern_aware_wait",
    .source = "STAR-MPI; Patarasuk and Yuan 2008 (all taken to be there)",
    .one_way = 1,
    .cost = "2 p L + (p - 2 + n/s) (L + s/B), s = 8 KiB",
    .phase = {{.alg = &bcast_give_to_zero},
              {.alg = &wait_chain},
              {.selected = 1, .args = bcast_star_rest}}};

/* --- broadcast by a scatter to 1 … p-1 and a ring of them; the last part is longer. Rank 0: who is
 * there, headers, parts, one a round --- */

static struct piece part(const struct coll_args *a, uint32_t i)
{
	int64_t each = a->count / (a->size - 1), first = i * each,
	        end = i + 2 == a->size ? a->count : first + each;
	return piece_at(BUF_RECV, first * a->type_size, (end - first) * a->type_size);
}

static int scatter_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                         struct coll_steps *out)
{
	uint32_t others = a->size - 1, i = others ? round % others : 0, mine = rank - 1;
	if (round >= (rank == 0 ? 3 * others : others + 1) || !others)
		return COLL_END;
	if (rank == 0) {
		if (round < others)
			step_recv(out, i + 1, here);
		else if (round < 2 * others)
			step_send(out, i + 1, header(a, RING_HEADER));
		else
			step_send(out, i + 1, part(a, i));
	} else if (round == 0) {
		step_send(out, 0, here);
	} else if (round == 1) {
		step_recv(out, 0, header(a, RING_HEADER));
		step_recv(out, 0, part(a, mine));
	} else {
		uint32_t gone = round - 2;
		step_sendrecv(out, rank, 1 + (mine + 1) % others,
		              part(a, (mine + others - gone) % others),
		              1 + (mine + others - 1) % others,
		              part(a, (mine + 2 * others - gone - 1) % others));
	}
	return 0;
}
static const struct coll_alg scatter_ring = {
    .kind = COLL_BCAST, .name = "scatter_ring", .round = scatter_round};

/* SMPI asks the selected broadcast where there are fewer elements than ranks; that may be this
 * one. */
static const struct coll_alg *scatter_choose(const struct coll_args *a)
{
	return a->count < a->size ? &coll_bcast_binomial_tree : &scatter_ring;
}
static int scatter_give(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                        struct coll_view *view)
{
	(void)rank, (void)phase, (void)view;
	return whole->count >= whole->size;
}

const struct coll_alg coll_bcast_arrival_scatter = {
    .kind = COLL_BCAST,
    .name = "arrival_scatter",
    .source = "STAR-MPI; Patarasuk and Yuan 2008 (all taken to be there)",
    .cost = "3 p L + 2 n/B",
    .phase = {{.alg = &bcast_give_to_zero, .args = scatter_give}, {.choose = scatter_choose}}};

/* --- reduction up the chain 1, 2, … p-1, 0; then rank 0 gives the root all of it, with what no
 * segment holds, which is not reduced yet --- Every rank begins with its own data in `sum`; what
 * comes lies in the second half of the temporary buffer. */

static struct piece sum(const struct coll_args *a, uint32_t rank, struct piece like)
{
	return piece_at(rank == a->root ? BUF_RECV : BUF_TMP, like.off, like.len);
}
static struct piece coming(const struct coll_args *a, struct piece like)
{
	return piece_at(BUF_TMP, a->count * a->type_size + like.off, like.len);
}

static void reduce_member(const struct coll_args *a, uint32_t rank, int64_t i,
                          const struct segments *s, struct coll_steps *out)
{
	uint32_t next = rank + 1 < a->size ? rank + 1 : 0;
	struct piece seg = segment_piece(s, BUF_TMP, i % s->n), own = sum(a, rank, seg);
	int single = a->count <= s->each;
	if (single && i == 0) {
		if (rank > 1)
			step_recv(out, rank - 1, coming(a, seg));
		if (rank > 1)
			step_reduce_left(out, own, coming(a, seg));
		step_send(out, next, own);
	} else if (!single && i < s->n) {
		if (rank > 1)
			step_irecv(out, rank - 1, coming(a, seg), (uint32_t)i);
	} else if (!single) {
		if (rank > 1) {
			step_wait(out, (uint32_t)(i - s->n));
			step_reduce_left(out, own, coming(a, seg));
		}
		step_isend(out, next, own, (uint32_t)i);
		if (i == 2 * s->n - 1)
			step_waitall(out);
	}
}

static int reduce_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                        struct coll_steps *out)
{
	struct segments s = bcast_star_segments(a);
	struct piece all = sum(a, rank, piece_send(a));
	/* Rank 0: a round for each rank that is there, the header, the segments; others: a word,
	 * the header, twice the segments. Then the root. */
	int64_t before = rank == 0 ? a->size : 2, end = before + (rank == 0 ? s.n : 2 * s.n),
	        i = (int64_t)round - before;
	if (round == 0)
		step_copy(out, all, piece_send(a));
	if (a->size < 2)
		return round > 0 ? COLL_END : 0;
	if (round > end)
		return COLL_END;
	if (round == end) {
		if (rank == 0 && a->root)
			step_send(out, a->root, all);
		if (rank && rank == a->root)
			step_recv(out, 0, all);
	} else if (i >= 0 && rank) {
		reduce_member(a, rank, i, &s, out);
	} else if (i >= 0) {
		struct piece seg = segment_piece(&s, BUF_TMP, i);
		step_recv(out, a->size - 1, coming(a, seg));
		step_reduce(out, sum(a, 0, seg), coming(a, seg));
	} else if (rank == 0) {
		if (round + 1 < a->size)
			step_recv(out, round + 1, here);
		else
			step_send(out, 1, header(a, CHAIN_HEADER));
	} else if (round == 0) {
		step_send(out, 0, here);
	} else {
		get_header(a, rank, out);
	}
	return 0;
}

static int64_t reduce_tmp(const struct coll_args *a, uint32_t rank)
{
	(void)rank;
	return 2 * a->count * a->type_size;
}
static const struct coll_alg reduce_chain = {
    .kind = COLL_REDUCE, .name = "reduce_chain", .round = reduce_round, .tmp_bytes = reduce_tmp};

static int reduce_rest(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                       struct coll_view *view)
{
	if (!bcast_star_rest(whole, rank, phase, view))
		return 0;
	view->off[BUF_SEND] = view->off[BUF_RECV];
	return 1;
}

const struct coll_alg coll_reduce_arrival_pattern_aware = {
    .kind = COLL_REDUCE,
    .name = "arrival_pattern_aware",
    .source = "STAR-MPI; Patarasuk and Yuan 2008 (all taken to be there)",
    .cost = "2 p L + (p - 2 + n/s) (L + s/B) + L + n/B if the root is not rank 0, s = 8 KiB",
    .phase = {{.alg = &reduce_chain}, {.choose = coll_reduce_default, .args = reduce_rest}}};
