/* factor.c: tables of (threshold, values) by message size: the factors of the flow models and the
 * overheads of the MPI protocols.
 *
 * A section holds for sizes strictly above its threshold, up to and including the next one
 * (SimGrid's documentation says otherwise; its code, and the tables calibrated with it, do
 * this). */
#include "factor.h"

#include <stdlib.h>
#include <string.h>

enum { FIELD_MAX = 64, VALUES = 2 };

static const char blanks[] = " \t\r\n";

static int field_parse(const char *s, size_t n, double *out, struct err *err)
{
	char field[FIELD_MAX];

	if (n == 0 || n >= sizeof field)
		return err_set(err, ERR_INPUT, "\"%.*s\" is not a number",
		               (int)(n < FIELD_MAX ? n : FIELD_MAX), s);
	memcpy(field, s, n);
	field[n] = '\0';
	return units_parse(field, UNIT_TIME, out, err);
}

/* "threshold:value[:value…]"; values beyond the second are not looked at (SimGrid ignores them
 * too). */
static int row_parse(const char *s, size_t n, struct factor_row *out, struct err *err)
{
	const char *end = s + n, *colon = memchr(s, ':', n);
	struct factor_row row = {0};
	int64_t threshold;
	size_t length;
	int i;

	if (!colon || num_parse_count(s, (size_t)(colon - s), &threshold) < 0 || threshold < 0)
		return err_set(err, ERR_INPUT, "\"%.*s\" is not a section size:value[:value]",
		               (int)n, s);
	row.threshold = (double)threshold;
	for (i = 0, s = colon + 1; i < VALUES && s <= end; i++, s += length + 1) {
		colon = memchr(s, ':', (size_t)(end - s));
		length = (size_t)((colon ? colon : end) - s);
		if (field_parse(s, length, &row.value[i], err) < 0)
			return -1;
	}
	*out = row;
	return 0;
}

static int row_compare(const void *a, const void *b)
{
	double x = ((const struct factor_row *)a)->threshold,
	       y = ((const struct factor_row *)b)->threshold;

	return (x > y) - (x < y);
}

static int rows_parse(struct factor_table *t, const char *s, struct err *err)
{
	uint32_t cap = 0;
	const char *end;
	size_t n;

	for (; *s; s = *end ? end + 1 : end) {
		struct factor_row *rows;

		end = s + strcspn(s, ";");
		s += strspn(s, blanks);
		for (n = s < end ? (size_t)(end - s) : 0; n > 0 && strchr(blanks, s[n - 1]); n--)
			;
		if (n == 0)
			continue;
		rows = vec_grow(t->rows, &cap, sizeof *rows, t->n + 1, "factor table", err);
		if (!rows)
			return -1;
		t->rows = rows;
		if (row_parse(s, n, &rows[t->n], err) < 0)
			return -1;
		t->n++;
	}
	if (t->n == 0)
		return err_set(err, ERR_INPUT, "the table has no section");
	qsort(t->rows, t->n, sizeof *t->rows, row_compare);
	return 0;
}

/* A constant holds for every size, 0 included: its threshold is below all. */
static int constant_parse(struct factor_table *t, const char *text, struct err *err)
{
	struct factor_row row = {.threshold = -1};

	if (field_parse(text, strlen(text), &row.value[0], err) < 0)
		return -1;
	t->rows = malloc(sizeof row);
	if (!t->rows)
		return err_nomem(err, "factor table", sizeof row);
	t->rows[0] = row;
	t->n = 1;
	return 0;
}

int factor_table_parse(struct factor_table *t, const char *text, struct err *err)
{
	struct factor_table table = {0};

	if ((strpbrk(text, ":;") ? rows_parse(&table, text, err)
	                         : constant_parse(&table, text, err)) < 0) {
		factor_table_release(&table);
		return -1;
	}
	*t = table;
	return 0;
}

void factor_table_release(struct factor_table *t)
{
	free(t->rows);
	*t = (struct factor_table){0};
}

/* The section of a size, or NULL. Tables have some ten sections: a linear search beats all else. */
static const struct factor_row *row_find(const struct factor_table *t, double size)
{
	uint32_t i = t->n;

	while (i > 0 && t->rows[i - 1].threshold >= size)
		i--;
	return i > 0 ? &t->rows[i - 1] : NULL;
}

double factor_lookup(const struct factor_table *t, double size, double below)
{
	const struct factor_row *row = row_find(t, size);

	return row ? row->value[0] : below;
}

double overhead_lookup(const struct factor_table *t, double size, int compat)
{
	const struct factor_row *row = row_find(t, size);

	/* A table that begins at 0 is for all sizes: a message without bytes is a message. */
	if (!row && t->n > 0 && (compat || (size <= 0 && t->rows[0].threshold <= 0)))
		row = &t->rows[0];
	return row ? row->value[0] + row->value[1] * size : 0;
}
