/* type.c: MPI's predefined datatypes under SimGrid's numbers, with their sizes on x86-64.
 * Source: the id list of SimGrid 3.20 to 4.1, src/smpi/mpi/smpi_datatype.cpp. There MPI_INTEGER1 is
 * an int and MPI_COMPLEX32 two doubles; the table says what that replayer takes, so that one trace
 * gives the same volumes in both. Where a traced MPI differs, the trace says so (dtsize=). */
#include "trace_int.h"

#include <string.h>

struct type {
	const char *name;
	int64_t size;
};

static const struct type types[TYPES] = {
    {"MPI_DOUBLE", 8},
    {"MPI_INT", 4},
    {"MPI_CHAR", 1},
    {"MPI_SHORT", 2},
    {"MPI_LONG", 8},
    {"MPI_FLOAT", 4},
    {"MPI_BYTE", 1},
    {"MPI_LONG_LONG", 8},
    {"MPI_SIGNED_CHAR", 1},
    {"MPI_UNSIGNED_CHAR", 1},
    {"MPI_UNSIGNED_SHORT", 2},
    {"MPI_UNSIGNED", 4},
    {"MPI_UNSIGNED_LONG", 8},
    {"MPI_UNSIGNED_LONG_LONG", 8},
    {"MPI_LONG_DOUBLE", 16},
    {"MPI_WCHAR", 4},
    {"MPI_C_BOOL", 1},
    {"MPI_INT8_T", 1},
    {"MPI_INT16_T", 2},
    {"MPI_INT32_T", 4},
    {"MPI_INT64_T", 8},
    {"MPI_UINT8_T", 1},
    {"MPI_UINT16_T", 2},
    {"MPI_UINT32_T", 4},
    {"MPI_UINT64_T", 8},
    {"MPI_C_FLOAT_COMPLEX", 8},
    {"MPI_C_DOUBLE_COMPLEX", 16},
    {"MPI_C_LONG_DOUBLE_COMPLEX", 32},
    {"MPI_AINT", 8},
    {"MPI_OFFSET", 8},
    {"MPI_FLOAT_INT", 8},
    {"MPI_LONG_INT", 16},
    {"MPI_DOUBLE_INT", 16},
    {"MPI_SHORT_INT", 8},
    {"MPI_2INT", 8},
    {"MPI_2FLOAT", 8},
    {"MPI_2DOUBLE", 16},
    {"MPI_2LONG", 16},
    {"MPI_REAL", 4},
    {"MPI_REAL4", 4},
    {"MPI_REAL8", 8},
    {"MPI_REAL16", 16},
    {"MPI_COMPLEX8", 8},
    {"MPI_COMPLEX16", 16},
    {"MPI_COMPLEX32", 16},
    {"MPI_INTEGER1", 4},
    {"MPI_INTEGER2", 2},
    {"MPI_INTEGER4", 4},
    {"MPI_INTEGER8", 8},
    {"MPI_INTEGER16", 16},
    {"MPI_LONG_DOUBLE_INT", 32},
    {"MPI_CXX_BOOL", 1},
    {"MPI_CXX_FLOAT_COMPLEX", 8},
    {"MPI_CXX_DOUBLE_COMPLEX", 16},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", 32},
    {"MPI_UB", 0},
    {"MPI_LB", 0},
    {"MPI_PACKED", 1},
    {"MPI_PTR", 8},
    {"MPI_COUNT", 8},
};

int64_t trace_type_size(int32_t type)
{
	return type >= 0 && type < TYPES ? types[type].size : -1;
}

int32_t trace_type_find(const char *name)
{
	for (int32_t i = 0; i < TYPES; i++)
		if (strcmp(types[i].name, name) == 0)
			return i;
	return -1;
}
