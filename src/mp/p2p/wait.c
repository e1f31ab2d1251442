/* wait.c: waiting for requests: MPI_Wait and its family, and the end of blocking sends and
 * receives.
 *
 * The overhead `or` of a detached message is paid by the rank that completes its receive, one
 * message after the other: the rank is a server that is busy until set.busy. Since what is
 * completed in one call is seen at its end only, one delay at the end pays for all of them (the
 * same date as SMPI's, which sleeps after each).
 *
 *   wait_begin --all there--> paying --> finished
 *       |                       ^
 *       v                       |
 *    waiting --wait_notify, rank_wake
 */
#include "mp/message/message.h"
#include "mp/report/watch.h"
#include "mp/task_int.h"
#include "mp/transport_int.h"
#include "p2p.h"

enum { ISSUING, WAITING, PAYING, EXECUTING };

static void begin_all(struct mp *mp, struct op *op)
{
	uint32_t r;

	for (r = op->set.first; r != NONE; r = mp->reqs[r].wnext) {
		if (turns_are_taken(mp) && mp->reqs[r].flags & REQ_DONE)
			turn_of_done(mp, r);
		if (!(mp->reqs[r].flags & REQ_DONE)) {
			mp->reqs[r].flags |= REQ_WAITED;
			op->set.pending++;
		}
		if (mp->reqs[r].kind == REQ_COLL || mp->reqs[r].flags & REQ_DONE)
			op->set.busy += request_due(mp, r);
	}
}

/* What is complete already: a detached send first, which has nothing to wait for (SMPI), else the
 * first of the list. */
static uint32_t first_done(const struct mp *mp, const struct waitset *s)
{
	uint32_t r, done = NONE;

	for (r = s->first; r != NONE; r = mp->reqs[r].wnext) {
		if (!(mp->reqs[r].flags & REQ_DONE))
			continue;
		if (mp->reqs[r].flags & REQ_DETACHED)
			return r;
		if (done == NONE)
			done = r;
	}
	return done;
}

static void begin_any(struct mp *mp, struct op *op)
{
	uint32_t r;

	op->first = first_done(mp, &op->set);
	if (op->first != NONE && turns_are_taken(mp))
		turn_of_done(mp, op->first);
	if (op->first != NONE || op->set.first == NONE)
		return;
	op->set.pending = 1;
	for (r = op->set.first; r != NONE; r = mp->reqs[r].wnext) {
		mp->reqs[r].flags |= REQ_WAITED;
		if (mp->reqs[r].kind == REQ_COLL)
			task_may_pay(mp, mp->reqs[r].mate);
	}
}

/* What a process sends itself its library copies at once. */
static int is_there(const struct req *q)
{
	return (q->flags & REQ_DONE) != 0 || (q->kind == REQ_SEND && q->peer == q->rank);
}

int wait_lacks(const struct mp *mp, const struct waitset *s, int all)
{
	uint32_t r;

	for (r = s->first; r != NONE; r = mp->reqs[r].wnext)
		if (is_there(&mp->reqs[r]) != all)
			return all;
	return !all && s->first != NONE;
}

/* By MPI_Wait, MPI_Recv and the like: the others, MPI_Waitall too, look at their requests. */
static int waits_for_one(const struct op *op)
{
	return op->mode == WAIT_ALL && op->call != CALL_WAITALL && op->set.pending == 1 &&
	       op->set.first == op->set.last;
}

int wait_begin(struct mp *mp, struct op *op, struct err *err)
{
	if (mp->transport->looks && wait_lacks(mp, &op->set, op->mode == WAIT_ALL) &&
	    rank_looks(mp, op->rank, err) < 0)
		return MP_ERROR;
	op->stage = WAITING;
	if (turns_are_taken(mp))
		wait_turns_begin(mp, op->rank);
	op->wait_since = op->set.busy = engine_now(mp->engine);
	if (op->mode == WAIT_ALL)
		begin_all(mp, op);
	else
		begin_any(mp, op);
	if (turns_are_taken(mp) && waits_for_one(op))
		turn_occupies(mp, op->rank);
	return op->set.pending > 0 && !turns_are_taken(mp) ? MP_BLOCKED : wait_go(mp, op, err);
}

/* The rank, which waited for this request among others, pays what it owes of it: of a collective
 * what it has not paid while it waited. */
static void pay_picked(struct mp *mp, struct op *op, uint32_t r)
{
	double now = engine_now(mp->engine), end;

	if (op->set.pending == 0 || mp->reqs[r].kind != REQ_COLL) {
		op->set.busy += request_due(mp, r);
		return;
	}
	end = task_pays(mp, mp->reqs[r].mate, 1);
	if (end > now)
		op->set.busy = op->set.busy > now ? op->set.busy + (end - now) : end;
}

/* MPI_Waitany completes one request, MPI_Waitsome all that are there. */
static void pick(struct mp *mp, struct op *op)
{
	uint32_t r;

	for (r = op->set.first; r != NONE; r = mp->reqs[r].wnext) {
		struct req *q = &mp->reqs[r];

		q->flags &= (uint16_t)~REQ_WAITED;
		if (r != op->first && (op->mode == WAIT_ANY || !(q->flags & REQ_DONE))) {
			if (op->set.pending > 0 && q->kind == REQ_COLL)
				task_pays(mp, q->mate, 0);
			continue;
		}
		q->flags |= REQ_PICKED;
		pay_picked(mp, op, r);
	}
}

static void waiting_over(struct mp *mp, struct op *op)
{
	double now = engine_now(mp->engine), moved = op->set.moved < now ? op->set.moved : now;

	watch_waited(mp, op->rank, op->wait_since);
	if (moved > op->wait_since)
		op->waited += moved - op->wait_since;
	if (op->mode == WAIT_ALL)
		return;
	op->set.busy = now;
	pick(mp, op);
}

/* Volumes of the operators of collectives that end here. */
static double volume_due(const struct mp *mp, const struct op *op)
{
	double volume = 0;
	uint32_t r;

	for (r = op->set.first; r != NONE; r = mp->reqs[r].wnext) {
		if (mp->reqs[r].kind == REQ_COLL &&
		    (op->mode == WAIT_ALL || mp->reqs[r].flags & REQ_PICKED))
			volume += task_volume(mp, mp->reqs[r].mate);
	}
	return volume;
}

int wait_go(struct mp *mp, struct op *op, struct err *err)
{
	double now = engine_now(mp->engine);

	switch (op->stage) {
	case WAITING:
		if (turns_are_taken(mp) && wait_turn_passes(mp, op))
			return MP_BLOCKED;
		waiting_over(mp, op);
		op->stage = PAYING;
		if (op->set.busy > now)
			return op_sleep(mp, op, op->set.busy - now, err);
		__attribute__((fallthrough));
	case PAYING:
		if (rank_reacts(mp, op->rank, err) < 0)
			return MP_ERROR;
		if (op->call == CALL_WAITSOME && op->mode == WAIT_ANY && mp->rules.waitsome_tests &&
		    op->set.first != NONE)
			return test_others(mp, op, err);
		op->stage = EXECUTING;
		op->volume = op->colls ? volume_due(mp, op) : 0;
		if (op->volume > 0 && mp->simulate_operators)
			return op_operate(mp, op, op->volume, err);
		__attribute__((fallthrough));
	default:
		return wait_finish(mp, op, err);
	}
}

static void received(struct op *op, const struct req *q)
{
	op->probe.peer = q->peer == PEER_NULL ? MP_PROC_NULL : (int32_t)q->peer;
	op->probe.tag = q->tag;
	op->probe.bytes = q->bytes;
	op->bytes += q->bytes;
}

/* The program's request is given back; a persistent one is inactive again. */
static void give_back(struct mp *mp, uint32_t r)
{
	struct req *q = &mp->reqs[r];

	q->flags &= (uint16_t) ~(REQ_PICKED | REQ_LISTED);
	if (q->flags & REQ_STARTED && q->owner != NONE)
		mp->reqs[q->owner].mate = NONE;
	if (q->kind == REQ_COLL)
		task_free(mp, q->mate);
	req_release(mp, r, REQ_HELD);
}

int wait_finish(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t r, next;

	mp->result.n = 0;
	for (r = op->set.first; r != NONE; r = next) {
		struct req *q = &mp->reqs[r];

		next = q->wnext;
		q->flags &= (uint16_t)~REQ_LISTED;
		if (op->mode != WAIT_ALL && !(q->flags & REQ_PICKED))
			continue;
		if (q->kind == REQ_RECV && !(q->flags & REQ_CANCELLED))
			received(op, q);
		if (op->listed && result_add(mp, q->windex, err) < 0)
			return MP_ERROR;
		give_back(mp, r);
	}
	return MP_DONE;
}

/* The program's array becomes the set of the operation; null and inactive requests are left out. */
int requests_take(struct mp *mp, struct op *op, const struct mp_request *reqs, uint32_t n,
                  struct err *err)
{
	struct req *q;
	uint32_t i, r;

	op->listed = 1;
	for (i = 0; i < n; i++) {
		r = reqs[i].v;
		if (r == NONE)
			continue;
		if (req_check(mp, op->rank, reqs[i], err) < 0)
			return -1;
		if (mp->reqs[r].kind == REQ_PERSISTENT)
			r = mp->reqs[r].mate;
		if (r == NONE)
			continue;
		q = &mp->reqs[r];
		if (q->flags & REQ_LISTED)
			return mp_error(mp, op->rank, err, "request %u is given twice in one call",
			                reqs[i].v);
		q->flags |= REQ_LISTED;
		q->windex = i;
		if (q->kind == REQ_COLL)
			op->colls = 1;
		waitset_add(mp, &op->set, r);
	}
	return 0;
}

static int wait_op(struct mp *mp, struct op *op, struct err *err)
{
	return op->stage == ISSUING ? wait_begin(mp, op, err) : wait_go(mp, op, err);
}

static int32_t partner_of(const struct mp *mp, uint32_t r)
{
	return mp->reqs[r].kind != REQ_COLL && mp->reqs[r].peer < mp->n_ranks
	           ? (int32_t)mp->reqs[r].peer
	           : -1;
}

static int wait_for(struct mp *mp, uint32_t rank, enum mp_call call, enum wait_mode mode,
                    const struct mp_request *reqs, uint32_t n, struct err *err)
{
	struct op *op;

	if (n == 1 && wait_is_short(mp, rank, reqs[0]))
		return wait_short(mp, rank, reqs[0].v, call, err);
	op = op_begin(mp, rank, call, wait_op, err);
	if (!op)
		return MP_ERROR;
	op->mode = (uint8_t)mode;
	if (requests_take(mp, op, reqs, n, err) < 0)
		return MP_ERROR;
	if (n == 1 && op->set.first != NONE)
		op->partner = partner_of(mp, op->set.first);
	return op_start(mp, op, err);
}

int mp_wait(struct mp *mp, uint32_t rank, enum mp_wait_kind kind, const struct mp_request *reqs,
            uint32_t n, struct err *err)
{
	static const enum wait_mode modes[] = {WAIT_ALL, WAIT_ALL, WAIT_ANY, WAIT_SOME};

	return wait_for(mp, rank, CALL_WAIT + kind,
	                kind == MP_WAITSOME && mp->rules.waitsome_tests ? WAIT_ANY : modes[kind],
	                reqs, n, err);
}

int mp_wait_chosen(struct mp *mp, uint32_t rank, enum mp_call call, const struct mp_request *reqs,
                   uint32_t n, struct err *err)
{
	return wait_for(mp, rank, call, WAIT_ALL, reqs, n, err);
}
