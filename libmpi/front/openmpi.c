/* openmpi.c: what libmpi.so.40 has beside MPI's functions: predefined objects, conversions for
 * Fortran, predefined callbacks, common blocks of Fortran, callbacks in Fortran.
 */
#include "front_int.h"
#include "objects/errhandler.h"

#include "proxy.h"

/* ---- predefined objects ---- */

#define OBJECT(kind, value, name, size, fortran) __typeof__(name) name = {.neutral = (value)};
OBJECTS_EACH(OBJECT)
#undef OBJECT

/* Objects without a name in this library's mpi.h, or a second name; programs may name them all the
 * same. */
#define OTHER(name, size, value) \
	extern FRONT struct object_##name { \
		uintptr_t neutral; \
		char room[(size) - sizeof(uintptr_t)]; \
	} name; \
	struct object_##name name = {.neutral = (uintptr_t)(value)};
OTHER(ompi_mpi_2cplex, 512, 0)
OTHER(ompi_mpi_2dblcplex, 512, 0)
OTHER(ompi_mpi_c_complex, 512, MPI_C_FLOAT_COMPLEX)
OTHER(ompi_mpi_integer16, 512, MPI_INTEGER16)
OTHER(ompi_mpi_real2, 512, MPI_REAL2)
OTHER(ompi_mpi_complex4, 512, MPI_COMPLEX4)
OTHER(ompi_mpi_ldblcplex, 512, MPI_C_LONG_DOUBLE_COMPLEX)
OTHER(ompi_mpi_unavailable, 512, 0)

static struct object *own_object(uintptr_t neutral)
{
	switch (neutral) {
#define OBJECT(kind, value, name, size, fortran) \
	case value: \
		return (struct object *)&name;
		OBJECTS_EACH(OBJECT)
#undef OBJECT
	default:
		return NULL;
	}
}

/* A rank that shares this library with others has its own copy of an object that its program names,
 * as a process would: at so many bytes, less one, from the place of the rank that runs. */
static uint32_t moved[ORR_HANDLES];
unsigned char *front_place;

void front_moved(const void *own, uint64_t offset)
{
	const struct object *o = own;

	if (o->neutral < ORR_HANDLES && own_object(o->neutral) == o && offset < UINT32_MAX)
		moved[o->neutral] = (uint32_t)offset + 1;
}

struct object *object_known(uintptr_t neutral)
{
	return front_place && neutral < ORR_HANDLES && moved[neutral]
	           ? (struct object *)(front_place + moved[neutral] - 1)
	           : own_object(neutral);
}

const char *front_name(void)
{
	return "Open MPI 4.1 ABI";
}

/* ---- INTEGERs of Fortran ---- */

static const struct fortran {
	int kind;
	int number;
	struct object *object;
} fortran[] = {
#define OBJECT(kind, value, name, size, fortran) {F_##kind, fortran, (struct object *)&name},
    OBJECTS_EACH(OBJECT)
#undef OBJECT
};

MPI_Fint orrery_fortran_out(int kind, const struct object *object)
{
	uintptr_t neutral = object_in(object);

	if (neutral >= ORR_HANDLES)
		return (MPI_Fint)neutral;
	for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++)
		if (fortran[i].kind == kind && fortran[i].object->neutral == neutral)
			return fortran[i].number;
	return -1;
}

struct object *orrery_fortran_in(int kind, MPI_Fint value)
{
	if (value >= ORR_HANDLES)
		return object_out((uintptr_t)value);
	for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++)
		if (fortran[i].kind == kind && fortran[i].number == value)
			return object_known(fortran[i].object->neutral);
	return NULL;
}

#define CONVERT(name, kind) \
	CONVERSIONS(N_##kind, MPI_Fint, name##_c2f, name##_f2c, \
	            orrery_fortran_out(F_##kind, handle), orrery_fortran_in(F_##kind, handle))
CONVERT(Comm, Comm)
CONVERT(Type, Datatype)
CONVERT(Errhandler, Errhandler)
CONVERT(File, File)
CONVERT(Group, Group)
CONVERT(Info, Info)
CONVERT(Message, Message)
CONVERT(Op, Op)
CONVERT(Request, Request)
CONVERT(Session, Session)
CONVERT(Win, Win)

MPI_Fint fortran_Datatype(MPI_Datatype type)
{
	return orrery_fortran_out(F_Datatype, out_Datatype(type));
}

/* A status is the same in both languages. */
#define COPY_STATUS(name) \
	FRONT int P##name(const void *from, void *to); \
	int P##name(const void *from, void *to) \
	{ \
		memcpy(to, from, sizeof(N_Status)); \
		return 0; \
	} \
	ALIAS(name)
COPY_STATUS(MPI_Status_c2f)
COPY_STATUS(MPI_Status_f2c)
COPY_STATUS(MPI_Status_c2f08)
COPY_STATUS(MPI_Status_f082c)
COPY_STATUS(MPI_Status_f082f)
COPY_STATUS(MPI_Status_f2f08)

/* Common blocks of mpif.h: the addresses of these are what a program names by MPI_BOTTOM and so on.
 * A program's own common block of the name takes the place of these. */
#define COMMON(name, type) \
	FRONT type mpi_fortran_##name##_; \
	extern FRONT type mpi_fortran_##name __attribute__((alias("mpi_fortran_" #name "_"))); \
	extern FRONT type mpi_fortran_##name##__ __attribute__((alias("mpi_fortran_" #name "_")));
COMMON(argv_null, char)
COMMON(argvs_null, char)
COMMON(bottom, int)
COMMON(errcodes_ignore, int)
COMMON(in_place, int)
COMMON(status_ignore, int *)
COMMON(statuses_ignore, int *)
COMMON(unweighted, int)
COMMON(weights_empty, int)

FRONT MPI_Fint *MPI_F_STATUS_IGNORE = (MPI_Fint *)&mpi_fortran_status_ignore_;
FRONT MPI_Fint *MPI_F_STATUSES_IGNORE = (MPI_Fint *)&mpi_fortran_statuses_ignore_;
FRONT N_Status *MPI_F08_STATUS_IGNORE = (N_Status *)&mpi_fortran_status_ignore_;
FRONT N_Status *MPI_F08_STATUSES_IGNORE = (N_Status *)&mpi_fortran_statuses_ignore_;

/* ---- predefined callbacks ---- */

#define DUP(name) \
	FRONT int name(N_Comm handle, int key, void *state, void *in, void *out, int *flag); \
	int name(N_Comm handle, int key, void *state, void *in, void *out, int *flag) \
	{ \
		(void)handle; \
		(void)key; \
		(void)state; \
		*(void **)out = in; \
		*flag = 1; \
		return 0; \
	}
#define NULL_COPY(name) \
	FRONT int name(N_Comm handle, int key, void *state, void *in, void *out, int *flag); \
	int name(N_Comm handle, int key, void *state, void *in, void *out, int *flag) \
	{ \
		(void)handle; \
		(void)key; \
		(void)state; \
		(void)in; \
		(void)out; \
		*flag = 0; \
		return 0; \
	}
#define NULL_DELETE(name) \
	FRONT int name(N_Comm handle, int key, void *value, void *state); \
	int name(N_Comm handle, int key, void *value, void *state) \
	{ \
		(void)handle; \
		(void)key; \
		(void)value; \
		(void)state; \
		return 0; \
	}
DUP(OMPI_C_MPI_DUP_FN)
DUP(OMPI_C_MPI_COMM_DUP_FN)
DUP(OMPI_C_MPI_TYPE_DUP_FN)
DUP(OMPI_C_MPI_WIN_DUP_FN)
NULL_COPY(OMPI_C_MPI_NULL_COPY_FN)
NULL_COPY(OMPI_C_MPI_COMM_NULL_COPY_FN)
NULL_COPY(OMPI_C_MPI_TYPE_NULL_COPY_FN)
NULL_COPY(OMPI_C_MPI_WIN_NULL_COPY_FN)
NULL_DELETE(OMPI_C_MPI_NULL_DELETE_FN)
NULL_DELETE(OMPI_C_MPI_COMM_NULL_DELETE_FN)
NULL_DELETE(OMPI_C_MPI_TYPE_NULL_DELETE_FN)
NULL_DELETE(OMPI_C_MPI_WIN_NULL_DELETE_FN)

/* The spellings of a name that compilers of Fortran make; without mpi_, as MPI_COMM_DUP_FN and the
 * like are macros. */
#define SPELLED(text, id, result, symbol, params) \
	FRONT result symbol##_##id params __asm__(text) \
	    __attribute__((weak, alias("mpi_" #symbol "_")));
#define SPELL(result, symbol, upper, params) \
	SPELLED("mpi_" #symbol, plain, result, symbol, params) \
	SPELLED("mpi_" #symbol "__", two, result, symbol, params) \
	SPELLED("MPI_" #upper, upper, result, symbol, params)

/* Those of Fortran: mpi_comm_dup_fn_ and the like, with INTEGERs of the address's size or the
 * default's. */
#define F_COPY(name, upper, integer, copies) \
	FRONT void mpi_##name##_(MPI_Fint *handle, MPI_Fint *key, integer *state, integer *in, \
	                         integer *out, MPI_Fint *flag, MPI_Fint *ierr); \
	void mpi_##name##_(MPI_Fint *handle, MPI_Fint *key, integer *state, integer *in, \
	                   integer *out, MPI_Fint *flag, MPI_Fint *ierr) \
	{ \
		(void)handle; \
		(void)key; \
		(void)state; \
		if (copies) \
			*out = *in; \
		*flag = copies; \
		*ierr = 0; \
	} \
	SPELL(void, name, upper, \
	      (MPI_Fint * handle, MPI_Fint * key, integer * state, integer * in, integer * out, \
	       MPI_Fint * flag, MPI_Fint * ierr))
#define F_DELETE(name, upper) \
	FRONT void mpi_##name##_(MPI_Fint *handle, MPI_Fint *key, void *value, void *state, \
	                         MPI_Fint *ierr); \
	void mpi_##name##_(MPI_Fint *handle, MPI_Fint *key, void *value, void *state, \
	                   MPI_Fint *ierr) \
	{ \
		(void)handle; \
		(void)key; \
		(void)value; \
		(void)state; \
		*ierr = 0; \
	} \
	SPELL(void, name, upper, \
	      (MPI_Fint * handle, MPI_Fint * key, void *value, void *state, MPI_Fint *ierr))
F_COPY(dup_fn, DUP_FN, MPI_Fint, 1)
F_COPY(comm_dup_fn, COMM_DUP_FN, MPI_Aint, 1)
F_COPY(type_dup_fn, TYPE_DUP_FN, MPI_Aint, 1)
F_COPY(win_dup_fn, WIN_DUP_FN, MPI_Aint, 1)
F_COPY(null_copy_fn, NULL_COPY_FN, MPI_Fint, 0)
F_COPY(comm_null_copy_fn, COMM_NULL_COPY_FN, MPI_Aint, 0)
F_COPY(type_null_copy_fn, TYPE_NULL_COPY_FN, MPI_Aint, 0)
F_COPY(win_null_copy_fn, WIN_NULL_COPY_FN, MPI_Aint, 0)
F_DELETE(null_delete_fn, NULL_DELETE_FN)
F_DELETE(comm_null_delete_fn, COMM_NULL_DELETE_FN)
F_DELETE(type_null_delete_fn, TYPE_NULL_DELETE_FN)
F_DELETE(win_null_delete_fn, WIN_NULL_DELETE_FN)

FRONT void mpi_conversion_fn_null_(void);
void mpi_conversion_fn_null_(void)
{
}
SPELL(void, conversion_fn_null, CONVERSION_FN_NULL, (void))
SPELLED("mpi_conversion_fn_null_f", own, void, conversion_fn_null, (void))

/* Functions that return a number, as a module of Open MPI calls them. */
double PMPI_Wtime(void);
double PMPI_Wtick(void);
FRONT double mpi_wtime_f90_(void);
double mpi_wtime_f90_(void)
{
	return PMPI_Wtime();
}
SPELL(double, wtime_f90, WTIME_F90, (void))

FRONT double mpi_wtick_f90_(void);
double mpi_wtick_f90_(void)
{
	return PMPI_Wtick();
}
SPELL(double, wtick_f90, WTICK_F90, (void))

FRONT MPI_Aint mpi_aint_add_f90_(const MPI_Aint *base, const MPI_Aint *disp);
MPI_Aint mpi_aint_add_f90_(const MPI_Aint *base, const MPI_Aint *disp)
{
	return *base + *disp;
}
SPELL(MPI_Aint, aint_add_f90, AINT_ADD_F90, (const MPI_Aint *base, const MPI_Aint *disp))

FRONT MPI_Aint mpi_aint_diff_f90_(const MPI_Aint *one, const MPI_Aint *two);
MPI_Aint mpi_aint_diff_f90_(const MPI_Aint *one, const MPI_Aint *two)
{
	return *one - *two;
}
SPELL(MPI_Aint, aint_diff_f90, AINT_DIFF_F90, (const MPI_Aint *one, const MPI_Aint *two))

int is_dup_function(const void *f)
{
	return f == (const void *)OMPI_C_MPI_DUP_FN || f == (const void *)OMPI_C_MPI_COMM_DUP_FN ||
	       f == (const void *)OMPI_C_MPI_TYPE_DUP_FN ||
	       f == (const void *)OMPI_C_MPI_WIN_DUP_FN;
}

int is_null_function(const void *f)
{
	return !f || f == (const void *)OMPI_C_MPI_NULL_COPY_FN ||
	       f == (const void *)OMPI_C_MPI_COMM_NULL_COPY_FN ||
	       f == (const void *)OMPI_C_MPI_TYPE_NULL_COPY_FN ||
	       f == (const void *)OMPI_C_MPI_WIN_NULL_COPY_FN ||
	       f == (const void *)OMPI_C_MPI_NULL_DELETE_FN ||
	       f == (const void *)OMPI_C_MPI_COMM_NULL_DELETE_FN ||
	       f == (const void *)OMPI_C_MPI_TYPE_NULL_DELETE_FN ||
	       f == (const void *)OMPI_C_MPI_WIN_NULL_DELETE_FN ||
	       f == (const void *)mpi_conversion_fn_null_;
}

/* ---- callbacks of Fortran ---- */

/* The last `count` functions that this thread registered are Fortran's. Of attributes: whether
 * their values are INTEGERs of the default kind (MPI_KEYVAL_CREATE). */
void orrery_fortran_callbacks(int count, int attributes_are_int)
{
	for (int i = 0; i < count; i++) {
		struct callback *c = token_recent(i);

		if (!c)
			continue;
		c->language = LANGUAGE_FORTRAN;
		c->proxy = attributes_are_int ? c : NULL;
	}
}

void proxy_op(struct callback *c, void *in, void *inout, int len, N_Datatype type)
{
	if (c->language == LANGUAGE_JAVA) {
		java_op(c, in, inout, len, type);
		return;
	}
	/* C++: Open MPI's interceptor, and the program's function behind its arguments */
	((void (*)(void *, void *, int *, N_Datatype *, void *))c->function)(in, inout, &len, &type,
	                                                                     c->proxy);
}

static MPI_Fint fortran_handle(enum attr_kind kind, const void *handle)
{
	struct object *object = object_out((uintptr_t)handle);

	return orrery_fortran_out(kind == ATTR_COMM   ? F_Comm
	                          : kind == ATTR_TYPE ? F_Datatype
	                                              : F_Win,
	                          object);
}

static intptr_t attr_integer(const void *value)
{
	return cell_is(value) ? *(const intptr_t *)value : (intptr_t)value;
}

/* A communicator as Open MPI's C++ library looks into it, to know of which class it is. */
struct cxx_comm {
	uintptr_t neutral;
	char room[0xe8 - sizeof(uintptr_t)];
	int flags; /* 1: of two groups; 0x100: with Cartesian topology; 0x200: with a graph */
};

/* What its function is called with: *room, or an object that is one. */
static N_Comm cxx_comm(const void *handle, struct cxx_comm *room)
{
	MPI_Comm comm = (MPI_Comm)(uintptr_t)handle;
	int topology = MPI_UNDEFINED, inter = 0;

	if ((uintptr_t)comm < ORR_HANDLES)
		return out_Comm(comm);
	memset(room, 0, sizeof *room);
	room->neutral = (uintptr_t)comm;
	if (orr_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter)
		room->flags = 1;
	else if (orr_Topo_test(comm, &topology) == MPI_SUCCESS)
		room->flags = topology == MPI_CART ? 0x100 : topology == MPI_GRAPH ? 0x200 : 0;
	return (N_Comm)room;
}

static int cxx_copy(struct callback *c, const void *handle, int keyval, void *extra_state,
                    void *value_in, void *value_out, int *flag)
{
	typedef int copy(N_Comm, int, void *, void *, void *, int *);
	struct cxx_comm room;

	return ((copy *)c->function)(cxx_comm(handle, &room), keyval, extra_state, value_in,
	                             value_out, flag);
}

static int cxx_delete(struct callback *c, const void *handle, int keyval, void *value,
                      void *extra_state)
{
	typedef int delete (N_Comm, int, void *, void *);
	struct cxx_comm room;

	return ((delete *)c->function)(cxx_comm(handle, &room), keyval, value, extra_state);
}

int proxy_copy(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
               void *extra_state, void *value_in, void *value_out, int *flag)
{
	MPI_Fint h = fortran_handle(kind, handle);
	MPI_Fint error = 0;
	MPI_Fint copied = 0;
	intptr_t result = 0;

	if (c->language == LANGUAGE_CXX)
		return cxx_copy(c, handle, keyval, extra_state, value_in, value_out, flag);
	if (c->proxy) {
		MPI_Fint state = (MPI_Fint)(intptr_t)extra_state;
		MPI_Fint in = (MPI_Fint)attr_integer(value_in);
		MPI_Fint out = 0;

		((void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
		           MPI_Fint *))c->function)(&h, &keyval, &state, &in, &out, &copied,
		                                    &error);
		result = out;
	} else {
		MPI_Aint state = (MPI_Aint)extra_state;
		MPI_Aint in = attr_integer(value_in);
		MPI_Aint out = 0;

		((void (*)(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Aint *, MPI_Fint *,
		           MPI_Fint *))c->function)(&h, &keyval, &state, &in, &out, &copied,
		                                    &error);
		result = out;
	}
	*flag = copied != 0;
	if (!error && copied)
		*(void **)value_out = cell_new(result);
	return error;
}

int proxy_delete(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
                 void *value, void *extra_state)
{
	MPI_Fint h = fortran_handle(kind, handle);
	MPI_Fint error = 0;
	MPI_Aint in = attr_integer(value);
	MPI_Aint state = (MPI_Aint)extra_state;

	if (c->language == LANGUAGE_CXX)
		return cxx_delete(c, handle, keyval, value, extra_state);
	/* on little-endian machines the address of a long integer is that of its lower half too */
	((void (*)(MPI_Fint *, MPI_Fint *, void *, void *, MPI_Fint *))c->function)(
	    &h, &keyval, &in, &state, &error);
	return error;
}

static void fortran_errhandler(struct callback *c, enum error_kind kind, struct object *object,
                               int *error)
{
	int what = kind == ERROR_WIN       ? F_Win
	           : kind == ERROR_FILE    ? F_File
	           : kind == ERROR_SESSION ? F_Session
	                                   : F_Comm;
	MPI_Fint h = orrery_fortran_out(what, object);

	((void (*)(MPI_Fint *, MPI_Fint *))c->function)(&h, error);
}

/* An error handler as Open MPI's C++ library knows it, into which it writes functions of its own:
 * dispatch calls the program's, with objects that it makes of handles; on_*, of MPI's
 * ERRORS_THROW_EXCEPTIONS alone, throw, or say that they cannot. */
struct cxx_errhandler {
	uintptr_t neutral;
	char room[0x58 - sizeof(uintptr_t)];
	void *on_comm, *on_file, *on_win, *fortran;
	void (*dispatch)(struct object **handle, int *error, const char *function, void *program);
};

static struct callback errors_throw = {.language = LANGUAGE_PROXY};

void *front_errors_throw(void)
{
	return &errors_throw;
}

/* Ranks that share this library have each a C++ library, all of which write into one object, unless
 * the program has a copy of it: another rank's function is not called. */
static void errors_throw_call(enum error_kind kind, struct object **handle, int *error,
                              const char *function)
{
	const uintptr_t neutral = (uintptr_t)ORR_ERRORS_THROW;
	const struct cxx_errhandler *h = (struct cxx_errhandler *)object_known(neutral);
	void *on = kind == ERROR_WIN ? h->on_win : kind == ERROR_FILE ? h->on_file : h->on_comm;

	if (on && (!front_place || moved[neutral]))
		((void (*)(struct object **, int *, ...))on)(handle, error, function, NULL);
}

void proxy_errhandler(struct callback *c, enum error_kind kind, const void *handle, int *error,
                      const char *function)
{
	struct object *object = object_out((uintptr_t)handle);
	const struct cxx_errhandler *h = c->proxy;

	if (c == &errors_throw)
		errors_throw_call(kind, &object, error, function);
	else if (h)
		h->dispatch(&object, error, function, c->function);
	else
		fortran_errhandler(c, kind, object, error);
}

uintptr_t object_foreign(int code)
{
	orr_error_note(code, "a handle of the standard's ABI: C sources of `orrery cc` and what "
	                     "`orrery fc` links cannot call MPI in one program");
	return 0;
}

/* ---- for Open MPI's C++ library ---- */

FRONT void ompi_op_set_cxx_callback(N_Op op, void *function);
void ompi_op_set_cxx_callback(N_Op op, void *function)
{
	(void)op;
	token_recent(0)->language = LANGUAGE_PROXY;
	token_recent(0)->proxy = function;
}

int PMPI_Comm_call_errhandler(void *comm, int code);
int PMPI_Win_call_errhandler(void *win, int code);
int PMPI_File_call_errhandler(void *file, int code);
int PMPI_Comm_create_keyval(void *copy, void *delete, int *keyval, void *state);
int PMPI_Win_create_keyval(void *copy, void *delete, int *keyval, void *state);
int PMPI_Type_create_keyval(void *copy, void *delete, int *keyval, void *state);

int PMPI_Comm_create_errhandler(void *function, N_Errhandler *handler);
int PMPI_Win_create_errhandler(void *function, N_Errhandler *handler);
int PMPI_File_create_errhandler(void *function, N_Errhandler *handler);

/* The library writes into what it gets, which has to be an object therefore; it is never freed, as
 * handles of it may be anywhere. */
FRONT void *ompi_errhandler_create(int object, void *function, int language);
void *ompi_errhandler_create(int object, void *function, int language)
{
	struct cxx_errhandler *h = calloc(1, sizeof *h);
	N_Errhandler made;
	int rc;

	(void)language;
	if (!h)
		abort(); /* as in token_make */
	switch (object) {
	case 1:
		rc = PMPI_Comm_create_errhandler(function, &made);
		break;
	case 2:
		rc = PMPI_Win_create_errhandler(function, &made);
		break;
	default:
		rc = PMPI_File_create_errhandler(function, &made);
	}
	h->neutral = rc == 0 ? object_in(made) : (uintptr_t)MPI_ERRORS_ARE_FATAL;
	if (rc == 0) {
		token_recent(0)->language = LANGUAGE_PROXY;
		token_recent(0)->proxy = h;
	}
	return h;
}

FRONT int ompi_errhandler_invoke(N_Errhandler handler, void *object, int kind, int code,
                                 const char *message);
int ompi_errhandler_invoke(N_Errhandler handler, void *object, int kind, int code,
                           const char *message)
{
	(void)handler;
	(void)message;
	switch (kind) { /* what the object is */
	case 1:
		return PMPI_Comm_call_errhandler(object, code);
	case 2:
		return PMPI_Win_call_errhandler(object, code);
	default:
		return PMPI_File_call_errhandler(object, code);
	}
}

/* The functions are C's, over those of the program. */
FRONT int ompi_attr_create_keyval(int kind, void *copy, void *delete, int *keyval, void *state,
                                  int flags, void *of_language);
int ompi_attr_create_keyval(int kind, void *copy, void *delete, int *keyval, void *state, int flags,
                            void *of_language)
{
	(void)flags;
	state = of_language ? of_language : state;
	int rc;

	switch (kind) {
	case 1:
		rc = PMPI_Comm_create_keyval(copy, delete, keyval, state);
		if (rc == 0 && token_of_copy)
			token_of_copy->language = LANGUAGE_CXX;
		if (rc == 0 && token_of_delete)
			token_of_delete->language = LANGUAGE_CXX;
		return rc;
	case 2:
		return PMPI_Win_create_keyval(copy, delete, keyval, state);
	default:
		return PMPI_Type_create_keyval(copy, delete, keyval, state);
	}
}

/* Data that it names, and never reads before it has called a function that fills it. */
FRONT int ompi_errcode_intern_lastused;
FRONT char ompi_errcodes_intern[120];
FRONT char ompi_registered_datareps[64];

FRONT int MPIX_Query_cuda_support(void);
int MPIX_Query_cuda_support(void)
{
	return 0;
}

FRONT int MPIX_Query_rocm_support(void);
int MPIX_Query_rocm_support(void)
{
	return 0;
}

/* Open MPI 5's: hints for a session, of which none has an effect. */
FRONT int PMPI_Session_get_info(N_Session session, N_Info *info_used);
FRONT int PMPI_Info_free(N_Info *info);
FRONT int PMPI_Session_set_info(N_Session session, N_Info info);
int PMPI_Session_set_info(N_Session session, N_Info info)
{
	N_Info known = NULL;
	int rc = PMPI_Session_get_info(session, &known); /* which knows a session */

	(void)info;
	return rc ? rc : PMPI_Info_free(&known);
}
ALIAS(MPI_Session_set_info)

/* ---- for libmpi_mpifh.so.40, ours ---- */

FRONT void *orrery_cell_new(intptr_t value);
void *orrery_cell_new(intptr_t value)
{
	return cell_new(value);
}

FRONT int orrery_cell_is(const void *value);
int orrery_cell_is(const void *value)
{
	return cell_is(value);
}
