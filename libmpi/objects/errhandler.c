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
	                                            MPI_ERRORS_RETURN, ORR_ERRORS_THROW};
	for (int i = 0; i < 4; i++) {
		struct orr_errhandler *h = orr_object_new(ORR_ERRHANDLER, sizeof *h);
		if (!h)
			return MPI_ERR_NO_MEM;
		if (predefined[i] == ORR_ERRORS_THROW)
			h->token = front_errors_throw();
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

void orr_error_of(const struct orr_object *comm, int code)
{
	struct orr_local *l = orr_local();

	if (l->failed.handler)
		orr_errhandler_drop(l->failed.handler);
	l->failed.code = comm ? code : MPI_SUCCESS;
	l->failed.handler = comm && comm->handler ? orr_object_keep(comm->handler) : NULL;
	l->failed.comm = comm ? orr_handle(comm) : NULL;
	snprintf(l->failed.name, sizeof l->failed.name, "%s", comm && comm->name ? comm->name : "");
}

/* name: of the object, or NULL where nothing is known of whose error it is: the one that its
 * handler belongs to says nothing of the call. */
static _Noreturn void fatal(const char *name, int code, const char *function)
{
	char text[2048], string[MPI_MAX_ERROR_STRING] = "unknown error code";
	const struct orr_local *l = orr_local();
	int n, noted = l->note.code == code, named = name && *name;
	(void)orr_Error_string(code, string, &n);
	snprintf(text, sizeof text, "%s: error %d: %s%s%s%s%s%s", function, code, string,
	         noted ? ": " : "", noted ? l->note.text : "", named ? " (on " : "",
	         named ? name : "", named ? ")" : "");
	orr_core_abort(text, code);
}

/* What the function is to return. */
static int call(struct orr_errhandler *h, const void *handle, const char *name,
                enum error_kind kind, int code, const char *function)
{
	if (!h)
		too_early(code, function);
	else if (h->token)
		return front_call_errhandler(kind, h->token, handle, code, function);
	else if (h != handler_of(MPI_ERRORS_RETURN) && h != handler_of(ORR_ERRORS_THROW))
		fatal(name, code, function);
	return code;
}

static int call_of(const struct orr_object *o, int is_its, enum error_kind kind, int code,
                   const char *function)
{
	const enum orr_kind of = kind_of(kind);

	return call(handler_in_force(o, of), o ? orr_handle(o) : orr_handle_null(of),
	            o && is_its ? o->name : NULL, kind, code, function);
}

/* Of a request that failed: its communicator's handler. Of several the handler hears of the one
 * that failed, the caller that there is one. */
static int failed_raise(int code, const char *function)
{
	struct orr_local *l = orr_local();
	struct orr_errhandler *h = l->failed.handler ? l->failed.handler
	                                             : handler_of(MPI_ERRORS_ARE_FATAL);
	int left = call(h, l->failed.comm, l->failed.name, ERROR_COMM, l->failed.code, function);

	return code == MPI_ERR_IN_STATUS ? code : left;
}

int orr_error_raise(enum error_kind kind, const void *handle, int code, const char *function)
{
	struct orr_local *l = orr_local();
	const struct orr_object *o = NULL;

	if (code == MPI_SUCCESS)
		return code;
	if (kind == ERROR_REQUEST && l->failed.code != MPI_SUCCESS &&
	    (code == l->failed.code || code == MPI_ERR_IN_STATUS)) {
		code = failed_raise(code, function);
	} else {
		if (kind != ERROR_NONE && kind != ERROR_REQUEST)
			o = orr_object(kind_of(kind), handle);
		const int is_its = o != NULL;
		if (!o && kind != ERROR_FILE) {
			kind = ERROR_COMM;
			o = nobody();
		}
		code = call_of(o, is_its, kind, code, function);
	}
	l->note.code = MPI_SUCCESS;
	orr_error_of(NULL, MPI_SUCCESS);
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
	call_of(o, 1, error_kind, code, function);
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
