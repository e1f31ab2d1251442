/* rma.c: one-sided communication. What an operation sends, in messages that match nothing (leg.c):
 *
 *   put, accumulate                   the data, to the target
 *   get                               a request there, the data back
 *   get_accumulate, fetch_and_op, …   the data there, and back
 *   flush, unlock                     when all that went there has arrived, an answer from each target that got something without answering (its
 *                                     acknowledgement)
 *   lock                              a request there, a grant back when nobody else holds it; lock_all: the same with rank 0 of the window
 *   unlock                            a release, after the flush; nobody waits for it
 *   post, complete                    a notice to each of the group; start and wait wait for those
 *   fence                             when one's own operations have arrived, a barrier
 *   create, free                      allgather of 32 bytes (address, size, unit, key) and a barrier; a barrier
 *
 * The target takes no part: it is hardware, or a thread, that answers (Open MPI's osc/rdma and MPICH over UCX are so; lock_all asking one
 * rank is the former's). An operation, a request, a release and each notice pay the overhead of a non-blocking send. On oneself everything is there at once.
 *
 * A window is the first of its communicator that this rank has not made yet: all members make them in the same order. */
#include "coll_int.h"
#include "task_int.h"

#include <stdlib.h>
#include <string.h>

enum rma_kind { RMA_FREE, RMA_DATA, RMA_ACK, RMA_LOCK, RMA_GRANT, RMA_RELEASE, RMA_POST, RMA_COMPLETE };

/* A message, or a request and its answer. */
struct rma {
	uint8_t kind, exclusive, all;
	uint8_t awaited; /* the origin is blocked until it is over */
	uint32_t win;
	uint32_t origin, target; /* members */
	uint32_t next, prev;     /* DATA: of the origin; LOCK: queued at the target; FREE */
	uint32_t handle;         /* request, or NONE */
	double back;             /* bytes of the answer; < 0: none */
};

struct win_side {                                  /* one member */
	uint32_t first;                            /* its DATA under way */
	uint32_t *touched, n_touched, cap_touched; /* targets that got something since it last asked for an acknowledgement */
	uint32_t *group, n_group;                  /* of its start */
	uint32_t *notified, n_notified;            /* of its post, until they are told */
	uint32_t completes, posted;                /* notices that came; ranks in its post */
	uint32_t queue, queue_last;                /* lock requests that wait */
	uint32_t holders;                          /* of its lock, if shared */
	uint8_t exclusive, joined, left, waits;
};

struct window {
	uint32_t comm, n, next;          /* next: of the same communicator, + 1; 0: none */
	uint32_t exclusives, shared_all; /* exclusive locks held; lock_alls */
	uint32_t live, left;             /* messages under way; members that have freed it */
	struct win_side *side;
};

/* --- tables --- */

static uint64_t pair_key(uint32_t win, uint32_t a, uint32_t b, int what)
{
	uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;

	return x ^ ((uint64_t)win << 2 | (uint64_t)what) * 0xc2b2ae3d27d4eb4fu;
}
enum { PAIR_POSTS, PAIR_LOCK };

static uint32_t rma_new(struct mp *mp, const struct rma *init, struct err *err)
{
	uint32_t id = mp->free_rma;
	struct rma *rmas;

	if (id == NONE) {
		rmas = vec_grow(mp->rmas, &mp->rmas_cap, sizeof *rmas, (size_t)mp->n_rmas + 1, "one-sided operations", err);
		if (!rmas)
			return NONE;
		mp->rmas = rmas;
		id = mp->n_rmas++;
	} else {
		mp->free_rma = mp->rmas[id].next;
	}
	mp->rmas[id] = *init;
	mp->windows[init->win].live++;
	return id;
}

static void rma_drop(struct mp *mp, uint32_t id)
{
	mp->windows[mp->rmas[id].win].live--;
	mp->rmas[id] = (struct rma){.kind = RMA_FREE, .next = mp->free_rma};
	mp->free_rma = id;
}

uint32_t windows_left(const struct mp *mp)
{
	uint32_t i, k, n = 0;

	for (i = 0; i < mp->n_windows; i++) {
		const struct window *w = &mp->windows[i];

		for (k = 0; w->side && k < w->n && w->side[k].left; k++)
			;
		n += w->side && k < w->n;
	}
	return n;
}

static void window_release(struct window *w)
{
	for (uint32_t k = 0; w->side && k < w->n; k++) {
		free(w->side[k].touched);
		free(w->side[k].group);
		free(w->side[k].notified);
	}
	free(w->side);
	w->side = NULL;
}

void rmas_release(struct mp *mp)
{
	for (uint32_t i = 0; i < mp->n_windows; i++)
		window_release(&mp->windows[i]);
	free(mp->windows);
	free(mp->rmas);
	hash64_release(&mp->pairs);
}

static uint32_t world_of(const struct mp *mp, const struct window *w, uint32_t member)
{
	return comm_member(&mp->comms[w->comm], member);
}

/* The rank of a member is blocked in an operation on the window, which looks again whether it can go on. */
static void side_wake(struct mp *mp, const struct window *w, uint32_t member)
{
	if (w->side[member].waits)
		rank_wake(mp, world_of(mp, w, member));
}

/* --- messages --- */

static int rma_arrived(struct mp *mp, uint32_t id, uint32_t stage, struct err *err);

/* From one member to another; what it means is done when it arrives. */
static int rma_send(struct mp *mp, uint32_t id, uint32_t from, uint32_t to, double bytes, uint32_t stage, struct err *err)
{
	const struct window *w = &mp->windows[mp->rmas[id].win];
	const struct leg_call call = {.arrived = rma_arrived,
	                              .owner = id,
	                              .index = stage,
	                              .from = world_of(mp, w, from),
	                              .to = world_of(mp, w, to),
	                              .ctx = mp->comms[w->comm].ctx,
	                              .bytes = bytes};

	return from == to ? rma_arrived(mp, id, stage, err) : leg_start(mp, &call, err);
}

static int notice(struct mp *mp, enum rma_kind kind, uint32_t win, uint32_t origin, uint32_t target, struct err *err)
{
	uint32_t id = rma_new(
	    mp, &(struct rma){.kind = (uint8_t)kind, .win = win, .origin = origin, .target = target, .handle = NONE}, err);

	return id == NONE ? -1 : rma_send(mp, id, origin, target, 0, 0, err);
}

/* --- data --- */

static int touch(struct win_side *s, uint32_t target, struct err *err)
{
	uint32_t *touched, i;

	for (i = 0; i < s->n_touched && s->touched[i] != target; i++)
		;
	if (i < s->n_touched)
		return 0;
	touched = vec_grow(s->touched, &s->cap_touched, sizeof *touched, (size_t)s->n_touched + 1, "targets of a window", err);
	if (!touched)
		return -1;
	s->touched = touched;
	touched[s->n_touched++] = target;
	return 0;
}

static int data_over(struct mp *mp, uint32_t id, struct err *err)
{
	const struct rma r = mp->rmas[id];
	struct window *w = &mp->windows[r.win];

	if (r.prev == NONE)
		w->side[r.origin].first = r.next;
	else
		mp->rmas[r.prev].next = r.next;
	if (r.next != NONE)
		mp->rmas[r.next].prev = r.prev;
	rma_drop(mp, id);
	if (r.awaited && --op_of(mp, world_of(mp, w, r.origin))->set.pending == 0)
		side_wake(mp, w, r.origin);
	return r.handle == NONE ? 0 : req_complete(mp, r.handle, err);
}

/* --- locks --- */

static int lock_is_free(const struct window *w, const struct rma *r)
{
	const struct win_side *t = &w->side[r->target];

	if (r->all)
		return w->exclusives == 0;
	return r->exclusive ? !t->exclusive && t->holders == 0 && w->shared_all == 0 : !t->exclusive;
}

static int lock_grant(struct mp *mp, uint32_t id, struct err *err)
{
	struct rma *r = &mp->rmas[id];
	struct window *w = &mp->windows[r->win];
	struct win_side *t = &w->side[r->target];

	if (r->all)
		w->shared_all++;
	else if (r->exclusive)
		t->exclusive = 1, w->exclusives++;
	else
		t->holders++;
	r->kind = RMA_GRANT;
	return rma_send(mp, id, r->target, r->origin, 0, 0, err);
}

/* Grants what waits at a target, first come first served. */
static int queue_serve(struct mp *mp, uint32_t win, uint32_t target, struct err *err)
{
	uint32_t id;

	while ((id = mp->windows[win].side[target].queue) != NONE && lock_is_free(&mp->windows[win], &mp->rmas[id])) {
		mp->windows[win].side[target].queue = mp->rmas[id].next;
		if (lock_grant(mp, id, err) < 0)
			return -1;
	}
	return 0;
}

static int lock_asked(struct mp *mp, uint32_t id, struct err *err)
{
	struct rma *r = &mp->rmas[id];
	struct win_side *t = &mp->windows[r->win].side[r->target];

	r->next = NONE;
	if (t->queue == NONE)
		t->queue = id;
	else
		mp->rmas[t->queue_last].next = id;
	t->queue_last = id;
	return queue_serve(mp, r->win, r->target, err);
}

static int lock_released(struct mp *mp, const struct rma *r, struct err *err)
{
	struct window *w = &mp->windows[r->win];
	struct win_side *t = &w->side[r->target];
	uint32_t i;

	if (r->all)
		w->shared_all--;
	else if (r->exclusive)
		t->exclusive = 0, w->exclusives--;
	else
		t->holders--;
	if (queue_serve(mp, r->win, r->target, err) < 0)
		return -1;
	/* A lock of one rank may have kept a lock_all waiting, and the other way round. */
	for (i = 0; (r->all || r->exclusive) && i < w->n; i++) {
		if (w->side[i].queue != NONE && queue_serve(mp, r->win, i, err) < 0)
			return -1;
	}
	return 0;
}

static int rma_arrived(struct mp *mp, uint32_t id, uint32_t stage, struct err *err)
{
	const struct rma r = mp->rmas[id];
	struct window *w = &mp->windows[r.win];
	uint64_t key;
	uint32_t n;

	switch ((enum rma_kind)r.kind) {
	case RMA_DATA:
		return stage == 0 && r.back >= 0 ? rma_send(mp, id, r.target, r.origin, r.back, 1, err) : data_over(mp, id, err);
	case RMA_LOCK:
		return lock_asked(mp, id, err);
	case RMA_RELEASE:
		rma_drop(mp, id);
		return lock_released(mp, &r, err);
	case RMA_POST: /* from who posted to who will start */
		rma_drop(mp, id);
		key = pair_key(r.win, r.target, r.origin, PAIR_POSTS);
		n = hash64_find(&mp->pairs, key);
		if (hash64_put(&mp->pairs, key, n == HASH_NONE ? 1 : n + 1, err) < 0)
			return -1;
		side_wake(mp, w, r.target);
		return 0;
	case RMA_COMPLETE:
		rma_drop(mp, id);
		w->side[r.target].completes++;
		side_wake(mp, w, r.target);
		return 0;
	default: /* ACK, GRANT: the origin waits for it; origin and target are those of the request */
		rma_drop(mp, id);
		n = r.kind == RMA_ACK ? r.target : r.origin;
		if (--op_of(mp, world_of(mp, w, n))->set.pending == 0)
			side_wake(mp, w, n);
		return 0;
	}
}

/* --- windows --- */

static int handshake(const struct coll_args *whole, uint32_t rank, struct coll_args *phase, struct coll_view *view)
{
	(void)whole, (void)rank, (void)view;
	phase->kind = COLL_ALLGATHER;
	phase->count = phase->count2 = 32;
	phase->type_size = phase->type_size2 = 1;
	return 1;
}

static const struct coll_alg window_setup = {
    .kind = COLL_BARRIER, .name = "window", .phase = {{.choose = coll_selected, .args = handshake}, {.choose = coll_selected}}};

/* Index of a window, and this rank's side; -1. */
static int window_get(struct mp *mp, uint32_t rank, struct mp_win win, uint32_t *member, struct err *err)
{
	struct window *w = win.v < mp->n_windows ? &mp->windows[win.v] : NULL;
	int32_t place = w && w->side ? comm_place(&mp->comms[w->comm], rank) : -1;

	if (place < 0 || !w->side[place].joined || w->side[place].left)
		return mp_error(mp, rank, err, "window %u was not made by this rank, or is freed", win.v);
	*member = (uint32_t)place;
	return 0;
}

/* One of this communicator that all have freed and nothing is under way for, out of its list; or NONE. */
static uint32_t window_used(struct mp *mp, uint32_t comm)
{
	uint32_t *at = &mp->comms[comm].windows, id;

	while (*at != 0) {
		struct window *w = &mp->windows[*at - 1];

		if (w->left == w->n && w->live == 0) {
			id = *at - 1;
			*at = w->next;
			window_release(w);
			return id;
		}
		at = &w->next;
	}
	return NONE;
}

static uint32_t window_new(struct mp *mp, uint32_t comm, struct err *err)
{
	uint32_t n = mp->comms[comm].n, i, *at, id = window_used(mp, comm);
	struct window *all;
	struct win_side *side = calloc(n, sizeof *side);

	if (!side) {
		err_nomem(err, "a window", n * sizeof *side);
		return NONE;
	}
	if (id == NONE) {
		all = vec_grow(mp->windows, &mp->windows_cap, sizeof *all, (size_t)mp->n_windows + 1, "windows", err);
		if (!all) {
			free(side);
			return NONE;
		}
		mp->windows = all;
		id = mp->n_windows++;
	}
	for (i = 0; i < n; i++)
		side[i].first = side[i].queue = NONE;
	mp->windows[id] = (struct window){.comm = comm, .n = n, .side = side};
	for (at = &mp->comms[comm].windows; *at != 0; at = &mp->windows[*at - 1].next)
		;
	*at = id + 1;
	return id;
}

int mp_win_make(struct mp *mp, uint32_t rank, struct mp_comm comm, struct mp_win *out, struct err *err)
{
	const struct coll_args args = {.kind = COLL_BARRIER};
	const struct coll_form form = {.alg = &window_setup, .call = CALL_WIN};
	struct comm *c = comm_get(mp, rank, comm, err);
	uint32_t place, at;

	if (!c)
		return MP_ERROR;
	if (c->split)
		return mp_error(mp, rank, err, "a window on an intercommunicator");
	place = (uint32_t)comm_place(c, rank);
	for (at = c->windows; at != 0 && mp->windows[at - 1].side[place].joined; at = mp->windows[at - 1].next)
		;
	out->v = at ? at - 1 : window_new(mp, comm.v, err);
	if (out->v == NONE)
		return MP_ERROR;
	mp->windows[out->v].side[place].joined = 1;
	return coll_begin(mp, rank, comm, &args, 0, &form, err);
}

/* --- operations of a rank on a window: op->cursor is the window, op->given the target (NONE: all), op->stage where it is --- */

enum { DRAINS, DRAINED, ACKED, LAST };

enum { HEADER = 1 }; /* bytes: what has no data is yet something to send (overheads of nothing are 0) */

/* What n messages without data cost their sender: 1 while it pays; 0: it has paid; -1. */
static int messages_pay(struct mp *mp, struct op *op, uint32_t n, struct err *err)
{
	double cost = op->paid ? 0 : n * isend_overhead(mp, op->rank, HEADER);

	if (cost <= 0)
		return 0;
	op->paid = 1;
	return op_sleep(mp, op, cost, err) == MP_ERROR ? -1 : 1;
}

static uint32_t side_of(struct mp *mp, const struct op *op)
{
	return (uint32_t)comm_place(&mp->comms[mp->windows[op->cursor].comm], op->rank);
}

/* Waits for what it has sent to the target, or to all: 1 if there is nothing (any more). */
static int drained(struct mp *mp, struct op *op, struct win_side *s)
{
	uint32_t id;

	op->set.pending = 0;
	for (id = s->first; id != NONE; id = mp->rmas[id].next) {
		if (op->given != NONE && mp->rmas[id].target != op->given)
			continue;
		mp->rmas[id].awaited = 1;
		op->set.pending++;
	}
	s->waits = op->set.pending > 0;
	return !s->waits;
}

/* Asks all targets that got something, or one, for an acknowledgement. */
static int acks_ask(struct mp *mp, struct op *op, uint32_t me, struct err *err)
{
	struct win_side *s = &mp->windows[op->cursor].side[me];
	uint32_t i, kept = 0;

	op->set.pending = 1; /* those on oneself come at once */
	s->waits = 0;
	for (i = 0; i < s->n_touched; i++) {
		if (op->given != NONE && s->touched[i] != op->given) {
			s->touched[kept++] = s->touched[i];
			continue;
		}
		op->set.pending++;
		if (notice(mp, RMA_ACK, op->cursor, s->touched[i], me, err) < 0)
			return -1;
		s = &mp->windows[op->cursor].side[me];
	}
	s->n_touched = kept;
	s->waits = --op->set.pending > 0;
	return 0;
}

/* DRAINS --> DRAINED --> ACKED. MP_DONE at ACKED. */
static int flush_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = side_of(mp, op);
	struct win_side *s = &mp->windows[op->cursor].side[me];

	s->waits = 0;
	if (op->stage == DRAINS) {
		op->stage = DRAINED;
		if (!drained(mp, op, s))
			return MP_BLOCKED;
	}
	if (op->stage == DRAINED) {
		op->stage = ACKED;
		if (acks_ask(mp, op, me, err) < 0)
			return MP_ERROR;
		if (op->set.pending > 0)
			return MP_BLOCKED;
	}
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

static int flush_local_go(struct mp *mp, struct op *op, struct err *err)
{
	struct win_side *s = &mp->windows[op->cursor].side[side_of(mp, op)];

	(void)err;
	s->waits = 0;
	if (op->stage == DRAINS) {
		op->stage = DRAINED;
		if (!drained(mp, op, s))
			return MP_BLOCKED;
	}
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

static int release(struct mp *mp, struct op *op, uint32_t me, uint32_t target, int all, struct err *err)
{
	struct rma r = {
	    .kind = RMA_RELEASE, .all = (uint8_t)all, .win = op->cursor, .origin = me, .target = target, .handle = NONE};
	uint64_t key = pair_key(op->cursor, me, target, PAIR_LOCK);
	uint32_t held = all ? 0 : hash64_find(&mp->pairs, key), id;

	if (held == HASH_NONE)
		return mp_error(mp, op->rank, err, "unlocks rank %u of a window, which it has not locked", target);
	if (!all)
		hash64_remove(&mp->pairs, key);
	r.exclusive = held == 1;
	id = rma_new(mp, &r, err);
	return id == NONE ? -1 : rma_send(mp, id, me, target, 0, 0, err);
}

static int unlock_go(struct mp *mp, struct op *op, struct err *err)
{
	int status = op->paid ? MP_DONE : flush_go(mp, op, err), all = op->call == CALL_WIN_UNLOCK && op->given == NONE;

	if (status == MP_DONE)
		status = messages_pay(mp, op, 1, err); /* the release */
	if (status != MP_DONE)
		return status;
	return release(mp, op, side_of(mp, op), all ? 0 : op->given, all, err) < 0 ? MP_ERROR : MP_DONE;
}

static int lock_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = side_of(mp, op), id;
	int all = op->given == NONE;
	struct rma r = {.kind = RMA_LOCK,
	                .exclusive = op->flag,
	                .all = (uint8_t)all,
	                .win = op->cursor,
	                .origin = me,
	                .target = all ? 0 : op->given,
	                .handle = NONE};

	int paying;

	if (op->stage == LAST) {
		op->waited = engine_now(mp->engine) - op->since;
		return MP_DONE;
	}
	paying = messages_pay(mp, op, 1, err);
	if (paying)
		return paying;
	op->stage = LAST;
	if (!all && hash64_put(&mp->pairs, pair_key(op->cursor, me, op->given, PAIR_LOCK), op->flag, err) < 0)
		return MP_ERROR;
	op->set.pending = 1;
	mp->windows[op->cursor].side[me].waits = 0; /* a grant that comes at once wakes nobody */
	id = rma_new(mp, &r, err);
	if (id == NONE || rma_send(mp, id, me, r.target, 0, 0, err) < 0)
		return MP_ERROR;
	mp->windows[op->cursor].side[me].waits = op->set.pending > 0;
	return op->set.pending > 0 ? MP_BLOCKED : MP_DONE;
}

/* Own operations have arrived; then all meet. */
static int fence_go(struct mp *mp, struct op *op, struct err *err)
{
	struct win_side *s = &mp->windows[op->cursor].side[side_of(mp, op)];
	const struct coll_args barrier = {.kind = COLL_BARRIER};
	const struct coll_form form = {.call = op->call};

	s->waits = 0;
	if (op->stage == DRAINS) {
		op->stage = DRAINED;
		if (!drained(mp, op, s))
			return MP_BLOCKED;
	}
	s->n_touched = 0;
	op->stage = 0;
	op->run = coll_go;
	return coll_join(mp, op, (struct mp_comm){mp->windows[op->cursor].comm}, &barrier, &form, err) < 0 ? MP_ERROR
	                                                                                                   : coll_go(mp, op, err);
}

static int complete_go(struct mp *mp, struct op *op, struct err *err)
{
	int status = op->paid ? MP_DONE : flush_local_go(mp, op, err);
	uint32_t me = side_of(mp, op), i;

	if (status == MP_DONE)
		status = messages_pay(mp, op, mp->windows[op->cursor].side[me].n_group, err);
	if (status != MP_DONE)
		return status;
	for (i = 0; i < mp->windows[op->cursor].side[me].n_group; i++)
		if (notice(mp, RMA_COMPLETE, op->cursor, me, mp->windows[op->cursor].side[me].group[i], err) < 0)
			return MP_ERROR;
	mp->windows[op->cursor].side[me].n_group = mp->windows[op->cursor].side[me].n_touched = 0;
	return MP_DONE;
}

static int wait_completes_go(struct mp *mp, struct op *op, struct err *err)
{
	struct win_side *s = &mp->windows[op->cursor].side[side_of(mp, op)];

	(void)err;
	s->waits = s->completes < s->posted;
	if (s->waits)
		return MP_BLOCKED;
	s->completes -= s->posted;
	s->posted = 0;
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

/* Waits for the post of each of its group. */
static int start_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = side_of(mp, op), n;
	struct win_side *s = &mp->windows[op->cursor].side[me];
	uint64_t key;

	for (; op->given < s->n_group; op->given++) {
		key = pair_key(op->cursor, me, s->group[op->given], PAIR_POSTS);
		n = hash64_find(&mp->pairs, key);
		s->waits = n == HASH_NONE;
		if (s->waits)
			return MP_BLOCKED;
		hash64_remove(&mp->pairs, key);
		if (n > 1 && hash64_put(&mp->pairs, key, n - 1, err) < 0)
			return MP_ERROR;
	}
	op->waited = engine_now(mp->engine) - op->since;
	return MP_DONE;
}

static int post_go(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t me = side_of(mp, op), i;
	int paying = messages_pay(mp, op, mp->windows[op->cursor].side[me].n_notified, err);

	if (paying)
		return paying;
	for (i = 0; i < mp->windows[op->cursor].side[me].n_notified; i++)
		if (notice(mp, RMA_POST, op->cursor, me, mp->windows[op->cursor].side[me].notified[i], err) < 0)
			return MP_ERROR;
	mp->windows[op->cursor].side[me].n_notified = 0;
	return MP_DONE;
}

static int target_find(struct mp *mp, uint32_t rank, const struct window *w, int32_t world, uint32_t *out, struct err *err)
{
	int32_t place = world < 0 ? -1 : comm_place(&mp->comms[w->comm], (uint32_t)world);

	if (place < 0)
		return mp_error(mp, rank, err, "rank %d is not in this window's communicator", world);
	*out = (uint32_t)place;
	return 0;
}

int mp_win_sync(struct mp *mp, uint32_t rank, struct mp_win win, enum mp_win_sync what, int32_t target, struct err *err)
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
	    [MP_WIN_UNLOCK] = {unlock_go, CALL_WIN_UNLOCK},
	    [MP_WIN_FLUSH] = {flush_go, CALL_WIN_FLUSH},
	    [MP_WIN_FLUSH_LOCAL] = {flush_local_go, CALL_WIN_FLUSH},
	    [MP_WIN_FREE] = {fence_go, CALL_WIN},
	};
	uint32_t me, to = NONE;
	struct op *op;

	if (window_get(mp, rank, win, &me, err) < 0)
		return MP_ERROR;
	if (target != MP_ANY && target_find(mp, rank, &mp->windows[win.v], target, &to, err) < 0)
		return MP_ERROR;
	op = op_begin(mp, rank, how[what].call, how[what].run, err);
	if (!op)
		return MP_ERROR;
	op->cursor = win.v;
	op->given = to;
	op->flag = what == MP_WIN_LOCK_EXCLUSIVE;
	op->partner = target >= 0 ? target : -1;
	if (what == MP_WIN_FREE)
		mp->windows[win.v].side[me].left = 1, mp->windows[win.v].left++;
	return op_start(mp, op, err);
}

int mp_win_group(struct mp *mp, uint32_t rank, struct mp_win win, int post, const int32_t *members, uint32_t n, struct err *err)
{
	uint32_t me, i, *group;
	struct win_side *s;
	struct op *op;

	if (window_get(mp, rank, win, &me, err) < 0)
		return MP_ERROR;
	group = malloc((n ? n : 1) * sizeof *group);
	if (!group)
		return err_nomem(err, "a group", n * sizeof *group);
	for (i = 0; i < n; i++) {
		if (target_find(mp, rank, &mp->windows[win.v], members[i], &group[i], err) < 0) {
			free(group);
			return MP_ERROR;
		}
	}
	op = op_begin(mp, rank, post ? CALL_WIN_POST : CALL_WIN_START, post ? post_go : start_go, err);
	s = &mp->windows[win.v].side[me];
	free(post ? s->notified : s->group);
	if (post) {
		s->notified = group;
		s->n_notified = s->posted = n;
	} else {
		s->group = group;
		s->n_group = n;
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
	uint32_t id = op->cursor;
	const struct rma r = mp->rmas[id];
	double there = r.back < 0 || op->flag ? op->bytes : 0;

	if (op->stage == 0 && op->volume > 0) {
		op->stage = 1;
		return op_sleep(mp, op, op->volume, err);
	}
	return rma_send(mp, id, r.origin, r.target, there, 0, err) < 0 ? MP_ERROR : MP_DONE;
}

static enum mp_call rma_call(enum mp_rma kind)
{
	return kind == MP_PUT ? CALL_PUT : kind == MP_GET ? CALL_GET : CALL_ACCUMULATE;
}

/* Listed among the origin's operations under way. */
static uint32_t data_make(struct mp *mp, uint32_t win, uint32_t me, uint32_t to, double back, struct err *err)
{
	uint32_t first = mp->windows[win].side[me].first;
	struct rma r = {
	    .kind = RMA_DATA, .win = win, .origin = me, .target = to, .next = first, .prev = NONE, .handle = NONE, .back = back};
	uint32_t id = rma_new(mp, &r, err);

	if (id == NONE)
		return NONE;
	if (first != NONE)
		mp->rmas[first].prev = id;
	mp->windows[win].side[me].first = id;
	return id;
}

static int to_nobody(struct mp *mp, struct op *op, struct err *err)
{
	(void)op;
	return op->cursor == NONE ? MP_DONE : req_complete(mp, op->cursor, err);
}

int mp_rma(struct mp *mp, uint32_t rank, struct mp_win win, enum mp_rma kind, int32_t target, double bytes, struct mp_request *out,
           struct err *err)
{
	struct op *op;
	uint32_t me, to = NONE, id = NONE, handle = NONE;

	if (window_get(mp, rank, win, &me, err) < 0)
		return MP_ERROR;
	if (target != MP_PROC_NULL && target_find(mp, rank, &mp->windows[win.v], target, &to, err) < 0)
		return MP_ERROR;
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
		if (id == NONE || (!answered && touch(&mp->windows[win.v].side[me], to, err) < 0))
			return MP_ERROR;
		mp->rmas[id].handle = handle;
	}
	op->cursor = to == NONE ? handle : id;
	op->flag = kind != MP_GET;
	op->volume = isend_overhead(mp, rank, kind == MP_GET ? HEADER : bytes);
	op->bytes = bytes;
	op->partner = target;
	return op_start(mp, op, err);
}
