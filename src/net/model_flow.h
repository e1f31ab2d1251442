/* model_flow.h: the family of flow models (SimGrid's CM02 and its descendants): one mechanism,
 * different parameters. */
#ifndef ORRERY_NET_MODEL_FLOW_H
#define ORRERY_NET_MODEL_FLOW_H

#include "net_int.h"

/* Settings that all of them read (net_model.own), and the list of those that read no others. */
#define FLOW_MODEL_OWN \
	CFG_NET_LATENCY_FACTOR, CFG_NET_BANDWIDTH_FACTOR, CFG_NET_WEIGHT_S, CFG_NET_TCP_GAMMA, \
	    CFG_NET_CROSSTRAFFIC, CFG_NET_CROSSTRAFFIC_SHARE, CFG_NET_BURST, CFG_NET_BURST_HEADER
extern const enum config_id flow_model_own[];

int flow_model_init(struct net *n, void **state, struct err *err);
void flow_model_release(void *state);
int flow_model_message(struct net *n, void *state, const struct net_send *s, struct net_sent *out,
                       struct err *err);
double flow_model_alone(struct net *n, void *state, struct host_id from, struct host_id to,
                        double bytes, struct err *err);
int flow_model_revise(struct net *n, void *state, struct net_revision *r, struct err *err);
void flow_model_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                        double bytes, struct str *out);

/* What a message of so many bytes is on its links: bytes over the bandwidth factor. */
double flow_model_amount(void *state, double bytes);
/* The bound and the weight of a flow that flow_model_message starts. */
int flow_model_sharing(struct net *n, void *state, struct host_id from, struct host_id to,
                       double bytes, double *bound, double *weight, struct err *err);
extern const struct net_model_default net_hybrid_defaults[]; /* model_hybrid.c */
const char *flow_model_bound(struct net *n, void *state, struct host_id from, struct host_id to,
                             char *buf, size_t size);

#endif
