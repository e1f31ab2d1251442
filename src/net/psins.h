/* psins.h: what the models of PSINS share (M. M. Tikir, M. A. Laurenzano, L. Carrington, A.
 * Snavely, "PSINS: an open source event tracer and execution simulator for MPI applications",
 * Euro-Par 2009, section 3). Where the paper is silent, docs/models.md says what was assumed. */
#ifndef ORRERY_NET_PSINS_H
#define ORRERY_NET_PSINS_H

#include "bus.h"

/* How the time of a collective grows with the number of its members. */
enum psins_growth { PSINS_CONSTANT, PSINS_LOGARITHMIC, PSINS_LINEAR };

struct psins {
	struct bus_machine machine;
	enum psins_growth growth[NET_COLLS];
	struct servers busses;
	struct servers *links; /* of each node, in or out */
	uint32_t links_cap;
};

int psins_setup(struct psins *p, struct net *n,
                struct err *err); /* of zeroed memory; psins_clear also after an error */
void psins_clear(struct psins *p);
int psins_init(struct net *n, void **state, struct err *err);
void psins_release(void *state);
/* Collectives of the simple model (psins_coll.c). */
int psins_settings(const struct net *n, struct err *err); /* psins/collectives */
int psins_growth_read(struct psins *p, const struct net *n, struct err *err);
int psins_collective(struct net *n, void *state, const struct net_collective *c, double *seconds,
                     struct err *err);
/* The message begins to move at `start`, for what it waits until then ("waits for a bus"), and
 * arrives after its body and its latency. */
int psins_send(struct net *n, const struct bus_way *w, const struct net_send *s, double start,
               const char *waits, struct net_sent *out, struct err *err);

/* A message between nodes that reserves a link into the receiver's node, or one out of the
 * sender's, where their number is limited. */
enum psins_way { PSINS_IN, PSINS_OUT };
int psins_reserve(struct net *n, struct psins *p, const struct net_send *s, enum psins_way way,
                  struct net_sent *out, struct err *err);

#endif
