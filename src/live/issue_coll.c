/* issue_coll.c: a collective of a rank becomes the arguments of one of mp, those that
 * src/replay/op_coll.c makes of the event. */
#include "live_int.h"
#include "reduce.h"

#include <string.h>

static int block_fits(const struct live *l, uint64_t block, uint64_t bytes)
{
	return !block || wire_block_holds(l->head, block, bytes);
}

static int is_neighborhood(uint32_t kind)
{
	return kind > COLL_EXSCAN;
}

/* The rank computes what its own operator takes, where that is measured. */
static int is_operated(const struct live *l, const struct wire_coll *w)
{
	return w->user && !coll_is_empty(w) && l->head->computation == WIRE_MEASURED;
}

static struct coll_args args_of(const struct live *l, const struct wire_coll *w,
                                const struct mp_groups *g, const int64_t *counts)
{
	struct coll_args a = {
	    .kind = (enum coll_kind)w->kind,
	    .size = g->remote ? g->remote : g->local,
	    .root = w->root,
	    .count = w->count,
	    .count2 = w->count2,
	    .type_size = w->type_size,
	    .type_size2 = w->type_size2,
	    .counts = w->n_counts ? counts : NULL,
	    .counts2 = w->n_counts2 ? counts + w->n_counts : NULL,
	    .n_destinations = is_neighborhood(w->kind) ? w->n_counts : 0,
	    .n_sources = is_neighborhood(w->kind) ? w->n_counts2 : 0,
	    .commutative = w->commutative,
	    .in_place = w->in_place,
	    .basic_type = w->basic_type,
	    .operator_name = w->user ? "an operator of the program's" : reduce_op_name(w->op),
	    .types = w->types,
	    .own_operator = (uint8_t)is_operated(l, w),
	};

	if (a.in_place && (a.kind == COLL_ALLGATHER || a.kind == COLL_ALLTOALL)) {
		a.count = a.count2;
		a.type_size = a.type_size2;
	}
	return a;
}

/* One count per member, as replay wants it; neighbourhoods: mp knows how many. */
static int counts_fit(const struct wire_coll *w, const struct mp_groups *g)
{
	uint32_t size = g->remote && w->kind != COLL_REDUCE_SCATTER ? g->remote : g->local;

	return is_neighborhood(w->kind) ||
	       ((!w->n_counts || w->n_counts == size) && (!w->n_counts2 || w->n_counts2 == size));
}

/* Bytes of all ranks together are a number. */
static int is_amount(const struct live *l, int64_t count, int64_t size)
{
	return count >= 0 && size >= 0 &&
	       (count == 0 || size <= INT64_MAX / ((int64_t)l->ranks + 1) / count);
}

static int are_amounts(const struct live *l, const struct wire_coll *w, const int64_t *counts)
{
	int fit = is_amount(l, w->count, w->type_size) && is_amount(l, w->count2, w->type_size2);

	for (uint32_t i = 0; fit && i < w->n_counts; i++)
		fit = is_amount(l, counts[i], w->type_size);
	for (uint32_t i = 0; fit && i < w->n_counts2; i++)
		fit = is_amount(l, counts[w->n_counts + i], w->type_size2);
	return fit;
}

int coll_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_coll *w = op_body(op);
	const int64_t *counts = live_list(l, op, sizeof *w, (size_t)w->n_counts + w->n_counts2,
	                                  sizeof *counts);
	struct lrank *r = &l->rank[rank];
	struct mp_groups groups;
	struct mp_comm comm;
	struct coll_args a;
	struct lreq *q;
	uint32_t index;

	if (w->kind >= COLL_KINDS || w->types > TYPES_COMPLEX || !counts ||
	    !are_amounts(l, w, counts) || !block_fits(l, w->send, w->send_bytes) ||
	    !block_fits(l, w->recv, w->recv_bytes))
		return live_broken(l, rank, err, "a collective");
	if (comm_check(l, rank, w->comm, &comm, err) < 0)
		return MP_ERROR;
	groups = mp_comm_groups(l->mp, comm, rank);
	if (!counts_fit(w, &groups))
		return live_broken(l, rank, err, "counts for another number of ranks");
	a = args_of(l, w, &groups, counts);
	if (coll_new(l, rank, w, &index, err) < 0)
		return MP_ERROR;
	mp_data_next(l->mp, (uint64_t)index + 1, 0);
	if (!(op->flags & WIRE_RESTS)) {
		r->coll = index + 1;
		early_receive(l, rank, op);
		return mp_collective(l->mp, rank, comm, &a, 0, err);
	}
	q = req_use(l, rank, w->request, LREQ_COLL, err);
	if (!q)
		return MP_ERROR;
	q->coll = index + 1;
	return op->mode == WIRE_BESIDE ? mp_collective_beside(l->mp, rank, comm, &a, 0, &q->mp, err)
	                               : mp_icollective(l->mp, rank, comm, &a, 0, &q->mp, err);
}
