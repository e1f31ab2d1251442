/* spawn.h: dynamic processes: what MPI_Init does in a process that was spawned. */
#ifndef ORRERY_LIBMPI_SPAWN_H
#define ORRERY_LIBMPI_SPAWN_H

#include "objects/comm.h"

/* Whether this process was spawned; after link_open. */
int spawn_world(void);
/* Its MPI_COMM_WORLD's group; NULL: no memory. */
struct orr_group *spawn_members(void);
/* When the simulator knows that the rank is in MPI: it joins its world, and its parents'
 * communicator. Nothing in a process that was not spawned. */
int spawn_begin(void);
/* A communicator is freed: perhaps that of the parents. */
void spawn_forget(MPI_Comm comm);
/* Ports and joinings are counted: which one of this process it is, from 1. */
enum spawn_counted { SPAWN_PORTS, SPAWN_JOINS, SPAWN_COUNTS };
uint32_t spawn_count(enum spawn_counted what);

#endif
