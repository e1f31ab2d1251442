/* mpich.h: the ABI of MPICH 4 (libmpich.so.12), as its mpi.h has it: handles are integers.
 *
 * Predefined handles: data/mpi_constants.def. Of the others bits 26 to 29 are the kind of object
 * and both bits above are set, as MPICH does it; the rest is the slot.
 */
#ifndef ORRERY_LIBMPI_MPICH_H
#define ORRERY_LIBMPI_MPICH_H

typedef int N_Comm;
typedef int N_Datatype;
typedef int N_Errhandler;
typedef void *N_File;
typedef int N_Group;
typedef int N_Info;
typedef int N_Message;
typedef int N_Op;
typedef int N_Request;
typedef int N_Session;
typedef int N_Win;

typedef struct {
	int count_lo;
	int count_hi_and_cancelled; /* the lowest bit: cancelled */
	int MPI_SOURCE;
	int MPI_TAG;
	int MPI_ERROR;
} N_Status;

#include "constants_mpich.h"

#define SLOT_BITS 26
#define SLOT_MADE 0xc0000000u

/* enum values are MPICH's kinds of objects */
enum {
	KIND_Comm = 1,
	KIND_Group = 2,
	KIND_Datatype = 3,
	KIND_Errhandler = 5,
	KIND_Op = 6,
	KIND_Info = 7,
	KIND_Win = 8,
	KIND_Keyval = 9,
	KIND_Request = 11,
	KIND_Message = 11,
	KIND_Session = 14,
};

#define HANDLE(kind) \
	UNUSED static inline MPI_##kind in_##kind(N_##kind value) \
	{ \
		unsigned made = SLOT_MADE | (unsigned)KIND_##kind << SLOT_BITS; \
\
		if (((unsigned)value & ~0u << SLOT_BITS) == made) \
			return (MPI_##kind)(ORR_HANDLES + (uintptr_t)((unsigned)value - made)); \
		return known_in_##kind(value); \
	} \
	UNUSED static inline N_##kind out_##kind(MPI_##kind value) \
	{ \
		uintptr_t v = (uintptr_t)value; \
\
		if (v >= ORR_HANDLES) \
			return (int)(SLOT_MADE | (unsigned)KIND_##kind << SLOT_BITS | \
			             (unsigned)(v - ORR_HANDLES)); \
		return known_out_##kind(v); \
	}
HANDLE(Comm)
HANDLE(Datatype)
HANDLE(Errhandler)
HANDLE(Group)
HANDLE(Info)
HANDLE(Message)
HANDLE(Op)
HANDLE(Request)
HANDLE(Session)
HANDLE(Win)

static inline MPI_File in_File(N_File value)
{
	return value ? (MPI_File)value : MPI_FILE_NULL;
}
static inline N_File out_File(MPI_File value)
{
	return value == MPI_FILE_NULL ? NULL : (N_File)value;
}

static inline int in_keyval(int value)
{
	unsigned made = SLOT_MADE | (unsigned)KIND_Keyval << SLOT_BITS;

	if (((unsigned)value & ~0u << SLOT_BITS) == made)
		return ORR_HANDLES + (int)((unsigned)value - made);
	return in_predefined_keyval(value);
}
static inline int out_keyval(int value)
{
	if (value < ORR_HANDLES)
		return out_predefined_keyval(value);
	return (int)(SLOT_MADE | (unsigned)KIND_Keyval << SLOT_BITS |
	             (unsigned)(value - ORR_HANDLES));
}

#define INFO_ENDS 0 /* the longest texts of an info are as long as the header says */
#define ignored(status) ((void *)(status) == (void *)N_STATUS_IGNORE || !(status))

static inline MPI_Status in_Status(const N_Status *status)
{
	MPI_Status s = {.MPI_SOURCE = in_rank(status->MPI_SOURCE),
	                .MPI_TAG = in_tag(status->MPI_TAG),
	                .MPI_ERROR = in_class(status->MPI_ERROR)};

	status_set_bytes(&s, (int64_t)(unsigned)status->count_lo |
	                         (int64_t)((unsigned)status->count_hi_and_cancelled >> 1) << 32);
	status_set_cancelled(&s, status->count_hi_and_cancelled & 1);
	return s;
}

static inline void out_Status(N_Status *status, const MPI_Status *s)
{
	int64_t bytes = status_bytes(s);

	if (s->MPI_ERROR != STATUS_UNTOUCHED)
		status->MPI_ERROR = out_class(s->MPI_ERROR);
	if (s->MPI_internal[4] == STATUS_UNTOUCHED)
		return;
	status->MPI_SOURCE = out_rank(s->MPI_SOURCE);
	status->MPI_TAG = out_tag(s->MPI_TAG);
	status->count_lo = (int)bytes;
	status->count_hi_and_cancelled = (int)(bytes >> 32) << 1 | status_cancelled(s);
}

extern int unweighted_mark, weights_empty_mark;

static inline int *in_weights(const int *weights)
{
	if (weights == &unweighted_mark)
		return MPI_UNWEIGHTED;
	return weights == &weights_empty_mark ? MPI_WEIGHTS_EMPTY : (int *)weights;
}

static inline void *in_buffer(const void *buffer)
{
	return (intptr_t)buffer == N_IN_PLACE ? MPI_IN_PLACE : (void *)buffer;
}

FRONT int MPIR_Dup_fn(N_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag);

static inline int is_dup_function(const void *f)
{
	return f == (const void *)MPIR_Dup_fn;
}
static inline int is_null_function(const void *f)
{
	return !f;
}

#endif
