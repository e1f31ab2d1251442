/* ports.h: models in which a message is an affair of two processes, not of two hosts. */
#ifndef ORRERY_NET_PORTS_H
#define ORRERY_NET_PORTS_H

#include "net.h"

/* In some models (LogGPS) messages keep the processes at both ends busy: each process then
 * has a port, a processor and a network interface of its own, and asks it before it sends or
 * computes. The caller numbers ports and messages as it likes, from 0. */
struct port_send {
	uint32_t slot;     /* the message's number: free again when it has arrived */
	uint32_t from, to; /* ports */
	double stretch;    /* as of net_send */
	double bytes;      /* of the program, without envelope */
	uint64_t sent;     /* completion: the call that sends may go on; 0: nobody waits for that */
	uint64_t arrived;  /* completion: the receiver has it */
	uint64_t complete; /* 0: eager. Else synchronous: completion "the receiver is there, the
	                      sender has done its part" */
	int batch;         /* of a non-blocking call: those that follow belong to it */
};
struct net_ports {
	double (*eager)(
	    void *state); /* largest message, in bytes, that does not wait for its receive */
	int (*add)(struct net *n, void *state, const struct host_id *host, uint32_t count,
	           struct err *err); /* once */
	int (*send)(struct net *n, void *state, const struct port_send *s, struct err *err);
	/* The process has posted a receive: what it asks for next comes after all that the port has
	 * seen. */
	void (*received)(void *state, uint32_t port);
	/* The receive of a synchronous message is posted. 1: that has waited for it, and goes on
	 * now; 0; -1. */
	int (*matched)(struct net *n, void *state, uint32_t slot, struct err *err);
	int (*compute)(struct net *n, void *state, uint32_t port, double volume, uint64_t user,
	               struct err *err);
};
/* The ports of the model chosen, or NULL: then messages and computations are net_message's and
 * net_compute's. */
const struct net_ports *net_ports(const struct net *n);
void *net_state(struct net *n); /* what the functions of net_ports take */

/* LogGPS in figures: seconds, O and G per byte, S in bytes. */
struct net_loggps {
	double L, o, g, G, O, S;
};
/* 1: messages follow these figures and nothing else of the machine or the settings changes what
 * they and computations take; 0: they do not, or something may. */
int net_loggps(const struct net *n, struct net_loggps *out);

#endif
