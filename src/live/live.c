/* live.c: life of a live run, and its loop.
 *
 *   resume(rank): next operation of the ring --computed--> mp_compute --> issue --> answer --> next
 *                       ring empty: the process runs (live_wait) */
#include "live_int.h"

#include <stdlib.h>

struct live *live_new(uint32_t ranks, const struct live_options *o, struct err *err)
{
	struct live *l = calloc(1, sizeof *l);

	if (!l) {
		err_nomem(err, "live run", sizeof *l);
		return NULL;
	}
	l->o = *o;
	l->ranks = ranks;
	l->fd = -1;
	hash64_init(&l->meeting_by_key);
	hash64_init(&l->comm_of_self);
	data_init(l);
	l->rank = calloc(ranks, sizeof *l->rank);
	l->jobs = o->jobs > ranks ? ranks : o->jobs;
	l->ahead = calloc((size_t)l->jobs + 1, sizeof *l->ahead);
	if (!l->rank || !l->ahead) {
		err_nomem(err, "ranks", ranks * sizeof *l->rank);
		live_free(l);
		return NULL;
	}
	if (segment_make(l, err) < 0) {
		live_free(l);
		return NULL;
	}
	return l;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	processes_kill(l);
	for (uint32_t i = 0; l->rank && i < l->ranks; i++) {
		free(l->rank[i].req);
		free(l->rank[i].list);
		free(l->rank[i].comm);
	}
	data_release(l);
	for (uint32_t i = 0; i < l->n_meeting; i++) {
		free(l->meeting[i].member);
		free(l->meeting[i].data);
		free(l->meeting[i].bytes);
		free(l->meeting[i].held);
	}
	free(l->meeting);
	hash64_release(&l->meeting_by_key);
	hash64_release(&l->comm_of_self);
	free(l->counts);
	free(l->ahead);
	free(l->rank);
	segment_release(l);
	free(l);
}

int live_start(struct live *l, struct err *err)
{
	return processes_start(l, err);
}

int live_end(struct live *l, struct err *err)
{
	return processes_end(l, err);
}

uint64_t live_calls(const struct live *l)
{
	return l->calls;
}

double live_computed(const struct live *l)
{
	return l->computed;
}

/* --- running --- */

/* Processor time of this computer becomes a volume of the simulated host. */
static int computed(struct live *l, uint32_t rank, double seconds, struct err *err)
{
	double taken = l->o.taken && !(l->o.speed > 0) ? l->o.taken(l->o.self, rank, seconds) : -1;
	double speed = l->o.speed > 0 ? l->o.speed
	                              : net_host_speed(mp_net(l->mp), mp_host(l->mp, rank));

	l->computed += seconds;
	return taken >= 0 ? mp_compute_rated(l->mp, rank, seconds * 1e9, taken, err)
	                  : mp_compute(l->mp, rank, seconds * speed, err);
}

static int op_go(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	int status;

	if (r->phase == PHASE_NEW) {
		r->phase = PHASE_COMPUTED;
		r->stage = 0;
		r->error = 0;
		r->own = (struct lreq){.mp = MP_REQUEST_NULL};
		if (op->computed > 0 && l->o.computation == LIVE_MEASURED) {
			status = computed(l, rank, op->computed, err);
			if (status != MP_DONE)
				return status;
		}
	}
	if (r->phase == PHASE_COMPUTED) {
		r->phase = PHASE_ISSUED;
		mp_data_next(l->mp, 0, 0);
		status = live_issue(l, rank, op, err);
		if (status != MP_DONE)
			return status;
	}
	return live_tell(l, rank, op, err); /* which may issue more */
}

/* mp_program.resume */
static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct live *l = self;
	struct lrank *r = &l->rank[rank];
	const struct wire_op *op;
	int status, asks;

	(void)mp;
	for (;;) {
		op = wire_op_next(r->c);
		if (!op) {
			if (r->over)
				return 1;
			if (live_wait(l, rank, err) < 0)
				return -1;
			continue;
		}
		status = op_go(l, rank, op, err);
		if (status != MP_DONE)
			return status == LIVE_HELD ? 2 : status == MP_BLOCKED ? 0 : -1;
		asks = op->flags & WIRE_ASKS && !r->early;
		early_ends(r);
		r->phase = PHASE_NEW;
		r->calls++;
		l->calls++;
		if (l->o.progress)
			l->o.progress->done++;
		wire_op_done(r->c, op);
		if (asks)
			live_answer(l, r);
	}
}

static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	const struct live *l = self;

	(void)l;
	(void)rank;
	(void)n;
	buf[0] = '\0';
	return buf;
}

struct mp_program live_program(struct live *l)
{
	return (struct mp_program){.self = l, .resume = resume, .place = place};
}
