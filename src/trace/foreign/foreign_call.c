/* foreign_call.c: functions of MPI by their names, and what no other format says enough of. */
#include "foreign.h"

#include <string.h>
#include <strings.h>

/* Functions without an action of their own that do what another does, or whose like it is. One that
 * ends with '_' stands for all that begin so. */
static const struct {
	const char *name;
	enum trace_op op;
} likes[] = {
    {"MPI_Init_thread", TRACE_INIT},
    {"MPI_Rput", TRACE_PUT},
    {"MPI_Rget", TRACE_PUT},
    {"MPI_Raccumulate", TRACE_PUT},
    {"MPI_Rget_accumulate", TRACE_PUT},
    {"MPI_Win_", TRACE_WIN_CREATE},
    {"MPI_File_", TRACE_FILE_OPEN},
    {"MPI_Pready_", TRACE_PREADY},
};

static int is_like(const char *like, const char *name, size_t n)
{
	size_t length = strlen(like);

	return like[length - 1] == '_' ? n > length && !strncasecmp(like, name, length)
	                               : n == length && !strncasecmp(like, name, n);
}

int foreign_op(const char *name, size_t n)
{
	if (n < 5 || strncasecmp(name, "MPI_", 4) != 0)
		return FOREIGN_NOT_MPI;
	for (int op = 0; op < TRACE_OPS; op++) {
		const char *mpi = trace_op_mpi((enum trace_op)op);

		if (strlen(mpi) == n && !strncasecmp(mpi, name, n))
			return op;
	}
	for (size_t i = 0; i < sizeof likes / sizeof *likes; i++)
		if (is_like(likes[i].name, name, n))
			return likes[i].op;
	return FOREIGN_NOTHING;
}

int foreign_left_out(struct foreign *f, int op, struct err *err)
{
	const char *what = NULL;

	if (op < 0)
		return 0;
	if (trace_op_has((enum trace_op)op, TRACE_WINDOW))
		what = "one-sided communication (MPI_Put and its like)";
	else if (trace_op_has((enum trace_op)op, TRACE_MPI_IO))
		what = "files (MPI_File_open and its like)";
	else if (trace_op_has((enum trace_op)op, TRACE_PARTITIONED) || op == TRACE_PREADY)
		what = "partitioned communication (MPI_Psend_init and its like)";
	return what ? foreign_note(f, err, "left out, with its time: %s", what) : 0;
}
