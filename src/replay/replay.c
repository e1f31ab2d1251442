/* replay.c: the life of a replay and of each rank's cursor.
 *
 *   in the trace ──(its end)──> waiting for leftover requests ──> finalizing ──> ended
 *
 * It waits for those that a trace has no numbers for, as SimGrid does: older formats do not say
 * what was waited for. A request with a number that nothing in the trace completes was left by the
 * program, whose MPI_Finalize did not wait for it (a receive that was posted and never met, say).
 *
 * Invariants
 *  1. A cursor holds no event unless its operation is blocked with something left to do (c->after).
 *  2. entry_remove() is called when a wait is issued, not when it ends: nothing can ask for the
 *     request in between, as the rank is blocked. */
#include "replay_int.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those without a number, of n requests: how many. */
static int64_t unnumbered_keep(struct replay *r, int64_t n)
{
	int64_t kept = 0;

	for (int64_t i = 0; i < n; i++)
		if (entry_at(r, r->scratch_entry[i])->number < 0)
			r->scratch[kept++] = r->scratch[i];
	return kept;
}

static int end_of_trace(struct replay *r, struct mp *mp, uint32_t rank, struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	int64_t n;
	int s;

	if (c->ending == 0) {
		c->ending = 1;
		n = entries_collect_all(r, rank, err);
		if (n < 0)
			return -1;
		n = unnumbered_keep(r, n);
		r->leftovers += (uint64_t)n;
		s = n ? mp_wait(mp, rank, MP_WAITALL, r->scratch, (uint32_t)n, err) : MP_DONE;
		if (s != MP_DONE)
			return s < 0 ? -1 : 0;
	}
	if (c->ending == 1) {
		c->ending = 2;
		s = mp_finalize(mp, rank, err);
		if (s != MP_DONE)
			return s < 0 ? -1 : 0;
	}
	return 1;
}

/* Lines that SimGrid replays without a word. */
static void oddities_note(struct replay *r, uint32_t rank, const struct trace_event *ev)
{
	if (ev->flags & TRACE_EXTRA && r->extra++ == 0)
		trace_place(r->trace, rank, r->extra_place, sizeof r->extra_place);
	if (r->cursor[rank].op == TRACE_FINALIZE && ev->op != TRACE_LOCATION && r->late++ == 0)
		trace_place(r->trace, rank, r->late_place, sizeof r->late_place);
}

/* As trace_next; or AHEAD_CHOOSES. */
static int event_next(struct replay *r, uint32_t rank, struct trace_event *ev, struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	int s;

	for (;;) {
		if (c->ahead) {
			s = ahead_next(r, rank, ev, err);
			if (c->ahead)
				return s;
		} else {
			s = trace_next(r->trace, rank, ev, err);
			c->event += s > 0;
		}
		if (s <= 0 || !event_may_move(r, ev))
			return s;
		if (ahead_begin(r, rank, ev, err) < 0)
			return -1;
	}
}

/* One event, or the receive of whatever comes first: enum mp_status. */
static int event_run(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     int chooses, struct err *err)
{
	struct cursor *c = &r->cursor[rank];
	int s;

	count_action(r);
	if (chooses) {
		s = ahead_choose(r, mp, rank, err);
		if (s == MP_DONE)
			return ahead_chosen(r, rank, mp_result(mp, rank)->source, err);
		c->after = AFTER_CHOICE;
		return s;
	}
	if (ev->flags & TRACE_EXTRA || c->op == TRACE_FINALIZE)
		oddities_note(r, rank, ev);
	c->op = ev->op;
	return op_issue(r, mp, rank, ev, err);
}

static int replay_resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct replay *r = self;
	struct cursor *c = &r->cursor[rank];
	struct trace_event ev;
	int s;

	if (c->after == AFTER_CHOICE) {
		c->after = AFTER_NOTHING;
		if (ahead_chosen(r, rank, mp_result(mp, rank)->source, err) < 0)
			return -1;
	} else if (c->after != AFTER_NOTHING) {
		s = op_continue(r, mp, rank, err);
		if (s != MP_DONE)
			return s < 0 ? -1 : s == REPLAY_HELD ? 2 : 0;
	}
	while (!c->ending) {
		s = event_next(r, rank, &ev, err);
		if (s < 0)
			return -1;
		if (s == 0)
			break;
		s = event_run(r, mp, rank, &ev, s == AHEAD_CHOOSES, err);
		if (s != MP_DONE)
			return s < 0 ? -1 : s == REPLAY_HELD ? 2 : 0;
	}
	return end_of_trace(r, mp, rank, err);
}

static const char *replay_place(void *self, uint32_t rank, char *buf, size_t n)
{
	struct replay *r = self;
	char place[512];

	if (r->cursor[rank].ending)
		snprintf(buf, n, "the end of its trace");
	else
		snprintf(buf, n, "event %u, %s (%s)", r->cursor[rank].event,
		         place_beside(r, rank, place, sizeof place),
		         trace_op_name(r->cursor[rank].op));
	return buf;
}

static const char *replay_place_of(void *self, uint32_t rank, uint32_t event, char *buf, size_t n)
{
	struct replay *r = self;

	return trace_place_of(r->trace, rank, event, buf, n);
}

/* SimGrid replays what a trace says. */
static int order_read(struct replay *r, struct err *err)
{
	const char *order = config_text(r->cfg, CFG_REPLAY_WILDCARDS);

	r->simulated_order = !strcmp(order, "simulated") && !r->compat;
	return r->simulated_order || r->compat || !strcmp(order, "recorded")
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "replay/wildcards is 'simulated' or 'recorded', not '%s'", order);
}

static int durations_use(struct replay *r, struct err *err)
{
	const struct basis *b = r->options.basis;

	if (r->options.computation != REPLAY_RECORDED && !(b && b->kind == BASIS_DURATION))
		return 0;
	r->recorded = calloc(r->ranks, sizeof *r->recorded);
	return r->recorded ? 0
	                   : err_nomem(err, "durations of ranks",
	                               (unsigned long long)r->ranks * sizeof *r->recorded);
}

struct replay *replay_new(struct trace *trace, uint32_t ranks, const struct config *cfg,
                          const struct replay_options *o, struct err *err)
{
	struct replay *r = calloc(1, sizeof *r);

	if (!r) {
		err_nomem(err, "the replay", sizeof *r);
		return NULL;
	}
	r->trace = trace;
	r->cfg = cfg;
	r->options = *o;
	r->ranks = ranks;
	entries_init(r);
	slots_init(&r->saved, sizeof(struct trace_event), offsetof(struct trace_event, place),
	           "events");
	ahead_init(r);
	r->numbers_differ = trace_requests_differ(trace);
	r->compat = config_compat(cfg);
	r->simulate_computation = config_bool(cfg, CFG_SMPI_SIMULATE_COMPUTATION);
	hash64_init(&r->by_number);
	hash64_init(&r->by_key);
	hash64_init(&r->by_message);
	hash64_init(&r->windows);
	hash64_init(&r->files);
	hash64_init(&r->comm);
	hash64_init(&r->joined);
	hash64_init(&r->spawnings);
	hash64_init(&r->ahead_of);
	hash64_init(&r->first_of);
	r->cursor = calloc(ranks, sizeof *r->cursor);
	if (order_read(r, err) < 0 || durations_use(r, err) < 0) {
		replay_free(r);
		return NULL;
	}
	if (!r->cursor) {
		err_nomem(err, "the ranks' cursors", (unsigned long long)ranks * sizeof *r->cursor);
		replay_free(r);
		return NULL;
	}
	memory_large_pages(r->cursor, ranks * sizeof *r->cursor);
	for (uint32_t i = 0; i < ranks; i++)
		r->cursor[i] = (struct cursor){.first = ENTRY_NONE,
		                               .last = ENTRY_NONE,
		                               .saved = ENTRY_NONE,
		                               .after = AFTER_NOTHING,
		                               .op = TRACE_INIT};
	return r;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	hash64_release(&r->by_number);
	keys_release(r);
	hash64_release(&r->by_message);
	hash64_release(&r->windows);
	hash64_release(&r->files);
	hash64_release(&r->comm);
	hash64_release(&r->joined);
	spawns_release(r);
	hash64_release(&r->ahead_of);
	hash64_release(&r->first_of);
	ahead_release(r);
	trace_regions_release(&r->regions);
	free(r->region);
	free(r->rates_host);
	free(r->stream);
	free(r->recorded);
	free(r->cursor);
	slots_release(&r->entry);
	slots_release(&r->saved);
	free(r->scratch);
	free(r->scratch_entry);
	free(r->members);
	free(r);
}

static void replay_soon(void *self, uint32_t rank, uint32_t then)
{
	struct replay *r = self;

	if (then < r->ranks)
		__builtin_prefetch(&r->cursor[then], 1);
	trace_soon(r->trace, rank, then);
}

struct mp_program replay_program(struct replay *r)
{
	return (struct mp_program){.self = r,
	                           .resume = replay_resume,
	                           .place = replay_place,
	                           .event = &r->cursor[0].event,
	                           .event_stride = sizeof *r->cursor,
	                           .place_of = replay_place_of,
	                           .takes = ahead_takes,
	                           .operates = operates,
	                           .longer = r->options.longer,
	                           .soon = replay_soon};
}

uint64_t replay_moved(const struct replay *r)
{
	return r->moved;
}

double replay_unfounded(const struct replay *r, const char **how)
{
	double all = r->recorded_seconds + r->unrecorded_seconds;

	if (r->rated_seconds > 0) {
		*how = "regions without calibrated rates, at the rate of all";
		return r->unknown_seconds / r->rated_seconds;
	}
	*how = "without a recorded duration, volumes at the machine's speed";
	return all > 0 ? r->unrecorded_seconds / all : 0;
}

uint64_t replay_actions(const struct replay *r)
{
	return r->actions;
}

static void files_notice(const struct replay *r, struct str *out)
{
	const char *name;
	int shared;
	uint64_t n = mp_files_nowhere(r->mp, &name, &shared);

	if (n)
		str_printf(
		    out,
		    "%llu operation%s on files took no time%s: the machine says nothing of a disk "
		    "or file system that holds %s (--cfg storage/file-systems)\n",
		    (unsigned long long)n, n == 1 ? "" : "s",
		    shared ? " of a disk, only that of what MPI-IO moves among ranks" : "", name);
}

/* "1 line has", "2 lines have": a count and the words behind it. */
static void count_put(struct str *out, uint64_t n, const char *one, const char *more)
{
	str_printf(out, "%llu %s", (unsigned long long)n, n == 1 ? one : more);
}

/* Where: of one, there is no first. */
static const char *first_of(uint64_t n)
{
	return n == 1 ? "," : ", the first";
}

static const char *they(uint64_t n)
{
	return n == 1 ? "it was" : "they were";
}

void replay_notices(const struct replay *r, struct str *out)
{
	if (r->unknown_waits) {
		count_put(out, r->unknown_waits, "wait or test names", "waits or tests name");
		str_printf(out,
		           " a request that does not exist (any more)%s at %s; %s passed over\n",
		           first_of(r->unknown_waits), r->unknown_place, they(r->unknown_waits));
	}
	if (r->leftovers) {
		count_put(out, r->leftovers, "request was", "requests were");
		str_printf(out, " not completed %s; the end of %s waited for %s\n",
		           trace_partial(r->trace) > 0 ? "in what was recorded" : "by the program",
		           r->leftovers == 1 ? "its rank" : "each rank",
		           r->leftovers == 1 ? "it" : "them");
	}
	if (r->mp)
		files_notice(r, out);
	if (r->extra) {
		count_put(out, r->extra, "line has more fields than its action takes",
		          "lines have more fields than their action takes");
		str_printf(out, "%s at %s; what follows these was passed over, as SimGrid does\n",
		           first_of(r->extra), r->extra_place);
	}
	if (r->late) {
		count_put(out, r->late, "rank goes on after its finalize",
		          "ranks go on after their finalize");
		str_printf(out, "%s at %s; what follows it was replayed, as SimGrid does\n",
		           first_of(r->late), r->late_place);
	}
	region_notices(r, out);
	if (r->no_duration) {
		count_put(out, r->no_duration, "computation has no recorded duration; its",
		          "computations have no recorded duration; their");
		str_puts(out, " volume was executed instead\n");
	}
}
