/* fortran.h: what the generated Fortran functions of Open MPI's ABI use (libmpi_mpifh.so.40).
 *
 * Every argument comes by reference, handles as INTEGERs, the lengths of strings after the others
 * by value. What MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE and the like are is told by addresses:
 * those of common blocks.
 */
#ifndef ORRERY_LIBMPI_FORTRAN_H
#define ORRERY_LIBMPI_FORTRAN_H

#include "front_int.h"

#define F_HANDLE(kind) \
	UNUSED static inline N_##kind fin_##kind(MPI_Fint value) \
	{ \
		return orrery_fortran_in(F_##kind, value); \
	} \
	UNUSED static inline MPI_Fint fout_##kind(N_##kind value) \
	{ \
		return orrery_fortran_out(F_##kind, value); \
	}
F_HANDLE(Comm)
F_HANDLE(Datatype)
F_HANDLE(Errhandler)
F_HANDLE(File)
F_HANDLE(Group)
F_HANDLE(Info)
F_HANDLE(Message)
F_HANDLE(Op)
F_HANDLE(Request)
F_HANDLE(Session)
F_HANDLE(Win)

extern FRONT char mpi_fortran_argv_null_;
extern FRONT char mpi_fortran_argvs_null_;
extern FRONT int mpi_fortran_bottom_;
extern FRONT int mpi_fortran_errcodes_ignore_;
extern FRONT int mpi_fortran_in_place_;
extern FRONT int *mpi_fortran_status_ignore_;
extern FRONT int *mpi_fortran_statuses_ignore_;
extern FRONT int mpi_fortran_unweighted_;
extern FRONT int mpi_fortran_weights_empty_;

static inline void *f_buffer(void *buffer)
{
	if (buffer == &mpi_fortran_in_place_)
		return (void *)(intptr_t)N_IN_PLACE;
	return buffer == &mpi_fortran_bottom_ ? NULL : buffer;
}

static inline int *f_weights(int *weights)
{
	if (weights == &mpi_fortran_unweighted_)
		return (int *)2;
	return weights == &mpi_fortran_weights_empty_ ? (int *)3 : weights;
}

static inline int *f_errcodes(int *codes)
{
	return codes == &mpi_fortran_errcodes_ignore_ ? NULL : codes;
}

UNUSED static inline N_Status *f_status(void *status)
{
	return status == (void *)&mpi_fortran_status_ignore_ ? NULL : status;
}

UNUSED static inline N_Status *f_statuses(void *statuses)
{
	return statuses == (void *)&mpi_fortran_statuses_ignore_ ? NULL : statuses;
}

/* A string of Fortran, without its blanks at both ends, as one of C that the caller frees. */
char *f_string_in(const char *string, size_t length);
/* A string of C into one of Fortran, filled up with blanks. */
void f_string_out(char *string, size_t length, const char *from);

MPI_Count fortran_peers(N_Comm comm);
MPI_Count fortran_in(N_Comm comm);
MPI_Count fortran_out(N_Comm comm);

#endif
