/* front_int.h: what the generated functions of a front and the hand-written ones beside them use.
 *
 * FRONT_NATIVE names the header of the library whose ABI this is: it defines the types N_Comm,
 * N_Status, … and, for each of them, in_Comm (from the program) and out_Comm (to it); in_<kind>,
 * out_<kind> for the kinds of integers (data/mpi_calls.def); in_buffer, in_weights, ignored.
 */
#ifndef ORRERY_LIBMPI_FRONT_INT_H
#define ORRERY_LIBMPI_FRONT_INT_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "orr_mpi.h"
#include "status.h"

#define FRONT __attribute__((visibility("default")))
#define UNUSED __attribute__((unused))
/* A tool may define MPI_X and call PMPI_X. */
#define SITE_ENTER \
	site_enter(__builtin_return_address(0), __builtin_dwarf_cfa(), __func__ + sizeof "P" - 1)
#define ALIAS(name) FRONT __typeof__(P##name) name __attribute__((weak, alias("P" #name)));

/* The functions MPI_…out and MPI_…in between a handle and an integer; their bodies are expressions
 * of `handle`. */
#define CONVERSIONS(handle_type, integer_type, out, in, to_integer, to_handle) \
	FRONT integer_type PMPI_##out(handle_type handle); \
	integer_type PMPI_##out(handle_type handle) \
	{ \
		return to_integer; \
	} \
	ALIAS(MPI_##out) \
	FRONT handle_type PMPI_##in(integer_type handle); \
	handle_type PMPI_##in(integer_type handle) \
	{ \
		return to_handle; \
	} \
	ALIAS(MPI_##in)

/* An array of the length n, on the stack if it is short. */
#define TEMP(type, name, n) \
	type small_##name[TEMP_SMALL]; \
	type *name = (n) > TEMP_SMALL ? temp_new((size_t)(n) * sizeof(type)) : small_##name
#define TEMP_FREE(name) \
	do { \
		if (name != small_##name) \
			free(name); \
	} while (0)
#define TEMP_SMALL 16

void *temp_new(size_t size);

/* Values that no operation writes: what of a status is still so was not touched. */
#define STATUS_UNTOUCHED (-77777)
#define UNTOUCHED \
	{ \
		.MPI_ERROR = STATUS_UNTOUCHED, .MPI_internal[4] = STATUS_UNTOUCHED \
	}

static inline int text_beyond(const char *text, size_t most)
{
	return text && strnlen(text, most + 1) > most;
}

/* A large count as an int: MPI_UNDEFINED where it is too large (MPI 4.0, section 3.2.5). */
static inline int narrow(MPI_Count value)
{
	return value > INT_MAX || value < INT_MIN ? MPI_UNDEFINED : (int)value;
}

/* Codes that callbacks return and the library does not know come back as they were. */
#define ERROR_UNKNOWN 0x2000000

struct known {
	uintptr_t neutral;
	int native;
};

#include FRONT_NATIVE

#define untouched(status) ((void)(status), (MPI_Status)UNTOUCHED)

static inline int in_error(int code)
{
	if (code >= N_ERR_LASTCODE)
		return code - N_ERR_LASTCODE + MPI_ERR_LASTCODE;
	return in_class(code);
}

static inline int out_error(int code)
{
	if (code >= ERROR_UNKNOWN / 2)
		return code - ERROR_UNKNOWN;
	if (code >= MPI_ERR_LASTCODE)
		return code - MPI_ERR_LASTCODE + N_ERR_LASTCODE;
	return out_class(code);
}

static inline MPI_Offset in_displacement(MPI_Offset disp)
{
	return disp == N_DISPLACEMENT_CURRENT ? MPI_DISPLACEMENT_CURRENT : disp;
}

#define out_displacement(disp) (disp)

/* Calls the error handler; the code to return, the program's own. */
int front_raise(enum error_kind kind, const void *handle, int code, const char *function);

/* How long arrays are that are told by the communicator; 0 where it is not valid. */
MPI_Count front_peers(MPI_Comm comm);
MPI_Count front_local(MPI_Comm comm);
MPI_Count front_indegree(MPI_Comm comm);
MPI_Count front_outdegree(MPI_Comm comm);
MPI_Count front_ndims(MPI_Comm comm);
int front_is_root(MPI_Comm comm, int root);
MPI_Count front_sum(int n, const int values[]);
MPI_Count front_last(int n, const int values[]);

/* The library's string into the program's, which has room for `size` bytes; *length as it is then.
 */
void string_copy(char *to, size_t size, const char *from, int *length);

/* ---- callbacks (callbacks.c) ---- */

enum language {
	LANGUAGE_C,
	LANGUAGE_C_LARGE,
	LANGUAGE_FORTRAN,
	LANGUAGE_PROXY,
	LANGUAGE_CXX,  /* attributes of communicators, by Open MPI's C++ library */
	LANGUAGE_JAVA, /* operators, by Open MPI's library for Java */
};

/* What a token points to. In Fortran, and under MPICH's helpers for Fortran and C++, somebody else
 * calls the program's function: proxy. */
struct callback {
	void *function;
	enum language language;
	void *proxy;
};

void *token_make(void *function, enum language language);

static inline void *token_User_function(void *f)
{
	return token_make(f, LANGUAGE_C);
}
static inline void *token_User_function_c(void *f)
{
	return token_make(f, LANGUAGE_C_LARGE);
}
static inline void *token_Datarep_conversion_function_c(void *f)
{
	return f ? token_make(f, LANGUAGE_C_LARGE) : NULL;
}

/* Functions with predefined values: null and, of copies, duplicate. */
static inline void *token_plain(void *f)
{
	return f ? token_make(f, LANGUAGE_C) : NULL;
}
/* What this thread's last MPI_Comm_create_keyval or the like was given; NULL: a predefined one. */
extern _Thread_local struct callback *token_of_copy, *token_of_delete;

static inline void *token_copy(void *f)
{
	token_of_copy = NULL;
	if (is_dup_function(f))
		return (void *)MPI_COMM_DUP_FN;
	if (is_null_function(f))
		return NULL;
	token_of_copy = token_make(f, LANGUAGE_C);
	return token_of_copy;
}
static inline void *token_delete(void *f)
{
	token_of_delete = is_null_function(f) ? NULL : token_make(f, LANGUAGE_C);
	return token_of_delete;
}
#define token_Copy_function token_copy
#define token_Comm_copy_attr_function token_copy
#define token_Type_copy_attr_function token_copy
#define token_Win_copy_attr_function token_copy
#define token_Delete_function token_delete
#define token_Comm_delete_attr_function token_delete
#define token_Type_delete_attr_function token_delete
#define token_Win_delete_attr_function token_delete
static inline void *token_Datarep_conversion_function(void *f)
{
	return is_null_function(f) ? NULL : token_make(f, LANGUAGE_C);
}
#define token_Datarep_extent_function token_plain
#define token_Comm_errhandler_function token_plain
#define token_File_errhandler_function token_plain
#define token_Win_errhandler_function token_plain
#define token_Session_errhandler_function token_plain
#define token_Grequest_query_function token_plain
#define token_Grequest_free_function token_plain
#define token_Grequest_cancel_function token_plain

/* Attributes that Fortran sets are integers; C is given their address. A cell holds one. */
void *cell_new(intptr_t value);
int cell_is(const void *value);

/* ---- attributes (special.c): what MPI_Comm_get_attr and the like give, of any language ---- */
int attr_get(enum attr_kind kind, const void *handle, int keyval, void **value, int *flag);
int attr_set(enum attr_kind kind, const void *handle, int keyval, void *value);

#endif
