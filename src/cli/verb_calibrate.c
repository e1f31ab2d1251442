/* verb_calibrate.c: `orrery calibrate`: measures a real machine, or takes measurements of one, and
 * writes what a simulation needs of it. */
#include "calibrate_kinds.h"
#include "outputs.h"

#include <string.h>

static const struct option_row calibrate_options[] = {
    {OPT_OUT, 'o', "output", "FILE", "where the result goes; default: standard output"},
    {OPT_REPORT, 0, "report", "FILE",
     "network, noise: an HTML page with the fits over the measurements"},
    {OPT_RAW, 0, "raw", "FILE", "network, noise: keep all measurements, as CSV"},
    {OPT_FROM, 0, "from", "FILE", "measurements to fit, instead of measuring; may be repeated"},
    {OPT_LARGEST, 0, "largest", "BYTES",
     "network: largest message measured, default: 2MiB; memory: largest array, default: 64MiB"},
    {OPT_TIME, 0, "time", "SECONDS",
     "network: at most that long for each pair of hosts, default: 60; noise, memory, processor: "
     "that long in all, default: 20, 3, 3"},
    {OPT_ONCE, 0, "once", "FILE",
     "processor, memory, noise: of several that a launcher starts only the one that makes FILE "
     "measures"},
    {OPT_JSON, 0, "json", NULL, "cpu, memory, noise: print one JSON object"},
    {OPT_CABINETS, 0, "cabinets", "CxN",
     "network: hosts in order are C cabinets of N, joined by links of their own; default: found by "
     "measuring"},
    {OPT_SAMPLES, 0, "samples", "N", "network: round trips measured; default: 500"},
    {OPT_MPICC, 0, "mpicc", "COMMAND",
     "network: compiles the measuring program; default: the mpicc that goes with mpirun"},
    {OPT_BANDWIDTH, 0, "bandwidth", "RATE",
     "network: nominal bandwidth of a host's link, to which factors are relative; default: as "
     "measured"},
    {OPT_SPEED, 0, "speed", "SPEED", "network: speed of a host, written as given; default: 1Gf"},
    {OPT_CORES, 0, "cores", "N",
     "network: cores of a host; default: 1, or, if all ranks are on one host, its processors"},
    {OPT_NAME, 0, "name", "NAME", "network: name of the platform; default: calibrated"},
    {OPT_SEED, 0, "seed", "N", "network: of the random sizes and their order; default: 1"},
    {OPT_WITH, 0, "with", "FILE",
     "network: settings, and lines of the header, that processor, memory or noise wrote, to be in "
     "the platform too; may be repeated"},
    {OPT_MODEL, 0, "model", "N",
     "kernel: 0 a constant, 1 mnk and a constant, 2 mnk, mn, mk, nk and a constant; default: 2"},
    {OPT_NOISE, 0, "noise", "N",
     "kernel: 0 none, 1 one deviation, 2 a polynomial like model 2; default: 2"},
    {OPT_BY, 0, "by", "COLUMN,...",
     "kernel: a model for each value of this column, such as node, or of several; default: one of "
     "all"},
    {OPT_SESSION, 0, "session", "COLUMN",
     "kernel: what was measured together has the same value in this column, such as a job or a "
     "day; default: a host's calls are one session"},
    {OPT_WITHOUT, 0, "without", "HOST,...",
     "kernel, network --from: leaves these hosts out; a warning names those that stand apart"},
    {OPT_CPUS, 0, "cpus", "LIST",
     "noise: processors to measure, all at once, such as 0-3,8; default: those of this process"},
    {OPT_QUANTUM, 0, "quantum", "TIME", "noise: of fixed work and of fixed time; default: 1ms"},
    {OPT_VOLUMES, 0, "volumes", "TRACE",
     "cpu: volumes come from this run of the same program, made where the trace to replay was "
     "made; once, or for each trace"},
    {OPT_WORKING_SETS, 0, "working-sets", "BYTES,...",
     "cpu: what a process worked on in each run; default: volumes tell the sizes apart"},
    {0, 0, NULL, NULL, NULL},
};
static const struct option_group calibrate_groups[] = {
    {OPT_OUT, "several kinds"}, {OPT_CABINETS, "network"}, {OPT_MODEL, "kernel"},
    {OPT_CPUS, "noise"},        {OPT_VOLUMES, "cpu"},      {0, NULL},
};

/* Which kinds of calibration an option is for: one that has no effect is refused. */
static const struct {
	int id;
	const char *kinds;
} option_kinds[] = {
    {OPT_OUT, "network cpu kernel processor memory noise, and all of a machine"},
    {OPT_REPORT, "network noise, and all of a machine"},
    {OPT_RAW, "network noise"},
    {OPT_FROM, "network kernel noise"},
    {OPT_CABINETS, "network, and all of a machine"},
    {OPT_LARGEST, "network memory, and all of a machine"},
    {OPT_SAMPLES, "network, and all of a machine"},
    {OPT_TIME, "network processor memory noise, and all of a machine"},
    {OPT_MPICC, "network, and all of a machine"},
    {OPT_SPEED, "network"},
    {OPT_CORES, "network, and all of a machine"},
    {OPT_BANDWIDTH, "network, and all of a machine"},
    {OPT_SEED, "network"},
    {OPT_NAME, "network, and all of a machine"},
    {OPT_MODEL, "kernel"},
    {OPT_NOISE, "kernel"},
    {OPT_BY, "kernel"},
    {OPT_SESSION, "kernel"},
    {OPT_WITHOUT, "network kernel"},
    {OPT_JSON, "cpu memory noise"},
    {OPT_CPUS, "noise"},
    {OPT_QUANTUM, "noise"},
    {OPT_VOLUMES, "cpu"},
    {OPT_WITH, "network"},
    {OPT_ONCE, "processor memory noise"},
    {OPT_WORKING_SETS, "cpu"},
};

/* What only measuring uses, of the kinds that can take measurements instead. */
static const struct {
	int id;
	const char *kinds;
} measuring[] = {
    {OPT_RAW, "network"},        {OPT_LARGEST, "network"}, {OPT_SAMPLES, "network"},
    {OPT_TIME, "network noise"}, {OPT_MPICC, "network"},   {OPT_SEED, "network"},
    {OPT_CPUS, "noise"},         {OPT_QUANTUM, "noise"},   {OPT_ONCE, "noise"},
};

static const char *option_name(int id)
{
	const struct option_row *o = calibrate_options;

	while (o->id != id)
		o++;
	return o->name;
}

static int measuring_refused(const struct args *a, const char *kind, struct err *err)
{
	if (a->n_rest > 0)
		return err_set(err, ERR_INPUT,
		               "calibrate %s: either '-- %s ...' to measure, or --from "
		               "measurements",
		               kind, a->rest[0]);
	for (size_t i = 0; i < sizeof measuring / sizeof *measuring; i++)
		if (args_has(a, measuring[i].id) && strstr(measuring[i].kinds, kind))
			return err_set(err, ERR_INPUT,
			               "calibrate %s: --%s is of measuring, and has no effect with "
			               "--from",
			               kind, option_name(measuring[i].id));
	return 0;
}

static int options_check(const struct args *a, const char *kind, struct err *err)
{
	for (int i = 0; i < a->n_given; i++)
		for (size_t k = 0; k < sizeof option_kinds / sizeof *option_kinds; k++)
			if (option_kinds[k].id == a->given[i].id &&
			    !strstr(option_kinds[k].kinds, kind))
				return err_set(err, ERR_INPUT,
				               "calibrate %s takes no --%s, which is for: %s", kind,
				               option_name(a->given[i].id), option_kinds[k].kinds);
	if (a->n_rest > 0 && !strstr("network, and all of a machine", kind))
		return err_set(err, ERR_INPUT, "calibrate %s starts no command: '%s' has no effect",
		               kind, a->rest[0]);
	return args_has(a, OPT_FROM) ? measuring_refused(a, kind, err) : 0;
}

static const int outputs[] = {OPT_OUT, OPT_REPORT, OPT_RAW, 0};

/* Found out now, not when all is measured. */
static int outputs_try(const struct args *a, struct err *err)
{
	for (const int *o = outputs; *o; o++)
		if (args_has(a, *o) && output_try(args_get(a, *o), err) < 0)
			return -1;
	return 0;
}

/* A word that is no kind, or a kind with a word behind it (of cpu: traces). */
static int kind_check(const struct args *a, struct err *err)
{
	static const char *const kinds[] = {"network",   "cpu",    "kernel",
	                                    "processor", "memory", "noise"};
	const char *kind = a->positional[0];
	struct nearest near;

	nearest_init(&near, kind);
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		nearest_offer(&near, kinds[i]);
		if (strcmp(kind, kinds[i]) != 0)
			continue;
		return a->n_positional == 1 || !strcmp(kind, "cpu")
		           ? 0
		           : err_set(err, ERR_INPUT, "calibrate %s: '%s' is one word too many",
		                     kind, a->positional[1]);
	}
	return err_set(err, ERR_INPUT,
	               "calibrate: '%s' is none of network, cpu, kernel, processor, memory, noise "
	               "(all of a machine: no such word)%s%s%s See 'orrery help calibrate'.",
	               kind, near.best ? "; did you mean " : ".", near.best ? near.best : "",
	               near.best ? "?" : "");
}

static int calibrate_run(const struct args *a, struct err *err)
{
	const char *kind = a->n_positional > 0 ? a->positional[0] : "all of a machine";
	int is_first;

	if ((a->n_positional > 0 && kind_check(a, err) < 0) || options_check(a, kind, err) < 0 ||
	    outputs_try(a, err) < 0 || calibrate_once(a, &is_first, err) < 0)
		return -1;
	if (!is_first)
		return 0;
	if (a->n_positional == 0)
		return calibrate_all(a, err);
	if (!strcmp(kind, "network"))
		return calibrate_network(a, err);
	if (!strcmp(kind, "cpu"))
		return calibrate_cpu(a, err);
	if (!strcmp(kind, "kernel"))
		return calibrate_kernel(a, err);
	if (!strcmp(kind, "noise"))
		return calibrate_noise(a, err);
	return !strcmp(kind, "memory") ? calibrate_memory(a, err) : calibrate_processor(a, err);
}

static void calibrate_words(struct str *out)
{
	str_puts(out, "network cpu kernel processor memory noise ");
}

static const int repeats[] = {OPT_FROM, OPT_WITH, OPT_VOLUMES, 0};

const struct verb verb_calibrate = {
    .name = "calibrate",
    .synopsis = "-o MACHINE -- MPIRUN... | network -- MPIRUN... | network --from FILE | cpu "
                "TRACE... | kernel --from FILE | processor | memory | noise",
    .summary = "measures a real machine and writes a platform; fits models of computations",
    .text = "Without a kind: measures the network, then on one of its hosts processors, memory "
            "and noise; writes one platform (-o) and one page (--report; default: beside it). "
            "Given again after an interruption, it goes on with what is missing. "
            "docs/calibration.md tells more of each kind:\n"
            "\n"
            "network    compiles a small measuring program with mpicc, runs it as 'MPIRUN... "
            "program' on two or more hosts, which must see the current folder, and fits "
            "overheads, latencies and bandwidths by message size, protocol thresholds, noise, "
            "and contention. -o writes a platform. Warns where the measurements contradict the "
            "model. If all ranks are on one host, the platform is that host.\n"
            "cpu        rates of computation by region of the program, by host and by size, "
            "from traces of small runs, repeated. -o writes a file for 'orrery replay --rates "
            "FILE'.\n"
            "kernel     the duration of a kernel of three sizes (dgemm) as a polynomial, by "
            "least squares, from a CSV file with columns m, n, k, duration.\n"
            "processor  rates of a core with all processors at work: flops, and instructions "
            "where they are counted. -o writes lines for the header of a platform.\n"
            "memory     how fast a core of this computer copies memory and combines arrays, by "
            "size. -o writes settings for --cfg @FILE: smpi/copy-rate, smpi/reduce-rate.\n"
            "noise      operating-system noise of this computer, by fixed work and fixed time "
            "on its processors: rates and lengths of detours, periodic ones, slow changes. -o "
            "writes settings for 'orrery replay --runs 40 --cfg @FILE'.",
    .options = calibrate_options,
    .groups = calibrate_groups,
    .outputs = outputs,
    .repeats = repeats,
    .run = calibrate_run,
    .words = calibrate_words,
    .command = 1,
};
