/* callbacks.c: functions that the program gives, called in its own ABI and language (front.h). */
#include "front_int.h"

#include "proxy.h"

/* The tokens that this thread made last: MPICH's helpers speak of the function just registered. */
static _Thread_local struct callback *recent[3];
_Thread_local struct callback *token_of_copy, *token_of_delete;

void *token_make(void *function, enum language language)
{
	struct callback *c = malloc(sizeof *c);

	if (!c)
		abort(); /* no room for 24 bytes: there is nobody to tell */
	*c = (struct callback){.function = function, .language = language};
	recent[2] = recent[1];
	recent[1] = recent[0];
	recent[0] = c;
	return c;
}

struct callback *token_recent(int back)
{
	return recent[back];
}

void front_call_op(MPI_User_function *token, void *in, void *inout, MPI_Count len,
                   MPI_Datatype type)
{
	struct callback *c = (struct callback *)(uintptr_t)token;
	N_Datatype native = out_Datatype(type);

	if (c->language == LANGUAGE_C_LARGE) {
		((void (*)(void *, void *, MPI_Count *, N_Datatype *))c->function)(in, inout, &len,
		                                                                   &native);
		return;
	}
	int n = (int)len;

	if (c->language == LANGUAGE_PROXY || c->language == LANGUAGE_JAVA) {
		proxy_op(c, in, inout, n, native);
	} else if (c->language == LANGUAGE_FORTRAN) {
		MPI_Fint fortran = fortran_Datatype(type);

		((void (*)(void *, void *, int *, MPI_Fint *))c->function)(in, inout, &n, &fortran);
	} else {
		((void (*)(void *, void *, int *, N_Datatype *))c->function)(in, inout, &n,
		                                                             &native);
	}
}

typedef int copy_comm(N_Comm, int, void *, void *, void *, int *);
typedef int copy_type(N_Datatype, int, void *, void *, void *, int *);
typedef int copy_win(N_Win, int, void *, void *, void *, int *);
typedef int delete_comm(N_Comm, int, void *, void *);
typedef int delete_type(N_Datatype, int, void *, void *);
typedef int delete_win(N_Win, int, void *, void *);

int front_call_copy_attr(enum attr_kind kind, void *token, const void *handle, int keyval,
                         void *extra_state, void *value_in, void *value_out, int *flag)
{
	struct callback *c = token;
	int key = out_keyval(keyval);

	if (c->language != LANGUAGE_C)
		return in_error(
		    proxy_copy(c, kind, handle, key, extra_state, value_in, value_out, flag));
	if (kind == ATTR_COMM)
		return in_error(((copy_comm *)c->function)(out_Comm((MPI_Comm)(uintptr_t)handle),
		                                           key, extra_state, value_in, value_out,
		                                           flag));
	if (kind == ATTR_TYPE)
		return in_error(
		    ((copy_type *)c->function)(out_Datatype((MPI_Datatype)(uintptr_t)handle), key,
		                               extra_state, value_in, value_out, flag));
	return in_error(((copy_win *)c->function)(out_Win((MPI_Win)(uintptr_t)handle), key,
	                                          extra_state, value_in, value_out, flag));
}

int front_call_delete_attr(enum attr_kind kind, void *token, const void *handle, int keyval,
                           void *value, void *extra_state)
{
	struct callback *c = token;
	int key = out_keyval(keyval);

	if (c->language != LANGUAGE_C)
		return in_error(proxy_delete(c, kind, handle, key, value, extra_state));
	if (kind == ATTR_COMM)
		return in_error(((delete_comm *)c->function)(out_Comm((MPI_Comm)(uintptr_t)handle),
		                                             key, value, extra_state));
	if (kind == ATTR_TYPE)
		return in_error(((delete_type *)c->function)(
		    out_Datatype((MPI_Datatype)(uintptr_t)handle), key, value, extra_state));
	return in_error(((delete_win *)c->function)(out_Win((MPI_Win)(uintptr_t)handle), key, value,
	                                            extra_state));
}

/* A handler of C; the ellipsis is what MPICH and Open MPI give it too: the function's name. */
#define CALL_HANDLER(kind, type) \
	do { \
		N_##type native = out_##type((MPI_##type)(uintptr_t)handle); \
\
		((void (*)(N_##type *, int *, ...))c->function)(&native, &error, function, NULL); \
	} while (0)

int front_call_errhandler(enum error_kind kind, void *token, const void *handle, int code,
                          const char *function)
{
	struct callback *c = token;
	int error = out_error(code);

	if (c->language != LANGUAGE_C)
		proxy_errhandler(c, kind, handle, &error, function);
	else if (kind == ERROR_WIN)
		CALL_HANDLER(kind, Win);
	else if (kind == ERROR_FILE)
		CALL_HANDLER(kind, File);
	else if (kind == ERROR_SESSION)
		CALL_HANDLER(kind, Session);
	else
		CALL_HANDLER(kind, Comm);
	return in_error(error);
}

/* Of generalised requests: Open MPI and MPICH call what Fortran gave alike. */
static int fortran_query(struct callback *c, void *extra_state, N_Status *status)
{
	MPI_Fint error = 0;

	((void (*)(void *, N_Status *, MPI_Fint *))c->function)(extra_state, status, &error);
	return error;
}

static int fortran_free(struct callback *c, void *extra_state)
{
	MPI_Fint error = 0;

	((void (*)(void *, MPI_Fint *))c->function)(extra_state, &error);
	return error;
}

static int fortran_cancel(struct callback *c, void *extra_state, int complete)
{
	MPI_Fint error = 0;
	MPI_Fint flag = complete;

	((void (*)(void *, MPI_Fint *, MPI_Fint *))c->function)(extra_state, &flag, &error);
	return error;
}

int front_call_query(MPI_Grequest_query_function *token, void *extra_state, MPI_Status *status)
{
	struct callback *c = (struct callback *)(uintptr_t)token;
	N_Status native;
	int rc;

	memset(&native, 0, sizeof native);
	if (c->language != LANGUAGE_C)
		rc = fortran_query(c, extra_state, &native);
	else
		rc = ((int (*)(void *, N_Status *))c->function)(extra_state, &native);
	*status = in_Status(&native);
	return in_error(rc);
}

int front_call_free(MPI_Grequest_free_function *token, void *extra_state)
{
	struct callback *c = (struct callback *)(uintptr_t)token;

	if (c->language != LANGUAGE_C)
		return in_error(fortran_free(c, extra_state));
	return in_error(((int (*)(void *))c->function)(extra_state));
}

int front_call_cancel(MPI_Grequest_cancel_function *token, void *extra_state, int complete)
{
	struct callback *c = (struct callback *)(uintptr_t)token;

	if (c->language != LANGUAGE_C)
		return in_error(fortran_cancel(c, extra_state, complete));
	return in_error(((int (*)(void *, int))c->function)(extra_state, complete));
}

int front_call_poll(front_poll_function *token, void *extra_state)
{
	const struct callback *c = (const struct callback *)(uintptr_t)token;
	N_Status native;

	memset(&native, 0, sizeof native);
	return in_error(((int (*)(void *, N_Status *))c->function)(extra_state, &native));
}

int front_call_extent(MPI_Datarep_extent_function *token, MPI_Datatype type, MPI_Aint *extent,
                      void *extra_state)
{
	struct callback *c = (struct callback *)(uintptr_t)token;
	typedef int extent_function(N_Datatype, MPI_Aint *, void *);

	return in_error(((extent_function *)c->function)(out_Datatype(type), extent, extra_state));
}

int front_call_conversion(MPI_Datarep_conversion_function *token, void *userbuf, MPI_Datatype type,
                          MPI_Count count, void *filebuf, MPI_Offset position, void *extra_state)
{
	struct callback *c = (struct callback *)(uintptr_t)token;
	typedef int small(void *, N_Datatype, int, void *, MPI_Offset, void *);
	typedef int large(void *, N_Datatype, MPI_Count, void *, MPI_Offset, void *);

	if (c->language == LANGUAGE_C_LARGE)
		return in_error(((large *)c->function)(userbuf, out_Datatype(type), count, filebuf,
		                                       position, extra_state));
	return in_error(((small *)c->function)(userbuf, out_Datatype(type), (int)count, filebuf,
	                                       position, extra_state));
}

/* ---- attributes that Fortran set ---- */

/* Cells are told from the program's own pointers by where they are: in one of these blocks, which
 * are never freed (an attribute may be copied by address). */
struct cells {
	struct cells *next;
	int used;
	intptr_t value[1022];
};

static _Atomic(struct cells *) cells;
static _Atomic int cells_lock;

void *cell_new(intptr_t value)
{
	while (__atomic_exchange_n((int *)&cells_lock, 1, __ATOMIC_ACQUIRE))
		;
	struct cells *c = cells;

	if (!c || c->used == 1022) {
		struct cells *fresh = calloc(1, sizeof *fresh);

		if (!fresh)
			abort(); /* as in token_make */
		fresh->next = c;
		cells = c = fresh;
	}
	c->value[c->used] = value;
	void *cell = &c->value[c->used++];

	__atomic_store_n((int *)&cells_lock, 0, __ATOMIC_RELEASE);
	return cell;
}

int cell_is(const void *value)
{
	for (struct cells *c = cells; c; c = c->next)
		if ((const intptr_t *)value >= c->value &&
		    (const intptr_t *)value < c->value + 1022)
			return 1;
	return 0;
}
