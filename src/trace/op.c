/* op.c: the actions of a trace: their names, their arguments, their MPI functions. The table is the
 * grammar of the current dialect and of ours: event_parse.c reads by it and event_format.c writes
 * by it, so that the two cannot disagree. */
#include "trace_int.h"

#include <assert.h>
#include <string.h>

const struct action trace_ops[TRACE_OPS] = {
    [TRACE_INIT] = {"init", "*", "MPI_Init", TRACE_INIT, 0},
    [TRACE_FINALIZE] = {"finalize", "*", "MPI_Finalize", TRACE_FINALIZE, 0},
    [TRACE_COMPUTE] = {"compute", "f", "", TRACE_COMPUTE, 0},
    [TRACE_SLEEP] = {"sleep", "f", "", TRACE_SLEEP, 0},
    [TRACE_LOCATION] = {"location", "Fl", "", TRACE_LOCATION, 0},
    [TRACE_REGION] = {"region", "gF", "", TRACE_REGION, 0},
    [TRACE_SEND] = {"send", "ptc?d", "MPI_Send", TRACE_SEND, 0},
    [TRACE_SSEND] = {"ssend", "ptc?d", "MPI_Ssend", TRACE_SSEND, 0},
    [TRACE_BSEND] = {"bsend", "ptc?d", "MPI_Bsend", TRACE_BSEND, 0},
    [TRACE_RSEND] = {"rsend", "ptc?d", "MPI_Rsend", TRACE_RSEND, 0},
    [TRACE_ISEND] = {"isend", "ptc?d", "MPI_Isend", TRACE_ISEND, 0},
    [TRACE_ISSEND] = {"issend", "ptc?d", "MPI_Issend", TRACE_ISSEND, 0},
    [TRACE_IBSEND] = {"ibsend", "ptc?d", "MPI_Ibsend", TRACE_IBSEND, 0},
    [TRACE_IRSEND] = {"irsend", "ptc?d", "MPI_Irsend", TRACE_IRSEND, 0},
    [TRACE_RECV] = {"recv", "stc?d", "MPI_Recv", TRACE_RECV, 0},
    [TRACE_IRECV] = {"irecv", "stc?d", "MPI_Irecv", TRACE_IRECV, 0},
    [TRACE_SENDRECV] = {"sendRecv", "cpkqde", "MPI_Sendrecv", TRACE_SENDRECV, 0},
    [TRACE_PROBE] = {"probe", "st", "MPI_Probe", TRACE_PROBE, 0},
    [TRACE_IPROBE] = {"iprobe", "st", "MPI_Iprobe", TRACE_IPROBE, 0},
    [TRACE_MPROBE] = {"mprobe", "st", "MPI_Mprobe", TRACE_MPROBE, 0},
    [TRACE_MRECV] = {"mrecv", "stc?d", "MPI_Mrecv", TRACE_MRECV, 0},
    [TRACE_IMRECV] = {"imrecv", "stc?d", "MPI_Imrecv", TRACE_IMRECV, 0},
    [TRACE_SEND_INIT] = {"send_init", "ptc?d", "MPI_Send_init", TRACE_SEND_INIT, 0},
    [TRACE_SSEND_INIT] = {"ssend_init", "ptc?d", "MPI_Ssend_init", TRACE_SSEND_INIT, 0},
    [TRACE_BSEND_INIT] = {"bsend_init", "ptc?d", "MPI_Bsend_init", TRACE_BSEND_INIT, 0},
    [TRACE_RSEND_INIT] = {"rsend_init", "ptc?d", "MPI_Rsend_init", TRACE_RSEND_INIT, 0},
    [TRACE_RECV_INIT] = {"recv_init", "stc?d", "MPI_Recv_init", TRACE_RECV_INIT, 0},
    [TRACE_START] = {"start", "?n", "MPI_Start", TRACE_START, 0},
    [TRACE_REQUEST_FREE] = {"request_free", "", "MPI_Request_free", TRACE_REQUEST_FREE, 0},
    [TRACE_CANCEL] = {"cancel", "", "MPI_Cancel", TRACE_CANCEL, 0},
    [TRACE_BUFFER_DETACH] = {"buffer_detach", "", "MPI_Buffer_detach", TRACE_BUFFER_DETACH, 0},
    [TRACE_PSEND_INIT] = {"psend_init", "ptkcd", "MPI_Psend_init", TRACE_PSEND_INIT, 0},
    [TRACE_PRECV_INIT] = {"precv_init", "stkcd", "MPI_Precv_init", TRACE_PRECV_INIT, 0},
    [TRACE_PREADY] = {"pready", "", "MPI_Pready", TRACE_PREADY, 0},
    [TRACE_PARRIVED] = {"parrived", "", "MPI_Parrived", TRACE_PARRIVED, 0},
    [TRACE_WAIT] = {"wait", "K", "MPI_Wait", TRACE_WAIT, 0},
    [TRACE_WAITALL] = {"waitall", "?n", "MPI_Waitall", TRACE_WAITALL, 0},
    [TRACE_WAITANY] = {"waitany", "?n", "MPI_Waitany", TRACE_WAITANY, 0},
    [TRACE_WAITSOME] = {"waitsome", "?n", "MPI_Waitsome", TRACE_WAITSOME, 0},
    [TRACE_TEST] = {"test", "K", "MPI_Test", TRACE_TEST, 0},
    [TRACE_TESTALL] = {"testall", "?n", "MPI_Testall", TRACE_TESTALL, 0},
    [TRACE_TESTANY] = {"testany", "?n", "MPI_Testany", TRACE_TESTANY, 0},
    [TRACE_TESTSOME] = {"testsome", "?n", "MPI_Testsome", TRACE_TESTSOME, 0},
    [TRACE_BARRIER] = {"barrier", "", "MPI_Barrier", TRACE_BARRIER, 0},
    [TRACE_BCAST] = {"bcast", "c?rd", "MPI_Bcast", TRACE_BCAST, 0},
    [TRACE_REDUCE] = {"reduce", "cf?rd", "MPI_Reduce", TRACE_REDUCE, 0},
    [TRACE_ALLREDUCE] = {"allreduce", "cf?d", "MPI_Allreduce", TRACE_ALLREDUCE, 0},
    [TRACE_GATHER] = {"gather", "ck?rde", "MPI_Gather", TRACE_GATHER, 0},
    [TRACE_GATHERV] = {"gatherv", "cR?rde", "MPI_Gatherv", TRACE_GATHERV, 0},
    [TRACE_SCATTER] = {"scatter", "ck?rde", "MPI_Scatter", TRACE_SCATTER, 0},
    [TRACE_SCATTERV] = {"scatterv", "Sk?rde", "MPI_Scatterv", TRACE_SCATTERV, 0},
    [TRACE_ALLGATHER] = {"allgather", "ck?de", "MPI_Allgather", TRACE_ALLGATHER, 0},
    [TRACE_ALLGATHERV] = {"allgatherv", "cR?de", "MPI_Allgatherv", TRACE_ALLGATHERV, 0},
    [TRACE_ALLTOALL] = {"alltoall", "ck?de", "MPI_Alltoall", TRACE_ALLTOALL, 0},
    [TRACE_ALLTOALLV] = {"alltoallv", "cSkR?de", "MPI_Alltoallv", TRACE_ALLTOALLV, 0},
    [TRACE_ALLTOALLW] = {"alltoallw", "cSkR?de", "MPI_Alltoallw", TRACE_ALLTOALLW, 0},
    [TRACE_REDUCE_SCATTER] = {"reducescatter", "Rf?d", "MPI_Reduce_scatter", TRACE_REDUCE_SCATTER,
                              0},
    [TRACE_REDUCE_SCATTER_BLOCK] = {"reducescatterblock", "cf?d", "MPI_Reduce_scatter_block",
                                    TRACE_REDUCE_SCATTER_BLOCK, 0},
    [TRACE_SCAN] = {"scan", "cf?d", "MPI_Scan", TRACE_SCAN, 0},
    [TRACE_EXSCAN] = {"exscan", "cf?d", "MPI_Exscan", TRACE_EXSCAN, 0},
    [TRACE_NEIGHBOR_ALLGATHER] = {"neighbor_allgather", "ck?de", "MPI_Neighbor_allgather",
                                  TRACE_NEIGHBOR_ALLGATHER, 0},
    [TRACE_NEIGHBOR_ALLGATHERV] = {"neighbor_allgatherv", "c?de", "MPI_Neighbor_allgatherv",
                                   TRACE_NEIGHBOR_ALLGATHERV, 0},
    [TRACE_NEIGHBOR_ALLTOALL] = {"neighbor_alltoall", "ck?de", "MPI_Neighbor_alltoall",
                                 TRACE_NEIGHBOR_ALLTOALL, 0},
    [TRACE_NEIGHBOR_ALLTOALLV] = {"neighbor_alltoallv", "?de", "MPI_Neighbor_alltoallv",
                                  TRACE_NEIGHBOR_ALLTOALLV, 0},
    [TRACE_NEIGHBOR_ALLTOALLW] = {"neighbor_alltoallw", "?de", "MPI_Neighbor_alltoallw",
                                  TRACE_NEIGHBOR_ALLTOALLW, 0},
    [TRACE_COMM_SIZE] = {"comm_size", "?c", "MPI_Comm_size", TRACE_COMM_SIZE, 0},
    [TRACE_COMM_DUP] = {"comm_dup", "*", "MPI_Comm_dup", TRACE_COMM_DUP, 0},
    [TRACE_COMM_SPLIT] = {"comm_split", "*", "MPI_Comm_split", TRACE_COMM_SPLIT, 0},
    [TRACE_COMM_CREATE] = {"comm_create", "*", "MPI_Comm_create", TRACE_COMM_CREATE, 0},
    [TRACE_COMM_CREATE_GROUP] = {"comm_create_group", "", "MPI_Comm_create_group",
                                 TRACE_COMM_CREATE_GROUP, 0},
    [TRACE_INTERCOMM_CREATE] = {"intercomm_create", "", "MPI_Intercomm_create",
                                TRACE_INTERCOMM_CREATE, 0},
    [TRACE_INTERCOMM_MERGE] = {"intercomm_merge", "", "MPI_Intercomm_merge", TRACE_INTERCOMM_MERGE,
                               0},
    [TRACE_COMM_IDUP] = {"comm_idup", "", "MPI_Comm_idup", TRACE_COMM_IDUP, 0},
    [TRACE_COMM_FREE] = {"comm_free", "*", "MPI_Comm_free", TRACE_COMM_FREE, 0},
    [TRACE_WIN_CREATE] = {"win_create", "c", "MPI_Win_create", TRACE_WIN_CREATE, 0},
    [TRACE_WIN_FREE] = {"win_free", "", "MPI_Win_free", TRACE_WIN_FREE, 0},
    [TRACE_PUT] = {"put", "pcd", "MPI_Put", TRACE_PUT, 0},
    [TRACE_GET] = {"get", "pcd", "MPI_Get", TRACE_GET, 0},
    [TRACE_ACCUMULATE] = {"accumulate", "pcd", "MPI_Accumulate", TRACE_ACCUMULATE, 0},
    [TRACE_GET_ACCUMULATE] = {"get_accumulate", "pcd", "MPI_Get_accumulate", TRACE_GET_ACCUMULATE,
                              0},
    [TRACE_FETCH_AND_OP] = {"fetch_and_op", "pd", "MPI_Fetch_and_op", TRACE_FETCH_AND_OP, 0},
    [TRACE_COMPARE_AND_SWAP] = {"compare_and_swap", "pd", "MPI_Compare_and_swap",
                                TRACE_COMPARE_AND_SWAP, 0},
    [TRACE_WIN_FENCE] = {"win_fence", "", "MPI_Win_fence", TRACE_WIN_FENCE, 0},
    [TRACE_WIN_POST] = {"win_post", "", "MPI_Win_post", TRACE_WIN_POST, 0},
    [TRACE_WIN_START] = {"win_start", "", "MPI_Win_start", TRACE_WIN_START, 0},
    [TRACE_WIN_COMPLETE] = {"win_complete", "", "MPI_Win_complete", TRACE_WIN_COMPLETE, 0},
    [TRACE_WIN_WAIT] = {"win_wait", "", "MPI_Win_wait", TRACE_WIN_WAIT, 0},
    [TRACE_WIN_LOCK] = {"win_lock", "p", "MPI_Win_lock", TRACE_WIN_LOCK, 0},
    [TRACE_WIN_UNLOCK] = {"win_unlock", "p", "MPI_Win_unlock", TRACE_WIN_UNLOCK, 0},
    [TRACE_WIN_LOCK_ALL] = {"win_lock_all", "", "MPI_Win_lock_all", TRACE_WIN_LOCK_ALL, 0},
    [TRACE_WIN_UNLOCK_ALL] = {"win_unlock_all", "", "MPI_Win_unlock_all", TRACE_WIN_UNLOCK_ALL, 0},
    [TRACE_WIN_FLUSH] = {"win_flush", "p", "MPI_Win_flush", TRACE_WIN_FLUSH, 0},
    [TRACE_WIN_FLUSH_ALL] = {"win_flush_all", "", "MPI_Win_flush_all", TRACE_WIN_FLUSH_ALL, 0},
    [TRACE_WIN_FLUSH_LOCAL] = {"win_flush_local", "p", "MPI_Win_flush_local", TRACE_WIN_FLUSH_LOCAL,
                               0},
    [TRACE_WIN_FLUSH_LOCAL_ALL] = {"win_flush_local_all", "", "MPI_Win_flush_local_all",
                                   TRACE_WIN_FLUSH_LOCAL_ALL, 0},
    [TRACE_FILE_OPEN] = {"file_open", "F", "MPI_File_open", TRACE_FILE_OPEN, 0},
    [TRACE_FILE_CLOSE] = {"file_close", "", "MPI_File_close", TRACE_FILE_CLOSE, 0},
    [TRACE_FILE_SYNC] = {"file_sync", "", "MPI_File_sync", TRACE_FILE_SYNC, 0},
    [TRACE_FILE_SET] = {"file_set", "", "MPI_File_set_size", TRACE_FILE_SET, 0},
    [TRACE_FILE_READ] = {"file_read", "cd", "MPI_File_read", TRACE_FILE_READ, 0},
    [TRACE_FILE_READ_ALL] = {"file_read_all", "cd", "MPI_File_read_all", TRACE_FILE_READ_ALL, 0},
    [TRACE_FILE_READ_SHARED] = {"file_read_shared", "cd", "MPI_File_read_shared",
                                TRACE_FILE_READ_SHARED, 0},
    [TRACE_FILE_READ_ORDERED] = {"file_read_ordered", "cd", "MPI_File_read_ordered",
                                 TRACE_FILE_READ_ORDERED, 0},
    [TRACE_FILE_WRITE] = {"file_write", "cd", "MPI_File_write", TRACE_FILE_WRITE, 0},
    [TRACE_FILE_WRITE_ALL] = {"file_write_all", "cd", "MPI_File_write_all", TRACE_FILE_WRITE_ALL,
                              0},
    [TRACE_FILE_WRITE_SHARED] = {"file_write_shared", "cd", "MPI_File_write_shared",
                                 TRACE_FILE_WRITE_SHARED, 0},
    [TRACE_FILE_WRITE_ORDERED] = {"file_write_ordered", "cd", "MPI_File_write_ordered",
                                  TRACE_FILE_WRITE_ORDERED, 0},
    [TRACE_IO_OPEN] = {"open", "F", "", TRACE_IO_OPEN, 0},
    [TRACE_IO_CLOSE] = {"close", "", "", TRACE_IO_CLOSE, 0},
    [TRACE_IO_SYNC] = {"fsync", "", "", TRACE_IO_SYNC, 0},
    [TRACE_IO_READ] = {"read", "c", "", TRACE_IO_READ, 0},
    [TRACE_IO_WRITE] = {"write", "c", "", TRACE_IO_WRITE, 0},
    [TRACE_IO_UNLINK] = {"unlink", "F", "", TRACE_IO_UNLINK, 0},
    [TRACE_RESOLVE] = {"resolve", "st", "", TRACE_RESOLVE, 0},
};
static_assert(sizeof trace_ops / sizeof *trace_ops == TRACE_OPS, "every op has a name");

void trace_event_init(struct trace_event *ev, enum trace_op op)
{
	memset(ev, 0, sizeof *ev);
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

int trace_op_is_collective(enum trace_op op)
{
	return op >= TRACE_BARRIER && op <= TRACE_NEIGHBOR_ALLTOALLW;
}

int trace_op_is_neighborhood(enum trace_op op)
{
	return op >= TRACE_NEIGHBOR_ALLGATHER && op <= TRACE_NEIGHBOR_ALLTOALLW;
}

int trace_op_may_be_wild(enum trace_op op)
{
	return op == TRACE_RECV || op == TRACE_IRECV || op == TRACE_SENDRECV ||
	       (op >= TRACE_PROBE && op <= TRACE_MPROBE);
}

int trace_op_makes_comm(enum trace_op op)
{
	return op >= TRACE_COMM_DUP && op <= TRACE_INTERCOMM_MERGE;
}
