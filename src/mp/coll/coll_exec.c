/* coll_exec.c: runs a collective algorithm on one rank: its steps become sends, receives and waits.
 *
 * Steps are not kept: when the rank goes on in the middle of a round, the round's function is asked
 * again (it is pure) and the steps already done are passed over. What is kept is small: a cursor, a
 * step, the requests outstanding (task_int.h).
 *
 * A blocking collective is the operation of its rank: overheads delay it, waits block it. A
 * non-blocking one runs the same way up to its first wait; there the call returns. From then on it
 * goes on when its requests complete, by itself or in the next call of its rank (progress.c); the
 * rank pays the overheads of that when it completes the request (MPI_Wait), or at once if it waits
 * for it already. SMPI's non-blocking collectives have a single phase: for them this is SMPI's
 * behaviour.
 *
 * What many segments cost their rank may be owed for a row of them (segments.c).
 *
 * Reductions and copies take no time (SMPI) unless there are rates for them (overhead.c); a volume
 * of the operator that the trace has is executed after the communication.
 */
#include "coll_int.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/p2p/p2p.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"

/* --- waiting ---
 *
 * Where ranks take turns (turns.c) each request that is waited for is one, but the one that wakes
 * the rank. */

static void await(struct mp *mp, struct op *t, uint32_t r)
{
	uint32_t n = t->wait == TASK_WAITS_ALL ? req_messages(&mp->reqs[r]) : 1;
	double cost;

	if (mp->reqs[r].flags & REQ_DONE) {
		cost = n * recv_overhead(mp, r);
		if (cost > 0 &&
		    (t->wait == TASK_WAITS_ALL || !segment_owed(mp, t, mp->reqs[r].bytes, cost)))
			task_pay(mp, t, cost + segments_due(mp, t));
		t->turns += turns_are_taken(mp) && !(mp->reqs[r].flags & REQ_DETACHED);
		return;
	}
	mp->reqs[r].flags |= REQ_WAITED;
	t->set.pending += n;
}

static void wait_begins(struct mp *mp, struct op *t)
{
	uint32_t r;

	t->wait_since = engine_now(mp->engine);
	if (t->set.busy < t->wait_since)
		t->set.busy = t->wait_since;
	if (turns_are_taken(mp))
		task_turns_begin(mp, t);
	t->set.pending = row_pending(t);
	if (t->wait == TASK_WAITS_ONE) {
		if (!t->row_awaited)
			await(mp, t, t->target);
		if (turns_are_taken(mp) && t->set.pending > 0 && !t->background)
			turn_occupies(mp, t->rank);
		return;
	}
	for (r = t->set.first; r != NONE; r = mp->reqs[r].wnext)
		await(mp, t, r);
}

static void all_forget(struct mp *mp, struct op *t)
{
	task_forget_first(mp, t);
	row_forget(t);
}

static void wait_ends(struct mp *mp, struct op *t)
{
	if (t->wait == TASK_WAITS_ONE && t->row_awaited)
		row_forget_one(t);
	else if (t->wait == TASK_WAITS_ONE && receive_has_more(mp, t->target))
		receive_give_one(mp, t, t->target);
	else if (t->wait == TASK_WAITS_ONE)
		task_forget(mp, t, t->target);
	else
		all_forget(mp, t);
	t->wait = TASK_RUNS;
	t->wait_stage = TASK_BEGINS;
	t->target = NONE;
}

static int lacks(const struct mp *mp, const struct op *t)
{
	return t->wait == TASK_WAITS_ONE ? !(mp->reqs[t->target].flags & REQ_DONE)
	                                 : wait_lacks(mp, &t->set, 1);
}

/* Whether the steps that are left are local, REDUCE and COPY, or wait. */
static int rest_is_local(const struct op *t)
{
	struct coll_cursor round = t->round;
	uint32_t i = t->step;
	struct coll_steps steps;

	for (; coll_next(args_of(t)->alg, t->args, t->me, &round, &steps) != COLL_END; i = 0)
		for (; i < steps.n; i++)
			if (steps.s[i].kind < STEP_WAIT || steps.s[i].kind > STEP_COPY)
				return 0;
	return 1;
}

static int wait_go_on(struct mp *mp, struct op *t, struct err *err)
{
	double now = engine_now(mp->engine), moved, due;

	switch (t->wait_stage) {
	case TASK_BEGINS:
		if (t->row == NO_ROW && t->debt > 0 && lacks(mp, t) &&
		    (due = segments_due(mp, t)) > 0)
			return op_sleep(mp, op_of(mp, t->rank), due, err);
		if (mp->data && mp->data->last && !t->apart && rest_is_local(t) &&
		    data_last_tell(mp, t, err) < 0)
			return MP_ERROR;
		if (mp->transport->looks && !t->background && lacks(mp, t) &&
		    rank_looks(mp, t->rank, err) < 0)
			return MP_ERROR;
		wait_begins(mp, t);
		t->wait_stage = TASK_WAITS;
		if (t->set.pending > 0 && row_blocks(mp, t, err) < 0)
			return MP_ERROR;
		__attribute__((fallthrough));
	case TASK_WAITS:
		if (t->set.pending > 0)
			return MP_BLOCKED; /* woken by the first of several: a turn */
		moved = t->set.moved < now ? t->set.moved : now;
		if (!t->background)
			watch_waited(mp, t->rank, t->wait_since);
		if (moved > t->wait_since)
			t->waited += moved - t->wait_since;
		t->wait_stage = TASK_TURNS;
		__attribute__((fallthrough));
	case TASK_TURNS:
		if (turns_are_taken(mp) && task_turn_passes(mp, t))
			return MP_BLOCKED;
		t->wait_stage = TASK_PAYS;
		if (!t->apart && t->set.busy > now)
			return op_sleep(mp, op_of(mp, t->rank), t->set.busy - now, err);
		__attribute__((fallthrough));
	default:
		if (!t->background && rank_reacts(mp, t->rank, err) < 0)
			return MP_ERROR;
		wait_ends(mp, t);
		return MP_DONE;
	}
}

/* --- steps --- */

/* A rank that passes segments on posts a send for each and waits for all of them at its end. Those
 * that are complete by then are dropped on the way, at half of the list or not at all, so that this
 * costs a pass over it each time that it has doubled. */
static void done_sends_drop(struct mp *mp, struct op *t)
{
	uint32_t r = t->set.first, before = NONE, next, n = 0;

	for (; r != NONE; r = next) {
		next = mp->reqs[r].wnext;
		if (mp->reqs[r].kind != REQ_SEND || !(mp->reqs[r].flags & REQ_DONE)) {
			before = r;
			n++;
			continue;
		}
		*(before == NONE ? &t->set.first : &mp->reqs[before].wnext) = next;
		task_forget(mp, t, r);
	}
	t->set.last = before;
	if (n < t->posted / 2)
		t->posted = n;
}

static void outstanding_add(struct mp *mp, struct op *t, uint32_t r)
{
	enum { FEW = 64 };

	if (mp->shortcuts.sends && ++t->posted >= FEW && (t->posted & (t->posted - 1)) == 0)
		done_sends_drop(mp, t);
	waitset_add(mp, &t->set, r);
}

static uint32_t request_make(struct mp *mp, uint32_t id, const struct op *t,
                             const struct coll_step *s, struct err *err)
{
	enum req_kind kind = s->kind == STEP_SEND || s->kind == STEP_ISEND ? REQ_SEND : REQ_RECV;
	uint32_t r = req_new(mp, kind, t->rank, REQ_HELD | REQ_INTERNAL, err);
	struct req *q;

	if (r == NONE)
		return NONE;
	q = &mp->reqs[r];
	q->owner = id;
	q->peer = comm_member(comm_of_ctx(mp, t->ctx), s->peer);
	q->ctx = t->ctx;
	q->tag = (int32_t)t->number;
	q->bytes = (double)s->len;
	q->windex = s->req;
	q->call = t->call;
	q->more = 0;
	if (kind == REQ_RECV)
		q->before = t->set.last;
	if (kind == REQ_SEND)
		send_prepare(mp, r, MP_STANDARD, s->kind == STEP_ISEND);
	return r;
}

/* The overhead of a send, before it is posted. MP_BLOCKED while the rank is busy with it. */
static int overhead_go(struct mp *mp, struct op *t, uint32_t r, struct err *err)
{
	double cost = send_overhead(mp, r);

	if (cost <= 0)
		return MP_DONE;
	if (t->background) {
		task_pay(mp, t, cost);
		return MP_DONE;
	}
	if (segment_owed(mp, t, mp->reqs[r].bytes, cost))
		return MP_DONE;
	t->paid = 1;
	req_release(mp, r, REQ_HELD); /* made again when the step is taken again */
	return op_sleep(mp, op_of(mp, t->rank), cost + segments_due(mp, t), err);
}

/* Ports: a send is posted at once; in the foreground the rank goes on when its port has done with
 * it, and the step is taken again. */
static int step_from_port(struct mp *mp, struct op *t, uint32_t r, int waits, struct err *err)
{
	t->bytes += mp->reqs[r].bytes;
	if (waits)
		t->target = r;
	else
		outstanding_add(mp, t, r);
	if (mp->transport->send(mp, r, !t->background, err) < 0)
		return MP_ERROR;
	t->paid = !t->background;
	if (t->paid)
		return MP_BLOCKED;
	t->wait = waits ? TASK_WAITS_ONE : TASK_RUNS;
	return MP_DONE;
}

/* A send goes with the one before it. What it costs its rank has been paid. */
static int send_step_joins(struct mp *mp, uint32_t id, struct op *t, const struct coll_step *s)
{
	if ((s->kind != STEP_SEND && s->kind != STEP_ISEND) || !send_joins(mp, id, s))
		return 0;
	t->bytes += (double)s->len;
	t->paid = 0;
	return 1;
}

static int message_step(struct mp *mp, uint32_t id, struct op *t, const struct coll_step *s,
                        struct err *err)
{
	uint32_t r;
	int status;

	if (mp->transport->send && t->paid) {
		t->paid = 0;
		t->wait = s->kind == STEP_SEND ? TASK_WAITS_ONE : TASK_RUNS;
		return MP_DONE;
	}
	status = row_post(mp, t, s, err);
	if (status != 0)
		return status < 0 ? MP_ERROR : MP_DONE;
	if (receive_joins(mp, t, s))
		return MP_DONE;
	if ((t->paid || overheads_none(mp, t->rank)) && send_step_joins(mp, id, t, s))
		return MP_DONE;
	r = request_make(mp, id, t, s, err);
	if (r == NONE)
		return MP_ERROR;
	if (mp->transport->send && mp->reqs[r].kind == REQ_SEND) {
		if (mp->data && data_step_side_tell(mp, id, r, s, err) < 0)
			return MP_ERROR;
		return step_from_port(mp, t, r, s->kind == STEP_SEND, err);
	}
	if (mp->reqs[r].kind == REQ_SEND) {
		status = t->paid ? MP_DONE : overhead_go(mp, t, r, err);
		if (status != MP_DONE)
			return status;
		if (!t->paid && !overheads_none(mp, t->rank) && send_step_joins(mp, id, t, s)) {
			req_release(mp, r, REQ_HELD);
			return MP_DONE;
		}
	}
	if (turns_are_taken(mp) && !t->background && !turn_posts(mp, t->rank, r)) {
		t->paid = 1;
		req_release(mp, r, REQ_HELD); /* made again in its turn */
		return MP_BLOCKED;
	}
	if (mp->reqs[r].kind == REQ_SEND)
		t->bytes += (double)s->len;
	t->paid = 0;
	if (mp->data && data_step_side_tell(mp, id, r, s, err) < 0)
		return MP_ERROR;
	if (s->kind == STEP_SEND || s->kind == STEP_RECV) {
		t->wait = TASK_WAITS_ONE;
		t->target = r;
	} else {
		outstanding_add(mp, t, r);
	}
	return transfer_post(mp, r, err) < 0 ? MP_ERROR : MP_DONE;
}

static int stands_for(const struct req *q, uint32_t number)
{
	return q->kind == REQ_RECV && number - q->windex <= q->more;
}

/* It leaves the set, to be waited for alone. */
static void target_leave(struct mp *mp, struct op *t, uint32_t r, uint32_t before)
{
	if (before == NONE)
		t->set.first = mp->reqs[r].wnext;
	else
		mp->reqs[before].wnext = mp->reqs[r].wnext;
	if (t->set.last == r)
		t->set.last = before;
	mp->reqs[r].wnext = NONE;
}

/* The outstanding request of this number leaves the set, to be waited for alone, unless it is one
 * of several that arrive together. A request that is not there any more is complete. */
static int target_take(struct mp *mp, struct op *t, uint32_t number, struct err *err)
{
	uint32_t r = t->set.first, before = NONE;

	if (row_waits_one(t, number))
		return MP_DONE;
	for (; r != NONE; r = mp->reqs[r].wnext) {
		if (stands_for(&mp->reqs[r], number) && mp->reqs[r].mate == NONE &&
		    req_part(mp, r, err) < 0)
			return MP_ERROR;
		if (mp->reqs[r].windex == number || stands_for(&mp->reqs[r], number))
			break;
		before = r;
	}
	BUG_ON(r == NONE && !mp->shortcuts.sends);
	if (r == NONE)
		return MP_DONE;
	if (!receive_has_more(mp, r))
		target_leave(mp, t, r, before);
	t->wait = TASK_WAITS_ONE;
	t->target = r;
	return MP_DONE;
}

/* REDUCE, COPY. What an operator costs that is the program's own, or has a volume in the trace, is
 * no matter of rates. */
static int local_step(struct mp *mp, struct op *t, const struct coll_step *s, struct err *err)
{
	double bytes = (double)s->len * (s->kind == STEP_COPY ? s->n : 1), cost;

	if (t->paid) {
		t->paid = 0;
		return MP_DONE;
	}
	if (s->kind == STEP_COPY)
		cost = copy_cost(mp, t->rank, bytes);
	else if (t->volume > 0 || t->args->own_operator)
		return MP_DONE;
	else
		cost = reduce_cost(
		    mp, t->rank, bytes / (double)(t->args->type_size > 0 ? t->args->type_size : 1));
	if (cost <= 0)
		return MP_DONE;
	if (t->background) {
		task_pay(mp, t, cost);
		return MP_DONE;
	}
	if (segment_owed(mp, t, (double)s->len, cost))
		return MP_DONE;
	t->paid = 1;
	return op_sleep(mp, op_of(mp, t->rank), cost + segments_due(mp, t), err);
}

static int step_take(struct mp *mp, uint32_t id, struct op *t, const struct coll_step *s,
                     struct err *err)
{
	switch (s->kind) {
	case STEP_SEND:
	case STEP_RECV:
	case STEP_ISEND:
	case STEP_IRECV:
		return message_step(mp, id, t, s, err);
	case STEP_WAIT:
		return target_take(mp, t, s->req, err);
	case STEP_WAITALL:
		t->wait = TASK_WAITS_ALL;
		return MP_DONE;
	case STEP_FILE:
		return args_of(t)->owner->step(mp, id, s, err);
	default:
		/* taken a second time when its cost is paid */
		if (mp->data && !t->paid && data_acts_tell(mp, id, s, err) < 0)
			return MP_ERROR;
		return mp->overheads.local ? local_step(mp, t, s, err) : MP_DONE;
	}
}

/* Having posted a message the rank lets others post theirs. */
static int step_ends_turn(struct mp *mp, const struct op *t, const struct coll_step *s)
{
	return turns_are_taken(mp) && !t->background && s->kind <= STEP_IRECV &&
	       (!t->apart || t->wait == TASK_RUNS) && turn_ends(mp, t->rank);
}

/* Whether steps i, i + 1, i + 2 are a step_sendrecv. */
static int is_sendrecv(const struct coll_steps *steps, int i)
{
	const struct coll_step *s = steps->s + i;

	return i >= 0 && i + 2 < (int)steps->n && s[0].kind == STEP_ISEND &&
	       s[1].kind == STEP_IRECV && s[2].kind == STEP_WAITALL;
}

/* Over connections it matters that libraries post the receive of a sendrecv first: a request that
 * is there already is answered before the process's own request goes (stream.c). SMPI, and we
 * without connections, send first. */
static const struct coll_step *step_at(const struct mp *mp, const struct coll_steps *steps, int i)
{
	if (mp->transport->ordered && is_sendrecv(steps, i))
		i++;
	else if (mp->transport->ordered && is_sendrecv(steps, i - 1))
		i--;
	return &steps->s[i];
}

/* The steps of one round, from t->step on. `next`: cursor of the round after it. */
static int round_run(struct mp *mp, uint32_t id, struct op *t, const struct coll_steps *steps,
                     struct coll_cursor next, struct err *err)
{
	int status;

	while (t->step < steps->n) {
		status = step_take(mp, id, t, step_at(mp, steps, t->step), err);
		if (status != MP_DONE)
			return status;
		if (step_ends_turn(mp, t, step_at(mp, steps, t->step++)))
			return MP_BLOCKED;
		if (t->wait == TASK_RUNS)
			continue;
		if (t->step == steps->n)
			break; /* task_run waits: the round need not be asked for again */
		status = wait_go_on(mp, t, err);
		if (status != MP_DONE)
			return status;
	}
	t->round = next;
	t->step = 0;
	return MP_DONE;
}

int task_run(struct mp *mp, uint32_t id, struct err *err)
{
	struct op *t = op_at(mp, id);
	struct coll_cursor next;
	struct coll_steps steps;
	double due;
	int status;

	if (!args_of(t)->alg)
		return whole_go(mp, id, err);
	for (;;) {
		if (t->wait != TASK_RUNS && t->wait != TASK_WAITS_MEMBERS) {
			status = wait_go_on(mp, t, err);
			if (status != MP_DONE)
				return status;
		}
		if (args_of(t)->may_be_long) {
			status = ring_go(mp, id, err);
			if (status != MP_DONE)
				return status;
		}
		next = t->round;
		if (coll_next(args_of(t)->alg, t->args, t->me, &next, &steps) == COLL_END) {
			due = segments_due(mp, t);
			return due > 0 ? op_sleep(mp, op_of(mp, t->rank), due, err) : MP_DONE;
		}
		status = round_run(mp, id, t, &steps, next, err);
		if (status != MP_DONE)
			return status;
	}
}

int task_complete(struct mp *mp, uint32_t id, struct err *err)
{
	const struct op *t = op_at(mp, id);

	mp->reqs[t->handle].moved = t->set.moved;
	return req_complete(mp, t->handle, err);
}

int task_background(struct mp *mp, struct op *t, struct err *err)
{
	uint32_t id = mp->reqs[t->handle].mate;
	int status = task_run(mp, id, err);

	return status == MP_DONE ? task_complete(mp, id, err) : status == MP_BLOCKED ? 0 : -1;
}

/* --- the operations of the rank --- */

enum { COMMUNICATES, EXECUTES };

int coll_go(struct mp *mp, struct op *op, struct err *err)
{
	int status;

	if (op->stage == EXECUTES)
		return MP_DONE;
	status = task_run(mp, op_task(mp, op), err);
	if (status != MP_DONE)
		return status;
	op->stage = EXECUTES;
	task_free(mp, op_task(mp, op));
	if (op->volume > 0 && mp->simulate_operators)
		return op_operate(mp, op, op->volume, err);
	return MP_DONE;
}

int icoll_go(struct mp *mp, struct op *op, struct err *err)
{
	struct op *t = op_at(mp, op_task(mp, op));
	int status = task_run(mp, op_task(mp, op), err);

	op->bytes = t->bytes;
	if (status == MP_DONE)
		return task_complete(mp, op_task(mp, op), err) < 0 ? MP_ERROR : MP_DONE;
	if (status == MP_BLOCKED && t->wait != TASK_RUNS) {
		t->background = 1;
		return MP_DONE;
	}
	return status;
}
