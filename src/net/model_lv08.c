/* model_lv08.c: flows with one latency and one bandwidth factor, fitted to a packet-level simulator
 * for grids (Velho and Legrand, "Accuracy study and improvement of network simulation in the
 * SimGrid framework", SIMUTools 2009). */
#include "model_flow.h"

static const struct net_model_default defaults[] = {
    {CFG_NET_LATENCY_FACTOR, "13.01"},
    {CFG_NET_BANDWIDTH_FACTOR, "0.97"},
    {CFG_NET_WEIGHT_S, "20537"},
    {CFG_COUNT, NULL},
};

const struct net_model net_model_lv08 = {
    .name = "LV08",
    .aliases = "",
    .help = "flows with one latency factor (13.01) and one bandwidth factor (0.97)",
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
