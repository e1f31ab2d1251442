/* graph.c: a program that is a schedule, simulated as the graph that it is (src/schedule), without
 * MPI. That is done where it gives all that is asked for and the same as its sequence would, but
 * for ranks that do several things at a time, which a sequence cannot tell: in a model of LogGPS,
 * with settings that the graph knows, each rank with a core of its own. */
#include "net/ports.h"
#include "sim_int.h"

#include <stdlib.h>
#include <string.h>

static int is_in(const enum config_id *ids, size_t n, enum config_id id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return 1;
	return 0;
}

/* What else is set belongs to MPI or to noise. A machine's overheads and thresholds do not apply in
 * LogGPS, and a user's are refused there. */
static int settings_fit(const struct sim *s)
{
	static const enum config_id known[] = {
	    CFG_NET_MODEL,   CFG_LOGGPS_L,         CFG_LOGGPS_OVERHEAD,
	    CFG_LOGGPS_GAP,  CFG_LOGGPS_G,         CFG_LOGGPS_O,
	    CFG_LOGGPS_S,    CFG_LOGGPS_HANDSHAKE, CFG_COMPUTATION_CPU_RATIO,
	    CFG_NOISE_MODEL, CFG_NOISE_SEED,       CFG_SMPI_SIMULATE_COMPUTATION};
	static const enum config_id idle[] = {CFG_NET_LATENCY_FACTOR,
	                                      CFG_NET_BANDWIDTH_FACTOR,
	                                      CFG_NET_WEIGHT_S,
	                                      CFG_NET_LOOPBACK_BW,
	                                      CFG_NET_LOOPBACK_LAT,
	                                      CFG_SMPI_EAGER,
	                                      CFG_SMPI_DETACHED,
	                                      CFG_SMPI_OS,
	                                      CFG_SMPI_OR,
	                                      CFG_SMPI_OIS,
	                                      CFG_SMPI_OS_LOCAL,
	                                      CFG_SMPI_OR_LOCAL,
	                                      CFG_SMPI_OIS_LOCAL,
	                                      CFG_SMPI_TEST,
	                                      CFG_SMPI_IPROBE};

	for (int i = 0; i < CFG_COUNT; i++) {
		enum config_id id = (enum config_id)i;
		enum config_source from = config_from(&s->cfg, id);

		if (from >= CFG_FROM_PLATFORM && !is_in(known, sizeof known / sizeof *known, id) &&
		    (from == CFG_FROM_USER || !is_in(idle, sizeof idle / sizeof *idle, id)))
			return 0;
	}
	return 1;
}

static int model_fits(struct sim *s, struct err *err)
{
	struct net_loggps figures;
	struct net *n = net_new_with(s->platform, &s->cfg, NULL, err);
	int fits = n ? net_loggps(n, &figures) : -1;

	net_free(n);
	return fits;
}

/* Nothing is looked for in a file whose graph would not do. */
int graph_open(struct sim *s, struct err *err)
{
	const struct sim_options *o = &s->o;
	int fits;

	if (!s->source.schedule || o->profile == SIM_PROFILE_WHOLE || o->record || o->explain ||
	    o->n_observers || o->what_if || o->model || !settings_fit(s) ||
	    strncasecmp(config_text(&s->cfg, CFG_NET_MODEL), "log", 3) != 0)
		return 0;
	fits = model_fits(s, err);
	if (fits > 0)
		fits = s->source.schedule(s->source.self, &s->schedule, &s->about, err);
	if (fits <= 0)
		return fits;
	s->open = 1;
	s->is_graph = 1;
	if (!o->ranks || o->ranks == s->about.ranks)
		return 0;
	s->is_graph = 0;
	trace_schedule_release(&s->schedule);
	return 0;
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

static int simulate(struct sim *s, double *unit, struct err *err)
{
	struct net_loggps f;
	struct schedule_model m;
	int r;

	s->net = net_new_with(s->platform, &s->cfg, NULL, err);
	if (!s->net)
		return -1;
	if (!net_loggps(s->net, &f))
		return 0;
	m = (struct schedule_model){.L = f.L, .o = f.o, .g = f.g, .G = f.G, .O = f.O, .S = f.S};
	r = s->source.schedule_units(s->source.self, s->platform, &s->cfg, s->placement.host,
	                             s->about.ranks, unit, err);
	if (r <= 0)
		return r;
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
	trace_schedule_release(&s->schedule);
	s->is_graph = r > 0;
	s->ran = r > 0;
	if (r == 0) { /* all that was made is made again */
		net_free(s->net);
		s->net = NULL;
	}
	return r;
}
