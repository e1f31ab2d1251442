/* complete.c: a request is complete: who waits for it hears, and pays what it costs to complete it.
 *
 * A rank that waits (wait.c) is woken when it has what it waits for. A collective (coll_exec.c)
 * whose call still lasts is woken like that; one in the background goes on by itself, at once or in
 * the next call of its rank (progress.c). */
#include "message.h"
#include "mp/report/watch.h"
#include "mp/task_int.h"

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* Seconds due from the rank for completing r. */
double request_due(struct mp *mp, uint32_t r)
{
	struct req *q = &mp->reqs[r];

	return q->kind == REQ_COLL ? task_take_debt(mp, q->mate) : recv_overhead(mp, r);
}

/* A call that waits for some of its requests pays for those that it gives back: what another one of
 * them costs meanwhile is owed as if nobody waited. */
static void wait_pays(struct mp *mp, struct op *t, double seconds)
{
	struct op *op = op_of(mp, t->rank);
	struct op *server = op->mode == WAIT_ALL ? op : t;

	server->set.busy = later(server->set.busy, engine_now(mp->engine)) + seconds;
	if (server == t)
		t->debt += seconds;
}

/* A rank that looks for all of several pays for one after the other. */
static void look_pays(struct mp *mp, struct op *t, double seconds)
{
	double from = later(t->set.busy, engine_now(mp->engine));

	if (t->tentative)
		t->debt += seconds;
	else
		from = later(from, looks_busy(mp, op_of(mp, t->rank)));
	t->set.busy = from + seconds;
}

/* Overhead of something that completes, s. A rank that waits for it pays at once, and so does one
 * that looks for it again and again (nap.c): it does so between two looks. */
void task_pay(struct mp *mp, struct op *t, double seconds)
{
	if (seconds <= 0)
		return;
	if (!t->apart)
		t->set.busy = later(t->set.busy, engine_now(mp->engine)) + seconds;
	else if (mp->reqs[t->handle].flags & REQ_WAITED)
		wait_pays(mp, t, seconds);
	else if (t->tentative ||
	         (mp->ranks[t->rank].napping && mp->reqs[t->handle].flags & REQ_LISTED))
		look_pays(mp, t, seconds);
	else
		t->debt += seconds;
}

static void wait_notify(struct mp *mp, uint32_t r)
{
	struct req *q = &mp->reqs[r];
	struct op *op = op_of(mp, q->rank);

	q->flags &= (uint16_t)~REQ_WAITED;
	watch_completes(mp, r);
	op->set.moved = later(op->set.moved, q->moved);
	if (turns_are_taken(mp)) {
		turn_leaves(mp, q->rank);
		wait_turn_comes(mp, op);
	}
	if (op->mode == WAIT_ALL) {
		op->set.busy = later(op->set.busy, engine_now(mp->engine)) + request_due(mp, r);
		if (--op->set.pending == 0 || turns_are_taken(mp))
			rank_released(mp, q->rank);
	} else if (op->first == NONE) {
		op->first = r;
		rank_released(mp, q->rank);
	}
}

static int task_notify(struct mp *mp, uint32_t r, struct err *err)
{
	struct req *q = &mp->reqs[r];
	uint32_t id = q->owner, n;
	struct op *t = op_at(mp, id);

	if (!(q->flags & REQ_WAITED))
		return 0;
	q->flags &= (uint16_t)~REQ_WAITED;
	watch_completes(mp, r);
	t->set.moved = later(t->set.moved, q->moved);
	if (turns_are_taken(mp)) {
		if (!t->background)
			turn_leaves(mp, t->rank);
		task_turn_comes(mp, t);
	}
	n = t->wait == TASK_WAITS_ALL ? req_messages(q) : 1;
	task_pay(mp, t, n * recv_overhead(mp, r));
	if (t->wait == TASK_WAITS_ALL && !mp->data)
		task_forget_first(mp, t);
	t->set.pending -= n;
	if (t->set.pending > 0)
		return 0;
	if (!t->background) {
		rank_released(mp, t->rank);
		return 0;
	}
	return progress_sees(mp, t->rank) ? t->run(mp, t, err) : task_stall(mp, id, err);
}

int req_complete(struct mp *mp, uint32_t r, struct err *err)
{
	struct req *q = &mp->reqs[r];

	q->flags |= REQ_DONE;
	if (q->flags & REQ_INTERNAL)
		return task_notify(mp, r, err);
	if (q->flags & REQ_WAITED) {
		wait_notify(mp, r);
	} else {
		watch_glimpsed(mp, r);
		rank_event(mp, q->rank);
	}
	return 0;
}

/* A message of a rank to itself, both sides of which one call waits for: in its order. */
static int to_itself(const struct req *s, const struct req *r)
{
	return s->rank == r->rank && s->flags & r->flags & REQ_LISTED;
}

int both_complete(struct mp *mp, uint32_t send, uint32_t recv, struct err *err)
{
	const struct req *s = &mp->reqs[send], *r = &mp->reqs[recv];
	uint32_t first = send, second = recv;

	if (turns_are_taken(mp) && s->flags & r->flags & REQ_WAITED &&
	    (to_itself(s, r) ? r->windex < s->windex : turn_is_before(mp, r->rank, s->rank))) {
		first = recv;
		second = send;
	}
	return req_complete(mp, first, err) < 0 ? -1 : req_complete(mp, second, err);
}
