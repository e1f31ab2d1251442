/* stencil2d.c: Jacobi iterations of the heat equation on an N x N grid, cut into blocks. Every
 * iteration exchanges halos with up to four neighbours (Irecv, Isend, Waitall); every tenth
 * computes the residual (Allreduce).
 * usage: stencil2d [n [iterations]] */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct block {
	int nx, ny;                /* inner points */
	int left, right, up, down; /* neighbours, or MPI_PROC_NULL */
	double *now, *next;        /* (nx + 2) x (ny + 2), row by row */
};

static int share(int n, int parts, int i)
{
	return n / parts + (i < n % parts);
}

static void block_init(struct block *b, int n, const int dims[2], const int at[2])
{
	int rank_of_row = at[0] * dims[1];
	size_t points;

	b->ny = share(n, dims[0], at[0]);
	b->nx = share(n, dims[1], at[1]);
	b->left = at[1] > 0 ? rank_of_row + at[1] - 1 : MPI_PROC_NULL;
	b->right = at[1] < dims[1] - 1 ? rank_of_row + at[1] + 1 : MPI_PROC_NULL;
	b->up = at[0] > 0 ? rank_of_row - dims[1] + at[1] : MPI_PROC_NULL;
	b->down = at[0] < dims[0] - 1 ? rank_of_row + dims[1] + at[1] : MPI_PROC_NULL;
	points = (size_t)(b->nx + 2) * (size_t)(b->ny + 2);
	b->now = calloc(points, sizeof(double));
	b->next = calloc(points, sizeof(double));
	for (int j = 0; at[0] == 0 && j < b->nx + 2; j++) /* the upper edge is hot */
		b->now[j] = b->next[j] = 1.0;
}

static void exchange(struct block *b, MPI_Datatype column)
{
	int w = b->nx + 2;
	double *u = b->now;
	MPI_Request q[8];

	MPI_Irecv(u + 1, b->nx, MPI_DOUBLE, b->up, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(u + (b->ny + 1) * w + 1, b->nx, MPI_DOUBLE, b->down, 1, MPI_COMM_WORLD, &q[1]);
	MPI_Irecv(u + w, 1, column, b->left, 2, MPI_COMM_WORLD, &q[2]);
	MPI_Irecv(u + w + b->nx + 1, 1, column, b->right, 3, MPI_COMM_WORLD, &q[3]);
	MPI_Isend(u + w + 1, b->nx, MPI_DOUBLE, b->up, 1, MPI_COMM_WORLD, &q[4]);
	MPI_Isend(u + b->ny * w + 1, b->nx, MPI_DOUBLE, b->down, 0, MPI_COMM_WORLD, &q[5]);
	MPI_Isend(u + w + 1, 1, column, b->left, 3, MPI_COMM_WORLD, &q[6]);
	MPI_Isend(u + w + b->nx, 1, column, b->right, 2, MPI_COMM_WORLD, &q[7]);
	MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
}

/* One sweep; the sum of squared changes. */
static double sweep(struct block *b)
{
	int w = b->nx + 2;
	double sum = 0, *swap;

	for (int i = 1; i <= b->ny; i++) {
		for (int j = 1; j <= b->nx; j++) {
			const double *u = b->now + i * w + j;
			double v = 0.25 * (u[-1] + u[1] + u[-w] + u[w]);

			sum += (v - *u) * (v - *u);
			b->next[i * w + j] = v;
		}
	}
	swap = b->now;
	b->now = b->next;
	b->next = swap;
	return sum;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 512, iterations = argc > 2 ? atoi(argv[2]) : 100;
	int rank, size, dims[2] = {0, 0}, at[2];
	double sum, residual = 0, first = 0;
	MPI_Datatype column;
	struct block b;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	at[0] = rank / dims[1];
	at[1] = rank % dims[1];
	block_init(&b, n, dims, at);
	MPI_Type_vector(b.ny, 1, b.nx + 2, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	for (int i = 0; i < iterations; i++) {
		exchange(&b, column);
		sum = sweep(&b);
		if (i % 10 == 0 || i == iterations - 1)
			MPI_Allreduce(&sum, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		if (i == 0)
			first = residual;
	}
	if (rank == 0)
		printf("stencil2d: %d x %d points on %d x %d processes, residual %.6e (%s)\n", n, n,
		       dims[0], dims[1], sqrt(residual), residual < first ? "right" : "WRONG");
	MPI_Type_free(&column);
	free(b.now);
	free(b.next);
	MPI_Finalize();
	return 0;
}
