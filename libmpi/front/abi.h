/* abi.h: the standard ABI of MPI 5.0 (libmpi_abi.so.0): the neutral interface itself. */
#ifndef ORRERY_LIBMPI_ABI_H
#define ORRERY_LIBMPI_ABI_H

typedef MPI_Comm N_Comm;
typedef MPI_Datatype N_Datatype;
typedef MPI_Errhandler N_Errhandler;
typedef MPI_File N_File;
typedef MPI_Group N_Group;
typedef MPI_Info N_Info;
typedef MPI_Message N_Message;
typedef MPI_Op N_Op;
typedef MPI_Request N_Request;
typedef MPI_Session N_Session;
typedef MPI_Win N_Win;
typedef MPI_Status N_Status;

#include "constants_abi.h"

#define N_ERR_LASTCODE MPI_ERR_LASTCODE
#define N_DISPLACEMENT_CURRENT MPI_DISPLACEMENT_CURRENT
#define N_VERSION MPI_VERSION
#define N_SUBVERSION MPI_SUBVERSION

#define HANDLE(kind) \
	UNUSED static inline MPI_##kind in_##kind(N_##kind value) \
	{ \
		return value; \
	} \
	UNUSED static inline N_##kind out_##kind(MPI_##kind value) \
	{ \
		return value; \
	}
HANDLE(Comm)
HANDLE(Datatype)
HANDLE(Errhandler)
HANDLE(File)
HANDLE(Group)
HANDLE(Info)
HANDLE(Message)
HANDLE(Op)
HANDLE(Request)
HANDLE(Session)
HANDLE(Win)

static inline int in_keyval(int value)
{
	return value;
}
static inline int out_keyval(int value)
{
	return value;
}

#define ignored(status) (!(status))
#define INFO_ENDS 1

static inline MPI_Status in_Status(const N_Status *status)
{
	return *status;
}

static inline void out_Status(N_Status *status, const MPI_Status *s)
{
	int error = s->MPI_ERROR == STATUS_UNTOUCHED ? status->MPI_ERROR : s->MPI_ERROR;

	if (s->MPI_internal[4] != STATUS_UNTOUCHED)
		*status = *s;
	status->MPI_ERROR = error;
}

static inline int *in_weights(const int *weights)
{
	return (int *)weights;
}
static inline void *in_buffer(const void *buffer)
{
	return (void *)buffer;
}
static inline int is_dup_function(const void *f)
{
	return (uintptr_t)f == 1;
}
static inline int is_null_function(const void *f)
{
	return !f;
}

#endif
