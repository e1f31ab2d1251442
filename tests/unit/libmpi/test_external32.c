/* The data representation external32 (MPI 4.0, 14.5.2): bytes worked by hand from its table of
 * sizes, big-endian order and IEEE 754; types with gaps, pairs; what does not fit. */
#include "fake.h"

#include "objects/external32.h"
#include "objects/type.h"

struct one {
	MPI_Datatype type;
	const char *what;
	size_t native;
	unsigned char memory[16];
	int n;
	unsigned char external[16];
};

static void goes_and_comes(const struct one *o)
{
	unsigned char out[64], back[16];
	MPI_Count size, at = 3;

	memset(out, 0xee, sizeof out);
	memset(back, 0x11, sizeof back);
	OK(orr_Pack_external_size("external32", 1, o->type, &size));
	if (size != o->n)
		fail_msg("%s has %d bytes, not %d", o->what, (int)size, o->n);
	OK(orr_Pack_external("external32", o->memory, 1, o->type, out, 3 + o->n, &at));
	assert_int_equal(at, 3 + o->n);
	for (int i = 0; i < o->n; i++)
		if (out[3 + i] != o->external[i])
			fail_msg("%s: byte %d is %02x, not %02x", o->what, i, out[3 + i],
			         o->external[i]);
	assert_true(out[2] == 0xee && out[3 + o->n] == 0xee);
	at = 3;
	OK(orr_Unpack_external("external32", out, 3 + o->n, &at, back, 1, o->type));
	assert_int_equal(at, 3 + o->n);
	if (memcmp(back, o->memory, o->native) != 0)
		fail_msg("%s does not come back", o->what);
}

static void basic_types(void **state)
{
	const struct one ones[] = {
	    {MPI_CHAR, "char", 1, {'a'}, 1, {'a'}},
	    {MPI_BYTE, "byte", 1, {0x80}, 1, {0x80}},
	    {MPI_SHORT, "short -2", 2, {0xfe, 0xff}, 2, {0xff, 0xfe}},
	    {MPI_UNSIGNED_SHORT, "0x1234", 2, {0x34, 0x12}, 2, {0x12, 0x34}},
	    {MPI_INT, "int 1", 4, {1}, 4, {0, 0, 0, 1}},
	    {MPI_LONG, "long 5", 8, {5}, 4, {0, 0, 0, 5}},
	    {MPI_LONG,
	     "long -1",
	     8,
	     {255, 255, 255, 255, 255, 255, 255, 255},
	     4,
	     {255, 255, 255, 255}},
	    {MPI_UNSIGNED_LONG, "2^31", 8, {0, 0, 0, 0x80}, 4, {0x80, 0, 0, 0}},
	    {MPI_LONG_LONG, "2^32", 8, {0, 0, 0, 0, 1}, 8, {0, 0, 0, 1, 0, 0, 0, 0}},
	    {MPI_INT64_T, "256", 8, {0, 1}, 8, {0, 0, 0, 0, 0, 0, 1, 0}},
	    {MPI_AINT, "aint 7", 8, {7}, 8, {0, 0, 0, 0, 0, 0, 0, 7}},
	    {MPI_COUNT, "count 7", 8, {7}, 8, {0, 0, 0, 0, 0, 0, 0, 7}},
	    {MPI_OFFSET, "offset 7", 8, {7}, 8, {0, 0, 0, 0, 0, 0, 0, 7}},
	    {MPI_WCHAR, "wchar U+20AC", 4, {0xac, 0x20}, 2, {0x20, 0xac}},
	    {MPI_C_BOOL, "true", 1, {1}, 1, {1}},
	    /* -2.5 is -1.25 x 2^1: exponent 127 + 1 and 1023 + 1, fraction .25 */
	    {MPI_FLOAT, "float -2.5", 4, {0, 0, 0x20, 0xc0}, 4, {0xc0, 0x20, 0, 0}},
	    {MPI_DOUBLE, "double -2.5", 8, {0, 0, 0, 0, 0, 0, 4, 0xc0}, 8, {0xc0, 4}},
	    {MPI_C_FLOAT_COMPLEX,
	     "1 - 2.5i",
	     8,
	     {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0},
	     8,
	     {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0}},
	    {MPI_2INT, "(1, 2)", 8, {1, 0, 0, 0, 2}, 8, {0, 0, 0, 1, 0, 0, 0, 2}},
	    {MPI_FLOAT_INT,
	     "(1.0f, 3)",
	     8,
	     {0, 0, 0x80, 0x3f, 3},
	     8,
	     {0x3f, 0x80, 0, 0, 0, 0, 0, 3}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
		goes_and_comes(&ones[i]);
}

/* Pairs that have a gap in memory have none outside; a long of a pair has four bytes there. */
static void pairs_have_no_gaps(void **state)
{
	const struct {
		double a;
		int b;
	} di[2] = {{1, 3}, {-2.5, -1}};
	const struct {
		long a;
		int b;
	} li = {-2, 9};
	const struct {
		short a;
		int b;
	} si = {258, 4};
	const unsigned char di_out[] = {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0,   0,   0,   3,
	                                0xc0, 4,    0, 0, 0, 0, 0, 0, 255, 255, 255, 255};
	const unsigned char li_out[] = {255, 255, 255, 254, 0, 0, 0, 9},
	                    si_out[] = {1, 2, 0, 0, 0, 4};
	unsigned char out[64];
	MPI_Count at = 0;

	(void)state;
	OK(orr_Pack_external("external32", di, 2, MPI_DOUBLE_INT, out, sizeof out, &at));
	assert_int_equal(at, 24);
	assert_memory_equal(out, di_out, 24);
	at = 0;
	OK(orr_Pack_external("external32", &li, 1, MPI_LONG_INT, out, sizeof out, &at));
	assert_int_equal(at, 8);
	assert_memory_equal(out, li_out, 8);
	at = 0;
	OK(orr_Pack_external("external32", &si, 1, MPI_SHORT_INT, out, sizeof out, &at));
	assert_int_equal(at, 6);
	assert_memory_equal(out, si_out, 6);
}

/* 16 bytes: exponent of 15 bits with bias 16383, fraction of 112 bits. */
static void long_doubles_are_quads(void **state)
{
	static const struct {
		long double v;
		unsigned char head[4];
	} of[] = {{1, {0x3f, 0xff, 0, 0}},          {-2, {0xc0, 0, 0, 0}},
	          {1.5L, {0x3f, 0xff, 0x80, 0}},    {0x1p-16382L, {0, 1, 0, 0}},
	          {0x1p16383L, {0x7f, 0xfe, 0, 0}}, {0, {0, 0, 0, 0}}};
	unsigned char out[16];
	long double back;

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		MPI_Count at = 0;

		OK(orr_Pack_external("external32", &of[i].v, 1, MPI_LONG_DOUBLE, out, 16, &at));
		assert_int_equal(at, 16);
		assert_memory_equal(out, of[i].head, 4);
		for (int k = 4; k < 16; k++)
			assert_int_equal(out[k], 0);
		at = 0;
		OK(orr_Unpack_external("external32", out, 16, &at, &back, 1, MPI_LONG_DOUBLE));
		assert_true(back == of[i].v);
	}
}

/* A column of a matrix: what is between is neither read nor written. */
static void gaps_stay(void **state)
{
	int32_t matrix[3][4], back[3][4];
	unsigned char out[12];
	MPI_Datatype column;
	MPI_Count at = 0;

	(void)state;
	for (int i = 0; i < 12; i++)
		matrix[i / 4][i % 4] = i;
	memset(back, 0x55, sizeof back);
	OK(orr_Type_vector(3, 1, 4, MPI_INT, &column));
	OK(orr_Pack_external("external32", &matrix[0][1], 1, column, out, sizeof out, &at));
	for (int i = 0; i < 3; i++)
		assert_int_equal(out[4 * i + 3], 1 + 4 * i);
	at = 0;
	OK(orr_Unpack_external("external32", out, sizeof out, &at, &back[0][1], 1, column));
	for (int i = 0; i < 12; i++)
		assert_int_equal(back[i / 4][i % 4], i % 4 == 1 ? i : 0x55555555);
	OK(orr_Type_free(&column));
}

static void what_does_not_fit_is_an_error(void **state)
{
	int value = 1;
	unsigned char out[8] = {0};
	MPI_Count at = 5, size;

	(void)state;
	assert_int_equal(orr_Pack_external("external32", &value, 1, MPI_INT, out, 8, &at),
	                 MPI_ERR_TRUNCATE);
	assert_int_equal(at, 5);
	assert_int_equal(orr_Unpack_external("external32", out, 8, &at, &value, 1, MPI_INT),
	                 MPI_ERR_TRUNCATE);
	assert_int_equal(value, 1);
	at = -1;
	assert_int_equal(orr_Pack_external("external32", &value, 1, MPI_INT, out, 8, &at),
	                 MPI_ERR_ARG);
	at = 0;
	assert_int_equal(orr_Pack_external("external32", &value, -1, MPI_INT, out, 8, &at),
	                 MPI_ERR_COUNT);
	assert_int_equal(orr_Pack_external_size("native", 1, MPI_INT, &size), MPI_ERR_ARG);
	assert_int_equal(orr_Pack_external_size("external32", 1, MPI_DATATYPE_NULL, &size),
	                 MPI_ERR_TYPE);
	OK(orr_Pack_external_size("external32", 0, MPI_INT, &size));
	assert_int_equal(size, 0);
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
	    cmocka_unit_test(basic_types),
	    cmocka_unit_test(pairs_have_no_gaps),
	    cmocka_unit_test(long_doubles_are_quads),
	    cmocka_unit_test(gaps_stay),
	    cmocka_unit_test(what_does_not_fit_is_an_error),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
