/* front.h: what the library and a front tell each other.
 *
 * A front has the names, types and constants of one library's ABI; it translates arguments and
 * calls orr_*. Downwards go handles, constants and statuses of mpi_abi.h. Upwards:
 *
 * 1. Errors. orr_* return an error code and call no error handler. The front calls orr_error_raise,
 * so that the handler is called once, with the name of the function that the program called.
 * 2. Callbacks. A function that the program gives is of its own ABI and language: to orr_* it is a
 *    token, kept and never called, and called through front_call_*. Tokens with the values of the
 *    predefined callbacks (0 null, 1 duplicate) are these, and front_call_* knows them not.
 * 3. Arrays that orr_* are given, and strings, are the caller's for the time of the call alone,
 * also where the standard lets a non-blocking operation read them until it completes: the front may
 * have translated them.
 */
#ifndef ORRERY_LIBMPI_FRONT_H
#define ORRERY_LIBMPI_FRONT_H

#include "mpi_abi.h"

enum error_kind {
	ERROR_COMM,
	ERROR_WIN,
	ERROR_FILE,
	ERROR_SESSION,
	ERROR_REQUEST, /* of a call that has nothing but requests: the handle is NULL, and the
	                  handler that of the communicator whose operation failed */
	ERROR_NONE,    /* of a call without any of these: the handler of MPI_COMM_SELF */
};

enum attr_kind { ATTR_COMM, ATTR_TYPE, ATTR_WIN };

/* Calls the error handler of `handle`; returns what the function is to return (in orr_*'s codes).
 */
int orr_error_raise(enum error_kind kind, const void *handle, int code, const char *function);

/* After a constructor's large form: MPI_Type_get_envelope_c is to tell large counts. */
void orr_type_set_large(MPI_Datatype type);

/* MPICH's extension, MPIX_Grequest_start: the functions are tokens. */
typedef int front_poll_function(void *extra_state, MPI_Status *status);
struct front_general {
	MPI_Grequest_query_function *query;
	MPI_Grequest_free_function *free;
	MPI_Grequest_cancel_function *cancel;
	front_poll_function *poll;
};

/* A generalised request; `poll` (or NULL) is called whenever it is looked at or waited for. An
 * inactive one is a class of them: a like one with a state of its own is made of it. */
int orr_general_start(const struct front_general *g, int active, void *extra_state,
                      MPI_Request *request);
int orr_general_of_class(MPI_Request general, void *extra_state, MPI_Request *request);

/* ---- in the front ---- */

void front_call_op(MPI_User_function *token, void *in, void *inout, MPI_Count len,
                   MPI_Datatype type);
/* Both return an error code of orr_*. `token` is what reached orr_*_create_keyval. */
int front_call_copy_attr(enum attr_kind kind, void *token, const void *handle, int keyval,
                         void *extra_state, void *value_in, void *value_out, int *flag);
int front_call_delete_attr(enum attr_kind kind, void *token, const void *handle, int keyval,
                           void *value, void *extra_state);
/* Returns the code that the handler left for the function to return (MPI 4.0, 9.3.1). */
int front_call_errhandler(enum error_kind kind, void *token, const void *handle, int code,
                          const char *function);
/* The token of ORR_ERRORS_THROW; NULL: it returns the error, and what called for C++ throws. */
void *front_errors_throw(void);
int front_call_query(MPI_Grequest_query_function *token, void *extra_state, MPI_Status *status);
int front_call_free(MPI_Grequest_free_function *token, void *extra_state);
int front_call_cancel(MPI_Grequest_cancel_function *token, void *extra_state, int complete);
int front_call_poll(front_poll_function *token, void *extra_state);
int front_call_extent(MPI_Datarep_extent_function *token, MPI_Datatype type, MPI_Aint *extent,
                      void *extra_state);
int front_call_conversion(MPI_Datarep_conversion_function *token, void *userbuf, MPI_Datatype type,
                          MPI_Count count, void *filebuf, MPI_Offset position, void *extra_state);

/* From where the program calls: the return address, and the frame of the front's function; and
 * which function of MPI that is (a constant). */
void site_enter(const void *address, const void *frame, const char *call);

/* What MPI_Get_library_version begins with: the front's ABI. */
const char *front_name(void);

/* Ranks that share the library (held.c): a variable of the library's that the program has a copy
 * of, at so many bytes from the place of each rank; and that place, of the rank that runs. */
void front_moved(const void *own, uint64_t offset);
extern unsigned char *front_place;

#endif
