/* graph_told.c: what a schedule that was simulated as a graph has to tell: the same observers that
 * listen to MPI are told, after the run, what it did; and the critical path is walked back.
 *
 * A rank does several things at a time, and observers know one. So it computes while any of its
 * processors does; else it is in MPI_Wait: at messages, as long as a processor works on one or one
 * moves that it waits for, or waiting. An operation that sends or receives is a call that takes no
 * time (MPI_Isend when its processor begins with it, MPI_Irecv when it is posted), with its bytes.
 */
#include "sim_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what each rank did --- */

/* One of its processors, or no time at all. */
struct stretch {
	double from, until;
	uint32_t rank, op;
	enum stretch_kind {
		STRETCH_COMPUTES,
		STRETCH_SENDS,
		STRETCH_MOVES, /* a message that it waits for */
		STRETCH_POSTS,
		STRETCH_TAKES
	} kind;
};

struct state {
	double enter, leave, wait;
	uint32_t rank, op; /* op: SCHEDULE_NONE, or whose bytes */
	enum mp_call call;
};

/* When a state begins or ends, or a message has arrived. */
struct moment {
	double date;
	uint32_t index; /* of states, twice, and 1 for its end; of operations */
	uint32_t message;
};

struct told {
	const struct trace_schedule *s;
	const struct schedule_trail *t;
	struct stretch *stretch;
	uint32_t n_stretches;
	struct state *states;
	uint32_t n_states, states_cap;
	struct moment *moments;
	uint32_t n_moments;
	/* Of the rank that is looked at: what is told up to `upto`; until when what has begun
	 * lasts. */
	double upto, computing, working;
};

static int stretch_compare(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->op != y->op)
		return x->op < y->op ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static void stretch_add(struct told *w, enum stretch_kind kind, uint32_t op, uint32_t rank,
                        double from, double until)
{
	w->stretch[w->n_stretches++] = (struct stretch){
	    .from = from, .until = until, .rank = rank, .op = op, .kind = kind};
}

static int stretches_make(struct told *w, struct err *err)
{
	const size_t most = (size_t)w->s->n_ops * 4 + 1;

	w->stretch = malloc(most * sizeof *w->stretch);
	if (!w->stretch)
		return err_nomem(err, "what each rank did", most * sizeof *w->stretch);
	for (uint32_t i = 0; i < w->s->n_ops; i++) {
		const struct schedule_op *op = &w->s->op[i];
		const struct schedule_done *d = &w->t->op[i];
		double leaves;
		uint32_t to;

		if (op->kind == SCHEDULE_CALC) {
			stretch_add(w, STRETCH_COMPUTES, i, op->rank, d->began, d->ended);
			continue;
		}
		if (op->kind == SCHEDULE_RECV) {
			stretch_add(w, STRETCH_POSTS, i, op->rank, d->posted, d->posted);
			continue;
		}
		to = w->s->op[d->with].rank;
		leaves = w->t->is_taken_first ? d->began : d->moved;
		stretch_add(w, STRETCH_SENDS, i, op->rank, d->began, d->ended);
		if (!d->is_over_when_sent)
			stretch_add(w, STRETCH_MOVES, i, op->rank, leaves, d->arrived);
		stretch_add(w, STRETCH_MOVES, i, to, leaves, d->arrived);
		stretch_add(w, STRETCH_TAKES, i, to, d->taking, d->taken);
	}
	if (w->n_stretches > 1)
		qsort(w->stretch, w->n_stretches, sizeof *w->stretch, stretch_compare);
	return 0;
}

static int state_add(struct told *w, const struct state *s, struct err *err)
{
	struct state *all;

	if (w->n_states >= 0x3fffffff)
		return err_set(err, ERR_LIMIT, "the schedule has too many operations to be told");
	all = vec_grow(w->states, &w->states_cap, sizeof *all, (size_t)w->n_states + 1,
	               "what each rank did", err);
	if (!all)
		return -1;
	w->states = all;
	all[w->n_states++] = *s;
	return 0;
}

/* Of a rank up to a date: what it did, `call`, as far as `until`. */
static int spend(struct told *w, uint32_t rank, enum mp_call call, int waits, double until,
                 struct err *err)
{
	struct state s = {
	    .enter = w->upto, .leave = until, .rank = rank, .op = SCHEDULE_NONE, .call = call};

	if (!(until > w->upto))
		return 0;
	s.wait = waits ? until - w->upto : 0;
	w->upto = until;
	return state_add(w, &s, err);
}

static int go_on(struct told *w, uint32_t rank, double now, struct err *err)
{
	if (spend(w, rank, CALL_COMPUTE, 0, fmin(now, w->computing), err) < 0 ||
	    spend(w, rank, CALL_WAIT, 0, fmin(now, w->working), err) < 0)
		return -1;
	return spend(w, rank, CALL_WAIT, 1, now, err);
}

static int call_add(struct told *w, const struct stretch *x, struct err *err)
{
	struct state s = {.enter = x->from, .leave = x->from, .rank = x->rank, .op = x->op};

	if (x->kind != STRETCH_SENDS && x->kind != STRETCH_POSTS)
		return 0;
	s.call = x->kind == STRETCH_SENDS ? CALL_ISEND : CALL_IRECV;
	return state_add(w, &s, err);
}

/* The stretches of a rank, up to its end. */
static int rank_states(struct told *w, const struct stretch *x, uint32_t n, struct err *err)
{
	double *until, end = 0;

	w->upto = w->computing = w->working = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (go_on(w, x[i].rank, x[i].from, err) < 0 || call_add(w, &x[i], err) < 0)
			return -1;
		until = x[i].kind == STRETCH_COMPUTES ? &w->computing : &w->working;
		*until = fmax(*until, x[i].until);
		end = fmax(end, x[i].until);
		if (x[i].kind != STRETCH_MOVES && x[i].kind != STRETCH_TAKES)
			end = fmax(end, schedule_over(w->t, w->s, x[i].op));
	}
	return go_on(w, x->rank, end, err);
}

static int states_make(struct told *w, struct err *err)
{
	uint32_t from = 0, to;

	for (; from < w->n_stretches; from = to) {
		for (to = from;
		     to < w->n_stretches && w->stretch[to].rank == w->stretch[from].rank;)
			to++;
		if (rank_states(w, w->stretch + from, to - from, err) < 0)
			return -1;
	}
	return 0;
}

/* --- told in order --- */

static int moment_compare(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->date != y->date)
		return x->date < y->date ? -1 : 1;
	if (x->message != y->message)
		return x->message ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

/* When its receiver has a message. */
static double received(const struct told *w, const struct schedule_done *send)
{
	return fmax(w->t->is_taken_first ? send->taken : send->arrived,
	            w->t->op[send->with].posted);
}

static int moments_make(struct told *w, struct err *err)
{
	const size_t most = (size_t)w->n_states * 2 + w->s->n_ops + 1;

	w->moments = malloc(most * sizeof *w->moments);
	if (!w->moments)
		return err_nomem(err, "what each rank did", most * sizeof *w->moments);
	for (uint32_t i = 0; i < w->n_states; i++) {
		w->moments[w->n_moments++] = (struct moment){w->states[i].enter, 2 * i, 0};
		w->moments[w->n_moments++] = (struct moment){w->states[i].leave, 2 * i + 1, 0};
	}
	for (uint32_t i = 0; i < w->s->n_ops; i++)
		if (w->s->op[i].kind == SCHEDULE_SEND)
			w->moments[w->n_moments++] = (struct moment){received(w, &w->t->op[i]), i,
			                                             1};
	if (w->n_moments > 1)
		qsort(w->moments, w->n_moments, sizeof *w->moments, moment_compare);
	return 0;
}

static void state_tell(const struct told *w, uint32_t index, const struct mp_observer *o)
{
	const struct state *s = &w->states[index / 2];
	const struct schedule_done *d = s->op == SCHEDULE_NONE ? NULL : &w->t->op[s->op];
	uint32_t send = d && s->call == CALL_IRECV ? d->with : s->op;
	int32_t partner = d ? (int32_t)w->s->op[d->with].rank : -1;
	double bytes = d ? (double)w->s->op[send].size : 0;

	if (index % 2 == 0 && o->enter)
		o->enter(o->self, s->rank, s->call, s->enter);
	if (index % 2 == 1 && o->leave)
		o->leave(o->self, s->rank, s->call, s->leave, partner, bytes, s->wait);
}

static void message_tell(const struct told *w, uint32_t send, const struct mp_observer *o)
{
	const struct schedule_op *op = &w->s->op[send];
	const struct schedule_done *d = &w->t->op[send];

	if (o->message)
		o->message(o->self, &(struct mp_arrival){.from = op->rank,
		                                         .to = w->s->op[d->with].rank,
		                                         .tag = op->tag,
		                                         .comm = MP_COMM_WORLD,
		                                         .bytes = (double)op->size,
		                                         .sent = d->began,
		                                         .moved = d->moved,
		                                         .received = received(w, d),
		                                         .transfer = MP_NO_TRANSFER});
}

static void all_tell(const struct told *w, const struct mp_observer *o)
{
	if (o->begin)
		o->begin(o->self);
	for (uint32_t i = 0; i < w->n_moments; i++)
		if (w->moments[i].message)
			message_tell(w, w->moments[i].index, o);
		else
			state_tell(w, w->moments[i].index, o);
}

int graph_tell(const struct sim *s, const struct mp_observer *observer, uint32_t n, struct err *err)
{
	struct told w = {.s = &s->schedule, .t = &s->trail};
	int bad = n == 0 ? 0
	                 : stretches_make(&w, err) < 0 || states_make(&w, err) < 0 ||
	                       moments_make(&w, err) < 0;

	for (uint32_t i = 0; i < n && !bad; i++)
		all_tell(&w, &observer[i]);
	free(w.stretch);
	free(w.states);
	free(w.moments);
	return bad ? -1 : 0;
}

/* --- the critical path --- */

struct path_walk {
	const struct sim *s;
	struct paths *paths;
	uint32_t path;
};

/* Of the messages, which began to move before this one, or as early and before it in the file. */
static uint64_t message_number(const struct sim *s, uint32_t send)
{
	const struct schedule_done *d = s->trail.op;
	uint64_t n = 1;

	for (uint32_t i = 0; i < s->schedule.n_ops; i++)
		n += s->schedule.op[i].kind == SCHEDULE_SEND &&
		     (d[i].moved < d[send].moved || (d[i].moved == d[send].moved && i < send));
	return n;
}

/* As fast as alone, and what others took of it. */
static void path_message(struct path_walk *w, const struct schedule_stretch *x)
{
	const struct schedule_done *d = &w->s->trail.op[x->op];
	double left = x->until - x->from, latency = fmin(d->latency, left), alone;

	if (d->alone < 0) {
		path_add(w->paths, w->path, PATH_BY_CAUSE, CAUSE_TRANSFER, left);
	} else {
		alone = fmin(d->alone, left - latency);
		left -= latency + alone;
		path_add(w->paths, w->path, PATH_BY_CAUSE, CAUSE_LATENCY, latency);
		path_add(w->paths, w->path, PATH_BY_CAUSE, CAUSE_BOUND, alone);
		/* of sums that differ by rounding nothing is left */
		path_add(w->paths, w->path, PATH_BY_CAUSE,
		         left > 1e-12 * x->until ? CAUSE_RESOURCE : CAUSE_BOUND, left);
	}
	path_add_stretch(w->paths, w->path,
	                 &(struct path_stretch){.from = x->from,
	                                        .until = x->until,
	                                        .message = x->op + (uint64_t)1,
	                                        .rank = x->rank,
	                                        .to = w->s->schedule.op[d->with].rank});
}

static void path_stretch_add(void *self, const struct schedule_stretch *x)
{
	static const enum cause causes[] = {[SPENT_COMPUTING] = CAUSE_COMPUTE,
	                                    [SPENT_SENDING] = CAUSE_OVERHEAD,
	                                    [SPENT_TAKING] = CAUSE_OVERHEAD,
	                                    [SPENT_BYTES] = CAUSE_TRANSFER,
	                                    [SPENT_INTERFACE] = CAUSE_TRANSFER};
	struct path_walk *w = self;

	if (x->what == SPENT_MOVING) {
		path_message(w, x);
		return;
	}
	path_add(w->paths, w->path, PATH_BY_CAUSE, causes[x->what], x->until - x->from);
	path_add(w->paths, w->path, PATH_BY_RANK, x->rank, x->until - x->from);
	path_add_stretch(
	    w->paths, w->path,
	    &(struct path_stretch){
	        .from = x->from, .until = x->until, .rank = x->rank, .cause = causes[x->what]});
}

static int path_explain(struct sim *s, struct err *err)
{
	struct path_walk w = {.s = s, .paths = paths_new(err)};
	struct explained_path p = {.end = s->graph.end,
	                           .mean_computation = s->graph.computing / s->about.ranks,
	                           .platform = s->platform,
	                           .host = s->placement.host};

	if (!w.paths)
		return -1;
	w.path = path_new(w.paths);
	p.last = schedule_path(&s->trail, &s->schedule, path_stretch_add, &w);
	path_sum(w.paths, w.path, &p.sums);
	path_sums_sort(&p.sums);
	for (uint32_t i = 0; i < p.sums.n_longest; i++)
		if (p.sums.longest[i].message)
			p.sums.longest[i].message = message_number(
			    s, (uint32_t)p.sums.longest[i].message - 1);
	if (paths_failed(w.paths))
		err_set(err, ERR_LIMIT,
		        "not enough memory for the critical path: it would be wrong");
	else
		s->explainer = explainer_of_path(&p, err);
	paths_free(w.paths);
	if (s->explainer)
		return 0;
	path_sums_release(&p.sums);
	return -1;
}

int graph_explain(struct sim *s, struct err *err)
{
	if (!s->o.explain)
		return 0;
	if (strcmp(s->o.explain, SIM_LINKS) != 0)
		return path_explain(s, err);
	s->explainer = explainer_of_links(s->net, s->graph.end, err);
	return s->explainer ? 0 : -1;
}
