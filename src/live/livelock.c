/* livelock.c: ranks that look again and again (MPI_Test, MPI_Iprobe, MPI_Parrived) for what will
 * never be there. The clock moves with every look, so that mp sees no deadlock. It is one if for
 * long nothing was found, and nothing is under way in the simulation but other looks.
 *
 * A call that waits while the rank has other threads looks, too, with pauses in between that grow
 * with the wait (libmpi/core/beside.c), so that the clock would come to its end before long. */
#include "live_int.h"

enum { LOOKS_MAX = 250000, TOLD_MAX = 8, LOOKS_OUTSIDE = 64 };

static int is_look(const struct wire_op *op)
{
	return op->kind == WIRE_TEST || op->kind == WIRE_IPROBE || op->kind == WIRE_IMPROBE ||
	       op->kind == WIRE_PARRIVED;
}

/* Looks that find nothing take longer and longer, so that a loop of them takes few steps however
 * long it waits: each ends when something happens to the rank, so that nothing is found too late.
 * Not so where the rank looks between two pieces of work: that it computed, slept or called
 * something else begins the row anew. Less than a microsecond between two looks is the loop itself
 * (the tracer's SPIN_NS); where it is more, a look of 0.1 us is little beside it. */
#define WORK_SECONDS 1e-6

/* At a date, by the clock that it reads between its looks, or after some looks: of the call whose
 * wait was the longest so far it is known that it does not. */
static int may_give_up(const struct lrank *r, const struct wire_op *op)
{
	int reads = op->flags & WIRE_TIMED || (op->kind == WIRE_CLOCK && op->a == 1);

	return (reads && r->in_vain) || (is_look(op) && op->site != r->waits_at);
}

static void wait_learn(struct live *l, uint32_t rank, const struct wire_op *op)
{
	uint32_t stride = mp_looks_stride(l->mp, rank);
	struct lrank *r = &l->rank[rank];

	if (stride > r->stride) {
		r->stride = (uint8_t)stride;
		r->waits_at = op->site;
	}
}

void looks_follow(struct live *l, uint32_t rank, const struct wire_op *op, double computed)
{
	int sleeps = op->kind == WIRE_CLOCK || op->kind == WIRE_SLEEP;
	struct lrank *r = &l->rank[rank];
	int looks = is_look(op) || sleeps || op->kind == WIRE_WIN_SYNC || op->kind == WIRE_RMA;

	if (looks && !(sleeps && op->x > WORK_SECONDS) && !(computed > WORK_SECONDS)) {
		if (may_give_up(r, op))
			mp_looks_steady(l->mp, rank);
		return;
	}
	if (is_look(op))
		turn_beside(l, rank);
	if (r->peeks > r->patience && r->peeks <= MP_PATIENCE_MAX)
		r->patience = r->peeks;
	r->peeks = 0;
	r->in_vain = 0;
	mp_looks_end(l->mp, rank);
}

/* Of a look that mp knows nothing of: time passes, so that a loop of them ends. */
#define LOOK_SECONDS 1e-7

int look_nap(struct live *l, uint32_t rank, struct err *err)
{
	const struct lrank *r = &l->rank[rank];
	uint32_t grown = r->peeks > r->patience ? r->peeks - r->patience : 0;

	return mp_nap(l->mp, rank, LOOK_SECONDS * (1 + grown), r->in_vain, err);
}

static int has_found(struct live *l, uint32_t rank, const struct wire_op *op)
{
	const struct mp_result *res = mp_result(l->mp, rank);

	if (op->kind == WIRE_PARRIVED)
		return l->rank[rank].value != 0;
	if (op->kind == WIRE_TEST && op->mode == WIRE_PEEK)
		return l->rank[rank].c->answer.n > 0;
	return op->kind == WIRE_TEST ? res->n > 0 || res->flag : res->flag;
}

/* A test of nothing but null requests neither found anything nor missed it. */
static int is_empty(struct live *l, uint32_t rank, const struct wire_op *op)
{
	return op->kind == WIRE_TEST && op->mode != WIRE_PEEK && mp_result(l->mp, rank)->n == 0;
}

/* What was found is what has happened in this look, or had been there before: then the looks since
 * something happened have come late. What a look pays for messages is no part of it: who waits for
 * them pays that, too. */
void look_answer(struct live *l, uint32_t rank, const struct wire_op *op)
{
	struct lrank *r = &l->rank[rank];
	struct wire_answer *a = &r->c->answer;
	double now = mp_now(l->mp), happened = mp_happened(l->mp, rank);
	int found = is_look(op) && has_found(l, rank, op);

	if (!found && op->kind == WIRE_TEST && op->mode != WIRE_PEEK)
		now -= mp_result(l->mp, rank)->paid;
	a->look = WIRE_NO_LOOK;
	if (!is_look(op) || (found && is_empty(l, rank, op)))
		return;
	a->look = found ? WIRE_HIT : WIRE_MISSED;
	r->in_vain = !found;
	mp_looked(l->mp, rank, r->issued, found);
	a->looked = !found ? now - r->issued : happened >= r->issued ? 0 : r->late;
	if (found && op->kind == WIRE_TEST && op->mode == WIRE_PEEK) {
		a->look = WIRE_MISSED; /* MPI_Request_get_status is no event: its time is all */
		a->looked = now - r->issued;
	}
	if (found)
		wait_learn(l, rank, op);
	if (found)
		r->late = 0;
	else if (happened >= r->issued)
		r->late = now > happened ? now - happened : 0;
	else
		r->late += now - r->issued;
}

/* No program waits for so long, and nothing grows so long where another thread can run. */
#define PAUSE_SECONDS 1e6

static int is_pause(const struct wire_op *op)
{
	return op->kind == WIRE_SLEEP && op->a == 1;
}

/* Those that are at a look now, or in a pause: the first of them in a text. */
static void looking(struct live *l, struct str *out, int is_one(const struct wire_op *op))
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->ranks; i++) {
		const struct wire_op *op = l->rank[i].over ? NULL : live_op(l, i);
		char where[256];

		if (!op || !is_one(op) || l->rank[i].phase != PHASE_ISSUED)
			continue;
		if (n < TOLD_MAX)
			str_printf(out, "%s rank %u %s", n ? ";" : "", i,
			           live_where(l, i, where, sizeof where));
		n++;
	}
}

/* Nothing is under way but the naps of those who look. */
static int is_still(struct live *l)
{
	struct engine_stats stats;

	engine_stats(net_engine(mp_net(l->mp)), &stats);
	return stats.active <= mp_napping(l->mp);
}

/* A rank whose call is over and which has not gone on yet has nothing under way either. It goes on
 * before those who look have all looked twice again, and what it does then ends the row or is under
 * way: so one look at the whole is not enough. */
static int has_stood_still(struct live *l)
{
	uint64_t turns = 2 * (uint64_t)l->ranks, row = 2 * turns, since;

	row = row < LOOKS_MAX ? LOOKS_MAX : row;
	since = l->looks % row;
	if (since == 0)
		l->still = (uint8_t)is_still(l);
	return l->looks > row && since == turns && l->still && is_still(l);
}

/* A pause is over. Since the first of these nobody did anything else. */
static int pauses_check(struct live *l, uint32_t rank, struct err *err)
{
	struct str who;

	if (l->n_outside > 0)
		return outside_pause(l);
	l->pauses++;
	if (l->pauses <= 2 * (uint64_t)l->ranks || !is_still(l))
		return 0;
	str_init(&who);
	looking(l, &who, is_pause);
	live_error(l, rank, err,
	           "deadlock of threads: calls of MPI have waited for more than %g s, no other "
	           "thread of their ranks can run, and nothing is under way; who waits:%s",
	           PAUSE_SECONDS, who.s ? who.s : "");
	str_release(&who);
	return -1;
}

int livelock_check(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct str who;

	if (op->kind == WIRE_CLOCK || (op->kind == WIRE_SLEEP && op->a == 0))
		return 0;
	if (is_pause(op) && op->x > PAUSE_SECONDS)
		return pauses_check(l, rank, err);
	if (!is_look(op) || has_found(l, rank, op)) {
		l->looks = 0;
		l->pauses = 0;
		l->still = 0;
		return 0;
	}
	l->looks++;
	if (l->n_outside > 0) /* who may end the row, and needs real time for it */
		return l->looks % LOOKS_OUTSIDE == 0 ? outside_pause(l) : 0;
	if (!has_stood_still(l))
		return 0;
	str_init(&who);
	looking(l, &who, is_look);
	live_error(
	    l, rank, err,
	    "livelock: the last %llu calls that look for a message found none, and nothing is "
	    "under way; those who look:%s",
	    (unsigned long long)l->looks, who.s ? who.s : "");
	str_release(&who);
	return -1;
}
