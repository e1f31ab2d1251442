/* type_basic.c: the predefined datatypes of C, C++ and Fortran. Sizes are those of x86-64's ABI for
 * programs of gcc and gfortran, taken from the compiler where C has the type. */
#include <string.h>

#include "front.h"
#include "local.h"
#include "orr_mpi.h"
#include "type.h"

struct pair_double_int {
	double a;
	int b;
};
struct pair_long_int {
	long a;
	int b;
};
struct pair_short_int {
	short a;
	int b;
};
struct pair_long_double_int {
	long double a;
	int b;
};

struct predefined {
	MPI_Datatype handle;
	const char *name;
	uint8_t basic, align;
};
#define TYPE(name, basic, align) \
	{ \
		name, #name, basic, align \
	}

static const struct predefined simple[] = {
    TYPE(MPI_AINT, BASIC_INT64, 8),
    TYPE(MPI_COUNT, BASIC_INT64, 8),
    TYPE(MPI_OFFSET, BASIC_INT64, 8),
    TYPE(MPI_PACKED, BASIC_PACKED, 1),
    TYPE(MPI_SHORT, BASIC_INT16, 2),
    TYPE(MPI_INT, BASIC_INT32, 4),
    TYPE(MPI_LONG, BASIC_LONG, 8),
    {MPI_LONG_LONG, "MPI_LONG_LONG_INT", BASIC_INT64, 8},
    TYPE(MPI_UNSIGNED_SHORT, BASIC_UINT16, 2),
    TYPE(MPI_UNSIGNED, BASIC_UINT32, 4),
    TYPE(MPI_UNSIGNED_LONG, BASIC_ULONG, 8),
    TYPE(MPI_UNSIGNED_LONG_LONG, BASIC_UINT64, 8),
    TYPE(MPI_FLOAT, BASIC_FLOAT, 4),
    {MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX", BASIC_COMPLEX, 4},
    TYPE(MPI_CXX_FLOAT_COMPLEX, BASIC_COMPLEX, 4),
    TYPE(MPI_DOUBLE, BASIC_DOUBLE, 8),
    TYPE(MPI_C_DOUBLE_COMPLEX, BASIC_DOUBLE_COMPLEX, 8),
    TYPE(MPI_CXX_DOUBLE_COMPLEX, BASIC_DOUBLE_COMPLEX, 8),
    TYPE(MPI_LOGICAL, BASIC_LOGICAL32, 4),
    TYPE(MPI_INTEGER, BASIC_INT32, 4),
    TYPE(MPI_REAL, BASIC_FLOAT, 4),
    TYPE(MPI_COMPLEX, BASIC_COMPLEX, 4),
    TYPE(MPI_DOUBLE_PRECISION, BASIC_DOUBLE, 8),
    TYPE(MPI_DOUBLE_COMPLEX, BASIC_DOUBLE_COMPLEX, 8),
    TYPE(MPI_CHARACTER, BASIC_CHAR, 1),
    TYPE(MPI_LONG_DOUBLE, BASIC_LONG_DOUBLE, 16),
    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, BASIC_LONG_DOUBLE_COMPLEX, 16),
    TYPE(MPI_CXX_LONG_DOUBLE_COMPLEX, BASIC_LONG_DOUBLE_COMPLEX, 16),
    TYPE(MPI_C_BOOL, BASIC_BOOL, 1),
    TYPE(MPI_CXX_BOOL, BASIC_BOOL, 1),
    TYPE(MPI_WCHAR, BASIC_WCHAR, 4),
    TYPE(MPI_INT8_T, BASIC_INT8, 1),
    TYPE(MPI_UINT8_T, BASIC_UINT8, 1),
    TYPE(MPI_CHAR, BASIC_INT8, 1),
    TYPE(MPI_SIGNED_CHAR, BASIC_INT8, 1),
    TYPE(MPI_UNSIGNED_CHAR, BASIC_UINT8, 1),
    TYPE(MPI_BYTE, BASIC_BYTE, 1),
    TYPE(MPI_INT16_T, BASIC_INT16, 2),
    TYPE(MPI_UINT16_T, BASIC_UINT16, 2),
    TYPE(MPI_INT32_T, BASIC_INT32, 4),
    TYPE(MPI_UINT32_T, BASIC_UINT32, 4),
    TYPE(MPI_INT64_T, BASIC_INT64, 8),
    TYPE(MPI_UINT64_T, BASIC_UINT64, 8),
    TYPE(MPI_LOGICAL1, BASIC_LOGICAL8, 1),
    TYPE(MPI_INTEGER1, BASIC_INT8, 1),
    TYPE(MPI_LOGICAL2, BASIC_LOGICAL16, 2),
    TYPE(MPI_INTEGER2, BASIC_INT16, 2),
    TYPE(MPI_REAL2, BASIC_FLOAT16, 2),
    TYPE(MPI_LOGICAL4, BASIC_LOGICAL32, 4),
    TYPE(MPI_INTEGER4, BASIC_INT32, 4),
    TYPE(MPI_REAL4, BASIC_FLOAT, 4),
    TYPE(MPI_COMPLEX4, BASIC_COMPLEX32, 2),
    TYPE(MPI_LOGICAL8, BASIC_LOGICAL64, 8),
    TYPE(MPI_INTEGER8, BASIC_INT64, 8),
    TYPE(MPI_REAL8, BASIC_DOUBLE, 8),
    TYPE(MPI_COMPLEX8, BASIC_COMPLEX, 4),
    TYPE(MPI_LOGICAL16, BASIC_LOGICAL128, 16),
    TYPE(MPI_INTEGER16, BASIC_INT128, 16),
    TYPE(MPI_REAL16, BASIC_FLOAT128, 16),
    TYPE(MPI_COMPLEX16, BASIC_DOUBLE_COMPLEX, 8),
    TYPE(MPI_COMPLEX32, BASIC_COMPLEX256, 16),
    {ORR_FLOAT16, "MPIX_C_FLOAT16", BASIC_FLOAT16, 2},
};

struct predefined_pair {
	MPI_Datatype handle;
	const char *name;
	uint8_t basic, first, second;
	uint8_t offset, extent;
};
static const struct predefined_pair pairs[] = {
    {MPI_FLOAT_INT, "MPI_FLOAT_INT", BASIC_FLOAT_INT, BASIC_FLOAT, BASIC_INT32, 4, 8},
    {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", BASIC_DOUBLE_INT, BASIC_DOUBLE, BASIC_INT32,
     offsetof(struct pair_double_int, b), sizeof(struct pair_double_int)},
    {MPI_LONG_INT, "MPI_LONG_INT", BASIC_LONG_INT, BASIC_LONG, BASIC_INT32,
     offsetof(struct pair_long_int, b), sizeof(struct pair_long_int)},
    {MPI_2INT, "MPI_2INT", BASIC_2INT, BASIC_INT32, BASIC_INT32, 4, 8},
    {MPI_SHORT_INT, "MPI_SHORT_INT", BASIC_SHORT_INT, BASIC_INT16, BASIC_INT32,
     offsetof(struct pair_short_int, b), sizeof(struct pair_short_int)},
    {MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", BASIC_LONG_DOUBLE_INT, BASIC_LONG_DOUBLE,
     BASIC_INT32, offsetof(struct pair_long_double_int, b), sizeof(struct pair_long_double_int)},
    {MPI_2REAL, "MPI_2REAL", BASIC_2FLOAT, BASIC_FLOAT, BASIC_FLOAT, 4, 8},
    {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", BASIC_2DOUBLE, BASIC_DOUBLE, BASIC_DOUBLE, 8,
     16},
    {MPI_2INTEGER, "MPI_2INTEGER", BASIC_2INT, BASIC_INT32, BASIC_INT32, 4, 8},
    {ORR_2COMPLEX, "MPI_2COMPLEX", BASIC_2COMPLEX, BASIC_COMPLEX, BASIC_COMPLEX, 8, 16},
    {ORR_2DOUBLE_COMPLEX, "MPI_2DOUBLE_COMPLEX", BASIC_2DOUBLE_COMPLEX, BASIC_DOUBLE_COMPLEX,
     BASIC_DOUBLE_COMPLEX, 16, 32},
};

static struct orr_type *named(MPI_Datatype handle, const char *name, enum orr_basic basic)
{
	struct orr_type *t = orr_type_new(MPI_COMBINER_NAMED);
	if (!t || orr_name_set(&t->o, name))
		return NULL;
	t->basic = t->base = (uint8_t)basic;
	t->committed = 1;
	orr_predefine((uint32_t)(uintptr_t)handle, t);
	return t;
}

static int simple_make(const struct predefined *p)
{
	struct orr_type *t = named(p->handle, p->name, p->basic);
	if (!t)
		return MPI_ERR_NO_MEM;
	t->size = t->ub = t->true_ub = (int64_t)orr_basic_size(p->basic);
	t->align = p->align;
	t->map = orr_node_leaf(t, p->basic, 1);
	return t->map && orr_type_plan(t) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int pair_make(const struct predefined_pair *p)
{
	struct orr_type *t = named(p->handle, p->name, p->basic);
	struct orr_entry *e = t ? orr_type_own(t, 2 * sizeof *e) : NULL;
	if (!e)
		return MPI_ERR_NO_MEM;
	t->size = (int64_t)orr_basic_size(p->first) + (int64_t)orr_basic_size(p->second);
	t->ub = p->extent;
	t->true_ub = p->offset + (int64_t)orr_basic_size(p->second);
	t->align = p->extent - p->offset;
	e[0] = (struct orr_entry){.node = orr_node_leaf(t, p->first, 1)};
	e[1] = (struct orr_entry){.disp = p->offset, .node = orr_node_leaf(t, p->second, 1)};
	t->map = e[0].node && e[1].node ? orr_node_list(t, e, 2) : NULL;
	return t->map && orr_type_plan(t) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* The marks of MPI 1: they have a place and no extent. */
static int mark_make(MPI_Datatype handle, const char *name, int lower)
{
	struct orr_type *t = named(handle, name, BASIC_NONE);
	if (!t)
		return MPI_ERR_NO_MEM;
	t->lb_set = lower != 0;
	t->ub_set = lower == 0;
	t->align = 1;
	t->map = orr_node_list(t, NULL, 0);
	return t->map && orr_type_plan(t) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int orr_types_start(void)
{
	orr_local()->as_mpich = strncmp(front_name(), "MPICH", 5) == 0;
	orr_local()->as_openmpi = strncmp(front_name(), "Open MPI", 8) == 0;
	for (size_t i = 0; i < sizeof simple / sizeof simple[0]; i++)
		if (simple_make(&simple[i]))
			return MPI_ERR_NO_MEM;
	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
		if (pair_make(&pairs[i]))
			return MPI_ERR_NO_MEM;
	return mark_make(ORR_LB, "MPI_LB", 1) || mark_make(ORR_UB, "MPI_UB", 0) ? MPI_ERR_NO_MEM
	                                                                        : MPI_SUCCESS;
}

/* MPI_Type_get_value_index (MPI 4.1, 6.9.4): the pairs that have a name. */
static const struct {
	MPI_Datatype value, index, pair;
} named_pairs[] = {
    {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
    {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
    {MPI_LONG, MPI_INT, MPI_LONG_INT},
    {MPI_INT, MPI_INT, MPI_2INT},
    {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
    {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
    {MPI_REAL, MPI_REAL, MPI_2REAL},
    {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
    {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
};

int orr_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type,
                             MPI_Datatype *pair_type)
{
	if (!orr_type_of(value_type) || !orr_type_of(index_type))
		return MPI_ERR_TYPE;
	*pair_type = MPI_DATATYPE_NULL;
	for (size_t i = 0; i < sizeof named_pairs / sizeof named_pairs[0]; i++)
		if (named_pairs[i].value == value_type && named_pairs[i].index == index_type)
			*pair_type = named_pairs[i].pair;
	return MPI_SUCCESS;
}
