/* deadlock.c: why nobody can go on: who waits for whom, in which call, where, since when, and the
 * cycle.
 *
 * Each blocked rank is taken to wait for one other: the peer of the first of its requests that is
 * not complete (for a collective, of the message it is blocked in). Following these arrows from any
 * rank ends in a cycle, in a rank that has ended, or in one that waits for anybody; the first cycle
 * found is told in full (up to a bound), then some of the others, then numbers. */
#include "mp/coll/collective.h"
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/rma/rma.h"
#include "mp/transport_int.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>

enum { CYCLE_LINES = 12, OTHER_LINES = 4 };

/* --- what a rank waits for --- */

static uint32_t first_pending(const struct mp *mp, const struct waitset *s)
{
	uint32_t r = s->first;

	while (r != NONE && mp->reqs[r].flags & REQ_DONE)
		r = mp->reqs[r].wnext;
	return r;
}

static uint32_t task_pending(const struct mp *mp, uint32_t task)
{
	const struct op *t = op_at(mp, task);

	return t->wait == TASK_WAITS_ONE ? t->target : first_pending(mp, &t->set);
}

/* The message that rank is blocked on, or NONE (delays, probes). */
static uint32_t awaited_request(const struct mp *mp, const struct op *op)
{
	uint32_t r = op_task(mp, op) != NONE ? task_pending(mp, op_task(mp, op))
	                                     : first_pending(mp, &op->set);

	if (op->call == CALL_BUFFER_DETACH || (r != NONE && is_flush(&mp->reqs[r])))
		return buffer_first(mp, op->rank);
	return r != NONE && mp->reqs[r].kind == REQ_COLL ? task_pending(mp, mp->reqs[r].mate) : r;
}

/* The collective decided as a whole that rank waits for, in its call or as a request, or NONE. */
static uint32_t awaited_whole(const struct mp *mp, const struct op *op)
{
	uint32_t r = op_task(mp, op) == NONE ? first_pending(mp, &op->set) : NONE,
	         task = op_task(mp, op);

	if (r != NONE && mp->reqs[r].kind == REQ_COLL)
		task = mp->reqs[r].mate;
	return task != NONE && op_at(mp, task)->wait == TASK_WAITS_MEMBERS ? task : NONE;
}

/* NONE: nobody in particular. */
static uint32_t awaited_rank(const struct mp *mp, uint32_t rank)
{
	uint32_t slot = mp->ranks[rank].op, r, whole, peer;
	const struct op *op;
	const char *what;

	if (slot ==
	    NONE) /* it waits for others to tell the program something (struct mp_program) */
		return NONE;
	op = op_at(mp, slot);
	r = awaited_request(mp, op);
	whole = awaited_whole(mp, op);
	if (whole != NONE)
		return whole_absent(mp, whole);
	if (r == NONE && (peer = window_awaits(mp, op, &what)) != NONE)
		return peer;
	if (r == NONE &&
	    (op->call == CALL_PROBE || op->call == CALL_IPROBE || op->call == CALL_MPROBE))
		return op->probe.peer >= 0 ? (uint32_t)op->probe.peer : NONE;
	if (r == NONE)
		return op->partner >= 0 ? (uint32_t)op->partner : NONE;
	peer = mp->reqs[r].kind == REQ_SEND || mp->reqs[r].mate == NONE
	           ? mp->reqs[r].peer
	           : mp->reqs[mp->reqs[r].mate].rank;
	return peer < mp->n_ranks ? peer : NONE;
}

/* --- in words --- */

static void tag_text(const struct req *q, struct str *out)
{
	if (q->ctx & CTX_COLL)
		str_printf(out, " in collective %u", (uint32_t)q->tag + 1);
	else if (q->tag == MP_ANY)
		str_puts(out, ", any tag");
	else
		str_printf(out, ", tag %d", q->tag);
	if (q->ctx & CTX_SLOT)
		str_printf(out, ", communicator %u", q->ctx & CTX_SLOT);
}

/* A message that came from the rank one waits for, but does not fit: often the mistake. */
static void near_miss_text(const struct mp *mp, const struct req *wanted, struct str *out)
{
	uint32_t r = mp->ranks[wanted->rank].arrived_first;

	while (r != NONE && (mp->reqs[r].rank != wanted->peer || wanted->ctx & CTX_COLL))
		r = mp->reqs[r].dst.next;
	if (r == NONE)
		return;
	str_printf(out, " (rank %u has sent it a message of %.0f bytes", wanted->peer,
	           mp->reqs[r].bytes);
	tag_text(&mp->reqs[r], out);
	str_puts(out, ")");
}

static void collective_text(const struct mp *mp, const struct req *q, struct str *out)
{
	const struct comm *c = comm_of_ctx(mp, q->ctx);
	int32_t place = q->ctx & CTX_COLL ? comm_place(c, q->peer)
	                                  : -1; /* of other messages it may be gone */

	if (place >= 0 && c->calls && c->calls[place] <= (uint32_t)q->tag)
		str_printf(out, " (rank %u has not called it)", q->peer);
}

/* A model of the user's moves messages as it likes. */
static void moving_text(const struct mp *mp, struct str *out)
{
	const char *model = net_plugin_name(mp->net);

	str_puts(out, "its message moves, and cannot arrive: ");
	if (model)
		str_printf(out, "the communication model %s never ends it, or ", model);
	str_puts(out, "a link on its way has no capacity");
}

static void request_text(const struct mp *mp, uint32_t r, struct str *out)
{
	const struct req *q = &mp->reqs[r];
	char where[WHERE_MAX];

	/* Through ports a message is sent at once, and its send waits for the receive. */
	if (q->mate != NONE || (q->flags & REQ_MOVING && !mp->transport->send)) {
		moving_text(mp, out);
		return;
	}
	if (q->kind == REQ_HANDLE) {
		str_printf(out, "waits for the end of a %s", mp_call_name(q->call));
		return;
	}
	if (q->kind == REQ_SEND)
		str_printf(out, "waits for rank %u to receive %.0f bytes", q->peer, q->bytes);
	else if (q->peer == ANY_PEER)
		str_printf(out, "waits for a message from any rank");
	else
		str_printf(out, "waits for a message from rank %u", q->peer);
	tag_text(q, out);
	if (q->op != event_of(mp, q->rank))
		str_printf(out, " (posted by its %s)",
		           where_text(mp, q->rank, q->op, where, sizeof where));
	collective_text(mp, q, out);
	if (q->kind == REQ_RECV && q->peer != ANY_PEER)
		near_miss_text(mp, q, out);
}

static void set_text(const struct mp *mp, const struct op *op, struct str *out)
{
	uint32_t r, n = 0, pending = 0;

	for (r = op_task(mp, op) == NONE ? op->set.first : NONE; r != NONE; r = mp->reqs[r].wnext) {
		n++;
		pending += !(mp->reqs[r].flags & REQ_DONE);
	}
	if (n > 1 && op->mode == WAIT_ALL)
		str_printf(out, "%u of its %u requests are not complete; the first ", pending, n);
	else if (n > 1)
		str_printf(out, "none of its %u requests is complete; the first ", n);
}

static void whole_text(const struct mp *mp, const struct op *t, uint32_t absent, struct str *out)
{
	const struct comm *c = comm_of_ctx(mp, t->ctx);
	uint32_t i, n = 0;

	for (i = 0; i < c->n; i++)
		n += (c->calls[i] & INT32_MAX) <= t->number;
	str_printf(out, "waits for rank %u", absent);
	if (n > 1)
		str_printf(out, " and %u more", n - 1);
	str_printf(out, " to call collective %u", t->number + 1);
	if (t->ctx & CTX_SLOT)
		str_printf(out, " of communicator %u", t->ctx & CTX_SLOT);
}

static void awaited_text(const struct mp *mp, uint32_t rank, struct str *out)
{
	const struct op *op = op_at(mp, mp->ranks[rank].op);
	uint32_t r = awaited_request(mp, op), peer = awaited_rank(mp, rank),
	         whole = awaited_whole(mp, op);
	const char *what = NULL;

	set_text(mp, op, out);
	if (whole != NONE && peer != NONE)
		whole_text(mp, op_at(mp, whole), peer, out);
	else if (r != NONE)
		request_text(mp, r, out);
	else if (op->call == CALL_PROBE || op->call == CALL_MPROBE)
		str_printf(out,
		           op->probe.peer < 0 ? "looks for a message from any rank"
		                              : "looks for a message from rank %d",
		           op->probe.peer);
	else if (op->among)
		str_puts(out, "waits for a message from any rank");
	else if (window_awaits(mp, op, &what) != NONE)
		str_printf(out, "waits for rank %u %s", peer, what);
	else if (op->call > CALL_SLEEP)
		str_puts(out, "waits for what another rank has not done");
	else
		str_puts(out, "cannot end: its host has no speed");
	if (peer != NONE && mp->ranks[peer].ended)
		str_printf(out, "; %srank %u has ended", mp->is_cut ? "the record of " : "", peer);
}

static void call_text(struct mp *mp, uint32_t rank, struct str *out)
{
	const struct op *op;
	char place[160], call[64] = "";

	mp_place(mp, rank, place, sizeof place);
	if (mp->program.call)
		mp->program.call(mp->program.self, rank, call, sizeof call);
	if (mp->ranks[rank].op == NONE) {
		str_printf(out, "%s%s%s%s: waits for the other members", *call ? ", " : "", call,
		           *place ? ", " : "", place);
		return;
	}
	op = op_at(mp, mp->ranks[rank].op);
	str_printf(out, ", %s since %.9g s%s%s: ", *call ? call : mp_call_name(op->call), op->since,
	           *place ? ", " : "", place);
	awaited_text(mp, rank, out);
}

static void rank_line(struct mp *mp, uint32_t rank, struct str *out)
{
	str_printf(out, "\n  rank %u", rank);
	call_text(mp, rank, out);
}

int mp_waits(struct mp *mp, uint32_t rank, struct str *out)
{
	if (rank >= mp->n_begun || mp->ranks[rank].ended)
		return 0;
	call_text(mp, rank, out);
	return 1;
}

/* --- the cycle --- */

/* A rank on a cycle, or NONE. seen: one number per rank, 0 at first. */
static uint32_t cycle_find(const struct mp *mp, uint32_t *seen)
{
	uint32_t start, rank;

	for (start = 0; start < mp->n_ranks; start++) {
		rank = start;
		while (rank != NONE && !mp->ranks[rank].ended && seen[rank] == 0) {
			seen[rank] = start + 1;
			rank = awaited_rank(mp, rank);
		}
		if (rank != NONE && !mp->ranks[rank].ended && seen[rank] == start + 1)
			return rank;
	}
	return NONE;
}

/* Marks the ranks of the cycle in `told` (n_ranks + 1). */
static void cycle_text(struct mp *mp, uint32_t first, uint32_t *told, struct str *out)
{
	uint32_t rank = first, n = 0;

	str_printf(out, "\nThe cycle:");
	do {
		told[rank] = mp->n_ranks + 1;
		if (n++ < CYCLE_LINES)
			rank_line(mp, rank, out);
		rank = awaited_rank(mp, rank);
	} while (rank != first);
	if (n > CYCLE_LINES)
		str_printf(out, "\n  … and %u more ranks, back to rank %u", n - CYCLE_LINES, first);
}

static void others_text(struct mp *mp, const uint32_t *told, int cycle, struct str *out)
{
	uint32_t rank, n = 0, limit = cycle ? OTHER_LINES : CYCLE_LINES;

	for (rank = 0; rank < mp->n_ranks; rank++) {
		if (mp->ranks[rank].ended || (told && told[rank] == mp->n_ranks + 1))
			continue;
		if (n == 0 && cycle)
			str_puts(out, "\nBesides:");
		if (n++ < limit)
			rank_line(mp, rank, out);
	}
	if (n > limit)
		str_printf(out, "\n  … and %u more ranks", n - limit);
}

int mp_deadlocked(const struct mp *mp)
{
	return mp->report.deadlocked;
}

int deadlock_explain(struct mp *mp, struct err *err)
{
	uint32_t *seen, first;
	struct str text;

	mp->report.deadlocked = 1;
	if (rows_part(mp, err) < 0)
		return -1;
	seen = calloc(mp->n_ranks, sizeof *seen);
	str_init(&text);
	str_printf(&text, "deadlock at %.9g s: %u of %u ranks wait for ever",
	           engine_now(mp->engine), mp->alive, mp->n_begun);
	first = seen ? cycle_find(mp, seen) : NONE;
	if (first != NONE)
		cycle_text(mp, first, seen, &text);
	others_text(mp, seen, first != NONE, &text);
	err_set(err, ERR_PROGRAM, "%s", text.s ? text.s : "deadlock");
	str_release(&text);
	free(seen);
	return -1;
}
