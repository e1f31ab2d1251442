/* probe.c: MPI_Probe and MPI_Iprobe: looking for a message without receiving it.
 *
 * A message can be found once it has been sent, whether or not it has moved (SMPI). MPI_Iprobe
 * costs n x smpi/iprobe seconds of computation first, n being 1 + the number of failures in a row
 * if smpi/grow-injected-times. MPI_Probe waits; as SimGrid's (rules.probe_polls) it is a loop of
 * MPI_Iprobe, and finds its message late. */
#include "mp/comm/comm.h"
#include "mp/message/message.h"
#include "mp/report/watch.h"
#include "p2p.h"

enum { BEFORE, LOOKS, LOOKS_AGAIN, COUNTS, GLANCES, NAPS };

static void found_message(struct mp *mp, struct op *op, uint32_t found)
{
	op->flag = 1;
	op->probe.peer = (int32_t)mp->reqs[found].rank;
	op->probe.tag = mp->reqs[found].tag;
	op->probe.bytes = mp->reqs[found].bytes;
	op->partner = op->probe.peer;
}

static int look_among(struct mp *mp, struct op *op, struct err *err)
{
	struct mp_message taken = op->probe;
	uint32_t found;

	if (match_among(mp, op->rank, comm_at(mp, op->probe.comm.v)->ctx, op->probe.tag, &taken,
	                &found, err) < 0)
		return -1;
	if (found != NONE)
		found_message(mp, op, found);
	return 0;
}

/* Sets op->flag, and what was found. */
static int look(struct mp *mp, struct op *op, struct err *err)
{
	uint32_t peer = op->probe.peer == MP_ANY ? ANY_PEER : (uint32_t)op->probe.peer, found;

	if (op->probe.peer == MP_PROC_NULL) {
		op->flag = 1;
		op->probe.tag = MP_ANY;
		op->probe.bytes = 0;
		mp->result.message = MP_REQUEST_NULL;
		return 0;
	}
	if (op->among)
		return look_among(mp, op, err);
	if (match_peek(mp, op->rank, comm_at(mp, op->probe.comm.v)->ctx, peer, op->probe.tag,
	               &found, err) < 0)
		return -1;
	op->flag = 0;
	if (found == NONE)
		return 0;
	found_message(mp, op, found);
	if (op->call == CALL_MPROBE) {
		match_remove(mp, found);
		mp->result.message.v = found;
	}
	return 0;
}

static uint32_t failures(const struct mp *mp, const struct op *op)
{
	const struct rank *r = &mp->ranks[op->rank];

	return !mp->grow                   ? 0
	       : mp->rules.common_failures ? mp->failed.probes
	       : looks_nap(mp)             ? failures_stridden(r, r->probes)
	                                   : failures_grown(r, r->probes);
}

static void failures_count(struct mp *mp, const struct op *op)
{
	struct rank *r = &mp->ranks[op->rank];

	look_count(r, op->flag, r->probes);
	mp->failed.probes = op->flag ? 0 : mp->failed.probes + 1;
	r->probes = op->flag ? 0 : r->probes < UINT16_MAX ? (uint16_t)(r->probes + 1) : r->probes;
}

/* SimGrid's kernel is asked, as of a test (test.c); twice where there are two mailboxes, unless the
 * message is in the small one. */
static int turn_of_look(struct mp *mp, struct op *op)
{
	if (!turns_are_taken(mp) || op->stage == COUNTS || op->probe.peer == MP_PROC_NULL)
		return 0;
	if (op->stage == LOOKS && mp->eager > 0 && !(op->flag && op->probe.bytes < mp->eager))
		op->stage = LOOKS_AGAIN;
	else
		op->stage = COUNTS;
	return turn_ends(mp, op->rank);
}

static int iprobe_go(struct mp *mp, struct op *op, struct err *err)
{
	double seconds = mp->iprobe_cost * (1 + failures(mp, op));

	if (op->stage == BEFORE) {
		op->stage = LOOKS;
		if (seconds > 0 && op->probe.peer != MP_PROC_NULL)
			return op_execute(
			    mp, op, seconds * net_host_speed(mp->net, mp->ranks[op->rank].host),
			    err);
	}
	if (op->stage != COUNTS && look(mp, op, err) < 0)
		return MP_ERROR;
	if (turn_of_look(mp, op))
		return MP_BLOCKED;
	if (op->stage == GLANCES && !op->flag && seconds > 0) { /* as MPI_Test: test.c */
		if (!nap_is_due(mp, op->rank,
		                ((uint32_t)op->probe.tag ^ op->probe.comm.v << 8) | LOOK_PROBE))
			return MP_DONE;
		op->stage = NAPS;
		return op_nap(mp, op, seconds, err);
	}
	if (op->stage == NAPS && (op->flag || looks_failed(&mp->ranks[op->rank])))
		nap_waited(mp, op, engine_now(mp->engine));
	failures_count(mp, op);
	return MP_DONE;
}

static int probe_waits(struct mp *mp, struct op *op, struct err *err)
{
	if (look(mp, op, err) < 0)
		return MP_ERROR;
	mp->ranks[op->rank].probing = !op->flag;
	if (op->flag)
		watch_waited(mp, op->rank, op->wait_since);
	op->waited = engine_now(mp->engine) - op->wait_since;
	return op->flag ? MP_DONE : MP_BLOCKED;
}

/* Does nothing go on but probes that poll, each of which has looked in vain since the last call
 * began? Then no message comes up for any of them. Each but this one has a computation under way,
 * or is ready. */
static int only_polls(struct mp *mp, struct op *op)
{
	uint32_t calls = (uint32_t)mp->stats.operations;
	struct engine_stats engine;

	if (mp->in_vain.calls != calls)
		mp->in_vain.polls = 0;
	if (mp->in_vain.polls == 0 || op->cursor != calls)
		mp->in_vain.polls++;
	mp->in_vain.calls = op->cursor = calls;
	engine_stats(mp->engine, &engine);
	return mp->in_vain.polls >= mp->polling && engine.active + mp->ready.n < mp->polling;
}

/* SimGrid polls for ever then. Here such a probe waits, and so a deadlock is seen as one. */
static int probe_polls(struct mp *mp, struct op *op, struct err *err)
{
	int status;

	mp->polling += op->stage == BEFORE;
	for (;;) {
		status = iprobe_go(mp, op, err);
		if (status != MP_DONE)
			return status;
		if (op->flag || only_polls(mp, op))
			break;
		op->waited += engine_now(mp->engine) - op->wait_since;
		op->wait_since = engine_now(mp->engine);
		op->stage = BEFORE;
	}
	mp->polling--;
	if (op->flag)
		return MP_DONE;
	op->run = probe_waits;
	return probe_waits(mp, op, err);
}

static int probe_begin(struct mp *mp, uint32_t rank, const struct mp_message *m, enum mp_call call,
                       op_fn *run, int among, struct err *err)
{
	struct mp_message pattern = *m;
	struct op *op;

	pattern.bytes = 0;
	if (message_check(mp, rank, REQ_RECV, &pattern, err) < 0)
		return MP_ERROR;
	op = op_begin(mp, rank, call, run, err);
	if (!op)
		return MP_ERROR;
	op->probe = pattern;
	op->among = among != 0;
	if (call == CALL_IPROBE && looks_nap(mp))
		op->stage = GLANCES;
	op->wait_since = engine_now(mp->engine);
	return op_start(mp, op, err);
}

int mp_probe(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err)
{
	return probe_begin(mp, rank, m, CALL_PROBE,
	                   mp->rules.probe_polls && mp->iprobe_cost > 0 ? probe_polls : probe_waits,
	                   0, err);
}

int mp_probe_among(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err)
{
	return probe_begin(mp, rank, m, CALL_PROBE, probe_waits, 1, err);
}

int mp_iprobe(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err)
{
	mp->stats.looks++;
	return probe_begin(mp, rank, m, CALL_IPROBE, iprobe_go, 0, err);
}

int mp_mprobe(struct mp *mp, uint32_t rank, const struct mp_message *m, struct err *err)
{
	return probe_begin(mp, rank, m, CALL_MPROBE, probe_waits, 0, err);
}
