/* epoch.c: what a rank's calls on a window wait for: fences, post/start/complete/wait, locks,
 * flushes (MPI 4.0, 12.5). And whom a blocked one waits for, of a deadlock. What they send: rma.c.
 *
 * Of their operations, op->cursor is the window, op->given the target (NONE: all), op->stage where
 * it is. */
#include "mp/coll/collective.h"
#include "mp/message/message.h"
#include "mp/report/watch.h"
#include "rma.h"
#include "rma_int.h"

#include <stdlib.h>

enum { DRAINS, DRAINED, ACKED, LAST };

/* What n messages without data cost their sender: 1 while it pays; 0: it has paid; -1. */
static int messages_pay(struct mp *mp, struct op *op, uint32_t n, struct err *err)
{
	double cost = op->paid ? 0 : n * isend_overhead(mp, op->rank, RMA_HEADER);

	if (cost <= 0)
		return 0;
	op->paid = 1;
	return op_sleep(mp, op, cost, err) == MP_ERROR ? -1 : 1;
}

/* Waits for what it has sent to the target, or to all: 1 if there is nothing (any more). */
static int drained(struct mp *mp, struct op *op, struct win_side *s)
{
	uint32_t id;

	op->wait_since = engine_now(mp->engine);
	op->set.pending = 0;
	for (id = s->first; id != NONE; id = rma_at(mp, id)->next) {
		if (op->given != NONE && rma_at(mp, id)->target != op->given)
			continue;
		rma_at(mp, id)->awaited = 1;
		op->set.pending++;
	}
	s->waits = op->set.pending > 0 ? WAITS_ANSWERS : WAITS_NOT;
	return !s->waits;
}

/* Asks all targets that got something, or one, for an acknowledgement. */
static int acks_ask(struct mp *mp, struct op *op, uint32_t me, struct err *err)
{
	struct win_side *s = &window_at(mp, op->cursor)->side[me];
	uint32_t i, kept = 0;

	op->set.pending = 1; /* those on oneself come at once */
	s->waits = WAITS_NOT;
	for (i = 0; i < s->n_touched; i++) {
		if (op->given != NONE && s->touched[i] != op->given) {
			s->touched[kept++] = s->touched[i];
			continue;
		}
		op->set.pending++;
		if (rma_ack(mp, op->cursor, me, s->touched[i], err) < 0)
			return -1;
	}
	s->n_touched = kept;
	s->waits = --op->set.pending > 0 ? WAITS_ANSWERS : WAITS_NOT;
	return 0;
}

/* DRAINS --> DRAINED --> ACKED. MP_DONE at ACKED. */
static int flush_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = window_side(mp, op);
	struct win_side *s = &window_at(mp, op->cursor)->side[me];

	s->waits = WAITS_NOT;
	if (op->stage == DRAINS) {
		op->stage = DRAINED;
		if (!drained(mp, op, s))
			return MP_BLOCKED;
	}
	if (op->stage == DRAINED) {
		op->stage = ACKED;
		watch_waited(mp, op->rank, op->wait_since);
		op->wait_since = engine_now(mp->engine);
		if (acks_ask(mp, op, me, err) < 0)
			return MP_ERROR;
		if (op->set.pending > 0)
			return MP_BLOCKED;
	}
	watch_waited(mp, op->rank, op->wait_since);
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

static int flush_local_go(struct mp *mp, struct op *op, struct err *err)
{
	struct win_side *s = &window_at(mp, op->cursor)->side[window_side(mp, op)];

	(void)err;
	s->waits = WAITS_NOT;
	if (op->stage == DRAINS) {
		op->stage = DRAINED;
		if (!drained(mp, op, s))
			return MP_BLOCKED;
	}
	watch_waited(mp, op->rank, op->wait_since);
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

static int release(struct mp *mp, struct op *op, uint32_t me, uint32_t target, int all,
                   struct err *err)
{
	struct rma r = {.kind = RMA_RELEASE,
	                .all = (uint8_t)all,
	                .win = op->cursor,
	                .origin = me,
	                .target = target,
	                .handle = NONE};
	struct win_side *s = &window_at(mp, op->cursor)->side[me];
	uint64_t key = pair_key(op->cursor, me, target, PAIR_LOCK);
	uint32_t held = all ? 0 : hash64_find(&mp->rma.pairs, key), id;

	if (held == HASH_NONE)
		return mp_error(mp, op->rank, err,
		                "unlocks rank %u of a window, which it has not locked",
		                rma_world(mp, window_at(mp, op->cursor), target));
	if (all && !s->locked_all)
		return mp_error(mp, op->rank, err, "MPI_Win_unlock_all without MPI_Win_lock_all");
	if (all)
		s->locked_all = 0;
	else
		hash64_remove(&mp->rma.pairs, key);
	s->locks--;
	if (all ? s->unchecked_all : held == LOCK_UNCHECKED)
		return 0;
	r.exclusive = held == LOCK_EXCLUSIVE;
	id = rma_new(mp, &r, err);
	return id == NONE ? -1 : rma_send(mp, id, me, target, 0, STAGE_THERE, err);
}

/* Whether nobody was asked for the lock that is given back. */
static int unchecked(struct mp *mp, const struct op *op)
{
	uint32_t me = window_side(mp, op);

	if (op->given == NONE)
		return window_at(mp, op->cursor)->side[me].unchecked_all;
	return hash64_find(&mp->rma.pairs, pair_key(op->cursor, me, op->given, PAIR_LOCK)) ==
	       LOCK_UNCHECKED;
}

static int unlock_go(struct mp *mp, struct op *op, struct err *err)
{
	int status = op->paid ? MP_DONE : flush_go(mp, op, err),
	    all = op->call == CALL_WIN_UNLOCK && op->given == NONE;

	if (status == MP_DONE && !unchecked(mp, op))
		status = messages_pay(mp, op, 1, err); /* the release */
	if (status != MP_DONE)
		return status;
	return release(mp, op, window_side(mp, op), all ? 0 : op->given, all, err) < 0 ? MP_ERROR
	                                                                               : MP_DONE;
}

static int lock_check(struct mp *mp, const struct op *op, uint32_t me, struct err *err)
{
	const struct win_side *s = &window_at(mp, op->cursor)->side[me];

	if (s->locked_all || (op->given == NONE && s->locks > 0))
		return mp_error(mp, op->rank, err,
		                "locks a window of which it holds a lock (MPI 4.0, 12.5)");
	if (op->given != NONE && hash64_find(&mp->rma.pairs, pair_key(op->cursor, me, op->given,
	                                                              PAIR_LOCK)) != HASH_NONE)
		return mp_error(mp, op->rank, err,
		                "locks rank %u of a window again before it has unlocked it",
		                rma_world(mp, window_at(mp, op->cursor), op->given));
	return 0;
}

/* That the rank has asked for it. */
static int lock_note(struct mp *mp, const struct op *op, uint32_t me, struct err *err)
{
	struct win_side *s = &window_at(mp, op->cursor)->side[me];

	if (lock_check(mp, op, me, err) < 0)
		return -1;
	s->locks++;
	if (op->given != NONE)
		return hash64_put(&mp->rma.pairs, pair_key(op->cursor, me, op->given, PAIR_LOCK),
		                  op->mode, err);
	s->locked_all = 1;
	s->unchecked_all = op->mode == LOCK_UNCHECKED;
	return 0;
}

static int lock_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = window_side(mp, op), id;
	int all = op->given == NONE;
	struct rma r = {.kind = RMA_LOCK,
	                .exclusive = op->mode == LOCK_EXCLUSIVE,
	                .all = (uint8_t)all,
	                .win = op->cursor,
	                .origin = me,
	                .target = all ? 0 : op->given,
	                .handle = NONE};

	int paying;

	if (op->stage == LAST) {
		watch_waited(mp, op->rank, op->wait_since);
		op->waited = engine_now(mp->engine) - op->since;
		return MP_DONE;
	}
	paying = op->mode == LOCK_UNCHECKED ? 0 : messages_pay(mp, op, 1, err);
	if (paying)
		return paying;
	op->stage = LAST;
	if (lock_note(mp, op, me, err) < 0)
		return MP_ERROR;
	if (op->mode == LOCK_UNCHECKED)
		return MP_DONE;
	op->set.pending = 1;
	op->wait_since = engine_now(mp->engine);
	/* a grant that comes at once wakes nobody */
	window_at(mp, op->cursor)->side[me].waits = WAITS_NOT;
	id = rma_new(mp, &r, err);
	if (id == NONE || rma_send(mp, id, me, r.target, 0, STAGE_THERE, err) < 0)
		return MP_ERROR;
	window_at(mp, op->cursor)->side[me].waits = op->set.pending > 0 ? WAITS_ANSWERS : WAITS_NOT;
	return op->set.pending > 0 ? MP_BLOCKED : MP_DONE;
}

/* Own operations have arrived; then all meet. */
static int fence_go(struct mp *mp, struct op *op, struct err *err)
{
	struct win_side *s = &window_at(mp, op->cursor)->side[window_side(mp, op)];
	const struct coll_args barrier = {.kind = COLL_BARRIER};
	const struct coll_form form = {.call = op->call};

	s->waits = WAITS_NOT;
	if (op->stage == DRAINS) {
		op->stage = DRAINED;
		if (!drained(mp, op, s))
			return MP_BLOCKED;
	}
	watch_waited(mp, op->rank, op->wait_since);
	s->n_touched = 0;
	s->fenced = 1;
	op->stage = 0;
	op->run = coll_go;
	mp_data_next(mp, 0, 0); /* what was said last may be of another rank's call */
	return coll_join(mp, op, (struct mp_comm){window_at(mp, op->cursor)->comm}, &barrier, 0,
	                 &form, err) < 0
	           ? MP_ERROR
	           : coll_go(mp, op, err);
}

static int complete_go(struct mp *mp, struct op *op, struct err *err)
{
	int status = op->paid ? MP_DONE : flush_local_go(mp, op, err);
	uint32_t me = window_side(mp, op), i;
	struct win_side *s = &window_at(mp, op->cursor)->side[me];

	if (status == MP_DONE)
		status = messages_pay(mp, op, s->n_group, err);
	if (status != MP_DONE)
		return status;
	for (i = 0; i < s->n_group; i++)
		if (rma_notice(mp, RMA_COMPLETE, op->cursor, me, s->group[i], err) < 0)
			return MP_ERROR;
	s->n_group = s->n_touched = 0;
	s->started = 0;
	return MP_DONE;
}

static int wait_completes_go(struct mp *mp, struct op *op, struct err *err)
{
	struct win_side *s = &window_at(mp, op->cursor)->side[window_side(mp, op)];

	(void)err;
	s->waits = s->completes < s->posted ? WAITS_NOTICES : WAITS_NOT;
	if (s->waits)
		return MP_BLOCKED;
	s->completes -= s->posted;
	s->posted = 0;
	s->exposed = 0;
	watch_waited(mp, op->rank, op->since);
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

/* Waits for the post of each of its group. */
static int start_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = window_side(mp, op), n;
	struct win_side *s = &window_at(mp, op->cursor)->side[me];
	uint64_t key;

	for (; op->given < s->n_group; op->given++) {
		key = pair_key(op->cursor, me, s->group[op->given], PAIR_POSTS);
		n = hash64_find(&mp->rma.pairs, key);
		s->waits = n == HASH_NONE ? WAITS_NOTICES : WAITS_NOT;
		if (s->waits)
			return MP_BLOCKED;
		hash64_remove(&mp->rma.pairs, key);
		if (n > 1 && hash64_put(&mp->rma.pairs, key, n - 1, err) < 0)
			return MP_ERROR;
	}
	watch_waited(mp, op->rank, op->since);
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

static int post_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = window_side(mp, op), i;
	struct win_side *s = &window_at(mp, op->cursor)->side[me];
	int paying = messages_pay(mp, op, s->n_notified, err);

	if (paying)
		return paying;
	for (i = 0; i < s->n_notified; i++)
		if (rma_notice(mp, RMA_POST, op->cursor, me, s->notified[i], err) < 0)
			return MP_ERROR;
	s->n_notified = 0;
	return MP_DONE;
}

/* Only what cannot go on, or means nothing. */
static int epoch_check(struct mp *mp, uint32_t rank, const struct win_side *s,
                       enum mp_win_sync what, struct err *err)
{
	if (what == MP_WIN_COMPLETE && !s->started)
		return mp_error(mp, rank, err, "MPI_Win_complete without MPI_Win_start");
	if (what == MP_WIN_WAIT && !s->exposed)
		return mp_error(mp, rank, err, "MPI_Win_wait without MPI_Win_post");
	if (what == MP_WIN_FREE && (s->locks > 0 || s->started || s->exposed))
		return mp_error(mp, rank, err,
		                "frees a window in the middle of an epoch: %s has not been called",
		                s->locked_all ? "MPI_Win_unlock_all"
		                : s->locks    ? "MPI_Win_unlock"
		                : s->started  ? "MPI_Win_complete"
		                              : "MPI_Win_wait");
	return 0;
}

int mp_win_sync(struct mp *mp, uint32_t rank, struct mp_win win, enum mp_win_sync what,
                int32_t target, struct err *err)
{
	static const struct {
		op_fn *run;
		uint8_t call;
	} how[] = {
	    [MP_WIN_FENCE] = {fence_go, CALL_WIN_FENCE},
	    [MP_WIN_COMPLETE] = {complete_go, CALL_WIN_COMPLETE},
	    [MP_WIN_WAIT] = {wait_completes_go, CALL_WIN_WAIT},
	    [MP_WIN_LOCK] = {lock_go, CALL_WIN_LOCK},
	    [MP_WIN_LOCK_EXCLUSIVE] = {lock_go, CALL_WIN_LOCK},
	    [MP_WIN_LOCK_UNCHECKED] = {lock_go, CALL_WIN_LOCK},
	    [MP_WIN_UNLOCK] = {unlock_go, CALL_WIN_UNLOCK},
	    [MP_WIN_FLUSH] = {flush_go, CALL_WIN_FLUSH},
	    [MP_WIN_FLUSH_LOCAL] = {flush_local_go, CALL_WIN_FLUSH},
	    [MP_WIN_FREE] = {fence_go, CALL_WIN},
	};
	uint32_t me, to = NONE;
	struct op *op;

	if (window_get(mp, rank, win, &me, err) < 0)
		return MP_ERROR;
	if (target != MP_ANY && window_target(mp, rank, window_at(mp, win.v), target, &to, err) < 0)
		return MP_ERROR;
	if (epoch_check(mp, rank, &window_at(mp, win.v)->side[me], what, err) < 0)
		return MP_ERROR;
	op = op_begin(mp, rank, how[what].call, how[what].run, err);
	if (!op)
		return MP_ERROR;
	op->cursor = win.v;
	op->given = to;
	op->mode = what == MP_WIN_LOCK_EXCLUSIVE   ? LOCK_EXCLUSIVE
	           : what == MP_WIN_LOCK_UNCHECKED ? LOCK_UNCHECKED
	                                           : LOCK_SHARED;
	op->partner = target >= 0 ? target : -1;
	if (what == MP_WIN_FREE) {
		window_at(mp, win.v)->side[me].left = 1, window_at(mp, win.v)->left++;
		window_lessen(mp, win.v);
	}
	return op_start(mp, op, err);
}

int mp_win_group(struct mp *mp, uint32_t rank, struct mp_win win, int post, const int32_t *members,
                 uint32_t n, struct err *err)
{
	uint32_t me, i, *group;
	struct win_side *s;
	struct op *op;

	if (window_get(mp, rank, win, &me, err) < 0)
		return MP_ERROR;
	if (post ? window_at(mp, win.v)->side[me].exposed : window_at(mp, win.v)->side[me].started)
		return mp_error(mp, rank, err,
		                post ? "MPI_Win_post again before MPI_Win_wait"
		                     : "MPI_Win_start again before MPI_Win_complete");
	group = malloc((n ? n : 1) * sizeof *group);
	if (!group)
		return err_nomem(err, "a group", n * sizeof *group);
	for (i = 0; i < n; i++) {
		if (window_target(mp, rank, window_at(mp, win.v), members[i], &group[i], err) < 0) {
			free(group);
			return MP_ERROR;
		}
	}
	op = op_begin(mp, rank, post ? CALL_WIN_POST : CALL_WIN_START, post ? post_go : start_go,
	              err);
	s = &window_at(mp, win.v)->side[me];
	free(post ? s->notified : s->group);
	if (post) {
		s->notified = group;
		s->n_notified = s->posted = n;
		s->exposed = 1;
	} else {
		s->group = group;
		s->n_group = n;
		s->started = 1;
	}
	if (!op)
		return MP_ERROR;
	op->cursor = win.v;
	op->given = 0;
	return op_start(mp, op, err);
}

/* --- deadlocks: who a blocked call waits for --- */

/* Has asked for a lock of this rank and waits in its queue. */
static int queued(const struct mp *mp, const struct window *w, uint32_t target, uint32_t member)
{
	uint32_t id = w->side[target].queue;

	while (id != NONE && rma_at(mp, id)->origin != member)
		id = rma_at(mp, id)->next;
	return id != NONE;
}

/* A member that keeps another from this lock, or NONE. target: whose; NONE: lock_all. */
static uint32_t lock_holder(const struct mp *mp, uint32_t win, uint32_t target, uint32_t me)
{
	const struct window *w = window_at(mp, win);
	uint32_t m, t;

	for (m = 0; m < w->n; m++) {
		if (m == me)
			continue;
		if (w->side[m].locked_all && !queued(mp, w, 0, m))
			return m;
		for (t = 0; t < w->n; t++)
			if ((target == NONE || t == target) && !queued(mp, w, t, m) &&
			    hash64_find(&mp->rma.pairs, pair_key(win, m, t, PAIR_LOCK)) !=
			        HASH_NONE)
				return m;
	}
	return NONE;
}

uint32_t window_awaits(const struct mp *mp, const struct op *op, const char **what)
{
	const struct window *w;
	const struct win_side *s;
	uint32_t me, i, m = NONE;

	if (op->call < CALL_WIN_POST || op->call > CALL_WIN_LOCK)
		return NONE;
	w = window_at(mp, op->cursor);
	me = window_side(mp, op);
	s = &w->side[me];
	if (op->call == CALL_WIN_LOCK) {
		*what = "to unlock";
		m = lock_holder(mp, op->cursor, op->given, me);
	} else if (op->call == CALL_WIN_START) {
		*what = "to post";
		m = op->given < s->n_group ? s->group[op->given] : NONE;
	} else if (op->call == CALL_WIN_WAIT) {
		*what = "to complete";
		for (i = 0; i < s->posted && s->notified[i] == NONE; i++)
			;
		m = i < s->posted ? s->notified[i] : NONE;
	}
	return m == NONE ? NONE : rma_world(mp, w, m);
}
