/* replay.c: a trace as the program of a simulation. */
#include "sim.h"

#include <string.h>

/* What the tracer said of its trace and the trace itself does not say: a time predicted from a part
 * of a run needs that word. */
static void manifest_note(struct sim_replay *r, struct sim_about *about, struct str *notices)
{
	const struct trace_manifest *m = &r->manifest;

	about->complete = m->complete ? SIM_COMPLETE : SIM_INCOMPLETE;
	about->elapsed = m->counter && !strcmp(m->counter, "wall");
	about->threads = m->threads > 0;
	about->beside = m->beside > 0;
	about->program = m->program;
	about->mpi = m->mpi;
	if (notices && m->untraced && m->untraced[0])
		str_printf(notices, "calls that were not traced and cost nothing here: %s\n",
		           m->untraced);
}

static int replay_open(void *self, uint32_t np, struct sim_about *about, struct str *notices,
                       struct err *err)
{
	struct sim_replay *r = self;
	int found;

	if (r->given && r->begin && r->begin(r->given->self, err) < 0)
		return -1;
	r->trace = r->given ? trace_open_given(r->given, err) : trace_open(r->path, np, err);
	if (!r->trace)
		return -1;
	about->ranks = np && !r->given ? np : trace_ranks(r->trace);
	about->actions = trace_actions_hint(r->trace);
	about->of_simgrid = (uint8_t)trace_of_simgrid(r->trace);
	about->trace = about->program = r->given ? r->given->name : r->path;
	found = r->given ? 0 : trace_manifest_get(r->trace, &r->manifest, err);
	if (found < 0)
		return -1;
	r->manifest_read = found > 0;
	str_puts(notices, trace_notices(r->trace));
	if (r->manifest_read)
		manifest_note(r, about, notices);
	return 0;
}

/* "perf" and "papi" count the same. */
static int counters_differ(const char *a, const char *b)
{
	int counts_a = !strcmp(a, "perf") || !strcmp(a, "papi"),
	    counts_b = !strcmp(b, "perf") || !strcmp(b, "papi");

	return *a && *b && *a != '?' && *b != '?' && strcmp(a, b) != 0 && !(counts_a && counts_b);
}

static int rates_take(struct sim_replay *r, const struct config *cfg, struct replay_options *o,
                      struct err *err)
{
	const char *path = config_text(cfg, CFG_COMPUTATION_RATES);

	if (!*path)
		return 0;
	if (rates_read(&r->rates, path, err) < 0)
		return -1;
	o->rates = &r->rates;
	o->working_set = config_number(cfg, CFG_COMPUTATION_WORKING_SET);
	if (!r->rates.counter || !r->manifest.counter ||
	    !counters_differ(r->rates.counter, r->manifest.counter))
		return 0;
	return err_set(err, ERR_INPUT,
	               "%s: rates of volumes counted by '%s', but those of the trace were counted "
	               "by '%s': calibrate with traces of that counter, or with --volumes",
	               path, r->rates.counter, r->manifest.counter);
}

/* What the user says of computation, and this run does not look at. */
static int unused_check(const struct config *cfg, const struct replay_options *o, struct err *err)
{
	static const struct {
		enum config_id id;
		const char *used;
	} said[] = {{CFG_COMPUTATION_CPU_RATIO,
	             "computation by the units of trace and machine, without rates by region"},
	            {CFG_COMPUTATION_RATES, "computation by volumes"}};
	const void *user[] = {o->basis, o->rates};

	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		if (config_from(cfg, said[i].id) == CFG_FROM_USER &&
		    *config_text(cfg, said[i].id) && !user[i])
			return err_set(err, ERR_INPUT, "%s has no effect here: it is for %s",
			               config_table[said[i].id].name, said[i].used);
	return 0;
}

/* By the units of trace and machine, unless the user says that volumes are to be executed as they
 * are, and in compat. */
static int basis_take(struct sim_replay *r, const struct platform *p, const struct config *cfg,
                      struct replay_options *o, struct err *err)
{
	const struct trace_manifest *m = r->manifest_read ? &r->manifest : NULL;

	if (o->computation == REPLAY_RECORDED)
		r->basis = (struct basis){.told = 1, .text = "recorded durations, as asked for"};
	else if (r->volumes_as_they_are && !o->rates)
		r->basis = (struct basis){.told = 1,
		                          .text = "volumes at the machine's speed, as asked for"};
	if (o->computation != REPLAY_VOLUME || o->rates || r->volumes_as_they_are ||
	    config_compat(cfg) || !config_bool(cfg, CFG_SMPI_SIMULATE_COMPUTATION))
		return 0;
	if (basis_choose(&r->basis, m, p, cfg, err) < 0)
		return -1;
	o->basis = &r->basis;
	return 0;
}

static int replay_start(void *self, struct mp *mp, const struct config *cfg,
                        struct progress *progress, struct mp_program *out, struct err *err)
{
	struct sim_replay *r = self;
	struct replay_options o = {.scale = 1, .progress = progress, .computation = r->computation};

	r->basis = (struct basis){0};
	if (r->schedule)
		o.longer = "a schedule's receives have no limit";
	else if (r->manifest_read && r->manifest.complete && *r->manifest.mpi)
		o.longer = "MPI_ERR_TRUNCATE, which the program has handled";
	if ((o.computation == REPLAY_VOLUME && rates_take(r, cfg, &o, err) < 0) ||
	    basis_take(r, net_platform(mp_net(mp)), cfg, &o, err) < 0 ||
	    unused_check(cfg, &o, err) < 0)
		return -1;
	if (config_number(cfg, CFG_NOISE_SEED) > 0)
		trace_seed(r->trace, (uint64_t)config_number(cfg, CFG_NOISE_SEED));
	r->replay = replay_new(r->trace, mp_ranks(mp), cfg, &o, err);
	if (!r->replay)
		return -1;
	*out = replay_program(r->replay);
	return 0;
}

/* Receives from any source took what came first in the simulated network, and so the program did
 * not end: in the recorded order it did. */
static int replay_retry(void *self, struct config *cfg, struct str *notices, struct err *err)
{
	struct sim_replay *r = self;

	if (!r->replay || replay_moved(r->replay) == 0)
		return 0;
	if (config_set(cfg, "replay/wildcards", "recorded", CFG_FROM_USER, err) < 0)
		return -1;
	str_clear(notices); /* the trace is opened anew, and tells the rest again */
	str_puts(notices, "receives from any source keep the order of the traced run: in that of "
	                  "the simulated network the program does not end\n");
	return 1;
}

static int64_t replay_partial(void *self, int all, struct str *which, struct err *err)
{
	struct sim_replay *r = self;

	if (all && trace_drain(r->trace, err) < 0)
		return -1;
	trace_partial_which(r->trace, which);
	return trace_partial(r->trace);
}

static void replay_notes(void *self, struct str *out)
{
	struct sim_replay *r = self;

	str_puts(out, r->basis.notice);
	if (r->replay)
		replay_notices(r->replay, out);
}

static uint64_t replay_done(void *self)
{
	struct sim_replay *r = self;

	return replay_actions(r->replay);
}

static const struct basis *replay_basis(void *self)
{
	struct sim_replay *r = self;

	if (r->replay)
		r->basis.unfounded = replay_unfounded(r->replay, &r->basis.instead);
	return &r->basis;
}

static void replay_text(void *self, struct str *out)
{
	struct sim_replay *r = self;

	replay_regions_text(r->replay, out);
}

static void replay_json(void *self, struct json *j)
{
	struct sim_replay *r = self;

	json_key(j, "regions");
	replay_regions_json(r->replay, j);
}

static int replay_schedule(void *self, struct trace_schedule *out, struct sim_about *about,
                           struct err *err)
{
	struct sim_replay *r = self;
	int is = r->given ? 0 : trace_schedule_read(r->path, out, err);

	if (is <= 0)
		return is;
	if (trace_manifest_foreign("wall", out->ranks, &r->manifest, err) < 0) {
		trace_schedule_release(out);
		return -1;
	}
	r->manifest_read = 1;
	r->schedule = 1;
	about->ranks = out->ranks;
	about->actions = out->n_ops;
	about->trace = r->path;
	manifest_note(r, about, NULL);
	return 1;
}

/* Computations as those of the sequence that trace_open makes: elapsed nanoseconds. */
static int replay_schedule_units(void *self, const struct platform *p, const struct config *cfg,
                                 const struct host_id *host, uint32_t ranks, double *unit,
                                 struct err *err)
{
	struct sim_replay *r = self;
	struct replay_options o = {.computation = r->computation};
	int none = r->computation == REPLAY_NONE ||
	           !config_bool(cfg, CFG_SMPI_SIMULATE_COMPUTATION);

	r->basis = (struct basis){0};
	if (basis_take(r, p, cfg, &o, err) < 0 || unused_check(cfg, &o, err) < 0)
		return -1;
	for (uint32_t i = 0; i < ranks; i++) {
		struct host_info info;

		if (i > 0 && platform_hosts_alike(p, host[i - 1], host[i])) {
			unit[i] = unit[i - 1];
			continue;
		}
		unit[i] = o.basis ? basis_seconds(o.basis, p, host[i], 1, 1e-9) : -1;
		platform_host(p, host[i], &info);
		if (r->computation == REPLAY_RECORDED)
			unit[i] = 1e-9;
		else if (unit[i] < 0)
			unit[i] = 1 / info.speed;
		if (none)
			unit[i] = 0;
	}
	return !none && r->computation != REPLAY_RECORDED;
}

static void replay_close(void *self)
{
	struct sim_replay *r = self;

	replay_free(r->replay);
	rates_release(&r->rates);
	trace_manifest_release(&r->manifest);
	trace_close(r->trace);
	r->replay = NULL;
	r->trace = NULL;
}

struct sim_source sim_replay_source(struct sim_replay *r)
{
	return (struct sim_source){.self = r,
	                           .open = replay_open,
	                           .start = replay_start,
	                           .retry = replay_retry,
	                           .partial = replay_partial,
	                           .actions = replay_done,
	                           .notices = replay_notes,
	                           .basis = replay_basis,
	                           .text = replay_text,
	                           .json = replay_json,
	                           .schedule = replay_schedule,
	                           .schedule_units = replay_schedule_units,
	                           .close = replay_close};
}

int sim_computation_find(struct sim_replay *r, const char *name)
{
	static const struct {
		const char *name;
		enum replay_computation computation;
		uint8_t as_they_are;
	} kinds[] = {{"auto", REPLAY_VOLUME, 0},
	             {"volume", REPLAY_VOLUME, 1},
	             {"recorded", REPLAY_RECORDED, 0},
	             {"none", REPLAY_NONE, 0}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(name, kinds[i].name)) {
			r->computation = kinds[i].computation;
			r->volumes_as_they_are = kinds[i].as_they_are;
			return 0;
		}
	return -1;
}
