/* paraver_names.c: the numbers that Extrae gives to functions of MPI (the values of events 50000001
 * to 50000005), for traces without a .pcf: MPI_EventEncoding.h of its merger, up to MPI_Iexscan. */
#include "paraver_names.h"

#include <stddef.h>

/* clang-format off */
static const char *const names[] = {
    "Send", "Recv", "Isend", "Irecv", "Wait", "Waitall", "Bcast", "Barrier", "Reduce",
    "Allreduce", "Alltoall", "Alltoallv", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather",
    "Allgatherv", "Comm_rank", "Comm_size", "Comm_create", "Comm_dup", "Comm_split", "Comm_group",
    "Comm_free", "Comm_remote_group", "Comm_remote_size", "Comm_test_inter", "Comm_compare",
    "Scan", "Init", "Finalize", "Bsend", "Ssend", "Rsend", "Ibsend", "Issend", "Irsend", "Test",
    "Cancel", "Sendrecv", "Sendrecv_replace", "Cart_create", "Cart_shift", "Cart_coords",
    "Cart_get", "Cart_map", "Cart_rank", "Cart_sub", "Cartdim_get", "Dims_create", "Graph_get",
    "Graph_map", "Graph_create", "Graph_neighbors", "Graphdims_get", "Graph_neighbors_count",
    "Topo_test", "Waitany", "Waitsome", "Probe", "Iprobe", "Win_create", "Win_free", "Put", "Get",
    "Accumulate", "Win_fence", "Win_complete", "Win_start", "Win_post", "Win_wait", "Win_test",
    "Win_lock", "Win_unlock", "Pack", "Unpack", "Op_create", "Op_free", "Reduce_scatter",
    "Attr_delete", "Attr_get", "Attr_put", "Group_difference", "Group_excl", "Group_free",
    "Group_incl", "Group_intersection", "Group_rank", "Group_range_excl", "Group_range_incl",
    "Group_size", "Group_translate_ranks", "Group_union", "Group_compare", "Intercomm_create",
    "Intercomm_merge", "Keyval_free", "Keyval_create", "Abort", "Error_class",
    "Errhandler_create", "Errhandler_free", "Errhandler_get", "Error_string", "Errhandler_set",
    "Get_processor_name", "Initialized", "Wtick", "Wtime", "Address", "Bsend_init",
    "Buffer_attach", "Buffer_detach", "Request_free", "Recv_init", "Send_init", "Get_count",
    "Get_elements", "Pack_size", "Rsend_init", "Ssend_init", "Start", "Startall", "Testall",
    "Testany", "Test_cancelled", "Testsome", "Type_commit", "Type_contiguous", "Type_extent",
    "Type_free", "Type_hindexed", "Type_hvector", "Type_indexed", "Type_lb", "Type_size",
    "Type_struct", "Type_ub", "Type_vector", "File_open", "File_close", "File_read",
    "File_read_all", "File_write", "File_write_all", "File_read_at", "File_read_at_all",
    "File_write_at", "File_write_at_all", "Comm_spawn", "Comm_spawn_multiple",
    "Request_get_status", "Ireduce", "Iallreduce", "Ibarrier", "Ibcast", "Ialltoall",
    "Ialltoallv", "Iallgather", "Iallgatherv", "Igather", "Igatherv", "Iscatter", "Iscatterv",
    "Ireduce_scatter", "Iscan", "Reduce_scatter_block", "Ireduce_scatter_block", "Alltoallw",
    "Ialltoallw", "Get_accumulate", "Dist_graph_create", "Neighbor_allgather",
    "Ineighbor_allgather", "Neighbor_allgatherv", "Ineighbor_allgatherv", "Neighbor_alltoall",
    "Ineighbor_alltoall", "Neighbor_alltoallv", "Ineighbor_alltoallv", "Neighbor_alltoallw",
    "Ineighbor_alltoallw", "Fetch_and_op", "Compare_and_swap", "Win_flush", "Win_flush_all",
    "Win_flush_local", "Win_flush_local_all", "Mprobe", "Improbe", "Mrecv", "Imrecv",
    "Comm_split_type", "File_write_all_begin", "File_write_all_end", "File_read_all_begin",
    "File_read_all_end", "File_write_at_all_begin", "File_write_at_all_end",
    "File_read_at_all_begin", "File_read_at_all_end", "File_read_ordered",
    "File_read_ordered_begin", "File_read_ordered_end", "File_read_shared", "File_write_ordered",
    "File_write_ordered_begin", "File_write_ordered_end", "File_write_shared",
    "Comm_dup_with_info", "Dist_graph_create_adjacent", "Comm_create_group", "Exscan", "Iexscan",
};
/* clang-format on */

const char *paraver_name(int64_t value)
{
	return value < 1 || value > (int64_t)(sizeof names / sizeof *names) ? NULL
	                                                                    : names[value - 1];
}
