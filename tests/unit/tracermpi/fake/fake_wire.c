/* fake_wire.c: several processes, one a rank, between which the tracer's own messages really go:
 * sockets from each to each, made before they are forked. A program's messages still come from
 * nowhere: only those on a duplicate of the world, and the world's MPI_Bcast and MPI_Allreduce, go
 * over the wires. A message is its length and its bytes. */
#include "fake_mpi.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

void fake_wires_make(int wires[FAKE_RANKS][FAKE_RANKS], int ranks)
{
	int ends[2];

	for (int i = 0; i < ranks; i++)
		for (int k = 0; k < i; k++) {
			if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
				abort();
			wires[i][k] = ends[0];
			wires[k][i] = ends[1];
		}
}

void fake_wires_use(int wires[FAKE_RANKS][FAKE_RANKS])
{
	for (int i = 0; i < fake.ranks; i++)
		for (int k = 0; k < fake.ranks; k++)
			if (i == fake.rank && k != i)
				fake.wire[k] = wires[i][k];
			else if (k != i)
				close(wires[i][k]);
	fake.wired = 1;
}

/* A process that has ended is seen by its closed sockets: nobody waits for it for ever. */
static void move(int fd, char *p, size_t n, int sends)
{
	while (n > 0) {
		ssize_t k = sends ? send(fd, p, n, MSG_NOSIGNAL) : recv(fd, p, n, 0);

		if (k <= 0)
			_exit(9);
		p += k;
		n -= (size_t)k;
	}
}

void fake_wire_send(int to, const void *p, size_t n)
{
	uint64_t length = n;

	move(fake.wire[to], (char *)&length, sizeof length, 1);
	move(fake.wire[to], (char *)(uintptr_t)p, n, 1);
}

int fake_wire_recv(int from, void *p, size_t n)
{
	uint64_t length;
	char dropped;

	move(fake.wire[from], (char *)&length, sizeof length, 0);
	move(fake.wire[from], p, length < n ? length : n, 0);
	for (uint64_t i = n; i < length; i++)
		move(fake.wire[from], &dropped, 1, 0);
	return length > n ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

void fake_wire_bcast(int root, void *p, size_t n)
{
	if (fake.rank != root) {
		fake_wire_recv(root, p, n);
		return;
	}
	for (int i = 0; i < fake.ranks; i++)
		if (i != root)
			fake_wire_send(i, p, n);
}

/* Ints: the sum, the least or the greatest. */
void fake_wire_allreduce(const int *in, int *out, int n, MPI_Op op)
{
	int theirs[8];

	memcpy(out, in, (size_t)n * sizeof *out);
	if (fake.rank != 0)
		fake_wire_send(0, in, (size_t)n * sizeof *in);
	for (int r = 1; r < fake.ranks && fake.rank == 0; r++) {
		fake_wire_recv(r, theirs, sizeof theirs);
		for (int i = 0; i < n; i++)
			out[i] = op == MPI_SUM                             ? out[i] + theirs[i]
			         : (op == MPI_MIN) == (theirs[i] < out[i]) ? theirs[i]
			                                                   : out[i];
	}
	fake_wire_bcast(0, out, (size_t)n * sizeof *out);
}
