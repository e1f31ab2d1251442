/* numbers.h: what real libraries call our algorithms in their tuning files. Part of the face:
 * orrery tune writes such files. */
#ifndef ORRERY_COLL_NUMBERS_H
#define ORRERY_COLL_NUMBERS_H

#include "coll/coll.h"

/* Numbers of collectives and of their algorithms in Open MPI's files (coll_base_functions.h,
 * coll_tuned_*_decision.c). */
enum { OMPI_COLLECTIVES = 22, OMPI_NUMBER_MAX = 9 };
enum coll_kind coll_ompi_kind(uint32_t number); /* COLL_KINDS: none of ours */
int coll_ompi_kind_number(enum coll_kind k);    /* -1: Open MPI's files have no algorithms for it */
const struct coll_alg *coll_ompi_alg(enum coll_kind k, uint32_t number); /* NULL: unknown */
uint32_t coll_ompi_alg_number(enum coll_kind k,
                              const struct coll_alg *alg); /* 0: not one of Open MPI's */
/* MPICH's name of an algorithm, "MPIR_Bcast_intra_binomial", and its parameters for JSON, e.g.
 * "k=4" (or ""); NULL: not one of MPICH's. */
const char *coll_mpich_name(const struct coll_alg *alg, const char **parameters);

#endif
