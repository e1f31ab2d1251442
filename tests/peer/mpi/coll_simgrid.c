/* coll_simgrid.c: collective calls, one after the other, to be run by SimGrid's smpirun. Arguments
 * of each: kind, root, count, type size, shape of counts, as in a line of coll_messages.
 *
 * If there are several, each rank sends its neighbour an empty message of tag MARK + 2n before the
 * n-th one (from 0) and of tag MARK + 2n + 1 after it, so that a trace tells whose messages are
 * whose. */
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

/* What a call is given. */
struct given {
	MPI_Datatype type, types[1024];
	int n, n2, root, *counts, *counts2, *at, *at2;
	char *s, *r;
};

static void given_make(struct given *g, const struct coll_case *c, const struct coll_args *a)
{
	size_t room = (size_t)(c->count + 64) * 8 * c->p + 64;
	g->type = a->type_size == 8 ? MPI_DOUBLE : a->type_size == 4 ? MPI_INT : MPI_CHAR;
	for (uint32_t i = 0; i < c->p; i++)
		g->types[i] = MPI_CHAR;
	g->n = (int)a->count;
	g->n2 = (int)a->count2;
	g->root = (int)c->root;
	g->counts = ints(a->counts, a->count, c->p);
	g->counts2 = ints(a->counts2, a->count2, c->p);
	g->at = sums(g->counts, c->p);
	g->at2 = sums(g->counts2, c->p);
	g->s = calloc(room, 1);
	g->r = calloc(room, 1);
}

/* A barrier, or a call with a root. 0: it is none. */
static int rooted(enum coll_kind kind, struct given *g)
{
	switch (kind) {
	case COLL_BARRIER:
		MPI_Barrier(MPI_COMM_WORLD);
		break;
	case COLL_BCAST:
		MPI_Bcast(g->s, g->n, g->type, g->root, MPI_COMM_WORLD);
		break;
	case COLL_REDUCE:
		MPI_Reduce(g->s, g->r, g->n, g->type, MPI_SUM, g->root, MPI_COMM_WORLD);
		break;
	case COLL_GATHER:
		MPI_Gather(g->s, g->n, g->type, g->r, g->n2, g->type, g->root, MPI_COMM_WORLD);
		break;
	case COLL_GATHERV:
		MPI_Gatherv(g->s, g->n, g->type, g->r, g->counts2, g->at2, g->type, g->root,
		            MPI_COMM_WORLD);
		break;
	case COLL_SCATTER:
		MPI_Scatter(g->s, g->n, g->type, g->r, g->n2, g->type, g->root, MPI_COMM_WORLD);
		break;
	case COLL_SCATTERV:
		MPI_Scatterv(g->s, g->counts, g->at, g->type, g->r, g->n2, g->type, g->root,
		             MPI_COMM_WORLD);
		break;
	default:
		return 0;
	}
	return 1;
}

/* A call whose ranks are all alike. 0: it is none. */
static int unrooted(enum coll_kind kind, struct given *g)
{
	switch (kind) {
	case COLL_ALLREDUCE:
		MPI_Allreduce(g->s, g->r, g->n, g->type, MPI_SUM, MPI_COMM_WORLD);
		break;
	case COLL_ALLGATHER:
		MPI_Allgather(g->s, g->n, g->type, g->r, g->n2, g->type, MPI_COMM_WORLD);
		break;
	case COLL_ALLGATHERV:
		MPI_Allgatherv(g->s, g->n, g->type, g->r, g->counts2, g->at2, g->type,
		               MPI_COMM_WORLD);
		break;
	case COLL_ALLTOALL:
		MPI_Alltoall(g->s, g->n, g->type, g->r, g->n2, g->type, MPI_COMM_WORLD);
		break;
	case COLL_ALLTOALLV:
		MPI_Alltoallv(g->s, g->counts, g->at, g->type, g->r, g->counts2, g->at2, g->type,
		              MPI_COMM_WORLD);
		break;
	case COLL_ALLTOALLW:
		MPI_Alltoallw(g->s, g->counts, g->at, g->types, g->r, g->counts2, g->at2, g->types,
		              MPI_COMM_WORLD);
		break;
	case COLL_REDUCE_SCATTER:
		MPI_Reduce_scatter(g->s, g->r, g->counts2, g->type, MPI_SUM, MPI_COMM_WORLD);
		break;
	case COLL_REDUCE_SCATTER_BLOCK:
		MPI_Reduce_scatter_block(g->s, g->r, g->n, g->type, MPI_SUM, MPI_COMM_WORLD);
		break;
	case COLL_SCAN:
		MPI_Scan(g->s, g->r, g->n, g->type, MPI_SUM, MPI_COMM_WORLD);
		break;
	case COLL_EXSCAN:
		MPI_Exscan(g->s, g->r, g->n, g->type, MPI_SUM, MPI_COMM_WORLD);
		break;
	default:
		return 0;
	}
	return 1;
}

static void given_free(struct given *g)
{
	free(g->counts);
	free(g->counts2);
	free(g->at);
	free(g->at2);
	free(g->s);
	free(g->r);
}

enum { MARK = 20000, WORDS = 5 };

static void mark(int tag, int rank, int ranks)
{
	MPI_Sendrecv(NULL, 0, MPI_BYTE, (rank + 1) % ranks, tag, NULL, 0, MPI_BYTE,
	             (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The call that words name; tag: of the message before it, or -1. 0: there is no such call. */
static int perform(char **words, int rank, int ranks, int tag)
{
	struct coll_case c = {.kind = (enum coll_kind)atoi(words[0]),
	                      .p = (uint32_t)ranks,
	                      .root = (uint32_t)atoi(words[1]),
	                      .count = atol(words[2]),
	                      .type_size = atoi(words[3]),
	                      .shape = (enum counts_shape)atoi(words[4])};
	struct coll_args *args = calloc(c.p, sizeof *args);
	int64_t *counts = calloc((size_t)c.p * (c.p + 1), sizeof *counts);
	struct given *g = calloc(1, sizeof *g);
	case_args(&c, args, counts);
	given_make(g, &c, &args[rank]);
	if (tag >= 0)
		mark(tag, rank, ranks);
	int done = rooted(c.kind, g) || unrooted(c.kind, g);
	if (tag >= 0)
		mark(tag + 1, rank, ranks);
	given_free(g);
	free(g);
	free(counts);
	free(args);
	return done;
}

int main(int argc, char **argv)
{
	int rank, ranks, calls = (argc - 1) / WORDS, done = calls > 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (int n = 0; n < calls; n++)
		if (!perform(argv + 1 + n * WORDS, rank, ranks, calls > 1 ? MARK + 2 * n : -1))
			done = 0;
	MPI_Finalize();
	return done ? 0 : 2;
}
