/* verb_replay.c: `orrery replay`: predicts from a trace. Sets the rooms up from bottom to top,
 * runs, prints, takes them down. */
#include "observe/observe.h"
#include "outputs.h"
#include "replay/replay.h"
#include "spread.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	OPT_PLATFORM = 1,
	OPT_HOSTFILE,
	OPT_NP,
	OPT_MODEL,
	OPT_SELECTOR,
	OPT_CFG,
	OPT_COMPUTATION,
	OPT_OVERSUBSCRIBE,
	OPT_JSON,
	OPT_PROFILE,
	OPT_RANKS,
	OPT_CSV,
	OPT_RECORD,
	OPT_RUNS,
	OPT_SEED,
	OPT_RATES,
	OPT_CPU_RATIO,
	OPT_EXPLAIN
};

static const struct option_row replay_options_table[] = {
    {OPT_PLATFORM, 'p', "platform", "MACHINE",
     "the machine: a SimGrid XML file, a PSINS description, or a name of 'orrery platform list'"},
    {OPT_HOSTFILE, 0, "hostfile", "FILE",
     "where ranks run: 'host', 'host:count' or 'host slots=count' a line; default: hosts in order"},
    {OPT_NP, 'n', "np", "N", "number of ranks; default: all of the trace"},
    {OPT_MODEL, 'm', "model", "NAME",
     "communication model (setting network/model); default: hybrid"},
    {OPT_SELECTOR, 0, "selector", "NAME",
     "chooses the collectives' algorithms: a selector or file:PATH (setting smpi/coll-selector)"},
    {OPT_CFG, 0, "cfg", "NAME:VALUE",
     "a setting, or @FILE: a file of them; may be repeated: see 'orrery help settings'"},
    {OPT_COMPUTATION, 0, "computation", "KIND",
     "auto (volumes by their unit and the machine's, default), volume (at the machine's speed, whatever they count), recorded "
     "(measured durations), none"},
    {OPT_CPU_RATIO, 0, "cpu-ratio", "R",
     "a core of the machine is R times as fast as where it was traced (setting computation/cpu-ratio)"},
    {OPT_RATES, 0, "rates", "FILE",
     "calibrated rates of computation by region, of 'orrery calibrate cpu' (setting computation/rates)"},
    {OPT_OVERSUBSCRIBE, 0, "oversubscribe", NULL, "allow more ranks than cores (they share them)"},
    {OPT_JSON, 0, "json", NULL, "print one JSON object"},
    {OPT_PROFILE, 0, "profile", NULL, "print the profile: time, waiting and bytes by MPI function"},
    {OPT_RANKS, 0, "per-rank", NULL, "with --profile or --json: rank by rank"},
    {OPT_CSV, 0, "csv", "FILE", "write the profile by rank and function as CSV"},
    {OPT_RUNS, 0, "runs", "N",
     "repeat with noise drawn from the machine's calibrated models (settings noise/…); tells the spread"},
    {OPT_SEED, 0, "seed", "S", "with --runs: the runs have the seeds S, S+1, …; default: 1"},
    {OPT_RECORD, 'o', "record", "FILE", "record the run, for 'orrery export'"},
    {OPT_EXPLAIN, 0, "explain", "WHAT",
     "what bounded a rank's time (rank:N) or a message (message:K, the K-th to move; message:FROM-TO[#K])"},
    {0, 0, NULL, NULL, NULL},
};

struct session {
	const struct args *args;
	struct config cfg;
	struct trace *trace;
	struct platform *platform;
	struct placement placement;
	struct net *net;
	struct mp *mp;
	struct rates rates;
	struct basis basis; /* of computation, where it is by volumes; text "": it is not */
	struct replay *replay;
	struct profile *profile;
	struct recorder *recorder;
	struct explainer *explainer;
	struct progress_bar bar;
	struct str notices, out;
	uint64_t seed; /* of the noise; 0: none */
	enum {
		COMPLETE_UNKNOWN,
		COMPLETE_YES,
		COMPLETE_NO
	} complete;      /* is the trace that of a whole run? */
	struct err lost; /* kind ERR_NONE, or why the recording or the profile is not complete */
	uint32_t ranks;
	int elapsed;  /* volumes are elapsed time */
	int recorded; /* receives from any source keep the recorded order, as the simulated one has
	                 ended in a deadlock */
	int again;    /* it has: to be repeated so */
	double wall;
};

static void session_release(struct session *s)
{
	recorder_abandon(s->recorder);
	explainer_free(s->explainer);
	profile_free(s->profile);
	replay_free(s->replay);
	rates_release(&s->rates);
	mp_free(s->mp);
	net_free(s->net);
	placement_release(&s->placement);
	platform_free(s->platform);
	trace_close(s->trace);
	config_release(&s->cfg);
	str_release(&s->notices);
	str_release(&s->out);
}

/* --- setting up --- */

static int read_settings(struct session *s, struct err *err)
{
	const struct args *a = s->args;
	const char *model = args_get(a, OPT_MODEL), *selector = args_get(a, OPT_SELECTOR),
	           *rates = args_get(a, OPT_RATES);

	for (int i = 0; i < a->n_given; i++) {
		if (a->given[i].id == OPT_CFG &&
		    config_set_all(&s->cfg, a->given[i].value, CFG_FROM_USER, err) < 0)
			return -1;
	}
	if (s->seed) {
		char text[32];

		snprintf(text, sizeof text, "%llu", (unsigned long long)s->seed);
		if (config_set(&s->cfg, "noise/seed", text, CFG_FROM_USER, err) < 0)
			return -1;
	}
	if (s->recorded &&
	    config_set(&s->cfg, "replay/wildcards", "recorded", CFG_FROM_USER, err) < 0)
		return -1;
	if (args_get(a, OPT_CPU_RATIO) &&
	    config_set(&s->cfg, "computation/cpu-ratio", args_get(a, OPT_CPU_RATIO), CFG_FROM_USER,
	               err) < 0)
		return -1;
	if (rates && config_set(&s->cfg, "computation/rates", rates, CFG_FROM_USER, err) < 0)
		return -1;
	if (model && config_set(&s->cfg, "network/model", model, CFG_FROM_USER, err) < 0)
		return -1;
	return selector ? config_set(&s->cfg, "smpi/coll-selector", selector, CFG_FROM_USER, err)
	                : 0;
}

/* What the tracer said of its trace and the trace itself does not say: a time predicted from a part
 * of a run needs that word. */
static void note_manifest(struct session *s, const char *path)
{
	struct trace_manifest m;
	struct err none;

	if (trace_manifest_read(path, &m, &none) < 0)
		return; /* not a folder of ours: nothing is known */
	s->complete = m.complete ? COMPLETE_YES : COMPLETE_NO;
	s->elapsed = m.counter && !strcmp(m.counter, "wall");
	if (!m.complete)
		str_puts(
		    &s->notices,
		    "the trace is incomplete (the program was killed or aborted): the time is that of what was recorded\n");
	if (m.untraced && m.untraced[0])
		str_printf(&s->notices, "calls that were not traced and cost nothing here: %s\n",
		           m.untraced);
	trace_manifest_release(&m);
}

static int read_inputs(struct session *s, struct err *err)
{
	const struct args *a = s->args;
	const char *machine = args_get(a, OPT_PLATFORM);
	int64_t np = 0;

	if (a->n_positional != 1)
		return err_set(err, ERR_INPUT,
		               "replay: one trace is wanted, %d given. See 'orrery help replay'.",
		               a->n_positional);
	if (!machine)
		return err_set(
		    err, ERR_INPUT,
		    "replay: on which machine? Give -p FILE or -p NAME; 'orrery platform list' has the names.");
	if (args_int(a, &verb_replay, OPT_NP, 1, UINT32_MAX - 1, &np, err) < 0 ||
	    read_settings(s, err) < 0)
		return -1;
	s->platform = platform_read(machine, &s->cfg, err);
	if (!s->platform)
		return -1;
	s->trace = trace_open(a->positional[0], (uint32_t)np, err);
	if (!s->trace)
		return -1;
	s->ranks = np ? (uint32_t)np : trace_ranks(s->trace);
	note_manifest(s, a->positional[0]);
	return 0;
}

static uint64_t core_count(const struct platform *p)
{
	uint64_t cores = 0;
	struct host_info h;

	for (uint32_t i = 0; i < platform_host_count(p); i++) {
		platform_host(p, (struct host_id){i}, &h);
		cores += h.cores;
	}
	return cores;
}

/* More ranks than entries go round the hosts again while there are cores; beyond that only if asked
 * to. */
static int place(struct session *s, struct err *err)
{
	const char *hostfile = args_get(s->args, OPT_HOSTFILE);
	int compat = config_compat(&s->cfg);
	int wrap = compat || args_has(s->args, OPT_OVERSUBSCRIBE) ||
	           core_count(s->platform) >= s->ranks;

	return placement_make(s->platform, hostfile, s->ranks, compat, wrap, &s->placement, &s->cfg,
	                      err);
}

static enum replay_computation computation_find(const char *name, int *ok)
{
	*ok = 1;
	if (!name || !strcmp(name, "auto") || !strcmp(name, "volume"))
		return REPLAY_VOLUME;
	if (!strcmp(name, "recorded"))
		return REPLAY_RECORDED;
	*ok = !strcmp(name, "none");
	return REPLAY_NONE;
}

/* "perf" and "papi" count the same. */
static int counters_differ(const char *a, const char *b)
{
	int counts_a = !strcmp(a, "perf") || !strcmp(a, "papi"),
	    counts_b = !strcmp(b, "perf") || !strcmp(b, "papi");

	return *a && *b && *a != '?' && *b != '?' && strcmp(a, b) != 0 && !(counts_a && counts_b);
}

static int rates_take(struct session *s, struct replay_options *o, struct err *err)
{
	const char *path = config_text(&s->cfg, CFG_COMPUTATION_RATES);
	struct trace_manifest m;
	struct err none;
	int differ;

	if (!*path)
		return 0;
	if (rates_read(&s->rates, path, err) < 0)
		return -1;
	o->rates = &s->rates;
	o->working_set = config_number(&s->cfg, CFG_COMPUTATION_WORKING_SET);
	if (!s->rates.counter || trace_manifest_read(s->args->positional[0], &m, &none) < 0)
		return 0;
	differ = m.counter && counters_differ(s->rates.counter, m.counter);
	if (differ)
		err_set(
		    err, ERR_INPUT,
		    "%s: rates of volumes counted by '%s', but those of the trace were counted by '%s': calibrate with traces "
		    "of that "
		    "counter, or with --volumes",
		    path, s->rates.counter, m.counter);
	trace_manifest_release(&m);
	return differ ? -1 : 0;
}

/* By the units of trace and machine, unless the user says that volumes are to be executed as they
 * are, and in compat. */
static int basis_take(struct session *s, struct replay_options *o, struct err *err)
{
	const char *kind = args_get(s->args, OPT_COMPUTATION);
	struct trace_manifest m = {0};
	struct err none;
	int has, r;

	if (o->computation != REPLAY_VOLUME || o->rates || (kind && !strcmp(kind, "volume")) ||
	    config_compat(&s->cfg) || !config_bool(&s->cfg, CFG_SMPI_SIMULATE_COMPUTATION))
		return 0;
	has = trace_manifest_read(s->args->positional[0], &m, &none) == 0;
	r = basis_choose(&s->basis, has ? &m : NULL, s->platform, &s->cfg, err);
	if (has)
		trace_manifest_release(&m);
	if (r < 0)
		return -1;
	o->basis = &s->basis;
	str_puts(&s->notices, s->basis.notice);
	return 0;
}

static int build(struct session *s, struct err *err)
{
	struct replay_options o = {.scale = 1, .progress = &s->bar.p};
	const char *kind = args_get(s->args, OPT_COMPUTATION);
	int ok;

	o.computation = computation_find(kind, &ok);
	if (!ok)
		return err_set(err, ERR_INPUT,
		               "replay: --computation is auto, volume, recorded or none, not '%s'",
		               kind);
	if (o.computation == REPLAY_VOLUME && rates_take(s, &o, err) < 0)
		return -1;
	if (basis_take(s, &o, err) < 0)
		return -1;
	s->net = net_new(s->platform, &s->cfg, err);
	if (!s->net)
		return -1;
	s->mp = mp_new(s->net, &s->cfg, s->placement.host, s->ranks, err);
	if (!s->mp)
		return -1;
	if (s->elapsed)
		mp_volumes_elapsed(s->mp);
	s->replay = replay_new(s->trace, s->ranks, &s->cfg, &o, err);
	return s->replay ? 0 : -1;
}

/* --- observers --- */

static const char *host_of(void *self, uint32_t rank, char *buf, size_t n)
{
	struct session *s = self;

	return platform_host_name(s->platform, s->placement.host[rank], buf, n);
}

static const char *model_name(const struct session *s)
{
	return config_text(&s->cfg, CFG_NET_MODEL);
}

static void settings_given(const struct session *s, struct str *out)
{
	for (int i = 0; i < CFG_COUNT; i++) {
		enum config_source from = config_from(&s->cfg, (enum config_id)i);

		if (from >= CFG_FROM_PLATFORM)
			str_printf(out, "%s%s:%s", out->n ? " " : "", config_table[i].name,
			           config_text(&s->cfg, (enum config_id)i));
	}
}

static int record_to(struct session *s, const char *path, struct err *err)
{
	struct trace_manifest manifest = {0};
	struct str settings;
	char date[32];
	time_t now = time(NULL);
	struct tm tm;
	struct err none;
	struct run_info info = {.ranks = s->ranks,
	                        .machine = platform_name(s->platform),
	                        .model = model_name(s),
	                        .date = date};

	strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
	str_init(&settings);
	settings_given(s, &settings);
	info.trace = s->args->positional[0];
	info.program = trace_manifest_read(info.trace, &manifest, &none) == 0 ? manifest.program
	                                                                      : info.trace;
	info.settings = settings.s ? settings.s : "";
	s->recorder = recorder_open(path, &info, host_of, s, err);
	str_release(&settings);
	trace_manifest_release(&manifest);
	if (!s->recorder)
		return -1;
	struct mp_observer o = recorder_observer(s->recorder);
	return mp_observe(s->mp, &o, err);
}

static int explain_what(struct session *s, const char *what, struct err *err)
{
	struct mp_observer o;

	s->explainer = explainer_new(s->mp, what, err);
	if (!s->explainer)
		return -1;
	mp_set_watch(s->mp, explainer_watch(s->explainer));
	o = explainer_observer(s->explainer);
	return mp_observe(s->mp, &o, err);
}

static int observe(struct session *s, struct err *err)
{
	const char *record = args_get(s->args, OPT_RECORD), *csv = args_get(s->args, OPT_CSV);
	struct mp_observer o;

	if (outputs_check_settings(&verb_replay, s->args, &s->cfg, err) < 0 ||
	    (csv && output_try(csv, err) < 0))
		return -1;
	s->profile = profile_new(s->ranks, err);
	if (!s->profile)
		return -1;
	o = profile_observer(s->profile);
	if (mp_observe(s->mp, &o, err) < 0)
		return -1;
	if (args_get(s->args, OPT_EXPLAIN) &&
	    explain_what(s, args_get(s->args, OPT_EXPLAIN), err) < 0)
		return -1;
	return record ? record_to(s, record, err) : 0;
}

/* Ends the observers. What they lack is told after the prediction, which stands, and makes the exit
 * code that of a failure. */
static void observe_end(struct session *s, double makespan)
{
	struct err err;

	if (profile_end(s->profile, makespan, &err) < 0)
		s->lost = err;
	if (s->recorder && recorder_close(s->recorder, makespan, &err) < 0)
		s->lost = err;
	s->recorder = NULL;
}

/* --- printing --- */

static void text_head(struct session *s)
{
	struct profile_shares sh;

	profile_shares(s->profile, &sh);
	str_printf(&s->out, "%u ranks on %s (%u hosts), model %s\n", s->ranks,
	           platform_name(s->platform), platform_host_count(s->platform), model_name(s));
	for (int c = 0; c < TIME_CLASSES; c++)
		if (c != TIME_IO || sh.share[c] > 0)
			str_printf(&s->out, "%s%s %.1f %%", c ? ", " : "time of the ranks: ",
			           time_class_name((enum time_class)c), 100 * sh.share[c]);
	str_putc(&s->out, '\n');
}

/* One line when the machine's figures were not (all) measured: its description says so with the
 * first word. */
static void text_calibration(struct session *s)
{
	const char *text = platform_calibration(s->platform);

	if (!strncmp(text, "none", 4) || !strncmp(text, "partly", 6))
		str_printf(&s->out, "%s is %scalibrated: see 'orrery platform show %s'\n",
		           platform_name(s->platform), text[0] == 'n' ? "not " : "only partly ",
		           platform_name(s->platform));
}

static void print_text(struct session *s, const struct mp_stats *st)
{
	char rate[32];
	int flags = (args_has(s->args, OPT_RANKS) ? PROFILE_PER_RANK : 0) |
	            (color_wanted(stdout) ? PROFILE_COLOR : 0);

	text_head(s);
	if (args_has(s->args, OPT_PROFILE) || args_has(s->args, OPT_RANKS))
		profile_text(s->profile, flags, &s->out);
	if (args_has(s->args, OPT_PROFILE))
		replay_regions_text(s->replay, &s->out);
	if (s->explainer)
		explainer_text(s->explainer, &s->out);
	fmt_si(rate, sizeof rate, s->wall > 0 ? (double)replay_actions(s->replay) / s->wall : 0,
	       "actions/s");
	str_printf(&s->out, "%llu actions, %llu messages in %.2f s (%s), %.1f MiB\n",
	           (unsigned long long)replay_actions(s->replay), (unsigned long long)st->messages,
	           s->wall, rate, (double)peak_rss_kib() / 1024);
	text_calibration(s);
	str_printf(&s->out, "simulated time: %.9f s\n", st->end);
}

static void json_shares(struct session *s, struct json *j)
{
	struct profile_shares sh;

	profile_shares(s->profile, &sh);
	json_key(j, "shares");
	json_object(j);
	for (int c = 0; c < TIME_CLASSES; c++)
		json_put_double(j, time_class_key((enum time_class)c), sh.share[c]);
	json_end(j);
}

static void print_json(struct session *s, const struct mp_stats *st)
{
	struct json j;

	json_init(&j, &s->out);
	json_object(&j);
	json_put_double(&j, "simulated_time", st->end);
	json_put_int(&j, "ranks", s->ranks);
	json_put_string(&j, "machine", platform_name(s->platform));
	json_put_string(&j, "calibration", platform_calibration(s->platform));
	json_put_string(&j, "model", model_name(s));
	json_key(&j, "complete");
	if (s->complete == COMPLETE_UNKNOWN)
		json_string(&j, NULL);
	else
		json_bool(&j, s->complete == COMPLETE_YES);
	json_put_int(&j, "actions", (int64_t)replay_actions(s->replay));
	json_put_int(&j, "messages", (int64_t)st->messages);
	json_put_double(&j, "message_bytes", st->bytes);
	json_put_int(&j, "collectives", (int64_t)st->collectives);
	json_put_double(&j, "wall_seconds", s->wall);
	json_put_double(&j, "actions_per_second",
	                s->wall > 0 ? (double)replay_actions(s->replay) / s->wall : 0);
	json_put_int(&j, "peak_rss_kib", peak_rss_kib());
	json_shares(s, &j);
	json_key(&j, "profile");
	profile_json(s->profile, args_has(s->args, OPT_RANKS) ? PROFILE_PER_RANK : 0, &j);
	json_key(&j, "regions");
	replay_regions_json(s->replay, &j);
	if (s->explainer) {
		json_key(&j, "explain");
		explainer_json(s->explainer, &j);
	}
	json_end(&j);
	str_putc(&s->out, '\n');
}

static int print_result(struct session *s, struct err *err)
{
	const char *csv = args_get(s->args, OPT_CSV);
	struct mp_stats st;
	struct str table;
	int r = 0;

	if (s->explainer && explainer_end(s->explainer, err) < 0)
		return -1;
	mp_stats(s->mp, &st);
	if (args_has(s->args, OPT_JSON))
		print_json(s, &st);
	else
		print_text(s, &st);
	if (csv) {
		str_init(&table);
		profile_csv(s->profile, &table);
		r = print_file(csv, &table, err);
		str_release(&table);
	}
	return print_stdout(&s->out, err) < 0 ? -1 : r;
}

static void print_notices(struct session *s)
{
	replay_notices(s->replay, &s->notices);
	mp_report(s->mp, &s->notices);
	net_notices(s->net, &s->notices);
	print_notice(s->args, s->cfg.notices.s);
	print_notice(s->args, s->notices.s);
}

static int simulate(struct session *s, struct err *err)
{
	struct mp_program program = replay_program(s->replay);
	double start = wall_seconds();
	int r;

	s->bar.p.total = trace_actions_hint(s->trace);
	r = mp_run(s->mp, &program, &s->bar.p, err);
	s->wall = wall_seconds() - start;
	progress_bar_done(&s->bar);
	observe_end(s, mp_now(s->mp));
	s->again = r < 0 && err->kind == ERR_PROGRAM && replay_moved(s->replay) > 0;
	if (!s->again)
		print_notices(s);
	return r;
}

static int noise_is_given(const struct session *s, struct err *err)
{
	if (config_text(&s->cfg, CFG_NOISE_NETWORK)[0] ||
	    config_text(&s->cfg, CFG_NOISE_COMPUTE)[0] ||
	    config_text(&s->cfg, CFG_NOISE_DETOURS)[0] ||
	    config_text(&s->cfg, CFG_NOISE_PERIODIC)[0] ||
	    config_text(&s->cfg, CFG_NOISE_SLEEP)[0] ||
	    config_text(&s->cfg, CFG_COMPUTATION_RATES)[0] ||
	    strcmp(config_text(&s->cfg, CFG_NOISE_RUN_NETWORK), "0") != 0 ||
	    config_number(&s->cfg, CFG_NOISE_RUN_COMPUTE) > 0)
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "replay: --runs draws noise, and there is none to draw: give a machine written by 'orrery calibrate network' or "
	    "'calibrate noise', --rates, or --cfg noise/network:…, noise/compute:…, noise/detours:…, noise/periodic:…, "
	    "noise/sleep:…, noise/run-network:… or noise/run-compute:…");
}

static int predict_once(struct session *s, struct err *err)
{
	str_init(&s->notices);
	str_init(&s->out);
	if (s->recorded)
		str_puts(
		    &s->notices,
		    "receives from any source keep the order of the traced run: in that of the simulated network "
		    "the program does not "
		    "end\n");
	return config_init(&s->cfg, err) == 0 && read_inputs(s, err) == 0 &&
	               (s->seed == 0 || noise_is_given(s, err) == 0) && place(s, err) == 0 &&
	               build(s, err) == 0 && observe(s, err) == 0 && simulate(s, err) == 0
	           ? 0
	           : -1;
}

/* s: its arguments, seed and progress bar. */
static int predict(struct session *s, struct err *err)
{
	const struct session fresh = *s;
	int r = predict_once(s, err);

	if (r == 0 || !s->again)
		return r;
	session_release(s);
	*s = fresh;
	s->recorded = 1;
	return predict_once(s, err);
}

/* --- many runs --- */

struct runs {
	const struct args *args;
	uint64_t first; /* seed */
};

/* Silent, but for the notices of the run of the first seed. */
static int run_once(void *self, uint64_t seed, double *end, struct err *err)
{
	const struct runs *runs = self;
	struct args quiet = *runs->args;
	struct session s = {.args = &quiet, .seed = seed};
	int r;

	quiet.quiet = 1;
	progress_bar_init(&s.bar, &quiet);
	quiet.quiet = runs->args->quiet || seed != runs->first;
	r = predict(&s, err);
	if (r == 0)
		*end = mp_now(s.mp);
	session_release(&s);
	return r;
}

static int replay_runs(const struct args *a, int64_t runs, struct err *err)
{
	static const int alone[] = {OPT_PROFILE, OPT_RANKS, OPT_CSV, OPT_RECORD, OPT_EXPLAIN};
	int64_t seed = 1;
	struct runs self = {.args = a};
	double *end;
	struct str out;
	int r;

	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (args_has(a, alone[i]))
			return err_set(
			    err, ERR_INPUT,
			    "replay: profile, recording and explanation are those of one run: without --runs; with noise: --cfg "
			    "noise/seed:%d",
			    1);
	if (args_int(a, &verb_replay, OPT_SEED, 1, ((int64_t)1 << 53) - runs, &seed, err) <
	    0) /* the last one is noise/seed, too */
		return -1;
	end = malloc((size_t)runs * sizeof *end);
	if (!end)
		return err_nomem(err, "runs", (unsigned long long)runs * sizeof *end);
	self.first = (uint64_t)seed;
	r = spread_run(run_once, &self, (int)runs, (uint64_t)seed, end, err);
	if (r == 0) {
		str_init(&out);
		if (args_has(a, OPT_JSON))
			spread_json(end, (int)runs, (uint64_t)seed, &out);
		else
			spread_text(end, (int)runs, (uint64_t)seed, &out);
		r = print_stdout(&out, err);
		str_release(&out);
	}
	free(end);
	return r;
}

static int replay_run(const struct args *a, struct err *err)
{
	struct session s = {.args = a};
	int64_t runs = 0;
	int r;

	if (args_int(a, &verb_replay, OPT_RUNS, 2, 1000000, &runs, err) < 0)
		return -1;
	if (runs)
		return replay_runs(a, runs, err);
	if (args_has(a, OPT_SEED))
		return err_set(
		    err, ERR_INPUT,
		    "replay: --seed goes with --runs; one run with noise: --cfg noise/seed:S");
	progress_bar_init(&s.bar, a);
	r = predict(&s, err);
	if (r == 0)
		r = print_result(&s, err);
	if (r == 0 && s.lost.kind) {
		*err = s.lost;
		r = -1;
	}
	session_release(&s);
	return r;
}

static const int outputs[] = {OPT_CSV, OPT_RECORD, 0};

const struct verb verb_replay = {
    .name = "replay",
    .synopsis = "TRACE -p MACHINE [options]",
    .summary = "predicts the time of a traced program on a machine",
    .text =
        "TRACE is a folder written by 'orrery trace', a SimGrid time-independent trace (list file, merged or single file, of any\n"
        "version) or one rank's file; its format is recognised from its content. The last line on the standard output is\n"
        "'simulated time: SECONDS s'.\n"
        "\n"
        "With --runs it is the mean of the runs, and 95 % of them lie in the interval: it holds what settings noise/... and the "
        "deviations of --rates say of\n"
        "messages, of the model's error on other programs, of the operating system and of rates; not another day, input or MPI, "
        "nor what was not calibrated\n"
        "(docs/calibration.md, 'What an interval holds').",
    .options = replay_options_table,
    .outputs = outputs,
    .run = replay_run,
};
