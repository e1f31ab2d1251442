/* reduce.h: basic elements of datatypes, and the predefined operators on them. Simulator and ranks
 * share it: collectives reduce in the simulator, everything else in the rank.
 *
 * Operands are packed: elements one after another, pairs without gaps, at any address.
 */
#ifndef ORRERY_LIVE_REDUCE_H
#define ORRERY_LIVE_REDUCE_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

/* IEEE's format of 16 bytes: long double itself on AArch64, another type where that is x87's of 80
 * bits. ORR_QUAD: the compiler has it. */
#if LDBL_MANT_DIG == 113
typedef long double quad;
#define ORR_QUAD 1
#elif defined __SIZEOF_FLOAT128__
typedef __float128 quad;
#define ORR_QUAD 1
#else
typedef long double quad;
#define ORR_QUAD 0
#endif

enum orr_basic {
	BASIC_NONE,
	BASIC_BYTE,
	BASIC_PACKED,
	BASIC_CHAR, /* text */
	BASIC_INT8,
	BASIC_INT16,
	BASIC_INT32,
	BASIC_INT64,
	BASIC_LONG, /* as INT64, but for external32 */
	BASIC_INT128,
	BASIC_UINT8,
	BASIC_UINT16,
	BASIC_UINT32,
	BASIC_UINT64,
	BASIC_ULONG,
	BASIC_FLOAT16,
	BASIC_FLOAT,
	BASIC_DOUBLE,
	BASIC_LONG_DOUBLE,
	BASIC_FLOAT128,
	BASIC_COMPLEX32, /* of two FLOAT16 */
	BASIC_COMPLEX,
	BASIC_DOUBLE_COMPLEX,
	BASIC_LONG_DOUBLE_COMPLEX,
	BASIC_COMPLEX256, /* of two FLOAT128 */
	BASIC_BOOL,
	BASIC_LOGICAL8,
	BASIC_LOGICAL16,
	BASIC_LOGICAL32,
	BASIC_LOGICAL64,
	BASIC_LOGICAL128,
	BASIC_WCHAR,
	BASIC_FLOAT_INT, /* pairs: only of reductions, in maps they are two leaves */
	BASIC_DOUBLE_INT,
	BASIC_LONG_INT,
	BASIC_2INT,
	BASIC_SHORT_INT,
	BASIC_LONG_DOUBLE_INT,
	BASIC_2FLOAT,
	BASIC_2DOUBLE,
	BASIC_2COMPLEX,
	BASIC_2DOUBLE_COMPLEX,
	BASIC_COUNT
};
/* Bytes of a packed element. */
size_t reduce_basic_size(uint32_t basic);

/* The operators, with the numbers that mpi_abi.h gives them. */
enum reduce_op {
	REDUCE_FIRST = 0x20, /* none */
	REDUCE_SUM,
	REDUCE_MIN,
	REDUCE_MAX,
	REDUCE_PROD,
	REDUCE_BAND = 0x28,
	REDUCE_BOR,
	REDUCE_BXOR,
	REDUCE_LAND = 0x30,
	REDUCE_LOR,
	REDUCE_LXOR,
	REDUCE_MINLOC = 0x38,
	REDUCE_MAXLOC,
	REDUCE_REPLACE = 0x3c,
	REDUCE_NO_OP
};
/* inout[i] = in[i] op inout[i] for n elements. -1, and nothing is done: the operator is not defined
 * on this type. */
int reduce_apply(uint32_t op, uint32_t basic, const void *in, void *inout, int64_t n);
int reduce_is_defined(uint32_t op, uint32_t basic);
/* "MPI_SUM", always at the same address; NULL: no such operator. */
const char *reduce_op_name(uint32_t op);

#endif
