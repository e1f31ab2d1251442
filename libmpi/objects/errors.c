/* errors.c: error classes, codes and their strings (MPI 4.0, 9.4 and 9.5). A predefined class is
 * its own code; those of the program count from MPI_ERR_LASTCODE + 1 on, classes and codes in one
 * row.
 */
#include "errors.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "errhandler.h"
#include "local.h"
#include "orr_mpi.h"

struct known {
	const char *name, *text;
};
#define CLASS(name, text) [name] = {#name, text}
static const struct known known[] = {
    CLASS(MPI_SUCCESS, "no error"),
    CLASS(MPI_ERR_BUFFER, "invalid buffer pointer"),
    CLASS(MPI_ERR_COUNT, "invalid count"),
    CLASS(MPI_ERR_TYPE, "invalid datatype"),
    CLASS(MPI_ERR_TAG, "invalid tag"),
    CLASS(MPI_ERR_COMM, "invalid communicator"),
    CLASS(MPI_ERR_RANK, "invalid rank"),
    CLASS(MPI_ERR_REQUEST, "invalid request"),
    CLASS(MPI_ERR_ROOT, "invalid root"),
    CLASS(MPI_ERR_GROUP, "invalid group"),
    CLASS(MPI_ERR_OP, "invalid operator, or not for this datatype"),
    CLASS(MPI_ERR_TOPOLOGY, "invalid topology"),
    CLASS(MPI_ERR_DIMS, "invalid dimensions"),
    CLASS(MPI_ERR_ARG, "invalid argument"),
    CLASS(MPI_ERR_UNKNOWN, "unknown error"),
    CLASS(MPI_ERR_TRUNCATE, "message or buffer truncated"),
    CLASS(MPI_ERR_OTHER, "other error"),
    CLASS(MPI_ERR_INTERN, "internal error"),
    CLASS(MPI_ERR_PENDING, "request not complete yet"),
    CLASS(MPI_ERR_IN_STATUS, "the error code is in the status"),
    CLASS(MPI_ERR_ACCESS, "permission denied"),
    CLASS(MPI_ERR_AMODE, "invalid access mode"),
    CLASS(MPI_ERR_ASSERT, "invalid assertion"),
    CLASS(MPI_ERR_BAD_FILE, "invalid file name"),
    CLASS(MPI_ERR_BASE, "invalid base address"),
    CLASS(MPI_ERR_CONVERSION, "error in a function that converts data"),
    CLASS(MPI_ERR_DISP, "invalid displacement"),
    CLASS(MPI_ERR_DUP_DATAREP, "data representation already registered"),
    CLASS(MPI_ERR_FILE_EXISTS, "file exists"),
    CLASS(MPI_ERR_FILE_IN_USE, "file in use"),
    CLASS(MPI_ERR_FILE, "invalid file handle"),
    CLASS(MPI_ERR_INFO_KEY, "invalid key of an info"),
    CLASS(MPI_ERR_INFO_NOKEY, "no such key in the info"),
    CLASS(MPI_ERR_INFO_VALUE, "invalid value of an info"),
    CLASS(MPI_ERR_INFO, "invalid info"),
    CLASS(MPI_ERR_IO, "input or output error"),
    CLASS(MPI_ERR_KEYVAL, "invalid keyval"),
    CLASS(MPI_ERR_LOCKTYPE, "invalid type of lock"),
    CLASS(MPI_ERR_NAME, "service name not published"),
    CLASS(MPI_ERR_NO_MEM, "out of memory"),
    CLASS(MPI_ERR_NOT_SAME, "not the same argument on all processes"),
    CLASS(MPI_ERR_NO_SPACE, "no space left"),
    CLASS(MPI_ERR_NO_SUCH_FILE, "no such file"),
    CLASS(MPI_ERR_PORT, "invalid port"),
    CLASS(MPI_ERR_QUOTA, "quota exceeded"),
    CLASS(MPI_ERR_READ_ONLY, "read-only file or file system"),
    CLASS(MPI_ERR_RMA_ATTACH, "memory cannot be attached"),
    CLASS(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    CLASS(MPI_ERR_RMA_RANGE, "target memory is not part of the window"),
    CLASS(MPI_ERR_RMA_SHARED, "memory cannot be shared"),
    CLASS(MPI_ERR_RMA_SYNC, "wrong synchronisation of a window"),
    CLASS(MPI_ERR_SERVICE, "service name cannot be unpublished"),
    CLASS(MPI_ERR_SIZE, "invalid size"),
    CLASS(MPI_ERR_SPAWN, "processes cannot be spawned"),
    CLASS(MPI_ERR_UNSUPPORTED_DATAREP, "data representation not supported"),
    CLASS(MPI_ERR_UNSUPPORTED_OPERATION, "operation not supported"),
    CLASS(MPI_ERR_WIN, "invalid window"),
    CLASS(MPI_ERR_RMA_FLAVOR, "wrong flavour of window"),
    CLASS(MPI_ERR_PROC_ABORTED, "a process has aborted"),
    CLASS(MPI_ERR_VALUE_TOO_LARGE, "value too large for the argument that returns it"),
    CLASS(MPI_ERR_SESSION, "invalid session"),
    CLASS(MPI_ERR_ERRHANDLER, "invalid error handler"),
    CLASS(MPI_ERR_ABI, "not in this binary interface"),
};
#undef CLASS
#define TOOL(name, text) [(name)-MPI_T_ERR_CANNOT_INIT] = {#name, text}
static const struct known tools[] = {
    TOOL(MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialised"),
    TOOL(MPI_T_ERR_NOT_ACCESSIBLE, "not accessible"),
    TOOL(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialised"),
    TOOL(MPI_T_ERR_NOT_SUPPORTED, "not supported by the tool interface"),
    TOOL(MPI_T_ERR_MEMORY, "out of memory"),
    TOOL(MPI_T_ERR_INVALID, "invalid use of the tool interface"),
    TOOL(MPI_T_ERR_INVALID_INDEX, "no such index"),
    TOOL(MPI_T_ERR_INVALID_ITEM, "no such item"),
    TOOL(MPI_T_ERR_INVALID_SESSION, "invalid session of performance variables"),
    TOOL(MPI_T_ERR_INVALID_HANDLE, "invalid handle of the tool interface"),
    TOOL(MPI_T_ERR_INVALID_NAME, "no such name"),
    TOOL(MPI_T_ERR_OUT_OF_HANDLES, "no more handles"),
    TOOL(MPI_T_ERR_OUT_OF_SESSIONS, "no more sessions"),
    TOOL(MPI_T_ERR_CVAR_SET_NOT_NOW, "control variable cannot be set now"),
    TOOL(MPI_T_ERR_CVAR_SET_NEVER, "control variable cannot be set"),
    TOOL(MPI_T_ERR_PVAR_NO_WRITE, "performance variable cannot be written"),
    TOOL(MPI_T_ERR_PVAR_NO_STARTSTOP, "performance variable cannot be started or stopped"),
    TOOL(MPI_T_ERR_PVAR_NO_ATOMIC, "performance variable cannot be read and reset at once"),
};
#undef TOOL

enum { REMOVED = -1, ITSELF = -2 };
struct added {
	int class;  /* its class; of a class: itself; REMOVED */
	int codes;  /* of a class: how many codes it has besides itself */
	char *text; /* NULL: none given */
};
struct orr_errors {
	int last;
	int n, room;
	struct added *added;
};

static const struct known *known_find(int code)
{
	if (code >= 0 && code < (int)(sizeof known / sizeof known[0]) && known[code].name)
		return &known[code];
	int tool = code - MPI_T_ERR_CANNOT_INIT;
	if (tool >= 0 && tool < (int)(sizeof tools / sizeof tools[0]) && tools[tool].name)
		return &tools[tool];
	return NULL;
}

static struct added *added_find(int code)
{
	const struct orr_errors *e = orr_local()->errors;
	int i = code - MPI_ERR_LASTCODE - 1;
	return e && i >= 0 && i < e->n && e->added[i].class != REMOVED ? &e->added[i] : NULL;
}

/* A sentence's part: "invalid rank". */
static const char *orr_error_text(int code)
{
	const struct known *k = known_find(code);
	const struct added *a = added_find(code);
	if (k)
		return k->text;
	return a && a->text ? a->text : "";
}

const int *orr_error_last(void)
{
	return &orr_local()->errors->last;
}

int orr_error_codes_start(void)
{
	struct orr_errors *e = calloc(1, sizeof *e);
	if (!e)
		return MPI_ERR_NO_MEM;
	e->last = MPI_ERR_LASTCODE;
	orr_local()->errors = e;
	return MPI_SUCCESS;
}

void orr_errors_end(void)
{
	struct orr_errors *e = orr_local()->errors;
	if (!e)
		return;
	for (int i = 0; i < e->n; i++)
		free(e->added[i].text);
	free(e->added);
	free(e);
	orr_local()->errors = NULL;
}

/* --- the functions of MPI --- */

static int add(int class, int *code)
{
	struct orr_errors *e = orr_local()->errors;
	struct added *of;
	if (e->n == e->room) {
		int room = e->room < 16 ? 16 : e->room + e->room / 2;
		struct added *more = room < INT_MAX / 2 - MPI_ERR_LASTCODE
		                         ? realloc(e->added, (size_t)room * sizeof *more)
		                         : NULL;
		if (!more)
			return MPI_ERR_NO_MEM;
		e->added = more;
		e->room = room;
	}
	*code = MPI_ERR_LASTCODE + 1 + e->n;
	e->added[e->n++] = (struct added){.class = class == ITSELF ? *code : class};
	of = class == ITSELF ? NULL : added_find(class);
	if (of)
		of->codes++;
	e->last = *code;
	return MPI_SUCCESS;
}

int orr_Add_error_class(int *errorclass)
{
	return errorclass ? add(ITSELF, errorclass) : MPI_ERR_ARG;
}

int orr_Add_error_code(int errorclass, int *errorcode)
{
	const struct added *a = added_find(errorclass);
	if (!errorcode || !(known_find(errorclass) || (a && a->class == errorclass)))
		return MPI_ERR_ARG;
	return add(errorclass, errorcode);
}

int orr_Add_error_string(int errorcode, const char *string)
{
	struct added *a = added_find(errorcode);
	if (!a || !string)
		return MPI_ERR_ARG;
	char *copy = strndup(string, MPI_MAX_ERROR_STRING - 1);
	if (!copy)
		return MPI_ERR_NO_MEM;
	free(a->text);
	a->text = copy;
	return MPI_SUCCESS;
}

/* MPI 4.1, 9.5: what the program has added may be removed, if nothing depends on it; its number is
 * not used again. */
static int remove_added(int code, int is_class)
{
	struct added *a = added_find(code);
	struct added *of = a && !is_class ? added_find(a->class) : NULL;
	if (!a || (a->class == code) != is_class)
		return MPI_ERR_ARG;
	if (a->codes || a->text)
		return MPI_ERR_OTHER;
	if (of)
		of->codes--;
	a->class = REMOVED;
	return MPI_SUCCESS;
}

int orr_Remove_error_class(int errorclass)
{
	return remove_added(errorclass, 1);
}

int orr_Remove_error_code(int errorcode)
{
	return remove_added(errorcode, 0);
}

int orr_Remove_error_string(int errorcode)
{
	struct added *a = added_find(errorcode);
	if (!a)
		return MPI_ERR_ARG;
	free(a->text);
	a->text = NULL;
	return MPI_SUCCESS;
}

int orr_Error_class(int errorcode, int *errorclass)
{
	const struct added *a = added_find(errorcode);
	if (!a && !known_find(errorcode))
		return MPI_ERR_ARG;
	*errorclass = a ? a->class : errorcode;
	return MPI_SUCCESS;
}

static size_t append(char *to, size_t at, const char *text)
{
	size_t n = strnlen(text, MPI_MAX_ERROR_STRING - 1 - at);
	memcpy(to + at, text, n);
	to[at + n] = 0;
	return at + n;
}

int orr_Error_string(int errorcode, char *string, int *resultlen)
{
	const struct known *k = known_find(errorcode);
	if (!k && !added_find(errorcode))
		return MPI_ERR_ARG;
	size_t n = 0;
	if (k) {
		n = append(string, n, k->name);
		n = append(string, n, ": ");
	}
	*resultlen = (int)append(string, n, orr_error_text(errorcode));
	return MPI_SUCCESS;
}
