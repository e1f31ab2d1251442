/* library.h: the MPI library that a trace was recorded with, as the settings that replay it:
 * selector of collective algorithms, protocol thresholds. */
#ifndef ORRERY_REPLAY_LIBRARY_H
#define ORRERY_REPLAY_LIBRARY_H

#include "base/base.h"

/* The selector of a library as a manifest names it ("Open MPI v4.1.4", "MPICH 4.0.2"), and the
 * largest message that it sends eagerly over TCP, bytes; NULL: none is known. */
const char *library_selector(const char *mpi, double *eager);
/* Its decisions are not known: it is taken for another one. */
int library_is_assumed(const char *mpi);
/* Sets smpi/coll-selector, smpi/async-small-thresh and smpi/send-is-detached-thresh as that library
 * has them, where neither user nor machine did; nothing in compat, or where mpi is NULL; of a
 * library that nothing is known of the selector alone, as of a common one. why: one
 * line of who chose the selector, appended ("as the trace's Open MPI v4.1.4"); whose: "trace". */
int library_apply(const char *mpi, const char *whose, struct config *cfg, struct str *why,
                  struct err *err);

#endif
