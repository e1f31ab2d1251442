/* type_f90.c: types that Fortran asks for by precision and range, or by class and size. The same
 * request gives the same handle for ever (MPI 4.0, 19.1.9). Precisions and ranges are those of
 * gfortran's kinds: 4, 8, 10 and 16 bytes of reals, 1 to 16 of integers. */
#include "orr_mpi.h"
#include "type.h"

struct kind_of {
	int digits, range;
	MPI_Datatype real, complex;
};
/* PRECISION() and RANGE() of the kinds (gfortran; of IEEE formats by 3.4.2 of the Fortran
 * standard). Kind 10 has no name in Fortran's list, but long double is it. */
static const struct kind_of reals[] = {
    {6, 37, MPI_REAL, MPI_COMPLEX},
    {15, 307, MPI_DOUBLE_PRECISION, MPI_DOUBLE_COMPLEX},
    {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
    {33, 4931, MPI_REAL16, MPI_COMPLEX32},
};
static const struct {
	int range;
	MPI_Datatype type;
} integers[] = {{2, MPI_INTEGER1},
                {4, MPI_INTEGER2},
                {9, MPI_INTEGER},
                {18, MPI_INTEGER8},
                {38, MPI_INTEGER16}};

static struct orr_type *known(int combiner, MPI_Count p, MPI_Count r)
{
	for (struct orr_type *t = orr_local()->f90_types; t; t = t->next)
		if (t->c.combiner == combiner && t->c.ints[0] == p &&
		    (t->c.n_ints < 2 || t->c.ints[1] == r))
			return t;
	return NULL;
}

static int copy_of(struct orr_type *t, struct orr_type *of)
{
	t->size = of->size;
	t->ub = of->ub;
	t->true_ub = of->true_ub;
	t->align = of->align;
	t->base = t->basic = of->basic;
	t->committed = 1;
	t->f90 = of;
	t->map = of->map;
	return orr_type_plan(t) ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int f90(int combiner, MPI_Count p, MPI_Count r, MPI_Datatype of, MPI_Datatype *newtype)
{
	struct orr_type *t = known(combiner, p, r);
	if (!newtype || of == MPI_DATATYPE_NULL)
		return MPI_ERR_ARG;
	if (t) {
		*newtype = orr_handle(t);
		return MPI_SUCCESS;
	}
	int n = combiner == MPI_COMBINER_F90_INTEGER ? 1 : 2;
	t = orr_type_new(combiner);
	int code = t ? orr_contents_new(t, n, 0, 0) : MPI_ERR_NO_MEM;
	if (code)
		return orr_type_finish(t, code, newtype);
	t->c.ints[0] = p;
	if (n == 2)
		t->c.ints[1] = r;
	code = copy_of(t, orr_type_of(of));
	if (!code) {
		t->next = orr_local()->f90_types;
		orr_local()->f90_types = t;
	}
	return orr_type_finish(t, code, newtype);
}

/* The least kind that has p digits and range r; either may be undefined, not both. */
static const struct kind_of *real_kind(int p, int r)
{
	for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
		if ((p == MPI_UNDEFINED || p <= reals[i].digits) &&
		    (r == MPI_UNDEFINED || r <= reals[i].range))
			return p == MPI_UNDEFINED && r == MPI_UNDEFINED ? NULL : &reals[i];
	return NULL;
}

int orr_Type_create_f90_real(int p, int r, MPI_Datatype *newtype)
{
	const struct kind_of *k = real_kind(p, r);
	return f90(MPI_COMBINER_F90_REAL, p, r, k ? k->real : MPI_DATATYPE_NULL, newtype);
}

int orr_Type_create_f90_complex(int p, int r, MPI_Datatype *newtype)
{
	const struct kind_of *k = real_kind(p, r);
	return f90(MPI_COMBINER_F90_COMPLEX, p, r, k ? k->complex : MPI_DATATYPE_NULL, newtype);
}

int orr_Type_create_f90_integer(int r, MPI_Datatype *newtype)
{
	for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++)
		if (r <= integers[i].range)
			return f90(MPI_COMBINER_F90_INTEGER, r, 0, integers[i].type, newtype);
	return MPI_ERR_ARG;
}

static const struct {
	int class, size;
	MPI_Datatype type;
} sized[] = {
    {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
    {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
    {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
    {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
    {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
    {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
    {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
};

int orr_Type_match_size(int typeclass, int size, MPI_Datatype *datatype)
{
	for (size_t i = 0; i < sizeof sized / sizeof sized[0]; i++)
		if (sized[i].class == typeclass && sized[i].size == size) {
			*datatype = sized[i].type;
			return MPI_SUCCESS;
		}
	return MPI_ERR_ARG;
}
