/* Nothing that a run reads is what it writes: by name, by link, within settings, within folders. */
#include "cli/outputs.h"

#include "verb.h"

#include <sys/stat.h>

enum { OPT_OUT = 1, OPT_LOG, OPT_IN };
static const struct option_row rows[] = {{OPT_OUT, 'o', "output", "FILE", "written"},
                                         {OPT_LOG, 0, "log", "FILE", "written, too"},
                                         {OPT_IN, 'i', "input", "FILE", "read"},
                                         {0, 0, NULL, NULL, NULL}};
static const int written[] = {OPT_OUT, OPT_LOG, 0};
static const struct verb writer = {.name = "try", .options = rows, .outputs = written};

static int check(struct err *err, const char *const *words)
{
	char *argv[16];
	struct args a;
	int n = 0, r;

	for (; words[n]; n++)
		argv[n] = (char *)(uintptr_t)words[n];
	argv[n] = NULL;
	assert_ok(args_parse(&writer, n, argv, &a, err), *err);
	r = outputs_check(&writer, &a, err);
	args_release(&a);
	return r;
}
#define CHECK(err, ...) check(err, (const char *const[]){__VA_ARGS__, NULL})

struct names {
	struct tmp t;
	char file[300], hard[300], soft[300], other[300], folder[300], inside[300];
};

static void names_init(struct names *q)
{
	tmp_init(&q->t);
	snprintf(q->file, sizeof q->file, "%s", tmp_write(&q->t, "file", "x"));
	snprintf(q->other, sizeof q->other, "%s", tmp_write(&q->t, "other", "x"));
	snprintf(q->hard, sizeof q->hard, "%s", tmp_path(&q->t, "hard"));
	snprintf(q->soft, sizeof q->soft, "%s", tmp_path(&q->t, "soft"));
	snprintf(q->folder, sizeof q->folder, "%s", tmp_path(&q->t, "folder"));
	assert_int_equal(link(q->file, q->hard), 0);
	assert_int_equal(symlink(q->file, q->soft), 0);
	assert_int_equal(mkdir(q->folder, 0700), 0);
	snprintf(q->inside, sizeof q->inside, "%s", tmp_write(&q->t, "folder/rank-0.tit", "x"));
}

static void the_same_file_by_any_name(void **state)
{
	struct names q;
	struct err err = {0};
	char setting[400];

	(void)state;
	names_init(&q);
	assert_int_equal(CHECK(&err, "-i", q.file, "-o", q.other), 0);
	assert_int_equal(CHECK(&err, "-i", q.file, "-o", q.file), -1);
	PRINTS(err.text, "is to be written, and is what is read as");
	assert_int_equal(CHECK(&err, "-i", q.file, "-o", q.hard), -1);
	assert_int_equal(CHECK(&err, "-i", q.soft, "-o", q.hard), -1);
	assert_int_equal(CHECK(&err, q.soft, "-o", q.file), -1); /* not of an option */
	snprintf(setting, sizeof setting, "name:file:%s", q.file);
	assert_int_equal(CHECK(&err, "-i", setting, "-o", q.soft), -1);
	snprintf(setting, sizeof setting, "@%s", q.file);
	assert_int_equal(CHECK(&err, "-i", setting, "-o", q.file), -1);
	tmp_release(&q.t);
}

static void a_file_of_a_folder_that_is_read(void **state)
{
	struct names q;
	struct err err = {0};

	(void)state;
	names_init(&q);
	assert_int_equal(CHECK(&err, q.folder, "-o", q.inside), -1);
	assert_int_equal(CHECK(&err, q.folder, "-o", q.folder), -1);
	assert_int_equal(CHECK(&err, q.inside, "-o", q.folder), -1);
	PRINTS(err.text, "is to be written, and is the folder of what is read as");
	assert_int_equal(CHECK(&err, q.folder, "-o", q.file), 0);
	tmp_release(&q.t);
}

static void two_outputs_of_one_name(void **state)
{
	struct names q;
	struct err err = {0};
	char new[300];

	(void)state;
	names_init(&q);
	snprintf(new, sizeof new, "%s", tmp_path(&q.t, "new"));
	assert_int_equal(CHECK(&err, "-o", new, "--log", new), -1);
	PRINTS(err.text, "two outputs are to be written to");
	assert_int_equal(CHECK(&err, "-o", new, "-o", new), 0); /* the last counts */
	assert_int_equal(CHECK(&err, "-o", "-", "--log", "-"), 0);
	assert_int_equal(CHECK(&err, "-o", "/dev/null", "--log", "/dev/null"), 0);
	tmp_release(&q.t);
}

static void what_can_be_written_is_tried(void **state)
{
	struct names q;
	struct err err = {0};
	char path[300], text[8];

	(void)state;
	names_init(&q);
	assert_ok(output_try("-", &err), err);
	assert_ok(output_try("/dev/null", &err), err);
	assert_ok(output_try(q.file, &err), err);
	assert_string_equal(file_text(q.file, text, sizeof text), "x"); /* as it was */
	snprintf(path, sizeof path, "%s/none/x", q.t.dir);
	assert_int_equal(output_try(path, &err), -1);
	PRINTS(err.text, path);
	assert_int_equal(output_try(q.folder, &err), -1); /* what is written is a file */
	PRINTS(err.text, "Is a directory");
	tmp_release(&q.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_same_file_by_any_name),
	    cmocka_unit_test(a_file_of_a_folder_that_is_read),
	    cmocka_unit_test(two_outputs_of_one_name),
	    cmocka_unit_test(what_can_be_written_is_tried),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
