/* test_amounts.c: files of what regions take: what each line means, and where and why one is
 * refused. */
#include "live/amounts.h"

#include "tmp.h"

#define MARK "# orrery-computation 1\n"

static struct tmp tmp;

static int read_text(struct amounts *a, const char *text, struct err *err)
{
	return amounts_read(a, tmp_write(&tmp, "amounts", text), err);
}

static const struct amount *amount_of(const struct amounts *a, const char *region)
{
	uint32_t i = hash_str_find(&a->index, region);

	assert_int_not_equal(i, HASH_NONE);
	return &a->amount[i];
}

static void lines_mean_amounts(void **state)
{
	struct amounts a;
	struct err err;

	(void)state;
	assert_ok(read_text(&a,
	                    MARK "\n# a remark\n"
	                         "region main.c:12>main.c:20 2.1e-3\n"
	                         "  \tregion\tmain.c:20>main.c:12   4e6  volume \n"
	                         "region a%20b%23c 0\r\n"
	                         "rest 0.25",
	                    &err),
	          err);
	assert_int_equal(a.n, 3);
	assert_double_is(amount_of(&a, "main.c:12>main.c:20")->value, 2.1e-3);
	assert_int_equal(amount_of(&a, "main.c:12>main.c:20")->is_volume, 0);
	assert_double_is(amount_of(&a, "main.c:20>main.c:12")->value, 4e6);
	assert_int_equal(amount_of(&a, "main.c:20>main.c:12")->is_volume, 1);
	assert_double_is(amount_of(&a, "a b#c")->value, 0);
	assert_int_equal(hash_str_find(&a.index, "a%20b%23c"), HASH_NONE);
	assert_int_equal(a.rest, AMOUNTS_SECONDS);
	assert_double_is(a.seconds, 0.25);
	amounts_release(&a);
}

static void the_rest_is_one_of_three(void **state)
{
	static const struct {
		const char *text;
		enum amounts_rest rest;
	} of[] = {{MARK, AMOUNTS_NONE},
	          {MARK "rest none\n", AMOUNTS_NONE},
	          {MARK "rest measured\n", AMOUNTS_MEASURED},
	          {MARK "rest 1e-6\n", AMOUNTS_SECONDS},
	          {MARK "rest 1e-6\nrest measured\n", AMOUNTS_MEASURED}};
	struct amounts a;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		assert_ok(read_text(&a, of[i].text, &err), err);
		assert_int_equal(a.rest, of[i].rest);
		assert_int_equal(a.n, 0);
		amounts_release(&a);
	}
}

/* Each with the line and the word. */
static void what_is_wrong_is_told_with_its_line(void **state)
{
	static const struct {
		const char *text, *place, *words;
	} wrong[] = {
	    {"", "amounts:1", "not a file of amounts"},
	    {"region a 1\n", "amounts:1", "not a file of amounts"},
	    {"# orrery-computation 2\n", "amounts:1", "not a file of amounts"},
	    {MARK "region a -1\n", "amounts:2", "found '-1'"},
	    {MARK "region a 1e400\n", "amounts:2", "found '1e400'"},
	    {MARK "region a nan\n", "amounts:2", "found 'nan'"},
	    {MARK "region a 1s\n", "amounts:2", "found '1s'"},
	    {MARK "region a 1 volumes\n", "amounts:2", "found 'volumes'"},
	    {MARK "region a 1 volume more\n", "amounts:2", "found 'region'"},
	    {MARK "region a\n", "amounts:2", "found 'region'"},
	    {MARK "\nregions a 1\n", "amounts:3", "found 'regions'"},
	    {MARK "rest\n", "amounts:2", "found 'rest'"},
	    {MARK "rest some\n", "amounts:2", "found 'some'"},
	    {MARK "region a 1\nregion a 1\n", "amounts:3", "a region has one line"},
	    {MARK "region a%20b 1\nregion a%20b 2\n", "amounts:3", "found 'a b'"},
	};
	struct amounts a;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_fails(read_text(&a, wrong[i].text, &err), err, ERR_INPUT, wrong[i].words);
		if (!strstr(err.text, wrong[i].place))
			fail_msg("no \"%s\" in: %s", wrong[i].place, err.text);
		amounts_release(&a); /* is empty */
	}
	assert_fails(amounts_read(&a, tmp_path(&tmp, "none"), &err), err, ERR_INPUT, "none");
}

/* As many as a program has. */
static void many_regions_are_found(void **state)
{
	enum { MANY = 5000 };
	struct str text = {0};
	struct amounts a;
	struct err err;

	(void)state;
	str_puts(&text, MARK);
	for (int i = 0; i < MANY; i++)
		str_printf(&text, "region f%d>g%d %d%s\n", i, i * 7 % MANY, i,
		           i % 2 ? " volume" : "");
	assert_ok(read_text(&a, text.s, &err), err);
	for (int i = 0; i < MANY; i++) {
		char name[32];

		snprintf(name, sizeof name, "f%d>g%d", i, i * 7 % MANY);
		assert_double_is(amount_of(&a, name)->value, i);
		assert_int_equal(amount_of(&a, name)->is_volume, i % 2);
	}
	amounts_release(&a);
	str_release(&text);
}

static int folder_make(void **state)
{
	(void)state;
	tmp_init(&tmp);
	return 0;
}

static int folder_remove(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(lines_mean_amounts),
	    cmocka_unit_test(the_rest_is_one_of_three),
	    cmocka_unit_test(what_is_wrong_is_told_with_its_line),
	    cmocka_unit_test(many_regions_are_found),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
