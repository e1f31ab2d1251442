/* task.c: collectives under way, which are part of operations (struct op), and their arguments.
 * Most ranks of a collective call it with the same arguments: they share one copy, found among the
 * few that were made last. */
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "task_int.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* For one task; not set. */
static struct coll_args *args_new(struct mp *mp, struct err *err)
{
	struct task_args *p = mp->tasks.free_args;

	if (p)
		mp->tasks.free_args = p->next;
	else if (!(p = malloc(sizeof *p))) {
		err_nomem(err, "arguments of a collective", sizeof *p);
		return NULL;
	}
	*p = (struct task_args){.holders = 1};
	return &p->args;
}

static void args_drop(struct mp *mp, struct task_args *p)
{
	if (--p->holders > 0)
		return;
	free(p->copy);
	for (int i = 0; i < ARGS_RECENT; i++) {
		if (mp->tasks.recent_args[i] == p)
			mp->tasks.recent_args[i] = NULL;
	}
	p->next = mp->tasks.free_args;
	mp->tasks.free_args = p;
}

static_assert(offsetof(struct coll_args, compat) ==
                  8 * sizeof(uint32_t) + 8 * sizeof(int64_t) + 11 * sizeof(void *) + 10,
              "a coll_args has holes between its members: their bytes would be compared too");

static int args_equal(const struct coll_args *a, const struct coll_args *b)
{
	return memcmp(a, b, offsetof(struct coll_args, compat) + sizeof a->compat) == 0;
}

void task_share_args(struct mp *mp, uint32_t id)
{
	struct op *t = op_at(mp, id);

	for (int i = 0; i < ARGS_RECENT; i++) {
		struct task_args *p = mp->tasks.recent_args[i];

		if (!p || p->alg != args_of(t)->alg || p->owner != args_of(t)->owner ||
		    !args_equal(&p->args, t->args))
			continue;
		args_drop(mp, args_of(t));
		t->args = &p->args;
		p->holders++;
		return;
	}
	mp->tasks.recent_args[mp->tasks.next_recent] = args_of(t);
	mp->tasks.next_recent = (mp->tasks.next_recent + 1) % ARGS_RECENT;
}

int task_begin(struct mp *mp, struct op *op, struct err *err)
{
	struct coll_args *args = args_new(mp, err);

	if (!args)
		return -1;
	op->is_task = 1;
	op->paid = op->background = op->apart = 0;
	op->bytes = op->waited = op->volume = 0;
	waitset_init(&op->set);
	op->args = args;
	op->round = (struct coll_cursor){0};
	op->debt = 0;
	op->turns = op->me = op->ctx = op->number = 0;
	op->target = NONE;
	op->step = 0;
	op->row = NO_ROW;
	op->row_state = 0;
	op->row_awaited = 0;
	op->tentative = 0;
	op->wait = TASK_RUNS;
	op->wait_stage = TASK_BEGINS;
	return 0;
}

uint32_t task_new(struct mp *mp, uint32_t rank, enum mp_call call, struct err *err)
{
	uint32_t id = op_slot(mp, err);

	if (id == NONE)
		return NONE;
	op_at(mp, id)->rank = rank;
	op_at(mp, id)->call = (uint8_t)call;
	if (task_begin(mp, op_at(mp, id), err) < 0) {
		op_slot_free(mp, id);
		return NONE;
	}
	return id;
}

void task_row_drop(struct op *t)
{
	if (t->row == NO_ROW)
		return;
	if (t->row == ROW_MANY)
		free(t->many);
	t->row = NO_ROW;
	t->row_awaited = 0;
	t->debt = 0;
}

void task_free(struct mp *mp, uint32_t id)
{
	struct op *t = op_at(mp, id);
	uint32_t ctx = t->ctx;

	if (args_of(t)->owner)
		args_of(t)->owner->ends(mp, t);
	task_row_drop(t);
	args_drop(mp, args_of(t));
	t->is_task = 0;
	if (mp->ranks[t->rank].op != id) {
		op_slot_free(mp, id);
	} else {
		t->task = NONE;
		t->probe = MESSAGE_NONE;
		waitset_init(&t->set);
	}
	comm_at(mp, ctx & CTX_SLOT)->tasks--;
	comm_settle(mp, ctx & CTX_SLOT);
}

void task_forget(struct mp *mp, struct op *t, uint32_t r)
{
	if (mp->reqs[r].kind == REQ_RECV)
		t->bytes += mp->reqs[r].bytes * req_messages(&mp->reqs[r]);
	req_release(mp, r, REQ_HELD);
}

void task_forget_first(struct mp *mp, struct op *t)
{
	uint32_t r;

	while ((r = t->set.first) != NONE &&
	       (mp->reqs[r].flags & (REQ_DONE | REQ_WAITED)) == REQ_DONE) {
		t->set.first = mp->reqs[r].wnext;
		task_forget(mp, t, r);
	}
	if (r == NONE)
		t->set.last = NONE;
}

static void task_drop(struct mp *mp, struct op *t)
{
	task_row_drop(t);
	args_drop(mp, args_of(t));
}

void tasks_release(struct mp *mp)
{
	struct task_args *p;
	uint32_t i;

	for (i = 0; i < mp->ops.n; i++) {
		if (op_at(mp, i)->is_task)
			task_drop(mp, op_at(mp, i));
	}
	while ((p = mp->tasks.free_args)) {
		mp->tasks.free_args = p->next;
		free(p);
	}
}

/* Those of the rank that are kept until its next call go on. */
static int stalled_go_on(struct mp *mp, uint32_t rank, struct err *err)
{
	uint32_t id;

	while ((id = mp->tasks.stalled[rank]) != NONE) {
		mp->tasks.stalled[rank] = op_at(mp, id)->stalled;
		if (op_at(mp, id)->run(mp, op_at(mp, id), err) < 0)
			return -1;
	}
	return 0;
}

int task_stall(struct mp *mp, uint32_t id, struct err *err)
{
	struct op *t = op_at(mp, id);
	uint32_t *at;

	if (!mp->tasks.stalled) {
		mp->tasks.stalled = malloc(mp->n_ranks * sizeof *mp->tasks.stalled);
		if (!mp->tasks.stalled)
			return err_nomem(err, "collectives of ranks",
			                 mp->n_ranks * sizeof *mp->tasks.stalled);
		memset(mp->tasks.stalled, 0xff, mp->n_ranks * sizeof *mp->tasks.stalled);
	}
	for (at = &mp->tasks.stalled[t->rank]; *at != NONE; at = &op_at(mp, *at)->stalled)
		;
	*at = id;
	t->stalled = NONE;
	progress_stall(mp, t->rank, PROGRESS_COLLECTIVES, stalled_go_on);
	return 0;
}

double task_take_debt(struct mp *mp, uint32_t id)
{
	struct op *t = op_at(mp, id);
	double debt = t->debt, now = engine_now(mp->engine), busy = t->set.busy - now;

	if (t->tentative) {
		task_passed_over(mp, id);
		busy = 0;
	}
	t->debt = 0;
	if (busy > 0)
		t->set.busy = now;
	return busy > 0 ? debt + busy : debt; /* what its looks have not paid yet */
}

double task_begins_to_pay(struct mp *mp, uint32_t id, double from)
{
	struct op *t = op_at(mp, id);
	double now = engine_now(mp->engine);

	if (t->debt > 0) {
		double debt = task_take_debt(mp, id);

		t->set.busy = (from > now ? from : now) + debt;
	}
	return t->set.busy > from ? t->set.busy : from;
}

double looks_busy(const struct mp *mp, const struct op *op)
{
	double busy = 0;

	if (!op->colls)
		return 0;
	for (uint32_t r = op->set.first; r != NONE; r = mp->reqs[r].wnext)
		if (mp->reqs[r].kind == REQ_COLL)
			busy = fmax(busy, op_at(mp, mp->reqs[r].mate)->set.busy);
	return busy;
}

void task_looks(struct mp *mp, uint32_t id)
{
	struct op *t = op_at(mp, id);

	if (t->tentative)
		return;
	task_may_pay(mp, id);
	t->tentative = 1;
}

double task_found(struct mp *mp, uint32_t id)
{
	struct op *t = op_at(mp, id);
	double left = t->set.busy - engine_now(mp->engine);

	if (!t->tentative)
		return task_take_debt(mp, id);
	task_passed_over(mp, id);
	t->debt = 0;
	return left > 0 ? left : 0;
}

void task_passed_over(struct mp *mp, uint32_t id)
{
	struct op *t = op_at(mp, id);

	if (t->tentative)
		t->set.busy = 0;
	t->tentative = 0;
}

void task_may_pay(struct mp *mp, uint32_t id)
{
	struct op *t = op_at(mp, id);

	t->debt = task_take_debt(mp, id);
	t->set.busy = engine_now(mp->engine) + t->debt;
}

double task_pays(struct mp *mp, uint32_t id, int picked)
{
	struct op *t = op_at(mp, id);
	double end = t->set.busy;

	t->set.busy = 0;
	if (picked)
		t->debt = 0;
	return end;
}

double task_volume(const struct mp *mp, uint32_t id)
{
	return op_at(mp, id)->volume;
}

int members_enter(struct mp *mp, struct members *m, uint32_t task)
{
	struct op *t = op_at(mp, task);

	t->target = NONE;
	if (m->first == NONE)
		m->first = task;
	else
		op_at(mp, m->last)->target = task;
	m->last = task;
	t->wait = TASK_WAITS_MEMBERS;
	t->wait_stage = TASK_WAITS;
	t->wait_since = engine_now(mp->engine);
	return ++m->n == t->args->size;
}
