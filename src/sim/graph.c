/* graph.c: a program that is a schedule, simulated as the graph that it is (src/schedule), without
 * MPI. That is done where it gives all that is asked for and the same as its sequence would, but
 * for ranks that do several things at a time, which a sequence cannot tell: in a model of LogGPS;
 * and, if there are such ranks, in one whose messages are flows; with settings that the graph
 * knows, each rank with a core of its own. */
#include "net/factor.h"
#include "net/ports.h"
#include "sim_int.h"

#include <stdlib.h>

/* What a graph knows in any model; what it knows with flows, and what of a machine has no effect in
 * LogGPS, where a user's is refused. What else is set belongs to MPI or to noise. */
static const enum config_id known[] = {CFG_NET_MODEL,
                                       CFG_LOGGPS_L,
                                       CFG_LOGGPS_OVERHEAD,
                                       CFG_LOGGPS_GAP,
                                       CFG_LOGGPS_G,
                                       CFG_LOGGPS_O,
                                       CFG_LOGGPS_S,
                                       CFG_LOGGPS_HANDSHAKE,
                                       CFG_NOISE_SEED,
                                       CFG_NOISE_MODEL,
                                       CFG_COMPUTATION_CPU_RATIO,
                                       CFG_SMPI_SIMULATE_COMPUTATION};
static const enum config_id of_flows[] = {CFG_NET_LATENCY_FACTOR,
                                          CFG_NET_BANDWIDTH_FACTOR,
                                          CFG_NET_WEIGHT_S,
                                          CFG_NET_LOOPBACK_BW,
                                          CFG_NET_LOOPBACK_LAT,
                                          CFG_SMPI_EAGER,
                                          CFG_SMPI_DETACHED,
                                          CFG_SMPI_OS,
                                          CFG_SMPI_OR,
                                          CFG_SMPI_OIS,
                                          CFG_SMPI_TEST,
                                          CFG_SMPI_IPROBE};

enum { KNOWN = sizeof known / sizeof *known, OF_FLOWS = sizeof of_flows / sizeof *of_flows };

static int is_in(const enum config_id *ids, size_t n, enum config_id id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return 1;
	return 0;
}

static int fits_loggps(enum config_id id, enum config_source from)
{
	return from < CFG_FROM_USER && (is_in(of_flows, OF_FLOWS, id) || id == CFG_SMPI_OS_LOCAL ||
	                                id == CFG_SMPI_OR_LOCAL || id == CFG_SMPI_OIS_LOCAL);
}

static int fits_flows(enum config_id id, enum config_source from)
{
	(void)from;
	return is_in(of_flows, OF_FLOWS, id) || id == CFG_NET_TCP_GAMMA ||
	       id == CFG_NET_CROSSTRAFFIC;
}

static int settings_fit(const struct sim *s, int (*fits)(enum config_id, enum config_source))
{
	for (int i = 0; i < CFG_COUNT; i++) {
		enum config_id id = (enum config_id)i;
		enum config_source from = config_from(&s->cfg, id);

		if (from >= CFG_FROM_PLATFORM && !is_in(known, KNOWN, id) && !fits(id, from))
			return 0;
	}
	return 1;
}

/* 1, 0, -1: could any schedule be simulated as a graph with these settings on this machine? */
static int model_fits(struct sim *s, int *is_loggps, struct err *err)
{
	const int loggps = settings_fit(s, fits_loggps), flows = settings_fit(s, fits_flows);
	struct net_loggps figures;
	struct net *n;
	int fits = 0;

	if (!loggps && !flows)
		return 0;
	n = net_new_with(s->platform, &s->cfg, NULL, err);
	if (!n)
		return -1;
	*is_loggps = net_loggps(n, &figures);
	fits = *is_loggps ? loggps : flows && net_is_plain(n);
	net_free(n);
	return fits;
}

static int has_processors(const struct trace_schedule *s)
{
	return s->cpus > 1;
}

/* Settings are looked at first, the model last: to make one takes more than to see that a file is
 * no schedule. */
int graph_open(struct sim *s, struct err *err)
{
	const struct sim_options *o = &s->o;
	int fits, is_loggps = 0;

	if (!s->source.schedule || o->profile == SIM_PROFILE_WHOLE || o->record || o->explain ||
	    o->n_observers || o->what_if || o->model || config_compat(&s->cfg))
		return 0;
	fits = settings_fit(s, fits_loggps) || settings_fit(s, fits_flows);
	if (fits)
		fits = s->source.schedule(s->source.self, &s->schedule, &s->about, err);
	if (fits <= 0)
		return fits;
	s->open = 1;
	fits = o->ranks && o->ranks != s->about.ranks ? 0 : model_fits(s, &is_loggps, err);
	s->is_graph = fits > 0 && (is_loggps || has_processors(&s->schedule));
	if (!s->is_graph)
		trace_schedule_release(&s->schedule);
	return fits < 0 ? -1 : 0;
}

/* Ranks of a host that are more than its cores would share them. */
static int has_cores(const struct sim *s, struct err *err)
{
	const struct placement *at = &s->placement;
	uint32_t *ranks = calloc((size_t)platform_host_count(s->platform) + 1, sizeof *ranks);
	struct host_info info;
	int enough = 1;

	if (!ranks)
		return err_nomem(err, "hosts", platform_host_count(s->platform) * sizeof *ranks);
	for (uint32_t i = 0; i < at->n && enough; i++) {
		platform_host(s->platform, at->host[i], &info);
		enough = ++ranks[at->host[i].v] <= info.cores;
	}
	free(ranks);
	return enough;
}

static int computes(const struct trace_schedule *s)
{
	for (uint32_t i = 0; i < s->n_ops; i++)
		if (s->op[i].kind == SCHEDULE_CALC && s->op[i].size > 0)
			return 1;
	return 0;
}

/* Hosts that have overheads of their own. */
static int hosts_differ(const struct sim *s)
{
	static const char *const names[] = {"smpi/os", "smpi/or", "smpi/ois"};

	for (uint32_t i = 0; i < s->placement.n; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (platform_host_prop(s->platform, s->placement.host[i], names[k]))
				return 1;
	return 0;
}

static int flows_simulate(struct sim *s, const double *unit, struct err *err)
{
	struct factor_table ois = {0}, or_ = {0};
	struct schedule_machine m = {.net = s->net,
	                             .host = s->placement.host,
	                             .eager = config_number(&s->cfg, CFG_SMPI_EAGER),
	                             .detached = config_number(&s->cfg, CFG_SMPI_DETACHED),
	                             .ois = &ois,
	                             .or_ = &or_};
	int r = 0;

	/* what is wrong with them the sequence says */
	if (m.eager <= m.detached && !hosts_differ(s) &&
	    factor_table_parse(&ois, config_text(&s->cfg, CFG_SMPI_OIS), err) == 0 &&
	    factor_table_parse(&or_, config_text(&s->cfg, CFG_SMPI_OR), err) == 0)
		r = schedule_run_on(&s->schedule, &m, unit, &s->graph, err);
	factor_table_release(&ois);
	factor_table_release(&or_);
	return r;
}

static int simulate(struct sim *s, double *unit, struct err *err)
{
	struct net_loggps f;
	struct schedule_model m;

	s->net = net_new_with(s->platform, &s->cfg, NULL, err);
	if (!s->net)
		return -1;
	if (s->source.schedule_units(s->source.self, s->platform, &s->cfg, s->placement.host,
	                             s->about.ranks, unit, err) < 0)
		return -1;
	if (!net_loggps(s->net, &f))
		return flows_simulate(s, unit, err);
	m = (struct schedule_model){.L = f.L, .o = f.o, .g = f.g, .G = f.G, .O = f.O, .S = f.S};
	return schedule_run(&s->schedule, &m, unit, &s->graph, err);
}

int graph_run(struct sim *s, struct err *err)
{
	double *unit = malloc(s->about.ranks * sizeof *unit);
	int r = computes(&s->schedule) ? has_cores(s, err) : 1;

	if (!unit)
		r = err_nomem(err, "ranks", s->about.ranks * sizeof *unit);
	s->graph_ops = s->schedule.n_ops;
	s->graph_cpus = s->schedule.cpus;
	if (r > 0)
		r = simulate(s, unit, err);
	free(unit);
	if (r > 0)
		str_puts(&s->told, str_of(&s->told, &s->schedule.notices));
	trace_schedule_release(&s->schedule);
	s->is_graph = r > 0;
	s->ran = r > 0;
	if (r > 0 && s->graph_cpus > 1)
		str_printf(
		    &s->told,
		    "ranks do up to %u things at a time (cpu): each as if alone, whatever cores "
		    "their hosts have\n",
		    s->graph_cpus);
	if (r == 0) { /* all that was made is made again */
		net_free(s->net);
		s->net = NULL;
	}
	return r;
}
