/* test_own_stream.c: the standard streams of ranks that share a process (own_stream.c,
 * own_output.c): those of all until a rank opens others in their places; apart with --rank-output,
 * by lines with the rank's number before each, or in files. */
#include "own.h"

#include "live/live.h"
#include "tmp.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static struct tmp dir;
static int real[3]; /* where the test's own streams lead */

/* What is written to a descriptor of the process, 1 or 2, goes to a file until the end. */
static void capture(int fd, const char *name)
{
	char path[160];
	int to;

	snprintf(path, sizeof path, "%s/%s", dir.dir, name);
	fflush(NULL);
	real[fd] = dup(fd);
	to = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	assert_true(to >= 0);
	dup2(to, fd);
	close(to);
}

static void release(int fd)
{
	fflush(NULL);
	dup2(real[fd], fd);
	close(real[fd]);
}

static void holds(const char *name, const char *want)
{
	char path[160], got[512] = "";
	size_t n;
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir.dir, name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("there is no %s", name);
	n = fread(got, 1, sizeof got - 1, f);
	got[n] = '\0';
	fclose(f);
	assert_string_equal(got, want);
}

static const char *path_of(const char *name)
{
	static char path[160];

	snprintf(path, sizeof path, "%s/%s", dir.dir, name);
	return path;
}

static int begin(void **state)
{
	(void)state;
	tmp_init(&dir);
	ranks_begin();
	runs(0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ranks_end();
	tmp_release(&dir);
	return 0;
}

/* --- those of all --- */

/* A rank cannot close what is everybody's. */
static void closed(void **state)
{
	FILE *out = stdout;

	(void)state;
	for (int fd = 0; fd <= 2; fd++)
		assert_int_equal(own_close(fd), 0);
	assert_int_equal(own_fclose(stdout), 0);
	assert_int_equal(own_fclose(stderr), 0);
	assert_true(fcntl(1, F_GETFD) >= 0 && fcntl(2, F_GETFD) >= 0);
	assert_ptr_equal(stdout, out);
	assert_int_equal(own_close(-1), -1);
	assert_int_equal(errno, EBADF);
	FILE *f = fopen(path_of("mine"), "w");
	int fd = fileno(f);

	assert_int_equal(own_fileno(f), fd);
	assert_int_equal(own_fclose(f), 0); /* its own it can */
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	fd = open(path_of("mine"), O_RDONLY);
	assert_int_equal(own_close(fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* freopen opens another stream in the place of a rank's, and nobody else's. */
static void reopened(void **state)
{
	FILE *of_all = stdout, *mine;

	(void)state;
	errno = 0;
	assert_null(own_freopen("/nowhere/at/all", "w", stdout));
	assert_int_equal(errno, ENOENT);
	assert_ptr_equal(stdout, of_all);
	mine = own_freopen(path_of("out0"), "w", stdout);
	assert_non_null(mine);
	assert_ptr_equal(stdout, mine);
	printf("zero ");
	runs(1);
	assert_ptr_equal(stdout, of_all);
	assert_non_null(own_freopen(path_of("out1"), "w", stdout));
	printf("one ");
	runs(0);
	assert_ptr_equal(stdout, mine);
	printf("again\n");
	/* by its number, too */
	fflush(stdout);
	assert_int_equal(own_write(1, "by number\n", 10), 10);
	assert_int_equal(own_dprintf(1, "%d is %s\n", 7, "seven"), 11);
	/* once more: the place is its own already */
	assert_ptr_equal(own_freopen(path_of("more0"), "w", stdout), mine);
	printf("more\n");
	nobody_runs();
	assert_ptr_equal(stdout, of_all);
	ranks_end();
	holds("out0", "zero again\nby number\n7 is seven\n");
	holds("out1", "one ");
	holds("more0", "more\n");
	ranks_begin();
}

static void reopened_input(void **state)
{
	FILE *f = fopen(path_of("in"), "w");
	char word[16] = "";

	(void)state;
	fputs("hello 5", f);
	fclose(f);
	assert_non_null(own_freopen(path_of("in"), "r", stdin));
	assert_int_equal(scanf("%15s", word), 1);
	assert_string_equal(word, "hello");
	runs(1);
	assert_ptr_equal(stdin, all.stream[0]);
	runs(0);
	assert_int_equal(scanf("%15s", word), 1);
	assert_string_equal(word, "5");
	assert_int_equal(own_fclose(stdin), 0);
	runs(1);
	runs(0);
	assert_ptr_equal(stdin, all.stream[0]); /* there is no other any more */
}

/* --- apart, by lines --- */

static void apart_begin(const char *output, char *folder)
{
	ranks_end();
	ranks_begin_with(output, folder);
	for (uint32_t i = 0; i < RANKS; i++) {
		runs(i);
		assert_int_equal(own_streams_begin(own_now()), 0);
	}
}

/* Each line begins with the rank's number and is written in one piece; what is no line yet waits,
 * and is one at the end. */
static void prefixed(void **state)
{
	struct iovec pieces[] = {{(char *)(uintptr_t) "in ", 3},
	                         {(char *)(uintptr_t) "pieces\n", 7}};

	(void)state;
	capture(1, "out");
	apart_begin(LIVE_PREFIX, NULL);
	runs(0);
	printf("begun ");
	runs(1);
	printf("first\nsecond\n");
	runs(0);
	printf("and ended\n");
	assert_int_equal(own_writev(1, pieces, 2), 10);
	assert_int_equal(own_write(1, "no line", 7), 7);
	runs(2);
	assert_int_equal(own_dprintf(1, "%s\n", "three"), 6);
	puts("");
	ranks_end();
	release(1);
	ranks_begin();
	holds("out", "[1] first\n[1] second\n[0] begun and ended\n[0] in pieces\n[2] three\n[2] \n"
	             "[0] no line\n");
}

/* Errors are told at once, where they were told. */
static void prefixed_errors(void **state)
{
	(void)state;
	capture(2, "err");
	apart_begin(LIVE_PREFIX, NULL);
	runs(2);
	fprintf(stderr, "bad\n");
	assert_int_equal(own_fileno(stderr), 2);
	assert_int_equal(own_fileno(stdout), 1);
	assert_int_equal(own_write(2, "worse\n", 6), 6);
	holds("err", "[2] bad\n[2] worse\n");
	ranks_end();
	release(2);
	ranks_begin();
}

/* A descriptor's number opened again is the same place. */
static void opened_again(void **state)
{
	FILE *f;

	(void)state;
	capture(1, "out");
	apart_begin(LIVE_PREFIX, NULL);
	runs(1);
	f = own_fdopen(1, "w");
	assert_non_null(f);
	fputs("by another stream\n", f);
	fclose(f);
	assert_int_equal(own_fclose(stdout), 0); /* given: it stays */
	puts("still there");
	assert_null(own_fdopen(-1, "w"));
	ranks_end();
	release(1);
	ranks_begin();
	holds("out", "[1] by another stream\n[1] still there\n");
}

/* freopen goes before what is apart. */
static void reopened_apart(void **state)
{
	(void)state;
	capture(1, "out");
	apart_begin(LIVE_PREFIX, NULL);
	runs(1);
	puts("before");
	assert_non_null(own_freopen(path_of("mine"), "w", stdout));
	puts("in the file");
	fflush(stdout);
	assert_int_equal(own_write(1, "here, too\n", 10), 10);
	runs(0);
	puts("zero");
	ranks_end();
	release(1);
	ranks_begin();
	holds("out", "[1] before\n[0] zero\n");
	holds("mine", "in the file\nhere, too\n");
}

/* --- apart, in files --- */

static void in_files(void **state)
{
	struct err err = {0};
	char folder[160], *full = NULL, name[24];

	(void)state;
	snprintf(folder, sizeof folder, "%s/ranks", dir.dir);
	assert_int_equal(own_output_files(folder, RANKS, &full, &err), 0);
	assert_non_null(full);
	apart_begin(folder, full);
	for (uint32_t i = 0; i < RANKS; i++) {
		runs(i);
		printf("I am %u", i);
		fprintf(stderr, "error of %u\n", i);
	}
	runs(1);
	assert_int_equal(own_write(1, "!", 1), 1); /* past the buffer of the stream */
	ranks_end();
	ranks_begin();
	for (uint32_t i = 0; i < RANKS; i++) {
		char want[32];

		snprintf(want, sizeof want, i == 1 ? "!I am %u" : "I am %u", i);
		snprintf(name, sizeof name, "ranks/rank-%u.out", i);
		holds(name, want);
		snprintf(want, sizeof want, "error of %u\n", i);
		snprintf(name, sizeof name, "ranks/rank-%u.err", i);
		holds(name, want);
	}
	/* once more: they are empty at the beginning */
	free(full);
	assert_int_equal(own_output_files(folder, RANKS, &full, &err), 0);
	holds("ranks/rank-0.out", "");
	free(full);
	full = NULL;
	assert_int_equal(own_output_files(LIVE_PREFIX, RANKS, &full, &err), 0);
	assert_null(full); /* by lines: none */
	assert_int_equal(own_output_files(path_of("ranks/rank-0.out"), RANKS, &full, &err), -1);
	assert_non_null(strstr(err.text, "rank-0.out"));
	free(full);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(closed),          TEST(reopened),     TEST(reopened_input), TEST(prefixed),
	    TEST(prefixed_errors), TEST(opened_again), TEST(reopened_apart), TEST(in_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
