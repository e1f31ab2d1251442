/* list.h: lists of processes, of which all groups of this process that have the same members share
 * one: where many ranks are coroutines, each would have its own of all ranks. */
#ifndef ORRERY_LIBMPI_LIST_H
#define ORRERY_LIBMPI_LIST_H

#include <stdint.h>

struct orr_list {
	struct orr_list *next; /* in its bucket */
	uint64_t hash, name;   /* name: orr_list_name; 0: none */
	uint32_t refs;
	int32_t n;
	int32_t identity; /* member[i] == i */
	int32_t *place;   /* of members by their numbers, ascending; NULL: `member` ascends */
	int32_t member[]; /* n, all different */
};

/* The list of these members, with a reference more, or NULL: no memory. */
const struct orr_list *orr_list_keep(int32_t n, const int32_t *member);
uint64_t orr_list_hash(int32_t n, const int32_t *member); /* as in `hash` */
/* A list may have a name, which is of no other one: whoever knows it need not make the list again.
 * Such names are forgotten when there are many. NULL: it is not known. */
void orr_list_name(const struct orr_list *list, uint64_t name);
const struct orr_list *orr_list_keep_named(uint64_t name);
void orr_list_drop(const struct orr_list *list); /* NULL: nothing happens */
/* Where the process is in it, or -1; O(log n). */
int32_t orr_list_find(const struct orr_list *list, int32_t process);

#endif
