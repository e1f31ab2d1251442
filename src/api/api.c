/* api.c: include/orrery/orrery.h over src/sim: what was described is kept until the run, which
 * makes options and a source of it. */
#include "api.h"

#include "sim/sim.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct watcher {
	struct orrery_observer theirs;
};

struct orrery_sim {
	struct err err; /* the first failure; kind ERR_NONE: none */
	char *machine, *trace, *hostfile, *what_if, *record, *explain;
	struct str explanation, trust; /* once they were asked for */
	enum sim_map map;
	uint32_t ppn;
	struct sim_setting *setting;
	uint32_t n_settings, settings_cap;
	struct watcher **watcher; /* mp keeps pointers to them */
	uint32_t n_watchers, watchers_cap;
	uint8_t oversubscribe;
	const struct orrery_model *model;
	struct orrery_reader reader; /* ranks 0: none */
	struct trace_given given;
	char *reader_name;
	struct progress progress;
	int (*tick)(void *self, uint64_t actions, double date);
	void *tick_self;
	struct sim_replay replay;
	struct sim *sim; /* since the run */
	uint8_t whole;   /* it came to its end */
};

static_assert((int)ORRERY_CLASSES == (int)TIME_CLASSES && (int)ORRERY_WAIT == (int)TIME_WAIT &&
                  (int)ORRERY_IDLE == (int)TIME_IDLE && (int)ORRERY_IO == (int)TIME_IO,
              "classes are those of the profile");
static_assert((int)ORRERY_PROGRAM_FAILED == (int)ERR_PROGRAM &&
                  (int)ORRERY_BAD_INPUT == (int)ERR_INPUT && (int)ORRERY_LIMIT == (int)ERR_LIMIT,
              "failures are those of errors");

const char *orrery_version(void)
{
	return ORRERY_VERSION;
}

struct orrery_sim *orrery_sim_new(unsigned api)
{
	return api == ORRERY_API ? calloc(1, sizeof(struct orrery_sim)) : NULL;
}

void orrery_sim_free(struct orrery_sim *s)
{
	if (!s)
		return;
	sim_free(s->sim);
	for (uint32_t i = 0; i < s->n_settings; i++) {
		free((void *)(uintptr_t)s->setting[i].name);
		free((void *)(uintptr_t)s->setting[i].value);
	}
	for (uint32_t i = 0; i < s->n_watchers; i++)
		free(s->watcher[i]);
	free(s->setting);
	free(s->watcher);
	free(s->machine);
	free(s->trace);
	free(s->hostfile);
	free(s->what_if);
	free(s->record);
	free(s->explain);
	free(s->reader_name);
	str_release(&s->explanation);
	str_release(&s->trust);
	free(s);
}

const char *orrery_sim_error(const struct orrery_sim *s)
{
	return !s ? "not enough memory, or a library of another version" : s->err.text;
}

int orrery_sim_errno(const struct orrery_sim *s)
{
	return s ? s->err.number : 0;
}

/* --- what is simulated --- */

/* 0: the description may go on. */
static int closed(struct orrery_sim *s)
{
	if (!s)
		return ORRERY_LIMIT;
	if (!s->err.kind && s->sim)
		err_set(&s->err, ERR_INPUT,
		        "this simulation has run: describe another one (orrery_sim_new)");
	return (int)s->err.kind;
}

static int refused(struct orrery_sim *s, const char *why)
{
	err_set(&s->err, ERR_INPUT, "%s", why);
	return ORRERY_BAD_INPUT;
}

static int text_set(struct orrery_sim *s, char **where, const char *text)
{
	if (closed(s))
		return closed(s);
	free(*where);
	*where = text ? strdup(text) : NULL;
	if (text && !*where)
		err_nomem(&s->err, "a name", strlen(text));
	return (int)s->err.kind;
}

int orrery_sim_machine(struct orrery_sim *s, const char *machine)
{
	return s ? text_set(s, &s->machine, machine) : ORRERY_LIMIT;
}

int orrery_sim_trace(struct orrery_sim *s, const char *path)
{
	return s ? text_set(s, &s->trace, path) : ORRERY_LIMIT;
}

int orrery_sim_hostfile(struct orrery_sim *s, const char *path)
{
	return s ? text_set(s, &s->hostfile, path) : ORRERY_LIMIT;
}

int orrery_sim_map(struct orrery_sim *s, const char *by, uint32_t ppn)
{
	if (closed(s))
		return closed(s);
	if (by && sim_map_find(by) == SIM_MAP_DEFAULT)
		return (
		    int)(err_set(&s->err, ERR_INPUT,
		                 "ranks are mapped by slot, core, socket, numa or node, not '%s'",
		                 by),
		         s->err.kind);
	s->map = by ? sim_map_find(by) : SIM_MAP_DEFAULT;
	s->ppn = ppn;
	return 0;
}

int orrery_sim_what_if(struct orrery_sim *s, const char *changes)
{
	return s ? text_set(s, &s->what_if, changes && *changes ? changes : NULL) : ORRERY_LIMIT;
}

int orrery_sim_record(struct orrery_sim *s, const char *path)
{
	return s ? text_set(s, &s->record, path) : ORRERY_LIMIT;
}

int orrery_sim_explain(struct orrery_sim *s, const char *what)
{
	return s ? text_set(s, &s->explain, what) : ORRERY_LIMIT;
}

int orrery_sim_setting(struct orrery_sim *s, const char *name, const char *value)
{
	struct sim_setting *p;
	char *copies[2];

	if (closed(s))
		return closed(s);
	if (!value)
		return refused(s, "a setting has no value");
	p = vec_grow(s->setting, &s->settings_cap, sizeof *p, (size_t)s->n_settings + 1, "settings",
	             &s->err);
	if (!p)
		return (int)s->err.kind;
	s->setting = p;
	copies[0] = name ? strdup(name) : NULL;
	copies[1] = strdup(value);
	p[s->n_settings++] = (struct sim_setting){copies[0], copies[1]};
	if ((name && !copies[0]) || !copies[1])
		err_nomem(&s->err, "settings", strlen(value));
	return (int)s->err.kind;
}

int orrery_sim_computation(struct orrery_sim *s, const char *kind)
{
	if (closed(s))
		return closed(s);
	if (!kind || sim_computation_find(&s->replay, kind) < 0)
		err_set(&s->err, ERR_INPUT,
		        "computation is auto, volume, recorded or none, not '%s'",
		        kind ? kind : "NULL");
	return (int)s->err.kind;
}

int orrery_sim_oversubscribe(struct orrery_sim *s)
{
	if (closed(s))
		return closed(s);
	s->oversubscribe = 1;
	return 0;
}

/* What was built against an older header has fewer fields, those that it has not got are 0. */
static int struct_take(struct orrery_sim *s, void *to, size_t n, const void *from, uint32_t size,
                       const char *what)
{
	if (closed(s))
		return closed(s);
	if (!from)
		return (int)(err_set(&s->err, ERR_INPUT, "%s: NULL", what), s->err.kind);
	if (size == 0)
		return (int)(err_set(&s->err, ERR_INPUT, "%s: its size is not set", what),
		             s->err.kind);
	memset(to, 0, n);
	memcpy(to, from, size < n ? size : n);
	return 0;
}

static int given_begin(void *self, struct err *err)
{
	struct orrery_sim *s = self;

	if (!s->reader.begin || s->reader.begin(s->reader.self) == 0)
		return 0;
	return err_set(err, ERR_INPUT, "%s cannot be read", s->given.name);
}

static int given_next(void *self, uint32_t rank, const char **line, size_t *n, struct err *err)
{
	struct orrery_sim *s = self;
	int more = s->reader.next(s->reader.self, rank, line, n);

	return more >= 0
	           ? more > 0
	           : err_set(err, ERR_INPUT, "%s, rank %u, cannot be read", s->given.name, rank);
}

int orrery_sim_reader(struct orrery_sim *s, const struct orrery_reader *r)
{
	int failure = s ? struct_take(s, &s->reader, sizeof s->reader, r, r ? r->size : 0,
	                              "a reader")
	                : ORRERY_LIMIT;

	if (failure)
		return failure;
	if (!s->reader.next || s->reader.ranks == 0)
		return refused(s, "a reader has ranks and a function `next`");
	if (text_set(s, &s->reader_name,
	             s->reader.name ? s->reader.name : "a trace of the program's"))
		return (int)s->err.kind;
	s->given = (struct trace_given){
	    .self = s, .name = s->reader_name, .ranks = s->reader.ranks, .next = given_next};
	return 0;
}

int orrery_sim_model(struct orrery_sim *s, const struct orrery_model *m)
{
	if (closed(s))
		return closed(s);
	s->model = m;
	return 0;
}

static void sim_tick(struct progress *p)
{
	struct orrery_sim *s = p->self;

	p->stop = s->tick(s->tick_self, p->done, p->simulated) != 0;
}

int orrery_sim_progress(struct orrery_sim *s,
                        int (*tick)(void *self, uint64_t actions, double date), void *self)
{
	if (closed(s))
		return closed(s);
	s->tick = tick;
	s->tick_self = self;
	s->progress = (struct progress){.tick = sim_tick, .self = s};
	return 0;
}

int orrery_sim_observer(struct orrery_sim *s, const struct orrery_observer *o)
{
	struct watcher **p, *w;
	int failure;

	if (closed(s))
		return closed(s);
	w = calloc(1, sizeof *w);
	if (!w) {
		err_nomem(&s->err, "observers", sizeof *w);
		return ORRERY_LIMIT;
	}
	failure = struct_take(s, &w->theirs, sizeof w->theirs, o, o ? o->size : 0, "an observer");
	p = failure ? NULL
	            : vec_grow(s->watcher, &s->watchers_cap, sizeof *p, (size_t)s->n_watchers + 1,
	                       "observers", &s->err);
	if (!p) {
		free(w);
		return (int)s->err.kind;
	}
	s->watcher = p;
	p[s->n_watchers++] = w;
	return 0;
}

/* --- the run --- */

static void watch_begin(void *self)
{
	const struct orrery_observer *o = self;

	if (o->begin)
		o->begin(o->self);
}

static void watch_enter(void *self, uint32_t rank, enum mp_call call, double date)
{
	const struct orrery_observer *o = self;

	if (o->enter)
		o->enter(o->self, rank, (int)call, date);
}

static void watch_leave(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
                        double bytes, double wait)
{
	const struct orrery_observer *o = self;

	if (o->leave)
		o->leave(o->self, rank, (int)call, date, partner, bytes, wait);
}

static void watch_message(void *self, const struct mp_arrival *m)
{
	const struct orrery_observer *o = self;

	if (o->message)
		o->message(o->self, &(struct orrery_message){.from = m->from,
		                                             .to = m->to,
		                                             .tag = m->tag,
		                                             .collective = m->coll != 0,
		                                             .bytes = m->bytes,
		                                             .sent = m->sent,
		                                             .moved = m->moved,
		                                             .received = m->received});
}

static struct mp_observer observer_of(struct watcher *w)
{
	return (struct mp_observer){.self = &w->theirs,
	                            .begin = watch_begin,
	                            .enter = watch_enter,
	                            .leave = watch_leave,
	                            .message = watch_message};
}

static int described(struct orrery_sim *s)
{
	if (!s->machine)
		return err_set(&s->err, ERR_INPUT, "no machine was given (orrery_sim_machine)");
	if (!s->trace == !s->reader.ranks)
		return err_set(&s->err, ERR_INPUT, "%s",
		               s->trace ? "a trace and a reader were given: one program runs"
		                        : "no trace was given (orrery_sim_trace)");
	if (s->hostfile && (s->map != SIM_MAP_DEFAULT || s->ppn))
		return err_set(&s->err, ERR_INPUT,
		               "a hostfile says where ranks run: without orrery_sim_map");
	return 0;
}

static int sim_make(struct orrery_sim *s, struct mp_observer *observers)
{
	struct sim_options o = {.machine = s->machine,
	                        .setting = s->setting,
	                        .n_settings = s->n_settings,
	                        .hostfile = s->hostfile,
	                        .oversubscribe = s->oversubscribe,
	                        .map = s->map,
	                        .ppn = s->ppn,
	                        .what_if = s->what_if,
	                        .profile = SIM_PROFILE_WHOLE,
	                        .record = s->record,
	                        .explain = s->explain,
	                        .observer = observers,
	                        .n_observers = s->n_watchers,
	                        .model = s->model,
	                        .progress = s->tick ? &s->progress : NULL};
	struct sim_source source = sim_replay_source(&s->replay);

	for (uint32_t i = 0; i < s->n_watchers; i++)
		observers[i] = observer_of(s->watcher[i]);
	s->replay.path = s->trace;
	if (!s->trace) {
		s->replay.given = &s->given;
		s->replay.begin = given_begin;
	}
	s->sim = sim_new(&o, &source, &s->err);
	return s->sim ? 0 : -1;
}

int orrery_sim_run(struct orrery_sim *s)
{
	struct mp_observer *observers;

	if (s && s->sim && !s->err.kind)
		err_set(&s->err, ERR_INPUT,
		        "this simulation has run: a simulation runs once, make another one "
		        "(orrery_sim_new)");
	if (closed(s))
		return closed(s);
	if (described(s) < 0)
		return (int)s->err.kind;
	observers = calloc((size_t)s->n_watchers + 1, sizeof *observers);
	if (!observers)
		err_nomem(&s->err, "observers", sizeof *observers);
	else if (sim_make(s, observers) == 0 && sim_run(s->sim, &s->err) == 0) {
		s->whole = 1;
		s->err = *sim_lost(s->sim);
	}
	free(observers);
	return (int)s->err.kind;
}

/* --- what came of it --- */

/* NULL: it has not begun to run, be it that what it was to write cannot be opened. */
static const struct profile *ran(const struct orrery_sim *s)
{
	return s && s->sim && sim_begun(s->sim) ? sim_profile(s->sim) : NULL;
}

/* 0: there was a run. */
static int not_run(struct orrery_sim *s)
{
	if (!s)
		return ORRERY_LIMIT;
	if (!ran(s) && !s->err.kind)
		err_set(&s->err, ERR_INPUT, "there was no run (orrery_sim_run)");
	return ran(s) ? 0 : (int)s->err.kind;
}

/* Asked for without a place for the answer. The first failure stays. */
static int nowhere(struct orrery_sim *s)
{
	return s->err.kind ? (int)s->err.kind
	                   : refused(s, "there is no place for the answer: NULL");
}

int orrery_sim_totals(struct orrery_sim *s, struct orrery_totals *out)
{
	struct orrery_totals t = {.size = out ? out->size : 0};
	struct mp_stats st;

	if (not_run(s))
		return not_run(s);
	if (!out)
		return nowhere(s);
	if (t.size == 0)
		return s->err.kind ? (int)s->err.kind : refused(s, "totals: their size is not set");
	sim_stats(s->sim, &st);
	t.ranks = sim_ranks(s->sim);
	t.time = st.end;
	t.actions = sim_actions(s->sim);
	t.messages = st.messages;
	t.collectives = st.collectives;
	t.bytes = st.bytes;
	t.wall = sim_wall(s->sim);
	if (out->size > sizeof t) /* of a later header: what is not known here is 0 */
		memset((char *)out + sizeof t, 0, out->size - sizeof t);
	memcpy(out, &t, out->size < sizeof t ? out->size : sizeof t);
	return 0;
}

double orrery_sim_time(const struct orrery_sim *s)
{
	struct mp_stats st;

	if (!ran(s))
		return NAN;
	sim_stats(s->sim, &st);
	return st.end;
}

uint32_t orrery_sim_ranks(const struct orrery_sim *s)
{
	return ran(s) ? sim_ranks(s->sim) : 0;
}

int orrery_sim_classes(struct orrery_sim *s, double *out)
{
	if (not_run(s))
		return not_run(s);
	if (!out)
		return nowhere(s);
	for (uint32_t r = 0; r < sim_ranks(s->sim); r++)
		profile_rank_classes(ran(s), r, out + (size_t)r * ORRERY_CLASSES);
	return 0;
}

int orrery_sim_ends(struct orrery_sim *s, double *out)
{
	double classes[ORRERY_CLASSES];

	if (not_run(s))
		return not_run(s);
	if (!out)
		return nowhere(s);
	for (uint32_t r = 0; r < sim_ranks(s->sim); r++) {
		profile_rank_classes(ran(s), r, classes);
		out[r] = 0;
		for (int c = 0; c < ORRERY_IDLE; c++)
			out[r] += classes[c];
	}
	return 0;
}

const char *orrery_class_name(int c)
{
	return c >= 0 && c < ORRERY_CLASSES ? time_class_name((enum time_class)c) : NULL;
}

const char *orrery_call_name(int call)
{
	return call >= 0 && call < CALL_CALLS ? mp_call_name((enum mp_call)call) : NULL;
}

const char *orrery_sim_host(const struct orrery_sim *s, uint32_t rank, char *buf, size_t n)
{
	if (rank < orrery_sim_ranks(s))
		return platform_host_name(sim_platform(s->sim), sim_placement(s->sim)->host[rank],
		                          buf, n);
	if (n)
		buf[0] = '\0';
	return buf;
}

const char *orrery_sim_explanation(struct orrery_sim *s)
{
	struct json j;

	if (!s || !s->whole || !sim_explainer(s->sim))
		return "";
	if (s->explanation.n == 0) {
		json_init(&j, &s->explanation);
		explainer_json(sim_explainer(s->sim), &j);
	}
	return s->explanation.failed ? NULL : s->explanation.s;
}

const char *orrery_sim_trust(struct orrery_sim *s)
{
	struct sim_trust trust;
	struct json j;

	if (!s || !s->whole)
		return "";
	if (s->trust.n == 0) {
		sim_trust(s->sim, &trust);
		json_init(&j, &s->trust);
		trust_json(&trust, &j);
	}
	return s->trust.failed ? NULL : s->trust.s;
}

const char *orrery_sim_notices(const struct orrery_sim *s)
{
	return s && s->sim ? sim_notices(s->sim) : "";
}
