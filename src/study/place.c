/* place.c: ranks on hosts, for sweeps and tuning files. */
#include "study_int.h"

#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

/* By default ranks are of 4 hosts to 64: more take longer than who first tries would wait. */
enum { RANKS_LEAST = 4, RANKS_MOST = 64 };

int study_ranks_usual(const struct platform *p, const struct study_where *where, struct sizes *s,
                      struct err *err)
{
	uint64_t places = (uint64_t)platform_host_count(p) * (where->ppn ? where->ppn : 1);
	char text[32];

	if (where->hostfile || where->oversubscribe || platform_has_map(p) || places > RANKS_MOST)
		places = RANKS_MOST;
	if (places > RANKS_LEAST)
		snprintf(text, sizeof text, "%d..%d", RANKS_LEAST, (int)places);
	else
		snprintf(text, sizeof text, "%d", (int)places);
	return sizes_parse(s, text, "--np", RANKS_MOST, err);
}

static int hosts_choose(struct placement *out, const struct platform *p,
                        const struct study_where *w, uint32_t ranks, struct config *cfg,
                        struct err *err)
{
	return w->ppn && !w->hostfile
	           ? place_by_words(p, SIM_MAP_FILL, w->ppn, ranks, w->oversubscribe, out,
	                            &cfg->notices, err)
	           : placement_make(p, w->hostfile, ranks, config_compat(cfg),
	                            w->oversubscribe ? PLACEMENT_ANY : PLACEMENT_PLACES, out, cfg,
	                            err);
}

int study_place_make(struct place *place, const struct platform *p, const struct study_where *where,
                     int64_t ranks, struct config *cfg, struct err *err)
{
	uint32_t *host;
	int r;

	if (hosts_choose(&place->hosts, p, where, (uint32_t)ranks, cfg, err) < 0)
		return -1;
	host = malloc(place->hosts.n * sizeof *host);
	if (!host)
		return err_nomem(err, "hosts", place->hosts.n * sizeof *host);
	for (uint32_t i = 0; i < place->hosts.n; i++)
		host[i] = place->hosts.host[i].v;
	r = coll_shape_init(&place->shape, host, place->hosts.n, err);
	free(host);
	return r;
}

void study_place_release(struct place *place)
{
	placement_release(&place->hosts);
	coll_shape_release(&place->shape);
}
