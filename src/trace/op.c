/* op.c: the actions of a trace: their names, their arguments, their MPI functions. The table is the grammar of the current dialect
 * and of ours: event_parse.c reads by it and event_format.c writes by it, so that the two cannot disagree. */
#include "trace_int.h"

#include <assert.h>
#include <string.h>

const struct action trace_ops[TRACE_OPS] = {
    [TRACE_INIT] = {"init", "*", "MPI_Init", TRACE_INIT, 0},
    [TRACE_FINALIZE] = {"finalize", "*", "MPI_Finalize", TRACE_FINALIZE, 0},
    [TRACE_COMPUTE] = {"compute", "f", "", TRACE_COMPUTE, 0},
    [TRACE_SLEEP] = {"sleep", "f", "", TRACE_SLEEP, 0},
    [TRACE_LOCATION] = {"location", "Fl", "", TRACE_LOCATION, 0},
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
    [TRACE_SEND_INIT] = {"send_init", "ptc?d", "MPI_Send_init", TRACE_SEND_INIT, 0},
    [TRACE_SSEND_INIT] = {"ssend_init", "ptc?d", "MPI_Ssend_init", TRACE_SSEND_INIT, 0},
    [TRACE_BSEND_INIT] = {"bsend_init", "ptc?d", "MPI_Bsend_init", TRACE_BSEND_INIT, 0},
    [TRACE_RSEND_INIT] = {"rsend_init", "ptc?d", "MPI_Rsend_init", TRACE_RSEND_INIT, 0},
    [TRACE_RECV_INIT] = {"recv_init", "stc?d", "MPI_Recv_init", TRACE_RECV_INIT, 0},
    [TRACE_START] = {"start", "?n", "MPI_Start", TRACE_START, 0},
    [TRACE_REQUEST_FREE] = {"request_free", "", "MPI_Request_free", TRACE_REQUEST_FREE, 0},
    [TRACE_CANCEL] = {"cancel", "", "MPI_Cancel", TRACE_CANCEL, 0},
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
    [TRACE_REDUCE_SCATTER] = {"reducescatter", "Rf?d", "MPI_Reduce_scatter", TRACE_REDUCE_SCATTER, 0},
    [TRACE_REDUCE_SCATTER_BLOCK] = {"reducescatterblock", "cf?d", "MPI_Reduce_scatter_block", TRACE_REDUCE_SCATTER_BLOCK, 0},
    [TRACE_SCAN] = {"scan", "cf?d", "MPI_Scan", TRACE_SCAN, 0},
    [TRACE_EXSCAN] = {"exscan", "cf?d", "MPI_Exscan", TRACE_EXSCAN, 0},
    [TRACE_COMM_SIZE] = {"comm_size", "?c", "MPI_Comm_size", TRACE_COMM_SIZE, 0},
    [TRACE_COMM_DUP] = {"comm_dup", "*", "MPI_Comm_dup", TRACE_COMM_DUP, 0},
    [TRACE_COMM_SPLIT] = {"comm_split", "*", "MPI_Comm_split", TRACE_COMM_SPLIT, 0},
    [TRACE_COMM_CREATE] = {"comm_create", "*", "MPI_Comm_create", TRACE_COMM_CREATE, 0},
    [TRACE_COMM_FREE] = {"comm_free", "*", "MPI_Comm_free", TRACE_COMM_FREE, 0},
    [TRACE_RESOLVE] = {"resolve", "st", "", TRACE_RESOLVE, 0},
};
static_assert(sizeof trace_ops / sizeof *trace_ops == TRACE_OPS, "every op has a name");

void trace_event_init(struct trace_event *ev, enum trace_op op)
{
	memset(ev, 0, sizeof *ev);
	ev->op = (uint8_t)op;
	ev->req = -1;
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
	return op >= TRACE_BARRIER && op <= TRACE_EXSCAN;
}
