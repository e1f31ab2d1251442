/* test_output.c: what is written has its name only when it is whole, replaces what links lead to,
 * and leaves nothing behind. */
#include "base/output.h"

#include "test.h"
#include "tmp.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct tmp tmp;

static char *text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	static char text[256];

	assert_non_null(f);
	text[fread(text, 1, sizeof text - 1, f)] = '\0';
	fclose(f);
	return text;
}

/* Entries of a folder, hidden ones too. */
static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void named_when_whole(void **state)
{
	char path[300], link[300], hard[300];
	struct output o;
	struct stat st;
	struct err err;

	(void)state;
	snprintf(path, sizeof path, "%s", tmp_write(&tmp, "a", "old"));
	snprintf(link, sizeof link, "%s/soft", tmp.dir);
	snprintf(hard, sizeof hard, "%s/hard", tmp.dir);
	assert_int_equal(symlink("a", link), 0);
	assert_int_equal(chmod(path, 0640), 0);
	assert_ok(output_open(&o, link, &err), err);
	assert_false(output_is_new(&o));
	assert_ok(output_write(&o, "new", 3, &err), err);
	assert_string_equal(text_of(path), "old");
	output_release(&o); /* given up */
	assert_string_equal(text_of(path), "old");
	assert_int_equal(entries(tmp.dir), 2);
	assert_ok(output_file(link, "new", 3, &err), err);
	assert_string_equal(text_of(path), "new");
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_ok(output_file(hard, "x", 1, &err), err);
	assert_string_equal(text_of(hard), "x");
	assert_int_equal(entries(tmp.dir), 3);
}

/* Of many, named one by one and synced at once. */
static void synced_together(void **state)
{
	char path[300];
	struct output o;
	struct err err;

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%d", tmp.dir, i);
		assert_ok(output_open(&o, path, &err), err);
		assert_ok(output_write(&o, "new", 3, &err), err);
		assert_ok(output_commit_later(&o, &err), err);
		output_release(&o);
		assert_string_equal(text_of(path), "new");
		assert_int_equal(entries(tmp.dir), i + 1);
	}
	assert_ok(output_sync_all(tmp.dir, &err), err);
	assert_fails(output_sync_all(path, &err), err, ERR_INPUT, path); /* no folder */
}

static void what_cannot_be_written(void **state)
{
	char path[300];
	struct err err;

	(void)state;
	snprintf(path, sizeof path, "%s/nowhere", tmp.dir);
	assert_int_equal(symlink("/nonexistent", path), 0);
	assert_fails(output_file(path, "x", 1, &err), err, ERR_INPUT,
	             "symbolic link to /nonexistent");
	assert_fails(output_file("", "x", 1, &err), err, ERR_INPUT, "empty");
	assert_fails(output_file("/nonexistent/x", "x", 1, &err), err, ERR_INPUT, "No such file");
	assert_fails(output_file(tmp.dir, "x", 1, &err), err, ERR_INPUT, "Is a directory");
	assert_fails(output_file("/dev/full", "x", 1, &err), err, ERR_LIMIT, "No space left");
	if (geteuid() != 0) {
		snprintf(path, sizeof path, "%s", tmp_write(&tmp, "mine", "x"));
		assert_int_equal(chmod(path, 0444), 0);
		assert_fails(output_file(path, "y", 1, &err), err, ERR_INPUT, "Permission denied");
	}
}

static void folder_write(const char *path, const char *name, const char *text)
{
	struct output_folder f;
	struct err err;
	int fd = -1;

	assert_ok(output_folder_open(&f, path, &err), err);
	assert_ok(output_folder_append(&f, name, &fd, 0, text, strlen(text), &err), err);
	assert_ok(output_folder_commit(&f, &err), err);
	output_folder_release(&f);
}

static void folders_as_a_whole(void **state)
{
	char path[300], file[400];
	struct output_folder f;
	struct err err;
	int fd = -1;

	(void)state;
	snprintf(path, sizeof path, "%s/folder/", tmp.dir);
	folder_write(path, "a", "1"); /* new */
	folder_write(path, "b", "2"); /* instead of one with a file */
	assert_int_equal(entries(path), 1);
	snprintf(file, sizeof file, "%s/b", path);
	assert_string_equal(text_of(file), "2");
	assert_ok(output_folder_open(&f, path, &err), err);
	assert_ok(output_folder_append(&f, "c", &fd, 1, "3", 1, &err), err);
	assert_true(fd >= 0);
	close(fd);
	output_folder_release(&f); /* given up */
	assert_string_equal(text_of(file), "2");
	assert_int_equal(entries(tmp.dir), 1);
}

/* What cannot get its place is kept under a name beside, which is told; no name is taken twice. */
static void folder_kept(void **state)
{
	char path[300], kept[400];
	struct output_folder f;
	struct err err;
	int fd = -1;

	(void)state;
	snprintf(path, sizeof path, "%s/folder", tmp.dir);
	folder_write(path, "old", "1");
	for (int i = 1; i <= 2; i++) {
		assert_ok(output_folder_open(&f, path, &err), err);
		fd = -1;
		assert_ok(output_folder_append(&f, "new", &fd, 0, i == 1 ? "2" : "3", 1, &err),
		          err);
		err_set(&err, ERR_LIMIT, "because");
		output_folder_keep(&f, &err);
		output_folder_release(&f);
		snprintf(kept, sizeof kept, "because; what was to be there is kept as %s.kept-%d",
		         path, i);
		assert_string_equal(err.text, kept);
		snprintf(kept, sizeof kept, "%s.kept-%d/new", path, i);
		assert_string_equal(text_of(kept), i == 1 ? "2" : "3");
	}
	snprintf(kept, sizeof kept, "%s/old", path);
	assert_string_equal(text_of(kept), "1");
	assert_int_equal(entries(tmp.dir), 3);
}

/* Given up for want of a descriptor: nothing is left either. */
static void without_descriptors(void **state)
{
	char path[300];
	struct output_folder f;
	struct rlimit all, none;
	struct err err;
	int fd = -1, next = dup(0);

	(void)state;
	snprintf(path, sizeof path, "%s/folder", tmp.dir);
	assert_true(next >= 0);
	close(next);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &all), 0);
	none = all;
	none.rlim_cur = (rlim_t)next;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_ok(output_folder_open(&f, path, &err), err);
	assert_int_equal(output_folder_append(&f, "a", &fd, 0, "1", 1, &err), -1);
	assert_int_equal(err.kind, ERR_LIMIT);
	output_folder_release(&f);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &all), 0);
	assert_int_equal(entries(tmp.dir), 0);
}

/* A writer that is killed leaves a hidden folder, which the next one removes; one that lives keeps
 * its own. */
static void killed_writers(void **state)
{
	char path[300];
	struct output_folder f;
	struct err err;
	int status;
	pid_t pid;

	(void)state;
	snprintf(path, sizeof path, "%s/folder", tmp.dir);
	pid = fork();
	if (pid == 0) {
		output_folder_open(&f, path, &err);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(entries(tmp.dir), 1);
	assert_ok(output_folder_open(&f, path, &err), err);
	assert_int_equal(entries(tmp.dir), 1);
	folder_write(path, "a", "1");
	assert_int_equal(entries(tmp.dir), 2);
	output_folder_release(&f);
	assert_int_equal(entries(tmp.dir), 1);
}

static int setup(void **state)
{
	(void)state;
	tmp_init(&tmp);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tmp_release(&tmp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(named_when_whole, setup, teardown),
	    cmocka_unit_test_setup_teardown(synced_together, setup, teardown),
	    cmocka_unit_test_setup_teardown(what_cannot_be_written, setup, teardown),
	    cmocka_unit_test_setup_teardown(folders_as_a_whole, setup, teardown),
	    cmocka_unit_test_setup_teardown(folder_kept, setup, teardown),
	    cmocka_unit_test_setup_teardown(without_descriptors, setup, teardown),
	    cmocka_unit_test_setup_teardown(killed_writers, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
