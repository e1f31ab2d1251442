/* loggps_int.h: what model_loggps.c (parameters, formulas) and loggps_port.c (who has the processor
 * and the interface, and when) share. */
#ifndef ORRERY_NET_LOGGPS_INT_H
#define ORRERY_NET_LOGGPS_INT_H

#include "net_int.h"

enum { NOBODY = 0xffffffffu };

/* Seconds, seconds per byte; S in bytes. */
struct loggps {
	double L, o, g, G, O, S;
	int handshake;
};

/* What of a message is under way. */
enum phase { PHASE_REQUEST, PHASE_ACK, PHASE_DATA };

/* A message, by the caller's slot. It is in one queue at a time. 56 bytes. */
struct port_msg {
	double bytes;
	uint64_t order; /* among all that wants a port: what came first into being goes first */
	uint64_t sent, arrived;
	uint64_t complete; /* synchronous: user of "its sender may go on"; 0: eager, or told */
	uint32_t from, to, next;
	uint8_t phase;
	uint8_t matched : 1; /* its receive is posted */
	uint8_t here : 1;    /* DATA: the receiver handles it; REQUEST: has handled it */
	uint8_t batch : 1;   /* of a non-blocking call */
};

struct queue_ends {
	uint32_t first, last;
};

/* A rank's processor and interface. 104 bytes. */
struct port {
	uint64_t order; /* of the rank's next operation: when the one before it began */
	uint64_t done;  /* user of the completion when the processor is free again; 0: none */
	double until;   /* date until which the processor is busy with a message */
	double out, in; /* dates until which the interface is busy sending, receiving */
	double look;    /* date of the event that will look at this port; INFINITY: none */
	double volume;  /* of the computation that waits */
	uint64_t user, volume_order; /* of it */
	struct queue_ends arrived;   /* messages that wait for the processor */
	struct queue_ends wanted;    /* the rank's own sends that do */
	struct host_id host;
	uint32_t next;          /* in the list of ports touched */
	uint8_t busy, computes; /* computes: a computation waits */
	uint8_t touched;
};

struct loggps_model {
	struct loggps p;
	struct port *ports;
	uint32_t n_ports;
	struct port_msg *msgs;
	double *stretch; /* of each message's time on the network (noise), from the first one that
	                    has another than 1; or NULL */
	uint32_t n_msgs, msgs_cap, stretch_cap;
	uint64_t order;
	struct queue_ends touched; /* ports at which something has changed */
};

int loggps_ports_add(struct net *n, void *state, const struct host_id *host, uint32_t count,
                     struct err *err);
int loggps_send(struct net *n, void *state, const struct port_send *s, struct err *err);
void loggps_received(void *state, uint32_t port);
int loggps_matched(struct net *n, void *state, uint32_t slot, struct err *err);
int loggps_compute(struct net *n, void *state, uint32_t port, double volume, uint64_t user,
                   struct err *err);
int loggps_settle(struct net *n, void *state, struct err *err);
int loggps_event(struct net *n, void *state, uint32_t id, uint64_t *user, struct err *err);

#endif
