/* topo_dims.c: MPI_Dims_create: the most even factors, largest first (MPI 4.0, 8.5.2): the
 * difference of the largest and the smallest is as small as possible; of such, the smallest is as
 * large as possible, then the next smallest, and so on. */
#include <limits.h>
#include <stdlib.h>

#include "orr_mpi.h"

struct factors {
	int *divisor; /* of the number of nodes, ascending */
	int n;
};

static int divisors_of(int nodes, struct factors *f)
{
	f->n = 0;
	f->divisor = malloc(2 * 46341 * sizeof *f->divisor); /* two for each up to the root */
	if (!f->divisor)
		return -1;
	int large = 0, *big = f->divisor + 46341;
	for (int i = 1; (int64_t)i * i <= nodes; i++)
		if (nodes % i == 0) {
			f->divisor[f->n++] = i;
			if (i != nodes / i)
				big[large++] = nodes / i;
		}
	for (int i = large - 1; i >= 0; i--)
		f->divisor[f->n++] = big[i];
	return 0;
}

static int64_t power(int64_t x, int k, int64_t limit)
{
	int64_t p = 1;
	while (k-- > 0 && p < limit)
		p *= x;
	return p;
}

/* nodes as k factors from `least` to `most`, the largest as small as possible, into dims: 1 if that
 * is possible. */
static int split(const struct factors *f, int nodes, int k, int least, int most, int *dims)
{
	if (k == 0)
		return nodes == 1;
	for (int i = 0; i < f->n && f->divisor[i] <= most; i++) {
		int d = f->divisor[i];
		if (d < least || nodes % d != 0 || power(d, k, nodes) < nodes)
			continue;
		dims[0] = d;
		if (split(f, nodes / d, k - 1, least, d, dims + 1))
			return 1;
	}
	return 0;
}

/* nodes as k factors from least to most, the smallest of them as large as possible, then the next:
 * into dims, the largest first. It is known to be possible. */
static void level(const struct factors *f, int nodes, int k, int least, int most, int *dims,
                  int *room)
{
	for (int i = f->n - 1; i >= 0 && k > 0; i--) {
		int d = f->divisor[i];
		if (d < least || nodes % d != 0 || power(d, k, (int64_t)nodes + 1) > nodes)
			continue;
		if (!split(f, nodes / d, k - 1, d, most, room))
			continue;
		dims[--k] = d;
		nodes /= d;
		least = d;
		i = f->n; /* from the largest again */
	}
}

/* The smallest factor is tried from the root downwards, until it is too small for a better result.
 */
static void even(const struct factors *f, int nodes, int k, int *best, int *room)
{
	int found = INT_MAX;
	for (int i = f->n - 1; i >= 0; i--) {
		int least = f->divisor[i];
		int64_t p = power(least, k, INT64_MAX / nodes);
		if (p > nodes)
			continue;
		if (found < INT_MAX && power((int64_t)least + found, k - 1, nodes) * least < nodes)
			break;
		if (!split(f, nodes / least, k - 1, least, nodes, room))
			continue;
		int spread = k > 1 ? room[0] - least : 0;
		if (spread >= found)
			continue;
		found = spread;
		level(f, nodes, k, least, least + spread, best, room);
	}
}

int orr_Dims_create(int nnodes, int ndims, int dims[])
{
	if (nnodes < 1 || ndims < 0 || (ndims > 0 && !dims))
		return ndims < 0 ? MPI_ERR_DIMS : MPI_ERR_ARG;
	int left = nnodes, free_dims = 0;
	for (int i = 0; i < ndims; i++) {
		if (dims[i] < 0 || (dims[i] > 0 && left % dims[i] != 0))
			return MPI_ERR_DIMS;
		free_dims += dims[i] == 0;
		left /= dims[i] ? dims[i] : 1;
	}
	if (free_dims == 0)
		return ndims > 0 && left != 1 ? MPI_ERR_DIMS : MPI_SUCCESS;
	struct factors f;
	int *chosen = malloc(2 * (size_t)free_dims * sizeof *chosen);
	if (!chosen || divisors_of(left, &f)) {
		free(chosen);
		return MPI_ERR_NO_MEM;
	}
	even(&f, left, free_dims, chosen, chosen + free_dims);
	for (int i = 0, k = 0; i < ndims; i++)
		if (dims[i] == 0)
			dims[i] = chosen[k++];
	free(f.divisor);
	free(chosen);
	return MPI_SUCCESS;
}
