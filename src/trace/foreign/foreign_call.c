/* foreign_call.c: functions of MPI by their names, and what no other format says enough of. */
#include "foreign.h"

#include <string.h>

/* Functions without an action of their own that do what another does, or whose like it is. One that
 * ends with '_' stands for all that begin so. */
static const struct {
	const char *name;
	int op;
} likes[] = {
    {"MPI_Init_thread", TRACE_INIT},
    {"MPI_Sendrecv_replace", TRACE_SENDRECV},
    {"MPI_Rput", TRACE_PUT},
    {"MPI_Rget", TRACE_PUT},
    {"MPI_Raccumulate", TRACE_PUT},
    {"MPI_Rget_accumulate", TRACE_PUT},
    {"MPI_Win_", TRACE_WIN_CREATE},
    {"MPI_File_", TRACE_FILE_OPEN},
    {"MPI_Pready_", TRACE_PREADY},
    {"MPI_Comm_spawn", FOREIGN_PROCESSES},
    {"MPI_Comm_spawn_", FOREIGN_PROCESSES},
    {"MPI_Comm_accept", FOREIGN_PROCESSES},
    {"MPI_Comm_connect", FOREIGN_PROCESSES},
    {"MPI_Comm_join", FOREIGN_PROCESSES},
};

static int is_like(const char *like, const char *name, size_t n)
{
	size_t length = strlen(like);

	return like[length - 1] == '_' ? n > length && text_same_n(like, name, length)
	                               : n == length && text_same_n(like, name, n);
}

static int ends_so(const char *name, size_t n, const char *end)
{
	size_t k = strlen(end);

	return n > k && text_same_n(name + n - k, end, k);
}

/* Without what Fortran's bindings and large counts put behind a function's name: mpi_send__,
 * mpi_send_f08_, MPI_Send_c. */
static size_t bare_length(const char *name, size_t n)
{
	static const char *const ends[] = {"_f08ts", "_fts", "_f08", "_c"};

	while (n > 5 && name[n - 1] == '_')
		n--;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (ends_so(name, n, ends[i]))
			return n - strlen(ends[i]);
	return n;
}

static int op_named(const char *name, size_t n)
{
	for (int op = 0; op < TRACE_OPS; op++) {
		const char *mpi = trace_op_mpi((enum trace_op)op);

		if (strlen(mpi) == n && text_same_n(mpi, name, n))
			return op;
	}
	return FOREIGN_NOTHING;
}

int foreign_op(const char *name, size_t n)
{
	int op;

	if (n < 5 || !text_same_n(name, "MPI_", 4))
		return FOREIGN_NOT_MPI;
	n = bare_length(name, n);
	op = op_named(name, n);
	for (size_t i = 0; op == FOREIGN_NOTHING && i < sizeof likes / sizeof *likes; i++)
		if (is_like(likes[i].name, name, n))
			op = likes[i].op;
	if (op == FOREIGN_NOTHING && ends_so(name, n, "_init")) {
		op = op_named(name, n - 5);
		op = op >= 0 && trace_op_is_collective((enum trace_op)op) ? FOREIGN_PERSISTENT
		                                                          : FOREIGN_NOTHING;
	}
	return op;
}

int foreign_op_started(const char *name, size_t n)
{
	char blocking[64] = "MPI_";
	int op;

	n = n < 6 ? n : bare_length(name, n);
	if (n < 6 || n >= sizeof blocking || !text_same_n(name, "MPI_I", 5))
		return FOREIGN_NOTHING;
	memcpy(blocking + 4, name + 5, n - 5);
	op = op_named(blocking, n - 1);
	return op >= 0 && trace_op_is_collective((enum trace_op)op) ? op : FOREIGN_NOTHING;
}

static const char *left_out(int op)
{
	if (op == FOREIGN_PROCESSES)
		return "processes that a program starts or meets (MPI_Comm_spawn and its like)";
	if (op == FOREIGN_PERSISTENT)
		return "persistent collectives (MPI_Barrier_init and its like)";
	if (op < 0)
		return NULL;
	if (trace_op_has((enum trace_op)op, TRACE_WINDOW))
		return "one-sided communication (MPI_Put and its like)";
	if (trace_op_has((enum trace_op)op, TRACE_MPI_IO))
		return "files (MPI_File_open and its like)";
	if (trace_op_has((enum trace_op)op, TRACE_PARTITIONED) || op == TRACE_PREADY)
		return "partitioned communication (MPI_Psend_init and its like)";
	if (trace_op_is_neighborhood((enum trace_op)op))
		return "collectives among neighbours (MPI_Neighbor_alltoall and its like), as it "
		       "is not recorded who they are";
	return NULL;
}

int foreign_left_out(struct foreign *f, int op, struct err *err)
{
	const char *what = left_out(op);

	return what ? foreign_note(f, err, "left out, with its time: %s", what) : 0;
}
