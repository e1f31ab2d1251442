/* graph.c: a program that is a schedule, simulated as the graph that it is (src/schedule), without
 * MPI. A sequence of its operations is another program, unless each rank has but one order for
 * them. So a graph it is where that gives all that is asked for: in a model of LogGPS or in one
 * whose messages are flows, with settings that the graph knows, each rank with a core of its own.
 */
#include "net/factor.h"
#include "net/ports.h"
#include "sim_int.h"

#include <stdlib.h>
#include <string.h>

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
                                          CFG_SMPI_OS_LOCAL,
                                          CFG_SMPI_OR_LOCAL,
                                          CFG_SMPI_OIS_LOCAL,
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
	return from < CFG_FROM_USER && is_in(of_flows, OF_FLOWS, id);
}

static int fits_flows(enum config_id id, enum config_source from)
{
	(void)from;
	return is_in(of_flows, OF_FLOWS, id) || id == CFG_NET_TCP_GAMMA ||
	       id == CFG_NET_CROSSTRAFFIC;
}

/* CFG_COUNT, or the first that does not fit. */
static enum config_id settings_fit(const struct sim *s,
                                   int (*fits)(enum config_id, enum config_source))
{
	const int draws = config_number(&s->cfg, CFG_NOISE_SEED) > 0;

	for (int i = 0; i < CFG_COUNT; i++) {
		enum config_id id = (enum config_id)i;
		enum config_source from = config_from(&s->cfg, id);

		if (from >= CFG_FROM_PLATFORM && !is_in(known, KNOWN, id) && !fits(id, from) &&
		    (draws || strncmp(config_table[i].name, "noise/", 6) != 0))
			return id;
	}
	return CFG_COUNT;
}

/* 1: any schedule could be simulated as a graph with these settings on this machine; 0: *why says
 * what is in the way; -1. */
static int model_fits(struct sim *s, struct str *why, struct err *err)
{
	const enum config_id loggps = settings_fit(s, fits_loggps),
	                     flows = settings_fit(s, fits_flows);
	struct net_loggps figures;
	enum config_id bad;
	struct net *n;
	int is_loggps, plain;

	n = net_new_with(s->platform, &s->cfg, NULL, err);
	if (!n)
		return -1;
	is_loggps = net_loggps(n, &figures);
	plain = is_loggps || net_is_plain(n);
	net_free(n);
	bad = is_loggps ? loggps : flows;
	if (!plain)
		str_printf(why, "model %s on this machine is for MPI calls",
		           config_text(&s->cfg, CFG_NET_MODEL));
	else if (bad != CFG_COUNT)
		str_printf(why, "setting %s is for MPI calls", config_table[bad].name);
	return plain && bad == CFG_COUNT;
}

/* What of a prediction a graph cannot give, or NULL. */
static const char *beyond_graphs(const struct sim *s)
{
	const struct sim_options *o = &s->o;

	if (o->explain && strcmp(o->explain, SIM_CRITICAL_PATH) != 0 &&
	    strcmp(o->explain, SIM_LINKS) != 0)
		return "--explain of a rank or a message is for MPI calls";
	if (o->model)
		return "a communication model of the caller's own is for MPI calls";
	if (config_compat(&s->cfg))
		return "compat is for MPI calls";
	if (o->ranks && o->ranks != s->about.ranks)
		return "another number of ranks was asked for";
	return NULL;
}

/* More than the time, and where that goes on the whole. */
static int is_observed(const struct sim_options *o)
{
	return o->profile == SIM_PROFILE_WHOLE || o->record || o->explain || o->n_observers;
}

/* A sequence is not what the graph is: that is said. */
static void sequence_tell(struct sim *s, const char *why)
{
	str_printf(&s->told,
	           "as %s, the schedule is simulated as a sequence: its ranks do one thing after "
	           "the other, which may take longer than the graph (docs/foreign-traces.md)\n",
	           why);
}

int graph_open(struct sim *s, struct err *err)
{
	const char *beyond;
	struct str why;
	int fits;

	if (!s->source.schedule)
		return 0;
	fits = s->source.schedule(s->source.self, &s->schedule, &s->about, err);
	if (fits < 0 && err->kind == ERR_LIMIT && !s->o.ranks && beyond_graphs(s))
		return 0; /* a sequence, if it is a schedule at all, is read as it goes */
	if (fits <= 0)
		return fits;
	s->open = 1;
	s->graph_cpus = s->schedule.cpus;
	str_init(&why);
	beyond = beyond_graphs(s);
	if (beyond)
		str_puts(&why, beyond);
	fits = beyond ? 0 : model_fits(s, &why, err);
	s->is_graph = fits > 0;
	if (fits == 0)
		sequence_tell(s, str_of(&s->told, &why));
	str_release(&why);
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

/* Hosts that have overheads of their own. */
static int hosts_differ(const struct sim *s)
{
	static const char *const names[] = {"smpi/os",       "smpi/or",       "smpi/ois",
	                                    "smpi/os-local", "smpi/or-local", "smpi/ois-local"};

	for (uint32_t i = 0; i < s->placement.n; i++)
		for (size_t k = 0; k < sizeof names / sizeof *names; k++)
			if (platform_host_prop(s->platform, s->placement.host[i], names[k]))
				return 1;
	return 0;
}

static int flows_simulate(struct sim *s, struct schedule_trail *trail, struct err *err)
{
	static const enum config_id ids[] = {CFG_SMPI_OIS, CFG_SMPI_OR, CFG_SMPI_OIS_LOCAL,
	                                     CFG_SMPI_OR_LOCAL};
	enum { TABLES = sizeof ids / sizeof *ids };
	struct factor_table table[TABLES] = {{0}};
	struct schedule_machine m = {.net = s->net,
	                             .host = s->placement.host,
	                             .eager = config_number(&s->cfg, CFG_SMPI_EAGER),
	                             .detached = config_number(&s->cfg, CFG_SMPI_DETACHED),
	                             .ois = &table[0],
	                             .or_ = &table[1],
	                             .ois_local = &table[2],
	                             .or_local = &table[3]};
	int r = 0, well = m.eager <= m.detached && !hosts_differ(s);

	/* what is wrong with them the sequence says */
	for (int i = 0; i < TABLES && well; i++) {
		const char *text = config_text(&s->cfg, ids[i]);

		well = !text[0] || factor_table_parse(&table[i], text, err) == 0;
		r = well || err->kind != ERR_LIMIT ? 0 : -1;
	}
	if (well)
		r = schedule_run_on(&s->schedule, &m, s->graph_unit, trail, &s->graph, err);
	for (int i = 0; i < TABLES; i++)
		factor_table_release(&table[i]);
	return r;
}

static int simulate(struct sim *s, struct schedule_trail *trail, struct err *err)
{
	struct net_loggps f;
	struct schedule_model m;

	if (!net_loggps(s->net, &f))
		return flows_simulate(s, trail, err);
	m = (struct schedule_model){.L = f.L, .o = f.o, .g = f.g, .G = f.G, .O = f.O, .S = f.S};
	return schedule_run(&s->schedule, &m, s->graph_unit, trail, &s->graph, err);
}

/* What is needed before: the network, what computations take. */
static int prepare(struct sim *s, struct err *err)
{
	const int meters = s->o.explain && !strcmp(s->o.explain, SIM_LINKS);
	int by_speed;

	s->graph_unit = malloc(s->about.ranks * sizeof *s->graph_unit);
	if (!s->graph_unit)
		return err_nomem(err, "ranks", s->about.ranks * sizeof *s->graph_unit);
	s->net = net_new_with(s->platform, &s->cfg, NULL, err);
	if (!s->net || (meters && engine_meter(net_engine(s->net), err) < 0))
		return -1;
	by_speed = s->source.schedule_units(s->source.self, s->platform, &s->cfg, s->placement.host,
	                                    s->about.ranks, s->graph_unit, err);
	s->graph_by_speed = by_speed > 0 && s->schedule.computing > 0;
	return by_speed < 0 ? -1 : 0;
}

/* With those that observe it, who are told afterwards. 1, 0, -1 as graph_run. */
static int watched(struct sim *s, struct err *err)
{
	const uint32_t most = SIM_OBSERVERS + s->o.n_observers;
	struct mp_observer *all = malloc(most * sizeof *all);
	uint32_t n = 0;
	int r;

	if (!all)
		return err_nomem(err, "observers", most * sizeof *all);
	r = schedule_trail_init(&s->trail, &s->schedule, err);
	if (r == 0)
		r = simulate(s, &s->trail, err);
	if (r > 0 && sim_observers(s, all, &n, err) < 0)
		r = -1;
	for (uint32_t i = 0; r > 0 && i < s->o.n_observers; i++)
		all[n++] = s->o.observer[i];
	if (r > 0 && (graph_tell(s, all, n, err) < 0 || graph_explain(s, err) < 0))
		r = -1;
	schedule_trail_release(&s->trail);
	free(all);
	if (r < 0) { /* what there is of a recording is not the run's */
		recorder_abandon(s->recorder);
		s->recorder = NULL;
	}
	return r;
}

int graph_computed(const struct sim *s, const struct host_id *host)
{
	for (uint32_t i = 0; s->graph_by_speed && i < s->about.ranks; i++)
		if (!host || host->v == s->placement.host[i].v)
			return 1;
	return 0;
}

static void processors_tell(struct sim *s)
{
	str_printf(&s->told,
	           "ranks do up to %u things at a time (cpu): each as if alone, whatever cores "
	           "their hosts have\n",
	           s->graph_cpus);
}

static void longer_tell(struct sim *s)
{
	const struct schedule_op *op = s->schedule.op;

	if (s->graph.longer)
		str_printf(&s->told,
		           "%llu message%s longer than the receive, as one of rank %u to rank %u: "
		           "a schedule's receives have no limit\n",
		           (unsigned long long)s->graph.longer,
		           s->graph.longer == 1 ? " is" : "s are", op[s->graph.long_send].rank,
		           op[s->graph.long_receive].rank);
}

int graph_run(struct sim *s, struct err *err)
{
	const char *why = "ranks share cores, which is for MPI calls";
	int r = 1;

	if (s->schedule.computing > 0)
		r = has_cores(s, err);
	s->graph_ops = s->schedule.n_ops;
	if (r > 0) {
		why = "the graph does not come to its end";
		r = prepare(s, err);
		if (r == 0)
			r = is_observed(&s->o) ? watched(s, err) : simulate(s, NULL, err);
	}
	if (r > 0)
		str_puts(&s->told, str_of(&s->told, &s->schedule.notices));
	if (r > 0)
		longer_tell(s);
	if (r > 0 && s->graph_cpus > 1)
		processors_tell(s);
	if (r == 0)
		sequence_tell(s, why);
	trace_schedule_release(&s->schedule);
	s->is_graph = r > 0;
	s->ran = r > 0;
	if (r == 0) { /* all that was made is made again */
		net_free(s->net);
		s->net = NULL;
	}
	return r;
}
