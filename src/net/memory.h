/* memory.h: the memory of a socket, whose bandwidth ranks that compute there share. */
#ifndef ORRERY_NET_MEMORY_H
#define ORRERY_NET_MEMORY_H

#include "engine/engine.h"
#include "platform/platform.h"

struct net;

/* memory/bandwidth and computation/memory-traffic; either 0: computations share cores alone. */
struct net_memory {
	double bandwidth;   /* bytes/s of a socket */
	double traffic;     /* bytes/s that a rank moves while it computes at full speed */
	uint32_t sockets;   /* of a host */
	int fill;           /* ranks fill one socket's cores after the other; else they go round */
	uint32_t *resource; /* by host * sockets + socket: resource + 1, or 0 */
};
int memory_init(struct net *n, struct err *err);
void memory_release(struct net_memory *m);
int memory_shared(const struct net_memory *m);
/* The use that a computation on that socket makes of its memory, per unit of `speed` units/s. */
int memory_use(struct net *n, struct host_id h, uint32_t socket, double speed, struct flow_use *out,
               struct err *err);
/* "memory of HOST", if the resource is one of them: 1. */
int memory_name(const struct net *n, struct resource_id r, char *buf, size_t size);

#endif
