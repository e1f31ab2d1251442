/* Datatypes: extents, sizes, packing, contents, elements. Expected values are worked by hand from
 * the standard's definitions (MPI 4.0, 5.1). */
#include "fake.h"

#include "objects/type.h"

static void extents(MPI_Datatype t, MPI_Count size, MPI_Count lb, MPI_Count extent,
                    MPI_Count true_lb, MPI_Count true_extent)
{
	MPI_Count a, b, c, d, e;
	OK(orr_Type_size(t, &a));
	OK(orr_Type_get_extent(t, &b, &c));
	OK(orr_Type_get_true_extent(t, &d, &e));
	assert_int_equal(a, size);
	assert_int_equal(b, lb);
	assert_int_equal(c, extent);
	assert_int_equal(d, true_lb);
	assert_int_equal(e, true_extent);
}

/* Packing gives the bytes at these displacements, in order, from any position to any other; and
 * unpacking puts them back. Memory: byte i holds i. */
static void packs(MPI_Datatype datatype, int count, const unsigned char *expected, int n)
{
	struct orr_type *t = orr_type_of(datatype);
	unsigned char memory[256], got[256], back[256];
	for (int i = 0; i < 256; i++)
		memory[i] = (unsigned char)i;
	OK(orr_Type_commit(&datatype));
	assert_int_equal(t->size * count, n);
	for (int from = 0; from <= n; from++)
		for (int to = from; to <= n; to++) {
			assert_int_equal(orr_pack(memory, count, t, from, to, got), to - from);
			assert_memory_equal(got, expected + from, (size_t)(to - from));
		}
	memset(back, 255, sizeof back);
	for (int at = 0; at < n; at += 3) /* in pieces */
		orr_unpack(back, count, t, at, at + 3 < n ? at + 3 : n, expected + at);
	for (int i = 0; i < n; i++)
		assert_int_equal(back[expected[i]], expected[i]);
}

static void test_vector(void **state)
{
	(void)state;
	MPI_Datatype t;
	OK(orr_Type_vector(2, 2, 3, MPI_SHORT, &t));
	extents(t, 8, 0, 10, 0, 10);
	packs(t, 2, (const unsigned char[]){0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19},
	      16);
	OK(orr_Type_free(&t));
	assert_ptr_equal(t, MPI_DATATYPE_NULL);
	OK(orr_Type_vector(2, 1, -3, MPI_SHORT, &t)); /* backwards: lb = -6 */
	extents(t, 4, -6, 8, -6, 8);
	OK(orr_Type_free(&t));
	OK(orr_Type_vector(3, 2, 2, MPI_SHORT, &t)); /* no gaps: one run */
	assert_int_equal(orr_type_plan(orr_type_of(t))->op, NODE_LEAF);
	OK(orr_Type_free(&t));
	assert_int_equal(orr_Type_vector(-1, 2, 2, MPI_SHORT, &t), MPI_ERR_COUNT);
	assert_int_equal(orr_Type_vector(1, 2, 2, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
}

/* MPI 4.0, example 5.1 and 5.2: {(double, 0), (char, 8)} has extent 16. */
static void test_struct(void **state)
{
	(void)state;
	MPI_Datatype t, v;
	OK(orr_Type_create_struct(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 8},
	                          (MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &t));
	extents(t, 9, 0, 16, 0, 9);
	OK(orr_Type_contiguous(3, t, &v));
	extents(v, 27, 0, 48, 0, 41);
	OK(orr_Type_free(&t)); /* v goes on */
	unsigned char expected[27];
	for (int i = 0; i < 27; i++)
		expected[i] = (unsigned char)(i / 9 * 16 + i % 9);
	packs(v, 1, expected, 27);
	OK(orr_Type_free(&v));
	/* example 5.7: two ints with marks 3 below and 6 above */
	OK(orr_Type_create_resized(MPI_INT, -3, 9, &t));
	extents(t, 4, -3, 9, 0, 4);
	OK(orr_Type_contiguous(2, t, &v));
	extents(v, 8, -3, 18, 0, 13);
	OK(orr_Type_free(&t));
	OK(orr_Type_free(&v));
}

static void test_lists(void **state)
{
	(void)state;
	MPI_Datatype t;
	OK(orr_Type_indexed(3, (MPI_Count[]){1, 0, 2}, (MPI_Count[]){4, 9, 0}, MPI_SHORT, &t));
	extents(t, 6, 0, 10, 0, 10);
	packs(t, 1, (const unsigned char[]){8, 9, 0, 1, 2, 3}, 6); /* in the order given */
	OK(orr_Type_free(&t));
	OK(orr_Type_create_hindexed(2, (MPI_Count[]){2, 1}, (MPI_Count[]){1, 7}, MPI_SHORT, &t));
	extents(t, 6, 1, 8, 1, 8);
	packs(t, 1, (const unsigned char[]){1, 2, 3, 4, 7, 8}, 6);
	OK(orr_Type_free(&t));
	OK(orr_Type_create_indexed_block(3, 1, (MPI_Count[]){5, 3, 1}, MPI_SHORT, &t));
	packs(t, 1, (const unsigned char[]){10, 11, 6, 7, 2, 3}, 6);
	assert_int_equal(orr_type_plan(orr_type_of(t))->op, NODE_LOOP); /* equal distances */
	OK(orr_Type_free(&t));
	OK(orr_Type_indexed(0, NULL, NULL, MPI_SHORT, &t));
	extents(t, 0, 0, 0, 0, 0);
	OK(orr_Type_free(&t));
}

/* The inner 2 x 2 of a 3 x 4 array, row-major and column-major. */
static void test_subarray(void **state)
{
	(void)state;
	MPI_Datatype t;
	MPI_Count sizes[] = {3, 4}, sub[] = {2, 2}, starts[] = {1, 1};
	OK(orr_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_CHAR, &t));
	extents(t, 4, 0, 12, 5, 6);
	packs(t, 2, (const unsigned char[]){5, 6, 9, 10, 17, 18, 21, 22}, 8);
	OK(orr_Type_free(&t));
	OK(orr_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_FORTRAN, MPI_CHAR, &t));
	packs(t, 1, (const unsigned char[]){4, 5, 7, 8}, 4);
	OK(orr_Type_free(&t));
	assert_int_equal(orr_Type_create_subarray(2, sizes, (MPI_Count[]){3, 3}, starts,
	                                          MPI_ORDER_C, MPI_CHAR, &t),
	                 MPI_ERR_ARG);
}

/* 7 elements cyclic(2) over 2 processes: 0 1 4 5 | 2 3 6; and blocks of ceil(7/2). */
static void test_darray(void **state)
{
	(void)state;
	MPI_Datatype t;
	MPI_Count sizes[] = {7};
	int cyclic[] = {MPI_DISTRIBUTE_CYCLIC}, block[] = {MPI_DISTRIBUTE_BLOCK}, two[] = {2};
	int none[] = {MPI_DISTRIBUTE_DFLT_DARG};
	OK(orr_Type_create_darray(2, 0, 1, sizes, cyclic, two, two, MPI_ORDER_C, MPI_CHAR, &t));
	packs(t, 1, (const unsigned char[]){0, 1, 4, 5}, 4);
	extents(t, 4, 0, 7, 0, 6);
	OK(orr_Type_free(&t));
	OK(orr_Type_create_darray(2, 1, 1, sizes, cyclic, two, two, MPI_ORDER_C, MPI_CHAR, &t));
	packs(t, 1, (const unsigned char[]){2, 3, 6}, 3);
	OK(orr_Type_free(&t));
	OK(orr_Type_create_darray(2, 1, 1, sizes, block, none, two, MPI_ORDER_C, MPI_CHAR, &t));
	packs(t, 1, (const unsigned char[]){4, 5, 6}, 3);
	OK(orr_Type_free(&t));
	/* 4 x 2 in column-major order, rows cyclic over 2, columns over 2: rank 2 of the row-major
	 * grid is (1, 0): rows 1 and 3 of column 0. */
	MPI_Count grid[] = {4, 2};
	int both[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, twos[] = {2, 2};
	int darg[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
	OK(orr_Type_create_darray(4, 2, 2, grid, both, darg, twos, MPI_ORDER_FORTRAN, MPI_CHAR,
	                          &t));
	packs(t, 1, (const unsigned char[]){1, 3}, 2);
	OK(orr_Type_free(&t));
}

static void test_nested(void **state)
{
	(void)state;
	MPI_Datatype inner, outer, dup;
	OK(orr_Type_vector(2, 1, 2, MPI_CHAR, &inner)); /* 0 2, extent 3 */
	OK(orr_Type_create_hvector(2, 2, 10, inner, &outer));
	packs(outer, 1, (const unsigned char[]){0, 2, 3, 5, 10, 12, 13, 15}, 8);
	OK(orr_Type_dup(outer, &dup));
	OK(orr_Type_free(&outer));
	OK(orr_Type_free(&inner));
	packs(dup, 1, (const unsigned char[]){0, 2, 3, 5, 10, 12, 13, 15}, 8);
	OK(orr_Type_free(&dup));
}

static void test_contents(void **state)
{
	(void)state;
	MPI_Datatype t, old, types[1];
	int ints, addresses, n, combiner, i[5];
	MPI_Aint a[2];
	OK(orr_Type_create_hvector(3, 2, 100, MPI_INT, &old));
	OK(orr_Type_indexed(2, (MPI_Count[]){5, 6}, (MPI_Count[]){7, 80}, old, &t));
	OK(orr_Type_free(&old));
	OK(orr_Type_get_envelope(t, &ints, &addresses, &n, &combiner));
	assert_int_equal(combiner, MPI_COMBINER_INDEXED);
	assert_int_equal(ints, 5);
	assert_int_equal(addresses, 0);
	assert_int_equal(n, 1);
	OK(orr_Type_get_contents(t, 5, 0, 1, i, a, types));
	assert_int_equal(i[0], 2);
	assert_int_equal(i[2], 6);
	assert_int_equal(i[4], 80);
	OK(orr_Type_get_envelope(types[0], &ints, &addresses, &n,
	                         &combiner)); /* its handle is back */
	assert_int_equal(combiner, MPI_COMBINER_HVECTOR);
	OK(orr_Type_get_contents(types[0], 2, 1, 1, i, a, &old));
	assert_int_equal(a[0], 100);
	assert_ptr_equal(old, MPI_INT);
	OK(orr_Type_free(&types[0]));
	OK(orr_Type_free(&t));
	assert_int_equal(orr_Type_get_contents(MPI_INT, 0, 0, 0, i, a, types), MPI_ERR_TYPE);
}

static void test_large_contents(void **state)
{
	(void)state;
	MPI_Datatype t, types[1];
	MPI_Count ints, addresses, counts, n, c[6];
	int combiner, i[2];
	MPI_Aint a[1];
	OK(orr_Type_create_subarray(1, (MPI_Count[]){9}, (MPI_Count[]){3}, (MPI_Count[]){2},
	                            MPI_ORDER_C, MPI_INT, &t));
	orr_type_set_large(t);
	OK(orr_Type_get_envelope_c(t, &ints, &addresses, &counts, &n, &combiner));
	assert_int_equal(ints, 2); /* ndims, order */
	assert_int_equal(counts, 3);
	OK(orr_Type_get_contents_c(t, 2, 0, 3, 1, i, a, c, types));
	assert_int_equal(i[1], MPI_ORDER_C);
	assert_int_equal(c[0], 9);
	assert_int_equal(c[2], 2);
	int small[4];
	assert_int_equal(orr_Type_get_envelope(t, small, small + 1, small + 2, small + 3),
	                 MPI_ERR_TYPE);
	OK(orr_Type_free(&t));
}

/* Elements of {(double, 0), (int, 8)} in a status of so many bytes. */
static void test_elements(void **state)
{
	(void)state;
	static const struct {
		int bytes, count, elements;
	} cases[] = {{0, 0, 0},  {8, MPI_UNDEFINED, 1},
	             {12, 1, 2}, {20, MPI_UNDEFINED, 3},
	             {24, 2, 4}, {26, MPI_UNDEFINED, MPI_UNDEFINED}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		MPI_Status s;
		MPI_Count count, elements;
		status_set(&s, 0, 0, cases[i].bytes);
		OK(orr_Get_count(&s, MPI_DOUBLE_INT, &count));
		OK(orr_Get_elements(&s, MPI_DOUBLE_INT, &elements));
		assert_int_equal(count, cases[i].count);
		assert_int_equal(elements, cases[i].elements);
		if (cases[i].elements >= 0) {
			OK(orr_Status_set_elements(&s, MPI_DOUBLE_INT, elements));
			assert_int_equal(status_bytes(&s), cases[i].bytes);
		}
	}
}

/* Equal sequences have one signature, whatever the grouping. */
static void test_signature(void **state)
{
	(void)state;
	MPI_Datatype a, b;
	OK(orr_Type_create_struct(2, (MPI_Count[]){1, 1}, (MPI_Count[]){0, 8},
	                          (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &a));
	OK(orr_Type_contiguous(6, a, &b));
	struct orr_type *x = orr_type_of(a), *y = orr_type_of(b);
	assert_true(orr_signature(x, 6) == orr_signature(y, 1));
	assert_true(orr_signature(x, 6) == orr_signature(orr_type_of(MPI_DOUBLE_INT), 6));
	assert_false(orr_signature(x, 6) == orr_signature(x, 5));
	assert_false(orr_signature(orr_type_of(MPI_INT), 2) ==
	             orr_signature(orr_type_of(MPI_FLOAT), 2));
	OK(orr_Type_free(&a));
	OK(orr_Type_free(&b));
}

/* external32: big-endian, long of 4 bytes (MPI 4.0, table 14.2). */
static void test_external32(void **state)
{
	(void)state;
	unsigned char out[16];
	MPI_Count size, at = 0;
	long value = -2, back = 0;
	OK(orr_Pack_external_size("external32", 3, MPI_LONG, &size));
	assert_int_equal(size, 12);
	OK(orr_Pack_external("external32", &value, 1, MPI_LONG, out, sizeof out, &at));
	assert_int_equal(at, 4);
	assert_memory_equal(out, ((unsigned char[]){0xff, 0xff, 0xff, 0xfe}), 4);
	at = 0;
	OK(orr_Unpack_external("external32", out, sizeof out, &at, &back, 1, MPI_LONG));
	assert_int_equal(back, -2);
	/* 1.0 as a number of 16 bytes: sign, exponent 16383, no fraction */
	long double one = 1;
	at = 0;
	OK(orr_Pack_external("external32", &one, 1, MPI_LONG_DOUBLE, out, sizeof out, &at));
	assert_memory_equal(out, ((unsigned char[]){0x3f, 0xff, 0, 0, 0, 0, 0, 0}), 8);
	assert_int_equal(orr_Pack_external("internal", &one, 1, MPI_INT, out, sizeof out, &at),
	                 MPI_ERR_ARG);
}

static void test_names(void **state)
{
	(void)state;
	char name[MPI_MAX_OBJECT_NAME];
	int n;
	MPI_Datatype t;
	OK(orr_Type_get_name(MPI_DOUBLE_PRECISION, name, &n));
	assert_string_equal(name, "MPI_DOUBLE_PRECISION");
	assert_int_equal(n, 20);
	OK(orr_Type_contiguous(2, MPI_INT, &t));
	OK(orr_Type_get_name(t, name, &n));
	assert_int_equal(n, 0);
	OK(orr_Type_set_name(t, "pair"));
	OK(orr_Type_get_name(t, name, &n));
	assert_string_equal(name, "pair");
	OK(orr_Type_free(&t));
}

static void test_f90(void **state)
{
	(void)state;
	MPI_Datatype a, b;
	MPI_Count size;
	OK(orr_Type_create_f90_real(7, MPI_UNDEFINED, &a));
	OK(orr_Type_create_f90_real(7, MPI_UNDEFINED, &b));
	assert_ptr_equal(a, b);
	OK(orr_Type_size(a, &size));
	assert_int_equal(size, 8);
	assert_int_equal(orr_Type_free(&a), MPI_ERR_TYPE);
	OK(orr_Type_create_f90_integer(5, &a));
	OK(orr_Type_size(a, &size));
	assert_int_equal(size, 4);
	assert_int_equal(orr_Type_create_f90_real(40, MPI_UNDEFINED, &a), MPI_ERR_ARG);
	OK(orr_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &a));
	assert_ptr_equal(a, MPI_COMPLEX16);
}

/* --- what no 64-bit number holds: sizes, extents and bounds of 2^63 bytes and more --- */

static void refused(int code, MPI_Datatype t)
{
	assert_int_equal(code, MPI_ERR_ARG);
	assert_ptr_equal(t, MPI_DATATYPE_NULL); /* none was made */
	assert_non_null(strstr(orr_local()->note.text, "pass 2^63 bytes"));
	orr_local()->note.text[0] = 0;
}

#define POWER(n) ((MPI_Count)1 << (n))
#define REFUSED(call) (t = MPI_DATATYPE_NULL, refused(call, t)) /* t: which the call makes */
#define MADE(call, size, lb, extent, true_lb, true_extent) \
	do { \
		OK(call); \
		extents(t, size, lb, extent, true_lb, true_extent); \
		OK(orr_Type_free(&t)); \
	} while (0)

/* The largest that can be are made, the next are not. */
static void test_too_long(void **state)
{
	const MPI_Count most = INT64_MAX, two[] = {1, 1};
	MPI_Datatype t, far;

	(void)state;
	MADE(orr_Type_contiguous(most, MPI_CHAR, &t), most, 0, most, 0, most);
	MADE(orr_Type_contiguous(POWER(60) - 1, MPI_DOUBLE, &t), most - 7, 0, most - 7, 0,
	     most - 7);
	REFUSED(orr_Type_contiguous(POWER(60), MPI_DOUBLE, &t));
	REFUSED(orr_Type_contiguous(POWER(61), MPI_DOUBLE, &t)); /* 2^64: 0 */
	MADE(orr_Type_vector(2, 1, POWER(60), MPI_INT, &t), 8, 0, POWER(62) + 4, 0, POWER(62) + 4);
	REFUSED(orr_Type_vector(2, 1, POWER(61), MPI_INT, &t));
	REFUSED(orr_Type_vector(2, 1, POWER(62), MPI_INT, &t));          /* a stride of 2^64 */
	REFUSED(orr_Type_vector(POWER(32), POWER(31), 0, MPI_CHAR, &t)); /* its size alone */
	MADE(orr_Type_vector(1, 1, most, MPI_INT, &t), 4, 0, 4, 0, 4);   /* no second block */
	MADE(orr_Type_vector(2, 0, most, MPI_INT, &t), 0, 0, 0, 0, 0);
	MADE(orr_Type_create_hvector(2, 1, most - 1, MPI_CHAR, &t), 2, 0, most, 0, most);
	REFUSED(orr_Type_create_hvector(2, 1, most, MPI_CHAR, &t));
	REFUSED(orr_Type_create_hvector(3, 1, -POWER(62) - 1, MPI_CHAR, &t));
	MADE(orr_Type_create_hvector(2, 1, 1 - most, MPI_CHAR, &t), 2, 1 - most, most, 1 - most,
	     most);
	REFUSED(orr_Type_create_hvector(2, 1, -most, MPI_CHAR, &t)); /* from -(2^63-1) to 1 */
	/* bounds that no data reach */
	OK(orr_Type_create_resized(MPI_INT, 0, most, &far));
	REFUSED(orr_Type_contiguous(2, far, &t));
	MADE(orr_Type_contiguous(1, far, &t), 4, 0, most, 0, 4);
	REFUSED(orr_Type_create_hindexed_block(2, 1, two, far, &t));
	OK(orr_Type_free(&far));
	MADE(orr_Type_create_resized(MPI_INT, -most, most, &t), 4, -most, most, 0, 4);
	REFUSED(orr_Type_create_resized(MPI_INT, 1, most, &t));
}

/* Blocks, each of which could be. */
static void test_too_far(void **state)
{
	const MPI_Count most = INT64_MAX, ones[] = {1, 1}, ends[] = {-POWER(62), POWER(62)};
	const MPI_Count half[] = {POWER(62), POWER(62)}, at[] = {0, 0}, none[] = {0, 1};
	MPI_Datatype t, of[] = {MPI_DOUBLE, MPI_CHAR}, chars[] = {MPI_CHAR, MPI_CHAR};

	(void)state;
	REFUSED(orr_Type_indexed(1, ones, (MPI_Count[]){POWER(61)}, MPI_INT, &t));
	REFUSED(orr_Type_indexed(1, ones, (MPI_Count[]){POWER(62)}, MPI_INT, &t)); /* 2^64: at 0 */
	MADE(orr_Type_indexed(2, none, (MPI_Count[]){most, 1}, MPI_INT, &t), 4, 4, 4, 4, 4);
	REFUSED(orr_Type_create_indexed_block(1, 1, (MPI_Count[]){-POWER(62)}, MPI_INT, &t));
	REFUSED(orr_Type_create_hindexed(2, ones, ends, MPI_CHAR, &t));
	REFUSED(orr_Type_create_hindexed_block(2, 1, ends, MPI_CHAR, &t));
	REFUSED(orr_Type_create_hindexed(1, ones, (MPI_Count[]){most}, MPI_CHAR, &t));
	REFUSED(orr_Type_create_hindexed(2, half, at, MPI_CHAR, &t)); /* the size of both */
	REFUSED(orr_Type_create_struct(2, half, at, chars, &t));
	/* the alignment of a double makes it longer */
	MADE(orr_Type_create_struct(2, ones, (MPI_Count[]){0, most - 8}, of, &t), 9, 0, most - 7, 0,
	     most - 7);
	REFUSED(orr_Type_create_struct(2, ones, (MPI_Count[]){0, most - 1}, of, &t));
}

static void test_too_wide(void **state)
{
	const MPI_Count one[] = {1, 1}, last[] = {POWER(31) - 1, POWER(31) - 1};
	const MPI_Count wide[] = {POWER(31), POWER(31)}, wider[] = {POWER(31), POWER(32)};
	const int block[] = {MPI_DISTRIBUTE_BLOCK}, cyclic[] = {MPI_DISTRIBUTE_CYCLIC};
	const int two[] = {2}, largest[] = {INT_MAX}, any[] = {MPI_DISTRIBUTE_DFLT_DARG};
	MPI_Datatype t, large;

	(void)state;
	MADE(orr_Type_create_subarray(2, wide, one, last, MPI_ORDER_C, MPI_CHAR, &t), 1, 0,
	     POWER(62), POWER(62) - 1, 1);
	REFUSED(orr_Type_create_subarray(2, wide, one, last, MPI_ORDER_C, MPI_INT, &t));
	REFUSED(orr_Type_create_subarray(2, wider, one, last, MPI_ORDER_C, MPI_CHAR, &t));
	REFUSED(orr_Type_create_darray(2, 0, 1, (MPI_Count[]){POWER(61)}, block, any, two,
	                               MPI_ORDER_C, MPI_INT, &t));
	REFUSED(orr_Type_create_darray(2, 0, 1, (MPI_Count[]){POWER(62)}, cyclic, any, two,
	                               MPI_ORDER_C, MPI_INT, &t));
	/* the second process has nothing of three elements: its place is none */
	OK(orr_Type_contiguous(POWER(40), MPI_CHAR, &large));
	MADE(orr_Type_create_darray(2, 1, 1, (MPI_Count[]){3}, cyclic, largest, two, MPI_ORDER_C,
	                            large, &t),
	     0, 0, 3 * POWER(40), 0, 0);
	MADE(orr_Type_create_darray(2, 0, 1, (MPI_Count[]){3}, cyclic, largest, two, MPI_ORDER_C,
	                            large, &t),
	     3 * POWER(40), 0, 3 * POWER(40), 0, 3 * POWER(40));
	OK(orr_Type_free(&large));
}

static void test_too_many(void **state)
{
	MPI_Count size = -1, at = 1;
	MPI_Datatype t;
	char room[8];

	(void)state;
	OK(orr_Type_contiguous(POWER(61), MPI_CHAR, &t));
	OK(orr_Pack_size(3, t, MPI_COMM_SELF, &size));
	assert_int_equal(size, 3 * POWER(61));
	for (MPI_Count n = 4; n <= 8; n += 4) { /* 2^63 and 2^64 */
		assert_int_equal(orr_Pack_size(n, t, MPI_COMM_SELF, &size), MPI_ERR_COUNT);
		assert_int_equal(orr_Pack(room, n, t, room, 8, &at, MPI_COMM_SELF), MPI_ERR_COUNT);
		assert_int_equal(orr_Unpack(room, 8, &at, room, n, t, MPI_COMM_SELF),
		                 MPI_ERR_COUNT);
		assert_int_equal(orr_Pack_external_size("external32", n, t, &size), MPI_ERR_COUNT);
		assert_int_equal(orr_Pack_external("external32", room, n, t, room, 8, &at),
		                 MPI_ERR_COUNT);
		assert_int_equal(orr_Unpack_external("external32", room, 8, &at, room, n, t),
		                 MPI_ERR_COUNT);
	}
	/* the end of what is packed */
	assert_int_equal(orr_Pack(room, INT64_MAX, MPI_CHAR, room, 8, &at, MPI_COMM_SELF),
	                 MPI_ERR_TRUNCATE);
	assert_int_equal(at, 1);
	OK(orr_Type_free(&t));
}

/* Integers 12 bytes before and at the buffer, every 16 bytes; one every 8 bytes downwards; and
 * every 2^62 bytes, of which the third begins beyond 2^63 - 1. */
static void test_reach(void **state)
{
	MPI_Datatype two, down, far;
	int64_t low, high;

	(void)state;
	OK(orr_Type_vector(2, 1, -3, MPI_INT, &two));
	assert_true(orr_type_reach(orr_type_of(two), 2, &low, &high));
	assert_int_equal(low, -12);
	assert_int_equal(high, 4 + 16);
	OK(orr_Type_create_resized(MPI_INT, 0, -8, &down));
	assert_true(orr_type_reach(orr_type_of(down), 3, &low, &high));
	assert_int_equal(low, -16);
	assert_int_equal(high, 4);
	OK(orr_Type_create_resized(MPI_INT, 0, INT64_C(1) << 62, &far));
	assert_true(orr_type_reach(orr_type_of(far), 2, &low, &high));
	assert_int_equal(high, (INT64_C(1) << 62) + 4);
	assert_false(orr_type_reach(orr_type_of(far), 3, &low, &high));
	OK(orr_Type_free(&two));
	OK(orr_Type_free(&down));
	OK(orr_Type_free(&far));
}

static int setup(void **state)
{
	(void)state;
	world_start(1, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	world_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_vector),     cmocka_unit_test(test_struct),
	    cmocka_unit_test(test_lists),      cmocka_unit_test(test_subarray),
	    cmocka_unit_test(test_darray),     cmocka_unit_test(test_nested),
	    cmocka_unit_test(test_contents),   cmocka_unit_test(test_large_contents),
	    cmocka_unit_test(test_elements),   cmocka_unit_test(test_signature),
	    cmocka_unit_test(test_external32), cmocka_unit_test(test_names),
	    cmocka_unit_test(test_f90),        cmocka_unit_test(test_too_long),
	    cmocka_unit_test(test_too_far),    cmocka_unit_test(test_too_wide),
	    cmocka_unit_test(test_too_many),   cmocka_unit_test(test_reach),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
