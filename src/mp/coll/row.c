/* row.c: what a collective receives, without a request for each message.
 *
 * A rank in a blocking collective mostly waits for one message; a root for one of each member: a
 * million, posted one after the other. All that there is to know of such receives is which members
 * they are from, and how far each is. So receives that were posted at one date, from members that
 * follow each other, are a row: of one (ROW_ONE, which is in the record of the operation), or of
 * several (ROW_MANY, two bits each).
 *
 *   WAITING --row_takes, row_post--> MET --row_arrives--> COME --waited for--> GONE
 *      `--receive_part: it is a request from now on--> GONE
 *
 * The mate of a message that has met a row is MATE_ROW. Rows are only where receives cost their
 * rank nothing and nobody watches them (short.c); elsewhere, and where members
 * do not follow each other, receives are requests. So are pieces of messages, which are made one
 * where they go together (segments.c): each receive of a row is of a whole message.
 *
 * Invariants
 *  1. A receive of a row that waits is before all others that wait for that member's messages.
 *  2. A ROW_ONE that waits was posted at this date, or at that of the wait under way.
 *  3. row_awaited: the task waits for one receive, which is of the row. */
#include "coll_int.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"

#include <stdlib.h>

enum state { WAITING, MET, COME, GONE };

struct row {
	double posted;
	uint32_t first, n, cap;  /* from the members first, first + 1, … */
	uint32_t number, stride; /* as a request: of the first, from one to the next */
	uint32_t left, kept;     /* not come, nor gone; not gone */
	uint32_t awaited;        /* if row_awaited */
	uint32_t state[];        /* two bits each */
};

enum { IN_WORD = 16, ROW_FIRST = 4 * IN_WORD };

static double bytes_of(const struct op *t)
{
	return (double)(t->args->count * t->args->type_size);
}

/* --- one of the row: i, from 0 --- */

static enum state state_of(const struct op *t, uint32_t i)
{
	return t->row == ROW_ONE ? t->row_state
	                         : t->many->state[i / IN_WORD] >> i % IN_WORD * 2 & GONE;
}

static void state_set(struct op *t, uint32_t i, enum state state)
{
	uint32_t *word, at = i % IN_WORD * 2;

	if (t->row == ROW_ONE) {
		t->row_state = state & GONE;
		return;
	}
	word = &t->many->state[i / IN_WORD];
	*word = (*word & ~((uint32_t)GONE << at)) | (uint32_t)state << at;
}

static uint32_t row_first(const struct op *t)
{
	return t->row == ROW_ONE ? t->one.from : t->many->first;
}

static uint32_t row_size(const struct op *t)
{
	return t->row == NO_ROW ? 0 : t->row == ROW_ONE ? 1 : t->many->n;
}

/* Whether one waits that is from this member; *i. */
static int waits_for(const struct op *t, uint32_t member, uint32_t *i)
{
	if (t->row == NO_ROW)
		return 0;
	*i = member - row_first(t);
	return *i < row_size(t) && state_of(t, *i) == WAITING;
}

static uint32_t number_of(const struct op *t, uint32_t i)
{
	return t->row == ROW_ONE ? t->one.number : t->many->number + i * t->many->stride;
}

/* It has been waited for, or is a request now. */
static void leave(struct op *t, uint32_t i)
{
	state_set(t, i, GONE);
	t->row_awaited = 0;
	if (t->row == ROW_ONE || --t->many->kept == 0)
		task_row_drop(t);
}

static int waits_now(const struct op *t)
{
	return t->wait != TASK_RUNS && t->wait_stage == TASK_WAITS;
}

static int is_awaited(const struct op *t, uint32_t i)
{
	return t->row_awaited && (t->row == ROW_ONE || t->many->awaited == i);
}

/* One that waits becomes a request, its task waiting for that if it does; NONE on error. It is in
 * no queue of match.c. */
static uint32_t receive_part(struct mp *mp, struct op *t, uint32_t i, struct err *err)
{
	uint32_t r = req_new(mp, REQ_RECV, t->rank, REQ_HELD | REQ_INTERNAL | REQ_LIVE, err);
	int alone = is_awaited(t, i), waits = waits_now(t) && (alone || t->wait == TASK_WAITS_ALL);
	struct req *q;

	if (r == NONE)
		return NONE;
	q = &mp->reqs[r];
	q->owner = mp->ranks[t->rank].op;
	q->peer = comm_member(comm_of_ctx(mp, t->ctx), row_first(t) + i);
	q->ctx = t->ctx;
	q->tag = (int32_t)t->number;
	q->bytes = bytes_of(t);
	q->windex = number_of(t, i);
	q->call = t->call;
	q->more = 0;
	q->before = NONE;
	if (t->row == ROW_MANY)
		q->posted = t->many->posted;
	else if (waits_now(t))
		q->posted = t->wait_since;
	q->moved = q->posted;
	q->flags |= waits ? REQ_WAITED : 0;
	if (alone)
		t->target = r;
	else
		waitset_add(mp, &t->set, r);
	if (t->row == ROW_MANY)
		t->many->left--;
	leave(t, i);
	return r;
}

/* And is queued: nothing has come for it. */
static int receive_queue(struct mp *mp, struct op *t, uint32_t i, struct err *err)
{
	uint32_t r = receive_part(mp, t, i, err), mate;

	return r == NONE || match_recv(mp, r, &mate, err) < 0 ? -1 : 0;
}

/* --- posting --- */

static int may_be_in_row(const struct mp *mp, const struct op *t, const struct coll_step *s)
{
	return mp->shortcuts.segments && !t->apart && !mp->overheads.local &&
	       overheads_none(mp, t->rank) && !args_of(t)->owner && s->peer != t->me &&
	       s->len == t->args->count * t->args->type_size;
}

static int row_widen(struct op *t, uint32_t n, struct err *err)
{
	struct row *row = t->row == ROW_MANY ? t->many : NULL;
	uint32_t cap = row ? row->cap : 0, more = cap ? 2 * cap : ROW_FIRST;
	size_t bytes = sizeof *row + more / IN_WORD * sizeof row->state[0];

	if (n <= cap)
		return 0;
	row = realloc(row, bytes);
	if (!row)
		return err_nomem(err, "receives of a collective", bytes);
	row->cap = more;
	t->many = row;
	return 0;
}

/* A row of one becomes one of several. */
static int row_of_several(struct mp *mp, struct op *t, uint32_t stride, struct err *err)
{
	uint32_t from = t->one.from, number = t->one.number;
	enum state state = t->row_state;

	if (row_widen(t, 2, err) < 0) {
		t->one.from = from;
		t->one.number = number;
		return -1;
	}
	t->row = ROW_MANY;
	t->many->posted = engine_now(mp->engine);
	t->many->first = from;
	t->many->n = t->many->kept = 1;
	t->many->number = number;
	t->many->stride = stride;
	t->many->left = state < COME;
	t->many->awaited = 0;
	state_set(t, 0, state);
	return 0;
}

/* Of two receives that are to follow each other. One's own place is passed over. */
static int follows(const struct mp *mp, const struct op *t, const struct coll_step *s)
{
	uint32_t next = row_first(t) + row_size(t), by;

	if (s->kind != STEP_IRECV || (s->peer != next && (s->peer != next + 1 || next != t->me)))
		return 0;
	by = s->peer - row_first(t);
	if (t->row == ROW_ONE)
		return s->req > t->one.number && (s->req - t->one.number) % by == 0;
	return t->many->posted == engine_now(mp->engine) &&
	       s->req == t->many->number + by * t->many->stride;
}

/* 1: it is the last of the row now, 0: it cannot be, or -1. */
static int row_add(struct mp *mp, struct op *t, const struct coll_step *s, struct err *err)
{
	struct row *row;

	if (t->row == NO_ROW) {
		t->row = ROW_ONE;
		t->row_state = WAITING;
		t->one.from = s->peer;
		t->one.number = s->req;
		return 1;
	}
	if (!follows(mp, t, s))
		return 0;
	if (t->row == ROW_ONE &&
	    row_of_several(mp, t, (s->req - t->one.number) / (s->peer - t->one.from), err) < 0)
		return -1;
	if (row_widen(t, s->peer - t->many->first + 1, err) < 0)
		return -1;
	row = t->many;
	if (s->peer > row->first + row->n)
		state_set(t, row->n++, GONE);
	state_set(t, row->n++, WAITING);
	row->left++;
	row->kept++;
	return 1;
}

/* The first message of a member waits for its receive. */
static int is_whole(const struct op *t, const struct req *q)
{
	return q->kind == REQ_SEND && q->more == 0 && q->bytes == bytes_of(t) &&
	       (!(q->flags & REQ_MOVING) || q->rider == NONE);
}

int row_post(struct mp *mp, struct op *t, const struct coll_step *s, struct err *err)
{
	uint32_t i, first;
	int status;

	if (s->kind != STEP_RECV && s->kind != STEP_IRECV)
		return 0;
	if (waits_for(t, s->peer, &i))
		return receive_queue(mp, t, i, err);
	if (!may_be_in_row(mp, t, s))
		return 0;
	first = match_first(mp, t->ctx, t->rank, comm_member(comm_of_ctx(mp, t->ctx), s->peer),
	                    (int32_t)t->number);
	if (first != NONE && !is_whole(t, &mp->reqs[first]))
		return 0;
	status = row_add(mp, t, s, err);
	if (status != 1)
		return status;
	if (s->kind == STEP_RECV) {
		t->wait = TASK_WAITS_ONE;
		t->row_awaited = 1;
	}
	if (first == NONE)
		return 1;
	match_remove(mp, first);
	state_set(t, s->peer - row_first(t), MET);
	return transfer_join(mp, first, MATE_ROW, err) < 0 ? -1 : 1;
}

/* --- messages --- */

static int row_takes(struct mp *mp, uint32_t send, uint32_t *mate, struct err *err)
{
	const struct req *q = &mp->reqs[send];
	uint32_t slot = mp->ranks[q->peer].op, i;
	struct op *t = slot == NONE ? NULL : op_at(mp, slot);

	*mate = NONE;
	if (!t || !t->is_task || t->row == NO_ROW || t->ctx != q->ctx ||
	    t->number != (uint32_t)q->tag ||
	    !waits_for(t, (uint32_t)comm_place(comm_of_ctx(mp, q->ctx), q->rank), &i))
		return 0;
	if (q->bytes != bytes_of(t)) {
		*mate = receive_part(mp, t, i, err);
		return *mate == NONE ? -1 : 0;
	}
	state_set(t, i, MET);
	*mate = MATE_ROW;
	return 0;
}

static void row_arrives(struct mp *mp, uint32_t send)
{
	const struct req *q = &mp->reqs[send];
	struct op *t = op_of(mp, q->peer);
	uint32_t i;

	BUG_ON(!t->is_task || t->row == NO_ROW);
	i = t->row == ROW_ONE
	        ? 0
	        : (uint32_t)comm_place(comm_of_ctx(mp, q->ctx), q->rank) - t->many->first;
	state_set(t, i, COME);
	if (t->row == ROW_MANY)
		t->many->left--;
	if (!waits_now(t) || (t->wait == TASK_WAITS_ONE && !is_awaited(t, i)))
		return;
	if (q->moved > t->set.moved)
		t->set.moved = q->moved;
	if (--t->set.pending == 0)
		rank_released(mp, t->rank);
}

void rows_init(struct mp *mp)
{
	mp->rows.takes = row_takes;
	mp->rows.arrives = row_arrives;
}

/* --- waiting --- */

int row_waits_one(struct op *t, uint32_t number)
{
	uint32_t i = 0;

	if (t->row == NO_ROW)
		return 0;
	if (t->row == ROW_MANY) {
		i = number - t->many->number;
		if (i % t->many->stride != 0)
			return 0;
		i /= t->many->stride;
	}
	if (i >= row_size(t) || number_of(t, i) != number || state_of(t, i) == GONE)
		return 0;
	if (t->row == ROW_MANY)
		t->many->awaited = i;
	t->row_awaited = 1;
	t->wait = TASK_WAITS_ONE;
	return 1;
}

uint32_t row_pending(const struct op *t)
{
	if (t->row == NO_ROW || (t->wait == TASK_WAITS_ONE && !t->row_awaited))
		return 0;
	if (t->row == ROW_MANY && t->wait == TASK_WAITS_ALL)
		return t->many->left;
	return state_of(t, t->row == ROW_MANY ? t->many->awaited : 0) < COME;
}

int row_blocks(struct mp *mp, struct op *t, struct err *err)
{
	if (t->row != ROW_ONE || t->row_state != WAITING || t->row_awaited ||
	    t->wait == TASK_WAITS_ALL)
		return 0;
	return receive_queue(mp, t, 0, err);
}

void row_forget_one(struct op *t)
{
	t->bytes += bytes_of(t);
	leave(t, t->row == ROW_MANY ? t->many->awaited : 0);
}

void row_forget(struct op *t)
{
	if (t->row == NO_ROW)
		return;
	t->bytes += bytes_of(t) * (t->row == ROW_MANY ? t->many->kept : 1);
	task_row_drop(t);
}

/* --- as requests, for who explains why nobody goes on --- */

static int rank_parts(struct mp *mp, uint32_t rank, struct err *err)
{
	struct op *t = mp->ranks[rank].op == NONE ? NULL : op_of(mp, rank);

	if (!t || !t->is_task)
		return 0;
	for (uint32_t i = 0; i < row_size(t); i++)
		if (state_of(t, i) == WAITING && receive_queue(mp, t, i, err) < 0)
			return -1;
	return 0;
}

/* The receive that a message under way has met. (The row of one that has arrived may be gone.) */
static int mate_part(struct mp *mp, uint32_t send, struct err *err)
{
	struct op *t = op_of(mp, mp->reqs[send].peer);
	uint32_t place = (uint32_t)comm_place(comm_of_ctx(mp, t->ctx), mp->reqs[send].rank),
	         r = receive_part(mp, t, place - row_first(t), err);

	if (r == NONE)
		return -1;
	mp->reqs[send].mate = r;
	mp->reqs[r].mate = send;
	return 0;
}

int rows_part(struct mp *mp, struct err *err)
{
	uint32_t i, n = mp->n_reqs;

	for (i = 0; i < n; i++)
		if (mp->reqs[i].kind == REQ_SEND && mp->reqs[i].mate == MATE_ROW &&
		    mp->reqs[i].flags & REQ_LIVE && mate_part(mp, i, err) < 0)
			return -1;
	for (i = 0; i < mp->n_ranks; i++)
		if (rank_parts(mp, i, err) < 0)
			return -1;
	return 0;
}
