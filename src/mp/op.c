/* op.c: the life of an operation, from the call to its end, and the operations that are only a
 * delay.
 *
 *   begin --run()--> DONE: op_end            (the call returns MP_DONE)
 *            |  ^
 *    BLOCKED |  | woken: the rank comes out of the ready queue, run() goes on (mp.c)
 *            v  |
 *           waiting
 */
#include "mp/message/message.h"
#include "mp/noise/noise.h"
#include "mp/report/report.h"
#include "mp/report/watch.h"
#include "transport_int.h"

#include <math.h>

uint32_t op_slot(struct mp *mp, struct err *err)
{
	uint32_t slot = slots_take_of(&mp->ops, sizeof(struct op), offsetof(struct op, rank), err);

	if (slot != NONE)
		op_at(mp, slot)->is_task = 0;
	return slot;
}

void op_slot_free(struct mp *mp, uint32_t slot)
{
	slots_give_by(&mp->ops, slot, &op_at(mp, slot)->rank);
}

struct op *op_make(struct mp *mp, uint32_t rank, enum mp_call call, op_fn *run, struct err *err)
{
	uint32_t slot = op_slot(mp, err);
	struct op *op;

	if (slot == NONE)
		return NULL;
	mp->ranks[rank].op = slot;
	op = op_at(mp, slot);
	*op = (struct op){
	    .run = run,
	    .rank = rank,
	    .call = (uint8_t)call,
	    .cursor = NONE,
	    .task = NONE,
	    .first = NONE,
	    .since = engine_now(mp->engine),
	    .partner = -1,
	    .probe = MESSAGE_NONE,
	};
	waitset_init(&op->set);
	return op;
}

struct op *op_begin(struct mp *mp, uint32_t rank, enum mp_call call, op_fn *run, struct err *err)
{
	call_begin(mp, rank);
	return op_make(mp, rank, call, run, err);
}

void op_abandon(struct mp *mp, struct op *op)
{
	uint32_t rank = op->rank;

	slots_give_by(&mp->ops, mp->ranks[rank].op, &op->rank);
	mp->ranks[rank].op = NONE;
}

static void op_end(struct mp *mp, struct op *op)
{
	mp->result.source = op->probe.peer;
	mp->result.tag = op->probe.tag;
	mp->result.bytes = op->probe.bytes;
	mp->result.flag = op->flag;
	if (!op->listed)
		mp->result.n = 0;
	if (mp->observers.n)
		observe_leave(mp, op->rank, (enum mp_call)op->call, op->partner, op->bytes,
		              op->waited);
	op_abandon(mp, op);
}

int op_go(struct mp *mp, struct op *op, struct err *err)
{
	int status = op->run(mp, op, err);

	if (status == MP_DONE)
		op_end(mp, op);
	return status;
}

/* A test that is known to complete what it was given is a wait. */
static int is_wait(const struct op *op)
{
	return op->listed && op->mode == WAIT_ALL;
}

/* The call looks for what has come, whether or not it will wait (those that wait: wait.c,
 * coll_exec.c, whole.c, buffer.c). */
static int call_looks(const struct op *op)
{
	if (is_wait(op))
		return 0;
	switch ((enum mp_call)op->call) {
	case CALL_PROBE:
	case CALL_IPROBE:
	case CALL_MPROBE:
	case CALL_TEST:
	case CALL_TESTALL:
	case CALL_TESTANY:
	case CALL_TESTSOME:
	case CALL_PARRIVED:
	case CALL_WIN_FENCE:
	case CALL_WIN_START:
	case CALL_WIN_COMPLETE:
	case CALL_WIN_WAIT:
	case CALL_WIN_LOCK:
	case CALL_WIN_UNLOCK:
	case CALL_WIN_FLUSH:
		return 1;
	default:
		return 0;
	}
}

int op_start(struct mp *mp, struct op *op, struct err *err)
{
	if (mp->observers.n)
		observe_enter(mp, op->rank, (enum mp_call)op->call);
	if (mp->ranks[op->rank].stalled && op->call > CALL_LAST_OUTSIDE &&
	    progress_run(mp, op->rank, err) < 0)
		return MP_ERROR;
	if (mp->transport->looks && call_looks(op) && rank_looks(mp, op->rank, err) < 0)
		return MP_ERROR;
	return op_go(mp, op, err);
}

int result_add(struct mp *mp, uint32_t index, struct err *err)
{
	uint32_t *indices = vec_grow(mp->indices, &mp->indices_cap, sizeof *indices,
	                             (size_t)mp->result.n + 1, "completed requests", err);

	if (!indices)
		return -1;
	mp->result.indices = mp->indices = indices;
	indices[mp->result.n++] = index;
	return 0;
}

const struct mp_result *mp_result(const struct mp *mp, uint32_t rank)
{
	(void)rank; /* the rank that asks is the one whose operation ended last: no other has run
	               since */
	return &mp->result;
}

int op_sleep(struct mp *mp, struct op *op, double seconds, struct err *err)
{
	struct activity_id a;

	if (turns_are_taken(mp))
		turn_occupies(mp, op->rank);
	if (seconds > 0)
		seconds = fmax(seconds, mp->rules.shortest_sleep);
	return engine_timer(mp->engine, seconds, event_user(EVENT_RANK, op->rank), &a, err) < 0
	           ? MP_ERROR
	           : MP_BLOCKED;
}

int rank_execute(struct mp *mp, uint32_t rank, double volume, struct err *err)
{
	struct activity_id a;

	watch_executes(mp, rank);
	path_executes(mp, rank);
	if (mp->transport->compute)
		return mp->transport->compute(mp, rank, volume, err) < 0 ? MP_ERROR : MP_BLOCKED;
	return net_compute(mp->net, mp->ranks[rank].host, mp->ranks[rank].socket, volume,
	                   event_user(EVENT_RANK, rank), &a, err) < 0
	           ? MP_ERROR
	           : MP_BLOCKED;
}

int op_execute(struct mp *mp, struct op *op, double volume, struct err *err)
{
	if (!turns_are_taken(mp))
		return rank_execute(mp, op->rank, volume, err);
	turn_executes(mp, op, volume);
	return MP_BLOCKED;
}

/* --- delays: volume holds what is to be executed or slept; of computations, bytes what the host
 * executes for each unit of it --- */

enum { DELAY_BEGINS, DELAY_OVER };

static int computes(struct mp *mp, struct op *op, double volume, double each, struct err *err)
{
	double amount = volume * each;

	if (mp->noise)
		amount *= noise_compute(mp->noise, op->rank, volume,
		                        net_host_speed(mp->net, mp->ranks[op->rank].host) / each,
		                        engine_now(mp->engine));
	return op_execute(mp, op, amount, err);
}

/* In compat one of nothing, too, is an event: what ends within surf/precision of it ends with it.
 */
static int compute_go(struct mp *mp, struct op *op, struct err *err)
{
	double each = op->bytes;

	if (op->stage == DELAY_OVER ||
	    (op->volume <= 0 && !(turns_are_taken(mp) && mp->simulate_computation)))
		return MP_DONE;
	op->stage = DELAY_OVER;
	op->bytes = 0; /* which observers are told */
	return computes(mp, op, op->volume, each, err);
}

/* What the host executes for each unit of a volume that takes so long. */
static double each_of(const struct mp *mp, uint32_t rank, double volume, double seconds)
{
	struct host_info host;

	platform_host(net_platform(mp->net), mp->ranks[rank].host, &host);
	return seconds * host.speed / volume;
}

int op_operate(struct mp *mp, struct op *op, double volume, struct err *err)
{
	const struct mp_program *p = &mp->program;
	double seconds = 0;
	int known = p->operates ? p->operates(p->self, mp, op->rank, volume, &seconds, err) : 0;

	if (known < 0)
		return MP_ERROR;
	if (known == 2) {
		path_executes(mp, op->rank);
		return op_sleep(mp, op, seconds, err);
	}
	return computes(mp, op, volume, known ? each_of(mp, op->rank, volume, seconds) : 1, err);
}

static int sleep_go(struct mp *mp, struct op *op, struct err *err)
{
	if (op->stage == DELAY_OVER && op->call == CALL_SLEEP)
		path_slept(mp, op->rank, engine_now(mp->engine) - op->since);
	if (op->stage == DELAY_OVER || op->volume <= 0)
		return MP_DONE;
	op->stage = DELAY_OVER;
	if (op->call == CALL_COMPUTE)
		path_executes(mp, op->rank);
	if (mp->noise && op->call == CALL_SLEEP)
		return op_sleep(mp, op, op->volume + noise_sleep(mp->noise, op->rank), err);
	return op_sleep(mp, op, op->volume, err);
}

static int delay(struct mp *mp, uint32_t rank, enum mp_call call, op_fn *run, double amount,
                 double each, struct err *err)
{
	struct op *op;

	if (!(amount >= 0) || isinf(amount))
		return mp_error(mp, rank, err, "%s of %g: it must be a finite amount, 0 or more",
		                mp_call_name(call), amount);
	op = op_begin(mp, rank, call, run, err);
	if (!op)
		return MP_ERROR;
	op->volume = amount;
	op->bytes = each;
	return op_start(mp, op, err);
}

int mp_computes(const struct mp *mp)
{
	return mp->simulate_computation;
}

int mp_compute(struct mp *mp, uint32_t rank, double volume, struct err *err)
{
	return delay(mp, rank, CALL_COMPUTE, compute_go, mp->simulate_computation ? volume : 0, 1,
	             err);
}

int mp_compute_rated(struct mp *mp, uint32_t rank, double volume, double seconds, struct err *err)
{
	return delay(mp, rank, CALL_COMPUTE, compute_go, mp->simulate_computation ? volume : 0,
	             each_of(mp, rank, volume, seconds), err);
}

int mp_sleep(struct mp *mp, uint32_t rank, double seconds, struct err *err)
{
	return delay(mp, rank, CALL_SLEEP, sleep_go, seconds, 0, err);
}

int mp_compute_for(struct mp *mp, uint32_t rank, double seconds, struct err *err)
{
	return delay(mp, rank, CALL_COMPUTE, sleep_go, seconds, 0, err);
}

int mp_init(struct mp *mp, uint32_t rank, struct err *err)
{
	return delay(mp, rank, CALL_INIT, sleep_go, mp->init_cost, 0, err);
}
