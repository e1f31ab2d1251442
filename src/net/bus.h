/* bus.h: the machine that the models of PSINS and of Dimemas have in common: nodes, each with links
 * out and links in, joined by busses. One message between two nodes takes a link out of the one, a
 * bus, and a link into the other; one inside a node none of them.
 *
 * Its figures are settings, or properties of hosts (what a PSINS machine description turns into),
 * or else come from routes: docs/models.md. */
#ifndef ORRERY_NET_BUS_H
#define ORRERY_NET_BUS_H

#include "net_int.h"

#include <math.h>

/* Settings of nodes and ways that all these models read (net_model.own). */
#define BUS_OWN CFG_BUS_BANDWIDTH, CFG_BUS_LATENCY, CFG_BUS_LOCAL_BANDWIDTH, CFG_BUS_LOCAL_LATENCY

/* A node: a host, or all hosts whose property psins/node has one value. */
struct bus_node {
	double latency, bandwidth; /* inside it: s, bytes/s (0: no limit); negative: of the host's
	                              route to itself */
	uint32_t in, out;          /* links; 0: no limit */
};

struct bus_machine {
	double latency,
	    bandwidth;         /* between nodes: s, bytes/s (0: no limit); negative: of the route */
	uint32_t busses;       /* 0: no limit */
	struct bus_node usual; /* where a host's properties say nothing */
	uint32_t *node_of;     /* of each host: node + 1, or 0 when not yet seen */
	struct bus_node *nodes;
	uint32_t n, cap;
	struct hash_str names; /* of the nodes that several hosts share */
};

int bus_init(struct bus_machine *m, struct net *n, struct err *err);
void bus_release(struct bus_machine *m);
/* The node of a host, made when first asked for; -1 on error. */
int64_t bus_node_of(struct bus_machine *m, struct net *n, struct host_id h, struct err *err);

/* The way of one message. */
struct bus_way {
	uint32_t from, to;         /* nodes; the same: inside it */
	double latency, bandwidth; /* s, bytes/s (0: no limit) */
};
int bus_way(struct bus_machine *m, struct net *n, struct host_id from, struct host_id to,
            struct bus_way *out, struct err *err);
/* With the noise of a message. */
static inline void bus_stretch(struct bus_way *w, double factor)
{
	w->latency *= factor;
	w->bandwidth /= factor;
}
/* Seconds that the body of a message takes. */
static inline double bus_body(const struct bus_way *w, double bytes)
{
	return w->bandwidth > 0 ? bytes / w->bandwidth : 0;
}
/* "a to b, 1000 bytes: latency 1e-05 s, then 1e+09 bytes/s" */
void bus_describe(struct bus_machine *m, struct net *n, struct host_id from, struct host_id to,
                  double bytes, struct str *out);

/* --- the members of a collective --- */

/* Nodes with equal figures and as many members. */
struct bus_class {
	uint32_t members;
	double latency, bandwidth; /* inside a node */
};
struct bus_group {
	uint64_t changes; /* of links, when it was made */
	uint32_t nodes;
	double latency, bandwidth; /* between nodes; by routes: the greatest and the least from the
	                              first member to the others */
	uint32_t n_classes;
	struct bus_class classes[];
};
/* Made at the first call of a communicator, then kept in its memo. NULL on error. */
const struct bus_group *bus_group(struct bus_machine *m, struct net *n,
                                  const struct net_collective *c, struct err *err);
/* Bytes that one member gives to one other in the plainest algorithm: the whole buffer, or a block
 * of it. */
double bus_block(const struct net_collective *c);
/* "operation:words;operation:words;…" of a setting: calls `put` with each operation and its
 * words. */
typedef int bus_coll_fn(void *self, enum net_coll kind, const char *words, size_t n,
                        struct err *err);
int bus_collectives_parse(const struct net *n, enum config_id id, bus_coll_fn *put, void *self,
                          struct err *err);

/* --- reservations: k equal servers, each busy until some date --- */

/* The dates until which they are reserved, as a binary heap: the earliest first. Those never used
 * are not in it. */
struct servers {
	double *until;
	uint32_t n, cap;
};
/* Reserves one of k (0: no limit) for `seconds`, from the earliest date >= now at which one is
 * free: *start. To be called with dates that never go back. */
int servers_reserve(struct servers *s, uint32_t k, double now, double seconds, double *start,
                    struct err *err);

#endif
