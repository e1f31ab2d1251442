/* info.h: infos: ordered lists of keys and values. */
#ifndef ORRERY_LIBMPI_INFO_H
#define ORRERY_LIBMPI_INFO_H

#include "object.h"

struct orr_info_entry {
	char *key, *value;
};
struct orr_info {
	struct orr_object o;
	int n, room;
	struct orr_info_entry *entry;
};

static inline struct orr_info *orr_info_of(MPI_Info info)
{
	return orr_object(ORR_INFO, info);
}
struct orr_info *orr_info_copy(const struct orr_info *from);             /* of NULL: an empty one */
const char *orr_info_find(const struct orr_info *info, const char *key); /* or NULL */
int orr_info_put(struct orr_info *info, const char *key, const char *value);
/* For MPI_*_set_info and MPI_*_get_info. info may be MPI_INFO_NULL: nothing is set. */
int orr_object_info_set(struct orr_object *o, MPI_Info info);
/* Only keys that begin with `prefix`, or (NULL) that are there already: others are not ours to know
 * (MPI 4.0, 7.4.4). */
int orr_object_info_set_known(struct orr_object *o, MPI_Info info, const char *prefix);
int orr_object_info_get(const struct orr_object *o, MPI_Info *out);

#endif
