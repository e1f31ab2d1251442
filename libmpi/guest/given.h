/* given.h: the kernels that are not run, and the models that each rank has of them. Text, of the
 * environment (ORRERY_KERNELS) or of who holds the ranks of a process: name=MODEL; name(1,2)=MODEL;
 * … (model.h). All ranks have the same names in the same order. */
#ifndef ORRERY_LIBMPI_GIVEN_H
#define ORRERY_LIBMPI_GIVEN_H

#include "live/hold.h"
#include "model.h"

/* Who holds ranks of this process; NULL: it is one rank. */
extern const struct guest_hold *given_hold;

/* The text, of the rank that runs; NULL: no kernel is given. */
const char *given_text(void);
/* Which one has this name, before its "="; -1: none. */
int given_find(const char *name);
/* The i-th one takes what its model says, if the rank is in MPI: then 1. */
int given_takes(int i, double m, double n, double k);
/* It takes no time. */
int given_takes_nothing(int i);

#endif
