/* dimemas.h: what the two files of Dimemas's model share. */
#ifndef ORRERY_NET_DIMEMAS_H
#define ORRERY_NET_DIMEMAS_H

#include "bus.h"
#include "bus_queue.h"

enum fan_model { FAN_0, FAN_CONSTANT, FAN_LINEAR, FAN_LOGARITHMIC };
enum fan_size { FAN_MIN, FAN_MAX, FAN_MEAN, FAN_2MAX, FAN_SUM };

/* One phase of a collective. */
struct fan {
	uint8_t model, size;
};

struct dimemas {
	struct bus_machine machine;
	struct bus_queue queue;
	uint32_t local_busses, local_in, local_out;
	int half;
	struct fan in[NET_COLLS], out[NET_COLLS];
};

/* dimemas_coll.c */
int dimemas_fans_read(struct dimemas *d, const struct net *n, struct err *err);
int dimemas_collective(struct net *n, void *state, const struct net_collective *c, double *seconds,
                       struct err *err);

#endif
