/* prediction.c: options to a simulation, one run of it or many. */
#include "prediction.h"

#include "outputs.h"

#include "study/repeat.h"
#include "study/study.h"

#include <stdlib.h>
#include <string.h>

struct session {
	const struct args *args;
	const struct verb *verb;
	const struct sim_source *source;
	struct sim_options options;
	struct sim_setting *settings;
};

/* --- options --- */

/* --cfg in the order given, then what has an option of its own. */
static uint32_t settings_take(const struct args *a, struct sim_setting *out)
{
	static const struct {
		int option;
		const char *name;
	} own[] = {{OPT_CPU_RATIO, "computation/cpu-ratio"},
	           {OPT_RATES, "computation/rates"},
	           {OPT_MODEL, "network/model"},
	           {OPT_SELECTOR, "smpi/coll-selector"}};
	uint32_t n = 0;

	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id == OPT_CFG)
			out[n++] = (struct sim_setting){NULL, a->given[i].value};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (args_get(a, own[i].option))
			out[n++] = (struct sim_setting){own[i].name, args_get(a, own[i].option)};
	return n;
}

enum { SETTINGS_OWN = 4 };

/* What it is of in the text without --profile, and in JSON, sim_shares knows. */
static enum sim_profile profile_wanted(const struct args *a)
{
	static const int whole[] = {OPT_PROFILE, OPT_RANKS, OPT_CSV};

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (args_has(a, whole[i]))
			return SIM_PROFILE_WHOLE;
	return SIM_PROFILE_SHARES;
}

static int options_take(struct session *s, struct err *err)
{
	const struct args *a = s->args;
	const char *map = args_get(a, OPT_MAP_BY);
	int64_t ranks = 0, ppn = 0;

	if (args_int(a, s->verb, OPT_NP, 1, INT32_MAX, &ranks, err) < 0 ||
	    args_int(a, s->verb, OPT_PPN, 1, 1 << 20, &ppn, err) < 0)
		return -1;
	s->settings = malloc(((size_t)a->n_given + SETTINGS_OWN) * sizeof *s->settings);
	if (!s->settings)
		return err_nomem(err, "settings", (size_t)a->n_given * sizeof *s->settings);
	s->options = (struct sim_options){.machine = args_get(a, OPT_PLATFORM),
	                                  .setting = s->settings,
	                                  .n_settings = settings_take(a, s->settings),
	                                  .ranks = (uint32_t)ranks,
	                                  .hostfile = args_get(a, OPT_HOSTFILE),
	                                  .oversubscribe = (uint8_t)args_has(a, OPT_OVERSUBSCRIBE),
	                                  .map = map ? sim_map_find(map) : SIM_MAP_DEFAULT,
	                                  .ppn = (uint32_t)ppn,
	                                  .what_if = args_get(a, OPT_WHAT_IF),
	                                  .profile = profile_wanted(a),
	                                  .record = args_get(a, OPT_RECORD),
	                                  .explain = args_get(a, OPT_EXPLAIN)};
	return 0;
}

static int options_check(const struct session *s, struct err *err)
{
	if (!args_get(s->args, OPT_PLATFORM))
		return err_set(err, ERR_INPUT,
		               "%s: on which machine? Give -p FILE or -p NAME; 'orrery platform "
		               "list' has the names.",
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

/* failure: NULL, or why the program did not run to its end. */
static int csv_write(const struct args *a, const struct sim *sim, const struct err *failure,
                     struct err *err)
{
	const char *csv = args_get(a, OPT_CSV);
	struct str table;
	int r;

	if (!csv || !profile_is_whole(sim_profile(sim)))
		return 0; /* sim_lost says why */
	str_init(&table);
	profile_csv(sim_profile(sim), &table);
	if (failure)
		profile_csv_failure(sim_profile(sim), failure->text, &table);
	r = print_file(csv, &table, err);
	str_release(&table);
	return r;
}

static int print_result(const struct args *a, const struct sim *sim, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	if (args_has(a, OPT_JSON))
		prediction_json(a, sim, NULL, &out);
	else
		prediction_text(a, sim, &out);
	r = csv_write(a, sim, NULL, err);
	if (print_stdout(&out, err) < 0)
		r = -1;
	str_release(&out);
	if (r == 0 && sim_lost(sim)->kind) {
		*err = *sim_lost(sim);
		r = -1;
	}
	return r;
}

/* A table of what a program did before it failed does not take the place of another: 1: there is
 * one; 0; -1. */
static int csv_old(const struct args *a, struct err *err)
{
	const char *csv = args_get(a, OPT_CSV);

	return csv && strcmp(csv, "-") != 0 ? there_is_file(csv, err) : 0;
}

/* What is known of a program that failed: what it had done until then. The failure is told after
 * this, as the error of the verb; what cannot be written is added to it. */
static int print_failed(const struct args *a, const struct sim *sim, struct err *failure)
{
	struct err unwritten;
	struct str out;
	int r = 0;

	if (failure->kind != ERR_PROGRAM || !sim_begun(sim) || sim_lost(sim)->kind)
		return -1;
	str_init(&out);
	if (args_has(a, OPT_JSON)) {
		prediction_json(a, sim, failure, &out);
		r = print_stdout(&out, &unwritten);
	}
	str_release(&out);
	if (r == 0)
		r = csv_old(a, &unwritten);
	if (r > 0)
		err_append(failure, "\n%s was there before, and is as it was",
		           args_get(a, OPT_CSV));
	else if (r < 0 || csv_write(a, sim, failure, &unwritten) < 0)
		err_append(failure, "\n%s", unwritten.text);
	return -1;
}

/* Before the run, not after an hour. */
static int outputs_try(const struct session *s, const struct sim *sim, struct err *err)
{
	const char *csv = args_get(s->args, OPT_CSV);

	if (outputs_check_machine(s->verb, s->args, sim_config(sim), sim_platform(sim), err) < 0)
		return -1;
	return csv ? output_try(csv, err) : 0;
}

/* Who has -o run.html waits for a page: a browser shows a recording as letters at random. */
static void record_tell(const struct args *a)
{
	const char *record = args_get(a, OPT_RECORD);
	const struct exporter *e = record ? exporter_of_file(record) : NULL;
	struct str said;

	if (!e)
		return;
	str_init(&said);
	str_printf(&said,
	           "%s is to be a recording, not %s: 'orrery export %s -f %s -o FILE' makes that "
	           "of it",
	           record, e->name, record, e->name);
	print_notices(a, &said);
	str_release(&said);
}

static int predict_once(struct session *s, struct err *err)
{
	struct progress_bar bar;
	struct sim *sim;
	int r = -1;

	progress_bar_init(&bar, s->args);
	s->options.progress = &bar.p;
	sim = sim_new(&s->options, s->source, err);
	if (sim && outputs_try(s, sim, err) == 0) {
		record_tell(s->args);
		r = sim_run(sim, err);
		progress_bar_done(&bar);
		print_notice(s->args, sim_notices(sim));
		if (s->args->quiet && s->source->checks)
			print_finding(sim_findings(sim));
		r = r == 0 ? print_result(s->args, sim, err) : print_failed(s->args, sim, err);
	}
	sim_free(sim);
	return r;
}

/* --- many runs --- */

static void notices_tell(void *self, const char *notices)
{
	print_notice(self, notices);
}

static void run_describe(void *self, const struct sim *sim, struct str *about)
{
	prediction_head(self, sim, about);
}

static struct repeat repeat_of(struct session *s)
{
	return (struct repeat){.who = s->verb->name,
	                       .options = &s->options,
	                       .source = s->source,
	                       .tell = notices_tell,
	                       .self = (void *)(uintptr_t)s->args};
}

static int alone_check(const struct args *a, const int *alone, size_t n, const char *who,
                       const char *why, struct err *err)
{
	for (size_t i = 0; i < n; i++)
		if (args_has(a, alone[i]))
			return err_set(err, ERR_INPUT, "%s: %s", who, why);
	return 0;
}

/* Beside the interval of the runs stands that of 'in all', which is another one. */
static void intervals_tell(const struct sim_trust *of, struct str *out)
{
	if (of->empty)
		return;
	str_puts(out, of->drawn
	                  ? "  drawn in them: noise, and how far off the prediction may be; rare "
	                    "draws go far. 'In all' is of the latter alone, without noise\n"
	                  : "  drawn in them: noise alone (noise/model:no). 'In all' is how far "
	                    "off the prediction may be besides\n");
}

/* The members of two JSON objects in one; of the first, without them. */
static void json_join(const struct str *first, const struct str *second, struct str *out)
{
	int both = *str_of(out, first) != '\0';

	if (both) {
		str_putn(out, first->s, first->n - 1);
		str_putc(out, ',');
	}
	str_puts(out, str_of(out, second) + both);
}

static int print_spread(const struct args *a, double *end, int runs, uint64_t seed,
                        const struct str *about, const struct sim_trust *of, struct err *err)
{
	struct str out, spread, trust;
	struct json j;
	int r;

	str_init(&out);
	str_init(&spread);
	str_init(&trust);
	if (args_has(a, OPT_JSON)) {
		json_init(&j, &trust);
		trust_json(of, &j);
		spread_json(end, runs, seed, trust.s, &spread);
		json_join(about, &spread, &out);
	} else {
		intervals_tell(of, &trust);
		trust_text(of, &trust);
		str_puts(&out, str_of(&out, about));
		spread_text(end, runs, seed, trust.s, &out);
	}
	out.failed |= trust.failed;
	str_release(&spread);
	str_release(&trust);
	r = print_stdout(&out, err);
	str_release(&out);
	return r;
}

static int predict_runs(struct session *s, int64_t runs, struct err *err)
{
	static const int alone[] = {OPT_PROFILE, OPT_RANKS, OPT_CSV, OPT_RECORD, OPT_EXPLAIN};
	struct repeat repeat = repeat_of(s);
	struct sim_trust trust;
	struct str about;
	int64_t seed = 1;
	double *end;
	int r;

	if (alone_check(s->args, alone, sizeof alone / sizeof *alone, s->verb->name,
	                "profile, recording and explanation are those of one run: without --runs; "
	                "with noise: --cfg noise/seed:1",
	                err) < 0 ||
	    args_int(s->args, s->verb, OPT_SEED, 1, ((int64_t)1 << 53) - runs, &seed, err) <
	        0) /* the last one is noise/seed, too */
		return -1;
	end = malloc((size_t)runs * sizeof *end);
	if (!end)
		return err_nomem(err, "runs", (unsigned long long)runs * sizeof *end);
	str_init(&about);
	repeat.describe = run_describe;
	repeat.about = &about;
	r = repeat_seeds(&repeat, (int)runs, (uint64_t)seed, end, &trust, err);
	if (r == 0)
		r = print_spread(s->args, end, (int)runs, (uint64_t)seed, &about, &trust, err);
	str_release(&about);
	free(end);
	return r;
}

/* --- several machines --- */

struct table { /* of machines: lines, or an array */
	const struct args *args;
	struct str out, with_io; /* lines without and with a column of I/O */
	struct json j;
	int io;  /* some machine spends time on files */
	int cut; /* the trace ends before the program did */
};

static void head_text(int io, struct str *out)
{
	str_printf(out, "%-20s %16s %7s %12s %11s %9s %11s ", "machine", "simulated time s",
	           "ratio", "about %", "computation", "p2p %", "collective");
	if (io)
		str_printf(out, "%6s ", "I/O");
	str_printf(out, "%8s\n", "waiting");
}

static void row_text(const struct repeat_result *res, int io, struct str *out)
{
	const double *share = res->shares.share;
	char about[32];

	snprintf(about, sizeof about, "-%.0f to +%.0f", 100 * res->reach.below,
	         100 * res->reach.above);
	str_printf(out, "%-20s %16.9f %7.2f %12s %11.1f %9.1f %11.1f ",
	           platform_name(sim_platform(res->sim)), res->end, res->ratio, about,
	           100 * share[TIME_COMPUTE], 100 * share[TIME_P2P], 100 * share[TIME_COLL]);
	if (io)
		str_printf(out, "%6.1f ", 100 * share[TIME_IO]);
	str_printf(out, "%8.1f\n", 100 * share[TIME_WAIT]);
}

static int row_add(void *self, const struct repeat_result *res, struct err *err)
{
	struct table *t = self;
	struct str one;

	(void)err;
	t->cut |= res->cut;
	if (!args_has(t->args, OPT_JSON)) {
		t->io |= res->shares.share[TIME_IO] > 0;
		row_text(res, 0, &t->out);
		row_text(res, 1, &t->with_io);
		return 0;
	}
	str_init(&one);
	prediction_json(t->args, res->sim, NULL, &one);
	json_raw(&t->j, one.s ? one.s : "null");
	t->out.failed |= one.failed;
	str_release(&one);
	return 0;
}

static void table_begin(struct table *t)
{
	str_init(&t->out);
	str_init(&t->with_io);
	json_init(&t->j, &t->out);
	if (args_has(t->args, OPT_JSON)) {
		json_array(&t->j);
		return;
	}
	head_text(0, &t->out);
	head_text(1, &t->with_io);
}

static int table_print(struct table *t, struct err *err)
{
	struct str *text = t->io ? &t->with_io : &t->out;

	if (args_has(t->args, OPT_WHAT_IF) && !args_has(t->args, OPT_JSON))
		str_printf(text, "what if, on each machine: %s\n", args_get(t->args, OPT_WHAT_IF));
	if (args_has(t->args, OPT_JSON)) {
		json_end(&t->j);
		str_putc(&t->out, '\n');
	} else if (t->cut) {
		str_puts(text, "trust: of what was recorded only: the whole program takes longer, "
		               "by an unknown amount\n");
	}
	return print_stdout(text, err);
}

/* One table, or an array of what one machine gives. The first machine is 1. */
static int predict_machines(struct session *s, const char *const *machine, int n, struct err *err)
{
	static const int alone[] = {OPT_PROFILE, OPT_CSV, OPT_RECORD, OPT_EXPLAIN, OPT_RUNS};
	struct repeat repeat = repeat_of(s);
	struct table t = {.args = s->args};
	int r;

	if (alone_check(s->args, alone, sizeof alone / sizeof *alone, s->verb->name,
	                "several machines are compared by their times only: one -p for profile, "
	                "recording, explanation or runs",
	                err) < 0)
		return -1;
	table_begin(&t);
	r = repeat_machines(&repeat, machine, n, row_add, &t, err);
	if (r == 0)
		r = table_print(&t, err);
	str_release(&t.out);
	str_release(&t.with_io);
	return r;
}

static int predict(struct session *s, struct err *err)
{
	const struct args *a = s->args;
	const char **machine;
	int64_t runs = 0;
	int n = 0, r;

	if (args_int(a, s->verb, OPT_RUNS, 2, 1000000, &runs, err) < 0)
		return -1;
	if (!runs && args_has(a, OPT_SEED))
		return err_set(
		    err, ERR_INPUT,
		    "%s: --seed goes with --runs; one run with noise: --cfg noise/seed:S",
		    s->verb->name);
	machine = args_all(a, OPT_PLATFORM, &n, err);
	if (!machine)
		return -1;
	if (n > 1)
		r = predict_machines(s, machine, n, err);
	else if (runs)
		r = predict_runs(s, runs, err);
	else
		r = predict_once(s, err);
	free(machine);
	return r;
}

int prediction_run(const struct args *a, const struct verb *v, const struct sim_source *source,
                   struct err *err)
{
	struct session s = {.args = a, .verb = v, .source = source};
	int r = -1;

	if (options_check(&s, err) == 0 && options_take(&s, err) == 0)
		r = predict(&s, err);
	free(s.settings);
	return r;
}
