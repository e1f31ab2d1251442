/* early.c: a rank is told what it receives when mp knows which message that is, before it has
 * arrived in simulated time: what it does then depends on the data alone, and is queued in its ring
 * until mp asks for it. A blocking collective is over when the last of its messages has met its
 * mate: what is left to do is local, and done at once. So ranks compute while the simulator works,
 * and at once, as many as `jobs` says; nothing of the simulation depends on it. */
#include "live_int.h"

static int rests(const struct lrank *r)
{
	return atomic_load(&r->c->bell) != r->seen;
}

/* Whether one more may run now. */
static int may_run(struct live *l)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->n_ahead; i++) {
		struct lrank *r = &l->rank[l->ahead[i]];

		if (r->ahead && !rests(r))
			l->ahead[kept++] = l->ahead[i];
		else
			r->ahead = 0;
	}
	l->n_ahead = kept;
	return l->n_ahead < l->jobs;
}

static void runs(struct live *l, uint32_t rank)
{
	struct lrank *r = &l->rank[rank];

	r->early = r->ahead = 1;
	r->waits = NULL;
	l->ahead[l->n_ahead++] = rank;
	r->c->answer.error = 0;
	r->c->answer.early = 1;
	r->c->answer.look = WIRE_NO_LOOK;
	live_answer(l, r);
}

static void receive_answer(struct live *l, uint32_t rank)
{
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;

	a->n = 1;
	a->list = 0;
	done_set(&a->done[0], &r->own, 0);
	runs(l, rank);
}

static void wait_answer(struct live *l, uint32_t rank)
{
	struct lrank *r = &l->rank[rank];
	const struct wire_op *op = r->waits;
	const uint32_t *numbers = op->flags & WIRE_LISTED ? wire_at(l->head, op->list)
	                                                  : op_body(op);
	struct wire_answer *a = &r->c->answer;
	struct wire_done *d;
	uint32_t n = 0;

	for (uint32_t i = 0; i < op->n; i++)
		n += numbers[i] != WIRE_NONE;
	d = dones_room(l, a, n);
	if (!d)
		return; /* in time, then */
	a->n = n;
	a->flag = 1;
	n = 0;
	for (uint32_t i = 0; i < op->n; i++) {
		struct lreq *q;

		if (numbers[i] == WIRE_NONE)
			continue;
		q = &r->req[numbers[i]];
		done_set(&d[n++], q, i);
		q->block = 0;
	}
	runs(l, rank);
}

void early_receive(struct live *l, uint32_t rank, const struct wire_op *op)
{
	struct lrank *r = &l->rank[rank];

	r->waits = op->flags & WIRE_ASKS && l->jobs > 0 ? op : NULL;
}

void early_wait(struct live *l, uint32_t rank, const struct wire_op *op, const uint32_t *numbers)
{
	struct lrank *r = &l->rank[rank];

	r->unmet = 0;
	r->waits = op->flags & WIRE_ASKS && l->jobs > 0 ? op : NULL;
	for (uint32_t i = 0; r->waits && i < op->n; i++) {
		struct lreq *q = numbers[i] == WIRE_NONE ? NULL : &r->req[numbers[i]];

		if (!q || q->kind == LREQ_SEND || q->met)
			continue;
		q->listed = 1;
		r->unmet++;
	}
	if (r->waits && r->unmet == 0 && may_run(l))
		wait_answer(l, rank);
}

void early_met(struct live *l, uint32_t rank, struct lreq *q)
{
	struct lrank *r = &l->rank[rank];

	q->met = 1;
	if (q == &r->own) {
		if (r->waits && may_run(l))
			receive_answer(l, rank);
		return;
	}
	if (!q->listed)
		return;
	q->listed = 0;
	if (--r->unmet == 0 && r->waits && may_run(l))
		wait_answer(l, rank);
}

int early_may_end(struct live *l, uint32_t rank)
{
	return l->rank[rank].waits && may_run(l);
}

void early_end(struct live *l, uint32_t rank)
{
	struct wire_answer *a = &l->rank[rank].c->answer;

	a->n = 0;
	a->list = 0;
	runs(l, rank);
}

void early_ends(struct lrank *r)
{
	r->early = 0;
	r->waits = NULL;
}
