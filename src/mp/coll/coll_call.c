/* coll_call.c: a rank calls a collective: arguments are completed, the algorithm chosen, and the
 * call compared with those of the others. */
#include "coll/write.h"
#include "coll_int.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/report/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int kind_has_root(enum coll_kind k)
{
	return k == COLL_BCAST || k == COLL_REDUCE || k == COLL_GATHER || k == COLL_GATHERV ||
	       k == COLL_SCATTER || k == COLL_SCATTERV;
}

/* On an intercommunicator the root is in the other group, or told to be this rank, or somebody of
 * its group. */
static int root_is_right(const struct comm *c, uint32_t rank, uint32_t root)
{
	uint32_t ranks = c->n;

	if (c->split && (root == COLL_ROOT || root == COLL_NO_ROOT))
		return 1;
	if (c->split)
		ranks = (uint32_t)comm_place(c, rank) < c->split ? c->n - c->split : c->split;
	return root < ranks;
}

static int call_check(struct mp *mp, uint32_t rank, const struct comm *c, const struct coll_args *a,
                      double volume, struct err *err)
{
	if (c->split && !coll_inter_alg(a->kind))
		return mp_error(mp, rank, err, "%s on an intercommunicator",
		                mp_call_name(CALL_COLL + a->kind));
	if (kind_has_root(a->kind) && !root_is_right(c, rank, a->root))
		return mp_error(mp, rank, err, "%s with root %u on a communicator of %u ranks",
		                mp_call_name(CALL_COLL + a->kind), a->root, c->n);
	if (!(volume >= 0) || isinf(volume))
		return mp_error(mp, rank, err, "%s with an operator of %g instructions",
		                mp_call_name(CALL_COLL + a->kind), volume);
	return 0;
}

/* How many counts there are: one for each rank; of two groups, for each of the other one, or, where
 * blocks are scattered in one's own (MPI_Reduce_scatter), of that. */
static uint32_t counts_of(const struct op *t)
{
	const struct coll_args *a = t->args;
	uint32_t own = t->me < a->split ? a->split : a->size - a->split;

	return a->split && a->kind != COLL_REDUCE_SCATTER ? a->size - own : own;
}

/* A non-blocking call keeps its own copy of the counts: one for each rank, or for each
 * neighbour. */
static int counts_copy(struct op *t, struct err *err)
{
	const int64_t **arrays[] = {&t->args->counts, &t->args->counts2, &t->args->displs,
	                            &t->args->displs2};
	size_t length[4], i, n = 0;
	int64_t *to;

	for (i = 0; i < 4; i++) {
		length[i] = t->args->kind <= COLL_EXSCAN ? counts_of(t)
		            : i % 2                      ? t->args->n_sources
		                                         : t->args->n_destinations;
		n += *arrays[i] ? length[i] : 0;
	}
	if (n == 0)
		return 0;
	args_of(t)->copy = to = malloc(n * sizeof *to);
	if (!to)
		return err_nomem(err, "counts of a collective", n * sizeof *to);
	for (i = 0; i < 4; i++) {
		if (!*arrays[i])
			continue;
		memcpy(to, *arrays[i], length[i] * sizeof *to);
		*arrays[i] = to;
		to += length[i];
	}
	return 0;
}

/* The neighbours of a member, and that the caller's counts are as many as they (it says so in the
 * numbers of neighbours). */
static int neighbors_set(struct mp *mp, struct op *t, struct comm *c, const struct coll_args *a,
                         struct err *err)
{
	if (topology_neighbors(mp, c, t->me, t->args, err) < 0)
		return -1;
	if ((a->counts && a->n_destinations != t->args->n_destinations) ||
	    (a->counts2 && a->n_sources != t->args->n_sources))
		return mp_error(mp, t->rank, err,
		                "%s with counts for %u and %u neighbours, "
		                "where %u are sent to and %u received from",
		                mp_call_name(CALL_COLL + a->kind), a->n_destinations, a->n_sources,
		                t->args->n_destinations, t->args->n_sources);
	return 0;
}

static void task_set(struct mp *mp, struct op *t, const struct comm *c, const struct coll_args *a,
                     double volume)
{
	*t->args = *a;
	t->args->size = c->n;
	t->args->policy = &mp->policy;
	t->args->shape = c->shape;
	t->args->sizes_only = !mp->data;
	t->args->compat = mp->rules.coll_compat;
	t->me = (uint32_t)comm_place(c, t->rank);
	t->ctx = c->ctx | CTX_COLL;
	t->volume = volume;
	t->args->split = c->split;
	if (c->split == 0) {
		if (a->kind <= COLL_EXSCAN)
			coll_args_count(t->args);
		return;
	}
	if (t->args->root == COLL_ROOT)
		t->args->root = t->me;
	else if (t->args->root != COLL_NO_ROOT && t->me < c->split)
		t->args->root += c->split;
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
	return k <= COLL_EXSCAN && !p->fixed[k] &&
	       (p->selectors[k] ? p->selectors[k] : p->selector) == &coll_selector_automatic;
}

/* Sets the algorithm; NULL: the communication model decides the call as a whole. */
static int alg_choose(struct mp *mp, struct op *t, const struct comm *comm,
                      const struct coll_form *form, struct err *err)
{
	struct coll_choice c;

	if (form->alg || t->args->split) {
		args_of(t)->alg = form->alg ? form->alg : coll_inter_alg(t->args->kind);
		return 0;
	}
	if (mp->whole_collectives && t->args->kind <= COLL_EXSCAN) {
		watch_chosen(mp, t->rank, t->args, NULL);
		return 0;
	}
	if (form->call >= CALL_ICOLL && mp->rules.linear_icolls) {
		args_of(t)->alg = coll_alg_nonblocking(t->args->kind, t->args);
		return 0;
	}
	if (!is_automatic(mp, t->args->kind))
		c = coll_decide(t->args);
	else if (mp->automatic.choose(mp, t, comm, &c, err) < 0)
		return -1;
	args_of(t)->alg = c.alg;
	if (c.segment || c.fanout) { /* else the caller's (coll_measure.c) */
		t->args->segment = c.segment;
		t->args->fanout = c.fanout;
	}
	watch_chosen(mp, t->rank, t->args, &c);
	if (c.wanted && !mp->refused[t->args->kind])
		mp->refused[t->args->kind] = c.refused;
	return 0;
}

/* The bytes that all members must give alike; < 0: there are none, or they are not known. */
static double bytes_alike(const struct coll_args *a, uint32_t me)
{
	double sent = (double)a->count * (double)a->type_size,
	       received = (double)a->count2 * (double)a->type_size2;

	switch (a->kind) {
	case COLL_BCAST:
	case COLL_REDUCE:
	case COLL_ALLREDUCE:
	case COLL_REDUCE_SCATTER_BLOCK:
	case COLL_SCAN:
	case COLL_EXSCAN:
		return sent;
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		return received;
	case COLL_GATHER:
		return a->root == me ? received : sent;
	case COLL_SCATTER:
		return a->root == me ? sent : received;
	default:
		return -1;
	}
}

static int kind_has_operator(enum coll_kind k)
{
	return k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_REDUCE_SCATTER ||
	       k == COLL_REDUCE_SCATTER_BLOCK || k == COLL_SCAN || k == COLL_EXSCAN;
}

/* What is compared with the calls of others (coll_order.c). */
static struct coll_call call_make(const struct mp *mp, const struct op *t,
                                  const struct coll_form *form)
{
	const struct coll_args *a = t->args;
	int compared = !form->alg && !a->split && !(a->unchecked & COUNTS_UNCHECKED),
	    is_cut = a->kind == COLL_BCAST && a->root != COLL_NO_ROOT,
	    has_cut_blocks = a->kind == COLL_ALLGATHER || a->kind == COLL_ALLGATHERV,
	    reduces = compared && !a->unchecked && kind_has_operator(a->kind) && !a->null_op;

	return (struct coll_call){
	    .call = (uint8_t)form->call,
	    .rank = t->rank,
	    .event = event_of(mp, t->rank),
	    .root = kind_has_root(a->kind) ? a->root : 0,
	    .bytes = compared ? bytes_alike(a, t->me) : -1,
	    .types = compared ? a->types : TYPES_UNKNOWN,
	    .count = is_cut           ? a->count
	             : has_cut_blocks ? 0
	                              : -1,
	    .type_size = has_cut_blocks ? a->type_size2 : a->type_size,
	    .operator_name = reduces ? a->operator_name : NULL,
	    .operator= !reduces ? OPERATOR_UNKNOWN
	    : a->commutative    ? OPERATOR_COMMUTES
	                        : OPERATOR_DOES_NOT,
	};
}

/* A task that has begun becomes a call of this communicator. -1: it is freed. */
static int task_call(struct mp *mp, uint32_t id, struct comm *c, const struct coll_args *a,
                     double volume, const struct coll_form *form, struct err *err)
{
	struct op *t = op_at(mp, id);
	struct coll_call call;

	task_set(mp, t, c, a, volume);
	args_of(t)->owner = form->owner;
	c->tasks++;
	if (a->kind > COLL_EXSCAN && neighbors_set(mp, t, c, a, err) < 0)
		goto fail;
	call = call_make(mp, t, form);
	if ((form->nonblocking && counts_copy(t, err) < 0) ||
	    coll_call_begin(mp, c, t->me, &call, &t->number, err) < 0)
		goto fail;
	if (a->kind == COLL_ALLGATHER || a->kind == COLL_ALLGATHERV) {
		t->args->element = call.type_size;
	} else if (call.count >= 0) {
		t->args->count = call.count;
		t->args->type_size = call.type_size;
	}
	if (alg_choose(mp, t, c, form, err) < 0)
		goto fail;
	BUG_ON(!args_of(t)->alg && !mp->whole_collectives);
	args_of(t)->may_be_long = (uint8_t)ring_may_be_long(mp, t->args);
	task_share_args(mp, id);
	if (mp->data && data_begins_tell(mp, id, err) < 0)
		goto fail;
	return 0;
fail:
	task_free(mp, id);
	return -1;
}

/* The communicator that such a call is made on, if nothing is wrong with it, else NULL. */
static struct comm *comm_for(struct mp *mp, uint32_t rank, struct mp_comm comm,
                             const struct coll_args *a, double volume, struct err *err)
{
	struct comm *c = comm_get(mp, rank, comm, err);

	if (!c || call_check(mp, rank, c, a, volume, err) < 0)
		return NULL;
	return !c->shape && shape_is_needed(mp) && comm_shape_make(mp, c, err) < 0 ? NULL : c;
}

int coll_join(struct mp *mp, struct op *op, struct mp_comm comm, const struct coll_args *a,
              double volume, const struct coll_form *form, struct err *err)
{
	struct comm *c = comm_for(mp, op->rank, comm, a, volume, err);

	if (!c || task_begin(mp, op, err) < 0)
		return -1;
	return task_call(mp, mp->ranks[op->rank].op, c, a, volume, form, err);
}

/* The same in the background. NONE on error. */
static uint32_t task_make(struct mp *mp, uint32_t rank, struct mp_comm comm,
                          const struct coll_args *a, double volume, const struct coll_form *form,
                          struct err *err)
{
	struct comm *c = comm_for(mp, rank, comm, a, volume, err);
	uint32_t id = c ? task_new(mp, rank, form->call, err) : NONE;

	return id != NONE && task_call(mp, id, c, a, volume, form, err) == 0 ? id : NONE;
}

static int finalize_go(struct mp *mp, struct op *op, struct err *err)
{
	return op_task(mp, op) == NONE ? MP_DONE : coll_go(mp, op, err);
}

/* The root's world rank, for observers. */
static int32_t partner_of(const struct mp *mp, const struct op *t)
{
	return kind_has_root(t->args->kind) && t->args->root < t->args->size
	           ? (int32_t)comm_member(comm_of_ctx(mp, t->ctx), t->args->root)
	           : -1;
}

int coll_begin(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
               double volume, const struct coll_form *form, struct err *err)
{
	struct op *op = op_begin(mp, rank, form->call, coll_go, err);

	if (!op)
		return MP_ERROR;
	if (coll_join(mp, op, comm, a, volume, form, err) < 0) {
		op_abandon(mp, op);
		return MP_ERROR;
	}
	op->partner = partner_of(mp, op);
	mp->stats.collectives++;
	return op_start(mp, op, err);
}

int mp_collective(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
                  double volume, struct err *err)
{
	struct coll_form form = {.call = CALL_COLL + a->kind};

	return coll_begin(mp, rank, comm, a, volume, &form, err);
}

/* A barrier on the world, if smpi/barrier-finalization. */
int mp_finalize(struct mp *mp, uint32_t rank, struct err *err)
{
	struct coll_args barrier = {.kind = COLL_BARRIER};
	struct coll_form form = {.call = CALL_FINALIZE};
	struct op *op = op_begin(mp, rank, CALL_FINALIZE, finalize_go, err);

	if (!op)
		return MP_ERROR;
	if (mp->barrier_finalization && rank < mp->n_world &&
	    coll_join(mp, op, MP_COMM_WORLD, &barrier, 0, &form, err) < 0)
		return MP_ERROR;
	return op_start(mp, op, err);
}

int icoll_begin(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
                double volume, const struct coll_form *form, struct mp_request *out,
                struct err *err)
{
	struct op *op = op_begin(mp, rank, form->call, icoll_go, err);
	uint32_t id, r;

	if (!op)
		return MP_ERROR;
	id = task_make(mp, rank, comm, a, volume, form, err);
	r = id == NONE ? NONE : req_new(mp, REQ_COLL, rank, REQ_HELD, err);
	if (r == NONE) {
		if (id != NONE)
			task_free(mp, id);
		op_abandon(mp, op);
		return MP_ERROR;
	}
	mp->reqs[r].mate = id;
	mp->reqs[r].ctx = op_at(mp, id)->ctx;
	mp->reqs[r].call = (uint8_t)form->call;
	op_at(mp, id)->apart = 1;
	op_at(mp, id)->handle = r;
	op_at(mp, id)->run = task_background;
	op->task = id;
	out->v = r;
	op->partner = partner_of(mp, op_at(mp, id));
	mp->stats.collectives++;
	return op_start(mp, op, err);
}

int mp_collective_beside(struct mp *mp, uint32_t rank, struct mp_comm comm,
                         const struct coll_args *a, double volume, struct mp_request *out,
                         struct err *err)
{
	struct coll_form form = {.call = CALL_COLL + a->kind, .nonblocking = 1};

	return icoll_begin(mp, rank, comm, a, volume, &form, out, err);
}

int mp_icollective(struct mp *mp, uint32_t rank, struct mp_comm comm, const struct coll_args *a,
                   double volume, struct mp_request *out, struct err *err)
{
	struct coll_form form = {.call = CALL_ICOLL + a->kind, .nonblocking = 1};

	return icoll_begin(mp, rank, comm, a, volume, &form, out, err);
}
