/* test_csv.c: fields of lines, by RFC 4180's examples and by hand; what is no line of values. */
#include "test.h"

#include "base/csv.h"

#include <stdio.h>
#include <string.h>

/* The fields, each in brackets. */
static void check(const char *line, const char *expected)
{
	char copy[256], out[512] = "", *field[CSV_FIELDS];
	struct err err;
	int n, at = 0;

	snprintf(copy, sizeof copy, "%s", line);
	n = csv_split(copy, field, &err);
	if (n < 0)
		fail_msg("%s: %s", line, err.text);
	for (int i = 0; i < n; i++)
		at += snprintf(out + at, sizeof out - (size_t)at, "[%s]", field[i]);
	assert_string_equal(out, expected);
}

static void fields(void **state)
{
	(void)state;
	check("aaa,bbb,ccc", "[aaa][bbb][ccc]");
	check("\"aaa\",\"bbb\",\"ccc\"", "[aaa][bbb][ccc]");
	check("\"aaa\",\"b\"\"bb\",\"ccc\"", "[aaa][b\"bb][ccc]");
	check("\"a,b\",c", "[a,b][c]");
	check("", "[]");
	check(",", "[][]");
	check("a,", "[a][]");
	check("  a b\t, \"c \" ,d\r", "[a b][c ][d]");
	check("\"\",\"\"\"\"", "[][\"]");
	check("a\"b,c", "[a\"b][c]");
}

static void mistakes(void **state)
{
	static const struct {
		const char *line, *why;
	} cases[] = {{"a,\"b", "a quote is not closed"},
	             {"\"a\"\"", "a quote is not closed"},
	             {"\"a\"b,c", "a comma was expected, not 'b,c'"}};
	char many[CSV_FIELDS + 1], *field[CSV_FIELDS];
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char copy[64];

		snprintf(copy, sizeof copy, "%s", cases[i].line);
		assert_fails(csv_split(copy, field, &err), err, ERR_INPUT, cases[i].why);
	}
	memset(many, ',', CSV_FIELDS);
	many[CSV_FIELDS] = '\0';
	assert_fails(csv_split(many, field, &err), err, ERR_INPUT, "over 64 fields");
	memset(many, ',', CSV_FIELDS);
	many[CSV_FIELDS - 1] = '\0'; /* one comma less: as many as there may be */
	assert_int_equal(csv_split(many, field, &err), CSV_FIELDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(fields), cmocka_unit_test(mistakes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
