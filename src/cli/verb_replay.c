/* verb_replay.c: `orrery replay`: predicts from a trace. */
#include "launch/player.h"
#include "prediction.h"
#include "trace/trace.h"
#include "verbs.h"

#include <string.h>

enum { OPT_COMPUTATION = OPT_OWN, OPT_ON, OPT_ON_COMPUTATION, OPT_RATE };

/* clang-format off */
static const struct option_row replay_options_table[] = {
    {OPT_NP, 'n', "np", "N",
     "how many ranks the trace must have, as a check: its number cannot be changed"},
    PREDICTION_MACHINE,
    PREDICTION_MODEL,
    {OPT_COMPUTATION, 0, "computation", "KIND",
     "auto (volumes by their unit and the machine's, default), volume (at the machine's speed, "
     "whatever they count), recorded (measured durations), none"},
    {OPT_CPU_RATIO, 0, "cpu-ratio", "R",
     "a core of the machine is R times as fast as where it was traced (setting "
     "computation/cpu-ratio); default: by the two processors, where both are known"},
    {OPT_RATES, 0, "rates", "FILE",
     "calibrated rates of computation by region, of 'orrery calibrate cpu' (setting "
     "computation/rates)"},
    PREDICTION_OUTPUT,
    {OPT_ON, 0, "on", "LAUNCHER",
     "re-issue the calls on a real MPI, with dummy payloads, and tell the real time: "
     "mpirun.mpich, 'mpirun --hostfile f'"},
    {OPT_ON_COMPUTATION, 0, "on-computation", "HOW", "with --on: spin (default), sleep, or none"},
    {OPT_RATE, 0, "rate", "R",
     "with --on: volumes computed per second, where the trace has neither durations nor a rate"},
    {0, 0, NULL, NULL, NULL},
};
/* clang-format on */

static const struct option_group replay_groups[] = {
    {OPT_NP, "ranks and machine"}, {OPT_MODEL, "model"},       {OPT_COMPUTATION, "computation"},
    {OPT_JSON, "answer"},          {OPT_ON, "a real machine"}, {0, NULL},
};

/* On a real MPI. Its exit code is ours. */
static int on_run(const struct args *a, struct err *err)
{
	const char *how = args_get(a, OPT_ON_COMPUTATION), *rate = args_get(a, OPT_RATE);
	struct launch_player p = {.trace = a->positional[0],
	                          .launcher = args_get(a, OPT_ON),
	                          .computation = how ? how : "spin"};
	struct trace *t;
	int code;

	for (int i = 0; i < a->n_given; i++)
		if (a->given[i].id != OPT_ON && a->given[i].id != OPT_ON_COMPUTATION &&
		    a->given[i].id != OPT_RATE)
			return err_set(err, ERR_INPUT,
			               "replay: --on measures a real machine: of the other options "
			               "only --on-computation, --rate and --quiet go with it");
	if (strcmp(p.computation, "spin") != 0 && strcmp(p.computation, "sleep") != 0 &&
	    strcmp(p.computation, "none") != 0)
		return err_set(err, ERR_INPUT,
		               "replay: --on-computation is spin, sleep or none, not '%s'", how);
	if (rate && (num_parse_double(rate, strlen(rate), &p.rate) < 0 || !(p.rate > 0)))
		return err_set(err, ERR_INPUT, "replay: --rate is a number above 0, not '%s'",
		               rate);
	t = trace_open(p.trace, 0, err);
	if (!t)
		return -1;
	p.ranks = trace_ranks(t);
	trace_close(t);
	code = launch_player_run(&p, err);
	return code > 0 ? err_set(err, ERR_PROGRAM, "%s ended with exit code %d", p.launcher, code)
	                : code;
}

static int replay_run(const struct args *a, struct err *err)
{
	const char *kind = args_get(a, OPT_COMPUTATION);
	struct sim_replay replay = {0};
	struct sim_source source = sim_replay_source(&replay);

	if (a->n_positional != 1)
		return err_set(err, ERR_INPUT,
		               "replay: one trace is wanted, %d given%s. See 'orrery help replay'.",
		               a->n_positional,
		               a->n_positional == 2 && !args_has(a, OPT_PLATFORM)
		                   ? "; the machine goes behind -p"
		                   : "");
	if (args_has(a, OPT_ON))
		return on_run(a, err);
	if (kind && sim_computation_find(&replay, kind) < 0)
		return err_set(err, ERR_INPUT,
		               "replay: --computation is auto, volume, recorded or none, not '%s'",
		               kind);
	replay.path = a->positional[0];
	return prediction_run(a, &verb_replay, &source, err);
}

static const int outputs[] = {OPT_CSV, OPT_RECORD, 0};
static const int repeats[] = {OPT_PLATFORM, OPT_CFG, 0};
static const struct option_rule rules[] = {
    {OPT_ON_COMPUTATION, {OPT_ON}, {0}},
    {OPT_RATE, {OPT_ON}, {0}},
    {OPT_RANKS, {OPT_PROFILE, OPT_JSON}, {0}},
    {0, {0}, {0}},
};

const struct verb verb_replay = {
    .name = "replay",
    .synopsis = "TRACE -p MACHINE | --on LAUNCHER [options]",
    .summary = "predicts the time of a traced program on a machine",
    .text = "TRACE is a folder written by 'orrery trace', a trace of another tool "
            "(docs/foreign-traces.md), or a SimGrid time-independent trace (list file, merged "
            "file or one rank's file, of any version); its format is recognised from its "
            "content. The last line on the standard output is 'simulated time: SECONDS s'.\n"
            "\n"
            "With --runs that time is the mean of the runs, and 95 % of them lie in the "
            "interval that is printed. It holds the noise of messages, of the operating system "
            "and of rates as far as settings (noise/...) and --rates give it, and the model's "
            "error on other programs; it does not hold another day, input or MPI library, nor "
            "what was not calibrated (docs/calibration.md, 'What an interval holds').\n"
            "\n"
            "SimGrid 3.32's own times, faults included: --cfg compat:simgrid-3.32. Without it "
            "they differ where docs/compat.md says why, and by how much; 'orrery platform check "
            "MACHINE' tells what of it concerns a machine.",
    .options = replay_options_table,
    .groups = replay_groups,
    .repeats = repeats,
    .rules = rules,
    .outputs = outputs,
    .run = replay_run,
};
