/* access.c: put, get and accumulate as their origin calls them. What they send: rma.c. */
#include "mp/message/message.h"
#include "rma_int.h"

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
	    window_target(mp, rank, window_at(mp, win.v), target, &to, err) < 0)
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
	op->volume = isend_overhead(mp, rank, kind == MP_GET ? RMA_HEADER : bytes);
	op->bytes = bytes;
	op->partner = target;
	return op_start(mp, op, err);
}
