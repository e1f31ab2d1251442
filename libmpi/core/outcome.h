/* outcome.h: two groups that get to know each other become an intercommunicator: those of a parent
 * and its children, of the two sides of a port, of the two ends of a socket. The root of a call
 * learns from the simulator who is there: the outcome, which it tells the others. */
#ifndef ORRERY_LIBMPI_OUTCOME_H
#define ORRERY_LIBMPI_OUTCOME_H

#include "objects/comm.h"

/* From what a communicator's name is made. */
enum { NAME_WORLD = 41, NAME_PARENT = 43, NAME_PORT = 47, NAME_JOIN = 53 };

struct outcome {
	int32_t code;
	uint32_t number; /* of the new world, or the meeting at a port */
	uint32_t n;      /* world ranks of the others, which follow */
};

/* NULL: no memory. */
struct outcome *outcome_new(int code, uint32_t number, const void *members, uint32_t n);
/* The root's outcome, at all; mine is freed, what is returned is to be. NULL: no memory. */
struct outcome *outcome_tell(struct orr_comm *c, int root, struct outcome *mine);
/* The intercommunicator of c's members and those of the outcome. MPI's error codes. */
int outcome_join(struct orr_comm *c, uint64_t kind, const struct outcome *o, MPI_Comm *out);
/* Whether a call with a root may be made on it. */
int outcome_check(struct orr_comm *c, int root);
/* The same of two groups that know each other already; both agree on it, which takes what it
 * takes. */
int groups_meet(uint64_t name, struct orr_group *local, struct orr_group *remote,
                struct orr_comm **out);

#endif
