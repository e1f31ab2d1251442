/* trail.c: see trail.h. The path goes from point to point, each at the date of the one before or
 * earlier; what lies between two is a stretch. */
#include "schedule_int.h"

#include "base/memory.h"

#include <stdlib.h>

int schedule_trail_init(struct schedule_trail *t, const struct trace_schedule *s, struct err *err)
{
	const size_t cpus = (size_t)s->ranks * s->cpus, nics = (size_t)s->ranks * s->nics;
	const size_t bytes = s->n_ops * sizeof *t->op +
	                     (cpus + 2 * nics) * sizeof(struct schedule_holder);

	*t = (struct schedule_trail){.n = s->n_ops};
	if (memory_check(bytes, "what became of each operation", err) < 0)
		return -1;
	t->op = calloc((size_t)s->n_ops + 1, sizeof *t->op);
	t->cpu = calloc(cpus + 1, sizeof *t->cpu);
	t->out = calloc(nics + 1, sizeof *t->out);
	t->in = calloc(nics + 1, sizeof *t->in);
	if (!t->op || !t->cpu || !t->out || !t->in) {
		schedule_trail_release(t);
		return err_nomem(err, "what became of each operation", bytes);
	}
	for (uint32_t i = 0; i < s->n_ops; i++)
		t->op[i].ready_by = t->op[i].with = SCHEDULE_NONE;
	return 0;
}

void schedule_trail_release(struct schedule_trail *t)
{
	free(t->op);
	free(t->cpu);
	free(t->out);
	free(t->in);
	*t = (struct schedule_trail){0};
}

void trail_freed(struct schedule_trail *t, uint32_t id, uint32_t by, int start)
{
	t->op[id].ready_by = by;
	t->op[id].ready_at_start = (uint8_t)start;
}

void trail_ready(struct schedule_trail *t, const struct trace_schedule *s, uint32_t id,
                 double ready, double posted, int cpu)
{
	const struct schedule_op *op = &s->op[id];
	struct schedule_done *d = &t->op[id];

	d->ready = ready;
	d->posted = posted;
	if (ready < posted)
		d->before = cpu ? t->cpu[(size_t)op->rank * s->cpus + op->cpu]
		                : t->out[(size_t)op->rank * s->nics + op->nic];
}

/* The date at which a send of many bytes is over. */
static double met_at(const struct schedule_trail *t, const struct schedule_done *send)
{
	if (send->met_late)
		return t->op[send->with].posted;
	return t->is_taken_first ? send->taking : send->arrived;
}

void trail_begin(struct schedule_trail *t, const struct trace_schedule *s, uint32_t id,
                 const struct trail_place *on, double now)
{
	const struct schedule_op *op = &s->op[id];
	struct schedule_done *d = &t->op[id];
	const int taking = on->taking;
	struct schedule_holder *nic = (taking ? t->in : t->out) + (size_t)on->rank * s->nics +
	                              op->nic;
	struct schedule_holder *at = &t->cpu[(size_t)on->rank * s->cpus + on->cpu];
	struct schedule_holder by = on->for_cpu ? *at : *nic;

	if (op->kind != SCHEDULE_CALC)
		*nic = (struct schedule_holder){id, taking ? HELD_BY_IN : HELD_BY_OUT};
	*at = (struct schedule_holder){id, taking ? HELD_BY_TAKING : HELD_BY_WORK};
	if (taking) {
		d->taking = now;
		if ((t->is_taken_first ? d->arrived : met_at(t, d)) < now)
			d->before_taking = by;
	} else {
		d->began = now;
		if (d->ready < now)
			d->before = by;
	}
}

void trail_met(struct schedule_trail *t, uint32_t send, uint32_t recv, int late)
{
	t->op[send].with = recv;
	t->op[recv].with = send;
	t->op[send].met_late = (uint8_t)late;
}

double schedule_over(const struct schedule_trail *t, const struct trace_schedule *s, uint32_t op)
{
	const struct schedule_done *d = &t->op[op];

	switch ((enum schedule_kind)s->op[op].kind) {
	case SCHEDULE_SEND:
		return d->is_over_when_sent ? d->ended : met_at(t, d);
	case SCHEDULE_RECV:
		return t->op[d->with].taken > d->posted ? t->op[d->with].taken : d->posted;
	default:
		return d->ended;
	}
}

/* --- the path --- */

struct point {
	enum at {
		AT_START,   /* date 0 */
		AT_OVER,    /* the operation is over */
		AT_ENDED,   /* its processor is free of it */
		AT_BEGAN,   /* it has its processor */
		AT_POSTED,  /* the receive is posted */
		AT_READY,   /* what it waits for is over */
		AT_MET,     /* the send's message and its receive are there */
		AT_ARRIVED, /* its message is */
		AT_MOVED,   /* its message begins to move */
		AT_TAKING,  /* the receiver's processor begins to take it in */
		AT_TAKEN    /* and has it in */
	} at;
	uint32_t op;
};

struct walk {
	const struct schedule_trail *t;
	const struct trace_schedule *s;
	void (*told)(void *self, const struct schedule_stretch *x);
	void *self;
};

static void stretch(const struct walk *w, enum schedule_spent what, uint32_t op, uint32_t rank,
                    double from, double until)
{
	struct schedule_stretch x = {
	    .from = from, .until = until, .what = what, .op = op, .rank = rank};

	if (until > from)
		w->told(w->self, &x);
}

static uint32_t receiver(const struct walk *w, uint32_t send)
{
	return w->s->op[w->t->op[send].with].rank;
}

/* From the date at which a holder let go, `date`, back. */
static struct point held(const struct walk *w, const struct schedule_holder *by, double date)
{
	const struct schedule_done *d = &w->t->op[by->op];

	switch (by->how) {
	case HELD_BY_WORK:
		return (struct point){AT_ENDED, by->op};
	case HELD_BY_TAKING:
		return (struct point){AT_TAKEN, by->op};
	case HELD_BY_OUT:
		stretch(w, SPENT_INTERFACE, by->op, w->s->op[by->op].rank, d->began, date);
		return (struct point){AT_BEGAN, by->op};
	default:
		stretch(w, SPENT_INTERFACE, by->op, receiver(w, by->op), d->taking, date);
		return (struct point){AT_TAKING, by->op};
	}
}

static struct point over(const struct walk *w, uint32_t op)
{
	const struct schedule_done *d = &w->t->op[op];

	switch ((enum schedule_kind)w->s->op[op].kind) {
	case SCHEDULE_SEND:
		return (struct point){d->is_over_when_sent ? AT_ENDED : AT_MET, op};
	case SCHEDULE_RECV:
		return w->t->op[d->with].taken < d->posted ? (struct point){AT_POSTED, op}
		                                           : (struct point){AT_TAKEN, d->with};
	default:
		return (struct point){AT_ENDED, op};
	}
}

static struct point ready(const struct walk *w, uint32_t op)
{
	const struct schedule_done *d = &w->t->op[op];
	uint32_t by = d->ready_by;

	if (by == SCHEDULE_NONE)
		return (struct point){AT_START, op};
	if (!d->ready_at_start)
		return (struct point){AT_OVER, by};
	return (struct point){w->s->op[by].kind == SCHEDULE_RECV ? AT_POSTED : AT_BEGAN, by};
}

static struct point taken(const struct walk *w, uint32_t send)
{
	const struct schedule_done *d = &w->t->op[send];
	double bytes = d->taken;

	if (w->t->is_taken_first && d->taking + w->t->receive_overhead < d->taken)
		bytes = d->taking + w->t->receive_overhead;
	stretch(w, SPENT_BYTES, send, receiver(w, send), bytes, d->taken);
	stretch(w, SPENT_TAKING, send, receiver(w, send), d->taking, bytes);
	return (struct point){AT_TAKING, send};
}

static struct point back(const struct walk *w, struct point p)
{
	const struct schedule_done *d = &w->t->op[p.op];
	const struct schedule_op *op = &w->s->op[p.op];

	switch (p.at) {
	case AT_OVER:
		return over(w, p.op);
	case AT_ENDED:
		stretch(w, op->kind == SCHEDULE_CALC ? SPENT_COMPUTING : SPENT_SENDING, p.op,
		        op->rank, d->began, d->ended);
		return (struct point){AT_BEGAN, p.op};
	case AT_BEGAN:
		return d->before.how ? held(w, &d->before, d->began)
		                     : (struct point){AT_READY, p.op};
	case AT_POSTED:
		return d->before.how ? held(w, &d->before, d->posted)
		                     : (struct point){AT_READY, p.op};
	case AT_READY:
		return ready(w, p.op);
	case AT_MET:
		if (d->met_late)
			return (struct point){AT_POSTED, d->with};
		return (struct point){w->t->is_taken_first ? AT_TAKING : AT_ARRIVED, p.op};
	case AT_ARRIVED:
		stretch(w, SPENT_MOVING, p.op, op->rank, d->moved, d->arrived);
		return (struct point){AT_MOVED, p.op};
	case AT_MOVED:
		if (d->moved_late)
			return (struct point){AT_POSTED, d->with};
		stretch(w, SPENT_SENDING, p.op, op->rank, d->began, d->moved);
		return (struct point){AT_BEGAN, p.op};
	case AT_TAKEN:
		return taken(w, p.op);
	case AT_TAKING:
		if (d->before_taking.how)
			return held(w, &d->before_taking, d->taking);
		return (struct point){w->t->is_taken_first ? AT_ARRIVED : AT_MET, p.op};
	default:
		return (struct point){AT_START, p.op};
	}
}

/* What ended last: an operation, or a processor's work on one that was over before. */
static struct point last_of(const struct walk *w)
{
	struct point last = {AT_START, 0};
	double latest = 0;

	for (uint32_t i = 0; i < w->t->n; i++) {
		double date = schedule_over(w->t, w->s, i);

		if (date > latest) {
			latest = date;
			last = (struct point){AT_OVER, i};
		}
		if (w->t->op[i].ended > latest) {
			latest = w->t->op[i].ended;
			last = (struct point){AT_ENDED, i};
		}
	}
	return last;
}

uint32_t schedule_path(const struct schedule_trail *t, const struct trace_schedule *s,
                       void (*told)(void *self, const struct schedule_stretch *x), void *self)
{
	struct walk w = {.t = t, .s = s, .told = told, .self = self};
	struct point p = last_of(&w);
	uint32_t rank = t->n ? s->op[p.op].rank : 0;

	while (p.at != AT_START)
		p = back(&w, p);
	return rank;
}
