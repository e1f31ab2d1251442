/* Ranks that wait for each other by way of the operating system. Rank 0 waits for a connection,
 * then for a byte, then for a lock; rank 1 sleeps 2 s before it connects, 3 s before it writes, 1 s
 * before it unlocks. Rank 2 looks for a message of rank 0 meanwhile. With an argument rank 0 waits
 * for somebody who never comes. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener(struct sockaddr_in *at)
{
	socklen_t n = sizeof *at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	memset(at, 0, sizeof *at);
	at->sin_family = AF_INET;
	at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	bind(fd, (struct sockaddr *)at, sizeof *at);
	listen(fd, 1);
	getsockname(fd, (struct sockaddr *)at, &n);
	return fd;
}

static void waits(int fd, int lock, int for_ever)
{
	double begin = MPI_Wtime(), dates[3];
	int peer = accept(fd, NULL, NULL);
	char c = 'x';

	dates[0] = MPI_Wtime() - begin;
	if (read(peer, &c, 1) != 1)
		perror("read");
	dates[1] = MPI_Wtime() - begin;
	flock(lock, LOCK_EX);
	dates[2] = MPI_Wtime() - begin;
	printf("connected after %.1f s, a byte after %.1f s, the lock after %.1f s\n", dates[0],
	       dates[1], dates[2]);
	fflush(stdout);
	if (for_ever)
		accept(fd, NULL, NULL);
	MPI_Send(&c, 1, MPI_CHAR, 2, 0, MPI_COMM_WORLD);
}

static void serves(const struct sockaddr_in *at, int lock)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char c = 'x';

	flock(lock, LOCK_EX);
	sleep(2);
	if (connect(fd, (const struct sockaddr *)at, sizeof *at))
		perror("connect");
	sleep(3);
	if (write(fd, &c, 1) != 1)
		perror("write");
	sleep(1);
	flock(lock, LOCK_UN);
}

int main(int argc, char **argv)
{
	int rank, fd = -1, lock = open("lock", O_RDWR | O_CREAT, 0600), found = 0;
	struct sockaddr_in at;
	char c;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		fd = listener(&at);
	MPI_Bcast(&at, sizeof at, MPI_BYTE, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		waits(fd, lock, argc > 1);
	else if (rank == 1)
		serves(&at, lock);
	while (rank == 2 && !found)
		MPI_Iprobe(0, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
	if (rank == 2)
		MPI_Recv(&c, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
