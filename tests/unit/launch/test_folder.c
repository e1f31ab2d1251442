/* test_folder.c: the folder that a trace is written to: what may be replaced, what is never
 * touched, and that what was there stays until something new has been written. */
#include "launch/folder.h"

#include "tmp.h"

#include <fcntl.h>
#include <sys/stat.h>

static char *in(const struct tmp *t, const char *name, char *out, size_t n)
{
	snprintf(out, n, "%s/%s", t->dir, name);
	return out;
}

static int is_there(const char *path)
{
	return access(path, F_OK) == 0;
}

/* A folder with one file. */
static void folder_with(struct tmp *t, const char *folder, const char *file)
{
	char path[256], name[256];

	assert_int_equal(mkdir(in(t, folder, path, sizeof path), 0700), 0);
	if (!file)
		return;
	snprintf(name, sizeof name, "%s/%s", folder, file);
	tmp_write(t, name, "kept");
}

static void may_be_written(void **state)
{
	static const struct {
		const char *file;
		int (*check)(const char *dir, int overwrite, struct err *err);
		int ours; /* a trace of this kind: with --force only */
	} folders[] = {
	    {"events", folder_check, 1},
	    {"manifest", folder_check, 1},
	    {"rank-0.tit", folder_check, 1},
	    {"rank-12.log2", folder_check, 1},
	    {"rank-3.log", folder_check, 1},
	    {"rank-3.part", folder_check, 1},
	    {"profile", folder_check, 1},
	    {"profile-12", folder_check, 1},
	    {"profile-", folder_check, 0},
	    {"profile-12.txt", folder_check, 0},
	    {"profile-of-my-code.txt", folder_check, 0},
	    {".worlds", folder_check, 1},
	    {".spawned-3f", folder_check, 1},
	    {"manifest.txt", folder_check, 0},
	    {"rank--1.tit", folder_check, 0},
	    {"rank-.tit", folder_check, 0},
	    {"sites", folder_check, 1},
	    {".stopped", folder_check, 1},
	    {".unstopped", folder_check, 1},
	    {"rank-0.txt", folder_check, 0},
	    {"rank-x.tit", folder_check, 0},
	    {"letter", folder_check, 0},
	    {"rank-0.tit~", folder_check, 0},
	    {".git", folder_check, 0},
	    {"traces.otf2", folder_check, 0},
	    {"traces.otf2", folder_check_otf2, 1},
	    {"traces.def", folder_check_otf2, 1},
	    {"rank-0.tit", folder_check_otf2, 0},
	    {"rank-0.txt", folder_check_simgrid, 1},
	    {"rank-0.tit", folder_check_simgrid, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char path[256];
		struct err err;
		struct tmp t;

		tmp_init(&t);
		folder_with(&t, "f", folders[i].file);
		in(&t, "f", path, sizeof path);
		if (folders[i].ours) {
			assert_fails(folders[i].check(path, 0, &err), err, ERR_INPUT,
			             "--force overwrites it");
			assert_ok(folders[i].check(path, 1, &err), err);
		} else {
			for (int force = 0; force < 2; force++)
				assert_fails(folders[i].check(path, force, &err), err, ERR_INPUT,
				             folders[i].file);
		}
		tmp_release(&t);
	}
}

static void nothing_there(void **state)
{
	char path[256];
	struct err err;
	struct tmp t;

	(void)state;
	tmp_init(&t);
	assert_ok(folder_check(in(&t, "none", path, sizeof path), 0, &err), err);
	folder_with(&t, "empty", NULL);
	assert_ok(folder_check(in(&t, "empty", path, sizeof path), 0, &err), err);
	tmp_write(&t, "file", "x");
	assert_true(folder_check(in(&t, "file", path, sizeof path), 1, &err) < 0);
	assert_non_null(strstr(err.text, path));
	tmp_release(&t);
}

/* A new trace replaces the old one when it is there; before, and where nothing was written, the
 * old one stays. */
static void replaced(void **state)
{
	for (int written = 0; written < 2; written++) {
		char folder[256], old[300], fresh[300];
		struct trace_place p;
		struct err err;
		struct tmp t;

		(void)state;
		tmp_init(&t);
		folder_with(&t, "f", "rank-0.tit");
		in(&t, "f", folder, sizeof folder);
		snprintf(old, sizeof old, "%s/rank-0.tit", folder);
		assert_fails(place_prepare(&p, folder, 0, &err), err, ERR_INPUT, "--force");
		place_release(&p);
		assert_ok(place_prepare(&p, folder, 1, &err), err);
		assert_true(p.is_beside);
		assert_true(p.path[0] == '/' && strcmp(p.path, folder) != 0);
		snprintf(fresh, sizeof fresh, "%s/rank-7.tit", p.path);
		assert_true(is_there(old));
		if (written) {
			FILE *f = fopen(fresh, "w");

			assert_non_null(f);
			fclose(f);
		}
		assert_ok(place_finish(&p, written, &err), err);
		place_release(&p);
		snprintf(fresh, sizeof fresh, "%s/rank-7.tit", folder);
		assert_int_equal(is_there(old), !written);
		assert_int_equal(is_there(fresh), written);
		tmp_release(&t);
	}
}

/* Room on the disk is kept while the program runs, and is no part of the trace. */
static void made(void **state)
{
	char folder[256], room[300];
	struct trace_place p;
	struct err err;
	struct stat st;
	struct tmp t;

	(void)state;
	tmp_init(&t);
	in(&t, "new", folder, sizeof folder);
	assert_ok(place_prepare(&p, folder, 0, &err), err);
	assert_false(p.is_beside);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 077, 0); /* its owner's alone */
	snprintf(room, sizeof room, "%s/.room", folder);
	assert_true(is_there(room));
	assert_ok(folder_check(folder, 1, &err), err);
	assert_ok(place_finish(&p, 1, &err), err);
	assert_false(is_there(room));
	place_release(&p);
	tmp_release(&t);
	assert_fails(place_prepare(&p, "/proc/none/trace", 0, &err), err, ERR_INPUT,
	             "/proc/none/trace cannot be written");
	place_release(&p);
}

/* The process that ends a run is killed where the new trace has its place, and what was there is
 * half removed: its parent, which knows of the same place, leaves it so. */
static void finished_by_another(void **state)
{
	char folder[256], path[300];
	struct trace_place p;
	struct err err;
	struct tmp t;

	(void)state;
	tmp_init(&t);
	folder_with(&t, "trace", "rank-0.tit");
	in(&t, "trace", folder, sizeof folder);
	assert_ok(place_prepare(&p, folder, 1, &err), err);
	assert_true(p.is_beside);
	assert_false(place_is_finished(&p));
	assert_int_equal(renameat2(AT_FDCWD, p.path, AT_FDCWD, folder, RENAME_EXCHANGE), 0);
	assert_true(place_is_finished(&p));
	snprintf(path, sizeof path, "%s/rank-0.tit", p.path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(p.path), 0); /* or it could remove all of it */
	assert_true(place_is_finished(&p));
	snprintf(path, sizeof path, "%s", p.path);
	place_release(&p);
	assert_false(is_there(path));
	snprintf(path, sizeof path, "%s/rank-0.tit", folder);
	assert_true(is_there(folder));
	assert_false(is_there(path));
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(may_be_written),
	                                   cmocka_unit_test(nothing_there),
	                                   cmocka_unit_test(replaced), cmocka_unit_test(made),
	                                   cmocka_unit_test(finished_by_another)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
