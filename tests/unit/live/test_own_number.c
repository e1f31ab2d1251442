/* test_own_number.c: what a rank that shares its process finds of itself in /proc, by its number or
 * as self (own_number.c), and files that are none of these. */
#include "own.h"

#include <stdlib.h>

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

static int begin(void **state)
{
	(void)state;
	ranks_begin();
	runs(0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	ranks_end();
	return 0;
}

/* What a program reads of itself under its number, it finds. */
static void in_proc(void **state)
{
	static const char *plain[] = {"/proc/4194308/maps",
	                              "/proc/4194305x",
	                              "/proc/41943050",
	                              "/proc/",
	                              "/proc/self/maps",
	                              "proc/4194305/maps",
	                              ""};
	char room[OWN_PATH], text[2][64], *longer;
	int n, fd;
	FILE *f;
	DIR *d;

	(void)state;
	runs(1);
	assert_string_equal(own_path("/proc/4194306", room), "/proc/self");
	assert_string_equal(own_path("/proc/4194305/fd/3", room), "/proc/self/fd/3");
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		assert_ptr_equal(own_path(plain[i], room), plain[i]);
	assert_null(own_path(NULL, room));
	assert_true(asprintf(&longer, "/proc/4194306/%0300d", 0) > 0);
	assert_ptr_equal(own_path(longer, room), longer);
	free(longer);
	f = own_fopen("/proc/4194306/stat", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &n), 1);
	assert_int_equal(n, getpid());
	fclose(f);
	fd = own_open("/proc/4194306/comm", O_RDONLY);
	assert_true(fd >= 0);
	close(fd);
	d = own_opendir("/proc/4194306/task");
	assert_non_null(d);
	closedir(d);
	assert_int_equal(own_access("/proc/4194306/exe", F_OK), 0);
	assert_true((n = (int)own_readlink("/proc/4194306/exe", text[0], sizeof text[0])) > 0);
	assert_int_equal(readlink("/proc/self/exe", text[1], sizeof text[1]), n);
	assert_memory_equal(text[0], text[1], (size_t)n);
}

/* The program's file, which is not the simulator's: proc(5), /proc/PID/exe is a link to it. */
static void own_file(void **state)
{
	static const char *named[] = {"/proc/self/exe", "/proc/thread-self/exe",
	                              "/proc/4194305/exe", "/proc/4194307/exe"};
	static const char *others[] = {"/proc/self/exe/", "/proc/selfish/exe", "/proc/self/exec",
	                               "/proc/4194308/exe", "/proc/thread-self"};
	char room[OWN_PATH], text[64], *real;

	(void)state;
	runs(1);
	snprintf(all.exe, sizeof all.exe, "/etc/passwd");
	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		assert_string_equal(own_path(named[i], room), "/etc/passwd");
		memset(text, '#', sizeof text);
		assert_int_equal(own_readlink(named[i], text, sizeof text), 11);
		assert_memory_equal(text, "/etc/passwd#", 12); /* readlink(2): no 0 at its end */
		assert_int_equal(own_readlink_chk(named[i], text, 4, sizeof text), 4);
		assert_int_equal(own_readlink(named[i], text, 0), -1);
		assert_int_equal(errno, EINVAL);
		real = own_canonicalize_file_name(named[i]);
		assert_string_equal(real, "/etc/passwd");
		free(real);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_ptr_equal(own_path(others[i], room), others[i]);
	nobody_runs();
	assert_ptr_equal(own_path(named[0], room), named[0]);
	*all.exe = 0;
}

/* proc(5): the words, each with its zero byte; the name, cut to 15 bytes, and a line's end. */
static void own_words(void **state)
{
	static char *const command[] = {(char *)(uintptr_t) "./prog", (char *)(uintptr_t) "-x",
	                                (char *)(uintptr_t) "", NULL};
	static char *other[] = {(char *)(uintptr_t) "one", NULL};
	char text[64], kernels[64], *name = program_invocation_short_name;
	FILE *f;
	int fd;

	(void)state;
	all.o.command = command;
	coro[2].words = other;
	runs(1);
	f = own_fopen("/proc/self/cmdline", "re");
	assert_non_null(f);
	assert_int_equal(fread(text, 1, sizeof text, f), 11);
	assert_memory_equal(text, "./prog\0-x\0", 11);
	fclose(f);
	fd = own_open("/proc/4194307/cmdline", O_RDONLY | O_CLOEXEC); /* another rank's */
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(read(fd, text, sizeof text), 4);
	assert_memory_equal(text, "one", 4);
	close(fd);
	program_invocation_short_name = (char *)(uintptr_t) "twenty_bytes_of_name";
	fd = own_open("/proc/thread-self/comm", O_RDONLY);
	assert_int_equal(fcntl(fd, F_GETFD), 0);
	assert_int_equal(read(fd, text, sizeof text), 16);
	assert_memory_equal(text, "twenty_bytes_of\n", 16);
	close(fd);
	/* the program has named itself */
	assert_int_equal(prctl(PR_SET_NAME, "own"), 0);
	fd = own_open("/proc/self/comm", O_RDONLY);
	assert_int_equal(read(fd, text, sizeof text), 4);
	assert_memory_equal(text, "own\n", 4);
	close(fd);
	assert_int_equal(prctl(PR_SET_NAME, name), 0);
	program_invocation_short_name = name;
	/* nobody runs: the kernel's */
	nobody_runs();
	fd = own_open("/proc/self/cmdline", O_RDONLY);
	assert_true(read(fd, text, sizeof text) > 0);
	close(fd);
	fd = open("/proc/self/cmdline", O_RDONLY);
	assert_true(read(fd, kernels, sizeof kernels) > 0);
	close(fd);
	assert_string_equal(text, kernels);
	coro[2].words = NULL;
}

/* As open: the rights of a new file are looked at where there is one. */
static void files_opened(void **state)
{
	char path[] = "/tmp/orrery-own-XXXXXX";
	struct stat st;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	fd = own_open(path, O_CREAT | O_RDWR, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
	fd = own_open("/tmp", O_TMPFILE | O_RDWR, 0400);
	if (fd >= 0) { /* the file system can */
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0400);
		close(fd);
	}
	assert_int_equal(own_open("/tmp", O_DIRECTORY | O_WRONLY), -1);
	assert_int_equal(own_access(path, R_OK), 0);
	unlink(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
	const struct CMUnitTest tests[] = {TEST(in_proc), TEST(own_file), TEST(own_words),
	                                   TEST(files_opened)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
