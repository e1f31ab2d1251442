/* group.h: groups: lists of processes, which are numbers that differ for all processes of a run
 * (the rank in the first MPI_COMM_WORLD; spawned processes count on). */
#ifndef ORRERY_LIBMPI_GROUP_H
#define ORRERY_LIBMPI_GROUP_H

#include "object.h"

struct orr_group {
	struct orr_object o;
	int32_t n, rank;  /* rank: of this process, MPI_UNDEFINED if it is no member */
	int32_t identity; /* member[i] == i: found without looking */
	int32_t *sorted;  /* NULL, or places of members by number: made when first needed */
	int32_t *member;  /* behind this, or somebody else's */
};

static inline struct orr_group *orr_group_of(MPI_Group group)
{
	return orr_object(ORR_GROUP, group);
}
/* members is copied, and may be NULL: then they are to be written into group->member, followed by
 * orr_group_ready. NULL: no memory. */
struct orr_group *orr_group_new(int32_t n, const int32_t *members);
void orr_group_ready(struct orr_group *g);
/* All processes, 0, 1, 2, ...: `members` is used as it is, and not changed. */
struct orr_group *orr_group_lent(int32_t n, const int32_t *members);
void orr_group_drop(struct orr_group *g);
int orr_group_compare(const struct orr_group *a, struct orr_group *b); /* MPI_IDENT … */
/* The rank of a process in the group, or MPI_UNDEFINED. */
int32_t orr_group_find(struct orr_group *g, int32_t process);

#endif
