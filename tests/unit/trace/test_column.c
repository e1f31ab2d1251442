/* test_column.c: columns: what each form takes, worked by hand from docs/formats, and that any
 * value is had without the others. */
#include "unit/trace/trace_test.h"

#include "trace/column/column_int.h"
#include "trace/compressed/bundle.h"

#include "base/rng.h"

static struct str written(const int64_t *v, uint64_t n)
{
	struct str s = {0};

	column_put(&s, v, n);
	assert_int_equal(s.failed, 0);
	return s;
}

static void same(const int64_t *v, uint64_t n)
{
	struct str s = written(v, n);
	const uint8_t *p = (const uint8_t *)s.s, *end = p + s.n;

	assert_ptr_equal(column_check(p, end, n), end);
	for (uint64_t i = n; i-- > 0;)
		assert_true(column_get(p, i) == v[i]);
	for (size_t cut = 1; cut <= s.n && n > 0; cut++)
		assert_null(column_check(p, end - cut, n));
	str_release(&s);
}

#define assert_written(v, many, ...) \
	do { \
		const uint8_t want_[] = {__VA_ARGS__}; \
		struct str s_ = written(v, many); \
		assert_int_equal(s_.n, sizeof want_); \
		assert_memory_equal(s_.s, want_, sizeof want_); \
		str_release(&s_); \
	} while (0)

static void forms(void **state)
{
	const int64_t constant[] = {7, 7, 7}, line[] = {3, 1, -1, -3};
	const int64_t period[] = {1, 5, 9, 2, 1, 5, 9, 2, 1, 5, 9, 2, 1, 5, 9, 2, 1};
	const int64_t packed[] = {10, 13, 11, 10};

	(void)state;
	assert_written(constant, 3, 0, 14);        /* zigzag 7 is 14 */
	assert_written(line, 4, 1, 6, 3);          /* 3, then -2 */
	assert_written(packed, 4, 5, 20, 2, 0x1c); /* 0, 3, 1, 0 in two bits each, low first */
	/* period of 4: the four packed from 1 in 4 bits: 0, 4, 8, 1 */
	assert_written(period, 17, 2, 4, 5, 2, 4, 0x40, 0x18);
	same(constant, 3);
	same(line, 4);
	same(period, 17);
	same(packed, 4);
}

/* 3, 4, 7, 13, 14, 15, 21, 43: from 3 on in low parts of two bits, and ones behind 0, 0, 1, 2, 2,
 * 3, 4, 10 zeros. */
static void rising(void **state)
{
	static const int64_t v[] = {3, 4, 7, 13, 14, 15, 21, 43};
	static const uint8_t want[] = {8, 6, 2, 18, 0x6b, 5, 2, 0x84, 0x23};
	struct str s = {0};
	const uint8_t *p;

	(void)state;
	rising_put(&s, v, 8);
	assert_int_equal(s.n, sizeof want);
	assert_memory_equal(s.s, want, sizeof want);
	p = (const uint8_t *)s.s;
	assert_ptr_equal(column_check(p, p + s.n, 8), p + s.n);
	for (uint64_t i = 0; i < 8; i++)
		assert_true(column_get(p, i) == v[i]);
	for (int64_t x = -2; x < 50; x++) {
		uint64_t below = 0;
		int is_there, there = 0;

		for (int i = 0; i < 8; i++) {
			below += v[i] < x;
			there |= v[i] == x;
		}
		assert_int_equal(rising_below(p + 1, 8, x, &is_there), below);
		assert_int_equal(is_there, there);
	}
	str_release(&s);
}

/* 64 times 7, but 100, 90, 80, 70 at 5, 20, 35, 50: two lines and a constant. */
static void exceptions(void **state)
{
	int64_t v[64];

	(void)state;
	for (int i = 0; i < 64; i++)
		v[i] = i % 15 == 5 && i < 60 ? 100 - i / 15 * 10 : 7;
	assert_written(v, 64, 9, 4, 1, 10, 30, 1, 0xc8, 1, 19, 0, 14);
	same(v, 64);
}

/* 2^40 positions in a line, of 2^41 values, take no room, and a file of a few bytes must not hold
 * its reader for hours: so many are refused. 2^20 are not. */
static void exceptions_are_bounded(void **state)
{
	const uint8_t many[] = {9, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 0, 2, 0, 10, 0, 0},
	              most[] = {9, 0x80, 0x80, 0x40, 1, 0, 2, 0, 10, 0, 0};

	(void)state;
	assert_null(column_check(many, many + sizeof many, (uint64_t)1 << 41));
	assert_ptr_equal(column_check(most, most + sizeof most, (uint64_t)1 << 41),
	                 most + sizeof most);
	assert_int_equal(column_get(most, 5), 5);
	assert_int_equal(column_get(most, 1 << 20), 0);
}

/* What neighbours in a grid look like: a few bytes, whatever its size. */
static void grids(void **state)
{
	(void)state;
	for (int64_t side = 4; side <= 64; side *= 2) {
		int64_t v[64 * 64], inner[64 * 64], n = 0;
		struct str s;

		for (int64_t r = 0; r < side * side; r++) {
			int64_t x = r % side;

			v[r] = x == side - 1 ? 1 - side : 1;
			if (x > 0 && x < side - 1)
				inner[n++] = r;
		}
		same(v, (uint64_t)(side * side));
		same(inner, (uint64_t)n);
		s = written(v, (uint64_t)(side * side));
		assert_true(s.n < 24);
		str_release(&s);
		s = written(inner, (uint64_t)n);
		assert_true(s.n < 24);
		str_release(&s);
	}
}

static void random_columns(void **state)
{
	struct rng rng;
	int64_t v[700];

	(void)state;
	rng_init(&rng, 7, "columns", 0);
	for (int i = 0; i < 400; i++) {
		uint64_t n = rng_below(&rng, 700), range = UINT64_C(1) << rng_below(&rng, 64);
		uint64_t repeat = 1 + rng_below(&rng, 40);
		int64_t value = 0, step = 0;

		for (uint64_t k = 0; k < n; k++) {
			if (rng_below(&rng, repeat) == 0) {
				value = (int64_t)(rng_u64(&rng) % range);
				step = (int64_t)rng_below(&rng, 3) - 1;
			}
			v[k] = i % 3 == 0 && k >= repeat ? v[k - repeat] : value;
			value += step;
		}
		same(v, n);
	}
}

static uint64_t reads(const uint8_t **p, const uint8_t *end, uint64_t n);

static uint64_t rising_read_most(const uint8_t *p)
{
	uint64_t bits;
	int64_t first;

	p = zigzag_get(p, p + 10, &first);
	varint_get(varint_get(p, p + 10, &bits), p + 20, &bits);
	return 3 + width_of((bits + 511) / 512);
}

/* A search among r of them, and its steps if it is one by one. */
static uint64_t search_reads(const uint8_t **p, const uint8_t *end, uint64_t r)
{
	uint64_t steps = **p == FORM_RISING ? 1 : width_of(r) + 1;

	return steps * reads(p, end, r);
}

/* The most reads of bytes that one value of a form takes: in pieces an end for each step of the
 * search, the end before, a first value and a step. */
static uint64_t reads(const uint8_t **p, const uint8_t *end, uint64_t n)
{
	uint64_t u, width, all;
	int64_t v;

	switch (*(*p)++) {
	case FORM_LINE:
		*p = zigzag_get(*p, end, &v); /* and as a constant */
		                              /* fall through */
	case FORM_CONSTANT:
		*p = zigzag_get(*p, end, &v);
		return 1;
	case FORM_PERIOD:
		*p = varint_get(*p, end, &u);
		return reads(p, end, u);
	case FORM_PIECES:
		*p = varint_get(*p, end, &u);
		all = search_reads(p, end, u);
		all += reads(p, end, u);
		return all + reads(p, end, u);
	case FORM_RISING:
		all = rising_read_most(*p);
		*p = rising_skip(*p, n);
		return all;
	case FORM_EXCEPTIONS:
		*p = varint_get(*p, end, &u);
		all = search_reads(p, end, u);
		all += reads(p, end, u);
		return all + reads(p, end, n);
	case FORM_TABLE:
		*p = varint_get(*p, end, &u);
		all = 1 + reads(p, end, u);
		break;
	case FORM_PACKED:
		*p = zigzag_get(*p, end, &v);
		all = 1;
		break;
	default:
		*p += 8 * n;
		return 1;
	}
	*p = varint_get(*p, end, &width);
	*p += (n * width + 7) / 8;
	return all;
}

/* Rising numbers in lines, which end where numbers rise in lines, and so on. */
static uint64_t ends_in_ends(struct rng *rng, int64_t *v, uint64_t n, int levels)
{
	int64_t inner[20000], at = 0, step = 3;
	uint64_t r = levels ? ends_in_ends(rng, inner, n / 4, levels - 1) : 0;

	for (uint64_t i = 0, k = 0; i < n; i++) {
		if (levels == 0 || (k < r && (uint64_t)inner[k] <= i)) {
			step = 3 + (int64_t)rng_below(rng, 4);
			k++;
		}
		v[i] = at += step;
	}
	return n;
}

/* Durations of a noisy program are so: values that repeat, repetitions that do. */
static void read_soon(void **state)
{
	static int64_t ends[5000], v[20000];
	struct rng rng;

	(void)state;
	rng_init(&rng, 11, "nested", 0);
	for (int levels = 0; levels < 6; levels++) {
		uint64_t n = 0;
		struct str s;
		const uint8_t *p;

		ends_in_ends(&rng, ends, 4000, levels);
		for (uint64_t k = 0; n < 12000; k++)
			for (int64_t value = (int64_t)(rng_u64(&rng) >> 20); (int64_t)n < ends[k];)
				v[n++] = value;
		same(v, n > 300 ? 300 : n);
		s = written(v, n);
		p = (const uint8_t *)s.s;
		assert_in_range(reads(&p, p + s.n, n), 1, 512);
		assert_ptr_equal(p, s.s + s.n);
		str_release(&s);
	}
}

static void doubles(void **state)
{
	const double whole[] = {0, 1e6, 9e15, -3}, nano[] = {1.234e-6, -1, 0.5, 2e-9};
	const double other[] = {1.0 / 3, 1e300, -0.0, 5e-324};
	const double *all[] = {whole, nano, other};
	const uint8_t scale[] = {SCALE_ONE, SCALE_NANO, SCALE_BITS};

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct str s = {0};
		int64_t bits[4];
		const uint8_t *p;

		for (int i = 0; i < 4; i++)
			bits[i] = double_bits(all[k][i]);
		doubles_put(&s, bits, 4);
		p = (const uint8_t *)s.s;
		assert_int_equal(*p, scale[k]);
		assert_ptr_equal(doubles_check(p, p + s.n, 4), p + s.n);
		for (uint64_t i = 0; i < 4; i++)
			assert_true(doubles_get(p, i) == bits[i]);
		str_release(&s);
	}
}

static void growing(void **state)
{
	struct column c = {0}, tail = {0};
	struct err err;

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_ok(column_push(&c, 4, &err), err);
	assert_null(c.v);
	assert_ok(column_push(&c, 5, &err), err);
	assert_ok(column_split(&c, 2, &tail, &err), err);
	assert_int_equal(c.n, 4);
	assert_int_equal(column_item(&tail, 0), 4);
	assert_int_equal(column_item(&tail, 1), 5);
	assert_ok(column_join(&c, &tail, &err), err);
	assert_int_equal(c.n, 6);
	assert_int_equal(column_item(&c, 5), 5);
	column_release(&c);
	column_release(&tail);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(forms),      cmocka_unit_test(rising),
	    cmocka_unit_test(exceptions), cmocka_unit_test(exceptions_are_bounded),
	    cmocka_unit_test(grids),      cmocka_unit_test(random_columns),
	    cmocka_unit_test(read_soon),  cmocka_unit_test(doubles),
	    cmocka_unit_test(growing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
