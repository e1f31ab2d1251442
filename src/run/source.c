/* source.c: a running program as a source of a simulation: ranks are started when the machine is
 * known, and what they compute is put on its clock. */
#include "run_int.h"

#include <string.h>

enum { SPARE = 64 }; /* places for processes that a program that spawns some may have */

static uint32_t spare_of(const struct running *r)
{
	uint32_t universe = r->plan->universe;

	if (universe > r->ranks)
		return universe - r->ranks;
	return r->spawns ? SPARE : 0;
}

/* A debugger for a rank that there is not would never come. */
static int wraps_check(const struct running *r, uint32_t places, struct err *err)
{
	for (uint32_t i = 0; i < r->plan->n_wrap; i++)
		if (!live_wrap_names(r->plan->wrap[i], places))
			return err_set(err, ERR_INPUT, "run: --wrap %s: there %s %u rank%s, from 0",
			               r->plan->wrap[i], places == 1 ? "is" : "are", places,
			               plural(places));
	return 0;
}

static int source_open(void *self, uint32_t np, struct sim_about *about, struct str *notices,
                       struct err *err)
{
	struct running *r = self;

	(void)notices;
	about->ranks = r->ranks = r->places = np ? np : 1;
	about->spare = spare_of(r);
	about->program = r->words;
	about->trace = "";
	about->mpi = r->mpi;
	about->live = 1;
	about->complete = SIM_COMPLETE;
	return wraps_check(r, about->ranks + about->spare, err);
}

/* --- what computations take --- */

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
		return computation_rest(&r->computation, nanoseconds);
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

static const struct basis *source_basis(void *self)
{
	const struct running *r = self;

	return r->has_basis || r->computation.has_amounts ? &r->basis : NULL;
}

static int computations_start(struct running *r, const struct config *cfg, struct err *err)
{
	if (computation_start(&r->computation, r->mp, cfg, &r->options.regions, &r->said, err) < 0)
		return -1;
	if (r->traces && r->options.regions.find)
		return err_set(err, ERR_INPUT,
		               "run: --trace writes what was measured: without --rates, or "
		               "--computation FILE");
	if (basis_take(r, cfg, err) < 0)
		return -1;
	if (r->computation.has_amounts && !r->has_basis)
		r->basis = (struct basis){.assumed = 1, .text = "what the file of amounts says"};
	return environment_volumes(r, err);
}

/* What was wrong, when it was found. */
static void wrong(void *self, double date, const char *text)
{
	const struct run_plan *plan = ((struct running *)self)->plan;

	plan->wrong(plan->wrong_self, date, text);
}

static void stopped(void *self, const char *text)
{
	((struct running *)self)->plan->stopped(text);
}

static void keeps(void *self, const char *text)
{
	((struct running *)self)->plan->keeps(text);
}

/* SimGrid's own default is 10 ns. */
static double reading_of(const struct config *cfg)
{
	return config_compat(cfg) && config_from(cfg, CFG_SMPI_WTIME) == CFG_FROM_DEFAULT
	           ? 1e-8
	           : config_number(cfg, CFG_SMPI_WTIME);
}

static int source_start(void *self, struct mp *mp, const struct config *cfg,
                        struct progress *progress, struct mp_program *out, struct err *err)
{
	struct running *r = self;

	r->mp = mp;
	r->options.host_name = host_name;
	r->options.self = r;
	r->options.progress = progress;
	r->options.seed = (uint64_t)config_number(cfg, CFG_NOISE_SEED);
	r->options.reading = reading_of(cfg);
	r->options.wrong = r->plan->wrong ? wrong : NULL;
	r->options.stopped = r->plan->stopped ? stopped : NULL;
	r->options.keeps = r->plan->keeps ? keeps : NULL;
	r->options.told_after = config_number(cfg, CFG_RUN_TOLD_AFTER);
	r->options.may_be_static = r->is_static;
	if (computations_start(r, cfg, err) < 0)
		return -1;
	r->options.traced = r->traces;
	r->options.spare = mp_ranks(mp) - mp_ranks_begun(mp);
	r->options.universe = r->plan->universe;
	r->live = live_new(mp_ranks(mp), &r->options, err);
	if (!r->live || live_attach(r->live, mp, err) < 0 || live_start(r->live, err) < 0)
		return -1;
	*out = live_program(r->live);
	return 0;
}

/* --- what came of it --- */

/* A program that never called MPI ran as it would without us, once for each rank. */
static void silence_notice(const struct running *r, struct str *out)
{
	const char *program = r->plan->command[0];

	str_puts(out, "no rank called MPI_Init: nothing was simulated; ");
	if (r->needs_mpi)
		str_printf(out, "%s needs a library of MPI, and ended before it called that\n",
		           program);
	else if (r->is_static)
		str_printf(out,
		           "if MPI is linked into %s statically, no library can take its place: "
		           "link it dynamically\n",
		           program);
	else
		str_printf(out,
		           "%s needs no library of MPI; what it starts finds Orrery's by its "
		           "environment, which has to reach it (not so by env -i, sudo, ssh)\n",
		           program);
}

/* The library that the program loaded while it ran is not the one that was expected. */
static void family_notice(const struct running *r, struct str *out)
{
	const char *loaded = live_family(r->live);
	int is_mpich = r->family == MPI_MPICH;

	if (loaded && r->mpi && strcmp(loaded, is_mpich ? "mpich" : "openmpi") != 0)
		str_printf(out,
		           "the program loaded %s while it ran, and what the MPI library decides "
		           "(algorithms of collectives, placement) was taken from %s: --mpi %s\n",
		           is_mpich ? "Open MPI" : "MPICH", is_mpich ? "MPICH" : "Open MPI",
		           loaded);
}

/* The run is over: what ranks print at their end comes before the prediction. */
static void source_notices(void *self, struct str *out)
{
	struct running *r = self;

	str_puts(out, r->basis.notice);
	if (r->live) {
		live_time_text(r->live, out);
		family_notice(r, out);
	}
	str_puts(out, str_of(out, &r->said));
	computation_notices(&r->computation, out);
	if (r->live && live_end(r->live, &r->ended) == 0)
		r->ended.kind = ERR_NONE;
	if (r->live && live_calls(r->live) == 0 && r->ended.kind == ERR_NONE &&
	    !live_failed(r->live))
		silence_notice(r, out); /* else how it ended is said */
}

static void source_findings(void *self, struct str *out)
{
	const struct running *r = self;

	if (r->live)
		live_left_text(r->live, out);
}

static uint64_t source_actions(void *self)
{
	const struct running *r = self;

	return r->live ? live_calls(r->live) : 0;
}

static void source_text(void *self, struct str *out)
{
	const struct running *r = self;

	if (r->live)
		live_regions_text(r->live, out);
}

static void source_json(void *self, struct json *j)
{
	const struct running *r = self;

	if (!r->live || !r->options.profiles)
		return;
	json_key(j, "regions");
	live_regions_json(r->live, j);
}

static void source_close(void *self)
{
	struct running *r = self;

	if (r->live)
		r->places = live_places(r->live);
	live_free(r->live);
	r->live = NULL;
}

struct sim_source running_source(struct running *r)
{
	return (struct sim_source){.self = r,
	                           .open = source_open,
	                           .start = source_start,
	                           .actions = source_actions,
	                           .notices = source_notices,
	                           .findings = source_findings,
	                           .checks = r->plan->checks,
	                           .text = source_text,
	                           .json = source_json,
	                           .basis = source_basis,
	                           .close = source_close};
}
