/* verb_run.c: `orrery run`: simulates a running MPI program. */
#include "base/entries.h"
#include "finishing.h"
#include "launch/launch.h"
#include "outputs.h"
#include "prediction.h"
#include "run/run.h"
#include "verbs.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	OPT_COMPUTATION = OPT_OWN,
	OPT_UNIVERSE,
	OPT_THREADS,
	OPT_CHECKS,
	OPT_HOST_SPEED,
	OPT_JOBS,
	OPT_KERNEL,
	OPT_FOLD,
	OPT_TRACE,
	OPT_SITES,
	OPT_FORCE,
	OPT_MPI,
	OPT_HOLD,
	OPT_HUGE,
	OPT_STACK,
	OPT_SLOTS,
	OPT_OUTPUT,
	OPT_WRAP
};

/* clang-format off */
static const struct option_row run_options_table[] = {
    {OPT_NP, 'n', "np", "N", "number of ranks; default: 1"},
    PREDICTION_MACHINE,
    PREDICTION_MODEL,
    {OPT_COMPUTATION, 0, "computation", "HOW",
     "what is between two calls of MPI takes: measured (processor time of the rank, default), "
     "none, or what FILE gives for each region (docs/run.md)"},
    {OPT_RATES, 0, "rates", "FILE",
     "calibrated rates of what is measured, by region, of 'orrery calibrate cpu' (setting "
     "computation/rates)"},
    {OPT_HOST_SPEED, 0, "host-speed", "V",
     "a core of this computer does V (flop, instructions) a second; default: by the two "
     "processors, where both are known"},
    {OPT_CPU_RATIO, 0, "cpu-ratio", "R",
     "a core of the machine is R times as fast as one here (setting computation/cpu-ratio); "
     "default: by the two processors, where both are known"},
    {OPT_KERNEL, 0, "kernel", "NAME=FILE",
     "a function is not run but takes what a model of 'orrery calibrate kernel' says (or a "
     "time): dgemm_=FILE, 'fft(1,2)=FILE'; may be repeated (docs/run.md)"},
    {OPT_FOLD, 0, "fold-memory", "SIZE",
     "allocations of the program from this size on share one block each: values in them do not "
     "matter; FUNCTION=SIZE: those that this function makes; may be repeated"},
    {OPT_HUGE, 0, "huge-pages", NULL,
     "with --fold-memory: the blocks are huge pages, which have to be reserved (sysctl "
     "vm.nr_hugepages)"},
    {OPT_THREADS, 0, "threads", "HOW",
     "what the threads of a rank compute takes: longest (as the one that was busy longest; "
     "default), caller (as the one that calls MPI), or N (all of it shared by N cores)"},
    {OPT_MPI, 0, "mpi", "NAME",
     "of a script: the MPI library that it will load, openmpi (default) or mpich"},
    {OPT_UNIVERSE, 0, "universe", "N",
     "ranks that may be there at once, spawned ones included; default: 64 more than at first if "
     "the program's file names MPI_Comm_spawn"},
    {OPT_JOBS, 'j', "jobs", "N",
     "ranks that may run at once; default: 1 if computation is measured, else all"},
    {OPT_HOLD, 0, "hold", "AS",
     "ranks are processes (default), or coroutines of the simulator: far more fit in memory, "
     "and calls take less time"},
    {OPT_STACK, 0, "stack-size", "SIZE", "stack of a rank that is a coroutine; default: 8 MiB"},
    {OPT_SLOTS, 0, "slots", "N",
     "with --hold coroutines: so many have a place in memory of their own, the others take "
     "turns; default: as many as can be"},
    {OPT_OUTPUT, 0, "rank-output", "HOW",
     "prefix: each line that a rank writes begins with its number; else a folder, with a file "
     "for each rank and stream"},
    {OPT_WRAP, 0, "wrap", "RANKS:COMMAND",
     "these ranks are started by COMMAND: '3:gdb', '0,4-7:valgrind "
     "--leak-check=no'; may be repeated"},
    PREDICTION_OUTPUT,
    {OPT_CHECKS, 0, "checks", NULL,
     "the program's mistakes are reported at the call, with the lines of those who called (calls "
     "and types that do not fit, what is never received), and at the end what was never freed; "
     "only with it: buffers that change while they are in use, one-sided operations on the same "
     "bytes, threads that call and may not, windows freed too early; with -q too "
     "(docs/checks.md)"},
    {OPT_TRACE, 't', "trace", "DIR",
     "write the trace of the run, for 'orrery replay', to this folder"},
    {OPT_SITES, 0, "sites", "N",
     "with --trace: frames of a call site, as in 'orrery trace'; default 1"},
    {OPT_FORCE, 'f', "force", NULL, "with --trace: overwrites a trace that is in DIR"},
    {0, 0, NULL, NULL, NULL},
};
/* clang-format on */

static const struct option_group run_groups[] = {
    {OPT_NP, "ranks and machine"},
    {OPT_MODEL, "model"},
    {OPT_COMPUTATION, "what the program computes, and its memory"},
    {OPT_MPI, "its processes"},
    {OPT_JSON, "answer"},
    {OPT_CHECKS, "checks and trace"},
    {0, NULL},
};

struct options { /* what the plan's lists are in */
	struct run_plan plan;
	const char **wrap, **kernel, **fold;
};

static int family_take(struct run_plan *p, const struct args *a, struct err *err)
{
	const char *name = args_get(a, OPT_MPI);

	p->family = MPI_OPENMPI; /* unless the program says otherwise */
	p->family_told = name != NULL;
	if (name && strcmp(name, "mpich") == 0)
		p->family = MPI_MPICH;
	else if (name && strcmp(name, "openmpi") != 0)
		return err_set(err, ERR_INPUT, "run: --mpi is openmpi or mpich, not '%s'", name);
	return 0;
}

/* A size of at least `least` bytes, where the option is given. */
static int size_take(const struct args *a, int id, const char *name, const char *least_text,
                     double least, uint64_t *out, struct err *err)
{
	const char *text = args_get(a, id);
	double bytes;

	if (!text)
		return 0;
	if (units_parse(text, UNIT_SIZE, &bytes, err) < 0)
		return -1;
	if (!(bytes >= least && bytes <= 1e15))
		return err_set(err, ERR_INPUT, "run: --%s is at least %s, not '%s'", name,
		               least_text, text);
	*out = (uint64_t)bytes;
	return 0;
}

/* What only processes, or only coroutines, can do. */
static int holding_check(const struct run_plan *p, const struct args *a, struct err *err)
{
	static const struct {
		int id;
		const char *name;
	} others[] = {{OPT_WRAP, "wrap"}, {OPT_JOBS, "jobs"}};

	for (size_t i = 0; p->holding && i < sizeof others / sizeof *others; i++)
		if (args_has(a, others[i].id))
			return err_set(err, ERR_INPUT, "run: --%s is for --hold processes",
			               others[i].name);
	if (args_has(a, OPT_SLOTS) && !p->holding)
		return err_set(err, ERR_INPUT, "run: --slots is for --hold coroutines");
	if (args_has(a, OPT_STACK) && !p->holding)
		return err_set(
		    err, ERR_INPUT,
		    "run: --stack-size is for --hold coroutines; processes have that of ulimit -s");
	return 0;
}

/* How ranks are held. */
static int holding_take(struct run_plan *p, const struct args *a, struct err *err)
{
	const char *kind = args_get(a, OPT_HOLD);
	int64_t slots = 0;

	if (kind && strcmp(kind, "coroutines") == 0)
		p->holding = LIVE_COROUTINES;
	else if (kind && strcmp(kind, "processes") != 0)
		return err_set(err, ERR_INPUT, "run: --hold is processes or coroutines, not '%s'",
		               kind);
	if (holding_check(p, a, err) < 0 ||
	    args_int(a, &verb_run, OPT_SLOTS, 0, UINT32_MAX, &slots, err) < 0)
		return -1;
	p->slots = (uint32_t)slots;
	return size_take(a, OPT_STACK, "stack-size", "16 KiB", 16384, &p->stack, err);
}

static int lists_take(struct options *o, const struct args *a, struct err *err)
{
	struct run_plan *p = &o->plan;
	int wraps, kernels, folds;

	p->wrap = o->wrap = args_all(a, OPT_WRAP, &wraps, err);
	p->kernel = o->kernel = o->wrap ? args_all(a, OPT_KERNEL, &kernels, err) : NULL;
	p->fold = o->fold = o->kernel ? args_all(a, OPT_FOLD, &folds, err) : NULL;
	if (!p->fold)
		return -1;
	p->n_folds = (uint32_t)folds;
	p->n_wrap = (uint32_t)wraps;
	p->n_kernels = (uint32_t)kernels;
	for (uint32_t i = 0; i < p->n_wrap; i++)
		if (live_wrap_check(p->wrap[i]) < 0)
			return err_set(err, ERR_INPUT,
			               "run: --wrap is RANKS:COMMAND ('3:gdb'), not '%s'",
			               p->wrap[i]);
	return 0;
}

static int threads_take(struct run_plan *p, const struct args *a, struct err *err)
{
	const char *how = args_get(a, OPT_THREADS);
	int64_t cores = 0;

	if (!how || strcmp(how, "longest") == 0)
		return 0;
	p->thread_cores = -1;
	if (strcmp(how, "caller") == 0)
		return 0;
	if (args_int(a, &verb_run, OPT_THREADS, 1, 1 << 20, &cores, err) < 0)
		return -1;
	p->thread_cores = (double)cores;
	return 0;
}

static int counts_take(struct run_plan *p, const struct args *a, struct err *err)
{
	int64_t jobs = 0, universe = 0;

	if (args_int(a, &verb_run, OPT_JOBS, 1, UINT32_MAX - 1, &jobs, err) < 0 ||
	    args_int(a, &verb_run, OPT_UNIVERSE, 1, 1 << 20, &universe, err) < 0)
		return -1;
	p->jobs = (uint32_t)jobs;
	p->universe = (uint32_t)universe;
	return 0;
}

/* Files of an earlier run are written over; one that this run reads is not. */
static int rank_output_check(const struct args *a, const char *folder, struct err *err)
{
	DIR *d = folder && strcmp(folder, "prefix") != 0 ? opendir(folder) : NULL;
	const struct dirent *e;
	int r = 0;

	while (d && r >= 0 && (r = entry_next(d, folder, &e, err)) > 0) {
		char *path = NULL;

		if (strncmp(e->d_name, "rank-", 5) != 0)
			continue;
		if (asprintf(&path, "%s/%s", folder, e->d_name) < 0)
			r = err_nomem(err, "a file name", strlen(folder));
		else
			r = output_check(&verb_run, a, path, err);
		free(path);
	}
	if (d)
		closedir(d);
	return r;
}

/* Options that do not go together. */
static int options_check(const struct args *a, struct err *err)
{
	if (a->n_positional > 0 && a->n_rest > 0)
		return err_set(
		    err, ERR_INPUT,
		    "run: '%s' stands before '--', where only options do; the machine goes "
		    "behind -p",
		    a->positional[0]);
	if (a->n_positional > 0)
		return err_set(err, ERR_INPUT,
		               "run: '--' is missing before the program: orrery run -np N -p "
		               "MACHINE -- %s [ARGUMENTS]",
		               a->positional[0]);
	if (a->n_rest < 1)
		return err_set(
		    err, ERR_INPUT,
		    "run: which program? orrery run -np N -p MACHINE -- PROGRAM [ARGUMENTS]");
	if (args_has(a, OPT_COMPUTATION) && !strcmp(args_get(a, OPT_COMPUTATION), "none") &&
	    (args_has(a, OPT_CPU_RATIO) || args_has(a, OPT_HOST_SPEED) || args_has(a, OPT_THREADS)))
		return err_set(err, ERR_INPUT,
		               "run: --cpu-ratio, --host-speed and --threads are of computation, "
		               "which takes no time with --computation none");
	if (args_has(a, OPT_RATES) &&
	    (args_has(a, OPT_COMPUTATION) || args_has(a, OPT_HOST_SPEED) || args_has(a, OPT_RUNS)))
		return err_set(
		    err, ERR_INPUT,
		    "run: --rates is of what is measured, and of one run: without --computation, "
		    "--host-speed, --runs");
	return rank_output_check(a, args_get(a, OPT_OUTPUT), err);
}

/* At the call, not at the end: --checks. */
static void wrong_print(void *self, double date, const char *text)
{
	struct str s;

	str_init(&s);
	str_printf(&s, "at %.9g s: %s", date, text);
	(void)self;
	print_findings(&s);
	str_release(&s);
}

static int options_take(struct options *o, const struct args *a, struct err *err)
{
	const char *speed = args_get(a, OPT_HOST_SPEED);
	struct run_plan *p = &o->plan;

	if (options_check(a, err) < 0)
		return -1;
	*p = (struct run_plan){.command = a->rest,
	                       .n_words = a->n_rest,
	                       .computation = args_get(a, OPT_COMPUTATION),
	                       .checks = args_has(a, OPT_CHECKS) != 0,
	                       .wrong = wrong_print,
	                       .wrong_self = (void *)(uintptr_t)a,
	                       .stopped = print_finding,
	                       .keeps = print_at_once,
	                       .profiles = args_has(a, OPT_PROFILE) != 0,
	                       .output = args_get(a, OPT_OUTPUT),
	                       .trace = args_get(a, OPT_TRACE),
	                       .overwrite = args_has(a, OPT_FORCE),
	                       .sites = args_get(a, OPT_SITES),
	                       .huge_pages = args_has(a, OPT_HUGE) != 0};
	if (speed && units_parse(speed, UNIT_SPEED, &p->speed, err) < 0)
		return -1;
	return holding_take(p, a, err) < 0 || counts_take(p, a, err) < 0 ||
	               threads_take(p, a, err) < 0 || family_take(p, a, err) < 0
	           ? -1
	           : lists_take(o, a, err);
}

struct simulated {
	const struct args *args;
	struct running *running;
};

static int simulate(void *self, struct err *err)
{
	const struct simulated *s = self;
	const struct args *a = s->args;
	struct running *r = s->running;
	struct sim_source source = running_source(r);
	struct err ended;
	struct str notices;
	int status, end;

	status = prediction_run(a, &verb_run, &source, err);
	str_init(&notices);
	end = running_end(r, status < 0, &notices, &ended);
	print_notices(a, &notices);
	str_release(&notices);
	running_free(r);
	if (status == 0 && end < 0) {
		*err = ended;
		status = -1;
	}
	return status;
}

/* Files that are written at the end only, when there is none. */
static void unwritten_put(const struct args *a, struct str *out)
{
	static const int late[] = {OPT_CSV, OPT_RECORD};

	for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
		const char *path = args_get(a, late[i]);

		if (path && strcmp(path, "-") != 0)
			str_printf(out, "; %s is not written", path);
	}
}

/* The simulation was ended in its middle: what there is of what was to be written. */
static void cut(void *self, int sig)
{
	struct simulated *s = self;
	const struct args *a = s->args;
	struct finishing finishing;
	struct str out;
	struct err err;

	str_init(&out);
	finishing_begin(&finishing, running_folder(s->running));
	if (running_cut(s->running, &out, &err) < 0)
		str_printf(&out, "%s\n", err.text);
	finishing_end(&finishing);
	s->running = NULL;
	print_notices(a, &out);
	str_clear(&out);
	if (sig && sig != SIGPIPE) { /* no notice: what was asked for is not there */
		str_printf(&out, "ended by signal %d (%s) before the program was: no prediction",
		           sig, strsignal(sig));
		unwritten_put(a, &out);
	}
	print_findings(&out);
	str_release(&out);
}

/* Ranks that are coroutines: the simulation sleeps where one of them does. */
static void asleep(void *self, pid_t pid, int seconds)
{
	struct str out;

	(void)self;
	str_init(&out);
	str_printf(&out,
	           "the process of all ranks (%ld) has slept for %d s in a call of the system: a "
	           "rank that waits there for what another one does waits for ever, as coroutines "
	           "have one process; with '--hold processes' each has its own",
	           (long)pid, seconds);
	print_findings(&out);
	str_release(&out);
}

/* In a process of its own: nothing that ranks start outlives us (launch/keep.c). What it may not
 * come to, as it is killed, is done here. */
static int kept(const struct args *a, const struct run_plan *plan, struct err *err)
{
	struct simulated s = {a, running_new(plan, err)};
	const struct launch_body body = {.run = simulate, .cut = cut, .asleep = asleep, .self = &s};
	struct err unseen;
	struct str none;
	int status;

	if (!s.running)
		return -1;
	status = launch_kept(&body, err);
	str_init(&none);
	if (s.running)
		running_cut(s.running, &none, &unseen);
	str_release(&none);
	return status;
}

static int run_run(const struct args *a, struct err *err)
{
	struct options o = {0};
	int status = options_take(&o, a, err);

	if (status == 0)
		status = kept(a, &o.plan, err);
	if (status < 0 && err->number == EPIPE) { /* nobody reads what ranks write: no error */
		signal(SIGPIPE, SIG_DFL);
		raise(SIGPIPE);
	}
	free(o.wrap);
	free(o.kernel);
	free(o.fold);
	return status;
}

static const int outputs[] = {OPT_CSV, OPT_RECORD, OPT_TRACE, 0};
static const int repeats[] = {OPT_PLATFORM, OPT_CFG, OPT_WRAP, OPT_KERNEL, OPT_FOLD, 0};
static const struct option_rule rules[] = {
    {OPT_SITES, {OPT_TRACE}, {0}},
    {OPT_FORCE, {OPT_TRACE}, {0}},
    {OPT_HUGE, {OPT_FOLD}, {0}},
    {OPT_RANKS, {OPT_PROFILE, OPT_JSON}, {0}},
    {OPT_TRACE, {0}, {OPT_RUNS}},
    {OPT_HOST_SPEED, {0}, {OPT_CPU_RATIO}},
    {0, {0}, {0}},
};

const struct verb verb_run = {
    .name = "run",
    .synopsis = "-np N -p MACHINE [options] -- PROGRAM [ARGUMENTS]",
    .summary = "simulates a running MPI program on a machine",
    .text = "PROGRAM is an ordinary MPI program, compiled by the mpicc of MPICH or Open MPI, "
            "or a script that starts one. It runs here, each rank a process, with Orrery's MPI "
            "library in the place of the real one; its communication and its clock are those "
            "of the machine. The last line on the standard output is 'simulated time: SECONDS "
            "s'. What takes time, and what is simulated of threads, files and signals: "
            "docs/run.md.",
    .options = run_options_table,
    .groups = run_groups,
    .repeats = repeats,
    .rules = rules,
    .outputs = outputs,
    .run = run_run,
    .command = 1,
};
