/* live.c: life of a live run, and its loop.
 *
 *   resume(rank): next operation of the ring --computed--> mp_compute --> issue --> answer --> next
 *                       ring empty: the process runs (live_wait) */
#include "live_int.h"

#include "launch/room.h"

#include <stdlib.h>

/* Of a process that does nothing but MPI_Init: page tables, kernel stack, pages of libraries that
 * it writes to (measured: 263 KiB, of 400 processes). */
static const uint64_t LEAST_PROCESS = 256 << 10;

/* The world that begins; others may be spawned. */
static int processes_check(const struct live_options *o, uint32_t ranks, struct err *err)
{
	const uint64_t n = ranks - o->spare;
	struct room room;

	if (o->holding == LIVE_COROUTINES || n < 64)
		return 0;
	room = room_now();
	if (room_check(&room, n, LEAST_PROCESS, err) == 0)
		return 0;
	err_append(err, ": fewer ranks (-np), or --hold coroutines, which is one process");
	return -1;
}

struct live *live_new(uint32_t ranks, const struct live_options *o, struct err *err)
{
	struct live *l;

	if (processes_check(o, ranks, err) < 0)
		return NULL;
	l = calloc(1, sizeof *l);
	if (!l) {
		err_nomem(err, "live run", sizeof *l);
		return NULL;
	}
	l->o = *o;
	l->ranks = ranks;
	l->fd = -1;
	hash64_init(&l->meeting_by_key);
	hash64_init(&l->comm_of_self);
	hash64_init(&l->region_by_ends);
	hash64_init(&l->wrong_told);
	hash_str_init(&l->place_by_name);
	hash_str_init(&l->place_by_file);
	data_init(l);
	l->rank = calloc(ranks, sizeof *l->rank);
	l->jobs = o->holding == LIVE_COROUTINES ? 0 : o->jobs > ranks ? ranks : o->jobs;
	l->ahead = calloc((size_t)l->jobs + 1, sizeof *l->ahead);
	l->wakes = calloc(2 * ((size_t)ranks / WIRE_GROUP + 1), sizeof *l->wakes);
	l->woken = l->wakes ? l->wakes + ranks / WIRE_GROUP + 1 : NULL;
	if (!l->rank || !l->ahead || !l->wakes) {
		err_nomem(err, "ranks", ranks * sizeof *l->rank);
		live_free(l);
		return NULL;
	}
	if (segment_make(l, err) < 0) {
		live_free(l);
		return NULL;
	}
	return l;
}

void live_free(struct live *l)
{
	if (!l)
		return;
	processes_kill(l);
	coros_free(l->coros);
	regions_release(l);
	places_release(l);
	races_release(l);
	free(l->left);
	for (uint32_t i = 0; l->rank && i < l->ranks; i++) {
		free(l->rank[i].req);
		free(l->rank[i].list);
		free(l->rank[i].comm);
		free(l->rank[i].call);
		free(l->rank[i].maps);
		stacks_release(&l->rank[i]);
	}
	data_release(l);
	spawn_release(l);
	free(l->hosts);
	for (uint32_t i = 0; i < l->meetings.n; i++) {
		free(meeting_at(l, i)->member);
		free(meeting_at(l, i)->data);
		free(meeting_at(l, i)->bytes);
		free(meeting_at(l, i)->held);
		free(meeting_at(l, i)->told);
		free(meeting_at(l, i)->alike);
	}
	slots_release(&l->meetings);
	hash64_release(&l->meeting_by_key);
	hash64_release(&l->comm_of_self);
	free(l->counts);
	free(l->ahead);
	free(l->outside);
	free(l->wakes);
	free(l->rank);
	segment_release(l);
	free(l);
}

/* The numbers of hosts; for ranks of this process, in memory of their own. */
static int hosts_set(struct live *l, struct err *err)
{
	uint32_t *host = wire_at(l->head, l->head->hosts);

	if (l->o.holding == LIVE_COROUTINES) {
		host = l->hosts = malloc(l->ranks * sizeof *host);
		if (!host)
			return err_nomem(err, "hosts of ranks", l->ranks * sizeof *host);
		l->head->hosts = wire_place(l->head, host);
	}
	for (uint32_t i = 0; i < l->ranks; i++)
		host[i] = mp_host(l->mp, i).v;
	return 0;
}

/* What ranks measure, and what they tell in flops, become volumes of one kind: nanoseconds of this
 * computer, or what the machine's speed counts. */
static void volumes_set(struct live *l)
{
	for (uint32_t i = 0; i < l->ranks; i++) {
		double speed = net_host_speed(mp_net(l->mp), mp_host(l->mp, i));
		struct live_rates *c = &l->rank[i].rates;

		c->volume = l->o.taken ? 1e9 : l->o.speed > 0 ? l->o.speed : speed;
		c->work = l->o.taken ? 1 / (speed * l->o.taken(l->o.self, i, 1)) : 1;
		c->takes = !l->o.regions.seconds && mp_computes(l->mp)
		               ? 1e-6 * live_takes(l, i, 1e6)
		               : 0;
		segment_rates(l, i);
	}
}

int live_start(struct live *l, struct err *err)
{
	volumes_set(l);
	if (hosts_set(l, err) < 0)
		return -1;
	return l->o.holding == LIVE_COROUTINES ? held_start(l, err) : processes_start(l, err);
}

int live_end(struct live *l, struct err *err)
{
	return processes_end(l, err);
}

int live_failed(const struct live *l)
{
	return l->failed;
}

uint64_t live_calls(const struct live *l)
{
	return l->calls;
}

uint32_t live_places(const struct live *l)
{
	return l->places;
}

const char *live_family(const struct live *l)
{
	return l->family == WIRE_MPICH ? "mpich" : l->family == WIRE_OPENMPI ? "openmpi" : NULL;
}

#define READ_PART 0.01 /* less is not told */

void live_time_text(const struct live *l, struct str *out)
{
	double all = mp_now(l->mp) * mp_ranks_begun(l->mp);

	if (l->waits_outside)
		str_printf(out,
		           "ranks waited past MPI (for a socket, a pipe, a lock of a file) %llu "
		           "time%s: what moves there takes no time, and a trace has no such wait "
		           "(docs/run.md, 'What takes time')\n",
		           (unsigned long long)l->waits_outside, l->waits_outside == 1 ? "" : "s");
	if (l->read <= READ_PART * all)
		return;
	str_printf(out,
	           "readings of clocks took %.3g s, %.0f %% of the ranks' time: where computations "
	           "take none, many in a row do (docs/run.md, 'What takes time')\n",
	           l->read, 100 * l->read / all);
}

/* --- running --- */

/* As the replay of the trace that the run may write (src/replay/op.c). */
int live_computes(struct live *l, uint32_t rank, double volume, struct err *err)
{
	if (!(volume > 0))
		return MP_DONE;
	return l->o.taken
	           ? mp_compute_rated(l->mp, rank, volume, l->o.taken(l->o.self, rank, volume), err)
	           : mp_compute(l->mp, rank, volume, err);
}

double live_takes(const struct live *l, uint32_t rank, double volume)
{
	return l->o.taken ? l->o.taken(l->o.self, rank, volume)
	                  : volume / net_host_speed(mp_net(l->mp), mp_host(l->mp, rank));
}

static int op_go(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	int status;

	if (r->phase == PHASE_NEW) {
		r->phase = PHASE_COMPUTED;
		if (where_keep(l, rank, op, err) < 0)
			return MP_ERROR;
		r->stage = 0;
		r->error = 0;
		r->own = (struct lreq){.mp = MP_REQUEST_NULL};
		looks_follow(l, rank, op, op->computed > 0 ? live_takes(l, rank, op->computed) : 0);
		status = region_wanted(l) ? region_computed(l, rank, op, err)
		                          : live_computes(l, rank, op->computed, err);
		if (status != MP_DONE)
			return status;
	}
	if (r->phase == PHASE_COMPUTED) {
		r->phase = PHASE_ISSUED;
		r->issued = mp_now(l->mp);
		mp_data_next(l->mp, 0, 0);
		status = live_issue(l, rank, op, err);
		if (status != MP_DONE)
			return status;
	}
	return live_tell(l, rank, op, err); /* which may issue more */
}

static void op_done(struct live *l, uint32_t rank, const struct wire_op *op)
{
	if (l->coros)
		coros_op_done(l->coros, rank);
	else
		wire_op_done(l->rank[rank].c, op);
}

/* What is told between operations, with --checks. */
typedef int told_fn(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err);
static told_fn *told_of(uint8_t kind)
{
	return kind == WIRE_STACK   ? stack_keep
	       : kind == WIRE_WRONG ? wrong_tell
	       : kind == WIRE_TOUCH ? race_touch
	                            : NULL;
}

/* mp_program.resume */
static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct live *l = self;
	struct lrank *r = &l->rank[rank];
	const struct wire_op *op;
	told_fn *told;
	int status, asks;

	(void)mp;
	for (;;) {
		op = live_op(l, rank);
		told = op ? told_of(op->kind) : NULL;
		if (told) {
			if (told(l, rank, op, err) < 0)
				return -1;
			op_done(l, rank, op);
			continue;
		}
		if (!op) {
			if (r->over)
				return l->coros && held_finish(l, rank, err) < 0 ? -1 : 1;
			status = (l->coros ? held_wait : live_wait)(l, rank, err);
			if (status != 0)
				return status;
			continue;
		}
		status = op_go(l, rank, op, err);
		if (status != MP_DONE)
			return status == LIVE_HELD ? 2 : status == MP_BLOCKED ? 0 : -1;
		if (livelock_check(l, rank, op, err) < 0)
			return -1;
		asks = op->flags & WIRE_ASKS && !r->early;
		early_ends(r);
		r->phase = PHASE_NEW;
		r->calls++;
		l->calls++;
		if (l->o.progress)
			l->o.progress->done++;
		op_done(l, rank, op);
		if (asks && !l->coros)
			live_answer(l, r);
	}
}

static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	return live_where(self, rank, buf, n);
}

static const char *call(void *self, uint32_t rank, char *buf, size_t n)
{
	return live_call(self, rank, buf, n);
}

static void wrong(void *self, const char *text)
{
	const struct live *l = self;

	l->o.wrong(l->o.self, mp_now(l->mp), text);
}

/* mp_program.outside */
static int outside(void *self, int idle, struct err *err)
{
	struct live *l = self;
	int n = l->o.holding != LIVE_COROUTINES ? outside_look(l, idle, err) : 0;

	return n == 0 && idle ? ports_late(l) > 0 : n;
}

struct mp_program live_program(struct live *l)
{
	struct mp_program p = {
	    .self = l, .resume = resume, .outside = outside, .place = place, .call = call};

	if (l->o.checks && l->o.wrong)
		p.wrong = wrong;
	if (l->o.checks) {
		p.event = &l->rank[0].calls;
		p.event_stride = sizeof l->rank[0];
		p.place_of = where_was;
		p.tells_left = 1; /* left.c */
	}
	return p;
}
