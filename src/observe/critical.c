/* critical.c: the critical path (Yang and Miller, 1988): what the end of the run depended on, from
 * 0 to the makespan (docs/explain.md).
 *
 * Going back from the end: a rank's own time is on the path, until it had waited for a message;
 * from its arrival on back the message is, to the date at which it began to move; then the rank
 * that let it begin, the later of its two ends. Here that is done going forward, so that no run
 * need be kept: every rank has its path up to now, and a message takes along, when it begins, that
 * of the rank which lets it. A wait that a message ends replaces the path of the rank that waited
 * by the message's. The path of the rank that ends last is the critical one.
 *
 * What matches nothing (one-sided operations, partitions) goes the same way. What lets it begin is
 * told (struct mp_cause): the rank that runs, or another of its kind that arrives just then: a lock
 * is granted by its request, or by the release of another rank. So the path goes on in who held the
 * lock. A rank that no message releases, but what another rank does (it sends what was probed for),
 * goes on along that one's path.
 *
 * A rank that looks again and again (MPI_Test) waits from the first look that found nothing to the
 * one that found something.
 *
 * Every path is without gaps, so that the seconds of the critical path add up to the makespan. A
 * wait that nothing tells the end of stays on the path of the rank that waits, and is called not
 * followed.
 *
 * Where a record ends before the program did, the run ends with the last thing that happens while
 * ranks wait for what was not recorded. */
#include "critical.h"

#include <stdlib.h>

/* --- a rank's own time --- */

static enum cause cause_of(const struct reach *r)
{
	if (r->call < 0)
		return CAUSE_OVERHEAD;
	return r->call == CALL_COMPUTE                        ? CAUSE_COMPUTE
	       : r->call == CALL_SLEEP                        ? CAUSE_SLEEP
	       : r->whole && r->call >= CALL_COLL             ? CAUSE_WHOLE
	       : call_class((enum mp_call)r->call) == TIME_IO ? CAUSE_FILES
	                                                      : CAUSE_OVERHEAD;
}

/* The call that waits. */
static int waiting_call(const struct reach *r)
{
	return r->looks >= 0 && (r->call < 0 || !call_is_look((enum mp_call)r->call)) ? r->look
	                                                                              : r->call;
}

/* Its path goes on to this date. */
static void reach_spend(struct critical *c, uint32_t rank, enum cause cause, double until)
{
	struct reach *r = &c->ranks[rank];
	double seconds = until - r->until;

	if (!(seconds > 0))
		return;
	r->path = path_own(c->paths, r->path);
	path_add(c->paths, r->path, PATH_BY_CAUSE, cause, seconds);
	path_add(c->paths, r->path, PATH_BY_RANK, rank, seconds);
	if (r->call >= 0 && cause != CAUSE_COMPUTE && cause != CAUSE_SLEEP)
		path_add(c->paths, r->path, PATH_BY_CALL, (uint32_t)r->call, seconds);
	path_add_stretch(
	    c->paths, r->path,
	    &(struct path_stretch){.from = r->until, .until = until, .rank = rank, .cause = cause});
	if (cause == CAUSE_COMPUTE)
		r->computed += seconds;
	r->until = until;
}

static void reach_go_on(struct critical *c, uint32_t rank, double until)
{
	const struct reach *r = &c->ranks[rank];

	if (r->executing >= 0 && r->executing < until) {
		reach_spend(c, rank, cause_of(r), r->executing);
		reach_spend(c, rank, CAUSE_COMPUTE, until);
	} else {
		reach_spend(c, rank, cause_of(r), until);
	}
}

/* --- messages --- */

static struct flight *flight_of(const struct critical *c, uint32_t slot)
{
	uint32_t kind = slot / MP_LEG, i = slot % MP_LEG;

	return i < c->flights[kind].n && c->flights[kind].at[i].path != PATH_NONE
	           ? &c->flights[kind].at[i]
	           : NULL;
}

static struct flight *flight_new(struct critical *c, uint32_t slot)
{
	uint32_t kind = slot / MP_LEG, i = slot % MP_LEG;
	struct flight *all = vec_grow(c->flights[kind].at, &c->flights[kind].cap, sizeof *all,
	                              (size_t)i + 1, "messages under way", NULL);

	if (!all) {
		c->failed = 1;
		return NULL;
	}
	c->flights[kind].at = all;
	while (c->flights[kind].n <= i)
		all[c->flights[kind].n++].path = PATH_NONE;
	path_drop(c->paths, all[i].path);
	return &all[i];
}

static void moves(void *self, uint32_t slot, struct activity_id a)
{
	const struct critical *c = self;
	struct flight *f = flight_of(c, slot);
	double latency, alone;

	if (f && f->alone < 0 && flow_alone(net_engine(c->net), a, &latency, &alone) == 0) {
		f->latency = latency;
		f->alone = alone;
	}
}

static void matched(void *self, uint32_t slot, double posted, double date)
{
	(void)self;
	(void)slot;
	(void)posted;
	(void)date;
}

static void arrived(void *self, uint32_t slot, double date)
{
	struct flight *f = flight_of(self, slot);

	if (f)
		f->arrived = date;
}

/* A part of what a message took: no more than is left of it. */
static void flight_part(struct critical *c, uint32_t path, enum cause cause, double most,
                        double *left)
{
	double seconds = most < *left ? most : *left;

	path_add(c->paths, path, PATH_BY_CAUSE, cause, seconds);
	*left -= seconds > 0 ? seconds : 0;
}

/* The path through a message, up to now. */
static uint32_t path_through(struct critical *c, const struct flight *f, int call, double now)
{
	uint32_t path = path_own(c->paths, path_keep(c->paths, f->path));
	double moved = f->arrived >= 0 && f->arrived < now ? f->arrived : now;
	double left = moved - f->began;

	if (f->alone >= 0) {
		flight_part(c, path, CAUSE_LATENCY, f->latency, &left);
		flight_part(c, path, CAUSE_BOUND, f->alone, &left);
		/* Of sums that differ by rounding only nothing is left. */
		flight_part(c, path, left > 1e-12 * now ? CAUSE_RESOURCE : CAUSE_BOUND, left,
		            &left);
	} else {
		flight_part(c, path, CAUSE_TRANSFER, left, &left);
	}
	path_add(c->paths, path, PATH_BY_CAUSE, CAUSE_OVERHEAD, now - moved);
	if (call >= 0)
		path_add(c->paths, path, PATH_BY_CALL, (uint32_t)call, now - f->began);
	path_add_stretch(c->paths, path,
	                 &(struct path_stretch){.from = f->began,
	                                        .until = now,
	                                        .message = f->number,
	                                        .rank = f->from,
	                                        .to = f->to});
	return path;
}

/* The path of the rank that lets something happen, up to the date at which it did. What goes on
 * behind the rank's back (collectives that do not block) begins when another message has come. */
static uint32_t path_to(struct critical *c, uint32_t rank, double date, double *end)
{
	struct reach *r = &c->ranks[rank];

	if (r->got != PATH_NONE && r->got_at == date && r->until < date) {
		*end = date;
		return path_keep(c->paths, r->got);
	}
	reach_go_on(c, rank, date);
	*end = r->until;
	return path_keep(c->paths, r->path);
}

/* The path to what lets something happen at this date. */
static uint32_t path_by(struct critical *c, const struct mp_cause *by, double date, double *end)
{
	const struct flight *f = flight_of(c, by->transfer);

	if (by->transfer == MP_NO_TRANSFER)
		return path_to(c, by->rank, date, end);
	*end = date;
	return f && f->began <= date ? path_through(c, f, f->call, date) : PATH_NONE;
}

static void begins(void *self, const struct mp_transfer *t, double date)
{
	struct critical *c = self;
	double posted = t->received > t->sent ? t->received : t->sent, end;
	uint32_t path = path_by(c, &t->by, posted, &end);
	struct flight *f = flight_new(c, t->slot);

	c->begun++;
	if (!f) {
		path_drop(c->paths, path);
		return;
	}
	*f = (struct flight){.path = path,
	                     .from = t->from,
	                     .to = t->to,
	                     .number = c->begun,
	                     .arrived = -1,
	                     .latency = -1,
	                     .alone = -1,
	                     .call = c->ranks[t->by.rank].call};
	if (end < date) { /* it waits for its turn, or for who answers */
		f->path = path_own(c->paths, f->path);
		path_add(c->paths, f->path, PATH_BY_CAUSE,
		         t->received < 0 && t->protocol == PROTOCOL_UNMATCHED ? CAUSE_OVERHEAD
		                                                              : CAUSE_TRANSFER,
		         date - end);
		end = date;
	}
	f->began = end;
}

static void released(void *self, uint32_t rank, const struct mp_cause *by)
{
	struct critical *c = self;
	struct reach *r = &c->ranks[rank];
	const struct flight *f = flight_of(c, by->transfer);
	double now = engine_now(net_engine(c->net)), end = now;
	uint32_t path = PATH_NONE;

	if (by->transfer == MP_NO_TRANSFER)
		path = path_to(c, by->rank, now, &end);
	else if (f && f->began <= now)
		path = path_through(c, f, waiting_call(r), now);
	path_drop(c->paths, r->got);
	r->got = path;
	r->got_at = now;
	r->got_whole = 0;
}

static void gathered(void *self, uint32_t rank, uint32_t last, double date)
{
	struct critical *c = self;
	struct reach *r = &c->ranks[rank];
	double end;
	uint32_t path = path_to(c, last, date, &end);

	path_drop(c->paths, r->got);
	r->got = path;
	r->got_at = end;
	r->got_whole = 1;
}

/* It has waited for what it got: that is its path now. */
static void reach_adopt(struct critical *c, uint32_t rank, double until)
{
	struct reach *r = &c->ranks[rank];

	path_drop(c->paths, r->path);
	r->path = r->got;
	r->until = r->got_at;
	r->got = PATH_NONE;
	r->followed = 1;
	if (r->got_whole)
		reach_spend(c, rank, CAUSE_WHOLE, until);
}

static void rounds(void *self, uint32_t rank, uint32_t last, double since, double gathered,
                   double date)
{
	struct critical *c = self;
	struct reach *r = &c->ranks[rank];

	(void)last, (void)since, (void)gathered;
	if (r->got == PATH_NONE || !r->got_whole)
		return;
	r->got_whole = 0;
	reach_adopt(c, rank, date);
	reach_spend(c, rank, CAUSE_ROUNDS, date);
}

static int got_is_waited_for(const struct reach *r, double since)
{
	return r->got != PATH_NONE &&
	       (r->got_whole ? r->call >= CALL_WAIT && r->call <= CALL_TESTSOME
	                     : r->got_at >= since);
}

static void waited(void *self, uint32_t rank, double since, double until)
{
	struct critical *c = self;
	struct reach *r = &c->ranks[rank];

	if (until <= since)
		return;
	if (got_is_waited_for(r, since)) {
		reach_adopt(c, rank, until);
	} else {
		reach_go_on(c, rank, since);
		reach_spend(c, rank, CAUSE_LATE, until);
	}
	r->followed = 1;
	reach_go_on(c, rank, until);
}

/* What it found is what it waited for; after that it slept, perhaps, and paid for what it found. */
static void looks_adopt(struct critical *c, uint32_t rank)
{
	struct reach *r = &c->ranks[rank];
	double now = engine_now(net_engine(c->net));

	reach_adopt(c, rank, now);
	reach_spend(c, rank, CAUSE_SLEEP, r->slept);
	r->call = r->look;
	reach_go_on(c, rank, now);
	r->call = -1;
}

static void looked(void *self, uint32_t rank, double since, int found)
{
	struct critical *c = self;
	struct reach *r = &c->ranks[rank];

	if (r->looks < 0) {
		r->looks = since;
		r->slept = since;
	}
	if (!found)
		return;
	since = r->looks;
	r->looks = -1;
	if (engine_now(net_engine(c->net)) > since && r->got != PATH_NONE &&
	    (r->got_whole || r->got_at >= since))
		looks_adopt(c, rank);
}

static void executes(void *self, uint32_t rank, double date)
{
	struct critical *c = self;

	c->ranks[rank].executing = date;
}

static void chosen(void *self, uint32_t rank, const struct coll_args *a,
                   const struct coll_choice *choice)
{
	struct critical *c = self;

	(void)a;
	c->ranks[rank].whole = !choice;
}

static void call_enter(void *self, uint32_t rank, enum mp_call call, double date)
{
	struct critical *c = self;
	struct reach *r = &c->ranks[rank];

	reach_spend(c, rank, CAUSE_LATE, date); /* before a spawned process began */
	if (call_is_look(call))
		r->look = (int)call;
	else if (call != CALL_COMPUTE && call != CALL_SLEEP)
		r->looks = -1;
	r->entered = date;
	/* `chosen` comes before, in the same call. */
	r->call = (int)call;
	r->executing = -1;
	r->followed = 0;
}

static void call_leave(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
                       double bytes, double wait)
{
	struct critical *c = self;
	struct reach *r = &c->ranks[rank];

	(void)partner;
	(void)bytes;
	if (r->whole && r->got_whole && r->got != PATH_NONE)
		reach_adopt(c, rank, r->executing >= 0 ? r->executing : date);
	if (call == CALL_SLEEP)
		r->slept = date;
	else if (call == CALL_COMPUTE && date - r->entered > LOOKS_APART)
		r->looks = -1;
	if (!r->followed && r->executing < 0 && wait > 0 && !call_is_look(call))
		reach_spend(c, rank, CAUSE_LATE, r->until + wait < date ? r->until + wait : date);
	reach_go_on(c, rank, date);
	r->call = -1;
	r->executing = -1;
	r->whole = 0;
	if (date > c->told.end) {
		c->told.end = date;
		c->told.last = rank;
	}
}

/* --- made and freed --- */

struct critical *critical_new(struct mp *mp, struct err *err)
{
	struct critical *c = calloc(1, sizeof *c);

	if (!c) {
		err_nomem(err, "critical path", sizeof *c);
		return NULL;
	}
	c->mp = mp;
	c->net = mp_net(mp);
	c->told.mp = mp;
	c->told.platform = net_platform(c->net);
	c->n_ranks = mp_ranks(mp);
	c->paths = paths_new(err);
	c->ranks = c->paths ? calloc(c->n_ranks, sizeof *c->ranks) : NULL;
	if (!c->ranks) {
		if (c->paths)
			err_nomem(err, "critical path", c->n_ranks * sizeof *c->ranks);
		critical_free(c);
		return NULL;
	}
	for (uint32_t i = 0; i < c->n_ranks; i++)
		c->ranks[i] = (struct reach){.path = path_new(c->paths),
		                             .call = -1,
		                             .executing = -1,
		                             .looks = -1,
		                             .got = PATH_NONE};
	return c;
}

void critical_free(struct critical *c)
{
	if (!c)
		return;
	paths_free(c->paths);
	free(c->ranks);
	free(c->flights[0].at);
	free(c->flights[1].at);
	path_sums_release(&c->told.sums);
	free(c);
}

struct mp_observer critical_observer(struct critical *c)
{
	return (struct mp_observer){.self = c, .enter = call_enter, .leave = call_leave};
}

struct mp_watch critical_watch(struct critical *c)
{
	return (struct mp_watch){c,      begins,   moves,  matched,  arrived, released,
	                         waited, executes, chosen, gathered, rounds,  looked};
}

/* The message, if any, whose arrival is the last thing that happened. */
static const struct flight *flight_last(const struct critical *c, double now)
{
	for (int kind = 0; kind < 2; kind++)
		for (uint32_t i = 0; i < c->flights[kind].n; i++)
			if (c->flights[kind].at[i].path != PATH_NONE &&
			    c->flights[kind].at[i].arrived == now)
				return &c->flights[kind].at[i];
	return NULL;
}

/* Of a partial record the run ends with the last thing that happens while ranks wait for what is
 * not in it. That may be a message that none of them waits for. */
static void record_end(struct critical *c)
{
	double now = engine_now(net_engine(c->net));
	const struct flight *f;
	struct reach *r;

	c->told.cut = (uint8_t)mp_deadlocked(c->mp);
	if (!c->told.cut || now <= c->told.end)
		return;
	f = flight_last(c, now);
	if (f)
		c->told.last = f->to;
	r = &c->ranks[c->told.last];
	if (f) {
		path_drop(c->paths, r->path);
		r->path = path_through(c, f, f->call, now);
		r->until = now;
	} else {
		reach_spend(c, c->told.last, CAUSE_LATE, now);
	}
	c->told.end = now;
}

static double mean_computed(const struct critical *c)
{
	double sum = 0;
	uint32_t n = mp_ranks_begun(c->mp);

	for (uint32_t i = 0; i < n; i++)
		sum += c->ranks[i].computed;
	return n ? sum / n : 0;
}

/* Before it is said that all is right: this takes memory, too. */
static void sums_take(struct critical *c)
{
	struct path_sums *s = &c->told.sums;

	path_sums_release(s);
	path_sum(c->paths, c->ranks[c->told.last].path, s);
	path_sums_sort(s);
	c->told.mean_computation = mean_computed(c);
}

int critical_end(struct critical *c, struct err *err)
{
	record_end(c);
	sums_take(c);
	return c->failed || paths_failed(c->paths)
	           ? err_set(err, ERR_LIMIT,
	                     "not enough memory for the critical path: it would be wrong")
	           : 0;
}
