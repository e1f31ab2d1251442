/* names.c: what the calls are called. */
#include "mp/mp_int.h"

#include <assert.h>

static const char *const names[] = {
    [CALL_COMPUTE] = "computation",
    [CALL_SLEEP] = "sleep",
    [CALL_OPEN] = "files opened and closed",
    [CALL_READ] = "read",
    [CALL_WRITE] = "write",
    [CALL_INIT] = "MPI_Init",
    [CALL_FINALIZE] = "MPI_Finalize",
    [CALL_SEND] = "MPI_Send",
    [CALL_SSEND] = "MPI_Ssend",
    [CALL_BSEND] = "MPI_Bsend",
    [CALL_RSEND] = "MPI_Rsend",
    [CALL_ISEND] = "MPI_Isend",
    [CALL_ISSEND] = "MPI_Issend",
    [CALL_IBSEND] = "MPI_Ibsend",
    [CALL_IRSEND] = "MPI_Irsend",
    [CALL_RECV] = "MPI_Recv",
    [CALL_IRECV] = "MPI_Irecv",
    [CALL_SENDRECV] = "MPI_Sendrecv",
    [CALL_PROBE] = "MPI_Probe",
    [CALL_IPROBE] = "MPI_Iprobe",
    [CALL_START] = "MPI_Start",
    [CALL_WAIT] = "MPI_Wait",
    [CALL_WAITALL] = "MPI_Waitall",
    [CALL_WAITANY] = "MPI_Waitany",
    [CALL_WAITSOME] = "MPI_Waitsome",
    [CALL_TEST] = "MPI_Test",
    [CALL_TESTALL] = "MPI_Testall",
    [CALL_TESTANY] = "MPI_Testany",
    [CALL_TESTSOME] = "MPI_Testsome",
    [CALL_COMM] = "communicator management",
    [CALL_MPROBE] = "MPI_Mprobe",
    [CALL_MRECV] = "MPI_Mrecv",
    [CALL_IMRECV] = "MPI_Imrecv",
    [CALL_PSEND] = "MPI_Psend_init",
    [CALL_PRECV] = "MPI_Precv_init",
    [CALL_PREADY] = "MPI_Pready",
    [CALL_PARRIVED] = "MPI_Parrived",
    [CALL_BUFFER_DETACH] = "MPI_Buffer_detach",
    [CALL_WIN] = "windows made and freed",
    [CALL_PUT] = "MPI_Put",
    [CALL_GET] = "MPI_Get",
    [CALL_ACCUMULATE] = "MPI_Accumulate",
    [CALL_WIN_FENCE] = "MPI_Win_fence",
    [CALL_WIN_POST] = "MPI_Win_post",
    [CALL_WIN_START] = "MPI_Win_start",
    [CALL_WIN_COMPLETE] = "MPI_Win_complete",
    [CALL_WIN_WAIT] = "MPI_Win_wait",
    [CALL_WIN_LOCK] = "MPI_Win_lock",
    [CALL_WIN_UNLOCK] = "MPI_Win_unlock",
    [CALL_WIN_FLUSH] = "MPI_Win_flush",
    [CALL_FILE_OPEN] = "MPI_File_open",
    [CALL_FILE_CLOSE] = "MPI_File_close",
    [CALL_FILE_SYNC] = "MPI_File_sync",
    [CALL_FILE_READ] = "MPI_File_read",
    [CALL_FILE_WRITE] = "MPI_File_write",
    [CALL_FILE_READ_ALL] = "MPI_File_read_all",
    [CALL_FILE_WRITE_ALL] = "MPI_File_write_all",
    [CALL_COLL + COLL_BARRIER] = "MPI_Barrier",
    [CALL_COLL + COLL_BCAST] = "MPI_Bcast",
    [CALL_COLL + COLL_REDUCE] = "MPI_Reduce",
    [CALL_COLL + COLL_ALLREDUCE] = "MPI_Allreduce",
    [CALL_COLL + COLL_GATHER] = "MPI_Gather",
    [CALL_COLL + COLL_GATHERV] = "MPI_Gatherv",
    [CALL_COLL + COLL_SCATTER] = "MPI_Scatter",
    [CALL_COLL + COLL_SCATTERV] = "MPI_Scatterv",
    [CALL_COLL + COLL_ALLGATHER] = "MPI_Allgather",
    [CALL_COLL + COLL_ALLGATHERV] = "MPI_Allgatherv",
    [CALL_COLL + COLL_ALLTOALL] = "MPI_Alltoall",
    [CALL_COLL + COLL_ALLTOALLV] = "MPI_Alltoallv",
    [CALL_COLL + COLL_ALLTOALLW] = "MPI_Alltoallw",
    [CALL_COLL + COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter",
    [CALL_COLL + COLL_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
    [CALL_COLL + COLL_SCAN] = "MPI_Scan",
    [CALL_COLL + COLL_EXSCAN] = "MPI_Exscan",
    [CALL_COLL + COLL_NEIGHBOR_ALLGATHER] = "MPI_Neighbor_allgather",
    [CALL_COLL + COLL_NEIGHBOR_ALLGATHERV] = "MPI_Neighbor_allgatherv",
    [CALL_COLL + COLL_NEIGHBOR_ALLTOALL] = "MPI_Neighbor_alltoall",
    [CALL_COLL + COLL_NEIGHBOR_ALLTOALLV] = "MPI_Neighbor_alltoallv",
    [CALL_COLL + COLL_NEIGHBOR_ALLTOALLW] = "MPI_Neighbor_alltoallw",
    [CALL_ICOLL + COLL_BARRIER] = "MPI_Ibarrier",
    [CALL_ICOLL + COLL_BCAST] = "MPI_Ibcast",
    [CALL_ICOLL + COLL_REDUCE] = "MPI_Ireduce",
    [CALL_ICOLL + COLL_ALLREDUCE] = "MPI_Iallreduce",
    [CALL_ICOLL + COLL_GATHER] = "MPI_Igather",
    [CALL_ICOLL + COLL_GATHERV] = "MPI_Igatherv",
    [CALL_ICOLL + COLL_SCATTER] = "MPI_Iscatter",
    [CALL_ICOLL + COLL_SCATTERV] = "MPI_Iscatterv",
    [CALL_ICOLL + COLL_ALLGATHER] = "MPI_Iallgather",
    [CALL_ICOLL + COLL_ALLGATHERV] = "MPI_Iallgatherv",
    [CALL_ICOLL + COLL_ALLTOALL] = "MPI_Ialltoall",
    [CALL_ICOLL + COLL_ALLTOALLV] = "MPI_Ialltoallv",
    [CALL_ICOLL + COLL_ALLTOALLW] = "MPI_Ialltoallw",
    [CALL_ICOLL + COLL_REDUCE_SCATTER] = "MPI_Ireduce_scatter",
    [CALL_ICOLL + COLL_REDUCE_SCATTER_BLOCK] = "MPI_Ireduce_scatter_block",
    [CALL_ICOLL + COLL_SCAN] = "MPI_Iscan",
    [CALL_ICOLL + COLL_EXSCAN] = "MPI_Iexscan",
    [CALL_ICOLL + COLL_NEIGHBOR_ALLGATHER] = "MPI_Ineighbor_allgather",
    [CALL_ICOLL + COLL_NEIGHBOR_ALLGATHERV] = "MPI_Ineighbor_allgatherv",
    [CALL_ICOLL + COLL_NEIGHBOR_ALLTOALL] = "MPI_Ineighbor_alltoall",
    [CALL_ICOLL + COLL_NEIGHBOR_ALLTOALLV] = "MPI_Ineighbor_alltoallv",
    [CALL_ICOLL + COLL_NEIGHBOR_ALLTOALLW] = "MPI_Ineighbor_alltoallw",
};
static_assert(sizeof names / sizeof *names == CALL_CALLS, "every call has a name");
static_assert(CALL_WAITALL == CALL_WAIT + MP_WAITALL && CALL_WAITSOME == CALL_WAIT + MP_WAITSOME,
              "calls follow enum mp_wait_kind");
static_assert(CALL_TESTALL == CALL_TEST + MP_TESTALL && CALL_TESTSOME == CALL_TEST + MP_TESTSOME,
              "calls follow enum mp_test_kind");
static_assert(CALL_CALLS <= UINT8_MAX, "a call fits in a byte");

const char *mp_call_name(enum mp_call c)
{
	return names[c];
}

const char *coll_types_text(uint8_t t)
{
	static const char *const text[] = {"elements", "integers", "reals", "complex numbers"};

	return text[t];
}

const char *mp_call_now(const struct mp *mp, uint32_t rank)
{
	uint32_t op = mp->ranks[rank].ended ? NONE : mp->ranks[rank].op;

	return op == NONE ? NULL : mp_call_name((enum mp_call)op_at(mp, op)->call);
}
