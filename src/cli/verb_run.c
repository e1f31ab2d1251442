/* verb_run.c: `orrery run`: simulates a running MPI program. */
#include "launch/traced.h"
#include "live/live.h"
#include "prediction.h"
#include "replay/basis.h"
#include "run_computation.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
     "what is between two calls of MPI takes: measured (processor time of the rank, default), none, or what FILE says of each region (docs/run.md)"},
    {OPT_RATES, 0, "rates", "FILE",
     "calibrated rates of what is measured, by region, of 'orrery calibrate cpu' (setting computation/rates)"},
    {OPT_HOST_SPEED, 0, "host-speed", "V",
     "a core of this computer does V (flop, instructions) a second; default: by the two processors, where both are known"},
    {OPT_CPU_RATIO, 0, "cpu-ratio", "R",
     "a core of the machine is R times as fast as one here (setting computation/cpu-ratio)"},
    {OPT_KERNEL, 0, "kernel", "NAME=FILE",
     "a function is not run but takes what a model of 'orrery calibrate kernel' says (or a time): dgemm_=FILE, 'fft(1,2)=FILE'; may be repeated (docs/run.md)"},
    {OPT_FOLD, 0, "fold-memory", "SIZE",
     "allocations of the program from this size on share one block each: values in them do not matter"},
    {OPT_THREADS, 0, "threads", "HOW",
     "what the threads of a rank compute takes: longest (as the one that was busy longest; default), caller (as the one that calls MPI), or N (all of it shared by N cores)"},
    {OPT_CHECKS, 0, "checks", NULL,
     "what is told of the program's mistakes at the end names the lines of their calls, and what was never freed"},
    {OPT_UNIVERSE, 0, "universe", "N",
     "ranks that may be there at once, spawned ones included; default: 64 more than at first if the program's file names MPI_Comm_spawn"},
    {OPT_JOBS, 'j', "jobs", "N",
     "ranks that may run at once; default: 1 if computation is measured, else all"},
    {OPT_TRACE, 't', "trace", "DIR", "write the trace of the run, for 'orrery replay', to this folder"},
    {OPT_SITES, 0, "sites", "N", "with --trace: frames of a call site, as in 'orrery trace'; default 1"},
    {OPT_FORCE, 'f', "force", NULL, "with --trace: overwrites a trace that is in DIR"},
    {OPT_MPI, 0, "mpi", "NAME",
     "with --trace of a script: the MPI library that it will load, openmpi (default) or mpich"},
    {OPT_HOLD, 0, "hold", "AS",
     "ranks are processes (default), or coroutines of the simulator: far more fit in memory, and calls take less time"},
    {OPT_STACK, 0, "stack-size", "SIZE", "stack of a rank that is a coroutine; default: 8 MiB"},
    {OPT_SLOTS, 0, "slots", "N",
     "with --hold coroutines: so many have a place in memory of their own, the others take turns; default: as many as can be"},
    {OPT_OUTPUT, 0, "rank-output", "HOW",
     "prefix: each line that a rank writes begins with its number; else a folder, with a file for each rank and stream"},
    {OPT_WRAP, 0, "wrap", "RANKS:COMMAND",
     "these ranks are started by COMMAND: '3:gdb', '0,4-7:valgrind -q'; may be repeated"},
    PREDICTION_OUTPUT,
    {0, 0, NULL, NULL, NULL},
};
/* clang-format on */

struct running { /* a source of sim */
	struct live_options options;
	struct run_computation computation;
	struct str said; /* when it started: for the notices */
	struct live *live;
	struct mp *mp;
	struct basis basis; /* of processor time of this computer on the machine */
	int has_basis;
	uint32_t universe; /* ranks that may be there at once; 0: not told */
	int spawns;        /* the program's file names MPI_Comm_spawn */
	const char *mpi;   /* the library that the program was linked with, or NULL */
	char library[4096];
	enum mpi_family family;
	struct traced traced;
	char tracer[4096]; /* the library */
	int traces;
	uint32_t ranks;
	int folds_itself; /* it calls functions of SMPI for that (include/orrery/smpi.h) */
	const char **wrap;
	char *words;
	struct err ended; /* how the processes ended: kind ERR_NONE: well */
};

enum { SPARE = 64 }; /* places for processes that a program that spawns some may have */

static int live_source_open(void *self, uint32_t np, struct sim_about *about, struct str *notices,
                            struct err *err)
{
	struct running *r = self;

	(void)notices;
	(void)err;
	about->ranks = r->ranks = np ? np : 1;
	about->spare = r->options.holding == LIVE_COROUTINES ? 0
	               : r->universe > about->ranks          ? r->universe - about->ranks
	               : r->spawns                           ? SPARE
	                                                     : 0;
	about->program = r->words;
	about->trace = "";
	about->mpi = r->mpi;
	about->live = 1;
	about->complete = SIM_COMPLETE;
	return 0;
}

static const struct platform *platform_of(const struct running *r)
{
	return net_platform(mp_net(r->mp));
}

static const char *host_name(void *self, uint32_t rank, char *buf, size_t n)
{
	const struct running *r = self;

	return platform_host_name(platform_of(r), mp_host(r->mp, rank), buf, n);
}

static double taken(void *self, uint32_t rank, double nanoseconds)
{
	const struct running *r = self;

	if (r->computation.has_rates)
		return run_computation_rest(&r->computation, nanoseconds);
	return basis_seconds(&r->basis, platform_of(r), mp_host(r->mp, rank), nanoseconds,
	                     nanoseconds / 1e9);
}

/* What is measured here is what a trace by processor time would have been made of. */
static int basis_take(struct running *r, const struct config *cfg, struct err *err)
{
	char processor[256], counter[] = "cputime", none[] = "";
	struct trace_manifest m = {.nominal_rate = 1e9,
	                           .complete = 1,
	                           .counter = counter,
	                           .unit = none,
	                           .processor = processor};

	if (r->computation.has_rates)
		r->options.taken = taken;
	r->has_basis = r->options.computation == LIVE_MEASURED && !(r->options.speed > 0) &&
	               !config_compat(cfg) && !r->computation.has_rates;
	if (!r->has_basis)
		return 0;
	processor_name(processor, sizeof processor);
	if (basis_choose(&r->basis, &m, platform_of(r), cfg, err) < 0)
		return -1;
	if (r->basis.kind == BASIS_VOLUME)
		r->options.taken = taken;
	return 0;
}

static const struct basis *live_source_basis(void *self)
{
	const struct running *r = self;

	return r->has_basis || r->computation.has_amounts ? &r->basis : NULL;
}

/* What the volumes of the trace are. */
static int trace_volumes(const struct running *r, struct err *err)
{
	return setenv("ORRERY_COUNTER", r->options.taken ? "cputime" : "machine", 1) < 0 ||
	               (r->options.taken && setenv("ORRERY_RATE", "1e9", 1) < 0)
	           ? err_nomem(err, "environment of the ranks", 64)
	           : 0;
}

static int live_source_start(void *self, struct mp *mp, const struct config *cfg,
                             struct progress *progress, struct mp_program *out, struct err *err)
{
	struct running *r = self;

	r->mp = mp;
	r->options.host_name = host_name;
	r->options.self = r;
	r->options.progress = progress;
	if (run_computation_start(&r->computation, mp, cfg, &r->options.regions, &r->said, err) < 0)
		return -1;
	if (r->traces && r->options.regions.find)
		return err_set(
		    err, ERR_INPUT,
		    "run: --trace writes what was measured: without --rates, or --computation FILE");
	if (basis_take(r, cfg, err) < 0)
		return -1;
	if (r->computation.has_amounts && !r->has_basis)
		r->basis = (struct basis){.assumed = 1, .text = "what the file of amounts says"};
	if (r->traces && trace_volumes(r, err) < 0)
		return -1;
	r->options.spare = mp_ranks(mp) - mp_ranks_begun(mp);
	r->live = live_new(mp_ranks(mp), &r->options, err);
	if (!r->live || live_attach(r->live, mp, err) < 0 || live_start(r->live, err) < 0)
		return -1;
	*out = live_program(r->live);
	return 0;
}

/* The run is over: what ranks print at their end comes before the prediction. */
static void live_source_notices(void *self, struct str *out)
{
	struct running *r = self;

	str_puts(out, r->basis.notice);
	if (r->live)
		live_left_text(r->live, out);
	str_puts(out, r->said.s ? r->said.s : "");
	run_computation_notices(&r->computation, out);
	if (r->live && live_end(r->live, &r->ended) == 0)
		r->ended.kind = ERR_NONE;
}

static uint64_t live_source_actions(void *self)
{
	const struct running *r = self;

	return r->live ? live_calls(r->live) : 0;
}

static void live_source_text(void *self, struct str *out)
{
	const struct running *r = self;

	if (r->live)
		live_regions_text(r->live, out);
}

static void live_source_json(void *self, struct json *j)
{
	const struct running *r = self;

	if (!r->live || !r->options.profiles)
		return;
	json_key(j, "regions");
	live_regions_json(r->live, j);
}

static void live_source_close(void *self)
{
	struct running *r = self;

	live_free(r->live);
	r->live = NULL;
}

static int words_join(struct running *r, char *const *command, struct err *err)
{
	struct str s;

	str_init(&s);
	for (; *command; command++)
		str_printf(&s, "%s%s", s.n ? " " : "", *command);
	r->words = s.s;
	return s.s ? 0 : err_nomem(err, "command line", 1);
}

static int can_spawn(const struct can_run *c)
{
	static const char *const names[] = {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple",
	                                    "mpi_comm_spawn_", "mpi_comm_spawn_multiple_"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (hash_str_find(&c->functions, names[i]) != HASH_NONE)
			return 1;
	return 0;
}

static int mentions(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), found = 0;
	struct stat st;
	void *p;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			found = memmem(p, (size_t)st.st_size, name, strlen(name)) != NULL;
			munmap(p, (size_t)st.st_size);
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* Where the program names its MPI library, and no path of its own for it, LD_LIBRARY_PATH leads to
 * ours; else an auditor of the loader does. */
static int program_take(struct running *r, struct err *err)
{
	const char *program = r->options.command[0], *old = getenv("LD_AUDIT");
	char audit[2 * 4096];
	int finds = 0, rc = 0;
	struct can_run c;

	if (strchr(program, '/') && access(program, R_OK) == 0) {
		rc = can_run_check(program, r->library, &c, err);
		if (rc < 0)
			return -1;
		r->spawns = can_spawn(&c);
		finds = (c.kind == CAN_RUN_MPICH || c.kind == CAN_RUN_OPENMPI ||
		         c.kind == CAN_RUN_ABI) &&
		        c.rpath.n == 0;
		if (c.kind == CAN_RUN_MPICH || c.kind == CAN_RUN_OPENMPI)
			r->family = c.kind == CAN_RUN_MPICH ? MPI_MPICH : MPI_OPENMPI;
		r->mpi = c.kind == CAN_RUN_MPICH     ? "MPICH 4.0" /* whose interfaces these are */
		         : c.kind == CAN_RUN_OPENMPI ? "Open MPI 4.1"
		                                     : NULL;
		can_run_release(&c);
		r->folds_itself = mentions(program, "smpi_shared_malloc");
	}
	snprintf(audit, sizeof audit, "%s/liborrery_find.so%s%s", r->library,
	         old && *old ? ":" : "", old ? old : "");
	if (!finds && setenv("LD_AUDIT", audit, 1) < 0)
		return err_nomem(err, "environment of the ranks", sizeof audit);
	return 0;
}

static int family_take(struct running *r, const struct args *a, struct err *err)
{
	const char *name = args_get(a, OPT_MPI);

	r->family = MPI_OPENMPI; /* unless the program says otherwise */
	if (name && strcmp(name, "mpich") == 0)
		r->family = MPI_MPICH;
	else if (name && strcmp(name, "openmpi") != 0)
		return err_set(err, ERR_INPUT, "run: --mpi is openmpi or mpich, not '%s'", name);
	return 0;
}

/* After it is known which library the program needs. */
static int trace_take(struct running *r, const struct args *a, struct err *err)
{
	const struct traced_options o = {.words = (const char *const *)a->rest,
	                                 .n_words = a->n_rest,
	                                 .folder = args_get(a, OPT_TRACE),
	                                 .overwrite = args_has(a, OPT_FORCE)};
	struct timespec now;
	char run[24];
	int rc = 0;

	if (!o.folder)
		return 0;
	if (args_has(a, OPT_RUNS))
		return err_set(err, ERR_INPUT, "run: a trace is that of one run: without --runs");
	if (traced_begin(&r->traced, &o, r->family, err) < 0)
		return -1;
	r->traces = 1;
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(run, sizeof run, "%016llx",
	         (unsigned long long)now.tv_sec * 1000000000 ^ (unsigned long long)now.tv_nsec ^
	             (unsigned long long)getpid() << 40);
	for (int i = 0; i < r->traced.n_settings; i++)
		rc |= setenv(r->traced.settings[i].name, r->traced.settings[i].value, 1);
	snprintf(r->tracer, sizeof r->tracer, "%.*s", (int)strcspn(r->traced.preload, " :"),
	         r->traced.preload); /* what follows is the user's own */
	r->options.tracer = r->tracer;
	rc |= setenv("ORRERY_TRACE_RUN", run, 1);
	if (args_get(a, OPT_SITES))
		rc |= setenv("ORRERY_SITES", args_get(a, OPT_SITES), 1);
	return rc ? err_nomem(err, "environment of the ranks", sizeof run) : 0;
}

/* What the library that is loaded before all others (libmpi/guest) finds in the environment. */
static int guest_take(struct running *r, const struct args *a, struct err *err)
{
	const char *fold = args_get(a, OPT_FOLD), *old;
	struct str kernels, path;
	char text[32];
	double bytes = 0;
	int rc = 0;

	str_init(&kernels);
	str_init(&path);
	for (int i = 0; rc == 0 && i < a->n_given; i++)
		if (a->given[i].id == OPT_KERNEL)
			rc = live_kernel_read(a->given[i].value, &kernels, err);
	if (rc == 0 && fold)
		rc = units_parse(fold, UNIT_SIZE, &bytes, err);
	if (rc == 0 && fold && !(bytes >= 4096))
		rc = err_set(err, ERR_INPUT, "run: --fold-memory is at least 4096 bytes, not '%s'",
		             fold);
	snprintf(text, sizeof text, "%.0f", bytes);
	if (fold || kernels.n || r->folds_itself)
		str_printf(&path, "%s/liborrery_guest.so", r->library);
	if (rc == 0)
		rc = trace_take(r, a, err);
	old = getenv("LD_PRELOAD");
	str_printf(&path, "%s%s", path.n && old && *old ? " " : "", old ? old : "");
	if (rc == 0 && (setenv("LD_PRELOAD", path.s ? path.s : "", 1) < 0 ||
	                (fold && setenv("ORRERY_FOLD", text, 1) < 0) ||
	                (kernels.n && setenv("ORRERY_KERNELS", kernels.s, 1) < 0)))
		rc = err_nomem(err, "environment of the ranks", path.n);
	str_release(&kernels);
	str_release(&path);
	return rc;
}

static void trace_end(struct running *r, const struct args *a, int status)
{
	struct str notices;

	str_init(&notices);
	traced_end(&r->traced, r->ranks, status, &notices);
	print_notice(a, notices.s);
	str_release(&notices);
}

/* How ranks are held. */
static int holding_take(struct running *r, const struct args *a, struct err *err)
{
	static const struct {
		int id;
		const char *name;
	} others[] = {{OPT_KERNEL, "kernel"},
	              {OPT_OUTPUT, "rank-output"},
	              {OPT_WRAP, "wrap"},
	              {OPT_JOBS, "jobs"}};
	const char *kind = args_get(a, OPT_HOLD), *stack = args_get(a, OPT_STACK);
	int64_t slots = 0;
	double bytes = 0;

	if (kind && strcmp(kind, "coroutines") == 0)
		r->options.holding = LIVE_COROUTINES;
	else if (kind && strcmp(kind, "processes") != 0)
		return err_set(err, ERR_INPUT, "run: --hold is processes or coroutines, not '%s'",
		               kind);
	for (size_t i = 0; r->options.holding && i < sizeof others / sizeof *others; i++)
		if (args_has(a, others[i].id))
			return err_set(err, ERR_INPUT, "run: --%s is for --hold processes",
			               others[i].name);
	if (args_has(a, OPT_SLOTS) && !r->options.holding)
		return err_set(err, ERR_INPUT, "run: --slots is for --hold coroutines");
	if (args_int(a, &verb_run, OPT_SLOTS, 0, UINT32_MAX, &slots, err) < 0)
		return -1;
	r->options.slots = (uint32_t)slots;
	r->options.folds = args_has(a, OPT_FOLD);
	if (!stack)
		return 0;
	if (r->options.holding != LIVE_COROUTINES)
		return err_set(
		    err, ERR_INPUT,
		    "run: --stack-size is for --hold coroutines; processes have that of ulimit -s");
	if (units_parse(stack, UNIT_SIZE, &bytes, err) < 0)
		return -1;
	if (!(bytes >= 16384 && bytes <= 1e15))
		return err_set(err, ERR_INPUT, "run: --stack-size is at least 16 KiB, not '%s'",
		               stack);
	r->options.stack = (uint64_t)bytes;
	return 0;
}

static int streams_take(struct running *r, const struct args *a, struct err *err)
{
	r->options.output = args_get(a, OPT_OUTPUT);
	r->wrap = calloc((size_t)a->n_given + 1, sizeof *r->wrap);
	if (!r->wrap)
		return err_nomem(err, "options", (size_t)a->n_given * sizeof *r->wrap);
	for (int i = 0; i < a->n_given; i++) {
		if (a->given[i].id != OPT_WRAP)
			continue;
		if (live_wrap_check(a->given[i].value) < 0)
			return err_set(err, ERR_INPUT,
			               "run: --wrap is RANKS:COMMAND ('3:gdb'), not '%s'",
			               a->given[i].value);
		r->wrap[r->options.n_wrap++] = a->given[i].value;
	}
	r->options.wrap = r->wrap;
	return 0;
}

static int threads_take(struct running *r, const struct args *a, struct err *err)
{
	const char *how = args_get(a, OPT_THREADS);
	int64_t cores = 0;

	if (!how || strcmp(how, "longest") == 0)
		return 0;
	r->options.thread_cores = -1;
	if (strcmp(how, "caller") == 0)
		return 0;
	if (args_int(a, &verb_run, OPT_THREADS, 1, 1 << 20, &cores, err) < 0)
		return -1;
	r->options.thread_cores = (double)cores;
	return 0;
}

static int options_take(struct running *r, const struct args *a, struct err *err)
{
	const char *kind = args_get(a, OPT_COMPUTATION), *speed = args_get(a, OPT_HOST_SPEED);
	int64_t jobs = 0, universe = 0;

	if (a->n_rest < 1 || a->n_positional > 0)
		return err_set(
		    err, ERR_INPUT,
		    "run: which program? orrery run -np N -p MACHINE -- PROGRAM [ARGUMENTS]");
	r->options.command = a->rest;
	if (run_computation_take(&r->computation, kind, err) < 0)
		return -1;
	r->options.computation = r->computation.kind;
	r->options.profiles = args_has(a, OPT_PROFILE) != 0;
	if (args_has(a, OPT_RATES) && (kind || speed || args_has(a, OPT_RUNS)))
		return err_set(
		    err, ERR_INPUT,
		    "run: --rates is of what is measured, and of one run: without --computation, "
		    "--host-speed, --runs");
	if (speed && units_parse(speed, UNIT_SPEED, &r->options.speed, err) < 0)
		return -1;
	if (holding_take(r, a, err) < 0)
		return -1;
	if (args_int(a, &verb_run, OPT_JOBS, 1, UINT32_MAX - 1, &jobs, err) < 0 ||
	    args_int(a, &verb_run, OPT_UNIVERSE, 1, 1 << 20, &universe, err) < 0)
		return -1;
	r->universe = (uint32_t)universe;
	if (threads_take(r, a, err) < 0)
		return -1;
	r->options.checks = args_has(a, OPT_CHECKS) != 0;
	if (jobs == 0)
		jobs = r->options.computation == LIVE_MEASURED ? 1 : UINT32_MAX;
	/* one of them is the one that mp waits for, unless none is measured */
	r->options.jobs = (uint32_t)(r->options.computation == LIVE_MEASURED ? jobs - 1 : jobs);
	r->options.library = r->library;
	return live_library(r->library, sizeof r->library, err) < 0 ||
	               words_join(r, a->rest, err) < 0 || family_take(r, a, err) < 0 ||
	               streams_take(r, a, err) < 0 || program_take(r, err) < 0 ||
	               guest_take(r, a, err) < 0
	           ? -1
	           : 0;
}

static int run_run(const struct args *a, struct err *err)
{
	struct running r = {0};
	struct sim_source source = {.self = &r,
	                            .open = live_source_open,
	                            .start = live_source_start,
	                            .actions = live_source_actions,
	                            .notices = live_source_notices,
	                            .text = live_source_text,
	                            .json = live_source_json,
	                            .basis = live_source_basis,
	                            .close = live_source_close};
	int status = options_take(&r, a, err);

	if (status == 0)
		status = prediction_run(a, &verb_run, &source, err);
	if (r.traces) {
		trace_end(&r, a, status < 0 ? 1 : 0);
		traced_release(&r.traced);
	}
	run_computation_release(&r.computation);
	str_release(&r.said);
	free(r.words);
	free(r.wrap);
	if (status == 0 && r.ended.kind) {
		*err = r.ended;
		status = -1;
	}
	return status;
}

static const int outputs[] = {OPT_CSV, OPT_RECORD, OPT_TRACE, 0};

const struct verb verb_run = {
    .name = "run",
    .synopsis = "-np N -p MACHINE [options] -- PROGRAM [ARGUMENTS]",
    .summary = "simulates a running MPI program on a machine",
    .text =
        "PROGRAM is an ordinary MPI program, compiled by the mpicc of MPICH or Open MPI, or a script that starts one. It runs\n"
        "here, each rank a process, with Orrery's MPI library in the place of the real one; its communication and its clock are\n"
        "those of the machine. The last line on the standard output is 'simulated time: SECONDS s'.\n",
    .options = run_options_table,
    .outputs = outputs,
    .run = run_run,
};
