/* place.c: ranks on hosts, for sweeps and tuning files. */
#include "study_int.h"

#include <stdlib.h>

int study_place_make(struct place *place, const struct platform *p, const char *hostfile,
                     int oversubscribe, int64_t ranks, struct config *cfg, struct err *err)
{
	uint32_t *host;
	int r;

	if (placement_make(p, hostfile, (uint32_t)ranks, config_compat(cfg), oversubscribe,
	                   &place->hosts, cfg, err) < 0)
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
