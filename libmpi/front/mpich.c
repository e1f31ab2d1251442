/* mpich.c: what libmpich.so.12 has beside MPI's functions: data that its mpi.h names, conversions
 * of statuses and files, and the helpers that its Fortran and C++ libraries (libmpichfort.so.12,
 * libmpichcxx.so.12) call. With these the installed ones of both work on top of this one.
 *
 * The helpers' conventions are MPICH's: a proxy is the function of the Fortran or C++ library that
 * calls the program's callback, which it is given.
 */
#include "front_int.h"

#include "proxy.h"

/* ---- data ---- */

int unweighted_mark, weights_empty_mark;
FRONT int *const MPIF_UNWEIGHTED __asm__("MPI_UNWEIGHTED") = &unweighted_mark;
FRONT int *const MPIF_WEIGHTS_EMPTY __asm__("MPI_WEIGHTS_EMPTY") = &weights_empty_mark;
FRONT int *MPIR_C_MPI_UNWEIGHTED = &unweighted_mark;
FRONT int *MPIR_C_MPI_WEIGHTS_EMPTY = &weights_empty_mark;

/* libmpichfort.so.12 has both, too, as null pointers, and comes first where a program names it: the
 * loader gives all that one. MPICH's MPI_Init sets it; whoever is loaded later may be called
 * before. */
__attribute__((constructor)) static void marks_set(void)
{
	/* volatile: clang would take them for ours, which have these values already */
	*(int *volatile *)&MPIR_C_MPI_UNWEIGHTED = &unweighted_mark;
	*(int *volatile *)&MPIR_C_MPI_WEIGHTS_EMPTY = &weights_empty_mark;
}

/* Where ranks are coroutines, they have this library in common, and libmpichfort each for itself:
 * its pointers get the values of ours as it is bound (src/live/coro/image_bind.c). */
FRONT const char *const orrery_marks[] = {"MPIR_C_MPI_UNWEIGHTED", "MPIR_C_MPI_WEIGHTS_EMPTY",
                                          NULL};

FRONT MPI_Fint *MPI_F_STATUS_IGNORE;
FRONT MPI_Fint *MPI_F_STATUSES_IGNORE;
FRONT N_Status MPIR_F08_MPI_STATUS_IGNORE_OBJ;
FRONT N_Status MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
FRONT int MPIR_F08_MPI_IN_PLACE;
FRONT int MPIR_F08_MPI_BOTTOM;
FRONT N_Status *MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
FRONT N_Status *MPI_F08_STATUSES_IGNORE = MPIR_F08_MPI_STATUSES_IGNORE_OBJ;

static int all_handles_mark;
FRONT void *const MPIF_ALL_HANDLES __asm__("MPI_T_PVAR_ALL_HANDLES") = &all_handles_mark;

/* No handle of this ABI is an address. */
unsigned char *front_place;

void front_moved(const void *own, uint64_t offset)
{
	(void)own;
	(void)offset;
}

const char *front_name(void)
{
	return "MPICH 4.0 ABI";
}

/* ---- statuses and files between C and Fortran: a status is the same in both ---- */

#define COPY_STATUS(name, from, to) \
	FRONT int P##name(const void *from, void *to); \
	int P##name(const void *from, void *to) \
	{ \
		memcpy(to, from, sizeof(N_Status)); \
		return 0; \
	} \
	ALIAS(name)
COPY_STATUS(MPI_Status_c2f, c_status, f_status)
COPY_STATUS(MPI_Status_f2c, f_status, c_status)
COPY_STATUS(MPI_Status_c2f08, c_status, f08_status)
COPY_STATUS(MPI_Status_f082c, f08_status, c_status)
COPY_STATUS(MPI_Status_f082f, f08_status, f_status)
COPY_STATUS(MPI_Status_f2f08, f_status, f08_status)

CONVERSIONS(N_File, MPI_Fint, File_c2f, File_f2c, (MPI_Fint)(uintptr_t)handle,
            (N_File)(uintptr_t)(unsigned)handle)

/* The others are the INTEGERs that Fortran has. The mpi.h of 4.0 has macros, in 4.2 these are
 * functions of the library. */
#define CONVERT(name, kind) CONVERSIONS(N_##kind, MPI_Fint, name##_c2f, name##_f2c, handle, handle)
CONVERT(Comm, Comm)
CONVERT(Errhandler, Errhandler)
CONVERT(Group, Group)
CONVERT(Info, Info)
CONVERT(Message, Message)
CONVERT(Op, Op)
CONVERT(Request, Request)
CONVERT(Session, Session)
CONVERT(Type, Datatype)
CONVERT(Win, Win)

int MPIR_Dup_fn(N_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
	(void)comm;
	(void)keyval;
	(void)extra_state;
	*(void **)out = in;
	*flag = 1;
	return 0;
}

MPI_Fint fortran_Datatype(MPI_Datatype type)
{
	return out_Datatype(type);
}

/* ---- callbacks of Fortran and C++ ---- */

enum mpich_attr { MPICH_ATTR_PTR = 0, MPICH_ATTR_AINT = 1, MPICH_ATTR_INT = 3 };

typedef int copy_proxy(void *function, int handle, int keyval, void *extra_state,
                       enum mpich_attr type, void *value, void **copy, int *flag);
typedef int delete_proxy(void *function, int handle, int keyval, enum mpich_attr type, void *value,
                         void *extra_state);

FRONT void MPII_Keyval_set_proxy(int keyval, copy_proxy *copy, delete_proxy *delete);
void MPII_Keyval_set_proxy(int keyval, copy_proxy *copy, delete_proxy *delete)
{
	(void)keyval; /* the one made by this thread's last call */
	struct callback *both[2] = {token_of_copy, token_of_delete};

	if (both[0]) {
		both[0]->language = LANGUAGE_PROXY;
		both[0]->proxy = (void *)(uintptr_t)copy;
	}
	if (both[1]) {
		both[1]->language = LANGUAGE_PROXY;
		both[1]->proxy = (void *)(uintptr_t) delete;
	}
}

static int native_handle(enum attr_kind kind, const void *handle)
{
	void *h = (void *)(uintptr_t)handle;

	return kind == ATTR_COMM ? out_Comm(h) : kind == ATTR_TYPE ? out_Datatype(h) : out_Win(h);
}

int proxy_copy(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
               void *extra_state, void *value_in, void *value_out, int *flag)
{
	int cell = cell_is(value_in);
	void *value = cell ? (void *)*(intptr_t *)value_in : value_in;
	void *copy = NULL;
	int rc = ((copy_proxy *)c->proxy)(c->function, native_handle(kind, handle), keyval,
	                                  extra_state, cell ? MPICH_ATTR_AINT : MPICH_ATTR_PTR,
	                                  value, &copy, flag);

	if (!rc && *flag)
		*(void **)value_out = cell ? cell_new((intptr_t)copy) : copy;
	return rc;
}

int proxy_delete(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
                 void *value, void *extra_state)
{
	int cell = cell_is(value);

	return ((delete_proxy *)c->proxy)(c->function, native_handle(kind, handle), keyval,
	                                  cell ? MPICH_ATTR_AINT : MPICH_ATTR_PTR,
	                                  cell ? (void *)*(intptr_t *)value : value, extra_state);
}

typedef void op_proxy(const void *in, void *inout, int len, N_Datatype type, void *function);

FRONT void MPII_Op_set_cxx(N_Op op, void (*proxy)(void));
void MPII_Op_set_cxx(N_Op op, void (*proxy)(void))
{
	struct callback *c = token_recent(0);

	(void)op;
	c->language = LANGUAGE_PROXY;
	c->proxy = (void *)(uintptr_t)proxy;
}

void proxy_op(struct callback *c, void *in, void *inout, int len, N_Datatype type)
{
	((op_proxy *)c->proxy)(in, inout, len, type, c->function);
}

typedef void error_proxy(int kind, int *handle, int *error, void *function);

FRONT void MPII_Errhandler_set_cxx(N_Errhandler handler, void (*proxy)(void));
void MPII_Errhandler_set_cxx(N_Errhandler handler, void (*proxy)(void))
{
	struct callback *c = token_recent(0);

	(void)handler;
	c->language = LANGUAGE_PROXY;
	c->proxy = (void *)(uintptr_t)proxy;
}

void *front_errors_throw(void)
{
	return NULL;
}

void proxy_errhandler(struct callback *c, enum error_kind kind, const void *handle, int *error,
                      const char *function)
{
	void *h = (void *)(uintptr_t)handle;
	N_File file = out_File(h);
	int number = kind == ERROR_WIN ? out_Win(h) : out_Comm(h);

	(void)function;
	if (kind == ERROR_FILE)
		((error_proxy *)c->proxy)(1, (int *)&file, error, c->function);
	else
		((error_proxy *)c->proxy)(kind == ERROR_WIN ? 2 : 0, &number, error, c->function);
}

FRONT void MPII_Grequest_set_lang_f77(N_Request request);
void MPII_Grequest_set_lang_f77(N_Request request)
{
	(void)request;
	for (int i = 0; i < 3; i++)
		token_recent(i)->language = LANGUAGE_FORTRAN;
}

/* ---- attributes as Fortran sees them ---- */

/* Predefined attributes that C is given by address are given by value; others as they were set. */
static void *attr_value(int keyval, void *value)
{
	switch (keyval) {
	case MPI_WIN_BASE:
		return value;
	case MPI_WIN_SIZE:
		return (void *)*(MPI_Aint *)value;
	case MPI_WIN_CREATE_FLAVOR:
		return (void *)(intptr_t)out_flavor(*(int *)value);
	case MPI_WIN_MODEL:
		return (void *)(intptr_t)out_model(*(int *)value);
	case MPI_HOST:
	case MPI_IO:
		return (void *)(intptr_t)out_rank(*(int *)value);
	case MPI_LASTUSEDCODE:
		return (void *)(intptr_t)out_error(*(int *)value);
	default:
		if (keyval < ORR_HANDLES)
			return (void *)(intptr_t) * (int *)value;
		return cell_is(value) ? (void *)*(intptr_t *)value : value;
	}
}

/* MPICH numbers predefined attributes for Fortran one higher than for C. */
static int keyval_of_c(int keyval)
{
	unsigned class = (unsigned)keyval & 0xff000000u;

	if ((class == 0x64000000u || class == 0x66000000u) && !(keyval & 1))
		return keyval - 1;
	return keyval;
}

static int mpich_attr_get(enum attr_kind kind, const void *handle, int keyval, void *attribute_val,
                          int *flag, enum mpich_attr type, const char *function)
{
	int key = in_keyval(keyval_of_c(keyval));
	void *value = NULL;
	int rc = attr_get(kind, handle, key, &value, flag);

	if (rc)
		return front_raise(kind == ATTR_COMM  ? ERROR_COMM
		                   : kind == ATTR_WIN ? ERROR_WIN
		                                      : ERROR_NONE,
		                   handle, rc, function);
	if (*flag)
		*(void **)attribute_val = type == MPICH_ATTR_PTR ? value : attr_value(key, value);
	return 0;
}

static int mpich_attr_set(enum attr_kind kind, const void *handle, int keyval, void *value,
                          enum mpich_attr type, const char *function)
{
	void *kept = type == MPICH_ATTR_PTR ? value : cell_new((intptr_t)value);
	int rc = attr_set(kind, handle, in_keyval(keyval), kept);

	if (!rc)
		return 0;
	return front_raise(kind == ATTR_COMM  ? ERROR_COMM
	                   : kind == ATTR_WIN ? ERROR_WIN
	                                      : ERROR_NONE,
	                   handle, rc, function);
}

#define ATTRIBUTES(name, type, kind) \
	FRONT int MPII_##name##_get_attr(N_##type handle, int keyval, void *attribute_val, \
	                                 int *flag, enum mpich_attr t); \
	int MPII_##name##_get_attr(N_##type handle, int keyval, void *attribute_val, int *flag, \
	                           enum mpich_attr t) \
	{ \
		return mpich_attr_get(kind, in_##type(handle), keyval, attribute_val, flag, t, \
		                      "MPI_" #name "_get_attr"); \
	} \
	FRONT int MPII_##name##_set_attr(N_##type handle, int keyval, void *value, \
	                                 enum mpich_attr t); \
	int MPII_##name##_set_attr(N_##type handle, int keyval, void *value, enum mpich_attr t) \
	{ \
		return mpich_attr_set(kind, in_##type(handle), keyval, value, t, \
		                      "MPI_" #name "_set_attr"); \
	}
ATTRIBUTES(Comm, Comm, ATTR_COMM)
ATTRIBUTES(Type, Datatype, ATTR_TYPE)
ATTRIBUTES(Win, Win, ATTR_WIN)
