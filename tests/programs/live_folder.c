/* What the kernel keeps for a process is each rank's own: where it works, and the mask of rights of
 * new files. Ranks go to folders of their own, by relative names, in turns with barriers, and write
 * files there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char name[32], where[4096];
	struct stat st;
	int rank, fd;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1) { /* another program in this one's place */
		char *words[] = {"true", NULL}, *none[] = {NULL};

		execvpe("true", words, none);
	}
	unsigned short seed[] = {1, 2, (unsigned short)rank};

	seed48(seed);
	snprintf(name, sizeof name, "of-%d", rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank != 2 && (mkdir(name, 0777) < 0 || chdir(name) < 0))
		perror(name);
	umask(rank == 1 ? 0 : 022);
	MPI_Barrier(MPI_COMM_WORLD);
	fd = open("mine", O_CREAT | O_WRONLY | O_EXCL, 0666);
	MPI_Barrier(MPI_COMM_WORLD);
	if (fd < 0 || fstat(fd, &st) < 0 || !getcwd(where, sizeof where))
		perror("mine");
	close(fd);
	fd = open(rank == 2 ? "." : "..", O_RDONLY | O_DIRECTORY);
	if (fchdir(fd) < 0)
		perror("..");
	close(fd);
	MPI_Barrier(MPI_COMM_WORLD);
	snprintf(name, sizeof name, rank == 2 ? "mine" : "of-%d/mine", rank);
	printf("rank %d draws %ld\n", rank, lrand48());
	printf("rank %d: %s %o, %d\n", rank, strrchr(where, '/') + 1, (unsigned)st.st_mode & 0777,
	       unlink(name));
	snprintf(name, sizeof name, "of-%d", rank);
	rmdir(name);
	MPI_Finalize();
	return 0;
}
