/* op.c: the actions of a trace: their names, their arguments, their MPI functions, their traits.
 * The table is the grammar of the current dialect and of ours: event_parse.c reads by it and
 * event_format.c writes by it, so that the two cannot disagree. What an operation is and does is
 * asked of it as well, never by where the operation stands in enum trace_op. */
#include "trace_int.h"

#include <assert.h>
#include <string.h>

/* Traits that go together. */
enum {
	COLL = TRACE_COLLECTIVE | TRACE_IN_COMM,
	ON_NEIGHBORS = COLL | TRACE_NEIGHBORS,
	SEND = TRACE_SENDS | TRACE_IN_COMM,
	RECV = TRACE_RECEIVES | TRACE_IN_COMM
};

/* clang-format off: a table */
#define OP(op, name, args, mpi, traits) [TRACE_##op] = {name, args, mpi, TRACE_##op, 0, traits}
const struct action trace_ops[TRACE_OPS] = {
    OP(INIT, "init", "*", "MPI_Init", TRACE_LIFE),
    OP(FINALIZE, "finalize", "*", "MPI_Finalize", TRACE_LIFE),
    OP(COMPUTE, "compute", "f", "", TRACE_LIFE | TAKES_REGION),
    OP(SLEEP, "sleep", "f", "", TRACE_LIFE),
    OP(LOCATION, "location", "Fl", "", TRACE_LIFE),
    OP(REGION, "region", "gF", "", TRACE_LIFE),
    OP(SEND, "send", "ptc?d", "MPI_Send", SEND | TRACE_BLOCKS),
    OP(SSEND, "ssend", "ptc?d", "MPI_Ssend", SEND | TRACE_BLOCKS),
    OP(BSEND, "bsend", "ptc?d", "MPI_Bsend", SEND | TRACE_BLOCKS),
    OP(RSEND, "rsend", "ptc?d", "MPI_Rsend", SEND | TRACE_BLOCKS),
    OP(ISEND, "isend", "ptc?d", "MPI_Isend", SEND | TRACE_REQUEST),
    OP(ISSEND, "issend", "ptc?d", "MPI_Issend", SEND | TRACE_REQUEST),
    OP(IBSEND, "ibsend", "ptc?d", "MPI_Ibsend", SEND | TRACE_REQUEST),
    OP(IRSEND, "irsend", "ptc?d", "MPI_Irsend", SEND | TRACE_REQUEST),
    OP(RECV, "recv", "stc?d", "MPI_Recv", RECV | TRACE_BLOCKS | TRACE_WILD),
    OP(IRECV, "irecv", "stc?d", "MPI_Irecv", RECV | TRACE_REQUEST | TRACE_WILD),
    OP(SENDRECV, "sendRecv", "cpkqde", "MPI_Sendrecv",
       SEND | TRACE_RECEIVES | TRACE_BLOCKS | TRACE_WILD | TAKES_TAGS),
    OP(PROBE, "probe", "st", "MPI_Probe", TRACE_PROBES | TRACE_BLOCKS | TRACE_WILD | TRACE_IN_COMM),
    OP(IPROBE, "iprobe", "st", "MPI_Iprobe",
       TRACE_PROBES | TRACE_WILD | TRACE_IN_COMM | TAKES_FOUND),
    OP(MPROBE, "mprobe", "st", "MPI_Mprobe",
       TRACE_PROBES | TRACE_BLOCKS | TRACE_MATCHED | TRACE_WILD | TRACE_IN_COMM),
    OP(MRECV, "mrecv", "stc?d", "MPI_Mrecv", TRACE_RECEIVES | TRACE_BLOCKS | TRACE_MATCHED),
    OP(IMRECV, "imrecv", "stc?d", "MPI_Imrecv", TRACE_RECEIVES | TRACE_REQUEST | TRACE_MATCHED),
    OP(SEND_INIT, "send_init", "ptc?d", "MPI_Send_init", SEND | TRACE_PERSISTENT),
    OP(SSEND_INIT, "ssend_init", "ptc?d", "MPI_Ssend_init", SEND | TRACE_PERSISTENT),
    OP(BSEND_INIT, "bsend_init", "ptc?d", "MPI_Bsend_init", SEND | TRACE_PERSISTENT),
    OP(RSEND_INIT, "rsend_init", "ptc?d", "MPI_Rsend_init", SEND | TRACE_PERSISTENT),
    OP(RECV_INIT, "recv_init", "stc?d", "MPI_Recv_init", RECV | TRACE_PERSISTENT),
    OP(START, "start", "?n", "MPI_Start", TRACE_LISTS),
    OP(REQUEST_FREE, "request_free", "", "MPI_Request_free", 0),
    OP(CANCEL, "cancel", "", "MPI_Cancel", 0),
    OP(BUFFER_DETACH, "buffer_detach", "", "MPI_Buffer_detach", 0),
    OP(PSEND_INIT, "psend_init", "ptkcd", "MPI_Psend_init", SEND | TRACE_PARTITIONED),
    OP(PRECV_INIT, "precv_init", "stkcd", "MPI_Precv_init", RECV | TRACE_PARTITIONED),
    OP(PREADY, "pready", "", "MPI_Pready", TAKES_PARTS),
    OP(PARRIVED, "parrived", "", "MPI_Parrived", TAKES_PARTS),
    OP(WAIT, "wait", "K", "MPI_Wait", TRACE_COMPLETES | TAKES_TAKE),
    OP(WAITALL, "waitall", "?n", "MPI_Waitall", TRACE_COMPLETES | TRACE_LISTS),
    OP(WAITANY, "waitany", "?n", "MPI_Waitany", TRACE_COMPLETES | TRACE_LISTS | TRACE_OUTCOME),
    OP(WAITSOME, "waitsome", "?n", "MPI_Waitsome", TRACE_COMPLETES | TRACE_LISTS | TRACE_OUTCOME),
    OP(TEST, "test", "K", "MPI_Test", TRACE_COMPLETES | TRACE_TESTS | TRACE_OUTCOME | TAKES_TAKE),
    OP(TESTALL, "testall", "?n", "MPI_Testall",
       TRACE_COMPLETES | TRACE_TESTS | TRACE_LISTS | TRACE_OUTCOME),
    OP(TESTANY, "testany", "?n", "MPI_Testany",
       TRACE_COMPLETES | TRACE_TESTS | TRACE_LISTS | TRACE_OUTCOME),
    OP(TESTSOME, "testsome", "?n", "MPI_Testsome",
       TRACE_COMPLETES | TRACE_TESTS | TRACE_LISTS | TRACE_OUTCOME),
    OP(BARRIER, "barrier", "", "MPI_Barrier", COLL),
    OP(BCAST, "bcast", "c?rd", "MPI_Bcast", COLL | TRACE_ROOTED),
    OP(REDUCE, "reduce", "cf?rd", "MPI_Reduce", COLL | TRACE_ROOTED),
    OP(ALLREDUCE, "allreduce", "cf?d", "MPI_Allreduce", COLL),
    OP(GATHER, "gather", "ck?rde", "MPI_Gather", COLL | TRACE_ROOTED),
    OP(GATHERV, "gatherv", "cR?rde", "MPI_Gatherv", COLL | TRACE_ROOTED),
    OP(SCATTER, "scatter", "ck?rde", "MPI_Scatter", COLL | TRACE_ROOTED),
    OP(SCATTERV, "scatterv", "Sk?rde", "MPI_Scatterv", COLL | TRACE_ROOTED),
    OP(ALLGATHER, "allgather", "ck?de", "MPI_Allgather", COLL),
    OP(ALLGATHERV, "allgatherv", "cR?de", "MPI_Allgatherv", COLL),
    OP(ALLTOALL, "alltoall", "ck?de", "MPI_Alltoall", COLL),
    OP(ALLTOALLV, "alltoallv", "cSkR?de", "MPI_Alltoallv", COLL),
    OP(ALLTOALLW, "alltoallw", "cSkR?de", "MPI_Alltoallw", COLL),
    OP(REDUCE_SCATTER, "reducescatter", "Rf?d", "MPI_Reduce_scatter", COLL),
    OP(REDUCE_SCATTER_BLOCK, "reducescatterblock", "cf?d", "MPI_Reduce_scatter_block", COLL),
    OP(SCAN, "scan", "cf?d", "MPI_Scan", COLL),
    OP(EXSCAN, "exscan", "cf?d", "MPI_Exscan", COLL),
    OP(NEIGHBOR_ALLGATHER, "neighbor_allgather", "ck?de", "MPI_Neighbor_allgather", ON_NEIGHBORS),
    OP(NEIGHBOR_ALLGATHERV, "neighbor_allgatherv", "c?de", "MPI_Neighbor_allgatherv",
       ON_NEIGHBORS | TAKES_BLOCKS),
    OP(NEIGHBOR_ALLTOALL, "neighbor_alltoall", "ck?de", "MPI_Neighbor_alltoall", ON_NEIGHBORS),
    OP(NEIGHBOR_ALLTOALLV, "neighbor_alltoallv", "?de", "MPI_Neighbor_alltoallv",
       ON_NEIGHBORS | TAKES_BLOCKS),
    OP(NEIGHBOR_ALLTOALLW, "neighbor_alltoallw", "?de", "MPI_Neighbor_alltoallw",
       ON_NEIGHBORS | TAKES_BLOCKS),
    OP(COMM_SIZE, "comm_size", "?c", "MPI_Comm_size", TRACE_IN_COMM),
    OP(COMM_DUP, "comm_dup", "*", "MPI_Comm_dup", TRACE_MAKES_COMM),
    OP(COMM_SPLIT, "comm_split", "*", "MPI_Comm_split", TRACE_MAKES_COMM),
    OP(COMM_CREATE, "comm_create", "*", "MPI_Comm_create", TRACE_MAKES_COMM),
    OP(COMM_CREATE_GROUP, "comm_create_group", "", "MPI_Comm_create_group", TRACE_MAKES_COMM),
    OP(INTERCOMM_CREATE, "intercomm_create", "", "MPI_Intercomm_create", TRACE_MAKES_COMM),
    OP(INTERCOMM_MERGE, "intercomm_merge", "", "MPI_Intercomm_merge", TRACE_MAKES_COMM),
    OP(COMM_IDUP, "comm_idup", "", "MPI_Comm_idup", TRACE_REQUEST | TAKES_BESIDE),
    OP(COMM_FREE, "comm_free", "*", "MPI_Comm_free", TRACE_IN_COMM),
    OP(WIN_CREATE, "win_create", "c", "MPI_Win_create", TRACE_IN_COMM | TRACE_WINDOW),
    OP(WIN_FREE, "win_free", "", "MPI_Win_free", TRACE_WINDOW),
    OP(PUT, "put", "pcd", "MPI_Put", TRACE_WINDOW | TRACE_REMOTE),
    OP(GET, "get", "pcd", "MPI_Get", TRACE_WINDOW | TRACE_REMOTE),
    OP(ACCUMULATE, "accumulate", "pcd", "MPI_Accumulate", TRACE_WINDOW | TRACE_REMOTE),
    OP(GET_ACCUMULATE, "get_accumulate", "pcd", "MPI_Get_accumulate", TRACE_WINDOW | TRACE_REMOTE),
    OP(FETCH_AND_OP, "fetch_and_op", "pd", "MPI_Fetch_and_op", TRACE_WINDOW | TRACE_REMOTE),
    OP(COMPARE_AND_SWAP, "compare_and_swap", "pd", "MPI_Compare_and_swap",
       TRACE_WINDOW | TRACE_REMOTE),
    OP(WIN_FENCE, "win_fence", "", "MPI_Win_fence", TRACE_WINDOW),
    OP(WIN_POST, "win_post", "", "MPI_Win_post", TRACE_WINDOW | TAKES_GROUP),
    OP(WIN_START, "win_start", "", "MPI_Win_start", TRACE_WINDOW | TAKES_GROUP),
    OP(WIN_COMPLETE, "win_complete", "", "MPI_Win_complete", TRACE_WINDOW),
    OP(WIN_WAIT, "win_wait", "", "MPI_Win_wait", TRACE_WINDOW),
    OP(WIN_LOCK, "win_lock", "p", "MPI_Win_lock", TRACE_WINDOW | TAKES_LOCK),
    OP(WIN_UNLOCK, "win_unlock", "p", "MPI_Win_unlock", TRACE_WINDOW),
    OP(WIN_LOCK_ALL, "win_lock_all", "", "MPI_Win_lock_all", TRACE_WINDOW | TAKES_LOCK),
    OP(WIN_UNLOCK_ALL, "win_unlock_all", "", "MPI_Win_unlock_all", TRACE_WINDOW),
    OP(WIN_FLUSH, "win_flush", "p", "MPI_Win_flush", TRACE_WINDOW),
    OP(WIN_FLUSH_ALL, "win_flush_all", "", "MPI_Win_flush_all", TRACE_WINDOW),
    OP(WIN_FLUSH_LOCAL, "win_flush_local", "p", "MPI_Win_flush_local", TRACE_WINDOW),
    OP(WIN_FLUSH_LOCAL_ALL, "win_flush_local_all", "", "MPI_Win_flush_local_all", TRACE_WINDOW),
    OP(FILE_OPEN, "file_open", "F", "MPI_File_open", TRACE_IN_COMM | TRACE_MPI_IO | TAKES_FILE),
    OP(FILE_CLOSE, "file_close", "", "MPI_File_close", TRACE_MPI_IO | TAKES_FILE),
    OP(FILE_SYNC, "file_sync", "", "MPI_File_sync", TRACE_MPI_IO | TAKES_FILE),
    OP(FILE_SET, "file_set", "", "MPI_File_set_size", TRACE_MPI_IO | TAKES_FILE),
    OP(FILE_READ, "file_read", "cd", "MPI_File_read", TRACE_MPI_IO | TRACE_READS | TAKES_FILE),
    OP(FILE_READ_ALL, "file_read_all", "cd", "MPI_File_read_all",
       TRACE_MPI_IO | TRACE_READS | TAKES_HOLES | TAKES_FILE),
    OP(FILE_READ_SHARED, "file_read_shared", "cd", "MPI_File_read_shared",
       TRACE_MPI_IO | TRACE_READS | TAKES_FILE),
    OP(FILE_READ_ORDERED, "file_read_ordered", "cd", "MPI_File_read_ordered",
       TRACE_MPI_IO | TRACE_READS | TAKES_FILE),
    OP(FILE_WRITE, "file_write", "cd", "MPI_File_write", TRACE_MPI_IO | TRACE_WRITES | TAKES_FILE),
    OP(FILE_WRITE_ALL, "file_write_all", "cd", "MPI_File_write_all",
       TRACE_MPI_IO | TRACE_WRITES | TAKES_HOLES | TAKES_FILE),
    OP(FILE_WRITE_SHARED, "file_write_shared", "cd", "MPI_File_write_shared",
       TRACE_MPI_IO | TRACE_WRITES | TAKES_FILE),
    OP(FILE_WRITE_ORDERED, "file_write_ordered", "cd", "MPI_File_write_ordered",
       TRACE_MPI_IO | TRACE_WRITES | TAKES_FILE),
    OP(IO_OPEN, "open", "F", "", TRACE_SYSTEM_IO | TAKES_FILE),
    OP(IO_CLOSE, "close", "", "", TRACE_SYSTEM_IO | TAKES_FILE),
    OP(IO_SYNC, "fsync", "", "", TRACE_SYSTEM_IO | TAKES_FILE),
    OP(IO_READ, "read", "c", "", TRACE_SYSTEM_IO | TRACE_READS | TAKES_FILE),
    OP(IO_WRITE, "write", "c", "", TRACE_SYSTEM_IO | TRACE_WRITES | TAKES_FILE),
    OP(IO_UNLINK, "unlink", "F", "", TRACE_SYSTEM_IO),
    OP(RESOLVE, "resolve", "st", "", 0),
};
#undef OP
/* clang-format on */
static_assert(sizeof trace_ops / sizeof *trace_ops == TRACE_OPS, "every op has a name");

/* By blocks that compilers clear without a loop: it is done for each event. */
static inline void event_clear(struct trace_event *ev)
{
	enum { BLOCK = 64 };
	char *p = (char *)ev;

	for (size_t i = 0; i < sizeof *ev / BLOCK; i++, p += BLOCK)
		memset(p, 0, BLOCK);
	memset(p, 0, sizeof *ev % BLOCK);
}

void trace_event_init(struct trace_event *ev, enum trace_op op)
{
	event_clear(ev);
	ev->op = (uint8_t)op;
	ev->req = ev->message = ev->object = ev->region = -1;
	ev->duration = -1;
}

const char *trace_op_name(enum trace_op op)
{
	BUG_ON(op >= TRACE_OPS);
	return trace_ops[op].name;
}

const char *trace_op_mpi(enum trace_op op)
{
	BUG_ON(op >= TRACE_OPS);
	return trace_ops[op].mpi;
}

int trace_op_has(enum trace_op op, uint64_t traits)
{
	BUG_ON(op >= TRACE_OPS);
	return (trace_ops[op].traits & traits) != 0;
}

int trace_op_sends(enum trace_op op)
{
	return trace_op_has(op, TRACE_SENDS) &&
	       !trace_op_has(op, TRACE_PERSISTENT | TRACE_PARTITIONED);
}

int trace_op_is_collective(enum trace_op op)
{
	return trace_op_has(op, TRACE_COLLECTIVE);
}

int trace_op_is_neighborhood(enum trace_op op)
{
	return trace_op_has(op, TRACE_NEIGHBORS);
}

int trace_op_may_be_wild(enum trace_op op)
{
	return trace_op_has(op, TRACE_WILD);
}

int trace_op_makes_comm(enum trace_op op)
{
	return trace_op_has(op, TRACE_MAKES_COMM);
}
