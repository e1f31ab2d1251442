/* comm_made.h: what the files that make communicators share: their names, alike at all members. */
#ifndef ORRERY_LIBMPI_COMM_MADE_H
#define ORRERY_LIBMPI_COMM_MADE_H

#include "link.h"
#include "objects/comm.h"

uint64_t comm_text_mix(uint64_t x, const char *text);
uint64_t comm_group_mix(uint64_t x, const struct orr_group *g);
/* What is named by groups, a tag and a parent may be made again while the first one is still there:
 * the name of this time, which each member counts. */
uint64_t comm_name_again(uint64_t name);
/* This rank's number of the simulator's communicator of this name; second NULL: one group. */
uint32_t comm_number_make(uint64_t key, const struct orr_group *first,
                          const struct orr_group *second);
/* A communicator of these groups; of two, both sides name the same one first. */
int comm_new(uint64_t key, struct orr_group *local, struct orr_group *remote,
             struct orr_comm **out);
/* Who it is for a trace, alike at all members: the world rank of its first member, and a number. */
uint64_t comm_identity(uint64_t key, const struct orr_group *local, const struct orr_group *remote);
/* The handle of what was made of a communicator (NULL: this rank is not in it), or the error. */
int comm_made_of(struct orr_comm *parent, struct orr_comm *made, int code, MPI_Comm *newcomm);

#endif
