/* collective.h: one collective with all its arguments, called in any of its three forms; after
 * ranks.h. */
#ifndef ORRERY_TESTS_RANKS_COLLECTIVE_H
#define ORRERY_TESTS_RANKS_COLLECTIVE_H

enum what {
	BARRIER,
	BCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	ALLGATHER,
	ALLGATHERV,
	ALLTOALL,
	ALLTOALLV,
	ALLTOALLW,
	REDUCE,
	ALLREDUCE,
	SCAN,
	EXSCAN,
	REDUCE_SCATTER,
	REDUCE_SCATTER_BLOCK,
	COLLECTIVES
};
enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS };
enum { PEERS = 16 };

struct call { /* the arguments of one rank; what an operation has not is not looked at */
	enum what what;
	const void *send;
	void *recv;
	MPI_Count send_count, recv_count, send_counts[PEERS], recv_counts[PEERS];
	MPI_Aint send_displs[PEERS], recv_displs[PEERS];
	MPI_Datatype send_type, recv_type, send_types[PEERS], recv_types[PEERS];
	MPI_Op op;
	int root;
	MPI_Comm comm;
};

#define SEND a->send, a->send_count, a->send_type
#define RECV a->recv, a->recv_count, a->recv_type
#define SENDV a->send, a->send_counts, a->send_displs, a->send_type
#define RECVV a->recv, a->recv_counts, a->recv_displs, a->recv_type
#define SENDW a->send, a->send_counts, a->send_displs, a->send_types
#define RECVW a->recv, a->recv_counts, a->recv_displs, a->recv_types
#define REDUCES a->send, a->recv, a->recv_count, a->recv_type, a->op

static inline int call_blocking(const struct call *a)
{
	switch (a->what) {
	case BARRIER:
		return orr_Barrier(a->comm);
	case BCAST:
		return orr_Bcast(RECV, a->root, a->comm);
	case GATHER:
		return orr_Gather(SEND, RECV, a->root, a->comm);
	case GATHERV:
		return orr_Gatherv(SEND, RECVV, a->root, a->comm);
	case SCATTER:
		return orr_Scatter(SEND, RECV, a->root, a->comm);
	case SCATTERV:
		return orr_Scatterv(SENDV, RECV, a->root, a->comm);
	case ALLGATHER:
		return orr_Allgather(SEND, RECV, a->comm);
	case ALLGATHERV:
		return orr_Allgatherv(SEND, RECVV, a->comm);
	case ALLTOALL:
		return orr_Alltoall(SEND, RECV, a->comm);
	case ALLTOALLV:
		return orr_Alltoallv(SENDV, RECVV, a->comm);
	case ALLTOALLW:
		return orr_Alltoallw(SENDW, RECVW, a->comm);
	case REDUCE:
		return orr_Reduce(REDUCES, a->root, a->comm);
	case ALLREDUCE:
		return orr_Allreduce(REDUCES, a->comm);
	case SCAN:
		return orr_Scan(REDUCES, a->comm);
	case EXSCAN:
		return orr_Exscan(REDUCES, a->comm);
	case REDUCE_SCATTER:
		return orr_Reduce_scatter(a->send, a->recv, a->recv_counts, a->recv_type, a->op,
		                          a->comm);
	default:
		return orr_Reduce_scatter_block(REDUCES, a->comm);
	}
}

static inline int call_nonblocking(const struct call *a, MPI_Request *q)
{
	switch (a->what) {
	case BARRIER:
		return orr_Ibarrier(a->comm, q);
	case BCAST:
		return orr_Ibcast(RECV, a->root, a->comm, q);
	case GATHER:
		return orr_Igather(SEND, RECV, a->root, a->comm, q);
	case GATHERV:
		return orr_Igatherv(SEND, RECVV, a->root, a->comm, q);
	case SCATTER:
		return orr_Iscatter(SEND, RECV, a->root, a->comm, q);
	case SCATTERV:
		return orr_Iscatterv(SENDV, RECV, a->root, a->comm, q);
	case ALLGATHER:
		return orr_Iallgather(SEND, RECV, a->comm, q);
	case ALLGATHERV:
		return orr_Iallgatherv(SEND, RECVV, a->comm, q);
	case ALLTOALL:
		return orr_Ialltoall(SEND, RECV, a->comm, q);
	case ALLTOALLV:
		return orr_Ialltoallv(SENDV, RECVV, a->comm, q);
	case ALLTOALLW:
		return orr_Ialltoallw(SENDW, RECVW, a->comm, q);
	case REDUCE:
		return orr_Ireduce(REDUCES, a->root, a->comm, q);
	case ALLREDUCE:
		return orr_Iallreduce(REDUCES, a->comm, q);
	case SCAN:
		return orr_Iscan(REDUCES, a->comm, q);
	case EXSCAN:
		return orr_Iexscan(REDUCES, a->comm, q);
	case REDUCE_SCATTER:
		return orr_Ireduce_scatter(a->send, a->recv, a->recv_counts, a->recv_type, a->op,
		                           a->comm, q);
	default:
		return orr_Ireduce_scatter_block(REDUCES, a->comm, q);
	}
}

static inline int call_persistent(const struct call *a, MPI_Request *q)
{
	const MPI_Info info = MPI_INFO_NULL;

	switch (a->what) {
	case BARRIER:
		return orr_Barrier_init(a->comm, info, q);
	case BCAST:
		return orr_Bcast_init(RECV, a->root, a->comm, info, q);
	case GATHER:
		return orr_Gather_init(SEND, RECV, a->root, a->comm, info, q);
	case GATHERV:
		return orr_Gatherv_init(SEND, RECVV, a->root, a->comm, info, q);
	case SCATTER:
		return orr_Scatter_init(SEND, RECV, a->root, a->comm, info, q);
	case SCATTERV:
		return orr_Scatterv_init(SENDV, RECV, a->root, a->comm, info, q);
	case ALLGATHER:
		return orr_Allgather_init(SEND, RECV, a->comm, info, q);
	case ALLGATHERV:
		return orr_Allgatherv_init(SEND, RECVV, a->comm, info, q);
	case ALLTOALL:
		return orr_Alltoall_init(SEND, RECV, a->comm, info, q);
	case ALLTOALLV:
		return orr_Alltoallv_init(SENDV, RECVV, a->comm, info, q);
	case ALLTOALLW:
		return orr_Alltoallw_init(SENDW, RECVW, a->comm, info, q);
	case REDUCE:
		return orr_Reduce_init(REDUCES, a->root, a->comm, info, q);
	case ALLREDUCE:
		return orr_Allreduce_init(REDUCES, a->comm, info, q);
	case SCAN:
		return orr_Scan_init(REDUCES, a->comm, info, q);
	case EXSCAN:
		return orr_Exscan_init(REDUCES, a->comm, info, q);
	case REDUCE_SCATTER:
		return orr_Reduce_scatter_init(a->send, a->recv, a->recv_counts, a->recv_type,
		                               a->op, a->comm, info, q);
	default:
		return orr_Reduce_scatter_block_init(REDUCES, a->comm, info, q);
	}
}

#endif
