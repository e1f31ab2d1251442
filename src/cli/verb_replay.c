/* verb_replay.c: `orrery replay`: predicts from a trace. */
#include "prediction.h"
#include "verbs.h"

enum { OPT_COMPUTATION = OPT_OWN };

/* clang-format off */
static const struct option_row replay_options_table[] = {
    PREDICTION_MACHINE,
    {OPT_NP, 'n', "np", "N", "number of ranks; default: all of the trace"},
    PREDICTION_MODEL,
    {OPT_COMPUTATION, 0, "computation", "KIND",
     "auto (volumes by their unit and the machine's, default), volume (at the machine's speed, whatever they count), recorded "
     "(measured durations), none"},
    {OPT_CPU_RATIO, 0, "cpu-ratio", "R",
     "a core of the machine is R times as fast as where it was traced (setting computation/cpu-ratio)"},
    {OPT_RATES, 0, "rates", "FILE",
     "calibrated rates of computation by region, of 'orrery calibrate cpu' (setting computation/rates)"},
    PREDICTION_OUTPUT,
    {0, 0, NULL, NULL, NULL},
};
/* clang-format on */

static int replay_run(const struct args *a, struct err *err)
{
	const char *kind = args_get(a, OPT_COMPUTATION);
	struct sim_replay replay = {0};
	struct sim_source source = sim_replay_source(&replay);

	if (a->n_positional != 1)
		return err_set(err, ERR_INPUT,
		               "replay: one trace is wanted, %d given. See 'orrery help replay'.",
		               a->n_positional);
	if (kind && sim_computation_find(&replay, kind) < 0)
		return err_set(err, ERR_INPUT,
		               "replay: --computation is auto, volume, recorded or none, not '%s'",
		               kind);
	replay.path = a->positional[0];
	return prediction_run(a, &verb_replay, &source, err);
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
