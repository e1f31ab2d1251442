/* prop_ops.c: every predefined operator on every basic type, on random values and the extreme ones,
 * at addresses of no alignment, beside plain arithmetic: of integers in 128 bits, cut to their
 * width, as two's complement wraps; of reals and complex numbers on small whole numbers, which all
 * formats hold, so that results are exact. What is defined on what: MPI 4.0, 6.9.2. */
#include "../prop.h"

#include "base/rng.h"
#include "live/reduce.h"

#include <complex.h>

enum { ROUNDS = 60, N_MAX = 40, ROOM = 64 * N_MAX };
__extension__ typedef __int128 wide;

enum kind { NOTHING, INTEGER, REAL, COMPLEX, LOGICAL, PAIR };
struct format {
	enum orr_basic basic;
	enum kind kind;
	int bytes, is_signed;
};
/* Bytes and text as Open MPI 4.1.4 does. The rest (PACKED, WCHAR, pairs of complex numbers) is not
 * reduced. */
static const struct format formats[] = {
    {BASIC_BYTE, INTEGER, 1, 0},
    {BASIC_CHAR, INTEGER, 1, 1},
    {BASIC_INT8, INTEGER, 1, 1},
    {BASIC_INT16, INTEGER, 2, 1},
    {BASIC_INT32, INTEGER, 4, 1},
    {BASIC_INT64, INTEGER, 8, 1},
    {BASIC_LONG, INTEGER, 8, 1},
    {BASIC_INT128, INTEGER, 16, 1},
    {BASIC_UINT8, INTEGER, 1, 0},
    {BASIC_UINT16, INTEGER, 2, 0},
    {BASIC_UINT32, INTEGER, 4, 0},
    {BASIC_UINT64, INTEGER, 8, 0},
    {BASIC_ULONG, INTEGER, 8, 0},
#ifdef __FLT16_MAX__ /* as the compiler has it */
    {BASIC_FLOAT16, REAL, 2, 0},
#endif
    {BASIC_FLOAT, REAL, 4, 0},
    {BASIC_DOUBLE, REAL, 8, 0},
    {BASIC_LONG_DOUBLE, REAL, sizeof(long double), 0},
    {BASIC_FLOAT128, REAL, 16, 1},
    {BASIC_COMPLEX, COMPLEX, 8, 0},
    {BASIC_DOUBLE_COMPLEX, COMPLEX, 16, 0},
    {BASIC_LONG_DOUBLE_COMPLEX, COMPLEX, 2 * sizeof(long double), 0},
    {BASIC_COMPLEX256, COMPLEX, 32, 1},
    {BASIC_BOOL, LOGICAL, 1, 0},
    {BASIC_LOGICAL8, LOGICAL, 1, 0},
    {BASIC_LOGICAL16, LOGICAL, 2, 0},
    {BASIC_LOGICAL32, LOGICAL, 4, 0},
    {BASIC_LOGICAL64, LOGICAL, 8, 0},
    {BASIC_LOGICAL128, LOGICAL, 16, 0},
    {BASIC_FLOAT_INT, PAIR, 8, 0},
    {BASIC_DOUBLE_INT, PAIR, 12, 0},
    {BASIC_LONG_INT, PAIR, 12, 0},
    {BASIC_2INT, PAIR, 8, 0},
    {BASIC_SHORT_INT, PAIR, 6, 0},
    {BASIC_LONG_DOUBLE_INT, PAIR, sizeof(long double) + 4, 0},
    {BASIC_2FLOAT, PAIR, 8, 0},
    {BASIC_2DOUBLE, PAIR, 16, 0},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static const uint32_t ops[] = {REDUCE_SUM,  REDUCE_MIN,  REDUCE_MAX,    REDUCE_PROD,
                               REDUCE_BAND, REDUCE_BOR,  REDUCE_BXOR,   REDUCE_LAND,
                               REDUCE_LOR,  REDUCE_LXOR, REDUCE_MINLOC, REDUCE_MAXLOC};
enum { OPS = sizeof ops / sizeof *ops };

/* 6.9.2; that real numbers are true or false beside is C's, and no program minds. */
static int defined(uint32_t op, enum kind k)
{
	switch (op) {
	case REDUCE_SUM:
	case REDUCE_PROD:
		return k == INTEGER || k == REAL || k == COMPLEX;
	case REDUCE_MIN:
	case REDUCE_MAX:
		return k == INTEGER || k == REAL;
	case REDUCE_BAND:
	case REDUCE_BOR:
	case REDUCE_BXOR:
		return k == INTEGER;
	case REDUCE_MINLOC:
	case REDUCE_MAXLOC:
		return k == PAIR;
	default:
		return k == INTEGER || k == LOGICAL || k == REAL;
	}
}

static void what_is_defined(void **state)
{
	(void)state;
	for (uint32_t b = 0; b < BASIC_COUNT + 3; b++) {
		enum kind k = NOTHING;

		for (int i = 0; i < FORMATS; i++) {
			k = formats[i].basic == b ? formats[i].kind : k;
			if (formats[i].basic == b)
				assert_int_equal(reduce_basic_size(b), formats[i].bytes);
		}
		if (b == BASIC_COMPLEX32) /* as the compiler has it */
			continue;
		for (int o = 0; o < OPS; o++)
			if (reduce_is_defined(ops[o], b) != defined(ops[o], k))
				fail_msg("operator %#x on basic %u", ops[o], b);
		assert_int_equal(reduce_is_defined(REDUCE_REPLACE, b), b > 0 && b < BASIC_COUNT);
	}
	assert_int_equal(reduce_is_defined(0, BASIC_INT32), 0);
	assert_int_equal(reduce_is_defined(REDUCE_NO_OP + 1, BASIC_INT32), 0);
	assert_int_equal(reduce_apply(REDUCE_MIN, BASIC_COMPLEX, NULL, NULL, 1), -1);
}

/* --- integers --- */

static wide integer_load(const struct format *f, const unsigned char *at)
{
	wide v = 0;

	memcpy(&v, at, (size_t)f->bytes); /* little-endian */
	if (f->is_signed && f->bytes < 16 && v >> (8 * f->bytes - 1) & 1)
		v -= (wide)1 << (8 * f->bytes);
	return v;
}

static wide integer_op(uint32_t op, wide a, wide b)
{
	__extension__ typedef unsigned __int128 modular;

	switch (op) {
	case REDUCE_SUM:
		return (wide)((modular)a + (modular)b);
	case REDUCE_PROD:
		return (wide)((modular)a * (modular)b);
	case REDUCE_MIN:
		return a < b ? a : b;
	case REDUCE_MAX:
		return a < b ? b : a;
	case REDUCE_BAND:
		return a & b;
	case REDUCE_BOR:
		return a | b;
	case REDUCE_BXOR:
		return a ^ b;
	case REDUCE_LAND:
		return a != 0 && b != 0;
	case REDUCE_LOR:
		return a != 0 || b != 0;
	default:
		return (a != 0) != (b != 0);
	}
}

static void bytes_draw(struct rng *r, unsigned char *at, int bytes)
{
	uint64_t shape = rng_below(r, 4);

	for (int i = 0; i < bytes; i++)
		at[i] = shape == 0 ? 0 : shape == 1 ? 0xff : (unsigned char)rng_u64(r);
	if (rng_below(r, 4) == 0)
		at[bytes - 1] ^= 0x80; /* the least and the greatest */
}

static void integers(struct rng *r, uint32_t op, const struct format *f)
{
	unsigned char in[ROOM], inout[ROOM], before[ROOM];
	int n = (int)rng_below(r, N_MAX), at = (int)rng_below(r, 3);

	for (int i = 0; i < n; i++) {
		bytes_draw(r, in + at + i * f->bytes, f->bytes);
		bytes_draw(r, inout + at + i * f->bytes, f->bytes);
	}
	memset(inout + at + n * f->bytes, 0xa5, 8);
	memcpy(before, inout, sizeof before);
	assert_int_equal(reduce_apply(op, f->basic, in + at, inout + at, n), 0);
	for (int i = 0; i < n; i++) {
		int where = at + i * f->bytes;
		wide c = integer_op(op, integer_load(f, in + where),
		                    integer_load(f, before + where));

		if (memcmp(&c, inout + where, (size_t)f->bytes) != 0)
			fail_msg("operator %#x on basic %u, element %d of %d", op, f->basic, i, n);
	}
	assert_memory_equal(inout + at + n * f->bytes, before + at + n * f->bytes, 8);
}

/* --- reals, complex numbers and pairs, of small whole numbers --- */

static void real_store(int basic, unsigned char *at, int x)
{
#define STORE(which, type) \
	case which: { \
		type v = (type)x; \
		memcpy(at, &v, sizeof v); \
		return; \
	}
	switch (basic) {
#ifdef __FLT16_MAX__
		STORE(BASIC_FLOAT16, _Float16)
#endif
		STORE(BASIC_FLOAT, float)
		STORE(BASIC_DOUBLE, double)
		STORE(BASIC_LONG_DOUBLE, long double)
		STORE(BASIC_FLOAT128, __float128)
		STORE(BASIC_INT16, int16_t)
		STORE(BASIC_INT32, int32_t)
		STORE(BASIC_INT64, int64_t)
	}
	fail_msg("no number of basic %d", basic);
}

/* The same number, whatever is in the padding of a long double; 0 may be -0. */
static int real_is(int basic, const unsigned char *at, int x)
{
	unsigned char expected[16], got[16];
	size_t n = reduce_basic_size((uint32_t)basic);

	n = basic == BASIC_LONG_DOUBLE && n > 10 ? 10 : n;
	real_store(basic, expected, x);
	memcpy(got, at, n);
	got[n - 1] &= x ? 0xff : 0x7f;
	return memcmp(got, expected, n) == 0;
}

/* What two numbers, or parts, are of: first and second half of an element. */
static void halves(const struct format *f, int *first, int *second)
{
	static const int pair[][3] = {
	    {BASIC_FLOAT_INT, BASIC_FLOAT, BASIC_INT32},
	    {BASIC_DOUBLE_INT, BASIC_DOUBLE, BASIC_INT32},
	    {BASIC_LONG_INT, BASIC_INT64, BASIC_INT32},
	    {BASIC_2INT, BASIC_INT32, BASIC_INT32},
	    {BASIC_SHORT_INT, BASIC_INT16, BASIC_INT32},
	    {BASIC_LONG_DOUBLE_INT, BASIC_LONG_DOUBLE, BASIC_INT32},
	    {BASIC_2FLOAT, BASIC_FLOAT, BASIC_FLOAT},
	    {BASIC_2DOUBLE, BASIC_DOUBLE, BASIC_DOUBLE},
	    {BASIC_COMPLEX, BASIC_FLOAT, BASIC_FLOAT},
	    {BASIC_DOUBLE_COMPLEX, BASIC_DOUBLE, BASIC_DOUBLE},
	    {BASIC_LONG_DOUBLE_COMPLEX, BASIC_LONG_DOUBLE, BASIC_LONG_DOUBLE},
	    {BASIC_COMPLEX256, BASIC_FLOAT128, BASIC_FLOAT128}};

	*first = (int)f->basic, *second = 0;
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
		if (pair[i][0] == (int)f->basic)
			*first = pair[i][1], *second = pair[i][2];
}

/* (a, x) op (b, y): x and y are 0 in what has one part only. */
static void parts_op(uint32_t op, enum kind k, const int *in, const int *inout, int *out)
{
	int a = in[0], x = in[1], b = inout[0], y = inout[1], first;

	if (k == PAIR) { /* the better value; of equal ones the lesser place */
		first = op == REDUCE_MINLOC ? a < b : a > b;
		first = first || (a == b && x < y);
		out[0] = first ? a : b, out[1] = first ? x : y;
	} else if (op == REDUCE_PROD) {
		out[0] = a * b - x * y, out[1] = a * y + x * b;
	} else {
		out[0] = (int)integer_op(op, a, b), out[1] = x + y;
	}
}

static void parts(struct rng *r, uint32_t op, const struct format *f)
{
	unsigned char in[ROOM], inout[ROOM];
	int v[2][N_MAX][2], first, second, n = (int)rng_below(r, N_MAX), at = (int)rng_below(r, 3);

	halves(f, &first, &second);
	memset(in, 0, sizeof in);
	memset(inout, 0, sizeof inout);
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < n; i++) {
			unsigned char *to = (k ? inout : in) + at + i * f->bytes;

			v[k][i][0] = (int)rng_below(r, 9) - 4;
			v[k][i][1] = second ? (int)rng_below(r, 9) - 4 : 0;
			real_store(first, to, v[k][i][0]);
			if (second)
				real_store(second, to + reduce_basic_size((uint32_t)first),
				           v[k][i][1]);
		}
	assert_int_equal(reduce_apply(op, f->basic, in + at, inout + at, n), 0);
	for (int i = 0; i < n; i++) {
		const unsigned char *got = inout + at + i * f->bytes;
		int c[2];

		parts_op(op, f->kind, v[0][i], v[1][i], c);
		if (!real_is(first, got, c[0]) ||
		    (second && !real_is(second, got + reduce_basic_size((uint32_t)first), c[1])))
			fail_msg("operator %#x on basic %u: (%d, %d) and (%d, %d)", op, f->basic,
			         v[0][i][0], v[0][i][1], v[1][i][0], v[1][i][1]);
	}
}

static void arithmetic(void **state)
{
	struct rng r;

	(void)state;
	rng_init(&r, prop_seed(1), "ops", 0);
	for (int round = 0; round < ROUNDS; round++)
		for (int o = 0; o < OPS; o++)
			for (int i = 0; i < FORMATS; i++) {
				const struct format *f = &formats[i];

				if (!reduce_is_defined(ops[o], f->basic))
					continue;
				if (f->kind == INTEGER || f->kind == LOGICAL)
					integers(&r, ops[o], f);
				else
					parts(&r, ops[o], f);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_defined),
	                                   cmocka_unit_test(arithmetic)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
