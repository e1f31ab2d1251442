/* notices.c: what the user of a study is told once, and not for each of its runs: links that change
 * and settings that the communication model does not follow; what it makes of pipelines. */
#include "study_int.h"

#include "mp/contest/coll_measure.h"

#include <string.h>

/* Segments of a pair of ranks that are under way together share the links, so that each hop of a
 * pipeline takes the whole message: a study of algorithms finds them slow. Who has chosen the order
 * knows. */
static void pipelines_tell(const struct net *net, struct config *cfg)
{
	if (net_takes_parts(net) && !config_compat(cfg) &&
	    strcmp(config_text(cfg, CFG_SMPI_CONNECTIONS), "none") == 0 &&
	    config_from(cfg, CFG_SMPI_CONNECTIONS) != CFG_FROM_USER)
		str_printf(&cfg->notices,
		           "segments that one rank sends another share the links, which makes "
		           "pipelines slow; where the network keeps their order, as TCP does, give "
		           "--cfg smpi/connections:ordered (docs/collectives.md)\n");
}

int notices_add(const struct platform *p, struct config *cfg, struct err *err)
{
	struct net *net = net_new(p, cfg, err);
	int r;
	if (!net)
		return -1;
	r = net_notices(net, &cfg->notices);
	pipelines_tell(net, cfg);
	net_free(net);
	return r < 0 || cfg->notices.failed ? err_nomem(err, "notices", cfg->notices.n) : 0;
}

int large_tell(enum coll_kind k, int64_t ranks, uint32_t large, uint32_t n, struct config *cfg,
               struct err *err)
{
	if (large)
		str_printf(&cfg->notices,
		           "%s on %lld ranks: %u of %u ways to do it send over %.0f million "
		           "messages and were not simulated: one of them may be the fastest\n",
		           coll_kind_name(k), (long long)ranks, large, n, MEASURE_MESSAGES / 1e6);
	return cfg->notices.failed ? err_nomem(err, "notices", cfg->notices.n) : 0;
}

int study_means_little(const struct config *cfg)
{
	static const enum config_id overheads[] = {CFG_SMPI_OS, CFG_SMPI_OR, CFG_SMPI_OIS};

	for (size_t i = 0; i < sizeof overheads / sizeof *overheads; i++)
		if (config_from(cfg, overheads[i]) != CFG_FROM_DEFAULT)
			return 0;
	return net_factors_of(config_text(cfg, CFG_NET_MODEL)) >= 0;
}
