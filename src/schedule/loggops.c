/* loggops.c: a schedule in the LogGOPS model, by LogGOPSim's rules (Hoefler, Schneider, Lumsdaine,
 * "LogGOPSim: simulating large-scale applications in the LogGOPS model", HPDC 2010).
 *
 * A computation takes its processor. A send takes its processor for o + O (k - 1) and its
 * interface's sending side for g + G (k - 1), from the same date on; its message arrives o + L
 * later and takes the processor and the interface of the receiver that have the sender's numbers:
 * o + max(O, G) (k - 1), and the receiving side g + G (k - 1), whether or not a receive is posted.
 * A send of more than S bytes ends when its message has met its receive, others when the processor
 * is free again. A receive that is posted takes nothing.
 *
 *   waits --all that it waits for has ended--> ready --processor, interface free--> started, ended
 *   send: started -> its message travels -> arrived -> taken in -> met
 *
 * What finds its processor or interface taken waits in a lane of the processor: computations, sends
 * by each interface, arrived messages by each. Of the lanes whose interface is free, what came into
 * being first goes first: an operation when it became ready, a message when it left.
 *
 * Invariants
 *  1. Lanes are in the order in which what waits there came into being.
 *  2. A processor with something in its lanes has a HAPPEN_LOOK at or before the date at which the
 *     first of it may begin.
 *  3. What has started has told those that wait for its end when that is: they become ready at the
 *     latest of these dates.
 *  4. What is ready, and a message on its way, has its path (op.path) until it waits in a lane, or
 *     for its other side: then it goes on with the path of what it waited for. What is in a lane
 *     without waiting has it in freed.paths. */
#include "loggops_int.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is made ready --- */

static int op_started(struct run *r, uint32_t id, struct err *err)
{
	const struct schedule_op *op = &r->s->op[id];

	if (!schedule_outs(op) || !(r->s->edge[op->out] & 1))
		return 0;
	return freed_tell(&r->freed, r->s, id, (struct told){r->now, r->path, 1}, err);
}

static int op_ended(struct run *r, uint32_t id, uint64_t date, uint32_t path, struct err *err)
{
	r->left--;
	return schedule_outs(&r->s->op[id])
	           ? freed_tell(&r->freed, r->s, id, (struct told){date, path, 0}, err)
	           : 0;
}

static double seconds(uint64_t ps)
{
	return (double)ps / 1e12;
}

/* It may begin when its processor is free: no sooner is it looked at. */
static int ready(struct run *r, uint32_t id, struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	const struct cpu *cpu = cpu_of(r, op->rank, op->cpu);
	uint64_t date = op->date;
	struct happening_at h;

	if (date < cpu->until) {
		date = cpu->until;
		op->path = cpu->path;
	}
	if (op->kind == SCHEDULE_SEND) {
		const struct nic *nic = nic_of(r, op->rank, op->nic);

		if (date < nic->out) {
			date = nic->out;
			op->path = nic->path_out;
		}
	}
	if (r->trail)
		trail_ready(r->trail, r->s, id, seconds(op->date), seconds(date),
		            cpu->until == date);
	op->date = r->order++;
	h = (struct happening_at){
	    .date = date, .op = id, .what = HAPPEN_READY, .rank = op->rank & 0x3fffffff};
	return agenda_add(&r->agenda, &h, err);
}

static int freed_flush(struct run *r, struct err *err)
{
	if (r->freed.n > 1 && freed_sort_as_loggopsim(&r->freed, r->s, err) < 0)
		return -1;
	for (uint32_t i = 0; i < r->freed.n; i++)
		if (ready(r, r->freed.id[i], err) < 0)
			return -1;
	r->freed.n = 0;
	return 0;
}

/* --- what begins --- */

static uint64_t ps(double v)
{
	return (uint64_t)(v + 0.5);
}

static double beyond_first(const struct schedule_op *op)
{
	return op->size > 1 ? (double)(op->size - 1) : 0;
}

static int compute_begin(struct run *r, uint32_t id, struct cpu *cpu, struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	double takes = (double)op->size * r->unit[op->rank] * 1e12;

	if (!(takes < (double)DATE_MOST)) {
		r->strange = 1;
		return 0;
	}
	cpu->until = r->now + ps(takes);
	cpu->path = r->path + path_units(&r->units, takes);
	r->computing += takes;
	if (op_started(r, id, err) < 0)
		return -1;
	return op_ended(r, id, cpu->until, cpu->path, err);
}

static int send_begin(struct run *r, uint32_t id, struct cpu *cpu, struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	double more = beyond_first(op), busy = r->ps_o + r->ps_O * more;
	double held = r->ps_g + r->ps_G * more;
	struct nic *nic = nic_of(r, op->rank, op->nic);
	struct happening_at h = {
	    .op = id, .what = HAPPEN_ARRIVE, .rank = (uint32_t)op->peer & 0x3fffffff};

	if (!(held < (double)DATE_MOST && busy < (double)DATE_MOST)) {
		r->strange = 1;
		return 0;
	}
	cpu->until = r->now + ps(busy);
	nic->out = r->now + ps(held);
	cpu->path = nic->path_out = r->path;
	r->sending += busy;
	r->out->messages++;
	r->out->bytes += (double)op->size;
	if (op_started(r, id, err) < 0)
		return -1;
	op->date = r->order++;
	op->path = r->path;
	h.date = r->now + ps(r->ps_o) + ps(r->ps_L);
	if (agenda_add(&r->agenda, &h, err) < 0)
		return -1;
	return (double)op->size <= r->S ? op_ended(r, id, cpu->until, r->path, err) : 0;
}

/* One that waits for the other has not ended yet. */
static void busy_meet(struct run *r, const struct schedule_op *send, uint32_t to)
{
	if ((double)send->size > r->S)
		busy_moves(&r->busy[send->rank], 0, (double)r->now, r->out);
	busy_moves(&r->busy[to], 0, (double)r->now, r->out);
}

/* A message has met its receive, which was posted now (late), or before; `taken`: when the receiver
 * has it in. */
static int met(struct run *r, uint32_t send, uint32_t recv, int late, uint64_t taken,
               struct err *err)
{
	const struct schedule_op *message = &r->s->op[send];
	const uint32_t to = r->s->op[recv].rank;

	if (r->trail)
		trail_met(r->trail, send, recv, late);
	if (r->busy)
		busy_meet(r, message, to);
	longer_note(r->s, send, recv, r->out);
	if ((double)message->size > r->S && op_ended(r, send, r->now, r->path, err) < 0)
		return -1;
	if (taken <= r->now)
		return op_ended(r, recv, r->now, r->path, err);
	return op_ended(r, recv, taken, cpu_of(r, to, message->cpu)->path, err);
}

static int message_begin(struct run *r, uint32_t id, uint32_t rank, struct cpu *cpu,
                         struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	double more = beyond_first(op), busy = r->ps_o + r->ps_in * more;
	struct nic *nic = nic_of(r, rank, op->nic);
	uint32_t recv;

	cpu->until = r->now + ps(busy);
	nic->in = r->now + ps(r->ps_g + r->ps_G * more);
	cpu->path = nic->path_in = r->path;
	r->sending += busy;
	op->date = cpu->until;
	if (meet(&r->meet, r->s, id, &recv, err) < 0)
		return -1;
	return recv == SCHEDULE_NONE ? 0 : met(r, id, recv, 0, cpu->until, err);
}

static void trail_note(struct run *r, uint32_t id, uint32_t rank, uint32_t lane,
                       const struct cpu *cpu)
{
	struct schedule_done *d = &r->trail->op[id];
	const int taking = is_arrival(lane);

	trail_begin(r->trail, r->s, id,
	            &(struct trail_place){.rank = rank,
	                                  .cpu = r->s->op[id].cpu,
	                                  .taking = (uint8_t)taking,
	                                  .for_cpu = cpu->until == r->now},
	            seconds(r->now));
	if (taking)
		return;
	d->moved = seconds(r->now + ps(r->ps_o));
	d->arrived = seconds(r->now + ps(r->ps_o) + ps(r->ps_L));
	d->latency = r->ps_L / 1e12;
	d->is_over_when_sent = (double)r->s->op[id].size <= r->S;
}

/* A rank works, and a message is on its way to another. */
static void busy_note(struct run *r, uint32_t id, uint32_t rank, uint32_t lane, uint64_t until)
{
	const double now = (double)r->now, arrives = now + r->ps_o + r->ps_L;

	busy_begin(&r->busy[rank], lane == LANE_COMPUTE, now, (double)until, r->out);
	if (lane == LANE_COMPUTE || is_arrival(lane))
		return;
	if ((double)r->s->op[id].size > r->S)
		busy_begin(&r->busy[rank], 0, now, arrives, r->out);
	busy_begin(&r->busy[r->s->op[id].peer], 0, now, arrives, r->out);
}

static void ended_note(struct run *r, uint32_t id, uint32_t rank, uint32_t lane, uint64_t until)
{
	if (r->trail)
		*(is_arrival(lane) ? &r->trail->op[id].taken
		                   : &r->trail->op[id].ended) = seconds(until);
	if (r->busy)
		busy_note(r, id, rank, lane, until);
}

static int begin(struct run *r, uint32_t id, uint32_t rank, uint32_t lane, struct cpu *cpu,
                 struct err *err)
{
	int bad;

	if (r->trail)
		trail_note(r, id, rank, lane, cpu);
	if (is_arrival(lane))
		bad = message_begin(r, id, rank, cpu, err);
	else if (lane == LANE_COMPUTE)
		bad = compute_begin(r, id, cpu, err);
	else
		bad = send_begin(r, id, cpu, err);
	if (r->is_watched)
		ended_note(r, id, rank, lane, cpu->until);
	return bad;
}

/* --- who is next --- */

static void lane_put(struct run *r, struct cpu *cpu, uint32_t lane, uint32_t id)
{
	struct schedule_op *op = r->s->op;
	struct lane *l = &cpu->lane[lane];
	uint32_t *at = &l->first;

	cpu->waiting++;
	if (*at != SCHEDULE_NONE && op[l->last].date < op[id].date)
		at = &op[l->last].next;
	while (*at != SCHEDULE_NONE && op[*at].date < op[id].date)
		at = &op[*at].next;
	op[id].next = *at;
	if (*at == SCHEDULE_NONE)
		l->last = id;
	*at = id;
}

static uint32_t lane_take(struct run *r, struct cpu *cpu, uint32_t lane)
{
	uint32_t id = cpu->lane[lane].first;

	cpu->waiting--;
	cpu->lane[lane].first = r->s->op[id].next;
	return id;
}

/* Of the first of a lane that may begin: it waited for its processor, its interface, or has come
 * now. */
static uint32_t path_now(const struct run *r, uint32_t id, uint32_t rank, uint32_t lane,
                         const struct cpu *cpu)
{
	const struct nic *nic;

	if (cpu->until == r->now)
		return cpu->path;
	if (lane == LANE_COMPUTE || gate_of(r, rank, lane) != r->now)
		return r->freed.paths[id];
	nic = nic_of(r, rank, (lane - LANE_FIRST_NIC) / 2);
	return is_arrival(lane) ? nic->path_in : nic->path_out;
}

/* Gives a processor to the first of those in its lanes, and on while it is free, and what comes
 * next came into being before all else that is to happen now: a look may be for what has lost its
 * interface meanwhile. */
static int serve(struct run *r, uint32_t rank, uint32_t number, struct err *err)
{
	struct cpu *cpu = cpu_of(r, rank, number);
	uint64_t when = r->now;

	while (cpu->waiting && cpu->until <= r->now) {
		uint32_t lane = lane_next(r, rank, cpu, &when), id;

		if (lane == SCHEDULE_NONE)
			break;
		when = r->now;
		id = cpu->lane[lane].first;
		if (r->agenda.taken < r->agenda.part[0].n &&
		    order_now(r, r->agenda.taken) < r->s->op[id].date)
			break;
		r->path = path_now(r, id, rank, lane, cpu);
		if (begin(r, lane_take(r, cpu, lane), rank, lane, cpu, err) < 0 ||
		    (r->freed.n && freed_flush(r, err) < 0))
			return -1;
	}
	if (!cpu->waiting)
		return 0;
	return look_at(r, rank, number, cpu, when > cpu->until ? when : cpu->until, err);
}

static int wants(struct run *r, uint32_t id, uint32_t rank, int arrived, struct err *err)
{
	const struct schedule_op *op = &r->s->op[id];
	struct cpu *cpu = cpu_of(r, rank, op->cpu);
	uint32_t lane = lane_of(op, arrived);
	const int may = cpu->until <= r->now && gate_of(r, rank, lane) <= r->now;

	if (!cpu->waiting && may) {
		r->path = op->path;
		if (begin(r, id, rank, lane, cpu, err) < 0)
			return -1;
		return r->freed.n ? freed_flush(r, err) : 0;
	}
	if (may)
		r->freed.paths[id] = op->path;
	lane_put(r, cpu, lane, id);
	return serve(r, rank, op->cpu, err);
}

/* --- what happens --- */

static int post(struct run *r, uint32_t id, struct err *err)
{
	uint32_t send;

	r->path = r->s->op[id].path;
	if (op_started(r, id, err) < 0 || meet(&r->meet, r->s, id, &send, err) < 0)
		return -1;
	if (send != SCHEDULE_NONE && met(r, send, id, 1, r->s->op[send].date, err) < 0)
		return -1;
	return r->freed.n ? freed_flush(r, err) : 0;
}

static int happen(struct run *r, const struct happening_at *h, struct err *err)
{
	switch (h->what) {
	case HAPPEN_READY:
		return r->s->op[h->op].kind == SCHEDULE_RECV ? post(r, h->op, err)
		                                             : wants(r, h->op, h->rank, 0, err);
	case HAPPEN_ARRIVE:
		return wants(r, h->op, h->rank, 1, err);
	default:
		if (cpu_of(r, h->rank, h->op)->look == r->now)
			cpu_of(r, h->rank, h->op)->look = NEVER;
		return serve(r, h->rank, h->op, err);
	}
}

/* What is looked into next is in no cache: it is asked for some turns before. */
static void soon(const struct run *r, const struct agenda_part *p, uint32_t i)
{
	enum { OP_AHEAD = 12, EDGE_AHEAD = 5 };
	const struct schedule_op *op;

	if (i + OP_AHEAD < p->n && p->item[i + OP_AHEAD].what != HAPPEN_LOOK) {
		__builtin_prefetch(&r->s->op[p->item[i + OP_AHEAD].op], 1);
		__builtin_prefetch(r->ranks + p->item[i + OP_AHEAD].rank * r->rank_bytes, 1);
	}
	if (i + EDGE_AHEAD < p->n && p->item[i + EDGE_AHEAD].what != HAPPEN_LOOK) {
		op = &r->s->op[p->item[i + EDGE_AHEAD].op];
		__builtin_prefetch(&r->s->edge[op->out]);
		if (op->kind == SCHEDULE_RECV || p->item[i + EDGE_AHEAD].what == HAPPEN_ARRIVE)
			meet_soon(&r->meet, op);
	}
}

static int all_happens(struct run *r, struct err *err)
{
	struct agenda *a = &r->agenda;
	int more;

	while ((more = agenda_advance(a, err)) > 0) {
		r->now = a->last;
		if (date_sort(r, err) < 0)
			return -1;
		if (r->now >= DATE_MOST)
			r->strange = 1;
		while (a->taken < a->part[0].n && !r->strange) {
			struct happening_at h = a->part[0].item[a->taken];

			soon(r, &a->part[0], a->taken++);
			if (happen(r, &h, err) < 0)
				return -1;
		}
		if (r->strange)
			return 0;
	}
	return more;
}

/* --- all of it --- */

static int ranks_make(struct run *r, struct err *err)
{
	const struct trace_schedule *s = r->s;
	size_t bytes;

	r->n_lanes = LANE_FIRST_NIC + 2 * s->nics;
	r->cpu_bytes = sizeof(struct cpu) + r->n_lanes * sizeof(struct lane);
	r->rank_bytes = s->nics * sizeof(struct nic) + s->cpus * r->cpu_bytes;
	bytes = s->ranks * r->rank_bytes;
	if (memory_check(bytes, "the ranks of a schedule", err) < 0)
		return -1;
	r->freed.paths = calloc((size_t)s->n_ops + 1, sizeof *r->freed.paths);
	if (!r->freed.paths)
		return err_nomem(err, "operations", s->n_ops * sizeof *r->freed.paths);
	r->ranks = malloc(bytes);
	if (!r->ranks)
		return err_nomem(err, "the ranks of a schedule", bytes);
	memory_filled_soon(r->ranks, bytes);
	for (uint32_t i = 0; i < s->ranks; i++) {
		for (uint32_t k = 0; k < s->nics; k++)
			*nic_of(r, i, k) = (struct nic){0};
		for (uint32_t c = 0; c < s->cpus; c++) {
			struct cpu *cpu = cpu_of(r, i, c);

			*cpu = (struct cpu){.look = NEVER};
			for (uint32_t l = 0; l < r->n_lanes; l++)
				cpu->lane[l] = (struct lane){SCHEDULE_NONE, SCHEDULE_NONE};
		}
	}
	return 0;
}

static int roots_ready(struct run *r, struct err *err)
{
	const struct trace_schedule *s = r->s;

	for (uint32_t i = 0; i < s->ranks; i++) {
		for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++)
			if (s->op[k].waits == 0 && freed_add(&r->freed, k, err) < 0)
				return -1;
		if (r->freed.n && freed_flush(r, err) < 0)
			return -1;
	}
	return 0;
}

static void end_of(const struct run *r, struct schedule_result *out)
{
	uint64_t end = 0;
	uint32_t path = 0;

	for (uint32_t i = 0; i < r->s->ranks; i++)
		for (uint32_t c = 0; c < r->s->cpus; c++)
			if (cpu_of(r, i, c)->until > end) {
				end = cpu_of(r, i, c)->until;
				path = cpu_of(r, i, c)->path;
			}
	out->end = seconds(end);
	out->path = path_dates(&r->units, path) / 1e12;
}

int schedule_run(struct trace_schedule *s, const struct schedule_model *m, const double *unit,
                 struct schedule_trail *trail, struct schedule_result *out, struct err *err)
{
	struct run r = {.s = s,
	                .ps_o = m->o * 1e12,
	                .ps_O = m->O * 1e12,
	                .ps_g = m->g * 1e12,
	                .ps_G = m->G * 1e12,
	                .ps_L = m->L * 1e12,
	                .ps_in = fmax(m->O, m->G) * 1e12,
	                .S = m->S,
	                .unit = unit,
	                .left = s->n_ops,
	                .is_watched = trail || s->cpus > 1,
	                .trail = trail,
	                .freed = {.trail = trail},
	                .out = out};
	int done = -1;

	*out = (struct schedule_result){0};
	path_init(&r.units, s, unit, 1e12);
	if (s->ranks > 0x3fffffff || !(r.ps_o + r.ps_L + r.ps_g < (double)DATE_MOST))
		return 0;
	if (trail) {
		trail->is_taken_first = 1;
		trail->receive_overhead = m->o;
	}
	if (meet_init(&r.meet, s, err) == 0 && ranks_make(&r, err) == 0 &&
	    (s->cpus <= 1 || busy_init(&r.busy, s, err) == 0) && roots_ready(&r, err) == 0 &&
	    all_happens(&r, err) == 0)
		done = !r.strange && r.left == 0 && r.meet.n == 0;
	if (done > 0) {
		end_of(&r, out);
		if (r.busy)
			busy_end(r.busy, s->ranks, out->end * 1e12, out);
		out->computing = (r.busy ? out->computing : r.computing) / 1e12;
		out->sending = (r.busy ? out->sending : r.sending) / 1e12;
		out->idle /= 1e12;
	}
	free(r.busy);
	meet_release(&r.meet);
	agenda_release(&r.agenda);
	free(r.ranks);
	freed_release(&r.freed);
	free(r.look);
	free(r.sorted);
	return done;
}
