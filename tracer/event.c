/* event.c: an event, after the computation before it and the region that it ends. */
#include "call.h"
#include "tracer.h"

static void put(struct trace_event *ev)
{
	struct err err;

	if (recording() && tracer.profile) {
		profile_add(tracer.profile, ev);
		return;
	}
	if (recording() && writer_put(&tracer.out, (uint32_t)tracer.rank, ev, &err) < 0)
		tracer_mute(&err);
}

static int module_note(void *self, const char *name, const char *path, struct err *err)
{
	return writer_note(self, err, "module %s %s", name, path);
}

static int region_put(void *self, int64_t number, const char *name, struct err *err)
{
	struct trace_event ev;

	trace_event_init(&ev, TRACE_REGION);
	ev.region = number;
	ev.text = name;
	return writer_put(self, (uint32_t)tracer.rank, &ev, err);
}

/* The region that ends with the call in progress. -1 if none is wanted. */
static int64_t region_here(void)
{
	static const struct sites_out out = {&tracer.out, module_note, region_put};
	struct err err;
	int64_t region;

	if (tracer.sites.depth == 0 || !recording())
		return -1;
	region = thread.here ? region_get(&tracer.sites, thread.from, thread.here, &out, &err) : -1;
	if (thread.here && region < 0)
		tracer_mute(&err);
	return region;
}

/* Once per call: where it was made. */
static void site_look(void)
{
	struct err err;

	if (tracer.sites.depth == 0 || thread.here || !recording())
		return;
	thread.here = site_key(&tracer.sites, thread.site, &err);
	if (!thread.here)
		tracer_mute(&err);
}

/* Whether there is a computation before an event. One that is too short for the counter is written
 * as nothing where there was one before: a loop whose body is now so and now so is none. */
static int computes(void)
{
	int measured = tracer.counter.counter->unit != COUNTER_MADE_UP;
	uint64_t h = hash_mix((uint64_t)(uintptr_t)thread.site ^ (uint64_t)(uintptr_t)thread.before
	                                                             << 20),
	         *word = &tracer.computed[h / 64 % 64], bit = UINT64_C(1) << h % 64;

	if (thread.pending > 0)
		*word |= bit;
	return thread.pending > 0 ||
	       (measured && thread.entered && thread.pending == 0 && (*word & bit));
}

/* Of less nobody asks: it takes as long. */
enum { ASK_NS = 10000 };

/* Where several threads call MPI a rank computes, from one event to the next, as long as the
 * busiest of them that is not in MPI: what one does while another waits stands before that wait. */
static void busiest_take(void)
{
	int64_t now, most;

	if (tracer.threads < 2 || !others_any(&tracer.others))
		return;
	now = tracer_ns();
	if (now - tracer.asked_ns < ASK_NS) {
		if (thread.place)
			thread.pending = thread.pending_ns = 0; /* with the next one */
		return;
	}
	most = others_busiest(&tracer.others);
	if (thread.place || most > thread.pending) {
		thread.pending = most;
		thread.pending_ns = tracer.counter.counter->unit == COUNTER_NANOSECONDS
		                        ? most
		                        : now - tracer.asked_ns;
	}
	tracer.asked_ns = now;
}

/* No computation is that long: the rate is absurd. */
#define VOLUME_MOST 1e18

/* A row of polls ends, unless this event is a look of it that found nothing. Returns what is still
 * computed after the event. */
static struct poll_piece row_end(void)
{
	struct poll_piece rest = {0, 0}, held;

	if (!thread.polls.row || thread.poll == POLL_MISSED)
		return rest;
	held = polls_end(&thread.polls, thread.poll == POLL_FOUND ? thread.site : NULL, &rest);
	thread.pending += held.units;
	thread.pending_ns += held.ns;
	return rest;
}

static void compute_here(void)
{
	double volume, duration = -1;
	struct err err;
	int64_t region;
	int any;

	busiest_take();
	any = computes();
	thread.polled = thread.entered = 0;
	if (!any)
		return;
	volume = (double)thread.pending * tracer.counter.scale;
	volume = volume < VOLUME_MOST ? (double)(int64_t)(volume + 0.5) : VOLUME_MOST;
	if (tracer.counter.counter->unit != COUNTER_MADE_UP)
		duration = (double)thread.pending_ns / 1e9;
	thread.pending = thread.pending_ns = 0;
	region = region_here();
	if (!recording())
		return;
	if (tracer.profile)
		profile_compute(tracer.profile, volume, duration);
	else if (writer_compute(&tracer.out, (uint32_t)tracer.rank, region, volume, duration,
	                        &err) < 0)
		tracer_mute(&err);
}

/* The computation before an event. */
static void compute_put(void)
{
	const struct poll_piece rest = row_end();

	compute_here();
	thread.pending += rest.units;
	thread.pending_ns += rest.ns;
}

void event_put_more(struct trace_event *ev)
{
	site_look();
	compute_put();
	put(ev);
	thread.from = thread.here;
	thread.before = thread.site;
}

void event_bare(struct trace_event *ev)
{
	if (thread.inside)
		site_look();
	if (ev->op == TRACE_COMPUTE && thread.inside)
		ev->region = region_here();
	put(ev);
}

void event_put(const struct call *c, struct trace_event *ev)
{
	if (tracer.counter.counter->unit != COUNTER_MADE_UP)
		ev->duration = (double)(c->returned - c->entered) / 1e9;
	event_put_more(ev);
}
