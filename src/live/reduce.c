/* reduce.c: the predefined operators (MPI 4.0, 6.9.2). One loop per operator and type, made by a
 * few macros: each is a function whose loop the compiler can vectorise, although operands may lie
 * anywhere (memcpy of a known size is a load). Integers wrap: they are computed without sign. */
#include "reduce.h"

#include <complex.h>
#include <string.h>
#include <wchar.h>

static const uint8_t sizes[BASIC_COUNT] = {
    [BASIC_BYTE] = 1,
    [BASIC_PACKED] = 1,
    [BASIC_CHAR] = 1,
    [BASIC_INT8] = 1,
    [BASIC_INT16] = 2,
    [BASIC_INT32] = 4,
    [BASIC_INT64] = 8,
    [BASIC_LONG] = 8,
    [BASIC_INT128] = 16,
    [BASIC_UINT8] = 1,
    [BASIC_UINT16] = 2,
    [BASIC_UINT32] = 4,
    [BASIC_UINT64] = 8,
    [BASIC_ULONG] = 8,
    [BASIC_FLOAT16] = 2,
    [BASIC_FLOAT] = 4,
    [BASIC_DOUBLE] = 8,
    [BASIC_LONG_DOUBLE] = sizeof(long double),
    [BASIC_FLOAT128] = 16,
    [BASIC_COMPLEX32] = 4,
    [BASIC_COMPLEX] = 8,
    [BASIC_DOUBLE_COMPLEX] = 16,
    [BASIC_LONG_DOUBLE_COMPLEX] = sizeof(long double complex),
    [BASIC_COMPLEX256] = 32,
    [BASIC_BOOL] = 1,
    [BASIC_LOGICAL8] = 1,
    [BASIC_LOGICAL16] = 2,
    [BASIC_LOGICAL32] = 4,
    [BASIC_LOGICAL64] = 8,
    [BASIC_LOGICAL128] = 16,
    [BASIC_WCHAR] = sizeof(wchar_t),
    [BASIC_FLOAT_INT] = 8,
    [BASIC_DOUBLE_INT] = 12,
    [BASIC_LONG_INT] = 12,
    [BASIC_2INT] = 8,
    [BASIC_SHORT_INT] = 6,
    [BASIC_LONG_DOUBLE_INT] = sizeof(long double) + 4,
    [BASIC_2FLOAT] = 8,
    [BASIC_2DOUBLE] = 16,
    [BASIC_2COMPLEX] = 16,
    [BASIC_2DOUBLE_COMPLEX] = 32,
};

size_t reduce_basic_size(uint32_t basic)
{
	return basic < BASIC_COUNT ? sizes[basic] : 0;
}

typedef void kernel(const unsigned char *in, unsigned char *inout, int64_t n);

/* a is of the operand that comes first, b of the one that holds the result. */
#define KERNEL(name, type, expression) \
	static void name(const unsigned char *in, unsigned char *inout, int64_t n) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			type a, b; \
			memcpy(&a, in + (size_t)i * sizeof a, sizeof a); \
			memcpy(&b, inout + (size_t)i * sizeof b, sizeof b); \
			b = (type)(expression); \
			memcpy(inout + (size_t)i * sizeof b, &b, sizeof b); \
		} \
	}

/* wide: unsigned, at least as wide as the type and as unsigned: arithmetic wraps in it. */
#define INTEGER_KERNELS(name, type, wide) \
	KERNEL(sum_##name, type, (wide)a + (wide)b) \
	KERNEL(prod_##name, type, (wide)a *(wide)b) \
	KERNEL(min_##name, type, a < b ? a : b) \
	KERNEL(max_##name, type, a > b ? a : b) \
	KERNEL(band_##name, type, a &b) \
	KERNEL(bor_##name, type, a | b) \
	KERNEL(bxor_##name, type, a ^ b) \
	LOGICAL_KERNELS(name, type)

#define LOGICAL_KERNELS(name, type) \
	KERNEL(land_##name, type, a &&b) \
	KERNEL(lor_##name, type, a || b) \
	KERNEL(lxor_##name, type, (a != 0) != (b != 0))

#define REAL_KERNELS(name, type) \
	KERNEL(sum_##name, type, a + b) \
	KERNEL(prod_##name, type, a *b) \
	KERNEL(min_##name, type, a < b ? a : b) \
	KERNEL(max_##name, type, a > b ? a : b) \
	LOGICAL_KERNELS(name, type)

#define COMPLEX_KERNELS(name, type) \
	KERNEL(sum_##name, type, a + b) \
	KERNEL(prod_##name, type, a *b)

/* The lesser index where the values are equal. */
#define PAIR_KERNEL(name, type, index, before) \
	static void name(const unsigned char *in, unsigned char *inout, int64_t n) \
	{ \
		enum { SIZE = sizeof(type) + sizeof(index) }; \
		for (int64_t k = 0; k < n; k++, in += SIZE, inout += SIZE) { \
			type a, b; \
			index i, j; \
			memcpy(&a, in, sizeof a); \
			memcpy(&b, inout, sizeof b); \
			memcpy(&i, in + sizeof a, sizeof i); \
			memcpy(&j, inout + sizeof b, sizeof j); \
			if (a before b || (a == b && i < j)) \
				memcpy(inout, in, SIZE); \
		} \
	}
#define PAIR_KERNELS(name, type, index) \
	PAIR_KERNEL(minloc_##name, type, index, <) \
	PAIR_KERNEL(maxloc_##name, type, index, >)

INTEGER_KERNELS(int8, int8_t, uint32_t)
INTEGER_KERNELS(int16, int16_t, uint32_t)
INTEGER_KERNELS(int32, int32_t, uint32_t)
INTEGER_KERNELS(int64, int64_t, uint64_t)
INTEGER_KERNELS(uint8, uint8_t, uint32_t)
INTEGER_KERNELS(uint16, uint16_t, uint32_t)
INTEGER_KERNELS(uint32, uint32_t, uint32_t)
INTEGER_KERNELS(uint64, uint64_t, uint64_t)
REAL_KERNELS(float, float)
REAL_KERNELS(double, double)
REAL_KERNELS(long_double, long double)
COMPLEX_KERNELS(complex, float complex)
COMPLEX_KERNELS(double_complex, double complex)
COMPLEX_KERNELS(long_double_complex, long double complex)
PAIR_KERNELS(float_int, float, int32_t)
PAIR_KERNELS(double_int, double, int32_t)
PAIR_KERNELS(long_int, int64_t, int32_t)
PAIR_KERNELS(2int, int32_t, int32_t)
PAIR_KERNELS(short_int, int16_t, int32_t)
PAIR_KERNELS(long_double_int, long double, int32_t)
PAIR_KERNELS(2float, float, float)
PAIR_KERNELS(2double, double, double)

/* Text and bytes are none by the standard; Open MPI reduces both, MPICH text. */
#define INTEGERS(op) \
	[BASIC_BYTE] = op##_uint8, [BASIC_CHAR] = op##_int8, [BASIC_INT8] = op##_int8, \
	[BASIC_INT16] = op##_int16, [BASIC_INT32] = op##_int32, [BASIC_INT64] = op##_int64, \
	[BASIC_LONG] = op##_int64, [BASIC_UINT8] = op##_uint8, [BASIC_UINT16] = op##_uint16, \
	[BASIC_UINT32] = op##_uint32, [BASIC_UINT64] = op##_uint64, [BASIC_ULONG] = op##_uint64

/* Where the compiler has these formats. */
#ifdef __FLT16_MAX__
REAL_KERNELS(float16, _Float16)
#define FLOAT16(op) [BASIC_FLOAT16] = op##_float16,
#else
#define FLOAT16(op)
#endif
#if ORR_QUAD
REAL_KERNELS(float128, quad)
/* (a + ib) op (c + id), without the library of complex numbers of 16-byte reals. */
struct quad_pair {
	quad re, im;
};
static struct quad_pair quad_sum(struct quad_pair a, struct quad_pair b)
{
	return (struct quad_pair){a.re + b.re, a.im + b.im};
}
static struct quad_pair quad_prod(struct quad_pair a, struct quad_pair b)
{
	return (struct quad_pair){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
#define QUAD_KERNEL(op) \
	static void op##_complex256(const unsigned char *in, unsigned char *inout, int64_t n) \
	{ \
		for (int64_t i = 0; i < n; i++) { \
			struct quad_pair a, b; \
			memcpy(&a, in + (size_t)i * sizeof a, sizeof a); \
			memcpy(&b, inout + (size_t)i * sizeof b, sizeof b); \
			b = quad_##op(a, b); \
			memcpy(inout + (size_t)i * sizeof b, &b, sizeof b); \
		} \
	}
QUAD_KERNEL(sum)
QUAD_KERNEL(prod)
#define FLOAT128(op) [BASIC_FLOAT128] = op##_float128,
#define COMPLEX256(op) [BASIC_COMPLEX256] = op##_complex256,
#else
#define FLOAT128(op)
#define COMPLEX256(op)
#endif

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 wide_uint;
INTEGER_KERNELS(int128, wide_int, wide_uint)
#define INT128(op) [BASIC_INT128] = op##_int128,
#define LOGICAL128(op) [BASIC_LOGICAL128] = op##_int128,
#else
#define INT128(op)
#define LOGICAL128(op)
#endif

#define REALS(op) \
	FLOAT16(op) \
	FLOAT128(op) \
	[BASIC_FLOAT] = op##_float, [BASIC_DOUBLE] = op##_double, \
	[BASIC_LONG_DOUBLE] = op##_long_double
#define COMPLEXES(op) \
	COMPLEX256(op) \
	[BASIC_COMPLEX] = op##_complex, [BASIC_DOUBLE_COMPLEX] = op##_double_complex, \
	[BASIC_LONG_DOUBLE_COMPLEX] = op##_long_double_complex
#define LOGICALS(op) \
	LOGICAL128(op) \
	[BASIC_BOOL] = op##_uint8, [BASIC_LOGICAL8] = op##_uint8, [BASIC_LOGICAL16] = op##_uint16, \
	[BASIC_LOGICAL32] = op##_uint32, [BASIC_LOGICAL64] = op##_uint64
#define PAIRS(op) \
	[BASIC_FLOAT_INT] = op##_float_int, [BASIC_DOUBLE_INT] = op##_double_int, \
	[BASIC_LONG_INT] = op##_long_int, [BASIC_2INT] = op##_2int, \
	[BASIC_SHORT_INT] = op##_short_int, [BASIC_LONG_DOUBLE_INT] = op##_long_double_int, \
	[BASIC_2FLOAT] = op##_2float, [BASIC_2DOUBLE] = op##_2double

static kernel *const kernels[][BASIC_COUNT] = {
    [REDUCE_SUM - REDUCE_FIRST] = {INT128(sum) INTEGERS(sum), REALS(sum), COMPLEXES(sum)},
    [REDUCE_MIN - REDUCE_FIRST] = {INT128(min) INTEGERS(min), REALS(min)},
    [REDUCE_MAX - REDUCE_FIRST] = {INT128(max) INTEGERS(max), REALS(max)},
    [REDUCE_PROD - REDUCE_FIRST] = {INT128(prod) INTEGERS(prod), REALS(prod), COMPLEXES(prod)},
    [REDUCE_BAND - REDUCE_FIRST] = {INT128(band) INTEGERS(band)},
    [REDUCE_BOR - REDUCE_FIRST] = {INT128(bor) INTEGERS(bor)},
    [REDUCE_BXOR - REDUCE_FIRST] = {INT128(bxor) INTEGERS(bxor)},
    [REDUCE_LAND - REDUCE_FIRST] = {INT128(land) INTEGERS(land), REALS(land), LOGICALS(land)},
    [REDUCE_LOR - REDUCE_FIRST] = {INT128(lor) INTEGERS(lor), REALS(lor), LOGICALS(lor)},
    [REDUCE_LXOR - REDUCE_FIRST] = {INT128(lxor) INTEGERS(lxor), REALS(lxor), LOGICALS(lxor)},
    [REDUCE_MINLOC - REDUCE_FIRST] = {PAIRS(minloc)},
    [REDUCE_MAXLOC - REDUCE_FIRST] = {PAIRS(maxloc)},
};

static kernel *kernel_of(uint32_t op, uint32_t basic)
{
	uint32_t row = op - REDUCE_FIRST;
	if (row >= sizeof kernels / sizeof kernels[0] || basic >= BASIC_COUNT)
		return NULL;
	return kernels[row][basic];
}

int reduce_is_defined(uint32_t op, uint32_t basic)
{
	if (op == REDUCE_REPLACE || op == REDUCE_NO_OP)
		return basic != BASIC_NONE && basic < BASIC_COUNT;
	return kernel_of(op, basic) != NULL;
}

const char *reduce_op_name(uint32_t op)
{
	static const char *const names[] = {
	    [REDUCE_SUM] = "MPI_SUM",         [REDUCE_MIN] = "MPI_MIN",
	    [REDUCE_MAX] = "MPI_MAX",         [REDUCE_PROD] = "MPI_PROD",
	    [REDUCE_BAND] = "MPI_BAND",       [REDUCE_BOR] = "MPI_BOR",
	    [REDUCE_BXOR] = "MPI_BXOR",       [REDUCE_LAND] = "MPI_LAND",
	    [REDUCE_LOR] = "MPI_LOR",         [REDUCE_LXOR] = "MPI_LXOR",
	    [REDUCE_MINLOC] = "MPI_MINLOC",   [REDUCE_MAXLOC] = "MPI_MAXLOC",
	    [REDUCE_REPLACE] = "MPI_REPLACE", [REDUCE_NO_OP] = "MPI_NO_OP"};

	return op < sizeof names / sizeof *names ? names[op] : NULL;
}

int reduce_apply(uint32_t op, uint32_t basic, const void *in, void *inout, int64_t n)
{
	if (!reduce_is_defined(op, basic))
		return -1;
	if (op == REDUCE_REPLACE)
		memcpy(inout, in, (size_t)n * sizes[basic]);
	else if (op != REDUCE_NO_OP)
		kernel_of(op, basic)(in, inout, n);
	return 0;
}
