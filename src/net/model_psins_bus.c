/* model_psins_bus.c: PSINS's bus-only model: the number of busses is limited, links are not. A
 * message between two nodes reserves the one that is free first, for the time of its body s /
 * bandwidth, from the date at which it is sent or the one at which that becomes free, whichever is
 * later; it arrives its latency after the reservation's end. First sent, first served. Inside a
 * node nothing is reserved (Tikir et al., Euro-Par 2009, 3.1). */
#include "psins.h"

static int psins_bus_message(struct net *n, void *state, const struct net_send *s,
                             struct net_sent *out, struct err *err)
{
	struct psins *p = state;
	double start = engine_now(n->engine);
	struct bus_way w;

	if (bus_way(&p->machine, n, s->from, s->to, &w, err) < 0)
		return -1;
	bus_stretch(&w, s->stretch);
	if (w.from != w.to && servers_reserve(&p->busses, p->machine.busses, start,
	                                      bus_body(&w, s->bytes), &start, err) < 0)
		return -1;
	return psins_send(n, &w, s, start, "waits for a bus", out, err);
}

static void psins_bus_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                              double bytes, struct str *out)
{
	struct psins *p = state;

	bus_describe(&p->machine, n, from, to, bytes, out);
	str_printf(out, "; a message between nodes waits for one of %u busses (0: no limit).",
	           p->machine.busses);
}

static const enum config_id own[] = {BUS_OWN, CFG_PSINS_COLLECTIVES, CFG_BUS_BUSSES, CFG_COUNT};

const struct net_model net_model_psins_bus = {
    .name = "psins-bus",
    .aliases = "psins_bus psins-bus-only bus-only",
    .help = "PSINS: a limited number of busses, reserved at the earliest date",
    .own = own,
    .bare = 1,
    .whole = 1,
    .collective = psins_collective,
    .init = psins_init,
    .release = psins_release,
    .message = psins_bus_message,
    .links = LINKS_AT_START,
    .explain = psins_bus_explain,
};
