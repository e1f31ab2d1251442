/* comm_setup.h: what making a communicator or a window costs; whose way is followed. */
#ifndef ORRERY_MP_COMM_SETUP_H
#define ORRERY_MP_COMM_SETUP_H

#include "mp/mp_int.h"

enum comm_library { SETUP_NONE, SETUP_MPICH, SETUP_OMPI };
enum comm_library comm_setup_library(const struct mp *mp);
/* A phase of kind for n elements of `size` bytes each, whose operator commutes. Returns 1, as what
 * gives a phase its arguments does. */
int setup_phase(struct coll_args *phase, enum coll_kind kind, int64_t n, int64_t size);

int comm_setup_read(struct mp *mp, struct err *err);
const struct coll_alg *window_setup(const struct mp *mp);

#endif
