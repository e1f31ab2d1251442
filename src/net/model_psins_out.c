/* model_psins_out.c: PSINS's outgoing-link-only model: the number of links from a node to the
 * busses is limited, busses and links in are not. A message between two nodes reserves the one that
 * is free first, for the time of its body s / bandwidth, from the date at which it is sent or the
 * one at which that becomes free, whichever is later; it arrives its latency after the
 * reservation's end. First sent, first served. Inside a node nothing is reserved (Tikir et al.,
 * Euro-Par 2009, 3.1). */
#include "psins.h"

static int out_message(struct net *n, void *state, const struct net_send *s, struct net_sent *out,
                       struct err *err)
{
	return psins_reserve(n, state, s, PSINS_OUT, out, err);
}

static void out_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                        double bytes, struct str *out)
{
	struct psins *p = state;

	bus_describe(&p->machine, n, from, to, bytes, out);
	str_puts(out, "; a message between nodes waits for a link out of its node.");
}

static const enum config_id own[] = {BUS_OWN, CFG_PSINS_COLLECTIVES, CFG_BUS_OUT_LINKS, CFG_COUNT};

const struct net_model net_model_psins_out = {
    .name = "psins-out",
    .aliases = "psins_out psins-out-link outgoing-link-only",
    .help = "PSINS: a limited number of links out of each node, reserved at the earliest date",
    .own = own,
    .bare = 1,
    .whole = 1,
    .collective = psins_collective,
    .init = psins_init,
    .release = psins_release,
    .message = out_message,
    .links = LINKS_AT_START,
    .explain = out_explain,
};
