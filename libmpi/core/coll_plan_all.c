/* coll_plan_all.c: all ranks send and receive (allgather, alltoall), each with each, or with its
 * neighbours in the topology of the communicator: those differ in how many blocks there are. */
#include "coll_plan.h"
#include "coll_plan_int.h"

#include <stdlib.h>

#include "orr_mpi.h"
#include "p2p.h"

/* Whether each block has a count of its own: their array may be NULL where there is no block. */
static int of_own_counts(enum coll_kind kind)
{
	return kind == COLL_ALLGATHERV || kind == COLL_ALLTOALLV || kind == COLL_ALLTOALLW ||
	       kind == COLL_NEIGHBOR_ALLGATHERV || kind == COLL_NEIGHBOR_ALLTOALLV ||
	       kind == COLL_NEIGHBOR_ALLTOALLW;
}

static int allgather(enum coll_kind kind, const void *sendbuf, MPI_Count sendcount,
                     MPI_Datatype sendtype, struct blocks *b, MPI_Datatype recvtype, MPI_Comm comm,
                     struct coll_plan **out)
{
	struct blocks send = {.buf = sendbuf, .n = 1, .count = sendcount};
	struct coll_plan *p;
	int code = plan_new(kind, comm, &p), in_place = sendbuf == MPI_IN_PLACE;

	if (code != MPI_SUCCESS)
		return code;
	*out = p;
	p->fills = kind > COLL_EXSCAN; /* what no neighbour sends to stays as it is */
	if (kind <= COLL_EXSCAN)
		b->n = plan_others(p->comm);
	code = plan_in_place_check(p, sendbuf);
	if (code == MPI_SUCCESS)
		code = plan_side_set(p, 1, b->counts ? 0 : b->count, recvtype, &b->type);
	if (code == MPI_SUCCESS && in_place) {
		send = plan_own_block(p->comm, b);
		p->w.in_place = 1;
		p->w.count = send.count;
		p->w.type_size = p->w.type_size2;
	} else if (code == MPI_SUCCESS) {
		code = plan_side_set(p, 0, sendcount, sendtype, &send.type);
	}
	if (code == MPI_SUCCESS && of_own_counts(kind))
		code = plan_counts_set(p, NULL, b);
	if (code == MPI_SUCCESS)
		code = plan_blocks_add(p, 0, &send);
	if (code == MPI_SUCCESS)
		code = plan_blocks_add(p, 1, b);
	return code == MPI_SUCCESS ? code : plan_fail(p, code);
}

int plan_Allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                   struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .count = recvcount};

	return allgather(COLL_ALLGATHER, sendbuf, sendcount, sendtype, &b, recvtype, comm, out);
}

int plan_Allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                    MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .counts = recvcounts, .displs = displs};

	return allgather(COLL_ALLGATHERV, sendbuf, sendcount, sendtype, &b, recvtype, comm, out);
}

static int64_t sum(const int64_t *counts, uint32_t n)
{
	int64_t total = 0;

	for (uint32_t i = 0; i < n; i++)
		total += counts[i];
	return total;
}

/* Sizes where counts differ from rank to rank: those of the buffers. */
static int sums_set(struct coll_plan *p, const struct blocks *send, const struct blocks *recv)
{
	int code = plan_counts_set(p, send, recv);

	if (code != MPI_SUCCESS)
		return code;
	p->w.count = sum(p->counts, p->w.n_counts);
	p->w.count2 = sum(p->counts + p->w.n_counts, p->w.n_counts2);
	return MPI_SUCCESS;
}

static int alltoall(enum coll_kind kind, struct blocks *send, MPI_Datatype sendtype,
                    struct blocks *recv, MPI_Datatype recvtype, MPI_Comm comm,
                    struct coll_plan **out)
{
	struct coll_plan *p;
	int code = plan_new(kind, comm, &p), in_place = send->buf == MPI_IN_PLACE;

	if (code != MPI_SUCCESS)
		return code;
	*out = p;
	code = plan_in_place_check(p, send->buf);
	if (code != MPI_SUCCESS)
		return plan_fail(p, code);
	p->w.in_place = (uint8_t)in_place;
	p->fills = kind > COLL_EXSCAN; /* what no neighbour sends to stays as it is */
	if (kind <= COLL_EXSCAN)
		send->n = recv->n = plan_others(p->comm);
	if (kind == COLL_ALLTOALLW || kind == COLL_NEIGHBOR_ALLTOALLW) {
		p->w.type_size = p->w.type_size2 = 1;
		p->w.basic_type = 1;
	} else {
		code = plan_side_set(p, 1, recv->counts ? 0 : recv->count, recvtype, &recv->type);
		if (code == MPI_SUCCESS && !in_place)
			code = plan_side_set(p, 0, send->counts ? 0 : send->count, sendtype,
			                     &send->type);
	}
	if (code == MPI_SUCCESS && in_place) {
		*send = *recv;
		p->w.count = p->w.count2;
		p->w.type_size = p->w.type_size2;
	}
	if (code == MPI_SUCCESS)
		code = plan_blocks_add(p, 0, send);
	if (code == MPI_SUCCESS)
		code = plan_blocks_add(p, 1, recv);
	if (code == MPI_SUCCESS && of_own_counts(kind))
		code = sums_set(p, send, recv);
	return code == MPI_SUCCESS ? code : plan_fail(p, code);
}

int plan_Alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .count = sendcount},
	              r = {.buf = recvbuf, .count = recvcount};

	return alltoall(COLL_ALLTOALL, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Alltoallv(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                   MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
                   const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                   struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls},
	              r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls};

	return alltoall(COLL_ALLTOALLV, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Alltoallw(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                   const MPI_Datatype sendtypes[], void *recvbuf, const MPI_Count recvcounts[],
                   const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                   struct coll_plan **out)
{
	struct blocks
	    s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes},
	    r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes};

	return alltoall(COLL_ALLTOALLW, &s, NULL, &r, NULL, comm, out);
}

/* --- neighbourhoods --- */

static int degrees(MPI_Comm comm, int *n_in, int *n_out)
{
	struct orr_comm *c = orr_comm_of(comm);
	int *in = NULL, *out = NULL, code;

	if (!c)
		return MPI_ERR_COMM;
	code = orr_comm_neighbours(c, n_in, &in, n_out, &out);
	if (code == MPI_SUCCESS && !comm_core(c)->topology) {
		comm_core(c)->topology = 1;
		link_enter();
		comm_topology_tell(c, comm_core(c)->id);
		link_leave();
	}
	free(in);
	free(out);
	return code;
}

static int neighbor_allgather(enum coll_kind kind, const void *sendbuf, MPI_Count sendcount,
                              MPI_Datatype sendtype, struct blocks *b, MPI_Datatype recvtype,
                              MPI_Comm comm, struct coll_plan **out)
{
	int n_out, code = degrees(comm, &b->n, &n_out);

	return code != MPI_SUCCESS
	           ? code
	           : allgather(kind, sendbuf, sendcount, sendtype, b, recvtype, comm, out);
}

int plan_Neighbor_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                            void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                            MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .count = recvcount};

	return neighbor_allgather(COLL_NEIGHBOR_ALLGATHER, sendbuf, sendcount, sendtype, &b,
	                          recvtype, comm, out);
}

int plan_Neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                             void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                             MPI_Datatype recvtype, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks b = {.buf = recvbuf, .counts = recvcounts, .displs = displs};

	return neighbor_allgather(COLL_NEIGHBOR_ALLGATHERV, sendbuf, sendcount, sendtype, &b,
	                          recvtype, comm, out);
}

static int neighbor_alltoall(enum coll_kind kind, struct blocks *s, MPI_Datatype sendtype,
                             struct blocks *r, MPI_Datatype recvtype, MPI_Comm comm,
                             struct coll_plan **out)
{
	int code = degrees(comm, &r->n, &s->n);

	return code != MPI_SUCCESS ? code : alltoall(kind, s, sendtype, r, recvtype, comm, out);
}

int plan_Neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                           void *recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                           struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .count = sendcount},
	              r = {.buf = recvbuf, .count = recvcount};

	return neighbor_alltoall(COLL_NEIGHBOR_ALLTOALL, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Neighbor_alltoallv(const void *sendbuf, const MPI_Count sendcounts[],
                            const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm, struct coll_plan **out)
{
	struct blocks s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls},
	              r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls};

	return neighbor_alltoall(COLL_NEIGHBOR_ALLTOALLV, &s, sendtype, &r, recvtype, comm, out);
}

int plan_Neighbor_alltoallw(const void *sendbuf, const MPI_Count sendcounts[],
                            const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
                            const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                            const MPI_Datatype recvtypes[], MPI_Comm comm, struct coll_plan **out)
{
	struct blocks
	    s = {.buf = sendbuf, .counts = sendcounts, .displs = sdispls, .types = sendtypes},
	    r = {.buf = recvbuf, .counts = recvcounts, .displs = rdispls, .types = recvtypes};

	return neighbor_alltoall(COLL_NEIGHBOR_ALLTOALLW, &s, NULL, &r, NULL, comm, out);
}
