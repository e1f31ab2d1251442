/* status.h: what MPI_internal of a status holds in this library.
 *
 *   [0]      1 if the operation was cancelled
 *   [1..2]   the bytes received, 64 bits, not aligned
 *   [3..4]   zero
 */
#ifndef ORRERY_LIBMPI_STATUS_H
#define ORRERY_LIBMPI_STATUS_H

#include <string.h>

#include "mpi_abi.h"

static inline void status_set_bytes(MPI_Status *status, int64_t bytes)
{
	memcpy(&status->MPI_internal[1], &bytes, sizeof bytes);
}

static inline int64_t status_bytes(const MPI_Status *status)
{
	int64_t bytes;

	memcpy(&bytes, &status->MPI_internal[1], sizeof bytes);
	return bytes;
}

static inline void status_set_cancelled(MPI_Status *status, int cancelled)
{
	status->MPI_internal[0] = cancelled != 0;
}

static inline int status_cancelled(const MPI_Status *status)
{
	return status->MPI_internal[0];
}

/* The status of a completed operation. MPI_ERROR is left alone: only calls that complete several
 * set it. */
static inline void status_set(MPI_Status *status, int source, int tag, int64_t bytes)
{
	status->MPI_SOURCE = source;
	status->MPI_TAG = tag;
	memset(status->MPI_internal, 0, sizeof status->MPI_internal);
	status_set_bytes(status, bytes);
}

/* The status of nothing: of a null or inactive request. */
static inline void status_set_empty(MPI_Status *status)
{
	status_set(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
	status->MPI_ERROR = MPI_SUCCESS;
}

#endif
