/* model_hybrid.c: flows whose latency and bandwidth depend on the message size by a table: SMPI's
 * model, the default here. With the overheads and thresholds that mp adds it is a LogGPS model with
 * contention (Bedaride et al., "Toward better simulation of MPI applications on Ethernet/TCP
 * networks", PMBS 2013; Degomme et al., "Simulating MPI applications: the SMPI approach", TPDS
 * 2017, section 3.2). */
#include "model_flow.h"

/* Calibrated on TACC's Stampede (SimGrid's default tables). */
static const char latency_factors[] =
    "65472:11.6436;15424:3.48845;9376:2.59299;5776:2.18796;3484:1.88101;"
    "1426:1.61075;732:1.9503;257:1.95341;0:2.01467";
static const char bandwidth_factors[] =
    "65472:0.940694;15424:0.697866;9376:0.58729;5776:1.08739;3484:0.77493;"
    "1426:0.608902;732:0.341987;257:0.338112;0:0.812084";

const struct net_model_default net_hybrid_defaults[] = {
    {CFG_NET_LATENCY_FACTOR, latency_factors},
    {CFG_NET_BANDWIDTH_FACTOR, bandwidth_factors},
    {CFG_NET_WEIGHT_S, "8775"},
    {CFG_COUNT, NULL},
};

const struct net_model net_model_hybrid = {
    .name = "hybrid",
    .aliases = "SMPI",
    .help = "flows with factors by message size, as SMPI: the default",
    .defaults = net_hybrid_defaults,
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
