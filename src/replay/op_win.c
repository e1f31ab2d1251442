/* op_win.c: one-sided communication. */
#include "replay_int.h"

static uint64_t object_key(uint32_t rank, int64_t number)
{
	return (uint64_t)rank << 32 | (uint32_t)number;
}

int object_find(struct replay *r, uint32_t rank, const struct hash64 *table,
                const struct trace_event *ev, uint32_t *out, struct err *err)
{
	*out = ev->object < 0 || ev->object > UINT32_MAX
	           ? HASH_NONE
	           : hash64_find(table, object_key(rank, ev->object));
	if (*out != HASH_NONE)
		return 0;
	return replay_error(r, rank, err, "%s of number %lld, which was not made by this rank",
	                    trace_op_name(ev->op), (long long)ev->object);
}

int object_add(struct replay *r, uint32_t rank, struct hash64 *table, const struct trace_event *ev,
               uint32_t id, struct err *err)
{
	if (ev->object < 0 || ev->object > UINT32_MAX)
		return replay_error(r, rank, err, "%s needs a number of 32 bits",
		                    trace_op_name(ev->op));
	if (hash64_find(table, object_key(rank, ev->object)) != HASH_NONE)
		return replay_error(r, rank, err, "%s gives number %lld again before it was freed",
		                    trace_op_name(ev->op), (long long)ev->object);
	return hash64_put(table, object_key(rank, ev->object), id, err);
}

void object_remove(uint32_t rank, struct hash64 *table, const struct trace_event *ev)
{
	hash64_remove(table, object_key(rank, ev->object));
}

static int win_create(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                      struct err *err)
{
	struct mp_comm comm;
	struct mp_win win;
	int s;

	if (comm_find(r, mp, rank, ev->comm, &comm, err) < 0)
		return MP_ERROR;
	s = mp_win_make(mp, rank, comm, &win, err);
	return s < 0 || object_add(r, rank, &r->windows, ev, win.v, err) < 0 ? MP_ERROR : s;
}

static int data(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                struct mp_win win, struct err *err)
{
	int one = ev->op == TRACE_FETCH_AND_OP || ev->op == TRACE_COMPARE_AND_SWAP, s;
	double bytes = (double)(one ? 1 : ev->count) * (double)ev->type_size;
	enum mp_rma kind = ev->op == TRACE_PUT          ? MP_PUT
	                   : ev->op == TRACE_GET        ? MP_GET
	                   : ev->op == TRACE_ACCUMULATE ? MP_ACCUMULATE
	                                                : MP_GET_ACCUMULATE;
	struct mp_request q;

	s = mp_rma(mp, rank, win, kind, ev->peer, bytes, ev->req >= 0 ? &q : NULL, err);
	if (s < 0 || ev->req < 0)
		return s;
	return entry_add(r, rank, ev, q, 0, err) < 0 ? MP_ERROR : s;
}

static enum mp_win_sync sync_of(const struct trace_event *ev)
{
	switch (ev->op) {
	case TRACE_WIN_FREE:
		return MP_WIN_FREE;
	case TRACE_WIN_COMPLETE:
		return MP_WIN_COMPLETE;
	case TRACE_WIN_WAIT:
		return MP_WIN_WAIT;
	case TRACE_WIN_LOCK:
	case TRACE_WIN_LOCK_ALL:
		return ev->flags & TRACE_UNCHECKED   ? MP_WIN_LOCK_UNCHECKED
		       : ev->flags & TRACE_EXCLUSIVE ? MP_WIN_LOCK_EXCLUSIVE
		                                     : MP_WIN_LOCK;
	case TRACE_WIN_UNLOCK:
	case TRACE_WIN_UNLOCK_ALL:
		return MP_WIN_UNLOCK;
	case TRACE_WIN_FLUSH:
	case TRACE_WIN_FLUSH_ALL:
		return MP_WIN_FLUSH;
	case TRACE_WIN_FLUSH_LOCAL:
	case TRACE_WIN_FLUSH_LOCAL_ALL:
		return MP_WIN_FLUSH_LOCAL;
	default:
		return MP_WIN_FENCE;
	}
}

static int has_target(uint8_t op)
{
	return op == TRACE_WIN_LOCK || op == TRACE_WIN_UNLOCK || op == TRACE_WIN_FLUSH ||
	       op == TRACE_WIN_FLUSH_LOCAL;
}

int op_window(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
              struct err *err)
{
	struct mp_win win;
	int post = ev->op == TRACE_WIN_POST;

	if (ev->op == TRACE_WIN_CREATE)
		return win_create(r, mp, rank, ev, err);
	if (object_find(r, rank, &r->windows, ev, &win.v, err) < 0)
		return MP_ERROR;
	if (trace_op_has(ev->op, TRACE_REMOTE))
		return data(r, mp, rank, ev, win, err);
	if (post || ev->op == TRACE_WIN_START)
		return mp_win_group(mp, rank, win, post, ev->members, (uint32_t)ev->n_members, err);
	if (has_target(ev->op) && ev->peer == TRACE_PROC_NULL)
		return MP_DONE;
	if (ev->op == TRACE_WIN_FREE)
		object_remove(rank, &r->windows, ev);
	return mp_win_sync(mp, rank, win, sync_of(ev), has_target(ev->op) ? ev->peer : MP_ANY, err);
}
