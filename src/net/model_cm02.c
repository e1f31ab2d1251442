/* model_cm02.c: flows as they are: no factors, shares by round-trip time alone (Casanova and
 * Marchal, "A network model for simulation of grid applications", INRIA RR-4596, 2002). */
#include "model_flow.h"

static const struct net_model_default defaults[] = {
    {CFG_NET_LATENCY_FACTOR, "1"},
    {CFG_NET_BANDWIDTH_FACTOR, "1"},
    {CFG_NET_WEIGHT_S, "0"},
    {CFG_COUNT, NULL},
};

const struct net_model net_model_cm02 = {
    .name = "CM02",
    .aliases = "",
    .help = "flows without factors",
    .defaults = defaults,
    .own = flow_model_own,
    .init = flow_model_init,
    .release = flow_model_release,
    .message = flow_model_message,
    .parts = 1,
    .alone = flow_model_alone,
    .revise = flow_model_revise,
    .sharing = flow_model_sharing,
    .bound = flow_model_bound,
    .explain = flow_model_explain,
};
