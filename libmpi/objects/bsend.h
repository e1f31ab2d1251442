/* bsend.h: whether a buffered send may be. */
#ifndef ORRERY_LIBMPI_BSEND_H
#define ORRERY_LIBMPI_BSEND_H

#include "object.h"

/* So many bytes leave at once: they need a buffer that can hold them, but what was put there before
 * is no matter, as in the real libraries. */
enum { BUFFERED_FREE = 4096 };
/* MPI_ERR_BUFFER: no buffer that the program has attached can ever hold so many bytes of a message
 * on this communicator. */
int orr_buffer_check(const struct orr_object *comm, int64_t bytes);
/* A message of so many bytes is put there now. MPI_ERR_BUFFER: there is no room, or never. before:
 * bytes that the same call has put there, and of which the simulator does not know. */
int orr_buffer_take(const struct orr_object *comm, int64_t bytes, int64_t before);

#endif
