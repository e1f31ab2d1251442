/* group.h: groups: lists of processes, which are numbers that differ for all processes of a run
 * (the rank in the first MPI_COMM_WORLD; spawned processes count on). */
#ifndef ORRERY_LIBMPI_GROUP_H
#define ORRERY_LIBMPI_GROUP_H

#include "list.h"
#include "object.h"

struct orr_group {
	struct orr_object o;
	int32_t n, rank;             /* rank: of this process, MPI_UNDEFINED if it is no member */
	int32_t identity;            /* member[i] == i: found without looking */
	int32_t *member;             /* not to be changed once it is ready */
	const struct orr_list *list; /* whose they are then; NULL: they are few, or lent, or there
	                                was no memory to share them: `own` */
	int32_t *own;                /* NULL: behind this, or somebody else's */
};

static inline struct orr_group *orr_group_of(MPI_Group group)
{
	return orr_object(ORR_GROUP, group);
}
/* members is copied, and may be NULL: then they are to be written into group->member, followed by
 * orr_group_ready. NULL: no memory. */
struct orr_group *orr_group_new(int32_t n, const int32_t *members);
void orr_group_ready(struct orr_group *g);
/* The group that orr_group_name has been called of, at whichever rank of this process, or NULL: it
 * is to be made. name: of no other list of members. */
struct orr_group *orr_group_named(uint64_t name);
void orr_group_name(const struct orr_group *g, uint64_t name);
/* A number of the members, in their order, the same at all ranks. */
uint64_t orr_group_hash(const struct orr_group *g);
/* All processes, 0, 1, 2, ...: `members` is used as it is, and not changed. */
struct orr_group *orr_group_lent(int32_t n, const int32_t *members);
void orr_group_drop(struct orr_group *g);
int orr_group_compare(const struct orr_group *a, const struct orr_group *b); /* MPI_IDENT … */
/* The rank of a process in the group, or MPI_UNDEFINED. */
int32_t orr_group_find(const struct orr_group *g, int32_t process);

#endif
