/* dumpi_fill.c: what events of all kinds are filled with: communicators, datatypes, ranks. */
#include "dumpi_put.h"

#include <stdlib.h>

int dumpi_comm_of(struct dumpi *d, int64_t number, uint32_t *out, struct err *err)
{
	*out = hash64_find(&d->comm_of, (uint64_t)number);
	if (*out != HASH_NONE)
		return 0;
	*out = 0;
	return err_set(err, ERR_INPUT, "%s: rank %u uses communicator %lld, which it has not made",
	               d->file.path, d->rank, (long long)number);
}

int dumpi_type_put(struct dumpi *d, int64_t number, int32_t *type, int64_t *size, struct err *err)
{
	struct dumpi_type t;

	if (dumpi_type_find(d, number, &t, err) < 0)
		return -1;
	*type = t.type;
	*size = t.size;
	return 0;
}

int dumpi_peer_put(struct dumpi *d, uint32_t comm, int64_t peer, int receive, int32_t *out,
                   struct err *err)
{
	*out = receive && peer == -1 ? TRACE_ANY : TRACE_PROC_NULL;
	if (peer < 0)
		return 0;
	if (comm == 1) {
		*out = (int32_t)d->rank;
		return 0;
	}
	return foreign_member(d->f, comm, peer, out, err);
}

int dumpi_event_put(struct dumpi *d, struct trace_event *ev, struct err *err)
{
	return foreign_put(d->f, d->rank, ev, err);
}

int64_t *dumpi_scratch(struct dumpi *d, size_t n, struct err *err)
{
	int64_t *p = vec_grow(d->scratch, &d->cap_scratch, sizeof *p, n + 1, "requests", err);

	if (p)
		d->scratch = p;
	return p;
}
