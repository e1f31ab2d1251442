/* coll_simgrid.c: one collective call, to be run by SimGrid's smpirun: arguments as one line of
 * coll_messages. */
#include "../../property/coll/cases.h"

#include <mpi.h>

static int *ints(const int64_t *counts, int64_t count, uint32_t p)
{
	int *out = calloc(p, sizeof *out);
	for (uint32_t i = 0; i < p; i++)
		out[i] = (int)(counts ? counts[i] : count);
	return out;
}

static int *sums(const int *counts, uint32_t p)
{
	int *out = calloc(p, sizeof *out);
	for (uint32_t i = 1; i < p; i++)
		out[i] = out[i - 1] + counts[i - 1];
	return out;
}

int main(int argc, char **argv)
{
	int rank;
	struct coll_case c = {.kind = (enum coll_kind)atoi(argv[1]),
	                      .p = (uint32_t)atoi(argv[2]),
	                      .root = (uint32_t)atoi(argv[3]),
	                      .count = atol(argv[4]),
	                      .type_size = atoi(argv[5]),
	                      .shape = (enum counts_shape)atoi(argv[6])};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct coll_args *args = calloc(c.p, sizeof *args), *a = &args[rank];
	case_args(&c, args, calloc((size_t)c.p * (c.p + 1), sizeof(int64_t)));
	MPI_Datatype type = a->type_size == 8 ? MPI_DOUBLE : a->type_size == 4 ? MPI_INT : MPI_CHAR;
	MPI_Datatype types[1024];
	for (uint32_t i = 0; i < c.p; i++)
		types[i] = MPI_CHAR;
	MPI_Comm w = MPI_COMM_WORLD;
	int n = (int)a->count, n2 = (int)a->count2, root = (int)c.root;
	int *counts = ints(a->counts, a->count, c.p), *counts2 = ints(a->counts2, a->count2, c.p);
	int *at = sums(counts, c.p), *at2 = sums(counts2, c.p);
	size_t room = (size_t)(c.count + 64) * 8 * c.p + 64;
	char *s = calloc(room, 1), *r = calloc(room, 1);
	switch (c.kind) {
	case COLL_BARRIER:
		MPI_Barrier(w);
		break;
	case COLL_BCAST:
		MPI_Bcast(s, n, type, root, w);
		break;
	case COLL_REDUCE:
		MPI_Reduce(s, r, n, type, MPI_SUM, root, w);
		break;
	case COLL_ALLREDUCE:
		MPI_Allreduce(s, r, n, type, MPI_SUM, w);
		break;
	case COLL_GATHER:
		MPI_Gather(s, n, type, r, n2, type, root, w);
		break;
	case COLL_GATHERV:
		MPI_Gatherv(s, n, type, r, counts2, at2, type, root, w);
		break;
	case COLL_SCATTER:
		MPI_Scatter(s, n, type, r, n2, type, root, w);
		break;
	case COLL_SCATTERV:
		MPI_Scatterv(s, counts, at, type, r, n2, type, root, w);
		break;
	case COLL_ALLGATHER:
		MPI_Allgather(s, n, type, r, n2, type, w);
		break;
	case COLL_ALLGATHERV:
		MPI_Allgatherv(s, n, type, r, counts2, at2, type, w);
		break;
	case COLL_ALLTOALL:
		MPI_Alltoall(s, n, type, r, n2, type, w);
		break;
	case COLL_ALLTOALLV:
		MPI_Alltoallv(s, counts, at, type, r, counts2, at2, type, w);
		break;
	case COLL_ALLTOALLW:
		MPI_Alltoallw(s, counts, at, types, r, counts2, at2, types, w);
		break;
	case COLL_REDUCE_SCATTER:
		MPI_Reduce_scatter(s, r, counts2, type, MPI_SUM, w);
		break;
	case COLL_REDUCE_SCATTER_BLOCK:
		MPI_Reduce_scatter_block(s, r, n, type, MPI_SUM, w);
		break;
	case COLL_SCAN:
		MPI_Scan(s, r, n, type, MPI_SUM, w);
		break;
	case COLL_EXSCAN:
		MPI_Exscan(s, r, n, type, MPI_SUM, w);
		break;
	default:
		return 2;
	}
	MPI_Finalize();
	return 0;
}
