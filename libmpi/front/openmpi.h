/* openmpi.h: the ABI of Open MPI 4.1 (libmpi.so.40), as its mpi.h has it: handles are pointers.
 *
 * 1. A predefined handle is the address of an object of the library, which a program that is not
 *    position-independent copies into its own data: the object has the size of Open MPI's, and its
 * first word is the neutral handle, which the copy has too.
 * 2. A handle that the program made is the neutral one beyond OBJECTS_MADE: an odd number, which no
 * object has as its address. Nothing is there, but for Java (openmpi_java.c).
 * 3. As an INTEGER of Fortran a predefined handle has Open MPI's number, another the neutral one.
 */
#ifndef ORRERY_LIBMPI_OPENMPI_H
#define ORRERY_LIBMPI_OPENMPI_H

typedef struct object *N_Comm;
typedef struct object *N_Datatype;
typedef struct object *N_Errhandler;
typedef struct object *N_File;
typedef struct object *N_Group;
typedef struct object *N_Info;
typedef struct object *N_Message;
typedef struct object *N_Op;
typedef struct object *N_Request;
typedef struct object *N_Session;
typedef struct object *N_Win;

typedef struct {
	int MPI_SOURCE;
	int MPI_TAG;
	int MPI_ERROR;
	int cancelled;
	size_t bytes;
} N_Status;

#include "constants_openmpi.h"

struct object {
	uintptr_t neutral;
};

#define OBJECT(kind, value, name, size, fortran) \
	extern FRONT struct { \
		uintptr_t neutral; \
		char room[(size) - sizeof(uintptr_t)]; \
	} name;
OBJECTS_EACH(OBJECT)
#undef OBJECT

#define OBJECTS_MADE ((uintptr_t)0x2e0000000000)
#define OBJECTS_MADE_BYTES ((size_t)1 << 28) /* twice as many as handles can be, and a page */

static inline uintptr_t object_in(const struct object *object)
{
	uintptr_t value = (uintptr_t)object;

	if (value & 1)
		return (uint32_t)value >> 1;
	return value ? object->neutral : 0;
}

/* The address of a predefined object; NULL for handles that Open MPI 4.1 has not. */
struct object *object_known(uintptr_t neutral);

static inline struct object *object_out(uintptr_t neutral)
{
	return neutral >= ORR_HANDLES ? (struct object *)(OBJECTS_MADE + (neutral << 1 | 1))
	                              : object_known(neutral);
}

/* No object lies so low, and no handle that a program made is as small: it is one of the standard's
 * ABI, of a C source of `orrery cc` in a program that `orrery fc` has linked. */
static inline int object_is_foreign(const struct object *object)
{
	return object && (uintptr_t)object < ORR_HANDLES;
}

uintptr_t object_foreign(int code); /* noted; no handle */

#define HANDLE(kind, code) \
	UNUSED static inline MPI_##kind in_##kind(N_##kind value) \
	{ \
		return (MPI_##kind)(object_is_foreign(value) ? object_foreign(code) \
		                                             : object_in(value)); \
	} \
	UNUSED static inline N_##kind out_##kind(MPI_##kind value) \
	{ \
		return object_out((uintptr_t)value); \
	}
HANDLE(Comm, MPI_ERR_COMM)
HANDLE(Datatype, MPI_ERR_TYPE)
HANDLE(Errhandler, MPI_ERR_ARG)
HANDLE(File, MPI_ERR_FILE)
HANDLE(Group, MPI_ERR_GROUP)
HANDLE(Info, MPI_ERR_INFO)
HANDLE(Message, MPI_ERR_REQUEST)
HANDLE(Op, MPI_ERR_OP)
HANDLE(Request, MPI_ERR_REQUEST)
HANDLE(Session, MPI_ERR_SESSION)
HANDLE(Win, MPI_ERR_WIN)

static inline int in_keyval(int value)
{
	return value >= ORR_HANDLES ? value : in_predefined_keyval(value);
}
static inline int out_keyval(int value)
{
	return value >= ORR_HANDLES ? value : out_predefined_keyval(value);
}

#define ignored(status) (!(status))
/* The longest texts of an info have one letter less than the header's numbers say. */
#define INFO_ENDS 1

static inline MPI_Status in_Status(const N_Status *status)
{
	MPI_Status s = {.MPI_SOURCE = in_rank(status->MPI_SOURCE),
	                .MPI_TAG = in_tag(status->MPI_TAG),
	                .MPI_ERROR = in_class(status->MPI_ERROR)};

	status_set_bytes(&s, (int64_t)status->bytes);
	status_set_cancelled(&s, status->cancelled);
	return s;
}

static inline void out_Status(N_Status *status, const MPI_Status *s)
{
	if (s->MPI_ERROR != STATUS_UNTOUCHED)
		status->MPI_ERROR = out_class(s->MPI_ERROR);
	if (s->MPI_internal[4] == STATUS_UNTOUCHED)
		return;
	status->MPI_SOURCE = out_rank(s->MPI_SOURCE);
	status->MPI_TAG = out_tag(s->MPI_TAG);
	status->bytes = (size_t)status_bytes(s);
	status->cancelled = status_cancelled(s);
}

static inline int *in_weights(const int *weights)
{
	if ((intptr_t)weights == 2)
		return MPI_UNWEIGHTED;
	return (intptr_t)weights == 3 ? MPI_WEIGHTS_EMPTY : (int *)weights;
}

static inline void *in_buffer(const void *buffer)
{
	return (intptr_t)buffer == N_IN_PLACE ? MPI_IN_PLACE : (void *)buffer;
}

int is_dup_function(const void *f);
int is_null_function(const void *f);

/* Kinds of objects that INTEGERs of Fortran stand for. */
enum fortran_kind {
	F_Comm,
	F_Datatype,
	F_Errhandler,
	F_File,
	F_Group,
	F_Info,
	F_Message,
	F_Op,
	F_Request,
	F_Session,
	F_Win
};

/* For the library of Fortran: INTEGERs and handles; objects behind INTEGERs.
 * kind: enum fortran_kind. */
FRONT MPI_Fint orrery_fortran_out(int kind, const struct object *object);
FRONT struct object *orrery_fortran_in(int kind, MPI_Fint value);
FRONT void orrery_fortran_callbacks(int count, int attributes_are_int);

#endif
