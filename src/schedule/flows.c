/* flows.c: a schedule whose messages are flows over the links of a machine, by the protocols of MPI
 * (docs/models.md): a message below the threshold E leaves when it is posted, others when both
 * sides are; one below D is over for its sender when it is posted, others when they have arrived.
 *
 * A computation takes its processor, a send the seconds that posting it takes, a receive those that
 * taking a message in takes, be they none. What finds its processor taken waits in line.
 * Receives are posted when what they wait for is over, whatever the processors do.
 *
 *   send: ready -> posting (its processor) -> posted -> moves -> arrived
 *   receive: ready -> posted -> met and arrived -> taking in (its processor) -> ended */
#include "schedule_int.h"

#include "base/memory.h"

#include <stdlib.h>

enum happens { PROCESSOR_FREE = 1, MESSAGE_ARRIVED };

/* Of a send, of a receive, in schedule_op.date; of a message on its way its path is above them. */
enum { IS_MET = 1, HAS_ARRIVED = 2, PAYS = 4 };
enum { PATH_SHIFT = 32 };

struct line { /* a processor: what it works on, and what waits for it */
	uint32_t now, first, last;
	uint32_t path; /* when it will be free */
};

struct run_on {
	struct trace_schedule *s;
	const struct schedule_machine *m;
	const double *unit;
	struct engine *engine;
	double envelope;
	struct line *line; /* of each rank its processors */
	struct meet meet;
	struct freed freed;
	uint32_t left;     /* operations that have not ended */
	struct busy *busy; /* of each rank; s */
	struct path units;
	uint32_t path; /* up to now, of what happens */
	struct latest {
		double date; /* s */
		uint32_t id, path;
	} latest; /* of those that ended last, the first of the file */
	struct schedule_trail *trail;
	struct schedule_result *out;
};

/* What is told is told in order: dates are those of the engine. */
static int op_started(struct run_on *r, uint32_t id, struct err *err)
{
	return freed_tell(&r->freed, r->s, id, (struct told){.path = r->path, .start = 1}, err);
}

static int op_ended(struct run_on *r, uint32_t id, struct err *err)
{
	const struct latest end = {engine_now(r->engine), id, r->path};

	r->left--;
	if (end.date > r->latest.date || id < r->latest.id)
		r->latest = end;
	return freed_tell(&r->freed, r->s, id, (struct told){.path = r->path}, err);
}

/* --- processors --- */

/* What a message wants of a processor of one of its ranks, s. */
static double overhead_of(const struct run_on *r, const struct schedule_op *op)
{
	const struct schedule_machine *m = r->m;
	const int sends = op->kind == SCHEDULE_SEND,
	          local = m->host[op->rank].v == m->host[op->peer].v;
	const struct factor_table *inside = sends ? m->ois_local : m->or_local;

	return overhead_lookup(local && inside->n > 0 ? inside
	                       : sends                ? m->ois
	                                              : m->or_,
	                       (double)op->size, 0);
}

/* What an operation wants of its processor, s. */
static double seconds_of(const struct run_on *r, const struct schedule_op *op)
{
	if (op->kind == SCHEDULE_CALC)
		return (double)op->size * r->unit[op->rank];
	if (op->peer == (int32_t)op->rank || (op->kind == SCHEDULE_RECV && !(op->date & PAYS)))
		return 0;
	return overhead_of(r, op);
}

static int send_post(struct run_on *r, uint32_t id, struct err *err);

/* Of a receive its processor works on the message. */
static void trail_begun(struct run_on *r, uint32_t id)
{
	const struct schedule_op *op = &r->s->op[id];
	struct trail_place on = {
	    .rank = op->rank, .cpu = op->cpu, .taking = op->kind == SCHEDULE_RECV, .for_cpu = 1};

	trail_begin(r->trail, r->s, on.taking ? r->trail->op[id].with : id, &on,
	            engine_now(r->engine));
}

static void trail_ended(struct run_on *r, uint32_t id)
{
	struct schedule_done *d = r->trail->op;

	if (r->s->op[id].kind == SCHEDULE_RECV)
		d[d[id].with].taken = engine_now(r->engine);
	else
		d[id].ended = engine_now(r->engine);
}

static int processor_done(struct run_on *r, uint32_t id, struct err *err)
{
	if (r->trail)
		trail_ended(r, id);
	return r->s->op[id].kind == SCHEDULE_SEND ? send_post(r, id, err) : op_ended(r, id, err);
}

/* 1: it is over at once, and the processor free; 0; -1. */
static int processor_begin(struct run_on *r, struct line *line, uint32_t id, struct err *err)
{
	const struct schedule_op *op = &r->s->op[id];
	double seconds = seconds_of(r, op), now = engine_now(r->engine);
	struct activity_id a;

	busy_begin(&r->busy[op->rank], op->kind == SCHEDULE_CALC, now, now + seconds, r->out);
	if (r->trail)
		trail_begun(r, id);
	if (op->kind != SCHEDULE_RECV && op_started(r, id, err) < 0)
		return -1;
	if (op->kind != SCHEDULE_CALC && seconds == 0)
		return processor_done(r, id, err) < 0 ? -1 : 1;
	line->now = id;
	line->path = r->path;
	if (op->kind == SCHEDULE_CALC)
		line->path += path_units(&r->units, seconds);
	return engine_timer(r->engine, seconds, (uint64_t)PROCESSOR_FREE << 32 | id, &a, err);
}

/* Gives a processor that is free to those that wait. */
static int processor_serve(struct run_on *r, struct line *line, struct err *err)
{
	uint32_t id;
	int more = 1;

	while (more > 0 && line->first != SCHEDULE_NONE) {
		id = line->first;
		line->first = r->s->op[id].next;
		more = processor_begin(r, line, id, err);
	}
	return more < 0 ? -1 : 0;
}

static struct line *line_of(const struct run_on *r, const struct schedule_op *op)
{
	return &r->line[(size_t)op->rank * r->s->cpus + op->cpu];
}

static int processor_want(struct run_on *r, uint32_t id, struct err *err)
{
	struct schedule_op *op = r->s->op;
	struct line *line = line_of(r, &op[id]);

	if (line->now == SCHEDULE_NONE)
		return processor_begin(r, line, id, err) < 0 ? -1 : 0;
	op[id].next = SCHEDULE_NONE;
	if (line->first == SCHEDULE_NONE)
		line->first = id;
	else
		op[line->last].next = id;
	line->last = id;
	return 0;
}

/* --- messages --- */

static void trail_moves(struct run_on *r, uint32_t id, struct activity_id a, int late)
{
	struct schedule_done *d = &r->trail->op[id];

	d->moved = engine_now(r->engine);
	d->moved_late = (uint8_t)late;
	if (flow_alone(r->engine, a, &d->latency, &d->alone) < 0)
		d->alone = -1;
}

/* A message begins to move, or has arrived. */
static void busy_message(struct run_on *r, const struct schedule_op *op, int more)
{
	double now = engine_now(r->engine);

	if ((double)op->size >= r->m->detached)
		busy_moves(&r->busy[op->rank], more, now, r->out);
	busy_moves(&r->busy[op->peer], more, now, r->out);
}

/* late: because its receive is posted. */
static int message_start(struct run_on *r, uint32_t id, int late, struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	struct net_sent sent;

	op->date |= (uint64_t)r->path << PATH_SHIFT;
	r->out->messages++;
	r->out->bytes += (double)op->size;
	busy_message(r, op, 1);
	if (net_message(r->m->net,
	                &(struct net_send){.from = r->m->host[op->rank],
	                                   .to = r->m->host[op->peer],
	                                   .bytes = (double)op->size + r->envelope,
	                                   .stretch = 1,
	                                   .user = (uint64_t)MESSAGE_ARRIVED << 32 | id},
	                &sent, err) < 0)
		return -1;
	if (r->trail)
		trail_moves(r, id, sent.activity, late);
	return 0;
}

/* Both sides are there, and the message has arrived. */
static int delivered(struct run_on *r, uint32_t send, struct err *err)
{
	struct schedule_op *op = r->s->op;
	uint32_t recv = op[send].next;
	int detached = (double)op[send].size < r->m->detached;

	if (!detached) {
		busy_moves(&r->busy[op[send].rank], 0, engine_now(r->engine), r->out);
		if (op_ended(r, send, err) < 0)
			return -1;
	}
	op[recv].size = op[send].size; /* what it takes in */
	op[recv].peer = (int32_t)op[send].rank;
	op[recv].date = detached ? PAYS : 0;
	return processor_want(r, recv, err);
}

/* late: the receive is posted now, or was before. */
static int met(struct run_on *r, uint32_t send, uint32_t recv, int late, struct err *err)
{
	struct schedule_op *op = &r->s->op[send];

	if (r->trail)
		trail_met(r->trail, send, recv, late && (op->date & HAS_ARRIVED));

	longer_note(r->s, send, recv, r->out);
	op->date |= IS_MET;
	op->next = recv;
	if (op->date & HAS_ARRIVED)
		return delivered(r, send, err);
	return (double)op->size < r->m->eager ? 0 : message_start(r, send, late, err);
}

static int send_post(struct run_on *r, uint32_t id, struct err *err)
{
	struct schedule_op *op = &r->s->op[id];
	uint32_t recv;

	op->date = 0;
	if (r->trail)
		r->trail->op[id].is_over_when_sent = (double)op->size < r->m->detached;
	if (((double)op->size < r->m->eager && message_start(r, id, 0, err) < 0) ||
	    meet(&r->meet, r->s, id, &recv, err) < 0)
		return -1;
	if (recv != SCHEDULE_NONE && met(r, id, recv, 0, err) < 0)
		return -1;
	return (double)op->size < r->m->detached ? op_ended(r, id, err) : 0;
}

static int recv_post(struct run_on *r, uint32_t id, struct err *err)
{
	uint32_t send;

	if (op_started(r, id, err) < 0 || meet(&r->meet, r->s, id, &send, err) < 0)
		return -1;
	return send == SCHEDULE_NONE ? 0 : met(r, send, id, 1, err);
}

/* --- what happens --- */

static int ready(struct run_on *r, uint32_t id, struct err *err)
{
	const struct schedule_op *op = &r->s->op[id];

	r->path = op->path;
	if (r->trail)
		r->trail->op[id].ready = r->trail->op[id].posted = engine_now(r->engine);
	return op->kind == SCHEDULE_RECV ? recv_post(r, id, err) : processor_want(r, id, err);
}

/* What becomes ready may end at once, and make more ready. */
static int freed_flush(struct run_on *r, struct err *err)
{
	struct freed now;
	int bad = 0;

	while (r->freed.n > 0 && !bad) {
		now = r->freed;
		r->freed = (struct freed){.trail = r->trail};
		bad = freed_sort(&now, r->s, err) < 0;
		for (uint32_t i = 0; i < now.n && !bad; i++)
			bad = ready(r, now.id[i], err) < 0;
		if (r->freed.id)
			freed_release(&now);
		else
			r->freed = (struct freed){.id = now.id, .cap = now.cap, .trail = r->trail};
	}
	return bad ? -1 : 0;
}

static int processor_free(struct run_on *r, uint32_t id, struct err *err)
{
	const struct schedule_op *op = &r->s->op[id];
	struct line *line = line_of(r, op);

	line->now = SCHEDULE_NONE;
	r->path = line->path;
	return processor_done(r, id, err) < 0 ? -1 : processor_serve(r, line, err);
}

static int happened(struct run_on *r, uint64_t user, struct err *err)
{
	uint32_t id = (uint32_t)user;

	if (user >> 32 == PROCESSOR_FREE)
		return processor_free(r, id, err);
	r->s->op[id].date |= HAS_ARRIVED;
	r->path = (uint32_t)(r->s->op[id].date >> PATH_SHIFT);
	busy_message(r, &r->s->op[id], -1);
	if (r->trail)
		r->trail->op[id].arrived = engine_now(r->engine);
	return r->s->op[id].date & IS_MET ? delivered(r, id, err) : 0;
}

/* All that ends at a date comes before what that makes ready. */
static int all_happens(struct run_on *r, struct err *err)
{
	struct completion done;
	int more = 0;

	while ((more = net_next(r->m->net, &done, err)) > 0) {
		do {
			if (happened(r, done.user, err) < 0)
				return -1;
		} while ((more = net_more(r->m->net, &done, err)) > 0);
		if (more < 0 || freed_flush(r, err) < 0)
			return -1;
	}
	return more;
}

/* --- all of it --- */

static int begin(struct run_on *r, struct err *err)
{
	const size_t n = (size_t)r->s->ranks * r->s->cpus;

	if (memory_check(n * sizeof *r->line, "the processors of a schedule", err) < 0)
		return -1;
	r->line = malloc(n * sizeof *r->line);
	if (!r->line)
		return err_nomem(err, "the processors of a schedule", n * sizeof *r->line);
	for (size_t i = 0; i < n; i++)
		r->line[i] = (struct line){SCHEDULE_NONE, SCHEDULE_NONE, SCHEDULE_NONE, 0};
	for (uint32_t i = 0; i < r->s->ranks; i++) {
		for (uint32_t k = r->s->first[i]; k < r->s->first[i + 1]; k++)
			if (r->s->op[k].waits == 0 && freed_add(&r->freed, k, err) < 0)
				return -1;
		if (freed_flush(r, err) < 0)
			return -1;
	}
	return 0;
}

int schedule_run_on(struct trace_schedule *s, const struct schedule_machine *m, const double *unit,
                    struct schedule_trail *trail, struct schedule_result *out, struct err *err)
{
	struct run_on r = {.s = s,
	                   .m = m,
	                   .unit = unit,
	                   .engine = net_engine(m->net),
	                   .envelope = net_envelope(m->net),
	                   .left = s->n_ops,
	                   .freed = {.trail = trail},
	                   .trail = trail,
	                   .out = out};
	int done = -1;

	*out = (struct schedule_result){0};
	path_init(&r.units, s, unit, 1);
	if (meet_init(&r.meet, s, err) == 0 && busy_init(&r.busy, s, err) == 0 &&
	    begin(&r, err) == 0 && all_happens(&r, err) == 0)
		done = r.left == 0 && r.meet.n == 0;
	out->end = engine_now(r.engine);
	out->path = path_dates(&r.units, r.latest.path);
	if (done > 0)
		busy_end(r.busy, s->ranks, out->end, out);
	free(r.busy);
	meet_release(&r.meet);
	freed_release(&r.freed);
	free(r.line);
	return done;
}
