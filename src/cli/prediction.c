/* prediction.c: options to a simulation, one run of it or many. */
#include "prediction.h"

#include "outputs.h"

#include "study/study.h"

#include <stdlib.h>
#include <sys/mman.h>

struct session {
	const struct args *args;
	const struct verb *verb;
	const struct sim_source *source;
	const char *machine;
	int64_t ranks, ppn;
	uint64_t seed; /* of the noise; 0: none */
};

/* --- options to settings --- */

/* --cfg in the order given, then what has an option of its own. */
static uint32_t settings_take(const struct session *s, const char *seed, struct sim_setting *out)
{
	static const struct {
		int option;
		const char *name;
	} own[] = {{OPT_CPU_RATIO, "computation/cpu-ratio"},
	           {OPT_RATES, "computation/rates"},
	           {OPT_MODEL, "network/model"},
	           {OPT_SELECTOR, "smpi/coll-selector"}};
	const struct args *a = s->args;
	uint32_t n = 0;

	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id == OPT_CFG)
			out[n++] = (struct sim_setting){NULL, a->given[i].value};
	if (s->seed)
		out[n++] = (struct sim_setting){"noise/seed", seed};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (args_get(a, own[i].option))
			out[n++] = (struct sim_setting){own[i].name, args_get(a, own[i].option)};
	return n;
}

enum { SETTINGS_OWN = 5 };

static struct sim *session_new(const struct session *s, struct progress *progress, struct err *err)
{
	const struct args *a = s->args;
	struct sim_setting *settings = malloc(((size_t)a->n_given + SETTINGS_OWN) *
	                                      sizeof *settings);
	char seed[32];
	struct sim_options o = {.machine = s->machine,
	                        .setting = settings,
	                        .ranks = (uint32_t)s->ranks,
	                        .hostfile = args_get(a, OPT_HOSTFILE),
	                        .oversubscribe = (uint8_t)args_has(a, OPT_OVERSUBSCRIBE),
	                        .map = args_get(a, OPT_MAP_BY)
	                                   ? sim_map_find(args_get(a, OPT_MAP_BY))
	                                   : SIM_MAP_DEFAULT,
	                        .ppn = (uint32_t)s->ppn,
	                        .what_if = args_get(a, OPT_WHAT_IF),
	                        .profile = 1,
	                        .record = args_get(a, OPT_RECORD),
	                        .explain = args_get(a, OPT_EXPLAIN),
	                        .progress = progress};
	struct sim *sim;

	if (!settings) {
		err_nomem(err, "settings", (unsigned long long)a->n_given * sizeof *settings);
		return NULL;
	}
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
	o.n_settings = settings_take(s, seed, settings);
	sim = sim_new(&o, s->source, err);
	free(settings);
	return sim;
}

static int options_check(const struct session *s, struct err *err)
{
	if (!args_get(s->args, OPT_PLATFORM))
		return err_set(
		    err, ERR_INPUT,
		    "%s: on which machine? Give -p FILE or -p NAME; 'orrery platform list' has the names.",
		    s->verb->name);
	if (args_get(s->args, OPT_MAP_BY) &&
	    sim_map_find(args_get(s->args, OPT_MAP_BY)) == SIM_MAP_DEFAULT)
		return err_set(err, ERR_INPUT,
		               "%s: --map-by is slot, core, socket, numa or node, not '%s'",
		               s->verb->name, args_get(s->args, OPT_MAP_BY));
	if (args_get(s->args, OPT_HOSTFILE) &&
	    (args_get(s->args, OPT_MAP_BY) || args_get(s->args, OPT_PPN)))
		return err_set(err, ERR_INPUT,
		               "%s: a hostfile says where ranks run: without --map-by and --ppn",
		               s->verb->name);
	return 0;
}

/* --- one run --- */

static int csv_write(const struct args *a, const struct sim *sim, struct err *err)
{
	const char *csv = args_get(a, OPT_CSV);
	struct str table;
	int r;

	if (!csv)
		return 0;
	str_init(&table);
	profile_csv(sim_profile(sim), &table);
	r = print_file(csv, &table, err);
	str_release(&table);
	return r;
}

static int print_result(const struct args *a, const struct sim *sim, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	(args_has(a, OPT_JSON) ? prediction_json : prediction_text)(a, sim, &out);
	r = csv_write(a, sim, err);
	if (print_stdout(&out, err) < 0)
		r = -1;
	str_release(&out);
	if (r == 0 && sim_lost(sim)->kind) {
		*err = *sim_lost(sim);
		r = -1;
	}
	return r;
}

/* Before the run, not after an hour. */
static int outputs_try(const struct session *s, const struct sim *sim, struct err *err)
{
	const char *csv = args_get(s->args, OPT_CSV);

	if (outputs_check_settings(s->verb, s->args, sim_config(sim), err) < 0)
		return -1;
	return csv ? output_try(csv, err) : 0;
}

static int predict_once(const struct session *s, struct err *err)
{
	struct progress_bar bar;
	struct sim *sim;
	int r = -1;

	progress_bar_init(&bar, s->args);
	sim = session_new(s, &bar.p, err);
	if (sim && outputs_try(s, sim, err) == 0) {
		r = sim_run(sim, err);
		progress_bar_done(&bar);
		print_notice(s->args, sim_notices(sim));
		r = r == 0 ? print_result(s->args, sim, err) : -1;
	}
	sim_free(sim);
	return r;
}

/* --- many runs --- */

static int has_noise(const struct session *s, const struct sim *sim, struct err *err)
{
	if (sim_has_noise(sim))
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "%s: --runs draws noise, and there is none to draw: give a machine written by 'orrery calibrate network' or "
	    "'calibrate noise', --rates, or --cfg noise/network:…, noise/compute:…, noise/detours:…, noise/periodic:…, "
	    "noise/sleep:…, noise/run-network:… or noise/run-compute:…, or leave noise/model on",
	    s->verb->name);
}

struct runs {
	const struct session *session;
	uint64_t first;          /* seed */
	struct sim_trust *trust; /* of the run of that seed, which another process makes */
};

/* Silent, but for the notices of the run of the first seed. */
static int run_once(void *self, uint64_t seed, double *end, struct err *err)
{
	const struct runs *runs = self;
	struct session s = *runs->session;
	struct sim_trust trust;
	struct mp_stats st;
	struct sim *sim;
	int r = -1;

	s.seed = seed;
	sim = session_new(&s, NULL, err);
	if (sim && has_noise(&s, sim, err) == 0) {
		r = sim_run(sim, err);
		if (seed == runs->first)
			print_notice(s.args, sim_notices(sim));
	}
	if (r == 0) {
		sim_stats(sim, &st);
		*end = st.end;
		sim_trust(sim, &trust);
		if (config_bool(sim_config(sim), CFG_NOISE_MODEL))
			*end *= trust_draw(&trust, seed);
		if (seed == runs->first)
			*runs->trust = trust;
	}
	sim_free(sim);
	return r;
}

static int print_spread(const struct args *a, double *end, int runs, const struct runs *of,
                        struct err *err)
{
	struct str out, trust;
	struct json j;
	int r;

	str_init(&out);
	str_init(&trust);
	if (args_has(a, OPT_JSON)) {
		json_init(&j, &trust);
		trust_json(of->trust, &j);
		spread_json(end, runs, of->first, trust.s, &out);
	} else {
		trust_text(of->trust, &trust);
		spread_text(end, runs, of->first, trust.s, &out);
	}
	out.failed |= trust.failed;
	str_release(&trust);
	r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static int predict_runs(const struct session *s, int64_t runs, struct err *err)
{
	static const int alone[] = {OPT_PROFILE, OPT_RANKS, OPT_CSV, OPT_RECORD, OPT_EXPLAIN};
	struct runs self = {.session = s};
	int64_t seed = 1;
	double *end;
	int r;

	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (args_has(s->args, alone[i]))
			return err_set(
			    err, ERR_INPUT,
			    "%s: profile, recording and explanation are those of one run: without --runs; with noise: --cfg "
			    "noise/seed:1",
			    s->verb->name);
	if (args_int(s->args, s->verb, OPT_SEED, 1, ((int64_t)1 << 53) - runs, &seed, err) <
	    0) /* the last one is noise/seed, too */
		return -1;
	end = malloc((size_t)runs * sizeof *end);
	self.trust = mmap(NULL, sizeof *self.trust, PROT_READ | PROT_WRITE,
	                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!end || self.trust == MAP_FAILED) {
		free(end);
		return err_nomem(err, "runs", (unsigned long long)runs * sizeof *end);
	}
	self.first = (uint64_t)seed;
	r = spread_run(run_once, &self, (int)runs, (uint64_t)seed, end, err);
	if (r == 0)
		r = print_spread(s->args, end, (int)runs, &self, err);
	munmap(self.trust, sizeof *self.trust);
	free(end);
	return r;
}

/* --- several machines --- */

static int machines_given(const struct args *a)
{
	int n = 0;

	for (int i = 0; i < a->n_given; i++)
		n += a->given[i].id == OPT_PLATFORM;
	return n;
}

static void machine_row(const struct sim *sim, double first, struct str *out)
{
	struct profile_shares sh;
	struct sim_trust trust;
	struct mp_stats st;

	sim_stats(sim, &st);
	sim_trust(sim, &trust);
	profile_shares(sim_profile(sim), &sh);
	str_printf(out, "%-20s %16.9f %7.2f %7.0f %11.1f %9.1f %11.1f %8.1f\n",
	           platform_name(sim_platform(sim)), st.end, first > 0 ? st.end / first : 1,
	           100 * trust_width(&trust), 100 * sh.share[TIME_COMPUTE],
	           100 * sh.share[TIME_P2P], 100 * sh.share[TIME_COLL], 100 * sh.share[TIME_WAIT]);
}

static int machine_predict(struct session *s, double *first, struct json *j, struct str *out,
                           struct err *err)
{
	struct sim *sim = session_new(s, NULL, err);
	struct mp_stats st;
	struct str one;
	int r = sim ? sim_run(sim, err) : -1;

	if (r == 0 && *first < 0) {
		sim_stats(sim, &st);
		*first = st.end;
	}
	if (sim)
		print_notice(s->args, sim_notices(sim));
	if (r == 0 && args_has(s->args, OPT_JSON)) {
		str_init(&one);
		prediction_json(s->args, sim, &one);
		json_raw(j, one.s ? one.s : "null");
		out->failed |= one.failed;
		str_release(&one);
	} else if (r == 0) {
		machine_row(sim, *first, out);
	}
	sim_free(sim);
	return r;
}

/* One table, or an array of what one machine gives. The first machine is 1. */
static int predict_machines(struct session *s, struct err *err)
{
	static const int alone[] = {OPT_PROFILE, OPT_CSV, OPT_RECORD, OPT_EXPLAIN, OPT_RUNS};
	double first = -1;
	struct str out;
	struct json j;
	int r = 0;

	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (args_has(s->args, alone[i]))
			return err_set(
			    err, ERR_INPUT,
			    "%s: several machines are compared by their times only: one -p for "
			    "profile, recording, explanation or runs",
			    s->verb->name);
	str_init(&out);
	json_init(&j, &out);
	if (args_has(s->args, OPT_JSON))
		json_array(&j);
	else
		str_printf(&out, "%-20s %16s %7s %7s %11s %9s %11s %8s\n", "machine",
		           "simulated time s", "ratio", "about %", "computation", "p2p %",
		           "collective", "waiting");
	for (int i = 0; i < s->args->n_given && r == 0; i++) {
		if (s->args->given[i].id != OPT_PLATFORM)
			continue;
		s->machine = s->args->given[i].value;
		r = machine_predict(s, &first, &j, &out, err);
	}
	if (args_has(s->args, OPT_JSON)) {
		json_end(&j);
		str_putc(&out, '\n');
	}
	if (r == 0)
		r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

int prediction_run(const struct args *a, const struct verb *v, const struct sim_source *source,
                   struct err *err)
{
	struct session s = {
	    .args = a, .verb = v, .source = source, .machine = args_get(a, OPT_PLATFORM)};
	int64_t runs = 0;

	if (options_check(&s, err) < 0 ||
	    args_int(a, v, OPT_NP, 1, UINT32_MAX - 1, &s.ranks, err) < 0 ||
	    args_int(a, v, OPT_PPN, 1, 1 << 20, &s.ppn, err) < 0 ||
	    args_int(a, v, OPT_RUNS, 2, 1000000, &runs, err) < 0)
		return -1;
	if (machines_given(a) > 1)
		return predict_machines(&s, err);
	if (runs)
		return predict_runs(&s, runs, err);
	if (args_has(a, OPT_SEED))
		return err_set(
		    err, ERR_INPUT,
		    "%s: --seed goes with --runs; one run with noise: --cfg noise/seed:S", v->name);
	return predict_once(&s, err);
}
