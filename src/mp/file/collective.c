/* collective.c: the steps of collective operations on files:
 *
 *   open, close, sync, …      each member asks the file system; then a barrier
 *   ordered                   the pointers, an exclusive scan of 8 bytes; then as write_all without
 *                             holes, as ROMIO and OMPIO do: nobody has its data before all came
 *   read_all, write_all       each tells all where its data are, an allgather of 16 bytes; then
 *                             each its data
 *   … with holes              two phases, as ROMIO and OMPIO do: the file is cut evenly between
 *                             aggregators, one of each host (setting storage/aggregators); write:
 *                             each sends each of them its part, they write, all hear how it went
 *                             (an allreduce of an int); read: they read, then send each its part.
 *                             Rounds of buffers are not modelled: their sum is what moves
 *
 * They are pure functions like those of src/coll, and so their non-blocking forms, progress and the
 * check of their order are those of collectives.
 *
 * A call with holes has a record of the bytes of each member (args.each), filled as they call.
 * Nobody reads it before the allgather is over, when all have. */
#include "coll/write.h"
#include "file_int.h"

#include <stddef.h>

static void file_step_add(struct coll_steps *out, int what, int64_t bytes)
{
	out->s[out->n++] = (struct coll_step){.kind = STEP_FILE, .n = (uint32_t)what, .len = bytes};
}

static int ask_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                     struct coll_steps *out)
{
	(void)a, (void)rank;
	if (round > 0)
		return COLL_END;
	file_step_add(out, WHAT_ASK, 0);
	return 0;
}

static int data_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                      struct coll_steps *out)
{
	(void)rank;
	if (round > 0)
		return COLL_END;
	file_step_add(out, a->in_place ? WHAT_WRITE : WHAT_READ, a->count);
	return 0;
}

static int small(struct coll_args *phase, enum coll_kind kind, int64_t bytes)
{
	phase->kind = kind;
	phase->count = phase->count2 = bytes;
	phase->type_size = phase->type_size2 = 1;
	phase->commutative = phase->basic_type = 1;
	phase->in_place = 0;
	phase->root = 0;
	phase->each = NULL;
	return 1;
}

static int offsets(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return small(phase, COLL_ALLGATHER, 16);
}

static int pointers(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return small(phase, COLL_EXSCAN, 8);
}

static int has_holes(const struct coll_args *whole)
{
	const char *bytes = (const char *)whole->each;

	return ((const struct file_call *)(bytes - offsetof(struct file_call, bytes)))->holes > 0;
}

static int with_holes(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                      struct coll_view *view)
{
	(void)rank, (void)view;
	phase->fanout = whole->fanout;
	return has_holes(whole);
}

static int without_holes(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                         struct coll_view *view)
{
	(void)rank, (void)phase, (void)view;
	return !has_holes(whole);
}

static int outcome(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)rank, (void)view;
	return has_holes(whole) && small(phase, COLL_ALLREDUCE, 4);
}

static int meeting(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                   struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	return small(phase, COLL_BARRIER, 0);
}

/* What the policy chooses; for SimGrid's "default", whose allgather sends from each to each, what
 * the library does that ROMIO is part of. */
static const struct coll_alg *as_library(const struct coll_args *a)
{
	return coll_choose_as(a, coll_selector_find("mpich"));
}

/* --- two phases: aggregator i has the i-th of `fanout` parts of each rank's bytes --- */

static int64_t share(int64_t bytes, uint32_t i, uint32_t n)
{
	return bytes / n * (i + 1) + bytes % n * (i + 1) / n - (bytes / n * i + bytes % n * i / n);
}

/* The number of an aggregator, or NONE. */
static uint32_t aggregator(const struct coll_args *a, uint32_t rank)
{
	uint32_t node = a->shape->node[rank];

	return node < a->fanout && a->shape->leader[node] == rank ? node : NONE;
}

static int aggregated_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                            struct coll_steps *out)
{
	uint32_t mine = aggregator(a, rank), i;
	int64_t bytes = 0;

	if (round > 0)
		return COLL_END;
	for (i = 0; mine != NONE && i < a->size; i++)
		bytes += share(a->each[i], mine, a->fanout);
	if (bytes > 0)
		file_step_add(out, a->in_place ? WHAT_WRITE : WHAT_READ, bytes);
	return 0;
}

/* Round r: with the aggregator that is r after one's own host's, and, as an aggregator, with the
 * rank that is r before. */
static int exchange_round(const struct coll_args *a, uint32_t rank, uint32_t round,
                          struct coll_steps *out)
{
	uint32_t mine = aggregator(a, rank), other, rounds = mine == NONE ? a->fanout : a->size;
	int64_t n;

	if (round >= rounds)
		return COLL_END;
	if (mine != NONE) {
		other = rank_sub(a, rank, round);
		n = share(a->each[other], mine, a->fanout);
		if (other != rank && n > 0 && a->in_place)
			step_irecv(out, other, piece_at(BUF_TMP, 0, n), 2 * round);
		else if (other != rank && n > 0)
			step_isend(out, other, piece_at(BUF_TMP, 0, n), 2 * round);
	}
	if (round < a->fanout) {
		other = (a->shape->node[rank] + round) % a->fanout;
		n = share(a->each[rank], other, a->fanout);
		other = a->shape->leader[other];
		if (other != rank && n > 0 && a->in_place)
			step_isend(out, other, piece_at(BUF_SEND, 0, n), 2 * round + 1);
		else if (other != rank && n > 0)
			step_irecv(out, other, piece_at(BUF_RECV, 0, n), 2 * round + 1);
	}
	if (round + 1 == rounds)
		step_waitall(out);
	return 0;
}

static const struct coll_alg ask = {.kind = COLL_BARRIER, .name = "ask", .round = ask_round};
static const struct coll_alg data = {.kind = COLL_BARRIER, .name = "data", .round = data_round};
static const struct coll_alg aggregated = {
    .kind = COLL_BARRIER, .name = "aggregated", .round = aggregated_round};
static const struct coll_alg exchange = {
    .kind = COLL_BARRIER, .name = "exchange", .round = exchange_round};

const struct coll_alg file_asked = {
    .kind = COLL_BARRIER,
    .name = "file asked",
    .phase = {{.alg = &ask}, {.choose = as_library, .args = meeting}}};
const struct coll_alg file_ordered = {.kind = COLL_BARRIER,
                                      .name = "file ordered",
                                      .phase = {{.choose = as_library, .args = pointers},
                                                {.choose = as_library, .args = offsets},
                                                {.alg = &data}}};
/* Who has told offsets to all knows what all have: each goes on alone, or in two phases. */
const struct coll_alg file_write_all = {.kind = COLL_BARRIER,
                                        .name = "file write all",
                                        .phase = {{.choose = as_library, .args = offsets},
                                                  {.alg = &data, .args = without_holes},
                                                  {.alg = &exchange, .args = with_holes},
                                                  {.alg = &aggregated, .args = with_holes},
                                                  {.choose = as_library, .args = outcome}}};
const struct coll_alg file_read_all = {.kind = COLL_BARRIER,
                                       .name = "file read all",
                                       .phase = {{.choose = as_library, .args = offsets},
                                                 {.alg = &data, .args = without_holes},
                                                 {.alg = &aggregated, .args = with_holes},
                                                 {.alg = &exchange, .args = with_holes}}};
