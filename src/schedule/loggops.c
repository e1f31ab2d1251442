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
 *     latest of these dates. */
#include "schedule_int.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANE_COMPUTE, LANE_FIRST_NIC }; /* then of each interface: sends, messages */
#define DATE_MOST ((uint64_t)1 << 62)  /* ps: 53 days */
#define NEVER UINT64_MAX

struct lane {
	uint32_t first, last;
};
struct nic {
	uint64_t out, in; /* dates from which it may send, receive */
};
struct cpu {
	uint64_t until;   /* busy */
	uint64_t look;    /* date of its next HAPPEN_LOOK, or NEVER */
	uint32_t waiting; /* in its lanes */
	uint32_t unused;
	struct lane lane[]; /* n_lanes */
};

struct look { /* and what came into being first of what would begin then */
	uint64_t order;
	struct happening_at at;
};

struct run {
	struct trace_schedule *s;
	double ps_o, ps_O, ps_g, ps_G, ps_L, S; /* ps */
	double ps_in;                           /* the greater of ps_O and ps_G */
	const double *unit;
	struct agenda agenda;
	struct meet meet;
	char *ranks; /* of each: its interfaces, its processors */
	size_t rank_bytes, cpu_bytes;
	uint32_t n_lanes;
	uint64_t now, order;
	struct look *look; /* the HAPPEN_LOOKs of a date */
	uint32_t n_looks, looks_cap;
	struct happening_at *sorted;
	uint32_t sorted_cap;
	struct freed freed;
	uint32_t left; /* operations that have not ended */
	uint8_t strange;
	double computing, sending; /* ps */
	struct schedule_result *out;
};

/* --- where things are --- */

static struct nic *nic_of(const struct run *r, uint32_t rank, uint32_t nic)
{
	return (struct nic *)(void *)(r->ranks + rank * r->rank_bytes) + nic;
}

static struct cpu *cpu_of(const struct run *r, uint32_t rank, uint32_t cpu)
{
	return (struct cpu *)(void *)(r->ranks + rank * r->rank_bytes +
	                              r->s->nics * sizeof(struct nic) + cpu * r->cpu_bytes);
}

static uint32_t lane_of(const struct schedule_op *op, int arrived)
{
	return op->kind == SCHEDULE_CALC ? LANE_COMPUTE
	                                 : LANE_FIRST_NIC + 2u * op->nic + (unsigned)arrived;
}

static int is_arrival(uint32_t lane)
{
	return lane >= LANE_FIRST_NIC && (lane - LANE_FIRST_NIC) % 2;
}

/* From when on the interface of a lane is free. */
static uint64_t gate_of(const struct run *r, uint32_t rank, uint32_t lane)
{
	const struct nic *nic;

	if (lane == LANE_COMPUTE)
		return 0;
	nic = nic_of(r, rank, (lane - LANE_FIRST_NIC) / 2);
	return is_arrival(lane) ? nic->in : nic->out;
}

/* --- what is made ready --- */

static int op_started(struct run *r, uint32_t id, struct err *err)
{
	return schedule_outs(&r->s->op[id]) ? freed_tell(&r->freed, r->s, id, 1, r->now, err) : 0;
}

static int op_ended(struct run *r, uint32_t id, uint64_t date, struct err *err)
{
	r->left--;
	return schedule_outs(&r->s->op[id]) ? freed_tell(&r->freed, r->s, id, 0, date, err) : 0;
}

/* It may begin when its processor is free: no sooner is it looked at. */
static int ready(struct run *r, uint32_t id, struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	const struct cpu *cpu = cpu_of(r, op->rank, op->cpu);
	uint64_t date = op->date > cpu->until ? op->date : cpu->until, gate;
	struct happening_at h;

	if (op->kind == SCHEDULE_SEND) {
		gate = nic_of(r, op->rank, op->nic)->out;
		date = date > gate ? date : gate;
	}
	op->date = r->order++;
	h = (struct happening_at){
	    .date = date, .op = id, .what = HAPPEN_READY, .rank = op->rank & 0x3fffffff};
	return agenda_add(&r->agenda, &h, err);
}

static int freed_flush(struct run *r, struct err *err)
{
	if (r->freed.n > 1 && freed_sort(&r->freed, r->s, err) < 0)
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
	r->computing += takes;
	if (op_started(r, id, err) < 0)
		return -1;
	return op_ended(r, id, cpu->until, err);
}

static int send_begin(struct run *r, uint32_t id, struct cpu *cpu, struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	double more = beyond_first(op), busy = r->ps_o + r->ps_O * more;
	double held = r->ps_g + r->ps_G * more;
	struct happening_at h = {
	    .op = id, .what = HAPPEN_ARRIVE, .rank = (uint32_t)op->peer & 0x3fffffff};

	if (!(held < (double)DATE_MOST && busy < (double)DATE_MOST)) {
		r->strange = 1;
		return 0;
	}
	cpu->until = r->now + ps(busy);
	nic_of(r, op->rank, op->nic)->out = r->now + ps(held);
	r->sending += busy;
	r->out->messages++;
	r->out->bytes += (double)op->size;
	if (op_started(r, id, err) < 0)
		return -1;
	op->date = r->order++;
	h.date = r->now + ps(r->ps_o) + ps(r->ps_L);
	if (agenda_add(&r->agenda, &h, err) < 0)
		return -1;
	return (double)op->size <= r->S ? op_ended(r, id, cpu->until, err) : 0;
}

/* A message has met its receive; `taken`: when the receiver has it in. */
static int met(struct run *r, uint32_t send, uint32_t recv, uint64_t taken, struct err *err)
{
	const struct schedule_op *message = &r->s->op[send];

	r->strange |= message->size > r->s->op[recv].size;
	if ((double)message->size > r->S && op_ended(r, send, r->now, err) < 0)
		return -1;
	return op_ended(r, recv, taken > r->now ? taken : r->now, err);
}

static int message_begin(struct run *r, uint32_t id, uint32_t rank, struct cpu *cpu,
                         struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	double more = beyond_first(op), busy = r->ps_o + r->ps_in * more;
	uint32_t recv;

	cpu->until = r->now + ps(busy);
	nic_of(r, rank, op->nic)->in = r->now + ps(r->ps_g + r->ps_G * more);
	r->sending += busy;
	op->date = cpu->until;
	if (meet(&r->meet, r->s, id, &recv, err) < 0)
		return -1;
	return recv == SCHEDULE_NONE ? 0 : met(r, id, recv, cpu->until, err);
}

static int begin(struct run *r, uint32_t id, uint32_t rank, uint32_t lane, struct cpu *cpu,
                 struct err *err)
{
	if (is_arrival(lane))
		return message_begin(r, id, rank, cpu, err);
	return lane == LANE_COMPUTE ? compute_begin(r, id, cpu, err) : send_begin(r, id, cpu, err);
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

static uint32_t lane_next(const struct run *r, uint32_t rank, const struct cpu *cpu,
                          uint64_t *when);

/* What would begin at a HAPPEN_LOOK of now: when it came into being; NEVER: nothing. */
static uint64_t look_order(const struct run *r, const struct happening_at *h)
{
	const struct cpu *cpu = cpu_of(r, h->rank, h->op);
	uint64_t when;
	uint32_t lane = cpu->until <= r->now ? lane_next(r, h->rank, cpu, &when) : SCHEDULE_NONE;

	return lane == SCHEDULE_NONE ? NEVER : r->s->op[cpu->lane[lane].first].date;
}

/* The first of n operations and messages that came into being at `order` or later: they are sorted
 * by that, and no HAPPEN_LOOK is among them. */
static uint32_t place_of(const struct run *r, const struct happening_at *item, uint32_t n,
                         uint64_t order)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (r->s->op[item[mid].op].date < order)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* When what is still to happen now came into being. Of a look that was so when it got its place,
 * which it keeps in its date: it may be later since, never earlier. */
static uint64_t order_now(const struct run *r, uint32_t i)
{
	const struct happening_at *h = &r->agenda.part[0].item[i];

	return h->what == HAPPEN_LOOK ? h->date : r->s->op[h->op].date;
}

/* The first of that which came into being at `order` or later; the last one is what is placed. */
static uint32_t place_now(const struct run *r, uint64_t order)
{
	uint32_t low = r->agenda.taken, high = r->agenda.part[0].n - 1;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (order_now(r, mid) < order)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int looks_compare(const void *a, const void *b)
{
	const struct look *x = a, *y = b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Puts the looks of a date where what they are for would be, had it come anew. */
static void looks_merge(struct run *r, struct agenda_part *p, uint32_t others)
{
	uint32_t from = 0, to = 0;

	qsort(r->look, r->n_looks, sizeof *r->look, looks_compare);
	for (uint32_t k = 0; k < r->n_looks; k++) {
		uint32_t place = from +
		                 place_of(r, p->item + from, others - from, r->look[k].order);

		memcpy(r->sorted + to, p->item + from, (place - from) * sizeof *r->sorted);
		to += place - from;
		from = place;
		r->sorted[to] = r->look[k].at;
		r->sorted[to++].date = r->look[k].order;
	}
	memcpy(r->sorted + to, p->item + from, (others - from) * sizeof *r->sorted);
	memcpy(p->item, r->sorted, p->n * sizeof *p->item);
}

/* What happens at a date does so in the order in which it came into being. */
static int date_sort(struct run *r, struct err *err)
{
	struct agenda_part *p = &r->agenda.part[0];
	uint32_t others = 0;

	r->n_looks = 0;
	for (uint32_t i = 0; i < p->n; i++)
		r->n_looks += p->item[i].what == HAPPEN_LOOK;
	if (r->n_looks == 0 || p->n == 1)
		return 0;
	struct look *look = vec_grow(r->look, &r->looks_cap, sizeof *look, r->n_looks, "events",
	                             err);
	struct happening_at *sorted = vec_grow(r->sorted, &r->sorted_cap, sizeof *sorted, p->n,
	                                       "events", err);
	if (look)
		r->look = look;
	if (sorted)
		r->sorted = sorted;
	if (!look || !sorted)
		return -1;
	r->n_looks = 0;
	for (uint32_t i = 0; i < p->n; i++)
		if (p->item[i].what == HAPPEN_LOOK)
			look[r->n_looks++] = (struct look){look_order(r, &p->item[i]), p->item[i]};
		else
			p->item[others++] = p->item[i];
	looks_merge(r, p, others);
	return 0;
}

/* The last of what happens now is a look: to its place among what is still to come. */
static void look_place(struct run *r, uint64_t order)
{
	struct agenda_part *p = &r->agenda.part[0];
	struct happening_at h = p->item[p->n - 1];
	uint32_t place = place_now(r, order);

	h.date = order;
	memmove(p->item + place + 1, p->item + place, (p->n - 1 - place) * sizeof *p->item);
	p->item[place] = h;
}

static int look_at(struct run *r, uint32_t rank, uint32_t number, struct cpu *cpu, uint64_t date,
                   struct err *err)
{
	struct happening_at h = {
	    .date = date, .op = number, .what = HAPPEN_LOOK, .rank = rank & 0x3fffffff};

	if (cpu->look <= date)
		return 0;
	cpu->look = date;
	if (agenda_add(&r->agenda, &h, err) < 0)
		return -1;
	if (date == r->now)
		look_place(r, look_order(r, &h));
	return 0;
}

/* The lane whose first may begin now and came into being first; else when one may. */
static uint32_t lane_next(const struct run *r, uint32_t rank, const struct cpu *cpu, uint64_t *when)
{
	uint32_t best = SCHEDULE_NONE;

	*when = NEVER;
	for (uint32_t l = 0; l < r->n_lanes; l++) {
		uint32_t id = cpu->lane[l].first;
		uint64_t gate;

		if (id == SCHEDULE_NONE)
			continue;
		gate = gate_of(r, rank, l);
		if (gate > r->now)
			*when = gate < *when ? gate : *when;
		else if (best == SCHEDULE_NONE ||
		         r->s->op[id].date < r->s->op[cpu->lane[best].first].date)
			best = l;
	}
	return best;
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

	if (!cpu->waiting && cpu->until <= r->now && gate_of(r, rank, lane) <= r->now) {
		if (begin(r, id, rank, lane, cpu, err) < 0)
			return -1;
		return r->freed.n ? freed_flush(r, err) : 0;
	}
	lane_put(r, cpu, lane, id);
	return serve(r, rank, op->cpu, err);
}

/* --- what happens --- */

static int post(struct run *r, uint32_t id, struct err *err)
{
	uint32_t send;

	if (op_started(r, id, err) < 0 || meet(&r->meet, r->s, id, &send, err) < 0)
		return -1;
	if (send != SCHEDULE_NONE && met(r, send, id, r->s->op[send].date, err) < 0)
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
	r->ranks = malloc(bytes);
	if (!r->ranks)
		return err_nomem(err, "the ranks of a schedule", bytes);
	memory_large_pages(r->ranks, bytes);
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

static double end_of(const struct run *r)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < r->s->ranks; i++)
		for (uint32_t c = 0; c < r->s->cpus; c++)
			end = cpu_of(r, i, c)->until > end ? cpu_of(r, i, c)->until : end;
	return (double)end / 1e12;
}

int schedule_run(struct trace_schedule *s, const struct schedule_model *m, const double *unit,
                 struct schedule_result *out, struct err *err)
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
	                .out = out};
	int done = -1;

	*out = (struct schedule_result){0};
	if (s->ranks > 0x3fffffff || !(r.ps_o + r.ps_L + r.ps_g < (double)DATE_MOST))
		return 0;
	if (meet_init(&r.meet, s, err) == 0 && ranks_make(&r, err) == 0 &&
	    roots_ready(&r, err) == 0 && all_happens(&r, err) == 0)
		done = !r.strange && r.left == 0 && r.meet.n == 0;
	if (done > 0) {
		out->end = end_of(&r);
		out->computing = r.computing / 1e12;
		out->sending = r.sending / 1e12;
	}
	meet_release(&r.meet);
	agenda_release(&r.agenda);
	free(r.ranks);
	freed_release(&r.freed);
	free(r.look);
	free(r.sorted);
	return done;
}
