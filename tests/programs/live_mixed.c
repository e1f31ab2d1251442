/* live_mixed.c: the part in C of a program whose main program is in Fortran (live_mixed.f90): it
 * gets a communicator of Fortran and gives back one of its own, and sets attributes of
 * MPI_COMM_SELF. MPI_Finalize deletes them in the reverse order in which they were set
 * (MPI 4.0, 11.2.4), while MPI is there. */
#include <mpi.h>
#include <stdio.h>

enum { ATTRIBUTES = 3 };
static int deleted, key[ATTRIBUTES];

static int attribute_delete(MPI_Comm comm, int keyval, void *value, void *state)
{
	int finalized, of_self;

	(void)state;
	MPI_Finalized(&finalized);
	MPI_Comm_compare(comm, MPI_COMM_SELF, &of_self);
	printf("deleted %d: %d%s\n", deleted++, *(int *)value,
	       finalized || of_self != MPI_IDENT || keyval != key[*(int *)value] ? ", wrong" : "");
	return MPI_SUCCESS;
}

void attributes_set_(void);
void attributes_set_(void)
{
	static int value[ATTRIBUTES];

	for (int i = 0; i < ATTRIBUTES; i++) {
		value[i] = i;
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, attribute_delete, &key[i], NULL);
		MPI_Comm_set_attr(MPI_COMM_SELF, key[i], &value[i]);
	}
}

void half_make_(const MPI_Fint *comm, MPI_Fint *half);
void half_make_(const MPI_Fint *comm, MPI_Fint *half)
{
	MPI_Comm of = MPI_Comm_f2c(*comm), made;
	int rank;

	MPI_Comm_rank(of, &rank);
	MPI_Comm_split(of, rank % 2, -rank, &made);
	*half = MPI_Comm_c2f(made);
}
