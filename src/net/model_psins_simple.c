/* model_psins_simple.c: PSINS's simple model: as many busses and links as anybody wants. A message
 * of s bytes takes
 *
 *     latency + s / bandwidth
 *
 * with the figures between nodes or those inside one: a lower bound of its time (Tikir et al.,
 * Euro-Par 2009, 3.1). */
#include "psins.h"

static int simple_message(struct net *n, void *state, const struct net_send *s,
                          struct net_sent *out, struct err *err)
{
	struct psins *p = state;
	struct bus_way w;

	if (bus_way(&p->machine, n, s->from, s->to, &w, err) < 0)
		return -1;
	bus_stretch(&w, s->stretch);
	return psins_send(n, &w, s, engine_now(n->engine), "", out, err);
}

static void simple_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                           double bytes, struct str *out)
{
	struct psins *p = state;

	bus_describe(&p->machine, n, from, to, bytes, out);
	str_puts(out, "; it waits for nothing.");
}

static const enum config_id own[] = {BUS_OWN, CFG_PSINS_COLLECTIVES, CFG_COUNT};

const struct net_model net_model_psins_simple = {
    .name = "psins-simple",
    .aliases = "psins psins_simple",
    .help = "PSINS: latency + bytes / bandwidth, no contention",
    .own = own,
    .bare = 1,
    .whole = 1,
    .collective = psins_collective,
    .settings = psins_settings,
    .init = psins_init,
    .release = psins_release,
    .message = simple_message,
    .links = LINKS_AT_START,
    .explain = simple_explain,
};
