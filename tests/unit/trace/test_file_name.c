/* test_file_name.c: names of files, split into what is the same and numbers, come out as they went
 * in; those that differ in their numbers only are one text. */
#include "unit/trace/trace_test.h"

#include "trace/compressed/file_name.h"
#include "trace/compressed/nest.h"

static uint32_t there_and_back(struct interned *texts, const char *name)
{
	char room[FILE_NAME_ROOM];
	int64_t f[CALL_FIELDS] = {0};
	struct trace_event ev;
	uint32_t open = 0, text, n;
	struct err err;

	trace_event_init(&ev, TRACE_IO_OPEN);
	ev.text = name;
	text = file_name_put(texts, &ev, f, &open, &err);
	assert_int_not_equal(text, CALL_NONE);
	assert_true((open >> CALL_COUNT & 1) == (f[CALL_COUNT] != 0 || open != 0));
	ev.text = interned_get(texts, text, &n);
	ev.count = f[CALL_COUNT];
	ev.count2 = f[CALL_COUNT2];
	ev.type_size = f[CALL_SIZE];
	ev.type_size2 = f[CALL_SIZE2];
	file_name_join(&ev, room);
	assert_string_equal(ev.text, name);
	assert_int_equal(ev.count | ev.count2 | ev.type_size | ev.type_size2, 0);
	return text;
}

static void same(const char *a, const char *b)
{
	struct interned texts = {0};
	uint32_t first = there_and_back(&texts, a);

	assert_int_equal(there_and_back(&texts, b), first);
	interned_release(&texts);
}

static void one_text(void **state)
{
	(void)state;
	same("checkpoint-001-0.nc", "checkpoint-001-1.nc");
	same("out.0017.00300", "out.0003.00000");
	same("dump_90", "dump_1000000");
	/* Of four digits, or of any number: as was seen before. */
	same("dump_0999", "dump_1000");
	same("9/dump_0999", "10/dump_1000");
}

static void as_it_was(void **state)
{
	static const char *const names[] = {
	    "",
	    "plain",
	    "0",
	    "00",
	    "7",
	    "a1b2c3d4e5f6",           /* more than are kept */
	    "x999999999999999999",    /* 18 digits */
	    "x000000000000000001y",   /* 18, mostly zeros */
	    "x9999999999999999999.3", /* 19: too many, but not the 3 */
	    "\1plain",                /* odd ones */
	    "\1\1"
	    "7",
	    "a\2"
	    "5.7",
	    "%d%s%%20 1",
	};
	struct interned texts = {0};
	char longest[600];

	(void)state;
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			there_and_back(&texts, names[i]);
	for (size_t n = 250; n < 260; n++) {
		memset(longest, '1', n);
		for (size_t i = 0; i < n; i += 3)
			longest[i] = 'x';
		longest[n] = 0;
		there_and_back(&texts, longest);
		longest[0] = 1;
		there_and_back(&texts, longest);
	}
	interned_release(&texts);
}

/* A program that opens a file at each step is one loop. */
static void one_loop(void **state)
{
	struct nest n;
	struct err err;
	char name[64];

	(void)state;
	nest_init(&n);
	for (int step = 0; step < 200; step++) {
		struct trace_event ev;

		snprintf(name, sizeof name, "run7/out.%04d.h5", step * 10);
		trace_event_init(&ev, TRACE_IO_OPEN);
		ev.text = name;
		ev.object = 1;
		assert_ok(nest_put(&n, &ev, &err), err);
		trace_event_init(&ev, TRACE_IO_CLOSE);
		ev.object = 1;
		assert_ok(nest_put(&n, &ev, &err), err);
	}
	assert_ok(nest_close(&n, &err), err);
	assert_int_equal(n.calls.n, 2);
	assert_int_equal(n.n, 1);
	nest_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_text),
	    cmocka_unit_test(as_it_was),
	    cmocka_unit_test(one_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
