/* dumpi_put.h: what a call of a DUMPI trace becomes. Tables say which function; each fills an event
 * from the numbers and lists of the record, in the order in which dumpi_record.c's table has them.
 * Calls that are in none of them cost nothing on a network, or their kind is told as left out. */
#ifndef ORRERY_TRACE_DUMPI_PUT_H
#define ORRERY_TRACE_DUMPI_PUT_H

#include "dumpi_int.h"

struct dumpi_row {
	const char *name;
	int (*put)(struct dumpi *d, const struct dumpi_call *c, int op, struct err *err);
	int op;
};
/* The last one has no name. */
extern const struct dumpi_row dumpi_p2p_rows[], dumpi_coll_rows[], dumpi_object_rows[];

int dumpi_comm_of(struct dumpi *d, int64_t number, uint32_t *out, struct err *err);
int dumpi_type_put(struct dumpi *d, int64_t number, int32_t *type, int64_t *size, struct err *err);
/* A rank of the communicator, as DUMPI writes it: -1 any source; other negative ones are the native
 * MPI_PROC_NULL. */
int dumpi_peer_put(struct dumpi *d, uint32_t comm, int64_t peer, int receive, int32_t *out,
                   struct err *err);
int dumpi_event_put(struct dumpi *d, struct trace_event *ev, struct err *err);
/* A call that makes a request. receive: its place among the posted receives, or HASH_NONE. */
int dumpi_request_put(struct dumpi *d, struct trace_event *ev, int64_t request, int persistent,
                      uint32_t receive, struct err *err);
/* Room for n numbers, until it is asked for again. */
int64_t *dumpi_scratch(struct dumpi *d, size_t n, struct err *err);

#endif
