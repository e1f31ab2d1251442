/* comm_setup.h: whose way of making communicators is followed. */
#ifndef ORRERY_MP_COMM_SETUP_H
#define ORRERY_MP_COMM_SETUP_H

#include "coll/coll.h"

struct mp;

enum comm_library { SETUP_NONE, SETUP_MPICH, SETUP_OMPI };
enum comm_library comm_setup_library(const struct mp *mp);
/* A phase of kind for n elements of `size` bytes each, whose operator commutes. Returns 1, as what
 * gives a phase its arguments does. */
int setup_phase(struct coll_args *phase, enum coll_kind kind, int64_t n, int64_t size);

#endif
