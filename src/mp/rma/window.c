/* window.c: windows, and the calls of a rank on them. What these send: rma.c.
 *
 * A window is the first of its communicator that this rank has not made yet: all members make them
 * in the same order. */
#include "rma_int.h"

#include <stdio.h>
#include <stdlib.h>

/* --- windows --- */

uint32_t windows_left(const struct mp *mp, uint32_t *first)
{
	uint32_t i, k, n = 0;

	for (i = 0; i < mp->rma.windows.n; i++) {
		const struct window *w = window_at(mp, i);

		for (k = 0; w->side && k < w->n && w->side[k].left; k++)
			;
		if (w->side && k < w->n && n++ == 0)
			*first = i;
	}
	return n;
}

const char *window_where(const struct mp *mp, uint32_t win, char *buf, size_t n)
{
	const struct window *w = window_at(mp, win);
	char where[WHERE_MAX];

	snprintf(buf, n, "made by rank %u (its %s)", w->maker,
	         where_text(mp, w->maker, w->event, where, sizeof where));
	return buf;
}

void window_release(struct window *w)
{
	for (uint32_t k = 0; w->side && k < w->n; k++) {
		free(w->side[k].touched);
		free(w->side[k].group);
		free(w->side[k].notified);
	}
	free(w->side);
	w->side = NULL;
}

/* Index of a window, and this rank's side; -1. */
static int window_get(struct mp *mp, uint32_t rank, struct mp_win win, uint32_t *member,
                      struct err *err)
{
	struct window *w = win.v < mp->rma.windows.n ? window_at(mp, win.v) : NULL;
	int32_t place = w && w->side ? comm_place(comm_at(mp, w->comm), rank) : -1;

	if (place < 0 || !w->side[place].joined || w->side[place].left)
		return mp_error(mp, rank, err, "window %u was not made by this rank, or is freed",
		                win.v);
	*member = (uint32_t)place;
	return 0;
}

/* Those of a communicator that all have freed are no more: 1 if it has none left. */
static int windows_settle(struct mp *mp, uint32_t comm)
{
	uint32_t *at = &comm_at(mp, comm)->windows, id;

	while (*at != 0) {
		struct window *w = window_at(mp, *at - 1);

		if (w->left < w->n || w->live > 0) {
			at = &w->next;
			continue;
		}
		id = *at - 1;
		*at = w->next;
		window_release(w);
		slots_give(&mp->rma.windows, id);
	}
	return comm_at(mp, comm)->windows == 0;
}

/* The slot of one that is no more, or a new one; or NONE. */
static uint32_t window_slot(struct mp *mp, uint32_t comm, struct err *err)
{
	windows_settle(mp, comm);
	return slots_take(&mp->rma.windows, err);
}

static uint32_t window_new(struct mp *mp, uint32_t rank, uint32_t comm, struct err *err)
{
	uint32_t n = comm_at(mp, comm)->n, i, *at, id;
	struct win_side *side = calloc(n, sizeof *side);

	if (!side) {
		err_nomem(err, "a window", n * sizeof *side);
		return NONE;
	}
	id = window_slot(mp, comm, err);
	if (id == NONE) {
		free(side);
		return NONE;
	}
	for (i = 0; i < n; i++)
		side[i].first = side[i].queue = NONE;
	*window_at(mp, id) = (struct window){
	    .comm = comm, .n = n, .side = side, .maker = rank, .event = event_of(mp, rank)};
	comm_at(mp, comm)->let_go = windows_settle;
	for (at = &comm_at(mp, comm)->windows; *at != 0; at = &window_at(mp, *at - 1)->next)
		;
	*at = id + 1;
	return id;
}

int mp_win_make(struct mp *mp, uint32_t rank, struct mp_comm comm, struct mp_win *out,
                struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {.alg = window_setup(mp), .call = CALL_WIN};
	struct comm *c = comm_get(mp, rank, comm, err);
	uint32_t place, at;

	if (!c)
		return MP_ERROR;
	if (c->split)
		return mp_error(mp, rank, err, "a window on an intercommunicator");
	place = (uint32_t)comm_place(c, rank);
	for (at = c->windows; at != 0 && window_at(mp, at - 1)->side[place].joined;
	     at = window_at(mp, at - 1)->next)
		;
	out->v = at ? at - 1 : window_new(mp, rank, comm.v, err);
	if (out->v == NONE)
		return MP_ERROR;
	window_at(mp, out->v)->side[place].joined = 1;
	return coll_begin(mp, rank, comm, &args, 0, &form, err);
}

/* --- operations of a rank on a window: op->cursor is the window, op->given the target (NONE: all),
 * op->stage where it is --- */

enum { DRAINS, DRAINED, ACKED, LAST };

enum { HEADER = 1 }; /* bytes, as in rma.c */

/* What n messages without data cost their sender: 1 while it pays; 0: it has paid; -1. */
static int messages_pay(struct mp *mp, struct op *op, uint32_t n, struct err *err)
{
	double cost = op->paid ? 0 : n * isend_overhead(mp, op->rank, HEADER);

	if (cost <= 0)
		return 0;
	op->paid = 1;
	return op_sleep(mp, op, cost, err) == MP_ERROR ? -1 : 1;
}

static uint32_t side_of(const struct mp *mp, const struct op *op)
{
	return (uint32_t)comm_place(comm_at(mp, window_at(mp, op->cursor)->comm), op->rank);
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
	uint32_t me = side_of(mp, op);
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
	struct win_side *s = &window_at(mp, op->cursor)->side[side_of(mp, op)];

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
	uint32_t me = side_of(mp, op);

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
	return release(mp, op, side_of(mp, op), all ? 0 : op->given, all, err) < 0 ? MP_ERROR
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
	uint32_t me = side_of(mp, op), id;
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
	struct win_side *s = &window_at(mp, op->cursor)->side[side_of(mp, op)];
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
	return coll_join(mp, op, (struct mp_comm){window_at(mp, op->cursor)->comm}, &barrier, 0,
	                 &form, err) < 0
	           ? MP_ERROR
	           : coll_go(mp, op, err);
}

static int complete_go(struct mp *mp, struct op *op, struct err *err)
{
	int status = op->paid ? MP_DONE : flush_local_go(mp, op, err);
	uint32_t me = side_of(mp, op), i;
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
	struct win_side *s = &window_at(mp, op->cursor)->side[side_of(mp, op)];

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
	uint32_t me = side_of(mp, op), n;
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
	uint32_t me = side_of(mp, op), i;
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

static int target_find(struct mp *mp, uint32_t rank, const struct window *w, int32_t world,
                       uint32_t *out, struct err *err)
{
	int32_t place = world < 0 ? -1 : comm_place(comm_at(mp, w->comm), (uint32_t)world);

	if (place < 0)
		return mp_error(mp, rank, err, "rank %d is not in this window's communicator",
		                world);
	*out = (uint32_t)place;
	return 0;
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
	if (target != MP_ANY && target_find(mp, rank, window_at(mp, win.v), target, &to, err) < 0)
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
	if (what == MP_WIN_FREE)
		window_at(mp, win.v)->side[me].left = 1, window_at(mp, win.v)->left++;
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
		if (target_find(mp, rank, window_at(mp, win.v), members[i], &group[i], err) < 0) {
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

/* The operation leaves when its overhead has been paid. */
static int data_go(struct mp *mp, struct op *op, struct err *err)
{
	if (op->stage == 0 && op->volume > 0) {
		op->stage = 1;
		return op_sleep(mp, op, op->volume, err);
	}
	return rma_data_send(mp, op->cursor, err) < 0 ? MP_ERROR : MP_DONE;
}

static enum mp_call rma_call(enum mp_rma kind)
{
	return kind == MP_PUT ? CALL_PUT : kind == MP_GET ? CALL_GET : CALL_ACCUMULATE;
}

/* Listed among the origin's operations under way. */
static uint32_t data_make(struct mp *mp, uint32_t win, uint32_t me, uint32_t to, double back,
                          struct err *err)
{
	uint32_t first = window_at(mp, win)->side[me].first;
	struct rma r = {.kind = RMA_DATA,
	                .win = win,
	                .origin = me,
	                .target = to,
	                .next = first,
	                .prev = NONE,
	                .handle = NONE,
	                .back = back};
	uint32_t id = rma_new(mp, &r, err);

	if (id == NONE)
		return NONE;
	if (first != NONE)
		rma_at(mp, first)->prev = id;
	window_at(mp, win)->side[me].first = id;
	return id;
}

static int to_nobody(struct mp *mp, struct op *op, struct err *err)
{
	(void)op;
	return op->cursor == NONE ? MP_DONE : req_complete(mp, op->cursor, err);
}

static int touch(struct win_side *s, uint32_t target, struct err *err)
{
	uint32_t *touched, i;

	for (i = 0; i < s->n_touched && s->touched[i] != target; i++)
		;
	if (i < s->n_touched)
		return 0;
	touched = vec_grow(s->touched, &s->cap_touched, sizeof *touched, (size_t)s->n_touched + 1,
	                   "targets of a window", err);
	if (!touched)
		return -1;
	s->touched = touched;
	touched[s->n_touched++] = target;
	return 0;
}

static int in_group(const struct win_side *s, uint32_t member)
{
	uint32_t i;

	for (i = 0; i < s->n_group && s->group[i] != member; i++)
		;
	return i < s->n_group;
}

/* MPI 4.0, 12.5: an operation is in an epoch. Told once per rank and window; which fence ended one
 * a trace does not say (assertions). */
static void access_check(struct mp *mp, uint32_t rank, uint32_t win, uint32_t me, uint32_t to,
                         enum mp_rma kind)
{
	struct win_side *s = &window_at(mp, win)->side[me];
	char where[WHERE_MAX];

	if (s->told || s->fenced || s->locked_all || (s->started && in_group(s, to)) ||
	    hash64_find(&mp->rma.pairs, pair_key(win, me, to, PAIR_LOCK)) != HASH_NONE)
		return;
	s->told = 1;
	mp_wrong(mp,
	         "%s to rank %u outside of an epoch, by rank %u (its %s): "
	         "no fence, start or lock before it",
	         mp_call_name(rma_call(kind)), rma_world(mp, window_at(mp, win), to), rank,
	         where_text(mp, rank, event_of(mp, rank), where, sizeof where));
}

int mp_rma(struct mp *mp, uint32_t rank, struct mp_win win, enum mp_rma kind, int32_t target,
           double bytes, struct mp_request *out, struct err *err)
{
	struct op *op;
	uint32_t me, to = NONE, id = NONE, handle = NONE;

	if (window_get(mp, rank, win, &me, err) < 0)
		return MP_ERROR;
	if (target != MP_PROC_NULL &&
	    target_find(mp, rank, window_at(mp, win.v), target, &to, err) < 0)
		return MP_ERROR;
	if (to != NONE)
		access_check(mp, rank, win.v, me, to, kind);
	op = op_begin(mp, rank, rma_call(kind), target == MP_PROC_NULL ? to_nobody : data_go, err);
	if (!op)
		return MP_ERROR;
	if (out && (handle = req_new(mp, REQ_HANDLE, rank, REQ_HELD, err)) == NONE)
		return MP_ERROR;
	if (out) {
		mp->reqs[handle].peer = to == NONE ? PEER_NULL : (uint32_t)target;
		mp->reqs[handle].call = op->call;
		mp->reqs[handle].bytes = bytes;
		out->v = handle;
	}
	if (to != NONE) {
		int answered = kind == MP_GET || kind == MP_GET_ACCUMULATE;

		id = data_make(mp, win.v, me, to, answered ? bytes : -1, err);
		if (id == NONE ||
		    (!answered && touch(&window_at(mp, win.v)->side[me], to, err) < 0))
			return MP_ERROR;
		rma_at(mp, id)->handle = handle;
		rma_at(mp, id)->there = kind == MP_GET ? 0 : bytes;
	}
	op->cursor = to == NONE ? handle : id;
	op->volume = isend_overhead(mp, rank, kind == MP_GET ? HEADER : bytes);
	op->bytes = bytes;
	op->partner = target;
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
	me = side_of(mp, op);
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
