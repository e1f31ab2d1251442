/* expect.h: what MPI says of one collective call: the data at its start and at its end.
 * Written from the standard (MPI 4.0, chapter 6), on its own: it shares no arithmetic with the
 * algorithms that it is used to judge. */
#ifndef ORRERY_COLL_EXPECT_H
#define ORRERY_COLL_EXPECT_H

#include "coll/coll.h"
#include "symbol.h"

int expect_is_reduction(enum coll_kind k);
/* Bytes of the send and receive buffers of rank that the standard defines. */
int64_t expect_send_bytes(const struct coll_args *a, uint32_t rank);
int64_t expect_recv_bytes(const struct coll_args *a, uint32_t rank);
/* The data that rank contributes, as runs of its send buffer; and where it is in the receive buffer
 * if the call is in place. */
int expect_contribution(struct sets *s, const struct coll_args *a, uint32_t rank, struct runs *out,
                        struct err *err);
int64_t expect_in_place_offset(const struct coll_args *a, uint32_t rank);
/* The receive buffer of rank at the end; what the standard leaves undefined is absent. */
int expect_result(struct sets *s, const struct coll_args *args_by_rank, uint32_t rank,
                  struct runs *out, struct err *err);

#endif
