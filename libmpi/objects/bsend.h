/* bsend.h: whether a buffered send may be. */
#ifndef ORRERY_LIBMPI_BSEND_H
#define ORRERY_LIBMPI_BSEND_H

#include "object.h"

/* MPI_ERR_BUFFER: no buffer that the program has attached can ever hold so many bytes of a message
 * on this communicator. */
int orr_buffer_check(const struct orr_object *comm, int64_t bytes);

#endif
