/* fault_left.c: what killed ranks left of themselves, made text while each allocation, read, write
 * or open fails in turn: the text is there as a whole, or what it was to be made of still is. */
#include "fault/fault.h"

#include "property/trace/log_made.h"
#include "tmp.h"

enum { LEFT_RANKS = 2, FEWER = EVENTS_MOST - 40 };

struct left_folder {
	char dir[128];
	struct str log[LEFT_RANKS];
	char *text[LEFT_RANKS]; /* of the restored ones */
};

static void logs_write(const struct left_folder *f)
{
	char path[192];

	for (int i = 0; i < LEFT_RANKS; i++) {
		FILE *out;

		snprintf(path, sizeof path, "%s/rank-%d.tit", f->dir, i);
		remove(path);
		snprintf(path, sizeof path, "%s/rank-%d.log", f->dir, i);
		out = fopen(path, "wb");
		assert_non_null(out);
		assert_int_equal(fwrite(f->log[i].s, 1, f->log[i].n, out), f->log[i].n);
		assert_int_equal(fclose(out), 0);
	}
}

/* Of each rank: its log, or all that was in it. */
static void nothing_is_lost(const struct left_folder *f)
{
	char log[192], text[192];

	for (int i = 0; i < LEFT_RANKS; i++) {
		snprintf(log, sizeof log, "%s/rank-%d.log", f->dir, i);
		snprintf(text, sizeof text, "%s/rank-%d.tit", f->dir, i);
		if (access(text, F_OK) == 0) {
			char *now = file_text(text);

			assert_string_equal(now, f->text[i]);
			free(now);
		} else {
			assert_int_equal(access(log, F_OK), 0);
		}
	}
}

static int restore(void *arg, struct err *err)
{
	const struct left_folder *f = arg;
	int r;

	fault_hold(1);
	logs_write(f);
	fault_hold(0);
	r = trace_folder_restore(f->dir, err);
	fault_hold(1);
	nothing_is_lost(f);
	if (r >= 0)
		assert_int_equal(r, LEFT_RANKS);
	fault_hold(0);
	return r < 0 ? -1 : 0;
}

static void folder_make_left(struct left_folder *f, const char *dir)
{
	static struct made_log m;
	char path[192];
	struct err err;

	snprintf(f->dir, sizeof f->dir, "%s", dir);
	for (int i = 0; i < LEFT_RANKS; i++) {
		log_make(&m, 5, (uint32_t)i, FEWER);
		f->log[i] = m.bytes;
		m.bytes = (struct str){0};
		log_release(&m);
	}
	logs_write(f);
	assert_int_equal(trace_folder_restore(dir, &err), LEFT_RANKS);
	for (int i = 0; i < LEFT_RANKS; i++) {
		snprintf(path, sizeof path, "%s/rank-%d.tit", dir, i);
		f->text[i] = file_text(path);
		assert_true(strlen(f->text[i]) > 100);
	}
}

static void restoring(void **state)
{
	struct left_folder f;
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	folder_make_left(&f, tmp.dir);
	fault_sweep(FAULT_ALLOC, restore, &f);
	fault_sweep(FAULT_WRITE, restore, &f);
	fault_sweep(FAULT_OPEN, restore, &f);
	fault_sweep(FAULT_LOOK, restore, &f);
	for (int i = 0; i < LEFT_RANKS; i++) {
		str_release(&f.log[i]);
		free(f.text[i]);
	}
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(restoring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
