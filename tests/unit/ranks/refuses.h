/* refuses.h: calls with an argument that is none, and the error class that each must return; after
 * ranks.h. */
#ifndef ORRERY_TESTS_RANKS_REFUSES_H
#define ORRERY_TESTS_RANKS_REFUSES_H

static int faults; /* calls so far that returned another class: all are told */

static void refused(const char *call, int code, int class)
{
	int its;

	OK(orr_Error_class(code, &its));
	if (its != class) {
		print_error("%s: class %d, not %d\n", call, its, class);
		faults++;
	}
}

#define REFUSES(class, call) refused(#call, call, class)

#define NO_COMM MPI_COMM_NULL
#define NO_TYPE MPI_DATATYPE_NULL
#define WORLD MPI_COMM_WORLD
#define SELF MPI_COMM_SELF

/* Handles of objects that are no more, and of another kind. */
static inline MPI_Comm freed_comm(void)
{
	MPI_Comm c, copy;

	OK(orr_Comm_dup(SELF, &c));
	copy = c;
	OK(orr_Comm_free(&c));
	assert_ptr_equal(c, MPI_COMM_NULL);
	return copy;
}

static inline MPI_Datatype freed_type(void)
{
	MPI_Datatype t, copy;

	OK(orr_Type_contiguous(2, MPI_INT, &t));
	OK(orr_Type_commit(&t));
	copy = t;
	OK(orr_Type_free(&t));
	assert_ptr_equal(t, MPI_DATATYPE_NULL);
	return copy;
}

static inline MPI_Datatype uncommitted(void)
{
	MPI_Datatype t;

	OK(orr_Type_contiguous(2, MPI_INT, &t));
	return t;
}

/* All ranks are here: what was refused has left nothing behind. */
static inline void still_well(void)
{
	int one = 1, n, all;

	OK(orr_Comm_size(WORLD, &n));
	OK(orr_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, WORLD));
	assert_int_equal(all, n);
}

static inline void run_on(int n, void (*body)(int rank, void *arg))
{
	faults = 0;
	ranks_do(n, body, NULL);
	assert_int_equal(faults, 0);
}

#endif
