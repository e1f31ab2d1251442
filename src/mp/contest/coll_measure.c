/* coll_measure.c: one call of a collective, simulated alone. */
#include "coll_measure.h"
#include "coll/write.h"
#include "mp/mp_int.h"

#include <math.h>
#include <stdlib.h>

static int is_vector(enum coll_kind k)
{
	return k == COLL_GATHERV || k == COLL_SCATTERV || k == COLL_ALLGATHERV ||
	       k == COLL_ALLTOALLV || k == COLL_ALLTOALLW || k == COLL_REDUCE_SCATTER;
}

void coll_measure_args(enum coll_kind k, const struct coll_bench *b, int64_t bytes, int64_t *counts,
                       struct coll_args *out)
{
	int64_t ts = bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 1, n = bytes / ts;
	uint32_t i;

	if (k == COLL_ALLTOALLW) {
		n = bytes;
		ts = 1;
	}
	*out = (struct coll_args){.kind = k,
	                          .size = b->p,
	                          .count = n,
	                          .count2 = n,
	                          .type_size = ts,
	                          .type_size2 = ts,
	                          .shape = b->shape,
	                          .commutative = 1,
	                          .basic_type = 1,
	                          .sizes_only = 1};
	if (k == COLL_REDUCE_SCATTER_BLOCK)
		out->count = n / b->p;
	if (!is_vector(k))
		return;
	for (i = 0; i < b->p; i++)
		counts[i] = k == COLL_REDUCE_SCATTER ? n / b->p + (i < n % b->p) : n;
	if (k != COLL_GATHERV && k != COLL_ALLGATHERV && k != COLL_REDUCE_SCATTER)
		out->counts = counts;
	if (k != COLL_SCATTERV)
		out->counts2 = counts;
	if (k == COLL_REDUCE_SCATTER)
		out->count = 0;
}

/* --- one call --- */

struct one_call {
	const struct coll_args *args;
	uint8_t *called; /* of each rank */
};

static int call_resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct one_call *c = self;
	int status;

	if (c->called[rank])
		return 1;
	c->called[rank] = 1;
	status = mp_collective(mp, rank, MP_COMM_WORLD, c->args, 0, err);
	return status == MP_ERROR ? -1 : status == MP_DONE;
}

static const char *call_place(void *self, uint32_t rank, char *buf, size_t n)
{
	(void)self, (void)rank, (void)n;
	buf[0] = '\0';
	return buf;
}

struct stopping {
	struct progress p;
	const atomic_int *stop;
};

static void stop_look(struct progress *p)
{
	const struct stopping *s = (const struct stopping *)p;

	p->stop = atomic_load(s->stop) != 0;
}

static int call_run(struct mp *mp, const struct coll_args *a, double give_up,
                    const atomic_int *stop, double *seconds, struct err *err)
{
	struct one_call call = {a, calloc(mp->n_ranks, 1)};
	struct stopping s = {.p.tick = stop_look, .stop = stop};
	struct mp_program program = {.self = &call, .resume = call_resume, .place = call_place};
	struct mp_stats st;
	int r;

	if (!call.called)
		return err_nomem(err, "a measured collective", mp->n_ranks);
	mp->stop_at = give_up;
	r = mp_run(mp, &program, stop ? &s.p : NULL, err);
	mp_stats(mp, &st);
	*seconds = mp->alive ? HUGE_VAL : st.end;
	free(call.called);
	return r;
}

int coll_measure(const struct coll_bench *b, const struct coll_args *a, const struct coll_choice *c,
                 double give_up, double *seconds, struct err *err)
{
	struct coll_args args = *a;
	struct net *net = net_new(b->platform, b->cfg, err);
	struct mp *mp = net ? mp_new(net, b->cfg, b->host, b->p, err) : NULL;
	enum coll_kind k = a->kind == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : a->kind;
	int r = -1;

	if (mp) {
		if (b->policy) {
			coll_policy_release(&mp->policy);
			mp->policy = *b->policy;
			mp->policy.owned = NULL;
		}
		mp->policy.fixed[k] = c->alg;
		args.segment = c->segment;
		args.fanout = c->fanout;
		r = call_run(mp, &args, give_up, b->stop, seconds, err);
	}
	mp_free(mp);
	net_free(net);
	return r;
}
