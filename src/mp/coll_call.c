/* coll_call.c: a rank calls a collective: arguments are completed, the algorithm chosen, and the call compared with those of the others. */
#include "coll_int.h"
#include "task_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int kind_has_root(enum coll_kind k)
{
	return k == COLL_BCAST || k == COLL_REDUCE || k == COLL_GATHER || k == COLL_GATHERV || k == COLL_SCATTER ||
	       k == COLL_SCATTERV;
}

static int call_check(struct mp *mp, uint32_t rank, const struct comm *c, const struct coll_args *a, double volume, struct err *err)
{
	if (kind_has_root(a->kind) && a->root >= c->n)
		return mp_error(mp, rank, err, "%s with root %u on a communicator of %u ranks", mp_call_name(CALL_COLL + a->kind),
		                a->root, c->n);
	if (!(volume >= 0) || isinf(volume))
		return mp_error(mp, rank, err, "%s with an operator of %g instructions", mp_call_name(CALL_COLL + a->kind), volume);
	return 0;
}

/* A non-blocking call keeps its own copy of the counts. */
static int counts_copy(struct task *t, struct err *err)
{
	const int64_t **arrays[] = {&t->args.counts, &t->args.counts2, &t->args.displs, &t->args.displs2};
	size_t i, n = 0, bytes = t->args.size * sizeof(int64_t);
	char *to;

	for (i = 0; i < 4; i++)
		n += *arrays[i] != NULL;
	if (n == 0)
		return 0;
	t->copy = to = malloc(n * bytes);
	if (!to)
		return err_nomem(err, "counts of a collective", n * bytes);
	for (i = 0; i < 4; i++) {
		if (!*arrays[i])
			continue;
		memcpy(to, *arrays[i], bytes);
		*arrays[i] = (const int64_t *)(const void *)to;
		to += bytes;
	}
	return 0;
}

static void task_set(struct mp *mp, struct task *t, const struct comm *c, const struct coll_args *a, double volume)
{
	t->args = *a;
	t->args.size = c->n;
	t->args.policy = &mp->policy;
	t->args.shape = c->shape;
	t->args.sizes_only = 1;
	t->args.compat = (uint8_t)mp->compat;
	t->me = (uint32_t)comm_place(c, t->rank);
	t->ctx = c->ctx | CTX_COLL;
	t->volume = volume;
}

/* The default algorithms do not look at who shares a host; others may. */
static int shape_is_needed(const struct mp *mp)
{
	const struct coll_policy *p = &mp->policy;
	int k;

	for (k = 0; k < COLL_KINDS && !p->fixed[k] && !p->selectors[k]; k++)
		;
	return k < COLL_KINDS || p->selector != coll_selectors[0];
}

static int is_automatic(const struct mp *mp, enum coll_kind k)
{
	const struct coll_policy *p = &mp->policy;

	if (k == COLL_REDUCE_SCATTER_BLOCK)
		k = COLL_REDUCE_SCATTER;
	return !p->fixed[k] && (p->selectors[k] ? p->selectors[k] : p->selector) == &coll_selector_automatic;
}

static int alg_choose(struct mp *mp, struct task *t, const struct comm *comm, struct err *err)
{
	struct coll_choice c;

	if (!is_automatic(mp, t->args.kind))
		c = coll_decide(&t->args);
	else if (automatic_choose(mp, t, comm, &c, err) < 0)
		return -1;
	t->alg = c.alg;
	if (c.segment || c.fanout) { /* else the caller's (coll_measure.c) */
		t->args.segment = c.segment;
		t->args.fanout = c.fanout;
	}
	if (c.wanted && !mp->refused[t->args.kind])
		mp->refused[t->args.kind] = c.refused;
	return 0;
}

/* NONE on error. */
static uint32_t task_make(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a, double volume,
                          int nonblocking, struct err *err)
{
	struct coll_call call = {.kind = (uint8_t)a->kind, .nonblocking = (uint8_t)nonblocking, .rank = rank};
	struct comm *c = comm_get(mp, rank, comm, err);
	struct task *t;
	uint32_t id;

	if (!c || call_check(mp, rank, c, a, volume, err) < 0)
		return NONE;
	if (!c->shape && shape_is_needed(mp) && comm_shape_make(mp, c, err) < 0)
		return NONE;
	id = task_new(mp, rank, err);
	if (id == NONE)
		return NONE;
	t = &mp->tasks[id];
	task_set(mp, t, c, a, volume);
	call.root = kind_has_root(a->kind) ? a->root : 0;
	if ((nonblocking && counts_copy(t, err) < 0) || coll_call_begin(mp, c, t->me, &call, &t->number, err) < 0) {
		task_free(mp, id);
		return NONE;
	}
	if (mp->whole_collectives)
		return id;
	if (nonblocking) {
		t->alg = coll_alg_nonblocking(a->kind, &t->args);
	} else if (alg_choose(mp, t, c, err) < 0) {
		task_free(mp, id);
		return NONE;
	}
	BUG_ON(!t->alg);
	return id;
}

static int finalize_go(struct mp *mp, struct op *op, struct err *err)
{
	return op->task == NONE ? MP_DONE : coll_go(mp, op, err);
}

int mp_collective(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a, double volume, struct err *err)
{
	struct op *op = op_begin(mp, rank, CALL_COLL + a->kind, coll_go, err);

	if (!op)
		return MP_ERROR;
	op->task = task_make(mp, rank, comm, a, volume, 0, err);
	if (op->task == NONE) {
		op_abandon(mp, op);
		return MP_ERROR;
	}
	if (kind_has_root(a->kind))
		op->partner = (int32_t)comm_member(comm_of_ctx(mp, mp->tasks[op->task].ctx), a->root);
	mp->stats.collectives++;
	return op_start(mp, op, err);
}

/* A barrier on the world, if smpi/barrier-finalization. */
int mp_finalize(struct mp *mp, uint32_t rank, struct err *err)
{
	struct coll_args barrier = {.kind = COLL_BARRIER};
	struct op *op = op_begin(mp, rank, CALL_FINALIZE, finalize_go, err);

	if (!op)
		return MP_ERROR;
	if (mp->barrier_finalization) {
		op->task = task_make(mp, rank, MP_COMM_WORLD, &barrier, 0, 0, err);
		if (op->task == NONE)
			return MP_ERROR;
	}
	return op_start(mp, op, err);
}

int mp_icollective(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a, double volume,
                   struct mp_request *out, struct err *err)
{
	struct op *op = op_begin(mp, rank, CALL_ICOLL + a->kind, icoll_go, err);
	uint32_t id, r;

	if (!op)
		return MP_ERROR;
	id = task_make(mp, rank, comm, a, volume, 1, err);
	r = id == NONE ? NONE : req_new(mp, REQ_COLL, rank, REQ_HELD, err);
	if (r == NONE) {
		if (id != NONE)
			task_free(mp, id);
		op_abandon(mp, op);
		return MP_ERROR;
	}
	mp->reqs[r].mate = id;
	mp->reqs[r].ctx = mp->tasks[id].ctx;
	mp->reqs[r].call = (uint8_t)(CALL_ICOLL + a->kind);
	mp->tasks[id].handle = r;
	op->task = id;
	out->v = r;
	if (kind_has_root(a->kind))
		op->partner = (int32_t)comm_member(comm_of_ctx(mp, mp->tasks[id].ctx), a->root);
	mp->stats.collectives++;
	return op_start(mp, op, err);
}
