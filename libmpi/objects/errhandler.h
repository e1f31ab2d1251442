/* errhandler.h: error handlers; codes, classes and strings of errors. What raises them is
 * orr_error_raise (front.h). */
#ifndef ORRERY_LIBMPI_ERRHANDLER_H
#define ORRERY_LIBMPI_ERRHANDLER_H

#include "object.h"

/* What was given and what would have been right, for the message of the error that the function
 * called is about to return: returns the code. Told if it is raised next, else forgotten. */
__attribute__((format(printf, 2, 3))) int orr_error_note(int code, const char *fmt, ...);
/* Whose request failed, and how: the error of the call that completes it is raised on that
 * communicator (MPI 4.0, 9.3.1). Told if it is raised next, else forgotten; the first of a call
 * counts. NULL: nobody's so far. */
void orr_error_of(const struct orr_object *comm, int code);
/* The last error code in use: MPI_LASTUSEDCODE points to it. */
const int *orr_error_last(void);
/* The handler of one object becomes that of another, too (NULL: the default one). */
void orr_errhandler_share(const struct orr_object *from, struct orr_object *to);
/* Sets the handler of an object of this kind, for functions that are given one (sessions). */
int orr_errhandler_put(struct orr_object *o, enum orr_kind kind, MPI_Errhandler errhandler);

#endif
