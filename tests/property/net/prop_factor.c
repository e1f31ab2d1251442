/* prop_factor.c: tables by message size, beside a search written as their definition: of the
 * sections below the size, the one with the largest threshold. Random tables, in any order, at,
 * beside and between their thresholds. */
#include "../prop.h"

#include "net/factor.h"

#include <inttypes.h>
#include <math.h>

enum { ROWS = 12, TABLES = 500 };

struct row {
	int64_t threshold;
	double base, per_byte;
};

/* Thresholds are all different: 0, small ones, and up to 2^53. */
static uint32_t rows_draw(struct rng *r, struct row *rows)
{
	uint32_t n = 1 + (uint32_t)rng_below(r, ROWS);

	for (uint32_t i = 0; i < n; i++) {
		rows[i] = (struct row){
		    .threshold = (int64_t)(rng_u64(r) >> (11 + rng_below(r, 53))),
		    .base = rng_unit(r),
		    .per_byte = rng_unit(r)};
		for (uint32_t k = 0; k < i; k++)
			if (rows[k].threshold == rows[i].threshold)
				return i;
	}
	return n;
}

static void table_write(struct str *s, const struct row *rows, uint32_t n, struct rng *r)
{
	static const char *const gaps[] = {"", " ", "\n\t", ";"};

	str_clear(s);
	for (uint32_t i = 0; i < n; i++)
		str_printf(s, "%s%" PRId64 ":%.17g:%.17g%s", gaps[rng_below(r, 4)],
		           rows[i].threshold, rows[i].base, rows[i].per_byte,
		           i + 1 < n || rng_below(r, 2) ? ";" : "");
	if (n == 1)
		str_puts(s, ";");
}

static const struct row *defined(const struct row *rows, uint32_t n, double size)
{
	const struct row *best = NULL;

	for (uint32_t i = 0; i < n; i++)
		if ((double)rows[i].threshold < size &&
		    (!best || rows[i].threshold > best->threshold))
			best = &rows[i];
	return best;
}

static const struct row *least(const struct row *rows, uint32_t n)
{
	const struct row *first = rows;

	for (uint32_t i = 1; i < n; i++)
		first = rows[i].threshold < first->threshold ? &rows[i] : first;
	return first;
}

static void check_size(const struct factor_table *t, const struct row *rows, uint32_t n,
                       double size)
{
	const struct row *row = defined(rows, n, size), *first = row ? row : least(rows, n);

	assert_double_is(factor_lookup(t, size, -7), row ? row->base : -7);
	/* A table from 0 on holds for a message without bytes. */
	if (!row && size <= 0 && first->threshold <= 0)
		row = first;
	assert_double_is(overhead_lookup(t, size, 0), row ? row->base + row->per_byte * size : 0);
	assert_double_is(overhead_lookup(t, size, 1), first->base + first->per_byte * size);
}

static void by_definition(void **state)
{
	struct row rows[ROWS];
	struct rng r;
	struct str text;

	(void)state;
	rng_init(&r, prop_seed(1), "factor", 0);
	str_init(&text);
	for (int i = 0; i < TABLES; i++) {
		uint32_t n = rows_draw(&r, rows);
		struct factor_table t;
		struct err err;

		table_write(&text, rows, n, &r);
		assert_ok(factor_table_parse(&t, text.s, &err), err);
		assert_int_equal(t.n, n);
		check_size(&t, rows, n, 0);
		check_size(&t, rows, n, 0x1p60);
		for (uint32_t k = 0; k < n; k++) {
			double at = (double)rows[k].threshold;

			check_size(&t, rows, n, at);
			check_size(&t, rows, n, nextafter(at, INFINITY));
			check_size(&t, rows, n, fmax(0, nextafter(at, -1)));
			check_size(&t, rows, n, floor(at * rng_unit(&r)));
		}
		factor_table_release(&t);
	}
	str_release(&text);
}

/* What does not parse leaves the table that was there alone; released twice is released. */
static void left_alone(void **state)
{
	static const char *const wrong[] = {"",
	                                    ";",
	                                    "1:2;:",
	                                    "-1:2",
	                                    "1:2;2",
	                                    "0:x",
	                                    "0:1:2x",
	                                    "0:1;1e-3:2",
	                                    "1:nan",
	                                    "0x",
	                                    "1:",
	                                    "1::2",
	                                    "9223372036854775808:1"};
	struct factor_table t;
	struct err err;

	(void)state;
	assert_ok(factor_table_parse(&t, "0:3", &err), err);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		if (factor_table_parse(&t, wrong[i], &err) != -1)
			fail_msg("\"%s\" is taken for a table", wrong[i]);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_double_is(factor_lookup(&t, 1, 1), 3);
	}
	factor_table_release(&t);
	assert_null(t.rows);
	factor_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(by_definition),
	                                   cmocka_unit_test(left_alone)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
