/* core.h: what the objects need of those who communicate (libmpi/core defines it; the tests of
 * objects have their own). All return error codes of MPI. */
#ifndef ORRERY_LIBMPI_CORE_H
#define ORRERY_LIBMPI_CORE_H

#include <stddef.h>

#include "comm.h"

/* Ends the program: `message` is one or more whole lines, without rank. Does not return. */
_Noreturn void orr_core_abort(const char *message, int code);
/* Finds the simulator, if nothing has yet: names of hosts are known then. */
void orr_core_attach(void);
/* This process's number, 0 before MPI_Init; the name of its simulated host. */
int orr_core_process(void);
const char *orr_core_host(void);
/* The command, where this process is no process of its own; NULL: it is. */
char *const *orr_core_words(void);
/* Whether MPI_Init was called, and MPI_Finalize not yet. */
int orr_core_running(void);
/* What the members of a communicator agree on when one is made of it, and what that takes:
 * mp_agreement of src/mp/mp.h. NOTHING: they have agreed already. */
enum orr_agreement { ORR_AGREE_ALL, ORR_AGREE_SPLIT, ORR_AGREE_NOTHING };
/* Collective over parent (an intracommunicator): a communicator of the members (of which this
 * process may be none: then *out is NULL; members may differ from rank to rank if they are
 * disjoint), without attributes or topology. */
int orr_core_comm_make(struct orr_comm *parent, struct orr_group *members, enum orr_agreement what,
                       struct orr_comm **out);
/* A communicator goes: what is behind context and core. */
void orr_core_comm_end(struct orr_comm *c);
/* Collective: everybody's bytes, which may be more here than there, in the order of ranks, until
 * orr_core_taken; what that takes is what a library needs to know all neighbours of a graph of
 * which each rank gave some edges. And, when the communicator has them: they are told who they are.
 */
const void *orr_core_edges(struct orr_comm *c, const void *mine, size_t n, size_t *total,
                           uint64_t *kept);
void orr_core_edges_told(struct orr_comm *c);
/* Collective: everybody's n bytes, in the order of ranks, in no time: for what real libraries need
 * no message for. In two halves, between which something is done that ends, at each, when all have
 * come: so nobody waits in the simulation for what only the processes here need. There is one copy
 * for all, which may be read until orr_core_taken. */
struct orr_giving {
	uint32_t meeting, is_told;
	uint64_t block;
};
void orr_core_give(struct orr_comm *c, const void *mine, size_t n, struct orr_giving *g);
const void *orr_core_take(struct orr_comm *c, const struct orr_giving *g, uint64_t *kept);
void orr_core_taken(uint64_t kept); /* 0: nothing was */
/* How many processes MPI_COMM_WORLD has. */
int orr_core_processes(void);
/* Which of the commands of an MPI_Comm_spawn_multiple this process is of. */
const int *orr_core_appnum(void);
/* How many processes there may be at once; NULL: it was not said. */
const int *orr_core_universe(void);
/* The level of threads that there is where this one is asked for. */
int orr_core_level(int required);
/* A session begins: what MPI_Init does for communication, if nobody has yet; and ends. */
int orr_core_session_begin(void);
int orr_core_session_end(void);
/* Where the program called from, as the simulator knows it. */
uint64_t orr_core_site(void);
/* Waits until all buffered messages have gone. */
int orr_core_buffer_wait(void);
/* A request that is complete when those have gone that are there now. */
int orr_core_buffer_iflush(MPI_Request *request);
/* Bytes of buffered messages that have not gone, of those of more than `least` bytes. */
int64_t orr_core_buffer_fill(uint32_t least);

#endif
