/* rma.c: one-sided communication: what an operation sends, in messages that match nothing (leg.c):
 *
 *   put, accumulate                   the data, to the target
 *   get                               a request there, the data back
 *   get_accumulate, fetch_and_op, …   the data there, and back
 *   flush, unlock                     when all that went there has arrived, an answer from each
 *                                     target that got something without answering (its
 *                                     acknowledgement)
 *   lock                              a request there, a grant back when nobody else holds it;
 *                                     lock_all: the same with rank 0 of the window
 *   unlock                            a release, after the flush; nobody waits for it
 *   post, complete                    a notice to each of the group; start and wait wait for those
 *   fence                             when one's own operations have arrived, a barrier
 *   create, free                      what the libraries exchange (window.c); a barrier
 *
 * Who answers at the target (setting smpi/one-sided):
 *
 *   hardware   nobody has to: an interface that reads and writes memory, or a thread. Open MPI's
 *              osc/rdma and osc/ucx, UCX on InfiniBand
 *   messages   its process, in its next call of MPI (progress.c): libraries over TCP, and MPICH's
 *              locks everywhere. Measured with a target that computes for 0.2 s: MPICH 4.0.2 over
 *              UCX's tcp, lock 204 ms, and over shared memory 216 ms; Open MPI 4.1.4 over
 *              osc/pt2pt, flush or unlock 216 to 264 ms. Each answer costs the target or of what it
 *              answers and os of the answer, as latency; data from the detached threshold on are
 *              asked for first, and go when both processes have seen that (Open MPI's put of 800
 *              kB: 207 ms)
 *
 * An operation, a request, a release and each notice pay the overhead of a non-blocking send. On
 * oneself everything is there at once. */
#include "rma.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/report/watch.h"
#include "mp/transport_int.h"
#include "rma_int.h"

#include <stdlib.h>
#include <string.h>

/* --- tables --- */

uint64_t pair_key(uint32_t win, uint32_t a, uint32_t b, enum rma_pair what)
{
	uint64_t x = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;

	return x ^ ((uint64_t)win << 2 | (uint64_t)what) * 0xc2b2ae3d27d4eb4fu;
}

uint32_t rma_new(struct mp *mp, const struct rma *init, struct err *err)
{
	uint32_t id = slots_take(&mp->rma.slots, err);

	if (id == NONE)
		return NONE;
	*rma_at(mp, id) = *init;
	window_at(mp, init->win)->live++;
	return id;
}

static void rma_drop(struct mp *mp, uint32_t id)
{
	const uint32_t win = rma_at(mp, id)->win;

	if (--window_at(mp, win)->live == 0)
		window_lessen(mp, win);
	*rma_at(mp, id) = (struct rma){.kind = RMA_FREE};
	slots_give(&mp->rma.slots, id);
}

void rmas_release(struct mp *mp)
{
	for (uint32_t i = 0; i < mp->rma.windows.n; i++)
		window_release(window_at(mp, i));
	slots_release(&mp->rma.windows);
	slots_release(&mp->rma.slots);
	free(mp->rma.held);
	hash64_release(&mp->rma.pairs);
}

uint32_t rma_world(const struct mp *mp, const struct window *w, uint32_t member)
{
	return comm_member(comm_at(mp, w->comm), member);
}

/* The rank of a member is blocked in an operation on the window, which looks again whether it can
 * go on. */
static void side_wake(struct mp *mp, const struct window *w, uint32_t member, enum rma_waits what)
{
	uint32_t rank = rma_world(mp, w, member);

	if (w->side[member].waits != what)
		return;
	watch_released(mp, rank);
	rank_released(mp, rank);
}

/* --- messages --- */

static int rma_arrived(struct mp *mp, uint32_t id, uint32_t stage, struct err *err);

static int send_after(struct mp *mp, uint32_t id, uint32_t from, uint32_t to, double bytes,
                      enum rma_stage stage, double delay, struct err *err)
{
	const struct window *w = window_at(mp, rma_at(mp, id)->win);
	const struct leg_call call = {.arrived = rma_arrived,
	                              .owner = id,
	                              .index = stage,
	                              .from = rma_world(mp, w, from),
	                              .to = rma_world(mp, w, to),
	                              .ctx = comm_at(mp, w->comm)->ctx,
	                              .bytes = bytes,
	                              .delay = delay};

	return from == to ? rma_arrived(mp, id, stage, err) : leg_start(mp, &call, err);
}

int rma_send(struct mp *mp, uint32_t id, uint32_t from, uint32_t to, double bytes,
             enum rma_stage stage, struct err *err)
{
	return send_after(mp, id, from, to, bytes, stage, 0, err);
}

/* What a process answers to a message of `got` bytes. */
static int answer(struct mp *mp, uint32_t id, uint32_t from, uint32_t to, double got, double bytes,
                  enum rma_stage stage, struct err *err)
{
	uint32_t rank = rma_world(mp, window_at(mp, rma_at(mp, id)->win), from);
	double delay = mp->rma.by_messages
	                   ? answer_overhead(mp, rank, got > RMA_HEADER ? got : RMA_HEADER,
	                                     bytes > RMA_HEADER ? bytes : RMA_HEADER)
	                   : 0;

	return send_after(mp, id, from, to, bytes, stage, delay, err);
}

int rma_notice(struct mp *mp, enum rma_kind kind, uint32_t win, uint32_t origin, uint32_t target,
               struct err *err)
{
	uint32_t id = rma_new(mp,
	                      &(struct rma){.kind = (uint8_t)kind,
	                                    .win = win,
	                                    .origin = origin,
	                                    .target = target,
	                                    .handle = NONE},
	                      err);

	return id == NONE ? -1 : rma_send(mp, id, origin, target, 0, STAGE_THERE, err);
}

/* --- what waits for a call of a rank --- */

/* 1: it was put aside, until the rank (a member) is in a call of MPI. A rank that has ended has
 * nothing more to do. */
static int put_aside(struct mp *mp, uint32_t id, uint32_t member, enum rma_stage stage,
                     struct err *err)
{
	struct rma *r = rma_at(mp, id);
	uint32_t rank = rma_world(mp, window_at(mp, r->win), member), *at;

	if (!mp->rma.by_messages || r->origin == r->target || progress_sees(mp, rank) ||
	    mp->ranks[rank].ended)
		return 0;
	if (!mp->rma.held) {
		mp->rma.held = malloc(mp->n_ranks * sizeof *mp->rma.held);
		if (!mp->rma.held)
			return err_nomem(err, "one-sided operations of ranks",
			                 mp->n_ranks * sizeof *mp->rma.held);
		memset(mp->rma.held, 0xff, mp->n_ranks * sizeof *mp->rma.held);
	}
	for (at = &mp->rma.held[rank]; *at != NONE; at = &rma_at(mp, *at)->held)
		;
	*at = id;
	r->held = NONE;
	r->stage = (uint8_t)stage;
	progress_stall(mp, rank, PROGRESS_ONE_SIDED, rma_progress);
	return 1;
}

int rma_progress(struct mp *mp, uint32_t rank, struct err *err)
{
	uint32_t id;

	while (mp->rma.held && (id = mp->rma.held[rank]) != NONE) {
		mp->rma.held[rank] = rma_at(mp, id)->held;
		rma_at(mp, id)->seen = 1;
		if (rma_arrived(mp, id, rma_at(mp, id)->stage, err) < 0)
			return -1;
	}
	return 0;
}

static int ack_send(struct mp *mp, uint32_t id, struct err *err)
{
	const struct rma *r = rma_at(mp, id);

	return answer(mp, id, r->origin, r->target, 0, 0, STAGE_BACK, err);
}

/* In its message, origin is who sends it. */
int rma_ack(struct mp *mp, uint32_t win, uint32_t origin, uint32_t target, struct err *err)
{
	uint32_t id = rma_new(
	    mp,
	    &(struct rma){
	        .kind = RMA_ACK, .win = win, .origin = target, .target = origin, .handle = NONE},
	    err);
	int aside = id == NONE ? -1 : put_aside(mp, id, target, STAGE_THERE, err);

	return aside == 0 ? ack_send(mp, id, err) : aside < 0 ? -1 : 0;
}

/* --- data --- */

static int data_over(struct mp *mp, uint32_t id, struct err *err)
{
	const struct rma r = *rma_at(mp, id);
	struct window *w = window_at(mp, r.win);

	if (r.prev == NONE)
		w->side[r.origin].first = r.next;
	else
		rma_at(mp, r.prev)->next = r.next;
	if (r.next != NONE)
		rma_at(mp, r.next)->prev = r.prev;
	rma_drop(mp, id);
	if (r.awaited && --op_of(mp, rma_world(mp, w, r.origin))->set.pending == 0)
		side_wake(mp, w, r.origin, WAITS_ANSWERS);
	return r.handle == NONE ? 0 : req_complete(mp, r.handle, err);
}

int rma_data_send(struct mp *mp, uint32_t id, struct err *err)
{
	const struct rma *r = rma_at(mp, id);
	int asks = mp->rma.by_messages && r->there >= mp->detached && r->origin != r->target;

	return rma_send(mp, id, r->origin, r->target, asks ? 0 : r->there,
	                asks ? STAGE_ASKED : STAGE_THERE, err);
}

/* 1 while it waits for the process that it has come to. */
static int data_arrived(struct mp *mp, uint32_t id, enum rma_stage stage, struct err *err)
{
	const struct rma r = *rma_at(mp, id);
	int aside;

	if (stage == STAGE_BACK || (stage == STAGE_THERE && r.back < 0))
		return data_over(mp, id, err);
	aside = r.seen
	            ? 0
	            : put_aside(mp, id, stage == STAGE_ANSWERED ? r.origin : r.target, stage, err);
	if (aside)
		return aside < 0 ? -1 : 0;
	rma_at(mp, id)->seen = 0;
	if (stage == STAGE_THERE)
		return answer(mp, id, r.target, r.origin, r.there, r.back, STAGE_BACK, err);
	return stage == STAGE_ASKED
	           ? answer(mp, id, r.target, r.origin, 0, 0, STAGE_ANSWERED, err)
	           : answer(mp, id, r.origin, r.target, 0, r.there, STAGE_THERE, err);
}

/* --- locks --- */

static int lock_is_free(const struct window *w, const struct rma *r)
{
	const struct win_side *t = &w->side[r->target];

	if (r->all)
		return w->exclusives == 0;
	return r->exclusive ? !t->exclusive && t->holders == 0 && w->shared_all == 0
	                    : !t->exclusive;
}

static int lock_grant(struct mp *mp, uint32_t id, struct err *err)
{
	struct rma *r = rma_at(mp, id);
	struct window *w = window_at(mp, r->win);
	struct win_side *t = &w->side[r->target];

	if (r->all)
		w->shared_all++;
	else if (r->exclusive)
		t->exclusive = 1, w->exclusives++;
	else
		t->holders++;
	r->kind = RMA_GRANT;
	return answer(mp, id, r->target, r->origin, 0, 0, STAGE_BACK, err);
}

/* Takes id, which comes after `before` (NONE: the first), out of what waits at a target. */
static void queue_leave(struct mp *mp, struct win_side *t, uint32_t id, uint32_t before)
{
	uint32_t next = rma_at(mp, id)->next;

	if (before == NONE)
		t->queue = next;
	else
		rma_at(mp, before)->next = next;
	if (t->queue_last == id)
		t->queue_last = before;
}

/* Grants what waits at a target, first come first served; but who shares need not wait for a
 * lock_all that waits, which will share too: it may hold what that one waits for. */
static int queue_serve(struct mp *mp, uint32_t win, uint32_t target, struct err *err)
{
	uint32_t id = window_at(mp, win)->side[target].queue, before = NONE, next;

	for (; id != NONE; id = next) {
		struct rma *r = rma_at(mp, id);

		next = r->next;
		if (lock_is_free(window_at(mp, win), r) && (before == NONE || !r->exclusive)) {
			queue_leave(mp, &window_at(mp, win)->side[target], id, before);
			if (lock_grant(mp, id, err) < 0)
				return -1;
		} else if (r->all) {
			before = id;
		} else {
			break;
		}
	}
	return 0;
}

static int lock_asked(struct mp *mp, uint32_t id, struct err *err)
{
	struct rma *r = rma_at(mp, id);
	struct win_side *t = &window_at(mp, r->win)->side[r->target];

	r->next = NONE;
	if (t->queue == NONE)
		t->queue = id;
	else
		rma_at(mp, t->queue_last)->next = id;
	t->queue_last = id;
	return queue_serve(mp, r->win, r->target, err);
}

static int lock_released(struct mp *mp, const struct rma *r, struct err *err)
{
	struct window *w = window_at(mp, r->win);
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

/* From who posted to who will start. */
static int post_arrived(struct mp *mp, const struct rma *r, struct err *err)
{
	uint64_t key = pair_key(r->win, r->target, r->origin, PAIR_POSTS);
	uint32_t n = hash64_find(&mp->rma.pairs, key);

	if (hash64_put(&mp->rma.pairs, key, n == HASH_NONE ? 1 : n + 1, err) < 0)
		return -1;
	side_wake(mp, window_at(mp, r->win), r->target, WAITS_NOTICES);
	return 0;
}

static void complete_arrived(struct mp *mp, const struct rma *r)
{
	struct win_side *s = &window_at(mp, r->win)->side[r->target];

	for (uint32_t i = 0; i < s->posted; i++)
		if (s->notified[i] == r->origin)
			s->notified[i] = NONE;
	s->completes++;
	side_wake(mp, window_at(mp, r->win), r->target, WAITS_NOTICES);
}

/* An acknowledgement, a grant: what its rank waits for. */
static void answer_arrived(struct mp *mp, const struct rma *r)
{
	const struct window *w = window_at(mp, r->win);
	uint32_t member = r->kind == RMA_ACK ? r->target : r->origin;

	if (--op_of(mp, rma_world(mp, w, member))->set.pending == 0)
		side_wake(mp, w, member, WAITS_ANSWERS);
}

static int rma_arrived(struct mp *mp, uint32_t id, uint32_t stage, struct err *err)
{
	const struct rma r = *rma_at(mp, id);
	int aside = 0;

	if (r.kind == RMA_DATA)
		return data_arrived(mp, id, (enum rma_stage)stage, err);
	if (r.kind == RMA_ACK && stage == STAGE_THERE) /* its sender is in a call now */
		return ack_send(mp, id, err);
	if ((r.kind == RMA_LOCK || r.kind == RMA_RELEASE) && !r.seen)
		aside = put_aside(mp, id, r.target, STAGE_THERE, err);
	if (aside)
		return aside < 0 ? -1 : 0;
	if (r.kind == RMA_LOCK)
		return lock_asked(mp, id, err);
	rma_drop(mp, id);
	switch ((enum rma_kind)r.kind) {
	case RMA_RELEASE:
		return lock_released(mp, &r, err);
	case RMA_POST:
		return post_arrived(mp, &r, err);
	case RMA_COMPLETE:
		complete_arrived(mp, &r);
		return 0;
	default:
		answer_arrived(mp, &r);
		return 0;
	}
}

int rma_init(struct mp *mp, struct err *err)
{
	const char *text = config_text(mp->cfg, CFG_SMPI_ONE_SIDED);

	if (strcmp(text, "auto") == 0)
		text = mp->transport->ordered ? "messages" : "hardware";
	if (strcmp(text, "hardware") != 0 && strcmp(text, "messages") != 0)
		return err_set(
		    err, ERR_INPUT,
		    "setting smpi/one-sided takes hardware, messages or auto, not \"%s\"", text);
	mp->rma.by_messages = *text == 'm';
	slots_init(&mp->rma.slots, sizeof(struct rma), offsetof(struct rma, next),
	           "one-sided operations");
	slots_init(&mp->rma.windows, sizeof(struct window), offsetof(struct window, next),
	           "windows");
	return 0;
}
