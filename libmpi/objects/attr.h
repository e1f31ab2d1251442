/* attr.h: attributes of communicators, types and windows.
 *
 * A value is stored with the language that stored it: what another language then gets follows the
 * standard's rules (19.3.7). Attributes are deleted last in, first out.
 */
#ifndef ORRERY_LIBMPI_ATTR_H
#define ORRERY_LIBMPI_ATTR_H

#include "object.h"

enum orr_language {
	ORR_C,        /* a pointer */
	ORR_FORTRAN,  /* INTEGER(KIND=MPI_ADDRESS_KIND) */
	ORR_FORTRAN77 /* INTEGER */
};

/* All attributes of `from` go to `to` as their copy functions say, or are deleted: MPI_SUCCESS or
 * what a callback returned. */
int orr_attrs_copy(struct orr_object *from, struct orr_object *to);
int orr_attrs_delete(struct orr_object *o);

/* For the fronts of Fortran: the value as its language passes it. What C stored as a pointer is its
 * address here; what Fortran stored, C gets as a pointer to it. */
int orr_attr_set(enum orr_kind kind, const void *handle, int keyval, enum orr_language language,
                 intptr_t value);
int orr_attr_get(enum orr_kind kind, const void *handle, int keyval, enum orr_language language,
                 intptr_t *value, int *flag);

/* Predefined attributes are integers that are read by all and written by none. */
int orr_attr_predefined(struct orr_object *o, int keyval, const void *place);

#endif
