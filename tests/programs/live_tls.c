/* Thread-local variables of a program (aligned to 64 bytes), of a library that it needs (PART 1)
 * and of one that it opens (PART 2). Each rank adds itself to some of them and says what all are.
 */
#if PART
static __thread int own[3] = {5, 6, 7};
__thread int shared_1, shared_2 = 40; /* of others too */

#if PART == 1
int *own_1(void)
#else
int *own_2(void)
#endif
{
	return own;
}
#else
#include <mpi.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

extern __thread int shared_1, shared_2;
int *own_1(void);

static __thread char name[100] = "?ine";
static _Alignas(64) __thread double half = 2.5;

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int *(*own_2)(void) = library ? (int *(*)(void))dlsym(library, "own_2") : NULL;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	name[0] = (char)('a' + rank);
	half += rank;
	shared_1 -= rank;
	shared_2 += rank;
	own_1()[1] += rank;
	if (own_2)
		own_2()[0] += rank;
	MPI_Barrier(MPI_COMM_WORLD);
	printf("rank %d: %s %g %d, %d %d, %d %d %d, %d\n", rank, name, half,
	       (int)((uintptr_t)&half % 64), shared_1, shared_2, own_1()[0], own_1()[1], own_1()[2],
	       own_2 ? own_2()[0] : -1);
	MPI_Finalize();
	return 0;
}
#endif
