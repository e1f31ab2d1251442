/* result.c: what there is to know of a simulation, before its run and after it. */
#include "sim_int.h"

#include <math.h>
#include <string.h>

const struct sim_about *sim_about(const struct sim *s)
{
	return &s->about;
}

const struct platform *sim_platform(const struct sim *s)
{
	return s->platform;
}

const struct config *sim_config(const struct sim *s)
{
	return &s->cfg;
}

const struct placement *sim_placement(const struct sim *s)
{
	return &s->placement;
}

int sim_hosts_shared(const struct sim *s)
{
	return s->hosts_shared;
}

uint32_t sim_ranks(const struct sim *s)
{
	return s->about.ranks;
}

int sim_has_noise(const struct sim *s)
{
	static const enum config_id tables[] = {CFG_NOISE_NETWORK, CFG_NOISE_COMPUTE,
	                                        CFG_NOISE_DETOURS, CFG_NOISE_PERIODIC,
	                                        CFG_NOISE_SLEEP,   CFG_COMPUTATION_RATES};

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (config_text(&s->cfg, tables[i])[0])
			return 1;
	return config_bool(&s->cfg, CFG_NOISE_MODEL) ||
	       strcmp(config_text(&s->cfg, CFG_NOISE_RUN_NETWORK), "0") != 0 ||
	       config_number(&s->cfg, CFG_NOISE_RUN_COMPUTE) > 0;
}

const struct basis *sim_basis(const struct sim *s)
{
	return s->source.basis ? s->source.basis(s->source.self) : NULL;
}

const char *sim_placement_why(const struct sim *s)
{
	return s->placement_why ? s->placement_why : "";
}

const char *sim_model_name(const struct sim *s)
{
	return net_model_name(s->net);
}

const char *sim_selector(const struct sim *s)
{
	return s->collectives_whole ? "analytic" : config_text(&s->cfg, CFG_SMPI_COLL_SELECTOR);
}

int sim_selector_assumed(const struct sim *s)
{
	return s->collectives_whole || s->operations_chosen ||
	       config_from(&s->cfg, CFG_SMPI_COLL_SELECTOR) == CFG_FROM_USER ||
	       (config_from(&s->cfg, CFG_SMPI_COLL_SELECTOR) == CFG_FROM_MODEL &&
	        library_is_assumed(s->about.mpi)) ||
	       strcmp(sim_selector(s), "default") == 0;
}

const char *sim_selector_why(const struct sim *s)
{
	return s->selector_why.s ? s->selector_why.s : "";
}

int sim_begun(const struct sim *s)
{
	return s->ran;
}

int sim_is_graph(const struct sim *s)
{
	return s->is_graph;
}

void sim_stats(const struct sim *s, struct mp_stats *out)
{
	if (s->is_graph)
		*out = (struct mp_stats){.end = s->graph.end,
		                         .messages = s->graph.messages,
		                         .operations = s->graph_ops,
		                         .bytes = s->graph.bytes};
	else
		mp_stats(s->mp, out);
}

uint64_t sim_actions(const struct sim *s)
{
	return s->is_graph ? s->graph_ops : s->source.actions(s->source.self);
}

void sim_source_text(const struct sim *s, struct str *out)
{
	if (s->source.text && !s->is_graph)
		s->source.text(s->source.self, out);
}

void sim_source_json(const struct sim *s, struct json *j)
{
	if (s->source.json && !s->is_graph)
		s->source.json(s->source.self, j);
}

double sim_wall(const struct sim *s)
{
	return s->wall;
}

const struct profile *sim_profile(const struct sim *s)
{
	return s->profile;
}

void sim_shares(const struct sim *s, struct profile_shares *out)
{
	double all = s->graph.end * s->about.ranks, waits;

	*out = (struct profile_shares){.ranks = s->about.ranks, .makespan = s->graph.end};
	if (s->profile)
		profile_shares(s->profile, out);
	if (!s->is_graph || s->profile || !(all > 0))
		return;
	out->seconds[TIME_COMPUTE] = s->graph.computing;
	out->seconds[TIME_P2P] = s->graph.sending;
	out->seconds[TIME_IDLE] = s->graph.idle;
	waits = all - s->graph.computing - s->graph.sending - s->graph.idle;
	out->seconds[TIME_WAIT] = waits > 1e-12 * all ? waits : 0; /* more than rounding */
	for (int c = 0; c < TIME_CLASSES; c++)
		out->share[c] = out->seconds[c] / all;
}

void sim_path(const struct sim *s, struct mp_path *out)
{
	if (s->is_graph)
		*out = (struct mp_path){.computed = s->graph.path};
	else
		mp_path(s->mp, out);
}

struct explainer *sim_explainer(const struct sim *s)
{
	return s->explainer;
}

const char *sim_notices(const struct sim *s)
{
	return s->notices.s ? s->notices.s : "";
}

const char *sim_findings(const struct sim *s)
{
	return s->findings.s ? s->findings.s : "";
}

const struct err *sim_lost(const struct sim *s)
{
	return &s->lost;
}

void sim_settings_given(const struct sim *s, struct str *out)
{
	for (int i = 0; i < CFG_COUNT; i++) {
		if (config_from(&s->cfg, (enum config_id)i) >= CFG_FROM_PLATFORM)
			str_printf(out, "%s%s:%s", out->n ? " " : "", config_table[i].name,
			           config_text(&s->cfg, (enum config_id)i));
	}
}
