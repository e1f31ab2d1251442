/* errhandler.c: error handlers (MPI 4.0, 9.3). An object without one has the default: errors are
 * fatal, but for files, which have the handler of MPI_FILE_NULL, at first MPI_ERRORS_RETURN.
 *
 * An error that belongs to no object is raised on MPI_COMM_SELF (MPI 4.0) or MPI_COMM_WORLD
 * (MPI 3.1): on the one of the two that the program has given a handler.
 */
#include "errhandler.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "errors.h"
#include "front.h"
#include "local.h"
#include "orr_mpi.h"

struct orr_errhandler {
	struct orr_object o;
	enum orr_kind kind; /* ORR_NONE: of any */
	void *token;        /* the program's function */
};

static struct orr_errhandler *handler_of(MPI_Errhandler errhandler)
{
	return orr_object(ORR_ERRHANDLER, errhandler);
}

void orr_errhandler_drop(struct orr_errhandler *h)
{
	if (orr_object_drop(h))
		orr_object_end(h);
}

int orr_errors_start(void)
{
	static const MPI_Errhandler predefined[] = {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT,
	                                            MPI_ERRORS_RETURN};
	for (int i = 0; i < 3; i++) {
		struct orr_errhandler *h = orr_object_new(ORR_ERRHANDLER, sizeof *h);
		if (!h)
			return MPI_ERR_NO_MEM;
		orr_predefine((uint32_t)(uintptr_t)predefined[i], h);
	}
	orr_local()->file_handler = orr_object_keep(handler_of(MPI_ERRORS_RETURN));
	return orr_error_codes_start();
}

static struct orr_errhandler *handler_in_force(const struct orr_object *o, enum orr_kind kind)
{
	if (o && o->handler)
		return o->handler;
	if (kind == ORR_FILE)
		return orr_local()->file_handler;
	return handler_of(MPI_ERRORS_ARE_FATAL);
}

void orr_errhandler_share(const struct orr_object *from, struct orr_object *to)
{
	struct orr_errhandler *old = to->handler;
	to->handler = from->handler ? orr_object_keep(from->handler) : NULL;
	if (old)
		orr_errhandler_drop(old);
}

/* --- raising --- */

/* There are no objects yet, and nobody who could be told in another way. */
static _Noreturn void too_early(int code, const char *function)
{
	char text[128];
	snprintf(text, sizeof text, "%s was called before MPI_Init", function);
	orr_core_abort(text, code);
}

static enum orr_kind kind_of(enum error_kind kind)
{
	switch (kind) {
	case ERROR_WIN:
		return ORR_WIN;
	case ERROR_FILE:
		return ORR_FILE;
	case ERROR_SESSION:
		return ORR_SESSION;
	default:
		return ORR_COMM;
	}
}

/* Whose handler is called, for an error of no object. */
static const struct orr_object *nobody(void)
{
	const struct orr_object *world = orr_object(ORR_COMM, MPI_COMM_WORLD);
	const struct orr_object *self = orr_object(ORR_COMM, MPI_COMM_SELF);
	return world && world->handler ? world : self;
}

int orr_error_note(int code, const char *fmt, ...)
{
	struct orr_local *l = orr_local();
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->note.text, sizeof l->note.text, fmt, ap);
	va_end(ap);
	l->note.code = code;
	return code;
}

/* Where nothing is known of whose error it is, o is null: the object that its handler belongs to
 * says nothing of the call. */
static _Noreturn void fatal(const struct orr_object *o, int code, const char *function)
{
	char text[2048], string[MPI_MAX_ERROR_STRING] = "unknown error code";
	const struct orr_local *l = orr_local();
	int n, noted = l->note.code == code;
	(void)orr_Error_string(code, string, &n);
	snprintf(text, sizeof text, "%s: error %d: %s%s%s%s%s%s", function, code, string,
	         noted ? ": " : "", noted ? l->note.text : "", o && o->name ? " (on " : "",
	         o && o->name ? o->name : "", o && o->name ? ")" : "");
	orr_core_abort(text, code);
}

static void call(struct orr_errhandler *h, const struct orr_object *o, int is_its,
                 enum error_kind kind, int code, const char *function)
{
	if (!h)
		too_early(code, function);
	else if (h->token)
		front_call_errhandler(kind, h->token,
		                      o ? orr_handle(o) : orr_handle_null(kind_of(kind)), code,
		                      function);
	else if (h != handler_of(MPI_ERRORS_RETURN))
		fatal(is_its ? o : NULL, code, function);
}

int orr_error_raise(enum error_kind kind, const void *handle, int code, const char *function)
{
	if (code == MPI_SUCCESS)
		return code;
	const struct orr_object *o = NULL;
	if (kind != ERROR_NONE && kind != ERROR_REQUEST)
		o = orr_object(kind_of(kind), handle);
	const int is_its = o != NULL;
	if (!o && kind != ERROR_FILE) {
		kind = ERROR_COMM;
		o = nobody();
	}
	call(handler_in_force(o, kind_of(kind)), o, is_its, kind, code, function);
	orr_local()->note.code = MPI_SUCCESS;
	return code;
}

/* --- the functions of MPI --- */

static int create(enum orr_kind kind, void *token, MPI_Errhandler *errhandler)
{
	if (!token || !errhandler)
		return MPI_ERR_ARG;
	struct orr_errhandler *h = orr_object_new(ORR_ERRHANDLER, sizeof *h);
	if (!h)
		return MPI_ERR_NO_MEM;
	h->kind = kind;
	h->token = token;
	*errhandler = orr_handle(h);
	return MPI_SUCCESS;
}

int orr_errhandler_put(struct orr_object *o, enum orr_kind kind, MPI_Errhandler errhandler)
{
	struct orr_errhandler *h = handler_of(errhandler);
	if (!h || (h->kind != ORR_NONE && h->kind != kind))
		return MPI_ERR_ERRHANDLER;
	struct orr_errhandler **place = o ? &o->handler : &orr_local()->file_handler, *old = *place;
	*place = orr_object_keep(h);
	if (old)
		orr_errhandler_drop(old);
	return MPI_SUCCESS;
}

static int set(enum orr_kind kind, const void *handle, int error, MPI_Errhandler errhandler)
{
	struct orr_object *o = orr_object(kind, handle);
	if (!o && !(kind == ORR_FILE && handle == MPI_FILE_NULL))
		return error;
	return orr_errhandler_put(o, kind, errhandler);
}

static int get(enum orr_kind kind, const void *handle, int error, MPI_Errhandler *errhandler)
{
	const struct orr_object *o = orr_object(kind, handle);
	if (!o && !(kind == ORR_FILE && handle == MPI_FILE_NULL))
		return error;
	struct orr_errhandler *h = handler_in_force(o, kind);
	*errhandler = orr_is_predefined(&h->o) ? orr_handle(h) : orr_handle_show(h);
	return *errhandler ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int call_for(enum orr_kind kind, enum error_kind error_kind, const void *handle, int error,
                    int code, const char *function)
{
	const struct orr_object *o = orr_object(kind, handle);
	if (!o && !(kind == ORR_FILE && handle == MPI_FILE_NULL))
		return error;
	call(handler_in_force(o, kind), o, 1, error_kind, code, function);
	return MPI_SUCCESS;
}

int orr_Comm_create_errhandler(MPI_Comm_errhandler_function *comm_errhandler_fn,
                               MPI_Errhandler *errhandler)
{
	return create(ORR_COMM, (void *)comm_errhandler_fn, errhandler);
}

int orr_Win_create_errhandler(MPI_Win_errhandler_function *win_errhandler_fn,
                              MPI_Errhandler *errhandler)
{
	return create(ORR_WIN, (void *)win_errhandler_fn, errhandler);
}

int orr_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn,
                               MPI_Errhandler *errhandler)
{
	return create(ORR_FILE, (void *)file_errhandler_fn, errhandler);
}

int orr_Session_create_errhandler(MPI_Session_errhandler_function *session_errhandler_fn,
                                  MPI_Errhandler *errhandler)
{
	return create(ORR_SESSION, (void *)session_errhandler_fn, errhandler);
}

int orr_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler)
{
	return set(ORR_COMM, comm, MPI_ERR_COMM, errhandler);
}

int orr_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler)
{
	return set(ORR_WIN, win, MPI_ERR_WIN, errhandler);
}

int orr_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
	return set(ORR_FILE, file, MPI_ERR_FILE, errhandler);
}

int orr_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler)
{
	return set(ORR_SESSION, session, MPI_ERR_SESSION, errhandler);
}

int orr_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *errhandler)
{
	return get(ORR_COMM, comm, MPI_ERR_COMM, errhandler);
}

int orr_Win_get_errhandler(MPI_Win win, MPI_Errhandler *errhandler)
{
	return get(ORR_WIN, win, MPI_ERR_WIN, errhandler);
}

int orr_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
	return get(ORR_FILE, file, MPI_ERR_FILE, errhandler);
}

int orr_Session_get_errhandler(MPI_Session session, MPI_Errhandler *errhandler)
{
	return get(ORR_SESSION, session, MPI_ERR_SESSION, errhandler);
}

int orr_Comm_call_errhandler(MPI_Comm comm, int errorcode)
{
	return call_for(ORR_COMM, ERROR_COMM, comm, MPI_ERR_COMM, errorcode,
	                "MPI_Comm_call_errhandler");
}

int orr_Win_call_errhandler(MPI_Win win, int errorcode)
{
	return call_for(ORR_WIN, ERROR_WIN, win, MPI_ERR_WIN, errorcode, "MPI_Win_call_errhandler");
}

int orr_File_call_errhandler(MPI_File fh, int errorcode)
{
	return call_for(ORR_FILE, ERROR_FILE, fh, MPI_ERR_FILE, errorcode,
	                "MPI_File_call_errhandler");
}

int orr_Session_call_errhandler(MPI_Session session, int errorcode)
{
	return call_for(ORR_SESSION, ERROR_SESSION, session, MPI_ERR_SESSION, errorcode,
	                "MPI_Session_call_errhandler");
}

int orr_Errhandler_free(MPI_Errhandler *errhandler)
{
	struct orr_errhandler *h = errhandler ? handler_of(*errhandler) : NULL;
	if (!h)
		return MPI_ERR_ERRHANDLER;
	if (!orr_is_predefined(
	        &h->o)) { /* predefined ones come out of MPI_Comm_get_errhandler, too */
		orr_handle_hide(h);
		orr_errhandler_drop(h);
	}
	*errhandler = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}
