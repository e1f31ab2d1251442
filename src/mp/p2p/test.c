/* test.c: MPI_Test and its family. What is complete is found after n x smpi/test seconds, n being 1
 * + the number of failures in a row if smpi/grow-injected-times: without a cost a loop of tests
 * would never let the clock move.
 *
 * One call costs once, and failures are counted per rank. In SimGrid Testall, Testsome and Waitsome
 * pay for every request they look at (rules.each_pays), and one counter is common to all ranks
 * (another to all MPI_Testany; rules.common_failures); what was found ends the row of failures once
 * its own or is paid (rules.found_late). Its Testall gives back what is complete though not all is:
 * here the program keeps those requests, as MPI says, but they are settled: nobody pays for them
 * again, nor for looking at them.
 *
 *   BEFORE --cost--> LOOKS --a turn (rules.turns)--> COUNTS --next request (each_pays)--> BEFORE
 *                      \-----------------------------/  \--> PAYS (or of what completed) --> done
 *
 * To look takes a turn (turns.c), since SimGrid's kernel is asked: others that go on at that date
 * do not know yet whether this test has failed. A detached send it is not asked for.
 *
 * A running program (mp->data) looks before: what is there it finds at no cost, as a wait would. If
 * there is nothing the cost is a nap (nap.c), after which it looks again; none if something has
 * happened that another look of the same loop may find.
 *
 *   GLANCES --found--> PAYS
 *      \------nap----> NAPS --looks again--> PAYS
 */
#include "mp/message/message.h"
#include "mp/task_int.h"
#include "p2p.h"

#include <math.h>

enum { BEFORE, LOOKS, COUNTS, PAYS, OVER, GLANCES, NAPS };

static uint32_t *counter(struct mp *mp, const struct op *op)
{
	return op->call == CALL_TESTANY ? &mp->failed.testanys : &mp->failed.tests;
}

static int settled(const struct mp *mp, uint32_t r)
{
	return mp->reqs[r].stage == REQ_SETTLED;
}

static double cost(struct mp *mp, const struct op *op)
{
	const struct rank *r = &mp->ranks[op->rank];
	uint32_t failures = mp->rules.common_failures ? *counter(mp, op)
	                    : looks_nap(mp)           ? failures_stridden(r, r->tests)
	                                              : failures_grown(r, r->tests);

	return mp->test_cost * (mp->grow || (mp->rules.testany_grows && op->call == CALL_TESTANY)
	                            ? 1 + failures
	                            : 1);
}

static void failures_count(struct mp *mp, const struct op *op, int found)
{
	struct rank *r = &mp->ranks[op->rank];

	*counter(mp, op) = found ? 0 : *counter(mp, op) + 1;
	look_count(r, found, r->tests);
	r->tests = found ? 0 : r->tests < UINT16_MAX ? (uint16_t)(r->tests + 1) : r->tests;
}

/* Found: the row of failures is over; rules.found_late: not before the or of what was found is
 * paid, and others may fail meanwhile. */
static void found_count(struct mp *mp, struct op *op)
{
	op->paid = mp->rules.found_late && op->set.busy > 0;
	if (!op->paid)
		failures_count(mp, op, 1);
}

static int each_pays(const struct mp *mp, const struct op *op)
{
	return mp->rules.each_pays && op->call != CALL_TEST && op->call != CALL_TESTANY;
}

static void pick(struct mp *mp, struct op *op, uint32_t r)
{
	struct req *q = &mp->reqs[r];

	if (q->flags & REQ_PICKED)
		return;
	q->flags |= REQ_PICKED;
	op->given++;
	op->set.busy += q->kind == REQ_COLL ? task_found(mp, q->mate) : request_due(mp, r);
	op->volume += q->kind == REQ_COLL ? task_volume(mp, q->mate) : 0;
}

static int all_done(const struct mp *mp, const struct op *op)
{
	uint32_t r = op->set.first;

	while (r != NONE && mp->reqs[r].flags & REQ_DONE)
		r = mp->reqs[r].wnext;
	return r == NONE;
}

/* Its collectives pay one after the other (debts_begin): until the last is paid. */
static void together_pay(struct mp *mp, struct op *op)
{
	double left = looks_busy(mp, op) - engine_now(mp->engine);

	if (left <= 0)
		return;
	for (uint32_t r = op->set.first; r != NONE; r = mp->reqs[r].wnext)
		if (mp->reqs[r].kind == REQ_COLL)
			op_at(mp, mp->reqs[r].mate)->set.busy = 0;
	op->set.busy += left;
}

/* Picks what this call completes, and sets op->flag. */
static void look(struct mp *mp, struct op *op)
{
	int all = op->call == CALL_TESTALL, any = op->call == CALL_TESTANY;
	uint32_t r;

	if (all && !all_done(mp, op))
		return;
	if (all)
		together_pay(mp, op);
	for (r = op->set.first; r != NONE && !(any && op->given > 0); r = mp->reqs[r].wnext) {
		if (mp->reqs[r].flags & REQ_DONE)
			pick(mp, op, r);
	}
	op->flag = all || op->given > 0;
}

/* When what it looks for began to move: all of it, or the first. */
static double moved(const struct mp *mp, const struct op *op)
{
	double at = op->call == CALL_TESTALL ? 0 : HUGE_VAL;

	for (uint32_t r = op->set.first; r != NONE; r = mp->reqs[r].wnext) {
		const struct req *q = &mp->reqs[r];
		double began = HUGE_VAL;

		if (q->kind == REQ_RECV && !(q->flags & REQ_DONE) && q->mate != NONE)
			q = &mp->reqs[q->mate];
		if (q->flags & (REQ_DONE | REQ_MOVING))
			began = q->moved;
		if ((began > at) == (op->call == CALL_TESTALL))
			at = began;
	}
	return at;
}

/* Whether the rank counts in a later turn what it has just looked for, from request r on. */
static int turn_of_look(struct mp *mp, struct op *op, uint32_t r)
{
	if (!turns_are_taken(mp))
		return 0;
	while (op->call == CALL_TESTANY && r != NONE && !is_asked_for(&mp->reqs[r]))
		r = mp->reqs[r].wnext;
	if (r == NONE || !is_asked_for(&mp->reqs[r]) || !turn_ends(mp, op->rank))
		return 0;
	op->stage = COUNTS;
	return 1;
}

/* What its collectives owe is paid in the nap, as in a wait. */
static void debts_begin(struct mp *mp, const struct op *op)
{
	int chooses = op->call == CALL_TESTANY || op->call == CALL_TESTSOME;
	double busy = looks_busy(mp, op);

	if (!op->colls)
		return;
	for (uint32_t r = op->set.first; r != NONE; r = mp->reqs[r].wnext) {
		if (mp->reqs[r].kind != REQ_COLL)
			continue;
		if (chooses)
			task_looks(mp, mp->reqs[r].mate);
		else
			busy = task_begins_to_pay(mp, mp->reqs[r].mate, busy);
	}
}

/* Those that were not found owe what they owed. */
static void others_owe(struct mp *mp, const struct op *op)
{
	for (uint32_t r = op->set.first; r != NONE; r = mp->reqs[r].wnext)
		if (mp->reqs[r].kind == REQ_COLL && !(mp->reqs[r].flags & REQ_PICKED))
			task_passed_over(mp, mp->reqs[r].mate);
}

static void settle(struct mp *mp, struct op *op, uint32_t r)
{
	op->set.busy += request_due(mp, r);
	mp->reqs[r].stage = REQ_SETTLED;
}

/* MPI_Testall found some of its messages, and completes none: MPI has received them all the same.
 * What a collective owes is paid as its steps come (debts_begin). */
static void some_settle(struct mp *mp, struct op *op)
{
	for (uint32_t r = op->set.first; r != NONE; r = mp->reqs[r].wnext)
		if (mp->reqs[r].kind == REQ_RECV && mp->reqs[r].flags & REQ_DONE)
			settle(mp, op, r);
}

/* One call, one cost. */
static int test_at_once(struct mp *mp, struct op *op, struct err *err)
{
	int over = mp->rules.each_pays && settled(mp, op->set.first);
	double seconds = over ? 0 : cost(mp, op);

	if (op->stage == BEFORE) {
		op->stage = LOOKS;
		if (seconds > 0)
			return op_sleep(mp, op, seconds, err);
	}
	if (op->stage != COUNTS) {
		op->set.busy = 0;
		look(mp, op);
		if (turn_of_look(mp, op, op->set.first))
			return MP_BLOCKED;
	}
	if (op->stage == NAPS && (op->flag || looks_failed(&mp->ranks[op->rank])))
		nap_waited(mp, op, moved(mp, op));
	if (op->stage == GLANCES && !op->flag && seconds > 0) {
		if (nap_is_due(mp, op->rank,
		               ((uint32_t)op->call << 24 ^ op->set.first) &
		                   ~(uint32_t)LOOK_PROBE)) {
			op->stage = NAPS;
			debts_begin(mp, op);
			return op_nap(mp, op, seconds, err);
		}
	} else if (op->flag && !over) {
		found_count(mp, op);
	} else if (!op->flag) {
		failures_count(mp, op, 0);
	}
	if (!op->flag && op->call == CALL_TESTALL)
		some_settle(mp, op);
	if (op->flag) { /* the program goes on, and may find more in its next looks */
		rank_news(mp, op->rank);
		if (op->colls)
			others_owe(mp, op);
	}
	op->stage = PAYS;
	return MP_DONE;
}

/* The request at the cursor: MP_DONE, op->flag: it is complete. */
static int test_one(struct mp *mp, struct op *op, struct err *err)
{
	double seconds = cost(mp, op);

	if (op->stage == BEFORE && seconds > 0) {
		op->stage = LOOKS;
		return op_sleep(mp, op, seconds, err);
	}
	if (op->stage != COUNTS) {
		op->flag = (mp->reqs[op->cursor].flags & REQ_DONE) != 0;
		if (turn_of_look(mp, op, op->cursor))
			return MP_BLOCKED;
	}
	if (op->flag && op->call == CALL_TESTALL)
		settle(mp, op, op->cursor);
	else if (op->flag)
		pick(mp, op, op->cursor);
	if (op->flag)
		found_count(mp, op);
	else
		failures_count(mp, op, 0);
	op->stage = BEFORE;
	return MP_DONE;
}

/* Whether the request at the cursor costs nothing more: MPI_Waitsome has it already, or it is
 * settled. */
static int is_over(struct mp *mp, struct op *op)
{
	if (settled(mp, op->cursor) && op->call != CALL_TESTALL)
		pick(mp, op, op->cursor);
	return (mp->reqs[op->cursor].flags & REQ_PICKED) != 0 || settled(mp, op->cursor);
}

/* Nothing is left to be tested: MPI_Testall if all was complete when it was looked at. */
static void each_found(struct mp *mp, struct op *op)
{
	op->flag = op->given > 0;
	if (op->call != CALL_TESTALL)
		return;
	for (uint32_t r = op->set.first; r != NONE; r = mp->reqs[r].wnext) {
		if (!settled(mp, r))
			return;
	}
	look(mp, op);
}

/* The requests one by one, from the cursor on, each at its cost. */
static int test_each(struct mp *mp, struct op *op, struct err *err)
{
	double seconds;
	int status;

	while (op->cursor != NONE) {
		if (op->stage == BEFORE && is_over(mp, op)) {
			op->cursor = mp->reqs[op->cursor].wnext;
			continue;
		}
		status = test_one(mp, op, err);
		if (status != MP_DONE)
			return status;
		op->cursor = mp->reqs[op->cursor].wnext;
		if (op->set.busy > 0) {
			seconds = op->set.busy;
			op->set.busy = 0;
			return op_sleep(mp, op, seconds, err);
		}
	}
	each_found(mp, op);
	op->stage = PAYS;
	return MP_DONE;
}

int test_go(struct mp *mp, struct op *op, struct err *err)
{
	double now = engine_now(mp->engine);
	int status;

	if (op->paid) {
		op->paid = 0;
		failures_count(mp, op, 1);
	}
	if (op->stage < PAYS || op->stage >= GLANCES) {
		status = each_pays(mp, op) ? test_each(mp, op, err) : test_at_once(mp, op, err);
		if (status != MP_DONE)
			return status;
	}
	if (op->stage == PAYS) {
		op->stage = OVER;
		if (op->set.busy > 0) /* the same date as a wait's, to the last digit */
			return op_sleep(mp, op, mp->data ? now + op->set.busy - now : op->set.busy,
			                err);
	}
	if (op->volume > 0 && mp->simulate_operators) {
		double volume = op->volume;

		op->volume = 0;
		return op_operate(mp, op, volume, err);
	}
	mp->result.paid = op->flag ? 0 : op->set.busy;
	return wait_finish(mp, op, err);
}

/* rules.waitsome_tests: MPI_Waitsome has its first request, and tests the others one by one. */
int test_others(struct mp *mp, struct op *op, struct err *err)
{
	op->run = test_go;
	op->mode = WAIT_SOME;
	op->stage = BEFORE;
	op->given = 1;
	op->set.busy = 0;
	op->cursor = op->set.first;
	return test_go(mp, op, err);
}

static int test_from(struct mp *mp, uint32_t rank, enum mp_test_kind kind,
                     const struct mp_request *reqs, uint32_t n, int stage, struct err *err)
{
	struct op *op = op_begin(mp, rank, CALL_TEST + kind, test_go, err);

	mp->stats.looks++;
	if (!op)
		return MP_ERROR;
	op->mode = WAIT_SOME;
	if (requests_take(mp, op, reqs, n, err) < 0)
		return MP_ERROR;
	op->cursor = op->set.first;
	op->stage = (uint8_t)stage;
	if (op->set.first == NONE) { /* nothing to test: complete, at no cost */
		op->flag = 1;
		op->stage = OVER;
	}
	return op_start(mp, op, err);
}

int mp_test(struct mp *mp, uint32_t rank, enum mp_test_kind kind, const struct mp_request *reqs,
            uint32_t n, struct err *err)
{
	return test_from(mp, rank, kind, reqs, n, looks_nap(mp) ? GLANCES : BEFORE, err);
}

int mp_look(struct mp *mp, uint32_t rank, enum mp_test_kind kind, const struct mp_request *reqs,
            uint32_t n, struct err *err)
{
	return test_from(mp, rank, kind, reqs, n, mp->rules.looks_cost ? BEFORE : LOOKS, err);
}

int mp_request_is_complete(const struct mp *mp, struct mp_request req)
{
	uint32_t r = req.v;

	if (r != NONE && mp->reqs[r].kind == REQ_PERSISTENT)
		r = mp->reqs[r].mate;
	return r == NONE || (mp->reqs[r].flags & REQ_DONE) != 0;
}
