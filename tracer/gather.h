/* gather.h: in MPI_Finalize, the compressed traces of all ranks become one file.
 *
 * They go up a tree, K ranks to one: rank r has as children r + j K^l (1 <= j < K) for the levels l
 * below its own, so that what is below a rank are the ranks behind it, in their order. First the
 * structures, merged at each rank of the tree; then, through the same tree, what each rank's
 * costs are, which no one keeps: rank 0 writes them as they come. No file system is shared. */
#ifndef ORRERY_TRACER_GATHER_H
#define ORRERY_TRACER_GATHER_H

#include "mpi_late.h"

#include "base/err.h"

struct sink;
enum { GATHER_TREE = 4 };

/* Collective over the world. ok: this rank has all its events. 1: the trace is `dir`/events, and
 * the files of this rank are gone; 0: it is not, and they are what there is (*err says why on rank
 * 0, if it is ERR_NONE some rank was not ok). Closes the sink, which is NULL where it is closed
 * already. */
int gather_run(MPI_Comm world, struct sink *s, const char *dir, int tree, int ok, struct err *err);

#endif
