/* p2p.h: arguments of messages, checked and looked up. */
#ifndef ORRERY_LIBMPI_P2P_H
#define ORRERY_LIBMPI_P2P_H

#include "request.h"

struct core_comm {      /* behind struct orr_comm.core */
	uint32_t id;    /* this rank's number of it */
	uint32_t made;  /* communicators made of it so far */
	uint32_t turns; /* of windows and files made on it (meet.h) */
	int topology;   /* the simulator knows it */
};
static inline struct core_comm *comm_core(const struct orr_comm *c)
{
	return c->core;
}

/* A communicator of the same members that the program does not see: its number; and it ends. */
uint32_t comm_shadow(struct orr_comm *c);
/* This rank joins a communicator of these groups under a name that all members know; both sides of
 * one with two groups. Between link_enter and link_leave. */
int comm_join(uint64_t name, struct orr_group *local, struct orr_group *remote,
              struct orr_comm **out);
/* The simulator's communicator of MPI_COMM_WORLD in a process that was spawned. */
void comm_join_world(uint64_t name, struct orr_comm *world);
/* The next name of something made of this communicator, alike at all members. */
uint64_t comm_next_name(struct orr_comm *c);
void comm_shadow_end(uint32_t number);
/* The simulator is told the neighbours of c, for the communicator of this number. */
void comm_topology_tell(struct orr_comm *c, uint32_t number);

struct args { /* of a message, looked up */
	struct orr_comm *comm;
	struct orr_type *type;
	uint64_t bytes;
};
int args_find(MPI_Count count, MPI_Datatype datatype, MPI_Comm comm, struct args *a);
/* A rank as a process: WIRE_NOBODY, WIRE_ANY; an error code. */
int peer_find(const struct orr_comm *c, int rank, int receives, int32_t *peer);
/* What orr_error_note says of a rank that is none of n: the code. */
int rank_note(int code, int rank, int n);
int tag_check(int tag, int receives);
int buffer_check(const void *buf, int64_t bytes, const struct orr_type *type);
/* Whether all that lies between the first byte and the last is folded memory: then no data move. */
int data_is_folded(const void *buf, MPI_Count count, const struct orr_type *type);
/* payload.c: the packed data of a send in a block, 0 if there are none; and to where it is
 * received, the first n bytes of it. */
uint64_t pack_block(const void *buf, MPI_Count count, struct orr_type *type, uint64_t bytes);
void unpack_block(void *buf, MPI_Count count, struct orr_type *type, uint64_t n, uint64_t block);
/* enum coll_types of what a type is made of, derived ones too where all of it is alike. */
uint8_t elements_class(const struct orr_type *type);
void message_fill(struct wire_message *m, const struct args *a, int32_t peer, int tag,
                  uint32_t request);

#endif
