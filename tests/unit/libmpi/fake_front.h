/* fake_front.h: what the library needs of a front (front.h), where the program calls orr_*: its
 * callbacks are functions of C over the neutral interface. Include once per test program. */
#ifndef ORRERY_TESTS_LIBMPI_FAKE_FRONT_H
#define ORRERY_TESTS_LIBMPI_FAKE_FRONT_H

#include <stddef.h>

#include "front.h"

void front_call_op(MPI_User_function *token, void *in, void *inout, MPI_Count len,
                   MPI_Datatype type)
{
	int n = (int)len;
	token(in, inout, &n, &type);
}

int front_call_copy_attr(enum attr_kind kind, void *token, const void *handle, int keyval,
                         void *extra_state, void *value_in, void *value_out, int *flag)
{
	(void)kind;
	MPI_Comm_copy_attr_function *f = (MPI_Comm_copy_attr_function *)token;
	return f((MPI_Comm)(uintptr_t)handle, keyval, extra_state, value_in, value_out, flag);
}

int front_call_delete_attr(enum attr_kind kind, void *token, const void *handle, int keyval,
                           void *value, void *extra_state)
{
	(void)kind;
	MPI_Comm_delete_attr_function *f = (MPI_Comm_delete_attr_function *)token;
	return f((MPI_Comm)(uintptr_t)handle, keyval, value, extra_state);
}

int front_call_errhandler(enum error_kind kind, void *token, const void *handle, int code,
                          const char *function)
{
	(void)kind;
	MPI_Comm comm = (MPI_Comm)(uintptr_t)handle;
	MPI_Comm_errhandler_function *f = (MPI_Comm_errhandler_function *)token;
	f(&comm, &code, function);
	return code;
}

void *front_errors_throw(void)
{
	return NULL;
}

int front_call_query(MPI_Grequest_query_function *token, void *extra_state, MPI_Status *status)
{
	return token(extra_state, status);
}

int front_call_free(MPI_Grequest_free_function *token, void *extra_state)
{
	return token(extra_state);
}

int front_call_cancel(MPI_Grequest_cancel_function *token, void *extra_state, int complete)
{
	return token(extra_state, complete);
}

int front_call_extent(MPI_Datarep_extent_function *token, MPI_Datatype type, MPI_Aint *extent,
                      void *extra_state)
{
	return token(type, extent, extra_state);
}

int front_call_conversion(MPI_Datarep_conversion_function *token, void *userbuf, MPI_Datatype type,
                          MPI_Count count, void *filebuf, MPI_Offset position, void *extra_state)
{
	return token(userbuf, type, (int)count, filebuf, position, extra_state);
}

const char *front_name(void)
{
	return "test";
}

#endif
